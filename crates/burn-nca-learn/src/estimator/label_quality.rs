//! Training rows whose label the other rows contradict.

use super::{Decision, Fitted};
use crate::encoder::Encoder;
use crate::error::Result;
use crate::neighbors::{ClassReferences, Numbers, fewest_others, held_out};

/// What makes the median of absolute residuals the standard deviation of normal ones.
const NORMAL: f64 = 1.4826;

/// How well the class of a training row agrees with the other rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelQuality {
    /// The training row, from 0.
    pub row: usize,
    /// Its class.
    pub class: usize,
    /// The probability of its own class by the other rows, as the model decides: p_i, or the share of the votes.
    pub p: f64,
    /// log p_i of the soft rule, in nats.
    pub log_p: f64,
    /// The most probable of the other classes.
    pub suggested: usize,
    /// The probability of that.
    pub suggested_p: f64,
}

/// How well the numbers of a training row agree with the other rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetQuality {
    /// The training row, from 0.
    pub row: usize,
    /// The target column, from 0; that of the largest residual.
    pub column: usize,
    /// Its number.
    pub target: f64,
    /// The number that the other rows predict.
    pub predicted: f64,
    /// `(target - predicted) / s`, with the spread s of the residuals of the column.
    pub residual: f64,
}

impl<E: Encoder> Fitted<E> {
    /// The training rows by how well their class agrees with the other rows, the least first: where its probability is near
    /// 0, the label looks wrong.
    ///
    /// ```text
    /// soft   p_i = Σ_{j≠i: y_j = y_i} p_ij      in the order of log p_i
    /// k-NN   the share of y_i in the votes of the k nearest others; of equal shares, that of the smaller log p_i first
    /// ```
    /// By the [`decision`](Self::decision) of the model. The row itself is left out, and where the rows were given groups all
    /// of its group; an exact copy counts as any other row. A row without another of its class (in another group) is not
    /// listed: nothing can contradict it.
    ///
    /// The metric was learned with the labels as they are. Of modern NCA, whose networks could obey single labels, each row is
    /// judged by the member that did not learn from it ([`MemberRule::held_out`](crate::neighbors::MemberRule)). The means of
    /// [`Rule::Coincidence`](crate::neighbors::Rule) leave no row out.
    ///
    /// # Errors
    /// A model without classes.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "flex")] {
    /// use burn::tensor::Device;
    /// use burn_nca_learn::{NcaConfig, data::{Features, Labeled}};
    ///
    /// let values = (0..12).map(|row| f64::from(row % 2) * 9.0 + f64::from(row) / 50.0).collect();
    /// let mut labels: Vec<usize> = (0..12).map(|row| row % 2).collect();
    /// labels[4] = 1;
    /// let data = Labeled::from_labels(Features::unnamed(values, 1)?, labels)?;
    /// let fitted = NcaConfig::new(1, 1).fit(&data, &Device::flex())?;
    /// let worst = fitted.label_quality()?[0];
    /// assert_eq!((worst.row, worst.class, worst.suggested), (4, 1, 0));
    /// # }
    /// # Ok::<(), burn_nca_learn::Error>(())
    /// ```
    pub fn label_quality(&self) -> Result<Vec<LabelQuality>> {
        self.label_quality_of(&self.all_rows())
    }

    /// As [`label_quality`](Self::label_quality), of some of the training rows, each by all others.
    ///
    /// # Errors
    /// A model without classes.
    ///
    /// # Panics
    /// If a row is not one of the training rows.
    pub fn label_quality_of(&self, rows: &[usize]) -> Result<Vec<LabelQuality>> {
        let references = self.class_references()?;
        let ClassReferences { labels, classes, .. } = references;
        if classes < 2 {
            return Ok(Vec::new());
        }
        let others = self.others_of_class(labels, classes);
        let rows: Vec<usize> = rows.iter().copied().filter(|&row| others[row] > 0).collect();
        // No more votes than each row has others.
        let k = match self.decision() {
            Decision::Nearest { neighbors } => {
                let most = fewest_others(labels.len(), self.reference_groups());
                Some(neighbors.min(most).max(1))
            }
            Decision::Soft => None,
        };
        // The logarithms of the probabilities of all classes, and where there is a vote its shares.
        let width = if k.is_some() { 2 * classes } else { classes };
        let (rule, embedding) = (&self.rule, &self.references);
        let found = held_out(rule, embedding, &rows, width, |rule, [queries, embedding], own| {
            let references = ClassReferences { embedding, ..references };
            let soft = rule.probabilities(queries, references, Some(own))?;
            let logs = (0..soft.rows()).map(|row| soft.log_probabilities(row));
            let Some(k) = k else { return Ok(logs.flatten().copied().collect()) };
            let shares = rule.shares(queries, references, k, Some(own))?;
            let pairs = logs.zip(shares.chunks_exact(classes));
            Ok(pairs.flat_map(|(logs, shares)| [logs, shares].concat()).collect())
        })?;
        let quality = |(&row, found): (&usize, &[f64])| {
            let (class, (logs, shares)) = (labels[row], found.split_at(classes));
            let p = |class: usize| shares.get(class).copied().unwrap_or_else(|| logs[class].exp());
            let order = |a: &usize, b: &usize| {
                p(*a).total_cmp(&p(*b)).then(logs[*a].total_cmp(&logs[*b])).then(b.cmp(a))
            };
            let suggested = (0..classes).filter(|other| *other != class).max_by(order);
            let suggested = suggested.unwrap_or(class);
            let (log_p, suggested_p) = (logs[class], p(suggested));
            LabelQuality { row, class, p: p(class), log_p, suggested, suggested_p }
        };
        let mut found: Vec<LabelQuality> =
            rows.iter().zip(found.chunks_exact(width)).map(quality).collect();
        // Of the soft rule, logarithms are in order where probabilities underflow.
        let share = |one: &LabelQuality| if k.is_some() { one.p } else { 0.0 };
        found.sort_by(|a, b| {
            let by_share = share(a).total_cmp(&share(b));
            by_share.then(a.log_p.total_cmp(&b.log_p)).then(a.row.cmp(&b.row))
        });
        Ok(found)
    }

