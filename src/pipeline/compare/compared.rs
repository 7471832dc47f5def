//! Compares two builds part by part.

use super::side::{BuildSide, FileMark};
use super::wiring::{WiringComparison, compare_wiring};
use crate::folder::Folder;
use crate::scenarios::NOMINAL;
use fabc_check::MANIFEST;
use fabc_ir::{Diff, FileDiff, TablesDiff, TablesFound, WiringFound};
use fabc_passes::compare::{
    TableChanges, Tolerance, beyond, contract, faults, figures, lines_apart, table_changes,
};
use std::collections::BTreeSet;

/// Two builds that were compared.
pub struct BuildComparison {
    /// The differences of the builds.
    pub diff: Diff,
    /// The names of the differences that exceed the tolerance. `None` if there is no tolerance.
    pub beyond: Option<Vec<String>>,
}

impl BuildComparison {
    /// Whether the builds are the same, or differ within the tolerance.
    pub fn is_same(&self) -> bool {
        self.beyond.as_ref().map_or(self.diff.is_same(), Vec::is_empty)
    }
}

/// Compares two builds. Figures may differ by the tolerance, if there is one.
///
/// # Errors
/// [`Refusal::NotBuilt`](crate::refusal::Refusal::NotBuilt) if tables are damaged or were not compiled.
pub fn compare_builds<F: Folder>(
    sides: &[BuildSide<'_, F>; 2],
    tolerance: Option<&Tolerance>,
) -> Result<BuildComparison, F::Error> {
    let diff = compare_sides(sides)?;
    let beyond = tolerance.map(|tolerance| beyond(&diff, tolerance));
    Ok(BuildComparison { diff, beyond })
}

/// The differences of two builds.
///
/// # Errors
/// The errors of [`BuildSide::tables`].
fn compare_sides<F: Folder>(sides: &[BuildSide<'_, F>; 2]) -> Result<Diff, F::Error> {
    let reports = sides.each_ref().map(|side| &side.report);
    let wiring = compare_wiring(sides);
    let tables = tables(sides, wiring.as_ref())?;
    Ok(Diff {
        sides: sides.each_ref().map(BuildSide::description),
        spec: lines_apart(sides.each_ref().map(|side| side.spec.as_str())),
        figures: figures(reports),
        contract: contract(reports),
        faults: faults(reports),
        wiring: wiring.map(|wiring| wiring.diff),
        tables,
        files: files(sides),
    })
}

/// All files of both sides. In the manifest, hashes of other files and the version of fabc do not count as
/// differences.
fn files<F: Folder>(sides: &[BuildSide<'_, F>; 2]) -> Vec<FileDiff> {
    let [a, b] = sides;
    let same_manifest = || {
        (&a.manifest.fabric, &a.manifest.contract, a.options())
            == (&b.manifest.fabric, &b.manifest.contract, b.options())
    };
    let paths: BTreeSet<&String> = a.files.keys().chain(b.files.keys()).collect();
    let file = |path: &String| {
        let marks = [a.files.get(path), b.files.get(path)];
        let same = match marks {
            [Some(_), Some(_)] if path == MANIFEST => same_manifest(),
            [a, b] => a == b,
        };
        FileDiff { path: path.clone(), bytes: marks.map(|mark| mark.map(|mark: &FileMark| mark.bytes)), same }
    };
    paths.into_iter().map(file).collect()
}

/// The tables of every scenario that a side has, nominal first.
fn tables<F: Folder>(
    sides: &[BuildSide<'_, F>; 2],
    wiring: Option<&WiringComparison>,
) -> Result<Vec<TablesDiff>, F::Error> {
    let mut seen = BTreeSet::new();
    let faults = sides.iter().flat_map(|side| side.report.scenarios.iter().map(|(name, _)| name.as_str()));
    let scenarios: Vec<&str> =
        std::iter::once(NOMINAL).chain(faults).filter(|name| seen.insert(*name)).collect();
    let mut diffs = Vec::new();
    for scenario in scenarios {
        let comparison = match sides.each_ref().map(|side| side.tables_path(scenario)) {
            [None, None] => continue,
            [Some(_), None] => TablesFound::Alone(0),
            [None, Some(_)] => TablesFound::Alone(1),
            [Some(path_a), Some(path_b)] => entries(sides, scenario, [&path_a, &path_b], wiring)?,
        };
        diffs.push(TablesDiff { scenario: scenario.to_owned(), outcome: comparison });
    }
    Ok(diffs)
}

/// The tables of one scenario, entry by entry.
fn entries<F: Folder>(
    sides: &[BuildSide<'_, F>; 2],
    scenario: &str,
    paths: [&str; 2],
    wiring: Option<&WiringComparison>,
) -> Result<TablesFound, F::Error> {
    let unlike = |why: &str| Ok(TablesFound::Unlike(why.to_owned()));
    let (Some(a), Some(b)) = (&sides[0].topology, &sides[1].topology) else {
        return unlike("a side has no topology");
    };
    let images = wiring.and_then(|found_wiring| found_wiring.images.as_deref());
    if a.names.len() != b.names.len() {
        return unlike("not as many routers");
    }
    if a.names != b.names {
        return unlike("other routers");
    }
    // The ports of a cube move with it. Those of a network are numbered by the routers they lead to.
    if images.is_none()
        && wiring.is_some_and(|found_wiring| found_wiring.diff.outcome == WiringFound::Renamed)
    {
        return unlike("routers have other names, and so their ports other numbers");
    }
    let same_bytes = sides[0].files.get(paths[0]) == sides[1].files.get(paths[1]);
    if images.is_none() && same_bytes && a.symmetry == b.symmetry {
        return Ok(TablesFound::Same);
    }
    let read = [sides[0].tables(scenario, paths[0])?, sides[1].tables(scenario, paths[1])?];
    let [old, new] = match read {
        [Some(old), Some(new)] => [old, new],
        [None, None] => return unlike("other groups of next hops, or another choice among them"),
        _ => return unlike("one side has a port per destination, the other one groups of ports"),
    };
    if old.key != new.key {
        return unlike("looked up by other keys");
    }
    let TableChanges { routers, counts } = table_changes(&old, &new, images);
    let changed = routers.iter().map(|node| b.names[node.0 as usize].clone()).collect();
    Ok(if routers.is_empty() {
        TablesFound::Same
    } else {
        TablesFound::Entries { routers: b.names.len(), changed, counts }
    })
}
