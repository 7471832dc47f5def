//! Links of different speeds: the cycles that a packet takes over a channel.
//!
//! The fastest link in use moves one flit per cycle. A slower one takes longer for every packet, by the ratio
//! of the bandwidths. Nothing is rounded: a packet must take a whole number of cycles over every link.

use super::errors::SimError;
use super::setting::LinkPace;
use fabc_base::divisors::greatest_common_divisor;
use fabc_base::ids::LinkTypeId;
use fabc_ir::Topology;
use fabc_model::{Fabric, LinkType, PacketRouting, Plant, RouterModel, SimulationParameters};

/// The most cycles of a packet over a link. The wheel of events has this length.
const MOST_CYCLES: u128 = 1 << 20;

/// The cycles that a packet takes over the links in use and through the ports of hosts.
pub(super) struct PacketCycles {
    /// The cycles over the fastest link: the flits of a packet.
    packet: u32,
    /// The links in use, by type, with their cycles. Empty where all links carry the same.
    unlike: Vec<(LinkTypeId, u32)>,
    /// The bandwidth of the fastest link in bit/s.
    pub(super) fastest_bps: u64,
    /// The cycles through a port of a host.
    pub(super) host: u32,
}

impl PacketCycles {
    /// The cycles over the links of a fabric. `topology` is `None` where it is not known yet.
    ///
    /// # Errors
    /// [`SimError::UnlikeLinks`] where the model has no links of different speeds, or where packets of this
    /// length do not take whole cycles.
    pub(super) fn new(
        fabric: &Fabric,
        topology: Option<&Topology>,
        parameters: &SimulationParameters,
        routing: PacketRouting,
    ) -> Result<Self, SimError> {
        let packet = parameters.packet;
        let used = types_in_use(fabric, topology);
        let links = || used.iter().map(|&link_type| (link_type, &fabric.link_types[link_type]));
        let by_speed = |&(_, link): &(LinkTypeId, &LinkType)| link.bandwidth_bps;
        let ends = links().max_by_key(by_speed).zip(links().min_by_key(by_speed));
        let Some(((_, fastest), (_, slowest))) =
            ends.filter(|((_, fastest), (_, slowest))| fastest.bandwidth_bps != slowest.bandwidth_bps)
        else {
            let fastest_bps = fabric.capacities.unit_bps();
            return Ok(Self { packet, unlike: Vec::new(), fastest_bps, host: packet });
        };
        let refused = |link: &LinkType, why: String, help: String| SimError::UnlikeLinks {
            name: link.name.clone(),
            other: fastest.name.clone(),
            why,
            help,
            span: link.span,
        };
        if let Some((why, help)) = not_modelled(parameters, routing) {
            return Err(refused(slowest, why.to_owned(), help.to_owned()));
        }
        let ratio = |bandwidth: u64| {
            let divisor = greatest_common_divisor(fastest.bandwidth_bps, bandwidth);
            (u128::from(fastest.bandwidth_bps / divisor), u128::from(bandwidth / divisor))
        };
        let mut unlike = Vec::new();
        for (link_type, link) in links() {
            let (slower, faster) = ratio(link.bandwidth_bps);
            let flits = u128::from(packet) * slower;
            if !flits.is_multiple_of(faster) {
                let why = format!(
                    "a packet of {packet} flits takes {packet} cycles over `{}` and {flits}/{faster} over `{}`",
                    fastest.name, link.name
                );
                return Err(refused(link, why, whole_packets(fabric, &used, fastest.bandwidth_bps)));
            }
            let cycles = flits / faster;
            if cycles > MOST_CYCLES {
                let why = format!(
                    "a packet takes {cycles} cycles over it, and at most {MOST_CYCLES} are simulated"
                );
                return Err(refused(link, why, "send shorter packets (`packet`)".to_owned()));
            }
            unlike.push((link_type, cycles as u32));
        }
        Ok(Self { packet, unlike, fastest_bps: fastest.bandwidth_bps, host: packet }.with_hosts(fabric))
    }

    /// Hosts of a network send at the rate that loads count for them, the common divisor of all bandwidths.
    /// GPUs send at that of their links.
    fn with_hosts(self, fabric: &Fabric) -> Self {
        if fabric.pod().is_some() || fabric.boxes().is_some() {
            return self;
        }
        let times = self.fastest_bps / fabric.capacities.unit_bps().max(1);
        Self { host: self.packet.saturating_mul(u32::try_from(times).unwrap_or(u32::MAX)), ..self }
    }

    /// The cycles over a link.
    pub(super) fn over(&self, link_type: LinkTypeId) -> u32 {
        let place = self.unlike.iter().find(|(own, _)| *own == link_type);
        place.map_or(self.packet, |&(_, cycles)| cycles)
    }

    /// The links by name with their cycles. Empty where all links carry the same.
    pub(super) fn paces(&self, fabric: &Fabric) -> Vec<LinkPace> {
        let pace = |&(link_type, cycles): &(LinkTypeId, u32)| LinkPace {
            name: fabric.link_types[link_type].name.clone(),
            cycles,
        };
        let mut paces: Vec<LinkPace> = self.unlike.iter().map(pace).collect();
        paces.sort_by(|first, second| first.name.cmp(&second.name));
        paces
    }
}

/// The declared links in use, ascending.
fn types_in_use(fabric: &Fabric, topology: Option<&Topology>) -> Vec<LinkTypeId> {
    let mut used: Vec<LinkTypeId> = match (topology, &fabric.plant) {
        (Some(topology), _) => topology.links().iter().map(|link| link.link_type).collect(),
        (None, Plant::Network(network)) => network.links_in_use(),
        (None, Plant::Pod(pod)) => {
            std::iter::once(pod.cube.mesh).chain(pod.ocses.iter().map(|ocs| ocs.link)).collect()
        }
    };
    used.sort_unstable();
    used.dedup();
    used
}

/// Why a model has no links of different speeds, and what to do.
fn not_modelled(
    parameters: &SimulationParameters,
    routing: PacketRouting,
) -> Option<(&'static str, &'static str)> {
    if parameters.model == RouterModel::Flit {
        return Some((
            "in the flit model every channel moves one flit per cycle",
            "choose `model = packet`, which has links of different speeds",
        ));
    }
    routing.counts_hops().then_some((
        "packets that choose among shortest ways take channels for alike",
        "let packets follow the tables: remove `routing` from the simulation",
    ))
}

/// The hint at packets that take whole cycles over all of these links.
fn whole_packets(fabric: &Fabric, used: &[LinkTypeId], fastest_bps: u64) -> String {
    let unit = |&link_type: &LinkTypeId| {
        let bandwidth = fabric.link_types[link_type].bandwidth_bps;
        u128::from(bandwidth / greatest_common_divisor(fastest_bps, bandwidth))
    };
    let multiple = used.iter().map(unit).try_fold(1, |multiple: u128, unit| {
        fabc_base::divisors::least_common_multiple(multiple, unit, MOST_CYCLES)
    });
    match multiple {
        Some(flits) => format!("send packets of {flits} flits or a multiple (`packet`)"),
        None => {
            "no packet takes whole cycles over all links: declare bandwidths with a small common multiple"
                .to_owned()
        }
    }
}
