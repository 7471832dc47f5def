//! The results of the searches of a build, without anything that follows from them. They are enough to prove
//! everything again and to write what the build would have written.

use super::{ConcurrentFlow, DualLengths, FlowCertificate, PackedTables, PassRecord};

/// The kept results of one scenario.
#[derive(Clone, Debug)]
pub struct KeptScenario {
    /// The name of the scenario: `nominal`, or what is dark.
    pub scenario: String,
    /// The channel lengths that prove the upper bound of its flow.
    pub lengths: DualLengths,
    /// For the healthy fabric, lengths that prove a bound on the loads of shortest routes.
    pub shortest: Option<DualLengths>,
    /// For a fault, a flow that proves the lower bound.
    pub flow: Option<FlowCertificate>,
    /// Tables and ranks. `None` if the build stops before routing, or needs no tables.
    pub routed: Option<KeptTables>,
}

/// Tables, and the ranks that prove them free of deadlock.
#[derive(Clone, Debug)]
pub struct KeptTables {
    /// The forwarding tables, in packed form.
    pub tables: PackedTables,
    /// `[channel class * vcs + vc]` under the symmetry of the tables.
    pub ranks: Vec<u32>,
}

/// The kept results of the healthy fabric.
#[derive(Clone, Debug)]
pub struct KeptHealthy {
    /// Its tables. The lengths are those of its flow.
    pub nominal: KeptScenario,
    /// The certified concurrent flow of the healthy fabric.
    pub flow: ConcurrentFlow,
    /// The record of the routing, over all scenarios.
    pub routing: Option<PassRecord>,
    /// The order in which the routes of faults rise. `None` for methods without one.
    pub order: Option<KeptOrder>,
}

/// The rank order of the healthy fabric, from which faults are routed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptOrder {
    /// Number of virtual channels that its routes use.
    pub vcs: u8,
    /// Whether it keeps the symmetry of the topology. Otherwise every channel is a class of its own.
    pub symmetric: bool,
    /// `[channel class * vcs + vc]`: the rank.
    pub ranks: Vec<u32>,
    /// Number of pairs without a near-shortest path under this order.
    pub lost: u64,
}

/// A piece of a build that several processes share: the tables of a fault, or a simulation on the tables of a
/// scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueuedPiece {
    /// What messages call it, such as `X[0,0]`, or `` `peak` on nominal``.
    pub name: String,
    /// The key of its result.
    pub key: String,
}

/// The plan of a build by several processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardPlan {
    /// The name of the fabric, and of the directory that it becomes.
    pub fabric: String,
    /// Hash of the normal form, its inputs, the stage and the version.
    pub key: String,
    /// The (name, value) pairs that the manifest records about parameters, changes and the stage.
    pub options: Vec<(String, String)>,
    /// The form of the tables, as a word of the command line.
    pub tables: String,
}
