//! Writes the difference of two builds as JSON (`fabc.diff/1`).

use crate::json::{push, push_lines, quote, strings};
use fabc_ir::{Diff, FigureDiff, RequireState, TablesFound, WiringFound};
use fabc_model::Direction;

/// The difference. `beyond` lists what exceeds the tolerance; `None` if there is no tolerance.
pub fn diff_json(diff: &Diff, beyond: Option<&[String]>) -> String {
    let mut out = String::from("{\"format\":\"fabc.diff/1\",\n");
    for (name, side) in ["a", "b"].into_iter().zip(&diff.sides) {
        let (label, fabric, tool) = (quote(&side.label), quote(&side.fabric), quote(&side.tool));
        let options: Vec<String> =
            side.options.iter().map(|(name, value)| format!("{}:{}", quote(name), quote(value))).collect();
        push(&mut out, format_args!("\"{name}\":{{\"path\":{label},\"fabric\":{fabric},\"tool\":{tool},"));
        push(&mut out, format_args!("\"options\":{{{}}},\"bytes\":{}}},\n", options.join(","), side.bytes));
    }
    push(
        &mut out,
        format_args!(
            "\"same\":{},\"beyond\":{},\n",
            diff.is_same(),
            beyond.map_or("null".to_owned(), strings)
        ),
    );
    push(
        &mut out,
        format_args!(
            "\"spec\":{{\"removed\":{},\"added\":{}}},\n",
            strings(&diff.spec[0]),
            strings(&diff.spec[1])
        ),
    );
    out.push_str("\"metrics\":");
    push_lines(&mut out, &diff.figures, push_figure);
    out.push_str(",\n\"contract\":");
    push_lines(&mut out, &diff.contract, |out, line| {
        push(out, format_args!("{{\"require\":{},\"other\":{}", quote(&line.text), line.is_other()));
        for (name, outcome) in ["a", "b"].into_iter().zip(&line.outcomes) {
            push(
                out,
                format_args!(",\"{name}\":{}", outcome.as_ref().map_or("null".to_owned(), outcome_text)),
            );
        }
        out.push('}');
    });
    push_faults(&mut out, diff);
    out.push_str("},\n\"wiring\":");
    push_wiring(&mut out, diff);
    push_tables(&mut out, diff);
    out.push_str(",\n\"files\":");
    push_lines(&mut out, &diff.files, |out, file| {
        let [a, b] = file.bytes.map(|bytes| bytes.map_or("null".to_owned(), |bytes| bytes.to_string()));
        push(
            out,
            format_args!("{{\"path\":{},\"same\":{},\"bytes\":[{a},{b}]}}", quote(&file.path), file.same),
        );
    });
    out.push_str("}\n");
    out
}

/// The common scenarios, those of one side alone, the worst values, and the scenarios that differ.
fn push_faults(out: &mut String, diff: &Diff) {
    let faults = &diff.faults;
    push(
        out,
        format_args!(
            ",\n\"faults\":{{\"common\":{},\"only_a\":{},",
            faults.common,
            strings(&faults.alone[0])
        ),
    );
    push(out, format_args!("\"only_b\":{},\n\"worst\":", strings(&faults.alone[1])));
    push_lines(out, &faults.worst, |out, (figure, scenarios)| {
        push_figure(out, figure);
        out.pop();
        let [a, b] = scenarios.each_ref().map(|scenario| string_or_null(scenario.as_ref()));
        push(out, format_args!(",\"at\":[{a},{b}]}}"));
    });
    out.push_str(",\n\"changed\":");
    push_lines(out, &faults.changed, |out, (scenario, figures)| {
        push(out, format_args!("{{\"scenario\":{},\"metrics\":[", quote(scenario)));
        for (index, figure) in figures.iter().enumerate() {
            out.push_str(if index > 0 { "," } else { "" });
            push_figure(out, figure);
        }
        out.push_str("]}");
    });
}

/// The differences of the tables, by scenario.
fn push_tables(out: &mut String, diff: &Diff) {
    out.push_str(",\n\"tables\":");
    push_lines(out, &diff.tables, |out, tables| {
        push(out, format_args!("{{\"scenario\":{},", quote(&tables.scenario)));
        match &tables.outcome {
            TablesFound::Same => out.push_str("\"found\":\"same\"}"),
            TablesFound::Alone(side) => push(out, format_args!("\"found\":\"only_{}\"}}", ["a", "b"][*side])),
            TablesFound::Unlike(why) => {
                push(out, format_args!("\"found\":\"unlike\",\"why\":{}}}", quote(why)))
            }
            TablesFound::Entries { routers, changed, counts: [added, turned, dropped] } => {
                push(out, format_args!("\"found\":\"entries\",\"routers\":{routers},\"added\":{added},"));
                push(
                    out,
                    format_args!(
                        "\"turned\":{turned},\"dropped\":{dropped},\"changed\":{}}}",
                        strings(changed)
                    ),
                );
            }
        }
    });
}

fn push_figure(out: &mut String, figure: &FigureDiff) {
    // Values are numbers as reports print them.
    let [a, b] = figure.values.each_ref().map(|value| value.clone().unwrap_or("null".to_owned()));
    let better = match figure.direction {
        Direction::More => "more",
        Direction::Less => "less",
        Direction::Neither => "neither",
    };
    let relative = figure.relative().map_or("null".to_owned(), |relative| format!("{relative:.9}"));
    push(
        out,
        format_args!("{{\"name\":{},\"a\":{a},\"b\":{b},\"relative\":{relative},", quote(&figure.name)),
    );
    push(out, format_args!("\"better\":\"{better}\",\"change\":\"{}\"}}", figure.change().name()));
}

fn outcome_text(outcome: &RequireState) -> String {
    let measured = outcome.measured.clone().unwrap_or("null".to_owned());
    format!(
        "{{\"state\":\"{}\",\"measured\":{measured},\"scenario\":{}}}",
        outcome.name(),
        string_or_null(outcome.scenario.as_ref())
    )
}

fn string_or_null(value: Option<&String>) -> String {
    value.map_or("null".to_owned(), |text| quote(text))
}

fn push_wiring(out: &mut String, diff: &Diff) {
    let Some(wiring) = &diff.wiring else { return out.push_str("null") };
    let [removed, added] = wiring.counts();
    push(
        out,
        format_args!(
            "{{\"found\":\"{}\",\"renames\":\"{}\",\"joins\":\"{}\",",
            wiring.outcome.name(),
            wiring.word,
            wiring.joint
        ),
    );
    if let WiringFound::Unlike(why) = &wiring.outcome {
        push(out, format_args!("\"why\":{},", quote(why)));
    }
    for (name, [a, b]) in [("joints", wiring.joints), ("as_named", wiring.as_named)] {
        push(out, format_args!("\"{name}\":[{a},{b}],"));
    }
    push(out, format_args!("\"removed\":{removed},\"added\":{added},\n\"renamed\":"));
    push_lines(out, &wiring.renamed, |out, pair| out.push_str(&strings(pair)));
    out.push_str(",\n\"moves\":");
    push_lines(out, &wiring.moves, |out, moves| {
        let pairs = |pairs: &[[String; 2]]| pairs.iter().map(strings).collect::<Vec<_>>().join(",");
        push(
            out,
            format_args!(
                "{{\"at\":{},\"removed\":[{}],\"added\":[{}]}}",
                quote(&moves.place),
                pairs(&moves.removed),
                pairs(&moves.added)
            ),
        );
    });
    out.push('}');
}
