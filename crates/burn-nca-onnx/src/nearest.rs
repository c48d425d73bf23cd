//! The decision of the k nearest training rows as operations: their votes, or the mean of their numbers.

use burn_nca_learn::Fitted;
use burn_nca_learn::fit::Precision;
use burn_nca_learn::neighbors::Rule;

use crate::graph::{DataType, Graph};
use crate::rule_parts::{PREDICTION, PROBABILITIES, members, negative_distances, sum_of_last};

/// What is added to the distance of a training row without weight: no row finds it.
const FAR: f64 = 1e300;

/// Distances are equal where they differ by at most `r (2 ||z|| + d)`: those of coordinates in f32, and in f64.
const RESOLUTION: [f64; 2] = [1.0 / (1u64 << 22) as f64, 1.0 / (1u64 << 47) as f64];

/// A class has more votes where it has them by more than rounding adds.
const ALMOST_ALL: f64 = 1.0 - 1e-12;

/// Attributes of a `TopK`, which gives the first of equal values first.
const LARGEST: [(&str, i64); 3] = [("axis", -1), ("largest", 1), ("sorted", 1)];
const SMALLEST: [(&str, i64); 3] = [("axis", -1), ("largest", 0), ("sorted", 1)];

/// The k nearest training rows of each row.
pub struct Nearest {
    k: usize,
    /// How much each of them counts, `[n, 1, k]`, or `[1, k]` where all count alike.
    voices: String,
    weighted: bool,
}

