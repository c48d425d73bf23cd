//! The account of a fit: every number of the report, from the model and the rows.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca::Fitted;
use burn_nca::data::{Labelled, Split};
use burn_nca::evaluate::{Quantiles, Spread, perplexities};
use burn_nca::neighbors::{ClassReferences, Rule};

use super::comparison::{Judgement, Parts, Space, baselines, judge};
use super::embedding::{embed, place};
use super::model_facts;
use super::picture::Picture;
use super::stages::Stages;
use super::stochastic_rule::log_p;
use super::warnings::{about_spread, about_termination};
use crate::process;
use crate::report::{
    Accuracy, ClassCount, Comparison, Confusion, DataSummary, EmbeddedPoint, Embedding, FORMAT,
    Part, Report, Tuning, Warning,
};

/// A fit that ended, and what it was made from.
pub struct Account<'a> {
    /// The name of the data.
    pub name: &'a str,
    /// All rows.
    pub data: &'a Labelled,
    /// Which of them were learnt from.
    pub split: &'a Split,
    /// The model.
    pub model: &'a Fitted,
    /// The device's name, as the user gave it.
    pub device: &'a str,
    /// The k of k-NN.
    pub neighbors: usize,
    /// The seed of the split and the fit.
    pub seed: u64,
    /// The search that chose the settings, if there was one.
    pub tuning: Option<&'a Tuning>,
    /// What was to be said about the data.
    pub warnings: Vec<Warning>,
    /// What may be left out.
    pub stages: &'a Stages,
}

/// What the training embedding is worth, computed in f64.
struct Objective {
    p: Vec<f64>,
    f: f64,
    g: f64,
    perplexity: Vec<f64>,
}

