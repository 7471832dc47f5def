//! Runs every command that must agree on a spec, one after the other.

use super::dice::Dice;
use super::spec::Spec;
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Milliseconds after which a command hangs.
const HANGS: u64 = 600_000;

/// The programs that are run.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    pub(crate) fabc: PathBuf,
    /// The second checker, if it can be run here.
    pub(crate) checker: Option<PathBuf>,
}

/// The result of a command: its exit code and its output.
struct ProgramResult {
    exit: Option<i32>,
    out: String,
    err: String,
}

impl ProgramResult {
    /// The first error code of the output.
    fn code(&self) -> String {
        let place = |text: &str| {
            text.match_indices("FAB0").find_map(|(index, _)| text.get(index..index + 7).map(str::to_owned))
        };
        place(&self.err).or_else(|| place(&self.out)).unwrap_or_else(|| "no code".to_owned())
    }

    /// The code, and for a panic the place in the source.
    fn kind(&self) -> String {
        let words = self.err.split_whitespace().map(|word| word.trim_matches(['(', ')', ':', ',', '.']));
        let place = words.clone().find(|word| word.starts_with("src/") && word.contains(".rs"));
        match place.filter(|_| self.exit == Some(4) || self.exit.is_none()) {
            Some(place) => format!("{} {place}", self.code()),
            None => self.code(),
        }
    }
}

/// A command that should not have ended so.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) step: &'static str,
    pub(crate) exit: Option<i32>,
    pub(crate) kind: String,
    /// The end of the messages.
    pub(crate) message: String,
}

impl Failure {
    /// The failure with the commands that came before.
    fn after(self, commands: &str) -> Self {
        Failure { message: format!("{}\n{commands}", self.message), ..self }
    }

    /// Whether another failure is most likely the same fault.
    pub(crate) fn is_like(&self, other: &Failure) -> bool {
        (self.step, self.exit, &self.kind) == (other.step, other.exit, &other.kind)
    }
}

/// How far a spec came.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// `fabc check` refused it, with this code.
    Refused(String),
    /// The build refused it as infeasible, with this code.
    Infeasible(String),
    /// It was built, and everything agrees. What happened on the way is counted.
    Built(Vec<String>),
}

/// Which of the steps that only some specs take are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Focus {
    /// All that the number of the spec says.
    All,
    /// Only what leads to this step.
    Step(&'static str),
}

impl Focus {
    fn wants(self, step: &str, sampled: bool) -> bool {
        match self {
            Focus::All => sampled,
            Focus::Step(wanted) => wanted == step,
        }
    }
}

/// A directory in which a spec is written and built.
pub(crate) struct SpecBench<'a> {
    programs: &'a Programs,
    directory: PathBuf,
    /// Directories that this bench has built in, so that none is used twice.
    used: usize,
}

impl<'a> SpecBench<'a> {
    pub(crate) fn new(programs: &'a Programs, directory: PathBuf) -> Self {
        SpecBench { programs, directory, used: 0 }
    }

