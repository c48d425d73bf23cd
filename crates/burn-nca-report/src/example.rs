//! Reports with realistic numbers, for tests.

use burn_nca_learn::evaluate::ClassScores;
use burn_nca_learn::fit::SumsSummary;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};
use serde_json::json;

use super::*;
use crate::evaluation::{measures, numbers};

const COLUMNS: [&str; 4] = ["sepal length", "sepal width", "petal length", "petal width"];
const MAP: [f64; 8] = [0.42, 0.31, -2.87, -3.18, -0.08, 1.22, 0.65, -0.9];

impl Report {
    /// A report of classes: 3 classes, 150 rows, 45 of them held out, two dimensions.
    pub(crate) fn example() -> Self {
        Self::with_classes(&["setosa", "versicolor", "virginica"], 50, 2)
    }

    /// The example with other classes, `members` rows each, 3 of 10 held out, in k dimensions.
    pub(crate) fn with_classes(names: &[&str], members: usize, dimension: usize) -> Self {
        let (classes, test) = (names.len(), members * 3 / 10);
        let train = members - test;
        let class = |name: &&str| ClassCount { name: (*name).to_owned(), train, test };
        let data = Data {
            columns: COLUMNS.len(),
            classes: names.iter().map(class).collect(),
            ..data("iris", [classes * members, classes * train, classes * test])
        };
        let points = points(classes, members, train, dimension);
        let p: Vec<f64> = points.iter().filter_map(|point| point.mark.p).collect();
        let (confusion, class_scores) = confusion(&points, classes, Part::Test);
        let perplexity: Vec<f64> = p.iter().map(|p| 2.0 + 9.0 * p).collect();
        let mean_perplexity = perplexity.iter().sum::<f64>() / perplexity.len() as f64;
        let embedding = Embedding::new(dimension, (dimension > 2).then_some(0.872), points);
        let replay = Some(replayed(&embedding));
        let results = Results::Classes(Box::new(ClassResults {
            accuracy: Accuracy { train: 103.0 / 105.0, test: Some(43.0 / 45.0) },
            f: p.iter().sum(),
            g: p.iter().map(|p| p.ln()).sum(),
            confusion,
            class_scores,
            labels: ContradictedLabels::default(),
            explained: None,
            perplexity,
            p,
            embedding,
        }));
        let command = "nca fit iris --dim 2 --test-size 0.3 --seed 7 --out runs/iris";
        let of_all = Self::around("NCA", command, data, comparison(dimension), &results);
        Self { mean_perplexity, replay, ..of_all }
    }

    /// The same fit with nothing held out.
    pub(crate) fn without_test(mut self) -> Self {
        let data = &mut self.header.data;
        data.classes.iter_mut().for_each(|class| class.test = 0);
        (data.rows, data.test) = (data.train, 0);
        let classes = data.classes.len();
        for row in &mut self.comparison.rows {
            let of_test = row.values.iter_mut().filter(|(key, _)| key.ends_with("_test"));
            of_test.for_each(|(_, value)| *value = None);
            row.interval = None;
        }
        self.curve.0.iter_mut().for_each(|point| point.held_out = None);
        self.replay = None;
        let found = self.classes_mut();
        found.accuracy.test = None;
        found.embedding.points.retain(|point| point.part == Part::Train);
        (found.confusion, found.class_scores) =
            confusion(&found.embedding.points, classes, Part::Train);
        self
    }

    /// A report of a numeric target: 506 rows, 152 of them held out.
    pub(crate) fn of_numbers() -> Self {
        let keys = ["r2_train", "r2_test", "rmse_test", "mae_test"];
        let row = |method: &str, rule: &str, dimension, values: [f64; 4]| MeasureRow {
            rule: rule.to_owned(),
            ..measured(method, dimension, &keys, &values)
        };
        let rows = vec![
            row("Euclidean", "5-NN", 13, [0.781, 0.752, 4.53, 2.81]),
            row("PCA", "5-NN", 2, [0.59, 0.612, 5.66, 3.9]),
            row("MLKR", "5-NN", 2, [0.89, 0.858, 3.43, 2.3]),
            row("MLKR", "kernel", 2, [0.921, 0.871, 3.27, 2.18]),
        ];
        let target = Some("price".to_owned());
        let data = Data { target, ..data("housing", [506, 354, 152]) };
        Self::of_values("MLKR", data, numbers::measures(), rows, band(), Results::Numbers)
    }

