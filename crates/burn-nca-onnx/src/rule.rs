//! The rule of a model as operations: from the embedding to probabilities and labels, or to predicted numbers.

use burn_nca_learn::Fitted;
use burn_nca_learn::estimator::{Decision, TrainingTargets};
use burn_nca_learn::fit::Precision;
use burn_nca_learn::neighbors::{CoincidenceRule, Rule, VariableKernel};

use crate::graph::{DataType, Graph};
use crate::nearest::Nearest;
use crate::rule_parts::{
    PREDICTION, PROBABILITIES, differences, log_weights, members, negative_distances, sum_of_last,
};

/// What a distance is divided by where the neighbors coincide with the row itself: those alone then have weight.
const NO_WIDTH: f64 = 1e-300;

/// Adds the outputs of the model's rule.
///
/// ```text
/// p_ij = softmax_j(log w_j - D_ij)    D: squared Euclidean distance, or the sum of absolute differences
/// ```
/// in doubles, with w the weights of the votes (1 without). A decision by the nearest training rows takes those of the
/// smallest D ([`crate::nearest`]). The rules of the variable kernel and of coincidence give the
/// probabilities of the classes by their own equations.
pub fn add(graph: &mut Graph, fitted: &Fitted, embedding: &str) {
    let z = match fitted.card().fit.precision {
        Precision::F32 => graph.cast(embedding, DataType::Double, "embedding_double"),
        Precision::F64 => embedding.to_string(),
    };
    let decision = fitted.decision();
    match fitted.training_targets() {
        TrainingTargets::Classes { names, labels, weights, .. } => {
            let class_names = graph.texts("class_names", names);
            let (weights, classes) = (weights.as_deref(), names.len());
            let (index, shares, label) = if let Decision::Nearest { neighbors } = decision {
                let nearest = Nearest::of(graph, (fitted, neighbors), weights, &z);
                let shares = format!("the share of each class in the votes of {decision}");
                let label = format!("the class by {decision}, ties to the nearest row");
                (nearest.class(graph, labels, classes), shares, label)
            } else {
                match fitted.rule() {
                    Rule::Coincidence(rule) => coincidence(graph, rule, classes, &z),
                    Rule::VariableKernel(rule) => variable_kernel(graph, rule, fitted, weights, &z),
                    Rule::Neighbors | Rule::Manhattan | Rule::Members(_) => {
                        let p = all_references(graph, fitted, weights, &z);
                        let members = members(graph, "members", labels, classes);
                        graph.apply("MatMul", &[&p, &members], PROBABILITIES);
                    }
                }
                let attributes = [("axis", 1), ("keepdims", 0)];
                let index = graph.node("ArgMax", &[PROBABILITIES], "class_index", &attributes);
                let shares = "the probability of each class by the model's rule".to_string();
                (index, shares, "the most probable class".to_string())
            };
            graph.node("Gather", &[&class_names, &index], "label", &[("axis", 0)]);
            graph.output(PROBABILITIES, DataType::Double, Some(classes), &shares);
            graph.output("label", DataType::String, None, &label);
        }
        TrainingTargets::Numbers { targets, weights, .. } => {
            let shape = [targets.rows(), targets.columns()];
            let values = graph.constant("targets", DataType::Double, targets.values(), &shape);
            let meaning = if let Decision::Nearest { neighbors } = decision {
                Nearest::of(graph, (fitted, neighbors), weights.as_deref(), &z)
                    .mean(graph, &values);
                format!("the mean of the targets by {decision}")
            } else {
                let p = all_references(graph, fitted, weights.as_deref(), &z);
                graph.apply("MatMul", &[&p, &values], PREDICTION);
                "the targets of the training rows, weighted by the stochastic rule".to_string()
            };
            graph.output(PREDICTION, DataType::Double, Some(targets.columns()), &meaning);
        }
        TrainingTargets::Unlabeled => {}
    }
}

/// The weights `p_ij` of all training rows, `[n, m]`.
fn all_references(graph: &mut Graph, fitted: &Fitted, weights: Option<&[f64]>, z: &str) -> String {
    if let Rule::Members(rule) = fitted.rule() {
        return crate::members::weights(graph, (fitted, rule.members), weights, z);
    }
    let logits = negative_distances(graph, fitted, z);
    let logits = match weights {
        Some(weights) => {
            let logs = log_weights(graph, weights);
            graph.apply("Add", &[&logits, &logs], "weighted_logits")
        }
        None => logits,
    };
    graph.node("Softmax", &[&logits], "p", &[("axis", -1)])
}

/// Bytes of the constants that the rule adds for `rows` training rows, at most.
pub fn bytes(rows: usize, k: usize, columns: usize) -> usize {
    const DOUBLE: usize = 8;
    rows.saturating_mul(k.saturating_add(columns).saturating_add(1)).saturating_mul(DOUBLE)
}

/// The probabilities of the classes by their latent spaces.
///
/// ```text
/// p_c = softmax_c( -p/2 log(1 + 2σ_c²) - ||z_c - m_c||² / 2(1 + 2σ_c²) )      (22) of Der and Saul, over its sum
/// ```
fn coincidence(graph: &mut Graph, rule: &CoincidenceRule, classes: usize, z: &str) {
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
fn variable_kernel(
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
