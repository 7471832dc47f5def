//! Changes of the topology while packets fly: every moment in random mixes, what the checker convicts, and
//! the command from outside.

mod replaced;

use crate::support::command;
use crate::support::mixes;
use crate::support::spec_text;
use command::fabc;
use fabc::compile::change::{NoChange, PlannedChange};
use fabc::compile::{Stage, compile};
use fabc::compiled::{CompiledFabric, RoutedScenario};
use fabc::ids::Id;
use fabc::ir::{Delta, ForwardingTables, Scene, StagedPlan, SwitchPlan, mirrors_after};
use fabc::passes::repair::RankedTables;
use fabc::passes::{plan, synth};
use fabc::progress::Silent;
use mixes::Mixes;
use petgraph::algo::is_cyclic_directed;
use petgraph::graphmap::DiGraphMap;
use serde_json::Value;
use spec_text::SpecText;
use std::path::Path;

fn compiled(spec: &SpecText) -> CompiledFabric {
    let text = spec.text();
    let loader = |_: &str| Ok(text.clone());
    let (fabric, ..) = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"));
    compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn pod(topology: &str) -> SpecText {
    SpecText::pod([2, 2, 2], 4)
        .with("budget { vcs = 2; faults = 0; }")
        .with(&format!("topology = {topology}"))
}

/// Pairs of topologies, each to be changed into the other.
fn topologies() -> [[&'static str; 2]; 3] {
    [
        ["torus 4 x 4 x 2;", "synthesize { symmetry = translation; effort = 1; seed = 1; }"],
        ["synthesize { symmetry = none; effort = 1; seed = 3; }", "twisted_torus 2 x 4 x 4;"],
        ["torus 2 x 4 x 4;", "synthesize { symmetry = none; effort = 1; seed = 2; }"],
    ]
}

fn routed(compiled: &CompiledFabric) -> &RoutedScenario {
    compiled.scenarios[0].routed.as_ref().unwrap()
}

fn most_moves(compiled: &CompiledFabric) -> u64 {
    compiled.scenarios[0].metrics.routed.as_ref().unwrap().max_channel_load()
}

/// The way from one to the other, with the tables in force.
fn staged(
    old: &CompiledFabric,
    new: &CompiledFabric,
    factor: f64,
) -> Result<(ForwardingTables, SwitchPlan, StagedPlan), NoChange> {
    let mirrors = |compiled: &CompiledFabric| compiled.pod.as_ref().unwrap().cross_connects.mirrors();
    let (pod, tables, built) =
        (new.fabric.pod().unwrap(), routed(old).tables.unpacked(), routed(new).tables.unpacked());
    let loads = [most_moves(old), most_moves(new)];
    let planned = PlannedChange {
        fabric: &new.fabric,
        pod,
        live: &mirrors(old),
        plan: &plan::plan(pod, &mirrors(old), &mirrors(new)),
        tables: &tables,
        ranks: routed(old).proof.ranks(),
        topology: &new.topology,
        built: RankedTables { tables: &built, ranks: routed(new).proof.ranks() },
        own_order: false,
        lengths: &new.scenarios[0].lengths.lengths,
        loads,
        limit: (factor * loads[0].max(loads[1]) as f64) as u64,
    };
    let (plan, staged) = planned.staged(&Silent)?;
    Ok((tables, plan, staged))
}

#[test]
fn at_every_moment_every_packet_arrives() {
    let mut mixes = Mixes::new(3);
    let (mut batches, mut waits) = (0, 0);
    for names in topologies() {
        let compiled_pods = names.map(|topology| compiled(&pod(topology)));
        for (from, to) in [(0, 1), (1, 0)] {
            let (old, new) = (&compiled_pods[from], &compiled_pods[to]);
            for factor in [1.3, 10.0] {
                let (in_force, plan, staged) = match staged(old, new, factor) {
                    Ok(found) => found,
                    Err(NoChange::TooMuch { load, .. }) => {
                        assert!(
                            factor < 2.0
                                && load.is_none_or(|load| load > most_moves(old).max(most_moves(new))),
                            "{names:?} {load:?}"
                        );
                        continue;
                    }
                    Err(error) => panic!("{names:?}: {error:?}"),
                };
                let pod = new.fabric.pod().unwrap();
                let live = old.pod.as_ref().unwrap().cross_connects.mirrors();
                let mut tables = Delta::default().applied(&in_force, &[], "change");
                let mut mirrors = live;
                assert_eq!(
                    staged.stages.iter().map(|stage| stage.steps.len()).sum::<usize>(),
                    plan.steps.len()
                );
                let changes = staged.stages.iter().map(|stage| (&stage.tables, stage.steps.clone()));
                for (change, steps) in changes.chain(staged.last.iter().map(|change| (change, 0..0))) {
                    let largest_move = most_moves(old).max(most_moves(new)) as f64;
                    assert!(
                        steps.is_empty() || change.load as f64 <= factor * largest_move,
                        "{names:?} {}",
                        change.load
                    );
                    let topology = synth::topology_from_mirrors(&new.fabric, pod, &mirrors);
                    // All that is to be removed is lit until nothing comes there any more.
                    let mut delta = change.delta.clone();
                    waits += delta.stranded.len();
                    delta.stranded.clear();
                    let arrived = mixes.arrived;
                    mixes.walk(&Scene::healthy(&topology), &tables, &delta);
                    assert!(mixes.arrived > arrived || delta.routers.is_empty());
                    tables = delta.applied(&tables, &[], "change");
                    mirrors = mirrors_after(&mirrors, &plan.steps[steps]);
                    batches += 1;
                }
                assert_eq!(mirrors, new.pod.as_ref().unwrap().cross_connects.mirrors());
            }
        }
    }
    assert!(batches > 20 && waits > 0 && mixes.arrived > 100_000, "{batches} {waits} {}", mixes.arrived);
}

/// Old and new tables with different orders must not be mixed: the dependencies of both can close cycles.
#[test]
fn independent_orders_wait_in_cycles() {
    let waits = |compiled: &CompiledFabric, graph: &mut DiGraphMap<(usize, u8), ()>| {
        let (topology, tables) = (&compiled.topology, routed(compiled).tables.unpacked());
        for node in topology.nodes() {
            for entry in tables.router(node).into_iter().filter(|entry| entry.in_port >= 0) {
                let arriving = topology
                    .channels_into(node)
                    .find(|&channel| topology.target(channel).port.index() == entry.in_port as usize);
                let from = topology.source(arriving.unwrap());
                let slot = |node: fabc::ids::NodeId, port: usize| node.index() * topology.ports() + port;
                let held = (slot(from.node, from.port.index()), entry.in_vc as u8);
                graph.add_edge(held, (slot(node, usize::from(entry.out_port)), entry.out_vc), ());
            }
        }
    };
    let mut cycles = 0;
    for names in topologies() {
        let pods = names.map(|topology| compiled(&pod(topology)));
        let mut joined_graph = DiGraphMap::new();
        for one_pod in &pods {
            let mut alone = DiGraphMap::new();
            waits(one_pod, &mut alone);
            assert!(!is_cyclic_directed(&alone));
            waits(one_pod, &mut joined_graph);
        }
        cycles += usize::from(is_cyclic_directed(&joined_graph));
    }
    assert!(cycles > 0);
}

/// A pod of four cubes, built as `out/pod`.
fn built_pod(items: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let spec = pod("synthesize { symmetry = translation; effort = 1; seed = 1; }").with(items);
    std::fs::write(place.path().join("pod.fab"), spec.named("pod").text()).unwrap();
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    place
}

/// Two pods, built as `out/old` and `out/new`. The tables of the new one do not rise by the ranks of the old.
fn built() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, topology) in [("old", topologies()[2][0]), ("new", topologies()[2][1])] {
        std::fs::write(place.path().join("pod.fab"), pod(topology).named(name).text()).unwrap();
        fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    }
    place
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .unwrap()
}

