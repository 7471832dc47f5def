//! The results of the searches of a build, without anything that follows from them. They are enough to prove
//! everything again and to write what the build would have written.

use super::{ConcurrentFlow, DualLengths, FlowCertificate, PackedTables, PassRecord};
use fabc_model::Scenarios;

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
    /// The order in which the routes of faults rise. `None` for methods without one, and in parts of a build.
    pub order: Option<KeptOrder>,
    /// The other work of the build.
    pub pieces: Pieces,
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

/// The work of a build beside the healthy fabric. Every part of a build computes the healthy fabric itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pieces {
    /// The fault scenarios, in their order.
    pub faults: Vec<String>,
    /// (simulation, scenarios whose tables it runs), in the order of the spec. Empty where there are no
    /// tables.
    pub simulations: Vec<(String, Scenarios)>,
}

/// One piece of work, which is done and kept by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece<'a> {
    /// Finding the tables of a fault.
    Fault(&'a str),
    /// Running a simulation on the tables of a scenario.
    Simulation {
        /// The name of the simulation.
        name: &'a str,
        /// The name of the scenario: `nominal`, or what is dark.
        scenario: &'a str,
    },
}

impl Pieces {
    /// All pieces, each with its number. Part i of n parts does every n-th number.
    ///
    /// The part that finds a fault also simulates it. The simulations of the healthy fabric get the numbers
    /// after those of the faults. So no part gets more than its share of both.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, Piece<'_>)> {
        let faults = self.faults.iter().enumerate().map(|(index, name)| (index, Piece::Fault(name)));
        let scenarios = std::iter::once((None, "nominal"))
            .chain(self.faults.iter().enumerate().map(|(index, name)| (Some(index), &name[..])));
        let run = |(fault, scenario)| {
            self.simulations(fault).map(move |(number, name)| (number, Piece::Simulation { name, scenario }))
        };
        faults.chain(scenarios.flat_map(run))
    }

    /// (number, name) of the simulations of the healthy fabric, or of the fault with this index in the list.
    pub fn simulations(&self, fault: Option<usize>) -> impl Iterator<Item = (usize, &str)> {
        let run = self
            .simulations
            .iter()
            .enumerate()
            .filter(move |(_, (_, scenarios))| fault.is_none() || *scenarios == Scenarios::All);
        run.map(move |(index, (name, _))| (fault.unwrap_or(self.faults.len() + index), &name[..]))
    }
}

/// The plan of a build in parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardPlan {
    /// The name of the fabric, and of the directory that it becomes.
    pub fabric: String,
    /// Hash of the normal form, its inputs, the stage and the version.
    pub key: String,
    /// Number of parts of the build.
    pub shards: usize,
    /// The (name, value) pairs that the manifest records about parameters, changes and the stage.
    pub options: Vec<(String, String)>,
    /// The form of the tables, as a word of the command line.
    pub tables: String,
}
