//! What fabc says of a spec, and what it knows of it before anything is searched.
//!
//! Comes in: the path of a spec among files. Goes out: the diagnostics of `fabc check`, file by file, and
//! facts with the places that they are about. Cost: that of `fabc check`, milliseconds.

use super::files::Files;
use fabc_base::diag::{SourceMap, Span};
use fabc_lang::Warning;
use fabc_lang::syntax::ast::{ConstantKind, ExprKind, Item, ItemKind, Spec};
use fabc_lang::syntax::{Constants, bind, parse_file};
use fabc_model::{CoupleRule, Fabric, Plant, Pod};
use fabc_passes::slices::Placing;
use fabc_pipeline::compile::{Foreseen, Stage, check_early, foresee, is_described};
use fabc_pipeline::library::decide;
use miette::{Diagnostic, Severity};
use std::cell::OnceCell;

/// A place in a file, in bytes of it.
pub(super) type Spot = (String, std::ops::Range<usize>);

/// Something that is wrong.
pub(super) struct Finding {
    pub(super) spot: Spot,
    pub(super) severity: Severity,
    pub(super) code: Option<String>,
    pub(super) message: String,
    /// What is told at its place.
    pub(super) label: Option<String>,
    pub(super) help: Option<String>,
    /// Other places, and what is told there.
    pub(super) related: Vec<(Spot, String)>,
}

/// What was found out.
#[derive(Default)]
pub(super) struct Analysis {
    pub(super) findings: Vec<Finding>,
    /// The fabric of the spec, if it could be resolved. Later checks may still find errors in it.
    resolved: Option<(Fabric, Spec, SourceMap)>,
    /// Looked up when somebody first asks: findings do not wait for it.
    known: OnceCell<Known>,
}

/// What is known of a spec before anything is searched.
#[derive(Default)]
pub(super) struct Known {
    /// What is known, and of which words.
    pub(super) facts: Vec<(Spot, String)>,
    /// What is written behind words.
    pub(super) hints: Vec<(Spot, String)>,
}

impl Analysis {
    /// Whether the spec was resolved to a fabric.
    pub(super) fn is_resolved(&self) -> bool {
        self.resolved.is_some()
    }

    pub(super) fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let Some((fabric, spec, sources)) = &self.resolved else { return Known::default() };
            let foreseen = if is_described(fabric) { Foreseen::default() } else { foresee(fabric) };
            let spotted = |all: Vec<(Span, String)>| {
                all.into_iter().filter_map(|(span, told)| Some((place(sources, span)?, told))).collect()
            };
            Known { facts: spotted(facts(fabric, spec, &foreseen)), hints: spotted(hints(fabric, spec)) }
        })
    }
}

/// Analyses a spec, or a file of shared parts, of which only its own text can be wrong.
pub(super) fn analyse(files: &Files<'_>, path: &str) -> Analysis {
    let Some(file) = files.file(path) else { return Analysis::default() };
    let mut analysis = Analysis::default();
    if !file.is_spec() && !file.text.content().trim().is_empty() {
        let (parsed, sources) = parse_file(path, file.text.content());
        for error in parsed.err().into_iter().flatten() {
            analysis.findings.push(finding(&error, &sources, path));
        }
        return analysis;
    }
    match fabc_lang::read(path, files) {
        Ok((fabric, spec, sources)) => {
            let placed = Placing::of;
            let known = |error: &(dyn Diagnostic + Send + Sync)| finding(error, &sources, path);
            let warnings = fabc_lang::warnings(&spec, &fabric);
            analysis.findings.extend(warnings.iter().map(|warning: &Warning| known(warning)));
            let mut failures = Vec::new();
            match fabric.pod().filter(|_| !fabric.slices.kinds.is_empty()) {
                Some(pod) => {
                    if let Err(error) = placed(&fabric, pod).initial(fabric.slices.spare) {
                        failures.push(Box::new(error) as Box<dyn Diagnostic + Send + Sync>);
                    }
                    let kinds = fabric
                        .slices
                        .kinds
                        .iter()
                        .filter_map(|kind| check_early(&kind.fabric, Stage::Emit).err());
                    failures.extend(kinds.flat_map(fabc_base::diag::Failure::diagnostics));
                }
                None => failures.extend(
                    decide(&fabric).err().into_iter().flat_map(fabc_base::diag::Failure::diagnostics),
                ),
            }
            analysis.findings.extend(failures.iter().map(|error| known(&**error)));
            analysis.resolved = Some((fabric, spec, sources));
        }
        Err((failure, sources)) => {
            let all = failure.diagnostics();
            analysis.findings.extend(all.iter().map(|error| finding(&**error, &sources, path)));
        }
    }
    analysis
}

/// The file that a span lies in, and its bytes there.
fn place(sources: &SourceMap, span: Span) -> Option<Spot> {
    let (name, text, base) = sources.file(span.start)?;
    let within = |offset: u32| (offset.saturating_sub(base) as usize).min(text.len());
    Some((name.to_owned(), within(span.start)..within(span.end)))
}

