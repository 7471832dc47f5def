//! `--golden DIR`: what changed against committed outputs, in the words of a fabric.
//!
//! Comes in: a directory from an earlier build, and the artifacts of this one. Goes out: metrics that
//! changed, moves of every OCS, routers with other tables, files on one side only. The version of fabc in the
//! manifest is no difference.

use super::errors::{DriverError, Stop};
use super::read::{self, display};
use super::staging::{self, MANIFEST, Staging};
use crate::compiled::Compiled;
use crate::ids::NodeId;
use crate::ir::Entry;
use crate::limits::ARTIFACT_BYTES;
use crate::read::{BinaryTables, RouterLine, TablesFile, key_of};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most lines that one part of the difference takes.
const LINES: usize = 16;

/// The golden directory of a fabric: `DIR/<fabric>`, or `DIR` where it is one itself.
pub(super) fn place(directory: &Path, fabric: &str) -> PathBuf {
    if directory.join(MANIFEST).is_file() { directory.to_owned() } else { directory.join(fabric) }
}

/// Refuses to compare with what is not there, before anything is compiled.
///
/// # Errors
/// There are no golden outputs.
pub(super) fn exists(directory: &Path) -> Result<(), DriverError> {
    if directory.is_dir() { Ok(()) } else { Err(DriverError::GoldenMissing { path: display(directory) }) }
}

/// Compares with the golden outputs, and rewrites them if asked to.
///
/// # Errors
/// They differ or are missing (without `update`), hold something foreign, or the disk does not let us.
pub(super) fn golden(
    directory: &Path,
    update: bool,
    compiled: &Compiled,
    spec_text: &str,
    options: &[(String, String)],
    say: &dyn Fn(&str) -> Result<(), DriverError>,
) -> Result<(), Stop> {
    let path = display(directory);
    let exists = directory.is_dir();
    if exists {
        let mut difference = Difference::against(directory)?;
        crate::emit::each_artifact(compiled, spec_text, options, &mut |artifact| {
            difference.compare(compiled, directory, &artifact.path, &artifact.bytes)
        })?;
        let text = difference.text();
        if text.is_empty() {
            say(&format!("\nthe outputs equal {path}"))?;
            return Ok(());
        }
        say(&format!("\nthe outputs differ from {path}\n{text}"))?;
    }
    if !update {
        let error = if exists { DriverError::GoldenDiffers { path } } else { DriverError::GoldenMissing { path } };
        return Err(error.into());
    }
    let mut staging = Staging::at(directory, staging::BUILT)?;
    crate::emit::each_artifact(compiled, spec_text, options, &mut |artifact| staging.write(&artifact.path, &artifact.bytes))?;
    staging.publish()?;
    say(&format!("updated {path}"))?;
    Ok(())
}

/// What changed, part by part; every text is a line of the output.
#[derive(Debug, Default)]
struct Difference {
    metrics: Vec<String>,
    moves: Vec<String>,
    tables: Vec<String>,
    files: Vec<String>,
    /// Golden files that no artifact has asked for yet.
    unseen: BTreeSet<String>,
}

impl Difference {
    /// Nothing compared yet.
    fn against(directory: &Path) -> Result<Self, DriverError> {
        Ok(Difference { unseen: read::paths(directory)?.into_iter().collect(), ..Default::default() })
    }

    /// Compares one artifact with its golden twin.
    fn compare(&mut self, compiled: &Compiled, directory: &Path, path: &str, new: &[u8]) -> Result<(), DriverError> {
        if !self.unseen.remove(path) {
            self.files.push(format!("{path}: new"));
            return Ok(());
        }
        let full = directory.join(path);
        let old = read::bytes(&full, ARTIFACT_BYTES)?;
        if old != new {
            self.differ(compiled, path, &old, new);
        }
        Ok(())
    }

    /// Says how a file changed.
    fn differ(&mut self, compiled: &Compiled, path: &str, old: &[u8], new: &[u8]) {
        let known = match path {
            MANIFEST => Some(manifests(old, new).map_or(Vec::new(), |line| vec![line])).map(|lines| self.files.extend(lines)),
            "report.json" => reports(old, new).map(|lines| self.metrics.extend(lines)),
            "ocs.json" => moves(old, new).map(|lines| self.moves.extend(lines)),
            _ if path.starts_with("tables/") => tables(compiled, path, old, new).map(|line| self.tables.push(line)),
            _ => None,
        };
        if known.is_none() {
            self.files.push(format!("{path}: changed"));
        }
    }

