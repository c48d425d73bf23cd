//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Which network maps a face to the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NetworkKind {
    /// 1225 pixels, 100 logistic units, 2 outputs: the network of the paper
    Mlp,
    /// Three convolutions and two linear layers
    Cnn,
}

/// Learns the pose of faces from pairs that share it, without any pose as a target.
///
/// Section 5 of Goldberger, Roweis, Hinton and Salakhutdinov (2004), Neighborhood Components Analysis. Without
/// --faces, faces are drawn by the program. Ctrl-C stops after the step that runs; the same command with
/// --resume continues.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Pictures of faces: an IDX file of square pictures, or a folder of PNG and JPEG files (a folder in it for
    /// each person)
    #[arg(long, value_name = "FILE|FOLDER")]
    pub faces: Option<PathBuf>,
    /// The person of each picture of an IDX file: a CSV file of one column, or an IDX file of labels
    #[arg(long, value_name = "FILE", requires = "faces")]
    pub people: Option<PathBuf>,
    /// The network
    #[arg(long, value_enum, default_value = "mlp")]
    pub encoder: NetworkKind,
    /// Steps of training [default: 3000]
    #[arg(long, default_value_t = 3000, hide_default_value = true)]
    pub steps: usize,
    /// Pairs a step
    #[arg(long, default_value_t = 256)]
    pub pairs: usize,
    /// Learning rate of Adam at the first step; it falls to 0 along a cosine
    #[arg(long, value_name = "RATE", default_value_t = 1e-3)]
    pub learning_rate: f64,
    /// Factor of the last layer's weights at the start: how far apart faces start in the plane [default: 2
    /// for drawn faces; of photographs 5 for mlp, 3 for cnn]
    #[arg(long, value_name = "FACTOR")]
    pub start_scale: Option<f64>,
    /// Leave c = d out of the normalizer of equation 8
    #[arg(long)]
    pub exclude_self: bool,
    /// Mirror faces at random while training
    #[arg(long)]
    pub mirror: bool,
    /// People to test on; one in eight by default, at most 1000
    #[arg(long, value_name = "PEOPLE")]
    pub test_people: Option<usize>,
    /// Faces of them that errors are measured on, in addition to twice as many of the training people
    #[arg(long, value_name = "FACES", default_value_t = 2000)]
    pub test_faces: usize,
    /// Stop when this many checks in a row (of 50) bring no lower held-out loss
    #[arg(long, value_name = "CHECKS", default_value_t = 15)]
    pub patience: usize,
    /// Leave out the supervised network, which doubles the time
    #[arg(long)]
    pub no_supervised: bool,
    /// Seed of people, pairs and networks
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Device: cpu, flex, ndarray, wgpu, wgpu:1
    #[arg(long, default_value = "default")]
    pub device: String,
    /// Folder of the results; it must not exist
    #[arg(long, value_name = "FOLDER", default_value = "runs/face-pose")]
    pub out: PathBuf,
    /// Resume a run that was interrupted
    #[arg(long)]
    pub resume: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
        assert!(Args::try_parse_from(["face-pose", "--people", "people.csv"]).is_err());
        let args = Args::try_parse_from(["face-pose", "--encoder", "cnn"]).unwrap();
        assert_eq!((args.encoder, args.pairs), (NetworkKind::Cnn, 256));
    }
}
