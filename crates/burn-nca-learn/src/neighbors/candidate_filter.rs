//! Distances from every query to every reference: a fast estimate of all, an exact one of those asked for.

use burn::tensor::{DType, Device, Tensor, TensorData};
use burn_nca::internal::cut;
use rayon::prelude::*;

use super::excluded::Excluded;
use super::points::{Points, sq_distance};
use super::ranking::Resolution;
use crate::device::runs_on_host;

/// Bytes of estimates a thread of the host holds at a time: they stay in its cache (16 MiB are slower by half).
const HOST_BLOCK_BYTES: usize = 1 << 20;

/// Bytes of estimates that are read back from another device at a time, to pay for the transfer's latency.
const DEVICE_BLOCK_BYTES: usize = 32 << 20;

/// Rows of a block at least: below this, reading the references for the product costs more than the product.
const MIN_BLOCK_ROWS: usize = 16;

/// References that are laid out together.
const TOGETHER: usize = 64;

/// Estimates of squared distances by blocks of queries, with a bound on their error.
///
/// ```text
/// x' = s (x - c),  y' = s (y - c)         c = mean of the references, s = a power of two: |coordinates| <= 1
/// l_ij = ||y'_j||² - 2 x'_i·y'_j = s² ||x_i - y_j||² - ||x'_i||²
/// ```
/// One matrix product in f32 a block gives l: the squared norms are a further column of it. The product cancels digits,
/// so it only filters. With unit rounding u = 2^-24 and e = (k + 8) u, any order of summation errs by at most
/// e (||x'_i||² + 2 ||y'_j||²) (Cauchy-Schwarz; the 8 covers the rounding of the inputs and of second order). The part of
/// the reference is taken off its norm beforehand, so that `l_ij - e ||x'_i||²` is a lower bound for all j. Devices other
/// than the host may multiply f32 in a reduced format (TF32 keeps 11 bits): there e grows by 2^-9.
pub(crate) struct CandidateFilter<'a> {
    queries: &'a Points,
    references: &'a Points,
    device: Device,
    center: Vec<f64>,
    scale: f64,
    rounding: f64,
    on_host: bool,
    block_rows: usize,
    /// `[y', ||y'||² (1 - 2 e)]` transposed, `[k + 1, m]`, and laid out so: that takes longer than a product with few rows.
    products: Tensor<2>,
}

impl<'a> CandidateFilter<'a> {
    /// Prepares the references, of which there must be at least one, on `device`.
    pub(crate) fn new(queries: &'a Points, references: &'a Points, device: &Device) -> Self {
        let device = device.clone().without_autodiff();
        let (center, scale) = center_and_scale(queries, references);
        let on_host = runs_on_host(&device);
        let reduced = if on_host { 0.0 } else { 2f64.powi(-9) };
        let rounding = (references.dimensions() + 8) as f64 * 2f64.powi(-24) + reduced;

        let (m, width) = (references.rows(), references.dimensions() + 1);
        let mut columns = vec![0f32; m * width];
        let mut rows = vec![0f32; TOGETHER * width];
        for together in cut(0..m, TOGETHER) {
            for (row, out) in together.clone().zip(rows.chunks_exact_mut(width)) {
                let norm = moved(references.row(row), &center, scale, 1.0, out);
                out[width - 1] = (norm * (1.0 - 2.0 * rounding)) as f32;
            }
            for (column, line) in columns.chunks_exact_mut(m).enumerate() {
                for (place, row) in line[together.clone()].iter_mut().zip(rows.chunks_exact(width))
                {
                    *place = row[column];
                }
            }
        }
        let products = matrix(columns, [width, m], &device);
        let block_bytes = if on_host { HOST_BLOCK_BYTES } else { DEVICE_BLOCK_BYTES };
        let block_rows = (block_bytes / (4 * m)).max(MIN_BLOCK_ROWS);
        Self { queries, references, device, center, scale, rounding, on_host, block_rows, products }
    }

    /// The same filter with blocks of another size, visited as on the host or as on another device.
    #[cfg(test)]
    pub(super) fn with_blocks(self, block_rows: usize, on_host: bool) -> Self {
        Self { block_rows, on_host, ..self }
    }

    /// What `visit` makes of each query's row, in the order of the queries; the estimates of references that are left out
    /// for a query are infinite. On another device than the host blocks follow each other.
    pub(crate) fn map_rows<T: Send>(
        &self,
        excluded: Option<&Excluded<'_>>,
        visit: impl Fn(&FilteredRow) -> T + Sync,
    ) -> Vec<T> {
        let n = self.queries.rows();
        let starts: Vec<usize> = (0..n).step_by(self.block_rows).collect();
        let visit_row = |query: usize, norm: f64, estimates: &mut [f32]| {
            for &row in excluded.map_or(&[][..], |excluded| excluded.rows(query)) {
                if let Some(estimate) = estimates.get_mut(row) {
                    *estimate = f32::INFINITY;
                }
            }
            visit(&FilteredRow { filter: self, query, norm, estimates })
        };
        let m = self.references.rows();
        if self.on_host {
            let block = |start: usize| -> Vec<T> {
                let (mut block, norms) = self.estimates(start);
                let rows = values(&mut block).chunks_exact_mut(m).zip(norms).enumerate();
                rows.map(|(at, (row, norm))| visit_row(start + at, norm, row)).collect()
            };
            return starts.into_par_iter().flat_map_iter(block).collect();
        }
        let mut results = Vec::with_capacity(n);
        for start in starts {
            let (mut block, norms) = self.estimates(start);
            let rows = values(&mut block).par_chunks_exact_mut(m).zip(norms).enumerate();
            results.par_extend(rows.map(|(at, (row, norm))| visit_row(start + at, norm, row)));
        }
        results
    }

