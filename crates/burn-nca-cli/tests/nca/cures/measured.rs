//! Scores, and searches and decisions by neighbors, as callers of the library have them.

use burn::tensor::{DType, Tensor, TensorData};
use burn_nca_data::Pairs;
use burn_nca_learn::evaluate::{
    Accuracy, ClassScores, Embedded, PartnerRanks, RegressionScores, Reliability, RowTerms,
    brier_score, leave_one_out_accuracy, roc_auc,
};
use burn_nca_learn::neighbors::{
    ClassProbabilities, ClassReferences, CoincidenceRule, Exclude, NearestConfig, Numbers,
    PerplexityMean, Rule, VariableKernel, Voters, class_probabilities, global_k, majority_vote,
    nearest, nearest_means, nearest_others,
};

use super::learned::device;
use super::worded::{Refused, refused};

pub(super) fn all() -> Vec<Refused> {
    [scores(), points(), searches(), votes(), rules()].into_iter().flatten().collect()
}

/// Points on a line, times `scale`.
fn line(rows: usize, columns: usize, scale: f64) -> Tensor<2> {
    let values: Vec<f64> = (0..rows * columns).map(|at| scale * at as f64).collect();
    Tensor::from_data(TensorData::new(values, [rows, columns]), (&device(), DType::F64))
}

fn probabilities() -> ClassProbabilities {
    ClassProbabilities::from_probabilities(&[0.5, 0.5], 2).unwrap()
}

fn scores() -> Vec<Refused> {
    let by_class = |classes| ClassScores::of(&[2], &[0], classes);
    let z = line(3, 2, 1.0);
    let (three, two) = ([0, 0, 1], [0, 0]);
    let left_out = |labels| leave_one_out_accuracy(Embedded::new(&z, labels), 1);
    let grouped =
        |groups| RowTerms::of(Embedded::new(&z, &three).with_groups(Some(groups)), &[0]).map(drop);
    let partners = |points| {
        let pairs = Pairs::new(points, vec![(0, 1, 1.0)]).unwrap();
        PartnerRanks::of(&z, &pairs, None)
    };
    let brier = |class| brier_score(&probabilities(), &[class]);
    let errors = |predicted: &[f64]| RegressionScores::of(predicted, &[1.0, 2.0]);
    let bins = |bins| Reliability::of(&probabilities(), &[0], bins);
    let curve = |score| roc_auc(&[score, 1.0], &[true, false]);
    let terms = |labels| RowTerms::of(Embedded::new(&z, labels), &[0]).map(drop);
    vec![
        refused(Accuracy::new(2, 1))
            .by("the total counts both correct and wrong ones", Accuracy::new(2, 3)),
        refused(Accuracy::of(&[0], &[0, 1]))
            .by("give one prediction per true class", Accuracy::of(&[0, 0], &[0, 1])),
        refused(by_class(2)).by("give the number of classes", by_class(3)),
        refused(left_out(&two)).by("give one label per row", left_out(&three)),
        refused(grouped(&two)).by("give the group of each row", grouped(&three)),
        refused(partners(4)).by("embed all the points", partners(3)),
        refused(brier(2)).by("give the same number of classes to both", brier(1)),
        refused(errors(&[1.0])).by("give one prediction per row", errors(&[1.0, 1.0])),
        refused(errors(&[1.0, f64::NAN]))
            .by("remove the row", RegressionScores::of(&[1.0], &[1.0]))
            .by("fit again with a smaller step", errors(&[1.0, 1.0])),
        refused(bins(0)).by("give 1 or more, such as 10", bins(10)),
        refused(curve(f64::NAN)).by("give finite scores", curve(0.5)),
        refused(terms(&two)).by("give one label per row", terms(&three)),
    ]
}

/// Points that cannot be searched, or not together.
fn points() -> Vec<Refused> {
    let among = |columns| nearest(&line(1, columns, 1.0), &line(3, 2, 1.0), 1, None);
    let scaled = |scale| nearest_others(&line(3, 2, scale), 1);
    let own = |own: &[usize]| nearest(&line(1, 2, 1.0), &line(3, 2, 1.0), 1, Some(own));
    let flat = |columns| nearest_others(&Tensor::<2>::zeros([3, columns], &device()), 1);
    let probable = |labels: &[usize], classes| {
        class_probabilities(&line(1, 2, 1.0), &line(3, 2, 1.0), labels, classes, None)
    };
    vec![
        refused(among(1)).by("embed both with the same map", among(2)),
        refused(scaled(1e200))
            .by("distances need finite coordinates of at most 1e150: scale the data", scaled(1.0))
            .by("fit again with a smaller step", scaled(1.0)),
        refused(own(&[3])).by("name the row that is the query itself", own(&[0])),
        refused(own(&[0, 1])).by("name one reference row a query", own(&[0])),
        refused(flat(0)).by("at least one is needed", flat(1)),
        refused(probable(&[0, 1, 2], 2)).by("give the number of classes", probable(&[0, 1, 2], 3)),
        refused(probable(&[0, 1], 2)).by("give one label a reference row", probable(&[0, 1, 1], 2)),
    ]
}

