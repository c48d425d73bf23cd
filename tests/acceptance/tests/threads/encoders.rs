//! A fit of a map and of a network gives the same bits on any number of threads.

use burn::tensor::Device;
use burn_nca_learn::encoder::{Activation, EncoderConfig, HiddenLayers};
use burn_nca_learn::fit::exact::BlockConfig;
use burn_nca_learn::fit::{FitConfig, LbfgsConfig, OptimizerConfig};
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{Fitted, NcaConfig};

use crate::same_on_any_threads;

fn bits(fitted: &Fitted) -> Vec<u64> {
    let embedding = fitted.references().clone().into_data().convert::<f64>();
    let mut numbers = embedding.try_to_vec::<f64>().unwrap();
    numbers.push(fitted.summary().value);
    numbers.extend(fitted.summary().history.iter().map(|step| step.gradient_max));
    numbers.into_iter().map(f64::to_bits).collect()
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let network =
        EncoderConfig::Mlp(HiddenLayers { activation: Activation::Tanh, ..vec![8].into() });
    let solver = OptimizerConfig::Lbfgs(LbfgsConfig::new().with_max_iterations(3));
    // Many small blocks, so that every thread has some.
    let blocks = BlockConfig::new().with_rows(Some(7));
    let fit = FitConfig::new().with_optimizer(solver).with_blocks(blocks).with_l2(0.01);
    for encoder in [EncoderConfig::Linear, network] {
        for criterion in [Criterion::F, Criterion::G] {
            let config = NcaConfig::new(4, 2)
                .with_encoder(encoder.clone())
                .with_criterion(criterion)
                .with_fit(fit.clone());
            same_on_any_threads(&format!("{encoder:?}, {criterion:?}"), || {
                bits(&config.fit(&burn_nca_data::bundled::iris(), &Device::flex()).unwrap())
            });
        }
    }
}
