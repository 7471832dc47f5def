//! The universal limit: known values, the tree walked cube by cube, and wirings that may never beat it.

mod cube_tree;

use crate::support::fixture;
use cube_tree::{CubeTree, slot};
use fabc::check;
use fabc::ids::{BlockId, Id, IdVec};
use fabc::ir::{Fraction, LimitArgument, UniversalLimit};
use fabc::model::{CoupleRule, Fabric, Pod};
use fabc::passes::limit::{NearestChips, universal, universal_within};
use fixture::{plant, plant_mut};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn limit(fabric: &Fabric) -> UniversalLimit {
    let limit = universal(plant(fabric), &fabric.demand, &fabric.capacities).0.unwrap();
    check::verify_limit(plant(fabric), &fabric.demand, &fabric.capacities, &limit).unwrap();
    limit
}

/// Known to the digits given (and up to 0.06 % apart, for other choices of lengths). A larger value is a
/// weaker bound.
fn expect(fabric: &Fabric, known: f64) {
    let value = limit(fabric).value().as_f64();
    assert!(
        value <= known * 1.0006 && value > known * 0.997,
        "{value} instead of {known} for {} cubes",
        plant(fabric).cubes
    );
}

#[test]
fn cubes_of_64_have_their_known_limits() {
    for (cubes, known) in [
        (2, 0.01428),
        (3, 0.008992),
        (4, 0.006405),
        (6, 0.003979),
        (8, 0.002819),
        (12, 0.00175),
        // With one-hop words.
        (16, 0.00123562),
        (24, 0.00077010),
        (32, 0.00054951),
        (48, 0.0003451),
        (64, 0.0002469),
        (96, 0.0001553),
        (128, 0.000112),
    ] {
        expect(&fixture::pod([4, 4, 4], cubes, &[0, 1, 2], 2, 0), known);
    }
}

/// The mean sum of hops to the nearest chips of a cube of 64, in any topology.
#[test]
fn the_nearest_chips_have_their_known_distances() {
    for (cubes, others, mean) in [
        (1, 1, 1.0),
        (1, 3, 3.0),
        (1, 7, 8.0),
        (1, 15, 24.0),
        (1, 31, 66.0),
        (2, 31, 58.0),
        (1, 63, 192.0),
        (2, 63, 153.875),
        (4, 63, 153.75),
        (8, 63, 153.75),
        (2, 127, 420.25),
        (4, 255, 936.75),
        (8, 511, 2128.75),
    ] {
        let fabric = fixture::pod([4, 4, 4], cubes, &[0, 1, 2], 2, 0);
        let nearest = NearestChips::new(plant(&fabric), &fabric.capacities);
        let found = nearest.hops_to(others) as f64 / f64::from(64 * cubes);
        assert_eq!(found, mean, "{others} others, {cubes} cubes");
    }
}

#[test]
fn few_counts_give_the_same_limit_or_none() {
    for (dims, cubes) in [([4, 4, 4], 8), ([4, 4, 4], 128), ([2, 2, 2], 8)] {
        let fabric = fixture::pod(dims, cubes, &[0, 1, 2], 2, 0);
        let within = |most| universal_within(most, plant(&fabric), &fabric.demand, &fabric.capacities);
        let limits: Vec<Option<UniversalLimit>> = (0..22).map(|bits| within(1 << bits)).collect();
        let enough = limits.iter().position(Option::is_some).expect("4 million counts are enough");
        let expected_limit = Some(limit(&fabric));
        assert!(
            enough > 4 && limits[enough..].iter().all(|limit| *limit == expected_limit),
            "{dims:?}, {cubes} cubes: {enough} bits"
        );
    }
}

#[test]
fn other_shapes_have_their_known_limits() {
    let all_axes: &[usize] = &[0, 1, 2];
    for (dims, cubes, axes, known) in [
        ([2, 2, 2], 8, all_axes, 0.038961036),
        ([2, 2, 2], 32, all_axes, 0.0071599),
        ([2, 2, 2], 512, all_axes, 2.84873e-4),
        ([4, 4, 2], 8, all_axes, 0.00668896),
        ([4, 4, 2], 32, all_axes, 0.00131941),
        ([8, 8, 1], 8, &all_axes[..2], 0.00106876),
        ([8, 8, 1], 32, &all_axes[..2], 1.95911e-4),
        ([4, 4, 4], 32, &all_axes[..2], 4.26084e-4),
    ] {
        expect(&fixture::pod(dims, cubes, axes, 2, 0), known);
    }
}

