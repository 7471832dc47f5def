//! The command line, as clap reads it.

use crate::args::candidates;
use crate::args::choice::choice_parser;
use crate::args::collective::CollectiveArgs;
use crate::args::diff::DiffArgs;
use crate::args::estimate::EstimateArgs;
use crate::args::hosts::HostArgs;
use crate::args::job::JobArgs;
use crate::args::operate::OperateArgs;
use crate::args::place::PlaceArgs;
use crate::args::route::RouteArgs;
use crate::args::running::{DriftArgs, PlanArgs, RepairArgs};
use crate::args::shard::{Shard, parse_shard};
use crate::args::shards::ShardsArgs;
use crate::args::sim::SimArgs;
use crate::args::sweep::SweepArgs;
use crate::args::verify::VerifyArgs;
use crate::args::watch::WatchArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::TablesForm;
use fabc_pipeline::show::MessageFormat;
use std::path::PathBuf;

/// The text under the man page of fabc. The exit codes are part of the interface.
const EXIT_CODES: &str = "Exit codes: 0 done, 1 the spec has errors, 2 usage or files (`plan`, `diff`: there are changes), 3 the contract does not hold \
    (infeasible, a require failed, golden outputs differ, verification failed), 4 a bug in fabc, 130 interrupted.";

/// The text under `fabc plan --help`.
const PLAN_EXIT_CODES: &str = "Exit codes: 0 nothing to change, 2 there are changes and the pod stays connected after every step, 1 something \
    cannot be read, written or does not fit, 3 the pod is disconnected after some step (the plan is printed all the same). Wrong options exit \
    with 2 as well, with nothing on standard output.";

const DRIFT_EXIT_CODES: &str = "Exit codes: 0 the switches match the build, 2 they do not, 1 something cannot be read or does not fit, 3 \
    the surviving pod is disconnected. Wrong options exit with 2 as well, with nothing on standard output.";

const DIFF_EXIT_CODES: &str = "Exit codes: 0 the same (or no figure beyond the tolerance), 2 not, 1 a side cannot be read or compiled. \
    Wrong options exit with 2 as well, with nothing on standard output.";

/// Declarative compiler for accelerator fabrics.
#[derive(Clone, Debug, Parser)]
#[command(name = "fabc", version = env!("FABC_VERSION"), after_help = EXIT_CODES, max_term_width = 100)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// How errors are written to standard error
    #[arg(long, global = true, value_parser = choice_parser::<MessageFormat>(), default_value = "human", value_name = "FORM", help_heading = "Global options")]
    pub message_format: MessageFormat,

    /// Print errors only
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Global options")]
    pub quiet: bool,

    /// Print more about the work
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub verbose: bool,

    /// Worker threads, all cores by default. The output never depends on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Global options")]
    pub threads: Option<u16>,
}

