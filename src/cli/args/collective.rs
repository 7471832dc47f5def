//! The options of `fabc collective`, as clap reads them; words are checked by the command.

use clap::Args;
use std::path::PathBuf;

/// `fabc collective`.
#[derive(Clone, Debug, Args)]
pub struct CollectiveArgs {
    /// A directory that `fabc build` wrote
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, reduce, or the name of a collective of
    /// the spec [default: those of the spec, or with a size all that need no root]
    #[arg(long, value_name = "KIND")]
    pub collective: Option<String>,

    /// Size of the whole vector of a chip, such as `1GiB`: before a reduction, or after a gather or broadcast
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, conflicts_with = "sizes")]
    pub size: Option<String>,

    /// Sizes of a curve: `1KiB..4GiB` (doubling in every step), or a list separated by commas
    #[arg(long, value_name = "SIZES", allow_hyphen_values = true)]
    pub sizes: Option<String>,

    /// Only this algorithm, for collectives that have it [default: all algorithms, the fastest first]
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<String>,

    /// Parts of a shard, of the root's vector or of a tree's share [default: chosen by bound and size]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub chunks: Option<u32>,

    /// The root of a broadcast or reduce, such as `cube0[0,0,0]` or `0`
    #[arg(long, value_name = "ROUTER")]
    pub root: Option<String>,

    /// Chips of a group: every group of so many consecutive chips does it by itself, all at the same time
    #[arg(long, value_name = "CHIPS", value_parser = clap::value_parser!(u32).range(2..=65_535), conflicts_with = "root")]
    pub groups: Option<u32>,

    /// Overhead of a message, during which its channel carries nothing else [default: 0ns]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub overhead: Option<String>,

    /// All chips wait for each other after every step
    #[arg(long)]
    pub barrier: bool,

    /// Seed of random tie breaks [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// The scenario, such as `X[0,0]`, or `all` to find the worst one
    #[arg(long, default_value = "nominal", value_name = "NAME")]
    pub scenario: String,

    /// Print fabc.collectives/1 instead of text
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,

    /// Print a row per scenario, collective, size and algorithm
    #[arg(long)]
    pub csv: bool,

    /// Write the fastest schedule, in one or more formats separated by commas: `collective=FILE`
    /// (fabc.collective/1), `msccl=FILE` (MSCCL XML), `mscclpp=FILE` (an execution plan of MSCCL++),
    /// `chakra=DIR` (a Chakra trace per chip), `trace=FILE` (a trace for `fabc sim`), `closed_trace=FILE`
    /// (one in which messages wait for the data that they hand on), `perfetto=FILE` (a timeline of channels
    /// for Perfetto)
    #[arg(long, value_name = "FORMAT=PATH")]
    pub emit: Option<String>,
}
