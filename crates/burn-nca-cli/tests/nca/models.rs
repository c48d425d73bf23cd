//! Saved models: what the program does with one is what the library does.

use burn_nca_data::bundled::iris;
use burn_nca_learn::data::{Labeled, stratified_split};
use burn_nca_learn::{Fitted, device};
use serde_json::Value;

use crate::{Place, array_of, assert_parts, table};

/// Makes a run of iris, and of the rows it held out `test.csv` with the columns in another order.
pub fn run(place: &Place) -> Labeled {
    place.nca("fit iris --dim 2 --seed 5 --no-tune --out run").success();
    let data = iris();
    let test = data.select(&stratified_split(data.labels(), 0.3, 5).unwrap().test);
    let reversed = |cells: Vec<String>| cells.into_iter().rev().collect::<Vec<_>>().join(",");
    let row = |row: usize| {
        let values = test.features().row(row).iter().map(f64::to_string).collect();
        format!("{},text,{}", test.class_names()[test.labels()[row]], reversed(values))
    };
    let header = format!("kind,note,{}", reversed(test.features().names().to_vec()));
    place.file("test.csv", table(&header, test.rows(), row));
    test
}

pub fn load(place: &Place) -> Fitted {
    Fitted::load(&place.path("run/model"), &device::open("cpu").unwrap()).unwrap()
}

