//! `fabc repair`: new tables for what is left of a built fabric, whatever is down; nothing is synthesized.

use crate::args::running::{Effort, RepairArgs};
use crate::io::errors::{DriverError, Stop, convicted};
use crate::io::progress::Watch;
use crate::io::read::{self, display};
use crate::io::staging::{Ours, Staging, refuse_others};
use crate::io::terminal::{Terminal, size};
use crate::operate::down::{AsBuilt, Down, tolerated_fault};
use crate::operate::drift::compared;
use crate::operate::live::live;
use crate::operate::placed::{Placed, is_placed};
use crate::operate::switches::of_pod;
use crate::operate::tables::{carried, file_of};
use fabc_base::diag::SourceMap;
use fabc_base::ids::{Id, NodeId};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_base::progress::Silent;
use fabc_check::{Files, ReadWiring};
use fabc_emit::Artifact;
use fabc_ir::read::{Certificates, PlanFile, RepairFile, ScenarioLine, tagged};
use fabc_ir::{CrossConnects, ForwardingTables, Mirrors, Scene, TableKey, Topology};
use fabc_model::Fabric;
use fabc_model::kind_files;
use fabc_pipeline::compile::repair::{self as compile, Broken, Covered, InForce, REPAIR, Repaired};
use fabc_pipeline::library::Loaded;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files of a repair.
pub(crate) const FILES: [&str; 4] = ["repair.json", "delta.json", "tables.json", "tables.bin"];
/// A folder of a repair holds nothing else; an earlier one is never wanted back for its parts.
const REPAIRS: Ours = Ours { refuse_foreign, is_whole: |_| true };
/// Entries of all routers up to which the new tables are written out; the changes are always.
pub(crate) const MOST_ENTRIES: u64 = 1 << 26;

/// `fabc repair`.
///
/// # Errors
/// The directory is not one of fabc's, a name is unknown, what is left is in parts (exit code 3), or
/// something cannot be written.
pub(crate) fn repair(args: &RepairArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = Watch::new(false);
    let Damage { directory, down, advice } = damage(args)?;
    let built = Built::running(&directory, args.running.as_deref())?;
    let down = Down::by_names(built.as_built(), &down)?.joined_with(dark(&built, args)?);
    let Mended { text, files } = mended(&built, &down, args)?;
    let mut staging = Staging::at(&args.out, REPAIRS)?;
    let mut written = 0;
    for Artifact { path, bytes } in &files {
        written += bytes.len();
        terminal.detail(&format!("wrote {} ({})", display(&args.out.join(path)), size(bytes.len())));
        staging.write(path, bytes)?;
    }
    staging.publish()?;
    terminal.say(&text)?;
    advice.iter().try_for_each(|line| terminal.say(line))?;
    terminal.say(&format!("wrote {} ({}) in {}", display(&args.out), size(written), watch.elapsed()))?;
    Ok(())
}

/// A repair that was found.
pub(crate) struct Mended {
    /// What it does, for people.
    pub(crate) text: String,
    pub(crate) files: Vec<Artifact>,
}

