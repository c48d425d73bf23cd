//! The decision of the k nearest training rows as operations: their votes, or the mean of their numbers.

use burn_nca_learn::Fitted;

use crate::graph::{DataType, Graph};
use crate::rule::negative_distances;
use crate::rule_parts::{PREDICTION, PROBABILITIES, members, sum_of_last};

/// What is added to the negative distance of a training row without weight: no row finds it.
const NEVER: f64 = -1e300;

/// A class has more votes where it has them by more than rounding adds.
const ALMOST_ALL: f64 = 1.0 - 1e-12;

/// The k nearest training rows of each row.
pub struct Nearest {
    k: usize,
    /// How much each of them counts, `[n, 1, k]`, or `[1, k]` where all count alike.
    voices: String,
    weighted: bool,
}

impl Nearest {
    /// Adds the search, whose indices `[n, k]` are called `nearest`: equally near rows in their order.
    pub fn of(
        graph: &mut Graph,
        (fitted, k): (&Fitted, usize),
        weights: Option<&[f64]>,
        z: &str,
    ) -> Self {
        let double = DataType::Double;
        let mut near = negative_distances(graph, fitted, z);
        if let Some(weights) = weights.filter(|weights| weights.contains(&0.0)) {
            let never = |weight: &f64| if *weight == 0.0 { NEVER } else { 0.0 };
            let never: Vec<f64> = weights.iter().map(never).collect();
            let never = graph.constant("without_weight", double, &never, &[weights.len()]);
            near = graph.apply("Add", &[&near, &never], "nearness");
        }
        let count = graph.whole_numbers("neighbor_count", &[k as i64]);
        let largest = [("axis", -1), ("largest", 1), ("sorted", 1)];
        graph.node_of_many("TopK", &[&near, &count], &["nearest_values", "nearest"], &largest);
        let voices = match weights {
            Some(weights) => {
                let weights = graph.constant("weights", double, weights, &[weights.len()]);
                let axis = graph.whole_numbers("axis_of_voices", &[1]);
                let voices = graph.node("Gather", &[&weights, "nearest"], "voices", &[("axis", 0)]);
                graph.apply("Unsqueeze", &[&voices, &axis], "voices_of_each")
            }
            None => graph.constant("voices", double, &vec![1.0; k], &[1, k]),
        };
        Self { k, voices, weighted: weights.is_some() }
    }

    /// What the voices add up to, `[n, 1]` or `[1]`.
    fn total(&self, graph: &mut Graph) -> String {
        match self.weighted {
            true => sum_of_last(graph, &self.voices, "sum_of_voices"),
            false => graph.constant("sum_of_voices", DataType::Double, &[self.k as f64], &[1]),
        }
    }

    /// Adds the shares of the votes, and gives the index of the class, `[n]`: the nearest row's of those with most votes.
    pub fn class(&self, graph: &mut Graph, labels: &[usize], classes: usize) -> String {
        let members = members(graph, labels, classes);
        // [n, k, c], [n, 1, c] and [n, k]: the votes for the class of each of the nearest.
        let of_nearest =
            graph.node("Gather", &[&members, "nearest"], "nearest_classes", &[("axis", 0)]);
        let votes = graph.apply("MatMul", &[&self.voices, &of_nearest], "votes");
        let own = graph.apply("Mul", &[&of_nearest, &votes], "votes_of_nearest");
        let own = sum_of_last(graph, &own, "votes_for_the_class");
        let one = graph.whole_numbers("one", &[1]);
        let largest = [("axis", -1), ("largest", 1), ("sorted", 1)];
        graph.node_of_many("TopK", &[&own, &one], &["most_votes", "a_winner"], &largest);
        let almost = graph.constant("almost_all", DataType::Double, &[ALMOST_ALL], &[1]);
        let bound = graph.apply("Mul", &["most_votes", &almost], "enough_votes");
        let wins = graph.apply("GreaterOrEqual", &[&own, &bound], "has_most");
        let wins = graph.cast(&wins, DataType::Float, "has_most_as_number");
        // The first of the largest is the nearest.
        let first = graph.node("ArgMax", &[&wins], "first", &[("axis", 1), ("keepdims", 1)]);
        let row = graph.node("GatherElements", &["nearest", &first], "winner", &[("axis", 1)]);
        let axis = graph.whole_numbers("axis_of_rows", &[1]);
        let row = graph.apply("Squeeze", &[&row, &axis], "winning_row");
        let labels: Vec<i64> = labels.iter().map(|&label| label as i64).collect();
        let labels = graph.whole_numbers("training_classes", &labels);
        let index = graph.node("Gather", &[&labels, &row], "class_index", &[("axis", 0)]);
        let votes = graph.apply("Squeeze", &[&votes, &axis], "votes_of_classes");
        let total = self.total(graph);
        graph.apply("Div", &[&votes, &total], PROBABILITIES);
        index
    }

    /// Adds the mean of the values `[m, columns]` of the nearest.
    pub fn mean(&self, graph: &mut Graph, values: &str) {
        let of_nearest =
            graph.node("Gather", &[values, "nearest"], "nearest_targets", &[("axis", 0)]);
        let sums = graph.apply("MatMul", &[&self.voices, &of_nearest], "sums_of_targets");
        let axis = graph.whole_numbers("axis_of_rows", &[1]);
        let sums = graph.apply("Squeeze", &[&sums, &axis], "sum_of_targets");
        let total = self.total(graph);
        graph.apply("Div", &[&sums, &total], PREDICTION);
    }
}
