//! Stage: fit.
