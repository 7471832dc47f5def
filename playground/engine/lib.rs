//! fabc inside a web page.
//!
//! The page gives the module a file system in memory (WASI preview 1), and calls one of two functions. Files,
//! arguments and messages go through that file system, so no pointer crosses the border. Invariant: the
//! commands are those of the binary `fabc`, and the bytes that they write are the same.

use std::cell::RefCell;
use std::io::{Read, Write};

/// The file to which the progress of a command is written, a line at a time: `PASS<tab>DONE<tab>TOTAL`.
const PROGRESS: &str = "/dev/progress";

thread_local! {
    static SESSION: RefCell<fabc_cli::EditorSession> = RefCell::new(fabc_cli::EditorSession::default());
}

/// Runs the command of the arguments (`fabc build pod.fab`), and returns its exit code. A panic ends the
/// module after its message.
#[expect(unsafe_code, reason = "the page calls it by this name, which no other function has")]
#[unsafe(no_mangle)]
pub extern "C" fn run_command() -> i32 {
    if let Ok(file) = std::fs::OpenOptions::new().write(true).open(PROGRESS) {
        fabc_cli::observe_progress(move |pass, done, total| {
            // Nobody needs a progress that cannot be told.
            let _ = (&file).write_all(format!("{pass}\t{done}\t{total}\n").as_bytes());
        });
    }
    i32::from(fabc_cli::run_words(std::env::args_os().collect(), None))
}

/// Reads a message of the Language Server Protocol from standard input, without headers, and writes the answers
/// to standard output, one per line. Empty input asks for the findings of the texts that changed.
#[expect(unsafe_code, reason = "the page calls it by this name, which no other function has")]
#[unsafe(no_mangle)]
pub extern "C" fn answer_message() {
    let mut message = Vec::new();
    let mut stdout = std::io::stdout().lock();
    let read = std::io::stdin().lock().read_to_end(&mut message);
    let answers = SESSION.with_borrow_mut(|session| match read {
        Ok(0) => session.findings(),
        Ok(_) => session.answer(&message),
        Err(_) => Vec::new(),
    });
    for answer in answers {
        // A page that closed its output waits for no answer.
        let _ = writeln!(stdout, "{answer}");
    }
}
