//! Adds up the light of every link, and refuses links that do not close.
//!
//! Input: a fabric with the settings of its switches, or its topology. Output: the budget of every link whose
//! declaration has an optical side: transmitter, connectors, fiber, switch, receiver. The loss of fiber is
//! rounded up to a thousandth of a dB. Cost: one look at every link.

mod choose;

pub use choose::{BestCubes, SliceLight, with_best_cubes};

use fabc_base::diag::Span;
use fabc_base::ids::{LinkTypeId, OcsId};
use fabc_base::units::thousandths_text;
use fabc_ir::{
    End, LightBudget, LightBudgets, LightDrift, LightLosses, MeasuredPower, MeasuringPoint, Mirrors,
    Placement, Topology, WeakLight, WeakReceiver, face_end_name, light_end_name,
};
use fabc_model::{Fabric, FacePort, Ocs, Optics, Pod};
use miette::Diagnostic;
use std::collections::BTreeMap;
use thiserror::Error;

/// FAB0212: the light of a link does not reach its receiver with the margin that the spec demands.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
#[error("{problem}")]
#[diagnostic(code(FAB0212), help("{arithmetic}"))]
pub struct NotClosing {
    /// How many links there are, and the worst of them with its margin.
    problem: String,
    /// The sum of the worst link, and what would help.
    arithmetic: String,
    /// Span of the declared link.
    #[label("this link")]
    span: Span,
    /// Span of the switch, if there is one.
    #[label("through this switch")]
    through: Option<Span>,
}

/// Whether some link of a pod has light.
fn has_light(fabric: &Fabric, pod: &Pod) -> bool {
    pod.ocses.iter().any(|ocs| fabric.link_types[ocs.link].optics.is_some())
}

/// The budgets of the cross-connects of a pod. `None` where no link has an optical side.
pub fn pod_budgets(
    fabric: &Fabric,
    pod: &Pod,
    settings: &Mirrors,
    placement: Option<&Placement>,
) -> Option<LightBudgets> {
    let mut links = Vec::new();
    for (id, ocs) in pod.ocses.enumerate() {
        let Some(optics) = fabric.link_types[ocs.link].optics else { continue };
        for &pair in &settings[id] {
            links.push(cross_connect_budget(fabric, ocs, &optics, (id, pair), placement));
        }
    }
    has_light(fabric, pod).then_some(LightBudgets { links })
}

/// The budget of one cross-connect.
fn cross_connect_budget(
    fabric: &Fabric,
    ocs: &Ocs,
    optics: &Optics,
    through: (OcsId, [u32; 2]),
    placement: Option<&Placement>,
) -> LightBudget {
    let (id, pair) = through;
    let ends = ocs.faces(pair).map(|FacePort { node, port, .. }| End { node, port });
    let on_floor = |(floor, placement): (_, &Placement)| {
        placement.path_length(floor, ends.map(|end| end.node), Some(id))
    };
    let length = fabric.floor.as_ref().zip(placement).map(on_floor).or(optics.length);
    let switch = ocs.insertion_loss(pair).unwrap_or(0);
    budget(optics, ends, ocs.link, Some(through), length, switch)
}

/// The budgets of the links of a network. `None` where no link has an optical side.
pub fn network_budgets(fabric: &Fabric, topology: &Topology) -> Option<LightBudgets> {
    let links = topology.links().enumerate().filter_map(|(id, link)| {
        let optics = fabric.link_types[link.link_type].optics?;
        let length = topology.has_cables().then(|| topology.length(id)).or(optics.length);
        Some(budget(&optics, [link.a, link.b], link.link_type, None, length, 0))
    });
    let links: Vec<LightBudget> = links.collect();
    (!links.is_empty()).then_some(LightBudgets { links })
}

