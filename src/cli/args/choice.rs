//! Options that take one of a few words, where the type belongs to another crate.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::TablesForm;
use fabc_pipeline::show::MessageFormat;
use fabc_sim::{Arbitration, Credits, Model, Order, Routing, Score, Shortest, Traffic};

/// A value that the command line gives by its word.
pub(crate) trait Choice: Copy + Send + Sync + 'static {
    /// All of them, in the order in which help lists them.
    const CHOICES: &'static [Self];

    /// The word.
    fn word(self) -> &'static str;

    /// A line of help.
    fn help(self) -> &'static str;

    /// The value of a word.
    fn of_word(word: &str) -> Option<Self> {
        Self::CHOICES.iter().copied().find(|choice| choice.word() == word)
    }
}

/// Parses the word of a choice, and lists all words in help and errors.
pub(crate) fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let words = T::CHOICES.iter().map(|choice| PossibleValue::new(choice.word()).help(choice.help()));
    PossibleValuesParser::new(words).try_map(|word| T::of_word(&word).ok_or("no such word"))
}

impl Choice for MessageFormat {
    const CHOICES: &'static [Self] = &[Self::Human, Self::Short, Self::Json, Self::Sarif, Self::Github];

    fn word(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Short => "short",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Github => "github",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Human => "With the lines they are about",
            Self::Short => "One line each",
            Self::Json => "One JSON object per line, fabc.message/1",
            Self::Sarif => "One SARIF 2.1.0 log, when all is done",
            Self::Github => "Commands of a GitHub workflow, which mark lines of the change",
        }
    }
}

impl Choice for TablesForm {
    const CHOICES: &'static [Self] = &[Self::Auto, Self::Json, Self::Binary];

    fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Json => "json",
            Self::Binary => "binary",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Auto => "Whichever fits their size",
            Self::Json => "fabc.tables/1",
            Self::Binary => "fabc.tables.bin/1, about a byte per entry",
        }
    }
}

/// Types that name their values themselves.
macro_rules! named_choices {
    ($($kind:ty: $help:expr;)*) => {$(
        impl Choice for $kind {
            const CHOICES: &'static [Self] = &Self::ALL;

            fn word(self) -> &'static str {
                self.name()
            }

            fn help(self) -> &'static str {
                let help: fn(Self) -> &'static str = $help;
                help(self)
            }
        }
    )*};
}

named_choices! {
    Stage: |value| match value {
        Stage::Parse => "Syntax",
        Stage::Resolve => "Names, units, defaults",
        Stage::Synthesize => "Topology and cross-connects",
        Stage::Analyze => "Distances and flow",
        Stage::Route => "Routes and tables of every scenario",
        Stage::Check => "Proofs",
        Stage::Emit => "Artifacts",
    };
    Model: |value| match value {
        Model::Packet => "Whole packets, cut through",
        Model::Flit => "Flit by flit, through allocated virtual channels",
    };
    Arbitration: |value| match value {
        Arbitration::Age => "The oldest packet",
        Arbitration::Rotate => "The queue that was served longest ago",
    };
    Credits: |value| match value {
        Credits::AtOnce => "At once",
        Credits::Link => "After the latency of the link",
    };
    Traffic: |value| match value {
        Traffic::Uniform => "To any other, all alike",
        Traffic::Permutation => "Every router to another, by a random permutation",
        Traffic::EndpointPermutation => "Every endpoint to another, by a random permutation",
        Traffic::BitComplement => "All bits of the number turned",
        Traffic::BitReverse => "The bits in reverse order",
        Traffic::BitShuffle => "The bits rotated by one",
        Traffic::Transpose => "The halves of the bits exchanged",
        Traffic::Tornado => "Nearly half of the way round, along every axis of a grid",
        Traffic::Neighbour => "One step up, along every axis of a grid",
        Traffic::Adjacent => "To the routers that a channel leads to, all alike",
        Traffic::Hotspot => "A share to some endpoints (`--hotspot`, `--share`), else to any other",
        Traffic::GroupShift => "To the group so many on (`--by`), all of its endpoints alike",
        Traffic::Adversarial => "Every group to one of the farthest, every router to one of the farthest there",
        Traffic::Demand => "As the spec demands; the largest sender offers the rate",
        Traffic::AllToAll => "A message from each to each other (`--bytes`), and then no more",
        Traffic::Trace => "The messages of a file (`--trace`), and then no more",
    };
    Order: |value| match value {
        Order::Shift => "One after the other, to s + 1, s + 2 and so on",
        Order::Barrier => "The same; all begin one when all have arrived that come before",
        Order::Turns => "A packet of each in turn, in an order drawn for every source",
    };
    Routing: |value| match value {
        Routing::Tables => "By the forwarding tables",
        Routing::Min => "At every hop any channel that leads nearer",
        Routing::MinFirst => "To the nearer router of the lowest number",
        Routing::Family => "As the family prescribes: dragonflies, and tables of `routing = algebraic`",
        Routing::Valiant => "To a random router, and from there on",
        Routing::Ugal => "The shortest way or a longer one, by the queue of the first channel",
        Routing::UgalGlobal => "The same by the queues of all channels on the way",
    };
    Shortest: |value| match value {
        Shortest::Random => "At every hop any channel that leads nearer",
        Shortest::First => "To the nearer router of the lowest number",
        Shortest::Family => "As the family prescribes",
    };
    Score: |value| match value {
        Score::Product => "Hops x (flits booked + flits of the packet), the least",
        Score::Booksim => "The shortest way unless it has more than twice the flits and the bias booked",
    };
}
