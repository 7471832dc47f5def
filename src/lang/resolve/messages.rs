//! Reads the messages between chips of `send { from; to; size }` and `pairs "file"`.

use super::context::Context;
use super::scope::{Scope, read_file};
use super::settings::{BlockSettings, bare_name, integer, wrong_kind};
use crate::FileError;
use crate::ResolveError;
use crate::syntax::ast::{Block, Name, Setting, SettingValue, ValueKind};
use fabc_base::csv;
use fabc_base::limits::{COLLECTIVE_BYTES, EARLIEST_CYCLES, PAIRS_BYTES};
use fabc_model::{Collective, DeclaredMessage, DeclaredMessages, MessageWays};
use std::collections::BTreeSet;

/// The word before a file of messages.
pub(super) const PAIRS: &str = "pairs";

/// The word, the file and the settings of `pairs "file" { .. }`.
pub(super) fn pairs_file(setting: &Setting) -> Option<(&Name, &Name, Option<&Block>)> {
    match &setting.value.kind {
        ValueKind::File(kind, path, block) if &*kind.value == PAIRS => Some((kind, path, block.as_ref())),
        _ => None,
    }
}

/// Reads the messages of a collective. The outer `None` says that an error was reported, the inner one that
/// the collective has no messages. `size` is the size of the only message if there is no file.
#[allow(clippy::option_option)]
pub(super) fn messages(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    collective: Collective,
    size: Option<Option<Option<u64>>>,
    kind: &Name,
    path: Option<&Name>,
    scope: &Scope<'_>,
) -> Option<Option<DeclaredMessages>> {
    let is_single = collective == Collective::Send && path.is_none();
    let misplaced: &[&str] = match (is_single, path.is_some()) {
        (true, _) => &[],
        (_, true) => &["from", "to", "size"],
        _ => &["from", "to", "paths"],
    };
    let mut fits = true;
    for name in misplaced.iter().filter(|name| settings.get(name).is_some()) {
        let help = if path.is_some() {
            "remove it: the file lists senders, destinations and sizes"
        } else {
            "remove it, or write `send { from = 0; to = 1; size = 64 KiB; }`"
        };
        let (subject, place, help) =
            (format!("`{name}`"), format!("`{}`", kind.value), Some(help.to_owned()));
        context.error(ResolveError::Misplaced { subject, place, help, span: settings.span_or_head(name) });
        fits = false;
    }
    if collective != Collective::Send {
        return fits.then_some(None);
    }
    let paths = settings.get("paths").map_or(Some(MessageWays::Any), |value| message_paths(context, value));
    let (messages, text) = match path {
        Some(path) => {
            let (written, text) = read_file(context, path, scope, PAIRS_BYTES)?;
            match parse_messages(&text) {
                Ok(messages) => (messages, Some(text)),
                Err(problem) => {
                    context.error(FileError::Pairs { path: written, problem, span: path.span }.into());
                    return None;
                }
            }
        }
        None => {
            let mut end = |name: &'static str, example: &str| {
                let value = settings.need(context, name, example)?;
                router_name(context, &format!("`{name}`"), value, example)
            };
            let (from, to) = (end("from", "0"), end("to", "1"));
            let message = DeclaredMessage { from: from?, to: to?, bytes: size???, earliest: 0 };
            if message.from == message.to {
                let (subject, wanted) = ("`to`".to_owned(), "another chip than `from`".to_owned());
                let (help, note) = (None, "this is the same".to_owned());
                context.error(ResolveError::OutOfRange {
                    subject,
                    wanted,
                    help,
                    span: settings.span_or_head("to"),
                    note,
                });
                return None;
            }
            (vec![message], None)
        }
    };
    Some(Some(DeclaredMessages { all: messages, ways: paths?, text })).filter(|_| fits)
}

/// Reads `any`, `minimal`, or a number of paths.
fn message_paths(context: &mut Context, value: &SettingValue) -> Option<MessageWays> {
    match bare_name(value) {
        Some(name) if &*name.value == "any" => Some(MessageWays::Any),
        Some(name) if &*name.value == "minimal" => Some(MessageWays::Minimal),
        None if matches!(value.kind, ValueKind::Quantity(_)) => {
            integer(context, "`paths`", value, 1..=i64::from(u16::MAX))
                .map(|count| MessageWays::Most(count as u32))
        }
        _ => {
            context.error(wrong_kind("`paths`", "`any`, `minimal` or a number", "any", value.span));
            None
        }
    }
}

/// Parses the lines of a file: `from,to,bytes` and optionally the earliest cycle of the message. A header
/// line, empty lines and comments (`#`) are skipped.
fn parse_messages(text: &str) -> Result<Vec<DeclaredMessage>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut messages, mut total, mut seen) = (Vec::new(), 0u64, BTreeSet::new());
    for (index, line) in text.lines().enumerate() {
        let line_error = |problem: String| format!("line {}: {problem}", index + 1);
        let cells = csv::cells(line).map_err(|problem| line_error(problem.to_owned()))?;
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        if cells == [""] || (messages.is_empty() && cells[0] == "from") {
            continue;
        }
        let shown = |cell: &str| cell.chars().take(20).collect::<String>();
        let (from, to, bytes, earliest) = match cells[..] {
            [from, to, bytes] => (from, to, bytes, "0"),
            [from, to, bytes, earliest] => (from, to, bytes, earliest),
            _ => return Err(line_error(format!("it has {} values, not 3 or 4", cells.len()))),
        };
        if from.is_empty() || to.is_empty() {
            return Err(line_error("it names no router".to_owned()));
        }
        if from == to {
            return Err(line_error(format!("{} sends to itself", shown(from))));
        }
        let bytes: u64 =
            bytes.parse().ok().filter(|bytes| (1..=COLLECTIVE_BYTES).contains(bytes)).ok_or_else(|| {
                line_error(format!(
                    "`{}` is not a number of bytes from 1 to {COLLECTIVE_BYTES}",
                    shown(bytes)
                ))
            })?;
        let earliest: u32 =
            earliest.parse().ok().filter(|cycle| *cycle <= EARLIEST_CYCLES).ok_or_else(|| {
                line_error(format!("`{}` is not a cycle from 0 to {EARLIEST_CYCLES}", shown(earliest)))
            })?;
        total += bytes;
        if total > COLLECTIVE_BYTES {
            return Err(line_error(format!("up to here it is more than {COLLECTIVE_BYTES} bytes")));
        }
        if !seen.insert((from.to_owned(), to.to_owned(), earliest)) {
            return Err(line_error(
                "the same two have a message of this cycle already: add them up".to_owned(),
            ));
        }
        messages.push(DeclaredMessage { from: from.to_owned(), to: to.to_owned(), bytes, earliest });
    }
    if messages.is_empty() { Err("it has no line".to_owned()) } else { Ok(messages) }
}

/// Reads a router as it is written, by name or number.
pub(super) fn router_name(
    context: &mut Context,
    subject: &str,
    value: &SettingValue,
    example: &str,
) -> Option<String> {
    if let ValueKind::Router(name) = &value.kind {
        return Some(name.value.to_string());
    }
    if let Some(name) = bare_name(value) {
        return Some(name.value.to_string());
    }
    if !matches!(value.kind, ValueKind::Quantity(_)) {
        context.error(wrong_kind(subject, "the name or the number of a router", example, value.span));
        return None;
    }
    integer(context, subject, value, 0..=i64::from(u32::MAX)).map(|number| number.to_string())
}
