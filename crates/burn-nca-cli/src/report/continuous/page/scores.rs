use crate::report::continuous::{ContinuousReport, Kind};
use crate::report::page::html::{escape, note, section as section_of};

/// The methods side by side.
pub fn section(report: &ContinuousReport) -> String {
    let table = &report.comparison;
    let measures = table.measured();
    let mut head = String::from(
        "<th scope=\"col\">Method</th><th scope=\"col\" class=\"n\"><abbr title=\"Dimensions of the space\">Dim.</abbr></th>",
    );
    for measure in &measures {
        head.push_str(&format!("<th scope=\"col\" class=\"n\">{}</th>", escape(&measure.label)));
    }
    let mut body = String::new();
    for row in &table.rows {
        let class = if row.method == report.method { " class=\"learnt\"" } else { "" };
        body.push_str(&format!(
            "<tr{class}><th scope=\"row\">{}</th><td class=\"n\">{}</td>",
            escape(&row.name()),
            row.dimension
        ));
        for measure in &measures {
            let text = measure.text(row.value(&measure.key));
            body.push_str(&if table.is_best(row, measure) {
                format!("<td class=\"n\"><b>{text}</b><span class=\"hidden\"> (best)</span></td>")
            } else {
                format!("<td class=\"n\">{text}</td>")
            });
        }
        body.push_str("</tr>\n");
    }
    section_of(
        "comparison",
        "Beside the baselines",
        &format!(
            "{}<div class=\"scroll\"><table class=\"scores\"><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\
             </tbody></table></div>",
            note(&remark(report))
        ),
    )
}

fn remark(report: &ContinuousReport) -> String {
    let mut text = match report.kind {
        Kind::Numbers => {
            "R²: share of the target's variance that is predicted, 1 at best. RMSE and MAE: errors in the \
             units of the target. Train: each training row left out in turn. Kernel: mean of all training \
             rows, weighted by p."
        }
        Kind::Pairs => {
            "Each pair asks twice, from either end, among all other rows but known partners: how often the \
             partner is the nearest, or among the 5 or 10 nearest, its median rank, and the mean of 1 / rank."
        }
    }
    .to_owned();
    if report.data.test == 0 {
        text.push_str(" Nothing was held out: these figures flatter.");
    } else {
        text.push_str(" Best on what was held out in bold.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_held_out_figure_of_each_column_is_bold() {
        let html = section(&ContinuousReport::example());
        assert_eq!(html.matches("<b>").count(), 3);
        assert!(html.contains("<b>0.871</b>") && html.contains("<b>3.27</b>"));
        assert_eq!(html.matches("class=\"learnt\"").count(), 2);
    }
}
