//! Resolves the demand: uniform, groups of chips or endpoints, or a matrix from a file.

use super::context::{Context, missing, unknown_choice};
use super::foreign;
use super::items::SpecItems;
use super::scope::{Scope, read_file};
use super::settings::{block_settings, in_range, word, wrong_kind};
use crate::FileError;
use crate::ResolveError;
use crate::syntax::ast::{Block, Name, StatementKind, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::Span;
use fabc_base::divisors::greatest_common_divisor;
use fabc_base::ids::{Id, NodeId};
use fabc_base::limits::{MATRIX_CHIPS, WEIGHT, matrix_bytes};
use fabc_model::{Demand, DemandComponent};

/// The endpoints that send and receive.
pub(super) struct Senders {
    /// Endpoints per block, and the number of blocks. A group is part of a block or several blocks. In a pod,
    /// the cubes are the blocks. In a network, all endpoints form one block.
    blocks: (u64, u64),
    /// Of a network: the number of its routers, and the id and the number of hosts of each router with hosts.
    network: Option<(usize, Vec<(NodeId, u16)>)>,
}

impl Senders {
    /// The chips of a pod.
    pub(super) fn of_pod(chips_per_cube: u64, cubes: u64) -> Self {
        Self { blocks: (chips_per_cube, cubes), network: None }
    }

    /// The routers of a network that have hosts, by the hosts of every router.
    pub(super) fn of_network(hosts: &[u16]) -> Self {
        let with_hosts = hosts.iter().enumerate().filter(|(_, hosts)| **hosts > 0);
        let endpoints: Vec<(NodeId, u16)> =
            with_hosts.map(|(node, &hosts)| (NodeId::new(node), hosts)).collect();
        Self { blocks: (endpoints.len() as u64, 1), network: Some((hosts.len(), endpoints)) }
    }

    /// The number of all endpoints.
    pub(super) fn count(&self) -> usize {
        (self.blocks.0 * self.blocks.1) as usize
    }

    /// Describes the endpoints, such as `6 cubes of 8 chips` or `324 endpoints`.
    fn describe(&self) -> String {
        match self {
            Senders { network: None, blocks: (chips, cubes) } => format!("{cubes} cubes of {chips} chips"),
            Senders { network: Some(_), blocks: (endpoints, _) } => format!("{endpoints} endpoints"),
        }
    }

    /// Whether groups of this size fit: they divide a block or are whole blocks, and no endpoint is left
    /// over.
    fn fits(&self, group: i64) -> bool {
        let (members, blocks) = self.blocks;
        let Ok(group @ 2..) = u64::try_from(group) else { return false };
        members.is_multiple_of(group)
            || (group.is_multiple_of(members) && blocks.is_multiple_of(group / members))
    }

    fn misfit(&self, group: i64, span: Span) -> ResolveError {
        let (members, help) = match self.network {
            None => (
                "chips",
                "the size of a group divides the chips of a cube, or a group is several whole cubes and divides all of them",
            ),
            Some(_) => ("endpoints", "the size of a group divides the number of routers that have hosts"),
        };
        ResolveError::GroupSize { group, endpoints: self.describe(), help, span, members }
    }

    /// Places a demand among endpoints at their routers.
    fn place_among_routers(&self, demand: Demand) -> Demand {
        match &self.network {
            None => demand,
            Some((routers, endpoints)) => {
                demand.among_endpoints(*routers, endpoints.iter().map(|&(node, _)| node).collect())
            }
        }
    }

    /// Weights a demand by pairs of hosts. If routers have unequal numbers of hosts, every weight is
    /// multiplied by both numbers over their common divisor. `span` is the span of the demand.
    fn weighted_by_hosts(&self, context: &mut Context, demand: Demand, span: Span) -> Option<Demand> {
        let endpoints = self.network.as_ref().map_or(&[][..], |(_, endpoints)| endpoints);
        if endpoints.windows(2).all(|pair| pair[0].1 == pair[1].1) {
            return Some(self.place_among_routers(demand));
        }
        if endpoints.len() > MATRIX_CHIPS {
            context.error(ResolveError::TooLarge {
                subject: "the demand matrix",
                count: format!("{0} x {0} routers with unequal numbers of hosts", endpoints.len()),
                limit: MATRIX_CHIPS as u64,
                help: Some("give all routers that have hosts as many".to_owned()),
                span,
                arithmetic: "a number for every pair of routers".to_owned(),
            });
            return None;
        }
        let common = endpoints.iter().fold(0, |common, &(_, hosts)| greatest_common_divisor(common, hosts));
        let part = |rank: usize| u64::from(endpoints[rank].1 / common);
        let weight =
            |s: usize, t: usize| u64::from(demand.weight(NodeId::new(s), NodeId::new(t))) * part(s) * part(t);
        let count = endpoints.len();
        let weights: Vec<u64> =
            (0..count).flat_map(|s| (0..count).map(move |t| (s, t))).map(|(s, t)| weight(s, t)).collect();
        let largest = weights.iter().copied().max().unwrap_or(0);
        in_range(
            context,
            "the weight of two routers by their hosts",
            largest as i64,
            0..=i64::from(WEIGHT),
            span,
        )?;
        Some(self.place_among_routers(Demand::matrix(
            count,
            weights.into_iter().map(|weight| weight as u32).collect(),
        )))
    }
}

/// Resolves the demand, which is uniform by default. `senders` is `None` if it is not known who sends.
pub(super) fn demand(
    context: &mut Context,
    items: &SpecItems<'_>,
    senders: Option<&Senders>,
    scope: &Scope<'_>,
) -> Option<Demand> {
    let setting = items.settings.get("demand");
    if let Some((block, span)) = items.demand {
        if let Some(setting) = setting {
            context.duplicate(
                "`demand`".to_owned(),
                "a fabric has exactly one; remove the other",
                span,
                setting.name.span,
            );
        }
        block_settings(context, block, "`demand`".to_owned(), span, BlockKind::Demand);
        if block.statements.is_empty() {
            context.error(missing("`demand`", "a component", "all_to_all weight 1;", span));
        }
        return group_demand(context, block, senders);
    }
    let Some(setting) = setting else { return uniform_demand(context, senders, scope.head) };
    match &setting.value.kind {
        ValueKind::File(kind, path, None) if &*kind.value == "matrix" => {
            return matrix_demand(context, path, scope, senders);
        }
        ValueKind::File(kind, ..) | ValueKind::Block(kind, _) | ValueKind::Dims(kind, ..) => {
            context.error(wrong_demand(kind))
        }
        ValueKind::Limit(..)
        | ValueKind::Steps(_)
        | ValueKind::Product(_)
        | ValueKind::Prefix(_)
        | ValueKind::List(_)
        | ValueKind::Router(_) => {
            context.error(wrong_kind("`demand`", "a name", "demand = uniform", setting.value.span))
        }
        ValueKind::Quantity(_) => match word(&setting.value) {
            Some(name) if &*name.value == "uniform" => {}
            Some(name) => context.error(wrong_demand(&name)),
            None => context.error(wrong_kind("`demand`", "a name", "demand = uniform", setting.value.span)),
        },
    }
    uniform_demand(context, senders, setting.value.span)
}

/// The same rate between every two hosts.
fn uniform_demand(context: &mut Context, senders: Option<&Senders>, span: Span) -> Option<Demand> {
    let senders = senders?;
    senders.weighted_by_hosts(context, Demand::uniform(senders.count()), span)
}

/// The error of a demand that is unknown, or is not written in this form.
fn wrong_demand(kind: &Name) -> ResolveError {
    let example = match &*kind.value {
        "uniform" => "demand = uniform",
        "matrix" => "demand = matrix \"traffic.csv\"",
        "groups" => "demand { all_to_all over groups of 16 weight 4; }",
        word if foreign::is_uniform(word) => {
            let help = "every chip sends to every other one with `demand = uniform;`. Only groups and weights need \
                        `demand { all_to_all over groups of 16 weight 4; }`";
            let (subject, written) = ("`demand`".to_owned(), kind.value.to_string());
            return ResolveError::UnknownChoice { subject, written, help: help.to_owned(), span: kind.span };
        }
        _ => return unknown_choice("`demand`", kind, &["uniform", "matrix"], None),
    };
    ResolveError::UnknownChoice {
        subject: "`demand`".to_owned(),
        written: kind.value.to_string(),
        help: format!("this demand is written `{example}`"),
        span: kind.span,
    }
}

/// Reads the components of `demand { .. }`.
fn group_demand(context: &mut Context, block: &Block, senders: Option<&Senders>) -> Option<Demand> {
    let errors_before = context.errors.len();
    let mut components = Vec::new();
    let mut any_weight = false;
    for statement in &block.statements {
        let StatementKind::Component(component) = &statement.kind else { continue };
        let weight = context.eval(&component.weight, &[]).and_then(|weight| {
            in_range(context, "a weight", weight, 0..=i64::from(WEIGHT), component.weight.span)
        });
        any_weight |= weight != Some(0);
        let group = match &component.groups {
            Some(expr) => context.eval(expr, &[]).map(|group| (group, expr.span)),
            None => senders.map(|senders| (senders.count() as i64, statement.span)),
        };
        let (Some(weight), Some((group, span)), Some(senders)) = (weight, group, senders) else { continue };
        if !senders.fits(group) {
            context.error(senders.misfit(group, span));
            continue;
        }
        components.push((DemandComponent { group: group as u32, weight: weight as u32 }, span));
    }
    for (index, &(component, span)) in components.iter().enumerate() {
        if let Some(&(_, first)) =
            components[..index].iter().find(|(earlier, _)| earlier.group == component.group)
        {
            context.duplicate(
                format!("the all-to-all over groups of {}", component.group),
                "add their weights up",
                span,
                first,
            );
        }
    }
    let sum: u64 = components.iter().map(|(component, _)| u64::from(component.weight)).sum();
    if sum > u64::from(WEIGHT) {
        in_range(context, "the sum of all weights", sum as i64, 0..=i64::from(WEIGHT), block.span);
    }
    if !any_weight && !block.statements.is_empty() {
        context.error(ResolveError::NoDemand { subject: "`demand`".to_owned(), span: block.span });
    }
    let senders = senders?;
    let components = components.into_iter().map(|(component, _)| component).collect();
    if context.errors.len() > errors_before {
        return None;
    }
    senders.weighted_by_hosts(context, Demand::groups(senders.count(), components), block.span)
}

/// Reads the matrix of a file: one line per source, one comma-separated integer per destination.
fn matrix_demand(
    context: &mut Context,
    path: &Name,
    scope: &Scope<'_>,
    senders: Option<&Senders>,
) -> Option<Demand> {
    // Without a size there is nothing to compare the file with, and no limit to read it by.
    let senders = senders?;
    let (nodes, members) = (senders.count(), if senders.network.is_some() { "endpoints" } else { "chips" });
    if nodes > MATRIX_CHIPS {
        context.error(ResolveError::TooLarge {
            subject: "the demand matrix",
            count: format!("{nodes} x {nodes} {members}"),
            limit: MATRIX_CHIPS as u64,
            help: Some(
                "write the demand of so many as `demand { all_to_all over groups of .. weight ..; }`"
                    .to_owned(),
            ),
            span: path.span,
            arithmetic: format!("a number for every pair of {members}"),
        });
        return None;
    }
    let (_, text) = read_file(context, path, scope, matrix_bytes(nodes))?;
    match parse_cells(
        &text,
        nodes,
        &format!(
            "{} has {nodes} {members}",
            if senders.network.is_some() { "the network" } else { "the pod" }
        ),
    ) {
        Ok(weights) if weights.iter().all(|&weight| weight == 0) => {
            context.error(ResolveError::NoDemand { subject: path.value.to_string(), span: path.span });
            None
        }
        Ok(weights) => Some(senders.place_among_routers(Demand::matrix(nodes, weights))),
        Err(problem) => {
            context.error(
                FileError::DemandMatrix { path: path.value.to_string(), problem, span: path.span }.into(),
            );
            None
        }
    }
}

/// Returns the numbers of the file, row by row, or the first problem and its place. `wanted` says how many
/// endpoints there are.
fn parse_cells(text: &str, nodes: usize, wanted: &str) -> Result<Vec<u32>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut weights = Vec::with_capacity(nodes * nodes);
    for (row, line) in lines.iter().enumerate().take(nodes) {
        let mut column = 0;
        // Quotes do not change a number.
        for cell in line.split(',').map(str::trim) {
            let cell = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap_or(cell);
            column += 1;
            let place = format!("line {}, column {column}", row + 1);
            if column > nodes {
                break;
            }
            let digits = cell.strip_prefix('-').unwrap_or(cell);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(format!(
                    "{place}: `{}` is not an integer",
                    cell.chars().take(20).collect::<String>()
                ));
            }
            let weight = digits.parse::<u32>().ok().filter(|&weight| weight <= WEIGHT);
            match weight {
                Some(weight @ 1..) if digits == cell && column != row + 1 => weights.push(weight),
                Some(0) => weights.push(0),
                _ if digits != cell => return Err(format!("{place}: `{cell}` is negative")),
                Some(_) => {
                    return Err(format!("{place}: a chip sends {cell} to itself; the diagonal must be 0"));
                }
                None => {
                    return Err(format!(
                        "{place}: {} is more than {WEIGHT}",
                        cell.chars().take(20).collect::<String>()
                    ));
                }
            }
        }
        let columns = line.split(',').count();
        if columns != nodes {
            return Err(format!("line {} has {columns} numbers, but {wanted}", row + 1));
        }
    }
    if lines.len() != nodes {
        return Err(format!("it has {} lines, but {wanted}", lines.len()));
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_name_the_place_of_the_first_slip() {
        assert_eq!(parse_cells("0, 1\r\n2,0\r\n", 2, ""), Ok(vec![0, 1, 2, 0]));
        let problems = [
            ("0,1\n1", "line 2 has 1 numbers, but the pod has 2 chips"),
            ("0,1\n1,0,1", "line 2 has 3 numbers, but the pod has 2 chips"),
            ("0,1", "it has 1 lines, but the pod has 2 chips"),
            ("0,1\n1,0\n1,0", "it has 3 lines, but the pod has 2 chips"),
            ("", "it has 0 lines, but the pod has 2 chips"),
            ("0,1\n1.5,0", "line 2, column 1: `1.5` is not an integer"),
            ("0,\n1,0", "line 1, column 2: `` is not an integer"),
            ("0,+1\n1,0", "line 1, column 2: `+1` is not an integer"),
            ("0,-1\n1,0", "line 1, column 2: `-1` is negative"),
            ("0,1\n1,7", "line 2, column 2: a chip sends 7 to itself; the diagonal must be 0"),
            ("0,1000001\n1,0", "line 1, column 2: 1000001 is more than 1000000"),
            (
                "0,99999999999999999999999999\n1,0",
                "line 1, column 2: 99999999999999999999 is more than 1000000",
            ),
        ];
        for (text, problem) in problems {
            assert_eq!(parse_cells(text, 2, "the pod has 2 chips"), Err(problem.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn groups_fit_inside_cubes_or_are_whole_cubes() {
        let fitting =
            |senders: &Senders| -> Vec<i64> { (-1..50).filter(|&group| senders.fits(group)).collect() };
        assert_eq!(fitting(&Senders::of_pod(8, 6)), [2, 4, 8, 16, 24, 48]);
        assert_eq!(fitting(&Senders::of_network(&[1, 0, 1, 1, 0, 1, 1, 1])), [2, 3, 6]);
    }
}
