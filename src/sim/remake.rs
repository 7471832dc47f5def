//! Makes runs again, to compare them with the counts of a file.
//!
//! In: reports whose counts come from a file. Out: whether another run has the same counts. A run is a
//! function of tables, parameters, rate and seed, so every difference convicts the file. A run has no
//! checkpoints. To repeat one digest span, the run is repeated from its first cycle to the end of the span.
//! Every digest on the way is compared.

use super::completion::Completion;
use super::consistency::Misfit;
use super::digest::{EVERY, spacing};
use super::errors::SimError;
use super::overload::Overload;
use super::point::Point;
use super::prepare::Prepared;
use super::replication::Replication;
use super::report::SimReport;
use super::run::{begin, begin_messages, complete, overloaded, run, try_rate};
use super::saturation::{Saturation, is_proved_unstable};
use super::setting::RunCycles;
use super::trial::{TrialEnd, TrialRun};
use fabc_model::Rate;

/// A run as a report states it, with the claim that another run must confirm.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ReportedRun<'a> {
    scenario: &'a str,
    seed: u64,
    claim: Claim<'a>,
}

/// The claim that another run must confirm.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim<'a> {
    /// Every count of the run.
    Counts(&'a Point),
    /// Every count of a run of traffic that ends.
    Completed(&'a Completion),
    /// The digests of the first cycles.
    Beginning(Beginning<'a>),
    /// Whether the rate is stable in a run of so many cycles.
    Stable { rate: Rate, cycles: RunCycles, stable: bool },
    /// The packets delivered past saturation.
    Beyond { rate: Rate, delivered: u64 },
    /// Every count of a run in overload.
    Overload(&'a Overload),
}

/// The first cycles of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Beginning<'a> {
    /// The rate of the run. `None` for traffic that ends.
    rate: Option<Rate>,
    /// Cycles from one digest to the next.
    spacing: u32,
    digests: &'a [u64],
}

/// Every run that the reports of a simulation state.
pub fn every_run(reports: &[SimReport]) -> Vec<ReportedRun<'_>> {
    let mut runs = Vec::new();
    for report in reports {
        runs.extend(ReportedRun::with_counts(report));
        for found in &report.saturations {
            let claim = Claim::Beyond { rate: found.beyond.rate, delivered: found.beyond.delivered };
            let beyond = ReportedRun { scenario: &report.scenario, seed: found.seed, claim };
            let short = report.setting.coarse;
            runs.extend(
                found.coarse.iter().flat_map(|found| ReportedRun::bracket_ends(report, short, found)),
            );
            runs.extend(
                found
                    .replications
                    .iter()
                    .flat_map(|found| ReportedRun::bracket_ends(report, report.setting.trial, found)),
            );
            runs.push(beyond);
            runs.extend(ReportedRun::overloads(report, found));
        }
    }
    runs
}

impl<'a> ReportedRun<'a> {
    /// The run of a point of a curve.
    pub fn point(report: &'a SimReport, point: &'a Point) -> Self {
        Self { scenario: &report.scenario, seed: point.seed, claim: Claim::Counts(point) }
    }

    /// The run of traffic that ends until everything has arrived.
    pub fn completion(report: &'a SimReport, run: &'a Completion) -> Self {
        Self { scenario: &report.scenario, seed: run.seed, claim: Claim::Completed(run) }
    }

    /// The runs of a report that state all of their counts.
    pub fn with_counts(report: &'a SimReport) -> impl Iterator<Item = Self> {
        let points = report.points.iter().map(|point| Self::point(report, point));
        points.chain(report.completions.iter().map(|run| Self::completion(report, run)))
    }

    /// The runs at both ends of the lowest bracket of a search.
    pub fn lowest_bracket(report: &'a SimReport, search: &Saturation) -> impl Iterator<Item = Self> {
        let lowest = search.replications.iter().min_by_key(|bracket| bracket.stable);
        lowest.into_iter().flat_map(|bracket| Self::bracket_ends(report, report.setting.trial, bracket))
    }

    /// The runs in overload of a search.
    fn overloads(report: &'a SimReport, search: &'a Saturation) -> impl Iterator<Item = Self> {
        let (scenario, seed) = (report.scenario.as_str(), search.seed);
        search.overloads.iter().map(move |run| Self { scenario, seed, claim: Claim::Overload(run) })
    }

    /// The runs in overload that decide: the one with the least accepted traffic over the saturation, and the
    /// one with the worst source.
    pub fn deciding_overloads(reports: &'a [SimReport]) -> Vec<Self> {
        let runs = || {
            reports
                .iter()
                .flat_map(|report| report.overload_runs().map(move |(search, run)| (report, search, run)))
        };
        let least = runs().min_by_key(|(report, search, run)| report.sustained(search, run));
        let unfair = runs().min_by_key(|(.., run)| run.fairness());
        let claimed = |(report, search, run): (&'a SimReport, &'a Saturation, &'a Overload)| Self {
            scenario: &report.scenario,
            seed: search.seed,
            claim: Claim::Overload(run),
        };
        let mut chosen: Vec<Self> = least.into_iter().chain(unfair).map(claimed).collect();
        chosen.dedup();
        chosen
    }

    /// The runs at both ends of a bracket, of so many cycles. The static bound needs no run.
    fn bracket_ends(
        report: &'a SimReport,
        cycles: RunCycles,
        bracket: &Replication,
    ) -> impl Iterator<Item = Self> + use<'a> {
        let (scenario, seed) = (report.scenario.as_str(), bracket.seed);
        let unstable = bracket.unstable.filter(|&rate| !is_proved_unstable(report.load.bound, rate));
        let rates = [(bracket.stable, true), (unstable, false)];
        rates.into_iter().filter_map(move |(rate, stable)| {
            Some(Self { scenario, seed, claim: Claim::Stable { rate: rate?, cycles, stable } })
        })
    }

    /// The scenario of the run.
    pub fn scenario(&self) -> &'a str {
        self.scenario
    }

    /// Whether the run has this rate and this seed. Traffic that ends has no rate.
    pub fn is_of(&self, rate: Option<Rate>, seed: Option<u64>) -> bool {
        let run_rate = match self.claim {
            Claim::Counts(point) => Some(point.rate),
            Claim::Beginning(beginning) => beginning.rate,
            Claim::Stable { rate, .. } | Claim::Beyond { rate, .. } => Some(rate),
            Claim::Overload(run) => Some(run.rate),
            Claim::Completed(_) => None,
        };
        (rate.is_none() || rate == run_rate) && seed.is_none_or(|seed| seed == self.seed)
    }

    /// The cycles of a run that states its counts. 0 for the others.
    pub fn cycles(&self) -> u64 {
        match self.claim {
            Claim::Counts(point) => point.cycles.into(),
            Claim::Completed(run) => u64::from(run.cycles) + 1,
            _ => 0,
        }
    }

    /// The run itself, or the beginning of a run that is longer than `cycles`. A beginning ends at one of the
    /// digests, which `chance` chooses. It is no longer than `cycles`, unless the first digest is later.
    pub fn within(self, cycles: u64, chance: u64) -> Self {
        let Some(beginning) = self.whole_beginning().filter(|_| self.cycles() > cycles) else { return self };
        let few = beginning.digests.len().min((cycles / u64::from(beginning.spacing)).max(1) as usize) as u64;
        match chance.checked_rem(few) {
            Some(index) => self.up_to(beginning, index as usize),
            None => self,
        }
    }

    /// The run up to the end of the digest span that holds this cycle, and the cycles of that span: those
    /// between two digests. After the last digest, it is the whole run.
    pub fn up_to_cycle(self, cycle: u64) -> (Self, [u64; 2]) {
        let Some(beginning) = self.whole_beginning() else { return (self, [0, self.cycles()]) };
        let (spacing, count) = (u64::from(beginning.spacing), beginning.digests.len() as u64);
        let index = cycle / spacing;
        if index < count {
            (self.up_to(beginning, index as usize), [index * spacing, (index + 1) * spacing])
        } else {
            (self, [count * spacing, self.cycles()])
        }
    }

    /// All digests of a run that states its counts.
    fn whole_beginning(&self) -> Option<Beginning<'a>> {
        let (rate, digests) = match self.claim {
            Claim::Counts(point) => (Some(point.rate), &point.digests),
            Claim::Completed(run) => (None, &run.digests),
            _ => return None,
        };
        let (spacing, _) = spacing(self.cycles());
        Some(Beginning { rate, spacing: spacing as u32, digests })
    }

    fn up_to(self, beginning: Beginning<'a>, last: usize) -> Self {
        Self {
            claim: Claim::Beginning(Beginning { digests: &beginning.digests[..=last], ..beginning }),
            ..self
        }
    }

    /// Makes the run again, and compares.
    ///
    /// # Errors
    /// A [`Misfit`] with the difference, and the list of the report that contains the claim.
    pub fn remake(&self, prepared: &Prepared<'_>) -> Result<(), Misfit> {
        let seed = self.seed;
        let list = match self.claim {
            Claim::Counts(_) | Claim::Beginning(Beginning { rate: Some(_), .. }) => "points",
            Claim::Completed(_) | Claim::Beginning(_) => "completions",
            Claim::Stable { .. } | Claim::Beyond { .. } | Claim::Overload(_) => "saturation",
        };
        let misfit = |what: String| Misfit { place: list.to_owned(), what };
        let failed = |error: SimError| misfit(error.to_string());
        let difference = match self.claim {
            Claim::Counts(claimed) => {
                let again = prepared.by_class(run(prepared, claimed.rate, seed).map_err(failed)?);
                let is_same = Point { busy: Vec::new(), ..again } == *claimed;
                (!is_same).then(|| format!("at rate {} another run finds other counts", claimed.rate))
            }
            Claim::Completed(claimed) => {
                let again = complete(prepared, seed).map_err(failed)?;
                let busy_by_class = prepared.busy_by_class(&again.busy);
                let is_same = Completion { busy: Vec::new(), busy_by_class, ..again } == *claimed;
                (!is_same).then(|| "another run finds other counts".to_owned())
            }
            Claim::Beginning(beginning) => beginning.difference(prepared, seed).map_err(failed)?,
            Claim::Stable { rate, cycles, stable } => {
                let run = TrialRun { seed, cycles, end: TrialEnd::WhenCertain };
                let trial = try_rate(prepared, rate, run).map_err(failed)?;
                let again = trial.is_stable;
                let is = if again { "is stable" } else { "is not stable" };
                (again != stable).then(|| format!("rate {rate} {is} when it is run again"))
            }
            Claim::Beyond { rate, delivered } => {
                let run = TrialRun { seed, cycles: prepared.setting.coarse, end: TrialEnd::Whole };
                let trial = try_rate(prepared, rate, run).map_err(failed)?;
                let again = trial.delivered;
                (again != delivered).then(|| format!("at rate {rate} another run delivers other packets"))
            }
            Claim::Overload(claimed) => {
                let again = overloaded(prepared, claimed.multiple, claimed.rate, seed).map_err(failed)?;
                let is_same = again == *claimed;
                (!is_same)
                    .then(|| format!("in overload at rate {} another run finds other counts", claimed.rate))
            }
        };
        difference.map_or(Ok(()), |what| Err(misfit(what)))
    }
}

impl Beginning<'_> {
    /// Describes the first digest that differs in another run.
    fn difference(&self, prepared: &Prepared<'_>, seed: u64) -> Result<Option<String>, SimError> {
        let cycles = self.digests.len() as u32 * self.spacing;
        let digests = match self.rate {
            Some(rate) => begin(prepared, rate, seed, cycles)?,
            None => begin_messages(prepared, seed, cycles)?,
        };
        let step = (self.spacing / EVERY) as usize;
        let again = digests.iter().skip(step - 1).step_by(step).map(Some).chain(std::iter::repeat(None));
        let first = self.digests.iter().map(Some).zip(again).position(|(kept, again)| kept != again);
        let rate_text = self.rate.map_or_else(String::new, |rate| format!("at rate {rate} "));
        Ok(first.map(|first| {
            format!(
                "{rate_text}another run has another digest after {} cycles",
                (first as u32 + 1) * self.spacing
            )
        }))
    }
}
