//! Made-up faces, for a run without photographs.

use burn_nca_learn::{Error, Result};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bank::{FaceBank, Framing};
use super::sketch::{Ellipse, Sketch};

/// Width and height of a drawn picture.
const SIZE: u32 = 64;

/// Height of every drawn head, crown to chin.
const HEIGHT: f64 = 40.0;

/// The uniform background of the heads.
const GROUND: u8 = 128;

/// Draws `images_per_person` pictures of each of `people` made-up people.
///
/// Heads are alike in height and upright, as the isolated faces of the paper, before a uniform ground; all else
/// varies from person to person: shape of the head, ears, skin, hair and hairline, brows, eyes, nose, mouth,
/// beard, glasses. From picture to picture the light and the expression change. The person's number is
/// that of the bank. The same seed gives the same pixels on every machine.
///
/// # Errors
/// No person, or no picture.
pub fn synthetic_faces(people: usize, images_per_person: usize, seed: u64) -> Result<FaceBank> {
    for (name, value) in [("people", people), ("pictures a person", images_per_person)] {
        if value == 0 {
            return Err(Error::setting(format!("the number of {name} is 0; give at least 1")));
        }
    }
    let (mut images, mut person) = (Vec::new(), Vec::new());
    for number in 0..people {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number as u64);
        let features = Features::draw(&mut rng);
        for _ in 0..images_per_person {
            images.push(features.picture(&Moment::draw(&mut rng)).finish());
            person.push(number);
        }
    }
    FaceBank::new(images, person, HEIGHT, Framing::Isolated { ground: GROUND })
}

/// What stays the same in all pictures of a person; lengths in pixels, grays 0 to 255.
struct Features {
    half_width: f64,
    jaw: f64,
    skin: f64,
    hair: f64,
    hairline: f64,
    hair_volume: f64,
    ears: f64,
    eye_level: f64,
    eye_distance: f64,
    eye_width: f64,
    brow_thickness: f64,
    brow_tilt: f64,
    nose_width: f64,
    nose_end: f64,
    mouth_level: f64,
    mouth_width: f64,
    lips: f64,
    beard: f64,
    glasses: bool,
}

/// What changes from picture to picture.
struct Moment {
    light_across: f64,
    light_down: f64,
    exposure: f64,
    mouth_open: f64,
    gaze: f64,
}

impl Features {
    fn draw(rng: &mut impl Rng) -> Self {
        let mut between = |least: f64, most: f64| least + (most - least) * rng.random::<f64>();
        Self {
            half_width: between(13.5, 16.5),
            jaw: between(0.70, 0.92),
            skin: between(110.0, 225.0),
            hair: between(10.0, 120.0),
            hairline: between(5.0, 11.0),
            hair_volume: between(0.0, 1.6),
            ears: between(1.2, 2.6),
            eye_level: between(-3.5, -1.0),
            eye_distance: between(5.6, 7.4),
            eye_width: between(2.2, 3.2),
            brow_thickness: between(0.5, 1.2),
            brow_tilt: between(-10.0, 10.0),
            nose_width: between(1.8, 3.2),
            nose_end: between(4.5, 7.0),
            mouth_level: between(10.5, 12.8),
            mouth_width: between(3.6, 6.0),
            lips: between(0.7, 1.7),
            beard: (between(-1.6, 1.0)).max(0.0),
            glasses: between(0.0, 1.0) < 0.2,
        }
    }

    /// The picture of a moment: from the back to the front.
    fn picture(&self, moment: &Moment) -> Sketch {
        let mut sketch = Sketch::new(SIZE, GROUND);
        self.head(&mut sketch);
        self.eyes(&mut sketch, moment);
        self.nose_and_mouth(&mut sketch, moment);
        let middle = 0.5 * f64::from(SIZE - 1);
        let head = Ellipse::new(middle, middle, self.half_width + self.ears, HEIGHT / 2.0);
        sketch.shade(head, |x, y| {
            let (right, down) = ((x - middle) / HEIGHT, (y - middle) / HEIGHT);
            moment.exposure + moment.light_across * right + moment.light_down * down
        });
        sketch
    }

    fn head(&self, sketch: &mut Sketch) {
        let middle = 0.5 * f64::from(SIZE - 1);
        let (top, width) = (middle - HEIGHT / 2.0, self.half_width);
        for side in [-1.0, 1.0] {
            let ear = Ellipse::new(middle + side * width, middle + 1.0, self.ears, 4.0);
            sketch.fill(ear, 0.88 * self.skin, 1.0);
        }
        let skull = Ellipse::new(middle, middle, width, HEIGHT / 2.0);
        let crown =
            Ellipse::new(middle, middle - 1.0, width + self.hair_volume, HEIGHT / 2.0 - 1.0);
        // Hair shows above the ears alone.
        sketch.fill_within(crown, self.hair, 1.0, |_, y| y < middle);
        sketch.fill(skull, self.hair, 1.0);
        let jaw = Ellipse::new(middle, middle + 4.0, width * self.jaw + 1.5, HEIGHT / 2.0 - 4.0);
        let face_top = top + self.hairline;
        let face_height = HEIGHT - self.hairline;
        let face =
            Ellipse::new(middle, face_top + face_height / 2.0, width - 1.0, face_height / 2.0);
        sketch.fill_within(skull, self.skin, 1.0, |_, y| y > middle + 2.0);
        sketch.fill(face, self.skin, 1.0);
        sketch.fill_within(jaw, 1.04 * self.skin, 0.6, |_, y| y > middle);
        if self.beard > 0.0 {
            let beard = Ellipse::new(middle, middle + 12.5, width * 0.75, 8.0);
            sketch.fill(beard, self.hair, self.beard);
        }
    }

