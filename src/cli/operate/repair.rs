//! `fabc repair`: new tables for the surviving network of a built fabric. It synthesizes nothing.

use crate::args::running::{RepairArgs, RepairEffort};
use crate::io::errors::DriverError;
use crate::io::progress::Watch;
use crate::io::read::{self, display};
use crate::io::staging::{OutputRules, Staging, refuse_others};
use crate::io::stop::{Stop, convicted};
use crate::io::terminal::{Terminal, size_text};
use crate::operate::built::{BuiltDirectory, read_single_tables};
use crate::operate::down::DownParts;
use crate::operate::drift::drifted_switches;
use crate::operate::live::read_live;
use crate::operate::placed::{PlacedDirectory, is_placed};
use crate::operate::switches::pod_of;
use fabc_base::ids::NodeId;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_base::progress::Silent;
use fabc_emit::Artifact;
use fabc_ir::read::{RepairFile, tagged};
use fabc_ir::{ForwardingTables, Scene};
use fabc_model::kind_files;
use fabc_pipeline::compile::repair::{self as compile, Broken, Covered, LiveTables, ProvedRepair, REPAIR};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files of a repair.
pub(crate) const FILES: [&str; 4] = ["repair.json", "delta.json", "tables.json", "tables.bin"];
/// A folder of a repair holds nothing else. An interrupted one needs no recovery, because a repair can be
/// computed again.
const REPAIRS: OutputRules = OutputRules { refuse_foreign, is_whole: |_| true };
/// The limit of entries up to which the new tables are written. The changes are always written.
pub(crate) const MOST_ENTRIES: u64 = 1 << 26;

/// `fabc repair`: finds new tables, and writes them with the changes from the live ones.
///
/// # Errors
/// `DriverError::NotBuilt` for a foreign directory, `DriverError::UnknownPart` for an unknown name,
/// `DriverError::RepairApart` with exit code 3 for a disconnected network, and errors of the disk.
pub(crate) fn repair(args: &RepairArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = Watch::new(false);
    let Damage { directory, down, advice } = read_damage(args)?;
    let built = BuiltDirectory::read_running(&directory, args.running.as_deref())?;
    let down = DownParts::by_names(built.as_built(), &down)?.joined_with(dark_parts(&built, args)?);
    let FinishedRepair { text, files } = repair_down(&built, &down, args)?;
    let mut staging = Staging::for_directory(&args.out, REPAIRS)?;
    let mut written = 0;
    for Artifact { path, bytes } in &files {
        written += bytes.len();
        terminal.detail(&format!("wrote {} ({})", display(&args.out.join(path)), size_text(bytes.len())));
        staging.write(path, bytes)?;
    }
    staging.publish()?;
    terminal.say(&text)?;
    advice.iter().try_for_each(|line| terminal.say(line))?;
    terminal.say(&format!("wrote {} ({}) in {}", display(&args.out), size_text(written), watch.elapsed()))?;
    Ok(())
}

/// A repair with its files.
pub(crate) struct FinishedRepair {
    pub(crate) text: String,
    pub(crate) files: Vec<Artifact>,
}

/// Computes new tables for the surviving network, as the options ask.
///
/// # Errors
/// `DriverError::RepairApart` with exit code 3 if it is disconnected, `DriverError::NothingLeft` if no two
/// endpoints survive, and a `CheckError` if the live tables violate the proof.
pub(crate) fn repair_down(
    built: &BuiltDirectory,
    down: &DownParts,
    args: &RepairArgs,
) -> Result<FinishedRepair, Stop> {
    let scene = down.scene(built.as_built());
    let parts = fabc_check::connected_parts(&scene);
    let word = built.fabric.plant.router_word();
    let served = served_scene(built, &scene, &parts, args.partial)?;
    let endpoints = |nodes: &[NodeId]| nodes.iter().filter(|&&node| scene.is_endpoint(node)).count() as u64;
    let pairs = |count: u64| count * count.saturating_sub(1);
    let unserved = pairs(parts.iter().map(|part| endpoints(part)).sum()) - pairs(endpoints(&parts[0]));
    let names = down.names(built.as_built());
    let since = args.from.as_ref().map(|earlier| earlier_repair(built, earlier)).transpose()?;
    let covered = if unserved == 0 { built.covered_tables(&names)? } else { None };
    let AlignedTables { tables, ranks, covered, since } = AlignedTables::align(built, covered, since);
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
        RepairEffort::Local => compile::Effort::Local,
        RepairEffort::Full => compile::Effort::Full,
    });
    let ProvedRepair { repair, walk } =
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
    Ok(FinishedRepair { text, files })
}

