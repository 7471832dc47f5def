//! Resolves a fabric that is divided into slices, and every kind of slice as a fabric of its own.
//!
//! In: a bound spec with slices. Out: the divided fabric with its kinds of slices. Each kind is resolved as a
//! spec of its own, so that it means what it would mean alone.

use super::context::{Context, check_name_length, missing};
use super::items::keyword_span;
use super::settings::integer;
use crate::JobError;
use crate::ResolveError;
use crate::SliceError;
use crate::normal_form;
use crate::syntax::ast::{Item, ItemKind, Setting, Spec, ValueKind};
use crate::syntax::print_spec;
use crate::syntax::slices::{self, SLICE_ITEMS, SliceItem};
use fabc_base::diag::Span;
use fabc_model::{CubeClass, Fabric, Pod, SliceKind, Slices};
use std::collections::{BTreeMap, BTreeSet};

/// Resolves a spec without slices.
type ResolveUndivided<'a> = &'a dyn Fn(&Spec) -> Result<Fabric, Vec<ResolveError>>;

/// A slice whose sizes are valid.
struct SizedSlice<'a> {
    item: SliceItem<'a>,
    cubes: u32,
    count: u32,
    span: Span,
}

/// Resolves the divided fabric and its kinds of slices.
pub(super) fn resolve_divided(
    spec: &Spec,
    resolve: ResolveUndivided<'_>,
) -> Result<Fabric, Vec<ResolveError>> {
    if spec.items().iter().any(|item| ["router", "box", "boxes"].contains(&item.kind.keyword())) {
        return Err(vec![network_error(spec)]);
    }
    let mut context = Context::of_spec(spec);
    let is_pod_item = |item: &&Item| ["chip", "cube", "cubes", "ocs"].contains(&item.kind.keyword());
    if !spec.items().iter().any(is_pod_item) {
        return Err(vec![missing("the fabric", "`cubes`", "cubes = 64;", spec.fabric().head)]);
    }
    let sized = sized_slices(&mut context, spec);
    let spare = check_outer_items(&mut context, spec);
    let undivided = resolve(&slices::divided_fabric(spec));
    let mut errors = context.into_errors();
    let mut fabric = match undivided {
        Ok(fabric) if errors.is_empty() => fabric,
        Ok(_) => return Err(errors),
        Err(kind_errors) => {
            errors.extend(kind_errors);
            return Err(sorted_without_repeats(errors));
        }
    };
    let Some(pod) = fabric.pod() else { return Err(vec![network_error(spec)]) };
    let needed = sized
        .iter()
        .fold(spare, |sum, slice| sum.saturating_add(u64::from(slice.cubes) * u64::from(slice.count)));
    if needed > u64::from(pod.cubes) {
        let parts = sized
            .iter()
            .map(|slice| format!("{} x {} ({})", slice.count, slice.cubes, slice.item.name.value));
        let parts: Vec<String> = parts.chain((spare > 0).then(|| format!("{spare} spare"))).collect();
        let arithmetic = format!("{} = {needed}", parts.join(" + "));
        return Err(vec![
            SliceError::TooMany { needed, cubes: pod.cubes, arithmetic, span: pod.cubes_span }.into(),
        ]);
    }
    let classes = pod.classes();
    let mut kinds = Vec::new();
    for slice in sized {
        match classes.iter().find(|class| class.cubes.len() >= slice.cubes as usize) {
            Some(class) => match resolve(&kind_spec(spec, &slice, pod, class)) {
                Ok(fabric) => {
                    let name = slice.item.name.value.to_string();
                    let spec = print_spec(&normal_form(&fabric, &kind_spec(spec, &slice, pod, class)));
                    kinds.push(SliceKind { name, count: slice.count, fabric, spec, span: slice.span });
                }
                Err(kind_errors) => errors.extend(kind_errors),
            },
            None => errors.push(no_class_error(&slice, pod, &classes)),
        }
    }
    kinds.sort_by(|left, right| left.name.cmp(&right.name));
    fabric.slices = Slices { kinds, spare: spare as u32 };
    if errors.is_empty() { Ok(fabric) } else { Err(sorted_without_repeats(errors)) }
}

