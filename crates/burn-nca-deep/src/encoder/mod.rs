//! The network of modern NCA (embedded numbers and residual blocks), and embeddings of unit length.

mod modern;
mod modern_encoder;
mod numeric_embedding;
mod unit;

pub use modern::{ModernConfig, ModernMember, ResidualBlock};
pub use modern_encoder::ModernEncoder;
pub use numeric_embedding::{NumericEmbedding, NumericEmbeddingConfig};
pub use unit::UnitRows;
