//! Calls of `burn_nca_data::tables` that are refused, and what is done about them.

use burn_nca_data::{
    AgreementWidth, Agreements, Categorical, Coincidences, Features, Labeled, LabeledPair,
    LabeledPairs, Missing, Pairs, PreparationConfig, RawColumn, RawTable, RegressionData, Scaling,
    ScalingKind, SparseFeatures, TrainingData, grouped_folds, random_folds, stratified_folds,
    stratified_split,
};

use super::worded::{Refused, caught, refused};

pub(super) fn all() -> Vec<Refused> {
    [agreements(), pairs(), features(), labeled(), sparse(), splits(), training(), prepared()]
        .into_iter()
        .flatten()
        .collect()
}

/// Rows of one column.
fn column(values: &[f64]) -> Features {
    Features::unnamed(values.to_vec(), 1).unwrap()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn agreements() -> Vec<Refused> {
    let targets = |values: &[f64], width| Agreements::of_targets(values, 1, width);
    let list = |entries: &[(usize, usize, f64)]| Agreements::of_list(3, entries.to_vec());
    let function = |value: f64| Agreements::of_function(2, move |_, _| value);
    let good = || list(&[(0, 1, 0.5)]);
    let median = AgreementWidth::Median;
    vec![
        refused(targets(&[1.0, 2.0], AgreementWidth::Given(0.0)))
            .by(
                "give a positive finite number in the units of the target",
                targets(&[1.0, 2.0], AgreementWidth::Given(0.5)),
            )
            .by("take the median distance", targets(&[1.0, 2.0], median)),
        refused(targets(&[1.0], median))
            .by("give the width", targets(&[1.0], AgreementWidth::Given(1.0)))
            .by("more targets", targets(&[1.0, 2.0], median)),
        refused(targets(&[1.0, 1.0, 1.0, 2.0, 1.0], median)).by(
            "give the width in the units of the target",
            targets(&[1.0, 1.0, 1.0, 2.0, 1.0], AgreementWidth::Given(1.0)),
        ),
        refused(caught(|| function(2.0).agreement(0, 1)))
            .by("an agreement lies in 0..1", caught(|| function(1.0).agreement(0, 1))),
        refused(Agreements::of_targets(&[1.0, 2.0, 3.0], 2, median)).by(
            "give rows x columns values",
            Agreements::of_targets(&[1.0, 2.0, 3.0, 4.0], 2, median),
        ),
        refused(targets(&[1.0, f64::INFINITY, 3.0], median))
            .by("correct it", targets(&[1.0, 2.0, 3.0], median))
            .by("leave it out as NaN", targets(&[1.0, f64::NAN, 3.0], median)),
        refused(list(&[(0, 3, 0.5)])).by("correct the entry", good()),
        refused(list(&[(0, 1, 0.5), (1, 1, 0.5)])).by("remove the entry", good()),
        refused(list(&[(0, 1, 1.5)])).by("give a number from 0 to 1", good()),
        refused(list(&[(0, 1, 0.5), (0, 1, 0.5)])).by("keep one entry", good()),
        refused(good().unwrap().with_unlabeled(&[3]))
            .by("correct the number", good().unwrap().with_unlabeled(&[2])),
    ]
}

fn pairs() -> Vec<Refused> {
    let pairs = |pairs: &[(usize, usize, f64)]| Pairs::new(3, pairs.to_vec());
    let good = || pairs(&[(0, 1, 1.0)]);
    let labeled = |pairs: &[LabeledPair]| LabeledPairs::new(3, pairs.to_vec());
    let (alike, different) = (LabeledPair::alike(0, 1), LabeledPair::different(0, 2));
    vec![
        refused(pairs(&[(0, 3, 1.0)])).by("correct the pair", good()),
        refused(pairs(&[(0, 1, 1.0), (2, 2, 1.0)])).by("remove the pair", good()),
        refused(pairs(&[(0, 1, -1.0)])).by("give a finite number that is not negative", good()),
        refused(pairs(&[(0, 1, 0.0)])).by("give at least one", good()),
        refused(Coincidences::new(column(&[0.0; 4]), good().unwrap()))
            .by("give pairs of these rows", Coincidences::new(column(&[0.0; 3]), good().unwrap())),
        refused(labeled(&[LabeledPair::alike(0, 3)])).by("correct the pair", labeled(&[alike])),
        refused(labeled(&[alike, LabeledPair::alike(1, 1)]))
            .by("remove the pair", labeled(&[alike])),
        refused(labeled(&[])).by("give at least one of each kind", labeled(&[alike, different])),
    ]
}

fn features() -> Vec<Refused> {
    let new = |values: &[f64], of: &[&str]| Features::new(values.to_vec(), names(of));
    let good = || new(&[1.0, 2.0], &["a", "b"]);
    let scaling = Scaling::fit(ScalingKind::Standardize, &good().unwrap());
    let infinite = refused(new(&[1.0, 2.0, f64::INFINITY, 3.0], &["a", "b"]));
    let columns = |columns: Vec<RawColumn>| RawTable::new(columns);
    let raw = |name: &str, values: &[f64]| RawColumn::numbers(name, values.to_vec());
    let one = |name| columns(vec![raw(name, &[1.0])]).unwrap();
    vec![
        refused(new(&[], &[])).by("at least one is needed", new(&[1.0], &["a"])),
        refused(new(&[1.0, 2.0, 3.0], &["a", "b"])).by("give rows x columns values", good()),
        refused(new(&[1.0, 2.0], &["a", "a"])).by("rename one of the two columns", good()),
        infinite
            .by("remove the row", good())
            .by("fill the value in", new(&[1.0, 2.0, 0.0, 3.0], &["a", "b"])),
        refused(scaling.apply(&column(&[1.0])))
            .by("give the same columns", scaling.apply(&good().unwrap())),
        refused(scaling.apply(&new(&[1.0, 2.0], &["b", "a"]).unwrap()))
            .by("give columns of these names in the order a, b", scaling.apply(&good().unwrap())),
        refused(columns(vec![raw("a", &[1.0]), raw("b", &[1.0, 2.0])]))
            .by("give columns of one length", columns(vec![raw("a", &[1.0]), raw("b", &[2.0])])),
        refused(columns(vec![raw("a", &[1.0]), raw("a", &[2.0])]))
            .by("rename one of the two columns", columns(vec![raw("a", &[1.0]), raw("b", &[2.0])])),
        refused(columns(vec![raw("a", &[1.0, f64::INFINITY])]))
            .by("write a finite number", columns(vec![raw("a", &[1.0, 2.0])]))
            .by("remove the row", columns(vec![raw("a", &[1.0])])),
        refused(one("a").followed_by(one("b")))
            .by("give a table of the same columns", one("a").followed_by(one("a"))),
    ]
}

fn labeled() -> Vec<Refused> {
    let rows = || column(&[0.0, 1.0]);
    let new = |labels: &[usize], of: &[&str]| Labeled::new(rows(), labels.to_vec(), names(of));
    let good = || new(&[0, 1], &["u", "v"]);
    let numbered = |labels: &[usize]| Labeled::from_labels(rows(), labels.to_vec());
    let partly = |features| good().unwrap().with_unlabeled(features);
    let groups = |groups: &[usize]| good().unwrap().with_groups(groups.to_vec());
    let weights = |weights: &[f64]| good().unwrap().with_weights(weights.to_vec());
    let targets = |targets: &[f64]| RegressionData::with_targets(rows(), column(targets));
    vec![
        refused(new(&[0, 2], &["u", "v"])).by("name every class", new(&[0, 2], &["u", "v", "w"])),
        refused(numbered(&[0, 70_000]))
            .by("number the classes 0, 1, 2 and so on", numbered(&[0, 1])),
        refused(new(&[0, 1], &["u", "u"]))
            .by("give each class a name of its own", good())
            .by("both one number", new(&[0, 0], &["u"])),
        refused(partly(Features::new(vec![1.0], names(&["b"])).unwrap()))
            .by("give rows of the same columns, one at least", partly(column(&[2.0]))),
        refused(groups(&[0])).by("give the group of each row", groups(&[0, 1])),
        refused(new(&[0], &["u"])).by("give one label per row", good()),
        refused(weights(&[1.0])).by("give one weight per row", weights(&[1.0, 2.0])),
        refused(weights(&[1.0, -1.0]))
            .by("give a finite number that is not negative", weights(&[1.0, 0.0])),
        refused(weights(&[0.0, 0.0])).by("give at least one", weights(&[0.0, 1.0])),
        refused(targets(&[1.0])).by("give one row of targets a row", targets(&[1.0, 2.0])),
    ]
}

fn sparse() -> Vec<Refused> {
    let new = |size, entries: &[(usize, usize, f64)]| SparseFeatures::new(size, entries.to_vec());
    let good = || new([2, 2], &[(0, 0, 1.0), (1, 1, 2.0)]);
    let csr = |starts: &[usize], columns: &[usize], values: &[f64]| {
        SparseFeatures::from_csr(2, starts.to_vec(), columns.to_vec(), values.to_vec())
    };
    let compressed = || csr(&[0, 1, 2], &[0, 1], &[1.0, 2.0]);
    let start = "give a start more than rows, the first 0 and the last the number of values, and a column for each value";
    let wide = || new([1 << 16, 1 << 16], &[(0, 0, 1.0)]);
    vec![
        refused(new([2, 2], &[(0, 2, 1.0)])).by("correct it", good()),
        refused(csr(&[0, 1], &[0, 1], &[1.0, 2.0])).by(start, compressed()),
        refused(csr(&[0, 2, 1, 2], &[0, 1], &[1.0, 2.0]))
            .by("give starts that do not fall", csr(&[0, 1, 1, 2], &[0, 1], &[1.0, 2.0])),
        refused(csr(&[0, 1, 2], &[0, 2], &[1.0, 2.0])).by("correct it", compressed()),
        refused(wide().unwrap().to_dense()).by("keep them sparse", wide()),
        refused(new([2, 0], &[])).by("give from 1 to 4294967295 columns", good()),
        refused(new([2, 2], &[(0, 0, 1.0), (1, 1, f64::NAN)]))
            .by("remove the entry", new([2, 2], &[(0, 0, 1.0)]))
            .by("fill the value in", good()),
        refused(new([2, 2], &[(0, 0, 1.0), (1, 1, 2.0), (1, 1, 1.0)]))
            .by("keep one of them", good())
            .by("their sum", new([2, 2], &[(0, 0, 1.0), (1, 1, 3.0)])),
    ]
}

/// A class per row, of rows that count up.
fn classes(labels: &[usize]) -> Labeled {
    let rows: Vec<f64> = (0..labels.len()).map(|row| row as f64).collect();
    Labeled::from_labels(column(&rows), labels.to_vec()).unwrap()
}

fn splits() -> Vec<Refused> {
    let folds = |labels: &[usize], folds| stratified_folds(&classes(labels), folds, 1);
    let grouped = |groups: &[usize], folds| grouped_folds(&vec![0; groups.len()], groups, folds, 1);
    vec![
        refused(random_folds(3, 4, 1))
            .by("give more rows", random_folds(4, 4, 1))
            .by("fewer folds", random_folds(3, 3, 1)),
        refused(random_folds(9, 1, 1)).by("give 2 folds or more, such as 5", random_folds(9, 5, 1)),
        refused(folds(&[0, 0, 0, 1], 3))
            .by("join it with another class", folds(&[0, 0, 0, 0], 3))
            .by("leave it out", folds(&[0, 0, 0], 3)),
        refused(folds(&[0, 0, 0, 1, 1], 3))
            .by("give 2 folds or fewer", folds(&[0, 0, 0, 1, 1], 2))
            .by("join it with another class", folds(&[0, 0, 0, 0, 0], 3)),
        refused(grouped(&[0, 0, 1, 1], 3))
            .by("give more groups", grouped(&[0, 1, 2, 2], 3))
            .by("ask for fewer parts", grouped(&[0, 0, 1, 1], 2)),
        refused(stratified_split(&[0, 1], 1.0, 1))
            .by("give a number from 0 to below 1, such as 0.3", stratified_split(&[0, 1], 0.3, 1)),
    ]
}

fn training() -> Vec<Refused> {
    let check = |labels: &[usize]| classes(labels).check();
    let numbers = |values: &[f64]| {
        let rows = classes(&vec![0; values.len()]).features().clone();
        RegressionData::new(rows, "t", values.to_vec()).unwrap().check()
    };
    let share = |rows: usize, share| {
        classes(&(0..rows).map(|row| row % 2).collect::<Vec<_>>()).hold_out(share, 1)
    };
    let pairs = |share| {
        let all = Pairs::new(4, vec![(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
        Coincidences::new(column(&[0.0, 1.0, 2.0, 3.0]), all).unwrap().hold_out(share, 1)
    };
    // The fit without it is the whole data.
    let off = || burn_nca_data::Result::<()>::Ok(());
    vec![
        refused(share(20, 0.01))
            .by("give more rows", share(400, 0.01))
            .by("a larger share", share(20, 0.1))
            .by("switch early stopping off", off()),
        refused(pairs(0.01))
            .by("give another share", pairs(0.4))
            .by("switch early stopping off", off()),
        refused(check(&[0])).by("at least 2 are needed", check(&[0, 0, 1])),
        refused(check(&[0, 0])).by(
            "there is nothing to separate, so give rows of at least two classes",
            check(&[0, 0, 1]),
        ),
        refused(check(&[0, 1])).by("give at least one class two rows", check(&[0, 1, 1])),
        refused(numbers(&[1.0, 2.0])).by(
            "at least 3 are needed, so that a row has two others to choose from",
            numbers(&[1.0, 2.0, 3.0]),
        ),
        refused(numbers(&[1.0, 1.0, 1.0]))
            .by("there is nothing to learn, so give another target", numbers(&[1.0, 2.0, 3.0])),
        refused(column(&[1.0]).check()).by("at least 2 are needed", column(&[1.0, 2.0]).check()),
    ]
}

fn prepared() -> Vec<Refused> {
    let numbers = |name: &str, values: &[f64]| RawColumn::numbers(name, values.to_vec());
    let table = |columns: Vec<RawColumn>| RawTable::new(columns).unwrap();
    let fit = |config: &PreparationConfig, table: &RawTable| {
        config.fit(table, &(0..table.rows()).collect::<Vec<_>>())
    };
    let with = |missing| PreparationConfig { missing, ..PreparationConfig::default() };
    let whole = table(vec![numbers("a", &[1.0, 2.0])]);
    let holes = table(vec![numbers("a", &[1.0, f64::NAN]), numbers("b", &[f64::NAN, 2.0])]);
    let empty = table(vec![numbers("a", &[f64::NAN, f64::NAN])]);
    let drop = fit(&with(Missing::Drop), &whole).unwrap();
    let indicators = |missing| PreparationConfig { indicators: true, ..with(missing) };
    let named = |name: &str| PreparationConfig {
        categorical: Categorical::Columns(names(&[name])),
        ..PreparationConfig::default()
    };
    let texts = table(vec![RawColumn::text("a", ["yes", "no"].map(Some))]);
    let more =
        |last: &'static str| table(vec![RawColumn::text("a", ["yes", "no", last].map(Some))]);
    let auto = PreparationConfig { categorical: Categorical::Auto, ..PreparationConfig::default() };
    let yes_or_no = fit(&auto, &texts).unwrap();
    let of_the_model = drop.apply(&table(vec![numbers("b", &[1.0])]));
    vec![
        refused(of_the_model).by("the columns are b", drop.apply(&whole)),
        refused(drop.apply(&empty)).by("give rows with values", drop.apply(&whole)),
        refused(yes_or_no.apply(&more("maybe"))).by("correct it", yes_or_no.apply(&more("no"))),
        refused(fit(&auto, &table(Vec::new()))).by("at least one is needed", fit(&auto, &whole)),
        refused(fit(&indicators(Missing::Drop), &whole))
            .by("ask for mean", fit(&indicators(Missing::Mean), &whole))
            .by("median", fit(&indicators(Missing::Median), &whole))
            .by("most-frequent", fit(&indicators(Missing::MostFrequent), &whole))
            .by("leave the indicators out", fit(&with(Missing::Drop), &whole)),
        refused(fit(&with(Missing::Drop), &holes))
            .by("fill them in (mean, median, most-frequent)", fit(&with(Missing::Mean), &holes))
            .by(
                "leave the columns out that lack most",
                fit(&with(Missing::Drop), &table(vec![numbers("a", &[1.0, f64::NAN])])),
            ),
        refused(fit(&named("b"), &whole)).by("the features are a", fit(&named("a"), &whole)),
    ]
}
