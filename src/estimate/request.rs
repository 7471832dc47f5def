//! Parses the words of a command line into an estimate request.

use super::cost::{Channel, Derating};
use super::errors::EstimateError;
use super::quantity::{BANDWIDTH, SIZE, TIME, parse_quantity};
use super::shape::FabricShape;
use super::sizes::parse_size_list;
use super::table::{OuterFabric, Question, estimate_table};
use super::words::{CommandWord, NumberRange, parse_number, unknown_word};
use fabc_base::diag::{Span, suggestion};
use fabc_base::limits::{ESTIMATED_AXES, ESTIMATED_CHIPS};
use fabc_model::Collective;

/// The words of the command line, each as it was given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arguments {
    /// Kind of the collective, such as `all_reduce`.
    pub kind: Option<CommandWord>,
    /// Bytes of the vector of a chip.
    pub size: Option<CommandWord>,
    /// Several sizes, for a curve.
    pub sizes: Option<CommandWord>,
    /// Shape of the fabric, such as `torus:8x8x8`.
    pub on: Option<CommandWord>,
    /// Name of the only algorithm to show.
    pub algorithm: Option<CommandWord>,
    /// Latency of a hop, with its unit. Or one for every axis, separated by commas.
    pub alpha: Option<CommandWord>,
    /// Overhead of a message, with its unit.
    pub overhead: Option<CommandWord>,
    /// Bandwidth of a channel, with its unit.
    pub bandwidth: Option<CommandWord>,
    /// Contention: a profile, or two numbers.
    pub eta: Option<CommandWord>,
    /// Links between the two chips of a ring of two.
    pub links: Option<CommandWord>,
    /// Oversubscription of the switches above the leaves.
    pub oversubscription: Option<CommandWord>,
    /// Load of the busiest channel of an all-to-all, divided by the mean.
    pub skew: Option<CommandWord>,
    /// Latency of a switch that adds.
    pub in_switch: Option<CommandWord>,
    /// Shape of the fabric that links groups.
    pub over: Option<CommandWord>,
    /// Latency of a hop between groups, in the same form.
    pub outer_alpha: Option<CommandWord>,
    /// Overhead of a message between groups.
    pub outer_overhead: Option<CommandWord>,
    /// Bandwidth of a channel between groups.
    pub outer_bandwidth: Option<CommandWord>,
    /// Contention between groups: a profile, or two numbers.
    pub outer_eta: Option<CommandWord>,
    /// Latency of a switch between groups that adds.
    pub outer_in_switch: Option<CommandWord>,
    /// The end of the command line.
    pub end: Span,
}

/// A parsed request for an estimate.
#[derive(Clone, PartialEq, Debug)]
pub struct EstimateRequest {
    /// The question, the same for every size.
    pub question: Question,
    /// Sizes in bytes, in ascending order.
    pub sizes: Vec<u64>,
    /// Whether a curve is requested.
    pub curve: bool,
    /// Traffic that switches carry below, divided by what they carry above.
    pub oversubscription: f64,
}

/// Default latency of a hop in picoseconds. It is that of a message between accelerators of one rack, with
/// its software.
const ALPHA_PS: u64 = 500_000;

/// Default bandwidth of a channel in bit/s.
const BANDWIDTH_BITS: u64 = 7_200_000_000_000;

/// Contention profiles by kind of fabric.
const PROFILES: [(&str, Derating); 4] = [
    ("crossbar", Derating { latency: 1.0, bandwidth: 0.80 }),
    ("in_network", Derating { latency: 1.0, bandwidth: 0.52 }),
    ("torus", Derating { latency: 1.2, bandwidth: 0.60 }),
    ("clos", Derating { latency: 1.0, bandwidth: 0.80 }),
];

const SKEW: NumberRange = NumberRange {
    what: "skew",
    holds: |value| (1.0..=1e6).contains(&value),
    why: "it is less than 1 or more than a million",
    hint: "it is the load of the busiest channel over the mean load, so at least 1",
};
const OVERSUBSCRIPTION: NumberRange = NumberRange {
    what: "oversubscription",
    holds: |value| (1.0..=1e6).contains(&value),
    why: "it is less than 1 or more than a million",
    hint: "it is the bandwidth below a switch over that above it, so at least 1",
};
const ETA_LATENCY: NumberRange = NumberRange {
    what: "profile",
    holds: |value| (1.0..=1e6).contains(&value),
    why: "the first number is less than 1 or more than a million",
    hint: "`1.2,0.6` means latencies 1.2 times as long, and 60 % of the bandwidth",
};
const ETA_BANDWIDTH: NumberRange = NumberRange {
    what: "profile",
    holds: |value| (1e-6..=1.0).contains(&value),
    why: "the second number is less than a millionth or more than 1",
    hint: "`1.2,0.6` means latencies 1.2 times as long, and 60 % of the bandwidth",
};

