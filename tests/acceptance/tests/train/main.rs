//! Metric models in Burn's `Learner`: metrics, checkpoints, early stopping, schedules, accumulation, devices.

#![allow(clippy::unwrap_used)] // all of this crate is a test

mod devices;
mod learner;
mod losses;
mod metrics;
mod resume;
mod setup;
