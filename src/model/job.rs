//! Training jobs: phases of communication and compute, and which chip is which rank.

use super::Scenarios;
use super::collective::{Collective, CollectiveAlgorithm};
use crate::word::words;
use fabc_base::diag::Span;

/// `job name { .. }`: a step of a training job on all chips of a fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The name that `require` lines and files use.
    pub name: String,
    /// The axes of the ranks. Ranks that differ by one are neighbours on the first one. The product of the
    /// sizes is the number of chips.
    pub axes: Vec<JobAxis>,
    /// The phases in the order of the spec, at least one. Their order in time has no circle.
    pub phases: Vec<JobPhase>,
    /// Which chip is which rank.
    pub place: JobPlace,
    /// Picoseconds that a chip computes in a step, beside the compute of single phases.
    pub compute_ps: u64,
    /// Picoseconds of a step in which a chip waits because its pipeline fills or drains.
    pub idle_ps: u64,
    /// Picoseconds of a message during which its channel does nothing else.
    pub overhead_ps: u64,
    /// The scenarios that it is planned for.
    pub scenarios: Scenarios,
    /// How much its communication counts in a search for several jobs. Positive.
    pub weight: u32,
    /// How the switches may be set anew between its phases. `None` if the spec does not say it.
    pub reconfigure: Option<JobReconfigure>,
    /// Whether its phases come from a file. A build keeps them in one ([`Job::phases_json`]).
    pub from_file: bool,
    /// The words `job name` in the spec.
    pub span: Span,
}

/// A skew of 1 in millionths: all pairs of ranks exchange as much.
pub const EVEN_SKEW: u64 = 1_000_000;

/// An axis of the ranks of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobAxis {
    /// Its name, such as `tensor`.
    pub name: String,
    /// Number of ranks along it, positive.
    pub size: u32,
}

/// `reconfigure { .. }`: how switches may be set anew between the phases of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobReconfigure {
    /// Picoseconds of a change, in which the fibers that move carry nothing. Positive.
    pub switch_ps: u64,
    /// The phases that may have a topology of their own, by index, ascending. All others have the same one.
    pub phases: Vec<usize>,
}

/// A phase of a step: operations that run at the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobPhase {
    /// Its name, unique in the job.
    pub name: String,
    /// The phases that must be over before it starts, by index, ascending.
    pub after: Vec<usize>,
    /// Picoseconds that a chip computes in this phase alone.
    pub compute_ps: u64,
    /// The share of its communication that compute may hide, in millionths.
    pub overlap_millionths: u32,
    /// Its operations, at least one.
    pub operations: Vec<JobOperation>,
    /// The place of its declaration. Of a `model`, that of the block.
    pub span: Span,
}

/// What the ranks of a job do together, in groups that differ along some axes only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobOperation {
    /// Its name, unique in the phase.
    pub name: String,
    /// What the groups of ranks do.
    pub kind: JobOperationKind,
    /// The ranks that do it together.
    pub groups: RankGroups,
    /// Bytes of the full vector of a chip, or of the message of a `send`. Positive.
    pub bytes: u64,
    /// How often it runs in a step, one after the other. Positive.
    pub times: u64,
    /// What the busiest pair of ranks sends over the mean of all pairs, in millionths. At least
    /// [`EVEN_SKEW`], which all operations but an all-to-all have.
    pub skew_millionths: u64,
    /// The only algorithm that may be used. `None`: the fastest.
    pub algorithm: Option<CollectiveAlgorithm>,
    /// The place of its declaration. Of a `model`, that of the block.
    pub span: Span,
}

/// The groups of ranks of an operation. All have as many ranks, at least two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RankGroups {
    /// The ranks of a group differ along these axes only. The indices are ascending, and there is at least
    /// one. Every rank is in a group.
    Along(Vec<usize>),
    /// `[group]`: its ranks in the order in which a `send` goes from one to the next. A rank is in one group
    /// at most. Ranks in no group are idle.
    Listed(Vec<Vec<u32>>),
}

/// What a group of ranks does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobOperationKind {
    /// A collective without a root.
    Collective(Collective),
    /// Every rank sends to the next one along a single axis.
    Send {
        /// Whether every rank also sends to the one before it.
        both: bool,
        /// Whether the last rank sends to the first one.
        wrap: bool,
    },
}

/// Which chip is which rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobPlace {
    /// Rank r on the r-th chip.
    Order,
    /// Every axis takes binary digits of the coordinates of chips. The best of all ways is taken.
    Aligned,
    /// As an exchange search finds it, from the best aligned one on. Where there is none, from the plain
    /// order.
    Search {
        /// How much work is done. Positive.
        effort: u32,
        /// Seed of the random streams.
        seed: u64,
    },
    /// As the lines of a file say.
    File {
        /// The path as it is written.
        path: String,
        /// `[rank]`: the number of its chip. A permutation.
        chips: Vec<u32>,
    },
}

/// A metric of a step of a job. Definitions: `docs/jobs.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum JobMetric {
    /// The time of all communication, phase after phase, in ns.
    Communication,
    /// The time of a step, in ns.
    Step,
    /// The communication that no compute hides, in ns.
    Exposed,
    /// A lower bound for every topology and placement over the communication.
    Share,
}

