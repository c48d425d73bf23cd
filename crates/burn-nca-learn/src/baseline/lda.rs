//! Linear discriminant analysis.

use burn::config::Config;
use faer::MatRef;

use super::eigen::{SymmetricEigen, fix_signs, not_converged};
use super::product::product;
use super::require::{require_dimensions, require_two_classes, require_two_rows};
use super::span::RowSpan;
use super::{Groups, Projection, Shrinkage};
use crate::data::{Features, Labeled};
use crate::error::{Error, Hint, Message, Result, Setting};

/// Within-class variance, of features scaled to unit within-class variance, that counts as none.
const NO_VARIANCE: f64 = 1e-8;
/// Share of the between-class variance that directions without within-class variance may hold by rounding.
const NEGLIGIBLE_SHARE: f64 = 1e-8;
/// The shrinkage of [`LdaConfig::fit_or_shrink`] where the within-class scatter is singular.
const SINGULAR_SHRINKAGE: f64 = 0.01;

/// Linear discriminant analysis (Fisher): the k directions that separate the classes best.
///
/// ```text
/// Σ_b v_j = r_j Σ_w v_j,   r_1 ≥ r_2 ≥ …,   v_iᵀ Σ_w v_j = [i = j],   A = [v_1 … v_k]ᵀ
/// ```
/// Σ_w and Σ_b are the within-class and between-class covariance, divisor n both. At most min(c - 1, d) directions
/// separate c classes that have rows: asking for more is an error. Where the class means lie in fewer dimensions than k,
/// the ratio of the last directions is 0 and they are arbitrary (but deterministic).
///
/// # Numerics
/// Features are first scaled to unit within-class variance. A direction without variance inside the classes is dropped
/// if the classes do not differ along it either (constant, repeated and collinear columns); if they do, the scatter is
/// singular, and the fit is an error unless a [`Shrinkage`] bounds the ratio. (scikit-learn's `svd` drops both kinds, and
/// with them the best separation.) With fewer rows than features this happens in the coordinates of the rows in their
/// span, n x n instead of d x d.
///
/// # Examples
/// ```
/// use burn_nca_learn::baseline::LdaConfig;
/// use burn_nca_learn::data::{Features, Labeled};
///
/// let x = Features::unnamed(vec![0.0, 5.0, 4.0, 6.0, 10.0, 6.0, 14.0, 5.0], 2)?;
/// let lda = LdaConfig::new(1).fit(&Labeled::from_labels(x, vec![0, 0, 1, 1])?)?;
/// assert!(lda.projection.weight()[0].abs() > 0.0);
/// assert_eq!(lda.variance_ratio.len(), 1);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
///
/// # References
/// R. A. Fisher, The Use of Multiple Measurements in Taxonomic Problems, Annals of Eugenics 7, 1936.
#[derive(Config, Debug, PartialEq)]
pub struct LdaConfig {
    /// Number of directions, k.
    pub d_output: usize,
    /// How the within-class covariance is made regular.
    #[config(default = "Shrinkage::None")]
    pub shrinkage: Shrinkage,
    /// Whether each direction is scaled to length 1, as in some texts; without, the classes have unit variance along
    /// it, so that RCA after LDA changes no distance.
    #[config(default = false)]
    pub unit_length: bool,
}

/// The result of a linear discriminant analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Lda {
    /// The map onto the directions.
    pub projection: Projection,
    /// Between-class over (shrunk) within-class variance along each direction, r_j, falling.
    pub variance_ratio: Vec<f64>,
    /// The share of each r_j in the sum of all, 0..1.
    pub explained_ratio: Vec<f64>,
    /// The share s by which the within-class covariance was shrunk.
    pub shrinkage: f64,
}

impl LdaConfig {
    /// The most directions that separate the classes, min(c - 1, d) for c classes with rows; 0 for a single class.
    pub fn max_directions(data: &Labeled) -> usize {
        let present = data.class_counts().iter().filter(|count| **count > 0).count();
        data.features().columns().min(present.saturating_sub(1))
    }

    /// Finds the directions; where that fails as the settings are (a singular within-class scatter, most often), with
    /// a shrinkage of 0.01. [`Lda::shrinkage`] tells which it was.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), where the shrinkage does not help either.
    pub fn fit_or_shrink(&self, data: &Labeled) -> Result<Lda> {
        self.fit_or_shrink_groups(&Groups::of_classes(data))
    }

