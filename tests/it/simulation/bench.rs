//! Small fabrics made by hand, and what is asked of both models: what known answers are measured on.

use crate::simulation::assert_near;
use fabc::diag::Span;
use fabc::ids::{Id, LinkTypeId, NodeId, PortId};
use fabc::ir::{End, ForwardingTables, Link, LinkClass, Scene, Symmetry, TableEntry, TableKey, Topology};
use fabc::model::{
    Budget, Capacities, Demand, Fabric, Family, Faults, LinkType, Network, Plant, Router, RoutingChoice,
    Torus,
};
use fabc::sim::{
    HostPorts, LaneChoice, Point, Prepared, Rate, SimError, SimulationParameters, Traffic, curve, prepare,
};
use proptest::prelude::*;

/// Routers and links of a fabric, all alike.
#[derive(Clone, Copy)]
pub(crate) struct Hardware {
    pub(crate) link: u32,
    pub(crate) router: u32,
    pub(crate) buffer: u32,
    pub(crate) vcs: u8,
}

/// Links of a cycle, routers of three, four virtual channels of 200 flits.
pub(crate) const UNIT: Hardware = Hardware { link: 1, router: 3, buffer: 200, vcs: 4 };

/// A topology with tables for it.
pub(crate) struct Bench {
    pub(crate) fabric: Fabric,
    pub(crate) topology: Topology,
    pub(crate) tables: ForwardingTables,
}

impl Bench {
    /// Routers in a row or tree: links from every router but the first to the one that it hangs on. Packets
    /// take the only way there is. Port k of a router leads to its k-th neighbor.
    pub(crate) fn tree(hardware: Hardware, hangs_on: &[usize], hosts: &[u16]) -> Self {
        let count = hangs_on.len() + 1;
        let mut neighbors = vec![Vec::new(); count];
        for (child, &parent) in (1..).zip(hangs_on) {
            neighbors[parent].push(child);
            neighbors[child].push(parent);
        }
        let port = |at: usize, to: usize| neighbors[at].iter().position(|&other| other == to).unwrap();
        let end = |at: usize, to: usize| End { node: NodeId::new(at), port: PortId::new(port(at, to)) };
        let links = (1..)
            .zip(hangs_on)
            .map(|(child, &parent)| link(end(parent, child), end(child, parent), false))
            .collect();
        let next = |at: usize, to: usize| {
            neighbors[at].iter().position(|&via| reaches(&neighbors, via, to, at)).unwrap()
        };
        let table = |at: usize| {
            let others = (0..count).filter(|&to| to != at);
            others
                .map(|to| TableEntry {
                    dst: NodeId::new(to),
                    in_port: -1,
                    in_vc: -1,
                    out_port: next(at, to) as u16,
                    out_vc: 0,
                })
                .collect()
        };
        let tables =
            tables(TableKey::Dst, 1, Symmetry::trivial(count as u32, 1), (0..count).map(table).collect());
        let topology = Topology::new(
            neighbors.iter().map(Vec::len).max().unwrap(),
            links,
            Symmetry::trivial(count as u32, 1),
        );
        Self { fabric: fabric(hardware, count), topology: topology.with_hosts(hosts.to_vec()), tables }
    }

    /// A ring, port 0 to the next and port 1 to the one before, shortest ways. From opposite ends even
    /// sources go up. VC 1 from the link between the last and the first router on.
    pub(crate) fn ring(hardware: Hardware, count: usize) -> Self {
        let end = |at: usize, port| End { node: NodeId::new(at % count), port: PortId(port) };
        let links = (0..count).map(|at| link(end(at, 0), end(at + 1, 1), false)).collect();
        let up = |from: usize, to: usize| {
            let ahead = (to + count - from) % count;
            2 * ahead < count || (2 * ahead == count && from.is_multiple_of(2))
        };
        let step = |from: usize, to: usize| if up(from, to) { (1, 0) } else { (count - 1, 1) };
        Self::with_ring_tables(hardware, count, links, 2, step, |at, port| {
            if port == 0 { at == count - 1 } else { at == 0 }
        })
    }

