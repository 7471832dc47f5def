//! From what the grammar matched to syntax.

use super::grammar::{Rule, children};
use crate::syntax::ast::*;
use crate::syntax::errors::ParseError;
use crate::syntax::words::ITEMS;
use fabc_base::diag::{Span, Spanned, closest};
use pest::iterators::Pair;

/// Turns pairs into syntax; what the error productions matched is gathered on the way.
pub(super) struct Builder {
    pub(super) base: u32,
    pub(super) errors: Vec<ParseError>,
}

impl Builder {
    /// The span of a pair without the blanks that pest counts in, and without a `;` after its `}`.
    pub(super) fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let start = self.base + pair.as_span().start() as u32;
        let text = pair.as_str().trim_end();
        let block = text.strip_suffix(';').map(str::trim_end).filter(|block| block.ends_with('}'));
        Span { start, end: start + block.unwrap_or(text).len() as u32 }
    }

    pub(super) fn name(&self, pair: &Pair<'_, Rule>) -> Name {
        Spanned { value: pair.as_str().trim_end().into(), span: self.span(pair) }
    }

    /// The text between the quotes.
    pub(super) fn string(&mut self, pair: &Pair<'_, Rule>) -> Name {
        if pair.as_str().chars().any(char::is_control) {
            self.errors.push(ParseError::ControlInPath { span: self.span(pair) });
        }
        Spanned { value: pair.as_str().trim_matches('"').into(), span: self.span(pair) }
    }

    pub(super) fn entries(&mut self, file: Pair<'_, Rule>) -> Vec<Entry> {
        let mut entries = Vec::new();
        for pair in children(file) {
            match pair.as_rule() {
                Rule::fabric => {
                    let start = self.span(&pair).start;
                    let keyword = Span { start, end: start + "fabric".len() as u32 };
                    entries.push(Entry::Fabric(self.fabric(pair.clone(), children(pair), keyword)));
                }
                Rule::other_fabric => {
                    let mut parts = children(pair.clone());
                    let Some(found) = parts.next().map(|keyword| self.name(&keyword)) else { continue };
                    self.errors
                        .push(ParseError::NotFabric { found: found.value.to_string(), span: found.span });
                    entries.push(Entry::Fabric(self.fabric(pair, parts, found.span)));
                }
                Rule::item => entries.extend(self.item(pair).map(|item| self.entry(item))),
                _ => {}
            }
        }
        entries
    }

    /// An item at the top of a file, where a block with an unknown word may be meant as the fabric.
    fn entry(&mut self, item: Item) -> Entry {
        match &item.kind {
            ItemKind::Unknown(found, ..)
                if closest(&found.value, ITEMS.iter().map(|item| item.name).chain(["fabric"]))
                    == Some("fabric") =>
            {
                self.errors.push(ParseError::NotFabric { found: found.value.to_string(), span: found.span });
                let name = Spanned { value: "".into(), span: found.span };
                Entry::Fabric(Fabric { head: found.span, name, items: Vec::new(), span: item.span })
            }
            _ => Entry::Item(item),
        }
    }

    fn fabric<'a>(
        &mut self,
        pair: Pair<'a, Rule>,
        parts: impl Iterator<Item = Pair<'a, Rule>>,
        keyword: Span,
    ) -> Fabric {
        let span = self.span(&pair);
        let mut parts = parts.peekable();
        let name = parts.next_if(|pair| pair.as_rule() == Rule::name).map(|pair| self.name(&pair));
        let name = name.unwrap_or_else(|| {
            self.errors.push(ParseError::NoFabricName { span: keyword });
            Spanned { value: "".into(), span: keyword }
        });
        let items = self.items(parts);
        Fabric { head: keyword.to(name.span), name, items, span }
    }

    fn items<'a>(&mut self, parts: impl Iterator<Item = Pair<'a, Rule>>) -> Vec<Item> {
        let mut items = Vec::new();
        for pair in parts {
            match pair.as_rule() {
                Rule::item => items.extend(self.item(pair)),
                Rule::stray_assign => self.stray_assign(&pair),
                Rule::unknown_items => {
                    let mut parts = children(pair);
                    self.errors.extend(parts.next().map(|keyword| not_slice(&self.name(&keyword))));
                    self.items(parts);
                }
                _ => {}
            }
        }
        items
    }

    fn item(&mut self, pair: Pair<'_, Rule>) -> Option<Item> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next()?;
        let rule = pair.as_rule();
        let mut parts = children(pair.clone()).collect::<Vec<_>>().into_iter();
        let kind = match rule {
            Rule::use_file => {
                let path = self.string(&parts.next()?);
                let changes = match parts.next() {
                    Some(part) if part.as_rule() == Rule::changes => Some(self.block(part)),
                    part => {
                        self.semi(part, path.span);
                        None
                    }
                };
                ItemKind::Use(Use { path, changes, file: None })
            }
            Rule::let_name => {
                let (name, value) = self.constant_name(&mut parts)?;
                self.semi(parts.next(), value.span);
                ItemKind::Let(Let { name, value })
            }
            Rule::param => {
                let (name, value) = self.constant_name(&mut parts)?;
                let mut next = parts.next();
                let among = next.take_if(|pair| pair.as_rule() == Rule::among);
                if among.is_some() {
                    next = parts.next();
                }
                let among = among.and_then(|pair| self.among(pair));
                self.semi(next, among.as_ref().map_or(value.span, Among::span));
                ItemKind::Param(Param { name, value, among })
            }
            Rule::sweep => ItemKind::Sweep(parts.filter_map(|part| self.swept(part)).collect()),
            Rule::link => ItemKind::Link(self.name(&parts.next()?), self.block(parts.next()?)),
            Rule::router => ItemKind::Router(self.block(parts.next()?)),
            Rule::chip => ItemKind::Chip(self.block(parts.next()?)),
            Rule::cube => ItemKind::Cube(self.block(parts.next()?)),
            Rule::budget => ItemKind::Budget(self.block(parts.next()?)),
            Rule::floor => ItemKind::Floor(self.block(parts.next()?)),
            Rule::failures => ItemKind::Failures(self.block(parts.next()?)),
            Rule::demand => ItemKind::Demand(self.block(parts.next()?)),
            Rule::simulate => ItemKind::Simulate(self.name(&parts.next()?), self.block(parts.next()?)),
            Rule::slice => {
                self.slice(Span { start: span.start, end: span.start + "slice".len() as u32 }, parts)
            }
            Rule::collective => ItemKind::Collective(self.setting(parts.next()?)?),
            Rule::ocs => ItemKind::Ocs(self.ocs(parts)?),
            Rule::require => ItemKind::Require(self.require(parts)?),
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

    /// A slice; one without a name has the place of its keyword.
    fn slice<'a>(&mut self, keyword: Span, parts: impl Iterator<Item = Pair<'a, Rule>>) -> ItemKind {
        let mut parts = parts.peekable();
        let name = parts.next_if(|pair| pair.as_rule() == Rule::name).map(|pair| self.name(&pair));
        let name = name.unwrap_or_else(|| Spanned { value: "".into(), span: keyword });
        ItemKind::Slice(name, self.items(parts))
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
                        indices.push(Index {
                            name: self.name(&parts.next()?),
                            range: self.range(parts.next()?)?,
                        });
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
            self.errors.push(ParseError::WrongRange {
                found: dots.as_str().to_owned(),
                help: RANGE,
                span: self.span(&dots),
            });
        }
        Some(Range { lo, hi: self.expr(parts.next()?), span })
    }

    /// The statements of `{ .. }`, or of settings without braces.
    pub(super) fn block(&mut self, pair: Pair<'_, Rule>) -> Block {
        let span = self.span(&pair);
        let mut statements = Vec::new();
        for pair in children(pair) {
            match pair.as_rule() {
                Rule::statement => statements.extend(self.statement(pair)),
                Rule::change => statements.extend(self.change(pair)),
                Rule::text => statements.extend(self.text(pair)),
                Rule::setting => {
                    let span = self.span(&pair);
                    statements.extend(
                        self.setting(pair)
                            .map(|setting| Statement { kind: StatementKind::Setting(setting), span }),
                    );
                }
                Rule::stray_semi => self.errors.push(ParseError::StraySemicolon { span: self.span(&pair) }),
                Rule::stray_assign => self.stray_assign(&pair),
                _ => {}
            }
        }
        Block { statements, span }
    }

    fn stray_assign(&mut self, pair: &Pair<'_, Rule>) {
        self.errors.push(ParseError::StrayAssign {
            found: pair.as_str().trim_end().to_owned(),
            span: self.span(pair),
        });
    }

    /// Dimensions, however they are joined.
    fn dims<'a>(&mut self, parts: impl Iterator<Item = Pair<'a, Rule>>) -> Vec<Expr> {
        let (mut dims, mut texts, mut wrong) = (Vec::new(), Vec::new(), None);
        let mut flat = Vec::new();
        for part in parts {
            match part.as_rule() {
                Rule::wrong_by => {
                    wrong = wrong.or(Some((part.as_str().trim_end().to_owned(), self.span(&part))))
                }
                Rule::tuple => {
                    wrong = wrong.or(Some((part.as_str().trim_end().to_owned(), self.span(&part))));
                    flat.extend(children(part));
                }
                _ => flat.push(part),
            }
        }
        for part in flat {
            texts.push(part.as_str().trim_end().to_owned());
            dims.push(self.expr(part));
        }
        if let Some((found, span)) = wrong {
            self.errors.push(ParseError::WrongBy { found, wanted: texts.join(" x "), span });
        }
        dims
    }

    fn statement(&mut self, pair: Pair<'_, Rule>) -> Option<Statement> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next()?;
        let kind = match pair.as_rule() {
            Rule::mesh => {
                let mut parts = children(pair);
                let dims_pair = parts.next()?;
                let mut end = self.span(&dims_pair);
                let dims = self.dims(children(dims_pair));
                let over = self.over(&mut parts, &mut end)?;
                StatementKind::Mesh(Mesh { dims, over })
            }
            Rule::couple => {
                let mut parts = children(pair);
                let ports_pair = parts.next()?;
                let mut end = self.span(&ports_pair);
                let sided = ports_pair.as_rule() == Rule::sided;
                let mut ports =
                    children(ports_pair).map(|port| self.port(port)).collect::<Option<Vec<_>>>()?;
                let ports = match (sided, ports.len()) {
                    (true, 2) => Coupled::Sided(ports.remove(0), ports.remove(0)),
                    _ => Coupled::AnyOf(ports),
                };
                let over = self.over(&mut parts, &mut end)?;
                StatementKind::Couple(Couple { ports, over })
            }
            Rule::component => StatementKind::Component(self.component(pair)?),
            Rule::level => StatementKind::Level(self.level(pair)?),
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
        let (mut groups, mut over) = (None, String::new());
        if next.as_rule() == Rule::groups {
            over = format!(" {}", next.as_str().trim_end());
            let size = self.expr(children(next).next()?);
            end = size.span;
            groups = Some(size);
            next = parts.next()?;
        }
        let written = |weight: &str| format!("all_to_all{over} weight {weight};");
        let weight = match next.as_rule() {
            Rule::no_weight => {
                let span = Span { start: end.end, end: end.end };
                self.errors.push(ParseError::NoWeight { wanted: written("1"), span });
                Expr { kind: ExprKind::Integer("1".into()), span }
            }
            Rule::split_weight => {
                let span = self.span(&next);
                let weight = children(next).next()?;
                self.errors
                    .push(ParseError::SplitWeight { wanted: written(weight.as_str().trim_end()), span });
                self.expr(weight)
            }
            _ => self.expr(next),
        };
        self.semi(parts.next(), weight.span);
        Some(Component { groups, weight })
    }

    fn level(&mut self, pair: Pair<'_, Rule>) -> Option<Level> {
        let mut parts = children(pair);
        let blocks = self.expr(parts.next()?);
        let (mut joined, mut over, mut end) = (None, None, blocks.span);
        for part in parts {
            match part.as_rule() {
                Rule::joined => {
                    let count = self.expr(children(part).next()?);
                    end = count.span;
                    joined = Some(count);
                }
                Rule::name => {
                    end = self.span(&part);
                    over = Some(self.name(&part));
                }
                Rule::block => return Some(Level { blocks, joined, over, block: Some(self.block(part)) }),
                _ => self.semi(Some(part), end),
            }
        }
        Some(Level { blocks, joined, over, block: None })
    }

    /// The rest of a line: `over link` (if written) and the `;`.
    fn over<'i>(
        &mut self,
        parts: &mut impl Iterator<Item = Pair<'i, Rule>>,
        end: &mut Span,
    ) -> Option<Option<Name>> {
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
        self.assign(assign, &name, &value_pair);
        if matches!(value_pair.as_rule(), Rule::choice_block | Rule::file_block | Rule::dims_block) {
            return Some(Setting { name, value: self.choice(value_pair)? });
        }
        let value = match value_pair.as_rule() {
            Rule::quoted => self.router(value_pair)?,
            _ => self.value(value_pair)?,
        };
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
            Rule::steps => Some(Value { kind: ValueKind::Steps(self.steps(pair)?), span }),
            Rule::list => Some(Value { kind: ValueKind::List(self.list(pair)), span }),
            Rule::router_name => self.router(pair),
            Rule::named_file => {
                let mut parts = children(pair);
                let (kind, path) = (self.name(&parts.next()?), self.name(&parts.next()?));
                let number = Expr { kind: ExprKind::Name(kind.value), span: kind.span };
                Some(Value { kind: ValueKind::Quantity(Quantity { number, unit: Some(path), span }), span })
            }
            _ => self.choice(pair),
        }
    }

    /// `cube0[0, 0, 0]`, or a name in quotes.
    fn router(&mut self, pair: Pair<'_, Rule>) -> Option<Value> {
        let span = self.span(&pair);
        Some(Value { kind: ValueKind::Router(self.item_name(&children(pair).next()?)), span })
    }

    /// `[cube0[0,0,0], 17]`, also with names in quotes.
    pub(super) fn list(&mut self, pair: Pair<'_, Rule>) -> Vec<Name> {
        let items = children(pair).filter(|item| matches!(item.as_rule(), Rule::item_name | Rule::string));
        items.map(|item| self.item_name(&item)).collect()
    }

    /// `cube0[0, 0, 0]` without its spaces, or what stands in quotes.
    fn item_name(&mut self, pair: &Pair<'_, Rule>) -> Name {
        if pair.as_rule() == Rule::string {
            return self.string(pair);
        }
        let bare: String = pair.as_str().split_whitespace().collect();
        Spanned { value: bare.into(), span: self.span(pair) }
    }

    /// `0.1 .. 1.8 step 0.1`
    fn steps(&mut self, pair: Pair<'_, Rule>) -> Option<Steps> {
        let mut parts = children(pair);
        let first = self.expr(parts.next()?);
        let mut next = parts.next()?;
        if next.as_rule() == Rule::wrong_dots {
            self.errors.push(ParseError::WrongRange {
                found: next.as_str().to_owned(),
                help: STEPS,
                span: self.span(&next),
            });
            next = parts.next()?;
        }
        Some(Steps { first, last: self.expr(next), step: self.expr(parts.next()?) })
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
            _ => ValueKind::Dims(name, self.dims(parts), block),
        };
        Some(Value { kind, span })
    }

    pub(super) fn assign(&mut self, pair: Pair<'_, Rule>, name: &Name, value: &Pair<'_, Rule>) {
        if pair.as_rule() == Rule::missing_assign {
            let value = value.as_str().trim_end().to_owned();
            self.errors.push(ParseError::MissingAssign {
                name: name.value.to_string(),
                value,
                span: name.span,
            });
        } else if let Some(wrong) = children(pair).next() {
            self.errors
                .push(ParseError::WrongAssign { found: wrong.as_str().to_owned(), span: self.span(&wrong) });
        }
    }

    /// Complains about a `;` that is missing after `end` or is a comma.
    pub(super) fn semi(&mut self, pair: Option<Pair<'_, Rule>>, end: Span) {
        let Some(wrong) = pair.and_then(|pair| children(pair).next()) else { return };
        match wrong.as_rule() {
            Rule::comma_for_semi => {
                self.errors.push(ParseError::CommaForSemicolon { span: self.span(&wrong) })
            }
            _ => {
                self.errors.push(ParseError::MissingSemicolon { span: Span { start: end.end, end: end.end } })
            }
        }
    }
}

/// What ranges mean.
const RANGE: &str = "`lo..hi` runs from `lo` to `hi - 1`: `0..4` has the values 0, 1, 2, 3";
const STEPS: &str = "`0.1 .. 0.5 step 0.1` has both ends";

/// That a block with items in it is no slice, as its word says.
fn not_slice(keyword: &Name) -> ParseError {
    let close = closest(&keyword.value, ["slice"]).map(|meant| format!("did you mean `{meant}`?"));
    let help = close.unwrap_or_else(|| "only `fabric` and `slice` have blocks in their braces".to_owned());
    ParseError::Unexpected {
        found: format!("`{}`", keyword.value),
        expected: "`slice`".to_owned(),
        help: Some(help),
        span: keyword.span,
    }
}