    /// The same of classes whose covariance is known.
    ///
    /// # Errors
    /// As [`fit_or_shrink`](Self::fit_or_shrink).
    pub fn fit_or_shrink_groups(&self, groups: &Groups<'_>) -> Result<Lda> {
        let shrunk = self.clone().with_shrinkage(Shrinkage::Fixed { amount: SINGULAR_SHRINKAGE });
        self.fit_groups(groups).or_else(|_| shrunk.fit_groups(groups))
    }

    /// Finds the directions.
    ///
    /// # Errors
    /// Fewer than two rows, fewer than two classes with rows, k = 0, k > min(c - 1, d), a shrinkage outside
    /// 0..1, classes that differ along directions without within-class variance (see above), fewer than k
    /// directions with variance, or eigenvectors that do not converge.
    pub fn fit(&self, data: &Labeled) -> Result<Lda> {
        self.fit_groups(&Groups::of_classes(data))
    }

    fn fit_groups(&self, groups: &Groups<'_>) -> Result<Lda> {
        require_two_rows("LDA", groups.rows())?;
        require_dimensions("LDA", self.d_output)?;
        require_two_classes("LDA", groups, "use PCA, which needs no classes")?;
        let (c, d, k) = (groups.counts().len(), groups.features().columns(), self.d_output);
        let most = d.min(c - 1);
        if k > most {
            return Err(Error::setting(format!(
                "LDA was asked for {k} dimensions, but {c} classes with rows and {d} features have at most \
                 {most} that separate them; ask for {most} or fewer, or use PCA"
            )));
        }
        let found = if groups.rows() < d {
            self.fit_in_span(groups)
        } else {
            self.fit_in_features(groups)
        }?;
        if !self.unit_length {
            return Ok(found);
        }
        let mut weight = found.projection.into_weight();
        for direction in 0..k {
            let squares = weight.iter().skip(direction).step_by(k).map(|x| x * x);
            let length = squares.sum::<f64>().sqrt();
            if length > 0.0 {
                weight.iter_mut().skip(direction).step_by(k).for_each(|x| *x /= length);
            }
        }
        Ok(Lda { projection: Projection::new(weight, [d, k]), ..found })
    }

    fn fit_in_features(&self, groups: &Groups<'_>) -> Result<Lda> {
        self.solve(groups, groups.features().columns())
    }

    /// The fit of fewer rows than features, in the coordinates of their span.
    fn fit_in_span(&self, groups: &Groups<'_>) -> Result<Lda> {
        let (d, k) = (groups.features().columns(), self.d_output);
        let variances = groups.within_variances();
        // A shrinkage is toward a multiple of the identity, which has to stay one; without it LDA does not
        // depend on the features' scales, and equal ones lose the fewest digits.
        let scale = if self.shrinkage.is_none() {
            feature_scale(&variances, &groups.weighted_means())
        } else {
            let mean = variances.iter().sum::<f64>() / d as f64;
            vec![if mean > 0.0 { mean.sqrt() } else { 1.0 }; d]
        };
        let mut rows = groups.centered_rows();
        rows.chunks_exact_mut(d).for_each(|row| divide(row, &scale));
        let span = RowSpan::of(&rows, d);
        drop(rows);
        let reduced = Features::unnamed(span.coordinates(), span.dimensions())?;
        let found = self.solve(&groups.with_features(&reduced), d)?;
        let mut weight = span.lift(&found.projection.weight(), k);
        for (row, scale) in weight.chunks_exact_mut(k).zip(&scale) {
            row.iter_mut().for_each(|x| *x /= scale);
        }
        fix_signs(&mut weight, k);
        Ok(Lda { projection: Projection::new(weight, [d, k]), ..found })
    }

