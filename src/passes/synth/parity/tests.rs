//! Both searches against one chip at a time by a queue.

use super::*;
use crate::synth::action::{GroupAction, kinds};
use crate::synth::antipodal::Antipodal;
use crate::synth::evaluate::{Evaluator, FiberLengths};
use crate::synth::shape::CandidateWiring;
use fabc_base::random::Stream;
use fabc_model::Fabric;
use proptest::prelude::*;

/// A pod of cubes whose faces along `axes` are coupled, opposite face to opposite face.
pub(in crate::synth) fn pod([x, y, z]: [u32; 3], cubes: u32, any: bool) -> Fabric {
    let faces = [("x", y, z), ("y", x, z), ("z", x, y)];
    let couple = |axis: &str| match any {
        false => format!("couple +{axis}[u, v] with -{axis}[u, v] over fiber"),
        true => format!("couple any of +{axis}[u, v], -{axis}[u, v] over fiber"),
    };
    let switches: String = faces
        .iter()
        .map(|&(axis, u, v)| {
            format!(
                "ocs {}[u in 0..{u}, v in 0..{v}] {{ {}; ports = 4096; }}\n",
                axis.to_uppercase(),
                couple(axis)
            )
        })
        .collect();
    let text = format!(
        "fabric test {{
            clock = 1 GHz;
            link copper {{ bandwidth = 50 GB/s; latency = 10 cycles; }}
            link fiber {{ bandwidth = 50 GB/s; latency = 10 cycles; }}
            chip {{ radix = 6; vcs = 4; flit = 64 B; buffer = 100 flits; latency = 10 cycles; }}
            cube {{ mesh {x} x {y} x {z} over copper; }}
            cubes = {cubes};
            {switches}
            topology = synthesize;
            routing = allowed_turns;
        }}"
    );
    fabc_lang::read_normal("test.fab", &|_: &str| Ok(text.clone()))
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"))
        .0
}

pub(in crate::synth) fn shape(fabric: &Fabric) -> PodShape {
    let pod = fabric.pod().expect("a pod");
    PodShape::new(&fabric.demand, pod, GroupAction::by_number(&kinds(pod), vec![pod.cubes as usize]))
}

/// Sum of distances from the chips of cube 0 to all chips, one source at a time over the fibers of all cubes.
pub(in crate::synth) fn plain(
    fabric: &Fabric,
    shape: &PodShape,
    wiring: &CandidateWiring,
    length: usize,
) -> Option<u64> {
    let pod = fabric.pod().expect("a pod");
    let copper: Vec<Vec<usize>> = crate::synth::shape::mesh(pod, pod.cubes as usize);
    let mut neighbors: Vec<Vec<(usize, usize)>> =
        copper.into_iter().map(|row| row.into_iter().map(|to| (to, 1)).collect()).collect();
    for [a, b] in shape.fibers(wiring) {
        neighbors[a.node.0 as usize].push((b.node.0 as usize, length));
        neighbors[b.node.0 as usize].push((a.node.0 as usize, length));
    }
    let mut sum = 0;
    for source in 0..shape.nodes {
        let mut distance = vec![usize::MAX; neighbors.len()];
        // `open[d]`: chips that may be at distance d.
        let mut open = vec![vec![source]];
        let mut reached = 0;
        while reached < open.len() {
            for node in std::mem::take(&mut open[reached]) {
                if distance[node] == usize::MAX {
                    distance[node] = reached;
                    for &(to, step) in &neighbors[node] {
                        open.resize_with(open.len().max(reached + step + 1), Vec::new);
                        open[reached + step].push(to);
                    }
                }
            }
            reached += 1;
        }
        sum += distance
            .into_iter()
            .try_fold(0, |sum, distance| (distance != usize::MAX).then(|| sum + distance))?
            as u64;
    }
    Some(sum)
}