/// The parts that are down, and the directory whose names they have.
struct Damage {
    directory: PathBuf,
    down: Vec<String>,
    /// Lines about other ways to deal with the failure.
    advice: Vec<String>,
}

/// The parts that the command line says are down. For a slice, they have the names of its kind.
///
/// # Errors
/// `DriverError::UnknownWord` for an unknown slice, and `DriverError::UnknownPart` for a part that the slice
/// does not have.
fn read_damage(args: &RepairArgs) -> Result<Damage, Stop> {
    let Some(name) = &args.slice else {
        if is_placed(&args.directory) {
            let hint = "name the slice with `--slice NAME`. Or use `--swap`, which replaces cubes with dead chips and repairs all slices";
            return Err(DriverError::OfSlices { option: "`fabc repair`".to_owned(), hint }.into());
        }
        return Ok(Damage { directory: args.directory.clone(), down: args.down.clone(), advice: Vec::new() });
    };
    let placed = PlacedDirectory::read(&args.directory)?;
    let local = placed.local_slice(name)?;
    let inside = |down: &String| {
        let compact: String = down.chars().filter(|letter| !letter.is_whitespace()).collect();
        let hint = || format!("slice `{name}` has the cubes {}", local.cubes());
        local.to_kind(&compact).ok_or_else(|| DriverError::UnknownPart { name: down.clone(), hint: hint() })
    };
    let down = args.down.iter().map(inside).collect::<Result<_, DriverError>>()?;
    let renamed = format!("  names are those of its kind, where cube 0, 1, .. stand for {}", local.cubes());
    // A lost chip leaves the job short of chips, whatever the tables do.
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

/// The cube in the name of a chip: `cube3` of `cube3[1,2,3]`.
fn cube_of(name: &str) -> &str {
    name.split('[').next().unwrap_or(name).trim()
}

/// The parts that are dark in the live switches, if `--live` is given.
///
/// # Errors
/// The live settings cannot be read, or join what the build did not join (exit code 3).
fn dark_parts(built: &BuiltDirectory, args: &RepairArgs) -> Result<DownParts, Stop> {
    let as_built = built.as_built();
    let Some(path) = &args.live else { return Ok(DownParts::default()) };
    let pod = pod_of(&built.fabric)?;
    let (switches, down) =
        drifted_switches(as_built, pod, &read_live(path, pod, args.ports.as_deref())?, false);
    let joined = switches.iter().map(|switch| switch.extra.len()).sum::<usize>();
    if joined > 0 {
        let problem = match joined {
            1 => format!("a cross-connect of `{path}` is not in the build"),
            _ => format!("{joined} cross-connects of `{path}` are not in the build"),
        };
        let hint = format!(
            "no tables fit such a pod. Remove them first: `fabc drift {path} {}` lists them",
            display(&args.directory)
        );
        return Err(DriverError::Drifted { problem, hint }.into());
    }
    Ok(down)
}

/// Reads and proves the tables of an earlier repair.
///
/// # Errors
/// `DriverError::NotBuilt` if a file is missing or damaged, and a `CheckError` if the tables violate the
/// proof.
pub(crate) fn earlier_repair(built: &BuiltDirectory, earlier: &Path) -> Result<LiveTables, Stop> {
    let unfit = |file: &str, problem: String| DriverError::NotBuilt {
        path: display(earlier),
        reason: format!("`{file}`: {problem}"),
    };
    let head: RepairFile = tagged(&read::read_bytes(&earlier.join("repair.json"), ARTIFACT_BYTES)?)
        .map_err(|problem| unfit("repair.json", problem))?;
    if head.fabric != built.fabric.name {
        return Err(unfit(
            "repair.json",
            format!("is of the fabric `{}`, not of `{}`", head.fabric, built.fabric.name),
        )
        .into());
    }
    let down = DownParts::by_names(built.as_built(), &head.down)?;
    let scene = down.scene(built.as_built());
    let served = served_scene(built, &scene, &fabc_check::connected_parts(&scene), true)?;
    let tables = read_single_tables(earlier, built, REPAIR)?;
    let all_ranks = head.ranks.clone().unwrap_or_else(|| built.ranks());
    fabc_check::judge_tables(&built.fabric, &served, &tables, &all_ranks)
        .map_err(|error| convicted(error, &built.sources))?;
    Ok(LiveTables { down: down.names(built.as_built()), tables, ranks: head.ranks, all_ranks })
}

/// The served network: the largest connected part. Routers outside it count as dead.
pub(crate) fn served_scene<'a>(
    built: &BuiltDirectory,
    scene: &Scene<'a>,
    parts: &[Vec<NodeId>],
    partial: bool,
) -> Result<Scene<'a>, Stop> {
    let word = built.fabric.plant.router_word();
    let largest = parts.first().map_or(&[][..], |part| part);
    if largest.iter().filter(|&&node| scene.is_endpoint(node)).count() < 2 {
        return Err(DriverError::NothingLeft { word }.into());
    }
    let sends = |part: &&Vec<NodeId>| part.iter().any(|&node| scene.is_endpoint(node));
    let apart = parts.iter().filter(sends).count();
    if apart > 1 && !partial {
        const SHOWN: usize = 3;
        let describe_part = |part: &Vec<NodeId>| match &part[..] {
            [one] => built.topology.name(*one),
            [first, .., last] => format!(
                "{} {word}s from {} to {}",
                part.len(),
                built.topology.name(*first),
                built.topology.name(*last)
            ),
            [] => String::new(),
        };
        let shown = parts.iter().filter(sends).take(SHOWN).map(describe_part).collect::<Vec<_>>().join("; ");
        let components = if apart > SHOWN { format!("{shown}; ..") } else { shown };
        return Err(
            DriverError::RepairApart { parts: apart, components, largest: largest.len(), word }.into()
        );
    }
    let dead = built.topology.nodes().filter(|node| largest.binary_search(node).is_err()).collect();
    Ok(Scene { dead, ..scene.clone() })
}

