//! Budget, demand, topology and routing.

use super::hardware::dimensions;
use super::settings::{Settings, choice, decimal, in_range, integer, quantity, settings, wrong_kind};
use super::{Context, Items, missing, unknown_choice};
use crate::diag::Span;
use crate::model::errors::ResolveError;
use crate::model::pod::{
    Budget, Chip, Demand, MAX_EFFORT, Objective, RoutingChoice, SymmetryChoice, SynthesisMethod, Synthesize, TopologyChoice,
};
use crate::syntax::ast::{Block, Name, Value, ValueKind};
use crate::syntax::{Loader, join};
use crate::units::Dimension;

/// The budget: without `vcs`, those of the chip (at most 8); without `faults`, none.
pub(super) fn budget(context: &mut Context, items: &Items<'_>, fabric: Span, chip: Option<&Chip>) -> Option<Budget> {
    let default_vcs = chip.map_or(1, |chip| chip.vcs.min(8));
    let Some((block, span)) = items.budget else {
        return Some(Budget { vcs: default_vcs, faulty_ocses: 0, vcs_span: fabric, faults_span: fabric });
    };
    let settings = settings(context, block, "`budget`".to_owned(), span, &["vcs", "faults"], "");
    let vcs = match settings.get("vcs") {
        Some(value) => integer(context, "`vcs` of the budget", value, 1..=8).map(|vcs| vcs as u8),
        None => Some(default_vcs),
    };
    let vcs_span = settings.span("vcs").unwrap_or(span);
    if let (Some(vcs), Some(chip)) = (vcs, chip.filter(|chip| vcs.is_some_and(|vcs| vcs > chip.vcs))) {
        context.error(ResolveError::BudgetExceedsChip { budget: vcs, chip: chip.vcs, span: vcs_span, chip_span: chip.span });
    }
    let faulty_ocses = match settings.get("faults") {
        Some(value) => faults(context, value),
        None => Some(0),
    };
    Some(Budget { vcs: vcs?, faulty_ocses: faulty_ocses?, vcs_span, faults_span: settings.span("faults").unwrap_or(span) })
}

/// `0`, `1 ocs` or `2 ocs`.
fn faults(context: &mut Context, value: &Value) -> Option<u32> {
    let ValueKind::Quantity(quantity) = &value.kind else {
        context.error(wrong_kind("`faults`", "a number of OCSes", "1 ocs", value.span));
        return None;
    };
    let number = decimal(context, "`faults`", quantity)?;
    let unit = quantity.unit.as_ref().map(|unit| &*unit.value);
    let written = format!("`{number}{}{}`", if unit.is_some() { " " } else { "" }, unit.unwrap_or(""));
    let (note, more) = match (number.times(1), unit) {
        (Some(0), None | Some("ocs")) => return Some(0),
        (Some(count @ (1 | 2)), Some("ocs")) => return Some(count as u32),
        (_, Some("link" | "links" | "chip" | "chips")) => ("not supported yet", "; faults of links and chips are planned"),
        (_, None) => ("faults of what?", ""),
        (_, Some("ocs")) => ("at most 2 OCSes", ""),
        _ => ("this cannot fail", ""),
    };
    context.error(ResolveError::Faults { written, more, span: value.span, note });
    None
}

/// The demand; uniform is the only one, and the default.
pub(super) fn demand(context: &mut Context, items: &Items<'_>) -> Demand {
    if let Some(setting) = items.settings.get("demand") {
        match choice(&setting.value) {
            Some(name) if &*name.value == "uniform" => {}
            Some(name) => context.error(unknown_choice("`demand`", &name, &["uniform"])),
            None => context.error(wrong_kind("`demand`", "a name", "uniform", setting.value.span)),
        }
    }
    Demand::Uniform
}

