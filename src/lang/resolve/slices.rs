//! Slices: what is divided, and every kind of slice as a fabric of its own.
//!
//! Comes in: a spec with slices, bound. Goes out: the fabric that is divided, with its kinds; each of them
//! was resolved as a spec of its own, so that it means what it would mean alone.

use super::context::{Context, missing, short_name};
use super::items::head;
use super::settings::integer;
use crate::ResolveError;
use crate::SliceError;
use crate::normal_form;
use crate::syntax::ast::{Item, ItemKind, Setting, Spec, ValueKind};
use crate::syntax::print_spec;
use crate::syntax::slices::{self, OF_SLICES, SliceItem};
use fabc_base::diag::Span;
use fabc_model::{Class, Fabric, Pod, SliceKind, Slices};
use std::collections::{BTreeMap, BTreeSet};

/// Resolves a spec without slices.
type Resolve<'a> = &'a dyn Fn(&Spec) -> Result<Fabric, Vec<ResolveError>>;

/// A slice whose sizes are sound.
struct Sized<'a> {
    item: SliceItem<'a>,
    cubes: u32,
    count: u32,
    span: Span,
}

/// The fabric that is divided, with its kinds of slices.
pub(super) fn divided(spec: &Spec, resolve: Resolve<'_>) -> Result<Fabric, Vec<ResolveError>> {
    if spec.items().iter().any(|item| matches!(item.kind, ItemKind::Router(_))) {
        return Err(vec![of_network(spec)]);
    }
    let mut context = Context::of_spec(spec);
    let of_pod = |item: &&Item| ["chip", "cube", "cubes", "ocs"].contains(&item.kind.keyword());
    if !spec.items().iter().any(of_pod) {
        return Err(vec![missing("the fabric", "`cubes`", "cubes = 64;", spec.fabric().head)]);
    }
    let sized = sized(&mut context, spec);
    let spare = outside(&mut context, spec);
    let whole = resolve(&slices::divided(spec));
    let mut errors = context.into_errors();
    let mut fabric = match whole {
        Ok(fabric) if errors.is_empty() => fabric,
        Ok(_) => return Err(errors),
        Err(more) => {
            errors.extend(more);
            return Err(sorted(errors));
        }
    };
    let Some(pod) = fabric.pod() else { return Err(vec![of_network(spec)]) };
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
            Some(class) => match resolve(&of_class(spec, &slice, pod, class)) {
                Ok(fabric) => {
                    let name = slice.item.name.value.to_string();
                    let spec = print_spec(&normal_form(&fabric, &of_class(spec, &slice, pod, class)));
                    kinds.push(SliceKind { name, count: slice.count, fabric, spec, span: slice.span });
                }
                Err(more) => errors.extend(more),
            },
            None => errors.push(apart(&slice, pod, &classes)),
        }
    }
    kinds.sort_by(|one, other| one.name.cmp(&other.name));
    fabric.slices = Slices { kinds, spare: spare as u32 };
    if errors.is_empty() { Ok(fabric) } else { Err(sorted(errors)) }
}

/// In source order, each once: what slices take from their fabric is wrong in all of them.
fn sorted(errors: Vec<ResolveError>) -> Vec<ResolveError> {
    let mut once: Vec<ResolveError> = Vec::new();
    for error in errors {
        if !once.contains(&error) {
            once.push(error);
        }
    }
    once.sort_by_cached_key(ResolveError::span);
    once
}

/// The kind as a spec of its own, behind the switches of a class.
fn of_class(spec: &Spec, slice: &Sized<'_>, pod: &Pod, class: &Class) -> Spec {
    let groups: BTreeSet<&str> =
        class.served.values().map(|(id, _)| pod.ocs_groups[pod.ocses[*id].group].name.as_str()).collect();
    slices::kind(spec, slice.item, &|group| groups.contains(group))
}

/// That no class is large enough.
fn apart(slice: &Sized<'_>, pod: &Pod, classes: &[Class]) -> ResolveError {
    let most = classes.iter().map(|class| class.cubes.len()).max().unwrap_or(0);
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
        most,
        span: slice.span,
        group,
    }
    .into()
}

fn of_network(spec: &Spec) -> ResolveError {
    let span = spec.slices().next().map_or(Span::default(), |slice| slice_head(&slice));
    ResolveError::Misplaced {
        what: "`slice`".to_owned(),
        place: "a network of routers".to_owned(),
        help: Some("a slice is some of the cubes of a pod".to_owned()),
        span,
    }
}

/// `slice train`
fn slice_head(slice: &SliceItem<'_>) -> Span {
    head(slice.span, "slice").to(slice.name.span)
}

