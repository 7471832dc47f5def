//! What the parts of a build keep (`fabc.kept.bin/1`), and what they are parts of (`fabc.shards/1`).
//!
//! A line of JSON, the packed tables as they are in memory, and 32 bytes of hash over all before.

use super::json::{push, push_lines, push_numbers, quote, strings};
use super::manifest::TOOL;
use super::tables::vc_rule;
use crate::ids::{BlockId, Id};
use crate::ir::{FlowCertificate, KeptHealthy, KeptScenario, KeptTables, PassRecord, ShardPlan, Symmetry};

/// A fault; `key` says of which build.
pub fn kept_fault(key: &str, kept: &KeptScenario) -> Vec<u8> {
    file(key, kept, "")
}

/// The healthy fabric.
pub fn kept_healthy(key: &str, healthy: &KeptHealthy) -> Vec<u8> {
    let KeptHealthy { nominal, flow, routing, faults } = healthy;
    let (rounds, sweeps, stopped_by) = (flow.rounds, flow.sweeps, quote(flow.stopped_by.name()));
    let mut more = format!(",\"healthy\":{{\"rounds\":{rounds},\"sweeps\":{sweeps},\"stopped_by\":{stopped_by}");
    push_flow(&mut more, flow.primal.as_ref());
    push_record(&mut more, routing.as_ref());
    push(&mut more, format_args!(",\"faults\":{}}}", strings(faults)));
    file(key, nominal, &more)
}

/// The head has no line end of its own: it ends with the first one.
fn file(key: &str, kept: &KeptScenario, more: &str) -> Vec<u8> {
    let KeptScenario { scenario, lengths, flow, routed } = kept;
    let mut head = format!("{{\"format\":\"fabc.kept.bin/1\",\"key\":{},\"scenario\":{},\"lengths\":", quote(key), quote(scenario));
    push_numbers(&mut head, &lengths.lengths);
    // Past what readers of JSON take for exact.
    push(&mut head, format_args!(",\"volume\":\"{}\",\"distance\":\"{}\"", lengths.volume, lengths.distance));
    push_flow(&mut head, flow.as_ref());
    if let Some(KeptTables { tables, ranks }) = routed {
        let (vcs, key, rule) = (tables.vcs, strings(tables.key.columns()), vc_rule(tables.key));
        push(&mut head, format_args!(",\"tables\":{{\"vcs\":{vcs},\"key\":{key},{rule}"));
        push_symmetry(&mut head, &tables.symmetry);
        head.push_str(",\"ranks\":");
        push_numbers(&mut head, ranks);
        head.push_str(",\"actions\":");
        push_lines(&mut head, &tables.actions, |out, (in_port, in_vc, out_port, out_vc)| {
            push(out, format_args!("[{in_port},{in_vc},{out_port},{out_vc}]"));
        });
        head.push('}');
    }
    head.push_str(more);
    head.push('}');
    let mut bytes = head.replace('\n', "").into_bytes();
    bytes.push(b'\n');
    bytes.extend(routed.iter().flat_map(|kept| &kept.tables.body));
    let hash = blake3::hash(&bytes);
    bytes.extend(hash.as_bytes());
    bytes
}

fn push_flow(out: &mut String, flow: Option<&FlowCertificate>) {
    let Some(FlowCertificate { demand, mirrored, busiest, parts, flows }) = flow else { return };
    push(out, format_args!(",\"flow\":{{\"demand\":{demand},\"mirrored\":{mirrored},\"busiest\":{busiest},\"parts\":{parts},\"flows\":"));
    push_lines(out, flows, push_numbers);
    out.push('}');
}

fn push_symmetry(out: &mut String, symmetry: &Symmetry) {
    push(out, format_args!("\"block\":{},\"blocks\":{},\"generators\":", symmetry.block_size(), symmetry.blocks()));
    push_lines(out, symmetry.generators(), |out, generator| {
        push_numbers(out, (0..symmetry.blocks()).map(|block| symmetry.image_block(generator, BlockId::new(block)).0));
    });
}

fn push_record(out: &mut String, record: Option<&PassRecord>) {
    let Some(PassRecord { name, stopped_by, counters, notes }) = record else { return };
    let counters: Vec<String> = counters.iter().map(|(name, count)| format!("{}:{count}", quote(name))).collect();
    let (name, stopped_by, notes) = (quote(name), quote(stopped_by), strings(notes));
    let counters = counters.join(",");
    push(out, format_args!(",\"routing\":{{\"name\":{name},\"stopped_by\":{stopped_by},\"counters\":{{{counters}}},\"notes\":{notes}}}"));
}

/// `shards.json` (`fabc.shards/1`): the build that the parts are of.
pub fn shards_json(plan: &ShardPlan) -> String {
    let ShardPlan { fabric, key, shards, options, tables } = plan;
    let options: Vec<String> = options.iter().map(|(name, value)| format!("{}:{}", quote(name), quote(value))).collect();
    format!(
        "{{\"format\":\"fabc.shards/1\",\"tool\":{},\"fabric\":{},\"key\":{},\"shards\":{shards},\"tables\":{},\n\"options\":{{{}}}}}\n",
        quote(TOOL),
        quote(fabric),
        quote(key),
        quote(tables),
        options.join(",")
    )
}
