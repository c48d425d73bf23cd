//! The methods of figure 1, each a linear map learned from the training rows.

use std::ops::ControlFlow;

use anyhow::{Context, Result};
use burn::tensor::Device;
use burn_nca_learn::NcaConfig;
use burn_nca_learn::baseline::{
    LdaConfig, PcaConfig, Projection, RcaConfig, WhiteningConfig, lda_rca,
};
use burn_nca_learn::data::{Labeled, ScalingKind};
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::fit::{
    FitConfig, FitSession, LbfgsConfig, OptimizerConfig, Precision, Progress, Termination,
};
use burn_nca_program::Interrupt;
use serde::{Deserialize, Serialize};

/// scikit-learn's default tolerance, which its published numbers were computed with.
const TOLERANCE: f64 = 1e-5;

/// The halves of figure 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// Square maps: all directions are kept.
    Square,
    /// Two dimensions.
    RankTwo,
}

impl Panel {
    /// Its name in headings.
    pub fn title(self) -> &'static str {
        match self {
            Self::Square => "Square A",
            Self::RankTwo => "Rank 2",
        }
    }

    /// Its methods, in the order of the tables.
    pub fn methods(self) -> impl Iterator<Item = Method> {
        Method::ALL.into_iter().filter(move |method| method.panel() == self)
    }
}

/// A method of figure 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// NCA, square A from the identity.
    NcaSquare,
    /// NCA with a diagonal A.
    NcaDiagonal,
    /// Within-class whitening.
    Rca,
    /// Total whitening.
    Whitened,
    /// The standardized features as they are.
    Euclidean,
    /// NCA to two dimensions, from LDA (or PCA for two classes).
    #[serde(rename = "nca-rank2")]
    NcaRankTwo,
    /// LDA to two dimensions, then RCA.
    LdaRca,
    /// LDA to two dimensions, each of variance 1 within the classes.
    Lda,
    /// LDA to two directions of length 1.
    LdaUnit,
    /// PCA to two dimensions.
    Pca,
}

/// A map, and how it was come by.
#[derive(Debug)]
pub struct Learned {
    /// The map.
    pub map: Projection,
    /// Of a fit: where it started, its steps and why it ended.
    pub fit: Option<FitNote>,
    /// What the rows made necessary.
    pub remark: Option<String>,
}

/// How a fit went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitNote {
    /// Where it started.
    pub start: String,
    /// Number of steps.
    pub iterations: usize,
    /// Why it ended.
    pub termination: Termination,
}

impl Method {
    /// All methods, in the order of the tables.
    pub const ALL: [Self; 10] = [
        Self::NcaSquare,
        Self::NcaDiagonal,
        Self::Rca,
        Self::Whitened,
        Self::Euclidean,
        Self::NcaRankTwo,
        Self::LdaRca,
        Self::Lda,
        Self::LdaUnit,
        Self::Pca,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::NcaSquare | Self::NcaRankTwo => "NCA",
            Self::NcaDiagonal => "diagonal NCA",
            Self::Rca => "RCA",
            Self::Whitened => "whitened",
            Self::Euclidean => "Euclidean",
            Self::LdaRca => "LDA, then RCA",
            Self::Lda => "LDA",
            Self::LdaUnit => "LDA, unit length",
            Self::Pca => "PCA",
        }
    }

    /// The half of figure 1 that shows it.
    pub fn panel(self) -> Panel {
        match self {
            Self::NcaSquare | Self::NcaDiagonal | Self::Rca | Self::Whitened | Self::Euclidean => {
                Panel::Square
            }
            Self::NcaRankTwo | Self::LdaRca | Self::Lda | Self::LdaUnit | Self::Pca => {
                Panel::RankTwo
            }
        }
    }

    /// Whether it is a fit that iterates.
    pub fn iterates(self) -> bool {
        matches!(self, Self::NcaSquare | Self::NcaDiagonal | Self::NcaRankTwo)
    }
}

/// Where and how long a method may work.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// The device of a fit.
    pub device: &'a Device,
    /// The most iterations.
    pub max_iterations: usize,
    /// The user's wish to stop.
    pub interrupt: &'a Interrupt,
}

impl Method {
    /// Learns the map from scaled rows; `None` where the user stopped it.
    ///
    /// # Errors
    /// Rows that the method cannot learn from.
    pub fn learn(self, train: &Labeled, terms: Terms<'_>) -> Result<Option<Learned>> {
        let d = train.features().columns();
        let two = d.min(2);
        match self {
            Self::NcaSquare => fit(train, d, EncoderConfig::Linear, terms),
            Self::NcaDiagonal => fit(train, d, EncoderConfig::Diagonal, terms),
            Self::NcaRankTwo => fit(train, two, EncoderConfig::Linear, terms),
            Self::Rca => closed(RcaConfig::new().fit(train)),
            Self::Whitened => closed(WhiteningConfig::new().fit(train.features())),
            Self::Euclidean => closed(Ok(Projection::euclidean(d))),
            Self::Pca => {
                closed(PcaConfig::new(two).fit(train.features()).map(|pca| pca.projection))
            }
            Self::Lda => discriminants(train, |data, lda| Ok(lda.fit(data)?.projection)),
            Self::LdaUnit => discriminants(train, |data, lda| {
                Ok(lda.clone().with_unit_length(true).fit(data)?.projection)
            }),
            Self::LdaRca => discriminants(train, lda_rca),
        }
        .with_context(|| format!("{} failed", self.name()))
    }
}

fn closed(map: burn_nca_learn::Result<Projection>) -> Result<Option<Learned>> {
    Ok(Some(Learned { map: map?, fit: None, remark: None }))
}