/// The topology, and where it stands.
pub(super) fn topology(
    context: &mut Context,
    items: &Items<'_>,
    fabric: Span,
    spec_path: &str,
    loader: &Loader<'_>,
) -> Option<(TopologyChoice, Span)> {
    let Some(setting) = items.settings.get("topology") else {
        context.error(missing("the fabric", "`topology`", "topology = synthesize { effort = 1; }", fabric));
        return None;
    };
    let span = setting.name.span.to(setting.value.span);
    let topology = match &setting.value.kind {
        ValueKind::Dims(kind, dims) => {
            let known = ["torus", "twisted_torus"];
            if !known.contains(&&*kind.value) {
                context.error(wrong_topology(kind));
                return None;
            }
            let dims = dimensions(context, &format!("`{}`", kind.value), dims, setting.value.span)?;
            let mut narrow = [0; 3];
            for (narrow, dim) in narrow.iter_mut().zip(dims) {
                *narrow =
                    in_range(context, "a dimension", dim.min(i64::MAX as u64) as i64, 1..=i64::from(u32::MAX), setting.value.span)? as u32;
            }
            if &*kind.value == "torus" { TopologyChoice::Torus(narrow) } else { TopologyChoice::TwistedTorus(narrow) }
        }
        ValueKind::File(kind, path) if &*kind.value == "cross_connects" => {
            let path_text = path.value.to_string();
            match loader(&join(spec_path, &path_text)) {
                Ok(text) => TopologyChoice::CrossConnects { path: path_text, text },
                Err(reason) => {
                    context.error(ResolveError::CrossConnectsUnreadable { path: path_text, reason, span: path.span });
                    return None;
                }
            }
        }
        ValueKind::Block(kind, block) if &*kind.value == "synthesize" => {
            TopologyChoice::Synthesize(synthesize(context, kind, Some(block))?)
        }
        ValueKind::Block(kind, _) | ValueKind::File(kind, _) => {
            context.error(wrong_topology(kind));
            return None;
        }
        ValueKind::Quantity(_) => match choice(&setting.value) {
            Some(name) if &*name.value == "synthesize" => TopologyChoice::Synthesize(synthesize(context, &name, None)?),
            Some(name) => {
                context.error(wrong_topology(&name));
                return None;
            }
            None => {
                context.error(wrong_kind("`topology`", "a name with its settings", "torus 4 x 8 x 8", setting.value.span));
                return None;
            }
        },
    };
    Some((topology, span))
}

/// The error of a topology that does not exist, or not in this form.
fn wrong_topology(kind: &Name) -> ResolveError {
    let example = match &*kind.value {
        "torus" => "torus 4 x 8 x 8",
        "twisted_torus" => "twisted_torus 4 x 8 x 8",
        "synthesize" => "synthesize { effort = 1; }",
        "cross_connects" => "cross_connects \"live/ocs.json\"",
        _ => return unknown_choice("`topology`", kind, &["synthesize", "torus", "twisted_torus", "cross_connects"]),
    };
    ResolveError::UnknownChoice {
        what: "`topology`".to_owned(),
        found: kind.value.to_string(),
        help: format!("this topology is written `{example}`"),
        span: kind.span,
    }
}

/// The settings of `synthesize`.
fn synthesize(context: &mut Context, kind: &Name, block: Option<&Block>) -> Option<Synthesize> {
    let mut found = Synthesize {
        symmetry: SymmetryChoice::Auto,
        effort: 1,
        seed: 1,
        objective: Objective::Flow,
        time_limit: None,
        method: SynthesisMethod::Search,
    };
    let Some(block) = block else { return Some(found) };
    let known = ["symmetry", "effort", "seed", "objective", "time_limit", "method", "nodes", "fix"];
    let settings = settings(context, block, "`synthesize`".to_owned(), kind.span, &known, "");
    if let Some(value) = settings.get("symmetry") {
        let Some(name) = choice(value) else {
            context.error(wrong_kind("`symmetry`", "a name", "translation", value.span));
            return None;
        };
        found.symmetry = match &*name.value {
            "translation" => SymmetryChoice::Translation,
            "none" => SymmetryChoice::None,
            "auto" => SymmetryChoice::Auto,
            _ => {
                context.error(unknown_choice("`symmetry`", &name, &["translation", "none", "auto"]));
                return None;
            }
        };
    }
    if let Some(value) = settings.get("objective") {
        let Some(name) = choice(value) else {
            context.error(wrong_kind("`objective`", "a name", "hops", value.span));
            return None;
        };
        found.objective = match &*name.value {
            "flow" => Objective::Flow,
            "hops" => Objective::Hops,
            _ => {
                context.error(unknown_choice("`objective`", &name, &["flow", "hops"]));
                return None;
            }
        };
    }
    if let Some(value) = settings.get("time_limit") {
        let (number, unit) = quantity(context, "`time_limit`", value, &[Dimension::Duration], "60 s")?;
        let seconds = number.times(unit.factor).filter(|seconds| (1..=u64::from(u32::MAX)).contains(seconds));
        let Some(seconds) = seconds else {
            let (wanted, found) = ("a whole number of seconds, at least 1".to_owned(), format!("this is {number} {}", unit.name));
            context.error(ResolveError::OutOfRange { what: "`time_limit`".to_owned(), wanted, help: None, span: value.span, found });
            return None;
        };
        found.time_limit = Some(seconds as u32);
    }
    let effort = match settings.get("effort") {
        None => Some(1),
        Some(value) if choice(value).is_some_and(|name| &*name.value == "max") => Some(i64::from(MAX_EFFORT)),
        Some(value) => integer(context, "`effort`", value, 1..=10_000),
    };
    let seed = settings.get("seed").map_or(Some(1), |value| integer(context, "`seed`", value, 0..=i64::MAX));
    let method = method(context, &settings);
    Some(Synthesize { effort: effort? as u32, seed: seed? as u64, method: method?, ..found })
}

