//! The kernels of modern NCA against the formulas, and on any number of threads.

use faer::traits::ComplexField;

use super::oracle::Oracle;
use super::{both, check_threads, converted, largest_error, points, sq_distance, worst};
use crate::arch::{all, on, on_each};
use crate::batch_norm::BatchNorm;
use crate::linear::Linear;
use crate::periodic::Periodic;
use crate::softmax_rows::{RowMeans, SoftmaxRows};
use crate::{Hidden, NeighborSets, Number, panel::PADDING};

/// Products `q_i · r_j`, `[b, m]` with padding.
fn products<T: Number>(queries: &[T], references: &[T], k: usize) -> Vec<T> {
    let m = (references.len() / k).next_multiple_of(PADDING);
    let mut all = vec![T::ZERO; queries.len() / k * m];
    for (row, q) in all.chunks_exact_mut(m).zip(queries.chunks_exact(k)) {
        for (place, r) in row.iter_mut().zip(references.chunks_exact(k)) {
            *place = q.iter().zip(r).fold(T::ZERO, |sum, (&q, &r)| sum + q * r);
        }
    }
    all
}

/// The largest error of means and gradients; the queries are the references from `own` on, or none of them.
fn error_of_means<T: Number + ComplexField>([b, m, k, c]: [usize; 4], own: Option<usize>) -> f64 {
    let [(r, exact_r), (v, exact_v), (g, exact_g)] =
        [(m * k, 1), (m * c, 2), (b * c, 3)].map(|(count, seed)| both::<T>(&points(count, seed)));
    let (q, exact_q) = match own {
        Some(own) => (r[own * k..][..b * k].to_vec(), exact_r[own * k..][..b * k].to_vec()),
        None => both::<T>(&points(b * k, 4)),
    };
    let of = SoftmaxRows::new((&q, &r, k), (&v, c), own);
    let RowMeans { means, sums, pairs } = of.means(true);
    let mut of_r = vec![T::ZERO; m * k];
    let of_q = of.add_gradients(&pairs, [&sums, &means, &g], &mut of_r);
    let columns = NeighborSets::all(b, m);
    let columns = &own.map_or(columns.clone(), |own| columns.without_self(own));
    let exact = Oracle { queries: &exact_q, references: &exact_r, k, columns };
    let distance = |i: usize, j: usize| exact.sq_distance(i, j).sqrt();
    let [least, logs] = exact.statistics(distance);
    let p = |i: usize, j: usize| (least[i] - distance(i, j) - logs[i]).exp();
    let (mut expected, mut slopes) = (vec![0.0; b * c], [b, m].map(|rows| vec![0.0; rows * k]));
    for i in 0..b {
        for a in 0..c {
            expected[i * c + a] = exact.kept(i).map(|j| p(i, j) * exact_v[j * c + a]).sum();
        }
        for j in exact.kept(i) {
            let parts =
                (0..c).map(|a| exact_g[i * c + a] * (exact_v[j * c + a] - expected[i * c + a]));
            let slope = -p(i, j) * parts.sum::<f64>() / distance(i, j);
            for axis in 0..k {
                let apart = slope * (exact_q[i * k + axis] - exact_r[j * k + axis]);
                slopes[0][i * k + axis] += apart;
                slopes[1][j * k + axis] -= apart;
            }
        }
    }
    let [of_queries, of_references] = slopes;
    // Without the pairs the same.
    let again = of.means(false);
    assert!(again.means == means && again.pairs.is_empty());
    worst(&[(means, expected), (of_q, of_queries), (of_r, of_references)])
}

#[test]
fn means_and_their_gradients() {
    on_each(|| {
        for (sizes, own) in [
            ([1, 1, 3, 1], None),
            ([1, 1, 3, 1], Some(0)),
            ([70, 90, 20, 2], Some(20)),
            ([33, 64, 5, 3], None),
            ([300, 1200, 4, 2], Some(900)),
        ] {
            let found = [error_of_means::<f64>(sizes, own), error_of_means::<f32>(sizes, own)];
            assert!(found[0] < 1e-11 && found[1] < 1e-4, "{sizes:?} {own:?}: {found:?}");
        }
    });
}

