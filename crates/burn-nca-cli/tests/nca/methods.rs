//! Every method of the registry, from a table to predictions.

use burn_nca_learn::data::Task;
use burn_nca_learn::method::{AnyMethod, Uses};

use crate::continuous::{write_film, write_houses};
use crate::{Place, array_of, assert_parts, methods_compared, nca, number};

#[test]
fn every_method_is_fitted_saved_evaluated_and_named() {
    let place = Place::new();
    write_houses(&place);
    write_film(&place);
    for method in AnyMethod::all() {
        let info = method.info();
        let name = info.name;
        // Those that need no target learn from classes, too.
        let (data, options) = match info.task {
            None | Some(Task::Classes) => ("iris", ""),
            Some(Task::Numbers) => ("houses.csv", "--task regression"),
            Some(Task::Pairs) => ("film.csv", "--pairs pairs.csv"),
        };
        let is_modern = name.starts_with("modern");
        let small = if is_modern { "--dim 8 --set members=2 --set width=16" } else { "" };
        let fit = format!("fit {data} --method {name} --out {name} {options} {small}");
        let report = place.nca(&fit).json();
        assert_eq!(
            (&report["method"], &report["settings"]["method"]),
            (&info.label.into(), &name.into())
        );
        let compared = methods_compared(&report);
        assert_eq!(compared.last(), Some(&info.label), "{compared:?}");
        let of_nothing = compared.iter().filter(|one| **one == "Euclidean").count();
        assert_eq!(of_nothing, 1, "{compared:?}");

        let said = place.nca(&format!("info {name}")).printed();
        assert_parts(&said, &[info.label, info.title]);
        let evaluations = report["evaluations"].as_u64().unwrap();
        assert_eq!(said.contains("largest gradient component"), evaluations > 0, "{said}");
        let penalty = match (info.uses.contains(&Uses::L2), name) {
            (false, _) => "L2 penalty",
            (true, "ncfs" | "fsrnca") => "L2 penalty 1/n",
            (true, _) => "L2 penalty 0",
        };
        assert_eq!(said.contains(penalty), info.uses.contains(&Uses::L2), "{said}");
        let is_own = info.own_rule && info.task == Some(Task::Classes);
        assert_eq!(said.contains("own rule: that of the method"), is_own, "{said}");
        assert_eq!(place.nca(&format!("info {name}")).json()["method"], name);
        assert!(place.read(&format!("{name}/report.html")).contains(info.label));
        let pairs = if info.task == Some(Task::Pairs) { options } else { "" };
        let measured = place.nca(&format!("evaluate {name} {data} {pairs}")).json();
        if data == "iris" {
            assert!(number(&measured["accuracy"], "knn") > 0.9, "{info:?} {measured}");
            let predict = format!("predict {name} iris --probabilities");
            assert_eq!(place.nca(&predict).printed().lines().count(), 151);
        }
    }
    // One that needs no target takes numbers and pairs.
    for (fit, name, kind) in [
        ("houses.csv --task regression --method pca --dim 2", "PCA", "numbers"),
        ("film.csv --pairs pairs.csv --method whitening", "whitening", "pairs"),
    ] {
        let report = place.nca(&format!("fit {fit}")).json();
        assert_eq!((&report["method"], &report["kind"]), (&name.into(), &kind.into()));
    }
}

#[test]
fn the_methods_are_listed_with_their_settings() {
    let listed = nca("methods").json();
    assert_eq!(array_of(&listed).len(), AnyMethod::all().len());
    assert_eq!(listed[0]["name"], "nca");
    assert_eq!(listed[0]["settings"][0]["default"], "G");
    let (table, help) = (nca("methods").printed(), nca("fit --help").printed());
    for method in AnyMethod::all() {
        let name = method.info().name;
        assert!(table.lines().any(|line| line.starts_with(name)), "{table}");
        assert!(help.contains(&format!("- {name}:")), "{name} is not in the help");
    }
    assert_parts(&nca("methods nca").printed(), &["--set repulsion=0"]);
}
