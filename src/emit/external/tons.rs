//! Writes the text files of the TONS artifact repository (`cgreen18/e2e_tons`, its
//! docs/topology_and_routing_artifacts.md) for the healthy pod.
//!
//! Routers are numbered x + X y + X Y z over one grid of X x Y x Z chips. A torus has its own grid. In other
//! topologies the cubes have no position in a grid. They are stacked along z in the order of their numbers,
//! as the two cubes of the repository's 128-router designs are. The number of a router is then its node id.

use super::chunks::{EmitError, Take};
use super::nominal::NominalTables;
use crate::compiled::CompiledFabric;
use crate::json::{push, push_int};
use fabc_base::ids::{Id, NodeId};
use fabc_model::{Fabric, Pod, TopologyChoice};

/// Maximum number of chips. The files list every hop of every route, so more chips would take gigabytes.
const MAX_CHIPS: usize = 2048;

/// Refuses a fabric that the files cannot hold.
pub(super) fn check_fabric(fabric: &Fabric) -> Result<(), EmitError> {
    let (format, chips) = ("tons_bundle", fabric.node_count());
    if fabric.pod().is_none() {
        return Err(EmitError::NotHeld {
            format,
            reason: "its files number chips by their place in a pod of cubes",
        });
    }
    if chips > MAX_CHIPS {
        return Err(EmitError::TooLarge {
            format,
            chips,
            most: MAX_CHIPS,
            reason: "every hop of every route is a line",
        });
    }
    Ok(())
}

/// Writes `<fabric>.map`, `.paths`, `.nrl2`, `.vcmat2`, and `.ocs`, which has the OCS of every directed
/// optical edge.
pub(super) fn bundle<E: From<EmitError>>(compiled: &CompiledFabric, take: &mut Take<'_, E>) -> Result<(), E> {
    let Some(tables) = NominalTables::from_compiled(compiled) else { return Ok(()) };
    let ((pod, _), topology) = (compiled.expect_pod(), &compiled.topology);
    let nodes = topology.node_count();
    let number: Vec<usize> = topology.nodes().map(|node| grid_number(pod, node)).collect();
    let mut by_number = vec![NodeId(0); nodes];
    number
        .iter()
        .enumerate()
        .for_each(|(node, number_in_grid)| by_number[*number_in_grid] = NodeId::new(node));
    let path = |ending: &str| format!("{}.{ending}", compiled.fabric.name);
    for &node in &by_number {
        let mut row = vec![b'0'; nodes];
        topology
            .channels_from(node)
            .for_each(|channel| row[number[topology.target(channel).node.index()]] = b'1');
        let line: Vec<String> = row.into_iter().map(|digit| char::from(digit).to_string()).collect();
        take(&path("map"), (line.join(" ") + "\n").as_bytes())?;
    }
    take(&path("ocs"), ocs_ids(compiled, &number).as_bytes())?;
    let numbers =
        |fields: [usize; 4]| format!("({}, {}, {}, {})\n", fields[0], fields[1], fields[2], fields[3]);
    // Three files describe the same hops. Each is written completely before the next.
    take(
        &path("paths"),
        format!("{} single-path routes of {}\n", nodes * nodes, compiled.fabric.name).as_bytes(),
    )?;
    for ending in ["paths", "nrl2", "vcmat2"] {
        for (src, &from) in by_number.iter().enumerate() {
            let mut out = String::new();
            for (dst, &to) in by_number.iter().enumerate() {
                let hops = tables.route(from, to);
                let router_at = |hop: usize| hops.get(hop).map_or(dst, |(node, ..)| number[node.index()]);
                match ending {
                    "paths" => {
                        out.push('[');
                        for hop in 0..=hops.len() {
                            out.push_str(if hop > 0 { ", " } else { "" });
                            push_int(&mut out, router_at(hop) as i64);
                        }
                        out.push_str("]\n");
                    }
                    "nrl2" => (0..hops.len()).for_each(|hop| {
                        out.push_str(&numbers([src, dst, router_at(hop), router_at(hop + 1)]))
                    }),
                    // A router also has a record with itself.
                    _ if src == dst => out.push_str(&numbers([src, src, src, 0])),
                    _ => hops.iter().enumerate().for_each(|(hop, (.., vc))| {
                        out.push_str(&numbers([src, dst, router_at(hop), usize::from(*vc)]))
                    }),
                }
            }
            if !out.is_empty() {
                take(&path(ending), out.as_bytes())?;
            }
        }
    }
    Ok(())
}

/// The number of a router in the grid: x + X y + X Y z.
fn grid_number(pod: &Pod, node: NodeId) -> usize {
    let side = pod.cube.dims;
    let dims = match pod.topology {
        TopologyChoice::Torus(dims) | TopologyChoice::TwistedTorus(dims) => dims,
        _ => [side[0], side[1], side[2] * pod.cubes],
    };
    let [x, y, z] = pod.place_in_grid(node, dims);
    (x + dims[0] * (y + dims[1] * z)) as usize
}

/// One line `u v id` per directed optical edge. Ids count face positions within the cube: y + Y z on X faces,
/// then x + X z, then x + X y.
fn ocs_ids(compiled: &CompiledFabric, number: &[usize]) -> String {
    let ((pod, _), topology) = (compiled.expect_pod(), &compiled.topology);
    let [ax, ay, az] = pod.cube.dims;
    let mut out = String::new();
    for (id, link) in topology.links().enumerate() {
        let Some(ocs) = compiled.expect_pod().1.cross_connects.ocs_of[id] else { continue };
        let face = pod.ocses[ocs].a[0];
        let [x, y, z] = pod.coordinates(face.node);
        let id = match face.port.0 / 2 {
            0 => y + ay * z,
            1 => ay * az + x + ax * z,
            _ => ay * az + ax * az + x + ax * y,
        };
        let [a, b] = [link.a, link.b].map(|end| number[end.node.index()]);
        push(&mut out, format_args!("{a} {b} {id}\n{b} {a} {id}\n"));
    }
    out
}
