// The picture: moves from one embedding to the next, and finds the row under a finger.
import { choices, css, forgetColors, isDark, marks, names, place, svg } from "./draw.js";
import { Pixels } from "./pixels.js";
import { $, likely, state } from "./state.js";
import { curves, legend, say } from "./words.js";

const canvas = $("picture");
const context = canvas.getContext("2d", { alpha: false });
let pixels = null;

/** What is shown between the last two embeddings, and whether the last one is reached. */
export function current(now) {
  const { points, before, arrived, gaps } = state;
  // As long as the longest of the last steps, so that the motion does not halt before the next embedding comes.
  const t = Math.min(1, (now - arrived) / Math.min(600, Math.max(16, ...gaps)));
  if (!before || before.length !== points.length || t >= 1) return [points, true];
  const between = new Float32Array(points.length);
  for (let i = 0; i < points.length; i++) between[i] = before[i] + t * (points[i] - before[i]);
  return [between, false];
}

/** Takes up a new embedding. */
export function arrive(points) {
  const now = performance.now();
  state.before = state.points?.length === points.length ? current(now)[0] : null;
  state.gaps = state.playing ? [...state.gaps.slice(-3), now - state.arrived] : [60];
  Object.assign(state, { points, arrived: now, stale: true });
}

/** The canvas in the pixels of the screen. */
function size() {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(state.width * ratio), Math.round(state.height * ratio)];
  const paper = css("--canvas");
  if (pixels?.key !== `${width} ${height} ${paper}`) {
    pixels = new Pixels(width, height, paper);
    Object.assign(canvas, { width, height });
  }
  return ratio;
}

/** Times a second at which words and curves keep up while the map is learned. */
const SAID = 6;
let saidAt = 0;
let since = { now: performance.now(), drawn: 0 };

function frame(now) {
  requestAnimationFrame(frame);
  if (state.unsaid && !(state.playing && now - saidAt < 1000 / SAID)) {
    state.unsaid = false;
    saidAt = now;
    say();
  }
  if (!state.points || !state.width) return;
  const [points, arrived] = current(now);
  if (arrived && !state.stale) return;
  const begun = performance.now();
  const before = { ...state.frame };
  draw(points);
  state.drawMs = performance.now() - begun;
  state.drawn += 1;
  if (now - since.now > 1000) {
    state.framesPerSecond = (1000 * (state.drawn - since.drawn)) / (now - since.now);
    since = { now, drawn: state.drawn };
  }
  // The frame continues until it has caught up with the points.
  const moved = Object.keys(before).reduce((sum, side) => sum + Math.abs(before[side] - state.frame[side]), 0);
  const across = Math.abs(state.frame.right - state.frame.left) + Math.abs(state.frame.top - state.frame.bottom);
  state.stale = !arrived || !(moved < 1e-3 * across);
}

function draw(points) {
  const { labels, heldOut, measures, picked, table, turn, width, height } = state;
  const ratio = size();
  const at = (state.at = place(points, { width, height, turn, frame: state.frame }));
  const radius = Math.min(4, Math.max(1.6, 0.24 * Math.sqrt((width * height) / labels.length)));
  pixels.clear();
  marks(pixels, at, { ratio, labels, heldOut, wrong: measures.wrong, radius, likely: likely() });
  pixels.show(context);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  names(context, at, { labels, heldOut, classes: table.classes });
  if (!picked || 2 * picked.row >= at.length) return;
  const [x, y] = at.slice(2 * picked.row);
  choices(context, [x, y], at, picked.choice.neighbors);
  context.strokeStyle = css("--ink");
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, picked.row < labels.length ? radius + 6 : 14, 0, 7);
  context.stroke();
}

/** The row whose mark is nearest to a place on the picture; a new row comes before others. */
export function rowAt(x, y) {
  let [best, least] = [null, 400];
  for (let row = state.at.length / 2 - 1; row >= 0; row--) {
    const distance = (state.at[2 * row] - x) ** 2 + (state.at[2 * row + 1] - y) ** 2;
    if (distance < least) [best, least] = [row, distance];
    if (row === state.labels.length && least < 100) break;
  }
  return best;
}

/** The picture as an SVG document. */
export const asSvg = (title) =>
  svg(state.at, { ...state, wrong: state.measures.wrong, names: state.table.classes, radius: 4, likely: likely(), title });

new ResizeObserver(() => {
  [state.width, state.height] = [canvas.clientWidth, canvas.clientHeight];
  state.stale = true;
  if (state.table) curves();
}).observe(canvas);
isDark.addEventListener("change", () => {
  forgetColors();
  if (state.table) legend();
  Object.assign(state, { stale: true, unsaid: true });
});
requestAnimationFrame(frame);
