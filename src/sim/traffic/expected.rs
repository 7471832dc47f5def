//! The average traffic between routers and at endpoints.

use super::super::endpoints::EndpointMap;
use super::super::layout::NONE;
use super::pattern::Pattern;
use super::rows::{DestinationPart, DestinationRows};
use fabc_base::divisors::{greatest_common_divisor, least_common_multiple};
use fabc_ir::Fraction;

/// The expected traffic in flits per cycle at rate 1. For traffic that ends, in flits of a whole run.
pub(in super::super) struct ExpectedTraffic {
    /// Traffic between routers, in parts of `unit`.
    pub(in super::super) pairs: RouterPairs,
    /// Flits of messages that cross one given channel.
    pub(in super::super) direct: Vec<(u32, u64)>,
    /// The number of parts that make a flit per cycle.
    pub(in super::super) unit: u64,
    /// A factor for all numbers in `pairs`.
    pub(in super::super) each: u64,
    /// The sum over everything that endpoints send, in the same parts.
    pub(in super::super) total: u128,
    /// The flits that leave the endpoint that sends most.
    pub(in super::super) most_sending: Fraction,
    /// The flits that arrive at the endpoint that receives most.
    pub(in super::super) most_arriving: Fraction,
    /// The number of endpoints that send.
    pub(in super::super) senders: u32,
    /// The average offer of an endpoint that sends at all. It is 1 where all are alike.
    pub(in super::super) share: Fraction,
}

/// Pairs of routers that send.
pub(in super::super) enum RouterPairs {
    /// Every endpoint sends to every other one. The parts are products of the numbers of endpoints.
    Uniform,
    /// Listed by source, or by destination after a transposition.
    Listed {
        /// `[router]`: where its pairs begin. One more entry holds the end.
        starts: Vec<usize>,
        /// The other router, and the parts of the pair.
        pairs: Vec<(u32, u64)>,
    },
}

/// The parts of a flit where no common denominator is small. Weights are then rounded up.
const FINEST: u64 = 1 << 40;

impl RouterPairs {
    /// The pairs of a router: the other router, and the parts.
    pub(in super::super) fn of_router<'a>(
        &'a self,
        router: u32,
        endpoints: &'a EndpointMap,
    ) -> impl Iterator<Item = (u32, u64)> + 'a {
        let (range, others) = match self {
            RouterPairs::Uniform => (0..0, 0..endpoints.first.len() as u32 - 1),
            RouterPairs::Listed { starts, .. } => {
                (starts[router as usize]..starts[router as usize + 1], 0..0)
            }
        };
        let source_count = endpoints.of_router(router as usize).len() as u64;
        let listed = match self {
            RouterPairs::Uniform => &[],
            RouterPairs::Listed { pairs, .. } => &pairs[range],
        };
        let product = move |other: u32| {
            let target_count = endpoints.of_router(other as usize).len() as u64;
            (
                other,
                if other == router {
                    source_count * source_count.saturating_sub(1)
                } else {
                    source_count * target_count
                },
            )
        };
        listed.iter().copied().chain(others.map(product).filter(|(_, parts)| *parts > 0))
    }

    /// The same pairs, listed by destination.
    pub(in super::super) fn by_destination(&self, routers: usize) -> Self {
        let RouterPairs::Listed { starts, pairs } = self else { return RouterPairs::Uniform };
        let mut turned = vec![Vec::new(); routers];
        for from in 0..routers {
            pairs[starts[from]..starts[from + 1]]
                .iter()
                .for_each(|&(to, parts)| turned[to as usize].push((from as u32, parts)));
        }
        Self::listed(turned)
    }

    /// Pairs by source, in any order. The same pair may come more than once.
    pub(in super::super) fn gathered(mut rows: Vec<Vec<(u32, u64)>>) -> Self {
        rows.iter_mut().for_each(|row: &mut Vec<(u32, u64)>| gather(row));
        Self::listed(rows)
    }

    fn listed(rows: Vec<Vec<(u32, u64)>>) -> Self {
        let starts = std::iter::once(0).chain(rows.iter().scan(0, |sum, row| {
            *sum += row.len();
            Some(*sum)
        }));
        RouterPairs::Listed { starts: starts.collect(), pairs: rows.concat() }
    }
}

