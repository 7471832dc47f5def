//! Collectives in groups of chips: what is tried, and what cannot be.

use super::algorithms::Base;
use super::errors::CollectivesError;
use super::request::RequestedGroups;
use fabc_base::diag::{Failure, Span};
use fabc_ir::{ChipGroups, CollectiveBound, ForwardingTables, Scene, Schedule, Topology};
use fabc_model::{Collective, CollectiveAlgorithm, DeclaredCollective, Fabric, Faults, Require};
use fabc_passes::collective::{
    CollectiveError, ScheduleRequest, check_duplex, check_pair_paths, check_plannable, check_within,
    pair_paths_in_groups, pairs, relayed, ring, star, within,
};
use rayon::prelude::*;

/// Parts of the data of a chip with which trees within groups are tried, beside those of the optimum. Fewer
/// parts suit small vectors.
const WITHIN_PARTS: [u32; 2] = [1, 2];
/// Parts of the data of a chip with which trees through foreign chips are tried.
const RELAYED_PARTS: [u32; 3] = [1, 3, 6];
/// Trees through foreign chips are tried unasked up to this number of edges of all trees.
const EDGE_LIMIT: u64 = 1 << 14;
/// Paths of pairs are balanced unasked up to this number of pairs.
const PAIR_LIMIT: u64 = 1 << 13;
/// The most chips between which paths are balanced unasked.
const MOST_CHIPS_OF_PATHS: usize = 256;

/// The groups of a request on a scene. `None` where it has none.
///
/// # Errors
/// Refuses a scene in which a chip of a group is dead.
pub(super) fn groups_of_scene(
    scene: &Scene<'_>,
    requested: Option<&RequestedGroups>,
) -> Result<Option<ChipGroups>, CollectiveError> {
    let Some(requested) = requested else { return Ok(None) };
    if let Some(dead) = scene.topology.endpoints().find(|&chip| !scene.lives(chip)) {
        return Err(CollectiveError::DeadInGroup { chip: scene.topology.name(dead) });
    }
    Ok(Some(match requested {
        RequestedGroups::Consecutive(size) => {
            ChipGroups::consecutive(scene.topology.endpoints(), *size as usize)
        }
        RequestedGroups::Listed(groups) => groups.clone(),
    }))
}

/// Whether every chip of the groups of a scene lives. Without groups it does not matter.
pub(super) fn groups_are_whole(scene: &Scene<'_>, requested: Option<&RequestedGroups>) -> bool {
    requested.is_none() || scene.topology.endpoints().all(|chip| scene.lives(chip))
}

/// The plans of an algorithm in groups. None where it is impossible or would take long, unless it is `named`.
pub(super) fn group_plans(
    scene: &Scene<'_>,
    groups: &ChipGroups,
    algorithm: CollectiveAlgorithm,
    collective: Collective,
    has_tables: bool,
    named: bool,
) -> Vec<Base> {
    let chips = scene.endpoints().count();
    let edges = |parts: u32| chips as u64 * (groups.size() - 1) * u64::from(parts);
    let against = collective == Collective::ReduceScatter;
    match algorithm {
        CollectiveAlgorithm::Within if named || check_within(scene, groups).is_ok() => {
            std::iter::once(None).chain(WITHIN_PARTS.map(Some)).map(Base::Within).collect()
        }
        CollectiveAlgorithm::Trees => {
            let most = if named || !has_tables { u64::MAX } else { EDGE_LIMIT };
            let tried = RELAYED_PARTS.into_iter().filter(|&parts| edges(parts) <= most);
            let is_duplex = named || scene.first_simplex().is_none();
            tried.filter(|_| is_duplex).map(Base::Relayed).collect()
        }
        CollectiveAlgorithm::Ring if named || has_tables => vec![Base::Ring { against }],
        CollectiveAlgorithm::Direct if named || has_tables => match collective {
            Collective::AllToAll => vec![Base::Pairs],
            _ => vec![Base::Star { against }],
        },
        CollectiveAlgorithm::Paths
            if named || !has_tables || chips <= MOST_CHIPS_OF_PATHS && edges(1) <= PAIR_LIMIT =>
        {
            vec![Base::GroupPaths]
        }
        _ => Vec::new(),
    }
}

/// The schedules of a plan in groups. `bounds` are those of all schedules of the collective.
///
/// # Errors
/// Refuses what the plan cannot be made for, and the lack of tables that it follows.
pub(super) fn group_copies(
    scene: &Scene<'_>,
    groups: &ChipGroups,
    base: Base,
    tables: Option<&ForwardingTables>,
    bounds: &[CollectiveBound],
    seed: u64,
) -> Result<Vec<Schedule>, CollectiveError> {
    let request = ScheduleRequest { chunks: Some(1), seed, latency: 0 };
    let tables = || tables.ok_or(CollectiveError::Untabled);
    Ok(match base {
        Base::Within(parts) => vec![within(scene, groups, parts, request)?],
        Base::Relayed(parts) => vec![relayed(scene, groups, parts, bounds, request)?],
        Base::Ring { against } => vec![ring(scene, tables()?, groups, against, request)?],
        Base::Star { against } => vec![star(scene, tables()?, groups, against, request)?],
        Base::Pairs => vec![pairs(scene, tables()?, groups, request)?],
        Base::GroupPaths => pair_paths_in_groups(scene, groups, bounds, request)?,
        _ => Vec::new(),
    })
}

/// The schedules of several plans in groups that follow no tables, made at the same time.
///
/// # Errors
/// Those of [`group_copies`].
pub(super) fn copies_of_all(
    scene: &Scene<'_>,
    groups: Option<&ChipGroups>,
    bases: &[Base],
    bounds: &[CollectiveBound],
    seed: u64,
) -> Result<Vec<Vec<Schedule>>, CollectiveError> {
    let Some(groups) = groups else { return Ok(Vec::new()) };
    bases.par_iter().map(|&base| group_copies(scene, groups, base, None, bounds, seed)).collect()
}

