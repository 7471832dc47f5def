//! Resolves the contract: all `require` lines.

use super::context::{Context, unknown_choice};
use super::foreign;
use super::items::SpecItems;
use super::kind::PlantKind;
use super::many_paths;
use super::needed::need_many_paths;
use super::scheduled;
use super::settings::{decimal, quantity_of};
use super::subjects::{
    FAULT, Subjects, collective_metric, job_metric, misplaced, need_faults, simulation_metric,
};
use crate::ResolveError;
use crate::syntax::ast::{Name, RequireItem, RequiredShare};
use crate::syntax::require_order;
use fabc_base::diag::{Span, closest, list};
use fabc_base::units::{self, BITS_OF_A_GIGABYTE, Decimal, Dimension};
use fabc_model::{
    Budget, CollectiveMetric, Comparison, FloorMetric, GraphMetric, HardwareMetric, JobMetric, Metric,
    Reference, Require, RequireSubject, SimulatedMetric, ValueScale, WrittenUnit,
};

/// Resolves all requires, sorted as in the normalized spec. `replaces` says whether a spare block may take
/// the place of any other one.
pub(super) fn requires(
    context: &mut Context,
    items: &SpecItems<'_>,
    budget: Option<&Budget>,
    kind: PlantKind,
    replaces: bool,
) -> Vec<Require> {
    let subjects = Subjects::of_items(items, replaces);
    let resolve_line = |(position, (item, span)): (usize, &(&RequireItem, Span))| {
        let line = require(context, item, *span, budget, kind, &subjects)?;
        Some(Require { position, ..line })
    };
    let mut requires: Vec<Require> = items.requires.iter().enumerate().filter_map(resolve_line).collect();
    need_many_paths(context, &requires, many_paths::many_path_method(items), many_paths::is_weighted(items));
    requires.sort_by_cached_key(|require| {
        let key = require_order(&require.metric_text(), require.comparison.symbol(), &require.value_text);
        (key, require.span)
    });
    requires
}

fn require(
    context: &mut Context,
    item: &RequireItem,
    span: Span,
    budget: Option<&Budget>,
    kind: PlantKind,
    subjects: &Subjects<'_>,
) -> Option<Require> {
    let name = &*item.metric.value;
    let named = job_metric(context, item, subjects, budget, kind)
        .or_else(|| collective_metric(context, item, subjects, budget, kind))
        .or_else(|| simulation_metric(context, item, subjects));
    let (metric, fault, subject) = match named {
        Some(named) => {
            let (metric, subject) = named?;
            let has_faults = matches!(subject, RequireSubject::Collective(_) | RequireSubject::Job(_));
            let fault = name.starts_with(FAULT) && has_faults;
            (metric, fault, Some(subject))
        }
        None => {
            let (metric, fault) = fabric_metric(context, item, kind)?;
            (metric, fault, None)
        }
    };
    scheduled::check_metric(context, metric, subjects.scheduled, name, item.metric.span)?;
    let replaced = matches!(metric, Metric::Collective(metric) if metric.is_scheduled());
    if subject.is_none() && fault && !replaced {
        need_faults(context, item, name.strip_prefix(FAULT).unwrap_or(name), budget, kind);
    }
    let comparison = comparison(item)?;
    let (value, scale, value_text) = match &item.share {
        Some(share) if subject.is_some() => {
            let help = format!("write a number: `require {name} {} ..`", item.comparison.value);
            context.error(misplaced(
                format!("a share of `{}`", share.reference.value),
                format!("`require {name}`"),
                help,
                share.reference.span,
            ));
            return None;
        }
        Some(share) => self::share(context, item, share, metric, fault, kind)?,
        None => number(context, item, metric)?,
    };
    if let Some((reason, help)) = decided_already(metric, comparison, value, scale) {
        context.error(ResolveError::Nonsense { reason: reason.to_owned(), help, span });
        return None;
    }
    let unit = written_unit(item);
    Some(Require { metric, fault, subject, comparison, value, scale, value_text, unit, span, position: 0 })
}

