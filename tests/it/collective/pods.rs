//! Built pods.

use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::ir::ForwardingTables;
use fabc::progress::Silent;

/// A pod of `specs/` without its faults, all passes run.
pub(crate) fn built(name: &str) -> CompiledFabric {
    let read = |path: &str| {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        Ok(text.replace("faults = 1 ocs", "faults = 0"))
    };
    let fabric = fabc::lang::read_normal(&format!("specs/{name}.fab"), &read)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}"))
        .0;
    compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// The tables of a scenario.
pub(crate) fn tables(compiled: &CompiledFabric, scenario: usize) -> ForwardingTables {
    compiled.scenarios[scenario]
        .routed
        .as_ref()
        .expect("tables")
        .tables
        .unpack()
        .expect("as they were packed")
}
