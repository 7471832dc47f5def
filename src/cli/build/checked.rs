//! What `fabc check` says about a spec without errors, as text and as `fabc.checked/1`.

use crate::build::front::unmeasured_note;
use crate::io::errors::DriverError;
use crate::io::terminal::Terminal;
use fabc_emit::compiled::DescribedNetwork;
use fabc_model::{Fabric, Plant};
use fabc_pipeline::compile::least_build_size;
use serde_json::{Value, json};

/// Says that a spec has no errors. `undecided` requires can only be measured by a build.
///
/// # Errors
/// `DriverError::Stdout` if standard output cannot be written.
pub(crate) fn say_checked(
    fabric: &Fabric,
    summary: &str,
    undecided: usize,
    terminal: Terminal,
) -> Result<(), DriverError> {
    terminal.say_result(
        || document(fabric, summary, undecided),
        || format!("{}: no errors ({summary}){}", fabric.name, unmeasured_note(undecided)),
    )
}

/// Says that a fabric is wired as its spec declares.
///
/// # Errors
/// `DriverError::Stdout` if standard output cannot be written.
pub(crate) fn say_wired(
    fabric: &Fabric,
    summary: &str,
    undecided: usize,
    links: usize,
    terminal: Terminal,
) -> Result<(), DriverError> {
    let measures = "`--until analyze` measures distances and throughput";
    terminal.say_result(
        || {
            let mut document = document(fabric, summary, undecided);
            document["links"] = json!(links);
            document
        },
        || format!("{}: wired ({summary}){}\n{measures}", fabric.name, unmeasured_note(undecided)),
    )
}

/// Says what formulas and a sample tell about a network that is too large to be built.
///
/// # Errors
/// `DriverError::Stdout` if standard output cannot be written.
pub(crate) fn say_described(
    fabric: &Fabric,
    summary: &str,
    described: &DescribedNetwork,
    terminal: Terminal,
) -> Result<(), DriverError> {
    terminal.say_result(
        || {
            let form = &described.form;
            let requires: Vec<Value> = described
                .requires
                .iter()
                .map(|outcome| json!({ "text": outcome.require.text(), "holds": outcome.holds() }))
                .collect();
            let undecided = described.requires.iter().filter(|outcome| outcome.holds().is_none()).count();
            let mut document = document(fabric, summary, undecided);
            document["links"] = json!(form.links);
            document["by_formula"] = json!({
                "routers": form.routers, "endpoints": form.endpoints, "degrees": form.degrees,
                "diameter": form.router_diameter.hops, "requires": requires,
            });
            document
        },
        || {
            let text = fabc_emit::described_text(fabric, described);
            format!("{}: no errors ({summary})\n{text}", fabric.name)
        },
    )
}

/// The members that every document has.
fn document(fabric: &Fabric, summary: &str, undecided: usize) -> Value {
    let plant = match &fabric.plant {
        _ if !fabric.slices.kinds.is_empty() => "slices",
        Plant::Pod(_) => "pod",
        Plant::Network(_) => "network",
    };
    let size = least_build_size(fabric);
    json!({
        "format": "fabc.checked/1", "fabric": fabric.name, "plant": plant, "summary": summary,
        "requires": fabric.requires.len(), "undecided": undecided,
        "size": { "routers": size.routers, "entries": size.entries, "bytes": size.bytes },
    })
}
