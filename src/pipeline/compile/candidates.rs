//! The topologies that a network may have.

use fabc_ir::Topology;
use fabc_model::{Fabric, Family, Network};
use fabc_passes::draw::{self, DrawError};
use fabc_passes::wire;

/// One where parameters tell the links; else those that are drawn or searched, among which the flow decides.
///
/// # Errors
/// [`DrawError`] where a draw fails as often as it may be attempted.
pub fn candidates(fabric: &Fabric, network: &Network) -> Result<Vec<Topology>, DrawError> {
    Ok(match &network.family {
        family if !family.is_drawn() => vec![wire::wire(fabric, network)],
        Family::Permuted(of) => {
            let base = wire::kinds(network, &of.base);
            let links: Vec<&draw::Links> = base.iter().map(|kind| &kind.links).collect();
            let drawn = draw::permuted(of, &links, network.span)?;
            drawn.iter().map(|drawn| wire::wire_permuted(fabric, network, &base, drawn)).collect()
        }
        family => draw::candidates(family, network.span)?
            .iter()
            .map(|links| wire::wire_drawn(fabric, network, links))
            .collect(),
    })
}