/// Parses everything that a question needs, or reports all errors in the order of the command line.
///
/// # Errors
/// An [`EstimateError`] for each word that is missing, unknown, not a quantity, out of its range, or not
/// applicable to this fabric.
pub fn parse_request(arguments: &Arguments) -> Result<EstimateRequest, Vec<EstimateError>> {
    let mut errors = Vec::new();
    let request = request_from_words(arguments, &mut errors);
    errors.sort_by_key(EstimateError::span);
    match request {
        Some(request) if errors.is_empty() => Ok(request),
        _ => Err(errors),
    }
}

fn request_from_words(arguments: &Arguments, errors: &mut Vec<EstimateError>) -> Option<EstimateRequest> {
    let Arguments { end, .. } = *arguments;
    let missing = |what, hint: String| EstimateError::Missing { what, hint, span: end };
    let kind = record_error(
        errors,
        arguments.kind.as_ref().map_or_else(
            || Err(missing("the collective", format!("one of {}", quoted_names(&kinds())))),
            parse_kind,
        ),
    );
    let sizes = match (&arguments.size, &arguments.sizes) {
        (Some(size), _) => parse_quantity(size, &SIZE, false).map(|size| vec![size]),
        (None, Some(list)) => parse_size_list(list),
        (None, None) => Err(missing(
            "the size of the vector of a chip",
            "add `--size 16MB`, or `--sizes 1KiB..4GiB` for a curve".to_owned(),
        )),
    };
    let sizes = record_error(errors, sizes);
    let twin = arguments.links.as_ref().map(|word| match word.text.as_str() {
        "double" => Ok(true),
        "single" => Ok(false),
        _ => Err(unknown_word(word, "number of links", ["single", "double"])),
    });
    let twin = twin.and_then(|twin| record_error(errors, twin));
    let parse_fabric = |word: Option<&CommandWord>| word.map(|word| parse_shape(word, twin.unwrap_or(true)));
    let fabric = parse_fabric(arguments.on.as_ref())
        .unwrap_or_else(|| Err(missing("the fabric", "add `--on torus:8x8x8` or `--on star:64`".to_owned())));
    let fabric = record_error(errors, fabric);
    let outer_shape =
        parse_fabric(arguments.over.as_ref()).and_then(|outer_shape| record_error(errors, outer_shape));

    let [inner, outer_words] = parse_channels(arguments, errors);
    let (mut channel, latencies_ns) = (inner.channel, inner.latencies_ns);
    let (mut outer_channel, outer_latencies_ns) = (outer_words.channel, outer_words.latencies_ns);
    let oversubscription = parse_factor(&arguments.oversubscription, &OVERSUBSCRIPTION, errors);
    let skew = parse_factor(&arguments.skew, &SKEW, errors);
    let mut parse_switch = |word: &Option<CommandWord>| {
        let time = word.as_ref().and_then(|word| record_error(errors, parse_quantity(word, &TIME, true)));
        time.map(|ps| ps as f64 / 1e3)
    };
    let switch_ns = parse_switch(&arguments.in_switch);
    let outer_switch_ns = parse_switch(&arguments.outer_in_switch);
    let (kind, sizes, shape) = (kind?, sizes?, fabric?);
    errors.extend(misplaced_options(arguments, kind, &shape, outer_shape.as_ref()));
    errors.extend(unfit_latencies(&arguments.alpha, &latencies_ns, &shape));
    errors.extend(
        outer_shape
            .as_ref()
            .and_then(|shape| unfit_latencies(&arguments.outer_alpha, &outer_latencies_ns, shape)),
    );

    // Above the oversubscribed switches no more is left than this.
    let upper_channel = if arguments.over.is_some() { &mut outer_channel } else { &mut channel };
    upper_channel.derating.bandwidth = upper_channel.derating.bandwidth.min(1.0 / oversubscription);
    let outer = outer_shape.map(|shape| OuterFabric {
        shape,
        channel: outer_channel,
        latencies_ns: outer_latencies_ns,
        switch_ns: outer_switch_ns,
    });
    let chips = outer.as_ref().map_or(1, |outer| outer.shape.chips()).saturating_mul(shape.chips());
    if let (true, Some(word)) = (chips > ESTIMATED_CHIPS, &arguments.over) {
        let why = format!("groups of {} make {chips} chips, more than {ESTIMATED_CHIPS}", shape.chips());
        errors.push(EstimateError::Shape {
            text: word.text.clone(),
            why,
            hint: "use fewer or smaller groups".to_owned(),
            span: word.span,
        });
    }
    let algorithm = arguments.algorithm.as_ref().map(|word| word.text.clone());
    let question = Question { kind, shape, channel, latencies_ns, outer, switch_ns, skew, algorithm };
    if let Some(word) = arguments.algorithm.as_ref().filter(|_| estimate_table(&question).rows.is_empty()) {
        errors.push(unknown_algorithm(word, &question));
    }
    Some(EstimateRequest { question, sizes, curve: arguments.sizes.is_some(), oversubscription })
}

