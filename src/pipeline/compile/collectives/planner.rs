//! Schedules of one scene, each made, checked and laid out once, however many sizes are asked for.

use super::algorithms::{Base, Size, few_messages, plans};
use super::times::Times;
use super::{CollectivesAsked, CollectivesError};
use fabc_base::ids::{Id, NodeId};
use fabc_check::CheckError;
use fabc_ir::{
    Breadth, CollectiveBound, CollectiveCandidate, CollectiveCost, CollectiveRow, ForwardingTables, Fraction,
    Neighbors, Scene, Schedule, Starts, Transfers,
};
use fabc_model::{Collective, CollectiveAlgorithm};
use fabc_passes::collective::{
    Asked, CollectiveError, bounds, by_slots, by_steps, copyable, delays, direct, least_time, multitree,
    natural_chunks, over_lengths, pull, rooted, slowest_chip, tightest, trees, turned,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A schedule that was checked, and its times.
struct Checked {
    schedule: Schedule,
    times: Times,
}

/// The fastest plan of an algorithm.
struct Best {
    base: Base,
    plans: Rc<Vec<Checked>>,
    at: usize,
    /// Into how many it cuts what it cuts.
    chunks: u32,
    /// Attoseconds.
    total: u128,
}

/// Forwarding tables, and lengths of channels that may say what no tables beat.
#[derive(Clone, Copy)]
pub(super) struct Along<'a> {
    pub(super) tables: &'a ForwardingTables,
    pub(super) lengths: &'a [u64],
}

