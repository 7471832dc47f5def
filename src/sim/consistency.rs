//! Checks that the counts that a report states of a run do not contradict each other.
//!
//! In: a report with counts from a file. Out: what is impossible, without repeating any run. Counts may
//! contradict each other, the length of the run, the size of the buffers, or the births, which depend on rate
//! and seed alone.

use super::completion::Completion;
use super::cycles::{BornPackets, OfferedRate, born_packets};
use super::digest::spacing;
use super::overload::Overload;
use super::overload_runs::overload_rate;
use super::point::{Batch, Delays, Point, VcUse};
use super::prepare::Prepared;
use super::report::{AlikeChannels, SimReport};
use super::routing::PathSelection;
use super::saturation::{Saturation, can_end};
use super::setting::Setting;
use super::statistics::{FEWEST_GROUPS, MOST_GROUPS};
use super::tally::{BATCHES, LEAST_BATCHED, bins};
use super::traffic::OfferedTraffic;
use fabc_base::ids::{ChannelId, Id};
use fabc_model::RouterModel;

/// The tolerance of Little's law at each edge of the measured cycles, in latencies of the slowest packet
/// within them.
const EDGE: u64 = 4;

/// A part of a file that does not match the request, or that is impossible.
#[derive(PartialEq, Eq, Debug)]
pub struct Misfit {
    /// The key of its scenario, with its place in a list.
    pub place: String,
    /// The contradiction that was found, in words.
    pub what: String,
}

/// Checks the counts of a report against each other and against the fabric, without any run.
///
/// # Errors
/// The place of the first contradiction, and what it is.
pub(super) fn check_consistency(prepared: &Prepared<'_>, report: &SimReport) -> Result<(), Misfit> {
    let misfit = |list: &str, k: usize, what: String| Misfit { place: format!("{list}[{k}]"), what };
    for (k, point) in report.points.iter().enumerate() {
        impossible_point(prepared, report, point).map_or(Ok(()), |what| Err(misfit("points", k, what)))?;
    }
    for (k, run) in report.completions.iter().enumerate() {
        impossible_completion(prepared, report, run)
            .map_or(Ok(()), |what| Err(misfit("completions", k, what)))?;
    }
    for (k, bracket) in report.saturations.iter().enumerate() {
        impossible_bracket(prepared, report, bracket)
            .map_or(Ok(()), |what| Err(misfit("saturation", k, what)))?;
    }
    Ok(())
}

/// `None` if the condition holds, otherwise the text about it.
fn unless(holds: bool, what: &str) -> Option<String> {
    (!holds).then(|| what.to_owned())
}

fn impossible_point(prepared: &Prepared<'_>, report: &SimReport, point: &Point) -> Option<String> {
    let setting = &report.setting;
    let measured = u64::from(setting.measure);
    let arrived = point.delays.map_or(0, |delays| delays.packets);
    let flits = point.flits_delivered_ever.checked_add(point.flits_in_flight);
    let packet = u64::from(setting.packet);
    let sum = |first: u64, second: u64| first.checked_add(second);
    unless(
        sum(point.delivered_ever, point.in_flight) == Some(point.born_ever),
        "born_ever is not what was delivered and what is in flight",
    )
    .or_else(|| {
        unless(
            flits == point.born_ever.checked_mul(packet),
            "the flits born are not those delivered and in flight",
        )
    })
    .or_else(|| {
        unless(
            sum(arrived, point.unfinished) == Some(point.born),
            "born is not what has a latency and what is unfinished",
        )
    })
    .or_else(|| duration(setting, point))
    .or_else(|| batches(setting, point))
    .or_else(|| {
        let OfferedTraffic::Rates(pattern) = &prepared.offer else {
            return Some("such traffic has no rates".to_owned());
        };
        let offered = OfferedRate::new(prepared, pattern, point.rate, point.seed);
        let born = born_packets(offered, point.run(setting), point.cycles);
        unless(
            (born.measured, born.ever) == (point.born, point.born_ever),
            "born and born_ever are not the births of this rate and seed",
        )
    })
    .or_else(|| {
        point
            .delays
            .and_then(|delays| impossible_delays(&delays, point.cycles.saturating_sub(point.warmup).into()))
    })
    .or_else(|| delivered(report, point))
    .or_else(|| in_flight(setting, point))
    .or_else(|| queues(prepared, setting, &point.vcs, measured))
    .or_else(|| hops(setting, &point.vcs, point.hops, point.general_hops))
    .or_else(|| busy(prepared, &report.classes, &point.busy_by_class, point.busiest, measured))
    .or_else(|| {
        let moved: u64 = point.busy_by_class.iter().sum();
        // A hop is counted when its first flit leaves. Its flits may move before or after the measured
        // cycles. In the flit model, flits also wait behind the switch, each with room booked for it
        // downstream.
        let slowest = u64::from(prepared.layout.slowest_packet());
        let edge_flits = match setting.model {
            RouterModel::Packet => slowest,
            RouterModel::Flit => u64::from(setting.vcs()) * (packet + u64::from(setting.buffer)),
        };
        let edge = prepared.layout.lit as u64 * edge_flits;
        let whole = moved.saturating_sub(point.moved_acks);
        let has_acks = setting.has_ack_flits || point.moved_acks == 0;
        unless(has_acks && moves_hops(setting, slowest, point.hops, whole, edge), MOVED)
    })
    .or_else(|| inside(prepared, report, point))
    .or_else(|| {
        let (_, kept) = spacing(point.cycles.into());
        unless(point.digests.len() == kept, "it has not one digest every thousand cycles")
    })
}

