//! The parts of a topology that a comparison of builds needs.

use fabc_ir::Symmetry;
use fabc_ir::read::{ClassLine, NetworkFile, TopologyFile, json, of_blocks, tagged};
use serde::Deserialize;

/// A `topology.json`, in either of its formats.
pub(super) struct ReadTopology {
    /// `[router]`: the names of the routers.
    pub(super) names: Vec<String>,
    /// The symmetry under which tables list canonical routers only.
    pub(super) symmetry: Symmetry,
    /// The links of a network. `None` for a pod, whose switches list all links.
    pub(super) network: Option<Vec<NetworkLink>>,
    /// `[router]`: its number of hosts.
    pub(super) hosts: Vec<u32>,
}

/// A link of a network.
pub(super) struct NetworkLink {
    pub(super) from: u32,
    pub(super) to: u32,
    /// Whether the link is global, and its declared link type.
    pub(super) kind: (bool, String),
    pub(super) simplex: bool,
}

impl ReadTopology {
    /// Reads a `topology.json`.
    ///
    /// # Errors
    /// A sentence that says what violates the format.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(expecting = "struct Tag")]
        struct TopologyTag {
            format: String,
        }
        let TopologyTag { format } = json(bytes)?;
        if format == "fabc.topology/2" {
            let NetworkFile { nodes, links, symmetry, .. } = tagged(bytes)?;
            let count = nodes.len() as u32;
            let block = symmetry.block.max(1);
            let links = links.into_iter().map(|link| NetworkLink {
                from: link.a.0,
                to: link.b.0,
                kind: (matches!(link.class, ClassLine::Global), link.link),
                simplex: link.simplex,
            });
            let links: Vec<NetworkLink> = links.collect();
            if links.iter().any(|link| link.from.max(link.to) >= count) {
                return Err("a link leads to a router that does not exist".to_owned());
            }
            let symmetry = block_symmetry(block, count, &symmetry.generators)?;
            let (names, hosts) = nodes.into_iter().map(|node| (node.name, u32::from(node.hosts))).unzip();
            return Ok(Self { names, hosts, symmetry, network: Some(links) });
        }
        let TopologyFile { nodes, symmetry, .. } = tagged(bytes)?;
        let cube = nodes.iter().take_while(|node| node.cube == 0).count().max(1) as u32;
        let symmetry = block_symmetry(cube, nodes.len() as u32, &symmetry.generators)?;
        let names: Vec<String> = nodes
            .iter()
            .map(|node| format!("cube{}[{},{},{}]", node.cube, node.at[0], node.at[1], node.at[2]))
            .collect();
        Ok(Self { hosts: vec![1; names.len()], names, symmetry, network: None })
    }
}

fn block_symmetry(block: u32, nodes: u32, generators: &[Vec<u32>]) -> Result<Symmetry, String> {
    if nodes == 0 || !nodes.is_multiple_of(block) {
        return Err(format!("{nodes} routers do not divide into blocks of {block}"));
    }
    of_blocks(block, nodes / block, generators)
        .map_err(|why| format!("its generators do not form a group: {why:?}"))
}
