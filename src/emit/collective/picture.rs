//! What collectives of a spec take over their size, and how busy channels are while they run, as pictures.

use super::super::estimate::exact;
use super::super::svg::{Column, Sizes, Strip, Timed as Line, round_step, sizes, strip};
use super::microseconds;
use fabc_base::ids::{ChannelId, IdVec, LinkTypeId};
use fabc_ir::{
    ATTOSECONDS_OF_A_PICOSECOND, CollectivePoint, CollectiveResult, Message, Order, Round, Schedule, Sends,
    Timed, Topology, Transfers,
};
use fabc_model::{CollectiveAlgorithm, DeclaredCollective, Fabric};

/// Columns of a strip at most: what is finer is taken together.
const COLUMNS: usize = 180;

/// Colors of algorithms.
const COLORS: [&str; 4] = ["--accent", "--second", "--good", "--bad"];

/// The algorithms that a curve has, with the colors of their lines.
pub(crate) fn colors(result: &CollectiveResult) -> Vec<(CollectiveAlgorithm, &'static str)> {
    let mut found: Vec<CollectiveAlgorithm> =
        result.curve.iter().flat_map(|point| point.times.iter().map(|(of, _)| *of)).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().zip(COLORS.into_iter().cycle()).collect()
}

/// Time over size, and what nothing is faster than.
pub(crate) fn over_sizes(declared: &DeclaredCollective, result: &CollectiveResult) -> Option<String> {
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
    let told = |picoseconds: u128| microseconds(picoseconds * ATTOSECONDS_OF_A_PICOSECOND);
    let lines = colors(result).into_iter().map(|(algorithm, color)| {
        let of = |point: &CollectivePoint| {
            let time = point.times.iter().find(|(of, _)| *of == algorithm)?.1;
            let title = format!("{}, {}: {} us", algorithm.name(), exact(point.size), told(time));
            Some((point.size as f64, time as f64, title))
        };
        Line { color, points: result.curve.iter().filter_map(of).collect() }
    });
    let inside = first.size <= declared.size && declared.size <= last.size;
    let time = nominal.row.best().time.total();
    let chart = Sizes {
        label: format!("{}: time of {} over size, by algorithm", declared.name, declared.collective.name()),
        x_title: "size",
        y_title: "time",
        lines: lines.collect(),
        edge: result.curve.iter().map(|point| (point.size as f64, point.bound.max(1) as f64)).collect(),
        above: false,
        ends: [first.size as f64, last.size as f64],
        ticks: result.curve.iter().step_by(4).map(|point| (point.size as f64, exact(point.size))).collect(),
        levels: levels.into_iter().map(|level| (level as f64, decade(level))).collect(),
        marks: result
            .crossovers
            .iter()
            .map(|at| (at.size as f64, format!("{} from here on", at.above.name())))
            .collect(),
        dot: inside.then(|| {
            let title = format!("{}: {}, {} us", declared.name, exact(declared.size), microseconds(time));
            (declared.size as f64, (time / ATTOSECONDS_OF_A_PICOSECOND).max(1) as f64, title)
        }),
    };
    Some(sizes(&chart))
}

/// `10 us`, of a power of ten in picoseconds.
fn decade(picoseconds: u128) -> String {
    let units =
        [(1_000_000_000_000u128, "s"), (1_000_000_000, "ms"), (1_000_000, "us"), (1_000, "ns"), (1, "ps")];
    let (unit, name) = units.into_iter().find(|(unit, _)| picoseconds >= *unit).unwrap_or((1, "ps"));
    format!("{} {name}", picoseconds / unit)
}

/// How busy the channels of every kind of link are, step by step; of an all-reduce while it gathers, of an
/// all-to-all all channels together; of vectors over time. `None` for trees, whose steps are all alike.
pub(crate) fn over_steps(
    fabric: &Fabric,
    topology: &Topology,
    name: &str,
    schedule: &Schedule,
) -> Option<String> {
    let rounds = match &schedule.transfers {
        Transfers::Rounds(rounds) => rounds,
        Transfers::Sends(sends) => return Some(over_slots(topology, name, schedule, sends)),
        Transfers::Timed(timed) => return Some(over_cycles(fabric, topology, name, timed)),
        Transfers::Trees(_) => return None,
    };
    let kind = |channel: ChannelId| topology.link(channel).link_type;
    // What the plan lists stands for all the others alike.
    let listed = |node| {
        !rounds.canonical || topology.symmetry().canonical_node(topology.symmetry().class(node)) == node
    };
    let mut channels: IdVec<LinkTypeId, u64> = IdVec::filled(0, fabric.link_types.len());
    let into = topology.channels().filter(|channel| listed(topology.target(*channel).node));
    into.for_each(|channel| channels[kind(channel)] += topology.channel_capacity(channel));
    let rows: Vec<LinkTypeId> = fabric.link_types.ids().filter(|of| channels[*of] > 0).collect();
    let mut steps: Vec<&Round> = rounds.rounds.iter().collect();
    if rounds.order == [Order::Reverse] {
        steps.reverse();
    }
    let columns = columns(&steps, "step", |steps, title| {
        let width: u64 = steps.iter().map(|step| u64::from(step.width)).sum();
        let mut carried: IdVec<LinkTypeId, u64> = IdVec::filled(0, fabric.link_types.len());
        for pull in steps.iter().flat_map(|step| &step.pulls) {
            carried[kind(pull.channel)] += pull.chunks.len() as u64;
        }
        let busy = |of: &LinkTypeId| carried[*of] as f64 / (channels[*of] * width).max(1) as f64;
        Column {
            width: width as f64,
            busy: rows.iter().map(busy).collect(),
            title: format!("{title}, {width} chunk times"),
        }
    });
    Some(strip(&Strip {
        label: format!("{name}: which share of the channels is busy in every step"),
        x_title: format!("chunk times, {} steps", steps.len()),
        rows: rows.into_iter().map(|of| fabric.link_types[of].name.clone()).collect(),
        columns,
        ticks: ticks(rounds.width()),
    }))
}

