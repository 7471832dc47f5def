//! `fabc repair`: new tables for what is left of a built fabric, whatever is down; nothing is synthesized.

use super::errors::{DriverError, Stop};
use super::options::{Effort, RepairArgs};
use super::progress::Watch;
use super::read::{self, Loaded, display};
use super::staging::{Ours, Staging};
use super::tables::carried;
use super::terminal::{Terminal, size};
use crate::check::{self, CheckError, Files, ReadWiring};
use crate::compile::repair::{Broken, Covered, REPAIR, Repaired, repair as repaired};
use crate::diag::SourceMap;
use crate::emit;
use crate::ids::{Id, LinkId, NodeId, OcsId, PortId};
use crate::ir::{
    CrossConnects, Delta, Entry, ForwardingTables, Key, Names, Repair, RepairLoads, RepairStep, RouterDelta, Scenario, Scene, TableKey,
    Topology,
};
use crate::limits::ARTIFACT_BYTES;
use crate::model::Fabric;
use crate::progress::Silent;
use crate::read::{Certificates, DeltaFile, RepairFile, ScenarioLine, tagged};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files of a repair.
const FILES: [&str; 4] = ["repair.json", "delta.json", "tables.json", "tables.bin"];
/// A folder of a repair holds nothing else; an earlier one is never wanted back for its parts.
const REPAIRS: Ours = Ours { refuse_foreign, is_whole: |_| true };
/// Entries of all routers up to which the new tables are written out; the changes are always.
const MOST_ENTRIES: u64 = 1 << 26;

/// `fabc repair`.
///
/// # Errors
/// The directory is not one of fabc's, a name is unknown, what is left is in parts (exit code 3), or
/// something cannot be written.
pub(super) fn repair(args: &RepairArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = Watch::new(false);
    let built = Built::read(&args.directory)?;
    let down = Down::of(&built, &args.down)?;
    let scene = down.scene(&built);
    let parts = check::parts(&scene);
    let word = built.fabric.plant.router_word();
    let served = served(&built, &scene, &parts, args.partial)?;
    let endpoints = |nodes: &[NodeId]| nodes.iter().filter(|&&node| scene.is_endpoint(node)).count() as u64;
    let pairs = |count: u64| count * count.saturating_sub(1);
    let unserved = pairs(parts.iter().map(|part| endpoints(part)).sum()) - pairs(endpoints(&parts[0]));
    let names = down.names(&built);
    let broken = Broken {
        fabric: &built.fabric,
        covered: if unserved == 0 { built.covered(&names)? } else { None },
        down: names,
        scene: &scene,
        served: &served,
        tables: &built.tables,
        ranks: &built.nominal.ranks,
        lengths: &built.nominal.lengths,
        unserved,
    };
    let Repaired { repair, walk } =
        repaired(&broken, args.effort == Effort::Full, &Silent).map_err(|error| convicted(error, &built.sources))?;
    // `.` and `..` have no name of their own.
    let target = args.out.canonicalize().unwrap_or_else(|_| args.out.clone());
    let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut staging = Staging::begin(target.parent().unwrap_or(Path::new("")), &name, REPAIRS)?;
    let mut written = 0;
    let mut write = |path: &str, bytes: &[u8]| {
        written += bytes.len();
        terminal.detail(&format!("wrote {} ({})", display(&args.out.join(path)), size(bytes.len())));
        staging.write(path, bytes)
    };
    write("repair.json", emit::repair_json(&repair).as_bytes())?;
    write("delta.json", emit::delta_json(&repair).as_bytes())?;
    let listed = walk.entries <= MOST_ENTRIES;
    if listed {
        let tables = emit::repaired_tables(&repair.delta.applied(&built.tables, &served.dead, REPAIR));
        write(&tables.path, &tables.bytes)?;
    }
    staging.publish()?;
    terminal.say(&emit::repair_text(&repair, built.fabric.node_count(), word))?;
    if !listed {
        terminal.say(&format!("  the new tables have {} entries and are not written: the changes say all", walk.entries))?;
    }
    terminal.say(&format!("wrote {} ({}) in {}", display(&args.out), size(written), watch.elapsed()))?;
    Ok(())
}