fn budget(
    optics: &Optics,
    ends: [End; 2],
    link_type: LinkTypeId,
    through: Option<(OcsId, [u32; 2])>,
    length: Option<u32>,
    switch: u32,
) -> LightBudget {
    let fiber = (i64::from(optics.loss_per_km) * i64::from(length.unwrap_or(0)) + 9_999) / 10_000;
    let connectors = i64::from(optics.connectors) * i64::from(optics.connector_loss);
    let losses = LightLosses { connectors, fiber, switch: i64::from(switch) };
    let received = i64::from(optics.transmit) - connectors - fiber - losses.switch;
    let margin = received - i64::from(optics.sensitivity);
    LightBudget { ends, link_type, through, length, losses, received, margin }
}

/// Refuses a fabric with links that do not close. `name` is the name of a port.
///
/// # Errors
/// [`NotClosing`] with the worst link and the number of such links.
pub fn refuse_dark(
    fabric: &Fabric,
    budgets: &LightBudgets,
    name: &dyn Fn(End) -> String,
) -> Result<(), NotClosing> {
    let count = budgets.links.iter().filter(|link| link.spare(fabric) < 0).count();
    match budgets.tightest(fabric).filter(|_| count > 0) {
        None => Ok(()),
        Some(worst) => {
            let head = match count {
                1 => "1 link does not close:".to_owned(),
                _ => format!("{count} links do not close:"),
            };
            Err(NotClosing::new(fabric, worst, &head, name))
        }
    }
}

/// Refuses a pod with a face port whose light reaches no other port, whatever its switch joins it to. Without
/// a placement the fiber of a floor counts as 0 m long.
///
/// # Errors
/// [`NotClosing`] with the best link of the worst such port, and the number of such ports.
pub fn refuse_dark_ports(
    fabric: &Fabric,
    pod: &Pod,
    placement: Option<&Placement>,
) -> Result<(), NotClosing> {
    let (mut count, mut worst): (usize, Option<LightBudget>) = (0, None);
    for (id, ocs) in pod.ocses.enumerate() {
        let Some(optics) = fabric.link_types[ocs.link].optics else { continue };
        let sides = [ocs.a.len(), ocs.b.len()];
        for (side, port) in (0..2).flat_map(|side| (0..sides[side]).map(move |port| (side, port as u32))) {
            let others = if ocs.b.is_empty() { sides[0] } else { sides[1 - side] };
            let pairs = (0..others as u32).filter(|&other| !ocs.b.is_empty() || other != port).map(|other| {
                match (side, ocs.b.is_empty()) {
                    (_, true) => [port.min(other), port.max(other)],
                    (0, false) => [port, other],
                    (_, false) => [other, port],
                }
            });
            let budgets = pairs.map(|pair| cross_connect_budget(fabric, ocs, &optics, (id, pair), placement));
            let Some(best) = budgets.max_by_key(|link| link.margin) else { continue };
            if best.spare(fabric) < 0 {
                count += 1;
                if worst.as_ref().is_none_or(|worst| best.spare(fabric) < worst.spare(fabric)) {
                    worst = Some(best);
                }
            }
        }
    }
    let name = |end: End| face_end_name(pod, end);
    worst.map_or(Ok(()), |worst| {
        let ports = if count == 1 { "port reaches" } else { "ports reach" };
        let head = format!("{count} face {ports} no other port of the switch: at best");
        Err(NotClosing::new(fabric, &worst, &head, &name))
    })
}

/// Refuses declared links of a network without a floor that close nowhere: all of their links are alike.
///
/// # Errors
/// [`NotClosing`] with a link of that declaration.
pub fn refuse_dark_links(fabric: &Fabric, topology: &Topology) -> Result<(), NotClosing> {
    let Some(budgets) = network_budgets(fabric, topology) else { return Ok(()) };
    refuse_dark(fabric, &budgets, &|end| light_end_name(fabric, topology, end))
}

