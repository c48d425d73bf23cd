//! Stage: baseline.
