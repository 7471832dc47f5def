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

fn of(lines: &Lines, tag: &str) -> Vec<usize> {
    (0..lines.len()).filter(|&at| lines[at].starts_with(&format!("<{tag} "))).collect()
}

fn pick(stream: &mut Stream, from: &[usize]) -> Option<usize> {
    (!from.is_empty()).then(|| from[stream.below(from.len())])
}

/// The numbers of a thread block's steps, as they stand.
fn renumber(lines: &mut Lines) {
    let mut at = 0;
    for line in lines.iter_mut() {
        if line.starts_with("<tb ") {
            at = 0;
        } else if line.starts_with("<step ") {
            set(line, "s", at);
            at += 1;
        }
    }
}

/// What is done to a file; none where it cannot be done.
type Change = fn(&mut Lines, &mut Stream) -> Option<()>;

/// Changes that are always wrong: a name and what they do, if they can.
const CHANGES: [(&str, Change); 24] = [
    ("drop a step", |lines, stream| {
        let at = pick(stream, &of(lines, "step"))?;
        lines.remove(at);
        Some(())
    }),
    ("drop a step, renumber", |lines, stream| {
        let at = pick(stream, &of(lines, "step"))?;
        lines.remove(at);
        renumber(lines);
        Some(())
    }),
    ("swap two steps of one side", |lines, stream| {
        let sides = |at: &usize| {
            lines.get(at + 1).is_some_and(|next| next.starts_with("<step "))
                && attribute(&lines[*at], "type") == "s"
        };
        let at = pick(stream, &of(lines, "step").into_iter().filter(sides).collect::<Vec<_>>())?;
        if attribute(&lines[at + 1], "type") != "s" {
            return None;
        }
        lines.swap(at, at + 1);
        renumber(lines);
        Some(())
    }),
    ("another chan", |lines, stream| {
        let at = pick(stream, &of(lines, "tb"))?;
        set(&mut lines[at], "chan", 7);
        Some(())
    }),
    ("no chan", |lines, stream| {
        let at = pick(stream, &of(lines, "tb"))?;
        let local = number(&lines[at], "send") == -1 && number(&lines[at], "recv") == -1;
        set(&mut lines[at], "chan", if local { -2 } else { -1 });
        Some(())
    }),
    ("another source of a send", |lines, stream| {
        let at = typed(lines, stream, "s")?;
        let other = number(&lines[at], "srcoff") + if number(&lines[at], "srcoff") == 0 { 1 } else { -1 };
        set(&mut lines[at], "srcoff", other);
        Some(())
    }),
    ("another destination of a receive", |lines, stream| {
        let at = typed(lines, stream, "r").or_else(|| typed(lines, stream, "rrc"))?;
        let other = number(&lines[at], "dstoff") + if number(&lines[at], "dstoff") == 0 { 1 } else { -1 };
        set(&mut lines[at], "dstoff", other);
        Some(())
    }),
    ("far beyond a buffer", |lines, stream| {
        let at = typed(lines, stream, "s")?;
        set(&mut lines[at], "srcoff", 100_000);
        Some(())
    }),
    ("a negative offset", |lines, stream| {
        let at = typed(lines, stream, "s")?;
        set(&mut lines[at], "srcoff", -1);
        Some(())
    }),
    ("a peer that is oneself", |lines, stream| {
        let at = pick(stream, &of(lines, "tb"))?;
        let gpu = (0..at)
            .rev()
            .find(|&line| lines[line].starts_with("<gpu "))
            .map(|line| number(&lines[line], "id"))?;
        let end = if number(&lines[at], "send") >= 0 { "send" } else { "recv" };
        set(&mut lines[at], end, gpu);
        Some(())
    }),
    ("a peer that does not exist", |lines, stream| {
        let at = pick(stream, &of(lines, "tb"))?;
        set(&mut lines[at], "send", 1000);
        Some(())
    }),
    ("an id twice", |lines, stream| {
        let at = pick(stream, &of(lines, "tb"))?;
        let other = if number(&lines[at], "id") == 0 { 1 } else { 0 };
        set(&mut lines[at], "id", other);
        Some(())
    }),
    ("a thread block too many", |lines, stream| {
        let at = pick(stream, &of(lines, "tb"))?;
        set(&mut lines[at], "id", 216);
        Some(())
    }),
    ("257 steps", |lines, stream| {
        let at = pick(stream, &of(lines, "tb"))?;
        for step in 0..257 {
            lines.insert(
                at + 1 + step,
                "<step s=\"0\" type=\"cpy\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>".to_owned(),
            );
        }
        renumber(lines);
        Some(())
    }),
    ("nobody tells", |lines, stream| {
        let told = |at: &usize| number(&lines[*at], "hasdep") == 1;
        let at = pick(stream, &of(lines, "step").into_iter().filter(told).collect::<Vec<_>>())?;
        set(&mut lines[at], "hasdep", 0);
        Some(())
    }),
    ("a sum becomes a copy", |lines, stream| {
        let at = typed(lines, stream, "rrc").or_else(|| typed(lines, stream, "re"))?;
        let other = if attribute(&lines[at], "type") == "rrc" { "r" } else { "cpy" };
        set(&mut lines[at], "type", other);
        Some(())
    }),
    ("a copy becomes a sum", |lines, stream| {
        let at = typed(lines, stream, "r")?;
        set(&mut lines[at], "type", "rrc");
        for (to, from) in [("srcbuf", "dstbuf"), ("srcoff", "dstoff")] {
            let same = attribute(&lines[at], from);
            set(&mut lines[at], to, same);
        }
        Some(())
    }),
    ("nothing is done", |lines, stream| {
        let at = typed(lines, stream, "s")?;
        set(&mut lines[at], "type", "nop");
        set(&mut lines[at], "cnt", 0);
        Some(())
    }),
    ("more chunks", |lines, stream| {
        let at = typed(lines, stream, "s")?;
        set(&mut lines[at], "cnt", [0, 2, 72, 1000][stream.below(4)]);
        Some(())
    }),
    ("another number of gpus", |lines, stream| {
        let other = number(&lines[0], "ngpus") + if stream.below(2) == 0 { 1 } else { -1 };
        set(&mut lines[0], "ngpus", other);
        Some(())
    }),
    ("other chunks", |lines, stream| {
        let other = number(&lines[0], "nchunksperloop") + if stream.below(2) == 0 { 1 } else { -1 };
        set(&mut lines[0], "nchunksperloop", other);
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
        let at = pick(stream, &of(lines, "gpu"))?;
        let end = (at..lines.len()).find(|&line| lines[line] == "</gpu>")?;
        lines.drain(at..=end);
        Some(())
    }),
];

