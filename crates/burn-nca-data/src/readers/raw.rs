//! Delimited text as it is: columns of numbers or text, with missing values.

use crate::error::{Error, Result};
use crate::excerpt::quoted;
use crate::hint::Message;
use crate::readers::csv::{
    Places, Record, Sheet, Spellings, TargetColumn, class_hints, infinite, infinite_class,
    open_sheet, separator_hint, target_is_ignored, with_nul,
};
use crate::readers::input::{Input, name_file};
use crate::readers::pattern::is_pattern;
use crate::readers::table::TargetKind;
use crate::readers::text_format::{DecimalSign, TextFormat};
use crate::tables::{RawColumn, RawTable, RawValues, TextValues, name_key};

/// Distinct numbers whose spelling is kept, should a text follow: a column with more is no category.
const SPELLED: usize = 512;

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
///
/// # Examples
/// ```
/// use burn_nca_data::{RawOptions, parse_raw};
///
/// let table = parse_raw("t.csv", b"age,city\n31,Rome\nNA,Oslo\n", &RawOptions::default())?;
/// assert_eq!(table.column("age").unwrap().num_missing(), 1);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
pub fn parse_raw(origin: &str, bytes: &[u8], options: &RawOptions) -> Result<RawTable> {
    read(Input::of_bytes(origin, bytes)?, options)
}

/// As [`parse_raw`].
pub(crate) fn read(input: Input<'_>, options: &RawOptions) -> Result<RawTable> {
    let sheet = open_sheet(input, &options.format, &options.wanted())?;
    let (origin, names) = (sheet.origin.clone(), sheet.names.clone());
    let mut notes = sheet.notes.clone();
    let (columns, about_order) = columns(&sheet, options)?;
    let is_in_order = about_order.is_some();
    notes.extend(about_order);
    if let Some((_, task)) = &options.target {
        // The last column is a numeric target.
        let features = columns.len() - usize::from(*task == TargetKind::Numeric);
        let is_feature = |(column, kind): &&(usize, Kind)| {
            *kind == Kind::Any && !options.also.contains(&names[*column])
        };
        let features = columns[..features].iter().filter(is_feature).map(|(column, _)| *column);
        notes.extend(sheet.about_codes(features));
    }
    let missing = Spellings::new(options.format.missing.as_ref());
    let builder = |&(column, kind): &(usize, Kind)| Builder {
        kind,
        decimal: options.format.decimal,
        missing: &missing,
        unlabeled: options.unlabeled_class.as_deref(),
        among_numbers: sheet.mostly_numbers.get(column).is_none_or(|mostly| *mostly),
        numbers: (kind == Kind::Any).then(Vec::new),
        word: false,
        text: Some(TextValues::default()),
    };
    let mut builders: Vec<Builder> = columns.iter().map(builder).collect();
    sheet.each_row(|record: &Record, _| {
        for (&(column, _), builder) in columns.iter().zip(&mut builders) {
            builder.push(record.field(column)).map_err(|reason| (column, reason))?;
        }
        Ok(())
    })?;
    let name = |at: usize, column: usize| match &options.columns {
        Some(wanted) if is_in_order && at < wanted.len() => &wanted[at],
        _ => &names[column],
    };
    let columns =
        columns.iter().zip(builders).enumerate().map(|(at, (&(column, _), builder))| {
            RawColumn::new(name(at, column), builder.values())
        });
    let table = RawTable::new(columns.collect()).map_err(|error| name_file(&origin, error))?;
    Ok(table.with_notes(notes))
}

/// What a column is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Numbers, or text where there is some.
    Any,
    /// Text whatever it holds.
    Text,
    /// Text, but for missing numbers among numbers.
    Levels,
    /// Text in which an empty cell alone is a missing value.
    Classes,
}

