// The page: controls, drawing, files. Everything that is computed is computed by the worker, in Rust.
import { choices, css, curve, markSvg, marks, place, prepare, style, svg } from "./draw.js";

const $ = (id) => document.getElementById(id);
const worker = new Worker("./worker.js", { type: "module" });
const send = (kind, body = {}, transfer = []) => worker.postMessage({ kind, ...body }, transfer);

/** What is on the page now. */
const state = {
  source: { name: "iris", bytes: null },
  table: null,
  labels: new Uint32Array(),
  heldOut: new Uint8Array(),
  rows: new Uint32Array(), // which rows of the file these are
  points: null, // the last picture
  before: null, // the one before, to move from
  arrived: 0,
  interval: 60,
  slice: { iteration: 0, value: null, ended: null, stepMs: 0 },
  measures: { train: null, test: null, wrong: [], collapse: null },
  baselines: [],
  accuracy: { train: [], test: [] },
  objective: [],
  picked: null,
  placed: null,
  playing: false,
  turn: { x: 0, y: 0 },
  frame: {},
  collapsedAt: null, // the step at which a collapse was seen
  at: new Float32Array(),
  stale: true,
};
// What tests and the curious may ask.
window.nca = state;

// ---------------------------------------------------------------- settings

const number = (id) => ($(id).value === "" ? null : Number($(id).value));

function settings() {
  const hidden = $("hidden").value.split(/[ ,]+/).filter(Boolean).map(Number);
  return {
    dim: Number($("dim").value),
    map: $("map").value,
    hidden: hidden.every((size) => Number.isInteger(size) && size > 0) && hidden.length ? hidden : [64],
    criterion: $("criterion").value,
    l2: number("l2"),
    testSize: Number($("testSize").value),
    steps: Math.max(1, Math.round(number("steps") ?? 200)),
    seed: 0,
  };
}

/** How a file is read, as `nca fit` is told by its options. */
const reading = () => ({
  target: $("target").value.trim() || null,
  ignore: $("ignore").value.split(",").map((name) => name.trim()).filter(Boolean),
  missing: $("missing").value,
  categorical: $("categorical").value === "auto",
});

/** The controls that say so, as a link carries them. */
const READING = ["target", "ignore", "missing", "categorical"];

function show(values) {
  for (const [id, value] of Object.entries(values)) {
    const control = $(id);
    if (control && control.form === $("controls")) control.value = value === null ? "" : String(value);
  }
  $("hidden").parentElement.hidden = $("map").value !== "mlp";
}

/** The settings that a link carries: #iris, or #iris&{"map":"mlp"}. */
function fromLink() {
  const [set, text] = decodeURIComponent(location.hash.slice(1)).split(/&(.*)/s);
  if ([...$("set").options].some((option) => option.value === set)) {
    state.source = { name: set, bytes: null };
    $("set").value = set;
  }
  try {
    if (text) show(JSON.parse(text));
  } catch {
    tell("The link's settings cannot be read; the page shows its own.");
  }
  show({});
}

function link() {
  const asked = Object.fromEntries(READING.map((id) => [id, $(id).value]).filter(([id, value]) => value !== $(id).dataset.first));
  const text = JSON.stringify({ ...settings(), ...asked });
  return `${location.origin}${location.pathname}#${encodeURIComponent(`${state.source.name}&${text}`)}`;
}

// ---------------------------------------------------------------- words

function tell(text) {
  $("message").textContent = text;
  $("message").hidden = !text;
}

