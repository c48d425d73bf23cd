//! The exact gradient of a large batch, with the encoder's work in parts.
//!
//! A point of NCA needs all points of its batch, so a batch cannot be cut into smaller ones; the encoder, which
//! sees a digit at a time, can. Each part is encoded in a graph of its own, the loss is taken on a leaf that holds
//! the embeddings of all parts, and its gradient `dL/dZ` goes back through each part with the surrogate
//! `<Z, dL/dZ>`: the chain rule. Parts run side by side on the cores, and their buffers stay small.

use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::{Int, Tensor, TensorData};
use burn_nca::encoder::Encoder;
use burn_nca::fit::add_gradients;
use burn_nca::objective::NcaLoss;
use rayon::prelude::*;

use crate::batches::Batch;
use crate::digits::PIXELS;
use crate::encoder::Network;

/// Digits of a part. The number is fixed, so that sums do not depend on the number of cores.
const PART: usize = 125;

/// The loss of a batch, and the gradient of every parameter of the encoder, which lives on an autodiff device.
pub fn loss_and_gradient(
    network: &Network,
    loss: &NcaLoss,
    batch: &Batch,
) -> (f64, GradientsParams) {
    let parts = in_parallel(network, batch, |network, features| {
        let z = network.forward(features);
        (network, z)
    });
    let detached = parts.iter().map(|(_, z)| z.clone().without_autodiff()).collect();
    let z = Tensor::cat(detached, 0).autodiff().require_grad();
    let labels = batch.labels.iter().map(|&label| label as i32).collect::<Vec<_>>();
    let shape = [labels.len()];
    let labels = Tensor::<1, Int>::from_data(TensorData::new(labels, shape), &z.device().inner());
    let value = loss.forward(z.clone(), labels);
    let host_value = value.clone().into_scalar::<f64>();
    let mut graph = value.backward();
    let dz = z.grad_remove(&mut graph).expect("the leaf requires a gradient");
    let spans = (0..batch.labels.len()).step_by(PART);
    let with_gradient: Vec<_> = parts
        .into_iter()
        .zip(spans)
        .map(|((network, z), start)| {
            let rows = start..start + z.dims()[0];
            (network, z, dz.clone().slice([rows]))
        })
        .collect();
    let gradients: Vec<GradientsParams> = with_gradient
        .into_par_iter()
        .map(|(network, z, dz)| {
            let surrogate = (z * Tensor::from_inner(dz)).sum();
            GradientsParams::from_grads(surrogate.backward(), &network)
        })
        .collect();
    (host_value, summed(network, gradients))
}

/// What `work` makes of each part of the batch, in order.
///
/// Each part takes a copy of the encoder whose parameters are leaves of their own: graphs that shared a leaf
/// would wait for each other.
fn in_parallel<T: Send>(
    network: &Network,
    batch: &Batch,
    work: impl Fn(Network, Tensor<2>) -> T + Sync,
) -> Vec<T> {
    let plain = network.valid();
    let parts: Vec<(Network, &[f32])> = batch
        .features
        .chunks(PART * PIXELS)
        .map(|features| (plain.clone().train(), features))
        .collect();
    parts
        .into_par_iter()
        .map(|(network, features)| {
            let device = network.devices().remove(0);
            let shape = [features.len() / PIXELS, PIXELS];
            let features = TensorData::new(features.to_vec(), shape);
            work(network, Tensor::from_data(features, &device))
        })
        .collect()
}

/// The sum over parts, parameter by parameter, in the order of the parts.
fn summed(network: &Network, parts: Vec<GradientsParams>) -> GradientsParams {
    let mut total = GradientsParams::new();
    for mut part in parts {
        add_gradients(network, &mut total, &mut part);
    }
    total
}

#[cfg(test)]
mod tests {
    use burn::module::{ModuleVisitor, Param};
    use burn::tensor::Device;
    use burn_nca::objective::{Criterion, NcaLossConfig};

    use super::*;
    use crate::arguments::EncoderKind;
    use crate::batches::Source;
    use crate::digits::{Centring, synthetic};
    use crate::recipe::Recipe;

    /// Collects the entries of two gradients.
    struct Pairs<'a> {
        gradients: [&'a GradientsParams; 2],
        entries: Vec<(f32, f32)>,
    }

    impl ModuleVisitor for Pairs<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            let [one, other] = self.gradients.map(|gradients| {
                let gradient = gradients.get::<D>(param.id).unwrap();
                gradient.into_data().try_to_vec::<f32>().unwrap()
            });
            self.entries.extend(one.into_iter().zip(other));
        }
    }

    #[test]
    fn the_gradient_in_parts_is_that_of_the_whole_batch() {
        let digits = synthetic(300);
        let centring = Centring::of(&digits);
        let loss = NcaLossConfig::new().with_criterion(Criterion::G).init();
        let device = Device::flex().autodiff();
        for encoder in [EncoderKind::Linear, EncoderKind::Mlp, EncoderKind::Cnn] {
            let recipe = Recipe { batch_size: 300, ..Recipe::for_tests(encoder) };
            let network = Network::start(&recipe, (&digits, &centring), &device).unwrap();
            let source = Source::new(&digits, &centring, &recipe);
            let batch = std::thread::scope(|scope| source.send(scope, 0, 0).recv().unwrap());
            let (value, gradients) = loss_and_gradient(&network, &loss, &batch);

            let features = TensorData::new(batch.features.clone(), [300, PIXELS]);
            let labels: Vec<i32> = batch.labels.iter().map(|label| *label as i32).collect();
            let labels = Tensor::<1, Int>::from_data(
                TensorData::new(labels, [300]),
                &device.clone().inner(),
            );
            let whole = loss.forward(network.forward(Tensor::from_data(features, &device)), labels);
            let expected = whole.clone().into_scalar::<f64>();
            assert!((value - expected).abs() < 1e-5 * expected.abs(), "{value} and {expected}");
            let whole = GradientsParams::from_grads(whole.backward(), &network);
            let mut pairs = Pairs { gradients: [&gradients, &whole], entries: Vec::new() };
            network.visit(&mut pairs);
            let largest = pairs.entries.iter().fold(0f32, |max, pair| max.max(pair.1.abs()));
            assert!(largest > 0.0);
            for (found, expected) in pairs.entries {
                assert!((found - expected).abs() < 1e-4 * largest, "{found} and {expected}");
            }
        }
    }
}