/// The receivers that get less light than their budget. `powers` has what was measured, by the name of a face
/// port. Only links that are `lit` count. A power at a switch is less at the receiver by half of the
/// connectors and half of the fiber, both rounded up.
pub fn weak_receivers(
    fabric: &Fabric,
    pod: &Pod,
    budgets: &LightBudgets,
    lit: &Mirrors,
    powers: &BTreeMap<String, MeasuredPower>,
) -> LightDrift {
    let mut drift = LightDrift { weak: Vec::new(), measured: 0, unmeasured: 0 };
    for budget in &budgets.links {
        let Some((ocs, pair)) = budget.through.filter(|(ocs, pair)| lit[*ocs].contains(pair)) else {
            continue;
        };
        let Some(optics) = fabric.link_types[budget.link_type].optics else { continue };
        for port in budget.ends.map(|end| face_end_name(pod, end)) {
            let Some(measured) = powers.get(&port) else {
                drift.unmeasured += 1;
                continue;
            };
            drift.measured += 1;
            let rest_of_the_way = match measured.at {
                MeasuringPoint::Receiver => 0,
                MeasuringPoint::Switch => {
                    let connectors = i64::from(optics.connectors.div_ceil(2));
                    connectors * i64::from(optics.connector_loss) + (budget.losses.fiber + 1) / 2
                }
            };
            let power = measured.power - rest_of_the_way;
            let sensitivity = i64::from(optics.sensitivity);
            let state = if power < sensitivity {
                WeakLight::Unreadable
            } else if power < sensitivity + i64::from(optics.margin) {
                WeakLight::Low
            } else if power < budget.received {
                WeakLight::Lossy
            } else {
                continue;
            };
            drift.weak.push(WeakReceiver {
                ocs,
                pair,
                port,
                power,
                budget: budget.received,
                sensitivity,
                state,
            });
        }
    }
    drift
}

impl NotClosing {
    /// The error for the worst link. `head` says how many there are.
    fn new(fabric: &Fabric, worst: &LightBudget, head: &str, name: &dyn Fn(End) -> String) -> Self {
        let link_type = &fabric.link_types[worst.link_type];
        let ocs = worst.through.map(|(id, _)| &fabric.pod().expect("only a pod has switches").ocses[id]);
        let [a, b] = worst.ends.map(name);
        let through = ocs.map_or(String::new(), |ocs| format!(" through {}", ocs.name));
        let optics = link_type.optics.unwrap_or(NO_OPTICS);
        let (margin, needed) = (thousandths_text(worst.margin), thousandths_text(optics.margin.into()));
        Self {
            problem: format!(
                "{head} {a} to {b}{through} has a margin of {margin} dB, and `{}` needs {needed} dB",
                link_type.name
            ),
            arithmetic: arithmetic(worst, &optics),
            span: link_type.span,
            through: ocs.map(|ocs| ocs.span),
        }
    }
}

/// Stands for the optical side of a link without one, which has no budget.
const NO_OPTICS: Optics = Optics {
    transmit: 0,
    sensitivity: 0,
    loss_per_km: 0,
    length: None,
    connectors: 0,
    connector_loss: 0,
    margin: 0,
};

/// The sum of a budget as people write it.
fn arithmetic(link: &LightBudget, optics: &Optics) -> String {
    let text = |thousandths: i64| thousandths_text(thousandths);
    let mut sum = format!("{} dBm", text(optics.transmit.into()));
    if link.losses.connectors > 0 {
        sum += &format!(" - {} x {} dB", optics.connectors, text(optics.connector_loss.into()));
    }
    if link.losses.fiber > 0 {
        let length = thousandths_text(i64::from(link.length.unwrap_or(0)) * 100);
        sum += &format!(" - {} dB of {length} m", text(link.losses.fiber));
    }
    if link.losses.switch > 0 {
        sum += &format!(" - {} dB in the switch", text(link.losses.switch));
    }
    format!(
        "{sum} = {} dBm, and the receiver needs {} dBm: raise `transmit`, or lose less on the way",
        text(link.received),
        text(optics.sensitivity.into())
    )
}