const percent = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`);

function status() {
  const { slice, measures, table } = state;
  if (!table) return;
  const parts = [`${table.rows} rows, ${table.features.length} features, ${table.classes.length} classes.`];
  parts.push(slice.iteration ? `Step ${slice.iteration}: objective ${slice.value.toPrecision(6)}, held-out accuracy ${percent(measures.test)}.` : `At the start: held-out accuracy ${percent(measures.test)}.`);
  if (slice.stepMs) parts.push(`${slice.stepMs < 10 ? slice.stepMs.toFixed(1) : Math.round(slice.stepMs)} ms a step.`);
  if (slice.ended) parts.push(slice.ended);
  if (measures.collapse) parts.push(`Careful, ${state.collapsedAt ? `since step ${state.collapsedAt}` : "from the start"}: ${measures.collapse}.`);
  $("status").textContent = parts.join(" ");
}

function scores() {
  const learnt = { name: "NCA", dim: $("map").value === "diagonal" ? state.table.features.length : Number($("dim").value), ...state.measures };
  const body = $("scores").tBodies[0];
  body.replaceChildren(
    ...[...state.baselines, learnt].map((row) => {
      const line = document.createElement("tr");
      if (row === learnt) line.className = "learnt";
      for (const text of [row.name, row.dim, percent(row.train), percent(row.test)]) {
        line.insertCell().textContent = text;
      }
      return line;
    }),
  );
}

function weights(list) {
  const most = Math.max(...list.map(([, weight]) => weight), 1e-12);
  $("weights").replaceChildren(
    ...list.slice(0, 40).map(([name, weight]) => {
      const item = document.createElement("li");
      const [label, bar, value] = [document.createElement("span"), document.createElement("i"), document.createElement("span")];
      label.textContent = label.title = name;
      bar.style.width = `${(100 * weight) / most}%`;
      value.textContent = weight.toPrecision(3);
      item.append(label, bar, value);
      return item;
    }),
  );
  if (!list.length) $("weights").textContent = "A network has no weight for each feature.";
}

function chosen() {
  const { picked, table } = state;
  if (!picked) return void ($("chosen").textContent = "");
  const { row, choice } = picked;
  const likely = choice.classes.map((p, label) => [p, table.classes[label]]).sort((a, b) => b[0] - a[0])[0];
  $("chosen").textContent =
    `Row ${state.rows[row] + 1}, ${table.classes[state.labels[row]]}${state.heldOut[row] ? ", held out" : ""}: chooses ${choice.perplexity.toFixed(1)} neighbours in effect; ` +
    `class ${likely[1]} with probability ${likely[0].toFixed(3)}.`;
}

/** What was done to the table, a sentence each. */
function remarks(list) {
  $("remarks").hidden = !list.length;
  $("remarks").replaceChildren(
    ...list.map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }),
  );
}

function legend() {
  $("legend").replaceChildren(
    ...state.table.classes.map((name, label) => {
      const item = document.createElement("li");
      item.innerHTML = `<svg viewBox="-7 -7 14 14" aria-hidden="true">${markSvg(label, 0, 0, 5, false)}</svg>`;
      item.append(`${name} (${state.table.counts[label]})`);
      return item;
    }),
  );
}

// ---------------------------------------------------------------- pictures

function curves() {
  const accent = css("--accent");
  const levels = state.baselines.filter(({ test, train }) => (test ?? train) !== null).map(({ name, test, train }) => ({ name, y: test ?? train }));
  curve($("accuracy"), {
    series: [
      { points: state.accuracy.train, colour: accent, width: 1 },
      { points: state.accuracy.test, colour: accent, width: 2.5 },
    ],
    levels,
    format: (value) => `${(100 * value).toFixed(0)} %`,
    moment: state.collapsedAt === null ? null : { x: state.collapsedAt, name: "collapse" },
  });
  curve($("objective"), { series: [{ points: state.objective, colour: accent, width: 2 }], format: (value) => String(Number(value.toPrecision(4))) });
}

/** The points between the last two pictures. */
function current(now) {
  const { points, before, arrived, interval } = state;
  const t = Math.min(1, (now - arrived) / interval);
  if (!before || before.length !== points.length || t >= 1) return [points, true];
  const between = new Float32Array(points.length);
  for (let i = 0; i < points.length; i++) between[i] = before[i] + t * (points[i] - before[i]);
  return [between, false];
}

let frames = 0;
let framesSince = performance.now();

function draw(now) {
  requestAnimationFrame(draw);
  if (!state.points) return;
  const [points, arrived] = current(now);
  if (arrived && !state.stale) return;
  const begun = performance.now();
  const { context, width, height } = prepare($("picture"));
  const old = { ...state.frame };
  const rows = state.labels.length;
  state.at = place(points, rows, { width, height, turn: state.turn, frame: state.frame });
  const radius = rows > 8000 ? 1.6 : rows > 2000 ? 2.4 : 4;
  const ring = rows > 8000 ? [] : state.measures.wrong;
  const { picked, placed } = state;
  if (picked) choices(context, [state.at[2 * picked.row], state.at[2 * picked.row + 1]], state.at, picked.choice.neighbours);
  marks(context, state.at, { labels: state.labels, heldOut: state.heldOut, wrong: ring, classes: state.table.classes.length, radius });
  if (picked) ringAt(context, state.at[2 * picked.row], state.at[2 * picked.row + 1], radius + 6);
  if (placed) newRow(context, width, height, placed, points);
  state.drawMs = performance.now() - begun;
  frames += 1;
  if (now - framesSince > 1000) {
    state.framesPerSecond = (1000 * frames) / (now - framesSince);
    [frames, framesSince] = [0, now];
  }
  // The frame goes on until it has caught up with the points.
  const moved = Object.keys(old).reduce((sum, side) => sum + Math.abs(old[side] - state.frame[side]), 0);
  const size = Math.abs(state.frame.right - state.frame.left) + Math.abs(state.frame.top - state.frame.bottom);
  state.stale = !arrived || !(moved < 1e-3 * size);
}

function ringAt(context, x, y, radius) {
  context.strokeStyle = css("--ink");
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.stroke();
}

/** A star where the new row falls. */
function newRow(context, width, height, { point, choice }, points) {
  const all = new Float32Array(points.length + 3);
  all.set(points);
  all.set(point, points.length);
  const at = place(all, state.labels.length + 1, { width, height, turn: state.turn, frame: { ...state.frame } });
  const [x, y] = at.slice(-2);
  choices(context, [x, y], state.at, choice.neighbours);
  context.fillStyle = css("--ink");
  context.font = "22px system-ui";
  context.textAlign = "center";
  context.fillText("★", x, y + 8);
}

// ---------------------------------------------------------------- what the worker says

const hears = {
  ready() {
    open();
  },
  opened({ table, labels, heldOut, rows, baselines, playing }) {
    Object.assign(state, { table, labels, rows, baselines, heldOut: new Uint8Array(labels.length) });
    heldOut.forEach((row) => (state.heldOut[row] = 1));
    Object.assign(state, { picked: null, placed: null, before: null, frame: {}, accuracy: { train: [], test: [] }, objective: [], collapsedAt: null });
    state.turn = $("dim").value === "3" && $("map").value !== "diagonal" ? { x: 0.35, y: 0.5 } : { x: 0, y: 0 };
    $("columns").replaceChildren(...table.cells.map((name) => new Option(name)));
    $("cells").placeholder = table.cells.slice(0, 4).join(", ") + (table.cells.length > 4 ? ", …" : "");
    remarks(table.remarks);
    $("placed").textContent = "";
    tell("");
    legend();
    chosen();
    play(playing);
  },
  slice({ slice, points, measures, weights: list }) {
    const now = performance.now();
    state.before = state.points && state.points.length === points.length ? current(now)[0] : null;
    state.interval = Math.min(250, Math.max(16, now - state.arrived));
    Object.assign(state, { points, arrived: now, stale: true });
    if (slice) {
      state.slice = slice;
      if (slice.value !== null) state.objective.push([slice.iteration, slice.value]);
      if (slice.ended) play(false);
    }
    if (measures) {
      state.measures = measures;
      const step = state.slice.iteration;
      state.collapsedAt = measures.collapse ? (state.collapsedAt ?? step) : null;
      if (measures.train !== null) state.accuracy.train.push([step, measures.train]);
      if (measures.test !== null) state.accuracy.test.push([step, measures.test]);
      scores();
      weights(list);
      if (state.picked) send("pick", { row: state.picked.row });
    }
    status();
    curves();
  },
  picked(body) {
    Object.assign(state, { picked: body, stale: true });
    chosen();
  },
  placed({ point, choice }) {
    Object.assign(state, { placed: { point, choice }, stale: true });
    const order = choice.classes.map((p, label) => [p, label]).sort((a, b) => b[0] - a[0]);
    $("placed").textContent = order.slice(0, 3).map(([p, label]) => `${state.table.classes[label]}: ${p.toFixed(3)}`).join(", ");
    tell("");
  },
  failed({ text }) {
    play(false);
    tell(text);
  },
  out({ what, bytes, text }) {
    if (what === "model") save(`${stem()}-model.zip`, new Blob([bytes], { type: "application/zip" }));
    if (what === "matrix") save(`${stem()}-A.csv`, new Blob([text], { type: "text/csv" }));
  },
};
worker.onmessage = ({ data }) => hears[data.kind](data);
worker.onerror = (event) => tell(`The page's worker could not be started: ${event.message ?? "no reason given"}`);

