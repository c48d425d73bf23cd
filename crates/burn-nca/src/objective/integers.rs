//! Labels and numbers of samples, of any integer types.

use burn::tensor::{Bool, DType, Int, Tensor};

use crate::nca;

/// Where entry i of `rows` equals entry j of `columns`, `[b]` and `[m]` to `[b, m]`; of any integer types.
pub fn equal_pairs(rows: Tensor<1, Int>, columns: Tensor<1, Int>) -> Tensor<2, Bool> {
    let (rows, columns) = in_one_type(rows, columns);
    nca::equal_pairs(rows, columns)
}

/// Both in an integer type that holds the values of either.
pub fn in_one_type(a: Tensor<1, Int>, b: Tensor<1, Int>) -> (Tensor<1, Int>, Tensor<1, Int>) {
    let types = [a.dtype(), b.dtype()];
    if types[0] == types[1] {
        return (a, b);
    }
    let dtype = if types.iter().all(fits_i32) { DType::I32 } else { DType::I64 };
    (a.cast(dtype), b.cast(dtype))
}

fn fits_i32(dtype: &DType) -> bool {
    matches!(dtype, DType::I32 | DType::I16 | DType::I8 | DType::U16 | DType::U8)
}

/// The values of several tensors of one device on the host, in one transfer where one type holds them all.
#[cfg(feature = "fused")]
pub fn on_host_together(tensors: Vec<Tensor<1, Int>>) -> Vec<Vec<i64>> {
    let types: Vec<DType> = tensors.iter().map(Tensor::dtype).collect();
    let is_one_type = types.iter().all(|dtype| *dtype == types[0]);
    if tensors.len() < 2 || !(is_one_type || types.iter().all(fits_i32)) {
        return tensors.into_iter().map(on_host).collect();
    }
    let lengths: Vec<usize> = tensors.iter().map(|tensor| tensor.dims()[0]).collect();
    let one_type =
        |tensor: Tensor<1, Int>| if is_one_type { tensor } else { tensor.cast(DType::I32) };
    let mut all = on_host(Tensor::cat(tensors.into_iter().map(one_type).collect(), 0));
    let split = lengths.iter().rev().map(|length| all.split_off(all.len() - length));
    let mut parts: Vec<Vec<i64>> = split.collect();
    parts.reverse();
    parts
}

/// The values on the host.
///
/// # Panics
/// If the device cannot be read back.
pub fn on_host(values: Tensor<1, Int>) -> Vec<i64> {
    let values = values.into_data().convert::<i64>();
    values.try_to_vec::<i64>().expect("data that were just converted to i64 are i64")
}
