// NCA in five steps: each sets the controls and shows what its text says.
import { $, open, send, show } from "./state.js";

const RINGS = { map: "linear", dim: 2, criterion: "G", l2: "", testSize: 0.3, steps: 200 };
const pick = (row) => send("pick", { row });

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
  show({ set: name, ...values });
  open({ name, bytes: null });
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
