//! Colors that stay apart for most kinds of color vision.

use plotters::style::RGBColor;

/// Colors for classes: those of the pages in daylight, near those of Okabe and Ito.
const CLASSES: [RGBColor; 10] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(195, 96, 154),
    RGBColor(221, 149, 0),
    RGBColor(79, 169, 221),
    RGBColor(111, 74, 160),
    RGBColor(138, 106, 28),
    RGBColor(95, 106, 116),
    RGBColor(163, 23, 44),
];

/// The color of a class; the eleventh class has the color of the first.
pub fn class_color(class: usize) -> RGBColor {
    CLASSES[class % CLASSES.len()]
}

/// The anchors of the color map viridis at 0, 1/4, 1/2, 3/4 and 1.
const VIRIDIS: [[u8; 3]; 5] =
    [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

/// A color of the map viridis for a value between 0 and 1; values beyond are cut, NaN is gray.
pub fn continuous_color(share: f64) -> RGBColor {
    if share.is_nan() {
        return RGBColor(160, 160, 160);
    }
    let [red, green, blue] = mixed(&VIRIDIS, share);
    RGBColor(red, green, blue)
}

/// The color at a share of the way along anchors at equal steps; shares beyond 0 and 1 are cut.
pub fn mixed(anchors: &[[u8; 3]], share: f64) -> [u8; 3] {
    let place = share.clamp(0.0, 1.0) * (anchors.len() - 1) as f64;
    let lower = (place as usize).min(anchors.len() - 2);
    let part = place - lower as f64;
    [0, 1, 2].map(|channel| {
        let [a, b] = [anchors[lower][channel], anchors[lower + 1][channel]].map(f64::from);
        (a + (b - a) * part).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_meets_its_anchors() {
        assert_eq!(continuous_color(0.0), RGBColor(68, 1, 84));
        assert_eq!(continuous_color(0.5), RGBColor(33, 145, 140));
        assert_eq!(continuous_color(7.0), RGBColor(253, 231, 37));
    }
}
