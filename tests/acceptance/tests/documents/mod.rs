//! What the READMEs and the guide show of Rust, compiled: their blocks are here with what surrounds them in a program.
//!
//! That every block is somewhere is held by the tests of the program, in `nca/documents`.

#![allow(clippy::print_stdout)] // as the documents do
#![allow(dead_code, unused_assignments, unused_variables)] // what a block computes is for the reader

#[cfg(feature = "train")]
mod learner;

use std::path::Path;

use acceptance::data::lbfgs;
use burn::optim::ModuleOptimizer;
use burn::tensor::{Device, Int, Tensor};
use burn_nca_learn::data::{Features, Labeled, Pairs, RegressionData, stratified_split};
use burn_nca_learn::encoder::{Encoder, Mlp};
use burn_nca_learn::fit::FitConfig;
use burn_nca_learn::{Fitted, NcaConfig};

/// Wine: 70 % to train on, the rest to test on.
fn train_and_test() -> (Labeled, Labeled) {
    let data = burn_nca_data::bundled::wine();
    let split = stratified_split(data.labels(), 0.3, 0).unwrap();
    (data.select(&split.train), data.select(&split.test))
}

/// Wine with its first column as the number to predict.
fn measured() -> RegressionData {
    let (train, _) = train_and_test();
    let alcohol = (0..train.rows()).map(|row| train.features().row(row)[0]).collect();
    RegressionData::new(train.features().clone(), "alcohol", alcohol).unwrap()
}

