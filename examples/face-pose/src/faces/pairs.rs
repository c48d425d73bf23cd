//! Pairs of faces in nearly the same pose, drawn on the fly.

use std::sync::Arc;

use burn_nca_learn::{Error, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::bank::FaceBank;
use super::pose::{Pose, PoseOptions};
use super::render::PIXELS;

/// Faces for which the sampler of single faces uses streams of its own.
const SINGLE: u64 = 1 << 63;

/// A face in a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct PosedFace {
    /// [`PIXELS`] standardized values, row by row.
    pub pixels: Vec<f32>,
    /// The face in its bank.
    pub face: usize,
    /// The person in the bank.
    pub person: usize,
    /// The pose it is in.
    pub pose: Pose,
}

/// Two different people in nearly the same pose.
#[derive(Clone, Debug, PartialEq)]
pub struct FacePair {
    /// The face whose pose is uniform in the ranges.
    pub first: PosedFace,
    /// The face whose pose is that of the first and noise.
    pub second: PosedFace,
    /// w, in 0..1: the density of the noise over its maximum.
    pub weight: f64,
}

/// Posed faces side by side, as a network takes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedFaces {
    /// The pixels of all faces, `[n, PIXELS]` row by row.
    pub pixels: Vec<f32>,
    /// The face of each in its bank.
    pub faces: Vec<usize>,
    /// The pose of each.
    pub poses: Vec<Pose>,
}

/// A batch of pairs; row i of `first` and of `second` are a pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairBatch {
    /// The first faces.
    pub first: PosedFaces,
    /// The second faces.
    pub second: PosedFaces,
    /// The weight of each pair.
    pub weights: Vec<f64>,
}

/// Pairs of posed faces, drawn on the fly from a bank: equation 8's data.
///
/// Two faces of different people are drawn uniformly, then a pose and the noise between the two (see
/// [`PoseOptions`]). Pair `i` depends on the seed and on i alone: not on what was drawn before, on the number of
/// threads or on the machine. There are 2^63 pairs.
#[derive(Clone, Debug)]
pub struct FacePairs {
    bank: Arc<FaceBank>,
    options: PoseOptions,
    seed: u64,
}

/// What is drawn for one face of a pair, before it is rendered.
struct Sitting {
    face: usize,
    pose: Pose,
    mirrored: bool,
}

impl FacePairs {
    /// Pairs of the faces of `bank`.
    ///
    /// # Errors
    /// A bank of a single person, options that make no sense, or poses that would show the border of a
    /// photograph.
    pub fn new(bank: Arc<FaceBank>, options: PoseOptions, seed: u64) -> Result<Self> {
        options.check()?;
        if bank.people() < 2 {
            return Err(Error::data(
                "a pair needs two different people, and the bank holds 1; give a bank of more people",
            ));
        }
        // The window reaches farthest at the least height and 45 degrees, or as near to it as poses come.
        let widest = Pose { rotation: options.rotation.min(45.0), height: options.heights[0] };
        if bank.shows_border(widest) {
            return Err(Error::setting(format!(
                "at {} degrees and a height of {} pixels the border of the photographs would show (their faces are \
                 taken to be {} pixels high in pictures of {}); raise the least height, or give a smaller \
                 nominal height",
                widest.rotation,
                widest.height,
                bank.nominal_height(),
                bank.size()
            )));
        }
        Ok(Self { bank, options, seed })
    }

    /// Pair number `index`.
    pub fn pair(&self, index: u64) -> FacePair {
        let ([first, second], weight) = self.draw(index);
        FacePair { first: self.posed(&first), second: self.posed(&second), weight }
    }

    /// The pairs from number `start` on, rendered in parallel.
    pub fn batch(&self, start: u64, pairs: usize) -> PairBatch {
        let drawn: Vec<_> = (start..start + pairs as u64).map(|index| self.draw(index)).collect();
        let of = |end: usize| self.render_all(drawn.iter().map(|(sittings, _)| &sittings[end]));
        PairBatch {
            first: of(0),
            second: of(1),
            weights: drawn.iter().map(|(_, weight)| *weight).collect(),
        }
    }

    /// `count` single faces in poses of the same ranges, without noise: what a map is evaluated on.
    pub fn faces(&self, count: usize) -> PosedFaces {
        let sittings: Vec<Sitting> = (0..count as u64)
            .map(|index| {
                let mut rng = self.stream(SINGLE | index);
                let face = rng.random_range(0..self.bank.len());
                Sitting { face, pose: self.options.draw(&mut rng), mirrored: false }
            })
            .collect();
        self.render_all(sittings.iter())
    }

    fn stream(&self, number: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        rng
    }

    fn draw(&self, index: u64) -> ([Sitting; 2], f64) {
        let mut rng = self.stream(index & !SINGLE);
        let bank = &self.bank;
        let first = rng.random_range(0..bank.len());
        let second = loop {
            let other = rng.random_range(0..bank.len());
            if bank.person(other) != bank.person(first) {
                break other;
            }
        };
        let pose = self.options.draw(&mut rng);
        let fits = |pose| !bank.shows_border(pose);
        let (near, weight) = self.options.draw_near(pose, fits, &mut rng);
        let mut sitting = |face, pose| {
            let mirrored = self.options.mirror && rng.random::<bool>();
            Sitting { face, pose, mirrored }
        };
        ([sitting(first, pose), sitting(second, near)], weight)
    }

