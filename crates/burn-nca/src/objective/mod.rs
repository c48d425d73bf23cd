//! Stage: objective.
