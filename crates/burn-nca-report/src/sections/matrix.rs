//! The learned map A, where it is small.

use serde::{Deserialize, Serialize};

use crate::number::{counted, significant};
use crate::{Report, Section};
use burn_nca_program::html::{name, section};

/// The learned map, `z = A x`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    /// Names of the d columns.
    pub columns: Vec<String>,
    /// The k rows of A, each of d values.
    pub rows: Vec<Vec<f64>>,
}

impl Matrix {
    /// The most rows, and the most columns, a report holds.
    pub const LARGEST: usize = 40;

    /// The matrix from row-major values, or `None` when it is too large for a report.
    pub fn small(columns: Vec<String>, values: &[f64]) -> Option<Self> {
        let d = columns.len();
        if d == 0 || d > Self::LARGEST || values.len() > Self::LARGEST * d {
            return None;
        }
        let rows = values.chunks_exact(d).map(<[f64]>::to_vec).collect();
        Some(Self { columns, rows })
    }
}

impl Section for Matrix {
    fn page(&self, _report: &Report) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let finite = self.rows.iter().flatten().filter(|value| value.is_finite());
        let largest = finite.fold(0f64, |largest, value| largest.max(value.abs()));
        let column =
            |column: &String| format!("<th scope=\"col\" class=\"n\">{}</th>", name(column, 18));
        let head: String = self.columns.iter().map(column).collect();
        let row = |(row, values): (usize, &Vec<f64>)| {
            let cells: String = values.iter().map(|value| entry(*value, largest)).collect();
            format!("<tr><th scope=\"row\">z<sub>{}</sub></th>{cells}</tr>\n", row + 1)
        };
        let body: String = self.rows.iter().enumerate().map(row).collect();
        let table = format!(
            "<div class=\"scroll\"><table class=\"matrix\"><thead><tr><td></td>{head}</tr></thead>\n<tbody>\n\
             {body}</tbody></table></div>"
        );
        let size = format!("{} × {}", self.rows.len(), counted(self.columns.len(), "feature"));
        let small = self.rows.len() <= 6 && self.columns.len() <= 8;
        let open = if small { " open" } else { "" };
        let body = format!("<details{open}><summary>z = A x, {size}</summary>\n{table}</details>");
        section("matrix", "Linear map A", &body)
    }
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
