//! What a word means in every place where it may stand, for `fabc explain`.

use super::reading::INNER_WORDS;
use super::vocabulary::{
    choice_meaning, choices, example, keyword_meaning, metric_meaning, metrics, run_metrics, setting_meaning,
    unit_meaning,
};
use fabc_lang::syntax::words::{FIELDS, ITEMS, STATEMENTS, field};
use std::collections::BTreeSet;

/// One meaning of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordMeaning {
    /// What the word is: `item`, `statement`, `word`, `setting`, `value`, `metric` or `unit`.
    pub kind: &'static str,
    /// The blocks of a setting, or the settings that have the value. Empty: no certain place.
    pub places: Vec<&'static str>,
    /// What it means, in a line without a final stop.
    pub meaning: &'static str,
    /// The words that a setting may have as its value. Empty for numbers and names.
    pub values: Vec<&'static str>,
    /// A line of a spec, for items, statements and topologies.
    pub example: Option<&'static str>,
}

/// Settings that are items and have words as their values.
const ITEM_SETTINGS: [&str; 7] = ["topology", "routing", "demand", "hosts", "losses", "collective", "job"];

/// All meanings of a word. Empty if the language does not have it.
pub fn explain_word(word: &str) -> Vec<WordMeaning> {
    let mut meanings = Vec::new();
    if let Some(meaning) = keyword_meaning(word) {
        let kind = [
            ("item", ITEMS.iter().any(|item| item.name == word)),
            ("statement", STATEMENTS.iter().any(|(name, _)| *name == word)),
            ("word", is_inner(word)),
        ];
        if let Some((kind, _)) = kind.into_iter().find(|(_, is)| *is) {
            let values = values_of_item(word);
            let example = example(word, false).or_else(|| example(word, true));
            meanings.push(WordMeaning { kind, places: Vec::new(), meaning, values, example });
        }
    }
    meanings.extend(setting_meanings(word));
    if let Some(meaning) = choice_meaning(word) {
        let example = example(word, true).or_else(|| example(word, false)).filter(|_| is_form(word));
        let places = settings_with(word);
        meanings.push(WordMeaning { kind: "value", places, meaning, values: Vec::new(), example });
    }
    for (kind, meaning) in [("metric", metric_meaning(word)), ("unit", unit_meaning(word))] {
        let Some(meaning) = meaning else { continue };
        meanings.push(WordMeaning { kind, places: Vec::new(), meaning, values: Vec::new(), example: None });
    }
    meanings
}

/// All words that [`explain_word`] knows.
pub fn explained_words() -> BTreeSet<&'static str> {
    let mut words: BTreeSet<&'static str> =
        super::vocabulary::words_by_kind().into_iter().flatten().collect();
    words.extend(metrics().chain(run_metrics()));
    words.retain(|word| !explain_word(word).is_empty());
    words
}

fn is_inner(word: &str) -> bool {
    INNER_WORDS.contains(&word) || ["fabric", "fault", "any"].contains(&word)
}

/// Whether a word is a topology or a family, which has an example.
fn is_form(word: &str) -> bool {
    values_of_item("topology").contains(&word)
}

fn values_of_item(item: &str) -> Vec<&'static str> {
    if !ITEM_SETTINGS.contains(&item) {
        return Vec::new();
    }
    joined([choices(None, item, false), choices(None, item, true)])
}

/// The words of two lists, each once.
fn joined(lists: [Vec<&'static str>; 2]) -> Vec<&'static str> {
    let mut all = Vec::new();
    for word in lists.into_iter().flatten() {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

/// The meanings of a setting. Blocks in which it means the same stand together.
fn setting_meanings(word: &str) -> Vec<WordMeaning> {
    let mut meanings: Vec<WordMeaning> = Vec::new();
    let Some(field) = field(word) else { return meanings };
    for &place in field.places {
        let Some(meaning) = setting_meaning(Some(place), word) else { continue };
        let values = joined([choices(Some(place), word, false), choices(Some(place), word, true)]);
        match meanings.iter_mut().find(|known| known.meaning == meaning && known.values == values) {
            Some(known) if known.places.contains(&place.name()) => {}
            Some(known) => known.places.push(place.name()),
            None => meanings.push(WordMeaning {
                kind: "setting",
                places: vec![place.name()],
                meaning,
                values,
                example: None,
            }),
        }
    }
    meanings
}

/// The settings that may have a word as their value, such as `routing` or `simulate.traffic`.
fn settings_with(word: &str) -> Vec<&'static str> {
    let items = ITEM_SETTINGS.into_iter().filter(|item| values_of_item(item).contains(&word));
    let fields = FIELDS.iter().filter(|field| {
        let offers = |&place| {
            joined([choices(Some(place), field.name, false), choices(Some(place), field.name, true)])
        };
        field.places.iter().any(|place| offers(place).contains(&word))
    });
    joined([items.collect(), fields.map(|field| field.name).collect()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_language_is_explained() {
        let known = explained_words();
        let words = super::super::vocabulary::words_by_kind();
        for word in words.into_iter().flatten().chain(metrics()).chain(run_metrics()) {
            assert!(known.contains(word), "{word}");
        }
        assert!(known.len() > 320, "{}", known.len());
        assert!(explain_word("astrology").is_empty());
    }

    #[test]
    fn a_word_has_a_meaning_for_every_place() {
        let kinds: Vec<&str> = explain_word("bandwidth").iter().map(|meaning| meaning.kind).collect();
        assert_eq!(kinds, ["setting", "metric"]);
        let torus = &explain_word("torus")[0];
        assert_eq!((torus.kind, torus.places[0]), ("value", "topology"));
        assert!(torus.example.is_some_and(|example| example.starts_with("torus")));
        let routing = &explain_word("routing");
        assert!(routing[0].values.contains(&"allowed_turns") && routing[0].values.contains(&"spray"));
    }
}
