//! Operations that the rules of a model share: distances from the training rows, their weights and classes.

use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, TensorFeatures};
use burn_nca_learn::neighbors::Rule;

use crate::graph::{DataType, Graph};

/// The output of every rule of classes, `[n, c]`.
pub const PROBABILITIES: &str = "probabilities";

/// The output of every rule of numbers, `[n, columns]`.
pub const PREDICTION: &str = "prediction";

/// The logarithm of no weight: its exponential is 0 compared with that of any weight.
const LEAST_LOG: f64 = -1e300;

/// The logarithm of the weight of each training row, `[m]`.
pub fn log_weights(graph: &mut Graph, weights: &[f64]) -> String {
    // A weight of 0 has no finite logarithm.
    let logs: Vec<f64> = weights.iter().map(|weight| weight.ln().max(LEAST_LOG)).collect();
    graph.constant("log_weights", DataType::Double, &logs, &[logs.len()])
}

/// Which entry is of which class, 0 or 1, `[entries, c]`.
pub fn members(graph: &mut Graph, name: &str, labels: &[usize], classes: usize) -> String {
    let mut members = vec![0.0; labels.len() * classes];
    labels.iter().enumerate().for_each(|(row, &class)| members[row * classes + class] = 1.0);
    graph.constant(name, DataType::Double, &members, &[labels.len(), classes])
}

/// The difference of each row from each training row, `[n, m, k]`.
pub fn differences(graph: &mut Graph, fitted: &Fitted, z: &str) -> String {
    let [m, k] = fitted.references().dims();
    let references = host(fitted.references().clone());
    let references = graph.constant("references", DataType::Double, &references, &[m, k]);
    let axis = graph.whole_numbers("second_axis", &[1]);
    let z = graph.apply("Unsqueeze", &[z, &axis], "embedding_of_each");
    graph.apply("Sub", &[&z, &references], "differences")
}

/// The sum over the last dimension, which goes.
pub fn sum_of_last(graph: &mut Graph, input: &str, output: &str) -> String {
    let axis = graph.whole_numbers(&format!("last_axis_of_{output}"), &[-1]);
    graph.node("ReduceSum", &[input, &axis], output, &[("keepdims", 0)])
}

/// `-D_ij` by the distance of the model's rule, but for what is the same for all j, `[n, m]`.
///
/// ```text
/// Σ_r |z_ir - z_jr|    by the differences of all pairs, [n, m, k]
/// ||z - r||² = ||z - c||² + ||r - c||² - 2 (z - c)·(r - c)      c: the mean of the training rows
/// ```
pub fn negative_distances(graph: &mut Graph, fitted: &Fitted, z: &str) -> String {
    if *fitted.rule() == Rule::Manhattan {
        let differences = differences(graph, fitted, z);
        let absolute = graph.apply("Abs", &[&differences], "absolute_differences");
        let distances = sum_of_last(graph, &absolute, "distances");
        return graph.apply("Neg", &[&distances], "logits");
    }
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

/// Training rows from their mean, of which squared distances are made without a difference of each pair.
pub struct Centered {
    /// The mean c, `[k]`.
    pub center: Vec<f64>,
    /// `2 (r - c)`, `[k, m]`.
    pub twice: Vec<f64>,
    /// `||r - c||²`, `[m]`.
    pub squares: Vec<f64>,
}

impl Centered {
    /// Of the training rows `[m, k]`, row-major.
    pub fn of(references: &[f64], [m, k]: [usize; 2]) -> Self {
        let center: Vec<f64> = (0..k)
            .map(|axis| references.iter().skip(axis).step_by(k).sum::<f64>() / m as f64)
            .collect();
        let (mut twice, mut squares) = (vec![0.0; k * m], vec![0.0; m]);
        for (row, reference) in references.chunks_exact(k).enumerate() {
            for (axis, (r, c)) in reference.iter().zip(&center).enumerate() {
                twice[axis * m + row] = 2.0 * (r - c);
                squares[row] += (r - c) * (r - c);
            }
        }
        Self { center, twice, squares }
    }
}

/// The values of a tensor, row-major.
///
/// # Panics
/// For a tensor without columns, which no encoder has.
pub fn host(tensor: Tensor<2>) -> Vec<f64> {
    Features::from_tensor(tensor).expect("weights are finite and have columns").values().to_vec()
}
