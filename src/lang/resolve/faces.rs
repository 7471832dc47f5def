//! Face ports: the port that a position names, and the switch that serves it.

use super::context::Context;
use crate::ResolveError;
use crate::syntax::ast::{CoupledPort, Text};
use fabc_base::diag::{Span, list};
use fabc_base::ids::{BlockId, Id, IdVec, NodeId, OcsId, PortId};
use fabc_model::{Cube, FacePort, Ocs, PORT_NAMES};
use std::ops::Range;

/// How many groups without ports of their own are reported one by one.
const MAX_CLASHES: usize = 100;

/// The OCS that serves each face port so far.
#[derive(Default)]
pub(super) struct ServedFacePorts {
    pub(super) ocs_of_port: Vec<u32>,
    /// The number of groups that met a port that is served already.
    pub(super) clashes: usize,
    /// The number of groups that are not reported one by one, and the span of the last one.
    pub(super) unreported: Option<(usize, Span)>,
}

/// Reads the port that the name of a face stands for.
pub(super) fn face_port(context: &mut Context, port: &CoupledPort) -> Option<PortId> {
    let name = &port.face;
    let Some(index) = PORT_NAMES.iter().position(|known| *known == &*name.value) else {
        let bare = PORT_NAMES.iter().find(|known| known[1..] == *name.value);
        let help = match bare {
            Some(known) => format!("say which side: `{known}` or `-{}`", &known[1..]),
            None => format!("one of {}", list(&PORT_NAMES)),
        };
        context.error(ResolveError::UnknownChoice {
            subject: "a face".to_owned(),
            written: name.value.to_string(),
            help,
            span: name.span,
        });
        return None;
    };
    if port.position.len() != 2 {
        context.error(ResolveError::WrongKind {
            subject: format!("`{}`", name.value),
            wanted: "two coordinates".to_owned(),
            help: format!(
                "{} is the position ({}) on the face",
                "`[u, v]`",
                ["y, z", "x, z", "x, y"][index / 2]
            ),
            span: port.span,
        });
        return None;
    }
    Some(PortId::new(index))
}

/// Returns the coordinates of the chip within a cube that owns a face port.
pub(super) fn chip_of_port(
    context: &mut Context,
    id: PortId,
    port: &CoupledPort,
    indices: &[(Text, i64)],
    cube: &Cube,
) -> Option<[u32; 3]> {
    let u = context.eval(&port.position[0], indices);
    let v = context.eval(&port.position[1], indices);
    let (u, v) = (u?, v?);
    let axis = id.index() / 2;
    let (first, second) = [(1, 2), (0, 2), (0, 1)][axis];
    let size = [cube.dims[first], cube.dims[second]];
    let inside = |value: i64, size: u32| (0..i64::from(size)).contains(&value);
    if inside(u, size[0]) && inside(v, size[1]) {
        let mut chip = [0; 3];
        chip[first] = u as u32;
        chip[second] = v as u32;
        chip[axis] = if id.0.is_multiple_of(2) { cube.dims[axis] - 1 } else { 0 };
        return Some(chip);
    }
    let index_values: Vec<String> = indices.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    context.error(ResolveError::OffFace {
        port: format!("{}[{u}, {v}]", port.face.value),
        help: format!(
            "the {} face of a {} x {} x {} cube is [0..{}, 0..{}]",
            port.face.value, cube.dims[0], cube.dims[1], cube.dims[2], size[0], size[1]
        ),
        span: port.span,
        note: if index_values.is_empty() {
            "outside".to_owned()
        } else {
            format!("outside for {}", index_values.join(", "))
        },
        cube: cube.span,
    });
    None
}

/// The face ports of one side of a group that serves these cubes, ascending by cube, port and node.
pub(super) fn face_ports(
    cubes: Range<u32>,
    cube: &Cube,
    mut positions: Vec<(PortId, [u32; 3])>,
) -> Vec<FacePort> {
    let [ax, ay, az] = cube.dims;
    let local = |position: [u32; 3]| position[0] + ax * position[1] + ax * ay * position[2];
    positions.sort_by_key(|(port, position)| (*port, local(*position)));
    let ports = |id: u32| {
        positions.iter().map(move |(port, position)| FacePort {
            cube: BlockId(id),
            node: NodeId(id * (ax * ay * az) + local(*position)),
            port: *port,
        })
    };
    cubes.flat_map(ports).collect()
}

/// Marks the face ports of a switch as served. Reports the first one that is served already, and stops there,
/// so that each group is reported once.
pub(super) fn serve_ports(
    context: &mut Context,
    ocs: &Ocs,
    cube: &Cube,
    ocses: &IdVec<OcsId, Ocs>,
    served: &mut ServedFacePorts,
) -> bool {
    let per_cube: u32 = cube.dims.iter().product();
    for face in ocs.a.iter().chain(&ocs.b) {
        let slot = face.node.index() * PORT_NAMES.len() + face.port.index();
        if slot >= served.ocs_of_port.len() {
            served.ocs_of_port.resize(slot + 1, u32::MAX);
        }
        let (ocs_index, before) = (ocses.len() as u32, served.ocs_of_port[slot]);
        if before == u32::MAX {
            served.ocs_of_port[slot] = ocs_index;
            continue;
        }
        let first = ocses.get(OcsId(before)).unwrap_or(ocs);
        served.clashes += 1;
        if served.clashes > MAX_CLASHES {
            let last = served.unreported.map_or(ocs.span, |(_, last)| last.max(ocs.span));
            served.unreported = Some((served.clashes - MAX_CLASHES, last));
            return false;
        }
        let local = face.node.0 % per_cube;
        let chip = [
            local % cube.dims[0],
            local / cube.dims[0] % cube.dims[1],
            local / (cube.dims[0] * cube.dims[1]),
        ];
        let (u, v) = [(1, 2), (0, 2), (0, 1)].map(|(u, v)| (chip[u], chip[v]))[face.port.index() / 2];
        let (first, second) = if first.span <= ocs.span { (first, ocs) } else { (ocs, first) };
        context.error(ResolveError::PortTaken {
            port: format!("cube{}.{}[{u},{v}]", face.cube, PORT_NAMES[face.port.index()]),
            ocs: second.name.clone(),
            first_ocs: first.name.clone(),
            help: if first.group == second.group {
                "every switch of a group needs face ports of its own: use each index in each port"
            } else {
                "a face port has one fiber: change the positions, or give the groups different cubes with `for cubes lo..hi`"
            },
            span: second.span,
            first: (first.group != second.group).then_some(first.span),
        });
        return false;
    }
    true
}
