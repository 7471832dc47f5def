//! What cannot be simulated, and what goes wrong on the way. Codes FAB06nn.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error of the simulation.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
pub enum SimError {
    /// A packet that is longer than any queue.
    #[error("a packet of {packet} flits does not fit a buffer of {buffer}")]
    #[diagnostic(
        code(FAB0601),
        help("whole packets wait in one buffer: declare a larger one, or send shorter packets (`packet`)")
    )]
    PacketTooLong {
        /// Its flits.
        packet: u32,
        /// Flits of a queue.
        buffer: u32,
        /// The router.
        #[label("so many flits per virtual channel")]
        span: Span,
    },

    /// More virtual channels than the routers have.
    #[error("{asked} need {needed} virtual channels, but the {router} has {has}")]
    #[diagnostic(code(FAB0602), help("declare more `vcs`, or ask for fewer (`general`, `classes`)"))]
    TooManyVcs {
        /// What was asked for.
        asked: String,
        /// How many that is.
        needed: u32,
        /// `chip` or `router`.
        router: &'static str,
        /// How many there are.
        has: u32,
        /// The router.
        #[label("declared here")]
        span: Span,
    },

    /// Links that do not carry alike.
    #[error("link `{name}` carries another bandwidth than `{other}`")]
    #[diagnostic(
        code(FAB0603),
        help("in this model every channel moves one flit per cycle: all links in use must carry the same")
    )]
    UnlikeLinks {
        /// A link in use.
        name: String,
        /// Another one.
        other: String,
        /// Where the first is declared.
        #[label("this one")]
        span: Span,
    },

    /// A link of no latency, or of one that no wheel of events holds.
    #[error("link `{name}` takes {cycles} cycles")]
    #[diagnostic(code(FAB0604), help("a link takes at least one cycle, and with its router at most {most}"))]
    Latency {
        /// A link in use.
        name: String,
        /// Its latency.
        cycles: u32,
        /// The longest one.
        most: u32,
        /// Where it is declared.
        #[label("declared here")]
        span: Span,
    },

    /// More packets than a host can begin.
    #[error(
        "a rate of {rate} is more than a packet of {packet} flits per cycle and port can offer: at most {most}"
    )]
    #[diagnostic(
        code(FAB0605),
        help("hosts begin at most one packet per cycle; send longer packets (`packet`)")
    )]
    RateTooHigh {
        /// As asked.
        rate: String,
        /// Flits of a packet.
        packet: u32,
        /// The highest rate.
        most: String,
    },

    /// A traffic that this fabric does not have.
    #[error("there is no {traffic} traffic here: {why}")]
    #[diagnostic(code(FAB0606), help("choose another `traffic`"))]
    NoTraffic {
        /// Its name.
        traffic: &'static str,
        /// What is missing.
        why: String,
    },

    /// A route that does not arrive.
    #[error("{scenario}: packets from {src} to {dst} do not arrive: {why}")]
    #[diagnostic(
        code(FAB0607),
        help("these are not the tables of a build, or they were changed: `fabc verify` says more")
    )]
    Astray {
        /// The scenario.
        scenario: String,
        /// Where it starts.
        src: String,
        /// Where it should end.
        dst: String,
        /// What happens.
        why: String,
    },

    /// Packets that wait for each other for ever.
    #[error(
        "{scenario}: {at} nothing has moved since cycle {cycle}: {length} queues wait for each other in a circle:\n{circle}"
    )]
    #[diagnostic(
        code(FAB0608),
        help(
            "the first packet of each queue needs room in the next: tables that `fabc verify` accepts have no such circle"
        )
    )]
    Deadlock {
        /// The scenario.
        scenario: String,
        /// The rate, or the traffic.
        at: String,
        /// The last cycle in which something moved.
        cycle: u32,
        /// Queues of the circle.
        length: usize,
        /// One line per queue.
        circle: String,
    },

    /// A run whose cycles cannot be counted.
    #[error("{warmup} cycles to warm up and {measure} to measure are more than {most} together")]
    #[diagnostic(code(FAB0609), help("give fewer (`warmup`, `measure`)"))]
    TooManyCycles {
        /// Before anything is counted.
        warmup: u64,
        /// That are counted.
        measure: u64,
        /// The limit.
        most: u64,
    },

    /// A routing that this fabric does not have.
    #[error("there is no `{routing}` routing here: {why}")]
    #[diagnostic(code(FAB0620), help("choose another `routing`"))]
    NoRouting {
        /// Its name.
        routing: &'static str,
        /// What is missing.
        why: String,
        /// Where `routing = ..` stands.
        #[label("what the tables are made by")]
        span: Span,
    },

    /// Ways of more hops than there are virtual channels.
    #[error(
        "`{routing}` routing takes a virtual channel per hop: ways have up to {needed} hops, and the router has {has}"
    )]
    #[diagnostic(
        code(FAB0621),
        help("declare `vcs = {needed};` for the router, or go by the tables (`routing = tables`)")
    )]
    TooFewVcs {
        /// The routing.
        routing: &'static str,
        /// Hops of the longest way.
        needed: u8,
        /// Virtual channels.
        has: u8,
        /// The router.
        #[label("declared here")]
        span: Span,
    },

    /// Hosts without ports, in a model whose hosts hand over flit by flit.
    #[error("hosts without limit are of the packet model")]
    #[diagnostic(
        code(FAB0610),
        help(
            "in the flit model a host hands its router one flit per cycle and port: give a number (`hosts`)"
        )
    )]
    UnlimitedHosts,

    /// A router that takes no time, in a model whose flits wait behind the switch.
    #[error("the {router} takes 0 cycles")]
    #[diagnostic(
        code(FAB0611),
        help(
            "in the flit model a router takes at least one cycle: declare a `latency`, or choose `model = packet`"
        )
    )]
    TimelessRouter {
        /// `chip` or `router`.
        router: &'static str,
        /// Where it is declared.
        #[label("declared here")]
        span: Span,
    },

    /// Bursts that cannot offer what is asked for.
    #[error("a rate of {rate} does not come in bursts of {length} cycles at {burst}: at most {most}")]
    #[diagnostic(code(FAB0622), help("offer more while on (`rate`), or let bursts be longer (`length`)"))]
    Bursts {
        /// As asked.
        rate: String,
        /// Cycles of a burst.
        length: u32,
        /// While on.
        burst: String,
        /// The highest rate.
        most: String,
    },

    /// A setting that says nothing about what is asked for.
    #[error("`{setting}` says nothing about {about}")]
    #[diagnostic(code(FAB0623), help("{belongs}"))]
    Misplaced {
        /// The option.
        setting: &'static str,
        /// What is asked for.
        about: String,
        /// What it belongs to.
        belongs: &'static str,
    },

    /// A line of a trace that is no message, or none of this fabric.
    #[error("{file}:{line}: {what}")]
    #[diagnostic(code(FAB0624), help("{help}"))]
    TraceLine {
        /// As it was called.
        file: String,
        /// From 1 on.
        line: u32,
        /// What is wrong.
        what: String,
        /// What would be right.
        help: String,
    },

    /// A trace without messages.
    #[error("{file}: there is no message in it")]
    #[diagnostic(
        code(FAB0625),
        help("write a line per message: `cycle,src,dst,flits`, such as `120,0,17,64`")
    )]
    EmptyTrace {
        /// As it was called.
        file: String,
    },

    /// More messages than fit in memory.
    #[error("{messages} messages are more than {most}")]
    #[diagnostic(code(FAB0626), help("all to all is of at most 4096 endpoints; cut a trace in pieces"))]
    TooManyMessages {
        /// That would be sent.
        messages: u64,
        /// The limit.
        most: u64,
    },

    /// Traffic that takes more cycles than are counted.
    #[error("this takes at least {cycles} cycles, and {most} are counted at most")]
    #[diagnostic(code(FAB0627), help("send less (`bytes`)"))]
    Endless {
        /// What it takes at least.
        cycles: u64,
        /// The limit.
        most: u64,
    },

    /// Hosts without ports whose packets choose their ways, of traffic that ends.
    #[error("messages that wait in line at hosts without limit go by the tables")]
    #[diagnostic(
        code(FAB0628),
        help("give hosts ports (`hosts = 1`), or go by the tables (`routing = tables`)")
    )]
    LimitlessMessages,

    /// A parameter that the model does not have.
    #[error("`{option}` is of the {of} model")]
    #[diagnostic(code(FAB0612), help("leave it out, or choose `model = {of}`"))]
    OtherModel {
        /// As it is asked for.
        option: &'static str,
        /// The model that has it.
        of: &'static str,
    },
}

