//! The faces of a run, split by people.

use std::sync::Arc;

use crate::faces::{
    FaceBank, FacePairs, PoseOptions, read_face_folder, read_face_idx, synthetic_faces,
};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::cli::Args;

/// Made-up people of the bank that needs no file, and pictures of each.
const SYNTHETIC: (usize, usize) = (1000, 2);

/// The most people who are tested on without being asked for.
const MOST_TEST_PEOPLE: usize = 1000;

/// Width and height to which pictures of a folder are brought.
const FOLDER_SIZE: u32 = 64;

/// Pairs and faces of three groups of people who share no one.
pub struct Banks {
    /// People that the networks learn from.
    pub train: FacePairs,
    /// People whose loss says when to stop.
    pub validation: FacePairs,
    /// People that nothing is decided on.
    pub test: FacePairs,
    /// Where the faces come from and how many they are.
    pub summary: BankSummary,
}

/// The faces of a run in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BankSummary {
    /// "synthetic", or the name of the file or folder.
    pub name: String,
    /// Pictures and people to train on.
    pub train: [usize; 2],
    /// Pictures and people to stop on.
    pub validation: [usize; 2],
    /// Pictures and people to test on.
    pub test: [usize; 2],
}

impl Banks {
    /// Opens or draws the faces and parts their people by the seed.
    ///
    /// # Errors
    /// Files that cannot be used, or too few people.
    pub fn open(args: &Args) -> Result<Self> {
        let (name, bank) = read(args)?;
        let people = bank.people();
        let test_people = args.test_people.unwrap_or((people / 8).min(MOST_TEST_PEOPLE));
        let validation_people = (test_people / 4).max(2);
        if test_people < 2 || people < test_people + validation_people + 2 {
            bail!(
                "{people} people, of whom {test_people} to test on, leave too few for three groups of two or more; \
                 give more people, or another --test-people"
            );
        }
        let (rest, test) = bank.split_people(test_people, args.seed)?;
        let (train, validation) = rest.split_people(validation_people, args.seed)?;
        let size = |bank: &FaceBank| [bank.len(), bank.people()];
        let summary = BankSummary {
            name,
            train: size(&train),
            validation: size(&validation),
            test: size(&test),
        };
        let plain = PoseOptions::default();
        let mirrored = PoseOptions { mirror: args.mirror, ..plain };
        let pairs = |bank, options| FacePairs::new(Arc::new(bank), options, args.seed);
        Ok(Self {
            train: pairs(train, mirrored)?,
            validation: pairs(validation, plain)?,
            test: pairs(test, plain)?,
            summary,
        })
    }
}

fn read(args: &Args) -> Result<(String, FaceBank)> {
    let Some(path) = &args.faces else {
        let (people, pictures) = SYNTHETIC;
        return Ok(("synthetic".to_string(), synthetic_faces(people, pictures, args.seed)?));
    };
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("faces");
    let bank = if path.is_dir() {
        if args.people.is_some() {
            bail!(
                "--people is for IDX files; in a folder, each person's pictures are in a folder of their own"
            );
        }
        read_face_folder(path, FOLDER_SIZE)
    } else {
        read_face_idx(path, args.people.as_deref())
    };
    Ok((name.to_string(), bank.with_context(|| format!("--faces {}", path.display()))?))
}
