//! Closed forms against counted routes, and against schedules that are carried out step by step.

use crate::support::command::fabc;
use crate::support::spec_text::SpecText;
use fabc::estimate::{FabricShape, algorithms, line_load, ring_load};
use fabc::model::Collective;
use serde_json::Value;

/// Shards over the busiest channel of a ring or line of `side` chips, in halves: counted route by route, half
/// each way where both are as short.
fn counted(side: usize, closed: bool, twin: bool) -> u64 {
    let mut up = vec![0u64; side];
    let mut down = vec![0u64; side];
    for from in 0..side {
        for to in (0..side).filter(|&to| to != from) {
            let (ahead, back) = ((to + side - from) % side, (from + side - to) % side);
            let (rises, falls) = match closed {
                true => (ahead <= back, back <= ahead),
                false => (to > from, to < from),
            };
            let halves = if rises && falls { 1 } else { 2 };
            let distance = if closed { ahead.min(back) } else { from.abs_diff(to) };
            for step in 0..distance {
                if rises {
                    up[(from + step) % side] += halves;
                }
                if falls {
                    down[(from + side - step) % side] += halves;
                }
            }
        }
    }
    if closed && side == 2 && !twin {
        // Both ways round are the same link.
        return up[0] + down[0];
    }
    up.into_iter().chain(down).max().unwrap_or(0)
}

#[test]
fn loads_of_rings_and_lines_are_those_of_counted_routes() {
    for side in 1..=16usize {
        let crossing_share = |closed, twin| counted(side, closed, twin) as f64 / 2.0 / side as f64;
        for (twin, name) in [(true, "two links"), (false, "one link")] {
            assert!(
                (crossing_share(true, twin) - ring_load(side as u64, twin)).abs() < 1e-12,
                "ring of {side}, {name}"
            );
        }
        assert!((crossing_share(false, true) - line_load(side as u64)).abs() < 1e-12, "line of {side}");
    }
    assert_eq!((ring_load(2, false), ring_load(2, true), line_load(2)), (0.5, 0.25, 0.5));
}

/// Vectors over the busiest channel of a whole torus or mesh: routes go axis by axis, half each way where
/// both ways round are as short.
fn counted_in(sides: &[usize], closed: bool) -> f64 {
    let chips: usize = sides.iter().product();
    let coordinate =
        |chip: usize, axis: usize| (chip / sides[..axis].iter().product::<usize>()) % sides[axis];
    let with = |chip: usize, axis: usize, place: usize| {
        let unit = sides[..axis].iter().product::<usize>();
        chip - coordinate(chip, axis) * unit + place * unit
    };
    let mut loads = vec![[0.0; 2]; chips * sides.len()];
    for from in 0..chips {
        for to in 0..chips {
            let mut current = from;
            for axis in 0..sides.len() {
                let (start, end, side) = (coordinate(current, axis), coordinate(to, axis), sides[axis]);
                let (ahead, back) = ((end + side - start) % side, (start + side - end) % side);
                let ways: Vec<(usize, f64)> = match closed {
                    _ if start == end => vec![],
                    false => vec![(usize::from(end < start), 1.0)],
                    true if ahead == back => vec![(0, 0.5), (1, 0.5)],
                    true => vec![(usize::from(back < ahead), 1.0)],
                };
                for (way, part) in ways {
                    let mut place = start;
                    while place != end {
                        loads[with(current, axis, place) * sides.len() + axis][way] += part;
                        place = if way == 0 { (place + 1) % side } else { (place + side - 1) % side };
                    }
                }
                current = with(current, axis, end);
            }
        }
    }
    loads.into_iter().flatten().fold(0.0, f64::max) / chips as f64
}

#[test]
fn volumes_of_all_to_alls_are_those_of_counted_routes() {
    for sides in [&[4, 4][..], &[3, 3], &[2, 2, 2], &[8, 4], &[5, 3, 2], &[4, 4, 4], &[1, 6, 2], &[7], &[2]] {
        let numbers: Vec<u64> = sides.iter().map(|&side| side as u64).collect();
        for (shape, closed) in [
            (FabricShape::Torus { sides: numbers.clone(), twin: true }, true),
            (FabricShape::Mesh { sides: numbers.clone() }, false),
        ] {
            let minimal = &algorithms(Collective::AllToAll, &shape)[0];
            assert_eq!(minimal.name, "minimal");
            let counted = counted_in(sides, closed);
            assert!(
                (minimal.cost.volume - counted).abs() < 1e-9,
                "{shape}: {} and {counted}",
                minimal.cost.volume
            );
        }
    }
}

