//! The cases of methods and tables whose cure is worded in the message: what a fit refuses.

use super::Case;
use super::files::bad;

/// 40 rows of three features, of a number and of three classes.
pub(super) fn rows() -> String {
    format!("a,b,c,n,y\n{}", body(40))
}

/// So many rows without a header.
fn body(number: usize) -> String {
    let row = |at: usize| {
        format!("{},{},{},{}.5,{}\n", at % 7, at * at % 11, at * 3 % 5, at, ["u", "v", "w"][at % 3])
    };
    (0..number).map(row).collect()
}

/// 18 rows, the last six without a class.
fn partly_labeled() -> String {
    let row = |at: usize| {
        format!("{at},{},{}\n", at * at % 5, if at < 12 { ["u", "v"][at % 2] } else { "" })
    };
    format!("a,b,y\n{}", (0..18).map(row).collect::<String>())
}

/// A case of `nca fit t.csv --ignore n` with these options; `words` of its cure are done by these others.
fn of(says: &'static str, options: &str) -> Case {
    bad(says, "t.csv", rows()).command(&fit(options))
}

pub(super) fn fit(options: &str) -> String {
    format!("fit t.csv --ignore n {options}")
}

const TWO: &str = "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,v\n";

pub(super) fn all() -> Vec<Case> {
    [settings(), tables(), searches(), models()].into_iter().flatten().collect()
}

fn settings() -> Vec<Case> {
    vec![
        of("LDA has no setting \"x\"", "--method lda --set x=1").instead(
            "its settings are shrinkage, unit_length",
            &fit("--method lda --set unit_length=true"),
        ),
        of("PCA has no settings, and \"x\" was given", "--method pca --set x=1")
            .instead("leave it out", &fit("--method pca")),
        of("50 members holds one out", "--method modern --set members=50 --time-budget 2").instead(
            "give 14 members or fewer",
            &fit("--method modern --set members=2 --time-budget 2"),
        ),
        of("targets is 0", "--method lca --set targets=0 --max-iterations 2").instead(
            "a row needs at least 1 to coincide with",
            &fit("--method lca --set targets=1 --max-iterations 2"),
        ),
        bad("the repulsion keeps classes apart", "t.csv", partly_labeled())
            .command(
                "fit t.csv --method nca --unlabeled neighbors --repulsion 1 --max-iterations 2",
            )
            .instead(
                "leave the repulsion at 0",
                "fit t.csv --method nca --unlabeled neighbors --repulsion 0 --max-iterations 2",
            )
            .instead(
                "those rows out",
                "fit t.csv --method nca --unlabeled ignore --repulsion 1 --max-iterations 2",
            ),
        of(
            "the rule of 40 neighbors needs more than 40 rows",
            "--method vsm --set neighbors=40 --max-iterations 2",
        )
        .instead(
            "give at most 39 neighbors",
            &fit("--method vsm --set neighbors=39 --max-iterations 2"),
        )
        .edit("more rows", format!("{}1,2,3,0.5,u\n", rows())),
    ]
}

fn tables() -> Vec<Case> {
    let table = |says, text: &str, command: &str| bad(says, "t.csv", text).command(command);
    let of_pairs = |options: &str| {
        format!("fit t.csv --ignore n,y --pairs p.csv --dim 1 --max-iterations 2 {options}")
    };
    vec![
        table(
            "leaves no held-out row",
            &rows(),
            &fit("--method nca --early-stopping=0.01 --max-iterations 2"),
        )
        .instead("or a larger share", &fit("--method nca --early-stopping=0.2 --max-iterations 2"))
        .edit("give more rows", format!("{}{}", rows(), body(400)))
        .instead("switch early stopping off", &fit("--method nca --max-iterations 2")),
        table(
            "leaves a part without a pair",
            &rows(),
            &of_pairs("--test-size 0 --early-stopping=0.01"),
        )
        .file("p.csv", "1,3\n2,4\n5,1\n6,2\n")
        .instead("give another share", &of_pairs("--test-size 0 --early-stopping=0.5"))
        .instead("switch early stopping off", &of_pairs("--test-size 0")),
        table(
            "RCA has no within-class variance",
            "a,b,y\n1,2,u\n1,2,u\n3,2,v\n3,2,v\n",
            "fit t.csv --method rca",
        )
        .edit("give classes of two or more different rows", TWO),
        table(
            "whitening has no variance to scale",
            "a,b,y\n1,2,u\n1,2,v\n1,2,u\n",
            "fit t.csv --method whitening",
        )
        .edit("check how the data were read", TWO),
        table(
            "each of the 4 training rows lacks a value",
            "a,b,y\n1,,u\n,2,v\n3,,u\n,1,v\n",
            "fit t.csv --missing drop",
        )
        .instead("fill them in (mean, median, most-frequent)", "fit t.csv --missing most-frequent")
        .instead("leave the columns out that lack most", "fit t.csv --missing drop --ignore b"),
        of("there is no feature column \"z\" to take for a category", "--categorical z")
            .instead("the features are a, b, c", &fit("--categorical a")),
    ]
}

fn searches() -> Vec<Case> {
    let of = |says, options: &str| {
        of(says, &format!("--method nca --dim 1 --max-iterations 2 --tune --budget 1 {options}"))
    };
    let cured = |options: &str| {
        fit(&format!("--method nca --dim 1 --max-iterations 2 --tune --budget 1 {options}"))
    };
    vec![
        of("are more than 1000 fits of each candidate", "--folds 1000 --repeats 100").instead(
            "give fewer folds or repeats, such as 5 and 2",
            &cured("--folds 5 --repeats 2"),
        ),
        Case { files: vec![("t.csv", unequal("v"))], ..of("too few for 8 folds", "--folds 8") }
            .instead("give 6 folds or fewer", &cured("--folds 6"))
            .edit("join it with another class", unequal("u")),
    ]
}

/// 40 rows of two classes of 16, and of this one of 8.
fn unequal(rare: &str) -> Vec<u8> {
    let row = |at: usize| {
        format!(
            "{},{},{},{at},{}\n",
            at % 7,
            at * at % 11,
            at % 4,
            ["u", "u", "w", "w", rare][at % 5]
        )
    };
    format!("a,b,c,n,y\n{}", (0..40).map(row).collect::<String>()).into_bytes()
}

/// Rows for a model.
fn models() -> Vec<Case> {
    let predict = |says, table: &str, before: &'static str| {
        let case = bad(says, "t.csv", table).file("fit.csv", TWO).before(before);
        case.command("transform run t.csv")
    };
    vec![
        predict(
            "each of the 1 rows lacks a value",
            "a,b\n1,\n",
            "fit fit.csv --missing drop --out run",
        )
        .edit("give rows with values", "a,b\n1,2\n"),
        bad(
            "the data have 1 feature columns, the model was fitted on 2",
            "x.npy",
            super::arrays::numbers(1),
        )
        .file("fit.csv", TWO)
        .before("fit fit.csv --out run")
        .command("transform run x.npy")
        .edit("give the same columns", super::arrays::numbers(2)),
    ]
}
