//! Cuts the pairs into cubes and parts, and starts the kernels.

use burn::tensor::{Shape, TensorData};
use burn_cubecl::cubecl::calculate_cube_count_elemwise;
use burn_cubecl::cubecl::prelude::{CubeCount, CubeDim};
use burn_cubecl::tensor::CubeTensor;
use burn_cubecl::{CubeBackend, CubeDevice};

use super::backward::{Plan, Summed, Weight, weighted_kernel};
use super::forward::{Sum, statistics_kernel, sums_kernel, total_kernel};
use super::tile::{Cut, TILE, UNITS};
use crate::NeighborSets;
use burn::backend::ops::IntTensorOps;

/// Units that keep a large GPU busy: with fewer rows, the other points are shared out to several units a row. A fixed
/// number, so that the order of sums, and with it the last digit, does not depend on the device.
const MIN_UNITS: usize = 1 << 18;

/// Other points of a part at least.
const MIN_POINTS: usize = 512;

/// Numbers that the parts of a result may take together, unless one part alone takes more.
const MAX_PARTIALS: usize = 1 << 24;

/// Shared memory, in bytes, that 32 coordinates of each point take with all else; on devices with less, 16 are loaded
/// at a time.
const LARGE_SHARED_MEMORY: usize = 28 << 10;

/// Values that are multiplied at a time, where a weight needs a product of values.
const MULTIPLIED: usize = 8;

/// What stands for "no query is a reference": beyond any sum of positions.
const NO_SELF: u32 = u32::MAX / 2;

/// Which references each query sums over, on the device.
pub(super) struct Positions {
    /// Starts and ends of spans, then the bounds of each `UNITS` and of each `TILE` queries.
    tensor: CubeTensor,
    first: u32,
    outside: u32,
}

impl Positions {
    pub(super) fn new(columns: &NeighborSets, device: &CubeDevice) -> Self {
        let [starts, ends, own] = columns.bounds(0..columns.queries());
        let number = |position: &i64| u32::try_from(*position).unwrap_or(NO_SELF);
        let starts: Vec<u32> = starts.iter().map(number).collect();
        let ends: Vec<u32> = ends.iter().map(number).collect();
        let mut all = [starts.as_slice(), ends.as_slice()].concat();
        for size in [UNITS, TILE] {
            let groups = starts.chunks(size).zip(ends.chunks(size));
            all.extend(
                groups.flat_map(|(starts, ends)| bounds(starts, ends, columns.is_outside())),
            );
        }
        let length = all.len();
        let tensor = CubeBackend::int_from_data(TensorData::new(all, [length]), device);
        let first = own.first().map_or(NO_SELF, number);
        Self { tensor, first, outside: u32::from(columns.is_outside()) }
    }
}

/// The span of all that some queries sum over, or of what none of them does.
fn bounds(starts: &[u32], ends: &[u32], outside: bool) -> [u32; 2] {
    let spans = || starts.iter().copied().zip(ends.iter().copied());
    if outside {
        let low = spans().map(|(start, _)| start).max().unwrap_or(0);
        return [low, spans().map(|(_, end)| end).min().unwrap_or(0)];
    }
    let used = || spans().filter(|(start, end)| start < end);
    let low = used().map(|(start, _)| start).min().unwrap_or(0);
    [low, used().map(|(_, end)| end).max().unwrap_or(0)]
}

/// Least squared distance and logarithm of the sum of each query, `[2, b]`.
pub(super) fn statistics(
    queries: CubeTensor,
    references: CubeTensor,
    columns: &NeighborSets,
) -> CubeTensor {
    let b = columns.queries();
    let (partial, parts) = sums(queries, references, columns, Sum::Softmax);
    let output = empty(&partial, Shape::new([2, b]));
    let dim = CubeDim::new(&partial.client, b);
    let count = calculate_cube_count_elemwise(&partial.client, b, dim);
    statistics_kernel::launch(
        &output.client,
        count,
        dim,
        partial.into_buffer_arg(),
        output.clone().into_buffer_arg(),
        b as u32,
        parts as u32,
    );
    output
}

/// `Σ_j max(0, 1 - d_ij)²` of each query, `[b, 1]`.
pub(super) fn hinge(
    queries: CubeTensor,
    references: CubeTensor,
    columns: &NeighborSets,
) -> CubeTensor {
    let b = columns.queries();
    let (partial, parts) = sums(queries, references, columns, Sum::Hinge);
    total(partial, Shape::new([b, 1]), parts)
}

