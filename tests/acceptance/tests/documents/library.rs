//! `README.md`, the tutorial, the READMEs of `burn-nca` and `burn-nca-learn`, and `examples/reuse-the-loss/README.md`.

use burn::optim::ModuleOptimizer;
use burn::tensor::{Device, Int, Tensor};
use burn_nca_learn::NcaConfig;
use burn_nca_learn::data::{Features, Labeled, Pairs, RegressionData};
use burn_nca_learn::encoder::{Encoder, Mlp};

use crate::documents::setup::{measured, train_and_test};

fn compared(train: Labeled, test: Labeled, device: Device) -> burn_nca_learn::Result<()> {
    let chosen = NcaConfig::recommended(13, 2).choose(&train, &device)?; // compares a few settings, as `nca fit`
    let fitted = chosen.fitted;
    println!("{}, 5-NN: {:?}", fitted.summary().termination, fitted.accuracy(&test, 5)?.value());
    fitted.save("wine-model".as_ref())?;
    Ok(())
}

fn searched(train: Labeled, test: Labeled, device: Device) -> burn_nca_learn::Result<()> {
    use burn_nca_learn::estimator::tune::{TuneConfig, TuneSession};

    let tuned =
        NcaConfig::new(13, 2).tune(&TuneConfig::new(), &train, &device, TuneSession::new())?;
    println!("{:?}", tuned.search.choice); // what was chosen, and why
    println!("{:?}", tuned.fitted.accuracy(&test, 1)?.value());
    Ok(())
}

fn numbers_and_pairs(
    measured: RegressionData,
    features: Features,
    pairs: Pairs,
    device: Device,
) -> burn_nca_learn::Result<()> {
    use burn_nca_learn::Estimator;
    use burn_nca_learn::data::Coincidences;
    use burn_nca_learn::method::{Mlkr, PairNca};

    let fitted = Estimator::recommended(13, 2, Mlkr::new()).fit(&measured, &device)?; // features and targets
    let prices = fitted.predict_kernel(&features)?; // the sum of p_ij t_j
    let together = Coincidences::new(features, pairs)?; // data::Pairs: which rows belong together
    let fitted = Estimator::new(13, 2, PairNca::new()).fit(&together, &device)?;
    Ok(())
}

#[test]
fn numbers_and_pairs_are_learned_from() {
    let measured = measured();
    let features = measured.features().clone();
    let pairs = Pairs::new(features.rows(), vec![(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    numbers_and_pairs(measured, features, pairs, Device::flex()).unwrap();
}

fn own_encoder(train: Labeled, device: Device) -> burn_nca_learn::Result<()> {
    use burn::module::Module;
    use burn::nn::{Linear, LinearConfig};
    use burn::tensor::{Tensor, activation::relu};
    use burn_nca_learn::encoder::Encoder;
    use burn_nca_learn::fit::FitSession;

    #[derive(Module, Debug)]
    struct TwoLayers {
        hidden: Linear,
        output: Linear,
    }

    impl Encoder for TwoLayers {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.output.forward(relu(self.hidden.forward(x)))
        }
    }

    let encoder = TwoLayers {
        hidden: LinearConfig::new(13, 32).init(&device),
        output: LinearConfig::new(32, 2).init(&device),
    };
    let fitted = NcaConfig::new(13, 2).estimator().fit_encoder(
        encoder,
        &train,
        &device,
        FitSession::new(),
    )?;
    Ok(())
}

#[test]
fn an_encoder_of_ones_own_is_fitted() {
    own_encoder(train_and_test().0, Device::flex()).unwrap();
}

fn just_the_loss(
    mut network: Mlp,
    mut optimizer: ModuleOptimizer,
    features: Tensor<2>,
    labels: Tensor<1, Int>,
    learning_rate: f64,
) {
    use burn::optim::GradientsParams;
    use burn_nca::objective::{Criterion, NcaLossConfig};

    let criterion = NcaLossConfig::new().with_criterion(Criterion::G).init();
    let loss = criterion.forward(network.forward(features), labels); // [n, k] and [n] to [1]
    let gradients = GradientsParams::from_grads(loss.backward(), &network);
    network = optimizer.step(learning_rate, network, gradients);
}

mod reused_loss {
    use burn::module::Module;
    use burn_nca_learn::encoder::Mlp;
    use burn_nca_learn::objective::ProxyNcaLoss;

    type Network = Mlp;

    #[derive(Module, Debug)]
    struct Model {
        network: Network,
        loss: ProxyNcaLoss,
    }
}
