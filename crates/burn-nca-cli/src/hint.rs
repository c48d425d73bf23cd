//! Hints of the library as options of the program.

use burn_nca_data::{Hint, Setting, hint_sentence, quoted};
use burn_nca_program::shell_word;

/// The most letters of a value in a hint.
const LONGEST: usize = 60;

/// Whether a command fits a model, or uses one that is fitted: which options it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    Fit,
    /// `nca predict` and `nca transform`, which write a line for each row.
    Embed,
    Use,
}

/// What to do about a message, by options of this command; `None` where none helps.
pub fn hint_text<'a>(
    hints: impl IntoIterator<Item = &'a Hint>,
    command: CommandKind,
) -> Option<String> {
    hint_sentence(hints, |setting| words(setting, command))
}

/// A name as an item of a list of names, which holds commas and spaces in quotation marks.
pub fn list_item(name: &str) -> String {
    if name.is_empty() || name.trim() != name || name.contains(['"', ',']) {
        return format!("\"{}\"", name.replace('"', "\"\""));
    }
    name.to_string()
}

/// What to do about an option that names a column and has no use: without it the column would be a feature.
pub fn ignore_instead(option: &str, column: &str) -> String {
    let name = typed(&list_item(column)).map_or(String::new(), |name| format!(" {name}"));
    format!("give --ignore{name} in place of {option}")
}

/// A value as it is typed in a shell; `None` where it is too long for that, or holds control characters.
fn typed(value: &str) -> Option<String> {
    let is_short = value.chars().count() <= LONGEST && !value.contains(char::is_control);
    is_short.then(|| shell_word(value))
}

/// A setting as an option of this command, or what does the same where a model is fitted already.
fn words(setting: &Setting, command: CommandKind) -> Option<String> {
    let fits = command == CommandKind::Fit;
    let words = match setting {
        Setting::Encoding(None) => "give the --encoding of the file, such as latin1",
        Setting::Encoding(Some(name)) => return Some(format!("give --encoding {name}")),
        Setting::SeparatorSpace => {
            "give --separator space if runs of spaces or tabs separate values"
        }
        Setting::Header(true) => "give --header yes if the first line holds names",
        Setting::Header(false) => "give --header no if the first line is a row",
        Setting::DecimalComma => "give --decimal comma to read 1,5",
        Setting::OwnEncoder => "load it in the program that saved it",
        Setting::MissingRule if fits => "give --missing drop, mean, median or most-frequent",
        Setting::MissingRule => "give nca fit --missing drop, mean, median or most-frequent",
        Setting::MissingValue(text) if fits => {
            let text = typed(&list_item(text))?;
            return Some(format!("give --missing drop --missing-values {text}"));
        }
        Setting::MissingValue(text) => {
            return Some(format!("replace {} by a number, as in the fit", quoted(text)));
        }
        Setting::UnlabeledClass(class) => {
            let give = match fits {
                true => format!("give --unlabeled-class {}", typed(class)?),
                false => format!("write an empty cell in place of {}", quoted(class)),
            };
            return Some(format!("{give} if it marks rows without a class"));
        }
        Setting::Id if command != CommandKind::Use => "carry it along by --id",
        Setting::Id => return None,
        _ if !fits => return None,
        Setting::Classes => "leave --task regression or --soft out to read the target as classes",
        Setting::Numbers => "give --task regression",
        Setting::NoMissingValues => "give --missing-values '' if NA and the like are words",
        Setting::DropMissing => "give --missing drop, which leaves them out",
        Setting::Categorical(Some(name)) => {
            let names = typed(&format!("auto,{}", list_item(name)))?;
            return Some(format!("give --categorical {names}"));
        }
        Setting::Categorical(None) => "give --categorical auto to make features of text",
        Setting::Ignore => "leave the column out by --ignore",
        Setting::Target => "name it as the --target",
        Setting::MaxLevels => "allow more levels by --max-levels",
        Setting::Shrinkage(value) => return Some(format!("give --set shrinkage={value}")),
        Setting::Dimensions(number) => return Some(format!("give --dim {number}")),
        Setting::LinearEncoder => "give --encoder linear",
        Setting::AutoSums => "leave --sums out",
        Setting::AutoStart => "leave --init out",
    };
    Some(words.to_string())
}
