//! Budget, topology and routing.

use super::hardware::dimensions;
use super::settings::{choice, decimal, in_range, integer, settings, wrong_kind};
use super::synthesis::synthesize;
use super::{Context, Items, missing, unknown_choice};
use crate::diag::Span;
use crate::limits::cross_connects_bytes;
use crate::model::errors::ResolveError;
use crate::model::pod::{AllowedTurns, Budget, Chip, Faults, RouteSelect, RoutingChoice, TableKey, TopologyChoice, TurnPriority};
use crate::syntax::ast::{Block, Name, Value, ValueKind};
use crate::syntax::{Loader, join};

/// The budget: without `vcs`, those of the chip (at most 8); without `faults`, none.
pub(super) fn budget(context: &mut Context, items: &Items<'_>, fabric: Span, chip: Option<&Chip>) -> Option<Budget> {
    let default_vcs = chip.map_or(1, |chip| chip.vcs.min(8));
    let Some((block, span)) = items.budget else {
        return Some(Budget {
            vcs: default_vcs,
            faults: Faults::Ocses(0),
            table_entries: None,
            vcs_span: fabric,
            faults_span: fabric,
            entries_span: fabric,
        });
    };
    let settings = settings(context, block, "`budget`".to_owned(), span, &["vcs", "faults", "table_entries"], "");
    let vcs = match settings.get("vcs") {
        Some(value) => integer(context, "`vcs` of the budget", value, 1..=8).map(|vcs| vcs as u8),
        None => Some(default_vcs),
    };
    let vcs_span = settings.span("vcs").unwrap_or(span);
    if let (Some(vcs), Some(chip)) = (vcs, chip.filter(|chip| vcs.is_some_and(|vcs| vcs > chip.vcs))) {
        context.error(ResolveError::BudgetExceedsChip { budget: vcs, chip: chip.vcs, span: vcs_span, chip_span: chip.span });
    }
    let faults = match settings.get("faults") {
        Some(value) => self::faults(context, value),
        None => Some(Faults::Ocses(0)),
    };
    let table_entries = match settings.get("table_entries") {
        Some(value) => Some(integer(context, "`table_entries` of the budget", value, 1..=i64::from(u32::MAX))? as u32),
        None => None,
    };
    Some(Budget {
        vcs: vcs?,
        faults: faults?,
        table_entries,
        vcs_span,
        faults_span: settings.span("faults").unwrap_or(span),
        entries_span: settings.span("table_entries").unwrap_or(span),
    })
}

/// `0`, `1 ocs`, `2 ocs`, `1 link` or `1 chip`.
fn faults(context: &mut Context, value: &Value) -> Option<Faults> {
    let ValueKind::Quantity(quantity) = &value.kind else {
        context.error(wrong_kind("`faults`", "a number of OCSes, links or chips", "1 ocs", value.span));
        return None;
    };
    let number = decimal(context, "`faults`", quantity)?;
    let unit = quantity.unit.as_ref().map(|unit| &*unit.value);
    let written = format!("`{number}{}{}`", if unit.is_some() { " " } else { "" }, unit.unwrap_or(""));
    let note = match (number.times(1), unit) {
        (Some(0), None | Some("ocs" | "link" | "chip")) => return Some(Faults::Ocses(0)),
        (Some(count @ (1 | 2)), Some("ocs")) => return Some(Faults::Ocses(count as u32)),
        (Some(1), Some("link")) => return Some(Faults::Link),
        (Some(1), Some("chip")) => return Some(Faults::Chip),
        (_, None) => "faults of what?",
        (_, Some("ocs")) => "at most 2 OCSes",
        (_, Some("link" | "links")) => "one link at a time",
        (_, Some("chip" | "chips")) => "one chip at a time",
        _ => "this cannot fail",
    };
    context.error(ResolveError::Faults { written, span: value.span, note });
    None
}

/// The topology, and where it stands; `face_ports` is how many of them the switches serve.
pub(super) fn topology(
    context: &mut Context,
    items: &Items<'_>,
    fabric: Span,
    spec_path: &str,
    loader: &dyn Loader,
    face_ports: usize,
) -> Option<(TopologyChoice, Span)> {
    let Some(setting) = items.settings.get("topology") else {
        context.error(missing("the fabric", "`topology`", "topology = synthesize { effort = 1; }", fabric));
        return None;
    };
    let span = setting.name.span.to(setting.value.span);
    let most = cross_connects_bytes(face_ports);
    let read = |context: &mut Context, path: &Name| cross_connects(context, path, spec_path, loader, most);
    let topology = match &setting.value.kind {
        ValueKind::Dims(kind, dims) => {
            let known = ["torus", "twisted_torus"];
            if !known.contains(&&*kind.value) {
                context.error(wrong_topology(kind));
                return None;
            }
            let dims = dimensions(context, &format!("`{}`", kind.value), dims, setting.value.span)?;
            let mut narrow = [0; 3];
            for (narrow, dim) in narrow.iter_mut().zip(dims) {
                *narrow =
                    in_range(context, "a dimension", dim.min(i64::MAX as u64) as i64, 1..=i64::from(u32::MAX), setting.value.span)? as u32;
            }
            if &*kind.value == "torus" { TopologyChoice::Torus(narrow) } else { TopologyChoice::TwistedTorus(narrow) }
        }
        ValueKind::File(kind, path) if &*kind.value == "cross_connects" => {
            let (path, text) = read(context, path)?;
            TopologyChoice::CrossConnects { path, text }
        }
        ValueKind::Block(kind, block) if &*kind.value == "synthesize" => synthesize(context, kind, Some(block), &read)?,
        ValueKind::Block(kind, _) | ValueKind::File(kind, _) => {
            context.error(wrong_topology(kind));
            return None;
        }
        ValueKind::Limit(..) | ValueKind::Quantity(_) => match choice(&setting.value) {
            Some(name) if &*name.value == "synthesize" => synthesize(context, &name, None, &|_, _| None)?,
            Some(name) => {
                context.error(wrong_topology(&name));
                return None;
            }
            None => {
                context.error(wrong_kind("`topology`", "a name with its settings", "torus 4 x 8 x 8", setting.value.span));
                return None;
            }
        },
    };
    Some((topology, span))
}

