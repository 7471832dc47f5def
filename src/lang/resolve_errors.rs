//! Errors in the meaning of a spec: FAB01nn.

use super::file_errors::FileError;
use super::job_errors::JobError;
use super::job_file_errors::JobFileError;
use super::slice_errors::SliceError;
use super::switch_errors::SwitchError;
use crate::syntax::BindError;
use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error of the spec. The first label shows the wrong place, a second one what it disagrees with.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[allow(missing_docs)] // the message of every variant is its documentation
pub enum ResolveError {
    #[error("{subject} `{name}` is not declared")]
    #[diagnostic(code(FAB0101))]
    UnknownName {
        subject: &'static str,
        name: String,
        #[help]
        help: Option<String>,
        #[label("not declared")]
        span: Span,
    },

    #[error("{subject} is declared twice")]
    #[diagnostic(code(FAB0102), help("{help}"))]
    Duplicate {
        subject: String,
        help: String,
        #[label("declared again")]
        span: Span,
        #[label("declared first here")]
        first: Span,
    },

    #[error("{subject} does not belong in {place}")]
    #[diagnostic(code(FAB0103))]
    Misplaced {
        subject: String,
        place: String,
        #[help]
        help: Option<String>,
        #[label("unknown here")]
        span: Span,
    },

    #[error("{place} lacks {subject}")]
    #[diagnostic(code(FAB0104), help("add `{example}`"))]
    Missing {
        place: String,
        subject: String,
        example: String,
        #[label("{subject} is missing here")]
        span: Span,
    },

    #[error("{subject} needs {wanted}")]
    #[diagnostic(code(FAB0105))]
    WrongUnit {
        subject: String,
        wanted: String,
        #[help]
        help: Option<String>,
        #[label("{note}")]
        span: Span,
        note: String,
    },

    #[error("{subject} takes {wanted}")]
    #[diagnostic(code(FAB0106), help("{help}"))]
    WrongKind {
        subject: String,
        wanted: String,
        help: String,
        #[label("{wanted} expected")]
        span: Span,
    },

    #[error("{subject} must be {wanted}")]
    #[diagnostic(code(FAB0107))]
    OutOfRange {
        subject: String,
        wanted: String,
        #[help]
        help: Option<String>,
        #[label("{note}")]
        span: Span,
        note: String,
    },

    #[error("the range {lo}..{hi} is {problem}")]
    #[diagnostic(code(FAB0108), help("{help}"))]
    BadRange {
        lo: i64,
        hi: i64,
        problem: &'static str,
        help: String,
        #[label("no value lies in it")]
        span: Span,
    },

    #[error("{port} lies outside the face")]
    #[diagnostic(code(FAB0109), help("{help}"))]
    OffFace {
        port: String,
        help: String,
        #[label("{note}")]
        span: Span,
        note: String,
        #[label("the cube is declared here")]
        cube: Span,
    },

    #[error("face port {port} is served twice: by {first_ocs} and by {ocs}")]
    #[diagnostic(code(FAB0110), help("{help}"))]
    PortTaken {
        port: String,
        ocs: String,
        first_ocs: String,
        help: &'static str,
        #[label("{ocs} serves it again")]
        span: Span,
        #[label("{first_ocs} serves it already")]
        first: Option<Span>,
    },

    #[error("both sides of {ocs} name `{port}`")]
    #[diagnostic(code(FAB0110), help("{help}"))]
    SameSide {
        ocs: String,
        port: String,
        help: String,
        #[label("the same port again")]
        span: Span,
    },

    #[error("{count} more groups serve face ports that are served already")]
    #[diagnostic(code(FAB0110), help("only the first ones are listed: fix those and run again"))]
    PortsTaken {
        count: usize,
        #[label("the last of these groups")]
        span: Span,
    },

    #[error("{ocs} needs {needed} ports per side, but has {ports}")]
    #[diagnostic(code(FAB0111), help("{arithmetic}"))]
    TooFewPorts {
        ocs: String,
        needed: u64,
        ports: u64,
        arithmetic: String,
        #[label("{needed} ports needed")]
        span: Span,
        #[label("{ports} ports declared")]
        ports_span: Span,
    },

