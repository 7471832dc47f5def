//! What the parts of a build keep (`fabc.kept.bin/1`, `fabc.kept_simulation.bin/1`), and what they are parts
//! of (`fabc.shards/1`).
//!
//! A line of JSON; the packed tables as they are in memory, or the report as a build writes it; and 32 bytes
//! of hash over all before.

use super::json::{push, push_lines, push_numbers, quote, strings};
use super::manifest::TOOL;
use super::simulation::simulation_json;
use super::tables::vc_rule;
use fabc_base::ids::{BlockId, Id};
use fabc_ir::{
    FlowCertificate, KeptHealthy, KeptScenario, KeptTables, PassRecord, Pieces, ShardPlan, Symmetry, Topology,
};
use fabc_model::Fabric;
use fabc_sim::SimReport;

/// A fault; `key` says of which build.
pub fn kept_fault(key: &str, kept: &KeptScenario) -> Vec<u8> {
    file(key, kept, "")
}

/// The healthy fabric.
pub fn kept_healthy(key: &str, healthy: &KeptHealthy) -> Vec<u8> {
    let KeptHealthy { nominal, flow, routing, pieces: Pieces { faults, simulations } } = healthy;
    let (rounds, sweeps, stopped_by) = (flow.rounds, flow.sweeps, quote(flow.stopped_by.name()));
    let mut more =
        format!(",\"healthy\":{{\"rounds\":{rounds},\"sweeps\":{sweeps},\"stopped_by\":{stopped_by}");
    push_flow(&mut more, flow.primal.as_ref());
    push_record(&mut more, routing.as_ref());
    let simulations = simulations
        .iter()
        .map(|(name, of)| format!("{{\"name\":{},\"scenarios\":{}}}", quote(name), quote(of.name())));
    push(&mut more, format_args!(",\"faults\":{},\"simulations\":", strings(faults)));
    push_numbers(&mut more, simulations);
    more.push('}');
    file(key, nominal, &more)
}

/// A simulation on one scenario, whose own file has the hash `tables`: on these tables, and no others, it was
/// run.
pub fn kept_simulation(
    key: &str,
    tables: &str,
    fabric: &Fabric,
    topology: &Topology,
    name: &str,
    report: &SimReport,
) -> Vec<u8> {
    let mut text = format!(
        "{{\"format\":\"fabc.kept_simulation.bin/1\",\"key\":{},\"simulation\":{},\"scenario\":{},\"tables\":{}}}\n",
        quote(key),
        quote(name),
        quote(&report.scenario),
        quote(tables)
    );
    text += &simulation_json(fabric, topology, Some(name), std::slice::from_ref(report));
    sealed(text.into_bytes())
}

/// The head has no line end of its own: it ends with the first one.
fn file(key: &str, kept: &KeptScenario, more: &str) -> Vec<u8> {
    let KeptScenario { scenario, lengths, flow, routed } = kept;
    let mut head = format!(
        "{{\"format\":\"fabc.kept.bin/1\",\"key\":{},\"scenario\":{},\"lengths\":",
        quote(key),
        quote(scenario)
    );
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
    sealed(bytes)
}

fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let hash = blake3::hash(&bytes);
    bytes.extend(hash.as_bytes());
    bytes
}

fn push_flow(out: &mut String, flow: Option<&FlowCertificate>) {
    let Some(FlowCertificate { demand, mirrored, busiest, parts, flows }) = flow else { return };
    push(
        out,
        format_args!(
            ",\"flow\":{{\"demand\":{demand},\"mirrored\":{mirrored},\"busiest\":{busiest},\"parts\":{parts},\"flows\":"
        ),
    );
    push_lines(out, flows, push_numbers);
    out.push('}');
}

fn push_symmetry(out: &mut String, symmetry: &Symmetry) {
    push(
        out,
        format_args!("\"block\":{},\"blocks\":{},\"generators\":", symmetry.block_size(), symmetry.blocks()),
    );
    push_lines(out, symmetry.generators(), |out, generator| {
        push_numbers(
            out,
            (0..symmetry.blocks()).map(|block| symmetry.image_block(generator, BlockId::new(block)).0),
        );
    });
}

fn push_record(out: &mut String, record: Option<&PassRecord>) {
    let Some(PassRecord { name, stopped_by, counters, notes }) = record else { return };
    let counters: Vec<String> =
        counters.iter().map(|(name, count)| format!("{}:{count}", quote(name))).collect();
    let (name, stopped_by, notes) = (quote(name), quote(stopped_by), strings(notes));
    let counters = counters.join(",");
    push(
        out,
        format_args!(
            ",\"routing\":{{\"name\":{name},\"stopped_by\":{stopped_by},\"counters\":{{{counters}}},\"notes\":{notes}}}"
        ),
    );
}

/// `shards.json` (`fabc.shards/1`): the build that the parts are of.
pub fn shards_json(plan: &ShardPlan) -> String {
    let ShardPlan { fabric, key, shards, options, tables } = plan;
    let options: Vec<String> =
        options.iter().map(|(name, value)| format!("{}:{}", quote(name), quote(value))).collect();
    format!(
        "{{\"format\":\"fabc.shards/1\",\"tool\":{},\"fabric\":{},\"key\":{},\"shards\":{shards},\"tables\":{},\n\"options\":{{{}}}}}\n",
        quote(TOOL),
        quote(fabric),
        quote(key),
        quote(tables),
        options.join(",")
    )
}
