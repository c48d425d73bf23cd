//! Delimited text as it is: columns of numbers or text, with missing values.

mod builder;
mod chosen;

use crate::readers::csv::{Record, Spellings, TargetColumn, open_sheet};
use crate::readers::input::{Input, name_file};
use crate::readers::pattern::is_pattern;
use crate::{RawColumn, RawTable, Result, TargetKind, TextFormat};
use builder::Builder;
use chosen::{Kind, choose};

/// Which columns of a CSV file are read as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawOptions {
    /// The columns, by name or pattern; `None`: all that are not ignored.
    pub columns: Option<Vec<String>>,
    /// As [`CsvOptions::features_in_order`](crate::CsvOptions::features_in_order), of `columns`.
    pub columns_in_order: bool,
    /// Columns that are left out, by name or pattern.
    pub ignore: Vec<String>,
    /// Columns that are read as text whatever they hold, whether or not they are among `columns`.
    pub text: Vec<String>,
    /// Columns that are read as text where the table has them.
    pub text_if_there: Vec<String>,
    /// Columns of levels, read as text where the table has them. Where all else in one are numbers, `-` and the like are
    /// missing values.
    pub levels: Vec<String>,
    /// More columns that are read whether or not they are among `columns`.
    pub also: Vec<String>,
    /// The target column, which comes last in the table: as text where it holds classes.
    pub target: Option<(TargetColumn, TargetKind)>,
    /// The class that marks rows without one, in addition to the empty cell.
    pub unlabeled_class: Option<String>,
    /// How the text is written.
    pub format: TextFormat,
}

/// A raw table from CSV text; `origin` is what messages call it.
///
/// A column whose every cell is a number or missing (as pandas spells it, or one of `-`, `.`, na, nil and missing) is one
/// of numbers, any other one of text, where the latter five are words.
/// The text is of the form that [`parse_csv`](crate::parse_csv) reads.
///
/// # Errors
/// As [`parse_csv`](crate::parse_csv), but for values that are missing or no numbers.
pub fn parse_raw(origin: &str, bytes: &[u8], options: &RawOptions) -> Result<RawTable> {
    read(Input::of_bytes(origin, bytes)?, options)
}

pub(crate) fn read(input: Input<'_>, options: &RawOptions) -> Result<RawTable> {
    let mut sheet = open_sheet(input, &options.format, &options.wanted())?;
    let mut notes = std::mem::take(&mut sheet.notes);
    let (columns, about_order) = choose(&sheet, options)?;
    let is_in_order = about_order.is_some();
    notes.extend(about_order);
    if let Some((_, task)) = &options.target {
        // The last column is a numeric target.
        let features = columns.len() - usize::from(*task == TargetKind::Numeric);
        let is_feature = |(column, kind): &&(usize, Kind)| {
            *kind == Kind::Any && !options.also.contains(&sheet.names[*column])
        };
        let features = columns[..features].iter().filter(is_feature).map(|(column, _)| *column);
        notes.extend(sheet.about_codes(features));
    }
    let missing = Spellings::new(options.format.missing.as_ref());
    let builder = |&(column, kind): &(usize, Kind)| {
        let mostly_numbers = sheet.mostly_numbers.get(column).is_none_or(|mostly| *mostly);
        Builder::new(kind, options, &missing, mostly_numbers)
    };
    let mut builders: Vec<Builder> = columns.iter().map(builder).collect();
    sheet.each_row_after(0, |record: &Record, _| {
        for (&(column, _), builder) in columns.iter().zip(&mut builders) {
            builder.push(record.field(column)).map_err(|reason| (column, reason))?;
        }
        Ok(())
    })?;
    let in_order = options.columns.as_deref().filter(|_| is_in_order).unwrap_or_default();
    let name = |at: usize, column: usize| in_order.get(at).unwrap_or(&sheet.names[column]);
    let columns =
        columns.iter().zip(builders).enumerate().map(|(at, (&(column, _), builder))| {
            RawColumn::new(name(at, column), builder.values())
        });
    let table =
        RawTable::new(columns.collect()).map_err(|error| name_file(&sheet.origin, error))?;
    Ok(table.with_notes(notes))
}

impl RawOptions {
    /// Whether they ask for columns by name or for text of another form, which only a table with names has.
    pub(crate) fn are_of_table(&self) -> bool {
        let by_name = matches!(self.target, Some((TargetColumn::Name(_), _)));
        by_name || Self { target: None, unlabeled_class: None, ..self.clone() } != Self::default()
    }

