//! The rows of a split as methods see them: scaled and reduced by what the training rows say.

use anyhow::Result;
use burn_nca_learn::baseline::{PcaConfig, TruncatedSvdConfig};
use burn_nca_learn::data::{Features, Labeled, Scaling, ScalingKind};

use crate::sets::{Rows, Set};

/// The rows of a split.
pub struct Prepared {
    /// As they are: what Euclidean distance sees. Training rows, then test rows.
    pub raw: [Labeled; 2],
    /// Reduced: what the methods see.
    pub reduced: [Labeled; 2],
}

/// The training and the test rows of a split.
///
/// # Errors
/// Rows that cannot be reduced to so many dimensions.
pub fn prepared(set: &Set, split: usize) -> Result<Prepared> {
    let split = &set.splits[split];
    reduced(set, [&split.train, &split.test])
}

/// The rows of two parts, of which the first is learned from.
///
/// # Errors
/// Rows that cannot be reduced to so many dimensions.
pub fn reduced(set: &Set, parts: [&[usize]; 2]) -> Result<Prepared> {
    let labeled = |features: Features, rows: &[usize]| -> Result<Labeled> {
        let labels = rows.iter().map(|row| set.labels[*row]).collect();
        let names = (0..set.record.classes).map(|class| class.to_string()).collect();
        Ok(Labeled::new(features, labels, names)?)
    };
    let both = |of: &dyn Fn(usize) -> Result<Features>| -> Result<[Labeled; 2]> {
        Ok([labeled(of(0)?, parts[0])?, labeled(of(1)?, parts[1])?])
    };
    let reduce = set.plan.reduce;
    match &set.rows {
        Rows::Sparse(rows) => {
            let parts = parts.map(|part| rows.select(part));
            let raw = both(&|at| Ok(parts[at].to_dense()?))?;
            let most = parts[0].rows().min(parts[0].columns());
            let k = reduce.unwrap_or(most).min(most);
            let svd = TruncatedSvdConfig::new(k).with_center(true).fit(&parts[0])?;
            let reduced = both(&|at| Ok(svd.apply(&parts[at])?))?;
            Ok(Prepared { raw, reduced })
        }
        Rows::Dense(rows) => {
            let scaled = parts.map(|part| rows.select(part));
            let standardize = set.plan.preparation.starts_with("standardized");
            let kind = if standardize { ScalingKind::Standardize } else { ScalingKind::None };
            let scaling = Scaling::fit(kind, &scaled[0]);
            let raw = both(&|at| Ok(scaling.apply(&scaled[at])?))?;
            let Some(k) = reduce else { return Ok(Prepared { reduced: raw.clone(), raw }) };
            let k = k.min(rows.columns());
            let pca = PcaConfig::new(k).fit(raw[0].features())?.projection;
            let reduced = both(&|at| Ok(pca.apply(raw[at].features())?))?;
            Ok(Prepared { raw, reduced })
        }
    }
}
