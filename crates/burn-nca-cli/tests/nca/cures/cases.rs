//! The cases of the hints that the library builds, by what is read.

use super::arrays::{idx, npy, numbers};
use super::{Case, case};
use crate::{array, table};

/// Sites without a case, and why.
pub(super) const UNTRIED: &[(&str, &str)] = &[
    ("folder/mod.rs OwnEncoder", "the program saves no model with an encoder of the user's own"),
    ("encoder/any.rs Dimensions", "method/start.rs refuses the same before"),
    ("encoder/any.rs LinearEncoder", "method/start.rs refuses the same before"),
    ("readers/table.rs Classes", "the program reads a target as what it needs"),
    ("readers/table.rs Numbers", "the program reads a target as what it needs"),
];

pub(super) fn all() -> Vec<Case> {
    [texts(), lines(), missing(), prepared(), new_rows(), arrays(), models()]
        .into_iter()
        .flatten()
        .collect()
}

/// A table of two features and two classes.
const GOOD: &str = "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,v\n";

/// This header, and 30 rows.
fn rows(header: &str, row: impl Fn(usize) -> String) -> String {
    table(header, 30, row)
}

/// Cells that are no numbers.
fn texts() -> Vec<Case> {
    let last = |at: usize| if at == 29 { "\"n, d\"" } else { "1" };
    let dates =
        "write what matters of it as numbers (the year, the day of the week, days since a start)";
    let point = "write numbers with a decimal point and without thousands separators, as in 1234.5";
    let comma = "write numbers with a decimal comma, as was asked for, and without thousands separators, as in 1234,5";
    vec![
        case(
            "csv/cell.rs edit; csv/cell.rs MissingValue",
            rows("a,b,y", |at| format!("{at},{},{}", last(at), at % 2)),
        )
        .edit("correct it", GOOD),
        case("csv/cell.rs edit; csv/cell.rs Ignore", "a,b,y\n1,2020-01-02,u\n2,2020-01-03,v\n")
            .edit(dates, GOOD)
            .value("--ignore", "b"),
        case("csv/cell.rs edit", "a;b;y\n1,5;2.5;u\n2,5;3,5;v\n")
            .command("fit t.csv --decimal comma")
            .edit(comma, "a;b;y\n1,5;2,5;u\n2,5;3,5;v\n"),
        case("csv/header.rs SeparatorSpace", "a b y\nred s u\nblue m v\nred m u\nblue s v\n")
            .command("fit t.csv --categorical auto"),
        case("csv/cell.rs edit; csv/cell.rs SeparatorSpace", "a b\ty\n1 2\tu\n2 3\tv\n")
            .edit("write one number per cell", GOOD),
        case("preparation/spelled.rs edit; preparation/spelled.rs DecimalComma", "a;y\n1,5;u\n2,5;v\n")
            .edit(point, GOOD),
        case(
            "csv/header.rs edit; csv/header.rs Categorical; csv/header.rs Ignore; csv/header.rs Target",
            "a,b,y\n1,red,1\n2,blue,2\n3,red,1\n4,blue,2\n",
        )
        .edit("correct it", GOOD)
        .value("--ignore", "b")
        .value("--target", "b"),
        case("csv/header.rs Target", "a,b,y\n1,red,u\n2,blue,v\n3,red,u\n4,blue,v\n")
            .edit("correct it", GOOD)
            .value("--ignore", "b"),
        case("csv/header.rs Categorical", "a,b,y\n1,red,u\n2,blue,v\n3,red,u\n4,blue,v\n")
            .command("fit t.csv --features a,b --target y")
            .edit("correct it", GOOD),
        case("csv/header.rs Ignore", "a,b\n1,red\n2,blue\n3,red\n4,blue\n")
            .command("fit t.csv --pairs p.csv --dim 1")
            .file("p.csv", "1,2\n3,4\n")
            .edit("correct it", "a,b\n1,2\n2,1\n3,2\n4,4\n")
            .value("--ignore", "b"),
        case("csv/rows.rs edit; csv/rows.rs Classes", "a,y\n1,2\n2,x\n3,1\n4,2\n")
            .command("fit t.csv --task regression")
            .edit("correct it", "a,y\n1,2\n2,3\n3,1\n4,2\n"),
    ]
}

