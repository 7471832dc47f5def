//! Known wirings: the best shifts that long searches came to, by number of cubes.
//!
//! In: a pod of 4x4x4 cubes in which one shift per OCS is the whole topology. Out: a wiring to start from, if
//! there is one for so many cubes. It is scored and certified like any other. `known.csv`: one line per
//! number of cubes: cubes, distance sum from the chips of a cube with fibers of length 3, then 48 shifts,
//! from +x\[u, v\] of cube g to -x\[u, v\] of cube g + shift, v fastest, then y, then z.
//! `tests/it/known_wirings.rs` makes it grow. Of wirings within 0.1 % of each other it holds the one whose
//! tables load the busiest channel least.

use super::shape::{Shape, Wiring};
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_base::random::Stream;
use fabc_model::{CoupleRule, Pod};

/// The table.
const TABLE: &str = include_str!("known.csv");

/// One line of the table: cubes, distance sum, shifts.
fn lines() -> impl Iterator<Item = (usize, u64, Vec<usize>)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let numbers: Vec<usize> =
            line.split(',').map(|number| number.parse().expect("the table holds numbers")).collect();
        (numbers[0], numbers[1] as u64, numbers[2..].to_vec())
    })
}

/// The known wiring of a pod.
pub(super) fn wiring(pod: &Pod, shape: &Shape) -> Option<Wiring> {
    let places = places(pod, shape)?;
    let (_, _, shifts) = lines().find(|&(cubes, ..)| cubes == shape.order)?;
    let mut wiring = shape.random_wiring(&mut Stream::new(0, 0));
    for (slots, &(place, forward)) in wiring.iter_mut().zip(&places) {
        let shift = shifts[place];
        slots[0].shift = if forward { shift } else { shape.negative(shift) };
    }
    Some(wiring)
}

/// What the report calls it.
pub(super) fn name(shape: &Shape) -> String {
    format!("the known one of {} cubes", shape.order)
}

/// Per switch, its place in a line, and whether its side A has the + port. `None` where a pod is of another
/// kind than those of the table.
fn places(pod: &Pod, shape: &Shape) -> Option<Vec<(usize, bool)>> {
    let alike = shape.group.factors.len() == 1
        && pod.cube.dims == [4; 3]
        && shape.nodes == 64
        && shape.planes.is_empty();
    if !alike || shape.switches.len() != 48 {
        return None;
    }
    let place = |node: usize, PortId(port): PortId| {
        let at = pod.at(NodeId::new(node)).map(|at| at as usize);
        let axis = usize::from(port / 2);
        let [u, v] = [[1, 2], [0, 2], [0, 1]][axis];
        16 * axis + 4 * at[u] + at[v]
    };
    let of = |switch: &super::shape::Switch| match switch.ends[..] {
        [a, b]
            if switch.rule == CoupleRule::Sided
                && switch.a_count == 1
                && switch.kept_by.len() == shape.order =>
        {
            let opposite = place(a.node, a.port) == place(b.node, b.port) && a.port.0 ^ 1 == b.port.0;
            opposite.then(|| (place(a.node, a.port), a.port.0.is_multiple_of(2)))
        }
        _ => None,
    };
    let places: Vec<(usize, bool)> = shape.switches.iter().map(of).collect::<Option<_>>()?;
    let mut taken = [false; 48];
    places.iter().for_each(|&(place, _)| taken[place] = true);
    taken.iter().all(|&taken| taken).then_some(places)
}

#[cfg(test)]
mod tests;
