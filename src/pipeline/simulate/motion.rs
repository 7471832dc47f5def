//! Plans in motion: the schedule of a collective, or a phase of a job, runs through the simulator, message by
//! message, and each message waits for those whose data it needs.
//!
//! In: a scenario with its tables, and a plan with its time. Out: the cycles that routers take for it. A long
//! plan is cut: every operation moves the same part of its bytes, once. A part is enough, since what its
//! channels carry grows with the bytes, and how well routers keep them busy does not.

use crate::compile::collectives::{CollectivesError, channel_cost, plan_declared, timed_starts};
use fabc_base::ids::NodeId;
use fabc_base::progress::Silent;
use fabc_emit::{ClosedTrace, MotionRow, ProgramError, TraceSettings, flits_of_bits};
use fabc_ir::{
    ATTOSECONDS, ChipGroups, CollectiveCost, ForwardingTables, JobOutcome, JobPhaseOutcome, MessageStarts,
    ScenarioTables, Scene, Schedule,
};
use fabc_job_plan::{message_pairs, operation_groups};
use fabc_model::{
    DeclaredCollective, Fabric, HostPorts, Job, JobOperation, JobOperationKind, JobPhase, RouterModel,
    SimulationParameters, Traffic, TrafficDetails,
};
use fabc_sim::{SimError, read_trace, simulate};

/// The cycles that the part of a plan takes which is run, about.
const CYCLES: u128 = 30_000;

/// The longest packet that is chosen, in flits.
const LONGEST: u32 = 32;

/// Longer packets may fill up so many flits more, in percent.
const FILLED: u128 = 2;

/// Why a plan does not run in motion.
#[derive(Debug)]
pub enum MotionError {
    /// The simulator refuses it, or packets wait for each other for ever.
    Simulated(SimError),
    /// Its messages are too many, or have times of their own.
    Written(ProgramError),
    /// The collective has no schedule.
    Planned(CollectivesError),
}

impl MotionError {
    /// The exit code of a process that ends because of it.
    pub fn exit_code(&self) -> u8 {
        match self {
            MotionError::Simulated(error) => error.exit_code(),
            MotionError::Written(_) => 2,
            MotionError::Planned(error) => error.exit_code(),
        }
    }
}

/// Where plans are set in motion: a scenario, and the routers of a simulation.
pub struct MotionSite<'a> {
    /// The fabric of the plans.
    pub fabric: &'a Fabric,
    /// The surviving part of the fabric.
    pub scene: &'a Scene<'a>,
    /// The name of the scenario.
    pub scenario: &'a str,
    /// The tables that packets follow, of either kind.
    pub followed: &'a ScenarioTables,
    /// The tables that plans follow. `None` where there are many paths.
    pub tables: Option<&'a ForwardingTables>,
    /// The routers. Traffic, and where not given the length of packets, follow from the plan.
    pub parameters: &'a SimulationParameters,
    /// Whether the length of packets is given.
    pub has_packet: bool,
}

/// A plan that is to be run, with the part of its bytes.
struct CutPlan {
    name: String,
    trace: ClosedTrace,
    parts: u128,
    /// The time of that part by the plan, in attoseconds.
    planned: u128,
}

