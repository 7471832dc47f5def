//! The front door of the library: a spec goes in, a proved fabric comes out. Nothing is read from or written
//! to disk.
//!
//! In: the text of a spec, and [`Options`]. Out: a [`Compiled`] with its metrics and artifacts, or
//! [`Diagnostics`]. The commands use the same stages, and add the disk, the terminal and the clock.

mod loaded;
mod options;
mod outcome;

pub use loaded::{Loaded, binary_tables, broken, load, too_long_to_read};
pub use options::{Options, TablesForm};
pub use outcome::{Checked, Compiled, Diagnostic, Diagnostics, Place};

use crate::compile::{Stage, by_formula, check_early, compile, describe, is_described};
use fabc_base::diag::Failure;
use fabc_emit::BINARY_TABLES;
use fabc_lang::SliceError;
use fabc_model::Fabric;
use fabc_passes::light::refuse_dark_ports;
use fabc_passes::slices::Placing;

/// Compiles a spec, and proves the result.
///
/// ```
/// # use fabc_pipeline::library as fabc;
/// let spec = "fabric small {
///     clock = 1 GHz;
///     link cable { bandwidth = 100 Gbps; latency = 20 ns; }
///     router { radix = 5; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 20 cycles; }
///     budget { vcs = 2; }
///     topology = torus 4 x 4;
///     routing = dimension_order;
///     require diameter <= 4;
/// }";
/// let compiled = fabc::build(spec, &fabc::Options::default())?;
/// assert_eq!(compiled.name(), "small");
/// assert_eq!(compiled.metrics()["diameter"], 4.0);
/// let report = compiled.artifacts().into_iter().find(|file| file.path == "report.json").unwrap();
/// assert!(report.bytes.starts_with(b"{\"format\":\"fabc.report/1\""));
/// # Ok::<(), fabc::Diagnostics>(())
/// ```
///
/// A contract that does not hold is an error. The compiled fabric comes with it:
///
/// ```
/// # use fabc_pipeline::library as fabc;
/// # let spec = "fabric small { clock = 1 GHz; link cable { bandwidth = 100 Gbps; latency = 20 ns; }
/// #     router { radix = 5; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 20 cycles; }
/// #     budget { vcs = 2; } topology = torus 4 x 4; routing = dimension_order; }";
/// let spec = spec.replace("routing", "require max_channel_load <= 7;\n    routing");
/// let broken = fabc::build(&spec, &fabc::Options::default()).unwrap_err();
/// assert_eq!((broken.exit_code(), broken.list()[0].code.as_str()), (3, "FAB0401"));
/// assert_eq!(broken.built().unwrap().metrics()["diameter"], 4.0);
/// ```
///
/// # Errors
/// The spec has errors, demands the impossible, or its contract does not hold. The exit code of the command
/// line tells which. A fabric in slices is FAB0211: only the command line builds it.
pub fn build(spec: &str, options: &Options<'_>) -> Result<Compiled, Diagnostics> {
    let loaded = load_from(spec, options)?;
    let Loaded { fabric, sources, warnings, settings, text, .. } = loaded;
    let fabric_name = fabric.name.clone();
    if !fabric.slices.kinds.is_empty() {
        let divided = SliceError::Divided { fabric: fabric_name, span: fabric.span };
        return Err(Diagnostics::from_failure(Failure::spec(divided), sources));
    }
    let compiled = match compile(fabric, Stage::Emit, options.progress) {
        Ok(compiled) => compiled,
        Err(failure) => return Err(Diagnostics::from_failure(failure, sources)),
    };
    let mut settings = settings;
    if binary_tables(options.tables, &compiled) {
        settings.push((BINARY_TABLES.0.to_owned(), BINARY_TABLES.1.to_owned()));
    }
    let failed = broken(&compiled.requires);
    let warnings = warnings.iter().map(|warning| Diagnostic::from_miette(warning, &sources)).collect();
    let built = Compiled::new(compiled, text, settings, warnings);
    if failed.is_empty() {
        Ok(built)
    } else {
        Err(Diagnostics::from_failure(Failure::Infeasible(failed), sources).with(built))
    }
}

/// Checks a spec before anything is searched, as `fabc check` does. It takes milliseconds.
///
/// ```
/// # use fabc_pipeline::library as fabc;
/// let wrong = fabc::check("fabric small { cubes = 4 }", &fabc::Options::default()).unwrap_err();
/// let first = &wrong.list()[0];
/// assert_eq!((first.code.as_str(), first.places[0].line), ("FAB0002", 1));
/// ```
///
/// # Errors
/// The spec has errors, or its demands can be known to be impossible.
pub fn check(spec: &str, options: &Options<'_>) -> Result<Checked, Diagnostics> {
    let Loaded { fabric, sources, warnings, text, .. } = load_from(spec, options)?;
    let warnings: Vec<Diagnostic> =
        warnings.iter().map(|warning| Diagnostic::from_miette(warning, &sources)).collect();
    let mut described = None;
    let decided = match slice_failures(&fabric) {
        Some(mut failures) => failures.next().map_or(Ok(()), Err),
        None => match decide(&fabric) {
            Ok(true) => describe(&fabric).map(|network| {
                described = network.map(|network| fabc_emit::described_text(&fabric, &network))
            }),
            decided => decided.map(drop),
        },
    };
    match decided {
        Ok(()) => Ok(Checked { name: fabric.name, normal_form: text, described, warnings }),
        Err(failure) => Err(Diagnostics::from_failure(failure, sources)),
    }
}

/// Every error of a pod in slices that can be known before the search: of its placement, and of the demands
/// of each kind of slice. `None` for a fabric without slices.
pub fn slice_failures(fabric: &Fabric) -> Option<impl Iterator<Item = Failure>> {
    let pod = fabric.pod().filter(|_| !fabric.slices.kinds.is_empty())?;
    let unplaced = Placing::new(fabric, pod).initial(fabric.slices.spare).map_err(Failure::infeasible).err();
    let kinds = fabric.slices.kinds.iter().filter_map(|kind| check_early(&kind.fabric, Stage::Emit).err());
    let dark = refuse_dark_ports(fabric, pod, None).map_err(Failure::infeasible).err();
    Some(unplaced.into_iter().chain(dark).chain(kinds))
}

/// Decides what can be decided about a fabric without slices before the search, in milliseconds. Returns
/// `true` for a network that is too large to be built. Then its formulas decide, and [`describe`] looks at a
/// sample.
///
/// # Errors
/// [`Failure::Infeasible`] for demands that can be known to be impossible, and for each `require` that
/// formulas break.
pub fn decide(fabric: &Fabric) -> Result<bool, Failure> {
    if is_described(fabric)
        && let Some(requires) = by_formula(fabric)?
    {
        let failed = broken(&requires);
        return if failed.is_empty() { Ok(true) } else { Err(Failure::Infeasible(failed)) };
    }
    // A family without formulas has no member that is too large to be built.
    check_early(fabric, Stage::Emit).map(|_| false)
}

fn load_from(spec: &str, options: &Options<'_>) -> Result<Loaded, Diagnostics> {
    let loaded = load(&options.name, &options.loader(spec), &options.settings)
        .map_err(|(failure, sources)| Diagnostics::from_failure(failure, sources))?;
    match too_long_to_read(&loaded.text) {
        Some(error) => Err(Diagnostics::from_failure(Failure::spec(error), loaded.sources)),
        None => Ok(loaded),
    }
}
