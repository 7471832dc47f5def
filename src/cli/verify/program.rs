//! `fabc verify --collective FILE.xml --topology FILE`: a program for thread blocks, of whomever.

use crate::io::errors::Stop;
use crate::io::terminal::Terminal;
use crate::verify::foreign::rejected;
use fabc_check::{JudgedProgram, NamedFile};
use fabc_pipeline::show::MessageFormat;
use serde_json::json;

/// Steps of a thread block that every runtime takes: RCCL is built with 64.
const SAFE_STEPS: u64 = 64;

/// Judges a program, and says what was found.
///
/// # Errors
/// A file that is not what its format says; a program that is wrong.
pub(crate) fn program(file: NamedFile<'_>, network: NamedFile<'_>, terminal: Terminal) -> Result<(), Stop> {
    let found = fabc_check::foreign_program(file, network).map_err(rejected)?;
    let judged = if found.result.is_some() { "result" } else { "structure" };
    terminal.say(&if terminal.format == MessageFormat::Json {
        let JudgedProgram { name, collective, gpus, chunks, root, blocks, steps, all_steps, .. } = &found;
        let JudgedProgram { connections, channels, sharing, transfers, held, in_place, out_of_place, .. } = &found;
        json!({
            "verified": file.name, "topology": network.name, "name": name, "collective": collective, "judged": judged, "gpus": gpus, "chunks": chunks,
            "root": root, "thread_blocks": blocks, "steps": steps, "all_steps": all_steps, "connections": connections, "channels": channels,
            "connections_of_a_channel": sharing, "transfers": transfers, "held_transfers": held, "in_place": in_place, "out_of_place": out_of_place,
        })
        .to_string()
    } else {
        text(file.name, network.name, &found)
    })?;
    if found.steps > SAFE_STEPS {
        terminal.note(&format!(
            "a thread block has {} steps: RCCL takes {SAFE_STEPS}, unless it was built for more",
            found.steps
        ));
    }
    Ok(())
}

fn text(file: &str, topology: &str, found: &JudgedProgram) -> String {
    let JudgedProgram { name, collective, gpus, chunks, blocks, steps, all_steps, .. } = found;
    let JudgedProgram { connections, channels, sharing, transfers, held, .. } = found;
    let root = found.root.as_ref().map_or(String::new(), |root| format!(" with the root {root}"));
    let calls = match (found.in_place, found.out_of_place) {
        (true, true) => "in place and out of place",
        (true, false) => "in place",
        _ => "out of place",
    };
    let result = match found.result {
        None => "a custom collective: only its structure was judged".to_owned(),
        Some(_) => format!("every gpu gets what it should, {calls}"),
    };
    let shared = match sharing {
        0 | 1 => "each its own".to_owned(),
        _ => format!("up to {sharing} share one, and its bandwidth"),
    };
    let waits = match held {
        0 => "nobody waits for ever, even where both ends of a connection must meet".to_owned(),
        1 => "nobody waits for ever if a connection holds one transfer".to_owned(),
        _ => format!("nobody waits for ever if a connection holds {held} transfers"),
    };
    format!(
        "verified {file} ({name}) on {topology}: {collective}{root}, {gpus} gpus, {chunks} chunks\n  \
         at most {blocks} thread blocks of {steps} steps, {all_steps} steps in all\n  \
         {connections} connections over {channels} channels, {shared}; {transfers} chunks sent\n  \
         {waits}\n  \
         {result}"
    )
}
