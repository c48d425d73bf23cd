//! A fit in slices, with what the page shows after each.

use std::ops::ControlFlow;
use std::rc::Rc;

use burn::tensor::{Device, Tensor};
use burn_nca_learn::data::{Labeled, Preparation, Scaling, ScalingKind, Split, TensorFeatures};
use burn_nca_learn::encoder::{AnyEncoder, Encoder};
use burn_nca_learn::fit::{FitSession, FitState, Progress, Termination};
use burn_nca_learn::{Error, Fitted, NcaConfig, Result};
use burn_nca_report::evaluation::{Sample, Seen};
use serde::Serialize;
use web_time::Instant;

use crate::given_rows::ScaledNewRows;
use crate::settings::Settings;
use crate::table::{PreparedData, Table};

/// Products of coordinates that a browser compares rows by in a second or two.
const MOST_PRODUCTS: u64 = 2_000_000_000;

/// What a slice of a fit came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Slice {
    /// Steps taken so far under these settings.
    pub iteration: usize,
    /// The penalized objective, a sum over the training rows; smaller is better.
    pub value: f64,
    /// Why the fit ended, as a sentence; `None` while it continues.
    pub ended: Option<String>,
    /// Milliseconds of the mean step of this slice.
    pub step_ms: f64,
}

/// A table, its split, and a fit of it that continues slice by slice.
///
/// The rows are scaled once, and the start is computed once: a slice is its steps.
///
/// # Examples
/// ```
/// use burn_nca_web::{Learning, Reading, Settings, open};
///
/// let mut learning = Learning::new(open("iris", None, &Reading::default())?, Settings::default())?;
/// while learning.advance(20.0)?.ended.is_none() {}
/// assert!(learning.measures()?.test.unwrap() > 0.9);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
pub struct Learning {
    table: Rc<Table>,
    pub(crate) data: Labeled,
    pub(crate) split: Split,
    /// Which rows of the file the rows are, from 0.
    rows: Vec<usize>,
    remarks: Vec<String>,
    /// What Euclidean distance, PCA and LDA are measured on.
    pub(crate) sample: Sample,
    pub(crate) preparation: Option<Preparation>,
    pub(crate) scaling: Scaling,
    /// All rows, scaled, `[n, d]`.
    pub(crate) x: Tensor<2>,
    /// The scaled rows that are learned from, and those that are held out.
    pub(crate) train: Labeled,
    pub(crate) test: Labeled,
    settings: Settings,
    device: Device,
    /// The map that the fit under these settings began with.
    from: AnyEncoder,
    state: FitState,
    /// The model of scaled rows.
    fitted: Fitted,
    slice: Slice,
    pub(crate) new_rows: Option<ScaledNewRows>,
}

impl Learning {
    /// Splits the table and prepares the start of the fit.
    ///
    /// # Errors
    /// A table that nothing can be learned from, or settings out of range.
    pub fn new(table: Table, settings: Settings) -> Result<Self> {
        Self::of(Rc::new(table), settings)
    }

    fn of(table: Rc<Table>, settings: Settings) -> Result<Self> {
        let device = Device::flex();
        if !(0.0..=0.9).contains(&settings.test_size) {
            return Err(Error::setting(format!(
                "the held-out share is {}; give a number from 0 to 0.9",
                settings.test_size
            )));
        }
        let PreparedData { data, split, rows, preparation, mut remarks } =
            table.ready(settings.test_size, settings.seed)?;
        let train = data.features().select(&split.train);
        let copies = Seen::of_test(data.features(), &split, &train).warning(|_| None);
        let sizes = [train.rows(), train.columns()];
        let sample = Sample::within(&split, sizes, MOST_PRODUCTS, settings.seed)
            .map_err(|error| Error::data(error.to_string()))?;
        let sampled = sample.remark("the accuracies of Euclidean distance, PCA and LDA", "row");
        let told = copies.into_iter().chain(sampled);
        remarks.extend(told.map(|warning| format!("{}.", warning.text)));
        let scaling = Scaling::fit(ScalingKind::Standardize, &train);
        let scaled = data.with_features(scaling.apply(data.features())?)?;
        let (train, test) = (scaled.select(&split.train), scaled.select(&split.test));
        let config = settings.config(data.features().columns(), train.rows());
        let x = scaled.features().to_tensor(&device, config.fit.precision.dtype());
        let fitted = at_start(config).fit(&train, &device)?;
        let (from, slice) = (fitted.encoder.clone(), slice_at_start(&fitted));
        let state = FitState::default();
        Ok(Self {
            table,
            data,
            split,
            rows,
            remarks,
            sample,
            preparation,
            scaling,
            x,
            train,
            test,
            settings,
            device,
            from,
            state,
            fitted,
            slice,
            new_rows: None,
        })
    }