impl MotionSite<'_> {
    /// Runs a declared collective.
    ///
    /// # Errors
    /// [`MotionError`] where it has no schedule, or the schedule cannot be run.
    pub fn collective(&self, declared: &DeclaredCollective) -> Result<MotionRow, MotionError> {
        let planned = plan_declared(self.fabric, self.scene, self.tables, declared);
        let (schedule, cost) = planned.map_err(MotionError::Planned)?;
        let whole = self.starts(&schedule, &cost, declared.size)?;
        let parts = self.parts_of(whole.end);
        let bytes = part_of(declared.size.into(), parts);
        let mut trace = ClosedTrace::default();
        let planned = self.add_schedule(&mut trace, &schedule, &cost, bytes)?;
        self.run(CutPlan { name: declared.name.clone(), trace, parts, planned })
    }

    /// Runs every phase of a job that moves data, each by itself.
    ///
    /// # Errors
    /// [`MotionError`] where a phase cannot be run.
    pub fn job(
        &self,
        job: &Job,
        ranks: &[NodeId],
        outcome: &JobOutcome,
    ) -> Result<Vec<MotionRow>, MotionError> {
        let phases = job.phases.iter().zip(&outcome.phases);
        let moving = phases.filter(|(phase, _)| !phase.operations.is_empty());
        moving.map(|(phase, planned)| self.run(self.phase(job, ranks, phase, planned)?)).collect()
    }

    /// A phase, with the same part of the bytes of all of its operations.
    fn phase(
        &self,
        job: &Job,
        ranks: &[NodeId],
        phase: &JobPhase,
        planned: &JobPhaseOutcome,
    ) -> Result<CutPlan, MotionError> {
        let parts = self.parts_of(planned.volume);
        let cost = channel_cost(self.fabric, self.scene, job.overhead_ps, false);
        let mut trace = ClosedTrace::default();
        let mut latency = 0;
        for (operation, outcome) in phase.operations.iter().zip(&planned.operations) {
            // Latencies of a job count every run, and here it runs once.
            latency = latency.max(outcome.latency / u128::from(operation.times));
            let bytes = part_of(operation.skewed_bytes(), parts);
            match &outcome.schedule {
                Some(schedule) => {
                    self.add_schedule(&mut trace, schedule, &cost, bytes)?;
                }
                None => {
                    let groups = operation_groups(job, operation, ranks);
                    self.add_messages(&mut trace, operation, &groups, &cost, bytes)?;
                }
            }
        }
        Ok(CutPlan { name: phase.name.clone(), trace, parts, planned: planned.volume / parts + latency })
    }

    /// Into how many parts a plan of so many attoseconds is cut.
    fn parts_of(&self, attoseconds: u128) -> u128 {
        (attoseconds * u128::from(self.fabric.clock_hz)).div_ceil(ATTOSECONDS).div_ceil(CYCLES).max(1)
    }

    fn starts(
        &self,
        schedule: &Schedule,
        cost: &CollectiveCost,
        bytes: u64,
    ) -> Result<MessageStarts, MotionError> {
        let failed = |error: CollectivesError| MotionError::Planned(error.in_scenario(self.scenario));
        timed_starts(self.scene, schedule, self.tables, cost, bytes).map_err(failed)
    }

    /// Adds a schedule, and returns its time in attoseconds.
    fn add_schedule(
        &self,
        trace: &mut ClosedTrace,
        schedule: &Schedule,
        cost: &CollectiveCost,
        bytes: u64,
    ) -> Result<u128, MotionError> {
        let starts = self.starts(schedule, cost, bytes)?;
        let settings = TraceSettings {
            fabric: &self.fabric.name,
            scenario: self.scenario,
            bytes,
            clock_hz: self.fabric.clock_hz,
            cost,
            starts: &starts,
        };
        trace.add_schedule(self.scene, schedule, &settings).map_err(MotionError::Written)?;
        Ok(starts.end)
    }

    /// Adds the messages of an operation that sends data of its own from each source to its destination.
    fn add_messages(
        &self,
        trace: &mut ClosedTrace,
        operation: &JobOperation,
        groups: &ChipGroups,
        cost: &CollectiveCost,
        bytes: u64,
    ) -> Result<(), MotionError> {
        let pairs = message_pairs(operation.kind, groups);
        let sharers = match operation.kind {
            JobOperationKind::Send { .. } => 1,
            JobOperationKind::Collective(_) => groups.size(),
        };
        let bits = (u128::from(bytes) * 8).div_ceil(sharers.into());
        let flits = flits_of_bits(bits, cost, self.fabric.clock_hz);
        trace.add_messages(&pairs, flits).map_err(MotionError::Written)
    }

    /// Runs a plan until all of it has arrived.
    fn run(&self, plan: CutPlan) -> Result<MotionRow, MotionError> {
        let text = plan.trace.text(self.scene);
        let trace = read_trace(&plan.name, &text).map_err(MotionError::Simulated)?;
        let packet = if self.has_packet { self.parameters.packet } else { self.packet(&plan.trace) };
        let hosts = match (self.parameters.hosts, self.parameters.model) {
            (None, RouterModel::Packet) => Some(HostPorts::Unlimited),
            (hosts, _) => hosts,
        };
        let details = TrafficDetails { trace: Some(trace), ..TrafficDetails::default() };
        let parameters = SimulationParameters {
            traffic: Traffic::Trace,
            details,
            packet,
            hosts,
            ..self.parameters.clone()
        };
        let failed = MotionError::Simulated;
        let prepared =
            fabc_sim::prepare(self.fabric, self.scene, self.followed, &parameters).map_err(failed)?;
        let report = simulate(&prepared, &[], &[parameters.seed], false, &Silent).map_err(failed)?;
        Ok(MotionRow::new(plan.name, plan.parts, plan.planned, self.fabric.clock_hz, report))
    }

    /// The longest packets for which the last packets of all messages, which are filled up, add hardly more
    /// flits than for any other length.
    fn packet(&self, trace: &ClosedTrace) -> u32 {
        let longest = LONGEST.min(self.fabric.router.buffer_flits / 2).max(1);
        let filled = |packet: u32| -> u128 {
            let packet = u64::from(packet);
            trace.flits().map(|flits| u128::from(flits.div_ceil(packet) * packet)).sum()
        };
        let sums: Vec<(u32, u128)> = (1..=longest).map(|packet| (packet, filled(packet))).collect();
        let least = sums.iter().map(|(_, sum)| *sum).min().unwrap_or(0);
        let is_near = |sum: u128| sum * 100 <= least * (100 + FILLED);
        sums.into_iter().rev().find(|(_, sum)| is_near(*sum)).map_or(1, |(packet, _)| packet)
    }
}

/// One of so many equal parts of some bytes, rounded up.
fn part_of(bytes: u128, parts: u128) -> u64 {
    u64::try_from(bytes.div_ceil(parts)).unwrap_or(u64::MAX)
}
