//! The objective against the oracle, whatever the data (property tests), and the defects of other
//! programs that must not be ours (D1 to D12 are listed in docs/peers.md).

mod defects;
mod extremes;
mod sparse;
