//! The floor of a pod: every cube is a cabinet, and switches stand in racks.

use super::super::context::Context;
use super::super::kind::PlantKind;
use super::super::settings::{BlockSettings, integer, integer_expr, wrong_kind};
use super::grid::{SIDE, fit_grid, grid_problem};
use crate::ResolveError;
use crate::syntax::ast::{SettingValue, ValueKind};
use fabc_base::diag::Span;
use fabc_model::{Bundling, Floor, Ocs, RackPlaces, Racks};

/// The most switches of a rack.
const SWITCHES: i64 = 1 << 20;

/// Reads `ocs = at 0 x 3; ocs_rack = 16;`: the places of racks, before their number is known. The outer
/// `None` says that an error was reported.
#[allow(clippy::option_option)]
pub(super) fn racks(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    kind: PlantKind,
) -> Option<Option<Racks>> {
    if kind.is_network {
        return Some(None);
    }
    let holds = settings.get("ocs_rack").map(|value| integer(context, "`ocs_rack`", value, 1..=SWITCHES));
    let Some(value) = settings.get("ocs") else {
        if holds.is_some() {
            let help = Some("say where the first rack stands: `ocs = at 0 x 0;`".to_owned());
            let (subject, place) = ("`ocs_rack`".to_owned(), "a `floor` without `ocs`".to_owned());
            context.error(ResolveError::Misplaced {
                subject,
                place,
                help,
                span: settings.span_or_head("ocs_rack"),
            });
            return None;
        }
        return Some(None);
    };
    let rack_places = places(context, value);
    // Without `ocs_rack`, one rack holds them all.
    let holds = holds.unwrap_or(Some(SWITCHES));
    Some(Some(Racks { holds: holds? as u32, count: 0, place: rack_places?, span: value.span }))
}

/// Reads a place of racks: `at 0 x 3` or `row 1`.
fn places(context: &mut Context, value: &SettingValue) -> Option<RackPlaces> {
    let mut number =
        |expr| integer_expr(context, "a row or column", expr, 0..=SIDE - 1).map(|number| number as u32);
    match &value.kind {
        ValueKind::Dims(name, dims, None) => match (&*name.value, dims.as_slice()) {
            ("at", [row, column]) => {
                let (row, column) = (number(row), number(column));
                Some(RackPlaces::From([row?, column?]))
            }
            ("row", [row]) => number(row).map(RackPlaces::Row),
            _ => report_place(context, value),
        },
        _ => report_place(context, value),
    }
}

fn report_place(context: &mut Context, value: &SettingValue) -> Option<RackPlaces> {
    context.error(wrong_kind("`ocs`", "the place of a rack, or a row", "ocs = at 0 x 0;", value.span));
    None
}

/// A count with its noun, such as `1 place` or `3 switches`.
pub(super) fn counted(count: u32, word: &str) -> String {
    let plural = match word {
        "leaf" => "leaves".to_owned(),
        "switch" => "switches".to_owned(),
        _ => format!("{word}s"),
    };
    if count == 1 { format!("1 {word}") } else { format!("{count} {plural}") }
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
    let mut misfit = |problem: String, help: &str, span: Span| {
        context.error(ResolveError::FloorMisfit { problem, help: help.to_owned(), span });
        None
    };
    if let Some(by_length) = &floor.by_length {
        let problem = "`mesh` and `couple` name the links of a pod, so lengths do not choose them".to_owned();
        return misfit(problem, "remove the limits", by_length.span);
    }
    if floor.bundles == Bundling::ByGroup {
        return misfit("the cubes of a pod form no groups".to_owned(), "remove `by_group`", floor.span);
    }
    let racks = match (floor.racks, ocses.len() as u32) {
        (None, 0) => None,
        (None, switches) => {
            let problem =
                format!("the places of the {} of this pod are missing", counted(switches, "switch"));
            return misfit(
                problem,
                "add `ocs = at 0 x 0;`, the row and column of the first rack",
                floor.span,
            );
        }
        (Some(racks), 0) => return misfit("this pod has no switches".to_owned(), "remove `ocs`", racks.span),
        (Some(racks), switches) => Some(Racks { count: switches.div_ceil(racks.holds), ..racks }),
    };
    let count = racks.map_or(0, |racks| racks.count);
    let cabinets = cubes + count;
    let grid = fit_grid(floor.grid, cabinets);
    if let Some(problem) = grid_problem(grid, cabinets) {
        let problem = format!("{problem}: {} and {}", counted(cubes, "cube"), counted(count, "rack"));
        return misfit(problem, "make `grid` larger, or leave it out", floor.span);
    }
    if let Some(racks) = racks
        && let Some((problem, help)) = racks_misfit(&floor, racks, grid)
    {
        return misfit(problem, help, racks.span);
    }
    Some(Floor { cabinet: chips, cabinets, grid, racks, ..floor })
}

/// Why the racks do not fit on the grid, and what helps.
fn racks_misfit(floor: &Floor, racks: Racks, grid: [u32; 2]) -> Option<(String, &'static str)> {
    let ([rows, columns], count) = (grid, racks.count);
    let floor_has =
        format!("the floor has {} of {}, counted from 0", counted(rows, "row"), counted(columns, "place"));
    match racks.place {
        RackPlaces::From([row, column]) if row >= rows || column >= columns => Some((
            format!("{floor_has}, so there is no place {row} x {column}"),
            "choose a place on the floor",
        )),
        RackPlaces::Row(row) if row >= rows => {
            Some((format!("{floor_has}, so there is no row {row}"), "choose a row on the floor"))
        }
        RackPlaces::Row(row) if count > columns => Some((
            format!("row {row} has {}, but there are {count} racks", counted(columns, "place")),
            "raise `ocs_rack`",
        )),
        RackPlaces::From([row, column]) => {
            let turned = row % 2 == 1 && floor.order == fabc_model::Filling::Serpentine;
            let before = row * columns + if turned { columns - 1 - column } else { column };
            let remaining = rows * columns - before;
            let problem = || {
                format!(
                    "from place {row} x {column} on the floor has {}, but there are {count} racks",
                    counted(remaining, "place")
                )
            };
            (count > remaining).then(|| (problem(), "choose an earlier place, or raise `ocs_rack`"))
        }
        RackPlaces::Row(_) => None,
    }
}
