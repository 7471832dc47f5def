//! Adds up the light of every link once more, from the spec and the proved wiring.
//!
//! Input: a spec, its topology with the proved lengths of its cables, and the settings of its switches.
//! Output: the budget of every link with light, by the checker's own sums, or the conviction of a link that
//! does not close. Budgets are in the order of switches and ports in a pod, and of links in a network.

use super::CheckError;
use fabc_base::ids::{LinkTypeId, OcsId};
use fabc_base::units::thousandths_text;
use fabc_ir::{CrossConnects, End, LightBudget, LightBudgets, LightLosses, Mirrors, Topology};
use fabc_model::{Fabric, Plant, Pod};
use std::collections::BTreeMap;

/// The parts of a link that decide its budget.
struct LitPath {
    ends: [End; 2],
    link_type: LinkTypeId,
    through: Option<(OcsId, [u32; 2])>,
    /// Length that a floor gives, 0.1 m.
    laid: Option<u32>,
    /// Insertion loss in thousandths of a dB.
    inserted: i64,
}

/// Adds up the budgets of a fabric. `None` where no link has light.
///
/// # Errors
/// A link that does not close, or whose insertion loss the spec does not give.
pub fn verify_light(
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
) -> Result<Option<LightBudgets>, CheckError> {
    match (&fabric.plant, cross_connects) {
        (Plant::Pod(pod), Some(cross_connects)) => {
            let mut laid: BTreeMap<(OcsId, [u32; 2]), u32> = BTreeMap::new();
            for (ocs, set) in cross_connects.settings.enumerate().filter(|_| topology.has_cables()) {
                laid.extend(set.iter().map(|set| ((ocs, [set.a, set.b]), topology.length(set.link))));
            }
            add_up(fabric, pod, &cross_connects.mirrors(), &laid)
        }
        (Plant::Pod(_), None) => Ok(None),
        (Plant::Network(_), _) => {
            let path = |(id, link): (_, &fabc_ir::Link)| {
                let laid = topology.has_cables().then(|| topology.length(id));
                let ends = [link.a, link.b];
                LitPath { ends, link_type: link.link_type, through: None, laid, inserted: 0 }
            };
            let lit = topology
                .links()
                .enumerate()
                .filter(|(_, link)| fabric.link_types[link.link_type].optics.is_some());
            let name = |end: End| light_end_name(fabric, topology, end);
            let links =
                lit.map(path).map(|path| close(fabric, path, &name)).collect::<Result<Vec<_>, _>>()?;
            Ok((!links.is_empty()).then_some(LightBudgets { links }))
        }
    }
}

/// Adds up the budgets of a pod in slices, which has no floor. `None` where no link has light.
///
/// # Errors
/// A link that does not close, or whose insertion loss the spec does not give.
pub fn verify_placed_light(
    fabric: &Fabric,
    pod: &Pod,
    settings: &Mirrors,
) -> Result<Option<LightBudgets>, CheckError> {
    add_up(fabric, pod, settings, &BTreeMap::new())
}

/// The budgets of all cross-connects. `laid` has the lengths that a floor gives to cross-connects.
fn add_up(
    fabric: &Fabric,
    pod: &Pod,
    settings: &Mirrors,
    laid: &BTreeMap<(OcsId, [u32; 2]), u32>,
) -> Result<Option<LightBudgets>, CheckError> {
    let name = |end: End| pod.face_port_name(pod.face(end.node, end.port));
    let mut links = Vec::new();
    let mut any = false;
    for (id, ocs) in pod.ocses.enumerate() {
        if fabric.link_types[ocs.link].optics.is_none() {
            continue;
        }
        any = true;
        for &pair in &settings[id] {
            let ends = ocs.faces(pair).map(|face| End { node: face.node, port: face.port });
            let Some(inserted) = ocs.insertion_loss(pair) else {
                let [a, b] = ends.map(name);
                let violation = format!("no loss of {} is known from {a} to {b}", ocs.name);
                return Err(CheckError::Light { violation, span: Some(ocs.span) });
            };
            let path = LitPath {
                ends,
                link_type: ocs.link,
                through: Some((id, pair)),
                laid: laid.get(&(id, pair)).copied(),
                inserted: i64::from(inserted),
            };
            links.push(close(fabric, path, &name)?);
        }
    }
    Ok(any.then_some(LightBudgets { links }))
}

/// The budget of one link. It must close.
fn close(fabric: &Fabric, path: LitPath, name: &dyn Fn(End) -> String) -> Result<LightBudget, CheckError> {
    let LitPath { ends, link_type, through, laid, inserted } = path;
    let declared = &fabric.link_types[link_type];
    let Some(optics) = declared.optics else {
        let violation = format!("the link `{}` has no light", declared.name);
        return Err(CheckError::Light { violation, span: Some(declared.span) });
    };
    let length = laid.or(optics.length);
    // Thousandths of a dB per kilometre, over ten thousand times 0.1 m.
    let on_fiber = u64::from(optics.loss_per_km) * u64::from(length.unwrap_or_default());
    let fiber = on_fiber.div_ceil(10_000) as i64;
    let connectors = (0..optics.connectors).map(|_| i64::from(optics.connector_loss)).sum();
    let lost = [connectors, fiber, inserted].iter().sum::<i64>();
    let received = i64::from(optics.transmit) - lost;
    let margin = received - i64::from(optics.sensitivity);
    if margin < i64::from(optics.margin) {
        let [a, b] = ends.map(name);
        let (margin, needed) = (thousandths_text(margin), thousandths_text(optics.margin.into()));
        let violation = format!("{a} to {b} has a margin of {margin} dB, and needs {needed} dB");
        return Err(CheckError::Light { violation, span: Some(declared.span) });
    }
    let losses = LightLosses { connectors, fiber, switch: inserted };
    Ok(LightBudget { ends, link_type, through, length, losses, received, margin })
}

/// The name of a port: of a face port in a pod, of router and port in a network.
pub(super) fn light_end_name(fabric: &Fabric, topology: &Topology, end: End) -> String {
    match fabric.pod() {
        Some(pod) => pod.face_port_name(pod.face(end.node, end.port)),
        None => format!("{}.{}", topology.name(end.node), end.port),
    }
}
