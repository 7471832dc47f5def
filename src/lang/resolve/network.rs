//! A network: router, topology, and whether the two go together.

use super::context::{Context, missing, unknown_choice};
use super::demand::Senders;
use super::families::Place;
use super::items::Items;
use super::kind::{Parts, PlantKind, named};
use super::settings::wrong_kind;
use super::site::Site;
use super::{
    choices, collectives, demand, failures, floor, foreign, graph, hardware, requires, scheduled,
    simulations, wiring,
};
use crate::ResolveError;
use crate::SwitchError;
use crate::forms::{form, names};
use crate::syntax::ast::{Name, ValueKind};
use fabc_base::diag::{Span, list};
use fabc_model::{
    Arcs, Family, Floor, FullestRouter, Listed, ListedRouter, Network, Plant, Router, RoutingChoice,
    TopologyChoice, file_stem,
};
use std::collections::BTreeMap;

/// Resolves one part after the other; `None` only if errors were reported.
pub(super) fn network(
    context: &mut Context,
    items: &Items<'_>,
    site: &Site<'_>,
    kind: PlantKind,
) -> Option<Parts> {
    let router = hardware::router(context, items, site, kind);
    let budget = choices::budget(context, items, site, kind, router.as_ref());
    let floor = floor::written(context, items, site, kind);
    let network = topology(context, items, site, kind, floor.as_ref().and_then(Option::as_ref));
    let failures = failures::failures(context, items, network.as_ref());
    let routing = choices::routing(context, items, site, kind);
    let simulations = simulations::simulations(context, items, router.as_ref(), site);
    let replaces = network.as_ref().is_some_and(|network| network.family.replaces());
    let requires = requires::requires(context, items, budget.as_ref(), kind, replaces);
    let collectives = collectives::collectives(context, items, &requires, site);
    if scheduled::is_asked(items) {
        scheduled::without_tables(
            context,
            items,
            site.head,
            budget.as_ref().map(|budget| (budget.faults, budget.faults_span)),
        );
    }
    if failures == Some(None) {
        requires::need_failures(context, &requires);
    }
    if floor == Some(None) {
        requires::need_floor(context, &requires, kind);
    }
    // Who sends follows from the family alone, but where a file says how many hosts some routers have.
    let each = router.as_ref().map_or(1, |router| router.hosts);
    let senders = network.as_ref().map(|network| Senders::of_network(&network.hosts(each)));
    // Where vectors are scheduled, a spare block takes the place of the one with the dead router.
    if !scheduled::is_asked(items) {
        choices::leaves_a_pair(context, budget.as_ref(), senders.as_ref(), kind);
    }
    let demand = demand::demand(context, items, senders.as_ref(), site);
    if let (Some(network), Some(router)) = (&network, &router) {
        radix(context, network, router);
    }
    let floor = match (floor?, &network) {
        (Some(floor), Some(network)) => Some(floor::fitted(context, floor, network, site.links)?),
        _ => None,
    };
    let in_use = |network: &Network| match floor.as_ref().and_then(|floor| floor.by_length.as_ref()) {
        Some(by_length) => by_length.links().collect(),
        None => network.links_in_use(),
    };
    let capacities =
        network.as_ref().and_then(|network| wiring::capacities(context, site.links, &in_use(network)));
    if let (Some(Network { family: Family::Listed(listed), span, .. }), Some(budget)) = (&network, &budget)
        && !budget.faults.is_none()
    {
        file_names(context, listed, *span, budget.faults_span);
    }
    if let (Some(network), Some((routing, span))) = (&network, routing) {
        fits(context, network, routing, span);
    }
    let plant = Plant::Network(Network { failures: failures?, ..network? });
    let (capacities, simulations, collectives) = (capacities?, simulations?, collectives?);
    Some(Parts {
        router: router?,
        plant,
        floor,
        budget: budget?,
        demand: demand?,
        capacities,
        routing: routing?,
        simulations,
        collectives,
        requires,
    })
}

