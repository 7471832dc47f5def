//! How two builds differ, as the terminal shows it.

use super::words::{self, count, percent, value};
use crate::lines::{Color, Lines, Look};
use crate::number::{grouped, size};
use fabc_ir::{Diff, FigureChange, FigureDiff, MoveDiff, RequireDiff, TablesFound, WiringFound};

/// Lines that one part takes at most.
const MOST: usize = 16;
/// Cross-connects of one switch that are shown.
const MOVES: usize = 4;

/// The difference for people. `beyond`: what no tolerance covers, where some is accepted.
pub fn diff_text(diff: &Diff, beyond: Option<&[String]>, look: Look) -> String {
    let mut lines = Lines::new(look);
    let [a, b] = &diff.sides;
    for (mark, side) in [("A", a), ("B", b)] {
        let files = diff.files.iter().filter(|file| file.bytes[usize::from(mark == "B")].is_some()).count();
        lines.wrapped(
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
        lines.wrapped("   ", &format!("two fabrics, `{}` and `{}`", a.fabric, b.fabric));
    }
    for (name, [old, new]) in words::options(diff) {
        lines.wrapped("   ", &format!("option {name}: {old} -> {new}"));
    }
    lines.out.push('\n');
    lines.wrapped("", &words::diff_summary(diff));
    tolerated(&mut lines, beyond);
    if diff.is_same() {
        return lines.out;
    }
    spec(&mut lines, diff);
    figures(&mut lines, diff);
    contract(&mut lines, diff);
    faults(&mut lines, diff);
    wiring(&mut lines, diff);
    tables(&mut lines, diff);
    files(&mut lines, diff);
    lines.out
}

fn tolerated(lines: &mut Lines, beyond: Option<&[String]>) {
    match beyond {
        None => {}
        Some([]) => lines.wrapped("", "within the tolerance"),
        Some(beyond) => {
            let shown = beyond.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
            let more = if beyond.len() > MOST {
                format!(" and {} more", beyond.len() - MOST)
            } else {
                String::new()
            };
            lines.wrapped("beyond the tolerance: ", &format!("{shown}{more}"));
        }
    }
}

/// At most [`MOST`] of some things, and how many are left out.
fn some<T>(lines: &mut Lines, all: &[T], show: impl Fn(&mut Lines, &T)) {
    all.iter().take(MOST).for_each(|one| show(lines, one));
    if all.len() > MOST {
        lines.clipped(format!("  .. and {} more", grouped((all.len() - MOST) as u64)));
    }
}

fn color(change: FigureChange) -> Option<Color> {
    match change {
        FigureChange::Better => Some(Color::Green),
        FigureChange::Worse => Some(Color::Red),
        FigureChange::Same | FigureChange::Other => None,
    }
}

/// The widest name, as far as the other columns leave room.
fn widest<'f>(figures: impl Iterator<Item = &'f FigureDiff>, look: Look) -> usize {
    figures
        .map(|figure| figure.name.chars().count())
        .max()
        .unwrap_or(0)
        .clamp(16, look.width.saturating_sub(58).max(16))
}

fn head(lines: &mut Lines, title: &str, wide: usize, rest: &str) {
    lines.out.push('\n');
    let wide = wide + 2;
    lines.clipped(format!("{title:<wide$}  {:>14}  {:>14}  {:>12}  {rest}", "A", "B", "change"));
}

fn figure(lines: &mut Lines, wide: usize, figure: &FigureDiff, rest: &str) {
    let [a, b] = figure.values.each_ref().map(|of| value(of.as_ref()));
    let change = figure.change();
    let word = if change == FigureChange::Other { "" } else { change.name() };
    // A name that is wider than its column has a line of its own.
    let mut name = figure.name.as_str();
    if name.chars().count() > wide {
        lines.clipped(format!("  {name}"));
        name = "";
    }
    let line = format!("  {name:<wide$}  {a:>14}  {b:>14}  {:>12}  {word:<6}", percent(figure));
    if line.chars().count() + 2 + rest.chars().count() <= lines.look.width {
        lines.painted(format!("{line}  {rest}"), word, color(change));
    } else {
        lines.painted(line, word, color(change));
        lines.wrapped("      at ", rest);
    }
}

fn spec(lines: &mut Lines, diff: &Diff) {
    if diff.spec.iter().all(Vec::is_empty) {
        return;
    }
    lines.title("SPEC", "");
    for (sign, text) in ['-', '+'].into_iter().zip(&diff.spec) {
        some(lines, text, |lines, line| lines.clipped(format!("  {sign}  {}", line.trim())));
    }
}

fn figures(lines: &mut Lines, diff: &Diff) {
    let changed: Vec<&FigureDiff> =
        diff.figures.iter().filter(|figure| figure.change() != FigureChange::Same).collect();
    let same = diff.figures.len() - changed.len();
    if diff.figures.is_empty() {
        return;
    }
    let wide = widest(changed.iter().copied(), lines.look);
    head(lines, "METRICS", wide, "");
    // All of them: what is better or worse is what was asked for.
    changed.iter().for_each(|one| figure(lines, wide, one, ""));
    lines.clipped(format!(
        "  {} the same",
        if changed.is_empty() { format!("all {same}") } else { same.to_string() }
    ));
}

