//! Counts what happens within the measured cycles, and what becomes of the packets that were born in them.

use super::batches::{BatchTally, percentile};
use super::completion::Completion;
use super::digest::{Chain, EVERY};
use super::elsewhere::ElsewhereTally;
use super::overload::{Overload, SourceCount};
use super::point::{Delays, Point, VcUse};
use super::prepare::Prepared;
use super::setting::{RunCycles, Setting};
use super::statistics::{MOST_GROUPS, warmed_up};
use fabc_model::Rate;

/// The most packets in one queue (in the flit model flits) that are told apart. Fuller queues count as this
/// many.
const GRAINS: usize = 1 << 16;

/// What is in flight when a run ends. It is found by looking, not by counting on the way.
#[derive(Clone, Copy)]
pub(super) struct Census {
    /// Packets that are in flight.
    pub(super) packets: u64,
    /// Flits that are in flight.
    pub(super) flits: u64,
    /// Flits that have left in the whole run.
    pub(super) flits_delivered: u64,
}

/// A packet whose tail has arrived.
#[derive(Clone, Copy)]
pub(super) struct DeliveredPacket {
    pub(super) birth: u32,
    /// The endpoints that sent it and that received it.
    pub(super) from: u32,
    pub(super) to: u32,
    /// Cycles at its first router in which it could have left and did not.
    pub(super) waited: u32,
    pub(super) hops: u16,
}

/// All counters of one run.
pub(super) struct RunTally {
    /// The first measured cycle and the first one after them. `u32::MAX` while the run warms up.
    measured: [u32; 2],
    half: u32,
    /// The search for the steady state, while it goes on.
    warmup: Option<WarmUp>,
    /// Whether the measured cycles began in the steady state, or where the setting says.
    is_settled: bool,
    /// The flits of one bin of the queues.
    grain: u32,
    /// All packets, in the whole run.
    born_ever: u64,
    delivered_ever: u64,
    /// Packets in the measured cycles only.
    born: u64,
    delivered: u64,
    delivered_late: u64,
    /// `[endpoint]`: packets from it that were delivered in the measured cycles.
    by_source: Vec<u32>,
    /// Of hotspot traffic: the packets for all endpoints but the hot ones.
    elsewhere: Option<ElsewhereTally>,
    /// `[channel]`: measured cycles in which it moved a flit.
    busy: Vec<u32>,
    vcs: Vec<VcTally>,
    hops: u64,
    general_hops: u64,
    inside_at: [u64; 3],
    inside_sum: u64,
    batches: Vec<BatchTally>,
    /// `[latency in cycles]`: packets that were born in the measured cycles and took this time.
    latencies: Vec<u32>,
    latency_sum: u64,
    waited_sum: u64,
    hops_of_counted: u64,
    counted: u64,
    /// Hops of the packets delivered in the measured cycles.
    hops_delivered: u64,
    /// Measured cycles in which channels moved acknowledgements.
    moved_acks: u64,
    digests: Chain,
}

/// The fullest queue that is told apart, in packets (in the flit model in flits).
pub(super) fn bins(setting: &Setting) -> usize {
    ((setting.buffer / setting.grain()) as usize).min(GRAINS)
}

/// The batches of the measured cycles, which confidence intervals are computed from.
pub(super) const BATCHES: usize = 20;

/// Fewer measured cycles are not divided into batches.
pub(super) const LEAST_BATCHED: u32 = 20 * BATCHES as u32;

/// The search for the steady state. It watches the packets inside.
struct WarmUp {
    /// The measured cycles that follow.
    measure: u32,
    /// The most cycles of the warm-up.
    most: u32,
    /// The cycles of a group.
    group: u32,
    /// Packets inside, summed over the cycles of the current group.
    sum: u64,
    /// The means of the groups so far.
    groups: Vec<f64>,
}

#[derive(Clone)]
struct VcTally {
    hops: u64,
    /// `[packets]` (in the flit model `[flits]`): cycles in which a queue had booked room for so many, over
    /// all queues. Cycles without bookings are not counted.
    cycles: Vec<u64>,
}

