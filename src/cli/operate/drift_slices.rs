//! `fabc drift` of a pod in slices: compares the live switches with the placement, and says what the
//! difference means for every slice.

use crate::args::running::DriftArgs;
use crate::io::errors::DriverError;
use crate::io::read::display;
use crate::io::stop::{Stop, with_error_code};
use crate::io::terminal::Terminal;
use crate::operate::drift::{no_light, say_drift};
use crate::operate::live::read_live;
use crate::operate::placed::read_placed;
use crate::operate::power::read_powers;
use fabc_base::diag::SourceMap;
use fabc_ir::SlicesDrift;

/// `fabc drift DIR --live LIVE` where DIR is a pod in slices. Exit code 0 for no difference. Exit code 2 for
/// a difference that leaves every slice isolated and connected. Exit code 3 otherwise.
///
/// # Errors
/// Exit code 1 if something cannot be read or does not fit.
pub(crate) fn drift(args: &DriftArgs, terminal: Terminal) -> Result<(), Stop> {
    let (drift, is_weak) = print_drift(args, terminal).map_err(with_error_code)?;
    if let Some((_, _, ends)) = drift.across.first() {
        let [a, b] = ends.each_ref().map(|end| {
            end.as_ref().map_or("cubes of no slice".to_owned(), |slice| format!("slice `{slice}`"))
        });
        let problem = format!("{a} and {b} are joined");
        return Err(DriverError::Drifted {
            problem,
            hint: "only the settings of the switches isolate slices: remove the cross-connects between them"
                .to_owned(),
        }
        .into());
    }
    if let Some(slice) = drift.slices.iter().find(|slice| slice.parts > 1) {
        let problem = format!(
            "the surviving part of slice `{}` is disconnected into {} parts",
            slice.slice, slice.parts
        );
        return Err(DriverError::Drifted {
            problem,
            hint: "tables cannot connect parts without a fiber between them: set the missing cross-connects"
                .to_owned(),
        }
        .into());
    }
    if drift.switches.is_empty() && !is_weak {
        Ok(())
    } else {
        Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code: 2 })
    }
}

/// Compares and prints. Also returns whether some receiver gets less light than its budget.
fn print_drift(args: &DriftArgs, terminal: Terminal) -> Result<(SlicesDrift, bool), Stop> {
    let placed = read_placed(&args.directory)?;
    let pod = placed.pod();
    let live = read_live(&args.live, pod, args.ports.as_deref())?;
    let drift = placed.drift(&live, args.allow_pending)?;
    let name = &placed.fabric.name;
    let light = match &args.power {
        Some(path) => {
            let powers = read_powers(path, pod, args.ports.as_deref())?;
            Some(placed.light_drift(&live, &powers).ok_or_else(|| no_light(name))?)
        }
        None => None,
    };
    say_drift(
        pod,
        args.json,
        &|| fabc_emit::slices_drift_json(name, pod, &drift),
        &|| fabc_emit::slices_drift_text(name, pod, &drift, &display(&args.directory)),
        light.as_ref(),
        terminal,
    )?;
    Ok((drift, light.is_some_and(|light| !light.weak.is_empty())))
}
