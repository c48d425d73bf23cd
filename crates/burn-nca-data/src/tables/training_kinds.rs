//! The kinds of training data: rows with a class each, with numbers, with pairs, and rows alone.

use super::{
    AnyData, Coincidences, Features, Labeled, Pairs, RegressionData, Scaling, Split, Task,
    TrainingData, TrainingTargets, grouped_folds, grouped_split, random_folds, random_split,
    rows_by_class, stratified_folds, stratified_split,
};
use crate::{Error, Result, quoted};

impl TrainingData for Labeled {
    const TASK: Option<Task> = Some(Task::Classes);

    fn scale(&mut self, scaling: &Scaling) -> Result<()> {
        self.features_mut().try_for_each(|features| scaling.apply_in_place(features))
    }

    fn unlabeled(&self) -> Option<&Features> {
        Labeled::unlabeled(self)
    }

    fn as_any_data(&self) -> AnyData<'_> {
        AnyData::Classes(self)
    }

    fn check(&self) -> Result<()> {
        let n = self.rows();
        check_two(n)?;
        let counts = self.class_counts();
        let present: Vec<usize> = (0..counts.len()).filter(|class| counts[*class] > 0).collect();
        if let [only] = present[..] {
            return Err(Error::data(format!(
                "all {n} rows to learn from are of the class {}; there is nothing to separate, so give rows \
                 of at least two classes",
                quoted(&self.class_names()[only])
            )));
        }
        if counts.iter().all(|count| *count < 2) {
            return Err(Error::data(format!(
                "each of the {} classes has a single row, so no row has a same-class neighbor; give at least \
                 one class two rows",
                present.len()
            )));
        }
        Ok(())
    }

    fn training_targets(&self) -> TrainingTargets {
        TrainingTargets::Classes {
            names: self.class_names().to_vec(),
            labels: self.labels().to_vec(),
            weights: self.weights().map(<[f64]>::to_vec),
            groups: self.groups().map(<[usize]>::to_vec),
        }
    }

    fn split(&self, share: f64, seed: u64) -> Result<Split> {
        match self.groups() {
            None => stratified_split(self.labels(), share, seed),
            Some(groups) => grouped_split(self.labels(), groups, share, seed),
        }
    }

    fn folds(&self, folds: usize, seed: u64) -> Result<Vec<Split>> {
        stratified_folds(self, folds, seed)
    }

    fn part(&self, units: &[usize]) -> Result<Self> {
        Ok(self.select(units))
    }

    fn counting(&self) -> Option<Vec<usize>> {
        positive(self.weights()?)
    }

    /// In class order, which spares every pass over the data a reordering.
    fn arranged(self) -> Self {
        self.select(&rows_by_class(self.labels()).concat())
    }

    fn num_unmatched(&self) -> usize {
        self.class_counts().into_iter().filter(|count| *count == 1).count()
    }
}

impl TrainingData for RegressionData {
    const TASK: Option<Task> = Some(Task::Numbers);

    fn scale(&mut self, scaling: &Scaling) -> Result<()> {
        scaling.apply_in_place(&mut self.features)
    }

    fn as_any_data(&self) -> AnyData<'_> {
        AnyData::Numbers(self)
    }

    fn check(&self) -> Result<()> {
        let n = self.rows();
        if n < 3 {
            return Err(Error::data(format!(
                "there {} to learn from; at least 3 are needed, so that a row has two others to choose from",
                rows(n)
            )));
        }
        let targets = self.targets();
        match targets.constant_columns().first() {
            None => Ok(()),
            Some(&column) => Err(Error::data(format!(
                "the target {:?} is {} in all {n} rows; there is nothing to learn, so give another target",
                targets.names()[column],
                targets.value(0, column)
            ))),
        }
    }

    fn training_targets(&self) -> TrainingTargets {
        TrainingTargets::Numbers {
            targets: self.targets().clone(),
            weights: self.weights().map(<[f64]>::to_vec),
            groups: self.groups().map(<[usize]>::to_vec),
        }
    }

    fn split(&self, share: f64, seed: u64) -> Result<Split> {
        match self.groups() {
            None => random_split(self.rows(), share, seed),
            Some(groups) => grouped_split(&vec![0; self.rows()], groups, share, seed),
        }
    }

    fn folds(&self, folds: usize, seed: u64) -> Result<Vec<Split>> {
        match self.groups() {
            None => random_folds(self.rows(), folds, seed),
            Some(groups) => grouped_folds(&vec![0; self.rows()], groups, folds, seed),
        }
    }

    fn part(&self, units: &[usize]) -> Result<Self> {
        Ok(self.select(units))
    }

    fn counting(&self) -> Option<Vec<usize>> {
        positive(self.weights()?)
    }
}

impl TrainingData for Coincidences {
    const TASK: Option<Task> = Some(Task::Pairs);

    fn scale(&mut self, scaling: &Scaling) -> Result<()> {
        scaling.apply_in_place(&mut self.features)
    }

    fn as_any_data(&self) -> AnyData<'_> {
        AnyData::Pairs(self)
    }

    /// Pairs of these rows, one of positive weight: [`Coincidences::new`] sees to it.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn units(&self) -> usize {
        self.pairs().len()
    }

    fn part(&self, units: &[usize]) -> Result<Self> {
        let all: Vec<(usize, usize, f64)> = self.pairs().iter().collect();
        let chosen = units.iter().map(|&unit| all[unit]).collect();
        Self::new(self.features().clone(), Pairs::new(self.pairs().points(), chosen)?)
    }

    fn hold_out(&self, share: f64, seed: u64) -> Result<(Self, Self)> {
        let split = self.split(share, seed)?;
        let parts = self.part(&split.train).and_then(|train| Ok((train, self.part(&split.test)?)));
        parts.map_err(|_| {
            Error::setting(format!(
                "early stopping on a share of {share} of {} pairs leaves a part without a pair of positive \
                 weight; give another share or switch early stopping off",
                self.units()
            ))
        })
    }
}

impl TrainingData for Features {
    const TASK: Option<Task> = None;

    fn scale(&mut self, scaling: &Scaling) -> Result<()> {
        scaling.apply_in_place(self)
    }

    fn as_any_data(&self) -> AnyData<'_> {
        AnyData::Unlabeled(self)
    }

    fn of(data: AnyData<'_>) -> Option<&Self> {
        Some(data.features())
    }

    fn check(&self) -> Result<()> {
        check_two(self.rows())
    }

    fn part(&self, units: &[usize]) -> Result<Self> {
        Ok(self.select(units))
    }
}

/// The places of positive weights, where there are others.
fn positive(weights: &[f64]) -> Option<Vec<usize>> {
    let places = (0..weights.len()).filter(|&row| weights[row] > 0.0);
    weights.contains(&0.0).then(|| places.collect())
}

fn check_two(n: usize) -> Result<()> {
    if n >= 2 {
        return Ok(());
    }
    Err(Error::data(format!("there {} to learn from; at least 2 are needed", rows(n))))
}

fn rows(n: usize) -> String {
    if n == 1 { "is 1 row".to_string() } else { format!("are {n} rows") }
}
