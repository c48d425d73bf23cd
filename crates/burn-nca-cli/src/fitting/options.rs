//! Options of `nca fit` that would have no effect on this fit: refused, not ignored.
//!
//! What follows from the options alone is here; what needs the data or a model is refused where that is read.

use anyhow::Result;
use burn_nca_learn::data::Task;
use burn_nca_learn::fit::Start;
use burn_nca_learn::method::{AnyMethod, Uses};

use super::candidates::says_how_to_fit;
use super::optimizer;
use crate::cli::fit::{EncoderKind, Init, OptimizerKind, SumsKind};
use crate::cli::{FitArgs, NeighborCount, Rule};
use crate::failure::{Refusal, refusal, refuse};
use crate::hint::ignore_instead;

/// Refuses the first option without an effect.
pub fn check(args: &FitArgs, learned_from: Task, method: &AnyMethod) -> Result<()> {
    let refused = [
        without_its_partner(args, method),
        without_classes(args, learned_from),
        of_another_method(args, method),
        of_weights(args, method),
        of_a_network(args, method),
        of_another_map(args, method),
        of_another_optimizer(args, method),
    ];
    refuse(refused.into_iter().flatten())
}

/// An option that belongs to another one. (clap asks for the other by itself, but not where a third excludes it.)
fn without_its_partner(args: &FitArgs, method: &AnyMethod) -> Vec<Refusal> {
    let tuning = &args.tuning;
    let of_tune = [
        ("--budget", tuning.budget.is_some() && says_how_to_fit(args)),
        ("--folds", tuning.folds.is_some()),
        ("--repeats", tuning.repeats.is_some()),
        ("--tune-dim", tuning.tune_dim.is_some()),
    ];
    let of_tune = of_tune.into_iter().map(|(option, given)| {
        let hint = format!("leave {option} out");
        refusal(given && !tuning.tune, format!("{option} is for a search"), hint)
    });
    let (optimizer, no_soft) = (&args.optimizer, !args.targets.soft);
    let fourier = match method.info().uses.contains(&Uses::FourierSums) {
        true => ", or give --sums fourier",
        false => "",
    };
    let alone = [
        refusal(
            optimizer.patience.is_some() && optimizer.early_stopping.is_none(),
            "--patience is for --early-stopping (--tune finds the number of steps by its folds)",
            "leave --patience out",
        ),
        refusal(
            args.targets.width.is_some() && no_soft,
            "--width is for --soft, which matches numeric targets",
            "leave --width out",
        ),
        refusal(
            args.sums_tolerance.is_some() && args.sums != SumsKind::Fourier,
            "--sums-tolerance is for --sums fourier",
            format!("leave --sums-tolerance out{fourier}"),
        ),
    ];
    of_tune.chain(alone).collect()
}

/// An option that says nothing to the method.
fn of_another_method(args: &FitArgs, method: &AnyMethod) -> Vec<Refusal> {
    let (info, settings) = (method.info(), method.settings());
    let (model, optimizer) = (&args.model, &args.optimizer);
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
        ("--sums", args.sums != SumsKind::Auto, uses(Uses::Sums)),
        ("--sums fourier", args.sums == SumsKind::Fourier, uses(Uses::FourierSums)),
        ("--unlabeled neighbors", unlabeled, uses(Uses::Unlabeled)),
    ];
    let of_batches = of_batches(args).map(|(option, given)| (option, given, uses(Uses::Optimizer)));
    let decides = !info.own_rule || info.task == Some(Task::Numbers);
    let others = [
        ("--tune", args.tuning.tune, info.is_searched()),
        ("--rule knn", args.rule == Some(Rule::Knn), decides),
    ];
    let refused = all.into_iter().chain(of_batches).chain(others).map(|(option, given, works)| {
        let name = info.name;
        let hint = format!(
            "leave {option} out, or choose another method (nca methods {name} says what it has)"
        );
        refusal(given && !works, format!("{option} has no effect on the method {name}"), hint)
    });
    refused.collect()
}

/// Weights, which latent coincidence analysis has no use for.
fn of_weights(args: &FitArgs, method: &AnyMethod) -> Vec<Refusal> {
    let (name, column) = (method.info().name, args.columns.weights.as_deref());
    let is_lca = matches!(name, "lca" | "lca-classifier");
    let text = |option| format!("{option} has no effect on the method {name}");
    let ignore = ignore_instead("--weights", column.unwrap_or_default());
    vec![
        refusal(is_lca && column.is_some(), text("--weights"), ignore),
        refusal(is_lca && args.columns.balanced, text("--balanced"), "leave --balanced out"),
    ]
}

/// An option that needs classes, or a target.
fn without_classes(args: &FitArgs, learned_from: Task) -> Vec<Refusal> {
    let (model, pairs) = (&args.model, learned_from == Task::Pairs);
    let mlkr = learned_from == Task::Numbers && !args.targets.soft;
    let no_classes = learned_from != Task::Classes;
    let counts_classes = args.neighbors.is_some_and(NeighborCount::is_rule);
    vec![
        refusal(
            mlkr && model.objective.is_some(),
            "--objective is for classes and for --soft, and --task regression minimizes the squared error",
            "leave --objective out, or give --soft",
        ),
        refusal(
            pairs && model.objective.is_some(),
            "--objective is for classes and for --soft, and pairs have an objective of their own",
            "leave --objective out",
        ),
        refusal(
            no_classes && model.repulsion > 0.0,
            "--repulsion keeps classes apart, and there are none here",
            "leave --repulsion out",
        ),
        refusal(
            no_classes && model.init == Some(Init::Rule(Start::Lda)),
            "--init lda separates classes, and there are none here",
            "give --init auto, identity, random, pca or a file",
        ),
        refusal(
            learned_from == Task::Numbers && counts_classes,
            "--neighbors cv and entropy choose by classes, and there are none here",
            "give a number, or leave --neighbors out",
        ),
        refusal(
            pairs && args.neighbors.is_some(),
            "--neighbors predicts from a target, and pairs have none",
            "leave --neighbors out",
        ),
        refusal(
            pairs && args.rule.is_some(),
            "--rule predicts a target, and pairs have none",
            "leave --rule out",
        ),
    ]
}