#[test]
fn a_cut_that_no_fiber_crosses_is_found() {
    let limit = limit(&fixture::pod([4, 4, 4], 8, &[0, 1], 2, 0));
    assert_eq!(
        (limit.argument.clone(), limit.value()),
        (LimitArgument::Plane { axis: 2, below: 2 }, Fraction::new(1u16, 512u16))
    );
}

#[test]
fn bare_chips_have_the_moore_bound() {
    // Six fibers a chip: 6 chips at one hop, the other 24 of 31 at two.
    let limit = limit(&fixture::pod([1, 1, 1], 31, &[0, 1, 2], 2, 0));
    assert_eq!(limit.value(), Fraction::new(6u8, 6u8 + 24 * 2));
}

#[test]
fn one_router_has_no_limit_and_one_cube_is_its_mesh() {
    let alone = fixture::pod([1, 1, 1], 1, &[], 2, 0);
    assert_eq!(universal(plant(&alone), &alone.demand, &alone.capacities).0, None);
    let line = limit(&fixture::pod([1, 1, 3], 1, &[], 2, 0));
    assert_eq!((line.value(), line.volume), (Fraction::new(1u8, 2u8), 4));
}

#[test]
fn a_forged_limit_is_convicted() {
    let fabric = fixture::pod([2, 2, 2], 4, &[0, 1, 2], 2, 0);
    let honest = limit(&fabric);
    for forged in [
        UniversalLimit { volume: honest.volume - 1, ..honest.clone() },
        UniversalLimit { distance: honest.distance + 1, ..honest.clone() },
        UniversalLimit { argument: LimitArgument::Cubes { first: 0, count: 4 }, ..honest.clone() },
        UniversalLimit { argument: LimitArgument::Plane { axis: 3, below: 1 }, ..honest },
    ] {
        assert!(check::verify_limit(plant(&fabric), &fabric.demand, &fabric.capacities, &forged).is_err());
    }
}

#[test]
fn every_number_of_a_packing_is_checked() {
    let fabric = fixture::pod([4, 4, 4], 32, &[0, 1, 2], 2, 0);
    let honest = limit(&fabric);
    let LimitArgument::OneHop { fiber, prices, deficits } = honest.argument.clone() else {
        panic!("{honest:?}")
    };
    assert_eq!((fiber, prices.len()), (3, 3));
    let verdict = |forged: UniversalLimit| {
        check::verify_limit(plant(&fabric), &fabric.demand, &fabric.capacities, &forged)
    };
    let argued = |argument: LimitArgument| verdict(UniversalLimit { argument, ..honest.clone() });
    for class in 0..prices.len() {
        for change in [-1, 1] {
            let mut prices = prices.clone();
            prices[class] = prices[class].saturating_add_signed(change);
            assert!(
                argued(LimitArgument::OneHop { fiber, prices, deficits }).is_err(),
                "price {class} {change}"
            );
        }
    }
    for (cube, change) in [(0, 1), (0, -1), (1, 1)] {
        let mut deficits = deficits;
        deficits[cube] = deficits[cube].saturating_add_signed(change);
        let error = argued(LimitArgument::OneHop { fiber, prices: prices.clone(), deficits })
            .unwrap_err()
            .to_string();
        assert!(error.contains("fall short of their prices by"), "{error}");
    }
    for fiber in [0, 2, 4, u32::MAX] {
        assert!(
            argued(LimitArgument::OneHop { fiber, prices: prices.clone(), deficits }).is_err(),
            "fiber {fiber}"
        );
    }
    let fewer = prices[1..].to_vec();
    assert!(argued(LimitArgument::OneHop { fiber, prices: fewer, deficits }).is_err());
    assert!(verdict(UniversalLimit { distance: honest.distance + 1, ..honest.clone() }).is_err());
    assert!(verdict(UniversalLimit { volume: honest.volume - 1, ..honest.clone() }).is_err());
    // Another pod, in which a port may be joined with several.
    let mut merged = fixture::pod([4, 4, 4], 32, &[0, 1, 2], 2, 0);
    let ocses = &mut plant_mut(&mut merged).ocses;
    ocses[Id::new(0)].rule = CoupleRule::Any;
    let beside = std::mem::take(&mut ocses[Id::new(0)].b);
    ocses[Id::new(0)].a.extend(beside);
    let error = check::verify_limit(plant(&merged), &merged.demand, &merged.capacities, &honest)
        .unwrap_err()
        .to_string();
    assert!(error.contains("leaves open what a face port is joined with"), "{error}");
}

