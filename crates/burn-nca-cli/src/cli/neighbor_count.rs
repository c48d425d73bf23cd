//! The value of `--neighbors` of a model: a number, or a rule that finds it.

/// How many neighbors vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighborCount {
    /// This many.
    Given(usize),
    /// The k with most training rows right, each left out in turn.
    CrossValidated,
    /// As many as the softmax of a training row counts, on average.
    Entropy,
}

/// A number of neighbors as the user writes it.
pub fn neighbor_count(text: &str) -> Result<NeighborCount, String> {
    match text {
        "cv" => Ok(NeighborCount::CrossValidated),
        "entropy" => Ok(NeighborCount::Entropy),
        _ => match text.parse() {
            Ok(0) | Err(_) => Err("give a whole number of 1 or more, cv or entropy".to_string()),
            Ok(number) => Ok(NeighborCount::Given(number)),
        },
    }
}
