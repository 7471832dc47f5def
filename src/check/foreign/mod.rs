//! Judges forwarding tables of anybody, on a network of anybody: `fabc verify --tables FILE --topology FILE`.
//!
//! Comes in: the contents of two files. Goes out: what a walk of all ordered pairs of endpoints found, or convictions: pairs that do
//! not arrive, packets that go round for ever, a shortest circle of channels that can wait on each other. Nothing is taken on trust: a
//! claimed symmetry only says which tables the routers that are not listed have, and every one of them is walked.

mod dependencies;
mod fabc;
mod infiniband;
mod lft;
mod network;
mod walk;

use super::CheckError;
use network::Network;

/// A file: its name for messages, and its content.
#[derive(Clone, Copy, Debug)]
pub struct NamedFile<'a> {
    /// As the user gave it.
    pub name: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// What a walk over good tables found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignTables {
    /// Routers, or switches.
    pub routers: u64,
    /// Where packets come from and go to: routers, or ports of channel adapters.
    pub endpoints: u64,
    /// Channels between routers.
    pub channels: u64,
    /// Ordered pairs of endpoints, all of which arrive.
    pub pairs: u64,
    /// Hops between routers, over all pairs.
    pub hops: u64,
    /// Hops of the longest route.
    pub longest: u64,
    /// Routes over the busiest channel; where routers have unequal numbers of hosts, each route as often as pairs of their hosts take it,
    /// over the square of what is common to all those numbers.
    pub max_channel_load: u64,
    /// That channel.
    pub busiest: String,
    /// `[vc]`: hops on it.
    pub vc_hops: Vec<u64>,
    /// Pairs of (channel, VC) of which one waits for the other; they close no circle.
    pub dependencies: u64,
}

/// Why tables are not accepted.
#[derive(Clone, PartialEq, Debug)]
pub enum Rejected {
    /// A file is not what its format says, or does not fit the other one.
    Unreadable(Box<CheckError>),
    /// The tables do not work.
    Convicted(Vec<CheckError>),
}

/// Reads the tables (`fabc.tables/1`, `fabc.tables.bin/1`, or the forwarding tables that OpenSM dumps) and the network (`fabc.topology/1`,
/// `fabc.topology/2`, or what ibnetdiscover prints), and walks every ordered pair of endpoints.
///
/// # Errors
/// What is wrong with a file, or with the tables.
pub fn foreign(tables: NamedFile<'_>, topology: NamedFile<'_>) -> Result<ForeignTables, Rejected> {
    let unreadable = |error| Rejected::Unreadable(Box::new(error));
    let starts_json = |file: NamedFile<'_>| file.bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let (network, table): (Network, Box<dyn network::Table>) = match (starts_json(topology), starts_json(tables)) {
        (true, true) => {
            let topology = fabc::topology(topology).map_err(unreadable)?;
            let table = fabc::tables(tables, &topology).map_err(unreadable)?;
            table.check(tables.name, &topology.network).map_err(|error| Rejected::Convicted(vec![error]))?;
            (topology.network, Box::new(table))
        }
        (false, false) => {
            let mut subnet = infiniband::subnet(topology).map_err(unreadable)?;
            let table = lft::tables(tables, topology.name, &mut subnet).map_err(unreadable)?;
            (subnet.network, Box::new(table))
        }
        (true, false) => {
            return Err(unreadable(strange(tables, "`fabc.tables/1` or `fabc.tables.bin/1`, as the topology is one of fabc")));
        }
        (false, true) => {
            return Err(unreadable(strange(topology, "`fabc.topology/1` or `fabc.topology/2`, as the tables are those of fabc")));
        }
    };
    walk::judge(tables.name, &network, &*table)
}

fn strange(file: NamedFile<'_>, expected: &str) -> CheckError {
    malformed(file.name, 1, format!("expected {expected}"))
}

/// A line that is not what its format says.
fn malformed(file: &str, line: usize, what: impl Into<String>) -> CheckError {
    CheckError::Malformed { file: file.to_owned(), line, what: what.into() }
}

/// The text of a file.
fn text(file: NamedFile<'_>) -> Result<&str, CheckError> {
    std::str::from_utf8(file.bytes).map_err(|error| {
        let line = 1 + file.bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        malformed(file.name, line, "it is no UTF-8 text")
    })
}
