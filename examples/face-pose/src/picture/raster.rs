//! Standardized pixels as gray.

use crate::faces::{PIXELS, WINDOW};
use std::fmt::Write;

/// Deviations from the mean that are black and white.
const RANGE: f32 = 2.4;

/// The gray of a standardized value, 0 to 255.
pub fn gray(value: f32) -> u8 {
    (127.5 * (1.0 + value / RANGE)).round().clamp(0.0, 255.0) as u8
}

/// A face as one SVG path a gray level, `scale` units a pixel: sharp at every size, without an embedded picture.
pub fn svg(pixels: &[f32], scale: f64) -> String {
    const LEVELS: usize = 48;
    let level = |value: f32| usize::from(gray(value)) * LEVELS / 256;
    let mut paths = vec![String::new(); LEVELS];
    for row in 0..WINDOW {
        let mut column = 0;
        while column < WINDOW {
            let here = level(pixels[row * WINDOW + column]);
            let run = (column..WINDOW)
                .take_while(|&other| level(pixels[row * WINDOW + other]) == here)
                .count();
            // Writing to a string cannot fail. A run is a little larger than its pixels, which hides the seams.
            let _ = write!(paths[here], "M{column} {row}h{run}.04v1.04h-{run}.04z");
            column += run;
        }
    }
    let mut svg = format!("<g transform=\"scale({scale})\">\n");
    for (here, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let gray = here * 255 / (LEVELS - 1);
        let _ = writeln!(svg, "<path fill=\"rgb({gray},{gray},{gray})\" d=\"{path}\"/>");
    }
    svg.push_str("</g>\n");
    svg
}

/// Faces side by side as the bytes of a PNG file, `columns` a row.
///
/// # Errors
/// A picture that cannot be encoded.
pub fn sprite(faces: &[&[f32]], columns: usize) -> anyhow::Result<Vec<u8>> {
    let rows = faces.len().div_ceil(columns);
    let width = columns * WINDOW;
    let mut picture = image::GrayImage::new(width as u32, (rows * WINDOW) as u32);
    for (number, face) in faces.iter().enumerate() {
        let (left, top) = (number % columns * WINDOW, number / columns * WINDOW);
        for (place, &value) in face.iter().enumerate().take(PIXELS) {
            let (x, y) = (left + place % WINDOW, top + place / WINDOW);
            picture.put_pixel(x as u32, y as u32, image::Luma([gray(value)]));
        }
    }
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png)?;
    Ok(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grays_run_from_black_to_white() {
        assert_eq!([-9.0, 0.0, 9.0].map(gray), [0, 128, 255]);
    }

    #[test]
    fn a_face_of_one_gray_is_one_path() {
        let svg = svg(&[0.0; PIXELS], 5.0);
        assert_eq!(svg.matches("<path").count(), 1);
        assert_eq!(svg.matches("h35.04").count(), WINDOW);
    }

    #[test]
    fn a_sprite_holds_its_faces_in_rows() {
        let (black, white) = (vec![-9.0; PIXELS], vec![9.0; PIXELS]);
        let png = sprite(&[&black, &white, &white], 2).unwrap();
        let picture = image::load_from_memory(&png).unwrap().into_luma8();
        assert_eq!(picture.dimensions(), (70, 70));
        assert_eq!([0, 69].map(|x| picture.get_pixel(x, 0).0[0]), [0, 255]);
        assert_eq!(picture.get_pixel(34, 69).0[0], 255);
    }
}
