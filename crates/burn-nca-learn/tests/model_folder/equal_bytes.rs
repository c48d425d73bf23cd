//! Equal fits save equal files, and their times come back with the model.

use std::fs;
use std::path::Path;

use burn_nca_learn::NcaConfig;
use burn_nca_learn::encoder::{Activation, EncoderConfig, HiddenLayers};
use serde_json::Value;

use super::{load, saved};

#[test]
fn equal_fits_save_equal_bytes_but_for_the_times() {
    let network =
        EncoderConfig::Mlp(HiddenLayers { activation: Activation::Tanh, ..vec![4].into() });
    for config in [
        NcaConfig::new(3, 2),
        NcaConfig::new(3, 3).with_encoder(EncoderConfig::Diagonal),
        NcaConfig::new(3, 2).with_encoder(network),
    ] {
        let ((_first, first), (_second, second)) = (saved(&config), saved(&config));
        for file in ["encoder.bpk", "references.bpk"] {
            let bytes = |folder: &Path| fs::read(folder.join(file)).unwrap();
            assert_eq!(bytes(&first), bytes(&second), "{file}");
        }
        let without_times = |folder: &Path| {
            let text = fs::read(folder.join("model.json")).unwrap();
            let mut card: Value = serde_json::from_slice(&text).unwrap();
            assert!(card.as_object_mut().unwrap().remove("times").is_some());
            card
        };
        assert_eq!(without_times(&first), without_times(&second));
        assert!(!without_times(&first).to_string().contains("seconds"));
        let model = load(&first).unwrap();
        let last = model.summary().history.last().unwrap();
        assert!(last.seconds > 0.0 && last.seconds <= model.summary().seconds);
    }
}
