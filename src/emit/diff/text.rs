//! Writes the difference of two builds for the terminal.

use super::words::{self, count, percent, value_or_none};
use crate::lines::{Color, Lines, Look};
use crate::number::{grouped, size};
use fabc_ir::{Diff, FigureChange, FigureDiff, MoveDiff, RequireDiff, TablesFound, WiringFound};

/// Maximum lines of one section.
const MOST: usize = 16;
/// Maximum cross-connects of one switch that are shown.
const MOVES: usize = 4;

/// The difference for people. `beyond` lists what exceeds the tolerance; `None` if there is no tolerance.
pub fn diff_text(diff: &Diff, beyond: Option<&[String]>, look: Look) -> String {
    let mut lines = Lines::new(look);
    let [a, b] = &diff.sides;
    for (mark, side) in [("A", a), ("B", b)] {
        let files = diff.files.iter().filter(|file| file.bytes[usize::from(mark == "B")].is_some()).count();
        lines.push_wrapped(
            &format!("{mark}  "),
            &format!(
                "{}: {}, by {}, {}, {}",
                side.label,
                side.fabric,
                side.tool,
                count(files, "file"),
                size(side.bytes)
            ),
        );
    }
    if a.fabric != b.fabric {
        lines.push_wrapped("   ", &format!("two fabrics, `{}` and `{}`", a.fabric, b.fabric));
    }
    for (name, [old, new]) in words::option_changes(diff) {
        lines.push_wrapped("   ", &format!("option {name}: {old} -> {new}"));
    }
    lines.out.push('\n');
    lines.push_wrapped("", &words::diff_summary(diff));
    push_tolerance(&mut lines, beyond);
    if diff.is_same() {
        return lines.out;
    }
    push_spec(&mut lines, diff);
    push_figures(&mut lines, diff);
    push_contract(&mut lines, diff);
    push_faults(&mut lines, diff);
    push_wiring(&mut lines, diff);
    push_tables(&mut lines, diff);
    push_files(&mut lines, diff);
    lines.out
}

fn push_tolerance(lines: &mut Lines, beyond: Option<&[String]>) {
    match beyond {
        None => {}
        Some([]) => lines.push_wrapped("", "within the tolerance"),
        Some(beyond) => {
            let shown = beyond.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
            let more = if beyond.len() > MOST {
                format!(" and {} more", beyond.len() - MOST)
            } else {
                String::new()
            };
            lines.push_wrapped("beyond the tolerance: ", &format!("{shown}{more}"));
        }
    }
}

/// Shows at most [`MOST`] items, and says how many are left out.
fn push_some<T>(lines: &mut Lines, items: &[T], show: impl Fn(&mut Lines, &T)) {
    items.iter().take(MOST).for_each(|item| show(lines, item));
    if items.len() > MOST {
        lines.push_clipped(format!("  .. and {} more", grouped((items.len() - MOST) as u64)));
    }
}

fn color(change: FigureChange) -> Option<Color> {
    match change {
        FigureChange::Better => Some(Color::Green),
        FigureChange::Worse => Some(Color::Red),
        FigureChange::Same | FigureChange::Other => None,
    }
}

/// The width of the longest name, limited so that the other columns fit.
fn widest<'f>(figures: impl Iterator<Item = &'f FigureDiff>, look: Look) -> usize {
    figures
        .map(|figure| figure.name.chars().count())
        .max()
        .unwrap_or(0)
        .clamp(16, look.width.saturating_sub(58).max(16))
}

fn push_head(lines: &mut Lines, title: &str, name_width: usize, rest: &str) {
    lines.out.push('\n');
    let name_width = name_width + 2;
    lines.push_clipped(format!("{title:<name_width$}  {:>14}  {:>14}  {:>12}  {rest}", "A", "B", "change"));
}

fn push_figure(lines: &mut Lines, name_width: usize, figure: &FigureDiff, rest: &str) {
    let [a, b] = figure.values.each_ref().map(|side| value_or_none(side.as_ref()));
    let change = figure.change();
    let word = if change == FigureChange::Other { "" } else { change.name() };
    // A name that is wider than its column has its own line.
    let mut name = figure.name.as_str();
    if name.chars().count() > name_width {
        lines.push_clipped(format!("  {name}"));
        name = "";
    }
    let line = format!("  {name:<name_width$}  {a:>14}  {b:>14}  {:>12}  {word:<6}", percent(figure));
    if line.chars().count() + 2 + rest.chars().count() <= lines.look.width {
        lines.push_painted(format!("{line}  {rest}"), word, color(change));
    } else {
        lines.push_painted(line, word, color(change));
        lines.push_wrapped("      at ", rest);
    }
}