impl ExpectedTraffic {
    /// The expected traffic of a pattern.
    pub(in super::super) fn of_pattern(pattern: &Pattern, endpoints: &EndpointMap) -> Self {
        let (routers, count) = (endpoints.first.len() - 1, endpoints.count());
        let senders = (0..count).filter(|&source| pattern.sends(source)).count() as u32;
        let alike = |pairs, unit: u64, highest: u64| Self {
            pairs,
            direct: Vec::new(),
            unit,
            each: 1,
            total: u128::from(unit) * u128::from(senders),
            most_sending: Fraction::integer(1u8),
            most_arriving: Fraction::new(highest, unit),
            senders,
            share: Fraction::integer(1u8),
        };
        match pattern {
            Pattern::Uniform(_) => alike(RouterPairs::Uniform, u64::from(count - 1), u64::from(count - 1)),
            Pattern::Fixed(targets) => {
                let (mut rows, mut arriving) = (vec![Vec::new(); routers], vec![0u64; count as usize]);
                for (&from, &to) in endpoints.router.iter().zip(targets).filter(|(_, to)| **to != NONE) {
                    arriving[to as usize] += 1;
                    rows[from as usize].push((endpoints.router[to as usize], 1));
                }
                alike(RouterPairs::gathered(rows), 1, arriving.into_iter().max().unwrap_or(0))
            }
            Pattern::Drawn(rows) => Self::of_rows(rows, endpoints, senders),
        }
    }

    fn of_rows(rows: &DestinationRows, endpoints: &EndpointMap, senders: u32) -> Self {
        let (routers, count) = (endpoints.first.len() - 1, endpoints.count());
        let sources = || (0..count).filter(|&source| rows.sends(source));
        let unit = sources().try_fold(1, |unit, source| {
            // What an endpoint of a part receives is a ratio over both. Common divisors with the weight are
            // not searched for.
            let below = rate(rows, source)[1];
            rows.parts_of(source)
                .0
                .iter()
                .try_fold(unit, |unit, part| multiple(unit, below.checked_mul(part.count.into())?))
        });
        let unit = unit.unwrap_or(FINEST);
        // Parts to each endpoint of a range.
        let parts_each = |source: u32, part: &DestinationPart| {
            let [above, below] = rate(rows, source).map(u128::from);
            let parts = u128::from(unit) * above * u128::from(part.weight);
            parts.div_ceil(below * u128::from(part.count)) as u64
        };
        let (mut lists, mut total, mut change) =
            (Vec::with_capacity(routers), 0u128, vec![0i128; count as usize + 1]);
        let (mut row, mut offered) = (vec![0u64; routers], 0u128);
        for router in 0..routers {
            for source in endpoints.of_router(router).filter(|&source| rows.sends(source)) {
                offered += u128::from(rows.share(source)[0]);
                for part in rows.parts_of(source).0 {
                    let (parts, last) = (parts_each(source, part), part.first + part.count);
                    change[part.first as usize] += i128::from(parts);
                    change[last as usize] -= i128::from(parts);
                    total += u128::from(parts) * u128::from(part.count);
                    let mut endpoint = part.first;
                    while endpoint < last {
                        let target = endpoints.router[endpoint as usize];
                        let end = endpoints.of_router(target as usize).end.min(last);
                        row[target as usize] += parts * u64::from(end - endpoint);
                        endpoint = end;
                    }
                }
            }
            lists.push((0u32..).zip(row.iter().copied()).filter(|(_, parts)| *parts > 0).collect());
            row.fill(0);
        }
        let arriving = change.into_iter().scan(0i128, |sum, change| {
            *sum += change;
            Some(*sum)
        });
        let largest = sources().next().map_or(1, |source| rows.share(source)[1]);
        Self {
            pairs: RouterPairs::listed(lists),
            direct: Vec::new(),
            unit,
            each: 1,
            total,
            most_sending: Fraction::integer(1u8),
            most_arriving: Fraction::new(arriving.max().unwrap_or(0) as u128, unit),
            senders,
            share: Fraction::new(offered, u128::from(largest) * u128::from(senders.max(1))),
        }
    }
}