/// The slices whose sizes are sound; what does not belong in a slice is reported.
fn sized<'a>(context: &mut Context, spec: &'a Spec) -> Vec<Sized<'a>> {
    let mut sized = Vec::new();
    let mut named: BTreeMap<String, Span> = BTreeMap::new();
    for item in spec.slices() {
        let place = format!("slice `{}`", item.name.value);
        if item.name.value.is_empty() {
            context.error(missing("this `slice`", "its name", "slice name { .. }", item.name.span));
            continue;
        }
        short_name(context, "the name of a slice", item.name);
        if let Some(first) = named.insert(item.name.value.to_lowercase(), item.name.span) {
            let help = "a folder is named after it: give it another name, whatever the capitals";
            context.duplicate(format!("the slice `{}`", item.name.value), help, item.name.span, first);
            continue;
        }
        for inner in item.items {
            inside(context, inner, &place);
        }
        for needed in ["topology", "routing"] {
            let says = |items: &[&Item]| items.iter().any(|item| item.kind.keyword() == needed);
            if !says(&item.items.iter().collect::<Vec<_>>()) && !says(&spec.items()) {
                let example = if needed == "topology" {
                    "topology = synthesize { effort = 1; }"
                } else {
                    "routing = allowed_turns;"
                };
                context.error(missing(&place, &format!("`{needed}`"), example, slice_head(&item)));
            }
        }
        let cubes = size(context, &item, "cubes");
        let count = size(context, &item, "count");
        if cubes.is_none() && !item.items.iter().any(|inner| inner.kind.keyword() == "cubes") {
            context.error(missing(&place, "`cubes`", "cubes = 8;", slice_head(&item)));
        }
        let said = item.items.iter().any(|inner| inner.kind.keyword() == "count");
        if let (Some(cubes), Some(count)) = (cubes, if said { count } else { Some(1) }) {
            sized.push(Sized { item, cubes, count, span: slice_head(&item) });
        }
    }
    sized
}

/// Reports an item that does not belong in a slice.
fn inside(context: &mut Context, item: &Item, place: &str) {
    let word = item.kind.keyword();
    if OF_SLICES.contains(&word) || ["cubes", "count"].contains(&word) {
        return;
    }
    let help = match &item.kind {
        ItemKind::Link(..) | ItemKind::Chip(_) | ItemKind::Cube(_) | ItemKind::Ocs(_) => {
            "slices share it: it stands in the fabric itself"
        }
        ItemKind::Slice(..) => "slices are not divided again",
        _ => {
            "a slice has `cubes`, `count`, `budget`, `demand`, `topology`, `routing`, `simulate`, `collective` and `require`"
        }
    };
    let what = format!("`{word}`");
    context.error(ResolveError::Misplaced {
        what,
        place: place.to_owned(),
        help: Some(help.to_owned()),
        span: head(item.span, word),
    });
}

/// A whole number of a slice, said once; `None` if it is not said, or was reported.
fn size(context: &mut Context, slice: &SliceItem<'_>, word: &str) -> Option<u32> {
    let all = slice.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Setting(setting) if &*setting.name.value == word => Some(setting),
        _ => None,
    });
    let mut all = all;
    let first = all.next()?;
    if let Some(again) = all.next() {
        context.duplicate(format!("`{word}`"), "remove one of them", again.name.span, first.name.span);
    }
    let what = format!("`{word}` of slice `{}`", slice.name.value);
    integer(context, &what, &first.value, 1..=i64::from(u32::MAX)).map(|number| number as u32)
}

/// Cubes to spare; what a fabric with slices cannot have beside them is reported.
fn outside(context: &mut Context, spec: &Spec) -> u64 {
    let mut spare: Option<(&Setting, u64)> = None;
    for item in spec.items() {
        let word = item.kind.keyword();
        let mut misplaced = |what: String, help: &str, span: Span| {
            let place = "a fabric with slices".to_owned();
            context.error(ResolveError::Misplaced { what, place, help: Some(help.to_owned()), span });
        };
        match &item.kind {
            ItemKind::Floor(_) => misplaced(
                "`floor`".to_owned(),
                "a slice may have any cubes: no length is that of its fibers",
                head(item.span, word),
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
            ItemKind::Setting(setting) | ItemKind::Collective(setting) if OF_SLICES.contains(&word) => {
                if let ValueKind::File(_, path, _) = &setting.value.kind {
                    misplaced(
                        "a file".to_owned(),
                        "it fits pods of one size: name it in the slice that it is for",
                        path.span,
                    );
                }
            }
            _ => {}
        }
    }
    spare.map_or(0, |(_, number)| number)
}
