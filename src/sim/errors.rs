//! Errors of simulations: what cannot be simulated, and what goes wrong during a run. Codes FAB06nn.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error of the simulation.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
pub enum SimError {
    /// FAB0601: a packet is longer than any queue.
    #[error("a packet of {packet} flits does not fit a buffer of {buffer}")]
    #[diagnostic(
        code(FAB0601),
        help("a buffer holds whole packets: declare a larger one, or send shorter packets (`packet`)")
    )]
    PacketTooLong {
        /// The flits of the packet.
        packet: u32,
        /// The flits that a queue holds.
        buffer: u32,
        /// The declaration of the router.
        #[label("flits per virtual channel")]
        span: Span,
    },

    /// FAB0602: more virtual channels are needed than the routers have.
    #[error("{asked} need {needed} virtual channels, but the {router} has {has}")]
    #[diagnostic(code(FAB0602), help("declare more `vcs`, or ask for fewer (`general`, `classes`)"))]
    TooManyVcs {
        /// What needs them, in words.
        asked: String,
        /// The number that is needed.
        needed: u32,
        /// The word for a router, `chip` or `router`.
        router: &'static str,
        /// The number that there is.
        has: u32,
        /// The declaration of the router.
        #[label("declared here")]
        span: Span,
    },

    /// FAB0603: links in use have different bandwidths, which this model does not have.
    #[error("link `{name}` carries another bandwidth than `{other}`: {why}")]
    #[diagnostic(code(FAB0603), help("{help}"))]
    UnlikeLinks {
        /// The name of a link in use.
        name: String,
        /// The name of the fastest one.
        other: String,
        /// The reason why it is refused, in words.
        why: String,
        /// A hint at what can be simulated.
        help: String,
        /// The declaration of the first link.
        #[label("this one")]
        span: Span,
    },

    /// FAB0604: the latency of a link is zero, or longer than the wheel of events.
    #[error("link `{name}` takes {cycles} cycles")]
    #[diagnostic(code(FAB0604), help("a link takes at least one cycle, and with its router at most {most}"))]
    Latency {
        /// The name of a link in use.
        name: String,
        /// The latency of the link in cycles.
        cycles: u32,
        /// The longest latency allowed, in cycles.
        most: u32,
        /// The declaration of the link.
        #[label("declared here")]
        span: Span,
    },

    /// FAB0605: the rate is more than the packets that a host can begin.
    #[error(
        "a rate of {rate} is more than a packet of {packet} flits per cycle and port can offer: at most {most}"
    )]
    #[diagnostic(
        code(FAB0605),
        help("a host starts at most one packet per cycle: send longer packets (`packet`)")
    )]
    RateTooHigh {
        /// The rate that was requested.
        rate: String,
        /// The flits of a packet.
        packet: u32,
        /// The highest rate that is possible.
        most: String,
    },

    /// FAB0606: this fabric does not have such a traffic.
    #[error("{traffic} traffic is not possible here: {why}")]
    #[diagnostic(code(FAB0606), help("choose another `traffic`"))]
    NoTraffic {
        /// The name of the traffic.
        traffic: &'static str,
        /// The reason: what the fabric lacks.
        why: String,
    },

    /// FAB0607: a route does not arrive.
    #[error("{scenario}: packets from {src} to {dst} do not arrive: {why}")]
    #[diagnostic(
        code(FAB0607),
        help("these are not the tables of a build, or they were changed. `fabc verify` explains it")
    )]
    Astray {
        /// The name of the scenario.
        scenario: String,
        /// The router where it starts.
        src: String,
        /// The router where it should end.
        dst: String,
        /// What happens to the packets.
        why: String,
    },

    /// FAB0608: packets wait for each other for ever.
    #[error(
        "{scenario}: {at} nothing has moved since cycle {cycle}: {length} queues wait for each other in a cycle:\n{wait_cycle}"
    )]
    #[diagnostic(
        code(FAB0608),
        help(
            "the first packet of each queue needs room in the next queue. Tables that `fabc verify` accepts have no such cycle"
        )
    )]
    Deadlock {
        /// The name of the scenario.
        scenario: String,
        /// The rate or the traffic, in words.
        at: String,
        /// The last cycle in which something moved.
        cycle: u32,
        /// The number of queues in the cycle.
        length: usize,
        /// The cycle, with one line per queue.
        wait_cycle: String,
    },

    /// FAB0609: the run has more cycles than can be counted.
    #[error("`warmup` and `measure` take {warmup} + {measure} cycles, at most {most} together are supported")]
    #[diagnostic(code(FAB0609), help("lower `warmup` or `measure`"))]
    TooManyCycles {
        /// Cycles before anything is counted.
        warmup: u64,
        /// The cycles that would be counted.
        measure: u64,
        /// The limit on both together.
        most: u64,
    },

    /// FAB0620: this fabric does not have such a routing.
    #[error("`{routing}` routing is not possible here: {why}")]
    #[diagnostic(code(FAB0620), help("choose another `routing`"))]
    NoRouting {
        /// The name of the routing.
        routing: &'static str,
        /// The reason: what the fabric lacks.
        why: String,
        /// The place of the routing in the spec.
        #[label("the routing of the tables")]
        span: Span,
    },

    /// FAB0621: paths have more hops than there are virtual channels.
    #[error(
        "`{routing}` routing takes a virtual channel per hop: paths have up to {needed} hops, but the router has {has}"
    )]
    #[diagnostic(
        code(FAB0621),
        help("declare `vcs = {needed};` for the router, or follow the tables (`routing = tables`)")
    )]
    TooFewVcs {
        /// The name of the routing.
        routing: &'static str,
        /// The hops of the longest path.
        needed: u8,
        /// The virtual channels that there are.
        has: u8,
        /// The declaration of the router.
        #[label("declared here")]
        span: Span,
    },

    /// FAB0610: hosts are unlimited, but the model needs ports.
    #[error("hosts without a port limit exist only in the packet model")]
    #[diagnostic(
        code(FAB0610),
        help("in the flit model a host sends one flit per cycle and port: give a number (`hosts`)")
    )]
    UnlimitedHosts,

    /// FAB0611: a router takes no time, but flits wait behind its switch.
    #[error("the {router} takes 0 cycles")]
    #[diagnostic(
        code(FAB0611),
        help(
            "in the flit model a router takes at least one cycle: declare a `latency`, or choose `model = packet`"
        )
    )]
    TimelessRouter {
        /// The word for a router, `chip` or `router`.
        router: &'static str,
        /// The declaration of the router.
        #[label("declared here")]
        span: Span,
    },

    /// FAB0622: bursts cannot offer the rate.
    #[error("bursts of {length} cycles at {burst} cannot offer a rate of {rate}: at most {most}")]
    #[diagnostic(code(FAB0622), help("raise the rate of a burst (`rate`), or its length (`length`)"))]
    Bursts {
        /// The rate that was requested.
        rate: String,
        /// The cycles of a burst.
        length: u32,
        /// The rate during a burst.
        burst: String,
        /// The highest rate that is possible.
        most: String,
    },

    /// FAB0623: a setting does not belong to the rest of the request.
    #[error("`{setting}` has no effect on {about}")]
    #[diagnostic(code(FAB0623), help("{belongs}"))]
    Misplaced {
        /// The name of the option.
        setting: &'static str,
        /// What is requested, in words.
        about: String,
        /// Where the option belongs, in words.
        belongs: &'static str,
    },

    /// FAB0624: a line of a trace is no message of this fabric.
    #[error("{file}:{line}: {what}")]
    #[diagnostic(code(FAB0624), help("{help}"))]
    TraceLine {
        /// The path of the trace.
        file: String,
        /// The number of the line, from 1.
        line: u32,
        /// The problem of the line, in words.
        what: String,
        /// A hint at the right form.
        help: String,
    },

    /// FAB0625: a trace has no messages.
    #[error("{file} has no messages")]
    #[diagnostic(
        code(FAB0625),
        help("write a line per message: `cycle,src,dst,flits`, such as `120,0,17,64`")
    )]
    EmptyTrace {
        /// The path of the trace.
        file: String,
    },

    /// FAB0626: there are more messages than fit into memory.
    #[error("{messages} messages are too many: at most {most} are simulated")]
    #[diagnostic(code(FAB0626), help("an all-to-all has at most 4096 endpoints. Split a trace into several"))]
    TooManyMessages {
        /// The messages that would be sent.
        messages: u64,
        /// The most messages that are allowed.
        most: u64,
    },

    /// FAB0627: the traffic takes more cycles than are counted.
    #[error("this traffic takes at least {cycles} cycles, at most {most} are simulated")]
    #[diagnostic(code(FAB0627), help("send less (`bytes`)"))]
    Endless {
        /// A lower bound on its cycles.
        cycles: u64,
        /// The most cycles that are counted.
        most: u64,
    },

    /// FAB0628: hosts are unlimited, packets choose their paths, and the traffic ends.
    #[error("messages of hosts without a port limit can only follow the tables")]
    #[diagnostic(code(FAB0628), help("{help}"))]
    LimitlessMessages {
        /// The setting to change, with an example.
        help: &'static str,
    },

    /// FAB0629: routers of several kinds in a model that has one kind.
    #[error("{setting} has one kind of router, but {kinds}")]
    #[diagnostic(code(FAB0629), help("{help}"))]
    RouterKinds {
        /// The setting of the simulation that has one kind of router.
        setting: &'static str,
        /// The kinds that this fabric has.
        kinds: &'static str,
        /// A hint at what can be simulated.
        help: &'static str,
        /// The place of the topology in the spec.
        #[label("this network")]
        span: Span,
    },

    /// FAB0630: a search found a stable rate above the static bound.
    #[error("{scenario}: a rate of {rate} is stable, but the static bound is {bound}")]
    #[diagnostic(
        code(FAB0630),
        help("no rate above the static bound can be sustained: the search or the bound is wrong")
    )]
    AboveBound {
        /// The name of the scenario.
        scenario: String,
        /// The highest rate that the search found stable.
        rate: String,
        /// The static bound, in flits per cycle and sending endpoint.
        bound: String,
    },

    /// FAB0631: a window lets sources fill the queues.
    #[error(
        "a window of {window} packets fills the queues: {pipe} are on their way, and there is room for {room} per source"
    )]
    #[diagnostic(
        code(FAB0631),
        help(
            "at most {largest} are safe, since a fabric with half-full queues falls as it does without control. `control = window` alone takes {derived}"
        )
    )]
    WideWindow {
        /// The window that was requested, in packets.
        window: u64,
        /// The largest window that is accepted.
        largest: u64,
        /// The window by the rule.
        derived: u64,
        /// The packets of a source in flight at the static bound while nothing waits.
        pipe: u64,
        /// The packets that all queues have room for, per source.
        room: u64,
    },

    /// FAB0632: a control where packets choose their paths.
    #[error("`control` needs packets that follow the tables, but this simulation has `{routing}` routing")]
    #[diagnostic(
        code(FAB0632),
        help("remove `control`, or let packets follow the tables (`routing = tables`)")
    )]
    Uncontrolled {
        /// The name of the routing.
        routing: &'static str,
    },

    /// FAB0633: a mark that no queue reaches.
    #[error("no packet is marked at {mark} flits: a queue holds {buffer}")]
    #[diagnostic(
        code(FAB0633),
        help("a mark below {buffer} flits, such as a third of that, or none: that is the default")
    )]
    UnreachedMark {
        /// The flits from which on packets would be marked.
        mark: u32,
        /// The flits of a queue.
        buffer: u32,
    },

    /// FAB0612: the model does not have such a parameter.
    #[error("`{option}` belongs to the {of} model")]
    #[diagnostic(code(FAB0612), help("leave it out, or choose `model = {of}`"))]
    OtherModel {
        /// The parameter as it was requested.
        option: &'static str,
        /// The model that has the parameter.
        of: &'static str,
    },
}

/// An error of a `simulate` block of a spec. It points at the block if it has no place of its own.
#[derive(Debug, Error)]
#[error("{error}")]
pub struct BlockError {
    /// The error of the simulation.
    pub error: SimError,
    /// The place of the block in the spec.
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
    /// The exit code of the process: 3 where the fabric does not hold what it should.
    pub fn exit_code(&self) -> u8 {
        match self {
            SimError::Astray { .. } | SimError::Deadlock { .. } | SimError::AboveBound { .. } => 3,
            SimError::RateTooHigh { .. } | SimError::NoTraffic { .. } | SimError::TooManyCycles { .. } => 2,
            SimError::Bursts { .. } | SimError::Misplaced { .. } => 2,
            SimError::TraceLine { .. } | SimError::EmptyTrace { .. } | SimError::TooManyMessages { .. } => 2,
            SimError::Endless { .. } | SimError::LimitlessMessages { .. } => 2,
            SimError::UnlimitedHosts | SimError::OtherModel { .. } => 2,
            SimError::WideWindow { .. } | SimError::Uncontrolled { .. } | SimError::UnreachedMark { .. } => 2,
            _ => 1,
        }
    }
}
