//! New rows: cells that are typed or a CSV file, and where they fall in the picture while the map is learned.

use burn::tensor::Tensor;
use burn_nca_data::csv_field;
use burn_nca_data::{CsvOptions, RawOptions, TargetColumn, TextFormat, parse_csv, parse_raw};
use burn_nca_learn::data::{Features, TensorFeatures};
use burn_nca_learn::encoder::Encoder;
use burn_nca_learn::neighbors::class_probabilities;
use burn_nca_learn::{Error, Result};
use serde::Serialize;

use crate::given_rows::{NewRows, ScaledNewRows};
use crate::learning::Learning;

/// New rows that a picture still has room for.
const MOST: usize = 1000;

/// What the page says of new rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NewChoices {
    /// Which rows of the file they are, from 0.
    pub rows: Vec<usize>,
    /// The probability of each class, by row.
    pub classes: Vec<Vec<f64>>,
    /// What was done to the rows, a sentence each.
    pub remarks: Vec<String>,
}

impl Learning {
    /// The columns of a new row, in the order of its cells.
    pub fn cells(&self) -> Vec<String> {
        match &self.preparation {
            Some(preparation) => preparation.columns().map(String::from).collect(),
            None => self.data.features().names().to_vec(),
        }
    }

    /// Puts new rows in the place of those of before; they move with the map. Returns how many there are.
    ///
    /// # Errors
    /// Another number of cells than columns, a cell that is no number where one is wanted, a file that lacks a column
    /// or cannot be read, or more rows than a picture has room for; the rows of before then stay.
    pub fn add_rows(&mut self, given: NewRows) -> Result<usize> {
        let (features, rows, remarks) = match &self.preparation {
            Some(preparation) => {
                let (name, text, separator) = self.raw_text(&given);
                let options = RawOptions {
                    columns: Some(self.cells()),
                    text: preparation.text_columns().map(String::from).collect(),
                    format: TextFormat { separator, ..TextFormat::default() },
                    ..RawOptions::default()
                };
                let prepared = preparation.apply(&parse_raw(name, &text, &options)?)?;
                (prepared.features, prepared.rows, prepared.remarks)
            }
            None => {
                let features = self.numbers(&given)?;
                let rows = (0..features.rows()).collect();
                (features, rows, Vec::new())
            }
        };
        let count = features.rows();
        if count > MOST {
            return Err(Error::data(format!(
                "there are {count} new rows, and the picture has room for {MOST}; give fewer, or classify them all by \
                 nca predict"
            )));
        }
        let x = self.scaling.apply(&features)?.to_tensor(&self.x.device(), self.x.dtype());
        self.new_rows = Some(ScaledNewRows { given, x, rows, remarks });
        Ok(count)
    }

    /// Takes the new rows out.
    pub fn remove_rows(&mut self) -> Option<NewRows> {
        self.new_rows.take().map(|new_rows| new_rows.given)
    }

    /// The embedding of the new rows, `[m, k]`; `None` without any.
    pub fn new_embedding(&self) -> Option<Tensor<2>> {
        let new_rows = self.new_rows.as_ref()?;
        Some(self.fitted().encoder.forward(new_rows.x.clone()))
    }

    /// The class probabilities of the new rows under the map as it is.
    ///
    /// # Errors
    /// An embedding that is not finite.
    pub fn new_choices(&self) -> Result<NewChoices> {
        let (Some(new_rows), Some(z)) = (&self.new_rows, self.new_embedding()) else {
            return Ok(NewChoices::default());
        };
        let classes = self.data.classes();
        let references = self.fitted().references();
        let p = class_probabilities(&z, references, self.train.labels(), classes, None)?;
        let of_row = |row| (0..classes).map(|class| p.probability(row, class)).collect();
        Ok(NewChoices {
            rows: new_rows.rows.clone(),
            classes: (0..new_rows.rows.len()).map(of_row).collect(),
            remarks: new_rows.remarks.clone(),
        })
    }

