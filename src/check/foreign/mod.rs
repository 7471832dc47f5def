//! Judges third-party forwarding tables on a third-party network: `fabc verify --tables FILE --topology
//! FILE`.
//!
//! Input: the contents of two files. Output: the counts of a walk of all ordered pairs of endpoints, or
//! convictions. Convictions are pairs that do not arrive, routing loops, and a shortest cycle of channels
//! that can wait for each other. Nothing is trusted. A claimed symmetry only says which tables the unlisted
//! routers have, and every one of them is walked.

mod choices;
mod collective;
mod fabc;
mod group_verdict;
mod groups;
mod infiniband;
mod lanes;
mod lft;
mod network;
mod program;
mod relays;
mod scene;
mod shares;
mod verdict;
mod verdict_in_words;

use super::CheckError;
pub use collective::{ForeignCollective, JudgedWith, foreign_collective};
pub use group_verdict::PermutationSearch;
use groups::ForeignGroups;
pub use lanes::LaneFiles;
use network::ForeignNetwork;
pub use program::{
    execution_plan_on, foreign_execution_plan, foreign_program, is_execution_plan, is_program, program_on,
};
pub use scene::ForeignScene;
use verdict::malformed;
pub use verdict::{ForeignTables, NamedFile, NextHopVerdict, PathOrder, Rejected};

/// What the files say of the routes.
enum ForeignRoutes {
    /// Every pair has one route.
    Table(ForeignNetwork, Box<dyn network::ThirdPartyTable>),
    /// Packets choose among next hops.
    Groups(Box<ForeignGroups>),
}

/// Reads the tables (`fabc.tables/1`, `fabc.tables/2`, `fabc.tables.bin/1`, or the forwarding tables that
/// OpenSM dumps) and the network (`fabc.topology/1`, `fabc.topology/2`, or the output of ibnetdiscover).
/// Walks every ordered pair of endpoints, on the virtual lanes of SL2VL tables if they are given. Of next-hop
/// groups it walks every choice, and `search` looks for the worst permutation of hosts.
///
/// # Errors
/// [`Rejected::Unreadable`] for a file that violates its format, [`Rejected::Convicted`] for tables that do
/// not work.
pub fn judge_foreign(
    tables: NamedFile<'_>,
    topology: NamedFile<'_>,
    lanes: Option<LaneFiles<'_>>,
    search: PermutationSearch<'_>,
) -> Result<ForeignTables, Rejected> {
    match read_files(tables, topology, lanes)? {
        ForeignRoutes::Table(network, table) => verdict_in_words::judge(tables.name, &network, &*table),
        ForeignRoutes::Groups(groups) => group_verdict::judge_groups(tables.name, &groups, search),
    }
}

/// As [`judge_foreign`], but also returns routers, links, and a table for each router.
///
/// # Errors
/// As [`judge_foreign`], next-hop groups, and service levels that input ports and lanes do not determine.
pub fn foreign_scene(
    tables: NamedFile<'_>,
    topology: NamedFile<'_>,
    lanes: Option<LaneFiles<'_>>,
) -> Result<ForeignScene, Rejected> {
    let ForeignRoutes::Table(network, table) = read_files(tables, topology, lanes)? else {
        let message = "it lists next-hop groups: such tables can be verified, but not simulated";
        return Err(Rejected::Unreadable(Box::new(malformed(tables.name, 1, message))));
    };
    let verdict = verdict_in_words::judge(tables.name, &network, &*table)?;
    scene::build_scene(tables.name, verdict, &network, &*table)
        .map_err(|error| Rejected::Unreadable(Box::new(error)))
}

fn read_files(
    tables: NamedFile<'_>,
    topology: NamedFile<'_>,
    lanes: Option<LaneFiles<'_>>,
) -> Result<ForeignRoutes, Rejected> {
    let unreadable = |error| Rejected::Unreadable(Box::new(error));
    let starts_json =
        |file: NamedFile<'_>| file.bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    match (starts_json(topology), starts_json(tables)) {
        (true, true) => {
            if let Some(LaneFiles { sl2vl, .. }) = lanes {
                return Err(unreadable(unexpected_file(
                    sl2vl,
                    "no SL2VL tables: tables of fabc name their virtual channels themselves",
                )));
            }
            let topology = fabc::read_topology(topology).map_err(unreadable)?;
            if groups::lists_groups(tables) {
                let groups = groups::read_groups(tables, topology.network)?;
                return Ok(ForeignRoutes::Groups(Box::new(groups)));
            }
            let table = fabc::read_tables(tables, &topology).map_err(unreadable)?;
            table
                .verify_entries(tables.name, &topology.network)
                .map_err(|error| Rejected::Convicted(vec![error]))?;
            Ok(ForeignRoutes::Table(topology.network, Box::new(table)))
        }
        (false, false) => {
            let mut subnet = infiniband::read_subnet(topology).map_err(unreadable)?;
            let table = lft::read_tables(tables, topology.name, &mut subnet).map_err(unreadable)?;
            match lanes {
                None => Ok(ForeignRoutes::Table(subnet.network, Box::new(table))),
                Some(lanes) => {
                    let table =
                        lanes::read_lane_tables(table, lanes, topology.name, &subnet).map_err(unreadable)?;
                    Ok(ForeignRoutes::Table(subnet.network, Box::new(table)))
                }
            }
        }
        (true, false) => Err(unreadable(unexpected_file(
            tables,
            "`fabc.tables/1`, `fabc.tables/2` or `fabc.tables.bin/1`, as the topology is one of fabc",
        ))),
        (false, true) => Err(unreadable(unexpected_file(
            topology,
            "`fabc.topology/1` or `fabc.topology/2`, as the tables are those of fabc",
        ))),
    }
}

fn unexpected_file(file: NamedFile<'_>, expected: &str) -> CheckError {
    malformed(file.name, 1, format!("expected {expected}"))
}
