//! Reads a block of a job: its settings, its inner blocks and its operations.

use crate::ResolveError;
use crate::resolve::context::{Context, missing};
use crate::resolve::settings::{BlockSettings, block_settings, wrong_kind};
use crate::syntax::ast::{Block, InnerBlock, Setting, StatementKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::{Span, closest, list};

/// A block of a job, sorted by the forms of its lines.
pub(super) struct JobBlock<'a> {
    /// All lines, as they are written.
    pub(super) block: &'a Block,
    /// The lines of the form `name = value;`.
    pub(super) settings: BlockSettings<'a>,
    /// The known blocks, in the order of the spec.
    inner: Vec<&'a InnerBlock>,
    /// The collectives, each with the span of its words.
    pub(super) operations: Vec<(&'a Setting, Span)>,
}

/// The words of the blocks in a block of a job: without a name, and with one.
fn known_blocks(place: BlockKind) -> (&'static [&'static str], &'static [&'static str]) {
    match place {
        BlockKind::Job => {
            (&["axes", "model", "batch", "bytes", "compute", "overlap", "reconfigure"], &["phase"])
        }
        BlockKind::Phase => (&[], &["send"]),
        _ => (&[], &[]),
    }
}

impl<'a> JobBlock<'a> {
    /// Reads a block called `title`. Reports lines that do not belong there, and blocks that occur twice.
    pub(super) fn read(
        context: &mut Context,
        block: &'a Block,
        title: String,
        head: Span,
        place: BlockKind,
    ) -> Self {
        let settings = block_settings(context, block, title, head, place);
        let mut parts = Self { block, settings, inner: Vec::new(), operations: Vec::new() };
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Inner(inner) if parts.fits(context, inner, place) => parts.inner.push(inner),
                StatementKind::Operation(setting) if place == BlockKind::Phase => {
                    let start = Span { start: statement.span.start, end: statement.span.start };
                    parts.operations.push((setting, start.to(setting.name.span)));
                }
                _ => {}
            }
        }
        parts.refuse_settings(context, place);
        parts
    }

    /// Reports settings that are written without braces. Only the time of computing may be.
    fn refuse_settings(&mut self, context: &mut Context, place: BlockKind) {
        for word in known_blocks(place).0.iter().filter(|word| **word != "compute") {
            if let Some(value) = self.settings.get(word) {
                let example = format!("{word} {{ .. }}");
                context.error(wrong_kind(&format!("`{word}`"), "settings in braces", &example, value.span));
                self.settings.doubt_missing();
            }
        }
    }

    /// Whether an inner block belongs here. Reports it otherwise.
    fn fits(&mut self, context: &mut Context, inner: &InnerBlock, place: BlockKind) -> bool {
        let (plain, named) = known_blocks(place);
        let word = &*inner.word.value;
        let (is_plain, is_named) = (plain.contains(&word), named.contains(&word));
        let help = match (is_plain, is_named, &inner.name) {
            (true, _, None) => match self.inner.iter().find(|first| *first.word.value == *word) {
                Some(first) => {
                    let subject = format!("`{word}`");
                    context.duplicate(subject, "remove one of them", inner.word.span, first.word.span);
                    return false;
                }
                None => return true,
            },
            (_, true, Some(_)) => return true,
            (true, _, Some(name)) => format!("write `{word} {{ .. }}`: `{}` names nothing here", name.value),
            (_, true, None) => {
                let example = format!("{word} name {{ .. }}");
                context.error(missing(&format!("this `{word}`"), "its name", &example, inner.word.span));
                return false;
            }
            (false, false, _) => {
                let known: Vec<&str> = plain.iter().chain(named).copied().collect();
                match closest(word, known.iter().copied()) {
                    Some(close) => format!("did you mean `{close}`?"),
                    None if place.settings().any(|setting| setting == word) => {
                        format!("it is a setting here: `{word} = ..;`")
                    }
                    None => format!("known here: {}", list(&known)),
                }
            }
        };
        self.settings.doubt_missing();
        context.error(ResolveError::Misplaced {
            subject: format!("`{word} {{ .. }}`"),
            place: self.settings.place.clone(),
            help: Some(help),
            span: inner.word.span,
        });
        false
    }

    /// The block with a word, if it is written.
    pub(super) fn block(&self, word: &str) -> Option<&'a InnerBlock> {
        self.named(word).next()
    }

    /// All blocks with a word.
    pub(super) fn named(&self, word: &str) -> impl Iterator<Item = &'a InnerBlock> {
        self.inner.iter().copied().filter(move |inner| *inner.word.value == *word)
    }
}
