//! Programs that were changed are convicted, unless the change is none.

use crate::collective::graphs::{grid, ring};
use crate::collective::interpreter::{Program, run};
use crate::collective::programs::{judged, schedules, written};
use fabc::check::Rejected;
use fabc::ir::Scene;
use fabc::random::Stream;
use std::collections::BTreeMap;

/// A file, line by line.
type Lines = Vec<String>;

fn attribute(line: &str, key: &str) -> String {
    let start = line.find(&format!(" {key}=\"")).unwrap_or_else(|| panic!("{key} in {line}")) + key.len() + 3;
    line[start..start + line[start..].find('"').unwrap()].to_owned()
}

fn number(line: &str, key: &str) -> i64 {
    attribute(line, key).parse().unwrap()
}

fn set(line: &mut String, key: &str, value: impl std::fmt::Display) {
    let old = format!(" {key}=\"{}\"", attribute(line, key));
    *line = line.replacen(&old, &format!(" {key}=\"{value}\""), 1);
}

fn lines_of_tag(lines: &Lines, tag: &str) -> Vec<usize> {
    (0..lines.len()).filter(|&index| lines[index].starts_with(&format!("<{tag} "))).collect()
}

fn pick(stream: &mut Stream, from: &[usize]) -> Option<usize> {
    (!from.is_empty()).then(|| from[stream.below(from.len())])
}

/// The numbers of a thread block's steps, as they stand.
fn renumber(lines: &mut Lines) {
    let mut line_index = 0;
    for line in lines.iter_mut() {
        if line.starts_with("<tb ") {
            line_index = 0;
        } else if line.starts_with("<step ") {
            set(line, "s", line_index);
            line_index += 1;
        }
    }
}

/// A change of a file. `None` where it does not apply.
type Change = fn(&mut Lines, &mut Stream) -> Option<()>;

