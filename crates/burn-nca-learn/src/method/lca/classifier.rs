//! LCA as a classifier: section 3.1 of the paper, one map per class.

use burn::tensor::Tensor;
use web_time::Instant;

use super::{Score, Trainer, Training, check_trainer, searched};
use crate::baseline::{Groups, directions_about, transposed};
use crate::data::{Features, Labeled, LabeledPair, LabeledPairs, TensorFeatures, TrainingData};
use crate::encoder::{AnyEncoder, Encoder, EncoderConfig, LinearMap};
use crate::error::{Error, Result};
use crate::evaluate::expected_accuracy;
use crate::fit::{FitSession, FitSummary, ResolvedStart, Start, StartWeights};
use crate::method::settings::settings;
use crate::method::start::build;
use crate::method::{Grid, Learned, Method, Names, Problem, Uses};
use crate::neighbors::{CoincidenceRule, Points, Rule};

/// The most dimensions of a class where the user names none: the gain over other methods is largest for few.
const FEW_DIMENSIONS: usize = 4;

settings! {
    /// Latent coincidence analysis as a classifier: in the map of class c its rows coincide with its mean, and no others.
    ///
    /// ```text
    /// L_c = Σ_i log P(y_ic | μ_c, x_i),   y_ic = [y_i = c],   μ_c the mean of class c,   κ = 1
    /// P(y_c = 1 | x) = (1 + 2σ_c²)^(-p/2) exp( -||W_c (x - μ_c)||² / 2(1 + 2σ_c²) ),   ŷ = argmax_c      (22)
    /// ```
    /// The maps are learned side by side and are concatenated in the embedding, `[n, c p]`; p is the number of dimensions that is
    /// asked for ([`CoincidenceRule`]).
    ///
    /// # References
    /// M. Der, L. K. Saul, Latent Coincidence Analysis, NIPS 2012, section 3.1.
    LcaClassifier {
        /// steps after which em ends; 0: not before it converges
        steps: usize = 200,
        /// em, or gradient for any encoder and optimizer
        trainer: Trainer = "Trainer::Em",
    }
}

impl Method for LcaClassifier {
    const NAMES: Names =
        ["lca-classifier", "LCA classifier", "Latent coincidence analysis, one map per class"];
    const WHEN_TO_USE: &'static str = "classes that are clouds about a mean; few dimensions for each, and no reference rows at prediction";
    const USES: &'static [Uses] = Uses::ALL;
    const GRID: Grid = &[("trainer", &["em", "gradient"]), ("steps", &["200", "50"])];
    const OWN_RULE: bool = true;
    type Data = Labeled;

    fn searched(&self) -> &'static [Uses] {
        searched(self.trainer)
    }

    fn default_dimension(&self, data: &Labeled) -> Option<usize> {
        Some(data.features().columns().min(FEW_DIMENSIONS))
    }

    fn check(&self, problem: &Problem<'_, Labeled>) -> Result<()> {
        if problem.encoder == EncoderConfig::Diagonal {
            return Err(Error::setting(
                "a diagonal encoder has one weight per feature, and this method needs a map per class; take a linear \
                 one",
            ));
        }
        check_trainer(self.trainer, problem)
    }

    fn learn(&self, problem: &Problem<'_, Labeled>, session: FitSession<'_>) -> Result<Learned> {
        let started = Instant::now();
        let (train, held_out) = problem.split()?;
        train.check()?;
        let means = ClassMeans::of(&train)?;
        let (start, resolved) = means.start(problem, &train)?;
        let x_means = means.features.to_tensor(&problem.device, problem.dtype);
        let score = held_out.as_ref().map(|held_out| {
            let (queries, means, x_means) = (problem.tensor(held_out), &means, &x_means);
            let latent = problem.d_output;
            move |encoder: &AnyEncoder, sigma_sq: &[f64]| {
                let rule = means.rule(encoder, x_means, (latent, sigma_sq));
                let z = encoder.forward(queries.clone());
                let found = rule.and_then(|rule| rule.probabilities(&z, held_out.classes()));
                let score = found.and_then(|found| expected_accuracy(&found, held_out.labels()));
                score.ok().flatten().unwrap_or(f64::NEG_INFINITY)
            }
        });
        let solution = Training {
            problem,
            features: &means.with_rows(&train)?,
            pairs: &means.pairs(&train)?,
            latent: problem.d_output,
            local_scales: false,
            sigma_sq: 1.0,
            start,
            steps: self.steps,
            refresh: None,
            held_out: score.as_ref().map(|score| score as &Score<'_>),
            identity: &|| problem.identity(self),
        }
        .run(self.trainer, session)?;
        let ((encoder, sigma_sq), summary) = FitSummary::of(solution, resolved, started);
        let rule = means.rule(&encoder, &x_means, (problem.d_output, &sigma_sq))?;
        let summary = summary.with_rows(&train, problem.data);
        Ok(Learned { encoder, rule: Rule::Coincidence(rule), summary })
    }
}

