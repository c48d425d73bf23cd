use burn::config::Config;
use faer::MatRef;

use super::eigen::{SymmetricEigen, fix_signs, not_converged};
use super::pca::{require_dimensions, require_two_rows};
use super::product::product;
use super::rca::require_two_classes;
use super::{Groups, Projection, Shrinkage};
use crate::data::Labelled;
use crate::error::{Error, Result};

/// Within-class variance, of features scaled to unit within-class variance, that counts as none.
const NO_VARIANCE: f64 = 1e-8;
/// Share of the between-class variance that directions without within-class variance may hold by rounding.
const NEGLIGIBLE_SHARE: f64 = 1e-8;

/// Linear discriminant analysis (Fisher): the k directions that separate the classes best.
///
/// ```text
/// Σ_b v_j = r_j Σ_w v_j,   r_1 ≥ r_2 ≥ …,   v_iᵀ Σ_w v_j = [i = j],   A = [v_1 … v_k]ᵀ
/// ```
/// Σ_w and Σ_b are the within-class and between-class covariance, divisor n both. After the map the classes
/// have unit within-class covariance, as with scikit-learn's solvers `svd` and `eigen`.
///
/// At most min(c - 1, d) directions separate anything, c being the classes that have rows: asking for more is
/// an error, never a shorter map. Where the class means lie in fewer dimensions than k, the ratio of the last
/// directions is 0 and the directions are arbitrary (but deterministic).
///
/// # Numerics
/// Features are first scaled to unit within-class variance. A direction without variance inside the classes
/// is dropped if the classes do not differ along it either (constant, repeated and collinear columns); if
/// they do, the scatter is singular, the ratio has no finite maximum, and the fit is an error unless a
/// [`Shrinkage`] bounds it. (scikit-learn's `svd` drops both kinds, and with them the best separation.)
///
/// # Examples
/// ```
/// use burn_nca::baseline::LdaConfig;
/// use burn_nca::data::{Features, Labelled};
///
/// let x = Features::unnamed(vec![0.0, 5.0, 4.0, 6.0, 10.0, 6.0, 14.0, 5.0], 2)?;
/// let lda = LdaConfig::new(1).fit(&Labelled::from_labels(x, vec![0, 0, 1, 1])?)?;
/// assert!(lda.projection.weight()[0].abs() > 0.0);
/// assert_eq!(lda.variance_ratio.len(), 1);
/// # Ok::<(), burn_nca::Error>(())
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
    /// Finds the directions.
    ///
    /// # Errors
    /// Fewer than two rows, fewer than two classes with rows, k = 0, k > min(c - 1, d), a shrinkage outside
    /// 0..1, classes that differ along directions without within-class variance (see above), fewer than k
    /// directions with variance, or eigenvectors that do not converge.
    pub fn fit(&self, data: &Labelled) -> Result<Lda> {
        require_two_rows("LDA", data.rows())?;
        require_dimensions("LDA", self.d_output)?;
        let groups = Groups::of_classes(data);
        require_two_classes("LDA", &groups, "use PCA, which needs no classes")?;
        let (c, d, k) = (groups.counts().len(), data.features().columns(), self.d_output);
        if k > d.min(c - 1) {
            return Err(Error::setting(format!(
                "LDA was asked for {k} dimensions, but {c} classes with rows and {d} features have at most \
                 {} that separate them; ask for {} or fewer, or use PCA",
                d.min(c - 1),
                d.min(c - 1)
            )));
        }
        let mut within = groups.within_covariance();
        let shrinkage = self.shrinkage.apply(data, &groups, &mut within)?;

        let means = groups.weighted_means();
        let whitener = whiten_within(&within, &means, d)?;
        let [_, rank] = whitener.shape();
        if rank < k {
            return Err(Error::data(format!(
                "LDA was asked for {k} dimensions, but the {d} features vary along {rank} directions only; \
                 ask for {rank} or fewer"
            )));
        }
        discriminants(&whitener, &product(&means, whitener.weight(), d), k, shrinkage)
    }
}

