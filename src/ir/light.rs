//! Light budgets: what is lost between a transmitter and a receiver, and what the receiver gets.
//!
//! Units: powers in thousandths of a dBm, losses and margins in thousandths of a dB, lengths in 0.1 m.

use super::{End, Topology};
use fabc_base::ids::{LinkTypeId, OcsId};
use fabc_model::{Fabric, Pod};

/// Width of a class of [`LightBudgets::histogram`], in thousandths of a dB.
const CLASS: i64 = 500;

/// The light budget of one link. With a fiber per direction, that of the worse direction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LightBudget {
    /// The two ports that it joins. Through a switch, the port on its side A first.
    pub ends: LightEnds,
    /// The declared link, which has an optical side.
    pub link_type: LinkTypeId,
    /// The switch that the light passes, and the indices of its two ports.
    pub through: Option<(OcsId, [u32; 2])>,
    /// Length of the fiber from end to end. `None` where nothing gives it, and fiber loses nothing.
    pub length: Option<u32>,
    /// The parts of the loss.
    pub losses: LightLosses,
    /// Power that the receiver gets.
    pub received: i64,
    /// Received power over the sensitivity.
    pub margin: i64,
}

/// The two ports that a link of light joins. Through a switch, the port on its side A first.
pub type LightEnds = [End; 2];

/// The name of a face port of a pod.
pub fn face_end_name(pod: &Pod, end: End) -> String {
    pod.face_port_name(pod.face(end.node, end.port))
}

/// The name of a port of a link with light: of a face port in a pod, of router and port in a network.
pub fn light_end_name(fabric: &Fabric, topology: &Topology, end: End) -> String {
    match fabric.pod() {
        Some(pod) => face_end_name(pod, end),
        None => format!("{}.{}", topology.name(end.node), end.port),
    }
}

/// The parts of the loss of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LightLosses {
    /// Loss of all connectors on the way.
    pub connectors: i64,
    /// Loss of the fiber, rounded up.
    pub fiber: i64,
    /// Insertion loss of the switch. 0 without one.
    pub switch: i64,
}

impl LightBudget {
    /// The margin over the least one that the spec declares. Negative where the link does not close.
    pub fn spare(&self, fabric: &Fabric) -> i64 {
        let optics = fabric.link_types[self.link_type].optics;
        self.margin - optics.map_or(0, |optics| i64::from(optics.margin))
    }
}

/// The light budgets of a fabric: by switch and ports in a pod, by link in a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LightBudgets {
    /// The budgets of all links with light.
    pub links: Vec<LightBudget>,
}

impl LightBudgets {
    /// The link with the least margin over what its declaration needs, the first of equal ones.
    pub fn tightest(&self, fabric: &Fabric) -> Option<&LightBudget> {
        self.links.iter().min_by_key(|link| link.spare(fabric))
    }

    /// The least and the largest margin.
    pub fn range(&self) -> Option<(i64, i64)> {
        let margins = || self.links.iter().map(|link| link.margin);
        margins().min().zip(margins().max())
    }

    /// The sum of all margins, and their number.
    pub fn sum(&self) -> (i64, u64) {
        (self.links.iter().map(|link| link.margin).sum(), self.links.len() as u64)
    }

    /// The number of links by margin: the lower end of every class of half a dB, without empty classes at the
    /// ends.
    pub fn histogram(&self) -> Vec<(i64, u64)> {
        let Some((least, most)) = self.range() else { return Vec::new() };
        let class = |margin: i64| margin.div_euclid(CLASS);
        let mut counts: Vec<(i64, u64)> =
            (class(least)..=class(most)).map(|class| (class * CLASS, 0)).collect();
        for link in &self.links {
            counts[(class(link.margin) - class(least)) as usize].1 += 1;
        }
        counts
    }
}
