//! Resolves the settings of `synthesize`.

use super::context::{Context, missing};
use super::cross_connects::CrossConnectsFile;
use super::settings::{
    BlockSettings, bare_name, block_settings, integer, integer_of, limit, one_of_or, quantity, wrong_kind,
};
use crate::ResolveError;
use crate::syntax::ast::{Block, Name, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::units::Dimension;
use fabc_model::{MAX_EFFORT, NearSynthesis, SynthesisMethod, Synthesize, TopologyChoice};

/// Reads a file of cross-connects. Reports a file that it cannot read.
pub(super) type ReadFile<'a> = dyn Fn(&mut Context, &Name) -> Option<CrossConnectsFile> + 'a;

/// Resolves the settings of `synthesize` in a pod.
pub(super) fn synthesize(
    context: &mut Context,
    kind: &Name,
    block: Option<&Block>,
    read: &ReadFile<'_>,
) -> Option<TopologyChoice> {
    let mut search = Synthesize::default();
    let Some(block) = block else { return Some(TopologyChoice::Synthesize(search)) };
    let settings =
        block_settings(context, block, "`synthesize`".to_owned(), kind.span, BlockKind::Synthesize);
    if settings.get("cable").is_some() {
        let help = "remove it: every face port keeps its fiber whatever the switches do, so all topologies have the same cables";
        let (subject, place) = ("`cable`".to_owned(), "the `synthesize` of a pod".to_owned());
        context.error(ResolveError::Misplaced {
            subject,
            place,
            help: Some(help.to_owned()),
            span: settings.span_or_head("cable"),
        });
        return None;
    }
    search.symmetry = one_of_or(context, &settings, "symmetry", search.symmetry)?;
    search.objective = one_of_or(context, &settings, "objective", search.objective)?;
    if let Some(value) = settings.get("time_limit") {
        let (number, unit) = quantity(context, "`time_limit`", value, &[Dimension::Duration], "60 s")?;
        let seconds = number.times(unit.factor).filter(|seconds| (1..=u64::from(u32::MAX)).contains(seconds));
        let Some(seconds) = seconds else {
            let (wanted, note) = (
                "a whole number of seconds, at least 1".to_owned(),
                format!("this is {number} {}", unit.name),
            );
            context.error(ResolveError::OutOfRange {
                subject: "`time_limit`".to_owned(),
                wanted,
                help: None,
                span: value.span,
                note,
            });
            return None;
        };
        search.time_limit = Some(seconds as u32);
    }
    let effort = match settings.get("effort") {
        None => Some(1),
        Some(value)
            if bare_name(value).is_some_and(|name| {
                &*name.value == "max" && !context.constants.names().any(|known| known == "max")
            }) =>
        {
            Some(i64::from(MAX_EFFORT))
        }
        Some(value) => {
            match bare_name(value)
                .filter(|name| !context.constants.names().any(|known| *known == *name.value))
            {
                Some(name) => {
                    let help = "a number from 1 to 10000, or `max`".to_owned();
                    let (subject, written) = ("`effort`".to_owned(), name.value.to_string());
                    context.error(ResolveError::UnknownChoice { subject, written, help, span: name.span });
                    None
                }
                None => integer(context, "`effort`", value, 1..=10_000),
            }
        }
    };
    let seed = settings.get("seed").map_or(Some(1), |value| integer(context, "`seed`", value, 0..=i64::MAX));
    let near = near(context, &settings, read);
    let method = method(context, &settings);
    let search = Synthesize { effort: effort? as u32, seed: seed? as u64, method: method?, ..search };
    Some(match near? {
        None => TopologyChoice::Synthesize(search),
        Some((CrossConnectsFile { path, text, settings }, moves)) => {
            TopologyChoice::SynthesizeNear(NearSynthesis { path, text, settings, moves, search })
        }
    })
}

/// Reads `start = cross_connects "file"; moves <= n;`. Returns the file and the number of moves. The inner
/// `None` says that neither is written.
#[allow(clippy::option_option)] // the outer one says that an error was reported
fn near(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    read: &ReadFile<'_>,
) -> Option<Option<(CrossConnectsFile, u64)>> {
    let (start, moves) = match (settings.get("start"), settings.get("moves")) {
        (None, None) => return Some(None),
        (Some(start), Some(moves)) => (start, moves),
        (None, Some(moves)) => {
            context.error(missing(
                "`moves`",
                "`start`",
                "start = cross_connects \"live/ocs.json\";",
                moves.span,
            ));
            return None;
        }
        (Some(start), None) => {
            context.error(missing("`start`", "`moves`", "moves <= 40;", start.span));
            return None;
        }
    };
    let moves = match limit(moves, "<=") {
        Some(quantity) => integer_of(context, "`moves`", quantity, 0..=i64::MAX),
        None => {
            context.error(wrong_kind("`moves`", "an upper limit", "moves <= 40;", moves.span));
            None
        }
    };
    let file = match &start.kind {
        ValueKind::File(kind, path, None) if &*kind.value == "cross_connects" => read(context, path),
        _ => {
            context.error(wrong_kind(
                "`start`",
                "a file of cross-connects",
                "start = cross_connects \"live/ocs.json\";",
                start.span,
            ));
            None
        }
    };
    Some(Some((file?, moves? as u64)))
}

/// Reads `method`, with the setting that belongs to it.
fn method(context: &mut Context, settings: &BlockSettings<'_>) -> Option<SynthesisMethod> {
    let mut method = one_of_or(context, settings, "method", SynthesisMethod::Search)?;
    for (name, wanted) in [("nodes", "milp"), ("fix", "relax")] {
        let Some(value) = settings.get(name) else { continue };
        let number = integer(context, &format!("`{name}`"), value, 1..=1_000_000)? as u32;
        match &mut method {
            SynthesisMethod::Milp { nodes } if wanted == "milp" => *nodes = number,
            SynthesisMethod::Relax { fix } if wanted == "relax" => *fix = number,
            _ => {
                let help = Some(format!("write `method = {wanted};` before it, or remove it"));
                let place = format!("{} without `method = {wanted}`", settings.place);
                let span = settings.span(name).unwrap_or(value.span);
                context.error(ResolveError::Misplaced { subject: format!("`{name}`"), place, help, span });
                return None;
            }
        }
    }
    if method != SynthesisMethod::Search {
        // The programs know only the flow, choose the whole wiring, and limit their work in nodes.
        for name in ["objective", "time_limit", "start", "for"] {
            if let Some(span) = settings.span(name) {
                let help = Some("remove it, or write `method = search`".to_owned());
                let place = format!("{} with a `method` other than `search`", settings.place);
                context.error(ResolveError::Misplaced { subject: format!("`{name}`"), place, help, span });
                return None;
            }
        }
    }
    Some(method)
}
