//! The words of the language with their meanings, and the values that a setting may have.
//!
//! Input: a word, and where it stands. Output: a line for people. The words themselves stand in
//! [`fabc_lang::syntax::words`] and [`fabc_model`]. A test proves that every word has a meaning.

use super::reading::INNER_WORDS;
use fabc_base::units::{Dimension, UNITS};
use fabc_lang::syntax::words::{BlockKind, FIELDS, ITEMS, STATEMENTS};
use fabc_model::REFERENCES;
use fabc_model::{
    Ack, Arbitration, Arcs, Arrangement, AttachBy, Births, Bundling, Clustering, Collective,
    CollectiveAlgorithm, CollectiveMetric, ControlChoice, Credits, Duplex, Duplicates, Family, Filling,
    HalfRoutes, HashInput, JobMetric, MemberWeights, MessageOrder, Metric, Objective, PacketRouting,
    PermuteMethod, PlacementChoice, Quadrangle, RouteSelect, RouterModel, RoutingChoice, Scenarios, Score,
    SimulatedMetric, SonicConfig, Supernode, SymmetryChoice, SynthesisMethod, TableKey, TierOrderWord,
    TopologyChoice, Traffic, TurnPriority, Word,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Meanings by key, from `meanings.txt`.
static MEANINGS: LazyLock<BTreeMap<&str, &str>> =
    LazyLock::new(|| include_str!("meanings.txt").lines().filter_map(|line| line.split_once(": ")).collect());

fn meaning(key: &str) -> Option<&'static str> {
    MEANINGS.get(key).copied()
}

/// The meaning of an item, a statement or a connecting word.
pub(super) fn keyword_meaning(word: &str) -> Option<&'static str> {
    meaning(word)
}

/// The meaning of a setting in the block of `place`.
pub(super) fn setting_meaning(place: Option<BlockKind>, word: &str) -> Option<&'static str> {
    place.and_then(|place| meaning(&format!("{}.{word}", place.name()))).or_else(|| meaning(word))
}

/// The meaning of a word that is a value.
pub(super) fn choice_meaning(word: &str) -> Option<&'static str> {
    meaning(&format!("={word}"))
}

/// The meaning of a metric, without the names before it.
pub(super) fn metric_meaning(word: &str) -> Option<&'static str> {
    meaning(&format!("metric {word}"))
}

/// The meaning of a unit.
pub(super) fn unit_meaning(word: &str) -> Option<&'static str> {
    let unit = UNITS.iter().find(|unit| unit.name == word)?;
    meaning(&format!("unit {:?}", unit.dimension))
}

/// An example of an item, a statement, or a topology of a pod or network.
pub(super) fn example(word: &str, network: bool) -> Option<&'static str> {
    let item = ITEMS.iter().map(|item| (item.name, item.example));
    let [own, other] = if network {
        [&Family::FORMS[..], &TopologyChoice::FORMS]
    } else {
        [&TopologyChoice::FORMS[..], &Family::FORMS]
    };
    let forms = own.iter().chain(other).map(|(name, form)| (*name, form.split('`').next().unwrap_or(form)));
    item.chain(STATEMENTS).chain(forms).find(|(name, _)| *name == word).map(|(_, example)| example)
}

/// The metrics of a fabric.
pub(super) fn metrics() -> impl Iterator<Item = &'static str> {
    Metric::every().map(Metric::name)
}

/// The metrics of a simulation, collective or job, each once.
pub(super) fn run_metrics() -> impl Iterator<Item = &'static str> {
    let simulated = SimulatedMetric::ALL.into_iter().map(SimulatedMetric::name);
    let of_simulation: Vec<&str> = simulated.clone().collect();
    let jobs = JobMetric::ALL.into_iter().filter(|metric| *metric != JobMetric::Share).map(JobMetric::name);
    let collective = CollectiveMetric::ALL
        .into_iter()
        .map(CollectiveMetric::name)
        .filter(move |name| !of_simulation.contains(name));
    simulated.chain(collective).chain(jobs)
}

fn words<T: Word>() -> Vec<&'static str> {
    T::WORDS.iter().map(|word| word.word()).collect()
}

