//! Resolves `floor { .. }`: first as it is written, then whether the network or the pod fits on it.

mod boxes;
mod grid;
mod pod;

use super::boxes::DeclaredBoxes;
use super::context::Context;
use super::items::SpecItems;
use super::kind::PlantKind;
use super::scope::{DeclaredLinks, Scope, link_named};
use super::settings::{
    BlockSettings, block_settings, integer, integer_expr, limit, named_block, one_of, quantity, quantity_of,
    thousandths, wrong_kind,
};
use crate::ResolveError;
use crate::syntax::ast::{Block, Setting, SettingValue, Statement, StatementKind, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::algebra::ProjectivePlane;
use fabc_base::diag::Span;
use fabc_base::ids::LinkTypeId;
use fabc_base::limits::{ROUTERS, WALKTRAP_ROUTERS};
use fabc_base::units::Dimension;
use fabc_model::{
    Bundling, ByLength, Clustering, Family, Filling, Floor, LinkType, Network, Ocs, PlacementChoice,
};
use grid::{SIDE, fit_grid, grid_problem};

/// Defaults in units of 0.1 m: cables within a cabinet, the ends of cables between cabinets, and the pitches.
const INSIDE: u32 = 20;
const OVERHEAD: u32 = 20;
const PITCH: [u32; 2] = [6, 21];
/// The largest of these lengths: 1 km.
const MAX_TENTHS: u64 = 10_000;
/// The most steps of a random walk.
const MAX_STEPS: i64 = 16;
/// The largest effort of the annealing.
const MAX_EFFORT: i64 = 1000;

/// Reads the floor before the number of cabinets is known. `grid` is zero if the spec leaves it open. The
/// outer `None` says that an error was reported.
#[allow(clippy::option_option)]
pub(super) fn written_floor(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    kind: PlantKind,
) -> Option<Option<Floor>> {
    let Some((block, span)) = items.floor else {
        no_floor(context, items, kind);
        return Some(None);
    };
    let (limits, rest): (Vec<&Statement>, Vec<&Statement>) =
        block.statements.iter().partition(|statement| limits_link(statement));
    let rest = Block { statements: rest.into_iter().cloned().collect(), span: block.span };
    let settings = block_settings(context, &rest, "`floor`".to_owned(), span, BlockKind::Floor);
    let refused = refuse_other_plant(context, &settings, kind);
    let cabinet = if kind.is_network {
        settings.need_integer(context, "cabinet", "16", 1..=ROUTERS as i64)
    } else {
        Some(0)
    };
    let racks = pod::racks(context, &settings, kind);
    let box_rack = boxes::box_rack(context, &settings, items, kind);
    let grid = match settings.get("grid") {
        Some(value) => fixed_grid(context, value),
        None => Some([0, 0]),
    };
    let [inside, overhead, pitch_x, pitch_y] = [
        ("inside", INSIDE, 0),
        ("overhead", OVERHEAD, 0),
        ("pitch_x", PITCH[0], 1),
        ("pitch_y", PITCH[1], 1),
    ]
    .map(|(name, default, minimum)| {
        settings
            .get(name)
            .map_or(Some(default), |value| length(context, &format!("`{name}`"), value, minimum))
    });
    let order =
        settings.get("order").map_or(Some(Filling::default()), |value| one_of(context, "`order`", value));
    let bundles = settings
        .get("bundles")
        .map_or(Some(Bundling::default()), |value| one_of(context, "`bundles`", value));
    let install =
        settings.get("install").map_or(Some(0), |value| thousandths(context, "`install`", value, "30"));
    let clustering =
        settings.get("clustering").map_or(Some(Clustering::default()), |value| clustering(context, value));
    let placement =
        settings.get("placement").map_or(Some(PlacementChoice::default()), |value| placement(context, value));
    let by_length = by_length(context, &limits, &settings, scope.links);
    if refused {
        return None;
    }
    Some(Some(Floor {
        cabinet: cabinet? as u32,
        grid: grid?,
        cabinets: 0,
        racks: racks?,
        box_rack: box_rack?,
        pitch: [pitch_x?, pitch_y?],
        order: order?,
        clustering: clustering?,
        placement: placement?,
        inside: inside?,
        overhead: overhead?,
        install: install?,
        by_length: by_length?,
        bundles: bundles?,
        span,
    }))
}

/// Whether a statement limits a link. A limit that sets no field does.
fn limits_link(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Setting(Setting { name, value }) => {
            matches!(value.kind, ValueKind::Limit(..))
                && BlockKind::Floor.settings().all(|known| known != &*name.value)
        }
        _ => false,
    }
}

