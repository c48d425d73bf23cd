//! Calls of `burn_nca_data::tables` that are refused, and what is done about them.

use burn_nca_data::{
    AgreementWidth, Agreements, Coincidences, Features, Labeled, LabeledPair, LabeledPairs,
    Missing, Pairs, PreparationConfig, RawColumn, RawTable, RegressionData, Scaling, ScalingKind,
    SparseFeatures, grouped_folds, random_folds, stratified_split,
};

use super::calls::{Refused, caught, refused, varied};

pub(super) fn all() -> Vec<Refused> {
    let calls = [agreements(), pairs(), features(), labeled(), sparse(), splits(), prepared()];
    calls.into_iter().flatten().collect()
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
    let good = || list(&[(0, 1, 0.5)]);
    let median = AgreementWidth::Median;
    let two = || targets(&[1.0, 2.0], median);
    vec![
        refused(targets(&[1.0, 2.0], AgreementWidth::Given(0.0)))
            .by(
                "give a positive finite number in the units of the target",
                targets(&[1.0, 2.0], AgreementWidth::Given(0.5)),
            )
            .by("take the median distance", two()),
        refused(targets(&[1.0], median))
            .by("give the width", targets(&[1.0], AgreementWidth::Given(1.0)))
            .by("more targets", two()),
        varied([median, AgreementWidth::Given(1.0)], |width| {
            targets(&[1.0, 1.0, 1.0, 2.0, 1.0], width)
        }),
        varied([2.0, 1.0], |value| {
            caught(|| Agreements::of_function(2, move |_, _| value).agreement(0, 1))
        }),
        varied([3, 4], |count| Agreements::of_targets(&[1.0, 2.0, 3.0, 4.0][..count], 2, median)),
        refused(targets(&[1.0, f64::INFINITY, 3.0], median))
            .by("correct it", targets(&[1.0, 2.0, 3.0], median))
            .by("leave it out as NaN", targets(&[1.0, f64::NAN, 3.0], median)),
        refused(list(&[(0, 3, 0.5)])).cured(good()),
        refused(list(&[(0, 1, 0.5), (1, 1, 0.5)])).cured(good()),
        refused(list(&[(0, 1, 1.5)])).cured(good()),
        refused(list(&[(0, 1, 0.5), (0, 1, 0.5)])).cured(good()),
        varied([3, 2], |row| good().unwrap().with_unlabeled(&[row])),
    ]
}

fn pairs() -> Vec<Refused> {
    let pairs = |pairs: &[(usize, usize, f64)]| Pairs::new(3, pairs.to_vec());
    let good = || pairs(&[(0, 1, 1.0)]);
    let labeled = |pairs: &[LabeledPair]| LabeledPairs::new(3, pairs.to_vec());
    let (alike, different) = (LabeledPair::alike(0, 1), LabeledPair::different(0, 2));
    vec![
        refused(pairs(&[(0, 3, 1.0)])).cured(good()),
        refused(pairs(&[(0, 1, 1.0), (2, 2, 1.0)])).cured(good()),
        refused(pairs(&[(0, 1, -1.0)])).cured(good()),
        refused(pairs(&[(0, 1, 0.0)])).cured(good()),
        varied([4, 3], |rows| Coincidences::new(column(&vec![0.0; rows]), good().unwrap())),
        refused(labeled(&[LabeledPair::alike(0, 3)])).cured(labeled(&[alike])),
        refused(labeled(&[alike, LabeledPair::alike(1, 1)])).cured(labeled(&[alike])),
        refused(labeled(&[])).cured(labeled(&[alike, different])),
    ]
}

fn features() -> Vec<Refused> {
    let new = |values: &[f64], of: &[&str]| Features::new(values.to_vec(), names(of));
    let good = || new(&[1.0, 2.0], &["a", "b"]);
    let scale =
        |data: &Features| Scaling::fit(ScalingKind::Standardize, &good().unwrap()).apply(data);
    let raw = |name: &str, values: &[f64]| RawColumn::numbers(name, values.to_vec());
    let one = |name| RawTable::new(vec![raw(name, &[1.0])]).unwrap();
    vec![
        refused(new(&[1.0, 2.0, 3.0], &["a", "b"])).cured(good()),
        refused(new(&[1.0, 2.0, f64::INFINITY, 3.0], &["a", "b"]))
            .by("remove the row", good())
            .by("fill the value in", new(&[1.0, 2.0, 0.0, 3.0], &["a", "b"])),
        refused(scale(&column(&[1.0]))).cured(scale(&good().unwrap())),
        refused(scale(&new(&[1.0, 2.0], &["b", "a"]).unwrap())).cured(scale(&good().unwrap())),
        varied([2, 1], |rows| RawTable::new(vec![raw("a", &[1.0]), raw("b", &vec![1.0; rows])])),
        varied(["a", "b"], |other| RawTable::new(vec![raw("a", &[1.0]), raw(other, &[2.0])])),
        refused(RawTable::new(vec![raw("a", &[1.0, f64::INFINITY])]))
            .by("write a finite number", RawTable::new(vec![raw("a", &[1.0, 2.0])]))
            .by("remove the row", RawTable::new(vec![raw("a", &[1.0])])),
        varied(["b", "a"], |other| one("a").followed_by(one(other))),
    ]
}

