//! The racks of boxes of GPUs, and of the switches that join them.

use fabc_ir::{Link, Topology};
use fabc_model::{Boxes, Clustering, Floor};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of boxes, by router.
pub(super) struct BoxedParts {
    /// `[router]`: its box. `None` for switches outside.
    box_of: Vec<Option<u32>>,
}

impl BoxedParts {
    /// The parts of boxes, which come before all switches outside. `None` stands for a network without boxes.
    pub(super) fn new(boxes: Option<&Boxes>, routers: usize) -> Self {
        let kinds: Vec<_> = boxes
            .iter()
            .flat_map(|boxes| boxes.placed.iter().map(|run| (&boxes.kinds[run.kind], run.count)))
            .flat_map(|(kind, count)| (0..count).map(move |_| kind))
            .collect();
        let mut box_of = Vec::with_capacity(routers);
        for (place, kind) in (0..).zip(&kinds) {
            box_of.extend((0..kind.gpus).map(|_| Some(place)));
        }
        for (place, kind) in (0..).zip(&kinds) {
            box_of.extend(kind.switches.iter().map(|_| Some(place)));
        }
        box_of.resize(routers, None);
        Self { box_of }
    }

    /// Whether both ends of a link are in one box, so that it is no cable.
    pub(super) fn is_inside(&self, link: &Link) -> bool {
        let [first, second] = [link.a, link.b].map(|end| self.box_of[end.node.0 as usize]);
        first.is_some() && first == second
    }

    /// `[router]`: the rack in which it must stand.
    pub(super) fn racks(&self, floor: &Floor, topology: &Topology) -> Result<Vec<u32>, String> {
        let holds = floor.box_rack.ok_or("the boxes of a rack are not given")?;
        let boxes = self.box_of.iter().flatten().max().map_or(0, |last| last + 1);
        let beside = match floor.clustering {
            Clustering::Sequential => BTreeMap::new(),
            Clustering::ByGroup => self.leaves_beside_boxes(holds, boxes, topology),
            _ => return Err("boxes stand in racks by order or by group".to_owned()),
        };
        let mut alone = 0;
        let mut racks = Vec::with_capacity(self.box_of.len());
        for (router, place) in (0u32..).zip(&self.box_of) {
            let rack = match (place, beside.get(&router)) {
                (Some(place), _) => place / holds,
                (None, Some(&rack)) => rack,
                (None, None) => {
                    alone += 1;
                    boxes.div_ceil(holds) + (alone - 1) / floor.cabinet
                }
            };
            racks.push(rack);
        }
        Ok(racks)
    }

    /// By switch: the rack of boxes in which it stands. Those that cables join to boxes stand among these:
    /// the boxes that share such switches form a group, and its switches are spread over the racks of it.
    fn leaves_beside_boxes(&self, holds: u32, boxes: u32, topology: &Topology) -> BTreeMap<u32, u32> {
        let mut boxes_of_leaf: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for link in topology.links().iter() {
            let ends = [link.a.node.0, link.b.node.0];
            match ends.map(|end| self.box_of[end as usize]) {
                [Some(place), None] => boxes_of_leaf.entry(ends[1]).or_default().insert(place),
                [None, Some(place)] => boxes_of_leaf.entry(ends[0]).or_default().insert(place),
                _ => continue,
            };
        }
        // The group of a box is the lowest box that it is joined to, over any number of leaves.
        let mut group_of: Vec<u32> = (0..boxes).collect();
        loop {
            let before = group_of.clone();
            for places in boxes_of_leaf.values() {
                let lowest = places.iter().map(|&place| group_of[place as usize]).min().unwrap_or(0);
                places.iter().for_each(|&place| group_of[place as usize] = lowest);
            }
            if before == group_of {
                break;
            }
        }
        let mut beside = BTreeMap::new();
        for group in group_of.iter().copied().collect::<BTreeSet<u32>>() {
            let in_group = |place: &u32| group_of[*place as usize] == group;
            let leaves: Vec<u32> = boxes_of_leaf
                .iter()
                .filter(|(_, places)| places.iter().any(&in_group))
                .map(|(&leaf, _)| leaf)
                .collect();
            let last = (0..boxes).rev().find(in_group).unwrap_or(group);
            let (first_rack, last_rack) = (group / holds, last / holds);
            let racks = u64::from(last_rack - first_rack + 1);
            for (position, &leaf) in (0u64..).zip(&leaves) {
                // The middle of the leaf's part of the racks.
                let along = (2 * position + 1) * racks / (2 * leaves.len() as u64);
                beside.insert(leaf, first_rack + along as u32);
            }
        }
        beside
    }

    /// Verifies that a rack holds no more boxes and no more switches than it may.
    pub(super) fn verify_racks(&self, floor: &Floor, rack_of: &[u32]) -> Result<(), String> {
        let mut held: BTreeMap<u32, (BTreeSet<u32>, u32)> = BTreeMap::new();
        for (&rack, place) in rack_of.iter().zip(&self.box_of) {
            let (boxes, switches) = held.entry(rack).or_default();
            match place {
                Some(place) => _ = boxes.insert(*place),
                None => *switches += 1,
            }
        }
        for (rack, (boxes, switches)) in &held {
            if *switches > floor.cabinet || boxes.len() > floor.box_rack.unwrap_or(0) as usize {
                let boxes = boxes.len();
                return Err(format!("rack {rack} holds {boxes} boxes and {switches} switches, too many"));
            }
        }
        if held.keys().copied().eq(0..floor.cabinets) {
            Ok(())
        } else {
            Err(format!("{} racks hold something, but the spec has {}", held.len(), floor.cabinets))
        }
    }
}
