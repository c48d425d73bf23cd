//! `nca fit` of a numeric target.

use anyhow::{Result, bail};
use burn_nca::data::{TrainingData, random_split};
use burn_nca::method::AnyMethod;
use burn_nca_datasets::{CsvOptions, Task, by_name, open};
use burn_nca_program::Interrupt;

use super::fit::{
    check_neighbors, conclude, data_name, device_name, fit, open_folder, refuse_f64_on_graphics,
    told, warm_start,
};
use super::{csv_options, neighbors_or_default, open_device};
use crate::cli::fit::FitArgs;
use crate::fitting::account::Account;
use crate::fitting::numbers::{NumberRows, findings};
use crate::fitting::progress::{FitProgress, HeldOutMeasure};
use crate::fitting::stages::Stages;
use crate::fitting::target_settings::LearntFrom;
use crate::fitting::{settings, warnings};
use crate::source::Source;

/// Learns a metric for a numeric target, compares it, and writes a run's folder.
///
/// # Errors
/// Bad data or settings, a folder that exists, or a fit that was interrupted.
pub fn run(args: &FitArgs, method: AnyMethod) -> Result<()> {
    let interrupt = Interrupt::listen("step")?;
    let stages = Stages::new(args.optimizer.time_budget, args.quiet, interrupt.clone());
    let folder = open_folder(args)?;
    if by_name(&args.source.data).is_some() {
        bail!(
            "the bundled set {:?} has classes, and a numeric target is needed; leave --soft and --task \
             regression out, or give a CSV file",
            args.source.data
        );
    }
    let options = CsvOptions { task: Task::Numeric, ..csv_options(&args.source) };
    let data = open(&args.source.data, &options)?.into_measured()?;
    let target = data.targets().names().first().map(String::as_str);
    let source = Source::of_fit(args, LearntFrom::Numbers, target);
    let split = random_split(data.rows(), args.test_size, args.seed)?;
    let train = data.select(&split.train);
    let neighbors = neighbors_or_default(args.neighbors, train.rows());
    check_neighbors(neighbors, train.rows())?;
    let device = open_device(&args.device.device)?;
    refuse_f64_on_graphics(args.precision, &device)?;
    let warm_start = warm_start(args, train.features(), &device)?;
    let config = settings::configuration(args, method, train.any(), warm_start.as_ref())?;
    let remark = warnings::about_dimension(args, &config);
    let warnings = warnings::about_columns(train.features()).into_iter().chain(remark);
    let warnings = told(warnings.collect());
    let bar =
        FitProgress::new(settings::step_limit(&config.fit, train.rows()), args.quiet, interrupt)
            .with_measure(HeldOutMeasure::R2);
    stages.begin("learning");
    let model = fit(&bar, folder.as_ref(), |session| match warm_start {
        None => config.fit_session(&train, &device, session),
        Some(start) => config.fit_from(start.encoder, &train, &device, session),
    })?;
    let account = Account {
        name: data_name(&args.source.data),
        model: &model,
        device: &device_name(&args.device.device),
        seed: args.seed,
        tuning: None,
        warnings,
        stages: &stages,
    };
    let rows = NumberRows { data: &data, split: &split, neighbors };
    conclude(args, folder, (&model, &source), || {
        account.report(findings(&model, &rows, &stages)?)
    })?;
    stages.tell_times();
    Ok(())
}
