"use strict";
(() => {
  const root = document.documentElement;
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const element = (id) => document.getElementById(id);
  root.classList.add("js");

  // Data reach the page as text only, never as markup.
  function fillLines(target, lines) {
    target.replaceChildren(...lines.map((line, place) => {
      const row = document.createElement("div");
      row.appendChild(place === 0 ? document.createElement("b") : document.createElement("span")).textContent = line;
      return row;
    }));
  }

  function scatter({ points, scale, height, line, classes, color, parts: split }) {
    // MORE is p of a class, or the value itself.
    const [X, Y, CLASS, PREDICTED, MORE, PART, ROW] = [0, 1, 2, 3, 4, 5, 6];
    const svg = element("points"), frame = svg.parentElement, tip = element("tip"), bar = element("scale");
    const whole = { x: 0, y: 0, w: 1000, h: height };
    let view = { ...whole }, chosen = -1;
    const hidden = new Set(), parts = [true, true];
    const rules = document.head.appendChild(document.createElement("style"));
    // Next to the drawing, not in it: moving it must not lay thousands of marks out again.
    const ring = frame.appendChild(document.createElement("span"));
    ring.className = "ring";
    ring.hidden = true;

    const shown = (point) => parts[point[PART]] && !hidden.has(point[CLASS]);
    const inView = (point) => point[X] >= view.x && point[X] <= view.x + view.w && point[Y] >= view.y && point[Y] <= view.y + view.h;

    function choose(index) {
      chosen = index;
      tip.hidden = ring.hidden = index < 0;
      if (index < 0) return;
      const point = points[index], part = point[PART] ? ", held out" : ", training";
      const lines = [`Row ${point[ROW]}${split ? part : ""}`];
      if (classes) {
        lines.push(`class ${classes[point[CLASS]]}`);
        if (point[PREDICTED] >= 0) {
          lines.push(point[PREDICTED] === point[CLASS] ? "predicted right" : `predicted ${classes[point[PREDICTED]]}`);
        }
        if (point[MORE] !== null) lines.push(`p = ${point[MORE].toFixed(3)}`);
      } else if (color !== "row") {
        lines.push(`${color} ${point[MORE]}`);
        if (point[PREDICTED] !== null) lines.push(`predicted ${point[PREDICTED]}`);
      }
      fillLines(tip, lines);
      const box = frame.getBoundingClientRect();
      const left = (point[X] - view.x) / view.w * box.width, top = (point[Y] - view.y) / view.h * box.height;
      const across = left > box.width / 2 ? left - tip.offsetWidth - 14 : left + 14;
      const down = Math.min(Math.max(top - tip.offsetHeight / 2, 4), box.height - tip.offsetHeight - 4);
      tip.style.left = `${Math.max(across, 0)}px`;
      tip.style.top = `${down}px`;
      ring.style.left = `${left}px`;
      ring.style.top = `${top}px`;
    }

    function nearest(event, reach) {
      const box = frame.getBoundingClientRect();
      const wide = box.width / view.w, high = box.height / view.h;
      const x = view.x + (event.clientX - box.left) / wide, y = view.y + (event.clientY - box.top) / high;
      let best = -1, least = reach * reach;
      for (let index = 0; index < points.length; index += 1) {
        const point = points[index], apart = ((point[X] - x) * wide) ** 2 + ((point[Y] - y) * high) ** 2;
        // The later of two equals lies on top.
        if (apart <= least && shown(point)) { best = index; least = apart; }
      }
      return best;
    }

    function setView(next) {
      const w = Math.min(next.w, whole.w), h = line ? height : w * height / whole.w;
      view = {
        w, h,
        x: Math.min(Math.max(next.x, 0), whole.w - w),
        y: line ? 0 : Math.min(Math.max(next.y, 0), height - h),
      };
      svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
      frame.classList.toggle("zoomed", w < whole.w);
      const rough = 0.1 * view.w / scale, power = 10 ** Math.floor(Math.log10(rough)), lead = rough / power;
      const length = power * (lead < Math.SQRT2 ? 1 : lead < Math.sqrt(10) ? 2 : lead < Math.sqrt(50) ? 5 : 10);
      bar.style.width = `${100 * length * scale / view.w}%`;
      bar.firstElementChild.textContent = `distance ${Number(length.toPrecision(1))}`;
      if (chosen >= 0) choose(inView(points[chosen]) ? chosen : -1);
    }

    function zoom(factor, across = 0.5, down = 0.5) {
      const w = Math.min(Math.max(view.w / factor, 5), whole.w), h = line ? height : w * height / whole.w;
      setView({ w, x: view.x + (view.w - w) * across, y: view.y + (view.h - h) * down });
    }

    function refresh() {
      rules.textContent = [...hidden].map((place) => `.frame .k${place}`).join(",") + (hidden.size ? "{display:none}" : "");
      svg.classList.toggle("hide-train", !parts[0]);
      svg.classList.toggle("hide-test", !parts[1]);
      document.querySelectorAll(".legend button").forEach((button) => {
        button.setAttribute("aria-pressed", String(!hidden.has(Number(button.dataset.class))));
      });
      if (chosen >= 0 && !shown(points[chosen])) choose(-1);
    }

    document.querySelector(".legend").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const place = Number(button.dataset.class);
      if (event.shiftKey) {
        const alone = !hidden.has(place) && hidden.size === classes.length - 1;
        hidden.clear();
        if (!alone) classes.forEach((_, other) => other !== place && hidden.add(other));
      } else if (!hidden.delete(place)) {
        hidden.add(place);
      }
      refresh();
    });
    ["show-train", "show-test"].forEach((id, part) => element(id)?.addEventListener("change", (event) => {
      parts[part] = event.target.checked;
      refresh();
    }));
    element("mark-wrong")?.addEventListener("change", (event) => svg.classList.toggle("mark-wrong", event.target.checked));
    element("zoom-in").addEventListener("click", () => zoom(1.6));
    element("zoom-out").addEventListener("click", () => zoom(1 / 1.6));
    element("zoom-reset").addEventListener("click", () => setView(whole));
    svg.addEventListener("wheel", (event) => {
      // The bare wheel belongs to the page.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = frame.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY * 0.003), (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    }, { passive: false });

    let grip = null;
    svg.addEventListener("pointerdown", (event) => {
      choose(nearest(event, 24));
      if (view.w >= whole.w || event.button !== 0) return;
      grip = { x: event.clientX, y: event.clientY, view };
      svg.setPointerCapture(event.pointerId);
      svg.classList.add("dragging");
    });
    svg.addEventListener("pointermove", (event) => {
      if (!grip) {
        const index = nearest(event, 16);
        if (index !== chosen) choose(index);
        return;
      }
      setView({
        w: view.w,
        x: grip.view.x - (event.clientX - grip.x) / frame.clientWidth * view.w,
        y: grip.view.y - (event.clientY - grip.y) / frame.clientHeight * view.h,
      });
    });
    const letGo = () => { grip = null; svg.classList.remove("dragging"); };
    svg.addEventListener("pointerup", letGo);
    svg.addEventListener("pointercancel", letGo);
    svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && choose(-1));
    svg.addEventListener("blur", () => choose(-1));

    // Left and right walk through the visible points by place across, up and down by place along.
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: [X, 1], ArrowLeft: [X, -1], ArrowDown: [Y, 1], ArrowUp: [Y, -1] }[event.key];
      if (event.key === "Escape") { choose(-1); return; }
      if (event.key === "+" || event.key === "-") { zoom(event.key === "+" ? 1.6 : 1 / 1.6); return; }
      if (!step) return;
      event.preventDefault();
      const [axis, direction] = step;
      const order = points.map((_, index) => index).filter((index) => shown(points[index]) && inView(points[index]))
        .sort((a, b) => points[a][axis] - points[b][axis] || a - b);
      if (!order.length) return;
      const start = chosen < 0 ? (direction > 0 ? -1 : order.length) : order.indexOf(chosen);
      choose(order[Math.min(Math.max(start + direction, 0), order.length - 1)]);
    });
  }

  function curve(rows) {
    const figure = element("curve-plot"), values = element("curve-values"), cursors = figure.querySelectorAll(".cursor");
    const charts = figure.querySelector(".chart"), first = rows[0][0], last = rows[rows.length - 1][0];
    let chosen = -1;
    function choose(index) {
      chosen = index;
      cursors.forEach((cursor) => {
        cursor.hidden = index < 0;
        if (index >= 0) cursor.style.left = `${100 * (rows[index][0] - first) / (last - first)}%`;
      });
      if (index < 0) { values.textContent = ""; return; }
      const [iteration, value, heldOut, gradient] = rows[index];
      values.textContent = `${iteration}: ` + [["value", value], ["held out", heldOut], ["gradient", gradient]]
        .filter(([, number]) => number !== null).map(([name, number]) => `${name} ${number}`).join(", ");
    }
    figure.addEventListener("pointermove", (event) => {
      const box = charts.getBoundingClientRect(), at = first + (event.clientX - box.left) / box.width * (last - first);
      let best = 0;
      rows.forEach((row, index) => { if (Math.abs(row[0] - at) < Math.abs(rows[best][0] - at)) best = index; });
      choose(best);
    });
    figure.addEventListener("pointerleave", () => choose(-1));
    figure.addEventListener("blur", () => choose(-1));
    figure.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      choose(Math.min(Math.max(chosen < 0 ? (step > 0 ? 0 : rows.length - 1) : chosen + step, 0), rows.length - 1));
    });
  }

  // The fit once more: the strokes of each class move from step to step.
  function replay({ groups, frames }) {
    const svg = element("replay-points"), slider = element("replay-step"), play = element("replay-play");
    const now = element("replay-now"), cursor = element("replay-cursor"), last = frames.length - 1;
    const paths = [...svg.querySelectorAll("[data-group]")].map((path) => [path, groups[path.dataset.group]]);
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    const perStep = Math.min(Math.max(7000 / last, 140), 700);
    let at = Number(slider.value), clock = null, shown = -1;

    // The places between two steps, when it plays.
    function draw(position) {
      at = Math.min(Math.max(position, 0), last);
      const step = Math.floor(at), part = at - step, from = frames[step][2], to = frames[Math.min(step + 1, last)][2];
      const strokes = groups.map(([start, end]) => {
        let stroke = "";
        for (let place = 2 * start; place < 2 * end; place += 2) {
          const x = from[place] + part * (to[place] - from[place]), y = from[place + 1] + part * (to[place + 1] - from[place + 1]);
          stroke += `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
        }
        return stroke;
      });
      paths.forEach(([path]) => path.setAttribute("d", strokes[path.dataset.group]));
      cursor.style.left = `${100 * at / last}%`;
      if (step === shown) return;
      shown = step;
      [now.firstElementChild.textContent, now.lastElementChild.textContent] = frames[step];
      slider.value = step;
      slider.setAttribute("aria-valuetext", now.textContent);
    }
    function stop() {
      cancelAnimationFrame(clock);
      clock = null;
      play.textContent = "Play";
      play.setAttribute("aria-label", "Play the fit");
    }
    function start() {
      const begun = performance.now(), first = at >= last ? 0 : at;
      play.textContent = "Pause";
      play.setAttribute("aria-label", "Pause the fit");
      const tick = (time) => {
        const position = first + Math.max(time - begun, 0) / perStep;
        draw(still.matches ? Math.floor(position) : position);
        if (at >= last) stop(); else clock = requestAnimationFrame(tick);
      };
      clock = requestAnimationFrame(tick);
    }
    play.addEventListener("click", () => (clock === null ? start() : stop()));
    slider.addEventListener("input", () => { stop(); draw(Number(slider.value)); });
    draw(at);
  }

  if (data.scatter) scatter(data.scatter);
  if (data.replay) replay(data.replay);
  if (element("curve-plot")) curve(data.curve);
  element("copy").addEventListener("click", async (event) => {
    const button = event.target;
    try {
      await navigator.clipboard.writeText(element("command").textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(element("command"));
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
})();
