use super::html::{escape, note, section as section_of};
use crate::report::number::{counted, duration, percent, significant};
use crate::report::{Tuning, TuningRow};

/// Every candidate of the search for settings, best first.
pub fn section(tuning: &Tuning) -> String {
    let remark = note(&format!(
        "{} of {} were tried, by {} each inside the training rows; none of the rows held out to test on took part. \
         1-NN: accuracy on the rows that a fold left out. ln p: the mean log probability of the true class there. \
         {} {}",
        tuning.trials.len(),
        counted(tuning.candidates, "candidate"),
        counted(tuning.folds, "fit"),
        escape(&tuning.end),
        escape(&tuning.reason)
    ));
    let heads = ["l2", "Start", "Dim.", "Steps", "1-NN", "± s.e.", "ln p", "Time"];
    let heads: String = heads
        .iter()
        .map(|head| {
            let class = if *head == "Start" { "" } else { " class=\"n\"" };
            format!("<th scope=\"col\"{class}>{head}</th>")
        })
        .collect();
    let rows: String = tuning.trials.iter().map(line).collect();
    section_of(
        "trials",
        "What was tried",
        &format!(
            "{remark}<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Candidates that were \
             tried\"><table class=\"trials\"><thead><tr><th scope=\"col\">Criterion</th>{heads}</tr></thead>\n\
             <tbody>\n{rows}</tbody></table></div>"
        ),
    )
}

fn line(row: &TuningRow) -> String {
    let cells = [
        row.l2.to_string(),
        row.start.clone(),
        row.dimension.to_string(),
        row.steps(),
        percent(Some(row.accuracy)),
        percent(Some(row.standard_error)),
        significant(row.log_p, 3),
        duration(row.seconds),
    ];
    let cells: String = cells
        .iter()
        .enumerate()
        .map(|(at, cell)| {
            let class = if at == 1 { "" } else { " class=\"n\"" };
            let text = escape(cell);
            let text = if row.chosen { format!("<b>{text}</b>") } else { text };
            format!("<td{class}>{text}</td>")
        })
        .collect();
    let chosen = if row.chosen { "<span class=\"hidden\"> (chosen)</span>" } else { "" };
    let name = escape(&row.criterion);
    let name = if row.chosen { format!("<b>{name}</b>{chosen}") } else { name };
    format!("<tr><th scope=\"row\">{name}</th>{cells}</tr>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_candidate_is_marked_once() {
        let text = section(&Tuning::example());
        assert_eq!(text.matches("(chosen)").count(), 1);
        assert_eq!(text.matches("<tr>").count(), 1 + Tuning::example().trials.len());
        assert!(text.contains("2 of 36 candidates were tried, by 5 fits each"), "{text}");
    }
}
