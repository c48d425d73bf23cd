//! Why a fit ended, in the words of the program: a remedy is an option, not a field of the library.

use burn_nca_learn::Fitted;
use burn_nca_learn::fit::Termination;

/// The reason why the fit of a model ended, as a sentence; `searched` where cross-validation chose the number of steps.
pub fn of_model(model: &Fitted, searched: bool) -> String {
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
pub fn sentence(termination: Termination) -> &'static str {
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
    use super::*;

    #[test]
    fn a_remedy_is_an_option_of_the_program() {
        for ending in [
            Termination::MaxIterations,
            Termination::Saturated,
            Termination::LineSearchFailed,
            Termination::NonFinite,
            Termination::NoStep,
            Termination::TimeBudget,
        ] {
            let sentence = sentence(ending);
            assert!(
                sentence.starts_with("Not converged") && sentence.contains(" --"),
                "{sentence}"
            );
            assert!(!sentence.contains('_'), "{sentence}");
        }
        assert!(!sentence(Termination::ProgressSmall).contains('_'));
    }
}
