//! The collectives that cannot be planned on a scenario, or would take long.

use crate::compile::collectives::{CollectivesError, ScenarioCollectives};
use fabc_ir::CollectiveLeftOut;
use fabc_model::Collective;

/// The collectives that are left out on a scenario, with the reasons. A collective that the user `named` is
/// never left out: it is an error if it lacks tables.
pub(super) fn left_out_collectives<E>(
    planned: &mut ScenarioCollectives<'_>,
    collectives: &[Collective],
    has_tables: bool,
    named: bool,
    no_tables: &dyn Fn() -> E,
    stop: &dyn Fn(CollectivesError) -> E,
) -> Result<Vec<CollectiveLeftOut>, E> {
    let mut left_out = Vec::new();
    for &collective in collectives {
        let reason = match has_tables {
            _ if !planned.is_sent(collective) => None,
            false if named => return Err(no_tables()),
            false => Some(
                "it follows forwarding tables, and this directory has none: its build stopped before routing",
            ),
            true if named || planned.is_tried(collective).map_err(stop)? => None,
            true => Some("it would take long here and was not tried: name it with `--collective ..`"),
        };
        left_out.extend(reason.map(|reason| CollectiveLeftOut { collective, reason }));
    }
    Ok(left_out)
}
