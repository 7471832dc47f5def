//! The independent checker: convicts what `passes` constructs; imports no pass.
//!
//! Comes in: finished values, or the files of a directory. Goes out: nothing but proofs and convictions. Everything is recomputed in
//! exact integers, by plain searches and by walking the tables the way a router would. Order matters: [`wiring`] first, since the
//! other checks trust the symmetry of a topology that it has seen.

mod deadlock;
mod delivery;
mod directory;
mod distances;
mod dual;
mod errors;
mod flow;
mod graph;
mod scenario;
mod symmetry;
mod trees;
mod wiring;

pub use deadlock::DeadlockFree;
pub use directory::{Files, Verified, directory};
pub use distances::{distances, distances_without};
pub use dual::{dual, dual_without};
pub use errors::{CheckError, RequireError};
pub use flow::flow;
pub use scenario::{scenario, scenario_without};
pub use trees::trees;
pub use wiring::wiring;
