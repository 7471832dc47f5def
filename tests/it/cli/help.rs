//! Help as users see it: one screen of commands, examples, `--json`, former forms, words that are explained.

use super::{code, err, fabc, out};
use std::path::Path;

/// Commands that print no result: they write files, serve a program, or print what other programs read.
const WITHOUT_RESULT: [&str; 8] = ["init", "fmt", "lsp", "schema", "completions", "man", "shards", "watch"];

/// The commands on the first page, with the group that each stands in.
fn listed_commands(page: &str) -> Vec<(String, String)> {
    let lines = page.lines().skip_while(|line| !line.starts_with("Usage")).skip(2);
    let mut group = String::new();
    lines
        .take_while(|line| !line.is_empty())
        .map(|line| {
            let (title, rest) = line.split_at(8);
            if !title.trim().is_empty() {
                title.trim().clone_into(&mut group);
            }
            (group.clone(), rest.split_whitespace().next().unwrap().to_owned())
        })
        .collect()
}

fn help(args: &[&str]) -> String {
    let output = fabc(Path::new("."), args);
    assert_eq!(code(&output), 0, "{args:?}: {}", err(&output));
    out(&output).to_owned()
}

#[test]
fn the_first_page_is_one_screen_of_groups() {
    for option in ["--help", "-h", "help"] {
        let page = help(&[option]);
        assert!(page.lines().count() <= 40, "{} lines\n{page}", page.lines().count());
        let groups: Vec<String> = listed_commands(&page).into_iter().map(|(group, _)| group).collect();
        let mut titles = groups.clone();
        titles.dedup();
        assert_eq!(titles, ["Write", "Build", "Look", "Run", "Estimate", "Machines"], "{page}");
        for word in ["-q, --quiet", "--threads", "--message-format", "Exit codes"] {
            assert!(page.contains(word), "{word} is missing in\n{page}");
        }
    }
}

#[test]
fn every_command_has_a_summary_a_page_and_examples() {
    for (_, command) in listed_commands(&help(&["--help"])) {
        let [short, long] = ["-h", "--help"].map(|option| help(&[&command, option]));
        assert!(long.contains(&format!("\nExamples:\n  fabc {command}")), "{command}: {long}");
        assert!(short.lines().count() <= 60, "{command}: {} lines", short.lines().count());
        for page in [&short, &long] {
            for option in ["--quiet", "--verbose", "--threads <N>", "--message-format <FORM>"] {
                assert!(!page.contains(option), "{command} repeats {option}: {page}");
            }
        }
        let has_json = long.contains("--json") || ["sweep", "shards"].contains(&&*command);
        assert_eq!(
            has_json,
            !WITHOUT_RESULT.contains(&&*command) || command == "shards",
            "{command}: {long}"
        );
    }
    for step in [
        "sweep prepare",
        "sweep merge",
        "sweep verify",
        "sweep submit",
        "shards submit",
        "shards merge",
        "estimate job",
    ] {
        let words: Vec<&str> = step.split(' ').chain(["--help"]).collect();
        let page = help(&words);
        assert!(page.contains("--json") && page.contains(&format!("  fabc {step}")), "{step}: {page}");
    }
}

#[test]
fn former_forms_of_commands_are_errors_that_show_the_form_of_today() {
    let place = tempfile::tempdir().unwrap();
    for (args, expected) in [
        (
            &["merge", "out/pod.shards"][..],
            "FAB0548\n\n  × `fabc merge` is `fabc shards merge` today\n  help: write `fabc shards merge out/pod.shards`\n",
        ),
        (
            &["sweep", "plan", "pod.fab"],
            "FAB0548\n\n  × `fabc sweep plan` is `fabc sweep prepare` today\n  help: write `fabc sweep prepare pod.fab`\n",
        ),
        (
            &["check", "pod.fab", "--stop-after", "route"],
            "FAB0548\n\n  × `--stop-after` is `--until` today\n  help: write `fabc check pod.fab --until route`\n",
        ),
        (
            &["drift", "live", "out/pod"],
            "FAB0548\n\n  × `fabc drift LIVE DIR` is `fabc drift DIR --live LIVE` today\n  help: write `fabc drift out/pod --live live`\n",
        ),
    ] {
        let output = fabc(place.path(), args);
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(err(&output).starts_with(expected), "{args:?}: {}", err(&output));
    }
}