/// Returns some link of the fabric if lengths choose the link of a cable, whether that is valid or not. With
/// boxes it is a link of their NICs, which carries as much as every link that lengths choose.
pub(super) fn any_link_by_length(
    items: &SpecItems<'_>,
    links: &DeclaredLinks,
    boxes: Option<&DeclaredBoxes>,
) -> Option<LinkTypeId> {
    let limited = items.floor.is_some_and(|(block, _)| block.statements.iter().any(limits_link));
    let of_nics = boxes.and_then(|boxes| boxes.kinds.iter().find_map(|kind| kind.nic_link));
    (limited && !links.names.is_empty()).then(|| of_nics.unwrap_or(LinkTypeId(0)))
}

/// The smallest floor of a fabric of this kind, as an example.
pub(super) fn example(kind: PlantKind) -> &'static str {
    if kind.is_network { "floor { cabinet = 16; }" } else { "floor { ocs = at 0 x 0; }" }
}

/// Reports settings of links that need a floor.
fn no_floor(context: &mut Context, items: &SpecItems<'_>, kind: PlantKind) {
    for statement in items.links.iter().flat_map(|(_, block, _)| &block.statements) {
        let word = statement.kind.keyword();
        if matches!(word, "per_metre" | "cost_per_metre") {
            let help = Some(format!(
                "only a `{}` determines the lengths of cables: add one, or remove this",
                example(kind)
            ));
            let (subject, place) = (format!("`{word}`"), "a fabric without a floor".to_owned());
            context.error(ResolveError::Misplaced { subject, place, help, span: statement.span });
        }
    }
}

/// Reports settings that only the floor of the other kind of fabric has. Returns whether there are any.
fn refuse_other_plant(context: &mut Context, settings: &BlockSettings<'_>, kind: PlantKind) -> bool {
    let (names, place, help) = match kind.is_network {
        true => (
            ["ocs", "ocs_rack"],
            "the floor of a network",
            "remove it: a network has no optical circuit switches",
        ),
        false => (["cabinet", "clustering"], "the floor of a pod", "remove it: every cube is a cabinet"),
    };
    let mut refused = false;
    for name in names.into_iter().filter(|name| settings.get(name).is_some()) {
        let (subject, span) = (format!("`{name}`"), settings.span_or_head(name));
        context.error(ResolveError::Misplaced {
            subject,
            place: place.to_owned(),
            help: Some(help.to_owned()),
            span,
        });
        refused = true;
    }
    refused
}

/// Reads `fixed 4 x 8`: rows and columns.
fn fixed_grid(context: &mut Context, value: &SettingValue) -> Option<[u32; 2]> {
    let report = |context: &mut Context| {
        context.error(wrong_kind("`grid`", "its rows and columns", "grid = fixed 4 x 8;", value.span))
    };
    let ValueKind::Dims(name, dims, None) = &value.kind else {
        report(context);
        return None;
    };
    let ("fixed", [rows, columns]) = (&*name.value, dims.as_slice()) else {
        report(context);
        return None;
    };
    let mut side = |expr: &crate::syntax::ast::Expr| {
        integer_expr(context, "a side of the floor", expr, 1..=SIDE).map(|side| side as u32)
    };
    let (rows, columns) = (side(rows), side(columns));
    Some([rows?, columns?])
}

/// Reads a length in units of 0.1 m.
fn length(context: &mut Context, subject: &str, value: &SettingValue, minimum: u64) -> Option<u32> {
    let (number, unit) = quantity(context, subject, value, &[Dimension::Length], "0.6 m")?;
    let tenths = unit
        .factor
        .checked_mul(10)
        .and_then(|factor| number.times(factor))
        .filter(|tenths| (minimum..=MAX_TENTHS).contains(tenths));
    if tenths.is_none() {
        out_of_range(context, subject, value.span);
    }
    tenths.map(|tenths| tenths as u32)
}

fn out_of_range(context: &mut Context, subject: &str, span: Span) {
    let wanted = "a multiple of 0.1 m, at most 1000 m".to_owned();
    let (help, note) = (Some("cables are measured in units of 0.1 m".to_owned()), "this is not".to_owned());
    context.error(ResolveError::OutOfRange { subject: subject.to_owned(), wanted, help, span, note });
}