/// Reads a metric of the fabric itself, and whether it is about the worst tolerated fault.
fn fabric_metric(context: &mut Context, item: &RequireItem, kind: PlantKind) -> Option<(Metric, bool)> {
    let (name, span) = (&*item.metric.value, item.metric.span);
    let (fault, plain) = match name.strip_prefix(FAULT) {
        Some(plain) => (true, plain),
        None => (false, name),
    };
    let metric = Metric::every().find(|metric| metric.name() == plain);
    let Some(metric) = metric.map(|metric| metric_by_unit(metric, item)) else {
        if !context.enough_errors() {
            context.error(unknown_metric(name, fault, plain, kind, span));
        }
        return None;
    };
    if metric == Metric::DisjointTrees && kind.is_network {
        let help = "remove it: a network has no switches, so it has no `disjoint_trees`".to_owned();
        context.error(kind.misfit(format!("`{name}`"), help, span));
        return None;
    }
    let of_networks = matches!(metric, Metric::Graph(_) | Metric::Hardware(HardwareMetric::Oversubscription));
    if of_networks && !kind.is_network {
        let help = match metric {
            Metric::Hardware(_) => "remove it: a pod has no tiers, one above the other",
            Metric::Graph(metric) if metric.is_of_halves() => {
                "remove it, or require `concurrent_flow` or `bandwidth`, which no cut exceeds"
            }
            _ => "remove it: graph metrics are measured for networks only",
        };
        context.error(kind.misfit(format!("`{name}`"), help.to_owned(), span));
        return None;
    }
    if metric.is_of_healthy() && fault {
        let help = format!("write `{plain}`: it is measured for the healthy fabric only");
        context.error(misplaced(format!("`{name}`"), "a contract".to_owned(), help, span));
        return None;
    }
    Some((metric, fault))
}

/// A bisection counts links. In a unit of bandwidth, it counts what they carry.
fn metric_by_unit(metric: Metric, item: &RequireItem) -> Metric {
    let unit = item.value.unit.as_ref().and_then(|unit| units::unit(&unit.value));
    if unit.is_none_or(|unit| unit.dimension != Dimension::Bandwidth) {
        return metric;
    }
    match metric {
        Metric::Graph(GraphMetric::Bisection) => Metric::Graph(GraphMetric::BisectionBandwidth),
        Metric::Graph(GraphMetric::HostBisection) => Metric::Graph(GraphMetric::HostBisectionBandwidth),
        _ => metric,
    }
}

fn written_unit(item: &RequireItem) -> WrittenUnit {
    WrittenUnit(
        item.value
            .unit
            .as_ref()
            .filter(|_| item.share.is_none())
            .and_then(|written| units::unit(&written.value)),
    )
}

fn comparison(item: &RequireItem) -> Option<Comparison> {
    Comparison::ALL.into_iter().find(|comparison| comparison.symbol() == &*item.comparison.value)
}

fn unknown_metric(name: &str, fault: bool, plain: &str, kind: PlantKind, span: Span) -> ResolveError {
    let is_available = |metric: &Metric| match metric {
        Metric::DisjointTrees => !kind.is_network,
        Metric::Permutation | Metric::Collision | Metric::CollisionWorst => kind.is_network,
        Metric::Graph(_) | Metric::Hardware(HardwareMetric::Oversubscription) | Metric::Collective(_) => {
            kind.is_network
        }
        _ => true,
    };
    let known: Vec<&str> = Metric::every().filter(is_available).map(Metric::name).collect();
    let plain = if fault { plain } else { plain.rsplit('.').next().unwrap_or(plain) };
    let help = match (closest(plain, known.iter().copied()), foreign::metric(plain)) {
        (_, Some(meaning)) => meaning.to_owned(),
        (Some(close), None) if fault || name.starts_with("fault") => format!("did you mean `fault.{close}`?"),
        (Some(close), None) => format!("did you mean `{close}`?"),
        (None, None) => {
            format!(
                "one of {}, or with the prefix `fault.` the same in the worst tolerated fault",
                list(&known)
            )
        }
    };
    ResolveError::UnknownMetric { name: name.to_owned(), help, span }
}

