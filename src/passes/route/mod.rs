//! Routing: one file or folder per method, all of them from a topology to [`crate::ir::Routes`].

pub mod allowed_turns;