#[test]
fn from_outside() {
    let place = built();
    let way = ["plan", "out/new", "--live", "out/old", "--out", "way"];
    let (text, _) = fabc(place.path(), &[&way[..], &["--load", "1.5"]].concat(), 2);
    assert!(text.contains("under one order: load") && text.contains("  end  load"), "{text}");
    let plan = read(&place.path().join("way/plan.json"));
    let stages = plan["stages"].as_array().unwrap();
    assert!(stages.len() > 1, "{text}");
    let (json, _) =
        fabc(place.path(), &[&way[..], &["--load", "1.5", "--json", "--threads", "1"]].concat(), 2);
    assert_eq!(
        json.trim_end(),
        std::fs::read_to_string(place.path().join("way/plan.json")).unwrap().trim_end()
    );
    let (text, _) = judge(&place, 0);
    assert!(
        text.contains("verified way from out/old to out/new") && text.contains("every packet arrives"),
        "{text}"
    );
    start_from_running_tables(&place);
    convict_changed_tables(&place);
    convict_changed_plans(&place);
    judge(&place, 0);
}

/// `fabc verify` of the plan between the two fabrics.
fn judge(place: &tempfile::TempDir, code: i32) -> (String, String) {
    fabc(place.path(), &["verify", "out/new", "--plan", "way", "--from", "out/old"], code)
}

