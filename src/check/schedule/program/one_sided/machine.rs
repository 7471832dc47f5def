//! Runs the thread blocks of a plan. Each continues until all are done or all wait.
//!
//! Every channel direction and semaphore has one thread block that signals and one that waits, so that the
//! n-th wait always meets the same signal. Hence the run does not depend on which thread block continues
//! first, and one order decides whether all end, and with which result.

use super::super::ProgramFault;
use super::acts::{Act, DataAct, PlacedAct, PlanActs};
use super::cells::{Access, Actor, PlanMemory, step};
use super::clocks::Clocks;
use super::counters::{Semaphores, SignalQueue};
use super::layout::{PlanBlockAt, PlanLayout, Wire};
use fabc_base::ids::NodeId;
use std::collections::BTreeMap;

/// The progress of a thread block.
struct PlanBlock {
    at: PlanBlockAt,
    /// Number of acts that are done.
    done: u32,
    /// What precedes its next act.
    clocks: Clocks,
    /// What precedes its acts after the next meeting of its threads.
    awaited: Clocks,
}

/// The proxy of a port channel.
struct Proxy {
    process: u32,
    done: u32,
    clocks: Clocks,
}

/// By source and destination: the cells that moved between two GPUs.
pub(super) type MovedCells = BTreeMap<(u32, u32), u64>;

/// A plan while it runs.
pub(super) struct PlanMachine<'a> {
    acts: Vec<&'a [PlacedAct]>,
    gpus: u32,
    processes: usize,
    blocks: Vec<PlanBlock>,
    proxies: BTreeMap<Wire, Proxy>,
    signals: BTreeMap<Wire, SignalQueue>,
    semaphores: Semaphores,
    /// By GPU and number: the thread blocks that have arrived.
    barriers: BTreeMap<(u32, u32), Vec<usize>>,
    memory: PlanMemory,
    moved: MovedCells,
}

/// The processes of a plan: thread blocks, proxies, and starts of GPUs, in this order.
pub(super) struct Processes {
    blocks: usize,
    proxies: Vec<Wire>,
    gpus: usize,
}

impl Processes {
    pub(super) fn new(acts: &PlanActs) -> Self {
        let blocks = acts.blocks.iter().map(Vec::len).sum();
        let mut proxies: Vec<Wire> = Vec::new();
        for placed in acts.blocks.iter().flatten().flatten() {
            proxies.extend(proxy_wire(&placed.act));
        }
        proxies.sort_unstable();
        proxies.dedup();
        Self { blocks, proxies, gpus: acts.blocks.len() }
    }

    fn count(&self) -> usize {
        self.blocks + self.proxies.len() + self.gpus
    }

    /// The process of the start of a GPU.
    pub(super) fn start(&self, gpu: u32) -> u32 {
        (self.blocks + self.proxies.len()) as u32 + gpu
    }
}

/// The channel whose proxy carries out an act.
fn proxy_wire(act: &Act) -> Option<Wire> {
    match act {
        Act::Data(data) => data.proxy,
        Act::Signal { wire, .. } | Act::Flush(wire) => Some(*wire).filter(|wire| wire.is_port()),
        _ => None,
    }
}

impl<'a> PlanMachine<'a> {
    pub(super) fn new(
        layout: &PlanLayout<'_>,
        acts: &'a PlanActs,
        processes: &Processes,
        memory: PlanMemory,
    ) -> Result<Self, ProgramFault> {
        let count = processes.count();
        let mut machine = Self {
            acts: acts.blocks.iter().flatten().map(Vec::as_slice).collect(),
            gpus: acts.blocks.len() as u32,
            processes: count,
            blocks: Vec::with_capacity(processes.blocks),
            proxies: BTreeMap::new(),
            signals: BTreeMap::new(),
            semaphores: Semaphores::new(layout, acts),
            barriers: BTreeMap::new(),
            memory,
            moved: BTreeMap::new(),
        };
        for (gpu, blocks) in (0..).zip(&acts.blocks) {
            for block in 0..blocks.len() as u32 {
                let mut clocks = Clocks::new(count);
                clocks.advance(processes.start(gpu) as usize, 1);
                let awaited = clocks.clone();
                machine.blocks.push(PlanBlock { at: PlanBlockAt { gpu, block }, done: 0, clocks, awaited });
            }
        }
        for (&wire, process) in processes.proxies.iter().zip(processes.blocks as u32..) {
            machine.proxies.insert(wire, Proxy { process, done: 0, clocks: Clocks::new(count) });
        }
        machine.claim_ends()?;
        Ok(machine)
    }

