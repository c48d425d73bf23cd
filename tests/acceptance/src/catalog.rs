//! Every objective and every loss of a batch, each with its value by nested loops.

use burn::module::Param;
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use burn_nca_learn::Sums;
use burn_nca_learn::data::{AgreementWidth, Agreements, Pairs};
use burn_nca_learn::encoder::cast;
use burn_nca_learn::objective::transfer::{float_tensor, int_tensor};
use burn_nca_learn::objective::{
    AgreementIndex, BatchLoss, CandidateLoss, ClassIndex, ClassTarget, Criterion, MemoryLossConfig,
    MlkrLossConfig, NcaLossConfig, Objective, PairIndex, PairLossConfig, ProxyNcaLossConfig,
    Similarity, SoftNcaLossConfig, SoftNearestNeighborLossConfig, SupConLossConfig, TargetIndex,
    TemperatureConfig,
};

use crate::contrast::{Affinity, Rows, proxy_nca, soft_nearest_neighbor, sup_con};
use crate::data::{select, uniform};
use crate::oracle::{criterion, kernel_regression, log_matches, nca_loss, pair_cost};

/// The criteria f and g.
pub const CRITERIA: [Criterion; 2] = [Criterion::F, Criterion::G];

/// All similarities.
pub const SIMILARITIES: [Similarity; 3] =
    [Similarity::SqEuclidean, Similarity::Euclidean, Similarity::Cosine];

/// The value at an embedding `[rows, k]` of some rows of the data.
pub type Value<'a> = &'a dyn Fn(&[f64], &[usize]) -> f64;

