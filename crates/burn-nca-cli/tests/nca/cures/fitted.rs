//! Calls of the estimator, of its search and of fitted models that are refused, and what is done about them.

use std::ops::ControlFlow;

use burn::module::Module;
use burn::tensor::{DType, Tensor};
use burn_nca_data::{
    Features, Labeled, Result, Scaling, ScalingKind, SparseFeatures, TrainingData,
};
use burn_nca_learn::Fitted;
use burn_nca_learn::baseline::Projection;
use burn_nca_learn::encoder::{AnyEncoder, DiagonalMap, Encoder, EncoderConfig, LinearMap};
use burn_nca_learn::estimator::tune::{TuneConfig, TuneProgress, TuneSession};
use burn_nca_learn::estimator::{Decision, Estimator};
use burn_nca_learn::fit::{EarlyStoppingConfig, FitSession};

use super::calls::{Refused, refused, varied};
use super::learned::{data, device, estimator, features, fit, kept, linear, numbers, pairs, with};

pub(super) fn all() -> Vec<Refused> {
    [settings(), searches(), models(), predictions(), folders()].into_iter().flatten().collect()
}

fn settings() -> Vec<Refused> {
    let scaled = |kind: ScalingKind| {
        let scaling = Scaling::fit(kind, data().features());
        let rows = data().scaled(&scaling).unwrap();
        estimator("nca", 1).fit_scaled(None, (rows, scaling), &device(), FitSession::new())
    };
    let own = estimator("nca", 1).fit.scaling;
    let other = if own == ScalingKind::None { ScalingKind::MinMax } else { ScalingKind::None };
    let rescaled = |kind| {
        let model = fit(&with(estimator("nca", 1), |fit| fit.with_scaling(kind))).unwrap();
        model.with_scaling(Scaling::fit(ScalingKind::MinMax, data().features()))
    };
    vec![
        varied([other, own], scaled),
        varied([0.1, 0.0], |l2| fit(&with(estimator("lda", 1), |fit| fit.with_l2(l2)))),
        refused(fit(&estimator("euclidean", 1)))
            .by("ask for 2", fit(&estimator("euclidean", 2)))
            .by("choose another method", fit(&estimator("pca", 1))),
        varied([ScalingKind::Standardize, ScalingKind::None], rescaled),
        varied([13, 12], |neighbors| {
            fit(&estimator("nca", 1)).unwrap().with_decision(Decision::Nearest { neighbors })
        }),
    ]
}

fn searches() -> Vec<Refused> {
    let tune = || TuneConfig::new().with_folds(2).with_l2(Some(vec![0.01])).with_most_candidates(1);
    let run = |tune: &TuneConfig, estimator: &Estimator| {
        estimator.search(tune, &data(), &device(), TuneSession::new()).map(drop)
    };
    let nca = || estimator("nca", 1);
    let good = || run(&tune(), &nca());
    let of = |tune: TuneConfig| run(&tune, &nca());
    let lists = |l2: Option<Vec<f64>>| of(TuneConfig { l2, ..tune() });
    let values = |values: Option<&[&str]>| {
        let values = values.map(|values| values.iter().map(ToString::to_string).collect());
        of(tune().with_settings(values.map(|values| vec![("criterion".to_string(), values)])))
    };
    let stopping = with(nca(), |fit| fit.with_early_stopping(Some(EarlyStoppingConfig::new())));
    // It ends before its first fit.
    let wide = |[folds, repeats]: [usize; 2], rows: usize| {
        let features = Features::unnamed(vec![1.0; 2000 * rows], 2000)?;
        let data = Labeled::from_labels(features, (0..rows).map(|row| row % 2).collect())?;
        let tune = tune().with_folds(folds).with_repeats(repeats).with_budget(Some(1e-9));
        let estimator = Estimator { d_input: 2000, ..nca() };
        estimator.search(&tune, &data, &device(), TuneSession::new()).map(drop)
    };
    let watched = |flow: ControlFlow<()>| {
        let mut watch = |_: &TuneProgress<'_>| flow;
        let session = TuneSession::new().with_progress(&mut watch);
        nca().tune(&tune(), &data(), &device(), session).map(drop)
    };
    let mut calls = vec![
        varied([ControlFlow::Break(()), ControlFlow::Continue(())], watched),
        refused(lists(Some(Vec::new())))
            .by("give at least one", good())
            .by("leave the default", lists(None)),
        varied([Some(vec![0.1]), None], |l2| {
            run(&TuneConfig { l2, ..tune() }, &estimator("lda", 1))
        }),
        refused(values(Some(&[])))
            .by("give at least one", values(Some(&["f"])))
            .by("leave criterion out", values(None)),
        varied([-1.0, 0.01], |l2| lists(Some(vec![l2]))),
        varied([0.0, 5.0], |budget| of(tune().with_budget(Some(budget)))),
        varied([0, 1], |neighbors| of(tune().with_neighbors(neighbors))),
        varied([0, 1], |most| of(tune().with_most_candidates(most))),
        refused(wide([100, 10], 1100))
            .by("give fewer folds or repeats", wide([2, 1], 1100))
            .by("fewer rows", wide([100, 10], 1000)),
        varied([0, 1], |repeats| of(tune().with_repeats(repeats))),
        refused(run(&tune(), &stopping)).cured(good()),
        refused(run(&TuneConfig { l2: None, ..tune() }, &estimator("euclidean", 2)))
            .cured(fit(&estimator("euclidean", 2))),
    ];
    calls.extend(kept("delete the file to start again", |k, file| {
        let session = TuneSession::new().with_file(file);
        estimator("nca", k).search(&tune(), &data(), &device(), session).map(drop)
    }));
    calls
}