/// Converts a diagnostic. Its first label says where it stands. Without labels it stands at the start of the
/// spec.
fn finding(diagnostic: &dyn Diagnostic, sources: &SourceMap, path: &str) -> Finding {
    let mut labels: Vec<_> = diagnostic.labels().into_iter().flatten().collect();
    if let Some(at) = labels.iter().position(miette::LabeledSpan::primary) {
        labels[..=at].rotate_right(1);
    }
    let spot = |label: &miette::LabeledSpan| {
        place(sources, Span { start: label.offset() as u32, end: (label.offset() + label.len()) as u32 })
    };
    let mut related: Vec<(Spot, String)> = labels
        .iter()
        .skip(1)
        .filter_map(|label| Some((spot(label)?, label.label().unwrap_or("here").to_owned())))
        .collect();
    for one in diagnostic.related().into_iter().flatten() {
        let at = one.labels().into_iter().flatten().next().and_then(|label| spot(&label));
        related.push((at.unwrap_or_else(|| (path.to_owned(), 0..0)), one.to_string()));
    }
    Finding {
        spot: labels.first().and_then(spot).unwrap_or_else(|| (path.to_owned(), 0..0)),
        severity: diagnostic.severity().unwrap_or(Severity::Error),
        code: diagnostic.code().map(|code| code.to_string()),
        message: diagnostic.to_string(),
        label: labels.first().and_then(|label| label.label()).map(str::to_owned),
        help: diagnostic.help().map(|help| help.to_string()),
        related,
    }
}

/// A number with its noun: `1 cube`, `4 cubes`.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Facts about a fabric, each with the words of the spec that it belongs to.
fn facts(fabric: &Fabric, spec: &Spec, foreseen: &Foreseen) -> Vec<(Span, String)> {
    let mut facts = Vec::new();
    let whole = match &fabric.plant {
        Plant::Pod(pod) => {
            let [x, y, z] = pod.cube.dims;
            format!(
                "{} of {x} x {y} x {z}: {}, {}",
                count(pod.cubes as usize, "cube"),
                count(pod.node_count(), "chip"),
                count(pod.ocses.len(), "OCS")
            )
        }
        Plant::Network(network) => {
            let hosts: u64 = fabric.declared_hosts().into_iter().map(u64::from).sum();
            format!("{}: {}, {hosts} hosts", network.family.name(), count(network.router_count(), "router"))
        }
    };
    let mut known = vec![whole.replace("OCSs", "OCSes")];
    if let Some([links, most]) = foreseen.links {
        let radix = fabric.router.radix as usize;
        let hosts = if fabric.pod().is_some() { 0 } else { usize::from(fabric.router.hosts) };
        let free = radix.saturating_sub(most + hosts);
        known.push(format!(
            "{links} links; the fullest router has {most}{}: {free} of {radix} ports free",
            if hosts > 0 { format!(" and {}", count(hosts, "host")) } else { String::new() }
        ));
    }
    if let Some((diameter, mean)) = foreseen.distances {
        known.push(format!("diameter {diameter}, average hops {mean:.4}"));
    }
    let known = known.join("\n");
    facts.push((spec.fabric().name.span, known.clone()));
    for Item { kind, span } in spec.items() {
        match kind {
            ItemKind::Ocs(ocs) => {
                facts.extend(
                    fabric
                        .pod()
                        .and_then(|pod| switches(pod, &ocs.name.value))
                        .map(|told| (ocs.name.span, told)),
                );
            }
            ItemKind::Setting(setting) if matches!(&*setting.name.value, "cubes" | "topology") => {
                facts.push((setting.name.span.to(setting.value.span), known.clone()))
            }
            ItemKind::Chip(_) | ItemKind::Router(_) => facts.push((
                Span { start: span.start, end: span.start + kind.keyword().len() as u32 },
                known.clone(),
            )),
            _ => {}
        }
    }
    facts.extend(foreseen.bounds.iter().cloned());
    facts
}

/// Of a group of switches, how many there are and which of their ports are taken.
fn switches(pod: &Pod, group: &str) -> Option<String> {
    let of_group = |ocs: &&fabc_model::Ocs| {
        ocs.name.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    };
    let all: Vec<&fabc_model::Ocs> = pod.ocses.iter().filter(of_group).collect();
    let most = all.iter().max_by_key(|ocs| ocs.a.len().max(ocs.b.len()))?;
    let (sides, taken) = match most.rule {
        CoupleRule::Sided => (" on either side", most.a.len().max(most.b.len()) as u64),
        CoupleRule::Any => ("", most.a.len() as u64),
    };
    let names = match (all.first()?, all.last()?) {
        (one, other) if one.name == other.name => one.name.clone(),
        (one, other) => format!("{} switches, {} to {}", all.len(), one.name, other.name),
    };
    let ports = u64::from(most.ports);
    Some(format!("{names}\n{taken} of {ports} ports{sides} taken, {} free", ports.saturating_sub(taken)))
}

/// Values of computed numbers, and the number of chips of all cubes.
fn hints(fabric: &Fabric, spec: &Spec) -> Vec<(Span, String)> {
    let bound = bind(spec).spec;
    let constants = Constants::of(&bound);
    let mut hints = Vec::new();
    for item in spec.items() {
        let computed = match &item.kind {
            ItemKind::Let(constant) => match &constant.value.kind {
                ConstantKind::Quantity(quantity) if quantity.unit.is_none() => Some(&quantity.number),
                _ => None,
            },
            ItemKind::Setting(setting) => match &setting.value.kind {
                fabc_lang::syntax::ast::ValueKind::Quantity(quantity) if quantity.unit.is_none() => {
                    Some(&quantity.number)
                }
                _ => None,
            },
            _ => None,
        };
        let plain = |kind: &ExprKind| matches!(kind, ExprKind::Integer(_) | ExprKind::Decimal(_));
        if let Some(number) = computed.filter(|number| !plain(&number.kind))
            && let Ok(value) = constants.eval(number, &[])
        {
            hints.push((number.span, format!("= {value}")));
        }
        if let (ItemKind::Setting(setting), Some(pod)) = (&item.kind, fabric.pod())
            && &*setting.name.value == "cubes"
        {
            hints.push((setting.value.span, count(pod.node_count(), "chip")));
        }
    }
    hints
}
