#!/usr/bin/env python3
"""The experiment of this example in NumPy, with its gradient by hand: an independent check, and a quick search.

    python3 examples/face-pose/prototype.py IMAGES.idx.gz PEOPLE.csv --start-scale 5 > results/search/start-5.json

Differs from the program in details: bilinear sampling without averaging, heights of second faces cut at 24.5 pixels
instead of drawn again, two groups of people (1000 to test on), another random generator.
"""

import argparse
import gzip
import json
import time

import numpy as np
from scipy.spatial import cKDTree

WINDOW, HIDDEN, NOMINAL = 35, 100, 32
STEP = (np.arange(WINDOW) - (WINDOW - 1) / 2).astype(np.float32)
DOWN, ACROSS = (grid.ravel() for grid in np.meshgrid(STEP, STEP, indexing="ij"))


def render(faces, chosen, rotation, height, mirror=None):
    """Standardized windows of the chosen 64 x 64 faces."""
    scale = (NOMINAL / height).astype(np.float32)[:, None]
    turn = np.deg2rad(rotation)
    cosine, sine = (f(turn).astype(np.float32)[:, None] for f in (np.cos, np.sin))
    x, y = scale * (cosine * ACROSS + sine * DOWN), scale * (cosine * DOWN - sine * ACROSS)
    if mirror is not None:
        x = x * mirror[:, None]
    x, y = (np.clip(place + 31.5, 0, 62.999) for place in (x, y))
    left, top = x.astype(np.int32), y.astype(np.int32)
    right, bottom = x - left, y - top
    corner = chosen[:, None].astype(np.int64) * 4096 + top * 64 + left
    upper = faces[corner] + (faces[corner + 1] - faces[corner]) * right
    lower = faces[corner + 64] + (faces[corner + 65] - faces[corner + 64]) * right
    pixels = upper + (lower - upper) * bottom
    pixels -= pixels.mean(1, keepdims=True)
    return (pixels / (pixels.std(1, keepdims=True) + 1e-6)).astype(np.float32)


def forward(weights, pixels):
    hidden = 1 / (1 + np.exp(-(pixels @ weights[0] + weights[1])))
    return hidden, hidden @ weights[2] + weights[3]


def cost(z, weight, include_self):
    """Equation 8 over a batch (a mean over its pairs), and its gradient by z."""
    n = len(weight)
    square = (z**2).sum(1)
    kernel = np.exp(-np.maximum(square[:, None] + square - 2 * z @ z.T, 0))
    if not include_self:
        np.fill_diagonal(kernel, 0)
    total, apart = kernel.sum(), z[:n] - z[n:]
    value = (weight * (apart**2).sum(1)).sum() + weight.sum() * np.log(total)
    share = kernel / total
    gradient = -4 * weight.sum() * (share.sum(1)[:, None] * z - share @ z)
    gradient[:n] += 2 * weight[:, None] * apart
    gradient[n:] -= 2 * weight[:, None] * apart
    return value / n, gradient / n


def fit_polar(z, rotation, height):
    """c, a of z = c + (a + b (h - 30)) exp(i k rotation) by least squares, over a grid of k."""
    z, best = z[:, 0] + 1j * z[:, 1], (np.inf,)
    for winding in np.arange(-6, 6.01, 0.05):
        wave = np.exp(1j * winding * np.deg2rad(rotation))
        columns = np.stack([np.ones_like(wave), wave, wave * (height - 30)], 1)
        solution = np.linalg.lstsq(columns, z, rcond=None)[0]
        residual = (abs(columns @ solution - z) ** 2).sum()
        if residual < best[0]:
            best = (residual, solution[0], solution[1] / abs(solution[1]), np.sign(winding))
    return best[1:]