fn push_spec(lines: &mut Lines, diff: &Diff) {
    if diff.spec.iter().all(Vec::is_empty) {
        return;
    }
    lines.push_title("SPEC", "");
    for (sign, text) in ['-', '+'].into_iter().zip(&diff.spec) {
        push_some(lines, text, |lines, line| lines.push_clipped(format!("  {sign}  {}", line.trim())));
    }
}

fn push_figures(lines: &mut Lines, diff: &Diff) {
    let changed: Vec<&FigureDiff> =
        diff.figures.iter().filter(|figure| figure.change() != FigureChange::Same).collect();
    let same = diff.figures.len() - changed.len();
    if diff.figures.is_empty() {
        return;
    }
    let name_width = widest(changed.iter().copied(), lines.look);
    push_head(lines, "METRICS", name_width, "");
    // All of them are shown, because they are what the user asks for.
    changed.iter().for_each(|changed_figure| push_figure(lines, name_width, changed_figure, ""));
    lines.push_clipped(format!(
        "  {} the same",
        if changed.is_empty() { format!("all {same}") } else { same.to_string() }
    ));
}

fn push_contract(lines: &mut Lines, diff: &Diff) {
    if diff.contract.is_empty() {
        return;
    }
    lines.push_title("CONTRACT", "");
    let is_shown = |line: &&RequireDiff| line.is_other() || line.outcomes[0] != line.outcomes[1];
    let shown: Vec<&RequireDiff> = diff.contract.iter().filter(is_shown).collect();
    push_some(lines, &shown, |lines, line| {
        let [state, measured] = require_change(line);
        let good = line.outcomes[1].as_ref().is_some_and(|outcome| outcome.holds == Some(true));
        let bad = line.outcomes[1].as_ref().is_some_and(|outcome| outcome.holds == Some(false));
        let color = if bad { Some(Color::Red) } else { (good && line.is_other()).then_some(Color::Green) };
        lines.push_painted(format!("  {state:<14}  {}  {measured}", line.text), &state, color);
    });
    let same = diff.contract.len() - shown.len();
    if same > 0 {
        let held = diff
            .contract
            .iter()
            .filter(|line| {
                !is_shown(line)
                    && line.outcomes[1].as_ref().is_some_and(|outcome| outcome.holds == Some(true))
            })
            .count();
        lines.push_clipped(format!("  {} as before, {held} held", count(same, "line")));
    }
}

/// The state and the measured value: `held -> fails`, and `159 -> 163`.
pub(super) fn require_change(line: &RequireDiff) -> [String; 2] {
    let state = match line.outcomes.each_ref().map(Option::as_ref) {
        [None, Some(new)] => format!("new: {}", new.name()),
        [Some(_), None] => "gone".to_owned(),
        [Some(old), Some(new)] if old.name() != new.name() => format!("{} -> {}", old.name(), new.name()),
        [_, Some(new)] => new.name().to_owned(),
        [None, None] => String::new(),
    };
    let measured =
        line.outcomes.each_ref().map(|outcome| outcome.as_ref().and_then(|outcome| outcome.measured.clone()));
    let measured = match measured {
        [Some(old), Some(new)] if old != new => format!("{old} -> {new}"),
        [_, Some(new)] => new,
        [Some(old), None] => old,
        [None, None] => "not measured".to_owned(),
    };
    [state, measured]
}

