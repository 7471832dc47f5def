//! Reports settings that a block does not have, and says what was most likely meant.

use super::context::Context;
use super::foreign;
use crate::ResolveError;
use crate::syntax::ast::Name;
use crate::syntax::words::{self, BlockKind};
use fabc_base::diag::{closest, plain, suggestion};

/// Reports a setting that the block does not have. Returns the setting that was meant, if that is clear.
pub(super) fn unknown_setting(
    context: &mut Context,
    name: &Name,
    title: &str,
    place: BlockKind,
) -> Option<&'static str> {
    let word = &*name.value;
    let known: Vec<&'static str> = place.settings().collect();
    let same = known.iter().copied().find(|known| *known == plain(word));
    let elsewhere = places_of_field(word);
    let mut meant = same.or_else(|| foreign::field(word, &known));
    let help = match meant {
        None if place == BlockKind::Levels && ["link", "local", "global"].contains(&word) => {
            "every level names its own: `level 8 over name;`".to_owned()
        }
        None if matches!(place, BlockKind::FlitModel | BlockKind::PacketModel) && (word == "vcs" || foreign::hardware(word) == Some("vcs")) => {
            "a simulation uses the virtual channels of the hardware: change `vcs` in `router { .. }` or `chip { .. }`. `general = 2;` sets how many of them are general"
                .to_owned()
        }
        // Papers use single letters in different ways: the hosts of a dragonfly are its `p`.
        None if word.len() == 1 && foreign::hardware(word).is_some() => {
            let meant = foreign::hardware(word).unwrap_or_default();
            format!("did you mean `{meant}`? It belongs in {}", places_of_field(meant))
        }
        None if !elsewhere.is_empty() => {
            context.excuse_missing(&format!("`{word}`"));
            format!("`{word}` belongs in {elsewhere}")
        }
        None => {
            meant = closest(word, known.iter().copied());
            match words::item(word) {
                _ if meant.is_some() => suggestion(word, known.iter().copied()).unwrap_or_default(),
                Some(item) => {
                    context.excuse_missing(&format!("`{word}`"));
                    format!("write it in the fabric itself: `{}`", item.example)
                }
                None if foreign::hardware(word).is_some() => {
                    let meant = foreign::hardware(word).unwrap_or_default();
                    format!("did you mean `{meant}`? It belongs in {}", places_of_field(meant))
                }
                None => {
                    let known_words = known.iter().copied().chain(place.statements());
                    suggestion(word, known_words).unwrap_or_else(|| format!("`{}` has no settings", place.name()))
                }
            }
        }
        Some(meant) => format!("did you mean `{meant}`?"),
    };
    context.error(ResolveError::Misplaced {
        subject: format!("`{word}`"),
        place: title.to_owned(),
        help: Some(help),
        span: name.span,
    });
    meant
}

/// The blocks that have a field, as text: `` `chip { .. }` or `budget { .. }` ``. Empty if no block has it.
pub(super) fn places_of_field(word: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    let field_places = words::field(word).map_or(&[][..], |field| field.places);
    // A field of routers is rarely meant for the model that simulates them, or for their addresses.
    let is_rare = |place: &BlockKind| {
        matches!(place, BlockKind::PacketModel | BlockKind::FlitModel | BlockKind::Addresses)
    };
    for place in field_places.iter().filter(|place| !is_rare(place) || field_places.iter().all(is_rare)) {
        let argument = match place {
            BlockKind::Link
            | BlockKind::Ocs
            | BlockKind::Simulate
            | BlockKind::RouterKind
            | BlockKind::Box
            | BlockKind::Job
            | BlockKind::Phase
            | BlockKind::JobSend
            | BlockKind::InnerSwitch => "name ",
            BlockKind::Level => "n ",
            BlockKind::Collective | BlockKind::JobCollective => "name = kind ",
            _ => "",
        };
        let name = format!("`{} {}{{ .. }}`", place.name(), argument);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}
