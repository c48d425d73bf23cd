use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::report::{FORMAT, Report};

impl ContinuousReport {
    /// A report of a numeric target with realistic numbers: 506 rows, 152 of them held out.
    pub fn example() -> Self {
        let row = |method: &str, rule: &str, dimension, values: [f64; 4]| MeasureRow {
            method: method.to_owned(),
            rule: rule.to_owned(),
            dimension,
            values: ["r2_train", "r2_test", "rmse_test", "mae_test"]
                .map(String::from)
                .into_iter()
                .zip(values)
                .collect::<BTreeMap<_, _>>(),
        };
        let rows = vec![
            row("Euclidean", "5-NN", 13, [0.781, 0.752, 4.53, 2.81]),
            row("PCA", "5-NN", 2, [0.59, 0.612, 5.66, 3.9]),
            row("MLKR", "5-NN", 2, [0.89, 0.858, 3.43, 2.3]),
            row("MLKR", "kernel", 2, [0.921, 0.871, 3.27, 2.18]),
        ];
        let measure = |key: &str, label: &str, more_is_better, held_out| Measure {
            key: key.to_owned(),
            label: label.to_owned(),
            unit: Unit::Number,
            more_is_better,
            held_out,
        };
        let measures = vec![
            measure("r2_train", "R² train", true, false),
            measure("r2_test", "R² test", true, true),
            measure("rmse_test", "RMSE test", false, true),
            measure("mae_test", "MAE test", false, true),
        ];
        Self::around(Kind::Numbers, "MLKR", MeasureTable { measures, rows })
    }

    /// A report of pairs with realistic numbers: 400 rows, 200 pairs, 60 of them held out.
    pub fn of_pairs() -> Self {
        let keys = ["recall_1_test", "recall_5_test", "median_rank_test"];
        let row = |method: &str, dimension, values: [f64; 3]| MeasureRow {
            method: method.to_owned(),
            rule: String::new(),
            dimension,
            values: keys.map(String::from).into_iter().zip(values).collect::<BTreeMap<_, _>>(),
        };
        let rows = vec![
            row("Euclidean", 13, [0.1, 0.317, 22.0]),
            row("PCA", 2, [0.15, 0.4, 12.5]),
            row("pairs", 2, [0.425, 0.858, 2.0]),
        ];
        let measure = |key: &str, label: &str, unit, more_is_better| Measure {
            key: key.to_owned(),
            label: label.to_owned(),
            unit,
            more_is_better,
            held_out: true,
        };
        let measures = vec![
            measure(keys[0], "nearest", Unit::Share, true),
            measure(keys[1], "among 5", Unit::Share, true),
            measure(keys[2], "median rank", Unit::Number, false),
        ];
        let mut report = Self::around(Kind::Pairs, "pairs", MeasureTable { measures, rows });
        report.data = ContinuousData {
            name: "film".to_owned(),
            rows: 400,
            columns: 13,
            train: 140,
            test: 60,
            target: None,
        };
        report.embedding.colour = "row".to_owned();
        for (at, point) in report.embedding.points.iter_mut().enumerate() {
            (point.value, point.predicted, point.part) = ((at + 1) as f64, None, Part::Train);
        }
        report.embedding.links = (1..200).map(|at| [at - 1, at]).collect();
        report
    }

    /// Everything but the comparison, from the example of classes.
    fn around(kind: Kind, method: &str, comparison: MeasureTable) -> Self {
        let classes = Report::example();
        Self {
            format: FORMAT,
            kind,
            program: classes.program,
            command: "nca fit housing.csv --target price --task regression --dim 2".to_owned(),
            seed: 0,
            method: method.to_owned(),
            data: ContinuousData {
                name: "housing".to_owned(),
                rows: 506,
                columns: 13,
                train: 354,
                test: 152,
                target: Some("price".to_owned()),
            },
            settings: classes.settings,
            device: classes.device,
            run: classes.run,
            warnings: Vec::new(),
            value: 27.96,
            mean_perplexity: 8.13,
            scores: comparison.rows.last().cloned().unwrap(),
            comparison,
            feature_weights: classes.feature_weights,
            matrix: classes.matrix,
            curve: classes.curve,
            embedding: embedding(),
        }
    }
}

/// A bent band of points; the target runs along it.
fn embedding() -> ColouredEmbedding {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let points = (0..200).map(|index| {
        let along = index as f64 / 200.0;
        let value = 5.0 + 45.0 * along + rng.random_range(-2.0..2.0);
        ColouredPoint {
            row: index + 1,
            coordinates: vec![
                8.0 * (2.5 * along).sin() + rng.random_range(-0.6..0.6),
                6.0 * (2.5 * along).cos() + rng.random_range(-0.6..0.6),
            ],
            value,
            predicted: Some(value + rng.random_range(-4.0..4.0)),
            part: if index % 10 < 7 { Part::Train } else { Part::Test },
        }
    });
    ColouredEmbedding {
        dimension: 2,
        variance_share: None,
        colour: "price".to_owned(),
        points: points.collect(),
        links: Vec::new(),
    }
}
