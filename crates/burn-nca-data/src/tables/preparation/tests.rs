//! Tests of the preparation of raw tables.

use super::*;
use crate::{RawColumn, RawTable, Result};

const NAN: f64 = f64::NAN;

fn table(columns: Vec<RawColumn>) -> RawTable {
    RawTable::new(columns).unwrap()
}

fn config(missing: Missing, categorical: Categorical) -> PreparationConfig {
    PreparationConfig { missing, categorical, ..PreparationConfig::default() }
}

#[test]
fn holes_are_filled_from_the_training_rows_alone() {
    let values = vec![1.0, NAN, 2.0, 2.0, 9.0, 1000.0];
    let raw = table(vec![
        RawColumn::numbers("a", values),
        RawColumn::text("t", [Some("x"), Some("y"), None, Some("y"), Some("x"), Some("z")]),
    ]);
    for (missing, a) in [(Missing::Mean, 3.5), (Missing::Median, 2.0), (Missing::MostFrequent, 2.0)]
    {
        let preparation = config(missing, Categorical::Auto).fit(&raw, &[0, 1, 2, 3, 4]).unwrap();
        let prepared = preparation.apply(&raw).unwrap();
        assert_eq!(prepared.features.names(), ["a", "t=x", "t=y"]);
        assert_eq!(prepared.features.row(1), [a, 0.0, 1.0], "{missing:?}");
        // x and y are as frequent: the first in order.
        assert_eq!(prepared.features.row(2), [2.0, 1.0, 0.0]);
        assert_eq!(
            prepared.features.row(5),
            [1000.0, 0.0, 0.0],
            "z was not among the training rows"
        );
        let [remark] = &prepared.remarks[..] else { panic!("{:?}", prepared.remarks) };
        assert!(
            remark.contains("column \"t\" holds in 1 row") && remark.contains("\"z\""),
            "{remark}"
        );
    }
}

#[test]
fn indicators_say_where_the_holes_were() {
    let raw = table(vec![
        RawColumn::numbers("a", vec![1.0, NAN, 3.0]),
        RawColumn::numbers("b", vec![1.0, 5.0, 9.0]),
    ]);
    let config = PreparationConfig { indicators: true, ..config(Missing::Mean, Categorical::None) };
    let preparation = config.fit(&raw, &[0, 1, 2]).unwrap();
    assert_eq!(preparation.feature_names(), ["a", "a is missing", "b"]);
    assert_eq!(preparation.apply(&raw).unwrap().features.row(1), [2.0, 1.0, 5.0]);
    // A missing value where none was before is filled, and said.
    let new = table(vec![RawColumn::numbers("b", vec![NAN]), RawColumn::numbers("a", vec![0.0])]);
    let prepared = preparation.apply(&new).unwrap();
    assert_eq!(prepared.features.row(0), [0.0, 0.0, 5.0]);
    assert!(prepared.remarks[0].contains("\"b\" (1)"), "{:?}", prepared.remarks);
}

#[test]
fn rows_with_missing_values_are_left_out_on_request_and_said() {
    let raw = table(vec![
        RawColumn::numbers("a", vec![1.0, NAN, 3.0]),
        RawColumn::numbers("b", vec![1.0, 5.0, NAN]),
    ]);
    let preparation = config(Missing::Drop, Categorical::None).fit(&raw, &[0, 1]).unwrap();
    let prepared = preparation.apply(&raw).unwrap();
    assert_eq!((prepared.rows, prepared.features.values()), (vec![0], &[1.0, 1.0][..]));
    assert_eq!(prepared.remarks, ["2 of 3 rows lack a value and are left out"]);
}

