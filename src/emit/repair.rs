//! A repair: for people, as `fabc.repair/1`, and its changes as `fabc.delta/1`.

use super::json::{push, push_int, push_lines, push_numbers, quote, strings};
use super::number::grouped;
use fabc_base::ids::NodeId;
use fabc_ir::{Delta, Entry, Fraction, Key, Repair, RepairStep, RouterDelta, TableKey};

/// What a repair comes to, for people. `routers` are all of the fabric.
pub fn repair_text(repair: &Repair, routers: usize, word: &str) -> String {
    let Repair { fabric, down, since, step, delta, loads, unserved, .. } = repair;
    let mut out = String::new();
    let what = parts(down);
    let how = match step {
        RepairStep::Covered(scenario) => format!("the build has tables for this, those of {scenario}"),
        RepairStep::Local => "broken routes go other ways".to_owned(),
        RepairStep::Full => "all routes were chosen once more".to_owned(),
        RepairStep::NewOrder => {
            "no other ways rise in rank, so what is left has an order of its own".to_owned()
        }
    };
    push(&mut out, format_args!("{fabric} without {what}: {how}\n"));
    let load = |load: u64| Fraction::new(load, loads.parts.max(1)).as_f64();
    let bound = loads.bound.map_or_else(String::new, |bound| {
        format!(", and no routing of what is left has less than {:.0}", load(bound).ceil())
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
        push(&mut out, format_args!("  from the tables that are in force without {}\n", parts(since)));
    }
    if !repair.warm {
        out.push_str("  the order is new: bring the tables in while nothing is on its way\n");
    } else if !delta.routers.is_empty() {
        out.push_str("  pass by pass, each when all routers have done the one before; nothing waits in a circle on the way\n");
        let stranded = delta.stranded.len();
        if stranded > 0 {
            let these = if stranded == 1 {
                "1 key has".to_owned()
            } else {
                format!("{} keys have", grouped(stranded as u64))
            };
            push(
                &mut out,
                format_args!(
                    "  {these} no other way: what waits there must be discarded (`stranded` in repair.json)\n"
                ),
            );
        }
    }
    out
}

/// Parts of a fabric, for people.
fn parts(names: &[String]) -> String {
    match names {
        [one] => one.clone(),
        [first, .., last] => format!("{} parts from {first} to {last}", names.len()),
        [] => "nothing".to_owned(),
    }
}

/// `repair.json`.
pub fn repair_json(repair: &Repair) -> String {
    let Repair { fabric, down, since, step, ranks, delta, warm, loads, unserved } = repair;
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
            "\"order\":\"{order}\",\"live\":{warm},\n\"load\":{{\"nominal\":{},\"repaired\":{},\"bound\":{bound},\"parts\":{}}},\"unserved\":{unserved},\"routers\":{},\"changed\":",
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
    out.push_str("}\n");
    out
}

/// Keys of routers: `[router, dst, in port, in VC]`.
pub(super) fn push_keys(out: &mut String, keys: &[(NodeId, Key)]) {
    push_lines(out, keys, |out, (router, Key { dst, in_port, in_vc })| {
        push(out, format_args!("[{router},{dst},{in_port},{in_vc}]"));
    });
}

/// `delta.json`.
pub fn delta_json(fabric: &str, delta: &Delta) -> String {
    let mut out = format!("{{\"format\":\"fabc.delta/1\",\"fabric\":{},\"routers\":", quote(fabric));
    push_lines(&mut out, &delta.routers, |out, RouterDelta { router, add, turn, drop }| {
        push(out, format_args!("{{\"router\":{router},\"add\":"));
        push_entries(out, add);
        out.push_str(",\"turn\":");
        push_entries(out, turn);
        out.push_str(",\"drop\":[");
        for (at, Key { dst: NodeId(dst), in_port, in_vc }) in drop.iter().enumerate() {
            out.push_str(if at > 0 { ",[" } else { "[" });
            for (place, number) in
                [i64::from(*dst), i64::from(*in_port), i64::from(*in_vc)].into_iter().enumerate()
            {
                out.push_str(if place > 0 { "," } else { "" });
                push_int(out, number);
            }
            out.push(']');
        }
        out.push_str("]}");
    });
    out.push_str("}\n");
    out
}

fn push_entries(out: &mut String, entries: &[Entry]) {
    out.push('[');
    for (at, entry) in entries.iter().enumerate() {
        out.push_str(if at > 0 { ",[" } else { "[" });
        for (place, number) in entry.numbers(TableKey::DstInput).enumerate() {
            out.push_str(if place > 0 { "," } else { "" });
            push_int(out, number);
        }
        out.push(']');
    }
    out.push(']');
}
