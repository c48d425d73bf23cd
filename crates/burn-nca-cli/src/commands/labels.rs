//! The training rows of a model whose labels look wrong, first: `nca info --labels`.

use std::path::Path;

use anyhow::{Result, bail};
use burn_nca_data::{csv_field, csv_number};
use burn_nca_learn::Fitted;
use burn_nca_learn::estimator::{LabelQuality, TargetQuality, TrainingTargets};

use super::training_rows::{TrainingRows, have_ids, name_of};
use crate::failure::{hinted, in_one_line};
use crate::hint::CommandKind;
use crate::output::{self, TableFormat};

/// Writes all training rows, those first whose label looks wrong; `training` are these rows, or why they are not there.
///
/// # Errors
/// A model of pairs, or a file that cannot be written.
pub fn write(
    model: &Fitted,
    (training, is_moved): (Result<TrainingRows>, bool),
    path: &Path,
) -> Result<()> {
    TableFormat::of_option("--labels", Some(path), &[TableFormat::Csv])?;
    let names = match training {
        Ok(training) => training.names,
        Err(error) if is_moved => return Err(error),
        Err(error) => {
            output::warn(&format!(
                "rows are numbered by the training rows alone: {}",
                in_one_line(&error, CommandKind::Use)
            ));
            Vec::new()
        }
    };
    let has_ids = have_ids(&names);
    let name = |row: usize| {
        let (number, id) = name_of(&names, row);
        let id = has_ids.then(|| csv_field(&id.unwrap_or_default()));
        [Some(number.to_string()), id].into_iter().flatten().collect::<Vec<_>>()
    };
    let head = if has_ids { "row,id" } else { "row" };
    let mut text = String::new();
    let mut line = |cells: Vec<String>| text.push_str(&(cells.join(",") + "\n"));
    match model.training_targets() {
        TrainingTargets::Classes { names: classes, .. } => {
            line(vec![format!("{head},class,p,log_p,suggested,suggested_p")]);
            for LabelQuality { row, class, p, log_p, suggested, suggested_p } in
                model.label_quality()?
            {
                let [class, suggested] = [class, suggested].map(|class| csv_field(&classes[class]));
                let [p, log_p, suggested_p] = [p, log_p, suggested_p].map(csv_number);
                line([name(row), vec![class, p, log_p, suggested, suggested_p]].concat());
            }
        }
        TrainingTargets::Numbers { targets, .. } => {
            line(vec![format!("{head},target,value,predicted,residual")]);
            for TargetQuality { row, column, target, predicted, residual } in
                model.target_quality()?
            {
                let numbers = [target, predicted, residual].map(csv_number);
                let column = vec![csv_field(&targets.names()[column])];
                line([name(row), column, numbers.to_vec()].concat());
            }
        }
        TrainingTargets::Unlabeled => bail!(hinted(
            "this model was learned from pairs, and its training rows have no label",
            "leave --labels out"
        )),
    }
    output::write_file(path, text.as_bytes())
}
