//! Writes a repair for people and as `fabc.repair/1`, and its changes as `fabc.delta/1`.

use super::Artifact;
use super::json::{push, push_int, push_lines, push_numbers, quote, strings};
use super::number::grouped;
use fabc_base::ids::NodeId;
use fabc_ir::{
    Delta, EntryKey, Fraction, Repair, RepairBlocks, RepairStep, RouterDelta, TableChange, TableEntry,
    TableKey,
};

/// Summarizes a repair for people. `routers` is the number of routers of the fabric, and `word` is its word
/// for a router.
pub fn repair_text(repair: &Repair, routers: usize, word: &str) -> String {
    let Repair { fabric, down, since, step, delta, loads, unserved, .. } = repair;
    let mut out = String::new();
    let failed = failed_parts(down);
    let how = match step {
        RepairStep::Covered(scenario) => format!("the build has tables for this, those of {scenario}"),
        RepairStep::Local => "broken routes are replaced".to_owned(),
        RepairStep::Full => "all routes were chosen once more".to_owned(),
        RepairStep::NewOrder => {
            "all routes were chosen once more, under ranks of the surviving network".to_owned()
        }
    };
    push(&mut out, format_args!("{fabric} without {failed}: {how}\n"));
    let load = |load: u64| Fraction::new(load, loads.parts.max(1)).as_f64();
    let bound = loads.bound.map_or_else(String::new, |bound| {
        format!(", and no routing of the surviving network has less than {:.0}", load(bound).ceil())
    });
    push(
        &mut out,
        format_args!("  load {}, {} when healthy{bound}\n", load(loads.repaired), load(loads.nominal)),
    );
    if *unserved > 0 {
        push(
            &mut out,
            format_args!("  {} ordered pairs of {word}s are cut off from each other\n", grouped(*unserved)),
        );
    }
    let [add, turn, drop] = delta.counts().map(grouped);
    push(
        &mut out,
        format_args!(
            "  {} of {} {word}s change: {add} entries added, {turn} turned, {drop} dropped\n",
            grouped(delta.routers.len() as u64),
            grouped(routers as u64)
        ),
    );
    if let Some(since) = since {
        push(&mut out, format_args!("  from the live tables without {}\n", failed_parts(since)));
    }
    if let Some(RepairBlocks { above, below }) = &repair.blocks {
        for (change, how) in [(above, "above, in unused virtual channels"), (below, "below, back again")] {
            let [add, turn, drop] = change.delta.counts().map(grouped);
            let folder = change.order.name();
            push(
                &mut out,
                format_args!(
                    "  the ranks are new: {folder}/delta.json leads {how}: {add} entries added, {turn} turned, {drop} dropped\n"
                ),
            );
        }
    } else if !repair.warm {
        out.push_str("  the ranks are new: install the tables while no packet is in flight\n");
    }
    if !repair.is_live() {
        return out;
    }
    if !delta.routers.is_empty() {
        out.push_str("  pass by pass, each when all routers have done the one before; nothing can deadlock in between\n");
        let stranded = repair.blocks.as_ref().map_or(delta, |blocks| &blocks.above.delta).stranded.len();
        if stranded > 0 {
            let keys_have = if stranded == 1 {
                "1 key has".to_owned()
            } else {
                format!("{} keys have", grouped(stranded as u64))
            };
            push(
                &mut out,
                format_args!(
                    "  {keys_have} no other path: packets that wait there must be discarded (`stranded` in repair.json)\n"
                ),
            );
        }
    }
    out
}

/// Names of failed parts, for people.
fn failed_parts(names: &[String]) -> String {
    match names {
        [name] => name.clone(),
        [first, .., last] => format!("{} parts from {first} to {last}", names.len()),
        [] => "nothing".to_owned(),
    }
}

