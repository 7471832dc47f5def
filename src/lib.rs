//! fabc, a declarative compiler for accelerator fabrics.
//!
//! ```text
//! &str --parse--> ast::Spec --resolve--> model::Fabric --wire, synthesize--> Topology --check--> Wired --+
//!                                            |                |--flow--> ConcurrentFlow (certified)      |
//!                                            |                +--route, per fault--> ForwardingTables    |
//!                                            +--a pod--> cross-connects, bounds, trees                   |
//! ForwardingTables --check (independent)--> DeadlockFree --> Compiled --emit--> bytes --cli--> disk <----+
//! ```
//!
//! Every folder of `src` is a crate. Its `Cargo.toml` says which others it may use:
//!
//! ```text
//! topology <- base <- model <- lang     topology <- kernel <- check
//!                     model <- ir <- check | passes | sim     model <- estimate
//! ir, check, sim, estimate <- emit <- pipeline (uses all of them) <- lsp <- cli <- fabc
//! ```
//!
//! [`build`] and [`fn@check`] are the front door: a spec in, a proved fabric or diagnostics out. The modules
//! below are the crates that they, and the commands, are made of. Those may change from one version to the
//! next.

pub use fabc_base::{algebra, csv, diag, ids, limits, progress, random, units};
pub use fabc_check as check;
pub use fabc_cli::{Directory, OpenedBuild, run_words};
pub use fabc_emit::{self as emit, Artifact, compiled};
pub use fabc_estimate::{self as estimate, availability};
pub use fabc_ir as ir;
pub use fabc_kernel as kernel;
pub use fabc_lang::{self as lang, syntax};
pub use fabc_lsp as lsp;
pub use fabc_model as model;
pub use fabc_passes::{self as passes, solve};
pub use fabc_pipeline::library::{
    Checked, Compiled, Diagnostic, Diagnostics, Options, Place, TablesForm, build, check,
};
pub use fabc_pipeline::show::{self, MessageFormat};
pub use fabc_pipeline::{compare, compile, folder, library, operate, refusal, verify};
pub use fabc_sim as sim;
