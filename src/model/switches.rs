//! Optical circuit switches, and the ports of cubes that they serve.

use super::word::words;
use fabc_base::diag::Span;
use fabc_base::ids::{BlockId, IdVec, LinkTypeId, NodeId, OcsGroupId, OcsId, PortId};
use std::collections::BTreeSet;

/// One `ocs` item.
#[derive(Clone, Debug)]
pub struct OcsGroup {
    /// Declared name, such as `X`.
    pub name: String,
    /// Length of each index range; empty for a single OCS.
    pub shape: Vec<u32>,
    /// Its declaration.
    pub span: Span,
}

/// Which port pairs a switch may connect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoupleRule {
    /// `couple P with Q`: any `a` port to any `b` port.
    Sided,
    /// `couple any of P, Q`: any two different ports; all of them are in `a`, `b` is empty.
    Any,
}

/// How a cable end uses the switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duplex {
    /// One switch port carries both directions.
    Circulator,
    /// One switch port on each side, one per direction.
    Pair,
}

/// The ports per side that a switch needs for so many face ports on side A and on side B; without sides all
/// of them are on A.
pub fn ports_needed(rule: CoupleRule, duplex: Duplex, [a, b]: [u64; 2]) -> u64 {
    match (rule, duplex) {
        (CoupleRule::Sided, Duplex::Circulator) => a.max(b),
        (CoupleRule::Sided, Duplex::Pair) => a + b,
        (CoupleRule::Any, _) => a,
    }
}

words!(Duplex { Circulator = "circulator", Pair = "pair" });

/// Which SONiC CONFIG_DB is written for a switch: what its software calls the state of a port, or why there
/// is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SonicConfig {
    /// `config_status`, as the published OCS-V image reads it.
    OcsV,
    /// `state`, as the high-level design document has it.
    Hld,
    /// `config_db = none`.
    Unwanted,
    /// The spec says nothing, and SONiC has no words for a switch without sides whose ports carry both
    /// directions.
    NoSides,
}

impl crate::word::Word for SonicConfig {
    const WORDS: &'static [Self] = &[SonicConfig::OcsV, SonicConfig::Hld, SonicConfig::Unwanted];

    fn word(self) -> &'static str {
        match self {
            SonicConfig::OcsV => "ocs_v",
            SonicConfig::Hld => "hld",
            SonicConfig::Unwanted => "none",
            SonicConfig::NoSides => "",
        }
    }
}

impl SonicConfig {
    /// The key of a port's state; `None` where there is no file.
    pub fn state_key(self) -> Option<&'static str> {
        match self {
            SonicConfig::OcsV => Some("config_status"),
            SonicConfig::Hld => Some("state"),
            SonicConfig::Unwanted | SonicConfig::NoSides => None,
        }
    }
}

/// An optical circuit switch.
#[derive(Clone, Debug)]
pub struct Ocs {
    /// `X[0,0]`, or `X` for a group without indices.
    pub name: String,
    /// The group it belongs to.
    pub group: OcsGroupId,
    /// Values of the group's indices.
    pub index: Vec<u32>,
    /// Which pairs it may connect.
    pub rule: CoupleRule,
    /// Face ports on side A, ascending by (cube, port, node); all face ports for [`CoupleRule::Any`].
    pub a: Vec<FacePort>,
    /// Face ports on side B, ascending by (cube, port, node).
    pub b: Vec<FacePort>,
    /// The fiber.
    pub link: LinkTypeId,
    /// Switch ports per side (N of an N x N switch).
    pub ports: u32,
    /// How a fiber pair uses the switch.
    pub duplex: Duplex,
    /// The configuration that is written for it.
    pub config_db: SonicConfig,
    /// The declaration of its group.
    pub span: Span,
}

impl Ocs {
    /// The two face ports that a cross-connect joins, given by their indices: into `a` and `b`, or both into
    /// `a` of a switch without sides.
    pub fn faces(&self, [a, b]: [u32; 2]) -> [FacePort; 2] {
        let second = if self.rule == CoupleRule::Sided { &self.b } else { &self.a };
        [self.a[a as usize], second[b as usize]]
    }
}

/// The cross-connects of the switches of a pod, as far as they are stated.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SwitchSettings {
    /// Per switch the pairs of port indices that it joins, as [`Ocs::faces`] takes them. The entry is `None`
    /// for a switch that is not stated.
    pub pairs: IdVec<OcsId, Option<BTreeSet<[u32; 2]>>>,
}

impl SwitchSettings {
    /// Per switch the face ports that it joins; none for a switch that is not stated.
    pub fn joined_faces(&self, ocses: &IdVec<OcsId, Ocs>) -> Vec<Vec<[FacePort; 2]>> {
        let faces_of = |(id, pairs): (OcsId, &Option<BTreeSet<[u32; 2]>>)| {
            pairs.iter().flatten().map(|&pair| ocses[id].faces(pair)).collect()
        };
        self.pairs.enumerate().map(faces_of).collect()
    }
}

/// A port on the face of a cube.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FacePort {
    /// The cube.
    pub cube: BlockId,
    /// The chip that owns the port.
    pub node: NodeId,
    /// The port of that chip.
    pub port: PortId,
}
