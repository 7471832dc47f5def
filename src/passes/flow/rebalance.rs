//! Rebalancing of a flow: every source moves flow from its costliest used paths to its cheapest ones.
//!
//! Input: a flow without cycles per source. Output: a feasible flow, and the tightest lengths found during
//! the sweeps.
//!
//! Where few channels decide (pods without switches in one or two dimensions), mixtures of rounds stay
//! percents below the optimum. All sources of a round share its prices, most paths tie under them, and it
//! matters which of the tied paths a source takes. Here every source has a flow of its own.
//!
//! A channel costs `exp((load / busiest - 1) / width)` plus a small constant. This is the slope of a
//! potential that equals the busiest load up to the width. At every node the costliest used path gives the
//! cheapest one the amount that a Newton step of the potential asks for, source after source at current
//! loads. When few nodes still differ, the width is halved. The costs at the end of each width are lengths
//! for the upper bound.
//!
//! Cost: a sweep takes about as long as a round on one core. Sources: Dial 2006 (traffic assignment,
//! algorithm B: the shifts); Bienstock 2002 (potential functions).

use super::lengths;
use super::quotient::FlowQuotient;
use fabc_ir::DualLengths;

/// The first and the last width, in parts of the busiest load.
const WIDTH: [f64; 2] = [0.05, 0.0005];
/// The cost of every channel beside the potential, whose largest cost is about 1. So no cost is 0, and idle
/// channels invite no detours.
const BASE_COST: f64 = 1e-6;
/// A node is balanced if its used paths differ by less than this part of their cost.
const BALANCED: f64 = 1e-3;
/// A width is done when at most this part of all nodes of all sources moved flow in a sweep, or after so
/// many sweeps.
const QUIET: f64 = 0.002;
const SWEEPS_PER_WIDTH: u32 = 30;
/// The smallest gap that is tested after every sweep. Narrower ones are tested after every width.
const WIDE_GAP: f64 = 0.001;
/// Smaller parts of the flow into a node are rounding errors, or not worth a path.
const DUST: f64 = 1e-9;
/// Passes over the nodes of a source before the next source follows.
const PASSES: usize = 2;
/// The largest exponent of a cost. Products of two such costs are finite.
const STEEPEST: f64 = 300.0;
/// The largest length after rounding to integers.
const LONGEST: f64 = 16384.0;

/// The flow of one source.
pub(super) struct SourceFlow {
    /// All nodes, the source first. Flow goes from earlier nodes to later ones only, and a channel from an
    /// earlier node leads to every other.
    pub(super) order: Vec<u32>,
    /// `[lit channel]`, as in [`FlowQuotient::incoming`]: the flow of the source over it.
    pub(super) flow: Vec<f64>,
}

/// Rebalances `flows` (one per source) in at most `sweeps` sweeps, until the gap to the tightest lengths is
/// `gap`. These are the tightest of `best` and of the lengths found. Returns them and the number of sweeps.
pub(super) fn rebalance(
    quotient: &FlowQuotient,
    flows: &mut [SourceFlow],
    best: DualLengths,
    sweeps: u32,
    gap: f64,
) -> (DualLengths, u32) {
    let quiet = (QUIET * (quotient.nodes * quotient.sources.len()) as f64) as u64;
    let mut balance = Balance::new(quotient);
    let mut labels = PathLabels::default();
    let (mut dual, mut done) = (best, 0);
    let mut width = WIDTH[0];
    while done < sweeps && width >= WIDTH[1] {
        balance.recount(flows);
        balance.potential = CostPotential { full: balance.busiest(), width };
        for _ in 0..SWEEPS_PER_WIDTH.min(sweeps - done) {
            balance.recount(flows);
            balance.shifts = 0;
            for (flow, &source) in flows.iter_mut().zip(&quotient.sources) {
                balance.sweep(flow, source, &mut labels);
            }
            done += 1;
            if gap >= WIDE_GAP && (1.0 + gap) * quotient.parts as f64 / balance.busiest() >= dual.bound() {
                break;
            }
            if balance.shifts <= quiet {
                break;
            }
        }
        let dual_here = lengths::bound(quotient, &balance.lengths());
        if lengths::is_tighter(&dual_here, &dual) {
            dual = dual_here;
        }
        if (1.0 + gap) * quotient.parts as f64 / balance.busiest() >= dual.bound() {
            break;
        }
        width *= 0.5;
    }
    for (flow, &source) in flows.iter_mut().zip(&quotient.sources) {
        balance.conserve(flow, source, &mut labels);
    }
    (dual, done)
}

