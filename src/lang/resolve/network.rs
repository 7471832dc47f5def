//! Resolves a network: router, topology, and whether the two fit each other.

use super::boxes::DeclaredBoxes;
use super::context::{Context, missing, unknown_choice};
use super::demand::Senders;
use super::families::FamilyScope;
use super::items::SpecItems;
use super::jobs::JobGround;
use super::kind::{PlantKind, PlantParts, topology_name};
use super::scope::{DeclaredLinks, Scope};
use super::settings::wrong_kind;
use super::{
    addresses, boxes, choices, collectives, demand, failures, floor, foreign, graph, hardware, jobs,
    many_paths, needed, outside, ports, requires, router_kinds, scheduled, simulations, wiring,
};
use crate::ResolveError;
use crate::SwitchError;
use crate::forms::{form_words, written_form};
use crate::syntax::ast::{Name, ValueKind};
use fabc_base::diag::{Span, list};
use fabc_base::ids::LinkTypeId;
use fabc_model::{
    Boxes, ByLength, Capacities, Family, Floor, Listed, ListedRouter, Network, NextHopGroups, Plant, Router,
    RoutingChoice, TierOrder, TopologyChoice, file_stem,
};
use std::collections::{BTreeMap, BTreeSet};

/// Resolves one part after the other. Returns `None` only if errors were reported.
pub(super) fn resolve_network(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    kind: PlantKind,
) -> Option<PlantParts> {
    let router = hardware::router(context, items, scope, kind);
    let budget = choices::budget(context, items, scope, kind, router.as_ref());
    let floor = floor::written_floor(context, items, scope, kind);
    let network = declared_network(context, items, scope, kind, floor.as_ref(), router.as_ref());
    let failures = failures::failures(context, items, network.as_ref());
    let routing = choices::routing(context, items, scope, kind);
    let relays = many_paths::relays(context, items, network.as_ref());
    let simulations = simulations::simulations(context, items, router.as_ref(), scope);
    let replaces = network.as_ref().is_some_and(|network| network.family.replaces());
    let requires = requires::requires(context, items, budget.as_ref(), kind, replaces);
    let collectives = collectives::collectives(context, items, &requires, scope);
    let jobs = jobs::jobs(context, items, &JobGround::of_network(router.as_ref(), &requires, scope));
    if scheduled::is_scheduled(items) {
        let faults = budget.as_ref().map(|budget| (budget.faults, budget.faults_span));
        scheduled::refuse_table_users(context, items, scope.head, faults);
    }
    if let Some((routing, _)) = routing.filter(|(routing, _)| routing.has_many_paths()) {
        many_paths::refuse_single_path_users(context, items, routing);
    }
    if failures == Some(None) {
        needed::need_failures(context, &requires);
    }
    needed::need_prices(context, items, &requires, router.as_ref(), kind);
    needed::need_floor(context, &requires, kind, floor == Some(None));
    // The family alone says who sends, unless a file says how many hosts some routers have.
    let default_hosts = router.as_ref().map_or(1, |router| router.hosts);
    let senders = network.as_ref().map(|network| Senders::of_network(&network.hosts(default_hosts)));
    // In a scheduled network, a spare block replaces the block with the failed router.
    if !scheduled::is_scheduled(items) {
        choices::check_pair_remains(context, budget.as_ref(), senders.as_ref(), kind);
    }
    let demand = demand::demand(context, items, senders.as_ref(), scope);
    if let (Some(network), Some(router)) = (&network, &router) {
        ports::check_radix(context, network, router);
    }
    let floor = match (floor?, &network) {
        (Some(floor), Some(network)) => Some(floor::fit_network(context, floor, network, scope.links)?),
        _ => None,
    };
    let capacities = network.as_ref().and_then(|network| {
        let by_length = floor.as_ref().and_then(|floor| floor.by_length.as_ref());
        capacities(context, scope.links, network, router.as_ref(), by_length)
    });
    if let (Some(Network { family: Family::Listed(listed), span, .. }), Some(budget)) = (&network, &budget)
        && !budget.faults.is_none()
    {
        check_file_names(context, listed, *span, budget.faults_span);
    }
    if let (Some(network), Some((routing, span))) = (&network, routing) {
        check_routing(context, network, routing, span);
    }
    let addressed = addresses::Addressed { routing, network: network.as_ref(), router: router.as_ref() };
    let addresses = addresses::addresses(context, items, &addressed);
    let plant = Plant::Network(Network { failures: failures?, ..network? });
    let (capacities, simulations, collectives, jobs) = (capacities?, simulations?, collectives?, jobs?);
    Some(PlantParts {
        router: router?,
        plant,
        floor,
        budget: budget?,
        demand: demand?,
        capacities,
        routing: routing?,
        relays: relays?,
        simulations,
        collectives,
        jobs,
        searched_for: Vec::new(),
        requires,
        addresses: addresses?,
    })
}

