//! The cases of the hints that the program itself builds.

use super::{Case, case};

/// Sites without a case, and why.
pub(super) const UNTRIED: &[(&str, &str)] = &[
    ("commands/demo.rs hinted", "invocation.rs names the folder"),
    ("commands/training_rows.rs hinted", "the model is of an earlier version"),
    ("commands/fit.rs hinted", "the device is wgpu"),
    ("commands/fit.rs usage", "no device computes as it should"),
    ("commands/report.rs hinted", "the report is of an earlier version"),
    ("fitting/rows.rs hinted", "the method asks for --pairs before"),
    ("src/output.rs hinted", "the output is a terminal"),
    ("src/source.rs hinted", "the fit has read standard input"),
    ("tables/of_fit.rs hinted", "a table without a training row is refused before"),
    ("tables/of_model.rs hinted", "every table has a last column"),
    ("tables/roles.rs hinted", "rows without a positive weight are refused before"),
    ("fitting/options.rs usage", "it is that of a refusal"),
    ("tables/check.rs usage", "it is that of a table of refusals"),
];

pub(super) fn all() -> Vec<Case> {
    [fits(), refusals(), columns(), models()].into_iter().flatten().collect()
}

/// Two features, a group, and two classes that are numbers.
const GOOD: &str = "a,b,g,y\n\
    1,2,1,1\n2,4,1,0\n3,1,1,1\n4,3,1,0\n5,0,1,1\n6,2,1,0\n\
    7,4,2,1\n8,1,2,0\n9,3,2,1\n10,0,2,0\n11,2,2,1\n12,4,2,0\n\
    13,1,3,1\n14,3,3,0\n15,0,3,1\n16,2,3,0\n17,4,3,1\n18,1,3,0\n\
    19,3,4,1\n20,0,4,0\n21,2,4,1\n22,4,4,0\n23,1,4,1\n24,3,4,0\n";

const PAIRS: &str = "1,3\n2,4\n5,1\n6,2\n";

/// A case of that table, which names pairs and dimensions where a line asks for them.
fn of(sites: &'static str, command: &str) -> Case {
    let case = case(sites, GOOD).command(command).file("p.csv", PAIRS);
    case.value("--pairs", "p.csv").value("--dim", "1")
}

fn fits() -> Vec<Case> {
    let numbers = "a,b,y\n1,2,0.5\n2,1,1.5\n3,2,0.5\n4,1,1.5\n";
    vec![
        of("commands/fit.rs hinted", "fit t.csv --neighbors 99"),
        of(
            "sums/mod.rs Dimensions; sums/mod.rs AutoSums",
            "fit t.csv --method nca --dim 3 --sums fourier --max-iterations 2",
        ),
        case("commands/fit.rs hinted", "a,b,y\n1,2,u\n2,1e30,v\n3,2,u\n4,1,v\n")
            .command("fit t.csv --scale none")
            .edit("correct the value", "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,v\n"),
        case("", "a,b,y\n1,2,u\n2,1e30,v\n")
            .file("d.csv", "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,v\n")
            .command("fit d.csv --test t.csv")
            .edit("correct the value", "a,b,y\n1,2,u\n2,1,v\n"),
        case("", "a,b,y\n1,2,u\n2,1e200,v\n3,2,u\n4,1,v\n")
            .command("fit t.csv --scale none")
            .edit("correct the value", "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,v\n"),
        case("commands/fit.rs hinted", "a,b,y\n1,2,u\n2,1e39,v\n3,2,u\n4,1,v\n")
            .command("fit t.csv --method nca --scale common --no-tune --max-iterations 2"),
        of("fitting/method.rs usage", "fit t.csv --method lda --task regression").instead(
            "choose another method (nca methods lists them)",
            "fit t.csv --task regression",
        ),
        of("", "fit t.csv --method mlkr --task classification --dim 1 --max-iterations 2")
            .instead("choose another method (nca methods lists them)", "fit t.csv --method pca"),
        of("", "fit t.csv --method pairs --dim 1 --max-iterations 2")
            .instead("choose another method (nca methods lists them)", "fit t.csv --method pca"),
        of("fitting/method.rs usage", "fit t.csv --method nca --objective f --set criterion=g")
            .instead(
                "leave one of them out",
                "fit t.csv --method nca --objective f --max-iterations 2",
            ),
        of("fitting/method.rs usage", "fit t.csv --method nca --set criterion=f --set criterion=g")
            .instead(
                "leave one of them out",
                "fit t.csv --method nca --set criterion=f --max-iterations 2",
            ),
        of("fitting/method.rs usage", "fit t.csv --soft --method mlkr")
            .instead("leave one of them out", "fit t.csv --method mlkr --max-iterations 2"),
        case("fitting/rows.rs hinted", GOOD)
            .command("fit t.csv --pairs p.csv --dim 1 --test-size 0.5 --max-iterations 2")
            .file("p.csv", "1,3,1\n2,4,0\n5,1,0\n")
            .value("--test-size", "0"),
        case("fitting/rows.rs hinted", numbers),
        of(
            "fitting/settings.rs usage",
            "fit t.csv --method nca --warm-start run --dim 2 --max-iterations 2 --no-tune",
        )
        .before("fit t.csv --method nca --dim 1 --max-iterations 2 --no-tune --out run"),
        case("fitting/settings.rs hinted", "a,b\n1,0\n0,1\n")
            .command("fit d.csv --method nca --dim 1 --init t.csv --max-iterations 2")
            .file("d.csv", "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,v\n")
            .edit("give one row with a column per feature", "a,b\n1,0\n"),
        case("", "a,b\n1,0\n0,1\n")
            .command("fit d.csv --method ncfs --init t.csv --max-iterations 2")
            .file("d.csv", "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,v\n")
            .edit("give one row with a column per feature", "a,b\n1,0.5\n"),
        case("", "a,b\n1,0\n")
            .command("fit d.csv --method nca --dim 2 --init t.csv --max-iterations 2")
            .file("d.csv", "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,v\n")
            .edit("give a row per dimension and a column per feature", "a,b\n1,0\n0,1\n"),
        of(
            "fitting/target_settings.rs usage",
            "fit t.csv --soft --task classification --max-iterations 2",
        ),
        of(
            "fitting/tuning.rs hinted",
            "fit t.csv --method nca --groups g --tune --budget 1 --folds 9 --max-iterations 2",
        ),
        of("fitting/tuning.rs hinted", "fit t.csv --pairs p.csv --dim 1 --budget 1"),
    ]
}

