//! Convicts bounds that their witnesses do not prove.

use super::ScheduleError;
use crate::CheckError;
use fabc_ir::CollectiveBound;
use std::fmt::Display;

/// Convicts a bound that its witness does not prove. `counted` is what the witness proves, or the reason why
/// it proves nothing.
pub(super) fn compare_bound(
    index: usize,
    claimed: &CollectiveBound,
    counted: Result<CollectiveBound, impl Display>,
) -> Result<(), CheckError> {
    match counted {
        Err(reason) => Err(ScheduleError::shape(format!("bound {index} {reason}")).into()),
        Ok(counted) if counted != *claimed => Err(unlike_bound(index, claimed, &counted)),
        Ok(_) => Ok(()),
    }
}

/// The conviction of a bound that is not the one of its witness.
pub(super) fn unlike_bound(index: usize, claimed: &CollectiveBound, counted: &CollectiveBound) -> CheckError {
    let (claimed, counted) = (format!("{claimed:?}"), format!("{counted:?}"));
    ScheduleError::Bound { bound: index, claimed, counted }.into()
}