impl RawOptions {
    /// Whether they ask for columns by name or for text of another form, which only a table with names has.
    pub(crate) fn are_of_table(&self) -> bool {
        let by_name = matches!(self.target, Some((TargetColumn::Name(_), _)));
        let others = Self { target: None, unlabeled_class: None, ..self.clone() };
        by_name || others != Self::default()
    }

    /// The names by which columns are asked for.
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

/// Columns by their place, each with what it is read as.
type Chosen = Vec<(usize, Kind)>;

/// The columns to read, and what to say of their order.
fn columns(sheet: &Sheet<'_>, options: &RawOptions) -> Result<(Chosen, Option<Message>)> {
    let (origin, names) = (&sheet.origin, &sheet.names);
    let places = Places::new(origin, names)?;
    let target = match &options.target {
        None | Some((TargetColumn::None, _)) => None,
        Some((TargetColumn::Last, task)) => Some((names.len() - 1, *task)),
        Some((TargetColumn::Name(name), task)) => Some((places.find(name)?, *task)),
    };
    let find = |name: &String| places.find(name);
    let mut text: Vec<usize> = options.text.iter().map(find).collect::<Result<_>>()?;
    text.extend(options.text_if_there.iter().filter_map(|name| find(name).ok()));
    let also: Vec<usize> = options.also.iter().map(find).collect::<Result<_>>()?;
    let ignored: Vec<Vec<usize>> = options
        .ignore
        .iter()
        .filter(|name| places.are_to_find(name))
        .map(|name| places.find_all(name))
        .collect::<Result<_>>()?;
    let ignored = ignored.concat();
    if let Some((column, _)) = target
        && options.ignore.contains(&names[column])
    {
        return Err(target_is_ignored(origin, &names[column]));
    }
    let with_role = [&ignored, &text, &also].into_iter().flatten().copied();
    let others: Vec<usize> = with_role.chain(target.map(|(column, _)| column)).collect();
    let wanted = (options.columns.as_deref(), options.columns_in_order);
    let (wanted, about_order) = places.wanted(wanted, &ignored, &others)?;
    let is_role = |column: &usize| text.contains(column) || also.contains(column);
    let is_target = |column: &usize| target.is_some_and(|(target, _)| target == *column);
    let unnamed: Vec<usize> = wanted.iter().copied().filter(|column| !is_role(column)).collect();
    places.refuse_unnamed(&unnamed)?;
    let mut columns = wanted;
    for &role in text.iter().chain(&also) {
        if !columns.contains(&role) {
            columns.push(role);
        }
    }
    columns.retain(|column| !is_target(column));
    if columns.is_empty() {
        let text = format!(
            "{origin}: only the target column is left; ignore fewer columns, and separate values by commas, \
             semicolons, tabs, bars or spaces"
        );
        return Err(Error::data(
            Message::from(text).with_hints(separator_hint((names, sheet.has_spaces))),
        ));
    }
    let levels: Vec<usize> = options.levels.iter().filter_map(|name| find(name).ok()).collect();
    let kind = |column: usize| match (text.contains(&column), levels.contains(&column)) {
        (true, _) => Kind::Text,
        (false, true) => Kind::Levels,
        (false, false) => Kind::Any,
    };
    let mut columns: Vec<(usize, Kind)> =
        columns.into_iter().map(|column| (column, kind(column))).collect();
    columns.extend(target.map(|(column, task)| match task {
        TargetKind::Classes => (column, Kind::Classes),
        TargetKind::Numeric => (column, Kind::Any),
    }));
    Ok((columns, about_order))
}

/// A column while it is read.
struct Builder<'a> {
    kind: Kind,
    decimal: DecimalSign,
    missing: &'a Spellings,
    unlabeled: Option<&'a str>,
    /// Whether the first rows hold numbers, but for a few.
    among_numbers: bool,
    /// The numbers, as long as there is nothing else.
    numbers: Option<Vec<f64>>,
    /// Whether a number is missing that would be a word in text.
    word: bool,
    /// The cells as they are spelled, until there are too many for a category.
    text: Option<TextValues>,
}