/// Lines, headers and bytes.
fn lines() -> Vec<Case> {
    let units =
        "remove this row if it is one of units, or of more names (the next row has a number there)";
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    vec![
        case(
            "csv/first_line.rs Header",
            rows("1,2,u", |at| format!("{},{},{}", at % 7, at % 3, ["u", "v"][at % 2])),
        ),
        case(
            "csv/first_line.rs Header",
            rows("2000,2010,2020", |at| format!("{},{},{}", at % 7, at % 3, at % 2)),
        ),
        case("csv/rows.rs Header; csv/rows.rs Header", "1,2,0\n3,1,1\n2,2,0\n"),
        case(
            "csv/rows.rs Header",
            rows("age,1,2,3,u", |at| {
                format!("{at},{},{},{},{}", 1 + at % 2, 1 + at % 3, 1 + at % 4, ["u", "v"][at % 2])
            }),
        )
        .edit("correct it", GOOD),
        case("", GOOD)
            .command("fit t.csv --header no")
            .edit("correct it", "1,2,u\n2,1,v\n3,2,u\n4,1,v\n"),
        case("csv/rows.rs edit", "a,b,y\nm,s,u\n1,2,u\n2,1,v\n")
            .edit(units, GOOD)
            .edit("correct it", GOOD),
        case("", "a,b,y\n(1),2,u\n1,2,u\n2,1,v\n")
            .edit(units, GOOD)
            .edit("write negative numbers with a minus sign in front, as in -1234.5", GOOD),
        case("csv/rows.rs edit; csv/rows.rs SeparatorSpace", "a\tb\ty\n1\t\t2\tu\n2\t\t1\tv\n")
            .edit("give the row one value per column", GOOD),
        case(
            "csv/rows.rs Categorical; csv/rows.rs Ignore",
            rows("zip,b,y", |at| format!("{:05},{},{}", 7 * (at % 9), at % 5, ["u", "v"][at % 2])),
        )
        .value("--ignore", "zip"),
        case("csv/rows.rs edit; csv/rows.rs Encoding", utf16(GOOD)).edit("remove them", GOOD),
        case("csv/records.rs edit; csv/records.rs Encoding", b"a,b,y\n1,2,\xe9\n2,1,v\n".to_vec())
            .edit("save the file as UTF-8", GOOD)
            .value("--encoding", "latin1"),
        case("readers/decoding.rs Encoding", b"a,b,y\n1,2,\xff\xff\n2,1,v\n".to_vec())
            .command("fit t.csv --encoding shift_jis")
            .value("--encoding", "latin1"),
    ]
}

/// Missing values.
fn missing() -> Vec<Case> {
    let four = "a,b,y\n1,2,u\n2,,v\n3,2,u\n4,1,v\n";
    vec![
        case("src/hint.rs edit; src/hint.rs edit; src/hint.rs MissingRule", four)
            .edit("fill the values in", GOOD)
            .edit("remove the rows", GOOD),
        case("", "a,b,y\n1,2,u\n2,NA,v\n3,2,u\n4,1,v\n")
            .edit("fill the values in", GOOD)
            .edit("remove the rows", GOOD),
        case(
            "csv/missing.rs UnlabeledClass; csv/missing.rs NoMissingValues",
            "a,y\n1,u\n2,NA\n3,NA\n4,v\n5,u\n6,v\n",
        ),
        case("csv/missing.rs edit; csv/missing.rs DropMissing", "a,y\n1,1.5\n2,\n3,2.5\n4,1\n")
            .command("fit t.csv --task regression")
            .edit("remove the rows (the target is never filled in)", "a,y\n1,1.5\n3,2.5\n4,1\n"),
        case("", "a,c,y\n1,r,u\n2,g,NA\n3,r,NA\n4,g,v\n5,g,u\n6,r,v\n")
            .command("fit t.csv --categorical auto"),
        case("src/hint.rs NoMissingValues", "a,c,y\n1,r,u\n2,NA,v\n3,r,u\n4,g,v\n5,g,u\n6,r,v\n")
            .command("fit t.csv --categorical auto")
            .edit("fill the values in", GOOD)
            .edit("remove the rows", GOOD),
    ]
}

/// Columns that are prepared.
fn prepared() -> Vec<Case> {
    let dates =
        "write what matters of them as numbers (the year, the day of the week, days since a start)";
    let point = "write numbers with a decimal point and without thousands separators, as in 1234.5";
    let last = |at: usize| if at == 29 { "n/k".to_string() } else { at.to_string() };
    vec![
        case("preparation/config.rs Ignore", "a,b,y\n1,,u\n2,,v\n3,,u\n4,,v\n")
            .command("fit t.csv --missing mean")
            .value("--ignore", "b"),
        case(
            "preparation/config.rs edit; preparation/config.rs Ignore",
            "a,b,y\n1,2020-01-02,u\n2,2020-01-03,v\n",
        )
        .command("fit t.csv --categorical auto")
        .edit(dates, GOOD)
        .value("--ignore", "b"),
        case("preparation/config.rs Ignore", "a;b;y\n1;2,5;u\n2;3,5;v\n")
            .command("fit t.csv --categorical auto")
            .edit(point, GOOD)
            .value("--ignore", "b"),
        case(
            "preparation/config.rs edit; preparation/config.rs Categorical; preparation/config.rs MissingValue",
            rows("a,\"b, \"\"c\"\"\",y", |at| format!("{at},{},{}", last(at), at % 2)),
        )
        .command("fit t.csv --categorical auto")
        .edit("correct it", GOOD),
        case(
            "preparation/config.rs Categorical; preparation/config.rs Ignore",
            "a,b,y\n1,red,u\n2,blue,v\n3,red,u\n4,blue,v\n",
        )
        .command("fit t.csv --missing mean")
        .value("--ignore", "b"),
        case(
            "preparation/config.rs Ignore; preparation/config.rs Id; preparation/config.rs MaxLevels",
            rows("a,b,y", |at| format!("{at},name{at},{}", at % 2)),
        )
        .command("fit t.csv --categorical auto --max-levels 10")
        .value("--ignore", "b")
        .value("--id", "b")
        .value("--max-levels", "30"),
    ]
}

