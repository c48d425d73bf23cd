// The worker of the page: owns the table and the fit, which are Rust; passes messages on.
import init, { Page } from "./burn_nca_web.js";

const ready = init();
let page = null;
let playing = false;
let axes = 2;
let measuredAt = 0;

const reply = (kind, body, transfer = []) => postMessage({ kind, ...body }, transfer);

/** Sends where every row stands; accuracies too, at most a few times a second. */
function show(slice, force) {
  const points = page.points(axes);
  const now = performance.now();
  let more = {};
  if (force || now - measuredAt > 150) {
    more = { measures: JSON.parse(page.measures()), weights: JSON.parse(page.weights()) };
    // Measuring a large table may take longer than a step: then it is done less often.
    measuredAt = performance.now() + 3 * (performance.now() - now);
  }
  reply("slice", { slice, points, ...more }, [points.buffer]);
}

function advance(milliseconds) {
  const slice = JSON.parse(page.advance(milliseconds));
  if (slice.ended) playing = false;
  show(slice, Boolean(slice.ended) || milliseconds === 0);
  return slice;
}

function loop() {
  if (!playing || !page) return;
  attempt(() => advance(30));
  // A message may come in between two slices.
  setTimeout(loop, 0);
}

function attempt(work) {
  try {
    work();
  } catch (error) {
    playing = false;
    reply("failed", { text: String(error.message ?? error) });
  }
}

function opened(settings) {
  axes = settings.dim;
  reply("opened", {
    table: JSON.parse(page.table()),
    labels: page.labels(),
    heldOut: page.held_out(),
    rows: page.rows(),
    baselines: JSON.parse(page.baselines()),
    playing,
  });
  show(JSON.parse(page.slice()), true);
}

const answers = {
  open({ name, bytes, reading, settings }) {
    playing = false;
    const next = new Page(name, bytes ? new Uint8Array(bytes) : undefined, JSON.stringify(reading), JSON.stringify(settings));
    page?.free();
    page = next;
    opened(settings);
  },
  change({ settings, anew }) {
    page.change(JSON.stringify(settings));
    axes = settings.dim;
    if (anew) opened(settings);
    else show(JSON.parse(page.slice()), true);
  },
  play() {
    if (!playing) {
      playing = true;
      loop();
    }
  },
  pause() {
    playing = false;
    measuredAt = 0;
    show(null, true);
  },
  step() {
    playing = false;
    advance(0);
  },
  pick({ row }) {
    reply("picked", { row, choice: JSON.parse(page.neighbourhood(row)) });
  },
  place({ cells }) {
    const [point, choice] = JSON.parse(page.place(cells));
    reply("placed", { point, choice });
  },
  out({ what }) {
    if (what === "model") reply("out", { what, bytes: page.model_zip() });
    if (what === "matrix") reply("out", { what, text: page.matrix_csv() });
  },
};

onmessage = async ({ data }) => {
  try {
    await ready;
  } catch (error) {
    reply("failed", { text: `WebAssembly could not be loaded: ${error.message ?? error}` });
    return;
  }
  attempt(() => answers[data.kind](data));
};
ready.then(() => reply("ready", {}), () => {});
