//! Plans from live cross-connects to new ones: worked by hand, against brute force over all orders, and as
//! SONiC patches.

use crate::support::fixture;
use fabc::ids::{BlockId, Id, IdVec, NodeId, OcsId};
use fabc::ir::{Mirrors, PlanStep, StepChange, SwitchPlan};
use fabc::model::{CoupleRule, Pod};
use fabc::passes::plan::plan;
use fixture::{plant, with_pairs, without_sides};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// As [`fixture::pod`], without what plans do not look at.
fn pod(dims: [u32; 3], cubes: u32, axes: &[usize], vcs: u8, faults: u32) -> Pod {
    plant(&fixture::pod(dims, cubes, axes, vcs, faults)).clone()
}

fn mirrors(settings: &[&[[u32; 2]]]) -> Mirrors {
    settings.iter().map(|set| set.iter().copied().collect()).collect()
}

/// Number of parts of the pod, chip by chip: copper and these cross-connects.
fn parts(pod: &Pod, state: &Mirrors) -> usize {
    let mut part: Vec<usize> = (0..pod.node_count()).collect();
    let mut join = |a: NodeId, b: NodeId| {
        let (from, to) = (part[a.index()], part[b.index()]);
        part.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
    };
    for node in (0..pod.node_count()).map(NodeId::new) {
        for axis in 0..3 {
            let mut coordinates = pod.coordinates(node);
            coordinates[axis] += 1;
            if coordinates[axis] < pod.cube.dims[axis] {
                join(node, pod.node(pod.cube_of(node), coordinates));
            }
        }
    }
    for (id, set) in state.enumerate() {
        for &pair in set {
            let [a, b] = pod.ocses[id].faces(pair);
            join(a.node, b.node);
        }
    }
    part.into_iter().collect::<BTreeSet<_>>().len()
}

/// Makes one step. Panics where a port is in two cross-connects, or where nothing is to be removed.
fn make(pod: &Pod, state: &mut Mirrors, step: &PlanStep) {
    let set = &mut state[step.ocs];
    match step.change {
        StepChange::Remove => assert!(set.remove(&step.pair), "{step:?} removes what is not there"),
        StepChange::Add => {
            let taken = |&[a, b]: &[u32; 2]| {
                let [x, y] = step.pair;
                if pod.ocses[step.ocs].rule == CoupleRule::Sided {
                    a == x || b == y
                } else {
                    [a, b].contains(&x) || [a, b].contains(&y)
                }
            };
            assert!(!set.iter().any(taken), "{step:?} uses a port that is taken in {set:?}");
            set.insert(step.pair);
        }
    }
}

/// Replays a plan and checks everything it says.
fn replay(pod: &Pod, live: &Mirrors, new: &Mirrors, plan: &SwitchPlan) {
    let mut state = live.clone();
    assert_eq!(plan.live_parts, parts(pod, &state));
    let mut in_parts = Vec::new();
    for (number, step) in (1..).zip(&plan.steps) {
        make(pod, &mut state, step);
        assert_eq!(step.parts, parts(pod, &state), "step {number} of {plan:?}");
        assert_eq!(step.lit, state.iter().map(BTreeSet::len).sum::<usize>());
        if step.parts > 1 {
            in_parts.push(number);
        }
    }
    assert_eq!(state, *new);
    let cuts: Vec<usize> = plan.cuts.iter().flat_map(|cut| cut.first..=cut.last).collect();
    assert_eq!(cuts, in_parts);
    let differ = |a: &Mirrors, b: &Mirrors| a.ids().map(|id| a[id].difference(&b[id]).count()).sum::<usize>();
    assert_eq!(plan.count(StepChange::Remove), differ(live, new));
    assert_eq!(plan.moves(), differ(new, live));
    assert_eq!(plan.groups().map(<[PlanStep]>::len).sum::<usize>(), plan.steps.len());
}

