//! The contract.

use super::context::Context;
use super::foreign;
use super::items::Items;
use super::kind::Kind;
use super::settings::{decimal, quantity_of};
use crate::diag::{Span, closest, list};
use crate::model::errors::ResolveError;
use crate::model::{Budget, Comparison, Metric, Require};
use crate::syntax::ast::RequireItem;
use crate::syntax::require_order;
use crate::units::{Decimal, Dimension};

/// All requires, sorted as in the normalized spec.
pub(super) fn requires(context: &mut Context, items: &Items<'_>, budget: Option<&Budget>, kind: Kind) -> Vec<Require> {
    let mut requires: Vec<Require> = items.requires.iter().filter_map(|(item, span)| require(context, item, *span, budget, kind)).collect();
    requires.sort_by_cached_key(|require| {
        let prefix = if require.fault { "fault." } else { "" };
        let key = require_order(&format!("{prefix}{}", require.metric.name()), require.comparison.symbol(), &require.value_text);
        (key, require.span)
    });
    requires
}

fn require(context: &mut Context, item: &RequireItem, span: Span, budget: Option<&Budget>, kind: Kind) -> Option<Require> {
    let name = &*item.metric.value;
    let (fault, plain) = match name.strip_prefix("fault.") {
        Some(plain) => (true, plain),
        None => (false, name),
    };
    let metric = Metric::ALL.into_iter().find(|metric| metric.name() == plain);
    let Some(metric) = metric else {
        if context.enough() {
            return None;
        }
        context.error(unknown_metric(name, fault, plain, item.metric.span));
        return None;
    };
    if metric == Metric::DisjointTrees && kind.network {
        let help = "remove it: trees that share no switch are counted where there are switches".to_owned();
        context.error(kind.misfit(format!("`{name}`"), help, item.metric.span));
        return None;
    }
    if let Some(budget) = budget.filter(|budget| fault && budget.faults.is_none()) {
        context.error(ResolveError::NoFaults {
            metric: name.to_owned(),
            plain: plain.to_owned(),
            example: kind.fault(),
            span: item.metric.span,
            budget: budget.faults_span,
        });
    }
    let comparison = Comparison::ALL.into_iter().find(|comparison| comparison.symbol() == &*item.comparison.value)?;
    let (value, value_text) = value(context, item, metric)?;
    if let Some((reason, help)) = nonsense(metric, comparison, value) {
        context.error(ResolveError::Nonsense { reason: reason.to_owned(), help, span });
        return None;
    }
    Some(Require { metric, fault, comparison, value, value_text, span })
}

fn unknown_metric(name: &str, fault: bool, plain: &str, span: Span) -> ResolveError {
    let known: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
    let plain = if fault { plain } else { plain.rsplit('.').next().unwrap_or(plain) };
    let help = match (closest(plain, known.iter().copied()), foreign::metric(plain)) {
        (_, Some(has)) => has.to_owned(),
        (Some(close), None) if fault || name.starts_with("fault") => format!("did you mean `fault.{close}`?"),
        (Some(close), None) => format!("did you mean `{close}`?"),
        (None, None) => format!("one of {}; with `fault.` before it, in the worst tolerated fault", list(&known)),
    };
    ResolveError::UnknownMetric { name: name.to_owned(), help, span }
}

/// The number, and its canonical text.
fn value(context: &mut Context, item: &RequireItem, metric: Metric) -> Option<(f64, String)> {
    let what = format!("`{}`", metric.name());
    let (number, suffix) = match (metric, &item.value.unit) {
        (Metric::Bandwidth, _) => {
            let (number, unit) = quantity_of(context, &what, &item.value, &[Dimension::Bandwidth], "10.5 GB/s")?;
            let gigabytes = number.times(unit.factor).and_then(|bits| Decimal::ratio(bits, 8_000_000_000));
            let Some(gigabytes) = gigabytes else {
                context.error(ResolveError::OutOfRange {
                    what,
                    wanted: "a whole number of bit/s".to_owned(),
                    help: None,
                    span: item.value.span,
                    found: "this is not".to_owned(),
                });
                return None;
            };
            (gigabytes, " GB/s")
        }
        (_, Some(unit)) => {
            let share = if &*unit.value == "%" { decimal(context, &what, &item.value).map(Decimal::percent) } else { None };
            let help = match share {
                Some(share) => format!("a share is a plain number: write `{share}`"),
                None => format!("remove `{}`", unit.value),
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
        (_, None) => (decimal(context, &what, &item.value)?, ""),
    };
    let text = number.to_string();
    Some((text.parse().ok()?, format!("{text}{suffix}")))
}

/// Why a comparison is decided before anything is measured.
fn nonsense(metric: Metric, comparison: Comparison, value: f64) -> Option<(&'static str, String)> {
    let upper = matches!(comparison, Comparison::AtMost | Comparison::Less | Comparison::Equal);
    let whole = matches!(metric, Metric::Diameter | Metric::MaxChannelLoad | Metric::DisjointTrees);
    let name = metric.name();
    if value == 0.0 && comparison == Comparison::AtLeast {
        return Some(("nothing is below 0", format!("`{name}` is never negative; require more than 0")));
    }
    if value == 0.0 && comparison == Comparison::Less {
        return Some(("nothing is below 0", format!("`{name}` is never negative")));
    }
    match metric {
        Metric::LoadRatio | Metric::HopsRatio if upper && value < 1.0 => {
            Some(("a ratio to a lower bound is never below 1", format!("require `{name} <= 1.05`, for example")))
        }
        Metric::VcBalance if value > 1.0 => Some(("a share is never above 1", format!("require `{name} <= 0.6`, for example"))),
        _ if whole && comparison == Comparison::Equal && value.fract() != 0.0 => {
            Some(("an integer never equals a fraction", format!("`{name}` is a whole number")))
        }
        _ => None,
    }
}
