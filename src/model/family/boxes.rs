//! Boxes of GPUs, joined by the switches outside of them.
//!
//! A box has GPUs, switches that join its GPUs, direct links between GPUs, and NICs. The GPUs are the
//! endpoints. They send and receive, but forward no packets. Outside of the boxes stand leaves, and perhaps a
//! folded Clos network above them. `planes` are equal networks outside, one for every port of a NIC.
//!
//! Routers come in this order: GPUs box by box, switches inside box by box, then plane by plane the leaves
//! and the tiers above.

use super::clos::Clos;
use super::facts::{FamilyFacts, FamilyForm, FullestRouter, LinkCount};
use crate::arithmetic::SwitchArithmetic;
use crate::word::words;
use fabc_base::ids::LinkTypeId;
use fabc_topology::RouterNames;

pub(super) const RAILS: FamilyForm = ("rails", "rails { spines = 4; parallel = 8; }");

/// Boxes of GPUs, and what joins them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Boxes {
    /// The kinds of boxes, each once.
    pub kinds: Vec<BoxKind>,
    /// The boxes in their order, in runs of one kind.
    pub placed: Vec<PlacedBoxes>,
    /// The switches outside. `None` for a single box that nothing joins to others.
    pub outside: Option<Outside>,
}

/// A run of boxes of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacedBoxes {
    /// Index of the kind in [`Boxes::kinds`].
    pub kind: usize,
    /// Number of boxes of the run, 1 or more.
    pub count: u32,
}

/// A kind of box, as `box name { .. }` declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoxKind {
    /// The name of the kind.
    pub name: String,
    /// Number of GPUs, 1 or more.
    pub gpus: u32,
    /// The switches inside, which only forward.
    pub switches: Vec<InnerSwitch>,
    /// The links inside, in the order of the ports of the GPUs.
    pub links: Vec<InnerLink>,
    /// `[nic]`: the GPU that it belongs to.
    pub nics: Vec<u32>,
    /// Number of ports of every NIC, 1 or more. Port p leads to plane p.
    pub nic_ports: u32,
    /// The declared link of the ports of the NICs.
    pub nic_link: Option<LinkTypeId>,
    /// Cycles that a GPU takes to send a flit.
    pub latency_cycles: u32,
    /// Price of a box, in thousandths.
    pub cost: u64,
    /// Power of a box, mW.
    pub power_mw: u64,
}

/// A switch inside a box.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InnerSwitch {
    /// Its name within the box, such as `nv` or `nv[2]`.
    pub name: String,
    /// Latency of the switch, cycles.
    pub latency_cycles: u32,
    /// What it does with data besides forwarding it.
    pub arithmetic: SwitchArithmetic,
}

/// A link inside a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InnerLink {
    /// The number of a GPU within the box.
    pub gpu: u32,
    /// The other end: a GPU of a higher number, or a switch, which counts from [`BoxKind::gpus`] on.
    pub other: u32,
    /// The declared link that it is.
    pub link: LinkTypeId,
}

/// The switches outside of the boxes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outside {
    /// The word of the form that the spec uses: `rails`, `leaf_spine`, `fat_tree` or `clos`.
    pub form: &'static str,
    /// Number of leaves of a plane.
    pub leaves: u32,
    /// The network of a plane, whose lowest tier are the leaves. `None` where leaves have nothing above.
    pub upper: Option<Clos>,
    /// Number of planes, 1 or more.
    pub planes: u32,
    /// The leaf of every NIC.
    pub attach: Attach,
}

/// The leaf to which a NIC is attached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attach {
    /// NICs fill the leaves in order.
    Box {
        /// NICs of a leaf. The last leaf may have fewer.
        per_leaf: u32,
    },
    /// NICs of one number meet at a leaf.
    Rail {
        /// Boxes of a group. Every group has its own leaves, and the last group may have fewer boxes.
        per: u32,
        /// Leaves of a group. NIC i takes leaf i modulo their number.
        leaves: u32,
    },
}

/// The rule by which NICs are attached to leaves, as a spec writes it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum AttachBy {
    /// NICs fill the leaves in order.
    #[default]
    Box,
    /// NICs of one number meet at a leaf.
    Rail,
}

words!(AttachBy { Box = "box", Rail = "rail" });

