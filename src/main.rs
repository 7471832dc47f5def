//! The `fabc` binary. It parses the command line, and leaves everything else to the crate `fabc-cli`.

/// The C library calls this before `main`. Later, a closed standard output looks like one that accepts
/// everything.
#[cfg(unix)]
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
#[expect(
    unsafe_code,
    reason = "a function in this section is called; it opens two files, and needs nothing of the runtime"
)]
static BEFORE_MAIN: extern "C" fn() = before_main;

#[cfg(unix)]
extern "C" fn before_main() {
    fabc_cli::detect_closed_stdout();
}

fn main() -> std::process::ExitCode {
    match fabc_cli::parse_command_line() {
        Ok(options) => fabc_cli::run(&options),
        Err(exit_code) => exit_code,
    }
}
