//! The losses of a batch against nested loops, other programs, and central differences; the cached gradient and the
//! cross-batch memory against doing without them.

use acceptance::catalog::{Loss, SIMILARITIES, contrastive, every_batch_loss};
use acceptance::compare::{assert_close, assert_near, assert_slopes};
use acceptance::contrast::{self, Rows};
use acceptance::data::uniform;
use acceptance::setup::{at_embedding, encoders, tensor};
use burn::module::Module;
use burn::optim::GradientsParams;
use burn::store::ModuleRecord;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::data::host_values;
use burn_nca_learn::encoder::{AnyEncoder, cast};
use burn_nca_learn::fit::parameters::{assign, flatten, flatten_gradients};
use burn_nca_learn::fit::{cached, parallel};
use burn_nca_learn::objective::transfer::int_tensor;
use burn_nca_learn::objective::{
    BatchLoss, CandidateLoss, Candidates, ClassTarget, Criterion, MemoryLoss, MemoryLossConfig,
    NcaLossConfig, ProxyNcaLossConfig, Similarity, SoftNearestNeighborLoss,
    SoftNearestNeighborLossConfig, SupConLoss, SupConLossConfig, TemperatureConfig,
};
use burn_nca_learn::{MetricModel, Sums};
use serde::Deserialize;

fn autodiff() -> Device {
    Device::flex().autodiff()
}

/// The embedding and target of rows, the embedding as a leaf of a graph.
fn leaf(rows: &Rows) -> (Tensor<2>, ClassTarget) {
    (tensor(&rows.z, rows.k).autodiff().require_grad(), target(rows))
}

fn target(rows: &Rows) -> ClassTarget {
    let [labels, ids] = [&rows.labels, &rows.ids].map(|numbers| int_tensor(numbers, &autodiff()));
    ClassTarget { labels, ids }
}

/// Random rows of a few classes, with a class of one row and two equal rows.
fn rows(n: usize, k: usize, seed: u64) -> Rows {
    let mut z = uniform(n * k, seed);
    z.copy_within((n - 2) * k..(n - 1) * k, (n - 1) * k);
    let mut labels: Vec<usize> = (0..n).map(|i| (i * 7 + i / 3) % 3).collect();
    labels[n / 2] = 3;
    Rows { z, k, labels, ids: (0..n).collect() }
}

fn snn(similarity: Similarity, temperature: f64) -> SoftNearestNeighborLoss {
    contrastive((similarity, temperature), Sums::Auto).0.init(&autodiff())
}

fn sup_con(similarity: Similarity, temperature: f64) -> SupConLoss {
    contrastive((similarity, temperature), Sums::Auto).1.init(&autodiff())
}

#[test]
fn every_loss_agrees_with_nested_loops_and_central_differences() {
    for (n, k) in [(13, 2), (40, 6)] {
        let z = uniform(n * k, 1);
        let mut check = |name: &str, loss: Loss<'_>, by_loops: &dyn Fn(&[f64]) -> f64| {
            let (value, slopes) = at_embedding(&tensor(&z, k), loss);
            assert_near(&[value], &[by_loops(&z)], 1e-10, name);
            if n < 20 {
                assert_slopes(&slopes, &z, (1e-5, 1e-7), name, |z| {
                    loss(tensor(z, k).autodiff().require_grad()).into_scalar()
                });
            }
        };
        let device = (&Device::flex().autodiff(), DType::F64);
        every_batch_loss([n, k], device, Sums::Auto, &mut check);
    }
}

#[test]
fn a_batch_without_any_positive_costs_nothing_and_sends_nothing_back() {
    let rows = Rows { z: uniform(8, 6), k: 2, labels: vec![0, 1, 2, 3], ids: vec![0, 1, 2, 3] };
    let check = |loss: Loss<'_>| {
        assert_eq!(at_embedding(&tensor(&rows.z, 2), loss), (0.0, vec![0.0; 8]));
    };
    for similarity in SIMILARITIES {
        check(&|z| snn(similarity, 1.0).batch_loss(z, &target(&rows)));
        check(&|z| sup_con(similarity, 1.0).batch_loss(z, &target(&rows)));
    }
}

