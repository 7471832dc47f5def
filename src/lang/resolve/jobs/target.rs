//! The jobs that a topology is searched for: `topology = synthesize { for = train; }`.

use crate::JobError;
use crate::ResolveError;
use crate::resolve::context::{Context, unknown_choice};
use crate::resolve::items::SpecItems;
use crate::resolve::settings::{bare_name, wrong_kind};
use crate::syntax::ast::{Name, Setting, StatementKind, ValueKind};
use fabc_base::diag::Span;
use fabc_model::Job;

/// Reads `for` of `synthesize` as indices of jobs, in the order of the spec. Empty where the search is for
/// the demand. Returns `None` if an error was reported.
pub(in crate::resolve) fn searched_for(
    context: &mut Context,
    items: &SpecItems<'_>,
    jobs: Option<&[Job]>,
) -> Option<Vec<usize>> {
    let Some(target) = topology_setting(items, "for") else { return Some(Vec::new()) };
    let span = target.name.span.to(target.value.span);
    let demand = items.settings.get("demand").map(|setting| setting.name.span);
    if let Some(second) = demand.or(items.demand.map(|(_, span)| span)) {
        let (subject, help) = ("the fabric", "a job says what is sent: remove one of the two");
        context.error(two_forms(subject, "`synthesize { for = ..; }`", "a `demand`", help, second));
        return None;
    }
    if topology_setting(items, "start").is_some() {
        let place = "`synthesize` with a `start`".to_owned();
        let help = Some("remove it: a search from live cross-connects is for the demand".to_owned());
        context.error(ResolveError::Misplaced { subject: "`for`".to_owned(), place, help, span });
        return None;
    }
    let names = listed_names(context, target)?;
    let known: Vec<&str> = jobs?.iter().map(|job| &*job.name).collect();
    let mut found = Vec::new();
    for name in names {
        match known.iter().position(|known| *known == &*name.value) {
            Some(index) if !found.contains(&index) => found.push(index),
            Some(_) => {}
            None if known.is_empty() => {
                let place = "a fabric without jobs".to_owned();
                let help = Some("declare the job: `job train { .. }`".to_owned());
                context.error(ResolveError::Misplaced { subject: "`for`".to_owned(), place, help, span });
                return None;
            }
            None => {
                context.error(unknown_choice("the job in `for`", &name, &known, None));
                return None;
            }
        }
    }
    Some(found)
}

/// A setting of the topology of a pod.
fn topology_setting<'a>(items: &SpecItems<'a>, name: &str) -> Option<&'a Setting> {
    let ValueKind::Block(_, block) = &items.settings.get("topology")?.value.kind else { return None };
    block.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Setting(setting) if &*setting.name.value == name => Some(setting),
        _ => None,
    })
}

/// The names of a setting: one, or a list of them.
fn listed_names(context: &mut Context, setting: &Setting) -> Option<Vec<Name>> {
    let names = match &setting.value.kind {
        ValueKind::List(names) => Some(names.clone()),
        _ => bare_name(&setting.value).map(|name| vec![name]),
    };
    if names.is_none() {
        context.error(wrong_kind("`for`", "a job or a list of jobs", "train", setting.value.span));
    }
    names
}

fn two_forms(subject: &str, first: &str, second: &str, help: &str, span: Span) -> ResolveError {
    JobError::TwoForms {
        subject: subject.to_owned(),
        first: first.to_owned(),
        second: second.to_owned(),
        help: help.to_owned(),
        span,
    }
    .into()
}
