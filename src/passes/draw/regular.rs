//! Random regular graphs. The ends of all links are paired at random, and exchanges repair invalid links.
//!
//! Source: Bollobas 1980 (pairing of ends). The repair is as in Jellyfish (Singla and others 2012).

use super::links::LinkPairs;
use fabc_base::random::Stream;
use std::collections::BTreeSet;

/// Average number of exchanges per link before the draw is given up.
const TRIES: usize = 100;

/// A simple connected graph of `routers` routers with `degree` links each. `None` if the draw cannot be
/// repaired or is disconnected.
pub(super) fn draw(routers: u32, degree: u32, stream: &mut Stream) -> Option<LinkPairs> {
    let mut stubs: Vec<u32> = (0..routers).flat_map(|router| (0..degree).map(move |_| router)).collect();
    stream.shuffle(&mut stubs);
    let mut links: Vec<[u32; 2]> =
        stubs.chunks_exact(2).map(|pair| sorted_pair([pair[0], pair[1]])).collect();
    let mut known: BTreeSet<[u32; 2]> = BTreeSet::new();
    // A link is valid if its routers differ and no earlier link equals it.
    let mut invalid: Vec<usize> = (0..links.len())
        .filter(|&index| links[index][0] == links[index][1] || !known.insert(links[index]))
        .collect();
    let mut tries = TRIES * links.len();
    while let Some(&index) = invalid.last() {
        tries = tries.checked_sub(1)?;
        let other = stream.below(links.len());
        if invalid.contains(&other) {
            continue;
        }
        let ([a, b], [c, d]) = (links[index], links[other]);
        let (c, d) = if stream.below(2) == 0 { (c, d) } else { (d, c) };
        let exchanged = [sorted_pair([a, c]), sorted_pair([b, d])];
        if a == c
            || b == d
            || exchanged[0] == exchanged[1]
            || exchanged.iter().any(|pair| known.contains(pair))
        {
            continue;
        }
        known.remove(&links[other]);
        known.extend(exchanged);
        [links[index], links[other]] = exchanged;
        invalid.pop();
    }
    links.sort_unstable();
    is_connected(routers, &links).then_some(links)
}

/// A pair with the lower router first.
fn sorted_pair(pair: [u32; 2]) -> [u32; 2] {
    let [a, b] = pair;
    [a.min(b), a.max(b)]
}

/// Whether duplex links connect all routers.
pub(super) fn is_connected(routers: u32, links: &[[u32; 2]]) -> bool {
    let mut parts = petgraph::unionfind::UnionFind::<u32>::new(routers as usize);
    let joins = links.iter().filter(|&&[a, b]| parts.union(a, b)).count();
    joins + 1 == routers as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_simple_regular_and_connected() {
        for (routers, degree) in [(10, 3), (24, 5), (9, 4), (60, 4), (100, 11)] {
            let links = draw(routers, degree, &mut Stream::new(1, 0)).expect("a draw");
            let mut ends = vec![0; routers as usize];
            links.iter().flatten().for_each(|&end| ends[end as usize] += 1);
            assert!(ends.iter().all(|&count| count == degree), "{routers} {degree}");
            assert!(links.iter().all(|[a, b]| a < b) && links.windows(2).all(|pair| pair[0] < pair[1]));
        }
        let other = |stream| draw(24, 5, &mut Stream::new(1, stream));
        assert!(other(0) == other(0) && other(0) != other(1));
    }
}
