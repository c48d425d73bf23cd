// What the page says in words, numbers and curves; nothing is computed here.
import { css, curve, markSvg } from "./draw.js";
import { $, likely, state } from "./state.js";

const percent = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`);

function element(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}

function list(id, texts) {
  $(id).hidden = !texts.length;
  $(id).replaceChildren(...texts.map((text) => element("li", text)));
}

/** Everything that changes while a map is learned. */
export function say() {
  if (!state.table) return;
  status();
  curves();
  scores();
  weights();
  chosen();
  newRows();
}

function status() {
  const { slice, measures, table } = state;
  const parts = [`${table.rows} rows, ${table.features.length} features, ${table.classes.length} classes.`];
  parts.push(slice.iteration ? `Step ${slice.iteration}: objective ${slice.value.toPrecision(6)}, held-out accuracy ${percent(measures.test)}.` : `At the start: held-out accuracy ${percent(measures.test)}.`);
  if (slice.stepMs) parts.push(`${slice.stepMs < 10 ? slice.stepMs.toFixed(1) : Math.round(slice.stepMs)} ms a step.`);
  if (slice.ended) parts.push(slice.ended);
  if (measures.collapse) parts.push(`Careful, ${state.collapsedAt ? `since step ${state.collapsedAt}` : "from the start"}: ${measures.collapse}.`);
  $("status").textContent = parts.join(" ");
}

function scores() {
  const learned = { name: "NCA", dim: $("map").value === "diagonal" ? state.table.features.length : Number($("dim").value), ...state.measures };
  $("scores").tBodies[0].replaceChildren(
    ...[...state.baselines, learned].map((row) => {
      const line = document.createElement("tr");
      if (row === learned) line.className = "learned";
      line.append(...[row.name, row.dim, percent(row.train), percent(row.test)].map((text) => element("td", text)));
      return line;
    }),
  );
}

function weights() {
  const most = Math.max(...state.weights.map(([, weight]) => weight), 1e-12);
  $("weights").replaceChildren(
    ...state.weights.slice(0, 40).map(([name, weight]) => {
      const item = document.createElement("li");
      const [label, bar] = [element("span", name), document.createElement("i")];
      label.title = name;
      bar.style.width = `${(100 * weight) / most}%`;
      item.append(label, bar, element("span", weight.toPrecision(3)));
      return item;
    }),
  );
  if (!state.weights.length) $("weights").textContent = "A network has no weight for each feature.";
}

/** The likeliest classes, with their probabilities. */
function shares(classes) {
  const order = classes.map((p, label) => [p, label]).sort((a, b) => b[0] - a[0]);
  return order.slice(0, 3).map(([p, label]) => `${state.table.classes[label]}: ${p.toFixed(3)}`).join(", ");
}

function nameOf(row) {
  const { labels, heldOut, rows, table, placed } = state;
  if (row >= labels.length) return placed.rows.length > 1 ? `New row ${placed.rows[row - labels.length] + 1}` : "The new row";
  return `Row ${rows[row] + 1}, ${table.classes[labels[row]]}${heldOut[row] ? ", held out" : ""}`;
}

function chosen() {
  const { picked } = state;
  if (!picked) return void ($("chosen").textContent = "");
  const { row, choice } = picked;
  $("chosen").textContent = `${nameOf(row)}: chooses ${choice.perplexity.toFixed(1)} neighbors in effect; ${shares(choice.classes)}.`;
}

/** New rows that are listed; the picture shows all. */
const LISTED = 100;

function newRows() {
  const { rows, classes, remarks } = state.placed;
  const texts = classes.slice(0, LISTED).map((p, i) => (rows.length > 1 ? `Row ${rows[i] + 1}: ${shares(p)}` : shares(p)));
  if (rows.length > LISTED) texts.push(`… and ${rows.length - LISTED} more in the picture.`);
  list("placed", [...texts, ...remarks]);
  $("takeOut").hidden = !rows.length;
}

/** What was done to the table, a sentence each. */
export const remarks = (texts) => list("remarks", texts);

export function legend() {
  $("legend").replaceChildren(
    ...state.table.classes.map((name, label) => {
      const item = document.createElement("li");
      item.innerHTML = `<svg viewBox="-7 -7 14 14" aria-hidden="true">${markSvg(label, 0, 0, 5, false)}</svg>`;
      item.append(`${name} (${state.table.counts[label]})`);
      return item;
    }),
  );
}

export function curves() {
  const accent = css("--accent");
  const levels = state.baselines.filter(({ test, train }) => (test ?? train) !== null).map(({ name, test, train }) => ({ name, y: test ?? train }));
  curve($("accuracy"), {
    series: [
      { points: state.accuracy.train, color: accent, width: 1 },
      { points: state.accuracy.test, color: accent, width: 2.5 },
    ],
    levels,
    format: (value) => `${(100 * value).toFixed(0)} %`,
    moment: state.collapsedAt === null ? null : { x: state.collapsedAt, name: "collapse" },
  });
  curve($("objective"), { series: [{ points: state.objective, color: accent, width: 2 }], format: (value) => String(Number(value.toPrecision(4))) });
}

/** In words for those who do not see the picture. */
export function placedInWords() {
  const { rows, classes } = state.placed;
  if (rows.length === 1) return `The new row is in the picture. ${shares(classes[0])}.`;
  const counts = new Map();
  for (const label of likely()) counts.set(label, (counts.get(label) ?? 0) + 1);
  const parts = [...counts].sort((a, b) => b[1] - a[1]).map(([label, count]) => `${count} ${state.table.classes[label]}`);
  return `${rows.length} new rows are in the picture; most likely ${parts.join(", ")}.`;
}