/// The message about channels that were busy for other hops than those counted.
const MOVED: &str = "channels have not moved the flits of all hops";

/// Whether channels were busy for as long as their hops take, up to `edge` cycles. A hop takes the cycles of
/// a packet over the fastest channel at least, and over the slowest one at most.
fn moves_hops(setting: &Setting, slowest: u64, hops: u64, moved: u64, edge: u64) -> bool {
    let most = hops.checked_mul(slowest);
    let least = hops.checked_mul(setting.packet.into());
    least.zip(most).is_some_and(|(least, most)| {
        least.saturating_sub(edge) <= moved && moved.saturating_sub(edge) <= most
    })
}

/// A run lasts until everything born in the measured cycles has arrived, and at most as long again. The
/// warm-up ends with a group of cycles.
fn duration(setting: &Setting, point: &Point) -> Option<String> {
    let run = point.run(setting);
    let group = setting.warmup / MOST_GROUPS;
    let warmup_fits = match setting.detects_steady_state {
        true => {
            let groups = point.warmup / group.max(1);
            point.warmup.is_multiple_of(group.max(1))
                && (FEWEST_GROUPS as u32..=MOST_GROUPS).contains(&groups)
                && (point.is_settled || groups == MOST_GROUPS)
        }
        false => point.warmup == setting.warmup && point.is_settled,
    };
    let longest = run.end() + run.measure;
    let fits =
        (run.end()..=longest).contains(&point.cycles) && (point.unfinished == 0 || point.cycles == longest);
    unless(warmup_fits, "warmup_cycles are not those of such a run")
        .or_else(|| unless(fits, "cycles are not those of such a run"))
}

/// The batches of a run add up to its counts.
fn batches(setting: &Setting, point: &Point) -> Option<String> {
    let count = if setting.measure >= LEAST_BATCHED { BATCHES } else { 0 };
    let sum =
        |value: &dyn Fn(&Batch) -> u64| point.batches.iter().map(|batch| u128::from(value(batch))).sum();
    let (arrived, latencies) = point.delays.map_or((0, 0), |delays| (delays.packets, delays.sum));
    let sums: [u128; 3] =
        [sum(&|batch| batch.delivered), sum(&|batch| batch.arrived), sum(&|batch| batch.sum)];
    let most = point.delays.map_or(0, |delays| delays.most);
    unless(point.batches.len() == count, "these are not the batches of such a run")
        .or_else(|| {
            unless(
                count == 0 || sums == [point.delivered, arrived, latencies].map(u128::from),
                "the batches do not add up to the counts of the run",
            )
        })
        .or_else(|| {
            // One packet in a hundred took at least the p99, rounded up.
            let fits = |batch: &Batch| {
                let above = batch.arrived - (batch.arrived * 99).div_ceil(100) + u64::from(batch.arrived > 0);
                batch.p99 <= most && u128::from(above) * u128::from(batch.p99) <= u128::from(batch.sum)
            };
            let small = point.batches.iter().all(|batch| batch.arrived <= point.born);
            unless(small && point.batches.iter().all(fits), "the p99 of a batch does not fit its latencies")
        })
}

