//! Resolves the clock, links, the router (the chip of a pod), the cube and the number of cubes.

use super::collectives::yes_or_no;
use super::context::{Context, missing};
use super::items::{SpecItems, keyword_span};
use super::kind::PlantKind;
use super::light::optics;
use super::scope::{DeclaredLinks, Scope, link_named};
use super::settings::{BlockSettings, block_settings, integer, integer_expr, quantity, thousandths};
use crate::ResolveError;
use crate::syntax::ast::{Expr, ExprKind, MeshStatement, Name, Operator, SettingValue, StatementKind};
use crate::syntax::words::BlockKind;
use crate::syntax::written;
use fabc_base::diag::Span;
use fabc_base::ids::LinkTypeId;
use fabc_base::limits::{CHIPS, CUBES};
use fabc_base::units::{Dimension, PICOSECONDS_PER_METRE};
use fabc_model::{Cube, DEFAULT_CLOCK_HZ, LinkType, Router, SwitchArithmetic};

/// Stands for a link that was reported as unknown. The resolution never returns a cube with it.
const UNKNOWN_LINK: LinkTypeId = LinkTypeId(u32::MAX);

/// Defaults of settings, which `docs/language.md` lists.
const FLIT_BYTES: u64 = 128;
const BUFFER_FLITS: u64 = 128;
pub(super) const LATENCY_CYCLES: u32 = 25;

/// Resolves the clock, in Hz.
pub(super) fn clock(context: &mut Context, items: &SpecItems<'_>) -> Option<u64> {
    let Some(setting) = items.settings.get("clock") else { return Some(DEFAULT_CLOCK_HZ) };
    let (number, unit) = quantity(context, "`clock`", &setting.value, &[Dimension::Frequency], "1.05 GHz")?;
    whole_number(
        context,
        "`clock`",
        "a whole number of Hz, at most 1000 GHz",
        number.times(unit.factor),
        1_000_000_000_000,
        setting.value.span,
    )
}

/// Returns the number if it lies between 1 and `limit`, and reports it otherwise.
fn whole_number(
    context: &mut Context,
    subject: &str,
    wanted: &str,
    number: Option<u64>,
    limit: u64,
    span: Span,
) -> Option<u64> {
    let valid = number.filter(|number| (1..=limit).contains(number));
    if valid.is_none() {
        let note = match number {
            Some(0) => "this is 0",
            Some(_) => "this is more",
            None => "this is not",
        };
        context.error(ResolveError::OutOfRange {
            subject: subject.to_owned(),
            wanted: wanted.to_owned(),
            help: None,
            span,
            note: note.to_owned(),
        });
    }
    valid
}

/// Reads a latency in router cycles, rounded up.
pub(super) fn latency_cycles(
    context: &mut Context,
    place: &str,
    value: &SettingValue,
    clock: Option<u64>,
    dimensions: &[Dimension],
) -> Option<u32> {
    let subject = format!("the latency of {place}");
    let (number, unit) = quantity(context, &subject, value, dimensions, "25 cycles")?;
    let picoseconds = match unit.dimension {
        Dimension::Cycles => None,
        Dimension::Length => Some(PICOSECONDS_PER_METRE),
        _ => Some(unit.factor),
    };
    let cycles = match picoseconds {
        None => number.times(1),
        Some(picoseconds) => {
            number.times_over(u128::from(picoseconds) * u128::from(clock?), 1_000_000_000_000)
        }
    };
    let valid = cycles.and_then(|cycles| u32::try_from(cycles).ok()).filter(|cycles| *cycles <= 1_000_000);
    if valid.is_none() {
        let note = match cycles {
            Some(cycles) => format!("this is {cycles} cycles"),
            None => "this is no whole number of cycles".to_owned(),
        };
        let wanted = "a whole number of cycles, at most 1000000".to_owned();
        context.error(ResolveError::OutOfRange { subject, wanted, help: None, span: value.span, note });
    }
    valid
}

/// Resolves the declared links, sorted by name.
pub(super) fn links(context: &mut Context, items: &SpecItems<'_>, clock: Option<u64>) -> DeclaredLinks {
    let mut links = DeclaredLinks { names: Vec::new(), types: Vec::new() };
    let mut previous: Option<(&str, Span)> = None;
    for (name, block, item) in &items.links {
        if let Some((_, first)) = previous.filter(|(previous, _)| *previous == &*name.value) {
            context.duplicate(
                format!("the link `{}`", name.value),
                "give them different names, or remove one",
                name.span,
                first,
            );
            context.links_in_doubt = true;
            continue;
        }
        previous = Some((&name.value, name.span));
        let place = format!("link `{}`", name.value);
        let settings = block_settings(
            context,
            block,
            place.clone(),
            keyword_span(*item, "link").to(name.span),
            BlockKind::Link,
        );
        links.names.push(name.value.clone());
        links.types.push(link_type(context, &settings, name, &place, clock, *item));
    }
    links
}

