//! Messages between chips in cycles: known answers, files of messages, and plans that were tampered with.

use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::emit::{self, ManifestEntry, TOOL, manifest_json};
use fabc::ir::{CollectiveBound, ContractState, Schedule, Timed};
use fabc::progress::Silent;
use fabc::random::Stream;
use fabc::syntax::{print_spec, with_inputs};
use fabc::{check, verify};

const NODE: &str = "hyperx 8;";
const GROUPS: &str = "dragonfly { a = 8; h = 4; arrangement = palmtree; }";
const SMALL: &str = "dragonfly { a = 3; h = 1; arrangement = palmtree; }";

fn spec(radix: u32, topology: &str, rest: &str) -> String {
    format!(
        "fabric sent {{ clock = 900 MHz; link wire {{ bandwidth = 100 Gbps; latency = 217 cycles; }}
        router {{ radix = {radix}; hosts = 0; vcs = 1; flit = 328 B; buffer = 0 flits; latency = 433 cycles; }}
        topology = {topology} routing = scheduled {{ vector = 320 B; }} {rest} }}"
    )
}

/// Compiles a spec beside a file of messages, and the directory's own copy of both again. Both are verified
/// and the same.
fn built(text: &str, messages: &str) -> (CompiledFabric, check::Files) {
    let loader = |path: &str| match path {
        "test.fab" => Ok(text.to_owned()),
        _ if path.ends_with(".csv") => Ok(messages.to_owned()),
        _ => Err(path.to_owned()),
    };
    let (fabric, spec, _) = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"));
    let compiled =
        compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
    let spec_text = print_spec(&with_inputs(spec));
    let artifacts = emit::artifacts(&compiled, &spec_text, &[]);
    let files: check::Files = artifacts.into_iter().map(|artifact| (artifact.path, artifact.bytes)).collect();
    if let Err(errors) = verify::directory(&files, &compiled.fabric, &spec_text) {
        panic!("{}\n{text}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    }
    (compiled, files)
}

fn plan<'a>(compiled: &'a CompiledFabric, name: &str) -> &'a Schedule {
    let index = compiled.fabric.collectives.iter().position(|declared| declared.name == name).unwrap();
    &compiled.collectives[index].nominal().unwrap().schedule
}

fn timed<'a>(compiled: &'a CompiledFabric, name: &str) -> &'a Timed {
    plan(compiled, name).timed().unwrap()
}

/// Cycles that single messages take one after the other, each of which is about what its certificate says.
fn alone(radix: u32, topology: &str, ends: [u32; 2], sizes: &[u64]) -> Vec<u64> {
    let declaration = |at: usize| {
        let after = if at > 0 { format!("after = m{};", at - 1) } else { String::new() };
        format!(
            "collective m{at} = send {{ from = {}; to = {}; size = {} B; {after} }}",
            ends[0],
            ends[1],
            320 * sizes[at]
        )
    };
    let text: String = (0..sizes.len()).map(declaration).collect();
    let (compiled, _) = built(&spec(radix, topology, &text), "");
    let took = |at: usize| {
        let schedule = plan(&compiled, &format!("m{at}"));
        let timed = schedule.timed().unwrap();
        let took = u64::from(timed.end - timed.start);
        let [CollectiveBound::Quickest { cycles, .. }] = schedule.bounds[..] else {
            panic!("{:?}", schedule.bounds)
        };
        // Exact to the cycle, except shortly before one more path pays off.
        assert!(cycles <= took && cycles * 100 >= took * 94, "{took} and {cycles}");
        took
    };
    (0..sizes.len()).map(took).collect()
}

#[test]
fn a_message_alone_is_as_quick_as_can_be() {
    let sizes = [1, 8, 16, 26, 32, 64, 205, 820];
    assert_eq!(alone(7, NODE, [0, 1], &sizes), [650, 818, 1010, 1250, 1300, 1420, 1900, 4012]);
    assert_eq!(alone(11, GROUPS, [0, 1], &sizes), [650, 818, 1010, 1250, 1300, 1420, 1900, 3556]);
    assert_eq!(alone(11, GROUPS, [0, 100], &sizes), [1950, 2118, 2310, 2550, 2624, 2886, 3442, 4786]);
}