/// Checks the order of latencies, and the possible range of their sum. No latency is longer than `cycles`.
fn impossible_delays(delays: &Delays, cycles: u64) -> Option<String> {
    let Delays { packets, sum, median, p99, most, waited, hops } = *delays;
    let rank = |percent: u64| (packets.saturating_mul(percent)).div_ceil(100);
    let [half, nearly] = [50, 99].map(rank);
    let product = |count: u64, value: u64| u128::from(count) * u128::from(value);
    let highest_sum = product(half, median) + product(nearly - half, p99) + product(packets - nearly, most);
    // The packet of each of these ranks took exactly this time, and those after it at least as much.
    let lowest_sum = product(nearly - half, median) + product(packets - nearly, p99) + u128::from(most);
    unless(median <= p99 && p99 <= most, "median, p99 and max of the latencies do not ascend")
        .or_else(|| unless(most < cycles, "a latency is longer than the run"))
        .or_else(|| {
            unless(
                (packets > nearly || p99 == most) && (nearly > half || median == p99),
                "so few packets have the p99 for their max",
            )
        })
        .or_else(|| {
            unless(
                (lowest_sum..=highest_sum).contains(&u128::from(sum)),
                "the sum of the latencies is not between those that median, p99 and max allow",
            )
        })
        .or_else(|| unless(waited <= sum, "packets waited longer at their sources than they took"))
        .or_else(|| unless(hops <= sum, "packets made more hops than they took cycles"))
}

fn delivered(report: &SimReport, point: &Point) -> Option<String> {
    let ((_, worst), (_, best)) = (point.worst_source, point.best_source);
    let senders = u64::from(report.load.senders);
    let shares =
        u64::from(worst) * senders <= point.delivered && point.delivered <= u64::from(best) * senders;
    unless(
        point.delivered_late <= point.delivered,
        "more packets were delivered in the second half of the window than in all of it",
    )
    .or_else(|| {
        unless(point.delivered <= point.delivered_ever, "more packets were delivered in the window than ever")
    })
    .or_else(|| {
        unless(
            point.delays.map_or(0, |delays| delays.packets) <= point.delivered_ever,
            "more packets have a latency than were delivered",
        )
    })
    .or_else(|| {
        unless(worst <= best && shares, "worst_source and best_source are not around what was delivered")
    })
}

fn in_flight(setting: &Setting, point: &Point) -> Option<String> {
    let flits = point.in_flight..=point.in_flight.saturating_mul(u64::from(setting.packet));
    unless(point.unfinished <= point.in_flight, "more packets are unfinished than in flight").or_else(|| {
        unless(
            flits.contains(&point.flits_in_flight),
            "flits in flight are not those of the packets in flight",
        )
    })
}

/// Checks the bookings of queues. `cycles` of every queue are counted.
fn queues(prepared: &Prepared<'_>, setting: &Setting, vcs: &[VcUse], cycles: u64) -> Option<String> {
    let top = bins(setting) as u64 * u64::from(setting.grain());
    let queue_cycles_of_all = prepared.layout.lit as u64 * cycles;
    if vcs.len() != setting.vcs() as usize {
        return Some("these are not the virtual channels of the model".to_owned());
    }
    vcs.iter().find_map(|vc| {
        let [sum, p99, queue, full] =
            [vc.flit_cycles, vc.p99, vc.queue_cycles, vc.full_cycles].map(u128::from);
        let top = u128::from(top);
        // At most one cycle in a hundred is above the p99, and more than one in a hundred is not below it.
        let above = p99 == 0 || sum * 100 > p99 * queue;
        let below = sum * 100 <= p99 * queue * 100 + (top - p99.min(top)) * queue;
        let at_top = if p99 == top { full * 100 > queue } else { full * 100 <= queue };
        unless(vc.queue_cycles == queue_cycles_of_all, "queue_cycles are not those of all queues")
            .or_else(|| {
                unless(
                    p99 <= top && p99.is_multiple_of(u128::from(setting.grain())),
                    "p99_flits is more than a queue has room for",
                )
            })
            .or_else(|| {
                unless(
                    full <= queue && full * top <= sum && sum <= queue * top,
                    "flit_cycles and full_cycles are more than queues have room for",
                )
            })
            .or_else(|| {
                unless(above && below && at_top, "p99_flits does not fit flit_cycles and full_cycles")
            })
    })
}

