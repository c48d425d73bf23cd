//! The closed forms that a learned metric is compared with.

use anyhow::Result;
use burn_nca_learn::baseline::{Groups, LdaConfig, PcaConfig, Projection};
use burn_nca_learn::data::{Features, Labeled};

use super::Stages;
use crate::MeasureRow;

/// Measures Euclidean distance, PCA in (at most) `dimension` dimensions and, where there are classes, LDA, as far as the
/// stages admit them.
///
/// LDA has at most c - 1 dimensions; where the within-class scatter is singular it is shrunk, and its name says so; where
/// that does not help either, it is left out.
pub fn baselines(
    train: &Features,
    classes: Option<&Labeled>,
    dimension: usize,
    stages: &dyn Stages,
    measure: impl Fn(&str, &Projection) -> Result<MeasureRow>,
) -> Result<Vec<MeasureRow>> {
    let d = train.columns();
    // The covariance within the classes serves both PCA and LDA.
    let groups = classes.map(Groups::of_classes);
    let mut rows = Vec::new();
    if stages.admits("Euclidean distance") {
        rows.push(measure("Euclidean", &Projection::euclidean(d))?);
    }
    if stages.admits("PCA") {
        // n rows span n - 1 directions; more add no distance.
        let k = dimension.min(d).min(train.rows() - 1).max(1);
        let pca = PcaConfig::new(k);
        let pca = match &groups {
            Some(groups) => pca.fit_groups(groups)?,
            None => pca.fit(train)?,
        };
        rows.push(measure("PCA", &pca.projection)?);
    }
    if let Some((classes, groups)) = classes.zip(groups.as_ref())
        && stages.admits("LDA")
        && let Some((method, map)) = discriminants((classes, groups), dimension)
    {
        rows.push(measure(&method, &map)?);
    }
    Ok(rows)
}

/// The rows of a comparison: the baselines, but for one that the method itself is, and then what was learned.
pub fn compared(mut baselines: Vec<MeasureRow>, learned: &[MeasureRow]) -> Vec<MeasureRow> {
    baselines.retain(|row| learned.iter().all(|learned| learned.method != row.method));
    baselines.extend_from_slice(learned);
    baselines
}

fn discriminants(
    (train, groups): (&Labeled, &Groups<'_>),
    dimension: usize,
) -> Option<(String, Projection)> {
    let lda = LdaConfig::new(dimension.min(LdaConfig::max_directions(train)))
        .fit_or_shrink_groups(groups)
        .ok()?;
    let name = match lda.shrinkage {
        0.0 => "LDA".to_string(),
        shrinkage => format!("LDA, shrinkage {shrinkage}"),
    };
    Some((name, lda.projection))
}
