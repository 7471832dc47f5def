//! What `fabc check` says of a network that is too large to be built: formulas, and the sample.

use super::number::{fixed, grouped};
use super::summary::percent;
use crate::compiled::Described;
use fabc_base::limits::ROUTERS;
use fabc_ir::Fraction;
use fabc_model::{ClosedForm, Fabric, Farthest};

/// Distances that are listed one by one.
const LISTED: usize = 12;

/// The text; it says plainly what is a formula and what is a sample.
pub fn described(fabric: &Fabric, described: &Described) -> String {
    let Described { form, sampled, requires } = described;
    let Some(family) = fabric.family() else { return String::new() };
    let simplex = family.is_simplex();
    let why = match form.routers > ROUTERS {
        true => format!("more than {} routers", grouped(ROUTERS)),
        false => "too large to be analysed router by router".to_owned(),
    };
    let mut lines = vec![format!("  {why}: described by formulas and looked at in a sample, not built")];
    lines.push(format!("\nBY FORMULA      {}", family.written()));
    let mut row = |name: &str, value: String| lines.push(format!("  {name:<14}{value}"));
    let hosts = form.endpoints * u64::from(fabric.router.hosts.max(1));
    let with_hosts = if form.endpoints == form.routers {
        "all".to_owned()
    } else {
        format!("{} of them", grouped(form.endpoints))
    };
    row("routers", format!("{}, {with_hosts} with hosts: {}", grouped(form.routers), grouped(hosts)));
    row("links", grouped(form.links));
    let [least, most] = form.degrees;
    let degrees =
        if least == most { format!("{most} of every router") } else { format!("{least} to {most}") };
    row(if simplex { "outputs" } else { "degree" }, degrees);
    row("diameter", farthest(form));
    if let Some(bound) = form.moore_bound(simplex) {
        let share = percent(Fraction::new(form.routers, bound));
        let hops = form.router_diameter.hops;
        row(
            "Moore bound",
            format!(
                "{} routers of degree {most} and diameter {hops}; these are {share} of it",
                grouped(bound)
            ),
        );
    }
    if let (Some(sum), Some(layers)) = (form.distance_sum(), &form.layers) {
        let pairs = form.endpoints * (form.endpoints - 1);
        row(
            "average hops",
            format!(
                "{} (distances of all {} ordered pairs: {})",
                fixed(Fraction::new(sum, pairs), 6),
                grouped(pairs),
                grouped(sum)
            ),
        );
        if layers.len() <= LISTED {
            let at = layers.iter().enumerate().filter(|(_, pairs)| **pairs > 0);
            let at: Vec<String> = at.map(|(hops, pairs)| format!("{hops}: {}", grouped(*pairs))).collect();
            row("pairs at hops", at.join(", "));
        }
    }
    lines.push(format!("\nSAMPLED CHECK   seed {}; what was not looked at is not checked", sampled.seed));
    let mut row = |name: &str, value: String| lines.push(format!("  {name:<14}{value}"));
    row("all routers", "number, hosts and links of each, as the rule of the family says".to_owned());
    row(
        "links",
        format!(
            "{} routers: theirs are those of the rule, {}",
            sampled.routers,
            if simplex { "as they lead" } else { "both ways" }
        ),
    );
    row(
        "no others",
        format!("{} of these routers, asked about all others: no other is joined", sampled.scanned),
    );
    let hops = sampled.searches.iter().map(|search| search.hops);
    let range = (hops.clone().min().unwrap_or(0), hops.max().unwrap_or(0));
    let range = if range.0 == range.1 { range.0.to_string() } else { format!("{} to {}", range.0, range.1) };
    row(
        "searches",
        format!("from {} of them: the farthest router is {range} hops away", sampled.searches.len()),
    );
    let sum = |at: &[u64]| {
        (at.iter().sum::<u64>(), at.iter().zip(0u64..).map(|(others, hops)| others * hops).sum::<u64>())
    };
    let (others, hops) = sampled
        .searches
        .iter()
        .map(|search| sum(&search.endpoints_at))
        .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    if others > 0 {
        row("average hops", format!("{} from these", fixed(Fraction::new(hops, others), 6)));
    }
    row(
        "work",
        format!("{} looks at a link, {} pairs of routers", grouped(sampled.looks), grouped(sampled.asked)),
    );
    if !requires.is_empty() {
        lines.push("\nREQUIRES        by formula".to_owned());
    }
    for outcome in requires {
        let verdict = match outcome.holds() {
            Some(true) => "holds",
            Some(false) => "BROKEN",
            None => "not decided: no formula says it",
        };
        lines.push(format!("  {:<32}{verdict}", outcome.require.text()));
    }
    lines.join("\n")
}

/// `3`, `at most 3`, and between routers without hosts where that is another number.
fn farthest(form: &ClosedForm) -> String {
    let told = |farthest: Farthest| {
        format!("{}{}", if farthest.is_exact() { "" } else { "at most " }, farthest.hops)
    };
    match form.endpoints == form.routers {
        true => told(form.diameter),
        false => format!(
            "{} between routers with hosts, {} between all",
            told(form.diameter),
            told(form.router_diameter)
        ),
    }
}
