//! Text to syntax: the only file that knows pest.
//!
//! Comes in: the text of one file. Goes out: its [`File`], or every syntax error that can be told apart. After an error that the
//! grammar has no production for, the statement it stands in is blanked out and the rest is read again, so that one run reports
//! more than one slip.

use super::ast::*;
use super::errors::ParseError;
use super::scan::{scan, tokens};
use crate::diag::{Span, Spanned};
use crate::limits::{SPEC_BYTES, SPEC_TOKENS};
use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;
use std::collections::BTreeSet;

#[derive(pest_derive::Parser)]
#[grammar = "../grammar/fab.pest"]
struct Grammar;

/// How many unexpected texts one run reports.
const MAX_RECOVERIES: usize = 10;

/// Parses one file whose first byte has the offset `base`.
pub(super) fn parse_text(path: &str, text: &str, base: u32) -> Result<File, Vec<ParseError>> {
    if text.len() > SPEC_BYTES {
        return Err(vec![ParseError::TooLarge { limit: SPEC_BYTES, span: Span { start: base, end: base } }]);
    }
    if tokens(text) > SPEC_TOKENS {
        return Err(vec![ParseError::TooManyTokens { limit: SPEC_TOKENS, span: Span { start: base, end: base } }]);
    }
    let scanned = scan(text, base).map_err(|error| vec![error])?;
    let mut code = scanned.code;
    let mut errors = Vec::new();
    while errors.len() < MAX_RECOVERIES {
        let failure = match Grammar::parse(Rule::file, &code) {
            Ok(mut pairs) => {
                let mut builder = Builder { base, errors };
                let entries = pairs.next().map_or(Vec::new(), |file| builder.entries(file));
                let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1));
                let layout = Layout::Source(lines.map(|line| base + line).collect());
                let file = File { path: path.to_owned(), entries, comments: scanned.comments, layout };
                builder.errors.sort_by_cached_key(ParseError::span);
                return if builder.errors.is_empty() { Ok(file) } else { Err(builder.errors) };
            }
            Err(failure) => failure,
        };
        let at = match failure.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        errors.push(unexpected(&code, at, base, &failure.variant));
        if !blank_statement(&mut code, at) {
            break;
        }
    }
    errors.sort_by_key(ParseError::span);
    Err(errors)
}

