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
//! | RCA | Σ_w^(-1/2), within-class covariance | yes | [`RcaConfig`] |
//! | PCA | directions of largest variance | no | [`PcaConfig`] |
//! | LDA | directions of largest between- over within-class variance | yes | [`LdaConfig`] |
//! | LDA, then RCA | RCA in the space of LDA | yes | [`lda_rca`] |
//!
//! A method ([`AnyMethod`](crate::method::AnyMethod)) chooses among them at run time.
//!
//! Every result is deterministic: directions are ordered by falling eigenvalue, and the entry of largest magnitude
//! of each is positive. Equal eigenvalues leave their directions undetermined (distances in a space that
//! holds all of them are the same whichever come out).
//!
//! Cost, for n rows of d features and m = min(n, d): O(n d m) for the smaller scatter matrix (d x d or, in the coordinates
//! of the rows in their span, n x n), O(m³) for its eigenvectors, some five m x m matrices besides copies of the rows.
//!
//! # References
//! J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004.

mod eigen;
#[cfg(test)]
pub(crate) mod fixture;
mod groups;
mod lda;
mod lda_rca;
mod means;
mod pca;
mod principal;
mod product;
mod projection;
mod pseudo_inverse;
mod rca;
mod require;
mod scatter;
mod shrinkage;
mod span;
mod truncated_svd;
mod whitening;

pub use groups::Groups;
pub use lda::{Lda, LdaConfig};
pub use lda_rca::lda_rca;
pub use means::mean;
pub(crate) use pca::directions_about;
pub use pca::{Pca, PcaConfig};
pub(crate) use product::{cross_product, product};
pub use projection::Projection;
pub(crate) use projection::transposed;
pub(crate) use pseudo_inverse::pseudo_inverse;
pub use rca::RcaConfig;
pub use shrinkage::Shrinkage;
pub use truncated_svd::{TruncatedSvd, TruncatedSvdConfig};
pub use whitening::WhiteningConfig;
