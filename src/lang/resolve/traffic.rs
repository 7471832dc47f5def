//! Resolves the traffic of a simulation, and the settings that depend on whether it ends.

use super::context::{Context, missing};
use super::scope::{Scope, read_file};
use super::settings::{
    BlockSettings, block_settings, integer, name_and_block, need_name_and_block, one_of, optional, quantity,
    wrong_kind,
};
use super::simulated_values::{MAX_WAIT, rate, refuse_settings, share, whole_count, word_value};
use crate::FileError;
use crate::ResolveError;
use crate::syntax::ast::{Block, Name, Quantity, SettingValue, StatementKind, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::Span;
use fabc_base::limits::TRACE_BYTES;
use fabc_base::units::Dimension;
use fabc_model::{Births, Bursts, Rate, Trace, TraceProblem, Traffic, TrafficDetails};
use std::collections::BTreeMap;

/// The most bytes of a message.
const MAX_BYTES: u64 = 1 << 40;

/// Resolves `uniform`, `group_shift { by = 2; }` or `trace "messages.csv"`.
pub(super) fn traffic(
    context: &mut Context,
    value: &SettingValue,
    scope: &Scope<'_>,
) -> Option<(Traffic, TrafficDetails)> {
    if let ValueKind::File(kind, path, block) = &value.kind {
        return trace_traffic(context, kind, path, block.as_ref(), scope);
    }
    let (name, block) = need_name_and_block(context, "`traffic`", value, "uniform")?;
    let traffic = word_value(context, "`traffic`", &name)?;
    if traffic == Traffic::Trace {
        context.error(missing("`trace`", "its file", "trace \"messages.csv\"", name.span));
        return None;
    }
    let read = |context: &mut Context, place: BlockKind| match block {
        Some(block) => block_settings(context, block, format!("`{}`", name.value), name.span, place),
        None => BlockSettings::none(format!("`{}`", name.value), name.span),
    };
    match traffic {
        Traffic::GroupShift => {
            let settings = read(context, BlockKind::Traffic);
            let by = settings.get("by").map(|value| integer(context, "`by`", value, 1..=i64::from(u32::MAX)));
            Some((
                traffic,
                TrafficDetails { by: optional(by)?.map(|by| by as u32), ..TrafficDetails::default() },
            ))
        }
        Traffic::Hotspot => {
            let settings = read(context, BlockKind::Hotspot);
            let spots =
                settings.need(context, "at", "[cube0[0,0,0], 17]").map(|value| hotspots(context, value));
            let share = settings.get("share").map(|value| share(context, "`share`", "0.2", value));
            Some((
                traffic,
                TrafficDetails { spots: spots??, share: optional(share)?, ..TrafficDetails::default() },
            ))
        }
        Traffic::AllToAll => {
            let settings = read(context, BlockKind::AllToAll);
            let bytes = settings.need(context, "bytes", "64 KiB").map(|value| message_bytes(context, value));
            let order = settings.get("order").map(|value| one_of(context, "`order`", value));
            Some((
                traffic,
                TrafficDetails { bytes: Some(bytes??), order: optional(order)?, ..TrafficDetails::default() },
            ))
        }
        _ if block.is_some() => {
            refuse_settings(context, &name);
            None
        }
        _ => Some((traffic, TrafficDetails::default())),
    }
}

/// Resolves `trace "messages.csv"`. The run checks whether the fabric has the senders.
fn trace_traffic(
    context: &mut Context,
    kind: &Name,
    path: &Name,
    block: Option<&Block>,
    scope: &Scope<'_>,
) -> Option<(Traffic, TrafficDetails)> {
    let traffic: Traffic = word_value(context, "`traffic`", kind)?;
    if traffic != Traffic::Trace {
        let (subject, place) = (format!("`{} \"{}\"`", kind.value, path.value), "a simulation".to_owned());
        let help = Some(format!("it has no file: write `{}`, or `trace` for messages of a file", kind.value));
        context.error(ResolveError::Misplaced { subject, place, help, span: kind.span.to(path.span) });
        return None;
    }
    if block.is_some() {
        refuse_settings(context, kind);
        return None;
    }
    let (written, text) = read_file(context, path, scope, TRACE_BYTES)?;
    match Trace::read(&written, &text) {
        Ok(trace) => Some((traffic, TrafficDetails { trace: Some(trace), ..TrafficDetails::default() })),
        Err(problem) => {
            let help = match &problem {
                TraceProblem::Line { help, .. } => help.clone(),
                TraceProblem::Empty => {
                    "write a line per message: `cycle,src,dst,flits`, such as `120,0,17,64`".to_owned()
                }
            };
            context.error(
                FileError::Trace { path: written, problem: problem.to_string(), help, span: path.span }
                    .into(),
            );
            None
        }
    }
}

/// Reads `[cube0[0,0,0], 17]`. The run checks whether the fabric has these routers.
fn hotspots(context: &mut Context, value: &SettingValue) -> Option<Vec<String>> {
    let ValueKind::List(items) = &value.kind else {
        context.error(wrong_kind(
            "`at`",
            "a list of routers and numbers of endpoints",
            "[cube0[0,0,0], 17]",
            value.span,
        ));
        return None;
    };
    let mut spans: BTreeMap<&str, Span> = BTreeMap::new();
    for item in items {
        if let Some(&first) = spans.get(&*item.value) {
            context.duplicate(format!("`{}`", item.value), "remove one of them", item.span, first);
            return None;
        }
        spans.insert(&item.value, item.span);
    }
    Some(items.iter().map(|item| item.value.to_string()).collect())
}

/// Reads `steady`, or `bursts { length = 40 cycles; rate = 0.8; }`. The inner `None` stands for `steady`.
#[allow(clippy::option_option)]
pub(super) fn births(context: &mut Context, value: &SettingValue) -> Option<Option<Bursts>> {
    let (name, block) =
        need_name_and_block(context, "`births`", value, "bursts { length = 40 cycles; rate = 0.8; }")?;
    match word_value(context, "`births`", &name)? {
        Births::Steady if block.is_some() => {
            refuse_settings(context, &name);
            None
        }
        Births::Steady => Some(None),
        Births::Bursts => {
            let title = format!("`{}`", name.value);
            let settings = match block {
                Some(block) => block_settings(context, block, title, name.span, BlockKind::Bursts),
                None => BlockSettings::none(title, name.span),
            };
            let range = 1..=MAX_WAIT;
            let length = settings.need(context, "length", "40 cycles");
            let length = length
                .map(|value| whole_count(context, "`length`", value, Dimension::Cycles, "40 cycles", range));
            let on = settings.need(context, "rate", "0.8").map(|value| match &value.kind {
                ValueKind::Quantity(Quantity { number, unit: None, .. }) => rate(context, number),
                _ => {
                    context.error(wrong_kind("`rate`", "flits per cycle, without a unit", "0.8", value.span));
                    None
                }
            });
            Some(Some(Bursts { length: length??, rate: Rate::millionths(on??) }))
        }
    }
}

/// Reads the bytes of a message.
fn message_bytes(context: &mut Context, value: &SettingValue) -> Option<u64> {
    let (number, unit) = quantity(context, "`bytes`", value, &[Dimension::Data], "64 KiB")?;
    let bytes = number.times(unit.factor).filter(|bytes| (1..=MAX_BYTES).contains(bytes));
    if bytes.is_none() {
        let (subject, wanted) =
            ("`bytes`".to_owned(), format!("a whole number of bytes from 1 to {MAX_BYTES}"));
        context.error(ResolveError::OutOfRange {
            subject,
            wanted,
            help: None,
            span: value.span,
            note: "this is not".to_owned(),
        });
    }
    bytes
}

/// Whether the traffic of a block ends. Such a block has no rates, and other metrics.
pub(super) fn block_is_finite(block: &Block) -> bool {
    traffic_setting(block).is_some_and(is_finite)
}

/// Whether the traffic of a block has hot spots.
pub(super) fn block_has_hot_spots(block: &Block) -> bool {
    let word = traffic_setting(block).and_then(traffic_of);
    word.is_some_and(|word| &*word.value == Traffic::Hotspot.name())
}

/// The value of the setting `traffic` of a block.
fn traffic_setting(block: &Block) -> Option<&SettingValue> {
    block.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Setting(setting) if &*setting.name.value == "traffic" => Some(&setting.value),
        _ => None,
    })
}

