//! From the words of the command line to a question.

use super::cost::{Channel, Derating};
use super::errors::EstimateError;
use super::quantity::{BANDWIDTH, SIZE, TIME, read};
use super::shape::Shape;
use super::sizes::sizes;
use super::table::{Over, Question, table};
use super::words::{Range, Word, number, unknown};
use fabc_base::diag::{Span, suggestion};
use fabc_base::limits::{ESTIMATED_AXES, ESTIMATED_CHIPS};
use fabc_model::Collective;

/// The words, each as it was given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arguments {
    /// The collective.
    pub kind: Option<Word>,
    /// Bytes of the vector of a chip.
    pub size: Option<Word>,
    /// Several of these.
    pub sizes: Option<Word>,
    /// The fabric.
    pub on: Option<Word>,
    /// Only this algorithm.
    pub algorithm: Option<Word>,
    /// Latency of a hop.
    pub alpha: Option<Word>,
    /// Overhead of a message.
    pub overhead: Option<Word>,
    /// Of a channel.
    pub bandwidth: Option<Word>,
    /// A profile, or two numbers.
    pub eta: Option<Word>,
    /// Links of a ring of two.
    pub links: Option<Word>,
    /// Of switches above switches.
    pub oversubscription: Option<Word>,
    /// Of an all-to-all.
    pub skew: Option<Word>,
    /// Latency of a switch that adds.
    pub in_switch: Option<Word>,
    /// What joins groups.
    pub over: Option<Word>,
    /// Its latency of a hop.
    pub outer_alpha: Option<Word>,
    /// Its overhead of a message.
    pub outer_overhead: Option<Word>,
    /// Its bandwidth of a channel.
    pub outer_bandwidth: Option<Word>,
    /// Its profile.
    pub outer_eta: Option<Word>,
    /// The end of the command line.
    pub end: Span,
}

/// What they ask.
#[derive(Clone, PartialEq, Debug)]
pub struct Ask {
    /// What is asked of every size.
    pub question: Question,
    /// Bytes, ascending.
    pub sizes: Vec<u64>,
    /// Whether a curve is asked for.
    pub curve: bool,
    /// How many times as much switches carry below as above.
    pub oversubscription: f64,
}

/// Picoseconds of a hop, unless it is told: what a message takes between accelerators of one rack, with its
/// software.
const ALPHA_PS: u64 = 500_000;

/// Bit/s of a channel, unless it is told.
const BANDWIDTH_BITS: u64 = 7_200_000_000_000;

/// What contention leaves, by kind of fabric: latency, bandwidth.
const PROFILES: [(&str, Derating); 4] = [
    ("crossbar", Derating { latency: 1.0, bandwidth: 0.80 }),
    ("in_network", Derating { latency: 1.0, bandwidth: 0.52 }),
    ("torus", Derating { latency: 1.2, bandwidth: 0.60 }),
    ("clos", Derating { latency: 1.0, bandwidth: 0.80 }),
];

const SKEW: Range = Range {
    what: "skew",
    holds: |value| (1.0..=1e6).contains(&value),
    why: "it is less than 1 or more than a million",
    hint: "the busiest channel carries so many times the mean: at least 1",
};
const OVERSUBSCRIPTION: Range = Range {
    what: "oversubscription",
    holds: |value| (1.0..=1e6).contains(&value),
    why: "it is less than 1 or more than a million",
    hint: "switches carry so many times as much below as above: at least 1",
};
const ETA_LATENCY: Range = Range {
    what: "profile",
    holds: |value| (1.0..=1e6).contains(&value),
    why: "the first number is less than 1 or more than a million",
    hint: "`1.2,0.6`: latencies are 1.2 times as long, and 60 % of the bandwidth is left",
};
const ETA_BANDWIDTH: Range = Range {
    what: "profile",
    holds: |value| (1e-6..=1.0).contains(&value),
    why: "the second number is less than a millionth or more than 1",
    hint: "`1.2,0.6`: latencies are 1.2 times as long, and 60 % of the bandwidth is left",
};

