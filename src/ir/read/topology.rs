//! `topology.json`: `fabc.topology/1` for a pod, `fabc.topology/2` for a network.

use super::json::formats;
use serde::Deserialize;
use serde::de::DeserializeOwned;

formats! {
    TopologyFile = "fabc.topology/1";
    NetworkFile = "fabc.topology/2";
}

/// The form of a pod.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopologyFile {
    format: String,
    pub fabric: String,
    pub ports: Vec<String>,
    pub nodes: Vec<NodeLine>,
    pub links: Vec<LinkLine>,
    pub symmetry: SymmetryLine,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeLine {
    pub id: u32,
    pub cube: u32,
    pub at: [u32; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkLine {
    pub id: u32,
    pub a: (u32, u16),
    pub b: (u32, u16),
    pub kind: LinkKind,
    #[serde(default)]
    pub ocs: Option<String>,
    /// Length of its path in 0.1 m, where there is a floor.
    #[serde(default)]
    pub length: Option<u32>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename = "KindLine", rename_all = "lowercase")]
pub enum LinkKind {
    Copper,
    Fiber,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SymmetryLine {
    pub generators: Vec<Vec<u32>>,
}

/// The form of a network.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkFile {
    format: String,
    pub fabric: String,
    pub ports: u16,
    pub nodes: Vec<RouterOfNetwork>,
    pub links: Vec<LinkOfNetwork>,
    pub symmetry: BlockSymmetry,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouterOfNetwork {
    pub id: u32,
    pub name: String,
    pub hosts: u16,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkOfNetwork {
    pub id: u32,
    pub a: (u32, u16),
    pub b: (u32, u16),
    pub class: ClassLine,
    pub link: String,
    /// Length of its cable in 0.1 m, where there is a floor.
    #[serde(default)]
    pub length: Option<u32>,
    #[serde(default)]
    pub simplex: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClassLine {
    Local,
    Global,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockSymmetry {
    pub block: u32,
    pub generators: Vec<Vec<u32>>,
}

/// The generators of either form. Everything else is skipped.
#[derive(Deserialize)]
pub struct Generators {
    pub symmetry: AnySymmetry,
}

#[derive(Deserialize)]
pub struct AnySymmetry {
    pub generators: Vec<Vec<u32>>,
}

/// A topology from any program, in either form: what a walk needs.
pub struct AnyTopology {
    /// `[port]`: the name of the port.
    pub port_names: Vec<String>,
    /// The routers, in the order of the file.
    pub routers: Vec<AnyRouter>,
    pub links: Vec<AnyLink>,
    pub generators: Vec<Vec<u32>>,
    /// Routers of a block, which the generators move as a whole. At least 1.
    pub block: usize,
    /// Whether it is a pod, whose endpoints are inside its routers.
    pub pod: bool,
}

pub struct AnyRouter {
    pub id: u32,
    pub name: String,
    pub hosts: u16,
}

/// A link between two (router, port). A simplex link runs from `a` to `b`.
#[derive(Clone, Copy, Deserialize)]
pub struct AnyLink {
    pub a: (u32, u16),
    pub b: (u32, u16),
    #[serde(default)]
    pub simplex: bool,
    /// The class: inside a group or between groups, where the file says so.
    #[serde(default)]
    pub class: Option<ClassLine>,
}

impl AnyTopology {
    /// Reads either form, skipping keys that a walk does not need.
    ///
    /// # Errors
    /// (line, message) of the first violation of the format.
    pub fn read(text: &str) -> Result<Self, (usize, String)> {
        #[derive(Deserialize)]
        #[serde(rename = "Tag")]
        struct FormatTag {
            format: String,
        }
        let FormatTag { format } = json(text)?;
        match format.as_str() {
            "fabc.topology/1" => json(text).map(AnyPod::topology),
            "fabc.topology/2" => json(text).map(AnyNetwork::topology),
            _ => Err((
                1,
                format!(
                    "its format is `{format}`, but this fabc reads `fabc.topology/1` and `fabc.topology/2`"
                ),
            )),
        }
    }
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, (usize, String)> {
    serde_json::from_str(text).map_err(|error| (error.line(), error.to_string()))
}

#[derive(Deserialize)]
struct AnyPod {
    ports: Vec<String>,
    nodes: Vec<AnyChip>,
    links: Vec<TwoWayLink>,
    symmetry: Option<AnySymmetry>,
}

#[derive(Deserialize)]
struct AnyChip {
    id: u32,
    cube: Option<u32>,
    at: Option<[u32; 3]>,
}

/// A link of a pod, which is never simplex, whatever else the file says.
#[derive(Deserialize)]
struct TwoWayLink {
    a: (u32, u16),
    b: (u32, u16),
}

impl AnyPod {
    fn topology(self) -> AnyTopology {
        let cubes: Vec<u32> = self.nodes.iter().map(|node| node.cube.unwrap_or(node.id)).collect();
        let router = |AnyChip { id, cube, at }: AnyChip| {
            let name = match (cube, at) {
                (Some(cube), Some([x, y, z])) => format!("cube{cube}[{x},{y},{z}]"),
                _ => format!("node{id}"),
            };
            AnyRouter { id, name, hosts: 1 }
        };
        AnyTopology {
            port_names: self.ports,
            routers: self.nodes.into_iter().map(router).collect(),
            links: self
                .links
                .into_iter()
                .map(|TwoWayLink { a, b }| AnyLink { a, b, simplex: false, class: None })
                .collect(),
            generators: self.symmetry.map(|symmetry| symmetry.generators).unwrap_or_default(),
            block: cubes.iter().take_while(|cube| **cube == cubes[0]).count().max(1),
            pod: true,
        }
    }
}

#[derive(Deserialize)]
struct AnyNetwork {
    ports: u16,
    nodes: Vec<AnyNode>,
    links: Vec<AnyLink>,
    symmetry: Option<AnyBlockSymmetry>,
}

#[derive(Deserialize)]
struct AnyBlockSymmetry {
    block: Option<u32>,
    generators: Vec<Vec<u32>>,
}

#[derive(Deserialize)]
struct AnyNode {
    id: u32,
    name: Option<String>,
    hosts: Option<u16>,
}

impl AnyNetwork {
    fn topology(self) -> AnyTopology {
        let router = |AnyNode { id, name, hosts }| AnyRouter {
            id,
            name: name.unwrap_or_else(|| format!("node{id}")),
            hosts: hosts.unwrap_or(1),
        };
        let (block, generators) =
            self.symmetry.map_or((None, Vec::new()), |symmetry| (symmetry.block, symmetry.generators));
        AnyTopology {
            port_names: (0..self.ports).map(|port| format!("port{port}")).collect(),
            routers: self.nodes.into_iter().map(router).collect(),
            links: self.links,
            generators,
            block: block.unwrap_or(1).max(1) as usize,
            pod: false,
        }
    }
}