/// The cost of a channel by its load.
#[derive(Clone, Copy)]
struct CostPotential {
    full: f64,
    width: f64,
}

impl CostPotential {
    fn cost(self, load: f64) -> f64 {
        // A flow that moves to a narrow channel at once may load it several times over the busiest. The
        // limit keeps the cost finite.
        libm::exp(((load / self.full - 1.0) / self.width).min(STEEPEST)) + BASE_COST
    }
    /// How fast the cost grows with the load.
    fn growth(self, cost: f64) -> f64 {
        (cost - BASE_COST) / (self.full * self.width)
    }
}

/// The loads that all sources share.
struct Balance<'a> {
    quotient: &'a FlowQuotient,
    potential: CostPotential,
    /// `[class]`: the class that shares its load where the demand is mirrored, otherwise itself.
    twin: Vec<usize>,
    /// `[class]`: the load in parts, the mean of both twins.
    loads: Vec<f64>,
    /// `[class]`: the cost of a unit of flow.
    costs: Vec<f64>,
    /// The number of shifts in this sweep.
    shifts: u64,
}

/// The cheapest and the costliest used paths of one source, by node, and scratch space.
#[derive(Default)]
struct PathLabels {
    near: Vec<f64>,
    /// The last channel of the cheapest path, [`NONE`] at the source.
    near_by: Vec<u32>,
    far: Vec<f64>,
    /// The last channel of the costliest used path, [`NONE`] where no flow arrives.
    far_by: Vec<u32>,
    position: Vec<u32>,
    amount: Vec<f64>,
    near_path: Vec<u32>,
    far_path: Vec<u32>,
    /// Each class, and how many times more the cheapest path takes it than the costliest.
    difference: Vec<(usize, f64)>,
}

const NONE: u32 = u32::MAX;

impl<'a> Balance<'a> {
    fn new(quotient: &'a FlowQuotient) -> Self {
        let zeros = || vec![0.0; quotient.classes];
        let is_shared = |class: usize| quotient.mirrored && quotient.is_lit(class);
        let twin = (0..quotient.classes)
            .map(|class| if is_shared(class) { quotient.reverse[class] as usize } else { class })
            .collect();
        Self {
            quotient,
            potential: CostPotential { full: 1.0, width: 1.0 },
            twin,
            loads: zeros(),
            costs: zeros(),
            shifts: 0,
        }
    }

    fn busiest(&self) -> f64 {
        self.loads.iter().copied().fold(0.0, f64::max)
    }

    /// Recomputes loads and costs from the flows.
    fn recount(&mut self, flows: &[SourceFlow]) {
        let mut loads = vec![0.0; self.quotient.classes];
        for flow in flows {
            for (channel, &flow) in self.quotient.incoming.iter().zip(&flow.flow) {
                loads[channel.class as usize] += flow * self.slowness(channel.class as usize);
            }
        }
        for class in 0..loads.len() {
            self.loads[class] = 0.5 * (loads[class] + loads[self.twin[class]]);
            self.costs[class] = self.slowness(class) * self.potential.cost(self.loads[class]);
        }
    }

    /// The costs as integer channel lengths.
    fn lengths(&self) -> Vec<u32> {
        let costs = || {
            self.costs
                .iter()
                .enumerate()
                .map(|(class, &cost)| if self.quotient.is_lit(class) { cost } else { 0.0 })
        };
        let costliest = costs().fold(0.0, f64::max);
        costs().map(|cost| (cost / costliest * LONGEST).round() as u32).collect()
    }

