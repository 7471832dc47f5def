//! The candidate topologies of a network.

use fabc_ir::Topology;
use fabc_model::{Fabric, Family, Network};
use fabc_passes::draw::{self, DrawError};
use fabc_passes::wire;

/// The candidate topologies of a network. There is one where parameters determine the links. Otherwise they
/// are drawn or searched, and the flow decides among them.
///
/// # Errors
/// [`DrawError`] where a draw fails in every allowed attempt.
pub fn candidates(fabric: &Fabric, network: &Network) -> Result<Vec<Topology>, DrawError> {
    Ok(match &network.family {
        family if !family.is_drawn() => vec![wire::wire(fabric, network)],
        Family::Permuted(permuted) => {
            let base = wire::links_by_kind(network, &permuted.base);
            let links: Vec<&draw::LinkPairs> = base.iter().map(|kind| &kind.links).collect();
            let drawn = draw::permuted_candidates(permuted, &links, network.span)?;
            drawn.iter().map(|drawn| wire::wire_permuted(fabric, network, &base, drawn)).collect()
        }
        Family::Synthesized(free) if free.seeks_symmetry() => {
            let symmetric = draw::symmetric_graphs(free);
            if symmetric.is_empty() {
                return drawn_candidates(fabric, network);
            }
            let wired = |graph: &draw::SymmetricGraph| {
                wire::wire_symmetric(fabric, network, &graph.links, &graph.images)
            };
            symmetric.iter().map(wired).collect()
        }
        _ => return drawn_candidates(fabric, network),
    })
}

/// The topologies of a network that is drawn or searched without symmetry.
fn drawn_candidates(fabric: &Fabric, network: &Network) -> Result<Vec<Topology>, DrawError> {
    let drawn = draw::candidates(&network.family, network.span)?;
    Ok(drawn.iter().map(|links| wire::wire_drawn(fabric, network, links)).collect())
}
