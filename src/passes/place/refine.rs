//! Routers change cabinets while that keeps more links within cabinets.
//!
//! Input: the neighbors of routers, and cabinets. Output: the same cabinets after exchanges of two routers or
//! moves into free room, each of which puts more links within cabinets. Every router in turn takes the best
//! exchange with a cabinet that it has links to. Ties go to the lowest router. The pass ends when no exchange
//! gains. Source: Kernighan and Lin 1970, without their uphill steps. Cost per pass: links x routers of a
//! cabinet x links of a router.

/// Limit on passes over all routers.
const PASSES: usize = 50;

/// `[router]`: its cabinet after all exchanges. A cabinet holds at most `capacity` routers.
pub(super) fn refine_cabinets(neighbors: &[Vec<u32>], mut cabinet_of: Vec<u32>, capacity: u32) -> Vec<u32> {
    let cabinets = cabinet_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); cabinets];
    (0u32..).zip(&cabinet_of).for_each(|(router, &cabinet)| members[cabinet as usize].push(router));
    for _ in 0..PASSES {
        let mut improved = false;
        for router in 0..neighbors.len() as u32 {
            let Some((partner, to)) = best_exchange(neighbors, &cabinet_of, &members, capacity, router)
            else {
                continue;
            };
            improved = true;
            let from = cabinet_of[router as usize];
            let mut move_router = |router: u32, from: u32, to: u32| {
                members[from as usize].retain(|&member| member != router);
                members[to as usize].push(router);
                cabinet_of[router as usize] = to;
            };
            move_router(router, from, to);
            if let Some(partner) = partner {
                move_router(partner, to, from);
            }
        }
        if !improved {
            break;
        }
    }
    cabinet_of
}

/// The exchange that puts the most further links within cabinets, as (partner, new cabinet). `None` if none
/// gains.
fn best_exchange(
    neighbors: &[Vec<u32>],
    cabinet_of: &[u32],
    members: &[Vec<u32>],
    capacity: u32,
    router: u32,
) -> Option<(Option<u32>, u32)> {
    let links = |router: u32, cabinet: u32| {
        neighbors[router as usize]
            .iter()
            .filter(|&&neighbor| cabinet_of[neighbor as usize] == cabinet)
            .count() as i64
    };
    let from = cabinet_of[router as usize];
    let links_at_home = links(router, from);
    let mut cabinets: Vec<u32> = neighbors[router as usize]
        .iter()
        .map(|&neighbor| cabinet_of[neighbor as usize])
        .filter(|&neighbor| neighbor != from)
        .collect();
    cabinets.sort_unstable();
    cabinets.dedup();
    let mut best_move: Option<(i64, Option<u32>, u32)> = None;
    let mut consider = |gain: i64, partner: Option<u32>, to: u32| {
        let better = match best_move {
            None => true,
            Some((best_gain, best_partner, _)) => {
                gain > best_gain || gain == best_gain && partner < best_partner
            }
        };
        if gain > 0 && better {
            best_move = Some((gain, partner, to));
        }
    };
    for to in cabinets {
        let gain = links(router, to) - links_at_home;
        if members[to as usize].len() < capacity as usize && members[from as usize].len() > 1 {
            consider(gain, None, to);
        }
        for &partner in &members[to as usize] {
            let joined =
                neighbors[router as usize].iter().filter(|&&neighbor| neighbor == partner).count() as i64;
            consider(gain + links(partner, from) - links(partner, to) - 2 * joined, Some(partner), to);
        }
    }
    best_move.map(|(_, partner, to)| (partner, to))
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
        let found = refine_cabinets(&neighbors, vec![0, 1, 0, 1, 0, 1, 0, 1], 4);
        assert!(
            found[..4].iter().all(|&cabinet| cabinet == found[0])
                && found[4..].iter().all(|&cabinet| cabinet == found[4]),
            "{found:?}"
        );
        assert_ne!(found[0], found[4]);
    }
}
