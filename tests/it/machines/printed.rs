//! Documents that fabc prints: at least one of every format, with everything optional that it may have.

use crate::machines::plain::{command, fabc, files};
use crate::machines::spec_text::SpecText;
use serde_json::Value;
use std::path::Path;

/// Where it was printed, the schema that it should fit, and what was printed.
pub(crate) struct Printed {
    pub(crate) place: String,
    pub(crate) schema: String,
    pub(crate) document: Value,
}

/// The name of the schema of a format: `fabc.tables.bin/1` is `tables_bin`, `fabc.topology/2` `topology_2`.
pub(crate) fn schema_name(tag: &str) -> String {
    let (name, version) =
        tag.trim_start_matches("fabc.").split_once('/').unwrap_or_else(|| panic!("`{tag}` has no version"));
    let name = name.replace('.', "_");
    if version == "1" { name } else { format!("{name}_{version}") }
}

/// All documents that the commands print.
pub(crate) fn printed() -> Vec<Printed> {
    let place = tempfile::tempdir().unwrap();
    let mut documents = Documents { place: place.path().to_owned(), list: Vec::new() };
    pods(&mut documents);
    networks(&mut documents);
    scheduled(&mut documents);
    slices(&mut documents);
    commands(&mut documents);
    cache(&mut documents);
    messages(&mut documents);
    documents.list
}

struct Documents {
    place: std::path::PathBuf,
    list: Vec<Printed>,
}

impl Documents {
    /// Builds a spec, and takes all of its files.
    fn build(&mut self, name: &str, text: &str, args: &[&str]) {
        std::fs::write(self.place.join(format!("{name}.fab")), text).unwrap();
        let out = format!("built/{name}");
        fabc(&self.place, &[&["build", &format!("{name}.fab"), "-q", "--out", &out], args].concat(), 0);
        self.folder(&out);
    }

    /// Takes all JSON files of a folder, and the first lines of binary ones.
    fn folder(&mut self, folder: &str) {
        for (path, bytes) in files(&self.place.join(folder)) {
            let name = path.to_string_lossy().into_owned();
            let text = match name.rsplit_once('.') {
                Some((_, "json")) => String::from_utf8(bytes).unwrap(),
                Some((_, "bin")) => {
                    String::from_utf8_lossy(bytes.split(|&byte| byte == b'\n').next().unwrap()).into_owned()
                }
                _ => continue,
            };
            let schema = [("config_db", ".config_db.json"), ("patch", ".patch.json")]
                .into_iter()
                .find(|(_, end)| name.ends_with(end));
            self.take(&format!("{folder}/{name}"), schema.map(|(schema, _)| schema), &text);
        }
    }

    /// Runs a command, and takes what it prints.
    fn run(&mut self, args: &[&str], code: i32) {
        let (out, _) = fabc(&self.place, args, code);
        self.take(&args.join(" "), None, &out);
    }

    /// Takes a document. Without a schema its tag names it.
    fn take(&mut self, place: &str, schema: Option<&str>, text: &str) {
        let document: Value =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{place}: {error}: {text}"));
        let tag = || document["format"].as_str().unwrap_or_else(|| panic!("{place} has no format tag"));
        let schema = schema.map_or_else(|| schema_name(tag()), str::to_owned);
        self.list.push(Printed { place: place.to_owned(), schema, document });
    }
}