/// An option of hidden layers for another map, or for another optimizer.
fn of_a_network(args: &FitArgs, method: &AnyMethod) -> Vec<Refusal> {
    let (model, init) = (&args.model, args.model.init.as_ref());
    let network = model.encoder() == EncoderKind::Mlp;
    let given = [
        ("--hidden", model.hidden.is_some()),
        ("--activation", model.activation.is_some()),
        ("--dropout", model.dropout.is_some()),
        ("--noise", model.noise.is_some()),
        ("--batch-norm", model.batch_norm.is_some()),
    ];
    let reason = match &model.warm_start {
        Some(_) => "with --warm-start the network is that of the model",
        None => "hidden layers need --encoder mlp",
    };
    let stochastic = [
        ("--dropout", model.dropout.is_some_and(|share| share > 0.0)),
        ("--noise", model.noise.is_some_and(|deviation| deviation > 0.0)),
        ("--batch-norm yes", model.batch_norm == Some(true)),
    ];
    let batches = optimizer::optimizer_kind(args, method).takes_batches();
    let given = given.map(|(option, given)| {
        let text = format!("{option} has no effect here: {reason}");
        refusal(given && !network, text, format!("leave {option} out"))
    });
    let stochastic = stochastic.map(|(option, given)| {
        let text =
            format!("{option} gives another function in each step, and lbfgs and cg minimize one");
        refusal(given && network && !batches, text, "give --optimizer adam or sgd")
    });
    let init = refusal(
        network
            && init.is_some_and(|init| {
                !matches!(init, Init::Rule(Start::Auto | Start::Random { scale: None }))
            }),
        "--init is for a linear or diagonal map: a network starts from random weights, seeded by --seed",
        "leave --init out",
    );
    given.into_iter().chain(stochastic).chain([init]).collect()
}

/// An option that the map does not have.
fn of_another_map(args: &FitArgs, method: &AnyMethod) -> Vec<Refusal> {
    let (model, init) = (&args.model, args.model.init.as_ref());
    let scaled = model.start_perplexity.is_some_and(|perplexity| perplexity > 0.0);
    let scaled_file = refusal(
        scaled && matches!(init, Some(Init::File(_))),
        "--start-perplexity scales the start, and the map of --init stays as it is given",
        "leave --start-perplexity out, or leave --init out",
    );
    let name = method.info().name;
    let map = match name {
        "vsm" | "ncfs" | "fsrnca" => Some(format!("--method {name}")),
        _ => (model.encoder() == EncoderKind::Diagonal).then(|| "--encoder diagonal".to_string()),
    };
    let rotated = refusal(
        map.is_some() && matches!(init, Some(Init::Rule(Start::Pca | Start::Lda))),
        format!(
            "--init pca and lda rotate the features, and {} only weighs them",
            map.unwrap_or_default()
        ),
        "give --init auto, identity, random or a file",
    );
    let dimensions = refusal(
        model.encoder() == EncoderKind::Diagonal && args.tuning.tune_dim.is_some(),
        "--tune-dim has no effect here: --encoder diagonal has a dimension per feature",
        "leave --tune-dim out",
    );
    vec![scaled_file, rotated, dimensions]
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
fn of_another_optimizer(args: &FitArgs, method: &AnyMethod) -> Vec<Refusal> {
    let options = &args.optimizer;
    let kind = optimizer::optimizer_kind(args, method);
    let batches = kind.takes_batches();
    let by_em = method.settings().get("trainer").is_some_and(|trainer| trainer == "em");
    let of_em = [
        ("--optimizer", batches),
        ("--momentum", options.momentum.is_some()),
        ("--weight-decay", options.weight_decay.is_some()),
    ];
    let of_em = of_batches(args).into_iter().chain(of_em).map(|(option, given)| {
        let text = format!("{option} has no effect here: EM passes over all rows");
        let hint = match batches {
            true => "give --set trainer=gradient".to_string(),
            false => format!("leave {option} out"),
        };
        refusal(given && by_em, text, hint)
    });
    let of_batches = of_batches(args).into_iter().map(|(option, given)| {
        let hint = "give --optimizer adam or sgd as well";
        refusal(given && !batches, format!("{option} is for mini-batches"), hint)
    });
    let of_others = [
        refusal(
            batches && options.max_iterations.is_some(),
            "--max-iterations is for lbfgs and cg, and mini-batches count --epochs",
            "leave --max-iterations out",
        ),
        refusal(
            options.momentum.is_some() && kind != OptimizerKind::Sgd,
            "--momentum is for --optimizer sgd",
            "give --optimizer sgd as well, or leave --momentum out",
        ),
        refusal(
            options.weight_decay.is_some() && kind != OptimizerKind::Adam,
            "--weight-decay is for --optimizer adam",
            "give --optimizer adam as well, or leave --weight-decay out",
        ),
    ];
    of_em.chain(of_batches).chain(of_others).collect()
}
