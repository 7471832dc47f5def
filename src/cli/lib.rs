//! The commands: the only code that reads, writes, prints, looks at a clock, exits.
//!
//! Comes in: the command line. Goes out: files, text, an exit code. Invariant: every error has a code and
//! every exit code is one of those that `fabc --help` lists.

mod availability;
mod build;
mod candidates;
mod change;
mod choice;
mod collective;
mod collective_declared;
mod collective_emit;
mod collective_options;
mod collective_scene;
mod content;
mod diff;
mod diff_options;
mod down;
mod drift;
mod drift_slices;
mod dump;
mod errors;
mod estimate;
mod estimate_options;
mod fmt;
mod foreign;
mod front;
mod golden;
mod init;
mod input_errors;
mod interrupted;
mod jobs;
mod kind_cache;
mod live;
mod lock;
mod lsp;
mod lsp_messages;
mod options;
mod parts;
mod parts_options;
mod place;
mod place_options;
mod placed;
mod plan;
mod plan_slices;
mod progress;
mod read;
mod remake;
mod repair;
mod repair_swap;
mod reported;
mod requests;
mod running_options;
mod scheduled;
mod schema;
mod several;
mod shard;
mod shells;
mod sim;
mod sim_options;
mod sliced;
mod staging;
mod submit;
mod sweep;
mod sweep_options;
mod switches;
mod tables;
mod temporary;
mod terminal;
mod verify;
mod verify_plan;
mod verify_program;
mod verify_repair;
mod verify_slices;
mod write;

pub use collective_options::*;
pub use diff_options::*;
pub use estimate_options::*;
pub use options::*;
pub use parts_options::*;
pub use place_options::*;
pub use read::Directory;
pub use running_options::*;
pub use shard::Shard;
pub use sim_options::*;
pub use sweep_options::*;
#[cfg(unix)]
pub use terminal::look_at_standard_output;

use choice::Choice;
use clap::Parser;
use errors::{DriverError, Stop};
use fabc_base::diag;
use fabc_pipeline::show::is_drawing;
pub use fabc_pipeline::show::{MessageFormat, shown};
use input_errors::InputError;
use std::process::ExitCode;
use terminal::{Terminal, handed_over, print_out, wrapped};

/// Reads the command line.
///
/// # Errors
/// The exit code, where there is nothing to run: help was asked for, a shell wanted completions, or something
/// is wrong with the options. All of it has been shown by then.
pub fn options() -> Result<Options, ExitCode> {
    let parsed = match shells::completed() {
        Ok(true) => return Err(ExitCode::SUCCESS),
        Ok(false) => Options::try_parse(),
        Err(wrong) => Err(wrong),
    };
    parsed.map_err(|shown| {
        let format = asked_format();
        if shown.use_stderr() && format != MessageFormat::Human {
            return wrong_usage(InputError::usage(&shown.render().to_string()), format);
        }
        let printed = shown.print();
        if shown.use_stderr() {
            return ExitCode::from(2);
        }
        let Err(error) = handed_over(printed) else { return ExitCode::SUCCESS };
        let stop = Stop::from(error);
        Terminal { format: MessageFormat::Human, quiet: false, verbose: false }.show(stop.diagnostics, &stop.sources);
        ExitCode::from(stop.exit_code)
    })
}

/// The form of messages that the command line asks for, even one that cannot be read.
fn asked_format() -> MessageFormat {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut written = words.iter().enumerate().filter_map(|(at, word)| match word.strip_prefix("--message-format") {
        Some("") => words.get(at + 1).map(String::as_str),
        Some(value) => value.strip_prefix('='),
        None => None,
    });
    written.next_back().and_then(MessageFormat::of_word).unwrap_or(MessageFormat::Human)
}

/// Shows what is wrong with a command line, in a form for programs.
fn wrong_usage(error: InputError, format: MessageFormat) -> ExitCode {
    let stop = Stop::from(error);
    let terminal = Terminal { format, quiet: false, verbose: false };
    terminal.show(stop.diagnostics, &stop.sources);
    terminal.finish(stop.exit_code);
    ExitCode::from(stop.exit_code)
}