    /// The table.
    pub fn data(&self) -> &Labeled {
        &self.data
    }

    /// Which rows are learned from, and which are held out.
    pub fn split(&self) -> &Split {
        &self.split
    }

    /// Which rows of the file the rows are, from 0: all, unless some were left out.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// What was done to the table, a sentence each.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// How far the fit is.
    pub fn slice(&self) -> &Slice {
        &self.slice
    }

    /// The model as it is now, of rows that are scaled.
    pub(crate) fn fitted(&self) -> &Fitted {
        &self.fitted
    }

    /// The model as it is now, for new rows of the table: it prepares and scales them.
    ///
    /// # Errors
    /// None that a table could cause.
    pub fn model(&self) -> Result<Fitted> {
        let model = self.fitted.clone().with_scaling(self.scaling.clone())?;
        match &self.preparation {
            Some(preparation) => model.with_preparation(preparation.clone()),
            None => Ok(model),
        }
    }

    /// The embedding of all rows of the table, `[n, k]`, in their order.
    pub fn embedding(&self) -> Tensor<2> {
        self.fitted.encoder.forward(self.x.clone())
    }

    /// The embedding of one row, `[1, k]`.
    pub(crate) fn embedded(&self, row: usize) -> Tensor<2> {
        let [_, d] = self.x.dims();
        self.fitted.encoder.forward(self.x.clone().slice([row..row + 1, 0..d]))
    }

    /// Takes steps for about this many milliseconds, and at least one.
    ///
    /// # Errors
    /// A fit that cannot continue.
    pub fn advance(&mut self, milliseconds: f64) -> Result<Slice> {
        if self.slice.ended.is_some() {
            return Ok(self.slice.clone());
        }
        let config = from_its_map(self.config());
        let (started, mut steps) = (Instant::now(), 0);
        let before = self.slice.iteration;
        let mut until_the_time_is_up = |progress: &Progress| {
            steps = progress.iteration.saturating_sub(before);
            match started.elapsed().as_secs_f64() * 1e3 < milliseconds {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(Termination::Stopped),
            }
        };
        let session =
            FitSession::new().with_progress(&mut until_the_time_is_up).with_state(&mut self.state);
        self.fitted =
            config.estimator().fit_from(self.from.clone(), &self.train, &self.device, session)?;
        let summary = self.fitted.summary();
        let ended = summary.termination != Termination::Stopped;
        self.slice = Slice {
            iteration: summary.iterations,
            value: summary.value,
            ended: ended.then(|| summary.termination.to_string()),
            step_ms: started.elapsed().as_secs_f64() * 1e3 / steps.max(1) as f64,
        };
        Ok(self.slice.clone())
    }

    /// Takes up other settings: the fit continues from its map where it can, else it starts from the beginning.
    ///
    /// # Errors
    /// As [`Learning::new`], and the settings of before then stay; new rows that another split cannot prepare.
    pub fn change(&mut self, settings: Settings) -> Result<()> {
        if !settings.keep_the_map_of(&self.settings) {
            let restarted = Self::of(self.table.clone(), settings)?;
            let new_rows = self.remove_rows();
            *self = restarted;
            return new_rows.map_or(Ok(()), |rows| self.add_rows(rows).map(|_| ()));
        }
        let map = self.fitted.encoder.clone();
        let config = settings.config(self.data.features().columns(), self.train.rows());
        let config = from_its_map(at_start(config));
        self.fitted = config.estimator().fit_from(
            map.clone(),
            &self.train,
            &self.device,
            FitSession::new(),
        )?;
        self.slice = slice_at_start(&self.fitted);
        (self.settings, self.from, self.state) = (settings, map, FitState::default());
        Ok(())
    }

    fn config(&self) -> NcaConfig {
        self.settings.config(self.data.features().columns(), self.train.rows())
    }
}