/// New tables for what is left of what was built, as far as the options ask for them.
///
/// # Errors
/// What is left is in parts (exit code 3), or too little; the tables in force do not hold.
pub(crate) fn mended(built: &Built, down: &Down, args: &RepairArgs) -> Result<Mended, Stop> {
    let scene = down.scene(built.as_built());
    let parts = fabc_check::parts(&scene);
    let word = built.fabric.plant.router_word();
    let served = served(built, &scene, &parts, args.partial)?;
    let endpoints = |nodes: &[NodeId]| nodes.iter().filter(|&&node| scene.is_endpoint(node)).count() as u64;
    let pairs = |count: u64| count * count.saturating_sub(1);
    let unserved = pairs(parts.iter().map(|part| endpoints(part)).sum()) - pairs(endpoints(&parts[0]));
    let names = down.names(built.as_built());
    let since = args.from.as_ref().map(|earlier| in_force(built, earlier)).transpose()?;
    let covered = if unserved == 0 { built.covered(&names)? } else { None };
    let AlikeWide { tables, ranks, covered, since } = AlikeWide::widen(built, covered, since);
    let broken = Broken {
        fabric: &built.fabric,
        covered,
        since,
        down: names,
        scene: &scene,
        served: &served,
        tables: &tables,
        ranks: &ranks,
        lengths: &built.nominal.lengths,
        unserved,
    };
    let effort = args.effort.map_or(compile::Effort::Fitting, |effort| match effort {
        Effort::Local => compile::Effort::Local,
        Effort::Full => compile::Effort::Full,
    });
    let Repaired { repair, walk } =
        compile::repair(&broken, effort, &Silent).map_err(|error| convicted(error, &built.sources))?;
    let file = |path: &str, text: String| Artifact { path: path.to_owned(), bytes: text.into_bytes() };
    let mut files = vec![
        file("repair.json", fabc_emit::repair_json(&repair)),
        file("delta.json", fabc_emit::delta_json(&repair.fabric, &repair.delta)),
    ];
    let mut text = fabc_emit::repair_text(&repair, built.fabric.node_count(), word);
    if walk.entries <= MOST_ENTRIES {
        let old = broken.since.as_ref().map_or(&*tables, |since| &since.tables);
        files.push(fabc_emit::repaired_tables(&repair.delta.applied(old, &served.dead, REPAIR)));
    } else {
        text.push_str(&format!(
            "  the new tables have {} entries and are not written: the changes say all\n",
            walk.entries
        ));
    }
    Ok(Mended { text, files })
}

/// What is down by name, in which directory.
struct Damage {
    directory: PathBuf,
    down: Vec<String>,
    /// What else can be done about it.
    advice: Vec<String>,
}

/// What the command line says is down: of a slice, by the names of its kind.
///
/// # Errors
/// There is no such slice, or it does not have that.
fn damage(args: &RepairArgs) -> Result<Damage, Stop> {
    let Some(name) = &args.slice else {
        if is_placed(&args.directory) {
            let hint = "`--slice NAME` says of which slice; `--swap` replaces cubes with dead chips, and repairs all slices";
            return Err(DriverError::OfSlices { what: "`fabc repair`".to_owned(), hint }.into());
        }
        return Ok(Damage { directory: args.directory.clone(), down: args.down.clone(), advice: Vec::new() });
    };
    let placed = Placed::read(&args.directory)?;
    let local = placed.local(name)?;
    let inside = |down: &String| {
        let compact: String = down.chars().filter(|letter| !letter.is_whitespace()).collect();
        let hint = || format!("slice `{name}` has the cubes {}", local.cubes());
        local.inside(&compact).ok_or_else(|| DriverError::UnknownPart { name: down.clone(), hint: hint() })
    };
    let down = args.down.iter().map(inside).collect::<Result<_, DriverError>>()?;
    let renamed = format!("  names are those of its kind, where cube 0, 1, .. stand for {}", local.cubes());
    // A chip that is lost leaves the job short of chips whatever the tables do.
    let cubes: BTreeSet<&str> = args
        .down
        .iter()
        .filter(|name| name.starts_with("cube") && !name.contains('.'))
        .map(|name| cube_of(name))
        .collect();
    let swaps = cubes.iter().map(|cube| {
        format!(
            "  a cube with a dead chip can be replaced instead: fabc repair {} --down {cube} --swap --out ..",
            display(&args.directory)
        )
    });
    let advice = std::iter::once(renamed).chain(swaps).collect();
    Ok(Damage { directory: args.directory.join(kind_files(&local.kind.name)), down, advice })
}

/// `cube3` of `cube3[1,2,3]`.
fn cube_of(name: &str) -> &str {
    name.split('[').next().unwrap_or(name).trim()
}

/// What is dark in what the switches do, if that is asked for.
///
/// # Errors
/// It cannot be read, or joins what was not built (exit code 3).
fn dark(built: &Built, args: &RepairArgs) -> Result<Down, Stop> {
    let as_built = built.as_built();
    let Some(path) = &args.live else { return Ok(Down::default()) };
    let pod = of_pod(&built.fabric)?;
    let (switches, down) = compared(as_built, pod, &live(path, pod, args.ports.as_deref())?, false);
    let joined = switches.iter().map(|switch| switch.extra.len()).sum::<usize>();
    if joined > 0 {
        let what = match joined {
            1 => format!("a cross-connect of `{path}` joins what was not built"),
            _ => format!("{joined} cross-connects of `{path}` join what was not built"),
        };
        let hint = format!(
            "no tables are right for such a pod: unset them first; `fabc drift {path} {}` shows them",
            display(&args.directory)
        );
        return Err(DriverError::Drifted { what, hint }.into());
    }
    Ok(down)
}