/// Resolves the type of a link from its settings. `place` is the link in messages.
fn link_type(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    name: &Name,
    place: &str,
    clock: Option<u64>,
    span: Span,
) -> Option<LinkType> {
    let bandwidth = settings.need(context, "bandwidth", "128 GB/s").and_then(|value| {
        let subject = format!("the bandwidth of {place}");
        let (number, unit) = quantity(context, &subject, value, &[Dimension::Bandwidth], "128 GB/s")?;
        let wanted = "a whole number of bit/s, at most 1000 TB/s";
        whole_number(context, &subject, wanted, number.times(unit.factor), 8_000_000_000_000_000, value.span)
    });
    let dimensions = [Dimension::Cycles, Dimension::Time, Dimension::Length];
    let latency = match settings.get("latency") {
        Some(value) => latency_cycles(context, place, value, clock, &dimensions),
        None => Some(LATENCY_CYCLES),
    };
    let per_metre_ps = settings.get("per_metre").map_or(Some(0), |value| {
        let subject = format!("the latency of a metre of {place}");
        let (number, unit) = quantity(context, &subject, value, &[Dimension::Time], "5 ns")?;
        whole_number(
            context,
            &subject,
            "a whole number of ps, at most 1 us",
            number.times(unit.factor),
            1_000_000,
            value.span,
        )
    });
    let (cost, cost_per_metre) =
        (price(context, settings, "cost"), price(context, settings, "cost_per_metre"));
    let power_mw = power_mw(context, settings, place);
    let optics = optics(context, settings);
    Some(LinkType {
        name: name.value.to_string(),
        bandwidth_bps: bandwidth?,
        latency_cycles: latency?,
        per_metre_ps: per_metre_ps?,
        cost: [cost?, cost_per_metre?],
        power_mw: power_mw?,
        optics: optics?,
        span,
    })
}

/// Reads a price, in thousandths. Without the setting it is 0.
pub(super) fn price(context: &mut Context, settings: &BlockSettings<'_>, name: &str) -> Option<u64> {
    let value = settings.get(name);
    value.map_or(Some(0), |value| thousandths(context, &format!("`{name}`"), value, "100"))
}

/// Reads the power of a cable or a router, in mW. Without the setting it is 0.
pub(super) fn power_mw(context: &mut Context, settings: &BlockSettings<'_>, place: &str) -> Option<u64> {
    let Some(value) = settings.get("power") else { return Some(0) };
    let subject = format!("the power of {place}");
    let (number, unit) = quantity(context, &subject, value, &[Dimension::Power], "1.5 W")?;
    let wanted = "a whole number of mW, at most 100 kW";
    whole_number(context, &subject, wanted, number.times(unit.factor), 100_000_000, value.span)
}

