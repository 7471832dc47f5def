//! `fabc place`: slices come and go on the cubes of a pod; nothing is compiled.

use crate::args::place::PlaceArgs;
use crate::io::errors::{DriverError, Stop};
use crate::io::read::{self, display};
use crate::io::staging::{self, MANIFEST, Staging};
use crate::io::terminal::{Terminal, size};
use crate::operate::live::live;
use crate::operate::placed::{Placed, settings, write_placed};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_emit::{ManifestLine, PlacedPod};
use fabc_ir::SlicePlacement;
use fabc_ir::read::{Manifest, tagged};
use fabc_model::kind_files;
use fabc_passes::drift;
use fabc_passes::slices::Placing;

/// `fabc place`.
///
/// # Errors
/// The directory is not that of a pod in slices, a step cannot be, the switches do something else (exit code
/// 3), or the disk does not let us; nothing is written then.
pub(crate) fn place(args: &PlaceArgs, terminal: Terminal) -> Result<(), Stop> {
    let old = Placed::read(&args.directory)?;
    let pod = old.pod();
    if let Some(path) = &args.live {
        let live = live(path, pod, args.ports.as_deref())?;
        let switches = drift::differences(pod, &old.settings, &live, false);
        if !switches.is_empty() {
            let what = format!(
                "{} of {} switches do something else than `{}` says",
                switches.len(),
                pod.ocses.len(),
                display(&args.directory)
            );
            let hint = format!("`fabc drift {path} {}` says what", display(&args.directory));
            return Err(DriverError::Drifted { what, hint }.into());
        }
    }
    let placement = Placing::of(&old.fabric, pod).after(&old.placement, &args.steps.0)?;
    let mut staging = Staging::at(&args.out, staging::BUILT)?;
    let Written { text, files, bytes } = write(&mut staging, &old, &placement)?;
    staging.publish()?;
    terminal.say(&text)?;
    terminal.say(&format!("wrote {} ({files} files, {})", display(&args.out), size(bytes)))?;
    Ok(())
}

/// A placement that was written.
pub(crate) struct Written {
    /// What it is, for people.
    pub(crate) text: String,
    pub(crate) files: usize,
    pub(crate) bytes: usize,
}

/// Writes another placement of what a directory holds: the same kinds, the settings for it.
///
/// # Errors
/// A file of the directory is missing, or the disk does not let us.
pub(crate) fn write(
    staging: &mut Staging,
    old: &Placed,
    placement: &SlicePlacement,
) -> Result<Written, Stop> {
    let settings = settings(&old.fabric, &old.kinds, placement);
    let placed = PlacedPod { placement, settings: &settings, ..old.emitted() };
    let manifest: Manifest =
        tagged(&read::bytes(&old.directory.join(MANIFEST), ARTIFACT_BYTES)?).map_err(|reason| {
            DriverError::NotBuilt { path: display(&old.directory), reason: format!("`{MANIFEST}`: {reason}") }
        })?;
    let options: Vec<(String, String)> = manifest.options.0.into_iter().collect();
    let (mut lines, mut files, mut bytes) = (Vec::new(), 0, 0);
    for kind in &old.kinds {
        let folder = kind_files(&kind.name);
        for path in read::paths(&old.directory.join(&folder))? {
            let path = format!("{folder}{path}");
            let content = read::bytes(&old.directory.join(&path), ARTIFACT_BYTES)?;
            lines.push(ManifestLine::of(&path, &content));
            staging.write(&path, &content)?;
            files += 1;
            bytes += content.len();
        }
    }
    let (more, more_bytes) = write_placed(staging, placed, (&old.spec_text, &options), lines)?;
    Ok(Written { text: fabc_emit::placed_text(placed), files: files + more, bytes: bytes + more_bytes })
}
