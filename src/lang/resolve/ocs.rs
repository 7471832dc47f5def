//! OCS groups: which switch sees which face port.

use super::context::{Context, missing, short_name};
use super::faces::{Taken, face, face_ports, position, take};
use super::items::{Items, head};
use super::settings::{Settings, integer, one_of, one_of_or, settings};
use super::site::Links;
use crate::ResolveError;
use crate::SwitchError;
use crate::syntax::ast::{Coupled, OcsItem, Port, Range, StatementKind, Text};
use crate::syntax::words::Place;
use crate::syntax::written_port;
use fabc_base::diag::Span;
use fabc_base::ids::{Id, IdVec, OcsGroupId, OcsId, PortId};
use fabc_base::limits::{INDICES, OCSES};
use fabc_model::file_stem;
use fabc_model::{CoupleRule, Cube, Duplex, Ocs, OcsGroup, PORT_NAMES, SonicConfig, ports_needed};
use std::collections::{BTreeMap, BTreeSet};

type Switches = (IdVec<OcsGroupId, OcsGroup>, IdVec<OcsId, Ocs>);

/// All groups and switches, sorted by name and row-major; `None` only if errors were reported.
pub(super) fn switches(
    context: &mut Context,
    items: &Items<'_>,
    links: &Links,
    cube: Option<&Cube>,
    cubes: Option<(u32, Span)>,
) -> Option<Switches> {
    let mut groups = IdVec::new();
    let mut ocses: IdVec<OcsId, Ocs> = IdVec::new();
    let mut taken = Taken::default();
    let mut complete = true;
    let mut last: Option<&OcsItem> = None;
    for (item, span) in &items.ocs {
        if let Some(first) = last.filter(|last| last.name.value == item.name.value) {
            let what = format!("the OCS group `{}`", item.name.value);
            context.duplicate(
                what,
                "give them different names, or remove one",
                item.name.span,
                first.name.span,
            );
            complete = false;
            continue;
        }
        last = Some(item);
        short_name(context, "the name of an OCS group", &item.name);
        let group: OcsGroupId = OcsGroupId::new(groups.len());
        let Some(declared) = declaration(context, item, *span, links, cubes) else {
            complete = false;
            continue;
        };
        groups.push(OcsGroup {
            name: item.name.value.to_string(),
            shape: declared.shape(),
            span: declared.head,
        });
        let room = OCSES - ocses.len() as u64;
        match (cube, cubes) {
            (Some(cube), Some(_)) if declared.count() <= room => {
                complete &= expand(context, group, &declared, cube, &mut ocses, &mut taken);
            }
            (Some(_), Some(_)) => {
                complete = false;
                context.error(ResolveError::TooLarge {
                    what: "the number of OCSes",
                    count: format!("{}", declared.count() + ocses.len() as u64),
                    limit: OCSES,
                    help: Some("every switch needs a position on a face of its own".to_owned()),
                    span: declared.head,
                    arithmetic: format!("{} switches in this group", declared.count()),
                });
            }
            _ => complete = false,
        }
    }
    if let Some((count, span)) = taken.untold {
        context.error(ResolveError::PortsTaken { count, span });
    }
    file_names(context, &groups, &ocses);
    complete.then_some((groups, ocses))
}

/// No two switches name the same files, also where capitals and small letters are one; told once per pair of
/// groups.
fn file_names(context: &mut Context, groups: &IdVec<OcsGroupId, OcsGroup>, ocses: &IdVec<OcsId, Ocs>) {
    let mut stems: BTreeMap<String, &Ocs> = BTreeMap::new();
    let mut told = BTreeSet::new();
    for ocs in ocses.iter() {
        let stem = file_stem(&ocs.name);
        let first = *stems.entry(stem.to_lowercase()).or_insert(ocs);
        if first.name == ocs.name || !told.insert((first.group, ocs.group)) {
            continue;
        }
        let first_stem = file_stem(&first.name);
        let names = if first_stem == stem {
            format!("both are called `{stem}` there")
        } else {
            format!(
                "`{first_stem}` and `{stem}` are one name on a disk that does not tell capitals from small letters"
            )
        };
        let (one, other) =
            if groups[first.group].span <= groups[ocs.group].span { (first, ocs) } else { (ocs, first) };
        let error = SwitchError::SameFileName {
            ocs: other.name.clone(),
            first_ocs: one.name.clone(),
            help: format!("{names}; rename one of the groups"),
            span: groups[other.group].span,
            first: groups[one.group].span,
        };
        context.error(error.into());
    }
}