fn clustering(context: &mut Context, value: &SettingValue) -> Option<Clustering> {
    let (chosen, block) = named_block(context, "`clustering`", value)?;
    let Clustering::Walktrap { steps } = chosen else {
        return without_block(context, chosen, block);
    };
    let Some(block) = block else { return Some(chosen) };
    let settings = block_settings(context, block, "`walktrap`".to_owned(), value.span, BlockKind::Walktrap);
    let steps = settings
        .get("steps")
        .map_or(Some(i64::from(steps)), |value| integer(context, "`steps`", value, 1..=MAX_STEPS))?;
    Some(Clustering::Walktrap { steps: steps as u32 })
}

fn placement(context: &mut Context, value: &SettingValue) -> Option<PlacementChoice> {
    let (chosen, block) = named_block(context, "`placement`", value)?;
    let PlacementChoice::Annealed { effort, seed } = chosen else {
        return without_block(context, chosen, block);
    };
    let Some(block) = block else { return Some(chosen) };
    let settings = block_settings(context, block, "`annealed`".to_owned(), value.span, BlockKind::Annealed);
    let effort = settings
        .get("effort")
        .map_or(Some(i64::from(effort)), |value| integer(context, "`effort`", value, 1..=MAX_EFFORT));
    let seed = settings
        .get("seed")
        .map_or(Some(seed as i64), |value| integer(context, "`seed`", value, 0..=i64::MAX));
    Some(PlacementChoice::Annealed { effort: effort? as u32, seed: seed? as u64 })
}

/// Returns a choice that has no settings. Reports a block behind it.
fn without_block<T: fabc_model::Word>(context: &mut Context, chosen: T, block: Option<&Block>) -> Option<T> {
    let Some(block) = block else { return Some(chosen) };
    let word = chosen.word();
    let help = Some(format!("write `{word};` without the block"));
    context.error(ResolveError::Misplaced {
        subject: "a block".to_owned(),
        place: format!("`{word}`"),
        help,
        span: block.span,
    });
    None
}

/// Reads the limits on links by length: `copper <= 10 m; beyond = optical;`. The inner `None` says that there
/// are none.
#[allow(clippy::option_option)]
fn by_length(
    context: &mut Context,
    limits: &[&Statement],
    settings: &BlockSettings<'_>,
    links: &DeclaredLinks,
) -> Option<Option<ByLength>> {
    let mut up_to: Vec<(LinkTypeId, u32, Span)> = Vec::new();
    let mut valid = true;
    for statement in limits {
        let StatementKind::Setting(Setting { name, value }) = &statement.kind else { continue };
        let link = links.find(context, "`floor`", Some(name), statement.span);
        let subject = format!("the longest cable of `{}`", name.value);
        let tenths = match limit(value, "<=") {
            Some(written) => quantity_of(context, &subject, written, &[Dimension::Length], "10 m").and_then(
                |(number, unit)| {
                    let tenths =
                        number.times(10 * unit.factor).filter(|tenths| (1..=MAX_TENTHS).contains(tenths));
                    if tenths.is_none() {
                        out_of_range(context, &subject, value.span);
                    }
                    tenths
                },
            ),
            None => {
                context.error(wrong_kind(
                    &subject,
                    "an upper limit",
                    &format!("{} <= 10 m;", name.value),
                    value.span,
                ));
                None
            }
        };
        match link.zip(tenths) {
            Some((link, tenths)) => up_to.push((link, tenths as u32, statement.span)),
            None => valid = false,
        }
    }
    up_to.sort_by_key(|&(_, tenths, span)| (tenths, span));
    for pair in up_to.windows(2).filter(|pair| pair[0].1 == pair[1].1) {
        let problem = "two links have the same limit, so the link of a cable is ambiguous".to_owned();
        let help = "give them different limits, or remove one".to_owned();
        context.error(ResolveError::FloorMisfit { problem, help, span: pair[1].2 });
        valid = false;
    }
    let beyond = settings.get("beyond").map(|value| link_named(context, links, value));
    let (Some(&(_, _, span)), true) = (up_to.last(), valid) else {
        if let (true, Some(_)) = (valid, beyond) {
            let help = Some("say up to which length: `copper <= 10 m; beyond = optical;`".to_owned());
            let (subject, place) = ("`beyond`".to_owned(), "a `floor` without a limit".to_owned());
            let span = settings.span_or_head("beyond");
            context.error(ResolveError::Misplaced { subject, place, help, span });
            valid = false;
        }
        return valid.then_some(None);
    };
    let beyond = match beyond {
        Some(link) => Some(link?),
        None => None,
    };
    Some(Some(ByLength {
        up_to: up_to.into_iter().map(|(link, tenths, _)| (link, tenths)).collect(),
        beyond,
        span,
    }))
}

