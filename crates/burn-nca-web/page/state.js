// What is on the page now, what its controls say, and the worker that computes.

export const $ = (id) => document.getElementById(id);
export const worker = new Worker("./worker.js", { type: "module" });
export function send(kind, body = {}, transfer = []) {
  state.sent++;
  worker.postMessage({ kind, ...body }, transfer);
}

const NONE = { rows: [], classes: [], remarks: [] };

export const state = {
  source: { name: "iris", bytes: null }, // of the table that is open
  asked: { name: "iris", bytes: null }, // that was to be opened last, and may have been refused
  table: null,
  labels: new Uint32Array(),
  heldOut: new Uint8Array(),
  rows: new Uint32Array(), // which rows of the file these are
  points: null, // the last picture: the rows of the table, then the new ones
  before: null, // the one before, to move from
  arrived: 0,
  gaps: [], // milliseconds between the last pictures
  slice: { iteration: 0, value: null, ended: null, stepMs: 0 },
  measures: { train: null, test: null, wrong: [], collapse: null },
  weights: [],
  baselines: [],
  accuracy: { train: [], test: [] },
  objective: [],
  picked: null,
  placed: NONE, // the new rows, and the probabilities of their classes
  playing: false,
  turn: { x: 0, y: 0 },
  frame: {},
  collapsedAt: null, // the step at which a collapse was seen
  at: new Float32Array(),
  drawn: 0, // pictures so far
  stale: true, // the picture has to be drawn again
  unsaid: false, // the words and the curves have to be written again
  sent: 0, // messages to the worker
  answered: 0, // of these, done
};
// What tests and the curious may ask.
window.nca = state;

/** The likeliest class of each new row. */
export const likely = () => state.placed.classes.map((p) => p.indexOf(Math.max(...p)));

export const forgotten = () => ({ picked: null, placed: NONE, before: null, gaps: [], frame: {}, ...unlearned() });
export const unlearned = () => ({ accuracy: { train: [], test: [] }, objective: [], collapsedAt: null });

// ---------------------------------------------------------------- settings

const number = (id) => ($(id).value === "" ? null : Number($(id).value));

export function settings() {
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

/** How a file is read, as set by the options of `nca fit`. */
export const reading = () => ({
  target: $("target").value.trim() || null,
  ignore: $("ignore").value.split(",").map((name) => name.trim()).filter(Boolean),
  missing: $("missing").value,
  categorical: $("categorical").value === "auto",
});

/** The controls that say so, as a link carries them. */
export const READING = ["target", "ignore", "missing", "categorical"];
READING.forEach((id) => ($(id).dataset.first = $(id).value));

/** Sets controls to values. */
export function show(values) {
  for (const [id, value] of Object.entries(values)) {
    const control = $(id);
    if (control && control.form === $("controls")) control.value = value === null ? "" : String(value);
  }
  $("hidden").parentElement.hidden = $("map").value !== "mlp";
}

/** Takes the settings that a link carries: #iris, or #iris&{"map":"mlp"}. Returns whether they can be read. */
export function fromLink() {
  const [set, text] = decodeURIComponent(location.hash.slice(1)).split(/&(.*)/s);
  if (set && [...$("set").options].some((option) => option.value === set)) {
    state.asked = { name: set, bytes: null };
    $("set").value = set;
  }
  try {
    show(text ? JSON.parse(text) : {});
    return true;
  } catch {
    show({});
    return false;
  }
}

export function link() {
  const asked = Object.fromEntries(READING.map((id) => [id, $(id).value]).filter(([id, value]) => value !== $(id).dataset.first));
  const text = JSON.stringify({ ...settings(), ...asked });
  return `${location.origin}${location.pathname}#${encodeURIComponent(`${state.source.name}&${text}`)}`;
}

/** Opens a table, as the controls say; the new rows stay where the same one starts again. */
export function open(source, isRestart = false) {
  tell("");
  state.asked = source;
  send("open", { ...source, reading: reading(), settings: settings(), isRestart });
}

export function tell(text) {
  $("message").textContent = text;
  $("message").hidden = !text;
}
