//! Face ports: which one a position names, and which switch has it.

use super::context::Context;
use crate::ResolveError;
use crate::syntax::ast::{Port, Text};
use fabc_base::diag::{Span, list};
use fabc_base::ids::{BlockId, Id, IdVec, NodeId, OcsId, PortId};
use fabc_model::{Cube, FacePort, Ocs, PORT_NAMES};

/// How many groups without ports of their own are told one by one.
const CLASHES: usize = 100;

/// Which OCS serves each face port so far.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) by: Vec<u32>,
    /// Groups that met a port that is served.
    pub(super) clashes: usize,
    /// How many of them are not told one by one, and where the last one stands.
    pub(super) untold: Option<(usize, Span)>,
}

/// The port that a face names.
pub(super) fn face(context: &mut Context, port: &Port) -> Option<PortId> {
    let name = &port.face;
    let Some(index) = PORT_NAMES.iter().position(|known| *known == &*name.value) else {
        let bare = PORT_NAMES.iter().find(|known| known[1..] == *name.value);
        let help = match bare {
            Some(known) => format!("say which side: `{known}` or `-{}`", &known[1..]),
            None => format!("one of {}", list(&PORT_NAMES)),
        };
        context.error(ResolveError::UnknownChoice {
            what: "a face".to_owned(),
            found: name.value.to_string(),
            help,
            span: name.span,
        });
        return None;
    };
    if port.at.len() != 2 {
        context.error(ResolveError::WrongKind {
            what: format!("`{}`", name.value),
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

/// The chip within a cube that owns a face port.
pub(super) fn position(
    context: &mut Context,
    id: PortId,
    port: &Port,
    indices: &[(Text, i64)],
    cube: &Cube,
) -> Option<[u32; 3]> {
    let u = context.eval(&port.at[0], indices);
    let v = context.eval(&port.at[1], indices);
    let (u, v) = (u?, v?);
    let axis = id.index() / 2;
    let (first, second) = [(1, 2), (0, 2), (0, 1)][axis];
    let size = [cube.dims[first], cube.dims[second]];
    let inside = |value: i64, size: u32| (0..i64::from(size)).contains(&value);
    if inside(u, size[0]) && inside(v, size[1]) {
        let mut at = [0; 3];
        at[first] = u as u32;
        at[second] = v as u32;
        at[axis] = if id.0.is_multiple_of(2) { cube.dims[axis] - 1 } else { 0 };
        return Some(at);
    }
    let with: Vec<String> = indices.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    context.error(ResolveError::OffFace {
        port: format!("{}[{u}, {v}]", port.face.value),
        help: format!(
            "the {} face of a {} x {} x {} cube is [0..{}, 0..{}]",
            port.face.value, cube.dims[0], cube.dims[1], cube.dims[2], size[0], size[1]
        ),
        span: port.span,
        found: if with.is_empty() {
            "outside".to_owned()
        } else {
            format!("outside for {}", with.join(", "))
        },
        cube: cube.span,
    });
    None
}

/// The face ports of one side, ascending by (cube, port, node).
pub(super) fn face_ports(
    (lo, hi): (u32, u32),
    cube: &Cube,
    mut positions: Vec<(PortId, [u32; 3])>,
) -> Vec<FacePort> {
    let [ax, ay, az] = cube.dims;
    let local = |at: [u32; 3]| at[0] + ax * at[1] + ax * ay * at[2];
    positions.sort_by_key(|(port, at)| (*port, local(*at)));
    let ports = |id: u32| {
        positions.iter().map(move |(port, at)| FacePort {
            cube: BlockId(id),
            node: NodeId(id * (ax * ay * az) + local(*at)),
            port: *port,
        })
    };
    (lo..hi).flat_map(ports).collect()
}

/// Marks the face ports of a switch as served; reports the first one that is served already. A group ends
/// there, so that it is told once, whatever else it shares.
pub(super) fn take(
    context: &mut Context,
    ocs: &Ocs,
    cube: &Cube,
    ocses: &IdVec<OcsId, Ocs>,
    taken: &mut Taken,
) -> bool {
    let per_cube: u32 = cube.dims.iter().product();
    for face in ocs.a.iter().chain(&ocs.b) {
        let slot = face.node.index() * PORT_NAMES.len() + face.port.index();
        if slot >= taken.by.len() {
            taken.by.resize(slot + 1, u32::MAX);
        }
        let (this, before) = (ocses.len() as u32, taken.by[slot]);
        if before == u32::MAX {
            taken.by[slot] = this;
            continue;
        }
        let first = ocses.get(OcsId(before)).unwrap_or(ocs);
        taken.clashes += 1;
        if taken.clashes > CLASHES {
            let last = taken.untold.map_or(ocs.span, |(_, last)| last.max(ocs.span));
            taken.untold = Some((taken.clashes - CLASHES, last));
            return false;
        }
        let local = face.node.0 % per_cube;
        let at = [
            local % cube.dims[0],
            local / cube.dims[0] % cube.dims[1],
            local / (cube.dims[0] * cube.dims[1]),
        ];
        let (u, v) = [(1, 2), (0, 2), (0, 1)].map(|(u, v)| (at[u], at[v]))[face.port.index() / 2];
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
