//! The values of an array: as many bytes as its header promises, and not one more.

use std::fmt::Display;

use crate::excerpt::short;
use crate::{FeaturesBuilder, Result};

use crate::readers::input::{Input, START};

/// Hands the promised bytes to `take`, a piece of whole values of up to eight bytes at a time. Gives what is wrong where the
/// file holds fewer, counted with this `unit`, or more.
pub(crate) fn read_promised(
    input: &mut Input<'_>,
    (promised, unit): (Option<usize>, &str),
    mut take: impl FnMut(&[u8]),
) -> Result<Option<String>> {
    let Some(promised) = promised else { return Ok(Some("which no file holds".into())) };
    let mut read = 0;
    while read < promised {
        let wanted = START.min(promised - read);
        let piece = input.read_at_most(wanted)?;
        take(&piece);
        read += piece.len();
        if piece.len() < wanted {
            return Ok(Some(format!("the file holds {read}{unit}")));
        }
    }
    Ok((!input.read_at_most(1)?.is_empty()).then(|| "the file holds more".into()))
}

/// The number of values of a shape, where a file may hold as many.
pub(crate) fn count_of<T: Copy + Into<u64>>(shape: &[T]) -> Option<usize> {
    let sizes = || shape.iter().map(|&size| size.into());
    // A product of zero may overflow on its way there.
    if sizes().any(|size| size == 0) {
        return Some(0);
    }
    usize::try_from(sizes().try_fold(1_u64, u64::checked_mul)?).ok()
}

pub(crate) fn shape_text(shape: &[impl Display]) -> String {
    if shape.is_empty() {
        return "()".into();
    }
    short(&shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x "))
}

/// Room for the promised values, as far as the input may well hold them: a header alone is not believed.
pub(crate) fn room_for(input: &Input<'_>, values: Option<usize>, bytes: usize) -> FeaturesBuilder {
    let held = input.room() / bytes.max(1) as u64;
    let held = usize::try_from(held).unwrap_or(usize::MAX);
    FeaturesBuilder::with_capacity(values.unwrap_or(0).min(held))
}
