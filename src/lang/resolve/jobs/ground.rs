//! What jobs are resolved against.

use crate::resolve::demand::Senders;
use crate::resolve::items::SpecItems;
use crate::resolve::scope::Scope;
use fabc_model::{Require, Router};

/// Whether switches can be set anew between the phases of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Switching {
    /// Switches join the fibers of cubes.
    Possible,
    /// The fabric has no switches of light.
    NoSwitches,
    /// The lengths of cables follow from the topology that is built.
    OnFloor,
}

/// What the jobs of a fabric are resolved against.
pub(in crate::resolve) struct JobGround<'a> {
    /// Number of chips. `None` for a network, or if it is in error.
    pub(super) chips: Option<u64>,
    /// Bytes of a flit. `None` if they are in error.
    pub(super) flit_bytes: Option<u32>,
    /// The contract. A line on a job in the worst fault needs all scenarios.
    pub(super) requires: &'a [Require],
    /// Whether switches can be set anew between the phases of a job.
    pub(super) switching: Switching,
    /// The files beside the spec.
    pub(super) scope: &'a Scope<'a>,
}

impl<'a> JobGround<'a> {
    /// The ground of a pod, whose chips all send.
    pub(in crate::resolve) fn of_pod(
        items: &SpecItems<'_>,
        chip: Option<&Router>,
        senders: Option<&Senders>,
        requires: &'a [Require],
        scope: &'a Scope<'a>,
    ) -> Self {
        let chips = senders.map(|senders| senders.count() as u64);
        let switching = match items.floor {
            Some(_) => Switching::OnFloor,
            None if items.ocs.is_empty() => Switching::NoSwitches,
            None => Switching::Possible,
        };
        Self { chips, flit_bytes: chip.map(|chip| chip.flit_bytes), requires, switching, scope }
    }

    /// The ground of a network, whose chips are counted later.
    pub(in crate::resolve) fn of_network(
        router: Option<&Router>,
        requires: &'a [Require],
        scope: &'a Scope<'a>,
    ) -> Self {
        let flit_bytes = router.map(|router| router.flit_bytes);
        Self { chips: None, flit_bytes, requires, switching: Switching::NoSwitches, scope }
    }
}