/// Equal rows and rows of zeros among them.
#[test]
fn values_and_gradients_stay_finite_at_every_scale() {
    let mut z = rows(16, 2, 43).z;
    z[..8].fill(0.0);
    for dtype in [DType::F64, DType::F32] {
        for scale in (-6..=6).map(|exponent| 10f64.powi(exponent)) {
            let z: Vec<f64> = z.iter().map(|z| scale * z).collect();
            let z = tensor(&z, 2).cast(dtype);
            let mut check = |name: &str, loss: Loss<'_>, _: &dyn Fn(&[f64]) -> f64| {
                let (value, slopes) = at_embedding(&z, loss);
                let is_finite = value.is_finite() && slopes.iter().all(|slope| slope.is_finite());
                assert!(is_finite, "{name}, {dtype:?} at {scale}: {value}, {slopes:?}");
            };
            let device = (&Device::flex().autodiff(), dtype);
            every_batch_loss([16, 2], device, Sums::Auto, &mut check);
        }
    }
}

fn check<L: BatchLoss<Target = ClassTarget>>(encoder: AnyEncoder, loss: L) {
    let n = 37;
    let x = tensor(&uniform(n * 5, 71), 5).autodiff();
    let target = target(&rows(n, 2, 70));
    let model = MetricModel::new(encoder, loss);
    let whole = model.objective.batch_loss(model.forward(x.clone()), &target);
    let value = whole.clone().into_scalar::<f64>();
    let whole = GradientsParams::from_grads(whole.backward(), &model);
    let expected = flatten_gradients(&model, &whole);
    for chunk in [1, 7, 36, 37, 100] {
        for value_and_gradient in [cached::value_and_gradient, parallel::value_and_gradient] {
            let at = value_and_gradient(&model, &x, &target, chunk);
            assert_close(&[at.loss.into_scalar::<f64>()], &[value], 1e-13);
            assert_close(&flatten_gradients(&model, &at.gradients), &expected, 1e-12);
            assert_eq!((at.embedding.dims(), at.gradients.len()), ([n, 2], whole.len()));
        }
    }
}

/// Frozen parameters have no gradient in chunks either.
#[test]
fn the_gradient_of_chunks_is_that_of_the_whole_batch() {
    let [linear, network, ..] = encoders(5);
    let temperature = TemperatureConfig::new(0.5).with_learned(true);
    let proxies = ProxyNcaLossConfig::new(4, 2).with_temperature(temperature);
    let proxies = cast(proxies.init(&autodiff()), DType::F64);
    check(linear.clone().freeze(), proxies.clone());
    for encoder in [linear, network] {
        check(encoder.clone(), proxies.clone());
        check(encoder, sup_con(SIMILARITIES[2], 0.1));
    }
}

/// A loss with a memory in f64.
fn with_memory<L: CandidateLoss>(loss: L, config: &MemoryLossConfig) -> MemoryLoss<L> {
    cast(config.init(loss, &autodiff()), DType::F64)
}

/// One step: the loss of the rows, which the memory then takes up.
fn step<L: CandidateLoss>(loss: MemoryLoss<L>, rows: &Rows) -> (f64, MemoryLoss<L>) {
    let (z, target) = leaf(rows);
    let value = loss.batch_loss(z, &target).into_scalar::<f64>();
    (value, loss.after_step())
}

/// How the rows are compared where the nested loops give the value.
const AFFINITY: (Similarity, f64) = (Similarity::SqEuclidean, 0.5);

type Memory = MemoryLoss<SoftNearestNeighborLoss>;

fn memory_of(config: &MemoryLossConfig) -> Memory {
    with_memory(snn(AFFINITY.0, AFFINITY.1), config)
}

/// One step, whose value is that of the nested loops among these candidates.
fn step_among(loss: Memory, rows: &Rows, candidates: &Rows) -> Memory {
    let (value, loss) = step(loss, rows);
    let expected = contrast::soft_nearest_neighbor(AFFINITY, [rows, candidates]);
    assert_close(&[value], &[expected], 1e-12);
    loss
}

