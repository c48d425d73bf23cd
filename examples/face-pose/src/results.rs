//! What a run found, as one JSON document and as a table.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::banks::BankSummary;
use crate::measure::{PolarMap, PolarScores, PoseError};
use crate::training::{Check, Ending, Plan, Trained};

/// Raised when an older reader could not read what this program writes.
pub const FORMAT: u32 = 1;

/// A run in numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    /// [`FORMAT`].
    pub format: u32,
    /// The command that made it.
    pub command: String,
    /// The faces.
    pub faces: BankSummary,
    /// How it was trained.
    pub settings: Settings,
    /// The training on pairs.
    pub pairs: Training,
    /// The training of the supervised network, if there was one.
    pub poses: Option<Training>,
    /// The polar coordinates, fitted to the reference faces; none where the plane has none.
    pub polar: Option<PolarMap>,
    /// Its scores on the reference faces, which are of the training people.
    pub reference_scores: Option<PolarScores>,
    /// Its scores on the faces of the test people.
    pub test_scores: Option<PolarScores>,
    /// Mean absolute errors of poses on the faces of the test people.
    pub errors: Vec<MethodError>,
    /// Faces of the training people that neighbors are looked for among.
    pub reference_faces: usize,
    /// Faces of the test people.
    pub test_faces: usize,
    /// k of the k-NN regression.
    pub neighbors: usize,
}

/// The settings of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The network's name.
    pub network: String,
    /// Its number of parameters.
    pub parameters: usize,
    /// Steps, pairs, learning rate, stopping.
    pub plan: Plan,
    /// Whether the normalizer counted c = d.
    pub include_self: bool,
    /// Whether faces were mirrored at random.
    pub mirror: bool,
    /// The device.
    pub device: String,
}

/// How a training went.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Training {
    /// Why it ended.
    pub ending: Ending,
    /// The same as a sentence.
    pub sentence: String,
    /// Steps done.
    pub steps: usize,
    /// The step of the network that was kept: that of the lowest held-out loss.
    pub best_step: usize,
    /// Seconds, over all runs.
    pub seconds: f64,
    /// The checks, first to last.
    pub history: Vec<Check>,
}

/// The error of one way to tell poses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MethodError {
    /// What predicted the poses.
    pub method: String,
    /// Its error.
    pub error: PoseError,
}

impl Training {
    /// The account of a training.
    pub fn of<N>(trained: &Trained<N>) -> Self {
        Self {
            ending: trained.ending,
            sentence: trained.ending.sentence().to_string(),
            steps: trained.steps,
            best_step: trained.best_step,
            seconds: trained.seconds,
            history: trained.history.clone(),
        }
    }
}

impl Results {
    /// The results as a person reads them.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        let faces = &self.faces;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} ({}), {} test faces of {} people: ",
            faces.name, self.settings.network, self.test_faces, faces.test[1]
        );
        match self.test_scores {
            Some(PolarScores { angle, radius }) => {
                let _ = writeln!(text, "  angle around the center against rotation: {angle:.3}");
                let _ = writeln!(text, "  distance from the center against size:    {radius:.3}");
            }
            None => text.push_str("  the plane determines no polar coordinates\n"),
        }
        let _ = writeln!(text, "  mean absolute error          degrees   pixels");
        for row in &self.errors {
            let PoseError { degrees, pixels } = row.error;
            let _ = writeln!(text, "  {:<28} {degrees:>7.2}  {pixels:>7.2}", row.method);
        }
        let pairs = &self.pairs;
        let _ = writeln!(
            text,
            "  {} Kept step {} of {}; {:.0} s.",
            pairs.sentence, pairs.best_step, pairs.steps, pairs.seconds
        );
        text
    }
}

/// Results for tests.
#[cfg(test)]
pub fn example() -> Results {
    let check = |step: usize| Check {
        step,
        loss: 5.0,
        held_out: 5.1,
        rotation: 0.9,
        size: -0.6,
        seconds: 1.5,
    };
    Results {
        format: FORMAT,
        command: "face-pose --faces '</script>'".to_string(),
        faces: BankSummary {
            name: "</script><b>".to_string(),
            train: [80, 40],
            validation: [8, 4],
            test: [20, 10],
        },
        settings: Settings {
            network: "mlp".to_string(),
            parameters: 122_802,
            plan: Plan {
                steps: 10,
                pairs: 4,
                learning_rate: 1e-3,
                seed: 0,
                start_scale: 1.0,
                checks: 5,
                patience: 3,
            },
            include_self: true,
            mirror: false,
            device: "flex".to_string(),
        },
        pairs: Training {
            ending: Ending::StepsDone,
            sentence: Ending::StepsDone.sentence().to_string(),
            steps: 10,
            best_step: 8,
            seconds: 1.5,
            history: vec![check(5), check(10)],
        },
        poses: None,
        polar: Some(PolarMap { center: [0.5, 0.5], winding: 3.0, upright: 0.1, radius: 1.0 }),
        reference_scores: Some(PolarScores { angle: 0.96, radius: -0.7 }),
        test_scores: Some(PolarScores { angle: 0.95, radius: -0.6 }),
        errors: vec![MethodError {
            method: "pairs, k-NN".to_string(),
            error: PoseError { degrees: 5.25, pixels: 1.75 },
        }],
        reference_faces: 100,
        test_faces: 50,
        neighbors: 20,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_reads_well() {
        let text = example().summary();
        assert!(text.contains("against rotation: 0.950\n"), "{text}");
        assert!(text.contains("  pairs, k-NN                     5.25     1.75\n"), "{text}");
        assert!(text.ends_with("  All steps are done. Kept step 8 of 10; 2 s.\n"), "{text}");
    }

    #[test]
    fn the_document_reads_back() {
        let text = serde_json::to_string(&example()).unwrap();
        let back: Results = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
    }
}
