//! `cargo bench --bench table [-- [--long] [--write] [PART-OF-A-ROW ..]]`: one table of what fabc does on
//! shipped specs: what it reached, beside the bound that is proved, and what that took.
//!
//! Every row is a command of fabc in a process of its own. `--write` puts the table into
//! `docs/benchmarks.md`. `--long` adds the rows that take more than a minute. Where a command reads a
//! directory, the directory is built first, and that build is not measured. `FABC=PATH` measures another fabc
//! than the one that cargo built.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark looks at the clock; nothing that fabc writes depends on it"
)]

mod measure;
#[path = "measure/page.rs"]
mod page;
#[path = "measure/workplace.rs"]
mod workplace;

use measure::{Measured, arguments, fabc, measure};
use page::{machine, write_between};
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use workplace::Workplace;

/// The table of the page stands between these lines.
const MARKERS: [&str; 2] = ["<!-- table -->", "<!-- end of table -->"];

/// One row: what is looked at, and the command of fabc.
struct Row {
    subject: &'static str,
    arguments: &'static [&'static str],
    /// Takes more than a minute.
    is_long: bool,
}

const fn row(subject: &'static str, arguments: &'static [&'static str]) -> Row {
    Row { subject, arguments, is_long: false }
}

const fn long_row(subject: &'static str, arguments: &'static [&'static str]) -> Row {
    Row { subject, arguments, is_long: true }
}

/// All rows. Builds stand before the commands that read their directories.
const ROWS: &[Row] = &[
    row("pod, 2 cubes", &["build", "specs/pod_128.fab"]),
    row("pod, 4 cubes", &["build", "specs/pod_256.fab"]),
    row("pod, 16 cubes", &["build", "specs/pod_1024.fab"]),
    long_row("pod, 128 cubes", &["build", "specs/pod_8192.fab"]),
    row("pod, 8 cubes of 2x2x2", &["build", "specs/small_cubes.fab"]),
    row("pod, two axes with switches", &["build", "specs/two_faces.fab"]),
    row("torus", &["build", "specs/torus_4x4x8.fab"]),
    row("twisted torus", &["build", "specs/twisted_4x8x8.fab"]),
    row("pod, demand of groups", &["build", "specs/traffic_groups.fab"]),
    row("pod, demand of a matrix", &["build", "specs/traffic_matrix.fab"]),
    row("pod on a floor", &["build", "specs/pod_256_floor.fab"]),
    row("64 cubes in slices", &["build", "specs/superpod.fab"]),
    row("pod with collectives", &["build", "specs/collectives_128.fab"]),
    row("pod of the paper", &["build", "--until", "analyze", "specs/paper/tons_lp_sym_512.fab"]),
    row("twisted torus of the paper", &["build", "--until", "analyze", "specs/paper/twisted_8x8x16.fab"]),
    row("pod, 64 cubes", &["build", "--until", "analyze", "specs/scale/cubes_64.fab"]),
    row("pod, 128 cubes", &["build", "--until", "analyze", "specs/scale/cubes_128.fab"]),
    row("dragonfly", &["build", "specs/networks/dragonfly_264.fab"]),
    row("PolarStar", &["build", "specs/networks/polarstar_168.fab"]),
    row("PolarStar", &["build", "specs/networks/polarstar_1064.fab"]),
    row("PolarStar, described", &["check", "specs/networks/polarstar_627570.fab"]),
    row("Kautz graph", &["build", "specs/networks/kautz_80.fab"]),
    row("fat tree", &["build", "specs/networks/fat_tree_972.fab"]),
    row("HyperX", &["build", "specs/networks/hyperx_9x9x8.fab"]),
    row("Slim Fly", &["build", "specs/networks/slim_fly_98.fab"]),
    row("SpectralFly", &["build", "specs/networks/spectralfly_660.fab"]),
    row("megafly", &["build", "specs/networks/megafly_136.fab"]),
    row("nested groups", &["build", "specs/networks/levels_360.fab"]),
    row("graph of a file", &["build", "specs/networks/lab.fab"]),
    row("searched network, on a floor", &["build", "specs/networks/searched_96_floor.fab"]),
    row("random ring, on a floor", &["build", "specs/networks/ring_256_floor.fab"]),
    row("scheduled, a node", &["build", "specs/scheduled/node_8.fab"]),
    row("scheduled, dragonfly", &["build", "specs/scheduled/tsp_264.fab"]),
    row("scheduled, with a spare node", &["build", "specs/scheduled/tsp_256.fab"]),
    row("scheduled, a pipeline", &["build", "specs/scheduled/pipeline_264.fab"]),
    long_row("scheduled, 145 racks", &["build", "specs/scheduled/tsp_10440.fab"]),
    row("proof", &["verify", "out/pod_256"]),
    row("proof", &["verify", "out/pod_1024"]),
    long_row("proof", &["verify", "out/pod_8192"]),
    row("proof of slices", &["verify", "out/superpod"]),
    row("proof of collectives", &["verify", "out/collectives_128"]),
    row("proof", &["verify", "out/polarstar_1064"]),
    row("proof of a schedule", &["verify", "out/tsp_264"]),
    row("simulation, pod", &["sim", "out/pod_128", "--saturation", "--json"]),
    long_row("simulation, pod", &["sim", "out/pod_256", "--saturation", "--json"]),
    row(
        "simulation by flits",
        &["sim", "out/torus_4x4x8", "--with", "model = flit;", "--saturation", "--json"],
    ),
    long_row(
        "simulation, dragonfly by UGAL",
        &[
            "sim",
            "out/dragonfly_264",
            "--with",
            "traffic = adversarial; routing = ugal;",
            "--saturation",
            "--json",
        ],
    ),
    row(
        "all-reduce",
        &["collective", "out/pod_256", "--collective", "all_reduce", "--size", "1GiB", "--json"],
    ),
    row(
        "all-to-all",
        &["collective", "out/pod_256", "--collective", "all_to_all", "--size", "1GiB", "--json"],
    ),
    row(
        "all-gather",
        &["collective", "out/pod_1024", "--collective", "all_gather", "--size", "1GiB", "--json"],
    ),
    row("repair, a fiber", &["repair", "out/pod_256", "--down", "cube0[0,0,3].+z", "--out", "fiber"]),
    row(
        "repair, a chip and a fiber",
        &["repair", "out/pod_256", "--down", "cube3[1,2,3]", "--down", "cube0[0,0,3].+z", "--out", "chip"],
    ),
    row(
        "repair, two switches",
        &["repair", "out/pod_256", "--down", "X[0,0]", "--down", "Y[1,2]", "--out", "switches"],
    ),
    row(
        "placement of a slice",
        &["place", "out/superpod", "--remove", "serve-1", "--add", "serve=web", "--out", "placed"],
    ),
    row("change of topology", &["plan", "out/pod_256", "--live", "out/twisted_4x8x8", "--json"]),
    long_row(
        "change under traffic",
        &["plan", "out/pod_256", "--live", "out/twisted_4x8x8", "--json", "--out", "way"],
    ),
];

impl Row {
    /// The command as one types it.
    fn command(&self) -> String {
        let quoted = self.arguments.iter().map(|argument| {
            let is_plain = |letter: char| letter.is_alphanumeric() || "-_./=".contains(letter);
            if argument.chars().all(is_plain) { (*argument).to_owned() } else { format!("'{argument}'") }
        });
        format!("fabc {}", quoted.collect::<Vec<_>>().join(" "))
    }

    /// The directory that the command writes, if it is a build.
    fn built_directory(&self) -> Option<PathBuf> {
        let spec = self.arguments.last().filter(|_| self.arguments[0] == "build")?;
        Some(Path::new("out").join(Path::new(spec).file_stem().expect("a spec has a name")))
    }

    /// The directory behind `--out`, which stands last.
    fn written_directory(&self) -> &Path {
        Path::new(self.arguments.last().expect("a command has arguments"))
    }

    /// The directories that the command reads.
    fn read_directories(&self) -> impl Iterator<Item = &Path> {
        self.arguments.iter().map(Path::new).filter(|path| path.starts_with("out"))
    }
}

/// The figures of a row. What a command does not tell is empty.
#[derive(Default)]
struct Figures {
    routers: String,
    scenarios: String,
    result: String,
    /// The result over its proved bound.
    reached: Option<f64>,
    load: String,
}

impl Workplace {
    /// Runs the command of a row. `plan` says by exit code 2 that there are changes.
    fn run(&self, row: &Row) -> Measured {
        let measured = measure(Command::new(fabc()).args(row.arguments).current_dir(&self.folder));
        let succeeds =
            measured.status.success() || (row.arguments[0] == "plan" && measured.status.code() == Some(2));
        assert!(succeeds, "{}: {}\n{}", row.command(), measured.status, measured.errors);
        measured
    }

    /// Builds what the command of a row reads, where no row before it has.
    fn prepare(&self, row: &Row) {
        for directory in row.read_directories().filter(|directory| !self.folder.join(directory).exists()) {
            let build = ROWS.iter().find(|row| row.built_directory().as_deref() == Some(directory));
            self.run(build.unwrap_or_else(|| panic!("no row builds {}", directory.display())));
        }
    }

    fn figures(&self, row: &Row, measured: &Measured) -> Figures {
        let built = row.built_directory();
        let directory = built.as_deref().or_else(|| row.read_directories().last());
        let report = directory.map(|directory| self.json(directory.join("report.json")));
        let subject = report.as_ref().map(subject_figures).unwrap_or_default();
        let printed =
            || -> Value { serde_json::from_str(&measured.output).expect("the command prints JSON") };
        let figures = match row.arguments[0] {
            "build" => build_figures(report.as_ref().expect("a build writes a report")),
            "check" => check_figures(&measured.output),
            "verify" => Figures {
                result: word_before(&measured.output, " routes of ").map_or_else(
                    || "proved".to_owned(),
                    |routes| format!("{} routes walked", digits(routes)),
                ),
                ..Figures::default()
            },
            "sim" => simulation_figures(&printed()),
            "collective" => collective_figures(&printed()),
            "repair" => repair_figures(&self.json(row.written_directory().join("repair.json"))),
            "place" => build_figures(&self.json(row.written_directory().join("report.json"))),
            "plan" => plan_figures(&printed()),
            other => panic!("no figures of `fabc {other}`"),
        };
        Figures {
            routers: if figures.routers.is_empty() { subject.routers } else { figures.routers },
            scenarios: if row.arguments[0] == "build" || row.arguments[0] == "verify" {
                subject.scenarios
            } else {
                String::new()
            },
            ..figures
        }
    }
}

/// Size and scenarios, from a report.
fn subject_figures(report: &Value) -> Figures {
    let faults = report["scenarios"].as_object().map(serde_json::Map::len);
    Figures {
        routers: digits(&report["nodes"].to_string()),
        scenarios: faults.map_or_else(String::new, |faults| (faults + 1).to_string()),
        ..Figures::default()
    }
}

/// What a build reached: of a schedule its length, of slices their number, else the certified flow.
fn build_figures(report: &Value) -> Figures {
    if let Some(makespan) = report.get("makespan") {
        let [cycles, bound] = ["cycles", "bound_cycles"].map(|key| number(&makespan[key]));
        return Figures {
            result: format!("makespan {} cycles", digits(&makespan["cycles"].to_string())),
            reached: Some(bound / cycles),
            ..Figures::default()
        };
    }
    if let (Some(kinds), Some(slices)) = (report["kinds"].as_array(), report["slices"].as_array()) {
        return Figures {
            result: format!("{} slices of {} kinds", slices.len(), kinds.len()),
            ..Figures::default()
        };
    }
    let [metrics, bounds] = ["metrics", "bounds"].map(|key| &report[key]);
    let flow = &metrics["concurrent_flow"];
    // Pods have a bound that holds for every topology. Of another network the flow itself is bounded.
    let reached =
        bounds["universal"]["share"].as_f64().unwrap_or_else(|| number(&flow[0]) / number(&flow[1]));
    let worst_load = &report["worst"]["max_channel_load"]["value"];
    let load = if metrics["max_channel_load"].is_null() {
        String::new()
    } else if worst_load.is_null() {
        format!("{} / {}", metrics["max_channel_load"], bounds["load"])
    } else {
        format!("{} / {} ({worst_load})", metrics["max_channel_load"], bounds["load"])
    };
    Figures {
        result: format!("flow {} to {}", flow[0], flow[1]),
        reached: Some(reached),
        load,
        ..Figures::default()
    }
}

fn check_figures(output: &str) -> Figures {
    let routers = word_before(output, " routers").expect("`fabc check` tells the routers");
    Figures { routers: digits(routers), result: "described, not built".to_owned(), ..Figures::default() }
}

fn simulation_figures(simulation: &Value) -> Figures {
    let saturation = &simulation["scenarios"][0]["saturation"][0];
    Figures {
        result: format!("saturation {} to {}", saturation["low"], saturation["high"]),
        reached: Some(number(&saturation["share"])),
        ..Figures::default()
    }
}

fn collective_figures(collectives: &Value) -> Figures {
    let collective = &collectives["collectives"][0];
    Figures {
        result: format!(
            "{:.1} us by `{}`",
            number(&collective["time_ns"]) / 1000.0,
            collective["algorithm"].as_str().expect("an algorithm has a name")
        ),
        reached: Some(number(&collective["share"])),
        ..Figures::default()
    }
}

fn repair_figures(repair: &Value) -> Figures {
    let [load, bound] = ["repaired", "bound"].map(|key| &repair["load"][key]);
    Figures {
        result: format!("by `{}`", repair["step"].as_str().expect("a step has a name")),
        reached: Some(number(bound) / number(load)),
        load: format!("{load} / {bound}"),
        ..Figures::default()
    }
}

fn plan_figures(plan: &Value) -> Figures {
    let batches = plan["stages"].as_array().map_or_else(String::new, |stages| {
        let highest = stages.iter().chain(plan["final"].as_array().into_iter().flatten());
        let highest = highest.filter_map(|stage| stage["load"].as_u64()).max().expect("a load");
        format!(" in {} batches, load at most {highest}", stages.len())
    });
    Figures { result: format!("{} moves{batches}", plan["added"]), ..Figures::default() }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// A whole number with a comma before every third digit.
fn digits(number: &str) -> String {
    let mut text = String::new();
    for (index, digit) in number.chars().enumerate() {
        if index > 0 && (number.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The word that stands directly before `text`.
fn word_before<'a>(output: &'a str, text: &str) -> Option<&'a str> {
    output[..output.find(text)?].split_whitespace().last()
}

const COLUMNS: &str =
    "| subject | routers | scenarios | command | result | reached | load / bound | s | user s | MB |";

fn line(row: &Row, figures: &Figures, measured: &Measured) -> String {
    let reached = figures.reached.map_or_else(String::new, |share| format!("{:.1} %", 100.0 * share));
    format!(
        "| {} | {} | {} | `{}` | {} | {reached} | {} | {} | {} | {} |",
        row.subject,
        figures.routers,
        figures.scenarios,
        row.command(),
        figures.result,
        figures.load,
        seconds(measured.seconds),
        seconds(measured.user_seconds),
        measured.megabytes,
    )
}

fn seconds(seconds: f64) -> String {
    if seconds < 1.0 { format!("{seconds:.2}") } else { format!("{seconds:.1}") }
}

fn main() {
    let (options, wanted): (Vec<String>, Vec<String>) =
        arguments().into_iter().partition(|argument| argument.starts_with("--"));
    let unknown = options.iter().find(|option| !["--long", "--write"].contains(&option.as_str()));
    assert!(unknown.is_none(), "no option {unknown:?}: there are --long and --write");
    let has = |option: &str| options.iter().any(|given| given == option);
    assert!(!has("--write") || wanted.is_empty(), "--write needs all rows");
    let chosen = |row: &&Row| {
        let text = format!("{} {}", row.subject, row.command());
        (has("--long") || !row.is_long)
            && (wanted.is_empty() || wanted.iter().any(|part| text.contains(part.as_str())))
    };
    let mut table = format!(
        "{}\n\n{COLUMNS}\n{}|\n",
        machine(has("--long")),
        "|---".repeat(COLUMNS.matches('|').count() - 1)
    );
    print!("{table}");
    let workplace = Workplace::new("table");
    for row in ROWS.iter().filter(chosen) {
        workplace.prepare(row);
        let measured = workplace.run(row);
        let line = line(row, &workplace.figures(row, &measured), &measured);
        println!("{line}");
        let _ = std::io::stdout().flush();
        table += &line;
        table.push('\n');
    }
    let _ = std::fs::remove_dir_all(&workplace.folder);
    if has("--write") {
        write_between(MARKERS, &table);
    }
}
