//! Files that are mixed or missing: refused. `sweep.rs` damages them.

use std::fs;
use std::path::Path;

use burn_nca_learn::NcaConfig;
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::objective::Criterion;

use super::small_models::FILES;
use super::{load, saved};

fn refusal(folder: &Path) -> String {
    load(folder).expect_err("a damaged model is refused").to_string()
}

#[test]
fn files_of_two_models_do_not_go_together() {
    let (_place, folder) = saved(&NcaConfig::new(3, 2));
    let other = NcaConfig::new(3, 2).with_criterion(Criterion::G);
    let (_other_place, other) = saved(&other);
    for file in &FILES[1..] {
        let whole = fs::read(folder.join(file)).unwrap();
        fs::copy(other.join(file), folder.join(file)).unwrap();
        let error = refusal(&folder);
        assert!(error.contains(file) && error.contains("another model"), "{error}");
        fs::write(folder.join(file), whole).unwrap();
    }
}

#[test]
fn a_missing_file_is_named_as_missing() {
    for file in FILES {
        let (_place, folder) = saved(&NcaConfig::new(3, 3).with_encoder(EncoderConfig::Diagonal));
        fs::remove_file(folder.join(file)).unwrap();
        let error = refusal(&folder);
        assert!(error.contains(&format!("{file} is missing")), "{error}");
    }
}