/// The largest error of a linear layer and its gradients, of hidden units each third of which is dropped, if any is.
fn error_of_layer<T: Number + ComplexField>(
    n: usize,
    [d, e]: [usize; 2],
    hidden: Option<Hidden>,
) -> f64 {
    let [(x, exact_x), (weight, exact_w), (b, exact_b), (g, exact_g)] =
        [(n * d, 1), (d * e, 2), (e, 3), (n * e, 4)]
            .map(|(count, seed)| both::<T>(&points(count, seed)));
    let of = Linear { x: &x, weight: &weight, sizes: [d, e], hidden: hidden.as_ref() };
    let output = of.forward(&b);
    let found = of.gradients(&output, &g);
    let mut expected = vec![0.0; n * e];
    let [mut dx, mut dw, mut db] = [n * d, d * e, e].map(|count| vec![0.0; count]);
    for (at, y) in expected.iter_mut().enumerate() {
        let (i, j) = (at / e, at % e);
        let sum: f64 = (0..d).map(|a| exact_x[i * d + a] * exact_w[a * e + j]).sum();
        let (unit, mut slope) = (sum + exact_b[j], exact_g[at]);
        *y = unit;
        if let Some(Hidden { dropped, scale }) = &hidden {
            let is_on = unit > 0.0 && !dropped.get(at).unwrap_or(&false);
            [*y, slope] = if is_on { [scale * unit, scale * slope] } else { [0.0; 2] };
        }
        db[j] += slope;
        for a in 0..d {
            dx[i * d + a] += slope * exact_w[a * e + j];
            dw[a * e + j] += slope * exact_x[i * d + a];
        }
    }
    let of_gradients = found.into_iter().zip([dx, dw, db]).collect::<Vec<_>>();
    worst(&of_gradients).max(worst(&[(output, expected)]))
}

fn third_dropped(units: usize) -> Hidden {
    Hidden { dropped: (0..units).map(|at| at % 3 == 0).collect(), scale: 1.5 }
}

#[test]
fn linear_layers_and_their_gradients() {
    on_each(|| {
        for (n, [d, e]) in [(1, [1, 1]), (70, [20, 9]), (1300, [3, 40])] {
            let none = Hidden { dropped: [].into(), scale: 1.0 };
            for hidden in [None, Some(none), Some(third_dropped(n * e))] {
                let found = [
                    error_of_layer::<f64>(n, [d, e], hidden.clone()),
                    error_of_layer::<f32>(n, [d, e], hidden),
                ];
                assert!(found[0] < 1e-11 && found[1] < 1e-3, "{n} {d} {e}: {found:?}");
            }
        }
    });
}

/// The largest error of an embedding and its gradients; one number is many turns away.
fn error_of_embedding<T: Number>(n: usize, [d, m, e]: [usize; 3]) -> f64 {
    let of = [(n * d, 1), (d * m, 2), (2 * m * e, 3), (e, 4), (n * d * e, 5)];
    let mut raw = of.map(|(count, seed)| points(count, seed));
    raw[0][0] = 300.0;
    let [(x, exact_x), (f, exact_f), (w, exact_w), (b, exact_b), (g, exact_g)] =
        raw.map(|numbers| both::<T>(&numbers));
    let of = Periodic { x: &x, frequencies: &f, weight: &w, bias: &b, sizes: [d, m, e] };
    let output = of.embed();
    let found = of.gradients(&output, &g);
    let mut expected = vec![0.0; n * d * e];
    let mut gradients = [n * d, d * m, 2 * m * e, e].map(|count| vec![0.0; count]);
    let [dx, df, dw, db] = &mut gradients;
    for at in 0..n * d {
        let (feature, x) = (at % d, exact_x[at]);
        // As the type rounds it: a number far out has a turn of its own.
        let turns = |wave: usize| (T::from_f64(x) * f[feature * m + wave]).to_f64();
        let angle = |wave: usize| core::f64::consts::TAU * turns(wave).fract();
        for j in 0..e {
            let terms = (0..m).map(|k| {
                exact_w[k * e + j] * angle(k).cos() + exact_w[(m + k) * e + j] * angle(k).sin()
            });
            let sum = exact_b[j] + terms.sum::<f64>();
            expected[at * e + j] = sum.max(0.0);
            let slope = if output[at * e + j] > T::ZERO { exact_g[at * e + j] } else { 0.0 };
            db[j] += slope;
            for k in 0..m {
                let (sin, cos) = angle(k).sin_cos();
                dw[k * e + j] += slope * cos;
                dw[(m + k) * e + j] += slope * sin;
                let of_angle = exact_w[(m + k) * e + j] * cos - exact_w[k * e + j] * sin;
                let of_turns = core::f64::consts::TAU * slope * of_angle;
                df[feature * m + k] += of_turns * x;
                dx[at] += of_turns * exact_f[feature * m + k];
            }
        }
    }
    let of_gradients = found.into_iter().zip(gradients).collect::<Vec<_>>();
    worst(&of_gradients).max(worst(&[(output, expected)]))
}