/// Runs a command and returns its exit code. Errors have been shown by then.
pub fn run(options: &Options) -> ExitCode {
    let terminal = Terminal { format: options.message_format, quiet: options.quiet, verbose: options.verbose };
    show_panics_as_bugs(terminal);
    if let Some(threads) = options.threads {
        // It fails only if the pool is running already; the number of threads decides nothing but speed.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
    }
    let exit_code = match std::panic::catch_unwind(|| dispatch(&options.command, terminal)) {
        Ok(Ok(())) => 0,
        Ok(Err(stop)) => {
            terminal.show(stop.diagnostics, &stop.sources);
            stop.exit_code
        }
        // The hook has said why.
        Err(_) => 4,
    };
    terminal.finish(exit_code);
    ExitCode::from(exit_code)
}

fn dispatch(command: &Command, terminal: Terminal) -> Result<(), Stop> {
    match command {
        Command::Build(args) => build::build(args, terminal),
        Command::Merge(args) => parts::merge(args, terminal),
        Command::Submit(args) => submit::submit(args, terminal),
        Command::Sweep(args) => sweep::sweep(args, terminal),
        Command::Check(args) => build::check(args, terminal),
        Command::Fmt(args) => fmt::fmt(args, terminal),
        Command::Verify(args) => verify::verify(args, terminal),
        Command::Explain { code } => explain(code.as_deref()),
        Command::Schema { name } => schema::schema(name.as_deref()),
        Command::Graph(args) => build::graph(args, terminal),
        Command::Tables(args) => tables::tables(args),
        Command::Place(args) => place::place(args, terminal),
        Command::Plan(args) if placed::is_placed(&args.directory) => plan_slices::plan(args, terminal),
        Command::Plan(args) => plan::plan(args, terminal),
        Command::Drift(args) if placed::is_placed(&args.directory) => drift_slices::drift(args, terminal),
        Command::Diff(args) => diff::diff(args, terminal),
        Command::Drift(args) => drift::drift(args, terminal),
        Command::Repair(args) if args.swap => repair_swap::repair(args, terminal),
        Command::Repair(args) => repair::repair(args, terminal),
        Command::Sim(args) => sim::simulate(args, terminal),
        Command::Collective(args) => collective::collective(args, terminal),
        Command::Estimate(args) => estimate::estimate(args),
        Command::Availability(args) => availability::availability(args),
        Command::Init(args) => init::init(args, terminal),
        Command::Lsp { .. } => lsp::serve(),
        Command::Completions { shell } => shells::script(*shell),
        Command::Man { directory } => shells::pages(directory, terminal),
    }
}

fn explain(code: Option<&str>) -> Result<(), Stop> {
    let Some(code) = code else {
        for doc in diag::codes() {
            print_out(&format!("{}  {}", doc.code, doc.title))?;
        }
        return Ok(());
    };
    // `fabc explain 101` and `FAB[0101]`, as messages show it, are meant well.
    let digits: String = code.chars().filter(char::is_ascii_digit).collect();
    match diag::explain(code).or_else(|| diag::explain(&format!("FAB{digits:0>4}"))) {
        Some(doc) => {
            let text = format!("{}: {}\n\n{}", doc.code, doc.title, doc.text.trim());
            print_out(&terminal::width().map_or(text.clone(), |width| wrapped(&text, width)))?;
            Ok(())
        }
        None => {
            let hint = "`fabc explain` lists all codes".to_owned();
            Err(DriverError::UnknownCode { code: code.to_owned(), hint }.into())
        }
    }
}

/// Turns a panic into FAB0901: a user should never see a raw one. What panics while a diagnostic is drawn is
/// caught where it is drawn.
fn show_panics_as_bugs(terminal: Terminal) {
    std::panic::set_hook(Box::new(move |panic| {
        if is_drawing() {
            return;
        }
        let said = panic.payload();
        let said =
            said.downcast_ref::<&str>().copied().or_else(|| said.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked");
        let place = panic.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
        let bug = DriverError::Bug { message: format!("{said}{place}") };
        terminal.show(vec![Box::new(bug)], &diag::SourceMap::default());
        if terminal.format == MessageFormat::Human && std::env::var_os("RUST_BACKTRACE").is_some() {
            terminal::print_err(&std::backtrace::Backtrace::force_capture().to_string());
        }
    }));
}
