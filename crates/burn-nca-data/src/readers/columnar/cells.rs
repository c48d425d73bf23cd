//! The values of a batch of rows as the cells of delimited text.

use std::ops::Range;

use arrow_array::{Array, ArrayRef, RecordBatch, cast::AsArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Schema};
use serde::Deserialize;

use super::SEPARATOR;
use super::reason::Reason;
use crate::{DecimalSign, quoted};

pub(super) struct Cells {
    columns: Vec<Column>,
    /// An empty line would be none.
    is_single: bool,
    decimal: DecimalSign,
}

struct Column {
    place: usize,
    name: String,
    /// The numbers of each list, where it is a column of lists: each is a column of the text.
    length: Option<usize>,
    is_number: bool,
}

impl Column {
    fn width(&self) -> usize {
        self.length.unwrap_or(1)
    }
}

impl Cells {
    /// The columns of a schema; a batch of rows tells how long lists are.
    pub(super) fn new(schema: &Schema, first: Option<&RecordBatch>, decimal: DecimalSign) -> Self {
        let column = |place: usize| {
            let field = schema.field(place);
            let length = match field.data_type() {
                DataType::FixedSizeList(item, length) if is_number(item.data_type()) => {
                    Some(usize::try_from(*length).unwrap_or(0))
                }
                DataType::List(item) | DataType::LargeList(item) if is_number(item.data_type()) => {
                    Some(first.map_or(0, |batch| length_of_lists(batch.column(place))))
                }
                _ => None,
            };
            let is_number = length.is_some() || is_number(field.data_type());
            Column { place, name: field.name().clone(), length, is_number }
        };
        let columns: Vec<Column> = without_index(schema).into_iter().map(column).collect();
        let width: usize = columns.iter().map(Column::width).sum();
        Self { columns, is_single: width == 1, decimal }
    }

    /// The header line: `x[0]`, `x[1]`, … for a column x of lists.
    pub(super) fn header(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for Column { name, length, .. } in &self.columns {
            match length {
                None => push(&mut text, name, self.is_single),
                Some(length) => (0..*length)
                    .for_each(|at| push(&mut text, &format!("{name}[{at}]"), self.is_single)),
            }
        }
        end_line(&mut text);
        text
    }

    /// A line for every row of a batch, before which there were `before`.
    pub(super) fn rows_of(&self, batch: &RecordBatch, before: usize) -> Result<Vec<u8>, Reason> {
        let options = FormatOptions::new();
        let arrays = self.columns.iter().map(|column| universal(batch.column(column.place)));
        let arrays: Vec<ArrayRef> = arrays.collect::<Result<_, Reason>>()?;
        let mut columns = Vec::with_capacity(self.columns.len());
        for (column, array) in self.columns.iter().zip(&arrays) {
            let parts = column.length.map_or(Parts::each(array), |_| Parts::of_lists(array));
            let values = ArrayFormatter::try_new(parts.values, &options)?;
            columns.push((column, array, parts, values));
        }
        let (mut text, mut cell) = (Vec::new(), String::new());
        for row in 0..batch.num_rows() {
            for (column, array, parts, values) in &columns {
                let part = parts.of_row(row);
                if array.is_null(row) {
                    (0..column.width()).for_each(|_| push(&mut text, "", self.is_single));
                } else if part.len() == column.width() {
                    for at in part {
                        cell.clear();
                        values.value(at).write(&mut cell)?;
                        if column.is_number && self.decimal == DecimalSign::Comma {
                            cell = cell.replace('.', ",");
                        }
                        push(&mut text, &cell, self.is_single);
                    }
                } else {
                    return Err(Reason::Values(format!(
                        "row {}, column {}: a list of {} numbers where the first row has {}; lists are read as one \
                         column per number, so write lists of one length",
                        before + row + 1,
                        quoted(&column.name),
                        part.len(),
                        column.width()
                    )));
                }
            }
            end_line(&mut text);
        }
        Ok(text)
    }
}

