//! What people call the routers and ports of a topology.

use crate::ids::{Id, NodeId, PortId};
use std::sync::Arc;

/// Names of the six ports of a chip, by [`PortId`](crate::ids::PortId).
pub const PORT_NAMES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// How routers and ports are named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Names {
    /// `router7`.
    Numbered,
    /// `cube3[1,2,3]` in cubes of these sides, first axis fastest; ports `+x` .. `-z`.
    Cubes([u32; 3]),
    /// `router[1,2]` in a grid of these sides, last axis fastest.
    Grid(Arc<[u32]>),
    /// `group3[5]`: blocks of so many routers, called by a word.
    Blocks {
        /// The word.
        word: &'static str,
        /// Routers of a block.
        size: u32,
    },
    /// `group3.2[5]`: blocks in blocks; how many there are at every level, routers first, from the inside
    /// out.
    Nested(Arc<[u32]>),
    /// `router[0,2,1]`: the word of a Kautz graph, letters 0..=degree, neighbors different, in lexicographic
    /// order.
    Words {
        /// Arcs out of a router.
        degree: u32,
        /// Letters of a word.
        length: u32,
    },
    /// Names from a file, by id.
    Listed(Arc<[String]>),
}

impl Names {
    /// The name of a router.
    pub fn node(&self, node: NodeId) -> String {
        match self {
            Names::Numbered => format!("router{node}"),
            Names::Cubes([x, y, z]) => {
                let (cube, local) = (node.0 / (x * y * z), node.0 % (x * y * z));
                format!("cube{cube}[{},{},{}]", local % x, local / x % y, local / (x * y))
            }
            Names::Grid(sides) => bracketed("router", &grid(sides, node.0)),
            Names::Blocks { word, size } => format!("{word}{}[{}]", node.0 / size, node.0 % size),
            Names::Nested(blocks) => {
                let mut rest = node.0;
                let mut at: Vec<String> =
                    blocks.iter().map(|count| (rest % count, rest /= count).0.to_string()).collect();
                let router = at.remove(0);
                at.reverse();
                format!("group{}[{router}]", at.join("."))
            }
            Names::Words { degree, length } => bracketed("router", &word(*degree, *length, node.0)),
            Names::Listed(names) => names[node.index()].clone(),
        }
    }

    /// Whether routers are named by the blocks that they are in: cubes, groups, supernodes.
    pub fn has_blocks(&self) -> bool {
        matches!(self, Names::Cubes(_) | Names::Blocks { .. } | Names::Nested(_))
    }

    /// The routers of a block by its name, ascending, of so many routers; none where nothing is called so.
    /// `group3` has those of `group3.0` and `group3.1`.
    pub fn block(&self, name: &str, count: usize) -> Vec<NodeId> {
        let is_inside = |node: &NodeId| {
            self.node(*node).strip_prefix(name).is_some_and(|rest| rest.starts_with(['[', '.']))
        };
        if self.has_blocks() { (0..count).map(NodeId::new).filter(is_inside).collect() } else { Vec::new() }
    }

    /// The name of a port.
    pub fn port(&self, port: PortId) -> String {
        match self {
            Names::Cubes(_) => {
                PORT_NAMES.get(port.index()).map_or_else(|| format!("port{port}"), |&name| name.to_owned())
            }
            _ => format!("port{port}"),
        }
    }
    /// What so many routers are called, for a hint: `they are called ..`.
    pub fn told(&self, count: usize) -> String {
        let last = count.saturating_sub(1);
        format!(
            "they are called `{}` to `{}`, or 0 to {last}",
            self.node(NodeId(0)),
            self.node(NodeId(last as u32))
        )
    }