/// What is done with each objective.
pub trait Visit {
    /// Is given its name, itself, its target, and its value by nested loops.
    fn see<O: Objective>(&mut self, name: &str, objective: O, target: &O::Target, value: Value<'_>);
}

/// Agreements of each kind; some rows are not labeled, some agree with no other.
fn agreements(n: usize) -> [Agreements; 5] {
    let unknown = |values: Vec<f64>| -> Vec<f64> {
        values.into_iter().map(|t| if t > 0.9 { f64::NAN } else { 300.0 + 40.0 * t }).collect()
    };
    let [line, plane] = [unknown(uniform(n, 92)), unknown(uniform(2 * n, 22))];
    let list = (0..n).map(|row| (row, (row * 5 + 2) % n, 0.1 + row as f64 / 60.0));
    let list = list.filter(|(i, j, _)| i != j && i % 8 > 0).collect();
    let labels: Vec<Option<usize>> = (0..n).map(|row| (row % 9 > 0).then_some(row % 4)).collect();
    let weight = |i: usize, j: usize| match i < 5 || (i + j).is_multiple_of(3) {
        true => 0.0,
        false => 1.0 / (1 + i + 2 * j) as f64,
    };
    [
        Agreements::of_targets(&line, 1, AgreementWidth::Given(12.5)).unwrap(),
        Agreements::of_targets(&plane, 2, AgreementWidth::Median).unwrap(),
        Agreements::of_list(n, list).unwrap(),
        Agreements::of_function(n, weight).with_unlabeled(&[0, 7, 8]).unwrap(),
        Agreements::of_labels(&labels),
    ]
}

/// Every third row with the one before, some rows twice, weights from 0 to 1.
fn some_pairs(n: usize) -> Vec<(usize, usize, f64)> {
    let mut pairs: Vec<(usize, usize, f64)> =
        (1..n).filter(|i| i % 3 != 0).map(|i| (i, i - 1, ((i * 7) % 11) as f64 / 10.0)).collect();
    pairs.extend([(0, n - 1, 0.9), (n - 1, 2, 0.35)]);
    pairs
}

/// Shows every objective over n rows, with weights of the rows and without.
///
/// # Panics
/// With fewer than a dozen rows.
pub fn every_objective(n: usize, device: &Device, visit: &mut impl Visit) {
    let k = |z: &[f64], rows: &[usize]| z.len() / rows.len();
    let weights: Vec<f64> = (0..n).map(|row| (row % 4) as f64).collect();
    let ones = vec![1.0; n];
    let class = |row: usize| match row {
        7 => None,
        11 => Some(9),
        row => Some(row % 3),
    };
    for (name, labels, weights) in [
        ("classes with weights", (0..n).map(class).collect::<Vec<_>>(), &weights),
        ("many classes", (0..n).map(|row| Some(row * row % (n / 2))).collect(), &ones),
        ("one class", vec![Some(0); n], &ones),
    ] {
        let index = ClassIndex::partly(&labels, device).unwrap().with_weights(weights).unwrap();
        for which in CRITERIA {
            for repulsion in [0.0, 0.7] {
                let loss = NcaLossConfig::new().with_criterion(which).with_repulsion(repulsion);
                let name = format!("{which:?} with {repulsion} of {name}");
                visit.see(&name, loss.init(), &index, &|z, rows| {
                    let labels: Vec<Option<usize>> = rows.iter().map(|&row| labels[row]).collect();
                    let weight = |i: usize| weights[rows[i]];
                    nca_loss(z, k(z, rows), &labels, (which, repulsion), weight)
                });
            }
        }
    }
    for (at, agreements) in agreements(n).iter().enumerate() {
        let (labeled, index) =
            (agreements.labeled_rows(), AgreementIndex::new(agreements, device).unwrap());
        let is_weighted = at % 2 == 0;
        let index = if is_weighted { index.with_weights(&weights).unwrap() } else { index };
        for which in CRITERIA {
            for unlabeled in [false, true] {
                let loss = SoftNcaLossConfig::new()
                    .with_criterion(which)
                    .with_unlabeled_neighbors(unlabeled)
                    .init();
                let name = format!("soft {which:?} of agreements {at}, unlabeled {unlabeled}");
                visit.see(&name, loss, &index, &|z, rows| {
                    let known: Vec<bool> = rows.iter().map(|row| labeled.contains(row)).collect();
                    let log_w = |i: usize, j: usize| agreements.log_agreement(rows[i], rows[j]);
                    let log_p = log_matches(z, k(z, rows), &known, unlabeled, log_w);
                    criterion(which, &log_p, |i| if is_weighted { weights[rows[i]] } else { 1.0 })
                });
            }
        }
    }
    let pairs = some_pairs(n);
    let index = PairIndex::new(&Pairs::new(n, pairs.clone()).unwrap(), device);
    for include_self in [true, false] {
        let loss = PairLossConfig::new().with_include_self(include_self).init();
        visit.see(&format!("equation 8, self {include_self}"), loss, &index, &|z, rows| {
            let place = |row: usize| rows.iter().position(|&other| other == row);
            let inside = pairs.iter().filter_map(|&(a, b, w)| Some((place(a)?, place(b)?, w)));
            pair_cost(z, k(z, rows), &inside.collect::<Vec<_>>(), include_self)
        });
    }
    for (columns, weights) in [(1, &ones), (2, &weights)] {
        let targets: Vec<f64> = uniform(columns * n, 93).iter().map(|t| 300.0 + t).collect();
        let index = TargetIndex::new(&targets, columns, device).unwrap();
        let index = index.with_weights(weights).unwrap();
        let loss = MlkrLossConfig::new().init();
        visit.see(&format!("MLKR of {columns}"), loss, &index, &|z, rows| {
            let errors =
                kernel_regression(z, k(z, rows), &select(&targets, columns, rows), columns);
            errors.iter().zip(rows).map(|(error, &row)| weights[row] * error).sum()
        });
    }
}

/// A loss of an embedding, `[n, k]` to `[1]`.
pub type Loss<'a> = &'a dyn Fn(Tensor<2>) -> Tensor<1>;

/// What is done with each loss of a batch, given its name, itself, and its value by nested loops.
pub type See<'a> = &'a mut dyn FnMut(&str, Loss<'_>, &dyn Fn(&[f64]) -> f64);

/// The contrastive losses that compare rows by an affinity.
pub fn contrastive(
    (similarity, t): Affinity,
    sums: Sums,
) -> (SoftNearestNeighborLossConfig, SupConLossConfig) {
    let temperature = || TemperatureConfig::new(t);
    let near = SoftNearestNeighborLossConfig::new().with_similarity(similarity);
    let pull = SupConLossConfig::new().with_similarity(similarity);
    (
        near.with_temperature(temperature()).with_sums(sums),
        pull.with_temperature(temperature()).with_sums(sums),
    )
}

/// The loss of a batch by a loss that remembers another one.
fn remembering<L: CandidateLoss>(
    (loss, first): (&L, &Tensor<2>),
    before: &ClassTarget,
    (z, target): (Tensor<2>, &ClassTarget),
) -> Tensor<1> {
    let memory = MemoryLossConfig::new(20, first.dims()[1]).init(loss.clone(), &first.device());
    let memory = cast(memory, first.dtype());
    drop(memory.batch_loss(first.clone(), before));
    memory.after_step().batch_loss(z, target)
}

/// Shows every loss of a batch `[n, k]`.
///
/// # Panics
/// With fewer than a dozen rows.
pub fn every_batch_loss(
    [n, k]: [usize; 2],
    (device, dtype): (&Device, DType),
    sums: Sums,
    see: See<'_>,
) {
    let matrix = |values: &[f64], columns: usize| -> Tensor<2> {
        float_tensor(values.to_vec(), [values.len() / columns, columns], device, dtype)
    };
    let vector = |values: &[f64]| -> Tensor<1> {
        float_tensor(values.to_vec(), [values.len()], device, dtype)
    };
    let labels: Vec<usize> = (0..n).map(|row| if row == 5 { 8 } else { row % 3 }).collect();
    let known: Vec<Option<usize>> = labels.iter().copied().map(Some).collect();
    let classes = int_tensor(&labels, device);
    let counted = (n - 1) as f64;
    for which in CRITERIA {
        let config = NcaLossConfig::new().with_criterion(which).with_sums(sums);
        for (reduction, share) in [(Reduction::Mean, counted), (Reduction::Sum, 1.0)] {
            let loss = config.clone().with_repulsion(0.4).with_reduction(reduction).init();
            see(&format!("{which:?}"), &|z| loss.forward(z, classes.clone()), &|z| {
                nca_loss(z, k, &known, (which, 0.4), |_| 1.0) / share
            });
        }
        let (loss, weights) = (config.with_repulsion(0.4).init(), uniform(n, 94));
        let each = |z| loss.forward_no_reduction(z, classes.clone()) * vector(&weights);
        see(&format!("{which:?} of each row"), &|z| each(z).sum(), &|z| {
            nca_loss(z, k, &known, (which, 0.4), |row| weights[row])
        });
        let soft = SoftNcaLossConfig::new().with_criterion(which).with_sums(sums);
        let mean = |log_p: &[Option<f64>]| {
            criterion(which, log_p, |_| 1.0) / log_p.iter().flatten().count() as f64
        };
        let table: Vec<f64> = uniform(n * n, 95).into_iter().map(|w| w.max(0.0)).collect();
        let loss = soft.init();
        let of_table = |z| loss.forward(z, matrix(&table, n));
        see(&format!("soft {which:?} of a table"), &of_table, &|z| {
            mean(&log_matches(z, k, &vec![true; n], false, |i, j| table[i * n + j].ln()))
        });
        let targets: Vec<f64> =
            uniform(2 * n, 96).iter().map(|&t| if t > 0.9 { f64::NAN } else { t }).collect();
        let agreements = Agreements::of_targets(&targets, 2, AgreementWidth::Given(0.4)).unwrap();
        let labeled: Vec<bool> =
            targets.chunks(2).map(|row| !row.iter().any(|t| t.is_nan())).collect();
        for unlabeled in [false, true] {
            let loss = soft.clone().with_unlabeled_neighbors(unlabeled).init();
            let of_targets = |z| loss.forward_targets(z, matrix(&targets, 2), 0.4);
            see(&format!("soft {which:?} of targets, {unlabeled}"), &of_targets, &|z| {
                let log_w = |i, j| agreements.log_agreement(i, j);
                mean(&log_matches(z, k, &labeled, unlabeled, log_w))
            });
        }
    }
    let rows = |z: &[f64]| Rows { z: z.to_vec(), k, labels: labels.clone(), ids: (0..n).collect() };
    let earlier = Rows { ids: (1000..1000 + n).collect(), ..rows(&uniform(n * k, 97)) };
    let target = ClassTarget::of_labels(classes.clone());
    let before = ClassTarget { ids: target.ids.clone() + 1000, labels: classes.clone() };
    let first = matrix(&earlier.z, k).require_grad();
    let proxies = uniform(3 * k, 50);
    for similarity in SIMILARITIES {
        let affinity = (similarity, 0.6);
        let name = |loss: &str| format!("{loss} {similarity:?}");
        let (near, pull) = contrastive(affinity, sums);
        let near = near.init(device);
        see(&name("soft nearest"), &|z| near.forward(z, classes.clone()), &|z| {
            soft_nearest_neighbor(affinity, [&rows(z); 2])
        });
        let [pull, all] = [Reduction::Mean, Reduction::Sum]
            .map(|how| pull.clone().with_reduction(how).init(device));
        let value = |z: &[f64]| sup_con(affinity, [&rows(z); 2]);
        see(&name("SupCon"), &|z| pull.forward(z, classes.clone()), &value);
        let sum = |z: &[f64]| counted * value(z);
        see(&name("sum of SupCon"), &|z| all.forward(z, classes.clone()), &sum);
        let mut loss = ProxyNcaLossConfig::new(3, k)
            .with_similarity(similarity)
            .with_temperature(TemperatureConfig::new(0.6))
            .with_sums(sums)
            .init(device);
        loss.proxies = Param::from_tensor(matrix(&proxies, k));
        see(&name("proxies"), &|z| loss.forward(z, classes.clone()), &|z| {
            proxy_nca(affinity, &rows(z), &proxies)
        });
        let held = earlier.select(&(0..20.min(n)).collect::<Vec<_>>());
        let among = |z: &[f64]| [rows(z), rows(z).and(&held)];
        let of_near = |z| remembering((&near, &first), &before, (z, &target));
        see(&name("memory"), &of_near, &|z| soft_nearest_neighbor(affinity, among(z).each_ref()));
        let of_pull = |z| remembering((&pull, &first), &before, (z, &target));
        see(&name("memory of SupCon"), &of_pull, &|z| sup_con(affinity, among(z).each_ref()));
    }
    let loss = PairLossConfig::new().with_sums(sums).init();
    let ends: Vec<usize> = (0..24).map(|at| (at * 7 + 3) % n).collect();
    let weights: Vec<f64> = uniform(12, 98).into_iter().map(f64::abs).collect();
    let pairs: Vec<(usize, usize, f64)> =
        ends.chunks(2).zip(&weights).map(|(pair, &weight)| (pair[0], pair[1], weight)).collect();
    let ends = TensorData::new(ends.iter().map(|&end| end as i64).collect(), [12, 2]);
    let ends = Tensor::<2, Int>::from_data(ends, device);
    let of_pairs = |z| loss.forward_indexed(z, ends.clone(), vector(&weights));
    see("pairs of a batch", &of_pairs, &|z| pair_cost(z, k, &pairs, true) / 12.0);
    let (b, config) = (n / 2, PairLossConfig::new().with_include_self(false).with_sums(sums));
    let (loss, weights) = (config.with_reduction(Reduction::Sum).init(), uniform(b, 99));
    let weights: Vec<f64> = weights.into_iter().map(f64::abs).collect();
    let halves = |z: Tensor<2>| {
        let [first, second] = [0..b, b..2 * b].map(|half| z.clone().slice([half]));
        loss.forward(first, second, vector(&weights))
    };
    see("batch of pairs", &halves, &|z| {
        let pairs: Vec<_> = (0..b).map(|i| (i, b + i, weights[i])).collect();
        pair_cost(&z[..2 * b * k], k, &pairs, false)
    });
    let targets = uniform(2 * n, 99);
    let loss = MlkrLossConfig::new().with_sums(sums).init();
    see("MLKR of a batch", &|z| loss.forward(z, matrix(&targets, 2)), &|z| {
        kernel_regression(z, k, &targets, 2).iter().sum::<f64>() / n as f64
    });
}