/// The map to unit within-class covariance, directions of no variance at all left out.
fn whiten_within(within: &[f64], weighted_means: &[f64], d: usize) -> Result<Projection> {
    let scale = feature_scale(within, weighted_means, d);
    let mut scaled = within.to_vec();
    for (at, x) in scaled.iter_mut().enumerate() {
        *x /= scale[at / d] * scale[at % d];
    }
    let eigen = SymmetricEigen::new(&scaled, d)?;
    let rank = eigen.values.iter().filter(|value| **value > NO_VARIANCE).count();
    let mut means = weighted_means.to_vec();
    means.iter_mut().enumerate().for_each(|(at, x)| *x /= scale[at % d]);
    refuse_singular(&means, &eigen, rank)?;

    let mut weight = eigen.leading(rank);
    for (row, scale) in weight.chunks_exact_mut(rank).zip(&scale) {
        row.iter_mut().zip(&eigen.values).for_each(|(x, variance)| *x /= scale * variance.sqrt());
    }
    Ok(Projection::new(weight, [d, rank]))
}

/// The within-class deviation of each feature; where that is zero the between-class one, and else 1.
fn feature_scale(within: &[f64], weighted_means: &[f64], d: usize) -> Vec<f64> {
    let between =
        |j: usize| -> f64 { weighted_means.iter().skip(j).step_by(d).map(|x| x * x).sum::<f64>() };
    let deviation = |j: usize| {
        [within[j * d + j], between(j)].into_iter().find(|x| *x > 0.0).map_or(1.0, f64::sqrt)
    };
    (0..d).map(deviation).collect()
}

/// Refuses class means that differ along directions without within-class variance.
fn refuse_singular(means: &[f64], eigen: &SymmetricEigen, rank: usize) -> Result<()> {
    let d = eigen.values.len();
    let rotated = product(means, &eigen.vectors, d);
    let sum_of_squares = |skip: usize| -> f64 {
        rotated.chunks_exact(d).flat_map(|row| &row[skip..]).map(|x| x * x).sum()
    };
    if rank == 0 || sum_of_squares(rank) > NEGLIGIBLE_SHARE * sum_of_squares(0) {
        return Err(Error::data(format!(
            "the within-class scatter is singular: {} of {d} directions have no variance inside the classes, \
             and LDA cannot scale them; give it a shrinkage (0.01, say), or reduce the features by PCA first",
            d - rank
        )));
    }
    Ok(())
}

