//! Products of matrices that keep the digits of their numbers.

use burn::tensor::{DType, Tensor};

use crate::device::backend;

/// The product `A B` of matrices, `[.., m, k]` and `[.., k, n]` to `[.., m, n]`, with the digits of its type.
///
/// # Numerics
/// Burn's product. On CUDA that of f32 numbers would be taken by tensor cores in TF32, which keeps 11 bits of each: the
/// points of a map would be off in the fourth digit, distances far from the origin in all, and a line search would see
/// steps. There it is taken in f64 and rounded once. Layers of networks of Burn's own keep Burn's product.
pub fn product<const D: usize>(a: Tensor<D>, b: Tensor<D>) -> Tensor<D> {
    if a.dtype() != DType::F32 || backend(&a.device()) != "cuda" {
        return a.matmul(b);
    }
    a.cast(DType::F64).matmul(b.cast(DType::F64)).cast(DType::F32)
}
