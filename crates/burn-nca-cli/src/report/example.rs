use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

use super::*;

const COLUMNS: [&str; 4] = ["sepal length", "sepal width", "petal length", "petal width"];
const MAP: [f64; 8] = [0.42, 0.31, -2.87, -3.18, -0.08, 1.22, 0.65, -0.9];

impl Report {
    /// A report with realistic numbers: 3 classes, 150 rows, 45 of them held out, two dimensions.
    pub fn example() -> Self {
        Self::with_classes(&["setosa", "versicolor", "virginica"], 50, 2)
    }

    /// The example with other classes, `members` rows each, 3 of 10 held out, in k dimensions.
    pub fn with_classes(names: &[&str], members: usize, dimension: usize) -> Self {
        let data = data(names, members);
        let points = points(names.len(), members, data.classes[0].train, dimension);
        let p: Vec<f64> = points.iter().filter_map(|point| point.p).collect();
        let perplexity: Vec<f64> = p.iter().map(|p| 2.0 + 9.0 * p).collect();
        Self {
            format: FORMAT,
            program: "nca 0.1.0".to_owned(),
            command: "nca fit iris --dim 2 --test-size 0.3 --seed 7 --out runs/iris".to_owned(),
            seed: 7,
            method: "NCA".to_owned(),
            data,
            settings: settings(dimension),
            device: DeviceSummary {
                name: "cpu".to_owned(),
                backend: "flex".to_owned(),
                dtype: "f64".to_owned(),
            },
            accuracy: Accuracy { train: 103.0 / 105.0, test: Some(43.0 / 45.0) },
            run: SolverRun {
                termination: "GradientSmall".to_owned(),
                termination_sentence:
                    "The largest entry of the gradient fell below the tolerance, 1e-5.".to_owned(),
                converged: true,
                iterations: 42,
                evaluations: 51,
                seconds: 0.814,
                ended: Some("2026-01-31 12:00 UTC".to_owned()),
                peak_memory_bytes: Some(183 << 20),
            },
            warnings: Vec::new(),
            f: p.iter().sum(),
            g: p.iter().map(|p| p.ln()).sum(),
            mean_perplexity: perplexity.iter().sum::<f64>() / perplexity.len() as f64,
            comparison: comparison(dimension),
            confusion: Some(confusion(&points, names.len(), Part::Test)),
            feature_weights: weights(&COLUMNS, &MAP),
            matrix: Matrix::small(COLUMNS.map(String::from).into(), &MAP),
            curve: curve(42),
            p,
            perplexity,
            embedding: Some(Embedding {
                dimension,
                variance_share: (dimension > 2).then_some(0.872),
                points,
            }),
            tuning: None,
        }
    }

    /// The same fit with nothing held out.
    pub fn without_test(mut self) -> Self {
        self.accuracy.test = None;
        for class in &mut self.data.classes {
            class.test = 0;
        }
        self.data.rows = self.data.train();
        for row in &mut self.comparison.rows {
            (row.nn_test, row.knn_test, row.soft_test, row.nn_test_interval) =
                (None, None, None, None);
        }
        if let Some(embedding) = &mut self.embedding {
            embedding.points.retain(|point| point.part == Part::Train);
            let classes = self.data.classes.len();
            self.confusion = Some(confusion(&embedding.points, classes, Part::Train));
        }
        for point in &mut self.curve {
            point.held_out = None;
        }
        self
    }
}

fn data(names: &[&str], members: usize) -> DataSummary {
    let test = members * 3 / 10;
    let class = |name: &&str| ClassCount { name: (*name).to_owned(), train: members - test, test };
    DataSummary {
        name: "iris".to_owned(),
        rows: names.len() * members,
        columns: COLUMNS.len(),
        classes: names.iter().map(class).collect(),
        without_partner: 0,
    }
}

fn settings(dimension: usize) -> serde_json::Value {
    serde_json::json!({
        "objective": "f", "encoder": {"kind": "linear", "dim": dimension}, "init": "pca",
        "scale": "standardise", "max_iterations": 200, "tolerance": 1e-5, "l2": 0.0,
        "optimizer": "lbfgs",
    })
}

/// A cloud a class on a ring; a point nearer to another class's centre is predicted as that class.
fn points(classes: usize, members: usize, train: usize, dimension: usize) -> Vec<EmbeddedPoint> {
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    let spread = Normal::new(0.0, 1.0).unwrap();
    let radius = 0.97 * classes as f64;
    let center = |class: usize| {
        let angle = std::f64::consts::TAU * class as f64 / classes as f64;
        if dimension == 1 {
            vec![3.2 * class as f64]
        } else {
            vec![radius * angle.cos(), 0.7 * radius * angle.sin()]
        }
    };
    let distance =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum() };
    (0..classes * members)
        .map(|index| {
            let class = index / members;
            let coordinates: Vec<f64> =
                center(class).iter().map(|mean| mean + spread.sample(&mut rng)).collect();
            let nearest = (0..classes)
                .min_by(|&a, &b| {
                    distance(&coordinates, &center(a))
                        .total_cmp(&distance(&coordinates, &center(b)))
                })
                .unwrap();
            let part = if index % members < train { Part::Train } else { Part::Test };
            let own = (-distance(&coordinates, &center(class)) / 4.0).exp();
            let other = if nearest == class { 0.02 } else { 0.5 };
            EmbeddedPoint {
                row: index + 1,
                coordinates,
                class,
                predicted: Some(nearest),
                part,
                p: (part == Part::Train).then_some(own / (own + other)),
            }
        })
        .collect()
}

fn confusion(points: &[EmbeddedPoint], classes: usize, part: Part) -> Confusion {
    let counted = points.iter().filter(|point| point.part == part);
    let (predicted, truth): (Vec<usize>, Vec<usize>) =
        counted.map(|point| (point.predicted.unwrap(), point.class)).unzip();
    Confusion::of(part, &predicted, &truth, classes)
}

fn comparison(dimension: usize) -> Comparison {
    let row = |method: &str, dimension, right: [f64; 4], interval| ComparisonRow {
        method: method.to_owned(),
        dimension,
        nn_train: Some(right[0] / 105.0),
        nn_test: Some(right[1] / 45.0),
        nn_test_interval: Some(interval),
        knn_test: Some(right[2] / 45.0),
        soft_test: Some(right[3] / 45.0),
    };
    Comparison {
        neighbors: 5,
        rows: vec![
            row("Euclidean", 4, [100.0, 42.0, 43.0, 41.0], [0.821, 0.977]),
            row("PCA", dimension, [99.0, 41.0, 42.0, 40.0], [0.793, 0.965]),
            row("LDA", 2, [101.0, 43.0, 44.0, 43.0], [0.852, 0.988]),
            row("NCA", dimension, [103.0, 43.0, 43.0, 44.0], [0.852, 0.988]),
        ],
    }
}

/// The weights of the columns of a map, row-major.
pub fn weights(columns: &[&str], map: &[f64]) -> Vec<FeatureWeight> {
    let d = columns.len();
    let square =
        |place: usize| map.iter().skip(place).step_by(d).map(|entry| entry * entry).sum::<f64>();
    let trace: f64 = map.iter().map(|entry| entry * entry).sum();
    let entry = |(place, column): (usize, &&str)| FeatureWeight {
        column: (*column).to_owned(),
        weight: square(place).sqrt(),
        share: square(place) / trace,
    };
    columns.iter().enumerate().map(entry).collect()
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
