//! What jobs are resolved against.

use crate::resolve::demand::Senders;
use crate::resolve::scope::Scope;
use fabc_model::{Require, Router};

/// What the jobs of a fabric are resolved against.
pub(in crate::resolve) struct JobGround<'a> {
    /// Number of chips. `None` for a network, or if it is in error.
    pub(in crate::resolve) chips: Option<u64>,
    /// Bytes of a flit. `None` if they are in error.
    pub(in crate::resolve) flit_bytes: Option<u32>,
    /// The contract. A line on a job in the worst fault needs all scenarios.
    pub(in crate::resolve) requires: &'a [Require],
    /// The files beside the spec.
    pub(in crate::resolve) scope: &'a Scope<'a>,
}

impl<'a> JobGround<'a> {
    /// The ground of a pod, whose chips all send.
    pub(in crate::resolve) fn of_pod(
        chip: Option<&Router>,
        senders: Option<&Senders>,
        requires: &'a [Require],
        scope: &'a Scope<'a>,
    ) -> Self {
        let chips = senders.map(|senders| senders.count() as u64);
        Self { chips, flit_bytes: chip.map(|chip| chip.flit_bytes), requires, scope }
    }
}
