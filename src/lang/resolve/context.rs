//! What every part of the resolution carries along: the errors so far, the constants, and the errors that
//! many parts word alike.

use crate::ResolveError;
use crate::syntax::ast::{self, Layout, Name};
use crate::syntax::{Constants, EvalError};
use fabc_base::diag::{Span, closest, list, suggestion};
use fabc_base::limits::NAME_LETTERS;
use std::collections::{BTreeMap, BTreeSet};

/// After so many errors names are not explained any more.
const ENOUGH: usize = 200;

/// Where requires have the word of a scenario.
const WORST_FAULT: &str = "fault";

/// What every part of the resolution needs.
pub(super) struct Context {
    pub(super) errors: Vec<ResolveError>,
    pub(super) constants: Constants,
    /// Path and first offset of every file of the spec, the spec first.
    files: Vec<(String, u32)>,
    /// Things that are written, but not as they should be: an error that only says that one is missing is
    /// left out.
    excused: BTreeSet<String>,
    /// Names that are used and not declared: each is told once.
    unknown: BTreeSet<String>,
    /// Whether the name of some link is in doubt, so that one that is not declared says nothing new.
    pub(super) links_in_doubt: bool,
}

impl Context {
    pub(super) fn of_spec(spec: &ast::Spec) -> Self {
        let first = |file: &ast::File| match &file.layout {
            Layout::Source(lines) => lines.first().copied().unwrap_or(0),
            Layout::Canonical => 0,
        };
        let files = spec.files.iter().map(|file| (file.path.clone(), first(file))).collect();
        Self {
            errors: Vec::new(),
            constants: Constants::of(spec),
            files,
            excused: BTreeSet::new(),
            unknown: BTreeSet::new(),
            links_in_doubt: false,
        }
    }

    /// Excuses that `what` is missing: it is written somewhere, but wrongly, and that is reported already.
    pub(super) fn excuse_missing(&mut self, what: &str) {
        self.excused.insert(what.to_owned());
    }

    /// All errors in source order, without those that only say that something is missing which is written
    /// elsewhere or otherwise.
    pub(super) fn into_errors(mut self) -> Vec<ResolveError> {
        let excused = std::mem::take(&mut self.excused);
        self.errors
            .retain(|error| !matches!(error, ResolveError::Missing { what, .. } if excused.contains(what)));
        self.errors.sort_by_cached_key(ResolveError::span);
        self.errors
    }

    /// Whether so many errors were found that more would say nothing; some of them take long to explain.
    pub(super) fn enough(&self) -> bool {
        self.errors.len() >= ENOUGH
    }

    pub(super) fn error(&mut self, error: ResolveError) {
        self.errors.push(error);
    }

    /// The value of an integer expression; `None` if it was reported, here or at a `let`.
    pub(super) fn eval(&mut self, expr: &ast::Expr, indices: &[(ast::Text, i64)]) -> Option<i64> {
        let error = match self.constants.eval(expr, indices) {
            Ok(value) => return Some(value),
            Err(_) if self.enough() => return None,
            Err(error) => error,
        };
        let indices = indices.iter().map(|(name, _)| &**name);
        if let Some(error) = eval_error(&error, self.constants.names().chain(indices)) {
            self.once(error);
        }
        None
    }

    /// An error that is told once for each name that is not declared.
    pub(super) fn once(&mut self, error: ResolveError) {
        if let ResolveError::UnknownName { what, name, .. } = &error
            && !self.unknown.insert(format!("{what} {name}"))
        {
            return;
        }
        self.errors.push(error);
    }

    pub(super) fn report_constants(&mut self) {
        let errors = self.constants.errors().take(ENOUGH);
        let errors: Vec<_> = errors.filter_map(|error| eval_error(error, self.constants.names())).collect();
        self.errors.extend(errors);
    }

