// Drawing: rows as marks, neighbors as lines, curves, and the same picture as SVG.

// Any two distinguished by people who see few colors (tests/browser.py measures it); neighbors of a cycle differ in shape
// too. Beyond ten classes the same color comes in another shape.
const LIGHT = ["#3c2df0", "#c3b40f", "#a5001e", "#96b4b4", "#871e69", "#00785a", "#877896", "#a57800", "#1ea578", "#a596f0"];
const DARK = ["#8800ee", "#eedd11", "#aa5500", "#11eedd", "#889988", "#dd88ff", "#666655", "#338899", "#bb9922", "#aacc99"];
const SHAPES = ["circle", "square", "triangle", "diamond"];
export const isDark = matchMedia("(prefers-color-scheme: dark)");

const style = (label, colors = isDark.matches ? DARK : LIGHT) => ({
  color: colors[label % colors.length],
  shape: SHAPES[Math.floor(label / colors.length + label) % SHAPES.length],
});

/** The corners of a mark of radius r about (0, 0); none for a circle. */
function corners(shape, r) {
  if (shape === "square") return [[-r, -r], [r, -r], [r, r], [-r, r]];
  if (shape === "triangle") return [[0, -1.2 * r], [1.1 * r, 0.8 * r], [-1.1 * r, 0.8 * r]];
  if (shape === "diamond") return [[0, -1.3 * r], [1.3 * r, 0], [0, 1.3 * r], [-1.3 * r, 0]];
  return null;
}

/** A mark as an SVG element. */
export function markSvg(label, x, y, r, open, colors) {
  const { color, shape } = style(label, colors);
  const paint = open ? `fill="none" stroke="${color}" stroke-width="1.4"` : `fill="${color}"`;
  const at = corners(shape, r);
  if (!at) return `<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="${r}" ${paint}/>`;
  const path = at.map(([dx, dy]) => `${(x + dx).toFixed(2)},${(y + dy).toFixed(2)}`).join(" ");
  return `<polygon points="${path}" ${paint}/>`;
}

const colors = new Map();

/** A color of the style sheet; asked for once, for to ask means to lay the page out. */
export function css(name) {
  if (!colors.has(name)) colors.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return colors.get(name);
}
export const forgetColors = () => colors.clear();

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

/** Where points `[n, 3]` are on screen, `[x, y]` by row; keeps both axes at one scale. */
export function place(points, { width, height, turn, frame }) {
  const [cy, sy, cx, sx] = [Math.cos(turn.y), Math.sin(turn.y), Math.cos(turn.x), Math.sin(turn.x)];
  const rows = points.length / 3;
  const at = new Float32Array(2 * rows);
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let row = 0; row < rows; row++) {
    const x = cy * points[3 * row] + sy * points[3 * row + 2];
    const z = cy * points[3 * row + 2] - sy * points[3 * row];
    const y = cx * points[3 * row + 1] - sx * z;
    at[2 * row] = x;
    at[2 * row + 1] = y;
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < bottom) bottom = y;
    if (y > top) top = y;
  }
  // The frame follows the points with a delay, so that the picture breathes and does not jump.
  const box = { left, right, bottom, top };
  if (frame.right === undefined) Object.assign(frame, box);
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

function outline(context, label, radius) {
  const at = corners(style(label).shape, radius);
  context.beginPath();
  if (at) at.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  else context.arc(0, 0, radius, 0, 7);
  context.closePath();
}

/** The points of a star, of a new row. */
const STAR = Array.from({ length: 10 }, (_, i) => {
  const [r, angle] = [i % 2 ? 4 : 9.5, (Math.PI * (i - 2.5)) / 5];
  return [r * Math.cos(angle), r * Math.sin(angle)];
});

/** Lays rings into the picture, about the wrong rows, then all rows, and the new rows as stars of their likely class. */
export function marks(pixels, at, { ratio, labels, heldOut, wrong, radius, likely }) {
  // Below the marks, and faint where they are many: rings must not hide what they ring.
  const faint = wrong.length > 100 ? 0.5 : 1;
  const about = pixels.mark(`ring ${faint} ${radius}`, (2 * radius + 3) * ratio, (context) => {
    context.scale(ratio, ratio);
    context.beginPath();
    context.arc(0, 0, radius + Math.min(3, 0.8 * radius), 0, 7);
    context.strokeStyle = css("--wrong");
    context.globalAlpha = faint;
    context.lineWidth = Math.min(1.5, 0.5 * radius);
    context.stroke();
  });
  for (const row of wrong) pixels.stamp(about, ratio * at[2 * row], ratio * at[2 * row + 1]);
  const mark = (label, open) =>
    pixels.mark(`${label} ${open} ${radius}`, 1.4 * radius * ratio + 2, (context) => {
      context.scale(ratio, ratio);
      outline(context, label, radius);
      context.fillStyle = context.strokeStyle = style(label).color;
      context.lineWidth = Math.min(1.4, 0.6 * radius);
      context.globalAlpha = open ? 1 : 0.9;
      if (open) context.stroke();
      else context.fill();
    });
  const [filled, open] = [[], []];
  for (let row = 0; row < labels.length; row++) {
    const label = labels[row];
    const kind = heldOut[row] ? open : filled;
    pixels.stamp((kind[label] ??= mark(label, heldOut[row])), ratio * at[2 * row], ratio * at[2 * row + 1]);
  }
  likely.forEach((label, i) => {
    const star = pixels.mark(`star ${label}`, 11 * ratio, (context) => {
      context.scale(ratio, ratio);
      context.beginPath();
      for (const [x, y] of STAR) context.lineTo(x, y);
      context.closePath();
      context.fillStyle = style(label).color;
      context.strokeStyle = css("--ink");
      context.lineWidth = 1.5;
      context.fill();
      context.stroke();
    });
    const row = labels.length + i;
    pixels.stamp(star, ratio * at[2 * row], ratio * at[2 * row + 1]);
  });
}

