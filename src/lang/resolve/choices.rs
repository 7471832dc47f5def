//! Budget, topology and routing.

use super::context::{Context, missing, unknown_choice};
use super::cross_connects::{CrossConnectsFile, Switched, cross_connects_file};
use super::demand::Senders;
use super::foreign;
use super::hardware::dimensions;
use super::items::Items;
use super::kind::PlantKind;
use super::scheduled::{self, SCHEDULED};
use super::settings::{decimal, in_range, integer, one_of, one_of_or, settings, word, wrong_kind};
use super::site::Site;
use super::synthesis::synthesize;
use crate::ResolveError;
use crate::forms::{form, names};
use crate::syntax::ast::{Block, Name, Value, ValueKind};
use crate::syntax::words::Place;
use fabc_base::diag::{Span, list};
use fabc_model::{
    AllowedTurns, Budget, Family, Faults, RouteSelect, Router, RoutingChoice, TableKey, TopologyChoice,
};

/// The budget: without `vcs`, those of the router (at most 8); without `faults`, none.
pub(super) fn budget(
    context: &mut Context,
    items: &Items<'_>,
    site: &Site<'_>,
    kind: PlantKind,
    router: Option<&Router>,
) -> Option<Budget> {
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
    let settings = settings(context, block, "`budget`".to_owned(), span, Place::Budget);
    let vcs = match settings.get("vcs") {
        Some(value) => integer(context, "`vcs` of the budget", value, 1..=8).map(|vcs| vcs as u8),
        None => Some(default_vcs),
    };
    let vcs_span = settings.span("vcs").unwrap_or(span);
    if let (Some(budget), Some(router)) =
        (vcs, router.filter(|router| vcs.is_some_and(|vcs| vcs > router.vcs)))
    {
        let (owner, has) = (kind.router(), router.vcs);
        context.error(ResolveError::BudgetExceedsRouter {
            budget,
            owner,
            has,
            span: vcs_span,
            owner_span: router.span,
        });
    }
    let faults = match settings.get("faults") {
        Some(value) => self::faults(context, value, kind),
        None => Some(Faults::Ocses(0)),
    };
    let table_entries = match settings.get("table_entries") {
        Some(value) => {
            Some(integer(context, "`table_entries` of the budget", value, 1..=i64::from(u32::MAX))? as u32)
        }
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
fn faults(context: &mut Context, value: &Value, kind: PlantKind) -> Option<Faults> {
    let ValueKind::Quantity(quantity) = &value.kind else {
        let things =
            if kind.network { "a number of links or routers" } else { "a number of OCSes, links or chips" };
        context.error(wrong_kind("`faults`", things, kind.fault(), value.span));
        return None;
    };
    let help = match kind.network {
        true => "write `faults = 0`, `1 link` or `1 router`",
        false => "write `faults = 0`, `1 ocs`, `2 ocs`, `1 link` or `1 chip`",
    };
    if let Some(name) =
        word(value).filter(|name| !context.constants.names().any(|known| *known == *name.value))
    {
        let written = format!("`{}`", name.value);
        context.error(ResolveError::Faults {
            written,
            help,
            span: value.span,
            note: "a number, and of what",
        });
        return None;
    }
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
        (Some(1), Some("chip" | "router")) => return Some(Faults::Router),
        (_, None) => "faults of what?",
        (_, Some("ocs")) => "at most 2 OCSes",
        (_, Some("link" | "links")) => "one link at a time",
        (_, Some("chip" | "chips")) => "one chip at a time",
        (_, Some("router" | "routers")) => "one router at a time",
        _ => "this cannot fail",
    };
    context.error(ResolveError::Faults { written, help, span: value.span, note });
    None
}

/// Refuses the fault of a router, or chip, that leaves a single endpoint: no pair is left to route.
pub(super) fn leaves_a_pair(
    context: &mut Context,
    budget: Option<&Budget>,
    senders: Option<&Senders>,
    kind: PlantKind,
) {
    let Some(budget) = budget.filter(|budget| budget.faults == Faults::Router) else { return };
    if senders.is_some_and(|senders| senders.count() < 3) {
        let written = format!("`1 {}`", if kind.network { "router" } else { "chip" });
        let help =
            "three of them must send and receive, so that two are left; write `faults = 0` or `1 link`";
        context.error(ResolveError::Faults {
            written,
            help,
            span: budget.faults_span,
            note: "this leaves a single endpoint",
        });
    }
}

/// The topology of a pod, and where it stands. A file of cross-connects is read against `switched`.
pub(super) fn topology(
    context: &mut Context,
    items: &Items<'_>,
    site: &Site<'_>,
    plant: PlantKind,
    switched: Switched<'_>,
) -> Option<(TopologyChoice, Span)> {
    let Some(setting) = items.settings.get("topology") else {
        context.error(missing(
            "the fabric",
            "`topology`",
            "topology = synthesize { effort = 1; }",
            site.head,
        ));
        return None;
    };
    let span = setting.name.span.to(setting.value.span);
    let read = |context: &mut Context, path: &Name| cross_connects_file(context, path, site, switched, span);
    let topology = match &setting.value.kind {
        ValueKind::Dims(kind, dims, block) => {
            if !["torus", "twisted_torus"].contains(&&*kind.value) {
                context.error(wrong_topology(kind, plant));
                return None;
            }
            if let Some(block) = block {
                let (what, place) = ("`{`".to_owned(), format!("the `{}` of a pod", kind.value));
                let help =
                    Some("it has no settings: the cube and the OCSes say which links there are".to_owned());
                context.error(ResolveError::Misplaced { what, place, help, span: block.span });
            }
            let dims = dimensions(context, &format!("`{}`", kind.value), dims, setting.value.span)?;
            let mut narrow = [0; 3];
            for (narrow, dim) in narrow.iter_mut().zip(dims) {
                *narrow = in_range(
                    context,
                    "a dimension",
                    dim.min(i64::MAX as u64) as i64,
                    1..=i64::from(u32::MAX),
                    setting.value.span,
                )? as u32;
            }
            if &*kind.value == "torus" {
                TopologyChoice::Torus(narrow)
            } else {
                TopologyChoice::TwistedTorus(narrow)
            }
        }
        ValueKind::File(kind, path, None) if &*kind.value == "cross_connects" => {
            let CrossConnectsFile { path, text, settings } = read(context, path)?;
            TopologyChoice::CrossConnects { path, text, settings }
        }
        ValueKind::Block(kind, block) if &*kind.value == "synthesize" => {
            synthesize(context, kind, Some(block), &read)?
        }
        ValueKind::Block(kind, _) | ValueKind::File(kind, ..) => {
            context.error(wrong_topology(kind, plant));
            return None;
        }
        ValueKind::Limit(..)
        | ValueKind::Steps(_)
        | ValueKind::List(_)
        | ValueKind::Router(_)
        | ValueKind::Quantity(_) => match word(&setting.value) {
            Some(name) if &*name.value == "synthesize" => synthesize(context, &name, None, &|_, _| None)?,
            Some(name) => {
                context.error(wrong_topology(&name, plant));
                return None;
            }
            None => {
                context.error(wrong_kind(
                    "`topology`",
                    "a name with its settings",
                    "torus 4 x 8 x 8",
                    setting.value.span,
                ));
                return None;
            }
        },
    };
    Some((topology, span))
}

/// The error of a topology that does not exist, or not in this form.
fn wrong_topology(kind: &Name, plant: PlantKind) -> ResolveError {
    let (what, found) = ("`topology`", &*kind.value);
    if let Some(written) = form(&TopologyChoice::FORMS, found) {
        let help = format!("this topology is written `{written}`");
        return ResolveError::UnknownChoice {
            what: what.to_owned(),
            found: found.to_owned(),
            help,
            span: kind.span,
        };
    }
    if form(&Family::FORMS, found).is_some() {
        let help = "write `router { .. }` instead of `chip`, `cube`, `cubes` and `ocs`".to_owned();
        return plant.misfit(format!("`topology = {found}`"), help, kind.span);
    }
    match foreign::topology(found, false) {
        Some(help) => ResolveError::UnknownChoice {
            what: what.to_owned(),
            found: found.to_owned(),
            help,
            span: kind.span,
        },
        None => unknown_choice(what, kind, &names(TopologyChoice::FORMS), None),
    }
}

/// Routings of later versions.
const LATER: [&str; 2] = ["ugal", "valiant"];

/// The routing, and where it stands; of a network without one, `minimal`.
pub(super) fn routing(
    context: &mut Context,
    items: &Items<'_>,
    site: &Site<'_>,
    plant: PlantKind,
) -> Option<(RoutingChoice, Span)> {
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
        if &*kind.value == SCHEDULED && plant.network {
            return Some((RoutingChoice::Scheduled(scheduled::settings(context, kind, block)?), span));
        }
        if &*kind.value == SCHEDULED {
            context.error(of_networks(plant, kind));
            return None;
        }
        context.error(if RoutingChoice::ALL.iter().any(|known| known.name() == &*kind.value) {
            let place = format!("`routing = {}`", kind.value);
            ResolveError::Misplaced {
                what: "`{`".to_owned(),
                place,
                help: Some("it has no settings".to_owned()),
                span: block.span,
            }
        } else {
            unknown_routing(kind, plant)
        });
        return None;
    }
    let Some(name) = word(&setting.value) else {
        context.error(wrong_kind("`routing`", "a name", "allowed_turns", setting.value.span));
        return None;
    };
    let Some(routing) = RoutingChoice::ALL.into_iter().find(|known| known.name() == &*name.value) else {
        context.error(unknown_routing(&name, plant));
        return None;
    };
    if (routing.is_shortest_by_destination() || routing.is_scheduled()) && !plant.network {
        context.error(of_networks(plant, &name));
        return None;
    }
    Some((routing, span))
}