/// Resolves the topology with its boxes, and the kinds of routers of its tiers.
fn declared_network(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    kind: PlantKind,
    floor: Option<&Option<Floor>>,
    router: Option<&Router>,
) -> Option<Network> {
    let floor = floor.and_then(Option::as_ref);
    let boxes = boxes::boxes(context, items, scope)?;
    let network = topology(context, items, scope, kind, floor, boxes)?;
    let tier_kinds = router_kinds::tier_kinds(context, items, scope, &network, router)?;
    Some(Network { tier_kinds, ..network })
}

/// Counts how much the links in use carry, and checks the link of hosts. A host sends one unit, so that its
/// link is one of them.
fn capacities(
    context: &mut Context,
    links: &DeclaredLinks,
    network: &Network,
    router: Option<&Router>,
    by_length: Option<&ByLength>,
) -> Option<Capacities> {
    let mut in_use = match (by_length, &network.family) {
        (Some(by_length), Family::Boxes(_)) => {
            let inside = network.links_in_use().into_iter();
            inside.chain(by_length.links()).collect::<BTreeSet<_>>().into_iter().collect()
        }
        (Some(by_length), _) => by_length.links().collect(),
        (None, _) => network.links_in_use(),
    };
    let host_link = router.and_then(|router| router.host_link);
    in_use.extend(host_link.filter(|link| !in_use.contains(link)));
    let capacities = wiring::capacities(context, links, &in_use)?;
    wiring::check_host_link(context, links, &capacities, router?);
    Some(capacities)
}

/// Resolves the family and its links.
fn topology(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    plant: PlantKind,
    floor: Option<&Floor>,
    boxes: Option<DeclaredBoxes>,
) -> Option<Network> {
    let Some(setting) = items.settings.get("topology") else {
        if let Some(boxes) = boxes {
            return lone_box(context, boxes);
        }
        context.error(missing("the fabric", "`topology`", "topology = torus 16 x 16;", scope.head));
        return None;
    };
    let Some(name) = topology_name(&setting.value) else {
        context.error(wrong_kind(
            "`topology`",
            "a name with its settings",
            "torus 16 x 16",
            setting.value.span,
        ));
        return None;
    };
    // The name may be a parameter, whose value is written elsewhere.
    let within = |inner: Span, outer: Span| inner.start >= outer.start && inner.end <= outer.end;
    let kind = if within(name.span, setting.value.span) { name.span } else { setting.value.span };
    let span = setting.name.span.to(kind);
    let by_length = floor::any_link_by_length(items, scope.links, boxes.as_ref());
    let family_scope = FamilyScope { name: &name, links: scope.links, by_length };
    if let Some(boxes) = boxes {
        let family = Family::Boxes(family_scope.join_boxes(context, boxes, &setting.value)?);
        return network_of_boxes(context, family, span);
    }
    if let ValueKind::Block(_, block) = &setting.value.kind {
        family_scope.refuse_box_settings(context, block);
        if *name.value == *outside::RAILS {
            outside::need_boxes(context, &name);
            return None;
        }
    }
    let (family, [local, global]) = match (&*name.value, &setting.value.kind) {
        ("permute", ValueKind::Block(_, block)) => family_scope.permute(context, block, floor)?,
        ("synthesize", ValueKind::Block(_, block)) => family_scope.synthesize(context, block, floor)?,
        ("graph", ValueKind::File(_, path, block)) => {
            let (listed, default) = graph::graph(context, scope, path, block.as_ref(), name.span)?;
            // Every link of a file has its own type.
            let link = default.or(listed.links.first().map(|link| link.link))?;
            (Family::Listed(listed), [link; 2])
        }
        _ => match family_scope.family(context, &setting.value) {
            Some(family) => family?,
            None => {
                context.error(wrong_topology(&name, plant));
                return None;
            }
        },
    };
    Some(Network { family, local, global, failures: None, tier_kinds: Vec::new(), span })
}

/// A single box that nothing joins to others.
fn lone_box(context: &mut Context, boxes: DeclaredBoxes) -> Option<Network> {
    let DeclaredBoxes { kinds, placed, span } = boxes;
    let count: u32 = placed.iter().map(|run| run.count).sum();
    if count > 1 {
        let example = "topology = rails { spines = 4; parallel = 8; }";
        context.error(missing(&format!("a fabric of {count} boxes"), "`topology`", example, span));
        return None;
    }
    network_of_boxes(context, Family::Boxes(Boxes { kinds, placed, outside: None }), span)
}

