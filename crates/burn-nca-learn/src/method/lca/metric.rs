//! LCA as a metric for nearest neighbors: section 3.2 of the paper.

use web_time::Instant;

use super::{Score, Trainer, Training, check_trainer, searched};
use crate::baseline::Projection;
use crate::data::{Labeled, LabeledPairs, TensorFeatures, TrainingData};
use crate::encoder::{AnyEncoder, Encoder, EncoderConfig};
use crate::error::{Error, Result};
use crate::evaluate::{Embedded, held_out_accuracy};
use crate::fit::{FitSession, FitSummary, ResolvedStart, Start, StartWeights, Termination};
use crate::method::settings::settings;
use crate::method::{Grid, Learned, Method, Names, Problem, Uses};
use crate::neighbors::Rule;
use crate::objective::TargetNeighbors;
use crate::objective::transfer::widest_float;

settings! {
    /// Latent coincidence analysis for k-NN: a row should coincide with its targets, and not with its impostors.
    ///
    /// ```text
    /// T_i = the k nearest rows of the class of i, in the input          y = 1
    /// I_i = rows of other classes as near as the farthest of T_i         y = 0      (ties count)
    /// L   = Σ_i [ Σ_{j in T_i} log P1_ij + Σ_{j in I_i} log P0_ij ]
    /// P1_ij = (1 + 2σ²/κ_i²)^(-p/2) exp( -||W (x_i - x_j)||² / 2(κ_i² + 2σ²) ),   P0 = 1 - P1            (5)
    /// ```
    /// W and σ are shared; κ_i is the length scale of row i, as rows lie at very different distances from their targets.
    /// Rows without impostors are left out. With `refresh` the impostors are searched again in W x every so many steps, and
    /// those found before are kept; the gradient trainer keeps those of the input.
    ///
    /// # References
    /// M. Der, L. K. Saul, Latent Coincidence Analysis, NIPS 2012, section 3.2.
    Lca {
        /// rows of its class that each row should coincide with
        targets: usize = 3,
        /// steps of em between searches for impostors; 0 keeps those of the input
        ///
        /// They are searched in W x.
        refresh: usize = 10,
        /// steps after which em ends; 0: not before it converges
        ///
        /// More of them fit the nearest impostors of the training rows alone.
        steps: usize = 50,
        /// whether each row has a length scale of its own
        local_scales: bool = true,
        /// em, or gradient for any encoder and optimizer
        trainer: Trainer = "Trainer::Em",
    }
}

impl Method for Lca {
    const NAMES: Names = ["lca", "LCA", "Latent coincidence analysis"];
    const WHEN_TO_USE: &'static str = "classes and k-NN, where a likelihood is wanted and few dimensions; EM has no step to choose";
    const USES: &'static [Uses] = Uses::ALL;
    const GRID: Grid = &[
        ("trainer", &["em", "gradient"]),
        ("targets", &["3", "10"]),
        ("local_scales", &["true", "false"]),
    ];
    type Data = Labeled;

    fn searched(&self) -> &'static [Uses] {
        searched(self.trainer)
    }

    fn check(&self, problem: &Problem<'_, Labeled>) -> Result<()> {
        if self.targets == 0 {
            return Err(Error::setting("targets is 0; a row needs at least 1 to coincide with"));
        }
        check_trainer(self.trainer, problem)
    }

    fn learn(&self, problem: &Problem<'_, Labeled>, session: FitSession<'_>) -> Result<Learned> {
        let started = Instant::now();
        let (train, held_out) = problem.split()?;
        train.check()?;
        let device = &problem.device;
        // In the widest number type of the device: ties of a grid must stay ties.
        let input = train.features().to_tensor(device, widest_float(device));
        let neighbors = TargetNeighbors::new(&input, train.labels(), self.targets)?;
        let found = neighbors.labeled_pairs(&input)?;
        let (start, resolved) = start(problem, &train)?;
        let learned = |encoder: AnyEncoder, summary: FitSummary| Learned {
            encoder,
            rule: Rule::Neighbors,
            summary: summary.with_rows(&train, problem.data),
        };
        if found.is_empty() {
            // No row has an impostor, so every map is as likely.
            let termination = Termination::GradientSmall;
            let summary = FitSummary::closed_form(started);
            return Ok(learned(start, FitSummary { start: resolved, termination, ..summary }));
        }
        let pairs = LabeledPairs::new(train.rows(), found)?;
        let x = problem.tensor(&train);
        let length = neighbors.sq_length(&start.forward(x.clone()))?;
        let more = |weights: &[f64]| {
            let d = train.features().columns();
            let map = Projection::from_matrix(weights, [weights.len() / d, d]);
            let z = map.apply(train.features())?;
            neighbors.labeled_pairs(&z.to_tensor(device, input.dtype()))
        };
        // The accuracy of k-NN among the training rows on the held-out ones.
        let score = held_out.as_ref().map(|held_out| {
            let (x, queries, train) = (&x, problem.tensor(held_out), &train);
            let k = self.targets.min(train.rows());
            move |encoder: &AnyEncoder, _: &[f64]| {
                let [points, found] = [x, &queries].map(|x| encoder.forward(x.clone()));
                let references = Embedded::new(&points, train.labels());
                let queries = Embedded::new(&found, held_out.labels());
                let accuracy = held_out_accuracy(references, queries, k).ok();
                accuracy.and_then(|accuracy| accuracy.value()).unwrap_or(f64::NEG_INFINITY)
            }
        });
        let solution = Training {
            problem,
            features: train.features(),
            pairs: &pairs,
            latent: problem.d_output,
            local_scales: self.local_scales,
            sigma_sq: start_sigma_sq(length, problem.d_output),
            start,
            steps: self.steps,
            refresh: (self.refresh > 0).then(|| (self.refresh, Box::new(more) as Box<_>)),
            held_out: score.as_ref().map(|score| score as &Score<'_>),
            identity: &|| problem.identity(self),
        }
        .run(self.trainer, session)?;
        let ((encoder, _), summary) = FitSummary::of(solution, resolved, started);
        Ok(learned(encoder, summary))
    }
}

/// σ² at the start: p σ² is twice the mean squared distance of a row to its targets.
///
/// EM moves W by a share of about σ² / (κ² + 2σ²) of the way, so it would be slow from less.
fn start_sigma_sq(sq_length: f64, latent: usize) -> f64 {
    let sigma_sq = 2.0 * sq_length / latent as f64;
    if sigma_sq > 0.0 { sigma_sq } else { 1.0 }
}

/// The start of the settings; where they leave it open, LDA to fewer dimensions than classes, else PCA.
///
/// The steps of EM are short: from PCA 50 of them do not find the directions that LDA begins with.
fn start(
    problem: &Problem<'_, Labeled>,
    train: &Labeled,
) -> Result<(AnyEncoder, Option<ResolvedStart>)> {
    let open = problem.fit.start == Start::Auto && problem.encoder == EncoderConfig::Linear;
    if !open || problem.start.is_some() {
        return problem.start_encoder();
    }
    let (d, k) = (train.features().columns(), problem.d_output);
    let open = if k < train.classes() { Start::Auto } else { Start::Pca };
    let (weight, resolved) = open.weight(train, k, problem.fit.seed)?;
    let map = Projection::new(weight, [d, k]).to_linear_map(&problem.device, problem.dtype);
    Ok((AnyEncoder::Linear(map), Some(resolved)))
}
