//! Follows packets to one destination by every choice of next hops.
//!
//! A router is *settled* if every choice leads on from it to the destination. The destination is settled, and
//! so is a router whose members all lead to settled routers. Any other router has a choice that ends at a
//! router without an entry, or that never ends.

use super::groups::ForeignGroups;
use fabc_base::ids::NodeId;
use fabc_kernel::{HeldChannel, Loss, Position, TableFault};
use std::collections::VecDeque;

/// All choices of packets to one destination.
pub(super) struct Choices<'a> {
    groups: &'a ForeignGroups,
    /// The endpoint that packets go to.
    pub(super) endpoint: usize,
    /// The router of that endpoint.
    pub(super) destination: u32,
    /// The settled routers. Each comes after all routers that it sends to.
    pub(super) settled: Vec<u32>,
    /// `[router]`: whether it is settled.
    is_settled: Vec<bool>,
    /// `[router]`: whether packets of a settled source come there.
    pub(super) is_passed: Vec<bool>,
}

impl<'a> Choices<'a> {
    pub(super) fn new(groups: &'a ForeignGroups, endpoint: usize) -> Self {
        let routers = groups.network.routers();
        let destination = groups.network.endpoints[endpoint].router;
        let mut choices = Self {
            groups,
            endpoint,
            destination,
            settled: vec![destination],
            is_settled: vec![false; routers],
            is_passed: vec![false; routers],
        };
        choices.settle(routers);
        for source in choices.sources() {
            let router = groups.network.endpoints[source].router as usize;
            choices.is_passed[router] = choices.is_settled[router];
        }
        for place in (1..choices.settled.len()).rev() {
            let router = choices.settled[place];
            if choices.is_passed[router as usize] {
                for next in choices.next_routers(router).collect::<Vec<_>>() {
                    choices.is_passed[next as usize] = true;
                }
            }
        }
        choices
    }

    /// Finds the settled routers, backwards from the destination.
    fn settle(&mut self, routers: usize) {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); routers];
        let mut open = vec![0usize; routers];
        for router in (0..routers as u32).filter(|&router| router != self.destination) {
            for next in self.next_routers(router) {
                before[next as usize].push(router);
                open[router as usize] += 1;
            }
        }
        self.is_settled[self.destination as usize] = true;
        let mut place = 0;
        while let Some(&router) = self.settled.get(place) {
            place += 1;
            for &earlier in &before[router as usize] {
                open[earlier as usize] -= 1;
                if open[earlier as usize] == 0 {
                    self.is_settled[earlier as usize] = true;
                    self.settled.push(earlier);
                }
            }
        }
    }

    /// The ports by which a router may send the packets.
    pub(super) fn members(&self, router: u32) -> &'a [u16] {
        self.groups.tables.group(NodeId(router), NodeId(self.destination))
    }

    /// The weights of these ports. Empty where all of them have the same weight.
    pub(super) fn weights(&self, router: u32) -> &'a [u32] {
        self.groups.tables.group_weights(NodeId(router), NodeId(self.destination))
    }

    /// The slot of a port of a router.
    pub(super) fn slot(&self, router: u32, port: u16) -> usize {
        router as usize * self.groups.network.ports + usize::from(port)
    }

    /// The router behind a port.
    pub(super) fn next(&self, router: u32, port: u16) -> u32 {
        self.groups.network.next[self.slot(router, port)].0
    }

    fn next_routers(&self, router: u32) -> impl Iterator<Item = u32> {
        self.members(router).iter().map(move |&port| self.next(router, port))
    }

    /// The endpoints that send packets to the destination by these groups, and not by a relay.
    pub(super) fn sources(&self) -> impl Iterator<Item = usize> + use<'a> {
        let (own, groups, destination) = (self.endpoint, self.groups, NodeId(self.destination));
        let endpoints = &groups.network.endpoints;
        let is_relayed =
            move |source: usize| groups.tables.relay(NodeId(endpoints[source].router), destination).is_some();
        (0..endpoints.len()).filter(move |&source| source != own && !is_relayed(source))
    }

    /// Whether all packets of a source arrive.
    pub(super) fn arrives(&self, source: usize) -> bool {
        self.is_settled[self.groups.network.endpoints[source].router as usize]
    }

    /// The routers that packets pass or start from, without the destination. Each comes before all routers
    /// that it sends to.
    pub(super) fn passed(&self) -> impl Iterator<Item = u32> {
        self.settled[1..].iter().rev().copied().filter(|&router| self.is_passed[router as usize])
    }

    /// How packets of a source fail, by the first choice that does.
    pub(super) fn fault(&self, source: usize) -> TableFault {
        let destination = self.endpoint;
        let mut router = self.groups.network.endpoints[source].router;
        let (mut positions, mut held) = (Vec::new(), Vec::new());
        loop {
            let position = Position { router, input: 0 };
            if let Some(first) = positions.iter().position(|&before| before == position) {
                let cycle = held.split_off(first);
                return TableFault::Looping { source, destination, cycle };
            }
            positions.push(position);
            let astray = |&&port: &&u16| !self.is_settled[self.next(router, port) as usize];
            let Some(&port) = self.members(router).iter().find(astray) else {
                return TableFault::Lost { source, destination, positions, loss: Loss::NoEntry };
            };
            held.push(HeldChannel { slot: self.slot(router, port), vc: 0 });
            router = self.next(router, port);
        }
    }

    /// A shortest path of packets through a router that they pass, from its source to the destination: the
    /// source, and the routers.
    pub(super) fn path_through(&self, router: u32) -> Option<(usize, Vec<u32>)> {
        let endpoints = &self.groups.network.endpoints;
        for source in self.sources().filter(|&source| self.arrives(source)) {
            let start = endpoints[source].router;
            let mut parent: Vec<Option<u32>> = vec![None; self.is_passed.len()];
            let mut open = VecDeque::from([start]);
            while let Some(at) = open.pop_front().filter(|&at| at != router || at == start) {
                for next in self.next_routers(at).filter(|_| at != self.destination) {
                    if next != start && parent[next as usize].is_none() {
                        parent[next as usize] = Some(at);
                        open.push_back(next);
                    }
                }
            }
            if start == router || parent[router as usize].is_none() {
                continue;
            }
            let mut path = vec![router];
            while let Some(before) = path.last().and_then(|&last| parent[last as usize]) {
                path.push(before);
            }
            path.reverse();
            let mut last = router;
            while last != self.destination {
                last = self.next_routers(last).next()?;
                path.push(last);
            }
            return Some((source, path));
        }
        None
    }

    /// The source of some packets that pass a router or start there.
    pub(super) fn source_through(&self, router: u32) -> Option<usize> {
        let starts_here = |&source: &usize| self.groups.network.endpoints[source].router == router;
        self.sources().find(starts_here).or_else(|| self.path_through(router).map(|(source, _)| source))
    }
}