// ---------------------------------------------------------------- what the user does

function play(on) {
  state.playing = on;
  $("play").textContent = on ? "Pause" : "Play";
  $("play").setAttribute("aria-pressed", String(on));
  // Read out when it stands still, not at every step.
  $("status").setAttribute("aria-live", on ? "off" : "polite");
}

function open() {
  tell("");
  send("open", { ...state.source, reading: reading(), settings: settings() });
}

const ANEW = new Set(["map", "dim", "hidden", "testSize"]);

function changed(id) {
  show({});
  Object.assign(state, { accuracy: { train: [], test: [] }, objective: [], collapsedAt: null });
  // A fit that runs goes on, from its map or, where the map is another one now, anew.
  send("change", { settings: settings(), anew: ANEW.has(id) });
}

$("controls").addEventListener("submit", (event) => event.preventDefault());
$("controls").addEventListener("change", ({ target }) => {
  if (target.id === "set") {
    state.source = { name: target.value, bytes: null };
    $("file").value = $("target").value = "";
    return open();
  }
  if (target.id === "file") return void (target.files[0] && take(target.files[0]));
  if (READING.includes(target.id)) {
    return state.source.bytes ? open() : tell("A bundled set is ready as it is; this is for a file of your own.");
  }
  changed(target.id);
});
$("play").addEventListener("click", () => {
  play(!state.playing);
  send(state.playing ? "play" : "pause");
});
$("step").addEventListener("click", () => {
  play(false);
  send("step");
});
$("restart").addEventListener("click", open);