/// Pods: faults, switches of every kind, demand, a floor, simulations, collectives. Tables in both forms.
fn pods(documents: &mut Documents) {
    let small = SpecText::pod([2, 2, 2], 2)
        .named("small")
        .with("require diameter <= 9; require fault.max_channel_load <= 2 * bound;")
        .with("simulate open { rates = 0.2; warmup = 100 cycles; measure = 200 cycles; seeds = 2; scenarios = all; }")
        .with("simulate hot { births = bursts { rate = 0.8; length = 20 cycles; } traffic = hotspot { share = 0.5; at = [3, 7]; } warmup = 100 cycles; measure = 200 cycles; rates = 0.1; }")
        .with("simulate flits { model = flit { hosts = 2; window = 8; } rates = 0.1; warmup = 100 cycles; measure = 200 cycles; }")
        .with("simulate spread { traffic = all_to_all { bytes = 100 B; order = turns; } }")
        .with("collective sums = all_reduce { size = 1 MiB; } collective all = all_to_all { size = 1 MiB; }")
        .with("collective start = broadcast { root = 1; size = 1 MiB; } collective trees = all_reduce { size = 64 KiB; algorithm = trees; }")
        .with("collective tiny = all_gather { size = 1 KiB; chunks = 64; }")
        .with("job step { axes { rows = 4; others = 4; } phase first { collective in = all_gather { over = rows; size = 1 MiB; } collective exchange = all_to_all { over = rows; size = 1 KiB; skew = 1.3; } } phase last { send on { along = others; size = 1 KiB; } } reconfigure { switch = 10 ms; } }")
        .with("job rows { axes { others = 2; row = 8; } phase all { collective in = all_gather { over = row; size = 1 MiB; } collective out = reduce_scatter { over = row; size = 1 MiB; } } }");
    documents.build("small", &format!("param sides = 2;\n{}", small.text()), &["--set", "sides=3"]);
    documents.build("analyzed", &small.clone().named("analyzed").text(), &["--until", "analyze"]);
    let links = SpecText::pod([2, 2, 2], 2).named("links").with("budget { vcs = 2; faults = 1 link; }");
    documents.build("links", &links.text(), &[]);
    documents.build("binary", &links.named("binary").text(), &["--tables-form", "binary"]);
    documents.build(
        "configurable",
        &SpecText::configurable("synthesize { symmetry = none; seed = 1; }").named("configurable").text(),
        &[],
    );
    let demand = "demand { all_to_all weight 1; all_to_all over groups of 8 weight 3; }";
    documents.build(
        "unequal",
        &SpecText::pod([2, 2, 2], 2)
            .named("unequal")
            .with("budget { vcs = 2; faults = 0; }")
            .with(demand)
            .text(),
        &[],
    );
    let scheduled_pod = SpecText::pod([2, 2, 2], 4)
        .named("laid")
        .with("link copper { bandwidth = 50 GB/s; latency = 10 cycles; per_metre = 5 ns; cost = 80; }")
        .with("link fiber { bandwidth = 50 GB/s; latency = 10 cycles; per_metre = 5 ns; cost = 150; power = 2 W; }")
        .with("topology = torus 4 x 4 x 2; routing = dimension_order; budget { vcs = 2; faults = 0; }")
        .with("floor { ocs = at 0 x 0; grid = fixed 1 x 5; install = 30; }");
    documents.build("laid", &scheduled_pod.text(), &[]);
    let single_pod = SpecText::pod([2, 2, 2], 1)
        .named("one")
        .with("topology = torus 2 x 2 x 2; routing = up_down; budget { vcs = 2; faults = 0; }")
        .with("job listed = phases \"step.json\" {}");
    let gather = r#"{"name":"in","kind":"all_gather","bytes":4096,"times":2,"groups":[[0,1],[2,3]]}"#;
    let send =
        r#"{"name":"on","kind":"send","both":true,"wrap":false,"bytes":64,"times":1,"groups":[[0,4]]}"#;
    let phases = format!(
        r#"{{"name":"a","after":[],"compute_ps":0,"operations":[{gather}]}},{{"name":"b","after":["a"],"compute_ps":1,"operations":[{send}]}}"#
    );
    let step = format!(r#"{{"format":"fabc.phases/1","ranks":8,"compute_ps":5,"phases":[{phases}]}}"#);
    std::fs::write(documents.place.join("step.json"), step).unwrap();
    documents.build("one", &single_pod.text(), &[]);
}

/// Networks: families with formulas, a floor, random failures, ways that are chosen.
fn networks(documents: &mut Documents) {
    let wire =
        "link wire { bandwidth = 100 Gbps; latency = 20 ns; per_metre = 5 ns; cost = 50; power = 1 W; }";
    let router =
        "router { radix = 16; hosts = 2; vcs = 8; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }";
    let network = |name: &str, topology: &str| SpecText::network(topology).named(name).with(router);
    for (name, topology) in [
        ("torus", "torus 4 x 5;"),
        ("hyperx", "hyperx 3 x 4;"),
        ("cube", "hypercube { dimensions = 4; }"),
        ("folded", "folded_hypercube { dimensions = 4; }"),
        (
            "dragonfly",
            "dragonfly { a = 4; h = 2; g = 9; arrangement = palmtree; local = wire; global = wire; }",
        ),
        ("star", "polarstar { q = 3; supernode = iq; degree = 3; }"),
    ] {
        documents.build(name, &network(name, topology).with("routing = algebraic;").text(), &[]);
    }
    let fly = network("fly", "dragonfly { a = 4; h = 2; g = 9; arrangement = palmtree; local = wire; global = wire; }")
        .with("failures { seeds = 3; links <= 40%; } require disconnect_share >= 0.01;")
        .with("simulate ways { routing = ugal { samples = 2; } rates = 0.1; warmup = 100 cycles; measure = 200 cycles; }")
        .with("simulate full { traffic = adversarial; warmup = 100 cycles; measure = 200 cycles; }");
    documents.build("fly", &fly.text(), &[]);
    let sprayed = network("sprayed", "leaf_spine { leaves = 4; spines = 2; }")
        .with("routing = spray; budget { vcs = 1; faults = 1 link; }");
    documents.build("sprayed", &sprayed.text(), &[]);
    documents.build("kautz", &network("kautz", "kautz { degree = 3; length = 2; }").text(), &[]);
    let ring = network("ring", "ring_n { routers = 16; degree = 4; seed = 1; }").with(wire);
    documents.build("ring", &ring.with("floor { cabinet = 4; install = 20; }").text(), &[]);
}

/// Vectors at cycles: sums, messages, groups, what rests.
fn scheduled(documents: &mut Documents) {
    let spec = |name: &str, collectives: &str| {
        format!(
            "fabric {name} {{ clock = 900 MHz; link board {{ bandwidth = 100 Gbps; latency = 217 cycles; }}
             router {{ radix = 7; hosts = 0; vcs = 1; flit = 328 B; buffer = 0 flits; latency = 433 cycles; }}
             topology = hyperx 8; routing = scheduled {{ vector = 320 B; }} {collectives} }}"
        )
    };
    let sums = "collective one = all_reduce { size = 2560 B; } collective two = all_reduce { size = 20480 B; after = one; }";
    documents.build("sums", &spec("sums", sums), &[]);
    documents.build("sums_bin", &spec("sums_bin", sums), &["--tables-form", "binary"]);
    let sends = "collective some = send { from = 0; to = 1; size = 2560 B; paths = any; } collective all = all_to_all { size = 20480 B; after = some; }";
    documents.build("sends", &spec("sends", sends), &[]);
}