    /// The estimates `[b, m]` of the block of queries from row `start` on, and `||x'||²` of each.
    fn estimates(&self, start: usize) -> (TensorData, Vec<f64>) {
        let block = start..(start + self.block_rows).min(self.queries.rows());
        let width = self.queries.dimensions() + 1;
        let mut rows = vec![1f32; block.len() * width];
        let norms = rows
            .chunks_exact_mut(width)
            .zip(block.clone())
            .map(|(out, query)| moved(self.queries.row(query), &self.center, self.scale, -2.0, out))
            .collect();
        let rows = matrix(rows, [block.len(), width], &self.device);
        (rows.matmul(self.products.clone()).into_data(), norms)
    }
}

/// One query's estimates, and the exact distances behind them.
pub(crate) struct FilteredRow<'a> {
    filter: &'a CandidateFilter<'a>,
    query: usize,
    norm: f64,
    estimates: &'a [f32],
}

impl FilteredRow<'_> {
    /// Which query it is.
    pub(crate) fn query(&self) -> usize {
        self.query
    }

    /// The estimates l_ij of all references; infinite at those that are left out.
    pub(super) fn estimates(&self) -> &[f32] {
        self.estimates
    }

    /// The estimate above which every reference is certainly farther than `sq_distance`; finite.
    pub(super) fn limit(&self, sq_distance: f64) -> f32 {
        let scale = self.filter.scale;
        // A flush of denormal numbers to zero costs every product of the sum at most the smallest normal.
        let flushed = 4.0 * (self.filter.center.len() + 1) as f64 * f64::from(f32::MIN_POSITIVE);
        let limit =
            scale * scale * sq_distance - self.norm + self.filter.rounding * self.norm + flushed;
        (limit as f32).next_up().min(f32::MAX)
    }

    /// How far apart distances from the query must be to differ.
    pub(super) fn resolution(&self) -> Resolution {
        self.filter.queries.resolution(self.query, self.filter.references)
    }

    /// The exact squared distance to a reference.
    pub(super) fn sq_distance(&self, reference: usize) -> f64 {
        sq_distance(self.filter.queries.row(self.query), self.filter.references.row(reference))
    }
}

/// Writes `factor * scale * (row - center)` to the front of `out`; returns `||scale (row - center)||²`.
fn moved(row: &[f64], center: &[f64], scale: f64, factor: f64, out: &mut [f32]) -> f64 {
    let mut norm = 0.0;
    for ((x, c), out) in row.iter().zip(center).zip(out) {
        let moved = (x - c) * scale;
        norm += moved * moved;
        *out = (factor * moved) as f32;
    }
    norm
}

/// The mean c of the references, and the power of two s that brings all coordinates less c to at most 1, the largest above
/// 0.5; kept where its square is finite in f64.
pub(super) fn center_and_scale(queries: &Points, references: &Points) -> (Vec<f64>, f64) {
    let center = references.mean();
    let largest = queries.largest_deviation(&center).max(references.largest_deviation(&center));
    let power = (-largest.log2().ceil() as i32).clamp(-500, 500);
    (center, if largest == 0.0 { 1.0 } else { 2f64.powi(power) })
}

fn values(data: &mut TensorData) -> &mut [f32] {
    data.as_mut_slice().expect("the product of two f32 matrices is f32")
}

fn matrix(values: Vec<f32>, shape: [usize; 2], device: &Device) -> Tensor<2> {
    Tensor::from_data(TensorData::new(values, shape), (device, DType::F32))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::points;
    use super::*;

    proptest! {
        #[test]
        fn no_reference_within_a_distance_is_above_its_limit(
            values in prop::collection::vec(-1.0f64..1.0, 6..120),
            exponent in -40i32..40,
            offset in -1e3f64..1e3,
            spread in prop::sample::select(vec![1.0, 1e-4, 1e-9]),
        ) {
            let n = values.len() / 3;
            let scale = 10f64.powi(exponent);
            let values: Vec<f64> =
                values[..3 * n].iter().map(|x| (x * spread + offset) * scale).collect();
            let points = points(&values, 3);
            let filter = CandidateFilter::new(&points, &points, &Device::flex()).with_blocks(4, true);
            let failures: usize = filter.map_rows(None, |row| {
                (0..n).filter(|&j| row.estimates()[j] > row.limit(row.sq_distance(j))).count()
            }).into_iter().sum();
            prop_assert_eq!(failures, 0);
        }
    }

    #[test]
    fn blocks_of_every_size_on_every_kind_of_device_give_the_same_rows() {
        let values: Vec<f64> = (0..69).map(|i| f64::from(i * i % 101) / 50.0).collect();
        let points = points(&values, 3);
        let own: Vec<usize> = (0..23).collect();
        let excluded = Excluded::own(&own);
        let expected: Vec<_> =
            (0..23).map(|i| (i, sq_distance(points.row(i), points.row(3)))).collect();
        for (block_rows, on_host) in [(1, true), (7, false), (23, true), (100, false)] {
            let filter = CandidateFilter::new(&points, &points, &Device::flex());
            let filter = filter.with_blocks(block_rows, on_host);
            let found = filter.map_rows(Some(&excluded), |row| {
                assert_eq!(row.estimates()[row.query], f32::INFINITY);
                let at_most = f64::from(row.limit(row.sq_distance(3)));
                let slack = (at_most - f64::from(row.estimates()[3])) / filter.scale.powi(2);
                assert!(row.query == 3 || slack < 1e-4, "too wide to screen: {slack}");
                (row.query, row.sq_distance(3))
            });
            assert_eq!(found, expected);
        }
    }
}
