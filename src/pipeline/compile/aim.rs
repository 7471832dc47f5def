//! What the routes of a scenario balance: the demand of the fabric, or what its jobs send.
//!
//! In: a topology, its demand, and jobs with their placements. Out: a demand, and prices of the channels for
//! it.

use fabc_base::progress::Silent;
use fabc_ir::{DualLengths, Scene, Survivors, Topology};
use fabc_job_plan::{PlacedJob, message_demand};
use fabc_model::{Demand, Fabric, Pod, TopologyChoice};
use fabc_passes::flow::{self, FlowSettings, StartLengths};
use fabc_passes::synth;
use std::borrow::Cow;

/// What the jobs send that a topology was searched for, with prices of the channels.
pub(super) struct JobAim {
    demand: Demand,
    prices: DualLengths,
    /// The sides of the torus that the search took, if it took one.
    torus: Option<[u32; 3]>,
}

impl JobAim {
    /// The aim for jobs on a healthy topology. `None` where no job has messages. `torus` are the sides of the
    /// topology, if it is a torus.
    pub(super) fn new(
        fabric: &Fabric,
        topology: &Topology,
        torus: Option<[u32; 3]>,
        jobs: &[PlacedJob<'_>],
    ) -> Option<Self> {
        let demand = message_demand(topology, jobs)?;
        let seeds = synth::start_lengths(topology, &demand);
        let settings = FlowSettings { primal: false, ..FlowSettings::certificate(fabric.effort()) };
        let seeds = StartLengths::Seeds(&seeds);
        let flow = flow::concurrent(&Scene::healthy(topology), &demand, seeds, settings, &Silent);
        Some(Self { demand, prices: flow.dual, torus })
    }

    /// Prices of the channels for what the jobs send.
    pub(super) fn prices(&self) -> &DualLengths {
        &self.prices
    }

    /// The aim on all routers of the topology.
    pub(super) fn whole(&self) -> RouteAim<'_> {
        let (demand, prices) = (Cow::Borrowed(&self.demand), Cow::Borrowed(&self.prices));
        RouteAim { demand, prices, torus: self.torus }
    }

    /// The aim among the survivors of a fault that breaks the symmetry.
    pub(super) fn surviving(
        &self,
        topology: &Topology,
        scene: &Scene<'_>,
        survivors: &Survivors,
    ) -> RouteAim<'_> {
        let demand = Survivors::new(scene, &self.demand).demand;
        let prices = survivors.lengths_from_whole(topology, &self.prices);
        RouteAim { demand: Cow::Owned(demand), prices: Cow::Owned(prices), torus: None }
    }
}

/// What the routes of a scenario balance.
pub(super) struct RouteAim<'a> {
    /// The demand whose busiest channel counts.
    pub(super) demand: Cow<'a, Demand>,
    /// Prices of the channels for it.
    pub(super) prices: Cow<'a, DualLengths>,
    /// The sides of a torus whose closed form routes may start from.
    pub(super) torus: Option<[u32; 3]>,
}

impl<'a> RouteAim<'a> {
    /// The aim of a fabric whose routes balance its demand.
    pub(super) fn of_demand(fabric: &Fabric, demand: &'a Demand, prices: &'a DualLengths) -> Self {
        let torus = torus(fabric).map(|(_, sides)| sides).filter(|_| demand.is_uniform());
        RouteAim { demand: Cow::Borrowed(demand), prices: Cow::Borrowed(prices), torus }
    }
}

/// The pod of a torus, and its sides. `None` for any other fabric.
pub(super) fn torus(fabric: &Fabric) -> Option<(&Pod, [u32; 3])> {
    let pod = fabric.pod()?;
    if let TopologyChoice::Torus(dims) = pod.topology { Some((pod, dims)) } else { None }
}