/// What a router of a network of boxes is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoxPart {
    /// A GPU, by its box and its number within the box.
    Gpu {
        /// The number of the box.
        place: u32,
        /// The number of the GPU within the box.
        gpu: u32,
    },
    /// A switch inside a box, by its box and its number within the box.
    Inner {
        /// The number of the box.
        place: u32,
        /// The number of the switch within the box.
        switch: u32,
    },
    /// A switch outside, by its plane and its number within the plane.
    Outer {
        /// The number of the plane.
        plane: u32,
        /// The number of the switch within the plane.
        switch: u32,
    },
}

impl Outside {
    /// Number of switches of a plane.
    pub fn plane_size(&self) -> u32 {
        self.upper.as_ref().map_or(self.leaves, |upper| upper.router_count() as u32)
    }

    /// Number of tiers of switches.
    pub fn tiers(&self) -> usize {
        self.upper.as_ref().map_or(1, Clos::tiers)
    }

    /// The words of the tiers, from the bottom up.
    pub fn tier_words(&self) -> Vec<String> {
        self.upper.as_ref().map_or_else(|| vec!["leaf".to_owned()], |upper| upper.tier_words.clone())
    }

    /// The tier of a switch, counted from 0. `switch` is its number within the plane.
    pub fn tier(&self, switch: u32) -> usize {
        self.upper.as_ref().map_or(0, |upper| upper.switch_digits(switch).0)
    }

    /// The leaf of a NIC. `place` is the number of its box, `nic` its number in the box, and `number` its
    /// number among all NICs.
    pub fn leaf(&self, place: u32, nic: u32, number: u32) -> u32 {
        match self.attach {
            Attach::Box { per_leaf } => number / per_leaf,
            Attach::Rail { per, leaves } => place / per * leaves + nic % leaves,
        }
    }
}

impl BoxKind {
    /// Number of ports of NICs of a box.
    pub fn nic_port_count(&self) -> u32 {
        self.nics.len() as u32 * self.nic_ports
    }

    /// Number of links of a part. Switches count from the number of GPUs on.
    fn inner_links(&self, part: u32) -> u64 {
        self.links.iter().filter(|link| link.gpu == part || link.other == part).count() as u64
    }

    /// Number of links of a GPU, with those of its NICs.
    fn gpu_links(&self, gpu: u32, planes: u32) -> u64 {
        let nics = self.nics.iter().filter(|&&at| at == gpu).count() as u64;
        self.inner_links(gpu) + nics * u64::from(planes)
    }
}

impl Boxes {
    /// `[box]`: its kind, by the number of the box.
    pub fn boxes(&self) -> impl Iterator<Item = &BoxKind> {
        self.placed.iter().flat_map(|run| std::iter::repeat_n(&self.kinds[run.kind], run.count as usize))
    }

    /// The declared links in use. Some may be listed more than once.
    pub(crate) fn links_in_use(&self) -> Vec<LinkTypeId> {
        let inside = self.kinds.iter().flat_map(|kind| kind.links.iter().map(|link| link.link));
        let nics = self.kinds.iter().filter(|_| self.outside.is_some()).filter_map(|kind| kind.nic_link);
        let upper = self.outside.iter().filter_map(|outside| outside.upper.as_ref());
        let stages = upper.flat_map(|upper| upper.stages.iter().map(|stage| stage.link));
        inside.chain(nics).chain(stages).collect()
    }

    /// Number of boxes of all kinds.
    pub fn box_count(&self) -> u32 {
        self.placed.iter().map(|run| run.count).sum()
    }

    /// Number of GPUs of all boxes.
    pub fn gpu_count(&self) -> u32 {
        self.sum(|kind| kind.gpus)
    }

    /// Number of NICs of all boxes.
    pub fn nic_count(&self) -> u32 {
        self.sum(|kind| kind.nics.len() as u32)
    }

    /// Number of switches inside all boxes.
    pub fn inner_count(&self) -> u32 {
        self.sum(|kind| kind.switches.len() as u32)
    }

    /// Number of switches outside, over all planes.
    pub fn outer_count(&self) -> u32 {
        self.outside.as_ref().map_or(0, |outside| outside.planes * outside.plane_size())
    }

