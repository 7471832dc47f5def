//! Verifies that `formula.json` agrees with the tables. The next hop of every ordered pair is computed from
//! the file alone, by the rules in docs/artifacts.md. Ports and VCs are compared.

mod grid;
mod groups;
mod next;
mod star;

use super::read::{contradiction, tagged};
use super::{FORMULA, Files};
use crate::CheckError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::read::{FormulaFile, VcLine};
use fabc_ir::{ForwardingTables, TableEntry, TableKey, Topology};
use fabc_model::{Fabric, RoutingChoice, VcCount};
use grid::{GridFormula, HypercubeFormula, LineKind};
use groups::DragonflyFormula;
use next::Formula;
use rayon::prelude::*;
use star::PolarStarFormula;

/// Whether routers may compute next hops instead of looking them up.
pub(super) fn has_formula(fabric: &Fabric) -> bool {
    fabric.routing == RoutingChoice::Algebraic
}

/// Compares the formula of a directory with the tables of the healthy fabric.
///
/// # Errors
/// A file that does not fit the fabric, or the first router with another next hop.
pub(super) fn verify_formula(
    files: &Files,
    fabric: &Fabric,
    topology: &Topology,
    tables: &ForwardingTables,
) -> Result<(), CheckError> {
    let file: FormulaFile = tagged(files, FORMULA)?;
    let reject = |place: &str, violation: String| Err(contradiction(FORMULA, place, violation));
    if file.fabric != fabric.name {
        return reject("fabric", format!("says `{}`, but the spec names it `{}`", file.fabric, fabric.name));
    }
    if file.routers as usize != topology.node_count() {
        return reject("routers", format!("says {}, but there are {}", file.routers, topology.node_count()));
    }
    let key = match file.vc {
        VcLine::Single | VcLine::Dateline => TableKey::Dst,
        VcLine::Hop => TableKey::DstCount(VcCount::Hops),
        VcLine::Global => TableKey::DstCount(VcCount::GlobalHops),
    };
    if key != tables.key {
        return reject("vc", "disagrees with the rule of the tables".to_owned());
    }
    let (vc, ports) = (file.vc, usize::from(file.ports));
    let formula = read_formula(file).map_err(|violation| contradiction(FORMULA, "family", violation))?;
    let symmetry = &tables.symmetry;
    let classes = symmetry.canonical_nodes().zip(&tables.routers);
    // All routers, as images of canonical ones.
    let routers: Vec<(usize, NodeId, &[TableEntry])> = classes
        .flat_map(|(node, entries)| (0..symmetry.order()).map(move |g| (g, node, entries.as_slice())))
        .collect();
    let compare = |(g, node, entries): (usize, NodeId, &[TableEntry])| {
        let image_entries =
            entries.iter().map(|entry| TableEntry { dst: symmetry.image(g, entry.dst), ..*entry });
        verify_router(&*formula, vc, topology, symmetry.image(g, node), image_entries)
    };
    let results = routers.into_par_iter().map(compare).collect::<Vec<_>>();
    let mut max_ports = 0;
    for result in results {
        max_ports = max_ports.max(result?);
    }
    if max_ports != ports {
        return reject("ports", format!("says {ports}, but routers have {max_ports}"));
    }
    Ok(())
}

/// Builds the formula of a file.
fn read_formula(file: FormulaFile) -> Result<Box<dyn Formula>, String> {
    let FormulaFile { family, routers, sides, dimensions, group, across, field, supernode, vectors, .. } =
        file;
    let given = (sides, dimensions, group.zip(across), field.zip(supernode).zip(vectors));
    Ok(match (family.as_str(), given) {
        ("torus", (Some(sides), None, None, None)) => {
            Box::new(GridFormula::new(LineKind::Ring, sides, routers)?)
        }
        ("mesh", (Some(sides), None, None, None)) => {
            Box::new(GridFormula::new(LineKind::Path, sides, routers)?)
        }
        ("hyperx", (Some(sides), None, None, None)) => {
            Box::new(GridFormula::new(LineKind::Complete, sides, routers)?)
        }
        ("hypercube", (None, Some(dimensions), None, None)) => {
            Box::new(HypercubeFormula::new(dimensions, false, routers)?)
        }
        ("folded_hypercube", (None, Some(dimensions), None, None)) => {
            Box::new(HypercubeFormula::new(dimensions, true, routers)?)
        }
        ("dragonfly", (None, None, Some((size, across)), None)) => {
            Box::new(DragonflyFormula::new(size, across, routers)?)
        }
        ("polarstar", (None, None, None, Some(((field, supernode), vectors)))) => {
            Box::new(PolarStarFormula::new(&field, supernode, &vectors, routers)?)
        }
        _ => return Err(format!("`{family}` has no formula, or its formula has other keys")),
    })
}

/// Compares all entries of a router. Returns its number of ports.
fn verify_router(
    formula: &dyn Formula,
    vc: VcLine,
    topology: &Topology,
    node: NodeId,
    entries: impl Iterator<Item = TableEntry>,
) -> Result<usize, CheckError> {
    let by_port = formula.neighbors_by_port(node.0);
    for TableEntry { dst, out_port, out_vc, .. } in entries {
        let next = formula.next_router(node.0, dst.0);
        let port = next.and_then(|next| by_port.iter().position(|&neighbor| neighbor == Some(next)));
        let formula_vc = match vc {
            VcLine::Dateline => formula.dateline_vc(node.0, dst.0),
            // The rule of the tables defines it.
            VcLine::Single | VcLine::Hop | VcLine::Global => 0,
        };
        if (port, formula_vc) != (Some(usize::from(out_port)), out_vc) {
            let [from, to] = [node, dst].map(|node| topology.name(node));
            let port_text =
                port.map_or("no port".to_owned(), |port| format!("port {port} on VC {formula_vc}"));
            let violation = format!(
                "sends packets from {from} to {to} by {port_text}, but the tables by port {out_port} on VC {out_vc}"
            );
            return Err(contradiction(
                FORMULA,
                format!("next hop of [{},{}]", node.index(), dst.index()),
                violation,
            ));
        }
    }
    let last = by_port.iter().rposition(Option::is_some);
    Ok(last.map_or(0, |last| last + 1))
}
