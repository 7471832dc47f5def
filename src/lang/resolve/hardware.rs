//! Clock, links, router (the chip of a pod), cube and cubes.

use super::context::{Context, missing};
use super::items::{Items, head};
use super::kind::PlantKind;
use super::settings::{in_range, integer, quantity, settings, thousandths};
use super::site::{Links, Site};
use crate::ResolveError;
use crate::syntax::ast::{Expr, ExprKind, Mesh, Operator, StatementKind, Value};
use crate::syntax::words::Place;
use crate::syntax::written;
use fabc_base::diag::Span;
use fabc_base::ids::LinkTypeId;
use fabc_base::limits::{CHIPS, CUBES};
use fabc_base::units::{Dimension, PICOSECONDS_PER_METRE};
use fabc_model::{Cube, DEFAULT_CLOCK_HZ, LinkType, Router};

/// Stands for a link that was reported as unknown; such a cube never leaves this module's parent.
const UNKNOWN_LINK: LinkTypeId = LinkTypeId(u32::MAX);

/// What is not written; `docs/language.md` tells it.
const FLIT_BYTES: u64 = 128;
const BUFFER_FLITS: u64 = 128;
const LATENCY_CYCLES: u32 = 25;

/// The clock, Hz.
pub(super) fn clock(context: &mut Context, items: &Items<'_>) -> Option<u64> {
    let Some(setting) = items.settings.get("clock") else { return Some(DEFAULT_CLOCK_HZ) };
    let (number, unit) = quantity(context, "`clock`", &setting.value, &[Dimension::Frequency], "1.05 GHz")?;
    whole(
        context,
        "`clock`",
        "a whole number of Hz, at most 1000 GHz",
        number.times(unit.factor),
        1_000_000_000_000,
        setting.value.span,
    )
}

/// The number, if there is one from 1 to `limit`.
fn whole(
    context: &mut Context,
    what: &str,
    wanted: &str,
    number: Option<u64>,
    limit: u64,
    span: Span,
) -> Option<u64> {
    let good = number.filter(|number| (1..=limit).contains(number));
    if good.is_none() {
        let found = match number {
            Some(0) => "this is 0",
            Some(_) => "this is more",
            None => "this is not",
        };
        context.error(ResolveError::OutOfRange {
            what: what.to_owned(),
            wanted: wanted.to_owned(),
            help: None,
            span,
            found: found.to_owned(),
        });
    }
    good
}

/// A latency in router cycles, rounded up.
fn latency_of(
    context: &mut Context,
    place: &str,
    value: &Value,
    clock: Option<u64>,
    dimensions: &[Dimension],
) -> Option<u32> {
    let what = format!("the latency of {place}");
    let (number, unit) = quantity(context, &what, value, dimensions, "25 cycles")?;
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
    let good = cycles.and_then(|cycles| u32::try_from(cycles).ok()).filter(|cycles| *cycles <= 1_000_000);
    if good.is_none() {
        let found = match cycles {
            Some(cycles) => format!("this is {cycles} cycles"),
            None => "this is no whole number of cycles".to_owned(),
        };
        let wanted = "a whole number of cycles, at most 1000000".to_owned();
        context.error(ResolveError::OutOfRange { what, wanted, help: None, span: value.span, found });
    }
    good
}

