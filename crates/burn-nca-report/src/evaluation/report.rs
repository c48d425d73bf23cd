//! The report of a model: the facts of every model, and the evaluation of its kind of data.

use anyhow::Result;
use burn_nca_learn::estimator::TrainingTargets;
use burn_nca_learn::evaluate::{Quantiles, Spread};
use burn_nca_learn::fit::{Precision, Termination};
use burn_nca_learn::{Fitted, device};
use burn_nca_program::peak_memory_bytes;

use super::rows::Rows;
use super::warnings::{about_map, about_spread, about_termination};
use super::{AllStages, ReportData, Stages};
use crate::{
    Curve, CurvePoint, DeviceSummary, FORMAT, FeatureWeight, FeatureWeights, Header, Matrix,
    Report, SolverRun, Tuning, Warning, WarningCode,
};

impl Report {
    /// The report of a model: its embedding, its accuracy (or error, or ranks) compared with Euclidean distance, PCA and
    /// LDA on the same rows, its map and its solver's path.
    ///
    /// What the model does not know is empty and may be filled in: the name of the data, the command, the date, the
    /// replay of the fit ([`ReportData::replay`]) and the search that chose the settings.
    ///
    /// # Errors
    /// Rows of other columns than the model's, k above the training rows, or an embedding that is not finite.
    ///
    /// # Examples
    /// ```
    /// use burn_nca_learn::NcaConfig;
    /// use burn_nca_learn::data::stratified_split;
    /// use burn_nca_data::bundled;
    /// use burn_nca_report::{Report, evaluation::Rows};
    ///
    /// let data = bundled::iris();
    /// let split = stratified_split(data.labels(), 0.3, 0)?;
    /// let model = NcaConfig::new(4, 2).fit(&data.select(&split.train), &burn_nca_learn::device::host().unwrap())?;
    /// let report = Report::of(&model, &Rows::of(&model, data, split)?)?;
    /// assert!(report.comparison.rows.iter().any(|row| row.method == "Euclidean"));
    /// let page = report.page(); // one HTML file
    /// # assert!(page.contains("PCA"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of<D: ReportData>(model: &Fitted, rows: &Rows<D>) -> Result<Self> {
        Self::in_stages(model, rows, &AllStages)
    }

    /// As [`Report::of`], of which `stages` may leave comparisons out.
    ///
    /// # Errors
    /// As [`Report::of`].
    pub fn in_stages<D: ReportData>(
        model: &Fitted,
        rows: &Rows<D>,
        stages: &dyn Stages,
    ) -> Result<Self> {
        let found = D::evaluate(model, rows, stages)?;
        let of_model = [
            about_termination(model.summary()),
            about_map(model, found.shortfall.as_deref()),
            about_spread(Spread::of(&found.embedding)?, found.shortfall),
        ];
        let feature_weights = FeatureWeights::of(model);
        Ok(Self {
            weights: feature_weights.ranked(model.card().method.info().name),
            header: Header {
                format: FORMAT,
                program: concat!("burn-nca ", env!("CARGO_PKG_VERSION")).to_string(),
                command: String::new(),
                seed: rows.seed,
                method: model.applied_method().label,
                data: found.data,
                settings: settings(model)?,
                device: device_of(model),
            },
            run: run_of(model),
            warnings: found.warnings.into_iter().chain(of_model.into_iter().flatten()).collect(),
            mean_perplexity: Quantiles::of(&found.perplexity).map_or(f64::NAN, |all| all.mean),
            comparison: found.comparison,
            results: found.results,
            feature_weights,
            matrix: Matrix::of(model),
            curve: curve_of(model),
            replay: None,
            tuning: None,
        })
    }

    /// The same with the search that chose the settings; without the advice to try a network where one was compared.
    #[must_use]
    pub fn with_tuning(mut self, tuning: Option<Tuning>) -> Self {
        let compared = tuning.iter().flat_map(|tuning| &tuning.trials).any(|row| row.network);
        self.warnings.retain(|warning| !compared || warning.code != WarningCode::LinearMap);
        self.tuning = tuning;
        self
    }

    /// The same with another sentence about why the fit ended, such as one that names a program's options.
    #[must_use]
    pub fn with_ending(mut self, sentence: &str) -> Self {
        let ending = |warning: &&mut Warning| warning.code == WarningCode::NotConverged;
        self.warnings
            .iter_mut()
            .filter(ending)
            .for_each(|warning| warning.text = sentence.trim_end_matches('.').to_string());
        self.run.termination_sentence = sentence.to_string();
        self
    }
}

/// The card of a model, with how it predicts.
fn settings(model: &Fitted) -> Result<serde_json::Value> {
    let mut settings = serde_json::to_value(model.card())?;
    if !matches!(model.training_targets(), TrainingTargets::Unlabeled) {
        settings["decision"] = serde_json::to_value(model.decision())?;
    }
    Ok(settings)
}

fn device_of(model: &Fitted) -> DeviceSummary {
    let precision = match model.card().fit.precision {
        Precision::F32 => "f32",
        Precision::F64 => "f64",
    };
    let backend = device::backend(&model.references().device()).to_string();
    DeviceSummary { name: backend.clone(), backend, dtype: precision.to_string() }
}

fn run_of(model: &Fitted) -> SolverRun {
    let summary = model.summary();
    SolverRun {
        termination: format!("{:?}", summary.termination),
        termination_sentence: summary.termination.sentence().to_string(),
        converged: summary.termination.converged(),
        without_steps: model.applied_method().without_steps
            || summary.termination == Termination::ClosedForm,
        iterations: summary.iterations as u64,
        evaluations: summary.evaluations as u64,
        seconds: summary.seconds,
        ended: None,
        sums: summary.sums.clone(),
        omitted: summary.history.last().and_then(|step| step.omitted),
        peak_memory_bytes: peak_memory_bytes(),
    }
}

fn curve_of(model: &Fitted) -> Curve {
    let steps = model.summary().history.iter().map(|step| CurvePoint {
        iteration: step.iteration as u64,
        value: step.value,
        held_out: step.held_out,
        gradient_max: Some(step.gradient_max),
    });
    Curve(steps.collect())
}

impl FeatureWeights {
    /// The norm of each column of A.
    pub fn of(model: &Fitted) -> Self {
        let norms = model.feature_norms();
        norms.map(|norms| Self::of_norms(model.scaling().names(), norms)).unwrap_or_default()
    }

    pub(crate) fn of_norms(names: &[String], norms: Vec<f64>) -> Self {
        let trace: f64 = norms.iter().map(|norm| norm * norm).sum();
        let share = |norm: f64| if trace > 0.0 { norm * norm / trace } else { 0.0 };
        let weight = |(name, weight): (&String, f64)| FeatureWeight {
            column: name.clone(),
            weight,
            share: share(weight),
        };
        FeatureWeights(names.iter().zip(norms).map(weight).collect())
    }
}

impl Matrix {
    /// A, where it is small.
    pub fn of(model: &Fitted) -> Option<Self> {
        let names = model.scaling().names();
        // A diagonal map would be written out in full.
        if names.len() > Matrix::LARGEST {
            return None;
        }
        Matrix::small(names.to_vec(), &model.matrix()?)
    }
}
