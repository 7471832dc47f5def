//! Bounds that are printed apart, since no share counts them: along the tables, within the groups, and with
//! arithmetic in switches.

use super::{CollectivesError, Planner};
use crate::compile::collectives::plans::convicted;
use fabc_ir::{CollectiveBound, Fraction};
use fabc_model::{Collective, CollectiveAlgorithm};
use fabc_passes::collective::{least_time, switch_bound};

impl Planner<'_> {
    /// The bound on everything that follows the tables: the load of their busiest channel.
    pub(super) fn along(
        &mut self,
        collective: Collective,
        bytes: u64,
    ) -> Result<Option<(u128, CollectiveBound)>, CollectivesError> {
        let size = self.size()?;
        // Of groups, those that stay within them.
        let in_groups = self.request.groups.is_some();
        let planned = self.checked.iter().find(|((kind, algorithm, _), plans)| {
            *kind == collective
                && !plans.is_empty()
                && (!in_groups || *algorithm == CollectiveAlgorithm::Within)
        });
        let bounds = planned.map(|(_, plans)| plans[0].schedule.bounds.iter()).into_iter().flatten();
        let relative = bounds.filter(|bound| !bound.is_universal());
        let timed = relative.map(|bound| {
            let vectors = bound.volume().times(Fraction::new(1u8, size.chips.max(1)));
            (
                least_time(&self.cost, bytes, vectors, self.cost.least_hop() + self.cost.overhead),
                bound.clone(),
            )
        });
        Ok(timed.max_by_key(|(time, _)| *time))
    }

    /// The bound on an all-reduce in which switches add. The checker counts it again.
    pub(super) fn with_switches(
        &mut self,
        collective: Collective,
        bytes: u64,
    ) -> Result<Option<(u128, CollectiveBound)>, CollectivesError> {
        if collective != Collective::AllReduce || self.request.groups.is_some() {
            return Ok(None);
        }
        if self.switch_bound.is_none() {
            let bound = switch_bound(self.scene, &self.adders)?;
            if let Some(bound) = &bound {
                fabc_check::verify_switch_bound(self.scene, &self.adders, bound)
                    .map_err(|error| convicted(collective, "bound with switches", error))?;
            }
            self.switch_bound = Some(bound);
        }
        let delay = self.cost.least_hop() + self.cost.overhead;
        let bound = self.switch_bound.clone().flatten();
        Ok(bound.map(|bound| (least_time(&self.cost, bytes, bound.volume(), delay), bound)))
    }
}
