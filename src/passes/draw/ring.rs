//! A ring with random shortcuts.
//!
//! In: how many routers, links of each, and which of them a shortcut may join. Out: the links. After the ring
//! come `degree - 2` passes. In a pass a router u that is drawn at random from those not yet served meets a
//! random one that it may be joined to and is not; both are served. One that can meet nobody is served alone
//! and keeps a port free. Source: Koibuchi and others 2012 and 2013 (random shortcuts, and near ones).

use super::links::Links;
use super::normal::standard_normal;
use fabc_base::random::Stream;
use fabc_model::{Reach, Shortcuts};

/// Draws of a distance before any allowed router is taken.
const TRIES: usize = 2000;
/// Draws of a router where all are alike, before those that are allowed are listed.
const LOOKS: usize = 50;

/// The ring and its shortcuts, ascending.
pub(super) fn draw(shortcuts: &Shortcuts, stream: &mut Stream) -> Links {
    let routers = shortcuts.routers;
    let mut ring = Ring {
        size: routers,
        farthest: shortcuts.farthest(),
        joined: vec![Vec::new(); routers as usize],
        links: Links::new(),
    };
    (0..routers).for_each(|router| ring.join(router, (router + 1) % routers));
    for _ in 2..shortcuts.degree {
        let mut open =
            Open { routers: (0..routers).collect(), place: (0..routers as usize).map(Some).collect() };
        while !open.routers.is_empty() {
            let router = open.routers[stream.below(open.routers.len())];
            open.remove(router);
            let met = match shortcuts.reach {
                Reach::Any | Reach::Within(_) => ring.alike(&open, router, stream),
                Reach::Normal(share) => ring.normal(&open, router, share.as_f64(), stream),
            };
            if let Some(met) = met {
                open.remove(met);
                ring.join(router, met);
            }
        }
    }
    ring.links.sort_unstable();
    ring.links
}

/// Routers that a pass has not served.
struct Open {
    routers: Vec<u32>,
    /// `[router]`: where it stands in that list.
    place: Vec<Option<usize>>,
}

impl Open {
    fn remove(&mut self, router: u32) {
        if let Some(at) = self.place[router as usize].take() {
            self.routers.swap_remove(at);
            if let Some(&moved) = self.routers.get(at) {
                self.place[moved as usize] = Some(at);
            }
        }
    }
    fn holds(&self, router: u32) -> bool {
        self.place[router as usize].is_some()
    }
}

struct Ring {
    size: u32,
    farthest: u32,
    /// `[router]`: its neighbors.
    joined: Vec<Vec<u32>>,
    links: Links,
}

impl Ring {
    fn join(&mut self, one: u32, other: u32) {
        self.joined[one as usize].push(other);
        self.joined[other as usize].push(one);
        self.links.push([one.min(other), one.max(other)]);
    }

    /// Whether a shortcut may join them now.
    fn may_join(&self, one: u32, other: u32) -> bool {
        let apart = one.abs_diff(other);
        one != other
            && apart.min(self.size - apart) <= self.farthest
            && !self.joined[one as usize].contains(&other)
    }

    /// One of all that are open and allowed, each with the same chance.
    fn alike(&self, open: &Open, router: u32, stream: &mut Stream) -> Option<u32> {
        if open.routers.is_empty() {
            return None;
        }
        let drawn = (0..LOOKS)
            .map(|_| open.routers[stream.below(open.routers.len())])
            .find(|&other| self.may_join(router, other));
        drawn.or_else(|| self.any(open, router, stream))
    }

    /// The same, from a list of them.
    fn any(&self, open: &Open, router: u32, stream: &mut Stream) -> Option<u32> {
        let allowed: Vec<u32> =
            open.routers.iter().copied().filter(|&other| self.may_join(router, other)).collect();
        if allowed.is_empty() { None } else { Some(allowed[stream.below(allowed.len())]) }
    }

    /// One at a normal distance with a deviation of half of `share` of the ring.
    fn normal(&self, open: &Open, router: u32, share: f64, stream: &mut Stream) -> Option<u32> {
        if !open.routers.iter().any(|&other| self.may_join(router, other)) {
            return None;
        }
        let (size, half) = (i64::from(self.size), f64::from(self.size) / 2.0);
        let drawn = (0..TRIES).find_map(|_| {
            let distance = (standard_normal(stream) * share * half).round();
            let other = (distance.abs() <= half)
                .then(|| (i64::from(router) + distance as i64).rem_euclid(size) as u32)?;
            (open.holds(other) && self.may_join(router, other)).then_some(other)
        });
        drawn.or_else(|| self.any(open, router, stream))
    }
}
