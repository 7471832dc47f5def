//! Forged figures of kept simulations: by one who has fabc itself, and writes every file again that follows
//! from the forged count, digests and hashes as well.

use crate::support::plain;
use crate::support::shards::kept_path;
use crate::support::spec_text;
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::emit;
use fabc::progress::Silent;
use fabc::sim::{Completion, Delays, Point, Rate, Saturation, SimReport};
use fabc::syntax::{ast, print_spec};
use fabc::verify::{Remake, Unproved, directory_with};
use plain::fabc;
use spec_text::SpecText;
use std::collections::BTreeMap;
use std::path::Path;

/// Four leaves and two spines with next-hop groups. A link may fail.
fn spec_of_groups() -> String {
    SpecText::network("leaf_spine { leaves = 4; spines = 2; over = wire; }")
        .named("kept_groups")
        .with("router { radix = 8; hosts = 2; vcs = 2; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }")
        .with("budget { vcs = 1; faults = 1 link; } routing = ecmp { flows = 3; }")
        .with("simulate curve { rates = 0.1 .. 0.2 step 0.1; packet = 2 flits; warmup = 600 cycles; measure = 1600 cycles; scenarios = all; }")
        .with("simulate flits { model = flit; rates = 0.2; packet = 3 flits; warmup = 100 cycles; measure = 1000 cycles; scenarios = all; }")
        .text()
}

/// Boxes of two GPUs under rails. GPUs hand packets on, and links differ in bandwidth.
fn spec_of_boxes() -> String {
    "fabric kept_boxes { clock = 1 GHz;
        link nvlink { bandwidth = 200 GB/s; latency = 20 cycles; }
        link ib { bandwidth = 50 GB/s; latency = 40 cycles; }
        router { radix = 8; vcs = 1; flit = 64 B; buffer = 240 flits; latency = 60 cycles; }
        box two { gpus = 2; mesh over nvlink; nics = 2 over ib { ports = 2; } }
        boxes = 2 of two; topology = rails { planes = 2; }
        budget { vcs = 1; faults = 1 link; } routing = spray { relay = gpu { most = 2; } }
        simulate across { traffic = group_shift; rates = 0.1 .. 0.2 step 0.1; measure = 8000 cycles; scenarios = all; }
        simulate uniform { rates = 0.2; measure = 8000 cycles; scenarios = all; }
        require across.saturation >= 0.2;
    }"
    .to_owned()
}

/// Runs of next-hop groups and of boxes are made again, in the scenario of the fault as well.
#[test]
fn runs_of_next_hop_groups_are_made_again() {
    for (text, fault) in [(spec_of_groups(), "leaf[0].port0"), (spec_of_boxes(), "box0.gpu0.port0")] {
        runs_are_made_again(text, fault);
    }
}

fn runs_are_made_again(text: String, fault: &str) {
    let (mut compiled, spec) = compiled_spec(&text);
    verify(&compiled, &spec, ALL).unwrap();
    for simulation in 0..2 {
        let before = compiled.simulations[simulation][1].points[0].digests.clone();
        assert_eq!(compiled.simulations[simulation][1].scenario, fault);
        compiled.simulations[simulation][1].points[0].digests[0] ^= 1;
        let refused = verify(&compiled, &spec, ALL).unwrap_err();
        assert!(refused[0].contains(&format!("scenarios[{fault}]")), "{refused:?}");
        compiled.simulations[simulation][1].points[0].digests = before;
    }
}

/// Where simulations stand: by their names.
const BURST: usize = 0;
const CURVE: usize = 1;
const FLITS: usize = 2;

type Files = BTreeMap<String, Vec<u8>>;