/// A group whose settings are sound by themselves.
struct Declared<'a> {
    item: &'a OcsItem,
    head: Span,
    ranges: Vec<(Text, i64, i64)>,
    cubes: (u32, u32),
    ports: u32,
    ports_span: Span,
    duplex: Duplex,
    config_db: SonicConfig,
    link: fabc_base::ids::LinkTypeId,
    sides: Sides<'a>,
    couple_span: Span,
}

/// The ports of a group by side; the second is empty for `any of`.
struct Sides<'a> {
    rule: CoupleRule,
    a: Vec<(PortId, &'a Port)>,
    b: Vec<(PortId, &'a Port)>,
}

impl Declared<'_> {
    fn shape(&self) -> Vec<u32> {
        self.ranges.iter().map(|(_, lo, hi)| (hi - lo) as u32).collect()
    }

    /// The number of switches.
    fn count(&self) -> u64 {
        self.ranges.iter().fold(1u64, |count, (_, lo, hi)| count.saturating_mul((hi - lo) as u64))
    }
}

fn declaration<'a>(
    context: &mut Context,
    item: &'a OcsItem,
    span: Span,
    links: &Links,
    cubes: Option<(u32, Span)>,
) -> Option<Declared<'a>> {
    let place = format!("ocs `{}`", item.name.value);
    let head = head(span, "ocs").to(item.name.span);
    let ranges = indices(context, item);
    let served = served_cubes(context, item, cubes);
    let settings = settings(context, &item.block, place.clone(), head, Place::Ocs);
    let ports = settings
        .need(context, "ports", "136")
        .and_then(|value| integer(context, "`ports`", value, 1..=1 << 20));
    let duplex = one_of_or(context, &settings, "duplex", Duplex::Circulator);
    let mut couples = item.block.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Couple(couple) => Some((couple, statement.span)),
        _ => None,
    });
    let Some((couple, couple_span)) = couples.next() else {
        context.error(missing(&place, "`couple`", "couple +x[u, v] with -x[u, v] over fiber;", head));
        return None;
    };
    for (_, again) in couples {
        context.duplicate(
            "`couple`".to_owned(),
            "a group couples once; declare a second group for other ports",
            again,
            couple_span,
        );
    }
    let link = links.find(context, "`couple`", couple.over.as_ref(), couple_span);
    let sides = sides(context, &place, &couple.ports);
    let config_db = config_db(context, &settings, item, sides.as_ref()?.rule, duplex?, couple_span);
    Some(Declared {
        item,
        head,
        ranges: ranges?,
        cubes: served?,
        ports: ports? as u32,
        ports_span: settings.span("ports").unwrap_or(head),
        duplex: duplex?,
        config_db: config_db?,
        link: link?,
        sides: sides?,
        couple_span,
    })
}

/// The configuration that is written for the switches of a group; not every switch can have one.
fn config_db(
    context: &mut Context,
    settings: &Settings<'_>,
    item: &OcsItem,
    rule: CoupleRule,
    duplex: Duplex,
    couple: Span,
) -> Option<SonicConfig> {
    let one_sided = (rule, duplex) == (CoupleRule::Any, Duplex::Circulator);
    let Some(value) = settings.get("config_db") else {
        return Some(if one_sided { SonicConfig::NoSides } else { SonicConfig::OcsV });
    };
    let wanted: SonicConfig = one_of(context, "`config_db`", value)?;
    if one_sided && wanted.state_key().is_some() {
        let ocs = format!("ocs `{}`", item.name.value);
        context.error(SwitchError::NoSides { ocs, span: value.span, couple }.into());
        return None;
    }
    Some(wanted)
}

