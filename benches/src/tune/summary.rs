//! The results as tables.

use super::Done;
use super::methods::{PLAIN, Rank, TUNED};

/// A mean with its standard error.
struct Estimate {
    mean: f64,
    error: f64,
}

impl Estimate {
    fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        Some(Self { mean, error: (squares / (n - 1.0).max(1.0) / n).sqrt() })
    }
}

/// For each rank: accuracies of every method on every set, differences paired over the splits, and what the
/// search chose.
pub fn markdown(results: &[Done]) -> String {
    let mut text = String::from(
        "Written by `measure tune`. 1-NN accuracy on test rows in %, mean and standard error over the splits. \
         `mean`: the plain mean over the sets. The differences are paired over splits: the mean over sets of \
         the mean difference, and its standard error from the spread of the splits within each set.\n",
    );
    for (rank, title, reference) in
        [(Rank::Square, "Square A", "Euclidean"), (Rank::Two, "Rank 2", "LDA")]
    {
        let of_rank: Vec<&Done> = results.iter().filter(|done| done.task.rank == rank).collect();
        if of_rank.is_empty() {
            continue;
        }
        text.push_str(&format!("\n## {title}\n\n{}", accuracies(&of_rank)));
        text.push_str(&format!("\n### Tuned, set by set\n\n{}", differences(&of_rank, reference)));
        text.push_str(&format!("\n### What the search chose\n\n{}", choices(&of_rank)));
    }
    text
}

fn sets(results: &[&Done]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for done in results {
        if !names.contains(&done.task.set) {
            names.push(done.task.set.clone());
        }
    }
    names
}

fn methods(results: &[&Done]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for run in results.iter().flat_map(|done| &done.runs) {
        if !names.contains(&run.method) {
            names.push(run.method.clone());
        }
    }
    names
}

/// The accuracy of a method on each split of a set, in %.
fn values(results: &[&Done], set: &str, method: &str) -> Vec<f64> {
    let of_set = results.iter().filter(|done| done.task.set == set);
    of_set
        .filter_map(|done| done.runs.iter().find(|run| run.method == method))
        .map(|run| 100.0 * run.accuracy)
        .collect()
}

/// The differences of two methods on the splits of a set, in points.
fn paired(results: &[&Done], set: &str, [method, reference]: [&str; 2]) -> Vec<f64> {
    let (ours, theirs) = (values(results, set, method), values(results, set, reference));
    if ours.len() != theirs.len() {
        return Vec::new();
    }
    ours.iter().zip(theirs).map(|(ours, theirs)| ours - theirs).collect()
}

/// The mean over sets of the mean difference; errors of independent means add in squares.
fn over_sets(results: &[&Done], pair: [&str; 2]) -> Option<Estimate> {
    let of_sets: Option<Vec<Estimate>> =
        sets(results).iter().map(|set| Estimate::of(&paired(results, set, pair))).collect();
    let of_sets = of_sets?;
    let n = of_sets.len() as f64;
    Some(Estimate {
        mean: of_sets.iter().map(|set| set.mean).sum::<f64>() / n,
        error: of_sets.iter().map(|set| set.error * set.error).sum::<f64>().sqrt() / n,
    })
}

fn accuracies(results: &[&Done]) -> String {
    let sets = sets(results);
    let heads: Vec<String> = sets
        .iter()
        .map(|set| {
            let splits = results.iter().filter(|done| done.task.set == *set).count();
            format!("{set} ({splits})")
        })
        .collect();
    let mut text = format!("| method | {} | mean | minus plain |\n", heads.join(" | "));
    text.push_str(&format!("|---|{}\n", "---:|".repeat(sets.len() + 2)));
    for method in methods(results) {
        let of_sets: Vec<Option<Estimate>> =
            sets.iter().map(|set| Estimate::of(&values(results, set, &method))).collect();
        let cells: Vec<String> = of_sets
            .iter()
            .map(|value| {
                value.as_ref().map_or("-".into(), |v| format!("{:.2} ± {:.2}", v.mean, v.error))
            })
            .collect();
        let means: Option<Vec<f64>> = of_sets.iter().map(|v| v.as_ref().map(|v| v.mean)).collect();
        let mean = means.map_or("-".into(), |means| {
            format!("{:.2}", means.iter().sum::<f64>() / means.len() as f64)
        });
        let name = if method == PLAIN { format!("{method} (plain NCA)") } else { method.clone() };
        let difference = over_sets(results, [&method, PLAIN]);
        text.push_str(&format!(
            "| {name} | {} | {mean} | {} |\n",
            cells.join(" | "),
            signed(difference)
        ));
    }
    text
}

fn differences(results: &[&Done], reference: &str) -> String {
    let mut text = format!(
        "| set | minus plain NCA | minus {reference} | seconds of the search |\n|---|---:|---:|---:|\n"
    );
    for set in sets(results) {
        let plain = Estimate::of(&paired(results, &set, [TUNED, PLAIN]));
        let other = Estimate::of(&paired(results, &set, [TUNED, reference]));
        let of_set = results.iter().filter(|done| done.task.set == set);
        let tuned = of_set.filter_map(|done| done.runs.iter().find(|run| run.method == TUNED));
        let seconds: Vec<f64> = tuned.map(|run| run.seconds).collect();
        let seconds = Estimate::of(&seconds).map_or("-".into(), |s| format!("{:.1}", s.mean));
        text.push_str(&format!("| {set} | {} | {} | {seconds} |\n", signed(plain), signed(other)));
    }
    let plain = signed(over_sets(results, [TUNED, PLAIN]));
    let other = signed(over_sets(results, [TUNED, reference]));
    text + &format!("| mean | {plain} | {other} | |\n")
}

fn signed(estimate: Option<Estimate>) -> String {
    estimate.map_or("-".into(), |e| format!("{:+.2} ± {:.2}", e.mean, e.error))
}

/// How often each candidate was chosen, the five most frequent of each set.
fn choices(results: &[&Done]) -> String {
    let mut text = String::from("| set | chosen (times) |\n|---|---|\n");
    for set in sets(results) {
        let of_set = results.iter().filter(|done| done.task.set == set);
        let mut counts: Vec<(String, usize)> = Vec::new();
        for chosen in of_set.flat_map(|done| &done.runs).filter_map(|run| run.chosen.clone()) {
            match counts.iter_mut().find(|(name, _)| *name == chosen) {
                Some((_, count)) => *count += 1,
                None => counts.push((chosen, 1)),
            }
        }
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let shown: Vec<String> =
            counts.iter().take(5).map(|(name, count)| format!("{name} ({count})")).collect();
        text.push_str(&format!("| {set} | {} |\n", shown.join("; ")));
    }
    text
}