    /// The router of that name among `count`, if there is one.
    pub fn find(&self, name: &str, count: usize) -> Option<NodeId> {
        let numbers = |text: &str| -> Option<Vec<u32>> {
            text.strip_suffix(']')?.split(',').map(|number| number.trim().parse().ok()).collect()
        };
        let node = match self {
            Names::Numbered => name.strip_prefix("router")?.parse().ok()?,
            Names::Cubes([x, y, z]) => {
                let (cube, at) = name.strip_prefix("cube")?.split_once('[')?;
                let (cube, at): (u32, [u32; 3]) = (cube.parse().ok()?, numbers(at)?.try_into().ok()?);
                at.iter().zip([x, y, z]).all(|(at, side)| at < side).then_some(())?;
                cube.checked_mul(x * y * z)?.checked_add(at[0] + x * (at[1] + y * at[2]))?
            }
            Names::Grid(sides) => {
                let at = numbers(name.strip_prefix("router[")?)?;
                (at.len() == sides.len() && at.iter().zip(sides.iter()).all(|(at, side)| at < side))
                    .then_some(())?;
                at.iter().zip(sides.iter()).fold(0, |id, (at, side)| id * side + at)
            }
            Names::Blocks { word, size } => {
                let (block, at) = name.strip_prefix(word)?.split_once('[')?;
                let at: [u32; 1] = numbers(at)?.try_into().ok()?;
                (at[0] < *size).then_some(())?;
                block.parse::<u32>().ok()?.checked_mul(*size)?.checked_add(at[0])?
            }
            Names::Nested(blocks) => {
                let (groups, router) = name.strip_prefix("group")?.split_once('[')?;
                let [router]: [u32; 1] = numbers(router)?.try_into().ok()?;
                let groups: Option<Vec<u32>> = groups.split('.').map(|group| group.parse().ok()).collect();
                let at = groups?.into_iter().chain([router]);
                (at.clone().count() == blocks.len()).then_some(())?;
                at.zip(blocks.iter().rev())
                    .try_fold(0, |id, (at, count)| (at < *count).then_some(id * count + at))?
            }
            Names::Words { degree, length } => {
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
            Names::Listed(names) => names.iter().position(|other| other == name)? as u32,
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
    let mut at: Vec<u32> = sides.iter().rev().map(|side| (rest % side, rest /= side).0).collect();
    at.reverse();
    at
}

/// The letters of an id: the first of degree + 1, each later one of those that differ from the one before.
fn word(degree: u32, length: u32, id: u32) -> Vec<u32> {
    let mut rest = id;
    let mut ranks: Vec<u32> = (1..length).map(|_| (rest % degree, rest /= degree).0).collect();
    ranks.push(rest);
    ranks.reverse();
    for at in 1..ranks.len() {
        ranks[at] += u32::from(ranks[at] >= ranks[at - 1]);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_again() {
        let listed: Arc<[String]> = vec!["leaf 1".to_owned(), "spine".to_owned()].into();
        let all = [
            (Names::Numbered, 9, "router7", 7),
            (Names::Cubes([4, 2, 3]), 48, "cube1[0,1,2]", 44),
            (Names::Grid([3, 4, 5].into()), 60, "router[1,2,3]", 33),
            (Names::Blocks { word: "group", size: 6 }, 24, "group2[5]", 17),
            (Names::Nested([4, 3, 2].into()), 24, "group1.2[3]", 23),
            (Names::Words { degree: 2, length: 3 }, 12, "router[1,0,2]", 5),
            (Names::Listed(listed), 2, "spine", 1),
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
        let of = |names: &Names, name: &str| {
            names.block(name, 24).into_iter().map(|node| node.0).collect::<Vec<u32>>()
        };
        assert_eq!(of(&Names::Blocks { word: "supernode", size: 6 }, "supernode2"), [12, 13, 14, 15, 16, 17]);
        let nested = Names::Nested([4, 3, 2].into());
        assert_eq!(
            (of(&nested, "group1.2"), of(&nested, "group1")),
            ((20..24).collect(), (12..24).collect())
        );
        assert!(of(&nested, "group").is_empty());
        assert!(of(&Names::Grid([4, 6].into()), "router").is_empty());
    }

    #[test]
    fn words_ascend() {
        let names = Names::Words { degree: 3, length: 3 };
        let words: Vec<Vec<u32>> = (0..36).map(|id| word(3, 3, id)).collect();
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]), "{words:?}");
        assert_eq!(names.find("router[1,1,2]", 36), None);
    }
}
