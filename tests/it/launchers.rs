//! The files of jobs, read back by what reads them: Slurm, Open MPI, JAX, and programs run with numbers.
//!
//! `FABC_LAUNCHERS=jax_mesh,slurm_hosts` lists readers that must be installed. Without it, a test whose
//! reader is absent says so and passes. `FABC_JAX` is a folder with the Python package of JAX.

use crate::collective::interpreter::{Program, run};
use crate::support::command::fabc;
use crate::support::plain;
use crate::support::spec_text::SpecText;
use fabc::random::Stream;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Sixteen chips in two cubes. Neighbouring ranks are far apart, and the ranks of a host are in no order.
fn scattered() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let ranks: String = (0..16).map(|rank| format!("{rank},{}\n", (rank * 7 + 3) % 16)).collect();
    std::fs::write(place.path().join("ranks.csv"), ranks).unwrap();
    let spec = SpecText::pod([2, 2, 2], 2)
        .with("topology = torus 2 x 2 x 4;")
        .with("routing = up_down;")
        .with("budget { vcs = 2; faults = 0; }")
        .with(
            "job mine { axes { tensor = 4; data = 2; pipeline = 2; } \
             phase layers { collective in = all_gather { over = tensor; size = 1 MiB; algorithm = direct; } } \
             phase sums { collective sum = all_reduce { over = [tensor, data]; size = 4 MiB; } } \
             place = file \"ranks.csv\"; }",
        );
    std::fs::write(place.path().join("fabric.fab"), spec.text()).unwrap();
    place
}

const HOSTS: [&str; 4] = ["--host", "node-{cube}-{host}", "--chips-per-host", "2x2x1"];

fn emit(place: &Path, formats: &str, options: &[&str]) -> (String, String) {
    fabc(place, &[&["build", "fabric.fab", "--emit", formats], options].concat(), 0)
}