    /// Finds the thread blocks that signal and wait through each channel.
    fn claim_ends(&mut self) -> Result<(), ProgramFault> {
        for (block, acts) in self.acts.iter().enumerate() {
            for PlacedAct { place, act } in *acts {
                let (wire, is_wait) = match *act {
                    Act::Signal { wire, .. } => (wire, false),
                    Act::Wait { wire, .. } => (wire, true),
                    _ => continue,
                };
                let queue = self.signals.entry(wire).or_default();
                let end = if is_wait { &mut queue.waiter } else { &mut queue.signaler };
                if *end.get_or_insert(block) != block {
                    let does = if is_wait { "waits" } else { "signals" };
                    return Err(place.limit(format!(
                        "{does} through a channel by which another thread block of its gpu does, too"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Runs all thread blocks.
    ///
    /// # Errors
    /// The first violation of a rule, or thread blocks that never end.
    pub(super) fn run(&mut self) -> Result<(), ProgramFault> {
        loop {
            let mut has_moved = false;
            for block in 0..self.blocks.len() {
                while self.advance(block)? {
                    has_moved = true;
                }
            }
            if !has_moved {
                break;
            }
        }
        self.find_deadlock()?;
        self.verify_counters()?;
        for gpu in 0..self.gpus {
            let mut end = Clocks::new(self.processes);
            for block in self.blocks.iter().filter(|block| block.at.gpu == gpu) {
                end.join(&block.clocks);
                end.join(&block.awaited);
            }
            let is_own =
                |process: u32| self.blocks.get(process as usize).is_some_and(|block| block.at.gpu == gpu);
            self.memory.verify_end(gpu, &end, &is_own)?;
        }
        Ok(())
    }

    /// The memory at the end.
    pub(super) fn memory(&self) -> &PlanMemory {
        &self.memory
    }

    /// The cells that moved between GPUs.
    pub(super) fn moved(&self) -> &MovedCells {
        &self.moved
    }

    /// The pairs of GPUs of which one reads or writes the memory of the other one, in the direction of the
    /// data.
    pub(super) fn written_pairs(&self) -> BTreeMap<(u32, u32), u64> {
        let mut pairs = BTreeMap::new();
        for placed in self.acts.iter().copied().flatten() {
            let Act::Data(data) = &placed.act else { continue };
            let gpu = placed.place.at.gpu;
            let sources = data.sources.iter().map(|span| (span.buffer.gpu, gpu));
            let targets = data.targets.iter().map(|span| (gpu, span.buffer.gpu));
            pairs.extend(sources.chain(targets).filter(|(from, to)| from != to).map(|pair| (pair, 1)));
        }
        pairs
    }

    /// The directions of channels through which a thread block signals or a proxy writes.
    pub(super) fn used_wires(&self) -> Vec<Wire> {
        let mut wires: Vec<Wire> = self.signals.keys().chain(self.proxies.keys()).copied().collect();
        wires.sort_unstable();
        wires.dedup();
        wires
    }

    fn act(&self, block: usize) -> Option<&'a PlacedAct> {
        self.acts[block].get(self.blocks[block].done as usize)
    }

    /// Executes the next act of a thread block. Returns whether there may be more to do.
    fn advance(&mut self, number: usize) -> Result<bool, ProgramFault> {
        let Some(placed) = self.act(number) else { return Ok(false) };
        let at = self.blocks[number].at;
        match &placed.act {
            Act::Meet => {
                let PlanBlock { done, clocks, awaited, .. } = &mut self.blocks[number];
                clocks.join(awaited);
                clocks.advance(number, *done + 1);
            }
            &Act::Barrier { number: barrier, blocks } => {
                return self.arrive(number, (at.gpu, barrier), blocks, placed);
            }
            &Act::Signal { wire, relaxed } => {
                let clocks = match self.trigger(number, wire) {
                    Some(proxy) => proxy.clocks.clone(),
                    None => self.blocks[number].clocks.clone(),
                };
                self.signals.entry(wire).or_default().push(clocks, relaxed);
            }
            &Act::Wait { wire, relaxed } => {
                let Some(signal) = self.signals.entry(wire).or_default().take() else { return Ok(false) };
                let awaited = &mut self.blocks[number].awaited;
                match relaxed || signal.relaxed {
                    true => awaited.join_relaxed(&signal.clocks),
                    false => awaited.join(&signal.clocks),
                }
            }
            &Act::Flush(wire) => {
                if let Some(proxy) = self.proxies.get(&wire) {
                    self.blocks[number].awaited.join(&proxy.clocks);
                }
            }
            &Act::Acquire(semaphore) => {
                let Some(clocks) = self.semaphores.acquire(at, semaphore) else { return Ok(false) };
                self.blocks[number].awaited.join(&clocks);
            }
            &Act::Release(semaphore) => {
                self.semaphores.release(at, semaphore, &self.blocks[number].clocks);
            }
            Act::Data(data) => {
                if data.sources.iter().any(|&span| self.memory.lacks_packets(span, data.cells)) {
                    return Ok(false);
                }
                self.move_data(number, placed, data)?;
            }
        }
        self.blocks[number].done += 1;
        Ok(true)
    }

    /// Hands an act to the proxy of a channel, if it has one.
    fn trigger(&mut self, block: usize, wire: Wire) -> Option<&mut Proxy> {
        let proxy = self.proxies.get_mut(&wire).filter(|_| wire.is_port())?;
        proxy.clocks.join(&self.blocks[block].clocks);
        Some(proxy)
    }

    fn arrive(
        &mut self,
        block: usize,
        barrier: (u32, u32),
        blocks: u32,
        placed: &PlacedAct,
    ) -> Result<bool, ProgramFault> {
        let arrived = self.barriers.entry(barrier).or_default();
        if !arrived.contains(&block) {
            arrived.push(block);
        }
        if arrived.len() as u32 > blocks {
            return Err(placed
                .place
                .limit(format!("is at a barrier of {blocks} thread blocks, but more come")));
        }
        if (arrived.len() as u32) < blocks {
            return Ok(false);
        }
        let arrived = std::mem::take(arrived);
        let mut all = self.blocks[block].clocks.clone();
        for &other in &arrived {
            let PlanBlock { done, clocks, awaited, .. } = &self.blocks[other];
            all.join(clocks);
            all.join(awaited);
            all.advance(other, *done + 1);
        }
        for &other in &arrived {
            self.blocks[other].clocks = all.clone();
            self.blocks[other].done += 1;
        }
        Ok(true)
    }

    fn move_data(&mut self, block: usize, placed: &PlacedAct, data: &DataAct) -> Result<(), ProgramFault> {
        let gpu = placed.place.at.gpu;
        let first = data.targets.first().map_or(0, |span| span.first);
        let mut access = Access {
            process: block as u32,
            time: self.blocks[block].done,
            first,
            cells: data.cells,
            place: Some(placed.place),
        };
        if let Some(proxy) = data.proxy.and_then(|wire| self.trigger(block, wire)) {
            (access.process, access.time) = (proxy.process, proxy.done);
            proxy.done += 1;
            let (process, done) = (proxy.process as usize, proxy.done);
            proxy.clocks.advance(process, done);
        }
        let clocks = match data.proxy.and_then(|wire| self.proxies.get(&wire)) {
            Some(proxy) => &proxy.clocks,
            None => &self.blocks[block].clocks,
        };
        let mut awaited = Vec::new();
        for offset in 0..data.cells {
            let mut origins = Vec::new();
            for &span in &data.sources {
                origins.extend_from_slice(self.memory.packet_origins(span, offset));
            }
            let mut sum = None;
            for &span in &data.sources {
                let actor =
                    Actor { access: Access { first: span.first, ..access }, clocks, origins: &origins };
                let value = self.memory.read(&actor, span, offset)?;
                sum = Some(match sum {
                    None => value,
                    Some(sum) => value.sum(&sum, self.gpus).map_err(|violation| step(&actor, violation))?,
                });
            }
            for &span in &data.targets {
                let actor =
                    Actor { access: Access { first: span.first, ..access }, clocks, origins: &origins };
                if let Some(value) = sum.clone() {
                    self.memory.write(&actor, span, offset, value)?;
                }
            }
            awaited.extend(origins);
        }
        for origin in awaited {
            let done = &mut self.blocks[block].awaited.done[origin.process as usize];
            *done = (*done).max(origin.time + 1);
        }
        let cells = u64::from(data.cells);
        for source in data.sources.iter().filter(|span| span.buffer.gpu != gpu) {
            *self.moved.entry((source.buffer.gpu, gpu)).or_default() += cells;
        }
        for target in data.targets.iter().filter(|span| span.buffer.gpu != gpu) {
            *self.moved.entry((gpu, target.buffer.gpu)).or_default() += cells;
        }
        Ok(())
    }

    /// Verifies that every signal and every release has its counterpart, so that the plan can run again.
    fn verify_counters(&self) -> Result<(), ProgramFault> {
        for (wire, queue) in &self.signals {
            if queue.waiting() > 0 {
                return Err(ProgramFault::Connection {
                    from: wire.from,
                    to: wire.to,
                    chan: i64::from(wire.number),
                    violation: format!(
                        "{} signals are sent, and {} are waited for",
                        queue.taken() + queue.waiting(),
                        queue.taken()
                    ),
                });
            }
        }
        self.semaphores.verify_balance()
    }

    /// Convicts thread blocks that wait for ever.
    fn find_deadlock(&self) -> Result<(), ProgramFault> {
        let waits = |block: usize| self.act(block).is_some();
        let Some(start) = (0..self.blocks.len()).find(|&block| waits(block)) else { return Ok(()) };
        let mut passed = vec![usize::MAX; self.blocks.len()];
        let (mut lines, mut current) = (Vec::new(), start);
        while passed[current] == usize::MAX {
            let Some(placed) = self.act(current) else { break };
            passed[current] = lines.len();
            let (next, violation) = self.blocked_on(current, placed);
            let Some(next) = next.filter(|&next| waits(next)) else {
                return Err(ProgramFault::Step {
                    place: placed.place.name(),
                    violation: format!("{violation}, which never comes"),
                });
            };
            lines.push(format!("  {} {violation}", placed.place.name()));
            current = next;
        }
        let lines = &lines[passed[current].min(lines.len())..];
        Err(ProgramFault::Deadlock { length: lines.len(), cycle: lines.join("\n") })
    }

    /// The thread block that a waiting act waits for, and in words what for.
    fn blocked_on(&self, block: usize, placed: &PlacedAct) -> (Option<usize>, String) {
        let at = self.blocks[block].at;
        match &placed.act {
            Act::Wait { wire, .. } => {
                let signaler = self.signals.get(wire).and_then(|queue| queue.signaler);
                (signaler, format!("waits for a signal of gpu {}", wire.from))
            }
            Act::Acquire(semaphore) => {
                let releaser = self.semaphores.releaser(at.gpu, *semaphore);
                let of_gpu = |block: &PlanBlock| Some(block.at) == releaser;
                let number = self.blocks.iter().position(of_gpu);
                (number, format!("waits for a release of semaphore {semaphore}"))
            }
            Act::Barrier { number, .. } => {
                let arrived = self.barriers.get(&(at.gpu, *number));
                let comes = |act: &PlacedAct| matches!(act.act, Act::Barrier { number: other, .. } if other == *number);
                let late = (0..self.blocks.len()).find(|&other| {
                    let PlanBlock { at: other_at, done, .. } = self.blocks[other];
                    other_at.gpu == at.gpu
                        && !arrived.is_some_and(|arrived| arrived.contains(&other))
                        && self.acts[other][done as usize..].iter().any(comes)
                });
                (late, format!("waits at barrier {number} for another thread block"))
            }
            _ => (None, "waits for a packet".to_owned()),
        }
    }
}

impl Wire {
    fn is_port(self) -> bool {
        self.kind == super::layout::WireKind::Port
    }
}

/// The pairs of chips between which something goes, with how often.
pub(super) fn chip_pairs<'a>(
    chips: &[NodeId],
    pairs: impl IntoIterator<Item = (&'a (u32, u32), &'a u64)>,
) -> BTreeMap<(NodeId, NodeId), u64> {
    let chip = |gpu: u32| chips[gpu as usize];
    pairs.into_iter().map(|(&(from, to), &count)| ((chip(from), chip(to)), count)).collect()
}
