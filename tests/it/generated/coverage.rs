//! How many specs had which plant together with which feature.

use super::spec::{Spec, Trait};
use super::wishes::{PLANTS, features, pairs};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Specs that were made and built, by plant and feature.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coverage {
    pairs: BTreeMap<(&'static str, Trait), Counts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    made: u64,
    built: u64,
}

impl Coverage {
    pub(crate) fn count(&mut self, spec: &Spec, built: bool) {
        for feature in &spec.traits {
            let counts = self.pairs.entry((spec.plant, feature.clone())).or_default();
            counts.made += 1;
            counts.built += u64::from(built);
        }
    }

    pub(crate) fn add(&mut self, other: &Coverage) {
        for (pair, counts) in &other.pairs {
            let sum = self.pairs.entry(pair.clone()).or_default();
            sum.made += counts.made;
            sum.built += counts.built;
        }
    }

    fn plants(&self) -> Vec<&'static str> {
        let plants: BTreeSet<&'static str> = self.pairs.keys().map(|(plant, _)| *plant).collect();
        plants.into_iter().collect()
    }

    fn features(&self) -> BTreeSet<Trait> {
        self.pairs.keys().map(|(_, feature)| feature.clone()).collect()
    }

    /// Specs that were built with a feature on any plant.
    fn built_with(&self, feature: &Trait) -> u64 {
        self.pairs.iter().filter(|((_, known), _)| known == feature).map(|(_, counts)| counts.built).sum()
    }

    /// Plants and features that no built spec has.
    pub(crate) fn missing_features(&self) -> Vec<String> {
        let built =
            |plant: &str| self.pairs.iter().any(|((known, _), counts)| *known == plant && counts.built > 0);
        let plants = PLANTS.iter().filter(|plant| !built(plant)).map(|plant| (*plant).to_owned());
        let features =
            features().filter(|(dimension, value)| self.built_with(&(dimension, (*value).to_owned())) == 0);
        plants.chain(features.map(|(dimension, value)| format!("{dimension} {value}"))).collect()
    }

    /// Pairs of a plant and a feature that go together and that no built spec has.
    pub(crate) fn missing_pairs(&self) -> Vec<String> {
        let built = |plant: &'static str, (dimension, value): (&'static str, &'static str)| {
            self.pairs.get(&(plant, (dimension, value.to_owned()))).is_some_and(|counts| counts.built > 0)
        };
        let missing = pairs().filter(|(plant, feature)| !built(plant, *feature));
        missing.map(|(plant, (dimension, value))| format!("{plant} with {dimension} {value}")).collect()
    }

    /// A table for people: a line for every feature, with the number of built specs for every plant.
    pub(crate) fn table(&self) -> String {
        let plants = self.plants();
        let mut text = String::from(
            "built specs by feature (line) and plant (column); `.` is a pair that was never made\n",
        );
        for (place, plant) in plants.iter().enumerate() {
            let _ = writeln!(text, "  {place:>2} {plant}");
        }
        let _ = write!(text, "{:<34}{:>6}", "", "all");
        (0..plants.len()).for_each(|place| {
            let _ = write!(text, "{place:>5}");
        });
        text.push('\n');
        for feature in self.features() {
            let (dimension, value) = &feature;
            let _ = write!(text, "{:<34}{:>6}", format!("{dimension} {value}"), self.built_with(&feature));
            for plant in &plants {
                let counts = self.pairs.get(&(*plant, feature.clone()));
                let _ =
                    write!(text, "{:>5}", counts.map_or(".".to_owned(), |counts| counts.built.to_string()));
            }
            text.push('\n');
        }
        text
    }
}
