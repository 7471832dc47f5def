//! Builds constants, parameters, and the changes of a `use`.

use super::build::Builder;
use super::grammar::{Rule, children};
use crate::syntax::ast::*;
use crate::syntax::errors::ParseError;
use fabc_base::diag::Spanned;
use pest::iterators::Pair;

impl Builder {
    /// Builds `name = value` of a `let` or `param`.
    pub(super) fn constant_name<'i>(
        &mut self,
        parts: &mut impl Iterator<Item = Pair<'i, Rule>>,
    ) -> Option<(Name, Constant)> {
        let name = self.name(&parts.next()?);
        let (assign, value) = (parts.next()?, parts.next()?);
        self.assign(assign, &name, &value);
        Some((name, self.constant(value)?))
    }

    pub(super) fn constant(&mut self, pair: Pair<'_, Rule>) -> Option<Constant> {
        let span = self.span(&pair);
        let value = children(pair).next()?;
        let kind = match value.as_rule() {
            Rule::string => ConstantKind::Text(self.string(&value)),
            _ => ConstantKind::Quantity(self.quantity(value)),
        };
        Some(Constant { kind, span })
    }

    /// Builds a line of a sweep, such as `seed = 1..=8, 10;`.
    pub(super) fn swept(&mut self, pair: Pair<'_, Rule>) -> Option<SweptParameter> {
        if pair.as_rule() != Rule::swept {
            if pair.as_rule() == Rule::stray_semi {
                self.errors.push(ParseError::StraySemicolon { span: self.span(&pair) });
            }
            return None;
        }
        let mut parts = children(pair);
        let name = self.name(&parts.next()?);
        let assign = parts.next()?;
        let mut values = Vec::new();
        let mut end = name.span;
        for part in parts {
            if part.as_rule() == Rule::swept_value {
                if values.is_empty() {
                    self.assign(assign.clone(), &name, &part);
                }
                end = self.span(&part);
                values.extend(self.swept_value(part));
            } else {
                self.semi(Some(part), end);
            }
        }
        Some(SweptParameter { name, values })
    }

    fn swept_value(&mut self, pair: Pair<'_, Rule>) -> Option<SweptValue> {
        let mut parts = children(pair);
        let first = parts.next()?;
        if first.as_rule() == Rule::constant {
            return self.constant(first).map(SweptValue::One);
        }
        let (dots, last) = (parts.next()?, parts.next()?);
        let through = dots.as_rule() == Rule::through;
        Some(SweptValue::Range { first: self.name(&first), last: self.name(&last), through })
    }

    pub(super) fn among(&mut self, pair: Pair<'_, Rule>) -> Option<Among> {
        let span = self.span(&pair);
        let mut parts = children(pair);
        let first = parts.next()?;
        if first.as_rule() == Rule::list {
            return Some(Among::List(self.list(first), span));
        }
        let low = self.quantity(first);
        let dots = parts.next()?;
        if dots.as_rule() == Rule::wrong_through {
            let text = dots.as_str().trim_end().to_owned();
            self.errors.push(ParseError::WrongThrough { text, span: self.span(&dots) });
        }
        Some(Among::Range(low, self.quantity(parts.next()?), span))
    }

    /// Builds `lab = "lab.graphml";` in a `use`: a file without a word before it.
    pub(super) fn text(&mut self, pair: Pair<'_, Rule>) -> Option<Statement> {
        let span = self.span(&pair);
        let mut parts = children(pair);
        let name = self.name(&parts.next()?);
        let (assign, text) = (parts.next()?, parts.next()?);
        self.assign(assign, &name, &text);
        let text = self.string(&text);
        self.semi(parts.next(), text.span);
        let none = Spanned { value: "".into(), span: text.span };
        let value = SettingValue { span: text.span, kind: ValueKind::File(none, text, None) };
        Some(Statement { kind: StatementKind::Setting(Setting { name, value }), span })
    }

    /// Builds a change such as `link copper { .. }` in a `use`.
    pub(super) fn change(&mut self, pair: Pair<'_, Rule>) -> Option<Statement> {
        let span = self.span(&pair);
        let mut parts: Vec<_> = children(pair).collect();
        let block = self.block(parts.pop()?);
        let mut names = parts.iter().map(|part| self.name(part));
        let (word, name) = (names.next()?, names.next());
        Some(Statement { kind: StatementKind::Change(UseChange { word, name, block }), span })
    }
}
