// Marks as pixels: a mark is drawn once and taken apart into pixels, which are then laid into an array where each row
// is. Thousands of marks cost one call of the canvas for a picture, with or without a graphics card.

/** Places between two pixels, along each axis, for which a mark is drawn: what moves slowly moves evenly. */
const PHASES = 4;
/** Pixels around the picture, so that a mark may stick out of it. */
const MARGIN = 48;

const scratch = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

/** A color of CSS as it lies in memory. */
function word(color) {
  scratch.canvas.width = scratch.canvas.height = 1;
  scratch.fillStyle = color;
  scratch.fillRect(0, 0, 1, 1);
  return new Int32Array(scratch.getImageData(0, 0, 1, 1).data.buffer)[0];
}

/** An opaque picture of one size on one color of paper. */
export class Pixels {
  constructor(width, height, paper) {
    this.width = width;
    this.height = height;
    this.key = `${width} ${height} ${paper}`;
    this.stride = width + 2 * MARGIN;
    this.image = new ImageData(this.stride, height + 2 * MARGIN);
    // With a sign: a number beyond 31 bits is slower to compute with.
    this.words = new Int32Array(this.image.data.buffer);
    this.paper = word(paper);
    this.marks = new Map();
  }

  clear() {
    this.words.fill(this.paper);
  }

  /** A mark that `draw(context)` draws about (0, 0), at most `radius` pixels from there; drawn once for a name. */
  mark(name, radius, draw) {
    let mark = this.marks.get(name);
    if (!mark) {
      const phases = Array.from({ length: PHASES * PHASES }, (_, phase) =>
        this.#apart(radius, (context) => {
          context.translate((phase % PHASES) / PHASES, Math.floor(phase / PHASES) / PHASES);
          draw(context);
        }),
      );
      this.marks.set(name, (mark = phases));
    }
    return mark;
  }

  /** The pixels of a drawing: where each lies, and what it does to the color that it lies on. */
  #apart(radius, draw) {
    const half = Math.min(MARGIN - 2, Math.ceil(radius) + 1);
    const size = 2 * half + 1;
    scratch.canvas.width = scratch.canvas.height = size;
    // The middle of a row's mark is the middle of a pixel.
    scratch.setTransform(1, 0, 0, 1, half + 0.5, half + 0.5);
    draw(scratch);
    const { data } = scratch.getImageData(0, 0, size, size);
    const at = [...Array(size * size).keys()].filter((i) => data[4 * i + 3]);
    const offset = Int32Array.from(at, (i) => (Math.floor(i / size) - half) * this.stride + (i % size) - half);
    const share = Int32Array.from(at, (i) => Math.round((256 * data[4 * i + 3]) / 255));
    const part = (i, channel, k) => (data[4 * at[i] + channel] * k) >> 8;
    return {
      offset,
      // Red and blue, and green, times the share; the paper keeps the rest.
      redBlue: share.map((k, i) => part(i, 0, k) | (part(i, 2, k) << 16)),
      green: share.map((k, i) => part(i, 1, k) << 8),
      rest: share.map((k) => 256 - k),
    };
  }

  /** Lays a mark where (x, y) is; nothing where that lies outside. */
  stamp(mark, x, y) {
    const [fourX, fourY] = [Math.round(PHASES * (x - 0.5)), Math.round(PHASES * (y - 0.5))];
    const [left, top] = [Math.floor(fourX / PHASES), Math.floor(fourY / PHASES)];
    if (!(left >= -1 && top >= -1 && left <= this.width && top <= this.height)) return;
    const { offset, redBlue, green, rest } = mark[(fourY - PHASES * top) * PHASES + fourX - PHASES * left];
    const { words } = this;
    const base = (top + MARGIN) * this.stride + left + MARGIN;
    for (let i = 0; i < offset.length; i++) {
      const at = base + offset[i];
      const below = words[at];
      const k = rest[i];
      words[at] =
        0xff000000 |
        ((redBlue[i] + (Math.imul(below & 0xff00ff, k) >>> 8)) & 0xff00ff) |
        ((green[i] + (Math.imul(below & 0xff00, k) >>> 8)) & 0xff00);
    }
  }

  /** Shows it on a canvas of its size. */
  show(context) {
    context.putImageData(this.image, -MARGIN, -MARGIN, MARGIN, MARGIN, this.width, this.height);
  }
}
