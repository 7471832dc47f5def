//! What every part of the resolution carries along: the errors so far, the constants, and the errors that
//! many parts word alike.

use crate::diag::Span;
use crate::limits::NAME_LETTERS;
use crate::model::errors::{ResolveError, closest, list, suggestion};
use crate::syntax::ast::{self, Name};
use crate::syntax::{Constants, EvalError};

/// After so many errors names are not explained any more.
const ENOUGH: usize = 200;

/// What every part of the resolution needs.
pub(super) struct Context {
    pub(super) errors: Vec<ResolveError>,
    pub(super) constants: Constants,
}

impl Context {
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
        let error = eval_error(&error, self.constants.names().chain(indices));
        self.errors.extend(error);
        None
    }

    pub(super) fn report_constants(&mut self) {
        let errors = self.constants.errors().take(ENOUGH);
        let errors: Vec<_> = errors.filter_map(|error| eval_error(error, self.constants.names())).collect();
        self.errors.extend(errors);
    }

    pub(super) fn duplicate(&mut self, what: String, help: &'static str, span: Span, first: Span) {
        let (first, span) = (first.min(span), first.max(span));
        self.error(ResolveError::Duplicate { what, help, span, first });
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
        EvalError::Circular(name, span) => ResolveError::CircularConstant { name: name.to_string(), span: *span },
    })
}

pub(super) fn missing(place: &str, what: &str, example: &str, span: Span) -> ResolveError {
    ResolveError::Missing { place: place.to_owned(), what: what.to_owned(), example: example.to_owned(), span }
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

/// An error for a name that is not among the choices.
pub(super) fn unknown_choice(what: &str, found: &Name, choices: &[&str]) -> ResolveError {
    let help = match closest(&found.value, choices) {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("one of {}", list(choices)),
    };
    ResolveError::UnknownChoice { what: what.to_owned(), found: found.value.to_string(), help, span: found.span }
}
