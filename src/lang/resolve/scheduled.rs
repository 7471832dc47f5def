//! `routing = scheduled { .. }`: how fast vectors are, and what goes with a fabric that has no tables.

use super::context::{Context, missing, unknown_choice};
use super::items::Items;
use super::settings::{Settings, choice, integer_of, quantity, settings as block_settings, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{Block, Name, Quantity, StatementKind, Value, ValueKind};
use crate::syntax::words::Place;
use fabc_base::diag::Span;
use fabc_base::units::Dimension;
use fabc_model::{Collective, DeclaredCollective, Every, Faults, Metric, Scheduled};
use std::collections::BTreeMap;

/// The word of the routing.
pub(super) const SCHEDULED: &str = "scheduled";

/// The most bytes of a vector, and cycles of a slot, a hop or a sum.
const MOST: i64 = 1 << 20;

/// The settings of a collective that have a meaning only with forwarding tables.
const OF_TABLES: [&str; 4] = ["chunks", "overhead", "barrier", "scenarios"];

/// Whether a spec asks for schedules.
pub(super) fn is_asked(items: &Items<'_>) -> bool {
    items.settings.get("routing").is_some_and(|setting| match &setting.value.kind {
        ValueKind::Block(kind, _) => &*kind.value == SCHEDULED,
        _ => choice(&setting.value).is_some_and(|name| &*name.value == SCHEDULED),
    })
}

/// The settings of the block.
pub(super) fn settings(context: &mut Context, kind: &Name, block: &Block) -> Option<Scheduled> {
    let settings = block_settings(context, block, "`scheduled`".to_owned(), kind.span, Place::Scheduled);
    let vector_bytes = settings.get("vector").map(|value| bytes(context, value));
    let slot = settings.get("slot").map(|value| cycles(context, "slot", value, 1));
    let hop = settings.get("hop").map(|value| cycles(context, "hop", value, 1));
    let reduce = settings.get("reduce").map_or(Some(0), |value| cycles(context, "reduce", value, 0));
    let deskew = settings.get("deskew").map_or(Some(None), |value| every(context, value).map(Some));
    let known = |written: Option<Option<u32>>| written.map_or(Some(None), |number| number.map(Some));
    Some(Scheduled {
        vector_bytes: known(vector_bytes)?,
        slot: known(slot)?,
        hop: known(hop)?,
        reduce: reduce?,
        deskew: deskew?,
    })
}

fn bytes(context: &mut Context, value: &Value) -> Option<u32> {
    let (number, unit) = quantity(context, "`vector`", value, &[Dimension::Data], "320 B")?;
    let bytes = number.times(unit.factor).filter(|bytes| (1..=MOST as u64).contains(bytes));
    if bytes.is_none() {
        let (what, wanted) = ("`vector`".to_owned(), format!("a whole number of bytes from 1 to {MOST}"));
        context.error(ResolveError::OutOfRange {
            what,
            wanted,
            help: None,
            span: value.span,
            found: "this is not".to_owned(),
        });
    }
    bytes.map(|bytes| bytes as u32)
}

/// `24 cycles`.
fn cycles(context: &mut Context, name: &str, value: &Value, least: i64) -> Option<u32> {
    let (what, example) = (format!("`{name}`"), "24 cycles");
    let ValueKind::Quantity(written) = &value.kind else {
        context.error(wrong_kind(&what, "a number of cycles", example, value.span));
        return None;
    };
    quantity(context, &what, value, &[Dimension::Cycles], example)?;
    let plain = Quantity { unit: None, ..written.clone() };
    integer_of(context, &what, &plain, least..=MOST).map(|cycles| cycles as u32)
}

/// `1 ms` or `900000 cycles`.
fn every(context: &mut Context, value: &Value) -> Option<Every> {
    let (number, unit) = quantity(context, "`deskew`", value, &[Dimension::Time, Dimension::Cycles], "1 ms")?;
    let is_cycles = unit.dimension == Dimension::Cycles;
    let span = number.times(if is_cycles { 1 } else { unit.factor }).filter(|span| *span > 0);
    let found = span.and_then(|span| {
        if is_cycles { u32::try_from(span).ok().map(Every::Cycles) } else { Some(Every::Picoseconds(span)) }
    });
    if found.is_none() {
        let (what, wanted) = (
            "`deskew`".to_owned(),
            "a time of at least a picosecond, or at most 4294967295 cycles".to_owned(),
        );
        context.error(ResolveError::OutOfRange {
            what,
            wanted,
            help: None,
            span: value.span,
            found: "this is not".to_owned(),
        });
    }
    found
}

/// Complains about settings of a collective that mean nothing under this routing, and about what is not
/// scheduled; `true` if there is nothing to complain about.
pub(super) fn fit(
    context: &mut Context,
    settings: &Settings<'_>,
    collective: Collective,
    kind: &Name,
    scheduled: bool,
) -> bool {
    let (strange, place, help): (&[&str], _, _) = match scheduled {
        true => (
            &OF_TABLES,
            "`routing = scheduled`",
            "remove it: vectors are all of one size, and each has its cycle",
        ),
        false => (
            &["after", "groups"],
            "a fabric with forwarding tables",
            "remove it, or write `routing = scheduled { .. }`",
        ),
    };
    let mut fits = true;
    let mut misplaced = |what: String, help: &str, span| {
        let (place, help) = (place.to_owned(), Some(help.to_owned()));
        context.error(ResolveError::Misplaced { what, place, help, span });
        fits = false;
    };
    for name in strange.iter().filter(|name| settings.get(name).is_some()) {
        misplaced(format!("`{name}`"), help, settings.place_of(name));
    }
    if !scheduled && collective == Collective::Send {
        misplaced(format!("`{}`", kind.value), help, kind.span);
    }
    if scheduled && collective == Collective::Reduce {
        misplaced("`reduce`".to_owned(), "write `all_reduce` or `reduce_scatter`", kind.span);
    }
    fits
}

/// Finds out what every collective waits for: `[collective]`, as an index; complains about names that are
/// none, and about collectives that wait for each other.
pub(super) fn after(context: &mut Context, items: &Items<'_>, all: &mut [DeclaredCollective]) {
    let known: BTreeMap<String, usize> =
        all.iter().enumerate().map(|(at, of)| (of.name.clone(), at)).collect();
    for (setting, _) in &items.collectives {
        let (ValueKind::Block(_, block) | ValueKind::File(_, _, Some(block))) = &setting.value.kind else {
            continue;
        };
        let written = block.statements.iter().find_map(|statement| match &statement.kind {
            StatementKind::Setting(setting) if &*setting.name.value == "after" => Some(&setting.value),
            _ => None,
        });
        let (Some(value), Some(&at)) = (written, known.get(&*setting.name.value)) else { continue };
        let Some(name) = choice(value) else {
            context.error(wrong_kind("`after`", "the name of a collective", "exchange", value.span));
            continue;
        };
        let Some(&before) = known.get(&*name.value) else {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            context.error(unknown_choice("the collective in `after`", &name, &names, None));
            continue;
        };
        all[at].after = Some(before);
        let mut next = Some(before);
        let mut steps = 0;
        while let Some(of) = next.filter(|_| steps <= all.len()) {
            (next, steps) = (all[of].after, steps + 1);
        }
        if next.is_some() {
            all[at].after = None;
            let (what, place) =
                (format!("`after = {}`", name.value), format!("collective `{}`", all[at].name));
            let help = Some("the two would wait for each other for ever: remove one of the lines".to_owned());
            context.error(ResolveError::Misplaced { what, place, help, span: value.span });
        }
    }
}

/// `None`, and a complaint, where a metric is known of schedules alone and there are none, or of routes alone
/// and there are none.
pub(super) fn is_known(
    context: &mut Context,
    (metric, scheduled): (Metric, Option<bool>),
    written: &str,
    span: Span,
) -> Option<()> {
    let of_schedules = matches!(metric, Metric::Collective(metric) if metric.is_scheduled());
    let one = written.rsplit_once('.').map_or("exchange", |(of, _)| of);
    let (place, help) = match (of_schedules, scheduled.is_some()) {
        (true, false) => (
            "a fabric without schedules",
            format!("write `routing = scheduled {{ .. }}`, or require `{one}.time`"),
        ),
        (false, true) if metric.needs_routes() => {
            ("`routing = scheduled`", "there are no routes: require `makespan <= 10 us`".to_owned())
        }
        _ if scheduled == Some(false) && written.starts_with("fault.") && of_schedules => {
            let plain = &written["fault.".len()..];
            (
                "a network whose outermost blocks have no spare",
                format!("write `{plain}`, or `spare = 1;` in the topology"),
            )
        }
        _ => return Some(()),
    };
    let (what, place, help) = (format!("`{written}`"), place.to_owned(), Some(help));
    context.error(ResolveError::Misplaced { what, place, help, span });
    None
}

/// Complains about what needs forwarding tables.
pub(super) fn without_tables(
    context: &mut Context,
    items: &Items<'_>,
    span: Span,
    faults: Option<(Faults, Span)>,
) {
    if items.collectives.is_empty() {
        let example = "collective exchange = all_to_all { size = 80 KiB; }";
        context.error(missing("a scheduled network", "a `collective`", example, span));
    }
    let mut misplaced = |what: &str, help: &str, span| {
        let (what, place) = (format!("`{what}`"), "`routing = scheduled`".to_owned());
        context.error(ResolveError::Misplaced { what, place, help: Some(help.to_owned()), span });
    };
    for (name, ..) in &items.simulations {
        misplaced(
            "simulate",
            "remove it: nothing is left to chance where every vector has its cycle",
            name.span,
        );
    }
    if let Some((_, span)) = faults.filter(|(faults, _)| !faults.is_none()) {
        misplaced("faults", "write `faults = 0`: schedules are of the healthy network", span);
    }
}