/// Whether the traffic that a value names ends.
pub(super) fn is_finite(traffic: &SettingValue) -> bool {
    let word = traffic_of(traffic);
    word.is_some_and(|word| {
        Traffic::ALL.iter().any(|traffic| traffic.is_finite() && traffic.name() == &*word.value)
    })
}

/// The word that names a traffic.
fn traffic_of(value: &SettingValue) -> Option<Name> {
    match &value.kind {
        ValueKind::File(kind, ..) => Some(kind.clone()),
        _ => name_and_block(value).map(|(word, _)| word),
    }
}

/// Reports settings that finite traffic does not have. Returns whether there are any.
pub(super) fn refuse_endless_settings(context: &mut Context, settings: &BlockSettings<'_>) -> bool {
    let mut refused = false;
    for setting in
        ["rates", "warmup", "measure", "replications", "confidence", "births", "control", "overload"]
    {
        if let Some(span) = settings.span(setting) {
            let help = Some(
                "remove it: finite traffic runs to its end as fast as possible, and all of it is counted"
                    .to_owned(),
            );
            let traffic = settings.get("traffic").and_then(traffic_of);
            let place = format!(
                "a simulation of `{}`",
                traffic.map_or_else(String::new, |word| word.value.to_string())
            );
            context.error(ResolveError::Misplaced { subject: format!("`{setting}`"), place, help, span });
            refused = true;
        }
    }
    refused
}
