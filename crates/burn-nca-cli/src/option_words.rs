//! Messages of the library in the words of the program: a cure is an option, not a name of the library.

/// What the library says, the option of `nca fit` that does it, and what does it in the commands that use a model.
const WORDS: [[&str; 3]; 29] = [
    ["; read it with TargetKind::Classes", "; leave --task regression or --soft out", ""],
    ["; read it with TargetKind::Numeric", "; give --task regression", ""],
    ["or read the target with TargetKind::Numeric", "or give --task regression", "or correct them"],
    [
        "; correct it, or read the target as classes",
        "; correct it, or leave --task regression or --soft out to read the target as classes",
        "; correct it",
    ],
    [
        "; load it with `Fitted::load_with` and that encoder",
        ", which this program does not know; load it in the program that saved it",
        ", which this program does not know; load it in the program that saved it",
    ],
    [
        "or ask for a linear encoder",
        "or give --encoder linear",
        "or give --encoder linear to nca fit",
    ],
    [
        "; fill the values in or remove the rows",
        "; fill the values in, remove the rows, give --missing drop, mean, median or most-frequent, or --missing-values '' \
         where NA and the like are words",
        "; fill the values in, remove the rows, or give nca fit --missing drop, mean, median or most-frequent",
    ],
    [
        "or fit the model with a rule for missing values",
        "or give --missing drop, mean, median or most-frequent",
        "or give nca fit --missing drop, mean, median or most-frequent",
    ],
    ["; give the unlabeled class", "; give --unlabeled-class", "; write an empty cell in place of"],
    ["leave the usual missing values out", "give --missing-values ''", "give --missing-values ''"],
    [
        "; correct it, or name ",
        "; correct it, or give --missing drop --missing-values ",
        "; correct it, or replace ",
    ],
    [" as categorical, or name ", ", or --missing drop --missing-values ", ", or replace "],
    ["; correct it, name ", "; correct it, give --categorical auto,", "; correct "],
    [" among the missing values", "", " by a number, as in the fit"],
    [
        "; name the column as categorical, or leave it out",
        "; give --categorical auto, or the column's name, to make features of it, or --ignore to leave it out",
        "; give numbers",
    ],
    [
        "; correct it, or leave the column out",
        "; correct it, give --categorical auto to make features of text, or leave the column out",
        "; correct it (the model was fitted on numbers there)",
    ],
    [
        "; correct it, ignore the column, or name the column as the target",
        "; correct it, give --categorical auto to make features of text, --ignore the column, or name it as the \
         --target",
        "; correct it (the model was fitted on numbers there)",
    ],
    [
        "; leave it out, carry it along as the identifier, or allow more levels",
        "; --ignore it, carry it along by --id, or allow more by --max-levels",
        "",
    ],
    ["the training rows; leave it out", "the training rows; --ignore it", ""],
    [
        "; give it a shrinkage (0.01, say), or reduce the features by PCA first",
        "; give --set shrinkage=0.01",
        "",
    ],
    ["read it as utf-16", "give --encoding utf-16", "give --encoding utf-16"],
    [
        "; remove the rows, the target is never filled in",
        "; remove the rows, or give nca fit --missing drop, which leaves them out (the target is never filled in)",
        "; remove the rows, the target is never filled in",
    ],
    [
        "or give its encoding",
        "or give its --encoding, such as latin1",
        "or give its --encoding, such as latin1",
    ],
    [
        "; give the encoding of the file",
        "; give the --encoding of the file, such as latin1",
        "; give the --encoding of the file, such as latin1",
    ],
    [
        "and without thousands separators, as in 1234.5",
        "and without thousands separators, as in 1234.5 (--decimal comma reads 1,5)",
        "and without thousands separators, as in 1234.5 (--decimal comma reads 1,5)",
    ],
    [
        "as numbers (the year, the day of the week, days since a start), or leave the column out",
        "as numbers (the year, the day of the week, days since a start), or --ignore the column",
        "as numbers, as in the table of the fit",
    ],
    ["the separator space", "--separator space", "--separator space"],
    ["header yes", "--header yes", "--header yes"],
    ["header no", "--header no", "--header no"],
];

/// The message as a user of the program can follow it; `fits` where the verb is `nca fit`, whose options the others lack.
pub fn translated(message: String, fits: bool) -> String {
    WORDS.iter().fold(message, |message, [library, fit, other]| {
        message.replace(library, if fits { fit } else { other })
    })
}

#[cfg(test)]
mod tests {
    use burn_nca_data::{CsvOptions, TargetKind, parse_csv};

    use super::*;

    #[test]
    fn a_wrong_kind_of_target_is_cured_by_an_option() {
        let read = |text: &str, task| {
            let options = CsvOptions { task, ..CsvOptions::default() };
            parse_csv("t.csv", text.as_bytes(), &options)
        };
        let numbers = read("a,y\n1,0.5\n2,1.5\n", TargetKind::Numeric).unwrap();
        let said = translated(numbers.into_labeled().unwrap_err().to_string(), true);
        assert!(
            said.ends_with("classes are needed; leave --task regression or --soft out"),
            "{said}"
        );
        let classes = read("a,y\n1,u\n2,v\n", TargetKind::Classes).unwrap();
        let said = translated(classes.into_numeric().unwrap_err().to_string(), true);
        assert!(said.ends_with("numbers are needed; give --task regression"), "{said}");
        let said =
            translated(read("a,y\n1,u\n", TargetKind::Numeric).unwrap_err().to_string(), true);
        assert!(said.contains("--task regression or --soft out"), "{said}");
    }

    #[test]
    fn what_the_library_never_says_is_left_as_it_is() {
        assert_eq!(translated("no such file".to_string(), true), "no such file");
    }
}