/// Times of a time zone as universal time; anything else as it is.
fn universal(array: &ArrayRef) -> Result<ArrayRef, Reason> {
    match array.data_type() {
        DataType::Timestamp(unit, Some(_)) => {
            Ok(arrow_cast::cast(array, &DataType::Timestamp(*unit, None))?)
        }
        _ => Ok(array.clone()),
    }
}

/// The values of a column, or of all its lists, and where those of each row begin and the last one's end.
struct Parts<'a> {
    values: &'a ArrayRef,
    starts: Vec<usize>,
}

impl<'a> Parts<'a> {
    fn each(values: &'a ArrayRef) -> Self {
        Self { values, starts: (0..=values.len()).collect() }
    }

    fn of_lists(array: &'a ArrayRef) -> Self {
        if let Some(lists) = array.as_list_opt::<i32>() {
            let starts = lists.value_offsets().iter().map(|&start| start as usize).collect();
            return Self { values: lists.values(), starts };
        }
        if let Some(lists) = array.as_list_opt::<i64>() {
            let starts = lists.value_offsets().iter().map(|&start| start as usize).collect();
            return Self { values: lists.values(), starts };
        }
        let lists = array.as_fixed_size_list();
        let length = usize::try_from(lists.value_length()).unwrap_or(0);
        let starts = (0..=array.len()).map(|row| row * length).collect();
        Self { values: lists.values(), starts }
    }

    fn of_row(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }
}

/// The length of the first list that is there.
fn length_of_lists(array: &ArrayRef) -> usize {
    let parts = Parts::of_lists(array);
    (0..array.len()).find(|&row| array.is_valid(row)).map_or(0, |row| parts.of_row(row).len())
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_numeric() || *data_type == DataType::Boolean
}

/// Adds a cell and the separator after it; an empty line would be none.
fn push(text: &mut Vec<u8>, cell: &str, is_single: bool) {
    let must_be_quoted = |byte: &u8| matches!(*byte, SEPARATOR | b'"' | b'\n' | b'\r');
    if cell.as_bytes().iter().any(must_be_quoted) || is_single && cell.is_empty() {
        text.extend(format!("\"{}\"", cell.replace('"', "\"\"")).bytes());
    } else {
        text.extend_from_slice(cell.as_bytes());
    }
    text.push(SEPARATOR);
}

/// Ends a line, in place of its last separator.
fn end_line(text: &mut Vec<u8>) {
    if text.last() == Some(&SEPARATOR) {
        text.pop();
    }
    text.push(b'\n');
}

/// What pandas says of its table, in addition to the columns.
#[derive(Deserialize)]
struct Pandas {
    /// Names, or what a range of numbers is.
    index_columns: Vec<serde_json::Value>,
}

/// The columns in the order wanted: an index of pandas, which writes it last, comes first by its name, or not at all.
fn without_index(schema: &Schema) -> Vec<usize> {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let pandas = schema.metadata().get("pandas");
    let pandas = pandas.and_then(|text| serde_json::from_str::<Pandas>(text).ok());
    let index: Vec<String> = pandas.map_or_else(Vec::new, |pandas| {
        let names = pandas.index_columns.into_iter();
        names.filter_map(|name| name.as_str().map(String::from)).collect()
    });
    let place = |name: &String| names.iter().position(|other| other == name);
    let index: Vec<usize> = index.iter().filter_map(place).collect();
    let named = index.iter().copied().filter(|&column| !is_made_up(names[column]));
    let others = (0..names.len()).filter(|column| !index.contains(column));
    named.chain(others).collect()
}

fn is_made_up(name: &str) -> bool {
    let level = name.strip_prefix("__index_level_").and_then(|rest| rest.strip_suffix("__"));
    level.is_some_and(|level| level.bytes().all(|byte| byte.is_ascii_digit()))
}
