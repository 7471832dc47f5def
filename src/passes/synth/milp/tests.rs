//! The program against known answers, brute force and the plain flow program.

use super::*;
use crate::solve::{FlowProblem, max_concurrent_flow};

const HARDWARE: &str = "clock = 1 GHz;
    link copper { bandwidth = 50 GB/s; latency = 10 cycles; }
    link fiber { bandwidth = 50 GB/s; latency = 10 cycles; }
    chip { radix = 6; vcs = 4; flit = 64 B; buffer = 100 flits; latency = 10 cycles; }
    topology = synthesize { method = milp; }
    routing = up_down;";

fn pod(items: &str) -> Pod {
    fabric(items).pod().expect("it has cubes").clone()
}

fn fabric(items: &str) -> Fabric {
    let text = format!("fabric pod {{ {HARDWARE} {items} }}");
    fabc_lang::read_normal("pod.fab", &|_: &str| Ok(text.clone()))
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}"))
        .0
}

/// Chips without cubes behind one switch without sides, `ports` ports each.
fn graph(nodes: usize, ports: usize) -> Pod {
    let ports = ["+x[0, 0]", "-x[0, 0]", "+y[0, 0]", "-y[0, 0]"][..ports].join(", ");
    pod(&format!(
        "cube {{ mesh 1 x 1 x 1 over copper; }} cubes = {nodes}; ocs ANY {{ couple any of {ports} over fiber; ports = 64; }}"
    ))
}

/// Cubes of 2x2x1 behind four switches with sides.
fn flat(cubes: usize) -> Pod {
    pod(&format!(
        "cube {{ mesh 2 x 2 x 1 over copper; }} cubes = {cubes};
        ocs X[u in 0..2] {{ couple +x[u, 0] with -x[u, 0] over fiber; ports = 64; }}
        ocs Y[u in 0..2] {{ couple +y[u, 0] with -y[u, 0] over fiber; ports = 64; }}"
    ))
}

/// The exact flow of a wiring by the plain program over arcs, which shares nothing with the dualised one.
fn plain_flow(links: &LinkSet, taken: &[u32]) -> f64 {
    let chosen = links
        .choices
        .iter()
        .zip(taken)
        .flat_map(|(choice, &times)| (0..times).flat_map(|_| choice.links.iter().copied()));
    let directed_links = links.fixed.iter().copied().chain(chosen).flat_map(|[a, b]| [(a, b), (b, a)]);
    let channels = directed_links.enumerate().map(|(class, (from, to))| (from, to, class)).collect();
    max_concurrent_flow(
        &FlowProblem {
            nodes: links.nodes,
            sources: (0..links.nodes).collect(),
            channels,
            capacities: Vec::new(),
        },
        |_, _| 1,
    )
    .unwrap()
}

/// The best flow over all wirings that leave no room.
fn brute_force(links: &LinkSet) -> f64 {
    fn extend(links: &LinkSet, taken: &mut Vec<u32>, at: usize, best: &mut f64) {
        if at == taken.len() {
            if links.room(taken).iter().all(|&room| room == 0) {
                *best = best.max(plain_flow(links, taken));
            }
            return;
        }
        for times in 0..=links.room(taken)[at] {
            taken[at] = times;
            extend(links, taken, at + 1, best);
        }
        taken[at] = 0;
    }
    let mut best = 0.0;
    extend(links, &mut vec![0; links.choices.len()], 0, &mut best);
    best
}

fn milp(links: &LinkSet, dark: u32) -> BestWiring {
    optimise(links, dark, 4, Some(10_000), &fabc_base::progress::Silent).unwrap()
}

fn per_pair(links: &LinkSet, scaled: f64) -> f64 {
    scaled / links.nodes as f64
}

/// A graph that leaves no choice.
fn given(nodes: usize, fixed: &[[usize; 2]]) -> LinkSet {
    let mut links = LinkSet::with_pairs(&graph(nodes, 1));
    links.choices.clear();
    links.limits.clear();
    links.fixed = fixed.to_vec();
    links
}