const MOST_BYTES = 256 << 20;

async function take(file) {
  if (file.size > MOST_BYTES) return tell(`${file.name} has ${Math.round(file.size / 2 ** 20)} MiB; this page takes 256. The program nca takes more.`);
  state.source = { name: file.name, bytes: await file.arrayBuffer() };
  open();
}
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    $("stage").classList.toggle("dropping", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
}

/** The row whose mark is nearest to a place on the picture. */
function rowAt(x, y) {
  let [best, least] = [null, 400];
  for (let row = 0; row < state.labels.length; row++) {
    const distance = (state.at[2 * row] - x) ** 2 + (state.at[2 * row + 1] - y) ** 2;
    if (distance < least) [best, least] = [row, distance];
  }
  return best;
}
const pick = (row) => send("pick", { row });
let dragged = null;
$("picture").addEventListener("pointerdown", (event) => {
  dragged = { x: event.offsetX, y: event.offsetY, far: 0 };
});
$("picture").addEventListener("pointermove", (event) => {
  if (!dragged) return;
  const [dx, dy] = [event.offsetX - dragged.x, event.offsetY - dragged.y];
  dragged = { x: event.offsetX, y: event.offsetY, far: dragged.far + Math.abs(dx) + Math.abs(dy) };
  if ($("dim").value === "3" && dragged.far > 4) {
    state.turn = { x: state.turn.x + dy / 150, y: state.turn.y + dx / 150 };
    state.stale = true;
  }
});
window.addEventListener("pointerup", (event) => {
  const click = dragged && dragged.far <= 4 && event.target === $("picture");
  dragged = null;
  if (!click) return;
  const row = rowAt(event.offsetX, event.offsetY);
  if (row !== null) return pick(row);
  Object.assign(state, { picked: null, stale: true });
  chosen();
});
$("picture").addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (event.key === " ") $("play").click();
  else if (by && state.labels.length) pick(((state.picked?.row ?? -by) + by + state.labels.length) % state.labels.length);
  else return;
  event.preventDefault();
});
$("place").addEventListener("click", () => send("place", { cells: $("cells").value }));
$("cells").addEventListener("keydown", (event) => {
  if (event.key === "Enter") $("place").click();
});