#[test]
fn predictions_and_embeddings_are_those_of_the_library() {
    let place = Place::new();
    let test = run(&place);
    let model = load(&place);
    // The rows of a table, without its header.
    let lines = |command: &str| -> Vec<String> {
        place.nca(command).printed().lines().skip(1).map(String::from).collect()
    };
    let predicted = model.predict(test.features(), 3).unwrap();
    let names: Vec<_> = predicted.iter().map(|&class| test.class_names()[class].clone()).collect();
    assert_eq!(lines("predict run test.csv --neighbors 3"), names);
    let probabilities = model.class_probabilities(test.features()).unwrap();
    let soft = "predict run test.csv --rule soft --probabilities";
    let head = "class,p_setosa,p_versicolor,p_virginica\n";
    assert!(place.nca(soft).printed().starts_with(head));
    for (row, line) in lines(soft).iter().enumerate() {
        let p: f64 = line.split(',').nth(1).unwrap().parse().unwrap();
        assert_eq!(p, probabilities.probability(row, 0));
    }

    let expected =
        model.transform(test.features()).unwrap().into_data().try_to_vec::<f32>().unwrap();
    let cells = lines("transform run test.csv").join(",");
    let found: Vec<f32> = cells.split(',').map(|cell| cell.parse().unwrap()).collect();
    assert_eq!(found, expected);
    assert_eq!(place.nca("transform run test.csv --out z.npy").printed(), "");
    let read = burn_nca_data::read_npy_features(place.path("z.npy")).unwrap();
    assert_eq!((read.rows(), read.columns()), (45, 2));
    assert!(read.values().iter().zip(&expected).all(|(read, z)| *read == f64::from(*z)));
    place.nca("transform run test.csv --out z.parquet").success();
    let bytes = std::fs::read(place.path("z.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    // Its columns are plain: the numbers of each are there one after the other.
    for column in 0..2 {
        let column = expected.iter().skip(column).step_by(2);
        let plain: Vec<u8> = column.flat_map(|z| z.to_le_bytes()).collect();
        assert!(bytes.windows(plain.len()).any(|part| part == plain));
    }
    for format in ["npy", "parquet"] {
        let sent = place.nca(&format!("transform run test.csv --format {format}")).success();
        let written = std::fs::read(place.path(&format!("z.{format}"))).unwrap();
        assert!(sent.0.stdout == written, "{format}");
    }
}

#[test]
fn a_model_tells_what_it_is_in_text_and_json_and_exports_its_layer() {
    let place = Place::new();
    run(&place);
    let parts = ["4 features to 2 dimensions", "setosa, versicolor, virginica", "onverged", "z2"];
    assert_parts(&place.nca("info run").printed(), &parts);
    let mut info = place.nca("info run").json();
    assert_eq!((array_of(&info["matrix"]["rows"]).len(), &info["rows"]), (2, &105.into()));
    assert!(info["termination"].is_string());
    // The exported layer is a file of its own.
    place.nca("export run --to A.safetensors").success();
    let bytes = std::fs::read(place.path("A.safetensors")).unwrap();
    assert_parts(&String::from_utf8_lossy(&bytes[8..]), &["weight", "bias"]);

    // An encoder that is not known here is refused in the words of the program.
    info = place.json("run/model/model.json");
    assert_eq!(info["card"]["encoder"].take(), "Linear");
    place.file("run/model/model.json", info.to_string());
    let cure = "an encoder of the user's own\nhint: load it in the program";
    let message = place.nca("info run").fails(1, &[cure]);
    assert!(!message.contains("load_with"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_fifo_in_the_place_of_a_file_is_refused() {
    let place = Place::new();
    run(&place);
    for (name, command) in [
        ("model/encoder.bpk", "predict run test.csv"),
        ("model/references.bpk", "predict run test.csv"),
        ("model/source.json", "predict run test.csv"),
        ("model/model.json", "predict run test.csv"),
        ("report.json", "report run"),
    ] {
        let path = format!("run/{name}");
        place.rename(&path, "kept");
        place.fifo(&path);
        place.nca(command).fails(1, &[name, "a regular file"]);
        place.rename("kept", &path);
    }
    place.nca("predict run test.csv").success();
}

#[test]
fn a_row_that_is_not_finite_is_named_by_its_place_in_the_table() {
    let place = Place::new();
    let whole = table("a,b,c", 20, |i| format!("{},{},{}", i % 7, i % 5, i % 2));
    place.file("t.csv", format!("{whole}NA,1,0\n"));
    place.file("whole.csv", whole);
    place.file("labeled.csv", "a,b,c\nNA,1,0\n1,1,\n1e308,2,1\n");
    place.file("apart.csv", "a,b,c\n1,1,\n1e308,2,1\n");
    let fit = "fit --no-tune --max-iterations 2";
    place.nca(&format!("{fit} t.csv --missing drop --out run")).success();
    place.nca(&format!("{fit} whole.csv --out other")).success();
    for (command, row) in [
        ("transform run labeled.csv", 3),
        ("predict run labeled.csv", 3),
        ("evaluate run labeled.csv", 3),
        // Rows without a class are set apart where nothing is prepared, too.
        ("evaluate other apart.csv", 2),
    ] {
        place.nca(command).fails(1, &[&format!("row {row}: the embedding is not finite")]);
    }
}

#[test]
fn the_model_folder_says_where_its_rows_came_from_and_how_the_target_is_called() {
    let place = Place::new();
    let status = |i: usize| if (i * 7) % 10 < 4 { "ill" } else { "well" };
    let row = |i: usize| format!("{i},{},{},{}", status(i), (i * 7) % 10, (i * 13) % 17);
    let patients = table("id,status,glucose,insulin", 60, row);
    place.file("patients.csv", &patients);
    place.nca("fit patients.csv --target status --ignore id --dim 1 --out run").success();
    let source = place.json("run/model/source.json");
    assert_eq!((&source["data"], &source["task"]), (&"patients.csv".into(), &"classes".into()));
    assert_eq!(source["target"], "status");
    assert_eq!(source["ignored"], Value::from(vec!["id"]));
    assert_eq!((&source["split"]["share"], &source["split"]["seed"]), (&0.3.into(), &0.into()));
    let text = place.nca("info run").printed();
    assert!(text.contains("target status, without id; 30 % held out, seed 0"), "{text}");
    assert_eq!(place.nca("info run").json()["source"], source);

    for (options, head) in [("", "status\n"), ("--probabilities", "status,p_ill,p_well\n")] {
        let predicted = place.nca(&format!("predict run patients.csv {options}")).printed();
        assert!(predicted.starts_with(head), "{predicted}");
    }
    assert_eq!(place.nca("evaluate run patients.csv").json()["rows"], 60);
    place.file("new.csv", patients.replace("status", "state"));
    assert_eq!(place.nca("evaluate run new.csv --target state").json()["rows"], 60);
}
