//! A folder with small tables and models of the names that the documents use, and commands that run there.

use super::option_not_in;
use crate::sparse::write_texts;
use crate::{Place, array, nca, table};

/// Words that a reader replaces, and by what here.
const PLACEHOLDERS: [(&str, &str); 8] = [
    ("DATA", "iris"),
    ("SET", "iris"),
    ("RUN", "runs/iris"),
    ("model", "runs/flowers/model"),
    ("COMMAND", "fit"),
    ("SHELL", "bash"),
    // As many columns, but few rows: what is shown is the command.
    ("digits", "big.csv"),
    ("wine", "iris"),
];

const ROWS: usize = 60;

/// Writes the tables and fits the models.
pub fn with_tables() -> Place {
    let place = Place::new();
    for name in ["flowers.csv", "test.csv", "data.csv", "moved/iris.csv"] {
        place.file(name, numbers(4, "species", |row| format!("kind {}", row % 3)));
    }
    place.file("big.csv", numbers(12, "class", |row| format!("kind {}", row % 3)));
    place.file("housing.csv", numbers(4, "price", |row| format!("{}.5", row % 7)));
    for name in ["new.csv", "film.csv", "more.csv"] {
        place.file(name, numbers(3, "x3", |row| format!("{}", row % 5)));
    }
    for name in ["payments.csv", "new-payments.csv"] {
        place.file(name, payments());
    }
    place.file("patients.csv", payments().replace("payment,", "name,"));
    write_texts(&place);
    place.rename("counts.mtx", "counts.mtx.gz");
    for name in ["neighbors.csv", "pairs.csv"] {
        let pairs = (1..ROWS).map(|row| format!("{row},{}\n", row + 1));
        place.file(name, pairs.collect::<String>());
    }
    for model in [
        "fit flowers.csv --dim 2 --out runs/flowers",
        "fit flowers.csv --dim 2 --out runs/iris",
        "fit iris --dim 2 --out runs/wine",
        "fit big.csv --dim 10 --out runs/first",
        "fit housing.csv --target price --task regression --out runs/housing",
        "fit film.csv --pairs neighbors.csv --dim 2 --out runs/film",
        "fit payments.csv --id payment --missing median --categorical auto --out runs/payments",
    ] {
        place.nca(&format!("{model} --max-iterations 2")).success();
    }
    place.nca("transform runs/flowers new.csv --out X.npy").success();
    let classes: Vec<f64> = (0..ROWS).map(|row| (row % 3) as f64).collect();
    place.file("Y.npy", array(&classes, 1));
    place
}

/// A table of numbers and a target in its last column.
fn numbers(columns: usize, target: &str, value: impl Fn(usize) -> String) -> String {
    let header: String = (0..columns).map(|column| format!("x{column},")).collect();
    let cell = |row: usize, column: usize| {
        (row * (2 * column + 3) * 7) % 31 + (row % 3) * 9 * usize::from(column < 2)
    };
    table(&format!("{header}{target}"), ROWS, |row| {
        let cells: String = (0..columns).map(|column| format!("{},", cell(row, column))).collect();
        cells + &value(row)
    })
}

/// A table with a name, text, missing values, groups, weights and rows without a class.
fn payments() -> String {
    table("payment,account,amount,hour,country,abroad,audits,class", ROWS, |row| {
        let is_fraud = row % 6 == 5;
        let amount = if row % 9 == 2 { "NA".to_string() } else { (row * 7 % 31).to_string() };
        let (hour, country) = (row * 5 % 24, ["PT", "FR", "DE"][row % 3]);
        let (abroad, class) = if is_fraud { ("yes", "fraud") } else { ("no", "ok") };
        let class = if row % 20 == 3 { "" } else { class };
        let (account, audits) = (row / 4, 1 + row % 3);
        format!("p{row},a{account},{amount},{hour},{country},{abroad},{audits},{class}")
    })
}

/// Why a command does not work; one that names a command and options only is held against its help.
pub fn failure(place: &Place, words: &[String]) -> Option<String> {
    let here = |word: &String| PLACEHOLDERS.iter().find(|(name, _)| name == word);
    let mut words: Vec<String> = words
        .iter()
        .map(|word| here(word).map_or(word.clone(), |(_, here)| (*here).to_string()))
        .collect();
    let verb = words[0].clone();
    let is_whole = ["datasets", "devices", "--help"].contains(&&verb[..]);
    if !is_whole && words.get(1).is_none_or(|word| word.starts_with('-')) {
        if !crate::invocation::VERBS.split(' ').any(|known| known == verb) {
            return Some(format!("there is no verb {verb}"));
        }
        let unknown = option_not_in(&nca(&format!("{verb} --help")).printed(), &words)?;
        return Some(format!("{verb} has no option {unknown}"));
    }
    if verb == "fit" && !words.contains(&"--help".to_string()) {
        take_few_steps(&mut words);
    }
    // Results go to a folder that is new each time.
    let _ = std::fs::remove_dir_all(place.path("out"));
    std::fs::create_dir(place.path("out")).unwrap();
    for at in 1..words.len() {
        if ["--out", "--to"].contains(&words[at - 1].as_str()) {
            words[at] = format!("out/{}", words[at].replace('/', "-"));
        }
    }
    let outcome = place.nca("").args(words).output().unwrap();
    (!outcome.status.success()).then(|| String::from_utf8(outcome.stderr).unwrap())
}

/// The same fit with as few steps as its options allow.
fn take_few_steps(words: &mut Vec<String>) {
    let has = |text: &str| words.iter().any(|word| word == text);
    let few: &[(&str, &str)] = if has("--tune") {
        &[("--budget", "0.01"), ("--folds", "2"), ("--repeats", "1")]
    } else if has("adam") || has("sgd") {
        &[("--epochs", "1")]
    } else {
        &[("--max-iterations", "2")]
    };
    for (option, value) in few {
        match words.iter().position(|word| word == option) {
            Some(at) => words[at + 1] = (*value).to_string(),
            None => words.extend([(*option).to_string(), (*value).to_string()]),
        }
    }
}
