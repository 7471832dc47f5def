//! Nested groups: blocks of blocks of routers, joined level by level.
//!
//! Invariant: a level has two blocks or more, and its links fit the ports that its routers give it. Source:
//! the software-defined TSP multiprocessor (ISCA 2022), with its nodes, racks and the racks of a machine.

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use super::grids::halves_of_axes;
use crate::arrangement::Arrangement;
use fabc_base::ids::LinkTypeId;
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("levels", "levels { level 8; level 33 { ports = 4; } }");

/// `levels { level ..; level .. }`: the levels, from the inside out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Levels(pub Vec<Level>);

/// One level of nested groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Number of blocks of the level below in a block of this one, 2 or more. At the innermost level, of
    /// routers.
    pub blocks: u32,
    /// Number of links between every two of these blocks.
    pub joined: u32,
    /// Ports of every router for these links. At the innermost level it is `joined (blocks - 1)`.
    pub ports: u32,
    /// The rule that says which port of a block leads to which other block, and which router has the port.
    /// The innermost level ignores it.
    pub arrangement: Arrangement,
    /// Whether the last of the blocks is spare: it has no hosts, and any block may become it.
    pub spare: bool,
    /// The declared link of this level.
    pub link: LinkTypeId,
}

impl Level {
    /// Number of links of this level that leave a block of the level below.
    pub fn leaving(&self) -> u64 {
        u64::from(self.joined) * u64::from(self.blocks - 1)
    }
    /// The fewest ports per router that suffice, if a block of the level below has `size` routers.
    pub fn fewest_ports(&self, size: u64) -> u64 {
        let ports = self.leaving().div_ceil(size);
        if size > 1 && self.arrangement == Arrangement::Fold { ports.next_multiple_of(2) } else { ports }
    }
}

impl Levels {
    /// (routers of a block of the outermost level, number of those blocks).
    pub fn outermost(&self) -> (u32, u32) {
        let (last, inner) = self.0.split_last().map_or((1, &[][..]), |(last, inner)| (last.blocks, inner));
        (inner.iter().map(|level| level.blocks).product(), last)
    }
}

impl FamilyFacts for Levels {
    fn name(&self) -> &'static str {
        FORM.0
    }

    /// As a spec writes it, but without the links.
    fn written(&self) -> String {
        let level = |(depth, level): (usize, &Level)| {
            let joined = if level.joined == 1 { String::new() } else { format!(" joined {}", level.joined) };
            let wiring = format!("ports = {}; arrangement = {};", level.ports, level.arrangement.name());
            let settings = match (depth, level.spare) {
                (0, false) => None,
                (0, true) => Some("spare = 1;".to_owned()),
                (_, false) => Some(wiring),
                (_, true) => Some(format!("{wiring} spare = 1;")),
            };
            let settings = settings.map_or(";".to_owned(), |settings| format!(" {{ {settings} }}"));
            format!("level {}{joined}{settings}", level.blocks)
        };
        let levels: Vec<String> = self.0.iter().enumerate().map(level).collect();
        format!("levels {{ {} }}", levels.join(" "))
    }

    fn router_count(&self) -> usize {
        self.0.iter().map(|level| level.blocks as usize).product()
    }

    fn fewest_links(&self) -> u64 {
        let inside = self.0.iter().scan(1, |size, level| {
            let links = level.leaving() / *size;
            *size *= u64::from(level.blocks);
            Some(links)
        });
        inside.sum()
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        let kinds: Vec<String> = (1..=self.0.len()).map(|level| format!("at level {level}")).collect();
        let links: Vec<(u64, &str)> =
            self.0.iter().zip(&kinds).map(|(level, kind)| (u64::from(level.ports), &**kind)).collect();
        vec![FullestRouter::new("a router of these `levels`".to_owned(), &links)]
    }

    fn router_names(&self) -> RouterNames {
        match *self.0.iter().map(|level| level.blocks).collect::<Vec<u32>>() {
            [_] => RouterNames::Numbered,
            [size, _] => RouterNames::Blocks { word: "group", size },
            ref blocks => RouterNames::Nested(blocks.into()),
        }
    }

    fn blocks(&self) -> (u32, u32) {
        if self.0.len() > 1 { self.outermost() } else { (1, self.router_count() as u32) }
    }

    /// A router carries hosts if it lies in no spare block.
    fn has_hosts(&self, router: u32) -> bool {
        let mut block = router;
        !self.0.iter().any(|level| {
            let place = block % level.blocks;
            block /= level.blocks;
            level.spare && place + 1 == level.blocks
        })
    }

    fn has_spare(&self) -> bool {
        self.0.iter().any(|level| level.spare)
    }

    /// The rotations of the outermost blocks keep ports and hosts, because every arrangement counts from the
    /// block that a port belongs to. A single level has no rotations: its routers are joined in the order of
    /// their numbers.
    fn rotates(&self) -> bool {
        self.0.len() > 1 && self.0.last().is_some_and(|level| !level.spare)
    }

    fn has_replacement_group(&self) -> bool {
        self.0.len() > 1 && self.0.last().is_some_and(|level| level.spare)
    }

    fn halves(&self) -> Vec<Vec<bool>> {
        halves_of_axes(&self.0.iter().rev().map(|level| level.blocks).collect::<Vec<_>>())
    }

    fn may_be_permuted(&self) -> bool {
        !self.has_spare()
    }
}
