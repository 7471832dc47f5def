//! Whether `formula.json` says what the tables say: the next hop of every ordered pair, worked out from the
//! file alone by the words of docs/artifacts.md, and compared port for port and VC for VC.

mod grid;
mod groups;
mod next;
mod star;

use super::read::{contradiction, tagged};
use super::{FORMULA, Files};
use crate::CheckError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::read::{FormulaFile, VcLine};
use fabc_ir::{Entry, ForwardingTables, TableKey, Topology};
use fabc_model::{Fabric, VcCount};
use grid::{Bits, Grid, Line};
use groups::Groups;
use next::Formula;
use rayon::prelude::*;
use star::Star;

/// Compares the formula of a directory with the tables of the healthy fabric.
///
/// # Errors
/// What the file is not, or the first router that would send something otherwise.
pub(super) fn agrees(
    files: &Files,
    fabric: &Fabric,
    topology: &Topology,
    tables: &ForwardingTables,
) -> Result<(), CheckError> {
    let file: FormulaFile = tagged(files, FORMULA)?;
    let wrong = |place: &str, what: String| Err(contradiction(FORMULA, place, what));
    if file.fabric != fabric.name {
        return wrong("fabric", format!("says `{}`, but the spec names it `{}`", file.fabric, fabric.name));
    }
    if file.routers as usize != topology.node_count() {
        return wrong("routers", format!("says {}, but there are {}", file.routers, topology.node_count()));
    }
    let key = match file.vc {
        VcLine::Single | VcLine::Dateline => TableKey::Dst,
        VcLine::Hop => TableKey::DstCount(VcCount::Hops),
        VcLine::Global => TableKey::DstCount(VcCount::GlobalHops),
    };
    if key != tables.key {
        return wrong("vc", "is another rule than that of the tables".to_owned());
    }
    let (vc, ports) = (file.vc, usize::from(file.ports));
    let formula = read(file).map_err(|what| contradiction(FORMULA, "family", what))?;
    let symmetry = &tables.symmetry;
    let classes = symmetry.canonical_nodes().zip(&tables.routers);
    // Every router, as the image of a canonical one.
    let routers: Vec<(usize, NodeId, &[Entry])> = classes
        .flat_map(|(node, entries)| (0..symmetry.order()).map(move |g| (g, node, entries.as_slice())))
        .collect();
    let compare = |(g, node, entries): (usize, NodeId, &[Entry])| {
        let carried = entries.iter().map(|entry| Entry { dst: symmetry.image(g, entry.dst), ..*entry });
        one(&*formula, vc, topology, symmetry.image(g, node), carried)
    };
    let found = routers.into_par_iter().map(compare).collect::<Vec<_>>();
    let mut most = 0;
    for found in found {
        most = most.max(found?);
    }
    if most != ports {
        return wrong("ports", format!("says {ports}, but routers have {most}"));
    }
    Ok(())
}

/// The formula of a file.
fn read(file: FormulaFile) -> Result<Box<dyn Formula>, String> {
    let FormulaFile { family, routers, sides, dimensions, group, across, field, supernode, vectors, .. } =
        file;
    let given = (sides, dimensions, group.zip(across), field.zip(supernode).zip(vectors));
    Ok(match (family.as_str(), given) {
        ("torus", (Some(sides), None, None, None)) => Box::new(Grid::new(Line::Ring, sides, routers)?),
        ("mesh", (Some(sides), None, None, None)) => Box::new(Grid::new(Line::Path, sides, routers)?),
        ("hyperx", (Some(sides), None, None, None)) => Box::new(Grid::new(Line::Complete, sides, routers)?),
        ("hypercube", (None, Some(dimensions), None, None)) => {
            Box::new(Bits::new(dimensions, false, routers)?)
        }
        ("folded_hypercube", (None, Some(dimensions), None, None)) => {
            Box::new(Bits::new(dimensions, true, routers)?)
        }
        ("dragonfly", (None, None, Some((size, across)), None)) => {
            Box::new(Groups::new(size, across, routers)?)
        }
        ("polarstar", (None, None, None, Some(((field, supernode), vectors)))) => {
            Box::new(Star::new(&field, supernode, &vectors, routers)?)
        }
        _ => return Err(format!("`{family}` has no formula, or not of these keys")),
    })
}

/// Compares all entries of a router; returns its ports.
fn one(
    formula: &dyn Formula,
    vc: VcLine,
    topology: &Topology,
    node: NodeId,
    entries: impl Iterator<Item = Entry>,
) -> Result<usize, CheckError> {
    let by_port = formula.by_port(node.0);
    for Entry { dst, out_port, out_vc, .. } in entries {
        let next = formula.next(node.0, dst.0);
        let port = next.and_then(|next| by_port.iter().position(|&neighbor| neighbor == Some(next)));
        let own_vc = match vc {
            VcLine::Dateline => formula.dateline(node.0, dst.0),
            // The rule of the tables says it.
            VcLine::Single | VcLine::Hop | VcLine::Global => 0,
        };
        if (port, own_vc) != (Some(usize::from(out_port)), out_vc) {
            let [from, to] = [node, dst].map(|node| topology.name(node));
            let by = port.map_or("no port".to_owned(), |port| format!("port {port} on VC {own_vc}"));
            let what = format!(
                "sends packets from {from} to {to} by {by}, but the tables by port {out_port} on VC {out_vc}"
            );
            return Err(contradiction(
                FORMULA,
                format!("next hop of [{},{}]", node.index(), dst.index()),
                what,
            ));
        }
    }
    let last = by_port.iter().rposition(Option::is_some);
    Ok(last.map_or(0, |last| last + 1))
}