    /// Balances the flow of one source at the loads of all sources.
    fn sweep(&mut self, flow: &mut SourceFlow, source: u32, labels: &mut PathLabels) {
        self.conserve(flow, source, labels);
        self.find_paths(flow, labels);
        // Costs of used paths rise along every used channel, so this order keeps all of them. It also
        // admits each channel that leads to a node reached at a higher cost.
        let key = |node: u32| (labels.far[node as usize], labels.position[node as usize]);
        flow.order.sort_by(|&a, &b| key(a).0.total_cmp(&key(b).0).then(key(a).1.cmp(&key(b).1)));
        for _ in 0..PASSES {
            self.find_paths(flow, labels);
            for place in (1..flow.order.len()).rev() {
                self.shift(flow, flow.order[place] as usize, labels);
            }
        }
    }

    /// Scales the flow into every node to the amount that it takes and passes on. So rounding errors do not
    /// add up. Parts below [`DUST`] are dropped.
    fn conserve(&self, flow: &mut SourceFlow, source: u32, labels: &mut PathLabels) {
        let PathLabels { position, amount, .. } = labels;
        position.resize(self.quotient.nodes, 0);
        flow.order.iter().enumerate().for_each(|(at, &node)| position[node as usize] = at as u32);
        amount.clear();
        amount.extend(self.quotient.weights_from(source).into_iter().map(f64::from));
        for &node in flow.order[1..].iter().rev() {
            let node = node as usize;
            let into = self.quotient.incoming_range(node);
            let earlier =
                |index: usize| position[self.quotient.incoming[index].from as usize] < position[node];
            let total: f64 = flow.flow[into.clone()].iter().sum();
            for index in into.clone() {
                if !earlier(index) || flow.flow[index] < DUST * total {
                    flow.flow[index] = 0.0;
                }
            }
            let mut sum: f64 = flow.flow[into.clone()].iter().sum();
            if sum == 0.0 && amount[node] > 0.0 {
                let index = into
                    .clone()
                    .find(|&index| earlier(index))
                    .expect("a channel from an earlier node leads to every node");
                flow.flow[index] = 1.0;
                sum = 1.0;
            }
            for index in into.filter(|_| sum > 0.0) {
                flow.flow[index] *= amount[node] / sum;
                amount[self.quotient.incoming[index].from as usize] += flow.flow[index];
            }
        }
    }

    /// Finds the cheapest and the costliest used path to every node, among the channels that follow the
    /// order.
    fn find_paths(&self, flow: &SourceFlow, labels: &mut PathLabels) {
        let nodes = self.quotient.nodes;
        let PathLabels { near, near_by, far, far_by, position, .. } = labels;
        flow.order.iter().enumerate().for_each(|(at, &node)| position[node as usize] = at as u32);
        for (labels, start) in [(&mut *near, f64::INFINITY), (&mut *far, 0.0)] {
            labels.clear();
            labels.resize(nodes, start);
        }
        for labels in [&mut *near_by, &mut *far_by] {
            labels.clear();
            labels.resize(nodes, NONE);
        }
        near[flow.order[0] as usize] = 0.0;
        for &node in &flow.order[1..] {
            let node = node as usize;
            // A node without flow stays above the cheapest node before it, so that the order keeps both.
            let mut unused = f64::INFINITY;
            for index in self.quotient.incoming_range(node) {
                let channel = self.quotient.incoming[index];
                let from = channel.from as usize;
                if position[from] >= position[node] {
                    continue;
                }
                let cost = self.costs[channel.class as usize];
                if near[from] + cost < near[node] {
                    (near[node], near_by[node]) = (near[from] + cost, index as u32);
                }
                // Flow that rounding left on channels out of a node without flow does not count.
                let used = flow.flow[index] > 0.0 && (far_by[from] != NONE || position[from] == 0);
                if used && far[from] + cost > far[node] {
                    (far[node], far_by[node]) = (far[from] + cost, index as u32);
                }
                unused = unused.min(far[from] + cost);
            }
            if far_by[node] == NONE {
                far[node] = unused;
            }
        }
    }