/// Six routers, one of which may fail, and three simulations on every scenario.
fn spec() -> String {
    SpecText::network("kautz { degree = 2; length = 2; link = wire; }")
        .named("kept")
        .with("router { radix = 8; hosts = 2; vcs = 8; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }")
        .with("budget { vcs = 6; faults = 1 router; }")
        .with("simulate curve { rates = 0.1 .. 0.2 step 0.1; packet = 2 flits; warmup = 600 cycles; measure = 1600 cycles; seeds = 2; scenarios = all; }")
        .with("simulate flits { model = flit; rates = 0.2; packet = 3 flits; warmup = 100 cycles; measure = 1000 cycles; scenarios = all; }")
        .with("simulate burst { traffic = all_to_all { bytes = 4 KiB; } packet = 2 flits; scenarios = all; }")
        .text()
}

fn built() -> (CompiledFabric, ast::Spec) {
    compiled_spec(&spec())
}

/// A spec, and what it compiles to.
pub(crate) fn compiled_spec(text: &str) -> (CompiledFabric, ast::Spec) {
    let (fabric, spec, _) = fabc::lang::read_normal("kept.fab", &|_: &str| Ok(text.to_owned()))
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
    (compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}")), spec)
}

fn written(compiled: &CompiledFabric, spec: &ast::Spec) -> Files {
    emit::artifacts(compiled, &print_spec(spec), &[])
        .into_iter()
        .map(|artifact| (artifact.path, artifact.bytes))
        .collect()
}

