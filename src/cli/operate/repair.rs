//! `fabc repair`: new tables for the surviving network of a built fabric. It synthesizes nothing.

use crate::args::running::{RepairArgs, RepairEffort};
use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::progress::Watch;
use crate::io::read::display;
use crate::io::staging::{MANIFEST, OutputRules, Staging, refuse_others};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, size_text, write_out};
use crate::operate::live::read_live;
use crate::operate::placed::{is_placed, read_placed};
use fabc_emit::Artifact;
use fabc_model::kind_files;
use fabc_pipeline::compile::repair::Effort;
use fabc_pipeline::operate::{
    BuiltFabric, DownParts, FinishedRepair, RepairRequest, drifted_switches, pod_of, repair_down,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files of a repair.
pub(crate) const FILES: [&str; 7] = [
    "repair.json",
    "delta.json",
    "tables.json",
    "tables.bin",
    "above/delta.json",
    "below/delta.json",
    MANIFEST,
];
/// A folder of a repair holds nothing else. An interrupted one needs no recovery, because a repair can be
/// computed again.
const REPAIRS: OutputRules = OutputRules { refuse_foreign, is_whole: |_| true };

/// `fabc repair`: finds new tables, and writes them with the changes from the live ones.
///
/// # Errors
/// `Refusal::NotBuilt` for a foreign directory, `Refusal::UnknownPart` for an unknown name,
/// `Refusal::RepairApart` with exit code 3 for a disconnected network, and errors of the disk.
pub(crate) fn repair(args: &RepairArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = Watch::new(false);
    let Damage { directory, down, advice } = read_damage(args)?;
    let running = args.running.as_deref().map(DiskFolder::new);
    let built = BuiltFabric::read_running(DiskFolder::new(&directory), running)?;
    let down = DownParts::by_names(built.as_built(), &down)?.joined_with(dark_parts(&built, args)?);
    let earlier = args.from.as_deref().map(DiskFolder::new);
    let FinishedRepair { text, files } = repair_down(&built, &down, &repair_request(args, earlier.as_ref()))?;
    let mut staging = Staging::for_directory(&args.out, REPAIRS)?;
    let mut written = 0;
    for Artifact { path, bytes } in &files {
        written += bytes.len();
        terminal.detail(&format!("wrote {} ({})", display(&args.out.join(path)), size_text(bytes.len())));
        staging.write(path, bytes)?;
    }
    staging.publish()?;
    terminal.say(&text)?;
    if terminal.json
        && let Some(repair) = files.iter().find(|file| file.path == FILES[0])
    {
        write_out(&repair.bytes)?;
    }
    advice.iter().try_for_each(|line| terminal.say(line))?;
    terminal.say(&format!("wrote {} ({}) in {}", display(&args.out), size_text(written), watch.elapsed()))?;
    Ok(())
}

/// What the options ask of a repair.
pub(crate) fn repair_request<'a>(
    args: &RepairArgs,
    earlier: Option<&'a DiskFolder>,
) -> RepairRequest<'a, DiskFolder> {
    let effort = match args.effort {
        RepairEffort::Auto => Effort::Auto,
        RepairEffort::Local => Effort::Local,
        RepairEffort::Full => Effort::Full,
    };
    RepairRequest { partial: args.partial, effort, earlier }
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
/// `Refusal::UnknownWord` for an unknown slice, and `Refusal::UnknownPart` for a part that the slice
/// does not have.
fn read_damage(args: &RepairArgs) -> Result<Damage, Stop> {
    needs_directory(&args.directory)?;
    let Some(name) = &args.slice else {
        if is_placed(&args.directory) {
            let hint = "name the slice with `--slice NAME`. Or use `--swap`, which replaces cubes with dead chips and repairs all slices";
            return Err(DriverError::OfSlices { option: "`fabc repair`".to_owned(), hint }.into());
        }
        return Ok(Damage { directory: args.directory.clone(), down: args.down.clone(), advice: Vec::new() });
    };
    let placed = read_placed(&args.directory)?;
    let local = placed.local_slice(name)?;
    let down = local.parts_in_kind(&args.down)?;
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
fn dark_parts(built: &BuiltFabric<DiskFolder>, args: &RepairArgs) -> Result<DownParts, Stop> {
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
            "no tables fit such a pod. Remove them first: `fabc drift {} --live {path}` lists them",
            display(&args.directory)
        );
        return Err(DriverError::Drifted { problem, hint }.into());
    }
    Ok(down)
}

/// Refuses a folder with anything but a repair.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    refuse_others(directory, |path| FILES.contains(&path))
}