/// Plans on a scene.
pub(super) struct Planner<'a> {
    scene: &'a Scene<'a>,
    pub(super) cost: CollectiveCost,
    asked: &'a CollectivesAsked,
    pub(super) along: Option<Along<'a>>,
    /// Whether chunks may rest, be copied and be added up on their way.
    rests: bool,
    size: Option<Size>,
    copies: BTreeMap<Base, Rc<Vec<Schedule>>>,
    checked: BTreeMap<(Collective, CollectiveAlgorithm, Base), Rc<Vec<Checked>>>,
    bounds: BTreeMap<Collective, Rc<Vec<CollectiveBound>>>,
    /// By collective: the delays of as many of its bounds as were known.
    delays: BTreeMap<Collective, Rc<Vec<u128>>>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, cost: CollectiveCost, asked: &'a CollectivesAsked) -> Self {
        let (copies, checked, bounds, delays) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let rests = copyable(scene).is_ok();
        Self { scene, cost, asked, along: None, rests, size: None, copies, checked, bounds, delays }
    }

    /// The candidates of a collective by time, beside its bound.
    pub(super) fn row(
        &mut self,
        scenario: &str,
        collective: Collective,
        bytes: u64,
    ) -> Result<CollectiveRow, CollectivesError> {
        let size = self.size()?;
        let (mut candidates, mut left_out) = (Vec::new(), Vec::new());
        for algorithm in self.algorithms(collective) {
            match self.best(collective, algorithm, bytes)? {
                Some(best) => {
                    candidates.push(best.candidate(algorithm, &self.cost, bytes, self.asked.chunks))
                }
                None => left_out.push(algorithm),
            }
        }
        candidates.sort_by_key(|candidate| candidate.time.total());
        let bounds = self.all_bounds(collective)?;
        let delays = self.delays(collective, &bounds);
        let tightest = tightest((&bounds, &delays), collective, &self.cost, bytes, size.chips);
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
            along: self.along(collective, bytes)?,
        })
    }

    /// What no schedule beats: the packing of trees may have come upon a tighter partition.
    fn all_bounds(&mut self, collective: Collective) -> Result<Vec<CollectiveBound>, CollectivesError> {
        let mut bounds = self.bounds(collective)?.to_vec();
        let packed = self
            .checked
            .iter()
            .filter(|((of, algorithm, _), _)| (*of, *algorithm) == (collective, CollectiveAlgorithm::Trees));
        for bound in packed.flat_map(|(_, plans)| plans.iter()).flat_map(|plan| &plan.schedule.bounds) {
            if !bounds.contains(bound) {
                bounds.push(bound.clone());
            }
        }
        Ok(bounds)
    }

    /// How long what each bound counts is under way.
    fn delays(&mut self, collective: Collective, bounds: &[CollectiveBound]) -> Rc<Vec<u128>> {
        if let Some(delays) = self.delays.get(&collective).filter(|delays| delays.len() == bounds.len()) {
            return Rc::clone(delays);
        }
        let found = Rc::new(delays(self.scene, &self.cost, (collective, self.root(collective)), bounds));
        self.delays.insert(collective, Rc::clone(&found));
        found
    }

    /// What the tables load most, as a bound for what follows them.
    fn along(
        &mut self,
        collective: Collective,
        bytes: u64,
    ) -> Result<Option<(u128, CollectiveBound)>, CollectivesError> {
        let size = self.size()?;
        let planned = self.checked.iter().find(|((of, ..), plans)| *of == collective && !plans.is_empty());
        let bounds = planned.map(|(_, plans)| plans[0].schedule.bounds.iter()).into_iter().flatten();
        let relative = bounds.filter(|bound| !bound.is_universal());
        let timed = relative.map(|bound| {
            let vectors = bound.volume().times(Fraction::new(1u8, size.chips.max(1)));
            (
                least_time(&self.cost, bytes, vectors, self.cost.least_hop() + self.cost.overhead),
                bound.clone(),
            )
        });
        Ok(timed.max_by_key(|(time, _)| *time))
    }

    /// Whether a collective is little enough work to be planned unasked.
    pub(super) fn is_tried(&mut self, collective: Collective) -> Result<bool, CollectivesError> {
        let size = self.size()?;
        Ok(!self.is_sent(collective) || few_messages(&size))
    }

    /// Whether all that may be used for a collective are messages along the tables.
    pub(super) fn is_sent(&self, collective: Collective) -> bool {
        self.algorithms(collective).all(|algorithm| !algorithm.rests())
    }

    /// The schedule of the first candidate.
    pub(super) fn fastest(
        &mut self,
        collective: Collective,
        bytes: u64,
    ) -> Result<Schedule, CollectivesError> {
        let algorithm = self.fastest_algorithm(collective, bytes)?;
        self.schedule(collective, algorithm, bytes)
    }

    /// The fastest schedule of an algorithm.
    pub(super) fn schedule(
        &mut self,
        collective: Collective,
        algorithm: CollectiveAlgorithm,
        bytes: u64,
    ) -> Result<Schedule, CollectivesError> {
        let Best { plans, at, chunks, .. } = self.expect(collective, algorithm, bytes)?;
        // With all that is known to bound it, that of other algorithms, too: the row is judged by it.
        let all = self.all_bounds(collective)?;
        let schedule = Schedule { chunks, ..bounded(&plans[at].schedule, &all) };
        // Pieces of trees are counted here first.
        self.check(&schedule)?;
        Ok(schedule)
    }

    /// When what it sends leaves, if that is no more than so many messages.
    pub(super) fn starts(
        &mut self,
        collective: Collective,
        bytes: u64,
        most: u64,
    ) -> Result<Starts, CollectivesError> {
        let algorithm = self.fastest_algorithm(collective, bytes)?;
        let Best { plans, at, chunks, .. } = self.expect(collective, algorithm, bytes)?;
        let Checked { schedule, times } = &plans[at];
        Ok(times.starts(self.scene, schedule, &self.cost, (bytes, chunks), most))
    }

    /// The fastest plan of an algorithm that has one.
    fn expect(
        &mut self,
        collective: Collective,
        algorithm: CollectiveAlgorithm,
        bytes: u64,
    ) -> Result<Best, CollectivesError> {
        self.best(collective, algorithm, bytes)?.ok_or_else(|| CollectiveError::TooFew { chips: 0 }.into())
    }

    /// The algorithm whose fastest plan is the fastest of all that may be used.
    pub(super) fn fastest_algorithm(
        &mut self,
        collective: Collective,
        bytes: u64,
    ) -> Result<CollectiveAlgorithm, CollectivesError> {
        let mut best: Option<(u128, CollectiveAlgorithm)> = None;
        for algorithm in self.algorithms(collective) {
            if let Some(found) = self.best(collective, algorithm, bytes)?
                && best.is_none_or(|(least, _)| found.total < least)
            {
                best = Some((found.total, algorithm));
            }
        }
        let nothing = CollectiveError::TooFew { chips: self.size()?.chips as usize };
        Ok(best.ok_or(nothing)?.1)
    }

    /// Those of a collective that may be used: the one that is named, or all that are good for something. In
    /// messages everything is sent from the beginning to every end, which is for those who cannot do better.
    fn algorithms(&self, collective: Collective) -> impl Iterator<Item = CollectiveAlgorithm> + use<> {
        let all = CollectiveAlgorithm::of(collective);
        let rests = self.rests;
        let good = move |algorithm: &CollectiveAlgorithm| all.len() == 1 || algorithm.rests() == rests;
        let only = self.asked.algorithm;
        all.iter()
            .copied()
            .filter(move |algorithm| only.map_or_else(|| good(algorithm), |only| only == *algorithm))
    }

    /// The fastest plan of an algorithm; none where all of its plans are too much work.
    fn best(
        &mut self,
        collective: Collective,
        algorithm: CollectiveAlgorithm,
        bytes: u64,
    ) -> Result<Option<Best>, CollectivesError> {
        let size = self.size()?;
        let asked = self.asked.chunks;
        let wanted = plans(algorithm, (&size, &self.cost), bytes, asked, self.asked.algorithm.is_some());
        let mut best: Option<Best> = None;
        for base in wanted {
            let plans = self.plans(collective, algorithm, base)?;
            for (at, Checked { schedule, times }) in plans.iter().enumerate() {
                let chunks = times.chunks(schedule, &self.cost, bytes, asked);
                let total = times.total(&self.cost, bytes, chunks);
                if best.as_ref().is_none_or(|best| total < best.total) {
                    best = Some(Best { base, plans: Rc::clone(&plans), at, chunks, total });
                }
            }
        }
        Ok(best)
    }

    /// What a plan of copies is as a schedule of a collective, checked.
    fn plans(
        &mut self,
        collective: Collective,
        algorithm: CollectiveAlgorithm,
        base: Base,
    ) -> Result<Rc<Vec<Checked>>, CollectivesError> {
        let key = (collective, algorithm, base);
        if let Some(plans) = self.checked.get(&key) {
            return Ok(Rc::clone(plans));
        }
        let copies = self.copies(collective, base)?;
        let mut plans = Vec::with_capacity(copies.len());
        for copy in copies.iter() {
            let schedule = match &copy.transfers {
                Transfers::Rounds(_) => turned(self.scene, copy, collective, algorithm)?,
                // The tightest partition is one that the packing of trees has found.
                Transfers::Trees(_) | Transfers::Timed(_) => copy.clone(),
                // What is sent from a root is not what is sent to one.
                Transfers::Sends(_) if copy.root.is_some() => copy.clone(),
                Transfers::Sends(_) => {
                    bounded(&turned(self.scene, copy, collective, algorithm)?, &self.bounds(collective)?)
                }
            };
            self.check(&schedule)?;
            let times = Times::new(self.scene, &schedule, self.along.map(|along| along.tables))?;
            plans.push(Checked { schedule, times });
        }
        let plans = Rc::new(plans);
        self.checked.insert(key, Rc::clone(&plans));
        Ok(plans)
    }

    fn copies(&mut self, collective: Collective, base: Base) -> Result<Rc<Vec<Schedule>>, CollectivesError> {
        if let Some(copies) = self.copies.get(&base) {
            return Ok(Rc::clone(copies));
        }
        if let (Base::Direct(chunks, latency), Some(root)) = (base, self.root(collective)) {
            let along = self.along.ok_or(CollectiveError::Untabled)?;
            let asked = Asked { chunks: Some(chunks), seed: self.asked.seed, latency };
            return Ok(Rc::new(vec![rooted(self.scene, along.tables, (collective, root), asked)?]));
        }
        let asked = |chunks, latency| Asked { chunks: Some(chunks), seed: self.asked.seed, latency };
        let copies = match (base, self.asked.root) {
            (Base::Steps(chunks), _) => by_steps(self.scene, asked(chunks, 0))?,
            (Base::Slots(chunks, latency), _) => vec![by_slots(self.scene, asked(chunks, latency))?],
            (Base::MultiTree, _) => vec![multitree(self.scene, asked(1, 0))?],
            (Base::Pull(chunks, latency), Some(root)) => {
                vec![pull(self.scene, root, asked(chunks, latency))?]
            }
            (Base::Pull(..), None) => Vec::new(),
            (Base::Trees, _) => vec![trees(self.scene, Asked { chunks: None, ..asked(1, 0) })?],
            (Base::Direct(chunks, latency), _) => {
                let along = self.along.ok_or(CollectiveError::Untabled)?;
                vec![direct(self.scene, along.tables, asked(chunks, latency))?]
            }
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
        let mut found = bounds(self.scene, collective, root)?;
        if let (Collective::AllToAll, Some(along)) = (collective, self.along) {
            found.extend(over_lengths(self.scene, along.lengths));
        }
        if let (Collective::Broadcast, Some(root)) = (collective, root) {
            found.extend(slowest_chip(self.scene, &self.cost, root).filter(|bound| !found.contains(bound)));
        }
        fabc_check::collective_bounds(self.scene, collective, root, &found)
            .map_err(|error| convicted(collective, "bound", error))?;
        let found = Rc::new(found);
        self.bounds.insert(collective, Rc::clone(&found));
        Ok(found)
    }

    /// Has the checker replay a schedule.
    fn check(&self, schedule: &Schedule) -> Result<(), CollectivesError> {
        let replayed = match (&schedule.transfers, self.along) {
            (Transfers::Sends(_), Some(along)) => {
                fabc_check::schedule_along(self.scene, along.tables, schedule)
            }
            _ => fabc_check::schedule(self.scene, schedule),
        };
        replayed.map_err(|error| convicted(schedule.collective, schedule.algorithm.name(), error))
    }

    fn root(&self, collective: Collective) -> Option<NodeId> {
        self.asked.root.filter(|_| collective.is_rooted())
    }

    fn size(&mut self) -> Result<Size, CollectivesError> {
        if let Some(size) = self.size {
            return Ok(size);
        }
        let natural = natural_chunks(self.scene)?;
        let symmetry = self.scene.topology.symmetry();
        let classes =
            if self.scene.keeps_symmetry() { symmetry.class_count() } else { symmetry.node_count() };
        let farthest = self.asked.root.filter(|&root| self.scene.is_endpoint(root)).map_or(0, |root| {
            let mut breadth = Breadth::default();
            Neighbors::into_of(self.scene).search(root, &mut breadth);
            self.scene.endpoints().map(|chip| breadth.hops[chip.index()]).max().unwrap_or(0)
        });
        let degree =
            self.scene.endpoints().map(|chip| self.scene.channels_into(chip).count()).min().unwrap_or(1);
        let chips = self.scene.endpoints().count() as u64;
        let tabled = self.along.map_or(symmetry.node_count(), |along| along.tables.symmetry.class_count());
        let senders = classes.max(tabled) as u64;
        let size = Size { chips, classes: classes as u64, senders, natural, degree: degree as u32, farthest };
        self.size = Some(size);
        Ok(size)
    }
}

impl Best {
    fn candidate(
        &self,
        algorithm: CollectiveAlgorithm,
        cost: &CollectiveCost,
        bytes: u64,
        asked: Option<u32>,
    ) -> CollectiveCandidate {
        let (Checked { schedule, times }, chunks) = (&self.plans[self.at], self.chunks);
        let reduced_from = asked.filter(|&asked| self.base.is_cut() && asked > chunks);
        let (steps, volume) = times.steps(schedule, chunks);
        CollectiveCandidate {
            algorithm,
            chunks,
            reduced_from,
            steps,
            volume,
            time: times.time(cost, bytes, chunks),
        }
    }
}

/// A schedule beside what bounds every schedule; what bounds those of its tables stays.
fn bounded(schedule: &Schedule, universal: &[CollectiveBound]) -> Schedule {
    let relative = schedule.bounds.iter().filter(|bound| !bound.is_universal());
    Schedule { bounds: relative.chain(universal).cloned().collect(), ..schedule.clone() }
}

/// What the checker does not accept.
fn convicted(collective: Collective, algorithm: &'static str, error: CheckError) -> CollectivesError {
    CollectivesError::Convicted { collective: collective.name(), algorithm, error: Box::new(error) }
}