/// A case of an option that names a column and has no use, so that the column is ignored in its place.
fn replaced(sites: &'static str, command: &str, useless: &'static str) -> Case {
    let (option, column) = useless.split_once(' ').unwrap();
    let words = format!("give --ignore {column} in place of {option}").leak();
    of(sites, &format!("fit t.csv {command} {useless}"))
        .instead(words, &format!("fit t.csv {command} --ignore {column}"))
}

/// Options without an effect.
fn refusals() -> Vec<Case> {
    let of = |options: &str| of("fitting/options.rs refusal", &format!("fit t.csv {options}"));
    // Of a site that another case has.
    let again = |options: &str| Case { sites: "", ..of(options) };
    let few = |options: &str| of(&format!("{options} --max-iterations 2"));
    let numbers = |options: &str| few(&format!("--task regression {options}"));
    let pairs = |options: &str| few(&format!("--pairs p.csv --dim 1 {options}"));
    let network =
        |options: &str| of(&format!("--method nca --encoder mlp --hidden 2 --dim 1 {options}"));
    let model = "fit t.csv --method nca --dim 1 --max-iterations 2 --no-tune --out run";
    vec![
        few("--method nca --warm-start run --budget 3").before(model),
        few("--method nca --dim 1 --sums-tolerance 1e-9"),
        few("--method nca --tune --budget 1 --patience 3"),
        pairs("--width 3"),
        of("--method lda --l2 1").instead(
            "choose another method (nca methods lda says what it has)",
            "fit t.csv --method pca",
        ),
        again("--method lda --epochs 2").instead(
            "choose another method (nca methods lda says what it has)",
            "fit t.csv --method pca",
        ),
        again("--method pca --weight-decay 0.1").instead(
            "choose another method (nca methods pca says what it has)",
            "fit t.csv --method lda",
        ),
        of("--method lca --learning-rate 0.1"),
        again("--method lca --momentum 0.5"),
        of("--method lca --balanced"),
        replaced("fitting/options.rs refusal", "--method lca --max-iterations 2", "--weights b"),
        again("--method lca --optimizer adam --epochs 1 --batch-size 4"),
        again("--method lmnn --max-iterations 2 --sums-tolerance 1e-9"),
        again("--method vsm --max-iterations 2 --init lda"),
        numbers("--objective f"),
        pairs("--objective g"),
        numbers("--repulsion 1"),
        numbers("--init lda"),
        numbers("--neighbors cv")
            .instead("give a number", "fit t.csv --task regression --neighbors 3"),
        pairs("--neighbors 3"),
        pairs("--rule knn"),
        few("--method nca --hidden 3"),
        network("--dropout 0.2 --optimizer lbfgs"),
        network("--init pca"),
        few("--method nca --dim 1 --start-perplexity 2 --init A.csv")
            .file("A.csv", "a,b,g\n1,0,0\n"),
        few("--method nca --encoder diagonal --init pca"),
        few("--method nca --encoder diagonal --tune --budget 1 --tune-dim 1"),
        of("--method nca --epochs 1"),
        of("--method nca --optimizer adam --max-iterations 2"),
        of("--method nca --optimizer adam --epochs 1 --momentum 0.5"),
        of("--method nca --optimizer sgd --epochs 1 --weight-decay 0.1"),
    ]
}

