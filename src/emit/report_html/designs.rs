//! The design space of a family: other designs of the same radix, and how families scale with the radix.

use crate::compiled::CompiledFabric;
use crate::design_space::{self, known_text, moore_bound};
use crate::number::grouped;
use crate::summary::percent;
use crate::svg::{self, Curve, CurveLine, Stroke};
use fabc_ir::Fraction;
use fabc_model::{DesignGoal, DesignSpace, Family, choose_network};
use minijinja::{Value, context};

/// Families of diameter three whose scale is drawn, each with a color of the page.
const DRAWN: [(&str, DesignSpace, &str); 4] = [
    ("polarstar", DesignSpace::PolarStar, "--accent"),
    ("bundlefly", DesignSpace::Bundlefly, "--second"),
    ("dragonfly", DesignSpace::Dragonfly, "--good"),
    ("hyperx of 3 dimensions", DesignSpace::HyperX(3), "--bad"),
];
/// The name and the color of the largest network of all families.
const LARGEST: (&str, &str) = ("largest of all families", "--warn");
/// Largest radix of the picture: at least this one, and some more than the network's radix.
const FARTHEST: u32 = 32;
const BEYOND: u32 = 8;

/// The designs of the same radix. For families of diameter three also the picture. `None` without a design
/// space.
pub(super) fn designs(compiled: &CompiledFabric) -> Option<Value> {
    let space = design_space::radix_designs(compiled)?;
    let bound = space.moore_bound();
    let rows: Vec<Value> = space
        .designs
        .iter()
        .map(|design| {
            let routers = design.router_count() as u64;
            let share = percent(Fraction::new(u128::from(routers), bound));
            context! { topology => design.written(), routers => grouped(routers), share, own => *design == *space.network }
        })
        .collect();
    let picture = (space.hops == 3).then(|| {
        scale_picture(space.radix, percent(Fraction::new(space.network.router_count() as u64, bound)))
    });
    let known = space.largest_known.as_ref().map(known_text);
    let drawn = DRAWN.iter().map(|&(name, _, color)| (name, color)).chain([LARGEST]);
    let key: Vec<Value> = drawn.map(|(name, color)| context! { name, color }).collect();
    Some(
        context! { radix => space.radix, hops => space.hops, bound => bound.to_string(), known, rows, picture, key },
    )
}

/// Draws the largest network of each family by radix, as a share of Moore's bound for three hops.
fn scale_picture(radix: u32, share: String) -> String {
    let point = |space: DesignSpace, ports: u32| {
        let routers = space.choose(std::iter::once(ports), DesignGoal::Largest)?.router_count();
        let of_bound = Fraction::new(routers as u64, moore_bound(ports, 3)).as_f64() * 100.0;
        Some((f64::from(ports), of_bound, format!("{ports} ports: {} routers", grouped(routers as u64))))
    };
    let radixes = || 4..=FARTHEST.max(radix + BEYOND).min(DesignSpace::LARGEST_RADIX);
    let line = |(name, space, color): (&str, DesignSpace, &'static str)| CurveLine {
        color,
        stroke: Stroke::Bold,
        points: radixes()
            .filter_map(|ports| point(space, ports))
            .map(|(ports, of_bound, title)| (ports, of_bound, format!("{name}, {title}")))
            .collect(),
    };
    svg::curve(&Curve {
        label: "The largest network of each family, as a share of the largest that three hops could reach, by network ports".to_owned(),
        x_title: "network ports of a router",
        y_title: "% of Moore's bound",
        lines: DRAWN.map(line).into_iter().chain([largest_of_all(radixes())]).collect(),
        marks: vec![(f64::from(radix), format!("this one: {share}"))],
    })
}

/// The largest network of all families with at most so many ports, for every radix.
fn largest_of_all(radixes: std::ops::RangeInclusive<u32>) -> CurveLine {
    let mut largest = choose_network(1..=*radixes.start(), 3, DesignGoal::Largest);
    let mut points = Vec::new();
    for ports in radixes {
        let of_radix = choose_network(ports..=ports, 3, DesignGoal::Largest);
        largest = [largest, of_radix].into_iter().flatten().max_by_key(Family::router_count);
        if let Some(family) = &largest {
            let routers = family.router_count() as u64;
            let of_bound = Fraction::new(routers, moore_bound(ports, 3)).as_f64() * 100.0;
            let title = format!("{ports} ports: {} routers, {}", grouped(routers), family.written());
            points.push((f64::from(ports), of_bound, title));
        }
    }
    CurveLine { color: LARGEST.1, stroke: Stroke::Bold, points }
}
