//! Tests of the training loop: its end, its checkpoint, and resuming.

use std::path::Path;
use std::sync::Arc;

use crate::faces::{PoseOptions, synthetic_faces};
use burn_nca_learn::encoder::Mlp;
use burn_nca_learn::objective::PairLossConfig;

use super::*;
use crate::measure::Point;
use crate::network::Cnn;
use crate::training::{PoseScale, pixels};

const STEPS: usize = 8;

fn plan() -> Plan {
    Plan {
        steps: STEPS,
        pairs: 6,
        learning_rate: 1e-3,
        seed: 1,
        start_scale: 1.0,
        checks: 2,
        patience: 9,
    }
}

fn pairs() -> FacePairs {
    let bank = Arc::new(synthetic_faces(8, 2, 0).unwrap());
    FacePairs::new(bank, PoseOptions::default(), 0).unwrap()
}

fn pair_goal() -> Goal {
    Goal::Pairs(PairLossConfig::new().init())
}

fn trained<N: Network>(plan: &Plan, goal: &Goal, path: &Path, progress: &Progress) -> Trained<N> {
    let (pairs, device) = (pairs(), Device::flex());
    let held_out = HeldOut::new(&pairs, plan.pairs, 32);
    let setting = Setting { pairs: &pairs, held_out: &held_out, device: &device };
    let mut checkpoint = Checkpoint::new(path.to_path_buf(), "settings".to_string());
    train(plan, goal, &setting, &mut checkpoint, progress).unwrap()
}

fn plane<N: Network>(network: &N) -> Vec<Point> {
    let faces = pairs().faces(9);
    crate::measure::embed(network, pixels(faces, &Device::flex())).unwrap()
}

fn without_seconds(history: &[Check]) -> Vec<Check> {
    history.iter().map(|check| Check { seconds: 0.0, ..*check }).collect()
}

fn resumes_bit_for_bit<N: Network>(goal: &Goal) {
    let folder = tempfile::tempdir().unwrap();
    let whole: Trained<N> =
        trained(&plan(), goal, &folder.path().join("whole"), &Progress::silent());
    let path = folder.path().join("parts");
    let progress = Progress::silent();
    progress.interrupt();
    for step in 1..=2 {
        let part: Trained<N> = trained(&plan(), goal, &path, &progress);
        assert_eq!((part.ending, part.steps), (Ending::Interrupted, step));
    }
    let rest: Trained<N> = trained(&plan(), goal, &path, &Progress::silent());
    assert_eq!((rest.ending, rest.steps), (Ending::StepsDone, STEPS));
    assert_eq!(without_seconds(&rest.history), without_seconds(&whole.history));
    assert_eq!(plane(&rest.network), plane(&whole.network));
    // A training that has ended is not repeated.
    let again: Trained<N> = trained(&plan(), goal, &path, &Progress::silent());
    assert_eq!((again.steps, plane(&again.network)), (STEPS, plane(&whole.network)));
}

#[test]
fn an_interrupted_training_takes_the_same_steps() {
    resumes_bit_for_bit::<Mlp>(&pair_goal());
    resumes_bit_for_bit::<Cnn>(&pair_goal());
    resumes_bit_for_bit::<Mlp>(&Goal::Poses(PoseScale::of(&PoseOptions::default())));
}

#[test]
fn the_loss_of_poses_falls() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan { steps: 60, pairs: 16, checks: 4, ..plan() };
    let goal = Goal::Poses(PoseScale::of(&PoseOptions::default()));
    let fitted: Trained<Mlp> = trained(&plan, &goal, &folder.path().join("a"), &Progress::silent());
    let losses: Vec<f64> = fitted.history.iter().map(|check| check.loss).collect();
    assert!(losses[3] < 0.6 * losses[0], "{losses:?}");
    assert_eq!(fitted.history.len(), 4);
}

#[test]
fn a_held_out_loss_that_no_longer_falls_ends_the_training() {
    let folder = tempfile::tempdir().unwrap();
    // Far too large a rate: whatever was best, it is not the last check.
    let plan = Plan { steps: 200, checks: 100, patience: 3, learning_rate: 3.0, ..plan() };
    let ended: Trained<Mlp> =
        trained(&plan, &pair_goal(), &folder.path().join("a"), &Progress::silent());
    assert_eq!(ended.ending, Ending::HeldOut);
    assert!(ended.steps < 200);
    let lowest = ended.history.iter().min_by(|a, b| a.held_out.total_cmp(&b.held_out)).unwrap();
    assert_eq!(ended.best_step, lowest.step);
}
