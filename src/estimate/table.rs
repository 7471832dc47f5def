//! All algorithms of a question side by side, by time.

use super::algorithms::{Links, algorithms, in_switch};
use super::bounds::bounds;
use super::cost::{Channel, Cost, Time};
use super::hierarchy::{Level, Phase, Side, across};
use super::shape::Shape;
use fabc_model::Collective;

/// The fabric that joins groups.
#[derive(Clone, PartialEq, Debug)]
pub struct Over {
    /// Its chips are the groups.
    pub shape: Shape,
    /// Its channels: one per chip of a group.
    pub channel: Channel,
}

/// What is asked.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// The collective.
    pub kind: Collective,
    /// The fabric, or that of a group.
    pub shape: Shape,
    /// Its channels.
    pub channel: Channel,
    /// What joins groups, if there are any.
    pub over: Option<Over>,
    /// Nanoseconds of a switch that adds and copies, if there is one.
    pub switch_ns: Option<f64>,
    /// How many times as much as the mean the busiest channel of an all-to-all carries.
    pub skew: f64,
    /// Only this algorithm.
    pub algorithm: Option<String>,
}

impl Question {
    /// What a collective takes on a single fabric, by every algorithm.
    pub fn new(kind: Collective, shape: Shape, channel: Channel) -> Question {
        Question { kind, shape, channel, over: None, switch_ns: None, skew: 1.0, algorithm: None }
    }

    /// What size / time is multiplied by, so that it compares with the bandwidth of a port.
    pub fn bus_factor(&self, chips: u64) -> f64 {
        let [over, under] = self.kind.bus_factor(chips);
        over as f64 / under as f64
    }
}

/// An algorithm or a bound.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Those of its phases, between `+` where they are several and differ.
    pub name: String,
    /// How it goes; of several phases, of each.
    pub what: String,
    /// Channels at a time.
    pub links: Links,
    /// One after the other.
    pub phases: Vec<Phase>,
}

impl Row {
    fn new(phases: Vec<Phase>) -> Row {
        let level = |level: Level| phases.iter().find(|phase| phase.level == level);
        let parts: Vec<&Phase> =
            [level(Level::Switch), level(Level::Inner), level(Level::Outer)].into_iter().flatten().collect();
        let names: Vec<&str> = parts.iter().map(|phase| phase.algorithm.name).collect();
        let told: Vec<String> = match &parts[..] {
            [one] => vec![one.algorithm.what.to_owned()],
            _ => parts
                .iter()
                .map(|phase| format!("{}: {}", phase.level.name(), phase.algorithm.what))
                .collect(),
        };
        let one = phases.iter().any(|phase| phase.algorithm.links == Links::One);
        let links =
            if one { Links::One } else { parts.first().map_or(Links::Port, |phase| phase.algorithm.links) };
        Row { name: names.join("+"), what: told.join("; "), links, phases }
    }

    /// Its time with vectors of so many bytes.
    pub fn time(&self, bytes: f64) -> Time {
        let none = Time { latency_ns: 0.0, volume_ns: 0.0 };
        self.phases.iter().fold(none, |time, phase| time + phase.time(bytes))
    }

    /// Hops, messages and vectors of all phases.
    pub fn cost(&self) -> Cost {
        self.phases.iter().map(Phase::cost).fold(Cost { steps: 0, messages: 0, volume: 0.0 }, |all, one| {
            Cost {
                steps: all.steps + one.steps,
                messages: all.messages + one.messages,
                volume: all.volume + one.volume,
            }
        })
    }

    /// Bytes of which the volume takes as long as the latency.
    pub fn even_bytes(&self) -> f64 {
        let time = self.time(1.0);
        time.latency_ns / time.volume_ns
    }
}

/// The answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Algorithms; [`Table::sort`] puts the fastest first.
    pub rows: Vec<Row>,
    /// Bounds, the most general one last.
    pub bounds: Vec<Row>,
    /// Chips of all groups together.
    pub chips: u64,
}

/// Every algorithm that fits the question, and the bounds.
pub fn table(question: &Question) -> Table {
    let Question { kind, shape, channel, over, switch_ns, skew, algorithm } = question;
    let inner = Side { shape, channel: *channel, level: Level::Inner };
    let alone =
        |algorithm| vec![Phase { kind: *kind, level: Level::Inner, algorithm, part: 1.0, channel: *channel }];
    let (mut rows, mut least) = match over {
        Some(over) => {
            across(*kind, &inner, &Side { shape: &over.shape, channel: over.channel, level: Level::Outer })
        }
        None => {
            let all = |of: Vec<_>| of.into_iter().map(alone).collect::<Vec<_>>();
            (all(algorithms(*kind, shape)), all(bounds(*kind, shape)))
        }
    };
    if let Some(latency_ns) = *switch_ns {
        let channel = Channel { latency_ns, ..*channel };
        let algorithm = in_switch(*kind, shape.chips());
        rows.push(vec![Phase { kind: *kind, level: Level::Switch, algorithm, part: 1.0, channel }]);
    }
    for phase in rows.iter_mut().chain(&mut least).flatten() {
        phase.algorithm.cost.volume *= skew;
    }
    let mut rows: Vec<Row> = rows.into_iter().map(Row::new).collect();
    if let Some(only) = algorithm {
        rows.retain(|row| row.name == *only);
    }
    let chips = shape.chips() * over.as_ref().map_or(1, |over| over.shape.chips());
    Table { rows, bounds: least.into_iter().map(Row::new).collect(), chips }
}

impl Table {
    /// Whether a row takes less than any schedule can: its formula takes ways to distant partners as free. A
    /// switch that adds does what the bound leaves out.
    pub fn is_below_the_bound(&self, row: &Row, bytes: f64) -> bool {
        let least = self.bounds.last().map_or(0.0, |bound| bound.time(bytes).total_ns());
        row.phases.iter().all(|phase| phase.level != Level::Switch)
            && row.time(bytes).total_ns() < least * (1.0 - 1e-12)
    }

    /// The fastest first with vectors of so many bytes; of two that take as long, the one that was first.
    pub fn sort(&mut self, bytes: f64) {
        self.rows.sort_by(|a, b| a.time(bytes).total_ns().total_cmp(&b.time(bytes).total_ns()));
    }
}

/// A size at which two rows take as long.
#[derive(Clone, PartialEq, Debug)]
pub struct Crossover {
    /// Bytes.
    pub bytes: f64,
    /// The row that is faster below.
    pub below: usize,
    /// The row that is faster above.
    pub above: usize,
    /// Whether both are the fastest of all there.
    pub fastest: bool,
}

/// Where any two rows change places, by size.
pub fn crossovers(rows: &[Row]) -> Vec<Crossover> {
    let lines: Vec<Time> = rows.iter().map(|row| row.time(1.0)).collect();
    let mut found = Vec::new();
    for (below, a) in lines.iter().enumerate() {
        for (above, b) in lines.iter().enumerate() {
            if a.latency_ns < b.latency_ns && a.volume_ns > b.volume_ns {
                let bytes = (b.latency_ns - a.latency_ns) / (a.volume_ns - b.volume_ns);
                let there = a.latency_ns + a.volume_ns * bytes;
                // Half a millionth of a percent for what rounding makes of lines through one point.
                let fastest =
                    lines.iter().all(|line| line.latency_ns + line.volume_ns * bytes >= there * (1.0 - 5e-9));
                found.push(Crossover { bytes, below, above, fastest });
            }
        }
    }
    found.sort_by(|a, b| a.bytes.total_cmp(&b.bytes).then((a.below, a.above).cmp(&(b.below, b.above))));
    found
}
