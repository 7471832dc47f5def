//! `fabc verify --collective FILE.json --topology FILE`: verifies a third-party execution plan of MSCCL++.

use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::verify::verdict::VERIFIED;
use fabc_pipeline::verify::JudgedExecutionPlan;
use serde_json::{Value, json};

/// Prints the verdict on a plan.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn say_execution_plan(
    plan: &JudgedExecutionPlan,
    file: &str,
    topology: &str,
    terminal: Terminal,
) -> Result<(), Stop> {
    Ok(terminal.say_result(|| plan_json(file, topology, plan), || plan_text(file, topology, plan))?)
}

fn plan_json(file: &str, topology: &str, plan: &JudgedExecutionPlan) -> Value {
    let judged = if plan.result.is_some() { "result" } else { "structure" };
    let JudgedExecutionPlan { name, collective, gpus, chunks, root, blocks, operations, .. } = plan;
    let JudgedExecutionPlan { all_operations, memory_channels, port_channels, pairs, .. } = plan;
    let JudgedExecutionPlan { channels, sharing, busiest, moved, in_place, .. } = plan;
    json!({
        "format": VERIFIED, "verified": file, "topology": topology, "name": name, "collective": collective, "judged": judged, "gpus": gpus, "chunks": chunks,
        "root": root, "thread_blocks": blocks, "operations": operations, "all_operations": all_operations,
        "memory_channels": memory_channels, "port_channels": port_channels, "pairs": pairs, "channels": channels,
        "pairs_of_a_channel": sharing, "busiest_thousandths": busiest, "moved_thousandths": moved, "in_place": in_place,
    })
}

fn plan_text(file: &str, topology: &str, plan: &JudgedExecutionPlan) -> String {
    let JudgedExecutionPlan { name, collective, gpus, chunks, blocks, operations, .. } = plan;
    let JudgedExecutionPlan { all_operations, memory_channels, port_channels, pairs, .. } = plan;
    let JudgedExecutionPlan { channels, sharing, .. } = plan;
    let root = plan.root.as_ref().map_or(String::new(), |root| format!(" with the root {root}"));
    let calls = if plan.in_place { "in place" } else { "out of place" };
    let result = match plan.result {
        None => "the result of this collective is unknown: all but the result was judged".to_owned(),
        Some(_) => format!("every gpu gets what it should, {calls}"),
    };
    let shared = match sharing {
        0 | 1 => "each its own".to_owned(),
        _ => format!("up to {sharing} share one, and its bandwidth"),
    };
    let [moved, busiest] = [plan.moved, plan.busiest].map(chunk_count);
    format!(
        "verified {file} ({name}) on {topology}: {collective}{root}, {gpus} gpus, {chunks} chunks\n  \
         at most {blocks} thread blocks of {operations} operations, {all_operations} operations in all\n  \
         {memory_channels} memory channels and {port_channels} port channels signal; {pairs} pairs over {channels} channels, {shared}\n  \
         {moved} chunks moved, {busiest} by the busiest channel\n  \
         nothing waits forever, and signals order all that is read and written\n  \
         {result}"
    )
}

/// Chunks, from thousandths of a chunk.
fn chunk_count(thousandths: u64) -> String {
    let (whole, rest) = (thousandths / 1000, thousandths % 1000);
    if rest == 0 { whole.to_string() } else { format!("{whole}.{rest:03}").trim_end_matches('0').to_owned() }
}
