//! Records of modules: from bytes, which may be damaged, back into a module.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::ModuleOptimizer;
use burn::store::{ModuleRecord, RecordError};
use burn::tensor::{Bool, Bytes, DType, Int, Shape, Tensor};
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

/// The optimizer of a module with the state of a record: tensors of the shapes of the parameters, as those of Adam and of
/// momentum are.
///
/// `ModuleOptimizer::from_bytes` alone panics where a tensor has no identity of a parameter, and a step with a state of
/// another shape or kind (Burn 0.22.1).
///
/// # Errors
/// Bytes that hold no tensors, or one that is of no parameter, or not of its shape.
pub fn load_optimizer<M: Module>(
    optimizer: ModuleOptimizer,
    module: &M,
    bytes: Vec<u8>,
) -> Result<ModuleOptimizer, RecordError> {
    let mut shapes = Shapes::default();
    module.visit(&mut shapes);
    let bytes = Bytes::from_bytes_vec(bytes).shared();
    let reader = Reader::from_bytes(bytes.clone())?;
    let scalars = reader.scalars().clone();
    for tensor in reader.into_tensors()? {
        let expected = tensor.param_id.and_then(|id| shapes.0.get(&id));
        if expected != Some(&tensor.shape) || !tensor.dtype.is_float() {
            return Err(RecordError::Validation(format!(
                "{}: no parameter has a state of {} numbers of {:?}",
                tensor.name, tensor.shape, tensor.dtype
            )));
        }
    }
    for (name, rank) in scalars {
        // Burn makes the tensors of the rank that is written here, whatever their shape.
        let Some(id) = name.strip_suffix(".__rank") else { continue };
        let shape = id.parse().ok().and_then(|id: u64| shapes.0.get(&id));
        if shape.map(Shape::rank) != usize::try_from(rank).ok() {
            return Err(RecordError::Validation(format!("{name}: no parameter is of this rank")));
        }
    }
    optimizer.from_bytes(bytes)
}

/// The shape of each parameter of real numbers, by its identity.
#[derive(Default)]
struct Shapes(BTreeMap<u64, Shape>);

impl ModuleVisitor for Shapes {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.insert(param.id.val(), param.shape());
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
    use burn::optim::{AdamConfig, GradientsParams};
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

    #[test]
    fn the_state_of_an_optimizer_is_of_the_parameters_of_its_module() {
        let device = Device::flex().autodiff();
        let weights = |values: [f32; 2]| Weights {
            weight: Param::from_tensor(Tensor::<1>::from_data(values, &device).require_grad()),
        };
        let (module, other) = (weights([0.5, 1.5]), weights([0.5, 1.5]));
        let mut optimizer: ModuleOptimizer = AdamConfig::new().init();
        let loss = module.weight.val().powi_scalar(2).sum();
        let gradients = GradientsParams::from_grads(loss.backward(), &module);
        let module = optimizer.step(0.1, module, gradients);
        let bytes = optimizer.into_bytes().unwrap().to_vec();

        let fresh = || AdamConfig::new().init();
        assert!(load_optimizer(fresh(), &module, bytes.clone()).is_ok());
        let error = load_optimizer(fresh(), &other, bytes.clone()).err().unwrap().to_string();
        assert!(error.contains("no parameter has a state of"), "{error}");

        // The rank is behind its name, as a number of one byte.
        let name = b".__rank";
        let end = bytes.windows(name.len()).position(|part| part == name).unwrap() + name.len();
        let rank = end + bytes[end..].iter().position(|byte| *byte == 1).unwrap();
        let mut of_another_rank = bytes;
        of_another_rank[rank] = 3;
        let error = load_optimizer(fresh(), &module, of_another_rank).err().unwrap().to_string();
        assert!(error.contains("__rank: no parameter is of this rank"), "{error}");
    }
}