impl Account<'_> {
    /// The report.
    ///
    /// # Errors
    /// k above the training rows, or an embedding that is not finite.
    pub fn report(&self) -> Result<Report> {
        self.stages.announce("evaluating the learnt metric");
        let (train, test) =
            (self.data.select(&self.split.train), self.data.select(&self.split.test));
        let precise = Space {
            train: embed(self.model, train.features())?,
            test: (test.rows() > 0).then(|| embed(self.model, test.features())).transpose()?,
        };
        // The rules of prediction see the model's own embedding, as `nca predict` and `nca evaluate` do.
        let own = Space {
            train: self.model.references().clone(),
            test: (test.rows() > 0).then(|| self.model.transform(test.features())).transpose()?,
        };
        let parts = self.scaled(train, test)?;
        let label = self.model.card().method.info().label;
        let judgement = judge((label, self.model.rule()), &own, &parts, self.neighbors)?;
        let objective = objective(self.model.rule(), &precise.train, &parts.train)?;
        let [_, dimension] = own.train.dims();
        let place = place(&self.model.references().device());
        let mut rows = baselines(&parts, dimension, self.neighbors, &place, self.stages)?;
        rows.retain(|row| row.method != label);
        rows.push(judgement.row.clone());
        self.stages.announce("drawing the embedding");
        let comparison = Comparison { neighbors: self.neighbors, rows };
        let warnings = self.warnings(Spread::of(&precise.train)?, &comparison);
        let embedding = self.embedding(&precise, &judgement, &objective.p)?;
        let confusion = self.confusion(&parts, &judgement);
        let report = self.assemble(objective, comparison, confusion, embedding)?;
        Ok(Report { warnings, ..report })
    }

    fn warnings(&self, spread: Option<Spread>, comparison: &Comparison) -> Vec<Warning> {
        let held_out = self.split.test.len();
        let judged = if held_out > 0 { held_out } else { self.split.train.len() };
        let after = [
            about_termination(self.model.summary().termination),
            about_spread(spread, comparison.shortfall(judged)),
            self.stages.finish(),
        ];
        self.warnings.iter().cloned().chain(after.into_iter().flatten()).collect()
    }

    fn scaled(&self, train: Labelled, test: Labelled) -> Result<Parts> {
        let scaling = self.model.scaling();
        Ok(Parts {
            train: train.with_features(scaling.apply(train.features())?)?,
            test: test.with_features(scaling.apply(test.features())?)?,
        })
    }

    fn assemble(
        &self,
        objective: Objective,
        comparison: Comparison,
        confusion: Confusion,
        embedding: Embedding,
    ) -> Result<Report> {
        let learnt = comparison.rows.last().expect("the learnt metric is the last row");
        Ok(Report {
            format: FORMAT,
            program: concat!("nca ", env!("CARGO_PKG_VERSION")).to_string(),
            command: process::command_line(),
            seed: self.seed,
            method: self.model.card().method.info().label.to_string(),
            data: self.data_summary(),
            settings: serde_json::to_value(self.model.card())?,
            device: model_facts::device(self.model, self.device),
            accuracy: Accuracy { train: learnt.nn_train.unwrap_or(f64::NAN), test: learnt.nn_test },
            run: model_facts::run(self.model),
            warnings: Vec::new(),
            f: objective.f,
            g: objective.g,
            mean_perplexity: Quantiles::of(&objective.perplexity).map_or(f64::NAN, |all| all.mean),
            feature_weights: model_facts::feature_weights(self.model),
            matrix: model_facts::matrix(self.model),
            curve: model_facts::curve(self.model),
            p: objective.p,
            perplexity: objective.perplexity,
            comparison,
            confusion: Some(confusion),
            embedding: Some(embedding),
            tuning: self.tuning.cloned(),
        })
    }

    fn data_summary(&self) -> DataSummary {
        let train = self.data.select(&self.split.train).class_counts();
        let test = self.data.select(&self.split.test).class_counts();
        let classes = self.data.class_names().iter().zip(train.iter().zip(test));
        DataSummary {
            name: self.name.to_string(),
            rows: self.data.rows(),
            columns: self.data.features().columns(),
            classes: classes
                .map(|(name, (&train, test))| ClassCount { name: name.clone(), train, test })
                .collect(),
            without_partner: train.iter().filter(|count| **count == 1).count(),
        }
    }

    /// Of the rows held out, or of the training rows where there are none.
    fn confusion(&self, parts: &Parts, judgement: &Judgement) -> Confusion {
        let (part, predicted, truth) = if parts.test.rows() > 0 {
            (Part::Test, &judgement.predicted_test, parts.test.labels())
        } else {
            (Part::Train, &judgement.predicted_train, parts.train.labels())
        };
        Confusion::of(part, predicted, truth, self.data.classes())
    }

    fn embedding(&self, space: &Space, judgement: &Judgement, p: &[f64]) -> Result<Embedding> {
        let picture = Picture::of(&space.train, space.test.as_ref())?;
        let [_, dimension] = space.train.dims();
        let labels = self.data.labels();
        let point = |row: usize, coordinates, predicted, part, p| EmbeddedPoint {
            row: row + 1,
            coordinates,
            class: labels[row],
            predicted: Some(predicted),
            part,
            p,
        };
        let train =
            self.split.train.iter().zip(picture.train).zip(&judgement.predicted_train).zip(p);
        let test = self.split.test.iter().zip(picture.test).zip(&judgement.predicted_test);
        let mut points: Vec<EmbeddedPoint> = train
            .map(|(((&row, at), &predicted), &p)| point(row, at, predicted, Part::Train, Some(p)))
            .collect();
        points.extend(
            test.map(|((&row, at), &predicted)| point(row, at, predicted, Part::Test, None)),
        );
        Ok(Embedding { dimension, variance_share: picture.variance_share, points })
    }
}

/// p_i, f, g (over the points with a partner) and the perplexities of the training rows.
fn objective(rule: &Rule, embedding: &Tensor<2>, train: &Labelled) -> Result<Objective> {
    let (labels, counts) = (train.labels(), train.class_counts());
    let log_p = log_p(rule, ClassReferences { embedding, labels, classes: train.classes() })?;
    let p: Vec<f64> = log_p.iter().map(|log_p| log_p.exp()).collect();
    let with_partner = (0..train.rows()).filter(|&row| counts[labels[row]] > 1);
    Ok(Objective {
        f: p.iter().sum(),
        g: with_partner.map(|row| log_p[row]).sum(),
        perplexity: perplexities(embedding)?,
        p,
    })
}