/// Reads the number, its scale, and its canonical text.
fn number(
    context: &mut Context,
    item: &RequireItem,
    metric: Metric,
) -> Option<(Decimal, ValueScale, String)> {
    let subject = format!("`{}`", metric.name());
    let (number, scale, suffix) = match (metric, &item.value.unit) {
        (
            Metric::Bandwidth
            | Metric::Collective(CollectiveMetric::Bandwidth)
            | Metric::Graph(GraphMetric::BisectionBandwidth | GraphMetric::HostBisectionBandwidth),
            _,
        ) => {
            let (number, unit) =
                quantity_of(context, &subject, &item.value, &[Dimension::Bandwidth], "10.5 GB/s")?;
            let gigabytes =
                number.times(unit.factor).and_then(|bits| Decimal::ratio(bits, BITS_OF_A_GIGABYTE));
            (
                in_base_units(context, subject, item, gigabytes, "a whole number of bit/s")?,
                ValueScale::Metric,
                " GB/s",
            )
        }
        (
            Metric::Latency
            | Metric::LatencyMax
            | Metric::Simulated(SimulatedMetric::Latency | SimulatedMetric::Time)
            | Metric::Collective(CollectiveMetric::Time | CollectiveMetric::Makespan)
            | Metric::Job(JobMetric::Communication | JobMetric::Step | JobMetric::Exposed),
            _,
        ) => {
            let (dimensions, example) = match metric {
                Metric::Job(_) => (&[Dimension::Time, Dimension::Duration, Dimension::Cycles][..], "1.8 s"),
                _ => (&[Dimension::Time, Dimension::Cycles][..], "2.5 us"),
            };
            let (number, unit) = quantity_of(context, &subject, &item.value, dimensions, example)?;
            if unit.dimension == Dimension::Cycles {
                (number, ValueScale::Cycles, " cycles")
            } else {
                let picoseconds = unit.picoseconds().and_then(|factor| number.times(factor));
                let nanoseconds = picoseconds.and_then(|picoseconds| Decimal::ratio(picoseconds, 1_000));
                (
                    in_base_units(context, subject, item, nanoseconds, "a whole number of ps")?,
                    ValueScale::Metric,
                    " ns",
                )
            }
        }
        (Metric::Floor(metric), Some(_)) if metric.is_length() => {
            let (number, _) = quantity_of(context, &subject, &item.value, &[Dimension::Length], "5.6 m")?;
            (number, ValueScale::Metric, " m")
        }
        (metric, Some(_)) if metric.is_power() => {
            let (number, unit) = quantity_of(context, &subject, &item.value, &[Dimension::Power], "120 W")?;
            let watts = number.times(unit.factor).and_then(|milliwatts| Decimal::ratio(milliwatts, 1_000));
            (in_base_units(context, subject, item, watts, "a whole number of mW")?, ValueScale::Metric, " W")
        }
        (Metric::Floor(metric), None) if metric.is_length() => {
            quantity_of(context, &subject, &item.value, &[Dimension::Length], "5.6 m");
            return None;
        }
        (metric, None) if metric.is_power() => {
            quantity_of(context, &subject, &item.value, &[Dimension::Power], "120 W");
            return None;
        }
        (_, Some(unit)) => {
            report_unit(context, subject, item, metric, unit);
            return None;
        }
        (_, None) => (decimal(context, &subject, &item.value)?, ValueScale::Metric, ""),
    };
    Some((number, scale, format!("{number}{suffix}")))
}

/// Reports the unit of a metric that has none.
fn report_unit(context: &mut Context, subject: String, item: &RequireItem, metric: Metric, unit: &Name) {
    let share = if &*unit.value == "%" { decimal(context, &subject, &item.value) } else { None };
    let references = metric.references(item.metric.value.starts_with("fault."));
    let help = match (share, references.first()) {
        (Some(share), Some(first)) => {
            format!("a share of what? write `{share} % of {}`", first.name())
        }
        (Some(share), None) => format!("a share is a plain number: write `{}`", share.percent()),
        (None, _) => format!("remove `{}`", unit.value),
    };
    context.error(ResolveError::WrongUnit {
        subject,
        wanted: "no unit".to_owned(),
        help: Some(help),
        span: unit.span,
        note: "a plain number expected".to_owned(),
    });
}