    fn end(&self, program: &Path, arguments: &[&str]) -> ProgramResult {
        let stream =
            |name: &str| File::create(self.directory.join(name)).expect("the directory can be written");
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.directory).stdin(Stdio::null());
        command.env("RAYON_NUM_THREADS", "1").env("RUST_BACKTRACE", "0").env("RUST_LIB_BACKTRACE", "0");
        let mut child = command
            .stdout(stream("stdout"))
            .stderr(stream("stderr"))
            .spawn()
            .expect("the program can be run");
        let mut waited = 0;
        let exit = loop {
            match child.try_wait().expect("the program can be waited for") {
                Some(status) => break status.code(),
                None if waited >= HANGS => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
                None => {
                    let pause = if waited < 200 { 2 } else { 20 };
                    std::thread::sleep(Duration::from_millis(pause));
                    waited += pause;
                }
            }
        };
        let read = |name: &str| {
            String::from_utf8_lossy(&std::fs::read(self.directory.join(name)).unwrap_or_default())
                .into_owned()
        };
        ProgramResult { exit, out: read("stdout"), err: read("stderr") }
    }

    fn fabc(&self, arguments: &[&str]) -> ProgramResult {
        self.end(&self.programs.fabc, arguments)
    }

    /// Runs a command. Any exit code but these is a failure.
    fn expect(
        &self,
        step: &'static str,
        arguments: &[&str],
        codes: &[i32],
    ) -> Result<ProgramResult, Failure> {
        let ended = self.fabc(arguments);
        match ended.exit.is_some_and(|exit| codes.contains(&exit)) {
            true => Ok(ended),
            false => Err(failure(step, &ended, arguments)),
        }
    }

    /// Writes a spec and runs all steps on it.
    ///
    /// # Errors
    /// The first step that did not end as it must.
    pub(crate) fn run(&mut self, spec: &Spec, focus: Focus) -> Result<Verdict, Failure> {
        self.used += 1;
        let below = self.directory.join(self.used.to_string());
        std::fs::create_dir_all(&below).expect("the directory can be written");
        let bench = SpecBench { programs: self.programs, directory: below.clone(), used: 0 };
        spec.write(&below).expect("the spec can be written");
        let verdict = bench.steps(spec, focus);
        // A failure is reported with its spec. What was built of it is not needed any more.
        let _ = std::fs::remove_dir_all(below);
        verdict
    }

    fn steps(&self, spec: &Spec, focus: Focus) -> Result<Verdict, Failure> {
        let sample = spec.number % 10;
        let check = self.expect("check", &["check", "-q", "spec.fab"], &[0, 1, 3])?;
        if check.exit != Some(0) {
            return Ok(Verdict::Refused(check.code()));
        }
        if focus.wants("fmt", sample == 2) {
            self.laid_out(spec)?;
        }
        let built = self.expect("build", &["build", "-q", "spec.fab", "--out", "out"], &[0, 3])?;
        if built.exit != Some(0) {
            return Ok(Verdict::Infeasible(built.code()));
        }
        let mut counts = Vec::new();
        self.expect("verify", &["verify", "-q", "out/generated"], &[0])?;
        if focus.wants("second checker", true) {
            counts.extend(self.second_checker()?);
        }
        if focus.wants("same bytes", sample == 0) {
            self.expect(
                "same bytes",
                &["build", "-q", "--threads", "2", "spec.fab", "--out", "again"],
                &[0],
            )?;
            self.compare("same bytes", "out/generated", "again/generated", &[])?;
        }
        if focus.wants("normal form", sample == 1) {
            self.expect("normal form", &["build", "-q", "out/generated/spec.fab", "--out", "normal"], &[0])?;
            self.compare("normal form", "out/generated", "normal/generated", &["manifest.json"])?;
        }
        if focus.wants("diff", sample == 3) && spec.plant != "pod slices" {
            self.expect("diff", &["diff", "-q", "out/generated", "out/generated"], &[0])?;
        }
        if focus.wants("drift", sample == 3) && spec.plant.starts_with("pod") {
            self.expect("drift", &["drift", "-q", "out/generated", "--live", "out/generated"], &[0])?;
            self.expect("drift", &["plan", "-q", "out/generated", "--live", "out/generated"], &[0])?;
        }
        if !matches!(focus, Focus::Step(step) if !step.contains("repair")) {
            let draws = if focus == Focus::All { 1 } else { 4 };
            for draw in 0..draws {
                counts.push(self.repair(spec, draw)?);
            }
        }
        Ok(Verdict::Built(counts))
    }

    /// Laying a spec out twice is laying it out once, and means the same.
    fn laid_out(&self, spec: &Spec) -> Result<(), Failure> {
        std::fs::copy(self.directory.join("spec.fab"), self.directory.join("laid.fab"))
            .expect("the spec can be copied");
        self.expect("fmt", &["fmt", "-q", "laid.fab"], &[0])?;
        self.expect("fmt", &["fmt", "-q", "--check", "laid.fab"], &[0])?;
        // A fabric in slices has no single normal form to print.
        if spec.plant == "pod slices" {
            return Ok(());
        }
        let first = self.expect("fmt", &["check", "-q", "--dump", "parse", "spec.fab"], &[0])?;
        let second = self.expect("fmt", &["check", "-q", "--dump", "parse", "laid.fab"], &[0])?;
        same("fmt", &first.out, &second.out, "the normal form")
    }

    /// Two directories have the same files, but for these.
    fn compare(&self, step: &'static str, first: &str, second: &str, but: &[&str]) -> Result<(), Failure> {
        let (first, second) = (self.directory.join(first), self.directory.join(second));
        let (files, others) = (files(&first), files(&second));
        same(step, &files.join("\n"), &others.join("\n"), "the list of files")?;
        for file in files.iter().filter(|file| !but.contains(&&***file)) {
            let read = |directory: &Path| std::fs::read(directory.join(file)).unwrap_or_default();
            let (first_bytes, second_bytes) = (read(&first), read(&second));
            if first_bytes != second_bytes {
                same(
                    step,
                    &String::from_utf8_lossy(&first_bytes),
                    &String::from_utf8_lossy(&second_bytes),
                    file,
                )?;
            }
        }
        Ok(())
    }

    /// The checker that shares no code with the compiler.
    fn second_checker(&self) -> Result<Option<String>, Failure> {
        let Some(checker) = &self.programs.checker else { return Ok(None) };
        let arguments = [&*checker.to_string_lossy(), "out/generated"];
        let ended = self.end(Path::new("python3"), &arguments);
        match ended.exit {
            Some(0) => Ok(Some("second checker agrees".to_owned())),
            _ => Err(failure("second checker", &ended, &arguments)),
        }
    }

    /// Repairs the directory once, and verifies what was repaired.
    fn repair(&self, spec: &Spec, draw: u64) -> Result<String, Failure> {
        if spec.has("routing", "scheduled") {
            return Ok("repair: no tables".to_owned());
        }
        let mut dice = Dice::new(spec.number ^ (0x5eed << 20) ^ (draw << 40));
        let parts = Parts::read(&self.directory.join("out/generated"), &mut dice);
        let Some(parts) = parts else { return Ok("repair: nothing to take down".to_owned()) };
        let down: Vec<String> =
            (0..dice.weighted(&[(6, 1), (2, 2), (1, 3)])).map(|_| parts.any(&mut dice)).collect();
        let mut arguments = vec!["repair", "-q", "out/generated", "--out", "repaired"];
        down.iter().for_each(|name| arguments.extend(["--down", name]));
        if let Some(slice) = &parts.slice {
            arguments.extend(["--slice", slice]);
        }
        let effort = dice.pick(&["", "", "local", "full"]);
        if !effort.is_empty() {
            arguments.extend(["--effort", effort]);
        }
        if dice.percent(30) {
            arguments.push("--partial");
        }
        let ended = self.expect("repair", &arguments, &[0, 2, 3])?;
        if ended.exit != Some(0) {
            let code = ended.code();
            // Every name is that of the fabric.
            return match &*code {
                "FAB0572" | "no code" => Err(failure("repair", &ended, &arguments)),
                _ => Ok(format!("repair: {code}")),
            };
        }
        let step = std::fs::read_to_string(self.directory.join("repaired/repair.json")).unwrap_or_default();
        let step = serde_json::from_str::<Value>(&step)
            .ok()
            .and_then(|repair| repair["step"].as_str().map(str::to_owned));
        let kind = parts
            .kind
            .as_ref()
            .map_or("out/generated".to_owned(), |kind| format!("out/generated/slices/{kind}"));
        let mut verify = vec!["verify", "-q", &kind, "--repair", "repaired"];
        let mut before = format!("after fabc {}", arguments.join(" "));
        self.expect("verify of repair", &verify, &[0]).map_err(|failure| failure.after(&before))?;
        if spec.number % 10 >= 7 && parts.slice.is_none() {
            // Another repair begins where this one ended.
            let next = parts.any(&mut dice);
            let again =
                ["repair", "-q", "out/generated", "--out", "next", "--from", "repaired", "--down", &next];
            let ended = self
                .expect("repair from a repair", &again, &[0, 2, 3])
                .map_err(|failure| failure.after(&before))?;
            if ended.exit == Some(0) {
                verify.pop();
                verify.extend(["next", "--from", "repaired"]);
                before += &format!("\nand fabc {}", again.join(" "));
                self.expect("verify of repair from a repair", &verify, &[0])
                    .map_err(|failure| failure.after(&before))?;
            }
        }
        Ok(format!("repair: {}", step.unwrap_or_else(|| "no step".to_owned())))
    }
}

