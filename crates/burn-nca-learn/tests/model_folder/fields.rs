//! Every field that a model is saved with today is one of some model of the gallery.

use std::collections::BTreeSet;

use burn::store::burn_pack::Reader;
use burn::tensor::Bytes;
use burn_nca_learn::method::AnyMethod;
use serde_json::Value;

use super::small_models::{FILES, of_gallery, of_today};

/// Fields whose value says which other fields there are.
const TAGS: [&str; 2] = ["method", "kind"];

/// The paths of all fields below a value, as `.summary.history[].step`; of a tag with its value.
fn add_fields(value: &Value, path: &str, fields: &mut BTreeSet<String>) {
    if let Value::Array(items) = value {
        items.iter().for_each(|item| add_fields(item, &format!("{path}[]"), fields));
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        add_fields(value, &path, fields);
        let tag = value.as_str().filter(|_| TAGS.contains(&name.as_str()));
        fields.insert(tag.map_or(path.clone(), |tag| format!("{path} = {tag}")));
    }
}

/// The fields of `model.json` and the tensors of the other files.
fn add_file(name: &str, bytes: &[u8], fields: &mut BTreeSet<String>) {
    if name == FILES[0] {
        return add_fields(&serde_json::from_slice(bytes).unwrap(), "", fields);
    }
    let reader = Reader::from_bytes(Bytes::from_bytes_vec(bytes.to_vec())).unwrap();
    fields.extend(reader.tensor_names().iter().map(|tensor| format!("{name}: {tensor}")));
}

#[test]
fn every_field_of_todays_models_is_in_the_gallery() {
    let (mut kept, mut today) = (BTreeSet::new(), BTreeSet::new());
    for folder in of_gallery().values() {
        let read = |file: &str| std::fs::read(folder.join(file)).unwrap();
        FILES.iter().for_each(|file| add_file(file, &read(file), &mut kept));
    }
    for (_, model) in of_today() {
        let files = model.to_files().unwrap();
        files.iter().for_each(|(file, bytes)| add_file(file, bytes, &mut today));
    }
    let methods = AnyMethod::all();
    today.extend(methods.iter().map(|method| format!(".card.method = {}", method.info().name)));
    let missing: Vec<&String> = today.difference(&kept).collect();
    assert!(
        missing.is_empty(),
        "no model of the gallery has {missing:?}; save today's models as a new folder of it (see gallery.rs)"
    );
}
