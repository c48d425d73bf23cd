//! The field's standard English: phrases that sources and documents no longer use, each with the standard one.

/// Retired phrases in lower case, found as whole words, and what to write.
const RETIRED: [(&str, &str); 62] = [
    ("the rows where the metric puts them", "embedding"),
    ("beside the baselines", "comparison with baselines"),
    ("which class is taken for which", "confusion matrix"),
    ("how each class fares", "per-class precision and recall"),
    ("what the metric looks at", "feature importance"),
    ("what was tried", "hyperparameter search"),
    ("how the metric was learned", "training"),
    ("right with the learned metric", "accuracy, and the method in brackets"),
    ("expected right", "expected correct"),
    ("without a step", "no gradient steps, zero iterations"),
    ("that was set or chosen", "reached the requested number of steps"),
    ("flatter you", "optimistic: these rows were used for training"),
    ("these figures flatter", "optimistic: these rows were used for training"),
    ("can tell nothing apart", "constant, carries no information"),
    ("stand twice", "duplicate"),
    ("stands twice", "duplicate"),
    ("takes no row for another class", "no 1-NN errors"),
    ("is no whole report", "is not a complete report"),
    ("skips what may be skipped", "Ctrl-C to skip"),
    ("the search goes on", "resuming search"),
    ("the fit goes on", "the fit continues"),
    ("nothing to go on", "nothing to resume"),
    ("that are nothing else", "not used otherwise"),
    ("drawn, and in no figure", "plotted, but excluded from all scores"),
    ("parted", "split"),
    ("comes on top", "excluding"),
    ("own softmax counts", "k = perplexity of the metric"),
    ("text, holes", "text columns, missing values"),
    ("with holes", "with missing values"),
    ("say what a saved model is", "describe a saved model"),
    ("devices that are there", "available devices"),
    ("kernel counts this many", "has this perplexity"),
    ("nothing learned is worth", "baseline without learning"),
    ("a handful", "default candidates"),
    ("usual settings", "default settings"),
    ("learnt", "learned"),
    ("right for nobody", "never a positive"),
    ("nobody", "no row, no reader: name the thing"),
    ("is told", "targets, or: is reported"),
    ("are told", "targets, or: are reported"),
    ("was told", "targets, or: was reported"),
    ("told apart", "distinguished"),
    ("is to take no step", "with zero iterations"),
    ("fitted so", "say what"),
    ("as there.", "say what"),
    ("where they stand", "in place"),
    ("as they stand", "as they are"),
    ("as it stands", "as it is"),
    ("anew", "again"),
    ("beside", "compared with, next to, in addition to"),
    ("comes to rest", "converges"),
    ("goes on from", "continues from"),
    ("go on with", "continue, resume"),
    ("what there is to", "say what"),
    ("where things are", "repository layout"),
    ("as people have it", "real-world tables"),
    ("as people have them", "real-world tables"),
    ("the verbs", "commands"),
    ("standardise", "standardize"),
    ("neighbour", "neighbor"),
    ("neighbours", "neighbors"),
    ("optimise", "optimize"),
];

/// Retired phrases in a file, as `name:line: "phrase"; write ...`.
pub fn retired(name: &str, text: &str) -> Vec<String> {
    let lines = text.lines().enumerate();
    let of_line = |(number, line): (usize, &str)| -> Vec<String> {
        let line = line.to_lowercase();
        // The old spelling of an option, and a key that programs read.
        if line.contains("alias = ") || line.contains("\"standardise\"") {
            return Vec::new();
        }
        let found = RETIRED.iter().filter(|(phrase, _)| has_words(&line, phrase));
        let say = |(phrase, standard): &(&str, &str)| {
            format!("{name}:{}: \"{phrase}\"; write: {standard}", number + 1)
        };
        found.map(say).collect()
    };
    lines.flat_map(of_line).collect()
}

/// Whether a line has the phrase, and no letter next to it.
fn has_words(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        !line[..at].ends_with(is_part) && !line[at + phrase.len()..].starts_with(is_part)
    })
}
