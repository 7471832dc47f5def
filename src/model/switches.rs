//! Optical circuit switches, and the ports of cubes that they serve.

use super::light::InsertionLoss;
use super::word::words;
use fabc_base::diag::Span;
use fabc_base::ids::{BlockId, IdVec, LinkTypeId, NodeId, OcsGroupId, OcsId, PortId};
use std::collections::BTreeSet;

/// A group of OCSes: one `ocs` item of the spec.
#[derive(Clone, Debug)]
pub struct OcsGroup {
    /// The declared name, such as `X`.
    pub name: String,
    /// Length of each index range. Empty for a single OCS.
    pub shape: Vec<u32>,
    /// The place of its declaration.
    pub span: Span,
}

/// The rule that says which pairs of ports a switch may connect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoupleRule {
    /// `couple P with Q`: any `a` port to any `b` port.
    Sided,
    /// `couple any of P, Q`: any two different ports. All ports are in `a`, and `b` is empty.
    Any,
}

/// How a fiber pair uses the ports of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duplex {
    /// One switch port carries both directions.
    Circulator,
    /// One switch port on each side, one per direction.
    Pair,
}

/// The ports per side that a switch needs for `[a, b]` face ports on its sides A and B. Without sides, all
/// face ports are on A.
pub fn ports_needed(rule: CoupleRule, duplex: Duplex, face_ports: [u64; 2]) -> u64 {
    let [a, b] = face_ports;
    match (rule, duplex) {
        (CoupleRule::Sided, Duplex::Circulator) => a.max(b),
        (CoupleRule::Sided, Duplex::Pair) => a + b,
        (CoupleRule::Any, _) => a,
    }
}

words!(Duplex { Circulator = "circulator", Pair = "pair" });

/// The SONiC CONFIG_DB that is written for a switch. It says how the software of the switch names the state
/// of a port, or why no file is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SonicConfig {
    /// `config_status`, as the published OCS-V image reads it.
    OcsV,
    /// `state`, as the high-level design document has it.
    Hld,
    /// The spec wants none: `config_db = none`.
    Unwanted,
    /// No setting in the spec, and no way to write one: SONiC cannot describe a switch without sides whose
    /// ports carry both directions.
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
    /// The key of a port's state. `None` where no file is written.
    pub fn state_key(self) -> Option<&'static str> {
        match self {
            SonicConfig::OcsV => Some("config_status"),
            SonicConfig::Hld => Some("state"),
            SonicConfig::Unwanted | SonicConfig::NoSides => None,
        }
    }
}

/// An optical circuit switch, with the face ports that it serves.
#[derive(Clone, Debug)]
pub struct Ocs {
    /// The name: `X[0,0]`, or `X` for a group without indices.
    pub name: String,
    /// The group that it belongs to.
    pub group: OcsGroupId,
    /// The values of the group's indices.
    pub index: Vec<u32>,
    /// The rule that says which pairs it may connect.
    pub rule: CoupleRule,
    /// Face ports on side A, ascending by (cube, port, node). All face ports for [`CoupleRule::Any`].
    pub a: Vec<FacePort>,
    /// Face ports on side B, ascending by (cube, port, node).
    pub b: Vec<FacePort>,
    /// The declared link of its fibers.
    pub link: LinkTypeId,
    /// Ports per side, N of an N x N switch.
    pub ports: u32,
    /// How a fiber pair uses its ports.
    pub duplex: Duplex,
    /// The configuration that fabc writes for it.
    pub config_db: SonicConfig,
    /// Price of the switch, in thousandths.
    pub cost: u64,
    /// Power of the switch, mW.
    pub power_mw: u64,
    /// The light that its cross-connects lose. `None` where the spec states none.
    pub loss: Option<InsertionLoss>,
    /// The place of the declaration of its group.
    pub span: Span,
}

impl Ocs {
    /// The two face ports that a cross-connect joins. The indices are into `a` and `b`, or both into `a` for
    /// a switch without sides.
    pub fn faces(&self, pair: [u32; 2]) -> [FacePort; 2] {
        let [a, b] = pair;
        let second = if self.rule == CoupleRule::Sided { &self.b } else { &self.a };
        [self.a[a as usize], second[b as usize]]
    }
    /// The insertion loss of a cross-connect. `None` where the spec states none.
    pub fn insertion_loss(&self, pair: [u32; 2]) -> Option<u32> {
        match self.loss.as_ref()? {
            InsertionLoss::Same(loss) => Some(*loss),
            InsertionLoss::ByPair(losses) => losses.get(&pair).copied(),
        }
    }
}

/// The cross-connects of the switches of a pod, as far as a file states them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SwitchSettings {
    /// `[OCS]`: the pairs of port indices that it joins, as [`Ocs::faces`] takes them. `None` for a switch
    /// that the file does not state.
    pub pairs: IdVec<OcsId, Option<BTreeSet<[u32; 2]>>>,
}

impl SwitchSettings {
    /// `[OCS]`: the pairs of face ports that it joins. Empty for a switch that the file does not state.
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
    /// The cube that the port belongs to.
    pub cube: BlockId,
    /// The chip that owns the port.
    pub node: NodeId,
    /// The port of that chip, 0..6.
    pub port: PortId,
}