    #[error("the wiring needs {needed} ports at {node}, but a chip has {radix}")]
    #[diagnostic(code(FAB0112), help("{arithmetic}"))]
    RadixTooSmall {
        node: String,
        needed: u32,
        radix: u32,
        arithmetic: String,
        #[label("too small")]
        span: Span,
        #[label("the wiring of this cube")]
        cube: Span,
    },

    #[error("{router} needs {needed} ports, but has {radix}")]
    #[diagnostic(code(FAB0112), help("{arithmetic}"))]
    NetworkRadix {
        router: String,
        needed: u64,
        radix: u32,
        arithmetic: String,
        #[label("too small")]
        span: Span,
        #[label("the wiring of these routers")]
        topology: Span,
    },

    #[error("{subject} is too large: {count}, at most {limit} supported")]
    #[diagnostic(code(FAB0113))]
    TooLarge {
        subject: &'static str,
        count: String,
        limit: u64,
        #[help]
        help: Option<String>,
        #[label("{arithmetic}")]
        span: Span,
        arithmetic: String,
    },

    #[error("the budget allows {budget} virtual channels, but the {owner} has {has}")]
    #[diagnostic(code(FAB0114), help("lower `budget {{ vcs }}` or raise `{owner} {{ vcs }}`"))]
    BudgetExceedsRouter {
        budget: u8,
        owner: &'static str,
        has: u8,
        #[label("more than the {owner} has")]
        span: Span,
        #[label("the {owner} has {has}")]
        owner_span: Span,
    },

    #[error("faults cannot be {written}")]
    #[diagnostic(code(FAB0115), help("{help}"))]
    Faults {
        written: String,
        help: &'static str,
        #[label("{note}")]
        span: Span,
        note: &'static str,
    },

    #[error("a {kind} of {dims} does not fit the cubes")]
    #[diagnostic(code(FAB0116), help("{help}"))]
    TorusMismatch {
        kind: &'static str,
        dims: String,
        help: String,
        #[label("{problem}")]
        span: Span,
        problem: String,
        #[label("{declared}")]
        other: Span,
        declared: String,
    },

