//! What a `require` line is about beside the fabric: `gradients.time`, `peak.saturation`.

use super::collectives::kind_of;
use super::context::Context;
use super::foreign;
use super::items::Items;
use super::kind::PlantKind;
use super::scheduled;
use super::simulations::block_ends;
use crate::ResolveError;
use crate::syntax::ast::RequireItem;
use fabc_base::diag::{Span, closest, list};
use fabc_base::units::Decimal;
use fabc_model::{
    Budget, Collective, CollectiveMetric, Metric, OfCollective, OfSimulation, SimulatedMetric, Subject,
};

/// What a line may be about beside the fabric.
pub(super) struct Subjects<'a> {
    /// Simulations, and whether their traffic ends.
    simulations: Vec<(&'a str, bool)>,
    /// Collectives; of those with errors none.
    collectives: Vec<(&'a str, Option<Collective>)>,
    /// Whether vectors are scheduled; if so, whether a spare block may take the place of any other.
    pub(super) scheduled: Option<bool>,
}

impl<'a> Subjects<'a> {
    /// Those of a fabric; `replaces`: whether a spare block may take the place of any other.
    pub(super) fn of(items: &'a Items<'_>, replaces: bool) -> Self {
        Self {
            simulations: items
                .simulations
                .iter()
                .map(|(name, block, _)| (&*name.value, block_ends(block)))
                .collect(),
            collectives: items
                .collectives
                .iter()
                .map(|(setting, _)| (&*setting.name.value, kind_of(setting)))
                .collect(),
            scheduled: scheduled::is_asked(items).then_some(replaces),
        }
    }
}

/// What of which collective a line is about: `gradients.time`, `fault.weights.share`; a kind stands for the
/// only collective of it. The outer `None`: of none, the inner one: an error was reported.
#[allow(clippy::option_option)]
pub(super) fn planned(
    context: &mut Context,
    item: &RequireItem,
    subjects: &Subjects<'_>,
    budget: Option<&Budget>,
    kind: PlantKind,
) -> Option<Option<(Metric, Subject)>> {
    let collectives = &subjects.collectives;
    let written = &*item.metric.value;
    let plain = written.strip_prefix(FAULT).unwrap_or(written);
    let (of, metric) = plain.split_once('.')?;
    let known = CollectiveMetric::ALL.into_iter().find(|known| known.name() == metric);
    let a_kind = Collective::ALL.into_iter().find(|kind| kind.name() == of);
    let alike: Vec<&str> = collectives
        .iter()
        .filter(|(_, kind)| kind.is_some() && *kind == a_kind)
        .map(|(name, _)| *name)
        .collect();
    let declared = collectives.iter().map(|(name, _)| *name).find(|name| *name == of);
    let name = match (declared, a_kind, &alike[..]) {
        (Some(name), ..) => name,
        (None, Some(_), [name]) => *name,
        // Of a kind, or of a fault: of no simulation in any case.
        (None, a_kind, _)
            if a_kind.is_some() || known.is_some_and(|metric| written != plain || metric.is_scheduled()) =>
        {
            let names: Vec<&str> = collectives.iter().map(|(name, _)| *name).collect();
            let help = match (&alike[..], closest(of, names.iter().copied())) {
                ([_, _, ..], _) => format!("there are several: say which of {}", list(&alike)),
                (_, Some(close)) => {
                    format!("did you mean `{}{close}.{metric}`?", if written == plain { "" } else { FAULT })
                }
                _ => {
                    let kind = a_kind.unwrap_or(Collective::AllReduce);
                    let root = if kind.is_rooted() { " root = 0;" } else { "" };
                    format!("add `collective {of} = {} {{ size = 1 GiB;{root} }}`", kind.name())
                }
            };
            let place = match alike.is_empty() {
                true => format!("a fabric without a collective `{of}`"),
                false => format!("a fabric with several collectives `{of}`"),
            };
            context.error(misplaced(format!("`{written}`"), place, help, item.metric.span));
            return Some(None);
        }
        _ => return None,
    };
    let Some(metric) = known else {
        let help = metrics_of_a_collective(of, metric, subjects.scheduled.is_some());
        context.error(ResolveError::UnknownMetric { name: written.to_owned(), help, span: item.metric.span });
        return Some(None);
    };
    if written != plain && !(metric.is_scheduled() && subjects.scheduled.is_some()) {
        need_faults(context, item, plain, budget, kind);
    }
    let of = OfCollective { name: name.to_owned(), written: of.to_owned() };
    Some(Some((Metric::Collective(metric), Subject::Collective(of))))
}

/// The help of a metric that collectives do not have: the one that was meant, or all that they have.
fn metrics_of_a_collective(of: &str, written: &str, scheduled: bool) -> String {
    let known: Vec<&str> = CollectiveMetric::ALL
        .iter()
        .filter(|metric| scheduled || !metric.is_scheduled())
        .map(|metric| metric.name())
        .collect();
    let meant = foreign::of_collective(written).or(closest(written, known.iter().copied()));
    let others: Vec<String> =
        known.iter().filter(|name| Some(**name) != meant).map(|name| format!("{of}.{name}")).collect();
    let others = list(&others.iter().map(String::as_str).collect::<Vec<_>>());
    match meant {
        Some(meant) => format!("did you mean `{of}.{meant}`? A collective also has {others}"),
        None => format!("a collective has {others}"),
    }
}

/// What of which simulation a line is about: `peak.saturation`, `peak.latency(0.5)`; the outer `None`: of
/// none, the inner one: an error was reported.
#[allow(clippy::option_option)]
pub(super) fn simulated(
    context: &mut Context,
    item: &RequireItem,
    subjects: &Subjects<'_>,
) -> Option<Option<(Metric, Subject)>> {
    let simulations = &subjects.simulations;
    let written = &*item.metric.value;
    let (name, rest) = written.split_once('.').filter(|(name, _)| *name != "fault")?;
    let (plain, at) = match rest.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
        Some((plain, at)) => (plain, Some(at)),
        None => (rest, None),
    };
    let metric = SimulatedMetric::ALL.into_iter().find(|metric| metric.name() == plain);
    let names: Vec<&str> = simulations.iter().map(|(name, _)| *name).collect();
    let Some(&(_, finite)) = simulations.iter().find(|(known, _)| *known == name) else {
        // What is no metric of a simulation either may be a slip of anything.
        metric.filter(|_| !context.enough())?;
        let help = match closest(name, names.iter().copied()) {
            Some(close) => format!("did you mean `{close}.{rest}`?"),
            None if names.is_empty() => {
                match CollectiveMetric::ALL.iter().any(|metric| metric.name() == rest) {
                    true => format!(
                        "add `simulate {name} {{ traffic = uniform; }}` or `collective {name} = all_reduce {{ size = 1 GiB; }}`"
                    ),
                    false => format!("add `simulate {name} {{ traffic = uniform; }}`"),
                }
            }
            None => format!("known here: {}", list(&names)),
        };
        context.error(misplaced(
            format!("`{written}`"),
            format!("a fabric without a simulation `{name}`"),
            help,
            item.metric.span,
        ));
        return Some(None);
    };
    let Some(metric) = metric else {
        let fitting = SimulatedMetric::ALL.iter().filter(|metric| metric.is_of(finite));
        let known: Vec<String> = fitting.map(|metric| format!("{name}.{}", metric.name())).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let help = closest(written, known.iter().copied())
            .map_or(format!("one of {}", list(&known)), |close| format!("did you mean `{close}`?"));
        context.error(ResolveError::UnknownMetric { name: written.to_owned(), help, span: item.metric.span });
        return Some(None);
    };
    if !metric.is_of(finite) {
        let (place, help) = match finite {
            true => ("traffic that ends", format!("it has no rate: require `{name}.time` or `{name}.share`")),
            false => (
                "traffic that goes on for ever",
                format!("require `{name}.saturation`, `{name}.share` or `{name}.latency(0.5)`"),
            ),
        };
        context.error(misplaced(format!("`{written}`"), place.to_owned(), help, item.metric.span));
        return Some(None);
    }
    let share = at.and_then(Decimal::parse);
    let in_reach = share
        .is_none_or(|share| share.as_f64() > 0.0 && share.as_f64() <= 2.0 && share.times(SHARES).is_some());
    let help = match (metric, at) {
        (SimulatedMetric::Latency, None) => {
            Some("at which rate? `latency(0.5)` is at half the static bound".to_owned())
        }
        (SimulatedMetric::Latency, Some(_)) if !in_reach => Some(
            "a share of the static bound, above 0 and at most 2, with at most six digits behind the point"
                .to_owned(),
        ),
        (SimulatedMetric::Latency, Some(_)) | (_, None) => None,
        (_, Some(_)) => Some(format!("write `{name}.{plain}`: it is of no single rate")),
    };
    if let Some(help) = help {
        context.error(misplaced(format!("`{written}`"), "a contract".to_owned(), help, item.metric.span));
        return Some(None);
    }
    Some(Some((
        Metric::Simulated(metric),
        Subject::Simulation(OfSimulation { name: name.to_owned(), share }),
    )))
}

/// Shares of a static bound are told in so many parts.
const SHARES: u64 = 1_000_000;

/// What metrics of the worst tolerated fault begin with.
pub(super) const FAULT: &str = "fault.";

/// Complains about a line on faults where the budget has none.
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
        example: kind.fault(),
        span: item.metric.span,
        budget: budget.faults_span,
    });
}

/// The error of a line, or of a word in it, in the wrong place.
pub(super) fn misplaced(what: String, place: String, help: String, span: Span) -> ResolveError {
    ResolveError::Misplaced { what, place, help: Some(help), span }
}
