//! Draws the collectives of a spec: their time over size, and how busy channels are while they run.

use super::super::estimate::exact_size;
use super::super::svg::{SizeChart, Strip, StripColumn, TimeLine, round_step, size_chart, strip};
use super::microseconds;
use fabc_base::ids::{ChannelId, IdVec, LinkTypeId};
use fabc_ir::{
    ATTOSECONDS_OF_A_PICOSECOND, CollectivePoint, CollectiveResult, GatherRound, RoutedMessage, RunDirection,
    Schedule, Sends, Timed, Topology, Transfers,
};
use fabc_model::{CollectiveAlgorithm, DeclaredCollective, Fabric};

/// Maximum columns of a strip. Finer steps are merged.
const COLUMNS: usize = 180;

const COLORS: [&str; 4] = ["--accent", "--second", "--good", "--bad"];

/// The algorithms of a curve, with the colors of their lines.
pub(crate) fn algorithm_colors(result: &CollectiveResult) -> Vec<(CollectiveAlgorithm, &'static str)> {
    let mut algorithms: Vec<CollectiveAlgorithm> =
        result.curve.iter().flat_map(|point| point.times.iter().map(|(algorithm, _)| *algorithm)).collect();
    algorithms.sort_unstable();
    algorithms.dedup();
    algorithms.into_iter().zip(COLORS.into_iter().cycle()).collect()
}

/// Time over size with the lower bound. `None` without tables or without a curve.
pub(crate) fn time_curve(declared: &DeclaredCollective, result: &CollectiveResult) -> Option<String> {
    let nominal = result.nominal()?;
    let (first, last) = (result.curve.first()?, result.curve.last()?);
    let times = || {
        result.curve.iter().flat_map(|point| point.times.iter().map(|(_, time)| *time).chain([point.bound]))
    };
    let (fastest, slowest) = (times().min()?.max(1), times().max()?);
    let decades = std::iter::successors(Some(1u128), |decade| decade.checked_mul(10));
    let mut levels: Vec<u128> =
        decades.clone().take_while(|decade| *decade <= fastest).last().into_iter().collect();
    levels.extend(decades.clone().filter(|decade| *decade > fastest).take_while(|decade| *decade < slowest));
    levels.extend(decades.clone().find(|decade| *decade >= slowest));
    let to_microseconds = |picoseconds: u128| microseconds(picoseconds * ATTOSECONDS_OF_A_PICOSECOND);
    let lines = algorithm_colors(result).into_iter().map(|(algorithm, color)| {
        let chart_point = |point: &CollectivePoint| {
            let time = point.times.iter().find(|(candidate, _)| *candidate == algorithm)?.1;
            let title =
                format!("{}, {}: {} us", algorithm.name(), exact_size(point.size), to_microseconds(time));
            Some((point.size as f64, time as f64, title))
        };
        TimeLine { color, points: result.curve.iter().filter_map(chart_point).collect() }
    });
    let is_inside = first.size <= declared.size && declared.size <= last.size;
    let time = nominal.row.best().time.total();
    let chart = SizeChart {
        label: format!("{}: time of {} over size, by algorithm", declared.name, declared.collective.name()),
        x_title: "size",
        y_title: "time",
        lines: lines.collect(),
        edge: result.curve.iter().map(|point| (point.size as f64, point.bound.max(1) as f64)).collect(),
        above: false,
        smallest: first.size as f64,
        largest: last.size as f64,
        ticks: result
            .curve
            .iter()
            .step_by(4)
            .map(|point| (point.size as f64, exact_size(point.size)))
            .collect(),
        levels: levels.into_iter().map(|level| (level as f64, decade_label(level))).collect(),
        marks: result
            .crossovers
            .iter()
            .map(|crossover| (crossover.size as f64, format!("{} from here on", crossover.above.name())))
            .collect(),
        dot: is_inside.then(|| {
            let title =
                format!("{}: {}, {} us", declared.name, exact_size(declared.size), microseconds(time));
            (declared.size as f64, (time / ATTOSECONDS_OF_A_PICOSECOND).max(1) as f64, title)
        }),
    };
    Some(size_chart(&chart))
}