/// Everything that a question needs, or everything that is wrong, in the order of the command line.
///
/// # Errors
/// A word is missing, unknown, no quantity, out of its range, or says nothing about this fabric.
pub fn ask(arguments: &Arguments) -> Result<Ask, Vec<EstimateError>> {
    let mut wrong = Vec::new();
    let all = words(arguments, &mut wrong);
    wrong.sort_by_key(EstimateError::span);
    match all {
        Some(ask) if wrong.is_empty() => Ok(ask),
        _ => Err(wrong),
    }
}

fn words(arguments: &Arguments, wrong: &mut Vec<EstimateError>) -> Option<Ask> {
    let Arguments { end, .. } = *arguments;
    let missing = |what, hint: String| EstimateError::Missing { what, hint, span: end };
    let kind = keep(
        wrong,
        arguments
            .kind
            .as_ref()
            .map_or_else(|| Err(missing("which collective", format!("one of {}", names(&kinds())))), kind),
    );
    let sizes = match (&arguments.size, &arguments.sizes) {
        (Some(size), _) => read(size, &SIZE, false).map(|size| vec![size]),
        (None, Some(all)) => sizes(all),
        (None, None) => Err(missing(
            "how large the vector of a chip is",
            "say so: `--size 16MB`, or `--sizes 1KiB..4GiB` for a curve".to_owned(),
        )),
    };
    let sizes = keep(wrong, sizes);
    let twin = arguments.links.as_ref().map(|word| match word.text.as_str() {
        "double" => Ok(true),
        "single" => Ok(false),
        _ => Err(unknown(word, "number of links", ["single", "double"])),
    });
    let twin = twin.and_then(|twin| keep(wrong, twin));
    let of = |word: Option<&Word>| word.map(|word| shape(word, twin.unwrap_or(true)));
    let on = of(arguments.on.as_ref()).unwrap_or_else(|| {
        Err(missing("on which fabric", "say so: `--on torus:8x8x8` or `--on star:64`".to_owned()))
    });
    let on = keep(wrong, on);
    let outer = of(arguments.over.as_ref()).and_then(|outer| keep(wrong, outer));

    let usual = Channel {
        latency_ns: ALPHA_PS as f64 / 1e3,
        overhead_ns: 0.0,
        bandwidth: BANDWIDTH_BITS as f64 / 8e9,
        derating: Derating::NONE,
    };
    let inner_words = [&arguments.alpha, &arguments.overhead, &arguments.bandwidth, &arguments.eta];
    let mut channel = channel(inner_words, usual, wrong);
    let outer_words =
        [&arguments.outer_alpha, &arguments.outer_overhead, &arguments.outer_bandwidth, &arguments.outer_eta];
    let mut outer_channel =
        self::channel(outer_words, Channel { derating: Derating::NONE, ..channel }, wrong);
    let oversubscription = plain(&arguments.oversubscription, &OVERSUBSCRIPTION, wrong);
    let skew = plain(&arguments.skew, &SKEW, wrong);
    let switch_ns = arguments
        .in_switch
        .as_ref()
        .and_then(|word| keep(wrong, read(word, &TIME, true)))
        .map(|ps| ps as f64 / 1e3);
    let (kind, sizes, shape) = (kind?, sizes?, on?);
    wrong.extend(elsewhere(arguments, kind, &shape));

    // Above the oversubscribed switches no more is left than this.
    let above = if arguments.over.is_some() { &mut outer_channel } else { &mut channel };
    above.derating.bandwidth = above.derating.bandwidth.min(1.0 / oversubscription);
    let over = outer.map(|shape| Over { shape, channel: outer_channel });
    let chips = over.as_ref().map_or(1, |over| over.shape.chips()).saturating_mul(shape.chips());
    if let (true, Some(word)) = (chips > ESTIMATED_CHIPS, &arguments.over) {
        let why = format!("groups of {} make {chips} chips, more than {ESTIMATED_CHIPS}", shape.chips());
        wrong.push(EstimateError::Shape {
            text: word.text.clone(),
            why,
            hint: "take fewer groups, or smaller ones".to_owned(),
            span: word.span,
        });
    }
    let algorithm = arguments.algorithm.as_ref().map(|word| word.text.clone());
    let question = Question { kind, shape, channel, over, switch_ns, skew, algorithm };
    if let Some(word) = arguments.algorithm.as_ref().filter(|_| table(&question).rows.is_empty()) {
        wrong.push(no_algorithm(word, &question));
    }
    Some(Ask { question, sizes, curve: arguments.sizes.is_some(), oversubscription })
}

