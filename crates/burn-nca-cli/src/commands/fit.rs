//! `nca fit`: from the options to a model, a report and a run's folder, whatever is learned from.

use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Result, bail};
use burn::tensor::Device;
use burn_nca_learn::data::{Coincidences, Features, Labeled, RegressionData, Scaling, ScalingKind};
use burn_nca_learn::estimator::{Decision, Estimator};
use burn_nca_learn::fit::{FitSession, Precision, Progress, Termination};
use burn_nca_learn::method::{AnyMethod, Uses};
use burn_nca_learn::{DeviceTime, Fitted, device};
use burn_nca_program::{Interrupt, RunFolder, short_name};

use super::report::write_pictures;
use super::{model_folder, open_device};
use crate::cli::fit::{EncoderKind, FitArgs, Init};
use crate::cli::{Format, NeighborCount, Rule};
use crate::failure::{hinted, usage};
use crate::fitting::ending;
use crate::fitting::progress::FitProgress;
use crate::fitting::recording::Recording;
use crate::fitting::rows::FitData;
use crate::fitting::run_folder::{self, CHECKPOINT};
use crate::fitting::stages::Stages;
use crate::fitting::target_settings::{FitTask, learned_from};
use crate::fitting::time_budget::TimeBudget;
use crate::fitting::{method, neighbor_count, network, options, settings, tuning, warnings};
use crate::source::Source;
use crate::{date, output, process, tables};
use burn_nca_report::evaluation::Rows;
use burn_nca_report::terminal::Terminal;
use burn_nca_report::{Report, RowNames, Warning, WarningCode};

pub use crate::fitting::run_folder::MODEL;

/// Learns a metric, compares it, and writes a run's folder.
///
/// # Errors
/// Bad data or settings, a folder that exists, or a fit that was interrupted.
pub fn run(args: &FitArgs) -> Result<()> {
    let time = TimeBudget::start(args.optimizer.time_budget);
    let learned_from = learned_from(args)?;
    let method = method::chosen(args, learned_from)?;
    options::check(args, learned_from, &method)?;
    match learned_from {
        FitTask::Classes => of::<Labeled>(args, method, time),
        FitTask::Numbers => of::<RegressionData>(args, method, time),
        FitTask::Pairs => of::<Coincidences>(args, method, time),
    }
}

