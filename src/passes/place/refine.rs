//! Routers change cabinets while that keeps more links within them.
//!
//! In: who is joined to whom, and cabinets. Out: the same cabinets, as full as before, but for exchanges of
//! two routers, or moves into free room, each of which leaves more links within. Every router in turn takes
//! the best exchange with a cabinet that it has links to, ties with the least router, until none gains.
//! Source: Kernighan and Lin 1970, without their uphill steps. Cost per pass: links x routers of a cabinet x
//! links of a router.

/// Passes over all routers, at most.
const PASSES: usize = 50;

/// `[router]`: its cabinet, after all exchanges.
pub(super) fn refined(neighbors: &[Vec<u32>], mut cabinet_of: Vec<u32>, most: u32) -> Vec<u32> {
    let cabinets = cabinet_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); cabinets];
    (0u32..).zip(&cabinet_of).for_each(|(router, &cabinet)| members[cabinet as usize].push(router));
    for _ in 0..PASSES {
        let mut gained = false;
        for router in 0..neighbors.len() as u32 {
            let Some((partner, to)) = best(neighbors, &cabinet_of, &members, most, router) else { continue };
            gained = true;
            let from = cabinet_of[router as usize];
            let mut shift = |router: u32, from: u32, to: u32| {
                members[from as usize].retain(|&member| member != router);
                members[to as usize].push(router);
                cabinet_of[router as usize] = to;
            };
            shift(router, from, to);
            if let Some(partner) = partner {
                shift(partner, to, from);
            }
        }
        if !gained {
            break;
        }
    }
    cabinet_of
}

/// The exchange that leaves most links more within cabinets, if any does: with whom, and where.
fn best(
    neighbors: &[Vec<u32>],
    cabinet_of: &[u32],
    members: &[Vec<u32>],
    most: u32,
    router: u32,
) -> Option<(Option<u32>, u32)> {
    let links = |router: u32, cabinet: u32| {
        neighbors[router as usize].iter().filter(|&&met| cabinet_of[met as usize] == cabinet).count() as i64
    };
    let from = cabinet_of[router as usize];
    let stays = links(router, from);
    let mut cabinets: Vec<u32> = neighbors[router as usize]
        .iter()
        .map(|&met| cabinet_of[met as usize])
        .filter(|&met| met != from)
        .collect();
    cabinets.sort_unstable();
    cabinets.dedup();
    let mut found: Option<(i64, Option<u32>, u32)> = None;
    let mut consider = |gain: i64, partner: Option<u32>, to: u32| {
        let better = match found {
            None => true,
            Some((most, with, _)) => gain > most || gain == most && partner < with,
        };
        if gain > 0 && better {
            found = Some((gain, partner, to));
        }
    };
    for to in cabinets {
        let leaves = links(router, to) - stays;
        if members[to as usize].len() < most as usize && members[from as usize].len() > 1 {
            consider(leaves, None, to);
        }
        for &partner in &members[to as usize] {
            let joined = neighbors[router as usize].iter().filter(|&&met| met == partner).count() as i64;
            consider(leaves + links(partner, from) - links(partner, to) - 2 * joined, Some(partner), to);
        }
    }
    found.map(|(_, partner, to)| (partner, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_squares_find_themselves() {
        // 0 to 3 and 4 to 7, dealt out in turn.
        let neighbors: Vec<Vec<u32>> = (0..8u32)
            .map(|router| vec![router / 4 * 4 + (router + 1) % 4, router / 4 * 4 + (router + 3) % 4])
            .collect();
        let found = refined(&neighbors, vec![0, 1, 0, 1, 0, 1, 0, 1], 4);
        assert!(
            found[..4].iter().all(|&cabinet| cabinet == found[0])
                && found[4..].iter().all(|&cabinet| cabinet == found[4]),
            "{found:?}"
        );
        assert_ne!(found[0], found[4]);
    }
}