/// `fabc verify DIR --repair OUT`: the files of a repair against the directory that it is of.
///
/// # Errors
/// A file is missing or not what its format says, or does not hold (exit code 3).
pub(super) fn verify(directory: &Path, out: &Path, terminal: Terminal) -> Result<(), Stop> {
    let built = Built::read(directory)?;
    let unfit = |file: &str, what: String| DriverError::NotBuilt { path: display(out), reason: format!("`{file}`: {what}") };
    let bytes = |file: &str| read::bytes(&out.join(file), ARTIFACT_BYTES);
    let head: RepairFile = tagged(&bytes("repair.json")?).map_err(|what| unfit("repair.json", what))?;
    let delta: DeltaFile = tagged(&bytes("delta.json")?).map_err(|what| unfit("delta.json", what))?;
    let down = Down::of(&built, &head.down)?;
    let scene = down.scene(&built);
    let parts = check::parts(&scene);
    let served = served(&built, &scene, &parts, true)?;
    let whole = Scene::whole(&built.topology);
    let stop = |error| Stop { exit_code: 3, ..convicted(error, &built.sources) };
    let (healthy, _) = check::scenario(&built.fabric, &whole, &built.tables, &built.nominal.ranks).map_err(stop)?;
    let claimed = claimed(&head, delta);
    let bound = check::least_load(&served, &built.fabric.demand, &built.nominal.lengths).ok();
    let wrong = |what: &str| stop(CheckError::Shape { scenario: REPAIR.to_owned(), what: what.to_owned() });
    let Repair { fabric, loads, delta, .. } = &claimed;
    if *fabric != built.fabric.name || head.fabric != *fabric || head.order != (if claimed.keeps_order() { "nominal" } else { "new" }) {
        return Err(wrong("the files are of different fabrics, or do not agree on the order"));
    }
    if (loads.nominal, loads.bound, loads.parts) != (healthy.max_channel_load(), bound, built.topology.capacities().parts()) {
        return Err(wrong("the loads before, or what bounds those after, are not so"));
    }
    if (head.routers, head.changed) != (delta.routers.len() as u64, delta.counts()) || head.down != down.names(&built) {
        return Err(wrong("the counts of the changes, or the names of what is down, are not those of fabc"));
    }
    let walk = check::repair(&built.fabric, &scene, &built.tables, &built.nominal.ranks, &claimed).map_err(stop)?;
    if walk.entries <= MOST_ENTRIES {
        let tables = emit::repaired_tables(&delta.applied(&built.tables, &served.dead, REPAIR));
        if bytes(&tables.path)? != tables.bytes {
            return Err(wrong("the new tables are not what the changes make of the old ones"));
        }
    }
    let [add, turn, drop] = delta.counts();
    terminal.say(&format!(
        "verified {} on {}: {} routes of {} hops over {} table entries walked; {add} added, {turn} turned, {drop} dropped",
        display(out),
        display(directory),
        walk.pairs,
        walk.hops,
        walk.entries
    ))?;
    terminal.say(match claimed.keeps_order() {
        true => "in any mix of old and new tables every packet arrives, meets what is down, or stands at a key that is listed as stranded",
        false => "the new tables have an order of their own: they hold alone",
    })?;
    Ok(())
}