/// The mean of each class that has rows.
struct ClassMeans {
    classes: Vec<usize>,
    /// `[classes, d]`.
    features: Features,
}

impl ClassMeans {
    fn of(data: &Labeled) -> Result<Self> {
        let counts = data.class_counts();
        let classes: Vec<usize> = (0..counts.len()).filter(|class| counts[*class] > 0).collect();
        let means = Groups::of_classes(data).means().to_vec();
        let features = Features::new(means, data.features().names().to_vec())?;
        Ok(Self { classes, features })
    }

    /// The rows, and the means after them.
    fn with_rows(&self, data: &Labeled) -> Result<Features> {
        let values = [data.features().values(), self.features.values()].concat();
        Features::new(values, data.features().names().to_vec())
    }

    /// Each class mean with every row.
    fn pairs(&self, data: &Labeled) -> Result<LabeledPairs> {
        let n = data.rows();
        let of_class = |(map, &class): (usize, &usize)| {
            let rows = data.labels().iter().map(move |label| *label == class).enumerate();
            rows.map(move |(other, coincide)| LabeledPair { anchor: n + map, other, coincide, map })
        };
        let pairs = self.classes.iter().enumerate().flat_map(of_class).collect();
        LabeledPairs::new(n + self.classes.len(), pairs)
    }

    /// The maps to start from: the leading directions of the rows about each mean, or what the settings ask for.
    fn start(
        &self,
        problem: &Problem<'_, Labeled>,
        train: &Labeled,
    ) -> Result<(AnyEncoder, Option<ResolvedStart>)> {
        if let Some(encoder) = &problem.start {
            return Ok((encoder.clone(), None));
        }
        let (d, p) = (train.features().columns(), problem.d_output);
        let fit = problem.fit;
        if problem.encoder != EncoderConfig::Linear {
            let size = p * self.classes.len();
            return build(&problem.encoder, (fit, size), train.as_any_data(), &problem.device);
        }
        let mut matrix = Vec::new();
        let mut resolved = ResolvedStart::Pca;
        for map in 0..self.classes.len() {
            let weight = match fit.start {
                Start::Auto | Start::Pca => {
                    directions_about(train.features(), self.features.row(map), p)?
                }
                _ => {
                    let (weight, used) = fit.start.weight(train, p, fit.seed + map as u64)?;
                    resolved = used;
                    weight
                }
            };
            matrix.extend(transposed(&weight, p));
        }
        let shape = [d, matrix.len() / d];
        let weight = transposed(&matrix, d);
        let map = LinearMap::from_weight(&weight, shape, &problem.device, problem.dtype);
        Ok((AnyEncoder::Linear(map), Some(resolved)))
    }

    fn rule(
        &self,
        encoder: &AnyEncoder,
        means: &Tensor<2>,
        (latent, sigma_sq): (usize, &[f64]),
    ) -> Result<CoincidenceRule> {
        let embedded = Points::read(&encoder.forward(means.clone()), "class means")?;
        let own = |map: usize| embedded.row(map)[map * latent..(map + 1) * latent].to_vec();
        Ok(CoincidenceRule {
            classes: self.classes.clone(),
            latent,
            means: (0..self.classes.len()).flat_map(own).collect(),
            sigma_sq: sigma_sq.to_vec(),
        })
    }
}
