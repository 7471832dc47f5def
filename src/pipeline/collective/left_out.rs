//! The collectives that cannot be planned on a scenario, or would take long.

use crate::compile::collectives::{CollectivesError, ScenarioCollectives};
use fabc_ir::CollectiveLeftOut;
use fabc_model::Collective;

/// What collectives that follow forwarding tables lack in a directory without such tables.
pub(super) struct MissingTables<'a, E> {
    /// The error for a collective that was named.
    pub(super) error: &'a dyn Fn() -> E,
    /// The reason why one that was not named is left out.
    pub(super) reason: &'static str,
}

/// The collectives that are left out on a scenario, with the reasons. A collective that the user `named` is
/// never left out: it is an error if it lacks tables, which are then `missing`.
pub(super) fn left_out_collectives<E>(
    planned: &mut ScenarioCollectives<'_>,
    collectives: &[Collective],
    missing: Option<&MissingTables<'_, E>>,
    named: bool,
    stop: &dyn Fn(CollectivesError) -> E,
) -> Result<Vec<CollectiveLeftOut>, E> {
    let mut left_out = Vec::new();
    for &collective in collectives {
        let reason = match missing {
            _ if !planned.is_sent(collective) => None,
            Some(missing) if named => return Err((missing.error)()),
            Some(missing) => Some(missing.reason),
            None if named || planned.is_tried(collective).map_err(stop)? => None,
            None => Some("it would take long here and was not tried: name it with `--collective ..`"),
        };
        left_out.extend(reason.map(|reason| CollectiveLeftOut { collective, reason }));
    }
    Ok(left_out)
}