/// The tables that an earlier repair brought into force, proved.
///
/// # Errors
/// A file of it is missing, or does not hold.
pub(crate) fn in_force(built: &Built, earlier: &Path) -> Result<InForce, Stop> {
    let unfit = |file: &str, what: String| DriverError::NotBuilt {
        path: display(earlier),
        reason: format!("`{file}`: {what}"),
    };
    let head: RepairFile = tagged(&read::bytes(&earlier.join("repair.json"), ARTIFACT_BYTES)?)
        .map_err(|what| unfit("repair.json", what))?;
    if head.fabric != built.fabric.name {
        return Err(unfit(
            "repair.json",
            format!("is of the fabric `{}`, not of `{}`", head.fabric, built.fabric.name),
        )
        .into());
    }
    let down = Down::by_names(built.as_built(), &head.down)?;
    let scene = down.scene(built.as_built());
    let served = served(built, &scene, &fabc_check::parts(&scene), true)?;
    let tables = lone_tables(earlier, built, REPAIR)?;
    let all_ranks = head.ranks.clone().unwrap_or_else(|| built.ranks());
    fabc_check::judge_tables(&built.fabric, &served, &tables, &all_ranks)
        .map_err(|error| convicted(error, &built.sources))?;
    Ok(InForce { down: down.names(built.as_built()), tables, ranks: head.ranks, all_ranks })
}

/// The tables of a folder that holds one file of them.
fn lone_tables(folder: &Path, built: &Built, scenario: &str) -> Result<ForwardingTables, Stop> {
    let mut files = Files::new();
    for path in ["tables.json", "tables.bin"].into_iter().filter(|path| folder.join(path).is_file()) {
        files.insert(path.to_owned(), read::bytes(&folder.join(path), ARTIFACT_BYTES)?);
    }
    if files.is_empty() {
        let reason = "`tables.json`: is missing: the tables in force are needed".to_owned();
        return Err(DriverError::NotBuilt { path: display(folder), reason }.into());
    }
    fabc_check::read_tables(&files, &built.topology, scenario)
        .map_err(|error| convicted(error, &built.sources))
}

/// What is left and served: what is cut off from the largest part is as good as dead.
pub(crate) fn served<'a>(
    built: &Built,
    scene: &Scene<'a>,
    parts: &[Vec<NodeId>],
    partial: bool,
) -> Result<Scene<'a>, Stop> {
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
            [first, .., last] => format!(
                "{} {word}s from {} to {}",
                part.len(),
                built.topology.name(*first),
                built.topology.name(*last)
            ),
            [] => String::new(),
        };
        let shown = parts.iter().filter(sends).take(SHOWN).map(told).collect::<Vec<_>>().join("; ");
        let what = if apart > SHOWN { format!("{shown}; ..") } else { shown };
        return Err(DriverError::RepairApart { parts: apart, what, most: most.len(), word }.into());
    }
    let dead = built.topology.nodes().filter(|node| most.binary_search(node).is_err()).collect();
    Ok(Scene { dead, ..scene.clone() })
}

/// Tables of one fabric that all count as many virtual channels. Those of a fault may have been found with
/// fewer or more than those of the healthy fabric.
pub(crate) struct AlikeWide<'a> {
    /// Of the healthy fabric.
    pub(crate) tables: Cow<'a, ForwardingTables>,
    /// `[channel class * vcs + vc]`: their ranks.
    pub(crate) ranks: Cow<'a, [u32]>,
    pub(crate) covered: Option<Covered>,
    pub(crate) since: Option<InForce>,
}

