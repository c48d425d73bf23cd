//! What a worker of the page calls: [`Learning`] with numbers as arrays and everything else as JSON.

use burn_nca_learn::Error;
use serde::Serialize;
use std::io::{Cursor, Write};
use wasm_bindgen::prelude::*;
use zip::write::SimpleFileOptions;

use crate::picture::View;
use crate::{Learning, NewRows, Reading, Settings};

/// A message for the page.
fn words(error: Error) -> JsError {
    JsError::new(&crate::hint::text(&error))
}

fn json(value: &impl Serialize) -> Result<String, JsError> {
    serde_json::to_string(value).map_err(|error| JsError::new(&error.to_string()))
}

fn settings(text: &str) -> Result<Settings, JsError> {
    serde_json::from_str(text)
        .map_err(|error| JsError::new(&format!("the settings cannot be read: {error}")))
}

/// Shows a panic's message on the console of the page.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// A table and its fit, for the page.
#[wasm_bindgen]
pub struct Page {
    learning: Learning,
    view: View,
    name: String,
}

#[derive(Serialize)]
struct Table<'a> {
    name: &'a str,
    rows: usize,
    features: &'a [String],
    cells: Vec<String>,
    remarks: &'a [String],
    classes: &'a [String],
    counts: Vec<usize>,
}

#[wasm_bindgen]
impl Page {
    /// Opens a bundled set, or the bytes of a CSV file.
    #[wasm_bindgen(constructor)]
    pub fn new(
        name: String,
        bytes: Option<Vec<u8>>,
        reading: &str,
        controls: &str,
    ) -> Result<Page, JsError> {
        let reading: Reading = serde_json::from_str(reading)
            .map_err(|error| JsError::new(&format!("how to read it cannot be read: {error}")))?;
        let table = crate::open(&name, bytes.as_deref(), &reading).map_err(words)?;
        let learning = Learning::new(table, settings(controls)?).map_err(words)?;
        Ok(Self { learning, view: View::default(), name })
    }

    /// Names and sizes, as JSON.
    pub fn table(&self) -> Result<String, JsError> {
        let data = self.learning.data();
        json(&Table {
            name: &self.name,
            rows: data.rows(),
            features: data.features().names(),
            cells: self.learning.cells(),
            remarks: self.learning.remarks(),
            classes: data.class_names(),
            counts: data.class_counts(),
        })
    }

    /// The class of each row.
    pub fn labels(&self) -> Vec<u32> {
        self.learning.data().labels().iter().map(|label| *label as u32).collect()
    }

    /// Which row of the file each row is, from 0.
    pub fn rows(&self) -> Vec<u32> {
        self.learning.rows().iter().map(|row| *row as u32).collect()
    }

    /// The held-out rows.
    pub fn held_out(&self) -> Vec<u32> {
        self.learning.split().test.iter().map(|row| *row as u32).collect()
    }

    /// Takes steps for about this many milliseconds; the slice as JSON.
    pub fn advance(&mut self, milliseconds: f64) -> Result<String, JsError> {
        json(&self.learning.advance(milliseconds).map_err(words)?)
    }

    /// How far the fit is, as JSON.
    pub fn slice(&self) -> Result<String, JsError> {
        json(self.learning.slice())
    }

    /// Takes up other settings.
    pub fn change(&mut self, controls: &str) -> Result<(), JsError> {
        self.learning.change(settings(controls)?).map_err(words)
    }

    /// Where each row is, `[n, 3]`, and then each new row.
    pub fn points(&mut self, axes: usize) -> Result<Vec<f32>, JsError> {
        let mut points = self.view.of(&self.learning.embedding(), axes).map_err(words)?;
        if let Some(new) = self.learning.new_embedding() {
            points.extend(self.view.project(&new).map_err(words)?);
        }
        Ok(points)
    }

    /// Accuracies, wrong rows, a collapse, as JSON.
    pub fn measures(&self) -> Result<String, JsError> {
        json(&self.learning.measures().map_err(words)?)
    }

    /// Euclid, PCA and LDA, as JSON.
    pub fn baselines(&self) -> Result<String, JsError> {
        json(&self.learning.baselines().map_err(words)?)
    }

    /// The weight of each feature, as JSON.
    pub fn weights(&self) -> Result<String, JsError> {
        json(&self.learning.weights())
    }

    /// Whom a row chooses, as JSON; the new rows come after those of the table.
    pub fn neighborhood(&self, row: usize) -> Result<String, JsError> {
        json(&self.learning.neighborhood(row).map_err(words)?)
    }

    /// Puts in one new row, by its cells.
    pub fn add_cells(&mut self, cells: String) -> Result<usize, JsError> {
        self.learning.add_rows(NewRows::Cells(cells)).map_err(words)
    }

    /// Puts in the rows of a CSV file.
    pub fn add_file(&mut self, name: String, bytes: Vec<u8>) -> Result<usize, JsError> {
        self.learning.add_rows(NewRows::File { name, bytes }).map_err(words)
    }

    /// Takes the new rows out.
    pub fn remove_rows(&mut self) {
        self.learning.remove_rows();
    }

    /// The new rows and the probabilities of their classes, as JSON.
    pub fn new_choices(&self) -> Result<String, JsError> {
        json(&self.learning.new_choices().map_err(words)?)
    }

    /// A, as the CSV file that `nca fit --init` takes.
    pub fn matrix_csv(&self) -> Result<String, JsError> {
        self.learning.matrix_csv().map_err(words)
    }

    /// The model's folder, zipped: `nca predict` takes it unpacked.
    pub fn model_zip(&self) -> Result<Vec<u8>, JsError> {
        let failed = |error: &dyn std::fmt::Display| JsError::new(&error.to_string());
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options =
            SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for (name, bytes) in
            self.learning.model().and_then(|model| model.to_files()).map_err(words)?
        {
            zip.start_file(format!("model/{name}"), options).map_err(|error| failed(&error))?;
            zip.write_all(&bytes).map_err(|error| failed(&error))?;
        }
        Ok(zip.finish().map_err(|error| failed(&error))?.into_inner())
    }
}
