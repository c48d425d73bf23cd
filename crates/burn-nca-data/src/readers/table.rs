//! What the readers give: features and the target of each row.

use crate::error::{Error, Result};
use crate::tables::{
    Features, Labeled, RawColumn, RawTable, RegressionData, TextValues, WithoutClass,
};

use crate::excerpt::{list, quoted};
use crate::readers::class_names::{ClassColumn, Classes};

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
}

impl From<Classes> for Target {
    fn from(classes: Classes) -> Self {
        Self::Classes { labels: classes.labels, names: classes.names }
    }
}

impl Target {
    /// The classes of a column of text, and which rows have one; a hole is a row without a class.
    ///
    /// They are ordered as those of a CSV file ([`parse_csv`](crate::parse_csv)).
    ///
    /// # Errors
    /// Two names of one number (`1` and `1.0`).
    pub fn of_text(text: &TextValues) -> Result<(Vec<usize>, Self)> {
        let rows: Vec<usize> = (0..text.rows()).filter(|&row| text.get(row).is_some()).collect();
        let classes = text.iter().flatten().collect::<ClassColumn>().index()?;
        Ok((rows, classes.into()))
    }
}

impl Table {
    /// The features with one class per row.
    ///
    /// # Errors
    /// The target is numeric, or there is none.
    pub fn into_labeled(self) -> Result<Labeled> {
        match self.target {
            Target::Classes { labels, names } => Labeled::new(self.features, labels, names),
            Target::Numeric(_) => Err(Error::data(format!(
                "the target {:?} was read as numbers, and classes are needed; \
                 read it with TargetKind::Classes",
                self.target_name
            ))),
            Target::None => Err(Error::data(
                "no target column was read, and classes are needed; name the column of the classes",
            )),
        }
    }

    /// The features with one class per row, numbered as in `class_names` (those of a fitted model,
    /// say).
    ///
    /// A file that holds only some of the classes would otherwise number them anew.
    ///
    /// # Errors
    /// As [`Table::into_labeled`]; or a class that is not among `class_names`.
    pub fn into_labeled_as(self, class_names: &[String]) -> Result<Labeled> {
        let target_name = self.target_name.clone();
        let own = self.into_labeled()?;
        let mut renumbered = Vec::with_capacity(own.classes());
        for name in own.class_names() {
            let class = class_names.iter().position(|known| known == name);
            renumbered.push(class.ok_or_else(|| {
                Error::data(format!(
                    "the target {} holds the class {}, which is not among the \
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
            Target::Classes { .. } => Err(Error::data(format!(
                "the target {:?} was read as classes, and numbers are needed; \
                 read it with TargetKind::Numeric",
                self.target_name
            ))),
            Target::None => Err(Error::data(
                "no target column was read, and numbers are needed; name the target column",
            )),
        }
    }
}

impl Table {
    /// The features and then the target, as columns.
    ///
    /// # Errors
    /// A target of the name of a feature.
    pub fn into_raw(self) -> Result<RawTable> {
        let mut columns = RawTable::from(&self.features).columns().to_vec();
        match self.target {
            Target::None => {}
            Target::Numeric(values) => columns.push(RawColumn::numbers(self.target_name, values)),
            Target::Classes { labels, names } => {
                let classes = labels.iter().map(|&label| Some(names[label].as_str()));
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
        let numbers: Vec<f64> = names.iter().filter_map(|name| name.parse().ok()).collect();
        let fractional = numbers.iter().position(|number| number.fract() != 0.0);
        fractional.filter(|_| numbers.len() == names.len()).map(|at| names[at].as_str())
    }
}

impl From<Labeled> for Table {
    fn from(data: Labeled) -> Self {
        Self {
            features: data.features().clone(),
            target_name: "label".into(),
            target: Target::Classes {
                labels: data.labels().to_vec(),
                names: data.class_names().to_vec(),
            },
            without_class: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(target: Target) -> Table {
        let features = Features::unnamed(vec![1.0, 2.0], 1).unwrap();
        Table { features, target_name: "y".into(), target, without_class: None }
    }

    fn classes() -> Target {
        Target::Classes { labels: vec![1, 0], names: vec!["a".into(), "c".into()] }
    }

    #[test]
    fn a_target_of_the_wrong_kind_is_refused_by_name() {
        let error = table(Target::Numeric(vec![0.5, 1.5])).into_labeled().unwrap_err().to_string();
        assert_eq!(
            error,
            "the target \"y\" was read as numbers, and classes are needed; read it with \
             TargetKind::Classes"
        );
        let error = table(classes()).into_numeric().unwrap_err().to_string();
        assert!(error.contains("\"y\" was read as classes, and numbers are needed"), "{error}");
        let error = table(Target::None).into_labeled().unwrap_err().to_string();
        assert!(error.contains("name the column of the classes"), "{error}");
    }

    #[test]
    fn numbers_that_are_not_whole_are_no_classes() {
        let named = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_string()).collect();
            table(Target::Classes { labels: vec![0, 1], names })
        };
        assert_eq!(named(&["21.6", "24"]).fractional_class(), Some("21.6"));
        assert_eq!(named(&["3", "24"]).fractional_class(), None);
        assert_eq!(named(&["2.5", "cat"]).fractional_class(), None);
        let data = table(Target::Numeric(vec![0.5, 1.5])).into_regression().unwrap();
        assert_eq!(data.targets().names(), ["y"]);
    }

    #[test]
    fn classes_take_the_numbers_of_a_given_list() {
        let known = ["a", "b", "c"].map(String::from);
        let data = table(classes()).into_labeled_as(&known).unwrap();
        assert_eq!(data.labels(), [2, 0]);
        assert_eq!(data.class_names(), known);
    }

    #[test]
    fn a_class_outside_the_given_list_is_named() {
        let error = table(classes()).into_labeled_as(&["a".into()]).unwrap_err().to_string();
        assert!(error.contains("the class \"c\"") && error.contains("known classes a;"), "{error}");
    }

    #[test]
    fn a_labeled_table_survives_the_way_there_and_back() {
        let data = table(classes()).into_labeled().unwrap();
        assert_eq!(Table::from(data.clone()).into_labeled().unwrap(), data);
    }
}