/// An error of a `simulate` block of a spec: where it points at nothing of its own, at the block.
#[derive(Debug, Error)]
#[error("{error}")]
pub struct BlockError {
    /// What is wrong.
    pub error: SimError,
    /// `simulate name`.
    pub span: Span,
}

impl Diagnostic for BlockError {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.error.code()
    }
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.error.help()
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let block = || miette::LabeledSpan::at(self.span, "of this simulation");
        let mut labels: Vec<miette::LabeledSpan> = self.error.labels().into_iter().flatten().collect();
        if labels.is_empty() {
            labels.push(block());
        }
        Some(Box::new(labels.into_iter()))
    }
}

impl SimError {
    /// The process exit code: 3 where the fabric does not hold what it should.
    pub fn exit_code(&self) -> u8 {
        match self {
            SimError::Astray { .. } | SimError::Deadlock { .. } => 3,
            SimError::RateTooHigh { .. } | SimError::NoTraffic { .. } | SimError::TooManyCycles { .. } => 2,
            SimError::Bursts { .. } | SimError::Misplaced { .. } => 2,
            SimError::TraceLine { .. } | SimError::EmptyTrace { .. } | SimError::TooManyMessages { .. } => 2,
            SimError::Endless { .. } | SimError::LimitlessMessages => 2,
            SimError::UnlimitedHosts | SimError::OtherModel { .. } => 2,
            _ => 1,
        }
    }
}
