//! Resolves OCS groups: which switch serves which face port.

use super::context::{Context, check_name_length, missing};
use super::faces::{ServedFacePorts, chip_of_port, face_port, face_ports, serve_ports};
use super::hardware::{power_mw, price};
use super::items::{SpecItems, keyword_span};
use super::light::switch_loss;
use super::scope::DeclaredLinks;
use super::settings::{BlockSettings, block_settings, one_of, one_of_or};
use crate::ResolveError;
use crate::SwitchError;
use crate::syntax::ast::{Coupled, CoupledPort, IndexRange, OcsItem, StatementKind, Text};
use crate::syntax::words::BlockKind;
use crate::syntax::written_port;
use fabc_base::diag::Span;
use fabc_base::ids::{Id, IdVec, OcsGroupId, OcsId, PortId};
use fabc_base::limits::{INDICES, OCSES};
use fabc_model::file_stem;
use fabc_model::{
    CoupleRule, Cube, Duplex, InsertionLoss, Ocs, OcsGroup, PORT_NAMES, SonicConfig, ports_needed,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

type Switches = (IdVec<OcsGroupId, OcsGroup>, IdVec<OcsId, Ocs>);

/// Resolves all groups and switches, sorted by name and row-major. Returns `None` only if errors were
/// reported.
pub(super) fn switches(
    context: &mut Context,
    items: &SpecItems<'_>,
    links: &DeclaredLinks,
    cube: Option<&Cube>,
    cubes: Option<(u32, Span)>,
) -> Option<Switches> {
    let mut groups = IdVec::new();
    let mut ocses: IdVec<OcsId, Ocs> = IdVec::new();
    let mut served = ServedFacePorts::default();
    let mut complete = true;
    let mut previous: Option<&OcsItem> = None;
    for (item, span) in &items.ocs {
        if let Some(first) = previous.filter(|previous| previous.name.value == item.name.value) {
            let subject = format!("the OCS group `{}`", item.name.value);
            context.duplicate(
                subject,
                "give them different names, or remove one",
                item.name.span,
                first.name.span,
            );
            complete = false;
            continue;
        }
        previous = Some(item);
        check_name_length(context, "the name of an OCS group", &item.name);
        let group: OcsGroupId = OcsGroupId::new(groups.len());
        let Some(declared) = declared_group(context, item, *span, links, cubes) else {
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
                complete &= add_switches(context, group, &declared, cube, &mut ocses, &mut served);
            }
            (Some(_), Some(_)) => {
                complete = false;
                context.error(ResolveError::TooLarge {
                    subject: "the number of OCSes",
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
    if let Some((count, span)) = served.unreported {
        context.error(ResolveError::PortsTaken { count, span });
    }
    check_file_names(context, &groups, &ocses);
    complete.then_some((groups, ocses))
}

/// Reports switches that would name the same files, even where capitals do not count. Each pair of groups is
/// reported once.
fn check_file_names(context: &mut Context, groups: &IdVec<OcsGroupId, OcsGroup>, ocses: &IdVec<OcsId, Ocs>) {
    let mut stems: BTreeMap<String, &Ocs> = BTreeMap::new();
    let mut reported = BTreeSet::new();
    for ocs in ocses.iter() {
        let stem = file_stem(&ocs.name);
        let first = *stems.entry(stem.to_lowercase()).or_insert(ocs);
        if first.name == ocs.name || !reported.insert((first.group, ocs.group)) {
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
        let (earlier, later) =
            if groups[first.group].span <= groups[ocs.group].span { (first, ocs) } else { (ocs, first) };
        let error = SwitchError::SameFileName {
            ocs: later.name.clone(),
            first_ocs: earlier.name.clone(),
            help: format!("{names}; rename one of the groups"),
            span: groups[later.group].span,
            first: groups[earlier.group].span,
        };
        context.error(error.into());
    }
}

/// A group whose settings are valid by themselves.
struct DeclaredGroup<'a> {
    item: &'a OcsItem,
    head: Span,
    ranges: Vec<(Text, i64, i64)>,
    cubes: Range<u32>,
    ports: u32,
    ports_span: Span,
    duplex: Duplex,
    config_db: SonicConfig,
    cost: u64,
    power_mw: u64,
    loss: Option<InsertionLoss>,
    link: fabc_base::ids::LinkTypeId,
    sides: Sides<'a>,
    couple_span: Span,
}

/// The ports of a group by side. Side B is empty for `any of`.
struct Sides<'a> {
    rule: CoupleRule,
    a: Vec<(PortId, &'a CoupledPort)>,
    b: Vec<(PortId, &'a CoupledPort)>,
}

impl DeclaredGroup<'_> {
    fn shape(&self) -> Vec<u32> {
        self.ranges.iter().map(|(_, lo, hi)| (hi - lo) as u32).collect()
    }

    /// The number of switches of the group.
    fn count(&self) -> u64 {
        self.ranges.iter().fold(1u64, |count, (_, lo, hi)| count.saturating_mul((hi - lo) as u64))
    }
}

fn declared_group<'a>(
    context: &mut Context,
    item: &'a OcsItem,
    span: Span,
    links: &DeclaredLinks,
    cubes: Option<(u32, Span)>,
) -> Option<DeclaredGroup<'a>> {
    let place = format!("ocs `{}`", item.name.value);
    let head = keyword_span(span, "ocs").to(item.name.span);
    let ranges = indices(context, item);
    let served = served_cubes(context, item, cubes);
    let settings = block_settings(context, &item.block, place.clone(), head, BlockKind::Ocs);
    let ports = settings.need_integer(context, "ports", "136", 1..=1 << 20);
    let duplex = one_of_or(context, &settings, "duplex", Duplex::Circulator);
    let mut couples = item.block.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Couple(couple) => Some((couple, statement.span)),
        _ => None,
    });
    let Some((couple, couple_span)) = couples.next() else {
        context.error(missing(&place, "`couple`", "couple +x[u, v] with -x[u, v] over fiber;", head));
        return None;
    };
    for (_, second) in couples {
        context.duplicate(
            "`couple`".to_owned(),
            "a group couples once; declare a second group for other ports",
            second,
            couple_span,
        );
    }
    let link = links.find(context, "`couple`", couple.over.as_ref(), couple_span);
    let sides = sides(context, &place, &couple.ports);
    let config_db = config_db(context, &settings, item, sides.as_ref()?.rule, duplex?, couple_span);
    let (cost, power_mw) = (price(context, &settings, "cost"), power_mw(context, &settings, &place));
    let loss = switch_loss(context, &settings, &place);
    Some(DeclaredGroup {
        item,
        head,
        ranges: ranges?,
        cubes: served?,
        ports: ports? as u32,
        ports_span: settings.span("ports").unwrap_or(head),
        duplex: duplex?,
        config_db: config_db?,
        cost: cost?,
        power_mw: power_mw?,
        loss: loss?.map(InsertionLoss::Same),
        link: link?,
        sides: sides?,
        couple_span,
    })
}

/// The configuration that fabc writes for the switches of a group. Not every switch can have one.
fn config_db(
    context: &mut Context,
    settings: &BlockSettings<'_>,
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

/// Reads the names and bounds of the indices.
fn indices(context: &mut Context, item: &OcsItem) -> Option<Vec<(Text, i64, i64)>> {
    let mut ranges: Vec<(Text, i64, i64)> = Vec::new();
    let mut valid = true;
    if let Some(extra) = item.indices.get(INDICES) {
        context.error(ResolveError::TooLarge {
            subject: "the number of indices",
            count: item.indices.len().to_string(),
            limit: INDICES as u64,
            help: Some("a face has two coordinates: two indices name every switch of a group".to_owned()),
            span: extra.name.span,
            arithmetic: "one too many".to_owned(),
        });
        return None;
    }
    for (position, index) in item.indices.iter().enumerate() {
        let name = &index.name;
        if let Some(first) = item.indices[..position].iter().find(|first| first.name.value == name.value) {
            context.duplicate(
                format!("the index `{}`", name.value),
                "every index has a name of its own",
                name.span,
                first.name.span,
            );
            valid = false;
        }
        match range(context, &index.range).filter(|(lo, hi)| index_in_bounds(context, &index.range, *lo, *hi))
        {
            Some((lo, hi)) => ranges.push((name.value.clone(), lo, hi)),
            None => valid = false,
        }
    }
    valid.then_some(ranges)
}

fn index_in_bounds(context: &mut Context, range: &IndexRange, lo: i64, hi: i64) -> bool {
    let limit = i64::from(u32::MAX);
    let valid = lo >= 0 && hi <= limit;
    if !valid {
        let wanted = format!("between 0 and {limit}");
        let note = format!("this is {lo}..{hi}");
        context.error(ResolveError::OutOfRange {
            subject: "an index".to_owned(),
            wanted,
            help: None,
            span: range.span,
            note,
        });
    }
    valid
}

/// Reads the bounds of a range that is not empty.
fn range(context: &mut Context, range: &IndexRange) -> Option<(i64, i64)> {
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

/// The range of cubes that a group serves.
fn served_cubes(context: &mut Context, item: &OcsItem, cubes: Option<(u32, Span)>) -> Option<Range<u32>> {
    let Some(written) = &item.cubes else { return cubes.map(|(cubes, _)| 0..cubes) };
    let (lo, hi) = range(context, written)?;
    let (cubes, _) = cubes?;
    if lo < 0 || hi > i64::from(cubes) {
        context.error(ResolveError::OutOfRange {
            subject: "`for cubes`".to_owned(),
            wanted: format!("within 0..{cubes}"),
            help: Some(format!("the pod has the cubes 0 to {}", cubes - 1)),
            span: written.span,
            note: format!("this is {lo}..{hi}"),
        });
        return None;
    }
    Some(lo as u32..hi as u32)
}

fn sides<'a>(context: &mut Context, place: &str, coupled: &'a Coupled) -> Option<Sides<'a>> {
    let named = match coupled {
        Coupled::Sided(a, b) => vec![a, b],
        Coupled::AnyOf(listed) => listed.iter().collect(),
    };
    let repeated = named.iter().enumerate().find_map(|(index, port)| {
        let written = written_port(port);
        named[..index].iter().any(|earlier| written_port(earlier) == written).then_some((port, written))
    });
    if let Some((port, written)) = repeated {
        let opposite =
            PORT_NAMES.iter().position(|known| *known == &*port.face.value).map(|face| PORT_NAMES[face ^ 1]);
        let help = match (coupled, opposite) {
            (Coupled::Sided(..), Some(opposite)) => {
                format!(
                    "the other side is `{opposite}{}`",
                    written.strip_prefix(&*port.face.value).unwrap_or_default()
                )
            }
            _ => "every port is named once".to_owned(),
        };
        context.error(ResolveError::SameSide { ocs: place.to_owned(), port: written, help, span: port.span });
        return None;
    }
    let mut ports = |ports: &[&'a CoupledPort]| {
        let checked: Vec<_> =
            ports.iter().map(|port| face_port(context, port).map(|id| (id, *port))).collect();
        checked.into_iter().collect::<Option<Vec<_>>>()
    };
    match coupled {
        Coupled::Sided(a, b) => {
            let (a, b) = (ports(&[a]), ports(&[b]));
            Some(Sides { rule: CoupleRule::Sided, a: a?, b: b? })
        }
        Coupled::AnyOf(listed) => Some(Sides {
            rule: CoupleRule::Any,
            a: ports(&listed.iter().collect::<Vec<_>>())?,
            b: Vec::new(),
        }),
    }
}

/// Adds the switches of a group. Returns `false` if errors were reported.
fn add_switches(
    context: &mut Context,
    group: OcsGroupId,
    declared: &DeclaredGroup<'_>,
    cube: &Cube,
    ocses: &mut IdVec<OcsId, Ocs>,
    served: &mut ServedFacePorts,
) -> bool {
    if !enough_ports(context, declared) {
        return false;
    }
    let mut indices: Vec<(Text, i64)> =
        declared.ranges.iter().map(|(name, lo, _)| (name.clone(), *lo)).collect();
    loop {
        let positions = |context: &mut Context, side: &[(PortId, &CoupledPort)]| {
            let chips =
                side.iter().map(|(id, port)| Some((*id, chip_of_port(context, *id, port, &indices, cube)?)));
            chips.collect::<Option<Vec<_>>>()
        };
        let a = positions(context, &declared.sides.a);
        // An error on one side mostly occurs on the other side as well, so only one is reported.
        let Some(a) = a else { return false };
        let Some(b) = positions(context, &declared.sides.b) else { return false };
        let values: Vec<u32> = indices.iter().map(|(_, value)| *value as u32).collect();
        let ocs = Ocs {
            name: switch_name(&declared.item.name.value, &values),
            group,
            index: values,
            rule: declared.sides.rule,
            a: face_ports(declared.cubes.clone(), cube, a),
            b: face_ports(declared.cubes.clone(), cube, b),
            link: declared.link,
            ports: declared.ports,
            duplex: declared.duplex,
            config_db: declared.config_db,
            cost: declared.cost,
            power_mw: declared.power_mw,
            loss: declared.loss.clone(),
            span: declared.couple_span,
        };
        if !serve_ports(context, &ocs, cube, ocses, served) {
            return false;
        }
        ocses.push(ocs);
        // The next index tuple, the last index fastest.
        let mut digit = declared.ranges.len();
        loop {
            if digit == 0 {
                return true;
            }
            digit -= 1;
            let (_, lo, hi) = &declared.ranges[digit];
            indices[digit].1 += 1;
            if indices[digit].1 < *hi {
                break;
            }
            indices[digit].1 = *lo;
        }
    }
}

fn switch_name(group: &str, index: &[u32]) -> String {
    if index.is_empty() {
        return group.to_owned();
    }
    let values: Vec<String> = index.iter().map(u32::to_string).collect();
    format!("{group}[{}]", values.join(","))
}

/// Checks that the switches have room for their ports.
fn enough_ports(context: &mut Context, declared: &DeclaredGroup<'_>) -> bool {
    let cubes = declared.cubes.len() as u64;
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