    /// The text of columns that are prepared: a file's own, or the cells below the names of their columns.
    fn raw_text<'a>(&self, given: &'a NewRows) -> (&'a str, Vec<u8>, Option<char>) {
        let cells = match given {
            NewRows::File { name, bytes } => return (name, bytes.clone(), None),
            NewRows::Cells(cells) => cells,
        };
        let (separator, cells) = split_cells(cells);
        let header: Vec<String> = self.cells().iter().map(|name| csv_field(name)).collect();
        let sign = separator.to_string();
        let text = format!("{}\n{}\n", header.join(&sign), cells.join(&sign));
        ("the new row", text.into_bytes(), Some(separator))
    }

    /// Rows whose cells are all numbers.
    fn numbers(&self, given: &NewRows) -> Result<Features> {
        let names = self.data.features().names();
        let cells = match given {
            NewRows::File { name, bytes } => {
                let options = CsvOptions {
                    target: TargetColumn::None,
                    features: Some(names.to_vec()),
                    ..CsvOptions::default()
                };
                return Ok(parse_csv(name, bytes, &options)?.features);
            }
            NewRows::Cells(cells) => split_cells(cells).1,
        };
        if cells.len() != names.len() {
            return Err(Error::data(format!(
                "the row has {} cells, and there are {} features; give one number for each of {}",
                cells.len(),
                names.len(),
                names.join(", ")
            )));
        }
        let mut values = Vec::with_capacity(cells.len());
        for (cell, name) in cells.iter().zip(names) {
            let value = cell.parse::<f64>().ok().filter(|value| value.is_finite());
            values.push(value.ok_or_else(|| {
                Error::data(format!("{cell:?} is no number for the feature {name:?}; give one"))
            })?);
        }
        Features::new(values, names.to_vec())
    }
}

/// The sign that parts the cells, and the cells.
fn split_cells(cells: &str) -> (char, Vec<&str>) {
    let separator = ['\t', ';', ','].into_iter().find(|sign| cells.contains(*sign)).unwrap_or(',');
    (separator, cells.split(separator).map(str::trim).collect())
}

#[cfg(test)]
mod tests {
    use burn_nca_learn::data::Missing;

    use super::*;
    use crate::settings::Settings;
    use crate::table::{Reading, open};

    const MIXED: Reading =
        Reading { target: None, ignore: Vec::new(), missing: Missing::Mean, categorical: true };

    fn learning() -> Learning {
        Learning::new(open("iris", None, &Reading::default()).unwrap(), Settings::default())
            .unwrap()
    }

    /// Of text, numbers and missing values, trained.
    fn mixed(reading: &Reading) -> Learning {
        let mut text = String::from("size,color,kind\n");
        for row in 0..40 {
            let (size, kind) = if row % 2 == 0 { (row % 7, "a") } else { (20 + row % 7, "b") };
            let size = if row == 4 { "NA".to_string() } else { size.to_string() };
            text += &format!("{size},{},{kind}\n", ["red", "blue", "green"][row % 3]);
        }
        let table = open("t.csv", Some(text.as_bytes()), reading).unwrap();
        let mut learning = Learning::new(table, Settings::default()).unwrap();
        while learning.advance(50.0).unwrap().ended.is_none() {}
        learning
    }

    fn file(text: &str) -> NewRows {
        NewRows::File { name: "new.csv".into(), bytes: text.into() }
    }

    fn refused(learning: &mut Learning, given: NewRows) -> String {
        learning.add_rows(given).unwrap_err().to_string()
    }

