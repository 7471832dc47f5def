//! `fabc watch`: builds a spec at every save, and shows its report page in a browser.
//!
//! In: a spec and the files that it names. Out: the directory of the build, and a page that reloads itself.
//! The page is served on the loopback address only. Ctrl-C ends the command.

mod files;
mod server;

use crate::args::options::{Command, CommandLine};
use crate::args::watch::WatchArgs;
use crate::build;
use crate::io::browser::open_page;
use crate::io::errors::DriverError;
use crate::io::input_errors::{InputError, needs_spec};
use crate::io::read;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use clap::Parser;
use fabc_pipeline::show::{MessageFormat, shown};
use files::WatchedFiles;
use server::{PageServer, ServedPage};
use std::time::Duration;

/// How often the files are looked at.
const INTERVAL: Duration = Duration::from_millis(200);

/// `fabc watch`: runs until Ctrl-C.
///
/// # Errors
/// A spec that cannot be read at the start, `DriverError::NoServer`, and `DriverError::NoBrowser`.
pub(crate) fn watch(args: &WatchArgs, terminal: Terminal) -> Result<(), Stop> {
    needs_spec(&args.spec)?;
    if args.spec == "-" {
        let problem = "standard input cannot be watched".to_owned();
        return Err(InputError::Usage { problem, hint: "name a file, such as `pod.fab`".to_owned() }.into());
    }
    read::spec_text(&args.spec)?;
    let server = PageServer::start(args.port)?;
    terminal.say(&format!("{} on {}, until Ctrl-C", args.spec, server.address()))?;
    let mut files = WatchedFiles::of_spec(&args.spec, &args.set);
    server.show(page_of_build(args, terminal));
    if args.open {
        open_page(&server.address())?;
    }
    loop {
        std::thread::sleep(INTERVAL);
        if files.changed() {
            files = WatchedFiles::of_spec(&args.spec, &args.set);
            server.show(page_of_build(args, terminal));
        }
    }
}

/// Builds the spec. The page is the report, below what went wrong.
fn page_of_build(args: &WatchArgs, terminal: Terminal) -> ServedPage {
    let built = build_arguments(args).and_then(|build| build::build(&build, terminal));
    let name = read::read_spec(&args.spec, &args.set).ok().map(|loaded| loaded.fabric.name);
    let report = name.and_then(|name| std::fs::read_to_string(args.out.join(name).join("report.html")).ok());
    let problems = match built {
        Ok(()) => Vec::new(),
        Err(stop) => {
            let problems = shown(&stop.diagnostics, &stop.sources, MessageFormat::Short);
            terminal.show(stop.diagnostics, &stop.sources);
            problems
        }
    };
    ServedPage { report, problems }
}

/// The arguments of `fabc build` that do the same.
fn build_arguments(args: &WatchArgs) -> Result<crate::args::options::BuildArgs, Stop> {
    let mut words = vec!["fabc".to_owned(), "build".to_owned(), args.spec.clone()];
    words.extend(["--out".to_owned(), read::display(&args.out)]);
    words.extend(args.set.iter().flat_map(|set| ["--set".to_owned(), set.clone()]));
    words.extend(args.until.iter().flat_map(|stage| ["--until".to_owned(), stage.name().to_owned()]));
    match CommandLine::try_parse_from(words).map(|line| line.command) {
        Ok(Command::Build(build)) => Ok(build),
        Ok(_) => unreachable!("the words begin with `build`"),
        Err(error) => Err(DriverError::from(InputError::usage(&error.render().to_string())).into()),
    }
}
