//! What the searches of a build have found, without anything that follows from it: enough to prove it again
//! and to write what the build would have written.

use super::{ConcurrentFlow, DualLengths, FlowCertificate, PackedTables, PassRecord};
use fabc_model::Scenarios;

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
    /// What there is to do beside it.
    pub pieces: Pieces,
}

/// What parts of a build have to do beside the healthy fabric, which each of them finds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pieces {
    /// The fault scenarios, in their order.
    pub faults: Vec<String>,
    /// The simulations of the spec, in its order, and whose tables each runs; nothing where there are no
    /// tables.
    pub simulations: Vec<(String, Scenarios)>,
}

/// Some work that is done and kept alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece<'a> {
    /// To find the tables of a fault.
    Fault(&'a str),
    /// To run a simulation on the tables of a scenario.
    Simulation {
        /// Its name.
        name: &'a str,
        /// `nominal`, or what is dark.
        scenario: &'a str,
    },
}

impl Pieces {
    /// All of them, each with the number that it is dealt by: of n parts the i-th has every n-th number.
    ///
    /// Who finds a fault also simulates it. The simulations of the healthy fabric are numbered on from the
    /// faults, so that no part gets more than its share of both.
    pub fn all(&self) -> impl Iterator<Item = (usize, Piece<'_>)> {
        let faults = self.faults.iter().enumerate().map(|(at, name)| (at, Piece::Fault(name)));
        let scenarios = std::iter::once((None, "nominal"))
            .chain(self.faults.iter().enumerate().map(|(at, name)| (Some(at), &name[..])));
        let run = |(fault, scenario)| {
            self.simulations(fault).map(move |(number, name)| (number, Piece::Simulation { name, scenario }))
        };
        faults.chain(scenarios.flat_map(run))
    }

    /// The simulations of the healthy fabric, or of the fault with this place in the list, each with its
    /// number.
    pub fn simulations(&self, fault: Option<usize>) -> impl Iterator<Item = (usize, &str)> {
        let run = self
            .simulations
            .iter()
            .enumerate()
            .filter(move |(_, (_, of))| fault.is_none() || *of == Scenarios::All);
        run.map(move |(at, (name, _))| (fault.unwrap_or(self.faults.len() + at), &name[..]))
    }
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
