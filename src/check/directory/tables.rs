//! Reads the forwarding tables of one scenario.

use super::Files;
use super::read::{ImageLine, TablesFile, contradiction, tagged};
use crate::check::CheckError;
use crate::ids::NodeId;
use crate::ir::{Entry, ForwardingTables, Image, Scenario, Symmetry, Topology};

/// The path of a scenario's tables.
pub(super) fn tables_path(scenario: &Scenario) -> String {
    if scenario.is_nominal() { "tables/nominal.json".to_owned() } else { format!("tables/fault-{}.json", scenario.file_stem()) }
}

/// The tables of a scenario under the symmetry that the file claims to keep, and whether it says `canonical`. What the entries say is checked by the walk.
pub(super) fn tables(files: &Files, topology: &Topology, scenario: &Scenario) -> Result<(ForwardingTables, bool), CheckError> {
    let path = tables_path(scenario);
    let file: TablesFile = tagged(files, &path)?;
    let wrong = |place: String, what: String| Err(contradiction(&path, place, what));
    if file.scenario != scenario.name {
        return wrong("scenario".to_owned(), format!("says `{}`, but the file is that of `{}`", file.scenario, scenario.name));
    }
    if file.key != ["dst", "in_port", "in_vc"] {
        return wrong("key".to_owned(), "must be [\"dst\",\"in_port\",\"in_vc\"]".to_owned());
    }
    let expected = scenario.images.iter();
    let same = |(line, image): (&ImageLine, &Image)| {
        line.scenario == image.name && line.cubes.iter().copied().eq(image.cubes.iter().map(|cube| cube.0))
    };
    if file.images.len() != expected.len() || !file.images.iter().zip(expected).all(same) {
        let what = format!("must be the {} faults that the symmetry makes of `{}`, in its order", scenario.images.len(), scenario.name);
        return wrong("images".to_owned(), what);
    }
    let of_topology = topology.symmetry();
    let symmetry = if file.canonical {
        of_topology.clone()
    } else {
        Symmetry::trivial(of_topology.chips_per_cube() as u32, of_topology.cubes() as u32)
    };
    if file.routers.len() != symmetry.class_count() {
        let which = if file.canonical { "canonical routers" } else { "routers" };
        return wrong(
            "routers".to_owned(),
            format!("has {} routers, but there are {} {which}", file.routers.len(), symmetry.class_count()),
        );
    }
    let mut routers = Vec::with_capacity(file.routers.len());
    for (k, (line, node)) in file.routers.into_iter().zip(symmetry.canonical_nodes()).enumerate() {
        if line.node != node.0 {
            return wrong(format!("routers[{k}].node"), format!("says {}, but router {node} stands there", line.node));
        }
        routers.push(line.entries.into_iter().map(entry).collect());
    }
    Ok((ForwardingTables { scenario: file.scenario, vcs: file.vcs, symmetry, routers }, file.canonical))
}

fn entry((dst, in_port, in_vc, out_port, out_vc): (u32, i8, i8, u8, u8)) -> Entry {
    Entry { dst: NodeId(dst), in_port, in_vc, out_port, out_vc }
}
