//! What `send { from; to; size }` and `pairs "file"` send: messages between chips.

use super::context::Context;
use super::settings::{Settings, choice, integer, wrong_kind};
use super::site::{Site, file};
use crate::ResolveError;
use crate::syntax::ast::{Block, Name, Setting, Value, ValueKind};
use fabc_base::csv;
use fabc_base::limits::{COLLECTIVE_BYTES, EARLIEST_CYCLES, PAIRS_BYTES};
use fabc_model::{Collective, DeclaredMessage, DeclaredMessages, MessageWays};
use std::collections::BTreeSet;

/// The word before a file of messages.
pub(super) const PAIRS: &str = "pairs";

/// `pairs "file" { .. }`: its word, the file, the settings.
pub(super) fn file_of(setting: &Setting) -> Option<(&Name, &Name, Option<&Block>)> {
    match &setting.value.kind {
        ValueKind::File(kind, path, block) if &*kind.value == PAIRS => Some((kind, path, block.as_ref())),
        _ => None,
    }
}

/// The messages of a collective; the outer `None` says that an error was reported, the inner one that it has
/// none. `size` is that of the one message, where there is no file.
#[allow(clippy::option_option)]
pub(super) fn messages(
    context: &mut Context,
    settings: &Settings<'_>,
    collective: Collective,
    size: Option<Option<Option<u64>>>,
    (kind, path): (&Name, Option<&Name>),
    site: &Site<'_>,
) -> Option<Option<DeclaredMessages>> {
    let of_one = collective == Collective::Send && path.is_none();
    let strange: &[&str] = match (of_one, path.is_some()) {
        (true, _) => &[],
        (_, true) => &["from", "to", "size"],
        _ => &["from", "to", "paths"],
    };
    let mut fits = true;
    for name in strange.iter().filter(|name| settings.get(name).is_some()) {
        let help = if path.is_some() {
            "remove it: the file says who sends what"
        } else {
            "remove it, or write `send { from = 0; to = 1; size = 64 KiB; }`"
        };
        let (what, place, help) = (format!("`{name}`"), format!("`{}`", kind.value), Some(help.to_owned()));
        context.error(ResolveError::Misplaced { what, place, help, span: settings.place_of(name) });
        fits = false;
    }
    if collective != Collective::Send {
        return fits.then_some(None);
    }
    let ways = settings.get("paths").map_or(Some(MessageWays::Any), |value| ways(context, value));
    let (all, text) = match path {
        Some(path) => {
            let (written, text) = file(context, path, site, PAIRS_BYTES)?;
            match lines(&text) {
                Ok(all) => (all, Some(text)),
                Err(problem) => {
                    context.error(ResolveError::Pairs { path: written, problem, span: path.span });
                    return None;
                }
            }
        }
        None => {
            let mut end = |name: &'static str, example: &str| {
                let value = settings.need(context, name, example)?;
                router(context, &format!("`{name}`"), value, example)
            };
            let (from, to) = (end("from", "0"), end("to", "1"));
            let message = DeclaredMessage { from: from?, to: to?, bytes: size???, earliest: 0 };
            if message.from == message.to {
                let (what, wanted) = ("`to`".to_owned(), "another chip than `from`".to_owned());
                let (help, found) = (None, "this is the same".to_owned());
                context.error(ResolveError::OutOfRange {
                    what,
                    wanted,
                    help,
                    span: settings.place_of("to"),
                    found,
                });
                return None;
            }
            (vec![message], None)
        }
    };
    Some(Some(DeclaredMessages { all, ways: ways?, text })).filter(|_| fits)
}

/// `any`, `minimal`, or how many.
fn ways(context: &mut Context, value: &Value) -> Option<MessageWays> {
    match choice(value) {
        Some(name) if &*name.value == "any" => Some(MessageWays::Any),
        Some(name) if &*name.value == "minimal" => Some(MessageWays::Minimal),
        None if matches!(value.kind, ValueKind::Quantity(_)) => {
            integer(context, "`paths`", value, 1..=i64::from(u16::MAX))
                .map(|most| MessageWays::Most(most as u32))
        }
        _ => {
            context.error(wrong_kind("`paths`", "`any`, `minimal` or a number", "any", value.span));
            None
        }
    }
}

/// The messages that a file lists: `from,to,bytes` and perhaps the cycle before which it is not there; a
/// first line of these words, empty lines and comments (`#`) say nothing.
fn lines(text: &str) -> Result<Vec<DeclaredMessage>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut all, mut total, mut known) = (Vec::new(), 0u64, BTreeSet::new());
    for (at, line) in text.lines().enumerate() {
        let wrong = |what: String| format!("line {}: {what}", at + 1);
        let cells = csv::cells(line).map_err(|what| wrong(what.to_owned()))?;
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        if cells == [""] || (all.is_empty() && cells[0] == "from") {
            continue;
        }
        let shown = |cell: &str| cell.chars().take(20).collect::<String>();
        let (from, to, bytes, earliest) = match cells[..] {
            [from, to, bytes] => (from, to, bytes, "0"),
            [from, to, bytes, earliest] => (from, to, bytes, earliest),
            _ => return Err(wrong(format!("it has {} values, not 3 or 4", cells.len()))),
        };
        if from.is_empty() || to.is_empty() {
            return Err(wrong("it names no router".to_owned()));
        }
        if from == to {
            return Err(wrong(format!("{} sends to itself", shown(from))));
        }
        let bytes: u64 =
            bytes.parse().ok().filter(|bytes| (1..=COLLECTIVE_BYTES).contains(bytes)).ok_or_else(|| {
                wrong(format!("`{}` is no number of bytes from 1 to {COLLECTIVE_BYTES}", shown(bytes)))
            })?;
        let earliest: u32 =
            earliest.parse().ok().filter(|cycle| *cycle <= EARLIEST_CYCLES).ok_or_else(|| {
                wrong(format!("`{}` is no cycle from 0 to {EARLIEST_CYCLES}", shown(earliest)))
            })?;
        total += bytes;
        if total > COLLECTIVE_BYTES {
            return Err(wrong(format!("up to here it is more than {COLLECTIVE_BYTES} bytes")));
        }
        if !known.insert((from.to_owned(), to.to_owned(), earliest)) {
            return Err(wrong("the same two have a message of this cycle already: add them up".to_owned()));
        }
        all.push(DeclaredMessage { from: from.to_owned(), to: to.to_owned(), bytes, earliest });
    }
    if all.is_empty() { Err("it has no line".to_owned()) } else { Ok(all) }
}

/// A router as it is written, by name or number.
pub(super) fn router(context: &mut Context, what: &str, value: &Value, example: &str) -> Option<String> {
    if let ValueKind::Router(name) = &value.kind {
        return Some(name.value.to_string());
    }
    if let Some(name) = choice(value) {
        return Some(name.value.to_string());
    }
    if !matches!(value.kind, ValueKind::Quantity(_)) {
        context.error(wrong_kind(what, "the name or the number of a router", example, value.span));
        return None;
    }
    integer(context, what, value, 0..=i64::from(u32::MAX)).map(|number| number.to_string())
}