/// Resolves the chip of a pod, or the router of a network.
pub(super) fn router(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    kind: PlantKind,
) -> Option<Router> {
    let keyword = kind.router_word();
    let Some((block, span)) = (if kind.is_network { items.router } else { items.chip }) else {
        if !items.placed.is_empty() {
            return Some(router_of_boxes(scope.head));
        }
        let example = match kind.is_network {
            true => {
                "router { radix = 36; hosts = 18; vcs = 4; flit = 64 B; buffer = 128 flits; latency = 20 cycles; }"
            }
            false => "chip { radix = 6; vcs = 4; flit = 128 B; buffer = 200 flits; latency = 25 cycles; }",
        };
        context.error(missing("the fabric", &format!("`{keyword}`"), example, scope.head));
        return None;
    };
    let settings = block_settings(
        context,
        block,
        format!("`{keyword}`"),
        span,
        if kind.is_network { BlockKind::Router } else { BlockKind::Chip },
    );
    let radix = settings.need(context, "radix", if kind.is_network { "36" } else { "6" });
    let radix = radix.and_then(|value| integer(context, "`radix`", value, 1..=1024));
    let hosts = match settings.get("hosts") {
        Some(_) if !items.placed.is_empty() => {
            context.error(ResolveError::Misplaced {
                subject: "`hosts`".to_owned(),
                place: "a fabric with `boxes`".to_owned(),
                help: Some("the GPUs of the boxes are the hosts: remove it".to_owned()),
                span: settings.span_or_head("hosts"),
            });
            None
        }
        Some(value) => integer(context, "`hosts`", value, 0..=i64::from(u16::MAX)),
        // A chip is its own endpoint.
        None => Some(i64::from(kind.is_network && items.placed.is_empty())),
    };
    let vcs = settings.need_integer(context, "vcs", "4", 1..=64);
    let flit = settings.get("flit").map_or(Some(FLIT_BYTES), |value| {
        let (number, unit) = quantity(context, "`flit`", value, &[Dimension::Data], "128 B")?;
        whole_number(
            context,
            "`flit`",
            "a whole number of bytes, at most 1 MiB",
            number.times(unit.factor),
            1 << 20,
            value.span,
        )
    });
    let buffer = buffer_flits(context, &settings, kind);
    let dimensions = [Dimension::Cycles, Dimension::Time];
    let latency = match settings.get("latency") {
        Some(value) => latency_cycles(context, &format!("`{keyword}`"), value, scope.clock, &dimensions),
        None => Some(LATENCY_CYCLES),
    };
    let (cost, power_mw) =
        (price(context, &settings, "cost"), power_mw(context, &settings, &format!("`{keyword}`")));
    let host_link = host_link(context, &settings, scope.links, hosts?);
    let arithmetic = switch_arithmetic(context, &settings, SwitchArithmetic::default());
    Some(Router {
        radix: radix? as u32,
        hosts: hosts? as u16,
        vcs: vcs? as u8,
        flit_bytes: flit? as u32,
        buffer_flits: buffer? as u32,
        latency_cycles: latency?,
        cost: cost?,
        power_mw: power_mw?,
        arithmetic: arithmetic?,
        host_link: host_link?,
        span: span.to(block.span),
    })
}

/// Reads `multicast` and `reduce` of a switch. `common` has what it does without them.
pub(super) fn switch_arithmetic(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    common: SwitchArithmetic,
) -> Option<SwitchArithmetic> {
    let mut read = |name: &str, common: bool| {
        settings.get(name).map_or(Some(common), |value| yes_or_no(context, &format!("`{name}`"), value))
    };
    let (multicast, reduce) = (read("multicast", common.multicast), read("reduce", common.reduce));
    Some(SwitchArithmetic { multicast: multicast?, reduce: reduce? })
}

/// The router of a fabric of boxes that declares none: one virtual channel, and the default buffers. Kinds of
/// routers give the switches their ports.
fn router_of_boxes(span: Span) -> Router {
    Router {
        radix: 1,
        hosts: 0,
        vcs: 1,
        flit_bytes: FLIT_BYTES as u32,
        buffer_flits: BUFFER_FLITS as u32,
        latency_cycles: 0,
        cost: 0,
        power_mw: 0,
        arithmetic: SwitchArithmetic::default(),
        host_link: None,
        span,
    }
}

/// Reads the buffer of a virtual channel, in flits.
fn buffer_flits(context: &mut Context, settings: &BlockSettings<'_>, kind: PlantKind) -> Option<u64> {
    let Some(value) = settings.get("buffer") else { return Some(BUFFER_FLITS) };
    let (number, unit) = quantity(context, "`buffer`", value, &[Dimension::Flits], "200 flits")?;
    match number.times(unit.factor) {
        // A router that only forwards scheduled vectors needs no buffer.
        Some(0) if kind.is_network => Some(0),
        flits => {
            let wanted = "a whole number of flits, at most 2^24";
            whole_number(context, "`buffer`", wanted, flits, 1 << 24, value.span)
        }
    }
}

/// Finds the link of the cables of hosts: the one that is named, or the only one. The inner `None` says that
/// there are no such cables, or that nothing says of which kind they are.
fn host_link(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    links: &DeclaredLinks,
    hosts: i64,
) -> Option<Option<LinkTypeId>> {
    match settings.get("host_link") {
        Some(_) if hosts == 0 => {
            context.error(ResolveError::Misplaced {
                subject: "`host_link`".to_owned(),
                place: "a `router` with `hosts = 0`".to_owned(),
                help: Some("remove it: the endpoints are inside the routers and have no cables".to_owned()),
                span: settings.span_or_head("host_link"),
            });
            None
        }
        Some(value) => link_named(context, links, value).map(Some),
        None => Some((hosts != 0 && links.names.len() == 1).then_some(LinkTypeId(0))),
    }
}

