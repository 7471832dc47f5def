//! The simulation, collective or job that a `require` line is about: `gradients.time`, `peak.saturation`,
//! `moe.step`.

use super::collectives::declared_kind;
use super::context::Context;
use super::foreign;
use super::items::SpecItems;
use super::kind::PlantKind;
use super::scheduled;
use super::source_control::block_is_overloaded;
use super::traffic::{block_has_hot_spots, block_is_finite};
use crate::ResolveError;
use crate::syntax::ast::RequireItem;
use fabc_base::diag::{Span, closest, list};
use fabc_base::units::Decimal;
use fabc_model::{
    Budget, Collective, CollectiveMetric, JobMetric, Metric, OfCollective, OfJob, OfSimulation,
    RequireSubject, SimulatedMetric,
};

/// The simulations, collectives and jobs that a line may be about.
pub(super) struct Subjects<'a> {
    simulations: Vec<SimulationSubject<'a>>,
    /// The name of each collective, and its kind. The kind is `None` if the declaration has errors.
    collectives: Vec<(&'a str, Option<Collective>)>,
    /// The name of each job.
    jobs: Vec<&'a str>,
    /// Whether a spare block may take the place of any other one. `None` unless vectors are scheduled.
    pub(super) scheduled: Option<bool>,
}

/// A simulation that a line may be about.
struct SimulationSubject<'a> {
    name: &'a str,
    /// Whether its traffic ends, so that it has no rates.
    is_finite: bool,
    /// Whether it has runs in overload.
    is_overloaded: bool,
    /// Whether its traffic has hot spots.
    has_hot_spots: bool,
}

impl SimulationSubject<'_> {
    /// Where a metric does not belong, and what to write instead. `None` where the simulation measures it.
    fn lacks(&self, metric: SimulatedMetric) -> Option<(&'static str, String)> {
        let name = self.name;
        if !metric.is_of(self.is_finite) {
            return Some(match self.is_finite {
                true => (
                    "traffic that ends",
                    format!("such traffic has no rate: require `{name}.time` or `{name}.share`"),
                ),
                false => (
                    "traffic that never ends",
                    format!("require `{name}.saturation`, `{name}.share` or `{name}.latency(0.5)`"),
                ),
            });
        }
        if metric.is_of_overload() && !self.is_overloaded {
            return Some((
                "a simulation without overload",
                format!("add `overload = 2;` to `simulate {name}`"),
            ));
        }
        (metric == SimulatedMetric::Elsewhere && !self.has_hot_spots).then(|| {
            let help = "it is about `traffic = hotspot { at = [..]; }`: require `sustained` or `fairness`";
            ("traffic without hot spots", help.to_owned())
        })
    }
}

impl<'a> Subjects<'a> {
    /// Collects the subjects of a fabric. `replaces` says whether a spare block may take the place of any
    /// other one.
    pub(super) fn of_items(items: &'a SpecItems<'_>, replaces: bool) -> Self {
        Self {
            simulations: items
                .simulations
                .iter()
                .map(|(name, block, _)| SimulationSubject {
                    name: &name.value,
                    is_finite: block_is_finite(block),
                    is_overloaded: block_is_overloaded(block),
                    has_hot_spots: block_has_hot_spots(block),
                })
                .collect(),
            collectives: items
                .collectives
                .iter()
                .map(|(setting, _)| (&*setting.name.value, declared_kind(setting)))
                .collect(),
            jobs: items.jobs.iter().map(|job| &*job.name.value).collect(),
            scheduled: scheduled::is_scheduled(items).then_some(replaces),
        }
    }
}

