//! Third-party tables and their network, as a fabric that the simulator takes.
//!
//! The files describe wiring and routes. Options describe routers and links. Both together make a spec.

use fabc_base::diag::{Failure, SourceMap};
use fabc_check::{ForeignScene, LaneFiles, NamedFile, ReadScene, ReadSimulated, Rejected};
use fabc_ir::{RouterNames, ScenarioTables, Scene, Symmetry, Topology};
use fabc_model::{Arcs, Fabric, Family, Listed, ListedLink, ListedRouter, Plant};

/// A third-party fabric: described by options, with the topology and tables of its files.
pub struct ForeignFabric {
    /// The fabric with the routers and links of the files.
    pub fabric: Fabric,
    /// The spec that stands for the options, for messages.
    pub sources: SourceMap,
    /// The topology of the files with all links lit, and the tables, which are proved.
    pub healthy: ReadSimulated,
    /// Whether endpoints are inside routers, as the chips of a pod are.
    pub chips: bool,
}

/// Virtual channels to add to those of the tables, if `--vcs` is not given.
const EXTRA_VCS: u8 = 2;

/// The files of a third-party fabric.
pub struct ForeignFiles<'a> {
    /// The forwarding tables of anybody.
    pub tables: NamedFile<'a>,
    /// The network of the tables.
    pub topology: NamedFile<'a>,
    /// The virtual lanes of an InfiniBand subnet.
    pub lanes: Option<LaneFiles<'a>>,
}

/// What no file says of the routers and links of a third-party fabric.
pub struct ForeignRouter {
    /// Virtual channels of a port. `None` for two more than the tables use.
    pub vcs: Option<u8>,
    /// The size of a queue in flits.
    pub buffer: u32,
    /// The size of a flit in bytes.
    pub flit: u32,
    /// The latency of a link in cycles.
    pub link_latency: u32,
    /// The latency of a router in cycles.
    pub router_latency: u32,
}

/// Why third-party files make no fabric.
#[derive(Debug)]
pub enum UnfitForeign {
    /// The checker rejects a file.
    Rejected(Rejected),
    /// The options make no spec.
    Options(Failure, SourceMap),
}

impl From<Rejected> for UnfitForeign {
    fn from(rejected: Rejected) -> Self {
        UnfitForeign::Rejected(rejected)
    }
}

/// Judges third-party tables on their network, and makes a fabric of both.
///
/// # Errors
/// [`UnfitForeign::Rejected`] for a file that violates its format, or tables that lose packets or can
/// deadlock. [`UnfitForeign::Options`] for options that make no spec.
pub fn foreign_fabric(
    files: ForeignFiles<'_>,
    router: &ForeignRouter,
) -> Result<ForeignFabric, UnfitForeign> {
    let ForeignScene { routers, ports, links, tables: laid_out, chips, .. } =
        fabc_check::foreign_scene(files.tables, files.topology, files.lanes)?;
    let (mut fabric, sources) = placeholder_fabric(router, laid_out.vcs)?;
    fabric.name = files.tables.name.to_owned();
    let hosts = routers.iter().map(|(_, hosts)| *hosts).collect();
    let names: Vec<String> = routers.iter().map(|(name, _)| name.clone()).collect();
    let symmetry = Symmetry::trivial(1, routers.len() as u32);
    let listed = Listed {
        path: files.topology.name.to_owned(),
        text: String::new(),
        routers: routers.into_iter().map(|(name, hosts)| ListedRouter { name, hosts: Some(hosts) }).collect(),
        links: links
            .iter()
            .map(|link| ListedLink {
                ends: [link.a.node.0, link.b.node.0],
                link: link.link_type,
                ports: [Some(link.a.port.0), Some(link.b.port.0)],
            })
            .collect(),
        arcs: if links.iter().any(|link| link.simplex) { Arcs::Simplex } else { Arcs::Duplex },
    };
    if let Plant::Network(network) = &mut fabric.plant {
        network.family = Family::Listed(listed);
    }
    let topology =
        Topology::new(ports, links, symmetry).with_hosts(hosts).named(RouterNames::Listed(names.into()));
    let topology = topology.with_capacities(fabric.capacities.clone());
    let wiring = ReadScene { lit: Scene::healthy(&topology).lit, dead: Vec::new(), topology };
    let healthy = ReadSimulated { wiring, tables: ScenarioTables::OnePath(laid_out) };
    Ok(ForeignFabric { fabric, sources, healthy, chips })
}

/// A fabric with these routers and links. Its own network is a placeholder for the one that is read.
fn placeholder_fabric(router: &ForeignRouter, table_vcs: u8) -> Result<(Fabric, SourceMap), UnfitForeign> {
    let ForeignRouter { vcs, buffer, flit, link_latency, router_latency } = router;
    let vcs = vcs.unwrap_or(table_vcs.saturating_add(EXTRA_VCS));
    let spec = format!(
        "fabric foreign {{\n    clock = 1 GHz;\n    link wire {{ bandwidth = {flit} GB/s; latency = {link_latency} cycles; }}\n    \
         router {{ radix = 8; hosts = 1; vcs = {vcs}; flit = {flit} B; buffer = {buffer} flits; latency = {router_latency} cycles; }}\n    \
         budget {{ vcs = 1; }}\n    topology = mesh 2;\n}}\n"
    );
    let read = |_: &str| Ok::<String, String>(spec.clone());
    let (fabric, _, sources) = fabc_lang::read_normal("options", &read)
        .map_err(|(failure, sources)| UnfitForeign::Options(failure, sources))?;
    Ok((fabric, sources))
}
