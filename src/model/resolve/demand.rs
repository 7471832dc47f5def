//! The demand: uniform, groups of chips, or a matrix from a file.

use super::settings::{choice, in_range, settings, wrong_kind};
use super::{Context, Items, missing, unknown_choice};
use crate::limits::{MATRIX_CHIPS, WEIGHT, matrix_bytes};
use crate::model::demand::{Component, Demand};
use crate::model::errors::ResolveError;
use crate::syntax::ast::{Block, Name, StatementKind, ValueKind};
use crate::syntax::{Loader, join};

/// The demand; without one, uniform. `size` is (chips per cube, cubes), where those are known.
pub(super) fn demand(
    context: &mut Context,
    items: &Items<'_>,
    size: Option<(u64, u64)>,
    spec_path: &str,
    loader: &dyn Loader,
) -> Option<Demand> {
    let uniform = size.map(|(chips, cubes)| Demand::uniform((chips * cubes) as usize));
    let setting = items.settings.get("demand");
    if let Some((block, span)) = items.demand {
        if let Some(setting) = setting {
            context.duplicate("`demand`".to_owned(), "a fabric has exactly one; remove the other", span, setting.name.span);
        }
        settings(context, block, "`demand`".to_owned(), span, &[], "all_to_all");
        if block.statements.is_empty() {
            context.error(missing("`demand`", "a component", "all_to_all; weight 1;", span));
        }
        return groups(context, block, size);
    }
    let Some(setting) = setting else { return uniform };
    match &setting.value.kind {
        ValueKind::File(kind, path) if &*kind.value == "matrix" => {
            return matrix(context, path, spec_path, loader, size);
        }
        ValueKind::File(kind, _) | ValueKind::Block(kind, _) | ValueKind::Dims(kind, _) => context.error(wrong_demand(kind)),
        ValueKind::Limit(..) => context.error(wrong_kind("`demand`", "a name", "demand = uniform", setting.value.span)),
        ValueKind::Quantity(_) => match choice(&setting.value) {
            Some(name) if &*name.value == "uniform" => {}
            Some(name) => context.error(wrong_demand(&name)),
            None => context.error(wrong_kind("`demand`", "a name", "demand = uniform", setting.value.span)),
        },
    }
    uniform
}

/// The error of a demand that does not exist, or not in this form.
fn wrong_demand(kind: &Name) -> ResolveError {
    let example = match &*kind.value {
        "uniform" => "demand = uniform",
        "matrix" => "demand = matrix \"traffic.csv\"",
        "all_to_all" | "groups" => "demand { all_to_all over groups of 16; weight 4; }",
        _ => return unknown_choice("`demand`", kind, &["uniform", "matrix"]),
    };
    ResolveError::UnknownChoice {
        what: "`demand`".to_owned(),
        found: kind.value.to_string(),
        help: format!("this demand is written `{example}`"),
        span: kind.span,
    }
}

/// The components of `demand { .. }`.
fn groups(context: &mut Context, block: &Block, size: Option<(u64, u64)>) -> Option<Demand> {
    let errors = context.errors.len();
    let mut found = Vec::new();
    let mut any_weight = false;
    for statement in &block.statements {
        let StatementKind::Component(component) = &statement.kind else { continue };
        let weight = context
            .eval(&component.weight, &[])
            .and_then(|weight| in_range(context, "a weight", weight, 0..=i64::from(WEIGHT), component.weight.span));
        any_weight |= weight != Some(0);
        let group = match &component.groups {
            Some(expr) => context.eval(expr, &[]).map(|group| (group, expr.span)),
            None => size.map(|(chips, cubes)| ((chips * cubes) as i64, statement.span)),
        };
        let (Some(weight), Some((group, span)), Some((chips, cubes))) = (weight, group, size) else { continue };
        if !fits(group, chips, cubes) {
            context.error(ResolveError::GroupSize { group, chips, cubes, span });
            continue;
        }
        found.push((Component { group: group as u32, weight: weight as u32 }, span));
    }
    for (at, &(component, span)) in found.iter().enumerate() {
        if let Some(&(_, first)) = found[..at].iter().find(|(other, _)| other.group == component.group) {
            context.duplicate(format!("the all-to-all over groups of {}", component.group), "add their weights up", span, first);
        }
    }
    let sum: u64 = found.iter().map(|(component, _)| u64::from(component.weight)).sum();
    if sum > u64::from(WEIGHT) {
        in_range(context, "the sum of all weights", sum as i64, 0..=i64::from(WEIGHT), block.span);
    }
    if !any_weight && !block.statements.is_empty() {
        context.error(ResolveError::NoDemand { what: "`demand`".to_owned(), span: block.span });
    }
    let (chips, cubes) = size?;
    let components = found.into_iter().map(|(component, _)| component).collect();
    (context.errors.len() == errors).then(|| Demand::groups((chips * cubes) as usize, components))
}

