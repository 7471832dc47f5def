//! What can go wrong outside the spec: files, directories, options. Codes FAB05nn; FAB09nn is fabc itself.

use crate::io::input_errors::InputError;
use miette::Diagnostic;
use thiserror::Error;

/// An error of a command.
#[derive(Debug, Error, Diagnostic)]
pub(crate) enum DriverError {
    /// A file cannot be read.
    #[error("cannot read `{path}`: {reason}")]
    #[diagnostic(code(FAB0501), help("check the path; it is relative to the directory you are in"))]
    Unreadable {
        /// As given.
        path: String,
        /// From the system.
        reason: String,
    },
    /// A file holds something else than text.
    #[error("`{path}` is not UTF-8 text: byte {offset} is no part of a character")]
    #[diagnostic(code(FAB0502), help("a .fab file is plain UTF-8 text; save it again with that encoding"))]
    NotText {
        /// As given.
        path: String,
        /// The first byte that does not fit.
        offset: usize,
    },
    /// A file or standard input that is longer than anything fabc reads there.
    #[error("`{path}` has more than {most} bytes")]
    #[diagnostic(
        code(FAB0519),
        help("this is the most that is read of such an input; was the right one given?")
    )]
    TooLong {
        /// As given.
        path: String,
        /// The limit, bytes.
        most: u64,
    },
    /// A file or directory cannot be written.
    #[error("cannot write `{path}`: {reason}")]
    #[diagnostic(code(FAB0503), help("nothing half written was left behind"))]
    Unwritable {
        /// As given.
        path: String,
        /// From the system.
        reason: String,
    },
    /// Standard output takes nothing.
    #[error("cannot write standard output: {reason}")]
    #[diagnostic(code(FAB0541), help("what was to be printed there is not complete"))]
    Stdout {
        /// From the system.
        reason: String,
    },
    /// Something else stands where the output should go.
    #[error("`{path}` holds something that fabc did not write: {found}")]
    #[diagnostic(
        code(FAB0504),
        help("fabc replaces only what it wrote itself: move this away, or choose another directory")
    )]
    Foreign {
        /// The directory.
        path: String,
        /// What was found in it.
        found: String,
    },
    /// `--emit` of a format that does not exist.
    #[error("there is no format `{name}`")]
    #[diagnostic(code(FAB0505), help("{hint}"))]
    UnknownFormat {
        /// As given.
        name: String,
        /// Where to look.
        hint: String,
    },
    /// `--emit` of a format that is not one file, to standard output.
    #[error("the format `{name}` is {files} files and cannot go to `{path}`")]
    #[diagnostic(code(FAB0506), help("name a folder: `--emit {name}=folder/`"))]
    ManyFiles {
        /// The format.
        name: String,
        /// How many files it is.
        files: usize,
        /// Where it should go.
        path: String,
    },
    /// `--emit` of a format of several files, to standard output.
    #[error("the format `{name}` is several files and cannot go to standard output")]
    #[diagnostic(code(FAB0506), help("name a folder: `--emit {name}=folder/`"))]
    SeveralFiles {
        /// The format.
        name: String,
    },
    /// `--emit` of a schedule in a format that does not hold it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NoProgram(#[from] fabc_emit::ProgramError),
    /// `--emit` of a format that this pod does not fit.
    #[error(transparent)]
    #[diagnostic(transparent)]
    DoesNotFit(#[from] fabc_emit::EmitError),
    /// `--emit` of what was not compiled.
    #[error("there is nothing to emit as `{name}`")]
    #[diagnostic(
        code(FAB0507),
        help("the build stopped before it; give a later stage to `--stop-after`, or leave it out")
    )]
    NothingToEmit {
        /// The format.
        name: String,
    },
    /// Two `--emit` to one file.
    #[error("the formats `{first}` and `{second}` would both be the file `{path}`")]
    #[diagnostic(
        code(FAB0542),
        help("give each a path of its own; a folder, with `/` at its end, takes one of each")
    )]
    OnePlace {
        /// A format.
        first: &'static str,
        /// Another one, or the same again.
        second: &'static str,
        /// Where they should go.
        path: String,
    },
    /// Specs that cannot be built by one command.
    #[error("these specs cannot be built together: {what}")]
    #[diagnostic(code(FAB0543), help("build them one by one, or into directories of their own with `--out`"))]
    SeveralSpecs {
        /// Why.
        what: String,
    },
    /// The golden outputs are not what came out.
    #[error("the outputs differ from `{path}`: {how}")]
    #[diagnostic(
        code(FAB0508),
        help("if the change is meant, run again with `--update` and commit the result")
    )]
    GoldenDiffers {
        /// The golden directory.
        path: String,
        /// In a sentence.
        how: String,
    },
    /// There are no golden outputs yet.
    #[error("there are no golden outputs in `{path}`")]
    #[diagnostic(code(FAB0509), help("run again with `--update` to write them"))]
    GoldenMissing {
        /// The golden directory.
        path: String,
    },
    /// Not a directory of fabc, or a damaged one.
    #[error("`{path}` is not a directory that `fabc build` wrote: {reason}")]
    #[diagnostic(
        code(FAB0510),
        help("name the directory of the fabric itself, such as `out/pod_256`; if it is one, build it again")
    )]
    NotBuilt {
        /// As given.
        path: String,
        /// What is missing or wrong.
        reason: String,
    },
    /// No such router.
    #[error("there is no router `{name}`")]
    #[diagnostic(code(FAB0511), help("routers are {range}"))]
    UnknownRouter {
        /// As given.
        name: String,
        /// First and last.
        range: String,
    },
    /// No tables for a scenario.
    #[error("there are no tables for the scenario `{name}`")]
    #[diagnostic(code(FAB0512), help("{hint}"))]
    UnknownScenario {
        /// As given.
        name: String,
        /// What there is.
        hint: String,
    },
    /// No such simulation in the spec.
    #[error("the spec has no simulation `{name}`")]
    #[diagnostic(code(FAB0520), help("{hint}"))]
    UnknownBlock {
        /// As given.
        name: String,
        /// What there is.
        hint: String,
    },
    /// No such window of a run of a simulation.
    #[error("the directory has no such window of a run")]
    #[diagnostic(code(FAB0522), help("{hint}"))]
    UnknownRun {
        /// What there is.
        hint: String,
    },
    /// A result in a form that it does not have.
    #[error("{what} has no form `{form}`")]
    #[diagnostic(code(FAB0521), help("{help}"))]
    NoSuchForm {
        /// What was to be printed.
        what: &'static str,
        /// The forms that it has.
        help: &'static str,
        /// As given.
        form: &'static str,
    },
    /// A spec that `fmt` would change.
    #[error("`{path}` is not laid out")]
    #[diagnostic(code(FAB0513), help("`fabc fmt {path}` does it"))]
    NotFormatted {
        /// As given.
        path: String,
    },
    /// `init` would overwrite a file.
    #[error("`{path}` exists already")]
    #[diagnostic(
        code(FAB0514),
        help("`fabc init` never overwrites: choose another name, or remove the file first")
    )]
    Exists {
        /// The file.
        path: String,
    },
    /// `init` with a name that no fabric can have.
    #[error("`{name}` cannot be the name of a fabric")]
    #[diagnostic(code(FAB0515), help("a name is a letter or `_`, then letters, digits and `_`"))]
    BadName {
        /// As given.
        name: String,
    },
    /// `explain` of a code that does not exist.
    #[error("there is no error code `{code}`")]
    #[diagnostic(code(FAB0516), help("{hint}"))]
    UnknownCode {
        /// As given.
        code: String,
        /// Where to look.
        hint: String,
    },
    /// `schema` of something that has none.
    #[error("there is no schema `{name}`")]
    #[diagnostic(code(FAB0546), help("{hint}"))]
    UnknownSchema {
        /// As given.
        name: String,
        /// Where to look.
        hint: String,
    },
    /// Live cross-connects that are not those of the pod.
    #[error("`{path}` does not fit the pod: {what}")]
    #[diagnostic(
        code(FAB0531),
        help(
            "it must set every OCS of the spec: the `ocs.json` of a build of this pod, a `fabc.ocs/1` file in its form, or a file of every switch: its SONiC CONFIG_DB or STATE_DB, or the cross-connects of Polatis"
        )
    )]
    LiveMisfit {
        /// As given.
        path: String,
        /// What is wrong, with the place in the file.
        what: String,
    },
    /// A plan that leaves the pod in parts for a while.
    #[error("the pod is in parts after {in_parts} of {steps} steps: {cut}")]
    #[diagnostic(code(FAB0532), help("{hint}"))]
    PlanCuts {
        /// Steps of the plan.
        steps: usize,
        /// Steps after which the pod is in parts.
        in_parts: usize,
        /// The first cut.
        cut: String,
        /// Whether there is a better order.
        hint: String,
    },
    /// Switches are asked of a fabric that has none.
    #[error("`{fabric}` has no optical circuit switches")]
    #[diagnostic(
        code(FAB0533),
        help("only the cross-connects of a pod can be planned; a network is wired once")
    )]
    NoSwitches {
        /// The fabric.
        fabric: String,
    },
    /// Nothing of that name can be down.
    #[error("there is no switch, router, link or block of routers `{name}`")]
    #[diagnostic(code(FAB0572), help("{hint}"))]
    UnknownPart {
        /// As given.
        name: String,
        /// What names look like here.
        hint: String,
    },
    /// A repair of nothing.
    #[error("with all of this down no two {word}s are left")]
    #[diagnostic(
        code(FAB0573),
        help("`--down` names what is down now, all of it at once; is it really so much?")
    )]
    NothingLeft {
        /// What the fabric calls its routers.
        word: &'static str,
    },
    /// What is left is not in one part.
    #[error("what is left is in {parts} parts: {what}")]
    #[diagnostic(
        code(FAB0574),
        help("`--partial` serves the largest part, of {most} {word}s; those of others keep their tables")
    )]
    RepairApart {
        /// How many.
        parts: usize,
        /// Which.
        what: String,
        /// Routers of the largest.
        most: usize,
        /// What the fabric calls its routers.
        word: &'static str,
    },
    /// Tables that are not repaired.
    #[error("these tables cannot be repaired: {what}")]
    #[diagnostic(code(FAB0575), help("{hint}"))]
    NoRepair {
        /// Why.
        what: &'static str,
        /// What can be done.
        hint: &'static str,
    },
    /// A live pod that differs from what was built.
    #[error("{what}")]
    #[diagnostic(code(FAB0580), help("{hint}"))]
    Drifted {
        /// How.
        what: String,
        /// What can be done.
        hint: String,
    },
    /// No tables for the way from one topology to another.
    #[error("there are no tables for the way: {what}")]
    #[diagnostic(code(FAB0581), help("{hint}"))]
    NoWay {
        /// Why.
        what: String,
        /// What can be done.
        hint: String,
    },
    /// No such collective, algorithm, scenario.
    #[error("there is no {what} `{name}`")]
    #[diagnostic(code(FAB0561), help("{hint}"))]
    UnknownWord {
        /// `collective`, `scenario`, ..
        what: String,
        /// As given.
        name: String,
        /// What there is.
        hint: String,
    },
    /// A root that is missing, superfluous, or no chip.
    #[error("{what}")]
    #[diagnostic(code(FAB0562), help("{hint}"))]
    Root {
        /// What is wrong with it.
        what: String,
        /// What to write.
        hint: String,
    },
    /// `fabc collective` of a directory whose collectives are planned vector by vector.
    #[error("the collectives of `{path}` are planned vector by vector, not in messages")]
    #[diagnostic(
        code(FAB0567),
        help("`report.txt` says what they take; for another one, add it to the spec and build that; {hint}")
    )]
    Planned {
        /// The directory.
        path: String,
        /// Where to look.
        hint: String,
    },
    /// `fabc availability` of something that it cannot be told of.
    #[error("{what}")]
    #[diagnostic(code(FAB0571), help("{hint}"))]
    Availability {
        /// What is wrong.
        what: String,
        /// What to write.
        hint: String,
    },
    /// `--emit` of a schedule where there are several.
    #[error("`--emit` writes one schedule, but this lacks {lacks}")]
    #[diagnostic(code(FAB0564), help("a schedule is of one collective, one size and one scenario"))]
    OneSchedule {
        /// What to add.
        lacks: &'static str,
    },
    /// Something that a fabric in slices does not have as a whole.
    #[error("{what} is not for a fabric in slices")]
    #[diagnostic(code(FAB0211), help("{hint}"))]
    OfSlices {
        /// What was asked for.
        what: String,
        /// What to ask instead.
        hint: &'static str,
    },
    /// A sweep that cannot be made, or not yet.
    #[error("{what}")]
    #[diagnostic(code(FAB0544), help("{hint}"))]
    Sweep {
        /// What is wrong.
        what: String,
        /// What to write.
        hint: String,
    },
    /// Parts of a build that cannot be made or put together.
    #[error("{what}")]
    #[diagnostic(code(FAB0594), help("{hint}"))]
    Shards {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// A command line that does not fit.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Input(#[from] InputError),
    /// Processes that nobody runs, or that did not do their part.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Engine(#[from] crate::sweep::jobs::EngineError),
    /// An editor that is gone, or speaks another language.
    #[error("the editor can no longer be answered: {reason}")]
    #[diagnostic(
        code(FAB0547),
        help("`fabc lsp` speaks the Language Server Protocol with an editor; it is not for a terminal")
    )]
    Protocol {
        /// What happened.
        reason: String,
    },
    /// A comparison that cannot be made.
    #[error("{what}")]
    #[diagnostic(code(FAB0545), help("{hint}"))]
    Diff {
        /// What is wrong.
        what: String,
        /// What to write.
        hint: String,
    },
    /// A panic.
    #[error("fabc has a bug: {message}")]
    #[diagnostic(
        code(FAB0901),
        help("this is not the fault of your spec; please report it with the spec and this text (fabc {})", env!("CARGO_PKG_VERSION"))
    )]
    Bug {
        /// What the panic said, and where.
        message: String,
    },
}

