//! `nca fit`: from the options to a model, a report and a run's folder, whatever is learned from.

use std::path::Path;

use anyhow::{Result, bail};
use burn::tensor::Device;
use burn_nca_learn::data::{Coincidences, Features, Labeled, RegressionData, Scaling, Task};
use burn_nca_learn::estimator::{Decision, Estimator};
use burn_nca_learn::fit::Precision;
use burn_nca_learn::method::AnyMethod;
use burn_nca_learn::{DeviceTime, Fitted, device};
use burn_nca_program::{Interrupt, RunFolder, short_name};

use super::loaded::{model_folder, open_device};
use super::report::write_pictures;
use crate::cli::fit::FitArgs;
use crate::cli::{Format, NeighborCount, Rule};
use crate::failure::{hinted, usage};
use crate::fitting::divergence::{cure_of_divergence, refuse_f64_on_graphics, refuse_far_values};
use crate::fitting::method::learned_from;
use crate::fitting::optimizer::step_limit;
use crate::fitting::progress::FitProgress;
use crate::fitting::recording::Recording;
use crate::fitting::rows::FitData;
use crate::fitting::stages::{Stages, TimeBudget};
use crate::fitting::{
    method, model_words, neighbor_count, optimizer, options, run_folder, settings, tuning, warnings,
};
use crate::source::Source;
use crate::tables::PreparedData;
use crate::{output, process, tables};
use burn_nca_report::evaluation::{Rows, Stages as _};
use burn_nca_report::terminal::Terminal;
use burn_nca_report::{Report, RowNames, Warning, WarningCode};

/// Learns a metric, compares it, and writes a run's folder.
pub fn run(args: &FitArgs) -> Result<()> {
    let time = TimeBudget::start(args.optimizer.time_budget);
    let learned_from = learned_from(args)?;
    let method = method::chosen(args, learned_from)?;
    options::check(args, learned_from, &method)?;
    let mut stages = Stages::new(time, args.quiet, Interrupt::listen("step")?);
    stages.baselines = !args.no_baselines;
    let folder = args.out.as_deref();
    let folder = folder.map(|target| run_folder::open(target, args.resume)).transpose()?;
    let run = Run { args, stages, folder, warnings: Vec::new() };
    let source = Source::of_fit(args, learned_from);
    match learned_from {
        Task::Classes => run.of::<Labeled>(method, source),
        Task::Numbers => run.of::<RegressionData>(method, source),
        Task::Pairs => run.of::<Coincidences>(method, source),
    }
}

struct Run<'a> {
    args: &'a FitArgs,
    stages: Stages,
    folder: Option<RunFolder>,
    /// What was said so far, for the report to say it again.
    warnings: Vec<Warning>,
}

