//! Tabulates all algorithms of a question with their times.

use super::algorithms::{Algorithm, LinkUse, algorithms_by_axis, in_switch, switch_bound, switch_halves};
use super::bounds::bounds_by_axis;
use super::cost::{Channel, Cost, Time};
use super::hierarchy::{LevelFabric, NetworkLevel, Phase, two_level_rows};
use super::shape::FabricShape;
use fabc_model::Collective;

/// The fabric that links groups.
#[derive(Clone, PartialEq, Debug)]
pub struct OuterFabric {
    /// Its shape, with the groups as chips.
    pub shape: FabricShape,
    /// Its channels: one per chip of a group.
    pub channel: Channel,
    /// Nanoseconds of a hop by axis, or empty where all take the latency of the channel.
    pub latencies_ns: Vec<f64>,
    /// Latency in nanoseconds of a switch between groups that adds and copies, if there is one.
    pub switch_ns: Option<f64>,
}

/// A question about one collective on one fabric.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// Kind of the collective to estimate.
    pub kind: Collective,
    /// Shape of the fabric, or of the fabric of a group.
    pub shape: FabricShape,
    /// Costs of the channels of that fabric.
    pub channel: Channel,
    /// Nanoseconds of a hop by axis, or empty where all take the latency of the channel.
    pub latencies_ns: Vec<f64>,
    /// The fabric that links groups, if there are groups.
    pub outer: Option<OuterFabric>,
    /// Latency in nanoseconds of a switch that adds and copies, if there is one.
    pub switch_ns: Option<f64>,
    /// Load of the busiest channel of an all-to-all, divided by the mean load.
    pub skew: f64,
    /// Name of the only algorithm to show.
    pub algorithm: Option<String>,
}

impl Question {
    /// A question about all algorithms on a single fabric.
    pub fn new(kind: Collective, shape: FabricShape, channel: Channel) -> Question {
        let latencies_ns = Vec::new();
        Question {
            kind,
            shape,
            channel,
            latencies_ns,
            outer: None,
            switch_ns: None,
            skew: 1.0,
            algorithm: None,
        }
    }

    /// Factor on size / time that makes it comparable with the bandwidth of a port.
    pub fn bus_factor(&self, chips: u64) -> f64 {
        let [numerator, denominator] = self.kind.bus_factor(chips);
        numerator as f64 / denominator as f64
    }
}

/// An algorithm or a bound.
#[derive(Clone, PartialEq, Debug)]
pub struct EstimateRow {
    /// Name of the algorithm. Phases with different algorithms are joined by `+`.
    pub name: String,
    /// Description for people, with one part per phase if there are several.
    pub description: String,
    /// How many channels of a chip it uses at a time.
    pub links: LinkUse,
    /// The phases, in order of time.
    pub phases: Vec<Phase>,
    /// Whether small pieces are in all phases at once. Then the volumes of different levels overlap.
    pub overlaps: bool,
}

impl EstimateRow {
    fn new(phases: Vec<Phase>, overlaps: bool) -> EstimateRow {
        let first_of = |level: NetworkLevel| phases.iter().find(|phase| phase.level == level);
        let parts: Vec<&Phase> =
            [first_of(NetworkLevel::Switch), first_of(NetworkLevel::Inner), first_of(NetworkLevel::Outer)]
                .into_iter()
                .flatten()
                .collect();
        let names: Vec<&str> = parts.iter().map(|phase| phase.algorithm.name).collect();
        let descriptions: Vec<String> = match &parts[..] {
            [phase] => vec![phase.algorithm.description.to_owned()],
            _ => parts
                .iter()
                .map(|phase| format!("{}: {}", phase.level.name(), phase.algorithm.description))
                .collect(),
        };
        let single = phases.iter().any(|phase| phase.algorithm.links == LinkUse::One);
        let links = if single {
            LinkUse::One
        } else {
            parts.first().map_or(LinkUse::Port, |phase| phase.algorithm.links)
        };
        EstimateRow { name: names.join("+"), description: descriptions.join("; "), links, phases, overlaps }
    }

