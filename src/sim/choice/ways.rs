//! What is asked for, on a fabric.

use super::super::endpoints::Endpoints;
use super::super::errors::SimError;
use super::super::layout::Layout;
use super::super::routes::Routes;
use super::super::routing::PathSelection;
use super::super::setting::Setting;
use super::decide::Choice;
use super::metric::{Metric, Step};
use fabc_ir::Scene;
use fabc_model::{Dragonfly, Fabric, Family, RoutingChoice, Shortest};

/// The shortest ways of a fabric where nothing is said: in a dragonfly those over a link between the two
/// groups themselves, since ways over third groups, as short as they may be, load a few links with the
/// traffic of many groups; anywhere else all.
pub(in super::super) fn shortest_by_default(fabric: &Fabric) -> Shortest {
    match dragonfly(fabric) {
        Some(_) => Shortest::Family,
        None => Shortest::Random,
    }
}

fn dragonfly(fabric: &Fabric) -> Option<&Dragonfly> {
    match fabric.family() {
        Some(Family::Dragonfly(dragonfly)) => Some(dragonfly),
        _ => None,
    }
}

/// How packets choose their ways; nothing where they go by the tables.
///
/// # Errors
/// The fabric has no such ways, or they have more hops than there are virtual channels.
pub(in super::super) fn choice(
    setting: &Setting,
    fabric: &Fabric,
    scene: &Scene<'_>,
    layout: &Layout,
    endpoints: &Endpoints,
    routes: &Routes,
) -> Result<Option<Choice>, SimError> {
    let Some(shortest) = setting.selection.shortest() else { return Ok(None) };
    let routing = setting.selection.routing().name();
    let missing = |why: &str| SimError::NoRouting { routing, why: why.to_owned(), span: fabric.routing_span };
    if fabric.pod().is_some() {
        return Err(missing("in a pod packets go by its tables"));
    }
    let vias: Vec<u32> =
        (0..layout.routers as u32).filter(|&router| !endpoints.at(router as usize).is_empty()).collect();
    let step = match (shortest, dragonfly(fabric)) {
        (Shortest::Random, _) => Step::Any,
        (Shortest::First, _) => Step::First,
        (Shortest::Family, Some(dragonfly)) => Step::Groups(dragonfly.a),
        (Shortest::Family, None) if fabric.routing == RoutingChoice::Algebraic => {
            let port = |at: u32, to: u32| routes.next(at, to, None).map_or(u16::MAX, |(port, _)| port);
            Step::Ports(
                vias.iter().flat_map(|&to| (0..layout.routers as u32).map(move |at| port(at, to))).collect(),
            )
        }
        (Shortest::Family, None) => {
            return Err(missing(
                "only a dragonfly, and tables of `routing = algebraic`, have a rule of their own",
            ));
        }
    };
    let grouped = matches!(step, Step::Groups(_));
    let metric = Metric::new(scene, layout, &vias, step);
    let longest = metric.reach(&vias);
    let most = setting.table_vcs;
    if longest > most {
        return Err(SimError::TooFewVcs { routing, needed: longest, has: most, span: fabric.router.span });
    }
    let adaptive = matches!(setting.selection, PathSelection::Ugal(_));
    let graph = (grouped && (adaptive || matches!(setting.selection, PathSelection::Valiant(_))))
        .then(|| Metric::new(scene, layout, &vias, Step::Any));
    Ok(Some(Choice {
        selection: setting.selection,
        metric,
        graph,
        vias,
        most,
        packet: setting.packet,
        to: layout.ends.iter().map(|ends| ends.to).collect(),
    }))
}