/// Rows for a model.
fn new_rows() -> Vec<Case> {
    let of_model = |sites, table: &'static str, command| {
        let case = case(sites, table).file("fit.csv", GOOD).before("fit fit.csv --out run");
        case.command(command)
    };
    let of_array = |sites, table: &'static str, fit| {
        let case = case(sites, table).file("x.npy", numbers(2)).file("y.npy", numbers(1));
        case.file("p.csv", "1,2\n").before(fit).command("predict run t.csv")
    };
    let plain = "fit x.npy,y.npy --out run";
    let with_missing = "fit x.npy,y.npy --missing mean --out run";
    let of_pairs = "fit x.npy --pairs p.csv --dim 1 --max-iterations 2 --out run";
    vec![
        of_model("", "a,b\n1,2\n2,\n", "predict run t.csv")
            .edit("fill the values in", "a,b\n1,2\n2,1\n")
            .edit("remove the rows", "a,b\n1,2\n"),
        of_model("", "a,b,y\n1,2,u\n2,1,NA\n3,1,v\n", "evaluate run t.csv --target y").edit(
            "write an empty cell in place of \"NA\" if it marks rows without a class",
            "a,b,y\n1,2,u\n2,1,\n3,1,v\n",
        ),
        of_model("", "a;b\n1;2,5\n2;3,5\n", "transform run t.csv").edit(
            "write numbers with a decimal point and without thousands separators, as in 1234.5",
            "a;b\n1;2.5\n2;3.5\n",
        ),
        of_model("", "a,b\n1,2\n2,red\n", "transform run t.csv").edit("correct it", "a,b\n1,2\n"),
        of_array("csv/header.rs edit; csv/header.rs Id", "a,b,y\n1,2,u\n2,1,v\n", plain)
            .edit("remove what is not a feature", "a,b\n1,2\n2,1\n")
            .value("--id", "y"),
        of_array("", "a,b,y\n1,2,u\n2,1,v\n", with_missing)
            .edit("remove what is not a feature", "a,b\n1,2\n2,1\n")
            .value("--id", "y"),
        of_array("", "a\n1\n2\n", plain).edit("give a table of all features", "a,b\n1,2\n2,1\n"),
        of_array("", "a,b,c\n1,2,3\n2,1,3\n", of_pairs)
            .command("evaluate run t.csv --pairs p.csv")
            .edit("remove what is not a feature", "a,b\n1,2\n2,1\n"),
    ]
}

/// Arrays, images and bundled sets.
fn arrays() -> Vec<Case> {
    let images = idx(8, &[4, 1, 2], &[1, 2, 2, 1, 3, 2, 4, 1]);
    let labels = idx(8, &[4], &[0, 1, 0, 1]);
    let (features, halves) = (array(&[1.0, 2.0, 3.0, 4.0], 1), array(&[0.5, 1.5, 2.5, 1.0], 1));
    vec![
        case("readers/open.rs Classes; readers/open.rs edit", GOOD)
            .command("fit iris --task regression")
            .instead(
                "give a table with a numeric target",
                "fit t.csv --target b --ignore y --task regression",
            ),
        case("readers/open.rs Classes; readers/open.rs edit", images)
            .command("fit t.csv,labels --task regression")
            .file("labels", labels)
            .file("x.npy", features.clone())
            .file("y.npy", halves.clone())
            .instead("give a pair X.npy,Y.npy", "fit x.npy,y.npy --task regression"),
        case("readers/npy.rs edit", npy("[('a', '<f8')]", "(4,)", &[0; 32]))
            .command("fit t.csv,y.npy")
            .file("y.npy", numbers(1))
            .file("x.npy", features.clone())
            .instead(
                "save numpy.lib.recfunctions.structured_to_unstructured(x), or one field of it",
                "fit x.npy,y.npy",
            ),
        case("npy/target.rs edit; npy/target.rs Numbers", "")
            .command("fit x.npy,y.npy")
            .file("x.npy", features.clone())
            .file("y.npy", halves.clone())
            .file("t.csv", GOOD)
            .instead("give classes", "fit t.csv"),
    ]
}

/// Methods and encoders.
fn models() -> Vec<Case> {
    vec![
        case("method/start.rs Dimensions; method/start.rs LinearEncoder", GOOD)
            .command("fit t.csv --encoder diagonal --dim 1 --no-tune --max-iterations 2"),
        case("baseline/lda.rs edit", "a,b,y\n1,2,u\n2,1,v\n1,2,u\n2,1,v\n")
            .command("fit t.csv --method lda --dim 1")
            .instead("choose another method", "fit t.csv --method pca"),
        case("baseline/lda.rs Shrinkage; baseline/lda.rs edit", GOOD)
            .command("fit t.csv --method lda --dim 1")
            .edit("reduce the features by PCA first", "a,y\n1,u\n2,v\n2,u\n4,v\n"),
    ]
}

#[test]
fn the_cures_of_the_library_work() {
    super::check_all(&all());
}
