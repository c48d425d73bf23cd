//! Every measure of a model of classes on rows with a class.

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Labeled, TensorFeatures};
use burn_nca_learn::estimator::Decision;
use burn_nca_learn::evaluate::{
    Accuracy, ClassScores, Embedded, LogLoss, McNemar, McNemarForm, Quantiles, Reliability, Spread,
    brier_score, expected_accuracy, held_out_retrieval, perplexities_by, roc_auc,
};
use burn_nca_learn::neighbors::{ClassProbabilities, NearestConfig};
use serde::{Serialize, Serializer};

use super::repeats::Seen;
use super::space::resolve_device;
use super::warnings::about_spread;
use crate::{ClassTable, Confusion, OWN_RULE, Part, Warning, falls_short};

const BINS: usize = 10;

/// The scores of a model on labeled rows; accuracies and shares are in 0..1.
#[derive(Debug, Serialize)]
pub struct NewRowScores {
    /// Number of rows.
    pub rows: usize,
    /// Number of training rows, among which neighbors are found.
    pub training_rows: usize,
    /// The k of k-NN and of precision@k.
    pub neighbors: usize,
    /// How the model predicts.
    pub decision: Decision,
    /// Whether classes are those of the method's own rule, whatever the k: the accuracies are one.
    pub own_rule: bool,
    /// The accuracies.
    pub accuracy: Rules<f64>,
    /// Their 95 % intervals (Wilson), lower and upper end.
    pub interval: Rules<[f64; 2]>,
    /// The mean probability of the true class by the stochastic rule.
    pub expected_accuracy: Option<f64>,
    /// The probabilities of the stochastic rule.
    pub probabilities: Probabilities,
    /// How the training rows are ranked by distance.
    pub retrieval: Ranking,
    /// k-NN by Euclidean distance; null where the training rows are not at hand.
    pub euclidean: Option<Euclidean>,
    /// Why that comparison is missing.
    pub euclidean_missing: Option<String>,
    /// The mean perplexity of the rows among themselves.
    pub mean_perplexity: Option<f64>,
    /// What to know before trusting the numbers.
    pub warnings: Vec<Warning>,
    /// The class names, in the order of the confusion matrix.
    pub classes: Vec<String>,
    /// `confusion[t][p]`: rows of class t that 1-NN, or the own rule, takes for class p; null for more than
    /// [`Confusion::LARGEST`] classes.
    #[serde(serialize_with = "counts")]
    pub confusion: Confusion,
    /// `[t, p, rows]` for each t and p with rows, where `confusion` is null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confusion_cells: Option<Vec<[usize; 3]>>,
    /// Recall and precision of each class by 1-NN or the own rule, the share of the largest class and the balanced accuracy.
    pub class_scores: ClassTable,
    /// The class of each row by k-NN or the own rule.
    #[serde(skip)]
    pub predicted: Vec<usize>,
}

/// A number for each rule of classification.
#[derive(Debug, Serialize)]
pub struct Rules<T> {
    /// By the nearest row.
    pub nn: Option<T>,
    /// By the k nearest rows.
    pub knn: Option<T>,
    /// By the stochastic rule.
    pub soft: Option<T>,
}

/// The quality of the probabilities of the stochastic rule.
#[derive(Debug, Serialize)]
pub struct Probabilities {
    /// The mean of -log P(true class), in nats, over the rows whose class has training rows.
    pub log_loss: Option<f64>,
    /// Rows of a class without any training row, whose loss would be infinite.
    pub without_training_rows: usize,
    /// The Brier score, 0 to 2.
    pub brier_score: Option<f64>,
    /// The expected calibration error over the bins of `reliability`.
    pub calibration_error: Option<f64>,
    /// The area under the ROC curve of two classes, by the probability of the second; null for more classes.
    pub roc_auc: Option<f64>,
    /// The reliability table.
    pub reliability: Vec<Bin>,
}

/// A bin of the reliability table: rows whose confidence is above `low` and at most `high`.
#[derive(Debug, Serialize)]
pub struct Bin {
    /// The lower end, excluded.
    pub low: f64,
    /// The upper end, included.
    pub high: f64,
    /// How many rows.
    pub rows: usize,
    /// The mean of the largest probability of each row.
    pub mean_confidence: Option<f64>,
    /// The share of rows whose most probable class is right.
    pub accuracy: Option<f64>,
}

