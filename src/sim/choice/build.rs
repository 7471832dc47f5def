//! Prepares the path choice of a fabric.

use super::super::endpoints::EndpointMap;
use super::super::errors::SimError;
use super::super::layout::NetworkLayout;
use super::super::routes::TableRoutes;
use super::super::routing::PathSelection;
use super::super::setting::Setting;
use super::decide::PathChoice;
use super::metric::{HopMetric, NextHopRule};
use fabc_ir::{GroupTables, Scene, topology_tiers};
use fabc_model::{Dragonfly, Fabric, Family, HalfRoutes, RoutingChoice, TierOrder};

/// The default kind of shortest paths of a fabric. In a dragonfly, these go over a link between the two
/// groups themselves. Paths over third groups, as short as they may be, load a few links with the traffic of
/// many groups. In other fabrics, all shortest paths are used.
pub(in super::super) fn shortest_by_default(fabric: &Fabric) -> HalfRoutes {
    match dragonfly(fabric) {
        Some(_) => HalfRoutes::Family,
        None => HalfRoutes::Random,
    }
}

fn dragonfly(fabric: &Fabric) -> Option<&Dragonfly> {
    match fabric.family() {
        Some(Family::Dragonfly(dragonfly)) => Some(dragonfly),
        _ => None,
    }
}

/// The rule of packets that take any member of a next-hop group.
///
/// # Errors
/// The reason why the fabric has no such groups, in words.
fn group_rule(
    fabric: &Fabric,
    scene: &Scene<'_>,
    groups: Option<&GroupTables>,
) -> Result<NextHopRule, &'static str> {
    let is_boxes = fabric.boxes().is_some();
    match groups {
        Some(tables) => Ok(NextHopRule::Tables { tables: tables.clone(), endpoints_forward: !is_boxes }),
        None if is_boxes => Err("GPUs follow the next-hop groups of a build, and there are no tables"),
        None if fabric.routing.tier_order() != TierOrder::Tiers => {
            Err("`order = up_down` needs the tables of a build, and there are none")
        }
        None => match topology_tiers(scene.topology) {
            Some(tiers) => Ok(NextHopRule::UpDown(tiers)),
            None => Err("packets go up through tiers and then down, but this network has none"),
        },
    }
}

/// The rule of packets on their way to a destination or to an intermediate router.
///
/// # Errors
/// The reason why the fabric has no paths of this kind, in words.
fn half_rule(
    shortest: HalfRoutes,
    fabric: &Fabric,
    layout: &NetworkLayout,
    routes: &TableRoutes,
    destinations: &[u32],
) -> Result<NextHopRule, &'static str> {
    Ok(match (shortest, dragonfly(fabric)) {
        (HalfRoutes::Random, _) => NextHopRule::Any,
        (HalfRoutes::First, _) => NextHopRule::First,
        (HalfRoutes::Family, Some(dragonfly)) => NextHopRule::Groups(dragonfly.a),
        (HalfRoutes::Family, None) if fabric.routing == RoutingChoice::Algebraic => {
            let port =
                |router: u32, to: u32| routes.next(router, to, None).map_or(u16::MAX, |(port, _)| port);
            let routers = layout.routers as u32;
            let ports = destinations.iter().flat_map(|&to| (0..routers).map(move |router| port(router, to)));
            NextHopRule::Ports(ports.collect())
        }
        (HalfRoutes::Family, None) => {
            return Err("only a dragonfly, or `routing = algebraic`, defines such paths");
        }
    })
}

/// How packets choose their paths. `None` where they follow the tables.
///
/// # Errors
/// The fabric has no such paths, or they have more hops than there are virtual channels.
pub(in super::super) fn choice(
    setting: &Setting,
    fabric: &Fabric,
    scene: &Scene<'_>,
    layout: &NetworkLayout,
    endpoints: &EndpointMap,
    routes: &TableRoutes,
    groups: Option<&GroupTables>,
) -> Result<Option<PathChoice>, SimError> {
    if setting.selection == PathSelection::Tables {
        return Ok(None);
    }
    let routing = setting.selection.routing().name();
    let missing = |why: &str| SimError::NoRouting { routing, why: why.to_owned(), span: fabric.routing_span };
    if fabric.pod().is_some() {
        return Err(missing("in a pod, packets must follow the tables"));
    }
    let vias: Vec<u32> = (0..layout.routers as u32)
        .filter(|&router| !endpoints.of_router(router as usize).is_empty())
        .collect();
    let Some(shortest) = setting.selection.shortest() else {
        let rule = group_rule(fabric, scene, groups).map_err(missing)?;
        let metric = HopMetric::new(scene, layout, &vias, rule);
        return Ok(Some(PathChoice {
            selection: setting.selection,
            metric,
            graph: None,
            vias,
            most: u8::MAX,
            packet: setting.packet,
            to: layout.ends.iter().map(|ends| ends.to).collect(),
            relays: groups.map_or_else(Vec::new, |tables| tables.relays.clone()),
        }));
    };
    let step = half_rule(shortest, fabric, layout, routes, &vias).map_err(missing)?;
    let grouped = matches!(step, NextHopRule::Groups(_));
    let metric = HopMetric::new(scene, layout, &vias, step);
    // A fault may take the last link between two groups. Then packets use all shortest paths that are left.
    let (grouped, metric) = match grouped && !metric.joins_all(&vias) {
        true => (false, HopMetric::new(scene, layout, &vias, NextHopRule::Any)),
        false => (grouped, metric),
    };
    let longest = metric.reach(&vias);
    let max_hops = setting.table_vcs;
    if longest > max_hops {
        return Err(SimError::TooFewVcs {
            routing,
            needed: longest,
            has: max_hops,
            span: fabric.router.span,
        });
    }
    let adaptive = matches!(setting.selection, PathSelection::Ugal(_));
    let graph = (grouped && (adaptive || matches!(setting.selection, PathSelection::Valiant(_))))
        .then(|| HopMetric::new(scene, layout, &vias, NextHopRule::Any));
    Ok(Some(PathChoice {
        selection: setting.selection,
        metric,
        graph,
        vias,
        most: max_hops,
        packet: setting.packet,
        to: layout.ends.iter().map(|ends| ends.to).collect(),
        relays: Vec::new(),
    }))
}