/// The error of a routing that pods do not have.
fn of_networks(plant: PlantKind, name: &Name) -> ResolveError {
    let help = match &*name.value {
        SCHEDULED => {
            "`allowed_turns` makes tables, and collectives of a pod follow them: remove its settings"
        }
        _ => "`allowed_turns` finds shortest paths in a pod",
    };
    plant.misfit(format!("`routing = {}`", name.value), help.to_owned(), name.span)
}

fn unknown_routing(name: &Name, plant: PlantKind) -> ResolveError {
    let of_pods = |known: &RoutingChoice| !known.is_shortest_by_destination() && !known.is_scheduled();
    let known = RoutingChoice::ALL.into_iter().filter(|known| plant.network || of_pods(known));
    let known: Vec<&str> = known.map(|known| known.name()).collect();
    if !LATER.contains(&&*name.value) {
        return unknown_choice("`routing`", name, &known, foreign::routing(&name.value, &known));
    }
    let help = format!("this version has no `{}`; known here: {}", name.value, list(&known));
    ResolveError::UnknownChoice {
        what: "`routing`".to_owned(),
        found: name.value.to_string(),
        help,
        span: name.span,
    }
}

/// The settings of `allowed_turns`.
fn allowed_turns(context: &mut Context, kind: &Name, block: &Block) -> Option<AllowedTurns> {
    let settings = settings(context, block, "`allowed_turns`".to_owned(), kind.span, Place::AllowedTurns);
    let priority = match settings.get("priority") {
        Some(value) => Some(one_of(context, "`priority`", value)?),
        None => None,
    };
    let select = one_of_or(context, &settings, "select", RouteSelect::default())?;
    let key = one_of_or(context, &settings, "key", TableKey::default())?;
    if let (RouteSelect::Ilp, TableKey::Dst, Some(span)) = (select, key, settings.span("key")) {
        let help = Some("the integer program chooses a path per pair; remove one of the two".to_owned());
        context.error(ResolveError::Misplaced {
            what: "`key = dst`".to_owned(),
            place: "`select = ilp`".to_owned(),
            help,
            span,
        });
    }
    Some(AllowedTurns { priority, select, key })
}
