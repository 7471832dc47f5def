//! fabc
fn main() {}
