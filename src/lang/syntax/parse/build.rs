//! Builds syntax from what the grammar matched.

use super::grammar::{Rule, children};
use crate::syntax::ast::*;
use crate::syntax::errors::ParseError;
use crate::syntax::words::ITEMS;
use fabc_base::diag::{Span, Spanned, closest};
use pest::iterators::Pair;

/// Turns pairs into syntax, and collects the errors that error productions matched.
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

    pub(super) fn entries(&mut self, file: Pair<'_, Rule>) -> Vec<FileEntry> {
        let mut entries = Vec::new();
        for pair in children(file) {
            match pair.as_rule() {
                Rule::fabric => {
                    let start = self.span(&pair).start;
                    let keyword = Span { start, end: start + "fabric".len() as u32 };
                    entries.push(FileEntry::Fabric(self.fabric(pair.clone(), children(pair), keyword)));
                }
                Rule::other_fabric => {
                    let mut parts = children(pair.clone());
                    let Some(keyword) = parts.next().map(|keyword| self.name(&keyword)) else { continue };
                    self.errors
                        .push(ParseError::NotFabric { text: keyword.value.to_string(), span: keyword.span });
                    entries.push(FileEntry::Fabric(self.fabric(pair, parts, keyword.span)));
                }
                Rule::item => entries.extend(self.item(pair).map(|item| self.entry(item))),
                _ => {}
            }
        }
        entries
    }

    /// Turns an item at the top of a file into an entry. A block with an unknown word may be meant as the
    /// fabric.
    fn entry(&mut self, item: Item) -> FileEntry {
        match &item.kind {
            ItemKind::Unknown(keyword, ..)
                if closest(&keyword.value, ITEMS.iter().map(|item| item.name).chain(["fabric"]))
                    == Some("fabric") =>
            {
                self.errors
                    .push(ParseError::NotFabric { text: keyword.value.to_string(), span: keyword.span });
                let name = Spanned { value: "".into(), span: keyword.span };
                FileEntry::Fabric(FabricItem { head: keyword.span, name, items: Vec::new(), span: item.span })
            }
            _ => FileEntry::Item(item),
        }
    }

    fn fabric<'a>(
        &mut self,
        pair: Pair<'a, Rule>,
        parts: impl Iterator<Item = Pair<'a, Rule>>,
        keyword: Span,
    ) -> FabricItem {
        let span = self.span(&pair);
        let mut parts = parts.peekable();
        let name = parts.next_if(|pair| pair.as_rule() == Rule::name).map(|pair| self.name(&pair));
        let name = name.unwrap_or_else(|| {
            self.errors.push(ParseError::NoFabricName { span: keyword });
            Spanned { value: "".into(), span: keyword }
        });
        let items = self.items(parts);
        FabricItem { head: keyword.to(name.span), name, items, span }
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
                ItemKind::Use(UseItem { path, changes, file: None })
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
            Rule::router_kind => ItemKind::RouterKind(self.name(&parts.next()?), self.block(parts.next()?)),
            Rule::box_item => ItemKind::Box(self.name(&parts.next()?), self.block(parts.next()?)),
            Rule::boxes => ItemKind::Boxes(self.boxes(parts)?),
            Rule::chip => ItemKind::Chip(self.block(parts.next()?)),
            Rule::cube => ItemKind::Cube(self.block(parts.next()?)),
            Rule::budget => ItemKind::Budget(self.block(parts.next()?)),
            Rule::floor => ItemKind::Floor(self.block(parts.next()?)),
            Rule::failures => ItemKind::Failures(self.block(parts.next()?)),
            Rule::addresses => ItemKind::Addresses(self.block(parts.next()?)),
            Rule::demand => ItemKind::Demand(self.block(parts.next()?)),
            Rule::simulate => ItemKind::Simulate(self.name(&parts.next()?), self.block(parts.next()?)),
            Rule::slice => {
                self.slice(Span { start: span.start, end: span.start + "slice".len() as u32 }, parts)
            }
            Rule::collective => ItemKind::Collective(self.setting(parts.next()?)?),
            Rule::job => self.job(parts)?,
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

    /// Builds a slice. A slice without a name gets the span of its keyword.
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

    pub(super) fn range(&mut self, pair: Pair<'_, Rule>) -> Option<IndexRange> {
        let span = self.span(&pair);
        let mut parts = children(pair);
        let lo = self.expr(parts.next()?);
        let dots = parts.next()?;
        if dots.as_rule() == Rule::wrong_dots {
            self.errors.push(ParseError::WrongRange {
                text: dots.as_str().to_owned(),
                help: RANGE,
                span: self.span(&dots),
            });
        }
        Some(IndexRange { lo, hi: self.expr(parts.next()?), span })
    }

    /// Builds the statements of `{ .. }`, or of settings without braces.
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
                Rule::operation | Rule::inner_block => statements.extend(self.part_of_job(pair)),
                Rule::stray_semi => self.errors.push(ParseError::StraySemicolon { span: self.span(&pair) }),
                Rule::stray_assign => self.stray_assign(&pair),
                _ => {}
            }
        }
        Block { statements, span }
    }

    /// Builds a job: its name, the file that it comes from, and its block.
    fn job<'i>(&mut self, mut parts: impl Iterator<Item = Pair<'i, Rule>>) -> Option<ItemKind> {
        let name = self.name(&parts.next()?);
        let mut next = parts.next()?;
        let mut source = None;
        if next.as_rule() == Rule::job_source {
            let mut written = children(next);
            let (assign, word, path) = (written.next()?, written.next()?, written.next()?);
            self.assign(assign, &name, &path);
            source = Some(JobSource { word: self.name(&word), path: self.string(&path) });
            next = parts.next()?;
        }
        Some(ItemKind::Job(name, source, self.block(next)))
    }

    fn stray_assign(&mut self, pair: &Pair<'_, Rule>) {
        self.errors.push(ParseError::StrayAssign {
            text: pair.as_str().trim_end().to_owned(),
            span: self.span(pair),
        });
    }

    pub(super) fn assign(&mut self, pair: Pair<'_, Rule>, name: &Name, value: &Pair<'_, Rule>) {
        if pair.as_rule() == Rule::missing_assign {
            let value = value.as_str().trim_end().to_owned();
            self.errors.push(ParseError::MissingAssign {
                name: name.value.to_string(),
                value,
                span: name.span,
            });
        } else if let Some(mistake) = children(pair).next() {
            self.errors.push(ParseError::WrongAssign {
                text: mistake.as_str().to_owned(),
                span: self.span(&mistake),
            });
        }
    }

    /// Reports a `;` that is missing after `end` or is a comma.
    pub(super) fn semi(&mut self, pair: Option<Pair<'_, Rule>>, end: Span) {
        let Some(mistake) = pair.and_then(|pair| children(pair).next()) else { return };
        match mistake.as_rule() {
            Rule::comma_for_semi => {
                self.errors.push(ParseError::CommaForSemicolon { span: self.span(&mistake) })
            }
            _ => {
                self.errors.push(ParseError::MissingSemicolon { span: Span { start: end.end, end: end.end } })
            }
        }
    }
}

/// The help for a malformed range.
const RANGE: &str = "`lo..hi` runs from `lo` to `hi - 1`: `0..4` has the values 0, 1, 2, 3";

/// The error of a block that has items in it, but is no slice.
fn not_slice(keyword: &Name) -> ParseError {
    let close = closest(&keyword.value, ["slice"]).map(|meant| format!("did you mean `{meant}`?"));
    let help = close.unwrap_or_else(|| "only `fabric` and `slice` have blocks in their braces".to_owned());
    ParseError::Unexpected {
        text: format!("`{}`", keyword.value),
        expected: "`slice`".to_owned(),
        help: Some(help),
        span: keyword.span,
    }
}
