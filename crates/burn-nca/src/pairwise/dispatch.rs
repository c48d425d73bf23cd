//! Which backend holds the tensors of an operation, asked of Burn, whichever crate switched that backend on.
//!
//! Burn's macro for extensions would ask the features of this crate, which say nothing of a backend that a program
//! enables on `burn` alone. Here a name of Burn that is there hides the stand-in of the same name in this file.

// Burn has announced the end of its ndarray and LibTorch backends; as long as they are there, they are served.
#![allow(deprecated)]

use burn::backend::tensor::FloatTensor;
use burn::backend::{
    Autodiff, AutodiffBackend, Backend, BackendTensor, DispatchAutodiffContext,
    DispatchKindConversion, DispatchTensor, TensorMetadata,
};
use burn::tensor::GradientCheckpointingStrategy;
use burn_autodiff::checkpoint::strategy::{
    BalancedCheckpointing, CheckpointStrategy, NoCheckpointing,
};

use super::host::CommonBackend;
use super::operation::Operation;
use super::ops::PairwiseOps;

/// Computes an operation where its tensors are: on a device with a graph if one of them is there, the others being
/// constants then.
///
/// # Panics
/// If the tensors are of different backends, or of one that Burn got after this was written.
pub(super) fn dispatch<const N: usize>(
    operation: impl Operation<N>,
    tensors: [DispatchTensor; N],
) -> DispatchTensor {
    dispatch_among_all(operation, tensors)
}

/// What computes on the tensors of a backend, if Burn was built with it.
trait Offered {
    /// Whether the tensor is of this backend.
    fn holds(_: &DispatchTensor) -> bool {
        false
    }

    /// Computes an operation whose tensors are of this backend.
    fn run<const N: usize>(_: impl Operation<N>, _: [DispatchTensor; N]) -> DispatchTensor {
        unreachable!("Burn was built without this backend, which holds no tensor")
    }
}

impl<B: PairwiseOps> Offered for B
where
    DispatchTensor: DispatchKindConversion<B>
        + DispatchKindConversion<Autodiff<B, NoCheckpointing>>
        + DispatchKindConversion<Autodiff<B, BalancedCheckpointing>>,
{
    fn holds(tensor: &DispatchTensor) -> bool {
        match tensor.autodiff {
            DispatchAutodiffContext::Disabled => is_of::<B>(tensor),
            DispatchAutodiffContext::Enabled(GradientCheckpointingStrategy::Disabled) => {
                is_of::<Autodiff<B, NoCheckpointing>>(tensor)
            }
            DispatchAutodiffContext::Enabled(GradientCheckpointingStrategy::Balanced) => {
                is_of::<Autodiff<B, BalancedCheckpointing>>(tensor)
            }
        }
    }

    fn run<const N: usize>(
        operation: impl Operation<N>,
        tensors: [DispatchTensor; N],
    ) -> DispatchTensor {
        let contexts = tensors.iter().map(|tensor| tensor.autodiff);
        match contexts.fold(DispatchAutodiffContext::Disabled, DispatchAutodiffContext::merge) {
            DispatchAutodiffContext::Disabled => {
                wrapped::<B>(operation.run::<B>(tensors.map(of::<B>)))
            }
            DispatchAutodiffContext::Enabled(GradientCheckpointingStrategy::Disabled) => {
                with_graph::<B, NoCheckpointing, N>(operation, tensors)
            }
            DispatchAutodiffContext::Enabled(GradientCheckpointingStrategy::Balanced) => {
                with_graph::<B, BalancedCheckpointing, N>(operation, tensors)
            }
        }
    }
}

/// The backends of Burn: stand-ins of their names, and what goes through those that are there.
macro_rules! backends {
    ($($backend:ident),*) => {
        $(
            #[allow(dead_code)]
            struct $backend;

            impl Offered for $backend {}
        )*

        fn dispatch_among_all<const N: usize>(
            operation: impl Operation<N>,
            tensors: [DispatchTensor; N],
        ) -> DispatchTensor {
            $({
                #[allow(unused_imports)]
                use burn::backend::*;
                if <$backend as Offered>::holds(&tensors[0]) {
                    return <$backend as Offered>::run(operation, tensors);
                }
            })*
            panic!(
                "sums over pairs are computed on {}, not on {:?}; move the tensors to a device of one of these",
                [$(stringify!($backend)),*].join(", "),
                tensors[0].device()
            )
        }
    };
}

backends!(Flex, NdArray, Cube, LibTorch, Remote, Capture);

/// The stand-in of Burn's module for kernels of several operations.
#[allow(dead_code)]
mod fusion {
    pub(super) struct Fusion<B>(B);
}

/// The backends without an implementation of their own; `Cube` has one with this crate's feature `cube`.
const _: () = {
    #[allow(unused_imports)]
    use burn::backend::*;

    impl CommonBackend for Flex {
        const HAS_HOST_KERNELS: bool = true;
    }
    impl CommonBackend for NdArray {}
    #[cfg(not(feature = "cube"))]
    impl CommonBackend for Cube {}
    // Burn may fuse where this crate was not told to; `Cube` is this type then.
    #[cfg(all(feature = "cube", not(feature = "fusion")))]
    impl CommonBackend for fusion::Fusion<burn_cubecl::CubeBackend> {}
    impl CommonBackend for LibTorch {}
    impl CommonBackend for Remote {}
    impl CommonBackend for Capture {}
};

/// The operation on a device with a graph, where tensors without one are constants.
fn with_graph<B, C, const N: usize>(
    operation: impl Operation<N>,
    tensors: [DispatchTensor; N],
) -> DispatchTensor
where
    B: PairwiseOps,
    C: CheckpointStrategy,
    DispatchTensor: DispatchKindConversion<B> + DispatchKindConversion<Autodiff<B, C>>,
{
    let tensors = tensors.map(|tensor| match tensor.autodiff {
        DispatchAutodiffContext::Disabled => Autodiff::<B, C>::from_inner(of::<B>(tensor)),
        DispatchAutodiffContext::Enabled(_) => of::<Autodiff<B, C>>(tensor),
    });
    wrapped::<Autodiff<B, C>>(operation.run::<Autodiff<B, C>>(tensors))
}

fn is_of<B: Backend>(tensor: &DispatchTensor) -> bool
where
    DispatchTensor: DispatchKindConversion<B>,
{
    <DispatchTensor as DispatchKindConversion<B>>::try_into_backend(tensor.clone()).is_ok()
}

/// The tensor as its backend holds it.
fn of<B: Backend>(tensor: DispatchTensor) -> FloatTensor<B>
where
    DispatchTensor: DispatchKindConversion<B>,
{
    match <DispatchTensor as DispatchKindConversion<B>>::try_into_backend(tensor) {
        Ok(tensor) => tensor.float(),
        Err(reason) => {
            panic!("the tensors of a sum over pairs are on different devices: {reason}")
        }
    }
}

fn wrapped<B: Backend>(tensor: FloatTensor<B>) -> DispatchTensor
where
    DispatchTensor: DispatchKindConversion<B>,
{
    <DispatchTensor as DispatchKindConversion<B>>::from_backend(BackendTensor::Float(tensor))
}
