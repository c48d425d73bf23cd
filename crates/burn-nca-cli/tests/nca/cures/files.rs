//! The cases of bad files: messages whose cure is an edit in words, made here as a user would make it.

use super::arrays::{MARKET, numbers};
use super::{Case, case};
use crate::{array, gzip};

/// A table of two features and two classes.
pub(super) const GOOD: &str = "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,v\n";

/// Its features and its classes alone.
const ROWS: &str = "a,b\n1,2\n2,1\n3,2\n4,1\n";
pub(super) const CLASSES: &str = "y\nu\nv\nu\nv\n";

/// A fit of few steps.
const FIT: &str = "fit t.csv --method nca --dim 1 --no-tune --max-iterations 2 --out run";

/// A case of a message with these words.
pub(super) fn bad(says: &'static str, name: &'static str, bytes: impl Into<Vec<u8>>) -> Case {
    Case { says, files: vec![(name, bytes.into())], ..case("", "") }
}

/// A table, its edit, and what it holds then.
fn table(says: &'static str, text: &str, words: &'static str, mended: &str) -> Case {
    bad(says, "t.csv", text).edit(words, mended)
}

/// Text tables.
fn tables() -> Vec<Case> {
    let of =
        |says, options: &str| bad(says, "t.csv", GOOD).command(&format!("fit t.csv {options}"));
    vec![
        table(
            "columns 1 and 2 are both named \"a\"",
            "a,a,y\n1,2,u\n2,1,v\n",
            "rename one of them",
            GOOD,
        ),
        table("t.csv: column 1 has no name", ",b,y\n1,2,u\n2,1,v\n", "name it in the header line", GOOD)
            .edit("remove it", "b,y\n2,u\n1,v\n2,u\n1,v\n")
            .instead("ignore it by the name \"\"", "fit t.csv --ignore ''"),
        table(
            "the quote that opens value 3 (\"u",
            "a,b,y\n1,2,\"u\n2,1,v\n",
            "close it",
            "a,b,y\n1,2,\"u\"\n2,1,v\n",
        )
        .edit("remove it", "a,b,y\n1,2,u\n2,1,v\n"),
        table(
            "text follows the quote that closes the value from line 2",
            "a,b,y\n1,2,\"u\n2,1,\"v\"\n",
            "if a quote was lost, add it",
            "a,b,y\n1,2,\"u\"\n2,1,\"v\"\n",
        )
        .edit("and write a quote within a value twice (\"\")", "a,b,y\n1,2,\"u\n2,1,\"\"v\"\n2,1,v\n"),
        table(
            "the line repeats the names of the columns",
            "a,b,y\n1,2,u\na,b,y\n2,1,v\n",
            "remove it",
            GOOD,
        ),
        table(
            "t.csv has a header line but no rows",
            "a,b,y\n",
            "write one row per line below the header",
            GOOD,
        ),
        table("t.csv is empty", "", "it needs a header line of column names, then one row per line", GOOD),
        table(
            "no row has a class in column \"y\"",
            "a,b,y\n1,2,\n2,1,\n",
            "write the class of some rows",
            "a,b,y\n1,2,u\n2,1,v\n3,2,\n",
        ),
        table(
            "(row 2), column \"b\": the value is infinite",
            "a,b,y\n1,2,u\n2,inf,v\n3,2,u\n4,1,v\n",
            "write a finite one",
            GOOD,
        )
        .command("fit t.csv --missing mean")
        .edit("remove the row", "a,b,y\n1,2,u\n3,2,u\n4,1,v\n"),
        of("is both the target and ignored", "--target y --ignore y")
            .instead("name another target", "fit t.csv --target b --ignore y")
            .instead("do not ignore it", "fit t.csv --target y"),
        of("is wanted as a feature, but it is the target", "--target y --features a,y").instead(
            "leave it out of one of the two",
            "fit t.csv --target y --features a",
        ),
        of("no feature column is left of a, b, y", "--ignore a,b")
            .instead("ignore fewer columns", "fit t.csv --ignore a"),
        of("no column of t.csv has a name like \"q*\"", "--ignore q*")
            .instead("its columns are a, b, y", "fit t.csv --ignore a*"),
        of("t.csv has no column \"bb\"", "--ignore bb")
            .instead("its columns are a, b, y", "fit t.csv --ignore b"),
        of("there is no encoding \"utf-99\"", "--encoding utf-99").instead(
            "give utf-8, utf-16le, utf-16be, latin1, windows-1252 or another name of the WHATWG list",
            "fit t.csv --encoding utf-8",
        ),
        of("'x' cannot separate values", "--separator x").instead(
            "give a character that is in none of them, such as a comma, a semicolon, a tab or a bar",
            "fit t.csv --separator comma",
        ),
        table(
            "t.csv has only one column, \"a\"",
            "a\n1\n2\n",
            "a feature and a target are needed, separated by commas, semicolons, tabs, bars or spaces",
            GOOD,
        ),
        bad("folder: this is a folder", "folder/t.csv", GOOD)
            .command("fit folder")
            .instead("give the path of a file in it", "fit folder/t.csv"),
        bad("\"t.csv\" is neither a bundled data set nor a file", "u.csv", GOOD).instead(
            "the bundled sets are iris, wine, digits, balance, rings, noisy-xor, blobs; a file is given by its path",
            "fit u.csv",
        ),
    ]
}

