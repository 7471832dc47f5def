//! The contract.

use super::context::{Context, unknown_choice};
use super::foreign;
use super::items::Items;
use super::kind::PlantKind;
use super::scheduled;
use super::settings::{decimal, quantity_of};
use super::subjects::{FAULT, Subjects, misplaced, need_faults, planned, simulated};
use crate::ResolveError;
use crate::syntax::ast::{RequireItem, Share};
use crate::syntax::require_order;
use fabc_base::diag::{Span, closest, list};
use fabc_base::units::{self, BITS_OF_A_GIGABYTE, Decimal, Dimension};
use fabc_model::{
    Budget, CollectiveMetric, Comparison, FloorMetric, GraphMetric, Metric, Reference, Require, Scale,
    SimulatedMetric, Subject, WrittenUnit,
};

/// All requires, sorted as in the normalized spec; `replaces`: whether a spare block may take the place of
/// any other.
pub(super) fn requires(
    context: &mut Context,
    items: &Items<'_>,
    budget: Option<&Budget>,
    kind: PlantKind,
    replaces: bool,
) -> Vec<Require> {
    let subjects = Subjects::of(items, replaces);
    let of = |(item, span): &(&RequireItem, Span)| require(context, item, *span, budget, (kind, &subjects));
    let mut requires: Vec<Require> = items.requires.iter().filter_map(of).collect();
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
    (kind, subjects): (PlantKind, &Subjects<'_>),
) -> Option<Require> {
    let name = &*item.metric.value;
    let subject =
        planned(context, item, subjects, budget, kind).or_else(|| simulated(context, item, subjects));
    if let Some(of) = subject {
        let (metric, of) = of?;
        scheduled::is_known(context, (metric, subjects.scheduled), name, item.metric.span)?;
        let comparison = comparison(item)?;
        let (value, scale, value_text) = match &item.share {
            Some(share) => {
                let help = format!("write a number: `require {name} {} ..`", item.comparison.value);
                context.error(misplaced(
                    format!("a share of `{}`", share.of.value),
                    format!("`require {name}`"),
                    help,
                    share.of.span,
                ));
                return None;
            }
            None => number(context, item, metric)?,
        };
        if let Some((reason, help)) = nonsense(metric, comparison, value, scale) {
            context.error(ResolveError::Nonsense { reason: reason.to_owned(), help, span });
            return None;
        }
        let fault = name.starts_with(FAULT) && matches!(of, Subject::Collective(_));
        return Some(Require {
            metric,
            fault,
            of: Some(of),
            comparison,
            value,
            scale,
            value_text,
            unit: unit_of(item),
            span,
        });
    }
    let (fault, plain) = match name.strip_prefix(FAULT) {
        Some(plain) => (true, plain),
        None => (false, name),
    };
    let metric = Metric::every().find(|metric| metric.name() == plain);
    let metric = metric.map(|metric| by_unit(metric, item));
    let Some(metric) = metric else {
        if context.enough() {
            return None;
        }
        context.error(unknown_metric(name, fault, plain, kind, item.metric.span));
        return None;
    };
    if metric == Metric::DisjointTrees && kind.network {
        let help = "remove it: trees that share no switch are counted where there are switches".to_owned();
        context.error(kind.misfit(format!("`{name}`"), help, item.metric.span));
        return None;
    }
    if matches!(metric, Metric::Graph(_)) && !kind.network {
        let help = match metric {
            Metric::Graph(metric) if metric.is_of_halves() => {
                "remove it: `concurrent_flow` and `bandwidth` are what all cuts together let through"
            }
            _ => "remove it: what is measured of a graph is measured of networks",
        };
        let help = help.to_owned();
        context.error(kind.misfit(format!("`{name}`"), help, item.metric.span));
        return None;
    }
    if matches!(metric, Metric::Graph(_) | Metric::Floor(_)) && fault {
        let help = format!("write `{plain}`: it is measured without faults");
        context.error(misplaced(format!("`{name}`"), "a contract".to_owned(), help, item.metric.span));
        return None;
    }
    scheduled::is_known(context, (metric, subjects.scheduled), name, item.metric.span)?;
    let replaced = matches!(metric, Metric::Collective(metric) if metric.is_scheduled());
    if fault && !replaced {
        need_faults(context, item, plain, budget, kind);
    }
    let comparison = comparison(item)?;
    let (value, scale, value_text) = match &item.share {
        Some(share) => self::share(context, item, share, (metric, fault), kind)?,
        None => number(context, item, metric)?,
    };
    if let Some((reason, help)) = nonsense(metric, comparison, value, scale) {
        context.error(ResolveError::Nonsense { reason: reason.to_owned(), help, span });
        return None;
    }
    Some(Require { metric, fault, of: None, comparison, value, scale, value_text, unit: unit_of(item), span })
}

/// A bisection counts links, and in a unit of bandwidth what they carry.
fn by_unit(metric: Metric, item: &RequireItem) -> Metric {
    let unit = item.value.unit.as_ref().and_then(|unit| units::unit(&unit.value));
    match (metric, unit) {
        (Metric::Graph(GraphMetric::Bisection), Some(unit)) if unit.dimension == Dimension::Bandwidth => {
            Metric::Graph(GraphMetric::BisectionBandwidth)
        }
        _ => metric,
    }
}

fn unit_of(item: &RequireItem) -> WrittenUnit {
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

/// Complains about lines on cables where the spec has no floor.
pub(super) fn need_floor(context: &mut Context, requires: &[Require], kind: PlantKind) {
    for line in requires.iter().filter(|line| matches!(line.metric, Metric::Floor(_))) {
        let help = Some(format!("add `{}`", super::floor::example(kind)));
        let (what, place) = (format!("`{}`", line.metric.name()), "a fabric without a `floor`".to_owned());
        context.error(ResolveError::Misplaced { what, place, help, span: line.span });
    }
}

/// Complains about lines on failures where the spec has none.
pub(super) fn need_failures(context: &mut Context, requires: &[Require]) {
    for line in requires.iter().filter(|line| line.metric == Metric::Graph(GraphMetric::DisconnectShare)) {
        let help = Some("add `failures { links <= 60 %; seeds = 100; }`".to_owned());
        let (what, place) = ("`disconnect_share`".to_owned(), "a fabric without `failures`".to_owned());
        context.error(ResolveError::Misplaced { what, place, help, span: line.span });
    }
}

fn unknown_metric(name: &str, fault: bool, plain: &str, kind: PlantKind, span: Span) -> ResolveError {
    let fits = |metric: &Metric| match metric {
        Metric::DisjointTrees => !kind.network,
        Metric::Graph(_) | Metric::Collective(_) => kind.network,
        _ => true,
    };
    let known: Vec<&str> = Metric::every().filter(fits).map(Metric::name).collect();
    let plain = if fault { plain } else { plain.rsplit('.').next().unwrap_or(plain) };
    let help = match (closest(plain, known.iter().copied()), foreign::metric(plain)) {
        (_, Some(has)) => has.to_owned(),
        (Some(close), None) if fault || name.starts_with("fault") => format!("did you mean `fault.{close}`?"),
        (Some(close), None) => format!("did you mean `{close}`?"),
        (None, None) => {
            format!("one of {}; with `fault.` before it, in the worst tolerated fault", list(&known))
        }
    };
    ResolveError::UnknownMetric { name: name.to_owned(), help, span }
}

/// The number, what it counts, and its canonical text.
fn number(context: &mut Context, item: &RequireItem, metric: Metric) -> Option<(Decimal, Scale, String)> {
    let what = format!("`{}`", metric.name());
    let (number, scale, suffix) = match (metric, &item.value.unit) {
        (
            Metric::Bandwidth
            | Metric::Collective(CollectiveMetric::Bandwidth)
            | Metric::Graph(GraphMetric::BisectionBandwidth),
            _,
        ) => {
            let (number, unit) =
                quantity_of(context, &what, &item.value, &[Dimension::Bandwidth], "10.5 GB/s")?;
            let gigabytes =
                number.times(unit.factor).and_then(|bits| Decimal::ratio(bits, BITS_OF_A_GIGABYTE));
            (
                in_base_units(context, what, item, gigabytes, "a whole number of bit/s")?,
                Scale::Metric,
                " GB/s",
            )
        }
        (
            Metric::Latency
            | Metric::LatencyMax
            | Metric::Simulated(SimulatedMetric::Latency | SimulatedMetric::Time)
            | Metric::Collective(CollectiveMetric::Time | CollectiveMetric::Makespan),
            _,
        ) => {
            let (number, unit) =
                quantity_of(context, &what, &item.value, &[Dimension::Time, Dimension::Cycles], "2.5 us")?;
            if unit.dimension == Dimension::Cycles {
                (number, Scale::Cycles, " cycles")
            } else {
                let nanoseconds =
                    number.times(unit.factor).and_then(|picoseconds| Decimal::ratio(picoseconds, 1_000));
                (
                    in_base_units(context, what, item, nanoseconds, "a whole number of ps")?,
                    Scale::Metric,
                    " ns",
                )
            }
        }
        (Metric::Floor(metric), Some(_)) if metric.is_length() => {
            let (number, _) = quantity_of(context, &what, &item.value, &[Dimension::Length], "5.6 m")?;
            (number, Scale::Metric, " m")
        }
        (Metric::Floor(FloorMetric::Power), Some(_)) => {
            let (number, unit) = quantity_of(context, &what, &item.value, &[Dimension::Power], "120 W")?;
            let watts = number.times(unit.factor).and_then(|milliwatts| Decimal::ratio(milliwatts, 1_000));
            (in_base_units(context, what, item, watts, "a whole number of mW")?, Scale::Metric, " W")
        }
        (Metric::Floor(metric), None) if metric.is_length() || metric == FloorMetric::Power => {
            let example = if metric.is_length() { "5.6 m" } else { "120 W" };
            let dimension = if metric.is_length() { Dimension::Length } else { Dimension::Power };
            quantity_of(context, &what, &item.value, &[dimension], example);
            return None;
        }
        (_, Some(unit)) => {
            let share = if &*unit.value == "%" { decimal(context, &what, &item.value) } else { None };
            let references = metric.references(item.metric.value.starts_with("fault."));
            let help = match (share, references.first()) {
                (Some(share), Some(first)) => {
                    format!("a share of what? write `{share} % of {}`", first.name())
                }
                (Some(share), None) => format!("a share is a plain number: write `{}`", share.percent()),
                (None, _) => format!("remove `{}`", unit.value),
            };
            context.error(ResolveError::WrongUnit {
                what,
                wanted: "no unit".to_owned(),
                help: Some(help),
                span: unit.span,
                found: "a plain number expected".to_owned(),
            });
            return None;
        }
        (_, None) => (decimal(context, &what, &item.value)?, Scale::Metric, ""),
    };
    Some((number, scale, format!("{number}{suffix}")))
}

/// The number in the unit of its metric, if it is one.
fn in_base_units(
    context: &mut Context,
    what: String,
    item: &RequireItem,
    number: Option<Decimal>,
    wanted: &str,
) -> Option<Decimal> {
    if number.is_none() {
        let (wanted, found, span) = (wanted.to_owned(), "this is not".to_owned(), item.value.span);
        context.error(ResolveError::OutOfRange { what, wanted, help: None, span, found });
    }
    number
}

/// The most digits of a share.
const SHARE_DIGITS: u128 = 1_000_000;

/// The factor of a share, what it is of, and the canonical text.
fn share(
    context: &mut Context,
    item: &RequireItem,
    share: &Share,
    (metric, fault): (Metric, bool),
    kind: PlantKind,
) -> Option<(Decimal, Scale, String)> {
    let name = &*item.metric.value;
    let possible: Vec<&str> = metric.references(fault).iter().map(|reference| reference.name()).collect();
    let reference = metric.references(fault).iter().find(|reference| reference.name() == &*share.of.value);
    let Some(&reference) = reference else {
        let known = Reference::ALL.iter().any(|reference| reference.name() == &*share.of.value);
        context.error(match known || possible.is_empty() {
            false => unknown_choice("the share", &share.of, &possible, None),
            true => {
                let help = match possible.is_empty() {
                    true => format!("write a number: `require {name} {} ..`", item.comparison.value),
                    false => format!("it may be a share of {}", list(&possible)),
                };
                misplaced(
                    format!("a share of `{}`", share.of.value),
                    format!("`require {name}`"),
                    help,
                    share.of.span,
                )
            }
        });
        return None;
    };
    if reference == Reference::Universal && kind.network {
        let help =
            "what no wiring of the switches exceeds is known of pods; write a share of `bound`".to_owned();
        context.error(misplaced(
            "a share of `universal`".to_owned(),
            "a network".to_owned(),
            help,
            share.of.span,
        ));
        return None;
    }
    if !share.percent && context.constants.names().any(|constant| constant == &*share.of.value) {
        let help = format!("rename the constant: here `{}` is what fabc measures", reference.name());
        context.error(misplaced(
            format!("the constant `{}`", reference.name()),
            "a share".to_owned(),
            help,
            share.of.span,
        ));
        return None;
    }
    let what = format!("the share of `{}`", reference.name());
    let (number, unit) = match (&item.value.unit, share.percent) {
        (Some(unit), true) if &*unit.value == "%" => (decimal(context, &what, &item.value)?, " %"),
        (None, false) => (decimal(context, &what, &item.value)?, ""),
        (unit, _) => {
            context.error(ResolveError::WrongUnit {
                what,
                wanted: "`%` before `of`".to_owned(),
                help: Some(format!("for example `98 % of {0}` or `0.98 * {0}`", reference.name())),
                span: unit.as_ref().map_or(item.value.span, |unit| unit.span),
                found: "this is no share".to_owned(),
            });
            return None;
        }
    };
    let value = if share.percent { number.percent() } else { number };
    if value.parts().0 >= SHARE_DIGITS || value.parts().0 == 0 {
        context.error(ResolveError::OutOfRange {
            what,
            wanted: "positive and of at most six digits".to_owned(),
            help: None,
            span: item.value.span,
            found: "this is not".to_owned(),
        });
        return None;
    }
    let text = if share.percent {
        format!("{number}{unit} of {}", reference.name())
    } else {
        format!("{number} * {}", reference.name())
    };
    Some((value, Scale::ShareOf(reference), text))
}

/// Why a comparison is decided before anything is measured.
fn nonsense(
    metric: Metric,
    comparison: Comparison,
    value: Decimal,
    scale: Scale,
) -> Option<(&'static str, String)> {
    let upper = matches!(comparison, Comparison::AtMost | Comparison::Less | Comparison::Equal);
    let whole = match metric {
        Metric::Graph(metric) => metric.is_count(),
        Metric::Floor(metric) => metric == FloorMetric::Bundles,
        _ => matches!(metric, Metric::Diameter | Metric::MaxChannelLoad | Metric::DisjointTrees),
    };
    let (name, value) = (metric.name(), value.as_f64());
    if let Scale::ShareOf(reference) = scale {
        let bound = matches!(reference, Reference::Universal | Reference::Bound);
        let beyond = if metric.larger_is_better() {
            comparison.wants_more() && value > 1.0
        } else {
            upper && value < 1.0
        };
        let at = if metric.larger_is_better() { ">= 98 %" } else { "<= 105 %" };
        return (bound && beyond).then(|| {
            (
                "nothing is better than its bound",
                format!("require `{name} {at} of {}`, for example", reference.name()),
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
        Metric::Collective(CollectiveMetric::Share) if comparison.wants_more() && value > 1.0 => {
            Some(("no schedule beats the bound", format!("require `{name} >= 0.98`, for example")))
        }
        Metric::Simulated(SimulatedMetric::Share) if comparison.wants_more() && value > 1.05 => Some((
            "the search ends at 1.05 of the static bound",
            format!("require `{name} >= 0.92`, for example"),
        )),
        Metric::VcBalance if value > 1.0 => {
            Some(("a share is never above 1", format!("require `{name} <= 0.6`, for example")))
        }
        _ if whole && comparison == Comparison::Equal && value.fract() != 0.0 => {
            Some(("an integer never equals a fraction", format!("`{name}` is a whole number")))
        }
        _ => None,
    }
}
