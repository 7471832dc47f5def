//! Statements, and the roles of their words: what stands before and behind a word says what it is.

use super::reading::{Block, INNER, Leaf, OF_LINKS, Reading, Role, Scope, Space, Statement};
use super::tokens::{Shape, Token, tokens};
use fabc_lang::syntax::words::{self, Form, Place, STATEMENTS};
use std::ops::Range;

impl Reading {
    /// Reads a text.
    pub(super) fn of(text: &str) -> Self {
        let mut tokens = tokens(text);
        let all = tokens.clone();
        tokens.retain(|token| token.shape != Shape::Comment);
        let sign = |at: usize| tokens.get(at).map(|token: &Token| &text[token.bytes.clone()]);
        let network = (0..tokens.len()).any(|at| sign(at) == Some("router") && sign(at + 1) == Some("{"));
        let file = Block { bytes: 0..text.len(), scope: Scope::File, statement: 0, around: 0 };
        let reading =
            Reading { tokens: all, leaves: Vec::new(), blocks: vec![file], statements: Vec::new(), network };
        let mut reader = Reader { text, tokens: &tokens, reading };
        reader.file();
        reader.reading
    }
}

struct Reader<'t> {
    text: &'t str,
    /// Without comments.
    tokens: &'t [Token],
    reading: Reading,
}

