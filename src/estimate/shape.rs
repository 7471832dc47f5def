//! Fabrics described by a few numbers, with closed forms for their distances, links and cuts.

use super::counts::AxisWalk;
use super::load::{line_load, ring_load};

/// A fabric given by its shape and its numbers of chips.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FabricShape {
    /// All chips around one switch.
    Star {
        /// Number of chips at the switch.
        chips: u64,
    },
    /// Chips below leaf switches. Every leaf is linked to every spine.
    LeafSpine {
        /// Number of chips below all leaves.
        chips: u64,
    },
    /// A Clos network of three tiers.
    FatTree {
        /// Number of chips below all switches.
        chips: u64,
    },
    /// A link between every two chips, without a switch.
    FullMesh {
        /// Number of chips, all linked to each other.
        chips: u64,
    },
    /// Chips on rings along every axis.
    Torus {
        /// Number of chips along every axis.
        sides: Vec<u64>,
        /// Whether two chips that close a ring have two links, one per direction, as in the pods of fabc. If
        /// not, they have one link.
        twin: bool,
    },
    /// Chips on lines along every axis.
    Mesh {
        /// Number of chips along every axis.
        sides: Vec<u64>,
    },
    /// Groups of fully connected chips, with one link between every two groups. There are as many groups as
    /// the links allow.
    Dragonfly {
        /// Chips of a group, at least two.
        group: u64,
        /// Links of a chip to other groups.
        globals: u64,
    },
}

/// A derived quantity of a shape, such as its diameter.
#[derive(Clone, PartialEq, Debug)]
pub struct ShapeQuantity {
    /// Name of the field in JSON.
    pub name: &'static str,
    /// Value in the unit that [`ShapeQuantity::description`] names.
    pub value: f64,
    /// Description for people, with the unit.
    pub description: &'static str,
}

impl FabricShape {
    /// Names of all shapes, as [`FabricShape::family`] returns them.
    pub const FAMILIES: [&'static str; 7] =
        ["torus", "mesh", "star", "full_mesh", "leaf_spine", "fat_tree", "dragonfly"];

    /// Name of the shape, as on the command line.
    pub fn family(&self) -> &'static str {
        match self {
            FabricShape::Star { .. } => "star",
            FabricShape::LeafSpine { .. } => "leaf_spine",
            FabricShape::FatTree { .. } => "fat_tree",
            FabricShape::FullMesh { .. } => "full_mesh",
            FabricShape::Torus { .. } => "torus",
            FabricShape::Mesh { .. } => "mesh",
            FabricShape::Dragonfly { .. } => "dragonfly",
        }
    }

    /// The numbers behind the name. They are the chips along every axis, or the chips in all. For a dragonfly
    /// they are the chips of a group and the links of a chip to other groups.
    pub fn numbers(&self) -> Vec<u64> {
        match self {
            FabricShape::Star { chips }
            | FabricShape::LeafSpine { chips }
            | FabricShape::FatTree { chips }
            | FabricShape::FullMesh { chips } => vec![*chips],
            FabricShape::Torus { sides, .. } | FabricShape::Mesh { sides } => sides.clone(),
            FabricShape::Dragonfly { group, globals } => vec![*group, *globals],
        }
    }

    /// Number of chips of the fabric.
    pub fn chips(&self) -> u64 {
        match self {
            FabricShape::Dragonfly { group, globals } => group * (group * globals + 1),
            _ => self.numbers().iter().product(),
        }
    }

    /// Whether switches stand between the chips.
    pub fn is_switched(&self) -> bool {
        matches!(self, FabricShape::Star { .. } | FabricShape::LeafSpine { .. } | FabricShape::FatTree { .. })
    }

    /// Whether there are switches above switches. The upper ones may have less capacity.
    pub fn has_tiers(&self) -> bool {
        matches!(self, FabricShape::LeafSpine { .. } | FabricShape::FatTree { .. })
    }

