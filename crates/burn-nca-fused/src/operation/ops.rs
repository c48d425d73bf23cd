//! The operation as backends bring it: a trait that the macro of Burn's extensions routes by the device of the tensors.

// What the macro writes for a backend that this crate was built without uses no argument; tensors are arguments of their own.
#![allow(unused_variables, clippy::too_many_arguments)]

use ::burn::backend::tensor::FloatTensor;
use ::burn::backend::{Backend, backend_extension};

use crate::{NeighborSets, PairSum};

/// Burn as the macro names it: fusion is described in every build for GPUs, since another crate of a program may switch
/// it on (it is among the default features of `burn`).
#[cfg(feature = "cube")]
mod burn {
    pub(super) mod backend {
        pub(in super::super) use ::burn::backend::*;
        pub(in super::super) use burn_fusion as fusion;
    }
}

/// Queries `[b, k]`, references `[m, k]` and an operand that some sums have: costs `[b, m]` or values `[m, c]`; else any tensor.
#[backend_extension(
    Flex: cfg(feature = "flex"),
    Cube: cfg(feature = "cube"),
    Autodiff,
    Fusion: cfg(feature = "cube")
)]
pub(crate) trait PairSums: Backend {
    /// The sums `[b, c]` (c = 1 but for means), and what the backward pass wants to know of each row: the least distance and
    /// the logarithm of `Σ_j exp(least_i - d_ij)`, `[2, b]`; the sums again where they have no exponential.
    #[fusion(meta = |queries, _, operand, sum, _| specs::of_sums(queries, operand, *sum))]
    fn pair_sum(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        operand: FloatTensor<Self>,
        sum: PairSum,
        columns: NeighborSets,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// The gradients of queries `[b, k]`, references `[m, k]` and values `[m, c]`, from that of the sums, `[b, c]`. What has
    /// none comes back as it is.
    ///
    /// With `among_themselves`, queries and references are the same points: the first is the sum of both gradients.
    #[fusion(meta = |queries, references, operand, _, _, _, _, _, _| {
        (queries.clone(), references.clone(), operand.clone())
    })]
    fn pair_sum_backward(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        operand: FloatTensor<Self>,
        sums: FloatTensor<Self>,
        rows: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        sum: PairSum,
        columns: NeighborSets,
        among_themselves: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        unimplemented!("Burn differentiates once; a derivative has no graph of its own")
    }
}

/// The shapes of what a fused graph will hold.
#[cfg(feature = "cube")]
mod specs {
    use ::burn::tensor::Shape;
    use burn_fusion::custom::TensorSpec;

    use crate::PairSum;

    pub(super) fn of_sums(
        queries: &TensorSpec,
        operand: &TensorSpec,
        sum: PairSum,
    ) -> (TensorSpec, TensorSpec) {
        let b = queries.shape[0];
        let spec = |shape: [usize; 2]| TensorSpec::new(Shape::new(shape), queries.dtype);
        match sum {
            PairSum::Mean | PairSum::FourierMean(_) => (spec([b, operand.shape[1]]), spec([2, b])),
            PairSum::Sum(_) => (spec([b, 1]), spec([b, 1])),
            PairSum::LogSumExp(_) | PairSum::Fourier(_) | PairSum::CostedLogSumExp => {
                (spec([b, 1]), spec([2, b]))
            }
        }
    }
}