/// The commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Compile a spec and write its output directory
    Build(BuildArgs),
    /// Divide a build among processes or machines
    Shards(ShardsArgs),
    /// Build a spec with many values, and compare
    Sweep(SweepArgs),
    /// Build a spec at every save, and show its page
    Watch(WatchArgs),
    /// Find the errors of a spec, and write nothing
    ///
    /// With `--until` it also builds the spec up to a stage.
    Check(CheckArgs),
    /// Format specs
    Fmt(FmtArgs),
    /// Prove a built directory from its files alone
    ///
    /// Third-party tables and schedules are judged as well, and what `fabc repair` and `fabc plan` wrote.
    Verify(Box<VerifyArgs>),
    /// Explain a code, a word of the language or a metric
    Explain(ExplainArgs),
    /// Print the JSON Schema of an artifact
    ///
    /// Without a name, all of them are listed.
    Schema {
        /// Such as `report`, or `fabc.report/1`
        #[arg(add = candidates::from_list(candidates::schemas))]
        name: Option<String>,
    },
    /// Print the topology of a spec
    Graph(GraphArgs),
    /// Print the forwarding table of a router
    Tables(TablesArgs),
    /// Print the route between two routers hop by hop
    Route(RouteArgs),
    /// Add, remove and move slices of a divided pod
    Place(PlaceArgs),
    /// Plan the change of the live switches to a build
    ///
    /// Steps come in an order that keeps the pod connected. With `--out` they have tables for every moment.
    #[command(after_help = PLAN_EXIT_CODES)]
    Plan(PlanArgs),
    /// Compare two builds: metrics, wiring, tables, files
    #[command(after_help = DIFF_EXIT_CODES)]
    Diff(DiffArgs),
    /// Compare the live switches with a build
    #[command(after_help = DRIFT_EXIT_CODES)]
    Drift(DriftArgs),
    /// Compute new tables for a fabric with failures
    ///
    /// They can be installed under live traffic.
    Repair(RepairArgs),
    /// Run tables through a cycle-level model of the routers
    Sim(SimArgs),
    /// Schedule collectives: times and lower bounds
    Collective(CollectiveArgs),
    /// Time a step of training jobs, also placed otherwise
    Job(JobArgs),
    /// Estimate a collective or a job, without a spec
    Estimate(Box<EstimateArgs>),
    /// Availability of a job, from your failure rates
    Availability(AvailabilityArgs),
    /// Play years of failures and repairs, by policy
    Operate(OperateArgs),
    /// Show or clear what builds keep for the next ones
    Cache(CacheArgs),
    /// Start a new spec from a template
    Init(InitArgs),
    /// Serve an editor (Language Server Protocol)
    Lsp {
        /// Use standard input and output, the only transport. Many editors pass this option
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Print the completion script of a shell
    ///
    /// The script asks fabc while you type.
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the man pages
    ///
    /// They are `fabc.1`, `fabc-build.1` and so on.
    Man {
        /// The folder. Pages of the same name are replaced
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

/// `fabc explain`.
#[derive(Clone, Debug, Args)]
pub struct ExplainArgs {
    /// A code such as FAB0101, a word such as `budget`, or a metric such as `load_ratio`. Without it, all
    /// codes are listed
    #[arg(value_name = "WORD", add = candidates::from_list(candidates::topics))]
    pub word: Option<String>,

    /// Print fabc.explanation/1 instead of text
    #[arg(long, requires = "word")]
    pub json: bool,
}

/// How far to compile, and what to show on the way.
#[derive(Clone, Debug, Args)]
pub struct CompileArgs {
    /// Set a parameter of the spec: `--set cubes=8`, `--set 'rate=100 GB/s'`. Can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Stop after a stage. The results so far are reported and written
    #[arg(long, value_parser = choice_parser::<Stage>(), value_name = "STAGE")]
    pub until: Option<Stage>,

    /// Print the result of a stage to standard output
    #[arg(long, value_parser = choice_parser::<Stage>(), value_name = "STAGE", value_delimiter = ',')]
    pub dump: Vec<Stage>,

    /// Print the time of each pass to standard error
    #[arg(long)]
    pub timings: bool,

    /// Search for everything again, and store nothing. The output is the same
    #[arg(long, conflicts_with = "cache")]
    pub no_cache: bool,

    /// Keep results in DIR, and not in the cache directory of the user
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
}

/// `fabc cache`.
#[derive(Clone, Debug, Args)]
pub struct CacheArgs {
    /// Remove all results
    #[arg(long)]
    pub clear: bool,

    /// Search for everything of a spec again, and compare each kept result with it. Removes those that differ
    #[arg(long, value_name = "SPEC", conflicts_with = "clear")]
    pub check: Option<String>,

    /// Print `fabc.cache/1`
    #[arg(long)]
    pub json: bool,
}

/// `fabc availability`.
#[derive(Clone, Debug, Args)]
pub struct AvailabilityArgs {
    /// The built directory of the pod
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// How often parts fail: `host=0.0008/day,cable=0.00005/day,ocs=0.0004/day`
    #[arg(long, value_name = "RATES")]
    pub fail: String,

    /// Chips of a host, which fail together
    #[arg(long, value_name = "CHIPS")]
    pub host_chips: u32,

    /// Cubes that the job needs. The others are spare [default: all]
    #[arg(long, value_name = "CUBES")]
    pub job: Option<u32>,

    /// How long a part is down
    #[arg(long, value_name = "TIME", default_value = "24h")]
    pub repair: String,

    /// Time that a job loses with every failure
    #[arg(long, value_name = "TIME", default_value = "15min")]
    pub restart: String,

    /// Print `fabc.availability/1`
    #[arg(long)]
    pub json: bool,
}

/// `fabc build`.
#[derive(Clone, Debug, Args)]
pub struct BuildArgs {
    /// Specs, built one after the other, or `-` for standard input
    #[arg(value_name = "SPEC", required_unless_present = "emit", add = candidates::specs())]
    pub specs: Vec<String>,

    /// How far, and what to show.
    #[command(flatten)]
    pub compile: CompileArgs,

    /// Write to DIR/FABRIC/ [default: out, unless --golden or --emit is given]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Write single formats: FORMAT to standard output, FORMAT=PATH to a file, or to a folder if it ends with
    /// `/`. `list` lists the formats
    #[arg(long, value_name = "FORMAT[=PATH]", value_delimiter = ',', add = candidates::from_list(candidates::formats))]
    pub emit: Vec<String>,

    /// Open the report page in a browser
    #[arg(long, conflicts_with = "shard")]
    pub open: bool,

    /// How hosts are called in files for launchers.
    #[command(flatten)]
    pub hosts: HostArgs,

    /// The form of the forwarding tables. `auto` is binary only where JSON would take more than some 200 MB
    #[arg(long = "tables-form", value_parser = choice_parser::<TablesForm>(), default_value = "auto", value_name = "FORM")]
    pub tables: TablesForm,

    /// Compare with the outputs in DIR/FABRIC/ and print what changed
    #[arg(long, value_name = "DIR")]
    pub golden: Option<PathBuf>,

    /// Rewrite the golden outputs where they differ
    #[arg(long, requires = "golden")]
    pub update: bool,

    /// Work as shard i of n on the pieces of a build, in OUT/FABRIC.shards/: the healthy fabric, every fault
    /// and every simulation, each done by the shard that comes first. `fabc shards merge` builds from the
    /// results
    #[arg(long, value_name = "i/n", value_parser = parse_shard, conflicts_with_all = ["emit", "golden", "dump", "cache"])]
    pub shard: Option<Shard>,

    /// Compare figures and the contract instead of bytes, and accept differences up to this: `0.1%`, or
    /// `max_channel_load=0.5%` for one metric. Can be repeated
    #[arg(long, value_name = "[METRIC=]PERCENT", requires = "golden", conflicts_with = "update")]
    pub tolerance: Vec<String>,

    /// Print fabc.report/1 (fabc.placement/1 of a pod in slices) instead of text
    #[arg(long, conflicts_with_all = ["dump", "shard"])]
    pub json: bool,
}

/// `fabc check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// The spec, or `-` for standard input
    #[arg(value_name = "SPEC", required_unless_present = "emit", add = candidates::specs())]
    pub spec: Option<String>,

    /// How far, and what to show.
    #[command(flatten)]
    pub compile: CompileArgs,

    /// Also check whether these formats can be written. `list` lists the formats
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', add = candidates::from_list(candidates::formats))]
    pub emit: Vec<String>,

    /// How hosts are called in files for launchers.
    #[command(flatten)]
    pub hosts: HostArgs,

    /// Also check whether there are golden outputs in DIR/FABRIC/
    #[arg(long, value_name = "DIR")]
    pub golden: Option<PathBuf>,

    /// Print fabc.checked/1 instead of text, or with `--until` fabc.report/1
    #[arg(long, conflicts_with = "dump")]
    pub json: bool,
}

/// `fabc fmt`.
#[derive(Clone, Debug, Args)]
pub struct FmtArgs {
    /// Specs, or `-` to read standard input and write standard output
    #[arg(required = true, value_name = "SPEC", add = candidates::specs())]
    pub specs: Vec<String>,

    /// Change nothing; fail if a spec is not formatted
    #[arg(long)]
    pub check: bool,
}

/// `fabc graph`.
#[derive(Clone, Debug, Args)]
pub struct GraphArgs {
    /// The spec, or `-` for standard input
    #[arg(value_name = "SPEC", add = candidates::specs())]
    pub spec: String,

    /// The form of the links.
    #[command(flatten)]
    pub form: GraphForms,

    /// Set a parameter of the spec. Can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

/// `fabc tables`.
#[derive(Clone, Debug, Args)]
pub struct TablesArgs {
    /// A directory that `fabc build` wrote
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// The slice, for a pod in slices
    #[arg(long, value_name = "NAME")]
    pub slice: Option<String>,

    /// The router, such as `cube3[1,2,3]` or `237`. Without it, the scenarios are listed
    #[arg(long)]
    pub router: Option<String>,

    /// The scenario, such as `X[0,0]`
    #[arg(long, default_value = "nominal")]
    pub scenario: String,

    /// Print fabc.tables/1 (or /2) with this router only, instead of text
    #[arg(long, requires = "router")]
    pub json: bool,
}

/// `fabc init`.
#[derive(Clone, Debug, Args)]
pub struct InitArgs {
    /// Name of the fabric, written to NAME.fab
    pub name: String,

    /// The template
    #[arg(long, value_enum, default_value = "tpu_v4")]
    pub template: Template,
}

/// Forms of `fabc graph`, of which Graphviz is the default.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
pub struct GraphForms {
    /// Print fabc.topology/1 (or /2): routers and links
    #[arg(long)]
    pub json: bool,

    /// Print GraphML
    #[arg(long)]
    pub graphml: bool,

    /// Print one link a line
    #[arg(long)]
    pub csv: bool,
}

/// Starting points of `fabc init`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Template {
    /// Four cubes of 4 x 4 x 4 chips behind 48 switches, synthesized
    #[value(name = "tpu_v4")]
    TpuV4,
    /// The same pod as a plain torus
    #[value(name = "torus")]
    Torus,
    /// One cube closed onto itself
    #[value(name = "single_cube")]
    SingleCube,
}