const stem = () => state.source.name.replace(/\.[^.]*$/, "").replace(/\.[^.]*$/, "");

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
const outs = {
  model: () => send("out", { what: "model" }),
  matrix: () => send("out", { what: "matrix" }),
  svg() {
    const { clientWidth: width, clientHeight: height } = $("picture");
    const text = svg(state.at, { ...state, wrong: state.measures.wrong, names: state.table.classes, radius: 4, width, height, title: `${stem()} by NCA` });
    save(`${stem()}.svg`, new Blob([text], { type: "image/svg+xml" }));
  },
  png: () => $("picture").toBlob((blob) => save(`${stem()}.png`, blob)),
  async link() {
    history.replaceState(null, "", link());
    try {
      await navigator.clipboard.writeText(link());
      $("status").textContent = "The link is in the clipboard, and in the address bar.";
    } catch {
      $("status").textContent = "The link is in the address bar.";
    }
    if (state.source.bytes) $("status").textContent += " It carries the settings, not your table.";
  },
};
document.querySelectorAll("[data-out]").forEach((button) => button.addEventListener("click", () => outs[button.dataset.out]()));

// ---------------------------------------------------------------- the tour

const RINGS = { map: "linear", dim: 2, criterion: "G", l2: "", testSize: 0.3, steps: 200 };
const scenes = [
  () => scene("rings", RINGS),
  () => {
    scene("rings", RINGS);
    pick(5);
  },
  () => {
    scene("rings", RINGS);
    pick(5);
    $("play").click();
  },
  () => {
    scene("wine", { ...RINGS, criterion: "F" });
    $("play").click();
  },
  () => {
    scene("wine", { ...RINGS, l2: 1 });
    $("play").click();
  },
];

function scene(name, values) {
  state.source = { name, bytes: null };
  show({ set: name, ...values });
  open();
}

function tour(step) {
  document.querySelectorAll("#tour li").forEach((item, i) => item.classList.toggle("now", i === step));
  $("stage").scrollIntoView({ block: "nearest" });
  scenes[step]();
}
document.querySelectorAll("[data-tour]").forEach((button) => button.addEventListener("click", () => tour(Number(button.dataset.tour))));
let running = null;
$("runTour").addEventListener("click", () => {
  if (running) {
    clearInterval(running);
    running = null;
    $("runTour").textContent = "Run all five";
    return;
  }
  let step = 0;
  const next = () => {
    if (step >= scenes.length) return void $("runTour").click();
    tour(step++);
  };
  $("runTour").textContent = "Stop";
  running = setInterval(next, 7000);
  next();
});

new ResizeObserver(() => {
  state.stale = true;
  if (state.table) curves();
}).observe($("stage"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (state.stale = true));
READING.forEach((id) => ($(id).dataset.first = $(id).value));
fromLink();
requestAnimationFrame(draw);