    /// A ring of one-way links. With a dateline VC 1 from the last link on.
    pub(crate) fn one_way(hardware: Hardware, count: usize, dateline: bool) -> Self {
        let end = |at: usize, port| End { node: NodeId::new(at % count), port: PortId(port) };
        let links = (0..count).map(|at| link(end(at, 0), end(at + 1, 0), true)).collect();
        let vcs = if dateline { 2 } else { 1 };
        Self::with_ring_tables(
            hardware,
            count,
            links,
            vcs,
            |_, _| (1, 0),
            |at, _| dateline && at == count - 1,
        )
    }

    /// Tables for routes of equal steps around a ring. `crosses` says which outputs lie behind the dateline.
    fn with_ring_tables(
        hardware: Hardware,
        count: usize,
        links: Vec<Link>,
        vcs: u8,
        step: impl Fn(usize, usize) -> (usize, u16),
        crosses: impl Fn(usize, u16) -> bool,
    ) -> Self {
        let topology = Topology::new(2, links, Symmetry::trivial(1, count as u32));
        let mut routers = vec![Vec::new(); count];
        for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))) {
            let (by, port) = step(from, to);
            let (mut at, mut vc, mut came) = (from, 0, (-1, -1));
            while at != to {
                vc |= u8::from(crosses(at, port));
                let entry = TableEntry {
                    dst: NodeId::new(to),
                    in_port: came.0,
                    in_vc: came.1,
                    out_port: port,
                    out_vc: vc,
                };
                if !routers[at].contains(&entry) {
                    routers[at].push(entry);
                }
                let channel = topology.outgoing(NodeId::new(at), PortId(port)).expect("a link");
                came = (topology.target(channel).port.0 as i16, vc as i8);
                at = (at + by) % count;
            }
        }
        routers.iter_mut().for_each(|entries: &mut Vec<TableEntry>| entries.sort_unstable());
        let tables = tables(TableKey::DstInput, vcs, Symmetry::trivial(1, count as u32), routers);
        Self { fabric: fabric(hardware, count), topology, tables }
    }

    pub(crate) fn prepared(&self, parameters: &SimulationParameters) -> Result<Prepared<'_>, SimError> {
        prepare(&self.fabric, &Scene::healthy(&self.topology), &self.tables, parameters)
    }

    /// One run, and how many endpoints send.
    pub(crate) fn point(&self, parameters: &SimulationParameters, rate: &str) -> Result<Measured, SimError> {
        let prepared = self.prepared(parameters)?;
        let mut report = curve(&prepared, &[Rate::parse(rate).unwrap()], &[1], &fabc::progress::Silent)?;
        let point = report.points.remove(0);
        let (setting, senders) = (&report.setting, report.load.senders);
        let accepted = point.accepted(setting, senders).as_f64();
        let mean = point.delays.map_or(0.0, |delays| delays.mean().as_f64());
        Ok(Measured {
            accepted,
            mean,
            least_cycles: report.load.most_cycles,
            bound: report.load.bound.as_f64(),
            is_stable: point.is_stable(setting),
            point,
        })
    }
}

/// No packet is lost: every packet that was born was delivered or is inside. What the run measures fits what
/// it is made of.
pub(crate) fn adds_up(
    point: &Point,
    packet: u32,
    queue: u32,
    warmup: u32,
    measure: u32,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(point.born_ever, point.delivered_ever + point.in_flight);
    prop_assert_eq!(point.born_ever * u64::from(packet), point.flits_delivered_ever + point.flits_in_flight);
    let arrived = point.delays.map_or(0, |delays| delays.packets);
    prop_assert_eq!(point.born, arrived + point.unfinished);
    prop_assert!(point.unfinished == 0 || point.cycles == warmup + 2 * measure);
    prop_assert!(point.busy.iter().all(|&busy| busy <= measure));
    let hops: u64 = point.vcs.iter().map(|vc| vc.hops).sum();
    prop_assert_eq!(hops, point.hops);
    if let Some(delays) = point.delays {
        prop_assert!(delays.median <= delays.p99 && delays.p99 <= delays.most);
    }
    for used in &point.vcs {
        prop_assert!(used.p99 <= u64::from(queue) && used.full_cycles <= used.queue_cycles);
    }
    Ok(())
}