/// The error of a topology that does not exist, or not in this form.
fn wrong_topology(kind: &Name) -> ResolveError {
    let example = match &*kind.value {
        "torus" => "torus 4 x 8 x 8",
        "twisted_torus" => "twisted_torus 4 x 8 x 8",
        "synthesize" => "synthesize { effort = 1; }",
        "cross_connects" => "cross_connects \"live/ocs.json\"",
        _ => return unknown_choice("`topology`", kind, &["synthesize", "torus", "twisted_torus", "cross_connects"]),
    };
    ResolveError::UnknownChoice {
        what: "`topology`".to_owned(),
        found: kind.value.to_string(),
        help: format!("this topology is written `{example}`"),
        span: kind.span,
    }
}

/// The path as written and the text of a file of cross-connects, of at most so many bytes.
fn cross_connects(context: &mut Context, path: &Name, spec_path: &str, loader: &dyn Loader, most: u64) -> Option<(String, String)> {
    let written = path.value.to_string();
    match loader.load(&join(spec_path, &written), most) {
        Ok(text) => Some((written, text)),
        Err(reason) => {
            context.error(ResolveError::FileUnreadable { path: written, reason, span: path.span });
            None
        }
    }
}

/// The routing, and where it stands.
pub(super) fn routing(context: &mut Context, items: &Items<'_>, fabric: Span) -> Option<(RoutingChoice, Span)> {
    let Some(setting) = items.settings.get("routing") else {
        context.error(missing("the fabric", "`routing`", "routing = allowed_turns;", fabric));
        return None;
    };
    let span = setting.name.span.to(setting.value.span);
    if let ValueKind::Block(kind, block) = &setting.value.kind {
        if &*kind.value == "allowed_turns" {
            return Some((RoutingChoice::AllowedTurns(allowed_turns(context, kind, block)?), span));
        }
        let known = ["dimension_order", "up_down"].contains(&&*kind.value);
        context.error(if known {
            let place = format!("`routing = {}`", kind.value);
            ResolveError::Misplaced { what: "`{`".to_owned(), place, help: Some("it has no settings".to_owned()), span: block.span }
        } else {
            unknown_choice("`routing`", kind, &["allowed_turns", "dimension_order", "up_down"])
        });
        return None;
    }
    let Some(name) = choice(&setting.value) else {
        context.error(wrong_kind("`routing`", "a name", "allowed_turns", setting.value.span));
        return None;
    };
    let routing = match &*name.value {
        "allowed_turns" => RoutingChoice::AllowedTurns(AllowedTurns::default()),
        "dimension_order" => RoutingChoice::DimensionOrder,
        "up_down" => RoutingChoice::UpDown,
        _ => {
            context.error(unknown_choice("`routing`", &name, &["allowed_turns", "dimension_order", "up_down"]));
            return None;
        }
    };
    Some((routing, span))
}

/// The settings of `allowed_turns`.
fn allowed_turns(context: &mut Context, kind: &Name, block: &Block) -> Option<AllowedTurns> {
    let settings = settings(context, block, "`allowed_turns`".to_owned(), kind.span, &["priority", "select", "key"], "");
    let priorities: Vec<_> = TurnPriority::ALL.iter().map(|&priority| (priority.name(), priority)).collect();
    let priority = match settings.get("priority") {
        Some(value) => Some(one_of(context, "`priority`", value, &priorities)?),
        None => None,
    };
    let select = match settings.get("select") {
        Some(value) => one_of(context, "`select`", value, &[("descent", RouteSelect::Descent), ("ilp", RouteSelect::Ilp)])?,
        None => RouteSelect::default(),
    };
    let key = match settings.get("key") {
        Some(value) => one_of(context, "`key`", value, &[("dst_input", TableKey::DstInput), ("dst", TableKey::Dst)])?,
        None => TableKey::default(),
    };
    if let (RouteSelect::Ilp, TableKey::Dst, Some(span)) = (select, key, settings.span("key")) {
        let help = Some("the integer program chooses a path per pair; remove one of the two".to_owned());
        context.error(ResolveError::Misplaced { what: "`key = dst`".to_owned(), place: "`select = ilp`".to_owned(), help, span });
    }
    Some(AllowedTurns { priority, select, key })
}

/// The value that a name stands for.
fn one_of<T: Copy>(context: &mut Context, what: &str, value: &Value, known: &[(&'static str, T)]) -> Option<T> {
    let names: Vec<&str> = known.iter().map(|&(name, _)| name).collect();
    let Some(name) = choice(value) else {
        context.error(wrong_kind(what, "a name", names[0], value.span));
        return None;
    };
    let found = known.iter().find(|(known, _)| *known == &*name.value).map(|&(_, found)| found);
    if found.is_none() {
        context.error(unknown_choice(what, &name, &names));
    }
    found
}
