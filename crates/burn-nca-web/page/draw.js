// Drawing: rows as marks, neighbours as lines, curves, and the same picture as SVG.

// Okabe and Ito: told apart by people who see few colours. Beyond eight classes the shape changes too.
const COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B79F00", "#7F7F7F"];
const SHAPES = ["circle", "square", "triangle", "diamond"];

export const style = (label) => ({
  colour: COLOURS[label % COLOURS.length],
  shape: SHAPES[Math.floor(label / COLOURS.length + label) % SHAPES.length],
});

/** The corners of a mark of radius r about (0, 0); none for a circle. */
function corners(shape, r) {
  if (shape === "square") return [[-r, -r], [r, -r], [r, r], [-r, r]];
  if (shape === "triangle") return [[0, -1.2 * r], [1.1 * r, 0.8 * r], [-1.1 * r, 0.8 * r]];
  if (shape === "diamond") return [[0, -1.3 * r], [1.3 * r, 0], [0, 1.3 * r], [-1.3 * r, 0]];
  return null;
}

/** A mark as an SVG element. */
export function markSvg(label, x, y, r, open) {
  const { colour, shape } = style(label);
  const paint = open ? `fill="none" stroke="${colour}" stroke-width="1.4"` : `fill="${colour}"`;
  const at = corners(shape, r);
  if (!at) return `<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="${r}" ${paint}/>`;
  const path = at.map(([dx, dy]) => `${(x + dx).toFixed(2)},${(y + dy).toFixed(2)}`).join(" ");
  return `<polygon points="${path}" ${paint}/>`;
}

export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Makes a canvas as sharp as the screen; returns its context in CSS pixels. */
export function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** Where the points of a picture stand on screen, `[x, y]` by row; keeps both axes at one scale. */
export function place(points, rows, { width, height, turn, frame }) {
  const [cy, sy, cx, sx] = [Math.cos(turn.y), Math.sin(turn.y), Math.cos(turn.x), Math.sin(turn.x)];
  const flat = turn.x === 0 && turn.y === 0;
  const at = new Float32Array(2 * rows);
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  for (let row = 0; row < rows; row++) {
    let [x, y, z] = [points[3 * row], points[3 * row + 1], points[3 * row + 2]];
    if (!flat) {
      [x, z] = [cy * x + sy * z, cy * z - sy * x];
      y = cx * y - sx * z;
    }
    at[2 * row] = x;
    at[2 * row + 1] = y;
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.bottom = Math.min(box.bottom, y);
    box.top = Math.max(box.top, y);
  }
  // The frame follows the points with a delay, so that the picture breathes and does not jump.
  if (!frame.right && frame.right !== 0) Object.assign(frame, box);
  for (const side of Object.keys(box)) frame[side] += 0.15 * (box[side] - frame[side]);
  const margin = 22;
  const scale = Math.min(
    (width - 2 * margin) / Math.max(frame.right - frame.left, 1e-9),
    (height - 2 * margin) / Math.max(frame.top - frame.bottom, 1e-9),
  );
  const [mx, my] = [(frame.left + frame.right) / 2, (frame.bottom + frame.top) / 2];
  for (let row = 0; row < rows; row++) {
    at[2 * row] = width / 2 + scale * (at[2 * row] - mx);
    at[2 * row + 1] = height / 2 - scale * (at[2 * row + 1] - my);
  }
  return at;
}

const sprites = new Map();

/** A mark or a ring as a small picture, drawn once: thousands of copies are quick, thousands of paths are not. */
function sprite(key, radius, ratio, draw) {
  const name = `${key} ${radius} ${ratio}`;
  let picture = sprites.get(name);
  if (!picture) {
    const half = Math.ceil((1.4 * radius + 2) * ratio);
    picture = Object.assign(document.createElement("canvas"), { width: 2 * half, height: 2 * half, half });
    const context = picture.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, half, half);
    context.beginPath();
    draw(context);
    sprites.set(name, picture);
  }
  return picture;
}

function mark(label, open, radius, ratio) {
  return sprite(`${label} ${open}`, radius, ratio, (context) => {
    const { colour, shape } = style(label);
    const at = corners(shape, radius);
    if (at) at.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    else context.arc(0, 0, radius, 0, 7);
    context.closePath();
    context.fillStyle = context.strokeStyle = colour;
    context.lineWidth = 1.4;
    context.globalAlpha = open ? 1 : 0.85;
    if (open) context.stroke();
    else context.fill();
  });
}

function ring(colour, radius, ratio) {
  return sprite(colour, radius, ratio, (context) => {
    context.arc(0, 0, radius, 0, 7);
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.stroke();
  });
}