/// What the files say.
fn claimed(head: &RepairFile, delta: DeltaFile) -> Repair {
    let entry = |(dst, in_port, in_vc, out_port, out_vc)| Entry { dst: NodeId(dst), in_port, in_vc, out_port, out_vc };
    let key = |(dst, in_port, in_vc)| Key { dst: NodeId(dst), in_port, in_vc };
    let routers = delta.routers.into_iter().map(|line| RouterDelta {
        router: NodeId(line.router),
        add: line.add.into_iter().map(entry).collect(),
        turn: line.turn.into_iter().map(entry).collect(),
        drop: line.drop.into_iter().map(key).collect(),
    });
    let stranded = head.stranded.iter().map(|&(router, dst, in_port, in_vc)| (NodeId(router), key((dst, in_port, in_vc))));
    let step = match (head.step.as_str(), &head.scenario) {
        ("covered", Some(scenario)) => RepairStep::Covered(scenario.clone()),
        ("full", _) => RepairStep::Full,
        ("new_order", _) => RepairStep::NewOrder,
        _ => RepairStep::Local,
    };
    Repair {
        fabric: delta.fabric,
        down: head.down.clone(),
        step,
        ranks: head.ranks.clone(),
        delta: Delta { routers: routers.collect(), stranded: stranded.collect() },
        loads: RepairLoads { nominal: head.load.nominal, repaired: head.load.repaired, bound: head.load.bound, parts: head.load.parts },
        unserved: head.unserved,
    }
}

/// What is left and served: what is cut off from the largest part is as good as dead.
fn served<'a>(built: &Built, scene: &Scene<'a>, parts: &[Vec<NodeId>], partial: bool) -> Result<Scene<'a>, Stop> {
    let word = built.fabric.plant.router_word();
    let most = parts.first().map_or(&[][..], |part| part);
    if most.iter().filter(|&&node| scene.is_endpoint(node)).count() < 2 {
        return Err(DriverError::NothingLeft { word }.into());
    }
    let sends = |part: &&Vec<NodeId>| part.iter().any(|&node| scene.is_endpoint(node));
    let apart = parts.iter().filter(sends).count();
    if apart > 1 && !partial {
        const SHOWN: usize = 3;
        let told = |part: &Vec<NodeId>| match &part[..] {
            [one] => built.topology.name(*one),
            [first, .., last] => format!("{} {word}s from {} to {}", part.len(), built.topology.name(*first), built.topology.name(*last)),
            [] => String::new(),
        };
        let shown = parts.iter().filter(sends).take(SHOWN).map(told).collect::<Vec<_>>().join("; ");
        let what = if apart > SHOWN { format!("{shown}; ..") } else { shown };
        return Err(DriverError::RepairApart { parts: apart, what, most: most.len(), word }.into());
    }
    let dead = built.topology.nodes().filter(|node| most.binary_search(node).is_err()).collect();
    Ok(Scene { dead, ..scene.clone() })
}

/// A directory, as far as a repair needs it.
struct Built {
    directory: PathBuf,
    fabric: Fabric,
    sources: SourceMap,
    topology: Topology,
    cross_connects: Option<CrossConnects>,
    tables: ForwardingTables,
    nominal: ScenarioLine,
    /// Topology, switches and the tables of the healthy fabric.
    files: Files,
    /// What is certified of faults.
    faults: Vec<ScenarioLine>,
}

impl Built {
    fn read(directory: &Path) -> Result<Self, Stop> {
        let Loaded { fabric, sources, .. } = read::built_fabric(directory)?;
        let mut files = Files::new();
        let there = |path: &str| directory.join(path).is_file();
        let tables = tables_of(directory, "nominal").ok_or_else(|| no_tables(directory))?;
        for path in [Some("topology.json"), Some("ocs.json").filter(|path| there(path)), Some(&tables)].into_iter().flatten() {
            files.insert(path.to_owned(), read::bytes(&directory.join(path), ARTIFACT_BYTES)?);
        }
        let stop = |error| convicted(error, &sources);
        let healthy = check::read_scenario(&files, &fabric, "nominal").map_err(stop)?.ok_or_else(|| no_tables(directory))?;
        let ReadWiring { cross_connects, .. } = check::read_wiring(&files, &fabric).map_err(stop)?;
        let not_built = |reason| DriverError::NotBuilt { path: display(directory), reason };
        let certificates: Certificates = tagged(&read::bytes(&directory.join("certificates.json"), ARTIFACT_BYTES)?)
            .map_err(|what| not_built(format!("`certificates.json`: {what}")))?;
        let mut lines = certificates.scenarios.into_iter();
        let nominal = lines.next().filter(|line| line.scenario == "nominal");
        let nominal = nominal.ok_or_else(|| not_built("`certificates.json`: `nominal` is missing".to_owned()))?;
        match healthy.tables.key {
            TableKey::DstInput => {}
            TableKey::Dst | TableKey::DstCount(_) => {
                return Err(DriverError::NoRepair {
                    what: "routers look packets up by their destination alone, so a new way for one would be a new way for all",
                    hint: "build with `routing = allowed_turns;`: its tables look at the input as well",
                }
                .into());
            }
        }
        let (topology, tables, directory) = (healthy.topology, healthy.tables, directory.to_owned());
        Ok(Self { directory, fabric, sources, topology, cross_connects, tables, nominal, files, faults: lines.collect() })
    }