    #[error("the torus has length 1 along {axis}: its wrap would join every chip to itself")]
    #[diagnostic(
        code(FAB0117),
        help("leave the {axis} faces uncoupled (dark), or give the pod at least two chips along {axis}")
    )]
    SelfLoop {
        axis: &'static str,
        #[label("a ring of one chip")]
        span: Span,
        #[label("this couples the {axis} faces")]
        coupled: Span,
    },

    #[error("a twisted torus cannot be {dims}")]
    #[diagnostic(
        code(FAB0118),
        help(
            "a twisted torus of cubes with side s is a x a x 2a or a x 2a x 2a with a a multiple of s{suggestion}"
        )
    )]
    TwistShape {
        dims: String,
        suggestion: String,
        #[label("no twist is defined for this shape")]
        span: Span,
        #[label("the cube")]
        cube: Span,
    },

    #[error("{routing} works on {wanted} only")]
    #[diagnostic(code(FAB0119), help("{help}"))]
    RoutingMismatch {
        routing: &'static str,
        wanted: &'static str,
        help: &'static str,
        #[label("needs {wanted}")]
        span: Span,
        #[label("this is {topology}")]
        topology_span: Span,
        topology: String,
    },

    #[error(
        "bandwidths without a small common multiple: {first_name} has {first_bandwidth} GB/s, {name} has {bandwidth} GB/s"
    )]
    #[diagnostic(
        code(FAB0120),
        help(
            "loads are counted in whole parts of a common unit. Choose bandwidths in simple ratios, such as 100, 200 and 400 Gbps"
        )
    )]
    UnlikeBandwidths {
        name: String,
        bandwidth: String,
        first_name: String,
        first_bandwidth: String,
        #[label("{bandwidth} GB/s")]
        span: Span,
        #[label("{first_bandwidth} GB/s")]
        first: Span,
    },

    #[error("`method = {method}` counts all links alike, but {first_name} and {name} differ")]
    #[diagnostic(
        code(FAB0120),
        help(
            "use the search (`method = search`, or no `method`), or give all links in use the same bandwidth"
        )
    )]
    MethodOfLikeLinks {
        method: &'static str,
        name: String,
        first_name: String,
        #[label("this method")]
        span: Span,
        #[label("of another bandwidth than `{first_name}`")]
        link: Span,
    },

    #[error("unknown metric `{name}`")]
    #[diagnostic(code(FAB0121), help("{help}"))]
    UnknownMetric {
        name: String,
        help: String,
        #[label("not a metric")]
        span: Span,
    },

    #[error("this can never decide anything: {reason}")]
    #[diagnostic(code(FAB0122), help("{help}"))]
    Nonsense {
        reason: String,
        help: String,
        #[label("{reason}")]
        span: Span,
    },

    #[error("`{metric}` is about faults, but the budget tolerates none")]
    #[diagnostic(code(FAB0123), help("write `budget {{ faults = {example}; }}`, or require `{plain}`"))]
    NoFaults {
        metric: String,
        plain: String,
        example: &'static str,
        #[label("needs `faults = {example}`")]
        span: Span,
        #[label("no faults here")]
        budget: Span,
    },

    #[error("{cubes} cubes, but no OCS to join them")]
    #[diagnostic(
        code(FAB0124),
        help(
            "add an `ocs` group, such as `ocs X[u in 0..{ay}, v in 0..{az}] {{ couple +x[u, v] with -x[u, v] over fiber; ports = {ports}; }}`"
        )
    )]
    NoOcs {
        cubes: u32,
        ay: u32,
        az: u32,
        ports: u32,
        #[label("no switch can join these cubes")]
        span: Span,
    },

    #[error("{subject} cannot be `{written}`")]
    #[diagnostic(code(FAB0126), help("{help}"))]
    UnknownChoice {
        subject: String,
        written: String,
        help: String,
        #[label("not a choice")]
        span: Span,
    },

    #[error("the constant `{name}` is defined by itself")]
    #[diagnostic(code(FAB0127), help("break the cycle: a `let` may use other constants, but not itself"))]
    CircularConstant {
        name: String,
        #[label("its own value is used here")]
        span: Span,
    },

    #[error("groups of {group} do not fit {endpoints}")]
    #[diagnostic(code(FAB0129), help("{help}"))]
    GroupSize {
        group: i64,
        endpoints: String,
        help: &'static str,
        #[label("{members} per group")]
        span: Span,
        members: &'static str,
    },

    #[error("{subject} has no traffic: every weight is 0")]
    #[diagnostic(
        code(FAB0130),
        help("give at least one pair a positive weight, or leave `demand` out: then it is uniform")
    )]
    NoDemand {
        subject: String,
        #[label("nothing to carry")]
        span: Span,
    },

    #[error("{subject} belongs to {wanted}, but this fabric is {plant}")]
    #[diagnostic(code(FAB0131), help("{help}"))]
    WrongPlant {
        subject: String,
        wanted: &'static str,
        plant: &'static str,
        help: String,
        #[label("only in {wanted}")]
        span: Span,
        #[label("this makes it {plant}")]
        other: Span,
    },

    #[error("no `{family}` has these parameters: {problem}")]
    #[diagnostic(code(FAB0132), help("{help}"))]
    NoSuchNetwork {
        family: &'static str,
        problem: String,
        help: String,
        #[label("not with this")]
        span: Span,
    },

    #[error("this does not fit on the floor: {problem}")]
    #[diagnostic(code(FAB0135), help("{help}"))]
    FloorMisfit {
        problem: String,
        help: String,
        #[label("not with this")]
        span: Span,
    },

    #[error("{problem}")]
    #[diagnostic(code(FAB0138), help("{help}"))]
    BadAddresses {
        problem: String,
        help: String,
        #[label("not with this")]
        span: Span,
    },

    #[error(transparent)]
    #[diagnostic(transparent)]
    File(#[from] FileError),

    #[error(transparent)]
    #[diagnostic(transparent)]
    Switch(#[from] SwitchError),

    #[error(transparent)]
    #[diagnostic(transparent)]
    Slice(#[from] SliceError),

    #[error(transparent)]
    #[diagnostic(transparent)]
    Job(#[from] JobError),

    #[error(transparent)]
    #[diagnostic(transparent)]
    JobFile(#[from] JobFileError),

    #[error(transparent)]
    #[diagnostic(transparent)]
    Bind(#[from] BindError),
}

impl ResolveError {
    /// The span of the first label.
    pub fn span(&self) -> Span {
        let label = self.labels().and_then(|mut labels| labels.next());
        label.map_or(Span::default(), |label| Span {
            start: label.offset() as u32,
            end: (label.offset() + label.len()) as u32,
        })
    }
}