/// The words that a setting may have as its value. `place` is the block of the setting, and `None` an item.
pub(super) fn choices(place: Option<BlockKind>, setting: &str, network: bool) -> Vec<&'static str> {
    match (place, setting) {
        (None, "topology") if network => Family::FORMS.map(|(name, _)| name).to_vec(),
        (None, "topology") => TopologyChoice::FORMS.map(|(name, _)| name).to_vec(),
        (Some(BlockKind::Permute), "of") => Family::FORMS.map(|(name, _)| name).to_vec(),
        (None, "routing") => {
            let fits = |choice: &RoutingChoice| network || !choice.is_for_networks_only();
            RoutingChoice::ALL.into_iter().filter(fits).map(RoutingChoice::name).collect()
        }
        (None, "demand") => vec!["uniform", "matrix"],
        (None, "hosts") => vec!["map"],
        (None, "losses") => vec!["table", "sonic"],
        (None, "job") => vec!["chakra", "phases"],
        (None, "collective") => Collective::ALL.into_iter().map(Collective::name).chain(["pairs"]).collect(),
        (Some(BlockKind::Simulate), "routing") => words::<PacketRouting>(),
        (Some(BlockKind::Permute), "method") => words::<PermuteMethod>(),
        (Some(BlockKind::Floor), "order") => words::<Filling>(),
        (Some(BlockKind::JobModel), "gated" | "tied" | "qk_norm" | "causal")
        | (Some(BlockKind::JobSend), "both" | "wrap") => vec!["no", "yes"],
        (Some(BlockKind::Job), "keep" | "sequence_parallel" | "gather_again" | "dedup") => vec!["no", "yes"],
        (Some(BlockKind::Job), "recompute") => vec!["none", "selective", "full"],
        (Some(BlockKind::Job), "context") => vec!["ring", "gather"],
        (Some(BlockKind::Job), "place") => vec!["order", "aligned", "search", "file"],
        (Some(BlockKind::Job), "model") => Vec::new(),
        (Some(BlockKind::Phase), "after") => vec!["none"],
        (_, "duplex") => words::<Duplex>(),
        (_, "config_db") => words::<SonicConfig>(),
        (_, "supernode") => words::<Supernode>(),
        (_, "quadrangle") => words::<Quadrangle>(),
        (_, "arrangement") => words::<Arrangement>(),
        (_, "arcs") => words::<Arcs>(),
        (_, "method") => words::<SynthesisMethod>(),
        (_, "duplicates") => words::<Duplicates>(),
        (_, "objective") => words::<Objective>(),
        (_, "symmetry") => words::<SymmetryChoice>(),
        (_, "priority") => words::<TurnPriority>(),
        (_, "select") => words::<RouteSelect>(),
        (_, "key") => words::<TableKey>(),
        (_, "hash") => words::<HashInput>(),
        (_, "attach") => words::<AttachBy>(),
        (_, "relay") => vec!["gpu"],
        (_, "weights") => words::<MemberWeights>(),
        (_, "algorithm") => words::<CollectiveAlgorithm>().into_iter().chain(["auto"]).collect(),
        (_, "barrier" | "multicast") => vec!["no", "yes"],
        (Some(BlockKind::Router | BlockKind::RouterKind | BlockKind::InnerSwitch), "reduce") => {
            vec!["no", "yes"]
        }
        (_, "paths") => vec!["any", "minimal"],
        (_, "model") => words::<RouterModel>(),
        (_, "traffic") => words::<Traffic>(),
        (Some(BlockKind::Ecmp | BlockKind::Spray), "order") => words::<TierOrderWord>(),
        (_, "order") => words::<MessageOrder>(),
        (_, "births") => words::<Births>(),
        (_, "control") => words::<ControlChoice>(),
        (_, "ack") => words::<Ack>(),
        (_, "shortest") => words::<HalfRoutes>(),
        (_, "rule") => words::<Score>(),
        (_, "scenarios") => words::<Scenarios>(),
        (_, "arbitration") => words::<Arbitration>(),
        (_, "credits") => words::<Credits>(),
        (_, "clustering") => words::<Clustering>(),
        (_, "placement") => words::<PlacementChoice>(),
        (_, "bundles") => words::<Bundling>(),
        (Some(BlockKind::Floor), "grid") => vec!["fixed"],
        (Some(BlockKind::Floor), "ocs") => vec!["at", "row"],
        (_, "faults") => vec!["ocs", "link", "chip", "router"],
        (Some(BlockKind::Synthesize), "effort") => vec!["max"],
        (Some(BlockKind::PacketModel), "hosts") => vec!["unlimited"],
        (Some(BlockKind::Addresses), "links") => vec!["unnumbered"],
        _ => Vec::new(),
    }
}

