//! The rule of a model as operations: from the embedding to probabilities and labels, or to predicted numbers.

use burn_nca_learn::Fitted;
use burn_nca_learn::estimator::{Decision, TrainingTargets};
use burn_nca_learn::fit::Precision;
use burn_nca_learn::neighbors::Rule;

use crate::class_rules::{coincidence, variable_kernel};
use crate::graph::{DataType, Graph};
use crate::map::host;
use crate::nearest::Nearest;
use crate::rule_parts::{
    PREDICTION, PROBABILITIES, differences, log_weights, members, sum_of_last,
};

/// Adds the outputs of the model's rule.
///
/// ```text
/// p_ij = softmax_j(log w_j - D_ij)    D: squared Euclidean distance, or the sum of absolute differences
/// ```
/// in doubles, with w the weights of the votes (1 without). A decision by the nearest training rows takes those of the
/// smallest D ([`crate::nearest`]). The rules of the variable kernel and of coincidence give the
/// probabilities of the classes by their own equations ([`crate::class_rules`]).
pub fn add(graph: &mut Graph, fitted: &Fitted, embedding: &str) {
    let z = match fitted.card().fit.precision {
        Precision::F32 => graph.cast(embedding, DataType::Double, "embedding_double"),
        Precision::F64 => embedding.to_string(),
    };
    let decision = fitted.decision();
    match fitted.training_targets() {
        TrainingTargets::Classes { names, labels, weights, .. } => {
            let class_names = graph.texts("class_names", names);
            if let Decision::Nearest { neighbors } = decision {
                let nearest = Nearest::of(graph, (fitted, neighbors), weights.as_deref(), &z);
                let index = nearest.class(graph, labels, names.len());
                graph.node("Gather", &[&class_names, &index], "label", &[("axis", 0)]);
                let meaning = format!("the share of each class in the votes of {decision}");
                graph.output(PROBABILITIES, DataType::Double, Some(names.len()), &meaning);
                let meaning = format!("the class by {decision}, ties to the nearest row");
                graph.output("label", DataType::String, None, &meaning);
                return;
            }
            match fitted.rule() {
                Rule::Coincidence(rule) => coincidence(graph, rule, names.len(), &z),
                Rule::VariableKernel(rule) => {
                    variable_kernel(graph, rule, fitted, weights.as_deref(), &z)
                }
                Rule::Neighbors | Rule::Manhattan | Rule::Members(_) => {
                    let p = all_references(graph, fitted, weights.as_deref(), &z);
                    let members = members(graph, labels, names.len());
                    graph.apply("MatMul", &[&p, &members], PROBABILITIES);
                }
            }
            let attributes = [("axis", 1), ("keepdims", 0)];
            let index = graph.node("ArgMax", &[PROBABILITIES], "class_index", &attributes);
            graph.node("Gather", &[&class_names, &index], "label", &[("axis", 0)]);
            let meaning = "the probability of each class by the model's rule";
            graph.output(PROBABILITIES, DataType::Double, Some(names.len()), meaning);
            graph.output("label", DataType::String, None, "the most probable class");
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
    let references = host(fitted.references().clone());
    let center: Vec<f64> = (0..k)
        .map(|axis| references.iter().skip(axis).step_by(k).sum::<f64>() / m as f64)
        .collect();
    // [k, m]: 2 (r - c), and the negative of its square.
    let mut twice = vec![0.0; k * m];
    let mut negative_squares = vec![0.0; m];
    for (row, reference) in references.chunks_exact(k).enumerate() {
        for (axis, (r, c)) in reference.iter().zip(&center).enumerate() {
            twice[axis * m + row] = 2.0 * (r - c);
            negative_squares[row] -= (r - c) * (r - c);
        }
    }
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

/// Bytes of the constants that the rule adds for `rows` training rows, at most.
pub fn bytes(rows: usize, k: usize, columns: usize) -> usize {
    const DOUBLE: usize = 8;
    rows.saturating_mul(k.saturating_add(columns).saturating_add(1)).saturating_mul(DOUBLE)
}
