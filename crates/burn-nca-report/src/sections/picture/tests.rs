//! What pictures show, whatever was learned from.

use super::placement::DRAWN;
use super::*;
use crate::Report;

fn of_classes(report: &Report) -> Scatter<'_, ClassMark> {
    report.classes().embedding.scatter(&report.header.data.classes).unwrap()
}

#[test]
fn distances_on_the_drawing_are_the_learned_ones() {
    let report = Report::example();
    let scatter = of_classes(&report);
    let apart = |a: &[f64], b: &[f64]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let ((a, _, at_a), (b, _, at_b)) = (&scatter.marks[0], &scatter.marks[77]);
    let learned = apart(&a.coordinates, &b.coordinates);
    assert!((apart(at_a, at_b) - scatter.frame.scale * learned).abs() < 1e-9);
    assert!(scatter.marks.iter().all(|(_, _, at)| scatter.frame.holds(*at)));
}

#[test]
fn a_large_embedding_is_thinned_evenly_and_says_so() {
    let report = Report::with_classes(&["a", "b", "c"], 4000, 2);
    let scatter = of_classes(&report);
    assert_eq!(scatter.marks.len(), DRAWN);
    assert!(scatter.caption().contains("5000 of 12\u{a0}000 points are plotted"));
    let of = |class| scatter.marks.iter().filter(|(_, look, _)| look.lane == class).count();
    assert!((0..3).all(|class| of(class).abs_diff(DRAWN / 3) <= 1));
}

#[test]
fn forty_classes_look_different() {
    let looks: std::collections::BTreeSet<String> = (0..40).map(style).collect();
    assert_eq!(looks.len(), 40);
}

#[test]
fn many_classes_are_named_in_the_picture_and_one_dimension_has_lanes() {
    let names: Vec<String> = (0..26).map(|class| format!("letter {class}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let shown = |names: &[&str], dimension, class: &str| {
        let report = Report::with_classes(names, 10, dimension);
        let html = report.page();
        html.matches(&format!("<span class=\"{class}")).count()
    };
    assert_eq!((shown(&names, 2, "middle k"), shown(&names[..3], 2, "middle k")), (26, 0));
    assert_eq!((shown(&names, 1, "lane\""), shown(&names, 1, "middle k")), (26, 0));
}

#[test]
fn one_dimension_and_a_single_place_can_be_drawn() {
    let mut report = Report::example();
    for point in &mut report.classes_mut().embedding.points {
        point.coordinates = vec![2.0, 2.0];
    }
    assert!(of_classes(&report).marks.iter().all(|(_, _, at)| at.iter().all(|at| at.is_finite())));
    assert!(!report.page().contains("NaN"));
}