/// How busy all channels together are while messages go from everybody to everybody, slot by slot; from a
/// root or to one before or after that.
fn over_slots(topology: &Topology, name: &str, schedule: &Schedule, sends: &Sends) -> String {
    let symmetry = if sends.canonical { topology.symmetry().clone() } else { topology.symmetry().without() };
    // Of every class of channels that are alike one.
    let class = |channel: ChannelId| {
        (topology.channel_class(&symmetry, channel).0, topology.channel_capacity(channel))
    };
    let mut classes: Vec<(u32, u64)> = topology.channels().map(class).collect();
    classes.sort_unstable();
    classes.dedup();
    let lanes: u64 = classes.iter().map(|&(_, lanes)| lanes).sum();
    let mut carried: Vec<u64> = Vec::new();
    // What an all-reduce sends twice looks alike twice.
    for leg in schedule.legs(sends).into_iter().take(if schedule.root.is_some() { 2 } else { 1 }) {
        let begin = carried.len();
        carried.resize(begin + Message::slots_of(leg) as usize, 0);
        leg.iter().flat_map(|message| &message.slots).for_each(|&slot| carried[begin + slot as usize] += 1);
    }
    let columns = columns(&carried, "slot", |slots, title| {
        let busy = slots.iter().sum::<u64>() as f64 / (lanes * slots.len() as u64).max(1) as f64;
        Column { width: slots.len() as f64, busy: vec![busy], title }
    });
    strip(&Strip {
        label: format!("{name}: which share of the channels is busy in every slot"),
        x_title: format!("{} slots", carried.len()),
        rows: vec!["all links".to_owned()],
        columns,
        ticks: ticks(carried.len() as u64),
    })
}

/// How busy the channels of every kind of link are while vectors are sent, by cycles; those of spare routers
/// do not count.
fn over_cycles(fabric: &Fabric, topology: &Topology, name: &str, timed: &Timed) -> String {
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
    let rows: Vec<LinkTypeId> = fabric.link_types.ids().filter(|of| channels[*of] > 0).collect();
    let span = u64::from(timed.end - timed.start).max(1);
    let wide = span.div_ceil(COLUMNS as u64);
    // Cycles in which channels of a kind send, by column.
    let mut busy: Vec<IdVec<LinkTypeId, u64>> =
        vec![IdVec::filled(0, fabric.link_types.len()); span.div_ceil(wide) as usize];
    for send in &timed.sends {
        let Some(channel) = topology.outgoing(send.chip, send.port) else { continue };
        let mut from = u64::from(send.cycle - timed.start);
        let end = (from + u64::from(timed.pace.slot)).min(span);
        while from < end {
            let next = (from / wide + 1) * wide;
            busy[(from / wide) as usize][kind(channel)] += end.min(next) - from;
            from = next;
        }
    }
    let column = |(at, busy): (usize, &IdVec<LinkTypeId, u64>)| {
        let first = at as u64 * wide;
        let width = (span - first).min(wide);
        let share = |of: &LinkTypeId| busy[*of] as f64 / (channels[*of] * width).max(1) as f64;
        let [first, last] = [first, first + width].map(|cycle| cycle + u64::from(timed.start));
        Column {
            width: width as f64,
            busy: rows.iter().map(share).collect(),
            title: format!("cycles {first} to {last}"),
        }
    };
    let columns = busy.iter().enumerate().map(column).collect();
    strip(&Strip {
        label: format!("{name}: which share of the channels is busy, over time"),
        x_title: format!("cycles from {} on", timed.start),
        rows: rows.iter().map(|of| fabric.link_types[*of].name.clone()).collect(),
        columns,
        // A number at the very end would be cut off.
        ticks: ticks(span).into_iter().filter(|(tick, _)| *tick <= span as f64 * 0.97).collect(),
    })
}

/// One column of as many steps each as fit, of a title like `steps 3 to 4`.
fn columns<T>(steps: &[T], called: &str, column: impl Fn(&[T], String) -> Column) -> Vec<Column> {
    let together = steps.len().div_ceil(COLUMNS).max(1);
    let one = |(at, steps): (usize, &[T])| {
        let (first, last) = (at * together + 1, at * together + steps.len());
        column(
            steps,
            if first == last { format!("{called} {first}") } else { format!("{called}s {first} to {last}") },
        )
    };
    steps.chunks(together).enumerate().map(one).collect()
}

/// Round numbers up to the end of an axis.
fn ticks(all: u64) -> Vec<(f64, String)> {
    let every = round_step(all, 8).max(1);
    (0..=all).step_by(every as usize).map(|tick| (tick as f64, tick.to_string())).collect()
}