/// The dimensions that the value of a setting may have. `place` is the block of the setting, and `None` an
/// item. A plain number has none.
pub(super) fn setting_dimensions(place: Option<BlockKind>, setting: &str) -> &'static [Dimension] {
    use Dimension::{
        Bandwidth, Cycles, Data, Duration, Flits, FlopRate, Frequency, Length, Loss, LossPerLength,
        OpticalPower, Power, Things, Time,
    };
    match (place, setting) {
        (None, "clock") => &[Frequency],
        (Some(BlockKind::Link), "bandwidth") => &[Bandwidth],
        (Some(BlockKind::Link), "latency") => &[Cycles, Time, Length],
        (Some(BlockKind::Link), "per_metre") => &[Time],
        (Some(BlockKind::Link), "power") => &[Power],
        (Some(BlockKind::Link), "transmit" | "sensitivity") => &[OpticalPower],
        (Some(BlockKind::Link), "loss") => &[LossPerLength],
        (Some(BlockKind::Link), "length") => &[Length],
        (Some(BlockKind::Link), "connector_loss" | "margin") | (Some(BlockKind::Ocs), "loss") => &[Loss],
        (
            Some(
                BlockKind::Router
                | BlockKind::RouterKind
                | BlockKind::Chip
                | BlockKind::Box
                | BlockKind::InnerSwitch,
            ),
            "latency",
        ) => &[Cycles, Time],
        (
            Some(
                BlockKind::Router | BlockKind::RouterKind | BlockKind::Chip | BlockKind::Ocs | BlockKind::Box,
            ),
            "power",
        ) => &[Power],
        (Some(BlockKind::Router | BlockKind::Chip), "flit") => &[Data],
        (Some(BlockKind::Router | BlockKind::Chip), "buffer") => &[Flits],
        (Some(BlockKind::Budget), "faults") => &[Things],
        (Some(BlockKind::Synthesize), "time_limit") => &[Duration],
        (Some(BlockKind::Collective), "size")
        | (Some(BlockKind::AllToAll), "bytes")
        | (Some(BlockKind::Scheduled), "vector") => &[Data],
        (Some(BlockKind::JobCollective | BlockKind::JobSend), "size")
        | (Some(BlockKind::ElementBytes), _) => &[Data],
        (Some(BlockKind::Job | BlockKind::Phase), "compute") => &[Time, Duration],
        (Some(BlockKind::Reconfigure), "switch") => &[Time, Duration],
        (Some(BlockKind::Compute), "rate") => &[FlopRate],
        (Some(BlockKind::Collective | BlockKind::Job), "overhead") => &[Time],
        (Some(BlockKind::Scheduled), "slot" | "hop" | "reduce") | (Some(BlockKind::Bursts), "length") => {
            &[Cycles]
        }
        (Some(BlockKind::Scheduled), "deskew") => &[Time, Cycles],
        (Some(BlockKind::Simulate), "packet")
        | (Some(BlockKind::Ways), "bias")
        | (Some(BlockKind::Marks), "mark") => &[Flits],
        (Some(BlockKind::Simulate), "injection" | "warmup" | "measure")
        | (Some(BlockKind::PacketModel), "turn")
        | (Some(BlockKind::Window), "wait")
        | (Some(BlockKind::Marks), "timer") => &[Cycles],
        (Some(BlockKind::Floor), "inside" | "overhead" | "pitch_x" | "pitch_y") => &[Length],
        // The longest allowed cable of a link: `copper <= 10 m`.
        (Some(BlockKind::Floor), name) if !FIELDS.iter().any(|field| field.name == name) => &[Length],
        _ => &[],
    }
}

/// The dimensions of a metric, without the names before it.
pub(super) fn metric_dimensions(metric: &str) -> &'static [Dimension] {
    match metric {
        "bandwidth" => &[Dimension::Bandwidth],
        "latency" | "latency_max" | "time" | "makespan" => &[Dimension::Time, Dimension::Cycles],
        "communication" | "step" | "exposed" => &[Dimension::Time, Dimension::Duration, Dimension::Cycles],
        "cable_length" | "average_cable" | "longest_cable" => &[Dimension::Length],
        "power" => &[Dimension::Power],
        _ => &[],
    }
}

