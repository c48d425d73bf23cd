// The worker of the page: owns the table and the fit, which are Rust; passes messages on.
import init, { Page } from "./burn_nca_web.js";

const ready = init();
let page = null;
let playing = false;
let axes = 2;
let measuredAt = 0;
let given = null; // the new rows, as the page sent them

const reply = (kind, body, transfer = []) => postMessage({ kind, ...body }, transfer);
const placed = () => JSON.parse(page.new_choices());

/** Where every row is; accuracies too, at most a few times a second. */
function standing(slice, force) {
  const points = page.points(axes);
  const now = performance.now();
  let more = {};
  if (force || now - measuredAt > 150) {
    more = { measures: JSON.parse(page.measures()), weights: JSON.parse(page.weights()), placed: placed() };
    // Measuring a large table may take longer than a step: then it is done less often.
    measuredAt = performance.now() + 3 * (performance.now() - now);
  }
  return { slice, points, playing, ...more };
}

function show(slice, force) {
  const body = standing(slice, force);
  reply("slice", body, [body.points.buffer]);
}

function advance(milliseconds) {
  const slice = JSON.parse(page.advance(milliseconds));
  if (slice.ended) playing = false;
  show(slice, Boolean(slice.ended) || milliseconds === 0);
}

// A message of the page may come in between two slices. A timer would wait for some milliseconds, a port does not.
const turn = new MessageChannel();
let waiting = false;

function goOn() {
  if (waiting || !playing) return;
  waiting = true;
  turn.port2.postMessage(null);
}
turn.port1.onmessage = () => {
  waiting = false;
  if (!playing || !page) return;
  attempt(() => advance(30), true);
  goOn();
};

/** Does some work; an error is said in words, and ends the fit if it is the fit's. */
function attempt(work, ends) {
  try {
    work();
  } catch (error) {
    if (ends) playing = false;
    reply("failed", { text: String(error.message ?? error), playing });
  }
}

function put(rows) {
  if (rows.bytes) page.add_file(rows.name, new Uint8Array(rows.bytes));
  else page.add_cells(rows.cells);
  given = rows;
}

function opened(settings, isAnother) {
  axes = settings.dim;
  // One message: a table is never on the page with the points of the one before.
  const first = standing(JSON.parse(page.slice()), true);
  const body = {
    first,
    isAnother,
    table: JSON.parse(page.table()),
    labels: page.labels(),
    heldOut: page.held_out(),
    rows: page.rows(),
    baselines: JSON.parse(page.baselines()),
    placed: placed(),
  };
  reply("opened", body, [first.points.buffer]);
}

const answers = {
  open({ name, bytes, reading, settings, isRestart }) {
    playing = false;
    const next = new Page(name, bytes ? new Uint8Array(bytes) : undefined, JSON.stringify(reading), JSON.stringify(settings));
    page?.free();
    page = next;
    if (isRestart && given) put(given);
    else given = null;
    opened(settings, true);
  },
  change({ settings, restart }) {
    page.change(JSON.stringify(settings));
    axes = settings.dim;
    if (restart) opened(settings, false);
    else show(JSON.parse(page.slice()), true);
  },
  play() {
    playing = true;
    goOn();
  },
  pause() {
    playing = false;
    show(null, true);
  },
  step() {
    playing = false;
    advance(0);
  },
  pick({ row }) {
    reply("picked", { row, choice: JSON.parse(page.neighborhood(row)) });
  },
  put(rows) {
    put(rows);
    reply("placed", { placed: placed() });
    show(null, false);
  },
  takeOut() {
    page.remove_rows();
    given = null;
    reply("placed", { placed: placed() });
    show(null, false);
  },
  out({ what }) {
    if (what === "model") reply("out", { what, bytes: page.model_zip() });
    if (what === "matrix") reply("out", { what, text: page.matrix_csv() });
  },
};

/** What the fit cannot continue after, if it fails. */
const OF_THE_FIT = new Set(["open", "change", "step"]);

onmessage = async ({ data }) => {
  try {
    await ready;
  } catch (error) {
    reply("failed", { text: `WebAssembly could not be loaded: ${error.message ?? error}`, playing });
    return;
  }
  attempt(() => answers[data.kind](data), OF_THE_FIT.has(data.kind));
  reply("answered", {});
};
ready.then(() => reply("ready", {}), () => {});
