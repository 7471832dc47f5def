//! Makes a failing spec smaller for as long as it fails in the same way.

use super::run::{Failure, Focus, SpecBench};
use super::spec::{Data, Item, Spec};

/// Candidates that are tried at most.
const CANDIDATES: usize = 1500;

/// The smallest spec that still fails like this one, and how it fails.
pub(crate) fn shrink(bench: &mut SpecBench<'_>, spec: Spec, failure: Failure) -> (Spec, Failure) {
    let (mut spec, mut failure, mut remaining) = (spec, failure, CANDIDATES);
    'smaller: loop {
        for candidate in candidates(&spec) {
            if remaining == 0 {
                break 'smaller;
            }
            remaining -= 1;
            if let Some(new_failure) = fails(bench, &candidate, &failure) {
                (spec, failure) = (candidate, new_failure);
                continue 'smaller;
            }
        }
        break;
    }
    (spec, failure)
}

/// How the candidate fails, if it fails in the same way.
fn fails(bench: &mut SpecBench<'_>, candidate: &Spec, failure: &Failure) -> Option<Failure> {
    bench.run(candidate, Focus::Step(failure.step)).err().filter(|new_failure| new_failure.is_like(failure))
}

/// All specs that are one step smaller, the largest steps first.
fn candidates(spec: &Spec) -> Vec<Spec> {
    let mut smaller = Vec::new();
    for place in 0..spec.items.len() {
        smaller.push(without(spec, place));
    }
    smaller.extend(plain_topologies(spec));
    smaller.extend(without_parts(spec));
    smaller.extend((0..spec.outside.len()).map(|place| {
        let mut candidate = spec.clone();
        candidate.outside.remove(place);
        candidate
    }));
    // Inner lines, numbers, and files.
    for (place, item) in spec.items.iter().enumerate() {
        for changed in smaller_items(item) {
            let mut candidate = spec.clone();
            candidate.items[place] = changed;
            smaller.extend(with_fitting_matrix(spec, &candidate));
            smaller.push(candidate);
        }
    }
    for (name, data) in &spec.files {
        for changed in smaller_files(data) {
            let mut candidate = spec.clone();
            candidate.files.insert(name.clone(), changed);
            smaller.push(candidate);
        }
    }
    smaller
}

/// The spec without an item, without the files that it names, and without what names it.
fn without(spec: &Spec, place: usize) -> Spec {
    let mut candidate = spec.clone();
    let gone = candidate.items.remove(place);
    let mut words = gone.head.split([' ', '=']).filter(|word| !word.is_empty());
    if let (Some("simulate" | "collective"), Some(name)) = (words.next(), words.next()) {
        let speaks = |item: &Item| item.head.contains(&format!("{name}."));
        candidate.items.retain(|item| !(item.head.starts_with("require") && speaks(item)));
        for item in &mut candidate.items {
            let waits = format!("after = {name}");
            item.block.iter_mut().for_each(|inner| inner.retain(|line| line.head != waits));
        }
    }
    if gone.head == "floor" {
        let priced = ["per_metre", "cost", "cost_per_metre", "power"];
        for item in candidate.items.iter_mut().filter(|item| item.head.starts_with("link ")) {
            let of_floor =
                |line: &Item| line.head.split(' ').next().is_some_and(|word| priced.contains(&word));
            item.block.iter_mut().for_each(|inner| inner.retain(|line| !of_floor(line)));
        }
        candidate.items.retain(|item| !(item.head.starts_with("require") && item.head.ends_with('m')));
    }
    forget_files(&mut candidate);
    candidate
}

/// Removes files that nothing names any more.
fn forget_files(spec: &mut Spec) {
    let text = spec.text();
    spec.files.retain(|name, _| text.contains(&format!("\"{name}\"")));
}

/// The spec with the items of its part in its own file.
fn without_parts(spec: &Spec) -> Option<Spec> {
    let mut candidate = spec.clone();
    let place = candidate.items.iter().position(|item| item.head.starts_with("use "))?;
    let Some(Data::Part(moved)) = candidate.files.remove("parts.fab") else { return None };
    candidate.items.splice(place..=place, moved);
    Some(candidate)
}

/// The same fabric on the simplest topologies of all.
fn plain_topologies(spec: &Spec) -> Vec<Spec> {
    let Some(place) = spec.items.iter().position(|item| item.head.starts_with("topology = ")) else {
        return Vec::new();
    };
    let topology = &spec.items[place];
    let is_pod = spec.items.iter().any(|item| item.head.starts_with("cubes"));
    if is_pod && topology.head == "topology = synthesize" || !is_pod && topology.head.contains("torus") {
        return Vec::new();
    }
    if is_pod {
        let mut candidate = spec.clone();
        candidate.items[place] = Item::line("topology = synthesize");
        forget_files(&mut candidate);
        return vec![candidate];
    }
    let statement = |word: &str| {
        topology.block.iter().flatten().find_map(|line| line.head.strip_prefix(word).map(str::to_owned))
    };
    let link = ["link = ", "default = ", "local = "].into_iter().find_map(statement);
    let links: Vec<Item> = link.into_iter().map(|link| Item::line(format!("link = {link}"))).collect();
    let classes: Vec<Item> =
        topology.block.iter().flatten().filter(|line| line.head.contains("al = ")).cloned().collect();
    let simple = |head: &str| {
        let mut candidate = spec.clone();
        let mut settings = if head == "dragonfly" { classes.clone() } else { links.clone() };
        if head == "dragonfly" {
            settings.extend(["a = 2", "h = 1"].map(Item::line));
        }
        candidate.items[place] = Item::plain_if_empty(format!("topology = {head}"), settings);
        forget_files(&mut candidate);
        let fitting = with_fitting_matrix(spec, &candidate);
        fitting.into_iter().chain([candidate])
    };
    if topology.head.contains("dragonfly") && classes.len() == 2 {
        return Vec::new();
    }
    let words: &[&str] = if classes.len() == 2 {
        &["torus 3", "torus 4", "hyperx 4", "torus 2 x 3", "dragonfly"]
    } else {
        &["torus 3", "torus 4", "hyperx 4", "torus 2 x 3"]
    };
    words.iter().flat_map(|head| simple(head)).collect()
}

