//! The commands of `fabc`. Only this crate reads files, writes, prints, looks at a clock and exits.
//!
//! Input: the command line. Output: files, text and an exit code. Invariant: every error has a code, and
//! `fabc --help` lists every exit code.

mod args;
mod build;
mod diff;
mod explain;
mod io;
mod lsp;
mod opened;
mod operate;
mod run;
mod sweep;
mod verify;
mod watch;

pub use args::collective::*;
pub use args::diff::*;
pub use args::estimate::*;
pub use args::hosts::*;
pub use args::operate::*;
pub use args::options::*;
pub use args::place::*;
pub use args::route::*;
pub use args::running::*;
pub use args::shard::Shard;
pub use args::shards::*;
pub use args::sim::*;
pub use args::sweep::*;
pub use args::verify::*;
pub use args::watch::*;
pub use io::progress::observe_progress;
pub use io::read::Directory;
#[cfg(unix)]
pub use io::terminal::detect_closed_stdout;
pub use lsp::EditorSession;
pub use opened::OpenedBuild;

use args::choice::NamedChoice;
use clap::FromArgMatches;
use fabc_base::diag;
use fabc_pipeline::show::is_drawing;
pub use fabc_pipeline::show::{MessageFormat, shown};
use io::errors::DriverError;
use io::input_errors::InputError;
use io::stop::Stop;
use io::terminal::{Terminal, check_written};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

/// Reads the command line.
///
/// # Errors
/// The exit code, if there is no command to run: the user asked for help, a shell asked for completions, or
/// an option is invalid. Everything has been printed by then.
pub fn parse_command_line() -> Result<CommandLine, ExitCode> {
    parse().map_err(ExitCode::from)
}

/// Runs a command in a process that is not the `fabc` binary, such as an interpreter, and returns its exit
/// code. `words` begin with the name of the program. `program` is what runs further commands on this machine
/// or a cluster, for commands that start some.
pub fn run_words(words: Vec<OsString>, program: Option<PathBuf>) -> u8 {
    // It fails only for a second command in one process, of the same interpreter.
    let _ = WORDS.set(words);
    let _ = program.map(|program| sweep::jobs::PROGRAM.set(program));
    parse().map_or_else(|exit_code| exit_code, |options| run_command(&options))
}

/// The words of the command line, where they are not those of the process.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// The words of the command line with the name of the program.
fn all_words() -> Vec<OsString> {
    WORDS.get().cloned().unwrap_or_else(|| std::env::args_os().collect())
}

fn parse() -> Result<CommandLine, u8> {
    let parsed = match args::shells::answer_completion() {
        Ok(true) => return Err(0),
        Ok(false) => parse_words(),
        Err(error) => Err(error),
    };
    parsed.map_err(|clap_error| {
        let format = requested_format();
        if let Some(error) = former_option_error(&clap_error) {
            return report_usage_error(error, format);
        }
        if clap_error.use_stderr()
            && let Some(error) = args::former_forms::former_form_error(&command_line())
        {
            return report_usage_error(error, format);
        }
        if clap_error.use_stderr() && format != MessageFormat::Human {
            return report_usage_error(InputError::usage(&clap_error.render().to_string()), format);
        }
        let printed = clap_error.print();
        if clap_error.use_stderr() {
            return 2;
        }
        let Err(error) = check_written(printed) else { return 0 };
        let stop = Stop::from(error);
        Terminal {
            format: MessageFormat::Human,
            quiet: false,
            verbose: false,
            json: false,
            beside_data: false,
        }
        .show(stop.diagnostics, &stop.sources);
        stop.exit_code
    })
}