/// A pod for several jobs, another placement of it, and the way there.
fn slices(documents: &mut Documents) {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/small_slices.fab"))
        .unwrap();
    documents.build("slices", &text, &[]);
    let built = "built/slices/small_slices";
    fabc(
        &documents.place,
        &[
            "place", built, "--down", "cube5", "--swap", "cube5", "--remove", "train-0", "--out", "placed",
            "-q",
        ],
        0,
    );
    documents.folder("placed");
    documents.run(&["place", "placed", "--emit", "slices_json=-", "-q"], 0);
    documents.run(&["plan", "placed", "--live", built, "--json"], 2);
    documents.run(&["drift", "placed", "--live", built, "--json"], 3);
    documents.run(&["drift", built, "--live", built, "--json"], 0);
}

/// The words of a command line without blanks in a word.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// What a build keeps for the next ones, and what `fabc cache` says of it.
fn cache(documents: &mut Documents) {
    let grouped = SpecText::pod([2, 2, 1], 2)
        .with("demand { all_to_all over groups of 4 weight 4; all_to_all weight 1; }")
        .with("collective sum = all_reduce { size = 1 MiB; }")
        .text();
    std::fs::write(documents.place.join("grouped.fab"), grouped).unwrap();
    let mut build = command(&documents.place, &["build", "grouped.fab", "-q", "--out", "cached"]);
    let built = build.env("FABC_CACHE", "cache").output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    documents.folder("cache");
    documents.run(&["cache", "--json"], 0);
}

/// Documents that commands print on built directories.
fn commands(documents: &mut Documents) {
    plans(documents);
    differences(documents);
    repairs(documents);
    analyses(documents);
    estimates(documents);
    shards_and_sweeps(documents);
}

/// Plans between two cross-connects of a pod: without tables, and with tables for every stage.
fn plans(documents: &mut Documents) {
    let pod =
        |seed: u32| SpecText::configurable(&format!("synthesize {{ symmetry = none; seed = {seed}; }}"));
    for seed in [1, 2] {
        std::fs::write(documents.place.join("pod.fab"), pod(seed).text()).unwrap();
        fabc(&documents.place, &["build", "pod.fab", "-q", "--out", &format!("seed{seed}")], 0);
    }
    documents.run(&["plan", "seed2/pod", "--live", "seed1/pod", "--json", "--patch", "patches"], 2);
    documents.folder("patches");
    for (name, topology) in
        [("old", "torus 4 x 4 x 2;"), ("new", "synthesize { symmetry = translation; effort = 1; seed = 1; }")]
    {
        let spec = SpecText::pod([2, 2, 2], 4)
            .with("budget { vcs = 2; faults = 0; }")
            .with(&format!("topology = {topology}"));
        std::fs::write(documents.place.join("pod.fab"), spec.text()).unwrap();
        fabc(&documents.place, &["build", "pod.fab", "-q", "--out", name], 0);
    }
    fabc(&documents.place, &words("plan new/pod --live old/pod --out way --load 1.5 --order new"), 2);
    documents.folder("way");
}

