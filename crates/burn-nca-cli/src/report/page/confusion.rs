use super::html::{name, note, section as section_of};
use crate::report::number::{counted, percent};
use crate::report::{ClassCount, Part, Report};

/// More classes than this, or longer names, and the column heads are turned upright.
const LEVEL_HEADS: (usize, usize) = (6, 12);

/// The most letters of a class's name beside the matrix.
const NAME: usize = 26;

/// True class by predicted class; the tint is the share of the true class.
pub fn section(report: &Report) -> String {
    let Some(confusion) = &report.confusion else { return String::new() };
    let classes = &report.data.classes;
    let upright = classes.len() > LEVEL_HEADS.0
        || classes.iter().any(|class| class.name.chars().count() > LEVEL_HEADS.1);
    let head: String = classes.iter().map(head_cell).collect();
    let body: String = confusion
        .counts
        .iter()
        .zip(classes)
        .enumerate()
        .map(|(index, (counts, class))| line(index, counts, &class.name))
        .collect();
    let kind = if upright { " upright" } else { "" };
    let table = format!(
        "<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Confusion matrix\">\
         <table class=\"confusion{kind}\"><thead><tr><td class=\"corner\">true ↓ predicted →</td>{head}\
         <th scope=\"col\" class=\"n\">right</th></tr></thead>\n<tbody>\n{body}</tbody></table></div>"
    );
    let remark = remark(confusion.part, &confusion.counts);
    section_of("confusion", "Which class is taken for which", &format!("{}{table}", note(&remark)))
}

fn remark(part: Part, counts: &[Vec<usize>]) -> String {
    let total: usize = counts.iter().flatten().sum();
    let right: usize = counts.iter().enumerate().filter_map(|(class, row)| row.get(class)).sum();
    let rows = match part {
        Part::Test => counted(total, "held-out row"),
        Part::Train => format!("{}, each left out in turn", counted(total, "training row")),
    };
    let wrong = match total - right {
        0 => "none wrong".to_owned(),
        wrong => format!("{wrong} wrong"),
    };
    format!("1-NN in the learnt metric on {rows}: {wrong}. Tint: share of the true class.")
}

fn head_cell(class: &ClassCount) -> String {
    format!("<th scope=\"col\" class=\"n\">{}</th>", name(&class.name, NAME))
}

fn line(class: usize, counts: &[usize], class_name: &str) -> String {
    let total: usize = counts.iter().sum();
    let cells: String = counts
        .iter()
        .enumerate()
        .map(|(predicted, &count)| {
            if count == 0 {
                return "<td class=\"n zero\">0</td>".to_owned();
            }
            let share = count as f64 / total as f64;
            let hue = if predicted == class { "cool" } else { "warm" };
            let dark = if share > 0.6 { " dark" } else { "" };
            // A single error among many rows must still be seen.
            let tint = 18.0 + 72.0 * share;
            format!("<td class=\"n tint {hue}{dark}\" style=\"--tint:{tint:.0}%\">{count}</td>")
        })
        .collect();
    let right = (total > 0).then(|| counts.get(class).map_or(0.0, |&n| n as f64 / total as f64));
    format!(
        "<tr><th scope=\"row\">{}</th>{cells}<td class=\"n right\">{}</td></tr>\n",
        name(class_name, NAME),
        percent(right)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tints_follow_the_share_of_the_true_class() {
        let html = line(1, &[3, 9, 0], "b");
        assert!(html.contains("tint warm\" style=\"--tint:36%\">3<"), "{html}");
        assert!(html.contains("tint cool dark\" style=\"--tint:72%\">9<"), "{html}");
        assert!(html.contains("zero\">0<") && html.contains(">75.0 %<"), "{html}");
    }

    #[test]
    fn a_class_without_rows_has_no_share() {
        assert!(line(0, &[0, 0], "empty").contains("<td class=\"n right\">–</td>"));
    }

    #[test]
    fn errors_are_counted_off_the_diagonal() {
        let text = remark(Part::Test, &[vec![5, 1], vec![2, 7]]);
        assert!(text.contains("15 held-out rows: 3 wrong."), "{text}");
    }
}
