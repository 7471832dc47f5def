//! A ring with random shortcuts.
//!
//! Input: number of routers, degree, and the distances that a shortcut may have. Output: the links. After the
//! ring come `degree - 2` passes. In a pass a random router that is not yet served meets a random router that
//! it may be joined to, and both are served. A router without a possible partner is served alone and keeps a
//! port free. Source: Koibuchi and others 2012 and 2013 (random shortcuts, and near ones).

use super::links::LinkPairs;
use super::normal::standard_normal;
use fabc_base::random::Stream;
use fabc_model::{ShortcutReach, Shortcuts};

/// Draws of a distance before any allowed router is taken.
const TRIES: usize = 2000;
/// Draws of a router, all with the same chance, before the allowed ones are listed.
const QUICK_DRAWS: usize = 50;

/// The links of the ring and its shortcuts, ascending.
pub(super) fn draw(shortcuts: &Shortcuts, stream: &mut Stream) -> LinkPairs {
    let routers = shortcuts.routers;
    let mut ring = DrawnRing {
        size: routers,
        farthest: shortcuts.farthest(),
        neighbors: vec![Vec::new(); routers as usize],
        links: LinkPairs::new(),
    };
    (0..routers).for_each(|router| ring.join(router, (router + 1) % routers));
    for _ in 2..shortcuts.degree {
        let mut unserved = UnservedRouters {
            routers: (0..routers).collect(),
            place: (0..routers as usize).map(Some).collect(),
        };
        while !unserved.routers.is_empty() {
            let router = unserved.routers[stream.below(unserved.routers.len())];
            unserved.remove(router);
            let partner = match shortcuts.reach {
                ShortcutReach::Any | ShortcutReach::Within(_) => ring.draw_uniform(&unserved, router, stream),
                ShortcutReach::Normal(share) => ring.draw_normal(&unserved, router, share.as_f64(), stream),
            };
            if let Some(partner) = partner {
                unserved.remove(partner);
                ring.join(router, partner);
            }
        }
    }
    ring.links.sort_unstable();
    ring.links
}

/// Routers that a pass has not served.
struct UnservedRouters {
    routers: Vec<u32>,
    /// `[router]`: its index in `routers`.
    place: Vec<Option<usize>>,
}

impl UnservedRouters {
    fn remove(&mut self, router: u32) {
        if let Some(index) = self.place[router as usize].take() {
            self.routers.swap_remove(index);
            if let Some(&moved) = self.routers.get(index) {
                self.place[moved as usize] = Some(index);
            }
        }
    }
    fn contains(&self, router: u32) -> bool {
        self.place[router as usize].is_some()
    }
}

struct DrawnRing {
    size: u32,
    farthest: u32,
    neighbors: Vec<Vec<u32>>,
    links: LinkPairs,
}

impl DrawnRing {
    fn join(&mut self, first: u32, second: u32) {
        self.neighbors[first as usize].push(second);
        self.neighbors[second as usize].push(first);
        self.links.push([first.min(second), first.max(second)]);
    }

    /// Whether a shortcut may join two routers now.
    fn may_join(&self, first: u32, second: u32) -> bool {
        let distance = first.abs_diff(second);
        first != second
            && distance.min(self.size - distance) <= self.farthest
            && !self.neighbors[first as usize].contains(&second)
    }

    /// One of all unserved and allowed routers, each with the same chance.
    fn draw_uniform(&self, unserved: &UnservedRouters, router: u32, stream: &mut Stream) -> Option<u32> {
        if unserved.routers.is_empty() {
            return None;
        }
        let drawn = (0..QUICK_DRAWS)
            .map(|_| unserved.routers[stream.below(unserved.routers.len())])
            .find(|&other| self.may_join(router, other));
        drawn.or_else(|| self.draw_listed(unserved, router, stream))
    }

    /// The same, drawn from a list of the allowed routers.
    fn draw_listed(&self, unserved: &UnservedRouters, router: u32, stream: &mut Stream) -> Option<u32> {
        let allowed: Vec<u32> =
            unserved.routers.iter().copied().filter(|&other| self.may_join(router, other)).collect();
        if allowed.is_empty() { None } else { Some(allowed[stream.below(allowed.len())]) }
    }

    /// A router at a normal distance with a deviation of half of `share` of the ring.
    fn draw_normal(
        &self,
        unserved: &UnservedRouters,
        router: u32,
        share: f64,
        stream: &mut Stream,
    ) -> Option<u32> {
        if !unserved.routers.iter().any(|&other| self.may_join(router, other)) {
            return None;
        }
        let (size, half) = (i64::from(self.size), f64::from(self.size) / 2.0);
        let drawn = (0..TRIES).find_map(|_| {
            let distance = (standard_normal(stream) * share * half).round();
            let other = (distance.abs() <= half)
                .then(|| (i64::from(router) + distance as i64).rem_euclid(size) as u32)?;
            (unserved.contains(other) && self.may_join(router, other)).then_some(other)
        });
        drawn.or_else(|| self.draw_listed(unserved, router, stream))
    }
}
