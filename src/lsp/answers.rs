//! What is answered about a place in a file: its meaning, what could stand there, where names stand.

use super::analysis::Analysis;
use super::files::{File, Files};
use super::names::{Symbol, occurrences, spaces, symbol};
use super::reading::{Leaf, Role, Scope, Space};
use super::tokens::{Shape, Token};
use super::vocabulary;
use fabc_base::units::{UNITS, Unit};
use fabc_lang::syntax::words::{Form, ITEMS, Place, STATEMENTS};
use std::ops::Range;
use std::rc::Rc;

/// The word at a place, and what is said of it, in Markdown.
pub(super) fn hover(
    files: &Files<'_>,
    file: &Rc<File>,
    offset: usize,
    analysis: Option<&Analysis>,
) -> Option<(Range<usize>, String)> {
    let leaf = file.reading.leaf_at(offset)?;
    let word = file.slice(leaf.bytes.clone());
    let mut parts: Vec<String> = Vec::new();
    // What is known of the fabric, or of a group of switches, is told of their names, and of no others.
    let mut told = !matches!(leaf.role, Role::Unit);
    match symbol(files, file, leaf) {
        Some(symbol) => {
            told = matches!(symbol.space, Space::Fabric | Space::Ocs);
            parts.extend(declaration(files, file, &symbol));
        }
        None => {
            let (kind, meaning) = match leaf.role {
                Role::Keyword => ("", vocabulary::of_keyword(word)),
                Role::Setting => ("", vocabulary::of_setting(place_of(file, leaf), word)),
                Role::Choice | Role::Value | Role::Named(_) => ("", vocabulary::of_choice(word)),
                Role::Unit => ("unit ", vocabulary::of_unit(word)),
                Role::Metric => ("metric ", vocabulary::of_metric(word)),
                Role::Face => ("", Some("a face of every cube; in brackets the place of the port on it")),
                Role::Declared(_) => ("", None),
            };
            if let Some(meaning) = meaning {
                parts.push(format!("{kind}`{word}`: {meaning}"));
            }
            let shown = matches!(leaf.role, Role::Keyword | Role::Setting | Role::Choice | Role::Value)
                && place_of(file, leaf).is_none();
            if let Some(example) = vocabulary::example(word, file.reading.network).filter(|_| shown) {
                parts.push(format!("```fab\n{example}\n```"));
            }
        }
    }
    let here = |(path, bytes): &(String, Range<usize>)| {
        *path == file.path && bytes.start <= leaf.bytes.start && leaf.bytes.end <= bytes.end
    };
    let facts = analysis.iter().flat_map(|analysis| &analysis.known().facts).filter(|(spot, _)| here(spot));
    // What is known of the smallest place counts.
    if let Some((_, told)) = facts.min_by_key(|(spot, _)| spot.1.len()).filter(|_| told) {
        parts.push(told.lines().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n"));
    }
    (!parts.is_empty()).then(|| (leaf.bytes.clone(), parts.join("\n\n")))
}

/// The block whose setting a word is.
fn place_of(file: &File, leaf: &Leaf) -> Option<Place> {
    file.reading.blocks[file.reading.statements[leaf.statement].block].scope.place()
}

/// The line that declares a name.
fn declaration(files: &Files<'_>, file: &Rc<File>, symbol: &Symbol) -> Option<String> {
    let at = occurrences(files, file, symbol).into_iter().find(|at| at.declares)?;
    let declaring = if at.path == file.path { file.clone() } else { files.file(&at.path)? };
    let leaf = declaring.reading.leaf_at(at.bytes.0)?;
    let statement = &declaring.reading.statements[leaf.statement];
    let text = declaring.slice(statement.bytes.clone());
    // Of blocks, as much as stands on one line.
    let shown = text.lines().next().unwrap_or(text).trim_end();
    let whole = if shown.len() < text.trim_end().len() { format!("{shown} ..") } else { shown.to_owned() };
    let from = if at.path == file.path { String::new() } else { format!("\n\nin {}", at.path) };
    Some(format!("```fab\n{whole}\n```{from}"))
}

/// Something that could be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Offer {
    pub(super) label: String,
    pub(super) kind: Offered,
    pub(super) detail: Option<String>,
    /// What is written, if it is not the label.
    pub(super) text: Option<String>,
}

/// What an offer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Offered {
    Keyword,
    Setting,
    Choice,
    Name,
    Unit,
    Metric,
}