/// The network of a family of boxes.
fn network_of_boxes(context: &mut Context, family: Family, span: Span) -> Option<Network> {
    let mut network = Network {
        family,
        local: LinkTypeId(0),
        global: LinkTypeId(0),
        failures: None,
        tier_kinds: Vec::new(),
        span,
    };
    let Some(&link) = network.links_in_use().first() else {
        let problem = "a box without links has one GPU that nothing reaches".to_owned();
        let help = "write `switch nv { join all over nvlink; }` in the box".to_owned();
        context.error(ResolveError::NoSuchNetwork { family: "box", problem, help, span });
        return None;
    };
    (network.local, network.global) = (link, link);
    Some(network)
}

/// The error of a topology that is unknown, is not written in this form, or does not belong to networks.
fn wrong_topology(kind: &Name, plant: PlantKind) -> ResolveError {
    let (subject, written) = ("`topology`", &*kind.value);
    let help = match (written_form(&Family::FORMS, written), foreign::topology(written, true)) {
        (Some(form_text), _) => format!("this topology is written `{form_text}`"),
        (None, _) if written_form(&TopologyChoice::FORMS, written).is_some() => {
            let help = format!("known here: {}", list(&form_words(Family::FORMS)));
            return plant.misfit(format!("`topology = {written}`"), help, kind.span);
        }
        (None, Some(help)) => help,
        (None, None) => return unknown_choice(subject, kind, &form_words(Family::FORMS), None),
    };
    ResolveError::UnknownChoice {
        subject: subject.to_owned(),
        written: written.to_owned(),
        help,
        span: kind.span,
    }
}

/// The most bytes of a name in a file name, beside the port.
const FILE_NAME_BYTES: usize = 200;

/// Reports the first router that no file of tables can be named after. Names must differ in more than
/// capitals.
fn check_file_names(context: &mut Context, listed: &Listed, span: Span, faults: Span) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for ListedRouter { name, .. } in &listed.routers {
        let stem = file_stem(name).to_lowercase();
        let odd = name.chars().find(|letter| letter.is_control() || "/\\<>:\"|?*".contains(*letter));
        let problem = match (odd, seen.get(stem.as_str())) {
            (Some(letter), _) => format!("file names have no {letter:?}"),
            (None, Some(same_named)) => format!("those of `{same_named}` would have the same name"),
            (None, None) if stem.len() > FILE_NAME_BYTES => {
                format!("it has more than {FILE_NAME_BYTES} bytes")
            }
            (None, None) => {
                seen.insert(stem, name);
                continue;
            }
        };
        // One error is enough to show the problem.
        return context
            .error(SwitchError::RouterFileName { router: name.clone(), problem, span, faults }.into());
    }
}

/// Checks that the routing works on the family.
fn check_routing(context: &mut Context, network: &Network, routing: RoutingChoice, span: Span) {
    let is_grid = network.family.grid_sides().is_some();
    let (method, wanted, help) = match routing {
        _ if matches!(network.family, Family::Boxes(_)) && !routing.has_many_paths() => (
            routing.name(),
            "networks of routers with hosts",
            "GPUs of boxes forward no packets. Write `routing = spray;` or `ecmp`",
        ),
        RoutingChoice::DimensionOrder if !is_grid => (
            "dimension_order",
            "`torus`, `mesh` or `hyperx`",
            "use `routing = minimal`, `allowed_turns` or `up_down` here",
        ),
        RoutingChoice::Algebraic if !network.family.has_formula() => (
            "algebraic",
            "`polarstar`, `torus`, `mesh`, `hyperx`, hypercubes or `dragonfly`",
            "use `routing = minimal` here",
        ),
        RoutingChoice::UpDown if network.family.is_simplex() => {
            ("up_down", "links that run both ways", "use `routing = minimal` here, or `arcs = duplex;`")
        }
        // `allowed_turns` starts from a tree that routes climb and descend.
        RoutingChoice::AllowedTurns(_) if network.family.is_simplex() => {
            ("allowed_turns", "links that run both ways", "use `routing = minimal` here, or `arcs = duplex;`")
        }
        RoutingChoice::ManyPaths(NextHopGroups { order: TierOrder::UpDown { .. }, .. })
            if !network.family.is_simplex() =>
        {
            return many_paths::check_order(context, network, routing, span);
        }
        RoutingChoice::ManyPaths(_) if !network.family.facts().has_tiers() => (
            routing.name(),
            "networks in tiers",
            "use `routing = minimal` here, or in a graph file `routing = ecmp { order = up_down; root = 0; }`. `fabc sim DIR --with 'routing = ugal;'` simulates packets that choose among paths",
        ),
        _ => return,
    };
    let name = network.family.name();
    let topology = if network.family.is_simplex() {
        format!("a `{name}` of links that run one way")
    } else if routing.has_many_paths() {
        many_paths::untiered(network)
    } else {
        format!("a `{name}`")
    };
    context.error(ResolveError::RoutingMismatch {
        routing: method,
        wanted,
        help,
        span,
        topology_span: network.span,
        topology,
    });
}
