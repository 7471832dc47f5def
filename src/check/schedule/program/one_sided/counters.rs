//! The counters that thread blocks wait for: signals of channels, and semaphores of a GPU.

use super::super::ProgramFault;
use super::acts::{Act, PlanActs};
use super::clocks::Clocks;
use super::layout::{PlanBlockAt, PlanLayout};
use std::collections::{BTreeMap, VecDeque};

/// A signal that was sent and not yet waited for.
pub(super) struct SentSignal {
    pub(super) clocks: Clocks,
    pub(super) relaxed: bool,
}

/// The signals of one direction of a channel.
#[derive(Default)]
pub(super) struct SignalQueue {
    /// The only thread block that signals, and the only one that waits.
    pub(super) signaler: Option<usize>,
    pub(super) waiter: Option<usize>,
    sent: VecDeque<SentSignal>,
    taken: usize,
}

impl SignalQueue {
    pub(super) fn push(&mut self, clocks: Clocks, relaxed: bool) {
        self.sent.push_back(SentSignal { clocks, relaxed });
    }

    pub(super) fn take(&mut self) -> Option<SentSignal> {
        let signal = self.sent.pop_front()?;
        self.taken += 1;
        Some(signal)
    }

    /// Number of signals that nothing has waited for.
    pub(super) fn waiting(&self) -> usize {
        self.sent.len()
    }

    /// Number of signals that were waited for.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }
}

/// A semaphore of a GPU.
#[derive(Default)]
struct Semaphore {
    start: usize,
    /// What precedes each release, in order.
    releases: Vec<Clocks>,
    /// Releases and acquisitions of each thread block: all that it will do, and those done.
    releasers: BTreeMap<PlanBlockAt, usize>,
    acquired: BTreeMap<PlanBlockAt, usize>,
}

/// The semaphores of all GPUs.
pub(super) struct Semaphores {
    semaphores: BTreeMap<(u32, u32), Semaphore>,
    /// The number of thread blocks' processes, for empty clocks.
    empty: Clocks,
}

impl Semaphores {
    pub(super) fn new(layout: &PlanLayout<'_>, acts: &PlanActs) -> Self {
        let mut semaphores: BTreeMap<(u32, u32), Semaphore> = BTreeMap::new();
        for gpu in &layout.plan.gpus {
            for (number, semaphore) in (0..).zip(&gpu.semaphores) {
                let start = semaphore.init_value as usize;
                semaphores.insert((gpu.id, number), Semaphore { start, ..Semaphore::default() });
            }
        }
        for placed in acts.blocks.iter().flatten().flatten() {
            if let Act::Release(number) = placed.act
                && let Some(semaphore) = semaphores.get_mut(&(placed.place.at.gpu, number))
            {
                *semaphore.releasers.entry(placed.place.at).or_default() += 1;
            }
        }
        Self { semaphores, empty: Clocks::new(0) }
    }

    /// The first thread block that releases a semaphore.
    pub(super) fn releaser(&self, gpu: u32, number: u32) -> Option<PlanBlockAt> {
        self.semaphores.get(&(gpu, number))?.releasers.keys().next().copied()
    }

    pub(super) fn release(&mut self, at: PlanBlockAt, number: u32, clocks: &Clocks) {
        if let Some(semaphore) = self.semaphores.get_mut(&(at.gpu, number)) {
            semaphore.releases.push(clocks.clone());
        }
    }

    /// Acquires a semaphore. Returns what certainly precedes that, or `None` while it must wait.
    ///
    /// With one thread block that releases, the n-th acquisition of any thread block comes after its n-th
    /// release, less the start value. With several, only the last acquisition of all comes after all.
    pub(super) fn acquire(&mut self, at: PlanBlockAt, number: u32) -> Option<Clocks> {
        let semaphore = self.semaphores.get_mut(&(at.gpu, number))?;
        let all: usize = semaphore.acquired.values().sum();
        if all >= semaphore.start + semaphore.releases.len() {
            return None;
        }
        let own = semaphore.acquired.entry(at).or_default();
        let before = *own;
        *own += 1;
        if semaphore.releasers.len() == 1 {
            let release = before.checked_sub(semaphore.start);
            return Some(
                release.map_or_else(|| self.empty.clone(), |number| semaphore.releases[number].clone()),
            );
        }
        let mut clocks = self.empty.clone();
        let promised: usize = semaphore.releasers.values().sum();
        if all + 1 == semaphore.start + promised {
            for release in &semaphore.releases {
                match clocks.done.is_empty() {
                    true => clocks = release.clone(),
                    false => clocks.join(release),
                }
            }
        }
        Some(clocks)
    }

    /// Verifies that every semaphore ends as it starts, since the next run starts from there.
    ///
    /// # Errors
    /// The first semaphore that does not.
    pub(super) fn verify_balance(&self) -> Result<(), ProgramFault> {
        for ((gpu, number), semaphore) in &self.semaphores {
            let acquired: usize = semaphore.acquired.values().sum();
            let released = semaphore.releases.len();
            if acquired != released {
                return Err(ProgramFault::shape(format!(
                    "semaphore {number} of gpu {gpu} is released {released} times and acquired {acquired} times, so that the next run would start from another value"
                )));
            }
        }
        Ok(())
    }
}