/// The sums of both searches, and whether the one by parity applies.
fn sum_and_applies(
    shape: &PodShape,
    wiring: &CandidateWiring,
    length: usize,
    antipodal: bool,
) -> (u64, bool) {
    let mut evaluator = if antipodal { Evaluator::for_antipodal(shape) } else { Evaluator::new(shape) };
    let lengths = FiberLengths { inside: length, across: length };
    let sum = evaluator.distance_sum(wiring, lengths, None, u64::MAX);
    // A second time: nothing of the first may be left over. Any smaller limit is exceeded.
    assert_eq!(evaluator.distance_sum(wiring, lengths, None, sum), sum);
    assert!(evaluator.distance_sum(wiring, lengths, None, sum - 1) > sum - 1);
    (sum, ParitySearch::new(shape, length).is_some())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Orders with whole chunks and without, cubes with sides of both parities, dark and inner fibers.
    #[test]
    fn the_search_by_parity_is_the_plain_one(
        (dims, cubes) in prop_oneof![
            (Just([4, 4, 4]), 2u32..40), (Just([4, 4, 4]), 47u32..66), (Just([2, 2, 2]), 8u32..80), (Just([3, 3, 3]), 8u32..30),
            (Just([2, 4, 2]), 8u32..40), (Just([8, 8, 1]), 8u32..20), (Just([3, 3, 1]), 8u32..40), (Just([5, 4, 4]), 8u32..12),
        ],
        length in 1usize..5,
        any in prop::bool::weighted(0.2),
        seed in 0u64..1000,
    ) {
        let fabric = pod(dims, cubes, any);
        let shape = shape(&fabric);
        let wiring = shape.random_wiring(&mut Stream::new(seed, 0));
        if let Some(sum) = plain(&fabric, &shape, &wiring, length) {
            prop_assert_eq!(sum_and_applies(&shape, &wiring, length, false).0, sum);
        }
    }

    /// Half of the sources represent all of them.
    #[test]
    fn antipodal_wirings_take_half_of_the_sources(
        dims in prop_oneof![Just([4, 4, 4]), Just([2, 2, 2]), Just([4, 4, 2])],
        quarter in 2u32..18,
        length in 1usize..5,
        seed in 0u64..1000,
    ) {
        let fabric = pod(dims, 4 * quarter, false);
        let shape = shape(&fabric);
        let antipodal = Antipodal::find(fabric.pod().expect("a pod"), &shape).expect("every switch has a mate");
        let wiring = antipodal.random_wiring(&shape, &mut Stream::new(seed, 0));
        let (sum, by_parity) = sum_and_applies(&shape, &wiring, length, true);
        prop_assert_eq!(by_parity, length % 2 == 1);
        prop_assert_eq!(sum_and_applies(&shape, &wiring, length, false).0, sum);
        // There is nothing to compare in disconnected wirings.
        if let Some(plain) = plain(&fabric, &shape, &wiring, length) {
            prop_assert_eq!(sum, plain);
        }
    }
}

#[test]
fn it_applies_where_all_paths_have_one_parity() {
    for (dims, cubes, any, lengths) in [
        ([4, 4, 4], 16, false, [true, false, true, false]),
        ([4, 4, 4], 4, false, [false; 4]),
        ([4, 4, 4], 16, true, [false; 4]),
        ([3, 3, 3], 16, false, [false, true, false, true]),
        ([3, 4, 4], 16, false, [false; 4]),
        ([8, 8, 1], 16, false, [false; 4]),
        ([5, 4, 4], 16, false, [false; 4]),
    ] {
        let fabric = pod(dims, cubes, any);
        let shape = shape(&fabric);
        let fits = [1, 2, 3, 4].map(|length| ParitySearch::new(&shape, length).is_some());
        assert_eq!(fits, lengths, "{dims:?}, {cubes} cubes, any: {any}");
    }
}

#[test]
fn cubes_that_no_fiber_reaches_are_noticed() {
    let fabric = pod([2, 2, 2], 16, false);
    let shape = shape(&fabric);
    let mut wiring = shape.random_wiring(&mut Stream::new(1, 0));
    // Even shifts only: half of the cubes.
    wiring.iter_mut().for_each(|slots| slots[0].shift &= !1);
    assert_eq!(plain(&fabric, &shape, &wiring, 3), None);
    assert!(sum_and_applies(&shape, &wiring, 3, false).0 > 1000 * 8 * 64);
}