/// The fit of any kind of data, from the options to what is printed.
fn of<D: FitData>(args: &FitArgs, method: AnyMethod, time: TimeBudget) -> Result<()> {
    tables::check(args, D::TASK)?;
    let interrupt = Interrupt::listen("step")?;
    let stages =
        Stages::new(time, args.quiet, interrupt.clone()).without_baselines(args.no_baselines);
    let folder = open_folder(args)?;
    let source = Source::of_fit(args, learned_from(args)?);
    stages.show(&format!("reading {}", short_name(&args.source.data)));
    let table = D::open(args, &source, &stages)?;
    let source = source.with_target(table.target.as_deref());
    let mut rows = table.data.split_rows(table.split, args)?;
    if folder.is_none() {
        // With a folder the fit stops after its first step, and can be resumed.
        stages.refuse_stop("while the table was read")?;
    }
    stages.clear();
    rows.without_class = table.without_class;
    if let Some(NeighborCount::Given(k)) = args.neighbors
        && D::PREDICTS
    {
        refuse_many_neighbors(k, rows.train.units())?;
    }
    if let (true, Some(network)) = (table.reduction.is_some(), network(args)) {
        return Err(usage(
            format!("the model of a reduced table is a linear map, and {network} is a network"),
            format!("leave {network} out"),
        ));
    }
    let train = &rows.train;
    let size = train.features();
    let size = [size.rows(), size.columns(), args.dim.unwrap_or(size.columns())];
    let (name, device) = device_for(&args.device.device, size)?;
    refuse_f64_on_graphics(args.precision, &device)?;
    log::info!("{} training rows, {} features, on {name}: {device:?}", size[0], size[1]);
    let warm_start = warm_start(args, train.features(), &device)?;
    let config = settings::configuration(args, method, train.as_any_data(), warm_start.as_ref())?;
    let of_rows = D::warnings(train).into_iter().chain(rows.remark()?);
    let mut warnings = emit_notes(table.warnings.into_iter().chain(of_rows).collect());
    let (config, tuning, few_groups) =
        tuning::choose(args, config, (train, &device), (folder.as_ref(), &interrupt, &stages))?;
    warnings.extend(emit_notes(few_groups.into_iter().collect()));
    let config = network::for_rows(args, config, train.features().rows());
    let about = warnings::about_dimension(args, &config)
        .into_iter()
        .chain(warnings::about_batches(args, &config, train.features().rows()))
        .chain(warnings::about_weights(args, config.method.info().name));
    warnings.extend(emit_notes(about.collect()));
    let steps = settings::step_limit(&config.fit, train.features().rows());
    let bar = FitProgress::new(steps, args.quiet, (interrupt, time)).with_measure(D::MEASURE);
    stages.begin("training");
    bar.begin();
    let scaling = Scaling::fit(config.fit.scaling, train.features());
    if args.precision == Precision::F32 {
        refuse_far_values(&rows, &scaling, (&table.names, device::backend(&device)))
            .inspect_err(|_| bar.finish())?;
    }
    let mut rows = rows.scaled(&scaling)?;
    let start = warm_start.map(|model| model.encoder);
    let recording = folder
        .as_ref()
        .map(|folder| Recording::new(folder, config.identity(rows.train.as_any_data())));
    let cure = cure_of_divergence(args, &config);
    let model = fit(&bar, (folder.as_ref(), recording.as_ref()), &cure, |session| {
        config.fit_scaled(start, (rows.train.clone(), scaling), &device, session)
    })?;
    warnings.extend(bar.warnings());
    let lacking = recording.as_ref().and_then(Recording::warning);
    warnings.extend(emit_notes(lacking.into_iter().collect()));
    let mut model = model;
    let preparation = match (table.preparation, &table.reduction) {
        (Some(preparation), None) => {
            model = model.with_preparation(preparation)?;
            None
        }
        // The model takes reduced rows; the whole one will take the table.
        (preparation, _) => preparation,
    };
    if D::PREDICTS {
        if matches!(args.neighbors, Some(NeighborCount::CrossValidated | NeighborCount::Entropy)) {
            stages.announce("choosing the number of neighbors");
        }
        rows.neighbors = neighbor_count::of_model(args.neighbors, &model)?;
        let neighbors = rows.neighbors;
        model = match (args.rule, model.decision()) {
            (Some(Rule::Soft), _) => model.with_decision(Decision::Soft)?,
            (Some(Rule::Knn), _) | (None, Decision::Nearest { .. }) => {
                model.with_decision(Decision::Nearest { neighbors })?
            }
            (None, Decision::Soft) => model,
        };
    }
    // What is saved takes the table as it is; what is measured, its reduction.
    let whole =
        table.reduction.map(|reduction| reduction.whole(&model, preparation)).transpose()?;
    conclude(args, folder, (whole.as_ref().unwrap_or(&model), &source), || {
        let mut report = Report::in_stages(&model, &rows, &stages)?;
        let steps = recording.map(Recording::into_steps).unwrap_or_default();
        report.replay = D::replay(&model, &rows, (&steps, &stages))?;
        let searched = tuning.is_some() && model.card().fit.stop_at.is_some();
        let ending = ending::of_model(&model, searched);
        report.run.ended = Some(date::now());
        report.header.program = concat!("nca ", env!("CARGO_PKG_VERSION")).to_string();
        report.header.command = process::command_line();
        report.header.data.name = data_name(&args.source.data).to_string();
        report.header.device.name = name;
        let mut report = report.with_tuning(tuning).with_ending(&ending);
        report.warnings =
            warnings.into_iter().chain(report.warnings).chain(stages.finish()).collect();
        report.name_rows(&table.names);
        Ok(report)
    })?;
    stages.tell_times();
    Ok(())
}

/// Saves the model, evaluates it, writes the rest of the run's folder where one was asked for, and prints.
///
/// # Errors
/// An evaluation that fails, or a folder or a stdout that cannot be written. What is written then stays.
fn conclude(
    args: &FitArgs,
    folder: Option<RunFolder>,
    model: (&Fitted, &Source),
    evaluate: impl FnOnce() -> Result<Report>,
) -> Result<()> {
    let report = match folder {
        None => evaluate()?,
        Some(folder) => run_folder::complete(folder, model, evaluate)?,
    };
    let after_the_fit = report.warnings.iter().filter(|warning| !warning.is_told_at_once());
    output::warn_of(after_the_fit);
    // Stdout may be closed; a picture that cannot be written keeps nothing from it.
    let drawn = write_pictures(&report, &args.picture);
    let printed = match args.format {
        Format::Table => output::print(&report.summary(Terminal::of_stdout())),
        Format::Json => output::print_json_text(&report.to_json()?),
    };
    drawn.and(printed)
}