fn held(loss: &Memory) -> Vec<usize> {
    loss.memory.ids().into_iter().flatten().collect()
}

/// Rows of samples `ids`, embedded again for each seed.
fn batch(ids: impl IntoIterator<Item = usize>, seed: u64) -> Rows {
    let ids: Vec<usize> = ids.into_iter().collect();
    let labels = ids.iter().map(|id| id % 3).collect();
    Rows { z: uniform(2 * ids.len(), seed), k: 2, labels, ids }
}

#[test]
fn a_memory_that_holds_the_batch_gives_the_loss_without_memory() {
    fn check<L: CandidateLoss>(loss: L, tolerance: f64) {
        let rows = rows(14, 3, 80);
        let (z, classes) = leaf(&rows);
        let alone = loss.batch_loss(z, &classes).into_scalar::<f64>();
        let (first, loss) = step(with_memory(loss, &MemoryLossConfig::new(50, 3)), &rows);
        let (second, _) = step(loss, &rows);
        assert_close(&[first, second], &[alone, alone], tolerance);
    }
    // Two of the rows are equal, and the root of a distance near 0 keeps half of its digits only.
    for (similarity, tolerance) in SIMILARITIES.into_iter().zip([1e-12, 1e-8, 1e-12]) {
        check(snn(similarity, 0.5), tolerance);
    }
    check(sup_con(Similarity::Cosine, 0.1), 1e-12);
    for criterion in [Criterion::F, Criterion::G] {
        check(NcaLossConfig::new().with_criterion(criterion).with_repulsion(0.2).init(), 1e-12);
    }
}

#[test]
fn the_candidates_are_the_batch_and_the_newest_of_the_other_samples() {
    let (first, second, third) = (batch(0..6, 81), batch(6..10, 82), batch([1, 10, 11, 4], 83));
    let loss = step_among(memory_of(&MemoryLossConfig::new(8, 2)), &first, &first);
    let loss = step_among(loss, &second, &second.and(&first));
    // Eight slots hold the second batch and the first four rows of the first; 1 is in the batch again.
    let candidates = third.and(&second).and(&first.select(&[0, 2, 3]));
    let loss = step_among(loss, &third, &candidates);
    assert_eq!(held(&loss), [1, 10, 11, 4, 6, 7, 8, 9]);
}

#[test]
fn queries_and_candidates_have_sizes_of_their_own() {
    let (queries, set) = (batch([3, 20, 21], 84), batch(0..15, 85));
    let (z, ClassTarget { labels, ids }) = leaf(&queries);
    let candidates = Candidates::of_samples(tensor(&set.z, 2).autodiff(), target(&set), ids);
    assert_eq!(candidates.embeddings.dims(), [15, 2]);
    let at = (Similarity::Cosine, 0.2);
    let found = sup_con(at.0, at.1).forward_among(z, labels, &candidates).into_scalar::<f64>();
    assert_close(&[found], &[contrast::sup_con(at, [&queries, &set])], 1e-12);
}

#[test]
fn the_memory_is_not_used_before_its_warm_up() {
    let [first, second, third] = [0, 4, 8].map(|at| batch(at..at + 4, 86 + at as u64));
    let loss = memory_of(&MemoryLossConfig::new(20, 2).with_warm_up(2));
    let loss = step_among(loss, &first, &first);
    let loss = step_among(loss, &second, &second);
    step_among(loss, &third, &third.and(&first).and(&second));
}

#[test]
fn validation_neither_uses_nor_changes_the_memory() {
    let (first, second) = (batch(0..5, 89), batch(5..10, 90));
    let (_, loss) = step(memory_of(&MemoryLossConfig::new(20, 2)), &first);
    let (z, classes) = leaf(&second);
    let value = loss.valid().batch_loss(z.without_autodiff(), &classes).into_scalar::<f64>();
    let expected = contrast::soft_nearest_neighbor(AFFINITY, [&second; 2]);
    assert_close(&[value], &[expected], 1e-12);
    assert_eq!(held(&loss.after_step()), [0, 1, 2, 3, 4]);
}