fn record_error<T>(errors: &mut Vec<EstimateError>, result: Result<T, EstimateError>) -> Option<T> {
    result.map_err(|error| errors.push(error)).ok()
}

/// The collectives, the most requested ones first.
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

fn quoted_names(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn parse_kind(word: &CommandWord) -> Result<Collective, EstimateError> {
    KINDS
        .into_iter()
        .find(|kind| kind.name() == word.text)
        .ok_or_else(|| unknown_word(word, "collective", kinds()))
}

/// Parses a plain number. It is 1 unless it is given.
fn parse_factor(word: &Option<CommandWord>, range: &NumberRange, errors: &mut Vec<EstimateError>) -> f64 {
    word.as_ref().and_then(|word| record_error(errors, parse_number(word, range))).unwrap_or(1.0)
}

/// The error for a list of latencies that are not those of the axes of a shape.
fn unfit_latencies(
    word: &Option<CommandWord>,
    latencies: &[f64],
    shape: &FabricShape,
) -> Option<EstimateError> {
    let (word, axes) = (word.as_ref()?, shape.latency_count());
    if latencies.is_empty() || latencies.len() == axes {
        return None;
    }
    let hint = match shape {
        FabricShape::Torus { .. } | FabricShape::Mesh { .. } => "write one time, or one for every axis",
        FabricShape::Dragonfly { .. } => "write one time, or two: inside a group, and between groups",
        _ => "write one time: a channel leads from chip to chip",
    };
    Some(EstimateError::Quantity {
        text: word.text.clone(),
        what: "list of latencies",
        why: format!("it has {} times, and a {} takes {axes}", latencies.len(), shape.family()),
        hint: hint.to_owned(),
        span: word.span,
    })
}

/// A channel, and nanoseconds of a hop by axis, or none where all are alike.
struct ParsedChannel {
    channel: Channel,
    latencies_ns: Vec<f64>,
}

/// Parses the channels of a fabric, and those between groups, whose defaults are the former.
fn parse_channels(arguments: &Arguments, errors: &mut Vec<EstimateError>) -> [ParsedChannel; 2] {
    let usual = Channel {
        latency_ns: ALPHA_PS as f64 / 1e3,
        overhead_ns: 0.0,
        bandwidth: BANDWIDTH_BITS as f64 / 8e9,
        derating: Derating::NONE,
    };
    let words = [&arguments.alpha, &arguments.overhead, &arguments.bandwidth, &arguments.eta];
    let inner = parse_channel(words, usual, errors);
    let words =
        [&arguments.outer_alpha, &arguments.outer_overhead, &arguments.outer_bandwidth, &arguments.outer_eta];
    let defaults = Channel { derating: Derating::NONE, ..inner.channel };
    let outer = parse_channel(words, defaults, errors);
    [inner, outer]
}

/// Parses a channel from its latency, overhead, bandwidth and profile, and its latencies by axis where there
/// are several. `defaults` holds the defaults. The latency of the channel is then the longest of them.
fn parse_channel(
    words: [&Option<CommandWord>; 4],
    defaults: Channel,
    errors: &mut Vec<EstimateError>,
) -> ParsedChannel {
    let [alpha, overhead, bandwidth, eta] = words;
    let mut parse = |word: &Option<CommandWord>, measure, or_zero| {
        word.as_ref().and_then(|word| record_error(errors, parse_quantity(word, measure, or_zero)))
    };
    let latencies_ns: Vec<f64> = match alpha {
        Some(word) => {
            let parts = word.text.split(',').map(|part| Some(word.part(part)));
            parts.filter_map(|part| parse(&part, &TIME, true)).map(|ps| ps as f64 / 1e3).collect()
        }
        None => Vec::new(),
    };
    let latency_ns = latencies_ns.iter().copied().reduce(f64::max).unwrap_or(defaults.latency_ns);
    let latencies_ns = if latencies_ns.len() > 1 { latencies_ns } else { Vec::new() };
    let overhead_ns = parse(overhead, &TIME, true).map_or(defaults.overhead_ns, |ps| ps as f64 / 1e3);
    let bandwidth = parse(bandwidth, &BANDWIDTH, false).map_or(defaults.bandwidth, |bits| bits as f64 / 8e9);
    let derating =
        eta.as_ref().and_then(|word| record_error(errors, parse_derating(word))).unwrap_or(defaults.derating);
    ParsedChannel { channel: Channel { latency_ns, overhead_ns, bandwidth, derating }, latencies_ns }
}

fn parse_derating(word: &CommandWord) -> Result<Derating, EstimateError> {
    if let Some((latency, bandwidth)) = word.text.split_once(',') {
        let latency = parse_number(&word.part(latency), &ETA_LATENCY)?;
        return Ok(Derating { latency, bandwidth: parse_number(&word.part(bandwidth), &ETA_BANDWIDTH)? });
    }
    let profile = PROFILES.iter().find(|(name, _)| *name == word.text);
    profile
        .map(|(_, derating)| *derating)
        .ok_or_else(|| unknown_word(word, "profile of contention", PROFILES.map(|(name, _)| name)))
}

/// Parses a shape such as `torus:8x8x8`. `twin` is whether rings of two have two links.
///
/// # Errors
/// A shape that is unknown, has numbers that it does not take, or has too many chips.
pub fn parse_shape(word: &CommandWord, twin: bool) -> Result<FabricShape, EstimateError> {
    let (name, numbers) =
        word.text.split_once(':').map_or((word.text.as_str(), None), |(name, numbers)| (name, Some(numbers)));
    let family = FabricShape::FAMILIES
        .into_iter()
        .find(|family| *family == name)
        .ok_or_else(|| unknown_word(&word.part(name), "shape", FabricShape::FAMILIES))?;
    let (example, count) = match family {
        "torus" | "mesh" => ("8x8x8", None),
        "dragonfly" => ("8x4", Some(2)),
        _ => ("64", Some(1)),
    };
    let hint = match family {
        "dragonfly" => {
            "write `dragonfly:8x4` for groups of 8 chips with 4 links each to other groups".to_owned()
        }
        _ => format!("write `{family}:{example}`"),
    };
    let error = |why: String, part: &str| {
        let span = if part.is_empty() { word.span } else { word.part(part).span };
        EstimateError::Shape { text: word.text.clone(), why, hint: hint.clone(), span }
    };
    let Some(numbers) = numbers else { return Err(error("it has no numbers".to_owned(), "")) };
    let mut sides = Vec::new();
    for part in numbers.split('x') {
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            let why = if part.starts_with('-') {
                format!("`{part}` is negative")
            } else {
                format!("`{part}` is not a number")
            };
            return Err(error(why, part));
        }
        let side = part.parse().unwrap_or(u64::MAX);
        if side == 0 {
            return Err(error("a size of 0 chips is not allowed".to_owned(), part));
        }
        if side > ESTIMATED_CHIPS {
            return Err(error(format!("more than {ESTIMATED_CHIPS} chips"), part));
        }
        sides.push(side);
    }
    if count.is_some_and(|count| count != sides.len()) || sides.len() > ESTIMATED_AXES {
        let expected = count.map_or(format!("at most {ESTIMATED_AXES}"), |count: usize| count.to_string());
        return Err(error(format!("it has {} numbers and takes {expected}", sides.len()), numbers));
    }
    let chips = match sides[..] {
        [group, globals] if family == "dragonfly" => {
            group.checked_mul(globals).and_then(|links| (links + 1).checked_mul(group))
        }
        _ => sides.iter().try_fold(1u64, |chips, &side| chips.checked_mul(side)),
    };
    match chips {
        Some(1) => return Err(error("a fabric needs at least two chips".to_owned(), numbers)),
        Some(chips) if chips <= ESTIMATED_CHIPS => {}
        _ => return Err(error(format!("more than {ESTIMATED_CHIPS} chips"), numbers)),
    }
    let chips = sides[0];
    Ok(match family {
        "torus" => FabricShape::Torus { sides, twin },
        "mesh" => FabricShape::Mesh { sides },
        "full_mesh" => FabricShape::FullMesh { chips },
        "leaf_spine" => FabricShape::LeafSpine { chips },
        "fat_tree" => FabricShape::FatTree { chips },
        "dragonfly" if chips == 1 => {
            return Err(error("a group needs at least two chips".to_owned(), numbers));
        }
        "dragonfly" => FabricShape::Dragonfly { group: chips, globals: sides[1] },
        _ => FabricShape::Star { chips },
    })
}