    /// The training rows by how far their numbers are from what the other rows predict, the farthest first.
    ///
    /// ```text
    /// r_i = (t_i - Σ_{j≠i} p_ij t_j) / s,   s = 1.4826 median_i |t_i - Σ_j p_ij t_j|
    /// ```
    /// Rows that are left out, and members, as in [`label_quality`](Self::label_quality). Where more than half of the residuals
    /// are 0, s is their root mean square. Of several targets, that of the largest |r_i| counts.
    ///
    /// # Errors
    /// A model without numbers, or one training row.
    pub fn target_quality(&self) -> Result<Vec<TargetQuality>> {
        let rows = &self.all_rows();
        let numbers = self.numbers()?;
        let Numbers { values, columns, .. } = numbers;
        let predicted = held_out(
            &self.rule,
            &self.references,
            rows,
            columns,
            |rule, [queries, embedding], own| {
                rule.kernel_means(queries, embedding, numbers, Some(own))
            },
        )?;
        let residual = |at: usize, column: usize| {
            values[rows[at] * columns + column] - predicted[at * columns + column]
        };
        let spread = |column| spread((0..rows.len()).map(|at| residual(at, column)).collect());
        let spreads: Vec<f64> = (0..columns).map(spread).collect();
        let quality = |at: usize| {
            let scaled = |column: usize| residual(at, column) / spreads[column];
            let larger = |best: usize, column: usize| {
                if scaled(column).abs() > scaled(best).abs() { column } else { best }
            };
            let column = (0..columns).fold(0, larger);
            let target = values[rows[at] * columns + column];
            let predicted = predicted[at * columns + column];
            TargetQuality { row: rows[at], column, target, predicted, residual: scaled(column) }
        };
        let mut found: Vec<TargetQuality> = (0..rows.len()).map(quality).collect();
        found.sort_by(|a, b| b.residual.abs().total_cmp(&a.residual.abs()).then(a.row.cmp(&b.row)));
        Ok(found)
    }

    fn all_rows(&self) -> Vec<usize> {
        (0..self.references.dims()[0]).collect()
    }

    /// How many rows of its class each training row may find: others, of other groups where there are groups.
    fn others_of_class(&self, labels: &[usize], classes: usize) -> Vec<usize> {
        let mut all = vec![0; classes];
        labels.iter().for_each(|&class| all[class] += 1);
        let key =
            |row: usize| (self.reference_groups().map_or(row, |groups| groups[row]), labels[row]);
        let mut own = std::collections::HashMap::new();
        (0..labels.len()).for_each(|row| *own.entry(key(row)).or_insert(0) += 1);
        (0..labels.len()).map(|row| all[labels[row]] - own[&key(row)]).collect()
    }
}

