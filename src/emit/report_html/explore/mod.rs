//! What the script of the page explores: the picture of the fabric, the loads of its channels and the tables
//! of its routers, as one compressed block of data.
//!
//! The block is a text in base64. Decompressed (raw DEFLATE), it is the length of a head in four bytes,
//! lowest first, then the head as JSON, then integers in LEB128. `explore.js` reads it. Invariant:
//! everything in it was proved, because `fabc verify` writes it again from proved values.

mod busy;
mod head;
mod jobs;
mod paged;
mod pipelines;
mod simulated;
mod stream;

pub use paged::paged_tables;

use crate::compiled::CompiledFabric;
use crate::number::grouped;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::{Value, context};
use paged::PagedScenarios;
use stream::Stream;

/// Maximum routers of a fabric whose page has the block.
const ROUTERS: usize = 40_000;
/// Level of compression. The highest one gains a few percent.
const LEVEL: u8 = 9;

/// The block and the words beside it, for the template. `None` for a fabric that is too large.
pub(super) fn explore(compiled: &CompiledFabric) -> Option<Value> {
    if compiled.topology.node_count() > ROUTERS {
        return None;
    }
    let paged = PagedScenarios::new(compiled);
    let layout = super::layout::layout(compiled);
    let mut stream = Stream::default();
    paged.loaded.iter().for_each(|&scenario| stream.push_loads(compiled, scenario));
    let groups: Vec<serde_json::Value> =
        paged.tabled.iter().filter_map(|&scenario| stream.push_tables(compiled, scenario)).collect();
    let jobs::DrawnSchedules { drawn: jobs, undrawn } = jobs::job_events(compiled);
    jobs.iter().for_each(|job| stream.push_all(job.numbers(&compiled.topology)));
    let simulated::DrawnRuns { drawn: runs, all: all_runs } = simulated::simulated_runs(compiled, &paged);
    runs.iter().for_each(|run| stream.push_all(run.numbers.iter().copied()));
    let parts = head::HeadParts { layout: &layout, paged: &paged, groups, jobs: &jobs, runs: &runs };
    let head = head::head(compiled, parts).to_string();
    let mut bytes = (head.len() as u32).to_le_bytes().to_vec();
    bytes.extend(head.into_bytes());
    bytes.extend(stream.bytes);
    let packed = miniz_oxide::deflate::compress_to_vec(&bytes, LEVEL);
    let scenarios = compiled.scenarios.len();
    Some(context! {
        data => STANDARD.encode(packed),
        picture => layout.words,
        routed => !paged.loaded.is_empty(),
        jobs => !jobs.is_empty(),
        undrawn => undrawn.join(", "),
        simulated => !runs.is_empty(),
        drawn_runs => if runs.len() < all_runs { format!("{} of {all_runs}", runs.len()) } else { String::new() },
        faults => scenarios > 1,
        loads => grouped(paged.loaded.len() as u64),
        tables => grouped(paged.tabled.len() as u64),
        scenarios => grouped(scenarios as u64),
        all_loads => paged.loaded.len() == scenarios,
        all_tables => paged.tabled.len() == scenarios,
    })
}
