//! Answers about a place in a file: hover texts, completions, and whether a name may be changed.

use super::analysis::{Analysis, Spot};
use super::files::{EditorFile, OpenFiles};
use super::names::{Symbol, candidate_spaces, find_symbol, occurrences};
use super::reading::{BlockScope, LINK_SETTINGS, Leaf, NameSpace, WordRole};
use super::tokens::{Token, TokenShape};
use super::vocabulary;
use fabc_base::units::{UNITS, Unit};
use fabc_lang::syntax::words::{BlockKind, CHANGED_BY_USE, ITEMS, ItemForm, STATEMENTS};
use std::ops::Range;
use std::rc::Rc;

/// The word at a byte, and its description in Markdown.
pub(super) fn hover(
    files: &OpenFiles<'_>,
    file: &Rc<EditorFile>,
    offset: usize,
    analysis: Option<&Analysis>,
) -> Option<(Range<usize>, String)> {
    let leaf = file.reading.leaf_at(offset)?;
    let word = file.slice(leaf.bytes.clone());
    let mut parts: Vec<String> = Vec::new();
    // Facts of the fabric or of a group of switches belong to its name, and to no other name.
    let mut shows_facts = !matches!(leaf.role, WordRole::Unit);
    match find_symbol(files, file, leaf) {
        Some(symbol) => {
            shows_facts = matches!(symbol.space, NameSpace::Fabric | NameSpace::Ocs);
            parts.extend(declaration(files, file, &symbol));
        }
        None => {
            let (kind, meaning) = match leaf.role {
                WordRole::Keyword => ("", vocabulary::keyword_meaning(word)),
                WordRole::Setting => ("", vocabulary::setting_meaning(setting_place(file, leaf), word)),
                WordRole::Choice | WordRole::Value | WordRole::Named(_) => {
                    ("", vocabulary::choice_meaning(word))
                }
                WordRole::Unit => ("unit ", vocabulary::unit_meaning(word)),
                WordRole::Metric => ("metric ", vocabulary::metric_meaning(word)),
                WordRole::Face => ("", Some("a face of every cube; in brackets the place of the port on it")),
                WordRole::Declared(_) => ("", None),
            };
            if let Some(meaning) = meaning {
                parts.push(format!("{kind}`{word}`: {meaning}"));
            }
            let shown = matches!(
                leaf.role,
                WordRole::Keyword | WordRole::Setting | WordRole::Choice | WordRole::Value
            ) && setting_place(file, leaf).is_none();
            if let Some(example) = vocabulary::example(word, file.reading.network).filter(|_| shown) {
                parts.push(format!("```fab\n{example}\n```"));
            }
        }
    }
    let covers = |spot: &Spot| {
        spot.path == file.path && spot.bytes.start <= leaf.bytes.start && leaf.bytes.end <= spot.bytes.end
    };
    let facts =
        analysis.iter().flat_map(|analysis| &analysis.annotations().facts).filter(|(spot, _)| covers(spot));
    // The fact about the smallest place wins.
    if let Some((_, fact)) = facts.min_by_key(|(spot, _)| spot.bytes.len()).filter(|_| shows_facts) {
        parts.push(fact.lines().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n"));
    }
    (!parts.is_empty()).then(|| (leaf.bytes.clone(), parts.join("\n\n")))
}

/// Whether the word at a byte is a metric.
pub(super) fn is_metric(file: &EditorFile, offset: usize) -> bool {
    file.reading.leaf_at(offset).is_some_and(|leaf| matches!(leaf.role, WordRole::Metric))
}

/// The block whose settings include a word.
fn setting_place(file: &EditorFile, leaf: &Leaf) -> Option<BlockKind> {
    file.reading.blocks[file.reading.statements[leaf.statement].block].scope.place()
}

/// The line that declares a symbol, in Markdown.
fn declaration(files: &OpenFiles<'_>, file: &Rc<EditorFile>, symbol: &Symbol) -> Option<String> {
    let declared = occurrences(files, file, symbol).into_iter().find(|declared| declared.declares)?;
    let declaring = if declared.path == file.path { file.clone() } else { files.file(&declared.path)? };
    let leaf = declaring.reading.leaf_at(declared.bytes.0)?;
    let statement = &declaring.reading.statements[leaf.statement];
    let text = declaring.slice(statement.bytes.clone());
    // A block is cut after its first line.
    let shown = text.lines().next().unwrap_or(text).trim_end();
    let line = if shown.len() < text.trim_end().len() { format!("{shown} ..") } else { shown.to_owned() };
    let from = if declared.path == file.path { String::new() } else { format!("\n\nin {}", declared.path) };
    Some(format!("```fab\n{line}\n```{from}"))
}

/// A completion that the editor may show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CompletionOffer {
    pub(super) label: String,
    pub(super) kind: OfferKind,
    pub(super) detail: Option<String>,
    /// The text to insert, if it is not the label.
    pub(super) text: Option<String>,
}

