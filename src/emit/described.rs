//! Writes what `fabc check` reports about a network that is too large to be built: formulas and a sample.

use super::design_space;
use super::number::{fixed, grouped};
use super::summary::percent;
use crate::compiled::DescribedNetwork;
use fabc_base::limits::ROUTERS;
use fabc_check::Sampled;
use fabc_ir::Fraction;
use fabc_model::{ClosedForm, Fabric, Family, Farthest};

/// Maximum number of distances that are listed.
const LISTED: usize = 12;

/// The report for people. It marks formulas as formulas and samples as samples.
pub fn described_text(fabric: &Fabric, described: &DescribedNetwork) -> String {
    let DescribedNetwork { form, sampled, requires } = described;
    let Some(family) = fabric.family() else { return String::new() };
    let simplex = family.is_simplex();
    let why = match form.routers > ROUTERS {
        true => format!("more than {} routers", grouped(ROUTERS)),
        false => "too large to be analysed router by router".to_owned(),
    };
    let mut lines = vec![format!("  {why}: described by formulas and looked at in a sample, not built")];
    push_formulas(&mut lines, fabric, family, form);
    push_sample(&mut lines, sampled, simplex);
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

/// Appends the values of the closed formulas.
fn push_formulas(lines: &mut Vec<String>, fabric: &Fabric, family: &Family, form: &ClosedForm) {
    let simplex = family.is_simplex();
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
    let [lowest, highest] = form.degrees;
    let degrees = if lowest == highest {
        format!("{highest} of every router")
    } else {
        format!("{lowest} to {highest}")
    };
    row(if simplex { "outputs" } else { "degree" }, degrees);
    row("diameter", farthest(form));
    if let Some(bound) = form.moore_bound(simplex) {
        let share = percent(Fraction::new(form.routers, bound));
        let hops = form.router_diameter.hops;
        row(
            "Moore bound",
            format!(
                "{} routers of degree {highest} and diameter {hops}; these are {share} of it",
                grouped(bound)
            ),
        );
    }
    if let Some(known) = design_space::known_of_family(family) {
        row("largest known", known);
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
            let nonempty = layers.iter().enumerate().filter(|(_, pairs)| **pairs > 0);
            let pairs_at_hops: Vec<String> =
                nonempty.map(|(hops, pairs)| format!("{hops}: {}", grouped(*pairs))).collect();
            row("pairs at hops", pairs_at_hops.join(", "));
        }
    }
}

/// Appends the results of the sampled check.
fn push_sample(lines: &mut Vec<String>, sampled: &Sampled, simplex: bool) {
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
    let sum = |endpoints_at: &[u64]| {
        (
            endpoints_at.iter().sum::<u64>(),
            endpoints_at.iter().zip(0u64..).map(|(others, hops)| others * hops).sum::<u64>(),
        )
    };
    let (others, hops) = sampled
        .searches
        .iter()
        .map(|search| sum(&search.endpoints_at))
        .fold((0, 0), |(others, hops), (more_others, more_hops)| (others + more_others, hops + more_hops));
    if others > 0 {
        row("average hops", format!("{} from these", fixed(Fraction::new(hops, others), 6)));
    }
    row(
        "work",
        format!(
            "{} looks at a link, {} pairs of routers",
            grouped(sampled.looks),
            grouped(sampled.rule_queries)
        ),
    );
}

/// `3`, or `at most 3`. If some routers have no hosts, it also gives the diameter between all routers.
fn farthest(form: &ClosedForm) -> String {
    let diameter_text = |farthest: Farthest| {
        format!("{}{}", if farthest.is_exact() { "" } else { "at most " }, farthest.hops)
    };
    match form.endpoints == form.routers {
        true => diameter_text(form.diameter),
        false => format!(
            "{} between routers with hosts, {} between all",
            diameter_text(form.diameter),
            diameter_text(form.router_diameter)
        ),
    }
}