    /// The tables that the build has where just this is down.
    fn covered(&self, down: &[String]) -> Result<Option<Covered>, Stop> {
        let name = down.join("+");
        let image = |scenario: &Scenario| scenario.images.iter().find(|image| image.scenario == name).cloned();
        let all = Scenario::all(&self.fabric, &self.topology);
        let Some(scenario) = all.into_iter().find(|scenario| scenario.name == name || image(scenario).is_some()) else { return Ok(None) };
        let Some(path) = tables_of(&self.directory, &scenario.name) else { return Ok(None) };
        let Some(line) = self.faults.iter().find(|line| line.scenario == scenario.name) else { return Ok(None) };
        let mut files = self.files.clone();
        files.insert(path.clone(), read::bytes(&self.directory.join(&path), ARTIFACT_BYTES)?);
        let read = check::read_scenario(&files, &self.fabric, &scenario.name).map_err(|error| convicted(error, &self.sources))?;
        let Some(read) = read else { return Ok(None) };
        let row = self.topology.ports() * usize::from(read.tables.vcs);
        let ranks_of = |node: NodeId| line.ranks.get(read.tables.symmetry.class(node) * row..).and_then(|ranks| ranks.get(..row));
        let mut ranks: Vec<Vec<u32>> =
            self.topology.nodes().map(|node| ranks_of(node).map_or_else(|| vec![0; row], <[u32]>::to_vec)).collect();
        let mut tables = read.tables;
        if let Some(image) = image(&scenario) {
            let (block, _) = self.fabric.blocks();
            let to = |node: NodeId| image.blocks[(node.0 / block) as usize].0 * block + node.0 % block;
            let mut moved = ranks.clone();
            self.topology.nodes().for_each(|node| moved[to(node) as usize] = ranks[node.index()].clone());
            ranks = moved;
            let Some(there) = carried(&tables, &name, &image.blocks, block) else { return Ok(None) };
            tables = there;
        }
        Ok(Some(Covered { scenario: name, tables, ranks: ranks.concat() }))
    }
}

/// The path of the tables of a scenario, in the form in which they are there.
fn tables_of(directory: &Path, scenario: &str) -> Option<String> {
    let paths = ["json", "bin"].map(|ending| format!("{}.{ending}", emit::tables_path(scenario)));
    paths.into_iter().find(|path| directory.join(path).is_file())
}

fn no_tables(directory: &Path) -> DriverError {
    let hint = format!("the build of `{}` stopped before routing, or plans vectors", display(directory));
    DriverError::UnknownScenario { name: "nominal".to_owned(), hint }
}

/// What is down.
struct Down {
    switches: BTreeSet<OcsId>,
    routers: BTreeSet<NodeId>,
    links: BTreeSet<LinkId>,
}

impl Down {
    /// By the names of switches, routers, links and blocks.
    fn of(built: &Built, names: &[String]) -> Result<Self, Stop> {
        let mut down = Self { switches: BTreeSet::new(), routers: BTreeSet::new(), links: BTreeSet::new() };
        for name in names {
            let compact: String = name.chars().filter(|letter| !letter.is_whitespace()).collect();
            if !down.takes(built, &compact) {
                return Err(DriverError::UnknownPart { name: name.clone(), hint: looks(built) }.into());
            }
        }
        Ok(down)
    }

