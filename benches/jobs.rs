//! `cargo bench --bench jobs [-- [--long] [--write]]`: the jobs of `specs/jobs` beside what they should
//! reach, how long answers to questions take, and a sweep over the axes of a mixture of experts on four
//! topologies of 256 chips.
//!
//! Every row is a command of fabc in a process of its own. `--long` adds pods of 512 and 1024 chips.
//! `--write` puts the tables into `docs/benchmarks.md`. `FABC=PATH` measures another fabc than the one that
//! cargo built.

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
use std::process::Command;
use workplace::Workplace;

/// The tables of the page stand between these lines.
const REACHED: [&str; 2] = ["<!-- jobs -->", "<!-- end of jobs -->"];
const QUESTIONS: [&str; 2] = ["<!-- questions of jobs -->", "<!-- end of questions of jobs -->"];
const SWEEP: [&str; 2] = ["<!-- sweep of jobs -->", "<!-- end of sweep of jobs -->"];

/// A spec of `specs/jobs`, with the communication that it should not exceed.
struct Floor {
    spec: &'static str,
    job: &'static str,
    seconds: f64,
    is_long: bool,
}

const FLOORS: [Floor; 5] = [
    Floor { spec: "moe_128", job: "moe", seconds: 3.36, is_long: false },
    Floor { spec: "moe_256", job: "moe", seconds: 1.79, is_long: false },
    Floor { spec: "moe_512", job: "moe", seconds: 1.01, is_long: true },
    Floor { spec: "dense_128", job: "dense", seconds: 3.19, is_long: false },
    Floor { spec: "experts_128", job: "experts", seconds: 3.17, is_long: false },
];

/// A command, with the CPU seconds that it should not exceed.
struct Question {
    /// Blanks part its words.
    command: &'static str,
    seconds: f64,
    is_long: bool,
}

/// They ask about the directories of the first table. The last two need a directory of their own.
const ASKED: [Question; 9] = [
    Question { command: "check specs/jobs/moe_256.fab", seconds: 0.2, is_long: false },
    Question { command: "check specs/jobs/moe_1024.fab", seconds: 0.2, is_long: false },
    Question { command: "job out/moe_128 --place order", seconds: 1.0, is_long: false },
    Question {
        command: "job out/moe_128 --set axes.expert=16 --set axes.data=8",
        seconds: 1.0,
        is_long: false,
    },
    Question { command: "job out/moe_256 --place order", seconds: 1.0, is_long: false },
    Question { command: "job out/moe_256 --place search", seconds: 10.0, is_long: false },
    Question { command: "build -q specs/pod_1024.fab", seconds: f64::INFINITY, is_long: true },
    // As long again as the pod without a job.
    Question { command: "build -q specs/jobs/moe_1024.fab", seconds: f64::INFINITY, is_long: true },
    Question { command: "job out/moe_1024 --place search", seconds: 60.0, is_long: true },
];

/// The topologies of the sweep: what stands in the spec of the mixture of experts on 256 chips.
const TOPOLOGIES: [(&str, &str); 4] = [
    ("torus", "torus 4 x 8 x 8"),
    ("twisted", "twisted_torus 4 x 8 x 8"),
    ("uniform", "synthesize { effort = 1; seed = 1; }"),
    ("for the job", "synthesize { for = moe; effort = 1; seed = 1; }"),
];
const CHIPS: u32 = 256;
const EXPERTS: [u32; 3] = [16, 32, 64];
const TENSORS: [u32; 4] = [1, 2, 4, 8];

impl Workplace {
    fn run(&self, arguments: &[&str]) -> Measured {
        let measured = measure(Command::new(fabc()).args(arguments).current_dir(&self.folder));
        assert!(
            measured.status.success(),
            "{}: {}\n{}",
            arguments.join(" "),
            measured.status,
            measured.errors
        );
        measured
    }

    /// Builds a spec and verifies the directory. A row of the first table.
    fn floor_row(&self, floor: &Floor) -> String {
        let Floor { spec, job, seconds, .. } = floor;
        let built = self.run(&["build", "-q", &format!("specs/jobs/{spec}.fab")]);
        let verified = self.run(&["verify", "-q", &format!("out/{spec}")]);
        let file = self.json(format!("out/{spec}/jobs/{job}.json"));
        let healthy = &file["scenarios"][0];
        let worst = file["scenarios"].as_array().and_then(|all| {
            all.iter()
                .skip(1)
                .map(|scenario| milliseconds(&scenario["communication_ns"]))
                .max_by(f64::total_cmp)
        });
        let taken = &file["topologies"][0];
        let best_paths =
            taken["estimate_ns"].as_f64().map_or("-".to_owned(), |time| format!("{:.0}", time / 1e6));
        let break_even = file["reconfigure"]["break_even_ns"].as_f64();
        format!(
            "| `{spec}` | {} | {} | {:.0} | {best_paths} | {:.0} | {} | {} | {:.1} % | {} | {:.0} | {:.0} | {} | {:.0} |",
            file["ranks"].as_array().map_or(0, Vec::len),
            taken["topology"].as_str().unwrap_or("as the spec says"),
            milliseconds(&healthy["communication_ns"]),
            milliseconds(&healthy["bound_ns"]),
            (seconds * 1000.0).round(),
            worst.map_or("-".to_owned(), |worst| format!("{worst:.0}")),
            healthy["share"].as_f64().unwrap_or(0.0) * 100.0,
            break_even.map_or("-".to_owned(), |time| format!("{:.0}", time / 1e6)),
            built.seconds,
            built.user_seconds,
            built.megabytes,
            verified.seconds,
        )
    }

