//! The cases of methods and tables whose cure is worded in the message: what a fit refuses.

use super::Case;
use super::files::bad;
use crate::table;

/// 40 rows of three features, of a number and of three classes.
pub(super) fn rows() -> String {
    let class = |at: usize| ["u", "v", "w"][at % 3];
    table("a,b,c,n,y", 40, |at| {
        format!("{},{},{},{at}.5,{}", at % 7, at * at % 11, at * 3 % 5, class(at))
    })
}

/// 18 rows, the last six without a class.
fn partly_labeled() -> String {
    let class = |at: usize| if at < 12 { ["u", "v"][at % 2] } else { "" };
    table("a,b,y", 18, |at| format!("{at},{},{}", at * at % 5, class(at)))
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
    [settings(), tables()].into_iter().flatten().collect()
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
    let search = |options: &str| {
        format!("--method nca --dim 1 --max-iterations 2 --tune --budget 1 {options}")
    };
    let of_table = |says, text: &str, command: &str| bad(says, "t.csv", text).command(command);
    vec![
        of_table(
            "RCA has no within-class variance",
            "a,b,y\n1,2,u\n1,2,u\n3,2,v\n3,2,v\n",
            "fit t.csv --method rca",
        )
        .edit("give classes of two or more different rows", TWO),
        of_table(
            "whitening has no variance to scale",
            "a,b,y\n1,2,u\n1,2,v\n1,2,u\n",
            "fit t.csv --method whitening",
        )
        .edit("check how the data were read", TWO),
        of("are more than 1000 fits of each candidate", &search("--folds 1000 --repeats 100"))
            .instead(
                "give fewer folds or repeats, such as 5 and 2",
                &fit(&search("--folds 5 --repeats 2")),
            ),
    ]
}
