//! Messages whose cure is worded in their text: of tables, methods, fits and models, and those of the program itself.
//!
//! ```text
//! "{labels} labels for {rows} rows; give one label per row" ◄─ matches ─ "3 labels for 2 rows; give one label per row"
//!  a text of the sources                                                  what a run, or a call of the library, said
//! ```
//! Each such text is met by a message whose every cure was tried, or it has a reason why not. A message that the program can
//! give is one of a run; what only callers of the library meet is the error of a call, and the cure another call.

use std::fmt::Display;
use std::path::Path;

use burn_nca_data::Result;

use super::text::{self, MODELS, WORDED};
use super::{
    check_all, fitted, layers, learned, measured, minimized, ranges, runs, tables, values,
};

/// A call that is refused, and its cures.
pub(super) struct Refused {
    message: String,
    /// What of the cure is not tried yet.
    rest: String,
    wrong: Vec<String>,
}

/// The error of a call.
pub(super) fn refused<T, E: Display>(result: Result<T, E>) -> Refused {
    let message = result.err().map_or(String::new(), |error| error.to_string());
    let rest = message.split_once("; ").map_or("", |(_, cure)| cure).to_string();
    Refused { message, rest, wrong: Vec::new() }
}

/// The panic of a call, as an error.
pub(super) fn caught<T>(call: impl FnOnce() -> T) -> Result<T> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    caught.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        let text = text.unwrap_or_default();
        // Two values that are to be equal are shown once more.
        let text = text.strip_prefix("assertion `left == right` failed: ").unwrap_or(&text);
        burn_nca_data::Error::data(text.split("\n  left: ").next().unwrap_or_default())
    })
}

impl Refused {
    /// The part `words` of the cure is done by this call.
    pub(super) fn by<T, E: Display>(mut self, words: &str, cured: Result<T, E>) -> Self {
        if !self.rest.contains(words) {
            self.wrong.push(format!("{words:?} is not in {:?} of {:?}", self.rest, self.message));
        }
        self.rest = self.rest.replacen(words, "", 1);
        if let Err(error) = cured {
            self.wrong.push(format!("the cure {words:?} of {:?} gives: {error}", self.message));
        }
        self
    }

    /// The message, where all of its cures were tried and work.
    fn tried(mut self) -> Result<String, String> {
        let is_left = |word: &&str| !matches!(*word, "" | "or" | "and");
        if self.rest.split([',', ' ']).any(|word| is_left(&word)) {
            self.wrong.push(format!("{:?} of {:?} is not tried", self.rest, self.message));
        }
        match &self.wrong[..] {
            [] => Ok(self.message),
            _ => Err(self.wrong.join("\n")),
        }
    }
}

/// The sources whose texts are looked at; `sites.rs` looks at those of readers.
const SOURCES: [&str; 13] = [
    "burn-nca/src",
    "burn-nca-cli/src",
    "burn-nca-data/src/sets",
    "burn-nca-data/src/tables",
    "burn-nca-data/src/writers",
    "burn-nca-figures/src",
    "burn-nca-files/src",
    "burn-nca-fused/src",
    "burn-nca-learn/src",
    "burn-nca-onnx/src",
    "burn-nca-program/src",
    "burn-nca-report/src",
    "burn-nca-web/src",
];