/// Differences of two directories, and of a directory and live switches.
fn differences(documents: &mut Documents) {
    documents.run(&["diff", "old/pod", "new/pod", "--json"], 2);
    documents.run(&["diff", "seed1/pod", "seed2/pod", "--json", "--tolerance", "1%"], 2);
    documents.run(&["diff", "built/links/links", "built/binary/binary", "--json"], 2);
    documents.run(&["diff", "built/small/small", "built/analyzed/analyzed", "--json"], 2);
    documents.run(&["diff", "built/torus/torus", "built/hyperx/hyperx", "--json"], 2);
    documents.run(&["drift", "seed1/pod", "--live", "seed2/pod", "--json"], 2);
}

/// The pod that most documents are about.
const SMALL: &str = "built/small/small";

/// Repairs by kept tables, by new tables, and from an earlier repair.
fn repairs(documents: &mut Documents) {
    for line in [
        "--down X[0,0] --out covered -q",
        "--down cube0[0,0,0].+x --down cube1[1,1,1] --out local -q",
        "--down cube0[0,0,0].+x --from local --out since -q",
    ] {
        fabc(&documents.place, &[&["repair", SMALL][..], &words(line)].concat(), 0);
    }
    for folder in ["covered", "local", "since"] {
        documents.folder(folder);
    }
}

/// Availability, tables, collectives and simulations of built directories.
fn analyses(documents: &mut Documents) {
    documents.run(&["sim", SMALL, "--job", "step", "--json"], 0);
    documents.run(&["sim", SMALL, "--collective", "start", "--json"], 0);
    let fail = "host=0.0008/day,cable=0.00005/day,ocs=0.0004/day";
    documents.run(&["availability", SMALL, "--job", "1", "--host-chips", "4", "--fail", fail, "--json"], 0);
    let fail = "host=8e-4/day,cable=5e-5/day,ocs=0.0004/day";
    documents.run(
        &["availability", "built/slices/small_slices", "--host-chips", "4", "--fail", fail, "--json"],
        0,
    );
    let years = ["operate", SMALL, "--years", "1", "--host-chips", "4", "--fail", fail];
    documents.run(&[&years[..], &["--seeds", "1", "--json"]].concat(), 0);
    let stock = ["--seeds", "2", "--stock", "host=1", "--restock", "2days", "--out", "years", "-q"];
    let policies = ["--policy", "cables = [swap, around]; faults = [0, 1]"];
    fabc(&documents.place, &[&years[..], &stock, &policies].concat(), 0);
    documents.folder("years");
    documents.run(&["verify", SMALL, "--operate", "years", "--json"], 0);
    documents.run(&["tables", SMALL, "--router", "3", "--json"], 0);
    documents.run(&["tables", "built/sends/sends", "--router", "3", "--json"], 0);
    documents.run(&["collective", SMALL, "--size", "1MiB", "--scenario", "all", "--json"], 0);
    documents.run(&["collective", "built/torus/torus", "--size", "1kB", "--chunks", "64", "--json"], 0);
    documents.run(&["route", SMALL, "3", "9", "--json"], 0);
    documents.run(&["route", SMALL, "3", "9", "--scenario", "all", "--json"], 0);
    let cycles = "warmup = 100 cycles; measure = 200 cycles;";
    documents.run(&["sim", SMALL, "--saturation", "--with", cycles, "--json"], 0);
    documents.run(&["sim", SMALL, "built/torus/torus", "--compare", "--with", cycles, "--json"], 0);
    let finite = "traffic = all_to_all { bytes = 100 B; }";
    documents.run(&["sim", SMALL, "built/torus/torus", "--compare", "--with", finite, "--json"], 0);
    for args in [
        &["verify", SMALL, "--json"][..],
        &["verify", "built/slices/small_slices", "--json"],
        &["verify", SMALL, "--repair", "covered", "--json"],
        &["verify", "new/pod", "--plan", "way", "--from", "old/pod", "--json"],
        &["verify", SMALL, "--window", "150", "--block", "hot", "--json"],
        &["build", "links.fab", "--out", "again", "--json"],
        &["build", "slices.fab", "--out", "again", "--json"],
        &["check", "links.fab", "--json"],
        &["check", "slices.fab", "--json"],
        &["check", "torus.fab", "--until", "synthesize", "--json"],
        &["check", "torus.fab", "--until", "analyze", "--json"],
        &["graph", "links.fab", "--json"],
        &["graph", "torus.fab", "--json"],
        &["repair", SMALL, "--down", "cube0[0,0,0].+x", "--out", "more", "--json"],
        &["place", "built/slices/small_slices", "--remove", "train-1", "--out", "placed_again", "--json"],
        &["explain", "FAB0401", "--json"],
        &["explain", "bandwidth", "--json"],
    ] {
        documents.run(args, 0);
    }
    let huge = SpecText::network("torus 400 x 400;").named("huge").with("require diameter <= 400;");
    std::fs::write(documents.place.join("huge.fab"), huge.text()).unwrap();
    documents.run(&["check", "huge.fab", "--json"], 0);
}