/// Two sources at equal distances to a hub need its third link, and two hosts there answer. Each source gets
/// half of the link, whatever the other parameters are.
pub(crate) fn two_flows_share_a_channel(parameters: &SimulationParameters) {
    let star = Bench::tree(UNIT, &[0, 0, 0], &[0, 1, 1, 2]);
    // Both single hosts send to the router with two, and these send to them.
    let shared = |parameters: &SimulationParameters| {
        let Ok(prepared) = star.prepared(parameters) else { return false };
        prepared.load().senders == 4
            && prepared.load().channels.iter().filter(|load| **load == 2).count() == 2
    };
    let mut crossing = (0..100).map(|seed| SimulationParameters {
        traffic: Traffic::EndpointPermutation,
        seed,
        ..parameters.clone()
    });
    let flows = star.point(&crossing.find(shared).expect("one of many permutations"), "1").unwrap();
    assert_near("bound", flows.bound, 0.5, 0.0);
    let cycles = f64::from(parameters.measure.expect("as many as are wanted"));
    let [worst, best] = [flows.point.worst_source, flows.point.best_source]
        .map(|(_, packets)| f64::from(packets) * 6.0 / cycles);
    assert_near("worst", worst, 0.5, 0.01);
    assert_near("best", best, 0.5, 0.01);
}

/// One run in the numbers that tests compare.
pub(crate) struct Measured {
    /// Flits per cycle and sending endpoint.
    pub(crate) accepted: f64,
    /// The mean latency, in cycles.
    pub(crate) mean: f64,
    /// Zero-load latency of the slowest route.
    pub(crate) least_cycles: u64,
    pub(crate) bound: f64,
    pub(crate) is_stable: bool,
    pub(crate) point: Point,
}

/// Unlimited hosts, two general virtual channels, so many cycles.
pub(crate) fn parameters(cycles: u32) -> SimulationParameters {
    SimulationParameters {
        lanes: Some(LaneChoice::General(2)),
        hosts: Some(HostPorts::Unlimited),
        warmup: Some(cycles),
        measure: Some(cycles),
        ..SimulationParameters::default()
    }
}

fn reaches(neighbors: &[Vec<usize>], at: usize, to: usize, from: usize) -> bool {
    at == to || neighbors[at].iter().any(|&next| next != from && reaches(neighbors, next, to, at))
}

fn link(a: End, b: End, simplex: bool) -> Link {
    Link { a, b, class: LinkClass::Local, link_type: LinkTypeId(0), simplex }
}

fn tables(key: TableKey, vcs: u8, symmetry: Symmetry, routers: Vec<Vec<TableEntry>>) -> ForwardingTables {
    ForwardingTables { scenario: "nominal".to_owned(), vcs, key, symmetry, routers }
}

fn fabric(hardware: Hardware, count: usize) -> Fabric {
    let span = Span::default();
    let bandwidth_bps = 100_000_000_000;
    Fabric {
        name: "bench".to_owned(),
        clock_hz: 1_000_000_000,
        link_types: vec![LinkType {
            name: "wire".to_owned(),
            bandwidth_bps,
            latency_cycles: hardware.link,
            per_metre_ps: 0,
            cost: [0, 0],
            power_mw: 0,
            optics: None,
            span,
        }]
        .into(),
        router: Router {
            radix: 2,
            hosts: 0,
            vcs: hardware.vcs,
            flit_bytes: 64,
            buffer_flits: hardware.buffer,
            latency_cycles: hardware.router,
            cost: 0,
            power_mw: 0,
            arithmetic: Default::default(),
            host_link: None,
            span,
        },
        plant: Plant::Network(Network {
            family: Family::Torus(Torus(vec![count as u32])),
            local: LinkTypeId(0),
            global: LinkTypeId(0),
            failures: None,
            tier_kinds: Vec::new(),
            span,
        }),
        budget: Budget {
            vcs: 2,
            faults: Faults::Ocses(0),
            table_entries: None,
            vcs_span: span,
            faults_span: span,
            entries_span: span,
        },
        demand: Demand::uniform(count),
        routing: RoutingChoice::Minimal,
        relays: 0,
        routing_span: span,
        simulations: Vec::new(),
        collectives: Vec::new(),
        jobs: Vec::new(),
        searched_for: Vec::new(),
        addresses: None,
        hosts: None,
        losses: None,
        slices: fabc::model::Slices::default(),
        requires: Vec::new(),
        floor: None,
        capacities: Capacities::new(&[Some(bandwidth_bps)], fabc::limits::CAPACITY_PARTS).unwrap(),
        span,
    }
}

/// Parameters with packets of one flit.
pub(crate) fn single_flits() -> SimulationParameters {
    SimulationParameters { packet: 1, ..parameters(2_000) }
}