/// The configuration of a fit that begins with a given map, whose scale stays.
fn from_its_map(mut config: NcaConfig) -> NcaConfig {
    config.fit.start_perplexity = None;
    config
}

/// The configuration of a fit that takes no step.
fn at_start(mut config: NcaConfig) -> NcaConfig {
    config.fit.stop_at = Some(0);
    config
}

fn slice_at_start(fitted: &Fitted) -> Slice {
    Slice { iteration: 0, value: fitted.summary().value, ended: None, step_ms: 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Reading, open};

    fn iris() -> Table {
        open("iris", None, &Reading::default()).unwrap()
    }

    #[test]
    fn held_out_copies_of_training_rows_are_told() {
        let rows: String =
            (0..40).map(|at| format!("{}.5,{},{}\n", at % 20, at % 7, at % 2)).collect();
        let text = format!("a,b,y\n{rows}{rows}");
        let table = open("t.csv", Some(text.as_bytes()), &Reading::default()).unwrap();
        let told = |table| Learning::new(table, Settings::default()).unwrap().remarks().join(" ");
        assert!(told(table).contains("are also training rows"));
        assert_eq!(told(iris()), "");
    }

    #[test]
    fn slices_come_to_what_one_fit_comes_to() {
        let mut learning = Learning::new(iris(), Settings::default()).unwrap();
        let mut slices = 0;
        while learning.advance(0.0).unwrap().ended.is_none() {
            slices += 1;
        }
        assert!(slices > 3, "a slice of no time is one step");
        // The same of rows as they are in the file, which the fit scales itself.
        let mut config = learning.config();
        config.fit.scaling = ScalingKind::Standardize;
        let train = learning.data.select(&learning.split.train);
        let whole = config.fit(&train, &Device::flex()).unwrap();
        let model = learning.model().unwrap();
        assert_eq!(model.matrix(), whole.matrix());
        let z = |fitted: &Fitted| fitted.transform(learning.data.features()).unwrap().into_data();
        assert_eq!(z(&model), z(&whole));
        assert_eq!(learning.embedding().into_data(), z(&whole));
        assert_eq!(model.card().fit.scaling, ScalingKind::Standardize);
        assert_eq!(learning.advance(5.0).unwrap(), learning.slice, "an ended fit stays");
    }

    #[test]
    fn another_criterion_continues_from_the_map_and_another_size_starts_again() {
        let mut learning = Learning::new(iris(), Settings::default()).unwrap();
        learning.advance(50.0).unwrap();
        let map = learning.fitted().matrix();
        let f =
            Settings { criterion: burn_nca_learn::objective::Criterion::F, ..Settings::default() };
        learning.change(f.clone()).unwrap();
        assert_eq!(learning.fitted().matrix(), map);
        assert_eq!(learning.slice.iteration, 0);
        while learning.advance(50.0).unwrap().ended.is_none() {}
        learning.change(Settings { dim: 3, ..f }).unwrap();
        assert_eq!(learning.fitted().references().dims(), [learning.train.rows(), 3]);
    }

    #[test]
    fn a_held_out_share_out_of_range_is_refused() {
        let settings = Settings { test_size: 1.0, ..Settings::default() };
        let error = Learning::new(iris(), settings).err().unwrap().to_string();
        assert!(error.contains("held-out share is 1"), "{error}");
    }

    #[test]
    fn a_table_with_text_and_holes_makes_a_model_that_prepares_new_rows() {
        let mut text = String::from("size,color,kind\n");
        for row in 0..40 {
            let (size, kind) = if row % 2 == 0 { (row % 7, "a") } else { (20 + row % 7, "b") };
            let size = if row == 4 { "NA".to_string() } else { size.to_string() };
            text += &format!("{size},{},{kind}\n", ["red", "blue", "green"][row % 3]);
        }
        let reading = Reading {
            missing: burn_nca_learn::data::Missing::Mean,
            categorical: true,
            ..Reading::default()
        };
        let table = open("t.csv", Some(text.as_bytes()), &reading).unwrap();
        let mut learning = Learning::new(table, Settings::default()).unwrap();
        while learning.advance(50.0).unwrap().ended.is_none() {}
        assert!(learning.measures().unwrap().test.unwrap() > 0.9);
        let model = learning.model().unwrap();
        let columns: Vec<&str> = model.preparation().unwrap().columns().collect();
        assert_eq!(columns, ["size", "color"]);
    }
}
