//! The racks of boxes of GPUs and of the switches that join them.

use fabc_model::{BoxPart, Boxes, Clustering, Floor};

/// `[router]`: its rack. Boxes fill racks in order. By group, leaves stand with their boxes, evenly spread
/// over the racks of these. All other switches fill racks of their own, by id.
pub(super) fn racks_of_parts(floor: &Floor, boxes: &Boxes, routers: u32) -> Vec<u32> {
    let holds = floor.box_rack.unwrap_or(1);
    let beside = if floor.clustering == Clustering::ByGroup {
        racks_of_leaves(boxes, holds)
    } else {
        vec![None; boxes.outer_count() as usize]
    };
    let first_outer = boxes.gpu_count() + boxes.inner_count();
    let first_rack = boxes.box_count().div_ceil(holds);
    let mut others = 0;
    let mut rack_of_switch = |switch: u32| {
        beside[switch as usize].unwrap_or_else(|| {
            others += 1;
            first_rack + (others - 1) / floor.cabinet
        })
    };
    let rack = |router: u32| match boxes.part(router).0 {
        BoxPart::Gpu { place, .. } | BoxPart::Inner { place, .. } => place / holds,
        BoxPart::Outer { .. } => rack_of_switch(router - first_outer),
    };
    (0..routers).map(rack).collect()
}

/// `[switch outside]`: the rack of boxes in which it stands. `None` for switches that are no leaves.
fn racks_of_leaves(boxes: &Boxes, holds: u32) -> Vec<Option<u32>> {
    let mut racks = vec![None; boxes.outer_count() as usize];
    let plane_size = boxes.outer_count() / boxes.planes().max(1);
    for group in boxes.leaf_groups() {
        let [first, last] = [group.first_box, group.last_box].map(|place| place / holds);
        let leaves = group.leaves.len() as u32 * boxes.planes();
        let of_planes = (0..boxes.planes())
            .flat_map(|plane| group.leaves.iter().map(move |leaf| plane * plane_size + leaf));
        for (place, switch) in (0u32..).zip(of_planes) {
            let along = (2 * place + 1) * (last - first + 1) / (2 * leaves);
            racks[switch as usize] = Some(first + along);
        }
    }
    racks
}