fn failure(step: &'static str, ended: &ProgramResult, arguments: &[&str]) -> Failure {
    // The frames of a panic say less than its message.
    let frame = |line: &str| {
        let line = line.trim_start();
        line.starts_with("at ")
            || line.split_once(": ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
    };
    let tail = |text: &str| {
        let lines: Vec<&str> = text.lines().filter(|line| !frame(line)).collect();
        lines[lines.len().saturating_sub(12)..].join("\n")
    };
    let outcome = format!(
        "{} (exit code {:?})\n{}\n{}",
        arguments.join(" "),
        ended.exit,
        tail(&ended.out),
        tail(&ended.err)
    );
    Failure { step, exit: ended.exit, kind: ended.kind(), message: outcome }
}

/// Complains about the first line in which two texts differ.
fn same(step: &'static str, first: &str, second: &str, subject: &str) -> Result<(), Failure> {
    if first == second {
        return Ok(());
    }
    let cut = |line: &str| line.chars().take(300).collect::<String>();
    let pair = first.lines().zip(second.lines()).find(|(first, second)| first != second);
    let difference = pair.map_or_else(
        || "one is longer".to_owned(),
        |(first, second)| format!("{}\n{}", cut(first), cut(second)),
    );
    Err(Failure { step, exit: Some(0), kind: format!("{subject} differs"), message: difference })
}

/// All files below a directory, sorted.
fn files(directory: &Path) -> Vec<String> {
    let (mut paths, mut open) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(below) = path.strip_prefix(directory) {
                paths.push(below.to_string_lossy().into_owned());
            }
        }
    }
    paths.sort();
    paths
}

