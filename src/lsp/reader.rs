//! Reads statements and the roles of their words. A word's neighbours decide its role.

use super::places::{block_place, item_space, statement_place};
use super::reading::{
    BlockScope, INNER_WORDS, LINK_SETTINGS, Leaf, NameSpace, ROUTER_SETTINGS, RawBlock, RawStatement,
    Reading, WordRole,
};
use super::tokens::{Token, TokenShape, tokenize};
use fabc_lang::syntax::words::{self, BlockKind, ItemForm, STATEMENTS};
use std::ops::Range;

impl Reading {
    /// Reads a text, finished or not.
    pub(super) fn parse(text: &str) -> Self {
        let mut tokens = tokenize(text);
        let with_comments = tokens.clone();
        tokens.retain(|token| token.shape != TokenShape::Comment);
        let sign = |index: usize| tokens.get(index).map(|token: &Token| &text[token.bytes.clone()]);
        let network = (0..tokens.len()).any(|index| match (sign(index), sign(index + 1)) {
            (Some("router"), Some("{")) | (Some("boxes"), Some("=")) => true,
            (Some("router" | "box"), Some(_)) => sign(index + 2) == Some("{"),
            _ => false,
        });
        let file = RawBlock { bytes: 0..text.len(), scope: BlockScope::File, statement: 0, parent: 0 };
        let reading = Reading {
            tokens: with_comments,
            leaves: Vec::new(),
            blocks: vec![file],
            statements: Vec::new(),
            network,
        };
        let mut reader = Reader { text, tokens: &tokens, reading };
        reader.read_file();
        reader.reading
    }
}

struct Reader<'t> {
    text: &'t str,
    /// The tokens of the text without comments.
    tokens: &'t [Token],
    reading: Reading,
}