impl RunTally {
    pub(super) fn new(prepared: &Prepared<'_>) -> Self {
        let (setting, endpoints) = (&prepared.setting, prepared.endpoints.count() as usize);
        let window = RunCycles { warmup: setting.warmup, measure: setting.end() - setting.warmup };
        let (grain, fullest) = (setting.grain(), bins(setting));
        let batches = if setting.measure >= LEAST_BATCHED { BATCHES } else { 0 };
        let warmup = setting.detects_steady_state.then(|| WarmUp {
            measure: setting.measure,
            most: setting.warmup,
            group: (setting.warmup / MOST_GROUPS).max(1),
            sum: 0,
            groups: Vec::new(),
        });
        let mut tally = Self {
            measured: [u32::MAX; 2],
            half: u32::MAX,
            is_settled: warmup.is_none(),
            warmup,
            batches: vec![BatchTally::default(); batches],
            grain,
            born_ever: 0,
            delivered_ever: 0,
            born: 0,
            delivered: 0,
            delivered_late: 0,
            by_source: vec![0; endpoints],
            elsewhere: prepared.hot.clone().map(ElsewhereTally::new),
            busy: vec![0; prepared.layout.channels],
            vcs: vec![VcTally { hops: 0, cycles: vec![0; fullest + 1] }; setting.vcs() as usize],
            hops: 0,
            general_hops: 0,
            inside_at: [0; 3],
            inside_sum: 0,
            latencies: Vec::new(),
            latency_sum: 0,
            waited_sum: 0,
            hops_of_counted: 0,
            counted: 0,
            hops_delivered: 0,
            moved_acks: 0,
            digests: Chain::default(),
        };
        if tally.is_settled {
            tally.measure(window);
        }
        tally
    }

    /// Sets the measured cycles. They must not have begun.
    pub(super) fn measure(&mut self, run: RunCycles) {
        self.warmup = None;
        self.measured = [run.warmup, run.end()];
        // Traffic that ends is counted in all cycles, and has no halves.
        self.half = if run.end() == u32::MAX { 0 } else { run.warmup + run.measure / 2 };
    }

    /// Whether a run at a rate goes on: it is not measured to the end, or something born in the measured
    /// cycles has not arrived. The wait for that takes at most as long as the measured cycles.
    pub(super) fn goes_on(&self, now: u32) -> bool {
        let [start, end] = self.measured;
        now < end || (now - end < end - start && self.awaited() > 0)
    }

    /// Adds the packets inside at the end of a cycle of the warm-up. It ends with the group of cycles at
    /// whose end the run is in its steady state.
    fn warm_up(&mut self, inside: u64, now: u32) {
        let Some(warmup) = &mut self.warmup else { return };
        warmup.sum += inside;
        if !(now + 1).is_multiple_of(warmup.group) {
            return;
        }
        warmup.groups.push(warmup.sum as f64 / f64::from(warmup.group));
        warmup.sum = 0;
        let (is_settled, measure) = (warmed_up(&warmup.groups), warmup.measure);
        if is_settled || now + 1 >= warmup.most {
            self.is_settled = is_settled;
            self.measure(RunCycles { warmup: now + 1, measure });
        }
    }

    /// The batch of a measured cycle.
    fn batch(&mut self, cycle: u32) -> Option<&mut BatchTally> {
        let [start, end] = self.measured;
        let number = u64::from(cycle - start) * self.batches.len() as u64 / u64::from(end - start);
        self.batches.get_mut(number as usize)
    }

    /// The packets born and delivered in the measured cycles so far.
    pub(super) fn born_and_delivered(&self) -> (u64, u64) {
        (self.born, self.delivered)
    }

    /// Whether a cycle is measured.
    pub(super) fn counts(&self, cycle: u32) -> bool {
        self.measured[0] <= cycle && cycle < self.measured[1]
    }

    /// The number of measured cycles in `from..before`.
    fn clipped(&self, from: u32, before: u32) -> u32 {
        before.min(self.measured[1]).saturating_sub(from.max(self.measured[0]))
    }

    /// Packets that are somewhere between birth and delivery.
    pub(super) fn inside(&self) -> u64 {
        self.born_ever - self.delivered_ever
    }

    /// Packets that arrived in the whole run.
    pub(super) fn delivered_ever(&self) -> u64 {
        self.delivered_ever
    }

    /// Packets that were born in the measured cycles and are still inside.
    pub(super) fn awaited(&self) -> u64 {
        self.born - self.counted
    }

    /// Finishes a cycle: counts the packets inside, and adds a digest every thousand cycles.
    pub(super) fn end_of_cycle(&mut self, now: u32) {
        let inside = self.inside();
        self.warm_up(inside, now);
        if self.counts(now) {
            self.inside_sum += inside;
        }
        for (count, mark) in
            self.inside_at.iter_mut().zip([self.measured[0], self.half, self.measured[1] - 1])
        {
            if mark == now {
                *count = inside;
            }
        }
        if (now + 1).is_multiple_of(EVERY) {
            let mut digests = std::mem::take(&mut self.digests);
            digests.add(self.so_far());
            self.digests = digests;
        }
    }