/// Texts without a case, by the begin of their file and of themselves, and why.
const UNTRIED: &str = r"
device/mod.rs | no CPU backend | it takes another build
device/mod.rs | device {name:?}: the backend | it takes another build
device/mod.rs | device {name:?} is not there: {backend} has | it takes a GPU
device/mod.rs | device {name:?} is not there: {backend} finds | it takes another build
fit/solution.rs | Not converged: no lower value | it says why, not what to do
fit/solution.rs | Trained elsewhere | it says what is not known
stochastic/state.rs | the checkpoint holds no usable | a changed checkpoint is refused before
sums/mod.rs | plain sums over pairs | it takes CUDA
train/batch.rs | sample {} has {} features | its test tries it
train/sampler.rs | there is no labeled row | its test tries it
train/sampler.rs | a batch of {classes_per_batch} classes | its test tries it
cli/fit.rs | Examples | a part of the help
cli/mod.rs | Examples | a part of the help
cli/use_model.rs | Examples | a part of the help
cli/use_model.rs | A NumPy array | a part of the help
cli/use_model.rs | A Parquet table | a part of the help
commands/demo.rs | text/ | a media type
commands/demo.rs | the port {} cannot be used | invocation.rs tries it
fitting/run_folder.rs | interrupted after {done}; resume | interruption.rs resumes it
fitting/run_folder.rs | interrupted after {done}; nothing | it says what is lost
commands/info.rs | ; no gradient steps | it describes a model
commands/evaluate.rs | {pairs} among {rows}; each | it describes a measure
fitting/model_words.rs | Not converged: no lower value | small tables end so by rounding alone
fitting/model_words.rs | Not converged: the value or | its cures are of several causes, which no run has at once
fitting/warnings.rs | {} are many for sums | it takes 40,000 rows
fitting/progress.rs | the checkpoint cannot be written | it says what would be lost
fitting/recording.rs | the steps for the replay | it says what would be lost
fitting/stages.rs | interrupted {doing} | interruption.rs gives the command again
fitting/stages.rs | {}; {} in all | the head of a table of times
fitting/tuning.rs | interrupted before the first | it says that nothing is there to resume
fitting/tuning.rs | ; best | it says how far a search is
src/source.rs | ; {} % held out | it describes a fit
tables/hints.rs | {} for {}: a map can set | it says what learns less; the table stays small
tables/of_fit.rs | {rows} no class | it says what else gives their classes
tables/opened.rs | {} are reduced | it says what was done
tables/sparse.rs | {} of which | it says what was done
tables/sparse.rs | ; after {} of {} passes | it says what was done
preparation/apply.rs | ; {} is {level} | the end of a remark, which says what is done
preparation/apply.rs | ; {text} is {level} | the end of a remark, which says what is done
src/atomic.rs | {error}; the new contents | it says where they are
src/target.rs | this is a disk | it takes a disk
operation/ops.rs | Burn differentiates | it says why
operation/mod.rs | {sum:?} is no operation | burn-nca refuses the same before
layers/mod.rs | no such operation | encoders ask before what the device has
src/self_test.rs | device {} fails | it takes a device that computes wrongly
baseline/eigen.rs | the eigenvectors of the | no table is known that has none
coincidence/neighborhoods.rs | the rows have more than | it takes 8 million pairs
method/gradient.rs | the device {device:?} has no | it takes a device without f64
metric/points.rs | {rank}; WARNING | a line of Burn's dashboard, on what may help
modern/members.rs | the checkpoint holds no usable | a changed checkpoint is refused before
neighbors/search.rs | {m} references; at most | it takes gigabytes
src/interrupt.rs | \nstopping after | it says what comes next
src/run_folder.rs | {partial} cannot be renamed | faults.rs resumes it
src/run_folder.rs | the run is complete in {target} | it takes a disk that fails
evaluation/new_numbers.rs | {}, target {target} | it describes a measure
evaluation/new_rows_text.rs | {}, neighbors among | it describes a measure
evaluation/new_rows_text.rs | lower is better | it describes a measure
evaluation/new_rows_text.rs | higher is better | it describes a measure
evaluation/new_rows_text.rs | {test}, two-sided | it describes a measure
evaluation/repeats.rs | ; on the other | it gives a score
evaluation/warnings.rs | the embedding of {} dimensions | small tables end so by rounding alone
src/picture_file.rs | this build writes | it takes another build
src/picture_file.rs | this run has no picture | only an edited report has no embedding
src/picture_file.rs | ; pale: training | it describes a picture
comparison/ |  | pages describe a fit
confusion/ |  | pages describe a fit
page/ |  | pages describe a fit
picture/ |  | pages describe a fit
tuning/ |  | pages describe a fit
sections/ |  | pages describe a fit
src/learning.rs | the held-out share | the tests of burn-nca-web try it
src/measures.rs | a network has no matrix | the tests of burn-nca-web try it
src/neighbors.rs | there is no row | the tests of burn-nca-web try it
src/new_rows.rs | there are {count} new rows | the tests of burn-nca-web try it
src/new_rows.rs | the row has {} cells | the tests of burn-nca-web try it
src/new_rows.rs | {cell:?} is no number | the tests of burn-nca-web try it
src/table.rs | there is no bundled set | the tests of burn-nca-web try it
src/table.rs | {name}: no row has a class | the tests of burn-nca-web try it
src/table.rs | the target | the tests of burn-nca-web try it
";

/// The lines of a table of texts as its cells.
pub(super) fn cells<const N: usize>(
    table: &'static str,
) -> impl Iterator<Item = [&'static str; N]> {
    let of_line = |line: &'static str| line.split(" | ").collect::<Vec<_>>().try_into().unwrap();
    table.trim_matches('\n').lines().map(of_line)
}

