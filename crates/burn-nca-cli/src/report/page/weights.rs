use super::html::{name, note, place, section as section_of};
use crate::report::number::{counted, percent, significant};
use crate::report::{FeatureWeight, Matrix};

/// The most bars drawn.
const SHOWN: usize = 30;

/// The features by weight, largest first.
pub fn section(weights: &[FeatureWeight]) -> String {
    let mut weights: Vec<&FeatureWeight> =
        weights.iter().filter(|feature| feature.weight.is_finite()).collect();
    weights.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
    let Some(largest) = weights.first().map(|feature| feature.weight.abs()) else {
        return String::new();
    };
    let bars: String = weights.iter().take(SHOWN).map(|feature| bar(feature, largest)).collect();
    section_of(
        "weights",
        "What the metric looks at",
        &format!(
            "{}<div class=\"scroll\"><table class=\"weights\"><thead><tr><th scope=\"col\">Feature</th>\
             <th scope=\"col\" aria-hidden=\"true\"></th><th scope=\"col\" class=\"n\">Weight</th>\
             <th scope=\"col\" class=\"n\">Share</th></tr></thead>\n<tbody>\n{bars}</tbody></table></div>",
            note(&remark(&weights))
        ),
    )
}

fn remark(weights: &[&FeatureWeight]) -> String {
    let mut text =
        "Weight: the norm of the feature's column of A, after scaling. Share: its part of the \
                    squared metric, the trace of AᵀA."
            .to_owned();
    if weights.len() > SHOWN {
        let rest: f64 = weights[SHOWN..].iter().map(|feature| feature.share).sum();
        text.push_str(&format!(
            " The {SHOWN} largest of {}; the others share {}.",
            weights.len(),
            percent(Some(rest))
        ));
    }
    text
}

fn bar(feature: &FeatureWeight, largest: f64) -> String {
    let length = if largest > 0.0 { feature.weight.abs() / largest } else { 0.0 };
    format!(
        "<tr><th scope=\"row\">{}</th><td class=\"bar\"><span style=\"width:{}\"></span></td>\
         <td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        name(&feature.column, 32),
        place(length),
        significant(feature.weight, 3),
        percent(Some(feature.share))
    )
}

/// The entries of A, tinted by size and sign.
pub fn matrix_section(matrix: Option<&Matrix>) -> String {
    let Some(matrix) = matrix.filter(|matrix| !matrix.rows.is_empty()) else {
        return String::new();
    };
    let largest = matrix
        .rows
        .iter()
        .flatten()
        .filter(|value| value.is_finite())
        .fold(0f64, |largest, value| largest.max(value.abs()));
    let head: String = matrix
        .columns
        .iter()
        .map(|column| format!("<th scope=\"col\" class=\"n\">{}</th>", name(column, 18)))
        .collect();
    let body: String = matrix
        .rows
        .iter()
        .enumerate()
        .map(|(row, values)| {
            let cells: String = values.iter().map(|value| entry(*value, largest)).collect();
            format!("<tr><th scope=\"row\">z<sub>{}</sub></th>{cells}</tr>\n", row + 1)
        })
        .collect();
    let table = format!(
        "<div class=\"scroll\"><table class=\"matrix\"><thead><tr><td></td>{head}</tr></thead>\n<tbody>\n\
         {body}</tbody></table></div>"
    );
    let size = format!("{} × {}", matrix.rows.len(), counted(matrix.columns.len(), "feature"));
    let small = matrix.rows.len() <= 6 && matrix.columns.len() <= 8;
    let open = if small { " open" } else { "" };
    section_of(
        "matrix",
        "The learnt map A",
        &format!("<details{open}><summary>z = A x, {size}</summary>\n{table}</details>"),
    )
}

fn entry(value: f64, largest: f64) -> String {
    let share = if largest > 0.0 && value.is_finite() { value.abs() / largest } else { 0.0 };
    let hue = if value < 0.0 { "warm" } else { "cool" };
    format!(
        "<td class=\"n tint {hue}\" style=\"--tint:{:.0}%\">{}</td>",
        45.0 * share,
        significant(value, 3)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;

    #[test]
    fn bars_are_sorted_and_the_largest_is_full() {
        let html = section(&Report::example().feature_weights);
        let place = |name: &str| html.find(name).unwrap();
        assert!(place("petal width") < place("petal length"));
        assert!(place("sepal width") < place("sepal length"));
        assert_eq!(html.matches("width:100.000%").count(), 1);
    }

    #[test]
    fn beyond_thirty_features_the_rest_is_summed_up() {
        let mut report = Report::example();
        report.feature_weights = (0..64)
            .map(|n| FeatureWeight { column: format!("f{n}"), weight: 1.0, share: 1.0 / 64.0 })
            .collect();
        let html = section(&report.feature_weights);
        assert_eq!(html.matches("class=\"bar\"").count(), 30);
        assert!(html.contains("The 30 largest of 64; the others share 53.1 %."), "{html}");
    }
}