/// Checks the hops by virtual channel. The general ones come first.
fn hops(setting: &Setting, vcs: &[VcUse], all_hops: u64, general_hops: u64) -> Option<String> {
    let sum = |vcs: &[VcUse]| vcs.iter().map(|vc| u128::from(vc.hops)).sum::<u128>();
    unless(u128::from(all_hops) == sum(vcs), "the virtual channels have not all hops").or_else(|| {
        unless(
            u128::from(general_hops) == sum(&vcs[..usize::from(setting.general).min(vcs.len())]),
            "general_hops are not those of the general virtual channels",
        )
    })
}

/// Checks the cycles in which channels moved flits, of `cycles` that are counted.
fn busy(
    prepared: &Prepared<'_>,
    classes: &[AlikeChannels],
    busy: &[u64],
    busiest: (u32, u32),
    cycles: u64,
) -> Option<String> {
    let (channel, highest) = busiest;
    if busy.len() != classes.len() {
        return Some("busy_cycles are not those of the classes of channels".to_owned());
    }
    let full = |(class, busy): (&AlikeChannels, &u64)| *busy <= class.channels.saturating_mul(cycles);
    let at_most =
        |(class, busy): (&AlikeChannels, &u64)| *busy <= class.channels.saturating_mul(u64::from(highest));
    // A class moves at least what its busiest channel moves.
    let class_busy = prepared.class_rank(ChannelId::new(channel as usize)).map_or(0, |rank| busy[rank]);
    unless(
        u64::from(highest) <= cycles && classes.iter().zip(busy).all(full),
        "a channel moves more than a flit per cycle",
    )
    .or_else(|| unless(classes.iter().zip(busy).all(at_most), "channels are busier than the busiest one"))
    .or_else(|| {
        unless(u64::from(highest) <= class_busy, "the busiest channel is busier than all of its class")
    })
}

/// Checks the packets in flight: at the marks, and summed over the measured cycles.
fn inside(prepared: &Prepared<'_>, report: &SimReport, point: &Point) -> Option<String> {
    let [start, middle, end] = point.inside_at;
    let (measured, born) = (u64::from(report.setting.measure), point.born_ever);
    // What is born and delivered in the first cycle is not visible at its end.
    let endpoints = u64::from(prepared.endpoint_count());
    let cycle =
        endpoints * u64::from(report.setting.ports().unwrap_or(1)) + endpoints + prepared.layout.lit as u64;
    let change =
        (i128::from(point.born) - i128::from(point.delivered)) - (i128::from(end) - i128::from(start));
    unless(
        [start, middle, end].iter().all(|inside| *inside <= born),
        "more packets are inside than were born",
    )
    .or_else(|| {
        unless(
            change.unsigned_abs() <= u128::from(cycle),
            "packets inside at the ends of the window are not what was born and delivered between",
        )
    })
    .or_else(|| {
        unless(point.inside_sum <= measured.saturating_mul(born), "more packets are inside than were born")
    })
    .or_else(|| {
        // Cycles times packets in flight equals the sum of latencies of the packets born, except at the
        // edges.
        let delays = point.delays.filter(|_| point.is_stable(&report.setting) && point.unfinished == 0)?;
        let edges = (u128::from(start) + u128::from(end) + 1) * u128::from(EDGE * delays.most);
        unless(
            u128::from(point.inside_sum.abs_diff(delays.sum)) <= edges,
            "Little's law does not hold: packets inside are not rate times latency",
        )
    })
}

