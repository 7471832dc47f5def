//! The search for a topology: what symmetry it uses and says about it, its clock, its settings.

use fabc::model::{self, Pod};
use fabc::passes::synth::{Synthesized, synthesize};
use fabc::progress::{Progress, Silent};

/// A pod of cubes of 2x2x2 chips; `switches` declares the OCSes.
fn pod(cubes: u32, switches: &str, settings: &str) -> Pod {
    let text = format!(
        "fabric pod {{\n clock = 1 GHz;\n link copper {{ bandwidth = 50 GB/s; latency = 10 cycles; }}\n \
         link fiber {{ bandwidth = 50 GB/s; latency = 10 cycles; }}\n \
         chip {{ radix = 6; vcs = 4; flit = 64 B; buffer = 100 flits; latency = 10 cycles; }}\n \
         cube {{ mesh 2 x 2 x 2 over copper; }}\n cubes = {cubes};\n {switches}\n \
         topology = synthesize {{ {settings} }}\n routing = allowed_turns;\n}}\n"
    );
    let loader = |path: &str| if path == "test.fab" { Ok(text.clone()) } else { Err("not found".to_owned()) };
    model::load("test.fab", &loader).unwrap_or_else(|(failure, _)| panic!("{failure:?}")).0
}

/// One switch per pair of opposite face positions.
const SIDES: &str = "ocs X[u in 0..2, v in 0..2] { couple +x[u, v] with -x[u, v] over fiber; ports = 16; }\n \
    ocs Y[u in 0..2, v in 0..2] { couple +y[u, v] with -y[u, v] over fiber; ports = 16; }\n \
    ocs Z[u in 0..2, v in 0..2] { couple +z[u, v] with -z[u, v] over fiber; ports = 16; }";

fn found(pod: &Pod, progress: &dyn Progress) -> Synthesized {
    synthesize(pod, progress).unwrap_or_else(|error| panic!("{error:?}"))
}

/// The hops that the objective `hops` reaches.
fn hops(cubes: u32, settings: &str) -> f64 {
    let topology = found(&pod(cubes, SIDES, settings), &Silent).topology;
    let lit = fabc::ids::IdVec::filled(true, topology.links().len());
    let distances = fabc::passes::flow::distances(&topology, &lit).unwrap();
    fabc::check::distances(&topology, &lit, &distances).unwrap();
    distances.average()
}

/// A clock that has always run out.
struct Expired;

impl Progress for Expired {
    fn begin(&self, _pass: &str, _total: u64) {}
    fn advance(&self) {}
    fn end(&self) {}
    fn expired(&self, _seconds: u32) -> bool {
        true
    }
}

#[test]
fn few_cubes_reach_their_known_hops() {
    for (cubes, known) in [(2, "1.7333"), (3, "2.0000"), (4, "2.1290")] {
        assert_eq!(format!("{:.4}", hops(cubes, "objective = hops;")), known, "{cubes} cubes");
    }
}

#[test]
fn like_cubes_keep_all_translations_unless_told_not_to() {
    for (settings, order) in [("", 5), ("symmetry = translation;", 5), ("symmetry = none;", 1)] {
        let found = found(&pod(5, SIDES, settings), &Silent);
        assert_eq!(found.topology.symmetry().order(), order, "{settings}");
        assert!(found.record.notes.is_empty(), "{settings}: {:?}", found.record.notes);
    }
}

#[test]
fn the_clock_ends_a_search_only_if_it_runs_out() {
    let limited = pod(4, SIDES, "time_limit = 1 s;");
    let stopped = found(&limited, &Expired);
    assert_eq!(stopped.record.stopped_by, "time_limit");
    assert!(stopped.record.notes.iter().any(|note| note.contains("time limit")), "{:?}", stopped.record.notes);
    let (ended, free) = (found(&limited, &Silent), found(&pod(4, SIDES, ""), &Expired));
    assert_eq!(format!("{:?}", ended.topology), format!("{:?}", free.topology));
}

#[test]
fn the_number_of_threads_decides_nothing() {
    let pod = pod(5, SIDES, "");
    let with = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| found(&pod, &Silent));
    assert_eq!(format!("{:?}", with(1).topology), format!("{:?}", with(2).topology));
}