#[test]
fn json_of_a_stage_without_results_is_refused() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), "fabric pod {}").unwrap();
    for args in [
        ["build", "pod.fab", "--json", "--until", "synthesize"],
        ["check", "pod.fab", "--json", "--until", "resolve"],
    ] {
        let output = fabc(place.path(), &[&args[..], &["--message-format", "short"]].concat());
        let told = "fabc: error[FAB0507]: there is nothing to emit as `report_json`\n";
        assert_eq!((code(&output), err(&output)), (2, told), "{args:?}");
    }
}

/// Every command that reads a directory tells the command that builds a spec in its place.
#[test]
fn readers_of_directories_name_the_build_of_a_spec() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), "fabric pod {}").unwrap();
    for args in [
        &["verify", "pod.fab"][..],
        &["tables", "pod.fab"],
        &["sim", "pod.fab"],
        &["collective", "pod.fab"],
        &["job", "pod.fab"],
        &["plan", "pod.fab", "--live", "ocs.json"],
        &["drift", "pod.fab", "--live", "ocs.json"],
        &["repair", "pod.fab", "--down", "X", "--out", "r"],
        &["place", "pod.fab", "--up", "cube0", "--out", "p"],
        &["availability", "pod.fab", "--fail", "host=1/day,cable=1/day,ocs=1/day", "--host-chips", "4"],
        &["operate", "pod.fab", "--fail", "host=1/day,cable=1/day,ocs=1/day", "--host-chips", "4"],
        &["diff", "pod.fab", "pod.fab"],
    ] {
        let output = fabc(place.path(), &[args, &["--message-format", "json"]].concat());
        let message: serde_json::Value = serde_json::from_str(err(&output)).unwrap();
        let help = message["help"].as_str().unwrap();
        assert!(code(&output) != 0 && help.contains("`fabc build "), "{args:?}: {message}");
    }
    std::fs::create_dir(place.path().join("built")).unwrap();
    std::fs::write(place.path().join("built/spec.fab"), "fabric pod {}").unwrap();
    for command in ["build", "check", "graph", "sweep", "fmt"] {
        let output = fabc(place.path(), &[command, "built"]);
        let told = err(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(code(&output) != 0 && told.contains("its spec is `built/spec.fab`"), "{command}: {told}");
    }
}

#[test]
fn words_of_the_language_and_metrics_are_explained() {
    let budget = help(&["explain", "budget"]);
    assert_eq!(
        budget.lines().next(),
        Some("budget (item): what the routing may use, and which faults must be tolerated")
    );
    let routing = help(&["explain", "routing"]);
    assert!(
        routing.contains("one of ") && routing.contains("allowed_turns") && routing.contains("spray"),
        "{routing}"
    );
    assert!(help(&["explain", "fault.max_channel_load"]).starts_with("max_channel_load (metric): "));
    for word in ["torus", "vcs", "GHz", "tornado", "load_ratio", "saturation", "translation"] {
        assert!(help(&["explain", word]).contains('('), "{word}");
    }
    let mean = "tables.entries_mean (field of report.json tables.entries_mean): Entries of the table of a router, on average\n";
    assert_eq!(
        help(&["explain", "tables.entries_mean"]).split_whitespace().collect::<Vec<_>>(),
        mean.split_whitespace().collect::<Vec<_>>()
    );
    assert!(help(&["explain", "entries_mean"]).starts_with("entries_mean (field of report.json"));
    assert!(help(&["explain", "bounds.universal.share"]).contains("over the bound"));
    let diameter = help(&["explain", "metrics.diameter"]);
    assert!(
        diameter.contains("(metric): largest hop distance") && diameter.contains("In hops"),
        "{diameter}"
    );
    // Pages are as wide as a terminal of 80 columns.
    for name in ["FAB0401", "FAB0531", "simulate", "collective"] {
        let page = help(&["explain", name]);
        let mut fenced = false;
        for line in page.lines() {
            fenced ^= line.starts_with("```");
            assert!(fenced || line.starts_with(['|', ' ']) || line.chars().count() <= 80, "{name}: {line}");
        }
    }
    let document: serde_json::Value = serde_json::from_str(&help(&["explain", "torus", "--json"])).unwrap();
    assert_eq!(
        (&document["format"], &document["meanings"][0]["kind"]),
        (&"fabc.explanation/1".into(), &"value".into())
    );
    let unknown = fabc(Path::new("."), &["explain", "buget", "--message-format", "short"]);
    assert_eq!(
        (code(&unknown), err(&unknown)),
        (
            2,
            "fabc: error[FAB0516]: `buget` is no error code, word of the language, metric or field of `report.json`\n"
        )
    );
}
