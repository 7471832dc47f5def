//! The words of the language, with their meaning, and which of them a setting may have as its value.
//!
//! Comes in: a word, and where it stands. Goes out: a line for people. The words themselves stand in
//! [`fabc_lang::syntax::words`] and [`fabc_model`]; a test compares, so that none is without a meaning.

use super::reading::INNER;
use fabc_base::units::{Dimension, UNITS};
use fabc_lang::syntax::words::{FIELDS, ITEMS, Place, STATEMENTS};
use fabc_model::REFERENCES;
use fabc_model::{
    Arbitration, Arcs, Arrangement, Births, Bundles, Clustering, Collective, CollectiveAlgorithm,
    CollectiveMetric, Credits, Duplex, Duplicates, Family, Filling, Method, Metric, Model, Objective, Order,
    PlacementChoice, RouteSelect, Routing, RoutingChoice, Scenarios, Score, Shortest, SimulatedMetric,
    SonicConfig, Supernode, SymmetryChoice, SynthesisMethod, TableKey, TopologyChoice, Traffic, TurnPriority,
    Word,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// By key.
static MEANINGS: LazyLock<BTreeMap<&str, &str>> =
    LazyLock::new(|| include_str!("meanings.txt").lines().filter_map(|line| line.split_once(": ")).collect());

fn meaning(key: &str) -> Option<&'static str> {
    MEANINGS.get(key).copied()
}

/// Of an item, a statement or a word between others.
pub(super) fn of_keyword(word: &str) -> Option<&'static str> {
    meaning(word)
}

/// Of a setting in a block.
pub(super) fn of_setting(place: Option<Place>, word: &str) -> Option<&'static str> {
    place.and_then(|place| meaning(&format!("{}.{word}", place.name()))).or_else(|| meaning(word))
}

/// Of a word that is a value.
pub(super) fn of_choice(word: &str) -> Option<&'static str> {
    meaning(&format!("={word}"))
}

/// Of a metric, without the names before it.
pub(super) fn of_metric(word: &str) -> Option<&'static str> {
    meaning(&format!("metric {word}"))
}

/// Of a unit.
pub(super) fn of_unit(word: &str) -> Option<&'static str> {
    let unit = UNITS.iter().find(|unit| unit.name == word)?;
    meaning(&format!("unit {:?}", unit.dimension))
}

/// An example of an item, a statement, a topology of a pod or a network.
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

/// The metrics of the whole fabric.
pub(super) fn metrics() -> impl Iterator<Item = &'static str> {
    Metric::every().map(Metric::name)
}

/// The metrics of a simulation or collective.
pub(super) fn run_metrics() -> impl Iterator<Item = &'static str> {
    let simulated = SimulatedMetric::ALL.into_iter().map(SimulatedMetric::name);
    let of_simulation: Vec<&str> = simulated.clone().collect();
    let collective = CollectiveMetric::ALL
        .into_iter()
        .map(CollectiveMetric::name)
        .filter(move |name| !of_simulation.contains(name));
    simulated.chain(collective)
}

fn words<T: Word>() -> Vec<&'static str> {
    T::WORDS.iter().map(|word| word.word()).collect()
}

/// The words that a setting may have as its value: `place` is the block that it stands in, `None` an item.
pub(super) fn choices(place: Option<Place>, setting: &str, network: bool) -> Vec<&'static str> {
    match (place, setting) {
        (None, "topology") if network => Family::FORMS.map(|(name, _)| name).to_vec(),
        (None, "topology") => TopologyChoice::FORMS.map(|(name, _)| name).to_vec(),
        (Some(Place::Permute), "of") => Family::FORMS.map(|(name, _)| name).to_vec(),
        (None, "routing") => {
            let fits = |choice: &RoutingChoice| {
                network
                    || !matches!(
                        choice,
                        RoutingChoice::Minimal | RoutingChoice::Algebraic | RoutingChoice::Scheduled(_)
                    )
            };
            RoutingChoice::ALL.into_iter().filter(fits).map(RoutingChoice::name).collect()
        }
        (None, "demand") => vec!["uniform", "matrix"],
        (None, "collective") => Collective::ALL.into_iter().map(Collective::name).chain(["pairs"]).collect(),
        (Some(Place::Simulate), "routing") => words::<Routing>(),
        (Some(Place::Permute), "method") => words::<Method>(),
        (Some(Place::Floor), "order") => words::<Filling>(),
        (_, "duplex") => words::<Duplex>(),
        (_, "config_db") => words::<SonicConfig>(),
        (_, "supernode") => words::<Supernode>(),
        (_, "arrangement") => words::<Arrangement>(),
        (_, "arcs") => words::<Arcs>(),
        (_, "method") => words::<SynthesisMethod>(),
        (_, "duplicates") => words::<Duplicates>(),
        (_, "objective") => words::<Objective>(),
        (_, "symmetry") => words::<SymmetryChoice>(),
        (_, "priority") => words::<TurnPriority>(),
        (_, "select") => words::<RouteSelect>(),
        (_, "key") => words::<TableKey>(),
        (_, "algorithm") => words::<CollectiveAlgorithm>().into_iter().chain(["auto"]).collect(),
        (_, "barrier") => vec!["no", "yes"],
        (_, "paths") => vec!["any", "minimal"],
        (_, "model") => words::<Model>(),
        (_, "traffic") => words::<Traffic>(),
        (_, "order") => words::<Order>(),
        (_, "births") => words::<Births>(),
        (_, "shortest") => words::<Shortest>(),
        (_, "rule") => words::<Score>(),
        (_, "scenarios") => words::<Scenarios>(),
        (_, "arbitration") => words::<Arbitration>(),
        (_, "credits") => words::<Credits>(),
        (_, "clustering") => words::<Clustering>(),
        (_, "placement") => words::<PlacementChoice>(),
        (_, "bundles") => words::<Bundles>(),
        (Some(Place::Floor), "grid") => vec!["fixed"],
        (Some(Place::Floor), "ocs") => vec!["at", "row"],
        (_, "faults") => vec!["ocs", "link", "chip", "router"],
        (Some(Place::Synthesize), "effort") => vec!["max"],
        (Some(Place::PacketModel), "hosts") => vec!["unlimited"],
        _ => Vec::new(),
    }
}

