//! Plays failures through the placement of a pod, under a policy.
//!
//! In: the failures of a run, and a policy. Out: what changes for every slice and when. The placement itself
//! decides which cube takes the place of another one: every failure is a step of `fabc place` (`--down`,
//! `--swap`, `--up`). Which tables a slice gets does not change its cubes, so it is decided afterwards.

use super::failures::{History, PartEvent};
use super::parts::{Part, PodParts};
use fabc_base::ids::{BlockId, OcsId};
use fabc_emit::{CableResponse, DAY_MS, LossCause, NightWindow, OperatePolicy, SwapTime};
use fabc_ir::{PlaceStep, SlicePlacement};
use fabc_passes::slices::Placing;
use std::collections::{BTreeMap, BTreeSet};

/// A slice of a pod that is played.
#[derive(Clone, Debug)]
pub(super) struct PlayedSlice {
    /// The number of its kind.
    pub(super) kind: usize,
    /// `[switch of the pod]`: the switch of the kind. `None` where the slice does not use it.
    pub(super) switches: Vec<Option<OcsId>>,
}

/// A pod that is played.
pub(super) struct PlayedPod {
    /// The placement at the beginning.
    pub(super) placement: SlicePlacement,
    /// `[slice of the placement]`: its kind and its switches.
    pub(super) slices: Vec<PlayedSlice>,
    /// The parts that fail, by number.
    pub(super) parts: PodParts,
}

/// A broken cable of a slice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct LostCable {
    /// The place of its cube in the slice.
    pub(super) place: u32,
    /// Its number in the cube.
    pub(super) cable: u32,
}

/// What is down in a slice, in the names of its kind.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Loss {
    /// The dark switches of the kind, ascending.
    pub(super) switches: Vec<OcsId>,
    /// The broken cables of the slice, ascending.
    pub(super) cables: Vec<LostCable>,
}

impl Loss {
    /// Whether nothing is down in the slice.
    pub(super) fn is_empty(&self) -> bool {
        self.switches.is_empty() && self.cables.is_empty()
    }
}

/// A change of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SliceChange {
    /// The time of the change, in milliseconds.
    pub(super) at: u64,
    /// The number of the slice.
    pub(super) slice: u32,
    /// Why it lacks a cube. `None` if it has all of them.
    pub(super) lacks: Option<LossCause>,
    /// What is down in it: an index into [`Timeline::losses`].
    pub(super) loss: u32,
    /// Whether a part of it has just failed.
    pub(super) hit: bool,
}

/// Swaps of one time in one slice: the kind of the slice, and the places in it that get other cubes.
pub(super) type SwappedPlaces = (usize, Vec<u32>);

/// The placements before and after swaps.
#[derive(Clone, Debug)]
pub(super) struct SwapExample {
    /// The placement that is live.
    pub(super) before: SlicePlacement,
    /// The placement after the swaps.
    pub(super) after: SlicePlacement,
}

/// What happened to the slices of a pod.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline {
    /// The changes, ascending by time.
    pub(super) changes: Vec<SliceChange>,
    /// All sets of broken parts, each with the kind of its slices.
    pub(super) losses: Vec<(usize, Loss)>,
    /// Number of cubes that others replaced.
    pub(super) swaps: u64,
    /// Number of times at which cubes were replaced.
    pub(super) plans: u64,
    /// How often the same places of a kind were swapped, with an example.
    pub(super) swapped: BTreeMap<SwappedPlaces, (u64, SwapExample)>,
}

/// A cube of a slice that is down and was not replaced.
struct WaitingCube {
    cube: BlockId,
    /// Whether no cube could take its place when that was tried.
    is_short: bool,
}

/// A pod while it is played.
struct Play<'a> {
    pod: &'a PlayedPod,
    placing: Placing<'a>,
    policy: OperatePolicy,
    /// The time of the last event.
    now: u64,
    placement: SlicePlacement,
    hosts_down: Vec<u32>,
    cables_down: Vec<BTreeSet<u32>>,
    dark: BTreeSet<OcsId>,
    /// In the order of their failures.
    waiting: Vec<WaitingCube>,
    /// Cubes outside slices that the policy does not use.
    unused: BTreeSet<BlockId>,
    loss_numbers: BTreeMap<(usize, Loss), u32>,
    timeline: Timeline,
}