/** The names of the classes in the middle of their training rows, where most of these are nearer to it than to another's. */
export function names(context, at, { labels, heldOut, classes }) {
  if (classes.length > 20) return;
  const [xs, ys, counts, near] = Array.from({ length: 4 }, () => new Float64Array(classes.length));
  for (let row = 0; row < labels.length; row++) {
    if (heldOut[row]) continue;
    xs[labels[row]] += at[2 * row];
    ys[labels[row]] += at[2 * row + 1];
    counts[labels[row]] += 1;
  }
  for (let label = 0; label < classes.length; label++) {
    xs[label] /= counts[label];
    ys[label] /= counts[label];
  }
  for (let row = 0; row < labels.length; row++) {
    if (heldOut[row]) continue;
    let [best, least] = [0, Infinity];
    for (let label = 0; label < classes.length; label++) {
      const distance = (at[2 * row] - xs[label]) ** 2 + (at[2 * row + 1] - ys[label]) ** 2;
      if (distance < least) [best, least] = [label, distance];
    }
    if (best === labels[row]) near[best] += 1;
  }
  context.font = "600 14px system-ui, sans-serif";
  context.textAlign = "center";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = css("--canvas");
  context.fillStyle = css("--ink");
  classes.forEach((name, label) => {
    if (!(near[label] > 0.6 * counts[label])) return;
    const text = name.length > 18 ? `${name.slice(0, 17)}…` : name;
    context.strokeText(text, xs[label], ys[label] + 5);
    context.fillText(text, xs[label], ys[label] + 5);
  });
}

/** Lines from a point to the rows that it chooses, as wide as they are probable. */
export function choices(context, from, at, neighbors) {
  context.strokeStyle = css("--ink");
  for (const { row, p } of neighbors) {
    context.globalAlpha = Math.min(1, 0.15 + p);
    context.lineWidth = 0.6 + 6 * p;
    context.beginPath();
    context.moveTo(from[0], from[1]);
    context.lineTo(at[2 * row], at[2 * row + 1]);
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** A curve by step: `series` of {points: [[x, y]], color, width}, dashed `levels` of {y, name}, a `moment` {x, name}. */
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
  for (const { points, color, width: lineWidth } of series) {
    context.strokeStyle = color;
    context.lineWidth = lineWidth;
    context.beginPath();
    points.forEach(([step, value], i) => (i ? context.lineTo(x(step), y(value)) : context.moveTo(x(step), y(value))));
    context.stroke();
  }
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

/** The picture as an SVG document. */
export function svg(at, { labels, heldOut, wrong, names, radius, width, height, title, likely }) {
  const rows = [...labels.keys()].map((row) => markSvg(labels[row], at[2 * row], at[2 * row + 1], radius, heldOut[row], LIGHT));
  likely.forEach((label, i) => {
    const [x, y] = at.slice(2 * (labels.length + i));
    const star = STAR.map(([dx, dy]) => `${(x + dx).toFixed(2)},${(y + dy).toFixed(2)}`).join(" ");
    rows.push(`<polygon class="new" points="${star}" fill="${style(label, LIGHT).color}" stroke="#1c1e21" stroke-width="1.5"/>`);
  });
  const rings = wrong.map(
    (row) => `<circle cx="${at[2 * row].toFixed(2)}" cy="${at[2 * row + 1].toFixed(2)}" r="${radius + 3}" fill="none" stroke="#d4183d" stroke-width="1.5"/>`,
  );
  const legend = names.map(
    (name, label) => `${markSvg(label, 14, height + 18 * (label + 1), 5, false, LIGHT)}<text x="26" y="${height + 18 * (label + 1) + 4}">${escape(name)}</text>`,
  );
  const full = height + 18 * (names.length + 1);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${full}" viewBox="0 0 ${width} ${full}" font-family="sans-serif" font-size="12"><title>${escape(title)}</title><rect width="100%" height="100%" fill="#fff"/>${rows.join("")}${rings.join("")}${legend.join("")}</svg>`;
}
