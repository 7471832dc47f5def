//! Errors of a command outside the spec: files, directories, options. They have the codes FAB05nn, and
//! FAB09nn for bugs of fabc.

use crate::io::input_errors::InputError;
use fabc_pipeline::refusal::Refusal;
use miette::Diagnostic;
use thiserror::Error;

/// An error of a command.
#[derive(Debug, Error, Diagnostic)]
pub(crate) enum DriverError {
    /// An operation that cannot be done.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Refused(#[from] Refusal),
    /// A file cannot be read.
    #[error("cannot read `{path}`: {reason}")]
    #[diagnostic(code(FAB0501), help("check the path; it is relative to the directory you are in"))]
    Unreadable { path: String, reason: String },
    /// A file holds something else than text.
    #[error("`{path}` is not UTF-8 text: byte {offset} is not part of a character")]
    #[diagnostic(code(FAB0502), help("a .fab file is plain UTF-8 text; save it again with that encoding"))]
    NotText {
        path: String,
        /// The first byte that does not fit.
        offset: usize,
    },
    /// A file or standard input that is longer than anything fabc reads there.
    #[error("`{path}` has more than {limit} bytes")]
    #[diagnostic(code(FAB0519), help("fabc reads no larger input of this kind. Was the right one given?"))]
    TooLong { path: String, limit: u64 },
    /// A file or directory cannot be written.
    #[error("cannot write `{path}`: {reason}")]
    #[diagnostic(code(FAB0503), help("no partial file remains"))]
    Unwritable { path: String, reason: String },
    /// Standard output cannot be written.
    #[error("cannot write standard output: {reason}")]
    #[diagnostic(code(FAB0541), help("the printed output is incomplete"))]
    Stdout { reason: String },
    /// No browser can be started.
    #[error("cannot start `{program}` to open `{page}`: {reason}")]
    #[diagnostic(code(FAB0595), help("open it yourself, or name a program in the variable `BROWSER`"))]
    NoBrowser { page: String, program: String, reason: String },
    /// The page of `fabc watch` cannot be served.
    #[error("cannot serve a page on port {port} of this machine: {reason}")]
    #[diagnostic(code(FAB0596), help("give another port, or leave `--port` out: then a free one is taken"))]
    NoServer { port: u16, reason: String },
    /// The output directory holds files that fabc did not write.
    #[error("`{path}` holds something that fabc did not write: {content}")]
    #[diagnostic(
        code(FAB0504),
        help("fabc replaces only files that it wrote itself: move this away, or choose another directory")
    )]
    Foreign {
        path: String,
        /// A file in it, or the reason, as a phrase.
        content: String,
    },
    /// `--emit` of a format that does not exist.
    #[error("there is no format `{name}`")]
    #[diagnostic(code(FAB0505), help("{hint}"))]
    UnknownFormat { name: String, hint: String },
    /// `--emit` of a format of several files to a single path.
    #[error("the format `{name}` is {files} files and cannot go to `{path}`")]
    #[diagnostic(code(FAB0506), help("name a folder: `--emit {name}=folder/`"))]
    ManyFiles { name: String, files: usize, path: String },
    /// `--emit` of a format of several files to standard output.
    #[error("the format `{name}` is several files and cannot go to standard output")]
    #[diagnostic(code(FAB0506), help("name a folder: `--emit {name}=folder/`"))]
    SeveralFiles { name: String },
    /// `--emit` of a schedule in a format that cannot hold it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NoProgram(#[from] fabc_emit::ProgramError),
    /// `--emit` of a format that cannot represent the fabric.
    #[error(transparent)]
    #[diagnostic(transparent)]
    DoesNotFit(#[from] fabc_emit::EmitError),
    /// `--emit` of something that the build did not compile.
    #[error("there is nothing to emit as `{name}`")]
    #[diagnostic(
        code(FAB0507),
        help("the build stopped before that result. Give a later stage to `--until`, or leave it out")
    )]
    NothingToEmit { name: String },
    /// Two `--emit` with the same file.
    #[error("the formats `{first}` and `{second}` would both write the file `{path}`")]
    #[diagnostic(
        code(FAB0542),
        help("give each format its own path. A folder, with `/` at its end, holds one file of each format")
    )]
    OnePlace { first: &'static str, second: &'static str, path: String },
    /// Specs that cannot be built by one command.
    #[error("these specs cannot be built together: {problem}")]
    #[diagnostic(code(FAB0543), help("build them one by one, or into directories of their own with `--out`"))]
    SeveralSpecs { problem: String },
    /// The golden outputs differ from the build.
    #[error("the outputs differ from `{path}`: {how}")]
    #[diagnostic(
        code(FAB0508),
        help("if the change is meant, run again with `--update` and commit the result")
    )]
    GoldenDiffers { path: String, how: String },
    /// There are no golden outputs yet.
    #[error("there are no golden outputs in `{path}`")]
    #[diagnostic(code(FAB0509), help("run again with `--update` to write them"))]
    GoldenMissing { path: String },
    /// The spec has no simulation of this name.
    #[error("the spec has no simulation `{name}`")]
    #[diagnostic(code(FAB0520), help("{hint}"))]
    UnknownBlock { name: String, hint: String },
    /// The directory has no such window of a run.
    #[error("the directory has no such window of a run")]
    #[diagnostic(code(FAB0522), help("{hint}"))]
    UnknownRun { hint: String },
    /// A result in a form that it does not have.
    #[error("{subject} has no form `{form}`")]
    #[diagnostic(code(FAB0521), help("{help}"))]
    NoSuchForm {
        /// The result that was requested.
        subject: &'static str,
        /// The forms that it has.
        help: &'static str,
        form: &'static str,
    },
    /// A spec that `fmt` would change.
    #[error("`{path}` is not formatted")]
    #[diagnostic(code(FAB0513), help("run `fabc fmt {path}`"))]
    NotFormatted { path: String },
    /// `init` would overwrite a file.
    #[error("`{path}` exists already")]
    #[diagnostic(
        code(FAB0514),
        help("`fabc init` never overwrites: choose another name, or remove the file first")
    )]
    Exists { path: String },
    /// `init` with a name that no fabric can have.
    #[error("`{name}` cannot be the name of a fabric")]
    #[diagnostic(code(FAB0515), help("a name is a letter or `_`, then letters, digits and `_`"))]
    BadName { name: String },
    /// `explain` of something that is no code and no word.
    #[error("`{code}` is no error code, word of the language, metric or field of `report.json`")]
    #[diagnostic(code(FAB0516), help("{hint}"))]
    UnknownCode { code: String, hint: String },
    /// `schema` of something that has none.
    #[error("there is no schema `{name}`")]
    #[diagnostic(code(FAB0546), help("{hint}"))]
    UnknownSchema { name: String, hint: String },
    /// Live cross-connects that do not fit the pod.
    #[error("`{path}` does not fit the pod: {problem}")]
    #[diagnostic(
        code(FAB0531),
        help(
            "it must set every OCS of the spec: the `ocs.json` of a build of this pod, a `fabc.ocs/1` file in its form, or a file of every switch: its SONiC CONFIG_DB or STATE_DB, or the cross-connects of Polatis"
        )
    )]
    LiveMisfit {
        path: String,
        /// The problem, with its place in the file.
        problem: String,
    },
    /// Measured light of a fabric whose links have none.
    #[error("`{fabric}` has no light: no link of its switches has `transmit` and `sensitivity`")]
    #[diagnostic(code(FAB0584), help("give the link of the switches its light, and build again"))]
    NoLight {
        /// The name of the fabric.
        fabric: String,
    },
    /// Measured powers that do not fit the pod.
    #[error("`{path}` does not fit the pod: {problem}")]
    #[diagnostic(
        code(FAB0584),
        help(
            "`--power` names a file of lines `port,dbm` with what receivers at face ports get, or a folder with the `optical-switch:opm-power` of Polatis switches"
        )
    )]
    PowerMisfit {
        path: String,
        /// The problem, with its place in the file.
        problem: String,
    },
    /// A plan that leaves the pod disconnected for a while.
    #[error("the pod is disconnected after {in_parts} of {steps} steps: {cut}")]
    #[diagnostic(code(FAB0532), help("{hint}"))]
    PlanCuts {
        steps: usize,
        /// Steps after which the pod is disconnected.
        in_parts: usize,
        cut: String,
        /// Whether there is a better order.
        hint: String,
    },
    /// A live pod that differs from its build.
    #[error("{problem}")]
    #[diagnostic(code(FAB0580), help("{hint}"))]
    Drifted { problem: String, hint: String },
    /// `fabc collective` on a directory with scheduled vectors.
    #[error("the collectives of `{path}` are planned vector by vector, not in messages")]
    #[diagnostic(
        code(FAB0567),
        help(
            "`report.txt` has their times. For another collective, add it to the spec and build again. {hint}"
        )
    )]
    Planned { path: String, hint: String },
    /// `--emit` of a schedule where there are several.
    #[error("`--emit` writes one schedule, but this lacks {lacks}")]
    #[diagnostic(code(FAB0564), help("a schedule needs one collective, one size and one scenario"))]
    OneSchedule {
        /// What to add to the command line.
        lacks: &'static str,
    },
    /// An option or command that needs a single topology, on a fabric in slices.
    #[error("{option} does not work on a fabric in slices")]
    #[diagnostic(code(FAB0211), help("{hint}"))]
    OfSlices { option: String, hint: &'static str },
    /// A sweep that is invalid or incomplete.
    #[error("{problem}")]
    #[diagnostic(code(FAB0544), help("{hint}"))]
    Sweep { problem: String, hint: String },
    /// Parts of a build that are invalid or incomplete.
    #[error("{problem}")]
    #[diagnostic(code(FAB0594), help("{hint}"))]
    Shards { problem: String, hint: String },
    /// A command line that is invalid.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Input(#[from] InputError),
    /// An engine that refuses a job, or processes that left work open.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Engine(#[from] crate::io::engine_errors::EngineError),
    /// A directory that is not signed as it should be.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Signature(#[from] crate::io::signature_errors::SignatureError),
    /// An editor that is gone, or violates the protocol.
    #[error("the connection to the editor is lost: {reason}")]
    #[diagnostic(
        code(FAB0547),
        help("`fabc lsp` is for editors that use the Language Server Protocol, and not for a terminal")
    )]
    Protocol { reason: String },
    /// A comparison that cannot be made.
    #[error("{problem}")]
    #[diagnostic(code(FAB0545), help("{hint}"))]
    Diff { problem: String, hint: String },
    /// A panic, which is a bug of fabc.
    #[error("fabc has a bug: {message}")]
    #[diagnostic(
        code(FAB0901),
        help("your spec is not at fault. Please report this text with the spec (fabc {})", env!("CARGO_PKG_VERSION"))
    )]
    Bug {
        /// The message of the panic, and its place.
        message: String,
    },
}

impl DriverError {
    /// The exit code of the process.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            // A spec that cannot be read counts as a spec with errors. So does one that is not formatted.
            DriverError::Unreadable { .. }
            | DriverError::Input(InputError::NoSpec { .. })
            | DriverError::NotText { .. }
            | DriverError::TooLong { .. }
            | DriverError::NotFormatted { .. }
            | DriverError::NoLight { .. }
            | DriverError::PowerMisfit { .. }
            | DriverError::LiveMisfit { .. } => 1,
            DriverError::DoesNotFit(_)
            | DriverError::NoProgram(_)
            | DriverError::GoldenDiffers { .. }
            | DriverError::GoldenMissing { .. }
            | DriverError::PlanCuts { .. }
            | DriverError::Drifted { .. } => 3,
            DriverError::Refused(refusal) => refusal.exit_code(),
            DriverError::Signature(error) => error.exit_code(),
            DriverError::Bug { .. } => 4,
            _ => 2,
        }
    }
}
