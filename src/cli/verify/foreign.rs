//! `fabc sim --tables FILE --topology FILE`: reads third-party tables and their network for a simulation.
//!
//! The files describe wiring and routes. Options describe routers and links. Both together make a spec that
//! the simulator takes.

use crate::args::foreign::ForeignArgs;
use crate::io::read;
use crate::io::stop::Stop;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_pipeline::simulate::{ForeignFabric, ForeignFiles, ForeignRouter, foreign_fabric};
use fabc_pipeline::verify::{LaneFiles, NamedFile};
use std::path::Path;

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
    let ForeignArgs { vcs, buffer, flit, link_latency, router_latency, .. } = *args;
    let router = ForeignRouter { vcs, buffer, flit, link_latency, router_latency };
    let files = ForeignFiles { tables: of_tables, topology: of_topology, lanes };
    Ok(foreign_fabric(files, &router)?)
}
