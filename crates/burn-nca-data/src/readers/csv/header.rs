//! The header line: which columns there are, and which of them are wanted.

use super::missing::Spellings;
use super::sheet::Sheet;
use super::{CsvOptions, TargetColumn, TargetKind};
use crate::excerpt::list;
use crate::near_name::suggestion;
use crate::readers::pattern;
use crate::{DecimalSign, Error, Hint, Message, Result, Setting, column_numbers, name_key, quoted};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Selection {
    pub(super) features: Vec<usize>,
    /// What to say of features that have the names wanted by their order alone.
    pub(super) about_order: Option<Message>,
    pub(super) target: Option<usize>,
    pub(super) text_hints: Vec<Hint>,
    pub(super) decimal: DecimalSign,
    pub(super) missing: Spellings,
    pub(super) unlabeled: Option<String>,
    /// Of which columns the first rows hold numbers, but for a few.
    pub(super) mostly_numbers: Vec<bool>,
    pub(super) set_apart: bool,
}

impl Selection {
    /// What to do about text in a column; none where it is one among numbers.
    pub(super) fn text_hints(&self, column: usize) -> Option<&[Hint]> {
        let exception = self.mostly_numbers.get(column).is_some_and(|mostly| *mostly);
        (!exception).then_some(&self.text_hints)
    }

    /// Whether the target holds numbers, but for a few; so it is said of one that no first rows are known of.
    pub(super) fn has_target_of_numbers(&self) -> bool {
        let mostly = self.target.and_then(|column| self.mostly_numbers.get(column));
        mostly.is_none_or(|mostly| *mostly)
    }

    /// Whether a cell of the target says that the row has no class.
    pub(super) fn is_unlabeled(&self, cell: &str) -> bool {
        cell.is_empty()
            || self.missing.is_named(cell)
            || self
                .unlabeled
                .as_deref()
                .is_some_and(|class| name_key(&self.decimal.name(cell)) == class)
    }
}

pub(super) fn select(sheet: &Sheet<'_>, options: &CsvOptions) -> Result<Selection> {
    let (origin, names) = (sheet.origin.as_str(), &sheet.names[..]);
    let places = Places::new(origin, names)?;
    let target = places.target(&options.target)?;
    let mut unwanted = places.ignored(&options.ignore, target)?;
    unwanted.extend(target);
    let wanted = (options.features.as_deref(), options.features_in_order);
    let (features, about_order) = places.wanted(wanted, &unwanted, &unwanted)?;
    if let Some(&column) = features.iter().find(|column| unwanted.contains(column)) {
        return Err(Error::setting(format!(
            "column {} of {origin} is wanted as a feature, but it is the target or ignored; \
             leave it out of one of the two",
            quoted(&names[column])
        )));
    }
    if features.is_empty() {
        return Err(no_feature(origin, (names, sheet.has_spaces)));
    }
    places.refuse_unnamed(&features)?;
    let mostly_numbers = sheet.mostly_numbers.clone();
    let mut text_hints = text_hints(options);
    // A target of text can be no feature instead.
    if target.and_then(|target| mostly_numbers.get(target)) == Some(&false) {
        text_hints.retain(|hint| *hint != Setting::Target.into());
    }
    Ok(Selection {
        features,
        about_order,
        target,
        text_hints,
        decimal: options.format.decimal,
        missing: Spellings::new(options.format.missing.as_ref()),
        unlabeled: options.unlabeled_class.as_deref().map(|class| name_key(class).into_owned()),
        mostly_numbers,
        set_apart: target.is_some()
            && options.set_unlabeled_apart
            && options.task == TargetKind::Classes,
    })
}

/// What to do about a feature that is text: only what these options leave open.
fn text_hints(options: &CsvOptions) -> Vec<Hint> {
    let settings = match (&options.features, &options.target) {
        (Some(_), TargetColumn::None) => vec![],
        (Some(_), _) => vec![Setting::Categorical(None)],
        (None, TargetColumn::None) => vec![Setting::Ignore],
        (None, _) => vec![Setting::Categorical(None), Setting::Ignore, Setting::Target],
    };
    std::iter::once(Hint::edit("correct it")).chain(settings.into_iter().map(Hint::from)).collect()
}

/// What to do about a table of one column whose first line holds spaces.
pub(crate) fn separator_hint((names, has_spaces): (&[String], bool)) -> Option<Hint> {
    (names.len() == 1 && has_spaces).then_some(Setting::SeparatorSpace.into())
}

fn no_feature(origin: &str, (names, has_spaces): (&[String], bool)) -> Error {
    let [only] = names else {
        let names = list(names);
        let text = format!("{origin}: no feature column is left of {names}; ignore fewer columns");
        return Error::data(text);
    };
    let text = format!(
        "{origin} has only one column, {}; a feature and a target are needed, separated by commas, \
         semicolons, tabs, bars or spaces",
        quoted(only)
    );
    Error::data(Message::from(text).with_hints(separator_hint((names, has_spaces))))
}