/// Sorts errors in source order and removes repeats. An error in what slices take from their fabric occurs in
/// every kind.
fn sorted_without_repeats(errors: Vec<ResolveError>) -> Vec<ResolveError> {
    let mut distinct: Vec<ResolveError> = Vec::new();
    for error in errors {
        if !distinct.contains(&error) {
            distinct.push(error);
        }
    }
    distinct.sort_by_cached_key(ResolveError::span);
    distinct
}

/// The kind of a slice as a spec of its own, served by the switches of a class.
fn kind_spec(spec: &Spec, slice: &SizedSlice<'_>, pod: &Pod, class: &CubeClass) -> Spec {
    let groups: BTreeSet<&str> =
        class.served.values().map(|(id, _)| pod.ocs_groups[pod.ocses[*id].group].name.as_str()).collect();
    slices::kind_spec(spec, slice.item, &|group| groups.contains(group))
}

/// The error that no class of cubes is large enough.
fn no_class_error(slice: &SizedSlice<'_>, pod: &Pod, classes: &[CubeClass]) -> ResolveError {
    let largest = classes.iter().map(|class| class.cubes.len()).max().unwrap_or(0);
    let groups = || {
        pod.ocses.iter().map(|ocs| {
            (ocs.group, ocs.a.iter().chain(&ocs.b).map(|face| face.cube).collect::<BTreeSet<_>>().len())
        })
    };
    let fewest = groups().min_by_key(|(_, cubes)| *cubes).map(|(group, _)| pod.ocs_groups[group].span);
    let group = fewest.unwrap_or(pod.cubes_span);
    SliceError::Apart {
        slice: slice.item.name.value.to_string(),
        needed: slice.cubes,
        largest,
        span: slice.span,
        group,
    }
    .into()
}

fn network_error(spec: &Spec) -> ResolveError {
    let span = spec.slices().next().map_or(Span::default(), |slice| slice_head(&slice));
    ResolveError::Misplaced {
        subject: "`slice`".to_owned(),
        place: "a network of routers".to_owned(),
        help: Some("only a pod has cubes, and a slice consists of cubes".to_owned()),
        span,
    }
}

/// The span of `slice train`, for example.
fn slice_head(slice: &SliceItem<'_>) -> Span {
    keyword_span(slice.span, "slice").to(slice.name.span)
}

/// Returns the slices whose sizes are valid. Reports what does not belong in a slice.
fn sized_slices<'a>(context: &mut Context, spec: &'a Spec) -> Vec<SizedSlice<'a>> {
    let mut sized = Vec::new();
    let mut known_names: BTreeMap<String, Span> = BTreeMap::new();
    for item in spec.slices() {
        let place = format!("slice `{}`", item.name.value);
        if item.name.value.is_empty() {
            context.error(missing("this `slice`", "its name", "slice name { .. }", item.name.span));
            continue;
        }
        check_name_length(context, "the name of a slice", item.name);
        if let Some(first) = known_names.insert(item.name.value.to_lowercase(), item.name.span) {
            let help = "a folder has this name: choose one that differs in more than capitals";
            context.duplicate(format!("the slice `{}`", item.name.value), help, item.name.span, first);
            continue;
        }
        for inner in item.items {
            check_inner_item(context, inner, &place);
        }
        for needed in ["topology", "routing"] {
            let has_item = |items: &[&Item]| items.iter().any(|item| item.kind.keyword() == needed);
            if !has_item(&item.items.iter().collect::<Vec<_>>()) && !has_item(&spec.items()) {
                let example = if needed == "topology" {
                    "topology = synthesize { effort = 1; }"
                } else {
                    "routing = allowed_turns;"
                };
                context.error(missing(&place, &format!("`{needed}`"), example, slice_head(&item)));
            }
        }
        let cubes = slice_number(context, &item, "cubes");
        let count = slice_number(context, &item, "count");
        if cubes.is_none() && !item.items.iter().any(|inner| inner.kind.keyword() == "cubes") {
            context.error(missing(&place, "`cubes`", "cubes = 8;", slice_head(&item)));
        }
        let has_count = item.items.iter().any(|inner| inner.kind.keyword() == "count");
        if let (Some(cubes), Some(count)) = (cubes, if has_count { count } else { Some(1) }) {
            sized.push(SizedSlice { item, cubes, count, span: slice_head(&item) });
        }
    }
    sized
}

