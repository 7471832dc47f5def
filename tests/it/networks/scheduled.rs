//! Vectors in cycles: known answers, every collective on small networks, and plans that were tampered with.

use super::builds::built;
use fabc::emit::{ManifestEntry, TOOL, manifest_json};
use fabc::ids::{NodeId, PortId};
use fabc::ir::{
    CollectiveBound, ContractState, ResultRule, Scene, Schedule, SumRule, Timed, TimedSend, Topology,
    Transfers, schedulable_scene,
};
use fabc::model::Collective;
use fabc::random::Stream;
use fabc::{check, verify};

/// A network of 100 Gbps links at 900 MHz: 24 cycles a slot, 650 a hop.
fn spec(radix: u32, topology: &str, routing: &str, rest: &str) -> String {
    format!(
        "fabric scheduled {{ clock = 900 MHz; link wire {{ bandwidth = 100 Gbps; latency = 217 cycles; }}
        router {{ radix = {radix}; hosts = 0; vcs = 1; flit = 328 B; buffer = 0 flits; latency = 433 cycles; }}
        topology = {topology}; routing = scheduled {{ vector = 320 B; {routing} }} {rest} }}"
    )
}

/// `[collective]`: cycles that it takes, and what none takes less than.
fn cycles(text: &str) -> Vec<[u64; 2]> {
    let (compiled, _) = built(text);
    let row_of = |result: &fabc::ir::CollectiveResult| {
        let row = &result.nominal().unwrap().row;
        let best = row.best();
        // Both are whole cycles, rounded up to attoseconds.
        [best.steps, (row.bound * 900_000_000 / 1_000_000_000_000_000_000) as u64]
    };
    compiled.collectives.iter().map(row_of).collect()
}

#[test]
fn eight_chips_take_what_is_known() {
    // All to all directly: a hop, and a slot for every vector but the first.
    for (vectors, known) in [(1u64, 650), (2, 674), (8, 818), (256, 6770)] {
        let rest = format!("collective x = all_to_all {{ size = {} B; }}", 8 * 320 * vectors);
        assert_eq!(cycles(&spec(7, "hyperx 8", "", &rest)), [[known, known]], "{vectors}");
    }
    // Every chip sends to all others. From 32 vectors on every chip sums its part.
    for (vectors, known, bound) in
        [(1u64, 650, 650), (8, 818, 818), (31, 1370, 1300), (217, 1948, 1946), (10_000, 60_626, 60_626)]
    {
        let rest = format!("collective x = all_reduce {{ size = {} B; }}", 320 * vectors);
        let [[took, least]] = cycles(&spec(7, "hyperx 8", "", &rest))[..] else { panic!("one collective") };
        assert!(took <= known && least == bound, "{vectors}: {took} of {known}, {least} of {bound}");
    }
}

/// All vectors of one chip must reach another. That takes as long as a message of as many vectors.
#[test]
fn what_everybody_is_told_takes_as_long_as_a_message() {
    let (compiled, _) = built(&spec(
        4,
        "dragonfly { a = 3; h = 2; g = 5; spare = 1; arrangement = consecutive; }",
        "",
        EVERY,
    ));
    let scene = schedulable_scene(&compiled.fabric.plant, &compiled.topology);
    for result in &compiled.collectives {
        let schedule = &result.nominal().unwrap().schedule;
        let has_root = matches!(schedule.collective, Collective::AllReduce | Collective::Broadcast);
        let bound_index =
            schedule.bounds.iter().position(|bound| matches!(bound, CollectiveBound::Quickest { .. }));
        assert_eq!(
            bound_index.is_some(),
            has_root || schedule.collective == Collective::Send,
            "{}",
            schedule.collective.name()
        );
        let Some(bound_index) = bound_index.filter(|_| has_root) else { continue };
        let CollectiveBound::Quickest { levels, cycles, .. } = schedule.bounds[bound_index].clone() else {
            panic!("levels")
        };
        let judged = |levels: Vec<Option<u32>>, cycles: u64| {
            let mut tampered = schedule.clone();
            tampered.bounds[bound_index] = CollectiveBound::Quickest { message: 0, levels, cycles };
            check::verify_vectors(&scene, &tampered)
        };
        judged(levels.clone(), cycles).unwrap();
        assert!(judged(levels.clone(), cycles + 1).is_err() && judged(levels.clone(), cycles - 1).is_err());
        let source = levels.iter().position(|level| *level == Some(0)).unwrap();
        let mut nobody = levels.clone();
        nobody[source] = None;
        assert!(judged(nobody, cycles).is_err(), "nobody starts");
        assert!(
            judged(levels.iter().map(|level| level.or(Some(9))).collect(), cycles).is_err(),
            "nobody hears"
        );
        assert!(judged(levels[1..].to_vec(), cycles).is_err());
    }
    // An exchange is no such thing.
    let mut other_schedule = compiled.collectives[0].nominal().unwrap().schedule.clone();
    let levels = (0..compiled.topology.node_count()).map(|node| (node == 0).then_some(0)).collect();
    other_schedule.bounds.push(CollectiveBound::Quickest { message: 0, levels, cycles: 650 });
    assert!(check::verify_vectors(&scene, &other_schedule).is_err());
}