fn read(place: &Path, name: &str) -> String {
    std::fs::read_to_string(place.join("l").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A line of the list of ranks.
struct ListedRank {
    chip: usize,
    coordinates: Vec<usize>,
    host: String,
    slot: usize,
}

/// The list of ranks. Names of chips have commas in them, so fields are counted from both ends.
fn listed_ranks(place: &Path, axes: usize) -> Vec<ListedRank> {
    let text = read(place, "mine.ranks.csv");
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let last = fields.len();
        let number = |index: usize| fields[index].parse().unwrap_or_else(|_| panic!("{line}"));
        ListedRank {
            chip: number(1),
            coordinates: (last - 2 - axes..last - 2).map(number).collect(),
            host: fields[last - 2].to_owned(),
            slot: number(last - 1),
        }
    };
    text.lines().skip(1).map(line).collect()
}

/// Whether a reader must be installed.
fn is_expected(reader: &str) -> bool {
    let expected = std::env::var("FABC_LAUNCHERS").unwrap_or_default();
    expected.split(',').any(|name| name == reader)
}

/// What a reader of `tests/launchers` prints. `None` if it is not installed and need not be.
fn reader_output(reader: &str, place: &Path, args: &[&str]) -> Option<Value> {
    let mut command = Command::new("python3");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/launchers").join(reader));
    command.args(args).current_dir(place.join("l"));
    if let Ok(folder) = std::env::var("FABC_JAX") {
        command.env("PYTHONPATH", folder);
    }
    let ran = match command.output() {
        Ok(output) if output.status.code() != Some(77) => output,
        absent => {
            assert!(!is_expected(reader), "`{reader}` is not installed: {absent:?}");
            println!("`{reader}` is not installed: its file is not read");
            return None;
        }
    };
    assert!(ran.status.success(), "{reader}: {}", String::from_utf8_lossy(&ran.stderr));
    Some(serde_json::from_slice(&ran.stdout).unwrap())
}

#[test]
fn jax_finds_the_neighbours_of_every_axis() {
    let place = scattered();
    emit(place.path(), "ranks=l/,mesh=l/", &[]);
    let ranks = listed_ranks(place.path(), 3);
    let axes = ["tensor", "data", "pipeline"];
    let Some(received) = reader_output("jax_mesh", place.path(), &["mine.mesh.json", &axes.join(",")]) else {
        return;
    };
    for (axis, (name, size)) in axes.iter().zip([4, 2, 2]).enumerate() {
        for rank in &ranks {
            let mut before = rank.coordinates.clone();
            before[axis] = (before[axis] + size - 1) % size;
            let sender = ranks.iter().find(|other| other.coordinates == before).unwrap();
            assert_eq!(received[name][rank.chip], sender.chip, "{name} of chip {}", rank.chip);
        }
    }
}

#[test]
fn slurm_starts_every_rank_on_its_host() {
    let place = scattered();
    emit(place.path(), "ranks=l/,hostfile=l/", &HOSTS);
    let Some(tasks) = reader_output("slurm_hosts", place.path(), &["mine.hostfile"]) else { return };
    // Local numbers count the ranks of a host. They are no slots.
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for (rank, task) in listed_ranks(place.path(), 3).iter().zip(tasks.as_array().unwrap()) {
        let local = seen.entry(rank.host.clone()).or_default();
        assert_eq!(*task, serde_json::json!([rank.host, *local]));
        *local += 1;
    }
}

#[test]
fn open_mpi_binds_every_rank_to_its_slot() {
    let place = scattered();
    emit(place.path(), "ranks=l/,rankfile=l/", &HOSTS);
    let Some(started) = reader_output("open_mpi", place.path(), &["mine.rankfile"]) else { return };
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let mut differ = false;
    for (rank, process) in listed_ranks(place.path(), 3).iter().zip(started.as_array().unwrap()) {
        let local = seen.entry(rank.host.clone()).or_default();
        assert_eq!(*process, serde_json::json!([rank.host, rank.slot, *local]));
        differ |= *local != rank.slot as u64;
        *local += 1;
    }
    assert!(differ, "slots and local ranks are not the same thing");
}

#[test]
fn groups_are_those_of_astra_sim() {
    let place = scattered();
    emit(place.path(), "groups=l/", &[]);
    // A communicator has a positive number, and its ranks ascend. Number 0 stands for all ranks.
    let groups: BTreeMap<String, Vec<u32>> =
        serde_json::from_str(&read(place.path(), "mine.groups.json")).unwrap();
    let numbers: BTreeSet<u32> = groups.keys().map(|key| key.parse().unwrap()).collect();
    assert_eq!(numbers, (1..=6).collect());
    assert!(groups.values().all(|ranks| ranks.is_sorted() && ranks.iter().all(|&rank| rank < 16)));
    assert_eq!(
        (&groups["2"][..], &groups["6"][..]),
        (&[4, 5, 6, 7][..], &[8, 9, 10, 11, 12, 13, 14, 15][..])
    );
}

#[test]
fn hosts_are_named_by_a_template() {
    let place = scattered();
    let rankfile = |options: &[&str]| {
        emit(place.path(), "rankfile=l/", &[&["-q"], options].concat());
        read(place.path(), "mine.rankfile").lines().take(3).collect::<Vec<_>>().join("\n")
    };
    // Ranks 0, 1 and 2 are on the chips 3, 10 and 1.
    assert_eq!(
        rankfile(&[]),
        "rank 0=cube0-1-1-0 slot=0\nrank 1=cube1-0-1-0 slot=0\nrank 2=cube0-1-0-0 slot=0"
    );
    assert_eq!(rankfile(&HOSTS), "rank 0=node-0-0 slot=3\nrank 1=node-1-0 slot=2\nrank 2=node-0-0 slot=1");
    assert_eq!(
        rankfile(&["--chips-per-host", "2"]),
        "rank 0=host1 slot=1\nrank 1=host5 slot=0\nrank 2=host0 slot=1"
    );
    assert_eq!(
        rankfile(&["--host", "{name}.c{chip:3}{x}{y}{z}"]),
        "rank 0=cube0-1-1-0.c003110 slot=0\nrank 1=cube1-0-1-0.c010010 slot=0\nrank 2=cube0-1-0-0.c001100 slot=0"
    );
    // The same files for the built directory, also with another placement.
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    let again =
        [&["job", "out/pod", "-q", "--place", "order", "--emit", "rankfile=l/,hostfile=l/"], &HOSTS[..]];
    fabc(place.path(), &again.concat(), 0);
    assert!(
        read(place.path(), "mine.rankfile").starts_with("rank 0=node-0-0 slot=0\nrank 1=node-0-0 slot=1\n")
    );
    let hosts = read(place.path(), "mine.hostfile");
    assert_eq!(hosts.lines().nth(15), Some("node-1-1"));
}

#[test]
fn names_that_launchers_cannot_use_are_refused() {
    let place = scattered();
    let fields =
        "the fields of hosts here are `{host}`, `{index}`, `{chip}`, `{name}`, `{cube}`, `{x}`, `{y}`, `{z}`";
    let mend = "name hosts by a template with a number in it: `--host 'node-{index}'`, or in cubes `'node-{cube}-{host}'`";
    let shape =
        "a host has chips of one cube or box: `4` consecutive ones, or in cubes a block such as `2x2x1`";
    let names = "these names of hosts cannot be used: ";
    let first = "the host of cube0[0,0,0] would be";
    let both = "the hosts of cube0[0,0,0] and cube0[1,0,0] would";
    for (options, message) in [
        (
            &["--host", "n{rack}"][..],
            format!("`--host n{{rack}}` cannot name hosts: there is no field `{{rack}}` help: {fields}"),
        ),
        (
            &["--host", "n{host"],
            format!("`--host n{{host` cannot name hosts: a brace has no partner help: {fields}"),
        ),
        (
            &["--host", "n{host} a"],
            format!("{names}{first} `n0 a`: a name has letters, digits, `-`, `_` and `.` help: {mend}"),
        ),
        (
            &["--host", "-{host}"],
            format!("{names}{first} `-0`: a name begins with a letter or digit help: {mend}"),
        ),
        (
            &["--host", "{index}"],
            format!("{names}{first} `0`: launchers take a name of digits alone for a number help: {mend}"),
        ),
        (&["--host", "n{cube}"], format!("{names}{both} both be `n0` help: {mend}")),
        (
            &["--host", "n.{index}"],
            format!("{names}{both} be `n.0` and `n.1`, which launchers take for one help: {mend}"),
        ),
        (
            &["--chips-per-host", "3"],
            format!(
                "`--chips-per-host 3` does not fit: the 8 chips of a cube are not whole hosts of 3 help: {shape}"
            ),
        ),
        (
            &["--chips-per-host", "4x1x1"],
            format!(
                "`--chips-per-host 4x1x1` does not fit: a cube of 2 x 2 x 2 chips is not made of such blocks help: {shape}"
            ),
        ),
    ] {
        let args = [&["check", "fabric.fab", "--emit", "rankfile"], options].concat();
        let (_, error) = plain::fabc(place.path(), &args, 3);
        let flat =
            error.split_whitespace().filter(|word| !["×", "│"].contains(word)).collect::<Vec<_>>().join(" ");
        assert!(flat.contains("FAB0539") && flat.contains(&message), "{options:?}:\n{flat}\nnot\n{message}");
    }
}

#[test]
fn routers_with_one_name_need_a_template() {
    let place = tempfile::tempdir().unwrap();
    let nodes = ["a b", "a-b", "c", "d"];
    let edges = nodes.iter().zip(nodes.iter().cycle().skip(1));
    let mut graph = nodes.map(|name| format!("<node id=\"{name}\"/>")).concat();
    graph.extend(edges.map(|(a, b)| format!("<edge source=\"{a}\" target=\"{b}\"/>")));
    let graph = format!("<graphml><graph edgedefault=\"undirected\">{graph}</graph></graphml>");
    std::fs::write(place.path().join("lab.graphml"), graph).unwrap();
    let spec = SpecText::network("graph \"lab.graphml\" { default = wire; }").with(
        "job mine { axes { data = 4; } phase sums { collective sum = all_reduce { over = data; size = 1 MiB; } } }",
    );
    std::fs::write(place.path().join("fabric.fab"), spec.text()).unwrap();
    let (_, error) = fabc(place.path(), &["check", "fabric.fab", "--emit", "hostfile"], 3);
    assert!(error.contains("the hosts of a b and a-b would both be `a-b`"), "{error}");
    let args = ["check", "fabric.fab", "--emit", "hostfile", "--host", "n{index}"];
    fabc(place.path(), &args, 0);
}

#[test]
fn a_mesh_counts_chips_that_send_and_receive() {
    let place = tempfile::tempdir().unwrap();
    let spec = SpecText::network("megafly { a = 4; rho = 2; local = wire; global = wire; }").with(
        "job mine { axes { tensor = 2; data = 5; } phase sums { collective sum = all_reduce { over = data; size = 1 MiB; } } }",
    );
    std::fs::write(place.path().join("fabric.fab"), spec.text()).unwrap();
    emit(place.path(), "mesh=l/,ranks=l/", &["-q"]);
    let mesh: Vec<Vec<usize>> = serde_json::from_str(&read(place.path(), "mine.mesh.json")).unwrap();
    assert_eq!(mesh.concat(), (0..10).collect::<Vec<_>>());
    // Every group has two leaves and two spines. Only leaves have hosts.
    assert!(read(place.path(), "mine.ranks.csv").contains("\n2,2,group1[0],0,1,group1-0,0\n"));
}

/// Runs all programs in `l` with numbers. Returns the names of their files.
fn run_programs(place: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(place.join("l"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    for name in &names {
        let program = Program::read(&read(place, name));
        for (in_place, seed) in [(true, 1), (false, 2)] {
            let outcome = run(&program, in_place, 0, None, &mut Stream::new(seed, 1));
            assert_eq!(outcome, Ok(()), "{name}");
        }
    }
    names
}

#[test]
fn every_group_gets_a_program_that_runs() {
    let place = tempfile::tempdir().unwrap();
    let operation = |name: &str, kind: &str, over: &str, algorithm: &str| {
        format!("collective {name} = {kind} {{ over = {over}; size = 1 MiB; algorithm = {algorithm}; }} ")
    };
    let phases = [
        operation("within", "all_gather", "tensor", "within"),
        operation("scatter", "reduce_scatter", "tensor", "within"),
        operation("sum", "all_reduce", "tensor", "within"),
        operation("ring", "all_gather", "data", "ring"),
        operation("direct", "reduce_scatter", "data", "direct"),
        operation("foreign", "all_gather", "data", "trees"),
        operation("experts", "all_to_all", "data", "direct"),
    ]
    .concat();
    let spec = SpecText::pod([2, 2, 2], 2)
        .with("topology = torus 2 x 2 x 4;")
        .with("routing = up_down;")
        .with("budget { vcs = 2; faults = 0; }")
        .with(&format!(
            "job mine {{ axes {{ tensor = 8; data = 2; }} phase p {{ {phases} \
             collective every = all_reduce {{ over = [tensor, data]; size = 1 MiB; }} \
             send on {{ along = tensor; size = 1 MiB; }} }} place = file \"ranks.csv\"; }}"
        ));
    std::fs::write(place.path().join("fabric.fab"), spec.text()).unwrap();
    // Groups over `tensor` are the cubes, in reverse. Those over `data` are far apart.
    let ranks: String = (0..16).map(|rank| format!("{rank},{}\n", 15 - rank)).collect();
    std::fs::write(place.path().join("ranks.csv"), ranks).unwrap();
    let (_, notes) = emit(place.path(), "msccl=l/", &[]);
    for note in [
        "`msccl` has no program of mine.p.experts: every rank sends to every other one, as runtimes do it by themselves",
        "`msccl` has no program of mine.p.on: a send is no collective",
        "`msccl` has no program of mine.p.foreign: its ",
    ] {
        assert!(notes.contains(note), "{notes}");
    }
    assert_eq!(notes.matches("no program").count(), 3, "{notes}");
    let names = run_programs(place.path());
    let count = |operation: &str| {
        names.iter().filter(|name| name.starts_with(&format!("mine.p.{operation}."))).count()
    };
    assert_eq!(["within", "scatter", "sum", "ring", "direct", "every"].map(count), [2, 2, 2, 8, 8, 1]);
    assert!(
        names.contains(&"mine.p.within.data1.xml".to_owned())
            && names.contains(&"mine.p.every.all.xml".to_owned())
    );
    let program = Program::read(&read(place.path(), "mine.p.within.data1.xml"));
    assert_eq!((&*program.collective, program.gpus.len()), ("allgather", 8));
}

#[test]
fn boxes_get_programs_and_pods_without_one_an_error() {
    let place = tempfile::tempdir().unwrap();
    let spec = "fabric net {
        clock = 1 GHz;
        link nvlink { bandwidth = 300 GB/s; latency = 100 ns; }
        link ib { bandwidth = 25 GB/s; latency = 200 ns; }
        router leaf { radix = 40; latency = 300 ns; }
        box a100 { gpus = 4; switch nv { latency = 100 ns; join all over nvlink; } nics = 4 over ib; }
        boxes = 2 of a100;
        topology = leaf_spine { leaves = 2; spines = 0; attach = rail; leaf = leaf; }
        routing = spray { relay = gpu; }
        job mine { axes { tensor = 4; data = 2; }
            phase layers { collective in = all_gather { over = tensor; size = 64 MiB; } }
            phase sums { collective sum = all_reduce { over = [tensor, data]; size = 16 MiB; } } } }";
    std::fs::write(place.path().join("fabric.fab"), spec).unwrap();
    emit(place.path(), "msccl=l/", &[]);
    assert_eq!(
        run_programs(place.path()),
        ["mine.layers.in.data0.xml", "mine.layers.in.data1.xml", "mine.sums.sum.all.xml"]
    );
    let spec = SpecText::pod([2, 2, 2], 2).with("topology = torus 2 x 2 x 4;").with("routing = up_down;").with(
        "job mine { axes { data = 16; } phase p { collective experts = all_to_all { over = data; size = 1 MiB; } } }",
    );
    std::fs::write(place.path().join("fabric.fab"), spec.text()).unwrap();
    let (_, error) = fabc(place.path(), &["build", "fabric.fab", "-q", "--emit", "msccl=l/"], 3);
    let lines = "`msccl` holds schedules within groups, and no operation of these jobs has one:";
    assert!(
        error.contains("FAB0565") && error.contains(lines) && error.contains("mine.p.experts"),
        "{error}"
    );
}
