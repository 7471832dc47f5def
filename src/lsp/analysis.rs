//! The diagnostics of a spec, and facts about it that need no search.
//!
//! Input: the path of a spec among files. Output: the diagnostics of `fabc check` by file, and facts with the
//! words that they describe. Cost: that of `fabc check`, milliseconds.

use super::files::OpenFiles;
use fabc_base::diag::{Failure, SourceMap, Span};
use fabc_lang::Warning;
use fabc_lang::syntax::ast::{ConstantKind, ExprKind, Item, ItemKind, Spec};
use fabc_lang::syntax::{Constants, bind, parse_file};
use fabc_model::{CoupleRule, Fabric, Plant, Pod};
use fabc_pipeline::compile::{Foreseen, MeasuredLine, foresee, is_described};
use fabc_pipeline::library::{decide, slice_failures};
use miette::{Diagnostic, Severity};
use std::cell::OnceCell;
use std::ops::Range;

/// A range of bytes in a file.
#[derive(Clone)]
pub(super) struct Spot {
    pub(super) path: String,
    pub(super) bytes: Range<usize>,
}

/// A diagnostic, by its place in the files.
pub(super) struct Finding {
    pub(super) spot: Spot,
    pub(super) severity: Severity,
    pub(super) code: Option<String>,
    pub(super) message: String,
    /// The text beside its place.
    pub(super) label: Option<String>,
    pub(super) help: Option<String>,
    /// Further places, each with the text beside it.
    pub(super) related: Vec<(Spot, String)>,
}

/// The result of analysing one spec.
#[derive(Default)]
pub(super) struct Analysis {
    pub(super) findings: Vec<Finding>,
    /// The fabric of the spec, if it could be resolved. Later checks may still have found errors.
    resolved: Option<(Fabric, Spec, SourceMap)>,
    /// Computed at the first request, so that findings do not wait for it.
    annotations: OnceCell<Annotations>,
}

/// What an editor shows beside a spec, computed without any search.
#[derive(Default)]
pub(super) struct Annotations {
    /// Facts, each with the words that it describes.
    pub(super) facts: Vec<(Spot, String)>,
    /// Texts, each with the words behind which it is shown.
    pub(super) hints: Vec<(Spot, String)>,
}

impl Analysis {
    /// Whether the spec was resolved to a fabric.
    pub(super) fn is_resolved(&self) -> bool {
        self.resolved.is_some()
    }

    /// The spots of the lines of the contract, each with what `lines` says of it.
    pub(super) fn measured(
        &self,
        lines: impl Fn(&Fabric, &Spec) -> Vec<MeasuredLine>,
    ) -> Vec<(Spot, String)> {
        let Some((fabric, spec, sources)) = &self.resolved else { return Vec::new() };
        let spot = |line: MeasuredLine| Some((locate(sources, line.span)?, line.measured));
        lines(fabric, spec).into_iter().filter_map(spot).collect()
    }

    pub(super) fn annotations(&self) -> &Annotations {
        self.annotations.get_or_init(|| {
            let Some((fabric, spec, sources)) = &self.resolved else { return Annotations::default() };
            let foreseen = if is_described(fabric) { Foreseen::default() } else { foresee(fabric) };
            let with_spots = |texts: Vec<(Span, String)>| {
                texts.into_iter().filter_map(|(span, text)| Some((locate(sources, span)?, text))).collect()
            };
            Annotations {
                facts: with_spots(facts(fabric, spec, &foreseen)),
                hints: with_spots(hints(fabric, spec)),
            }
        })
    }
}

/// Analyses a spec. Of a file of shared parts only the syntax is checked.
pub(super) fn analyse(files: &OpenFiles<'_>, path: &str) -> Analysis {
    let Some(file) = files.file(path) else { return Analysis::default() };
    let mut analysis = Analysis::default();
    if !file.is_spec() && !file.text.content().trim().is_empty() {
        let (parsed, sources) = parse_file(path, file.text.content());
        for error in parsed.err().into_iter().flatten() {
            analysis.findings.push(to_finding(&error, &sources, path));
        }
        return analysis;
    }
    match fabc_lang::read(path, files) {
        Ok((fabric, spec, sources)) => {
            let convert = |error: &(dyn Diagnostic + Send + Sync)| to_finding(error, &sources, path);
            let warnings = fabc_lang::warnings(&spec, &fabric);
            analysis.findings.extend(warnings.iter().map(|warning: &Warning| convert(warning)));
            let failures: Vec<Failure> = match slice_failures(&fabric) {
                Some(failures) => failures.collect(),
                None => decide(&fabric).err().into_iter().collect(),
            };
            let errors: Vec<_> = failures.into_iter().flat_map(Failure::diagnostics).collect();
            analysis.findings.extend(errors.iter().map(|error| convert(&**error)));
            analysis.resolved = Some((fabric, spec, sources));
        }
        Err((failure, sources)) => {
            let diagnostics = failure.diagnostics();
            analysis.findings.extend(diagnostics.iter().map(|error| to_finding(&**error, &sources, path)));
        }
    }
    analysis
}