/// The tables that fabc compiles carry what the formula says.
#[test]
fn compiled_tori_carry_what_the_formula_says() {
    // Around rings of an even number dimension order does not split both ways evenly. A search does.
    let network = |sides: &str, routing: &str| {
        SpecText::network(&format!("torus {sides};")).with(&format!("routing = {routing};"))
    };
    let pod = SpecText::pod([2, 2, 2], 2)
        .with("budget { vcs = 2; faults = 0; } topology = torus 2 x 2 x 4; routing = dimension_order;");
    for (spec, name, sides) in [
        (network("4 x 4", "allowed_turns"), "net", &[4u64, 4][..]),
        (network("3 x 5", "dimension_order"), "net", &[3, 5]),
        (pod, "pod", &[2, 2, 4]),
    ] {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("fabric.fab"), spec.text()).unwrap();
        fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
        let report =
            std::fs::read_to_string(place.path().join("out").join(name).join("report.json")).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        let load = report["metrics"]["max_channel_load"].as_f64().unwrap();
        let shape = FabricShape::Torus { sides: sides.to_vec(), twin: true };
        let volume = algorithms(Collective::AllToAll, &shape)[0].cost.volume;
        assert!(
            (load / shape.chips() as f64 - volume).abs() < 1e-9,
            "{shape}: {load} of {}, {volume}",
            shape.chips()
        );
    }
}

/// A row of a star of so many chips: steps, and volume in shards.
fn star_cost(kind: Collective, name: &str, chips: u64) -> (u64, f64) {
    let rows = algorithms(kind, &FabricShape::Star { chips });
    let cheapest = rows.iter().find(|row| row.name == name).unwrap();
    (cheapest.cost.steps, cheapest.cost.volume * chips as f64)
}

/// Ceil(log2 N) steps and N - 1 shards gather everything for any N: to whom half as far again, as many shards
/// as are missing at most. Backwards it is the reduce-scatter by halves.
#[test]
fn doubling_gathers_in_so_many_steps() {
    for chips in 2..=70usize {
        let mut held = vec![1usize; chips];
        let (mut steps, mut shards) = (0, 0);
        while held[0] < chips {
            // Chip i holds the shards of i, i + 1, ... It gets the next ones from the chip where they begin.
            let sent = held[0].min(chips - held[0]);
            held.iter_mut().for_each(|held| *held += sent);
            (steps, shards) = (steps + 1, shards + sent);
        }
        for (kind, name) in [(Collective::AllGather, "doubling"), (Collective::ReduceScatter, "halving")] {
            let (rounds, volume) = star_cost(kind, name, chips as u64);
            assert_eq!((rounds, volume.round() as usize), (steps, shards), "{name} of {chips}");
        }
        let (rounds, volume) = star_cost(Collective::AllReduce, "halving_doubling", chips as u64);
        assert_eq!((rounds, volume.round() as usize), (2 * steps, 2 * shards));
    }
}

/// Shards that hop by the bits of their distance arrive, in so many steps and so many shards a chip.
#[test]
fn all_to_alls_by_bits_arrive() {
    for chips in 2..=40usize {
        // The shards that each chip holds, as (source, destination).
        let mut held: Vec<Vec<(usize, usize)>> =
            (0..chips).map(|chip| (0..chips).map(|to| (chip, to)).collect()).collect();
        let (mut steps, mut shards, mut bit) = (0, 0, 1);
        while bit < chips {
            let mut next = vec![Vec::new(); chips];
            for (chip, all) in held.iter().enumerate() {
                for &(from, to) in all {
                    let moves = ((to + chips - from) % chips) & bit != 0;
                    next[if moves { (chip + bit) % chips } else { chip }].push((from, to));
                }
            }
            shards += held[0].iter().filter(|(from, to)| ((to + chips - from) % chips) & bit != 0).count();
            held = next;
            (steps, bit) = (steps + 1, bit * 2);
        }
        assert!(held.iter().enumerate().all(|(chip, all)| all.iter().all(|&(_, to)| to == chip)));
        let (rounds, volume) = star_cost(Collective::AllToAll, "bruck", chips as u64);
        assert_eq!((rounds, volume.round() as usize), (steps, shards), "{chips}");
        if chips.is_power_of_two() {
            assert_eq!(volume, chips as f64 * f64::from(chips.trailing_zeros()) / 2.0);
        }
    }
}

/// Whole vectors are summed in ceil(log2 N) steps for any N. A chip has the sum of a window that ends at it,
/// with and without its own vector. Either sum may be appended to the window of another chip.
#[test]
fn sums_of_whole_vectors_take_so_many_steps() {
    for chips in 2..=70usize {
        // Lengths of the windows, backwards from all chips to one.
        let mut lengths = vec![chips];
        while *lengths.last().unwrap() > 1 {
            lengths.push(lengths.last().unwrap().div_ceil(2));
        }
        lengths.reverse();
        let mut shards: Vec<Vec<usize>> = (0..chips).map(|chip| vec![chip]).collect();
        let mut rest: Vec<Vec<usize>> = vec![vec![]; chips];
        for pair in lengths.windows(2) {
            let [now, next] = pair else { unreachable!() };
            let (before, without) = (shards.clone(), rest.clone());
            for chip in 0..chips {
                let got = match next == &(2 * now) {
                    true => &before[(chip + chips - now) % chips],
                    false => &without[(chip + chips - (now - 1)) % chips],
                };
                shards[chip].extend(got);
                rest[chip].extend(got);
            }
        }
        for all in &mut shards {
            all.sort_unstable();
            assert_eq!(*all, (0..chips).collect::<Vec<_>>());
        }
        assert_eq!(
            star_cost(Collective::AllReduce, "recursive_doubling", chips as u64).0,
            lengths.len() as u64 - 1
        );
    }
}
