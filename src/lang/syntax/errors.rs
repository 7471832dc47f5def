//! Errors in the text of a spec: FAB00nn.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error in the syntax of a spec.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[allow(missing_docs)] // the message of every variant is its documentation
pub enum ParseError {
    #[error("{text} does not fit here")]
    #[diagnostic(code(FAB0001))]
    Unexpected {
        text: String,
        expected: String,
        #[help]
        help: Option<String>,
        #[label("expected {expected}")]
        span: Span,
    },

    #[error("missing `;`")]
    #[diagnostic(
        code(FAB0002),
        help("every setting, `use`, `let`, `require`, `mesh`, `couple` and `all_to_all` ends with `;`")
    )]
    MissingSemicolon {
        #[label("write `;` here")]
        span: Span,
    },

    #[error("`,` where a `;` belongs")]
    #[diagnostic(code(FAB0002), help("every setting ends with `;`; `,` only separates indices and ports"))]
    CommaForSemicolon {
        #[label("write `;`")]
        span: Span,
    },

    #[error("`{open}` is never closed")]
    #[diagnostic(code(FAB0003), help("add the missing `{close}`"))]
    NeverClosed {
        open: char,
        close: char,
        #[label("opened here")]
        span: Span,
    },

    #[error("`{text}` closes nothing")]
    #[diagnostic(code(FAB0003), help("remove it, or add the bracket that it should close"))]
    NeverOpened {
        text: char,
        #[label("nothing is open here")]
        span: Span,
    },

    #[error("`{text}` cannot close `{open}`")]
    #[diagnostic(code(FAB0003), help("write `{wanted}`"))]
    WrongClose {
        text: char,
        open: char,
        wanted: char,
        #[label("`{wanted}` expected")]
        span: Span,
        #[label("opened here")]
        open_span: Span,
    },

    #[error("missing `=` after `{name}`")]
    #[diagnostic(code(FAB0004), help("write `{name} = {value};`"))]
    MissingAssign {
        name: String,
        value: String,
        #[label("write `=` after this")]
        span: Span,
    },

    #[error("`{text}` does not set a value")]
    #[diagnostic(code(FAB0004), help("values are set with a single `=`"))]
    WrongAssign {
        text: String,
        #[label("write `=`")]
        span: Span,
    },

    #[error("`{text}` before a block")]
    #[diagnostic(
        code(FAB0004),
        help("a block follows its name, as in `chip {{ .. }}`. Only settings have a `=`")
    )]
    StrayAssign {
        text: String,
        #[label("remove this")]
        span: Span,
    },

    #[error("`{text}` is not a comparison")]
    #[diagnostic(code(FAB0005), help("{help}"))]
    WrongComparison {
        text: String,
        help: String,
        #[label("one of `<=`, `>=`, `<`, `>`, `==` expected")]
        span: Span,
    },

    #[error("`{text}` does not make a range")]
    #[diagnostic(code(FAB0006), help("{help}"))]
    WrongRange {
        text: String,
        help: &'static str,
        #[label("write `..`")]
        span: Span,
    },

    #[error("brackets nest deeper than {limit}")]
    #[diagnostic(code(FAB0007), help("no spec needs this. Is a closing bracket missing further up?"))]
    TooDeep {
        limit: usize,
        #[label("one too deep")]
        span: Span,
    },

    #[error("the spec has more than {limit} bytes, with all files that it uses")]
    #[diagnostic(code(FAB0007), help("this is hardly a spec. Was the right file given?"))]
    TooLarge {
        limit: usize,
        #[label("too much from here on")]
        span: Span,
    },

    #[error("the spec has more than {limit} words, numbers and signs, with all files that it uses")]
    #[diagnostic(
        code(FAB0007),
        help("write fewer items: one `ocs` line with indices declares a whole group")
    )]
    TooManyTokens {
        limit: usize,
        #[label("too much from here on")]
        span: Span,
    },

    #[error("the spec uses more than {limit} files")]
    #[diagnostic(code(FAB0007), help("merge some of the files"))]
    TooManyFiles {
        limit: usize,
        #[label("one too many")]
        span: Span,
    },

    #[error("this {construct} is never closed")]
    #[diagnostic(code(FAB0008), help("close it with `{close}`"))]
    Unterminated {
        construct: &'static str,
        close: &'static str,
        #[label("it starts here")]
        span: Span,
    },

    #[error("`;` ends nothing here")]
    #[diagnostic(code(FAB0009), help("one `;` ends a statement; remove this one"))]
    StraySemicolon {
        #[label("remove this")]
        span: Span,
    },

    #[error("cannot read {path}: {reason}")]
    #[diagnostic(code(FAB0010), help("paths are relative to the file that names them"))]
    Unreadable {
        path: String,
        reason: String,
        #[label("used here")]
        span: Option<Span>,
    },

    #[error("{path}, line {line}: {problem}")]
    #[diagnostic(
        code(FAB0019),
        help("a line is `u,v,copies`: two GPUs and how many links join them, 1 if left out")
    )]
    ListedLinks {
        path: String,
        line: u32,
        problem: String,
        #[label("this file")]
        span: Span,
    },

    #[error("{path} uses itself")]
    #[diagnostic(code(FAB0011), help("the files use each other in a cycle: {cycle}"))]
    UseCycle {
        path: String,
        cycle: String,
        #[label("this `use` closes the cycle")]
        span: Span,
    },

    #[error("the spec declares no fabric")]
    #[diagnostic(
        code(FAB0012),
        help("a spec is `fabric name {{ .. }}`. Files without one can only be included with `use`")
    )]
    NoFabric {
        #[label("this file has no `fabric`")]
        span: Span,
    },

    #[error("a fabric needs a name")]
    #[diagnostic(code(FAB0012), help("write `fabric pod {{ .. }}`. The output directory has the same name"))]
    NoFabricName {
        #[label("write a name after this")]
        span: Span,
    },

    #[error("`{text}` is not a block that can contain others")]
    #[diagnostic(code(FAB0012), help("did you mean `fabric`? A spec is `fabric name {{ .. }}`"))]
    NotFabric {
        text: String,
        #[label("write `fabric`")]
        span: Span,
    },

    #[error("a second fabric")]
    #[diagnostic(
        code(FAB0013),
        help("a spec declares exactly one fabric. Move shared parts into a file without `fabric`")
    )]
    SecondFabric {
        #[label("one too many")]
        span: Span,
        #[label("the first one")]
        first: Span,
    },

    #[error("`{text}` does not join dimensions")]
    #[diagnostic(code(FAB0014), help("dimensions are joined by `x`: `{wanted}`"))]
    WrongBy {
        text: String,
        wanted: String,
        #[label("write `{wanted}`")]
        span: Span,
    },

    #[error("`{text}` does not make a range of values")]
    #[diagnostic(code(FAB0006), help("the values of a parameter are written with both ends: `in 1..=128`"))]
    WrongThrough {
        text: String,
        #[label("write `..=`")]
        span: Span,
    },

    #[error("`{text}` sets nothing")]
    #[diagnostic(
        code(FAB0018),
        help("write `--set name=value`, such as `--set cubes=8` or `--set 'rate=128 GB/s'`")
    )]
    NotGiven {
        text: String,
        #[label("not `name=value`")]
        span: Span,
    },

    #[error("`weight` is part of its `all_to_all`")]
    #[diagnostic(code(FAB0016), help("write it as one statement: `{wanted}`"))]
    SplitWeight {
        wanted: String,
        #[label("not a statement of its own")]
        span: Span,
    },

    #[error("this `all_to_all` has no weight")]
    #[diagnostic(code(FAB0016), help("write `{wanted}`, for example"))]
    NoWeight {
        wanted: String,
        #[label("write ` weight n` here")]
        span: Span,
    },

    #[error("a path with a control character")]
    #[diagnostic(code(FAB0017), help("remove it, or rename the file"))]
    ControlInPath {
        #[label("this path")]
        span: Span,
    },
}

impl ParseError {
    /// The span of the error. `None` only if the spec itself could not be read.
    pub fn span(&self) -> Option<Span> {
        let label = self.labels()?.next()?;
        Some(Span { start: label.offset() as u32, end: (label.offset() + label.len()) as u32 })
    }
}
