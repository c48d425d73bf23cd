//! Equal fits save equal files.

use std::fs;
use std::path::Path;

use burn_nca_learn::NcaConfig;
use burn_nca_learn::encoder::{Activation, EncoderConfig, HiddenLayers};
use serde_json::Value;

use super::saved;

fn card(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("model.json")).unwrap()).unwrap()
}

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
            let mut card = card(folder);
            assert!(card.as_object_mut().unwrap().remove("times").is_some());
            card
        };
        assert_eq!(without_times(&first), without_times(&second));
        assert!(!without_times(&first).to_string().contains("seconds"));
    }
}

#[test]
fn the_times_come_back_with_the_model() {
    let (_place, folder) = saved(&NcaConfig::new(3, 2));
    let model = super::load(&folder).unwrap();
    assert!(model.summary().seconds > 0.0);
    let last = model.summary().history.last().unwrap();
    assert!(last.seconds > 0.0 && last.seconds <= model.summary().seconds);
}
