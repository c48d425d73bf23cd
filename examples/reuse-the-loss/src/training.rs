//! A training loop of the user's own, and the test that nearest neighbors work.

use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::{Device, Tensor};
use burn_nca_learn::evaluate::{Embedded, held_out_accuracy};
use burn_nca_learn::objective::{BatchLoss, ClassTarget};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::data::Digits;
use crate::network::Network;

const EPOCHS: usize = 15;
const BATCH: usize = 128;

/// The network and the loss: one module, so that the optimizer sees the parameters of both.
#[derive(Module, Debug)]
struct Model<L: BatchLoss> {
    network: Network,
    loss: L,
}

/// Trains a network with this loss, and tells the 5-NN accuracy on the test images after each epoch. What comes out is off
/// the autodiff device.
pub fn train<L: BatchLoss<Target = ClassTarget>>(
    digits: &Digits,
    loss: L,
    device: &Device,
) -> Result<Network, Box<dyn std::error::Error>> {
    device.seed(0);
    let mut model = Model { network: Network::new(device), loss };
    let mut optimizer = AdamConfig::new().init();
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut rows: Vec<usize> = (0..digits.train.labels.len()).collect();
    println!("{model}");
    for epoch in 1..=EPOCHS {
        rows.shuffle(&mut rng);
        let (mut total, mut batches) = (0.0, 0);
        for rows in rows.chunks(BATCH) {
            let (images, labels) = digits.train.batch(rows);
            let embeddings = model.network.forward(images);
            let loss = model.loss.batch_loss(embeddings, &ClassTarget::of_labels(labels));
            total += loss.clone().into_scalar::<f64>();
            batches += 1;
            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            model = optimizer.step(3e-3, model, gradients);
        }
        let network = model.network.valid();
        let accuracy = accuracy(digits, |images| network.forward(images))?;
        let mean = total / f64::from(batches);
        println!(
            "epoch {epoch:2}   loss {mean:8.4}   5-NN on test images {:.2} %",
            100.0 * accuracy
        );
    }
    Ok(model.network.valid())
}

/// The share of test images that their five nearest training images classify rightly.
pub fn accuracy(
    digits: &Digits,
    embed: impl Fn(Tensor<3>) -> Tensor<2>,
) -> burn_nca_learn::Result<f64> {
    let (train, test) = (embed(digits.train.images.clone()), embed(digits.test.images.clone()));
    let train = Embedded::new(&train, &digits.train.labels);
    let test = Embedded::new(&test, &digits.test.labels);
    let accuracy = held_out_accuracy(train, test, 5)?;
    Ok(accuracy.value().expect("there are test images"))
}