/// Names of what may be down.
struct Parts {
    routers: Vec<String>,
    links: Vec<String>,
    switches: Vec<String>,
    blocks: Vec<String>,
    /// The slice that they are part of, and its kind.
    slice: Option<String>,
    kind: Option<String>,
}

impl Parts {
    fn read(directory: &Path, dice: &mut Dice) -> Option<Parts> {
        let read = |path: PathBuf| serde_json::from_str::<Value>(&std::fs::read_to_string(path).ok()?).ok();
        if let Some(placement) = read(directory.join("placement.json")) {
            let slices = placement["slices"].as_array()?;
            let slice = slices.get(dice.below(slices.len()))?;
            let cubes: Vec<String> =
                slice["cubes"].as_array()?.iter().map(|cube| format!("cube{cube}[0,0,0]")).collect();
            let text = |name: &str| slice[name].as_str().map(str::to_owned);
            let (slice, kind) = (text("name"), text("kind"));
            return Some(Parts {
                routers: cubes,
                links: Vec::new(),
                switches: Vec::new(),
                blocks: Vec::new(),
                slice,
                kind,
            });
        }
        let topology = read(directory.join("topology.json"))?;
        let node = |node: &Value| match node["name"].as_str() {
            Some(name) => name.to_owned(),
            None => format!("cube{}[{},{},{}]", node["cube"], node["at"][0], node["at"][1], node["at"][2]),
        };
        let routers: Vec<String> = topology["nodes"].as_array()?.iter().map(node).collect();
        let end = |link: &Value, end: &str| {
            let (node, port) = (link[end][0].as_u64()? as usize, link[end][1].as_u64()? as usize);
            let port = topology["ports"][port].as_str().map_or_else(|| format!("port{port}"), str::to_owned);
            Some(format!("{}.{port}", routers.get(node)?))
        };
        let links: &[Value] = topology["links"].as_array()?;
        let mut switches: Vec<String> =
            links.iter().filter_map(|link| link["ocs"].as_str().map(str::to_owned)).collect();
        switches.sort();
        switches.dedup();
        // Cubes, groups and supernodes have names. Other blocks have none.
        let named = |block: &&str| ["cube", "group", "supernode"].iter().any(|word| block.starts_with(word));
        let block =
            |name: &String| name.split_once('[').map(|(block, _)| block).filter(named).map(str::to_owned);
        let mut blocks: Vec<String> = routers.iter().filter_map(block).collect();
        blocks.dedup();
        let side = if dice.percent(50) { "a" } else { "b" };
        let links = links
            .iter()
            .filter_map(|link| end(link, if link["simplex"].as_bool() == Some(true) { "a" } else { side }))
            .collect();
        Some(Parts { routers, links, switches, blocks, slice: None, kind: None })
    }

    /// Picks one of the names.
    fn any(&self, dice: &mut Dice) -> String {
        let lists = [(4, &self.links), (4, &self.routers), (3, &self.switches), (1, &self.blocks)];
        let lists: Vec<_> = lists.into_iter().filter(|(_, list)| !list.is_empty()).collect();
        let list: &Vec<String> = dice.weighted(&lists);
        dice.pick(list)
    }
}