/// The spread of residuals; 1 where all are 0.
fn spread(mut residuals: Vec<f64>) -> f64 {
    residuals.iter_mut().for_each(|residual| *residual = residual.abs());
    residuals.sort_by(f64::total_cmp);
    let median = residuals.get(residuals.len() / 2).copied().unwrap_or(0.0);
    let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
    let root = (squares / residuals.len().max(1) as f64).sqrt();
    let spread = if median > 0.0 { NORMAL * median } else { root };
    if spread > 0.0 { spread } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use burn_nca_data::bundled::digits;

    use super::*;
    use crate::Estimator;
    use crate::data::{Features, Labeled, RegressionData};
    use crate::method::{AnyMethod, Euclidean, Mlkr, Modern};

    #[test]
    fn a_number_that_the_others_contradict_is_first_in_units_of_the_spread() {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let noise = |row: usize| if row.is_multiple_of(2) { 0.1 } else { -0.1 };
        let mut targets: Vec<f64> = (0..40).map(|row| x[row] / 4.0 + noise(row)).collect();
        targets[17] += 30.0;
        let data = RegressionData::new(Features::unnamed(x, 1).unwrap(), "t", targets.clone());
        let estimator = Estimator::new(1, 1, Mlkr::new());
        let model = estimator.fit(&data.unwrap(), &Device::flex()).unwrap();
        let list = model.target_quality().unwrap();
        assert_eq!((list.len(), list[0].row, list[0].target), (40, 17, targets[17]));
        assert!(list[0].residual > 10.0, "{:?}", list[0]);
        assert!(list.windows(2).all(|two| two[0].residual.abs() >= two[1].residual.abs()));
        let predicted = model.leave_one_out_kernel().unwrap();
        let mut apart: Vec<f64> = (0..40).map(|at| (targets[at] - predicted[at]).abs()).collect();
        apart.sort_by(f64::total_cmp);
        let expected = (targets[17] - predicted[17]) / (1.4826 * apart[20]);
        assert!((list[0].residual - expected).abs() < 1e-6 * expected);
        assert!(model.label_quality().unwrap_err().to_string().contains("numbers"));
        assert_eq!([spread(vec![0.0, 0.0, 0.0, 2.0]), spread(vec![0.0; 3])], [1.0, 1.0]);
    }

    /// Euclidean distance of numbers, by the soft rule.
    fn euclidean(x: &[f64], labels: &[usize], groups: Option<Vec<usize>>) -> Fitted {
        let features = Features::unnamed(x.to_vec(), 1).unwrap();
        let mut data = Labeled::from_labels(features, labels.to_vec()).unwrap();
        if let Some(groups) = groups {
            data = data.with_groups(groups).unwrap();
        }
        let model = Estimator::new(1, 1, Euclidean::new()).fit(&data, &Device::flex()).unwrap();
        model.with_decision(Decision::Soft).unwrap()
    }

    #[test]
    fn a_label_is_judged_by_the_others_and_not_by_its_group() {
        let (x, labels) = ([0.0, 0.1, 0.2, 5.0, 5.1, 5.2, 0.05], [0, 0, 0, 1, 1, 1, 1]);
        let model = euclidean(&x, &labels, None);
        let worst = model.label_quality().unwrap()[0];
        assert_eq!((worst.row, worst.class, worst.suggested), (6, 1, 0));
        let p = model.rule.log_own_probabilities(model.class_references().unwrap(), &[6]);
        let p = p.unwrap()[0];
        assert!((worst.log_p - p).abs() < 1e-12 && (worst.p - p.exp()).abs() < 1e-12);
        assert!((worst.suggested_p - (1.0 - worst.p)).abs() < 1e-6);
        let votes = model.with_decision(Decision::Nearest { neighbors: 3 }).unwrap();
        let by_votes = votes.label_quality().unwrap()[0];
        assert_eq!((by_votes.row, by_votes.p, by_votes.suggested_p), (6, 0.0, 1.0));
        // A copy counts as any other row, unless it is of the same group.
        let p_with_copy = |groups| {
            let (x, labels) = ([&x[..], &[0.05]].concat(), [&labels[..], &[1]].concat());
            let list = euclidean(&x, &labels, groups).label_quality().unwrap();
            list.iter().find(|one| one.row == 6).unwrap().p
        };
        let copied = p_with_copy(None);
        assert!(copied > 2.0 * worst.p);
        assert!(p_with_copy(Some(vec![0, 1, 2, 3, 4, 5, 6, 6])) < copied / 2.0);
        // Nothing can contradict the only row of a class, nor can a group judge itself.
        let list = euclidean(&x, &[0, 0, 0, 1, 1, 1, 2], None).label_quality().unwrap();
        assert!(list.len() == 6 && list.iter().all(|one| one.row != 6));
        assert!(euclidean(&x, &labels, Some(vec![4; 7])).label_quality().unwrap().is_empty());
    }

    #[test]
    fn flipped_labels_of_digits_come_first_by_a_map_and_by_members() {
        let data = digits().select(&(0..300).map(|row| 5 * row).collect::<Vec<_>>());
        let flip = |(row, &label): (usize, &usize)| match row % 20 {
            0 => (label + 1 + row / 20 % 9) % 10,
            _ => label,
        };
        let labels = data.labels().iter().enumerate().map(flip).collect();
        let data = Labeled::from_labels(data.features().clone(), labels).unwrap();
        let modern = Modern::new().with_members(2).with_epochs(8).with_width(16);
        let modern = modern.with_embedding(0).with_batch_size(64).with_learning_rate(0.01);
        let modern = modern.with_candidates(1.0).into();
        for (k, method) in [(16, modern), (64, AnyMethod::from(Euclidean::new()))] {
            let model = Estimator::new(64, k, method).fit(&data, &Device::flex()).unwrap();
            let list = model.label_quality().unwrap();
            let found = list[..30].iter().filter(|one| one.row.is_multiple_of(20)).count();
            assert!(found >= 12, "{found} of 15 by {k} dimensions");
        }
    }
}
