//! The rule of LMNN that classifies by its loss (Weinberger and Saul 2009, energy-based classification).

use anyhow::Result;
use burn::tensor::{Int, Tensor};
use burn_nca_learn::data::Labeled;
use burn_nca_learn::neighbors::NearestConfig;

/// Target neighbors, as many as LMNN learns with by default.
const TARGETS: usize = 3;

/// Queries whose distances from all training rows are at hand together.
const BLOCK: usize = 128;

/// The class of each query by which the loss would grow least, were the query a training row of it. With the default µ of one
/// half the terms count alike:
///
/// ```text
/// E(c) = Σ_j d²(x, j) + Σ_j Σ_{l: y_l ≠ c} [1 + d²(x, j) - d²(x, l)]₊ + Σ_{i: y_i ≠ c} Σ_{j of i} [1 + d²(i, j) - d²(i, x)]₊
/// ```
///
/// where j are the targets of x, the nearest rows of class c, those of i the nearest of its class, and d² is squared Euclidean
/// distance in the embedding, `[n, k]` of the training rows and `[m, k]` of the queries.
///
/// # Errors
/// An embedding that is not finite.
pub fn classes([train, queries]: [&Tensor<2>; 2], labels: &Labeled) -> Result<Vec<usize>> {
    let count = labels.classes();
    let mut rows_of = vec![Vec::new(); count];
    labels.labels().iter().enumerate().for_each(|(row, &class)| rows_of[class].push(row));
    // Where a row of another class begins to violate the margin of a training row.
    let mut margins = vec![Vec::new(); labels.rows()];
    let mut nearest = Vec::new();
    for rows in &rows_of {
        let indices: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
        let indices = Tensor::<1, Int>::from_data(indices.as_slice(), &train.device());
        let (members, own) =
            (train.clone().select(0, indices), (0..rows.len()).collect::<Vec<_>>());
        let search = |k: usize| NearestConfig::new(TARGETS.min(k));
        nearest.push(search(rows.len()).search(queries, &members, None)?);
        if rows.len() > 1 {
            let found = search(rows.len() - 1).search(&members, &members, Some(&own))?;
            for (at, &row) in rows.iter().enumerate() {
                margins[row] = found.sq_distances(at).iter().map(|d| 1.0 + d).collect();
            }
        }
    }
    let above = |margins: &[f64], d: f64| -> f64 {
        margins.iter().map(|margin| (margin - d).max(0.0)).sum()
    };
    let [m, n] = [queries.dims()[0], labels.rows()];
    let mut found = Vec::with_capacity(m);
    for start in (0..m).step_by(BLOCK) {
        let block = queries.clone().slice([start..m.min(start + BLOCK)]);
        let distances = sq_distances(block, train.clone()).into_data().convert::<f64>();
        for (at, distances) in distances.try_to_vec::<f64>()?.chunks_exact(n).enumerate() {
            let near = |class: usize| nearest[class].sq_distances(start + at);
            let of_class: Vec<Vec<f64>> =
                (0..count).map(|class| near(class).iter().map(|d| 1.0 + d).collect()).collect();
            let mut energies: Vec<f64> = (0..count).map(|class| near(class).iter().sum()).collect();
            for (i, (&d, &label)) in distances.iter().zip(labels.labels()).enumerate() {
                // The last term of all rows is the same for every class: that of its own rows goes.
                energies[label] -= above(&margins[i], d);
                for (class, energy) in energies.iter_mut().enumerate().filter(|of| of.0 != label) {
                    *energy += above(&of_class[class], d);
                }
            }
            let least = (0..count).min_by(|&a, &b| energies[a].total_cmp(&energies[b]));
            found.push(least.unwrap_or_default());
        }
    }
    Ok(found)
}

/// Squared Euclidean distances, `[m, n]`.
fn sq_distances(a: Tensor<2>, b: Tensor<2>) -> Tensor<2> {
    let squares = |rows: &Tensor<2>| rows.clone().square().sum_dim(1);
    let (of_a, of_b) = (squares(&a), squares(&b).transpose());
    (of_a + of_b - a.matmul(b.transpose()) * 2.0).clamp_min(0.0)
}

#[cfg(test)]
mod tests {
    use burn::tensor::DType;
    use burn_nca_data::bundled::iris;
    use burn_nca_learn::data::TensorFeatures;

    use super::*;

    /// The loss of LMNN over the targets that each row has, by definition.
    fn loss(points: &[Vec<f64>], labels: &[usize], targets: &[Vec<usize>]) -> f64 {
        let d2 = |i: usize, j: usize| -> f64 {
            points[i].iter().zip(&points[j]).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let row = |i: usize| -> f64 {
            let pair = |&j: &usize| {
                let others = (0..points.len()).filter(|&l| labels[l] != labels[i]);
                d2(i, j) + others.map(|l| (1.0 + d2(i, j) - d2(i, l)).max(0.0)).sum::<f64>()
            };
            targets[i].iter().map(pair).sum()
        };
        (0..points.len()).map(row).sum()
    }

    fn targets_of(points: &[Vec<f64>], labels: &[usize], i: usize, among: usize) -> Vec<usize> {
        let d2 = |j: usize| -> f64 {
            points[i].iter().zip(&points[j]).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let mut others: Vec<usize> =
            (0..among).filter(|&j| j != i && labels[j] == labels[i]).collect();
        others.sort_by(|&a, &b| d2(a).total_cmp(&d2(b)));
        others.truncate(TARGETS);
        others
    }

    #[test]
    fn a_query_has_the_class_by_which_the_loss_grows_least() {
        let data = iris();
        let (queries, known): (Vec<usize>, Vec<usize>) = (0..150).partition(|row| row % 3 == 0);
        let (train, test): (Labeled, Labeled) = (data.select(&known), data.select(&queries));
        let device = burn_nca_learn::device::host().unwrap();
        let [a, b] = [&train, &test].map(|part| part.features().to_tensor(&device, DType::F64));
        let found = classes([&a, &b], &train).unwrap();
        let rows = |part: &Labeled| -> Vec<Vec<f64>> {
            let features = part.features();
            let row = |row| (0..4).map(|column| features.value(row, column)).collect();
            (0..part.rows()).map(row).collect()
        };
        let (mut points, mut labels) = (rows(&train), train.labels().to_vec());
        let n = points.len();
        let mut targets: Vec<Vec<usize>> =
            (0..n).map(|i| targets_of(&points, &labels, i, n)).collect();
        for (query, &found) in rows(&test).into_iter().zip(&found) {
            points.push(query);
            let energy = |class: usize| {
                labels.push(class);
                targets.push(targets_of(&points, &labels, n, n));
                let value = loss(&points, &labels, &targets);
                labels.pop();
                targets.pop();
                value
            };
            let energies: Vec<f64> = (0..3).map(energy).collect();
            points.pop();
            let least = (0..3).min_by(|&a, &b| energies[a].total_cmp(&energies[b])).unwrap();
            assert_eq!(found, least, "{energies:?}");
        }
    }
}