fn labeled() -> Vec<Refused> {
    let rows = || column(&[0.0, 1.0]);
    let new = |labels: &[usize], of: &[&str]| Labeled::new(rows(), labels.to_vec(), names(of));
    let good = || new(&[0, 1], &["u", "v"]);
    let targets = |count| RegressionData::with_targets(rows(), column(&vec![1.0; count]));
    let partly = |column| {
        good().unwrap().with_unlabeled(Features::new(vec![1.0], names(&[column])).unwrap())
    };
    vec![
        refused(new(&[0, 2], &["u", "v"])).cured(new(&[0, 2], &["u", "v", "w"])),
        varied([70_000, 1], |label| Labeled::from_labels(rows(), vec![0, label])),
        refused(new(&[0, 1], &["u", "u"]))
            .by("give each class a name of its own", good())
            .by("both one number", new(&[0, 0], &["u"])),
        varied(["b", rows().names()[0].as_str()], partly),
        varied([1, 2], |count| good().unwrap().with_groups(vec![0; count])),
        refused(new(&[0], &["u"])).cured(good()),
        varied([1, 2], |count| good().unwrap().with_weights(vec![1.0; count])),
        varied([-1.0, 0.0], |weight| good().unwrap().with_weights(vec![1.0, weight])),
        varied([0.0, 1.0], |weight| good().unwrap().with_weights(vec![0.0, weight])),
        varied([1, 2], targets),
    ]
}

fn sparse() -> Vec<Refused> {
    let new = |size, entries: &[(usize, usize, f64)]| SparseFeatures::new(size, entries.to_vec());
    let good = || new([2, 2], &[(0, 0, 1.0), (1, 1, 2.0)]);
    let csr = |starts: &[usize], columns: &[usize]| {
        SparseFeatures::from_csr(2, starts.to_vec(), columns.to_vec(), vec![1.0, 2.0])
    };
    let compressed = || csr(&[0, 1, 2], &[0, 1]);
    let wide = || new([1 << 16, 1 << 16], &[(0, 0, 1.0)]);
    vec![
        refused(new([2, 2], &[(0, 2, 1.0)])).cured(good()),
        refused(csr(&[0, 1], &[0, 1])).cured(compressed()),
        refused(csr(&[0, 2, 1, 2], &[0, 1])).cured(csr(&[0, 1, 1, 2], &[0, 1])),
        refused(csr(&[0, 1, 2], &[0, 2])).cured(compressed()),
        refused(wide().unwrap().to_dense()).cured(wide()),
        refused(new([2, 0], &[])).cured(good()),
        refused(new([2, 2], &[(0, 0, 1.0), (1, 1, f64::NAN)]))
            .by("remove the entry", new([2, 2], &[(0, 0, 1.0)]))
            .by("fill the value in", good()),
        refused(new([2, 2], &[(0, 0, 1.0), (1, 1, 2.0), (1, 1, 1.0)]))
            .by("keep one of them", good())
            .by("their sum", new([2, 2], &[(0, 0, 1.0), (1, 1, 3.0)])),
    ]
}

fn splits() -> Vec<Refused> {
    let grouped = |groups: &[usize], folds| grouped_folds(&vec![0; groups.len()], groups, folds, 1);
    vec![
        refused(random_folds(3, 4, 1))
            .by("give more rows", random_folds(4, 4, 1))
            .by("fewer folds", random_folds(3, 3, 1)),
        varied([1, 5], |folds| random_folds(9, folds, 1)),
        refused(grouped(&[0, 0, 1, 1], 3))
            .by("give more groups", grouped(&[0, 1, 2, 2], 3))
            .by("ask for fewer parts", grouped(&[0, 0, 1, 1], 2)),
        varied([1.0, 0.3], |share| stratified_split(&[0, 1], share, 1)),
    ]
}

fn prepared() -> Vec<Refused> {
    let table = |name: &str| RawTable::new(vec![RawColumn::numbers(name, vec![1.0, 2.0])]).unwrap();
    let fit = |config: &PreparationConfig, table: &RawTable| config.fit(table, &[0, 1]);
    let plain = PreparationConfig::default();
    let indicators = |missing| {
        fit(&PreparationConfig { missing, indicators: true, ..plain.clone() }, &table("a"))
    };
    vec![
        varied(["b", "a"], |name| fit(&plain, &table("a")).unwrap().apply(&table(name))),
        varied([RawTable::new(Vec::new()).unwrap(), table("a")], |table| fit(&plain, &table)),
        refused(indicators(Missing::Drop))
            .by("ask for mean", indicators(Missing::Mean))
            .by("median", indicators(Missing::Median))
            .by("most-frequent", indicators(Missing::MostFrequent))
            .by("leave the indicators out", fit(&plain, &table("a"))),
    ]
}