    /// All counts so far, in a fixed order.
    fn so_far(&self) -> impl Iterator<Item = u64> {
        let sums = [
            self.born_ever,
            self.delivered_ever,
            self.born,
            self.delivered,
            self.delivered_late,
            self.hops,
            self.general_hops,
            self.inside_sum,
            self.latency_sum,
            self.waited_sum,
            self.hops_of_counted,
            self.counted,
        ];
        let counts =
            self.by_source.iter().chain(&self.busy).chain(&self.latencies).map(|&count| u64::from(count));
        sums.into_iter().chain(self.inside_at).chain(self.vcs.iter().map(|vc| vc.hops)).chain(counts)
    }

    /// The digests of every thousand cycles so far.
    pub(super) fn digests(&self) -> &[u64] {
        self.digests.so_far()
    }

    /// Counts the birth of a packet for the endpoint `to`.
    pub(super) fn born(&mut self, now: u32, to: u32) {
        let counts = u64::from(self.counts(now));
        self.born_ever += 1;
        self.born += counts;
        self.elsewhere.iter_mut().for_each(|tally| tally.born(to, counts));
    }

    /// Counts a packet between two endpoints whose tail has arrived.
    pub(super) fn delivered(&mut self, now: u32, packet: DeliveredPacket) {
        let DeliveredPacket { birth, from, to, waited, hops } = packet;
        self.delivered_ever += 1;
        if self.counts(now) {
            self.delivered += 1;
            self.delivered_late += u64::from(now >= self.half);
            self.by_source[from as usize] += 1;
            self.elsewhere.iter_mut().for_each(|tally| tally.delivered(to));
            self.hops_delivered += u64::from(hops);
            if let Some(batch) = self.batch(now) {
                batch.delivered += 1;
            }
        }
        if self.counts(birth) {
            let latency = (now - birth) as usize;
            if self.latencies.len() <= latency {
                self.latencies.resize(latency + 1, 0);
            }
            self.latencies[latency] += 1;
            self.latency_sum += latency as u64;
            self.waited_sum += u64::from(waited);
            self.hops_of_counted += u64::from(hops);
            self.counted += 1;
            if let Some(batch) = self.batch(birth) {
                batch.add_latency(latency);
            }
        }
    }

    /// Counts a packet that is sent over a channel into a virtual channel, from now on. It holds the channel
    /// for so many cycles.
    pub(super) fn sent(&mut self, now: u32, cycles: u32, channel: usize, vc: usize, general: bool) {
        self.busy[channel] += self.clipped(now, now + cycles);
        self.hop(now, vc, general);
    }

    /// Counts an acknowledgement that is sent over a channel from now on. It holds the channel for so many
    /// cycles.
    pub(super) fn ack_sent(&mut self, now: u32, cycles: u32, channel: usize) {
        let counted = self.clipped(now, now + cycles);
        self.busy[channel] += counted;
        self.moved_acks += u64::from(counted);
    }

    /// Adds flits that a channel moved within the measured cycles.
    pub(super) fn moved(&mut self, channel: usize, flits: u32) {
        self.busy[channel] += flits;
    }

    /// Counts the begin of a hop into a virtual channel.
    pub(super) fn hop(&mut self, now: u32, vc: usize, general: bool) {
        if self.counts(now) {
            self.vcs[vc].hops += 1;
            self.hops += 1;
            self.general_hops += u64::from(general);
        }
    }

    /// Adds the time since which the queue of a virtual channel had booked room for so many packets (in the
    /// flit model flits).
    pub(super) fn booked(&mut self, vc: usize, grains: u32, since: u32, now: u32) {
        let cycles = self.clipped(since, now);
        if grains > 0 && cycles > 0 {
            let bins = &mut self.vcs[vc].cycles;
            let bin = (grains as usize).min(bins.len() - 1);
            bins[bin] += u64::from(cycles);
        }
    }

