//! Stage: evaluate.
