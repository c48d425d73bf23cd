//! The report: both tables compared with the printed ones, and a figure of the first.

use burn_nca_figures::{Bars, Estimate, Figure, Plot};
use burn_nca_program::command_line;
use serde::Serialize;

use crate::iris::Score;
use crate::timing::Times;

/// How this program is called from the folder of the workspace.
const PROGRAM: &str = "cargo run --release -p slides --";

/// Seconds of a fit as the slides print them.
const PRINTED: [(&str, f64); 4] =
    [("loops", 98.824), ("vectors", 9.84363), ("W-matrix", 6.8411), ("scikit-learn", 0.075)];

/// `results.json`.
#[derive(Debug, Serialize)]
pub struct Results {
    /// What was reproduced.
    pub experiment: &'static str,
    /// The program and its version.
    pub program: String,
    /// The command that makes these results again.
    pub command: String,
    /// The iris table.
    pub iris: Vec<Score>,
    /// The timing table.
    pub timing: Vec<Times>,
}

impl Results {
    /// These results, with the command that made them.
    pub fn new(iris: Vec<Score>, timing: Vec<Times>) -> Self {
        let program = format!("burn-nca {}", env!("CARGO_PKG_VERSION"));
        Self { experiment: "slides", program, command: command_line(PROGRAM), iris, timing }
    }
}

/// The iris table as bars.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn figure(results: &Results) -> burn_nca_figures::Result<Figure> {
    let names = ["k-NN", "NCA", "NCA to 3", "NCA to 2"];
    let bars = |read: &dyn Fn(&Score) -> f64| -> Vec<Option<Estimate>> {
        let bar = |score| Some(Estimate { mean: read(score), error: 0.0 });
        results.iris.iter().map(bar).collect()
    };
    Bars::new(&names, "right of 105 test rows, %")
        .with_title("3-NN on iris")
        .with_range(90.0, 100.0)
        .with_series("burn-nca", &bars(&|score| score.percent(score.right)))
        .with_series("printed", &bars(&|score| score.percent(score.printed)))
        .figure()
}

/// The report as Markdown.
pub fn markdown(results: &Results) -> String {
    let mut text = format!(
        "# The tables of the slides\n\nMade by {} with `{}`.\n\n## Iris\n\n3-NN on the rows as they are, 45 learned from and \
         105 tested on: the split of scikit-learn's user guide, which the slides follow.\n\n| method | right | accuracy, % | \
         printed, % | scikit-learn 1.9.1, % |\n|---|---:|---:|---:|---:|\n",
        results.program, results.command
    );
    for score in &results.iris {
        let Score { method, right, of, .. } = score;
        let [ours, printed, peer] =
            [*right, score.printed, score.scikit_learn].map(|right| score.percent(right));
        text.push_str(&format!(
            "| {method} | {right} of {of} | {ours:.2} | {printed:.2} | {peer:.2} |\n"
        ));
    }
    text.push_str(&format!("\n{}\n\n![Accuracy on iris](iris.svg)\n\n", verdict(&results.iris)));
    text.push_str(
        "## The gradient, written in three ways\n\nMedian time of f and its gradient at one map, standardized rows, one \
         core for the loops, vectors and W-matrix, all cores for the library; the four agree to 1e-8. The slides time a \
         whole fit in Python: ",
    );
    let printed = PRINTED.map(|(name, seconds)| format!("{name} {seconds} s")).join(", ");
    text.push_str(&format!("{printed}.\n\n| rows |"));
    let names: Vec<&str> = results
        .timing
        .first()
        .map_or(&[][..], |times| &times.seconds)
        .iter()
        .map(|t| t.0)
        .collect();
    text.push_str(&format!(" {} |\n|---|{}\n", names.join(" | "), "---:|".repeat(names.len())));
    for times in &results.timing {
        let [n, d] = times.shape;
        let cells: Vec<String> = times.seconds.iter().map(|(_, time)| time_of(*time)).collect();
        text.push_str(&format!("| {} ({n} x {d}) | {} |\n", times.set, cells.join(" | ")));
    }
    text
}

fn verdict(scores: &[Score]) -> String {
    let other: Vec<&str> = scores
        .iter()
        .filter(|score| score.right != score.printed)
        .map(|score| score.method.as_str())
        .collect();
    if other.is_empty() {
        "All rows are as the slides have them.".into()
    } else {
        format!("All rows are as the slides have them but for: {}.", other.join(", "))
    }
}

fn time_of(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", 1e6 * s),
        s if s < 1.0 => format!("{:.1} ms", 1e3 * s),
        s => format!("{s:.2} s"),
    }
}
