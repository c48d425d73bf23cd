//! From the options of `nca fit` to the configurations for numbers and for pairs.

use anyhow::Result;
use burn_nca::data::AgreementWidth;
use burn_nca::estimator::RegressionObjective;
use burn_nca::{NcaConfig, PairsConfig, RegressionConfig};
use serde::{Deserialize, Serialize};

use crate::cli::FitArgs;
use crate::cli::targets::TaskKind;
use crate::failure::usage;

/// What a fit learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LearntFrom {
    Classes,
    Numbers,
    Pairs,
}

/// What the options say is learnt from.
///
/// # Errors
/// Options that contradict each other.
pub fn learnt_from(args: &FitArgs) -> Result<LearntFrom> {
    let targets = &args.targets;
    match (targets.pairs.is_some(), targets.soft, targets.task) {
        (true, _, _) => Ok(LearntFrom::Pairs),
        (_, true, Some(TaskKind::Classification)) => Err(usage(
            "--soft matches numeric targets, and --task classification says that there are none; leave one out",
        )),
        (_, true, _) | (_, _, Some(TaskKind::Regression)) => Ok(LearntFrom::Numbers),
        _ => Ok(LearntFrom::Classes),
    }
}

/// The configuration for a numeric target, from the one for classes.
pub fn regression(args: &FitArgs, common: NcaConfig) -> RegressionConfig {
    let width = args.targets.width.map_or(AgreementWidth::Median, AgreementWidth::Given);
    let objective = if args.targets.soft {
        RegressionObjective::Soft { criterion: common.criterion, width }
    } else {
        RegressionObjective::Mlkr
    };
    RegressionConfig::new(common.d_input, common.d_output)
        .with_encoder(common.encoder)
        .with_objective(objective)
        .with_fit(common.fit)
}

/// The configuration for pairs, from the one for classes.
pub fn pairs(common: NcaConfig) -> PairsConfig {
    PairsConfig::new(common.d_input, common.d_output)
        .with_encoder(common.encoder)
        .with_fit(common.fit)
}

#[cfg(test)]
mod tests {
    use burn_nca::data::Features;
    use burn_nca::objective::Criterion;
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};
    use crate::failure::Usage;
    use crate::fitting::settings::configuration;

    fn args(options: &str) -> FitArgs {
        let words = ["nca", "fit", "t.csv"].into_iter().chain(options.split_whitespace());
        let Command::Fit(args) = Cli::try_parse_from(words).unwrap().command else {
            unreachable!()
        };
        *args
    }

    fn config(args: &FitArgs) -> Result<RegressionConfig> {
        let train = Features::unnamed(vec![0.0; 4], 2).unwrap();
        Ok(regression(args, configuration(args, &train, None)?))
    }

    #[test]
    fn the_options_say_what_is_learnt_from() {
        let kind = |options| learnt_from(&args(options)).unwrap();
        assert_eq!(kind(""), LearntFrom::Classes);
        assert_eq!(kind("--task classification"), LearntFrom::Classes);
        assert_eq!(kind("--task regression"), LearntFrom::Numbers);
        assert_eq!(kind("--soft"), LearntFrom::Numbers);
        assert_eq!(kind("--pairs p.csv"), LearntFrom::Pairs);
        assert!(learnt_from(&args("--soft --task classification")).unwrap_err().is::<Usage>());
    }

    #[test]
    fn soft_matches_take_criterion_and_width() {
        let objective = |options| config(&args(options)).unwrap().objective;
        assert_eq!(objective("--task regression"), RegressionObjective::Mlkr);
        let width = AgreementWidth::Given(2.5);
        let expected = RegressionObjective::Soft { criterion: Criterion::G, width };
        assert_eq!(objective("--soft --objective g --width 2.5"), expected);
        let width = AgreementWidth::Median;
        let expected = RegressionObjective::Soft { criterion: Criterion::F, width };
        assert_eq!(objective("--soft"), expected);
    }
}
