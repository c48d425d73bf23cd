//! Tables of Parquet and Arrow files (Feather files among them), written as delimited text while they are read: what
//! follows is what follows for a CSV file. Without the feature `parquet` they are refused.

#[cfg(feature = "parquet")]
mod cells;
#[cfg(feature = "parquet")]
mod claims;
#[cfg(feature = "parquet")]
mod reason;
#[cfg(feature = "parquet")]
mod text;

#[cfg(feature = "parquet")]
pub(crate) use text::as_text;

#[cfg(not(feature = "parquet"))]
use crate::readers::{input::Input, text_format::DecimalSign};

/// The separator of the values of the text.
pub(crate) const SEPARATOR: u8 = b',';

#[cfg(not(feature = "parquet"))]
pub(crate) fn as_text(input: Input<'_>, _: DecimalSign) -> crate::Result<Input<'_>> {
    Err(crate::Error::data(format!(
        "{} is {}, and this build reads none; build it with --features parquet, or write the table as CSV \
         (pandas: to_csv(\"t.csv\", index=False))",
        input.origin(),
        input.format().name()
    )))
}