fn contract(lines: &mut Lines, diff: &Diff) {
    if diff.contract.is_empty() {
        return;
    }
    lines.title("CONTRACT", "");
    let told = |line: &&RequireDiff| line.is_other() || line.outcomes[0] != line.outcomes[1];
    let shown: Vec<&RequireDiff> = diff.contract.iter().filter(told).collect();
    some(lines, &shown, |lines, line| {
        let [state, measured] = require(line);
        let good = line.outcomes[1].as_ref().is_some_and(|outcome| outcome.holds == Some(true));
        let bad = line.outcomes[1].as_ref().is_some_and(|outcome| outcome.holds == Some(false));
        let color = if bad { Some(Color::Red) } else { (good && line.is_other()).then_some(Color::Green) };
        lines.painted(format!("  {state:<14}  {}  {measured}", line.text), &state, color);
    });
    let same = diff.contract.len() - shown.len();
    if same > 0 {
        let held = diff
            .contract
            .iter()
            .filter(|line| !told(line) && line.outcomes[1].as_ref().is_some_and(|of| of.holds == Some(true)))
            .count();
        lines.clipped(format!("  {} as before, {held} held", count(same, "line")));
    }
}

/// `held -> fails`, and `159 -> 163`.
pub(super) fn require(line: &RequireDiff) -> [String; 2] {
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

fn faults(lines: &mut Lines, diff: &Diff) {
    let faults = &diff.faults;
    if faults.common == 0 && faults.alone.iter().all(Vec::is_empty) {
        return;
    }
    let changed: Vec<_> =
        faults.worst.iter().filter(|(figure, _)| figure.change() != FigureChange::Same).collect();
    let wide = widest(changed.iter().map(|(figure, _)| figure), lines.look);
    head(lines, "FAULTS", wide, "        at");
    for (one, at) in &changed {
        let [a, b] = at.each_ref().map(|at| value(at.as_ref()));
        figure(lines, wide, one, &if a == b { a } else { format!("{a}, {b}") });
    }
    let same = faults.worst.len() - changed.len();
    lines.clipped(format!(
        "  {same} the same at their worst; {} of {} scenarios have other figures",
        faults.changed.len(),
        faults.common
    ));
    for (side, alone) in ["A", "B"].into_iter().zip(&faults.alone).filter(|(_, alone)| !alone.is_empty()) {
        let shown = alone.iter().take(MOVES).cloned().collect::<Vec<_>>().join(", ");
        let more = if alone.len() > MOVES { ", .." } else { "" };
        lines.wrapped("  ", &format!("only {side} has {}: {shown}{more}", count(alone.len(), "scenario")));
    }
}

fn wiring(lines: &mut Lines, diff: &Diff) {
    let Some(wiring) = diff.wiring.as_ref().filter(|wiring| wiring.found != WiringFound::Same) else {
        return;
    };
    lines.title("WIRING", "");
    let told = words::wiring_line(wiring);
    lines.wrapped("  ", told.strip_prefix("wiring: ").unwrap_or(&told));
    if let Some(note) = words::wiring_note(wiring) {
        lines.wrapped("  ", &note);
    }
    if !wiring.renamed.is_empty() {
        let shown: Vec<String> =
            wiring.renamed.iter().take(MOST).map(|[a, b]| format!("{a} -> {b}")).collect();
        let more = if wiring.renamed.len() > MOST {
            format!(" and {} more", wiring.renamed.len() - MOST)
        } else {
            String::new()
        };
        lines.wrapped("  renamed: ", &format!("{}{more}", shown.join(", ")));
    }
    some(lines, &wiring.moves, |lines, MoveDiff { at, removed, added }| {
        let pairs = |sign: char, pairs: &[[String; 2]]| {
            let shown = pairs.iter().take(MOVES).map(|[a, b]| format!("{sign}{a}={b}"));
            let more = (pairs.len() > MOVES).then(|| format!("({} more)", pairs.len() - MOVES));
            shown.chain(more).collect::<Vec<_>>()
        };
        lines.wrapped(&format!("  {at}  "), &[pairs('-', removed), pairs('+', added)].concat().join(" "));
    });
}

fn tables(lines: &mut Lines, diff: &Diff) {
    let Some(line) = words::tables_line(&diff.tables) else { return };
    lines.title("TABLES", "");
    lines.clipped(format!("  {line} differ"));
    let other: Vec<_> = diff.tables.iter().filter(|of| of.found != TablesFound::Same).collect();
    some(lines, &other, |lines, of| {
        lines.wrapped(&format!("  {:<14}  ", of.scenario), &words::tables_of(&of.found))
    });
}

fn files(lines: &mut Lines, diff: &Diff) {
    lines.title("FILES", "");
    some(lines, &words::folders(&diff.files), |lines, (path, [other, all], bytes)| {
        let what =
            if path.ends_with('/') { format!("{other} of {all} differ") } else { "differs".to_owned() };
        let line = match bytes {
            [Some(a), Some(b)] if a == b => format!("  {path:<28}  {what}, {}", size(*b)),
            [Some(a), Some(b)] => format!("  {path:<28}  {what}, {} -> {}", size(*a), size(*b)),
            [Some(a), None] => format!("  {path:<28}  only in A, {}", size(*a)),
            [None, Some(b)] => format!("  {path:<28}  only in B, {}", size(*b)),
            [None, None] => String::new(),
        };
        lines.clipped(line);
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
                found: WiringFound::CutOff,
                as_named: [8; 2],
                renamed: (0..20).map(|cube| [format!("cube{cube}"), format!("cube{}", cube + 1)]).collect(),
                moves: (0..20)
                    .map(|at| MoveDiff {
                        at: format!("X[{at},0]"),
                        removed: (0..6).map(pair).collect(),
                        added: vec![pair(9)],
                    })
                    .collect(),
            }),
            tables: vec![TablesDiff {
                scenario: "nominal".to_owned(),
                found: TablesFound::Entries {
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
                "the search was cut off",
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
