//! Options of `nca fit` that would have no effect on this fit, or that contradict each other: refused, not ignored.
//!
//! What follows from the options alone is here; what needs the data or a model is refused where that is read.

use anyhow::Result;
use burn_nca_learn::Sums;
use burn_nca_learn::data::{Missing, Task};
use burn_nca_learn::fit::Start;
use burn_nca_learn::method::{AnyMethod, Uses};

use super::candidates::says_how_to_fit;
use super::optimizer;
use crate::cli::fit::{EncoderKind, Init, OptimizerKind};
use crate::cli::{FitArgs, NeighborCount, Rule};
use crate::failure::{idle, refusal, usage};
use crate::hint::ignore_instead;

/// Refuses the first option without an effect.
pub fn check(args: &FitArgs, learned_from: Task, method: &AnyMethod) -> Result<()> {
    without_its_partner(args, method)?;
    without_classes(args, learned_from)?;
    of_another_method(args, method)?;
    of_a_network(args, method)?;
    of_another_map(args, method)?;
    of_another_optimizer(args, method)?;
    of_columns(args, learned_from)?;
    of_one_column(args)
}

/// An option that belongs to another one. (clap asks for the other by itself, but not where a third excludes it.)
fn without_its_partner(args: &FitArgs, method: &AnyMethod) -> Result<()> {
    let (tuning, optimizer) = (&args.tuning, &args.optimizer);
    let width = args.targets.width.is_some() && !args.targets.soft;
    for (option, given) in [
        ("--budget", tuning.budget.is_some() && says_how_to_fit(args)),
        ("--folds", tuning.folds.is_some()),
        ("--repeats", tuning.repeats.is_some()),
        ("--tune-dim", tuning.tune_dim.is_some()),
    ] {
        idle(option, given && !tuning.tune, "is for a search")?;
    }
    let patience = optimizer.patience.is_some() && optimizer.early_stopping.is_none();
    let reason = "is for --early-stopping (--tune finds the number of steps by its folds)";
    idle("--patience", patience, reason)?;
    idle("--width", width, "is for --soft, which matches numeric targets")?;
    let fourier = match method.info().uses.contains(&Uses::FourierSums) {
        true => ", or give --sums fourier",
        false => "",
    };
    let by_series = matches!(args.sums, Sums::Fourier(_));
    refusal(
        args.sums_tolerance.is_some() && !by_series,
        "--sums-tolerance is for --sums fourier",
        format!("leave --sums-tolerance out{fourier}"),
    )
}

/// An option that needs classes, or a target.
fn without_classes(args: &FitArgs, learned_from: Task) -> Result<()> {
    let (model, pairs) = (&args.model, learned_from == Task::Pairs);
    let numbers = learned_from == Task::Numbers;
    let counts_classes = args.neighbors.is_some_and(NeighborCount::is_rule);
    refusal(
        numbers && !args.targets.soft && model.objective.is_some(),
        "--objective is for classes and for --soft, and --task regression minimizes the squared error",
        "leave --objective out, or give --soft",
    )?;
    let own = "is for classes and for --soft, and pairs have an objective of their own";
    idle("--objective", pairs && model.objective.is_some(), own)?;
    let apart = "keeps classes apart, and there are none here";
    idle("--repulsion", (numbers || pairs) && model.repulsion > 0.0, apart)?;
    refusal(
        (numbers || pairs) && model.init == Some(Init::Rule(Start::Lda)),
        "--init lda separates classes, and there are none here",
        "give --init auto, identity, random, pca or a file",
    )?;
    refusal(
        numbers && counts_classes,
        "--neighbors cv and entropy choose by classes, and there are none here",
        "give a number, or leave --neighbors out",
    )?;
    let none = "predicts from a target, and pairs have none";
    idle("--neighbors", pairs && args.neighbors.is_some(), none)?;
    idle("--rule", pairs && args.rule.is_some(), "predicts a target, and pairs have none")
}