/// The result of `fabc verify` that makes so many runs again beside those that decide, or all.
pub(crate) fn verify(
    compiled: &CompiledFabric,
    spec: &ast::Spec,
    remake: Remake,
) -> Result<Vec<Unproved>, Vec<String>> {
    let verified = directory_with(&written(compiled, spec), &compiled.fabric, &print_spec(spec), remake);
    verified
        .map(|verified| verified.unproved)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

pub(crate) const NONE: Remake = Remake { runs: Some(0), seed: 0 };
pub(crate) const ALL: Remake = Remake { runs: None, seed: 0 };

fn delays(point: &mut Option<Delays>) -> &mut Delays {
    point.as_mut().expect("packets have arrived")
}

/// A change, and its name.
pub(crate) type Forgery<T> = (&'static str, fn(&mut T));

/// No run has such counts.
const IMPOSSIBLE: &[Forgery<Point>] = &[
    ("median above p99", |p| delays(&mut p.delays).median = p.delays.unwrap().p99 + 1),
    ("p99 above max", |p| delays(&mut p.delays).p99 = p.delays.unwrap().most + 1),
    ("max of more cycles than the run has", |p| delays(&mut p.delays).most = p.cycles.into()),
    ("sum above what the ranks allow", |p| delays(&mut p.delays).sum = p.born * p.delays.unwrap().most + 1),
    ("sum below what the ranks allow", |p| delays(&mut p.delays).sum = p.delays.unwrap().most),
    ("longer at the source than on the way", |p| delays(&mut p.delays).waited = p.delays.unwrap().sum + 1),
    ("more hops than cycles", |p| delays(&mut p.delays).hops = p.delays.unwrap().sum + 1),
    ("no latencies", |p| p.delays = None),
    ("a packet more, everywhere", |p| {
        delays(&mut p.delays).packets += 1;
        p.born += 1;
        p.born_ever += 1;
        p.delivered_ever += 1;
        p.flits_delivered_ever += 2;
    }),
    ("a packet more that is born", |p| p.born += 1),
    ("a packet more that was ever born", |p| p.born_ever += 1),
    ("more delivered than ever", |p| p.delivered = p.delivered_ever + 1),
    ("more delivered in the second half", |p| p.delivered_late = p.delivered + 1),
    ("one delivered that is in flight", |p| p.delivered_ever += 1),
    ("one in flight", |p| p.in_flight += 1),
    ("a flit in flight", |p| p.flits_in_flight += 1),
    ("a flit delivered", |p| p.flits_delivered_ever += 1),
    ("one unfinished", |p| p.unfinished += 1),
    ("more cycles than a run may have", |p| p.cycles += 10_000),
    ("fewer cycles than are measured", |p| p.cycles = 1000),
    ("more inside than were born", |p| p.inside_at[1] = p.born_ever + 1),
    ("many inside at the end", |p| p.inside_at[2] += 1000),
    ("more inside over all cycles than were born", |p| p.inside_sum = u64::MAX),
    ("inside against Little's law", |p| p.inside_sum *= 40),
    ("the worst source before the best", |p| p.worst_source.1 = p.best_source.1 + 1),
    ("the best source below the mean", |p| p.best_source.1 = p.worst_source.1),
    ("a channel busier than a flit per cycle", |p| p.busiest.1 = 1601),
    ("the busiest channel below others", |p| p.busiest.1 = 1),
    ("a class busier than its channels can be", |p| p.busy_by_class[0] = u64::MAX),
    ("a class of channels more", |p| p.busy_by_class.push(0)),
    ("flits that made no hop", |p| p.busy_by_class.iter_mut().for_each(|busy| *busy /= 2)),
    ("a hop more", |p| p.hops += 1),
    ("a hop of a virtual channel more", |p| p.vcs[0].hops += 1),
    ("a general hop more", |p| p.general_hops += 1),
    ("a virtual channel more", |p| p.vcs.push(p.vcs[0])),
    ("a queue beyond its buffer", |p| p.vcs[0].flit_cycles = p.vcs[0].queue_cycles * 64 + 1),
    ("a p99 that is no packets", |p| p.vcs[0].p99 += 1),
    ("full queues with nothing in them", |p| p.vcs[0].full_cycles = p.vcs[0].flit_cycles + 1),
    ("a cycle of queues more", |p| p.vcs[0].queue_cycles += 1),
    ("a digest less", |p| p.digests = Vec::new()),
    ("a digest more", |p| p.digests.push(1)),
    ("a shorter warm-up", |p| p.warmup -= 100),
    ("a run that has not settled", |p| p.is_settled = false),
    ("a batch less", |p| {
        p.batches.pop();
    }),
    ("a packet more in a batch", |p| p.batches[3].delivered += 1),
    ("a latency more in a batch", |p| p.batches[3].arrived += 1),
    ("a longer latency in a batch", |p| p.batches[3].sum += 1),
    ("a p99 above all latencies", |p| p.batches[3].p99 = p.cycles.into()),
    ("another rate", |p| p.rate = Rate::millionths(p.rate.in_millionths() + 1)),
    ("another seed", |p| p.seed += 7),
];

/// Another run could have such counts.
const POSSIBLE: &[Forgery<Point>] = &[
    ("sum", |p| delays(&mut p.delays).sum += 1),
    ("waited", |p| delays(&mut p.delays).waited += 1),
    ("hops of packets", |p| delays(&mut p.delays).hops += 1),
    ("delivered late", |p| p.delivered_late -= 1),
    ("inside in the middle", |p| p.inside_at[1] += 1),
    ("inside over all cycles", |p| p.inside_sum += 1),
    ("which source is worst", |p| p.worst_source.0 ^= 1),
    ("worst source", |p| p.worst_source.1 -= 1),
    ("best source", |p| p.best_source.1 += 1),
    ("booked flits", |p| p.vcs.iter_mut().find(|vc| vc.flit_cycles > 0).unwrap().flit_cycles += 1),
    ("latencies of batches", |p| {
        p.batches[3].sum += 1;
        p.batches[4].sum -= 1;
    }),
    ("a digest", |p| p.digests[0] ^= 1),
];

/// No run of traffic that ends has such counts.
const IMPOSSIBLE_COMPLETIONS: &[Forgery<Completion>] = &[
    ("median above p99", |run| delays(&mut run.delays).median = run.delays.unwrap().p99 + 1),
    ("p99 above max", |run| delays(&mut run.delays).p99 = run.delays.unwrap().most + 1),
    ("max of more cycles than the run has", |run| delays(&mut run.delays).most = u64::from(run.cycles) + 2),
    ("sum", |run| delays(&mut run.delays).sum = 0),
    ("a hop of packets more", |run| delays(&mut run.delays).hops += 1),
    ("a packet more", |run| run.packets += 1),
    ("a packet more with a latency", |run| delays(&mut run.delays).packets += 1),
    ("below the lower bound", |run| run.cycles = 100),
    ("twice as long", |run| run.cycles *= 2),
    ("one cycle less", |run| run.cycles -= 1),
    ("a hop more", |run| run.hops += 1),
    ("a general hop more", |run| run.general_hops += 1),
    ("a channel that moved more than the messages", |run| run.busy_by_class[0] += 2),
    ("the busiest channel below others", |run| run.busiest.1 = 1),
    ("a cycle of queues more", |run| run.vcs[0].queue_cycles += 1),
    ("a digest more", |run| run.digests.push(1)),
    ("another seed", |run| run.seed += 7),
];

/// Another run could have such counts.
const POSSIBLE_COMPLETIONS: &[Forgery<Completion>] = &[
    ("sum", |run| delays(&mut run.delays).sum += 1),
    ("waited", |run| delays(&mut run.delays).waited += 1),
    ("booked flits", |run| run.vcs.iter_mut().find(|vc| vc.flit_cycles > 0).unwrap().flit_cycles += 1),
    ("a digest", |run| run.digests[0] ^= 1),
];

/// Brackets with which no search can end.
const IMPOSSIBLE_BRACKETS: &[Forgery<Saturation>] = &[
    ("a higher lower end", |search| {
        search.interval.low = Rate::millionths(search.interval.low.in_millionths() + 1)
    }),
    ("a higher mean", |search| {
        search.interval.mean = Rate::millionths(search.interval.mean.in_millionths() + 1)
    }),
    ("a stable rate above", |search| {
        let stable = search.replications[0].stable.expect("a stable rate").in_millionths();
        search.replications[0].stable = Some(Rate::millionths(stable + 1));
    }),
    ("both the same", |search| search.replications[1].unstable = search.replications[1].stable),
    ("stable above the static bound", |search| {
        search.replications[0].stable = Some(Rate::millionths(900_000_000));
    }),
    ("a run more", |search| search.replications[0].runs += 1),
    ("a coarse search that was not made", |search| search.coarse = Some(search.replications[0])),
    ("a replication less", |search| {
        search.replications.pop();
    }),
    ("a replication more", |search| search.replications.push(search.replications[0])),
    ("another seed of a replication", |search| search.replications[2].seed += 1),
    ("another rate past saturation", |search| search.beyond.rate = Rate::millionths(1)),
    ("more delivered than born", |search| search.beyond.delivered *= 1000),
    ("another seed", |search| search.seed += 7),
];

/// Another search could end so.
const POSSIBLE_BRACKETS: &[Forgery<Saturation>] =
    &[("one packet more past saturation", |search| search.beyond.delivered += 1)];

/// Makes forgeries of one thing of a report, one at a time. The impossible are convicted without any other
/// run, and the possible are convicted or declared. If all runs are made again, all are convicted.
#[track_caller]
fn forge<T: Clone + PartialEq>(
    compiled: &mut CompiledFabric,
    spec: &ast::Spec,
    thing: fn(&mut Vec<Vec<SimReport>>) -> &mut T,
    impossible: &[Forgery<T>],
    possible: &[Forgery<T>],
) {
    let honest = thing(&mut compiled.simulations).clone();
    for (forgeries, is_possible) in [(impossible, false), (possible, true)] {
        for (change, forgery) in forgeries {
            forgery(thing(&mut compiled.simulations));
            assert!(*thing(&mut compiled.simulations) != honest, "{change}: nothing is forged");
            match verify(compiled, spec, NONE) {
                Err(errors) => assert!(errors[0].starts_with("simulations/"), "{change}: {errors:?}"),
                Ok(unproved) => {
                    assert!(is_possible, "{change}: impossible, and not convicted");
                    assert!(
                        unproved.iter().any(|line| (line.file, line.place) == ("simulations/", "scenarios")),
                        "{change}: {unproved:?}"
                    );
                    assert!(verify(compiled, spec, ALL).is_err(), "{change}: not convicted by all runs");
                }
            }
            *thing(&mut compiled.simulations) = honest.clone();
        }
    }
}

#[test]
fn forged_counts_are_convicted_or_declared() {
    let (mut compiled, spec) = built();
    let unproved = verify(&compiled, &spec, ALL).unwrap();
    assert!(
        !unproved.iter().any(|line| (line.file, line.place) == ("simulations/", "scenarios")),
        "{unproved:?}"
    );
    // This run of a fault, at the higher rate and with the second seed, does not decide.
    forge(&mut compiled, &spec, |all| &mut all[CURVE][1].points[3], IMPOSSIBLE, POSSIBLE);
    forge(&mut compiled, &spec, |all| &mut all[FLITS][2].points[0], &IMPOSSIBLE[..7], &POSSIBLE[..3]);
    forge(
        &mut compiled,
        &spec,
        |all| &mut all[CURVE][1].saturations[1],
        IMPOSSIBLE_BRACKETS,
        POSSIBLE_BRACKETS,
    );
    forge(
        &mut compiled,
        &spec,
        |all| &mut all[BURST][1].completions[0],
        IMPOSSIBLE_COMPLETIONS,
        POSSIBLE_COMPLETIONS,
    );
}

#[test]
fn runs_trade_no_places() {
    let (mut compiled, spec) = built();
    let trades: [fn(&mut Vec<Vec<SimReport>>); 4] = [
        |all| all[CURVE][1].points.swap(2, 3),
        |all| all[CURVE][1].saturations.swap(0, 1),
        |all| {
            let [first, second] = [all[CURVE][1].points[3].clone(), all[CURVE][2].points[3].clone()];
            (all[CURVE][2].points[3], all[CURVE][1].points[3]) = (first, second);
        },
        |all| {
            let delays = all[CURVE][1].points[2].delays;
            all[CURVE][1].points[3].delays = delays;
        },
    ];
    for trade in trades {
        let honest = compiled.simulations.clone();
        trade(&mut compiled.simulations);
        assert_ne!(compiled.simulations, honest);
        assert!(verify(&compiled, &spec, ALL).is_err());
        compiled.simulations = honest;
    }
}

#[test]
fn which_runs_are_made_again_follows_from_files_and_seed() {
    let (mut compiled, spec) = built();
    let digests = &mut compiled.simulations[CURVE][3].points[3].digests;
    *digests.last_mut().unwrap() ^= 1;
    let files = written(&compiled, &spec);
    let text = print_spec(&spec);
    let convicts =
        |seed| directory_with(&files, &compiled.fabric, &text, Remake { runs: Some(80), seed }).is_err();
    let caught: Vec<bool> = (0..12).map(convicts).collect();
    assert!(caught.contains(&true) && caught.contains(&false), "{caught:?}");
    assert_eq!(caught, (0..12).map(convicts).collect::<Vec<_>>());
}

/// Runs `fabc shards merge` on a directory in which a simulation was kept that some forger wrote.
fn merge(place: &Path, compiled: &CompiledFabric, at: [usize; 2]) -> String {
    let report = &compiled.simulations[at[0]][at[1]];
    let name = &compiled.fabric.simulations[at[0]].name;
    let piece = format!("`{name}` on {}", report.scenario);
    let file = kept_path(&place.join("out/kept.shards"), &piece);
    let kept = std::fs::read(&file).unwrap();
    let head: serde_json::Value =
        serde_json::from_slice(kept.split(|&byte| byte == b'\n').next().unwrap()).unwrap();
    let [key, tables] = ["key", "tables"].map(|key| head[key].as_str().unwrap());
    let forged = emit::kept_simulation(key, tables, &compiled.fabric, &compiled.topology, name, report);
    let changes = forged != kept;
    std::fs::write(&file, forged).unwrap();
    let (out, err) = fabc(place, &["shards", "merge", "out/kept.shards", "--remake", "0"], 0);
    // What was convicted is made again.
    assert!(!changes || std::fs::read(&file).unwrap() == kept);
    out + &err
}

#[test]
fn merge_convicts_what_shards_forged() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("kept.fab"), spec()).unwrap();
    fabc(place.path(), &["build", "kept.fab", "--shard", "1/1", "-q"], 0);
    let (mut compiled, _) = built();
    let merge_output = merge(place.path(), &compiled, [CURVE, 1]);
    assert!(merge_output.contains("`fabc verify --remake all` makes them again"), "{merge_output}");
    let mut convict = |at: [usize; 2], forgery: &dyn Fn(&mut SimReport)| {
        let honest = compiled.simulations[at[0]][at[1]].clone();
        forgery(&mut compiled.simulations[at[0]][at[1]]);
        let output = merge(place.path(), &compiled, at);
        assert!(output.contains("is made again: "), "{output}");
        compiled.simulations[at[0]][at[1]] = honest;
    };
    // A few of each kind. The others are convicted by the same code in `verify`.
    for (_, forgery) in IMPOSSIBLE.iter().step_by(9) {
        convict([CURVE, 1], &|report| forgery(&mut report.points[3]));
    }
    for (_, forgery) in IMPOSSIBLE_COMPLETIONS.iter().step_by(6) {
        convict([BURST, 1], &|report| forgery(&mut report.completions[0]));
    }
    convict([CURVE, 1], &|report| report.saturations[1].replications[0].runs += 1);
    // One run, whose beginning is made again in any case.
    convict([FLITS, 2], &|report| report.points[0].digests[0] ^= 1);
}