/// What could stand at a place, and which bytes it takes the place of.
pub(super) fn complete(files: &Files<'_>, file: &Rc<File>, offset: usize) -> (Range<usize>, Vec<Offer>) {
    let text = file.text.content();
    let tokens: Vec<&Token> = file.reading.tokens.iter().filter(|token| token.bytes.start < offset).collect();
    let inside = |token: &&&Token| {
        let written = &text[token.bytes.clone()];
        let open = match token.shape {
            Shape::Comment => !written.ends_with("*/"),
            Shape::Quoted => written.len() < 2 || !written.ends_with('"'),
            Shape::Word | Shape::Number | Shape::Sign => return false,
        };
        token.bytes.end > offset || open && token.bytes.end == offset
    };
    if tokens.last().filter(inside).is_some() {
        return (offset..offset, Vec::new());
    }
    let word = tokens.last().filter(|token| token.shape == Shape::Word && token.bytes.end >= offset);
    let bytes = word.map_or(offset..offset, |token| token.bytes.start..offset.max(token.bytes.start));
    // The statement so far, without the word that is being written.
    let tokens: Vec<&Token> = tokens
        .into_iter()
        .filter(|token| token.bytes.end <= bytes.start && token.shape != Shape::Comment)
        .collect();
    let is = |token: &&&Token, signs: &[&str]| signs.contains(&&text[token.bytes.clone()]);
    let begin = tokens.iter().rposition(|token| is(&token, &[";", "{", "}"])).map_or(0, |at| at + 1);
    let line: Vec<&str> = tokens[begin..].iter().map(|token| &text[token.bytes.clone()]).collect();
    let after_number = tokens.last().is_some_and(|token| token.shape == Shape::Number);
    let block = file.reading.block_at(bytes.start);
    let scope = file.reading.blocks[block].scope;
    (bytes, Completion { files, file, scope, line: &line, after_number }.offers())
}

struct Completion<'a> {
    files: &'a Files<'a>,
    file: &'a Rc<File>,
    scope: Scope,
    /// The statement so far.
    line: &'a [&'a str],
    after_number: bool,
}

