//! Records of modules: from bytes, which may be damaged, back into a module.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleVisitor, Param};
use burn::store::{ModuleRecord, RecordError};
use burn::tensor::{Bool, Bytes, DType, Int, Tensor};
use burn_pack::Reader;

/// The module with the tensors of a record.
///
/// `Module::try_load_record` alone panics where a tensor's numbers are of another kind than its parameter's, as integers
/// in place of real numbers (Burn 0.22.1).
///
/// # Errors
/// Bytes that hold no tensors, or tensors of other names, shapes or kinds of numbers.
pub fn load_record<M: Module>(module: M, bytes: Vec<u8>) -> Result<M, RecordError> {
    let bytes = Bytes::from_bytes_vec(bytes).shared();
    let tensors = Reader::from_bytes(bytes.clone())?.into_tensors()?;
    let types = tensors.into_iter().map(|tensor| (tensor.name, tensor.dtype)).collect();
    let mut kinds = Kinds { types, path: Vec::new(), first_wrong: None };
    module.visit(&mut kinds);
    match kinds.first_wrong {
        Some(wrong) => Err(RecordError::Validation(wrong)),
        None => module.try_load_record(ModuleRecord::from_bytes(bytes)?),
    }
}

/// Compares the number types of a record's tensors with the kinds of the parameters.
struct Kinds {
    types: BTreeMap<String, DType>,
    path: Vec<String>,
    first_wrong: Option<String>,
}

impl Kinds {
    fn expect(&mut self, kind: &str, is_of_kind: impl Fn(&DType) -> bool) {
        let path = self.path.join(".");
        // A tensor that is missing is found out by Burn.
        if let Some(dtype) = self.types.get(&path).filter(|dtype| !is_of_kind(dtype)) {
            self.first_wrong
                .get_or_insert_with(|| format!("{path}: expected {kind} but record has {dtype:?}"));
        }
    }
}

impl ModuleVisitor for Kinds {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_string());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, _param: &Param<Tensor<D>>) {
        self.expect("floating-point numbers", DType::is_float);
    }

    fn visit_int<const D: usize>(&mut self, _param: &Param<Tensor<D, Int>>) {
        self.expect("integers", |dtype| dtype.is_int() || dtype.is_uint());
    }

    fn visit_bool<const D: usize>(&mut self, _param: &Param<Tensor<D, Bool>>) {
        self.expect("booleans", DType::is_bool);
    }
}

#[cfg(test)]
mod tests {
    use burn::module::ParamId;
    use burn::tensor::Device;

    use super::*;

    #[derive(Module, Debug)]
    struct Weights {
        weight: Param<Tensor<1>>,
    }

    #[derive(Module, Debug)]
    struct Counts {
        weight: Param<Tensor<1, Int>>,
    }

    #[test]
    fn numbers_of_another_kind_are_refused_by_their_name() {
        let device = Device::flex();
        let weights =
            || Weights { weight: Param::from_tensor(Tensor::from_data([0.5, 1.5], &device)) };
        let counts = || Counts {
            weight: Param::initialized(ParamId::new(), Tensor::from_data([1, 2], &device)),
        };
        let reals = weights().into_record().into_bytes().unwrap().to_vec();
        let integers = counts().into_record().into_bytes().unwrap().to_vec();

        let loaded = load_record(weights(), reals.clone()).unwrap();
        assert_eq!(loaded.weight.val().into_data().try_to_vec::<f32>().unwrap(), [0.5, 1.5]);
        assert!(load_record(counts(), integers.clone()).is_ok());

        let error = load_record(weights(), integers).err().unwrap().to_string();
        assert!(
            error.contains("weight: expected floating-point numbers but record has I"),
            "{error}"
        );
        let error = load_record(counts(), reals).err().unwrap().to_string();
        assert!(error.contains("weight: expected integers but record has F32"), "{error}");
    }
}
