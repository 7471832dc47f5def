//! The state that every part of the resolution shares: the errors so far, the constants, and errors with a
//! common wording.

use crate::ResolveError;
use crate::syntax::ast::{self, FileLayout, Name};
use crate::syntax::{Constants, EvalError};
use fabc_base::diag::{Span, closest, list, suggestion};
use fabc_base::limits::NAME_LETTERS;
use std::collections::{BTreeMap, BTreeSet};

/// The number of errors after which unknown names are no longer explained.
const MAX_ERRORS: usize = 200;

/// The word for the worst tolerated fault in a `require`. No subject may have it as its name.
const WORST_FAULT: &str = "fault";

/// The state of a resolution, which all parts share.
pub(super) struct Context {
    pub(super) errors: Vec<ResolveError>,
    pub(super) constants: Constants,
    /// Path and first offset of every file of the spec, the spec first.
    files: Vec<(String, u32)>,
    /// Parts that are written, but wrongly. The error that such a part is missing is left out.
    excused: BTreeSet<String>,
    /// Undeclared names that were reported. Each is reported once.
    reported_unknown: BTreeSet<String>,
    /// Whether the name of some link is in doubt. If so, an undeclared link is not reported.
    pub(super) links_in_doubt: bool,
}

impl Context {
    pub(super) fn of_spec(spec: &ast::Spec) -> Self {
        let first_offset = |file: &ast::SpecFile| match &file.layout {
            FileLayout::Source(lines) => lines.first().copied().unwrap_or(0),
            FileLayout::Canonical => 0,
        };
        let files = spec.files.iter().map(|file| (file.path.clone(), first_offset(file))).collect();
        Self {
            errors: Vec::new(),
            constants: Constants::of_spec(spec),
            files,
            excused: BTreeSet::new(),
            reported_unknown: BTreeSet::new(),
            links_in_doubt: false,
        }
    }

    /// Marks `subject` as written, but wrongly, so that it is not reported as missing as well.
    pub(super) fn excuse_missing(&mut self, subject: &str) {
        self.excused.insert(subject.to_owned());
    }

    /// Returns all errors in source order, without those on missing parts that are excused.
    pub(super) fn into_errors(mut self) -> Vec<ResolveError> {
        let excused = std::mem::take(&mut self.excused);
        self.errors.retain(
            |error| !matches!(error, ResolveError::Missing { subject, .. } if excused.contains(subject)),
        );
        self.errors.sort_by_cached_key(ResolveError::span);
        self.errors
    }

