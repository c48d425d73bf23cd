//! Covariances, closed forms and decompositions.

use acceptance::data::overlapping;
use burn_nca_learn::baseline::{
    Groups, LdaConfig, PcaConfig, Projection, RcaConfig, TruncatedSvdConfig, WhiteningConfig,
    lda_rca,
};
use burn_nca_learn::data::{Labeled, SparseFeatures};

use super::{bits, same_on_any_threads};

/// Three blocks of rows and two stripes of columns.
#[test]
fn closed_forms_of_many_rows_and_columns() {
    let (n, d) = (2100, 70);
    let data = overlapping(n, d, 5, 1).labeled();
    same_on_any_threads("covariance", || bits(Groups::of_classes(&data).within_covariance()));
    type Fit = fn(&Labeled) -> burn_nca_learn::Result<Projection>;
    let pca = |k: usize, data: &Labeled| PcaConfig::new(k).fit(data.features()).unwrap().projection;
    let fits: [(&str, Fit); 4] = [
        ("whitening", |data| WhiteningConfig::new().fit(data.features())),
        ("RCA", |data| RcaConfig::new().fit(data)),
        ("LDA", |data| Ok(LdaConfig::new(4).fit(data)?.projection)),
        ("LDA, then RCA", |data| lda_rca(data, &LdaConfig::new(3))),
    ];
    for (name, fit) in fits {
        same_on_any_threads(name, || {
            let map = fit(&data).unwrap();
            (bits(map.matrix()), bits(map.apply(data.features()).unwrap().values().to_vec()))
        });
    }
    same_on_any_threads("PCA", || bits(pca(60, &data).matrix()));
    // Fewer rows than columns: their span.
    let few = data.select(&(0..60).collect::<Vec<_>>());
    same_on_any_threads("PCA in the span", || bits(pca(50, &few).matrix()));
}

#[test]
fn decompositions_of_sparse_rows() {
    let [rows, columns] = [1500, 200];
    let entries = (0..6000).map(|at| (at * 7 % rows, at * at % 199, 1.0 + (at % 11) as f64));
    let mut entries: Vec<(usize, usize, f64)> = entries.collect();
    entries.sort_by_key(|entry| (entry.0, entry.1));
    entries.dedup_by_key(|entry| (entry.0, entry.1));
    let features = SparseFeatures::new([rows, columns], entries).unwrap();
    for center in [false, true] {
        same_on_any_threads("truncated SVD", || {
            let svd = TruncatedSvdConfig::new(5).with_center(center).fit(&features).unwrap();
            let embedded = svd.apply(&features).unwrap();
            (bits(svd.singular_values.clone()), bits(embedded.values().to_vec()))
        });
    }
}