/// One collective of every kind.
const EVERY: &str = "collective a = all_to_all { size = 12 KiB; } collective b = all_gather { size = 10 KiB; }
    collective c = reduce_scatter { size = 10 KiB; } collective d = all_reduce { size = 3 KiB; }
    collective e = broadcast { size = 2 KiB; root = 1; } collective f = send { from = 2; to = 4; size = 10 KiB; }";

#[test]
fn every_collective_is_scheduled_everywhere() {
    for (radix, topology) in [
        (3, "dragonfly { a = 3; h = 1; }"),
        (4, "torus 3 x 4"),
        (2, "torus 5"),
        (4, "dragonfly { a = 3; h = 2; g = 5; spare = 1; arrangement = consecutive; }"),
        (4, "levels { level 3 over wire; level 3 joined 2 over wire { ports = 2; } }"),
    ] {
        for routing in ["", "reduce = 5 cycles; hop = 100 cycles;", "slot = 7 cycles; hop = 3 cycles;"] {
            for [took, bound] in cycles(&spec(radix, topology, routing, EVERY)) {
                assert!(took >= bound, "{topology}: {took} of {bound}");
            }
        }
    }
}

#[test]
fn one_after_the_other_or_together() {
    let two = |after: &str| {
        format!(
            "collective a = all_gather {{ size = 20 KiB; }} collective b = all_gather {{ size = 20 KiB; {after} }}"
        )
    };
    let end_times = |text: &str| {
        let (compiled, _) = built(text);
        let sends_of = |result: &fabc::ir::CollectiveResult| {
            result
                .nominal()
                .and_then(|planned| planned.schedule.timed())
                .map(|timed| [timed.start, timed.end])
        };
        compiled.collectives.iter().map(|result| sends_of(result).unwrap()).collect::<Vec<_>>()
    };
    let text = |after: &str| spec(4, "torus 4 x 4", "", &two(after));
    let (together, apart) = (end_times(&text("")), end_times(&text("after = a;")));
    assert!(
        together[0][0] == 0 && together[1][0] == 0 && apart[1][0] == apart[0][1],
        "{together:?} {apart:?}"
    );
    assert!(together[1][1] <= apart[1][1], "what runs together shares what is free");
}

#[test]
fn spans_count_from_the_first_cycle_of_all() {
    let rest =
        "collective a = all_gather { size = 2560 B; } collective b = all_to_all { size = 20 KiB; after = a; }
        collective c = broadcast { size = 320 B; root = 3; after = b; }
        require a.makespan == 650 cycles; require b.makespan == 1468 cycles; require b.time == 818 cycles;
        require c.makespan == 2118 cycles; require makespan == 2118 cycles; require makespan < 2353.34 ns;
        require b.makespan_ratio == 1; require makespan_ratio <= 1; require makespan_ratio >= 1;";
    let (compiled, files) = built(&spec(7, "hyperx 8", "", rest));
    assert_eq!(compiled.requires.len(), 9);
    for outcome in &compiled.requires {
        assert_eq!(outcome.holds(), Some(true), "{}", outcome.require.text());
    }
    let report = String::from_utf8(files["report.json"].clone()).unwrap();
    assert!(report.contains("\"makespan\":{\"cycles\":2118,\"bound_cycles\":2118}"), "{report}");
    let text = String::from_utf8(files["report.txt"].clone()).unwrap();
    assert!(
        text.contains("makespan 2,118 cycles (2.353 us)")
            && !text.contains("not routed")
            && !text.contains(" VCs"),
        "{text}"
    );
    let page = String::from_utf8(files["report.html"].clone()).unwrap();
    assert!(
        page.contains("every vector has its cycle on every channel")
            && !page.contains("stopped before routing")
    );
    // Every chip sends to all others at once: channels are busy for a slot.
    assert!(
        page.contains("a: which share of the channels is busy, over time")
            && page.contains("<title>cycles 0 to 4: 100.0 % of wire busy</title>")
    );
    assert!(page.contains("<title>cycles 24 to 28: 0.0 % of wire busy</title>"));
    // The checker judges the claims anew.
    let spec_text = String::from_utf8(files["spec.fab"].clone()).unwrap();
    for (claimed, instead) in [
        ("\"bound_cycles\":2118", "\"bound_cycles\":2117"),
        ("\"makespan\":{\"cycles\":2118", "\"makespan\":{\"cycles\":2119"),
        (
            "\"require\":\"b.makespan == 1468 cycles\",\"measured\":1468",
            "\"require\":\"b.makespan == 1468 cycles\",\"measured\":1467",
        ),
    ] {
        assert!(report.contains(claimed), "{claimed}");
        let mut files = files.clone();
        files.insert("report.json".to_owned(), report.replace(claimed, instead).into_bytes());
        let errors =
            verify::directory(&resigned(files, &spec_text), &compiled.fabric, &spec_text).unwrap_err();
        assert!(errors.iter().any(|error| error.to_string().contains("report.json")), "{errors:?}");
    }
}

