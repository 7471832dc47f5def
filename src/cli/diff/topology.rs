//! The topology of a build, as far as builds are compared.

use fabc_ir::Symmetry;
use fabc_ir::read::{ClassLine, NetworkFile, TopologyFile, json, of_blocks, tagged};
use serde::Deserialize;

/// A `topology.json`, in either form.
pub(crate) struct ReadTopology {
    /// `[router]`
    pub(crate) names: Vec<String>,
    /// What carries tables that list canonical routers only.
    pub(crate) symmetry: Symmetry,
    /// The links of a network; `None` of a pod, whose switches say all.
    pub(crate) network: Option<Vec<NetworkLink>>,
    /// `[router]`
    pub(crate) hosts: Vec<u32>,
}

/// A link of a network.
pub(crate) struct NetworkLink {
    pub(crate) ends: [u32; 2],
    /// Class and declared link.
    pub(crate) kind: (bool, String),
    pub(crate) simplex: bool,
}

impl ReadTopology {
    /// Reads a `topology.json`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Tag {
            format: String,
        }
        let Tag { format } = json(bytes)?;
        if format == "fabc.topology/2" {
            let NetworkFile { nodes, links, symmetry, .. } = tagged(bytes)?;
            let count = nodes.len() as u32;
            let block = symmetry.block.max(1);
            let links = links.into_iter().map(|link| NetworkLink {
                ends: [link.a.0, link.b.0],
                kind: (matches!(link.class, ClassLine::Global), link.link),
                simplex: link.simplex,
            });
            let links: Vec<NetworkLink> = links.collect();
            if links.iter().any(|link| link.ends.iter().any(|end| *end >= count)) {
                return Err("a link leads to a router that there is not".to_owned());
            }
            let symmetry = closed(block, count, &symmetry.generators)?;
            let (names, hosts) = nodes.into_iter().map(|node| (node.name, u32::from(node.hosts))).unzip();
            return Ok(Self { names, hosts, symmetry, network: Some(links) });
        }
        let TopologyFile { nodes, symmetry, .. } = tagged(bytes)?;
        let cube = nodes.iter().take_while(|node| node.cube == 0).count().max(1) as u32;
        let symmetry = closed(cube, nodes.len() as u32, &symmetry.generators)?;
        let names: Vec<String> = nodes
            .iter()
            .map(|node| format!("cube{}[{},{},{}]", node.cube, node.at[0], node.at[1], node.at[2]))
            .collect();
        Ok(Self { hosts: vec![1; names.len()], names, symmetry, network: None })
    }
}

fn closed(block: u32, nodes: u32, generators: &[Vec<u32>]) -> Result<Symmetry, String> {
    if nodes == 0 || !nodes.is_multiple_of(block) {
        return Err(format!("{nodes} routers are no blocks of {block}"));
    }
    of_blocks(block, nodes / block, generators)
        .map_err(|why| format!("its generators make no group: {why:?}"))
}