    fn wanted(&self) -> Vec<&str> {
        let target = match &self.target {
            Some((TargetColumn::Name(name), _)) => Some(name),
            _ => None,
        };
        let lists = [&self.ignore, &self.text, &self.text_if_there, &self.levels, &self.also];
        let names = self.columns.iter().flatten().chain(lists.into_iter().flatten()).chain(target);
        names.map(String::as_str).filter(|name| !name.is_empty() && !is_pattern(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DecimalSign, RawValues};

    fn raw(text: &str, options: &RawOptions) -> RawTable {
        parse_raw("t.csv", text.as_bytes(), options).unwrap()
    }

    /// The texts of a column, `∅` for a missing one.
    fn texts(table: &RawTable, name: &str) -> String {
        let RawValues::Text(text) = table.column(name).unwrap().values() else { panic!("{name}") };
        text.iter().map(|text| text.unwrap_or("∅")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn columns_are_numbers_or_text_with_missing_values() {
        let text = "a,b,c,d,e\n1,-,-,1,007\n-,x,.,-,1.0\n.,nil,NA,2,?\n-2e1,-,Missing,x,z\n";
        let table = raw(text, &RawOptions::default());
        let RawValues::Numbers(a) = table.column("a").unwrap().values() else { panic!() };
        assert!(a[0] == 1.0 && a[1].is_nan() && a[2].is_nan() && a[3] == -20.0);
        let expected = ["- x nil -", "- . ∅ Missing", "1 - 2 x", "007 1.0 ∅ z"];
        assert_eq!(["b", "c", "d", "e"].map(|name| texts(&table, name)), expected);
    }

    #[test]
    fn what_is_missing_can_be_named() {
        let options = |missing: &[&str]| {
            let missing = Some(missing.iter().map(ToString::to_string).collect());
            RawOptions {
                format: TextFormat { missing, ..TextFormat::default() },
                ..RawOptions::default()
            }
        };
        let table = raw("a,b\n-9.0,NA\n1,none\nnan,\n-9,x\n", &options(&["", "-9", "none"]));
        assert_eq!((table.column("a").unwrap().num_missing(), table.rows()), (3, 4));
        assert_eq!(texts(&table, "b"), "NA ∅ ∅ x");
        // The class of rows without one is missing, and no other.
        let target = Some((TargetColumn::Last, TargetKind::Classes));
        let options =
            RawOptions { target, unlabeled_class: Some("?".to_string()), ..RawOptions::default() };
        assert_eq!(texts(&raw("a,y\n1,u\n2,?\n3,v\n", &options), "y"), "u ∅ v");
    }

    #[test]
    fn levels_keep_their_spelling_and_have_missing_values_among_numbers() {
        let levels = vec!["a".to_string(), "b".to_string()];
        let options = RawOptions { levels, ..RawOptions::default() };
        let table = raw("a,b,c\n01,x,1\n-,-,2\n1.0,NA,3\n", &options);
        assert_eq!([texts(&table, "a"), texts(&table, "b")], ["01 ∅ 1.0", "x - ∅"]);
        let format = TextFormat { decimal: DecimalSign::Comma, ..TextFormat::default() };
        let table = raw("a;b\n1,0;x\n2,5;y\n", &RawOptions { format, ..options });
        assert_eq!(texts(&table, "a"), "1.0 2,5");
    }

    #[test]
    fn columns_are_chosen_by_name_and_pattern() {
        let text = "id,x1,x2,note,w\n7,1,2,a,0.5\n";
        let options = RawOptions {
            columns: Some(vec!["x*".into()]),
            ignore: vec!["?2".into()],
            text: vec!["id".into()],
            also: vec!["w".into()],
            ..RawOptions::default()
        };
        let table = raw(text, &options);
        let names: Vec<&str> = table.columns().iter().map(RawColumn::name).collect();
        assert_eq!(names, ["x1", "id", "w"]);
        assert_eq!(texts(&table, "id"), "7");
    }

    #[test]
    fn a_text_after_very_many_numbers_is_text_all_the_same() {
        let rows: String = (0..2000).map(|row| format!("{row}\n")).collect();
        let table =
            raw(&format!("a,b\n{}x,1\n", rows.replace('\n', ",1\n")), &RawOptions::default());
        let a = texts(&table, "a");
        assert!(a.split(' ').count() == 2001 && a.ends_with("1998 1999 x"), "{a}");
    }
}