#[test]
fn lp_dualised_equals_the_plain_flow_program() {
    let diamond: Vec<[usize; 2]> = (0..2).flat_map(|left| (2..6).map(move |right| [left, right])).collect();
    let ring: Vec<[usize; 2]> = (0..7).map(|at| [at, (at + 1) % 7]).collect();
    let lollipop = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [0, 1]];
    for (nodes, fixed) in [(6, &diamond[..]), (7, &ring[..]), (5, &lollipop[..])] {
        let links = given(nodes, fixed);
        let best = optimise(&links, 0, 1, None, &fabc_base::progress::Silent).unwrap();
        assert!(
            (per_pair(&links, best.lambda) - plain_flow(&links, &[])).abs() < 1e-7,
            "{fixed:?}: {best:?}"
        );
    }
    let links = given(6, &diamond);
    let best = optimise(&links, 0, 1, None, &fabc_base::progress::Silent).unwrap();
    assert!((per_pair(&links, best.lambda) - 4.0 / 11.0).abs() < 1e-7);
}

#[test]
fn lp_under_translations_equals_the_plain_flow_of_the_whole_pod() {
    let links = LinkSet::with_shifts(&flat(3));
    for seed in 0..9usize {
        let mut taken = vec![0; links.choices.len()];
        // Any shifts: one choice of every switch.
        links
            .limits
            .iter()
            .enumerate()
            .for_each(|(at, limit)| taken[limit.choices[(seed * 5 + at * seed) % 3]] = 1);
        let mut program = program::flow_program(&links, false);
        for (choice, &times) in taken.iter().enumerate() {
            (program.columns[column(choice)].lower, program.columns[column(choice)].upper) =
                (f64::from(times), f64::from(times));
        }
        let lambda = solve::maximise(&program, 0).unwrap().point.unwrap()[LAMBDA];
        assert!((per_pair(&links, lambda) - plain_flow(&links, &taken)).abs() < 1e-7, "{taken:?}");
    }
}

#[test]
fn lp_milp_finds_the_best_of_all_shifts() {
    for cubes in [2, 3] {
        let links = LinkSet::with_shifts(&flat(cubes));
        let (best, all) = (milp(&links, 0), brute_force(&links));
        assert_eq!(best.stopped_by, "optimal");
        assert!(
            (per_pair(&links, best.lambda) - all).abs() < 1e-6,
            "{cubes} cubes: {best:?}, brute force {all}"
        );
        assert!((plain_flow(&links, &best.taken) - all).abs() < 1e-6);
    }
}

#[test]
fn lp_milp_finds_the_best_of_all_graphs() {
    for (nodes, ports) in [(4, 2), (4, 3), (5, 2), (6, 2), (5, 3)] {
        let links = LinkSet::with_pairs(&graph(nodes, ports));
        let (best, all) = (milp(&links, 0), brute_force(&links));
        assert_eq!(best.stopped_by, "optimal");
        assert!(
            (per_pair(&links, best.lambda) - all).abs() < 1e-6,
            "{nodes} chips of {ports} ports: {best:?}, brute force {all}"
        );
        assert!((plain_flow(&links, &best.taken) - all).abs() < 1e-6);
    }
}

#[test]
fn lp_relaxation_bounds_what_it_rounds_to() {
    for links in [LinkSet::with_pairs(&graph(6, 3)), LinkSet::with_shifts(&flat(3))] {
        let relaxed = optimise(&links, 0, 1, None, &fabc_base::progress::Silent).unwrap();
        assert_eq!(relaxed.stopped_by, "fixed");
        assert!((per_pair(&links, relaxed.lambda) - plain_flow(&links, &relaxed.taken)).abs() < 1e-6);
        let best = milp(&links, 0);
        assert!(
            relaxed.lambda <= best.lambda + 1e-6 && best.lambda <= relaxed.bound + 1e-6,
            "{relaxed:?} {best:?}"
        );
    }
}

