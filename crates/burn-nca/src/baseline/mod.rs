//! Baselines: linear maps in closed form, to start a fit from and to compare it with.
//!
//! Each is a settings struct whose `fit` gives a [`Projection`] on the host in f64; its
//! [`to_linear_map`](Projection::to_linear_map) is the same [`LinearMap`](crate::encoder::LinearMap) that a
//! fit learns. The baselines are those of the paper's section 4:
//!
//! | baseline | A | labels | settings |
//! |---|---|---|---|
//! | Euclidean | I | no | [`Projection::euclidean`] |
//! | whitening | Σ^(-1/2), total covariance | no | [`WhiteningConfig`] |
//! | RCA | Σ_w^(-1/2), within-class covariance | yes, or chunklets | [`RcaConfig`] |
//! | PCA | directions of largest variance | no | [`PcaConfig`] |
//! | LDA | directions of largest between- over within-class variance | yes | [`LdaConfig`] |
//! | LDA, then RCA | RCA in the space of LDA | yes | [`lda_rca`] |
//!
//! [`BaselineConfig`] chooses among them at run time.
//!
//! Every result is deterministic: directions stand by falling eigenvalue, and the entry of largest magnitude
//! of each is positive. Equal eigenvalues leave their directions undetermined (distances in a space that
//! holds all of them are the same whichever come out).
//!
//! Cost, for n rows of d features: O(n d²) time to form a covariance, by blocks of rows and on all cores;
//! O(d³) for its eigenvectors; some five d x d matrices of memory and nothing of size n x n. The covariance is
//! d x d also where d > n: fine up to d of some thousands; reduce the features first beyond that.
//!
//! # References
//! J. Goldberger et al., Neighbourhood Components Analysis, NIPS 2004.

mod any;
mod eigen;
#[cfg(test)]
mod fixture;
mod groups;
mod lda;
mod pca;
mod product;
mod projection;
mod rca;
mod scatter;
mod shrinkage;
mod whitening;

pub use any::BaselineConfig;
pub use groups::Groups;
pub use lda::{Lda, LdaConfig};
pub use pca::{Pca, PcaConfig};
pub(crate) use product::product;
pub use projection::Projection;
pub(crate) use projection::transposed;
pub use rca::{RcaConfig, lda_rca};
pub use scatter::{mean, total_covariance};
pub use shrinkage::Shrinkage;
pub use whitening::WhiteningConfig;