/// Completes the floor with its racks, cabinets and grid, if the pod fits. `chips` is the number of chips per
/// cube.
pub(super) fn fit_pod(
    context: &mut Context,
    floor: Floor,
    cubes: u32,
    chips: u32,
    ocses: &[Ocs],
) -> Option<Floor> {
    pod::fit_pod(context, floor, cubes, chips, ocses)
}

/// Completes the floor with its cabinets and grid, if the network fits.
pub(super) fn fit_network(
    context: &mut Context,
    floor: Floor,
    network: &Network,
    links: &DeclaredLinks,
) -> Option<Floor> {
    if let Some(by_length) = &floor.by_length {
        check_bandwidths(context, by_length, network, links)?;
    }
    if let Family::Boxes(boxes) = &network.family {
        return boxes::fit_boxes(context, floor, boxes, links);
    }
    let routers = network.router_count() as u32;
    let mut misfit = |problem: String, help: &str, span: Span| {
        context.error(ResolveError::FloorMisfit { problem, help: help.to_owned(), span });
        None
    };
    let group = network.family.group_size();
    let grouped = floor.clustering == Clustering::ByGroup || floor.bundles == Bundling::ByGroup;
    if grouped && group.is_none() {
        let problem = format!("the routers of a `{}` form no groups", network.family.name());
        return misfit(problem, "remove `by_group`", floor.span);
    }
    if matches!(floor.clustering, Clustering::Walktrap { .. }) && u64::from(routers) > WALKTRAP_ROUTERS {
        let problem = format!("`walktrap` clusters at most {WALKTRAP_ROUTERS} routers, not {routers}");
        return misfit(problem, "choose another `clustering`", floor.span);
    }
    let plane = network.family.plane();
    let cabinets = match (floor.clustering, group) {
        (Clustering::ByCluster, _) => {
            let Some([q, size]) = plane else {
                let problem = format!("the groups of a `{}` form no clusters", network.family.name());
                return misfit(
                    problem,
                    "choose another `clustering`: `polarstar` and `polarfly` have clusters",
                    floor.span,
                );
            };
            let points = floor.cabinet / size;
            if points == 0 {
                let problem = format!("a cabinet of {} routers holds no group of {size}", floor.cabinet);
                return misfit(problem, "raise `cabinet`, or choose another `clustering`", floor.span);
            }
            ProjectivePlane::cluster_sizes(q).into_iter().map(|cluster| cluster.div_ceil(points)).sum()
        }
        (Clustering::ByGroup, Some(group)) if group > floor.cabinet => {
            let problem = format!("a cabinet of {} routers holds no group of {group}", floor.cabinet);
            return misfit(problem, "raise `cabinet`, or choose another `clustering`", floor.span);
        }
        (Clustering::ByGroup, Some(group)) => routers / group,
        _ => routers.div_ceil(floor.cabinet),
    };
    let grid = fit_grid(floor.grid, cabinets);
    if let Some(problem) = grid_problem(grid, cabinets) {
        return misfit(problem, "make `grid` larger, or leave it out", floor.span);
    }
    Some(Floor { cabinets, grid, ..floor })
}

/// Reports links of which lengths cannot choose: those that the family names, and those that carry unlike
/// amounts.
fn check_bandwidths(
    context: &mut Context,
    by_length: &ByLength,
    network: &Network,
    links: &DeclaredLinks,
) -> Option<()> {
    let (problem, help);
    let bandwidth =
        |link: LinkTypeId| links.types[link.0 as usize].as_ref().map(|link: &LinkType| link.bandwidth_bps);
    let bandwidths: Vec<u64> = by_length.links().filter_map(bandwidth).collect();
    if matches!(network.family, Family::Levels(_) | Family::Listed(_)) {
        let name = network.family.name();
        problem = format!("every `level` of `{name}` names its link, so lengths do not choose it");
        help = "remove the limits";
    } else if bandwidths.windows(2).any(|pair| pair[0] != pair[1]) {
        problem = "links that cable lengths choose have different bandwidths".to_owned();
        help = "give them the same `bandwidth`: flows are computed before the lengths of cables are known";
    } else {
        return Some(());
    }
    context.error(ResolveError::FloorMisfit { problem, help: help.to_owned(), span: by_length.span });
    None
}