impl DriverError {
    /// The process exit code of this error.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            // A spec that cannot be read is a spec with an error; so is one that is not laid out.
            DriverError::Unreadable { .. }
            | DriverError::Input(InputError::NoSpec { .. })
            | DriverError::NotText { .. }
            | DriverError::TooLong { .. }
            | DriverError::NotFormatted { .. }
            | DriverError::LiveMisfit { .. } => 1,
            DriverError::DoesNotFit(_)
            | DriverError::NoProgram(_)
            | DriverError::GoldenDiffers { .. }
            | DriverError::GoldenMissing { .. }
            | DriverError::PlanCuts { .. }
            | DriverError::Drifted { .. }
            | DriverError::NoWay { .. }
            | DriverError::RepairApart { .. } => 3,
            DriverError::Bug { .. } => 4,
            _ => 2,
        }
    }
}

/// What ends a command early: diagnostics with their sources, and the exit code.
#[derive(Debug)]
pub(crate) struct Stop {
    /// What to show, in order.
    pub(crate) diagnostics: Vec<Box<dyn Diagnostic + Send + Sync>>,
    /// The files that the diagnostics point into.
    pub(crate) sources: fabc_base::diag::SourceMap,
    /// The process exit code.
    pub(crate) exit_code: u8,
}

impl From<DriverError> for Stop {
    fn from(error: DriverError) -> Self {
        Stop {
            exit_code: error.exit_code(),
            diagnostics: vec![Box::new(error)],
            sources: fabc_base::diag::SourceMap::default(),
        }
    }
}

impl From<InputError> for Stop {
    fn from(error: InputError) -> Self {
        DriverError::from(error).into()
    }
}

impl From<crate::sweep::jobs::EngineError> for Stop {
    fn from(error: crate::sweep::jobs::EngineError) -> Self {
        DriverError::from(error).into()
    }
}

impl From<(fabc_base::diag::Failure, fabc_base::diag::SourceMap)> for Stop {
    fn from((failure, sources): (fabc_base::diag::Failure, fabc_base::diag::SourceMap)) -> Self {
        Stop { exit_code: failure.exit_code(), diagnostics: failure.diagnostics(), sources }
    }
}

/// Ends a command because the checker convicted a file.
pub(crate) fn convicted(error: fabc_check::CheckError, sources: &fabc_base::diag::SourceMap) -> Stop {
    Stop { diagnostics: vec![Box::new(error)], sources: sources.clone(), exit_code: 3 }
}

/// An error that would exit with 2 or 3 anywhere else.
pub(crate) fn as_error(stop: Stop) -> Stop {
    Stop { exit_code: if matches!(stop.exit_code, 2 | 3) { 1 } else { stop.exit_code }, ..stop }
}