/// Precision@k, R-precision and MAP@R of the rows among the training rows.
#[derive(Debug, Serialize)]
pub struct Ranking {
    /// The share of the k nearest that are of the row's class.
    pub precision_at_k: Option<f64>,
    /// The same of as many as the class has training rows.
    pub r_precision: Option<f64>,
    /// The mean average precision at R.
    pub map_at_r: Option<f64>,
    /// Rows of a class without any training row, left out of the means.
    pub without_relevant: usize,
}

/// k-NN by Euclidean distance on the scaled features, compared with the learned metric on the same rows.
#[derive(Debug, Serialize)]
pub struct Euclidean {
    /// Its accuracy, 0..1.
    pub knn: Option<f64>,
    /// Rows that only the learned metric has right.
    #[serde(rename = "learnt_only")]
    pub learned_only: usize,
    /// Rows that only Euclidean distance has right.
    pub euclidean_only: usize,
    /// The two-sided p-value of McNemar's test.
    pub p_value: f64,
    /// How it was computed: `exact` or `chi-square`.
    pub test: &'static str,
}

impl NewRowScores {
    /// Every measure but the comparison with Euclidean distance.
    ///
    /// # Errors
    /// Columns that are not the model's, or k above the training rows.
    pub fn of(model: &Fitted, data: &Labeled, k: usize) -> Result<Self> {
        let (labels, classes) = (model.reference_labels(), model.class_names().len());
        let embedding = model.transform(data.features())?;
        let references = model.class_references()?;
        let probabilities = model.class_probabilities(data.features())?;
        let own_rule = !model.rule().has_votes();
        let [first, predicted] = if own_rule {
            [probabilities.most_probable(), probabilities.most_probable()]
        } else {
            let mut found = model.rule().classes(&embedding, references, &[1, k], None)?;
            let predicted = found.pop().unwrap_or_default();
            [found.pop().unwrap_or_default(), predicted]
        };
        let soft = probabilities.most_probable();
        let accuracy = |predicted: &[usize]| Accuracy::of(predicted, data.labels());
        let [nn, knn, soft] = [accuracy(&first)?, accuracy(&predicted)?, accuracy(&soft)?];
        let confusion = Confusion::of(Part::Test, &first, data.labels(), classes);
        let all: Vec<usize> = (0..data.rows()).collect();
        let among_themselves = perplexities_by(model.rule(), &embedding, &all, None)?;
        let train = Embedded::new(model.references(), labels);
        let test = Embedded::new(&embedding, data.labels());
        let ranking = held_out_retrieval(train, test, k)?;
        let scores = ClassScores::of(&first, data.labels(), classes)?;
        Ok(Self {
            rows: data.rows(),
            training_rows: labels.len(),
            neighbors: k,
            decision: model.decision(),
            own_rule,
            accuracy: Rules { nn: nn.value(), knn: knn.value(), soft: soft.value() },
            interval: Rules { nn: ends(nn), knn: ends(knn), soft: ends(soft) },
            expected_accuracy: expected_accuracy(&probabilities, data.labels())?,
            probabilities: Probabilities::of(&probabilities, data.labels())?,
            retrieval: Ranking {
                precision_at_k: ranking.precision_at_k,
                r_precision: ranking.r_precision,
                map_at_r: ranking.map_at_r,
                without_relevant: ranking.without_relevant,
            },
            euclidean: None,
            euclidean_missing: None,
            mean_perplexity: Quantiles::of(&among_themselves).map(|all| all.mean),
            warnings: Vec::new(),
            classes: model.class_names().to_vec(),
            class_scores: ClassTable::of(Part::Test, &scores),
            confusion_cells: confusion.cells.clone(),
            confusion,
            predicted,
        })
    }

    /// What the classes are by: `5-NN`, or the method's `own rule`.
    pub(super) fn rule_name(&self, k: usize) -> String {
        if self.own_rule { OWN_RULE.to_owned() } else { format!("{k}-NN") }
    }