/// All tables of one fabric, with the same number of virtual channels. The tables of a fault may use fewer or
/// more than those of the healthy fabric.
pub(crate) struct AlignedTables<'a> {
    /// The tables of the healthy fabric.
    pub(crate) tables: Cow<'a, ForwardingTables>,
    /// `[channel class * vcs + vc]`: the ranks of the healthy tables.
    pub(crate) ranks: Cow<'a, [u32]>,
    pub(crate) covered: Option<Covered>,
    pub(crate) since: Option<LiveTables>,
}

impl<'a> AlignedTables<'a> {
    pub(crate) fn align(
        built: &'a BuiltDirectory,
        mut covered: Option<Covered>,
        mut since: Option<LiveTables>,
    ) -> Self {
        let used = [
            Some(built.tables.vcs),
            covered.as_ref().map(|covered| covered.tables.vcs),
            since.as_ref().map(|since| since.tables.vcs),
        ];
        let vcs = used.into_iter().flatten().max().unwrap_or(built.tables.vcs);
        for Covered { tables, ranks, .. } in covered.iter_mut().filter(|covered| covered.tables.vcs < vcs) {
            *ranks = widened_ranks(ranks, tables.vcs, vcs);
            tables.vcs = vcs;
        }
        for LiveTables { tables, ranks, all_ranks, .. } in
            since.iter_mut().filter(|since| since.tables.vcs < vcs)
        {
            *ranks = ranks.take().map(|ranks| widened_ranks(&ranks, tables.vcs, vcs));
            *all_ranks = widened_ranks(all_ranks, tables.vcs, vcs);
            tables.vcs = vcs;
        }
        let (tables, ranks) = (&built.tables, &built.nominal.ranks);
        let (tables, ranks) = match tables.vcs < vcs {
            false => (Cow::Borrowed(tables), Cow::Borrowed(&ranks[..])),
            true => (
                Cow::Owned(ForwardingTables { vcs, ..tables.clone() }),
                Cow::Owned(widened_ranks(ranks, tables.vcs, vcs)),
            ),
        };
        Self { tables, ranks, covered, since }
    }
}

/// Adds virtual channels to ranks. Nothing uses the added ones, so their rank is 0.
fn widened_ranks(ranks: &[u32], before: u8, after: u8) -> Vec<u32> {
    let row = |of_channel: &[u32]| {
        of_channel
            .iter()
            .copied()
            .chain(std::iter::repeat_n(0, usize::from(after - before)))
            .collect::<Vec<_>>()
    };
    ranks.chunks(usize::from(before)).flat_map(row).collect()
}

/// Refuses a folder with anything but a repair.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    refuse_others(directory, |path| FILES.contains(&path))
}
