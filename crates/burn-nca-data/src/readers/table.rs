//! What the readers give: features and the target of each row.

use crate::excerpt::list;
use crate::readers::class_names::{Classes, classes_of, same_class};
use crate::{
    Error, Features, Labeled, Message, RawColumn, RawTable, RegressionData, Result, Setting,
    TextValues, WithoutClass, difference, meant_name, name_key, quoted,
};

/// What the target column is read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetKind {
    /// Every distinct value is a class.
    #[default]
    Classes,
    /// Every value is a number (regression, soft matches).
    Numeric,
}

/// The target of each row of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// One class per row.
    Classes {
        /// The class of each row, from 0.
        labels: Vec<usize>,
        /// `names[c]` is the name of class c.
        names: Vec<String>,
    },
    /// A finite number a row.
    Numeric(Vec<f64>),
    /// No target was read.
    None,
}

/// Features `[n, d]` and the target of each row, as a reader found them.
///
/// # Examples
/// ```
/// use burn_nca_data::{CsvOptions, parse_csv};
///
/// let text = b"width,height,species\n1,2,cat\n3,4,dog\n";
/// let table = parse_csv("pets.csv", text, &CsvOptions::default())?;
/// assert_eq!(table.target_name, "species");
/// assert_eq!(table.into_labeled()?.class_names(), ["cat", "dog"]);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The features, `[n, d]`.
    pub features: Features,
    /// The name of the target column; empty where there is none.
    pub target_name: String,
    /// The target of each row.
    pub target: Target,
    /// Rows without a class, where they were set apart
    /// ([`CsvOptions::set_unlabeled_apart`](crate::CsvOptions::set_unlabeled_apart)).
    pub without_class: Option<WithoutClass>,
    /// What to know of how the file was read.
    pub notes: Vec<Message>,
}

impl From<Classes> for Target {
    fn from((labels, names): Classes) -> Self {
        Self::Classes { labels, names }
    }
}

impl Target {
    /// The targets of the rows that are not of a class, and which rows these are.
    pub(crate) fn without(self, class: &str) -> (Self, Vec<usize>) {
        match self {
            Self::Classes { labels, mut names } => {
                let unwanted = names.iter().position(|name| name_key(name) == name_key(class));
                let unwanted = unwanted.unwrap_or(names.len());
                let kept = (0..labels.len()).filter(|&row| labels[row] != unwanted);
                let kept: Vec<usize> = kept.collect();
                let label = |&row: &usize| labels[row] - usize::from(labels[row] > unwanted);
                let labels = kept.iter().map(label).collect();
                names.retain(|name| name_key(name) != name_key(class));
                (Self::Classes { labels, names }, kept)
            }
            Self::Numeric(values) => {
                let rows = (0..values.len()).collect();
                (Self::Numeric(values), rows)
            }
            Self::None => (Self::None, Vec::new()),
        }
    }

    /// The target as a column of this name, where the rows of the class `none` have no value; none of no target.
    pub(crate) fn into_raw(self, name: &str, none: &str) -> Option<RawColumn> {
        match self {
            Self::None => None,
            Self::Numeric(values) => Some(RawColumn::numbers(name, values)),
            Self::Classes { labels, names } => {
                let class = |label: usize| Some(names[label].as_str()).filter(|name| *name != none);
                Some(RawColumn::text(name, labels.into_iter().map(class)))
            }
        }
    }

    /// The classes of a column of text, and which rows have one; a missing value is a row without a class.
    ///
    /// They are ordered as those of a CSV file ([`parse_csv`](crate::parse_csv)), and names of one number (`1` and `1.0`)
    /// are one class.
    pub fn of_text(text: &TextValues) -> (Vec<usize>, Self) {
        let rows: Vec<usize> = (0..text.rows()).filter(|&row| text.get(row).is_some()).collect();
        // Of a selection of rows some texts may have none.
        (rows, classes_of(&text.iter().filter(Option::is_some).collect()).into())
    }
}

impl Table {
    pub(crate) fn new(features: Features, target_name: impl Into<String>, target: Target) -> Self {
        Self {
            features,
            target_name: target_name.into(),
            target,
            without_class: None,
            notes: Vec::new(),
        }
    }

    /// The same with the rows of a class (of any name that is the same number) set apart, as rows without a class.
    #[must_use]
    pub fn set_apart(mut self, class: &str) -> Self {
        if !matches!(self.target, Target::Classes { .. }) {
            return self;
        }
        let (target, kept) = std::mem::replace(&mut self.target, Target::None).without(class);
        Self { target, ..self }.keeping(&kept)
    }

