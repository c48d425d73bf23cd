// The page: what the worker says, what the user does, files. All that is computed is computed by the worker, in Rust.
import { $, READING, forgotten, fromLink, link, open, send, settings, show, state, tell, unlearned, worker } from "./state.js";
import { arrive, asSvg, rowAt } from "./picture.js";
import { legend, placedInWords, remarks } from "./words.js";
import "./tour.js";

// ---------------------------------------------------------------- what the worker says

const hears = {
  ready() {
    open(state.asked);
  },
  opened({ first, isAnother, table, labels, heldOut, rows, baselines, placed }) {
    Object.assign(state, { table, labels, rows, baselines, heldOut: new Uint8Array(labels.length), ...forgotten(), placed });
    heldOut.forEach((row) => (state.heldOut[row] = 1));
    state.turn = $("dim").value === "3" && $("map").value !== "diagonal" ? { x: 0.35, y: 0.5 } : { x: 0, y: 0 };
    if (isAnother) {
      state.source = state.asked;
      // Blank for a file of one's own.
      $("set").value = state.source.bytes ? "" : state.source.name;
      if (!placed.rows.length) $("cells").value = $("placedNote").textContent = "";
    }
    $("columns").replaceChildren(...table.cells.map((name) => new Option(name)));
    $("cells").placeholder = table.cells.slice(0, 4).join(", ") + (table.cells.length > 4 ? ", …" : "");
    remarks(table.remarks);
    tell("");
    legend();
    hears.slice(first);
  },
  slice({ slice, points, playing, measures, weights, placed }) {
    arrive(points);
    if (playing !== state.playing) play(playing);
    if (slice) {
      state.slice = slice;
      if (slice.value !== null) state.objective.push([slice.iteration, slice.value]);
    }
    if (measures) {
      Object.assign(state, { measures, weights, placed });
      const step = state.slice.iteration;
      state.collapsedAt = measures.collapse ? (state.collapsedAt ?? step) : null;
      if (measures.train !== null) state.accuracy.train.push([step, measures.train]);
      if (measures.test !== null) state.accuracy.test.push([step, measures.test]);
      if (state.picked) pick(state.picked.row);
    }
    state.unsaid = true;
  },
  picked(body) {
    Object.assign(state, { picked: body, stale: true, unsaid: true });
  },
  placed({ placed }) {
    Object.assign(state, { placed, picked: null, unsaid: true });
    tell("");
    $("placedNote").textContent = placed.rows.length ? placedInWords() : "";
    // One row shows whom it chooses; of more, the user chooses one.
    if (placed.rows.length === 1) pick(state.labels.length);
  },
  failed({ text, playing }) {
    play(playing);
    tell(text);
  },
  answered() {
    state.answered++;
  },
  out({ what, bytes, text }) {
    if (what === "model") save(`${stem()}-model.zip`, new Blob([bytes], { type: "application/zip" }));
    if (what === "matrix") save(`${stem()}-A.csv`, new Blob([text], { type: "text/csv" }));
  },
};
worker.onmessage = ({ data }) => hears[data.kind](data);
worker.onerror = (event) => tell(`The page's worker could not be started: ${event.message ?? "no reason given"}`);

// ---------------------------------------------------------------- controls

function play(on) {
  state.playing = on;
  $("play").textContent = on ? "Pause" : "Play";
  $("play").setAttribute("aria-pressed", String(on));
  // Read out when it stands still, not at every step.
  for (const id of ["status", "chosen"]) $(id).setAttribute("aria-live", on ? "off" : "polite");
}

const RESTARTS = new Set(["map", "dim", "hidden", "testSize"]);

function changed(id) {
  show({});
  Object.assign(state, unlearned());
  // A fit that runs continues, from its map or, where the map is another one now, from the beginning.
  send("change", { settings: settings(), restart: RESTARTS.has(id) });
}