/// The fewest steps after which the pod is in parts, over all orders.
fn fewest(pod: &Pod, live: &Mirrors, new: &Mirrors) -> usize {
    let step =
        |ocs: OcsId, change: StepChange, &pair: &[u32; 2]| PlanStep { ocs, change, pair, lit: 0, parts: 0 };
    let mut steps = Vec::new();
    for id in live.ids() {
        steps.extend(live[id].difference(&new[id]).map(|pair| step(id, StepChange::Remove, pair)));
        steps.extend(new[id].difference(&live[id]).map(|pair| step(id, StepChange::Add, pair)));
    }
    assert!(steps.len() < 15);
    let mut best: BTreeMap<usize, (usize, Mirrors)> = BTreeMap::from([(0, (0, live.clone()))]);
    for done in 0..1usize << steps.len() {
        let Some((cost, state)) = best.remove(&done) else { continue };
        if done + 1 == 1 << steps.len() {
            return cost;
        }
        for (index, step) in steps.iter().enumerate().filter(|(index, _)| done >> index & 1 == 0) {
            let [x, y] = step.pair;
            let sided = pod.ocses[step.ocs].rule == CoupleRule::Sided;
            let free = |&[a, b]: &[u32; 2]| {
                if sided { a != x && b != y } else { ![a, b].contains(&x) && ![a, b].contains(&y) }
            };
            if step.change == StepChange::Add && !state[step.ocs].iter().all(free) {
                continue;
            }
            let mut after = state.clone();
            make(pod, &mut after, step);
            let cost = cost + usize::from(parts(pod, &after) > 1);
            let known = best.get(&(done | 1 << index)).map_or(usize::MAX, |(cost, _)| *cost);
            if cost < known {
                best.insert(done | 1 << index, (cost, after));
            }
        }
    }
    unreachable!("the last state is reached")
}

/// The steps as text, such as `-X[0,0] 0 1`.
fn shown(pod: &Pod, plan: &SwitchPlan) -> Vec<String> {
    let line = |step: &PlanStep| {
        let sign = if step.change == StepChange::Remove { '-' } else { '+' };
        format!("{sign}{} {} {}", pod.ocses[step.ocs].name, step.pair[0], step.pair[1])
    };
    plan.steps.iter().map(line).collect()
}

#[test]
fn nothing_differs_and_nothing_is_planned() {
    let pod = pod([2, 2, 2], 2, &[0], 2, 0);
    let crossed: &[[u32; 2]] = &[[0, 1], [1, 0]];
    let live = mirrors(&[crossed; 4]);
    let plan = plan(&pod, &live, &live);
    assert_eq!((plan.steps.len(), plan.fewest, plan.live_parts), (0, true, 1));
    assert_eq!(plan.kept.iter().copied().collect::<Vec<_>>(), [2; 4]);
}

#[test]
fn two_cubes_by_hand() {
    // Two cubes of 2 x 2 x 2 behind four X switches. Live, X[0,0] crosses and the others close every cube on
    // itself. New, X[1,1] crosses.
    let pod = pod([2, 2, 2], 2, &[0], 2, 0);
    let (crossed, closed): (&[[u32; 2]], &[[u32; 2]]) = (&[[0, 1], [1, 0]], &[[0, 0], [1, 1]]);
    let live = mirrors(&[crossed, closed, closed, closed]);
    let new = mirrors(&[closed, closed, closed, crossed]);
    let plan = plan(&pod, &live, &new);
    // X[0,0] holds the pod together until X[1,1] does.
    assert_eq!(
        shown(&pod, &plan),
        [
            "-X[1,1] 0 0",
            "-X[1,1] 1 1",
            "+X[1,1] 0 1",
            "+X[1,1] 1 0",
            "-X[0,0] 0 1",
            "-X[0,0] 1 0",
            "+X[0,0] 0 0",
            "+X[0,0] 1 1",
        ]
    );
    assert!(plan.cuts.is_empty() && plan.fewest);
    assert_eq!(plan.steps.iter().map(|step| step.lit).collect::<Vec<_>>(), [7, 6, 7, 8, 7, 6, 7, 8]);
    replay(&pod, &live, &new, &plan);
}

#[test]
fn a_free_port_is_used_before_the_only_fiber_goes() {
    // One switch, cubes of one chip: 0+ to 1- is the only fiber and shall become 1+ to 0-, whose ports are
    // free.
    let pod = pod([1, 1, 1], 2, &[0], 2, 0);
    let (live, new) = (mirrors(&[&[[0, 1]]]), mirrors(&[&[[1, 0]]]));
    let plan = plan(&pod, &live, &new);
    assert_eq!(shown(&pod, &plan), ["+X[0,0] 1 0", "-X[0,0] 0 1"]);
    replay(&pod, &live, &new, &plan);
}

#[test]
fn what_must_be_cut_is_cut_for_as_short_as_can_be() {
    // Three cubes in a chain on one switch, turned around: every port that the new chain needs is taken by
    // the old one.
    let pod = pod([4, 1, 1], 3, &[0], 2, 0);
    let (live, new) = (mirrors(&[&[[0, 1], [1, 2], [2, 0]]]), mirrors(&[&[[0, 2], [1, 0], [2, 1]]]));
    let plan = plan(&pod, &live, &new);
    replay(&pod, &live, &new, &plan);
    assert_eq!(plan.steps_in_parts(), fewest(&pod, &live, &new));
    assert!(plan.fewest && plan.steps_in_parts() > 0);
    assert_eq!(plan.cuts[0].apart, [BlockId(1)]);
}

