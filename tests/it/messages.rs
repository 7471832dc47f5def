//! Diagnostics for programs, driven from outside: `fabc.message/1`, SARIF, GitHub.

use crate::support::plain;
use crate::support::spec_text;
use plain::fabc;
use serde_json::{Value, json};
use spec_text::SpecText;

/// A directory with a spec that has two errors, one that warns, one that breaks its contract, and a fine one.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| std::fs::write(place.path().join(name), text).unwrap();
    let fine = SpecText::pod([2, 2, 2], 2).with("budget { vcs = 2; faults = 0; }");
    write("fine.fab", fine.text());
    write(
        "two errors, 100%.fab",
        fine.text()
            .replace("over copper", "over iron")
            .replace("routing = allowed_turns", "routing = astrology"),
    );
    write("warns.fab", fine.clone().with("link unused { bandwidth = 1 GB/s; latency = 1 cycles; }").text());
    write("broken.fab", fine.with("require diameter <= 1;").text());
    place
}

/// The standard error of a run in a form, and its exit code.
fn machine_output(place: &tempfile::TempDir, form: &str, args: &[&str], code: i32) -> String {
    fabc(place.path(), &[args, &["--message-format", form]].concat(), code).1
}

fn log(place: &tempfile::TempDir, args: &[&str], code: i32) -> Value {
    let text = machine_output(place, "sarif", args, code);
    let log: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("one document: {error}: {text}"));
    assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], code);
    essentials(&log);
    log
}

/// Keys of an object: those that it must have, and those that the schema knows and fabc uses.
fn keys(value: &Value, required: &[&str], optional: &[&str]) {
    let object = value.as_object().unwrap_or_else(|| panic!("an object: {value}"));
    for key in required {
        assert!(object.contains_key(*key), "`{key}` is missing in {value}");
    }
    for key in object.keys() {
        assert!(
            required.contains(&key.as_str()) || optional.contains(&key.as_str()),
            "the schema has no `{key}` in {value}"
        );
    }
}

fn text(message: &Value) {
    keys(message, &["text"], &[]);
    assert!(message["text"].as_str().is_some_and(|text| !text.is_empty()), "{message}");
}

fn level(value: &Value) {
    assert!(["none", "note", "warning", "error"].contains(&value.as_str().unwrap()), "{value}");
}

fn location(location: &Value) {
    keys(location, &[], &["physicalLocation", "message"]);
    location.get("message").into_iter().for_each(text);
    let Some(physical) = location.get("physicalLocation") else { return };
    keys(physical, &["artifactLocation"], &["region"]);
    keys(&physical["artifactLocation"], &["uri"], &[]);
    // A reference (RFC 3986): no spaces, brackets or bare `%`.
    let uri = physical["artifactLocation"]["uri"].as_str().unwrap();
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte);
    assert!(!uri.is_empty() && uri.bytes().all(known), "{uri}");
    let region = &physical["region"];
    keys(region, &["startLine"], &["startColumn", "endLine", "endColumn"]);
    assert!(
        region.as_object().unwrap().values().all(|number| number.as_u64().is_some_and(|number| number >= 1)),
        "{region}"
    );
    let line_and_column = |line: &str, column: &str| (region[line].as_u64(), region[column].as_u64());
    assert!(
        line_and_column("startLine", "startColumn") <= line_and_column("endLine", "endColumn"),
        "{region}"
    );
}

/// What the schema of SARIF 2.1.0 asks of the objects that fabc writes: no object there takes other keys.
fn essentials(log: &Value) {
    keys(log, &["version", "runs"], &["$schema"]);
    assert_eq!(log["version"], "2.1.0");
    for run in log["runs"].as_array().unwrap() {
        keys(run, &["tool"], &["invocations", "columnKind", "results"]);
        assert!(["utf16CodeUnits", "unicodeCodePoints"].contains(&run["columnKind"].as_str().unwrap()));
        keys(&run["tool"], &["driver"], &[]);
        let driver = &run["tool"]["driver"];
        keys(driver, &["name"], &["version", "semanticVersion", "rules"]);
        let rules = driver["rules"].as_array().unwrap();
        for rule in rules {
            keys(rule, &["id"], &["shortDescription", "fullDescription", "help"]);
            ["shortDescription", "fullDescription", "help"]
                .iter()
                .filter_map(|key| rule.get(*key))
                .for_each(text);
        }
        assert!(rules.windows(2).all(|pair| pair[0] != pair[1]), "rules are listed once");
        for invocation in run["invocations"].as_array().unwrap() {
            keys(invocation, &["executionSuccessful"], &["exitCode", "toolExecutionNotifications"]);
            assert!(invocation["executionSuccessful"].is_boolean() && invocation["exitCode"].is_i64());
            for notification in invocation["toolExecutionNotifications"].as_array().unwrap() {
                keys(notification, &["message"], &["level"]);
                text(&notification["message"]);
                level(&notification["level"]);
            }
        }
        for result in run["results"].as_array().unwrap() {
            keys(result, &["message"], &["ruleId", "ruleIndex", "level", "locations", "relatedLocations"]);
            text(&result["message"]);
            level(&result["level"]);
            if let Some(index) = result.get("ruleIndex") {
                assert_eq!(rules[usize::try_from(index.as_u64().unwrap()).unwrap()]["id"], result["ruleId"]);
            }
            for key in ["locations", "relatedLocations"] {
                result[key].as_array().into_iter().flatten().for_each(location);
            }
        }
    }
}

