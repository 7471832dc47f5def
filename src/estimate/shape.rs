//! Fabrics by their numbers alone: who is joined to whom in closed form.

use super::load::{line_load, ring_load};

/// A fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Chips around one switch.
    Star {
        /// Chips.
        chips: u64,
    },
    /// Chips below leaves, each leaf joined to every spine.
    LeafSpine {
        /// Chips.
        chips: u64,
    },
    /// A Clos network of three tiers.
    FatTree {
        /// Chips.
        chips: u64,
    },
    /// Every two chips are joined, without a switch.
    FullMesh {
        /// Chips.
        chips: u64,
    },
    /// Rings along every axis.
    Torus {
        /// Chips along every axis.
        sides: Vec<u64>,
        /// Two chips that close a ring have a link for each way round, as in the pods of fabc; else one.
        twin: bool,
    },
    /// Lines along every axis.
    Mesh {
        /// Chips along every axis.
        sides: Vec<u64>,
    },
    /// Groups of chips that are all joined; one link between every two groups, as many groups as there can
    /// be.
    Dragonfly {
        /// Chips of a group, at least two.
        group: u64,
        /// Links of a chip to other groups.
        globals: u64,
    },
}

/// Something to know about a shape.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantity {
    /// As in JSON.
    pub name: &'static str,
    /// How much of it.
    pub value: f64,
    /// What it is, for people, with its unit.
    pub what: &'static str,
}

impl Shape {
    /// Names of all shapes, as [`Shape::family`] has them.
    pub const FAMILIES: [&'static str; 7] =
        ["torus", "mesh", "star", "full_mesh", "leaf_spine", "fat_tree", "dragonfly"];

    /// As on the command line.
    pub fn family(&self) -> &'static str {
        match self {
            Shape::Star { .. } => "star",
            Shape::LeafSpine { .. } => "leaf_spine",
            Shape::FatTree { .. } => "fat_tree",
            Shape::FullMesh { .. } => "full_mesh",
            Shape::Torus { .. } => "torus",
            Shape::Mesh { .. } => "mesh",
            Shape::Dragonfly { .. } => "dragonfly",
        }
    }

    /// The numbers behind the name: chips along every axis, chips, or those of a group and the links of each
    /// to others.
    pub fn numbers(&self) -> Vec<u64> {
        match self {
            Shape::Star { chips }
            | Shape::LeafSpine { chips }
            | Shape::FatTree { chips }
            | Shape::FullMesh { chips } => vec![*chips],
            Shape::Torus { sides, .. } | Shape::Mesh { sides } => sides.clone(),
            Shape::Dragonfly { group, globals } => vec![*group, *globals],
        }
    }

    /// Chips.
    pub fn chips(&self) -> u64 {
        match self {
            Shape::Dragonfly { group, globals } => group * (group * globals + 1),
            _ => self.numbers().iter().product(),
        }
    }

    /// Whether switches stand between the chips.
    pub fn is_switched(&self) -> bool {
        matches!(self, Shape::Star { .. } | Shape::LeafSpine { .. } | Shape::FatTree { .. })
    }

    /// Whether there are switches above switches, which may have less capacity.
    pub fn has_tiers(&self) -> bool {
        matches!(self, Shape::LeafSpine { .. } | Shape::FatTree { .. })
    }

    /// Links between the chips that are farthest apart.
    pub fn diameter(&self) -> u64 {
        match self {
            Shape::Star { .. } => 2,
            Shape::LeafSpine { .. } => 4,
            Shape::FatTree { .. } => 6,
            _ => self.hops(),
        }
    }

    /// Latencies of a channel between the chips that are farthest apart: one on a switched fabric, whose
    /// channels lead from chip to chip.
    pub fn hops(&self) -> u64 {
        match self {
            Shape::Torus { sides, .. } => sides.iter().map(|side| side / 2).sum(),
            Shape::Mesh { sides } => sides.iter().map(|side| side - 1).sum(),
            Shape::Dragonfly { .. } => 3,
            _ => 1,
        }
    }

    /// The same from the chip that is nearest to all.
    pub fn hops_from_the_middle(&self) -> u64 {
        match self {
            Shape::Mesh { sides } => sides.iter().map(|side| side / 2).sum(),
            _ => self.hops(),
        }
    }

    /// Other chips that a chip is joined to: on a switched fabric the switch, in a mesh those of an inner
    /// chip.
    pub fn neighbours(&self) -> u64 {
        match self {
            Shape::Torus { sides, .. } | Shape::Mesh { sides } => {
                sides.iter().map(|side| (side - 1).min(2)).sum()
            }
            _ => self.ports(),
        }
    }