impl<'t> Reader<'t> {
    fn word(&self, index: usize) -> Option<&'t str> {
        self.tokens
            .get(index)
            .filter(|token| token.shape == TokenShape::Word)
            .map(|token| &self.text[token.bytes.clone()])
    }

    fn is_token(&self, index: usize, sign: &str) -> bool {
        self.tokens.get(index).is_some_and(|token| &self.text[token.bytes.clone()] == sign)
    }

    fn is_comparison(&self, index: usize) -> bool {
        ["<=", ">=", "<", ">", "=="].iter().any(|sign| self.is_token(index, sign))
    }

    fn read_file(&mut self) {
        let (mut index, mut open) = (0, vec![0usize]);
        while index < self.tokens.len() {
            let block = *open.last().unwrap_or(&0);
            if self.is_token(index, "}") {
                if open.len() > 1 {
                    let end = self.tokens[index].bytes.end;
                    open.pop();
                    self.reading.blocks[block].bytes.end = end;
                    let statement = self.reading.blocks[block].statement;
                    self.reading.statements[statement].bytes.end = end;
                }
                index += 1;
                continue;
            }
            if self.is_token(index, ";") || self.is_token(index, "{") {
                index += 1;
                continue;
            }
            let end = self.statement_end(index);
            let opens = self.is_token(end, "{");
            let scope = self.read_statement(index..end, opens, block);
            index = end;
            if opens {
                let start = self.tokens[end].bytes.start;
                let statement = self.reading.statements.len() - 1;
                self.reading.statements[statement].bytes.end = self.text.len();
                self.reading.blocks.push(RawBlock {
                    bytes: start..self.text.len(),
                    scope,
                    statement,
                    parent: block,
                });
                open.push(self.reading.blocks.len() - 1);
                index += 1;
            } else if self.is_token(end, ";") {
                index += 1;
            }
        }
        self.reading.leaves.sort_by_key(|leaf| leaf.bytes.start);
    }

    /// The end of a statement: a `;`, a brace, or the start of the next statement on a new line.
    fn statement_end(&self, from: usize) -> usize {
        let begins = |index: usize| {
            let Some(word) = self.word(index) else { return false };
            let new_line =
                self.text[self.tokens[index - 1].bytes.end..self.tokens[index].bytes.start].contains('\n');
            let item = words::item(word).is_some_and(|item| !item.form.is_setting()) || word == "fabric";
            let follows = self
                .tokens
                .get(index + 1)
                .is_some_and(|next| matches!(next.shape, TokenShape::Word | TokenShape::Quoted))
                || self.is_token(index + 1, "{");
            let statement =
                STATEMENTS.iter().any(|(known, _)| *known == word) && !self.is_token(index + 1, ",");
            new_line && (self.is_token(index + 1, "=") || item && follows || statement)
        };
        let stops = |index: usize| {
            ["{", "}", ";"].iter().any(|sign| self.is_token(index, sign)) || index > from && begins(index)
        };
        (from..self.tokens.len()).find(|&index| stops(index)).unwrap_or(self.tokens.len())
    }

    fn push_leaf(&mut self, index: usize, role: WordRole) {
        let statement = self.reading.statements.len() - 1;
        self.reading.leaves.push(Leaf { bytes: self.tokens[index].bytes.clone(), role, statement });
    }

    fn declare(&mut self, index: usize, space: NameSpace) {
        if self.word(index).is_some() {
            self.push_leaf(index, WordRole::Declared(space));
            let declared = (space, self.tokens[index].bytes.clone());
            self.reading.statements.last_mut().expect("it was begun").declares = Some(declared);
        }
    }

    /// Reads a statement up to its end, and returns the scope of a block behind it.
    fn read_statement(&mut self, range: Range<usize>, opens: bool, block: usize) -> BlockScope {
        let (index, end) = (range.start, range.end);
        let last = self.tokens[end - 1]
            .bytes
            .end
            .max(self.tokens.get(end).filter(|_| self.is_token(end, ";")).map_or(0, |semi| semi.bytes.end));
        let head = self.tokens[index].bytes.clone();
        self.reading.statements.push(RawStatement {
            bytes: head.start..last,
            head,
            declares: None,
            block,
            path: None,
        });
        let Some(word) = self.word(index) else { return BlockScope::Unknown };
        match self.reading.blocks[block].scope {
            BlockScope::File | BlockScope::Fabric | BlockScope::Slice => self.read_item(word, range, opens),
            BlockScope::Sweep => {
                self.push_leaf(index, WordRole::Named(NameSpace::Constant));
                self.read_value(index + 2..end, ValueContext::default());
                BlockScope::Unknown
            }
            BlockScope::Use => self.read_change(word, range, opens),
            scope => self.read_line(word, range, scope),
        }
    }

    fn read_item(&mut self, word: &'t str, range: Range<usize>, opens: bool) -> BlockScope {
        let (index, end) = (range.start, range.end);
        match word {
            "fabric" => {
                self.push_leaf(index, WordRole::Keyword);
                if index + 1 < end {
                    self.declare(index + 1, NameSpace::Fabric);
                }
                return BlockScope::Fabric;
            }
            "use" => {
                self.push_leaf(index, WordRole::Keyword);
                if let Some(path) = self.tokens[range].iter().find(|token| token.shape == TokenShape::Quoted)
                {
                    let inside = &self.text[path.bytes.clone()];
                    let close = usize::from(inside.len() > 1 && inside.ends_with('"'));
                    let bytes = path.bytes.start + 1..path.bytes.end - close;
                    self.reading.statements.last_mut().expect("it was begun").path = Some(bytes);
                }
                return BlockScope::Use;
            }
            "let" | "param" => {
                self.push_leaf(index, WordRole::Keyword);
                if index + 1 < end {
                    self.declare(index + 1, NameSpace::Constant);
                }
                self.read_value(index + 3..end, ValueContext { constant: true, ..ValueContext::default() });
                return BlockScope::Unknown;
            }
            "require" => {
                self.push_leaf(index, WordRole::Keyword);
                self.read_require(index + 1..end);
                return BlockScope::Unknown;
            }
            "collective" => {
                self.push_leaf(index, WordRole::Keyword);
                if index + 1 < end {
                    self.declare(index + 1, NameSpace::Run);
                }
                if index + 3 < end && self.word(index + 3).is_some() {
                    self.push_leaf(index + 3, WordRole::Value);
                }
                return BlockScope::Choice(Some(BlockKind::Collective));
            }
            _ => {}
        }
        let Some(item) = words::item(word) else {
            let sets = self.is_token(index + 1, "=") && index + 1 < end;
            if sets {
                self.push_leaf(index, WordRole::Setting);
                self.read_value(index + 2..end, ValueContext::default());
            }
            return BlockScope::Unknown;
        };
        if item.form.is_setting() && !(opens && index + 1 == end) {
            self.push_leaf(index, WordRole::Setting);
            return self.read_setting(item.name, range, opens, false);
        }
        self.push_leaf(index, WordRole::Keyword);
        if word == "boxes" {
            self.read_value(index + 2..end, ValueContext { boxes: true, ..ValueContext::default() });
            return BlockScope::Unknown;
        }
        if word == "router" && index + 1 < end {
            self.declare(index + 1, NameSpace::Router);
            return BlockScope::Choice(Some(BlockKind::RouterKind));
        }
        if item.form == ItemForm::Named && index + 1 < end {
            self.declare(index + 1, item_space(item.name).unwrap_or(NameSpace::Slice));
            self.read_value(index + 2..end, ValueContext { indices: true, ..ValueContext::default() });
        }
        match item.name {
            "slice" => BlockScope::Slice,
            "sweep" => BlockScope::Sweep,
            name => BlockScope::Item(name),
        }
    }

    /// Reads a line in the block of a `use`.
    fn read_change(&mut self, word: &'t str, range: Range<usize>, opens: bool) -> BlockScope {
        let (index, end) = (range.start, range.end);
        let Some(item) = words::item(word).filter(|item| opens || item.form.is_setting()) else {
            self.push_leaf(index, WordRole::Named(NameSpace::Constant));
            self.read_value(index + 2..end, ValueContext::default());
            return BlockScope::Unknown;
        };
        if self.is_token(index + 1, "=") {
            self.push_leaf(index, WordRole::Setting);
            return self.read_setting(item.name, range, opens, false);
        }
        self.push_leaf(index, WordRole::Keyword);
        if let (true, Some(space)) =
            (index + 1 < end && self.word(index + 1).is_some(), item_space(item.name))
        {
            self.push_leaf(index + 1, WordRole::Named(space));
        }
        BlockScope::Item(item.name)
    }

    /// Reads a line of any other block.
    fn read_line(&mut self, word: &'t str, range: Range<usize>, scope: BlockScope) -> BlockScope {
        let (index, end) = (range.start, range.end);
        let sets = index + 1 < end && self.is_token(index + 1, "=");
        let sets = sets && word != "nics";
        if let (false, Some((name, _))) = (sets, STATEMENTS.iter().find(|(name, _)| *name == word)) {
            self.push_leaf(index, WordRole::Keyword);
            let context = ValueContext { statement: Some(name), ..ValueContext::default() };
            let named = usize::from(word == "switch");
            self.read_value(index + 1 + named..end, context);
            return BlockScope::Choice(statement_place(word));
        }
        let known = |place: BlockKind| place.settings().any(|setting| setting == word);
        if scope == BlockScope::Item("floor") && self.is_comparison(index + 1) && !known(BlockKind::Floor) {
            self.push_leaf(index, WordRole::Named(NameSpace::Link));
            self.read_value(index + 2..end, ValueContext::default());
            return BlockScope::Unknown;
        }
        self.push_leaf(index, WordRole::Setting);
        self.read_setting(word, range, true, scope == BlockScope::Item("simulate"))
    }

    /// Reads `name = value`, and returns the scope of a block behind the value.
    fn read_setting(&mut self, name: &str, range: Range<usize>, opens: bool, simulated: bool) -> BlockScope {
        let from = range.start + 2;
        let choice = self.word(from).filter(|_| from < range.end);
        let place = choice
            .filter(|_| opens)
            .and_then(|choice| block_place(name, choice, simulated, self.reading.network));
        self.read_value(
            from..range.end,
            ValueContext {
                setting: Some(name),
                has_block: self.is_token(range.end, "{"),
                ..ValueContext::default()
            },
        );
        BlockScope::Choice(place)
    }

    fn read_require(&mut self, range: Range<usize>) {
        let mut parts = Vec::new();
        let mut index = range.start;
        while index < range.end && self.word(index).is_some() {
            parts.push(index);
            index += 1;
            if !(self.is_token(index, ".") && index + 1 < range.end) {
                break;
            }
            index += 1;
        }
        for (place, &part) in parts.iter().enumerate() {
            let role = match self.word(part) {
                _ if place + 1 == parts.len() => WordRole::Metric,
                Some("fault") => WordRole::Keyword,
                _ => WordRole::Named(NameSpace::Run),
            };
            self.push_leaf(part, role);
        }
        let from = (index..range.end)
            .find(|&index| self.is_comparison(index) || self.is_token(index, "="))
            .map_or(range.end, |index| index + 1);
        self.read_value(from..range.end, ValueContext { require: true, ..ValueContext::default() });
    }

    /// Reads the words behind a `=`, or behind the first word of a statement.
    fn read_value(&mut self, range: Range<usize>, context: ValueContext<'_>) {
        let (first, end) = (range.start, range.end);
        // Whether an operand is expected next, and whether it is a link.
        let (mut wanted, mut of_link) = (true, false);
        let mut index = first;
        while index < end {
            let Some(word) = self.word(index) else {
                let closes = self.is_token(index, ")") || self.is_token(index, "]");
                wanted = self.tokens[index].shape == TokenShape::Sign && !closes;
                index += 1;
                continue;
            };
            let begins = index == first && context.setting.is_some();
            if !begins && self.is_connective(index, first, wanted) {
                self.push_leaf(index, WordRole::Keyword);
                (wanted, of_link) = (true, word == "over" && !self.is_token(index + 1, "groups"));
                if context.require && word == "of" && index + 1 < end && self.word(index + 1).is_some() {
                    index += 1;
                    self.push_leaf(index, WordRole::Choice);
                    wanted = false;
                }
                index += 1;
            } else if !wanted {
                index = self.read_unit(index, end);
            } else if of_link {
                self.push_leaf(index, WordRole::Named(NameSpace::Link));
                (wanted, of_link) = (false, false);
                index += 1;
            } else if let Some(role) = self.operand_role(index, &range, context) {
                self.push_leaf(index, role);
                // A word of the language may have operands of its own behind it.
                wanted = begins && role == WordRole::Value && index + 1 < end;
                index += 1;
            } else {
                // The name of a router: its brackets hold numbers only.
                index = (index..end).find(|&index| self.is_token(index, "]")).map_or(end, |close| close + 1);
                wanted = false;
            }
        }
    }

    /// Whether a word connects operands: `over`, `with`, and `x` behind an operand.
    fn is_connective(&self, index: usize, first: usize, wanted: bool) -> bool {
        match self.word(index) {
            Some("x") => !wanted,
            Some("any") => true,
            Some("all") => index > 0 && self.is_token(index - 1, "join"),
            Some("at") => index > 0 && self.is_token(index - 1, "]"),
            Some("cubes") => index > first && self.is_token(index - 1, "for"),
            Some(word) => INNER_WORDS.contains(&word),
            None => false,
        }
    }

    /// The role of an operand. `None` for the name of a router, whose brackets hold no roles.
    fn operand_role(
        &self,
        index: usize,
        range: &Range<usize>,
        context: ValueContext<'_>,
    ) -> Option<WordRole> {
        let (begins, ends) = (index == range.start, index + 1 == range.end);
        let before = |sign| !begins && self.is_token(index - 1, sign);
        let behind = |sign| !ends && self.is_token(index + 1, sign);
        if behind("[") {
            return (context.statement == Some("couple")).then_some(WordRole::Face);
        }
        if context.indices && behind("in") || context.statement == Some("nic") && before("[") {
            return Some(WordRole::Declared(NameSpace::Index));
        }
        if context.constant {
            let word = begins && (ends || behind("in")) || before("[") || before(",");
            return Some(if word { WordRole::Value } else { WordRole::Named(NameSpace::Constant) });
        }
        if context.boxes && before("of") {
            return Some(WordRole::Named(NameSpace::Box));
        }
        if context.setting.is_some_and(|setting| ROUTER_SETTINGS.contains(&setting)) {
            return Some(WordRole::Named(NameSpace::Router));
        }
        let lists_links = context.setting.is_some_and(|setting| LINK_SETTINGS.contains(&setting));
        if lists_links && (before("[") || before(",")) {
            return Some(WordRole::Named(NameSpace::Link));
        }
        let Some(setting) = context.setting.filter(|_| begins) else {
            return Some(WordRole::Named(NameSpace::Constant));
        };
        Some(match setting {
            _ if ends && context.has_block || self.is_choice(index, range.end) => WordRole::Value,
            _ if !ends => WordRole::Named(NameSpace::Constant),
            "after" => WordRole::Named(NameSpace::Run),
            setting if LINK_SETTINGS.contains(&setting) => WordRole::Named(NameSpace::Link),
            setting if words::takes_a_word(setting) => WordRole::Value,
            _ => WordRole::Named(NameSpace::Constant),
        })
    }

    /// Whether the token behind the first word of a value can only follow a word of the language.
    fn is_choice(&self, index: usize, end: usize) -> bool {
        let Some(next) = self.tokens.get(index + 1).filter(|_| index + 1 < end) else { return false };
        match next.shape {
            TokenShape::Quoted | TokenShape::Number => true,
            TokenShape::Word => !INNER_WORDS.contains(&self.word(index + 1).unwrap_or_default()),
            TokenShape::Sign => self.is_token(index + 1, "("),
            TokenShape::Comment => false,
        }
    }

    /// Reads a unit behind an operand, and returns the token behind it. `GB/s` is one unit.
    fn read_unit(&mut self, index: usize, end: usize) -> usize {
        let close = |token: usize| self.tokens[token].bytes.end == self.tokens[token + 1].bytes.start;
        let parts = if index + 2 < end
            && self.is_token(index + 1, "/")
            && self.word(index + 2).is_some()
            && close(index)
            && close(index + 1)
        {
            3
        } else {
            1
        };
        self.push_leaf(index, WordRole::Unit);
        let last = self.tokens[index + parts - 1].bytes.end;
        self.reading.leaves.last_mut().expect("it was just put there").bytes.end = last;
        index + parts
    }
}

/// The surroundings of a value, which decide the roles of its words.
#[derive(Clone, Copy, Default)]
struct ValueContext<'a> {
    setting: Option<&'a str>,
    /// Whether a block follows the value.
    has_block: bool,
    /// Whether the value belongs to a `let` or `param`.
    constant: bool,
    /// The keyword of the line that it belongs to, if it has one.
    statement: Option<&'a str>,
    /// Whether the value belongs to `boxes`.
    boxes: bool,
    /// Whether the value belongs to an `ocs`.
    indices: bool,
    require: bool,
}
