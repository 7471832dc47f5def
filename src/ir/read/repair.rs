//! `repair.json` (`fabc.repair/1`) and `delta.json` (`fabc.delta/1`): a repair, and its changes to the
//! tables.

use super::json::formats;
use super::plan::StageLine;
use crate::{Delta, EntryKey, Repair, RepairLoads, RepairStep, RouterDelta, TableEntry};
use fabc_base::ids::NodeId;
use serde::Deserialize;

formats! {
    RepairFile = "fabc.repair/1";
    DeltaFile = "fabc.delta/1";
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairFile {
    format: String,
    pub fabric: String,
    pub down: Vec<String>,
    #[serde(default)]
    pub since: Option<Vec<String>>,
    pub step: String,
    #[serde(default)]
    pub scenario: Option<String>,
    pub order: String,
    pub live: bool,
    pub load: LoadLine,
    pub unserved: u64,
    pub routers: u64,
    pub changed: [u64; 3],
    /// (router, dst, in port, in VC)
    pub stranded: Vec<(u32, u32, i16, i8)>,
    #[serde(default)]
    pub ranks: Option<Vec<u32>>,
    /// The changes by way of unused virtual channels: above, then below.
    #[serde(default)]
    pub blocks: Option<[StageLine; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadLine {
    pub nominal: u64,
    pub repaired: u64,
    pub bound: Option<u64>,
    pub parts: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaFile {
    format: String,
    pub fabric: String,
    pub routers: Vec<DeltaLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaLine {
    pub router: u32,
    /// (dst, in port, in VC, out port, out VC)
    pub add: Vec<(u32, i16, i8, u16, u8)>,
    pub turn: Vec<(u32, i16, i8, u16, u8)>,
    /// (dst, in port, in VC)
    pub drop: Vec<(u32, i16, i8)>,
}

impl DeltaFile {
    /// The changes, with the `stranded` keys (router, dst, in port, in VC) that lead nowhere.
    pub fn delta(self, stranded: &[(u32, u32, i16, i8)]) -> Delta {
        let entry = |(dst, in_port, in_vc, out_port, out_vc)| TableEntry {
            dst: NodeId(dst),
            in_port,
            in_vc,
            out_port,
            out_vc,
        };
        let key = |(dst, in_port, in_vc)| EntryKey { dst: NodeId(dst), in_port, in_vc };
        let routers = self.routers.into_iter().map(|line| RouterDelta {
            router: NodeId(line.router),
            add: line.add.into_iter().map(entry).collect(),
            turn: line.turn.into_iter().map(entry).collect(),
            drop: line.drop.into_iter().map(key).collect(),
        });
        let stranded = stranded
            .iter()
            .map(|&(router, dst, in_port, in_vc)| (NodeId(router), key((dst, in_port, in_vc))));
        Delta { routers: routers.collect(), stranded: stranded.collect() }
    }
}

impl RepairFile {
    /// The repair that both files claim, without its blocks.
    pub fn repair(&self, delta: DeltaFile) -> Repair {
        let step = match (self.step.as_str(), &self.scenario) {
            ("covered", Some(scenario)) => RepairStep::Covered(scenario.clone()),
            ("full", None) => RepairStep::Full,
            ("new_order", None) => RepairStep::NewOrder,
            _ => RepairStep::Local,
        };
        let LoadLine { nominal, repaired, bound, parts } = self.load;
        Repair {
            fabric: delta.fabric.clone(),
            down: self.down.clone(),
            since: self.since.clone(),
            warm: self.live && self.blocks.is_none(),
            blocks: None,
            step,
            ranks: self.ranks.clone(),
            delta: delta.delta(&self.stranded),
            loads: RepairLoads { nominal, repaired, bound, parts },
            unserved: self.unserved,
        }
    }
}