impl<'a> AlikeWide<'a> {
    pub(crate) fn widen(built: &'a Built, mut covered: Option<Covered>, mut since: Option<InForce>) -> Self {
        let all = [
            Some(built.tables.vcs),
            covered.as_ref().map(|of| of.tables.vcs),
            since.as_ref().map(|of| of.tables.vcs),
        ];
        let vcs = all.into_iter().flatten().max().unwrap_or(built.tables.vcs);
        for Covered { tables, ranks, .. } in covered.iter_mut().filter(|of| of.tables.vcs < vcs) {
            *ranks = widened(ranks, [tables.vcs, vcs]);
            tables.vcs = vcs;
        }
        for InForce { tables, ranks, all_ranks, .. } in since.iter_mut().filter(|of| of.tables.vcs < vcs) {
            *ranks = ranks.take().map(|ranks| widened(&ranks, [tables.vcs, vcs]));
            *all_ranks = widened(all_ranks, [tables.vcs, vcs]);
            tables.vcs = vcs;
        }
        let (tables, ranks) = (&built.tables, &built.nominal.ranks);
        let (tables, ranks) = match tables.vcs < vcs {
            false => (Cow::Borrowed(tables), Cow::Borrowed(&ranks[..])),
            true => (
                Cow::Owned(ForwardingTables { vcs, ..tables.clone() }),
                Cow::Owned(widened(ranks, [tables.vcs, vcs])),
            ),
        };
        Self { tables, ranks, covered, since }
    }
}

/// Ranks of channels with more virtual channels than before; nothing uses the others.
fn widened(ranks: &[u32], [before, after]: [u8; 2]) -> Vec<u32> {
    let row = |of_channel: &[u32]| {
        of_channel
            .iter()
            .copied()
            .chain(std::iter::repeat_n(0, usize::from(after - before)))
            .collect::<Vec<_>>()
    };
    ranks.chunks(usize::from(before)).flat_map(row).collect()
}

/// A directory, as far as a repair needs it.
pub(crate) struct Built {
    pub(crate) directory: PathBuf,
    pub(crate) fabric: Fabric,
    pub(crate) sources: SourceMap,
    pub(crate) topology: Topology,
    pub(crate) cross_connects: Option<CrossConnects>,
    pub(crate) tables: ForwardingTables,
    pub(crate) nominal: ScenarioLine,
    /// Topology, switches and the tables of the healthy fabric.
    pub(crate) files: Files,
    /// What is certified of faults; nothing where other tables run.
    pub(crate) faults: Vec<ScenarioLine>,
}

impl Built {
    pub(crate) fn read(directory: &Path) -> Result<Self, Stop> {
        let Loaded { fabric, sources, .. } = read::built_fabric(directory)?;
        let mut files = Files::new();
        let there = |path: &str| directory.join(path).is_file();
        let tables =
            file_of(directory, &fabc_emit::tables_path("nominal")).ok_or_else(|| no_tables(directory))?;
        for path in [Some("topology.json"), Some("ocs.json").filter(|path| there(path)), Some(&tables)]
            .into_iter()
            .flatten()
        {
            files.insert(path.to_owned(), read::bytes(&directory.join(path), ARTIFACT_BYTES)?);
        }
        let stop = |error| convicted(error, &sources);
        let healthy = fabc_check::read_scenario(&files, &fabric, "nominal")
            .map_err(stop)?
            .ok_or_else(|| no_tables(directory))?;
        let ReadWiring { cross_connects, .. } = fabc_check::read_wiring(&files, &fabric).map_err(stop)?;
        let not_built = |reason| DriverError::NotBuilt { path: display(directory), reason };
        let certificates: Certificates =
            tagged(&read::bytes(&directory.join("certificates.json"), ARTIFACT_BYTES)?)
                .map_err(|what| not_built(format!("`certificates.json`: {what}")))?;
        let mut lines = certificates.scenarios.into_iter();
        let nominal = lines.next().filter(|line| line.scenario == "nominal");
        let nominal =
            nominal.ok_or_else(|| not_built("`certificates.json`: `nominal` is missing".to_owned()))?;
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
        Ok(Self {
            directory,
            fabric,
            sources,
            topology,
            cross_connects,
            tables,
            nominal,
            files,
            faults: lines.collect(),
        })
    }

    /// What its switches are set to.
    pub(crate) fn mirrors(&self) -> Mirrors {
        self.cross_connects.as_ref().map(CrossConnects::mirrors).unwrap_or_default()
    }

