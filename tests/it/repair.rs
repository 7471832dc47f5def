//! Repairs: what they serve against all rising ways, mixes of old and new tables, what the checker convicts,
//! and the command from outside.

mod blocks;

use crate::support::command;
use crate::support::mixes;
use crate::support::spec_text;
use command::fabc;
use fabc::check;
use fabc::compile::repair::{Broken, Effort, LiveTables, ProvedRepair, repair};
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::ids::{ChannelId, Id, LinkId, NodeId};
use fabc::ir::{Delta, EntryKey, ForwardingTables, Repair, RepairStep, Scene, Topology};
use fabc::passes::repair::{RankedTables, repair_locally};
use fabc::progress::Silent;
use fabc::random::Stream;
use mixes::Mixes;
use serde_json::Value;
use spec_text::SpecText;
use std::collections::BTreeSet;

fn compiled(spec: &SpecText) -> CompiledFabric {
    let text = spec.text();
    let loader = |_: &str| Ok(text.clone());
    let (fabric, ..) = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"));
    compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// The healthy tables, their ranks, and the lengths of channels.
fn live_tables(compiled: &CompiledFabric) -> (ForwardingTables, Vec<u32>, Vec<u64>) {
    let nominal = &compiled.scenarios[0];
    let routed = nominal.routed.as_ref().unwrap();
    (routed.tables.unpacked(), routed.proof.ranks().to_vec(), nominal.lengths.lengths.clone())
}

/// The network without some links and routers.
fn scene<'a>(topology: &'a Topology, links: &BTreeSet<LinkId>, routers: &BTreeSet<NodeId>) -> Scene<'a> {
    let lit = topology.links().enumerate().map(|(id, link)| {
        !links.contains(&id) && !routers.contains(&link.a.node) && !routers.contains(&link.b.node)
    });
    Scene { topology, lit: lit.collect(), dead: routers.iter().copied().collect() }
}

/// Some links and routers of a topology. Now and then one that splits it, which is taken again.
fn random_set(topology: &Topology, random: &mut Stream) -> (BTreeSet<LinkId>, BTreeSet<NodeId>) {
    loop {
        let links: BTreeSet<LinkId> =
            (0..random.below(5)).map(|_| LinkId::new(random.below(topology.links().len()))).collect();
        let routers: BTreeSet<NodeId> =
            (0..random.below(3)).map(|_| NodeId::new(random.below(topology.node_count()))).collect();
        if check::connected_parts(&scene(topology, &links, &routers)).len() == 1 {
            return (links, routers);
        }
    }
}

/// The rank of a (channel, virtual channel).
fn rank(topology: &Topology, tables: &ForwardingTables, ranks: &[u32], channel: ChannelId, vc: usize) -> u32 {
    ranks[topology.channel_class(&tables.symmetry, channel).index() * usize::from(tables.vcs) + vc]
}

/// Whether a way of rising rank leads from one router to another, by trying all.
fn rises(scene: &Scene<'_>, tables: &ForwardingTables, ranks: &[u32], src: NodeId, dst: NodeId) -> bool {
    let mut open: Vec<(ChannelId, usize)> = Vec::new();
    let mut seen = BTreeSet::new();
    let vcs = usize::from(tables.vcs);
    open.extend(scene.channels_from(src).flat_map(|channel| (0..vcs).map(move |vc| (channel, vc))));
    while let Some((channel, vc)) = open.pop() {
        let router = scene.topology.target(channel).node;
        if router == dst {
            return true;
        }
        if !seen.insert((channel, vc)) {
            continue;
        }
        let held = rank(scene.topology, tables, ranks, channel, vc);
        let next = scene.channels_from(router).flat_map(|channel| (0..vcs).map(move |vc| (channel, vc)));
        open.extend(next.filter(|&(channel, vc)| rank(scene.topology, tables, ranks, channel, vc) > held));
    }
    false
}

