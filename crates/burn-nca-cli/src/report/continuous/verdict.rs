use super::{ContinuousReport, Kind, MeasureRow};
use crate::report::number::{counted, percent, significant};

/// One or two sentences, in plain words, on what the fit is worth.
pub fn verdict(report: &ContinuousReport) -> String {
    match report.kind {
        Kind::Numbers => of_numbers(report),
        Kind::Pairs => of_pairs(report),
    }
}

fn of_numbers(report: &ContinuousReport) -> String {
    let target = report.data.target.as_deref().unwrap_or("the target");
    let (learnt, plain) = (&report.scores, euclidean(report));
    if report.data.test == 0 {
        let r2 = learnt.value("r2_train").map_or("–".to_owned(), |r2| significant(r2, 3));
        return format!(
            "{target}: R² {r2} with the learnt metric in {} on {}, each left out in turn. The metric was learnt \
             from these rows; rows it has not seen usually do less well.",
            counted(learnt.dimension, "dimension"),
            counted(report.data.train, "training row")
        );
    }
    let figure = |row: &MeasureRow, key: &str| {
        row.value(key).map_or("–".to_owned(), |value| significant(value, 3))
    };
    let mut text = format!(
        "{target} on {}: R² {} with the learnt metric in {}, typical error (RMSE) {}",
        counted(report.data.test, "held-out row"),
        figure(learnt, "r2_test"),
        counted(learnt.dimension, "dimension"),
        figure(learnt, "rmse_test")
    );
    if let Some(plain) = plain {
        text.push_str(&format!(
            "; R² {} and error {} with the {} of Euclidean distance in {}",
            figure(plain, "r2_test"),
            figure(plain, "rmse_test"),
            plain.rule,
            plain.dimension
        ));
    }
    text + "."
}

fn of_pairs(report: &ContinuousReport) -> String {
    let (learnt, plain) = (&report.scores, euclidean(report));
    let (key, pairs, warning) = if report.data.test == 0 {
        let pairs = counted(report.data.train, "training pair");
        ("recall_5_train", pairs, " The metric was learnt from these very pairs.")
    } else {
        ("recall_5_test", counted(report.data.test, "held-out pair"), "")
    };
    let plain = plain.and_then(|row| Some((row.value(key)?, row.dimension)));
    let plain = plain.map_or(String::new(), |(share, dimension)| {
        format!(", {} with Euclidean distance in {dimension}", percent(Some(share)))
    });
    format!(
        "{pairs}: the partner is among the 5 nearest rows in {} of the cases with the learnt metric in \
         {}{plain}.{warning}",
        percent(learnt.value(key)),
        counted(learnt.dimension, "dimension")
    )
}

/// The row without any learning.
fn euclidean(report: &ContinuousReport) -> Option<&MeasureRow> {
    report.comparison.rows.iter().find(|row| row.method == "Euclidean")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_out_rows_decide() {
        assert_eq!(
            verdict(&ContinuousReport::example()),
            "price on 152 held-out rows: R² 0.871 with the learnt metric in 2 dimensions, typical error (RMSE) \
             3.27; R² 0.752 and error 4.53 with the 5-NN of Euclidean distance in 13."
        );
    }

    #[test]
    fn without_held_out_rows_the_reader_is_warned() {
        let mut report = ContinuousReport::example();
        report.data.test = 0;
        assert!(verdict(&report).contains("usually do less well"));
        let mut report = ContinuousReport::of_pairs();
        assert!(
            verdict(&report).starts_with("60 held-out pairs: the partner is among the 5 nearest")
        );
        report.data.test = 0;
        assert!(verdict(&report).ends_with("from these very pairs."));
    }
}
