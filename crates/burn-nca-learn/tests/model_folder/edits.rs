//! Edits of model.json that contradict the rest of the model.

use std::fs;

use burn_nca_learn::NcaConfig;
use serde_json::{Value, json};

use super::{load, saved};

#[test]
fn every_edit_is_refused_with_its_field() {
    let (_place, folder) = saved(&NcaConfig::new(3, 2));
    let path = folder.join("model.json");
    let whole = fs::read_to_string(&path).unwrap();
    let sizes = [json!(0), json!(4_294_967_296_u64), json!(10_u64.pow(12)), json!(10_u64.pow(18))];
    let mut edits = Vec::new();
    for size in sizes {
        edits.push(("card.d_input", size.clone(), "card"));
        edits.push(("card.d_output", size.clone(), "card"));
        edits.push(("reference_rows", size, "reference_rows"));
    }
    let network = |hidden: Vec<u64>| json!({"Mlp": {"hidden": hidden, "activation": "Relu"}});
    edits.extend([
        ("reference_rows", json!(11), "references.bpk"),
        ("card.encoder", json!("Diagonal"), "diagonal"),
        ("card.encoder", network(vec![10_u64.pow(12)]), "parameters"),
        ("card.encoder", network(vec![4; 100_000]), "layers"),
        ("card.encoder", network(vec![]), "encoder.bpk"),
        ("scaling.scale", json!([1, 1]), "scaling.scale holds 2 values"),
        ("scaling.scale", json!([]), "scaling.scale holds 0 values"),
        ("scaling.scale", json!([1, 0, 1]), "scaling.scale of feature 2 is 0"),
        ("scaling.scale", json!([1, -1, 1]), "scaling.scale of feature 2 is -1"),
        ("scaling.scale", json!([1, 5e-324, 1]), "scaling.scale of feature 2"),
        ("scaling.scale", json!([1, "x", 1]), "model.json"),
        ("scaling.offset", json!([1]), "scaling.offset holds 1 values"),
        ("scaling.names", json!(["a"]), "scaling.names holds 1 values"),
        ("scaling.kind", json!("None"), "scaling.kind"),
        ("class_names", json!(["a", "b", "c", "d"]), "class_names holds 4 names for 3 classes"),
        ("class_names", json!(["a", "b"]), "class_names holds 2 names for 3 classes"),
        ("class_names", json!(["a", "b", "a"]), "the classes 1 and 3 are both named \"a\""),
        ("class_names", json!([]), "class_names holds 0 names"),
        ("targets", json!({"names": ["t"], "values": [1.0]}), "targets are there"),
        ("sha256", json!({"encoder.bpk": "0"}), "SHA-256 differs"),
    ]);
    for (field, value, expected) in edits {
        let mut card: Value = serde_json::from_str(&whole).unwrap();
        *match field.split_once('.') {
            Some((part, field)) => &mut card[part][field],
            None => &mut card[field],
        } = value.clone();
        fs::write(&path, card.to_string()).unwrap();
        let error = load(&folder).err().map_or(String::new(), |error| error.to_string());
        let shown: String = value.to_string().chars().take(40).collect();
        assert!(error.contains(expected) && error.contains("again"), "{field} = {shown}: {error}");
    }
    fs::write(&path, &whole).unwrap();
    assert!(load(&folder).is_ok());
}