/// Reports a number that is not whole in the base unit of its metric.
fn in_base_units(
    context: &mut Context,
    subject: String,
    item: &RequireItem,
    number: Option<Decimal>,
    wanted: &str,
) -> Option<Decimal> {
    if number.is_none() {
        let (wanted, note, span) = (wanted.to_owned(), "this is not".to_owned(), item.value.span);
        context.error(ResolveError::OutOfRange { subject, wanted, help: None, span, note });
    }
    number
}

/// The digits of a share form a number below this.
const MAX_SHARE_DIGITS: u128 = 1_000_000;

/// Finds the bound that a value is a share of.
fn share_reference(
    context: &mut Context,
    item: &RequireItem,
    share: &RequiredShare,
    metric: Metric,
    fault: bool,
    kind: PlantKind,
) -> Option<Reference> {
    let name = &*item.metric.value;
    let possible: Vec<&str> = metric.references(fault).iter().map(|reference| reference.name()).collect();
    let reference =
        metric.references(fault).iter().find(|reference| reference.name() == &*share.reference.value);
    let Some(&reference) = reference else {
        let known = Reference::ALL.iter().any(|reference| reference.name() == &*share.reference.value);
        context.error(match known || possible.is_empty() {
            false => unknown_choice("the share", &share.reference, &possible, None),
            true => {
                let help = match possible.is_empty() {
                    true => format!("write a number: `require {name} {} ..`", item.comparison.value),
                    false => format!("it may be a share of {}", list(&possible)),
                };
                misplaced(
                    format!("a share of `{}`", share.reference.value),
                    format!("`require {name}`"),
                    help,
                    share.reference.span,
                )
            }
        });
        return None;
    };
    if reference == Reference::Universal && kind.is_network {
        let help = "the universal bound exists only for pods. Write a share of `bound`".to_owned();
        context.error(misplaced(
            "a share of `universal`".to_owned(),
            "a network".to_owned(),
            help,
            share.reference.span,
        ));
        return None;
    }
    if !share.percent && context.constants.names().any(|constant| constant == &*share.reference.value) {
        let help = format!("rename the constant: here `{}` is what fabc measures", reference.name());
        context.error(misplaced(
            format!("the constant `{}`", reference.name()),
            "a share".to_owned(),
            help,
            share.reference.span,
        ));
        return None;
    }
    Some(reference)
}

/// Reads the factor of a share, what it is a share of, and the canonical text.
fn share(
    context: &mut Context,
    item: &RequireItem,
    share: &RequiredShare,
    metric: Metric,
    fault: bool,
    kind: PlantKind,
) -> Option<(Decimal, ValueScale, String)> {
    let reference = share_reference(context, item, share, metric, fault, kind)?;
    let subject = format!("the share of `{}`", reference.name());
    let (number, unit) = match (&item.value.unit, share.percent) {
        (Some(unit), true) if &*unit.value == "%" => (decimal(context, &subject, &item.value)?, " %"),
        (None, false) => (decimal(context, &subject, &item.value)?, ""),
        (unit, _) => {
            context.error(ResolveError::WrongUnit {
                subject,
                wanted: "`%` before `of`".to_owned(),
                help: Some(format!("for example `98 % of {0}` or `0.98 * {0}`", reference.name())),
                span: unit.as_ref().map_or(item.value.span, |unit| unit.span),
                note: "this is no share".to_owned(),
            });
            return None;
        }
    };
    let value = if share.percent { number.percent() } else { number };
    if value.parts().0 >= MAX_SHARE_DIGITS || value.parts().0 == 0 {
        context.error(ResolveError::OutOfRange {
            subject,
            wanted: "positive and of at most six digits".to_owned(),
            help: None,
            span: item.value.span,
            note: "this is not".to_owned(),
        });
        return None;
    }
    let text = if share.percent {
        format!("{number}{unit} of {}", reference.name())
    } else {
        format!("{number} * {}", reference.name())
    };
    Some((value, ValueScale::ShareOf(reference), text))
}

