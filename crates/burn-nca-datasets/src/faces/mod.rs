//! Faces and pairs of faces in nearly the same pose: the data of section 5 of the NCA paper.
//!
//! A [`FaceBank`] holds aligned faces and the person of each: read from an IDX file or a folder of pictures, or
//! drawn by [`synthetic_faces`]. [`FaceBank::split_people`] parts it so that no person is on both sides.
//! [`FacePairs`] turns a bank into pairs on the fly: two different people, both at one rotation and size but for
//! noise, with the weight of the pair.
//!
//! ```
//! use std::sync::Arc;
//! use burn_nca_datasets::faces::{FacePairs, PoseOptions, synthetic_faces};
//!
//! let bank = synthetic_faces(20, 2, 0)?;
//! let (train, test) = bank.split_people(5, 0)?;
//! assert_eq!((train.people(), test.people()), (15, 5));
//! let pairs = FacePairs::new(Arc::new(train), PoseOptions::default(), 0)?;
//! let pair = pairs.pair(7);
//! assert_ne!(pair.first.person, pair.second.person);
//! assert!(pair.weight > 0.0 && pair.weight <= 1.0);
//! # Ok::<(), burn_nca::Error>(())
//! ```
//!
//! # References
//! J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood Components Analysis, NIPS 2004, section 5.

mod bank;
#[cfg(feature = "burn-dataset")]
mod dataset;
mod elementary;
mod pairs;
mod pose;
mod read;
mod render;
mod sketch;
mod synthetic;

pub use bank::{FaceBank, Framing};
pub use pairs::{FacePair, FacePairs, PairBatch, PosedFace, PosedFaces};
pub use pose::{Pose, PoseOptions};
pub use read::{read_face_folder, read_face_idx};
pub use render::{PIXELS, WINDOW};
pub use synthetic::synthetic_faces;
