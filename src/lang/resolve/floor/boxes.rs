//! The floor of boxes of GPUs: boxes stand in racks, switches beside their boxes or in racks of their own.

use super::super::context::{Context, missing};
use super::super::items::SpecItems;
use super::super::kind::PlantKind;
use super::super::scope::DeclaredLinks;
use super::super::settings::{BlockSettings, integer};
use super::grid::{fit_grid, grid_problem};
use super::pod::counted;
use crate::ResolveError;
use fabc_base::diag::Span;
use fabc_base::ids::LinkTypeId;
use fabc_base::limits::ROUTERS;
use fabc_model::{Boxes, Bundling, ByLength, Clustering, Floor, LinkType};

/// Reads `box_rack = 4;`: the boxes of a rack. The outer `None` says that an error was reported.
#[allow(clippy::option_option)]
pub(super) fn box_rack(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    items: &SpecItems<'_>,
    kind: PlantKind,
) -> Option<Option<u32>> {
    let written = settings.get("box_rack");
    if kind.is_network && !items.placed.is_empty() {
        let Some(value) = written else {
            let span = settings.span_or_head("box_rack");
            context.error(missing("the floor of a fabric with `boxes`", "`box_rack`", "box_rack = 4;", span));
            return None;
        };
        return integer(context, "`box_rack`", value, 1..=ROUTERS as i64).map(|holds| Some(holds as u32));
    }
    if written.is_some() {
        context.error(ResolveError::Misplaced {
            subject: "`box_rack`".to_owned(),
            place: "the floor of a fabric without `boxes`".to_owned(),
            help: Some("remove it: a rack of boxes needs `boxes = 32 of h100;`".to_owned()),
            span: settings.span_or_head("box_rack"),
        });
        return None;
    }
    Some(None)
}

/// Completes the floor with its racks and grid, if boxes and switches fit.
pub(super) fn fit_boxes(
    context: &mut Context,
    floor: Floor,
    boxes: &Boxes,
    links: &DeclaredLinks,
) -> Option<Floor> {
    match racks_of_boxes(&floor, boxes, links) {
        Ok([cabinets, rows, columns]) => Some(Floor { cabinets, grid: [rows, columns], ..floor }),
        Err(Misfit { problem, help, span }) => {
            context.error(ResolveError::FloorMisfit { problem, help: help.to_owned(), span });
            None
        }
    }
}

/// Why boxes do not fit on a floor, and what helps.
struct Misfit {
    problem: String,
    help: &'static str,
    span: Span,
}

/// The number of racks, of rows and of columns.
fn racks_of_boxes(floor: &Floor, boxes: &Boxes, links: &DeclaredLinks) -> Result<[u32; 3], Misfit> {
    let misfit = |problem: String, help: &'static str| Err(Misfit { problem, help, span: floor.span });
    if !matches!(floor.clustering, Clustering::Sequential | Clustering::ByGroup) {
        let problem = format!("`{}` clusters routers, but boxes stand in racks", floor.clustering.name());
        return misfit(
            problem,
            "write `clustering = sequential;`, or `by_group` for leaves beside their boxes",
        );
    }
    if floor.bundles == Bundling::ByGroup {
        return misfit("the racks of boxes form no groups of one size".to_owned(), "remove `bundles`");
    }
    let holds = floor.box_rack.unwrap_or(1);
    let racks = boxes.box_count().div_ceil(holds);
    let mut elsewhere = boxes.outer_count();
    if floor.clustering == Clustering::ByGroup {
        for group in boxes.leaf_groups() {
            let leaves = group.leaves.len() as u32 * boxes.planes();
            let [first, last] = [group.first_box, group.last_box].map(|place| place / holds);
            let beside = last - first + 1;
            elsewhere -= leaves;
            if leaves.div_ceil(beside) > floor.cabinet {
                let problem = format!(
                    "boxes {} to {} have {} in {}, {} a rack, but `cabinet = {}`",
                    group.first_box,
                    group.last_box,
                    counted(leaves, "leaf"),
                    counted(beside, "rack"),
                    leaves.div_ceil(beside),
                    floor.cabinet
                );
                return misfit(problem, "raise `cabinet`, the switches of a rack, or lower `box_rack`");
            }
        }
    }
    let of_switches = elsewhere.div_ceil(floor.cabinet);
    let cabinets = racks + of_switches;
    let grid = fit_grid(floor.grid, cabinets);
    if let Some(problem) = grid_problem(grid, cabinets) {
        let problem = format!(
            "{problem}: {} of boxes and {} of switches",
            counted(racks, "rack"),
            counted(of_switches, "rack")
        );
        return misfit(problem, "make `grid` larger, or leave it out");
    }
    if let Some(by_length) = &floor.by_length {
        check_nic_links(by_length, boxes, links)?;
    }
    Ok([cabinets, grid[0], grid[1]])
}

/// Verifies that links which lengths choose carry as much as those of the NICs.
fn check_nic_links(by_length: &ByLength, boxes: &Boxes, links: &DeclaredLinks) -> Result<(), Misfit> {
    let declared = |link: LinkTypeId| links.types[link.0 as usize].as_ref();
    let chosen = by_length.links().filter_map(declared);
    let nics: Vec<&LinkType> =
        boxes.kinds.iter().filter_map(|kind| kind.nic_link).filter_map(declared).collect();
    for link in chosen {
        if let Some(nic) = nics.iter().find(|nic| nic.bandwidth_bps != link.bandwidth_bps) {
            return Err(Misfit {
                problem: format!(
                    "lengths choose the cables of NICs too, but `{}` and `{}` have different bandwidths",
                    link.name, nic.name
                ),
                help: "give the links of NICs and of `floor` the same `bandwidth`",
                span: by_length.span,
            });
        }
    }
    Ok(())
}