    /// The result of a run at a rate. `lit` is the number of channels in use.
    pub(super) fn point(
        self,
        rate: Rate,
        seed: u64,
        cycles: u32,
        census: Census,
        lit: usize,
        sends: impl Fn(u32) -> bool,
    ) -> Point {
        let senders = || (0..).zip(self.by_source.iter().copied()).filter(|&(endpoint, _)| sends(endpoint));
        let queue_cycles = lit as u64 * u64::from(self.measured[1] - self.measured[0]);
        let vcs = self.vcs.iter().map(|vc| vc.used(queue_cycles, self.grain)).collect();
        Point {
            rate,
            seed,
            born: self.born,
            delivered: self.delivered,
            delivered_late: self.delivered_late,
            born_ever: self.born_ever,
            delivered_ever: self.delivered_ever,
            in_flight: census.packets,
            flits_delivered_ever: census.flits_delivered,
            flits_in_flight: census.flits,
            cycles,
            delays: self.delays(),
            unfinished: self.born - self.counted,
            warmup: self.measured[0],
            is_settled: self.is_settled,
            batches: self.batches.iter().map(BatchTally::batch).collect(),
            inside_at: self.inside_at,
            inside_sum: self.inside_sum,
            worst_source: senders()
                .min_by_key(|&(endpoint, packets)| (packets, endpoint))
                .unwrap_or_default(),
            best_source: senders()
                .max_by_key(|&(endpoint, packets)| (packets, std::cmp::Reverse(endpoint)))
                .unwrap_or_default(),
            busiest: self.busiest(),
            hops: self.hops,
            general_hops: self.general_hops,
            vcs,
            digests: self.digests.kept(),
            moved_acks: self.moved_acks,
            busy_by_class: Vec::new(),
            busy: self.busy,
        }
    }

    /// The result of a run in overload. `parts` returns what an endpoint offers, or `None` if it sends
    /// nothing.
    pub(super) fn overload(
        &self,
        multiple: Rate,
        rate: Rate,
        parts: impl Fn(u32) -> Option<u64>,
    ) -> Overload {
        let sources = || {
            let count = |(endpoint, &packets): (u32, &u32)| {
                Some(SourceCount { endpoint, packets: packets.into(), parts: parts(endpoint)? })
            };
            (0..).zip(&self.by_source).filter_map(count)
        };
        let none = SourceCount { endpoint: 0, packets: 0, parts: 1 };
        let least = |a: &SourceCount, b: &SourceCount| a.compare(b).then(a.endpoint.cmp(&b.endpoint));
        let most = |a: &SourceCount, b: &SourceCount| a.compare(b).then(b.endpoint.cmp(&a.endpoint));
        Overload {
            multiple,
            rate,
            born: self.born,
            delivered: self.delivered,
            hops: self.hops_delivered,
            worst: sources().min_by(least).unwrap_or(none),
            best: sources().max_by(most).unwrap_or(none),
            moved: self.busy.iter().copied().map(u64::from).sum(),
            moved_acks: self.moved_acks,
            elsewhere: self.elsewhere.as_ref().map(ElsewhereTally::counts),
        }
    }

    /// The result of a run of so many cycles in which everything has arrived.
    pub(super) fn completion(self, seed: u64, cycles: u32, lit: usize) -> Completion {
        let queue_cycles = lit as u64 * u64::from(cycles);
        Completion {
            seed,
            cycles: cycles.saturating_sub(1),
            packets: self.delivered_ever,
            delays: self.delays(),
            busiest: self.busiest(),
            busy_by_class: Vec::new(),
            hops: self.hops,
            general_hops: self.general_hops,
            vcs: self.vcs.iter().map(|vc| vc.used(queue_cycles, self.grain)).collect(),
            digests: self.digests.kept(),
            busy: self.busy,
        }
    }

    /// The busiest channel, the first one of several.
    fn busiest(&self) -> (u32, u32) {
        let channels = (0..).zip(self.busy.iter().copied());
        channels.max_by_key(|&(channel, cycles)| (cycles, std::cmp::Reverse(channel))).unwrap_or_default()
    }

    fn delays(&self) -> Option<Delays> {
        let percentile = |percent: u64| percentile(&self.latencies, self.counted, percent);
        (self.counted > 0).then(|| Delays {
            packets: self.counted,
            sum: self.latency_sum,
            median: percentile(50),
            p99: percentile(99),
            most: self.latencies.len() as u64 - 1,
            waited: self.waited_sum,
            hops: self.hops_of_counted,
        })
    }
}

impl VcTally {
    /// The use of the virtual channel, for so many cycles over all queues.
    fn used(&self, queue_cycles: u64, grain: u32) -> VcUse {
        let flits = |bin: usize| bin as u64 * u64::from(grain);
        let sum = self.cycles.iter().enumerate().map(|(bin, cycles)| flits(bin) * cycles).sum();
        // Queue cycles above the 99th percentile, from the fullest queue down.
        let mut above = 0;
        let p99 = self.cycles.iter().enumerate().rev().find(|(_, cycles)| {
            above += **cycles;
            above * 100 > queue_cycles
        });
        VcUse {
            hops: self.hops,
            flit_cycles: sum,
            p99: p99.map_or(0, |(bin, _)| flits(bin)),
            full_cycles: self.cycles.last().copied().unwrap_or(0),
            queue_cycles,
        }
    }
}