    /// Whether there is such a part; it is down from now on.
    fn takes(&mut self, built: &Built, name: &str) -> bool {
        let (topology, fabric) = (&built.topology, &built.fabric);
        if let Some(pod) = fabric.pod()
            && let Some((id, _)) = pod.ocses.enumerate().find(|(_, ocs)| ocs.name == name)
        {
            self.switches.insert(id);
            return true;
        }
        let names: &Names = topology.names();
        if let Some(node) = names.find(name, topology.node_count()) {
            self.routers.insert(node);
            return true;
        }
        if let Some((router, port)) = name.rsplit_once('.')
            && let Some(node) = names.find(router, topology.node_count())
        {
            let port = (0..topology.ports()).map(PortId::new).find(|&at| names.port(at) == port);
            let channel = port.and_then(|port| {
                topology.channels_from(node).chain(topology.channels_into(node)).find(|&channel| {
                    let ends = [topology.source(channel), topology.target(channel)];
                    ends.iter().any(|end| end.node == node && end.port == port)
                })
            });
            return channel.is_some_and(|channel| {
                self.links.insert(channel.link());
                true
            });
        }
        let (size, blocks) = fabric.blocks();
        let block_name = |block: u32| names.node(NodeId(block * size)).split('[').next().unwrap_or_default().to_owned();
        let block = (size > 1 && blocks > 1).then(|| (0..blocks).find(|&block| block_name(block) == name)).flatten();
        block.is_some_and(|block| {
            self.routers.extend((block * size..(block + 1) * size).map(NodeId));
            true
        })
    }

    /// The names of scenarios, in their order: switches, links, routers.
    fn names(&self, built: &Built) -> Vec<String> {
        let topology = &built.topology;
        let switches = self.switches.iter().filter_map(|&id| Some(built.fabric.pod()?.ocses[id].name.clone()));
        let link = |&link: &LinkId| {
            let end = topology.links()[link].a;
            format!("{}.{}", topology.name(end.node), topology.names().port(end.port))
        };
        let routers = self.routers.iter().map(|&node| topology.name(node));
        switches.chain(self.links.iter().map(link)).chain(routers).collect()
    }

    /// What is left.
    fn scene<'a>(&self, built: &'a Built) -> Scene<'a> {
        let topology = &built.topology;
        let through = |link| built.cross_connects.as_ref().and_then(|cross_connects| cross_connects.ocs_of[link]);
        let lit = topology.links().enumerate().map(|(id, link)| {
            let dark = through(id).is_some_and(|ocs| self.switches.contains(&ocs)) || self.links.contains(&id);
            !dark && !self.routers.contains(&link.a.node) && !self.routers.contains(&link.b.node)
        });
        Scene { topology, lit: lit.collect(), dead: self.routers.iter().copied().collect() }
    }
}

/// What names look like in a fabric.
fn looks(built: &Built) -> String {
    let topology = &built.topology;
    let first = topology.name(NodeId(0));
    let port =
        topology.channels_from(NodeId(0)).next().map_or_else(String::new, |channel| topology.names().port(topology.source(channel).port));
    let switch =
        built.fabric.pod().and_then(|pod| pod.ocses.iter().next()).map_or_else(String::new, |ocs| format!("a switch `{}`, ", ocs.name));
    let (size, blocks) = built.fabric.blocks();
    let block = if size > 1 && blocks > 1 { format!(", all of `{}`", first.split('[').next().unwrap_or_default()) } else { String::new() };
    format!("names are such as {switch}a router `{first}`, a link `{first}.{port}`{block}")
}

/// What the checker does not accept.
fn convicted(error: CheckError, sources: &SourceMap) -> Stop {
    Stop { diagnostics: vec![Box::new(error)], sources: sources.clone(), exit_code: 3 }
}

/// Complains unless a folder is absent or holds nothing but a repair.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    let old = if directory.exists() { read::paths(directory)? } else { Vec::new() };
    match old.iter().find(|path| !FILES.contains(&path.as_str())) {
        Some(foreign) => Err(DriverError::Foreign { path: display(directory), found: format!("`{foreign}`") }),
        None => Ok(()),
    }
}
