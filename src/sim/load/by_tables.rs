//! Loads along the tables: every route of the traffic is walked hop by hop.

use super::super::endpoints::EndpointMap;
use super::super::layout::{NONE, NetworkLayout};
use super::super::routes::{HopInput, TableRoutes};
use super::super::setting::Setting;
use super::super::traffic::RouterPairs;
use super::astray::{Astray, AstrayReason, RouteSums};
use fabc_base::ids::{Id, NodeId};
use rayon::prelude::*;

/// Everything that is needed to walk routes along the tables.
pub(super) struct TableLoads<'a> {
    pub(super) setting: &'a Setting,
    pub(super) layout: &'a NetworkLayout,
    pub(super) routes: &'a TableRoutes,
    pub(super) endpoints: &'a EndpointMap,
}

impl TableLoads<'_> {
    /// The sums over all routes of a traffic.
    pub(super) fn sums(&self, pairs: &RouterPairs) -> Result<RouteSums, Astray> {
        if matches!(pairs, RouterPairs::Uniform) {
            return self.uniform(pairs);
        }
        let routers = 0..self.layout.routers as u32;
        let add = |mut sums: RouteSums, from: u32| {
            for (to, weight) in pairs.of_router(from, self.endpoints) {
                self.add(&mut sums, from, to, weight, |channel| channel as usize);
            }
            sums
        };
        routers
            .into_par_iter()
            .fold(|| RouteSums::new(self.layout.channels), add)
            .reduce(RouteSums::default, RouteSums::merged)
            .arrived()
    }

    /// Uniform traffic looks the same from all routers that the symmetry of the tables joins. The load of a
    /// class of channels from all routers equals the load of one of its channels from canonical routers.
    fn uniform(&self, pairs: &RouterPairs) -> Result<RouteSums, Astray> {
        let (symmetry, ports) = (self.routes.symmetry(), self.layout.ports);
        let port_of = self.layout.port_of_channel();
        let class = |channel: u32| {
            let from = NodeId(self.layout.ends[channel as usize].from);
            symmetry.class(from) * ports + usize::from(port_of[channel as usize])
        };
        let canonical: Vec<u32> = symmetry.canonical_nodes().map(|node| node.index() as u32).collect();
        let add_source = |mut sums: RouteSums, &from: &u32| {
            for (to, weight) in pairs.of_router(from, self.endpoints) {
                self.add(&mut sums, from, to, weight, class);
            }
            sums
        };
        let start = || RouteSums::new(symmetry.class_count() * ports);
        let classes = canonical
            .par_iter()
            .fold(start, add_source)
            .reduce(RouteSums::default, RouteSums::merged)
            .arrived()?;
        let lit = self.layout.outgoing.iter().copied().filter(|&channel| channel != NONE);
        let mut channels = vec![0; self.layout.channels];
        lit.for_each(|channel| channels[channel as usize] = classes.channels[class(channel)]);
        Ok(RouteSums { channels, ..classes })
    }

    /// Adds messages that cross one channel each.
    pub(super) fn with_direct(&self, mut sums: RouteSums, direct: &[(u32, u64)]) -> RouteSums {
        let host = self.setting.host_cycles;
        let fixed = u64::from(self.setting.injection + self.setting.ejection() + host) - 1;
        sums.channels.resize(self.layout.channels, 0);
        for &(channel, weight) in direct {
            let behind = self.layout.ends[channel as usize].packet.saturating_sub(host);
            let cycles = fixed + u64::from(self.layout.hop_cycles(channel) + behind);
            let weight = u128::from(weight);
            sums.channels[channel as usize] += weight;
            sums.weight += weight;
            sums.hops += weight;
            sums.cycles += weight * u128::from(cycles);
            sums.most = sums.most.max(cycles);
        }
        sums
    }

    /// Adds the route between two routers.
    fn add(&self, sums: &mut RouteSums, from: u32, to: u32, weight: u64, place: impl Fn(u32) -> usize) {
        let host = self.setting.host_cycles;
        let (mut hops, mut cycles) =
            (0u64, u64::from(self.setting.injection + self.setting.ejection() + host) - 1);
        let mut before = 0u32;
        let walked = self.walk(from, to, |channel| {
            sums.channels[place(channel)] += u128::from(weight);
            hops += 1;
            // Behind a slower channel, a packet waits until its flits come in time.
            let own = self.layout.ends[channel as usize].packet;
            cycles += u64::from(self.layout.hop_cycles(channel) + before.saturating_sub(own));
            before = own;
        });
        cycles += u64::from(before.saturating_sub(host));
        sums.strayed(walked.err());
        sums.weight += u128::from(weight);
        sums.hops += u128::from(weight) * u128::from(hops);
        sums.cycles += u128::from(weight) * u128::from(cycles);
        sums.most = sums.most.max(cycles);
    }

    /// Follows the tables from one router to another, and calls `hop` for every channel.
    fn walk(&self, from: u32, to: u32, mut hop: impl FnMut(u32)) -> Result<(), Astray> {
        let astray = |why| Astray { from, to, why };
        let (mut router, mut came) = (from, None);
        for _ in 0..=self.layout.channels * usize::from(self.routes.vcs()) {
            if router == to {
                return Ok(());
            }
            let (port, vc) =
                self.routes.next(router, to, came).ok_or(astray(AstrayReason::NoEntry(router)))?;
            let slot = router as usize * self.layout.ports + usize::from(port);
            let lit = (usize::from(port) < self.layout.ports)
                .then(|| self.layout.outgoing[slot])
                .filter(|channel| *channel != NONE);
            let channel = lit.ok_or(astray(AstrayReason::Dark(router)))?;
            hop(channel);
            router = self.layout.ends[channel as usize].to;
            came = Some(HopInput { port: self.layout.ends[channel as usize].in_port, vc });
        }
        Err(astray(AstrayReason::Loop))
    }
}