    fn posed(&self, sitting: &Sitting) -> PosedFace {
        let mut pixels = vec![0.0; PIXELS];
        let Sitting { face, pose, mirrored } = *sitting;
        self.bank.render(face, pose, mirrored, &mut pixels);
        PosedFace { pixels, face, person: self.bank.person(face), pose }
    }

    fn render_all<'a>(&self, sittings: impl Iterator<Item = &'a Sitting>) -> PosedFaces {
        let sittings: Vec<&Sitting> = sittings.collect();
        let mut pixels = vec![0.0; sittings.len() * PIXELS];
        pixels.par_chunks_mut(PIXELS).zip(&sittings).for_each(|(pixels, sitting)| {
            self.bank.render(sitting.face, sitting.pose, sitting.mirrored, pixels);
        });
        PosedFaces {
            pixels,
            faces: sittings.iter().map(|sitting| sitting.face).collect(),
            poses: sittings.iter().map(|sitting| sitting.pose).collect(),
        }
    }
}

impl PosedFaces {
    /// Number of faces.
    pub fn len(&self) -> usize {
        self.faces.len()
    }

    /// The pixels of a face.
    ///
    /// # Panics
    /// If there is no such face.
    pub fn row(&self, face: usize) -> &[f32] {
        &self.pixels[face * PIXELS..(face + 1) * PIXELS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faces::synthetic_faces;

    fn pairs(seed: u64) -> FacePairs {
        let bank = Arc::new(synthetic_faces(9, 3, 1).unwrap());
        FacePairs::new(bank, PoseOptions::default(), seed).unwrap()
    }

    #[test]
    fn a_pair_is_of_two_people_in_nearly_one_pose() {
        let pairs = pairs(0);
        for index in 0..300 {
            let FacePair { first, second, weight } = pairs.pair(index);
            assert_ne!(first.person, second.person);
            assert_eq!(pairs.bank.person(first.face), first.person);
            let turn = second.pose.rotation - first.pose.rotation;
            let growth = second.pose.height - first.pose.height;
            assert!(turn.abs() < 6.0 && growth.abs() < 7.5, "{turn} {growth}");
            assert!(weight > 0.0 && weight <= 1.0);
            assert!(first.pixels != second.pixels && first.pixels.len() == PIXELS);
        }
    }

    #[test]
    fn a_batch_holds_the_pairs_of_its_numbers_whatever_came_before() {
        let pairs = pairs(3);
        let batch = pairs.batch(40, 5);
        assert_eq!((batch.first.len(), batch.second.len(), batch.weights.len()), (5, 5, 5));
        for row in 0..5 {
            let pair = pairs.pair(40 + row as u64);
            assert_eq!(batch.first.row(row), pair.first.pixels);
            assert_eq!(batch.second.row(row), pair.second.pixels);
            assert_eq!(batch.second.poses[row], pair.second.pose);
            assert_eq!(batch.weights[row], pair.weight);
        }
        assert_eq!(batch, super::tests::pairs(3).batch(40, 5));
        assert_ne!(batch, super::tests::pairs(4).batch(40, 5));
    }

    #[test]
    fn single_faces_have_poses_of_the_ranges_and_are_no_faces_of_pairs() {
        let faces = pairs(0).faces(400);
        assert_eq!((faces.len(), faces.pixels.len()), (400, 400 * PIXELS));
        let within =
            |pose: &Pose| pose.rotation.abs() <= 45.0 && (25.0..=35.0).contains(&pose.height);
        assert!(faces.poses.iter().all(within));
        let first = pairs(0).batch(0, 400).first;
        assert!(faces.poses.iter().zip(&first.poses).all(|(face, pair)| face != pair));
    }

    /// Exact to the bit: any change of the stream would change every published number made from it.
    #[test]
    fn the_stream_is_pinned() {
        let pair = pairs(0).pair(0);
        let numbers = [pair.first.pose.rotation, pair.second.pose.height, pair.weight];
        let pixels = [612, 613, 614].map(|pixel| pair.first.pixels[pixel]);
        assert_eq!(
            ([pair.first.face, pair.second.face], numbers, pixels),
            (
                [17, 19],
                [-3.067_044_993_935_086_3, 32.736_209_295_528_26, 0.760_136_446_904_522],
                [1.119_601, 0.915_419_6, 0.858_248_8]
            )
        );
    }

    #[test]
    fn mirrors_are_thrown_only_on_request() {
        let bank = Arc::new(synthetic_faces(9, 3, 1).unwrap());
        let options = PoseOptions { mirror: true, ..PoseOptions::default() };
        let mirrored = FacePairs::new(bank, options, 0).unwrap();
        let plain = pairs(0);
        let same =
            (0..100).filter(|&i| mirrored.pair(i).first.pixels == plain.pair(i).first.pixels);
        assert!((30..70).contains(&same.count()));
    }

    #[test]
    fn banks_and_poses_that_do_not_go_together_are_refused() {
        let lonely = Arc::new(synthetic_faces(1, 3, 1).unwrap());
        let error = FacePairs::new(lonely, PoseOptions::default(), 0).unwrap_err().to_string();
        assert!(error.starts_with("a pair needs two different people, and the bank holds 1"));
        let images = vec![image::GrayImage::new(64, 64); 2];
        let photographs =
            FaceBank::new(images, vec![0, 1], 40.0, super::super::bank::Framing::Filled);
        let error = FacePairs::new(Arc::new(photographs.unwrap()), PoseOptions::default(), 0);
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("at 45 degrees and a height of 25 pixels the border"), "{error}");
    }
}