words!(JobMetric { Communication = "communication", Step = "step", Exposed = "exposed", Share = "share" });

impl JobOperation {
    /// Bytes of a chip in all runs of a step.
    pub fn step_bytes(&self) -> u128 {
        u128::from(self.bytes) * u128::from(self.times)
    }

    /// The same if every pair of ranks got as much as the busiest one, rounded up.
    pub fn skewed_bytes(&self) -> u128 {
        (self.step_bytes() * u128::from(self.skew_millionths)).div_ceil(EVEN_SKEW.into())
    }

    /// Whether its pairs of ranks may exchange different amounts.
    pub fn is_all_to_all(&self) -> bool {
        self.kind == JobOperationKind::Collective(Collective::AllToAll)
    }
}

impl JobOperationKind {
    /// The word of the language.
    pub fn name(self) -> &'static str {
        match self {
            JobOperationKind::Collective(collective) => collective.name(),
            JobOperationKind::Send { .. } => "send",
        }
    }

    /// Number of equal parts of its bytes of which a message or a shard is one, in groups of so many ranks.
    pub fn parts(self, group: u64) -> u64 {
        match self {
            JobOperationKind::Collective(_) => group.max(1),
            JobOperationKind::Send { .. } => 1,
        }
    }
}

impl RankGroups {
    /// Number of ranks of a group.
    pub fn size(&self, axes: &[JobAxis]) -> u64 {
        match self {
            RankGroups::Along(over) => group_size(axes, over),
            RankGroups::Listed(lists) => lists.first().map_or(0, |list| list.len() as u64),
        }
    }

    /// Number of ranks in all groups together.
    pub fn members(&self, axes: &[JobAxis]) -> u64 {
        match self {
            RankGroups::Along(_) => {
                axes.iter().fold(1u64, |product, axis| product.saturating_mul(axis.size.into()))
            }
            RankGroups::Listed(lists) => lists.iter().map(|list| list.len() as u64).sum(),
        }
    }
}

/// Number of ranks of a group that differs along some axes, by index.
pub fn group_size(axes: &[JobAxis], over: &[usize]) -> u64 {
    over.iter().fold(1u64, |product, &axis| product.saturating_mul(axes[axis].size.into()))
}

impl JobPlace {
    /// The word of the language.
    pub fn name(&self) -> &'static str {
        match self {
            JobPlace::Order => "order",
            JobPlace::Aligned => "aligned",
            JobPlace::Search { .. } => "search",
            JobPlace::File { .. } => "file",
        }
    }

    /// Whether several placements are compared, and the fastest is taken.
    pub fn is_chosen(&self) -> bool {
        matches!(self, JobPlace::Aligned | JobPlace::Search { .. })
    }

    /// The lines of the file of ranks, each a rank and its chip. `None` without a file.
    pub fn csv(&self) -> Option<String> {
        let JobPlace::File { chips, .. } = self else { return None };
        let lines = chips.iter().enumerate().map(|(rank, chip)| format!("{rank},{chip}\n"));
        Some(std::iter::once("rank,chip\n".to_owned()).chain(lines).collect())
    }
}

impl Job {
    /// Number of ranks. `None` if it exceeds an integer.
    pub fn rank_count(&self) -> Option<u64> {
        self.axes.iter().try_fold(1u64, |product, axis| product.checked_mul(axis.size.into()))
    }

    /// The groups of an operation, as lists of ranks. Groups along axes are in the order of their first
    /// ranks, and their ranks are in ascending order. Listed groups are as they are listed.
    pub fn rank_groups(&self, groups: &RankGroups) -> Vec<Vec<u32>> {
        let over = match groups {
            RankGroups::Along(over) => over,
            RankGroups::Listed(lists) => return lists.clone(),
        };
        // Ranks whose coordinates off the axes agree are in one group: `first` is its smallest rank.
        let ranks = self.rank_count().unwrap_or(0) as usize;
        let mut group_of_first = vec![usize::MAX; ranks];
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for rank in 0..ranks {
            let first = self.with_zeros(rank, over);
            if group_of_first[first] == usize::MAX {
                group_of_first[first] = groups.len();
                groups.push(Vec::new());
            }
            groups[group_of_first[first]].push(rank as u32);
        }
        groups
    }

    /// The rank with the same coordinates, except for zeros along some axes.
    fn with_zeros(&self, rank: usize, over: &[usize]) -> usize {
        let mut stride = 1;
        let mut first = rank;
        for (index, axis) in self.axes.iter().enumerate() {
            let size = axis.size as usize;
            if over.contains(&index) {
                first -= rank / stride % size * stride;
            }
            stride *= size;
        }
        first
    }

    /// The coordinate of a rank along an axis.
    pub fn coordinate(&self, rank: u32, axis: usize) -> u32 {
        let stride: u64 = self.axes[..axis].iter().map(|axis| u64::from(axis.size)).product();
        (u64::from(rank) / stride % u64::from(self.axes[axis].size)) as u32
    }
}