    /// The most that a channel carries while nothing is down, in parts of a unit of load; the tables are
    /// proved.
    ///
    /// # Errors
    /// They do not hold.
    pub(crate) fn most_loaded(&self) -> Result<u64, Stop> {
        let walked = fabc_check::judge_tables(
            &self.fabric,
            &Scene::whole(&self.topology),
            &self.tables,
            &self.nominal.ranks,
        );
        walked.map(|(walk, _)| walk.max_channel_load()).map_err(|error| convicted(error, &self.sources))
    }

    /// The ranks of the tables, of all routers.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        fabc_check::ranks_of_all(
            &self.topology,
            &self.tables.symmetry,
            usize::from(self.tables.vcs),
            &self.nominal.ranks,
        )
    }

    pub(crate) fn as_built(&self) -> AsBuilt<'_> {
        AsBuilt {
            fabric: &self.fabric,
            topology: &self.topology,
            cross_connects: self.cross_connects.as_ref(),
        }
    }

    /// The same where the last tables of a plan run, which `fabc plan --tables` wrote with their ranks.
    ///
    /// # Errors
    /// A file of either is missing, or does not hold.
    pub(crate) fn running(directory: &Path, way: Option<&Path>) -> Result<Self, Stop> {
        let built = Self::read(directory)?;
        let Some(way) = way else { return Ok(built) };
        let unfit = |what: String| DriverError::NotBuilt {
            path: display(way),
            reason: format!("`plan.json`: {what}"),
        };
        let plan: PlanFile = tagged(&read::bytes(&way.join("plan.json"), ARTIFACT_BYTES)?).map_err(unfit)?;
        if plan.fabric != built.fabric.name {
            return Err(
                unfit(format!("is of the fabric `{}`, not of `{}`", plan.fabric, built.fabric.name)).into()
            );
        }
        if plan.last.len() > 1 {
            // They are those of the build.
            return Ok(built);
        }
        let stop = |error| convicted(error, &built.sources);
        let tables = lone_tables(&way.join("final"), &built, "nominal")?;
        fabc_check::judge_tables(&built.fabric, &Scene::whole(&built.topology), &tables, &plan.ranks)
            .map_err(stop)?;
        let nominal = ScenarioLine { ranks: plan.ranks, ..built.nominal };
        Ok(Self { tables, nominal, faults: Vec::new(), ..built })
    }

    /// The tables that the build has where just this is down.
    pub(crate) fn covered(&self, down: &[String]) -> Result<Option<Covered>, Stop> {
        let Some((scenario, name)) = tolerated_fault(self.as_built(), down) else { return Ok(None) };
        let Some(path) = file_of(&self.directory, &fabc_emit::tables_path(&scenario.name)) else {
            return Ok(None);
        };
        let Some(line) = self.faults.iter().find(|line| line.scenario == scenario.name) else {
            return Ok(None);
        };
        let mut files = self.files.clone();
        files.insert(path.clone(), read::bytes(&self.directory.join(&path), ARTIFACT_BYTES)?);
        let read = fabc_check::read_scenario(&files, &self.fabric, &scenario.name)
            .map_err(|error| convicted(error, &self.sources))?;
        let Some(read) = read else { return Ok(None) };
        let row = self.topology.ports() * usize::from(read.tables.vcs);
        let ranks_of = |node: NodeId| {
            line.ranks.get(read.tables.symmetry.class(node) * row..).and_then(|ranks| ranks.get(..row))
        };
        let mut ranks: Vec<Vec<u32>> = self
            .topology
            .nodes()
            .map(|node| ranks_of(node).map_or_else(|| vec![0; row], <[u32]>::to_vec))
            .collect();
        let mut tables = read.tables;
        if let Some(image) = scenario.images.iter().find(|image| image.scenario == name) {
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

fn no_tables(directory: &Path) -> DriverError {
    let hint = format!("the build of `{}` stopped before routing, or plans vectors", display(directory));
    DriverError::UnknownScenario { name: "nominal".to_owned(), hint }
}

/// Complains unless a folder is absent or holds nothing but a repair.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    refuse_others(directory, |path| FILES.contains(&path))
}
