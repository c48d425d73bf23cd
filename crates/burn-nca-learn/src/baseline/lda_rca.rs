//! LDA, then RCA in its space.

use super::{LdaConfig, Projection, RcaConfig};
use crate::data::Labeled;
use crate::error::Result;

/// LDA to k dimensions, then RCA in that space, as one map.
///
/// Without a shrinkage the space of [`LdaConfig`] has unit within-class covariance already: RCA then only
/// rotates it, and the distances are those of LDA. The two differ where LDA is shrunk (and from programs that
/// leave the directions of LDA at unit length).
///
/// # Errors
/// As [`LdaConfig::fit`] and [`RcaConfig::fit`].
pub fn lda_rca(data: &Labeled, lda: &LdaConfig) -> Result<Projection> {
    let to_lda = lda.fit(data)?.projection;
    let embedded = data.with_features(to_lda.apply(data.features())?)?;
    Ok(to_lda.then(&RcaConfig::new().fit(&embedded)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::Shrinkage;
    use crate::baseline::fixture::{
        assert_close, assert_identity, random_labeled, sq_distances, within_after,
    };

    #[test]
    fn rca_after_lda_keeps_its_distances_but_for_a_shrinkage() {
        let data = random_labeled(80, 4, 3, 6);
        let config = LdaConfig::new(2);
        let distances = |map: &Projection| sq_distances(&map.apply(data.features()).unwrap());
        let plain = config.fit(&data).unwrap().projection;
        let both = lda_rca(&data, &config).unwrap();
        assert_eq!(both.shape(), [4, 2]);
        assert_close(&distances(&both), &distances(&plain), 1e-10);

        let shrunk = config.with_shrinkage(Shrinkage::Fixed { amount: 0.3 });
        let both = lda_rca(&data, &shrunk).unwrap();
        assert_identity(&within_after(&both, &data), 2, 1e-10);
        let alone = shrunk.fit(&data).unwrap().projection;
        assert!((within_after(&alone, &data)[0] - 1.0).abs() > 0.05);
    }
}