impl Nearest {
    /// Adds the search, whose indices `[n, k]` are called `nearest`: by distance, equally near rows in their order, as
    /// in [`burn_nca_learn::neighbors`].
    pub fn of(
        graph: &mut Graph,
        (fitted, k): (&Fitted, usize),
        weights: Option<&[f64]>,
        z: &str,
    ) -> Self {
        let double = DataType::Double;
        let mut far = distances(graph, fitted, z);
        if let Some(weights) = weights.filter(|weights| weights.contains(&0.0)) {
            let never = |weight: &f64| if *weight == 0.0 { FAR } else { 0.0 };
            let never: Vec<f64> = weights.iter().map(never).collect();
            let never = graph.constant("without_weight", double, &never, &[weights.len()]);
            far = graph.apply("Add", &[&far, &never], "distances_with_weight");
        }
        let ties = Ties::of(graph, fitted, k, z);
        let count = ties.count.clone();
        graph.node_of_many("TopK", &[&far, &count], &["smallest", "some_nearest"], &SMALLEST);
        // The last group of equal distances may have lower rows than those found: the group is searched by row.
        let begins = ties.begins(graph, "smallest", "first");
        let begins = graph.apply("Mul", &["smallest", &begins], "beginnings");
        let one = graph.whole_numbers("one", &[1]);
        graph.node_of_many("TopK", &[&begins, &one], &["last_group", "its_place"], &LARGEST);
        let reach = ties.reach(graph, "last_group", "reach_of_last");
        let before = graph.apply("Less", &[&far, "last_group"], "is_before");
        let before = graph.cast(&before, DataType::Float, "before");
        let within = graph.apply("LessOrEqual", &[&far, &reach], "is_within");
        let within = graph.cast(&within, DataType::Float, "within");
        let score = graph.apply("Add", &[&before, &within], "score");
        graph.node_of_many("TopK", &[&score, &count], &["scores", "found"], &LARGEST);
        // Those found, by group and row.
        let axis = [("axis", 1)];
        let found = graph.node("GatherElements", &[&far, "found"], "found_distances", &axis);
        let found = graph.apply("Min", &[&found, "last_group"], "least_distances");
        graph.node_of_many("TopK", &[&found, &count], &["ascending", "places"], &SMALLEST);
        let rows = graph.node("GatherElements", &["found", "places"], "ascending_rows", &axis);
        let begins = ties.begins(graph, "ascending", "each");
        let along = graph.whole_number("along_neighbors", 1);
        let group = graph.apply("CumSum", &[&begins, &along], "group");
        let all =
            graph.constant("training_rows", double, &[fitted.references().dims()[0] as f64], &[1]);
        let group = graph.apply("Mul", &[&group, &all], "group_of_rows");
        let number = graph.cast(&rows, double, "row_number");
        let key = graph.apply("Add", &[&group, &number], "group_and_row");
        graph.node_of_many("TopK", &[&key, &count], &["keys", "order"], &SMALLEST);
        graph.node("GatherElements", &[&rows, "order"], "nearest", &axis);
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
        let members = members(graph, "members", labels, classes);
        // [n, k, c], [n, 1, c] and [n, k]: the votes for the class of each of the nearest.
        let of_nearest =
            graph.node("Gather", &[&members, "nearest"], "nearest_classes", &[("axis", 0)]);
        let votes = graph.apply("MatMul", &[&self.voices, &of_nearest], "votes");
        let own = graph.apply("Mul", &[&of_nearest, &votes], "votes_of_nearest");
        let own = sum_of_last(graph, &own, "votes_for_the_class");
        graph.node_of_many("TopK", &[&own, "one"], &["most_votes", "a_winner"], &LARGEST);
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

/// `D_ij` by the distance of the model's rule, `[n, m]`.
fn distances(graph: &mut Graph, fitted: &Fitted, z: &str) -> String {
    let logits = negative_distances(graph, fitted, z);
    if *fitted.rule() == Rule::Manhattan {
        return graph.apply("Neg", &[&logits], "distances_of_all");
    }
    // They lack what is the same for all training rows.
    let own = graph.apply("Mul", &["from_center", "from_center"], "from_center_squared");
    let own = sum_of_last(graph, &own, "own_squares");
    let axis = graph.whole_numbers("axis_of_own", &[1]);
    let own = graph.apply("Unsqueeze", &[&own, &axis], "own_squares_column");
    let squares = graph.apply("Sub", &[&own, &logits], "squares_of_all");
    let squares = graph.apply("Relu", &[&squares], "squares_from_0");
    graph.apply("Sqrt", &[&squares], "distances_of_all")
}

/// Which distances of a row are equal but for rounding.
struct Ties {
    k: usize,
    /// Names of k, of 1 + r, and of `2 r ||z||`, `[n, 1]`.
    count: String,
    factor: String,
    margin: String,
}

impl Ties {
    fn of(graph: &mut Graph, fitted: &Fitted, k: usize, z: &str) -> Self {
        let double = DataType::Double;
        let r = RESOLUTION[usize::from(fitted.card().fit.precision == Precision::F64)];
        let manhattan = *fitted.rule() == Rule::Manhattan;
        let sizes = match manhattan {
            true => graph.apply("Abs", &[z], "sizes"),
            false => graph.apply("Mul", &[z, z], "sizes"),
        };
        let norm = sum_of_last(graph, &sizes, "sum_of_sizes");
        let norm = if manhattan { norm } else { graph.apply("Sqrt", &[&norm], "norm") };
        let twice = graph.constant("twice_resolution", double, &[2.0 * r], &[1]);
        let margin = graph.apply("Mul", &[&norm, &twice], "margins");
        let axis = graph.whole_numbers("axis_of_margins", &[1]);
        Self {
            k,
            count: graph.whole_numbers("neighbor_count", &[k as i64]),
            factor: graph.constant("factor_of_reach", double, &[1.0 + r], &[1]),
            margin: graph.apply("Unsqueeze", &[&margin, &axis], "margin"),
        }
    }

    /// The largest distance that equals one.
    fn reach(&self, graph: &mut Graph, distance: &str, output: &str) -> String {
        let product = graph.apply("Mul", &[distance, &self.factor], &format!("{output}_product"));
        graph.apply("Add", &[&product, &self.margin], output)
    }

    /// Which of ascending distances `[n, k]` begins a group of equal ones, 0 or 1.
    fn begins(&self, graph: &mut Graph, distances: &str, prefix: &str) -> String {
        let name = |part: &str| format!("{prefix}_{part}");
        let bounds = [("from", 0), ("first_end", 1), ("end", self.k as i64 - 1), ("axis", 1)];
        let bounds = bounds.map(|(part, value)| graph.whole_numbers(&name(part), &[value]));
        let [from, first_end, end, axis] = &bounds;
        let slice = graph.apply("Slice", &[distances, from, first_end, axis], &name("slice"));
        let far = graph.constant(&name("far"), DataType::Double, &[FAR], &[1]);
        let mut before = graph.apply("Sub", &[&slice, &far], &name("below_all"));
        if self.k > 1 {
            let others = graph.apply("Slice", &[distances, from, end, axis], &name("others"));
            before = graph.node("Concat", &[&before, &others], &name("before"), &[("axis", 1)]);
        }
        let reach = self.reach(graph, &before, &name("reach"));
        let begins = graph.apply("Greater", &[distances, &reach], &name("is_beginning"));
        graph.cast(&begins, DataType::Double, &name("begins"))
    }
}
