//! Rules of classes with equations of their own: coincidence, and the variable kernel.

use burn_nca_learn::Fitted;
use burn_nca_learn::neighbors::{CoincidenceRule, VariableKernel};

use crate::graph::{DataType, Graph};
use crate::rule_parts::{PROBABILITIES, differences, log_weights, members, sum_of_last};

/// What a distance is divided by where the neighbors coincide with the row itself: those alone then have weight.
const NO_WIDTH: f64 = 1e-300;

/// The probabilities of the classes by their latent spaces.
///
/// ```text
/// p_c = softmax_c( -p/2 log(1 + 2σ_c²) - ||z_c - m_c||² / 2(1 + 2σ_c²) )      (22) of Der and Saul, over its sum
/// ```
pub fn coincidence(graph: &mut Graph, rule: &CoincidenceRule, classes: usize, z: &str) {
    let (spaces, p) = (rule.classes.len(), rule.latent);
    let double = DataType::Double;
    let spreads: Vec<f64> = rule.sigma_sq.iter().map(|sigma_sq| 1.0 + 2.0 * sigma_sq).collect();
    // [spaces p, spaces]: the coordinates of each space, over its spread.
    let mut of_space = vec![0.0; spaces * p * spaces];
    for (space, spread) in spreads.iter().enumerate() {
        for axis in space * p..(space + 1) * p {
            of_space[axis * spaces + space] = -0.5 / spread;
        }
    }
    let logs: Vec<f64> = spreads.iter().map(|spread| -0.5 * p as f64 * spread.ln()).collect();
    let means = graph.constant("means", double, &rule.means, &[spaces * p]);
    let of_space = graph.constant("of_space", double, &of_space, &[spaces * p, spaces]);
    let logs = graph.constant("log_volumes", double, &logs, &[spaces]);
    let class_of_space = members(graph, "class_of_space", &rule.classes, classes);
    let away = graph.apply("Sub", &[z, &means], "from_means");
    let squares = graph.apply("Mul", &[&away, &away], "squares");
    let exponents = graph.apply("MatMul", &[&squares, &of_space], "exponents");
    let logits = graph.apply("Add", &[&exponents, &logs], "logits");
    let p = graph.node("Softmax", &[&logits], "p", &[("axis", -1)]);
    graph.apply("MatMul", &[&p, &class_of_space], PROBABILITIES);
}

/// The probabilities of the classes by the K nearest training rows.
///
/// ```text
/// p_k = softmax_k( -(d_k / σ)² / 2 ),   σ = (r / M) Σ_{m≤M} d_m,   k = 1..K ascending by distance
/// ```
///
/// with the logarithm of its weight added for each neighbor, where the training rows have weights.
pub fn variable_kernel(
    graph: &mut Graph,
    rule: &VariableKernel,
    fitted: &Fitted,
    weights: Option<&[f64]>,
    z: &str,
) {
    let (k, averaged) = (rule.neighbors, rule.averaged);
    let double = DataType::Double;
    let differences = differences(graph, fitted, z);
    let squares = graph.apply("Mul", &[&differences, &differences], "squared_differences");
    let squares = sum_of_last(graph, &squares, "squared_distances");
    let count = graph.whole_numbers("neighbor_count", &[k as i64]);
    let ascending = [("axis", -1), ("largest", 0), ("sorted", 1)];
    graph.node_of_many("TopK", &[&squares, &count], &["nearest_squares", "nearest"], &ascending);
    let distances = graph.apply("Sqrt", &["nearest_squares"], "nearest_distances");
    let mut share = vec![0.0; k];
    share[..averaged].fill(rule.width / averaged as f64);
    let share = graph.constant("share_of_width", double, &share, &[k, 1]);
    let width = graph.apply("MatMul", &[&distances, &share], "width");
    let least = graph.constant("least_width", double, &[NO_WIDTH], &[1]);
    let width = graph.apply("Max", &[&width, &least], "positive_width");
    let ratio = graph.apply("Div", &[&distances, &width], "ratio");
    let square = graph.apply("Mul", &[&ratio, &ratio], "squared_ratio");
    let half = graph.constant("minus_half", double, &[-0.5], &[1]);
    let mut logits = graph.apply("Mul", &[&square, &half], "logits");
    if let Some(weights) = weights {
        let logs = log_weights(graph, weights);
        let logs = graph.node("Gather", &[&logs, "nearest"], "nearest_weights", &[("axis", 0)]);
        logits = graph.apply("Add", &[&logits, &logs], "weighted_logits");
    }
    let p = graph.node("Softmax", &[&logits], "p", &[("axis", -1)]);
    // [n, 1, K] times the classes of the nearest, [n, K, c].
    let axis = graph.whole_numbers("middle_axis", &[1]);
    let p = graph.apply("Unsqueeze", &[&p, &axis], "p_of_nearest");
    let members = members(graph, "members", labels(fitted), fitted.class_names().len());
    let classes = graph.node("Gather", &[&members, "nearest"], "nearest_classes", &[("axis", 0)]);
    let shares = graph.apply("MatMul", &[&p, &classes], "class_shares");
    graph.apply("Squeeze", &[&shares, &axis], PROBABILITIES);
}

fn labels(fitted: &Fitted) -> &[usize] {
    fitted.class_references().map_or(&[], |references| references.labels)
}
