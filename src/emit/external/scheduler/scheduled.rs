//! The input of the files for schedulers.

use crate::compiled::CompiledFabric;
use crate::slices::PlacedPod;
use fabc_model::Fabric;

/// What the files for schedulers are about.
#[derive(Clone, Copy)]
pub enum Scheduled<'a> {
    /// A compiled fabric without slices.
    Whole(&'a CompiledFabric),
    /// A pod with placed slices.
    Placed(PlacedPod<'a>),
}

impl<'a> Scheduled<'a> {
    /// The fabric as the spec declares it.
    pub(super) fn fabric(self) -> &'a Fabric {
        match self {
            Scheduled::Whole(compiled) => &compiled.fabric,
            Scheduled::Placed(placed) => placed.fabric,
        }
    }
}
