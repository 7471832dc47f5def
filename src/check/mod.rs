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
mod entries;
mod errors;
mod faults;
mod flow;
mod foreign;
mod graph;
mod limit;
mod measures;
mod scenario;
mod symmetry;
mod trees;
mod wiring;

pub use deadlock::DeadlockFree;
pub use directory::{BinaryTables, Certified, EachTables, Files, Proved, ProvedScenario, Stated, Verified, directory, prove};
pub(crate) use directory::{CERTIFICATES, INPUTS, MANIFEST, REPORT, SPEC};
pub use distances::{distances, distances_without};
pub use dual::{dual, dual_without};
pub use errors::{CheckError, RequireError};
pub use faults::faults;
pub use flow::flow;
pub use foreign::{ForeignTables, NamedFile, Rejected, foreign};
pub use limit::limit;
pub use measures::Counts;
pub use scenario::{carried, scenario, scenario_without};
pub use trees::{tree_bounds, trees};
pub use wiring::wiring;
