//! The tiers of a network whose routes go up and then down.

/// The tiers of a network, if it has tiers: endpoints are at tier 0, every link joins two neighboring tiers,
/// and every router has a tier.
///
/// `endpoints` says of every router whether it is an endpoint. `links` has the two routers of every link.
/// Returns `[router]`: its tier, which is its distance from the nearest endpoint.
pub fn router_tiers(endpoints: &[bool], links: &[[u32; 2]]) -> Option<Vec<u32>> {
    let tiers = distances(endpoints, links);
    let all_reached = !tiers.contains(&u32::MAX);
    (all_reached && link_between_equals(&tiers, links).is_none()).then_some(tiers)
}

/// The same as [`router_tiers`], but links may join two endpoints as well. Such endpoints must not forward.
pub fn tiers_with_direct_links(endpoints: &[bool], links: &[[u32; 2]]) -> Option<Vec<u32>> {
    let is_direct = |link: &[u32; 2]| link.iter().all(|&end| endpoints[end as usize]);
    let others: Vec<[u32; 2]> = links.iter().copied().filter(|link| !is_direct(link)).collect();
    router_tiers(endpoints, &others)
}

/// The first link that joins two routers of one tier, as an index. The arguments are those of
/// [`router_tiers`].
pub(crate) fn link_within_tier(endpoints: &[bool], links: &[[u32; 2]]) -> Option<usize> {
    link_between_equals(&distances(endpoints, links), links)
}

fn link_between_equals(tiers: &[u32], links: &[[u32; 2]]) -> Option<usize> {
    links.iter().position(|&[first, second]| tiers[first as usize] == tiers[second as usize])
}

/// `[router]`: its distance from the nearest endpoint, or [`u32::MAX`].
fn distances(endpoints: &[bool], links: &[[u32; 2]]) -> Vec<u32> {
    // The neighbors of router u are `neighbors[starts[u]..starts[u + 1]]`.
    let mut starts = vec![0usize; endpoints.len() + 1];
    for end in links.iter().flatten() {
        starts[*end as usize + 1] += 1;
    }
    for router in 0..endpoints.len() {
        starts[router + 1] += starts[router];
    }
    let mut next = starts.clone();
    let mut neighbors = vec![0u32; 2 * links.len()];
    for &[first, second] in links {
        for [from, to] in [[first, second], [second, first]] {
            neighbors[next[from as usize]] = to;
            next[from as usize] += 1;
        }
    }
    let mut tiers = vec![u32::MAX; endpoints.len()];
    let mut reached: Vec<u32> =
        (0..endpoints.len() as u32).filter(|&router| endpoints[router as usize]).collect();
    reached.iter().for_each(|&router| tiers[router as usize] = 0);
    let mut place = 0;
    while let Some(&router) = reached.get(place) {
        place += 1;
        let above = tiers[router as usize] + 1;
        for &to in &neighbors[starts[router as usize]..starts[router as usize + 1]] {
            if tiers[to as usize] == u32::MAX {
                tiers[to as usize] = above;
                reached.push(to);
            }
        }
    }
    tiers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_and_spines_have_two_tiers() {
        let links = [[0, 2], [0, 3], [1, 2], [1, 3]];
        assert_eq!(router_tiers(&[true, true, false, false], &links), Some(vec![0, 0, 1, 1]));
    }

    #[test]
    fn a_link_within_a_tier_or_a_router_apart_is_no_tier() {
        let links = [[0, 2], [1, 2], [2, 3]];
        assert_eq!(router_tiers(&[true, true, false, false], &links), Some(vec![0, 0, 1, 2]));
        assert_eq!(router_tiers(&[true, true, false, false], &[[0, 2], [1, 3], [2, 3]]), None);
        assert_eq!(router_tiers(&[true, true, false], &[[0, 1]]), None);
        assert_eq!(link_within_tier(&[true, true, false, false], &[[0, 2], [1, 3], [2, 3]]), Some(2));
    }
}
