//! The commands of `fabc`. Only this crate reads files, writes, prints, looks at a clock and exits.
//!
//! Input: the command line. Output: files, text and an exit code. Invariant: every error has a code, and
//! `fabc --help` lists every exit code.

mod args;
mod build;
mod diff;
mod io;
mod lsp;
mod operate;
mod run;
mod sweep;
mod verify;
mod watch;

pub use args::collective::*;
pub use args::diff::*;
pub use args::estimate::*;
pub use args::hosts::*;
pub use args::merge_submit::*;
pub use args::options::*;
pub use args::place::*;
pub use args::route::*;
pub use args::running::*;
pub use args::shard::Shard;
pub use args::sim::*;
pub use args::sweep::*;
pub use args::watch::*;
pub use io::read::Directory;
#[cfg(unix)]
pub use io::terminal::detect_closed_stdout;

use args::choice::NamedChoice;
use clap::Parser;
use fabc_base::diag;
use fabc_pipeline::show::is_drawing;
pub use fabc_pipeline::show::{MessageFormat, shown};
use io::errors::DriverError;
use io::input_errors::InputError;
use io::stop::Stop;
use io::terminal::{Terminal, check_written, print_out, wrap_page};
use std::process::ExitCode;

/// Reads the command line.
///
/// # Errors
/// The exit code, if there is no command to run: the user asked for help, a shell asked for completions, or
/// an option is invalid. Everything has been printed by then.
pub fn parse_command_line() -> Result<CommandLine, ExitCode> {
    let parsed = match args::shells::answer_completion() {
        Ok(true) => return Err(ExitCode::SUCCESS),
        Ok(false) => CommandLine::try_parse(),
        Err(error) => Err(error),
    };
    parsed.map_err(|clap_error| {
        let format = requested_format();
        if let Some(error) = former_option_error(&clap_error) {
            return report_usage_error(error, format);
        }
        if clap_error.use_stderr() && format != MessageFormat::Human {
            return report_usage_error(InputError::usage(&clap_error.render().to_string()), format);
        }
        let printed = clap_error.print();
        if clap_error.use_stderr() {
            return ExitCode::from(2);
        }
        let Err(error) = check_written(printed) else { return ExitCode::SUCCESS };
        let stop = Stop::from(error);
        Terminal { format: MessageFormat::Human, quiet: false, verbose: false }
            .show(stop.diagnostics, &stop.sources);
        ExitCode::from(stop.exit_code)
    })
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
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
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
fn report_usage_error(error: InputError, format: MessageFormat) -> ExitCode {
    let stop = Stop::from(error);
    let terminal = Terminal { format, quiet: false, verbose: false };
    terminal.show(stop.diagnostics, &stop.sources);
    terminal.finish(stop.exit_code);
    ExitCode::from(stop.exit_code)
}

/// Runs a command and returns its exit code. Errors have been shown by then.
pub fn run(options: &CommandLine) -> ExitCode {
    let terminal =
        Terminal { format: options.message_format, quiet: options.quiet, verbose: options.verbose };
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
    ExitCode::from(exit_code)
}

fn dispatch(command: &Command, terminal: Terminal) -> Result<(), Stop> {
    match command {
        Command::Build(args) => build::build(args, terminal),
        Command::Merge(args) => build::shards::merge(args, terminal),
        Command::Submit(args) => sweep::submit_build::submit(args, terminal),
        Command::Sweep(args) => sweep::sweep(args, terminal),
        Command::Check(args) => build::check(args, terminal),
        Command::Watch(args) => watch::watch(args, terminal),
        Command::Fmt(args) => build::fmt::fmt(args, terminal),
        Command::Verify(args) => verify::verify(args, terminal),
        Command::Explain { code } => explain(code.as_deref()),
        Command::Schema { name } => build::schema::schema(name.as_deref()),
        Command::Graph(args) => build::graph(args, terminal),
        Command::Tables(args) => operate::tables::tables(args),
        Command::Route(args) => operate::route::route(args),
        Command::Place(args) => operate::place::place(args, terminal),
        Command::Plan(args) if operate::placed::is_placed(&args.directory) => {
            operate::plan_slices::plan(args, terminal)
        }
        Command::Plan(args) => operate::plan::plan(args, terminal),
        Command::Drift(args) if operate::placed::is_placed(&args.directory) => {
            operate::drift_slices::drift(args, terminal)
        }
        Command::Diff(args) => diff::diff(args, terminal),
        Command::Drift(args) => operate::drift::drift(args, terminal),
        Command::Repair(args) if args.swap => operate::repair_swap::repair(args, terminal),
        Command::Repair(args) => operate::repair::repair(args, terminal),
        Command::Sim(args) => run::sim::simulate(args, terminal),
        Command::Collective(args) => run::collective::collective(args, terminal),
        Command::Job(args) => run::job::job(args, terminal),
        Command::Estimate(args) => run::estimate::estimate(args),
        Command::Availability(args) => run::availability::availability(args),
        Command::Init(args) => build::init::init(args, terminal),
        Command::Lsp { .. } => lsp::serve(),
        Command::Completions { shell } => args::shells::print_script(*shell),
        Command::Man { directory } => args::shells::write_man_pages(directory, terminal),
    }
}

fn explain(code: Option<&str>) -> Result<(), Stop> {
    let Some(code) = code else {
        for doc in diag::codes() {
            print_out(&format!("{}  {}", doc.code, doc.title))?;
        }
        return Ok(());
    };
    // The other forms that messages and users write are accepted too: `fabc explain 101` and `FAB[0101]`.
    let digits: String = code.chars().filter(char::is_ascii_digit).collect();
    match diag::explain(code).or_else(|| diag::explain(&format!("FAB{digits:0>4}"))) {
        Some(doc) => {
            let text = format!("{}: {}\n\n{}", doc.code, doc.title, doc.text.trim());
            print_out(&io::terminal::page_width().map_or(text.clone(), |width| wrap_page(&text, width)))?;
            Ok(())
        }
        None => {
            let hint = "`fabc explain` lists all codes".to_owned();
            Err(DriverError::UnknownCode { code: code.to_owned(), hint }.into())
        }
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