impl Run<'_> {
    /// The fit of any kind of data, from the table to what is printed.
    fn of<D: FitData>(mut self, method: AnyMethod, source: Source) -> Result<()> {
        let args = self.args;
        let table = self.read::<D>(&source)?;
        let source = source.with_target(table.target.as_deref());
        let train = &table.rows.train;
        let (name, device) = device_for(&args.device.device, (train.features(), args.dim))?;
        refuse_f64_on_graphics(args.precision, &device)?;
        let warm_start = warm_start(args, train.features(), &device)?;
        let config =
            settings::configuration(args, method, train.as_any_data(), warm_start.as_ref())?;
        let of_rows =
            warnings::about_data(train.as_any_data()).into_iter().chain(table.rows.remark()?);
        self.note(table.warnings.into_iter().chain(of_rows));
        let run = (self.folder.as_ref(), &self.stages);
        let (config, tuning, few_groups) = tuning::choose(args, config, (train, &device), run)?;
        let config = optimizer::for_rows(args, config, train.features().rows());
        let of_config = warnings::about_config(args, &config, train.features().rows());
        self.note(few_groups.into_iter().chain(of_config));
        let (mut model, mut rows, recording) =
            self.learn((config, warm_start), (table.rows, &table.names), &device)?;
        if D::TASK != Some(Task::Pairs) {
            (model, rows.neighbors) = self.decided(model)?;
        }
        // What is saved takes the table as it is; what is measured, its reduction.
        let mut whole = None;
        match (table.reduction, table.preparation) {
            (Some(reduction), prepared) => whole = Some(reduction.whole(&model, prepared)?),
            (None, Some(preparation)) => model = model.with_preparation(preparation)?,
            (None, None) => {}
        }
        let Self { stages, folder, warnings, .. } = self;
        let evaluate = || {
            let mut report = Report::in_stages(&model, &rows, &stages)?;
            let steps = recording.map(Recording::into_steps).unwrap_or_default();
            report.replay = D::replay(&model, &rows, (&steps, &stages))?;
            let searched = tuning.is_some() && model.card().fit.stop_at.is_some();
            let mut report =
                report.with_tuning(tuning).with_ending(&model_words::ending(&model, searched));
            // What wrote it, when, from which data and where.
            report.run.ended = Some(process::now());
            report.header.program = concat!("nca ", env!("CARGO_PKG_VERSION")).to_string();
            report.header.command = process::command_line();
            report.header.data.name = data_name(&args.source.data).to_string();
            report.header.device.name = name;
            report.warnings =
                warnings.into_iter().chain(report.warnings).chain(stages.finish()).collect();
            report.name_rows(&table.names);
            Ok(report)
        };
        let report = match folder {
            None => evaluate()?,
            Some(folder) => {
                let saved = (whole.as_ref().unwrap_or(&model), &source);
                run_folder::complete(folder, saved, evaluate)?
            }
        };
        print(args, &report)?;
        stages.tell_times();
        Ok(())
    }

    /// Reads the table, and refuses what would fail after the fit.
    fn read<D: FitData>(&self, source: &Source) -> Result<PreparedData<D>> {
        let args = self.args;
        self.stages.bar.step(0, format!("reading {}", short_name(&args.source.data)));
        let table = D::open(args, source, &self.stages)?;
        if self.folder.is_none() {
            // With a folder the fit stops after its first step, and can be resumed.
            self.stages.refuse_stop("while the table was read")?;
        }
        self.stages.bar.finish();
        // What would fail after the fit.
        let rows = table.rows.train.units();
        if let Some(NeighborCount::Given(k)) = args.neighbors
            && D::TASK != Some(Task::Pairs)
            && k > rows
        {
            bail!(hinted(
                format!("k is {k}, but there are only {rows} training rows"),
                format!("give --neighbors {rows} or fewer")
            ));
        }
        Ok(table)
    }

    /// Says on stderr what is worth knowing; the report says it again.
    fn note(&mut self, warnings: impl IntoIterator<Item = Warning>) {
        let warnings: Vec<Warning> = warnings.into_iter().collect();
        // What was asked for is no cause for alarm.
        output::emit(&warnings, &[WarningCode::Prepared, WarningCode::ReadAs]);
        self.warnings.extend(warnings);
    }

    /// Scales the rows and fits a model under a progress bar; with its steps on record where there is a folder.
    fn learn<D: FitData>(
        &mut self,
        (config, warm_start): (Estimator, Option<Fitted>),
        (rows, names): (Rows<D>, &RowNames),
        device: &Device,
    ) -> Result<(Fitted, Rows<D>, Option<Recording>)> {
        let (args, folder) = (self.args, self.folder.as_ref());
        let steps = step_limit(&config.fit, rows.train.features().rows());
        self.stages.begin("training");
        let progress = FitProgress::begin(steps, D::MEASURE, &self.stages);
        let scaling = Scaling::fit(config.fit.scaling, rows.train.features());
        if args.precision == Precision::F32 {
            refuse_far_values(&rows, &scaling, (names, device::backend(device)))
                .inspect_err(|_| progress.bar.finish())?;
        }
        let rows = rows.scaled(&scaling)?;
        let recording =
            folder.map(|folder| Recording::new(folder, config.identity(rows.train.as_any_data())));
        let (cure, start) =
            (cure_of_divergence(args, &config), warm_start.map(|model| model.encoder));
        let model = progress.fit((folder, recording.as_ref()), &cure, |session| {
            config.fit_scaled(start, (rows.train.clone(), scaling), device, session)
        })?;
        self.warnings.extend(progress.warnings.take());
        self.note(recording.as_ref().and_then(Recording::warning));
        Ok((model, rows, recording))
    }

    fn decided(&self, model: Fitted) -> Result<(Fitted, usize)> {
        let args = self.args;
        if args.neighbors.is_some_and(NeighborCount::is_rule) {
            self.stages.announce("choosing the number of neighbors");
        }
        let neighbors = neighbor_count::of_model(args.neighbors, &model)?;
        let decision = match (args.rule, model.decision()) {
            (Some(Rule::Soft), _) | (None, Decision::Soft) => Decision::Soft,
            (Some(Rule::Knn), _) | (None, Decision::Nearest { .. }) => {
                Decision::Nearest { neighbors }
            }
        };
        Ok((model.with_decision(decision)?, neighbors))
    }
}

