//! The cross-batch memory: who is compared with whom, and that a sample never meets itself.

use acceptance::data::uniform;
use burn::module::Module;
use burn::store::ModuleRecord;
use burn::tensor::DType;
use burn_nca_learn::encoder::cast;
use burn_nca_learn::objective::{
    BatchLoss, CandidateLoss, Candidates, ClassTarget, Criterion, MemoryLoss, MemoryLossConfig,
    NcaLossConfig, Similarity, SoftNearestNeighborLoss,
};

use crate::loss::oracle::{self, Rows};
use crate::loss::setup::{SIMILARITIES, assert_close, autodiff, leaf, rows, snn, sup_con, target};

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

fn memory_of(config: &MemoryLossConfig) -> MemoryLoss<SoftNearestNeighborLoss> {
    with_memory(snn(AFFINITY.0, AFFINITY.1), config)
}

/// One step, whose value is that of the nested loops among these candidates.
fn step_among(
    loss: MemoryLoss<SoftNearestNeighborLoss>,
    rows: &Rows,
    candidates: &Rows,
) -> MemoryLoss<SoftNearestNeighborLoss> {
    let (value, loss) = step(loss, rows);
    assert_close(&[value], &[oracle::soft_nearest_neighbor(AFFINITY, rows, candidates)], 1e-12);
    loss
}

/// Rows of samples `ids`, embedded again for each seed.
fn batch(ids: &[usize], seed: u64) -> Rows {
    let labels = ids.iter().map(|id| id % 3).collect();
    Rows { z: uniform(2 * ids.len(), seed), k: 2, labels, ids: ids.to_vec() }
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
    let (first, second) = (batch(&[0, 1, 2, 3, 4, 5], 81), batch(&[6, 7, 8, 9], 82));
    let third = batch(&[1, 10, 11, 4], 83);
    let loss = step_among(memory_of(&MemoryLossConfig::new(8, 2)), &first, &first);
    let loss = step_among(loss, &second, &second.and(&first));
    // Eight slots hold the second batch and the first four rows of the first; 1 is in the batch again.
    let candidates = third.and(&second).and(&first.select(&[0, 2, 3]));
    let loss = step_among(loss, &third, &candidates);
    let held: Vec<usize> = loss.memory.ids().into_iter().flatten().collect();
    assert_eq!(held, [1, 10, 11, 4, 6, 7, 8, 9]);
}

#[test]
fn queries_and_candidates_have_sizes_of_their_own() {
    let (queries, set) = (batch(&[3, 20, 21], 84), batch(&(0..15).collect::<Vec<_>>(), 85));
    let (z, classes) = leaf(&queries);
    let ClassTarget { labels, ids } = classes;
    let embeddings = crate::loss::setup::tensor(&set.z, 2, &autodiff());
    let candidates = Candidates::of_samples(embeddings, target(&set), ids);
    assert_eq!(candidates.embeddings.dims(), [15, 2]);
    let at = (Similarity::Cosine, 0.2);
    let found = sup_con(at.0, at.1).forward_among(z, labels, &candidates).into_scalar::<f64>();
    assert_close(&[found], &[oracle::sup_con(at, &queries, &set)], 1e-12);
}

#[test]
fn the_memory_is_not_used_before_its_warm_up() {
    let batches = [batch(&[0, 1, 2, 3], 86), batch(&[4, 5, 6, 7], 87), batch(&[8, 9, 10, 11], 88)];
    let loss = memory_of(&MemoryLossConfig::new(20, 2).with_warm_up(2));
    let alone = |loss, rows: &Rows| step_among(loss, rows, rows);
    let loss = batches[..2].iter().fold(loss, alone);
    step_among(loss, &batches[2], &batches[2].and(&batches[0]).and(&batches[1]));
}

#[test]
fn validation_neither_uses_nor_changes_the_memory() {
    let (first, second) = (batch(&[0, 1, 2, 3, 4], 89), batch(&[5, 6, 7, 8, 9], 90));
    let (_, loss) = step(memory_of(&MemoryLossConfig::new(20, 2)), &first);
    let (z, classes) = leaf(&second);
    let valid = loss.valid();
    let value = valid.batch_loss(z.without_autodiff(), &classes).into_scalar::<f64>();
    let expected = oracle::soft_nearest_neighbor(AFFINITY, &second, &second);
    assert_close(&[value], &[expected], 1e-12);
    let held: Vec<usize> = loss.after_step().memory.ids().into_iter().flatten().collect();
    assert_eq!(held, [0, 1, 2, 3, 4]);
}

#[test]
fn a_recorded_memory_continues_to_the_bit() {
    let config = MemoryLossConfig::new(7, 2).with_warm_up(1);
    let fresh = || config.init(snn(Similarity::Euclidean, 0.5), &autodiff());
    let (_, loss) = step(fresh(), &batch(&[0, 1, 2, 3], 91));
    let (_, loss) = step(loss, &batch(&[4, 2, 5, 6], 92));
    let bytes = loss.clone().into_record().into_bytes().unwrap();
    let loaded = fresh().try_load_record(ModuleRecord::from_bytes(bytes).unwrap()).unwrap();
    assert_eq!(loaded.memory.ids(), loss.memory.ids());
    let next = batch(&[7, 1, 8, 9], 93);
    let ((value, loss), (again, loaded)) = (step(loss, &next), step(loaded, &next));
    assert_eq!(value.to_bits(), again.to_bits());
    assert_eq!(loaded.memory.ids(), loss.memory.ids());
    assert_eq!(loaded.memory.embeddings().into_data(), loss.memory.embeddings().into_data());
}