    /// The whole difference; empty if there is none.
    fn text(&self) -> String {
        let gone: Vec<String> = self.unseen.iter().map(|path| format!("{path}: gone")).collect();
        let files: Vec<String> = self.files.iter().chain(&gone).cloned().collect();
        let parts = [("metrics", &self.metrics), ("cross-connects", &self.moves), ("tables", &self.tables), ("files", &files)];
        let mut out = String::new();
        for (title, lines) in parts.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            out += &format!("  {title}\n");
            lines.iter().take(LINES).for_each(|line| out += &format!("    {line}\n"));
            if lines.len() > LINES {
                out += &format!("    ... and {} more\n", lines.len() - LINES);
            }
        }
        out
    }
}

/// How two manifests differ, beyond the hashes that follow from other files and the version of fabc.
fn manifests(old: &[u8], new: &[u8]) -> Option<String> {
    let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    let (old, new) = (parse(old), parse(new));
    if old["format"] != new["format"] {
        return Some(format!("{MANIFEST}: format {} -> {}", old["format"], new["format"]));
    }
    (old["options"] != new["options"]).then(|| format!("{MANIFEST}: options {} -> {}", old["options"], new["options"]))
}

/// Metrics that changed: `max_channel_load 159 -> 161`; `None` if a side is no report.
fn reports(old: &[u8], new: &[u8]) -> Option<Vec<String>> {
    let (old, new): (Value, Value) = (serde_json::from_slice(old).ok()?, serde_json::from_slice(new).ok()?);
    let mut lines = Vec::new();
    for (section, prefix) in [("metrics", ""), ("bounds", "bounds."), ("tables", "tables."), ("worst", "worst."), ("scenarios", "")] {
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        leaves(&old[section], String::new(), &mut before);
        leaves(&new[section], String::new(), &mut after);
        for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
            let [was, is] = [&before, &after].map(|side| side.get(name).map_or("none", String::as_str));
            if was != is {
                lines.push(format!("{prefix}{name} {was} -> {is}"));
            }
        }
    }
    let (Value::Object(before), Value::Object(after)) = (&old, &new) else { return None };
    let said = ["metrics", "bounds", "tables", "worst", "scenarios"];
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).filter(|key| !said.contains(&key.as_str())).collect();
    let others: Vec<&str> = keys.into_iter().filter(|key| before.get(*key) != after.get(*key)).map(String::as_str).collect();
    if !others.is_empty() {
        lines.push(format!("also: {}", others.join(", ")));
    }
    // Layout alone, such as another order of keys, is a difference too.
    if lines.is_empty() { None } else { Some(lines) }
}

/// All numbers and words below a value, by their place: `X[0,0].diameter`.
fn leaves(value: &Value, place: String, into: &mut BTreeMap<String, String>) {
    let below = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| leaves(value, below(key), into)),
        Value::Null => {}
        Value::String(text) => drop(into.insert(place, text.clone())),
        other => drop(into.insert(place, other.to_string())),
    }
}

/// The cross-connects of every OCS, as pairs of port names.
fn settings(ocs: &[u8]) -> Option<BTreeMap<String, BTreeSet<(String, String)>>> {
    let ocs: Value = serde_json::from_slice(ocs).ok()?;
    let mut all = BTreeMap::new();
    for switch in ocs["ocs"].as_array()? {
        let near = switch["a"].as_array()?;
        let far = switch["b"].as_array().filter(|ports| !ports.is_empty()).unwrap_or(near);
        let name = |ports: &[Value], at: &Value| Some(ports.get(at.as_u64()? as usize)?.as_str()?.to_owned());
        let pairs = switch["cross_connects"].as_array()?.iter().map(|pair| Some((name(near, &pair[0])?, name(far, &pair[1])?)));
        all.insert(switch["name"].as_str()?.to_owned(), pairs.collect::<Option<BTreeSet<_>>>()?);
    }
    Some(all)
}

/// What has to be unplugged and plugged, per OCS; `None` if a side is no `ocs.json`, or only its layout
/// differs.
fn moves(old: &[u8], new: &[u8]) -> Option<Vec<String>> {
    let (old, new) = (settings(old)?, settings(new)?);
    let none = BTreeSet::new();
    let mut lines = Vec::new();
    for name in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let (before, after) = (old.get(name).unwrap_or(&none), new.get(name).unwrap_or(&none));
        let pairs = |sign: &str, pairs: Vec<&(String, String)>| {
            let more = if pairs.len() > 4 { format!(" and {} more", pairs.len() - 4) } else { String::new() };
            let shown: Vec<String> = pairs.iter().take(4).map(|(a, b)| format!("{sign}{a}={b}")).collect();
            if shown.is_empty() { String::new() } else { format!(" {}{more}", shown.join(" ")) }
        };
        let removed = pairs("-", before.difference(after).collect());
        let added = pairs("+", after.difference(before).collect());
        if !removed.is_empty() || !added.is_empty() {
            lines.push(format!("{name}:{removed}{added}"));
        }
    }
    if lines.is_empty() { None } else { Some(lines) }
}

