//! `fabc diff A B`: two builds, side by side.
//!
//! Comes in: two directories, or a directory and a spec, which is compiled in memory as far as the directory
//! was. Goes out: what differs, as text, `fabc.diff/1` or a page, and whether anything does.

mod compared;
mod side;
mod tolerance;
mod topology;
mod wiring;

pub(crate) use compared::compared;
pub(crate) use side::{Side, SideArgs};
pub(crate) use tolerance::tolerance;

use crate::args::diff::DiffArgs;
use crate::args::options::CompileArgs;
use crate::build::front;
use crate::io::errors::{DriverError, Stop, as_error};
use crate::io::progress::Watch;
use crate::io::read;
use crate::io::terminal::{Terminal, look, print_out};
use crate::io::write;
use fabc_base::diag::SourceMap;
use fabc_emit::compiled::Compiled;
use fabc_lang::syntax::print_spec;
use fabc_passes::compare::beyond;
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::Loaded;
use fabc_pipeline::library::TablesForm;
use std::path::Path;

/// `fabc diff`. Exit code 0: the same, or within the tolerance; 2: not.
///
/// # Errors
/// A side cannot be read, or the spec not be compiled (exit code 1).
pub(crate) fn diff(args: &DiffArgs, terminal: Terminal) -> Result<(), Stop> {
    let exit_code = if judged(args, terminal).map_err(as_error)? { return Ok(()) } else { 2 };
    Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code })
}

/// Compares, and prints; whether both are the same, or differ by no more than is accepted.
fn judged(args: &DiffArgs, terminal: Terminal) -> Result<bool, Stop> {
    let tolerance = tolerance(&args.tolerance)?;
    let specs = [&args.a, &args.b].map(|path| !Path::new(path).is_dir());
    let made;
    let sides = match specs {
        [false, false] => [Side::directory(Path::new(&args.a))?, Side::directory(Path::new(&args.b))?],
        [true, true] => {
            let what = "neither is a directory".to_owned();
            return Err(DriverError::Diff {
                what,
                hint: "build one of them: `fabc build A.fab`, then `fabc diff out/a B.fab`".to_owned(),
            }
            .into());
        }
        [first_is_spec, _] => {
            let (spec, directory) = if first_is_spec { (&args.a, &args.b) } else { (&args.b, &args.a) };
            let built = Side::directory(Path::new(directory))?;
            made = Made::as_far_as(&built, spec, &args.set, terminal)?;
            let side = Side::compiled(
                &made.compiled,
                SideArgs { label: spec, spec_text: &made.spec_text, options: &made.options },
            )?;
            if first_is_spec { [side, built] } else { [built, side] }
        }
    };
    let diff = compared(&sides)?;
    let beyond = tolerance.as_ref().map(|tolerance| beyond(&diff, tolerance));
    if let Some(page) = &args.page {
        write::write(page, fabc_emit::diff_html(&diff, beyond.as_deref()).as_bytes())?;
        terminal.detail(&format!("wrote {}", read::display(page)));
    }
    match args.json {
        true => print_out(&fabc_emit::diff_json(&diff, beyond.as_deref()))?,
        false => terminal.say_with_colors(&fabc_emit::diff_text(&diff, beyond.as_deref(), look()))?,
    }
    Ok(beyond.map_or(diff.is_same(), |beyond| beyond.is_empty()))
}

/// A spec that was compiled to be compared.
struct Made {
    compiled: Compiled,
    spec_text: String,
    options: Vec<(String, String)>,
}

impl Made {
    /// Compiles a spec as far as a directory was, in the form of its tables.
    fn as_far_as(built: &Side<'_>, spec: &str, set: &[String], terminal: Terminal) -> Result<Self, Stop> {
        let mut loaded: Loaded = read::spec(spec, set)?;
        terminal.warn(std::mem::take(&mut loaded.warnings), &loaded.sources);
        let options = built.options();
        let option =
            |name: &str| options.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let stop_after = Stage::ALL.into_iter().find(|stage| option("stop_after") == Some(stage.name()));
        let (binary, _) = fabc_emit::BINARY_TABLES;
        let form = if option(binary).is_some() { TablesForm::Binary } else { TablesForm::Json };
        let args = CompileArgs { set: Vec::new(), stop_after, dump: Vec::new(), timings: false };
        let (spec_text, settings) = (print_spec(&loaded.spec), loaded.settings.clone());
        let (compiled, _) = front::back(loaded, &args, &Watch::new(false), terminal)?;
        let options =
            [settings, front::manifest_options(&args), front::tables_option(form, &compiled, terminal)]
                .concat();
        Ok(Self { compiled, spec_text, options })
    }
}
