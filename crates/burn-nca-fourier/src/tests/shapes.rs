//! Points of all shapes, with the ranges of their classes.

use core::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Points `[n, k]` in class order, and the class of each as a range.
pub(super) struct Shape {
    pub(super) name: String,
    pub(super) z: Vec<f64>,
    pub(super) k: usize,
    pub(super) spans: Vec<Range<usize>>,
}

pub(super) fn spans(n: usize, classes: usize) -> Vec<Range<usize>> {
    let ends = |class: usize| class * n / classes;
    let class = |class: usize| vec![ends(class)..ends(class + 1); ends(class + 1) - ends(class)];
    (0..classes).flat_map(class).collect()
}

/// About normally distributed.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

pub(super) fn all(n: usize, k: usize) -> Vec<Shape> {
    let mut rng = ChaCha8Rng::seed_from_u64(n as u64);
    let mut shapes = Vec::new();
    let mut add = |name: &str, z: Vec<f64>, classes: usize| {
        let name = format!("{name}, n = {n}, k = {k}");
        shapes.push(Shape { name, z, k, spans: spans(n, classes.min(n)) });
    };
    let gauss: Vec<f64> = (0..n * k).map(|_| normal(&mut rng)).collect();
    add("one class", gauss.clone(), 1);
    for scale in [1e-3, 0.1, 1.0, 3.0, 10.0, 1e3] {
        let z = gauss.iter().map(|x| x * scale + 1e3).collect();
        add(&format!("random times {scale}"), z, 5);
    }
    let in_clusters = |distance: f64, rng: &mut ChaCha8Rng| -> Vec<f64> {
        let centers: Vec<f64> = (0..4 * k).map(|_| distance * normal(rng)).collect();
        (0..n * k).map(|i| centers[(i / k * 4 / n) * k + i % k] + normal(rng)).collect()
    };
    let near = in_clusters(1.5, &mut rng);
    add("clusters", near.clone(), 4);
    add("clusters and other classes", near, 7);
    add("clusters far apart", in_clusters(8.0, &mut rng), 7);
    add("collapsed", vec![0.25; n * k], 3);
    let mut one_off = vec![0.25; n * k];
    one_off[0] = 4.0;
    add("collapsed but one", one_off, 3);
    let duplicated: Vec<f64> =
        (0..n * k).map(|i| gauss[(i / k) % n.div_ceil(7) * k + i % k]).collect();
    add("duplicated", duplicated, 3);
    let collinear: Vec<f64> =
        (0..n * k).map(|i| gauss[i / k] * (1.0 + 2.0 * (i % k) as f64)).collect();
    add("collinear", collinear, 3);
    let flat: Vec<f64> =
        (0..n * k).map(|i| if i % k == 0 { 20.0 * gauss[i] } else { 0.0 }).collect();
    add("on an axis", flat, 3);
    let lattice: Vec<f64> = (0..n * k).map(|i| (gauss[i] * 8.0).round() / 4.0).collect();
    add("lattice", lattice, 3);
    add("singletons", gauss.clone(), n);
    add("small classes", gauss, n.div_ceil(3));
    shapes
}