    /// The same with only these rows, whose target it is, and the others set apart.
    pub(crate) fn keeping(mut self, kept: &[usize]) -> Self {
        if kept.len() == self.features.rows() {
            return self;
        }
        let places = self.places();
        let is_kept = |row: &usize| places[*row].is_ok_and(|at| kept.binary_search(&at).is_ok());
        let rows: Vec<usize> = (0..places.len()).filter(|row| !is_kept(row)).collect();
        let features = if self.without_class.is_none() {
            Ok(self.features.select(&rows))
        } else {
            let columns = 0..self.features.columns();
            let row = |&row: &usize| columns.clone().map(move |at| (row, at));
            let values = rows.iter().flat_map(row).map(|(row, at)| self.value(places[row], at));
            Features::new(values.collect(), self.features.names().to_vec())
        };
        self.without_class = features.ok().map(|features| WithoutClass { rows, features });
        self.features = self.features.select(kept);
        self
    }

    /// Of each row of the file its place among the rows with a class, or among those without.
    fn places(&self) -> Vec<Result<usize, usize>> {
        let apart = self.without_class.as_ref().map_or(&[][..], |without| &without.rows);
        let mut known = 0..self.features.rows();
        let place = |row| match apart.binary_search(&row) {
            Ok(at) => Err(at),
            Err(_) => Ok(known.next().unwrap_or_default()),
        };
        (0..self.features.rows() + apart.len()).map(place).collect()
    }

    /// A feature of the row of such a place.
    fn value(&self, place: Result<usize, usize>, column: usize) -> f64 {
        match (place, &self.without_class) {
            (Err(at), Some(without)) => without.features.value(at, column),
            (Ok(at) | Err(at), _) => self.features.value(at, column),
        }
    }

    /// The features with one class per row.
    ///
    /// # Errors
    /// The target is numeric, or there is none.
    pub fn into_labeled(self) -> Result<Labeled> {
        match self.target {
            Target::Classes { labels, names } => Labeled::new(self.features, labels, names),
            Target::Numeric(_) => {
                Err(wrong_kind(&self.target_name, ["numbers", "classes"], Setting::Classes))
            }
            Target::None => Err(Error::data(
                "no target column was read, and classes are needed; name the column of the classes",
            )),
        }
    }

    /// The features with one class per row, numbered as in `class_names` (those of a fitted model,
    /// say), where names of one number (`1` and `1.0`) are one class.
    ///
    /// A file that holds only some of the classes would otherwise number them again.
    ///
    /// # Errors
    /// As [`Table::into_labeled`]; or a class that is not among `class_names`.
    pub fn into_labeled_as(self, class_names: &[String]) -> Result<Labeled> {
        let target_name = self.target_name.clone();
        let own = self.into_labeled()?;
        let mut renumbered = Vec::with_capacity(own.classes());
        for name in own.class_names() {
            renumbered.push(same_class(name, class_names).ok_or_else(|| {
                let meant = meant_name(name, class_names.iter().map(String::as_str));
                let meant = meant.map_or(String::new(), |meant| {
                    format!(" ({} {})", quoted(meant), difference(name, meant))
                });
                Error::data(format!(
                    "the target {} holds the class {}{meant}, which is not among the \
                     known classes {}; remove those rows or correct the name",
                    quoted(&target_name),
                    quoted(name),
                    list(class_names)
                ))
            })?);
        }
        let labels = own.labels().iter().map(|&label| renumbered[label]).collect();
        Labeled::new(own.features().clone(), labels, class_names.to_vec())
    }

    /// The features with one number per row.
    ///
    /// # Errors
    /// The target is a class, or there is none.
    pub fn into_numeric(self) -> Result<(Features, Vec<f64>)> {
        match self.target {
            Target::Numeric(values) => Ok((self.features, values)),
            Target::Classes { .. } => {
                Err(wrong_kind(&self.target_name, ["classes", "numbers"], Setting::Numbers))
            }
            Target::None => Err(Error::data(
                "no target column was read, and numbers are needed; name the target column",
            )),
        }
    }

