//! The exact value and gradient of a whole data set in memory for one block of terms.
//!
//! The embedding is computed once without a graph. Each block of terms takes a fresh leaf copy of it,
//! and its backward pass adds to `dL/dZ`. One pass through the encoder with the surrogate `<Z, dL/dZ>`
//! then gives the gradient of the parameters: the chain rule, done by automatic differentiation on both
//! sides of the embedding. This equals the gradient of the full graph, but no `n x n` matrix ever exists.

use core::ops::Range;

use burn::config::Config;
use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

use super::chunks::{backward_through, embed};
use super::disable_training_flags;
use super::gradients::add_gradients;
use crate::data::host_values;
use crate::device::{runs_on_host, side_by_side};
use crate::encoder::Encoder;
use crate::model::MetricModel;
use crate::objective::{Objective, assert_points};
use crate::sums::Sums;

/// Blocks are summed in this many groups, in order; the number is fixed so that a sum does not depend on
/// the number of threads.
const GROUPS: usize = 16;

/// Numbers of one `[b, n]` matrix that stay in the cache next to the others of its block.
const CACHED: usize = 300_000;

/// Rows that pass through the encoder together, so that a network's hidden layers never exist for all rows.
#[doc(hidden)]
pub const CHUNK: usize = 8192;

/// How a full pass over the data is cut into blocks, for objectives whose blocks hold tables of pairs; the others
/// (f, g, equation 8, kernel regression) cut it themselves.
#[derive(Config, Debug)]
pub struct BlockConfig {
    /// Memory that the blocks in flight may take together, in MiB.
    #[config(default = 512)]
    pub memory_mib: usize,
    /// Rows of a block; chosen from the memory budget and the cache when absent.
    pub rows: Option<usize>,
}

impl BlockConfig {
    /// Rows of a block for n points, on a device that runs on the host or not.
    ///
    /// A block of b rows holds some six `[b, n]` matrices at its peak. On the host up to 16 blocks are in
    /// flight, however many threads there are: the cut, and with it the last digit of a sum, must not depend
    /// on the machine. A block that stays in the cache is fastest there; a GPU takes one large block at a time.
    pub fn block_rows(&self, n: usize, element_bytes: usize, on_host: bool) -> usize {
        if let Some(rows) = self.rows {
            return rows.max(1);
        }
        let in_flight = if on_host { GROUPS } else { 1 };
        let row_bytes = 6 * n.max(1) * element_bytes * in_flight;
        let fits = ((self.memory_mib << 20) / row_bytes).max(1);
        // Small blocks stay in the cache; blocks of few numbers cost more to set up than to compute.
        let best = if on_host { (CACHED / n.max(1)).clamp(64, 192) } else { 1024 };
        fits.min(best)
    }
}

/// A value and the gradient of every parameter.
pub struct ValueGradient {
    /// The sum over all terms.
    pub value: f64,
    /// The gradient of each parameter of encoder and objective.
    pub gradients: GradientsParams,
}

impl ValueGradient {
    /// Adds a differentiable term of the parameters alone (a penalty), shape `[1]`.
    pub(super) fn add<M: Module>(&mut self, module: &M, term: Tensor<1>) {
        self.value += term.clone().into_scalar::<f64>();
        let part = GradientsParams::from_grads(term.backward(), module);
        add_gradients(module, &mut self.gradients, part);
    }
}

/// The value of an objective over the whole data set, in blocks, without gradients.
///
/// # Shapes
/// - x: `[n, d]`
///
/// # Panics
/// If the target is about another number of points than x has rows.
pub fn value<E: Encoder, O: Objective>(
    model: &MetricModel<E, O>,
    x: &Tensor<2>,
    target: &O::Target,
    blocks: &BlockConfig,
) -> f64 {
    assert_points(target, x.dims()[0]);
    let model = model.valid();
    let x = x.clone().without_autodiff();
    let z = embed(&model.encoder, &x, CHUNK);
    let prepared = model.objective.prepared(z.clone(), target);
    let target = prepared.as_ref().unwrap_or(target);
    let ranges = ranges(&model.objective, &z, target, blocks);
    let sum = |objective: &O, ranges: &[Range<usize>]| -> f64 {
        let block = |range: &Range<usize>| {
            objective.block(z.clone(), target, range.clone()).into_scalar::<f64>()
        };
        ranges.iter().map(block).sum()
    };
    let groups = in_groups(&model.objective, &ranges, runs_on_host(&z.device()), sum);
    groups.into_iter().sum()
}

/// How the sums over the pairs of these rows are computed, see [`Objective::sums_taken`].
#[doc(hidden)]
pub fn sums_taken<E: Encoder, O: Objective>(
    model: &MetricModel<E, O>,
    x: &Tensor<2>,
    target: &O::Target,
) -> Option<(Sums, usize)> {
    model.objective.sums_taken(embed(&model.encoder, x, CHUNK), target)
}

/// The exact value and gradient of an objective over the whole data set.
///
/// Both are of one function, the model as it is in validation: layers that draw at random or move their
/// statistics in training do neither here ([`disable_training_flags`]).
///
/// # Shapes
/// - x: `[n, d]`; the model must live on an autodiff device
///
/// # Panics
/// If the model has no parameter that requires a gradient, or the target is about another number of points than
/// x has rows.
pub fn value_and_gradient<E: Encoder, O: Objective>(
    model: &MetricModel<E, O>,
    x: &Tensor<2>,
    target: &O::Target,
    blocks: &BlockConfig,
) -> ValueGradient {
    penalized((model, x, target), blocks, None).0
}

