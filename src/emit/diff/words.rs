//! Sentences that the text and the page of a difference share.

use crate::number::grouped;
use fabc_ir::{
    Diff, FigureChange, FigureDiff, FileDiff, SIZES, TablesDiff, TablesFound, WiringDiff, WiringFound,
};
use std::collections::BTreeMap;

/// The difference in a sentence: what is better and worse, the contract, wiring, tables, files.
pub fn diff_summary(diff: &Diff) -> String {
    if diff.is_same() {
        return "the same".to_owned();
    }
    let figures = || diff.figures.iter().chain(diff.faults.worst.iter().map(|(figure, _)| figure));
    let changed = |change: FigureChange| figures().filter(|figure| figure.change() == change).count();
    let mut parts = Vec::new();
    for (change, word) in
        [(FigureChange::Worse, "worse"), (FigureChange::Better, "better"), (FigureChange::Other, "other")]
    {
        if changed(change) > 0 {
            parts.push(format!("{} {word}", count(changed(change), "figure")));
        }
    }
    if diff
        .figures
        .iter()
        .any(|figure| SIZES.contains(&figure.name.as_str()) && figure.values[0] != figure.values[1])
    {
        parts.push("the sizes differ, so no figure is better or worse".to_owned());
    }
    if parts.is_empty() {
        parts.push("all figures are the same".to_owned());
    }
    let contract = diff.contract.iter().filter(|line| line.is_other()).count();
    if contract > 0 {
        parts.push(format!("{} of the contract", count(contract, "line")));
    }
    parts.extend(diff.wiring.as_ref().filter(|wiring| wiring.outcome != WiringFound::Same).map(wiring_line));
    parts.extend(tables_line(&diff.tables));
    let files = diff.files.iter().filter(|file| !file.same).count();
    parts.push(count(files, "file"));
    parts.join("; ")
}

/// A count with its noun: `1 cube`, `4 cubes`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number as u64), if number == 1 { "" } else { "s" })
}

/// The relative difference in percent, with two significant digits.
pub(super) fn percent(figure: &FigureDiff) -> String {
    let Some(relative) = figure.relative() else { return String::new() };
    let percent = relative * 100.0;
    if percent == 0.0 {
        return String::new();
    }
    let decimals = (1.0 - libm::floor(libm::log10(percent.abs()))).clamp(2.0, 9.0) as usize;
    format!("{percent:+.decimals$} %")
}

/// A value for people, or `none` if it is missing.
pub(super) fn value_or_none(value: Option<&String>) -> String {
    value.cloned().unwrap_or("none".to_owned())
}

/// The change of the wiring.
pub(super) fn wiring_line(wiring: &WiringDiff) -> String {
    let WiringDiff { word, joint, joints, outcome, renamed, .. } = wiring;
    let [removed, added] = wiring.counts();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let moved = match (removed == added, joints[0]) {
        (true, total) => {
            format!("{} of {} {joint}{} moved", grouped(removed as u64), grouped(total as u64), plural(total))
        }
        (false, _) => format!("{} gone, {added} new", count(removed, joint)),
    };
    let under = match renamed.len() {
        0 => String::new(),
        count => {
            let [gone, new] = wiring.as_named.map(|count| grouped(count as u64));
            let named = if gone == new { gone } else { format!("{gone} gone, {new} new") };
            format!(
                " when {} {word}{} are renamed ({named} by their names)",
                grouped(count as u64),
                plural(count)
            )
        }
    };
    match outcome {
        WiringFound::Same => "wiring: the same".to_owned(),
        WiringFound::Renamed => format!("wiring: the same{under}"),
        WiringFound::Other => format!("wiring: {moved}{under}"),
        WiringFound::CutOff => {
            format!(
                "wiring: {moved}{under}. The search reached its limit, so an unknown renaming may make both the same"
            )
        }
        WiringFound::Unlike(why) => format!("wiring: not comparable ({why})"),
    }
}

/// A note about a renaming that does not make both wirings equal.
pub(super) fn wiring_note(wiring: &WiringDiff) -> Option<String> {
    let WiringDiff { word, renamed, outcome, .. } = wiring;
    match outcome {
        WiringFound::Other if renamed.is_empty() => {
            Some(format!("no renaming of {word}s makes them the same"))
        }
        WiringFound::Other => Some(format!(
            "no renaming of {word}s makes them the same; under this one, the best that was found, least moves"
        )),
        _ => None,
    }
}

/// In how many scenarios the tables differ.
pub(super) fn tables_line(tables: &[TablesDiff]) -> Option<String> {
    let changed = tables.iter().filter(|tables| tables.outcome != TablesFound::Same).count();
    (changed > 0)
        .then(|| format!("tables of {} of {}", grouped(changed as u64), count(tables.len(), "scenario")))
}

/// The change of the tables of one scenario.
pub(super) fn tables_change(found: &TablesFound) -> String {
    match found {
        TablesFound::Same => "the same".to_owned(),
        TablesFound::Alone(0) => "only A has them".to_owned(),
        TablesFound::Alone(_) => "only B has them".to_owned(),
        TablesFound::Unlike(why) => format!("not comparable ({why})"),
        TablesFound::Entries { routers, changed, counts: [added, turned, dropped] } => {
            let counts = [(added, "added"), (turned, "turned"), (dropped, "dropped")];
            let counts: Vec<String> = counts
                .into_iter()
                .filter(|(count, _)| **count > 0)
                .map(|(count, word)| format!("{} {word}", grouped(*count)))
                .collect();
            // If all routers changed, their names say nothing more.
            let names = match changed.len() {
                count if count == *routers => String::new(),
                1..=3 => format!("; {}", changed.join(", ")),
                _ => format!("; {}, ..", changed[..3].join(", ")),
            };
            format!(
                "{} of {}; entries: {}{names}",
                grouped(changed.len() as u64),
                count(*routers, "router"),
                counts.join(", ")
            )
        }
    }
}

/// Files that differ, those of a folder together: path, number of different files and of all files, and bytes
/// in A and in B.
pub(super) fn changed_folders(files: &[FileDiff]) -> Vec<(String, [usize; 2], [Option<u64>; 2])> {
    let mut folders: BTreeMap<String, ([usize; 2], [Option<u64>; 2])> = BTreeMap::new();
    for file in files {
        let folder = file.path.split_once('/').map_or(file.path.clone(), |(folder, _)| format!("{folder}/"));
        let (counts, bytes) = folders.entry(folder).or_default();
        counts[0] += usize::from(!file.same);
        counts[1] += 1;
        bytes.iter_mut().zip(file.bytes).for_each(|(sum, bytes)| {
            if let Some(bytes) = bytes {
                *sum = Some(sum.unwrap_or(0) + bytes);
            }
        });
    }
    folders
        .into_iter()
        .filter(|(_, (counts, _))| counts[0] > 0)
        .map(|(path, (counts, bytes))| (path, counts, bytes))
        .collect()
}

/// Options of the manifests that differ: name and both values.
pub(super) fn option_changes(diff: &Diff) -> Vec<(String, [String; 2])> {
    let [a, b] = diff.sides.each_ref().map(|side| side.options.iter().cloned().collect::<BTreeMap<_, _>>());
    let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let changed = names.into_iter().filter(|name| a.get(*name) != b.get(*name));
    changed.map(|name| (name.clone(), [value_or_none(a.get(name)), value_or_none(b.get(name))])).collect()
}
