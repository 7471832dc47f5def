//! Pages of built directories in a browser, where `tests/browser/check.mjs` asks them what a reader would and
//! compares what they show with the files beside them: simulations with faults and overload, schedules of
//! trees, forests, paths, messages and vectors, a pod in slices, and the difference of two builds.

use crate::support::plain::fabc;
use crate::support::spec_text::SpecText;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Routers in a torus, with traffic in faults and in overload, and with traffic that ends.
const SIMULATED: &str = "fabric simulated {
    clock = 1 GHz;
    link copper { bandwidth = 50 GB/s; latency = 1 cycles; }
    router { radix = 8; hosts = 1; vcs = 4; flit = 64 B; buffer = 100 flits; latency = 3 cycles; }
    budget { vcs = 2; faults = 1 link; }
    topology = torus 3 x 3;
    routing = allowed_turns;
    simulate peak {
        rates = 0.2 .. 1.4 step 0.3;
        overload = [1.5];
        measure = 2000 cycles; warmup = 1000 cycles; replications = 2;
        scenarios = all;
    }
    simulate burst { traffic = all_to_all { order = barrier; bytes = 4 KiB; } packet = 8 flits; }
}
";

/// Boxes, whose collectives are forests and paths.
const BOXES: &str = "fabric boxes {
    clock = 1 GHz;
    link nvlink { bandwidth = 300 GB/s; latency = 100 ns; }
    link ib { bandwidth = 25 GB/s; latency = 200 ns; }
    router leaf { radix = 40; latency = 300 ns; }
    router spine { radix = 40; latency = 300 ns; }
    box dgx { gpus = 4; switch nv { latency = 100 ns; join all over nvlink; } nics = 4 over ib; }
    boxes = 2 of dgx;
    topology = rails { spines = 2; over = ib; leaf = leaf; spine = spine; }
    routing = spray;
    collective experts = all_to_all { size = 1 MiB; }
    collective weights = all_gather { size = 1 MiB; }
    collective sums = all_reduce { size = 1 MiB; }
}
";

/// Builds specs, and returns the directories.
fn built(place: &Path, specs: &[(&str, String)]) -> Vec<PathBuf> {
    let build = |(name, text): &(&str, String)| {
        std::fs::write(place.join(format!("{name}.fab")), text).unwrap();
        fabc(place, &["build", &format!("{name}.fab"), "-q"], 0);
        place.join("out").join(name)
    };
    specs.iter().map(build).collect()
}

#[test]
fn pages_of_built_directories_work_in_a_browser() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let chromium = std::env::var_os("FABC_CHROMIUM").unwrap_or_else(|| "/usr/bin/chromium".into());
    let node = Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success());
    if !node || !Path::new(&chromium).exists() || !scripts.join("node_modules/playwright-core").is_dir() {
        // Past the test harness, which would keep it to itself.
        let why =
            "skipped: pages_of_built_directories_work_in_a_browser needs Debian's chromium, and `npm ci`";
        let _ = writeln!(std::io::stderr(), "{why} in tests/browser");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let collectives = "collective sums = all_reduce { size = 1 MiB; algorithm = trees; }\n\
                       collective experts = all_to_all { size = 1 MiB; }";
    let pod = SpecText::pod([2, 2, 2], 2).with(collectives);
    let slices = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ok/slices.fab");
    let sliced = std::fs::read_to_string(slices).unwrap().replace("fabric pod {", "fabric sliced {");
    let mut pages = built(
        place.path(),
        &[
            ("simulated", SIMULATED.to_owned()),
            ("boxes", BOXES.to_owned()),
            ("pod", pod.clone().named("pod").text()),
            ("other", SpecText::pod([2, 2, 2], 2).named("other").text()),
            ("sliced", sliced),
        ],
    );
    fabc(place.path(), &["diff", "out/pod", "out/other", "--page", "diff.html"], 2);
    pages.push(place.path().join("diff.html"));
    let output = Command::new("node")
        .arg(scripts.join("check.mjs"))
        .args(&pages)
        .env("FABC", env!("CARGO_BIN_EXE_fabc"))
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{}{}", printed[0], printed[1]);
    let page = std::fs::read_to_string(place.path().join("out/simulated/report.html")).unwrap();
    for told in ["18 faults, best to worst", "long runs in overload, worst to best source", "worst fault"] {
        assert!(page.contains(told), "the page does not say: {told}");
    }
}