/// A differentiable term of the whole embedding, `[n, k]` to `[1]`.
pub(super) type EmbeddingTerm<'a> = dyn Fn(Tensor<2>) -> Tensor<1> + 'a;

/// As [`value_and_gradient`], with a penalty of the embedding added to both; the magnitude of the value's parts, without
/// their signs, is returned too.
pub(super) fn penalized<E: Encoder, O: Objective>(
    (model, x, target): (&MetricModel<E, O>, &Tensor<2>, &O::Target),
    blocks: &BlockConfig,
    penalty: Option<&EmbeddingTerm<'_>>,
) -> (ValueGradient, f64) {
    assert_points(target, x.dims()[0]);
    let model = &disable_training_flags(model.clone());
    let x = x.clone().without_autodiff();
    let z = embed(&model.encoder.valid(), &x, CHUNK);
    let prepared = model.objective.prepared(z.clone(), target);
    let target = prepared.as_ref().unwrap_or(target);
    let ranges = ranges(&model.objective, &z, target, blocks);
    let group = |objective: &O, ranges: &[Range<usize>]| -> BlockSums {
        let mut sums = BlockSums::default();
        for range in ranges {
            let leaf = z.clone().autodiff().require_grad();
            let parts = objective.block_parts(leaf.clone(), target, range.clone());
            sums.merge(objective, BlockSums::of(objective, &leaf, parts));
        }
        sums
    };
    let groups = in_groups(&model.objective, &ranges, runs_on_host(&z.device()), group);
    let mut total = BlockSums::default();
    for group in groups {
        total.merge(&model.objective, group);
    }
    let sums = total.sums();
    let mut value = sums.iter().sum::<f64>();
    let mut magnitude = sums.iter().map(|sum| sum.abs()).sum::<f64>();
    if let Some(penalty) = penalty {
        let leaf = z.autodiff().require_grad();
        let of_penalty = BlockSums::of(&model.objective, &leaf, vec![penalty(leaf.clone())]);
        let penalty: f64 = of_penalty.sums().iter().sum();
        value += penalty;
        magnitude += penalty.abs();
        total.merge(&model.objective, of_penalty);
    }
    let mut gradients = total.parameters;
    if let Some(dz) = total.embedding {
        backward_through(&model.encoder, &x, &dz, CHUNK, &mut gradients);
    }
    (ValueGradient { value, gradients }, magnitude)
}

fn ranges<O: Objective>(
    objective: &O,
    z: &Tensor<2>,
    target: &O::Target,
    blocks: &BlockConfig,
) -> Vec<Range<usize>> {
    let on_host = runs_on_host(&z.device());
    objective.blocks(z, target, blocks.block_rows(z.dims()[0], z.dtype().size(), on_host))
}

/// Runs `work` on groups of blocks: side by side on the host, one after the other on a GPU.
///
/// Modules are not shared between threads, so each group takes a clone of the objective.
fn in_groups<O: Objective, T: Send>(
    objective: &O,
    ranges: &[Range<usize>],
    on_host: bool,
    work: impl Fn(&O, &[Range<usize>]) -> T + Sync,
) -> Vec<T> {
    let size = ranges.len().div_ceil(GROUPS).max(1);
    let groups = ranges.chunks(size).map(|group| (objective.clone(), group)).collect();
    side_by_side(groups, on_host, |(objective, group)| work(&objective, group))
}

/// What a group of blocks adds up to.
#[derive(Default)]
struct BlockSums {
    /// For each part that blocks are the sum of, its values in the blocks, read from the device only at the end.
    parts: Vec<Vec<Tensor<1>>>,
    embedding: Option<Tensor<2>>,
    parameters: GradientsParams,
}

impl BlockSums {
    /// A block, which is the sum of its parts.
    fn of<O: Objective>(objective: &O, leaf: &Tensor<2>, parts: Vec<Tensor<1>>) -> Self {
        let values = parts.iter().map(|part| vec![part.clone().without_autodiff()]);
        let mut block = Self { parts: values.collect(), ..Self::default() };
        let loss = parts.into_iter().reduce(|sum, part| sum + part);
        // A block without a differentiable term (one class, say) has nothing to send back.
        let Some(loss) = loss.filter(Tensor::is_tracked) else { return block };
        let mut grads = loss.backward();
        block.embedding = leaf.grad_remove(&mut grads);
        block.parameters = GradientsParams::from_grads(grads, objective);
        block
    }

    fn merge<O: Objective>(&mut self, objective: &O, other: Self) {
        self.parts.resize_with(self.parts.len().max(other.parts.len()), Vec::new);
        self.parts.iter_mut().zip(other.parts).for_each(|(part, values)| part.extend(values));
        self.embedding = match (self.embedding.take(), other.embedding) {
            (Some(total), Some(part)) => Some(total + part),
            (total, part) => total.or(part),
        };
        add_gradients(objective, &mut self.parameters, other.parameters);
    }

    /// The sum of each part over all blocks, in f64.
    fn sums(&self) -> Vec<f64> {
        let of_part =
            |values: &Vec<Tensor<1>>| host_values(Tensor::cat(values.clone(), 0)).into_iter().sum();
        self.parts.iter().map(of_part).collect()
    }
}
