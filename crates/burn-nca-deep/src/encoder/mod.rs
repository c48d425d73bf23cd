//! The network of modern NCA (embedded numbers and residual blocks), and embeddings of unit length.

mod modern;
mod modern_encoder;
mod numeric_embedding;
mod residual_block;
mod two_valued;
mod unit;

pub use modern::{ModernConfig, ModernMember};
pub use modern_encoder::ModernEncoder;
pub use numeric_embedding::{NumericEmbedding, NumericEmbeddingConfig};
pub use residual_block::ResidualBlock;
pub use unit::UnitRows;
