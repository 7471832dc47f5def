//! Builds `boxes = n of name;` and the lines of a box.

use super::build::Builder;
use super::grammar::{Rule, children};
use crate::syntax::ast::*;
use fabc_base::diag::{Span, Spanned};
use pest::iterators::Pair;

impl Builder {
    pub(super) fn boxes<'a>(&mut self, mut parts: impl Iterator<Item = Pair<'a, Rule>>) -> Option<BoxesItem> {
        let (assign, count) = (parts.next()?, parts.next()?);
        let word = Spanned { value: "boxes".into(), span: self.span(&count) };
        self.assign(assign, &word, &count);
        let count = self.expr(count);
        let kind = self.name(&parts.next()?);
        self.semi(parts.next(), kind.span);
        Some(BoxesItem { count, kind })
    }

    pub(super) fn part(&mut self, pair: Pair<'_, Rule>) -> Option<PartLine> {
        let pair = pair.into_inner().next()?;
        let start = self.span(&pair).start;
        let rule = pair.as_rule();
        let word = match rule {
            Rule::inner_switch => "switch",
            Rule::join_gpus => "join",
            Rule::full_mesh => "mesh",
            Rule::listed_links => "links",
            Rule::nics => "nics",
            _ => "nic",
        };
        let word = Spanned { value: word.into(), span: Span { start, end: start + word.len() as u32 } };
        let mut parts = children(pair).peekable();
        let subject = match rule {
            Rule::inner_switch => {
                let name = self.name(&parts.next()?);
                let copies = parts.next_if(|part| part.as_rule() == Rule::copies);
                let copies = copies.and_then(|copies| Some(self.expr(children(copies).next()?)));
                PartSubject::Switches(name, copies)
            }
            Rule::join_gpus => {
                let gpus = parts.next()?;
                match gpus.as_rule() {
                    Rule::all_gpus => PartSubject::All,
                    Rule::range => PartSubject::Range(self.range(gpus)?),
                    _ => {
                        let members = children(gpus).filter(|part| part.as_rule() == Rule::expr);
                        PartSubject::Members(members.map(|member| self.expr(member)).collect())
                    }
                }
            }
            Rule::full_mesh => PartSubject::All,
            Rule::listed_links => PartSubject::Listed(self.string(&parts.next()?), Vec::new()),
            Rule::nics => {
                let (assign, count) = (parts.next()?, parts.next()?);
                self.assign(assign, &word, &count);
                PartSubject::Count(self.expr(count))
            }
            _ => PartSubject::Place(self.name(&parts.next()?), self.expr(parts.next()?)),
        };
        let mut end = match &subject {
            PartSubject::All => word.span,
            PartSubject::Range(range) => range.span,
            PartSubject::Members(members) => members.last().map_or(word.span, |member| member.span),
            PartSubject::Switches(name, _) | PartSubject::Listed(name, _) => name.span,
            PartSubject::Count(number) | PartSubject::Place(_, number) => number.span,
        };
        let (mut over, mut block) = (None, None);
        for part in parts {
            match part.as_rule() {
                Rule::name => {
                    end = self.span(&part);
                    over = Some(self.name(&part));
                }
                Rule::block => block = Some(self.block(part)),
                _ => self.semi(Some(part), end),
            }
        }
        Some(PartLine { word, subject, over, block })
    }
}
