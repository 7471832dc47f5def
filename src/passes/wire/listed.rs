//! Graphs from files: routers and links in the order of the file, ports as the file says, or the least free
//! ones.

use super::edge::Edge;
use fabc_ir::LinkClass;
use fabc_model::Listed;

/// The links of the file.
pub(super) fn edges(listed: &Listed) -> Vec<Edge> {
    let links = listed.links.iter();
    links
        .map(|link| Edge {
            ends: link.ends,
            class: LinkClass::Local,
            link_type: link.link,
            ports: link.ports,
        })
        .collect()
}