pub(crate) struct Places<'a> {
    origin: &'a str,
    names: &'a [String],
    by_name: BTreeMap<&'a str, usize>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(origin: &'a str, names: &'a [String]) -> Result<Self> {
        let mut by_name = BTreeMap::new();
        for (column, name) in names.iter().enumerate() {
            if let Some(first) = by_name.insert(name.as_str(), column) {
                return Err(Error::data(format!(
                    "{origin}: columns {} and {} are both named {}; rename one of them",
                    first + 1,
                    column + 1,
                    quoted(name)
                )));
            }
        }
        Ok(Self { origin, names, by_name })
    }

    pub(crate) fn target(&self, target: &TargetColumn) -> Result<Option<usize>> {
        match target {
            TargetColumn::Last => Ok(Some(self.names.len() - 1)),
            TargetColumn::Name(name) => self.find(name).map(Some),
            TargetColumn::None => Ok(None),
        }
    }

    /// The columns to leave out, of which the target is none.
    pub(crate) fn ignored(&self, names: &[String], target: Option<usize>) -> Result<Vec<usize>> {
        if let Some(target) = target.map(|column| &self.names[column])
            && names.contains(target)
        {
            return Err(Error::setting(format!(
                "column {} of {} is both the target and ignored; name another target, or do not ignore it",
                quoted(target),
                self.origin
            )));
        }
        // The empty name may be that of a separator at the line ends, which makes no column.
        let to_find = |name: &&String| !name.is_empty() || self.by_name.contains_key("");
        let columns = names.iter().filter(to_find).map(|name| self.find_all(name));
        Ok(columns.collect::<Result<Vec<_>>>()?.concat())
    }

    /// The columns of a name, or of a pattern where no column has that very name.
    fn find_all(&self, wanted: &str) -> Result<Vec<usize>> {
        if !pattern::is_pattern(wanted) || self.by_name.contains_key(wanted) {
            return Ok(vec![self.find(wanted)?]);
        }
        let is_one = |column: &usize| pattern::matches(wanted, &self.names[*column]);
        let columns: Vec<usize> = (0..self.names.len()).filter(is_one).collect();
        if columns.is_empty() {
            return Err(Error::data(format!(
                "no column of {} has a name like {}; its columns are {}",
                self.origin,
                quoted(wanted),
                list(self.names)
            )));
        }
        Ok(columns)
    }

    /// The columns without those of a `role`, where the names wanted are those of columns without any (x1, x2, …), and the
    /// table has none of these.
    fn in_order(&self, wanted: &[String], role: &[usize]) -> Result<Option<Vec<usize>>> {
        let is_known = |name: &String| wanted.contains(&name.to_lowercase());
        if wanted != column_numbers(wanted.len()) || self.names.iter().any(is_known) {
            return Ok(None);
        }
        let columns: Vec<usize> =
            (0..self.names.len()).filter(|column| !role.contains(column)).collect();
        let (found, expected) = (columns.len(), wanted.len());
        if found == expected {
            return Ok(Some(columns));
        }
        let text = format!(
            "{}: the columns of the fit have no names and are taken in their order, {expected} in number, not {found} ({})",
            self.origin,
            self.list(&columns)
        );
        let message = Message::from(text).with_hint(Hint::edit(match found > expected {
            true => "remove what is not a feature",
            false => "give a table of all features",
        }));
        let is_id = found == expected + 1 && role.is_empty();
        Err(Error::data(message.with_hints(is_id.then_some(Setting::Id.into()))))
    }

    fn list(&self, columns: &[usize]) -> String {
        list(&columns.iter().map(|&column| self.names[column].clone()).collect::<Vec<_>>())
    }

    /// The columns of these names, in the order of the table where that is asked for and possible (those with a `role` have no
    /// place in it), or all that are not `ignored`; and what to say of the order.
    pub(crate) fn wanted(
        &self,
        (names, in_order): (Option<&[String]>, bool),
        ignored: &[usize],
        role: &[usize],
    ) -> Result<(Vec<usize>, Option<Message>)> {
        let Some(names) = names else {
            let all = 0..self.names.len();
            return Ok((all.filter(|column| !ignored.contains(column)).collect(), None));
        };
        if in_order && let Some(columns) = self.in_order(names, role)? {
            let about = format!(
                "{}: the columns of the fit have no names, and those of the table are taken in their order: {}",
                self.origin,
                self.list(&columns)
            );
            return Ok((columns, Some(about.into())));
        }
        Ok((self.chosen(names, ignored)?, None))
    }

    /// The columns of these names and patterns, each once; of a pattern those that are not `unwanted`.
    fn chosen(&self, wanted: &[String], unwanted: &[usize]) -> Result<Vec<usize>> {
        let mut chosen = Vec::with_capacity(wanted.len());
        let mut is_chosen = vec![false; self.names.len()];
        for name in wanted {
            let by_pattern = pattern::is_pattern(name) && !self.by_name.contains_key(name.as_str());
            for column in self.find_all(name)? {
                if by_pattern && (unwanted.contains(&column) || is_chosen[column]) {
                    continue;
                }
                is_chosen[column] = true;
                chosen.push(column);
            }
        }
        Ok(chosen)
    }

    pub(crate) fn refuse_unnamed(&self, features: &[usize]) -> Result<()> {
        let unnamed = |column: &&usize| self.names[**column].is_empty();
        match features.iter().find(unnamed) {
            None => Ok(()),
            Some(&column) => Err(Error::data(format!(
                "{}: column {} has no name (an index that pandas or R wrote?); name it in the \
                 header line, remove it, or ignore it by the name \"\"",
                self.origin,
                column + 1
            ))),
        }
    }

    pub(crate) fn find(&self, wanted: &str) -> Result<usize> {
        self.by_name.get(wanted).copied().ok_or_else(|| {
            Error::data(format!(
                "{} has no column {}; {}its columns are {}",
                self.origin,
                quoted(wanted),
                suggestion(wanted, self.names.iter().map(String::as_str)),
                list(self.names)
            ))
        })
    }
}
