//! The stochastic rule as operations: from the embedding to probabilities and labels, or to predicted numbers.

use burn_nca::Fitted;
use burn_nca::estimator::TrainingTargets;

use crate::graph::{DataType, Graph};
use crate::map::host;

/// The logarithm of no weight: its exponential is 0 beside that of any weight.
const LEAST_LOG: f64 = -1e300;

/// Adds the outputs of the stochastic rule; gives their names.
///
/// ```text
/// p_ij = softmax_j(log w_j - ||z_i - r_j||²),   ||z - r||² = ||z - c||² + ||r - c||² - 2 (z - c)·(r - c)
/// ```
/// in doubles, with w the weights of the votes (1 without) and c the mean of the training rows: the first term is the same for all j and is left out.
pub fn add(graph: &mut Graph, fitted: &Fitted, embedding: &str) {
    let p = weights(graph, fitted, embedding);
    match fitted.training_targets() {
        TrainingTargets::Classes { names, labels, .. } => {
            let (m, c) = (labels.len(), names.len());
            let mut members = vec![0.0; m * c];
            labels.iter().enumerate().for_each(|(row, &class)| members[row * c + class] = 1.0);
            let members = graph.constant("members", DataType::Double, &members, &[m, c]);
            let probabilities = graph.apply("MatMul", &[&p, &members], "probabilities");
            let attributes = [("axis", 1), ("keepdims", 0)];
            let index = graph.node("ArgMax", &[&probabilities], "class_index", &attributes);
            let names = graph.texts("class_names", names);
            graph.node("Gather", &[&names, &index], "label", &[("axis", 0)]);
            let meaning = "the probability of each class by the stochastic rule";
            graph.output("probabilities", DataType::Double, Some(c), meaning);
            graph.output("label", DataType::String, None, "the most probable class");
        }
        TrainingTargets::Numbers(targets) => {
            let shape = [targets.rows(), targets.columns()];
            let values = graph.constant("targets", DataType::Double, targets.values(), &shape);
            graph.apply("MatMul", &[&p, &values], "prediction");
            let meaning = "the targets of the training rows, weighted by the stochastic rule";
            graph.output("prediction", DataType::Double, Some(targets.columns()), meaning);
        }
        TrainingTargets::Unlabelled => {}
    }
}

/// The weights `p_ij` of all training rows, `[n, m]`.
fn weights(graph: &mut Graph, fitted: &Fitted, embedding: &str) -> String {
    let [m, k] = fitted.references().dims();
    let references = host(fitted.references().clone());
    let centre: Vec<f64> = (0..k)
        .map(|axis| references.iter().skip(axis).step_by(k).sum::<f64>() / m as f64)
        .collect();
    // [k, m]: 2 (r - c), and the negative of its square.
    let mut twice = vec![0.0; k * m];
    let mut negative_squares = vec![0.0; m];
    for (row, reference) in references.chunks_exact(k).enumerate() {
        for (axis, (r, c)) in reference.iter().zip(&centre).enumerate() {
            twice[axis * m + row] = 2.0 * (r - c);
            negative_squares[row] -= (r - c) * (r - c);
        }
    }
    if let TrainingTargets::Classes { weights: Some(weights), .. } = fitted.training_targets() {
        // A weight of 0 has no finite logarithm.
        let logs = weights.iter().map(|weight| weight.ln().max(LEAST_LOG));
        negative_squares.iter_mut().zip(logs).for_each(|(square, log)| *square += log);
    }
    let double = DataType::Double;
    let z = match fitted.card().fit.precision {
        burn_nca::fit::Precision::F32 => graph.cast(embedding, double, "embedding_double"),
        burn_nca::fit::Precision::F64 => embedding.to_string(),
    };
    let centre = graph.constant("centre", double, &centre, &[k]);
    let twice = graph.constant("twice_references", double, &twice, &[k, m]);
    let squares = graph.constant("negative_squares", double, &negative_squares, &[m]);
    let z = graph.apply("Sub", &[&z, &centre], "from_centre");
    let product = graph.apply("MatMul", &[&z, &twice], "twice_product");
    let logits = graph.apply("Add", &[&product, &squares], "logits");
    graph.node("Softmax", &[&logits], "p", &[("axis", -1)])
}

/// Bytes of the constants that the rule adds for `rows` training rows, at most.
pub fn bytes(rows: usize, k: usize, columns: usize) -> usize {
    const DOUBLE: usize = 8;
    rows.saturating_mul(k.saturating_add(columns).saturating_add(1)).saturating_mul(DOUBLE)
}
