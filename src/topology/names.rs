//! The names of the routers and ports of a topology.

use crate::ids::{Id, NodeId, PortId};
use std::sync::Arc;

/// Names of the six ports of a chip, by [`PortId`](crate::ids::PortId).
pub const PORT_NAMES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// The scheme by which routers and ports are named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RouterNames {
    /// `router7`: by the number of the router.
    Numbered,
    /// `cube3[1,2,3]` in cubes with these sides, first axis fastest. Ports are `+x` .. `-z`.
    Cubes([u32; 3]),
    /// `router[1,2]` in a grid with these sides, last axis fastest.
    Grid(Arc<[u32]>),
    /// `group3[5]`: blocks of equal size with a word before their number.
    Blocks {
        /// The word before the number of a block.
        word: &'static str,
        /// The number of routers of a block.
        size: u32,
    },
    /// `group3.2[5]`: blocks in blocks. The list has the number of parts at every level, from the inside out,
    /// routers first.
    Nested(Arc<[u32]>),
    /// `router[0,2,1]`: the word of a Kautz graph, in lexicographic order. Letters are 0..=degree, and
    /// neighboring letters differ.
    Words {
        /// Arcs out of a router.
        degree: u32,
        /// The number of letters of a word.
        length: u32,
    },
    /// `router[1,0,2]`: a permutation of the symbols from 0 on, in lexicographic order.
    Permutations {
        /// The number of symbols of each permutation.
        symbols: u32,
    },
    /// `agg[7,0]`: tiers with a word each, from the bottom up. Their routers follow each other.
    Tiers(Arc<[TierNames]>),
    /// Names from a file, by id.
    Listed(Arc<[String]>),
}

/// The names of the routers of a tier: a word and the digits of the number within the tier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TierNames {
    /// The word before the digits.
    pub word: String,
    /// The id of the first router of the tier.
    pub first: u32,
    /// Number of values of every digit, most significant digit first.
    pub sides: Vec<u32>,
}

impl TierNames {
    /// Number of routers of the tier.
    fn size(&self) -> u32 {
        self.sides.iter().product()
    }
}

impl RouterNames {
    /// The name of a router.
    pub fn node(&self, node: NodeId) -> String {
        match self {
            RouterNames::Numbered => format!("router{node}"),
            RouterNames::Cubes([x, y, z]) => {
                let (cube, local) = (node.0 / (x * y * z), node.0 % (x * y * z));
                format!("cube{cube}[{},{},{}]", local % x, local / x % y, local / (x * y))
            }
            RouterNames::Grid(sides) => bracketed("router", &grid(sides, node.0)),
            RouterNames::Blocks { word, size } => format!("{word}{}[{}]", node.0 / size, node.0 % size),
            RouterNames::Nested(blocks) => {
                let mut rest = node.0;
                let mut coordinates: Vec<String> =
                    blocks.iter().map(|count| (rest % count, rest /= count).0.to_string()).collect();
                let router = coordinates.remove(0);
                coordinates.reverse();
                format!("group{}[{router}]", coordinates.join("."))
            }
            RouterNames::Words { degree, length } => bracketed("router", &word(*degree, *length, node.0)),
            RouterNames::Permutations { symbols } => bracketed("router", &permutation(*symbols, node.0)),
            RouterNames::Tiers(tiers) => {
                let tier = &tiers[tiers.partition_point(|tier| tier.first <= node.0) - 1];
                bracketed(&tier.word, &grid(&tier.sides, node.0 - tier.first))
            }
            RouterNames::Listed(names) => names[node.index()].clone(),
        }
    }

    /// Whether routers are named by the blocks that they are in: cubes, groups, supernodes.
    pub fn has_blocks(&self) -> bool {
        matches!(self, RouterNames::Cubes(_) | RouterNames::Blocks { .. } | RouterNames::Nested(_))
    }

    /// The routers of a block by its name, ascending, in a topology of `count` routers. Empty if no block has
    /// this name. `group3` has the routers of `group3.0` and `group3.1`.
    pub fn block(&self, name: &str, count: usize) -> Vec<NodeId> {
        let is_inside = |node: &NodeId| {
            self.node(*node).strip_prefix(name).is_some_and(|rest| rest.starts_with(['[', '.']))
        };
        if self.has_blocks() { (0..count).map(NodeId::new).filter(is_inside).collect() } else { Vec::new() }
    }