    /// A report of pairs: 400 rows, 200 pairs, 60 of them held out.
    pub(crate) fn of_pairs() -> Self {
        let keys = ["recall_1_test", "recall_5_test", "median_rank_test"];
        let rows = vec![
            measured("Euclidean", 13, &keys, &[0.1, 0.317, 22.0]),
            measured("PCA", 2, &keys, &[0.15, 0.4, 12.5]),
            measured("pairs", 2, &keys, &[0.425, 0.858, 2.0]),
        ];
        let mut embedding = band();
        embedding.color = Some("row".to_owned());
        for (at, point) in embedding.points.iter_mut().enumerate() {
            let mark = ValueMark { value: (at + 1) as f64, predicted: None };
            (point.mark, point.part) = (mark, Part::Train);
        }
        embedding.links = (1..200).map(|at| [at - 1, at]).collect();
        let data = data("film", [400, 140, 60]);
        Self::of_values("pairs", data, measures("test"), rows, embedding, Results::Pairs)
    }

    fn of_values(
        method: &str,
        data: Data,
        measures: Vec<Measure>,
        rows: Vec<MeasureRow>,
        embedding: Embedding<ValueMark>,
        results: fn(ValueResults) -> Results,
    ) -> Self {
        let scores = rows[rows.len() - 1].clone();
        let results = results(ValueResults { value: 27.96, scores, explained: None, embedding });
        let comparison = MeasureTable { neighbors: None, measures, rows };
        let command = "nca fit housing.csv --target price --task regression --dim 2";
        Self::around(method, command, data, comparison, &results)
    }

    /// What all kinds have in common.
    fn around(
        method: &str,
        command: &str,
        data: Data,
        comparison: MeasureTable,
        results: &Results,
    ) -> Self {
        let columns = COLUMNS.map(String::from);
        let norms = MAP[..4].iter().zip(&MAP[4..]).map(|(a, b)| a.hypot(*b)).collect();
        let mut document = json!({
            "format": FORMAT, "program": "nca 0.1.0", "command": command, "seed": 7,
            "method": method, "data": data, "comparison": comparison, "warnings": [],
            "settings": {
                "objective": "f", "encoder": {"kind": "linear", "dim": 2}, "init": "pca",
                "scale": "standardize", "max_iterations": 200, "tolerance": 1e-5, "l2": 0.0,
                "optimizer": "lbfgs",
            },
            "device": {"name": "cpu", "backend": "flex", "dtype": "f64"},
            "termination": "GradientSmall", "converged": true, "iterations": 42, "evaluations": 51,
            "termination_sentence": "The largest entry of the gradient fell below the tolerance, 1e-5.",
            "seconds": 0.814, "ended": "2026-01-31 12:00 UTC", "sums": SumsSummary::Fused,
            "peak_memory_bytes": 183 << 20, "mean_perplexity": 8.13,
            "feature_weights": FeatureWeights::of_norms(&columns, norms),
            "matrix": Matrix::small(columns.into(), &MAP), "curve": curve(42),
        });
        let found = serde_json::to_value(results).unwrap();
        document.as_object_mut().unwrap().extend(found.as_object().unwrap().clone());
        Self::from_document(document).unwrap()
    }

    pub(crate) fn classes(&self) -> &ClassResults {
        let Results::Classes(found) = &self.results else { panic!("of no classes") };
        found
    }

    pub(crate) fn classes_mut(&mut self) -> &mut ClassResults {
        let Results::Classes(found) = &mut self.results else { panic!("of no classes") };
        found
    }

    pub(crate) fn values(&self) -> &ValueResults {
        match &self.results {
            Results::Numbers(found) | Results::Pairs(found) => found,
            Results::Classes(_) => panic!("of no values"),
        }
    }

    pub(crate) fn values_mut(&mut self) -> &mut ValueResults {
        match &mut self.results {
            Results::Numbers(found) | Results::Pairs(found) => found,
            Results::Classes(_) => panic!("of no values"),
        }
    }
}

fn data(name: &str, [rows, train, test]: [usize; 3]) -> Data {
    Data { name: name.to_owned(), rows, columns: 13, train, test, ..Data::default() }
}

fn measured(method: &str, dimension: usize, keys: &[&str], values: &[f64]) -> MeasureRow {
    let values = keys.iter().copied().zip(values.iter().copied().map(Some));
    MeasureRow::new(method, dimension, values)
}

fn comparison(dimension: usize) -> MeasureTable {
    let keys = ["nn_train", "nn_test", "knn_test", "soft_test"];
    let row = |method: &str, dimension, right: [f64; 4], interval| {
        let shares = [right[0] / 105.0, right[1] / 45.0, right[2] / 45.0, right[3] / 45.0];
        MeasureRow { interval: Some(interval), ..measured(method, dimension, &keys, &shares) }
    };
    MeasureTable {
        neighbors: Some(5),
        measures: Measure::of_classes(5),
        rows: vec![
            row("Euclidean", 4, [100.0, 42.0, 43.0, 41.0], [0.821, 0.977]),
            row("PCA", dimension, [99.0, 41.0, 42.0, 40.0], [0.793, 0.965]),
            row("LDA", 2, [101.0, 43.0, 44.0, 43.0], [0.852, 0.988]),
            row("NCA", dimension, [103.0, 43.0, 43.0, 44.0], [0.852, 0.988]),
        ],
    }
}