/// Rows that a model cannot be measured on.
pub(super) fn rows() -> Vec<Case> {
    vec![
        bad(
            "holds the class \"w\", which is not among the known classes u, v",
            "n.csv",
            "a,b,y\n1,2,w\n2,1,v\n",
        )
        .file("t.csv", GOOD)
        .before("fit t.csv --out run")
        .command("evaluate run n.csv")
        .edit("remove those rows", "a,b,y\n2,1,v\n")
        .edit("correct the name", "a,b,y\n1,2,u\n2,1,v\n"),
    ]
}

/// Formats of others.
fn formats() -> Vec<Case> {
    let tar = [&b"t.csv"[..], &[0; 252], b"ustar\x0000"].concat();
    let packed = "pack it by gzip";
    let gzipped = gzip(GOOD.as_bytes());
    vec![
        bad("t.csv is packed by bzip2", "t.csv", *b"BZh91AY&SY\x01")
            .edit("unpack it (bunzip2)", GOOD)
            .edit(packed, gzipped.clone()),
        bad("is packed by xz", "t.csv", *b"\xfd7zXZ\0\0")
            .edit("unpack it (unxz)", GOOD)
            .edit(packed, gzipped.clone()),
        bad("is packed by zstd", "t.csv", *b"\x28\xb5\x2f\xfd\0")
            .edit("unpack it (unzstd)", GOOD)
            .edit(packed, gzipped.clone()),
        bad("is a 7z archive", "t.csv", *b"7z\xbc\xaf\x27\x1c\0").edit("unpack it (7z x)", GOOD),
        bad("is a rar archive", "t.csv", *b"Rar!\x1a\x07\x01\0").edit("unpack it (unrar x)", GOOD),
        bad("is a tar archive", "t.csv", tar).edit("unpack it (tar xf)", GOOD),
        bad("is an HDF5 file", "t.csv", *b"\x89HDF\r\n\x1a\n")
            .edit("save the table as CSV", GOOD)
            .instead("or NPY, or as Parquet", "fit x.npy,y.npy")
            .file("x.npy", numbers(2))
            .file("y.npy", numbers(1)),
        bad("is a workbook of Excel (.xls)", "t.csv", *b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
            .edit("save the sheet as CSV", GOOD),
        bad("is a pickle of Python", "t.csv", *b"\x80\x04\x95\x10\0")
            .edit("save the table as CSV (DataFrame.to_csv)", GOOD)
            .instead("NPY (numpy.save)", "fit x.npy,y.npy")
            .file("x.npy", numbers(2))
            .file("y.npy", numbers(1)),
        bad("is a binary file of a format", "t.csv", *b"x^\x9c\x01\x02\xff\xfe\x10a")
            .edit("save the table as CSV", GOOD),
        bad("is an SQLite database", "t.csv", *b"SQLite format 3\0")
            .edit("export the table as CSV", GOOD),
        bad("is a sparse table in the format of svmlight", "t.csv", "1 1:1\n-1 1:0.5 2:2\n")
            .instead(
                "save the rows by scipy.io.mmwrite(\"x.mtx\", x), the targets as y.csv, and give x.mtx,y.csv",
                "fit x.mtx,y.csv",
            )
            .file("x.mtx", MARKET)
            .file("y.csv", CLASSES),
        bad("lacks a percent sign", "x.mtx", &MARKET[1..])
            .file("y.csv", CLASSES)
            .command("fit x.mtx,y.csv")
            .edit("begin it with %%MatrixMarket", MARKET),
        bad("the gzip data are damaged", "t.csv", &gzipped[..30])
            .edit("fetch or write the file again", gzipped.clone()),
        bad("x.npy is a NumPy array without its labels", "x.npy", numbers(2))
            .command("fit x.npy")
            .file("y.npy", numbers(1))
            .instead("give the pair X.npy,Y.npy", "fit x.npy,y.npy"),
        bad("x.npy is a NumPy array without its labels", "x.npy", numbers(2))
            .command("fit x.npy --missing mean")
            .file("y.npy", numbers(1))
            .instead("give the pair X.npy,Y.npy", "fit x.npy,y.npy --missing mean"),
        bad("names more than two files", "x.npy", numbers(2))
            .command("fit x.npy,y.npy,y.npy")
            .file("y.npy", numbers(1))
            .instead("a pair is X.npy,Y.npy or IMAGES,LABELS", "fit x.npy,y.npy"),
        bad("t.csv begins like neither a NumPy nor an IDX array", "t.csv", GOOD)
            .command("fit t.csv,y.npy")
            .file("x.npy", numbers(2))
            .file("y.npy", numbers(1))
            .instead("a pair is X.npy,Y.npy or IMAGES,LABELS", "fit x.npy,y.npy")
            .instead(
                ", and a CSV, Parquet or Arrow file or an .npz archive is given alone",
                "fit t.csv",
            ),
        bad("and \"x.npy,y.npy\" is none", "x.npy", numbers(2))
            .file("y.npy", numbers(1))
            .command("fit x.npy,y.npy --ignore x1")
            .instead("leave these options out", "fit x.npy,y.npy"),
    ]
}

/// Lists of pairs.
fn pairs() -> Vec<Case> {
    let of = |says, list: &str, words, mended: &str| {
        let case = bad(says, "p.csv", list).file("t.csv", ROWS).edit(words, mended);
        case.command("fit t.csv --pairs p.csv --dim 1 --max-iterations 2")
    };
    let good = "1,3\n2,4\n";
    vec![
        of(
            "p.csv holds no pair",
            "",
            "write one a line, as in 1,2 or 1,2,0.5 (row, row, weight)",
            "1,2,0.5\n",
        ),
        of(
            "line 1: the number of cells is 4",
            "1,3,1,1\n",
            "a pair is row,row or row,row,weight",
            good,
        ),
        of("line 2: row 2 is paired with itself", "1,3\n2,2\n", "remove the line", "1,3\n"),
        of(
            "there is no row 5: the data have 4 rows, counted from 1",
            "1,5\n",
            "correct the number",
            good,
        ),
        of("\"x\" is no row number", "1,x\n", "give a whole number from 1 to 4", good),
        of("the weight is -1", "1,3,-1\n", "give a finite number of 0 or more", "1,3,1\n"),
        of("\"x\" is no weight", "1,3,x\n", "give a finite number of 0 or more", "1,3,0\n2,4,1\n"),
        of("none of the 1 pairs has a positive weight", "1,3,0\n", "give at least one", "1,3,1\n"),
        bad("and \"x.npy\" is none", "x.npy", numbers(2))
            .file("p.csv", good)
            .command("fit x.npy --pairs p.csv --dim 1 --ignore x1 --max-iterations 2")
            .instead("leave that option out", "fit x.npy --pairs p.csv --dim 1 --max-iterations 2"),
        bad("p.csv is a NumPy array, not CSV text", "p.csv", array(&[1.0, 3.0], 2))
            .file("t.csv", ROWS)
            .command("fit t.csv --pairs p.csv --dim 1 --max-iterations 2")
            .edit("save it as .csv", good),
    ]
}

/// Saved models and interrupted runs.
pub(super) fn folders() -> Vec<Case> {
    let model = |says, name: &'static str, bytes: &str| {
        let case = bad(says, name, bytes).file("t.csv", GOOD).before(FIT);
        case.command("predict run t.csv")
    };
    let partial = |says, name, bytes: &str, command: &str| {
        let case = bad(says, name, bytes).file("t.csv", GOOD).file("run.partial/.lock", "");
        case.command(command)
    };
    let resumed = format!("{FIT} --resume");
    let tuned =
        "fit iris --method nca --tune --budget 1 --folds 2 --max-iterations 2 --out run --resume";
    vec![
        model(
            "run/model/encoder.bpk: this file is not the one that was saved",
            "run/model/encoder.bpk",
            "x",
        )
        .without("copy the whole folder again")
        .without("fit the model again"),
        model("run/model/references.bpk: this file is not the one", "run/model/references.bpk", "")
            .without("copy the whole folder again")
            .without("fit the model again"),
        model("the model has format 99", "run/model/model.json", "{\"format\": 99}")
            .without("use the program that saved it")
            .without("fit the model again"),
        model("run/model/model.json", "run/model/model.json", "{}").without("fit the model again"),
        model("run/model/model.json", "run/model/model.json", "no card")
            .without("fit the model again"),
        model("there is no model here", "t.csv", GOOD)
            .command("predict . t.csv")
            .instead("give the folder of one", "predict run t.csv"),
        bad("run.partial holds a run that was interrupted", "run.partial/.lock", "")
            .file("t.csv", GOOD)
            .command(FIT)
            .instead("add --resume to resume it", &resumed)
            .without("remove that folder"),
        partial(
            "run.partial/checkpoint.json: this is not a checkpoint",
            "run.partial/checkpoint.json",
            "none",
            &resumed,
        )
        .without("delete it to start again"),
        partial(
            "run.partial/trials.json: these are no trials of a search",
            "run.partial/trials.json",
            "none",
            tuned,
        )
        .without("delete the file to start again"),
    ]
}

pub(super) fn all() -> Vec<Case> {
    [tables(), rows(), formats(), pairs(), folders()].into_iter().flatten().collect()
}

#[test]
fn the_cures_of_bad_files_work() {
    super::check_all(&[tables(), formats(), pairs()].concat());
}