fn typed(lines: &Lines, stream: &mut Stream, kind: &str) -> Option<usize> {
    let of_kind = |at: &usize| attribute(&lines[*at], "type") == kind;
    let all: Vec<usize> = of(lines, "step").into_iter().filter(of_kind).collect();
    pick(stream, &all)
}

#[test]
fn every_wrong_change_is_convicted() {
    let mut stream = Stream::new(21, 1);
    let mut convicted: BTreeMap<&str, usize> = BTreeMap::new();
    for topology in [ring(4), grid([2, 2], true), grid([3, 3], true)] {
        let scene = Scene::whole(&topology);
        for (kind, schedule) in schedules(&scene, 2) {
            let lines: Lines = written(&scene, &schedule).text.lines().map(str::to_owned).collect();
            for (name, change) in CHANGES {
                for _ in 0..3 {
                    let mut wrong = lines.clone();
                    if change(&mut wrong, &mut stream).is_none() || wrong == lines {
                        continue;
                    }
                    let found = judged(&scene, &wrong.join("\n"));
                    assert!(found.is_err(), "{name}: {kind} passes\n{}", difference(&lines, &wrong));
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

fn difference(lines: &Lines, wrong: &Lines) -> String {
    let differs = (0..lines.len().min(wrong.len())).find(|&at| lines[at] != wrong[at]).unwrap_or(0);
    format!("line {differs}: {} is {}", lines[differs], wrong[differs])
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
        let of = &program.gpus[gpu].1[block];
        open.extend(step.checked_sub(1).map(|step| (gpu, block, step)));
        open.extend(of.steps[step].after.map(|(block, step)| (gpu, block, step)));
        // One way only: the n-th step of a thread block that receives is the n-th of the one that sends.
        if let Some(&(sender, at)) = of.receive.and_then(|from| senders.get(&(from, gpu, of.chan))) {
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
        let scene = Scene::whole(&topology);
        for (kind, schedule) in schedules(&scene, 2) {
            let lines: Lines = written(&scene, &schedule).text.lines().map(str::to_owned).collect();
            let program = Program::read(&lines.join("\n"));
            let waiting: Vec<usize> =
                of(&lines, "step").into_iter().filter(|&at| number(&lines[at], "depid") >= 0).collect();
            for _ in 0..30 {
                let Some(at) = pick(&mut stream, &waiting) else { continue };
                let gpu = lines[..at].iter().filter(|line| line.starts_with("<gpu ")).count() - 1;
                let block = (0..at)
                    .rev()
                    .find(|&line| lines[line].starts_with("<tb "))
                    .map(|line| number(&lines[line], "id") as usize)
                    .unwrap();
                let (old_block, old_step) =
                    (number(&lines[at], "depid") as usize, number(&lines[at], "deps") as usize);
                let mut wrong = lines.clone();
                let blocks = &program.gpus[gpu].1;
                // Nobody, a step of the same thread block, or one of another one; who is waited for tells.
                let other = match stream.below(3) {
                    0 => None,
                    1 => Some((old_block, stream.below(blocks[old_block].steps.len()))),
                    _ => Some(stream.below(blocks.len()))
                        .map(|other| (other, stream.below(blocks[other].steps.len()))),
                };
                if other == Some((old_block, old_step)) {
                    continue;
                }
                set(&mut wrong[at], "depid", other.map_or(-1, |(block, _)| block as i64));
                set(&mut wrong[at], "deps", other.map_or(-1, |(_, step)| step as i64));
                if let Some((other, step)) = other {
                    let start =
                        (0..lines.len()).filter(|&line| lines[line].starts_with("<gpu ")).nth(gpu).unwrap();
                    let tb = (start..lines.len())
                        .filter(|&line| lines[line].starts_with("<tb "))
                        .nth(other)
                        .unwrap();
                    set(&mut wrong[tb + 1 + step], "hasdep", 1);
                }
                let text = wrong.join("\n");
                let changed = Program::read(&text);
                let step = number(&lines[at], "s") as usize;
                let root = schedule.root.map(|root| root.0 as usize);
                let ends = run(&changed, false, 2, root, &mut Stream::new(1, 1))
                    .err()
                    .is_none_or(|error| !error.contains("for ever"));
                let own = other.is_some_and(|(other, number)| other == block && number >= step);
                let fine = ends && !own && before(&changed, (gpu, old_block, old_step), (gpu, block, step));
                let found = judged(&scene, &text);
                assert_eq!(
                    found.is_ok(),
                    fine,
                    "{kind}: {other:?} instead of {old_block}, {old_step}: {} {found:?}",
                    lines[at]
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
    let scene = Scene::whole(&topology);
    let (_, schedule) = schedules(&scene, 1).remove(0);
    let text = written(&scene, &schedule).text;
    for (from, to, line, word) in [
        ("<algo ", "<algos ", 1, "algo"),
        (" coll=", " kind=", 1, "`<algo>` lacks `coll`"),
        ("type=\"rrc\"", "type=\"add\"", 4, "no step of type `add`"),
        ("srcbuf=\"i\"", "srcbuf=\"x\"", 4, "not `x`"),
        ("hasdep=\"0\"", "hasdep=\"2\"", 4, "is 0 or 1"),
        ("cnt=\"1\"", "cnt=\"one\"", 4, "no number"),
        ("</algo>", "", 1, ""),
    ] {
        let wrong = text.replacen(from, to, 1);
        let Err(Rejected::Unreadable(error)) = judged(&scene, &wrong) else {
            panic!("{from} is read as {to}")
        };
        let shown = error.to_string();
        assert!(shown.contains(word) && (line != 4 || shown.contains("program.xml:")), "{shown}");
    }
}