/// The candidate with smaller matrices, where it has one and its topology is another one.
fn with_fitting_matrix(spec: &Spec, candidate: &Spec) -> Vec<Spec> {
    let topology = |spec: &Spec| {
        spec.items
            .iter()
            .filter(|item| item.head.starts_with("topology") || item.head.starts_with("cube"))
            .cloned()
            .collect::<Vec<_>>()
    };
    let Some(Data::Matrix(rows)) = candidate.files.get("demand.csv") else { return Vec::new() };
    if topology(spec) == topology(candidate) {
        return Vec::new();
    }
    let cut = |size: usize| {
        let mut fitting = candidate.clone();
        let rows = rows.iter().take(size).map(|row| row.iter().take(size).copied().collect()).collect();
        fitting.files.insert("demand.csv".to_owned(), Data::Matrix(rows));
        fitting
    };
    (2..rows.len()).map(cut).collect()
}

/// Items that are a step smaller than this one.
fn smaller_items(item: &Item) -> Vec<Item> {
    let mut smaller =
        smaller_heads(&item.head).into_iter().map(|head| Item { head, ..item.clone() }).collect::<Vec<_>>();
    let Some(inner) = &item.block else { return smaller };
    for place in 0..inner.len() {
        let mut lines = inner.clone();
        lines.remove(place);
        smaller.push(Item {
            head: item.head.clone(),
            block: if lines.is_empty() && !is_block(&item.head) { None } else { Some(lines) },
        });
    }
    for (place, line) in inner.iter().enumerate() {
        for changed in smaller_items(line) {
            let mut lines = inner.clone();
            lines[place] = changed;
            smaller.push(Item { head: item.head.clone(), block: Some(lines) });
        }
    }
    smaller
}

/// Whether an item is a block even if it is empty.
fn is_block(head: &str) -> bool {
    !head.contains('=')
}

/// The line with one of its numbers lowered, or one of its dimensions left out.
fn smaller_heads(head: &str) -> Vec<String> {
    let mut smaller = Vec::new();
    if head.starts_with("require") || head.contains('"') {
        return smaller;
    }
    let bytes = head.as_bytes();
    let mut offset = 0;
    while offset < bytes.len() {
        let begins = bytes[offset].is_ascii_digit()
            && (offset == 0
                || !bytes[offset - 1].is_ascii_alphanumeric()
                    && bytes[offset - 1] != b'.'
                    && bytes[offset - 1] != b'_');
        if !begins {
            offset += 1;
            continue;
        }
        let end = offset + bytes[offset..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if let Ok(number) = head[offset..end].parse::<u64>() {
            let mut lower: Vec<u64> = [0, 1, 2, number / 2, number.saturating_sub(1)]
                .into_iter()
                .filter(|lower| *lower < number)
                .collect();
            lower.truncate(if number > 40 { 3 } else { 5 });
            lower.dedup();
            smaller
                .extend(lower.into_iter().map(|lower| format!("{}{lower}{}", &head[..offset], &head[end..])));
        }
        offset = end;
    }
    if let Some((first, _)) = head.rsplit_once(" x ").filter(|_| head.starts_with("topology")) {
        smaller.push(first.to_owned());
    }
    smaller
}

/// Files that are a step smaller than this one.
fn smaller_files(data: &Data) -> Vec<Data> {
    match data {
        Data::Matrix(rows) => {
            let mut smaller = Vec::new();
            let used: Vec<usize> =
                (0..rows.len()).filter(|row| rows[*row].iter().any(|weight| *weight > 0)).collect();
            let change = |change: &dyn Fn(&mut Vec<Vec<u32>>)| {
                let mut rows = rows.clone();
                change(&mut rows);
                Data::Matrix(rows)
            };
            smaller.extend(used.iter().map(|row| change(&|rows| rows[*row].fill(0))));
            smaller.push(change(&|rows| {
                rows.iter_mut().flatten().for_each(|weight| *weight = (*weight).min(1))
            }));
            if used.len() <= 3 {
                for (row, column) in
                    used.iter().flat_map(|row| (0..rows.len()).map(move |column| (*row, column)))
                {
                    if rows[row][column] > 0 {
                        smaller.push(change(&|rows| rows[row][column] = 0));
                    }
                    if rows[row][column] > 1 {
                        smaller.push(change(&|rows| rows[row][column] = 1));
                    }
                }
            }
            smaller.into_iter().filter(|changed| changed != data).collect()
        }
        Data::Lines(lines) => (0..lines.len())
            .map(|place| {
                let mut lines = lines.clone();
                lines.remove(place);
                Data::Lines(lines)
            })
            .collect(),
        Data::Part(items) => {
            let mut smaller = Vec::new();
            for (place, item) in items.iter().enumerate() {
                for changed in smaller_items(item) {
                    let mut items = items.clone();
                    items[place] = changed;
                    smaller.push(Data::Part(items));
                }
            }
            smaller
        }
        Data::Switches(switches) => {
            let mut smaller = Vec::new();
            for place in 0..switches.len() {
                let mut switches = switches.clone();
                switches.remove(place);
                smaller.push(Data::Switches(switches));
            }
            smaller
        }
    }
}
