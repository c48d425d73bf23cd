//! One run: faces, training, measures, results.

use crate::faces::PoseOptions;
use anyhow::{Result, bail};
use burn::module::Module;
use burn::tensor::Device;
use burn_nca_learn::device;
use burn_nca_learn::objective::PairLossConfig;
use burn_nca_program::{RunFolder, print, write_file};

use crate::banks::Banks;
use crate::cli::Args;
use crate::evaluation::{Evaluation, NEIGHBORS, Plane};
use crate::network::Network;
use crate::picture::{self, Shown};
use crate::progress::Progress;
use crate::results::{FORMAT, Results, Settings, Training};
use crate::training::{
    Checkpoint, Ending, Goal, HeldOut, Plan, PoseScale, Setting, Trained, train,
};

/// Factor of the last layer's weights at the start for drawn faces, whatever the network: they differ so little
/// between people that a plane which starts wide stays bent where it happened to be.
const DRAWN_START_SCALE: f64 = 2.0;

/// Checks of the held-out faces in a training.
const CHECKS: usize = 50;
/// Most faces of a check on which the correlations are measured.
const HELD_OUT: usize = 1024;

/// How the names of the files end that hold the state of a training while it runs.
const CHECKPOINT: &str = ".checkpoint.json";
/// The saved network.
const NETWORK: &str = "network.bpk";
/// The numbers of the run.
const RESULTS: &str = "results.json";

/// Trains a network of this kind, measures it, and writes the folder of the run.
///
/// # Errors
/// Bad settings or faces, a folder that exists, or an interruption.
pub fn run<N: Network>(args: &Args) -> Result<()> {
    let plan = plan::<N>(args)?;
    let device = open_device(&args.device)?;
    let banks = Banks::open(args)?;
    let folder = RunFolder::open(&args.out, args.resume, &[CHECKPOINT])?;
    let progress = Progress::listen(args.quiet)?;
    let scale = PoseScale::of(&PoseOptions::default());
    let trainer = Trainer {
        args,
        plan: &plan,
        held_out: &HeldOut::new(&banks.validation, plan.pairs, HELD_OUT.min(args.test_faces)),
        banks: &banks,
        device: &device,
        folder: &folder,
        progress: &progress,
    };
    let loss = PairLossConfig::new().with_include_self(!args.exclude_self).init();
    let learned = trainer.train::<N>(&Goal::Pairs(loss))?;
    let told = (!args.no_supervised)
        .then(|| trainer.train::<N>(&Goal::Poses(scale.clone())))
        .transpose()?;
    progress.tell("measuring the test faces");
    let evaluation = Evaluation::new(&banks, args.test_faces, &device);
    let plane = evaluation.plane(&learned.network)?;
    let (predicted, learned_error) = evaluation.neighbors("pairs, k-NN", &plane)?;
    let mut errors = vec![learned_error];
    errors.push(evaluation.neighbors("PCA, k-NN", &evaluation.principal_components()?)?.1);
    if let Some(told) = &told {
        let plane = evaluation.plane(&told.network)?;
        errors.push(evaluation.neighbors("supervised poses, k-NN", &plane)?.1);
        errors.push(evaluation.direct("supervised poses, network outputs", &plane, &scale));
    }
    let mut results = results(args, &plan, &banks, &learned);
    results.poses = told.as_ref().map(Training::of);
    results.errors = errors;
    add_polar(&mut results, &evaluation, &plane);
    let shown = Shown { points: &plane.tests, faces: &evaluation.tests, predicted: &predicted };
    learned.network.save_file(folder.file(NETWORK))?;
    write_file(&folder.file(RESULTS), serde_json::to_string_pretty(&results)?.as_bytes())?;
    picture::write(&folder, &shown, &banks.test, &results)?;
    folder.finish()?;
    print(&results.summary())
}