/// An encoder of the user's own, which does not say how many features it takes.
#[derive(Module, Debug)]
struct Own {
    map: LinearMap,
    times: usize,
}

impl Encoder for Own {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.map.forward(x).repeat(&[self.times])
    }
}

/// A model of an encoder from elsewhere, for rows as they are.
fn adopted<E: Encoder>(encoder: E, train: &Labeled) -> Result<Fitted<E>> {
    let scaling = Scaling::unscaled(train.features().names().to_vec());
    Fitted::of_classes(encoder, scaling, train, &device())
}

/// A model of a map of two features and these rows, each of one of so many classes.
fn of_rows(rows: usize, classes: usize) -> Result<Fitted> {
    let labels = (0..rows).map(|row| row % classes).collect();
    adopted(linear(1), &Labeled::from_labels(features(rows), labels)?)
}

/// Models of encoders and reductions from elsewhere.
fn models() -> Vec<Refused> {
    let own = |d: usize, times| {
        let map = LinearMap::from_weight(&vec![1.0; d], [d, 1], &device(), DType::F32);
        adopted(Own { map, times }, &data()).map(drop)
    };
    let of_three = |encoder: AnyEncoder| {
        let rows = Features::unnamed((0..12).map(f64::from).collect(), 3)?;
        adopted(encoder, &Labeled::from_labels(rows, vec![0, 1, 0, 1])?)
    };
    let model = fit(&estimator("nca", 1)).unwrap();
    let names = |count: usize| (0..count).map(|at| format!("w{at}")).collect::<Vec<_>>();
    let reduction = Projection::new(vec![1.0; 6], [3, 2]);
    vec![
        varied([3, 2], |columns| own(columns, 1)),
        varied([2, 1], |times| own(2, times)),
        varied([0, 4], |rows| of_rows(rows, 2)),
        varied([linear(1), EncoderConfig::Diagonal.init(3, 3, &device())], of_three),
        varied([2, 3], |count| model.through(&reduction, names(count))),
        varied([3, 2], |columns| {
            let entries = vec![(0, 0, 1.0), (1, 1, 2.0)];
            model.transform_sparse(&SparseFeatures::new([2, columns], entries).unwrap())
        }),
        refused(burn_nca_onnx::to_onnx(&of_rows(20_000, 15_000).unwrap(), true))
            .by(
                "export the model without its neighbors",
                burn_nca_onnx::to_onnx(&of_rows(20_000, 15_000).unwrap(), false),
            )
            .by("fit fewer rows", burn_nca_onnx::to_onnx(&of_rows(40, 30).unwrap(), true)),
    ]
}

