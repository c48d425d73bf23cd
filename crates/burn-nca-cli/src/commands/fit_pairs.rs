//! `nca fit --pairs`: a metric from pairs of rows, without labels.

use std::path::Path;

use anyhow::{Result, bail};
use burn_nca::data::{Coincidences, Pairs, TrainingData, random_split};
use burn_nca::method::AnyMethod;
use burn_nca_datasets::{open_unlabelled, read_pairs};
use burn_nca_program::Interrupt;

use super::fit::{
    conclude, data_name, device_name, fit, open_folder, refuse_f64_on_graphics, told, warm_start,
};
use super::open_device;
use crate::cli::fit::FitArgs;
use crate::fitting::account::Account;
use crate::fitting::pairs::{PairParts, findings};
use crate::fitting::progress::{FitProgress, HeldOutMeasure};
use crate::fitting::stages::Stages;
use crate::fitting::target_settings::LearntFrom;
use crate::fitting::{settings, warnings};
use crate::source::Source;

/// Learns a metric from pairs, measures it on pairs held out, and writes a run's folder.
///
/// # Errors
/// Bad data, pairs or settings, a folder that exists, or a fit that was interrupted.
pub fn run(args: &FitArgs, method: AnyMethod) -> Result<()> {
    let Some(file) = args.targets.pairs.as_deref() else {
        bail!("there are no pairs to learn from; give --pairs FILE");
    };
    let interrupt = Interrupt::listen("step")?;
    let stages = Stages::new(args.optimizer.time_budget, args.quiet, interrupt.clone());
    let folder = open_folder(args)?;
    let features = open_unlabelled(&args.source.data, &args.source.ignore)?;
    let parts = parts(file, features.rows(), args)?;
    let source = Source::of_fit(args, LearntFrom::Pairs, None);
    let device = open_device(&args.device.device)?;
    refuse_f64_on_graphics(args.precision, &device)?;
    let warm_start = warm_start(args, &features, &device)?;
    let data = &Coincidences::new(features.clone(), parts.train.clone())?;
    let config = settings::configuration(args, method, data.any(), warm_start.as_ref())?;
    let remark = warnings::about_dimension(args, &config);
    let warnings = told(warnings::about_columns(&features).into_iter().chain(remark).collect());
    let limit = settings::step_limit(&config.fit, features.rows());
    let bar =
        FitProgress::new(limit, args.quiet, interrupt).with_measure(HeldOutMeasure::LogProbability);
    stages.begin("learning");
    let model = fit(&bar, folder.as_ref(), |session| match warm_start {
        None => config.fit_session(data, &device, session),
        Some(start) => config.fit_from(start.encoder, data, &device, session),
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
    conclude(args, folder, (&model, &source), || {
        account.report(findings(&model, &features, &parts, &stages)?)
    })?;
    stages.tell_times();
    Ok(())
}

/// The pairs to learn from, and those held out.
fn parts(file: &Path, rows: usize, args: &FitArgs) -> Result<PairParts> {
    let all = read_pairs(file, rows)?;
    let list: Vec<(usize, usize, f64)> = all.iter().collect();
    let split = random_split(list.len(), args.test_size, args.seed)?;
    let part =
        |numbers: &[usize]| Pairs::new(rows, numbers.iter().map(|&number| list[number]).collect());
    let test = (!split.test.is_empty()).then(|| part(&split.test)).transpose();
    match (part(&split.train), test) {
        (Ok(train), Ok(test)) => Ok(PairParts { train, test }),
        _ => bail!(
            "holding out {} of {} pairs leaves a part without a pair of positive weight; give another \
             --test-size (0 learns from all)",
            split.test.len(),
            list.len()
        ),
    }
}