fn pods() -> Vec<SpecText> {
    let torus = SpecText::pod([2, 2, 2], 2).with("topology = torus 2 x 2 x 4;");
    let small = SpecText::pod([2, 2, 1], 3);
    let mut specs_in_use = vec![
        torus,
        SpecText::pod([2, 2, 2], 4),
        SpecText::network("hyperx 3 x 4;").with("routing = allowed_turns;"),
    ];
    specs_in_use
        .extend([1, 2, 3].map(|vcs| small.clone().with(&format!("budget {{ vcs = {vcs}; faults = 0; }}"))));
    specs_in_use
}

#[test]
fn a_repair_serves_whom_a_rising_way_reaches() {
    let mut served = [0, 0];
    for (index, spec) in pods().iter().enumerate() {
        let compiled = compiled(spec);
        let (tables, ranks, _) = live_tables(&compiled);
        let mut random = Stream::new(7, index as u64);
        for _ in 0..25 {
            let (links, routers) = random_set(&compiled.topology, &mut random);
            let scene = scene(&compiled.topology, &links, &routers);
            let endpoint_nodes: Vec<NodeId> = scene.endpoints().collect();
            let pairs = endpoint_nodes
                .iter()
                .flat_map(|&src| endpoint_nodes.iter().map(move |&dst| (src, dst)))
                .filter(|(src, dst)| src != dst);
            let lost = pairs.filter(|&(src, dst)| !rises(&scene, &tables, &ranks, src, dst)).count() as u64;
            let repair = repair_locally(
                &scene,
                &compiled.fabric.demand,
                RankedTables { tables: &tables, ranks: &ranks },
                2,
            );
            assert_eq!(
                repair.as_ref().err().map_or(0, |no_way| no_way.pairs),
                lost,
                "{index} {links:?} {routers:?}"
            );
            served[usize::from(lost > 0)] += 1;
        }
    }
    // Both happen.
    assert!(served[0] > 50 && served[1] > 0, "{served:?}");
}

/// A scene to repair, without prepared tables.
fn broken<'a>(
    compiled: &'a CompiledFabric,
    scene: &'a Scene<'a>,
    tables: &'a ForwardingTables,
    ranks: &'a [u32],
    lengths: &'a [u64],
) -> Broken<'a> {
    Broken {
        fabric: &compiled.fabric,
        down: Vec::new(),
        scene,
        served: scene,
        tables,
        ranks,
        lengths,
        covered: None,
        since: None,
        unserved: 0,
    }
}

#[test]
fn in_any_mix_packets_arrive_and_nothing_waits_in_a_cycle() {
    let mut mixes = Mixes::new(8);
    let mut again = 0;
    for spec in pods().iter().enumerate().filter(|(index, _)| *index != 3).map(|(_, spec)| spec) {
        let compiled = compiled(spec);
        let topology = &compiled.topology;
        let (tables, ranks, lengths) = live_tables(&compiled);
        let nominal = check::ranks_by_port(topology, &tables.symmetry, usize::from(tables.vcs), &ranks);
        for effort in [Effort::Local, Effort::Local, Effort::Full] {
            let (links, routers) = random_set(topology, &mut mixes.random);
            let first = scene(topology, &links, &routers);
            let mut broken = broken(&compiled, &first, &tables, &ranks, &lengths);
            let ProvedRepair { repair: one, walk, .. } = repair(&broken, effort, &Silent).unwrap();
            let endpoint_count = first.endpoints().count() as u64;
            assert_eq!(walk.pairs, endpoint_count * (endpoint_count - 1));
            if one.warm {
                mixes.walk(&first, &tables, &one.delta);
            }
            // Something else breaks, and what broke is healed: the changes from the tables that are in force.
            let (links, routers) = random_set(topology, &mut mixes.random);
            let second = scene(topology, &links, &routers);
            let new_tables = one.delta.applied(&tables, &first.dead, "repair");
            let all_ranks = one.ranks.clone().unwrap_or_else(|| nominal.clone());
            broken.since = Some(LiveTables {
                down: Vec::new(),
                tables: new_tables.clone(),
                ranks: one.ranks,
                all_ranks,
            });
            (broken.scene, broken.served) = (&second, &second);
            let two = repair(&broken, effort, &Silent).unwrap().repair;
            broken.since = None;
            let fresh = repair(&broken, effort, &Silent).unwrap().repair;
            // The tables do not depend on where they come from.
            let then = |delta: &Delta, tables| delta.applied(tables, &second.dead, "repair").routers;
            assert_eq!(then(&two.delta, &new_tables), then(&fresh.delta, &tables));
            if two.warm {
                again += 1;
                mixes.walk(&second, &new_tables, &two.delta);
            }
        }
    }
    assert!(mixes.arrived > 100_000 && again > 5, "{} {again}", mixes.arrived);
    assert!(mixes.stranded > 0, "no key was ever stranded");
}

