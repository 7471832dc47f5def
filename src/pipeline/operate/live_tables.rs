//! The live tables of a broken fabric: those of the build, of a tolerated fault, or of an earlier repair.

use super::built::BuiltFabric;
use super::down::DownParts;
use crate::compile::repair::{Covered, LiveTables, REPAIR};
use crate::folder::Folder;
use crate::refusal::Refusal;
use fabc_base::ids::NodeId;
use fabc_ir::read::{RepairFile, tagged};
use fabc_ir::{ForwardingTables, Scene};
use fabc_model::Fabric;
use std::borrow::Cow;

/// Reads and proves the tables of an earlier repair.
///
/// # Errors
/// [`Refusal::NotBuilt`] if a file is missing or damaged, and [`Convicted`](crate::refusal::Convicted) if the
/// tables violate the proof.
pub(crate) fn earlier_repair<F: Folder>(built: &BuiltFabric<F>, earlier: &F) -> Result<LiveTables, F::Error> {
    let unfit = |file: &str, problem: String| Refusal::NotBuilt {
        path: earlier.path(),
        reason: format!("`{file}`: {problem}"),
    };
    let head: RepairFile =
        tagged(&earlier.read("repair.json")?).map_err(|problem| unfit("repair.json", problem))?;
    if head.fabric != built.fabric.name {
        return Err(unfit(
            "repair.json",
            format!("is of the fabric `{}`, not of `{}`", head.fabric, built.fabric.name),
        )
        .into());
    }
    let down = DownParts::by_names(built.as_built(), &head.down)?;
    let scene = down.scene(built.as_built());
    let served = served_scene(&built.fabric, &scene, &fabc_check::connected_parts(&scene), true)?;
    let tables = built.read_single_tables(earlier, REPAIR)?;
    let all_ranks = head.ranks.clone().unwrap_or_else(|| built.ranks());
    fabc_check::judge_tables(&built.fabric, &served, &tables, &all_ranks)
        .map_err(|error| built.convicted(error))?;
    Ok(LiveTables { down: down.names(built.as_built()), tables, ranks: head.ranks, all_ranks })
}

/// The served network: the largest connected part. Routers outside it count as dead.
///
/// # Errors
/// [`Refusal::NothingLeft`] if no two endpoints survive. [`Refusal::RepairApart`] if endpoints survive in
/// several parts, unless `partial`.
pub(crate) fn served_scene<'a>(
    fabric: &Fabric,
    scene: &Scene<'a>,
    parts: &[Vec<NodeId>],
    partial: bool,
) -> Result<Scene<'a>, Refusal> {
    let (word, topology) = (fabric.plant.router_word(), scene.topology);
    let largest = parts.first().map_or(&[][..], |part| part);
    if largest.iter().filter(|&&node| scene.is_endpoint(node)).count() < 2 {
        return Err(Refusal::NothingLeft { word });
    }
    let sends = |part: &&Vec<NodeId>| part.iter().any(|&node| scene.is_endpoint(node));
    let apart = parts.iter().filter(sends).count();
    if apart > 1 && !partial {
        const SHOWN: usize = 3;
        let describe_part = |part: &Vec<NodeId>| match &part[..] {
            [one] => topology.name(*one),
            [first, .., last] => {
                format!("{} {word}s from {} to {}", part.len(), topology.name(*first), topology.name(*last))
            }
            [] => String::new(),
        };
        let shown = parts.iter().filter(sends).take(SHOWN).map(describe_part).collect::<Vec<_>>().join("; ");
        let components = if apart > SHOWN { format!("{shown}; ..") } else { shown };
        return Err(Refusal::RepairApart { parts: apart, components, largest: largest.len(), word });
    }
    let dead = topology.nodes().filter(|node| largest.binary_search(node).is_err()).collect();
    Ok(Scene { dead, ..scene.clone() })
}

/// All tables of one fabric, with the same number of virtual channels. The tables of a fault may use fewer or
/// more than those of the healthy fabric.
pub(crate) struct AlignedTables<'a> {
    /// The tables of the healthy fabric.
    pub(crate) tables: Cow<'a, ForwardingTables>,
    /// `[channel class * vcs + vc]`: the ranks of the healthy tables.
    pub(crate) ranks: Cow<'a, [u32]>,
    /// The tables that the build has for the loss.
    pub(crate) covered: Option<Covered>,
    /// The tables of an earlier repair.
    pub(crate) since: Option<LiveTables>,
}

impl<'a> AlignedTables<'a> {
    /// Adds virtual channels to the tables that use fewer than others.
    pub(crate) fn align<F>(
        built: &'a BuiltFabric<F>,
        mut covered: Option<Covered>,
        mut since: Option<LiveTables>,
    ) -> Self {
        let used = [
            Some(built.tables.vcs),
            covered.as_ref().map(|covered| covered.tables.vcs),
            since.as_ref().map(|since| since.tables.vcs),
        ];
        let vcs = used.into_iter().flatten().max().unwrap_or(built.tables.vcs);
        for Covered { tables, ranks, .. } in covered.iter_mut().filter(|covered| covered.tables.vcs < vcs) {
            *ranks = widened_ranks(ranks, tables.vcs, vcs);
            tables.vcs = vcs;
        }
        for LiveTables { tables, ranks, all_ranks, .. } in
            since.iter_mut().filter(|since| since.tables.vcs < vcs)
        {
            *ranks = ranks.take().map(|ranks| widened_ranks(&ranks, tables.vcs, vcs));
            *all_ranks = widened_ranks(all_ranks, tables.vcs, vcs);
            tables.vcs = vcs;
        }
        let (tables, ranks) = (&built.tables, &built.nominal.ranks);
        let (tables, ranks) = match tables.vcs < vcs {
            false => (Cow::Borrowed(tables), Cow::Borrowed(&ranks[..])),
            true => (
                Cow::Owned(ForwardingTables { vcs, ..tables.clone() }),
                Cow::Owned(widened_ranks(ranks, tables.vcs, vcs)),
            ),
        };
        Self { tables, ranks, covered, since }
    }
}

/// Adds virtual channels to ranks. Nothing uses the added ones, so their rank is 0.
fn widened_ranks(ranks: &[u32], before: u8, after: u8) -> Vec<u32> {
    let row = |of_channel: &[u32]| {
        of_channel
            .iter()
            .copied()
            .chain(std::iter::repeat_n(0, usize::from(after - before)))
            .collect::<Vec<_>>()
    };
    ranks.chunks(usize::from(before)).flat_map(row).collect()
}
