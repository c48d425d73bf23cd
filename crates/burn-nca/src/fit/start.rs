//! The map that a fit starts from: identity, random, PCA, LDA, given, or chosen by a rule.

use burn::config::Config;

/// The map a fit starts from.
///
/// NCA's objective has many local maxima, and the start decides which is found.
#[derive(Config, Debug, PartialEq)]
pub enum Start {
    /// LDA where k ≤ min(c - 1, d), else PCA where k < min(d, n), else the identity: scikit-learn's rule, with
    /// c the classes that have rows.
    ///
    /// Where LDA cannot be fitted because the within-class scatter is singular, it is fitted with a shrinkage
    /// of 0.01, and if that fails too (classes of equal rows) the rule continues as if LDA were not to be had;
    /// the summary of a fit says what came of it.
    ///
    /// Where k > d the identity leaves k - d rows of A without a feature. As rows of zeros they would never be
    /// learned (see [`Identity`](Self::Identity)), so they get small seeded entries from N(0, 0.1² / d): rows of
    /// about a tenth of the length of the others, a hundredth of the squared distances.
    Auto,
    /// The first min(d, k) features unchanged; embedding dimensions past d start at zero.
    ///
    /// A zero row of A is a stationary point: a dimension past d stays zero under an exact gradient. Start
    /// from [`Auto`](Self::Auto) or [`Random`](Self::Random) where k > d.
    Identity,
    /// Independent entries from N(0, scale²), drawn row by row of A from a seeded ChaCha8 generator: more
    /// rows leave the first ones as they were.
    Random {
        /// The standard deviation of an entry; without it 1/√d for a full map and 1 for a diagonal one.
        ///
        /// For standardized features the default keeps E||A x||² at k, where neighbors are distinguished and
        /// the softmax still sees more than one of them. Larger scales (scikit-learn's 1) leave most points
        /// a single neighbor and the fit a poor local maximum; much smaller ones (torchnca's 0.01) start
        /// where the gradient nearly vanishes.
        scale: Option<f64>,
    },
    /// The k directions of largest variance, of unit length (PCA).
    Pca,
    /// The k directions that separate the classes best, k ≤ min(c - 1, d) (LDA); where the within-class
    /// scatter is singular (fewer rows than features, collinear columns), with a shrinkage of 0.01.
    Lda,
    /// A map the user has.
    Given {
        /// A as the paper writes it, row-major `[k, d]`; for a diagonal map its d entries.
        weight: Vec<f64>,
    },
}