impl<'t> Reader<'t> {
    fn word(&self, at: usize) -> Option<&'t str> {
        self.tokens
            .get(at)
            .filter(|token| token.shape == Shape::Word)
            .map(|token| &self.text[token.bytes.clone()])
    }

    fn is(&self, at: usize, sign: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| &self.text[token.bytes.clone()] == sign)
    }

    fn is_comparison(&self, at: usize) -> bool {
        ["<=", ">=", "<", ">", "=="].iter().any(|sign| self.is(at, sign))
    }

    fn file(&mut self) {
        let (mut at, mut open) = (0, vec![0usize]);
        while at < self.tokens.len() {
            let block = *open.last().unwrap_or(&0);
            if self.is(at, "}") {
                if open.len() > 1 {
                    let end = self.tokens[at].bytes.end;
                    open.pop();
                    self.reading.blocks[block].bytes.end = end;
                    let statement = self.reading.blocks[block].statement;
                    self.reading.statements[statement].bytes.end = end;
                }
                at += 1;
                continue;
            }
            if self.is(at, ";") || self.is(at, "{") {
                at += 1;
                continue;
            }
            let end = self.end(at);
            let opens = self.is(end, "{");
            let scope = self.statement(at..end, opens, block);
            at = end;
            if opens {
                let start = self.tokens[end].bytes.start;
                let statement = self.reading.statements.len() - 1;
                self.reading.statements[statement].bytes.end = self.text.len();
                self.reading.blocks.push(Block {
                    bytes: start..self.text.len(),
                    scope,
                    statement,
                    around: block,
                });
                open.push(self.reading.blocks.len() - 1);
                at += 1;
            } else if self.is(end, ";") {
                at += 1;
            }
        }
        self.reading.leaves.sort_by_key(|leaf| leaf.bytes.start);
    }

    /// Where a statement ends: at a `;`, at a brace, or where the next one plainly begins on a new line.
    fn end(&self, from: usize) -> usize {
        let begins = |at: usize| {
            let Some(word) = self.word(at) else { return false };
            let new_line =
                self.text[self.tokens[at - 1].bytes.end..self.tokens[at].bytes.start].contains('\n');
            let item = words::item(word).is_some_and(|item| !item.form.is_setting()) || word == "fabric";
            let follows =
                self.tokens.get(at + 1).is_some_and(|next| matches!(next.shape, Shape::Word | Shape::Quoted))
                    || self.is(at + 1, "{");
            let statement = STATEMENTS.iter().any(|(known, _)| *known == word) && !self.is(at + 1, ",");
            new_line && (self.is(at + 1, "=") || item && follows || statement)
        };
        let stops =
            |at: usize| ["{", "}", ";"].iter().any(|sign| self.is(at, sign)) || at > from && begins(at);
        (from..self.tokens.len()).find(|&at| stops(at)).unwrap_or(self.tokens.len())
    }

    fn leaf(&mut self, at: usize, role: Role) {
        let statement = self.reading.statements.len() - 1;
        self.reading.leaves.push(Leaf { bytes: self.tokens[at].bytes.clone(), role, statement });
    }

    fn declare(&mut self, at: usize, space: Space) {
        if self.word(at).is_some() {
            self.leaf(at, Role::Declared(space));
            let declared = (space, self.tokens[at].bytes.clone());
            self.reading.statements.last_mut().expect("it was begun").declares = Some(declared);
        }
    }

    /// Reads a statement without its end, and says what a block behind it is of.
    fn statement(&mut self, range: Range<usize>, opens: bool, block: usize) -> Scope {
        let (at, end) = (range.start, range.end);
        let last = self.tokens[end - 1]
            .bytes
            .end
            .max(self.tokens.get(end).filter(|_| self.is(end, ";")).map_or(0, |semi| semi.bytes.end));
        let head = self.tokens[at].bytes.clone();
        self.reading.statements.push(Statement {
            bytes: head.start..last,
            head,
            declares: None,
            block,
            path: None,
        });
        let Some(word) = self.word(at) else { return Scope::Unknown };
        match self.reading.blocks[block].scope {
            Scope::File | Scope::Fabric | Scope::Slice => self.item(word, range, opens),
            Scope::Sweep => {
                self.leaf(at, Role::Named(Space::Constant));
                self.value(at + 2..end, Around::default());
                Scope::Unknown
            }
            Scope::Use => self.change(word, range, opens),
            scope => self.line(word, range, scope),
        }
    }

    fn item(&mut self, word: &'t str, range: Range<usize>, opens: bool) -> Scope {
        let (at, end) = (range.start, range.end);
        match word {
            "fabric" => {
                self.leaf(at, Role::Keyword);
                if at + 1 < end {
                    self.declare(at + 1, Space::Fabric);
                }
                return Scope::Fabric;
            }
            "use" => {
                self.leaf(at, Role::Keyword);
                if let Some(path) = self.tokens[range].iter().find(|token| token.shape == Shape::Quoted) {
                    let inside = &self.text[path.bytes.clone()];
                    let close = usize::from(inside.len() > 1 && inside.ends_with('"'));
                    let bytes = path.bytes.start + 1..path.bytes.end - close;
                    self.reading.statements.last_mut().expect("it was begun").path = Some(bytes);
                }
                return Scope::Use;
            }
            "let" | "param" => {
                self.leaf(at, Role::Keyword);
                if at + 1 < end {
                    self.declare(at + 1, Space::Constant);
                }
                self.value(at + 3..end, Around { constant: true, ..Around::default() });
                return Scope::Unknown;
            }
            "require" => {
                self.leaf(at, Role::Keyword);
                self.require(at + 1..end);
                return Scope::Unknown;
            }
            "collective" => {
                self.leaf(at, Role::Keyword);
                if at + 1 < end {
                    self.declare(at + 1, Space::Run);
                }
                if at + 3 < end && self.word(at + 3).is_some() {
                    self.leaf(at + 3, Role::Value);
                }
                return Scope::Choice(Some(Place::Collective));
            }
            _ => {}
        }
        let Some(item) = words::item(word) else {
            let sets = self.is(at + 1, "=") && at + 1 < end;
            if sets {
                self.leaf(at, Role::Setting);
                self.value(at + 2..end, Around::default());
            }
            return Scope::Unknown;
        };
        if item.form.is_setting() && !(opens && at + 1 == end) {
            self.leaf(at, Role::Setting);
            return self.setting(item.name, range, opens, false);
        }
        self.leaf(at, Role::Keyword);
        if item.form == Form::Named && at + 1 < end {
            self.declare(at + 1, space(item.name).unwrap_or(Space::Slice));
            self.value(at + 2..end, Around { indices: true, ..Around::default() });
        }
        match item.name {
            "slice" => Scope::Slice,
            "sweep" => Scope::Sweep,
            name => Scope::Item(name),
        }
    }

    /// A line of the block of a `use`.
    fn change(&mut self, word: &'t str, range: Range<usize>, opens: bool) -> Scope {
        let (at, end) = (range.start, range.end);
        let Some(item) = words::item(word).filter(|item| opens || item.form.is_setting()) else {
            self.leaf(at, Role::Named(Space::Constant));
            self.value(at + 2..end, Around::default());
            return Scope::Unknown;
        };
        if self.is(at + 1, "=") {
            self.leaf(at, Role::Setting);
            return self.setting(item.name, range, opens, false);
        }
        self.leaf(at, Role::Keyword);
        if let (true, Some(space)) = (at + 1 < end && self.word(at + 1).is_some(), space(item.name)) {
            self.leaf(at + 1, Role::Named(space));
        }
        Scope::Item(item.name)
    }

    /// A line of any other block.
    fn line(&mut self, word: &'t str, range: Range<usize>, scope: Scope) -> Scope {
        let (at, end) = (range.start, range.end);
        let sets = at + 1 < end && self.is(at + 1, "=");
        if let (false, Some((name, _))) = (sets, STATEMENTS.iter().find(|(name, _)| *name == word)) {
            self.leaf(at, Role::Keyword);
            self.value(at + 1..end, Around { ports: *name == "couple", ..Around::default() });
            return Scope::Choice((*name == "level").then_some(Place::Level));
        }
        let known = |place: Place| place.settings().any(|setting| setting == word);
        if scope == Scope::Item("floor") && self.is_comparison(at + 1) && !known(Place::Floor) {
            self.leaf(at, Role::Named(Space::Link));
            self.value(at + 2..end, Around::default());
            return Scope::Unknown;
        }
        self.leaf(at, Role::Setting);
        self.setting(word, range, true, scope == Scope::Item("simulate"))
    }

    /// `name = value`; what a block behind the value is of.
    fn setting(&mut self, name: &str, range: Range<usize>, opens: bool, simulated: bool) -> Scope {
        let from = range.start + 2;
        let choice = self.word(from).filter(|_| from < range.end);
        let place =
            choice.filter(|_| opens).and_then(|choice| place(name, choice, simulated, self.reading.network));
        self.value(
            from..range.end,
            Around { setting: Some(name), behind: self.is(range.end, "{"), ..Around::default() },
        );
        Scope::Choice(place)
    }

    fn require(&mut self, range: Range<usize>) {
        let mut parts = Vec::new();
        let mut at = range.start;
        while at < range.end && self.word(at).is_some() {
            parts.push(at);
            at += 1;
            if !(self.is(at, ".") && at + 1 < range.end) {
                break;
            }
            at += 1;
        }
        for (place, &part) in parts.iter().enumerate() {
            let role = match self.word(part) {
                _ if place + 1 == parts.len() => Role::Metric,
                Some("fault") => Role::Keyword,
                _ => Role::Named(Space::Run),
            };
            self.leaf(part, role);
        }
        let from = (at..range.end)
            .find(|&at| self.is_comparison(at) || self.is(at, "="))
            .map_or(range.end, |at| at + 1);
        self.value(from..range.end, Around { require: true, ..Around::default() });
    }

    /// The words behind a `=`, or behind the word of a statement.
    fn value(&mut self, range: Range<usize>, around: Around<'_>) {
        let (first, end) = (range.start, range.end);
        // Whether an operand is wanted, and whether it is a link.
        let (mut wanted, mut of_link) = (true, false);
        let mut at = first;
        while at < end {
            let Some(word) = self.word(at) else {
                let closes = self.is(at, ")") || self.is(at, "]");
                wanted = self.tokens[at].shape == Shape::Sign && !closes;
                at += 1;
                continue;
            };
            let begins = at == first && around.setting.is_some();
            if !begins && self.joins(at, first, wanted) {
                self.leaf(at, Role::Keyword);
                (wanted, of_link) = (true, word == "over" && !self.is(at + 1, "groups"));
                if around.require && word == "of" && at + 1 < end && self.word(at + 1).is_some() {
                    at += 1;
                    self.leaf(at, Role::Choice);
                    wanted = false;
                }
                at += 1;
            } else if !wanted {
                at = self.unit(at, end);
            } else if of_link {
                self.leaf(at, Role::Named(Space::Link));
                (wanted, of_link) = (false, false);
                at += 1;
            } else if let Some(role) = self.operand(at, &range, around) {
                self.leaf(at, role);
                // Behind a word of the language its own operands follow.
                wanted = begins && role == Role::Value && at + 1 < end;
                at += 1;
            } else {
                // The name of a router: numbers are in the brackets, and nothing else.
                at = (at..end).find(|&at| self.is(at, "]")).map_or(end, |close| close + 1);
                wanted = false;
            }
        }
    }

    /// Whether a word joins others: `over`, `with`, and `x` behind an operand.
    fn joins(&self, at: usize, first: usize, wanted: bool) -> bool {
        match self.word(at) {
            Some("x") => !wanted,
            Some("any") => true,
            Some("cubes") => at > first && self.is(at - 1, "for"),
            Some(word) => INNER.contains(&word),
            None => false,
        }
    }

    /// What an operand is; `None` of the name of a router, whose brackets are no matter here.
    fn operand(&self, at: usize, range: &Range<usize>, around: Around<'_>) -> Option<Role> {
        let (begins, ends) = (at == range.start, at + 1 == range.end);
        let before = |sign| !begins && self.is(at - 1, sign);
        let behind = |sign| !ends && self.is(at + 1, sign);
        if behind("[") {
            return around.ports.then_some(Role::Face);
        }
        if around.indices && behind("in") {
            return Some(Role::Declared(Space::Index));
        }
        if around.constant {
            let word = begins && (ends || behind("in")) || before("[") || before(",");
            return Some(if word { Role::Value } else { Role::Named(Space::Constant) });
        }
        let Some(setting) = around.setting.filter(|_| begins) else {
            return Some(Role::Named(Space::Constant));
        };
        Some(match setting {
            _ if ends && around.behind || self.is_choice(at, range.end) => Role::Value,
            _ if !ends => Role::Named(Space::Constant),
            "after" => Role::Named(Space::Run),
            setting if OF_LINKS.contains(&setting) => Role::Named(Space::Link),
            setting if words::takes_a_word(setting) => Role::Value,
            _ => Role::Named(Space::Constant),
        })
    }

    /// Whether the first word of a value is followed by what only a word of the language has behind it.
    fn is_choice(&self, at: usize, end: usize) -> bool {
        let Some(next) = self.tokens.get(at + 1).filter(|_| at + 1 < end) else { return false };
        match next.shape {
            Shape::Quoted | Shape::Number => true,
            Shape::Word => !INNER.contains(&self.word(at + 1).unwrap_or_default()),
            Shape::Sign => self.is(at + 1, "("),
            Shape::Comment => false,
        }
    }

    /// A word behind an operand: `GB/s` is one.
    fn unit(&mut self, at: usize, end: usize) -> usize {
        let close = |one: usize| self.tokens[one].bytes.end == self.tokens[one + 1].bytes.start;
        let parts = if at + 2 < end
            && self.is(at + 1, "/")
            && self.word(at + 2).is_some()
            && close(at)
            && close(at + 1)
        {
            3
        } else {
            1
        };
        self.leaf(at, Role::Unit);
        let last = self.tokens[at + parts - 1].bytes.end;
        self.reading.leaves.last_mut().expect("it was just put there").bytes.end = last;
        at + parts
    }
}