/// Names and bounds of the indices.
fn indices(context: &mut Context, item: &OcsItem) -> Option<Vec<(Text, i64, i64)>> {
    let mut ranges: Vec<(Text, i64, i64)> = Vec::new();
    let mut good = true;
    if let Some(one_too_many) = item.indices.get(INDICES) {
        context.error(ResolveError::TooLarge {
            what: "the number of indices",
            count: item.indices.len().to_string(),
            limit: INDICES as u64,
            help: Some("a face has two coordinates: two indices name every switch of a group".to_owned()),
            span: one_too_many.name.span,
            arithmetic: "one too many".to_owned(),
        });
        return None;
    }
    for (place, index) in item.indices.iter().enumerate() {
        let name = &index.name;
        if let Some(first) = item.indices[..place].iter().find(|first| first.name.value == name.value) {
            context.duplicate(
                format!("the index `{}`", name.value),
                "every index has a name of its own",
                name.span,
                first.name.span,
            );
            good = false;
        }
        match range(context, &index.range).filter(|(lo, hi)| in_bounds(context, &index.range, *lo, *hi)) {
            Some((lo, hi)) => ranges.push((name.value.clone(), lo, hi)),
            None => good = false,
        }
    }
    good.then_some(ranges)
}

fn in_bounds(context: &mut Context, range: &Range, lo: i64, hi: i64) -> bool {
    let limit = i64::from(u32::MAX);
    let good = lo >= 0 && hi <= limit;
    if !good {
        let wanted = format!("between 0 and {limit}");
        let found = format!("this is {lo}..{hi}");
        context.error(ResolveError::OutOfRange {
            what: "an index".to_owned(),
            wanted,
            help: None,
            span: range.span,
            found,
        });
    }
    good
}

/// The bounds of a range that is not empty.
fn range(context: &mut Context, range: &Range) -> Option<(i64, i64)> {
    let (lo, hi) = (context.eval(&range.lo, &[]), context.eval(&range.hi, &[]));
    let (lo, hi) = (lo?, hi?);
    if lo < hi {
        return Some((lo, hi));
    }
    let (problem, help) = if lo == hi {
        (
            "empty",
            format!(
                "`lo..hi` ends before `hi`: write {lo}..{} for the single value {lo}",
                i128::from(hi) + 1
            ),
        )
    } else {
        ("the wrong way round", format!("the smaller end comes first: write {hi}..{lo}"))
    };
    context.error(ResolveError::BadRange { lo, hi, problem, help, span: range.span });
    None
}

/// The cubes that a group serves: first, and one past the last.
fn served_cubes(context: &mut Context, item: &OcsItem, cubes: Option<(u32, Span)>) -> Option<(u32, u32)> {
    let Some(written) = &item.cubes else { return cubes.map(|(cubes, _)| (0, cubes)) };
    let (lo, hi) = range(context, written)?;
    let (cubes, _) = cubes?;
    if lo < 0 || hi > i64::from(cubes) {
        context.error(ResolveError::OutOfRange {
            what: "`for cubes`".to_owned(),
            wanted: format!("within 0..{cubes}"),
            help: Some(format!("the pod has the cubes 0 to {}", cubes - 1)),
            span: written.span,
            found: format!("this is {lo}..{hi}"),
        });
        return None;
    }
    Some((lo as u32, hi as u32))
}

fn sides<'a>(context: &mut Context, place: &str, coupled: &'a Coupled) -> Option<Sides<'a>> {
    let named = match coupled {
        Coupled::Sided(a, b) => vec![a, b],
        Coupled::AnyOf(all) => all.iter().collect(),
    };
    let again = named.iter().enumerate().find_map(|(at, port)| {
        let written = written_port(port);
        named[..at].iter().any(|before| written_port(before) == written).then_some((port, written))
    });
    if let Some((port, written)) = again {
        let other =
            PORT_NAMES.iter().position(|known| *known == &*port.face.value).map(|face| PORT_NAMES[face ^ 1]);
        let help = match (coupled, other) {
            (Coupled::Sided(..), Some(other)) => {
                format!(
                    "the other side is `{other}{}`",
                    written.strip_prefix(&*port.face.value).unwrap_or_default()
                )
            }
            _ => "every port is named once".to_owned(),
        };
        context.error(ResolveError::SameSide { ocs: place.to_owned(), port: written, help, span: port.span });
        return None;
    }
    let mut ports = |ports: &[&'a Port]| {
        let checked: Vec<_> = ports.iter().map(|port| face(context, port).map(|id| (id, *port))).collect();
        checked.into_iter().collect::<Option<Vec<_>>>()
    };
    match coupled {
        Coupled::Sided(a, b) => {
            let (a, b) = (ports(&[a]), ports(&[b]));
            Some(Sides { rule: CoupleRule::Sided, a: a?, b: b? })
        }
        Coupled::AnyOf(all) => {
            Some(Sides { rule: CoupleRule::Any, a: ports(&all.iter().collect::<Vec<_>>())?, b: Vec::new() })
        }
    }
}