    /// The directions of the groups' features, or of coordinates in the span of d features that are scaled already.
    fn solve(&self, groups: &Groups<'_>, d: usize) -> Result<Lda> {
        let (k, m) = (self.d_output, groups.features().columns());
        let (mut within, mut means) = (groups.within_covariance(), groups.weighted_means());
        let shrinkage = self.shrinkage.apply(groups, &mut within, d)?;
        let variances: Vec<f64> = within.iter().step_by(m + 1).copied().collect();
        let scale = if m == d { feature_scale(&variances, &means) } else { vec![1.0; m] };
        for (row, scale_of_row) in within.chunks_exact_mut(m).zip(&scale) {
            divide(row, &scale);
            row.iter_mut().for_each(|x| *x /= scale_of_row);
        }
        means.chunks_exact_mut(m).for_each(|row| divide(row, &scale));
        let eigen = SymmetricEigen::new(&within, m)?;
        let rank = eigen.values.iter().filter(|value| **value > NO_VARIANCE).count();
        refuse_singular(&means, &eigen, rank, d)?;
        if rank < k {
            return Err(Error::data(format!(
                "LDA was asked for {k} dimensions, but the {d} features vary along {rank} directions only; \
                 ask for {rank} or fewer"
            )));
        }
        // To unit within-class covariance; there the directions are those in which the means vary most.
        let mut whitener = eigen.leading(rank);
        let deviations: Vec<f64> = eigen.values[..rank].iter().map(|value| value.sqrt()).collect();
        whitener.chunks_exact_mut(rank).for_each(|row| divide(row, &deviations));
        let white = product(&means, &whitener, m);
        let svd = MatRef::from_row_major_slice(&white, white.len() / rank, rank)
            .thin_svd()
            .map_err(|_| not_converged(m))?;
        let ratios: Vec<f64> = svd.S().column_vector().iter().map(|value| value * value).collect();
        let places = (0..rank).flat_map(|i| (0..k).map(move |j| (i, j)));
        let axes: Vec<f64> = places.map(|at| svd.V()[at]).collect();
        let mut weight = product(&whitener, &axes, rank);
        for (row, scale) in weight.chunks_exact_mut(k).zip(&scale) {
            row.iter_mut().for_each(|x| *x /= scale);
        }
        fix_signs(&mut weight, k);
        let total: f64 = ratios.iter().sum();
        let share = |ratio: &f64| if total > 0.0 { ratio / total } else { 0.0 };
        Ok(Lda {
            projection: Projection::new(weight, [m, k]),
            variance_ratio: ratios[..k].to_vec(),
            explained_ratio: ratios[..k].iter().map(share).collect(),
            shrinkage,
        })
    }
}

/// Refuses class means that differ along directions without within-class variance.
fn refuse_singular(means: &[f64], eigen: &SymmetricEigen, rank: usize, d: usize) -> Result<()> {
    let m = eigen.values.len();
    let rotated = product(means, &eigen.vectors, m);
    let sum_of_squares = |skip: usize| -> f64 {
        rotated.chunks_exact(m).flat_map(|row| &row[skip..]).map(|x| x * x).sum()
    };
    if rank == 0 {
        let text =
            "the rows of each class are all alike, and LDA has no within-class scatter to scale";
        let other = Hint::edit("choose another method");
        return Err(Error::data(Message::from(text).with_hint(other)));
    }
    if sum_of_squares(rank) > NEGLIGIBLE_SHARE * sum_of_squares(0) {
        let text = format!(
            "the within-class scatter is singular: {} of {d} directions have no variance inside the \
             classes, and LDA cannot scale them",
            d - rank
        );
        let reduce = Hint::edit("reduce the features by PCA first");
        let shrink = Setting::Shrinkage(SINGULAR_SHRINKAGE);
        return Err(Error::data(Message::from(text).with_hint(shrink).with_hint(reduce)));
    }
    Ok(())
}

/// Divides a row by the scale of each column.
fn divide(row: &mut [f64], scale: &[f64]) {
    row.iter_mut().zip(scale).for_each(|(x, scale)| *x /= scale);
}

/// The within-class deviation of each feature; where that is zero the between-class one, and else 1.
fn feature_scale(within_variances: &[f64], weighted_means: &[f64]) -> Vec<f64> {
    let d = within_variances.len();
    let between =
        |j: usize| -> f64 { weighted_means.iter().skip(j).step_by(d).map(|x| x * x).sum::<f64>() };
    let deviation = |j: usize| {
        let within = within_variances[j];
        [within, between(j)].into_iter().find(|x| *x > 0.0).map_or(1.0, f64::sqrt)
    };
    (0..d).map(deviation).collect()
}

#[cfg(test)]
mod tests;
