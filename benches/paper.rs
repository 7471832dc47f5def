//! `cargo bench --bench paper [-- PART-OF-A-NAME ..]` builds the specs of `specs/paper` and `specs/scale` up
//! to the analysis, each in a process of its own, and prints two tables: paper, fabc, universal bound, time
//! and memory. `docs/benchmarks.md` has the columns that do not depend on the machine.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark looks at the clock; nothing that fabc writes depends on it"
)]

mod measure;

use measure::{Measured, arguments, fabc, measure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The rounding errors of the last digits of the printed flows and hops.
const HALF_A_UNIT_OF_FLOW: f64 = 0.000_005;
const HALF_A_UNIT_OF_HOPS: f64 = 0.000_5;

/// A build and its report.
struct Run {
    report: Value,
    measured: Measured,
}

fn main() {
    let wanted = arguments();
    let chosen = |spec: &str| wanted.is_empty() || wanted.iter().any(|part| spec.contains(part.as_str()));
    let out = std::env::temp_dir().join(format!("fabc-paper-{}", std::process::id()));
    let paper = std::fs::read_to_string("specs/paper/appendix_c.csv")
        .expect("run it from the root of the repository");
    println!(
        "| spec | chips | paper: diameter, hops | paper: flow | fabc: diameter, hops | fabc: flow, certified | universal bound | reached | require | s | user s | MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for line in paper.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let [spec, chips, _, diameter, hops, flow, bound] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("a row of seven: {line}")
        };
        if !chosen(spec) {
            continue;
        }
        // A flow above the distance bound of its own hops cannot be, whatever the last digits hide.
        let [printed, hops_printed, bound] =
            [flow, hops, bound].map(|text| text.parse::<f64>().expect("a number"));
        let highest_bound = bound * hops_printed / (hops_printed - HALF_A_UNIT_OF_HOPS);
        let consistent = if printed - HALF_A_UNIT_OF_FLOW > highest_bound {
            format!("{flow} (at most {bound:.6})")
        } else {
            flow.to_owned()
        };
        let run = build(&PathBuf::from(format!("specs/paper/{spec}.fab")), &out);
        println!("| `{spec}` | {chips} | {diameter}, {hops} | {consistent} | {}", cells(&run));
    }
    println!();
    println!(
        "| spec | chips | fabc: diameter, hops | fabc: flow, certified | universal bound | reached | require | s | user s | MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
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
        "{}, {:.4} | [{:.6e}, {:.6e}] | {:.6e} | {:.1} % | {} | {:.1} | {:.1} | {} |",
        metrics["diameter"],
        number(&metrics["average_hops"]),
        number(&flow[0]),
        number(&flow[1]),
        number(&universal["value"]),
        100.0 * number(&universal["share"]),
        if run.measured.status.success() { "holds" } else { "**broken**" },
        run.measured.seconds,
        run.measured.user_seconds,
        run.measured.megabytes,
    )
}

fn build(spec: &Path, out: &Path) -> Run {
    let arguments = ["build", "--quiet", "--until", "analyze", "--out"];
    let measured = measure(Command::new(fabc()).args(arguments).arg(out).arg(spec));
    let name = spec.file_stem().expect("a spec has a name").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(out.join(&name).join("report.json"))
        .unwrap_or_else(|error| panic!("{name}: {error}\n{}{}", measured.output, measured.errors));
    Run { report: serde_json::from_str(&text).expect("a report"), measured }
}