impl Builder<'_> {
    /// Adds a cell, or says what is wrong with it.
    fn push(&mut self, cell: &str) -> Result<(), Message> {
        let missing = self.missing.is_missing(cell);
        if cell.contains('\0') {
            return Err(with_nul(cell).into());
        }
        let name = self.decimal.name(cell);
        let unlabeled = self.unlabeled.is_some_and(|class| name_key(class) == name_key(&name));
        if self.kind == Kind::Classes
            && missing
            && !cell.is_empty()
            && !self.missing.is_named(cell)
            && !unlabeled
        {
            let text = format!("{} is how a missing value is spelled", quoted(cell));
            return Err(Message::from(text).with_hints(class_hints(cell)));
        }
        let missing = missing || self.kind == Kind::Classes && unlabeled;
        let is_class = self.kind == Kind::Classes && !missing;
        if let Some(reason) = infinite_class(cell, is_class && self.among_numbers) {
            return Err(reason);
        }
        if let Some(numbers) = &mut self.numbers {
            match self.decimal.parse(cell) {
                _ if self.missing.is_missing_number(cell) => {
                    self.word |= !missing;
                    numbers.push(f64::NAN);
                }
                Some(number) if number.is_finite() => numbers.push(number),
                Some(_) => return Err(infinite("value", cell)),
                None => self.turn_to_text(),
            }
        }
        if let Some(text) = &mut self.text {
            let name = if self.kind == Kind::Text { cell } else { &*name };
            text.push((!missing).then_some(name));
            if self.numbers.is_some() && text.distinct().len() > SPELLED {
                self.text = None;
            }
        }
        Ok(())
    }

    /// Continues as text; of many numbers the spelling is no longer known.
    fn turn_to_text(&mut self) {
        let numbers = self.numbers.take().unwrap_or_default();
        let text = self.text.take();
        self.text = Some(text.unwrap_or_else(|| RawColumn::numbers("", numbers).into_text()));
    }

    fn values(mut self) -> RawValues {
        // Words alone are text.
        if self.word && self.numbers.iter().flatten().all(|number| number.is_nan()) {
            self.turn_to_text();
        }
        match (self.numbers, self.text.unwrap_or_default()) {
            (Some(numbers), _) => RawValues::Numbers(numbers),
            (None, text) if self.kind == Kind::Levels => {
                let (missing, decimal) = (self.missing, self.decimal);
                let is_missing = |text: &str| missing.is_missing_code(text);
                let number = |text: &str| decimal.parse(text).is_some_and(f64::is_finite);
                if text.distinct().iter().all(|text| is_missing(text) || number(text)) {
                    return RawValues::Text(
                        text.iter().map(|text| text.filter(|text| !is_missing(text))).collect(),
                    );
                }
                RawValues::Text(text)
            }
            (None, text) => RawValues::Text(text),
        }
    }
}

