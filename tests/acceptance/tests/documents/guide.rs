//! `docs/guide`.

use burn::tensor::Device;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Labeled, Pairs, RegressionData};

use crate::documents::setup::{fitted, measured, train_and_test};

fn other_methods(train: Labeled, device: Device) -> burn_nca_learn::Result<[Fitted; 2]> {
    use burn_nca_learn::Estimator;
    use burn_nca_learn::method::{Lca, Lmnn};

    let lca = Estimator::new(13, 2, Lca::new()).fit(&train, &device)?;
    let lmnn = Estimator::new(13, 2, Lmnn::new().with_neighbors(5)).fit(&train, &device)?;
    Ok([lca, lmnn])
}

#[test]
fn other_methods_are_fitted() {
    let (train, test) = train_and_test();
    for fitted in other_methods(train, Device::flex()).unwrap() {
        assert!(fitted.accuracy(&test, 3).unwrap().value() > Some(0.9));
    }
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

fn collapse_and_scale(fitted: Fitted) -> burn_nca_learn::Result<()> {
    use burn_nca_learn::evaluate::{Quantiles, Spread, perplexities};

    let z = fitted.references();
    println!("{:?}", Quantiles::of(&perplexities(z)?)); // median, quartiles, extremes
    println!("{:?}", Spread::of(z)?); // total variance, effective rank
    println!("{:?}", Spread::of(z)?.and_then(|spread| spread.collapse())); // None, a point or a line
    Ok(())
}

fn against_euclidean(
    fitted: Fitted,
    train: Labeled,
    test: Labeled,
    device: Device,
) -> burn_nca_learn::Result<()> {
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
    Ok(())
}

fn number_of_neighbors(fitted: Fitted, test: Labeled) -> burn_nca_learn::Result<()> {
    use burn_nca_learn::neighbors::PerplexityMean;

    let k = fitted.entropy_k(PerplexityMean::Geometric)?;
    let predicted = fitted.predict(test.features(), k)?;
    let each_its_own = fitted.predict_local_k(test.features())?;
    Ok(())
}

fn retrieval(fitted: Fitted, test: Labeled) -> burn_nca_learn::Result<()> {
    use burn_nca_learn::evaluate::{Embedded, held_out_retrieval};

    let z = fitted.transform(test.features())?;
    let references = Embedded::new(fitted.references(), fitted.reference_labels());
    let found = held_out_retrieval(references, Embedded::new(&z, test.labels()), 5)?;
    println!("{:?} {:?} {:?}", found.precision_at_k, found.r_precision, found.map_at_r);
    Ok(())
}

fn probabilities(fitted: Fitted, test: Labeled) -> burn_nca_learn::Result<()> {
    use burn_nca_learn::evaluate::{LogLoss, Reliability, brier_score};

    let soft = fitted.class_probabilities(test.features())?;
    println!("log loss {:?} nats", LogLoss::of(&soft, test.labels())?.value()); // no underflow: log space
    println!("Brier {:?}", brier_score(&soft, test.labels())?);
    println!("ECE {:?}", Reliability::of(&soft, test.labels(), 10)?.expected_calibration_error());
    Ok(())
}

#[test]
fn objectives_for_numbers_are_fitted() {
    choosing_an_objective(measured(), Device::flex()).unwrap();
}

#[test]
fn a_fitted_model_is_evaluated() {
    let (train, test) = train_and_test();
    let device = Device::flex();
    let model = || fitted(&train, &device);
    collapse_and_scale(model()).unwrap();
    number_of_neighbors(model(), test.clone()).unwrap();
    retrieval(model(), test.clone()).unwrap();
    probabilities(model(), test.clone()).unwrap();
    against_euclidean(model(), train.clone(), test, device.clone()).unwrap();
}