/// Checks whether a collective in groups can be planned on the healthy scene of a spec.
///
/// # Errors
/// Refuses links that run one way for gathers and sums, an algorithm that the groups do not allow, and the
/// lack of tables.
pub(super) fn check_in_groups(
    scene: &Scene<'_>,
    groups: &ChipGroups,
    declared: &DeclaredCollective,
    has_tables: bool,
) -> Result<(), CollectiveError> {
    check_plannable(scene)?;
    if declared.collective != Collective::AllToAll {
        check_duplex(scene)?;
    }
    match declared.algorithm {
        Some(CollectiveAlgorithm::Within) => check_within(scene, groups),
        Some(CollectiveAlgorithm::Paths) => check_pair_paths(scene),
        Some(CollectiveAlgorithm::Ring | CollectiveAlgorithm::Direct) if !has_tables => {
            Err(CollectiveError::Untabled)
        }
        None if declared.collective == Collective::AllToAll && !has_tables => check_pair_paths(scene),
        _ => Ok(()),
    }
}

/// Refuses collectives whose groups do not part the chips, or leave less than a flit for one of them. This
/// needs a topology only for a network.
///
/// # Errors
/// The first such collective, at its line.
pub(in crate::compile) fn check_group_sizes(
    fabric: &Fabric,
    topology: Option<&Topology>,
) -> Result<(), Failure> {
    if fabric.routing.is_scheduled() {
        return Ok(());
    }
    let chips = match topology {
        Some(topology) => topology.endpoints().count(),
        None if fabric.pod().is_some() => fabric.node_count(),
        None => return Ok(()),
    };
    for declared in &fabric.collectives {
        let Some(size) = declared.groups else { continue };
        refuse_fault_requires(fabric, declared, chips)?;
        check_groups(chips as u64, u64::from(size), declared.size, fabric.router.flit_bytes).map_err(
            |problem| {
                let collective = format!("collective `{}`", declared.name);
                Failure::spec(problem.error(collective, Some(declared.span)))
            },
        )?;
    }
    Ok(())
}

/// Refuses a `require fault.` about a collective that no tolerated fault leaves: one in groups, if every
/// fault takes a chip.
fn refuse_fault_requires(
    fabric: &Fabric,
    declared: &DeclaredCollective,
    chips: usize,
) -> Result<(), Failure> {
    let is_about = |line: &&Require| {
        line.fault && line.collective() == Some(&*declared.name) && chips == fabric.node_count()
    };
    match fabric.requires.iter().find(is_about) {
        Some(line) if fabric.budget.faults == Faults::Router => {
            let problem = GroupsProblem {
                problem: format!(
                    "`{}` is about no fault: each takes a chip, and groups without it have no such collective",
                    line.metric_text()
                ),
                hint: format!(
                    "require `{}`, or tolerate faults of links or switches",
                    line.metric_text().replacen("fault.", "", 1)
                ),
            };
            Err(Failure::spec(problem.error(format!("collective `{}`", declared.name), Some(declared.span))))
        }
        _ => Ok(()),
    }
}

/// Why chips cannot do a collective in groups.
pub struct GroupsProblem {
    problem: String,
    hint: String,
}

impl GroupsProblem {
    /// The error of a collective, with its place in a spec.
    pub fn error(self, collective: String, span: Option<Span>) -> CollectivesError {
        let GroupsProblem { problem, hint } = self;
        CollectivesError::Groups { collective, problem, hint, span }
    }
}

/// Checks that groups of `size` part all chips, and that a vector of `bytes` divides among the chips of one.
///
/// # Errors
/// What is wrong, and what would be right.
pub fn check_groups(chips: u64, size: u64, bytes: u64, flit_bytes: u32) -> Result<(), GroupsProblem> {
    if size > chips {
        return Err(GroupsProblem {
            problem: format!("groups of {size} chips are larger than the fabric, which has {chips}"),
            hint: format!("write at most `groups = {chips};`, which is one group of all chips"),
        });
    }
    if !chips.is_multiple_of(size) {
        let divisor = |candidate: &u64| *candidate > 1 && chips.is_multiple_of(*candidate);
        let fitting: Vec<String> = [(2..=size).rev().find(divisor), (size..=chips).find(divisor)]
            .into_iter()
            .flatten()
            .map(|fit| format!("`groups = {fit};`"))
            .collect();
        return Err(GroupsProblem {
            problem: format!(
                "groups of {size} do not part {chips} chips: {} groups leave {} over",
                chips / size,
                chips % size
            ),
            hint: format!("every chip is in one group, and all have as many: write {}", fitting.join(" or ")),
        });
    }
    if !bytes.is_multiple_of(size) {
        let near = [bytes / size * size, bytes.next_multiple_of(size)];
        let near: Vec<String> =
            near.into_iter().filter(|&near| near > 0).map(|near| format!("`{near} B`")).collect();
        return Err(GroupsProblem {
            problem: format!("{bytes} bytes do not divide into {size} shards, one for each chip of a group"),
            hint: format!("write a multiple of {size}: {}", near.join(" or ")),
        });
    }
    let least = size * u64::from(flit_bytes.max(1));
    match bytes < least {
        true => Err(GroupsProblem {
            problem: format!(
                "{bytes} bytes are shards of {} B in groups of {size}, less than a flit of {flit_bytes} B",
                bytes / size
            ),
            hint: format!("a shard fills at least a flit: write `size = {least} B;` or more"),
        }),
        false => Ok(()),
    }
}
