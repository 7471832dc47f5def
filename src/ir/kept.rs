//! What the searches of a build have found, without anything that follows from it: enough to prove it again
//! and to write what the build would have written.

use super::{ConcurrentFlow, DualLengths, FlowCertificate, PackedTables, PassRecord};

/// One scenario.
#[derive(Clone, Debug)]
pub struct KeptScenario {
    /// `nominal`, or what is dark.
    pub scenario: String,
    /// The channel lengths that prove the upper end of its flow.
    pub lengths: DualLengths,
    /// A flow of a fault that proves the lower end.
    pub flow: Option<FlowCertificate>,
    /// Tables and ranks; `None` if the build stops before routing, or needs no tables.
    pub routed: Option<KeptTables>,
}

/// Tables, and the ranks that prove them.
#[derive(Clone, Debug)]
pub struct KeptTables {
    /// The tables.
    pub tables: PackedTables,
    /// `[channel class * vcs + vc]` under the symmetry of the tables.
    pub ranks: Vec<u32>,
}

/// The healthy fabric.
#[derive(Clone, Debug)]
pub struct KeptHealthy {
    /// Its tables; the lengths are those of its flow.
    pub nominal: KeptScenario,
    /// Its flow.
    pub flow: ConcurrentFlow,
    /// What the routing has done, over all scenarios.
    pub routing: Option<PassRecord>,
    /// The fault scenarios, in their order.
    pub faults: Vec<String>,
}

/// A build in parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardPlan {
    /// The name of the fabric, and of the directory that it becomes.
    pub fabric: String,
    /// Hash of the normal form, its inputs, the stage and the version.
    pub key: String,
    /// How many parts there are.
    pub shards: usize,
    /// What the manifest says of parameters, changes and the stage.
    pub options: Vec<(String, String)>,
    /// The form of the tables, in a word of the command line.
    pub tables: String,
}
