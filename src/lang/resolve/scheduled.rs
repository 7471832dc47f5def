//! Resolves `routing = scheduled { .. }`, and checks what a fabric without forwarding tables can have.

use super::context::{Context, missing, unknown_choice};
use super::items::SpecItems;
use super::settings::{BlockSettings, bare_name, block_settings, integer_of, is_named, quantity, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{Block, Name, Quantity, SettingValue, StatementKind, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::Span;
use fabc_base::units::Dimension;
use fabc_model::{Collective, DeclaredCollective, Every, Faults, Metric, Scheduled};
use std::collections::BTreeMap;

/// The word that names this routing.
pub(super) const SCHEDULED: &str = "scheduled";

/// The most bytes of a vector, and the most cycles of a slot, a hop or a sum.
const MAX_SIZE: i64 = 1 << 20;

/// The settings of a collective that need forwarding tables.
const TABLE_SETTINGS: [&str; 4] = ["chunks", "overhead", "barrier", "scenarios"];

/// Whether a spec asks for schedules.
pub(super) fn is_scheduled(items: &SpecItems<'_>) -> bool {
    items.settings.get("routing").is_some_and(|setting| is_named(&setting.value, SCHEDULED))
}

/// Resolves the settings of `scheduled`.
pub(super) fn scheduled_settings(context: &mut Context, kind: &Name, block: &Block) -> Option<Scheduled> {
    let settings = block_settings(context, block, "`scheduled`".to_owned(), kind.span, BlockKind::Scheduled);
    let vector_bytes = settings.get("vector").map(|value| vector_bytes(context, value));
    let slot = settings.get("slot").map(|value| cycles(context, "slot", value, 1));
    let hop = settings.get("hop").map(|value| cycles(context, "hop", value, 1));
    let reduce = settings.get("reduce").map_or(Some(0), |value| cycles(context, "reduce", value, 0));
    let deskew = settings.get("deskew").map_or(Some(None), |value| deskew_interval(context, value).map(Some));
    let optional = |written: Option<Option<u32>>| written.map_or(Some(None), |number| number.map(Some));
    Some(Scheduled {
        vector_bytes: optional(vector_bytes)?,
        slot: optional(slot)?,
        hop: optional(hop)?,
        reduce: reduce?,
        deskew: deskew?,
    })
}

fn vector_bytes(context: &mut Context, value: &SettingValue) -> Option<u32> {
    let (number, unit) = quantity(context, "`vector`", value, &[Dimension::Data], "320 B")?;
    let bytes = number.times(unit.factor).filter(|bytes| (1..=MAX_SIZE as u64).contains(bytes));
    if bytes.is_none() {
        let (subject, wanted) =
            ("`vector`".to_owned(), format!("a whole number of bytes from 1 to {MAX_SIZE}"));
        context.error(ResolveError::OutOfRange {
            subject,
            wanted,
            help: None,
            span: value.span,
            note: "this is not".to_owned(),
        });
    }
    bytes.map(|bytes| bytes as u32)
}

/// Reads a number of cycles, such as `24 cycles`.
fn cycles(context: &mut Context, name: &str, value: &SettingValue, minimum: i64) -> Option<u32> {
    let (subject, example) = (format!("`{name}`"), "24 cycles");
    let ValueKind::Quantity(written) = &value.kind else {
        context.error(wrong_kind(&subject, "a number of cycles", example, value.span));
        return None;
    };
    quantity(context, &subject, value, &[Dimension::Cycles], example)?;
    let plain = Quantity { unit: None, ..written.clone() };
    integer_of(context, &subject, &plain, minimum..=MAX_SIZE).map(|cycles| cycles as u32)
}

/// Reads an interval: `1 ms` or `900000 cycles`.
fn deskew_interval(context: &mut Context, value: &SettingValue) -> Option<Every> {
    let (number, unit) = quantity(context, "`deskew`", value, &[Dimension::Time, Dimension::Cycles], "1 ms")?;
    let is_cycles = unit.dimension == Dimension::Cycles;
    let span = number.times(if is_cycles { 1 } else { unit.factor }).filter(|span| *span > 0);
    let interval = span.and_then(|span| {
        if is_cycles { u32::try_from(span).ok().map(Every::Cycles) } else { Some(Every::Picoseconds(span)) }
    });
    if interval.is_none() {
        let (subject, wanted) = (
            "`deskew`".to_owned(),
            "a time of at least a picosecond, or at most 4294967295 cycles".to_owned(),
        );
        context.error(ResolveError::OutOfRange {
            subject,
            wanted,
            help: None,
            span: value.span,
            note: "this is not".to_owned(),
        });
    }
    interval
}

/// Reports settings of a collective that mean nothing under this routing, and collectives that are not
/// scheduled. Returns whether there were none.
pub(super) fn check_collective(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    collective: Collective,
    kind: &Name,
    scheduled: bool,
) -> bool {
    let (misplaced_settings, place, help): (&[&str], _, _) = match scheduled {
        true => (
            &TABLE_SETTINGS,
            "`routing = scheduled`",
            "remove it: all vectors have the same size and a fixed cycle",
        ),
        false => (
            &["after"],
            "a fabric with forwarding tables",
            "remove it, or write `routing = scheduled { .. }`",
        ),
    };
    let mut fits = true;
    let mut misplaced = |subject: String, help: &str, span| {
        let (place, help) = (place.to_owned(), Some(help.to_owned()));
        context.error(ResolveError::Misplaced { subject, place, help, span });
        fits = false;
    };
    for name in misplaced_settings.iter().filter(|name| settings.get(name).is_some()) {
        misplaced(format!("`{name}`"), help, settings.span_or_head(name));
    }
    if !scheduled && collective == Collective::Send {
        misplaced(format!("`{}`", kind.value), help, kind.span);
    }
    if scheduled && collective == Collective::Reduce {
        misplaced("`reduce`".to_owned(), "write `all_reduce` or `reduce_scatter`", kind.span);
    }
    fits
}

/// Finds the collective that every collective waits for, as an index. Reports unknown names, and collectives
/// that wait for each other.
pub(super) fn resolve_order(
    context: &mut Context,
    items: &SpecItems<'_>,
    collectives: &mut [DeclaredCollective],
) {
    let known: BTreeMap<String, usize> =
        collectives.iter().enumerate().map(|(index, collective)| (collective.name.clone(), index)).collect();
    for (setting, _) in &items.collectives {
        let (ValueKind::Block(_, block) | ValueKind::File(_, _, Some(block))) = &setting.value.kind else {
            continue;
        };
        let written = block.statements.iter().find_map(|statement| match &statement.kind {
            StatementKind::Setting(setting) if &*setting.name.value == "after" => Some(&setting.value),
            _ => None,
        });
        let (Some(value), Some(&index)) = (written, known.get(&*setting.name.value)) else { continue };
        let Some(name) = bare_name(value) else {
            context.error(wrong_kind("`after`", "the name of a collective", "exchange", value.span));
            continue;
        };
        let Some(&before) = known.get(&*name.value) else {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            context.error(unknown_choice("the collective in `after`", &name, &names, None));
            continue;
        };
        collectives[index].after = Some(before);
        let mut next = Some(before);
        let mut steps = 0;
        while let Some(waiting) = next.filter(|_| steps <= collectives.len()) {
            (next, steps) = (collectives[waiting].after, steps + 1);
        }
        if next.is_some() {
            collectives[index].after = None;
            let (subject, place) =
                (format!("`after = {}`", name.value), format!("collective `{}`", collectives[index].name));
            let help = Some("the two would wait for each other forever: remove one of the lines".to_owned());
            context.error(ResolveError::Misplaced { subject, place, help, span: value.span });
        }
    }
}

/// Reports a metric of schedules where there are none, or a metric of routes where there are none. Returns
/// `None` in both cases.
pub(super) fn check_metric(
    context: &mut Context,
    metric: Metric,
    scheduled: Option<bool>,
    written: &str,
    span: Span,
) -> Option<()> {
    let is_of_schedules = matches!(metric, Metric::Collective(metric) if metric.is_scheduled());
    let collective = written.rsplit_once('.').map_or("exchange", |(subject, _)| subject);
    let (place, help) = match (is_of_schedules, scheduled.is_some()) {
        (true, false) => (
            "a fabric without schedules",
            format!("write `routing = scheduled {{ .. }}`, or require `{collective}.time`"),
        ),
        (false, true) if metric.needs_routes() => {
            ("`routing = scheduled`", "there are no routes: require `makespan <= 10 us`".to_owned())
        }
        _ if scheduled == Some(false) && written.starts_with("fault.") && is_of_schedules => {
            let plain = &written["fault.".len()..];
            (
                "a network whose outermost blocks have no spare",
                format!("write `{plain}`, or `spare = 1;` in the topology"),
            )
        }
        _ => return Some(()),
    };
    let (subject, place, help) = (format!("`{written}`"), place.to_owned(), Some(help));
    context.error(ResolveError::Misplaced { subject, place, help, span });
    None
}

/// Reports what needs forwarding tables.
pub(super) fn refuse_table_users(
    context: &mut Context,
    items: &SpecItems<'_>,
    span: Span,
    faults: Option<(Faults, Span)>,
) {
    if items.collectives.is_empty() {
        let example = "collective exchange = all_to_all { size = 80 KiB; }";
        context.error(missing("a scheduled network", "a `collective`", example, span));
    }
    let mut misplaced = |subject: &str, help: &str, span| {
        let (subject, place) = (format!("`{subject}`"), "`routing = scheduled`".to_owned());
        context.error(ResolveError::Misplaced { subject, place, help: Some(help.to_owned()), span });
    };
    for (name, ..) in &items.simulations {
        misplaced(
            "simulate",
            "remove it: a scheduled network needs no simulation, since every vector has a fixed cycle",
            name.span,
        );
    }
    if let Some((_, span)) = faults.filter(|(faults, _)| !faults.is_none()) {
        misplaced("faults", "write `faults = 0`: schedules are computed for the healthy network only", span);
    }
}