    /// The name of a port.
    pub fn port(&self, port: PortId) -> String {
        match self {
            RouterNames::Cubes(_) => {
                PORT_NAMES.get(port.index()).map_or_else(|| format!("port{port}"), |&name| name.to_owned())
            }
            _ => format!("port{port}"),
        }
    }
    /// A hint about the names of `count` routers: `they are called ..`.
    pub fn range_hint(&self, count: usize) -> String {
        let last = count.saturating_sub(1);
        if let RouterNames::Tiers(tiers) = self {
            let range = |tier: &TierNames| {
                let ends = [tier.first, tier.first + tier.size() - 1].map(|id| self.node(NodeId(id)));
                format!("`{}` to `{}`", ends[0], ends[1])
            };
            let ranges: Vec<String> = tiers.iter().map(range).collect();
            return format!("they are called {}, or 0 to {last}", ranges.join(", "));
        }
        format!(
            "they are called `{}` to `{}`, or 0 to {last}",
            self.node(NodeId(0)),
            self.node(NodeId(last as u32))
        )
    }

    /// The router with that name among `count` routers, if there is one.
    pub fn find(&self, name: &str, count: usize) -> Option<NodeId> {
        let numbers = |text: &str| -> Option<Vec<u32>> {
            text.strip_suffix(']')?.split(',').map(|number| number.trim().parse().ok()).collect()
        };
        let node = match self {
            RouterNames::Numbered => name.strip_prefix("router")?.parse().ok()?,
            RouterNames::Cubes([x, y, z]) => {
                let (cube, cell) = name.strip_prefix("cube")?.split_once('[')?;
                let (cube, cell): (u32, [u32; 3]) = (cube.parse().ok()?, numbers(cell)?.try_into().ok()?);
                cell.iter().zip([x, y, z]).all(|(coordinate, side)| coordinate < side).then_some(())?;
                cube.checked_mul(x * y * z)?.checked_add(cell[0] + x * (cell[1] + y * cell[2]))?
            }
            RouterNames::Grid(sides) => place_in_grid(sides, &numbers(name.strip_prefix("router[")?)?)?,
            RouterNames::Tiers(tiers) => {
                let (word, digits) = name.split_once('[')?;
                let tier = tiers.iter().find(|tier| tier.word == word)?;
                tier.first + place_in_grid(&tier.sides, &numbers(digits)?)?
            }
            RouterNames::Blocks { word, size } => {
                let (block, router) = name.strip_prefix(word)?.split_once('[')?;
                let router: [u32; 1] = numbers(router)?.try_into().ok()?;
                (router[0] < *size).then_some(())?;
                block.parse::<u32>().ok()?.checked_mul(*size)?.checked_add(router[0])?
            }
            RouterNames::Nested(blocks) => {
                let (groups, router) = name.strip_prefix("group")?.split_once('[')?;
                let [router]: [u32; 1] = numbers(router)?.try_into().ok()?;
                let groups: Option<Vec<u32>> = groups.split('.').map(|group| group.parse().ok()).collect();
                let path = groups?.into_iter().chain([router]);
                (path.clone().count() == blocks.len()).then_some(())?;
                path.zip(blocks.iter().rev())
                    .try_fold(0, |id, (place, count)| (place < *count).then_some(id * count + place))?
            }
            RouterNames::Words { degree, length } => {
                let letters = numbers(name.strip_prefix("router[")?)?;
                let differ = letters.windows(2).all(|pair| pair[0] != pair[1])
                    && letters.iter().all(|letter| letter <= degree);
                (letters.len() == *length as usize && differ).then_some(())?;
                let mut id = letters[0];
                for pair in letters.windows(2) {
                    id = id * degree + pair[1] - u32::from(pair[1] > pair[0]);
                }
                id
            }
            RouterNames::Permutations { symbols } => {
                place_of_permutation(*symbols, &numbers(name.strip_prefix("router[")?)?)?
            }
            RouterNames::Listed(names) => names.iter().position(|other| other == name)? as u32,
        };
        ((node as usize) < count).then_some(NodeId(node))
    }
}

fn bracketed(word: &str, numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    format!("{word}[{}]", numbers.join(","))
}

/// The coordinates of an id in a grid, last axis fastest.
fn grid(sides: &[u32], id: u32) -> Vec<u32> {
    let mut rest = id;
    let mut coordinates: Vec<u32> = sides.iter().rev().map(|side| (rest % side, rest /= side).0).collect();
    coordinates.reverse();
    coordinates
}