    /// The features and then the target, as columns.
    ///
    /// # Errors
    /// A target of the name of a feature.
    pub fn into_raw(self) -> Result<RawTable> {
        let places = self.places();
        let column = |(at, name): (usize, &String)| {
            RawColumn::numbers(name, places.iter().map(|&place| self.value(place, at)).collect())
        };
        let mut columns: Vec<RawColumn> =
            self.features.names().iter().enumerate().map(column).collect();
        match self.target {
            Target::None => {}
            Target::Numeric(values) => columns.push(RawColumn::numbers(self.target_name, values)),
            Target::Classes { labels, names } => {
                let class = |at: usize| names[labels[at]].as_str();
                let classes = places.iter().map(|place| place.ok().map(class));
                columns.push(RawColumn::text(self.target_name, classes));
            }
        }
        RawTable::new(columns)
    }

    /// The features with one number per row, under the name of the target column.
    ///
    /// # Errors
    /// As [`Table::into_numeric`].
    pub fn into_regression(self) -> Result<RegressionData> {
        let name = self.target_name.clone();
        let (features, values) = self.into_numeric()?;
        RegressionData::new(features, &name, values)
    }

    /// A class that is a number but no whole one: the sign of a numeric target that was read as classes.
    pub fn fractional_class(&self) -> Option<&str> {
        let Target::Classes { names, .. } = &self.target else { return None };
        let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
        let fractional = numbers?.iter().position(|number| number.fract() != 0.0)?;
        Some(&names[fractional])
    }
}

fn wrong_kind(name: &str, [read, needed]: [&str; 2], setting: Setting) -> Error {
    let text = format!("the target {name:?} was read as {read}, and {needed} are needed");
    Error::data(Message::from(text).with_hint(setting))
}

impl From<Labeled> for Table {
    fn from(data: Labeled) -> Self {
        let (labels, names) = (data.labels().to_vec(), data.class_names().to_vec());
        Self::new(data.features().clone(), "label", Target::Classes { labels, names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(target: Target) -> Table {
        Table::new(Features::unnamed(vec![1.0, 2.0], 1).unwrap(), "y", target)
    }

    fn classes() -> Target {
        Target::Classes { labels: vec![1, 0], names: vec!["a".into(), "c".into()] }
    }

    #[test]
    fn a_target_of_the_wrong_kind_is_refused_by_name() {
        let numeric = || table(Target::Numeric(vec![0.5, 1.5]));
        let error = [
            numeric().into_labeled().unwrap_err(),
            table(classes()).into_numeric().unwrap_err(),
            table(Target::None).into_labeled().unwrap_err(),
        ];
        let [numbers, classes, none] = error.map(|error| error.to_string());
        assert!(
            numbers.starts_with("the target \"y\" was read as numbers, and classes are needed;")
        );
        assert!(
            classes.starts_with("the target \"y\" was read as classes, and numbers are needed;")
        );
        assert!(none.ends_with("name the column of the classes"));
        assert_eq!(numeric().into_regression().unwrap().targets().names(), ["y"]);
    }

    #[test]
    fn classes_of_equal_numbers_are_those_of_the_list() {
        let known = ["0", "1", "01"].map(String::from);
        let of = |names: [&str; 2]| {
            let names = names.map(String::from).to_vec();
            table(Target::Classes { labels: vec![1, 0], names }).into_labeled_as(&known)
        };
        let data = of(["0.0", "1e0"]).unwrap();
        assert_eq!((data.labels(), data.class_names()), (&[1, 0][..], &known[..]));
        assert_eq!(of(["01", "1.0"]).unwrap().labels(), [1, 2]);
        assert!(of(["001", "1"]).unwrap_err().to_string().contains("\"001\""));
    }

    #[test]
    fn rows_set_apart_keep_their_places() {
        let target = Target::Classes {
            labels: vec![1, 0, 2, 0],
            names: ["-1", "a", "b"].map(String::from).to_vec(),
        };
        let features = Features::unnamed(vec![1.0, 2.0, 3.0, 4.0], 1).unwrap();
        let table = Table { features, ..table(target) }.set_apart("-1").set_apart("b");
        assert_eq!(table.without_class.as_ref().unwrap().rows, [1, 2, 3]);
        assert_eq!(table.without_class.as_ref().unwrap().features.values(), [2.0, 3.0, 4.0]);
        assert_eq!(
            (table.features.values(), &table.target),
            (&[1.0][..], &Target::Classes { labels: vec![0], names: vec!["a".into()] })
        );
        let raw = table.into_raw().unwrap();
        assert_eq!(
            raw.column("x1").unwrap().values(),
            &crate::RawValues::Numbers(vec![1.0, 2.0, 3.0, 4.0])
        );
        assert_eq!(raw.column("y").unwrap().num_missing(), 3);
    }
}
