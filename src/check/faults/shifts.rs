//! The classes of faults of a folded Clos network, found by walking along shifts.
//!
//! The model says which digits may be shifted, and what a shift does to a switch and a port. Nothing of that
//! is believed: every shift by 1 must keep hosts, links and demand of the topology that was read. Since these
//! shifts generate the others, all of them are symmetries then.

use super::fault::{Failed, ToleratedFault, port_name, router_name};
use crate::CheckError;
use fabc_base::ids::{Id, LinkId, NodeId, PortId};
use fabc_ir::{End, FaultSymmetry, Image, Topology};
use fabc_model::{ClosShifts, Fabric, FamilyFacts, StageDigits};
use fixedbitset::FixedBitSet;

/// A shift by 1 of one digit.
struct UnitShift {
    /// `[stage]`: 1 at the digit, else 0.
    digits: Vec<StageDigits>,
    /// `[router]`: the router that it is taken to.
    routers: Vec<NodeId>,
}

/// One cable of every class.
pub(super) fn cable_faults(
    fabric: &Fabric,
    topology: &Topology,
    shifts: &ClosShifts<'_>,
) -> Result<Vec<ToleratedFault>, CheckError> {
    let units = verified_units(fabric, topology, shifts)?;
    let image = |link: usize, unit: &UnitShift| {
        let end = image_of_end(topology, shifts, unit, topology.links()[LinkId::new(link)].a)?;
        topology.outgoing(end.node, end.port).map(|channel| topology.link_of(channel).index())
    };
    let failed = |link: usize| {
        let end = topology.links()[LinkId::new(link)].a;
        let name = format!("{}.{}", router_name(fabric, topology, end.node), port_name(fabric, end.port));
        (name, Failed::Link(end))
    };
    Ok(one_fault_per_class(topology.links().len(), shifts, &units, image, failed))
}

/// One switch of every class.
pub(super) fn switch_faults(
    fabric: &Fabric,
    topology: &Topology,
    shifts: &ClosShifts<'_>,
) -> Result<Vec<ToleratedFault>, CheckError> {
    let units = verified_units(fabric, topology, shifts)?;
    let image = |router: usize, unit: &UnitShift| Some(unit.routers[router].index());
    let failed = |router: usize| {
        let router = NodeId::new(router);
        (router_name(fabric, topology, router), Failed::Router(router))
    };
    Ok(one_fault_per_class(topology.node_count(), shifts, &units, image, failed))
}

/// The shifts by 1, once they are proved to be symmetries.
fn verified_units(
    fabric: &Fabric,
    topology: &Topology,
    shifts: &ClosShifts<'_>,
) -> Result<Vec<UnitShift>, CheckError> {
    let refused = |digits: &[StageDigits], broken: &str| CheckError::Shape {
        scenario: "faults".to_owned(),
        violation: format!("the shift {digits:?} is no symmetry: it does not keep {broken}"),
    };
    if topology.node_count() != shifts.clos.router_count() {
        return Err(refused(&[], "the number of routers"));
    }
    let mut units = Vec::new();
    for digits in shifts.units() {
        let routers: Vec<NodeId> =
            topology.nodes().map(|node| NodeId(shifts.clos.shifted_switch(&digits, node.0))).collect();
        let mut reached = FixedBitSet::with_capacity(routers.len());
        if routers.iter().any(|router| router.index() >= routers.len() || reached.put(router.index())) {
            return Err(refused(&digits, "the number of routers"));
        }
        let has_same_hosts = |node: NodeId| topology.hosts(node) == topology.hosts(routers[node.index()]);
        if !topology.nodes().all(has_same_hosts) {
            return Err(refused(&digits, "the hosts"));
        }
        if !fabric.demand.is_kept_by(|node| routers[node.index()]) {
            return Err(refused(&digits, "the demand"));
        }
        let unit = UnitShift { digits, routers };
        if !topology.links().ids().all(|link| keeps_link(topology, shifts, &unit, link)) {
            return Err(refused(&unit.digits, "the links"));
        }
        units.push(unit);
    }
    Ok(units)
}

/// Whether the image of a link is a link between the images of its ends, of the same kind and length.
fn keeps_link(topology: &Topology, shifts: &ClosShifts<'_>, unit: &UnitShift, link: LinkId) -> bool {
    let [a, b] = [topology.links()[link].a, topology.links()[link].b];
    let images = (image_of_end(topology, shifts, unit, a), image_of_end(topology, shifts, unit, b));
    let (Some(image_a), Some(image_b)) = images else { return false };
    topology.outgoing(image_a.node, image_a.port).is_some_and(|channel| {
        let (before, after) = (&topology.links()[link], topology.link(channel));
        topology.target(channel) == image_b
            && before.link_type == after.link_type
            && (before.class, before.simplex) == (after.class, after.simplex)
            && topology.length(link) == topology.length(topology.link_of(channel))
    })
}

/// `None` if the shift leads to no port of the topology.
fn image_of_end(topology: &Topology, shifts: &ClosShifts<'_>, unit: &UnitShift, end: End) -> Option<End> {
    let port = shifts.clos.shifted_port(&unit.digits, end.node.0, end.port.0)?;
    (usize::from(port) < topology.ports())
        .then_some(End { node: unit.routers[end.node.index()], port: PortId(port) })
}

/// Walks from every thing that is not reached yet to all its images. The thing stands for them. Of a digit
/// that changes nothing for the thing no image is shifted.
fn one_fault_per_class(
    things: usize,
    shifts: &ClosShifts<'_>,
    units: &[UnitShift],
    image: impl Fn(usize, &UnitShift) -> Option<usize>,
    failed: impl Fn(usize) -> (String, Failed),
) -> Vec<ToleratedFault> {
    let none = vec![StageDigits::default(); shifts.clos.stages.len()];
    let mut shift_to: Vec<Option<Vec<StageDigits>>> = vec![None; things];
    let mut faults = Vec::new();
    for first in 0..things {
        if shift_to[first].is_some() {
            continue;
        }
        shift_to[first] = Some(none.clone());
        let mut class = vec![first];
        let mut next = 0;
        while let Some(&thing) = class.get(next) {
            next += 1;
            for unit in units {
                let Some(other) = image(thing, unit).filter(|&other| shift_to[other].is_none()) else {
                    continue;
                };
                let before = shift_to[thing].as_deref().unwrap_or(&none);
                let sum = before.iter().zip(&unit.digits).map(|(before, unit)| StageDigits {
                    down: before.down + unit.down,
                    up: before.up + unit.up,
                    cable: before.cable + unit.cable,
                });
                shift_to[other] = Some(sum.collect());
                class.push(other);
            }
        }
        class.sort_unstable();
        let images = class[1..].iter().map(|&thing| {
            let shift = shift_to[thing].clone().unwrap_or_default();
            Image { scenario: failed(thing).0, symmetry: FaultSymmetry::Shift(shift) }
        });
        let (name, failed_part) = failed(first);
        faults.push(ToleratedFault { name, failed: failed_part, images: images.collect() });
    }
    faults
}