/// Parses the words of the command line.
fn parse_words() -> clap::error::Result<CommandLine> {
    let mut command = args::help::command_line();
    if args::former_forms::is_reused(&command_line()) {
        return Err(command.error(clap::error::ErrorKind::InvalidSubcommand, "it has another form today"));
    }
    let mut matches = command.clone().try_get_matches_from_mut(all_words())?;
    CommandLine::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// The error for a former option of `fabc sim` that is a setting today.
fn former_option_error(clap_error: &clap::Error) -> Option<InputError> {
    if clap_error.kind() != clap::error::ErrorKind::UnknownArgument {
        return None;
    }
    let words = command_line();
    if words.iter().find(|word| !word.starts_with('-')).is_none_or(|command| command != "sim") {
        return None;
    }
    let settings = args::former_sim_options::settings_of_former_options(&words)?;
    let Some(clap::error::ContextValue::String(option)) =
        clap_error.get(clap::error::ContextKind::InvalidArg)
    else {
        return None;
    };
    let problem = format!("`fabc sim` has no option `{option}`: write `--with '{settings}'`");
    Some(InputError::Usage {
        problem,
        hint: "`--with` takes the settings of a `simulate` block: docs/language.md".to_owned(),
    })
}

/// The words behind the name of the program. Invalid Unicode is replaced.
fn command_line() -> Vec<String> {
    all_words().iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The message format that the command line asks for, even if that command line is invalid.
fn requested_format() -> MessageFormat {
    let words = command_line();
    let mut written =
        words.iter().enumerate().filter_map(|(index, word)| match word.strip_prefix("--message-format") {
            Some("") => words.get(index + 1).map(String::as_str),
            Some(value) => value.strip_prefix('='),
            None => None,
        });
    written.next_back().and_then(MessageFormat::of_word).unwrap_or(MessageFormat::Human)
}

/// Shows an error of the command line in a format for programs.
fn report_usage_error(error: InputError, format: MessageFormat) -> u8 {
    let stop = Stop::from(error);
    let terminal = Terminal { format, quiet: false, verbose: false, json: false, beside_data: false };
    terminal.show(stop.diagnostics, &stop.sources);
    terminal.finish(stop.exit_code);
    stop.exit_code
}

/// Runs a command and returns its exit code. Errors have been shown by then.
pub fn run(options: &CommandLine) -> ExitCode {
    ExitCode::from(run_command(options))
}

fn run_command(options: &CommandLine) -> u8 {
    let terminal = Terminal {
        format: options.message_format,
        quiet: options.quiet,
        verbose: options.verbose,
        json: false,
        beside_data: false,
    };
    show_panics_as_bugs(terminal);
    if let Some(threads) = options.threads {
        // It fails only if the pool is running already. The number of threads affects nothing but speed.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
    }
    let exit_code = match std::panic::catch_unwind(|| dispatch(&options.command, terminal)) {
        Ok(Ok(())) => 0,
        Ok(Err(stop)) => {
            terminal.show(stop.diagnostics, &stop.sources);
            stop.exit_code
        }
        // The panic hook has shown the error.
        Err(_) => 4,
    };
    terminal.finish(exit_code);
    exit_code
}

fn dispatch(command: &Command, terminal: Terminal) -> Result<(), Stop> {
    match command {
        Command::Build(args) => build::build(args, terminal.for_json(args.json)),
        Command::Shards(args) => match &args.step {
            ShardsStep::Submit(args) => sweep::submit_build::submit(args, terminal.for_json(args.json)),
            ShardsStep::Merge(args) => build::shards::merge(args, terminal.for_json(args.json)),
        },
        Command::Sweep(args) => sweep::sweep(args, terminal),
        Command::Check(args) => build::check(args, terminal.for_json(args.json)),
        Command::Watch(args) => watch::watch(args, terminal),
        Command::Fmt(args) => build::fmt::fmt(args, terminal),
        Command::Verify(args) => verify::verify(args, terminal.for_json(args.json)),
        Command::Explain(args) => explain::explain(args),
        Command::Schema { name } => build::schema::schema(name.as_deref()),
        Command::Graph(args) => build::graph(args, terminal),
        Command::Tables(args) => operate::tables::tables(args),
        Command::Route(args) => operate::route::route(args),
        Command::Place(args) => operate::place::place(args, terminal.for_json(args.json)),
        Command::Plan(args) if operate::placed::is_placed(&args.directory) => {
            operate::plan_slices::plan(args, terminal)
        }
        Command::Plan(args) => operate::plan::plan(args, terminal),
        Command::Drift(args) if operate::placed::is_placed(&args.directory) => {
            operate::drift_slices::drift(args, terminal)
        }
        Command::Diff(args) => diff::diff(args, terminal),
        Command::Drift(args) => operate::drift::drift(args, terminal),
        Command::Repair(args) if args.swap => {
            operate::repair_swap::repair(args, terminal.for_json(args.json))
        }
        Command::Repair(args) => operate::repair::repair(args, terminal.for_json(args.json)),
        Command::Sim(args) => run::sim::simulate(args, terminal),
        Command::Collective(args) => run::collective::collective(args, terminal),
        Command::Job(args) => run::job::job(args, terminal),
        Command::Estimate(args) => run::estimate::estimate(args),
        Command::Availability(args) => run::availability::availability(args),
        Command::Operate(_) if cfg!(target_family = "wasm") => {
            Err(io::input_errors::not_in_a_browser("`fabc operate`").into())
        }
        Command::Operate(args) => run::operate::operate(args, terminal.for_json(args.json)),
        Command::Cache(args) => build::cache::cache(args, terminal),
        Command::Init(args) => build::init::init(args, terminal),
        Command::Lsp { .. } => lsp::serve(),
        Command::Completions { shell } => args::shells::print_script(*shell),
        Command::Man { directory } => args::shells::write_man_pages(directory, terminal),
    }
}

/// Turns a panic into FAB0901, so that no user sees a raw panic. A panic while a diagnostic is drawn is
/// caught by the code that draws it.
fn show_panics_as_bugs(terminal: Terminal) {
    std::panic::set_hook(Box::new(move |panic| {
        if is_drawing() {
            return;
        }
        let payload = panic.payload();
        let payload = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("it panicked");
        let place = panic
            .location()
            .map(|location| format!(" ({}:{})", location.file(), location.line()))
            .unwrap_or_default();
        let bug = DriverError::Bug { message: format!("{payload}{place}") };
        terminal.show(vec![Box::new(bug)], &diag::SourceMap::default());
        if terminal.format == MessageFormat::Human && std::env::var_os("RUST_BACKTRACE").is_some() {
            io::terminal::print_err(&std::backtrace::Backtrace::force_capture().to_string());
        }
    }));
}