/// Changes that are always wrong: a name and what they do, if they can.
const CHANGES: [(&str, Change); 24] = [
    ("drop a step", |lines, stream| {
        let index = pick(stream, &lines_of_tag(lines, "step"))?;
        lines.remove(index);
        Some(())
    }),
    ("drop a step, renumber", |lines, stream| {
        let index = pick(stream, &lines_of_tag(lines, "step"))?;
        lines.remove(index);
        renumber(lines);
        Some(())
    }),
    ("swap two steps of one side", |lines, stream| {
        let sides = |at: &usize| {
            lines.get(at + 1).is_some_and(|next| next.starts_with("<step "))
                && attribute(&lines[*at], "type") == "s"
        };
        let index = pick(stream, &lines_of_tag(lines, "step").into_iter().filter(sides).collect::<Vec<_>>())?;
        if attribute(&lines[index + 1], "type") != "s" {
            return None;
        }
        lines.swap(index, index + 1);
        renumber(lines);
        Some(())
    }),
    ("another chan", |lines, stream| {
        let index = pick(stream, &lines_of_tag(lines, "tb"))?;
        set(&mut lines[index], "chan", 7);
        Some(())
    }),
    ("no chan", |lines, stream| {
        let index = pick(stream, &lines_of_tag(lines, "tb"))?;
        let local = number(&lines[index], "send") == -1 && number(&lines[index], "recv") == -1;
        set(&mut lines[index], "chan", if local { -2 } else { -1 });
        Some(())
    }),
    ("another source of a send", |lines, stream| {
        let index = typed(lines, stream, "s")?;
        let other_offset =
            number(&lines[index], "srcoff") + if number(&lines[index], "srcoff") == 0 { 1 } else { -1 };
        set(&mut lines[index], "srcoff", other_offset);
        Some(())
    }),
    ("another destination of a receive", |lines, stream| {
        let index = typed(lines, stream, "r").or_else(|| typed(lines, stream, "rrc"))?;
        let other_offset =
            number(&lines[index], "dstoff") + if number(&lines[index], "dstoff") == 0 { 1 } else { -1 };
        set(&mut lines[index], "dstoff", other_offset);
        Some(())
    }),
    ("far beyond a buffer", |lines, stream| {
        let index = typed(lines, stream, "s")?;
        set(&mut lines[index], "srcoff", 100_000);
        Some(())
    }),
    ("a negative offset", |lines, stream| {
        let index = typed(lines, stream, "s")?;
        set(&mut lines[index], "srcoff", -1);
        Some(())
    }),
    ("a peer that is oneself", |lines, stream| {
        let index = pick(stream, &lines_of_tag(lines, "tb"))?;
        let gpu = (0..index)
            .rev()
            .find(|&line| lines[line].starts_with("<gpu "))
            .map(|line| number(&lines[line], "id"))?;
        let end = if number(&lines[index], "send") >= 0 { "send" } else { "recv" };
        set(&mut lines[index], end, gpu);
        Some(())
    }),
    ("a peer that does not exist", |lines, stream| {
        let index = pick(stream, &lines_of_tag(lines, "tb"))?;
        set(&mut lines[index], "send", 1000);
        Some(())
    }),
    ("an id twice", |lines, stream| {
        let index = pick(stream, &lines_of_tag(lines, "tb"))?;
        let other_id = if number(&lines[index], "id") == 0 { 1 } else { 0 };
        set(&mut lines[index], "id", other_id);
        Some(())
    }),
    ("a thread block too many", |lines, stream| {
        let index = pick(stream, &lines_of_tag(lines, "tb"))?;
        set(&mut lines[index], "id", 216);
        Some(())
    }),
    ("257 steps", |lines, stream| {
        let index = pick(stream, &lines_of_tag(lines, "tb"))?;
        for step in 0..257 {
            lines.insert(
                index + 1 + step,
                "<step s=\"0\" type=\"cpy\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>".to_owned(),
            );
        }
        renumber(lines);
        Some(())
    }),
    ("nobody tells", |lines, stream| {
        let has_dependent = |at: &usize| number(&lines[*at], "hasdep") == 1;
        let index =
            pick(stream, &lines_of_tag(lines, "step").into_iter().filter(has_dependent).collect::<Vec<_>>())?;
        set(&mut lines[index], "hasdep", 0);
        Some(())
    }),
    ("a sum becomes a copy", |lines, stream| {
        let index = typed(lines, stream, "rrc").or_else(|| typed(lines, stream, "re"))?;
        let other_kind = if attribute(&lines[index], "type") == "rrc" { "r" } else { "cpy" };
        set(&mut lines[index], "type", other_kind);
        Some(())
    }),
    ("a copy becomes a sum", |lines, stream| {
        let index = typed(lines, stream, "r")?;
        set(&mut lines[index], "type", "rrc");
        for (to, from) in [("srcbuf", "dstbuf"), ("srcoff", "dstoff")] {
            let same = attribute(&lines[index], from);
            set(&mut lines[index], to, same);
        }
        Some(())
    }),
    ("nothing is done", |lines, stream| {
        let index = typed(lines, stream, "s")?;
        set(&mut lines[index], "type", "nop");
        set(&mut lines[index], "cnt", 0);
        Some(())
    }),
    ("more chunks", |lines, stream| {
        let index = typed(lines, stream, "s")?;
        set(&mut lines[index], "cnt", [0, 2, 72, 1000][stream.below(4)]);
        Some(())
    }),
    ("another number of gpus", |lines, stream| {
        let other_count = number(&lines[0], "ngpus") + if stream.below(2) == 0 { 1 } else { -1 };
        set(&mut lines[0], "ngpus", other_count);
        Some(())
    }),
    ("other chunks", |lines, stream| {
        let other_count = number(&lines[0], "nchunksperloop") + if stream.below(2) == 0 { 1 } else { -1 };
        set(&mut lines[0], "nchunksperloop", other_count);
        Some(())
    }),
    ("for no calls", |lines, _| {
        set(&mut lines[0], "inplace", 0);
        set(&mut lines[0], "outofplace", 0);
        Some(())
    }),
    ("no size", |lines, _| {
        set(&mut lines[0], "minBytes", 2000);
        set(&mut lines[0], "maxBytes", 1000);
        Some(())
    }),
    ("a gpu less", |lines, stream| {
        let index = pick(stream, &lines_of_tag(lines, "gpu"))?;
        let end = (index..lines.len()).find(|&line| lines[line] == "</gpu>")?;
        lines.drain(index..=end);
        Some(())
    }),
];