#[test]
fn sarif_is_one_log_per_run_whatever_came_of_it() {
    let place = place();
    let fine = log(&place, &["check", "fine.fab"], 0);
    let run = &fine["runs"][0];
    assert_eq!((&run["results"], &run["invocations"][0]["executionSuccessful"]), (&json!([]), &json!(true)));
    let error_log = log(&place, &["check", "two errors, 100%.fab"], 1);
    let results = error_log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{results:?}");
    let place_of = |result: &Value| result["locations"][0]["physicalLocation"].clone();
    assert!(
        results
            .iter()
            .all(|result| place_of(result)["artifactLocation"]["uri"] == "two%20errors%2C%20100%25.fab"),
        "{results:?}"
    );
    // Lines and columns are those of the line form.
    let short = machine_output(&place, "short", &["check", "two errors, 100%.fab"], 1);
    for (result, line) in results.iter().zip(short.lines()) {
        let region = &place_of(result)["region"];
        let start = format!(
            "two errors, 100%.fab:{}:{}: error[{}]",
            region["startLine"],
            region["startColumn"],
            result["ruleId"].as_str().unwrap()
        );
        assert!(line.starts_with(&start), "{line}\n{start}");
    }
    let warns = log(&place, &["check", "warns.fab"], 0);
    assert_eq!(warns["runs"][0]["results"][0]["level"], "warning");
    // Several specs are one log. A broken contract is an error at its line.
    let full_log = log(&place, &["build", "fine.fab", "two errors, 100%.fab", "--emit", "dot"], 2);
    assert_eq!(full_log["runs"][0]["results"][0]["ruleId"], "FAB0543");
    let broken = log(&place, &["build", "broken.fab", "-q"], 3);
    assert_eq!(
        (
            &broken["runs"][0]["results"][0]["level"],
            &broken["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        ),
        (&json!("error"), &json!("broken.fab"))
    );
    // An error without a place.
    let nowhere = log(&place, &["check", "nowhere.fab"], 1);
    assert_eq!(
        (&nowhere["runs"][0]["results"][0]["ruleId"], nowhere["runs"][0]["results"][0].get("locations")),
        (&json!("FAB0501"), None)
    );
}

#[test]
fn github_marks_the_lines() {
    let place = place();
    let text = machine_output(&place, "github", &["check", "two errors, 100%.fab"], 1);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    let short = machine_output(&place, "short", &["check", "two errors, 100%.fab"], 1);
    for (line, short) in lines.iter().zip(short.lines()) {
        // `two errors, 100%.fab:7:33: error[FAB0101]: what is wrong`
        let mut parts = short.splitn(4, ':');
        let [_, at, column, rest] = [(); 4].map(|()| parts.next().unwrap().trim());
        let (code, message) = rest.trim_start_matches("error[").split_once("]: ").unwrap();
        let head =
            format!("::error file=two errors%2C 100%25.fab,line={at},endLine={at},col={column},endColumn=");
        assert!(line.starts_with(&head), "{line}\n{head}");
        assert!(line.contains(&format!(",title={code}::{message}")), "{line}");
        assert!(line.contains("%0Ahelp: "), "{line}");
    }
    assert!(
        machine_output(&place, "github", &["check", "warns.fab"], 0)
            .starts_with("::warning file=warns.fab,line=")
    );
    assert!(
        machine_output(&place, "github", &["check", "nowhere.fab"], 1)
            .starts_with("::error title=FAB0501::cannot read `nowhere.fab`")
    );
}

#[test]
fn json_messages_carry_their_format() {
    let place = place();
    let text = machine_output(&place, "json", &["check", "two errors, 100%.fab"], 1);
    let messages: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(messages.len(), 2);
    for message in &messages {
        keys(message, &["format", "code", "severity", "message", "help", "labels"], &["related"]);
        assert_eq!((&message["format"], &message["severity"]), (&json!("fabc.message/1"), &json!("error")));
        keys(&message["labels"][0], &["file", "line", "column", "end_line", "end_column", "text"], &[]);
    }
}

#[test]
fn errors_of_the_library_print_as_those_of_the_command_line() {
    use fabc::MessageFormat::{Github, Human, Json, Short};
    use std::io::IsTerminal;
    let place = place();
    let files = fabc::Directory::new(place.path());
    for (name, codes) in [("two errors, 100%.fab", &["FAB0101", "FAB0126"][..]), ("broken.fab", &["FAB0330"])]
    {
        let text = std::fs::read_to_string(place.path().join(name)).unwrap();
        let options = fabc::Options::default().named(name).files(&files);
        let (checked, built) =
            (fabc::check(&text, &options).unwrap_err(), fabc::build(&text, &options).unwrap_err());
        let found_codes: Vec<String> = checked.list().into_iter().map(|error| error.code).collect();
        assert_eq!(found_codes, codes);
        assert_eq!(checked.list(), built.list());
        // Drawings have colors and widths where standard error is a terminal.
        let drawn = (!std::io::stderr().is_terminal()).then_some((Human, "human"));
        for (format, form) in [(Short, "short"), (Json, "json"), (Github, "github")].into_iter().chain(drawn)
        {
            assert_eq!(
                checked.shown(format),
                machine_output(&place, form, &["check", name], i32::from(checked.exit_code()))
            );
        }
    }
    let text = std::fs::read_to_string(place.path().join("warns.fab")).unwrap();
    let warned = fabc::check(&text, &fabc::Options::default()).unwrap();
    assert_eq!(
        warned.warnings.iter().map(|error| (error.code.as_str(), error.severity)).collect::<Vec<_>>(),
        [("FAB0151", "warning")]
    );
    let warning_place = &warned.warnings[0].places[0];
    assert_eq!((&text[warning_place.bytes.clone()], warning_place.file.as_str()), ("unused", "spec.fab"));
}
