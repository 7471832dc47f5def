//! Rings with random shortcuts: as far apart as the literature says, and the same from the same seed.
//!
//! Bands stand in `tests/data/random_answers.csv`: mean and range over seeds of another generator.

use super::{degree, histograms, parallel_links, roomy, wired};
use fabc::check;
use fabc::model::{
    Draw, Duplicates, Family, Hypercube, PermuteMethod, Permuted, ShortcutReach, Shortcuts, Torus,
};
use fabc::units::Decimal;
use std::collections::BTreeMap;

pub(super) fn ring(routers: u32, degree: u32, reach: ShortcutReach, seed: u64) -> Family {
    Family::Shortcuts(Shortcuts { routers, degree, reach, draw: Draw { seed, attempts: 100, draws: 1 } })
}

/// A permuted network of cabinets of four, of the first seed that joins no two routers twice.
pub(super) fn permuted(base: Family, method: PermuteMethod) -> Family {
    let seeds = (1..1000).map(|seed| exchanged(base.clone(), method, Duplicates::Keep, 4, seed));
    let simple = |family: &Family| parallel_links(&wired(&roomy(family.clone()))) == 0;
    seeds.into_iter().find(simple).expect("some seed")
}

fn exchanged(base: Family, method: PermuteMethod, duplicates: Duplicates, cabinet: u32, seed: u64) -> Family {
    let draw = Draw { seed, attempts: 100, draws: 1 };
    Family::Permuted(Permuted { base: Box::new(base), method, duplicates, cabinet, draw })
}

/// The reach of `RING-8`, `Nbr(0.5)-8` or `Gau(0.5)-8`, and the links of a router.
fn named(name: &str) -> Option<(ShortcutReach, u32)> {
    let (kind, degree) = name.split_once('-')?;
    let share = |kind: &str| Decimal::parse(kind.split(['(', ')']).nth(1)?);
    let reach = match kind {
        "RING" => ShortcutReach::Any,
        _ if kind.starts_with("Nbr") => ShortcutReach::Within(share(kind)?),
        _ if kind.starts_with("Gau") => ShortcutReach::Normal(share(kind)?),
        _ => return None,
    };
    Some((reach, degree.parse().ok()?))
}

pub(super) fn rows() -> Vec<BTreeMap<&'static str, &'static str>> {
    let text = include_str!("../../data/random_answers.csv");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let columns: Vec<&str> = lines.next().expect("the columns").split(',').collect();
    lines.map(|line| columns.iter().copied().zip(line.split(',')).collect()).collect()
}

/// A cell of a row as a number.
pub(super) fn cell(row: &BTreeMap<&str, &str>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

#[test]
fn rings_with_shortcuts_are_as_far_apart_as_the_literature_says() {
    let mut compared = 0;
    for row in rows() {
        let (Some((reach, links)), true) = (named(row["name"]), cell(&row, "N") <= 1024.0) else { continue };
        let routers = cell(&row, "N") as u32;
        let seeds = 5;
        let mut means = Vec::new();
        for seed in 1..=seeds {
            let fabric = roomy(ring(routers, links, reach, seed));
            let topology = wired(&fabric);
            check::verify_wiring(&fabric, &topology, None).unwrap_or_else(|error| panic!("{row:?}: {error}"));
            let [all, _] = histograms(&topology);
            let sum: u64 = all.iter().enumerate().map(|(hops, pairs)| hops as u64 * pairs).sum();
            means.push(sum as f64 / (f64::from(routers) * f64::from(routers)));
            let diameter = all.len() as f64 - 1.0;
            assert!(
                (cell(&row, "diam_min") - 1.0..=cell(&row, "diam_max") + 1.0).contains(&diameter),
                "{row:?}: {diameter}"
            );
            let fewest = topology.nodes().map(|node| degree(&topology, node)).min().expect("a router");
            assert!(
                fewest as f64 >= cell(&row, "degmin").min(f64::from(links) - 1.0) - 1.0,
                "{row:?}: {fewest}"
            );
            // Links are missing as often as there.
            let (links_found, mean) = (topology.links().len() as f64, cell(&row, "links_mean"));
            assert!((links_found - mean).abs() <= 1.0 + 0.008 * mean, "{row:?}: {links_found} links");
        }
        let mean = means.iter().sum::<f64>() / f64::from(seeds as u32);
        // Five seeds against the range of as many or more.
        let room = 0.1 * (cell(&row, "aspl_N2_max") - cell(&row, "aspl_N2_min")) + 0.003;
        let band = cell(&row, "aspl_N2_min") - room..=cell(&row, "aspl_N2_max") + room;
        assert!(band.contains(&mean), "{row:?}: {mean}");
        compared += 1;
    }
    assert_eq!(compared, 30);
}

#[test]
fn what_was_left_out_could_not_be_joined() {
    // A ring of six whose routers 0 and 3 were left out by the one matching, with nothing between them.
    let family = ring(6, 3, ShortcutReach::Any, 1);
    let links = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [0, 5], [1, 4], [2, 5]];
    let first_message = super::drawn::as_family(family.clone(), &links).expect_err("two were forgotten");
    assert!(first_message.contains("router0 and router3 lack links"), "{first_message}");
    super::drawn::as_family(family, &[&links[..], &[[0, 3]]].concat()).expect("now it is whole");
    let near = ring(12, 3, ShortcutReach::Within(Decimal::parse("0.5").expect("a number")), 1);
    let mut far: Vec<[u32; 2]> = (0..11).map(|index| [index, index + 1]).chain([[0, 11]]).collect();
    far.extend([[0, 3]]);
    let message = super::drawn::as_family(near, &far).expect_err("three are not less than three");
    assert!(message.contains("not neighbors"), "{message}");
}