/// The kind of word that a completion offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OfferKind {
    Keyword,
    Setting,
    Choice,
    Name,
    Unit,
    Metric,
}

/// The completions at a byte, and the range of bytes that they replace.
pub(super) fn complete(
    files: &OpenFiles<'_>,
    file: &Rc<EditorFile>,
    offset: usize,
) -> (Range<usize>, Vec<CompletionOffer>) {
    let text = file.text.content();
    let tokens: Vec<&Token> = file.reading.tokens.iter().filter(|token| token.bytes.start < offset).collect();
    let inside = |token: &&&Token| {
        let written = &text[token.bytes.clone()];
        let open = match token.shape {
            TokenShape::Comment => !written.ends_with("*/"),
            TokenShape::Quoted => written.len() < 2 || !written.ends_with('"'),
            TokenShape::Word | TokenShape::Number | TokenShape::Sign => return false,
        };
        token.bytes.end > offset || open && token.bytes.end == offset
    };
    if tokens.last().filter(inside).is_some() {
        return (offset..offset, Vec::new());
    }
    let word = tokens.last().filter(|token| token.shape == TokenShape::Word && token.bytes.end >= offset);
    let bytes = word.map_or(offset..offset, |token| token.bytes.start..offset.max(token.bytes.start));
    // The statement so far, without the word that is being written.
    let tokens: Vec<&Token> = tokens
        .into_iter()
        .filter(|token| token.bytes.end <= bytes.start && token.shape != TokenShape::Comment)
        .collect();
    let is_one_of = |token: &&&Token, signs: &[&str]| signs.contains(&&text[token.bytes.clone()]);
    let begin =
        tokens.iter().rposition(|token| is_one_of(&token, &[";", "{", "}"])).map_or(0, |index| index + 1);
    let line: Vec<&str> = tokens[begin..].iter().map(|token| &text[token.bytes.clone()]).collect();
    let after_number = tokens.last().is_some_and(|token| token.shape == TokenShape::Number);
    let block = file.reading.block_at(bytes.start);
    let scope = file.reading.blocks[block].scope;
    (bytes, CompletionContext { files, file, scope, line: &line, after_number }.offers())
}

struct CompletionContext<'a> {
    files: &'a OpenFiles<'a>,
    file: &'a Rc<EditorFile>,
    scope: BlockScope,
    /// The tokens of the statement so far.
    line: &'a [&'a str],
    after_number: bool,
}

