//! fabc, a declarative compiler for accelerator fabrics.
//!
//! ```text
//! &str --parse--> ast::Spec --resolve--> model::Pod --synthesize--> Topology --cross_connect--> CrossConnects ------------+
//!                                                                       |--analyze--> Distances, ConcurrentFlow (certified) |
//!                                                                       +--route, per fault set--> Routes --build--> ForwardingTables
//! CrossConnects + ForwardingTables --check (independent)--> Proof --> Compiled --emit--> Vec<Artifact {path, bytes}> --driver--> disk
//! ```
//!
//! Imports point one way:
//! `ids, units, diag, limits, progress, solve <- syntax <- model <- ir <- read <- passes | check <- compiled <- emit
//! <- compile | verify <- driver <- main`.

pub mod check;
pub mod compile;
pub mod compiled;
pub mod diag;
pub mod driver;
pub mod emit;
pub mod ids;
pub mod ir;
pub mod limits;
pub mod model;
pub mod passes;
pub mod progress;
mod read;
pub mod solve;
pub mod syntax;
pub mod units;
pub mod verify;
