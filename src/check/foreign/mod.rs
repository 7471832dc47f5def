//! Judges forwarding tables of anybody, on a network of anybody: `fabc verify --tables FILE --topology FILE`.
//!
//! Comes in: the contents of two files. Goes out: what a walk of all ordered pairs of endpoints found, or
//! convictions: pairs that do not arrive, packets that go round for ever, a shortest circle of channels that
//! can wait on each other. Nothing is taken on trust: a claimed symmetry only says which tables the routers
//! that are not listed have, and every one of them is walked.

mod collective;
mod fabc;
mod infiniband;
mod lanes;
mod lft;
mod network;
mod program;
mod scene;
mod verdict;
mod verdict_in_words;

use super::CheckError;
pub use collective::{ForeignCollective, JudgedBy, foreign_collective};
pub use lanes::Lanes;
use network::Network;
pub use program::{foreign_program, is_program, program_on};
pub use scene::ForeignScene;
use verdict::malformed;
pub use verdict::{ForeignTables, NamedFile, Rejected};

/// Reads the tables (`fabc.tables/1`, `fabc.tables.bin/1`, or the forwarding tables that OpenSM dumps) and
/// the network (`fabc.topology/1`, `fabc.topology/2`, or what ibnetdiscover prints), and walks every ordered
/// pair of endpoints; on the virtual lanes of SL2VL tables, if there are any.
///
/// # Errors
/// What is wrong with a file, or with the tables.
pub fn foreign(
    tables: NamedFile<'_>,
    topology: NamedFile<'_>,
    lanes: Option<Lanes<'_>>,
) -> Result<ForeignTables, Rejected> {
    let (network, table) = read(tables, topology, lanes)?;
    verdict_in_words::judge(tables.name, &network, &*table)
}

/// The same, laid out: routers, links, and a table for each router.
///
/// # Errors
/// What is wrong with a file, or with the tables; service levels that input ports and lanes do not tell.
pub fn foreign_scene(
    tables: NamedFile<'_>,
    topology: NamedFile<'_>,
    lanes: Option<Lanes<'_>>,
) -> Result<ForeignScene, Rejected> {
    let (network, table) = read(tables, topology, lanes)?;
    let verdict = verdict_in_words::judge(tables.name, &network, &*table)?;
    scene::scene(tables.name, verdict, &network, &*table)
        .map_err(|error| Rejected::Unreadable(Box::new(error)))
}

fn read(
    tables: NamedFile<'_>,
    topology: NamedFile<'_>,
    lanes: Option<Lanes<'_>>,
) -> Result<(Network, Box<dyn network::ThirdPartyTable>), Rejected> {
    let unreadable = |error| Rejected::Unreadable(Box::new(error));
    let starts_json =
        |file: NamedFile<'_>| file.bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    match (starts_json(topology), starts_json(tables)) {
        (true, true) => {
            if let Some(Lanes { sl2vl, .. }) = lanes {
                return Err(unreadable(strange(
                    sl2vl,
                    "no SL2VL tables: those of fabc name their virtual channels themselves",
                )));
            }
            let topology = fabc::topology(topology).map_err(unreadable)?;
            let table = fabc::tables(tables, &topology).map_err(unreadable)?;
            table.check(tables.name, &topology.network).map_err(|error| Rejected::Convicted(vec![error]))?;
            Ok((topology.network, Box::new(table)))
        }
        (false, false) => {
            let mut subnet = infiniband::subnet(topology).map_err(unreadable)?;
            let table = lft::tables(tables, topology.name, &mut subnet).map_err(unreadable)?;
            match lanes {
                None => Ok((subnet.network, Box::new(table))),
                Some(lanes) => {
                    let table = lanes::laned(table, lanes, topology.name, &subnet).map_err(unreadable)?;
                    Ok((subnet.network, Box::new(table)))
                }
            }
        }
        (true, false) => Err(unreadable(strange(
            tables,
            "`fabc.tables/1` or `fabc.tables.bin/1`, as the topology is one of fabc",
        ))),
        (false, true) => Err(unreadable(strange(
            topology,
            "`fabc.topology/1` or `fabc.topology/2`, as the tables are those of fabc",
        ))),
    }
}

fn strange(file: NamedFile<'_>, expected: &str) -> CheckError {
    malformed(file.name, 1, format!("expected {expected}"))
}
