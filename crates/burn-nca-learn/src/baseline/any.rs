//! One of the baselines, chosen at run time.

use burn::config::Config;

use super::{LdaConfig, PcaConfig, Projection, RcaConfig, WhiteningConfig, lda_rca};
use crate::data::Labeled;
use crate::error::Result;

/// Which baseline to fit, for a choice at run time; each with its default settings.
///
/// # Examples
/// ```
/// use burn_nca_learn::baseline::BaselineConfig;
/// use burn_nca_learn::data::{Features, Labeled};
///
/// let x = Features::unnamed(vec![0.0, 4.0, 10.0, 14.0], 1)?;
/// let data = Labeled::from_labels(x, vec![0, 0, 1, 1])?;
/// assert_eq!(BaselineConfig::Rca.fit(&data)?.matrix(), [0.5]);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum BaselineConfig {
    /// Distances as the features have them.
    Euclidean,
    /// Unit total covariance ([`WhiteningConfig`]).
    Whitening,
    /// Unit within-class covariance ([`RcaConfig`]).
    Rca,
    /// The directions of largest variance ([`PcaConfig`]).
    Pca {
        /// Number of directions, k.
        d_output: usize,
    },
    /// The directions that separate the classes best ([`LdaConfig`]).
    Lda {
        /// Number of directions, k.
        d_output: usize,
    },
    /// LDA, then RCA in its space ([`lda_rca`]).
    LdaRca {
        /// Number of directions, k.
        d_output: usize,
    },
}

impl BaselineConfig {
    /// Fits the baseline.
    ///
    /// # Errors
    /// As the `fit` of the baseline chosen.
    pub fn fit(&self, data: &Labeled) -> Result<Projection> {
        match *self {
            Self::Euclidean => Ok(Projection::euclidean(data.features().columns())),
            Self::Whitening => WhiteningConfig::new().fit(data.features()),
            Self::Rca => RcaConfig::new().fit(data),
            Self::Pca { d_output } => Ok(PcaConfig::new(d_output).fit(data.features())?.projection),
            Self::Lda { d_output } => Ok(LdaConfig::new(d_output).fit(data)?.projection),
            Self::LdaRca { d_output } => lda_rca(data, &LdaConfig::new(d_output)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::fixture::random_labeled;

    #[test]
    fn every_baseline_fits_with_its_size_and_survives_serialization() {
        let data = random_labeled(40, 5, 3, 1);
        for (config, k) in [
            (BaselineConfig::Euclidean, 5),
            (BaselineConfig::Whitening, 5),
            (BaselineConfig::Rca, 5),
            (BaselineConfig::Pca { d_output: 3 }, 3),
            (BaselineConfig::Lda { d_output: 2 }, 2),
            (BaselineConfig::LdaRca { d_output: 2 }, 2),
        ] {
            assert_eq!(config.fit(&data).unwrap().shape(), [5, k]);
            let text = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<BaselineConfig>(&text).unwrap(), config);
        }
    }

    #[test]
    fn a_second_fit_gives_the_same_bits() {
        let data = random_labeled(3000, 70, 5, 2);
        for config in [BaselineConfig::Rca, BaselineConfig::Lda { d_output: 4 }] {
            assert_eq!(config.fit(&data).unwrap(), config.fit(&data).unwrap());
        }
    }
}