    /// Time of all phases, with vectors of `bytes` bytes.
    pub fn time(&self, bytes: f64) -> Time {
        let none = Time { latency_ns: 0.0, volume_ns: 0.0 };
        let whole = self.phases.iter().fold(none, |time, phase| time + phase.time(bytes));
        if !self.overlaps {
            return whole;
        }
        let of_level = |level: NetworkLevel| -> f64 {
            let phases = self.phases.iter().filter(|phase| phase.level == level);
            phases.map(|phase| phase.time(bytes).volume_ns).sum()
        };
        let levels = [NetworkLevel::Inner, NetworkLevel::Outer, NetworkLevel::Switch].map(of_level);
        Time { volume_ns: levels.into_iter().fold(0.0, f64::max), ..whole }
    }

    /// Sum of the steps, messages and volumes of all phases.
    pub fn cost(&self) -> Cost {
        self.phases.iter().map(Phase::cost).fold(
            Cost { steps: 0, messages: 0, volume: 0.0, latency_ns: None },
            |total, cost| Cost {
                steps: total.steps + cost.steps,
                messages: total.messages + cost.messages,
                volume: total.volume + cost.volume,
                latency_ns: None,
            },
        )
    }

    /// Size in bytes at which the volume takes as long as the latency.
    pub fn even_bytes(&self) -> f64 {
        let time = self.time(1.0);
        time.latency_ns / time.volume_ns
    }
}

/// The rows that answer a question.
#[derive(Clone, PartialEq, Debug)]
pub struct EstimateTable {
    /// Algorithms. [`EstimateTable::sort`] puts the fastest first.
    pub rows: Vec<EstimateRow>,
    /// Bounds, the most general one last.
    pub bounds: Vec<EstimateRow>,
    /// Chips of all groups together.
    pub chips: u64,
}

/// Builds the rows of every algorithm that fits the question, and of the bounds.
pub fn estimate_table(question: &Question) -> EstimateTable {
    let Question { kind, shape, channel, latencies_ns, outer, switch_ns, skew, algorithm } = question;
    let inner = LevelFabric { shape, latencies: latencies_ns, channel: *channel, level: NetworkLevel::Inner };
    let single_phase = |algorithm| {
        vec![Phase { kind: *kind, level: NetworkLevel::Inner, algorithm, part: 1.0, channel: *channel }]
    };
    let (mut rows, mut bounds) = match outer {
        Some(outer) => two_level_rows(
            *kind,
            &inner,
            &LevelFabric {
                shape: &outer.shape,
                latencies: &outer.latencies_ns,
                channel: outer.channel,
                level: NetworkLevel::Outer,
            },
        ),
        None => {
            let single_phases =
                |algorithms: Vec<_>| algorithms.into_iter().map(single_phase).collect::<Vec<_>>();
            (
                single_phases(algorithms_by_axis(*kind, shape, latencies_ns)),
                single_phases(bounds_by_axis(*kind, shape, latencies_ns)),
            )
        }
    };
    // With switches that add: rows and bounds whose levels work at the same time.
    let (mut switch_rows, mut switch_bounds) = (Vec::new(), Vec::new());
    if let Some(latency_ns) = *switch_ns {
        let channel = Channel { latency_ns, ..*channel };
        let through =
            |kind, algorithm| Phase { kind, level: NetworkLevel::Switch, algorithm, part: 1.0, channel };
        match outer {
            None => rows.push(vec![through(*kind, in_switch(*kind, shape.chips()))]),
            Some(outer) => {
                let [scatter, gather] = switch_halves(shape.chips());
                let between = |phase| {
                    vec![
                        through(Collective::ReduceScatter, scatter.clone()),
                        phase,
                        through(Collective::AllGather, gather.clone()),
                    ]
                };
                switch_rows.extend(phases_between(outer, *kind, shape, algorithms_by_axis).map(between));
            }
        }
        if *kind == Collective::AllReduce {
            let leaving = || through(*kind, switch_bound());
            match outer {
                None => switch_bounds.push(vec![leaving()]),
                Some(outer) => {
                    let least = phases_between(outer, *kind, shape, bounds_by_axis);
                    // The last of them is the general one.
                    switch_bounds.extend(least.last().map(|least| vec![leaving(), least]));
                }
            }
        }
    }
    for phase in rows.iter_mut().chain(&mut bounds).flatten() {
        phase.algorithm.cost.volume *= skew;
    }
    let row = |overlaps| move |phases| EstimateRow::new(phases, overlaps);
    let mut rows: Vec<EstimateRow> =
        rows.into_iter().map(row(false)).chain(switch_rows.into_iter().map(row(true))).collect();
    if let Some(only) = algorithm {
        rows.retain(|row| row.name == *only);
    }
    let chips = shape.chips() * outer.as_ref().map_or(1, |outer| outer.shape.chips());
    let switch_bounds = switch_bounds.into_iter().map(row(true));
    let bounds = switch_bounds.chain(bounds.into_iter().map(row(false))).collect();
    EstimateTable { rows, bounds, chips }
}

