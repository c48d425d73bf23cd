//! Weights that move: between devices, between models that hold the same encoder, and to and from PyTorch.

use std::path::Path;

use burn::module::Module;
use burn::store::burn_pack::Tensor as PackTensor;
use burn::store::{
    BurnToPyTorchAdapter, BurnpackStore, ModuleAdapter, ModuleContext, ModuleSnapshot, ModuleStore,
    PyTorchToBurnAdapter, SafetensorsStore,
};
use burn_nca_files::write_atomically;

use super::Encoder;
use crate::error::{Error, Result};

/// Writes an encoder's weights as a safetensors file, with PyTorch's names and layout.
///
/// A linear layer's weight is `[out, in]` there, and a [`LinearMap`](super::LinearMap) is the linear layer A
/// itself; names are the fields' (`layers.0.weight`), without the variants of
/// [`AnyEncoder`](super::AnyEncoder). The file is written atomically, and replaces an older one.
///
/// # Errors
/// A file that cannot be written.
pub fn save_safetensors<E: Encoder>(encoder: &E, path: &Path) -> Result<()> {
    write_safetensors(encoder, path)
}

/// The file says that it is PyTorch's, and nothing else: what Burn adds comes in an order that changes from run to run, and
/// equal weights are equal bytes.
pub(crate) fn write_safetensors<M: Module>(module: &M, path: &Path) -> Result<()> {
    let store = SafetensorsStore::from_bytes(None).clear_metadata().metadata("format", "pt");
    let mut store = store.with_to_adapter(Layout(BurnToPyTorchAdapter)).skip_enum_variants(true);
    let bytes = module.save_into(&mut store).and_then(|()| store.get_bytes());
    let failed = |error| Error::model(path, format!("the weights cannot be written: {error}"));
    write_atomically(path, &bytes.map_err(failed)?).map_err(|source| Error::io(path, source))
}

/// The encoder with its weights from a file: Burn's own (`.bpk`) or PyTorch's exchange format
/// (`.safetensors`).
///
/// The file may come from any device, and from any module that holds this encoder: a
/// [`MetricModel`](burn_nca::MetricModel) or a checkpoint of it, an [`AnyEncoder`](super::AnyEncoder), or the
/// plain encoder of what is now a [`UnitRows`](super::UnitRows). The encoder's names are looked for behind one
/// common prefix; what else the file holds (the loss's parameters) is left aside. The device is that of the
/// encoder, the number type that of the file.
///
/// # Errors
/// A file that cannot be read, that does not hold all of this encoder's weights in one place, or that holds
/// them in other shapes.
pub fn load_weights<E: Encoder>(mut encoder: E, path: &Path) -> Result<E> {
    if !path.is_file() {
        return Err(Error::model(path, "there is no such file; give a .bpk or .safetensors file"));
    }
    let (tensors, is_pytorchs) = match path.extension().and_then(|extension| extension.to_str()) {
        Some("bpk") => (read(&mut BurnpackStore::from_file(path), path)?, false),
        Some("safetensors") => (read(&mut SafetensorsStore::from_file(path), path)?, true),
        _ => {
            return Err(Error::model(
                path,
                "the name ends in neither .bpk (Burn) nor .safetensors (PyTorch); name the file by its format",
            ));
        }
    };
    let names: Vec<&str> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    let wanted = |skip_variants| -> Vec<String> {
        // As the file names them: a normalization's gamma is PyTorch's weight.
        let names = is_pytorchs.then(|| Layout(BurnToPyTorchAdapter).clone_box());
        let tensors = encoder.collect(None, names, skip_variants);
        tensors.into_iter().map(|tensor| tensor.name).collect()
    };
    // Burn's files name the variants of enums on the way, PyTorch's do not.
    let found = [false, true].into_iter().find_map(|skip_variants| {
        let wanted = wanted(skip_variants);
        prefixes(&wanted, &names).map(|prefixes| (prefixes, wanted, skip_variants))
    });
    let Some(([theirs, ours], wanted, skip_variants)) = found else {
        return Err(Error::model(
            path,
            format!(
                "the file holds {}, and this encoder needs {}, once and side by side; give the file of this \
                 very encoder",
                listed(&names),
                listed(&wanted(true))
            ),
        ));
    };
    let chosen = tensors.into_iter().filter_map(|mut tensor| {
        tensor.name = format!("{ours}{}", tensor.name.strip_prefix(&theirs)?);
        wanted.contains(&tensor.name).then_some(tensor)
    });
    let adapter = is_pytorchs.then(|| Layout(PyTorchToBurnAdapter).clone_box());
    let result = encoder.apply(chosen.collect(), None, adapter, skip_variants);
    if let Some(error) = result.errors.first() {
        return Err(Error::model(
            path,
            format!("{error}; build the encoder with the sizes of the file, or give its own file"),
        ));
    }
    if let Some((name, _)) = result.missing.first() {
        return Err(Error::model(path, format!("the weight {name:?} found no place")));
    }
    Ok(encoder)
}

