//! The values of a tensor in host memory, in place where Burn lets them be seen there.

use std::any::Any;

use burn::backend::Backend;
use burn::backend::tensor::FloatTensor;
use burn::tensor::{Element, TensorData, read_sync};
use pulp::bytemuck::Pod;

/// The values of a tensor of type `T`, row by row.
pub(super) enum Values<B: Backend> {
    InPlace(FloatTensor<B>),
    Read(TensorData),
}

impl<B: Backend> Values<B> {
    pub(super) fn of<T: Element + Pod>(tensor: FloatTensor<B>) -> Self {
        if in_place::<T>(&tensor).is_some() {
            return Self::InPlace(tensor);
        }
        Self::Read(read_sync(B::float_into_data(tensor)).expect("host memory can be read"))
    }

    pub(super) fn slice<T: Element + Pod>(&self) -> &[T] {
        match self {
            Self::InPlace(tensor) => in_place(tensor),
            // No place is aligned for numbers that are not there.
            Self::Read(data) if data.num_elements() == 0 => Some(&[][..]),
            Self::Read(data) => data.as_slice().ok(),
        }
        .expect("a tensor of this type, as all of an operation are")
    }
}

/// The values of a tensor of `flex` whose rows follow one another.
fn in_place<T: Element + Pod>(tensor: &dyn Any) -> Option<&[T]> {
    #[allow(unused_imports)]
    use burn::backend::*;
    tensor.downcast_ref::<flex::FlexTensor>()?.as_slice()
}

/// The stand-in of Burn's module, which hides it where Burn was built with that backend.
#[allow(dead_code)]
mod flex {
    pub(super) struct FlexTensor;

    impl FlexTensor {
        pub(super) fn as_slice<T>(&self) -> Option<&[T]> {
            None
        }
    }
}