#[test]
fn lp_two_cubes_reach_the_distance_bound() {
    if !solve::CBC {
        return; // 76 rows and 793 columns: CBC only.
    }
    let faces = ["x", "y", "z"].map(|axis| {
        format!("ocs {}[u in 0..2, v in 0..2] {{ couple +{axis}[u, v] with -{axis}[u, v] over fiber; ports = 64; }}", axis.to_uppercase())
    });
    let links = LinkSet::with_shifts(&pod(&format!(
        "cube {{ mesh 2 x 2 x 2 over copper; }} cubes = 2; {}",
        faces.concat()
    )));
    let best = milp(&links, 0);
    assert_eq!(best.stopped_by, "optimal");
    // 6 channels a chip, and no wiring has distance sums below 26 from every chip.
    assert!((per_pair(&links, best.lambda) - 6.0 / 26.0).abs() < 1e-6, "{best:?}");
}

#[test]
fn lp_dark_switches_leave_the_pod_connected() {
    let rings = |axis: &str| {
        format!(
            "ocs {} {{ couple any of +{axis}[0, 0], -{axis}[0, 0] over fiber; ports = 64; }}",
            axis.to_uppercase()
        )
    };
    let pod =
        pod(&format!("cube {{ mesh 1 x 1 x 1 over copper; }} cubes = 4; {} {}", rings("x"), rings("y")));
    let links = LinkSet::with_pairs(&pod);
    let (any, tolerant) = (milp(&links, 0), milp(&links, 1));
    assert!(faults::violated_cut(&links, &tolerant.taken, 1).is_none());
    assert!(tolerant.lambda <= any.lambda + 1e-6);
    // Two double links per switch, crosswise: connected, but not when either switch is dark.
    let joins = |ocs: usize, link: [usize; 2]| {
        links.choices.iter().position(|choice| choice.ocs == ocs && choice.links == [link]).unwrap()
    };
    let mut crosswise = vec![0; links.choices.len()];
    for choice in [joins(0, [0, 1]), joins(0, [2, 3]), joins(1, [0, 2]), joins(1, [1, 3])] {
        crosswise[choice] = 2;
    }
    let cut = faults::violated_cut(&links, &crosswise, 1).expect("one dark switch parts it");
    let lit: f64 =
        cut.terms.iter().map(|&(column, weight)| weight * f64::from(tolerant.taken[column - 1])).sum();
    assert!(lit <= cut.at_most, "a tolerant wiring satisfies the cut");
}

/// Six chips behind one switch make one ring, or two: what is rounded up may be two, and a cut joins them.
#[test]
fn lp_relaxed_wirings_are_connected() {
    let ring = "ocs X { couple +x[0, 0] with -x[0, 0] over fiber; ports = 39; }";
    let links =
        LinkSet::with_pairs(&pod(&format!("cube {{ mesh 1 x 1 x 1 over copper; }} cubes = 6; {ring}")));
    let best = optimise(&links, 0, 2, None, &fabc_base::progress::Silent).unwrap();
    assert!(faults::violated_cut(&links, &best.taken, 0).is_none());
    // Another solver may round to one ring at once.
    assert!(solve::CBC || best.cuts > 0, "{best:?}");
}

#[test]
fn fibers_keep_to_the_ports_of_their_switches() {
    for (pod, links) in
        [(graph(7, 3), LinkSet::with_pairs(&graph(7, 3))), (flat(4), LinkSet::with_shifts(&flat(4)))]
    {
        let mut taken = vec![0; links.choices.len()];
        links.fill(&mut taken);
        let mut ports: Vec<FacePort> = links.fibers(&pod, &taken).concat();
        let count = ports.len();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), count, "no port carries two fibers");
        assert!(count > 10);
    }
}

#[test]
fn programs_that_are_too_large_are_refused_with_ways_out() {
    let fabric = fabric(
        "cube { mesh 4 x 4 x 4 over copper; } cubes = 8; ocs X[u in 0..4, v in 0..4] { couple +x[u, v] with -x[u, v] over fiber; ports = 64; }",
    );
    let pod = fabric.pod().expect("it has cubes");
    let Err(error) =
        synthesize(&fabric, pod, SynthesisMethod::Relax { fix: 1 }, true, &fabc_base::progress::Silent)
    else {
        panic!("too large")
    };
    let text = format!("{error} {}", miette::Diagnostic::help(&error).unwrap());
    assert!(text.contains("rows") && text.contains("method = search"), "{text}");
}
