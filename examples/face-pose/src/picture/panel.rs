//! The four faces of section 5: horizontally the pairs agree, vertically they do not.

use crate::faces::{FacePair, FacePairs, WINDOW};

use super::raster;

const SCALE: f64 = 5.0;
const GAP: f64 = 10.0;
const CAPTION: f64 = 26.0;

/// Pairs among which two are looked for that differ much.
const CANDIDATES: u64 = 64;

/// Two pairs as SVG, a row each.
pub fn svg(pairs: &FacePairs) -> String {
    let [upper, lower] = two_pairs(pairs);
    let side = SCALE * WINDOW as f64;
    let width = 3.0 * GAP + 2.0 * side;
    let height = 3.0 * GAP + 2.0 * side + 2.0 * CAPTION;
    let face = |pixels: &[f32], column: f64, row: f64| {
        let (x, y) = (GAP + column * (side + GAP), GAP + row * (side + CAPTION + GAP));
        format!("<g transform=\"translate({x} {y})\">{}</g>", raster::svg(pixels, SCALE))
    };
    let caption = |pair: &FacePair, row: f64| {
        let y = GAP + side + 17.0 + row * (side + CAPTION + GAP);
        let text = |x: f64, pose: crate::faces::Pose| {
            format!(
                "<text x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"middle\">{:+.1}°, {:.1} pixels</text>",
                pose.rotation, pose.height
            )
        };
        text(GAP + 0.5 * side, pair.first.pose) + &text(2.0 * GAP + 1.5 * side, pair.second.pose)
    };
    let mut body = String::new();
    for (row, pair) in [(0.0, &upper), (1.0, &lower)] {
        body += &face(&pair.first.pixels, 0.0, row);
        body += &face(&pair.second.pixels, 1.0, row);
        body += &caption(pair, row);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans, sans-serif\" font-size=\"12\" \
         fill=\"#1b1e22\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

/// The first pair that leans clearly to the left, and the first that leans to the right and differs in size.
fn two_pairs(pairs: &FacePairs) -> [FacePair; 2] {
    let candidates: Vec<FacePair> = (0..CANDIDATES).map(|index| pairs.pair(index)).collect();
    let close = |pair: &&FacePair| pair.weight > 0.6;
    let find = |lean: f64, large: bool| {
        let found = candidates.iter().filter(close).find(|pair| {
            let pose = pair.first.pose;
            lean * pose.rotation > 15.0 && (pose.height > 30.0) == large
        });
        found.or(candidates.first()).cloned().expect("there are candidates")
    };
    [find(-1.0, false), find(1.0, true)]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::faces::{PoseOptions, synthetic_faces};
    use burn_nca_figures::Figure;

    use super::*;

    #[test]
    fn rows_agree_and_columns_do_not() {
        let bank = Arc::new(synthetic_faces(9, 2, 0).unwrap());
        let pairs = FacePairs::new(bank, PoseOptions::default(), 0).unwrap();
        let [upper, lower] = two_pairs(&pairs);
        for pair in [&upper, &lower] {
            assert!((pair.first.pose.rotation - pair.second.pose.rotation).abs() < 3.0);
        }
        assert!(lower.first.pose.rotation - upper.first.pose.rotation > 30.0);
        assert!(Figure::from_svg(svg(&pairs)).png(1.0).is_ok());
    }
}
