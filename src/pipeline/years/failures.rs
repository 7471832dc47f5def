//! When parts fail and are repaired.
//!
//! In: the parts of a pod, failure rates, the time of a repair, parts on stock. Out: all failures and repairs
//! of a time span, in order. Every part draws its own times to failure, which are exponential. They depend on
//! the seed and the part alone, so every policy meets the same failures. A part does not fail while it is
//! down.
//!
//! Every failure orders a part for the stock, which comes after the time of restocking. A repair begins when
//! a part is there: at once from the stock, else with one of the next deliveries, first come, first served.

use super::parts::PodParts;
use fabc_base::random::KeyedStream;
use fabc_emit::{DAY_MS, PartKind, PerPart, YearsRequest};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The stream of the times to failure.
const FAILURES: u64 = 48;

/// A part that fails, or works again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PartEvent {
    /// The time of the event, in milliseconds.
    pub(super) at: u64,
    /// The number of the part.
    pub(super) part: u32,
    /// Whether the part fails, or works again.
    pub(super) down: bool,
}

/// The repairs of a kind of part in a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct KindRepairs {
    /// Number of failures in the run.
    pub(super) failures: u64,
    /// Repairs that waited for a part.
    pub(super) waited: u64,
    /// Failed parts that still wait for a part at the end.
    pub(super) unfinished: u64,
    /// The times from failure to repair, in milliseconds, of all repairs that began.
    pub(super) times: Vec<u64>,
}

/// All failures and repairs of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct History {
    /// The events, ascending by time.
    pub(super) events: Vec<PartEvent>,
    /// The repairs by kind of part.
    pub(super) repairs: PerPart<KindRepairs>,
}

/// What happens next, in the order in which things of one time happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    /// A part for a kind is delivered.
    Delivered(PartKind),
    Repaired(u32),
    Failed(u32),
}

/// Plays failures and repairs until the end of a request, for a seed.
pub(super) fn history(parts: &PodParts, request: &YearsRequest, seed: u64) -> History {
    let stream = KeyedStream::new(seed, FAILURES);
    let mut queue = BinaryHeap::new();
    let mut failed = vec![0u32; parts.count() as usize];
    let span = request.span_ms();
    // The time to the next failure of a part that works from `now` on.
    let next_failure = |part: u32, failed: u32, now: u64| {
        let (kind, share) = parts.rated(part)?;
        let rate = share * request.per_day.get(kind) / DAY_MS as f64;
        (rate > 0.0).then(|| now.saturating_add(exponential_ms(stream.number(part, failed), rate)))
    };
    for part in 0..parts.count() {
        queue.extend(next_failure(part, 0, 0).map(|at| Reverse((at, Next::Failed(part)))));
    }
    let mut stock = request.stock;
    let mut waiting: PerPart<VecDeque<(u32, u64)>> = PerPart::default();
    let mut history = History { events: Vec::new(), repairs: PerPart::default() };
    while let Some(Reverse((at, next))) = queue.pop().filter(|Reverse((at, _))| *at < span) {
        match next {
            Next::Failed(part) => {
                history.events.push(PartEvent { at, part, down: true });
                let Some((kind, _)) = parts.rated(part) else { continue };
                let repairs = history.repairs.get_mut(kind);
                repairs.failures += 1;
                let on_stock = stock.get_mut(kind);
                if on_stock.is_some() {
                    queue.push(Reverse((at + request.restock_ms, Next::Delivered(kind))));
                }
                match on_stock {
                    Some(0) => waiting.get_mut(kind).push_back((part, at)),
                    limited => {
                        *limited = limited.map(|count| count - 1);
                        repairs.times.push(request.repair_ms);
                        queue.push(Reverse((at + request.repair_ms, Next::Repaired(part))));
                    }
                }
            }
            Next::Delivered(kind) => match waiting.get_mut(kind).pop_front() {
                Some((part, since)) => {
                    let repairs = history.repairs.get_mut(kind);
                    repairs.waited += 1;
                    repairs.times.push(at - since + request.repair_ms);
                    queue.push(Reverse((at + request.repair_ms, Next::Repaired(part))));
                }
                None => *stock.get_mut(kind) = stock.get(kind).map(|count| count + 1),
            },
            Next::Repaired(part) => {
                history.events.push(PartEvent { at, part, down: false });
                failed[part as usize] += 1;
                let next = next_failure(part, failed[part as usize], at);
                queue.extend(next.map(|at| Reverse((at, Next::Failed(part)))));
            }
        }
    }
    for kind in PartKind::ALL {
        history.repairs.get_mut(kind).unfinished = waiting.get(kind).len() as u64;
    }
    history
}