/// Plays a run under a policy.
pub(super) fn play<'a>(
    pod: &'a PlayedPod,
    placing: Placing<'a>,
    history: &History,
    policy: OperatePolicy,
    night: NightWindow,
) -> Timeline {
    let mut play = Play::new(pod, placing, policy);
    for &event in &history.events {
        if policy.swap == SwapTime::AtNight && !play.waiting.is_empty() {
            // Windows open before this event. One is enough: nothing changes from one to the next.
            let earliest = next_night(play.now, night);
            if earliest <= event.at {
                play.swap_waiting(earliest);
            }
        }
        let is_open = match policy.swap {
            SwapTime::AtOnce => true,
            SwapTime::AtNight => is_night(event.at, night),
            SwapTime::Never => false,
        };
        play.now = event.at;
        play.take(event, is_open);
    }
    play.timeline
}

impl<'a> Play<'a> {
    fn new(pod: &'a PlayedPod, placing: Placing<'a>, policy: OperatePolicy) -> Self {
        let mut placement = pod.placement.clone();
        let cubes = pod.parts.cubes;
        // Spare cubes come before free ones, as they do when a cube is swapped.
        let others = placement.spare.iter().copied().chain(placement.free(cubes));
        let working: Vec<BlockId> = others.filter(|cube| !placement.down.contains(cube)).collect();
        let unused = working.into_iter().skip(policy.spare as usize);
        let unused: BTreeSet<BlockId> = placement.down.iter().copied().chain(unused).collect();
        placement.down.clone_from(&unused);
        Self {
            pod,
            placing,
            policy,
            now: 0,
            placement,
            hosts_down: vec![0; cubes as usize],
            cables_down: vec![BTreeSet::new(); cubes as usize],
            dark: BTreeSet::new(),
            waiting: Vec::new(),
            unused,
            loss_numbers: BTreeMap::new(),
            timeline: Timeline::default(),
        }
    }

    /// Takes a failure or a repair.
    fn take(&mut self, PartEvent { at, part, down }: PartEvent, may_swap: bool) {
        match self.pod.parts.part(part) {
            Part::Ocs(ocs) => {
                if down {
                    self.dark.insert(ocs)
                } else {
                    self.dark.remove(&ocs)
                };
                for slice in 0..self.pod.slices.len() {
                    if self.pod.slices[slice].switches[ocs.0 as usize].is_some() {
                        self.record(at, slice, down);
                    }
                }
            }
            Part::Host(cube) => {
                let was_out = self.is_out(cube);
                let count = &mut self.hosts_down[cube.0 as usize];
                *count = if down { *count + 1 } else { *count - 1 };
                self.cube_changed(at, cube, was_out, may_swap);
            }
            Part::Cable(cube, cable) => {
                let was_out = self.is_out(cube);
                let cables = &mut self.cables_down[cube.0 as usize];
                if down {
                    cables.insert(cable)
                } else {
                    cables.remove(&cable)
                };
                if was_out == self.is_out(cube) {
                    if let Some((slice, _)) = self.owner(cube).filter(|_| !was_out) {
                        self.record(at, slice, down);
                    }
                } else {
                    self.cube_changed(at, cube, was_out, may_swap);
                }
            }
        }
    }

    /// Whether a cube is out of service.
    fn is_out(&self, cube: BlockId) -> bool {
        let by_cables = self.policy.cables == CableResponse::Swap;
        self.hosts_down[cube.0 as usize] > 0 || (by_cables && !self.cables_down[cube.0 as usize].is_empty())
    }

    /// The slice that has a cube, and the place of the cube in it.
    fn owner(&self, cube: BlockId) -> Option<(usize, u32)> {
        self.placement.slices.iter().enumerate().find_map(|(slice, held)| {
            let place = held.cubes.iter().position(|&own_cube| own_cube == cube)?;
            Some((slice, place as u32))
        })
    }

    /// Follows a cube that leaves service, or comes back.
    fn cube_changed(&mut self, at: u64, cube: BlockId, was_out: bool, may_swap: bool) {
        let is_out = self.is_out(cube);
        if was_out == is_out || self.unused.contains(&cube) {
            return;
        }
        match (is_out, self.owner(cube)) {
            (true, Some((slice, _))) => {
                self.waiting.push(WaitingCube { cube, is_short: false });
                let swapped = if may_swap { self.try_swaps() } else { BTreeSet::new() };
                debug_assert!(swapped.iter().all(|&other| other == slice), "others waited in vain before");
                self.record(at, slice, true);
            }
            (true, None) => self.step(&[PlaceStep::Down(cube.0)]),
            (false, Some((slice, _))) => {
                self.waiting.retain(|waiting| waiting.cube != cube);
                self.record(at, slice, false);
            }
            (false, None) => {
                self.step(&[PlaceStep::Up(cube.0)]);
                if may_swap {
                    self.swap_waiting(at);
                }
            }
        }
    }

