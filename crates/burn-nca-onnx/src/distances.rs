//! Distances from the training rows as operations.

use burn_nca_learn::Fitted;
use burn_nca_learn::neighbors::Rule;

use crate::graph::{DataType, Graph};
use crate::rule_parts::{Centered, differences, host, sum_of_last};

/// `-D_ij` by the distance of the model's rule, but for what is the same for all j, `[n, m]`.
pub fn negative_distances(graph: &mut Graph, fitted: &Fitted, z: &str) -> String {
    match *fitted.rule() == Rule::Manhattan {
        true => negative_absolute_differences(graph, fitted, z),
        false => negative_squared_distances(graph, fitted, z),
    }
}

/// `-D_ij` but for what is the same for all j, `[n, m]`, without a difference of each pair.
///
/// ```text
/// ||z - r||² = ||z - c||² + ||r - c||² - 2 (z - c)·(r - c)      c: the mean of the training rows
/// ```
fn negative_squared_distances(graph: &mut Graph, fitted: &Fitted, z: &str) -> String {
    let [m, k] = fitted.references().dims();
    let Centered { center, twice, squares } =
        Centered::of(&host(fitted.references().clone()), [m, k]);
    let negative_squares: Vec<f64> = squares.iter().map(|square| -square).collect();
    let double = DataType::Double;
    let center = graph.constant("center", double, &center, &[k]);
    let twice = graph.constant("twice_references", double, &twice, &[k, m]);
    let squares = graph.constant("negative_squares", double, &negative_squares, &[m]);
    let z = graph.apply("Sub", &[z, &center], "from_center");
    let product = graph.apply("MatMul", &[&z, &twice], "twice_product");
    graph.apply("Add", &[&product, &squares], "logits")
}

/// `-Σ_r |z_ir - z_jr|`, `[n, m]`, by the differences of all pairs, `[n, m, k]`.
fn negative_absolute_differences(graph: &mut Graph, fitted: &Fitted, z: &str) -> String {
    let differences = differences(graph, fitted, z);
    let absolute = graph.apply("Abs", &[&differences], "absolute_differences");
    let distances = sum_of_last(graph, &absolute, "distances");
    graph.apply("Neg", &[&distances], "logits")
}
