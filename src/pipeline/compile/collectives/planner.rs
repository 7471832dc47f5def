//! Plans the schedules of one scene. Each is made, checked and laid out once, however many sizes are
//! requested.

mod apart;

use super::algorithms::{Base, SceneSize, few_messages, plans_to_try};
use super::grouped::{copies_of_all, group_copies, group_plans, groups_of_scene};
use super::plans::{CheckedSchedule, FastestPlan, bounded, convicted, own_bounds};
use super::times::ScheduleTimes;
use super::unasked::{ForestUse, has_pair_paths};
use super::{CollectivesError, CollectivesRequest};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{
    Breadth, ChipGroups, CollectiveBound, CollectiveCost, CollectiveRow, ForwardingTables, MessageStarts,
    Neighbors, Scene, Schedule, Transfers,
};
use fabc_model::{Collective, CollectiveAlgorithm};
use fabc_passes::collective::{
    CollectiveError, ScheduleRequest, arrival_bounds, bound_delays, bounds, by_slots, by_steps,
    check_chunks_can_rest, derive_schedule, direct, flow_bound_by_lengths, forest, group_bounds, multitree,
    natural_chunks, pair_paths, pull, rooted, tightest_bound, trees,
};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The planner of a scene, with the results so far.
pub(super) struct Planner<'a> {
    scene: &'a Scene<'a>,
    pub(super) cost: CollectiveCost,
    request: Rc<CollectivesRequest>,
    /// The forwarding tables that messages follow.
    pub(super) tables: Option<&'a ForwardingTables>,
    /// Lengths of channel classes that may bound every all-to-all.
    pub(super) lengths: &'a [u64],
    /// The surviving routers without hosts that add.
    pub(super) adders: Vec<NodeId>,
    /// The bound of an all-reduce in which they do.
    switch_bound: Option<Option<CollectiveBound>>,
    /// The groups of chips that work at the same time, once they are known.
    groups: OnceCell<Option<ChipGroups>>,
    /// Whether chunks may rest, be copied and be added up on the way.
    rests: bool,
    /// Known once an algorithm is to be chosen.
    forest_use: OnceCell<ForestUse>,
    size: Option<SceneSize>,
    copies: BTreeMap<Base, Rc<Vec<Schedule>>>,
    checked: BTreeMap<(Collective, CollectiveAlgorithm, Base), Rc<Vec<CheckedSchedule>>>,
    bounds: BTreeMap<Collective, Rc<Vec<CollectiveBound>>>,
    /// For each collective, the delays of those of its bounds that were known.
    delays: BTreeMap<Collective, Rc<Vec<u128>>>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, cost: CollectiveCost, request: Rc<CollectivesRequest>) -> Self {
        Self {
            scene,
            cost,
            request,
            tables: None,
            lengths: &[],
            adders: Vec::new(),
            switch_bound: None,
            groups: OnceCell::new(),
            rests: check_chunks_can_rest(scene).is_ok(),
            forest_use: OnceCell::new(),
            size: None,
            copies: BTreeMap::new(),
            checked: BTreeMap::new(),
            bounds: BTreeMap::new(),
            delays: BTreeMap::new(),
        }
    }

    /// The groups of chips that work at the same time.
    fn groups(&self) -> Result<Option<&ChipGroups>, CollectivesError> {
        if let Some(groups) = self.groups.get() {
            return Ok(groups.as_ref());
        }
        let groups = groups_of_scene(self.scene, self.request.groups.as_ref())?;
        Ok(self.groups.get_or_init(|| groups).as_ref())
    }

    /// The candidates of a collective by time, with its bound.
    pub(super) fn row(
        &mut self,
        scenario: &str,
        collective: Collective,
        bytes: u64,
    ) -> Result<CollectiveRow, CollectivesError> {
        let size = self.size()?;
        let (mut candidates, mut left_out) = (Vec::new(), Vec::new());
        for algorithm in self.algorithms(collective) {
            match self.fastest_plan(collective, algorithm, bytes)? {
                Some(best) => {
                    candidates.push(best.candidate(algorithm, &self.cost, bytes, self.request.chunks))
                }
                None => left_out.push(algorithm),
            }
        }
        candidates.sort_by_key(|candidate| candidate.time.total());
        let bounds = self.all_bounds(collective)?;
        let delays = self.delays(collective, &bounds);
        let tightest = tightest_bound(&bounds, &delays, collective, &self.cost, bytes, size.chips);
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
            with_switches: self.with_switches(collective, bytes)?,
        })
    }

    /// The bounds on every schedule. The packing of trees may have found a tighter partition.
    fn all_bounds(&mut self, collective: Collective) -> Result<Vec<CollectiveBound>, CollectivesError> {
        let mut bounds = self.bounds(collective)?.to_vec();
        if self.request.groups.is_some() {
            return Ok(bounds);
        }
        let packed = self.checked.iter().filter(|((kind, algorithm, _), _)| {
            (*kind, *algorithm) == (collective, CollectiveAlgorithm::Trees)
        });
        for bound in packed.flat_map(|(_, plans)| plans.iter()).flat_map(|plan| &plan.schedule.bounds) {
            if !bounds.contains(bound) {
                bounds.push(bound.clone());
            }
        }
        Ok(bounds)
    }

    /// For each bound, the delay of the traffic that it counts.
    fn delays(&mut self, collective: Collective, bounds: &[CollectiveBound]) -> Rc<Vec<u128>> {
        if let Some(delays) = self.delays.get(&collective).filter(|delays| delays.len() == bounds.len()) {
            return Rc::clone(delays);
        }
        let delays = Rc::new(bound_delays(self.scene, &self.cost, collective, self.root(collective), bounds));
        self.delays.insert(collective, Rc::clone(&delays));
        delays
    }

    /// Whether a collective is little enough work to be planned unasked.
    pub(super) fn is_tried(&mut self, collective: Collective) -> Result<bool, CollectivesError> {
        let size = self.size()?;
        Ok(!self.is_sent(collective) || few_messages(&size))
    }

    /// Whether every usable algorithm sends messages along the tables.
    pub(super) fn is_sent(&self, collective: Collective) -> bool {
        self.algorithms(collective).all(CollectiveAlgorithm::follows_tables)
    }

    /// Whether several algorithms are tried for a collective.
    pub(super) fn has_choice(&self, collective: Collective) -> bool {
        self.algorithms(collective).count() > 1
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
        let FastestPlan { plans, index, chunks, .. } = self.expect_plan(collective, algorithm, bytes)?;
        // Add all known bounds, those of other algorithms too, since the row is judged by them.
        let bounds = self.all_bounds(collective)?;
        let schedule = Schedule { chunks, ..bounded(&plans[index].schedule, &bounds) };
        // The pieces of trees are counted here for the first time.
        self.check(&schedule)?;
        Ok(schedule)
    }

    /// The start times of the messages of the fastest schedule, if they are at most `most`.
    pub(super) fn starts(
        &mut self,
        collective: Collective,
        bytes: u64,
        most: u64,
    ) -> Result<MessageStarts, CollectivesError> {
        let algorithm = self.fastest_algorithm(collective, bytes)?;
        let FastestPlan { plans, index, chunks, .. } = self.expect_plan(collective, algorithm, bytes)?;
        let CheckedSchedule { schedule, times } = &plans[index];
        Ok(times.starts(self.scene, schedule, &self.cost, bytes, chunks, most))
    }

    /// The fastest plan of an algorithm that has one.
    fn expect_plan(
        &mut self,
        collective: Collective,
        algorithm: CollectiveAlgorithm,
        bytes: u64,
    ) -> Result<FastestPlan, CollectivesError> {
        self.fastest_plan(collective, algorithm, bytes)?
            .ok_or_else(|| CollectiveError::TooFew { chips: 0 }.into())
    }

    /// The algorithm with the fastest plan, of all that may be used.
    pub(super) fn fastest_algorithm(
        &mut self,
        collective: Collective,
        bytes: u64,
    ) -> Result<CollectiveAlgorithm, CollectivesError> {
        let mut best: Option<(u128, CollectiveAlgorithm)> = None;
        for algorithm in self.algorithms(collective) {
            if let Some(plan) = self.fastest_plan(collective, algorithm, bytes)?
                && best.is_none_or(|(least, _)| plan.total < least)
            {
                best = Some((plan.total, algorithm));
            }
        }
        let too_few = CollectiveError::TooFew { chips: self.size()?.chips as usize };
        Ok(best.ok_or(too_few)?.1)
    }

    /// The algorithms of a collective that may be used: the named one, or all that are useful. Messages send
    /// everything from its source to every destination. They are for scenes on which nothing better works.
    fn algorithms(&self, collective: Collective) -> impl Iterator<Item = CollectiveAlgorithm> + use<> {
        let in_groups = self.request.groups.is_some();
        let known = match in_groups {
            true => CollectiveAlgorithm::for_groups(collective),
            false => CollectiveAlgorithm::for_tables(collective),
        };
        let only = self.request.algorithm;
        let has_forest =
            only.is_none() && !in_groups && collective != Collective::AllToAll && self.has_forest(collective);
        let has_paths = only.is_none()
            && !in_groups
            && collective == Collective::AllToAll
            && has_pair_paths(self.scene, self.tables.is_some());
        // Next-hop groups are no tables that messages follow.
        let needs_direct = self.tables.is_some() || !has_forest && !has_paths;
        let rests = self.rests && collective != Collective::AllToAll;
        let is_useful = move |algorithm: &CollectiveAlgorithm| match algorithm {
            _ if in_groups => true,
            CollectiveAlgorithm::Direct => !rests && needs_direct,
            CollectiveAlgorithm::Forest => has_forest,
            CollectiveAlgorithm::Paths => has_paths,
            _ => rests,
        };
        known
            .iter()
            .copied()
            .filter(move |algorithm| only.map_or_else(|| is_useful(algorithm), |only| only == *algorithm))
    }

    /// Whether a forest is tried unasked.
    fn has_forest(&self, collective: Collective) -> bool {
        match self.forest_use.get_or_init(|| ForestUse::new(self.scene, self.rests)) {
            ForestUse::Never => false,
            ForestUse::Rooted => collective.is_rooted(),
            ForestUse::Unrooted => !collective.is_rooted(),
            ForestUse::Always => true,
        }
    }

    /// The fastest plan of an algorithm. `None` where all of its plans are too much work.
    fn fastest_plan(
        &mut self,
        collective: Collective,
        algorithm: CollectiveAlgorithm,
        bytes: u64,
    ) -> Result<Option<FastestPlan>, CollectivesError> {
        let size = self.size()?;
        let (requested, named) = (self.request.chunks, self.request.algorithm.is_some());
        let wanted = match self.groups()? {
            Some(groups) => {
                group_plans(self.scene, groups, algorithm, collective, self.tables.is_some(), named)
            }
            None => plans_to_try(algorithm, &size, &self.cost, bytes, requested, named),
        };
        self.grow_trees(collective, &wanted)?;
        let mut best: Option<FastestPlan> = None;
        for base in wanted {
            let plans = self.checked_plans(collective, algorithm, base)?;
            for (index, CheckedSchedule { schedule, times }) in plans.iter().enumerate() {
                let chunks = times.chunks(schedule, &self.cost, bytes, requested);
                let total = times.total(&self.cost, bytes, chunks);
                if best.as_ref().is_none_or(|best| total < best.total) {
                    best = Some(FastestPlan { base, plans: Rc::clone(&plans), index, chunks, total });
                }
            }
        }
        Ok(best)
    }

    /// The schedules of a collective that derive from a plan of copies, checked.
    fn checked_plans(
        &mut self,
        collective: Collective,
        algorithm: CollectiveAlgorithm,
        base: Base,
    ) -> Result<Rc<Vec<CheckedSchedule>>, CollectivesError> {
        let key = (collective, algorithm, base);
        if let Some(plans) = self.checked.get(&key) {
            return Ok(Rc::clone(plans));
        }
        let copies = self.copies(collective, base)?;
        let mut plans = Vec::with_capacity(copies.len());
        for copy in copies.iter() {
            let schedule = match &copy.transfers {
                Transfers::Rounds(_) => derive_schedule(self.scene, copy, collective, algorithm)?,
                // The packing of trees itself finds the tightest partition.
                Transfers::Trees(_) | Transfers::Timed(_) => copy.clone(),
                Transfers::Forest(_) | Transfers::Paths(_) if copy.groups.is_some() => {
                    let own = Schedule { bounds: own_bounds(copy, collective), ..copy.clone() };
                    Schedule { collective, ..bounded(&own, &self.bounds(collective)?) }
                }
                Transfers::Forest(_) | Transfers::Paths(_) => {
                    Schedule { collective, bounds: self.bounds(collective)?.to_vec(), ..copy.clone() }
                }
                // What is sent from a root differs from what is sent to one.
                Transfers::Sends(_) if copy.root.is_some() => copy.clone(),
                Transfers::Sends(_) => bounded(
                    &derive_schedule(self.scene, copy, collective, algorithm)?,
                    &self.bounds(collective)?,
                ),
            };
            self.check(&schedule)?;
            let times = ScheduleTimes::new(self.scene, &schedule, self.tables)?;
            plans.push(CheckedSchedule { schedule, times });
        }
        let plans = Rc::new(plans);
        self.checked.insert(key, Rc::clone(&plans));
        Ok(plans)
    }

    fn copies(&mut self, collective: Collective, base: Base) -> Result<Rc<Vec<Schedule>>, CollectivesError> {
        if let Some(copies) = self.copies.get(&base) {
            return Ok(Rc::clone(copies));
        }
        if self.request.groups.is_some() {
            return self.group_copies(collective, base);
        }
        let seed = self.request.seed;
        let request = |chunks, latency| ScheduleRequest { chunks: Some(chunks), seed, latency };
        if let (Base::Direct(chunks, latency), Some(root)) = (base, self.root(collective)) {
            let tables = self.tables.ok_or(CollectiveError::Untabled)?;
            let request = request(chunks, latency);
            return Ok(Rc::new(vec![rooted(self.scene, tables, collective, root, request)?]));
        }
        if let (Base::Forest(parts), Some(root)) = (base, self.root(collective)) {
            return Ok(Rc::new(vec![forest(self.scene, Some(root), parts, request(1, 0))?]));
        }
        let copies = match (base, self.request.root) {
            (Base::Steps(chunks), _) => by_steps(self.scene, request(chunks, 0))?,
            (Base::Slots(chunks, latency), _) => vec![by_slots(self.scene, request(chunks, latency))?],
            (Base::MultiTree, _) => vec![multitree(self.scene, request(1, 0))?],
            (Base::Pull(chunks, latency), Some(root)) => {
                vec![pull(self.scene, root, request(chunks, latency))?]
            }
            (Base::Pull(..), None) => Vec::new(),
            (Base::Trees, _) => vec![trees(self.scene, ScheduleRequest { chunks: None, ..request(1, 0) })?],
            (Base::Direct(chunks, latency), _) => {
                let tables = self.tables.ok_or(CollectiveError::Untabled)?;
                vec![direct(self.scene, tables, request(chunks, latency))?]
            }
            (Base::Forest(parts), _) => vec![forest(self.scene, None, parts, request(1, 0))?],
            (Base::Paths, _) => {
                let known = self.bounds(collective)?;
                pair_paths(self.scene, &known, request(1, 0))?
            }
            // Plans of groups.
            _ => Vec::new(),
        };
        let copies = Rc::new(copies);
        self.copies.insert(base, Rc::clone(&copies));
        Ok(copies)
    }

    /// Makes the plans of trees in groups at the same time, since they take longest.
    fn grow_trees(&mut self, collective: Collective, wanted: &[Base]) -> Result<(), CollectivesError> {
        let is_new = |base: &Base| matches!(base, Base::Relayed(_)) && !self.copies.contains_key(base);
        let grown: Vec<Base> = wanted.iter().copied().filter(is_new).collect();
        if collective != Collective::AllToAll && grown.len() > 1 {
            let bounds = self.bounds(Collective::AllGather)?;
            let copies = copies_of_all(self.scene, self.groups()?, &grown, &bounds, self.request.seed)?;
            self.copies.extend(grown.into_iter().zip(copies.into_iter().map(Rc::new)));
        }
        Ok(())
    }

    /// The copies of a plan in groups.
    fn group_copies(
        &mut self,
        collective: Collective,
        base: Base,
    ) -> Result<Rc<Vec<Schedule>>, CollectivesError> {
        let of_copies = match collective {
            Collective::AllToAll => Collective::AllToAll,
            _ => Collective::AllGather,
        };
        let bounds = self.bounds(of_copies)?;
        let Some(groups) = self.groups()? else { return Ok(Rc::new(Vec::new())) };
        let copies = group_copies(self.scene, groups, base, self.tables, &bounds, self.request.seed)?;
        let copies = Rc::new(copies);
        self.copies.insert(base, Rc::clone(&copies));
        Ok(copies)
    }

    fn bounds(&mut self, collective: Collective) -> Result<Rc<Vec<CollectiveBound>>, CollectivesError> {
        if let Some(bounds) = self.bounds.get(&collective) {
            return Ok(Rc::clone(bounds));
        }
        if let Some(groups) = self.groups()? {
            let mut bounds = group_bounds(self.scene, collective, groups, self.lengths)?;
            bounds.extend(arrival_bounds(self.scene, &self.cost, collective, None, Some(groups)));
            fabc_check::verify_group_bounds(self.scene, collective, groups, &bounds)
                .map_err(|error| convicted(collective, "bound", error))?;
            let bounds = Rc::new(bounds);
            self.bounds.insert(collective, Rc::clone(&bounds));
            return Ok(bounds);
        }
        let root = self.root(collective);
        let mut bounds = bounds(self.scene, collective, root)?;
        if collective == Collective::AllToAll {
            bounds.extend(flow_bound_by_lengths(self.scene, self.lengths));
        }
        bounds.extend(arrival_bounds(self.scene, &self.cost, collective, root, None));
        fabc_check::verify_collective_bounds(self.scene, collective, root, &bounds)
            .map_err(|error| convicted(collective, "bound", error))?;
        let bounds = Rc::new(bounds);
        self.bounds.insert(collective, Rc::clone(&bounds));
        Ok(bounds)
    }

    /// Has the checker replay a schedule.
    fn check(&self, schedule: &Schedule) -> Result<(), CollectivesError> {
        let replayed = match (schedule.follows_tables(), self.tables) {
            (true, Some(tables)) => fabc_check::verify_message_schedule(self.scene, tables, schedule),
            _ => fabc_check::verify_schedule(self.scene, schedule),
        };
        replayed.map_err(|error| convicted(schedule.collective, schedule.algorithm.name(), error))
    }

    fn root(&self, collective: Collective) -> Option<NodeId> {
        self.request.root.filter(|_| collective.is_rooted())
    }

    fn size(&mut self) -> Result<SceneSize, CollectivesError> {
        if let Some(size) = self.size {
            return Ok(size);
        }
        let natural = natural_chunks(self.scene)?;
        let symmetry = self.scene.topology.symmetry();
        let classes =
            if self.scene.keeps_symmetry() { symmetry.class_count() } else { symmetry.node_count() };
        let farthest = self.request.root.filter(|&root| self.scene.is_endpoint(root)).map_or(0, |root| {
            let mut breadth = Breadth::default();
            Neighbors::into_of(self.scene).search(root, &mut breadth);
            self.scene.endpoints().map(|chip| breadth.hops[chip.index()]).max().unwrap_or(0)
        });
        let degree =
            self.scene.endpoints().map(|chip| self.scene.channels_into(chip).count()).min().unwrap_or(1);
        let all_chips = self.scene.endpoints().count() as u64;
        let chips = self.groups()?.map_or(all_chips, ChipGroups::size);
        let tabled = self.tables.map_or(symmetry.node_count(), |tables| tables.symmetry.class_count());
        let senders = classes.max(tabled) as u64;
        let size =
            SceneSize { chips, classes: classes as u64, senders, natural, degree: degree as u32, farthest };
        self.size = Some(size);
        Ok(size)
    }
}
