//! Help pages: the commands in groups on the first page, and examples on the page of every command.
//!
//! Input: the command line as clap knows it. Output: the same with these pages. Invariant: every command
//! stands in [`PAGES`] with an example that the command line accepts. A test proves it.

use clap::{Arg, Command, CommandFactory};
use std::fmt::Write;

/// A group of commands, in the order of the first page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CommandGroup {
    Write,
    Build,
    Look,
    Run,
    Estimate,
    Machines,
    /// A step of a command, which has a page of its own and no line on the first one.
    Step,
}

impl CommandGroup {
    /// The word in front of the first command of the group.
    fn title(self) -> &'static str {
        match self {
            Self::Write => "Write",
            Self::Build => "Build",
            Self::Look => "Look",
            Self::Run => "Run",
            Self::Estimate => "Estimate",
            Self::Machines => "Machines",
            Self::Step => "",
        }
    }
}

/// The page of a command.
struct CommandPage {
    /// The words of the command, such as `sweep run`.
    path: &'static str,
    group: CommandGroup,
    examples: &'static [&'static str],
}

const fn page(group: CommandGroup, path: &'static str, examples: &'static [&'static str]) -> CommandPage {
    CommandPage { path, group, examples }
}

use CommandGroup::{Build, Estimate, Look, Machines, Run, Step, Write as Writing};

/// The pages of all commands, in the order of the first page.
const PAGES: &[CommandPage] = &[
    page(Writing, "init", &["fabc init my_pod", "fabc init my_pod --template torus"]),
    page(Writing, "check", &["fabc check my_pod.fab", "fabc check my_pod.fab --set cubes=8 --until analyze"]),
    page(Writing, "fmt", &["fabc fmt my_pod.fab", "fabc fmt --check specs/*.fab"]),
    page(Writing, "explain", &["fabc explain FAB0401", "fabc explain budget", "fabc explain load_ratio"]),
    page(Writing, "lsp", &["fabc lsp"]),
    page(
        Build,
        "build",
        &[
            "fabc build my_pod.fab",
            "fabc build my_pod.fab --set cubes=8 --out builds",
            "fabc build my_pod.fab --golden golden",
            "fabc build my_pod.fab --emit graphml=pod.graphml",
        ],
    ),
    page(
        Build,
        "sweep",
        &[
            "fabc sweep my_pod.fab --set cubes=2,4,8",
            "fabc sweep submit my_pod.fab --set seed=1..=8 --engine slurm",
        ],
    ),
    page(Step, "sweep prepare", &["fabc sweep prepare my_pod.fab --set cubes=2,4,8 --out seeds"]),
    page(Step, "sweep run", &["fabc sweep run seeds --shard 1/4"]),
    page(Step, "sweep merge", &["fabc sweep merge seeds"]),
    page(Step, "sweep verify", &["fabc sweep verify seeds"]),
    page(Step, "sweep submit", &["fabc sweep submit my_pod.fab --set seed=1..=8 --engine slurm --wait"]),
    page(Build, "watch", &["fabc watch my_pod.fab --open", "fabc watch my_pod.fab --until analyze"]),
    page(Build, "cache", &["fabc cache", "fabc cache --check pod.fab", "fabc cache --clear"]),
    page(
        Look,
        "verify",
        &[
            "fabc verify out/my_pod",
            "fabc verify out/my_pod --repair repaired",
            "fabc verify --tables opensm-lfts.dump --topology net.topo",
        ],
    ),
    page(
        Look,
        "tables",
        &["fabc tables out/my_pod", "fabc tables out/my_pod --router 'cube0[1,2,3]' --json"],
    ),
    page(
        Look,
        "route",
        &[
            "fabc route out/my_pod 'cube0[0,0,0]' 'cube1[2,0,0]'",
            "fabc route out/my_pod 0 64 --scenario all --json",
        ],
    ),
    page(
        Look,
        "sim",
        &[
            "fabc sim out/my_pod",
            "fabc sim out/my_pod --with 'traffic = tornado; rates = [0.2, 0.4];' --json",
        ],
    ),
    page(
        Look,
        "collective",
        &[
            "fabc collective out/my_pod --collective all_reduce --size 1GiB",
            "fabc collective out/my_pod --sizes 1KiB..4GiB --csv",
        ],
    ),
    page(Look, "job", &["fabc job out/my_pod", "fabc job out/my_pod --place search --set axes.data=8"]),
    page(
        Look,
        "diff",
        &["fabc diff golden/my_pod out/my_pod", "fabc diff golden/my_pod my_pod.fab --tolerance 0.1%"],
    ),
    page(Look, "graph", &["fabc graph my_pod.fab", "fabc graph my_pod.fab --json"]),
    page(
        Run,
        "plan",
        &["fabc plan out/new_pod --live out/my_pod", "fabc plan out/new_pod --live out/my_pod --out way"],
    ),
    page(
        Run,
        "drift",
        &["fabc drift out/my_pod --live switches", "fabc drift out/my_pod --live ocs.json --json"],
    ),
    page(
        Run,
        "repair",
        &[
            "fabc repair out/my_pod --down 'X[0,0]' --out repaired",
            "fabc repair out/my_pod --live switches --out repaired",
        ],
    ),
    page(Run, "place", &["fabc place out/my_pod --swap cube5 --out placed"]),
    page(
        Run,
        "availability",
        &["fabc availability out/my_pod --fail host=0.0008/day,ocs=0.0004/day --host-chips 4"],
    ),
    page(
        Run,
        "operate",
        &[
            "fabc operate out/my_pod --fail host=0.0008/day,cable=0.00005/day,ocs=0.0004/day --host-chips 4",
            "fabc operate out/my_pod --fail host=1/year,cable=0/day,ocs=1/year --host-chips 4 --policy 'spare = [0, 2]; swap = [at_once, at_night]' --out years",
        ],
    ),
    page(Estimate, "estimate", &["fabc estimate all_reduce --size 16MB --on torus:8x8x8 --on fat_tree:512"]),
    page(
        Step,
        "estimate job",
        &[
            "fabc estimate job --model gpt-3 --axes tensor=8,data=64 --batch sequences=512,length=2048 --on torus:8x8x8",
        ],
    ),
    page(Machines, "shards", &["fabc shards submit my_pod.fab --engine slurm --shards 8"]),
    page(Step, "shards submit", &["fabc shards submit my_pod.fab --engine slurm --shards 8 --wait"]),
    page(Step, "shards merge", &["fabc shards merge out/my_pod.shards"]),
    page(Machines, "schema", &["fabc schema", "fabc schema report"]),
    page(Machines, "completions", &["fabc completions bash"]),
    page(Machines, "man", &["fabc man man/man1"]),
];

/// The options that every command has, for the first page.
const GLOBAL_OPTIONS: &str = "\
Options   -q, --quiet             Print errors only
          -v, --verbose           Print more about the work
          --threads N             Worker threads. Results do not depend on it
          --message-format FORM   Errors as human, short, json, sarif or github
          -h, --help; -V          A summary, or the whole page; the version
";

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 the spec has errors, 2 usage, files, changes (plan, diff),
3 the contract does not hold, 4 a bug in fabc, 130 interrupted
";

/// The form of a command line. Options of every command are hidden, but they are there.
const USAGE: &str = "fabc [OPTIONS] <COMMAND>";

/// The line under the page of a command.
const MORE: &str = "`fabc --help` lists the options of every command.";
const MORE_SHORT: &str = "`--help` says more, with examples. `fabc -h` lists the options of every command.";

/// The command line with its help pages. Options that every command has are on the first page only.
pub(crate) fn command_line() -> Command {
    let command = with_examples(crate::args::options::CommandLine::command(), "");
    let first_page = first_page(&command);
    let hidden = |arg: Arg| if arg.is_global_set() { arg.hide(true) } else { arg };
    command.mut_args(hidden).override_usage(USAGE).override_help(first_page)
}

/// The command line with examples, and with all options on every page.
pub(crate) fn for_manual() -> Command {
    with_examples(crate::args::options::CommandLine::command(), "")
}

/// The page of the command with this path.
fn find_page(path: &str) -> Option<&'static CommandPage> {
    PAGES.iter().find(|page| page.path == path)
}

