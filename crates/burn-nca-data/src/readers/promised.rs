//! The values of an array: as many bytes as its header promises, and not one more.

use crate::Result;
use crate::tables::FeaturesBuilder;

use crate::readers::input::{Input, START};

/// What there was of the bytes that a header promises.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// All of them, and no more.
    AsPromised,
    /// All of them, and more.
    More,
    /// So many only.
    Fewer(usize),
}

/// Hands the promised bytes to `take`, a piece at a time: whole values of up to eight bytes each, but for the last one of
/// a file that is cut off. No more memory is taken than a piece needs.
///
/// # Errors
/// The input cannot be read.
pub(crate) fn read_promised(
    input: &mut Input<'_>,
    promised: usize,
    mut take: impl FnMut(&[u8]),
) -> Result<Found> {
    let mut piece = vec![0; START.min(promised)];
    let mut read = 0;
    while read < promised {
        let wanted = piece.len().min(promised - read);
        let found = input.read_into(&mut piece[..wanted])?;
        take(&piece[..found]);
        read += found;
        if found < wanted {
            return Ok(Found::Fewer(read));
        }
    }
    Ok(if input.read_at_most(1)?.is_empty() { Found::AsPromised } else { Found::More })
}

/// Room for the promised values, as far as the input may well hold them: a header alone is not believed.
pub(crate) fn room_for(input: &Input<'_>, values: Option<usize>, bytes: usize) -> FeaturesBuilder {
    let held = input.room() / bytes.max(1) as u64;
    let held = usize::try_from(held).unwrap_or(usize::MAX);
    FeaturesBuilder::with_capacity(values.unwrap_or(0).min(held))
}