/// Resolves the cube and its mesh.
pub(super) fn cube(
    context: &mut Context,
    items: &SpecItems<'_>,
    fabric: Span,
    links: &DeclaredLinks,
) -> Option<Cube> {
    let Some((block, span)) = items.cube else {
        context.error(missing("the fabric", "`cube`", "cube { mesh 4 x 4 x 4 over copper; }", fabric));
        return None;
    };
    block_settings(context, block, "`cube`".to_owned(), span, BlockKind::Cube);
    let mut meshes = block.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Mesh(mesh) => Some((mesh, statement.span)),
        _ => None,
    });
    let Some((mesh, mesh_span)) = meshes.next() else {
        context.error(missing("`cube`", "`mesh`", "mesh 4 x 4 x 4 over copper;", span));
        return None;
    };
    for (_, second) in meshes {
        context.duplicate("`mesh`".to_owned(), "a cube has one mesh", second, mesh_span);
    }
    let over = links.find(context, "`mesh`", mesh.over.as_ref(), mesh_span);
    Some(Cube {
        dims: mesh_dims(context, mesh, mesh_span)?,
        mesh: over.unwrap_or(UNKNOWN_LINK),
        span: mesh_span,
    })
}

fn mesh_dims(context: &mut Context, mesh: &MeshStatement, span: Span) -> Option<[u32; 3]> {
    let dims = dimensions(context, "`mesh`", &mesh.dims, span)?;
    let chips =
        dims.iter().try_fold(1u64, |product, dim| product.checked_mul(*dim)).filter(|chips| *chips <= CHIPS);
    if chips.is_none() {
        context.error(ResolveError::TooLarge {
            subject: "the cube",
            count: format!("{} x {} x {} chips", dims[0], dims[1], dims[2]),
            limit: CHIPS,
            help: None,
            span,
            arithmetic: "too many chips".to_owned(),
        });
        return None;
    }
    Some(dims.map(|dim| dim as u32))
}

/// Reads three lengths, each at least 1.
pub(super) fn dimensions(
    context: &mut Context,
    subject: &str,
    dims: &[Expr],
    span: Span,
) -> Option<[u64; 3]> {
    let values: Vec<Option<u64>> = dims
        .iter()
        .map(|dim| integer_expr(context, "a dimension", dim, 1..=i64::MAX).map(|value| value as u64))
        .collect();
    if values.len() != 3 {
        let given = if values.len() == 1 {
            "there is 1 here".to_owned()
        } else {
            format!("there are {} here", values.len())
        };
        let help = product_help(dims).unwrap_or(format!("{given}; a flat one has length 1: `4 x 4 x 1`"));
        context.error(ResolveError::WrongKind {
            subject: subject.to_owned(),
            wanted: "three dimensions".to_owned(),
            help,
            span,
        });
        return None;
    }
    Some([values[0]?, values[1]?, values[2]?])
}

/// The help for a product in the place of dimensions, such as `4 * 4 * 4`.
pub(super) fn product_help(dims: &[Expr]) -> Option<String> {
    let [Expr { kind: ExprKind::Chain(first, rest), .. }] = dims else { return None };
    let factors = rest.iter().map(|(operator, factor)| (*operator == Operator::Multiply).then_some(factor));
    let factors: Vec<&Expr> = std::iter::once(Some(&**first)).chain(factors).collect::<Option<_>>()?;
    let written: Vec<String> = factors.into_iter().map(written).collect();
    Some(format!("dimensions are joined by `x`: `{}`", written.join(" x ")))
}

/// Resolves the number of cubes, and its span.
pub(super) fn cubes(
    context: &mut Context,
    items: &SpecItems<'_>,
    fabric: Span,
    cube: Option<&Cube>,
) -> Option<(u32, Span)> {
    let Some(setting) = items.settings.get("cubes") else {
        context.error(missing("the fabric", "`cubes`", "cubes = 4;", fabric));
        return None;
    };
    let span = setting.name.span.to(setting.value.span);
    let cubes = integer(context, "`cubes`", &setting.value, 1..=i64::MAX)? as u64;
    let per_cube = cube.map_or(1, |cube| cube.dims.iter().map(|dim| u64::from(*dim)).product::<u64>());
    if cubes.checked_mul(per_cube).is_none_or(|chips| chips > CHIPS) {
        context.error(ResolveError::TooLarge {
            subject: "the pod",
            count: format!("{} chips", u128::from(cubes) * u128::from(per_cube)),
            limit: CHIPS,
            help: None,
            span,
            arithmetic: format!("{cubes} cubes of {per_cube} chips"),
        });
        return None;
    }
    if cubes > CUBES {
        context.error(ResolveError::TooLarge {
            subject: "the pod",
            count: format!("{cubes} cubes"),
            limit: CUBES,
            help: Some("larger cubes make fewer of them".to_owned()),
            span,
            arithmetic: "too many cubes".to_owned(),
        });
        return None;
    }
    Some((cubes as u32, span))
}