/// A list with a shortcut less, and with the ports numbered anew. One matching cannot have left out both ends
/// of the shortcut. With an even number of routers, two matchings cannot have left out one end each.
#[test]
fn a_shortcut_that_is_missing_is_seen_at_any_degree() {
    let half = |text| Decimal::parse(text).expect("a number");
    for (routers, degree, reach) in [
        (40, 4, ShortcutReach::Any),
        (41, 4, ShortcutReach::Any),
        (64, 5, ShortcutReach::Any),
        (60, 7, ShortcutReach::Within(half("0.7"))),
        (60, 6, ShortcutReach::Normal(half("0.5"))),
        (96, 12, ShortcutReach::Any),
    ] {
        let pairs = |seed| -> Vec<[u32; 2]> {
            let topology = wired(&roomy(ring(routers, degree, reach, seed)));
            topology.links().iter().map(|link| [link.a.node.0, link.b.node.0]).collect()
        };
        // A draw that leaves out no router, or of an odd number one each time.
        let link_count = (routers + routers / 2 * (degree - 2)) as usize;
        let (seed, links) = (1..100)
            .map(|seed| (seed, pairs(seed)))
            .find(|(_, links)| links.len() == link_count)
            .expect("a whole one");
        let family = || ring(routers, degree, reach, seed);
        super::drawn::as_family(family(), &links)
            .unwrap_or_else(|error| panic!("{routers} {degree}: {error}"));
        for dropped in 0..links.len() {
            let fewer = [&links[..dropped], &links[dropped + 1..]].concat();
            super::drawn::as_family(family(), &fewer).expect_err("one is missing");
        }
    }
}

#[test]
fn seeds_decide_where_shortcuts_lead() {
    let links = |seed| wired(&roomy(ring(64, 5, ShortcutReach::Any, seed))).links().as_slice().to_vec();
    assert!(links(1) == links(1) && links(1) != links(2));
}

#[test]
fn permuted_networks_are_as_far_apart_as_the_literature_says() {
    let cube = |dimensions| Family::Hypercube(Hypercube { dimensions, folded: false });
    let folded = |dimensions| Family::Hypercube(Hypercube { dimensions, folded: true });
    use PermuteMethod::{Full, Partial};
    let rows_of = rows();
    for (name, base, method, links) in [
        ("P-TORUS-4 one pass random orient", Family::Torus(Torus(vec![16, 16])), Partial, 512.0),
        ("PF-TORUS-4 inter ends named by cabinet; skip", Family::Torus(Torus(vec![16, 16])), Full, 512.0),
        ("P-HYPERCUBE-6", cube(6), Partial, 192.0),
        ("PF-HYPERCUBE-6", cube(6), Full, 192.0),
        ("P-HYPERCUBE-8", cube(8), Partial, 1024.0),
        ("PF-HYPERCUBE-8", cube(8), Full, 1024.0),
        ("P-HYPERCUBE-10", cube(10), Partial, 5120.0),
        ("P-FHYPERCUBE-8", folded(8), Partial, 1152.0),
    ] {
        let row = rows_of.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}"));
        let (mut means, mut dropped) = (0.0, 0.0);
        let seeds = 5;
        for seed in 1..=seeds {
            for duplicates in [Duplicates::Keep, Duplicates::Drop] {
                let fabric = roomy(exchanged(base.clone(), method, duplicates, 16, seed));
                let topology = wired(&fabric);
                check::verify_wiring(&fabric, &topology, None)
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                let [all, _] = histograms(&topology);
                let sum: u64 = all.iter().enumerate().map(|(hops, pairs)| hops as u64 * pairs).sum();
                if duplicates == Duplicates::Keep {
                    assert_eq!(topology.links().len() as f64, links, "{name}");
                    let nodes = topology.node_count() as f64;
                    means += sum as f64 / (nodes * nodes) / seeds as f64;
                } else {
                    dropped += (links - topology.links().len() as f64) / seeds as f64;
                }
            }
        }
        let (low, high, mean) =
            (cell(row, "aspl_N2_min"), cell(row, "aspl_N2_max"), cell(row, "aspl_N2_mean"));
        // With 64 routers the mean of a few seeds is less exact.
        let room = 0.25 * (high - low) + if links < 200.0 { 0.02 } else { 0.004 } * mean;
        assert!((low - room..=high + room).contains(&means), "{name}: {means}, not {low} to {high}");
        let parallel = cell(row, "parallel_mean");
        assert!(
            (dropped - parallel).abs() <= 4.0 + 0.25 * parallel,
            "{name}: {dropped} come twice, not {parallel}"
        );
    }
}
