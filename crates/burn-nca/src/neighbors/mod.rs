//! Stage: neighbors.
