//! The tables of a slice: those of its kind, with the names of the slice's own cubes.

use super::placed::PlacedFabric;
use super::stored::{read_scenario_tables, stored_scenarios};
use crate::folder::Folder;
use crate::refusal::Refusal;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{ForwardingTables, Symmetry, TableEntry};
use fabc_model::kind_files;

/// The scenarios that a slice has tables for.
pub struct SliceScenarios {
    /// The number of its routers.
    pub routers: usize,
    /// The numbers of its cubes, for people.
    pub cubes: String,
    /// The names of the scenarios, in the pod.
    pub scenarios: Vec<String>,
}

/// A router by the name that the user wrote.
pub struct NamedRouter<'a> {
    /// The name, or the number.
    pub name: &'a str,
    /// The router of the pod.
    pub node: NodeId,
}

impl<F: Folder> PlacedFabric<F> {
    /// The scenarios that a slice has tables for.
    ///
    /// # Errors
    /// [`Refusal::UnknownWord`] if there is no such slice, and [`Refusal::NotBuilt`] for a damaged file.
    pub fn slice_scenarios(&self, name: &str) -> Result<SliceScenarios, F::Error> {
        let local = self.local_slice(name)?;
        let stored = stored_scenarios(&self.folder.below(&kind_files(&local.kind.name)))?;
        Ok(SliceScenarios {
            routers: local.kind.fabric.node_count(),
            cubes: local.cubes(),
            scenarios: stored.iter().map(|scenario| local.to_pod(scenario)).collect(),
        })
    }

    /// The tables of a scenario on a slice. Only the entries of one router of the pod are filled in.
    ///
    /// # Errors
    /// [`Refusal::UnknownWord`], [`Refusal::UnknownRouter`] or [`Refusal::UnknownScenario`] for a name that
    /// the slice does not have, and [`Refusal::NotBuilt`] for a damaged file.
    pub fn slice_tables(
        &self,
        name: &str,
        scenario: &str,
        router: NamedRouter<'_>,
    ) -> Result<ForwardingTables, F::Error> {
        let local = self.local_slice(name)?;
        let (pod, slice, node) = (self.pod(), local.slice, router.node);
        let chips = pod.chips_per_cube();
        let Some(position) = slice.cubes.iter().position(|cube| *cube == pod.cube_of(node)) else {
            let range = format!("those of the cubes {}, which slice `{name}` has", local.cubes());
            return Err(Refusal::UnknownRouter { name: router.name.to_owned(), range }.into());
        };
        let Some(scenario_of_kind) = local.to_kind(scenario) else {
            let hint = format!(
                "slice `{name}` has other switches and cubes: leave `--router` out to list its scenarios"
            );
            return Err(Refusal::UnknownScenario { name: scenario.to_owned(), hint }.into());
        };
        let folder = self.folder.below(&kind_files(&local.kind.name));
        let tables = read_scenario_tables(&folder, &local.kind.fabric, &scenario_of_kind)?;
        let inside = NodeId(position as u32 * chips + node.0 % chips);
        let outside = |dst: NodeId| NodeId(slice.cubes[(dst.0 / chips) as usize].0 * chips + dst.0 % chips);
        let mut entries: Vec<TableEntry> = tables
            .router(inside)
            .into_iter()
            .map(|entry| TableEntry { dst: outside(entry.dst), ..entry })
            .collect();
        entries.sort_unstable();
        let mut routers = vec![Vec::new(); pod.node_count()];
        routers[node.index()] = entries;
        Ok(ForwardingTables {
            symmetry: Symmetry::trivial(chips, pod.cubes),
            routers,
            scenario: scenario.to_owned(),
            ..tables
        })
    }
}