/// The declared links, sorted by name.
pub(super) fn links(context: &mut Context, items: &Items<'_>, clock: Option<u64>) -> Links {
    let mut links = Links { names: Vec::new(), types: Vec::new() };
    let mut last: Option<(&str, Span)> = None;
    for (name, block, item) in &items.links {
        if let Some((_, first)) = last.filter(|(last, _)| *last == &*name.value) {
            context.duplicate(
                format!("the link `{}`", name.value),
                "give them different names, or remove one",
                name.span,
                first,
            );
            context.links_in_doubt = true;
            continue;
        }
        last = Some((&name.value, name.span));
        let place = format!("link `{}`", name.value);
        let settings =
            settings(context, block, place.clone(), head(*item, "link").to(name.span), Place::Link);
        let bandwidth = settings.need(context, "bandwidth", "128 GB/s").and_then(|value| {
            let what = format!("the bandwidth of {place}");
            let (number, unit) = quantity(context, &what, value, &[Dimension::Bandwidth], "128 GB/s")?;
            let wanted = "a whole number of bit/s, at most 1000 TB/s";
            whole(context, &what, wanted, number.times(unit.factor), 8_000_000_000_000_000, value.span)
        });
        let dimensions = [Dimension::Cycles, Dimension::Time, Dimension::Length];
        let latency = match settings.get("latency") {
            Some(value) => latency_of(context, &place, value, clock, &dimensions),
            None => Some(LATENCY_CYCLES),
        };
        let per_metre_ps = settings.get("per_metre").map_or(Some(0), |value| {
            let what = format!("the latency of a metre of {place}");
            let (number, unit) = quantity(context, &what, value, &[Dimension::Time], "5 ns")?;
            whole(
                context,
                &what,
                "a whole number of ps, at most 1 us",
                number.times(unit.factor),
                1_000_000,
                value.span,
            )
        });
        let mut price = |name: &str| {
            settings
                .get(name)
                .map_or(Some(0), |value| thousandths(context, &format!("`{name}`"), value, "100"))
        };
        let (cost, cost_per_metre) = (price("cost"), price("cost_per_metre"));
        let power_mw = settings.get("power").map_or(Some(0), |value| {
            let what = format!("the power of {place}");
            let (number, unit) = quantity(context, &what, value, &[Dimension::Power], "1.5 W")?;
            whole(
                context,
                &what,
                "a whole number of mW, at most 1 kW",
                number.times(unit.factor),
                1_000_000,
                value.span,
            )
        });
        let floored = cost.zip(cost_per_metre).zip(per_metre_ps.zip(power_mw));
        links.names.push(name.value.clone());
        links.types.push(bandwidth.zip(latency).zip(floored).map(
            |((bandwidth_bps, latency_cycles), ((cost, more), (per_metre_ps, power_mw)))| LinkType {
                per_metre_ps,
                cost: [cost, more],
                power_mw,
                name: name.value.to_string(),
                bandwidth_bps,
                latency_cycles,
                span: *item,
            },
        ));
    }
    links
}

/// The chip of a pod, or the router of a network.
pub(super) fn router(
    context: &mut Context,
    items: &Items<'_>,
    site: &Site<'_>,
    kind: PlantKind,
) -> Option<Router> {
    let keyword = kind.router();
    let Some((block, span)) = (if kind.network { items.router } else { items.chip }) else {
        let example = match kind.network {
            true => {
                "router { radix = 36; hosts = 18; vcs = 4; flit = 64 B; buffer = 128 flits; latency = 20 cycles; }"
            }
            false => "chip { radix = 6; vcs = 4; flit = 128 B; buffer = 200 flits; latency = 25 cycles; }",
        };
        context.error(missing("the fabric", &format!("`{keyword}`"), example, site.head));
        return None;
    };
    let settings = settings(
        context,
        block,
        format!("`{keyword}`"),
        span,
        if kind.network { Place::Router } else { Place::Chip },
    );
    let radix = settings.need(context, "radix", if kind.network { "36" } else { "6" });
    let radix = radix.and_then(|value| integer(context, "`radix`", value, 1..=1024));
    let hosts = match settings.get("hosts") {
        Some(value) => integer(context, "`hosts`", value, 0..=i64::from(u16::MAX)),
        // A chip is its own endpoint.
        None => Some(i64::from(kind.network)),
    };
    let vcs = settings.need(context, "vcs", "4").and_then(|value| integer(context, "`vcs`", value, 1..=64));
    let flit = settings.get("flit").map_or(Some(FLIT_BYTES), |value| {
        let (number, unit) = quantity(context, "`flit`", value, &[Dimension::Data], "128 B")?;
        whole(
            context,
            "`flit`",
            "a whole number of bytes, at most 1 MiB",
            number.times(unit.factor),
            1 << 20,
            value.span,
        )
    });
    let buffer = settings.get("buffer").map_or(Some(BUFFER_FLITS), |value| {
        let (number, unit) = quantity(context, "`buffer`", value, &[Dimension::Flits], "200 flits")?;
        match number.times(unit.factor) {
            // What is scheduled to the cycle waits nowhere.
            Some(0) if kind.network => Some(0),
            flits => whole(
                context,
                "`buffer`",
                "a whole number of flits, at most 2^24",
                flits,
                1 << 24,
                value.span,
            ),
        }
    });
    let dimensions = [Dimension::Cycles, Dimension::Time];
    let latency = match settings.get("latency") {
        Some(value) => latency_of(context, &format!("`{keyword}`"), value, site.clock, &dimensions),
        None => Some(LATENCY_CYCLES),
    };
    Some(Router {
        radix: radix? as u32,
        hosts: hosts? as u16,
        vcs: vcs? as u8,
        flit_bytes: flit? as u32,
        buffer_flits: buffer? as u32,
        latency_cycles: latency?,
        span: span.to(block.span),
    })
}

