//! Known wirings: the best shifts that long searches found, by number of cubes.
//!
//! Input: a pod of 4x4x4 cubes in which one shift per OCS is the whole topology. Output: a wiring to start
//! from, if one is known for this number of cubes. It is scored and certified like any other.
//!
//! `known.csv` has one line per number of cubes. It holds the cubes, the distance sum from the chips of a
//! cube with fibers of length 3, then 48 shifts. A shift s joins +x\[u, v\] of cube g to -x\[u, v\] of
//! cube g + s, v fastest, then y, then z. `tests/it/known_wirings.rs` adds lines. Of wirings within 0.1 % of
//! each other the table holds the one whose tables load the busiest channel least.

use super::shape::{CandidateWiring, PodShape};
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_base::random::Stream;
use fabc_model::{CoupleRule, Pod};

/// The table of known wirings.
const TABLE: &str = include_str!("known.csv");

/// The lines of the table: cubes, distance sum, shifts.
fn lines() -> impl Iterator<Item = (usize, u64, Vec<usize>)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let numbers: Vec<usize> =
            line.split(',').map(|number| number.parse().expect("the table holds numbers")).collect();
        (numbers[0], numbers[1] as u64, numbers[2..].to_vec())
    })
}

/// The known wiring of a pod, if there is one.
pub(super) fn wiring(pod: &Pod, shape: &PodShape) -> Option<CandidateWiring> {
    let places = places(pod, shape)?;
    let (_, _, shifts) = lines().find(|&(cubes, ..)| cubes == shape.order)?;
    let mut wiring = shape.random_wiring(&mut Stream::new(0, 0));
    for (slots, &(place, forward)) in wiring.iter_mut().zip(&places) {
        let shift = shifts[place];
        slots[0].shift = if forward { shift } else { shape.negative(shift) };
    }
    Some(wiring)
}

/// The name of the known wiring in the report.
pub(super) fn name(shape: &PodShape) -> String {
    format!("the known one of {} cubes", shape.order)
}

/// Per switch, its place in a line of the table, and whether its side A has the + port. `None` if the pod
/// is of another kind than those of the table.
fn places(pod: &Pod, shape: &PodShape) -> Option<Vec<(usize, bool)>> {
    let alike = shape.group.factors.len() == 1
        && pod.cube.dims == [4; 3]
        && shape.nodes == 64
        && shape.planes.is_empty();
    if !alike || shape.switches.len() != 48 {
        return None;
    }
    let place = |node: usize, PortId(port): PortId| {
        let position = pod.coordinates(NodeId::new(node)).map(|position| position as usize);
        let axis = usize::from(port / 2);
        let [u, v] = [[1, 2], [0, 2], [0, 1]][axis];
        16 * axis + 4 * position[u] + position[v]
    };
    let place_of_switch = |switch: &super::shape::Switch| match switch.ends[..] {
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
    let places: Vec<(usize, bool)> = shape.switches.iter().map(place_of_switch).collect::<Option<_>>()?;
    let mut taken = [false; 48];
    places.iter().for_each(|&(place, _)| taken[place] = true);
    taken.iter().all(|&taken| taken).then_some(places)
}

#[cfg(test)]
mod tests;
