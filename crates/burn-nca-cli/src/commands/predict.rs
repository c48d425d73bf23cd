//! `nca predict`: the classes, or the numbers, of new rows.

use anyhow::{Result, bail};
use burn_nca::Fitted;
use burn_nca::data::Features;
use burn_nca::estimator::Known;
use burn_nca_datasets::open_features;

use super::neighbor_count::{of_classes, of_numbers};
use super::{finite, load_model, model_folder};
use crate::cli::{NeighborCount, PredictArgs, Rule};
use crate::failure::usage;
use crate::output::{self, TableFormat};
use crate::source::Source;

/// The column of the predictions where the fit knew no name of the target.
const CLASS: &str = "class";

/// One class per row, and one share per class and row, where they are asked for.
struct Prediction {
    classes: Vec<usize>,
    shares: Vec<f64>,
}

/// Classifies the rows of a table, or predicts their target.
///
/// # Errors
/// No model, one of pairs, data that do not fit it, k above the training rows, or a file that cannot be written.
pub fn run(args: &PredictArgs) -> Result<()> {
    if args.rule == Some(Rule::Soft) && args.neighbors.is_some() {
        return Err(usage("--neighbors is for --rule knn; the rule soft weighs all training rows"));
    }
    // Before the work begins: a spreadsheet's name must not hold CSV.
    TableFormat::of(args.out.as_deref(), &[TableFormat::Csv])?;
    let model = load_model(&args.model)?;
    let text = match model.known() {
        Known::Classes { names, .. } => {
            let features = open_features(&args.data, model.scaling().names())?;
            finite::check(&model, &features, &args.data)?;
            let prediction = match args.rule.unwrap_or(Rule::Knn) {
                Rule::Knn => by_votes(&model, &features, args.neighbors, args.probabilities)?,
                Rule::Soft => by_probability(&model, &features)?,
            };
            let source = Source::of_model(&model_folder(&args.model.model))?;
            let target = source.and_then(|source| source.target);
            csv(&prediction, target.as_deref().unwrap_or(CLASS), names, args.probabilities)
        }
        Known::Numbers(targets) => numbers(args, &model, targets)?,
        Known::Unlabelled => bail!(
            "this model was learnt from pairs and has nothing to predict; embed rows with nca transform"
        ),
    };
    match &args.out {
        Some(path) => output::write_file(path, text.as_bytes()),
        None => output::print_csv(&text),
    }
}

/// One column a target, a number a row.
fn numbers(args: &PredictArgs, model: &Fitted, targets: &Features) -> Result<String> {
    if args.probabilities {
        return Err(usage(
            "--probabilities are of classes, and this model predicts numbers; leave it out",
        ));
    }
    // A k asks for the nearest; without one the rule that the metric was learnt for decides.
    let rule = args.rule.unwrap_or(if args.neighbors.is_some() { Rule::Knn } else { Rule::Soft });
    let features = open_features(&args.data, model.scaling().names())?;
    finite::check(model, &features, &args.data)?;
    let predicted = match rule {
        Rule::Knn => {
            model.predict_numbers(&features, of_numbers(args.neighbors, targets.rows())?)?
        }
        Rule::Soft => model.predict_kernel(&features)?,
    };
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let head = line(targets.names().iter().map(|name| output::csv_field(name)).collect());
    let rows = predicted.chunks_exact(targets.columns());
    let rows = rows.map(|row| line(row.iter().copied().map(output::csv_number).collect()));
    Ok(head + &rows.collect::<String>())
}

fn by_votes(
    model: &Fitted,
    features: &Features,
    k: Option<NeighborCount>,
    with_shares: bool,
) -> Result<Prediction> {
    let k = of_classes(k, model)?;
    let shares = if with_shares { model.vote_shares(features, k)? } else { Vec::new() };
    Ok(Prediction { classes: model.predict(features, k)?, shares })
}

fn by_probability(model: &Fitted, features: &Features) -> Result<Prediction> {
    let probabilities = model.class_probabilities(features)?;
    let (rows, classes) = (probabilities.rows(), probabilities.classes());
    let cells = (0..rows).flat_map(|row| (0..classes).map(move |class| (row, class)));
    Ok(Prediction {
        classes: probabilities.most_probable(),
        shares: cells.map(|(row, class)| probabilities.probability(row, class)).collect(),
    })
}

/// The target alone, or with one column `p_NAME` per class.
fn csv(prediction: &Prediction, target: &str, class_names: &[String], with_shares: bool) -> String {
    let names: Vec<String> = class_names.iter().map(|name| output::csv_field(name)).collect();
    let mut text = output::csv_field(target);
    if with_shares {
        for name in class_names {
            text.push(',');
            text.push_str(&output::csv_field(&format!("p_{name}")));
        }
    }
    text.push('\n');
    let mut shares = prediction.shares.chunks_exact(class_names.len());
    for &class in &prediction.classes {
        text.push_str(&names[class]);
        if with_shares {
            for &share in shares.next().unwrap_or_default() {
                text.push(',');
                text.push_str(&output::csv_number(share));
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_quoted_where_they_must_be() {
        let prediction = Prediction { classes: vec![1, 0], shares: vec![0.25, 0.75, 1.0, 2e-20] };
        let names = ["a".to_string(), "b, c".to_string()];
        assert_eq!(csv(&prediction, "class", &names, false), "class\n\"b, c\"\na\n");
        assert_eq!(
            csv(&prediction, "a, b", &names, true),
            "\"a, b\",p_a,\"p_b, c\"\n\"b, c\",0.25,0.75\na,1,2e-20\n"
        );
    }
}