fn keep<T>(wrong: &mut Vec<EstimateError>, result: Result<T, EstimateError>) -> Option<T> {
    result.map_err(|error| wrong.push(error)).ok()
}

/// The collectives, those that are asked for most first.
const KINDS: [Collective; 6] = [
    Collective::AllReduce,
    Collective::AllGather,
    Collective::ReduceScatter,
    Collective::AllToAll,
    Collective::Broadcast,
    Collective::Reduce,
];

fn kinds() -> [&'static str; 6] {
    KINDS.map(Collective::name)
}

fn names(all: &[&str]) -> String {
    all.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn kind(word: &Word) -> Result<Collective, EstimateError> {
    KINDS
        .into_iter()
        .find(|kind| kind.name() == word.text)
        .ok_or_else(|| unknown(word, "collective", kinds()))
}

/// A plain number that is 1 unless it is given.
fn plain(word: &Option<Word>, range: &Range, wrong: &mut Vec<EstimateError>) -> f64 {
    word.as_ref().and_then(|word| keep(wrong, number(word, range))).unwrap_or(1.0)
}

/// Latency, overhead, bandwidth, profile.
fn channel(words: [&Option<Word>; 4], usual: Channel, wrong: &mut Vec<EstimateError>) -> Channel {
    let [alpha, overhead, bandwidth, eta] = words;
    let mut told = |word: &Option<Word>, measure, or_zero| {
        word.as_ref().and_then(|word| keep(wrong, read(word, measure, or_zero)))
    };
    let latency_ns = told(alpha, &TIME, true).map_or(usual.latency_ns, |ps| ps as f64 / 1e3);
    let overhead_ns = told(overhead, &TIME, true).map_or(usual.overhead_ns, |ps| ps as f64 / 1e3);
    let bandwidth = told(bandwidth, &BANDWIDTH, false).map_or(usual.bandwidth, |bits| bits as f64 / 8e9);
    let derating = eta.as_ref().and_then(|word| keep(wrong, derating(word))).unwrap_or(usual.derating);
    Channel { latency_ns, overhead_ns, bandwidth, derating }
}

fn derating(word: &Word) -> Result<Derating, EstimateError> {
    if let Some((latency, bandwidth)) = word.text.split_once(',') {
        let latency = number(&word.part(latency), &ETA_LATENCY)?;
        return Ok(Derating { latency, bandwidth: number(&word.part(bandwidth), &ETA_BANDWIDTH)? });
    }
    let found = PROFILES.iter().find(|(name, _)| *name == word.text);
    found
        .map(|(_, derating)| *derating)
        .ok_or_else(|| unknown(word, "profile of contention", PROFILES.map(|(name, _)| name)))
}

/// `torus:8x8x8`.
fn shape(word: &Word, twin: bool) -> Result<Shape, EstimateError> {
    let (name, numbers) =
        word.text.split_once(':').map_or((word.text.as_str(), None), |(name, numbers)| (name, Some(numbers)));
    let family = Shape::FAMILIES
        .into_iter()
        .find(|family| *family == name)
        .ok_or_else(|| unknown(&word.part(name), "shape", Shape::FAMILIES))?;
    let (example, wanted) = match family {
        "torus" | "mesh" => ("8x8x8", None),
        "dragonfly" => ("8x4", Some(2)),
        _ => ("64", Some(1)),
    };
    let usual = match family {
        "dragonfly" => {
            "write `dragonfly:8x4` for groups of 8 chips with 4 links each to other groups".to_owned()
        }
        _ => format!("write `{family}:{example}`"),
    };
    let error = |why: String, part: &str| {
        let span = if part.is_empty() { word.span } else { word.part(part).span };
        EstimateError::Shape { text: word.text.clone(), why, hint: usual.clone(), span }
    };
    let Some(numbers) = numbers else { return Err(error("it has no numbers".to_owned(), "")) };
    let mut sides = Vec::new();
    for part in numbers.split('x') {
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            let why = if part.starts_with('-') {
                format!("`{part}` is negative")
            } else {
                format!("`{part}` is no number")
            };
            return Err(error(why, part));
        }
        let side = part.parse().unwrap_or(u64::MAX);
        if side == 0 {
            return Err(error("nothing has 0 chips".to_owned(), part));
        }
        if side > ESTIMATED_CHIPS {
            return Err(error(format!("more than {ESTIMATED_CHIPS} chips"), part));
        }
        sides.push(side);
    }
    if wanted.is_some_and(|wanted| wanted != sides.len()) || sides.len() > ESTIMATED_AXES {
        let most = wanted.map_or(format!("at most {ESTIMATED_AXES}"), |wanted: usize| wanted.to_string());
        return Err(error(format!("it has {} numbers and takes {most}", sides.len()), numbers));
    }
    let chips = match sides[..] {
        [group, globals] if family == "dragonfly" => {
            group.checked_mul(globals).and_then(|links| (links + 1).checked_mul(group))
        }
        _ => sides.iter().try_fold(1u64, |chips, &side| chips.checked_mul(side)),
    };
    match chips {
        Some(1) => return Err(error("a chip alone has nobody to talk to".to_owned(), numbers)),
        Some(chips) if chips <= ESTIMATED_CHIPS => {}
        _ => return Err(error(format!("more than {ESTIMATED_CHIPS} chips"), numbers)),
    }
    let chips = sides[0];
    Ok(match family {
        "torus" => Shape::Torus { sides, twin },
        "mesh" => Shape::Mesh { sides },
        "full_mesh" => Shape::FullMesh { chips },
        "leaf_spine" => Shape::LeafSpine { chips },
        "fat_tree" => Shape::FatTree { chips },
        "dragonfly" if chips == 1 => {
            return Err(error("a group of one chip is no group".to_owned(), numbers));
        }
        "dragonfly" => Shape::Dragonfly { group: chips, globals: sides[1] },
        _ => Shape::Star { chips },
    })
}

