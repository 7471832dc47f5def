//! The passes: each a function from finished values to one new value. Passes import no pass.

pub mod route;
