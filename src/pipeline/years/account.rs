//! Adds up what slices serve and lose in a run.
//!
//! In: the changes of slices, and what repairs make of broken parts. Out: the share of the time that is
//! served, and the shares that are lost by cause. A slice is in one state at any time, so the shares add up
//! to 1.
//!
//! A failure interrupts every running slice that has the part. The slice starts again when it has its cubes
//! and tables, and that takes the time of a restart. Tables that cannot be installed live are brought in
//! while a slice stands still. If it runs, it stops for that, and for another restart.

use super::outcome::{Outcome, OutcomeStep};
use super::play::{Loss, PlayedPod, SliceChange, Timeline};
use fabc_emit::{LossCause, MONTH_MS, OperatePolicy, PolicyCounts, TableChanges};

/// What a run serves and loses.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RunAccount {
    /// The share of the time of slices that is served.
    pub(super) capacity: f64,
    /// `[cause]`: the shares that are lost.
    pub(super) lost: [f64; 7],
    /// `[kind]`: the capacity of the slices of a kind.
    pub(super) kinds: Vec<f64>,
    /// The capacity month by month.
    pub(super) months: Vec<f64>,
    /// Failures that interrupted a running slice, and changes of tables.
    pub(super) counts: PolicyCounts,
}

/// What is needed to account for a run.
pub(super) struct Accounting<'a> {
    /// The pod that was played.
    pub(super) pod: &'a PlayedPod,
    /// Number of kinds of slices.
    pub(super) kinds: usize,
    /// The policy that was played.
    pub(super) policy: OperatePolicy,
    /// The time that was played, in months.
    pub(super) months: u32,
    /// The time of a restart, in milliseconds.
    pub(super) restart_ms: u64,
    /// `[kind][dark switches]`: the throughput that the build measured, relative to the healthy one.
    pub(super) flow: &'a [Vec<f64>],
    /// What a repair makes of a loss. Losses that were not asked for have none.
    pub(super) outcome: &'a dyn Fn(usize, &Loss) -> Outcome,
}

/// The tables that a slice gets for a loss.
#[derive(Clone, Copy, PartialEq, Debug)]
enum LossState {
    /// The tables of the healthy slice.
    Healthy,
    /// Tables for what is down.
    Repaired(Outcome),
    /// The slice stands still, for a cause.
    Stopped(LossCause),
}

/// A slice while its time is accounted for.
#[derive(Clone, Copy)]
struct SliceClock {
    /// Up to when its time is accounted for.
    since: u64,
    lacks: Option<LossCause>,
    state: LossState,
    /// What is down in it.
    loss: u32,
    /// The loss that its tables are for. `None`: nothing is down.
    tables: Option<u32>,
    /// Whether the change between the healthy tables and these can be live.
    live: bool,
    /// Whether it must restart before it serves.
    interrupted: bool,
    /// The time when its restart ends.
    restarted: u64,
    /// When new tables that are not live are installed, after the restart.
    installed: u64,
}

impl SliceClock {
    /// Whether it has its cubes and tables.
    fn can_run(&self) -> bool {
        self.lacks.is_none() && !matches!(self.state, LossState::Stopped(_))
    }
}

/// Sums of a run, in weighted milliseconds.
struct Sums {
    lost: [f64; 7],
    kinds: Vec<f64>,
    months: Vec<f64>,
}