#[test]
fn one_window_is_made_again_alone() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("kept.fab"), spec()).unwrap();
    fabc(place.path(), &["build", "kept.fab", "-q"], 0);
    let verify = |more: &[&str], code| {
        let (out, err) = fabc(place.path(), &[&["verify", "out/kept"], more].concat(), code);
        (out + &err).split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
    };
    let same = "curve on nominal: another run finds the same up to cycle 2000; the window is 1000 to 2000";
    assert_eq!(verify(&["--window", "1234", "--block", "curve"], 0), same);
    let fault =
        ["--window", "999", "--block", "curve", "--scenario", "router0", "--rate", "0.2", "--seed", "2"];
    let unknown = verify(&fault, 2);
    assert!(
        unknown.contains("FAB0522") && unknown.contains("the simulation was run on `nominal`, `"),
        "{unknown}"
    );
    let unknown = verify(&["--window", "0", "--block", "curve", "--rate", "0.3"], 2);
    assert!(unknown.contains("the rates are 0.10, 0.20, the seeds 1, 2"), "{unknown}");
    assert!(verify(&["--window", "0", "--block", "none"], 2).contains("the spec has the simulations `"));
    assert!(verify(&["--window", "9999", "--block", "curve"], 2).contains("cycles, from 0 on"));
    assert!(
        verify(&["--window", "0", "--block", "burst", "--rate", "0.1"], 2)
            .contains("such traffic has no rates")
    );
    // The end of a run has no digest of cycles: it is made again whole.
    assert!(verify(&["--window", "2100", "--block", "curve"], 0).contains("the window is 2000 to 2"));
    assert!(
        verify(&["--window", "0", "--block", "burst"], 0)
            .starts_with("burst on nominal: another run finds the same")
    );
    // The message names the first digest that differs.
    let (mut compiled, spec) = built();
    compiled.simulations[CURVE][0].points[0].digests[1] ^= 1;
    let bytes = &written(&compiled, &spec)["simulations/curve.json"];
    std::fs::write(place.path().join("out/kept/simulations/curve.json"), bytes).unwrap();
    assert!(verify(&["--window", "999", "--block", "curve"], 0).contains("the window is 0 to 1000"));
    let output = verify(&["--window", "1000", "--block", "curve"], 3);
    assert!(output.contains("at rate 0.10 another run has another digest after 2000 cycles"), "{output}");
}
