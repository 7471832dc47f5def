//! The design space of a family: other designs of the same radix, and how families scale with the radix.

use crate::compiled::CompiledFabric;
use crate::design_space::{self, moore_bound};
use crate::number::grouped;
use crate::summary::percent;
use crate::svg::{self, Curve, CurveLine, Stroke};
use fabc_ir::Fraction;
use fabc_model::{DesignGoal, DesignSpace};
use minijinja::{Value, context};

/// Families of diameter three whose scale is drawn, each with a color of the page.
const DRAWN: [(&str, DesignSpace, &str); 4] = [
    ("polarstar", DesignSpace::PolarStar, "--accent"),
    ("bundlefly", DesignSpace::Bundlefly, "--second"),
    ("dragonfly", DesignSpace::Dragonfly, "--good"),
    ("hyperx of 3 dimensions", DesignSpace::HyperX(3), "--bad"),
];
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
    let key: Vec<Value> = DRAWN.iter().map(|(name, _, color)| context! { name, color }).collect();
    Some(
        context! { radix => space.radix, hops => space.hops, bound => bound.to_string(), rows, picture, key },
    )
}

/// Draws the largest network of each family by radix, as a share of Moore's bound for three hops.
fn scale_picture(radix: u32, share: String) -> String {
    let point = |space: DesignSpace, ports: u32| {
        let routers = space.choose(std::iter::once(ports), DesignGoal::Largest)?.router_count();
        let of_bound = Fraction::new(routers as u64, moore_bound(ports, 3)).as_f64() * 100.0;
        Some((f64::from(ports), of_bound, format!("{ports} ports: {} routers", grouped(routers as u64))))
    };
    let line = |(name, space, color): (&str, DesignSpace, &'static str)| CurveLine {
        color,
        stroke: Stroke::Bold,
        points: (4..=FARTHEST.max(radix + BEYOND).min(DesignSpace::LARGEST_RADIX))
            .filter_map(|ports| point(space, ports))
            .map(|(ports, of_bound, title)| (ports, of_bound, format!("{name}, {title}")))
            .collect(),
    };
    svg::curve(&Curve {
        label: "The largest network of each family, as a share of the largest that three hops could reach, by network ports".to_owned(),
        x_title: "network ports of a router",
        y_title: "% of Moore's bound",
        lines: DRAWN.map(line).into(),
        marks: vec![(f64::from(radix), format!("this one: {share}"))],
    })
}
