//! The rule of a model as operations: from the embedding to probabilities and labels, or to predicted numbers.

use burn_nca_learn::Fitted;
use burn_nca_learn::estimator::{Decision, TrainingTargets};
use burn_nca_learn::fit::Precision;
use burn_nca_learn::neighbors::Rule;

use crate::class_rules::{coincidence, variable_kernel};
use crate::distances::negative_distances;
use crate::graph::{DataType, Graph};
use crate::nearest::Nearest;
use crate::rule_parts::{PREDICTION, PROBABILITIES, log_weights, members};

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
                    let members = members(graph, "members", labels, names.len());
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

/// Bytes of the constants that the rule adds for `rows` training rows, at most.
pub fn bytes(rows: usize, k: usize, columns: usize) -> usize {
    const DOUBLE: usize = 8;
    rows.saturating_mul(k.saturating_add(columns).saturating_add(1)).saturating_mul(DOUBLE)
}
