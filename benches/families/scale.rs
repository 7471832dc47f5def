//! How large networks of diameter 3 can be: the figures of the PolarStar paper on scale and on its design
//! space. One more network is too large to be built.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark looks at the clock; nothing that fabc writes depends on it"
)]

use super::{fabric, rows};
use fabc::compile::describe;
use fabc::model::{ClosedForm, DesignGoal, DesignSpace, Family};
use std::time::Instant;

/// Radixes that are printed. The means are over all from 8 to 128.
const SHOWN: [u32; 9] = [8, 12, 15, 16, 24, 32, 48, 64, 128];

fn form(family: &Family) -> ClosedForm {
    family.closed_form().expect("formulas describe it")
}

/// Routers of the largest network of every family, and what part of Moore's bound they are, by formula.
pub(super) fn scale() {
    let spaces = [
        ("polarstar", DesignSpace::PolarStar),
        ("dragonfly", DesignSpace::Dragonfly),
        ("hyperx3d", DesignSpace::HyperX(3)),
        ("bundlefly", DesignSpace::Bundlefly),
    ];
    println!(
        "| radix | Moore's bound | PolarStar | its links | its average hops | dragonfly | 3-D HyperX | Bundlefly | as the table of other code |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut logs = [(0.0f64, 0u32); 3];
    for row in rows(include_str!("../../tests/data/scale_by_radix.csv")) {
        let radix: u32 = row["radix"].parse().expect("a number");
        let largest =
            spaces.map(|(column, space)| (column, space.choose(std::iter::once(radix), DesignGoal::Largest)));
        let mut sizes =
            largest.each_ref().map(|(_, family)| family.as_ref().map(|family| form(family).routers));
        if row["bundlefly"].is_empty() {
            // That table ends before Paley(233), of which there is one at 128.
            sizes[3] = None;
        }
        let star = largest[0].1.as_ref().expect("every radix has one");
        for (size, (sum, count)) in sizes[1..].iter().zip(&mut logs) {
            if let Some(size) = size {
                *sum += libm::log(form(star).routers as f64 / *size as f64);
                *count += 1;
            }
        }
        if !SHOWN.contains(&radix) {
            continue;
        }
        let moore = u64::from(radix).pow(3) - u64::from(radix).pow(2) + u64::from(radix) + 1;
        let cell = |size: Option<u64>| {
            size.map_or("-".to_owned(), |size| {
                format!("{size} ({:.1} %)", 100.0 * size as f64 / moore as f64)
            })
        };
        let same = largest
            .iter()
            .zip(sizes)
            .all(|((column, _), size)| row[column] == size.map_or(String::new(), |size| size.to_string()));
        let hops = form(star).distance_sum().expect("layers") as f64
            / (form(star).routers * (form(star).routers - 1)) as f64;
        println!(
            "| {radix} | {moore} | {} `{}` | {} | {hops:.6} | {} | {} | {} | {} |",
            cell(sizes[0]),
            star.written(),
            form(star).links,
            cell(sizes[1]),
            cell(sizes[2]),
            cell(sizes[3]),
            if same { "yes" } else { "no" },
        );
    }
    let mean =
        |(sum, count): (f64, u32)| format!("{:.3} ({count} radixes)", libm::exp(sum / f64::from(count)));
    println!(
        "\ngeometric mean of PolarStar over dragonfly {}, 3-D HyperX {}, Bundlefly {}",
        mean(logs[0]),
        mean(logs[1]),
        mean(logs[2])
    );
    println!("the paper prints 1.9, 6.7 and 1.3");
}

/// How many PolarStars a radix has, from the smallest to the largest.
pub(super) fn designs() {
    println!(
        "| radix | PolarStars | of them IQ | routers, smallest to largest | largest |\n|---|---|---|---|---|"
    );
    let mut paley = Vec::new();
    for radix in 8..=128 {
        let designs = DesignSpace::PolarStar.of_radix(radix);
        let is_iq = |family: &&Family| family.written().contains("= iq;");
        let (Some(first), Some(last)) = (designs.first(), designs.last()) else { continue };
        let largest = DesignSpace::PolarStar
            .choose(std::iter::once(radix), DesignGoal::Largest)
            .unwrap_or_else(|| last.clone());
        if !is_iq(&&largest) {
            paley.push(radix.to_string());
        }
        if SHOWN.contains(&radix) {
            let iq = designs.iter().filter(is_iq).count();
            let sizes = [first, last].map(Family::router_count);
            println!(
                "| {radix} | {} | {iq} | {} to {} | `{}` |",
                designs.len(),
                sizes[0],
                sizes[1],
                largest.written()
            );
        }
    }
    println!("\nthe largest is a Paley one at radix {}", paley.join(", "));
}

/// A network of 128 network ports that is too large to be built: formulas, and a sample of it.
pub(super) fn huge() {
    println!(
        "| topology | routers | links | diameter | average hops by formula, of the sample | looks at a link | pairs asked | searches | s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for topology in [
        "polarstar { radix = 128; routers = largest; }",
        "dragonfly { radix = 128; routers = largest; }",
        "bundlefly { radix = 126; routers = largest; }",
        "hyperx { radix = 128; routers = largest; }",
        "slim_fly { q = 211; }",
        "polarfly { q = 257; }",
        "hypercube { dimensions = 20; }",
        "torus 128 x 128 x 64",
    ] {
        let started = Instant::now();
        let fabric = fabric(topology, "minimal", 0, "");
        let described =
            describe(&fabric).unwrap_or_else(|failure| panic!("{topology}: {failure:?}")).expect("formulas");
        let (form, sampled) = (&described.form, &described.sampled);
        let by_formula = form.distance_sum().map_or("-".to_owned(), |sum| {
            format!("{:.6}", sum as f64 / (form.routers * (form.routers - 1)) as f64)
        });
        let counts = sampled.searches.iter().flat_map(|search| search.endpoints_at.iter().enumerate());
        let (others, hops) =
            counts.fold((0, 0), |(others, sum), (hops, &count)| (others + count, sum + hops as u64 * count));
        println!(
            "| `{topology}` | {} | {} | {} | {by_formula}, {:.6} | {} | {} | {} | {:.1} |",
            form.routers,
            form.links,
            form.diameter.hops,
            hops as f64 / others as f64,
            sampled.looks,
            sampled.rule_queries,
            sampled.searches.len(),
            started.elapsed().as_secs_f64(),
        );
    }
}
