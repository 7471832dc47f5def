//! What a traffic comes to on average, between routers and at endpoints.

use super::super::endpoints::Endpoints;
use super::super::layout::NONE;
use super::pattern::Pattern;
use super::rows::{Part, Rows};
use super::spread::common_divisor;
use fabc_ir::Fraction;

/// Flits per cycle at rate 1; of traffic that ends, flits of a whole run.
pub(in super::super) struct Expected {
    /// Between routers, in parts of `unit`.
    pub(in super::super) pairs: Pairs,
    /// So many parts are a flit per cycle.
    pub(in super::super) unit: u64,
    /// So many times as much as `pairs` say.
    pub(in super::super) each: u64,
    /// Of all that endpoints send, in the same parts.
    pub(in super::super) total: u128,
    /// That leave the endpoint that sends most.
    pub(in super::super) most_sending: Fraction,
    /// That arrive at the endpoint where most do.
    pub(in super::super) most_arriving: Fraction,
    /// Endpoints that send.
    pub(in super::super) senders: u32,
    /// That an endpoint which sends at all offers on average: 1 where all are alike.
    pub(in super::super) share: Fraction,
}

/// Pairs of routers that send.
pub(in super::super) enum Pairs {
    /// Every endpoint to every other one: products of their numbers.
    Uniform,
    /// By source (or, turned round, by destination).
    Listed {
        /// `[router]`: where its pairs begin; one more at the end.
        starts: Vec<usize>,
        /// The other router, and parts.
        pairs: Vec<(u32, u64)>,
    },
}

/// Parts of a flit where no common denominator is small: weights are then rounded up.
const FINEST: u64 = 1 << 40;

impl Pairs {
    /// Of a router with all others: the other one, and parts.
    pub(in super::super) fn of<'a>(
        &'a self,
        router: u32,
        endpoints: &'a Endpoints,
    ) -> impl Iterator<Item = (u32, u64)> + 'a {
        let (range, all) = match self {
            Pairs::Uniform => (0..0, 0..endpoints.first.len() as u32 - 1),
            Pairs::Listed { starts, .. } => (starts[router as usize]..starts[router as usize + 1], 0..0),
        };
        let here = endpoints.at(router as usize).len() as u64;
        let listed = match self {
            Pairs::Uniform => &[],
            Pairs::Listed { pairs, .. } => &pairs[range],
        };
        let product = move |other: u32| {
            let there = endpoints.at(other as usize).len() as u64;
            (other, if other == router { here * here.saturating_sub(1) } else { here * there })
        };
        listed.iter().copied().chain(all.map(product).filter(|(_, parts)| *parts > 0))
    }

    /// The same by destination.
    pub(in super::super) fn turned(&self, routers: usize) -> Self {
        let Pairs::Listed { starts, pairs } = self else { return Pairs::Uniform };
        let mut turned = vec![Vec::new(); routers];
        for from in 0..routers {
            pairs[starts[from]..starts[from + 1]]
                .iter()
                .for_each(|&(to, parts)| turned[to as usize].push((from as u32, parts)));
        }
        Self::listed(turned)
    }

    /// By source, in any order and with the same pair more than once.
    pub(super) fn gathered(mut rows: Vec<Vec<(u32, u64)>>) -> Self {
        rows.iter_mut().for_each(|row: &mut Vec<(u32, u64)>| gather(row));
        Self::listed(rows)
    }

    fn listed(rows: Vec<Vec<(u32, u64)>>) -> Self {
        let starts = std::iter::once(0).chain(rows.iter().scan(0, |sum, row| {
            *sum += row.len();
            Some(*sum)
        }));
        Pairs::Listed { starts: starts.collect(), pairs: rows.concat() }
    }
}

impl Expected {
    /// What a pattern comes to.
    pub(in super::super) fn of(pattern: &Pattern, endpoints: &Endpoints) -> Self {
        let (routers, count) = (endpoints.first.len() - 1, endpoints.count());
        let senders = (0..count).filter(|&source| pattern.sends(source)).count() as u32;
        let alike = |pairs, unit: u64, most: u64| Self {
            pairs,
            unit,
            each: 1,
            total: u128::from(unit) * u128::from(senders),
            most_sending: Fraction::whole(1u8),
            most_arriving: Fraction::new(most, unit),
            senders,
            share: Fraction::whole(1u8),
        };
        match pattern {
            Pattern::Uniform(_) => alike(Pairs::Uniform, u64::from(count - 1), u64::from(count - 1)),
            Pattern::Fixed(targets) => {
                let (mut rows, mut arriving) = (vec![Vec::new(); routers], vec![0u64; count as usize]);
                for (&from, &to) in endpoints.router.iter().zip(targets).filter(|(_, to)| **to != NONE) {
                    arriving[to as usize] += 1;
                    rows[from as usize].push((endpoints.router[to as usize], 1));
                }
                alike(Pairs::gathered(rows), 1, arriving.into_iter().max().unwrap_or(0))
            }
            Pattern::Drawn(rows) => Self::of_rows(rows, endpoints, senders),
        }
    }