/// The columns of a table.
fn columns() -> Vec<Case> {
    let sparse =
        "%%MatrixMarket matrix coordinate real general\n4 2 5\n1 1 1\n2 2 1\n3 1 2\n4 2 2\n1 2 1\n";
    let of_sparse = |sites, options: &str| {
        let case = case(sites, sparse)
            .command(&format!("fit t.csv,y.csv --dim 1 --max-iterations 2 {options}"));
        case.file("y.csv", "y\nu\nv\nu\nv\n")
    };
    vec![
        of("tables/check.rs usage", "fit t.csv --id a --weights a")
            .instead("name another column in one of them", "fit t.csv --id a --weights b"),
        of("tables/check.rs usage", "fit t.csv --groups g --target g")
            .instead("name another column in one of them", "fit t.csv --groups g --target y"),
        of("", "fit t.csv --task regression --balanced"),
        of("", "fit t.csv --task regression --unlabeled ignore"),
        of("", "fit t.csv --task regression --unlabeled-class 1"),
        replaced("tables/check.rs usage", "--pairs p.csv --dim 1", "--weights b"),
        replaced("", "--pairs p.csv --dim 1", "--groups g"),
        replaced("", "--pairs p.csv --dim 1", "--split g"),
        replaced("", "--pairs p.csv --dim 1", "--target y"),
        replaced("", "--test t.csv", "--groups g"),
        of("", "fit t.csv --pairs p.csv --dim 1 --test t.csv"),
        of("", "fit t.csv --pairs p.csv --dim 1 --missing drop"),
        of("", "fit t.csv --missing drop --missing-indicators"),
        case("tables/grouping.rs hinted", "a,b,g,y\n1,2,1,u\n2,1,1,v\n3,2,1,u\n4,1,1,v\n")
            .command("fit t.csv --groups g --test-size 0.5")
            .instead(
                "give --ignore g in place of --groups",
                "fit t.csv --ignore g --test-size 0.5",
            ),
        case("tables/hints.rs hinted", "a,b,y\n1,2,U.\n2,1,v\n")
            .command("fit d.csv --test t.csv")
            .file("d.csv", "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,v\n")
            .edit("correct the name", "a,b,y\n1,2,u\n2,1,v\n")
            .edit("leave those rows out", "a,b,y\n2,1,v\n"),
        of("fit/resolved_start.rs AutoStart", "fit t.csv --method gvsm --init lda"),
        of("tables/of_fit.rs usage", "fit t.csv --pairs p.csv --dim 1 --reduce 2"),
        of("tables/reduction.rs hinted", "fit t.csv --reduce 9").value("--reduce", "2"),
        case("tables/of_fit.rs hinted", "a,b,s,y\n1,2,test,u\n2,1,test,v\n")
            .command("fit t.csv --split s")
            .edit(
                "write train in the column of some rows",
                "a,b,s,y\n1,2,train,u\n2,1,train,v\n3,2,train,u\n4,1,test,v\n",
            ),
        case("tables/of_fit.rs hinted", "a,b,w,y\n1,2,0,u\n2,1,0,v\n3,2,0,u\n4,1,0,v\n")
            .command("fit t.csv --weights w")
            .edit(
                "give some rows a positive weight",
                "a,b,w,y\n1,2,1,u\n2,1,1,v\n3,2,1,u\n4,1,0,v\n",
            ),
        case("tables/target.rs hinted", "a,b,y\n1,2,\n2,1,\n")
            .command("fit t.csv --categorical auto")
            .edit("write the class of some rows", "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,\n"),
        case(
            "tables/target.rs edit; tables/target.rs DropMissing",
            "a,c,y\n1,u,0.5\n2,v,\n3,u,2.5\n4,v,1\n",
        )
        .command("fit t.csv --task regression --categorical auto")
        .edit("remove the rows", "a,c,y\n1,u,0.5\n3,u,2.5\n4,v,1\n"),
        case(
            "tables/target.rs edit; tables/target.rs Classes",
            "a,c,y\n1,u,x\n2,v,z\n3,u,x\n4,v,z\n",
        )
        .command("fit t.csv --task regression --categorical auto")
        .edit("correct it", "a,c,y\n1,u,0.5\n3,u,2.5\n4,v,1\n"),
        of(
            "tables/opened.rs hinted",
            "fit t.csv --unlabeled neighbors --method nca --max-iterations 2",
        ),
        case("tables/roles.rs hinted", "a,b,w,y\n1,2,x,u\n2,1,z,v\n3,2,x,u\n4,1,x,v\n")
            .command("fit t.csv --weights w")
            .edit(
                "give a column of numbers of 0 or more",
                "a,b,w,y\n1,2,1,u\n2,1,1,v\n3,2,1,u\n4,1,0,v\n",
            ),
        case("tables/roles.rs hinted", "a,b,w,y\n1,2,1,u\n2,1,-1,v\n3,2,1,u\n4,1,1,v\n")
            .command("fit t.csv --weights w")
            .edit("give a number of 0 or more", "a,b,w,y\n1,2,1,u\n2,1,1,v\n3,2,1,u\n4,1,0,v\n"),
        case("tables/roles.rs hinted", "a,b,s,y\n1,2,train,u\n2,1,rest,v\n")
            .command("fit t.csv --split s")
            .edit(
                "write train or test",
                "a,b,s,y\n1,2,train,u\n2,1,train,v\n3,2,train,u\n4,1,test,v\n",
            ),
        of_sparse("tables/sparse.rs hinted", "--ignore a")
            .instead("leave them out", "fit t.csv,y.csv --dim 1 --max-iterations 2"),
        of_sparse("commands/fit.rs usage", "--encoder mlp"),
    ]
}

