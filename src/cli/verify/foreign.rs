//! `fabc sim --tables FILE --topology FILE`: reads third-party tables and their network for a simulation.
//!
//! The files describe wiring and routes. Options describe routers and links. Both together make a spec that
//! the simulator takes.

use crate::args::foreign::ForeignArgs;
use crate::io::read;
use crate::io::stop::Stop;
use fabc_base::diag::SourceMap;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{ForeignScene, LaneFiles, NamedFile, Rejected};
use fabc_ir::{ForwardingTables, RouterNames, Symmetry, Topology};
use fabc_model::{Arcs, Fabric, Family, Listed, ListedLink, ListedRouter, Plant};
use std::path::Path;

/// A third-party fabric: described by options, with the topology and tables of its files.
pub(crate) struct ForeignFabric {
    pub(crate) fabric: Fabric,
    pub(crate) sources: SourceMap,
    pub(crate) topology: Topology,
    pub(crate) tables: ForwardingTables,
    /// Whether endpoints are inside routers, as the chips of a pod are.
    pub(crate) chips: bool,
}

/// Virtual channels to add to those of the tables, if `--vcs` is not given.
const EXTRA_VCS: u8 = 2;

/// Reads and judges tables and network, and builds a fabric from them.
///
/// # Errors
/// `CheckError`s: exit code 1 for a file that cannot be read, and 3 for convicted tables.
pub(crate) fn read_foreign(args: &ForeignArgs, tables: &str, topology: &str) -> Result<ForeignFabric, Stop> {
    let bytes = |path: &str| read::read_bytes(Path::new(path), ARTIFACT_BYTES);
    let (tables_bytes, topology_bytes) = (bytes(tables)?, bytes(topology)?);
    let [of_tables, of_topology] =
        [(tables, &tables_bytes), (topology, &topology_bytes)].map(|(name, bytes)| NamedFile { name, bytes });
    let beside = |path: &Option<String>| {
        path.as_ref().map(|path| Ok::<_, Stop>((path.clone(), bytes(path)?))).transpose()
    };
    let (sl2vl, path_sl) = (beside(&args.sl2vl)?, beside(&args.path_sl)?);
    let [sl2vl, path_sl] =
        [&sl2vl, &path_sl].map(|read| read.as_ref().map(|(name, bytes)| NamedFile { name, bytes }));
    let lanes = sl2vl.map(|sl2vl| LaneFiles { sl2vl, path_sl });
    let ForeignScene { routers, ports, links, tables: laid_out, chips, .. } =
        fabc_check::foreign_scene(of_tables, of_topology, lanes).map_err(rejected_stop)?;
    let (mut fabric, sources) = placeholder_fabric(args, laid_out.vcs)?;
    fabric.name = tables.to_owned();
    let hosts = routers.iter().map(|(_, hosts)| *hosts).collect();
    let names: Vec<String> = routers.iter().map(|(name, _)| name.clone()).collect();
    let symmetry = Symmetry::trivial(1, routers.len() as u32);
    let listed = Listed {
        path: topology.to_owned(),
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
    Ok(ForeignFabric { fabric, sources, topology, tables: laid_out, chips })
}

/// A fabric with these routers and links. Its own network is a placeholder for the one that is read.
fn placeholder_fabric(args: &ForeignArgs, table_vcs: u8) -> Result<(Fabric, SourceMap), Stop> {
    let ForeignArgs { vcs, buffer, flit, link_latency, router_latency, .. } = args;
    let vcs = vcs.unwrap_or(table_vcs.saturating_add(EXTRA_VCS));
    let spec = format!(
        "fabric foreign {{\n    clock = 1 GHz;\n    link wire {{ bandwidth = {flit} GB/s; latency = {link_latency} cycles; }}\n    \
         router {{ radix = 8; hosts = 1; vcs = {vcs}; flit = {flit} B; buffer = {buffer} flits; latency = {router_latency} cycles; }}\n    \
         budget {{ vcs = 1; }}\n    topology = mesh 2;\n}}\n"
    );
    let read = |_: &str| Ok::<String, String>(spec.clone());
    let (fabric, _, sources) = fabc_lang::read_normal("options", &read)?;
    Ok((fabric, sources))
}

/// Ends a command because third-party files were rejected.
pub(crate) fn rejected_stop(rejected: Rejected) -> Stop {
    let (errors, exit_code) = match rejected {
        Rejected::Unreadable(error) => (vec![*error], 1),
        Rejected::Convicted(errors) => (errors, 3),
    };
    Stop {
        diagnostics: errors.into_iter().map(|error| Box::new(error) as _).collect(),
        sources: SourceMap::default(),
        exit_code,
    }
}