#[test]
fn nothing_down_is_nothing_changed() {
    let compiled = compiled(&pods()[1]);
    let (tables, ranks, _) = live_tables(&compiled);
    let scene = Scene::healthy(&compiled.topology);
    let repair =
        repair_locally(&scene, &compiled.fabric.demand, RankedTables { tables: &tables, ranks: &ranks }, 2)
            .unwrap();
    assert_eq!((repair.delta, repair.highest_before), (Delta::default(), repair.highest_after));
}

#[test]
fn every_tampered_change_is_convicted() {
    let compiled = compiled(&pods()[1]);
    let (tables, ranks, lengths) = live_tables(&compiled);
    let links = BTreeSet::from([LinkId(3), LinkId(40)]);
    let scene = scene(&compiled.topology, &links, &BTreeSet::new());
    let broken = broken(&compiled, &scene, &tables, &ranks, &lengths);
    let ProvedRepair { repair: true_one, .. } = repair(&broken, Effort::Local, &Silent).unwrap();
    assert_eq!(true_one.step, RepairStep::Local);
    let judge =
        |claimed: &Repair| check::verify_repair(&compiled.fabric, &scene, (&tables, &ranks), None, claimed);
    assert!(judge(&true_one).is_ok());
    let mut tried = 0;
    for index in 0..true_one.delta.routers.len() {
        for kind in 0..6 {
            let mut claimed = true_one.clone();
            let router = &mut claimed.delta.routers[index];
            let changed = match kind {
                // Left out.
                0 => router.add.pop().is_some(),
                1 => router.turn.pop().is_some(),
                2 => router.drop.pop().is_some(),
                // An entry for another destination.
                3 => router.add.first_mut().map(|entry| entry.dst = NodeId((entry.dst.0 + 1) % 32)).is_some(),
                4 => {
                    router.turn.first_mut().map(|entry| entry.dst = NodeId((entry.dst.0 + 1) % 32)).is_some()
                }
                // An entry in the wrong pass.
                _ => router.add.pop().map(|entry| router.turn.push(entry)).is_some(),
            };
            if changed {
                tried += 1;
                assert!(judge(&claimed).is_err(), "router {index}, {kind}");
            }
        }
    }
    assert!(tried > 40, "{tried}");
    let mut claimed = true_one.clone();
    claimed.loads.repaired -= 1;
    assert!(judge(&claimed).is_err());
    let mut claimed = true_one.clone();
    let served = (NodeId(1), EntryKey { dst: NodeId(0), in_port: -1, in_vc: -1 });
    claimed.delta.stranded.push(served);
    assert!(judge(&claimed).is_err());
    let mut claimed = true_one;
    claimed.unserved = 2;
    assert!(judge(&claimed).is_err());
    // Ranks of the other direction are no proof.
    let reversed: Vec<u32> = ranks.iter().map(|rank| u32::MAX - rank).collect();
    let mut claimed = repair(&broken, Effort::Local, &Silent).unwrap().repair;
    claimed.ranks = Some(reversed);
    assert!(judge(&claimed).is_err());
}