/// The argument itself, on wirings: the words to each cube lose what the module doc says.
#[test]
fn words_that_share_a_cube_lengthen_every_wiring() {
    let fabric = fixture::pod([2, 2, 2], 16, &[0, 1, 2], 2, 0);
    let pod = plant(&fabric);
    let (chips, cubes, fiber) = (pod.chips_per_cube() as usize, 16, 3u32);
    let copper = [vec![1], vec![1], vec![1]];
    let tree = CubeTree::new(pod, &copper, fiber, 16);
    let between = |p: usize, q: usize| (p ^ q).count_ones();
    // They are the same under all shifts, and the search for them is long.
    let pairs = || (0..chips).flat_map(|p| (0..chips).map(move |q| (p, q)));
    let entered: Vec<_> = (0..chips).map(|p| tree.entered_cubes(p)).collect();
    let copies_of_pair: BTreeMap<(usize, usize), Vec<u32>> =
        pairs().map(|(p, q)| ((p, q), tree.copies_in(&entered[p], q))).collect();
    let mut random = Random(5);
    for _ in 0..6 {
        // One shift per switch.
        let shifts: Vec<usize> = pod.ocses.iter().map(|_| random.below(cubes)).collect();
        let mut words: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        let mut links: Vec<(usize, usize, u128)> = Vec::new();
        for (ocs, &shift) in pod.ocses.iter().zip(&shifts) {
            let (a, b) = (slot(pod, &ocs.a[0]).0, slot(pod, &ocs.b[0]).0);
            words.entry(shift).or_default().push((a, b));
            words.entry((cubes - shift) % cubes).or_default().push((b, a));
            links.extend((0..cubes).map(|cube| (cube * chips + a, (cube + shift) % cubes * chips + b, 3)));
        }
        for (p, q) in
            (0..chips).flat_map(|p| (0..p).map(move |q| (p, q))).filter(|&(p, q)| between(p, q) == 1)
        {
            links.extend((0..cubes).map(|cube| (cube * chips + p, cube * chips + q, 1)));
        }
        let Some(lengths) = lengths(pod.node_count(), &links) else { continue };
        let real: u128 = lengths[..chips].iter().flatten().sum();
        let mut bound = 0;
        for (p, q) in pairs() {
            let of_tree =
                |within: u32| copies_of_pair[&(p, q)].iter().filter(|&&length| length <= within).count();
            for within in (0..16).take_while(|&within| of_tree(within) <= cubes) {
                bound += cubes - of_tree(within);
                for (&cube, words) in &words {
                    let own_entry = usize::from(cube == 0 && between(p, q) <= within);
                    let near = words
                        .iter()
                        .filter(|(exit, entry)| between(p, *exit) + fiber + between(*entry, q) <= within)
                        .count();
                    bound += (own_entry + near).saturating_sub(1);
                }
            }
        }
        assert!(bound as u128 <= real, "{shifts:?}: {bound} is not at most {real}");
    }
}

