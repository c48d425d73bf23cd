//! Scores, and searches and decisions by neighbors, as callers of the library have them.

use burn::tensor::{DType, Tensor, TensorData};
use burn_nca_data::Pairs;
use burn_nca_learn::evaluate::{
    Accuracy, ClassScores, Embedded, PartnerRanks, RegressionScores, Reliability, brier_score,
    leave_one_out_accuracy, roc_auc,
};
use burn_nca_learn::neighbors::{
    ClassProbabilities, ClassReferences, CoincidenceRule, Exclude, NearestConfig, Numbers,
    PerplexityMean, Rule, VariableKernel, class_probabilities, global_k, majority_vote, nearest,
    nearest_means, nearest_others,
};

use super::calls::{Refused, refused, varied};
use super::learned::device;

pub(super) fn all() -> Vec<Refused> {
    [scores(), searches(), votes(), rules()].into_iter().flatten().collect()
}

/// Points on a line, times `scale`.
fn line(rows: usize, columns: usize, scale: f64) -> Tensor<2> {
    let values: Vec<f64> = (0..rows * columns).map(|at| scale * at as f64).collect();
    Tensor::from_data(TensorData::new(values, [rows, columns]), (&device(), DType::F64))
}

fn scores() -> Vec<Refused> {
    let z = line(3, 2, 1.0);
    let even = ClassProbabilities::from_probabilities(&[0.5, 0.5], 2).unwrap();
    let errors = |predicted: &[f64]| RegressionScores::of(predicted, &[1.0, 2.0]);
    vec![
        varied([1, 3], |total| Accuracy::new(2, total)),
        varied([1, 2], |rows| Accuracy::of(&vec![0; rows], &[0, 1])),
        varied([2, 3], |classes| ClassScores::of(&[2], &[0], classes)),
        varied([2, 3], |rows| leave_one_out_accuracy(Embedded::new(&z, &[0, 0, 1][..rows]), 1)),
        varied([4, 3], |points| {
            PartnerRanks::of(&z, &Pairs::new(points, vec![(0, 1, 1.0)]).unwrap(), None)
        }),
        varied([2, 1], |class| brier_score(&even, &[class])),
        varied([1, 2], |rows| errors(&vec![1.0; rows])),
        refused(errors(&[1.0, f64::NAN]))
            .by("remove the row", RegressionScores::of(&[1.0], &[1.0]))
            .by("fit again with a smaller step", errors(&[1.0, 1.0])),
        varied([0, 10], |bins| Reliability::of(&even, &[0], bins)),
        varied([f64::NAN, 0.5], |score| roc_auc(&[score, 1.0], &[true, false])),
    ]
}

fn searches() -> Vec<Refused> {
    let scaled = |scale| nearest_others(&line(3, 2, scale), 1);
    let own = |own: &[usize]| nearest(&line(1, 2, 1.0), &line(3, 2, 1.0), 1, Some(own));
    let probable = |labels: usize, classes| {
        let (query, z) = (line(1, 2, 1.0), line(3, 2, 1.0));
        class_probabilities(&query, &z, &[0, 1, 2][..labels], classes, None)
    };
    let of = |rows: usize, k| nearest(&line(1, 2, 1.0), &line(rows, 2, 1.0), k, None);
    let grouped = |rows: usize, groups: &[usize], k| {
        let (z, own) = (line(rows, 2, 1.0), (0..rows).collect::<Vec<_>>());
        let exclude = Exclude::own(&own).with_groups(Some(groups));
        NearestConfig::new(k).search_excluding(&z, &z, exclude)
    };
    vec![
        // Points that cannot be searched, or not together.
        varied([1, 2], |columns| nearest(&line(1, columns, 1.0), &line(3, 2, 1.0), 1, None)),
        refused(scaled(1e200))
            .by("distances need finite coordinates of at most 1e150: scale the data", scaled(1.0))
            .by("fit again with a smaller step", scaled(1.0)),
        varied([3, 0], |row| own(&[row])),
        refused(own(&[0, 1])).cured(own(&[0])),
        varied([0, 1], |columns| nearest_others(&Tensor::<2>::zeros([3, columns], &device()), 1)),
        varied([2, 3], |classes| probable(3, classes)),
        varied([2, 3], |labels| probable(labels, 3)),
        varied([0, 1], |k| of(3, k)),
        refused(of(3, 4)).by("give k from 1 to 3", of(3, 3)).by("more references", of(4, 4)),
        refused(grouped(4, &[0, 0, 1, 1], 3))
            .by("give k from 1 to 2", grouped(4, &[0, 0, 1, 1], 2))
            .by("rows of more groups", grouped(6, &[0, 0, 1, 1, 2, 2], 3)),
        varied([0, 1], |rows| of(rows, 1)),
        varied([1, 2], |rows| nearest_others(&line(rows, 2, 1.0), 1)),
        varied([0, 1], |other| grouped(2, &[0, other], 1)),
        varied([2, 4], |rows| grouped(4, &[0, 1, 0, 1][..rows], 1)),
    ]
}