    /// Whether there are so many errors that more would not help. Some errors are slow to explain.
    pub(super) fn enough_errors(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    pub(super) fn error(&mut self, error: ResolveError) {
        self.errors.push(error);
    }

    /// Evaluates an integer expression. Returns `None` if an error was reported, here or at a `let`.
    pub(super) fn eval(&mut self, expr: &ast::Expr, indices: &[(ast::Text, i64)]) -> Option<i64> {
        let error = match self.constants.eval(expr, indices) {
            Ok(value) => return Some(value),
            Err(_) if self.enough_errors() => return None,
            Err(error) => error,
        };
        let indices = indices.iter().map(|(name, _)| &**name);
        if let Some(error) = eval_error(&error, self.constants.names().chain(indices)) {
            self.error_once(error);
        }
        None
    }

    /// Reports an error, but an undeclared name only once.
    pub(super) fn error_once(&mut self, error: ResolveError) {
        if let ResolveError::UnknownName { subject, name, .. } = &error
            && !self.reported_unknown.insert(format!("{subject} {name}"))
        {
            return;
        }
        self.errors.push(error);
    }

    pub(super) fn report_constants(&mut self) {
        let errors = self.constants.errors().take(MAX_ERRORS);
        let errors: Vec<_> = errors.filter_map(|error| eval_error(error, self.constants.names())).collect();
        self.errors.extend(errors);
    }

    pub(super) fn duplicate(&mut self, subject: String, help: &str, span: Span, first: Span) {
        let (first, span) = (first.min(span), first.max(span));
        let file =
            |span: Span| self.files.iter().rev().find(|(_, base)| *base <= span.start).map(|(path, _)| path);
        let error = match (file(first), file(span)) {
            (Some(first_file), Some(second_file)) if first_file != second_file => {
                let help = format!(
                    "{second_file} declares it already: remove one of the two, or change it in the block of the `use`"
                );
                ResolveError::Duplicate { subject, help, span: first, first: span }
            }
            _ => ResolveError::Duplicate { subject, help: help.to_owned(), span, first },
        };
        self.error(error);
    }
}

fn eval_error<'a>(error: &EvalError, known: impl Iterator<Item = &'a str>) -> Option<ResolveError> {
    Some(match error {
        EvalError::Broken => return None,
        EvalError::UnknownName(name, span) => ResolveError::UnknownName {
            subject: "constant",
            name: name.to_string(),
            help: suggestion(name, known).or(Some(format!("add `let {name} = ..;`, or write the number"))),
            span: *span,
        },
        EvalError::TooLarge(span) => ResolveError::OutOfRange {
            subject: "an integer".to_owned(),
            wanted: "less than 2^63".to_owned(),
            help: None,
            span: *span,
            note: "too large".to_owned(),
        },
        EvalError::DivisionByZero(span) => ResolveError::OutOfRange {
            subject: "a divisor".to_owned(),
            wanted: "other than zero".to_owned(),
            help: None,
            span: *span,
            note: "this is 0".to_owned(),
        },
        EvalError::NotAnInteger(span) => ResolveError::WrongKind {
            subject: "an expression".to_owned(),
            wanted: "integers".to_owned(),
            help: "a decimal number must stand alone, before its unit".to_owned(),
            span: *span,
        },
        EvalError::Circular(name, span) => {
            ResolveError::CircularConstant { name: name.to_string(), span: *span }
        }
    })
}

pub(super) fn missing(place: &str, subject: &str, example: &str, span: Span) -> ResolveError {
    ResolveError::Missing {
        place: place.to_owned(),
        subject: subject.to_owned(),
        example: example.to_owned(),
        span,
    }
}

/// Reports a name that is too long to name a file after it.
pub(super) fn check_name_length(context: &mut Context, subject: &str, name: &Name) {
    let letters = name.value.chars().count();
    if letters > NAME_LETTERS {
        context.error(ResolveError::OutOfRange {
            subject: subject.to_owned(),
            wanted: format!("at most {NAME_LETTERS} letters long"),
            help: Some("files are named after it".to_owned()),
            span: name.span,
            note: format!("this has {letters}"),
        });
    }
}

/// Registers `name` as a subject of `require` lines. Reports a name that is taken, reserved or too long.
/// `keyword` is the word of the item in the language, `subject` its kind in messages. Names must differ in
/// more than capitals, because files are named after them. Returns whether the name is new.
pub(super) fn claim_subject_name(
    context: &mut Context,
    name: &Name,
    keyword: &str,
    subject: &str,
    known_names: &mut BTreeMap<String, Span>,
) -> bool {
    check_name_length(context, &format!("the name of {subject}"), name);
    if &*name.value == WORST_FAULT {
        let (subject, place) = (format!("the name `{WORST_FAULT}`"), format!("`{keyword}`"));
        let help = Some(
            "a `require` that begins with `fault.` is about the worst tolerated fault: choose another name"
                .to_owned(),
        );
        context.error(ResolveError::Misplaced { subject, place, help, span: name.span });
    }
    if let Some(&first) = known_names.get(&name.value.to_lowercase()) {
        let help = "requires and files use this name: choose one that differs in more than capitals";
        context.duplicate(format!("the name `{}`", name.value), help, name.span, first);
        return false;
    }
    known_names.insert(name.value.to_lowercase(), name.span);
    true
}

/// The error for a name that is not among the choices. `meant` is the choice that another tool calls by this
/// name.
pub(super) fn unknown_choice(
    subject: &str,
    name: &Name,
    choices: &[&str],
    meant: Option<&str>,
) -> ResolveError {
    let help = match meant.or(closest(&name.value, choices.iter().copied())) {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("one of {}", list(choices)),
    };
    ResolveError::UnknownChoice {
        subject: subject.to_owned(),
        written: name.value.to_string(),
        help,
        span: name.span,
    }
}
