//! Writes one CSV file per router and scenario, with every router listed.

use super::chunks::{EmitError, Take};
use crate::compiled::CompiledFabric;
use crate::json::{push, push_int};
use crate::tables::tables_path;
use fabc_base::csv::quoted;
use fabc_base::ids::{Id, PortId};

/// Writes `nominal/router_00000.csv`, `fault-X_0_0/router_00000.csv`, and so on.
pub(super) fn tables<E: From<EmitError>>(compiled: &CompiledFabric, take: &mut Take<'_, E>) -> Result<(), E> {
    for scenario in &compiled.scenarios {
        let Some(routed) = &scenario.routed else { continue };
        let tables = routed.tables.unpacked();
        let path = tables_path(&scenario.scenario.name);
        let folder = path.strip_prefix("tables/").unwrap_or(&path);
        for node in compiled.topology.nodes() {
            let mut out = "dst,destination,in_port,in_vc,out_port,out_vc\n".to_owned();
            for entry in tables.router(node) {
                push_int(&mut out, i64::from(entry.dst.0));
                push(&mut out, format_args!(",{},", quoted(&compiled.topology.name(entry.dst))));
                let port = |port: u16| compiled.topology.names().port(PortId(port));
                match u16::try_from(entry.in_port) {
                    Ok(from) => push(&mut out, format_args!("{},{}", port(from), entry.in_vc)),
                    // The entry holds for every input.
                    Err(_) if tables.key.is_by_destination() => out.push_str("any,"),
                    Err(_) => out.push_str("inject,"),
                }
                let vc = tables.key.vc_rule().map_or_else(|| entry.out_vc.to_string(), str::to_owned);
                push(&mut out, format_args!(",{},{vc}\n", port(entry.out_port)));
            }
            take(&format!("{folder}/router_{:05}.csv", node.index()), out.as_bytes())?;
        }
    }
    Ok(())
}