#[test]
fn embeddings_and_their_gradients() {
    on_each(|| {
        for (n, sizes) in [(1, [1, 1, 1]), (5, [3, 4, 2]), (300, [2, 3, 9]), (40, [5, 16, 8])] {
            let found = [error_of_embedding::<f64>(n, sizes), error_of_embedding::<f32>(n, sizes)];
            assert!(found[0] < 1e-12 && found[1] < 1e-5, "{n} {sizes:?}: {found:?}");
        }
    });
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let ([n, d, m, e], [b, k, c]) = ([1100, 3, 5, 8], [900, 20, 2]);
    let [x, f, w, bias, g, r, v, slope] =
        [n * d, d * m, 2 * m * e, e, n * d * e, n * k, n * c, b * c]
            .map(|count| converted::<f32>(&points(count, count as u64)));
    let (x, frequencies, weight, bias) = (&x, &f, &w, &bias);
    let bits = || {
        let of = Periodic { x, frequencies, weight, bias, sizes: [d, m, e] };
        let output = of.embed();
        let mut found: Vec<Vec<f32>> = of.gradients(&output, &g).into();
        let of = SoftmaxRows::new((&r[..b * k], &r, k), (&v, c), Some(0));
        let RowMeans { means, sums, pairs } = of.means(true);
        let mut of_references = vec![0.0; n * k];
        found.push(of.add_gradients(&pairs, [&sums, &means, &slope], &mut of_references));
        found.push(of_references);
        found.extend([output, means]);
        let hidden = third_dropped(n * e);
        let of = Linear { x, weight: &weight[..d * e], sizes: [d, e], hidden: Some(&hidden) };
        let output = of.forward(bias);
        found.extend(of.gradients(&output, &g[..n * e]));
        found.push(output);
        let of = BatchNorm { x, gamma: &bias[..d], epsilon: 1e-5 };
        let [output, mean, variance] = of.normalize(&bias[d..2 * d]);
        found.extend(of.gradients([&mean, &variance], &r[..n * d]));
        found.extend([output, mean, variance]);
        found.into_iter().flatten().map(f32::to_bits).collect::<Vec<_>>()
    };
    for arch in all() {
        check_threads(|| on(arch, bits));
    }
}

/// The largest error of the shares; each second reference is left out by its norm, and one by its product.
fn error_of_shares<T: Number>(m: usize, k: usize, biases: &[f64]) -> f64 {
    let [(q, exact_q), (r, exact_r), (biases, exact_biases)] =
        [&points(k, 1)[..], &points(m * k, 2), biases].map(both::<T>);
    let is_out = |j: usize| j % 2 == 1 || j == 2;
    let mut shares = products(&q, &r, k);
    shares.truncate(m);
    if m > 2 {
        shares[2] = T::ZERO - T::INFINITY;
    }
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let norms: Vec<T> = (0..m)
        .map(|j| if j % 2 == 1 { T::INFINITY } else { T::from_f64(norm(&exact_r[j * k..][..k])) })
        .collect();
    T::euclidean_shares(&mut shares, T::from_f64(norm(&exact_q)), &norms, &biases);
    let term = |j: usize| {
        let distance = sq_distance(&exact_q, &exact_r[j * k..][..k]).sqrt();
        (exact_biases.get(j).unwrap_or(&0.0) - distance).exp()
    };
    let terms: Vec<f64> = (0..m).map(|j| if is_out(j) { 0.0 } else { term(j) }).collect();
    let sum: f64 = terms.iter().sum();
    let expected: Vec<f64> = terms.iter().map(|term| term / sum).collect();
    largest_error(&shares, &expected, 1e-3)
}

#[test]
fn shares_of_a_row() {
    on_each(|| {
        for (m, k) in [(1, 3), (7, 2), (65, 5), (200, 40)] {
            for biases in [vec![], points(m, 9)] {
                let errors =
                    [error_of_shares::<f64>(m, k, &biases), error_of_shares::<f32>(m, k, &biases)];
                assert!(errors[0] < 1e-12 && errors[1] < 1e-4, "{m} {k}: {errors:?}");
            }
        }
    });
}
