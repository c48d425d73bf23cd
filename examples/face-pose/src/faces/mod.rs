//! Faces and pairs of faces in nearly the same pose: the data of section 5 of the NCA paper.
//!
//! A [`FaceBank`] holds aligned faces and the person of each: read from an IDX file or a folder of pictures, or
//! drawn by [`synthetic_faces`]. [`FaceBank::split_people`] parts it so that no person is on both sides.
//! [`FacePairs`] turns a bank into pairs on the fly: two different people, both at one rotation and size but for
//! noise, with the weight of the pair.
//!
//! # References
//! J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighborhood Components Analysis, NIPS 2004, section 5.

mod bank;
mod elementary;
mod pairs;
mod pose;
mod read;
mod render;
mod sketch;
mod synthetic;

pub use bank::FaceBank;
pub use pairs::{FacePair, FacePairs, PairBatch, PosedFaces};
pub use pose::{Pose, PoseOptions};
pub use read::{read_face_folder, read_face_idx};
pub use render::{PIXELS, WINDOW};
pub use synthetic::synthetic_faces;