fn typed(lines: &Lines, stream: &mut Stream, kind: &str) -> Option<usize> {
    let of_kind = |at: &usize| attribute(&lines[*at], "type") == kind;
    let candidates: Vec<usize> = lines_of_tag(lines, "step").into_iter().filter(of_kind).collect();
    pick(stream, &candidates)
}

#[test]
fn every_wrong_change_is_convicted() {
    let mut stream = Stream::new(21, 1);
    let mut convicted: BTreeMap<&str, usize> = BTreeMap::new();
    for topology in [ring(4), grid([2, 2], true), grid([3, 3], true)] {
        let scene = Scene::healthy(&topology);
        for (kind, schedule) in schedules(&scene, 2) {
            let lines: Lines = written(&scene, &schedule).text.lines().map(str::to_owned).collect();
            for (name, change) in CHANGES {
                for _ in 0..3 {
                    let mut tampered = lines.clone();
                    if change(&mut tampered, &mut stream).is_none() || tampered == lines {
                        continue;
                    }
                    let verdict = judged(&scene, &tampered.join("\n"));
                    assert!(verdict.is_err(), "{name}: {kind} passes\n{}", difference(&lines, &tampered));
                    *convicted.entry(name).or_default() += 1;
                }
            }
        }
    }
    println!("convicted: {convicted:?}");
    assert!(
        convicted.len() == CHANGES.len() && convicted.values().all(|&count| count >= 12),
        "{convicted:?}"
    );
}

fn difference(lines: &Lines, changed: &Lines) -> String {
    let differs =
        (0..lines.len().min(changed.len())).find(|&index| lines[index] != changed[index]).unwrap_or(0);
    format!("line {differs}: {} is {}", lines[differs], changed[differs])
}