/// Says on stderr what is worth knowing before the fit; the report says it again.
fn emit_notes(warnings: Vec<Warning>) -> Vec<Warning> {
    // What was asked for is no cause for alarm.
    output::emit(&warnings, &[WarningCode::Prepared, WarningCode::ReadAs]);
    warnings
}

/// The folder of the run, where one was asked for.
fn open_folder(args: &FitArgs) -> Result<Option<RunFolder>> {
    args.out.as_deref().map(|target| run_folder::open(target, args.resume)).transpose()
}

/// The option that asks for a network.
fn network(args: &FitArgs) -> Option<&'static str> {
    let modern = args.method.method.as_deref().is_some_and(|name| name.starts_with("modern"));
    match args.model.encoder() {
        EncoderKind::Mlp => Some("--encoder mlp"),
        _ if modern => Some("--method modern"),
        _ => None,
    }
}

/// Refuses before the fit what would fail after it.
fn refuse_many_neighbors(k: usize, rows: usize) -> Result<()> {
    if k > rows {
        bail!(hinted(
            format!("k is {k}, but there are only {rows} training rows"),
            format!("give --neighbors {rows} or fewer")
        ));
    }
    Ok(())
}

/// Refuses f64 where drivers claim it and a fit ends in numbers that are not finite.
fn refuse_f64_on_graphics(precision: Precision, device: &Device) -> Result<()> {
    if precision == Precision::F64 && device::backend(device) == "wgpu" {
        bail!(hinted("wgpu cannot be trusted with f64", "give --precision f32, or --device cpu"));
    }
    Ok(())
}

/// The device that the user named, that the default stands for, or that is fastest for a table of this many rows and
/// features to this many dimensions; with its name.
fn device_for(given: &str, size: [usize; 3]) -> Result<(String, Device)> {
    let name = if given == "default" { device::default_name() } else { given.to_string() };
    if name != device::AUTO {
        return Ok((name, open_device(given)?));
    }
    let times = process::without_panic_message(|| burn_nca_learn::time_devices(size));
    let Some(fastest) = times.first() else {
        return Err(usage("no device computes as it should", "nca devices --test says why"));
    };
    let told = |time: &DeviceTime| format!("{} {:.1} ms", time.name, 1e3 * time.seconds);
    let times: Vec<String> = times.iter().map(told).collect();
    output::eprint_line(&format!(
        "note: on {}, the fastest: value and gradient took {}",
        fastest.name,
        times.join(", ")
    ));
    Ok((fastest.name.clone(), open_device(&fastest.name)?))
}

/// The model that the fit starts from, if one was named.
fn warm_start(args: &FitArgs, features: &Features, device: &Device) -> Result<Option<Fitted>> {
    let Some(path) = args.model.warm_start.as_deref() else { return Ok(None) };
    let model = Fitted::load(&model_folder(path), device)?;
    let named = features.renamed(model.scaling().names());
    let named = named.filter(|_| tables::nameless(&args.source.data));
    model.scaling().check_columns(named.as_ref().unwrap_or(features).names())?;
    Ok(Some(model))
}