/// A power of ten in picoseconds as `10 us`.
fn decade_label(picoseconds: u128) -> String {
    let units =
        [(1_000_000_000_000u128, "s"), (1_000_000_000, "ms"), (1_000_000, "us"), (1_000, "ns"), (1, "ps")];
    let (unit, name) = units.into_iter().find(|(unit, _)| picoseconds >= *unit).unwrap_or((1, "ps"));
    format!("{} {name}", picoseconds / unit)
}

/// How busy the channels of every link type are, over time. `None` for trees, forests and paths of pairs,
/// whose steps are all equal. Only the gather of an all-reduce is shown. For an all-to-all all channels are
/// taken together. Scheduled vectors are shown over cycles.
pub(crate) fn busy_strip(
    fabric: &Fabric,
    topology: &Topology,
    name: &str,
    schedule: &Schedule,
) -> Option<String> {
    let rounds = match &schedule.transfers {
        Transfers::Rounds(rounds) => rounds,
        Transfers::Sends(sends) => return Some(busy_by_slot(topology, name, schedule, sends)),
        Transfers::Timed(timed) => return Some(busy_by_cycle(fabric, topology, name, timed)),
        Transfers::Trees(_) | Transfers::Forest(_) | Transfers::Paths(_) => return None,
    };
    let kind = |channel: ChannelId| topology.link(channel).link_type;
    // A canonical schedule lists one channel for each class of equal channels.
    let listed = |node| {
        !rounds.canonical || topology.symmetry().canonical_node(topology.symmetry().class(node)) == node
    };
    let mut channels: IdVec<LinkTypeId, u64> = IdVec::filled(0, fabric.link_types.len());
    let listed_channels = topology.channels().filter(|channel| listed(topology.target(*channel).node));
    listed_channels.for_each(|channel| channels[kind(channel)] += topology.channel_capacity(channel));
    let rows: Vec<LinkTypeId> =
        fabric.link_types.ids().filter(|link_type| channels[*link_type] > 0).collect();
    let mut steps: Vec<&GatherRound> = rounds.rounds.iter().collect();
    if rounds.order == [RunDirection::Reverse] {
        steps.reverse();
    }
    let columns = strip_columns(&steps, "step", |steps, title| {
        let width: u64 = steps.iter().map(|step| u64::from(step.width)).sum();
        let mut carried: IdVec<LinkTypeId, u64> = IdVec::filled(0, fabric.link_types.len());
        for pull in steps.iter().flat_map(|step| &step.pulls) {
            carried[kind(pull.channel)] += pull.chunks.len() as u64;
        }
        let busy = |link_type: &LinkTypeId| {
            carried[*link_type] as f64 / (channels[*link_type] * width).max(1) as f64
        };
        StripColumn {
            width: width as f64,
            busy: rows.iter().map(busy).collect(),
            title: format!("{title}, {width} chunk times"),
        }
    });
    Some(strip(&Strip {
        label: format!("{name}: which share of the channels is busy in every step"),
        x_title: format!("chunk times, {} steps", steps.len()),
        rows: rows.into_iter().map(|link_type| fabric.link_types[link_type].name.clone()).collect(),
        columns,
        ticks: ticks(rounds.width()),
    }))
}

/// How busy all channels together are, slot by slot, while messages go between all chips, or from or to a
/// root. An all-reduce with a root has both phases one after the other.
fn busy_by_slot(topology: &Topology, name: &str, schedule: &Schedule, sends: &Sends) -> String {
    let symmetry =
        if sends.canonical { topology.symmetry().clone() } else { topology.symmetry().to_trivial() };
    // One channel of every class of equivalent channels.
    let class = |channel: ChannelId| {
        (topology.channel_class(&symmetry, channel).0, topology.channel_capacity(channel))
    };
    let mut classes: Vec<(u32, u64)> = topology.channels().map(class).collect();
    classes.sort_unstable();
    classes.dedup();
    let lanes: u64 = classes.iter().map(|&(_, lanes)| lanes).sum();
    let mut carried: Vec<u64> = Vec::new();
    // Both phases of an all-reduce without a root look the same.
    for leg in schedule.message_lists(sends).into_iter().take(if schedule.root.is_some() { 2 } else { 1 }) {
        let begin = carried.len();
        carried.resize(begin + RoutedMessage::slots_of(leg) as usize, 0);
        leg.iter().flat_map(|message| &message.slots).for_each(|&slot| carried[begin + slot as usize] += 1);
    }
    let columns = strip_columns(&carried, "slot", |slots, title| {
        let busy = slots.iter().sum::<u64>() as f64 / (lanes * slots.len() as u64).max(1) as f64;
        StripColumn { width: slots.len() as f64, busy: vec![busy], title }
    });
    strip(&Strip {
        label: format!("{name}: which share of the channels is busy in every slot"),
        x_title: format!("{} slots", carried.len()),
        rows: vec!["all links".to_owned()],
        columns,
        ticks: ticks(carried.len() as u64),
    })
}

