//! The cases of warnings about a table or a result that is likely not what was meant.

use super::Case;
use super::arrays::MARKET;
use super::files::{CLASSES, GOOD, bad};
use super::methods::rows;

/// 30 rows with this header.
fn table(header: &str, row: impl Fn(usize) -> String) -> String {
    crate::table(header, 30, row)
}

fn class(at: usize) -> &'static str {
    ["u", "v"][at % 2]
}

/// Two features, with another cell in one place of the first, and two classes.
fn cells(cell: &dyn Fn(usize) -> String) -> String {
    table("a,b,y", |at| format!("{},{},{}", cell(at), at * at % 11, class(at)))
}

/// A number in the first column but for some rows.
fn numbers(places: &'static [usize], other: &str) -> String {
    cells(&|at| if places.contains(&at) { other.into() } else { (at * 7 % 13).to_string() })
}

pub(super) fn all() -> Vec<Case> {
    [columns(), classes(), targets(), results()].into_iter().flatten().collect()
}

fn columns() -> Vec<Case> {
    let good = numbers(&[], "");
    let of = |says, text: String| bad(says, "t.csv", text);
    let day = |at: usize| format!("202401{:02}", 1 + at * 5 % 28);
    vec![
        of("numbers the rows rather than describe them", cells(&|at| at.to_string()))
            .value("--ignore", "a")
            .value("--id", "a"),
        of("duplicate columns", table("a,b,c,y", |at| {
            format!("{0},{0},{1},{2}", at * 7 % 13, at % 5, class(at))
        }))
        .value("--ignore", "b"),
        of("far from all other values: -999 3 times in a", numbers(&[3, 9, 20], "-999"))
            .file("m.csv", numbers(&[3, 9, 20], ""))
            .instead(
                "if that marks a missing value, it is used as a number here: leave the cells empty, and give --missing",
                "fit m.csv --missing mean",
            ),
        of("a single value lies 100 times as far off", numbers(&[3], "1e6"))
            .edit("scaling makes the others nearly equal, so correct the value", good.clone())
            .edit("or remove the row, if it is an error", good.clone()),
        of("look like days written as 20240131", cells(&day))
            .edit(
                "write what matters of them as numbers (the year, the day of the week, days since a start)",
                good,
            )
            .value("--ignore", "a"),
        of("holds a different text in each row", cells(&|at| format!("name {at}")))
            .command("fit t.csv --categorical auto")
            .value("--ignore", "a")
            .value("--id", "a"),
    ]
}

fn classes() -> Vec<Case> {
    let of = |says, text: &str| bad(says, "t.csv", text);
    let whole = table("a,b,y", |at| format!("{},{},{}", at * 7 % 13, at * at % 11, at * 3 / 4));
    vec![
        of("holds 22 whole numbers, each treated as a class", &whole).instead(
            "--task regression predicts a number",
            "fit t.csv --task regression --max-iterations 2",
        ),
        of("1 class goes over several lines", "a,y\n1,u\n2,\"v\n3,w\"\n4,u\n5,v\n")
            .edit(
                "a quotation mark that is a letter (an inch mark, say) takes the rows up to the next one into its cell: \
                 remove it",
                "a,y\n1,u\n2,v\n3,w\n4,u\n5,v\n",
            )
            .edit(
                "write it twice in a cell in quotation marks",
                "a,y\n1,u\n2,\"\"\"v\"\n3,w\n4,u\n5,v\n",
            ),
        of("differ in case or in spaces only", "a,b,y\n1,2,u\n2,1,v\n3,2,U\n4,1,v\n")
            .edit("write them alike if they are one", GOOD),
        of("of class -1, which is learned as a class", "a,y\n1,0\n2,1\n3,-1\n4,0\n5,1\n6,-1\n"),
        of("no row is of the class \"q\"", &rows())
            .command("fit t.csv --ignore n --unlabeled-class q")
            .instead("the classes are u, v, w", "fit t.csv --ignore n --unlabeled-class w"),
        of("the column \"y\" is the target and has another role", GOOD)
            .command("fit t.csv --id y")
            .value("--target", "b"),
    ]
}