/// Whether all values of a metric are integers.
fn is_count(metric: Metric) -> bool {
    match metric {
        Metric::Graph(metric) => metric.is_count(),
        Metric::Floor(metric) => metric == FloorMetric::Bundles,
        Metric::Hardware(metric) => metric.is_count(),
        _ => matches!(metric, Metric::Diameter | Metric::MaxChannelLoad | Metric::DisjointTrees),
    }
}

/// Says why a comparison is decided before anything is measured.
fn decided_already(
    metric: Metric,
    comparison: Comparison,
    value: Decimal,
    scale: ValueScale,
) -> Option<(&'static str, String)> {
    let upper = matches!(comparison, Comparison::AtMost | Comparison::Less | Comparison::Equal);
    let (name, value) = (metric.name(), value.as_f64());
    if let ValueScale::ShareOf(reference) = scale {
        let bound = matches!(reference, Reference::Universal | Reference::Bound);
        let beyond = if metric.larger_is_better() {
            comparison.wants_more() && value > 1.0
        } else {
            upper && value < 1.0
        };
        let example = if metric.larger_is_better() { ">= 98 %" } else { "<= 105 %" };
        return (bound && beyond).then(|| {
            (
                "nothing is better than its bound",
                format!("require `{name} {example} of {}`, for example", reference.name()),
            )
        });
    }
    if value == 0.0 && comparison == Comparison::AtLeast {
        return Some(("nothing is below 0", format!("`{name}` is never negative; require more than 0")));
    }
    if value == 0.0 && comparison == Comparison::Less {
        return Some(("nothing is below 0", format!("`{name}` is never negative")));
    }
    match metric {
        Metric::Graph(GraphMetric::DisconnectShare) if value > 1.0 => {
            Some(("a share is never above 1", "require `disconnect_share >= 0.6`, for example".to_owned()))
        }
        Metric::Graph(GraphMetric::ShortestPaths) if upper && value < 1.0 => {
            Some(("every pair has a shortest path", "require `shortest_paths >= 2`, for example".to_owned()))
        }
        Metric::LoadRatio | Metric::HopsRatio | Metric::Collective(CollectiveMetric::MakespanRatio)
            if upper && value < 1.0 =>
        {
            Some((
                "a ratio to a lower bound is never below 1",
                format!("require `{name} <= 1.05`, for example"),
            ))
        }
        Metric::Job(JobMetric::Share) if comparison.wants_more() && value > 1.0 => {
            Some(("no step beats the bound", format!("require `{name} >= 0.7`, for example")))
        }
        Metric::Collective(CollectiveMetric::Share) if comparison.wants_more() && value > 1.0 => {
            Some(("no schedule beats the bound", format!("require `{name} >= 0.98`, for example")))
        }
        Metric::Simulated(metric) if comparison.wants_more() && value > 1.0 => match metric {
            SimulatedMetric::Fairness => Some((
                "the worst source never gets more than the best one",
                format!("require `{name} >= 0.9`, for example"),
            )),
            SimulatedMetric::Share => Some((
                "no rate above the static bound is sustained",
                format!("require `{name} >= 0.92`, for example"),
            )),
            _ => None,
        },
        Metric::Collision | Metric::CollisionWorst
            if upper && (value < 1.0 || value == 1.0 && comparison == Comparison::Less) =>
        {
            Some((
                "the fullest next hop never has less than the mean",
                format!("require `{name} <= 1.6`, for example"),
            ))
        }
        Metric::VcBalance if value > 1.0 => {
            Some(("a share is never above 1", format!("require `{name} <= 0.6`, for example")))
        }
        _ if is_count(metric) && comparison == Comparison::Equal && value.fract() != 0.0 => {
            Some(("an integer never equals a fraction", format!("`{name}` is a whole number")))
        }
        _ => None,
    }
}