    fn eyes(&self, sketch: &mut Sketch, moment: &Moment) {
        let middle = 0.5 * f64::from(SIZE - 1);
        let level = middle + self.eye_level;
        for side in [-1.0, 1.0] {
            let x = middle + side * self.eye_distance;
            let socket = Ellipse::new(x, level - 0.5, self.eye_width + 1.3, 2.6);
            sketch.fill(socket, 0.75 * self.skin, 0.6);
            let white = (self.skin + 60.0).min(240.0);
            sketch.fill(Ellipse::new(x, level, self.eye_width, 1.5), white, 1.0);
            sketch.fill(Ellipse::new(x + moment.gaze, level, 1.35, 1.4), 25.0, 1.0);
            let brow = Ellipse::new(x, level - 4.2, self.eye_width + 1.0, self.brow_thickness);
            sketch.fill(brow.turned(side * self.brow_tilt), 0.8 * self.hair, 0.9);
            if self.glasses {
                let rim = Ellipse::new(x, level, self.eye_width + 2.0, 3.4);
                let glass = Ellipse::new(x, level, self.eye_width + 1.0, 2.5);
                let inside = move |px: f64, py: f64| {
                    let (u, v) = ((px - x) / glass.radii[0], (py - level) / glass.radii[1]);
                    u * u + v * v > 1.0
                };
                sketch.fill_within(rim, 20.0, 0.9, inside);
            }
        }
    }

    fn nose_and_mouth(&self, sketch: &mut Sketch, moment: &Moment) {
        let middle = 0.5 * f64::from(SIZE - 1);
        let end = middle + self.nose_end;
        let bridge = Ellipse::new(middle, middle + 1.0, 0.9, self.nose_end);
        sketch.fill(bridge, (1.12 * self.skin).min(250.0), 0.7);
        sketch.fill(Ellipse::new(middle, end, self.nose_width, 1.3), 0.72 * self.skin, 0.8);
        let mouth = middle + self.mouth_level;
        let height = self.lips + moment.mouth_open;
        let lips = Ellipse::new(middle, mouth, self.mouth_width, height);
        sketch.fill(lips, 0.55 * self.skin, 0.95);
        if moment.mouth_open > 0.5 {
            let teeth =
                Ellipse::new(middle, mouth, 0.75 * self.mouth_width, 0.7 * moment.mouth_open);
            sketch.fill(teeth, 225.0, 0.9);
        }
        let chin = Ellipse::new(middle, middle + 17.0, 3.5, 1.0);
        sketch.fill(chin, 0.85 * self.skin, 0.4);
    }
}

impl Moment {
    fn draw(rng: &mut impl Rng) -> Self {
        let mut between = |least: f64, most: f64| least + (most - least) * rng.random::<f64>();
        Self {
            light_across: between(-0.5, 0.5),
            light_down: between(-0.3, 0.3),
            exposure: between(-0.12, 0.12),
            mouth_open: between(-0.8, 1.4).max(0.0),
            gaze: between(-0.9, 0.9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_seeded_varied_and_stand_before_their_ground() {
        let bank = synthetic_faces(12, 2, 4).unwrap();
        assert_eq!((bank.len(), bank.people(), bank.size()), (24, 12, 64));
        assert_eq!(bank, synthetic_faces(12, 2, 4).unwrap());
        assert_ne!(bank, synthetic_faces(12, 2, 5).unwrap());
        for face in 0..bank.len() {
            let image = bank.image(face);
            let rim = (0..SIZE).flat_map(|i| [(i, 0), (i, SIZE - 1), (0, i), (SIZE - 1, i)]);
            assert!(rim.map(|(x, y)| image.get_pixel(x, y).0[0]).all(|gray| gray == GROUND));
            let inside = image.as_raw().iter().filter(|&&gray| gray != GROUND).count();
            assert!((700..1600).contains(&inside), "{inside} pixels of face {face}");
        }
        assert_ne!(bank.image(0), bank.image(1));
    }

    #[test]
    fn heads_are_alike_in_height() {
        let bank = synthetic_faces(40, 1, 0).unwrap();
        for face in 0..bank.len() {
            let image = bank.image(face);
            let differs =
                |y: u32| (0..SIZE).any(|x| image.get_pixel(x, y).0[0].abs_diff(GROUND) > 4);
            let rows: Vec<u32> = (0..SIZE).filter(|&y| differs(y)).collect();
            let height = rows[rows.len() - 1] - rows[0] + 1;
            assert!((38..=42).contains(&height), "face {face} is {height} pixels high");
        }
    }

    /// Exact to the bit: a change of the drawing would change every published number made from it.
    #[test]
    fn the_pixels_are_pinned() {
        let bank = synthetic_faces(3, 1, 0).unwrap();
        let sum = |face: usize| {
            let weighted = bank.image(face).as_raw().iter().enumerate();
            weighted.map(|(place, &gray)| place as u64 * u64::from(gray)).sum::<u64>()
        };
        assert_eq!([sum(0), sum(1), sum(2)], [1_146_917_425, 1_109_275_298, 1_127_637_435]);
    }

    #[test]
    fn an_empty_bank_is_refused() {
        let error = synthetic_faces(0, 1, 0).unwrap_err().to_string();
        assert_eq!(error, "the number of people is 0; give at least 1");
        assert!(
            synthetic_faces(1, 0, 0).unwrap_err().to_string().contains("pictures a person is 0")
        );
    }
}
