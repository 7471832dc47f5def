//! The table of known wirings, `src/passes/synth/known.csv`, grows by
//!
//! ```sh
//! CUBES=64 EFFORT=24 SEED=2 cargo test --release --test it known_wirings -- --ignored --nocapture
//! ```
//!
//! The search starts from the known wiring, if there is one, and from new restarts. The line that is printed
//! takes the place of the old one where its second number, the distance sum, is smaller. Of lines within 0.1
//! % of each other stands the one whose tables load the busiest channel least (`max_channel_load`).

use crate::support::spec_text;
use fabc::compile::{Stage, compile};
use fabc::ir::{LinkClass, Topology};
use fabc::progress::Silent;
use spec_text::SpecText;

const LENGTH: usize = 3;

/// The wiring that a search of 4x4x4 cubes finds, and what the report says of it.
fn found_wiring(cubes: u32, effort: u32, seed: u32) -> (Topology, String) {
    let spec = SpecText::pod([4, 4, 4], cubes)
        .with(&format!("topology = synthesize {{ effort = {effort}; seed = {seed}; }}"))
        .with("budget { vcs = 2; faults = 0; }");
    let text = spec.text().replace("ports = 16;", "ports = 4096;");
    let (fabric, ..) = fabc::lang::read_normal("grow.fab", &|_: &str| Ok(text.clone()))
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
    let compiled =
        compile(fabric, Stage::Synthesize, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"));
    let notes = compiled.passes.iter().find(|pass| pass.name == "synthesize").unwrap().notes.join("; ");
    (compiled.topology, notes)
}

/// Cubes, distance sum of the chips of cube 0 with fibers of length 3, shifts: a line of the table.
fn line(topology: &Topology, cubes: usize) -> String {
    let mut shifts = [0; 48];
    let mut neighbors = vec![Vec::new(); topology.node_count()];
    for link in topology.links().iter() {
        let [a, b] = [link.a, link.b].map(|end| end.node.0 as usize);
        let fiber = link.class == LinkClass::Global;
        let length = if fiber { LENGTH } else { 1 };
        neighbors[a].push((b, length));
        neighbors[b].push((a, length));
        if fiber {
            let (from, to) = if link.a.port.0 % 2 == 0 { (a, b) } else { (b, a) };
            let coordinates = [from % 4, from / 4 % 4, from / 16 % 4];
            let axis = usize::from(link.a.port.0 / 2);
            let [u, v] = [[1, 2], [0, 2], [0, 1]][axis];
            shifts[16 * axis + 4 * coordinates[u] + coordinates[v]] = (cubes + to / 64 - from / 64) % cubes;
        }
    }
    let mut sum = 0;
    for source in 0..64 {
        let mut far = vec![usize::MAX; neighbors.len()];
        let mut open = vec![vec![source]];
        let mut next = 0;
        while next < open.len() {
            for node in std::mem::take(&mut open[next]) {
                if far[node] == usize::MAX {
                    far[node] = next;
                    sum += next;
                    for &(to, length) in &neighbors[node] {
                        open.resize_with(open.len().max(next + length + 1), Vec::new);
                        open[next + length].push(to);
                    }
                }
            }
            next += 1;
        }
    }
    format!("{cubes},{sum},{}", shifts.map(|shift: usize| shift.to_string()).join(","))
}

#[test]
#[ignore = "searches for minutes; see above"]
fn grow() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|value| value.parse::<u32>().ok())
            .unwrap_or_else(|| panic!("{name}=number"))
    };
    let cubes = number("CUBES");
    let (topology, notes) = found_wiring(cubes, number("EFFORT"), number("SEED"));
    println!("# {notes}\n{}", line(&topology, cubes as usize));
}

/// For the smallest pod of the table the report says which start won. The result is no worse than the line.
#[test]
fn a_known_wiring_is_a_start() {
    let (cubes, known) = include_str!("../../src/passes/synth/known.csv")
        .lines()
        .find_map(|line| line.split_once(','))
        .unwrap();
    let known: usize = known.split(',').next().unwrap().parse().unwrap();
    let cubes: usize = cubes.parse().unwrap();
    let (topology, notes) = found_wiring(cubes as u32, 1, 1);
    assert!(notes.starts_with("the best wiring came from "), "{notes}");
    let line = line(&topology, cubes);
    let distance: usize = line.split(',').nth(1).unwrap().parse().unwrap();
    assert!(distance <= known, "{notes}: {line}");
}