#[test]
fn ways_can_be_limited() {
    let rest = "collective any = send { from = 0; to = 1; size = 64 KiB; }
        collective few = send { from = 0; to = 1; size = 64 KiB; paths = 2; after = any; }
        collective one = send { from = 0; to = 1; size = 64 KiB; paths = minimal; after = few; }
        require any.time == 1900 cycles; require few.time == 3412 cycles; require one.time == 5546 cycles;
        require any.share == 1;";
    let (compiled, _) = built(&spec(7, NODE, rest), "");
    let broken: Vec<String> = compiled
        .requires
        .iter()
        .filter(|outcome| outcome.holds() != Some(true))
        .map(|outcome| outcome.require.text())
        .collect();
    assert!(broken.is_empty(), "{broken:?}");
}

/// Every chip to the same chip of the group so many further on.
fn shift(groups: u32, chips: u32, by: u32, bytes: u64) -> String {
    let line =
        |node: u32| format!("{node},{},{bytes}\n", ((node / chips + by) % groups) * chips + node % chips);
    "from,to,bytes\n".to_owned() + &(0..groups * chips).map(line).collect::<String>()
}

#[test]
fn groups_that_all_do_the_same_are_planned_once() {
    let messages = shift(33, 8, 16, 65_600);
    let (compiled, files) = built(
        &spec(11, GROUPS, "collective shift = pairs \"shift.csv\"; require shift.time <= 4952 cycles;"),
        &messages,
    );
    let timed = timed(&compiled, "shift");
    assert!(timed.canonical && timed.messages.len() == 264);
    assert_eq!(compiled.requires[0].holds(), Some(true), "{}", timed.end);
    // 3,026 is what the exact least load proves. One message by itself takes longer.
    let bound =
        compiled.collectives[0].nominal().unwrap().row.bound * 900_000_000 / 1_000_000_000_000_000_000;
    assert_eq!(bound, 3_442);
    assert_eq!(files["inputs/pairs-shift.csv"], messages.as_bytes());
    let spec_text = String::from_utf8(files["spec.fab"].clone()).unwrap();
    assert!(spec_text.contains("pairs \"inputs/pairs-shift.csv\""), "{spec_text}");
}

#[test]
fn files_of_messages_are_sent() {
    let messages = "# A pipeline: what the first stage makes is there in cycle 5000.\n0,3,32000\nrouter[3], 6, 9600, 5000 # later\n 1,4,320,10\n";
    let text =
        spec(7, NODE, "collective tensors = pairs \"t.csv\"; require tensors.makespan >= 5650 cycles;");
    let (compiled, _) = built(&text, messages);
    let timed = timed(&compiled, "tensors");
    assert!(!timed.canonical && timed.messages.len() == 3);
    for send in &timed.sends {
        let message = timed.messages.iter().rev().find(|message| message.first <= send.vector).unwrap();
        assert!(send.cycle >= message.earliest);
    }
    assert_eq!(compiled.requires[0].holds(), Some(true));
    // Cycles count from the start of the collective.
    let later = spec(
        7,
        NODE,
        "collective first = send { from = 0; to = 1; size = 320 B; } collective tensors = pairs \"t.csv\" { after = first; }",
    );
    let (compiled, _) = built(&later, messages);
    let plan = self::timed(&compiled, "tensors");
    assert_eq!([plan.start, plan.end], [650, timed.end + 650]);
}

/// Files with a manifest that names what they are now.
fn signed(mut files: check::Files, spec_text: &str) -> check::Files {
    files.remove("manifest.json");
    let lines: Vec<ManifestEntry> =
        files.iter().map(|(path, bytes)| ManifestEntry::for_file(path, bytes)).collect();
    let manifest = manifest_json(TOOL, "sent", spec_text, ContractState::Kept, &[], &lines);
    files.insert("manifest.json".to_owned(), manifest.into_bytes());
    files
}