/// How busy the channels of every link type are, over cycles. Channels of spare routers do not count.
fn busy_by_cycle(fabric: &Fabric, topology: &Topology, name: &str, timed: &Timed) -> String {
    let listed = |node| {
        !timed.canonical || topology.symmetry().canonical_node(topology.symmetry().class(node)) == node
    };
    let takes_part = |channel: &ChannelId| {
        let (from, to) = (topology.source(*channel).node, topology.target(*channel).node);
        listed(from) && topology.is_endpoint(from) && topology.is_endpoint(to)
    };
    let kind = |channel: ChannelId| topology.link(channel).link_type;
    let mut channels: IdVec<LinkTypeId, u64> = IdVec::filled(0, fabric.link_types.len());
    topology.channels().filter(takes_part).for_each(|channel| channels[kind(channel)] += 1);
    let rows: Vec<LinkTypeId> =
        fabric.link_types.ids().filter(|link_type| channels[*link_type] > 0).collect();
    let span = u64::from(timed.end - timed.start).max(1);
    let column_cycles = span.div_ceil(COLUMNS as u64);
    // `[column]`: cycles in which channels of a link type send.
    let mut busy: Vec<IdVec<LinkTypeId, u64>> =
        vec![IdVec::filled(0, fabric.link_types.len()); span.div_ceil(column_cycles) as usize];
    for send in &timed.sends {
        let Some(channel) = topology.outgoing(send.chip, send.port) else { continue };
        let mut from = u64::from(send.cycle - timed.start);
        let end = (from + u64::from(timed.pace.slot)).min(span);
        while from < end {
            let next = (from / column_cycles + 1) * column_cycles;
            busy[(from / column_cycles) as usize][kind(channel)] += end.min(next) - from;
            from = next;
        }
    }
    let column = |(index, busy): (usize, &IdVec<LinkTypeId, u64>)| {
        let first = index as u64 * column_cycles;
        let width = (span - first).min(column_cycles);
        let share =
            |link_type: &LinkTypeId| busy[*link_type] as f64 / (channels[*link_type] * width).max(1) as f64;
        let [first, last] = [first, first + width].map(|cycle| cycle + u64::from(timed.start));
        StripColumn {
            width: width as f64,
            busy: rows.iter().map(share).collect(),
            title: format!("cycles {first} to {last}"),
        }
    };
    let columns = busy.iter().enumerate().map(column).collect();
    strip(&Strip {
        label: format!("{name}: which share of the channels is busy, over time"),
        x_title: format!("cycles from {} on", timed.start),
        rows: rows.iter().map(|link_type| fabric.link_types[*link_type].name.clone()).collect(),
        columns,
        // A label at the very end would be cut off.
        ticks: ticks(span).into_iter().filter(|(tick, _)| *tick <= span as f64 * 0.97).collect(),
    })
}

/// Groups steps into columns of equal numbers of steps, with titles like `steps 3 to 4`.
fn strip_columns<T>(
    steps: &[T],
    word: &str,
    column: impl Fn(&[T], String) -> StripColumn,
) -> Vec<StripColumn> {
    let steps_per_column = steps.len().div_ceil(COLUMNS).max(1);
    let group_column = |(index, steps): (usize, &[T])| {
        let (first, last) = (index * steps_per_column + 1, index * steps_per_column + steps.len());
        column(
            steps,
            if first == last { format!("{word} {first}") } else { format!("{word}s {first} to {last}") },
        )
    };
    steps.chunks(steps_per_column).enumerate().map(group_column).collect()
}

/// Round numbers up to the end of an axis.
fn ticks(end: u64) -> Vec<(f64, String)> {
    let step = round_step(end, 8).max(1);
    (0..=end).step_by(step as usize).map(|tick| (tick as f64, tick.to_string())).collect()
}
