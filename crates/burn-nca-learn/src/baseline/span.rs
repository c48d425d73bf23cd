//! The rows of a wide table in an orthonormal basis of their span: n coordinates instead of d.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply_reflections,
};
use faer::linalg::solvers::Qr;
use faer::{Conj, Mat, MatRef, Par};

/// n rows of d columns by their coordinates in r = min(n, d) orthonormal directions.
///
/// ```text
/// Uᵀ = Q R          U: n rows, Q: d x r with QᵀQ = I, row i of U = Q (column i of R)
/// ```
/// Whatever depends on inner products of the rows alone may be computed on the coordinates and mapped back by Q, which
/// stays a product of r reflections: nothing of size d x d is formed.
pub(super) struct RowSpan {
    decomposition: Qr<f64>,
}

impl RowSpan {
    /// The span of these rows, row-major `[n, d]`.
    pub fn of(rows: &[f64], d: usize) -> Self {
        // Read by columns, the row-major table is its transpose.
        let transposed = MatRef::from_column_major_slice(rows, d, rows.len() / d);
        Self { decomposition: transposed.qr() }
    }

    /// Number of directions, r.
    pub fn dimensions(&self) -> usize {
        self.decomposition.thin_R().nrows()
    }

    /// The rows in the basis, row-major `[n, r]`: inner products and lengths are those of the rows.
    pub fn coordinates(&self) -> Vec<f64> {
        let factor = self.decomposition.thin_R();
        let (r, n) = (factor.nrows(), factor.ncols());
        (0..n).flat_map(|row| (0..r).map(move |j| factor[(j, row)])).collect()
    }

    /// Maps directions in the basis, columns of a row-major `[m, k]` matrix, to the d features: `[d, k]`. m may exceed r up
    /// to d: the basis continues with orthonormal directions outside of the span.
    pub fn lift(&self, directions: &[f64], k: usize) -> Vec<f64> {
        let basis = self.decomposition.Q_basis();
        let (d, m) = (basis.nrows(), directions.len() / k);
        let mut lifted = Mat::from_fn(d, k, |i, j| if i < m { directions[i * k + j] } else { 0.0 });
        let factors = self.decomposition.Q_coeff();
        let mut memory = MemBuffer::new(scratch::<f64>(d, factors.nrows(), k));
        let stack = MemStack::new(&mut memory);
        apply_reflections(basis, factors, Conj::No, lifted.as_mut(), Par::Seq, stack);
        (0..d).flat_map(|i| (0..k).map(move |j| (i, j))).map(|at| lifted[at]).collect()
    }
}
