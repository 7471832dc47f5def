//! The options of `fabc estimate`, as clap reads them: words, which the question checks, so that every
//! mistake has a place.

use crate::args::estimate_job::EstimateJobArgs;
use clap::{Args, Subcommand, ValueEnum};

/// `fabc estimate`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct EstimateArgs {
    /// What is estimated in place of a collective.
    #[command(subcommand)]
    pub whole: Option<EstimateWhole>,

    /// The collective: all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce
    #[arg(value_name = "KIND")]
    pub kind: Option<String>,

    /// Size of the whole vector of a chip, such as `16MB`: before a reduce or all-to-all, or after a gather
    /// or broadcast
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, conflicts_with = "sizes")]
    pub size: Option<String>,

    /// Sizes of a curve: `1KiB..4GiB` (doubling in every step), or a list separated by commas
    #[arg(long, value_name = "SIZES", allow_hyphen_values = true)]
    pub sizes: Option<String>,

    /// The fabric: torus:8x8x8, mesh:8x8x8, star:64, full_mesh:8, leaf_spine:512, fat_tree:4096,
    /// dragonfly:8x4 (chips of a group x links of each chip to other groups). Repeat it to compare fabrics
    #[arg(long, value_name = "SHAPE")]
    pub on: Vec<String>,

    /// Only this algorithm and the bounds
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<String>,

    /// Latency of a hop: one time, or one for every axis of a torus or mesh (`50ns,50ns,75ns`), or two for a
    /// dragonfly (inside a group, between groups) [default: 0.5us]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub alpha: Option<String>,

    /// Overhead of a message, during which its sender does nothing else [default: 0ns]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub overhead: Option<String>,

    /// Bandwidth of a channel, each way: 900GB/s, 400Gb/s [default: 900GB/s]
    #[arg(long, value_name = "BANDWIDTH", allow_hyphen_values = true)]
    pub bandwidth: Option<String>,

    /// Effect of contention: crossbar, in_network, torus, clos, or two numbers, such as `1.2,0.6` for
    /// latencies 1.2 times as long and 60 % of the bandwidth [default: 1,1]
    #[arg(long, value_name = "PROFILE", allow_hyphen_values = true)]
    pub eta: Option<String>,

    /// Links between the two chips of a ring of two: single, double [default: double]
    #[arg(long, value_name = "LINKS")]
    pub links: Option<String>,

    /// Oversubscription, the bandwidth below a switch over that above it: for leaf_spine, fat_tree, or
    /// between groups [default: 1]
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true)]
    pub oversubscription: Option<String>,

    /// For an all-to-all: load of the busiest channel over the mean load [default: 1]
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true)]
    pub skew: Option<String>,

    /// Latency of switches that add and copy: gives star, leaf_spine and fat_tree one more algorithm, and
    /// an all_reduce of groups the algorithms in which the switch of every group adds
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub in_switch: Option<String>,

    /// The form of the times
    #[arg(long, value_enum, default_value = "us", value_name = "UNIT")]
    pub unit: EstimateUnit,

    /// Print fabc.estimate/1 instead of text
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,

    /// Print a row per size and algorithm
    #[arg(long)]
    pub csv: bool,

    /// Groups of such fabrics, and what joins them.
    #[command(flatten)]
    pub outer: OuterArgs,
}

/// What is estimated in place of a collective.
#[derive(Clone, Debug, Subcommand)]
pub enum EstimateWhole {
    /// What a step of a training job moves, and how long it takes at least. It needs no spec
    Job(EstimateJobArgs),
}

/// What joins groups.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Groups")]
pub struct OuterArgs {
    /// Groups, joined in this shape: star:8 is eight fabrics of `--on`
    #[arg(long, value_name = "SHAPE")]
    pub over: Option<String>,

    /// Latency of a hop between groups, in the same form [default: --alpha]
    #[arg(long, value_name = "TIME", requires = "over", allow_hyphen_values = true)]
    pub outer_alpha: Option<String>,

    /// Overhead of a message between groups [default: --overhead]
    #[arg(long, value_name = "TIME", requires = "over", allow_hyphen_values = true)]
    pub outer_overhead: Option<String>,

    /// Bandwidth of the one channel of every chip to other groups [default: --bandwidth]
    #[arg(long, value_name = "BANDWIDTH", requires = "over", allow_hyphen_values = true)]
    pub outer_bandwidth: Option<String>,

    /// Effect of contention between groups, as in --eta [default: 1,1]
    #[arg(long, value_name = "PROFILE", requires = "over", allow_hyphen_values = true)]
    pub outer_eta: Option<String>,

    /// Latency of switches between groups that add and copy, besides those of --in-switch
    #[arg(long, value_name = "TIME", requires = "over", allow_hyphen_values = true)]
    pub outer_in_switch: Option<String>,
}

/// Units of printed times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EstimateUnit {
    /// Nanoseconds
    Ns,
    /// Microseconds
    Us,
    /// Milliseconds
    Ms,
}