/// Adds the switches of a group; `false` if errors were reported.
fn expand(
    context: &mut Context,
    group: OcsGroupId,
    declared: &Declared<'_>,
    cube: &Cube,
    ocses: &mut IdVec<OcsId, Ocs>,
    taken: &mut Taken,
) -> bool {
    if !enough_ports(context, declared) {
        return false;
    }
    let mut indices: Vec<(Text, i64)> =
        declared.ranges.iter().map(|(name, lo, _)| (name.clone(), *lo)).collect();
    loop {
        let positions = |context: &mut Context, side: &[(PortId, &Port)]| {
            let all =
                side.iter().map(|(id, port)| Some((*id, position(context, *id, port, &indices, cube)?)));
            all.collect::<Option<Vec<_>>>()
        };
        let a = positions(context, &declared.sides.a);
        // Where one side is wrong the other one mostly is too: one of them is told.
        let Some(a) = a else { return false };
        let Some(b) = positions(context, &declared.sides.b) else { return false };
        let values: Vec<u32> = indices.iter().map(|(_, value)| *value as u32).collect();
        let ocs = Ocs {
            name: name(&declared.item.name.value, &values),
            group,
            index: values,
            rule: declared.sides.rule,
            a: face_ports(declared.cubes, cube, a),
            b: face_ports(declared.cubes, cube, b),
            link: declared.link,
            ports: declared.ports,
            duplex: declared.duplex,
            config_db: declared.config_db,
            span: declared.couple_span,
        };
        if !take(context, &ocs, cube, ocses, taken) {
            return false;
        }
        ocses.push(ocs);
        // The next index tuple, the last index fastest.
        let mut place = declared.ranges.len();
        loop {
            if place == 0 {
                return true;
            }
            place -= 1;
            let (_, lo, hi) = &declared.ranges[place];
            indices[place].1 += 1;
            if indices[place].1 < *hi {
                break;
            }
            indices[place].1 = *lo;
        }
    }
}

fn name(group: &str, index: &[u32]) -> String {
    if index.is_empty() {
        return group.to_owned();
    }
    let values: Vec<String> = index.iter().map(u32::to_string).collect();
    format!("{group}[{}]", values.join(","))
}

/// Whether the switches have room for their ports.
fn enough_ports(context: &mut Context, declared: &Declared<'_>) -> bool {
    let cubes = u64::from(declared.cubes.1 - declared.cubes.0);
    let Sides { rule, a, b } = &declared.sides;
    let needed = ports_needed(*rule, declared.duplex, [a.len() as u64 * cubes, b.len() as u64 * cubes]);
    let ports = u64::from(declared.ports);
    if needed > ports {
        let arithmetic = match (rule, declared.duplex) {
            (CoupleRule::Sided, Duplex::Circulator) => format!("{cubes} cubes x 1 face port on each side"),
            (CoupleRule::Sided, Duplex::Pair) => {
                format!(
                    "{cubes} cubes x 2 face ports, and with `duplex = pair` each takes a port on both sides"
                )
            }
            (CoupleRule::Any, _) => {
                format!("{cubes} cubes x {} face ports, on a switch without sides", a.len())
            }
        };
        context.error(ResolveError::TooFewPorts {
            ocs: format!("ocs `{}`", declared.item.name.value),
            needed,
            ports,
            arithmetic: format!("{arithmetic} = {needed}; raise `ports`, or split the cubes among groups with `for cubes lo..hi`"),
            span: declared.couple_span,
            ports_span: declared.ports_span,
        });
    }
    needed <= ports
}