impl Accounting<'_> {
    /// The account of a run.
    pub(super) fn account(&self, timeline: &Timeline) -> RunAccount {
        let states: Vec<LossState> =
            timeline.losses.iter().map(|(kind, loss)| self.loss_state(*kind, loss)).collect();
        let healthy = SliceClock {
            since: 0,
            lacks: None,
            state: LossState::Healthy,
            loss: u32::MAX,
            tables: None,
            live: true,
            interrupted: false,
            restarted: 0,
            installed: 0,
        };
        let mut clocks = vec![healthy; self.pod.slices.len()];
        let mut sums =
            Sums { lost: [0.0; 7], kinds: vec![0.0; self.kinds], months: vec![0.0; self.months as usize] };
        let mut counts =
            PolicyCounts { swaps: timeline.swaps, plans: timeline.plans, ..PolicyCounts::default() };
        for change in &timeline.changes {
            let clock = &mut clocks[change.slice as usize];
            self.pass(&mut sums, change.slice as usize, clock, change.at);
            self.apply(clock, change, states[change.loss as usize], &mut counts);
        }
        let end = u64::from(self.months) * MONTH_MS;
        for (slice, clock) in clocks.iter_mut().enumerate() {
            self.pass(&mut sums, slice, clock, end);
        }
        self.shares(sums, counts)
    }

    /// What a policy makes of a loss.
    fn loss_state(&self, kind: usize, loss: &Loss) -> LossState {
        if loss.is_empty() {
            return LossState::Healthy;
        }
        if loss.switches.len() > self.policy.faults as usize {
            return LossState::Stopped(LossCause::Dark);
        }
        let outcome = (self.outcome)(kind, loss);
        if outcome.step == OutcomeStep::None {
            return LossState::Stopped(LossCause::Unrepaired);
        }
        // For dark switches that the build measured, the availability in closed form takes the same values.
        let measured = self.flow[kind].get(loss.switches.len()).copied();
        let throughput = match measured {
            Some(measured) if loss.cables.is_empty() => measured,
            Some(measured) => outcome.throughput.min(measured),
            None => outcome.throughput,
        };
        LossState::Repaired(Outcome { throughput, ..outcome })
    }

    /// Takes a change of a slice whose time is accounted for up to it.
    fn apply(
        &self,
        clock: &mut SliceClock,
        change: &SliceChange,
        state: LossState,
        counts: &mut PolicyCounts,
    ) {
        let was_running = clock.can_run() && !clock.interrupted;
        if change.hit && clock.can_run() {
            counts.interruptions += u64::from(was_running);
            clock.interrupted = true;
        }
        let is_unrepaired = state == LossState::Stopped(LossCause::Unrepaired) && change.lacks.is_none();
        counts.tables.none += u64::from(is_unrepaired && clock.loss != change.loss);
        (clock.lacks, clock.state, clock.loss) = (change.lacks, state, change.loss);
        if !clock.can_run() {
            // A slice that stops without a failure has to start again as well.
            clock.interrupted = true;
            return;
        }
        let is_live = self.change_tables(clock, &mut counts.tables);
        if clock.interrupted {
            clock.interrupted = false;
            clock.restarted = change.at + self.restart_ms;
            clock.installed = clock.restarted;
        } else if !is_live {
            clock.installed = clock.installed.max(clock.restarted).max(change.at) + self.restart_ms;
        }
    }

    /// Gives a slice the tables for what is down in it. Returns whether they can be installed live.
    fn change_tables(&self, clock: &mut SliceClock, counts: &mut TableChanges) -> bool {
        let (tables, live) = match clock.state {
            LossState::Repaired(outcome) => (Some(clock.loss), outcome.live),
            LossState::Healthy | LossState::Stopped(_) => (None, true),
        };
        if tables == clock.tables {
            return true;
        }
        match clock.state {
            LossState::Repaired(outcome) => match outcome.step {
                OutcomeStep::Covered => counts.covered += 1,
                OutcomeStep::Local => counts.local += 1,
                OutcomeStep::Full => counts.full += 1,
                OutcomeStep::NewOrder => counts.new_order += 1,
                OutcomeStep::None => {}
            },
            LossState::Healthy | LossState::Stopped(_) => counts.back += 1,
        }
        // Both lead away from the healthy tables, or back to them.
        let is_live = live && clock.live;
        counts.not_live += u64::from(!is_live);
        (clock.tables, clock.live) = (tables, live);
        is_live
    }

    /// Accounts for the time of a slice up to `end`.
    fn pass(&self, sums: &mut Sums, slice: usize, clock: &mut SliceClock, end: u64) {
        let weight = self.pod.placement.slices[slice].cubes.len() as f64;
        let kind = self.pod.slices[slice].kind;
        let mut from = clock.since;
        while from < end {
            let month = from / MONTH_MS;
            // The state of the slice from here on, and when it ends.
            let (cause, throughput, until) = match (clock.lacks, clock.state) {
                (Some(cause), _) | (None, LossState::Stopped(cause)) => (cause, 0.0, end),
                _ if from < clock.restarted => (LossCause::Restart, 0.0, clock.restarted),
                _ if from < clock.installed => (LossCause::NotLive, 0.0, clock.installed),
                (None, LossState::Repaired(outcome)) => (LossCause::Flow, outcome.throughput, end),
                (None, LossState::Healthy) => (LossCause::Flow, 1.0, end),
            };
            let until = until.min(end).min((month + 1) * MONTH_MS);
            let time = (until - from) as f64 * weight;
            sums.lost[cause as usize] += time * (1.0 - throughput);
            sums.kinds[kind] += time * throughput;
            sums.months[month as usize] += time * throughput;
            from = until;
        }
        clock.since = end;
    }

    /// The shares that sums are of all time.
    fn shares(&self, sums: Sums, counts: PolicyCounts) -> RunAccount {
        let cubes_of = |kind: Option<usize>| {
            let slices = self.pod.slices.iter().zip(&self.pod.placement.slices);
            let chosen = slices.filter(|(played, _)| kind.is_none_or(|kind| played.kind == kind));
            chosen.map(|(_, held)| held.cubes.len() as f64).sum::<f64>()
        };
        let month = MONTH_MS as f64 * cubes_of(None);
        let all = month * f64::from(self.months);
        let of_kind = |(kind, served): (usize, f64)| {
            served / (cubes_of(Some(kind)) * MONTH_MS as f64 * f64::from(self.months))
        };
        RunAccount {
            capacity: sums.months.iter().sum::<f64>() / all,
            lost: sums.lost.map(|lost| lost / all),
            kinds: sums.kinds.into_iter().enumerate().map(of_kind).collect(),
            months: sums.months.into_iter().map(|served| served / month).collect(),
            counts,
        }
    }
}