    /// Links between the two chips that are farthest apart, those to and from switches included.
    pub fn diameter(&self) -> u64 {
        match self {
            FabricShape::Star { .. } => 2,
            FabricShape::LeafSpine { .. } => 4,
            FabricShape::FatTree { .. } => 6,
            _ => self.hops(),
        }
    }

    /// Channel latencies between the two chips that are farthest apart. On a switched fabric it is one,
    /// because a channel there leads from chip to chip.
    pub fn hops(&self) -> u64 {
        self.walk(&[]).steps
    }

    /// The hops between the two chips that are farthest apart. `latencies` are nanoseconds of a hop by axis,
    /// or empty where all are alike. A dragonfly has those inside a group and between groups.
    pub(super) fn walk(&self, latencies: &[f64]) -> AxisWalk {
        match self {
            FabricShape::Torus { sides, .. } => AxisWalk::new(sides, latencies, |side| side / 2),
            FabricShape::Mesh { sides } => AxisWalk::new(sides, latencies, |side| side - 1),
            // To the chip with the link, over it, and to the chip of the other group.
            FabricShape::Dragonfly { .. } => AxisWalk::new(&[2, 1], latencies, |hops| hops),
            _ => AxisWalk { steps: 1, latency_ns: None },
        }
    }

    /// Number of latencies that may differ: one per axis, two of a dragonfly, one of all other shapes.
    pub fn latency_count(&self) -> usize {
        match self {
            FabricShape::Torus { sides, .. } | FabricShape::Mesh { sides } => sides.len(),
            FabricShape::Dragonfly { .. } => 2,
            _ => 1,
        }
    }

    /// Channel latencies from the most central chip to the chip farthest from it.
    pub fn hops_from_the_middle(&self) -> u64 {
        self.walk_from_the_middle(&[]).steps
    }

    /// The same with `latencies` as in [`FabricShape::walk`].
    pub(super) fn walk_from_the_middle(&self, latencies: &[f64]) -> AxisWalk {
        match self {
            FabricShape::Mesh { sides } => AxisWalk::new(sides, latencies, |side| side / 2),
            _ => self.walk(latencies),
        }
    }

    /// Number of chips linked to a chip. On a switched fabric it is one, the switch. In a mesh it is that of
    /// an inner chip.
    pub fn neighbours(&self) -> u64 {
        match self {
            FabricShape::Torus { sides, .. } | FabricShape::Mesh { sides } => {
                sides.iter().map(|side| (side - 1).min(2)).sum()
            }
            _ => self.ports(),
        }
    }

    /// Channels into the chip that has the fewest. As many channels lead out of it.
    pub fn ports(&self) -> u64 {
        match self {
            FabricShape::FullMesh { chips } => chips - 1,
            FabricShape::Torus { sides, twin } => {
                sides.iter().map(|&side| if side == 2 && !twin { 1 } else { 2 * u64::from(side > 1) }).sum()
            }
            FabricShape::Mesh { sides } => sides.iter().filter(|&&side| side > 1).count() as u64,
            FabricShape::Dragonfly { group, globals } => group - 1 + globals,
            _ => 1,
        }
    }

    /// Number of links, for shapes without switches.
    pub(super) fn links(&self) -> Option<f64> {
        let chips = self.chips() as f64;
        match self {
            FabricShape::Mesh { sides } => {
                Some(sides.iter().map(|&side| chips / side as f64 * (side - 1) as f64).sum())
            }
            _ if self.is_switched() => None,
            _ => Some(chips * self.ports() as f64 / 2.0),
        }
    }