    /// Compares with k-NN by Euclidean distance, given the training rows in the order of the model's
    /// references.
    ///
    /// # Errors
    /// k above the training rows.
    pub fn compare(&mut self, model: &Fitted, train: &Features, data: &Labeled) -> Result<()> {
        let (device, dtype) = resolve_device(&model.references().device());
        let queries = model.scaling().apply(data.features())?.to_tensor(&device, dtype);
        let references = model.scaling().apply(train)?.to_tensor(&device, dtype);
        let voters = model.class_references()?.voters()?;
        let (search, exclude) = (NearestConfig::new(self.neighbors), voters.exclude(None));
        let neighbors = search.search_excluding(&queries, &references, exclude)?;
        let predicted = voters.majority(&neighbors, self.neighbors)?;
        let test = McNemar::of(&self.predicted, &predicted, data.labels())?;
        self.euclidean = Some(Euclidean {
            knn: Accuracy::of(&predicted, data.labels())?.value(),
            learned_only: test.first_only(),
            euclidean_only: test.second_only(),
            p_value: test.p_value(),
            test: match test.form() {
                McNemarForm::Exact => "exact",
                McNemarForm::ChiSquare => "chi-square",
            },
        });
        Ok(())
    }

    /// Warns of rows that are among the training rows, `train` where these are at hand, and of rows that occur more
    /// than once.
    ///
    /// # Errors
    /// As [`Seen::of_embedding`].
    pub fn warn_of_copies(
        &mut self,
        learned: (&Fitted, Option<&Features>),
        data: &Labeled,
    ) -> Result<()> {
        let rows = (data.features(), [&self.predicted[..], data.labels()]);
        let rule = self.rule_name(self.neighbors);
        let score = |predicted: &[usize], truth: &[usize]| accuracy(&rule, predicted, truth);
        self.warnings.extend(Seen::warnings_of(learned, rows, score)?);
        Ok(())
    }

    /// Warns of an embedding that has collapsed, where it costs accuracy.
    ///
    /// # Errors
    /// An embedding that is not finite.
    pub fn warn_of_collapse(&mut self, model: &Fitted) -> Result<()> {
        let plain = self.euclidean.as_ref().and_then(|euclidean| euclidean.knn);
        let pair = self.accuracy.knn.zip(plain);
        let shortfall = pair.filter(|&(learned, plain)| falls_short(learned, plain, self.rows));
        let shortfall = shortfall.map(|(learned, plain)| {
            format!(
                "{} is right on {:.1} % of these rows, {}-NN by Euclidean distance on {:.1} %",
                self.rule_name(self.neighbors),
                100.0 * learned,
                self.neighbors,
                100.0 * plain
            )
        });
        self.warnings.extend(about_spread(Spread::of(model.references())?, shortfall));
        Ok(())
    }
}

/// The accuracy by a rule as text, where there are rows.
pub(super) fn accuracy(rule: &str, predicted: &[usize], truth: &[usize]) -> Option<String> {
    let share = Accuracy::of(predicted, truth).ok()?.value()?;
    Some(format!("{rule} accuracy {:.1} %", 100.0 * share))
}

fn counts<S: Serializer>(confusion: &Confusion, serializer: S) -> Result<S::Ok, S::Error> {
    confusion.counts.serialize(serializer)
}

fn ends(accuracy: Accuracy) -> Option<[f64; 2]> {
    accuracy.interval().map(|interval| [interval.low, interval.high])
}

impl Probabilities {
    fn of(probabilities: &ClassProbabilities, truth: &[usize]) -> Result<Self> {
        let loss = LogLoss::of(probabilities, truth)?;
        let reliability = Reliability::of(probabilities, truth, BINS)?;
        let roc_auc = match probabilities.classes() {
            2 => {
                let of_second = (0..truth.len()).map(|row| probabilities.probability(row, 1));
                let is_second: Vec<bool> = truth.iter().map(|&class| class == 1).collect();
                roc_auc(&of_second.collect::<Vec<_>>(), &is_second)?
            }
            _ => None,
        };
        let bins = reliability.bins().iter().map(|bin| Bin {
            low: bin.low,
            high: bin.high,
            rows: bin.rows,
            mean_confidence: bin.mean_confidence,
            accuracy: bin.accuracy(),
        });
        Ok(Self {
            log_loss: loss.of_possible(),
            without_training_rows: loss.impossible(),
            brier_score: brier_score(probabilities, truth)?,
            calibration_error: reliability.expected_calibration_error(),
            roc_auc,
            reliability: bins.collect(),
        })
    }
}