impl Completion<'_> {
    fn offers(&self) -> Vec<Offer> {
        let place = self.scope.place();
        match self.line {
            [] => self.beginnings(),
            [.., "over"] => [
                vec![offer("groups of", Offered::Keyword, vocabulary::of_keyword("groups"))],
                self.names(Space::Link),
            ]
            .concat(),
            ["require", .., "of"] => {
                ["universal", "bound", "nominal"].map(|word| offer(word, Offered::Choice, None)).to_vec()
            }
            ["require"] => {
                let metrics = vocabulary::metrics()
                    .map(|metric| offer(metric, Offered::Metric, vocabulary::of_metric(metric)));
                [
                    metrics.collect(),
                    self.names(Space::Run),
                    vec![offer("fault", Offered::Keyword, vocabulary::of_keyword("fault"))],
                ]
                .concat()
            }
            ["require", "fault", "."] => {
                let metrics = vocabulary::metrics()
                    .map(|metric| offer(metric, Offered::Metric, vocabulary::of_metric(metric)));
                [metrics.collect(), self.names(Space::Run)].concat()
            }
            ["require", .., "."] => vocabulary::run_metrics()
                .map(|metric| offer(metric, Offered::Metric, vocabulary::of_metric(metric)))
                .collect(),
            ["collective", _, "="] => self.choices(None, "collective"),
            ["use"] | ["let" | "param" | "link" | "simulate" | "collective" | "slice" | "fabric" | "ocs"] => {
                Vec::new()
            }
            _ if self.after_number => self.units(),
            [setting, .., "="] if self.line.len() == 2 => {
                let place = if self.scope.has_items() { None } else { place };
                let mut all = self.choices(place, setting);
                all.extend(match *setting {
                    "link" | "local" | "global" | "default" | "beyond" => self.names(Space::Link),
                    "after" => self.names(Space::Run),
                    _ => Vec::new(),
                });
                all.extend(self.names(Space::Constant));
                all
            }
            _ => self.names(Space::Constant),
        }
    }

    /// What a statement may begin with.
    fn beginnings(&self) -> Vec<Offer> {
        let item = |name: &'static str| {
            let known = ITEMS.iter().find(|item| item.name == name);
            let text = known.map(|item| match item.form {
                Form::Setting | Form::Choice => format!("{name} = "),
                Form::Line | Form::Named | Form::Block | Form::ChoiceOrBlock => format!("{name} "),
            });
            Offer { text, ..offer(name, Offered::Keyword, vocabulary::of_keyword(name)) }
        };
        const OF_SLICES: [&str; 9] = [
            "cubes",
            "count",
            "budget",
            "demand",
            "topology",
            "routing",
            "simulate",
            "collective",
            "require",
        ];
        let all = ITEMS.iter().map(|item| item.name);
        match self.scope {
            Scope::File if self.file.is_spec() => all.map(item).collect(),
            Scope::File => [
                vec![offer("fabric", Offered::Keyword, vocabulary::of_keyword("fabric"))],
                all.map(item).collect(),
            ]
            .concat(),
            Scope::Fabric => all.filter(|name| *name != "count").map(item).collect(),
            Scope::Slice => OF_SLICES.map(item).to_vec(),
            Scope::Sweep => self.names(Space::Constant),
            Scope::Use => {
                const CHANGED: [&str; 9] =
                    ["link", "router", "chip", "cube", "ocs", "budget", "failures", "floor", "simulate"];
                [self.names(Space::Constant), CHANGED.map(item).to_vec()].concat()
            }
            Scope::Item(_) | Scope::Choice(_) => {
                let Some(place) = self.scope.place() else { return Vec::new() };
                let setting = |name: &'static str| Offer {
                    text: Some(format!("{name} = ")),
                    ..offer(name, Offered::Setting, vocabulary::of_setting(Some(place), name))
                };
                let statement = place
                    .statement()
                    .or((self.scope == Scope::Choice(Some(Place::Levels))).then_some("level"));
                let statement =
                    statement.and_then(|word| STATEMENTS.iter().find(|(known, _)| *known == word));
                let statement = statement.map(|(word, _)| Offer {
                    text: Some(format!("{word} ")),
                    ..offer(word, Offered::Keyword, vocabulary::of_keyword(word))
                });
                let links = if place == Place::Floor { self.names(Space::Link) } else { Vec::new() };
                statement.into_iter().chain(place.settings().map(setting)).chain(links).collect()
            }
            Scope::Unknown => Vec::new(),
        }
    }

    /// The units that fit behind the number of this statement: all of them where any quantity may stand.
    fn units(&self) -> Vec<Offer> {
        let place = self.scope.place();
        let dimensions = match self.line {
            ["let" | "param", ..] => None,
            _ if matches!(self.scope, Scope::Sweep | Scope::Use) => None,
            ["require", ..] => {
                let compares = |word: &&str| word.starts_with(['<', '>', '=']);
                let end = self.line.iter().position(compares).unwrap_or(self.line.len());
                let metric = self.line[1..end].split(|word| *word == "(").next().and_then(<[&str]>::last);
                Some(vocabulary::units_of_metric(metric.copied().unwrap_or_default()))
            }
            [setting, ..] => {
                Some(vocabulary::units_of(if self.scope.has_items() { None } else { place }, setting))
            }
            [] => None,
        };
        let fits = |unit: &&Unit| dimensions.is_none_or(|dimensions| dimensions.contains(&unit.dimension));
        UNITS
            .iter()
            .filter(fits)
            .map(|unit| offer(unit.name, Offered::Unit, vocabulary::of_unit(unit.name)))
            .collect()
    }

    fn choices(&self, place: Option<Place>, setting: &str) -> Vec<Offer> {
        let words = vocabulary::choices(place, setting, self.network());
        words
            .into_iter()
            .map(|word| Offer {
                detail: vocabulary::of_choice(word).map(str::to_owned),
                ..offer(word, Offered::Choice, None)
            })
            .collect()
    }

    fn network(&self) -> bool {
        self.files.set(&self.file.path).iter().any(|file| file.reading.network)
    }

    /// The names of a space, each once.
    fn names(&self, space: Space) -> Vec<Offer> {
        let mut names: Vec<String> = Vec::new();
        for file in self.files.sets(&self.file.path).iter().flatten() {
            for (name, _) in file.declared(space) {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
        names
            .into_iter()
            .map(|name| Offer { label: name, kind: Offered::Name, detail: None, text: None })
            .collect()
    }
}

fn offer(label: &str, kind: Offered, detail: Option<&str>) -> Offer {
    Offer { label: label.to_owned(), kind, detail: detail.map(str::to_owned), text: None }
}

/// Whether a name can be given to a symbol: a word that is no other name of its space where it is known.
pub(super) fn can_be(files: &Files<'_>, file: &Rc<File>, symbol: &Symbol, name: &str) -> Result<(), String> {
    let letters = |first: bool| {
        move |letter: char| letter.is_ascii_alphabetic() || letter == '_' || !first && letter.is_ascii_digit()
    };
    if !name.starts_with(letters(true)) || !name.chars().all(letters(false)) {
        return Err(format!("`{name}` is no name: letters, digits and `_`, and no digit first"));
    }
    let at: Vec<String> = occurrences(files, file, symbol).into_iter().map(|at| at.path).collect();
    let sets: Vec<Rc<File>> = at.iter().flat_map(|path| files.sets(path)).flatten().collect();
    let taken = |space: Space| sets.iter().any(|file| file.declared(space).any(|(other, _)| other == name));
    // Constants, indices and links stand where the others could.
    let others: &[Space] = match symbol.space {
        Space::Constant | Space::Index | Space::Link => &[Space::Constant, Space::Index, Space::Link],
        Space::Fabric => &[],
        Space::Ocs => &[Space::Ocs],
        Space::Run => &[Space::Run],
        Space::Slice => &[Space::Slice],
    };
    match others.iter().any(|&space| taken(space)) {
        true => Err(format!("there is a `{name}` already")),
        false => Ok(()),
    }
}

/// Whether a word of a role may be renamed.
pub(super) fn is_renamed(role: Role) -> bool {
    !spaces(role).is_empty() || role == Role::Declared(Space::Index)
}
