//! Which chip is which rank: `place = order`, `aligned`, `search { .. }` or `file "ranks.csv"`.

use super::axes::JobAxes;
use crate::JobError;
use crate::resolve::context::{Context, unknown_choice};
use crate::resolve::scope::{Scope, read_file};
use crate::resolve::settings::{BlockSettings, bare_name, block_settings, integer, wrong_kind};
use crate::syntax::ast::{Block, Name, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::csv;
use fabc_base::limits::RANKS_BYTES;
use fabc_model::JobPlace;

/// The words of a place.
const WORDS: [&str; 4] = ["aligned", "file", "order", "search"];

/// Resolves the place of a job. Without a setting, rank r is on the r-th chip.
pub(super) fn place(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    axes: Option<&JobAxes>,
    scope: &Scope<'_>,
) -> Option<JobPlace> {
    let Some(value) = settings.get("place") else { return Some(JobPlace::Order) };
    match &value.kind {
        ValueKind::File(kind, path, None) if &*kind.value == "file" => rank_file(context, path, axes, scope),
        ValueKind::Block(kind, block) if &*kind.value == "search" => searched(context, kind, Some(block)),
        ValueKind::File(kind, ..) | ValueKind::Block(kind, _) | ValueKind::Dims(kind, ..) => {
            refuse_word(context, kind);
            None
        }
        _ => match bare_name(value) {
            Some(name) if &*name.value == "order" => Some(JobPlace::Order),
            Some(name) if &*name.value == "aligned" => Some(JobPlace::Aligned),
            Some(name) if &*name.value == "search" => searched(context, &name, None),
            Some(name) => {
                refuse_word(context, &name);
                None
            }
            None => {
                let wanted = "`order`, `aligned`, `search` or a file";
                context.error(wrong_kind("`place`", wanted, "file \"ranks.csv\"", value.span));
                None
            }
        },
    }
}

/// Resolves the settings of an exchange search.
fn searched(context: &mut Context, kind: &Name, block: Option<&Block>) -> Option<JobPlace> {
    let (mut effort, mut seed) = (Some(1), Some(1));
    if let Some(block) = block {
        let settings =
            block_settings(context, block, "`search`".to_owned(), kind.span, BlockKind::PlaceSearch);
        effort =
            settings.get("effort").map_or(Some(1), |value| integer(context, "`effort`", value, 1..=10_000));
        seed = settings.get("seed").map_or(Some(1), |value| integer(context, "`seed`", value, 0..=i64::MAX));
    }
    Some(JobPlace::Search { effort: effort? as u32, seed: seed? as u64 })
}

/// Reports a word that is no place.
fn refuse_word(context: &mut Context, word: &Name) {
    if &*word.value == "file" {
        context.error(wrong_kind("`file`", "a path and no settings", "file \"ranks.csv\"", word.span));
        return;
    }
    context.error(unknown_choice("`place`", word, &WORDS, None));
}

/// Reads the file of the ranks.
fn rank_file(
    context: &mut Context,
    path: &Name,
    axes: Option<&JobAxes>,
    scope: &Scope<'_>,
) -> Option<JobPlace> {
    let (written, text) = read_file(context, path, scope, RANKS_BYTES)?;
    let ranks = u64::try_from(axes?.rank_count()).ok()?;
    match chips_of_ranks(&text, ranks) {
        Ok(chips) => Some(JobPlace::File { path: written, chips }),
        Err(problem) => {
            context.error(JobError::Ranks { path: written, problem, span: path.span }.into());
            None
        }
    }
}

/// The chip of every rank, from lines `rank,chip`. Further values of a line, a header, empty lines and
/// comments (`#`) are skipped.
///
/// # Errors
/// The first line that is wrong, or what is missing.
pub fn chips_of_ranks(text: &str, ranks: u64) -> Result<Vec<u32>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut chips, mut rank_of_chip): (Vec<Option<u32>>, Vec<Option<u32>>) = (Vec::new(), Vec::new());
    let mut is_first = true;
    for (index, line) in text.lines().enumerate() {
        let line_error = |problem: String| format!("line {}: {problem}", index + 1);
        let cells = csv::cells(line).map_err(|problem| line_error(problem.to_owned()))?;
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        if cells == [""] || (std::mem::take(&mut is_first) && cells[0] == "rank") {
            continue;
        }
        let [rank, chip, ..] = cells[..] else {
            return Err(line_error("it has 1 value, not 2".to_owned()));
        };
        let number = |name: &str, written: &str| {
            let number = written.parse::<u32>().ok().filter(|number| u64::from(*number) < ranks);
            let shown: String = written.chars().take(20).collect();
            number.ok_or_else(|| line_error(format!("`{shown}` is no {name} from 0 to {}", ranks - 1)))
        };
        let (rank, chip) = (number("rank", rank)?, number("chip", chip)?);
        let longest = rank.max(chip) as usize + 1;
        if chips.len() < longest {
            chips.resize(longest, None);
            rank_of_chip.resize(longest, None);
        }
        if chips[rank as usize].replace(chip).is_some() {
            return Err(line_error(format!("rank {rank} comes twice")));
        }
        if let Some(first) = rank_of_chip[chip as usize].replace(rank) {
            return Err(line_error(format!("chip {chip} comes twice, for rank {first} and rank {rank}")));
        }
    }
    let listed = chips.iter().flatten().count() as u64;
    if listed < ranks {
        let absent = chips.iter().position(Option::is_none).unwrap_or(chips.len());
        return Err(format!("it lists {listed} of {ranks} ranks, and rank {absent} is not among them"));
    }
    Ok(chips.into_iter().flatten().collect())
}