    /// Makes steps that are always possible.
    fn step(&mut self, steps: &[PlaceStep]) {
        if let Ok(placement) = self.placing.after(&self.placement, steps) {
            self.placement = placement;
        }
    }

    /// Replaces cubes that wait, as far as there are others.
    fn swap_waiting(&mut self, at: u64) {
        for slice in self.try_swaps() {
            self.record(at, slice, false);
        }
    }

    /// Replaces cubes that wait, the first to fail first. Returns the slices that got other cubes.
    fn try_swaps(&mut self) -> BTreeSet<usize> {
        let before = self.placement.clone();
        let mut swapped: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for mut waiting in std::mem::take(&mut self.waiting) {
            let cube = waiting.cube;
            let steps = [PlaceStep::Down(cube.0), PlaceStep::Swap(cube.0, None)];
            match (self.placing.after(&self.placement, &steps), self.owner(cube)) {
                (Ok(placement), Some((slice, place))) => {
                    self.placement = placement;
                    swapped.entry(slice).or_default().push(place);
                }
                _ => {
                    waiting.is_short = true;
                    self.waiting.push(waiting);
                }
            }
        }
        if !swapped.is_empty() {
            self.timeline.plans += 1;
        }
        for (&slice, places) in &mut swapped {
            places.sort_unstable();
            self.timeline.swaps += places.len() as u64;
            let key = (self.pod.slices[slice].kind, places.clone());
            // Only this slice moves in the example.
            let mut after = before.clone();
            after.slices[slice].clone_from(&self.placement.slices[slice]);
            let example = || SwapExample { before: before.clone(), after };
            self.timeline.swapped.entry(key).or_insert_with(|| (0, example())).0 += 1;
        }
        swapped.into_keys().collect()
    }

    /// Records the state of a slice. `hit`: whether a part of it has just failed.
    fn record(&mut self, at: u64, slice: usize, hit: bool) {
        let (held, played) = (&self.placement.slices[slice], &self.pod.slices[slice]);
        let mut own_waiting =
            self.waiting.iter().filter(|waiting| held.cubes.contains(&waiting.cube)).peekable();
        let lacks = own_waiting.peek().is_some().then(|| {
            let is_short = own_waiting.any(|waiting| waiting.is_short) || self.policy.swap == SwapTime::Never;
            if is_short { LossCause::Spare } else { LossCause::Window }
        });
        let mut switches: Vec<OcsId> =
            self.dark.iter().filter_map(|ocs| played.switches[ocs.0 as usize]).collect();
        switches.sort_unstable();
        let cables = (0u32..).zip(&held.cubes).flat_map(|(place, cube)| {
            self.cables_down[cube.0 as usize].iter().map(move |&cable| LostCable { place, cable })
        });
        // Where broken cables take cubes out of service, a slice that has its cubes has none of them.
        let loss = match self.policy.cables {
            CableResponse::Around => Loss { switches, cables: cables.collect() },
            CableResponse::Swap => Loss { switches, cables: Vec::new() },
        };
        let losses = &mut self.timeline.losses;
        let loss = *self.loss_numbers.entry((played.kind, loss)).or_insert_with_key(|key| {
            losses.push(key.clone());
            losses.len() as u32 - 1
        });
        self.timeline.changes.push(SliceChange { at, slice: slice as u32, lacks, loss, hit });
    }
}

/// The number of milliseconds of a minute.
const MINUTE_MS: u64 = 60_000;

/// Whether a time is in the window.
fn is_night(at: u64, NightWindow { from, to }: NightWindow) -> bool {
    let [from, to] = [from, to].map(|minutes| u64::from(minutes) * MINUTE_MS);
    let time = at % DAY_MS;
    if from < to { (from..to).contains(&time) } else { time >= from || time < to }
}

/// The first time from `at` on that is the beginning of a window.
fn next_night(at: u64, night: NightWindow) -> u64 {
    let from = u64::from(night.from) * MINUTE_MS;
    let midnight = at - at % DAY_MS;
    if at <= midnight + from { midnight + from } else { midnight + DAY_MS + from }
}
