//! What comes in and what goes out: files with names, findings, and why tables are not accepted.

use crate::CheckError;

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
    /// Routes over the busiest channel; where routers have unequal numbers of hosts, each route as often as
    /// pairs of their hosts take it, over the square of what is common to all those numbers.
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

/// A line that is not what its format says.
pub(super) fn malformed(file: &str, line: usize, what: impl Into<String>) -> CheckError {
    CheckError::Malformed { file: file.to_owned(), line, what: what.into() }
}

/// The text of a file.
pub(super) fn text(file: NamedFile<'_>) -> Result<&str, CheckError> {
    std::str::from_utf8(file.bytes).map_err(|error| {
        let line = 1 + file.bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        malformed(file.name, line, "it is no UTF-8 text")
    })
}