/// Whether a step of a GPU is before another one, by the order of thread blocks, by waiting, and around by
/// what is sent.
fn before(program: &Program, earlier: (usize, usize, usize), later: (usize, usize, usize)) -> bool {
    let mut senders = BTreeMap::new();
    for (gpu, (_, blocks)) in program.gpus.iter().enumerate() {
        for (at, block) in blocks.iter().enumerate() {
            senders.extend(block.send.map(|to| ((gpu, to, block.chan), (gpu, at))));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    let mut open = vec![later];
    while let Some((gpu, block, step)) = open.pop() {
        if (gpu, block, step) == earlier {
            return true;
        }
        if !seen.insert((gpu, block, step)) {
            continue;
        }
        let block_steps = &program.gpus[gpu].1[block];
        open.extend(step.checked_sub(1).map(|step| (gpu, block, step)));
        open.extend(block_steps.steps[step].after.map(|(block, step)| (gpu, block, step)));
        // One way only: the n-th step of a thread block that receives is the n-th of the one that sends.
        if let Some(&(sender, at)) =
            block_steps.receive.and_then(|from| senders.get(&(from, gpu, block_steps.chan)))
        {
            open.push((sender, at, step));
        }
    }
    false
}

#[test]
fn a_step_that_waits_for_another_one_is_convicted_where_that_matters() {
    let mut stream = Stream::new(22, 1);
    let [mut wrong_ones, mut harmless] = [0; 2];
    for topology in [ring(4), grid([2, 2], true), grid([3, 3], true)] {
        let scene = Scene::healthy(&topology);
        for (kind, schedule) in schedules(&scene, 2) {
            let lines: Lines = written(&scene, &schedule).text.lines().map(str::to_owned).collect();
            let program = Program::read(&lines.join("\n"));
            let waiting: Vec<usize> = lines_of_tag(&lines, "step")
                .into_iter()
                .filter(|&index| number(&lines[index], "depid") >= 0)
                .collect();
            for _ in 0..30 {
                let Some(index) = pick(&mut stream, &waiting) else { continue };
                let gpu = lines[..index].iter().filter(|line| line.starts_with("<gpu ")).count() - 1;
                let block = (0..index)
                    .rev()
                    .find(|&line| lines[line].starts_with("<tb "))
                    .map(|line| number(&lines[line], "id") as usize)
                    .unwrap();
                let (old_block, old_step) =
                    (number(&lines[index], "depid") as usize, number(&lines[index], "deps") as usize);
                let mut tampered = lines.clone();
                let blocks = &program.gpus[gpu].1;
                // Nobody, a step of the same thread block, or one of another one. Who is waited for tells.
                let other_step = match stream.below(3) {
                    0 => None,
                    1 => Some((old_block, stream.below(blocks[old_block].steps.len()))),
                    _ => Some(stream.below(blocks.len()))
                        .map(|other| (other, stream.below(blocks[other].steps.len()))),
                };
                if other_step == Some((old_block, old_step)) {
                    continue;
                }
                set(&mut tampered[index], "depid", other_step.map_or(-1, |(block, _)| block as i64));
                set(&mut tampered[index], "deps", other_step.map_or(-1, |(_, step)| step as i64));
                if let Some((other_step, step)) = other_step {
                    let start =
                        (0..lines.len()).filter(|&line| lines[line].starts_with("<gpu ")).nth(gpu).unwrap();
                    let tb = (start..lines.len())
                        .filter(|&line| lines[line].starts_with("<tb "))
                        .nth(other_step)
                        .unwrap();
                    set(&mut tampered[tb + 1 + step], "hasdep", 1);
                }
                let text = tampered.join("\n");
                let changed = Program::read(&text);
                let step = number(&lines[index], "s") as usize;
                let root = schedule.root.map(|root| root.0 as usize);
                let finishes = run(&changed, false, 2, root, &mut Stream::new(1, 1))
                    .err()
                    .is_none_or(|error| !error.contains("for ever"));
                let depends_on_itself =
                    other_step.is_some_and(|(other_step, number)| other_step == block && number >= step);
                let fine = finishes
                    && !depends_on_itself
                    && before(&changed, (gpu, old_block, old_step), (gpu, block, step));
                let verdict = judged(&scene, &text);
                assert_eq!(
                    verdict.is_ok(),
                    fine,
                    "{kind}: {other_step:?} instead of {old_block}, {old_step}: {} {verdict:?}",
                    lines[index]
                );
                if fine { harmless += 1 } else { wrong_ones += 1 }
            }
        }
    }
    println!("convicted: {wrong_ones}, harmless: {harmless}");
    assert!(wrong_ones > 200 && harmless > 50, "{wrong_ones} {harmless}");
}

#[test]
fn what_is_no_file_of_the_format_is_unreadable() {
    let topology = ring(4);
    let scene = Scene::healthy(&topology);
    let (_, schedule) = schedules(&scene, 1).remove(0);
    let text = written(&scene, &schedule).text;
    for (from, to, line, word) in [
        ("<algo ", "<algos ", 1, "algo"),
        (" coll=", " kind=", 1, "`<algo>` lacks `coll`"),
        ("type=\"rrc\"", "type=\"add\"", 4, "no step of type `add`"),
        ("srcbuf=\"i\"", "srcbuf=\"x\"", 4, "not `x`"),
        ("hasdep=\"0\"", "hasdep=\"2\"", 4, "is 0 or 1"),
        ("cnt=\"1\"", "cnt=\"one\"", 4, "not a number"),
        ("</algo>", "", 1, ""),
    ] {
        let tampered = text.replacen(from, to, 1);
        let Err(Rejected::Unreadable(error)) = judged(&scene, &tampered) else {
            panic!("{from} is read as {to}")
        };
        let shown = error.to_string();
        assert!(shown.contains(word) && (line != 4 || shown.contains("program.xml:")), "{shown}");
    }
}