#[test]
fn the_tree_walked_cube_by_cube_gives_the_same_sum() {
    for (dims, cubes, axes) in [
        ([2, 2, 2], 5, &[0, 1, 2][..]),
        ([3, 2, 1], 7, &[0, 1]),
        ([1, 1, 2], 9, &[0, 2]),
        ([1, 1, 1], 12, &[0, 1]),
    ] {
        let fabric = fixture::pod(dims, cubes, axes, 2, 0);
        let pod = plant(&fabric);
        let claimed = limit(&fabric);
        let LimitArgument::Tree { copper, fiber, levels } = &claimed.argument else { continue };
        let chips = pod.chips_per_cube() as usize;
        let tree = CubeTree::new(pod, copper, *fiber, *levels);
        let mut sum = 0u128;
        for p in 0..chips {
            let entered = tree.entered_cubes(p);
            for q in 0..chips {
                let copies = tree.copies_in(&entered, q);
                assert!(copies.len() >= cubes as usize);
                sum += copies[..cubes as usize].iter().map(|&length| u128::from(length)).sum::<u128>();
            }
        }
        assert_eq!(claimed.distance, sum * u128::from(cubes), "{dims:?}");
    }
}

/// A pod with holes: some switches missing, some serving a few cubes, some joining any ports, pairs of them
/// merged.
fn pods() -> impl Strategy<Value = (Fabric, u64)> {
    let dims =
        prop_oneof![Just([1, 1, 1]), Just([2, 1, 1]), Just([2, 2, 1]), Just([3, 1, 2]), Just([2, 2, 2])];
    (dims, 2..6u32, any::<u64>()).prop_map(|(dims, cubes, seed)| {
        let mut fabric = fixture::pod(dims, cubes, &[0, 1, 2], 2, 0);
        let pod = plant_mut(&mut fabric);
        let mut random = Random(seed);
        let mut kept: Vec<_> = Vec::new();
        for mut ocs in pod.ocses.iter().cloned() {
            match random.below(6) {
                0 => continue,
                1 => {
                    let without = BlockId(random.below(cubes as usize) as u32);
                    ocs.a.retain(|face| face.cube != without);
                    ocs.b.retain(|face| face.cube != without);
                }
                2 => {
                    ocs.rule = CoupleRule::Any;
                    ocs.a.append(&mut ocs.b);
                }
                3 => match kept.last_mut() {
                    Some(last) => {
                        let last: &mut fabc::model::Ocs = last;
                        let beside = if last.rule == CoupleRule::Any { &mut last.a } else { &mut last.b };
                        beside.append(&mut ocs.b);
                        last.a.append(&mut ocs.a);
                        continue;
                    }
                    None => continue,
                },
                _ => {}
            }
            kept.push(ocs);
        }
        pod.ocses = kept.into();
        (fabric, random.0)
    })
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        (1..items.len()).rev().for_each(|at| items.swap(at, self.below(at + 1)));
    }
}

/// Links of a random wiring that the switches allow, as (node, node, is it fiber).
fn wiring(pod: &Pod, random: &mut Random) -> Vec<(usize, usize, bool)> {
    let mut links = Vec::new();
    for node in (0..pod.node_count()).map(Id::new) {
        for axis in 0..3 {
            let mut coordinates = pod.coordinates(node);
            coordinates[axis] += 1;
            if coordinates[axis] < pod.cube.dims[axis] {
                links.push((node.index(), pod.node(pod.cube_of(node), coordinates).index(), false));
            }
        }
    }
    for ocs in pod.ocses.iter() {
        let mut near = ocs.a.clone();
        random.shuffle(&mut near);
        let far = if ocs.rule == CoupleRule::Any { near.split_off(near.len() / 2) } else { ocs.b.clone() };
        links.extend(near.iter().zip(&far).map(|(a, b)| (a.node.index(), b.node.index(), true)));
    }
    links
}