/// An option that says nothing to the method.
fn of_another_method(args: &FitArgs, method: &AnyMethod) -> Result<()> {
    let (info, settings) = (method.info(), method.settings());
    let (model, optimizer, name) = (&args.model, &args.optimizer, info.name);
    let (has, uses) =
        (|name: &str| settings.contains_key(name), |part: Uses| info.uses.contains(&part));
    let other_optimizer = optimizer.optimizer.is_some_and(|kind| kind != OptimizerKind::Lbfgs);
    let unlabeled = args.columns.unlabeled == Some(true);
    let all = [
        ("--objective", model.objective.is_some(), has("criterion")),
        ("--repulsion", model.repulsion > 0.0, has("repulsion")),
        ("--width", args.targets.width.is_some(), has("width")),
        ("--dim", args.dim.is_some(), uses(Uses::Dimensions)),
        ("--encoder", model.encoder() != EncoderKind::Linear, uses(Uses::Encoder)),
        ("--init", model.init.is_some(), uses(Uses::Start)),
        ("--warm-start", model.warm_start.is_some(), uses(Uses::Start)),
        ("--l2", model.l2.is_some(), uses(Uses::L2)),
        ("--optimizer", other_optimizer, uses(Uses::Optimizer)),
        ("--max-iterations", optimizer.max_iterations.is_some(), uses(Uses::Optimizer)),
        ("--momentum", optimizer.momentum.is_some(), uses(Uses::Optimizer)),
        ("--weight-decay", optimizer.weight_decay.is_some(), uses(Uses::Optimizer)),
        ("--early-stopping", optimizer.early_stopping.is_some(), uses(Uses::EarlyStopping)),
        ("--sums", args.sums != Sums::Auto, uses(Uses::Sums)),
        ("--sums fourier", matches!(args.sums, Sums::Fourier(_)), uses(Uses::FourierSums)),
        ("--unlabeled neighbors", unlabeled, uses(Uses::Unlabeled)),
    ];
    let of_batches = of_batches(args).map(|(option, given)| (option, given, uses(Uses::Optimizer)));
    let decides = !info.own_rule || info.task == Some(Task::Numbers);
    let others = [
        ("--tune", args.tuning.tune, info.is_searched()),
        ("--rule knn", args.rule == Some(Rule::Knn), decides),
    ];
    for (option, given, works) in all.into_iter().chain(of_batches).chain(others) {
        let hint = format!(
            "leave {option} out, or choose another method (nca methods {name} says what it has)"
        );
        refusal(given && !works, format!("{option} has no effect on the method {name}"), hint)?;
    }
    // Latent coincidence analysis has no use for weights.
    let (is_lca, weights) = (matches!(name, "lca" | "lca-classifier"), &args.columns.weights);
    let reason = format!("has no effect on the method {name}");
    let ignore = ignore_instead("--weights", weights.as_deref().unwrap_or_default());
    refusal(is_lca && weights.is_some(), format!("--weights {reason}"), ignore)?;
    idle("--balanced", is_lca && args.columns.balanced, &reason)
}

/// An option of hidden layers for another map, or for another optimizer.
fn of_a_network(args: &FitArgs, method: &AnyMethod) -> Result<()> {
    let (model, init) = (&args.model, args.model.init.as_ref());
    let network = model.encoder() == EncoderKind::Mlp;
    let reason = match &model.warm_start {
        Some(_) => "with --warm-start the network is that of the model",
        None => "hidden layers need --encoder mlp",
    };
    for (option, given) in [
        ("--hidden", model.hidden.is_some()),
        ("--activation", model.activation.is_some()),
        ("--dropout", model.dropout.is_some()),
        ("--noise", model.noise.is_some()),
        ("--batch-norm", model.batch_norm.is_some()),
    ] {
        idle(option, given && !network, &format!("has no effect here: {reason}"))?;
    }
    let batches = optimizer::optimizer_kind(args, method).takes_batches();
    for (option, given) in [
        ("--dropout", model.dropout.is_some_and(|share| share > 0.0)),
        ("--noise", model.noise.is_some_and(|deviation| deviation > 0.0)),
        ("--batch-norm yes", model.batch_norm == Some(true)),
    ] {
        let text =
            format!("{option} gives another function in each step, and lbfgs and cg minimize one");
        refusal(given && network && !batches, text, "give --optimizer adam or sgd")?;
    }
    let is_random =
        |init: &Init| matches!(init, Init::Rule(Start::Auto | Start::Random { scale: None }));
    let reason =
        "is for a linear or diagonal map: a network starts from random weights, seeded by --seed";
    idle("--init", network && init.is_some_and(|init| !is_random(init)), reason)
}

/// An option that the map does not have.
fn of_another_map(args: &FitArgs, method: &AnyMethod) -> Result<()> {
    let (model, init) = (&args.model, args.model.init.as_ref());
    let scaled = model.start_perplexity.is_some_and(|perplexity| perplexity > 0.0);
    refusal(
        scaled && matches!(init, Some(Init::File(_))),
        "--start-perplexity scales the start, and the map of --init stays as it is given",
        "leave --start-perplexity out, or leave --init out",
    )?;
    let diagonal = model.encoder() == EncoderKind::Diagonal;
    let map = match method.info().name {
        name @ ("vsm" | "ncfs" | "fsrnca") => format!("--method {name}"),
        _ => "--encoder diagonal".to_string(),
    };
    refusal(
        (diagonal || map.starts_with("--method"))
            && matches!(init, Some(Init::Rule(Start::Pca | Start::Lda))),
        format!("--init pca and lda rotate the features, and {map} only weighs them"),
        "give --init auto, identity, random or a file",
    )?;
    let reason = "has no effect here: --encoder diagonal has a dimension per feature";
    idle("--tune-dim", diagonal && args.tuning.tune_dim.is_some(), reason)
}

