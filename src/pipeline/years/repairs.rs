//! Repairs the slices of a built pod, as `fabc repair` does.
//!
//! In: the directories of the kinds, and sets of broken parts in the names of a kind. Out: what the tables
//! make of each set. Sets that the symmetry of a kind takes to each other are repaired once: the tables of
//! one stand for those of all. Broken cables get other paths (`--effort local`). Dark switches alone keep the
//! symmetry of the kind, so all routes are chosen once more (`--effort auto`).

use super::outcome::{Outcome, OutcomeStep, SliceRepairs};
use super::parts::{CableEnd, PodParts};
use super::play::{Loss, LostCable};
use crate::compile::repair::Effort;
use crate::folder::Folder;
use crate::operate::{
    BuiltFabric, DownParts, ProvedDown, RepairRequest, has_scenario, prove_down, read_scenario_tables,
    served_scene,
};
use crate::refusal::{Convicted, Refusal};
use crate::scenarios::NOMINAL;
use fabc_base::ids::{Id, LinkId, NodeId, OcsId};
use fabc_check::{Files, ReadWiring};
use fabc_emit::tables_path;
use fabc_ir::{RepairStep, TableKey, Topology};
use std::collections::BTreeMap;

/// The tables of a kind.
enum KindTables<F> {
    /// Tables that can be repaired.
    Repaired(Box<BuiltFabric<F>>),
    /// Tables that look packets up by the destination alone. Only losses that the build prepared have some.
    Prepared,
    /// The build has no tables.
    Absent,
}

/// The repairs of a kind of slice.
pub(super) struct KindRepairer<F> {
    folder: F,
    topology: Topology,
    tables: KindTables<F>,
    /// The names of the switches.
    switches: Vec<String>,
    /// The number of every cable of a cube.
    cable_numbers: BTreeMap<CableEnd, u32>,
    cables: Vec<CableEnd>,
    chips: u32,
    /// The elements of the symmetry that keep every link on its switch.
    elements: Vec<usize>,
}

impl<F: Folder + Clone> KindRepairer<F> {
    /// Reads the directory of a kind. `cables` are those of a cube of the pod.
    ///
    /// # Errors
    /// [`Refusal::NotBuilt`] for a missing or damaged file, and [`Convicted`] for files that do not fit.
    pub(super) fn read(folder: F, parts: &PodParts) -> Result<Self, F::Error> {
        let loaded = folder.fabric()?;
        let mut files = Files::new();
        for path in ["topology.json", "ocs.json"].into_iter().filter(|path| folder.has(path)) {
            files.insert(path.to_owned(), folder.read(path)?);
        }
        let ReadWiring { topology, cross_connects } = fabc_check::read_wiring(&files, &loaded.fabric)
            .map_err(|error| Convicted::because(error, &loaded.sources))?;
        let stem = tables_path(NOMINAL);
        let has_tables = ["json", "bin"].iter().any(|ending| folder.has(&format!("{stem}.{ending}")));
        let tables = if !has_tables {
            KindTables::Absent
        } else if loaded.fabric.routing.has_many_paths()
            || read_scenario_tables(&folder, &loaded.fabric, NOMINAL)?.key != TableKey::DstInput
        {
            KindTables::Prepared
        } else {
            KindTables::Repaired(Box::new(BuiltFabric::read(folder.clone())?))
        };
        let switches = loaded.fabric.pod().into_iter().flat_map(|pod| pod.ocses.iter());
        let ocs_of =
            |link: LinkId| cross_connects.as_ref().and_then(|cross_connects| cross_connects.ocs_of[link]);
        let symmetry = topology.symmetry();
        let keeps_switches = |&element: &usize| {
            topology.links().enumerate().all(|(id, link)| {
                let image = topology.outgoing(symmetry.image(element, link.a.node), link.a.port);
                image.is_some_and(|channel| ocs_of(topology.link_of(channel)) == ocs_of(id))
            })
        };
        let elements = (0..symmetry.order()).filter(keeps_switches).collect();
        Ok(Self {
            folder,
            switches: switches.map(|ocs| ocs.name.clone()).collect(),
            tables,
            cable_numbers: parts.cables.iter().copied().zip(0..).collect(),
            cables: parts.cables.clone(),
            chips: loaded.fabric.blocks().0,
            elements,
            topology,
        })
    }

    /// The link of a cable. `None` for a face port that no cross-connect lights.
    fn link(&self, lost: LostCable) -> Option<LinkId> {
        let LostCable { place, cable } = lost;
        let CableEnd { chip, port } = self.cables[cable as usize];
        let node = NodeId(place * self.chips + chip);
        self.topology.outgoing(node, port).map(|channel| self.topology.link_of(channel))
    }

