//! The command line of the example.

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::ensure;
use clap::Parser;

/// Trains a metric on the bundled digits with Burn's Learner.
#[derive(Parser)]
pub struct Arguments {
    /// Passes over the training images.
    #[arg(long, default_value_t = 20)]
    pub epochs: usize,
    /// Dimensions of the embedding.
    #[arg(long, default_value_t = 8)]
    pub dim: usize,
    /// Classes of a batch.
    #[arg(long, default_value_t = 10)]
    pub classes: usize,
    /// Samples of each class of a batch.
    #[arg(long, default_value_t = 12)]
    pub samples: usize,
    /// Embeddings of earlier batches that are candidates too; 0 for none.
    #[arg(long, default_value_t = 0)]
    pub memory: usize,
    /// Rows of a batch through the network at a time; all by default.
    #[arg(long)]
    pub chunk: Option<usize>,
    /// Burn's dashboard in place of two lines an epoch (needs --features dashboard).
    #[arg(long)]
    pub dashboard: bool,
    /// Continue from the checkpoint of this epoch.
    #[arg(long)]
    pub resume: Option<usize>,
    /// The folder of metrics and checkpoints.
    #[arg(long, default_value = "runs/train-with-burn")]
    pub out: PathBuf,
}

impl Arguments {
    /// Refuses sizes of nothing, and a checkpoint that is not there.
    pub fn check(&self) -> anyhow::Result<()> {
        ensure!(self.dim > 0, "--dim is 0; an embedding needs at least one dimension");
        ensure!(self.chunk != Some(0), "--chunk is 0; give at least one row, or leave it out");
        ensure!(
            !self.dashboard || cfg!(feature = "dashboard"),
            "--dashboard is not built in; add --features dashboard to the options of cargo run"
        );
        ensure!(
            !self.dashboard || std::io::stdout().is_terminal(),
            "--dashboard draws on a terminal, and the output goes elsewhere; leave it out"
        );
        if let Some(epoch) = self.resume {
            let file = self.out.join(format!("checkpoint/model-{epoch}.bpk"));
            ensure!(
                file.is_file(),
                "{} is not there; give --resume the number of an epoch whose checkpoint was kept",
                file.display()
            );
            ensure!(
                epoch < self.epochs,
                "--resume {epoch} has all of the {} epochs done; give more --epochs",
                self.epochs
            );
        }
        Ok(())
    }
}
