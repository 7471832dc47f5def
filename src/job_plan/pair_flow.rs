//! The concurrent flow of messages: lengths that bound it, and a flow that was found.

use super::bounded::BoundedOperation;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Fraction, Scene};
use fabc_model::Demand;
use fabc_passes::flow::{FlowSettings, StartLengths, concurrent};

/// The work of the flow that bounds a phase.
const FLOW: FlowSettings = FlowSettings { rounds: 250, gap_ppm: 1000, sweeps: 60, primal: true };
/// Weights of pairs in that flow are at most this.
const LARGEST_WEIGHT: u128 = 1 << 12;

/// The concurrent flow of what operations send between pairs.
pub(super) struct PairFlow {
    /// `[channel]`: the lengths that bound it.
    pub(super) lengths: Vec<u64>,
    /// Bytes of a step on a lane of the busiest channel, in the flow that was found.
    pub(super) bytes_per_lane: Option<Fraction>,
}

impl PairFlow {
    /// `None` where the operations send nothing between pairs.
    pub(super) fn new(scene: &Scene<'_>, operations: &[BoundedOperation<'_>]) -> Option<Self> {
        if scene.endpoints().count() < 2 {
            return None;
        }
        let topology = scene.topology;
        let chips: Vec<NodeId> = topology.endpoints().collect();
        let mut place = vec![usize::MAX; topology.node_count()];
        chips.iter().enumerate().for_each(|(index, chip)| place[chip.index()] = index);
        let sending = || operations.iter().filter(|bounded| !bounded.pairs.is_empty());
        let part = |bounded: &BoundedOperation<'_>| bounded.part_bytes().floor().max(1);
        let largest = sending().map(part).max()?;
        // Equal parts weigh 1 each.
        let heaviest = if sending().all(|bounded| part(bounded) == largest) { 1 } else { LARGEST_WEIGHT };
        let mut weights = vec![0u32; chips.len() * chips.len()];
        // The most bytes of a unit of weight.
        let mut unit = 0;
        for bounded in sending() {
            let weight = (part(bounded) * heaviest / largest).max(1);
            unit = part(bounded).div_ceil(weight).max(unit);
            for &(from, to) in bounded.pairs {
                weights[place[from.index()] * chips.len() + place[to.index()]] += weight as u32;
            }
        }
        let demand = Demand::matrix(chips.len(), weights).among_endpoints(topology.node_count(), chips);
        // Routers with images under a symmetry of the demand need no lengths of their own.
        let symmetry = topology.symmetry();
        let kept = if scene.keeps_symmetry() {
            symmetry.subgroup(|element| demand.is_kept_by(|node: NodeId| symmetry.image(element, node)))
        } else {
            symmetry.to_trivial()
        };
        let symmetric = topology.clone().with_symmetry(kept);
        let scene = Scene { topology: &symmetric, lit: scene.lit.clone(), dead: scene.dead.clone() };
        let start = vec![vec![1u32; symmetric.class_count(symmetric.symmetry())]];
        let flow =
            concurrent(&scene, &demand, StartLengths::Seeds(&start), FLOW, &fabc_base::progress::Silent);
        let class = |channel| symmetric.channel_class(symmetric.symmetry(), channel).index();
        let rate = flow.lower_end();
        Some(Self {
            lengths: symmetric.channels().map(|channel| flow.dual.lengths[class(channel)]).collect(),
            bytes_per_lane: (rate > Fraction::ZERO)
                .then(|| Fraction::new(rate.denominator() * unit, rate.numerator())),
        })
    }
}
