//! Drawing with soft-edged ellipses, in arithmetic that every machine rounds alike.

use image::{GrayImage, Luma};

use super::elementary::sin_cos;

/// An ellipse in pixels of the picture, x to the right and y down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ellipse {
    pub center: [f64; 2],
    /// Half width and half height.
    pub radii: [f64; 2],
    /// Clockwise turn in degrees.
    pub turn: f64,
}

impl Ellipse {
    pub(super) fn new(x: f64, y: f64, half_width: f64, half_height: f64) -> Self {
        Self { center: [x, y], radii: [half_width, half_height], turn: 0.0 }
    }

    pub(super) fn turned(self, degrees: f64) -> Self {
        Self { turn: degrees, ..self }
    }

    /// The share of each pixel that is inside, 0..1, with an edge of about one pixel.
    fn coverage(self) -> impl Fn(u32, u32) -> f64 {
        let (sine, cosine) = sin_cos(self.turn.to_radians());
        let ([cx, cy], [a, b]) = (self.center, self.radii);
        // Outside of this box nothing is covered.
        let reach = a.max(b) + 1.0;
        move |x, y| {
            let (dx, dy) = (f64::from(x) - cx, f64::from(y) - cy);
            if dx.abs() > reach || dy.abs() > reach {
                return 0.0;
            }
            let across = (dx * cosine + dy * sine) / a;
            let along = (dy * cosine - dx * sine) / b;
            let radius = (across * across + along * along).sqrt();
            // The first-order distance to the rim: (r - 1) over the length of the gradient of r.
            let slope = if radius > 0.0 {
                let (u, v) = (across / (a * radius), along / (b * radius));
                (u * u + v * v).sqrt()
            } else {
                1.0 / a.min(b)
            };
            (0.5 - (radius - 1.0) / slope).clamp(0.0, 1.0)
        }
    }
}

/// A square picture in the making, gray from 0 to 255.
pub(super) struct Sketch {
    size: u32,
    gray: Vec<f64>,
}

impl Sketch {
    pub(super) fn new(size: u32, ground: u8) -> Self {
        Self { size, gray: vec![f64::from(ground); (size * size) as usize] }
    }

    /// Fills an ellipse with one gray; `opacity` 1 hides what is below.
    pub(super) fn fill(&mut self, ellipse: Ellipse, gray: f64, opacity: f64) {
        self.fill_within(ellipse, gray, opacity, |_, _| true);
    }

    /// Fills the part of an ellipse where `within` holds.
    pub(super) fn fill_within(
        &mut self,
        ellipse: Ellipse,
        gray: f64,
        opacity: f64,
        within: impl Fn(f64, f64) -> bool,
    ) {
        let coverage = ellipse.coverage();
        self.blend(|x, y| {
            let inside = within(f64::from(x), f64::from(y));
            if inside { (opacity * coverage(x, y), gray) } else { (0.0, gray) }
        });
    }

    /// Multiplies the grays inside an ellipse by `1 + gain(x, y)`: light and shade.
    pub(super) fn shade(&mut self, ellipse: Ellipse, gain: impl Fn(f64, f64) -> f64) {
        let coverage = ellipse.coverage();
        for place in 0..self.gray.len() as u32 {
            let (x, y) = (place % self.size, place / self.size);
            let share = coverage(x, y);
            let gray = &mut self.gray[place as usize];
            *gray *= 1.0 + share * gain(f64::from(x), f64::from(y));
        }
    }

    fn blend(&mut self, paint: impl Fn(u32, u32) -> (f64, f64)) {
        for place in 0..self.gray.len() as u32 {
            let (share, paint) = paint(place % self.size, place / self.size);
            let gray = &mut self.gray[place as usize];
            *gray += share * (paint - *gray);
        }
    }

    pub(super) fn finish(self) -> GrayImage {
        GrayImage::from_fn(self.size, self.size, |x, y| {
            let gray = self.gray[(y * self.size + x) as usize];
            Luma([gray.round().clamp(0.0, 255.0) as u8])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipse_covers_its_area() {
        for (a, b, turn) in
            [(10.0, 10.0, 0.0), (14.0, 6.0, 0.0), (14.0, 6.0, 35.0), (3.0, 1.5, 10.0)]
        {
            let coverage = Ellipse::new(31.3, 30.8, a, b).turned(turn).coverage();
            let pixels = (0..64).flat_map(|y| (0..64).map(move |x| (x, y)));
            let area: f64 = pixels.map(|(x, y)| coverage(x, y)).sum();
            let expected = std::f64::consts::PI * a * b;
            assert!((area / expected - 1.0).abs() < 0.05, "{a} {b} {turn}: {area} {expected}");
        }
    }

    #[test]
    fn a_turn_is_clockwise() {
        let coverage = Ellipse::new(32.0, 32.0, 20.0, 3.0).turned(45.0).coverage();
        // Clockwise with y down: the right end of a lying ellipse goes down.
        assert!(coverage(44, 44) == 1.0 && coverage(44, 20) == 0.0);
    }
}