fn read<S: ModuleStore>(store: &mut S, path: &Path) -> Result<Vec<PackTensor>> {
    let tensors = store
        .get_all_tensors()
        .map_err(|error| Error::model(path, format!("the weights cannot be read: {error}")))?;
    Ok(tensors.values().cloned().collect())
}

/// The one pair of prefixes, the file's and the encoder's, with which every wanted name is in the file.
///
/// `None` where there is none, or where a file holds several encoders that would do.
fn prefixes(wanted: &[String], names: &[&str]) -> Option<[String; 2]> {
    let first = wanted.first()?;
    let starts = core::iter::once(0).chain(first.match_indices('.').map(|(at, _)| at + 1));
    for start in starts {
        let ours = &first[..start];
        if !wanted.iter().all(|name| name.starts_with(ours)) {
            break;
        }
        let is_there = |theirs: &str, name: &str| {
            names.contains(&format!("{theirs}{}", &name[start..]).as_str())
        };
        let mut found = names
            .iter()
            .filter_map(|name| name.strip_suffix(&first[start..]))
            .filter(|theirs| theirs.is_empty() || theirs.ends_with('.'))
            .filter(|theirs| wanted.iter().all(|name| is_there(theirs, name)));
        if let Some(theirs) = found.next() {
            return found.next().is_none().then(|| [theirs.to_string(), ours.to_string()]);
        }
    }
    None
}

fn listed<S: AsRef<str>>(names: &[S]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(SHOWN);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{tail}", shown.join(", "))
}

/// Burn's adapter to or from PyTorch, which takes a [`LinearMap`](super::LinearMap) for the linear layer it
/// is.
#[derive(Clone)]
struct Layout<A>(A);

impl<A: ModuleAdapter + Clone + 'static> ModuleAdapter for Layout<A> {
    fn adapt(&self, tensor: PackTensor, context: ModuleContext<'_>) -> PackTensor {
        if context.module_type() == Some("Struct:LinearMap") {
            let linear = [String::from("Struct:Linear")];
            return self.0.adapt(tensor, ModuleContext::new(&linear));
        }
        self.0.adapt(tensor, context)
    }

    fn get_alternative_param_name(&self, name: &str, module_type: &str) -> Option<String> {
        self.0.get_alternative_param_name(name, module_type)
    }

    fn clone_box(&self) -> Box<dyn ModuleAdapter> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_there_twice_is_not_guessed() {
        for (wanted, names) in [
            (&["weight", "bias"][..], ["a.weight", "b.bias"]),
            (&["weight"], ["layers.0.weight", "layers.1.weight"]),
            (&["weight"], ["height", "overweight"]),
        ] {
            let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
            assert_eq!(prefixes(&wanted, &names), None);
        }
    }
}