fn plan<N: Network>(args: &Args) -> Result<Plan> {
    for (name, value) in
        [("--steps", args.steps), ("--pairs", args.pairs), ("--patience", args.patience)]
    {
        if value == 0 {
            bail!("{name} is 0; give at least 1");
        }
    }
    if args.test_faces < NEIGHBORS {
        bail!("--test-faces is {}; give at least {NEIGHBORS}", args.test_faces);
    }
    if !(args.learning_rate.is_finite() && args.learning_rate > 0.0) {
        bail!("--learning-rate is {}; give a number above 0, such as 0.001", args.learning_rate);
    }
    let usual = if args.faces.is_some() { N::START_SCALE } else { DRAWN_START_SCALE };
    let start_scale = args.start_scale.unwrap_or(usual);
    if !(start_scale.is_finite() && start_scale > 0.0) {
        bail!("--start-scale is {start_scale}; give a number above 0, such as 5");
    }
    Ok(Plan {
        steps: args.steps,
        pairs: args.pairs,
        learning_rate: args.learning_rate,
        seed: args.seed,
        start_scale,
        checks: CHECKS,
        patience: args.patience,
    })
}

/// The device of this name; one that is not the CPU has passed its self-test.
fn open_device(name: &str) -> Result<Device> {
    let device = device::open(name)?;
    if !device::runs_on_host(&device) {
        burn_nca_learn::self_test(&device)?;
    }
    Ok(device)
}

/// What both trainings share.
struct Trainer<'a> {
    args: &'a Args,
    plan: &'a Plan,
    held_out: &'a HeldOut,
    banks: &'a Banks,
    device: &'a Device,
    folder: &'a RunFolder,
    progress: &'a Progress,
}

impl Trainer<'_> {
    fn train<N: Network>(&self, goal: &Goal) -> Result<Trained<N>> {
        let settings = serde_json::json!({
            "network": N::NAME,
            "goal": goal.name(),
            "plan": self.plan,
            "exclude_self": self.args.exclude_self,
            "mirror": self.args.mirror,
            "faces": self.banks.summary,
            "test_faces": self.args.test_faces,
        });
        let path = self.folder.file(&format!("{}{CHECKPOINT}", goal.name()));
        let mut checkpoint = Checkpoint::new(path, settings.to_string());
        let setting =
            Setting { pairs: &self.banks.train, held_out: self.held_out, device: self.device };
        let trained = train::<N>(self.plan, goal, &setting, &mut checkpoint, self.progress)?;
        match trained.ending {
            Ending::Interrupted => bail!(
                "interrupted after step {} of {}; the same command with --resume continues",
                trained.steps,
                self.plan.steps
            ),
            Ending::NonFinite => {
                std::fs::remove_file(checkpoint.path())?;
                bail!("{} (step {})", trained.ending.sentence(), trained.steps);
            }
            Ending::StepsDone | Ending::HeldOut => Ok(trained),
        }
    }
}

fn results<N: Network>(args: &Args, plan: &Plan, banks: &Banks, learned: &Trained<N>) -> Results {
    Results {
        format: FORMAT,
        command: command_line(),
        faces: banks.summary.clone(),
        settings: Settings {
            network: N::NAME.to_string(),
            parameters: Module::num_params(&learned.network),
            plan: plan.clone(),
            include_self: !args.exclude_self,
            mirror: args.mirror,
            device: match args.device.as_str() {
                "default" => device::default_name(),
                name => name.to_string(),
            },
        },
        pairs: Training::of(learned),
        poses: None,
        polar: None,
        reference_scores: None,
        test_scores: None,
        errors: Vec::new(),
        reference_faces: 0,
        test_faces: 0,
        neighbors: NEIGHBORS,
    }
}

/// Fits the polar coordinates to the reference faces and measures both groups.
fn add_polar(results: &mut Results, evaluation: &Evaluation<'_>, plane: &Plane) {
    let polar = evaluation.polar(plane);
    let tests = &evaluation.tests;
    results.polar = polar;
    results.reference_scores =
        polar.map(|map| map.scores(&plane.references, evaluation.reference_poses()));
    results.test_scores = polar.map(|map| map.scores(&plane.tests, &tests.poses));
    (results.reference_faces, results.test_faces) = (evaluation.reference_faces(), tests.len());
}

/// The command line, without folders of this machine and options that only concern this very run.
fn command_line() -> String {
    const OF_THIS_RUN: [&str; 3] = ["--resume", "--quiet", "-q"];
    let base = |word: String| match word.rsplit_once('/') {
        Some((folder, name)) if folder.starts_with('/') => name.to_string(),
        _ => word,
    };
    let arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words = arguments.filter(|word| !OF_THIS_RUN.contains(&word.as_str())).map(base);
    std::iter::once("face-pose".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}