/// After the plan the last tables run, under the old order: repairs and the next plan start from them.
fn start_from_running_tables(place: &tempfile::TempDir) {
    let running = ["--running", "way"];
    fabc(
        place.path(),
        &[&["repair", "out/new", "--down", "cube1[0,0,0]", "--out", "fixed"][..], &running].concat(),
        0,
    );
    assert_eq!(read(&place.path().join("fixed/repair.json"))["live"], true);
    fabc(place.path(), &[&["verify", "out/new", "--repair", "fixed"][..], &running].concat(), 0);
    fabc(place.path(), &["verify", "out/new", "--repair", "fixed"], 3);
    fabc(
        place.path(),
        &[&["plan", "out/old", "--live", "out/new", "--out", "back", "--load", "2"][..], &running].concat(),
        2,
    );
    let back = ["verify", "out/old", "--plan", "back", "--from", "out/new"];
    fabc(place.path(), &[&back[..], &running].concat(), 0);
    fabc(place.path(), &back, 3);
}

/// Changes a file of the plan, and expects an error.
fn convict_changed(place: &tempfile::TempDir, path: &str, change: &dyn Fn(&mut Value)) {
    let path = place.path().join("way").join(path);
    let text = std::fs::read(&path).unwrap();
    let mut value: Value = serde_json::from_slice(&text).unwrap();
    change(&mut value);
    assert!(value != serde_json::from_slice::<Value>(&text).unwrap());
    std::fs::write(&path, value.to_string()).unwrap();
    judge(place, 3);
    std::fs::write(&path, text).unwrap();
}

