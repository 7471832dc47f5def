//! The axes of the ranks of a job, and lists of axes in its operations.

use super::job_block::JobBlock;
use crate::JobError;
use crate::ResolveError;
use crate::resolve::context::{Context, missing};
use crate::resolve::settings::{bare_name, in_range, integer, wrong_kind};
use crate::syntax::ast::{Name, SettingValue, StatementKind, ValueKind};
use fabc_base::diag::{Span, list, suggestion};
use fabc_base::limits::CHIPS;
use fabc_model::{JobAxis, group_size};

/// The axes of a job, with the span of their block.
pub(super) struct JobAxes {
    /// The axes in the order of the spec.
    pub(super) list: Vec<JobAxis>,
    /// The place of every name.
    pub(super) names: Vec<Span>,
    /// The place of the word `axes`.
    pub(super) span: Span,
}

/// Resolves the axes of a job. Returns `None` if an error was reported.
pub(super) fn axes(context: &mut Context, parts: &JobBlock<'_>) -> Option<JobAxes> {
    let Some(inner) = parts.block("axes") else {
        if !parts.settings.has_unknown() {
            let example = "axes { tensor = 8; data = 32; }";
            context.error(missing(&parts.settings.place, "`axes`", example, parts.settings.head()));
        }
        return None;
    };
    let mut list: Vec<Option<JobAxis>> = Vec::new();
    let mut names: Vec<&Name> = Vec::new();
    for statement in &inner.block.statements {
        let StatementKind::Setting(setting) = &statement.kind else {
            context.error(ResolveError::Misplaced {
                subject: format!("`{}`", statement.kind.keyword()),
                place: "`axes`".to_owned(),
                help: Some("an axis has a name and a size: `data = 4;`".to_owned()),
                span: statement.span,
            });
            list.push(None);
            continue;
        };
        let name = &setting.name;
        if let Some(first) = names.iter().find(|first| first.value == name.value) {
            let subject = format!("the axis `{}`", name.value);
            context.duplicate(subject, "remove one of them", name.span, first.span);
            list.push(None);
            continue;
        }
        names.push(name);
        let subject = format!("the axis `{}`", name.value);
        let size = integer(context, &subject, &setting.value, i64::MIN..=i64::MAX);
        let size =
            size.and_then(|size| in_range(context, &subject, size, 1..=CHIPS as i64, setting.value.span));
        list.push(size.map(|size| JobAxis { name: name.value.to_string(), size: size as u32 }));
    }
    if list.is_empty() {
        context.error(missing("`axes`", "an axis", "data = 8;", inner.word.span));
        return None;
    }
    let names = names.iter().map(|name| name.span).collect();
    Some(JobAxes { list: list.into_iter().collect::<Option<_>>()?, names, span: inner.word.span })
}

impl JobAxes {
    /// The product of the sizes.
    pub(super) fn rank_count(&self) -> u128 {
        self.list.iter().fold(1u128, |product, axis| product.saturating_mul(axis.size.into()))
    }

    /// The product as it is calculated: `8 x 4 x 4 = 128 ranks`.
    fn arithmetic(&self) -> String {
        let sizes: Vec<String> = self.list.iter().map(|axis| axis.size.to_string()).collect();
        match &sizes[..] {
            [size] => format!("{size} ranks"),
            _ => format!("{} = {} ranks", sizes.join(" x "), self.rank_count()),
        }
    }

    /// The size of an axis. 1 if there is none with this name.
    pub(super) fn size(&self, name: &str) -> u32 {
        self.list.iter().find(|axis| axis.name == name).map_or(1, |axis| axis.size)
    }

    /// Reports ranks that are not as many as the chips of the pod.
    pub(super) fn check_count(&self, context: &mut Context, job: &str, chips: u64) {
        let ranks = self.rank_count();
        if ranks == u128::from(chips) {
            return;
        }
        // The number of replicas is the easiest to change.
        let by_ease = || self.list.iter().filter(|axis| axis.name == "data").chain(self.list.iter().rev());
        let filling = by_ease().find_map(|axis| {
            let others = ranks / u128::from(axis.size);
            u128::from(chips).is_multiple_of(others).then(|| (&axis.name, u128::from(chips) / others))
        });
        let help = match filling {
            Some((name, size)) => format!("{}, {chips} chips: {name} = {size} fills them", self.arithmetic()),
            None => format!("{}, {chips} chips: no size of a single axis fills them", self.arithmetic()),
        };
        let (job, arithmetic) = (job.to_owned(), self.arithmetic());
        context.error(JobError::RankCount { job, ranks, chips, help, span: self.span, arithmetic }.into());
    }

    /// Reads the axes of an operation as indices in ascending order. Reports unknown and repeated axes, and
    /// groups of a single rank.
    pub(super) fn read_list(
        &self,
        context: &mut Context,
        subject: &str,
        word: &str,
        value: &SettingValue,
    ) -> Option<Vec<usize>> {
        let names: Vec<Name> = match &value.kind {
            ValueKind::List(names) => names.clone(),
            _ => match bare_name(value) {
                Some(name) => vec![name],
                None => {
                    let example = &self.list[0].name;
                    context.error(wrong_kind(
                        &format!("`{word}`"),
                        "an axis or a list of axes",
                        example,
                        value.span,
                    ));
                    return None;
                }
            },
        };
        let mut over = Vec::new();
        for name in names {
            let Some(index) = self.list.iter().position(|axis| axis.name == *name.value) else {
                let known: Vec<&str> = self.list.iter().map(|axis| &*axis.name).collect();
                let help = suggestion(&name.value, known.iter().copied())
                    .unwrap_or_else(|| format!("the axes are {}", list(&known)));
                let (subject, axis) = ("this job".to_owned(), name.value.to_string());
                context.error(JobError::NoAxis { subject, axis, help, span: name.span }.into());
                return None;
            };
            if over.contains(&index) {
                let (subject, axis) = (subject.to_owned(), name.value.to_string());
                context.error(JobError::AxisTwice { subject, axis, span: name.span }.into());
                return None;
            }
            over.push(index);
        }
        over.sort_unstable();
        if self.group_size(&over) < 2 {
            let sizes: Vec<String> =
                over.iter().map(|&index| format!("{} = 1", self.list[index].name)).collect();
            let (subject, arithmetic) = (subject.to_owned(), sizes.join(", "));
            let help = "remove it, or take an axis with at least two ranks".to_owned();
            context.error(JobError::OneRank { subject, help, span: value.span, arithmetic }.into());
            return None;
        }
        Some(over)
    }

    /// Ranks of a group that differs along these axes.
    pub(super) fn group_size(&self, over: &[usize]) -> u64 {
        group_size(&self.list, over)
    }
}