    /// Channels into the chip that has the fewest, and as many out of it.
    pub fn ports(&self) -> u64 {
        match self {
            Shape::FullMesh { chips } => chips - 1,
            Shape::Torus { sides, twin } => {
                sides.iter().map(|&side| if side == 2 && !twin { 1 } else { 2 * u64::from(side > 1) }).sum()
            }
            Shape::Mesh { sides } => sides.iter().filter(|&&side| side > 1).count() as u64,
            Shape::Dragonfly { group, globals } => group - 1 + globals,
            _ => 1,
        }
    }

    /// Links, of shapes without switches.
    pub(super) fn links(&self) -> Option<f64> {
        let chips = self.chips() as f64;
        match self {
            Shape::Mesh { sides } => {
                Some(sides.iter().map(|&side| chips / side as f64 * (side - 1) as f64).sum())
            }
            _ if self.is_switched() => None,
            _ => Some(chips * self.ports() as f64 / 2.0),
        }
    }

    /// Channels one way between two halves, `oversubscription` times fewer above the leaves; `None` of a
    /// dragonfly, where it depends on the arrangement.
    pub fn bisection(&self, oversubscription: f64) -> Option<f64> {
        let chips = self.chips() as f64;
        match self {
            Shape::Star { .. } => Some(chips / 2.0),
            Shape::LeafSpine { .. } | Shape::FatTree { .. } => Some(chips / (2.0 * oversubscription)),
            Shape::FullMesh { chips } => Some(((chips / 2) * chips.div_ceil(2)) as f64),
            Shape::Torus { sides, twin } => {
                let longest = longest(sides);
                let ways = if longest == 2 && !twin { 1.0 } else { 2.0 };
                Some(ways * chips / longest as f64)
            }
            Shape::Mesh { sides } => Some(chips / longest(sides) as f64),
            Shape::Dragonfly { .. } => None,
        }
    }

    /// Vectors that the busiest channel along every axis carries of an all-to-all by shortest ways.
    pub fn axis_loads(&self) -> Vec<f64> {
        match self {
            Shape::Torus { sides, twin } => sides.iter().map(|&side| ring_load(side, *twin)).collect(),
            Shape::Mesh { sides } => sides.iter().map(|&side| line_load(side)).collect(),
            _ => Vec::new(),
        }
    }

    /// What else there is to know.
    pub fn quantities(&self, oversubscription: f64) -> Vec<Quantity> {
        let chips = self.chips() as f64;
        let mut all = vec![
            Quantity { name: "chips", value: chips, what: "chips" },
            Quantity {
                name: "diameter",
                value: self.diameter() as f64,
                what: "links between the chips farthest apart",
            },
            Quantity {
                name: "neighbours",
                value: self.neighbours() as f64,
                what: "chips or switches that a chip is joined to, at most",
            },
            Quantity { name: "ports", value: self.ports() as f64, what: "channels into a chip, at least" },
            Quantity {
                name: "gather_shards",
                value: (chips - 1.0) / self.ports() as f64,
                what: "shard times: an all-gather takes at least as long",
            },
        ];
        if let Some(links) = self.links() {
            let value = (chips - 1.0) / links;
            all.push(Quantity {
                name: "all_reduce_vectors",
                value,
                what: "vector times: (N - 1) / links, the least of an all-reduce",
            });
        }
        if let Some(bisection) = self.bisection(oversubscription) {
            all.push(Quantity {
                name: "bisection",
                value: bisection,
                what: "channels one way between two halves",
            });
            let port = (chips - 1.0) / chips / self.ports() as f64;
            let value = ((chips / 4.0) / bisection).max(port);
            all.push(Quantity {
                name: "all_to_all_volume",
                value,
                what: "vector times: an all-to-all through the ports and that bisection",
            });
        }
        if let Some(load) = self.axis_loads().into_iter().reduce(f64::max) {
            let cut = chips * load;
            all.push(Quantity {
                name: "cut_chunks",
                value: cut,
                what: "shards of an all-to-all over a channel of the longest axis",
            });
            let value = cut / self.hops() as f64;
            all.push(Quantity {
                name: "cut_chunks_per_hop",
                value,
                what: "the same, per hop of the longest journey",
            });
            let sides = self.numbers().iter().map(|side| side - 1).sum::<u64>() as f64;
            all.push(Quantity {
                name: "alpha_compression",
                value: (chips - 1.0) / sides,
                what: "steps of one ring over those axis by axis",
            });
        }
        all
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let numbers: Vec<String> = self.numbers().iter().map(u64::to_string).collect();
        write!(f, "{}:{}", self.family(), numbers.join("x"))
    }
}

fn longest(sides: &[u64]) -> u64 {
    sides.iter().copied().max().unwrap_or(1)
}
