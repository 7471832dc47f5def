//! Reads `floor.json` against the spec.

use super::read::{contradiction, tagged};
use super::{FLOOR, Files};
use crate::CheckError;
use fabc_base::ids::Id;
use fabc_ir::Placement;
use fabc_ir::read::FloorFile;
use fabc_model::{Fabric, Floor};
use std::collections::BTreeMap;

/// Reads where routers and switches are placed. [`crate::verify_floor`] verifies that the places are legal.
pub(super) fn read_placement(files: &Files, fabric: &Fabric, floor: &Floor) -> Result<Placement, CheckError> {
    let file: FloorFile = tagged(files, FLOOR)?;
    let reject = |place: String, violation: String| Err(contradiction(FLOOR, place, violation));
    if file.fabric != fabric.name {
        return reject(
            "fabric".to_owned(),
            format!("says `{}`, but the spec declares `{}`", file.fabric, fabric.name),
        );
    }
    if [file.rows, file.columns] != floor.grid {
        return reject(
            "rows".to_owned(),
            format!("a floor of {} by {}, but the spec has {:?}", file.rows, file.columns, floor.grid),
        );
    }
    let known: BTreeMap<&str, usize> = fabric
        .pod()
        .iter()
        .flat_map(|pod| pod.ocses.enumerate())
        .map(|(id, ocs)| (ocs.name.as_str(), id.index()))
        .collect();
    let mut rack_of = vec![None; known.len()];
    let mut cabinet_of = vec![None; fabric.node_count()];
    let mut place_of = Vec::new();
    for (k, line) in file.cabinets.iter().enumerate() {
        if line.id as usize != k {
            return reject(format!("cabinets[{k}]"), format!("has the id {}, but ids count from 0", line.id));
        }
        place_of.push([line.row, line.column]);
        for &router in &line.routers {
            match cabinet_of.get_mut(router as usize) {
                Some(cabinet @ None) => *cabinet = Some(line.id),
                Some(Some(_)) => {
                    return reject(
                        format!("cabinets[{k}]"),
                        format!("holds router {router}, which another one holds"),
                    );
                }
                None => {
                    return reject(
                        format!("cabinets[{k}]"),
                        format!("holds router {router}, which does not exist"),
                    );
                }
            }
        }
        for switch in &line.switches {
            match known.get(switch.as_str()).map(|&switch| &mut rack_of[switch]) {
                Some(rack @ None) => *rack = Some(line.id),
                Some(Some(_)) => {
                    return reject(
                        format!("cabinets[{k}]"),
                        format!("holds the switch {switch}, which another one holds"),
                    );
                }
                None => {
                    return reject(
                        format!("cabinets[{k}]"),
                        format!("holds the switch {switch}, which does not exist"),
                    );
                }
            }
        }
    }
    if let Some(switch) = rack_of.iter().position(Option::is_none) {
        return reject("cabinets".to_owned(), format!("the switch {switch} stands nowhere"));
    }
    match cabinet_of.iter().position(Option::is_none) {
        Some(router) => reject("cabinets".to_owned(), format!("router {router} stands nowhere")),
        None => {
            let [cabinet_of, rack_of] =
                [cabinet_of, rack_of].map(|cabinets| cabinets.into_iter().flatten().collect());
            Ok(Placement { cabinet_of, rack_of, place_of })
        }
    }
}