/// The directions of largest variance of the class means in the whitened space, mapped back.
fn discriminants(whitener: &Projection, means: &[f64], k: usize, shrinkage: f64) -> Result<Lda> {
    let [d, rank] = whitener.shape();
    let svd = MatRef::from_row_major_slice(means, means.len() / rank, rank)
        .thin_svd()
        .map_err(|_| not_converged(d))?;
    let singular = svd.S().column_vector();
    let ratios: Vec<f64> = (0..singular.nrows()).map(|j| singular[j] * singular[j]).collect();
    let axes: Vec<f64> =
        (0..rank).flat_map(|i| (0..k).map(move |j| (i, j))).map(|at| svd.V()[at]).collect();
    let mut weight = product(whitener.weight(), &axes, rank);
    fix_signs(&mut weight, k);
    let total: f64 = ratios.iter().sum();
    Ok(Lda {
        projection: Projection::new(weight, [d, k]),
        variance_ratio: ratios[..k].to_vec(),
        explained_ratio: ratios[..k]
            .iter()
            .map(|ratio| if total > 0.0 { ratio / total } else { 0.0 })
            .collect(),
        shrinkage,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::fixture::{Reference, assert_close, assert_identity, random_labelled};
    use crate::data::Features;

    fn within_after(lda: &Lda, data: &Labelled) -> Vec<f64> {
        let embedded = lda.projection.apply(data.features()).unwrap();
        let embedded = data.with_features(embedded).unwrap();
        Groups::of_classes(&embedded).within_covariance()
    }

    /// Two classes that differ in the first of three features by hand, with a free third one.
    fn labelled(third: [f64; 4]) -> Labelled {
        let values = [[0.0, 5.0], [4.0, 6.0], [10.0, 6.0], [14.0, 5.0]];
        let rows = values.iter().zip(third).flat_map(|(row, x)| [row[0], row[1], x]).collect();
        Labelled::from_labels(Features::unnamed(rows, 3).unwrap(), vec![0, 0, 1, 1]).unwrap()
    }

    #[test]
    fn directions_and_ratios_are_those_of_scikit_learn_to_sign() {
        for set in ["iris", "wine"] {
            let reference = Reference::load(set);
            let data = reference.data();
            let lda = LdaConfig::new(2).fit(&data).unwrap();
            assert_close(lda.projection.weight(), &reference.numbers("lda_scalings"), 1e-9);
            assert_close(&lda.explained_ratio, &reference.numbers("lda_explained_ratio"), 1e-10);
            assert_identity(&within_after(&lda, &data), 2, 1e-10);
        }
    }

    #[test]
    fn shrunk_directions_are_those_of_scipy_and_the_share_that_of_ledoit_and_wolf() {
        for set in ["iris", "wine"] {
            let reference = Reference::load(set);
            let shrinkage = Shrinkage::Fixed { amount: reference.number("shrinkage") };
            let config = LdaConfig::new(2).with_shrinkage(shrinkage);
            let lda = config.fit(&reference.data()).unwrap();
            assert_close(lda.projection.weight(), &reference.numbers("shrunk_lda_scalings"), 1e-10);
            assert_close(
                &lda.variance_ratio,
                &reference.numbers("shrunk_lda_variance_ratio"),
                1e-10,
            );

            let config = config.with_shrinkage(Shrinkage::LedoitWolf);
            let lda = config.fit(&reference.data()).unwrap();
            let share = reference.number("ledoit_wolf_shrinkage");
            assert_close(&[lda.shrinkage], &[share], 1e-12);
        }
    }

    #[test]
    fn directions_solve_the_generalised_eigenvalue_problem() {
        let data = random_labelled(60, 5, 4, 8);
        let lda = LdaConfig::new(3).fit(&data).unwrap();
        let groups = Groups::of_classes(&data);
        let (within, between) = (groups.within_covariance(), groups.between_covariance());
        let weight = lda.projection.weight();
        for j in 0..3 {
            for i in 0..5 {
                let times = |matrix: &[f64]| -> f64 {
                    (0..5).map(|l| matrix[i * 5 + l] * weight[l * 3 + j]).sum()
                };
                let residual = times(&between) - lda.variance_ratio[j] * times(&within);
                assert!(residual.abs() < 1e-10 * lda.variance_ratio[0], "residual {residual:e}");
            }
        }
    }

    #[test]
    fn a_single_feature_by_hand_has_the_ratio_of_the_variances() {
        let features = Features::unnamed(vec![0.0, 4.0, 10.0, 14.0], 1).unwrap();
        let data = Labelled::from_labels(features, vec![0, 0, 1, 1]).unwrap();
        let lda = LdaConfig::new(1).fit(&data).unwrap();
        // Within-class variance 4, between-class variance 25.
        assert_close(lda.projection.weight(), &[0.5], 1e-14);
        assert_close(&lda.variance_ratio, &[6.25], 1e-13);
        assert_eq!((lda.explained_ratio, lda.shrinkage), (vec![1.0], 0.0));
    }

    #[test]
    fn a_constant_column_gets_no_weight_and_a_repeated_one_changes_no_ratio() {
        let constant = LdaConfig::new(1).fit(&labelled([0.1; 4])).unwrap();
        assert_eq!(constant.projection.weight()[2], 0.0);
        let repeated = LdaConfig::new(1).fit(&labelled([0.0, 4.0, 10.0, 14.0])).unwrap();
        assert_close(&repeated.variance_ratio, &constant.variance_ratio, 1e-10);
        for (lda, third) in [(constant, [0.1; 4]), (repeated, [0.0, 4.0, 10.0, 14.0])] {
            assert_identity(&within_after(&lda, &labelled(third)), 1, 1e-10);
        }
    }

    #[test]
    fn a_separating_direction_without_variance_is_an_error_that_a_shrinkage_cures() {
        let data = labelled([1.0, 1.0, 2.0, 2.0]);
        let error = LdaConfig::new(1).fit(&data).unwrap_err().to_string();
        assert!(error.contains("singular: 1 of 3") && error.contains("a shrinkage"), "{error}");
        for shrinkage in [Shrinkage::Fixed { amount: 0.01 }, Shrinkage::LedoitWolf] {
            let lda = LdaConfig::new(1).with_shrinkage(shrinkage).fit(&data).unwrap();
            assert!(lda.projection.weight()[2].abs() > 0.0 && lda.shrinkage > 0.0);
        }
        let wide = random_labelled(6, 20, 2, 1);
        let error = LdaConfig::new(1).fit(&wide).unwrap_err().to_string();
        assert!(error.contains("singular: 16 of 20"), "{error}");
    }

    #[test]
    fn only_classes_with_rows_count_towards_the_limit() {
        let data = random_labelled(30, 4, 3, 1);
        let two_left: Vec<usize> = (0..30).filter(|row| row % 3 != 1).collect();
        let data = data.select(&two_left);
        assert!(LdaConfig::new(1).fit(&data).is_ok());
        let error = LdaConfig::new(2).fit(&data).unwrap_err().to_string();
        assert!(error.contains("2 classes with rows and 4 features have at most 1"), "{error}");
        let one_left: Vec<usize> = (0..data.rows()).step_by(2).collect();
        let error = LdaConfig::new(1).fit(&data.select(&one_left)).unwrap_err().to_string();
        assert!(error.contains("two classes with rows, the data have 1"), "{error}");
    }

    #[test]
    fn collinear_class_means_give_a_direction_of_ratio_zero_not_a_shorter_map() {
        let mut values = Vec::new();
        for class in 0..3 {
            for [a, b] in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
                values.extend([5.0 * f64::from(class) + a, b]);
            }
        }
        let labels = (0..12).map(|row| row / 4).collect();
        let data = Labelled::from_labels(Features::unnamed(values, 2).unwrap(), labels).unwrap();
        let lda = LdaConfig::new(2).fit(&data).unwrap();
        assert_close(&lda.variance_ratio, &[50.0 / 3.0, 0.0], 1e-12);
        assert_close(lda.projection.weight(), &[1.0, 0.0, 0.0, 1.0], 1e-12);
    }

    #[test]
    fn impossible_settings_and_equal_rows_are_errors() {
        let data = labelled([0.3, -0.1, 0.2, 0.9]);
        let error = LdaConfig::new(0).fit(&data).unwrap_err().to_string();
        assert!(error.contains("0 dimensions"), "{error}");
        let config = LdaConfig::new(1).with_shrinkage(Shrinkage::Fixed { amount: -0.5 });
        let error = config.fit(&data).unwrap_err().to_string();
        assert!(error.contains("shrinkage is -0.5"), "{error}");
        let equal = Features::unnamed(vec![0.1; 4], 1).unwrap();
        let equal = Labelled::from_labels(equal, vec![0, 1, 0, 1]).unwrap();
        let error = LdaConfig::new(1).fit(&equal).unwrap_err().to_string();
        assert!(error.contains("1 of 1 directions have no variance"), "{error}");
        let error = LdaConfig::new(1).fit(&equal.select(&[0])).unwrap_err().to_string();
        assert!(error.contains("at least two rows"), "{error}");
    }
}
