use std::path::Path;

use anyhow::Result;
use burn_nca::Fitted;
use burn_nca::data::Labelled;
use burn_nca::evaluate::{Accuracy, ConfusionMatrix, Quantiles, expected_accuracy, perplexities};
use burn_nca::neighbors::{majority_vote, nearest};
use burn_nca_datasets::{by_name, open};
use serde::Serialize;

use super::{csv_options, load_model, neighbors_or_default};
use crate::cli::{EvaluateArgs, Format};
use crate::output;
use crate::plain_table::plain_table;

/// What a model is worth on labelled rows; accuracies are in 0..1.
#[derive(Debug, Serialize)]
struct Evaluation {
    /// Number of rows.
    rows: usize,
    /// The k of k-NN.
    neighbors: usize,
    /// The accuracies.
    accuracy: Rules<f64>,
    /// Their 95 % intervals (Wilson), lower and upper end.
    interval: Rules<[f64; 2]>,
    /// The mean probability of the true class by the stochastic rule.
    expected_accuracy: Option<f64>,
    /// The mean perplexity of the rows among themselves.
    mean_perplexity: Option<f64>,
    /// The class names, in the order of the confusion matrix.
    classes: Vec<String>,
    /// `confusion[t][p]`: rows of class t that 1-NN takes for class p.
    confusion: Vec<Vec<usize>>,
}

/// A number for each rule of classification.
#[derive(Debug, Serialize)]
struct Rules<T> {
    nn: Option<T>,
    knn: Option<T>,
    soft: Option<T>,
}

/// Measures a model on labelled rows.
///
/// # Errors
/// No model, data whose columns or classes are not the model's, or k above the training rows.
pub fn run(args: &EvaluateArgs) -> Result<()> {
    let model = load_model(&args.model)?;
    let data = labelled(args, &model)?;
    let k = neighbors_or_default(args.neighbors, model.reference_labels().len());
    let evaluation = evaluate(&model, &data, k)?;
    match args.format {
        Format::Table => output::print(&text(&evaluation)),
        Format::Json => output::print_json(&evaluation),
    }
}

/// The rows with the model's columns and classes.
///
/// From a CSV file, the columns are picked by their names; others may stand beside them.
fn labelled(args: &EvaluateArgs, model: &Fitted) -> Result<Labelled> {
    let source = &args.source.data;
    let columns = model.scaling().names();
    let mut options = csv_options(&args.source);
    if by_name(source).is_none() && Path::new(source).exists() {
        options.features = Some(columns.to_vec());
        options.ignore.clear();
    }
    let table = open(source, &options)?;
    model.scaling().check_columns(table.features.names())?;
    Ok(table.into_labelled_as(model.class_names())?)
}

fn evaluate(model: &Fitted, data: &Labelled, k: usize) -> Result<Evaluation> {
    let (labels, classes) = (model.reference_labels(), model.class_names().len());
    let embedding = model.transform(data.features())?;
    let neighbors = nearest(&embedding, model.references(), k, None)?;
    let predicted = majority_vote(&neighbors, labels, classes, 1)?;
    let nn = Accuracy::of(&predicted, data.labels())?;
    let knn = Accuracy::of(&majority_vote(&neighbors, labels, classes, k)?, data.labels())?;
    let probabilities = model.class_probabilities(data.features())?;
    let soft = Accuracy::of(&probabilities.most_probable(), data.labels())?;
    let confusion = ConfusionMatrix::of(&predicted, data.labels(), classes)?;
    let ends =
        |accuracy: Accuracy| accuracy.interval().map(|interval| [interval.low, interval.high]);
    Ok(Evaluation {
        rows: data.rows(),
        neighbors: k,
        accuracy: Rules { nn: nn.value(), knn: knn.value(), soft: soft.value() },
        interval: Rules { nn: ends(nn), knn: ends(knn), soft: ends(soft) },
        expected_accuracy: expected_accuracy(&probabilities, data.labels())?,
        mean_perplexity: Quantiles::of(&perplexities(&embedding)?).map(|all| all.mean),
        classes: model.class_names().to_vec(),
        confusion: (0..classes).map(|class| confusion.row(class).to_vec()).collect(),
    })
}

fn text(evaluation: &Evaluation) -> String {
    let Evaluation { accuracy, interval, .. } = evaluation;
    let row = |rule: String, share: Option<f64>, ends: Option<[f64; 2]>| {
        let ends = ends.map(|[low, high]| format!("{} to {}", percent(low), percent(high)));
        vec![rule, share.map_or_else(String::new, percent), ends.unwrap_or_default()]
    };
    let rules = plain_table(
        ["rule", "accuracy", "95 % interval"].map(String::from).to_vec(),
        vec![
            row("1-NN".to_string(), accuracy.nn, interval.nn),
            row(format!("{}-NN", evaluation.neighbors), accuracy.knn, interval.knn),
            row("soft".to_string(), accuracy.soft, interval.soft),
        ],
    );
    let number =
        |value: Option<f64>, write: fn(f64) -> String| value.map_or("-".to_string(), write);
    format!(
        "{} rows\n\n{rules}\nmean probability of the true class  {}\nmean perplexity                     {}\n\n\
         1-NN predictions (true classes down, predicted ones across)\n{}",
        evaluation.rows,
        number(evaluation.expected_accuracy, percent),
        number(evaluation.mean_perplexity, |value| format!("{value:.1}")),
        confusion_table(evaluation)
    )
}

fn confusion_table(evaluation: &Evaluation) -> String {
    let head = std::iter::once(String::new()).chain(evaluation.classes.iter().cloned());
    let rows = evaluation.classes.iter().zip(&evaluation.confusion).map(|(name, counts)| {
        std::iter::once(name.clone()).chain(counts.iter().map(usize::to_string)).collect()
    });
    plain_table(head.collect(), rows.collect())
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_tells_every_rule_and_the_mistakes() {
        let evaluation = Evaluation {
            rows: 4,
            neighbors: 3,
            accuracy: Rules { nn: Some(0.75), knn: Some(0.5), soft: Some(1.0) },
            interval: Rules { nn: Some([0.301, 0.954]), knn: None, soft: None },
            expected_accuracy: Some(0.7),
            mean_perplexity: Some(2.25),
            classes: vec!["a".into(), "b".into()],
            confusion: vec![vec![2, 1], vec![0, 1]],
        };
        let text = text(&evaluation);
        for part in ["4 rows", "75.0 %", "30.1 % to 95.4 %", "3-NN", "100.0 %", "70.0 %", "2.2"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}