fn confusion(points: &[Point<ClassMark>], classes: usize, part: Part) -> (Confusion, ClassTable) {
    let marks = points.iter().filter(|point| point.part == part).map(|point| point.mark);
    let (predicted, truth): (Vec<usize>, Vec<usize>) =
        marks.map(|mark| (mark.predicted.unwrap(), mark.class)).unzip();
    let scores = ClassScores::of(&predicted, &truth, classes).unwrap();
    (Confusion::of(part, &predicted, &truth, classes), ClassTable::of(part, &scores))
}

/// A cloud a class on a ring; a point nearer to another class's center is predicted as that class.
fn points(classes: usize, members: usize, train: usize, dimension: usize) -> Vec<Point<ClassMark>> {
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    let spread = Normal::new(0.0, 1.0).unwrap();
    let radius = 0.97 * classes as f64;
    let center = |class: usize| {
        let angle = std::f64::consts::TAU * class as f64 / classes as f64;
        match dimension {
            1 => vec![3.2 * class as f64],
            _ => vec![radius * angle.cos(), 0.7 * radius * angle.sin()],
        }
    };
    (0..classes * members)
        .map(|index| {
            let class = index / members;
            let coordinates: Vec<f64> =
                center(class).iter().map(|mean| mean + spread.sample(&mut rng)).collect();
            let distance = |class: usize| -> f64 {
                coordinates.iter().zip(center(class)).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let nearest =
                (0..classes).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap();
            let part = if index % members < train { Part::Train } else { Part::Test };
            let own = (-distance(class) / 4.0).exp();
            let other = if nearest == class { 0.02 } else { 0.5 };
            let p = (part == Part::Train).then_some(own / (own + other));
            let mark = ClassMark { class, predicted: Some(nearest), p };
            Point { row: index + 1, id: None, coordinates, part, mark }
        })
        .collect()
}

/// A fit that draws the points apart, from the tenth of their places on.
fn replayed(embedding: &Embedding<ClassMark>) -> Replay {
    let mut points: Vec<&Point<ClassMark>> = embedding.points.iter().collect();
    points.sort_by_key(|point| (point.part == Part::Test, point.mark.class));
    let dimension = embedding.dimension.min(2);
    let steps: [(u64, f64, f64); 5] =
        [(0, 0.1, 0.6), (1, 0.3, 0.7), (4, 0.6, 0.86), (13, 0.9, 0.95), (42, 1.0, 0.96)];
    let at = |share: f64| -> Vec<f64> {
        points.iter().flat_map(|point| point.coordinates.iter().map(move |x| share * x)).collect()
    };
    let places: Vec<Vec<f64>> = steps.iter().map(|step| at(step.1)).collect();
    let window = Window::around(&places, 4, dimension);
    let frame = |(at, (iteration, _, accuracy)): (usize, &(u64, f64, f64))| ReplayFrame {
        iteration: *iteration,
        train: Some(*accuracy),
        test: Some(accuracy - 0.02),
        kept: at == 4,
        places: window.places(&places[at], dimension),
    };
    let frames = steps.iter().enumerate().map(frame).collect();
    let (neighbors, points) = (points.len(), points.into_iter());
    let row =
        |of: &Point<ClassMark>| ReplayPoint { row: of.row, class: of.mark.class, part: of.part };
    Replay { dimension, neighbors, points: points.map(row).collect(), values: None, window, frames }
}

fn curve(iterations: u64) -> Vec<CurvePoint> {
    let at = |iteration: u64| {
        let left = (-(iteration as f64) / 7.0).exp();
        CurvePoint {
            iteration,
            value: -101.4 + 38.0 * left,
            held_out: Some(-41.6 + 12.0 * left + 0.002 * (iteration * iteration) as f64 / 3.0),
            gradient_max: Some(14.0 * (-(iteration as f64) / 3.1).exp()),
        }
    };
    (0..=iterations).map(at).collect()
}

/// A bent band of points; the target runs along it.
fn band() -> Embedding<ValueMark> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let points = (0..200).map(|index| {
        let along = index as f64 / 200.0;
        let value = 5.0 + 45.0 * along + rng.random_range(-2.0..2.0);
        let coordinates = vec![
            8.0 * (2.5 * along).sin() + rng.random_range(-0.6..0.6),
            6.0 * (2.5 * along).cos() + rng.random_range(-0.6..0.6),
        ];
        let predicted = Some(value + rng.random_range(-4.0..4.0));
        let part = if index % 10 < 7 { Part::Train } else { Part::Test };
        Point { row: index + 1, id: None, coordinates, part, mark: ValueMark { value, predicted } }
    });
    Embedding { color: Some("price".to_owned()), ..Embedding::new(2, None, points.collect()) }
}