/// The family with its links.
fn topology(
    context: &mut Context,
    items: &Items<'_>,
    site: &Site<'_>,
    plant: PlantKind,
    floor: Option<&Floor>,
) -> Option<Network> {
    let Some(setting) = items.settings.get("topology") else {
        context.error(missing("the fabric", "`topology`", "topology = torus 16 x 16;", site.head));
        return None;
    };
    let Some(name) = named(&setting.value) else {
        context.error(wrong_kind(
            "`topology`",
            "a name with its settings",
            "torus 16 x 16",
            setting.value.span,
        ));
        return None;
    };
    // The name may be a parameter, whose value stands elsewhere.
    let within = |inner: Span, outer: Span| inner.start >= outer.start && inner.end <= outer.end;
    let kind = if within(name.span, setting.value.span) { name.span } else { setting.value.span };
    let span = setting.name.span.to(kind);
    let by_length = floor::goes_by_length(items, site.links);
    let place = Place { name: &name, links: site.links, by_length };
    let (family, [local, global]) = match (&*name.value, &setting.value.kind) {
        ("permute", ValueKind::Block(_, block)) => place.permute(context, block, floor)?,
        ("synthesize", ValueKind::Block(_, block)) => place.synthesize(context, block, floor)?,
        ("graph", ValueKind::File(_, path, block)) => {
            let (listed, default) = graph::graph(context, site, path, block.as_ref(), name.span)?;
            // Every link of a file has its own type.
            let link = default.or(listed.links.first().map(|link| link.link))?;
            (Family::Listed(listed), [link; 2])
        }
        _ => match place.family(context, &setting.value) {
            Some(found) => found?,
            None => {
                context.error(wrong_topology(&name, plant));
                return None;
            }
        },
    };
    Some(Network { family, local, global, failures: None, span })
}

/// The error of a topology that does not exist, or not in this form, or not here.
fn wrong_topology(kind: &Name, plant: PlantKind) -> ResolveError {
    let (what, found) = ("`topology`", &*kind.value);
    let help = match (form(&Family::FORMS, found), foreign::topology(found, true)) {
        (Some(written), _) => format!("this topology is written `{written}`"),
        (None, _) if form(&TopologyChoice::FORMS, found).is_some() => {
            let help = format!("known here: {}", list(&names(Family::FORMS)));
            return plant.misfit(format!("`topology = {found}`"), help, kind.span);
        }
        (None, Some(has)) => has,
        (None, None) => return unknown_choice(what, kind, &names(Family::FORMS), None),
    };
    ResolveError::UnknownChoice { what: what.to_owned(), found: found.to_owned(), help, span: kind.span }
}

/// Bytes of a name that file names have room for, beside a port.
const FILE_NAME_BYTES: usize = 200;

/// Files of tables can be named after every router, however capitals are read.
fn file_names(context: &mut Context, listed: &Listed, span: Span, faults: Span) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for ListedRouter { name, .. } in &listed.routers {
        let stem = file_stem(name).to_lowercase();
        let odd = name.chars().find(|letter| letter.is_control() || "/\\<>:\"|?*".contains(*letter));
        let problem = match (odd, seen.get(stem.as_str())) {
            (Some(letter), _) => format!("file names have no {letter:?}"),
            (None, Some(other)) => format!("those of `{other}` would have the same name"),
            (None, None) if stem.len() > FILE_NAME_BYTES => {
                format!("it has more than {FILE_NAME_BYTES} bytes")
            }
            (None, None) => {
                seen.insert(stem, name);
                continue;
            }
        };
        // One is enough to tell what is wrong with such names.
        return context
            .error(SwitchError::RouterFileName { router: name.clone(), problem, span, faults }.into());
    }
}

/// The ports that the fullest router needs.
#[derive(Default)]
struct Fullest {
    router: String,
    needed: u64,
    /// `7 local + 4 global + 4 hosts = 15`.
    arithmetic: String,
}

