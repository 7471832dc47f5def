//! Semantic tokens and the outline of a file.

use super::files::{EditorFile, OpenFiles};
use super::names::find_symbol;
use super::reading::{NameSpace, WordRole};
use super::tokens::TokenShape;
use fabc_base::limits::BRACKETS;
use lsp_types::{DocumentSymbol, Position, SemanticToken, SymbolKind};
use std::collections::BTreeMap;

/// The token types of the protocol that the server uses. A token refers to its type by the index in this
/// list.
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

/// The index of a word's token type in [`LEGEND`].
fn token_kind(role: WordRole, names_something: bool) -> usize {
    match role {
        WordRole::Keyword => 0,
        WordRole::Setting => 1,
        WordRole::Choice | WordRole::Metric => 2,
        WordRole::Value if names_something => 6,
        WordRole::Value => 2,
        WordRole::Unit => 9,
        WordRole::Face => 8,
        WordRole::Declared(NameSpace::Constant) | WordRole::Named(NameSpace::Constant) => 6,
        WordRole::Declared(NameSpace::Index) | WordRole::Named(NameSpace::Index) => 8,
        WordRole::Declared(_) | WordRole::Named(_) => 7,
    }
}

/// The semantic tokens of a file, each relative to the one before. A token never crosses a line, so a comment
/// or quoted text gives one token per line.
pub(super) fn semantic_tokens(files: &OpenFiles<'_>, file: &std::rc::Rc<EditorFile>) -> Vec<SemanticToken> {
    let mut words: Vec<(std::ops::Range<usize>, usize)> = Vec::new();
    for leaf in &file.reading.leaves {
        let names = leaf.role == WordRole::Value && find_symbol(files, file, leaf).is_some();
        words.push((leaf.bytes.clone(), token_kind(leaf.role, names)));
    }
    for token in &file.reading.tokens {
        let kind = match token.shape {
            TokenShape::Number => 3,
            TokenShape::Quoted => 4,
            TokenShape::Comment => 5,
            TokenShape::Word | TokenShape::Sign => continue,
        };
        let mut begin = token.bytes.start;
        for line in file.slice(token.bytes.clone()).split_inclusive('\n') {
            let text = line.trim_end();
            let indent = line.len() - line.trim_start().len();
            if !text.is_empty() {
                words.push((begin + indent..begin + text.len(), kind));
            }
            begin += line.len();
        }
    }
    words.sort_by_key(|(bytes, _)| bytes.start);
    let mut previous = Position::new(0, 0);
    let token = |(bytes, kind): (std::ops::Range<usize>, usize)| {
        let (start, end) = (file.text.position(bytes.start), file.text.position(bytes.end));
        let delta_line = start.line - previous.line;
        let delta_start =
            if delta_line == 0 { start.character - previous.character } else { start.character };
        previous = start;
        let length = end.character.saturating_sub(start.character);
        SemanticToken { delta_line, delta_start, length, token_type: kind as u32, token_modifiers_bitset: 0 }
    };
    words.into_iter().map(token).collect()
}

/// The items of a file, with those of its fabric and slices below them.
pub(super) fn outline(file: &EditorFile) -> Vec<DocumentSymbol> {
    let reading = &file.reading;
    let mut tree =
        OutlineTree { statements: vec![Vec::new(); reading.blocks.len()], item_blocks: BTreeMap::new() };
    for (index, statement) in reading.statements.iter().enumerate() {
        tree.statements[statement.block].push(index);
    }
    for (index, block) in
        reading.blocks.iter().enumerate().skip(1).filter(|(_, block)| block.scope.has_items())
    {
        tree.item_blocks.entry(block.statement).or_insert(index);
    }
    symbols_in(file, &tree, 0, 0)
}

/// Which statements stand in which blocks.
struct OutlineTree {
    /// `[block]`: the statements in that block.
    statements: Vec<Vec<usize>>,
    /// From a statement to its block of items.
    item_blocks: BTreeMap<usize, usize>,
}

fn symbols_in(file: &EditorFile, tree: &OutlineTree, block: usize, depth: usize) -> Vec<DocumentSymbol> {
    let reading = &file.reading;
    let statements = tree.statements[block].iter().map(|&index| (index, &reading.statements[index]));
    let symbol = |(index, statement): (usize, &super::reading::RawStatement)| {
        let head = file.slice(statement.head.clone());
        let (name, kind) = match &statement.declares {
            Some((space, bytes)) => {
                let kind = match space {
                    NameSpace::Fabric => SymbolKind::MODULE,
                    NameSpace::Constant | NameSpace::Index => SymbolKind::CONSTANT,
                    NameSpace::Link => SymbolKind::INTERFACE,
                    NameSpace::Ocs | NameSpace::Box | NameSpace::Router => SymbolKind::CLASS,
                    NameSpace::Run => SymbolKind::FUNCTION,
                    NameSpace::Slice => SymbolKind::NAMESPACE,
                };
                (format!("{head} {}", file.slice(bytes.clone())), kind)
            }
            None => (head.to_owned(), SymbolKind::PROPERTY),
        };
        let selected = statement.declares.as_ref().map_or(statement.head.clone(), |(_, bytes)| bytes.clone());
        // A deeper block cannot be valid: the parser refuses it.
        let item_block = tree.item_blocks.get(&index).filter(|_| depth < BRACKETS);
        let text = file.slice(statement.bytes.clone());
        let line = text.lines().next().unwrap_or_default();
        // The rest of an item that fits on one line.
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
            children: item_block.map(|&block| symbols_in(file, tree, block, depth + 1)),
        }
    };
    // A word that is being written is no item yet.
    let is_item = |(_, statement): &(usize, &super::reading::RawStatement)| {
        !statement.head.is_empty()
            && file.slice(statement.head.clone()).starts_with(|letter: char| letter.is_ascii_alphabetic())
    };
    statements.filter(is_item).map(symbol).collect()
}
