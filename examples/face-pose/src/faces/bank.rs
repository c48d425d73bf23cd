//! Aligned pictures of faces and their people.

use std::collections::{BTreeMap, BTreeSet};

use burn_nca_learn::{Error, Result};
use image::GrayImage;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// What surrounds the faces of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Photographs that fill their frame: no pose may show their border.
    Filled,
    /// Faces cut out before a uniform ground of this gray.
    Isolated {
        /// The gray of the ground.
        ground: u8,
    },
}

/// Aligned square pictures of faces, and the person of each.
///
/// The face is in the middle and upright; `nominal_height` says how high it is, in pixels of the picture. All
/// poses are relative to that.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceBank {
    images: Vec<GrayImage>,
    person: Vec<usize>,
    people: usize,
    nominal_height: f64,
    framing: Framing,
}

impl FaceBank {
    /// A bank of these pictures; `person[i]` is any number that stands for the person of picture i.
    ///
    /// # Errors
    /// No picture, pictures that are not square or of one size, not one person a picture, or a nominal height
    /// that is not above 0 and at most the size.
    pub fn new(
        images: Vec<GrayImage>,
        person: Vec<usize>,
        nominal_height: f64,
        framing: Framing,
    ) -> Result<Self> {
        let Some(first) = images.first() else {
            return Err(Error::data("the bank holds no face; give at least one picture"));
        };
        let size = first.width();
        let odd = images.iter().position(|image| image.dimensions() != (size, size));
        if let Some(place) = odd.or((size < 2).then_some(0)) {
            let (width, height) = images[place].dimensions();
            return Err(Error::data(format!(
                "face {place} is of {width} x {height} pixels; give square pictures of one size, here {size} x {size}"
            )));
        }
        if person.len() != images.len() {
            return Err(Error::data(format!(
                "{} faces and {} people; give the person of each face",
                images.len(),
                person.len()
            )));
        }
        if !(nominal_height > 0.0 && nominal_height <= f64::from(size)) {
            return Err(Error::setting(format!(
                "a nominal face height of {nominal_height} pixels in pictures of {size}; give one above 0 \
                 and at most {size}"
            )));
        }
        let names: BTreeSet<usize> = person.iter().copied().collect();
        let people = names.len();
        let numbers: BTreeMap<usize, usize> = names.into_iter().zip(0..).collect();
        let person = person.iter().map(|person| numbers[person]).collect();
        Ok(Self { images, person, people, nominal_height, framing })
    }

    /// Number of pictures.
    pub fn len(&self) -> usize {
        self.images.len()
    }

    /// Number of people.
    pub fn people(&self) -> usize {
        self.people
    }

    /// The person of a face, from 0 to [`people`](Self::people).
    ///
    /// # Panics
    /// If the bank has no such face.
    pub fn person(&self, face: usize) -> usize {
        self.person[face]
    }

    /// The picture of a face.
    ///
    /// # Panics
    /// If the bank has no such face.
    pub fn image(&self, face: usize) -> &GrayImage {
        &self.images[face]
    }

    /// Width and height of each picture.
    pub fn size(&self) -> usize {
        self.images.first().map_or(0, |image| image.width() as usize)
    }

    /// Height of a face, in pixels of the pictures.
    pub fn nominal_height(&self) -> f64 {
        self.nominal_height
    }

    /// What surrounds the faces.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// The gray outside of the pictures.
    pub(super) fn ground(&self) -> u8 {
        match self.framing {
            Framing::Filled => 0,
            Framing::Isolated { ground } => ground,
        }
    }

    /// Parts the bank by people: all pictures of `held_out` people, drawn by `seed`, go to the second bank.
    ///
    /// # Errors
    /// No person on one of the sides.
    pub fn split_people(self, held_out: usize, seed: u64) -> Result<(Self, Self)> {
        if held_out == 0 || held_out >= self.people {
            return Err(Error::setting(format!(
                "{held_out} people of {} held out; give a number from 1 to {}, or a bank of more people",
                self.people,
                self.people.saturating_sub(1)
            )));
        }
        let mut order: Vec<usize> = (0..self.people).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let mut is_held_out = vec![false; self.people];
        order[..held_out].iter().for_each(|&person| is_held_out[person] = true);
        let mut parts = [(Vec::new(), Vec::new()), (Vec::new(), Vec::new())];
        for (image, person) in self.images.into_iter().zip(self.person) {
            let part = &mut parts[usize::from(is_held_out[person])];
            part.0.push(image);
            part.1.push(person);
        }
        let bank = |(images, person)| Self::new(images, person, self.nominal_height, self.framing);
        let [rest, held_out] = parts;
        Ok((bank(rest)?, bank(held_out)?))
    }
}

#[cfg(test)]
mod tests {
    use image::Luma;

    use super::*;

    /// A bank whose pictures are the numbers of their people.
    fn numbered(people: usize, each: usize) -> FaceBank {
        let person: Vec<usize> = (0..people * each).map(|face| face % people).collect();
        let picture = |person: &usize| GrayImage::from_pixel(8, 8, Luma([*person as u8]));
        let images = person.iter().map(picture).collect();
        FaceBank::new(images, person, 4.0, Framing::Filled).unwrap()
    }

    fn shown(bank: &FaceBank) -> BTreeSet<u8> {
        (0..bank.len()).map(|face| bank.image(face).get_pixel(0, 0).0[0]).collect()
    }

    #[test]
    fn parts_share_no_person_and_lose_no_face() {
        let (train, test) = numbered(30, 3).split_people(7, 5).unwrap();
        assert_eq!((train.people(), test.people()), (23, 7));
        assert_eq!((train.len(), test.len()), (69, 21));
        assert!(shown(&train).is_disjoint(&shown(&test)));
        assert_eq!(shown(&train).len() + shown(&test).len(), 30);
        assert!((0..test.len()).all(|face| test.person(face) < 7));
        assert_eq!(numbered(30, 3).split_people(7, 5).unwrap().1, test);
        assert_ne!(numbered(30, 3).split_people(7, 6).unwrap().1, test);
    }

    #[test]
    fn people_are_numbered_in_order_whatever_their_names() {
        let images = vec![GrayImage::new(4, 4); 3];
        let bank = FaceBank::new(images, vec![907, 12, 907], 4.0, Framing::Filled).unwrap();
        assert_eq!((bank.person(0), bank.person(1), bank.people()), (1, 0, 2));
    }

    #[test]
    fn what_is_no_bank_is_refused_with_the_cure() {
        let square = || vec![GrayImage::new(4, 4); 2];
        let error = |images, person, height| {
            FaceBank::new(images, person, height, Framing::Filled).unwrap_err().to_string()
        };
        assert!(error(vec![], vec![], 4.0).contains("holds no face"));
        let message = error(vec![GrayImage::new(4, 4), GrayImage::new(4, 5)], vec![0, 1], 4.0);
        assert!(message.contains("face 1 is of 4 x 5 pixels"), "{message}");
        assert_eq!(
            error(square(), vec![0], 4.0),
            "2 faces and 1 people; give the person of each face"
        );
        assert!(error(square(), vec![0, 1], 5.0).contains("above 0 and at most 4"));
        let message = numbered(3, 1).split_people(3, 0).unwrap_err().to_string();
        assert_eq!(
            message,
            "3 people of 3 held out; give a number from 1 to 2, or a bank of more people"
        );
    }
}
