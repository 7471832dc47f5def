//! Artifacts: one file per format.