/// Reports an item that does not belong in a slice.
fn check_inner_item(context: &mut Context, item: &Item, place: &str) {
    let word = item.kind.keyword();
    if SLICE_ITEMS.contains(&word) || ["cubes", "count", "job"].contains(&word) {
        return;
    }
    let help = match &item.kind {
        ItemKind::Link(..) | ItemKind::Chip(_) | ItemKind::Cube(_) | ItemKind::Ocs(_) => {
            "all slices share it: write it in the fabric itself"
        }
        ItemKind::Slice(..) => "a slice cannot contain slices",
        _ => {
            "a slice has `cubes`, `count`, `budget`, `demand`, `topology`, `routing`, `simulate`, `collective`, `job` and `require`"
        }
    };
    let subject = format!("`{word}`");
    context.error(ResolveError::Misplaced {
        subject,
        place: place.to_owned(),
        help: Some(help.to_owned()),
        span: keyword_span(item.span, word),
    });
}

/// Reads a whole number of a slice. Returns `None` if it is not written, or was reported.
fn slice_number(context: &mut Context, slice: &SliceItem<'_>, word: &str) -> Option<u32> {
    let mut settings = slice.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Setting(setting) if &*setting.name.value == word => Some(setting),
        _ => None,
    });

    let first = settings.next()?;
    if let Some(second) = settings.next() {
        context.duplicate(format!("`{word}`"), "remove one of them", second.name.span, first.name.span);
    }
    let subject = format!("`{word}` of slice `{}`", slice.name.value);
    integer(context, &subject, &first.value, 1..=i64::from(u32::MAX)).map(|number| number as u32)
}

/// Reads the number of spare cubes. Reports what a fabric with slices cannot have beside them.
fn check_outer_items(context: &mut Context, spec: &Spec) -> u64 {
    let mut spare: Option<(&Setting, u64)> = None;
    for item in spec.items() {
        let word = item.kind.keyword();
        let mut misplaced = |subject: String, help: &str, span: Span| {
            let place = "a fabric with slices".to_owned();
            context.error(ResolveError::Misplaced { subject, place, help: Some(help.to_owned()), span });
        };
        match &item.kind {
            ItemKind::Job(name, ..) => {
                let (place, span) = ("beside slices".to_owned(), keyword_span(item.span, word).to(name.span));
                let help =
                    "write it in the slice that it runs on: its ranks are the chips of one slice".to_owned();
                context.error(JobError::NoPlace { place, help, span }.into());
            }
            ItemKind::Floor(_) => misplaced(
                "`floor`".to_owned(),
                "a slice may have any cubes, so the lengths of its fibers are unknown: remove the `floor`",
                keyword_span(item.span, word),
            ),
            ItemKind::Setting(setting) if word == "spare" => {
                if let Some((first, _)) = spare {
                    context.duplicate(
                        "`spare`".to_owned(),
                        "remove one of them",
                        setting.name.span,
                        first.name.span,
                    );
                    continue;
                }
                let number =
                    integer(context, "`spare`", &setting.value, 0..=i64::from(u32::MAX)).unwrap_or(0);
                spare = Some((setting, number as u64));
            }
            ItemKind::Setting(setting) | ItemKind::Collective(setting) if SLICE_ITEMS.contains(&word) => {
                if let ValueKind::File(_, path, _) = &setting.value.kind {
                    misplaced(
                        "a file".to_owned(),
                        "the file fits pods of one size only: name it in the slice that it belongs to",
                        path.span,
                    );
                }
            }
            _ => {}
        }
    }
    spare.map_or(0, |(_, number)| number)
}
