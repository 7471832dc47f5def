//! Who is joined to a point, by label.

use fabc_ir::Wires;

/// How an arc looks from one of its ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Joint {
    /// Label and direction in one.
    pub(super) kind: u32,
    /// The other end.
    pub(super) to: u32,
}

/// `[point]`: its joints, ascending.
pub(super) fn joints(wires: &Wires) -> Vec<Vec<Joint>> {
    let mut joints = vec![Vec::new(); wires.colors.len()];
    for arc in &wires.arcs {
        let [out, back] = if wires.directed[arc.label as usize] { [0, 1] } else { [0, 0] };
        joints[arc.from as usize].push(Joint { kind: 2 * arc.label + out, to: arc.to });
        joints[arc.to as usize].push(Joint { kind: 2 * arc.label + back, to: arc.from });
    }
    joints.iter_mut().for_each(|joints| joints.sort_unstable());
    joints
}

/// Whether no point has two joints of one kind, so that where one point goes decides where all go that are
/// joined with it: so it is in a pod, whose switches hold every face port once.
pub(super) fn are_unique(joints: &[Vec<Joint>]) -> bool {
    joints.iter().all(|joints| joints.windows(2).all(|pair| pair[0].kind != pair[1].kind))
}