/// Blanks out the statement around an error; `false` where it is no plain statement, so that going on would only confuse.
fn blank_statement(code: &mut String, at: usize) -> bool {
    let stop = |c: char| matches!(c, ';' | '{' | '}');
    let start = code[..at].rfind(stop).map_or(0, |stop| stop + 1);
    let end = match code[at..].find(stop) {
        Some(length) if code[at + length..].starts_with(';') => at + length + 1,
        Some(length) if code[at + length..].starts_with('}') => at + length,
        _ => return false,
    };
    if code[start..end].trim().is_empty() {
        return false;
    }
    let blank: String = code[start..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    code.replace_range(start..end, &blank);
    true
}

/// The error of a text that no production fits.
fn unexpected(code: &str, at: usize, base: u32, variant: &ErrorVariant<Rule>) -> ParseError {
    let rest = &code[at..];
    let token = match rest.chars().next() {
        None => 0,
        Some(first) if first.is_alphanumeric() || first == '_' => {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        }
        Some('"') => rest[1..].find('"').map_or(rest.len(), |length| length + 2),
        Some(first) => first.len_utf8(),
    };
    let found = if token == 0 { "the end of the file".to_owned() } else { format!("`{}`", &rest[..token]) };
    let expected: BTreeSet<&str> = match variant {
        ErrorVariant::ParsingError { positives, .. } => positives.iter().filter_map(|&rule| expectation(rule)).collect(),
        ErrorVariant::CustomError { .. } => BTreeSet::new(),
    };
    let mut expected: Vec<&str> = expected.into_iter().collect();
    if expected.contains(&"an item") || expected.contains(&"a setting") {
        // Where a new line of a block may begin, the ways to go on with the old one are noise.
        expected.retain(|name| matches!(*name, "an item" | "a setting" | "`}`" | "`fabric`"));
    }
    let expected = match expected.split_last() {
        None => "something else".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    };
    let help = match rest.chars().next() {
        Some('\u{201c}' | '\u{201d}' | '\'') => Some("texts stand in straight double quotes".to_owned()),
        Some('#') => Some("comments begin with `//`".to_owned()),
        Some('.') => Some("a decimal number has digits on both sides of its point".to_owned()),
        _ => None,
    };
    let start = base + at as u32;
    ParseError::Unexpected { found, expected, help, span: Span { start, end: start + token as u32 } }
}

/// Turns pairs into syntax; what the error productions matched is gathered on the way.
struct Builder {
    base: u32,
    errors: Vec<ParseError>,
}

impl Builder {
    /// The span of a pair without the blanks that pest counts in.
    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let start = self.base + pair.as_span().start() as u32;
        Span { start, end: start + pair.as_str().trim_end().len() as u32 }
    }

    fn name(&self, pair: &Pair<'_, Rule>) -> Name {
        Spanned { value: pair.as_str().trim_end().into(), span: self.span(pair) }
    }

    /// The text between the quotes.
    fn string(&self, pair: &Pair<'_, Rule>) -> Name {
        Spanned { value: pair.as_str().trim_matches('"').into(), span: self.span(pair) }
    }

    fn entries(&mut self, file: Pair<'_, Rule>) -> Vec<Entry> {
        let mut entries = Vec::new();
        for pair in children(file) {
            match pair.as_rule() {
                Rule::fabric => entries.push(Entry::Fabric(self.fabric(pair))),
                Rule::item => entries.extend(self.item(pair).map(Entry::Item)),
                _ => {}
            }
        }
        entries
    }

    fn fabric(&mut self, pair: Pair<'_, Rule>) -> Fabric {
        let span = self.span(&pair);
        let keyword = Span { start: span.start, end: span.start + "fabric".len() as u32 };
        let mut name = None;
        let mut items = Vec::new();
        for pair in children(pair) {
            match pair.as_rule() {
                Rule::name => name = Some(self.name(&pair)),
                Rule::item => items.extend(self.item(pair)),
                _ => {}
            }
        }
        let name = name.unwrap_or_else(|| {
            self.errors.push(ParseError::NoFabricName { span: keyword });
            Spanned { value: "".into(), span: keyword }
        });
        Fabric { head: keyword.to(name.span), name, items, span }
    }

    fn item(&mut self, pair: Pair<'_, Rule>) -> Option<Item> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next()?;
        let rule = pair.as_rule();
        let mut parts = children(pair.clone()).collect::<Vec<_>>().into_iter();
        let kind = match rule {
            Rule::use_file => {
                let path = self.string(&parts.next()?);
                self.semi(parts.next(), path.span);
                ItemKind::Use(Use { path, file: None })
            }
            Rule::let_name => {
                let name = self.name(&parts.next()?);
                self.assign(parts.next()?);
                let value = self.expr(parts.next()?);
                self.semi(parts.next(), value.span);
                ItemKind::Let(Let { name, value })
            }
            Rule::link => ItemKind::Link(self.name(&parts.next()?), self.block(parts.next()?)),
            Rule::router => ItemKind::Router(self.block(parts.next()?)),
            Rule::chip => ItemKind::Chip(self.block(parts.next()?)),
            Rule::cube => ItemKind::Cube(self.block(parts.next()?)),
            Rule::budget => ItemKind::Budget(self.block(parts.next()?)),
            Rule::demand => ItemKind::Demand(self.block(parts.next()?)),
            Rule::ocs => ItemKind::Ocs(self.ocs(parts)?),
            Rule::require => {
                let metric = self.name(&parts.next()?);
                let comparison = self.comparison(parts.next()?, &metric)?;
                let value = self.quantity(parts.next()?);
                self.semi(parts.next(), value.span);
                ItemKind::Require(RequireItem { metric, comparison, value })
            }
            Rule::setting => ItemKind::Setting(self.setting(pair)?),
            Rule::unknown_block => {
                let keyword = self.name(&parts.next()?);
                let mut rest: Vec<_> = parts.collect();
                let block = self.block(rest.pop()?);
                ItemKind::Unknown(keyword, rest.pop().map(|name| self.name(&name)), block)
            }
            _ => {
                self.errors.push(ParseError::StraySemicolon { span });
                return None;
            }
        };
        Some(Item { kind, span })
    }

    fn ocs(&mut self, mut parts: std::vec::IntoIter<Pair<'_, Rule>>) -> Option<OcsItem> {
        let name = self.name(&parts.next()?);
        let mut indices = Vec::new();
        let mut cubes = None;
        for pair in parts {
            match pair.as_rule() {
                Rule::indices => {
                    for index in children(pair) {
                        let mut parts = children(index);
                        indices.push(Index { name: self.name(&parts.next()?), range: self.range(parts.next()?)? });
                    }
                }
                Rule::for_cubes => cubes = Some(self.range(children(pair).next()?)?),
                _ => return Some(OcsItem { name, indices, cubes, block: self.block(pair) }),
            }
        }
        None
    }

    fn range(&mut self, pair: Pair<'_, Rule>) -> Option<Range> {
        let span = self.span(&pair);
        let mut parts = children(pair);
        let lo = self.expr(parts.next()?);
        let dots = parts.next()?;
        if dots.as_rule() == Rule::wrong_dots {
            self.errors.push(ParseError::WrongRange { found: dots.as_str().to_owned(), span: self.span(&dots) });
        }
        Some(Range { lo, hi: self.expr(parts.next()?), span })
    }

    fn block(&mut self, pair: Pair<'_, Rule>) -> Block {
        let span = self.span(&pair);
        let statements = children(pair).filter(|pair| pair.as_rule() == Rule::statement).filter_map(|pair| self.statement(pair));
        Block { statements: statements.collect(), span }
    }

    fn statement(&mut self, pair: Pair<'_, Rule>) -> Option<Statement> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next()?;
        let kind = match pair.as_rule() {
            Rule::mesh => {
                let mut parts = children(pair);
                let dims_pair = parts.next()?;
                let mut end = self.span(&dims_pair);
                let dims = children(dims_pair).map(|dim| self.expr(dim)).collect();
                let over = self.over(&mut parts, &mut end)?;
                StatementKind::Mesh(Mesh { dims, over })
            }
            Rule::couple => {
                let mut parts = children(pair);
                let ports_pair = parts.next()?;
                let mut end = self.span(&ports_pair);
                let sided = ports_pair.as_rule() == Rule::sided;
                let mut ports = children(ports_pair).map(|port| self.port(port)).collect::<Option<Vec<_>>>()?;
                let ports = match (sided, ports.len()) {
                    (true, 2) => Coupled::Sided(ports.remove(0), ports.remove(0)),
                    _ => Coupled::AnyOf(ports),
                };
                let over = self.over(&mut parts, &mut end)?;
                StatementKind::Couple(Couple { ports, over })
            }
            Rule::component => StatementKind::Component(self.component(pair)?),
            Rule::setting => StatementKind::Setting(self.setting(pair)?),
            Rule::limit => StatementKind::Setting(self.limit(pair)?),
            _ => {
                self.errors.push(ParseError::StraySemicolon { span });
                return None;
            }
        };
        Some(Statement { kind, span })
    }

    fn component(&mut self, pair: Pair<'_, Rule>) -> Option<Component> {
        let mut end = self.span(&pair);
        end.end = end.start + "all_to_all".len() as u32;
        let mut parts = children(pair);
        let mut next = parts.next()?;
        let mut groups = None;
        if next.as_rule() == Rule::groups {
            let size = self.expr(children(next).next()?);
            end = size.span;
            groups = Some(size);
            next = parts.next()?;
        }
        self.semi(Some(next), end);
        let weight = self.expr(parts.next()?);
        self.semi(parts.next(), weight.span);
        Some(Component { groups, weight })
    }

    /// The rest of a line: `over link` (if written) and the `;`.
    fn over<'i>(&mut self, parts: &mut impl Iterator<Item = Pair<'i, Rule>>, end: &mut Span) -> Option<Option<Name>> {
        let mut next = parts.next()?;
        let mut over = None;
        if next.as_rule() == Rule::name {
            *end = self.span(&next);
            over = Some(self.name(&next));
            next = parts.next()?;
        }
        self.semi(Some(next), *end);
        Some(over)
    }

    fn port(&mut self, pair: Pair<'_, Rule>) -> Option<Port> {
        let span = self.span(&pair);
        let mut parts = children(pair);
        let face = self.name(&parts.next()?);
        Some(Port { face, at: parts.map(|expr| self.expr(expr)).collect(), span })
    }

    fn setting(&mut self, pair: Pair<'_, Rule>) -> Option<Setting> {
        let mut parts = children(pair);
        let name = self.name(&parts.next()?);
        let assign = parts.next()?;
        let value_pair = parts.next()?;
        if assign.as_rule() == Rule::missing_assign {
            let value = value_pair.as_str().trim_end().to_owned();
            self.errors.push(ParseError::MissingAssign { name: name.value.to_string(), value, span: name.span });
        } else {
            self.assign(assign);
        }
        if matches!(value_pair.as_rule(), Rule::choice_block | Rule::file_block | Rule::dims_block) {
            return Some(Setting { name, value: self.choice(value_pair)? });
        }
        let value = self.value(value_pair)?;
        self.semi(parts.next(), value.span);
        Some(Setting { name, value })
    }

    fn limit(&mut self, pair: Pair<'_, Rule>) -> Option<Setting> {
        let mut parts = children(pair);
        let name = self.name(&parts.next()?);
        let comparison = self.comparison(parts.next()?, &name)?;
        let quantity = self.quantity(parts.next()?);
        self.semi(parts.next(), quantity.span);
        let span = comparison.span.to(quantity.span);
        Some(Setting { name, value: Value { kind: ValueKind::Limit(comparison, quantity), span } })
    }

    fn value(&mut self, pair: Pair<'_, Rule>) -> Option<Value> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next()?;
        match pair.as_rule() {
            Rule::quantity => Some(Value { kind: ValueKind::Quantity(self.quantity(pair)), span }),
            _ => self.choice(pair),
        }
    }

    /// A name with a file or dimensions, with a block, or with both.
    fn choice(&mut self, pair: Pair<'_, Rule>) -> Option<Value> {
        let (span, rule) = (self.span(&pair), pair.as_rule());
        let mut parts: Vec<_> = children(pair).collect();
        let block = parts.pop_if(|part| part.as_rule() == Rule::block).map(|block| self.block(block));
        let mut parts = parts.into_iter();
        let name = self.name(&parts.next()?);
        let kind = match rule {
            Rule::choice_block => ValueKind::Block(name, block?),
            Rule::choice_file | Rule::file_block => ValueKind::File(name, self.string(&parts.next()?), block),
            _ => ValueKind::Dims(name, parts.map(|dim| self.expr(dim)).collect(), block),
        };
        Some(Value { kind, span })
    }

    fn quantity(&mut self, pair: Pair<'_, Rule>) -> Quantity {
        let span = self.span(&pair);
        let mut parts = children(pair);
        let number = match parts.next() {
            Some(number) => self.expr(number),
            None => Expr { kind: ExprKind::Integer("0".into()), span },
        };
        Quantity { number, unit: parts.next().map(|unit| self.name(&unit)), span }
    }

    /// Any of the expression rules.
    fn expr(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let digits = || pair.as_str().into();
        match pair.as_rule() {
            Rule::integer => return Expr { kind: ExprKind::Integer(digits()), span },
            Rule::decimal => return Expr { kind: ExprKind::Decimal(digits()), span },
            Rule::name => return Expr { kind: ExprKind::Name(pair.as_str().into()), span },
            _ => {}
        }
        let is_paren = pair.as_rule() == Rule::paren;
        let mut parts = children(pair).peekable();
        let mut negations = Vec::new();
        while let Some(sign) = parts.next_if(|part| part.as_rule() == Rule::negate) {
            negations.push(self.span(&sign).start);
        }
        let Some(first) = parts.next() else { return Expr { kind: ExprKind::Integer("0".into()), span } };
        let mut first = self.expr(first);
        // An even number of minus signs is kept as two, so that the tree stays flat.
        let skip = negations.len().saturating_sub(2 - negations.len() % 2);
        for &start in negations[skip..].iter().rev() {
            let span = Span { start, end: first.span.end };
            first = Expr { kind: ExprKind::Negate(Box::new(first)), span };
        }
        if is_paren {
            return Expr { kind: ExprKind::Paren(Box::new(first)), span };
        }
        let mut rest = Vec::new();
        while let (Some(operator), Some(operand)) = (parts.next(), parts.next()) {
            let operator = match operator.as_str().trim_end() {
                "+" => Operator::Add,
                "-" => Operator::Subtract,
                "*" => Operator::Multiply,
                "/" => Operator::Divide,
                _ => Operator::Remainder,
            };
            rest.push((operator, self.expr(operand)));
        }
        if rest.is_empty() { first } else { Expr { kind: ExprKind::Chain(Box::new(first), rest), span } }
    }

    fn comparison(&mut self, pair: Pair<'_, Rule>, metric: &Name) -> Option<Name> {
        let pair = children(pair).next()?;
        let name = self.name(&pair);
        if pair.as_rule() == Rule::wrong_comparison {
            let help = match &*name.value {
                "=" => format!("`=` sets a value; a require compares: `require {} >= ..`, `<= ..`, or `== ..` for exactly", metric.value),
                "=<" | "≤" => "write `<=`".to_owned(),
                "=>" | "≥" => "write `>=`".to_owned(),
                _ => "a require states what must hold; say it with `<` or `>`".to_owned(),
            };
            self.errors.push(ParseError::WrongComparison { found: name.value.to_string(), help, span: name.span });
        }
        Some(name)
    }

    fn assign(&mut self, pair: Pair<'_, Rule>) {
        if let Some(wrong) = children(pair).next() {
            self.errors.push(ParseError::WrongAssign { found: wrong.as_str().to_owned(), span: self.span(&wrong) });
        }
    }

    /// Complains about a `;` that is missing after `end` or is a comma.
    fn semi(&mut self, pair: Option<Pair<'_, Rule>>, end: Span) {
        let Some(wrong) = pair.and_then(|pair| children(pair).next()) else { return };
        match wrong.as_rule() {
            Rule::comma_for_semi => self.errors.push(ParseError::CommaForSemicolon { span: self.span(&wrong) }),
            _ => self.errors.push(ParseError::MissingSemicolon { span: Span { start: end.end, end: end.end } }),
        }
    }
}