/// Options that this question has nothing to do with.
fn elsewhere(arguments: &Arguments, kind: Collective, shape: &Shape) -> Vec<EstimateError> {
    let Arguments { in_switch, skew, oversubscription, links, over, .. } = arguments;
    let torus = |word: &Option<Word>| word.as_ref().is_some_and(|word| word.text.starts_with("torus:"));
    let inside_two = "a switch sums for the chips that hang on it: ask about the groups alone";
    let checks: [(&'static str, &Option<Word>, bool, String, &'static str); 5] = [
        ("--in-switch", in_switch, over.is_none(), "groups of groups".to_owned(), inside_two),
        (
            "--in-switch",
            in_switch,
            shape.is_switched(),
            format!("a {}", shape.family()),
            "chips are joined directly there, and no switch can add: `--on star:64` has one",
        ),
        (
            "--skew",
            skew,
            kind == Collective::AllToAll,
            kind.name().to_owned(),
            "only an `all_to_all` can send unlike amounts",
        ),
        (
            "--oversubscription",
            oversubscription,
            over.is_some() || shape.has_tiers(),
            format!("a {}", shape.family()),
            "it is about switches above switches: `--on leaf_spine:64`, or `--over`",
        ),
        (
            "--links",
            links,
            torus(&arguments.on) || torus(over),
            format!("a {}", shape.family()),
            "it is about the rings of two chips of a `torus`",
        ),
    ];
    let mut wrong: Vec<EstimateError> = Vec::new();
    for (option, word, fits, about, hint) in checks {
        if let (Some(word), false) = (word, fits) {
            wrong.push(EstimateError::NotHere { option, about, hint, span: word.span });
        }
    }
    wrong
}

fn no_algorithm(word: &Word, question: &Question) -> EstimateError {
    let all = table(&Question { algorithm: None, ..question.clone() });
    let names: Vec<&str> = all.rows.iter().map(|row| row.name.as_str()).collect();
    let hint = match &names[..] {
        [] => format!("a {} has bounds only", question.shape.family()),
        known => suggestion(&word.text, known.iter().copied()).unwrap_or_default(),
    };
    EstimateError::Unknown {
        what: format!("algorithm of {}", question.kind.name()),
        name: word.text.clone(),
        hint,
        span: word.span,
    }
}