    #[test]
    fn a_new_row_falls_where_its_twin_stands_and_moves_with_it() {
        let mut learning = learning();
        let cells: Vec<String> =
            learning.data.features().row(7).iter().map(f64::to_string).collect();
        assert_eq!(learning.add_rows(NewRows::Cells(cells.join(", "))).unwrap(), 1);
        let twin = |learning: &Learning| {
            let row = learning.data.features().select(&[7]);
            learning.model().unwrap().transform(&row).unwrap().into_data()
        };
        assert_eq!(learning.new_embedding().unwrap().into_data(), twin(&learning));
        learning.advance(50.0).unwrap();
        assert_eq!(learning.new_embedding().unwrap().into_data(), twin(&learning));
        let choice = learning.neighborhood(learning.data.rows()).unwrap();
        assert!((choice.classes.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(learning.new_choices().unwrap().classes[0], choice.classes);
        assert!(learning.remove_rows().is_some() && learning.new_embedding().is_none());
        assert_eq!(learning.new_choices().unwrap(), NewChoices::default());
        assert!(learning.neighborhood(learning.data.rows()).is_err());
    }

    #[test]
    fn a_file_is_read_by_the_names_of_its_columns_with_or_without_classes() {
        let mut learning = learning();
        let names = learning.cells();
        let backwards: Vec<&str> = names.iter().rev().map(String::as_str).collect();
        let text =
            format!("id,{},class\n1,0.2,1.4,3.5,5.1,?\n2,1.8,5.5,3,6.5,\n", backwards.join(","));
        assert_eq!(learning.add_rows(file(&text)).unwrap(), 2);
        let of_file = learning.new_choices().unwrap();
        assert_eq!(of_file.rows, [0, 1]);
        learning.add_rows(NewRows::Cells("5.1; 3.5; 1.4; 0.2".into())).unwrap();
        assert_eq!(learning.new_choices().unwrap().classes[0], of_file.classes[0]);
    }

    #[test]
    fn new_rows_stay_when_the_fit_starts_again() {
        let mut learning = learning();
        learning.add_rows(NewRows::Cells("5.1,3.5,1.4,0.2".into())).unwrap();
        learning.change(Settings { dim: 3, ..Settings::default() }).unwrap();
        assert_eq!(learning.new_embedding().unwrap().dims(), [1, 3]);
    }

    #[test]
    fn raw_rows_are_prepared_as_the_table_was() {
        let mut learning = mixed(&MIXED);
        learning.add_rows(NewRows::Cells("21, red".into())).unwrap();
        let whole = learning.new_embedding().unwrap().into_data();
        assert!(learning.new_choices().unwrap().classes[0][1] > 0.9);
        learning.add_rows(file("kind,color,size\nb,red,NA\nb,red,21\n")).unwrap();
        let z = learning.new_embedding().unwrap();
        let [_, k] = z.dims();
        assert_eq!(z.clone().slice([1..2, 0..k]).into_data(), whole);
        assert_ne!(z.slice([0..1, 0..k]).into_data(), whole);
    }

    #[test]
    fn rows_with_missing_values_are_left_out_where_the_table_leaves_them_out() {
        let mut learning = mixed(&Reading { missing: Missing::Drop, ..MIXED });
        assert_eq!(learning.add_rows(file("size,color\nNA,red\n21,red\n")).unwrap(), 1);
        let choices = learning.new_choices().unwrap();
        assert_eq!(choices.rows, [1]);
        assert!(!choices.remarks.is_empty());
        let error = refused(&mut learning, NewRows::Cells("NA, red".into()));
        assert!(!error.is_empty());
        assert_eq!(learning.new_choices().unwrap(), choices, "those of before stay");
    }

    #[test]
    fn rows_that_do_not_fit_are_refused_in_words() {
        let mut learning = learning();
        let error = refused(&mut learning, NewRows::Cells("1,2".into()));
        assert!(error.contains("2 cells, and there are 4 features"), "{error}");
        let error = refused(&mut learning, NewRows::Cells("1,2,x,4".into()));
        assert!(error.contains("\"x\" is no number"), "{error}");
        let error = refused(&mut learning, file("a,b\n1,2\n"));
        assert!(error.contains("new.csv") && error.contains(&learning.cells()[0]), "{error}");
        let many = learning.cells().join(",") + "\n" + &"1,2,3,4\n".repeat(MOST + 1);
        let error = refused(&mut learning, file(&many));
        assert!(error.contains("1001 new rows") && error.contains("room for 1000"), "{error}");
    }
}