/// Every change of the entries of a stage is an error.
fn convict_changed_tables(place: &tempfile::TempDir) {
    for stage in ["stage-01", "stage-02", "final"] {
        for pass in ["add", "turn", "drop"] {
            convict_changed(place, &format!("{stage}/delta.json"), &|delta| {
                let routers = delta["routers"].as_array_mut().unwrap();
                let list = routers
                    .iter_mut()
                    .map(|router| router[pass].as_array_mut().unwrap())
                    .find(|list| !list.is_empty());
                list.unwrap().remove(0);
            });
        }
        // An entry that goes elsewhere. One more key is dropped.
        convict_changed(place, &format!("{stage}/delta.json"), &|delta| {
            let router = delta["routers"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .find(|router| router["add"] != Value::Array(Vec::new()));
            let port = &mut router.unwrap()["add"][0][3];
            *port = ((port.as_u64().unwrap() + 1) % 6).into();
        });
        convict_changed(place, &format!("{stage}/tables.json"), &|tables| {
            tables["routers"][3]["entries"].as_array_mut().unwrap().pop();
        });
    }
}

/// Every change of the ranks, loads, stages and steps of the plan is an error.
fn convict_changed_plans(place: &tempfile::TempDir) {
    let convict = |change: &dyn Fn(&mut Value)| convict_changed(place, "plan.json", change);
    convict(&|plan| {
        let ranks = plan["ranks"].as_array_mut().unwrap();
        let other_rank = ranks.iter().position(|rank| *rank != ranks[0]).unwrap();
        ranks.swap(0, other_rank);
    });
    convict(&|plan| plan["stages"][0]["load"] = (plan["stages"][0]["load"].as_u64().unwrap() + 1).into());
    convict(&|plan| plan["final"][0]["load"] = (plan["final"][0]["load"].as_u64().unwrap() - 1).into());
    convict(&|plan| plan["stages"][1]["keys_most"] = 1.into());
    convict(&|plan| plan["load"]["old"] = 1.into());
    convict(&|plan| drop(plan["stages"].as_array_mut().unwrap().remove(0)));
    convict(&|plan| {
        let stages = plan["stages"].as_array_mut().unwrap();
        let (first, second) = (stages[0]["steps"].clone(), stages[1]["steps"].clone());
        (stages[0]["steps"], stages[1]["steps"]) = (second, first);
    });
    convict(&|plan| {
        let stages = plan["stages"].as_array_mut().unwrap();
        let (first, second) = (stages[0]["delta"].clone(), stages[1]["delta"].clone());
        (stages[0]["delta"], stages[1]["delta"]) = (second, first);
    });
    convict(&|plan| {
        let end = plan["stages"][0]["steps"][1].as_u64().unwrap();
        plan["stages"][0]["steps"][1] = (end + 1).into();
        plan["stages"][1]["steps"][0] = (end + 2).into();
    });
    convict(&|plan| {
        let steps = plan["groups"][0]["steps"].as_array_mut().unwrap();
        let last = steps.len() - 1;
        steps.swap(0, last);
    });
    convict(&|plan| drop(plan["groups"].as_array_mut().unwrap().pop()));
    convict(&|plan| plan["groups"][0]["ocs"] = plan["groups"][1]["ocs"].clone());
}

/// With twice the virtual channels the last tables are those of the build, byte by byte as routers see them.
#[test]
fn a_new_order_comes_by_blocks_of_virtual_channels() {
    let place = built();
    let (text, _) = fabc(
        place.path(),
        &["plan", "out/new", "--live", "out/old", "--out", "way", "--load", "1.5", "--order", "new"],
        2,
    );
    assert!(
        text.contains("end into virtual channels 2 to 3")
            && text.contains("end back to virtual channels 0 to 1"),
        "{text}"
    );
    let judge =
        |code: i32| fabc(place.path(), &["verify", "out/new", "--plan", "way", "--from", "out/old"], code);
    judge(0);
    let path = place.path().join("way/plan.json");
    let plan = read(&path);
    let last = plan["final"].as_array().unwrap();
    assert_eq!(
        last.iter().map(|line| line["order"].as_str().unwrap()).collect::<Vec<_>>(),
        ["above", "below"]
    );
    assert_eq!((&last[1]["load"], &plan["load"]["new"]), (&plan["load"]["new"], &plan["load"]["new"]));
    // The files of an earlier plan are replaced as a whole.
    fabc(
        place.path(),
        &["plan", "out/new", "--live", "out/old", "--out", "way", "--load", "1.5", "--order", "new"],
        2,
    );
    // The files alone say which tables may be mixed.
    for (index, order) in [(0, "kept"), (0, "below"), (1, "above"), (1, "kept")] {
        let mut tampered = plan.clone();
        tampered["final"][index]["order"] = order.into();
        std::fs::write(&path, tampered.to_string()).unwrap();
        judge(3);
    }
    // The injected keys are what routers turn, one by one, in any order.
    let delta = read(&place.path().join("way/above/delta.json"));
    let turned =
        delta["routers"].as_array().unwrap().iter().flat_map(|router| router["turn"].as_array().unwrap());
    assert!(turned.clone().count() > 0 && turned.clone().all(|entry| entry[1] == -1), "{delta}");
    let spec = pod(topologies()[2][1])
        .with("chip { radix = 6; vcs = 2; flit = 64 B; buffer = 100 flits; latency = 10 cycles; }");
    std::fs::write(place.path().join("pod.fab"), spec.named("narrow").text()).unwrap();
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    let (_, err) =
        fabc(place.path(), &["plan", "out/narrow", "--live", "out/old", "--out", "way", "--order", "new"], 3);
    assert!(
        err.contains("the live and the new tables together need 4 virtual channels, but a chip has 2"),
        "{err}"
    );
    // Nor does the checker take such a plan from others.
    let mut tampered = plan.clone();
    tampered["fabric"] = "narrow".into();
    std::fs::write(&path, tampered.to_string()).unwrap();
    let (_, err) = fabc(place.path(), &["verify", "out/narrow", "--plan", "way", "--from", "out/old"], 3);
    assert!(err.contains("two orders side by side take more virtual channels than a router has"), "{err}");
    // Nor one between builds that use unlike numbers of them.
    let first_pod =
        pod(topologies()[2][0]).with("budget { vcs = 1; faults = 0; }").with("routing = up_down;");
    std::fs::write(place.path().join("pod.fab"), first_pod.named("one").text()).unwrap();
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    fabc(place.path(), &["plan", "out/old", "--live", "out/one", "--out", "same", "--load", "9"], 2);
    let path = place.path().join("same/plan.json");
    let mut other_plan = read(&path);
    other_plan["final"] = plan["final"].clone();
    std::fs::write(&path, other_plan.to_string()).unwrap();
    let (_, err) = fabc(place.path(), &["verify", "out/old", "--plan", "same", "--from", "out/one"], 3);
    assert!(
        err.contains("two orders side by side need two builds that use equally many virtual channels"),
        "{err}"
    );
}

#[test]
fn mistakes_are_told() {
    let place = built();
    let plan = |args: &[&str], code: i32| fabc(place.path(), &[&["plan"][..], args].concat(), code).1;
    let err = plan(&["out/new", "--live", "out/old/ocs.json", "--out", "way"], 1);
    assert!(err.contains("error[FAB0510]") && err.contains("needs the live tables"), "{err}");
    let err = plan(&["out/old", "--live", "out/new", "--out", "way", "--load", "1"], 3);
    assert!(
        err.contains("error[FAB0581]: there are no tables for the change: without the cross-connect of"),
        "{err}"
    );
    plan(&["out/new", "--live", "out/old", "--out", "way", "--load", "0.5"], 2);
    plan(&["out/new", "--live", "out/old", "--load", "1.5"], 2);
    std::fs::create_dir(place.path().join("mine")).unwrap();
    std::fs::write(place.path().join("mine/notes.txt"), "mine").unwrap();
    let err = plan(&["out/new", "--live", "out/old", "--out", "mine", "--load", "3"], 1);
    assert!(err.contains("error[FAB0504]") && err.contains("`notes.txt`"), "{err}");
    assert!(!place.path().join("way").exists());
    // Nothing to change, or nothing but tables: the same topology, routed otherwise.
    let (text, _) = fabc(place.path(), &["plan", "out/new", "--live", "out/new", "--out", "way"], 0);
    assert!(
        text.contains("nothing to change") && text.contains("0 entries added, 0 turned, 0 dropped"),
        "{text}"
    );
    let other_pod = pod(topologies()[2][1]).with("routing = up_down;").named("other");
    std::fs::write(place.path().join("pod.fab"), other_pod.text()).unwrap();
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    let (text, _) =
        fabc(place.path(), &["plan", "out/other", "--live", "out/new", "--out", "way", "--order", "new"], 2);
    assert!(text.contains("0 batches and a new order"), "{text}");
    fabc(place.path(), &["verify", "out/other", "--plan", "way", "--from", "out/new"], 0);
    // A budget that is smaller, other cubes, tables that look at destinations alone.
    let build = |name: &str, spec: SpecText| {
        std::fs::write(place.path().join("pod.fab"), spec.named(name).text()).unwrap();
        fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    };
    build("one", pod(topologies()[1][1]).with("budget { vcs = 1; faults = 0; }"));
    let err = plan(&["out/one", "--live", "out/old", "--out", "way"], 3);
    assert!(
        err.contains("the live tables use 2 virtual channels, but the budget of the new pod has 1"),
        "{err}"
    );
    build("by_dst", pod(topologies()[1][1]).with("routing = allowed_turns { key = dst; }"));
    let err = plan(&["out/new", "--live", "out/by_dst", "--out", "way"], 1);
    assert!(err.contains("error[FAB0575]"), "{err}");
}