/// The command and those below it with their examples.
fn with_examples(command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let command = names.iter().fold(command, |command, name| {
        let below = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        command.mut_subcommand(name, |command| with_examples(command, &below))
    });
    let Some(page) = find_page(path) else { return command };
    let own = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
    let examples =
        page.examples.iter().fold("Examples:\n".to_owned(), |text, example| format!("{text}  {example}\n"));
    command.after_help(MORE_SHORT).after_long_help(format!("{examples}\n{own}{MORE}"))
}

/// The first page: every command on a line, in groups.
fn first_page(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{about}\n\nUsage: {USAGE}\n\n");
    let mut last = Step;
    for page in PAGES.iter().filter(|page| page.group != Step) {
        let title = if page.group == last { "" } else { page.group.title() };
        last = page.group;
        let about = command.find_subcommand(page.path).and_then(Command::get_about);
        let about = about.map(ToString::to_string).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{title:<8}  {:<12}  {about}", page.path);
    }
    format!("{text}\n{GLOBAL_OPTIONS}{EXIT_CODES}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::options::CommandLine;
    use clap::Parser;

    /// Calls `visit` with the path of every command.
    fn each_command(command: &Command, path: &str, visit: &mut dyn FnMut(&str, &Command)) {
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            let path = format!("{path} {}", below.get_name()).trim().to_owned();
            visit(&path, below);
            each_command(below, &path, visit);
        }
    }

    /// The words of a line, where quotes hold words together.
    fn words(line: &str) -> Vec<String> {
        let parts = line.split('\'').enumerate();
        parts
            .flat_map(|(index, part)| match index % 2 {
                0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
                _ => vec![part.to_owned()],
            })
            .collect()
    }

    #[test]
    fn every_command_has_a_page_whose_examples_are_valid() {
        let mut paths = Vec::new();
        each_command(&CommandLine::command(), "", &mut |path, command| {
            paths.push(path.to_owned());
            let page = find_page(path).unwrap_or_else(|| panic!("`{path}` has no page"));
            assert!(!page.examples.is_empty(), "{path}");
            assert_eq!(page.group == Step, path.contains(' '), "{path}");
            let about = command.get_about().expect("a line about it").to_string();
            assert!(about.len() <= 56 || page.group == Step, "{path}: {about}");
            for example in page.examples {
                CommandLine::try_parse_from(words(example))
                    .unwrap_or_else(|error| panic!("{example}: {error}"));
            }
        });
        assert_eq!(paths.len(), PAGES.len());
        // The first example of a command is one of this command.
        for page in PAGES {
            assert!(page.examples[0].starts_with(&format!("fabc {}", page.path)), "{}", page.path);
        }
    }

    #[test]
    fn the_first_page_fits_a_screen() {
        let page = first_page(&CommandLine::command());
        assert!(page.lines().count() <= 40, "{} lines\n{page}", page.lines().count());
        assert!(page.lines().all(|line| line.len() <= 80), "{page}");
    }

    #[test]
    fn options_of_every_command_stand_on_the_first_page_only() {
        let globals = ["--quiet", "--verbose", "--threads", "--message-format"];
        let mut command = command_line();
        command.build();
        let first = command.render_long_help().to_string();
        assert!(globals.iter().all(|option| first.contains(option)), "{first}");
        each_command(&command, "", &mut |path, command| {
            for page in [command.clone().render_help(), command.clone().render_long_help()] {
                let page = page.to_string();
                assert!(!globals.iter().any(|option| page.contains(&format!("{option} "))), "{path}: {page}");
            }
        });
    }
}