/** Draws all rows, and rings about the wrong ones. */
export function marks(context, at, { labels, heldOut, wrong, classes, radius }) {
  const ratio = window.devicePixelRatio || 1;
  const pictures = Array.from({ length: classes }, (_, label) => [mark(label, false, radius, ratio), mark(label, true, radius, ratio)]);
  // Between two pixels a copy is smoother and slower.
  const pixel = labels.length > 2000 ? Math.round : (x) => x;
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  for (let row = 0; row < labels.length; row++) {
    const picture = pictures[labels[row]][heldOut[row]];
    context.drawImage(picture, pixel(ratio * at[2 * row] - picture.half), pixel(ratio * at[2 * row + 1] - picture.half));
  }
  // Many rings would hide what they ring.
  context.globalAlpha = wrong.length > 100 ? 0.35 : 1;
  const about = ring(css("--wrong"), radius + 3, ratio);
  for (const row of wrong) {
    context.drawImage(about, pixel(ratio * at[2 * row] - about.half), pixel(ratio * at[2 * row + 1] - about.half));
  }
  context.restore();
}

/** Lines from a point to the rows that it chooses, as wide as they are probable. */
export function choices(context, from, at, neighbours) {
  context.strokeStyle = css("--ink");
  for (const { row, p } of neighbours) {
    context.globalAlpha = Math.min(1, 0.15 + p);
    context.lineWidth = 0.6 + 6 * p;
    context.beginPath();
    context.moveTo(from[0], from[1]);
    context.lineTo(at[2 * row], at[2 * row + 1]);
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** A curve by step: `series` of {points: [[x, y]], colour, width}, dashed `levels` of {y, name}, a `moment` {x, name}. */
export function curve(canvas, { series, levels = [], range, format, moment }) {
  const { context, width, height } = prepare(canvas);
  const all = series.flatMap(({ points }) => points);
  if (!all.length) return;
  const last = Math.max(...all.map(([x]) => x), 1);
  const ys = all.map(([, y]) => y).concat(levels.map(({ y }) => y));
  const [low, high] = range ?? [Math.min(...ys), Math.max(...ys)];
  const pad = (high - low || 1) * 0.06;
  const [left, right, top, bottom] = [46, 8, 6, 18];
  const x = (step) => left + (step / last) * (width - left - right);
  const y = (value) => top + ((high + pad - value) / (high - low + 2 * pad)) * (height - top - bottom);
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = css("--soft");
  context.strokeStyle = css("--line");
  context.lineWidth = 1;
  context.textAlign = "right";
  for (const value of [low, (low + high) / 2, high]) {
    context.fillText(format(value), left - 5, y(value) + 4);
    context.beginPath();
    context.moveTo(left, y(value));
    context.lineTo(width - right, y(value));
    context.stroke();
  }
  context.fillText(String(last), width - right, height - 4);
  context.textAlign = "left";
  context.fillText("0", left, height - 4);
  context.setLineDash([4, 3]);
  let lastLabel = -Infinity;
  for (const { y: level, name } of [...levels].sort((a, b) => b.y - a.y)) {
    context.strokeStyle = css("--soft");
    context.beginPath();
    context.moveTo(left, y(level));
    context.lineTo(width - right, y(level));
    context.stroke();
    const at = Math.max(y(level) - 3, lastLabel + 11);
    lastLabel = at;
    context.fillText(name, left + 4, at);
  }
  context.setLineDash([]);
  if (moment) {
    context.strokeStyle = context.fillStyle = css("--wrong");
    context.beginPath();
    context.moveTo(x(moment.x), top);
    context.lineTo(x(moment.x), height - bottom);
    context.stroke();
    const right = x(moment.x) > width / 2;
    context.textAlign = right ? "right" : "left";
    context.fillText(moment.name, x(moment.x) + (right ? -4 : 4), top + 10);
  }
  for (const { points, colour, width: lineWidth } of series) {
    context.strokeStyle = colour;
    context.lineWidth = lineWidth;
    context.beginPath();
    points.forEach(([step, value], i) => (i ? context.lineTo(x(step), y(value)) : context.moveTo(x(step), y(value))));
    context.stroke();
  }
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

/** The picture as an SVG document. */
export function svg(at, { labels, heldOut, wrong, names, radius, width, height, title }) {
  const rows = [...labels.keys()].map((row) => markSvg(labels[row], at[2 * row], at[2 * row + 1], radius, heldOut[row]));
  const rings = wrong.map(
    (row) => `<circle cx="${at[2 * row].toFixed(2)}" cy="${at[2 * row + 1].toFixed(2)}" r="${radius + 3}" fill="none" stroke="#d4183d" stroke-width="1.5"/>`,
  );
  const legend = names.map(
    (name, label) => `${markSvg(label, 14, height + 18 * (label + 1), 5, false)}<text x="26" y="${height + 18 * (label + 1) + 4}">${escape(name)}</text>`,
  );
  const full = height + 18 * (names.length + 1);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${full}" viewBox="0 0 ${width} ${full}" font-family="sans-serif" font-size="12"><title>${escape(title)}</title><rect width="100%" height="100%" fill="#fff"/>${rows.join("")}${rings.join("")}${legend.join("")}</svg>`;
}