fn push_faults(lines: &mut Lines, diff: &Diff) {
    let faults = &diff.faults;
    if faults.common == 0 && faults.alone.iter().all(Vec::is_empty) {
        return;
    }
    let changed: Vec<_> =
        faults.worst.iter().filter(|(figure, _)| figure.change() != FigureChange::Same).collect();
    let name_width = widest(changed.iter().map(|(figure, _)| figure), lines.look);
    push_head(lines, "FAULTS", name_width, "        at");
    for (changed_figure, scenarios) in &changed {
        let [a, b] = scenarios.each_ref().map(|scenario| value_or_none(scenario.as_ref()));
        push_figure(lines, name_width, changed_figure, &if a == b { a } else { format!("{a}, {b}") });
    }
    let same = faults.worst.len() - changed.len();
    lines.push_clipped(format!(
        "  {same} the same at their worst; {} of {} scenarios have other figures",
        faults.changed.len(),
        faults.common
    ));
    for (side, alone) in ["A", "B"].into_iter().zip(&faults.alone).filter(|(_, alone)| !alone.is_empty()) {
        let shown = alone.iter().take(MOVES).cloned().collect::<Vec<_>>().join(", ");
        let more = if alone.len() > MOVES { ", .." } else { "" };
        lines.push_wrapped(
            "  ",
            &format!("only {side} has {}: {shown}{more}", count(alone.len(), "scenario")),
        );
    }
}

fn push_wiring(lines: &mut Lines, diff: &Diff) {
    let Some(wiring) = diff.wiring.as_ref().filter(|wiring| wiring.outcome != WiringFound::Same) else {
        return;
    };
    lines.push_title("WIRING", "");
    let change = words::wiring_line(wiring);
    lines.push_wrapped("  ", change.strip_prefix("wiring: ").unwrap_or(&change));
    if let Some(note) = words::wiring_note(wiring) {
        lines.push_wrapped("  ", &note);
    }
    if !wiring.renamed.is_empty() {
        let shown: Vec<String> =
            wiring.renamed.iter().take(MOST).map(|[a, b]| format!("{a} -> {b}")).collect();
        let more = if wiring.renamed.len() > MOST {
            format!(" and {} more", wiring.renamed.len() - MOST)
        } else {
            String::new()
        };
        lines.push_wrapped("  renamed: ", &format!("{}{more}", shown.join(", ")));
    }
    push_some(lines, &wiring.moves, |lines, MoveDiff { place, removed, added }| {
        let pairs = |sign: char, pairs: &[[String; 2]]| {
            let shown = pairs.iter().take(MOVES).map(|[a, b]| format!("{sign}{a}={b}"));
            let more = (pairs.len() > MOVES).then(|| format!("({} more)", pairs.len() - MOVES));
            shown.chain(more).collect::<Vec<_>>()
        };
        lines.push_wrapped(
            &format!("  {place}  "),
            &[pairs('-', removed), pairs('+', added)].concat().join(" "),
        );
    });
}

fn push_tables(lines: &mut Lines, diff: &Diff) {
    let Some(line) = words::tables_line(&diff.tables) else { return };
    lines.push_title("TABLES", "");
    lines.push_clipped(format!("  {line} differ"));
    let changed: Vec<_> = diff.tables.iter().filter(|tables| tables.outcome != TablesFound::Same).collect();
    push_some(lines, &changed, |lines, tables| {
        lines.push_wrapped(&format!("  {:<14}  ", tables.scenario), &words::tables_change(&tables.outcome))
    });
}

