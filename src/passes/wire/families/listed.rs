//! Graphs from files. Routers and links are in the order of the file. Ports are those of the file, or the
//! lowest free ones.

use crate::wire::edge::UnnumberedLink;
use fabc_ir::LinkClass;
use fabc_model::Listed;

/// The links of the file.
pub(super) fn edges(listed: &Listed) -> Vec<UnnumberedLink> {
    let links = listed.links.iter();
    links
        .map(|link| UnnumberedLink {
            ends: link.ends,
            class: LinkClass::Local,
            link_type: link.link,
            ports: link.ports,
        })
        .collect()
}