/// `method`, with the setting that belongs to it.
fn method(context: &mut Context, settings: &Settings<'_>) -> Option<SynthesisMethod> {
    let mut found = SynthesisMethod::Search;
    if let Some(value) = settings.get("method") {
        let Some(name) = choice(value) else {
            context.error(wrong_kind("`method`", "a name", "relax", value.span));
            return None;
        };
        found = match &*name.value {
            "search" => SynthesisMethod::Search,
            "milp" => SynthesisMethod::Milp { nodes: 1000 },
            "relax" => SynthesisMethod::Relax { fix: 1 },
            _ => {
                context.error(unknown_choice("`method`", &name, &["search", "milp", "relax"]));
                return None;
            }
        };
    }
    for (name, wanted) in [("nodes", "milp"), ("fix", "relax")] {
        let Some(value) = settings.get(name) else { continue };
        let number = integer(context, &format!("`{name}`"), value, 1..=1_000_000)? as u32;
        match &mut found {
            SynthesisMethod::Milp { nodes } if wanted == "milp" => *nodes = number,
            SynthesisMethod::Relax { fix } if wanted == "relax" => *fix = number,
            _ => {
                let help = Some(format!("write `method = {wanted};` before it, or remove it"));
                let place = format!("{} without `method = {wanted}`", settings.place);
                let span = settings.span(name).unwrap_or(value.span);
                context.error(ResolveError::Misplaced { what: format!("`{name}`"), place, help, span });
                return None;
            }
        }
    }
    if found != SynthesisMethod::Search {
        // The programs know the flow only, and their work is limited in nodes.
        for name in ["objective", "time_limit"] {
            if let Some(span) = settings.span(name) {
                let help = Some("remove it, or write `method = search`".to_owned());
                let place = format!("{} with a `method` other than `search`", settings.place);
                context.error(ResolveError::Misplaced { what: format!("`{name}`"), place, help, span });
                return None;
            }
        }
    }
    Some(found)
}

/// The routing, and where it stands.
pub(super) fn routing(context: &mut Context, items: &Items<'_>, fabric: Span) -> Option<(RoutingChoice, Span)> {
    let Some(setting) = items.settings.get("routing") else {
        context.error(missing("the fabric", "`routing`", "routing = allowed_turns;", fabric));
        return None;
    };
    let Some(name) = choice(&setting.value) else {
        context.error(wrong_kind("`routing`", "a name", "allowed_turns", setting.value.span));
        return None;
    };
    let routing = match &*name.value {
        "allowed_turns" => RoutingChoice::AllowedTurns,
        "dimension_order" => RoutingChoice::DimensionOrder,
        "up_down" => RoutingChoice::UpDown,
        _ => {
            context.error(unknown_choice("`routing`", &name, &["allowed_turns", "dimension_order", "up_down"]));
            return None;
        }
    };
    Some((routing, setting.name.span.to(setting.value.span)))
}