/// Reads a line on a collective: `gradients.time`, `fault.weights.share`. A kind stands for the only
/// collective of that kind. The outer `None` says that the line is about no collective, the inner one that an
/// error was reported.
#[allow(clippy::option_option)]
pub(super) fn collective_metric(
    context: &mut Context,
    item: &RequireItem,
    subjects: &Subjects<'_>,
    budget: Option<&Budget>,
    kind: PlantKind,
) -> Option<Option<(Metric, RequireSubject)>> {
    let collectives = &subjects.collectives;
    let written = &*item.metric.value;
    let plain = written.strip_prefix(FAULT).unwrap_or(written);
    let (subject, metric) = plain.split_once('.')?;
    let known = CollectiveMetric::ALL.into_iter().find(|known| known.name() == metric);
    let known_kind = Collective::ALL.into_iter().find(|kind| kind.name() == subject);
    let of_kind: Vec<&str> = collectives
        .iter()
        .filter(|(_, kind)| kind.is_some() && *kind == known_kind)
        .map(|(name, _)| *name)
        .collect();
    let declared = collectives.iter().map(|(name, _)| *name).find(|name| *name == subject);
    let name = match (declared, known_kind, &of_kind[..]) {
        (Some(name), ..) => name,
        (None, Some(_), [name]) => *name,
        // A kind or a fault belongs to no simulation.
        (None, known_kind, _)
            if known_kind.is_some()
                || known.is_some_and(|metric| written != plain || metric.is_scheduled()) =>
        {
            let names: Vec<&str> = collectives.iter().map(|(name, _)| *name).collect();
            let help = match (&of_kind[..], closest(subject, names.iter().copied())) {
                ([_, _, ..], _) => format!("there are several: say which of {}", list(&of_kind)),
                (_, Some(close)) => {
                    format!("did you mean `{}{close}.{metric}`?", if written == plain { "" } else { FAULT })
                }
                _ => {
                    let kind = known_kind.unwrap_or(Collective::AllReduce);
                    let root = if kind.is_rooted() { " root = 0;" } else { "" };
                    format!("add `collective {subject} = {} {{ size = 1 GiB;{root} }}`", kind.name())
                }
            };
            let place = match of_kind.is_empty() {
                true => format!("a fabric without a collective `{subject}`"),
                false => format!("a fabric with several collectives `{subject}`"),
            };
            context.error(misplaced(format!("`{written}`"), place, help, item.metric.span));
            return Some(None);
        }
        _ => return None,
    };
    let Some(metric) = known else {
        let help = collective_metric_help(subject, metric, subjects.scheduled.is_some());
        context.error(ResolveError::UnknownMetric { name: written.to_owned(), help, span: item.metric.span });
        return Some(None);
    };
    if written != plain && !(metric.is_scheduled() && subjects.scheduled.is_some()) {
        need_faults(context, item, plain, budget, kind);
    }
    let subject = OfCollective { name: name.to_owned(), written: subject.to_owned() };
    Some(Some((Metric::Collective(metric), RequireSubject::Collective(subject))))
}

/// Reads a line on a job: `moe.communication`, `fault.moe.step`. The outer `None` says that the line is about
/// no job, the inner one that an error was reported.
#[allow(clippy::option_option)]
pub(super) fn job_metric(
    context: &mut Context,
    item: &RequireItem,
    subjects: &Subjects<'_>,
    budget: Option<&Budget>,
    kind: PlantKind,
) -> Option<Option<(Metric, RequireSubject)>> {
    let written = &*item.metric.value;
    let plain = written.strip_prefix(FAULT).unwrap_or(written);
    let fault = if written == plain { "" } else { FAULT };
    let (subject, metric) = plain.split_once('.')?;
    let known = JobMetric::ALL.into_iter().find(|known| known.name() == metric);
    let Some(name) = subjects.jobs.iter().find(|name| **name == subject) else {
        // Collectives and simulations have a share as well.
        known.filter(|known| *known != JobMetric::Share && !context.enough_errors())?;
        let help = match closest(subject, subjects.jobs.iter().copied()) {
            Some(close) => format!("did you mean `{fault}{close}.{metric}`?"),
            None if subjects.jobs.is_empty() => format!("add `job {subject} {{ axes {{ data = 8; }} .. }}`"),
            None => format!("known here: {}", list(&subjects.jobs)),
        };
        let place = format!("a fabric without a job `{subject}`");
        context.error(misplaced(format!("`{written}`"), place, help, item.metric.span));
        return Some(None);
    };
    let Some(metric) = known else {
        let names: Vec<&str> = JobMetric::ALL.iter().map(|metric| metric.name()).collect();
        let others: Vec<String> = names.iter().map(|name| format!("{subject}.{name}")).collect();
        let others = list(&others.iter().map(String::as_str).collect::<Vec<_>>());
        let help = match closest(metric, names.iter().copied()) {
            Some(meant) => format!("did you mean `{fault}{subject}.{meant}`? A job has {others}"),
            None => format!("a job has {others}"),
        };
        context.error(ResolveError::UnknownMetric { name: written.to_owned(), help, span: item.metric.span });
        return Some(None);
    };
    if !fault.is_empty() {
        need_faults(context, item, plain, budget, kind);
    }
    Some(Some((Metric::Job(metric), RequireSubject::Job(OfJob { name: (*name).to_owned() }))))
}

/// The help for a metric that collectives do not have: the metric that was meant, or all of them.
fn collective_metric_help(subject: &str, written: &str, scheduled: bool) -> String {
    let known: Vec<&str> = CollectiveMetric::ALL
        .iter()
        .filter(|metric| scheduled || !metric.is_scheduled())
        .map(|metric| metric.name())
        .collect();
    let meant = foreign::collective_metric(written).or(closest(written, known.iter().copied()));
    let others: Vec<String> =
        known.iter().filter(|name| Some(**name) != meant).map(|name| format!("{subject}.{name}")).collect();
    let others = list(&others.iter().map(String::as_str).collect::<Vec<_>>());
    match meant {
        Some(meant) => format!("did you mean `{subject}.{meant}`? A collective also has {others}"),
        None => format!("a collective has {others}"),
    }
}

