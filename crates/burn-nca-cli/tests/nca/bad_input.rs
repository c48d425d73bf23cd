//! Bad input: the message names the thing, the value and the cure; exit code 1 for data, 2 for usage.

use crate::{Place, nca};

#[test]
fn numbers_out_of_range_and_options_without_effect() {
    for (options, parts) in [
        ("--dim 0", ["'0' for '--dim <K>'", "1 or more"]),
        ("--neighbors 0", ["'0' for '--neighbors <K|cv|entropy>'", "1 or more"]),
        ("--neighbors -1", ["'-1' for '--neighbors <K|cv|entropy>'", "cv or entropy"]),
        ("--test-size 1", ["'1' for '--test-size <SHARE>'", "below 1"]),
        ("--test-size NaN", ["'NaN' for '--test-size <SHARE>'", "below 1"]),
        ("--l2 nan", ["'nan' for '--l2 <X>'", "0 or more"]),
        ("--time-budget 0", ["'0' for '--time-budget <SECONDS>'", "above 0"]),
        ("--time-budget nan", ["'nan' for '--time-budget <SECONDS>'", "above 0"]),
        ("--init zero", ["'zero' for '--init <START>'", "identity"]),
        ("--init random:0", ["the scale of a random start", "above 0"]),
        ("--l2 -1", ["'-1' for '--l2 <X>'", "0 or more, such as 0.001"]),
        ("--seed -1", ["'-1' for '--seed <N>'", "from 0 to 18446744073709551615"]),
        ("--max-iterations -1", ["'-1' for '--max-iterations <N>'", "0 or more"]),
        ("--dim -2", ["'-2' for '--dim <K>'", "1 or more"]),
        ("--dim 2.5", ["'2.5' for '--dim <K>'", "1 or more"]),
        ("--dim two", ["'two' for '--dim <K>'", "1 or more"]),
        ("--folds 1", ["'1' for '--folds", "2 or more"]),
        ("--l2 inf", ["'inf' for '--l2 <X>'", "0 or more"]),
        ("-q --early-stopping=0", ["'0' for '--early-stopping", "between 0 and 1"]),
        ("--method vsm --rule knn", ["--rule knn has no effect on the method vsm", "error: "]),
        (
            "--method pca --dim 1 --sums plain",
            ["--sums has no effect on the method pca", "error: "],
        ),
        ("--start-perplexity 1", ["'1' for '--start-perplexity <P>'", "0 for none"]),
    ] {
        nca(&format!("fit iris {options}")).fails(2, &parts);
    }
    nca("demo --port -1").fails(2, &["'-1' for '--port", "0 to 65535"]);
}

#[test]
fn models_that_are_none_or_do_not_fit_the_data() {
    let place = Place::new();
    place.nca("fit iris --dim 2 --max-iterations 1 --out run").success();
    place.file("other.csv", "a,b,y\n1,2,u\n3,4,v\n");
    place.file(
        "huge.csv",
        "sepal_length_cm,sepal_width_cm,petal_length_cm,petal_width_cm\n5,3,1,0.2\n5,3,1e308,0.2\n",
    );
    let huge = ["error: huge.csv, row 2", "petal_length_cm", "1e308", "remove the row"];
    for (command, parts) in [
        ("predict run wine", &["error: ", "13 feature columns", "4"][..]),
        ("transform run other.csv", &["error: ", "no column", "its columns are a, b, y"]),
        ("evaluate run wine", &["error: ", "13", "4"]),
        ("predict run iris --neighbors 1000", &["error: ", "k is 1000", "105"]),
        ("transform run huge.csv", &huge),
        ("predict run huge.csv", &huge),
    ] {
        place.nca(command).fails(1, parts);
    }
    let page = place.read("run/report.html");
    let report = place.read("run/report.json");
    let mut edited = place.json("run/report.json");
    edited["embedding"]["points"][2]["coordinates"] = serde_json::json!([1.5]);
    let message = "the values of embedding do not fit those of the other fields";
    for (report, parts) in [
        (report.replacen("\"format\": 1", "\"format\": 99", 1), ["format 99", "reads format 1"]),
        (edited.to_string(), ["report.json", message]),
    ] {
        place.file("run/report.json", report);
        place.nca("report run").fails(1, &parts);
        assert_eq!(place.read("run/report.html"), page);
    }
}