/// The words of the language by kind, each in the first kind that has it: keywords, settings, values, units.
/// Syntax highlighters that ask no server use them.
pub fn words_by_kind() -> [BTreeSet<&'static str>; 4] {
    let mut keywords: BTreeSet<&str> =
        ITEMS.iter().map(|item| item.name).chain(STATEMENTS.map(|(name, _)| name)).collect();
    keywords.extend(INNER_WORDS.into_iter().chain(["fabric", "any", "fault"]));
    let settings: BTreeSet<&str> = FIELDS.iter().map(|field| field.name).collect();
    let mut values: BTreeSet<&str> = metrics().chain(run_metrics()).chain(REFERENCES).collect();
    for network in [true, false] {
        values.extend(
            ["topology", "routing", "demand", "hosts", "losses", "collective", "job"]
                .into_iter()
                .flat_map(|setting| choices(None, setting, network)),
        );
        let places =
            FIELDS.iter().flat_map(|field| field.places.iter().map(move |place| (*place, field.name)));
        values.extend(places.flat_map(|(place, setting)| choices(Some(place), setting, network)));
    }
    let units: BTreeSet<&str> = UNITS.iter().map(|unit| unit.name).collect();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    [keywords, settings, values, units].map(|kind| {
        let new_words: BTreeSet<&str> = kind.difference(&known).copied().collect();
        known.extend(&new_words);
        new_words
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_meaning_and_every_meaning_a_word() {
        let mut used: BTreeSet<String> = BTreeSet::new();
        let mut needs = |keys: &[String]| {
            assert!(keys.iter().any(|key| meaning(key).is_some()), "no meaning of {keys:?}");
            used.extend(keys.iter().cloned());
        };
        ITEMS.iter().for_each(|item| needs(&[item.name.to_owned()]));
        STATEMENTS.iter().for_each(|(name, _)| needs(&[(*name).to_owned()]));
        for word in super::super::reading::INNER_WORDS.into_iter().chain(["fabric", "fault", "any"]) {
            needs(&[word.to_owned()]);
        }
        for field in FIELDS {
            field.places.iter().for_each(|place| {
                needs(&[format!("{}.{}", place.name(), field.name), field.name.to_owned()])
            });
        }
        for (setting, network) in ["topology", "routing", "demand", "hosts", "losses", "collective", "job"]
            .into_iter()
            .flat_map(|setting| [(setting, true), (setting, false)])
        {
            choices(None, setting, network).into_iter().for_each(|word| needs(&[format!("={word}")]));
        }
        for field in FIELDS {
            for place in field.places {
                let words = [true, false].map(|network| choices(Some(*place), field.name, network));
                words.into_iter().flatten().for_each(|word| needs(&[format!("={word}"), word.to_owned()]));
            }
        }
        REFERENCES.iter().for_each(|word| needs(&[format!("={word}")]));
        UNITS.iter().for_each(|unit| needs(&[format!("unit {:?}", unit.dimension)]));
        metrics().chain(run_metrics()).for_each(|metric| needs(&[format!("metric {metric}")]));
        let lost: Vec<&&str> = MEANINGS.keys().filter(|key| !used.contains(**key)).collect();
        assert!(lost.is_empty(), "of no word: {lost:?}");
    }

    #[test]
    fn every_choice_of_the_language_is_offered() {
        use fabc_lang::syntax::words::FieldKind;
        // Names, numbers, routers and files are looked up, not offered as words.
        const OTHERS: [&str; 20] = [
            "for",
            "leaf",
            "spine",
            "tiers",
            "default",
            "link",
            "host_link",
            "over",
            "along",
            "names",
            "generators",
            "local",
            "global",
            "of",
            "root",
            "after",
            "phases",
            "from",
            "to",
            "at",
        ];
        for field in FIELDS.iter().filter(|field| {
            field.kind == FieldKind::Choice && !OTHERS.contains(&field.name) && field.name != "beyond"
        }) {
            // Random failures have a limit in per cent there, and the model of a job is a block.
            let has_no_words = |place: &BlockKind| {
                [(BlockKind::Failures, "links"), (BlockKind::Job, "model")].contains(&(*place, field.name))
            };
            for &place in field.places.iter().filter(|place| !has_no_words(place)) {
                assert!(
                    !choices(Some(place), field.name, true).is_empty(),
                    "{} of {}",
                    field.name,
                    place.name()
                );
            }
        }
    }
}