/// The file that a span lies in, and its bytes there.
fn locate(sources: &SourceMap, span: Span) -> Option<Spot> {
    let (name, text, base) = sources.file(span.start)?;
    let within = |offset: u32| (offset.saturating_sub(base) as usize).min(text.len());
    Some(Spot { path: name.to_owned(), bytes: within(span.start)..within(span.end) })
}

/// Converts a diagnostic. Its place is that of its first label, or the start of the spec without labels.
fn to_finding(diagnostic: &dyn Diagnostic, sources: &SourceMap, path: &str) -> Finding {
    let mut labels: Vec<_> = diagnostic.labels().into_iter().flatten().collect();
    if let Some(primary) = labels.iter().position(miette::LabeledSpan::primary) {
        labels[..=primary].rotate_right(1);
    }
    let spec_start = || Spot { path: path.to_owned(), bytes: 0..0 };
    let spot = |label: &miette::LabeledSpan| {
        locate(sources, Span { start: label.offset() as u32, end: (label.offset() + label.len()) as u32 })
    };
    let mut related: Vec<(Spot, String)> = labels
        .iter()
        .skip(1)
        .filter_map(|label| Some((spot(label)?, label.label().unwrap_or("here").to_owned())))
        .collect();
    for further in diagnostic.related().into_iter().flatten() {
        let further_spot = further.labels().into_iter().flatten().next().and_then(|label| spot(&label));
        related.push((further_spot.unwrap_or_else(spec_start), further.to_string()));
    }
    Finding {
        spot: labels.first().and_then(spot).unwrap_or_else(spec_start),
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

/// Facts about a fabric, each with the words of the spec that it describes.
fn facts(fabric: &Fabric, spec: &Spec, foreseen: &Foreseen) -> Vec<(Span, String)> {
    let mut facts = Vec::new();
    let size = match &fabric.plant {
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
    let mut lines = vec![size.replace("OCSs", "OCSes")];
    if let Some([links, fullest]) = foreseen.links {
        let radix = fabric.router.radix as usize;
        let hosts = if fabric.pod().is_some() { 0 } else { usize::from(fabric.router.hosts) };
        let free = radix.saturating_sub(fullest + hosts);
        lines.push(format!(
            "{links} links; the fullest router has {fullest}{}: {free} of {radix} ports free",
            if hosts > 0 { format!(" and {}", count(hosts, "host")) } else { String::new() }
        ));
    }
    if let Some((diameter, mean)) = foreseen.distances {
        lines.push(format!("diameter {diameter}, average hops {mean:.4}"));
    }
    let summary = lines.join("\n");
    facts.push((spec.fabric().name.span, summary.clone()));
    for Item { kind, span } in spec.items() {
        match kind {
            ItemKind::Ocs(ocs) => {
                facts.extend(
                    fabric
                        .pod()
                        .and_then(|pod| describe_switches(pod, &ocs.name.value))
                        .map(|text| (ocs.name.span, text)),
                );
            }
            ItemKind::Setting(setting) if matches!(&*setting.name.value, "cubes" | "topology") => {
                facts.push((setting.name.span.to(setting.value.span), summary.clone()))
            }
            ItemKind::Chip(_) | ItemKind::Router(_) => facts.push((
                Span { start: span.start, end: span.start + kind.keyword().len() as u32 },
                summary.clone(),
            )),
            _ => {}
        }
    }
    facts.extend(foreseen.bounds.iter().cloned());
    facts
}

/// For a group of switches: their number, and how many ports of the fullest one are taken.
fn describe_switches(pod: &Pod, group: &str) -> Option<String> {
    let of_group = |ocs: &&fabc_model::Ocs| {
        ocs.name.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    };
    let switches: Vec<&fabc_model::Ocs> = pod.ocses.iter().filter(of_group).collect();
    let fullest = switches.iter().max_by_key(|ocs| ocs.a.len().max(ocs.b.len()))?;
    let (sides, taken) = match fullest.rule {
        CoupleRule::Sided => (" on either side", fullest.a.len().max(fullest.b.len()) as u64),
        CoupleRule::Any => ("", fullest.a.len() as u64),
    };
    let names = match (switches.first()?, switches.last()?) {
        (first, last) if first.name == last.name => first.name.clone(),
        (first, last) => format!("{} switches, {} to {}", switches.len(), first.name, last.name),
    };
    let ports = u64::from(fullest.ports);
    Some(format!("{names}\n{taken} of {ports} ports{sides} taken, {} free", ports.saturating_sub(taken)))
}

/// Values of computed numbers, and the number of chips of all cubes.
fn hints(fabric: &Fabric, spec: &Spec) -> Vec<(Span, String)> {
    let bound = bind(spec).spec;
    let constants = Constants::of_spec(&bound);
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