    /// Builds the mixture of experts on one topology.
    fn build_for_sweep(&self, name: &str, topology: &str) -> String {
        let moe =
            std::fs::read_to_string(self.folder.join("specs/jobs/moe_256.fab")).expect("the spec is there");
        let start = moe.find("topology = ").expect("the spec has a topology");
        let end = start + moe[start..].find('\n').expect("a line ends");
        let spec = format!(
            "{}topology = {topology}{}{}",
            &moe[..start],
            if topology.ends_with('}') { "" } else { ";" },
            &moe[end..]
        )
        .replace("axes { expert = 64; data = 4; }", "axes { tensor = 1; expert = 64; data = 4; }")
        .replace("\"../parts", "\"specs/parts");
        assert!(spec.contains("tensor = 1"), "the axes of the spec are others");
        let directory = name.replace(' ', "_");
        std::fs::write(self.folder.join("sweep.fab"), spec).expect("a spec can be written");
        self.run(&["build", "-q", "sweep.fab", "--out", &format!("sweep/{directory}")]);
        format!("sweep/{directory}/moe_256")
    }

    /// What a step with other axes takes on a topology: its time and its communication, in ms.
    fn step(&self, directory: &str, expert: u32, tensor: u32) -> [f64; 2] {
        let sets = [
            format!("axes.tensor={tensor}"),
            format!("axes.expert={expert}"),
            format!("axes.data={}", CHIPS / expert / tensor),
        ];
        let mut arguments = vec!["job", directory, "--json"];
        sets.iter().for_each(|set| arguments.extend(["--set", set]));
        let file: Value =
            serde_json::from_str(&self.run(&arguments).output).expect("the command prints JSON");
        let healthy = &file["scenarios"][0];
        [milliseconds(&healthy["step_ns"]), milliseconds(&healthy["communication_ns"])]
    }
}

fn milliseconds(nanoseconds: &Value) -> f64 {
    nanoseconds.as_f64().expect("a time") / 1e6
}

/// The first table.
fn reached(workplace: &Workplace, with_long: bool) -> String {
    let heads = "| spec | chips | topology taken | communication | best paths | bound | floor | worst fault | share | break-even | s | user s | MB | verify s |";
    let mut table = format!("{}\n\n{heads}\n{}|\n", machine(with_long), "|---".repeat(14));
    print!("{table}");
    for floor in FLOORS.iter().filter(|floor| with_long || !floor.is_long) {
        let row = workplace.floor_row(floor);
        println!("{row}");
        table += &format!("{row}\n");
    }
    table
}

/// How long answers take.
fn questions(workplace: &Workplace, with_long: bool) -> String {
    let mut table = "| command | s | user s | at most | MB |\n|---|---|---|---|---|\n".to_owned();
    print!("{table}");
    for Question { command, seconds, .. } in ASKED.iter().filter(|asked| with_long || !asked.is_long) {
        let words: Vec<&str> = command.split(' ').collect();
        let measured = workplace.run(&words);
        let most = if seconds.is_finite() { seconds.to_string() } else { "-".to_owned() };
        let row = format!(
            "| `fabc {command}` | {:.2} | {:.2} | {most} | {} |",
            measured.seconds, measured.user_seconds, measured.megabytes
        );
        println!("{row}");
        table += &format!("{row}\n");
    }
    table
}

/// The last table: the best topology of every row stands in bold.
fn sweep(workplace: &Workplace) -> String {
    let heads = TOPOLOGIES.map(|(name, _)| name).join(" | ");
    let mut table =
        format!("| expert | tensor | data | {heads} |\n{}|\n", "|---".repeat(3 + TOPOLOGIES.len()));
    print!("{table}");
    let directories = TOPOLOGIES.map(|(name, topology)| workplace.build_for_sweep(name, topology));
    for expert in EXPERTS {
        for tensor in TENSORS.into_iter().filter(|tensor| expert * tensor <= CHIPS) {
            let steps: Vec<[f64; 2]> =
                directories.iter().map(|directory| workplace.step(directory, expert, tensor)).collect();
            let best = steps.iter().map(|[step, _]| *step).fold(f64::INFINITY, f64::min);
            let cell = |[step, communication]: &[f64; 2]| {
                let bold = if *step <= best { "**" } else { "" };
                format!("{bold}{step:.0}{bold} ({communication:.0})")
            };
            let cells: Vec<String> = steps.iter().map(cell).collect();
            let row =
                format!("| {expert} | {tensor} | {} | {} |", CHIPS / expert / tensor, cells.join(" | "));
            println!("{row}");
            table += &format!("{row}\n");
        }
    }
    table
}

fn main() {
    let options = arguments();
    let unknown = options.iter().find(|option| !["--long", "--write"].contains(&option.as_str()));
    assert!(unknown.is_none(), "no option {unknown:?}: there are --long and --write");
    let has = |option: &str| options.iter().any(|given| given == option);
    let workplace = Workplace::new("jobs");
    let reached = reached(&workplace, has("--long"));
    println!();
    let questions = questions(&workplace, has("--long"));
    println!();
    let sweep = sweep(&workplace);
    let _ = std::fs::remove_dir_all(&workplace.folder);
    if has("--write") {
        write_between(REACHED, &reached);
        write_between(QUESTIONS, &questions);
        write_between(SWEEP, &sweep);
    }
}