#[test]
fn words_for_true_and_false_are_one_feature() {
    let raw = table(vec![
        RawColumn::text("smokes", [Some("yes"), Some("No"), Some("no")]),
        RawColumn::text("ok", [Some("TRUE"), Some("false"), None]),
    ]);
    let preparation =
        config(Missing::MostFrequent, Categorical::Auto).fit(&raw, &[0, 1, 2]).unwrap();
    let prepared = preparation.apply(&raw).unwrap();
    assert_eq!(prepared.features.names(), ["smokes", "ok"]);
    assert_eq!(prepared.features.values(), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let new = |text| {
        table(vec![RawColumn::text("smokes", [Some(text)]), RawColumn::text("ok", [Some("1")])])
    };
    assert_eq!(preparation.apply(&new("y")).unwrap().features.values(), [1.0, 1.0]);
}

#[test]
fn numbers_are_categories_where_they_are_named_so() {
    let raw = table(vec![RawColumn::numbers("code", vec![10.0, 2.0, 10.0, NAN])]);
    let names = Categorical::Columns(vec!["code".into()]);
    let preparation = config(Missing::MostFrequent, names).fit(&raw, &[0, 1, 2]).unwrap();
    assert_eq!(preparation.feature_names(), ["code=10", "code=2"]);
    assert_eq!(preparation.apply(&raw).unwrap().features.row(3), [1.0, 0.0]);
}

#[test]
fn it_says_what_it_does_and_survives_its_text() {
    let raw = table(vec![
        RawColumn::numbers("age", vec![30.0, NAN, 50.25]),
        RawColumn::text("city", [Some("Rome"), Some("Oslo"), None]),
        RawColumn::text("ok", [Some("t"), Some("f"), Some("f")]),
    ]);
    let preparation = config(Missing::Mean, Categorical::Auto).fit(&raw, &[0, 1, 2]).unwrap();
    assert_eq!(
        preparation.sentences(),
        [
            "missing values filled with the mean of the training rows (of text the most frequent one): \"age\" (1 with \
             40.125), \"city\" (1 with \"Oslo\")",
            "categories as one feature of 0 and 1 per level (levels): \"city\" (2)",
            "true and false as 1 and 0: \"ok\"",
        ]
    );
    assert_eq!(preparation.text_columns().collect::<Vec<_>>(), ["city", "ok"]);
    let of_numbers = table(vec![RawColumn::numbers("age", vec![30.0, NAN])]);
    let of_numbers = config(Missing::Mean, Categorical::Auto).fit(&of_numbers, &[0, 1]).unwrap();
    assert_eq!(
        of_numbers.sentences(),
        ["missing values filled with the mean of the training rows: \"age\" (1 with 30)"]
    );
    let text = serde_json::to_string(&preparation).unwrap();
    assert_eq!(serde_json::from_str::<Preparation>(&text).unwrap(), preparation);
    for level in ["7", "0.5"] {
        let edited = text.replace("\"fill\":0.0", &format!("\"fill\":{level}"));
        assert_ne!(edited, text);
        let edited: Preparation = serde_json::from_str(&edited).unwrap();
        let error = edited.check().unwrap_err();
        assert!(error.contains(&format!("column \"city\" with level {level} of 2")), "{error}");
    }
}

#[test]
fn a_truth_value_without_the_other_is_a_level() {
    let of = |words: [&str; 2]| table(vec![RawColumn::text("a", words.map(Some))]);
    let fitted =
        config(Missing::Refuse, Categorical::Auto).fit(&of(["NO", "NO"]), &[0, 1]).unwrap();
    let prepared = fitted.apply(&of(["NO", "SI"])).unwrap();
    assert_eq!((prepared.features.row(0), prepared.features.row(1)), (&[1.0][..], &[0.0][..]));
    let fitted =
        config(Missing::Refuse, Categorical::Auto).fit(&of(["NO", "yes"]), &[0, 1]).unwrap();
    assert!(fitted.apply(&of(["NO", "SI"])).unwrap_err().to_string().contains("\"SI\" is neither"));
}

#[test]
fn columns_that_name_rows_or_have_no_value_are_left_out_and_said() {
    let texts = |name: &str, distinct: usize| {
        let texts: Vec<String> = (0..40).map(|row| format!("t{}", row % distinct)).collect();
        RawColumn::text(name, texts.iter().map(|text| Some(text.as_str())))
    };
    let raw = table(vec![
        texts("animal", 40),
        texts("street", 21),
        texts("city", 20),
        texts("color", 19),
        RawColumn::numbers("weight", vec![NAN; 40]),
    ]);
    let all: Vec<usize> = (0..40).collect();
    let left_out = |categorical| -> Result<String> {
        let preparation = config(Missing::Median, categorical).fit(&raw, &all)?;
        assert_eq!(preparation.apply(&raw)?.features.rows(), 40);
        Ok(preparation.sentences().pop().unwrap())
    };
    let left = |name: &str, texts: usize| {
        format!(
            "\"{name}\" ({texts} different texts in 40 training rows, unless it is named a category), "
        )
    };
    let (of_animal, of_street) = (left("animal", 40), left("street", 21));
    let others = of_street + "\"weight\" (no value in the training rows)";
    assert_eq!(
        left_out(Categorical::Auto).unwrap(),
        format!("columns left out: {of_animal}{others}")
    );
    let named = Categorical::AutoAnd(vec!["animal".into()]);
    assert_eq!(left_out(named).unwrap(), format!("columns left out: {others}"));
    // A hole in a column that is left out is none of its row.
    let holes = RawColumn::text(
        "holes",
        (0..40).map(|row| Some(["a", "b"][row % 2]).filter(|_| row % 9 > 0)),
    );
    let ids: Vec<String> = (0..40).map(|row| format!("t{row}")).collect();
    let ids = RawColumn::text(
        "id",
        ids.iter().enumerate().map(|(row, id)| Some(id.as_str()).filter(|_| row % 4 > 0)),
    );
    let dropping = config(Missing::Drop, Categorical::Auto);
    let (holes, both) = (table(vec![holes.clone()]), table(vec![holes, ids]));
    let kept = |raw: &RawTable| dropping.fit(raw, &all).unwrap().apply(raw).unwrap();
    assert_eq!(kept(&both), kept(&holes));
    // Of few rows, texts may all differ by chance; more levels than are allowed are refused where they repeat.
    let few = config(Missing::Median, Categorical::Auto).fit(&raw, &all[..19]).unwrap();
    assert_eq!(few.columns().collect::<Vec<_>>(), ["animal", "street", "city", "color"]);
    let config = PreparationConfig { max_levels: 18, ..config(Missing::Median, Categorical::Auto) };
    let error = config.fit(&raw, &all).unwrap_err().to_string();
    assert!(error.contains("\"city\" has 20 different texts in 40 training rows"), "{error}");
    let nothing: Result<Preparation> = config.fit(&table(vec![texts("animal", 40)]), &all);
    let error = nothing.unwrap_err().to_string();
    assert!(error.contains("no feature column is left: \"animal\" (40 different"), "{error}");
}
