(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const faces = data.faces, [X, Y, ROTATION, HEIGHT, SAID_ROTATION, SAID_HEIGHT] = [0, 1, 2, 3, 4, 5];
  const picture = document.getElementById("face"), values = document.getElementById("values");
  const plots = [...document.querySelectorAll("main svg")];
  const rows = Math.ceil(faces.length / data.columns);
  let chosen = -1;
  picture.style.backgroundSize = `${100 * data.columns}% ${100 * rows}%`;

  function choose(face) {
    chosen = face;
    const across = face % data.columns, down = Math.floor(face / data.columns);
    const share = (place, count) => (count > 1 ? (100 * place) / (count - 1) : 0);
    picture.style.backgroundImage = `url(${document.getElementById("sprite").src})`;
    picture.style.backgroundPosition = `${share(across, data.columns)}% ${share(down, rows)}%`;
    const turn = (degrees) => `${Math.abs(degrees).toFixed(1)}° ${degrees < 0 ? "left" : "right"}`;
    const lines = [
      ["rotation", turn(faces[face][ROTATION])],
      ["by neighbors", turn(faces[face][SAID_ROTATION])],
      ["size", `${faces[face][HEIGHT].toFixed(1)} pixels`],
      ["by neighbors", `${faces[face][SAID_HEIGHT].toFixed(1)} pixels`],
    ];
    values.replaceChildren(...lines.flatMap(([name, text]) => {
      const term = document.createElement("dt"), value = document.createElement("dd");
      term.textContent = name;
      value.textContent = text;
      return [term, value];
    }));
    for (const plot of plots) {
      const ring = plot.querySelector(".ring");
      ring.setAttribute("cx", faces[face][X]);
      ring.setAttribute("cy", faces[face][Y]);
      ring.setAttribute("visibility", "visible");
    }
  }

  function nearest(plot, event) {
    const box = plot.getBoundingClientRect(), scale = data.side / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    let best = -1, least = 30 * 30;
    faces.forEach((face, index) => {
      const apart = (face[X] - x) ** 2 + (face[Y] - y) ** 2;
      if (apart < least) [best, least] = [index, apart];
    });
    return best;
  }

  for (const plot of plots) {
    const follow = (event) => {
      const face = nearest(plot, event);
      if (face >= 0 && face !== chosen) choose(face);
    };
    plot.addEventListener("pointermove", follow);
    plot.addEventListener("pointerdown", follow);
    // Left and right walk through the faces by rotation, up and down by size.
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowRight: [ROTATION, 1], ArrowLeft: [ROTATION, -1], ArrowUp: [HEIGHT, 1], ArrowDown: [HEIGHT, -1] }[event.key];
      if (!step) return;
      event.preventDefault();
      const [by, direction] = step;
      const order = faces.map((_, index) => index).sort((a, b) => faces[a][by] - faces[b][by] || a - b);
      const place = chosen < 0 ? 0 : order.indexOf(chosen) + direction;
      choose(order[Math.min(Math.max(place, 0), order.length - 1)]);
    });
  }
  const start = location.hash.match(/^#face-(\d+)$/);
  if (start && Number(start[1]) < faces.length) choose(Number(start[1]));
})();