/// The columns, as text: a missing value is not a number, and so is not equal to itself.
#[cfg(test)]
pub(crate) fn shown(table: &RawTable) -> Vec<String> {
    let columns = table.columns().iter().map(|column| match column.values() {
        RawValues::Numbers(values) => format!("{} {values:?}", column.name()),
        RawValues::Text(text) => {
            format!("{} {:?}", column.name(), text.iter().collect::<Vec<_>>())
        }
    });
    columns.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let table = raw("a,b,c\n1,x,007\nNA,,1.0\n-2e1,?,z\n", &RawOptions::default());
        let RawValues::Numbers(a) = table.column("a").unwrap().values() else { panic!() };
        assert!(a[0] == 1.0 && a[1].is_nan() && a[2] == -20.0);
        assert_eq!(texts(&table, "b"), "x ∅ ∅");
        // The spelling stays, though text came last.
        assert_eq!(texts(&table, "c"), "007 1.0 z");
    }

    #[test]
    fn the_class_of_rows_without_one_is_missing_and_no_other() {
        let target = Some((TargetColumn::Last, TargetKind::Classes));
        let unlabeled_class = Some("?".to_string());
        let options = RawOptions { target, unlabeled_class, ..RawOptions::default() };
        let table = raw("a,y\n1,u\n2,?\n3,v\n", &options);
        assert_eq!(texts(&table, "y"), "u ∅ v");
    }

    #[test]
    fn words_of_missing_values_are_words_of_text_alone() {
        let missing = Some(vec![String::new()]);
        let format = TextFormat { missing, ..TextFormat::default() };
        let table = raw("a,b\n1,NA\nNA,US\n", &RawOptions { format, ..RawOptions::default() });
        assert_eq!(table.column("a").unwrap().num_missing(), 1);
        assert_eq!(texts(&table, "b"), "NA US");
    }

    #[test]
    fn whole_numbers_with_a_decimal_comma_are_levels_as_those_with_a_point() {
        let format = TextFormat { decimal: DecimalSign::Comma, ..TextFormat::default() };
        let levels = vec!["a".to_string()];
        let table =
            raw("a;b\n1,0;x\n2,5;y\n", &RawOptions { format, levels, ..RawOptions::default() });
        assert_eq!(texts(&table, "a"), "1.0 2,5");
    }

    #[test]
    fn a_dash_is_missing_among_numbers_and_a_word_among_words() {
        let text = "a,b,c,d\n1,-,-,1\n-,x,.,-\n.,nil,NA,2\nNA,-,Missing,x\n";
        let table = raw(text, &RawOptions::default());
        let RawValues::Numbers(a) = table.column("a").unwrap().values() else { panic!() };
        assert!(a[0] == 1.0 && a[1..].iter().all(|number| number.is_nan()));
        assert_eq!(texts(&table, "b"), "- x nil -");
        assert_eq!(texts(&table, "c"), "- . ∅ Missing");
        assert_eq!(texts(&table, "d"), "1 - 2 x");
    }

    #[test]
    fn levels_keep_their_spelling_and_have_missing_values_among_numbers() {
        let options = RawOptions { levels: vec!["a".into(), "b".into()], ..RawOptions::default() };
        let table = raw("a,b,c\n01,x,1\n-,-,2\n1.0,NA,3\n", &options);
        assert_eq!(texts(&table, "a"), "01 ∅ 1.0");
        assert_eq!(texts(&table, "b"), "x - ∅");
    }

    #[test]
    fn what_is_missing_can_be_named() {
        let format = TextFormat {
            missing: Some(["", "-9", "none"].map(String::from).to_vec()),
            ..TextFormat::default()
        };
        let options = RawOptions { format, ..RawOptions::default() };
        let table = raw("a,b\n-9.0,NA\n1,none\nnan,\n-9,x\n", &options);
        assert_eq!((table.column("a").unwrap().num_missing(), table.rows()), (3, 4));
        assert_eq!(texts(&table, "b"), "NA ∅ ∅ x");
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

    #[test]
    fn other_separators_decimal_signs_and_encodings_are_read() {
        let text = "größe;y\n1,5;ä\n;b\n";
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain(units).collect();
        let decimal = DecimalSign::Comma;
        let format = TextFormat { decimal, ..TextFormat::default() };
        let options = RawOptions { format: format.clone(), ..RawOptions::default() };
        let utf_16 = parse_raw("t", &bytes, &options).unwrap();
        assert_eq!(shown(&utf_16), shown(&raw(text, &options)));
        assert_eq!(utf_16.column("größe").unwrap().num_missing(), 1);
        let latin1 = b"gr\xf6\xdfe;y\n1,5;\xe4\n;b\n";
        let format = TextFormat { encoding: Some("latin1".into()), ..format };
        let options = RawOptions { format, ..RawOptions::default() };
        assert_eq!(shown(&parse_raw("t", latin1, &options).unwrap()), shown(&utf_16));
    }
}
