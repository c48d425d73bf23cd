//! Figure 3: test faces in the plane, as segments of their rotation and circles of their size.

use burn_nca_program::html::escape;

use super::Shown;
use super::scatter::{Mark, Placement, SIDE, color_bar, marks};
use crate::results::Results;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 590.0;
const LEFT: f64 = 26.0;
const TOP: f64 = 62.0;
const BAR: f64 = 200.0;

/// The figure as SVG.
pub fn svg(shown: &Shown<'_>, results: &Results) -> String {
    let panel = |mark: Mark, title: &str, x: f64| {
        format!(
            "<g transform=\"translate({x} {TOP})\">\n\
             <text x=\"{:.0}\" y=\"-14\" text-anchor=\"middle\" class=\"title\">{title}</text>\n\
             <rect width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#c9ced3\"/>\n{}{}\
             <g transform=\"translate({:.0} {:.0})\">{}</g>\n</g>\n",
            0.5 * SIDE,
            center(shown, results),
            marks(shown, mark),
            0.5 * (SIDE - BAR),
            SIDE + 16.0,
            color_bar(mark, BAR)
        )
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"DejaVu Sans, sans-serif\">\n\
         <style>.title{{font-size:15px}}.small{{font-size:11px;fill:#59616a}}text{{fill:#1b1e22}}</style>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{:.0}\" y=\"24\" text-anchor=\"middle\" class=\"small\">{}</text>\n{}{}</svg>\n",
        0.5 * WIDTH,
        escape(&caption(shown, results)),
        panel(Mark::Segment, &title("segments turned as the face", results, |s| s.angle), LEFT),
        panel(
            Mark::Circle,
            &title("circles as large as the face", results, |s| s.radius),
            WIDTH - LEFT - SIDE
        ),
    )
}

fn title(
    what: &str,
    results: &Results,
    score: impl Fn(&crate::measure::PolarScores) -> f64,
) -> String {
    match &results.test_scores {
        Some(scores) => format!("{what}, r = {:.3}", score(scores)),
        None => what.to_string(),
    }
}

fn caption(shown: &Shown<'_>, results: &Results) -> String {
    format!(
        "{} of {} faces of {} people the network never saw ({}, {})",
        shown.count(),
        results.test_faces,
        results.faces.test[1],
        results.faces.name,
        results.settings.network
    )
}

/// A cross at the fitted center, where it is in the picture.
fn center(shown: &Shown<'_>, results: &Results) -> String {
    let Some(polar) = results.polar else {
        return String::new();
    };
    let [x, y] = Placement::of(&shown.points[..shown.count()]).place(&polar.center);
    if !(0.0..SIDE).contains(&x) || !(0.0..SIDE).contains(&y) {
        return String::new();
    }
    format!(
        "<path d=\"M{:.1} {y:.1}h12M{x:.1} {:.1}v12\" stroke=\"#59616a\" fill=\"none\"/>\n",
        x - 6.0,
        y - 6.0
    )
}

#[cfg(test)]
mod tests {
    use crate::faces::{Pose, PosedFaces};
    use burn_nca_figures::Figure;

    use super::*;
    use crate::results::example;

    #[test]
    fn the_figure_is_sound_svg_with_a_mark_a_face_in_each_half() {
        let poses = vec![Pose { rotation: 30.0, height: 26.0 }; 3];
        let faces = PosedFaces { pixels: Vec::new(), faces: vec![0, 1, 2], poses: poses.clone() };
        let points = [[0.0, 0.0], [1.0, 2.0], [0.5, 1.0]];
        let shown = Shown { points: &points, faces: &faces, predicted: &poses };
        let svg = svg(&shown, &example());
        assert_eq!((svg.matches("<line").count(), svg.matches("<circle").count()), (3, 3));
        assert!(svg.contains("&lt;/script&gt;") && svg.contains("r = 0.950"));
        assert!(Figure::from_svg(svg).png(1.0).unwrap().starts_with(b"\x89PNG"));
    }
}