    /// Number of planes outside. 0 without switches outside.
    pub fn planes(&self) -> u32 {
        self.outside.as_ref().map_or(0, |outside| outside.planes)
    }

    fn sum(&self, number: impl Fn(&BoxKind) -> u32) -> u32 {
        self.placed.iter().map(|run| run.count * number(&self.kinds[run.kind])).sum()
    }

    /// What a router is, with the kind of its box if it stands in one.
    pub fn part(&self, router: u32) -> (BoxPart, Option<&BoxKind>) {
        if let Some((place, gpu, kind)) = self.find(router, |kind| kind.gpus) {
            return (BoxPart::Gpu { place, gpu }, Some(kind));
        }
        let rest = router - self.gpu_count();
        if let Some((place, switch, kind)) = self.find(rest, |kind| kind.switches.len() as u32) {
            return (BoxPart::Inner { place, switch }, Some(kind));
        }
        let rest = rest - self.inner_count();
        let size = self.outside.as_ref().map_or(1, Outside::plane_size);
        (BoxPart::Outer { plane: rest / size, switch: rest % size }, None)
    }

    /// The box of a part, its number in the box, and the kind of the box. Every box has as many parts as
    /// `number` says. `None` beyond the last one.
    fn find(&self, part: u32, number: impl Fn(&BoxKind) -> u32) -> Option<(u32, u32, &BoxKind)> {
        let (mut rest, mut first_box) = (part, 0);
        for run in &self.placed {
            let kind = &self.kinds[run.kind];
            let each = number(kind);
            if rest < each * run.count {
                return Some((first_box + rest / each, rest % each, kind));
            }
            rest -= each * run.count;
            first_box += run.count;
        }
        None
    }

    fn router_name(&self, router: u32) -> String {
        match (self.part(router), &self.outside) {
            ((BoxPart::Gpu { place, gpu }, _), _) => format!("box{place}.gpu{gpu}"),
            ((BoxPart::Inner { place, switch }, Some(kind)), _) => {
                format!("box{place}.{}", kind.switches[switch as usize].name)
            }
            ((BoxPart::Outer { plane, switch }, _), Some(outside)) => {
                let name = match &outside.upper {
                    Some(upper) => upper.router_names().node(fabc_base::ids::NodeId(switch)),
                    None => format!("leaf[{switch}]"),
                };
                if outside.planes > 1 { format!("plane{plane}.{name}") } else { name }
            }
            _ => format!("router{router}"),
        }
    }

    /// The links of a switch of a tier outside by kind.
    fn links_of_tier(&self, outside: &Outside, tier: usize) -> Vec<LinkCount> {
        let above = outside.upper.as_ref().map_or_else(Vec::new, |upper| upper.links_of_tier(tier));
        let nics = (tier == 0).then(|| LinkCount { count: self.fullest_leaf(outside), kind: "NICs".into() });
        nics.into_iter().chain(above).collect()
    }

    /// The most NICs of a leaf.
    fn fullest_leaf(&self, outside: &Outside) -> u64 {
        let mut nics_of_leaf = vec![0u64; outside.leaves as usize];
        self.for_each_nic(|nic| {
            if let Some(nics) = nics_of_leaf.get_mut(nic.leaf(outside) as usize) {
                *nics += 1;
            }
        });
        nics_of_leaf.into_iter().max().unwrap_or(0)
    }

    /// Number of cables between switches outside, over all planes.
    pub fn outer_links(&self) -> u64 {
        let upper = self.outside.as_ref().and_then(|outside| outside.upper.as_ref());
        upper.map_or(0, |upper| upper.cables() * u64::from(self.planes()))
    }