/// What stands around a value.
#[derive(Clone, Copy, Default)]
struct Around<'a> {
    setting: Option<&'a str>,
    /// Whether a block follows.
    behind: bool,
    /// Of a `let` or `param`.
    constant: bool,
    /// Of a `couple`.
    ports: bool,
    /// Of an `ocs`.
    indices: bool,
    require: bool,
}

/// What an item of a name is.
fn space(item: &str) -> Option<Space> {
    match item {
        "link" => Some(Space::Link),
        "ocs" => Some(Space::Ocs),
        "simulate" | "collective" => Some(Space::Run),
        "slice" => Some(Space::Slice),
        _ => None,
    }
}

/// Whose settings stand in the block of a choice.
fn place(setting: &str, choice: &str, simulated: bool, network: bool) -> Option<Place> {
    use Place::*;
    match (setting, choice) {
        ("topology" | "of", "torus" | "twisted_torus" | "mesh") => Some(Grid),
        ("topology" | "of", "hypercube" | "folded_hypercube") => Some(Hypercube),
        ("topology", "synthesize") => Some(if network { FreeGraph } else { Synthesize }),
        ("topology" | "of", family) => {
            let families = [
                Hyperx,
                Polarstar,
                Polarfly,
                SlimFly,
                Bundlefly,
                Spectralfly,
                Dragonfly,
                Levels,
                Megafly,
                FatTree,
                Kautz,
                GenKautz,
                Xpander,
                RandomRegular,
                RingN,
                Nbr,
                Gau,
                Permute,
                Graph,
            ];
            families.into_iter().find(|place| place.name() == family)
        }
        ("routing", "allowed_turns") => Some(AllowedTurns),
        ("routing", "scheduled") => Some(Scheduled),
        ("routing", _) => simulated.then_some(Ways),
        ("model", "packet") => Some(PacketModel),
        ("model", "flit") => Some(FlitModel),
        ("traffic", "group_shift") => Some(Traffic),
        ("traffic", "hotspot") => Some(Hotspot),
        ("traffic", "all_to_all") => Some(AllToAll),
        ("births", "bursts") => Some(Bursts),
        ("clustering", "walktrap") => Some(Walktrap),
        ("placement", "annealed") => Some(Annealed),
        _ => None,
    }
}