/// Prints a report and its warnings, and writes its pictures.
fn print(args: &FitArgs, report: &Report) -> Result<()> {
    output::warn_of(report.warnings.iter().filter(|warning| !warning.is_told_at_once()));
    // Stdout may be closed; a picture that cannot be written keeps nothing from it.
    let drawn = write_pictures(report, &args.picture);
    let printed = match args.format {
        Format::Table => output::print(&report.summary(Terminal::of_stdout())),
        Format::Json => output::print_json_text(&report.to_json()?),
    };
    drawn.and(printed)
}

/// The device that the user named, that the default stands for, or that is fastest for these rows to so many
/// dimensions; with its name.
fn device_for(given: &str, (rows, dim): (&Features, Option<usize>)) -> Result<(String, Device)> {
    let size = [rows.rows(), rows.columns(), dim.unwrap_or(rows.columns())];
    let name = if given == "default" { device::default_name() } else { given.to_string() };
    let (name, device) = if name == device::AUTO {
        let name = fastest_device(size)?;
        let device = open_device(&name)?;
        (name, device)
    } else {
        (name, open_device(given)?)
    };
    log::info!("{} training rows, {} features, on {name}: {device:?}", size[0], size[1]);
    Ok((name, device))
}

fn fastest_device(size: [usize; 3]) -> Result<String> {
    let times = process::without_panic_message(|| burn_nca_learn::time_devices(size));
    let Some(fastest) = times.first() else {
        return Err(usage("no device computes as it should", "nca devices --test says why"));
    };
    let told = |time: &DeviceTime| format!("{} {:.1} ms", time.name, 1e3 * time.seconds);
    let told: Vec<String> = times.iter().map(told).collect();
    output::eprint_line(&format!(
        "note: on {}, the fastest: value and gradient took {}",
        fastest.name,
        told.join(", ")
    ));
    Ok(fastest.name.clone())
}

fn warm_start(args: &FitArgs, features: &Features, device: &Device) -> Result<Option<Fitted>> {
    let Some(path) = args.model.warm_start.as_deref() else { return Ok(None) };
    let model = Fitted::load(&model_folder(path), device)?;
    let named = features.renamed(model.scaling().names());
    let named = named.filter(|_| tables::nameless(&args.source.data));
    model.scaling().check_columns(named.as_ref().unwrap_or(features).names())?;
    Ok(Some(model))
}

/// `data/flowers.csv.gz` to `flowers`; a bundled set's name as it is, and of a pair the name of its first file.
fn data_name(source: &str) -> &str {
    let is_one = Path::new(source).exists();
    let first = source.split(',').next().filter(|_| !is_one).unwrap_or(source);
    let name = Path::new(first).file_name().and_then(|name| name.to_str()).unwrap_or(first);
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name)
}