/// Without an option, a repair has the lowest load of all efforts, and the output has the other one.
#[test]
fn the_effort_is_chosen_by_load() {
    let place = built(&SpecText::pod([2, 2, 2], 4));
    let down = ["--down", "cube0[0,0,0].+x", "--down", "cube1[0,1,0]", "--down", "X[0,1]"];
    let load_of = |effort: &[&str]| {
        let args = [&["repair", "out/pod", "--out", "fixed"][..], &down, effort].concat();
        let (text, _) = fabc(place.path(), &args, 0);
        fabc(place.path(), &["verify", "out/pod", "--repair", "fixed"], 0);
        let head = read(&place, "fixed/repair.json");
        (head["load"]["repaired"].as_u64().unwrap(), head["step"].clone(), text)
    };
    let [local, full] = ["local", "full"].map(|effort| load_of(&["--effort", effort]));
    let (auto, step, text) = load_of(&[]);
    assert!(auto <= local.0.min(full.0), "{text}");
    assert_eq!((&local.1, &full.1), (&"local".into(), &"full".into()));
    let other = if step == "local" { "(`--effort full`)" } else { "(`--effort l" };
    assert!(step == "new_order" || text.contains(other), "{text}");
    assert!(local.2.lines().all(|line| !line.contains("--effort")), "{}", local.2);
    assert!(full.2.contains("(`--effort local`) gives load"), "{}", full.2);
    // The text says how long the repair took.
    let (again, same_step, _) = load_of(&["--effort", "auto"]);
    assert_eq!((again, same_step), (auto, step));
}

/// A pod that tolerates a dark switch, built.
fn built(spec: &SpecText) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), spec.text()).unwrap();
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    place
}

fn read(place: &tempfile::TempDir, path: &str) -> Value {
    serde_json::from_slice(&std::fs::read(place.path().join(path)).unwrap()).unwrap()
}

/// Changes the first `from` of a file of the repair in `fixed` to `to`, which `fabc verify` convicts, and
/// changes it back.
fn convict_change(place: &tempfile::TempDir, path: &str, from: &str, to: &str) {
    let path = place.path().join(path);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    fabc(place.path(), &["verify", "out/pod", "--repair", "fixed"], 3);
    std::fs::write(&path, text).unwrap();
}

