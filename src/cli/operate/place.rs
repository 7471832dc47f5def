//! `fabc place`: adds, moves and removes slices on the cubes of a pod. It compiles nothing.

use crate::args::place::PlaceArgs;
use crate::build::requests::{self, EmitRequest};
use crate::io::errors::DriverError;
use crate::io::read::{SIGNATURE, display};
use crate::io::staging::{self, MANIFEST, Staging};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, size_text};
use crate::operate::live::read_live;
use crate::operate::placed::{PlacedDirectory, read_placed, write_placed};
use fabc_base::diag::Failure;
use fabc_emit::{ManifestEntry, PlacedPod, Scheduled};
use fabc_ir::read::{Manifest, tagged};
use fabc_ir::{LightBudgets, Mirrors, SlicePlacement};
use fabc_model::kind_files;
use fabc_pipeline::folder::Folder;
use fabc_pipeline::operate::{manifest_hash, placed_light, placement_settings};
use fabc_pipeline::refusal::Refusal;

/// The option of a manifest with the hash of the manifest that a placement starts from. It is given where
/// that is signed. Elsewhere a placement that comes back to what it was has the same bytes again.
pub(crate) const START: &str = "start";

/// `fabc place`: applies the steps to a placement, and writes the new one.
///
/// # Errors
/// Nothing is written if the directory is no pod in slices, a step is impossible, the live switches differ
/// (exit code 3), or the disk fails.
pub(crate) fn place(args: &PlaceArgs, terminal: Terminal) -> Result<(), Stop> {
    let requests = requests::parse_requests(&args.emit)?;
    requests::check_for_slices(&requests)?;
    let old = read_placed(&args.directory)?;
    let pod = old.pod();
    let naming = args.hosts.naming();
    requests.iter().try_for_each(|request| requests::check_fit(request, &old.fabric, &naming))?;
    if let Some(path) = &args.live {
        let live = read_live(path, pod, args.ports.as_deref())?;
        let switches = old.differences(&live, false);
        if !switches.is_empty() {
            let problem = format!(
                "{} of {} switches differ from `{}`",
                switches.len(),
                pod.ocses.len(),
                display(&args.directory)
            );
            let hint =
                format!("`fabc drift {} --live {path}` lists the differences", display(&args.directory));
            return Err(DriverError::Drifted { problem, hint }.into());
        }
    }
    let placement = old.after(&args.steps.0)?;
    let settings = placement_settings(&old.fabric, &old.kinds, &placement);
    let light = light_of(&old, &settings)?;
    let placed =
        PlacedPod { placement: &placement, settings: &settings, light: light.as_ref(), ..old.as_emitted() };
    let terminal = terminal.beside_data(requests.iter().any(EmitRequest::is_stdout));
    let mut lines = Vec::new();
    for request in &requests {
        lines.extend(requests::write_scheduled(request, Scheduled::Placed(placed), &naming)?);
    }
    if let Some(out) = &args.out {
        let mut staging = Staging::for_directory(out, staging::BUILT)?;
        let WrittenPlacement { files, bytes } = write_placement(&mut staging, &old, &placement)?;
        staging.publish()?;
        lines.push(format!("wrote {} ({files} files, {})", display(out), size_text(bytes)));
    }
    terminal.say(&fabc_emit::placed_text(placed))?;
    terminal.say_document(&fabc_emit::placement_json(placed))?;
    lines.iter().try_for_each(|line| terminal.say(line))?;
    Ok(())
}

/// The light budgets of new settings.
fn light_of(old: &PlacedDirectory, settings: &Mirrors) -> Result<Option<LightBudgets>, Stop> {
    let dark = |dark| Stop::from((Failure::infeasible(dark), old.sources.clone()));
    placed_light(&old.fabric, settings).map_err(dark)
}

/// What was written for a placement.
pub(crate) struct WrittenPlacement {
    pub(crate) files: usize,
    pub(crate) bytes: usize,
}

/// Writes a placement with the same kinds as an existing directory, and the switch settings for it.
///
/// # Errors
/// `Refusal::NotBuilt` if the manifest is damaged, and errors of the disk.
pub(crate) fn write_placement(
    staging: &mut Staging,
    old: &PlacedDirectory,
    placement: &SlicePlacement,
) -> Result<WrittenPlacement, Stop> {
    let settings = placement_settings(&old.fabric, &old.kinds, placement);
    let light = light_of(old, &settings)?;
    let placed = PlacedPod { placement, settings: &settings, light: light.as_ref(), ..old.as_emitted() };
    let manifest: Manifest = tagged(&old.folder.read(MANIFEST)?).map_err(|reason| Refusal::NotBuilt {
        path: old.folder.path(),
        reason: format!("`{MANIFEST}`: {reason}"),
    })?;
    let mut options = manifest.options.0;
    options.remove(START);
    if old.folder.has(SIGNATURE) {
        options.insert(START.to_owned(), manifest_hash(&old.folder)?);
    }
    let options: Vec<(String, String)> = options.into_iter().collect();
    let (mut lines, mut files, mut bytes) = (Vec::new(), 0, 0);
    for kind in &old.kinds {
        let folder = kind_files(&kind.name);
        for path in old.folder.below(&folder).paths()? {
            let path = format!("{folder}{path}");
            let content = old.folder.read(&path)?;
            lines.push(ManifestEntry::for_file(&path, &content));
            staging.write(&path, &content)?;
            files += 1;
            bytes += content.len();
        }
    }
    let (more, more_bytes) = write_placed(staging, placed, &old.spec_text, &options, lines)?;
    Ok(WrittenPlacement { files: files + more, bytes: bytes + more_bytes })
}