#[test]
fn a_recorded_memory_continues_to_the_bit() {
    let config = MemoryLossConfig::new(7, 2).with_warm_up(1);
    let fresh = || config.init(snn(Similarity::Euclidean, 0.5), &autodiff());
    let (_, loss) = step(fresh(), &batch(0..4, 91));
    let (_, loss) = step(loss, &batch([4, 2, 5, 6], 92));
    let bytes = loss.clone().into_record().into_bytes().unwrap();
    let loaded = fresh().try_load_record(ModuleRecord::from_bytes(bytes).unwrap()).unwrap();
    assert_eq!(held(&loaded), held(&loss));
    let [(value, loss), (again, loaded)] =
        [loss, loaded].map(|loss| step(loss, &batch([7, 1, 8, 9], 93)));
    assert_eq!((value.to_bits(), held(&loss)), (again.to_bits(), held(&loaded)));
    let embeddings = |loss: Memory| loss.memory.embeddings().into_data();
    assert_eq!(embeddings(loaded), embeddings(loss));
}

#[derive(Deserialize)]
struct Fixture {
    columns: usize,
    embedding: Vec<f64>,
    labels: Vec<usize>,
    proxies: Vec<f64>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    loss: String,
    similarity: String,
    temperature: f64,
    value: f64,
    gradient: Vec<f64>,
    proxy_gradient: Vec<f64>,
    log_temperature_gradient: f64,
}

impl Case {
    /// Compares value and gradients in embedding, proxies and log temperature.
    fn check<L: BatchLoss<Target = ClassTarget>>(&self, loss: L, rows: &Rows, proxies: &[f64]) {
        let start = [proxies.to_vec(), vec![self.temperature.ln()]].concat();
        let loss = assign(cast(loss, DType::F64), &start);
        assert_eq!(flatten(&loss), start);
        let (z, target) = leaf(rows);
        let value = loss.batch_loss(z.clone(), &target);
        assert_close(&[value.clone().into_scalar::<f64>()], &[self.value], 1e-12);
        let grads = value.backward();
        assert_close(&host_values(z.grad(&grads).unwrap()), &self.gradient, 1e-11);
        let gradients = burn::optim::GradientsParams::from_grads(grads, &loss);
        let expected = [self.proxy_gradient.clone(), vec![self.log_temperature_gradient]].concat();
        assert_close(&flatten_gradients(&loss, &gradients), &expected, 1e-11);
    }
}

#[test]
fn values_and_gradients_are_those_of_numpy() {
    let text = include_str!("../../../crates/burn-nca/tests/reference/losses.json");
    let fixture: Fixture = serde_json::from_str(text).unwrap();
    let ids = (0..fixture.labels.len()).collect();
    let rows = Rows { z: fixture.embedding, k: fixture.columns, labels: fixture.labels, ids };
    let device = autodiff();
    assert_eq!(fixture.cases.len(), 9);
    for case in &fixture.cases {
        let temperature = TemperatureConfig::new(case.temperature).with_learned(true);
        let names = ["sq_euclidean", "euclidean", "cosine"];
        let similarity =
            SIMILARITIES[names.iter().position(|name| *name == case.similarity).unwrap()];
        match case.loss.as_str() {
            "soft_nearest_neighbor" => {
                let loss = SoftNearestNeighborLossConfig::new().with_similarity(similarity);
                case.check(loss.with_temperature(temperature).init(&device), &rows, &[]);
            }
            "sup_con" => {
                let loss = SupConLossConfig::new().with_similarity(similarity);
                case.check(loss.with_temperature(temperature).init(&device), &rows, &[]);
            }
            "proxy_nca" => {
                let loss = ProxyNcaLossConfig::new(fixture.proxies.len() / rows.k, rows.k)
                    .with_similarity(similarity)
                    .with_temperature(temperature);
                case.check(loss.init(&device), &rows, &fixture.proxies);
            }
            other => panic!("unknown loss {other}"),
        }
    }
}