fn searches() -> Vec<Refused> {
    let of = |rows: usize, k| nearest(&line(1, 2, 1.0), &line(rows, 2, 1.0), k, None);
    let others = |rows| nearest_others(&line(rows, 2, 1.0), 1);
    let grouped = |rows: usize, groups: &[usize], k| {
        let (z, own) = (line(rows, 2, 1.0), (0..rows).collect::<Vec<_>>());
        let exclude = Exclude::own(&own).with_groups(Some(groups));
        NearestConfig::new(k).search_excluding(&z, &z, exclude)
    };
    vec![
        refused(of(3, 0)).by("ask for at least 1 neighbor", of(3, 1)),
        refused(of(3, 4)).by("give k from 1 to 3", of(3, 3)).by("more references", of(4, 4)),
        refused(grouped(4, &[0, 0, 1, 1], 3))
            .by("give k from 1 to 2", grouped(4, &[0, 0, 1, 1], 2))
            .by("rows of more groups", grouped(6, &[0, 0, 1, 1, 2, 2], 3)),
        refused(of(0, 1)).by("give at least one row", of(1, 1)),
        refused(others(1)).by("give at least two rows", others(2)),
        refused(grouped(2, &[0, 0], 1))
            .by("give rows of at least two groups", grouped(2, &[0, 1], 1)),
        refused(grouped(4, &[0, 1], 1))
            .by("give the group of each reference", grouped(4, &[0, 1, 0, 1], 1)),
    ]
}

fn votes() -> Vec<Refused> {
    let searched = |k| nearest(&line(1, 2, 1.0), &line(3, 2, 1.0), k, None).unwrap();
    let vote = |found, k| majority_vote(&searched(found), &[0, 1, 1], 2, k);
    let mean =
        |found, k, values: &[f64]| nearest_means(&searched(found), Numbers::new(values, 1), k);
    let ones = [1.0; 3];
    let grouped = |groups| Voters::new(&[0, 1, 1], 2, None)?.with_groups(Some(groups)).map(drop);
    let values = |values: &[f64]| ClassProbabilities::from_probabilities(values, 2);
    vec![
        refused(vote(2, 3)).by("give k from 1 to 2", vote(2, 2)).by("search more", vote(3, 3)),
        refused(mean(2, 3, &ones))
            .by("give k from 1 to 2", mean(2, 2, &ones))
            .by("search more", mean(3, 3, &ones)),
        refused(mean(2, 1, &[1.0])).by("give references x columns values", mean(2, 1, &ones)),
        refused(grouped(&[0, 1])).by("give the group of each reference", grouped(&[0, 1, 2])),
        refused(values(&[0.5, 0.7]))
            .by("give numbers from 0 to 1 that sum to 1", values(&[0.5, 0.5])),
        refused(values(&[0.5])).by("give rows x classes values", values(&[0.5, 0.5])),
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
    let decided = |classes| {
        let references = ClassReferences::new(&z, &[0, 0, 1], classes);
        Rule::Coincidence(latent(1.0)).probabilities(&z, references, None)
    };
    vec![
        refused(decided(1)).by("give the classes of the model", decided(2)),
        refused(k(&[1.0])).by("give at least 2 points", k(&[1.0, 1.0])),
        refused(k(&[0.5, 1.0])).by("give numbers of neighbors, from 1 on", k(&[1.0, 1.0])),
        refused(kernel(0, 1, 1.0)).by("give 1 or more, such as 10", kernel(10, 1, 1.0)),
        refused(kernel(3, 4, 1.0)).by("give 1 to 3 of them", kernel(3, 3, 1.0)),
        refused(kernel(3, 3, 0.0)).by("give a positive number, such as 1", kernel(3, 3, 1.0)),
        refused(of_spaces(1.0, 3)).by("embed them with the map of the model", of_spaces(1.0, 2)),
        refused(of_spaces(-1.0, 2)).by("fit the model again", of_spaces(1.0, 2)),
        refused(influences(Rule::Coincidence(latent(1.0))))
            .by("explain a model of another method", influences(Rule::Neighbors)),
    ]
}