    fn of_rows(rows: &Rows, endpoints: &Endpoints, senders: u32) -> Self {
        let (routers, count) = (endpoints.first.len() - 1, endpoints.count());
        let sources = || (0..count).filter(|&source| rows.sends(source));
        let unit = sources().try_fold(1, |unit, source| {
            // What an endpoint of a part hears is a ratio over both; what divides the weight is not
            // looked for.
            let below = rate(rows, source)[1];
            rows.of(source)
                .0
                .iter()
                .try_fold(unit, |unit, part| multiple(unit, below.checked_mul(part.count.into())?))
        });
        let unit = unit.unwrap_or(FINEST);
        // Parts to each endpoint of a range.
        let each = |source: u32, part: &Part| {
            let [above, below] = rate(rows, source).map(u128::from);
            let whole = u128::from(unit) * above * u128::from(part.weight);
            whole.div_ceil(below * u128::from(part.count)) as u64
        };
        let (mut lists, mut total, mut change) =
            (Vec::with_capacity(routers), 0u128, vec![0i128; count as usize + 1]);
        let (mut row, mut offered) = (vec![0u64; routers], 0u128);
        for router in 0..routers {
            for source in endpoints.at(router).filter(|&source| rows.sends(source)) {
                offered += u128::from(rows.share(source)[0]);
                for part in rows.of(source).0 {
                    let (each, last) = (each(source, part), part.first + part.count);
                    change[part.first as usize] += i128::from(each);
                    change[last as usize] -= i128::from(each);
                    total += u128::from(each) * u128::from(part.count);
                    let mut at = part.first;
                    while at < last {
                        let there = endpoints.router[at as usize];
                        let behind = endpoints.at(there as usize).end.min(last);
                        row[there as usize] += each * u64::from(behind - at);
                        at = behind;
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
        let most = sources().next().map_or(1, |source| rows.share(source)[1]);
        Self {
            pairs: Pairs::listed(lists),
            unit,
            each: 1,
            total,
            most_sending: Fraction::whole(1u8),
            most_arriving: Fraction::new(arriving.max().unwrap_or(0) as u128, unit),
            senders,
            share: Fraction::new(offered, u128::from(most) * u128::from(senders.max(1))),
        }
    }
}

/// What a weight of 1 in the row of an endpoint is at rate 1, as a ratio in lowest terms.
fn rate(rows: &Rows, source: u32) -> [u64; 2] {
    let ([share, most], total) = (rows.share(source), rows.of(source).1);
    let [share, total] = [share, total].map(|value| value / common_divisor(share, total));
    let [share, most] = [share, most].map(|value| value / common_divisor(share, most));
    // Ratios with larger denominators are as small as nothing.
    [share, most.saturating_mul(total)]
}

/// The least common multiple, if it is not too large.
fn multiple(one: u64, other: u64) -> Option<u64> {
    (one / common_divisor(one, other)).checked_mul(other).filter(|&multiple| multiple <= FINEST)
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

    fn endpoints(hosts: &[u32]) -> Endpoints {
        let (mut router, mut first) = (Vec::new(), vec![0]);
        for (at, &hosts) in (0..).zip(hosts) {
            router.extend((0..hosts).map(|_| at));
            first.push(router.len() as u32);
        }
        Endpoints { router, first }
    }

    #[test]
    fn rows_come_to_what_they_say() {
        let endpoints = endpoints(&[2, 1, 3]);
        let mut rows = Rows::new(6);
        // Both hosts of the first router: a third to the second router, the rest to the third one. The host
        // of the second one offers half as much, all of it to the last host.
        let part = |first, count, weight| Part { first, count, weight };
        rows.add(0..2, [part(2, 1, 1), part(3, 3, 2)], 4);
        rows.add(2..3, [part(5, 1, 7)], 2);
        let expected = Expected::of(&Pattern::Drawn(rows), &endpoints);
        assert_eq!((expected.senders, expected.share), (3, Fraction::new(5u8, 6u8)));
        let of = |parts: u64| Fraction::new(parts, expected.unit);
        let pairs = |router| {
            expected.pairs.of(router, &endpoints).map(|(to, parts)| (to, of(parts))).collect::<Vec<_>>()
        };
        assert_eq!(pairs(0), [(1, Fraction::new(2u8, 3u8)), (2, Fraction::new(4u8, 3u8))]);
        assert_eq!((pairs(1), pairs(2)), (vec![(2, Fraction::new(1u8, 2u8))], vec![]));
        // Of the last host: 2 x 2/9 and 1/2.
        assert_eq!(expected.most_arriving, Fraction::new(17u8, 18u8));
        assert_eq!(Fraction::new(expected.total, expected.unit), Fraction::new(5u8, 2u8));
        let turned = expected.pairs.turned(3);
        assert_eq!(
            turned.of(2, &endpoints).map(|(from, parts)| (from, of(parts))).collect::<Vec<_>>(),
            [(0, Fraction::new(4u8, 3u8)), (1, Fraction::new(1u8, 2u8)),]
        );
    }

    #[test]
    fn uniform_is_what_listed_pairs_would_be() {
        let endpoints = endpoints(&[2, 0, 3]);
        let uniform = Expected::of(&Pattern::Uniform(5), &endpoints);
        assert_eq!(uniform.pairs.of(0, &endpoints).collect::<Vec<_>>(), [(0, 2), (2, 6)]);
        assert_eq!(uniform.pairs.of(1, &endpoints).count(), 0);
        assert_eq!((uniform.unit, uniform.total), (4, 20));
    }
}
