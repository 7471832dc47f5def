//! How the files of these formats are handed over, and why a fabric has none.

use fabc_model::{Ocs, SonicConfig};
use miette::Diagnostic;
use thiserror::Error;

/// Takes a chunk of the file at a path; the chunks of one file follow each other.
pub type Take<'t, E> = dyn FnMut(&str, &[u8]) -> Result<(), E> + 't;

/// Why a pod has no such format.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
pub enum EmitError {
    /// Tables that look at more than the destination.
    #[error(
        "`{format}` has one port per destination, but {router} sends packets to {dst} by {ports}, depending on where they come from"
    )]
    #[diagnostic(
        code(FAB0517),
        help(
            "choose a routing that looks at the destination alone, such as `allowed_turns {{ key = dst; }}`, or another format, such as `tables_csv`"
        )
    )]
    NotDestinationKeyed {
        /// The format.
        format: &'static str,
        /// The first router that does not fit.
        router: String,
        /// The first destination there.
        dst: String,
        /// The ports.
        ports: String,
    },
    /// Routes that look at more than the destination, as the spec chooses them.
    #[error("`{format}` has one port per destination, but these routes look at where a packet comes from")]
    #[diagnostic(
        code(FAB0517),
        help(
            "write `routing = allowed_turns {{ key = dst; }}`, or choose another format, such as `tables_csv`"
        )
    )]
    NeedsKey {
        /// The format.
        format: &'static str,
    },
    /// A network that a format has no words for.
    #[error("`{format}` cannot hold this network: {reason}")]
    #[diagnostic(code(FAB0534), help("`graphml`, `csv` and `tables_csv` hold every network"))]
    NotHeld {
        /// The format.
        format: &'static str,
        /// What it has no words for.
        reason: &'static str,
    },
    /// Routes that change between virtual channels in more ways than there are service levels.
    #[error("`{format}` has 16 service levels, and the route from {src} to {dst} contradicts one of each")]
    #[diagnostic(
        code(FAB0536),
        help(
            "a lane follows from the service level and the ports alone; fewer virtual channels, or another routing, need fewer levels"
        )
    )]
    TooManyLevels {
        /// The format.
        format: &'static str,
        /// Where the first route without a level begins.
        src: String,
        /// Where it ends.
        dst: String,
    },
    /// Routes that are looked up, not worked out.
    #[error("there is no formula of these routes: they were searched, and only tables say them")]
    #[diagnostic(
        code(FAB0537),
        help(
            "write `routing = algebraic;`, for `polarstar`, `torus`, `mesh`, `hyperx`, hypercubes and `dragonfly`, or emit `tables`"
        )
    )]
    NoFormula,
    /// A switch without a SONiC configuration.
    #[error("there is no SONiC configuration of {ocs}: {reason}")]
    #[diagnostic(code(FAB0535), help("{help}"))]
    NoConfigDb {
        /// The first such switch.
        ocs: String,
        /// Why not.
        reason: &'static str,
        /// What can be done.
        help: &'static str,
    },
    /// A pod that is too large for a format.
    #[error("`{format}` holds pods of at most {most} chips, but this one has {chips}")]
    #[diagnostic(code(FAB0518), help("{reason}"))]
    TooLarge {
        /// The format.
        format: &'static str,
        /// Chips of the pod.
        chips: usize,
        /// Chips that fit.
        most: usize,
        /// Why not more.
        reason: &'static str,
    },
}

impl EmitError {
    /// Of a switch that has none.
    pub(crate) fn no_config_db(ocs: &Ocs) -> Self {
        let (reason, help) = match ocs.config_db {
            SonicConfig::NoSides => (
                "it has no sides, and SONiC joins a port of side A to one of side B",
                "couple two sides (`couple P with Q`), give each direction its own fiber (`duplex = pair;`), or write `config_db = none;`",
            ),
            _ => (
                "the spec says `config_db = none`",
                "say which configuration the switch reads: `config_db = ocs_v;` or `hld;`",
            ),
        };
        Self::NoConfigDb { ocs: ocs.name.clone(), reason, help }
    }
}