#[test]
fn from_outside() {
    let place = built(&SpecText::pod([2, 2, 2], 4));
    let repaired = |down: &[&str], more: &[&str], code: i32| {
        let down: Vec<&str> = down.iter().flat_map(|name| ["--down", name]).collect();
        fabc(place.path(), &[&["repair", "out/pod", "--out", "fixed"][..], &down, more].concat(), code)
    };
    // A fault of the budget: the tables are those of the build.
    let (text, _) = repaired(&["X[0,0]"], &[], 0);
    assert!(text.contains("the build has tables for this, those of X[0,0]"), "{text}");
    let [fixed, there] =
        ["fixed/tables.json", "out/pod/tables/fault-X_0_0.json"].map(|path| read(&place, path));
    let load = |file: &Value| file["routers"][0]["entries"].clone();
    assert_eq!(load(&fixed), load(&there));
    let head = read(&place, "fixed/repair.json");
    assert_eq!(
        (&head["step"], &head["scenario"], &head["order"]),
        (&"covered".into(), &"X[0,0]".into(), &"nominal".into())
    );
    // Beyond it: in the order of names whatever was typed, the same bytes on one thread.
    let local = ["--effort", "local"];
    let (text, _) = repaired(&["cube1[0, 1, 0]", "X[0,1]", "cube0[0,0,0].+x"], &local, 0);
    assert!(text.contains("3 parts from X[0,1] to cube1[0,1,0]: broken routes are replaced"), "{text}");
    let first = std::fs::read(place.path().join("fixed/delta.json")).unwrap();
    let one_thread = ["--effort", "local", "--threads", "1"];
    repaired(&["cube0[0,0,0].+x", "cube1[0,1,0]", "X[0,1]"], &one_thread, 0);
    assert_eq!(first, std::fs::read(place.path().join("fixed/delta.json")).unwrap());
    let (text, _) = fabc(place.path(), &["verify", "out/pod", "--repair", "fixed"], 0);
    assert!(text.starts_with("verified fixed on out/pod: 930 routes of "), "{text}");
    // All routes once more: no higher load.
    let local_head = read(&place, "fixed/repair.json");
    repaired(&["cube0[0,0,0].+x", "cube1[0,1,0]", "X[0,1]"], &["--effort", "full"], 0);
    let full = read(&place, "fixed/repair.json");
    assert!(
        full["load"]["repaired"].as_u64() <= local_head["load"]["repaired"].as_u64()
            && full["step"] == "full",
        "{full}"
    );
    fabc(place.path(), &["verify", "out/pod", "--repair", "fixed"], 0);
    // A changed byte of any file is convicted.
    for (path, from, to) in [
        ("fixed/repair.json", "\"unserved\":0", "\"unserved\":2"),
        ("fixed/repair.json", "\"order\":\"nominal\"", "\"order\":\"new\""),
        ("fixed/delta.json", "\"router\":1,", "\"router\":2,"),
        ("fixed/tables.json", "\"vcs\":2", "\"vcs\":1"),
    ] {
        convict_change(&place, path, from, to);
    }
    // The next fault, from the tables that are in force by now: the same tables, and the way to them.
    let earlier = ["--from", "first"];
    fabc(place.path(), &["repair", "out/pod", "--down", "cube0[0,0,0].+x", "--out", "first"], 0);
    repaired(&["cube0[0,0,0].+x", "cube3[1,1,1]"], &[], 0);
    let fresh = std::fs::read(place.path().join("fixed/tables.json")).unwrap();
    let (text, _) = repaired(&["cube0[0,0,0].+x", "cube3[1,1,1]"], &earlier, 0);
    assert!(text.contains("from the live tables without cube0[0,0,0].+x"), "{text}");
    assert_eq!(fresh, std::fs::read(place.path().join("fixed/tables.json")).unwrap());
    fabc(place.path(), &[&["verify", "out/pod", "--repair", "fixed"][..], &earlier].concat(), 0);
    let (_, err) = fabc(place.path(), &["verify", "out/pod", "--repair", "fixed"], 3);
    assert!(err.contains("the changes start from an earlier repair, which `--from` must name"), "{err}");
    repaired(&["X[0,1]"], &[], 0);
    let (_, err) =
        fabc(place.path(), &[&["verify", "out/pod", "--repair", "fixed"][..], &earlier].concat(), 3);
    assert!(err.contains("do not start from the repair that `--from` names"), "{err}");
    // A whole cube. Then its neighbors' last links, which cuts one chip off.
    repaired(&["cube2"], &[], 0);
    let dark = ["+x", "-x", "+y", "-y", "+z", "-z"].map(|port| format!("cube0[0,0,0].{port}"));
    let dark: Vec<&str> = dark.iter().map(String::as_str).collect();
    let (_, err) = repaired(&dark, &[], 3);
    assert!(err.contains("error[FAB0574]: the surviving network is disconnected into 2 parts: 31 chips from cube0[1,0,0] to cube3[1,1,1]; cube0[0,0,0]"), "{err}");
    let (text, _) = repaired(&dark, &["--partial"], 0);
    assert!(text.contains("62 ordered pairs of chips are cut off from each other"), "{text}");
    fabc(place.path(), &["verify", "out/pod", "--repair", "fixed"], 0);
}