/// The cube.
pub(super) fn cube(context: &mut Context, items: &Items<'_>, fabric: Span, links: &Links) -> Option<Cube> {
    let Some((block, span)) = items.cube else {
        context.error(missing("the fabric", "`cube`", "cube { mesh 4 x 4 x 4 over copper; }", fabric));
        return None;
    };
    settings(context, block, "`cube`".to_owned(), span, Place::Cube);
    let mut meshes = block.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Mesh(mesh) => Some((mesh, statement.span)),
        _ => None,
    });
    let Some((mesh, mesh_span)) = meshes.next() else {
        context.error(missing("`cube`", "`mesh`", "mesh 4 x 4 x 4 over copper;", span));
        return None;
    };
    for (_, again) in meshes {
        context.duplicate("`mesh`".to_owned(), "a cube has one mesh", again, mesh_span);
    }
    let over = links.find(context, "`mesh`", mesh.over.as_ref(), mesh_span);
    Some(Cube {
        dims: mesh_dims(context, mesh, mesh_span)?,
        mesh: over.unwrap_or(UNKNOWN_LINK),
        span: mesh_span,
    })
}

fn mesh_dims(context: &mut Context, mesh: &Mesh, span: Span) -> Option<[u32; 3]> {
    let dims = dimensions(context, "`mesh`", &mesh.dims, span)?;
    let chips =
        dims.iter().try_fold(1u64, |product, dim| product.checked_mul(*dim)).filter(|chips| *chips <= CHIPS);
    if chips.is_none() {
        context.error(ResolveError::TooLarge {
            what: "the cube",
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

/// Three lengths, each at least 1.
pub(super) fn dimensions(context: &mut Context, what: &str, dims: &[Expr], span: Span) -> Option<[u64; 3]> {
    let values: Vec<Option<u64>> = dims
        .iter()
        .map(|dim| {
            let value = context.eval(dim, &[])?;
            in_range(context, "a dimension", value, 1..=i64::MAX, dim.span).map(|value| value as u64)
        })
        .collect();
    if values.len() != 3 {
        let here = if values.len() == 1 {
            "there is 1 here".to_owned()
        } else {
            format!("there are {} here", values.len())
        };
        let help = product(dims).unwrap_or(format!("{here}; a flat one has length 1: `4 x 4 x 1`"));
        context.error(ResolveError::WrongKind {
            what: what.to_owned(),
            wanted: "three dimensions".to_owned(),
            help,
            span,
        });
        return None;
    }
    Some([values[0]?, values[1]?, values[2]?])
}

/// What to write where a product stands for dimensions: `4 * 4 * 4`.
pub(super) fn product(dims: &[Expr]) -> Option<String> {
    let [Expr { kind: ExprKind::Chain(first, rest), .. }] = dims else { return None };
    let factors = rest.iter().map(|(operator, factor)| (*operator == Operator::Multiply).then_some(factor));
    let factors: Vec<&Expr> = std::iter::once(Some(&**first)).chain(factors).collect::<Option<_>>()?;
    let written: Vec<String> = factors.into_iter().map(written).collect();
    Some(format!("dimensions are joined by `x`: `{}`", written.join(" x ")))
}

/// The number of cubes, and where it stands.
pub(super) fn cubes(
    context: &mut Context,
    items: &Items<'_>,
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
            what: "the pod",
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
            what: "the pod",
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
