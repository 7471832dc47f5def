//! Boxes of GPUs, and the switches outside that join them.
//!
//! Links inside a box are local, all others global. A GPU has its links inside first, in the order of the
//! box, then the ports of its NICs, plane by plane. A switch outside has the ports down before those up.

use super::clos;
use crate::wire::edge::UnnumberedLink;
use fabc_ir::LinkClass;
use fabc_model::{Boxes, Outside};

/// The links of boxes: those inside box by box, then plane by plane those of NICs and of switches outside.
pub(super) fn edges(boxes: &Boxes) -> Vec<UnnumberedLink> {
    let mut edges = Vec::new();
    let mut next_port = vec![0u16; boxes.gpu_count() as usize];
    let mut take_port = |gpu: u32| {
        let port = next_port[gpu as usize];
        next_port[gpu as usize] += 1;
        Some(port)
    };
    let (mut first_gpu, mut first_switch) = (0, boxes.gpu_count());
    for kind in boxes.boxes() {
        for link in &kind.links {
            let from = first_gpu + link.gpu;
            let (to, to_gpu) = match link.other.checked_sub(kind.gpus) {
                None => (first_gpu + link.other, true),
                Some(switch) => (first_switch + switch, false),
            };
            let ports = [take_port(from), if to_gpu { take_port(to) } else { None }];
            let (class, link_type) = (LinkClass::Local, link.link);
            edges.push(UnnumberedLink { ends: [from, to], class, link_type, ports });
        }
        first_gpu += kind.gpus;
        first_switch += kind.switches.len() as u32;
    }
    let Some(outside) = &boxes.outside else { return edges };
    let nic_links: Vec<_> = boxes.boxes().map(|kind| kind.nic_link).collect();
    for plane in 0..outside.planes {
        let first = first_switch + plane * outside.plane_size();
        boxes.for_each_nic(|nic| {
            let Some(link_type) = nic_links[nic.place as usize] else { return };
            let ends = [nic.gpu, first + nic.leaf(outside)];
            let ports = [take_port(nic.gpu), None];
            edges.push(UnnumberedLink { ends, class: LinkClass::Global, link_type, ports });
        });
        edges.extend(upper_edges(outside, first));
    }
    edges
}

/// The links between the switches of a plane, whose first leaf has the id `first`.
fn upper_edges(outside: &Outside, first: u32) -> impl Iterator<Item = UnnumberedLink> + use<> {
    let links = outside.upper.as_ref().map_or_else(Vec::new, clos::edges);
    links.into_iter().map(move |link| UnnumberedLink {
        ends: link.ends.map(|end| first + end),
        class: LinkClass::Global,
        ..link
    })
}
