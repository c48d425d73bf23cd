//! The cases of bad Parquet and Arrow files, which builds of the feature `parquet` read, and the case of any other build.

use super::arrays::corpus;
use super::files::{GOOD, bad};
use super::{Case, case};

fn with_the_feature() -> Vec<Case> {
    let whole = || corpus("parquet/mixed-snappy.parquet");
    let fit = "fit t.parquet --ignore note --missing mean --categorical auto";
    let of = |says, bytes: Vec<u8>, words, mended: Vec<u8>| {
        bad(says, "t.parquet", bytes).command(fit).edit(words, mended)
    };
    let again = "if it is whole, write it again, with Snappy or Zstandard or no compression";
    let csv = "a,note,y\n1,m,u\n2,n,v\n3,m,u\n4,n,v\n";
    let mut cases: Vec<Case> =
        ["parquet/mixed-snappy.parquet", "arrow/mixed-zstd.feather", "arrow/mixed.arrows"]
            .into_iter()
            .map(|name| {
                let bytes = corpus(name);
                of("that cannot be read (", bytes[..bytes.len() / 3].to_vec(), again, whole())
                    .edit(", or as CSV", csv)
            })
            .collect();
    cases.extend([
        case("", corpus("arrow/commas.arrows")).edit(
            "write numbers with a decimal point and without thousands separators, as in 1234.5",
            GOOD,
        ),
        bad("has columns but no rows", "t.parquet", corpus("parquet/empty.parquet"))
            .command("fit t.parquet")
            .edit("write some rows", corpus("parquet/numbers.parquet")),
        of("there is no column", corpus("arrow/none.arrows"), "write at least two", whole()),
        bad(
            "column \"x\": a list of 1 numbers where",
            "t.parquet",
            corpus("parquet/ragged.parquet"),
        )
        .command("fit t.parquet")
        .file("even.parquet", corpus("parquet/types.parquet"))
        .instead(
            "lists are read as one column per number, so write lists of one length",
            "fit even.parquet --features fixed* --missing mean",
        ),
        bad("has no separator, encoding", "t.parquet", whole())
            .command(
                "fit t.parquet --ignore note --missing mean --categorical auto --separator tab",
            )
            .instead("leave these options out", fit),
    ]);
    cases
}

fn without_it() -> Vec<Case> {
    let table = bad("and this build reads none", "t.parquet", corpus("parquet/single.parquet"));
    let csv = ", or write the table as CSV (pandas: to_csv(\"t.csv\", index=False))";
    vec![
        table
            .command("fit t.parquet")
            .edit(csv, GOOD)
            // What that build reads, the other cases say.
            .instead("build it with --features parquet", "--version"),
    ]
}

pub(super) fn all() -> Vec<Case> {
    [with_the_feature(), without_it()].concat()
}

#[test]
fn the_cures_of_bad_parquet_files_work() {
    let cases = if cfg!(feature = "parquet") { with_the_feature() } else { without_it() };
    super::check_all(&cases);
}
