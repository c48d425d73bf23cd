//! `faces.html`: the plane to explore. One file with its style, script and pictures inside; it loads nothing.

use anyhow::Result;
use burn_nca_program::html::{escape, fill, script_json};
use serde_json::json;

use super::scatter::{Mark, Placement, SIDE, color_bar, marks};
use super::{Shown, data_url, raster};
use crate::results::Results;

/// Faces a row of the sprite.
const COLUMNS: usize = 20;

/// The page.
///
/// # Errors
/// Pictures that cannot be encoded.
pub fn render(shown: &Shown<'_>, results: &Results) -> Result<String> {
    let count = shown.count();
    let faces: Vec<&[f32]> = (0..count).map(|face| shown.faces.row(face)).collect();
    let sprite = data_url::png(&raster::sprite(&faces, COLUMNS)?);
    let faces = &results.faces;
    Ok(fill(include_str!("page.html"), |slot| match slot {
        "style" => include_str!("page.css").to_owned(),
        "script" => include_str!("page.js").to_owned(),
        "name" => escape(&faces.name),
        "network" => escape(&results.settings.network),
        "count" => count.to_string(),
        "people" => faces.test[1].to_string(),
        "train" => faces.train[1].to_string(),
        "segments" => scatter(shown, Mark::Segment),
        "circles" => scatter(shown, Mark::Circle),
        "scores" => scores(results),
        "errors" => errors(results),
        "ending" => ending(results),
        "command" => escape(&results.command),
        "data" => script_json(&data(shown, count)),
        "sprite" => sprite.clone(),
        _ => unreachable!("the template names only the slots above"),
    }))
}

fn scatter(shown: &Shown<'_>, mark: Mark) -> String {
    let label = match mark {
        Mark::Segment => "Test faces as segments of their rotation",
        Mark::Circle => "Test faces as circles of their size",
    };
    let bar = 200.0;
    format!(
        "<svg viewBox=\"0 0 {SIDE} {:.0}\" role=\"img\" aria-label=\"{label}\" tabindex=\"0\">\n\
         <rect class=\"frame\" width=\"{SIDE}\" height=\"{SIDE}\"/>\n{}\
         <circle class=\"ring\" r=\"13\" visibility=\"hidden\"/>\n\
         <g transform=\"translate({:.0} {:.0})\">{}</g>\n</svg>",
        SIDE + 36.0,
        marks(shown, mark),
        0.5 * (SIDE - bar),
        SIDE + 16.0,
        color_bar(mark, bar)
    )
}

fn scores(results: &Results) -> String {
    let Some(scores) = results.test_scores else {
        return "<p>The plane determines no polar coordinates.</p>".to_owned();
    };
    format!(
        "<p>Angle around the fitted center against rotation: <b>{:.3}</b>. Distance from it against size: \
         <b>{:.3}</b>. (Correlations over {} test faces.)</p>",
        scores.angle, scores.radius, results.test_faces
    )
}

fn errors(results: &Results) -> String {
    let row = |row: &crate::results::MethodError| {
        format!(
            "<tr><th scope=\"row\">{}</th><td>{:.2}</td><td>{:.2}</td></tr>",
            escape(&row.method),
            row.error.degrees,
            row.error.pixels
        )
    };
    results.errors.iter().map(row).collect()
}

fn ending(results: &Results) -> String {
    let pairs = &results.pairs;
    format!(
        "{} Step {} of {} had the lowest held-out loss and was kept; {:.0} s.",
        escape(&pairs.sentence),
        pairs.best_step,
        pairs.steps,
        pairs.seconds
    )
}

/// Places, poses and predictions of the faces, in their order in the sprite.
fn data(shown: &Shown<'_>, count: usize) -> serde_json::Value {
    let placement = Placement::of(&shown.points[..count]);
    let round = |value: f64| (10.0 * value).round() / 10.0;
    let faces: Vec<_> = (0..count)
        .map(|face| {
            let [x, y] = placement.place(&shown.points[face]);
            let (pose, predicted) = (shown.faces.poses[face], shown.predicted[face]);
            json!([
                round(x),
                round(y),
                round(pose.rotation),
                round(pose.height),
                round(predicted.rotation),
                round(predicted.height)
            ])
        })
        .collect();
    json!({ "side": SIDE, "columns": COLUMNS, "faces": faces })
}

#[cfg(test)]
mod tests {
    use crate::faces::{PIXELS, Pose, PosedFaces};

    use super::*;
    use crate::results::example;

    fn page() -> String {
        let poses = vec![Pose { rotation: 30.0, height: 26.0 }; 3];
        let pixels = vec![0.5; 3 * PIXELS];
        let faces = PosedFaces { pixels, faces: vec![0, 1, 2], poses: poses.clone() };
        let points = [[0.0, 0.0], [1.0, 2.0], [0.5, 1.0]];
        render(&Shown { points: &points, faces: &faces, predicted: &poses }, &example()).unwrap()
    }

    #[test]
    fn the_page_loads_nothing() {
        let page = page();
        for load in ["http://", "https://", "@import", "<link", "fetch("] {
            assert!(!page.contains(load), "the page must not contain {load}");
        }
        assert!(page.contains("default-src 'none'") && !page.contains("{{"));
    }

    #[test]
    fn names_from_files_cannot_break_out() {
        let page = page();
        assert!(!page.contains("</script><b>"));
        assert_eq!(page.matches("</script>").count(), 2);
        let start = page.find("type=\"application/json\"").unwrap();
        let body = &page[start + page[start..].find('>').unwrap() + 1..];
        let body = &body[..body.find("</script>").unwrap()];
        let data: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(data["faces"].as_array().unwrap().len(), 3);
    }
}