impl CompletionContext<'_> {
    fn offers(&self) -> Vec<CompletionOffer> {
        let place = self.scope.place();
        match self.line {
            [] => self.statement_starts(),
            [.., "over"] => [
                vec![offer("groups of", OfferKind::Keyword, vocabulary::keyword_meaning("groups"))],
                self.name_offers(NameSpace::Link),
            ]
            .concat(),
            ["require", .., "of"] => {
                ["universal", "bound", "nominal"].map(|word| offer(word, OfferKind::Choice, None)).to_vec()
            }
            ["require"] => {
                let metrics = vocabulary::metrics()
                    .map(|metric| offer(metric, OfferKind::Metric, vocabulary::metric_meaning(metric)));
                [
                    metrics.collect(),
                    self.name_offers(NameSpace::Run),
                    vec![offer("fault", OfferKind::Keyword, vocabulary::keyword_meaning("fault"))],
                ]
                .concat()
            }
            ["require", "fault", "."] => {
                let metrics = vocabulary::metrics()
                    .map(|metric| offer(metric, OfferKind::Metric, vocabulary::metric_meaning(metric)));
                [metrics.collect(), self.name_offers(NameSpace::Run)].concat()
            }
            ["require", .., "."] => vocabulary::run_metrics()
                .map(|metric| offer(metric, OfferKind::Metric, vocabulary::metric_meaning(metric)))
                .collect(),
            ["collective", _, "="] => self.choice_offers(None, "collective"),
            ["use"] | ["let" | "param" | "link" | "simulate" | "collective" | "slice" | "fabric" | "ocs"] => {
                Vec::new()
            }
            _ if self.after_number => self.unit_offers(),
            [setting, .., "="] if self.line.len() == 2 => {
                let place = if self.scope.has_items() { None } else { place };
                let mut offers = self.choice_offers(place, setting);
                offers.extend(match *setting {
                    setting if LINK_SETTINGS.contains(&setting) => self.name_offers(NameSpace::Link),
                    "after" => self.name_offers(NameSpace::Run),
                    _ => Vec::new(),
                });
                offers.extend(self.name_offers(NameSpace::Constant));
                offers
            }
            _ => self.name_offers(NameSpace::Constant),
        }
    }

    /// The words that may begin a statement.
    fn statement_starts(&self) -> Vec<CompletionOffer> {
        let item = |name: &'static str| {
            let known = ITEMS.iter().find(|item| item.name == name);
            let text = known.map(|item| match item.form {
                ItemForm::Setting | ItemForm::Choice => format!("{name} = "),
                ItemForm::Line | ItemForm::Named | ItemForm::Block | ItemForm::ChoiceOrBlock => {
                    format!("{name} ")
                }
            });
            CompletionOffer { text, ..offer(name, OfferKind::Keyword, vocabulary::keyword_meaning(name)) }
        };
        const SLICE_ITEMS: [&str; 9] = [
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
        let items = ITEMS.iter().map(|item| item.name);
        match self.scope {
            BlockScope::File if self.file.is_spec() => items.map(item).collect(),
            BlockScope::File => [
                vec![offer("fabric", OfferKind::Keyword, vocabulary::keyword_meaning("fabric"))],
                items.map(item).collect(),
            ]
            .concat(),
            BlockScope::Fabric => items.filter(|name| *name != "count").map(item).collect(),
            BlockScope::Slice => SLICE_ITEMS.map(item).to_vec(),
            BlockScope::Sweep => self.name_offers(NameSpace::Constant),
            BlockScope::Use => {
                [self.name_offers(NameSpace::Constant), CHANGED_BY_USE.map(item).to_vec()].concat()
            }
            BlockScope::Item(_) | BlockScope::Choice(_) => {
                let Some(place) = self.scope.place() else { return Vec::new() };
                let setting = |name: &'static str| CompletionOffer {
                    text: Some(format!("{name} = ")),
                    ..offer(name, OfferKind::Setting, vocabulary::setting_meaning(Some(place), name))
                };
                let statements = place
                    .statements()
                    .filter_map(|word| STATEMENTS.iter().find(|(known, _)| *known == word))
                    .map(|(word, _)| CompletionOffer {
                        text: Some(format!("{word} ")),
                        ..offer(word, OfferKind::Keyword, vocabulary::keyword_meaning(word))
                    });
                let links =
                    if place == BlockKind::Floor { self.name_offers(NameSpace::Link) } else { Vec::new() };
                statements.chain(place.settings().map(setting)).chain(links).collect()
            }
            BlockScope::Unknown => Vec::new(),
        }
    }

    /// The units that fit behind the number of this statement, or all units where any quantity may stand.
    fn unit_offers(&self) -> Vec<CompletionOffer> {
        let place = self.scope.place();
        let dimensions = match self.line {
            ["let" | "param", ..] => None,
            _ if matches!(self.scope, BlockScope::Sweep | BlockScope::Use) => None,
            ["require", ..] => {
                let compares = |word: &&str| word.starts_with(['<', '>', '=']);
                let end = self.line.iter().position(compares).unwrap_or(self.line.len());
                let metric = self.line[1..end].split(|word| *word == "(").next().and_then(<[&str]>::last);
                Some(vocabulary::metric_dimensions(metric.copied().unwrap_or_default()))
            }
            [setting, ..] => Some(vocabulary::setting_dimensions(
                if self.scope.has_items() { None } else { place },
                setting,
            )),
            [] => None,
        };
        let fits = |unit: &&Unit| dimensions.is_none_or(|dimensions| dimensions.contains(&unit.dimension));
        UNITS
            .iter()
            .filter(fits)
            .map(|unit| offer(unit.name, OfferKind::Unit, vocabulary::unit_meaning(unit.name)))
            .collect()
    }

    fn choice_offers(&self, place: Option<BlockKind>, setting: &str) -> Vec<CompletionOffer> {
        let words = vocabulary::choices(place, setting, self.is_network());
        words
            .into_iter()
            .map(|word| CompletionOffer {
                detail: vocabulary::choice_meaning(word).map(str::to_owned),
                ..offer(word, OfferKind::Choice, None)
            })
            .collect()
    }

    fn is_network(&self) -> bool {
        self.files.file_set(&self.file.path).iter().any(|file| file.reading.network)
    }

    /// The names of a space, each once.
    fn name_offers(&self, space: NameSpace) -> Vec<CompletionOffer> {
        let mut names: Vec<String> = Vec::new();
        for file in self.files.file_sets(&self.file.path).iter().flatten() {
            for name in file.declared_names(space) {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
        names
            .into_iter()
            .map(|name| CompletionOffer { label: name, kind: OfferKind::Name, detail: None, text: None })
            .collect()
    }
}

fn offer(label: &str, kind: OfferKind, detail: Option<&str>) -> CompletionOffer {
    CompletionOffer { label: label.to_owned(), kind, detail: detail.map(str::to_owned), text: None }
}

/// Checks a new name of a symbol. It must be a word, and no other name of the space may be the same where the
/// symbol is visible. The error is the reason as a sentence.
pub(super) fn check_new_name(
    files: &OpenFiles<'_>,
    file: &Rc<EditorFile>,
    symbol: &Symbol,
    name: &str,
) -> Result<(), String> {
    let letters = |first: bool| {
        move |letter: char| letter.is_ascii_alphabetic() || letter == '_' || !first && letter.is_ascii_digit()
    };
    if !name.starts_with(letters(true)) || !name.chars().all(letters(false)) {
        return Err(format!("`{name}` is no name: letters, digits and `_`, and no digit first"));
    }
    let paths = occurrences(files, file, symbol).into_iter().map(|occurrence| occurrence.path);
    let sets: Vec<Rc<EditorFile>> = paths.flat_map(|path| files.file_sets(&path)).flatten().collect();
    let taken =
        |space: NameSpace| sets.iter().any(|file| file.declared_names(space).any(|other| other == name));
    // A constant, an index and a link can stand in the same places.
    let conflicting: &[NameSpace] = match symbol.space {
        NameSpace::Constant | NameSpace::Index | NameSpace::Link => {
            &[NameSpace::Constant, NameSpace::Index, NameSpace::Link]
        }
        NameSpace::Fabric => &[],
        NameSpace::Ocs => &[NameSpace::Ocs],
        NameSpace::Box => &[NameSpace::Box],
        NameSpace::Router => &[NameSpace::Router],
        NameSpace::Run => &[NameSpace::Run],
        NameSpace::Slice => &[NameSpace::Slice],
    };
    match conflicting.iter().any(|&space| taken(space)) {
        true => Err(format!("there is a `{name}` already")),
        false => Ok(()),
    }
}

/// Whether words of this role can be renamed.
pub(super) fn is_renameable(role: WordRole) -> bool {
    !candidate_spaces(role).is_empty() || role == WordRole::Declared(NameSpace::Index)
}