/// Options of mini-batches, and whether they are given.
fn of_batches(args: &FitArgs) -> [(&'static str, bool); 4] {
    let options = &args.optimizer;
    [
        ("--epochs", options.epochs.is_some()),
        ("--batch-size", options.batch_size.is_some()),
        ("--candidates", options.candidates.is_some()),
        ("--learning-rate", options.learning_rate.is_some()),
    ]
}

/// An option of the other kind of optimizer.
fn of_another_optimizer(args: &FitArgs, method: &AnyMethod) -> Result<()> {
    let options = &args.optimizer;
    let kind = optimizer::optimizer_kind(args, method);
    let batches = kind.takes_batches();
    let by_em = method.settings().get("trainer").is_some_and(|trainer| trainer == "em");
    let (momentum, decay) = (options.momentum.is_some(), options.weight_decay.is_some());
    let of_em = [("--optimizer", batches), ("--momentum", momentum), ("--weight-decay", decay)];
    for (option, given) in of_batches(args).into_iter().chain(of_em) {
        let text = format!("{option} has no effect here: EM passes over all rows");
        let hint = match batches {
            true => "give --set trainer=gradient".to_string(),
            false => format!("leave {option} out"),
        };
        refusal(given && by_em, text, hint)?;
    }
    for (option, given) in of_batches(args) {
        let hint = "give --optimizer adam or sgd as well";
        refusal(given && !batches, format!("{option} is for mini-batches"), hint)?;
    }
    let reason = "is for lbfgs and cg, and mini-batches count --epochs";
    idle("--max-iterations", batches && options.max_iterations.is_some(), reason)?;
    for (option, given, of, optimizer) in [
        ("--momentum", momentum, OptimizerKind::Sgd, "sgd"),
        ("--weight-decay", decay, OptimizerKind::Adam, "adam"),
    ] {
        let hint = format!("give --optimizer {optimizer} as well, or leave {option} out");
        refusal(given && kind != of, format!("{option} is for --optimizer {optimizer}"), hint)?;
    }
    Ok(())
}

/// Options of columns that say nothing of such data, or with others.
fn of_columns(args: &FitArgs, task: Task) -> Result<()> {
    const PARTS: &str = "parts rows, and what is held out here are pairs";
    let (columns, target, pairs) = (&args.columns, &args.source.target, task == Task::Pairs);
    for (option, given, reason) in [
        ("--balanced", columns.balanced, "lets classes count alike, and there are none here"),
        (
            "--unlabeled",
            columns.unlabeled.is_some(),
            "is about rows without a class, and there are no classes here",
        ),
        (
            "--unlabeled-class",
            columns.unlabeled_class.is_some(),
            "marks rows without a class, and there are no classes here",
        ),
    ] {
        idle(option, given && task != Task::Classes, reason)?;
    }
    idle("--test", pairs && columns.test.is_some(), PARTS)?;
    let drops = columns.missing == Some(Missing::Drop);
    refusal(
        pairs && drops,
        "--missing drop would renumber the rows that the pairs name",
        "give --missing mean, median or most-frequent",
    )?;
    refusal(
        columns.missing_indicators && drops,
        "--missing-indicators says which values were filled in, and --missing drop fills in none",
        "leave --missing-indicators out, or give --missing mean, median or most-frequent",
    )?;
    let weights =
        "counts rows, and pairs have weights of their own, in the third column of --pairs";
    let paired = "has no use where --pairs says what belongs together";
    let whole = "keeps groups whole when rows are held out, and --split and --test name these rows";
    let is_split = columns.split.is_some() || columns.test.is_some();
    for (useless, option, column, reason) in [
        (pairs, "--weights", &columns.weights, weights),
        (pairs, "--split", &columns.split, PARTS),
        (pairs, "--groups", &columns.groups, PARTS),
        (pairs, "--target", target, paired),
        (is_split, "--groups", &columns.groups, whole),
    ] {
        let hint = ignore_instead(option, column.as_deref().unwrap_or_default());
        refusal(useless && column.is_some(), format!("{option} {reason}"), hint)?;
    }
    Ok(())
}

/// Two roles of one column.
fn of_one_column(args: &FitArgs) -> Result<()> {
    let columns = &args.columns;
    let cure = "name another column in one of them";
    let (target, groups) = (&args.source.target, &columns.groups);
    let others = [("--target", target), ("--groups", groups)];
    let roles =
        [("--id", &columns.id), ("--weights", &columns.weights), ("--split", &columns.split)];
    for (at, (option, column)) in roles.iter().enumerate() {
        let Some(name) = column else { continue };
        for (other, same) in others.iter().chain(&roles[at + 1..]) {
            // The groups of rows may well be what names them.
            if same.as_ref() == Some(name) && (*option, *other) != ("--id", "--groups") {
                let text = format!("{option} and {other} both name the column {name:?}");
                return Err(usage(text, cure));
            }
        }
    }
    let same = groups.is_some() && groups == target;
    refusal(same, "--groups and --target name the same column", cure)
}