/// The tables that a file lists.
struct Listed {
    scenario: String,
    vcs: u8,
    canonical: bool,
    /// By node id.
    routers: BTreeMap<u32, Vec<Entry>>,
}

impl Listed {
    /// Reads either form; the binary one only if its symmetry is still that of the compiled pod.
    fn read(compiled: &Compiled, bytes: &[u8]) -> Option<Self> {
        if BinaryTables::begins(bytes) {
            let file = BinaryTables::read(bytes).ok()?;
            let (canonical, own) = (file.is_canonical(), compiled.topology.symmetry());
            let tables = file.tables(if canonical { own.clone() } else { own.without() }).ok()?;
            let routers = tables.symmetry.canonical_nodes().map(|node| node.0).zip(tables.routers).collect();
            return Some(Self { scenario: tables.scenario, vcs: tables.vcs, canonical, routers });
        }
        let file: TablesFile = crate::read::tagged(bytes).ok()?;
        let key = key_of(&file.key, file.vc.as_deref())?;
        let table = |line: RouterLine| Some((line.node, line.entries.into_iter().map(|line| line.under(key)).collect::<Option<_>>()?));
        let routers = file.routers.into_iter().map(table).collect::<Option<_>>()?;
        Some(Self { scenario: file.scenario, vcs: file.vcs, canonical: file.canonical, routers })
    }
}

/// Which routers have another table: `nominal: 12 of 64 canonical routers: cube0[0,0,0], ..`.
fn tables(compiled: &Compiled, path: &str, old: &[u8], new: &[u8]) -> Option<String> {
    let (old, new) = (Listed::read(compiled, old)?, Listed::read(compiled, new)?);
    if old.canonical != new.canonical || old.vcs != new.vcs || old.scenario != new.scenario {
        return Some(format!(
            "{path}: scenario {}, {} VCs, canonical {} -> scenario {}, {} VCs, canonical {}",
            old.scenario, old.vcs, old.canonical, new.scenario, new.vcs, new.canonical
        ));
    }
    let nodes: BTreeSet<u32> = old.routers.keys().chain(new.routers.keys()).copied().collect();
    let changed: Vec<u32> = nodes.iter().copied().filter(|node| old.routers.get(node) != new.routers.get(node)).collect();
    if changed.is_empty() {
        return None;
    }
    let kind = if new.canonical { "canonical routers" } else { "routers" };
    let names: Vec<String> = changed.iter().take(3).map(|node| compiled.topology.name(NodeId(*node))).collect();
    let more = if changed.len() > 3 { ", .." } else { "" };
    Some(format!("{}: {} of {} {kind}: {}{more}", new.scenario, changed.len(), nodes.len(), names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_named_with_both_values() {
        let old = br#"{"metrics":{"diameter":6,"concurrent_flow":[0.1,0.2]},"scenarios":{"X[0,0]":{"diameter":7}},"passes":[1]}"#;
        let new = br#"{"metrics":{"diameter":5,"concurrent_flow":[0.1,0.2]},"scenarios":{"X[0,0]":{"diameter":6}},"passes":[2]}"#;
        assert_eq!(reports(old, new).unwrap(), ["diameter 6 -> 5", "X[0,0].diameter 7 -> 6", "also: passes"]);
    }

    #[test]
    fn moves_are_named_by_ports() {
        let ocs = |pairs: &str| {
            format!(
                r#"{{"ocs":[{{"name":"X","a":["cube0.+x[0,0]","cube1.+x[0,0]"],"b":["cube0.-x[0,0]","cube1.-x[0,0]"],"cross_connects":{pairs}}}]}}"#
            )
        };
        let lines = moves(ocs("[[0,1],[1,0]]").as_bytes(), ocs("[[0,1]]").as_bytes()).unwrap();
        assert_eq!(lines, ["X: -cube1.+x[0,0]=cube0.-x[0,0]"]);
        assert_eq!(moves(ocs("[[0,1]]").as_bytes(), ocs("[[0, 1]]").as_bytes()), None);
    }

    #[test]
    fn a_manifest_may_name_another_version() {
        let manifest =
            |tool: &str, options: &str| format!(r#"{{"format":"fabc.manifest/1","tool":"{tool}","options":{{{options}}},"files":[]}}"#);
        let stopped = r#""stop_after":"route""#;
        assert_eq!(manifests(manifest("fabc 0.1.0", "").as_bytes(), manifest("fabc 9", "").as_bytes()), None);
        assert!(manifests(manifest("fabc 0.1.0", "").as_bytes(), manifest("fabc 0.1.0", stopped).as_bytes()).is_some());
    }

    #[test]
    fn files_on_one_side_are_named() {
        let difference = Difference { files: vec!["b: new".to_owned()], unseen: BTreeSet::from(["a".to_owned()]), ..Default::default() };
        assert_eq!(difference.text(), "  files\n    b: new\n    a: gone\n");
    }
}