    /// The one cable that stands for a link, after an element of the symmetry.
    fn cable(&self, link: LinkId, element: usize) -> Option<LostCable> {
        let link = &self.topology.links()[link];
        let ends = [link.a, link.b].map(|end| {
            let node = self.topology.symmetry().image(element, end.node);
            let place = CableEnd { chip: node.0 % self.chips, port: end.port };
            let cable = *self.cable_numbers.get(&place)?;
            Some(LostCable { place: node.0 / self.chips, cable })
        });
        ends.into_iter().flatten().min()
    }

    /// The loss that stands for all that the symmetry takes to it.
    fn standing_for(&self, loss: &Loss) -> Loss {
        let links: Vec<LinkId> = loss.cables.iter().filter_map(|&cable| self.link(cable)).collect();
        let image = |&element: &usize| {
            let mut cables: Vec<LostCable> =
                links.iter().filter_map(|&link| self.cable(link, element)).collect();
            cables.sort_unstable();
            cables.dedup();
            cables
        };
        let cables = self.elements.iter().map(image).min().unwrap_or_default();
        Loss { switches: loss.switches.clone(), cables }
    }

    /// Repairs a loss.
    ///
    /// # Errors
    /// [`Convicted`] if the live tables violate the proof, and errors of reading tables.
    fn repair(&self, loss: &Loss) -> Result<Outcome, F::Error> {
        if loss.is_empty() {
            // All broken cables carry no link.
            return Ok(Outcome { step: OutcomeStep::Covered, live: true, throughput: 1.0 });
        }
        let built = match &self.tables {
            KindTables::Repaired(built) => built,
            KindTables::Prepared => return self.prepared(loss),
            KindTables::Absent => {
                let reason = "it has no forwarding tables, so nothing can be repaired".to_owned();
                return Err(Refusal::NotBuilt { path: self.folder.path(), reason }.into());
            }
        };
        let links = loss.cables.iter().filter_map(|&cable| self.link(cable));
        let down = DownParts::of_switches_and_links(loss.switches.iter().copied(), links);
        let scene = down.scene(built.as_built());
        if served_scene(&built.fabric, &scene, &fabc_check::connected_parts(&scene), false).is_err() {
            return Ok(Outcome::NONE);
        }
        let effort = if loss.cables.is_empty() { Effort::Auto } else { Effort::Local };
        let request = RepairRequest { partial: false, effort, earlier: None };
        prove_down(built, &down, &request, |ProvedDown { proved, .. }| {
            let repair = proved.repair;
            let step = match repair.step {
                RepairStep::Covered(_) => OutcomeStep::Covered,
                RepairStep::Local => OutcomeStep::Local,
                RepairStep::Full => OutcomeStep::Full,
                RepairStep::NewOrder => OutcomeStep::NewOrder,
            };
            let throughput = repair.loads.nominal as f64 / repair.loads.repaired.max(1) as f64;
            let live = repair.warm || repair.blocks.is_some();
            Outcome { step, live, throughput: throughput.min(1.0) }
        })
    }

    /// The outcome for tables that only the build makes. Tables by destination cannot be changed live.
    fn prepared(&self, loss: &Loss) -> Result<Outcome, F::Error> {
        if !loss.cables.is_empty() {
            return Ok(Outcome::NONE);
        }
        let name = |ocs: &OcsId| self.switches.get(ocs.index()).map_or("", String::as_str);
        let scenario = loss.switches.iter().map(name).collect::<Vec<_>>().join("+");
        Ok(match has_scenario(&self.folder, &scenario)? {
            true => Outcome { step: OutcomeStep::Covered, live: false, throughput: 1.0 },
            false => Outcome::NONE,
        })
    }
}

/// The repairs of all kinds.
pub(super) struct PodRepairs<F> {
    /// `[kind]`: what repairs its slices.
    pub(super) kinds: Vec<KindRepairer<F>>,
}

impl<F: Folder + Clone> SliceRepairs for PodRepairs<F> {
    fn standing_for(&self, kind: usize, loss: &Loss) -> Loss {
        self.kinds[kind].standing_for(loss)
    }
}

impl<F: Folder + Clone> PodRepairs<F> {
    /// Repairs a loss of a kind.
    ///
    /// # Errors
    /// As [`KindRepairer::repair`].
    pub(super) fn repair(&self, kind: usize, loss: &Loss) -> Result<Outcome, F::Error> {
        self.kinds[kind].repair(loss)
    }
}
