//! Schedules of one scene, each made, checked and laid out once, however many sizes are asked for.

use super::algorithms::{Base, Size, known, plans};
use super::{CollectivesAsked, CollectivesError};
use crate::check::{self, CheckError};
use crate::ids::Id;
use crate::ir::{Breadth, CollectiveBound, CollectiveCandidate, CollectiveCost, CollectiveRow, Neighbors, Scene, Schedule};
use crate::model::{Collective, CollectiveAlgorithm};
use crate::passes::collective::{
    Asked, CollectiveError, Timetable, bounds, by_slots, by_steps, multitree, natural_chunks, pull, tightest, turned,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A schedule that was checked, and its times.
struct Checked {
    schedule: Schedule,
    table: Timetable,
}

/// Plans on a scene.
pub(super) struct Planner<'a> {
    scene: &'a Scene<'a>,
    pub(super) cost: CollectiveCost,
    asked: &'a CollectivesAsked,
    size: Option<Size>,
    copies: BTreeMap<Base, Rc<Vec<Schedule>>>,
    checked: BTreeMap<(Collective, CollectiveAlgorithm, Base), Rc<Vec<Checked>>>,
    bounds: BTreeMap<Collective, Rc<Vec<CollectiveBound>>>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, cost: CollectiveCost, asked: &'a CollectivesAsked) -> Self {
        Self { scene, cost, asked, size: None, copies: BTreeMap::new(), checked: BTreeMap::new(), bounds: BTreeMap::new() }
    }

    /// The candidates of a collective by time, beside its bound.
    pub(super) fn row(&mut self, scenario: &str, collective: Collective, bytes: u64) -> Result<CollectiveRow, CollectivesError> {
        let size = self.size()?;
        let (mut candidates, mut left_out) = (Vec::new(), Vec::new());
        for &algorithm in known(collective).iter().filter(|&&algorithm| self.asked.algorithm.is_none_or(|asked| asked == algorithm)) {
            match self.candidate(collective, algorithm, bytes)? {
                Some((candidate, _)) => candidates.push(candidate),
                None => left_out.push(algorithm),
            }
        }
        candidates.sort_by_key(|candidate| candidate.time.total());
        let bounds = self.bounds(collective)?;
        let tightest = tightest(&bounds, collective, &self.cost, bytes, size.chips);
        let (Some((bound, witness)), false) = (tightest, candidates.is_empty()) else {
            return Err(CollectiveError::TooFew { chips: size.chips as usize }.into());
        };
        Ok(CollectiveRow {
            scenario: scenario.to_owned(),
            collective,
            root: self.root(collective).map(|root| self.scene.topology.name(root)),
            size: bytes,
            chips: size.chips,
            candidates,
            left_out,
            bound,
            witness: witness.clone(),
        })
    }

    /// The schedule of the first candidate.
    pub(super) fn fastest(&mut self, collective: Collective, bytes: u64) -> Result<Schedule, CollectivesError> {
        let algorithm = self.row("", collective, bytes)?.best().algorithm;
        match self.candidate(collective, algorithm, bytes)? {
            Some((_, (plans, at))) => Ok(plans[at].schedule.clone()),
            None => Err(CollectiveError::TooFew { chips: 0 }.into()),
        }
    }

    /// The fastest plan of an algorithm, and where it is; none where all of its plans are too much work.
    #[allow(clippy::type_complexity)]
    fn candidate(
        &mut self,
        collective: Collective,
        algorithm: CollectiveAlgorithm,
        bytes: u64,
    ) -> Result<Option<(CollectiveCandidate, (Rc<Vec<Checked>>, usize))>, CollectivesError> {
        let size = self.size()?;
        let asked = self.asked.chunks;
        let wanted = plans(algorithm, (&size, &self.cost), bytes, asked, self.asked.algorithm.is_some());
        let mut best: Option<(CollectiveCandidate, (Rc<Vec<Checked>>, usize))> = None;
        for base in wanted {
            let plans = self.plans(collective, algorithm, base)?;
            for (at, Checked { schedule, table }) in plans.iter().enumerate() {
                let Some(rounds) = schedule.rounds() else { continue };
                let time = table.time(&self.cost, bytes);
                if best.as_ref().is_none_or(|(best, _)| time.total() < best.time.total()) {
                    let reduced_from = asked.filter(|&asked| asked > base.chunks() && base != Base::MultiTree);
                    let (steps, volume) = (rounds.steps() as u64, rounds.volume());
                    let candidate = CollectiveCandidate { algorithm, chunks: schedule.chunks, reduced_from, steps, volume, time };
                    best = Some((candidate, (Rc::clone(&plans), at)));
                }
            }
        }
        Ok(best)
    }

    /// What a plan of copies is as a schedule of a collective, checked.
    fn plans(&mut self, collective: Collective, algorithm: CollectiveAlgorithm, base: Base) -> Result<Rc<Vec<Checked>>, CollectivesError> {
        let key = (collective, algorithm, base);
        if let Some(plans) = self.checked.get(&key) {
            return Ok(Rc::clone(plans));
        }
        let copies = self.copies(base)?;
        let mut plans = Vec::with_capacity(copies.len());
        for copy in copies.iter() {
            let schedule = turned(self.scene, copy, collective, algorithm)?;
            check::schedule(self.scene, &schedule).map_err(|error| convicted(collective, algorithm.name(), error))?;
            let Some(rounds) = schedule.rounds() else { continue };
            let table = Timetable::new(self.scene, &schedule, rounds)?;
            plans.push(Checked { schedule, table });
        }
        let plans = Rc::new(plans);
        self.checked.insert(key, Rc::clone(&plans));
        Ok(plans)
    }

    fn copies(&mut self, base: Base) -> Result<Rc<Vec<Schedule>>, CollectivesError> {
        if let Some(copies) = self.copies.get(&base) {
            return Ok(Rc::clone(copies));
        }
        let asked = |chunks, latency| Asked { chunks: Some(chunks), seed: self.asked.seed, latency };
        let copies = match (base, self.asked.root) {
            (Base::Steps(chunks), _) => by_steps(self.scene, asked(chunks, 0))?,
            (Base::Slots(chunks, latency), _) => vec![by_slots(self.scene, asked(chunks, latency))?],
            (Base::MultiTree, _) => vec![multitree(self.scene, asked(1, 0))?],
            (Base::Pull(chunks, latency), Some(root)) => vec![pull(self.scene, root, asked(chunks, latency))?],
            (Base::Pull(..), None) => Vec::new(),
        };
        let copies = Rc::new(copies);
        self.copies.insert(base, Rc::clone(&copies));
        Ok(copies)
    }

    fn bounds(&mut self, collective: Collective) -> Result<Rc<Vec<CollectiveBound>>, CollectivesError> {
        if let Some(bounds) = self.bounds.get(&collective) {
            return Ok(Rc::clone(bounds));
        }
        let root = self.root(collective);
        let found = bounds(self.scene, collective, root)?;
        check::collective_bounds(self.scene, collective, root, &found).map_err(|error| convicted(collective, "bound", error))?;
        let found = Rc::new(found);
        self.bounds.insert(collective, Rc::clone(&found));
        Ok(found)
    }

    fn root(&self, collective: Collective) -> Option<crate::ids::NodeId> {
        self.asked.root.filter(|_| collective.is_rooted())
    }

    fn size(&mut self) -> Result<Size, CollectivesError> {
        if let Some(size) = self.size {
            return Ok(size);
        }
        let natural = natural_chunks(self.scene)?;
        let symmetry = self.scene.topology.symmetry();
        let classes = if self.scene.keeps_symmetry() { symmetry.class_count() } else { symmetry.node_count() };
        let farthest = self.asked.root.filter(|&root| self.scene.is_endpoint(root)).map_or(0, |root| {
            let mut breadth = Breadth::default();
            Neighbors::into_of(self.scene).search(root, &mut breadth);
            self.scene.endpoints().map(|chip| breadth.hops[chip.index()]).max().unwrap_or(0)
        });
        let degree = self.scene.endpoints().map(|chip| self.scene.channels_into(chip).count()).min().unwrap_or(1);
        let chips = self.scene.endpoints().count() as u64;
        let size = Size { chips, classes: classes as u64, natural, degree: degree as u32, farthest };
        self.size = Some(size);
        Ok(size)
    }
}

/// What the checker does not accept.
fn convicted(collective: Collective, algorithm: &'static str, error: CheckError) -> CollectivesError {
    CollectivesError::Convicted { collective: collective.name(), algorithm, error: Box::new(error) }
}