    /// Channels in one direction between two halves, divided by `oversubscription` above the leaves. `None`
    /// for a dragonfly, where it depends on the arrangement.
    pub fn bisection(&self, oversubscription: f64) -> Option<f64> {
        let chips = self.chips() as f64;
        match self {
            FabricShape::Star { .. } => Some(chips / 2.0),
            FabricShape::LeafSpine { .. } | FabricShape::FatTree { .. } => {
                Some(chips / (2.0 * oversubscription))
            }
            FabricShape::FullMesh { chips } => Some(((chips / 2) * chips.div_ceil(2)) as f64),
            FabricShape::Torus { sides, twin } => {
                let longest = longest(sides);
                let channels_per_pair = if longest == 2 && !twin { 1.0 } else { 2.0 };
                Some(channels_per_pair * chips / longest as f64)
            }
            FabricShape::Mesh { sides } => Some(chips / longest(sides) as f64),
            FabricShape::Dragonfly { .. } => None,
        }
    }

    /// For every axis: the load of its busiest channel in an all-to-all over shortest paths, in vectors of a
    /// chip.
    pub fn axis_loads(&self) -> Vec<f64> {
        match self {
            FabricShape::Torus { sides, twin } => sides.iter().map(|&side| ring_load(side, *twin)).collect(),
            FabricShape::Mesh { sides } => sides.iter().map(|&side| line_load(side)).collect(),
            _ => Vec::new(),
        }
    }

    /// All derived quantities of the shape, in the order of the output.
    pub fn quantities(&self, oversubscription: f64) -> Vec<ShapeQuantity> {
        let chips = self.chips() as f64;
        let mut quantities = vec![
            ShapeQuantity { name: "chips", value: chips, description: "chips" },
            ShapeQuantity {
                name: "diameter",
                value: self.diameter() as f64,
                description: "links between the chips farthest apart",
            },
            ShapeQuantity {
                name: "neighbours",
                value: self.neighbours() as f64,
                description: "chips or switches that a chip is joined to, at most",
            },
            ShapeQuantity {
                name: "ports",
                value: self.ports() as f64,
                description: "channels into a chip, at least",
            },
            ShapeQuantity {
                name: "gather_shards",
                value: (chips - 1.0) / self.ports() as f64,
                description: "shard times: an all-gather takes at least as long",
            },
        ];
        if let Some(links) = self.links() {
            let value = (chips - 1.0) / links;
            quantities.push(ShapeQuantity {
                name: "all_reduce_vectors",
                value,
                description: "vector times: (N - 1) / links, the least of an all-reduce",
            });
        }
        if let Some(bisection) = self.bisection(oversubscription) {
            quantities.push(ShapeQuantity {
                name: "bisection",
                value: bisection,
                description: "channels one way between two halves",
            });
            let port = (chips - 1.0) / chips / self.ports() as f64;
            let value = ((chips / 4.0) / bisection).max(port);
            quantities.push(ShapeQuantity {
                name: "all_to_all_volume",
                value,
                description: "vector times: an all-to-all through the ports and that bisection",
            });
        }
        if let Some(load) = self.axis_loads().into_iter().reduce(f64::max) {
            let cut = chips * load;
            quantities.push(ShapeQuantity {
                name: "cut_chunks",
                value: cut,
                description: "shards of an all-to-all over a channel of the longest axis",
            });
            let value = cut / self.hops() as f64;
            quantities.push(ShapeQuantity {
                name: "cut_chunks_per_hop",
                value,
                description: "the same, per hop of the longest journey",
            });
            let sides = self.numbers().iter().map(|side| side - 1).sum::<u64>() as f64;
            quantities.push(ShapeQuantity {
                name: "alpha_compression",
                value: (chips - 1.0) / sides,
                description: "steps of one ring over those axis by axis",
            });
        }
        quantities
    }
}

impl std::fmt::Display for FabricShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let numbers: Vec<String> = self.numbers().iter().map(u64::to_string).collect();
        write!(f, "{}:{}", self.family(), numbers.join("x"))
    }
}

fn longest(sides: &[u64]) -> u64 {
    sides.iter().copied().max().unwrap_or(1)
}
