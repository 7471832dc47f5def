//! The `fabc` binary: the command line is parsed here, everything else is in [`fabc::driver`].

use clap::Parser;

fn main() -> std::process::ExitCode {
    fabc::driver::run(&fabc::driver::Options::parse())
}