/// The parts of a pair that carry meaning: no keywords, no lookaheads, expressions without their wrapping levels.
fn children(pair: Pair<'_, Rule>) -> impl Iterator<Item = Pair<'_, Rule>> {
    pair.into_inner().filter(|pair| !matches!(rule_name(pair.as_rule()), RuleName::Keyword(_) | RuleName::Lookahead))
}

/// How a rule is called towards people.
enum RuleName {
    /// What could stand here, in words.
    Words(&'static str),
    /// A word or sign to write as it is.
    Keyword(&'static str),
    /// An error production: never what should stand here.
    Mistake,
    /// A rule that only looks ahead.
    Lookahead,
}

fn expectation(rule: Rule) -> Option<&'static str> {
    match rule_name(rule) {
        RuleName::Words(name) | RuleName::Keyword(name) => Some(name),
        RuleName::Mistake | RuleName::Lookahead => None,
    }
}

fn rule_name(rule: Rule) -> RuleName {
    use RuleName::{Keyword, Lookahead, Mistake, Words};
    match rule {
        Rule::file => Words("a spec"),
        Rule::fabric => Words("`fabric`"),
        Rule::item
        | Rule::use_file
        | Rule::let_name
        | Rule::link
        | Rule::router
        | Rule::chip
        | Rule::cube
        | Rule::ocs
        | Rule::budget
        | Rule::demand
        | Rule::require => Words("an item"),
        Rule::indices | Rule::index => Words("an index such as `u in 0..4`"),
        Rule::for_cubes => Words("`for cubes lo..hi`"),
        Rule::range => Words("a range such as `0..4`"),
        Rule::block => Words("`{`"),
        Rule::statement | Rule::mesh | Rule::couple | Rule::component | Rule::setting | Rule::limit => Words("a setting"),
        Rule::groups => Words("`over groups of n`"),
        Rule::any_of => Words("`any of`"),
        Rule::sided | Rule::port | Rule::face => Words("a face port such as `+x[u, v]`"),
        Rule::value
        | Rule::choice_block
        | Rule::file_block
        | Rule::dims_block
        | Rule::choice_file
        | Rule::choice_dims
        | Rule::some_dims
        | Rule::quantity => Words("a value"),
        Rule::dims => Words("dimensions such as `4 x 4 x 4`"),
        Rule::unit | Rule::unit_text => Words("a unit"),
        Rule::expr | Rule::term | Rule::factor | Rule::primary | Rule::paren | Rule::integer | Rule::decimal => Words("a number"),
        Rule::semi => Words("`;`"),
        Rule::assign => Words("`=`"),
        Rule::dots => Words("`..`"),
        Rule::comparison | Rule::good_comparison => Words("a comparison"),
        Rule::add_op | Rule::mul_op => Words("an operator"),
        Rule::metric => Words("a metric"),
        Rule::name | Rule::word => Words("a name"),
        Rule::string => Words("a path in quotes"),
        Rule::EOI => Words("the end of the file"),
        Rule::negate => Words("a number"),
        Rule::open => Keyword("`{`"),
        Rule::kw_fabric => Keyword("`fabric`"),
        Rule::kw_use
        | Rule::kw_let
        | Rule::kw_link
        | Rule::kw_router
        | Rule::kw_chip
        | Rule::kw_cube
        | Rule::kw_ocs
        | Rule::kw_budget
        | Rule::kw_demand
        | Rule::kw_require => Keyword("an item"),
        Rule::kw_mesh | Rule::kw_couple | Rule::kw_all_to_all => Keyword("a setting"),
        Rule::kw_groups => Keyword("`groups of`"),
        Rule::kw_weight => Keyword("`weight`"),
        Rule::kw_any => Keyword("`any of`"),
        Rule::kw_of => Keyword("`of`"),
        Rule::kw_with => Keyword("`with`"),
        Rule::kw_over => Keyword("`over`"),
        Rule::kw_in => Keyword("`in`"),
        Rule::kw_for => Keyword("`for cubes lo..hi`"),
        Rule::kw_cubes => Keyword("`cubes`"),
        Rule::kw_x => Keyword("`x`"),
        Rule::missing_semi
        | Rule::comma_for_semi
        | Rule::missing_assign
        | Rule::wrong_assign
        | Rule::wrong_comparison
        | Rule::wrong_dots
        | Rule::stray_semi
        | Rule::unknown_block => Mistake,
        Rule::statement_start | Rule::sign | Rule::word_char | Rule::WHITESPACE => Lookahead,
    }
}
