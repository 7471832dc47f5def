//! Random regular graphs: the ends of all links are paired at random, and what is wrong is repaired by
//! exchanges.
//!
//! Source: Bollobas 1980 (pairing of ends); the repair is as in Jellyfish (Singla and others 2012).

use super::links::Links;
use fabc_base::random::Stream;
use std::collections::BTreeSet;

/// Exchanges that are tried for every link, on average, before the draw is given up.
const TRIES: usize = 100;

/// A simple connected graph of `routers` routers with `degree` links each; `None` where the draw cannot be
/// repaired, or is in pieces.
pub(super) fn draw(routers: u32, degree: u32, stream: &mut Stream) -> Option<Links> {
    let mut ends: Vec<u32> = (0..routers).flat_map(|router| (0..degree).map(move |_| router)).collect();
    stream.shuffle(&mut ends);
    let mut links: Vec<[u32; 2]> = ends.chunks_exact(2).map(|pair| sorted([pair[0], pair[1]])).collect();
    let mut known: BTreeSet<[u32; 2]> = BTreeSet::new();
    // Those that stand alone are good; of equal ones all but the first are not.
    let mut wrong: Vec<usize> =
        (0..links.len()).filter(|&at| links[at][0] == links[at][1] || !known.insert(links[at])).collect();
    let mut tries = TRIES * links.len();
    while let Some(&at) = wrong.last() {
        tries = tries.checked_sub(1)?;
        let other = stream.below(links.len());
        if wrong.contains(&other) {
            continue;
        }
        let ([a, b], [c, d]) = (links[at], links[other]);
        let (c, d) = if stream.below(2) == 0 { (c, d) } else { (d, c) };
        let new = [sorted([a, c]), sorted([b, d])];
        if a == c || b == d || new[0] == new[1] || new.iter().any(|pair| known.contains(pair)) {
            continue;
        }
        known.remove(&links[other]);
        known.extend(new);
        [links[at], links[other]] = new;
        wrong.pop();
    }
    links.sort_unstable();
    is_connected(routers, &links).then_some(links)
}

/// The smaller one first.
fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Whether links that run both ways join all routers.
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