/// Estimates for one shape, for several, and for groups of groups.
fn estimates(documents: &mut Documents) {
    for line in [
        "estimate all_reduce --size 16MB --on torus:8x8x8 --bandwidth 900GB/s --alpha 500ns --json",
        "estimate all_to_all --size 16MB --on mesh:4x4 --on leaf_spine:16 --on dragonfly:8x4 \
         --bandwidth 900GB/s --alpha 500ns --json",
        "estimate job --model mixtral-8x7b --axes expert=8,data=8 --batch sequences=64,length=4096 \
         --on torus:4x4x4 --json",
        "estimate job --model llama-3.1-8b --axes tensor=4,data=16 --batch sequences=64,length=4096 \
         --compute rate=275TFLOP/s,share=40% --on star:64 --json",
        "estimate all_reduce --size 1kB --on full_mesh:8 --over fat_tree:64 --bandwidth 900GB/s \
         --outer-bandwidth 50GB/s --alpha 500ns --json",
    ] {
        documents.run(&words(line), 0);
    }
}

/// Files that the shards of a build keep, and files of a sweep.
fn shards_and_sweeps(documents: &mut Documents) {
    let ring = SpecText::network("torus n x n;").named("ring").with("require diameter <= most;").text();
    std::fs::write(
        documents.place.join("ring.fab"),
        format!("param n = 4 in 2..=12;\nparam most = 8;\n{ring}"),
    )
    .unwrap();
    for spec in ["links.fab", "small.fab"] {
        fabc(&documents.place, &["build", spec, "--shard", "1/2", "--out", "shards", "-q"], 0);
    }
    documents.folder("shards");
    fabc(
        &documents.place,
        &words("sweep ring.fab --set n=3,6 --set most=2,8 --until analyze -o swept -q"),
        0,
    );
    documents.run(&["sweep", "merge", "swept", "--json"], 0);
    documents.run(&["sweep", "verify", "swept", "--json"], 0);
    documents.run(&words("sweep prepare ring.fab --set n=3,4 -o prepared --json"), 0);
    documents.run(&words("shards submit links.fab --out submitted --shards 2 --workers 1 --json"), 0);
    documents.run(&words("shards merge submitted/links.shards --json"), 0);
    documents.folder("swept");
}

/// Lines of `--message-format json`, and what it makes of judgements on files of others.
fn messages(documents: &mut Documents) {
    let tables = [
        "verify",
        "--tables",
        "built/small/small/tables/nominal.json",
        "--topology",
        "built/small/small/topology.json",
    ];
    let plan = [
        "verify",
        "--collective",
        "built/small/small/collectives/sums.json",
        "--topology",
        "built/small/small/topology.json",
    ];
    fabc(
        &documents.place,
        &[
            "collective",
            "built/small/small",
            "--collective",
            "all_gather",
            "--size",
            "1MiB",
            "--emit",
            "msccl=program.xml",
        ],
        0,
    );
    let program = ["verify", "--collective", "program.xml", "--topology", "built/small/small/topology.json"];
    for args in [&tables[..], &plan, &program] {
        let (out, _) = fabc(&documents.place, &[args, &["--json"]].concat(), 0);
        documents.take(&args.join(" "), None, &out);
    }
    let spec = SpecText::pod([2, 2, 2], 2)
        .text()
        .replace("over copper", "over iron")
        .replace("routing = allowed_turns", "routing = astrology");
    std::fs::write(documents.place.join("wrong.fab"), spec).unwrap();
    std::fs::write(documents.place.join("unfinished.fab"), "fabric pod {\n    cubes = ;\n    link").unwrap();
    for args in [
        &["check", "wrong.fab"][..],
        &["check", "unfinished.fab"],
        &["check", "nowhere.fab"],
        &["build", "small.fab", "--out", "told", "--verbose"],
    ] {
        let output =
            command(&documents.place, &[args, &["--message-format", "json"]].concat()).output().unwrap();
        for line in String::from_utf8(output.stderr).unwrap().lines() {
            documents.take(&args.join(" "), None, line);
        }
    }
}