/// The phases in which groups of `shape` reduce their shards across, with a switch that adds where there is
/// one. `known` has the algorithms or bounds without such a switch.
fn phases_between(
    outer: &OuterFabric,
    kind: Collective,
    shape: &FabricShape,
    known: impl Fn(Collective, &FabricShape, &[f64]) -> Vec<Algorithm>,
) -> impl Iterator<Item = Phase> {
    let phase = |algorithm, channel| Phase {
        kind,
        level: NetworkLevel::Outer,
        algorithm,
        part: 1.0 / shape.chips() as f64,
        channel,
    };
    let plain = known(kind, &outer.shape, &outer.latencies_ns);
    let adding = outer.switch_ns.map(|latency_ns| {
        phase(in_switch(kind, outer.shape.chips()), Channel { latency_ns, ..outer.channel })
    });
    let plain: Vec<Phase> = plain.into_iter().map(|algorithm| phase(algorithm, outer.channel)).collect();
    plain.into_iter().chain(adding)
}

impl EstimateTable {
    /// Whether a row is faster than the general bound. This happens if its formula neglects the paths to
    /// distant partners. Rows with a switch that adds do not count, because the bound does not cover them.
    pub fn is_below_the_bound(&self, row: &EstimateRow, bytes: f64) -> bool {
        let bound_ns = self.bounds.last().map_or(0.0, |bound| bound.time(bytes).total_ns());
        row.phases.iter().all(|phase| phase.level != NetworkLevel::Switch)
            && row.time(bytes).total_ns() < bound_ns * (1.0 - 1e-12)
    }

    /// Sorts rows by time with vectors of `bytes` bytes. The sort is stable.
    pub fn sort(&mut self, bytes: f64) {
        self.rows.sort_by(|a, b| a.time(bytes).total_ns().total_cmp(&b.time(bytes).total_ns()));
    }
}

/// A size at which two rows take the same time.
#[derive(Clone, PartialEq, Debug)]
pub struct Crossover {
    /// Size of the crossover in bytes.
    pub bytes: f64,
    /// Index of the row that is faster below this size.
    pub below: usize,
    /// Index of the row that is faster above this size.
    pub above: usize,
    /// Whether both are the fastest of all rows at this size.
    pub fastest: bool,
}

/// All crossovers of two rows, by size.
pub fn crossovers(rows: &[EstimateRow]) -> Vec<Crossover> {
    let lines: Vec<Time> = rows.iter().map(|row| row.time(1.0)).collect();
    let mut crossovers = Vec::new();
    for (below, a) in lines.iter().enumerate() {
        for (above, b) in lines.iter().enumerate() {
            if a.latency_ns < b.latency_ns && a.volume_ns > b.volume_ns {
                let bytes = (b.latency_ns - a.latency_ns) / (a.volume_ns - b.volume_ns);
                let time = a.latency_ns + a.volume_ns * bytes;
                // The tolerance covers rounding where several lines meet in one point.
                let fastest =
                    lines.iter().all(|line| line.latency_ns + line.volume_ns * bytes >= time * (1.0 - 5e-9));
                crossovers.push(Crossover { bytes, below, above, fastest });
            }
        }
    }
    crossovers.sort_by(|a, b| a.bytes.total_cmp(&b.bytes).then((a.below, a.above).cmp(&(b.below, b.above))));
    crossovers
}
