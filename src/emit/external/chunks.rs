//! How external formats are handed over in chunks, and the reasons why a fabric has none.

use fabc_model::{Ocs, SonicConfig};
use miette::Diagnostic;
use thiserror::Error;

/// Takes a chunk of the file at a path. The chunks of one file follow each other.
pub type Take<'t, E> = dyn FnMut(&str, &[u8]) -> Result<(), E> + 't;

/// The reason why a fabric cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
pub enum EmitError {
    /// The forwarding tables depend on more than the destination.
    #[error(
        "`{format}` has one port per destination, but {router} sends packets to {dst} by {ports}, depending on where they come from"
    )]
    #[diagnostic(
        code(FAB0517),
        help(
            "choose a routing with the destination alone as key, such as `allowed_turns {{ key = dst; }}`, or another format, such as `tables_csv`"
        )
    )]
    NotDestinationKeyed {
        /// Name of the format, for the message.
        format: &'static str,
        /// The first router whose table does not fit.
        router: String,
        /// The first such destination of the router.
        dst: String,
        /// The ports to that destination.
        ports: String,
    },
    /// The routing of the spec makes tables that depend on more than the destination.
    #[error("`{format}` has one port per destination, but these tables use the input as well")]
    #[diagnostic(
        code(FAB0517),
        help(
            "write `routing = allowed_turns {{ key = dst; }}`, or choose another format, such as `tables_csv`"
        )
    )]
    NeedsKey {
        /// Name of the format, for the message.
        format: &'static str,
    },
    /// The tables of the fabric have next-hop groups.
    #[error("`{format}` has one port per destination, but `routing = {routing}` has groups of ports")]
    #[diagnostic(
        code(FAB0517),
        help(
            "write `routing = minimal;`, which has one path per pair, or emit `tables`, which list the groups"
        )
    )]
    NeedsOnePath {
        /// Name of the format, for the message.
        format: &'static str,
        /// Name of the routing method.
        routing: &'static str,
    },
    /// The tables of the fabric have no next-hop groups.
    #[error("`{format}` has next-hop groups, but `routing = {routing}` has none")]
    #[diagnostic(
        code(FAB0538),
        help(
            "write `routing = spray;` or `ecmp` on a network in tiers, such as `leaf_spine`, `fat_tree` or `clos`"
        )
    )]
    NeedsGroups {
        /// Name of the format, for the message.
        format: &'static str,
        /// The routing of the spec.
        routing: &'static str,
    },
    /// The switches of the network have no configuration with these groups.
    #[error("`{format}` cannot configure this network: {problem}")]
    #[diagnostic(
        code(FAB0538),
        help("`tables` lists the groups, and `fabc explain FAB0538` says what BGP can do")
    )]
    NotConfigured {
        /// Name of the format, for the message.
        format: &'static str,
        /// What stands in the way.
        problem: String,
    },
    /// The checker finds that the configurations do not give the groups.
    #[error("BGP does not find the groups of this network: {conviction}")]
    #[diagnostic(
        code(FAB0538),
        help(
            "the switches of a tier that the tiers below join share an AS number, so no path may lead from one of them to another: `fabc explain FAB0538`"
        )
    )]
    NotTheGroups {
        /// The words of the checker, with file, scenario and both groups.
        conviction: String,
    },
    /// The format is about jobs, and the spec declares none.
    #[error("`{format}` has the ranks of training jobs, and `{fabric}` declares no job")]
    #[diagnostic(
        code(FAB0653),
        help(
            "add a job: `job train {{ axes {{ data = 8; }} phase sum {{ collective g = all_reduce {{ over = data; size = 1 GiB; }} }} }}`"
        )
    )]
    NoJob {
        /// Name of the format, for the message.
        format: &'static str,
        /// Name of the fabric without jobs.
        fabric: String,
    },
    /// A template of host names that cannot be read.
    #[error("`--host {template}` cannot name hosts: {problem}")]
    #[diagnostic(code(FAB0539), help("{hint}"))]
    HostTemplate {
        /// The template as the command line has it.
        template: String,
        /// What is wrong with it.
        problem: String,
        /// The fields that are possible.
        hint: String,
    },
    /// Chips that do not fill whole hosts.
    #[error("`--chips-per-host {chips}` does not fit: {problem}")]
    #[diagnostic(
        code(FAB0539),
        help(
            "a host has chips of one cube or box: `4` consecutive ones, or in cubes a block such as `2x2x1`"
        )
    )]
    HostChips {
        /// The value of the option.
        chips: String,
        /// What does not fit, with its numbers.
        problem: String,
    },
    /// A name of a host that launchers or schedulers do not take, or that two hosts have.
    #[error("these names of hosts cannot be used: {problem}")]
    #[diagnostic(
        code(FAB0539),
        help(
            "name hosts by a template with a number in it: `--host 'node-{{index}}'`, or in cubes `'node-{{cube}}-{{host}}'`"
        )
    )]
    HostName {
        /// The first such host, with its name.
        problem: String,
    },
    /// No operation of the jobs is a schedule within its groups.
    #[error("`msccl` holds schedules within groups, and no operation of these jobs has one:\n{reasons}")]
    #[diagnostic(
        code(FAB0565),
        help(
            "`algorithm = within;` of an operation asks for such a schedule. `jobs` holds the schedules of all operations"
        )
    )]
    NoProgram {
        /// A line about every operation.
        reasons: String,
    },
    /// The format cannot express this network.
    #[error("`{format}` cannot hold this network: {reason}")]
    #[diagnostic(code(FAB0534), help("`graphml`, `csv` and `tables_csv` hold every network"))]
    NotHeld {
        /// Name of the format, for the message.
        format: &'static str,
        /// The property that it cannot express.
        reason: &'static str,
    },
    /// The format is about scheduled vectors.
    #[error("`{format}` draws scheduled vectors, and the packets of this fabric follow forwarding tables")]
    #[diagnostic(
        code(FAB0534),
        help(
            "`fabc collective DIR --collective all_gather --size 1MiB --emit perfetto=FILE` draws one collective on them"
        )
    )]
    NotScheduled {
        /// Name of the format, for the message.
        format: &'static str,
    },
    /// A trace would be too large for the programs that read it.
    #[error("`{format}` would have {slices} slices, at most {most} are written")]
    #[diagnostic(code(FAB0534), help("`schedule` lists every vector"))]
    TooManySlices {
        /// Name of the format, for the message.
        format: &'static str,
        /// Number of slices, one for every vector on a channel.
        slices: u64,
        /// Maximum number of slices that is written.
        most: u64,
    },
    /// The format cannot express the inside of these boxes.
    #[error("`{format}` cannot hold the box `{kind}`: {problem}")]
    #[diagnostic(
        code(FAB0534),
        help("leave the format out, or declare links inside of the box whose bandwidth NVLinks have")
    )]
    BoxNotHeld {
        /// Name of the format, for the message.
        format: &'static str,
        /// Name of the kind of box.
        kind: String,
        /// What stands in the way.
        problem: String,
    },
    /// The routes need more service levels than InfiniBand has.
    #[error("`{format}` has 16 service levels, but the route from {src} to {dst} contradicts all of them")]
    #[diagnostic(
        code(FAB0536),
        help(
            "the service level and the ports alone determine a lane. Use fewer virtual channels, or another routing"
        )
    )]
    TooManyLevels {
        /// Name of the format, for the message.
        format: &'static str,
        /// Source of the first route without a level.
        src: String,
        /// Destination of the route without a level.
        dst: String,
    },
    /// The routes do not follow a formula.
    #[error("these routes have no formula: they were searched, and only tables describe them")]
    #[diagnostic(
        code(FAB0537),
        help(
            "write `routing = algebraic;`, for `polarstar`, `torus`, `mesh`, `hyperx`, hypercubes and `dragonfly`, or emit `tables`"
        )
    )]
    NoFormula,
    /// The switch has no SONiC configuration.
    #[error("there is no SONiC configuration of {ocs}: {reason}")]
    #[diagnostic(code(FAB0535), help("{help}"))]
    NoConfigDb {
        /// Name of the first such switch.
        ocs: String,
        /// Why the switch has no configuration.
        reason: &'static str,
        /// What the user can do.
        help: &'static str,
    },
    /// The pod is too large for the format.
    #[error("`{format}` holds pods of at most {most} chips, but this one has {chips}")]
    #[diagnostic(code(FAB0518), help("{reason}"))]
    TooLarge {
        /// Name of the format, for the message.
        format: &'static str,
        /// Number of chips of the pod.
        chips: usize,
        /// Maximum chips of the format.
        most: usize,
        /// The reason for the maximum.
        reason: &'static str,
    },
}

impl EmitError {
    /// The error for a switch without a SONiC configuration.
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