/// Files with a manifest that names what they are now.
fn resigned(mut files: check::Files, spec_text: &str) -> check::Files {
    files.remove("manifest.json");
    let lines: Vec<ManifestEntry> =
        files.iter().map(|(path, bytes)| ManifestEntry::for_file(path, bytes)).collect();
    let manifest = manifest_json(TOOL, "scheduled", spec_text, ContractState::Kept, &[], &lines);
    files.insert("manifest.json".to_owned(), manifest.into_bytes());
    files
}

/// Plans of every kind, with where they are made for.
fn plans(topology: &str) -> (Topology, Vec<Schedule>) {
    let (compiled, _) = built(&spec(4, topology, "", EVERY));
    let schedules =
        compiled.collectives.iter().map(|result| result.nominal().unwrap().schedule.clone()).collect();
    (compiled.topology, schedules)
}

fn with(schedule: &Schedule, change: impl FnOnce(&mut Timed)) -> Schedule {
    let mut tampered = schedule.clone();
    let Transfers::Timed(timed) = &mut tampered.transfers else { panic!("vectors") };
    change(timed);
    timed.sends.sort_unstable();
    tampered
}

/// A changed schedule is an error.
fn convict_schedule(scene: &Scene<'_>, change: &str, changed: Schedule) {
    let name = changed.collective.name();
    assert!(check::verify_vectors(scene, &changed).is_err(), "{name}: {change} is not convicted");
}

#[test]
fn whatever_is_changed_is_convicted() {
    let mut draw = Stream::new(7, 0);
    for topology in ["dragonfly { a = 3; h = 1; arrangement = palmtree; }", "torus 3 x 4"] {
        let (topology, schedules) = plans(topology);
        let scene = Scene::healthy(&topology);
        for schedule in &schedules {
            let judged = check::verify_vectors(&scene, schedule).unwrap();
            let timed = schedule.timed().unwrap();
            assert_eq!(judged.end, u64::from(timed.end), "{}", schedule.collective.name());
            for _ in 0..40 {
                convict_changed_sends(&scene, schedule, draw.below(timed.sends.len()));
            }
            convict_changed_frames(&scene, schedule);
        }
    }
}

/// Every change of one send of a schedule is an error.
fn convict_changed_sends(scene: &Scene<'_>, schedule: &Schedule, index: usize) {
    let topology = scene.topology;
    let timed = schedule.timed().unwrap();
    let convict = |change: &str, changed: Schedule| convict_schedule(scene, change, changed);
    let send = timed.sends[index];
    convict(
        "a send that is left out",
        with(schedule, |timed| {
            timed.sends.remove(index);
        }),
    );
    let again = |timed: &mut Timed| timed.sends.push(TimedSend { cycle: timed.end, ..send });
    convict("a send that is there twice", with(schedule, again));
    let port = PortId((send.port.0 + 1) % topology.ports() as u16);
    // A sum may also go another way. That the directory has another one then, is seen below.
    if !schedule.collective.adds_up() {
        convict("another port", with(schedule, |timed| timed.sends[index].port = port));
    }
    let chip = NodeId((send.chip.0 + 1) % topology.node_count() as u32);
    // Another chip that has it already may send it to the same one: that is another plan, too.
    let to = |from: NodeId| topology.outgoing(from, send.port).map(|channel| topology.target(channel).node);
    if to(chip) != to(send.chip) {
        convict("another chip", with(schedule, |timed| timed.sends[index].chip = chip));
    }
    convict("another vector", with(schedule, |timed| timed.sends[index].vector += 1));
    convict("a vector that is none", with(schedule, |timed| timed.sends[index].vector = u64::MAX));
    let late = |timed: &mut Timed| timed.sends[index].cycle = timed.end;
    convict("a send after the end", with(schedule, late));
    // Before it can be there, or beside another one.
    let mut early: Vec<u32> = timed
        .sends
        .iter()
        .filter(|other| (other.chip, other.port) == (send.chip, send.port))
        .map(|other| other.cycle)
        .collect();
    early.retain(|&cycle| cycle != send.cycle);
    if let Some(&beside) = early.first() {
        convict("two in a slot", with(schedule, |timed| timed.sends[index].cycle = beside + 1));
    }
}

