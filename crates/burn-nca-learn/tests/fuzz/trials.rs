//! The finished trials of a search: it continues after damaged ones, or says what is wrong with them.

use std::path::Path;

use burn::tensor::Device;
use burn_nca_learn::NcaConfig;
use burn_nca_learn::estimator::tune::{TuneConfig, TuneSession};
use burn_nca_learn::fit::{FitConfig, LbfgsConfig, OptimizerConfig};

use super::small_models::classes;
use super::{fuzz, json_damage};

pub const FILE: &str = "trials.json";

pub fn search(folder: &Path) -> burn_nca_learn::Result<()> {
    let steps = OptimizerConfig::Lbfgs(LbfgsConfig::new().with_max_iterations(2));
    let config = NcaConfig::new(3, 2).with_fit(FitConfig::new().with_optimizer(steps));
    let tune = TuneConfig::new().with_folds(2).with_repeats(1).with_most_candidates(2);
    let session = TuneSession::new().with_file(&folder.join(FILE));
    let search = config.search(&tune, &classes(), &Device::flex(), session)?;
    let _ = search.config(&config);
    Ok(())
}

#[test]
fn damaged_trials() {
    let folder = tempfile::tempdir().unwrap();
    search(folder.path()).unwrap();
    let bytes = std::fs::read(folder.path().join(FILE)).unwrap();
    let whole = serde_json::from_slice(&bytes).unwrap();
    fuzz(
        "trials",
        200,
        |folder, rng| {
            let bytes = json_damage::edited(std::slice::from_ref(&whole), rng);
            std::fs::write(folder.join(FILE), &bytes).unwrap();
            bytes.len()
        },
        search,
    );
}