/// Reads a line on a simulation: `peak.saturation`, `peak.latency(0.5)`. The outer `None` says that the line
/// is about no simulation, the inner one that an error was reported.
#[allow(clippy::option_option)]
pub(super) fn simulation_metric(
    context: &mut Context,
    item: &RequireItem,
    subjects: &Subjects<'_>,
) -> Option<Option<(Metric, RequireSubject)>> {
    let simulations = &subjects.simulations;
    let written = &*item.metric.value;
    let (name, rest) = written.split_once('.').filter(|(name, _)| *name != "fault")?;
    let (plain, argument) = match rest.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
        Some((plain, argument)) => (plain, Some(argument)),
        None => (rest, None),
    };
    let metric = SimulatedMetric::ALL.into_iter().find(|metric| metric.name() == plain);
    let names: Vec<&str> = simulations.iter().map(|known| known.name).collect();
    let Some(subject) = simulations.iter().find(|known| known.name == name) else {
        // A metric that simulations do not have may be a slip of anything.
        metric.filter(|_| !context.enough_errors())?;
        let help = unknown_simulation_help(name, rest, &names);
        context.error(misplaced(
            format!("`{written}`"),
            format!("a fabric without a simulation `{name}`"),
            help,
            item.metric.span,
        ));
        return Some(None);
    };
    let finite = subject.is_finite;
    let Some(metric) = metric else {
        let fitting = SimulatedMetric::ALL.iter().filter(|metric| metric.is_of(finite));
        let known: Vec<String> = fitting.map(|metric| format!("{name}.{}", metric.name())).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let help = closest(written, known.iter().copied())
            .map_or(format!("one of {}", list(&known)), |close| format!("did you mean `{close}`?"));
        context.error(ResolveError::UnknownMetric { name: written.to_owned(), help, span: item.metric.span });
        return Some(None);
    };
    if let Some((place, help)) = subject.lacks(metric) {
        context.error(misplaced(format!("`{written}`"), place.to_owned(), help, item.metric.span));
        return Some(None);
    }
    let share = argument.and_then(Decimal::parse);
    let in_reach = share.is_none_or(|share| {
        share.as_f64() > 0.0 && share.as_f64() <= 2.0 && share.times(SHARE_PARTS).is_some()
    });
    let help = match (metric, argument) {
        (SimulatedMetric::Latency, None) => {
            Some("name a rate: `latency(0.5)` is the latency at half the static bound".to_owned())
        }
        (SimulatedMetric::Latency, Some(_)) if !in_reach => Some(
            "a share of the static bound, above 0 and at most 2, with at most six digits behind the point"
                .to_owned(),
        ),
        (SimulatedMetric::Latency, Some(_)) | (_, None) => None,
        (_, Some(_)) => Some(format!("write `{name}.{plain}`: it does not depend on a rate")),
    };
    if let Some(help) = help {
        context.error(misplaced(format!("`{written}`"), "a contract".to_owned(), help, item.metric.span));
        return Some(None);
    }
    Some(Some((
        Metric::Simulated(metric),
        RequireSubject::Simulation(OfSimulation { name: name.to_owned(), share }),
    )))
}

/// The help for a simulation that is not declared. `metric` is the metric that the line is about.
fn unknown_simulation_help(name: &str, metric: &str, names: &[&str]) -> String {
    match closest(name, names.iter().copied()) {
        Some(close) => format!("did you mean `{close}.{metric}`?"),
        None if names.is_empty() => match CollectiveMetric::ALL.iter().any(|known| known.name() == metric) {
            true => format!(
                "add `simulate {name} {{ traffic = uniform; }}` or `collective {name} = all_reduce {{ size = 1 GiB; }}`"
            ),
            false => format!("add `simulate {name} {{ traffic = uniform; }}`"),
        },
        None => format!("known here: {}", list(names)),
    }
}

/// Shares of a static bound are exact to one part in this many.
const SHARE_PARTS: u64 = 1_000_000;

/// The prefix of metrics in the worst tolerated fault.
pub(super) const FAULT: &str = "fault.";

/// Reports a line on faults if the budget has none.
pub(super) fn need_faults(
    context: &mut Context,
    item: &RequireItem,
    plain: &str,
    budget: Option<&Budget>,
    kind: PlantKind,
) {
    let Some(budget) = budget.filter(|budget| budget.faults.is_none()) else { return };
    context.error(ResolveError::NoFaults {
        metric: item.metric.value.to_string(),
        plain: plain.to_owned(),
        example: kind.example_fault(),
        span: item.metric.span,
        budget: budget.faults_span,
    });
}

/// The error of a line, or of a word in it, in the wrong place.
pub(super) fn misplaced(subject: String, place: String, help: String, span: Span) -> ResolveError {
    ResolveError::Misplaced { subject, place, help: Some(help), span }
}
