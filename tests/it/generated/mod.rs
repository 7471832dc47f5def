//! Generated specs: random valid specs over the whole language, each built, verified, repaired and verified
//! again.
//!
//! Spec number n depends on n alone. `cargo test --test it generated` runs the first 200.
//! `FABC_GENERATED=10000 cargo test --release --test it generated -- --nocapture` runs that many and prints a
//! table of what they had. `FABC_GENERATED=700..701` runs one of them again. `FABC` names another binary of
//! fabc.
//!
//! A failure is shrunk for as long as it stays the same, and printed with its number.

mod coverage;
mod demands;
mod dice;
mod dressing;
mod extras;
mod facts;
mod families;
mod floors;
mod known;
mod links;
mod networks;
mod pods;
mod run;
mod shrink;
mod spec;
mod wishes;

use coverage::Coverage;
use dice::Dice;
use run::{Failure, Focus, Programs, SpecBench, Verdict};
use spec::Spec;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of specs unless `FABC_GENERATED` says another one.
const SPECS: u64 = 200;

/// The number of specs from which on every pair of a plant and a feature is expected.
const MANY: u64 = 10_000;

/// Chains of processes at a time.
const THREADS: usize = 2;

/// Later specs among which one is looked for that has what no built spec has: each feature and plant is
/// wished for about ten times among them.
const LATER: u64 = 2_000;

/// Random streams that are tried until a spec meets its wish.
const ATTEMPTS: u64 = 20_000;

/// The spec with this number: the first one of those from random streams that meets its wish.
fn generated(number: u64) -> Spec {
    let wish = wishes::wish(number);
    let mut attempt = 0;
    loop {
        let mut dice = Dice::new(number + (attempt << 32));
        let mut spec = if dice.percent(30) {
            pods::pod(&mut dice, number)
        } else {
            networks::network(&mut dice, number)
        };
        dressing::dress(&mut dice, &mut spec);
        attempt += 1;
        if wish.is_met(&spec) || attempt == ATTEMPTS {
            return spec;
        }
    }
}

/// The numbers of the specs to run, from `FABC_GENERATED`: a count or a range.
fn wanted() -> Range<u64> {
    let Ok(wanted) = std::env::var("FABC_GENERATED") else { return 0..SPECS };
    let number = |text: &str| text.parse().expect("FABC_GENERATED is a number or a range");
    match wanted.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => 0..number(&wanted),
    }
}

/// The compiler, and the second checker where it and Python are there.
fn programs() -> Programs {
    let fabc = std::env::var("FABC").unwrap_or_else(|_| env!("CARGO_BIN_EXE_fabc").to_owned());
    let checker = std::env::var("FABC_CHECKER")
        .map_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("python/check_fabric.py"), PathBuf::from);
    let python = std::process::Command::new("python3")
        .arg("--version")
        .output()
        .is_ok_and(|ended| ended.status.success());
    let checker = Some(checker).filter(|checker| python && checker.is_file());
    if checker.is_none() {
        println!("SKIPPED: the second checker (python/check_fabric.py, python3) is not here");
    }
    Programs { fabc: std::path::absolute(fabc).expect("the binary has a path"), checker }
}

/// Failures of one step and kind.
#[derive(Clone, Debug)]
struct AlikeFailures {
    /// The first spec that fails so.
    number: u64,
    /// The failure of that spec.
    failure: Failure,
    /// How many specs fail so.
    count: u64,
}

impl AlikeFailures {
    fn add(&mut self, other: AlikeFailures) {
        self.count += other.count;
        if other.number < self.number {
            (self.number, self.failure) = (other.number, other.failure);
        }
    }
}

/// Counts of the specs of a range.
#[derive(Debug, Default)]
struct Tally {
    coverage: Coverage,
    /// How far specs came and what happened on the way, counted.
    counts: BTreeMap<String, u64>,
    /// By step, exit code and kind.
    failures: BTreeMap<String, AlikeFailures>,
}

impl Tally {
    fn count(&mut self, label: String) {
        *self.counts.entry(label).or_default() += 1;
    }

    fn record(&mut self, spec: &Spec, verdict: Result<Verdict, Failure>) {
        self.coverage.count(spec, matches!(verdict, Ok(Verdict::Built(_))));
        match verdict {
            Ok(Verdict::Built(counts)) => {
                self.count("built".to_owned());
                counts.into_iter().for_each(|label| self.count(format!("built, {label}")));
            }
            Ok(Verdict::Infeasible(code)) => {
                self.count("infeasible".to_owned());
                self.count(format!("infeasible, {code}"));
            }
            Ok(Verdict::Refused(code)) => {
                self.count("refused".to_owned());
                self.count(format!("refused, {code}"));
            }
            Err(failure) => {
                if let Some(name) = known::known(spec, &failure) {
                    return self.count(format!("failed as is known: {name}"));
                }
                self.count("failed".to_owned());
                let key = format!("{}, {:?}, {}", failure.step, failure.exit, failure.kind);
                self.add_failures(key, AlikeFailures { number: spec.number, failure, count: 1 });
            }
        }
    }