/// Lengths between all pairs, or `None` where some are not joined.
fn lengths(nodes: usize, links: &[(usize, usize, u128)]) -> Option<Vec<Vec<u128>>> {
    let far = u128::MAX / 4;
    let mut between: Vec<Vec<u128>> =
        (0..nodes).map(|a| (0..nodes).map(|b| if a == b { 0 } else { far }).collect()).collect();
    for &(a, b, length) in links {
        let shorter = between[a][b].min(length);
        (between[a][b], between[b][a]) = if a == b { (0, 0) } else { (shorter, shorter) };
    }
    for via in 0..nodes {
        let through = between[via].clone();
        for row in &mut between {
            let to_via = row[via];
            row.iter_mut().zip(&through).for_each(|(length, &rest)| *length = (*length).min(to_via + rest));
        }
    }
    between.iter().flatten().all(|&length| length < far).then_some(between)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_wiring_beats_the_limit((fabric, seed) in pods()) {
        let pod = plant(&fabric);
        let mut random = Random(seed);
        let Some(limit) = universal(pod, &fabric.demand, &fabric.capacities).0 else { return Ok(()) };
        let mut fair = None;
        for _ in 0..4 {
            let links = wiring(pod, &mut random);
            let weighted_links = |length: &dyn Fn(usize, usize, bool) -> u128| links.iter().map(|&(a, b, fiber)| (a, b, length(a, b, fiber))).collect::<Vec<_>>();
            let Some(hops) = lengths(pod.node_count(), &weighted_links(&|_, _, _| 1)) else { continue };
            fair = fair.or(Some(hops));
            match &limit.argument {
                LimitArgument::Tree { copper, fiber, .. } => {
                    let weighted = weighted_links(&|a, b, is_fiber| {
                        let [a, b] = [a, b].map(|node| pod.coordinates(Id::new(node)));
                        let axis = (0..3).find(|&axis| a[axis] != b[axis]).filter(|_| !is_fiber);
                        u128::from(axis.map_or(*fiber, |axis| copper[axis][a[axis].min(b[axis]) as usize]))
                    });
                    let volume = 2 * weighted.iter().map(|&(.., length)| length).sum::<u128>();
                    let distance = lengths(pod.node_count(), &weighted).unwrap().iter().flatten().sum::<u128>();
                    prop_assert!(volume <= limit.volume && distance >= limit.distance, "{volume} / {distance} beats {limit:?}");
                }
                argument => {
                    let chips = pod.chips_per_cube();
                    let inside = |node: usize| match *argument {
                        LimitArgument::Plane { axis, below } => pod.coordinates(Id::new(node))[axis as usize] < below,
                        LimitArgument::Cubes { first, count } => (first..first + count).contains(&(node as u32 / chips)),
                        LimitArgument::Tree { .. } | LimitArgument::OneHop { .. } => unreachable!("up to 5 cubes"),
                    };
                    let across = links.iter().filter(|&&(a, b, _)| inside(a) != inside(b)).count() as u128;
                    let within = (0..pod.node_count()).filter(|&node| inside(node)).count() as u128;
                    prop_assert!(across <= limit.volume);
                    prop_assert_eq!(within * (pod.node_count() as u128 - within), limit.distance);
                }
            }
        }
        // Endpoints that cannot be joined have no flow to bound. The rest is counted twice.
        if fair.is_some() {
            check::verify_limit(pod, &fabric.demand, &fabric.capacities, &limit).unwrap();
        }
    }
}

#[test]
fn the_cubes_of_a_switchless_half_are_a_cut() {
    // Two halves of two cubes: one fiber inside each, one in between.
    let mut fabric = fixture::pod([2, 2, 2], 4, &[0], 2, 0);
    let pod = plant_mut(&mut fabric);
    let keep = |ocs: &fabc::model::Ocs, cubes: BTreeSet<u32>| {
        let mut ocs = ocs.clone();
        ocs.a.retain(|face| cubes.contains(&face.cube.0));
        ocs.b.retain(|face| cubes.contains(&face.cube.0));
        ocs
    };
    let ocses: Vec<_> = pod.ocses.iter().cloned().collect();
    pod.ocses = IdVec::from(vec![
        keep(&ocses[0], [0, 1].into()),
        keep(&ocses[1], [2, 3].into()),
        keep(&ocses[2], [1, 2].into()),
    ]);
    let limit = limit(&fabric);
    assert_eq!(limit.argument, LimitArgument::Cubes { first: 0, count: 2 });
    assert_eq!(limit.value(), Fraction::new(2u16, 256u16));
}