    /// The groups of boxes that share leaves, by their first box. No leaf has NICs of two groups.
    pub fn leaf_groups(&self) -> Vec<LeafGroup> {
        let Some(outside) = &self.outside else { return Vec::new() };
        let mut boxes_of_leaf: Vec<Option<[u32; 2]>> = vec![None; outside.leaves as usize];
        self.for_each_nic(|nic| {
            let [_, last] = boxes_of_leaf[nic.leaf(outside) as usize].get_or_insert([nic.place; 2]);
            *last = nic.place;
        });
        let mut leaves: Vec<(u32, [u32; 2])> =
            (0..).zip(boxes_of_leaf).filter_map(|(leaf, boxes)| Some((leaf, boxes?))).collect();
        leaves.sort_by_key(|&(leaf, boxes)| (boxes, leaf));
        let mut groups: Vec<LeafGroup> = Vec::new();
        for (leaf, [first, last]) in leaves {
            match groups.last_mut().filter(|group| first <= group.last_box) {
                Some(group) => {
                    group.last_box = group.last_box.max(last);
                    group.leaves.push(leaf);
                }
                None => groups.push(LeafGroup { first_box: first, last_box: last, leaves: vec![leaf] }),
            }
        }
        groups.iter_mut().for_each(|group| group.leaves.sort_unstable());
        groups
    }

    /// `[switch outside]`: ports of NICs at it, plane by plane.
    pub fn nics_of_switches(&self) -> Vec<u16> {
        let Some(outside) = &self.outside else { return Vec::new() };
        let mut of_plane = vec![0u16; outside.plane_size() as usize];
        self.for_each_nic(|nic| of_plane[nic.leaf(outside) as usize] += 1);
        of_plane.repeat(outside.planes as usize)
    }

    /// Whether the NICs of some GPU are at two leaves of a plane.
    pub fn has_gpu_at_two_leaves(&self) -> bool {
        let Some(outside) = &self.outside else { return false };
        let mut leaf_of: Vec<Option<u32>> = vec![None; self.gpu_count() as usize];
        let mut found = false;
        self.for_each_nic(|nic| {
            let leaf = nic.leaf(outside);
            found |= *leaf_of[nic.gpu as usize].get_or_insert(leaf) != leaf;
        });
        found
    }

    /// Calls a function for every NIC, box by box.
    pub fn for_each_nic(&self, mut call: impl FnMut(PlacedNic)) {
        let (mut number, mut first_gpu) = (0, 0);
        for (place, kind) in (0..).zip(self.boxes()) {
            for (nic, &gpu) in (0..).zip(&kind.nics) {
                call(PlacedNic { place, nic, number, gpu: first_gpu + gpu });
                number += 1;
            }
            first_gpu += kind.gpus;
        }
    }
}

/// Boxes that follow each other, and the leaves of their NICs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeafGroup {
    /// The number of the first box.
    pub first_box: u32,
    /// The number of the last box.
    pub last_box: u32,
    /// The numbers of the leaves within a plane, ascending.
    pub leaves: Vec<u32>,
}

/// A NIC of a box.
#[derive(Clone, Copy, Debug)]
pub struct PlacedNic {
    /// The number of the box.
    pub place: u32,
    /// The number of the NIC in the box.
    pub nic: u32,
    /// The number among the NICs of all boxes.
    pub number: u32,
    /// The id of its GPU.
    pub gpu: u32,
}

impl PlacedNic {
    /// The number of its leaf within a plane.
    pub fn leaf(&self, outside: &Outside) -> u32 {
        outside.leaf(self.place, self.nic, self.number)
    }
}

impl FamilyFacts for Boxes {
    fn name(&self) -> &'static str {
        self.outside.as_ref().map_or("boxes", |outside| outside.form)
    }

    fn written(&self) -> String {
        self.name().to_owned()
    }

    fn router_count(&self) -> usize {
        (self.gpu_count() + self.inner_count() + self.outer_count()) as usize
    }

    fn fewest_links(&self) -> u64 {
        let planes = self.planes();
        let gpus = self.kinds.iter().flat_map(|kind| (0..kind.gpus).map(move |gpu| (kind, gpu)));
        gpus.map(|(kind, gpu)| kind.gpu_links(gpu, planes)).min().unwrap_or(0)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        let Some(outside) = &self.outside else { return Vec::new() };
        let kind = |(tier, word): (usize, String)| FullestRouter {
            router: format!("{} `{word}` of this `{}`", super::clos::article(&word), self.name()),
            links: self.links_of_tier(outside, tier),
            has_hosts: false,
        };
        outside.tier_words().into_iter().enumerate().map(kind).collect()
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Listed((0..self.router_count() as u32).map(|router| self.router_name(router)).collect())
    }

    fn has_hosts(&self, router: u32) -> bool {
        router < self.gpu_count()
    }

    fn has_tiers(&self) -> bool {
        true
    }
}