    fn add(&mut self, other: Tally) {
        self.coverage.add(&other.coverage);
        other.counts.into_iter().for_each(|(label, count)| *self.counts.entry(label).or_default() += count);
        for (key, failures) in other.failures {
            self.add_failures(key, failures);
        }
    }

    fn add_failures(&mut self, key: String, failures: AlikeFailures) {
        match self.failures.entry(key) {
            Entry::Vacant(entry) => drop(entry.insert(failures)),
            Entry::Occupied(mut entry) => entry.get_mut().add(failures),
        }
    }

    fn count_of(&self, label: &str) -> u64 {
        self.counts.get(label).copied().unwrap_or(0)
    }
}

/// Runs specs one after the other, several at a time.
fn run_all(programs: &Programs, wanted: Range<u64>, directory: &Path) -> Tally {
    let (next, sum) = (AtomicU64::new(wanted.start), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let below = directory.join(format!("thread-{thread}"));
            let (next, sum, end) = (&next, &sum, wanted.end);
            scope.spawn(move || {
                let (mut bench, mut tally) = (SpecBench::new(programs, below), Tally::default());
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        break;
                    }
                    let spec = generated(number);
                    if let Ok(path) = std::env::var("FABC_GENERATED_KEEP") {
                        let kept = Path::new(&path).join(number.to_string());
                        std::fs::create_dir_all(&kept)
                            .and_then(|()| spec.write(&kept))
                            .expect("the spec can be kept");
                    }
                    let verdict = bench.run(&spec, Focus::All);
                    if let Ok(path) = std::env::var("FABC_GENERATED_LOG") {
                        log(&path, &spec, &verdict);
                    }
                    tally.record(&spec, verdict);
                }
                sum.lock().expect("no thread has panicked").add(tally);
            });
        }
    });
    sum.into_inner().expect("no thread has panicked")
}

/// Runs later specs whose wish is a feature that no built spec has yet. The only spec with that wish may have
/// been one that cannot be built.
fn run_missing(programs: &Programs, tally: &mut Tally, first: u64, directory: &Path) {
    for number in first..first + LATER {
        let missing = tally.coverage.missing_features();
        if missing.is_empty() {
            return;
        }
        if wishes::wish(number).subject().is_some_and(|subject| missing.contains(&subject)) {
            tally.add(run_all(programs, number..number + 1, directory));
        }
    }
}

/// Writes a line for every spec, for long runs.
fn log(path: &str, spec: &Spec, verdict: &Result<Verdict, Failure>) {
    use std::io::Write as _;
    let line = match verdict {
        Ok(verdict) => format!("{} {} {verdict:?}\n", spec.number, spec.plant),
        Err(failure) => format!(
            "{} {} FAILED {} {:?} {}: {}\n",
            spec.number,
            spec.plant,
            failure.step,
            failure.exit,
            failure.kind,
            failure.message.replace('\n', " | ")
        ),
    };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the log can be written");
}

/// The text about a failure, after its spec was shrunk.
fn failure_report(programs: &Programs, directory: &Path, failures: &AlikeFailures) -> String {
    let AlikeFailures { number, failure, count } = failures;
    let mut bench = SpecBench::new(programs, directory.join(format!("shrunk-{number}")));
    let (spec, least) = shrink::shrink(&mut bench, generated(*number), failure.clone());
    format!(
        "spec {number} fails at `{}` with exit code {:?}: {} ({count} like it)\nfabc {}\n{}\nagain: FABC_GENERATED={number}..{} cargo test --test generated\n",
        least.step,
        least.exit,
        least.kind,
        least.message,
        spec.shown(),
        number + 1
    )
}

#[test]
fn generated_specs_build_and_everything_agrees() {
    let (programs, wanted) = (programs(), wanted());
    let directory = tempfile::tempdir().expect("a directory can be made");
    let mut tally = run_all(&programs, wanted.clone(), directory.path());
    let count = wanted.end - wanted.start;
    if count >= SPECS {
        run_missing(&programs, &mut tally, wanted.end, directory.path());
    }
    println!("{count} specs");
    tally.counts.iter().for_each(|(what, count)| println!("{count:>7} {what}"));
    if count >= SPECS {
        println!("{}", tally.coverage.table());
    }
    let failures: Vec<String> =
        tally.failures.values().map(|failure| failure_report(&programs, directory.path(), failure)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    if count >= SPECS {
        let (built, refused) = (tally.count_of("built"), tally.count_of("refused"));
        assert!(
            refused * 20 <= count,
            "{refused} of {count} specs are refused by check: the generator is wrong"
        );
        assert!(built * 4 >= count * 3, "{built} of {count} specs are built");
        let missing = tally.coverage.missing_features();
        assert!(missing.is_empty(), "no built spec has: {}", missing.join(", "));
    }
    if count >= MANY {
        let missing = tally.coverage.missing_pairs();
        assert!(missing.is_empty(), "no built spec has: {}", missing.join(", "));
    }
}

#[test]
fn wishes_are_met() {
    for number in 0..400 {
        assert!(wishes::wish(number).is_met(&generated(number)), "{number}: {:?}", wishes::wish(number));
    }
}

#[test]
fn a_spec_depends_on_its_number_alone() {
    for number in 0..200 {
        assert_eq!(generated(number), generated(number));
    }
}