fn compared_and_searched(
    train: Labeled,
    test: Labeled,
    device: Device,
) -> burn_nca_learn::Result<()> {
    let chosen = NcaConfig::recommended(13, 2).choose(&train, &device)?; // compares a few settings, as `nca fit`
    let fitted = chosen.fitted;
    println!("{}, 5-NN: {:?}", fitted.summary().termination, fitted.accuracy(&test, 5)?.value());
    fitted.save("wine-model".as_ref())?;

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
fn what_the_readmes_show_runs() {
    let measured = measured();
    let features = measured.features().clone();
    let pairs = Pairs::new(features.rows(), vec![(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    numbers_and_pairs(measured, features, pairs, Device::flex()).unwrap();
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

fn other_methods(train: Labeled, device: Device) -> burn_nca_learn::Result<[Fitted; 2]> {
    use burn_nca_learn::Estimator;
    use burn_nca_learn::method::{Lca, Lmnn};

    let lca = Estimator::new(13, 2, Lca::new()).fit(&train, &device)?;
    let lmnn = Estimator::new(13, 2, Lmnn::new().with_neighbors(5)).fit(&train, &device)?;
    Ok([lca, lmnn])
}

fn labels_and_pairs(pairs: Pairs, device: Device) {
    use burn_nca_learn::objective::{
        NcaLossConfig, PairIndex, PairLossConfig, SubsetLoss, SumLossConfig,
    };

    let pairs = SubsetLoss::new(PairLossConfig::new().init(), PairIndex::new(&pairs, &device));
    let loss = SumLossConfig::new().with_weight(0.1).init(NcaLossConfig::new().init(), pairs);
}

fn exact_or_stochastic(train: Labeled, device: Device) -> burn_nca_learn::Result<()> {
    use burn_nca_learn::NcaConfig;
    use burn_nca_learn::fit::{
        FitConfig, LbfgsConfig, OptimizerConfig, Precision, StochasticConfig,
    };

    let exact = FitConfig::new()
        .with_l2(0.01)
        .with_optimizer(OptimizerConfig::Lbfgs(LbfgsConfig::new().with_max_iterations(100)))
        .with_time_budget(Some(60.0))
        .with_precision(Precision::F64); // CPU only
    let adam = StochasticConfig::new().with_epochs(Some(30)); // batch size and learning rate from the data and the map
    let stochastic = FitConfig::new().with_l2(0.01).with_optimizer(OptimizerConfig::Adam(adam));

    let fitted = NcaConfig::recommended(64, 10).with_fit(stochastic).fit(&train, &device)?;
    println!("{}", fitted.summary().termination);
    Ok(())
}

fn choosing_an_objective(measured: RegressionData, device: Device) -> burn_nca_learn::Result<()> {
    use burn_nca_learn::Estimator;
    use burn_nca_learn::data::AgreementWidth;
    use burn_nca_learn::method::{Mlkr, SoftNca};
    use burn_nca_learn::objective::Criterion;

    let mlkr = Estimator::recommended(13, 2, Mlkr::new()).choose(&measured, &device)?.fitted;
    let soft = SoftNca { criterion: Criterion::G, width: AgreementWidth::Given(5.0) };
    let soft = Estimator::recommended(13, 2, soft).fit(&measured, &device)?;
    Ok(())
}

/// The blocks on the evaluation of a model, one after the other.
fn evaluated(
    fitted: Fitted,
    train: Labeled,
    test: Labeled,
    device: Device,
) -> burn_nca_learn::Result<()> {
    use burn_nca_learn::evaluate::{Quantiles, Spread, perplexities};

    let z = fitted.references();
    println!("{:?}", Quantiles::of(&perplexities(z)?)); // median, quartiles, extremes
    println!("{:?}", Spread::of(z)?); // total variance, effective rank
    println!("{:?}", Spread::of(z)?.and_then(|spread| spread.collapse())); // None, a point or a line

    use burn::tensor::DType;
    use burn_nca_learn::data::{Features, TensorFeatures};
    use burn_nca_learn::evaluate::{Accuracy, McNemar};
    use burn_nca_learn::neighbors::{majority_vote, nearest};

    let learned = fitted.predict(test.features(), 5)?;
    let accuracy = Accuracy::of(&learned, test.labels())?;
    println!("{:?}, 95 %: {:?}", accuracy.value(), accuracy.interval());

    // The same rule by Euclidean distance on the scaled features.
    let place = |x: &Features| {
        Ok::<_, burn_nca_learn::Error>(fitted.scaling().apply(x)?.to_tensor(&device, DType::F64))
    };
    let found = nearest(&place(test.features())?, &place(train.features())?, 5, None)?;
    let euclidean = majority_vote(&found, train.labels(), train.classes(), 5)?;
    println!("p = {}", McNemar::of(&learned, &euclidean, test.labels())?.p_value());

    use burn_nca_learn::neighbors::PerplexityMean;

    let k = fitted.entropy_k(PerplexityMean::Geometric)?;
    let predicted = fitted.predict(test.features(), k)?;
    let each_its_own = fitted.predict_local_k(test.features())?;

    use burn_nca_learn::evaluate::{Embedded, held_out_retrieval};

    let z = fitted.transform(test.features())?;
    let references = Embedded::new(fitted.references(), fitted.reference_labels());
    let found = held_out_retrieval(references, Embedded::new(&z, test.labels()), 5)?;
    println!("{:?} {:?} {:?}", found.precision_at_k, found.r_precision, found.map_at_r);

    use burn_nca_learn::evaluate::{LogLoss, Reliability, brier_score};

    let soft = fitted.class_probabilities(test.features())?;
    println!("log loss {:?} nats", LogLoss::of(&soft, test.labels())?.value()); // no underflow: log space
    println!("Brier {:?}", brier_score(&soft, test.labels())?);
    println!("ECE {:?}", Reliability::of(&soft, test.labels(), 10)?.expected_calibration_error());
    Ok(())
}

#[test]
fn what_the_guide_shows_runs() {
    let ((train, test), device) = (train_and_test(), Device::flex());
    for fitted in other_methods(train.clone(), device.clone()).unwrap() {
        assert!(fitted.accuracy(&test, 3).unwrap().value() > Some(0.9));
    }
    choosing_an_objective(measured(), device.clone()).unwrap();
    let fit = FitConfig::new().with_optimizer(lbfgs(5));
    let fitted = NcaConfig::new(13, 2).with_fit(fit).fit(&train, &device).unwrap();
    evaluated(fitted, train, test, device).unwrap();
}

#[test]
fn each_function_on_the_way_is_where_the_document_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let document = std::fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let mut found = 0;
    for line in document.lines() {
        // As in: 6. `gradient::learn`: `method/gradient.rs`; the start
        let [number, name, ": ", file, ..] = line.split('`').collect::<Vec<_>>()[..] else {
            continue;
        };
        if number.trim_end_matches(". ").parse::<usize>().is_err() {
            continue;
        }
        let name = name.rsplit("::").next().unwrap_or(name);
        let sources = ["burn-nca-learn", "burn-nca"]
            .map(|package| root.join("crates").join(package).join("src").join(file));
        let source = sources.iter().find_map(|path| std::fs::read_to_string(path).ok());
        let source = source.unwrap_or_else(|| panic!("no crate has {file}"));
        let openings = [format!("fn {name}("), format!("fn {name}<")];
        let is_there = openings.iter().any(|opening| source.contains(opening));
        assert!(is_there, "{file} has no function {name}");
        found += 1;
    }
    assert!(found > 15, "{found} functions");
}
