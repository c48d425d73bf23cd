//! The network of modern NCA (embedded numbers and residual blocks), and embeddings of unit length.

mod modern;
mod numeric_embedding;
mod two_valued;
mod unit;

pub use modern::{ModernConfig, ModernEncoder, ModernMember, ResidualBlock};
pub use numeric_embedding::{NumericEmbedding, NumericEmbeddingConfig};
pub use unit::UnitRows;