fn targets() -> Vec<Case> {
    let fit = "fit t.csv --task regression --max-iterations 2";
    let of_numbers = |says, target: &dyn Fn(usize) -> usize| {
        let text = table("a,b,y", |at| format!("{},{},{}", at * 7 % 13, at * at % 11, target(at)));
        bad(says, "t.csv", text).command(fit)
    };
    let usual = table("a,b,y", |at| format!("{},{},{}", at * 7 % 13, at * at % 11, at % 9));
    vec![
        bad(
            "determines the target exactly",
            "t.csv",
            table("a,b,y", |at| format!("{},{},{}", at % 2, at * at % 11, class(at))),
        )
        .value("--ignore", "a"),
        of_numbers("of the variance of the target", &|at| if at == 7 { 10_000 } else { at % 9 })
            .edit("the fit and every R² follow it, so correct the value", usual.clone())
            .edit("or remove the row, if it is an error", usual),
        of_numbers("held-out rows, so R² is undefined", &|at| usize::from(at % 6 == 0))
            .command("fit t.csv --task regression --max-iterations 2 --test-size 0.07 --seed 1")
            .value("--seed", "4")
            .value("--test-size", "0.5"),
    ]
}

/// What a model is measured on, and what it came to.
fn results() -> Vec<Case> {
    let fit = "fit t.csv --ignore n --no-tune --method pca --out run";
    let of = |says, command: &str| bad(says, "t.csv", rows()).before(fit).command(command);
    let others =
        |at: usize| format!("{}.5,{}.5,{}.5,{at},{}", at % 7, at * at % 11, at % 4, class(at));
    let clusters =
        table("a,b,y", |at| format!("{}0.{},0.{},{}", at % 4, at % 3, at * at % 9, class(at)));
    let small =
        |options: &str| format!("fit t.csv --no-tune --method nca --dim 1 --objective f {options}");
    vec![
        of("are also training rows", "evaluate run t.csv").edit(
            "measure on rows that the fit has not seen",
            table("a,b,c,n,y", others),
        ),
        bad("a linear map of 3 features to 1 dimension loses accuracy", "t.csv", GOOD)
            .command("fit rings --method nca --dim 1 --no-tune --max-iterations 3")
            .instead(
                "a network (encoder mlp) may keep more",
                "fit rings --method nca --dim 1 --no-tune --encoder mlp --hidden 16 --max-iterations 3",
            )
            .instead(
                ", as do more dimensions",
                "fit rings --method nca --dim 3 --no-tune --max-iterations 3",
            ),
        bad("the embedding has collapsed to a point", "t.csv", clusters)
            .file("A.csv", "a,b\n1e-4,0\n")
            .command(&small("--l2 0.165 --init A.csv"))
            .instead("a smaller L2 penalty", &small("--l2 0.01 --init A.csv"))
            .instead("or another start may keep it apart", &small("--l2 0.165 --init identity")),
        bad("only a linear or diagonal map is one linear layer", "t.csv", GOOD)
            .before("fit t.csv --method nca --encoder mlp --hidden 2 --dim 1 --max-iterations 2 --no-tune --out run")
            .command("export run --to A.safetensors")
            .instead("export it as ONNX", "export run --to A.onnx"),
        bad("this model was learned from pairs", "t.csv", "a,b\n1,2\n2,1\n3,2\n4,1\n")
            .file("p.csv", "1,3\n2,4\n")
            .before("fit t.csv --pairs p.csv --dim 1 --max-iterations 2 --out run")
            .command("export run --to m.onnx --with-neighbors")
            .instead("export it without its neighbors", "export run --to m.onnx"),
        bad("the column \"z1\", which names the rows, is called like a dimension", "t.csv", "z1,b,y\np,2,u\nq,1,v\n")
            .before("fit t.csv --id z1 --out run")
            .command("transform run t.csv --out z.parquet")
            .edit("rename it", "name,b,y\np,2,u\nq,1,v\n"),
        bad("the table cannot be reduced", "x.mtx", MARKET)
            .file("y.csv", CLASSES)
            .command("fit x.mtx,y.csv --reduce 9 --dim 1")
            .instead(
                "give another --reduce: a truncated SVD was asked for 9 directions of 4 x 2 features; ask for 1 to 2",
                "fit x.mtx,y.csv --reduce 1 --dim 1",
            ),
        bad("run/model/source.json does not say where", "run/model/source.json", "none")
            .file("t.csv", rows())
            .before(fit)
            .command("predict run t.csv")
            .without("fit again")
            .without("remove the file: expected ident at line 1 column 2"),
        bad("the folder no is not there", "t.csv", GOOD)
            .file("there/other.txt", "")
            .command("fit t.csv --picture no/p.svg")
            .instead("make it first", "fit t.csv --picture there/p.svg"),
    ]
}
