//! Builds statements and the values of settings.

use super::build::Builder;
use super::grammar::{Rule, children};
use crate::syntax::ast::*;
use crate::syntax::errors::ParseError;
use fabc_base::diag::{Span, Spanned};
use pest::iterators::Pair;

/// The help for malformed steps.
const STEPS: &str = "`0.1 .. 0.5 step 0.1` has both ends";

impl Builder {
    /// Builds dimensions, however they are joined.
    fn dims<'a>(&mut self, parts: impl Iterator<Item = Pair<'a, Rule>>) -> Vec<Expr> {
        let (mut dims, mut texts, mut mistake) = (Vec::new(), Vec::new(), None);
        let mut flat = Vec::new();
        for part in parts {
            match part.as_rule() {
                Rule::wrong_by => {
                    mistake = mistake.or(Some((part.as_str().trim_end().to_owned(), self.span(&part))))
                }
                Rule::tuple => {
                    mistake = mistake.or(Some((part.as_str().trim_end().to_owned(), self.span(&part))));
                    flat.extend(children(part));
                }
                _ => flat.push(part),
            }
        }
        for part in flat {
            texts.push(part.as_str().trim_end().to_owned());
            dims.push(self.expr(part));
        }
        if let Some((text, span)) = mistake {
            self.errors.push(ParseError::WrongBy { text, wanted: texts.join(" x "), span });
        }
        dims
    }

    pub(super) fn statement(&mut self, pair: Pair<'_, Rule>) -> Option<Statement> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next()?;
        let kind = match pair.as_rule() {
            Rule::part => StatementKind::Part(self.part(pair)?),
            Rule::mesh => {
                let mut parts = children(pair);
                let dims_pair = parts.next()?;
                let mut end = self.span(&dims_pair);
                let dims = self.dims(children(dims_pair));
                let over = self.over(&mut parts, &mut end)?;
                StatementKind::Mesh(MeshStatement { dims, over })
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

    /// Builds a block or an operation in a job.
    pub(super) fn part_of_job(&mut self, pair: Pair<'_, Rule>) -> Option<Statement> {
        let (span, rule) = (self.span(&pair), pair.as_rule());
        let mut parts: Vec<_> = children(pair).collect();
        let last = parts.pop()?;
        let kind = match rule {
            Rule::operation => StatementKind::Operation(self.setting(last)?),
            _ => {
                let mut names = parts.iter().map(|name| self.name(name));
                let (word, name) = (names.next()?, names.next());
                StatementKind::Inner(InnerBlock { word, name, block: self.block(last) })
            }
        };
        Some(Statement { kind, span })
    }

    fn component(&mut self, pair: Pair<'_, Rule>) -> Option<ComponentStatement> {
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
        Some(ComponentStatement { groups, weight })
    }

    fn level(&mut self, pair: Pair<'_, Rule>) -> Option<LevelStatement> {
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
                Rule::block => {
                    return Some(LevelStatement { blocks, joined, over, block: Some(self.block(part)) });
                }
                _ => self.semi(Some(part), end),
            }
        }
        Some(LevelStatement { blocks, joined, over, block: None })
    }

    /// Builds the rest of a line: `over link` if it is written, and the `;`.
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

    fn port(&mut self, pair: Pair<'_, Rule>) -> Option<CoupledPort> {
        let span = self.span(&pair);
        let mut parts = children(pair);
        let face = self.name(&parts.next()?);
        Some(CoupledPort { face, position: parts.map(|expr| self.expr(expr)).collect(), span })
    }

    pub(super) fn setting(&mut self, pair: Pair<'_, Rule>) -> Option<Setting> {
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
            Rule::plain_file => self.plain_file(value_pair)?,
            Rule::product => self.product(value_pair),
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
        Some(Setting { name, value: SettingValue { kind: ValueKind::Limit(comparison, quantity), span } })
    }

    fn value(&mut self, pair: Pair<'_, Rule>) -> Option<SettingValue> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next()?;
        match pair.as_rule() {
            Rule::quantity => Some(SettingValue { kind: ValueKind::Quantity(self.quantity(pair)), span }),
            Rule::steps => Some(SettingValue { kind: ValueKind::Steps(self.steps(pair)?), span }),
            Rule::list => Some(SettingValue { kind: ValueKind::List(self.list(pair)), span }),
            Rule::router_name => self.router(pair),
            Rule::prefix => {
                Some(SettingValue { kind: ValueKind::Prefix(pair.as_str().trim_end().into()), span })
            }
            Rule::named_file => {
                let mut parts = children(pair);
                let (kind, path) = (self.name(&parts.next()?), self.name(&parts.next()?));
                let number = Expr { kind: ExprKind::Name(kind.value), span: kind.span };
                Some(SettingValue {
                    kind: ValueKind::Quantity(Quantity { number, unit: Some(path), span }),
                    span,
                })
            }
            _ => self.choice(pair),
        }
    }

    /// Builds numbers joined by `x`, such as `4 x 8`.
    fn product(&mut self, pair: Pair<'_, Rule>) -> SettingValue {
        let span = self.span(&pair);
        let factors = children(pair).filter(|part| part.as_rule() == Rule::expr);
        SettingValue { kind: ValueKind::Product(factors.map(|part| self.expr(part)).collect()), span }
    }

    /// Builds the name of a router: `cube0[0, 0, 0]`, or a name in quotes.
    fn router(&mut self, pair: Pair<'_, Rule>) -> Option<SettingValue> {
        let span = self.span(&pair);
        Some(SettingValue { kind: ValueKind::Router(self.item_name(&children(pair).next()?)), span })
    }

    /// Builds a file without a word before it: `"comm_group.json"`.
    fn plain_file(&mut self, pair: Pair<'_, Rule>) -> Option<SettingValue> {
        let text = self.string(&children(pair).next()?);
        let none = Spanned { value: "".into(), span: text.span };
        Some(SettingValue { span: text.span, kind: ValueKind::File(none, text, None) })
    }

    /// Builds a list: `[cube0[0,0,0], 17]`, also with names in quotes.
    pub(super) fn list(&mut self, pair: Pair<'_, Rule>) -> Vec<Name> {
        let items = children(pair).filter(|item| matches!(item.as_rule(), Rule::item_name | Rule::string));
        items.map(|item| self.item_name(&item)).collect()
    }

    /// Builds a name without its spaces, or the text in quotes.
    fn item_name(&mut self, pair: &Pair<'_, Rule>) -> Name {
        if pair.as_rule() == Rule::string {
            return self.string(pair);
        }
        let bare: String = pair.as_str().split_whitespace().collect();
        Spanned { value: bare.into(), span: self.span(pair) }
    }

    /// Builds steps such as `0.1 .. 1.8 step 0.1`.
    fn steps(&mut self, pair: Pair<'_, Rule>) -> Option<Steps> {
        let mut parts = children(pair);
        let first = self.expr(parts.next()?);
        let mut next = parts.next()?;
        if next.as_rule() == Rule::wrong_dots {
            self.errors.push(ParseError::WrongRange {
                text: next.as_str().to_owned(),
                help: STEPS,
                span: self.span(&next),
            });
            next = parts.next()?;
        }
        Some(Steps { first, last: self.expr(next), step: self.expr(parts.next()?) })
    }

    /// Builds a name with a file or dimensions, with a block, or with both.
    fn choice(&mut self, pair: Pair<'_, Rule>) -> Option<SettingValue> {
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
        Some(SettingValue { kind, span })
    }
}
