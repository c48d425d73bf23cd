//! The tensor files of a model: Burn's format, with ids that do not change and a checksum.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::tensor::{Bool, Int, Tensor};
use burn_nca_files::read_regular;
use sha2::{Digest, Sha256};

use crate::data::host_values;
use crate::encoder::load_record;
use crate::error::{Error, Result, shortened};

pub(super) const ENCODER: &str = "encoder.bpk";
pub(super) const REFERENCES: &str = "references.bpk";

/// The file of a module's tensors, numbered in their order.
///
/// Burn draws the id of each parameter at random: with ids 1, 2, … equal tensors make equal files.
pub(super) fn bytes<M: Module>(module: M, name: &str) -> Result<Vec<u8>> {
    let wrong = not_finite(&module);
    if wrong > 0 {
        return Err(Error::model(
            name,
            format!(
                "{wrong} of its numbers would not be finite, so that the model cannot be saved; scale the features, or \
                 start from a smaller module"
            ),
        ));
    }
    let mut last = 0_u64;
    let numbered = module.map(&mut Identify(|| {
        last += 1;
        ParamId::from(last)
    }));
    let bytes = numbered
        .into_record()
        .into_bytes()
        .map_err(|error| Error::model(name, format!("the tensors cannot be written: {error}")))?;
    Ok(bytes.to_vec())
}

/// The bytes of a file, which are those that were written.
pub(super) fn read(folder: &Path, name: &str, noted: &BTreeMap<String, String>) -> Result<Vec<u8>> {
    let path = folder.join(name);
    let bytes = read_regular(&path).map_err(|source| match source.kind() {
        ErrorKind::NotFound => Error::model(
            folder,
            format!(
                "the file {name} is missing; copy the whole folder again, or fit the model again"
            ),
        ),
        _ => Error::io(&path, source),
    })?;
    match noted.get(name) {
        Some(noted) if *noted != sha256(&bytes) => Err(Error::model(
            path,
            "this file is not the one that was saved with model.json (its SHA-256 differs): it was changed, \
             damaged, or belongs to another model; copy the whole folder again, or fit the model again",
        )),
        _ => Ok(bytes),
    }
}

/// The module with the tensors of a file.
pub(super) fn load<M: Module>(module: M, bytes: Vec<u8>, folder: &Path, name: &str) -> Result<M> {
    let module = load_record(module, bytes).map_err(|error| unfit(folder, name, &error))?;
    let wrong = not_finite(&module);
    if wrong > 0 {
        return Err(Error::model(
            folder.join(name),
            format!("{wrong} of its numbers are not finite; fit the model again"),
        ));
    }
    // The numbers of the file are those of every other model, too; in one program ids must differ.
    Ok(module.map(&mut Identify(ParamId::new)))
}

pub(super) fn labels(labels: Tensor<1, Int>, folder: &Path) -> Result<Vec<usize>> {
    let labels = labels.into_data().convert::<i64>().try_to_vec::<i64>();
    let labels = labels.map_err(|error| unfit(folder, REFERENCES, &error))?;
    labels
        .into_iter()
        .map(|label| {
            usize::try_from(label)
                .map_err(|_| unfit(folder, REFERENCES, &format!("a row has the class {label}")))
        })
        .collect()
}

fn unfit(folder: &Path, name: &str, error: &dyn Display) -> Error {
    let error = shortened(&error);
    let reason = format!("the tensors do not fit the model ({error}); fit the model again");
    Error::model(folder.join(name), reason)
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Identify<F>(F);

impl<F: FnMut() -> ParamId> ModuleMapper for Identify<F> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (_, value, mapper) = param.consume();
        Param::from_mapped_value((self.0)(), value, mapper)
    }

    fn map_int<const D: usize>(&mut self, param: Param<Tensor<D, Int>>) -> Param<Tensor<D, Int>> {
        let (_, value, mapper) = param.consume();
        Param::from_mapped_value((self.0)(), value, mapper)
    }

    fn map_bool<const D: usize>(
        &mut self,
        param: Param<Tensor<D, Bool>>,
    ) -> Param<Tensor<D, Bool>> {
        let (_, value, mapper) = param.consume();
        Param::from_mapped_value((self.0)(), value, mapper)
    }
}

/// The number of values that are not finite.
fn not_finite<M: Module>(module: &M) -> usize {
    let mut values = NotFinite(0);
    module.visit(&mut values);
    values.0
}

struct NotFinite(usize);

impl ModuleVisitor for NotFinite {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let values = host_values(param.val().without_autodiff().dequantize());
        self.0 += values.iter().filter(|value| !value.is_finite()).count();
    }
}