    pub(super) fn duplicate(&mut self, what: String, help: &str, span: Span, first: Span) {
        let (first, span) = (first.min(span), first.max(span));
        let file =
            |span: Span| self.files.iter().rev().find(|(_, base)| *base <= span.start).map(|(path, _)| path);
        let error = match (file(first), file(span)) {
            (Some(one), Some(used)) if one != used => {
                let help = format!(
                    "{used} declares it already: remove one of the two, or change it in the block of the `use`"
                );
                ResolveError::Duplicate { what, help, span: first, first: span }
            }
            _ => ResolveError::Duplicate { what, help: help.to_owned(), span, first },
        };
        self.error(error);
    }
}

fn eval_error<'a>(error: &EvalError, known: impl Iterator<Item = &'a str>) -> Option<ResolveError> {
    Some(match error {
        EvalError::Broken => return None,
        EvalError::UnknownName(name, span) => ResolveError::UnknownName {
            what: "constant",
            name: name.to_string(),
            help: suggestion(name, known).or(Some(format!("add `let {name} = ..;`, or write the number"))),
            span: *span,
        },
        EvalError::TooLarge(span) => ResolveError::OutOfRange {
            what: "an integer".to_owned(),
            wanted: "less than 2^63".to_owned(),
            help: None,
            span: *span,
            found: "too large".to_owned(),
        },
        EvalError::DivisionByZero(span) => ResolveError::OutOfRange {
            what: "a divisor".to_owned(),
            wanted: "other than zero".to_owned(),
            help: None,
            span: *span,
            found: "this is 0".to_owned(),
        },
        EvalError::NotAnInteger(span) => ResolveError::WrongKind {
            what: "an expression".to_owned(),
            wanted: "integers".to_owned(),
            help: "a decimal number must stand alone, before its unit".to_owned(),
            span: *span,
        },
        EvalError::Circular(name, span) => {
            ResolveError::CircularConstant { name: name.to_string(), span: *span }
        }
    })
}

pub(super) fn missing(place: &str, what: &str, example: &str, span: Span) -> ResolveError {
    ResolveError::Missing {
        place: place.to_owned(),
        what: what.to_owned(),
        example: example.to_owned(),
        span,
    }
}

/// Complains about a name that is too long to name a file after it.
pub(super) fn short_name(context: &mut Context, what: &str, name: &Name) {
    let letters = name.value.chars().count();
    if letters > NAME_LETTERS {
        context.error(ResolveError::OutOfRange {
            what: what.to_owned(),
            wanted: format!("at most {NAME_LETTERS} letters long"),
            help: Some("files are named after it".to_owned()),
            span: name.span,
            found: format!("this has {letters}"),
        });
    }
}

/// Complains about the name of something that requires speak of, unless it can be told from all others in
/// `named`, by which files are called, too. `item` is its word in the language, and what it is. Whether it is
/// a new one.
pub(super) fn subject_name(
    context: &mut Context,
    name: &Name,
    (item, what): (&str, &str),
    named: &mut BTreeMap<String, Span>,
) -> bool {
    short_name(context, &format!("the name of {what}"), name);
    if &*name.value == WORST_FAULT {
        let (what, place) = (format!("the name `{WORST_FAULT}`"), format!("`{item}`"));
        let help = Some(
            "a `require` that begins with `fault.` is about the worst tolerated fault: choose another name"
                .to_owned(),
        );
        context.error(ResolveError::Misplaced { what, place, help, span: name.span });
    }
    if let Some(&first) = named.get(&name.value.to_lowercase()) {
        let help = "a `require` speaks of it, and files have it: give it another one, whatever the capitals";
        context.duplicate(format!("the name `{}`", name.value), help, name.span, first);
        return false;
    }
    named.insert(name.value.to_lowercase(), name.span);
    true
}

/// An error for a name that is not among the choices; `meant` is the one that it stands for elsewhere.
pub(super) fn unknown_choice(
    what: &str,
    found: &Name,
    choices: &[&str],
    meant: Option<&str>,
) -> ResolveError {
    let help = match meant.or(closest(&found.value, choices.iter().copied())) {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("one of {}", list(choices)),
    };
    ResolveError::UnknownChoice {
        what: what.to_owned(),
        found: found.value.to_string(),
        help,
        span: found.span,
    }
}
