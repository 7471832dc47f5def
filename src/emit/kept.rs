//! Writes the results that a shard of a build keeps (`fabc.kept.bin/1`, `fabc.kept_simulation.bin/1`), and
//! the description of the whole build (`fabc.shards/1`, `fabc.queue/1`).
//!
//! A kept file is one line of JSON, a body, and a hash of 32 bytes over both. The body is the packed tables
//! as in memory, or the simulation report as a build writes it.

use super::json::{push, push_lines, push_numbers, quote, strings};
use super::manifest::TOOL;
use super::simulation::simulation_json;
use super::tables::vc_rule;
use fabc_base::ids::{BlockId, Id};
use fabc_ir::{
    DualLengths, FlowCertificate, Fraction, KeptHealthy, KeptOrder, KeptScenario, KeptTables, LinkClass,
    PassRecord, QueuedPiece, ShardPlan, Symmetry, Topology, UniformTopology,
};
use fabc_model::Fabric;
use fabc_sim::SimReport;

/// The kept file of a fault. `key` identifies the build.
pub fn kept_fault(key: &str, kept: &KeptScenario) -> Vec<u8> {
    kept_file(key, kept, "")
}

/// The kept file of the healthy fabric.
pub fn kept_healthy(key: &str, healthy: &KeptHealthy) -> Vec<u8> {
    let KeptHealthy { nominal, flow, routing, order } = healthy;
    let (rounds, sweeps, stopped_by) = (flow.rounds, flow.sweeps, quote(flow.stopped_by.name()));
    let mut more =
        format!(",\"healthy\":{{\"rounds\":{rounds},\"sweeps\":{sweeps},\"stopped_by\":{stopped_by}");
    push_flow(&mut more, flow.primal.as_ref());
    push_record(&mut more, routing.as_ref());
    if let Some(KeptOrder { vcs, symmetric, ranks, lost }) = order {
        push(
            &mut more,
            format_args!(",\"order\":{{\"vcs\":{vcs},\"symmetric\":{symmetric},\"lost\":{lost},\"ranks\":"),
        );
        push_numbers(&mut more, ranks);
        more.push('}');
    }
    more.push('}');
    kept_file(key, nominal, &more)
}

/// The kept file of a simulation of one scenario. `tables` is the hash of that scenario's kept file, because
/// the result holds only for these tables.
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
    with_hash(text.into_bytes())
}

/// Assembles a kept file. The only line end is the one after the head.
fn kept_file(key: &str, kept: &KeptScenario, more: &str) -> Vec<u8> {
    let KeptScenario { scenario, lengths, shortest, flow, routed } = kept;
    let mut head = format!(
        "{{\"format\":\"fabc.kept.bin/1\",\"key\":{},\"scenario\":{},\"lengths\":",
        quote(key),
        quote(scenario)
    );
    push_numbers(&mut head, &lengths.lengths);
    // These numbers may exceed what JSON readers represent exactly, so they are strings.
    push(&mut head, format_args!(",\"volume\":\"{}\",\"distance\":\"{}\"", lengths.volume, lengths.distance));
    if let Some(DualLengths { lengths, volume, distance }) = shortest {
        head.push_str(",\"shortest\":{\"lengths\":");
        push_numbers(&mut head, lengths);
        push(&mut head, format_args!(",\"volume\":\"{volume}\",\"distance\":\"{distance}\"}}"));
    }
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
    with_hash(bytes)
}

/// The kept topology of a pod, with the record of its search and the flow on the topology for uniform demand.
pub fn kept_topology(
    key: &str,
    topology: &Topology,
    record: &PassRecord,
    uniform: Option<&UniformTopology>,
) -> Vec<u8> {
    let symmetry = topology.symmetry();
    let mut head = format!(
        "{{\"format\":\"fabc.kept_topology.bin/1\",\"key\":{},\"ports\":{},\"links\":",
        quote(key),
        topology.ports()
    );
    push_lines(&mut head, topology.links().iter(), |out, link| {
        let (a, b, is_local) = (link.a, link.b, link.class == LinkClass::Local);
        let link_type = link.link_type;
        push(out, format_args!("[{},{},{},{},{is_local},{link_type}]", a.node, a.port, b.node, b.port));
    });
    head.push_str(",\"symmetry\":{");
    push_symmetry(&mut head, symmetry);
    head.push('}');
    push_record(&mut head, Some(record));
    if let Some(UniformTopology { flow_low, flow_high }) = uniform {
        let fraction = |flow: &Fraction| format!("\"{}/{}\"", flow.numerator(), flow.denominator());
        push(&mut head, format_args!(",\"uniform\":[{},{}]", fraction(flow_low), fraction(flow_high)));
    }
    head.push('}');
    let mut bytes = head.replace('\n', "").into_bytes();
    bytes.push(b'\n');
    with_hash(bytes)
}

/// The bytes of a kept file with their hash.
pub(crate) fn with_hash(mut bytes: Vec<u8>) -> Vec<u8> {
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

/// The text of `shards.json` (`fabc.shards/1`), which describes the sharded build.
pub fn shards_json(plan: &ShardPlan) -> String {
    let ShardPlan { fabric, key, options, tables } = plan;
    let options: Vec<String> =
        options.iter().map(|(name, value)| format!("{}:{}", quote(name), quote(value))).collect();
    format!(
        "{{\"format\":\"fabc.shards/1\",\"tool\":{},\"fabric\":{},\"key\":{},\"tables\":{},\n\"options\":{{{}}}}}\n",
        quote(TOOL),
        quote(fabric),
        quote(key),
        quote(tables),
        options.join(",")
    )
}

/// The text of `queue.json`: the pieces of a build, in their order. `key` identifies the build.
pub fn queue_json(key: &str, pieces: &[QueuedPiece]) -> String {
    let mut out = format!("{{\"format\":\"fabc.queue/1\",\"key\":{},\"pieces\":", quote(key));
    push_lines(&mut out, pieces, |out, QueuedPiece { name, key }| {
        push(out, format_args!("[{},{}]", quote(name), quote(key)));
    });
    out.push_str("}\n");
    out
}