impl Fullest {
    /// A router of some kind, with as many hosts if it carries any.
    fn new(kind: FullestRouter, hosts: u16) -> Self {
        let FullestRouter { router, links, has_hosts } = kind;
        let hosts = if has_hosts { hosts } else { 0 };
        let needed = links.iter().map(|links| links.count).sum::<u64>() + u64::from(hosts);
        let hosts = (hosts > 0).then(|| format!("{hosts} {}", if hosts == 1 { "host" } else { "hosts" }));
        let terms: Vec<String> =
            links.iter().map(|links| format!("{} {}", links.count, links.kind)).chain(hosts).collect();
        Self { router, needed, arithmetic: format!("{} = {needed}", terms.join(" + ")) }
    }
}

/// The fullest router needs at most `radix` ports.
fn radix(context: &mut Context, network: &Network, router: &Router) {
    let Fullest { router: name, needed, arithmetic } = fullest(&network.family, router);
    if needed > u64::from(router.radix) {
        let arithmetic = format!("{arithmetic}; raise `radix`, or choose a smaller network or fewer hosts");
        let (radix, span, topology) = (router.radix, router.span, network.span);
        context.error(ResolveError::NetworkRadix { router: name, needed, radix, arithmetic, span, topology });
    }
}

fn fullest(family: &Family, router: &Router) -> Fullest {
    if let Family::Listed(listed) = family {
        return fullest_of(listed, router);
    }
    let kinds = family.facts().fullest_routers().into_iter().map(|kind| Fullest::new(kind, router.hosts));
    // Of equal ones the first.
    kinds.reduce(|most, other| if other.needed > most.needed { other } else { most }).unwrap_or_default()
}

/// The router of a file that needs most ports: as many as it has links and hosts, and as many as its highest
/// port asks for.
fn fullest_of(listed: &Listed, router: &Router) -> Fullest {
    let simplex = listed.arcs == Arcs::Simplex;
    let mut links = [vec![0u64; listed.routers.len()], vec![0u64; listed.routers.len()]];
    let mut highest: Option<(u16, u32)> = None;
    for link in &listed.links {
        for (side, (&end, port)) in link.ends.iter().zip(link.ports).enumerate() {
            links[if simplex { side } else { 0 }][end as usize] += 1;
            highest = highest.max(port.map(|port| (port, end)));
        }
    }
    let of = |place: usize| {
        let (out, into) = (links[0][place], links[1][place]);
        let kind = match simplex {
            true if into > out => "inputs",
            true => "outputs",
            false => "links",
        };
        // An endpoint inside its router takes no port, whatever its number.
        let hosts = if router.hosts == 0 { 0 } else { listed.routers[place].hosts.unwrap_or(router.hosts) };
        let name = format!("`{}`", listed.routers[place].name);
        Fullest::new(FullestRouter::new(name, &[(out.max(into), kind)]), hosts)
    };
    let fullest = (0..listed.routers.len())
        .map(of)
        .reduce(|most, other| if other.needed > most.needed { other } else { most });
    let by_number = highest.map(|(port, end)| {
        let arithmetic = format!("the file has a link at its port {port}, and ports count from 0");
        Fullest {
            router: format!("`{}`", listed.routers[end as usize].name),
            needed: u64::from(port) + 1,
            arithmetic,
        }
    });
    let numbered =
        by_number.filter(|numbered| fullest.as_ref().is_none_or(|fullest| numbered.needed > fullest.needed));
    numbered.or(fullest).unwrap_or_default()
}

/// Whether the routing works on the family.
fn fits(context: &mut Context, network: &Network, routing: RoutingChoice, span: Span) {
    let is_grid = network.family.grid_sides().is_some();
    let (routing, wanted, help) = match routing {
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
        // Its routes start from a tree that is climbed and descended.
        RoutingChoice::AllowedTurns(_) if network.family.is_simplex() => {
            ("allowed_turns", "links that run both ways", "use `routing = minimal` here, or `arcs = duplex;`")
        }
        _ => return,
    };
    let name = network.family.name();
    let topology = if network.family.is_simplex() {
        format!("a `{name}` of links that run one way")
    } else {
        format!("a `{name}`")
    };
    context.error(ResolveError::RoutingMismatch {
        routing,
        wanted,
        help,
        span,
        topology_span: network.span,
        topology,
    });
}
