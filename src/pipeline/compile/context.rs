//! The values that every scenario of a fabric is compiled from.

use fabc_base::ids::OcsId;
use fabc_check::CountedExpectations;
use fabc_emit::compiled::CompiledPod;
use fabc_ir::{CrossConnects, DualLengths, Topology, fault_flows_are_listed};
use fabc_model::Fabric;
use fabc_passes::measure::collision::KnownExpectations;

/// The values that every scenario of a fabric is compiled from.
pub(super) struct ScenarioContext<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) topology: &'a Topology,
    /// Present for a pod only.
    pub(super) cross_connects: Option<&'a CrossConnects>,
    /// The channel lengths that prove the flow of the healthy fabric.
    pub(super) lengths: &'a DualLengths,
    /// The disjoint trees of the healthy pod. Empty for a network.
    pub(super) trees: &'a [Vec<OcsId>],
    /// Whether every fault scenario gets a flow of its own.
    pub(super) fault_flows: bool,
    /// Number of fault scenarios, without the nominal one.
    pub(super) faults: usize,
    /// Expectations of collisions that scenarios have in common, as the pass computes them.
    pub(super) expectations: KnownExpectations,
    /// The same as the checker counts them.
    pub(super) recounted: CountedExpectations,
}

impl<'a> ScenarioContext<'a> {
    /// The same scenarios, for a part of the fabric.
    pub(super) fn of_part<'p>(&'p self, part: &'p Fabric) -> ScenarioContext<'p> {
        ScenarioContext {
            fabric: part,
            expectations: KnownExpectations::default(),
            recounted: CountedExpectations::default(),
            ..*self
        }
    }

    pub(super) fn new(
        fabric: &'a Fabric,
        topology: &'a Topology,
        pod: Option<&'a CompiledPod>,
        lengths: &'a DualLengths,
        faults: usize,
    ) -> Self {
        let (trees, cross_connects) =
            (pod.map_or(&[][..], |pod| &pod.trees), pod.map(|pod| &pod.cross_connects));
        let fault_flows = fault_flows_are_listed(topology, faults);
        Self {
            fabric,
            topology,
            cross_connects,
            lengths,
            trees,
            fault_flows,
            faults,
            expectations: KnownExpectations::default(),
            recounted: CountedExpectations::default(),
        }
    }
}