/// Runs a fit under a progress bar, with its checkpoint in the run's folder.
///
/// # Errors
/// What the fit refuses, or an interruption.
fn fit(
    bar: &FitProgress,
    (folder, recording): (Option<&RunFolder>, Option<&Recording>),
    cure: &str,
    run: impl FnOnce(FitSession<'_>) -> burn_nca_learn::Result<Fitted>,
) -> Result<Fitted> {
    let mut watch = |progress: &Progress| bar.step(progress);
    let mut begin = |start: &[f64]| recording.iter().for_each(|steps| steps.start(start));
    let mut note = |progress: &Progress, parameters: &[f64]| {
        recording.iter().for_each(|steps| steps.step(progress, parameters));
        ControlFlow::Continue(())
    };
    let mut session = FitSession::new().with_progress(&mut watch);
    if recording.is_some() {
        session = session.with_start(&mut begin).with_parameters(&mut note);
    }
    if let Some(folder) = folder {
        // It stays until the results are written, and goes with the last step of the run's folder.
        session = session.with_checkpoint(&folder.file(CHECKPOINT)).keep_checkpoint();
        session = session.with_checkpoint_events(|event| {
            bar.tell(event);
            recording.iter().for_each(|steps| steps.follow(event));
        });
    }
    let model = run(session);
    bar.finish();
    let model = model?;
    if model.summary().termination == Termination::Stopped {
        recording.iter().for_each(|steps| steps.keep());
        return Err(bar.interrupted(interrupted(&model, folder.is_some())));
    }
    refuse_diverged(&model, cure)
        .inspect_err(|_| folder.iter().for_each(|folder| folder.forget()))?;
    Ok(model)
}

/// The largest value whose square, and the sum of some, f32 holds.
const MOST_IN_F32: f64 = 1e18;

/// The largest value whose square, and the sum of some, f64 holds.
const MOST_IN_F64: f64 = 1e150;

/// Refuses values that are scaled to ones whose distances f32 does not hold, before a fit of numbers that are not finite.
fn refuse_far_values<D: FitData>(
    rows: &Rows<D>,
    scaling: &Scaling,
    (names, backend): (&RowNames, &str),
) -> Result<()> {
    let features = rows.data.features();
    let scaled = |value: f64, column: usize| {
        ((value - scaling.offset()[column]) / scaling.scale()[column]).abs()
    };
    let mut far = None;
    features.each_row(|row, values| {
        let mut columns = 0..values.len();
        far = far.or_else(|| {
            let column = columns.find(|&column| scaled(values[column], column) > MOST_IN_F32)?;
            Some((row, column, values[column]))
        });
    });
    let Some((row, column, value)) = far else { return Ok(()) };
    let f64_helps = scaled(value, column) < MOST_IN_F64 && backend != "wgpu";
    let is_learned_from = D::TASK == Some(FitTask::Pairs) || rows.split.train.contains(&row);
    let scaling_helps = is_learned_from && scaling.kind() != ScalingKind::Standardize;
    let cure = match (f64_helps, scaling_helps) {
        (true, true) => "correct the value, give --precision f64, or give --scale standardize",
        (true, false) => "correct the value, or give --precision f64",
        (false, true) => "correct the value, or give --scale standardize",
        (false, false) => "correct the value",
    };
    bail!(hinted(
        format!(
            "{}, column \"{}\" is {value:e}, and f32 does not hold the square of its distance from other rows",
            names.name(row),
            short_name(&features.names()[column]),
        ),
        cure
    ))
}

/// Refuses a model of numbers that are not finite; `cure` is what may keep the next fit from them.
fn refuse_diverged(model: &Fitted, cure: &str) -> Result<()> {
    let values = model.references().clone().into_data();
    if values.iter::<f64>().all(f64::is_finite) {
        return Ok(());
    }
    bail!(hinted("the fit diverged: the embedding is no longer finite", cure.to_string()))
}

/// What may keep a fit from diverging: shorter steps of mini-batches, which keep no best map, or another start, and
/// features of one scale.
fn cure_of_divergence(args: &FitArgs, config: &Estimator) -> String {
    let (method, model) = (&config.method, &args.model);
    let uses = method.info().uses;
    let starts = uses.contains(&Uses::Start) && model.encoder() != EncoderKind::Mlp;
    let start = starts && model.init != Some(Init::Identity) && model.warm_start.is_none();
    let by_batches =
        uses.contains(&Uses::Optimizer) && network::optimizer_kind(args, method).takes_batches();
    let is_standard = config.fit.scaling == ScalingKind::Standardize;
    // The default rate is too large only where features of one scale are.
    let rate = is_standard || args.optimizer.learning_rate.is_some();
    let first = match (by_batches, start) {
        (true, _) => rate.then_some("give a smaller --learning-rate"),
        (false, true) => Some("give --init identity"),
        (false, false) => None,
    };
    let scale = (!is_standard).then_some("give --scale standardize");
    let cures: Vec<&str> = first.into_iter().chain(scale).collect();
    match cures.is_empty() {
        true => "correct values that are far from all others".to_string(),
        false => cures.join(", or "),
    }
}

fn interrupted(model: &Fitted, resumable: bool) -> String {
    let steps = model.summary().iterations;
    if resumable {
        return format!(
            "interrupted after {steps} iterations; resume with: {} --resume",
            process::command_line()
        );
    }
    format!("interrupted after {steps} iterations; nothing is saved without --out")
}

/// `data/flowers.csv.gz` to `flowers`; a bundled set's name as it is, and of a pair the name of its first file.
fn data_name(source: &str) -> &str {
    let is_one = Path::new(source).exists();
    let first = source.split(',').next().filter(|_| !is_one).unwrap_or(source);
    let name = Path::new(first).file_name().and_then(|name| name.to_str()).unwrap_or(first);
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_named_after_their_file() {
        assert_eq!(data_name("iris"), "iris");
        assert_eq!(data_name("/data/flowers.csv.gz"), "flowers");
        assert_eq!(data_name("a/X.npy,a/Y.npy"), "X");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a,b.csv");
        std::fs::write(&path, "").unwrap();
        assert_eq!(data_name(path.to_str().unwrap()), "a,b");
    }
}
