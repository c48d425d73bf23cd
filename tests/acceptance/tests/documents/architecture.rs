//! `docs/architecture.md`: the functions from a fit to the formula, and of a prediction.

use std::path::Path;

#[test]
fn each_function_on_the_way_is_where_the_document_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let document = std::fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let mut found = 0;
    for line in document.lines() {
        // As in: 6. `gradient::learn`: `method/gradient.rs`; the start
        let [number, name, ": ", file, ..] = line.split('`').collect::<Vec<_>>()[..] else {
            continue;
        };
        if number.trim_end_matches(". ").parse::<usize>().is_err() {
            continue;
        }
        let name = name.rsplit("::").next().unwrap_or(name);
        let sources = ["burn-nca-learn", "burn-nca"]
            .map(|package| root.join("crates").join(package).join("src").join(file));
        let source = sources.iter().find_map(|path| std::fs::read_to_string(path).ok());
        let source = source.unwrap_or_else(|| panic!("no crate has {file}"));
        let openings = [format!("fn {name}("), format!("fn {name}<")];
        let is_there = openings.iter().any(|opening| source.contains(opening));
        assert!(is_there, "{file} has no function {name}");
        found += 1;
    }
    assert!(found > 15, "{found} functions");
}
