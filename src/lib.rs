//! fabc, a declarative compiler for accelerator fabrics.
//!
//! ```text
//! &str --parse--> ast::Spec --resolve--> model::Fabric --wire, synthesize--> Topology --check--> Wired --+
//!                                            |                |--flow--> ConcurrentFlow (certified)      |
//!                                            |                +--route, per fault--> ForwardingTables    |
//!                                            +--a pod--> cross-connects, bounds, trees                   |
//! ForwardingTables --check (independent)--> DeadlockFree --> Compiled --emit--> bytes --driver--> disk <-+
//! ```
//!
//! Imports point one way: `ids, units, diag, limits, progress, solve, algebra, availability, random, csv
//! <- syntax | show <- model <- ir, estimate <- read <- passes | check | sim <- compiled <- emit
//! <- compile | verify <- lsp <- library <- driver <- main`.
//!
//! [`build`] and [`fn@check`] are the front door: a spec in, a proved fabric or diagnostics out. Everything
//! else is what they, and the commands, are made of; it may change from one version to the next.

pub mod algebra;
pub mod availability;
pub mod check;
pub mod compile;
pub mod compiled;
pub mod csv;
pub mod diag;
pub mod driver;
pub mod emit;
pub mod estimate;
pub mod ids;
pub mod ir;
pub mod library;
pub mod limits;
pub mod lsp;
pub mod model;
pub mod passes;
pub mod progress;
pub mod random;
mod read;
pub mod show;
pub mod sim;
pub mod solve;
pub mod syntax;
pub mod units;
pub mod verify;

pub use driver::Directory;
pub use emit::Artifact;
pub use library::{Checked, Compiled, Diagnostic, Diagnostics, Options, Place, TablesForm, build, check};
pub use show::MessageFormat;