$("controls").addEventListener("submit", (event) => event.preventDefault());
$("controls").addEventListener("change", ({ target }) => {
  if (target.id === "set") {
    $("file").value = $("target").value = "";
    return open({ name: target.value, bytes: null });
  }
  if (target.id === "file") return take(target, "table");
  if (READING.includes(target.id)) {
    return state.asked.bytes ? open(state.asked) : tell("A bundled set is ready as it is; this is for a file of your own.");
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
$("restart").addEventListener("click", () => open(state.source, true));

// ---------------------------------------------------------------- files and new rows

const MOST_BYTES = 256 << 20;

const takes = {
  table: (name, bytes) => open({ name, bytes }),
  rows(name, bytes) {
    $("newRows").open = true;
    send("put", { name, bytes }, [bytes]);
  },
};

/** Takes the first file of a control or of a drop. */
async function take({ files }, as) {
  const [file] = files;
  if (!file) return;
  if (file.size > MOST_BYTES) return tell(`${file.name} has ${Math.round(file.size / 2 ** 20)} MiB; this page takes 256. The program nca takes more.`);
  takes[as](file.name, await file.arrayBuffer());
}

$("rowsFile").addEventListener("change", async ({ target }) => {
  await take(target, "rows");
  // The same file again is a change too.
  target.value = "";
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    const zone = event.target.closest?.("[data-drop]");
    const leaves = kind === "drop" || (kind === "dragleave" && !event.relatedTarget);
    document.body.classList.toggle("dropping", !leaves && Boolean(state.table));
    document.querySelectorAll("[data-drop]").forEach((other) => other.classList.toggle("over", !leaves && other === zone));
    // Whatever is dropped outside the fields for new rows is a table.
    if (kind === "drop") take(event.dataTransfer, zone?.dataset.drop ?? "table");
  });
}
$("place").addEventListener("click", () => send("put", { cells: $("cells").value }));
$("cells").addEventListener("keydown", (event) => {
  if (event.key === "Enter") $("place").click();
});
$("takeOut").addEventListener("click", () => send("takeOut"));

// ---------------------------------------------------------------- the picture

const pick = (row) => send("pick", { row });

/** Turns a picture of three dimensions, by radians. */
function turn(across, down) {
  if ($("dim").value !== "3") return;
  state.turn = { x: state.turn.x + down, y: state.turn.y + across };
  state.stale = true;
}

let dragged = null;
$("picture").addEventListener("pointerdown", (event) => {
  dragged = { x: event.offsetX, y: event.offsetY, far: 0 };
});
$("picture").addEventListener("pointermove", (event) => {
  if (!dragged) return;
  const [dx, dy] = [event.offsetX - dragged.x, event.offsetY - dragged.y];
  dragged = { x: event.offsetX, y: event.offsetY, far: dragged.far + Math.abs(dx) + Math.abs(dy) };
  if (dragged.far > 4) turn(dx / 150, dy / 150);
});
window.addEventListener("pointerup", (event) => {
  const click = dragged && dragged.far <= 4 && event.target === $("picture");
  dragged = null;
  if (!click) return;
  const row = rowAt(event.offsetX, event.offsetY);
  if (row !== null) return pick(row);
  Object.assign(state, { picked: null, stale: true, unsaid: true });
});
$("picture").addEventListener("keydown", (event) => {
  const [across, down] = { ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowUp: [0, -1] }[event.key] ?? [0, 0];
  const by = across + down;
  const rows = state.labels.length + state.placed.rows.length;
  if (event.key === " ") $("play").click();
  else if (by && event.shiftKey) turn(across / 8, down / 8);
  else if (by && rows) pick(((state.picked?.row ?? -by) + by + rows) % rows);
  else return;
  event.preventDefault();
});

// ---------------------------------------------------------------- what is taken along

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
  svg: () => save(`${stem()}.svg`, new Blob([asSvg(`${stem()} by NCA`)], { type: "image/svg+xml" })),
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

if (!fromLink()) tell("The link's settings cannot be read; the page shows its own.");