/// The first contradiction in the counts of a run of traffic that ends.
fn impossible_completion(prepared: &Prepared<'_>, report: &SimReport, run: &Completion) -> Option<String> {
    let volume = report.volume?;
    let (setting, cycles) = (&report.setting, u64::from(run.cycles) + 1);
    let moved = || run.busy_by_class.iter().sum::<u64>();
    unless(run.packets == volume.packets, "delivered is not all that is sent")
        .or_else(|| {
            unless(
                u64::from(run.cycles) >= volume.least_cycles,
                "there are fewer cycles than the busiest channel needs",
            )
        })
        .or_else(|| {
            unless(
                run.delays.is_some_and(|delays| delays.packets == run.packets),
                "not all packets have a latency",
            )
        })
        .or_else(|| run.delays.and_then(|delays| impossible_delays(&delays, cycles)))
        .or_else(|| {
            unless(
                run.delays.is_some_and(|delays| delays.hops == run.hops),
                "the packets have not made all hops",
            )
        })
        .or_else(|| queues(prepared, setting, &run.vcs, cycles))
        .or_else(|| hops(setting, &run.vcs, run.hops, run.general_hops))
        .or_else(|| busy(prepared, &report.classes, &run.busy_by_class, run.busiest, cycles))
        .or_else(|| {
            let slowest = u64::from(prepared.layout.slowest_packet());
            unless(moves_hops(setting, slowest, run.hops, moved(), 0), MOVED)
        })
        .or_else(|| {
            // Along tables, every channel moves exactly what the messages put on it.
            let by_tables = setting.selection == PathSelection::Tables;
            let is_load =
                |(class, busy): (&AlikeChannels, &u64)| u128::from(*busy) * report.load.unit == class.load;
            unless(
                !by_tables || report.classes.iter().zip(&run.busy_by_class).all(is_load),
                "channels have not moved what the messages put on them",
            )
        })
        .or_else(|| {
            let (_, kept) = spacing(cycles);
            unless(run.digests.len() == kept, "it has not one digest every thousand cycles")
        })
}

/// The first contradiction in the bracket of a search.
fn impossible_bracket(prepared: &Prepared<'_>, report: &SimReport, search: &Saturation) -> Option<String> {
    unless(
        can_end(prepared, search),
        "no search ends so: its rates and the number of its runs follow from the bound",
    )
    .or_else(|| {
        let OfferedTraffic::Rates(pattern) = &prepared.offer else {
            return Some("such traffic does not saturate".to_owned());
        };
        let offered = OfferedRate::new(prepared, pattern, search.beyond.rate, search.seed);
        let cycles = report.setting.coarse;
        let born = born_packets(offered, cycles, cycles.end());
        unless(search.beyond.delivered <= born.ever, "beyond the bound more packets are delivered than born")
    })
    .or_else(|| {
        let multiples = search.overloads.iter().map(|run| run.multiple);
        unless(
            multiples.eq(report.setting.overload.iter().copied()),
            "these are not the multiples of the spec, each once",
        )
    })
    .or_else(|| search.overloads.iter().find_map(|run| impossible_overload(prepared, report, search, run)))
}

/// The first contradiction in the counts of a run in overload.
fn impossible_overload(
    prepared: &Prepared<'_>,
    report: &SimReport,
    search: &Saturation,
    run: &Overload,
) -> Option<String> {
    let OfferedTraffic::Rates(pattern) = &prepared.offer else { return None };
    let cycles = report.setting.overload_cycles;
    let offered = OfferedRate::new(prepared, pattern, run.rate, search.seed);
    let BornPackets { measured: born, elsewhere, ever } = born_packets(offered, cycles, cycles.end());
    let [worst, best] = [run.worst, run.best];
    let product = |count: u64, other: u64| u128::from(count) * u128::from(other);
    let all_parts = (0..prepared.endpoint_count()).filter_map(|endpoint| prepared.parts_of(endpoint)).sum();
    let all_cycles = product(prepared.layout.lit as u64, cycles.measure.into());
    let sends = [worst, best].iter().all(|source| prepared.parts_of(source.endpoint).is_some());
    unless(
        run.rate == overload_rate(prepared, run.multiple, search.interval.mean),
        "the rate in overload is not that multiple of the saturation",
    )
    .or_else(|| unless(run.born == born, "born in overload are not the births of this rate and seed"))
    .or_else(|| unless(run.delivered <= ever, "in overload more packets are delivered than born"))
    .or_else(|| {
        let is_possible = match run.elsewhere {
            Some(counted) => {
                prepared.hot.is_some() && counted.born == elsewhere && counted.delivered <= run.delivered
            }
            None => prepared.hot.is_none(),
        };
        unless(
            is_possible,
            "in overload the packets for other endpoints than the hot ones are not those born",
        )
    })
    .or_else(|| {
        let is_between = product(worst.packets, all_parts) <= product(run.delivered, worst.parts)
            && product(run.delivered, best.parts) <= product(best.packets, all_parts);
        unless(
            sends && worst.compare(&best).is_le() && is_between,
            "in overload the worst and best sources are not around what was delivered",
        )
    })
    .or_else(|| {
        unless(
            u128::from(run.moved) <= all_cycles
                && run.moved_acks <= run.moved
                && (report.setting.has_ack_flits || run.moved_acks == 0),
            "in overload channels move more than a flit per cycle",
        )
    })
}