def correlations(fit, z, rotation, height):
    center, upright, sign = fit
    apart = z[:, 0] + 1j * z[:, 1] - center
    angle = sign * np.angle(apart / upright)
    return np.corrcoef(angle, rotation)[0, 1], np.corrcoef(abs(apart), height)[0, 1]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("images")
    parser.add_argument("people")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--pairs", type=int, default=256)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--start-scale", type=float, default=1.0)
    parser.add_argument("--exclude-self", action="store_true")
    parser.add_argument("--mirror", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def read(args):
    """Pixels of all faces, and the faces of training and of test people."""
    with gzip.open(args.images) as file:
        images = np.frombuffer(file.read(), np.uint8, offset=16)
    person = np.loadtxt(args.people, skiprows=1, dtype=int)
    rng = np.random.default_rng(args.seed)
    test = np.isin(person, rng.permutation(person.max() + 1)[:1000])
    return images.astype(np.float32) / 255, np.where(~test)[0], np.where(test)[0], rng


def draw_pairs(rng, train, args):
    n = args.pairs
    first, second = rng.choice(train, n), rng.choice(train, n)
    rotation, height = rng.uniform(-45, 45, n), rng.uniform(25, 35, n)
    turn, growth = rng.normal(0, 1.22, n), rng.normal(0, 1.5, n)
    other = np.maximum(height + growth, 24.5)
    growth = other - height
    weight = np.exp(-(turn**2) / (2 * 1.22**2) - growth**2 / (2 * 1.5**2)).astype(np.float32)
    mirror = rng.choice([-1, 1], 2 * n).astype(np.float32) if args.mirror else None
    pose = np.r_[rotation, rotation + turn], np.r_[height, other]
    return np.r_[first, second], pose, weight, mirror


def train(args, faces, chosen, rng):
    def uniform(rows, columns, scale):
        return (scale * rng.uniform(-1, 1, (rows, columns)) / np.sqrt(rows)).astype(np.float32)

    pixels = WINDOW * WINDOW
    weights = [uniform(pixels, HIDDEN, 1), np.zeros(HIDDEN, np.float32)]
    weights += [uniform(HIDDEN, 2, args.start_scale), np.zeros(2, np.float32)]
    mean, square = ([np.zeros_like(weight) for weight in weights] for _ in range(2))
    last = []
    for step in range(args.steps):
        people, pose, weight, mirror = draw_pairs(rng, chosen, args)
        x = render(faces, people, *pose, mirror)
        hidden, z = forward(weights, x)
        value, by_z = cost(z, weight, not args.exclude_self)
        by_hidden = (by_z @ weights[2].T) * hidden * (1 - hidden)
        gradients = [x.T @ by_hidden, by_hidden.sum(0), hidden.T @ by_z, by_z.sum(0)]
        rate = args.learning_rate * 0.5 * (1 + np.cos(np.pi * step / args.steps))
        for place, gradient in enumerate(gradients):
            mean[place] = 0.9 * mean[place] + 0.1 * gradient
            square[place] = 0.999 * square[place] + 0.001 * gradient**2
            spread = np.sqrt(square[place] / (1 - 0.999 ** (step + 1))) + 1e-8
            weights[place] -= (rate * mean[place] / (1 - 0.9 ** (step + 1)) / spread).astype(np.float32)
        last = (last + [value])[-500:]
    return weights, float(np.mean(last))


def main():
    args = arguments()
    faces, chosen, test, rng = read(args)
    started = time.time()
    weights, loss = train(args, faces, chosen, rng)
    seconds = time.time() - started

    def plane(pool, count, seed):
        draw = np.random.default_rng(seed)
        people, rotation = draw.choice(pool, count), draw.uniform(-45, 45, count)
        height = draw.uniform(25, 35, count)
        z = forward(weights, render(faces, people, rotation, height))[1].astype(float)
        return z, rotation, height

    known, asked = plane(chosen, 4000, 2), plane(test, 2000, 1)
    angle, radius = correlations(fit_polar(*known), *asked)
    near = cKDTree(known[0]).query(asked[0], 20)[1]
    error = [float(abs(known[pose][near].mean(1) - asked[pose]).mean()) for pose in (1, 2)]
    settings = {name: value for name, value in vars(args).items() if name not in ("images", "people")}
    found = {"loss": loss, "angle": angle, "radius": radius, "degrees": error[0], "pixels": error[1]}
    print(json.dumps({"settings": settings, **found, "seconds": round(seconds)}, indent=2))


if __name__ == "__main__":
    main()
