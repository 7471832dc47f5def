//! Resolves the budget, the topology of a pod, and the routing.

use super::context::{Context, missing, unknown_choice};
use super::cross_connects::{CrossConnectsFile, Switched, cross_connects_file};
use super::demand::Senders;
use super::foreign;
use super::hardware::dimensions;
use super::items::SpecItems;
use super::kind::PlantKind;
use super::many_paths::{self, ECMP, SPRAY};
use super::scheduled::{self, SCHEDULED};
use super::scope::Scope;
use super::settings::{block_settings, decimal, in_range, integer, one_of, one_of_or, word, wrong_kind};
use super::synthesis::synthesize;
use crate::ResolveError;
use crate::forms::{form_words, written_form};
use crate::syntax::ast::{Block, Expr, Name, SettingValue, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::{Span, list};
use fabc_model::{
    AllowedTurns, Budget, Family, Faults, RouteSelect, Router, RoutingChoice, TableKey, TopologyChoice,
};

/// Resolves the budget. Without `vcs` it has the virtual channels of the router, at most 8. Without `faults`
/// it has none.
pub(super) fn budget(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    kind: PlantKind,
    router: Option<&Router>,
) -> Option<Budget> {
    let (fabric, default_vcs) = (scope.head, router.map_or(1, |router| router.vcs.min(8)));
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
    let settings = block_settings(context, block, "`budget`".to_owned(), span, BlockKind::Budget);
    let vcs = match settings.get("vcs") {
        Some(value) => integer(context, "`vcs` of the budget", value, 1..=8).map(|vcs| vcs as u8),
        None => Some(default_vcs),
    };
    let vcs_span = settings.span("vcs").unwrap_or(span);
    if let (Some(budget), Some(router)) =
        (vcs, router.filter(|router| vcs.is_some_and(|vcs| vcs > router.vcs)))
    {
        let (owner, has) = (kind.router_word(), router.vcs);
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

/// Reads `0`, `1 link` or `1 router` (`1 chip`). A pod also takes `1 ocs` and `2 ocs`.
fn faults(context: &mut Context, value: &SettingValue, kind: PlantKind) -> Option<Faults> {
    let ValueKind::Quantity(quantity) = &value.kind else {
        let things = if kind.is_network {
            "a number of links or routers"
        } else {
            "a number of OCSes, links or chips"
        };
        context.error(wrong_kind("`faults`", things, kind.example_fault(), value.span));
        return None;
    };
    let help = match kind.is_network {
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
        (Some(1..), Some("ocs")) if kind.is_network => {
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

/// Refuses the fault of a router or chip that leaves a single endpoint, because no pair remains to route.
pub(super) fn check_pair_remains(
    context: &mut Context,
    budget: Option<&Budget>,
    senders: Option<&Senders>,
    kind: PlantKind,
) {
    let Some(budget) = budget.filter(|budget| budget.faults == Faults::Router) else { return };
    if senders.is_some_and(|senders| senders.count() < 3) {
        let written = format!("`1 {}`", if kind.is_network { "router" } else { "chip" });
        let help =
            "a router fault needs three endpoints, so that two survive. Write `faults = 0` or `1 link`";
        context.error(ResolveError::Faults {
            written,
            help,
            span: budget.faults_span,
            note: "a single endpoint would survive",
        });
    }
}

/// Resolves the topology of a pod, and its span. A file of cross-connects is read against `switched`.
pub(super) fn topology(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    plant: PlantKind,
    switched: Switched<'_>,
) -> Option<(TopologyChoice, Span)> {
    let Some(setting) = items.settings.get("topology") else {
        context.error(missing(
            "the fabric",
            "`topology`",
            "topology = synthesize { effort = 1; }",
            scope.head,
        ));
        return None;
    };
    let span = setting.name.span.to(setting.value.span);
    let read = |context: &mut Context, path: &Name| cross_connects_file(context, path, scope, switched, span);
    let topology = match &setting.value.kind {
        ValueKind::Dims(kind, dims, block) => {
            torus(context, kind, dims, block.as_ref(), plant, setting.value.span)?
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
        | ValueKind::Product(_)
        | ValueKind::Prefix(_)
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

/// Resolves the torus of a pod, twisted or not.
fn torus(
    context: &mut Context,
    kind: &Name,
    dims: &[Expr],
    block: Option<&Block>,
    plant: PlantKind,
    span: Span,
) -> Option<TopologyChoice> {
    if !["torus", "twisted_torus"].contains(&&*kind.value) {
        context.error(wrong_topology(kind, plant));
        return None;
    }
    if let Some(block) = block {
        let (subject, place) = ("`{`".to_owned(), format!("the `{}` of a pod", kind.value));
        let help = Some("it has no settings: the cube and the OCSes say which links there are".to_owned());
        context.error(ResolveError::Misplaced { subject, place, help, span: block.span });
    }
    let dims = dimensions(context, &format!("`{}`", kind.value), dims, span)?;
    let mut narrow = [0; 3];
    for (narrow, dim) in narrow.iter_mut().zip(dims) {
        let dim = dim.min(i64::MAX as u64) as i64;
        *narrow = in_range(context, "a dimension", dim, 1..=i64::from(u32::MAX), span)? as u32;
    }
    Some(match &*kind.value {
        "torus" => TopologyChoice::Torus(narrow),
        _ => TopologyChoice::TwistedTorus(narrow),
    })
}

/// The error of a topology that is unknown, or is not written in this form.
fn wrong_topology(kind: &Name, plant: PlantKind) -> ResolveError {
    let (subject, written) = ("`topology`", &*kind.value);
    if let Some(form_text) = written_form(&TopologyChoice::FORMS, written) {
        let help = format!("this topology is written `{form_text}`");
        return ResolveError::UnknownChoice {
            subject: subject.to_owned(),
            written: written.to_owned(),
            help,
            span: kind.span,
        };
    }
    if written_form(&Family::FORMS, written).is_some() {
        let help = "write `router { .. }` instead of `chip`, `cube`, `cubes` and `ocs`".to_owned();
        return plant.misfit(format!("`topology = {written}`"), help, kind.span);
    }
    match foreign::topology(written, false) {
        Some(help) => ResolveError::UnknownChoice {
            subject: subject.to_owned(),
            written: written.to_owned(),
            help,
            span: kind.span,
        },
        None => unknown_choice(subject, kind, &form_words(TopologyChoice::FORMS), None),
    }
}

/// Routings that a later version may have.
const PLANNED_ROUTINGS: [&str; 2] = ["ugal", "valiant"];

/// Resolves the routing, and its span. A network without the setting has `minimal`.
pub(super) fn routing(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    plant: PlantKind,
) -> Option<(RoutingChoice, Span)> {
    let setting = match items.settings.get("routing") {
        Some(setting) => setting,
        None if plant.is_network => return Some((RoutingChoice::Minimal, scope.head)),
        None => {
            context.error(missing("the fabric", "`routing`", "routing = allowed_turns;", scope.head));
            return None;
        }
    };
    let span = setting.name.span.to(setting.value.span);
    if let ValueKind::Block(kind, block) = &setting.value.kind {
        if &*kind.value == "allowed_turns" {
            return Some((RoutingChoice::AllowedTurns(allowed_turns(context, kind, block)?), span));
        }
        if &*kind.value == SCHEDULED && plant.is_network {
            return Some((
                RoutingChoice::Scheduled(scheduled::scheduled_settings(context, kind, block)?),
                span,
            ));
        }
        if [ECMP, SPRAY].contains(&&*kind.value) && plant.is_network {
            let groups = many_paths::group_settings(context, kind, block)?;
            return Some((RoutingChoice::ManyPaths(groups), span));
        }
        if [SCHEDULED, ECMP, SPRAY].contains(&&*kind.value) {
            context.error(network_routing_error(plant, kind));
            return None;
        }
        context.error(if RoutingChoice::ALL.iter().any(|known| known.name() == &*kind.value) {
            let place = format!("`routing = {}`", kind.value);
            ResolveError::Misplaced {
                subject: "`{`".to_owned(),
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
    if routing.is_for_networks_only() && !plant.is_network {
        context.error(network_routing_error(plant, &name));
        return None;
    }
    Some((routing, span))
}

/// The error of a routing that only networks have.
fn network_routing_error(plant: PlantKind, name: &Name) -> ResolveError {
    let help = match &*name.value {
        SCHEDULED => {
            "`allowed_turns` makes tables, and collectives of a pod follow them: remove its settings"
        }
        _ => "`allowed_turns` finds shortest paths in a pod",
    };
    plant.misfit(format!("`routing = {}`", name.value), help.to_owned(), name.span)
}

fn unknown_routing(name: &Name, plant: PlantKind) -> ResolveError {
    let fits_pods = |known: &RoutingChoice| !known.is_for_networks_only();
    let known = RoutingChoice::ALL.into_iter().filter(|known| plant.is_network || fits_pods(known));
    let known: Vec<&str> = known.map(|known| known.name()).collect();
    if !PLANNED_ROUTINGS.contains(&&*name.value) {
        return unknown_choice("`routing`", name, &known, foreign::routing(&name.value, &known));
    }
    let help = format!("this version has no `{}`; known here: {}", name.value, list(&known));
    ResolveError::UnknownChoice {
        subject: "`routing`".to_owned(),
        written: name.value.to_string(),
        help,
        span: name.span,
    }
}

/// Most hops beyond the diameter that a spec may allow.
const MOST_DETOUR: i64 = 1000;

/// Reads the settings of `allowed_turns`.
fn allowed_turns(context: &mut Context, kind: &Name, block: &Block) -> Option<AllowedTurns> {
    let settings =
        block_settings(context, block, "`allowed_turns`".to_owned(), kind.span, BlockKind::AllowedTurns);
    let priority = match settings.get("priority") {
        Some(value) => Some(one_of(context, "`priority`", value)?),
        None => None,
    };
    let select = one_of_or(context, &settings, "select", RouteSelect::default())?;
    let key = one_of_or(context, &settings, "key", TableKey::default())?;
    if let (RouteSelect::Ilp, TableKey::Dst, Some(span)) = (select, key, settings.span("key")) {
        let help = Some("the integer program chooses a path per pair; remove one of the two".to_owned());
        context.error(ResolveError::Misplaced {
            subject: "`key = dst`".to_owned(),
            place: "`select = ilp`".to_owned(),
            help,
            span,
        });
    }
    let detour = match settings.get("detour") {
        Some(value) => Some(integer(context, "`detour`", value, 0..=MOST_DETOUR)? as u32),
        None => None,
    };
    if let (Some(_), TableKey::Dst, Some(span)) = (detour, key, settings.span("detour")) {
        let help =
            Some("trees towards a destination are as long as they are; remove one of the two".to_owned());
        context.error(ResolveError::Misplaced {
            subject: "`detour`".to_owned(),
            place: "`key = dst`".to_owned(),
            help,
            span,
        });
    }
    Some(AllowedTurns { priority, select, key, detour })
}