/// Every change of the ends and of the sums of a schedule is an error.
fn convict_changed_frames(scene: &Scene<'_>, schedule: &Schedule) {
    let timed = schedule.timed().unwrap();
    let convict = |change: &str, changed: Schedule| convict_schedule(scene, change, changed);
    convict("another end", with(schedule, |timed| timed.end += 1));
    convict("a later start", with(schedule, |timed| timed.start = timed.sends[0].cycle + 1));
    if schedule.collective.adds_up() {
        convict(
            "a result that is told",
            with(schedule, |timed| match timed.result {
                ResultRule::Told => {
                    timed.result =
                        ResultRule::Summed(SumRule { from: 0, below: timed.levels(), own_level: Some(0) })
                }
                ResultRule::Summed(_) => timed.result = ResultRule::Told,
            }),
        );
        for level in 0..timed.sums.len() {
            convict(
                "a sum without its own",
                with(schedule, |timed| {
                    timed.sums[level].own_level =
                        if timed.sums[level].own_level.is_some() { None } else { Some(0) };
                }),
            );
        }
    }
}

#[test]
fn plans_on_the_same_channels_are_judged_together() {
    let (topology, schedules) = plans("torus 3 x 4");
    let scene = Scene::healthy(&topology);
    let timed: Vec<&Timed> = schedules.iter().filter_map(Schedule::timed).collect();
    check::vectors_together(&scene, &timed).unwrap();
    check::vectors_together(&scene, &[timed[0], timed[0]]).unwrap_err();
}

/// Every `[cycle,port,job,vector]` behind a `"sends":`, by its place in the text.
fn sends(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut places = Vec::new();
    for (index, _) in text.match_indices("\"sends\":[") {
        let end = index + text[index..].find("]]").unwrap_or(0);
        let mut next = index + "\"sends\":[".len();
        while next < end {
            let close = next + text[next..].find(']').unwrap();
            places.push(next..close + 1);
            next = close + 2;
        }
    }
    places
}

#[test]
fn a_directory_with_another_plan_is_convicted() {
    let (compiled, files) = built(&spec(4, "dragonfly { a = 3; h = 1; arrangement = palmtree; }", "", EVERY));
    let spec_text = String::from_utf8(files["spec.fab"].clone()).unwrap();
    let text = String::from_utf8(files["schedule.json"].clone()).unwrap();
    let places = sends(&text);
    let mut draw = Stream::new(3, 0);
    for _ in 0..30 {
        let place = places[draw.below(places.len())].clone();
        let numbers: Vec<u64> = text[place.clone()]
            .trim_matches(['[', ']'])
            .split(',')
            .map(|number| number.parse().unwrap())
            .collect();
        for kind in 0..6 {
            let mut tampered = numbers.clone();
            match kind {
                0 => tampered[0] += 1,
                1 => tampered[0] += 24,
                2 => tampered[1] = (tampered[1] + 1) % 4,
                3 => tampered[2] = (tampered[2] + 1) % 6,
                4 => tampered[3] += 1,
                _ => tampered.clear(),
            }
            let tampered_text = tampered.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
            let (before, after) = (&text[..place.start], &text[place.end..]);
            let changed = match tampered_text.is_empty() {
                false => format!("{before}[{tampered_text}]{after}"),
                true if before.ends_with(',') => format!("{}{after}", before.trim_end_matches(',')),
                true => format!("{before}{}", after.trim_start_matches(',')),
            };
            let mut files = files.clone();
            files.insert("schedule.json".to_owned(), changed.into_bytes());
            let judged = verify::directory(&resigned(files, &spec_text), &compiled.fabric, &spec_text);
            assert!(judged.is_err(), "{numbers:?}: change {kind} is not convicted");
        }
    }
}
