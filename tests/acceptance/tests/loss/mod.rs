//! The batch losses against nested loops, other programs, and each other; the cached
//! gradient and the cross-batch memory against doing without them.

mod cached;
mod memory;
mod oracle;
mod reference;
mod setup;
mod values;