#[test]
fn a_live_pod_in_parts_is_joined_first() {
    let pod = pod([2, 2, 2], 2, &[0], 2, 0);
    let closed: &[[u32; 2]] = &[[0, 0], [1, 1]];
    let live = mirrors(&[closed; 4]);
    let new = mirrors(&[closed, closed, closed, &[[0, 1], [1, 0]]]);
    let plan = plan(&pod, &live, &new);
    replay(&pod, &live, &new, &plan);
    assert_eq!((plan.live_parts, plan.steps_in_parts(), plan.fewest), (2, 2, true));
}

/// A pod, and for every OCS an order of its ports and how many pairs of it are lit, live and new.
fn small_pods() -> impl Strategy<Value = (Pod, Mirrors, Mirrors)> {
    let shapes = prop_oneof![Just([1, 1, 1]), Just([2, 1, 1]), Just([1, 2, 1])];
    (shapes, 2u32..5, prop::bool::ANY, prop::collection::vec(any::<u64>(), 16)).prop_map(
        |(dims, cubes, sides, seeds)| {
            let with_sides = fixture::pod(dims, cubes, &[0, 1], 2, 0);
            let pod = plant(&if sides { with_sides } else { without_sides(with_sides) }).clone();
            let live = random(&pod, &seeds[..8]);
            let new = random(&pod, &seeds[8..]);
            (pod, live, new)
        },
    )
}

/// Random matchings, mostly full, that join no chip to itself.
fn random(pod: &Pod, seeds: &[u64]) -> Mirrors {
    let mut settings = IdVec::new();
    for (ocs, &seed) in pod.ocses.iter().zip(seeds.iter().cycle()) {
        let mut seed = seed | 1;
        let mut below = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % bound
        };
        let mut shuffled = |count: usize| {
            let mut order: Vec<u32> = (0..count as u32).collect();
            (1..count).rev().for_each(|index| order.swap(index, below(index + 1)));
            order
        };
        let pairs: Vec<[u32; 2]> = match ocs.rule {
            CoupleRule::Sided => {
                shuffled(ocs.a.len()).into_iter().zip(shuffled(ocs.b.len())).map(|(a, b)| [a, b]).collect()
            }
            CoupleRule::Any => shuffled(ocs.a.len())
                .chunks_exact(2)
                .map(|two| [two[0].min(two[1]), two[0].max(two[1])])
                .collect(),
        };
        let lit = |pair: &[u32; 2]| {
            let [a, b] = ocs.faces(*pair);
            a.node != b.node
        };
        let pairs: BTreeSet<[u32; 2]> = pairs.into_iter().filter(lit).filter(|_| below(5) > 0).collect();
        settings.push(pairs);
    }
    settings
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_plan_does_what_it_says((pod, live, new) in small_pods()) {
        let plan = plan(&pod, &live, &new);
        replay(&pod, &live, &new, &plan);
        if plan.steps.len() < 12 {
            let fewest = fewest(&pod, &live, &new);
            prop_assert!(plan.fewest, "small plans are proved");
            prop_assert_eq!(plan.steps_in_parts(), fewest, "{:?}", plan);
        }
    }
}

#[test]
fn pairs_and_large_pods_are_planned_switch_by_switch() {
    let pairs = with_pairs(fixture::pod([2, 2, 2], 8, &[0, 1, 2], 2, 0));
    for pod in [pod([4, 4, 4], 8, &[0, 1, 2], 2, 0), plant(&pairs).clone()] {
        let shift = |by: u32| -> BTreeSet<[u32; 2]> {
            (0..pod.cubes).map(|cube| [cube, (cube + by) % pod.cubes]).collect()
        };
        let live: Mirrors = pod.ocses.ids().map(|_| shift(1)).collect();
        let new: Mirrors = pod.ocses.ids().map(|id| shift(id.0 % 8)).collect();
        let plan = plan(&pod, &live, &new);
        replay(&pod, &live, &new, &plan);
        assert!(plan.cuts.is_empty());
        let changed = pod.ocses.ids().filter(|id| id.0 % 8 != 1).count();
        assert_eq!(plan.groups().count(), changed, "one group a switch");
        assert_eq!(plan.moves(), changed * 8);
    }
}