/// Groups lie within cubes, or are whole cubes; none is left over.
fn fits(group: i64, chips: u64, cubes: u64) -> bool {
    let Ok(group @ 2..) = u64::try_from(group) else { return false };
    chips.is_multiple_of(group) || (group.is_multiple_of(chips) && cubes.is_multiple_of(group / chips))
}

/// The matrix of a file: one line per source, one comma-separated integer per destination.
fn matrix(context: &mut Context, path: &Name, spec_path: &str, loader: &dyn Loader, size: Option<(u64, u64)>) -> Option<Demand> {
    // Without a size there is nothing to compare the file with, and no limit to read it by.
    let (chips, cubes) = size?;
    let nodes = (chips * cubes) as usize;
    if nodes > MATRIX_CHIPS {
        context.error(ResolveError::TooLarge {
            what: "the demand matrix",
            count: format!("{nodes} x {nodes} chips"),
            limit: MATRIX_CHIPS as u64,
            help: Some("write the demand of so many chips as `demand { all_to_all over groups of ..; weight ..; }`".to_owned()),
            span: path.span,
            arithmetic: "a number for every pair of chips".to_owned(),
        });
        return None;
    }
    let text = match loader.load(&join(spec_path, &path.value), matrix_bytes(nodes)) {
        Ok(text) => text,
        Err(reason) => {
            context.error(ResolveError::FileUnreadable { path: path.value.to_string(), reason, span: path.span });
            return None;
        }
    };
    match cells(&text, nodes) {
        Ok(weights) if weights.iter().all(|&weight| weight == 0) => {
            context.error(ResolveError::NoDemand { what: path.value.to_string(), span: path.span });
            None
        }
        Ok(weights) => Some(Demand::matrix(nodes, weights)),
        Err(problem) => {
            context.error(ResolveError::DemandMatrix { path: path.value.to_string(), problem, span: path.span });
            None
        }
    }
}

/// The numbers of the file, row by row, or what is wrong with the first one that is wrong, and where.
fn cells(text: &str, nodes: usize) -> Result<Vec<u32>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut weights = Vec::with_capacity(nodes * nodes);
    for (row, line) in lines.iter().enumerate().take(nodes) {
        let mut column = 0;
        for cell in line.split(',').map(str::trim) {
            column += 1;
            let at = format!("line {}, column {column}", row + 1);
            if column > nodes {
                break;
            }
            let digits = cell.strip_prefix('-').unwrap_or(cell);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(format!("{at}: `{}` is no integer", cell.chars().take(20).collect::<String>()));
            }
            let weight = digits.parse::<u32>().ok().filter(|&weight| weight <= WEIGHT);
            match weight {
                Some(weight @ 1..) if digits == cell && column != row + 1 => weights.push(weight),
                Some(0) => weights.push(0),
                _ if digits != cell => return Err(format!("{at}: `{cell}` is negative")),
                Some(_) => return Err(format!("{at}: a chip sends {cell} to itself; the diagonal must be 0")),
                None => return Err(format!("{at}: {} is more than {WEIGHT}", cell.chars().take(20).collect::<String>())),
            }
        }
        let columns = line.split(',').count();
        if columns != nodes {
            return Err(format!("line {} has {columns} numbers, but the pod has {nodes} chips", row + 1));
        }
    }
    if lines.len() != nodes {
        return Err(format!("it has {} lines, but the pod has {nodes} chips", lines.len()));
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_name_the_place_of_the_first_slip() {
        assert_eq!(cells("0, 1\r\n2,0\r\n", 2), Ok(vec![0, 1, 2, 0]));
        let wrong = [
            ("0,1\n1", "line 2 has 1 numbers, but the pod has 2 chips"),
            ("0,1\n1,0,1", "line 2 has 3 numbers, but the pod has 2 chips"),
            ("0,1", "it has 1 lines, but the pod has 2 chips"),
            ("0,1\n1,0\n1,0", "it has 3 lines, but the pod has 2 chips"),
            ("", "it has 0 lines, but the pod has 2 chips"),
            ("0,1\n1.5,0", "line 2, column 1: `1.5` is no integer"),
            ("0,\n1,0", "line 1, column 2: `` is no integer"),
            ("0,+1\n1,0", "line 1, column 2: `+1` is no integer"),
            ("0,-1\n1,0", "line 1, column 2: `-1` is negative"),
            ("0,1\n1,7", "line 2, column 2: a chip sends 7 to itself; the diagonal must be 0"),
            ("0,1000001\n1,0", "line 1, column 2: 1000001 is more than 1000000"),
            ("0,99999999999999999999999999\n1,0", "line 1, column 2: 99999999999999999999 is more than 1000000"),
        ];
        for (text, problem) in wrong {
            assert_eq!(cells(text, 2), Err(problem.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn groups_fit_inside_cubes_or_are_whole_cubes() {
        // 6 cubes of 8 chips.
        let fitting: Vec<i64> = (-1..50).filter(|&group| fits(group, 8, 6)).collect();
        assert_eq!(fitting, [2, 4, 8, 16, 24, 48]);
    }
}
