//! Forms of the command line that earlier versions had, and the error that shows the form of today.
//!
//! Input: the words of a command line that clap refused. Output: the same request in the words of today.
//! `former_sim_options` does the same for the settings of `fabc sim`.

use crate::args::options::CommandLine;
use crate::io::input_errors::InputError;
use clap::CommandFactory;
use std::collections::VecDeque;

/// An option that has another name today.
struct RenamedOption {
    /// The commands that had it.
    commands: &'static [&'static str],
    former: &'static str,
    today: &'static str,
}

const RENAMED: [RenamedOption; 3] = [
    RenamedOption { commands: &["build", "check", "submit"], former: "--stop-after", today: "--until" },
    RenamedOption { commands: &["build", "submit"], former: "--tables", today: "--tables-form" },
    RenamedOption { commands: &["plan"], former: "--tables", today: "--out" },
];

/// Commands whose `--format FORM` is `--FORM` today, and the form that needs no option.
const FORMATS: [(&str, &str); 5] =
    [("sim", "text"), ("collective", "text"), ("job", "text"), ("tables", "text"), ("graph", "dot")];

/// The error that shows the form of today. `None` if no former form is found.
pub(crate) fn former_form_error(words: &[String]) -> Option<InputError> {
    let Translation { problem, line } = translate(words)?;
    Some(InputError::Usage {
        problem,
        hint: format!("write `fabc {}`", line.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
    })
}

/// Whether these words mean something else today, although they may be valid: `fabc sweep plan SPEC` would
/// sweep a spec of the name `plan`.
pub(crate) fn is_reused(words: &[String]) -> bool {
    words.first().is_some_and(|word| word == "sweep")
        && words.get(1).is_some_and(|word| word == "plan")
        && !std::path::Path::new("plan").exists()
}

/// A command line in the words of today.
struct Translation {
    /// What is said of the first former form.
    problem: String,
    line: Vec<String>,
}

fn renamed(former: &str, today: &str) -> String {
    format!("`{former}` is `{today}` today")
}

fn translate(words: &[String]) -> Option<Translation> {
    let place = command_place(words)?;
    let command = words[place].clone();
    let mut problems: Vec<String> = Vec::new();
    let mut line: Vec<String> = words[..place].to_vec();
    let mut used = 1;
    match (command.as_str(), words.get(place + 1).map(String::as_str)) {
        ("merge" | "submit", _) => {
            problems.push(renamed(&format!("fabc {command}"), &format!("fabc shards {command}")));
            line.extend(["shards".to_owned(), command.clone()]);
        }
        ("sweep", Some("plan")) => {
            problems.push(renamed("fabc sweep plan", "fabc sweep prepare"));
            used = 2;
            line.extend(["sweep".to_owned(), "prepare".to_owned()]);
        }
        _ => line.push(command.clone()),
    }
    let mut rest: VecDeque<String> = words[place + used..].iter().cloned().collect();
    while let Some(word) = rest.pop_front() {
        let (name, value) = word.split_once('=').map_or((&*word, None), |(name, value)| (name, Some(value)));
        let option =
            RENAMED.iter().find(|option| option.former == name && option.commands.contains(&&*command));
        let plain = FORMATS.iter().find(|(of, _)| name == "--format" && *of == command);
        if let Some(option) = option {
            problems.push(renamed(option.former, option.today));
            line.push(value.map_or(option.today.to_owned(), |value| format!("{}={value}", option.today)));
        } else if let Some((_, plain)) = plain {
            let form = value.map(str::to_owned).or_else(|| rest.pop_front())?;
            let former = format!("--format {form}");
            if form == *plain {
                problems.push(format!("`{former}` is what is printed without an option today"));
                continue;
            }
            problems.push(renamed(&former, &format!("--{form}")));
            line.push(format!("--{form}"));
        } else {
            line.push(word);
        }
    }
    if ["plan", "drift"].contains(&&*command)
        && let Some(turned) = live_second(&command, &line)
    {
        problems
            .push(renamed(&format!("fabc {command} LIVE DIR"), &format!("fabc {command} DIR --live LIVE")));
        line = turned;
    }
    let problem = problems.into_iter().next()?;
    Some(Translation { problem, line })
}

/// The place of the command in the words.
fn command_place(words: &[String]) -> Option<usize> {
    let mut place = 0;
    while let Some(word) = words.get(place) {
        if !word.starts_with('-') {
            return Some(place);
        }
        place += if ["--threads", "--message-format"].contains(&&**word) { 2 } else { 1 };
    }
    None
}

/// `LIVE DIR` as `DIR --live LIVE`, if there are two paths and no `--live`.
fn live_second(command: &str, line: &[String]) -> Option<Vec<String>> {
    let commands = CommandLine::command();
    let known = commands.find_subcommand(command)?;
    let takes_value = |word: &str| {
        let arguments = commands.get_arguments().chain(known.get_arguments());
        arguments.filter(|arg| arg.get_action().takes_values()).any(|arg| {
            arg.get_long().is_some_and(|long| word == format!("--{long}"))
                || arg.get_short().is_some_and(|short| word == format!("-{short}"))
        })
    };
    let (mut paths, mut skip) = (Vec::new(), false);
    for (index, word) in line.iter().enumerate() {
        match word {
            _ if std::mem::take(&mut skip) => {}
            word if word == "--live" || word.starts_with("--live=") => return None,
            word if word.starts_with('-') => skip = takes_value(word),
            _ => paths.push(index),
        }
    }
    // The first word without a dash is the command.
    let [_, live, directory] = paths[..] else { return None };
    let mut turned = line.to_vec();
    turned[live].clone_from(&line[directory]);
    turned[directory].clone_from(&line[live]);
    turned.insert(directory, "--live".to_owned());
    Some(turned)
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=,:+@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        former_form_error(&words).map(|error| match error {
            InputError::Usage { problem, hint } => format!("{problem}: {hint}"),
            other => other.to_string(),
        })
    }

    #[test]
    fn former_forms_are_told_in_the_words_of_today() {
        for (line, expected) in [
            (
                "merge out/a.shards",
                "`fabc merge` is `fabc shards merge` today: write `fabc shards merge out/a.shards`",
            ),
            (
                "-q submit a.fab --stop-after=route --tables json",
                "`fabc submit` is `fabc shards submit` today: write `fabc -q shards submit a.fab --until=route --tables-form json`",
            ),
            (
                "sweep plan a.fab --set n=1,2",
                "`fabc sweep plan` is `fabc sweep prepare` today: write `fabc sweep prepare a.fab --set n=1,2`",
            ),
            (
                "build a.fab --stop-after analyze",
                "`--stop-after` is `--until` today: write `fabc build a.fab --until analyze`",
            ),
            (
                "build a.fab --tables binary",
                "`--tables` is `--tables-form` today: write `fabc build a.fab --tables-form binary`",
            ),
            (
                "sim out/a --format json --with rates=0.1;",
                "`--format json` is `--json` today: write `fabc sim out/a --json --with 'rates=0.1;'`",
            ),
            (
                "graph a.fab --format=dot",
                "`--format dot` is what is printed without an option today: write `fabc graph a.fab`",
            ),
            (
                "plan --ports map.csv old new --tables way",
                "`--tables` is `--out` today: write `fabc plan --ports map.csv new --live old --out way`",
            ),
            (
                "--threads 2 drift live out/a --json",
                "`fabc drift LIVE DIR` is `fabc drift DIR --live LIVE` today: write `fabc --threads 2 drift out/a --live live --json`",
            ),
        ] {
            assert_eq!(told(line).as_deref(), Some(expected), "{line}");
        }
        for line in
            ["build a.fab --nonsense", "verify --tables a --topology b --x", "plan new --live old --x", "--x"]
        {
            assert_eq!(told(line), None, "{line}");
        }
    }
}
