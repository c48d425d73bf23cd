//! What the units of a cube do together: tiles of points in shared memory, distances and masks.
//!
//! A unit has one point of its own (a row); all units of a cube walk over the other points, `TILE` at a time. The
//! coordinates of a tile lie in shared memory in vectors of four points, those of the rows axis by axis, so that a step
//! along an axis reads one number and `TILE / 4` vectors for `2 TILE` operations.

use burn_cubecl::cubecl;
use cubecl::prelude::*;

/// Units of a cube, each with a row.
pub(super) const UNITS: usize = 128;

/// Points that a unit meets at once.
pub(super) const TILE: usize = 16;

/// Vectors that hold a number for each point of a tile.
pub(super) const FOURS: usize = TILE / 4;

/// Four numbers, of points that follow each other.
pub(super) type Four = Vector<f32, Const<4>>;

/// Points of which `depth` coordinates at a time are in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cut {
    /// Coordinates at a time.
    pub(super) depth: usize,
    /// Whether these are all that there are: then rows are loaded once.
    pub(super) whole: bool,
}

impl Cut {
    /// The smallest number of equal pieces of at most `most` coordinates.
    pub(super) fn new(width: usize, most: usize) -> Self {
        let depth = width.div_ceil(width.div_ceil(most));
        Self { depth, whole: depth == width }
    }
}

/// Writes coordinates `start..start + depth` of the unit's row to its place in `to`, `[depth, UNITS]`; zeros beyond.
#[cube]
pub(super) fn load_row(
    to: &mut Shared<[f32]>,
    from: &[f32],
    row: usize,
    rows: usize,
    width: usize,
    start: usize,
    #[comptime] depth: usize,
) {
    let unit = UNIT_POS as usize;
    for axis in 0..depth {
        let inside = row < rows && start + axis < width;
        let index = select(inside, row * width + start + axis, 0usize);
        to[axis * UNITS + unit] = select(inside, from[index], 0.0f32);
    }
}

/// Writes coordinates `start..start + depth` of the points `first..first + TILE` to `to`, `[depth, TILE]`; zeros beyond.
#[cube]
pub(super) fn load_tile(
    to: &mut Shared<[Four]>,
    from: &[f32],
    first: usize,
    count: usize,
    width: usize,
    start: usize,
    #[comptime] depth: usize,
) {
    let mut place = UNIT_POS as usize;
    while place < comptime!(depth * FOURS) {
        let axis = place % depth;
        let four = place / depth;
        let mut numbers = Four::new(0.0f32);
        #[unroll]
        for lane in 0..4usize {
            let point = first + four * 4 + lane;
            let inside = point < count && start + axis < width;
            let index = select(inside, point * width + start + axis, 0usize);
            numbers.insert(lane, select(inside, from[index], 0.0f32));
        }
        to[axis * FOURS + four] = numbers;
        place += UNITS;
    }
}

/// Adds the squared differences along `depth` axes to the distances of the unit's row to a tile.
#[cube]
pub(super) fn add_squares(
    sums: &mut Array<Four>,
    rows: &Shared<[f32]>,
    tile: &Shared<[Four]>,
    #[comptime] depth: usize,
) {
    let unit = UNIT_POS as usize;
    for axis in 0..depth {
        let x = Four::new(rows[axis * UNITS + unit]);
        #[unroll]
        for four in 0..FOURS {
            let difference = x - tile[axis * FOURS + four];
            sums[four] = fma(difference, difference, sums[four]);
        }
    }
}

/// Adds the products along `depth` axes to those of the unit's row with a tile.
#[cube]
pub(super) fn add_products(
    sums: &mut Array<Four>,
    rows: &Shared<[f32]>,
    tile: &Shared<[Four]>,
    #[comptime] depth: usize,
) {
    let unit = UNIT_POS as usize;
    for axis in 0..depth {
        let x = Four::new(rows[axis * UNITS + unit]);
        #[unroll]
        for four in 0..FOURS {
            sums[four] = fma(x, tile[axis * FOURS + four], sums[four]);
        }
    }
}

/// Sets `sums` to the squared distances `Σ_c (x_c - y_c)²` of the unit's row to the tile that starts at `at`.
///
/// Squared differences, not products: no matrix unit rounds them to fewer bits, and an offset that all points share costs
/// no digits. All units call it together, after a barrier that ends the reading of the tile before.
#[cube]
pub(super) fn sq_distances(
    sums: &mut Array<Four>,
    rows: &mut Shared<[f32]>,
    tile: &mut Shared<[Four]>,
    points: &[f32],
    others: &[f32],
    row: usize,
    count: usize,
    at: usize,
    columns: usize,
    width: usize,
    #[comptime] cut: Cut,
) {
    #[unroll]
    for four in 0..FOURS {
        sums[four] = Four::new(0.0f32);
    }
    let depth = comptime!(cut.depth);
    if comptime!(cut.whole) {
        load_tile(tile, others, at, columns, width, 0usize, depth);
        sync_cube();
        add_squares(sums, &*rows, &*tile, depth);
    } else {
        let mut start = 0usize;
        while start < width {
            sync_cube();
            load_row(rows, points, row, count, width, start, depth);
            load_tile(tile, others, at, columns, width, start, depth);
            sync_cube();
            add_squares(sums, &*rows, &*tile, depth);
            start += depth;
        }
    }
}

/// Whether a query sums over a reference: its span, or what lies outside of it, and never itself (`query + first`).
#[cube]
pub(super) fn keeps(
    query: u32,
    reference: u32,
    start: u32,
    end: u32,
    first: u32,
    outside: u32,
) -> bool {
    let within = reference >= start && reference < end;
    let wanted = (within && outside == 0u32) || (!within && outside != 0u32);
    wanted && reference != query + first
}

/// Whether any of some queries sums over any of the references `from..to`.
///
/// `low..high` spans all that they sum over, or, `outside`, what none of them sums over.
#[cube]
pub(super) fn meets(low: u32, high: u32, from: u32, to: u32, outside: u32) -> bool {
    let meets_span = from < high && to > low;
    let leaves_hole = from < low || to > high;
    (meets_span && outside == 0u32) || (leaves_hole && outside != 0u32)
}
