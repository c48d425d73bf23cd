"""Whether colors are distinguished, and seen, by people who see few of them: used by browser.py.

Kinds of color vision: Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB. Differences: CIEDE2000.
"""

from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

KINDS = {
    "all cones": [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "protanopia": [(0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)],
    "deuteranopia": [(0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)],
    "tritanopia": [(1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)],
}


def linear(color):
    """The linear RGB of "#rrggbb", 0..1."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def contrast(a, b):
    """The contrast ratio of WCAG, from 1."""
    high, low = sorted((0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05 for r, g, b in (linear(a), linear(b))), reverse=True)
    return high / low


def lab(color, kind):
    r, g, b = (min(1, max(0, sum(m * c for m, c in zip(row, linear(color))))) for row in KINDS[kind])
    xyz = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one, other):
    """CIEDE2000 of two colors of CIELAB; 2 is just seen."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (hypot(a1, b1) + hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * sqrt(mean**7 / (mean**7 + 25**7))
    (c1, h1), (c2, h2) = ((hypot(a * stretch, b), degrees(atan2(b, a * stretch)) % 360) for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0
    dl, dc, dh = l2 - l1, c2 - c1, 2 * sqrt(c1 * c2) * sin(radians(turn / 2))
    lightness, c, h = (l1 + l2) / 2, (c1 + c2) / 2, (h1 + turn / 2) % 360
    t = 1 - 0.17 * cos(radians(h - 30)) + 0.24 * cos(radians(2 * h)) + 0.32 * cos(radians(3 * h + 6)) - 0.2 * cos(radians(4 * h - 63))
    sl, sc, sh = 1 + 0.015 * (lightness - 50) ** 2 / sqrt(20 + (lightness - 50) ** 2), 1 + 0.045 * c, 1 + 0.015 * c * t
    rotation = -2 * sqrt(c**7 / (c**7 + 25**7)) * sin(radians(60 * exp(-(((h - 275) / 25) ** 2))))
    return sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rotation * dc / sc * dh / sh)


def nearest(colors):
    """The least difference of any two colors, and for which kind of color vision."""
    pairs = [(a, b) for i, a in enumerate(colors) for b in colors[:i]]
    return min((difference(lab(a, kind), lab(b, kind)), kind) for kind in KINDS for a, b in pairs)
