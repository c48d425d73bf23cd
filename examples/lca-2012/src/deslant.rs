//! Images sheared so that they stand upright.

use std::ops::Range;

/// Shears an image so that its ink has no covariance of height and width, about the middle of its ink.
///
/// ```text
/// m = Σ p (x, y) / Σ p,   a = Σ p (x - m_x)(y - m_y) / Σ p (y - m_y)²,   p'(x, y) = p(x + a (y - m_y), y)
/// ```
/// Between two pixels of a row the value is interpolated; outside it is 0. An image without ink stays.
pub fn deslanted(pixels: &[f64], width: usize) -> Vec<f64> {
    let height = pixels.len() / width;
    let at = || (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
    let sum = |value: &dyn Fn(f64, f64) -> f64| -> f64 {
        at().map(|(x, y)| pixels[y * width + x] * value(x as f64, y as f64)).sum()
    };
    let ink = sum(&|_, _| 1.0);
    if ink <= 0.0 {
        return pixels.to_vec();
    }
    let (m_x, m_y) = (sum(&|x, _| x) / ink, sum(&|_, y| y) / ink);
    let variance = sum(&|_, y| (y - m_y) * (y - m_y));
    let slant = if variance > 0.0 { sum(&|x, y| (x - m_x) * (y - m_y)) / variance } else { 0.0 };
    at().map(|(x, y)| {
        let from = x as f64 + slant * (y as f64 - m_y);
        interpolated(&pixels[row(y, width)], from)
    })
    .collect()
}

fn row(y: usize, width: usize) -> Range<usize> {
    y * width..(y + 1) * width
}

fn interpolated(row: &[f64], at: f64) -> f64 {
    let pixel = |x: f64| {
        let inside = x >= 0.0 && (x as usize) < row.len();
        if inside { row[x as usize] } else { 0.0 }
    };
    let (left, share) = (at.floor(), at - at.floor());
    (1.0 - share) * pixel(left) + share * pixel(left + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slanted_line_stands_up_and_an_empty_image_stays() {
        let slanted: Vec<f64> = (0..25).map(|i| f64::from(u8::from(i % 5 == i / 5))).collect();
        let upright = deslanted(&slanted, 5);
        let expected: Vec<f64> = (0..25).map(|i| f64::from(u8::from(i % 5 == 2))).collect();
        assert!(upright.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{upright:?}");
        assert_eq!(deslanted(&expected, 5), expected);
        assert_eq!(deslanted(&[0.0; 4], 2), [0.0; 4]);
    }
}
