//! Which columns are read as they are, and each as what.

use super::RawOptions;
use crate::readers::csv::{Places, Sheet, separator_hint};
use crate::{Error, Message, Result, TargetKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Numbers, or text where there is some.
    Any,
    /// Text whatever it holds.
    Text,
    /// Text, but for missing numbers among numbers.
    Levels,
    /// Text in which an empty cell alone is a missing value.
    Classes,
}

/// Columns by their place, each with what it is read as.
pub(super) type Chosen = Vec<(usize, Kind)>;

/// The columns to read, and what to say of their order.
pub(super) fn choose(sheet: &Sheet<'_>, options: &RawOptions) -> Result<(Chosen, Option<Message>)> {
    let (origin, names) = (&sheet.origin, &sheet.names);
    let places = Places::new(origin, names)?;
    let target = match &options.target {
        Some((column, task)) => places.target(column)?.map(|column| (column, *task)),
        None => None,
    };
    let target_column = target.map(|(column, _)| column);
    let find = |name: &String| places.find(name);
    let all = |names: &[String]| names.iter().map(find).collect::<Result<Vec<usize>>>();
    let those_there = |names: &[String]| -> Vec<usize> {
        names.iter().filter_map(|name| find(name).ok()).collect()
    };
    let text = [all(&options.text)?, those_there(&options.text_if_there)].concat();
    let also = all(&options.also)?;
    let levels = those_there(&options.levels);
    let ignored = places.ignored(&options.ignore, target_column)?;
    let roles = [&text[..], &also].concat();
    let others: Vec<usize> = ignored.iter().chain(&roles).copied().chain(target_column).collect();
    let wanted = (options.columns.as_deref(), options.columns_in_order);
    let (mut columns, about_order) = places.wanted(wanted, &ignored, &others)?;
    let features = columns.iter().copied().filter(|column| !roles.contains(column));
    places.refuse_unnamed(&features.collect::<Vec<_>>())?;
    for role in roles {
        if !columns.contains(&role) {
            columns.push(role);
        }
    }
    columns.retain(|column| Some(*column) != target_column);
    if columns.is_empty() {
        let text = format!(
            "{origin}: only the target column is left; ignore fewer columns, and separate values by commas, \
             semicolons, tabs, bars or spaces"
        );
        let spaces = separator_hint((names, sheet.has_spaces));
        return Err(Error::data(Message::from(text).with_hints(spaces)));
    }
    let kind = |column: usize| match (text.contains(&column), levels.contains(&column)) {
        (true, _) => Kind::Text,
        (false, true) => Kind::Levels,
        (false, false) => Kind::Any,
    };
    let columns = columns.into_iter().map(|column| (column, kind(column)));
    let target = target.map(|(column, task)| match task {
        TargetKind::Classes => (column, Kind::Classes),
        TargetKind::Numeric => (column, Kind::Any),
    });
    Ok((columns.chain(target).collect(), about_order))
}