/// Models.
fn models() -> Vec<Case> {
    let of_classes = |sites, command: &str| of(sites, command).before("fit t.csv --out run");
    let of_numbers = |sites, command: &str| {
        of(sites, command)
            .before("fit t.csv --target y --task regression --out run --max-iterations 2")
    };
    let of_pairs = |sites, command: &str| {
        of(sites, command).before("fit t.csv --pairs p.csv --dim 1 --out run --max-iterations 2")
    };
    vec![
        of_classes("evaluate/options.rs usage", "evaluate run t.csv --ignore a"),
        of_pairs("evaluate/pairs.rs hinted", "evaluate run t.csv"),
        of_classes("commands/training_rows.rs hinted", "evaluate run t.csv --train d.csv")
            .file("d.csv", "a,b,g,y\n1,5,1,0\n2,7,1,1\n")
            .value("--train", "t.csv"),
        of_classes("commands/export.rs hinted", "export run --to m.bin")
            .instead("name the file so", "export run --to m.onnx"),
        of_classes("commands/export.rs hinted", "export run --to m.safetensors --with-neighbors"),
        case("commands/finite.rs hinted", "a,b\n1,2\n2,1e300\n")
            .file("d.csv", GOOD)
            .before("fit d.csv --ignore g --out run")
            .command("transform run t.csv")
            .edit("correct the value", "a,b\n1,2\n2,1\n")
            .edit("remove the row", "a,b\n1,2\n"),
        of_pairs("commands/labels.rs hinted", "info run --labels l.csv"),
        of_classes("commands/predict.rs usage", "predict run t.csv --rule soft --neighbors 3"),
        of_numbers("commands/predict.rs usage", "predict run t.csv --probabilities"),
        of_pairs("commands/predict.rs hinted", "predict run t.csv")
            .instead("embed rows with nca transform", "transform run t.csv"),
        of_classes("commands/transform.rs usage", "transform run t.csv --id a --out z.npy")
            .instead("write a .csv or a .parquet", "transform run t.csv --id a --out z.csv"),
        of_numbers("fitting/neighbor_count.rs usage", "predict run t.csv --neighbors cv")
            .instead("give a number", "predict run t.csv --neighbors 3"),
        of_classes("src/output.rs hinted", "transform run t.csv --out z.txt")
            .instead("name the file so", "transform run t.csv --out z.csv"),
        of_classes("tables/of_model.rs hinted", "evaluate run d.csv")
            .file("d.csv", "a,b,g,class\n1,2,1,0\n2,1,1,1\n")
            .value("--target", "class"),
    ]
}

#[test]
fn the_cures_of_the_program_work() {
    super::check_all(&all());
}