    /// Moves flow to a node from its costliest used path to its cheapest path, from where the two diverge.
    fn shift(&mut self, flow: &mut SourceFlow, node: usize, labels: &mut PathLabels) {
        let PathLabels { near, near_by, far, far_by, .. } = &*labels;
        // If both paths end with the same channel, the node before it is shifted instead.
        if far_by[node] == NONE
            || far_by[node] == near_by[node]
            || far[node] - near[node] <= BALANCED * far[node]
        {
            return;
        }
        self.diverging_paths(node, labels);
        let PathLabels { near_path, far_path, difference, .. } = labels;
        let movable = far_path.iter().map(|&index| flow.flow[index as usize]).fold(f64::INFINITY, f64::min);
        let shifted = self.newton_step(difference).min(movable);
        // The labels are older than the loads, so nothing may remain to move.
        if shifted <= 0.0 {
            return;
        }
        self.shifts += 1;
        near_path.iter().for_each(|&index| flow.flow[index as usize] += shifted);
        far_path.iter().for_each(|&index| flow.flow[index as usize] -= shifted);
        for &(class, times) in &*difference {
            let load = self.loads[class] + times * self.part_of_load(class) * shifted;
            for class in [class, self.twin[class]] {
                self.loads[class] = load;
                self.costs[class] = self.slowness(class) * self.potential.cost(load);
            }
        }
    }

    /// Finds the two paths to a node from where they diverge, and by how much they differ in every class.
    fn diverging_paths(&self, node: usize, labels: &mut PathLabels) {
        let PathLabels { near_by, far_by, position, near_path, far_path, difference, .. } = labels;
        near_path.clear();
        far_path.clear();
        difference.clear();
        let (mut near, mut far) = (node, node);
        // Both paths lead back to the source, the first node of the order.
        while near != far || near_path.is_empty() {
            let on_near = near_path.is_empty() || (!far_path.is_empty() && position[near] > position[far]);
            let (path, at, by) = if on_near {
                (&mut *near_path, &mut near, &*near_by)
            } else {
                (&mut *far_path, &mut far, &*far_by)
            };
            path.push(by[*at]);
            *at = self.quotient.incoming[by[*at] as usize].from as usize;
        }
        for (path, sign) in [(near_path, 1.0), (far_path, -1.0)] {
            for &index in &*path {
                let class = self.quotient.incoming[index as usize].class as usize;
                let class = class.min(self.twin[class]);
                match difference.iter_mut().find(|(known, _)| *known == class) {
                    Some((_, times)) => *times += sign,
                    None => difference.push((class, sign)),
                }
            }
        }
    }

    /// The amount that a Newton step of the potential would move. No channel is filled beyond the width at
    /// once.
    fn newton_step(&self, difference: &[(usize, f64)]) -> f64 {
        let (mut slope, mut growth, mut room) = (0.0, 0.0, f64::INFINITY);
        for &(class, times) in difference {
            let (cost, part) = (self.costs[class], times * self.part_of_load(class));
            slope += times * cost;
            growth +=
                times * part * self.slowness(class) * self.potential.growth(cost / self.slowness(class));
            if part > 0.0 {
                room = room.min(
                    (self.potential.full - self.loads[class]).max(self.potential.width * self.potential.full)
                        / part,
                );
            }
        }
        (-slope / growth.max(f64::MIN_POSITIVE)).min(room)
    }

    /// The load that a unit on one channel of a class adds to the class.
    fn part_of_load(&self, class: usize) -> f64 {
        if self.twin[class] == class { self.slowness(class) } else { 0.5 * self.slowness(class) }
    }

    /// The load of a unit of flow, in parts.
    fn slowness(&self, class: usize) -> f64 {
        self.quotient.slowness[class] as f64
    }
}