/// The id of coordinates in a grid, last axis fastest. `None` outside of the grid.
fn place_in_grid(sides: &[u32], coordinates: &[u32]) -> Option<u32> {
    let places = || coordinates.iter().zip(sides);
    let inside = coordinates.len() == sides.len() && places().all(|(coordinate, side)| coordinate < side);
    inside.then(|| places().fold(0, |id, (coordinate, side)| id * side + coordinate))
}

/// The letters of an id. The first is one of degree + 1 letters. Each later one is among those that differ
/// from the letter before it.
fn word(degree: u32, length: u32, id: u32) -> Vec<u32> {
    let mut rest = id;
    let mut ranks: Vec<u32> = (1..length).map(|_| (rest % degree, rest /= degree).0).collect();
    ranks.push(rest);
    ranks.reverse();
    for place in 1..ranks.len() {
        ranks[place] += u32::from(ranks[place] >= ranks[place - 1]);
    }
    ranks
}

/// The permutation of an id: each digit is the rank of a symbol among those that remain.
fn permutation(symbols: u32, id: u32) -> Vec<u32> {
    let mut remaining: Vec<u32> = (0..symbols).collect();
    let (mut rest, mut arrangements) = (id, (1..symbols).product::<u32>());
    let mut permutation = Vec::new();
    while remaining.len() > 1 {
        permutation.push(remaining.remove((rest / arrangements) as usize));
        rest %= arrangements;
        arrangements /= remaining.len() as u32;
    }
    permutation.extend(remaining);
    permutation
}

/// The id of a permutation. `None` for other lists.
fn place_of_permutation(symbols: u32, permutation: &[u32]) -> Option<u32> {
    let mut remaining: Vec<u32> = (0..symbols).collect();
    let mut id = 0;
    for symbol in permutation {
        let rank = remaining.iter().position(|other| other == symbol)?;
        id = id * remaining.len() as u32 + rank as u32;
        remaining.remove(rank);
    }
    remaining.is_empty().then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_again() {
        let listed: Arc<[String]> = vec!["leaf 1".to_owned(), "spine".to_owned()].into();
        let tier = |word: &str, first, sides: &[u32]| TierNames {
            word: word.to_owned(),
            first,
            sides: sides.into(),
        };
        let tiers = [tier("edge", 0, &[4, 2]), tier("agg", 8, &[4, 2]), tier("core", 16, &[2, 2])];
        let all = [
            (RouterNames::Tiers(tiers.into()), 20, "agg[3,0]", 14),
            (RouterNames::Numbered, 9, "router7", 7),
            (RouterNames::Cubes([4, 2, 3]), 48, "cube1[0,1,2]", 44),
            (RouterNames::Grid([3, 4, 5].into()), 60, "router[1,2,3]", 33),
            (RouterNames::Blocks { word: "group", size: 6 }, 24, "group2[5]", 17),
            (RouterNames::Nested([4, 3, 2].into()), 24, "group1.2[3]", 23),
            (RouterNames::Words { degree: 2, length: 3 }, 12, "router[1,0,2]", 5),
            (RouterNames::Permutations { symbols: 4 }, 24, "router[2,0,3,1]", 13),
            (RouterNames::Listed(listed), 2, "spine", 1),
        ];
        for (names, count, name, id) in all {
            assert_eq!(names.node(NodeId(id)), name);
            for node in (0..count).map(NodeId::new) {
                assert_eq!(names.find(&names.node(node), count), Some(node), "{names:?}");
            }
            assert_eq!(names.find("nobody", count), None);
        }
    }

    #[test]
    fn blocks_are_found_by_their_names() {
        let of = |names: &RouterNames, name: &str| {
            names.block(name, 24).into_iter().map(|node| node.0).collect::<Vec<u32>>()
        };
        assert_eq!(
            of(&RouterNames::Blocks { word: "supernode", size: 6 }, "supernode2"),
            [12, 13, 14, 15, 16, 17]
        );
        let nested = RouterNames::Nested([4, 3, 2].into());
        assert_eq!(
            (of(&nested, "group1.2"), of(&nested, "group1")),
            ((20..24).collect(), (12..24).collect())
        );
        assert!(of(&nested, "group").is_empty());
        assert!(of(&RouterNames::Grid([4, 6].into()), "router").is_empty());
    }

    #[test]
    fn words_ascend() {
        let names = RouterNames::Words { degree: 3, length: 3 };
        let words: Vec<Vec<u32>> = (0..36).map(|id| word(3, 3, id)).collect();
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]), "{words:?}");
        assert_eq!(names.find("router[1,1,2]", 36), None);
    }
}
