//! Budget, topology and routing.

use super::context::{Context, missing, unknown_choice};
use super::hardware::dimensions;
use super::items::Items;
use super::kind::{FAMILIES, Kind};
use super::settings::{choice, decimal, in_range, integer, one_of, settings, wrong_kind};
use super::site::{Site, file};
use super::synthesis::synthesize;
use crate::diag::Span;
use crate::limits::cross_connects_bytes;
use crate::model::errors::{ResolveError, list};
use crate::model::{AllowedTurns, Budget, Faults, RouteSelect, Router, RoutingChoice, TableKey, TopologyChoice, TurnPriority};
use crate::syntax::ast::{Block, Name, Value, ValueKind};

/// The budget: without `vcs`, those of the router (at most 8); without `faults`, none.
pub(super) fn budget(context: &mut Context, items: &Items<'_>, site: &Site<'_>, kind: Kind, router: Option<&Router>) -> Option<Budget> {
    let (fabric, default_vcs) = (site.head, router.map_or(1, |router| router.vcs.min(8)));
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
    if let (Some(budget), Some(router)) = (vcs, router.filter(|router| vcs.is_some_and(|vcs| vcs > router.vcs))) {
        let (owner, has) = (kind.router(), router.vcs);
        context.error(ResolveError::BudgetExceedsRouter { budget, owner, has, span: vcs_span, owner_span: router.span });
    }
    let faults = match settings.get("faults") {
        Some(value) => self::faults(context, value, kind),
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

/// `0`, `1 link` or `1 router` (`1 chip`); in a pod also `1 ocs` or `2 ocs`.
fn faults(context: &mut Context, value: &Value, kind: Kind) -> Option<Faults> {
    let ValueKind::Quantity(quantity) = &value.kind else {
        let things = if kind.network { "a number of links or routers" } else { "a number of OCSes, links or chips" };
        context.error(wrong_kind("`faults`", things, kind.fault(), value.span));
        return None;
    };
    let number = decimal(context, "`faults`", quantity)?;
    let unit = quantity.unit.as_ref().map(|unit| &*unit.value);
    let written = format!("`{number}{}{}`", if unit.is_some() { " " } else { "" }, unit.unwrap_or(""));
    let note = match (number.times(1), unit) {
        (Some(1..), Some("ocs")) if kind.network => {
            let help = "write `faults = 1 link` or `1 router`".to_owned();
            context.error(kind.misfit(format!("`faults = {number} ocs`"), help, value.span));
            return None;
        }
        (Some(0), None | Some("ocs" | "link" | "chip" | "router")) => return Some(Faults::Ocses(0)),
        (Some(count @ (1 | 2)), Some("ocs")) => return Some(Faults::Ocses(count as u32)),
        (Some(1), Some("link")) => return Some(Faults::Link),
        (Some(1), Some("chip" | "router")) => return Some(Faults::Chip),
        (_, None) => "faults of what?",
        (_, Some("ocs")) => "at most 2 OCSes",
        (_, Some("link" | "links")) => "one link at a time",
        (_, Some("chip" | "chips")) => "one chip at a time",
        (_, Some("router" | "routers")) => "one router at a time",
        _ => "this cannot fail",
    };
    let help = match kind.network {
        true => "write `faults = 0`, `1 link` or `1 router`",
        false => "write `faults = 0`, `1 ocs`, `2 ocs`, `1 link` or `1 chip`",
    };
    context.error(ResolveError::Faults { written, help, span: value.span, note });
    None
}

/// The topology of a pod, and where it stands; `face_ports` is how many of them the switches serve.
pub(super) fn topology(
    context: &mut Context,
    items: &Items<'_>,
    site: &Site<'_>,
    plant: Kind,
    face_ports: usize,
) -> Option<(TopologyChoice, Span)> {
    let Some(setting) = items.settings.get("topology") else {
        context.error(missing("the fabric", "`topology`", "topology = synthesize { effort = 1; }", site.head));
        return None;
    };
    let span = setting.name.span.to(setting.value.span);
    let most = cross_connects_bytes(face_ports);
    let read = |context: &mut Context, path: &Name| file(context, path, site, most);
    let topology = match &setting.value.kind {
        ValueKind::Dims(kind, dims, block) => {
            let known = ["torus", "twisted_torus"];
            if !known.contains(&&*kind.value) {
                context.error(wrong_topology(kind, plant));
                return None;
            }
            if let Some(block) = block {
                let (what, place) = ("`{`".to_owned(), format!("the `{}` of a pod", kind.value));
                let help = Some("it has no settings: the cube and the OCSes say which links there are".to_owned());
                context.error(ResolveError::Misplaced { what, place, help, span: block.span });
            }
            let dims = dimensions(context, &format!("`{}`", kind.value), dims, setting.value.span)?;
            let mut narrow = [0; 3];
            for (narrow, dim) in narrow.iter_mut().zip(dims) {
                *narrow =
                    in_range(context, "a dimension", dim.min(i64::MAX as u64) as i64, 1..=i64::from(u32::MAX), setting.value.span)? as u32;
            }
            if &*kind.value == "torus" { TopologyChoice::Torus(narrow) } else { TopologyChoice::TwistedTorus(narrow) }
        }
        ValueKind::File(kind, path, None) if &*kind.value == "cross_connects" => {
            let (path, text) = read(context, path)?;
            TopologyChoice::CrossConnects { path, text }
        }
        ValueKind::Block(kind, block) if &*kind.value == "synthesize" => synthesize(context, kind, Some(block), &read)?,
        ValueKind::Block(kind, _) | ValueKind::File(kind, ..) => {
            context.error(wrong_topology(kind, plant));
            return None;
        }
        ValueKind::Limit(..) | ValueKind::Quantity(_) => match choice(&setting.value) {
            Some(name) if &*name.value == "synthesize" => synthesize(context, &name, None, &|_, _| None)?,
            Some(name) => {
                context.error(wrong_topology(&name, plant));
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
fn wrong_topology(kind: &Name, plant: Kind) -> ResolveError {
    let example = match &*kind.value {
        name if FAMILIES.contains(&name) && name != "torus" => {
            let help = "write `router { .. }` instead of `chip`, `cube`, `cubes` and `ocs`".to_owned();
            return plant.misfit(format!("`topology = {name}`"), help, kind.span);
        }
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

/// Routings of later versions.
const LATER: [&str; 4] = ["algebraic", "scheduled", "ugal", "valiant"];

/// The routing, and where it stands; of a network without one, `minimal`.
pub(super) fn routing(context: &mut Context, items: &Items<'_>, site: &Site<'_>, plant: Kind) -> Option<(RoutingChoice, Span)> {
    let setting = match items.settings.get("routing") {
        Some(setting) => setting,
        None if plant.network => return Some((RoutingChoice::Minimal, site.head)),
        None => {
            context.error(missing("the fabric", "`routing`", "routing = allowed_turns;", site.head));
            return None;
        }
    };
    let span = setting.name.span.to(setting.value.span);
    if let ValueKind::Block(kind, block) = &setting.value.kind {
        if &*kind.value == "allowed_turns" {
            return Some((RoutingChoice::AllowedTurns(allowed_turns(context, kind, block)?), span));
        }
        context.error(if ["dimension_order", "minimal", "up_down"].contains(&&*kind.value) {
            let place = format!("`routing = {}`", kind.value);
            ResolveError::Misplaced { what: "`{`".to_owned(), place, help: Some("it has no settings".to_owned()), span: block.span }
        } else {
            unknown_routing(kind, plant)
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
        "minimal" if plant.network => RoutingChoice::Minimal,
        "minimal" => {
            let help = "`allowed_turns` finds shortest paths in a pod".to_owned();
            context.error(plant.misfit("`routing = minimal`".to_owned(), help, name.span));
            return None;
        }
        _ => {
            context.error(unknown_routing(&name, plant));
            return None;
        }
    };
    Some((routing, span))
}

fn unknown_routing(name: &Name, plant: Kind) -> ResolveError {
    let known = ["allowed_turns", "dimension_order", "up_down", "minimal"];
    let known = if plant.network { &known[..] } else { &known[..3] };
    if !LATER.contains(&&*name.value) {
        return unknown_choice("`routing`", name, known);
    }
    let help = format!("this version has no `{}`; known here: {}", name.value, list(known));
    ResolveError::UnknownChoice { what: "`routing`".to_owned(), found: name.value.to_string(), help, span: name.span }
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