/// The rate of a weight of 1 in the row of an endpoint, as a ratio in lowest terms.
fn rate(rows: &DestinationRows, source: u32) -> [u64; 2] {
    let ([share, largest], total) = (rows.share(source), rows.parts_of(source).1);
    let [share, total] = [share, total].map(|value| value / greatest_common_divisor(share, total));
    let [share, largest] = [share, largest].map(|value| value / greatest_common_divisor(share, largest));
    // Ratios with larger denominators are too small to matter.
    [share, largest.saturating_mul(total)]
}

/// The least common multiple, if it is not too large.
fn multiple(first: u64, second: u64) -> Option<u64> {
    least_common_multiple(first.into(), second.into(), FINEST.into()).map(|multiple| multiple as u64)
}

/// Adds up the parts of equal pairs.
fn gather(row: &mut Vec<(u32, u64)>) {
    row.sort_unstable();
    row.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 += later.1;
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoints(hosts: &[u32]) -> EndpointMap {
        let (mut router, mut first) = (Vec::new(), vec![0]);
        for (at, &hosts) in (0..).zip(hosts) {
            router.extend((0..hosts).map(|_| at));
            first.push(router.len() as u32);
        }
        EndpointMap { router, first }
    }

    #[test]
    fn rows_come_to_what_they_say() {
        let endpoints = endpoints(&[2, 1, 3]);
        let mut rows = DestinationRows::new(6);
        // Both hosts of the first router: a third to the second router, the rest to the third one. The host
        // of the second one offers half as much, all of it to the last host.
        let part = |first, count, weight| DestinationPart { first, count, weight };
        rows.add(0..2, [part(2, 1, 1), part(3, 3, 2)], 4);
        rows.add(2..3, [part(5, 1, 7)], 2);
        let expected = ExpectedTraffic::of_pattern(&Pattern::Drawn(rows), &endpoints);
        assert_eq!((expected.senders, expected.share), (3, Fraction::new(5u8, 6u8)));
        let of = |parts: u64| Fraction::new(parts, expected.unit);
        let pairs = |router| {
            expected
                .pairs
                .of_router(router, &endpoints)
                .map(|(to, parts)| (to, of(parts)))
                .collect::<Vec<_>>()
        };
        assert_eq!(pairs(0), [(1, Fraction::new(2u8, 3u8)), (2, Fraction::new(4u8, 3u8))]);
        assert_eq!((pairs(1), pairs(2)), (vec![(2, Fraction::new(1u8, 2u8))], vec![]));
        // Of the last host: 2 x 2/9 and 1/2.
        assert_eq!(expected.most_arriving, Fraction::new(17u8, 18u8));
        assert_eq!(Fraction::new(expected.total, expected.unit), Fraction::new(5u8, 2u8));
        let turned = expected.pairs.by_destination(3);
        assert_eq!(
            turned.of_router(2, &endpoints).map(|(from, parts)| (from, of(parts))).collect::<Vec<_>>(),
            [(0, Fraction::new(4u8, 3u8)), (1, Fraction::new(1u8, 2u8)),]
        );
    }

    #[test]
    fn uniform_is_what_listed_pairs_would_be() {
        let endpoints = endpoints(&[2, 0, 3]);
        let uniform = ExpectedTraffic::of_pattern(&Pattern::Uniform(5), &endpoints);
        assert_eq!(uniform.pairs.of_router(0, &endpoints).collect::<Vec<_>>(), [(0, 2), (2, 6)]);
        assert_eq!(uniform.pairs.of_router(1, &endpoints).count(), 0);
        assert_eq!((uniform.unit, uniform.total), (4, 20));
    }
}
