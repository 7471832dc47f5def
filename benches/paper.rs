//! `cargo bench --bench paper [-- PART-OF-A-NAME ..]` builds the specs of `specs/paper` and `specs/scale` up
//! to the analysis, each in its own process. It prints the tables of `docs/benchmarks.md`: paper, fabc,
//! universal bound, seconds, memory.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark looks at the clock; nothing that fabc writes depends on it"
)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The rounding error of the last digit of the printed flows.
const HALF_A_UNIT: f64 = 0.000_005;

/// The result of one build.
struct Run {
    report: Value,
    seconds: f64,
    /// Peak resident memory in MB. It is 0 where the system does not measure it.
    megabytes: u64,
    holds: bool,
}

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let chosen = |spec: &str| wanted.is_empty() || wanted.iter().any(|part| spec.contains(part.as_str()));
    let out = std::env::temp_dir().join(format!("fabc-paper-{}", std::process::id()));
    let paper = std::fs::read_to_string("specs/paper/appendix_c.csv")
        .expect("run it from the root of the repository");
    println!(
        "| spec | chips | paper: diameter, hops | paper: flow | fabc: diameter, hops | fabc: flow, certified | universal bound | reached | require | s | MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for line in paper.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let [spec, chips, _, diameter, hops, flow, bound] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("a row of seven: {line}")
        };
        if !chosen(spec) {
            continue;
        }
        // A flow above the distance bound of its own hops cannot be: the bound is what is left of it.
        let (printed, bound): (f64, f64) =
            (flow.parse().expect("a number"), bound.parse().expect("a number"));
        let consistent = if printed - HALF_A_UNIT > bound {
            format!("{flow} (at most {bound:.6})")
        } else {
            flow.to_owned()
        };
        let run = build(&PathBuf::from(format!("specs/paper/{spec}.fab")), &out);
        println!("| `{spec}` | {chips} | {diameter}, {hops} | {consistent} | {}", cells(&run));
    }
    println!();
    println!(
        "| spec | chips | fabc: diameter, hops | fabc: flow, certified | universal bound | reached | require | s | MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for cubes in [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128] {
        let spec = format!("cubes_{cubes}");
        if chosen(&spec) {
            println!(
                "| `{spec}` | {} | {}",
                cubes * 64,
                cells(&build(&PathBuf::from(format!("specs/scale/{spec}.fab")), &out))
            );
        }
    }
    let _ = std::fs::remove_dir_all(&out);
}

/// The columns that say what fabc reached.
fn cells(run: &Run) -> String {
    let metrics = &run.report["metrics"];
    let number = |value: &Value| value.as_f64().expect("a number");
    let flow = &metrics["concurrent_flow"];
    let universal = &run.report["bounds"]["universal"];
    format!(
        "{}, {:.4} | [{:.6e}, {:.6e}] | {:.6e} | {:.1} % | {} | {:.1} | {} |",
        metrics["diameter"],
        number(&metrics["average_hops"]),
        number(&flow[0]),
        number(&flow[1]),
        number(&universal["value"]),
        100.0 * number(&universal["share"]),
        if run.holds { "holds" } else { "**broken**" },
        run.seconds,
        run.megabytes,
    )
}

fn build(spec: &Path, out: &Path) -> Run {
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_fabc"))
        .args(["build", "--quiet", "--stop-after", "analyze", "--out"])
        .arg(out)
        .arg(spec)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("fabc runs");
    let mut megabytes = 0;
    let status = loop {
        megabytes = megabytes.max(peak(child.id()));
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let seconds = started.elapsed().as_secs_f64();
    let name = spec.file_stem().expect("a spec has a name").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(out.join(&name).join("report.json"))
        .unwrap_or_else(|error| panic!("{name}: {error}, {status}"));
    Run {
        report: serde_json::from_str(&text).expect("a report"),
        seconds,
        megabytes,
        holds: status.success(),
    }
}

/// Peak resident memory of a process so far, as Linux tells it.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()).unwrap_or(0) / 1000
}