/// The sums of parts, and their number.
fn sums(
    queries: CubeTensor,
    references: CubeTensor,
    columns: &NeighborSets,
    sum: Sum,
) -> (CubeTensor, usize) {
    let (b, m) = (columns.queries(), columns.references());
    let k = queries.meta.shape()[1];
    let positions = Positions::new(columns, &queries.device);
    let numbers = if sum == Sum::Softmax { 2 * b } else { b };
    let (part, parts) = parts(b, m, numbers);
    let cut = Cut::new(k, depth(&queries));
    let partial = empty(&queries, Shape::new([parts * numbers]));
    sums_kernel::launch(
        &partial.client,
        CubeCount::Static(b.div_ceil(UNITS) as u32, parts as u32, 1),
        CubeDim::new_1d(UNITS as u32),
        queries.into_buffer_arg(),
        references.into_buffer_arg(),
        positions.tensor.into_buffer_arg(),
        partial.clone().into_buffer_arg(),
        b as u32,
        m as u32,
        k as u32,
        positions.first,
        positions.outside,
        part as u32,
        cut,
        sum,
    );
    (partial, parts)
}

/// What weights are computed from, all of it contiguous.
#[derive(Clone)]
pub(super) struct Operands {
    /// `[b, k]`.
    pub(super) queries: CubeTensor,
    /// `[m, k]`.
    pub(super) references: CubeTensor,
    /// What the kernel knows of each query, `[3, b]` (or `[b]` for hinges); see [`Weight`].
    pub(super) numbers: CubeTensor,
}

/// Values of each query and of each reference, where there are any: `[b, c]` and `[m, c]`.
#[derive(Clone)]
pub(super) struct Values {
    pub(super) of_queries: CubeTensor,
    pub(super) of_references: CubeTensor,
}

/// Sums over pairs with weights: for each query, or for each reference.
pub(super) fn weighted(
    operands: Operands,
    values: Values,
    positions: &Positions,
    (by_reference, weight, summed): (bool, Weight, Summed),
) -> CubeTensor {
    let Operands { queries, references, numbers } = operands;
    let (points, others, values, other_values) = if by_reference {
        (references, queries, values.of_references, values.of_queries)
    } else {
        (queries, references, values.of_queries, values.of_references)
    };
    let [rows, columns] = [&points, &others].map(|tensor| tensor.meta.shape()[0]);
    let [k, c] = [&points, &other_values].map(|tensor| tensor.meta.shape()[1]);
    let deepest = depth(&points);
    let at_once = if weight == Weight::Transposed { MULTIPLIED } else { deepest };
    let plan = Plan {
        by_reference,
        weight,
        summed,
        points: Cut::new(k, deepest),
        values: Cut::new(c, at_once),
    };
    let length = if summed == Summed::Moments { k } else { c };
    let (part, parts) = parts(rows, columns, rows * length);
    let partial = empty(&points, Shape::new([parts * rows * length]));
    let chunks = length.div_ceil(plan.sums());
    weighted_kernel::launch(
        &partial.client,
        CubeCount::Static(rows.div_ceil(UNITS) as u32, parts as u32, chunks as u32),
        CubeDim::new_1d(UNITS as u32),
        points.into_buffer_arg(),
        others.into_buffer_arg(),
        positions.tensor.clone().into_buffer_arg(),
        numbers.into_buffer_arg(),
        values.into_buffer_arg(),
        other_values.into_buffer_arg(),
        partial.clone().into_buffer_arg(),
        rows as u32,
        columns as u32,
        k as u32,
        c as u32,
        positions.first,
        positions.outside,
        part as u32,
        plan,
    );
    total(partial, Shape::new([rows, length]), parts)
}

/// The parts of a result, added up.
fn total(partial: CubeTensor, shape: Shape, parts: usize) -> CubeTensor {
    let length = shape.num_elements();
    let output = empty(&partial, shape);
    if parts == 1 {
        return CubeTensor { handle: partial.handle, ..output };
    }
    let dim = CubeDim::new(&partial.client, length);
    let count = calculate_cube_count_elemwise(&partial.client, length, dim);
    total_kernel::launch(
        &output.client,
        count,
        dim,
        partial.into_buffer_arg(),
        output.clone().into_buffer_arg(),
        length as u32,
        parts as u32,
    );
    output
}

/// Other points of a part, whole tiles of them, and the number of parts.
fn parts(rows: usize, columns: usize, numbers: usize) -> (usize, usize) {
    let wanted = MIN_UNITS.div_ceil(rows.next_multiple_of(UNITS));
    let most = (MAX_PARTIALS / numbers).min(columns.div_ceil(MIN_POINTS)).max(1);
    let part = columns.div_ceil(wanted.min(most)).next_multiple_of(TILE);
    (part, columns.div_ceil(part))
}

/// Coordinates of a point that are in shared memory at once, at most.
fn depth(tensor: &CubeTensor) -> usize {
    let shared = tensor.client.properties().hardware.max_shared_memory_size;
    if shared >= LARGE_SHARED_MEMORY { 32 } else { 16 }
}

/// A contiguous tensor of the same type and device, whose numbers are still to be written.
fn empty(like: &CubeTensor, shape: Shape) -> CubeTensor {
    let handle = like.client.empty(shape.num_elements() * like.dtype.size());
    CubeTensor::new_contiguous(like.client.clone(), like.device.clone(), shape, handle, like.dtype)
}