/// LDA to two dimensions, or one for two classes.
///
/// Where the classes differ along directions without within-class variance, these are dropped, as scikit-learn's
/// solver `svd` does: RCA first, which keeps the others, then LDA.
fn discriminants(
    train: &Labeled,
    lda: impl Fn(&Labeled, &LdaConfig) -> burn_nca_learn::Result<Projection>,
) -> Result<Option<Learned>> {
    let config = LdaConfig::new(2.min(LdaConfig::max_directions(train)));
    if let Ok(map) = lda(train, &config) {
        return closed(Ok(map));
    }
    let regular = RcaConfig::new().fit(train)?;
    let embedded = train.with_features(regular.apply(train.features())?)?;
    let map = regular.then(&lda(&embedded, &config)?);
    let [d, kept] = regular.shape();
    let remark =
        format!("{} of {d} directions have no within-class variance and were dropped", d - kept);
    Ok(Some(Learned { map, fit: None, remark: Some(remark) }))
}

/// NCA by the rule of scikit-learn: automatic start, L-BFGS, the same tolerances.
fn fit(
    train: &Labeled,
    d_output: usize,
    encoder: EncoderConfig,
    terms: Terms<'_>,
) -> Result<Option<Learned>> {
    // scipy compares the gradient of the sum, our optimizer that of the mean.
    let optimizer = LbfgsConfig::new()
        .with_max_iterations(terms.max_iterations)
        .with_tolerance_progress(TOLERANCE)
        .with_tolerance_gradient(TOLERANCE / train.rows() as f64);
    let settings = FitConfig::new()
        .with_scaling(ScalingKind::None)
        .with_precision(Precision::F64)
        .with_optimizer(OptimizerConfig::Lbfgs(optimizer));
    let config = NcaConfig::new(train.features().columns(), d_output)
        .with_encoder(encoder)
        .with_fit(settings);
    let mut watch = |_: &Progress| match terms.interrupt.is_set() {
        true => ControlFlow::Break(Termination::Stopped),
        false => ControlFlow::Continue(()),
    };
    let session = FitSession::new().with_progress(&mut watch);
    let fitted = config.estimator().fit_session(train, terms.device, session)?;
    let summary = fitted.summary();
    if summary.termination == Termination::Stopped {
        return Ok(None);
    }
    let note = FitNote {
        start: summary.start.map_or_else(String::new, |start| start.to_string()),
        iterations: summary.iterations,
        termination: summary.termination,
    };
    let matrix = fitted.matrix().expect("linear and diagonal encoders have a matrix");
    let map = Projection::from_matrix(&matrix, [d_output, train.features().columns()]);
    Ok(Some(Learned { map, fit: Some(note), remark: None }))
}

#[cfg(test)]
mod tests {
    use burn_nca_data::bundled::iris;
    use burn_nca_learn::data::Features;
    use burn_nca_learn::device;

    use super::*;

    #[test]
    fn every_method_gives_a_map_of_its_panel() {
        let (data, device) = (iris(), device::host().unwrap());
        let interrupt = Interrupt::default();
        let terms = Terms { device: &device, max_iterations: 3, interrupt: &interrupt };
        for method in Method::ALL {
            let learned = method.learn(&data, terms).unwrap().unwrap();
            let expected = if method.panel() == Panel::Square { 4 } else { 2 };
            assert_eq!(learned.map.shape(), [4, expected], "{method:?}");
            assert_eq!(learned.fit.is_some(), method.iterates(), "{method:?}");
        }
    }

    #[test]
    fn lda_of_unit_length_differs_from_lda_followed_by_rca_and_lda_does_not() {
        let (data, device) = (iris(), device::host().unwrap());
        let terms = Terms { device: &device, max_iterations: 3, interrupt: &Interrupt::default() };
        // Squared lengths of the directions, which RCA scales to variance 1 within the classes.
        let lengths = |method: Method| {
            let map = method.learn(&data, terms).unwrap().unwrap().map;
            let matrix = map.matrix();
            let lengths = matrix.chunks_exact(4).map(|row| row.iter().map(|a| a * a).sum());
            lengths.collect::<Vec<f64>>()
        };
        let [plain, unit, rca] = [Method::Lda, Method::LdaUnit, Method::LdaRca].map(lengths);
        assert!(unit.iter().all(|length| (length - 1.0).abs() < 1e-9), "{unit:?}");
        // RCA may turn what it does not scale: no distance differs.
        let [all_plain, all_rca] = [&plain, &rca].map(|lengths| lengths.iter().sum::<f64>());
        assert!((all_plain - all_rca).abs() < 1e-6 * all_rca, "{plain:?} {rca:?}");
        assert!(rca.iter().all(|length| (length - 1.0).abs() > 0.1), "{rca:?}");
    }

    #[test]
    fn discriminants_without_within_class_variance_drop_those_directions() {
        // The second column is the class itself, the third has no variance.
        let values = vec![0.0, 0.0, 1.0, 2.0, 0.0, 1.0, 1.0, 1.0, 1.0, 3.5, 1.0, 1.0];
        let data = Labeled::from_labels(Features::unnamed(values, 3).unwrap(), vec![0, 0, 1, 1]);
        let learned = discriminants(&data.unwrap(), |data, lda| Ok(lda.fit(data)?.projection));
        let learned = learned.unwrap().unwrap();
        assert_eq!(learned.map.shape(), [3, 1]);
        assert!(learned.map.weight()[0].abs() > 0.0 && learned.map.weight()[1] == 0.0);
        assert!(learned.remark.unwrap().starts_with("2 of 3 directions"));
    }

    #[test]
    fn methods_are_named_in_files_as_in_those_of_peers() {
        let names = Method::ALL.map(|method| serde_json::to_string(&method).unwrap());
        assert_eq!((names[0].as_str(), names[5].as_str()), ("\"nca-square\"", "\"nca-rank2\""));
    }
}