fn predictions() -> Vec<Refused> {
    let classes = fit(&estimator("nca", 1)).unwrap();
    let of_numbers = estimator("mlkr", 1).fit(&numbers(), &device()).unwrap();
    let of_pairs = estimator("pairs", 1).fit(&pairs(), &device()).unwrap();
    let named = |names: [&str; 2]| {
        let names = names.map(String::from).to_vec();
        classes.accuracy(&Labeled::new(features(2), vec![0, 1], names).unwrap(), 1)
    };
    let explained = |model: &Fitted| model.explain(&features(2), None, model.decision(), 2);
    let predicted = || classes.predict(&features(2), 1);
    let numbers = || of_numbers.predict_numbers(&features(2), 1);
    vec![
        varied([["u", "v"], ["0", "1"]], named),
        refused(classes.predict_numbers(&features(2), 1))
            .by("predict classes with it", predicted())
            .by("fit numeric targets", numbers()),
        refused(of_numbers.predict(&features(2), 1))
            .by("predict numbers with it", numbers())
            .by("fit classes", predicted()),
        refused(of_pairs.predict(&features(2), 1))
            .by("embed rows with it (transform)", of_pairs.transform(&features(2)))
            .by("fit classes", predicted())
            .by("numeric targets", numbers()),
        refused(explained(&of_pairs))
            .by("fit classes", explained(&classes))
            .by("numeric targets", explained(&of_numbers)),
        varied([11, 12], |rows| {
            classes.explain(&features(2), Some(&features(rows)), classes.decision(), 2)
        }),
    ]
}

/// Saved models, and files of their weights.
fn folders() -> Vec<Refused> {
    let model = fit(&estimator("nca", 1)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("model");
    let [card, encoder] = ["model.json", "encoder.bpk"].map(|name| place.join(name));
    let load = || Fitted::load(&place, &device());
    model.save(&place).unwrap();
    let [again, other] = ["model", "other"].map(|name| model.save(&folder.path().join(name)));
    let (text, bytes) = (std::fs::read(&card).unwrap(), std::fs::read(&encoder).unwrap());
    std::fs::remove_file(&encoder).unwrap();
    let missing = load();
    // The model with another card and other weights, of which it has no checksum.
    let changed = |name: &str, value: serde_json::Value, bytes: &[u8]| {
        let mut document: serde_json::Value = serde_json::from_slice(&text).unwrap();
        document[name] = value;
        std::fs::write(&card, document.to_string()).unwrap();
        std::fs::write(&encoder, bytes).unwrap();
        load()
    };
    let unsigned = serde_json::json!({});
    let wrong = changed("classes", 9.into(), &bytes);
    let number = (model.matrix().unwrap()[0] as f32).to_le_bytes();
    let at = bytes.windows(4).position(|four| four == number).unwrap();
    let nan = [&bytes[..at], &f32::NAN.to_le_bytes(), &bytes[at + 4..]].concat();
    let no_number = changed("sha256", unsigned.clone(), &nan);
    let of_others = fit(&estimator("nca", 2)).unwrap().to_files().unwrap();
    let (_, of_others) = of_others.into_iter().find(|(name, _)| name == "encoder.bpk").unwrap();
    let unfit = changed("sha256", unsigned, &of_others);
    let whole = || {
        std::fs::write(&card, &text).unwrap();
        std::fs::write(&encoder, &bytes).unwrap();
        load()
    };
    let scales = |scales: &[f64]| DiagonalMap::from_scale(scales, &device(), DType::F32);
    let wide = Features::unnamed(vec![1.0; 12_000], 6000).unwrap();
    let wide = Labeled::from_labels(wide, vec![0, 1]).unwrap();
    let large = adopted(AnyEncoder::Diagonal(scales(&[1.0; 6000])), &wide).unwrap();
    let infinite = |scale| adopted(scales(&[scale, scale]), &data())?.to_files();
    let mut calls = vec![
        refused(missing)
            .by("copy the whole folder again", whole())
            .by("fit the model again", whole()),
        refused(wrong).by("restore the file", whole()).by("fit the model again", whole()),
        refused(no_number).cured(whole()),
        refused(unfit).cured(whole()),
        refused(large.export_safetensors(&folder.path().join("A.safetensors")))
            .cured(large.to_files()),
        refused(infinite(1e38))
            .by("scale the features", infinite(1.0))
            .by("start from a smaller module", infinite(0.1)),
    ];
    std::fs::remove_dir_all(&place).unwrap();
    let removed = model.save(&place);
    calls.push(refused(again).by("choose another name", other).by("remove it first", removed));
    calls
}