fn votes() -> Vec<Refused> {
    let searched = |k| nearest(&line(1, 2, 1.0), &line(3, 2, 1.0), k, None).unwrap();
    let vote = |found, k| majority_vote(&searched(found), &[0, 1, 1], 2, k);
    let mean = |found, k, values: usize| {
        nearest_means(&searched(found), Numbers::new(&[1.0; 3][..values], 1), k)
    };
    let values = |values: &[f64]| ClassProbabilities::from_probabilities(values, 2);
    vec![
        refused(vote(2, 3)).by("give k from 1 to 2", vote(2, 2)).by("search more", vote(3, 3)),
        refused(mean(2, 3, 3))
            .by("give k from 1 to 2", mean(2, 2, 3))
            .by("search more", mean(3, 3, 3)),
        varied([1, 3], |values| mean(2, 1, values)),
        varied([0.7, 0.5], |other| values(&[0.5, other])),
        varied([1, 2], |count| values(&vec![0.5; count])),
    ]
}

fn rules() -> Vec<Refused> {
    let k = |perplexities: &[f64]| global_k(perplexities, PerplexityMean::Median);
    let kernel = |neighbors, averaged, width| {
        let rule = VariableKernel::new().with_neighbors(neighbors).with_averaged(averaged);
        rule.with_width(width).check()
    };
    let latent = |sigma_sq: f64| CoincidenceRule {
        classes: vec![0, 1],
        latent: 1,
        means: vec![0.0, 1.0],
        sigma_sq: vec![sigma_sq, 1.0],
    };
    let of_spaces = |sigma_sq, columns| latent(sigma_sq).log_probabilities(&line(1, columns, 1.0));
    let z = line(3, 2, 1.0);
    let influences = |rule: Rule| {
        let references = ClassReferences::new(&z, &[0, 0, 1], 2);
        rule.influences(&line(1, 2, 1.0), references, None, 2).map(drop)
    };
    vec![
        varied([1, 2], |classes| {
            let references = ClassReferences::new(&z, &[0, 0, 1], classes);
            Rule::Coincidence(latent(1.0)).probabilities(&z, references, None)
        }),
        refused(k(&[1.0])).cured(k(&[1.0, 1.0])),
        varied([0.5, 1.0], |perplexity| k(&[perplexity, 1.0])),
        varied([0, 10], |neighbors| kernel(neighbors, 1, 1.0)),
        varied([4, 3], |averaged| kernel(3, averaged, 1.0)),
        varied([0.0, 1.0], |width| kernel(3, 3, width)),
        varied([3, 2], |columns| of_spaces(1.0, columns)),
        varied([-1.0, 1.0], |sigma_sq| of_spaces(sigma_sq, 2)),
        varied([Rule::Coincidence(latent(1.0)), Rule::Neighbors], influences),
    ]
}
