//! Names of switches in files and as host names.

use super::chunks::EmitError;
use fabc_base::ids::{Id, NodeId};
use fabc_model::Family;
use std::collections::BTreeSet;

/// The name of a switch in files and host names, from the name of its router. Brackets, commas, dots and
/// blanks become `-`.
pub(super) fn switch_name(name: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
    name.trim_end_matches(']').chars().map(plain).collect()
}

/// Why a format that lists tiers refuses a network.
pub(super) const NO_TIERS: &str =
    "it has no tiers, with hosts at the bottom and links between neighboring tiers only";

/// Refuses boxes that no switch joins, and routers whose names would be the same.
pub(super) fn check_names(format: &'static str, family: &Family) -> Result<(), EmitError> {
    if matches!(family, Family::Boxes(boxes) if boxes.outside.is_none()) {
        let reason = "it is one box, without a switch outside";
        return Err(EmitError::NotHeld { format, reason });
    }
    let names = family.router_names();
    let distinct: BTreeSet<String> =
        (0..family.router_count()).map(|router| switch_name(&names.node(NodeId::new(router)))).collect();
    if distinct.len() < family.router_count() {
        let reason = "two of its routers have the same name once brackets, commas and blanks are `-`";
        return Err(EmitError::NotHeld { format, reason });
    }
    Ok(())
}