#[test]
fn mistakes_are_told() {
    let place = built(&SpecText::pod([2, 2, 2], 2).with("budget { vcs = 2; faults = 0; }"));
    let repaired = |down: &str, code: i32| {
        fabc(place.path(), &["repair", "out/pod", "--out", "fixed", "--down", down], code).1
    };
    for name in ["X[9,9]", "cube7", "cube0[0,0,9]", "cube0[0,0,0].up", "", "cube0[0,0,0]."] {
        let err = repaired(name, 2);
        assert!(
            err.contains(&format!(
                "error[FAB0572]: there is no switch, router, link or block of routers `{name}`"
            )),
            "{err}"
        );
    }
    let error = |down: &str| -> Value {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fabc"));
        command.current_dir(place.path()).args([
            "repair",
            "out/pod",
            "--out",
            "fixed",
            "--down",
            down,
            "--message-format",
            "json",
        ]);
        serde_json::from_slice(&command.output().unwrap().stderr).unwrap()
    };
    let hint = "there are switches `X[0,0]` to `X[1,1]`, `Y[0,0]` to `Y[1,1]`, `Z[0,0]` to `Z[1,1]`; chips `cube0[0,0,0]` to \
                `cube1[1,1,1]`; links such as `cube0[0,0,0].+x`; all of `cube0` to `cube1`";
    assert_eq!((&error("cube7")["code"], &error("cube7")["help"]), (&"FAB0572".into(), &hint.into()));
    assert_eq!(error("Y[9,9]")["help"], "switches of this group are `Y[0,0]` to `Y[1,1]`");
    let ports = ["+x", "-x", "+y", "-y", "+z", "-z"].map(|port| format!("`cube0[0,0,0].{port}`")).join(", ");
    assert_eq!(error("cube0[0,0,0].up")["help"], format!("links of this router are {ports}"));
    let (_, err) =
        fabc(place.path(), &["repair", "out/pod", "--out", "fixed", "--down", "cube0", "--down", "cube1"], 2);
    assert!(err.contains("error[FAB0573]: fewer than two chips survive these failures"), "{err}");
    std::fs::create_dir(place.path().join("mine")).unwrap();
    std::fs::write(place.path().join("mine/notes.txt"), "mine").unwrap();
    let (_, err) = fabc(place.path(), &["repair", "out/pod", "--out", "mine", "--down", "cube0[0,0,0]"], 2);
    assert!(err.contains("error[FAB0504]") && err.contains("`notes.txt`"), "{err}");
    assert!(!place.path().join("fixed").exists());
    let (_, err) = fabc(place.path(), &["repair", "nowhere", "--out", "fixed", "--down", "cube0"], 2);
    assert!(err.contains("error[FAB0510]"), "{err}");

    let place = built(&SpecText::network("hyperx 3 x 4;").named("pod"));
    let (_, err) = fabc(place.path(), &["repair", "out/pod", "--out", "fixed", "--down", "router[0,0]"], 2);
    assert!(err.contains("error[FAB0575]: these tables cannot be repaired"), "{err}");
}

/// The same again, from the tables in force: they have the order of the first repair, and keep it.
#[test]
fn a_repair_goes_on_from_a_new_order() {
    let place = built(
        &SpecText::network("torus 3;")
            .with("budget { vcs = 1; faults = 0; } routing = up_down;")
            .named("pod"),
    );
    let down = ["--down", "router[2].port1"];
    let repair = |out: &'static str, from: &[&'static str]| {
        fabc(place.path(), &[&["repair", "out/pod", "--out", out][..], &down, from].concat(), 0);
        read(&place, &format!("{out}/repair.json"))
    };
    let first = repair("first", &[]);
    let second = repair("second", &["--from", "first"]);
    assert_eq!((&first["step"], &second["step"]), (&"new_order".into(), &"new_order".into()));
    assert_eq!((&second["changed"], &second["ranks"]), (&serde_json::json!([0, 0, 0]), &first["ranks"]));
    fabc(place.path(), &["verify", "out/pod", "--repair", "second", "--from", "first"], 0);
    // A repair that claims the ranks of the healthy fabric has no ranks of its own.
    let mut head = second.clone();
    head["ranks"] = serde_json::Value::Null;
    std::fs::write(place.path().join("second/repair.json"), head.to_string()).unwrap();
    fabc(place.path(), &["verify", "out/pod", "--repair", "second", "--from", "first"], 3);
}
