//! A folder with small tables and models of the names that the documents use, and commands that run there.

use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::extract::Written;
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

/// The tables and models that commands read.
pub struct Tables {
    place: Place,
    runs: AtomicUsize,
}

impl Tables {
    /// Writes the tables and fits the models.
    pub fn new() -> Self {
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
        let tables = Self { place, runs: AtomicUsize::new(0) };
        for model in [
            "fit flowers.csv --dim 2 --out runs/flowers",
            "fit flowers.csv --dim 2 --out runs/iris",
            "fit iris --dim 2 --out runs/wine",
            "fit big.csv --dim 10 --out runs/first",
            "fit housing.csv --target price --task regression --out runs/housing",
            "fit film.csv --pairs neighbors.csv --dim 2 --out runs/film",
            "transform runs/flowers new.csv --out X.npy",
            "fit payments.csv --id payment --missing median --categorical auto --out runs/payments",
        ] {
            let words: Vec<String> = model.split(' ').map(String::from).collect();
            let output = tables.run(&with_few_steps(words));
            assert!(output.status.success(), "{model}: {output:?}");
        }
        let classes: Vec<f64> = (0..ROWS).map(|row| (row % 3) as f64).collect();
        tables.place.file("Y.npy", array(&classes, 1));
        tables
    }

    /// Why a command does not work, with its place; one that names a command and options only is held against its help.
    pub fn failure(&self, command: &Written) -> Option<String> {
        let is_mention = command.words.get(1).is_none_or(|word| word.starts_with('-'))
            && !["datasets", "devices", "--help"].contains(&command.words[0].as_str());
        let reason =
            if is_mention { self.unknown_option(command) } else { self.complaint(command) };
        Some(format!("{}: `{}`: {}", command.place, command.text(), reason?))
    }

    fn unknown_option(&self, command: &Written) -> Option<String> {
        let verb = replaced(&command.words[0]);
        if !crate::invocation::VERBS.split(' ').any(|known| known == verb) {
            return Some(format!("there is no verb {verb}"));
        }
        let unknown = option_not_in(&nca(&format!("{verb} --help")).printed(), &command.words)?;
        Some(format!("{verb} has no option {unknown}"))
    }

    fn complaint(&self, command: &Written) -> Option<String> {
        let words: Vec<String> = command.words.iter().map(|word| replaced(word)).collect();
        let words = self.with_new_outputs(with_few_steps(words));
        let output = self.run(&words);
        (!output.status.success()).then(|| String::from_utf8(output.stderr).unwrap())
    }

    fn run(&self, words: &[String]) -> Output {
        self.place.nca("").args(words).output().unwrap()
    }

    /// Results go to a folder of this run, so that commands need not wait for each other.
    fn with_new_outputs(&self, mut words: Vec<String>) -> Vec<String> {
        let folder = format!("out-{}", self.runs.fetch_add(1, Ordering::Relaxed));
        std::fs::create_dir(self.place.path(&folder)).unwrap();
        for place in 1..words.len() {
            if ["--out", "--to"].contains(&words[place - 1].as_str()) {
                words[place] = format!("{folder}/{}", words[place].replace('/', "-"));
            }
        }
        words
    }
}

const ROWS: usize = 60;

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
        let fraud = row % 6 == 5;
        let amount = if row % 9 == 2 { "NA".to_string() } else { (row * 7 % 31).to_string() };
        let (hour, country) = (row * 5 % 24, ["PT", "FR", "DE"][row % 3]);
        let abroad = if fraud { "yes" } else { "no" };
        let class = match row % 20 {
            3 => "",
            _ if fraud => "fraud",
            _ => "ok",
        };
        let (account, audits) = (row / 4, 1 + row % 3);
        format!("p{row},a{account},{amount},{hour},{country},{abroad},{audits},{class}")
    })
}

fn replaced(word: &str) -> String {
    let known = PLACEHOLDERS.iter().find(|(placeholder, _)| *placeholder == word);
    known.map_or(word, |(_, here)| here).to_string()
}

/// The same fit with as few steps as its options allow.
fn with_few_steps(mut words: Vec<String>) -> Vec<String> {
    if words[0] != "fit" || words.contains(&"--help".to_string()) {
        return words;
    }
    let has = |words: &[String], text: &str| words.iter().any(|word| word == text);
    let few: &[(&str, &str)] = if has(&words, "--tune") {
        &[("--budget", "0.01"), ("--folds", "2"), ("--repeats", "1")]
    } else if has(&words, "adam") || has(&words, "sgd") {
        &[("--epochs", "1")]
    } else {
        &[("--max-iterations", "2")]
    };
    for (option, value) in few {
        match words.iter().position(|word| word == option) {
            Some(place) => words[place + 1] = (*value).to_string(),
            None => words.extend([(*option).to_string(), (*value).to_string()]),
        }
    }
    words
}