#[test]
fn every_cure_in_words_of_the_library_works_or_has_a_reason_why_not() {
    let of_library = [
        tables::all(),
        learned::all(),
        fitted::all(),
        ranges::all(),
        minimized::all(),
        measured::all(),
        layers::all(),
    ];
    let calls = of_library.into_iter().flatten().chain(runs::calls()).map(Refused::tried);
    let (tried, wrong): (Vec<_>, Vec<_>) = calls.partition(Result::is_ok);
    let wrong: Vec<String> = wrong.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let cases = [MODELS, WORDED].map(text::cases).concat();
    let (ran, refused) = std::thread::scope(|scope| {
        let values = scope.spawn(values::messages);
        (check_all(&cases), values.join().unwrap())
    });
    let met: Vec<String> = tried.into_iter().flatten().chain(ran).chain(refused).collect();
    let mut texts = Vec::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    SOURCES.iter().for_each(|folder| add_texts(&crates.join(folder), &mut texts));
    let reasons = |(file, text): &(String, String)| {
        let is_of = |[of, begin, _]: &[&str; 3]| file.starts_with(of) && text.starts_with(begin);
        cells(UNTRIED).filter(is_of).count()
    };
    let is_tried = |(_, text): &(String, String)| met.iter().any(|message| matches(text, message));
    let open: Vec<String> = texts
        .iter()
        .filter(|text| usize::from(is_tried(text)) + reasons(text) != 1)
        .map(|(file, text)| format!("{file}: {text}"))
        .collect();
    let is_gone = |[of, begin, _]: &[&str; 3]| {
        !texts.iter().any(|(file, text)| file.starts_with(of) && text.starts_with(begin))
    };
    let gone: Vec<_> = cells(UNTRIED).filter(is_gone).collect();
    assert!(
        open.is_empty() && gone.is_empty(),
        "without a case, or with a case and a reason:\n{}\nno text of the sources: {gone:#?}",
        open.join("\n")
    );
}

/// The first message with a hint, and the hint.
pub(super) fn message_and_hint(stderr: &str) -> Option<(&str, &str)> {
    let lines: Vec<&str> = stderr.lines().collect();
    lines.windows(2).find_map(|pair| {
        let (_, message) = pair[0].split_once(": ")?;
        Some((message, pair[1].strip_prefix("hint: ")?))
    })
}

/// The message of these words without a hint, and what it asks for.
pub(super) fn message_and_edit<'a>(stderr: &'a str, says: &str) -> Option<(&'a str, &'a str)> {
    let kinds = ["error: ", "warning: ", "note: "];
    let mut messages = stderr
        .lines()
        .filter_map(|line| kinds.iter().find_map(|kind| line.strip_prefix(kind))?.split_once("; "));
    messages.find(|(message, _)| message.contains(says))
}

/// Whether a message is one of this text, whose values stand in braces.
fn matches(text: &str, message: &str) -> bool {
    let mut rest = message;
    text.trim_end_matches('.')
        .split('{')
        .flat_map(|part| part.split_once('}').map_or(part, |(_, after)| after).lines())
        .all(|piece| match rest.split_once(piece) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        })
}

/// The texts of a source, or of a folder of sources, that have a semicolon, each with its file.
pub(super) fn add_texts(path: &Path, texts: &mut Vec<(String, String)>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).unwrap();
        entries.for_each(|entry| add_texts(&entry.unwrap().path(), texts));
    } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
        let text = std::fs::read_to_string(path).unwrap();
        let names: Vec<_> = path.iter().rev().take(2).map(|name| name.to_string_lossy()).collect();
        let file = format!("{}/{}", names[1], names[0]);
        // The words between values.
        let has_words = |text: &str| {
            text.split(['{', '}']).step_by(2).any(|part| part.contains(char::is_alphabetic))
        };
        let found = messages(&text).into_iter();
        let found = found.filter(|text| text.contains("; ") && has_words(text));
        texts.extend(found.map(|text| (file.clone(), text)));
    }
}

/// What precedes a text that is no message: it says what a method or a setting is for.
const DESCRIPTIONS: [&str; 2] = ["WHEN_TO_USE: &'static str =", "help:"];

/// The texts in quotation marks of a source, without its tests, comments and descriptions.
fn messages(source: &str) -> Vec<String> {
    let text = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    let text = lines.collect::<Vec<_>>().join("\n").replace("\\\n", "").replace("\\\"", "''");
    let parts: Vec<&str> = text.split('"').collect();
    let is_message = |part: &&[&str]| {
        let code = part[0].trim_end();
        part.len() > 1 && !DESCRIPTIONS.iter().any(|description| code.ends_with(description))
    };
    parts.chunks(2).filter(is_message).map(|part| part[1].replace("''", "\"")).collect()
}