/// The text of `repair.json`, which describes a repair.
pub fn repair_json(repair: &Repair) -> String {
    let Repair { fabric, down, since, step, ranks, delta, blocks, loads, unserved, .. } = repair;
    let mut out =
        format!("{{\"format\":\"fabc.repair/1\",\"fabric\":{},\"down\":{},", quote(fabric), strings(down));
    if let Some(since) = since {
        push(&mut out, format_args!("\"since\":{},", strings(since)));
    }
    push(&mut out, format_args!("\"step\":\"{}\",", step.name()));
    if let RepairStep::Covered(scenario) = step {
        push(&mut out, format_args!("\"scenario\":{},", quote(scenario)));
    }
    let order = repair.order();
    let bound = loads.bound.map_or("null".to_owned(), |bound| bound.to_string());
    push(
        &mut out,
        format_args!(
            "\"order\":\"{order}\",\"live\":{},\n\"load\":{{\"nominal\":{},\"repaired\":{},\"bound\":{bound},\"parts\":{}}},\"unserved\":{unserved},\"routers\":{},\"changed\":",
            repair.is_live(),
            loads.nominal,
            loads.repaired,
            loads.parts,
            delta.routers.len()
        ),
    );
    push_numbers(&mut out, delta.counts());
    out.push_str(",\n\"stranded\":");
    push_keys(&mut out, &delta.stranded);
    if let Some(ranks) = ranks {
        out.push_str(",\n\"ranks\":");
        push_numbers(&mut out, ranks);
    }
    if let Some(RepairBlocks { above, below }) = blocks {
        out.push_str(",\n\"blocks\":");
        push_lines(&mut out, [("above", above), ("below", below)], |out, (folder, change)| {
            out.push_str("{\"stage\":null");
            push_change(out, folder, change);
        });
    }
    out.push_str("}\n");
    out
}

/// The files of a repair besides its tables: itself, and its changes.
pub fn repair_files(repair: &Repair) -> Vec<Artifact> {
    let file = |path: &str, text: String| Artifact { path: path.to_owned(), bytes: text.into_bytes() };
    let delta =
        |folder: &str, delta: &Delta| file(&format!("{folder}delta.json"), delta_json(&repair.fabric, delta));
    let mut files = vec![file("repair.json", repair_json(repair)), delta("", &repair.delta)];
    if let Some(RepairBlocks { above, below }) = &repair.blocks {
        files.extend([delta("above/", &above.delta), delta("below/", &below.delta)]);
    }
    files
}

/// Writes keys of routers as `[router, dst, in port, in VC]`.
fn push_keys(out: &mut String, keys: &[(NodeId, EntryKey)]) {
    push_lines(out, keys, |out, (router, EntryKey { dst, in_port, in_vc })| {
        push(out, format_args!("[{router},{dst},{in_port},{in_vc}]"));
    });
}

/// Writes the members of a stage or of the final change that describe its tables.
pub(super) fn push_change(out: &mut String, folder: &str, change: &TableChange) {
    let (load, order) = (change.load, change.order.name());
    push(
        out,
        format_args!(",\"load\":{load},\"order\":\"{order}\",\"delta\":\"{folder}/delta.json\",\"changed\":"),
    );
    push_numbers(out, change.delta.counts());
    push(out, format_args!(",\"keys_most\":{},\"waits\":", change.keys_most));
    push_keys(out, &change.delta.stranded);
    out.push('}');
}

/// The text of `delta.json`, with all changed table entries.
pub fn delta_json(fabric: &str, delta: &Delta) -> String {
    let mut out = format!("{{\"format\":\"fabc.delta/1\",\"fabric\":{},\"routers\":", quote(fabric));
    push_lines(&mut out, &delta.routers, |out, RouterDelta { router, add, turn, drop }| {
        push(out, format_args!("{{\"router\":{router},\"add\":"));
        push_entries(out, add);
        out.push_str(",\"turn\":");
        push_entries(out, turn);
        out.push_str(",\"drop\":[");
        for (index, EntryKey { dst: NodeId(dst), in_port, in_vc }) in drop.iter().enumerate() {
            out.push_str(if index > 0 { ",[" } else { "[" });
            for (position, number) in
                [i64::from(*dst), i64::from(*in_port), i64::from(*in_vc)].into_iter().enumerate()
            {
                out.push_str(if position > 0 { "," } else { "" });
                push_int(out, number);
            }
            out.push(']');
        }
        out.push_str("]}");
    });
    out.push_str("}\n");
    out
}

fn push_entries(out: &mut String, entries: &[TableEntry]) {
    out.push('[');
    for (index, entry) in entries.iter().enumerate() {
        out.push_str(if index > 0 { ",[" } else { "[" });
        for (position, number) in entry.numbers(TableKey::DstInput).enumerate() {
            out.push_str(if position > 0 { "," } else { "" });
            push_int(out, number);
        }
        out.push(']');
    }
    out.push(']');
}
