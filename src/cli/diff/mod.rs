//! `fabc diff A B`: compares two builds.
//!
//! Input: two directories, or a directory and a spec. The spec is compiled in memory, up to the stage of the
//! directory. Output: the differences as text, `fabc.diff/1` or a page, and whether there are any.

mod tolerance;

pub(crate) use tolerance::parse_tolerances;

use crate::args::diff::DiffArgs;
use crate::args::options::CompileArgs;
use crate::build::front;
use crate::io::declared_name::declared_name;
use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::progress::Watch;
use crate::io::read;
use crate::io::stop::{Stop, with_error_code};
use crate::io::terminal::{Terminal, print_out, report_look};
use crate::io::write;
use crate::operate::placed::is_placed;
use fabc_base::diag::SourceMap;
use fabc_emit::compiled::CompiledFabric;
use fabc_lang::syntax::print_spec;
use fabc_pipeline::compare::{BuildComparison, BuildSide, SideDetails, compare_builds};
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::Loaded;
use fabc_pipeline::library::TablesForm;
use std::path::Path;

/// `fabc diff`. Exit code 0 for no difference, or none beyond the tolerance, and 2 otherwise.
///
/// # Errors
/// Exit code 1 if a side cannot be read or compiled.
pub(crate) fn diff(args: &DiffArgs, terminal: Terminal) -> Result<(), Stop> {
    let exit_code = if print_diff(args, terminal).map_err(with_error_code)? { return Ok(()) } else { 2 };
    Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code })
}

/// Compares the two sides and prints the result. Returns whether they are the same within the tolerance.
fn print_diff(args: &DiffArgs, terminal: Terminal) -> Result<bool, Stop> {
    let tolerance = parse_tolerances(&args.tolerance)?;
    let specs = [&args.a, &args.b].map(|path| !Path::new(path).is_dir());
    let compiled_spec;
    let sides = match specs {
        [false, false] => [read_side(Path::new(&args.a))?, read_side(Path::new(&args.b))?],
        [true, true] => {
            let problem = "neither side is a built directory".to_owned();
            return Err(DriverError::Diff { problem, hint: both_specs_hint(&args.a, &args.b) }.into());
        }
        [first_is_spec, _] => {
            let (spec, directory) = if first_is_spec { (&args.a, &args.b) } else { (&args.b, &args.a) };
            let built = read_side(Path::new(directory))?;
            compiled_spec = CompiledSpec::compile_like(&built, spec, &args.set, terminal)?;
            let side = BuildSide::from_compiled(
                &compiled_spec.compiled,
                SideDetails {
                    label: spec,
                    spec_text: &compiled_spec.spec_text,
                    options: &compiled_spec.options,
                },
            )?;
            if first_is_spec { [side, built] } else { [built, side] }
        }
    };
    let comparison = compare_builds(&sides, tolerance.as_ref())?;
    let BuildComparison { diff, beyond } = &comparison;
    if let Some(page) = &args.page {
        write::write_file(page, fabc_emit::diff_html(diff, beyond.as_deref()).as_bytes())?;
        terminal.detail(&format!("wrote {}", read::display(page)));
    }
    match args.json {
        true => print_out(&fabc_emit::diff_json(diff, beyond.as_deref()))?,
        false => terminal.say_with_colors(&fabc_emit::diff_text(diff, beyond.as_deref(), report_look()))?,
    }
    Ok(comparison.is_same())
}

/// The commands that compare two specs.
fn both_specs_hint(first: &str, second: &str) -> String {
    match read::spec_text(first).ok().and_then(|text| declared_name(first, &text)) {
        Some(name) => {
            format!("build one of them: `fabc build {first}`, then `fabc diff out/{name} {second}`")
        }
        None => "build one of them: `fabc build A.fab`, then `fabc diff out/a B.fab`".to_owned(),
    }
}

/// A side of a comparison, whose files are on the disk if it was not just compiled.
type DirectorySide<'c> = BuildSide<'c, DiskFolder>;

/// Reads a directory that `fabc build` wrote.
///
/// # Errors
/// `DriverError::OfSlices` for a placed pod, and the errors of [`BuildSide::read`].
pub(crate) fn read_side<'c>(directory: &Path) -> Result<DirectorySide<'c>, Stop> {
    if is_placed(directory) {
        let hint = "compare two kinds, `DIR/slices/KIND`; `fabc plan` says how placements differ";
        return Err(DriverError::OfSlices { option: "`fabc diff`".to_owned(), hint }.into());
    }
    needs_directory(directory)?;
    BuildSide::read(DiskFolder::new(directory))
}

/// A spec that was compiled for a comparison.
struct CompiledSpec {
    compiled: CompiledFabric,
    spec_text: String,
    options: Vec<(String, String)>,
}

impl CompiledSpec {
    /// Compiles a spec up to the stage of a directory, with tables in the same form.
    fn compile_like(
        built: &DirectorySide<'_>,
        spec: &str,
        set: &[String],
        terminal: Terminal,
    ) -> Result<Self, Stop> {
        let mut loaded: Loaded = read::read_spec(spec, set)?;
        terminal.warn(std::mem::take(&mut loaded.warnings), &loaded.sources);
        let options = built.options();
        let option =
            |name: &str| options.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let until = Stage::ALL.into_iter().find(|stage| option("stop_after") == Some(stage.name()));
        let (binary, _) = fabc_emit::BINARY_TABLES;
        let form = if option(binary).is_some() { TablesForm::Binary } else { TablesForm::Json };
        let args = CompileArgs {
            set: Vec::new(),
            until,
            dump: Vec::new(),
            timings: false,
            no_cache: false,
            cache: None,
        };
        let (spec_text, settings) = (print_spec(&loaded.spec), loaded.settings.clone());
        let (compiled, _) = front::compile_loaded(loaded, &args, &Watch::new(false), terminal)?;
        let options =
            [settings, front::manifest_options(&args), front::tables_option(form, &compiled, terminal)]
                .concat();
        Ok(Self { compiled, spec_text, options })
    }
}