/// The dimensions of the value of a setting: `place` is the block that it stands in, `None` an item. There
/// are none where it is a plain number.
pub(super) fn units_of(place: Option<Place>, setting: &str) -> &'static [Dimension] {
    use Dimension::{Bandwidth, Cycles, Data, Duration, Flits, Frequency, Length, Power, Things, Time};
    match (place, setting) {
        (None, "clock") => &[Frequency],
        (Some(Place::Link), "bandwidth") => &[Bandwidth],
        (Some(Place::Link), "latency") => &[Cycles, Time, Length],
        (Some(Place::Link), "per_metre") => &[Time],
        (Some(Place::Link), "power") => &[Power],
        (Some(Place::Router | Place::Chip), "latency") => &[Cycles, Time],
        (Some(Place::Router | Place::Chip), "flit") => &[Data],
        (Some(Place::Router | Place::Chip), "buffer") => &[Flits],
        (Some(Place::Budget), "faults") => &[Things],
        (Some(Place::Synthesize), "time_limit") => &[Duration],
        (Some(Place::Collective), "size")
        | (Some(Place::AllToAll), "bytes")
        | (Some(Place::Scheduled), "vector") => &[Data],
        (Some(Place::Collective), "overhead") => &[Time],
        (Some(Place::Scheduled), "slot" | "hop" | "reduce") | (Some(Place::Bursts), "length") => &[Cycles],
        (Some(Place::Scheduled), "deskew") => &[Time, Cycles],
        (Some(Place::Simulate), "packet") | (Some(Place::Ways), "bias") => &[Flits],
        (Some(Place::Simulate), "injection" | "warmup" | "measure") | (Some(Place::PacketModel), "turn") => {
            &[Cycles]
        }
        (Some(Place::Floor), "inside" | "overhead" | "pitch_x" | "pitch_y") => &[Length],
        // How long a cable of a link may be: `copper <= 10 m`.
        (Some(Place::Floor), name) if !FIELDS.iter().any(|field| field.name == name) => &[Length],
        _ => &[],
    }
}

/// What a metric is measured in, without the names before it.
pub(super) fn units_of_metric(metric: &str) -> &'static [Dimension] {
    match metric {
        "bandwidth" => &[Dimension::Bandwidth],
        "latency" | "latency_max" | "time" | "makespan" => &[Dimension::Time, Dimension::Cycles],
        "cable_length" | "average_cable" | "longest_cable" => &[Dimension::Length],
        "power" => &[Dimension::Power],
        _ => &[],
    }
}

/// The words of the language by kind, each of the first kind that has it: keywords, settings, values, units.
/// For what draws a spec without asking a server.
pub fn words_by_kind() -> [BTreeSet<&'static str>; 4] {
    let mut keywords: BTreeSet<&str> =
        ITEMS.iter().map(|item| item.name).chain(STATEMENTS.map(|(name, _)| name)).collect();
    keywords.extend(INNER.into_iter().chain(["fabric", "any", "fault"]));
    let settings: BTreeSet<&str> = FIELDS.iter().map(|field| field.name).collect();
    let mut values: BTreeSet<&str> = metrics().chain(run_metrics()).chain(REFERENCES).collect();
    for network in [true, false] {
        values.extend(
            ["topology", "routing", "demand", "collective"]
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
        let own: BTreeSet<&str> = kind.difference(&known).copied().collect();
        known.extend(&own);
        own
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
        for word in super::super::reading::INNER.into_iter().chain(["fabric", "fault", "any"]) {
            needs(&[word.to_owned()]);
        }
        for field in FIELDS {
            field.places.iter().for_each(|place| {
                needs(&[format!("{}.{}", place.name(), field.name), field.name.to_owned()])
            });
        }
        for (setting, network) in ["topology", "routing", "demand", "collective"]
            .into_iter()
            .flat_map(|setting| [(setting, true), (setting, false)])
        {
            choices(None, setting, network).into_iter().for_each(|word| needs(&[format!("={word}")]));
        }
        UNITS.iter().for_each(|unit| needs(&[format!("unit {:?}", unit.dimension)]));
        metrics().chain(run_metrics()).for_each(|metric| needs(&[format!("metric {metric}")]));
        let lost: Vec<&&str> = MEANINGS.keys().filter(|key| !used.contains(**key)).collect();
        assert!(lost.is_empty(), "of no word: {lost:?}");
    }

    #[test]
    fn every_choice_of_the_language_is_offered() {
        use fabc_lang::syntax::words::FieldKind;
        // Names, routers and files are looked up, not offered as words.
        const OTHERS: [&str; 10] =
            ["default", "link", "local", "global", "of", "root", "after", "from", "to", "at"];
        for field in FIELDS.iter().filter(|field| {
            field.kind == FieldKind::Choice && !OTHERS.contains(&field.name) && field.name != "beyond"
        }) {
            for &place in field.places {
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