/// An exponential time with a rate per millisecond, at least one millisecond. The same bits give the same
/// time on every machine.
fn exponential_ms(bits: u64, rate: f64) -> u64 {
    // The middle of one of 2^53 equal parts of the unit interval, so never 0.
    let uniform = ((bits >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let time = -libm::log(uniform) / rate;
    // Casts of large floats stop at the largest integer.
    (libm::round(time) as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::years::testing::{pod_of, request};

    fn parts() -> PodParts {
        let fabric = pod_of(4, "slice one { cubes = 1; topology = torus 4 x 4 x 4; }");
        PodParts::new(fabric.pod().unwrap(), 16)
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// The deviation of a mean from a known value, in standard errors.
    fn deviation(values: &[f64], known: f64) -> f64 {
        let middle = mean(values);
        let squares: f64 = values.iter().map(|value| (value - middle) * (value - middle)).sum();
        let count = values.len() as f64;
        (middle - known).abs() / (squares / (count - 1.0) / count).sqrt()
    }

    #[test]
    fn a_part_is_down_for_the_share_of_its_repairs() {
        // 64 hosts that fail every ten days and are down for two: 1/6 of the time.
        let per_day = PerPart { host: 0.1, ..PerPart::default() };
        let request = YearsRequest { per_day, repair_ms: 2 * DAY_MS, ..request(120) };
        let shares: Vec<f64> = (1..=20)
            .map(|seed| {
                let history = history(&parts(), &request, seed);
                let span = request.span_ms();
                let down = |event: &PartEvent| (span - event.at) as f64 * if event.down { 1.0 } else { -1.0 };
                history.events.iter().map(down).sum::<f64>() / (64 * span) as f64
            })
            .collect();
        assert!(deviation(&shares, 1.0 / 6.0) < 3.0, "{shares:?}");
    }

    /// One-for-one orders with S parts on stock. The parts on order are a birth and death chain, and any
    /// distribution of the delivery time gives the same shares. With x on order, N - max(0, x - S) parts
    /// work, each failing at rate r. The mean wait is the mean number of waiting parts over the rate of
    /// failures (Little's law).
    #[test]
    fn parts_wait_as_the_machine_repair_model_says() {
        for (stock, restock_days, rate) in [(0, 3, 0.02), (2, 3, 0.01), (4, 7, 0.01), (6, 7, 0.01)] {
            let count = 64.0;
            let mut chances = vec![1.0f64];
            for x in 0..(64 + stock) {
                let working = count - f64::from((x - stock).max(0));
                let up = rate * working * f64::from(restock_days) / f64::from(x + 1);
                chances.push(chances[x as usize] * up);
            }
            let total: f64 = chances.iter().sum();
            let share = |value: &dyn Fn(i32) -> f64| {
                (0..).zip(&chances).map(|(x, chance)| value(x) * chance).sum::<f64>() / total
            };
            let short = share(&|x| f64::from((x - stock).max(0)));
            let known_wait = short / (rate * (count - short));
            let per_day = PerPart { host: rate, ..PerPart::default() };
            let request = YearsRequest {
                per_day,
                repair_ms: 0,
                stock: PerPart { host: Some(stock as u32), ..PerPart::default() },
                restock_ms: restock_days as u64 * DAY_MS,
                ..request(240)
            };
            let waits: Vec<f64> = (1..=24)
                .map(|seed| {
                    let times = history(&parts(), &request, seed).repairs.host.times;
                    times.iter().map(|&time| time as f64).sum::<f64>() / times.len() as f64 / DAY_MS as f64
                })
                .collect();
            if stock == 0 {
                assert!(waits.iter().all(|wait| (wait - 3.0).abs() < 1e-9), "{waits:?}");
            } else {
                assert!(deviation(&waits, known_wait) < 3.0, "{stock}: {known_wait}, {waits:?}");
            }
        }
    }

    #[test]
    fn times_do_not_depend_on_other_parts() {
        let base = request(12);
        let with = |per_day| history(&parts(), &YearsRequest { per_day, ..base.clone() }, 3);
        let hosts = with(PerPart { host: 0.01, ..PerPart::default() });
        let all = with(PerPart { host: 0.01, cable: 0.001, ocs: 0.02 });
        let of_hosts: Vec<PartEvent> = all
            .events
            .into_iter()
            .filter(|event| matches!(parts().rated(event.part), Some((PartKind::Host, _))))
            .collect();
        assert!(!hosts.events.is_empty());
        assert_eq!(hosts.events, of_hosts);
    }
}