/// Errors for options that do not apply to this question.
fn misplaced_options(
    arguments: &Arguments,
    kind: Collective,
    shape: &FabricShape,
    outer_shape: Option<&FabricShape>,
) -> Vec<EstimateError> {
    let Arguments { in_switch, outer_in_switch, skew, oversubscription, links, over, .. } = arguments;
    let is_torus =
        |word: &Option<CommandWord>| word.as_ref().is_some_and(|word| word.text.starts_with("torus:"));
    let two_level_hint = "of groups only an `all_reduce` gains by it: estimate one group alone";
    let checks: [(&'static str, &Option<CommandWord>, bool, String, &'static str); 7] = [
        (
            "--in-switch",
            in_switch,
            over.is_none() || kind == Collective::AllReduce,
            format!("{} of groups", kind.name()),
            two_level_hint,
        ),
        (
            "--outer-in-switch",
            outer_in_switch,
            in_switch.is_some(),
            "groups whose own switches do not add".to_owned(),
            "add `--in-switch`: what switches between groups add comes from those inside",
        ),
        (
            "--outer-in-switch",
            outer_in_switch,
            outer_shape.is_none_or(FabricShape::is_switched),
            outer_shape.map_or_else(String::new, |outer| format!("a {}", outer.family())),
            "the groups are joined without a switch that could add: use `--over star:8`",
        ),
        (
            "--in-switch",
            in_switch,
            shape.is_switched(),
            format!("a {}", shape.family()),
            "its chips are joined without a switch that could add: use `--on star:64`",
        ),
        (
            "--skew",
            skew,
            kind == Collective::AllToAll,
            kind.name().to_owned(),
            "only in an `all_to_all` can channels carry different amounts",
        ),
        (
            "--oversubscription",
            oversubscription,
            over.is_some() || shape.has_tiers(),
            format!("a {}", shape.family()),
            "it needs two levels of switches: use `--on leaf_spine:64`, or `--over`",
        ),
        (
            "--links",
            links,
            is_torus(&arguments.on) || is_torus(over),
            format!("a {}", shape.family()),
            "it applies only to the rings of two chips in a `torus`",
        ),
    ];
    let mut errors: Vec<EstimateError> = Vec::new();
    for (option, word, fits, about, hint) in checks {
        if let (Some(word), false) = (word, fits) {
            errors.push(EstimateError::NotHere { option, about, hint, span: word.span });
        }
    }
    errors
}

fn unknown_algorithm(word: &CommandWord, question: &Question) -> EstimateError {
    let table = estimate_table(&Question { algorithm: None, ..question.clone() });
    let names: Vec<&str> = table.rows.iter().map(|row| row.name.as_str()).collect();
    let hint = match &names[..] {
        [] => format!("a {} has only bounds", question.shape.family()),
        known => suggestion(&word.text, known.iter().copied()).unwrap_or_default(),
    };
    EstimateError::Unknown {
        what: format!("algorithm of {}", question.kind.name()),
        name: word.text.clone(),
        hint,
        span: word.span,
    }
}
