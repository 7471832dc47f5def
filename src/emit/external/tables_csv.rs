//! One CSV file per router and scenario, every router written out.

use super::{EmitError, Take};
use crate::compiled::Compiled;
use crate::emit::json::{push, push_int};
use crate::emit::{tables_path, unpacked};
use crate::ids::Id;
use crate::model::PORT_NAMES;

/// `nominal/router_00000.csv`, `fault-X_0_0/router_00000.csv`, ..
pub(super) fn tables<E: From<EmitError>>(compiled: &Compiled, take: &mut Take<'_, E>) -> Result<(), E> {
    for scenario in &compiled.scenarios {
        let Some(routed) = &scenario.routed else { continue };
        let tables = unpacked(&routed.tables);
        let path = tables_path(&scenario.scenario);
        let folder = path.strip_prefix("tables/").unwrap_or(&path);
        for node in compiled.topology.nodes() {
            let mut out = "dst,destination,in_port,in_vc,out_port,out_vc\n".to_owned();
            for entry in tables.router(node) {
                push_int(&mut out, i64::from(entry.dst.0));
                push(&mut out, format_args!(",\"{}\",", compiled.of_pod().0.node_name(entry.dst)));
                match usize::try_from(entry.in_port) {
                    Ok(port) => push(&mut out, format_args!("{},{}", PORT_NAMES[port], entry.in_vc)),
                    Err(_) => out.push_str("inject,"),
                }
                push(&mut out, format_args!(",{},{}\n", PORT_NAMES[usize::from(entry.out_port)], entry.out_vc));
            }
            take(&format!("{folder}/router_{:05}.csv", node.index()), out.as_bytes())?;
        }
    }
    Ok(())
}