#[test]
fn longer_ways_than_the_spec_allows_are_convicted() {
    let text = |paths: &str| {
        spec(7, NODE, &format!("collective m = send {{ from = 0; to = 1; size = 64 KiB; paths = {paths}; }}"))
    };
    let (_, mut files) = built(&text("any"), "");
    let (minimal, _) = built(&text("minimal"), "");
    let spec_text =
        String::from_utf8(files["spec.fab"].clone()).unwrap().replace("paths = any", "paths = minimal");
    files.insert("spec.fab".to_owned(), spec_text.clone().into_bytes());
    let errors = verify::directory(&signed(files, &spec_text), &minimal.fabric, &spec_text).unwrap_err();
    assert!(
        errors.iter().any(|error| error.to_string().contains("take more hops than the minimum")),
        "{errors:?}"
    );
}

#[test]
fn a_directory_with_other_messages_is_convicted() {
    let messages = shift(4, 3, 1, 3_200);
    let rest =
        "collective a = pairs \"a.csv\"; collective b = send { from = 0; to = 7; size = 20 KiB; after = a; }";
    let (compiled, files) = built(&spec(3, SMALL, rest), &messages);
    assert!(timed(&compiled, "a").canonical && !timed(&compiled, "b").canonical);
    let spec_text = String::from_utf8(files["spec.fab"].clone()).unwrap();
    let text = String::from_utf8(files["schedule.json"].clone()).unwrap();
    let judged = |path: &str, changed: String| {
        let mut files = files.clone();
        assert_ne!(files[path], changed.as_bytes(), "nothing was changed");
        files.insert(path.to_owned(), changed.into_bytes());
        verify::directory(&signed(files, &spec_text), &compiled.fabric, &spec_text)
    };
    // Messages, what bounds them, the file that they come from.
    for (path, from, to) in [
        ("schedule.json", "[0,3,10,0]", "[0,3,9,0]"),
        ("schedule.json", "[0,3,10,0]", "[0,4,10,0]"),
        ("schedule.json", "[0,3,10,0]", "[0,3,10,1]"),
        ("schedule.json", "\"kind\":\"quickest\",\"message\":0", "\"kind\":\"quickest\",\"message\":1"),
        ("schedule.json", "\"levels\":[0,", "\"levels\":[1,"),
        ("schedule.json", "\"levels\":[0,", "\"levels\":["),
        ("schedule.json", "\"kind\":\"flow\",\"lengths\":[", "\"kind\":\"flow\",\"lengths\":[1,"),
        ("inputs/pairs-a.csv", "0,3,3200", "0,3,3201"),
    ] {
        let original = if path == "schedule.json" { text.clone() } else { messages.clone() };
        assert!(original.contains(from), "{from} in {original}");
        assert!(judged(path, original.replacen(from, to, 1)).is_err(), "{from} to {to} is not convicted");
    }
    // Every number of sends.
    let places: Vec<usize> = text
        .match_indices('[')
        .map(|(index, _)| index)
        .filter(|&index| {
            let inside = &text[index + 1..text[index..].find(']').map_or(index + 1, |end| index + end)];
            inside.split(',').count() == 4 && inside.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
        })
        .collect();
    let mut draw = Stream::new(5, 0);
    for _ in 0..60 {
        let offset = places[draw.below(places.len())];
        let end = offset + text[offset..].find(']').unwrap();
        let mut numbers: Vec<u64> =
            text[offset + 1..end].split(',').map(|number| number.parse().unwrap()).collect();
        let which = draw.below(4);
        numbers[which] = if which == 1 { (numbers[which] + 1) % 3 } else { numbers[which] + 1 };
        let line = numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        assert!(
            judged("schedule.json", format!("{}[{line}{}", &text[..offset], &text[end..])).is_err(),
            "{} to {line}",
            &text[offset..end]
        );
    }
}
