//! The arcs at a point, by label.

use fabc_ir::Wires;

/// An arc as one of its ends sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ArcEnd {
    /// Label and direction, as one number.
    pub(super) kind: u32,
    /// The point at the other end.
    pub(super) to: u32,
}

/// `[point]`: its arc ends, ascending.
pub(super) fn arc_ends(wires: &Wires) -> Vec<Vec<ArcEnd>> {
    let mut arc_ends = vec![Vec::new(); wires.colors.len()];
    for arc in &wires.arcs {
        let [outward, inward] = if wires.directed[arc.label as usize] { [0, 1] } else { [0, 0] };
        arc_ends[arc.from as usize].push(ArcEnd { kind: 2 * arc.label + outward, to: arc.to });
        arc_ends[arc.to as usize].push(ArcEnd { kind: 2 * arc.label + inward, to: arc.from });
    }
    arc_ends.iter_mut().for_each(|arc_ends| arc_ends.sort_unstable());
    arc_ends
}

/// Whether no point has two arc ends of one kind. The image of one point then decides the images of all
/// points that it is joined to. Pods are like this, because their switches hold every face port once.
pub(super) fn are_unique(arc_ends: &[Vec<ArcEnd>]) -> bool {
    arc_ends.iter().all(|arc_ends| arc_ends.windows(2).all(|pair| pair[0].kind != pair[1].kind))
}
