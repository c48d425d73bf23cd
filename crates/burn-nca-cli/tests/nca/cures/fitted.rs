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

use super::learned::{data, device, estimator, features, fit, kept, linear, numbers, pairs, with};
use super::worded::{Refused, refused};

pub(super) fn all() -> Vec<Refused> {
    [settings(), searches(), encoders(), predictions(), sparse_rows(), folders(), exports()]
        .into_iter()
        .flatten()
        .collect()
}

fn settings() -> Vec<Refused> {
    let scaled = |kind: ScalingKind| {
        let scaling = Scaling::fit(kind, data().features());
        let rows = data().scaled(&scaling).unwrap();
        estimator("nca", 1).fit_scaled(None, (rows, scaling), &device(), FitSession::new())
    };
    let own = estimator("nca", 1).fit.scaling;
    let other = if own == ScalingKind::None { ScalingKind::MinMax } else { ScalingKind::None };
    let l2 = |l2| fit(&with(estimator("lda", 1), |fit| fit.with_l2(l2)));
    let model = || fit(&estimator("nca", 1)).unwrap();
    let scaling = || Scaling::fit(ScalingKind::MinMax, data().features());
    let unscaled = || fit(&with(estimator("nca", 1), |fit| fit.with_scaling(ScalingKind::None)));
    let decided = |neighbors| model().with_decision(Decision::Nearest { neighbors });
    let standardized =
        || fit(&with(estimator("nca", 1), |fit| fit.with_scaling(ScalingKind::Standardize)));
    vec![
        refused(scaled(other)).by("give both alike", scaled(own)),
        refused(l2(0.1)).by("leave it at its default", l2(0.0)),
        refused(fit(&estimator("euclidean", 1)))
            .by("ask for 2", fit(&estimator("euclidean", 2)))
            .by("choose another method", fit(&estimator("pca", 1))),
        refused(standardized().unwrap().with_scaling(scaling())).by(
            "fit it with ScalingKind::None on rows that are scaled",
            unscaled().unwrap().with_scaling(scaling()),
        ),
        refused(decided(13)).by("give k from 1 to 12", decided(12)),
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
    let no_l2 = |l2| run(&TuneConfig { l2, ..tune() }, &estimator("lda", 1));
    let budget = |budget| of(tune().with_budget(budget));
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
    let [others, changed] = kept("delete the file to start again", |k, file| {
        let session = TuneSession::new().with_file(file);
        estimator("nca", k).search(&tune(), &data(), &device(), session).map(drop)
    });
    vec![
        refused(watched(ControlFlow::Break(())))
            .by("let it run longer", watched(ControlFlow::Continue(()))),
        others,
        changed,
        refused(lists(Some(Vec::new())))
            .by("give at least one", good())
            .by("leave the default", lists(None)),
        refused(no_l2(Some(vec![0.1]))).by("leave them out", no_l2(None)),
        refused(values(Some(&[])))
            .by("give at least one", values(Some(&["f"])))
            .by("leave criterion out", values(None)),
        refused(lists(Some(vec![-1.0]))).by("give finite weights that are not negative", good()),
        refused(budget(Some(0.0))).by("give a positive number", budget(Some(5.0))),
        refused(of(tune().with_neighbors(0)))
            .by("give 1 or more neighbors", of(tune().with_neighbors(1))),
        refused(of(tune().with_most_candidates(0))).by("give 1 or more", good()),
        refused(wide([100, 10], 1100))
            .by("give fewer folds or repeats", wide([2, 1], 1100))
            .by("fewer rows", wide([100, 10], 1000)),
        refused(of(tune().with_repeats(0))).by("give 1 or more", of(tune().with_repeats(1))),
        refused(run(&tune(), &stopping)).by("leave early_stopping and stop_at out", good()),
        refused(run(&TuneConfig { l2: None, ..tune() }, &estimator("euclidean", 2)))
            .by("fit it as it is", fit(&estimator("euclidean", 2))),
    ]
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

fn encoders() -> Vec<Refused> {
    let own = |d: usize, times| {
        let map = LinearMap::from_weight(&vec![1.0; d], [d, 1], &device(), DType::F32);
        adopted(Own { map, times }, &data()).map(drop)
    };
    vec![
        refused(own(3, 1)).by("give an encoder of 2 features", own(2, 1)),
        refused(own(2, 2)).by("an encoder embeds each row, [n, d] to [n, k]", own(2, 1)),
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
    let training =
        |rows| classes.explain(&features(2), Some(&features(rows)), classes.decision(), 2);
    let of_rows = |rows: usize| {
        let labels = (0..rows).map(|row| row % 2).collect();
        adopted(linear(1), &Labeled::from_labels(features(rows), labels)?)
    };
    let taken = |encoder: AnyEncoder, columns: usize| {
        let rows = Features::unnamed((0..4 * columns).map(|at| at as f64).collect(), columns)?;
        adopted(encoder, &Labeled::from_labels(rows, vec![0, 1, 0, 1])?)
    };
    let of_columns = |columns| taken(linear(1), columns);
    let of_width = |d: usize| taken(EncoderConfig::Diagonal.init(d, d, &device()), d);
    vec![
        refused(named(["u", "v"])).by("number the classes as the model does", named(["0", "1"])),
        refused(classes.predict_numbers(&features(2), 1))
            .by("predict classes with it", classes.predict(&features(2), 1))
            .by("fit numeric targets", of_numbers.predict_numbers(&features(2), 1)),
        refused(of_numbers.predict(&features(2), 1))
            .by("predict numbers with it", of_numbers.predict_numbers(&features(2), 1))
            .by("fit classes", classes.predict(&features(2), 1)),
        refused(of_pairs.predict(&features(2), 1))
            .by("embed rows with it (transform)", of_pairs.transform(&features(2)))
            .by("fit classes", classes.predict(&features(2), 1))
            .by("numeric targets", of_numbers.predict_numbers(&features(2), 1)),
        refused(explained(&of_pairs))
            .by("fit classes", explained(&classes))
            .by("numeric targets", explained(&of_numbers)),
        refused(training(11))
            .by("give the rows of the fit, in its order, without those of weight 0", training(12)),
        refused(of_rows(0)).by("give one or more", of_rows(4)),
        refused(of_columns(3)).by("give an encoder of 3 features", of_width(3)),
    ]
}

fn sparse_rows() -> Vec<Refused> {
    let model = fit(&estimator("nca", 1)).unwrap();
    let names = |count: usize| (0..count).map(|at| format!("w{at}")).collect::<Vec<_>>();
    let rows = |columns| SparseFeatures::new([2, columns], vec![(0, 0, 1.0), (1, 1, 2.0)]).unwrap();
    let reduction = Projection::new(vec![1.0; 6], [3, 2]);
    vec![
        refused(model.through(&reduction, names(2))).by(
            "give the reduction that its features were made by",
            model.through(&reduction, names(3)),
        ),
        refused(model.transform_sparse(&rows(3)))
            .by("give the same columns", model.transform_sparse(&rows(2))),
    ]
}

/// The model saved, with these changes to its card and its encoder, and loaded again.
fn with_changes(
    model: &Fitted,
    change: impl FnOnce(&mut serde_json::Value),
    encoder: impl FnOnce(&mut Vec<u8>),
) -> Result<Fitted> {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("model");
    model.save(&place)?;
    let (card, file) = (place.join("model.json"), place.join("encoder.bpk"));
    let mut text = serde_json::from_slice(&std::fs::read(&card).unwrap()).unwrap();
    change(&mut text);
    std::fs::write(card, text.to_string()).unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    encoder(&mut bytes);
    std::fs::write(file, bytes).unwrap();
    Fitted::load(&place, &device())
}

/// A card without the checksums.
fn unsigned(card: &mut serde_json::Value) {
    card["sha256"] = serde_json::json!({});
}

fn folders() -> Vec<Refused> {
    let model = fit(&estimator("nca", 1)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("model");
    model.save(&place).unwrap();
    let again = model.save(&place);
    let other = model.save(&folder.path().join("other"));
    let broken = place.join("encoder.bpk");
    let bytes = std::fs::read(&broken).unwrap();
    std::fs::remove_file(&broken).unwrap();
    let missing = Fitted::load(&place, &device());
    std::fs::write(&broken, bytes).unwrap();
    let copied = Fitted::load(&place, &device());
    std::fs::remove_dir_all(&place).unwrap();
    let removed = model.save(&place);
    let wrong = with_changes(&model, |card| card["classes"] = 9.into(), |_| ());
    let no_number = with_changes(&model, unsigned, |bytes| {
        let number = (model.matrix().unwrap()[0] as f32).to_le_bytes();
        let at = bytes.windows(4).position(|four| four == number).unwrap();
        bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    });
    let of_others = fit(&estimator("nca", 2)).unwrap().to_files().unwrap();
    let of_others = of_others.into_iter().find(|(name, _)| name == "encoder.bpk").unwrap().1;
    let unfit = with_changes(&model, unsigned, |bytes| *bytes = of_others);
    let whole = || with_changes(&model, |_| (), |_| ());
    let scales = |scales: &[f64]| DiagonalMap::from_scale(scales, &device(), DType::F32);
    let wide = Features::unnamed(vec![1.0; 12_000], 6000).unwrap();
    let wide = Labeled::from_labels(wide, vec![0, 1]).unwrap();
    let large = adopted(AnyEncoder::Diagonal(scales(&[1.0; 6000])), &wide).unwrap();
    let layer = folder.path().join("A.safetensors");
    let infinite = |scale| adopted(scales(&[scale, scale]), &data())?.to_files();
    vec![
        refused(again).by("choose another name", other).by("remove it first", removed),
        refused(missing)
            .by("copy the whole folder again", copied)
            .by("fit the model again", Fitted::load(&place, &device())),
        refused(wrong).by("restore the file", whole()).by("fit the model again", whole()),
        refused(no_number).by("fit the model again", whole()),
        refused(unfit).by("fit the model again", whole()),
        refused(large.export_safetensors(&layer))
            .by("read the weights from the model's encoder.bpk instead", large.to_files()),
        refused(infinite(1e38))
            .by("scale the features", infinite(1.0))
            .by("start from a smaller module", infinite(0.1)),
    ]
}

fn exports() -> Vec<Refused> {
    let of_many = |rows: usize, with_neighbors| {
        let labels = (0..rows).map(|row| row % (3 * rows / 4)).collect();
        let model = adopted(linear(1), &Labeled::from_labels(features(rows), labels)?)?;
        burn_nca_onnx::to_onnx(&model, with_neighbors)
    };
    vec![
        refused(of_many(20_000, true))
            .by("export the model without its neighbors", of_many(20_000, false))
            .by("fit fewer rows", of_many(40, true)),
    ]
}
