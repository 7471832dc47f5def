//! `fabc verify --collective FILE.xml --topology FILE`: verifies a third-party program for thread blocks.

use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::verify::verdict::VERIFIED;
use fabc_pipeline::verify::JudgedProgram;
use serde_json::json;

/// The number of steps per thread block that every runtime accepts: RCCL is built with 64.
const SAFE_STEPS: u64 = 64;

/// Prints the verdict on a program.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn say_program(
    program: &JudgedProgram,
    file: &str,
    topology: &str,
    terminal: Terminal,
) -> Result<(), Stop> {
    let judged = if program.result.is_some() { "result" } else { "structure" };
    let document = || {
        let JudgedProgram { name, collective, gpus, chunks, root, blocks, steps, all_steps, .. } = program;
        let JudgedProgram { connections, channels, sharing, transfers, held, .. } = program;
        let JudgedProgram { in_place, out_of_place, .. } = program;
        json!({
            "format": VERIFIED, "verified": file, "topology": topology, "name": name, "collective": collective, "judged": judged, "gpus": gpus, "chunks": chunks,
            "root": root, "thread_blocks": blocks, "steps": steps, "all_steps": all_steps, "connections": connections, "channels": channels,
            "connections_of_a_channel": sharing, "transfers": transfers, "held_transfers": held, "in_place": in_place, "out_of_place": out_of_place,
        })
    };
    terminal.say_result(document, || program_text(file, topology, program))?;
    if program.steps > SAFE_STEPS {
        terminal.note(&format!(
            "a thread block has {} steps: RCCL takes {SAFE_STEPS}, unless it was built for more",
            program.steps
        ));
    }
    Ok(())
}

fn program_text(file: &str, topology: &str, program: &JudgedProgram) -> String {
    let JudgedProgram { name, collective, gpus, chunks, blocks, steps, all_steps, .. } = program;
    let JudgedProgram { connections, channels, sharing, transfers, held, .. } = program;
    let root = program.root.as_ref().map_or(String::new(), |root| format!(" with the root {root}"));
    let calls = match (program.in_place, program.out_of_place) {
        (true, true) => "in place and out of place",
        (true, false) => "in place",
        _ => "out of place",
    };
    let result = match program.result {
        None => "a custom collective: only its structure was judged".to_owned(),
        Some(_) => format!("every gpu gets what it should, {calls}"),
    };
    let shared = match sharing {
        0 | 1 => "each its own".to_owned(),
        _ => format!("up to {sharing} share one, and its bandwidth"),
    };
    let waits = match held {
        0 => "nothing waits forever, even where both ends of a connection must meet".to_owned(),
        1 => "nothing waits forever if a connection holds one transfer".to_owned(),
        _ => format!("nothing waits forever if a connection holds {held} transfers"),
    };
    format!(
        "verified {file} ({name}) on {topology}: {collective}{root}, {gpus} gpus, {chunks} chunks\n  \
         at most {blocks} thread blocks of {steps} steps, {all_steps} steps in all\n  \
         {connections} connections over {channels} channels, {shared}; {transfers} chunks sent\n  \
         {waits}\n  \
         {result}"
    )
}
