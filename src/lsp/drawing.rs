//! How a file is drawn: the kinds of its words, and its outline.

use super::files::{File, Files};
use super::names::symbol;
use super::reading::{Role, Space};
use super::tokens::Shape;
use fabc_base::limits::BRACKETS;
use lsp_types::{DocumentSymbol, SemanticToken, SymbolKind};
use std::collections::BTreeMap;

/// The kinds of words that are told; a place in this list stands for one.
pub(super) const LEGEND: [&str; 10] = [
    "keyword",
    "property",
    "enumMember",
    "number",
    "string",
    "comment",
    "variable",
    "type",
    "parameter",
    "operator",
];

/// The place of a kind in the list.
fn kind(role: Role, names_something: bool) -> usize {
    match role {
        Role::Keyword => 0,
        Role::Setting => 1,
        Role::Choice | Role::Metric => 2,
        Role::Value if names_something => 6,
        Role::Value => 2,
        Role::Unit => 9,
        Role::Face => 8,
        Role::Declared(Space::Constant) | Role::Named(Space::Constant) => 6,
        Role::Declared(Space::Index) | Role::Named(Space::Index) => 8,
        Role::Declared(_) | Role::Named(_) => 7,
    }
}

/// The words of a file, each told from where the last one stood; a word never crosses a line, and of a
/// comment or text every line is told.
pub(super) fn semantic_tokens(files: &Files<'_>, file: &std::rc::Rc<File>) -> Vec<SemanticToken> {
    let mut all: Vec<(std::ops::Range<usize>, usize)> = Vec::new();
    for leaf in &file.reading.leaves {
        let names = leaf.role == Role::Value && symbol(files, file, leaf).is_some();
        all.push((leaf.bytes.clone(), kind(leaf.role, names)));
    }
    for token in &file.reading.tokens {
        let kind = match token.shape {
            Shape::Number => 3,
            Shape::Quoted => 4,
            Shape::Comment => 5,
            Shape::Word | Shape::Sign => continue,
        };
        let mut begin = token.bytes.start;
        for line in file.slice(token.bytes.clone()).split_inclusive('\n') {
            let told = line.trim_end();
            let indent = line.len() - line.trim_start().len();
            if !told.is_empty() {
                all.push((begin + indent..begin + told.len(), kind));
            }
            begin += line.len();
        }
    }
    all.sort_by_key(|(bytes, _)| bytes.start);
    let mut last = (0, 0);
    let token = |(bytes, kind): (std::ops::Range<usize>, usize)| {
        let (start, end) = (file.text.position(bytes.start), file.text.position(bytes.end));
        let delta_line = start.line - last.0;
        let delta_start = if delta_line == 0 { start.character - last.1 } else { start.character };
        last = (start.line, start.character);
        let length = end.character.saturating_sub(start.character);
        SemanticToken { delta_line, delta_start, length, token_type: kind as u32, token_modifiers_bitset: 0 }
    };
    all.into_iter().map(token).collect()
}

/// The items of a file, those of its fabric and slices below them.
pub(super) fn outline(file: &File) -> Vec<DocumentSymbol> {
    let reading = &file.reading;
    let mut tree = Tree { statements: vec![Vec::new(); reading.blocks.len()], inside: BTreeMap::new() };
    for (at, statement) in reading.statements.iter().enumerate() {
        tree.statements[statement.block].push(at);
    }
    for (at, block) in reading.blocks.iter().enumerate().skip(1).filter(|(_, block)| block.scope.has_items())
    {
        tree.inside.entry(block.statement).or_insert(at);
    }
    below(file, &tree, 0, 0)
}

/// What stands in what.
struct Tree {
    /// By block, its statements.
    statements: Vec<Vec<usize>>,
    /// By statement, its block of items.
    inside: BTreeMap<usize, usize>,
}

fn below(file: &File, tree: &Tree, block: usize, depth: usize) -> Vec<DocumentSymbol> {
    let reading = &file.reading;
    let of_block = tree.statements[block].iter().map(|&at| (at, &reading.statements[at]));
    let symbol = |(at, statement): (usize, &super::reading::Statement)| {
        let head = file.slice(statement.head.clone());
        let (name, kind) = match &statement.declares {
            Some((space, bytes)) => {
                let kind = match space {
                    Space::Fabric => SymbolKind::MODULE,
                    Space::Constant | Space::Index => SymbolKind::CONSTANT,
                    Space::Link => SymbolKind::INTERFACE,
                    Space::Ocs => SymbolKind::CLASS,
                    Space::Run => SymbolKind::FUNCTION,
                    Space::Slice => SymbolKind::NAMESPACE,
                };
                (format!("{head} {}", file.slice(bytes.clone())), kind)
            }
            None => (head.to_owned(), SymbolKind::PROPERTY),
        };
        let selected = statement.declares.as_ref().map_or(statement.head.clone(), |(_, bytes)| bytes.clone());
        // Nothing that means anything lies so deep.
        let inside = tree.inside.get(&at).filter(|_| depth < BRACKETS);
        let text = file.slice(statement.bytes.clone());
        let line = text.lines().next().unwrap_or_default();
        // What an item says, if it says it in a line.
        let detail = (line.len() == text.len() && !text.ends_with('}'))
            .then(|| line.trim_end_matches(';').trim_start_matches(head).trim().to_owned());
        #[allow(deprecated)] // the field must be there
        DocumentSymbol {
            name,
            detail: detail.filter(|_| statement.declares.is_none()),
            kind,
            tags: None,
            deprecated: None,
            range: file.text.range(statement.bytes.clone()),
            selection_range: file.text.range(selected),
            children: inside.map(|&block| below(file, tree, block, depth + 1)),
        }
    };
    // A word that is being written is no item yet.
    let is_item = |(_, statement): &(usize, &super::reading::Statement)| {
        !statement.head.is_empty()
            && file.slice(statement.head.clone()).starts_with(|letter: char| letter.is_ascii_alphabetic())
    };
    of_block.filter(is_item).map(symbol).collect()
}