fn push_files(lines: &mut Lines, diff: &Diff) {
    lines.push_title("FILES", "");
    push_some(lines, &words::changed_folders(&diff.files), |lines, (path, [different, total], bytes)| {
        let change =
            if path.ends_with('/') { format!("{different} of {total} differ") } else { "differs".to_owned() };
        let line = match bytes {
            [Some(a), Some(b)] if a == b => format!("  {path:<28}  {change}, {}", size(*b)),
            [Some(a), Some(b)] => format!("  {path:<28}  {change}, {} -> {}", size(*a), size(*b)),
            [Some(a), None] => format!("  {path:<28}  only in A, {}", size(*a)),
            [None, Some(b)] => format!("  {path:<28}  only in B, {}", size(*b)),
            [None, None] => String::new(),
        };
        lines.push_clipped(line);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_ir::{DiffSide, FaultsDiff, FileDiff, RequireState, TablesDiff, WiringDiff};
    use fabc_model::Direction;

    fn figure(name: &str, direction: Direction, a: &str, b: &str) -> FigureDiff {
        FigureDiff { name: name.to_owned(), direction, values: [a, b].map(|value| Some(value.to_owned())) }
    }

    /// Two builds that differ in everything, with long names.
    fn different() -> Diff {
        let side = |label: &str| DiffSide {
            label: label.to_owned(),
            fabric: label.to_owned(),
            tool: "fabc 1".to_owned(),
            options: vec![("seed".to_owned(), label.len().to_string())],
            bytes: 5_000_000,
            histograms: Vec::new(),
        };
        let at = ["cube10[1,2,3].+x", "cube11[3,2,1].-z"].map(|at| Some(at.to_owned()));
        let state = |holds, measured: &str| RequireState {
            holds: Some(holds),
            measured: Some(measured.to_owned()),
            scenario: None,
        };
        let pair = |cube: u32| [format!("cube{cube}.+x[10,10]"), format!("cube{}.-x[10,10]", cube + 1)];
        Diff {
            sides: [side("a"), side("bb")],
            spec: [vec!["seed = 1;".to_owned()], vec!["seed = 2;".to_owned()]],
            figures: vec![
                figure("diameter", Direction::Less, "6", "6"),
                figure("max_channel_load", Direction::Less, "159", "163"),
                figure("a_collective_with_a_long_name.bandwidth", Direction::More, "100.123456789", "200.5"),
            ],
            contract: vec![RequireDiff {
                text: "diameter <= 6".to_owned(),
                outcomes: [Some(state(true, "6")), Some(state(false, "7"))],
            }],
            faults: FaultsDiff {
                common: 2,
                alone: [vec!["X[0,0]".to_owned()], Vec::new()],
                worst: vec![(figure("fault.latency_max", Direction::Less, "666.666667", "619.047619"), at)],
                changed: vec![("Y[0,0]".to_owned(), vec![figure("diameter", Direction::Less, "6", "7")])],
            },
            wiring: Some(WiringDiff {
                word: "cube",
                joint: "cross-connect",
                joints: [192; 2],
                outcome: WiringFound::CutOff,
                as_named: [8; 2],
                renamed: (0..20).map(|cube| [format!("cube{cube}"), format!("cube{}", cube + 1)]).collect(),
                moves: (0..20)
                    .map(|at| MoveDiff {
                        place: format!("X[{at},0]"),
                        removed: (0..6).map(pair).collect(),
                        added: vec![pair(9)],
                    })
                    .collect(),
                points: Vec::new(),
                pairs: Vec::new(),
            }),
            tables: vec![TablesDiff {
                scenario: "nominal".to_owned(),
                outcome: TablesFound::Entries {
                    routers: 256,
                    changed: vec!["cube0[0,0,0]".to_owned()],
                    counts: [1, 0, 2000],
                },
            }],
            files: vec![FileDiff { path: "ocs.json".to_owned(), bytes: [Some(9120), None], same: false }],
        }
    }

    #[test]
    fn lines_are_as_wide_as_the_terminal_and_say_all_that_counts() {
        for width in [80, 100, 120] {
            let text =
                diff_text(&different(), Some(&["max_channel_load".to_owned()]), Look { width, color: false });
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            assert!(
                !text.lines().any(|line| line.ends_with("..") && !line.starts_with("  .. and")),
                "{text}"
            );
            for part in [
                "two fabrics, `a` and `bb`",
                "option seed: 1 -> 2",
                "beyond the tolerance: max_channel_load",
                "  -  seed = 1;",
                "+2.52 %  worse",
                "better",
                "held -> fails   diameter <= 6  6 -> 7",
                "-7.14 %  better",
                "cube10[1,2,3].+x, cube11[3,2,1].-z",
                "only A has 1 scenario: X[0,0]",
                "The search reached its limit",
                "and 4 more",
                "(2 more)",
                "1 of 256 routers; entries: 1 added, 2,000 dropped; cube0[0,0,0]",
                "only in A, 9.1 kB",
            ] {
                let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(
                    flat.contains(&part.split_whitespace().collect::<Vec<_>>().join(" ")),
                    "{width}: {part}\n{text}"
                );
            }
        }
        let colored = diff_text(&different(), None, Look { width: 100, color: true });
        assert!(
            colored.contains("\u{1b}[1;31mworse\u{1b}[0m") && colored.contains("\u{1b}[32mbetter\u{1b}[0m"),
            "{colored}"
        );
    }
}
