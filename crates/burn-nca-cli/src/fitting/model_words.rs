//! A model in words: its map, its objective, and why its fit ended, with remedies that are options of the program.

use burn_nca_learn::Fitted;
use burn_nca_learn::data::AgreementWidth;
use burn_nca_learn::encoder::{EncoderConfig, HiddenLayers, ModernConfig};
use burn_nca_learn::estimator::{Decision, ModelCard};
use burn_nca_learn::fit::Termination;
use burn_nca_learn::method::{AnyMethod, Nca, SoftNca};
use burn_nca_report::counted;

/// `linear`, `diagonal (one weight per feature)`, or `network 13-64-32-2, relu`
pub fn map(card: &ModelCard) -> String {
    match &card.encoder {
        Some(EncoderConfig::Linear) => "linear".to_string(),
        Some(EncoderConfig::Diagonal) => "diagonal (one weight per feature)".to_string(),
        Some(EncoderConfig::Mlp(hidden)) => {
            let sizes = [&[card.d_input], &hidden.sizes[..], &[card.d_output]].concat();
            let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
            format!("network {}, {}", sizes.join("-"), layers_words(hidden))
        }
        Some(EncoderConfig::Modern(modern)) => modern_words(modern, [card.d_input, card.d_output]),
        None => "one of the user's own".to_string(),
    }
}

/// `5 networks 13-128, periodic embeddings of 8 numbers, 1 block of 256`
fn modern_words(modern: &ModernConfig, [d_input, d_output]: [usize; 2]) -> String {
    let projection = modern.projection.map_or(String::new(), |size| format!("{size}-"));
    let sizes = format!("{d_input}-{projection}{}", d_output / modern.members.max(1));
    let mut words = format!("{} of {sizes}", counted(modern.members, "network"));
    if let Some(embedding) = &modern.embedding {
        let which = if modern.embedded.is_empty() { "" } else { " in some" };
        words += &format!(", periodic embeddings of {}{which}", counted(embedding.size, "number"));
    }
    if modern.blocks > 0 {
        words += &format!(", {} of {}", counted(modern.blocks, "block"), modern.width);
    }
    words
}

/// The activation of the hidden layers, and what else is set: `relu, batch norm, dropout 0.2, noise 0.3`
fn layers_words(hidden: &HiddenLayers) -> String {
    let mut words = format!("{:?}", hidden.activation).to_lowercase();
    if hidden.batch_norm {
        words += ", batch norm";
    }
    for (name, value) in [("dropout", hidden.dropout), ("noise", hidden.noise)] {
        if value > 0.0 {
            words += &format!(", {name} {value}");
        }
    }
    words
}

/// What was optimized, or the method and its settings where that says it.
pub fn objective(card: &ModelCard) -> String {
    match &card.method {
        AnyMethod::Nca(Nca { criterion, repulsion }) if *repulsion > 0.0 => {
            format!("{}, repulsion {repulsion}", criterion.name())
        }
        AnyMethod::Nca(Nca { criterion, .. }) => criterion.name().to_string(),
        AnyMethod::Mlkr(_) => "squared error of the kernel rule (MLKR)".to_string(),
        AnyMethod::SoftNca(SoftNca { criterion, width }) => {
            let width = match width {
                AgreementWidth::Given(width) => format!("width {width}"),
                AgreementWidth::Median => "their median distance as width".to_string(),
            };
            format!("{} of soft matches of the targets, {width}", criterion.name())
        }
        AnyMethod::PairNca(_) => "pairs (equation 8)".to_string(),
        other => {
            let settings = other.settings();
            let settings = settings.iter().map(|(name, value)| format!(", {name} {value}"));
            other.info().label.to_string() + &settings.collect::<String>()
        }
    }
}

/// `5-NN: the 5 nearest training rows`
pub fn decision(decision: Decision) -> String {
    match decision {
        Decision::Nearest { neighbors: 1 } => format!("{decision}: the nearest training row"),
        Decision::Nearest { neighbors } => {
            format!("{decision}: the {neighbors} nearest training rows")
        }
        Decision::Soft => "soft: all training rows, weighted".to_string(),
    }
}

/// The reason why the fit of a model ended, as a sentence; `searched` where cross-validation chose the number of steps.
pub fn ending(model: &Fitted, searched: bool) -> String {
    let (summary, applied) = (model.summary(), model.applied_method());
    let steps = summary.iterations;
    match summary.termination {
        Termination::StopAt if searched && steps == 0 => {
            format!("{} (no gradient steps): chosen by cross-validation.", applied.label)
        }
        Termination::StopAt if searched => {
            format!("Reached the number of steps that cross-validation chose ({steps}).")
        }
        Termination::StopAt => format!("Reached the number of steps in its settings ({steps})."),
        Termination::MaxIterations if steps == 0 => {
            "Reached the requested number of steps (0).".to_string()
        }
        other => sentence(other).to_string(),
    }
}

/// The reason as a sentence; where the fit did not converge, with a remedy.
fn sentence(termination: Termination) -> &'static str {
    match termination {
        Termination::GradientSmall => "Converged: the gradient is zero within tolerance.",
        Termination::ProgressSmall => "Converged: the change of the objective is within tolerance.",
        Termination::MaxIterations => {
            "Not converged: the limit of iterations was reached; a larger --max-iterations allows more."
        }
        Termination::Saturated => {
            "Not converged: the start is saturated. Every row has a single neighbor or class to rounding, so that no \
             step changes anything; --objective g, --l2 0.01 or --scale standardize lets it move."
        }
        Termination::LineSearchFailed => {
            "Not converged: no lower value was found, not even along steepest descent: the error jumps there (VSM, \
             GVSM), or the rounding of the numbers exceeds the remaining decrease; --precision f64 (on a CPU) rounds \
             less."
        }
        Termination::NonFinite => {
            "Not converged: the value or the gradient became infinite or not a number; a smaller --l2, --scale \
             standardize or, with mini-batches, a smaller --learning-rate may keep them finite."
        }
        Termination::NoStep => {
            "Not converged: no step was taken; in no batch did a row have both a row of its class and a row of \
             another; a larger --batch-size gives it both."
        }
        Termination::TimeBudget => {
            "Not converged: the time allowed is used up; a larger --time-budget allows more."
        }
        other => other.sentence(),
    }
}

#[cfg(test)]
mod tests {
    use burn_nca_learn::fit::FitConfig;
    use burn_nca_learn::objective::Criterion;

    use super::*;

    #[test]
    fn maps_and_objectives_read_as_sentences() {
        let (criterion, width) = (Criterion::F, AgreementWidth::Given(2.5));
        let card = |encoder| ModelCard {
            d_input: 13,
            d_output: 2,
            encoder: Some(encoder),
            method: SoftNca { criterion, width }.into(),
            fit: FitConfig::new(),
        };
        let words = "network 13-256-128-2, relu, batch norm, dropout 0.2, noise 0.3";
        assert_eq!(map(&card(EncoderConfig::Mlp(HiddenLayers::regularized()))), words);
        let soft = card(EncoderConfig::Linear);
        assert_eq!(map(&soft), "linear");
        assert_eq!(objective(&soft), "f of soft matches of the targets, width 2.5");
    }
}
