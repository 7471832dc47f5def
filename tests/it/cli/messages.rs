//! Errors and warnings in every form.

use super::{code, err, fabc, out};

const FORMS: [&str; 3] = ["human", "short", "json"];

#[test]
fn errors_far_to_the_right_are_shown_in_every_form() {
    let directory = tempfile::tempdir().unwrap();
    let spec = format!("fabric pod {{ clock = 1 GHz; {}cubs = 3; }}", " ".repeat(70_000));
    std::fs::write(directory.path().join("pod.fab"), spec).unwrap();
    for form in FORMS {
        let output = fabc(directory.path(), &["check", "pod.fab", "--message-format", form]);
        assert_eq!(code(&output), 1, "{}", err(&output));
        let place = if form == "json" { "\"line\":1,\"column\":70029" } else { "pod.fab:1:70029" };
        for part in ["FAB0103", "`cubs` does not belong in a fabric", "did you mean", place] {
            assert!(
                form == "short" && part == "did you mean" || err(&output).contains(part),
                "{part} is not in\n{}",
                err(&output)
            );
        }
        assert!(output.stderr.len() < 6000 && !err(&output).contains("FAB0901"), "{}", err(&output));
    }
}

#[test]
fn long_names_and_many_errors_are_shown_in_short() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = ("a".repeat(65_000), "b".repeat(65_000));
    let specs = [
        format!("fabric pod {{ let {first} = 1; cubes = {second}; }}"),
        format!(
            "fabric {first} {{ ocs {second} {{ couple +x[{first}, 0] with -x[0, 0] over {second}; ports = {second}; }} }}"
        ),
        format!("fabric pod {{ {first} {second} }}"),
        format!("fabric pod {{ use \"{first}\"; }}"),
        format!("fabric pod {{ {} }}", "x = 1;\n".repeat(20_000)),
        format!("fabric pod {{ {} }}", "let a = b;\n".repeat(20_000)),
        format!("fabric pod {{\n{}clock = 1 GHz;\nclock = 2 GHz; }}", "let a = 1;\n".repeat(5)),
        format!("fabric pod {{ clock = 1 GHz;\n{}clock = 2 GHz; }}", "\n".repeat(20_000)),
    ];
    for (number, spec) in specs.iter().enumerate() {
        std::fs::write(directory.path().join("pod.fab"), spec).unwrap();
        for form in FORMS {
            let output = fabc(directory.path(), &["check", "pod.fab", "--message-format", form]);
            assert_eq!(code(&output), 1);
            assert!(output.stderr.len() < 60_000, "spec {number}, {form}: {} bytes", output.stderr.len());
            assert!(err(&output).contains("FAB0") && !err(&output).contains("FAB0901"), "{}", err(&output));
        }
    }
}

#[test]
fn warnings_are_shown_in_every_form_and_change_no_exit_code() {
    let directory = tempfile::tempdir().unwrap();
    let spec = std::fs::read_to_string("tests/slips/pod.fab")
        .unwrap()
        .replace("cubes = 2;", "cubes = 2; let spare = 3; let side = 4;");
    std::fs::write(directory.path().join("pod.fab"), spec).unwrap();
    let check = |form: &[&str]| fabc(directory.path(), &[&["check", "pod.fab"], form].concat());
    let human = check(&[]);
    assert_eq!(code(&human), 0, "{}", err(&human));
    assert!(out(&human).starts_with("pod: no errors"), "{}", out(&human));
    for text in [
        "FAB0151",
        "the constant `spare` is not used",
        "2 warnings. To learn more, run `fabc explain FAB0151`.",
    ] {
        assert!(err(&human).contains(text), "{text}: {}", err(&human));
    }
    let short = check(&["--message-format", "short"]);
    assert_eq!(
        err(&short),
        "pod.fab:9:20: warning[FAB0151]: the constant `spare` is not used\npod.fab:9:35: warning[FAB0151]: the constant `side` is not used\n"
    );
    let json = check(&["--message-format", "json"]);
    assert!(
        err(&json).lines().all(|line| line.contains(r#""severity":"warning""#))
            && err(&json).lines().count() == 2,
        "{}",
        err(&json)
    );
    assert_eq!((code(&short), code(&json)), (0, 0));
    assert_eq!(err(&check(&["--quiet"])), "");
}

#[test]
fn errors_are_counted_and_control_characters_escaped() {
    let directory = tempfile::tempdir().unwrap();
    let spec = std::fs::read_to_string("tests/slips/pod.fab").unwrap();
    let spec = spec
        .replace("radix = 6", "radix = 4 \u{1b}31m ports")
        .replace("cubes = 2;", "cubes = \u{9b}2J;")
        .replace("// Two", "// \u{1b}]0;Two");
    std::fs::write(directory.path().join("pod.fab"), spec).unwrap();
    for form in ["human", "short", "json"] {
        let output = fabc(directory.path(), &["check", "pod.fab", "--message-format", form]);
        assert_eq!(code(&output), 1);
        assert!(
            !err(&output).contains(['\u{1b}', '\u{9b}']) && err(&output).contains("FAB0001"),
            "{form}: {}",
            err(&output)
        );
        assert_eq!(
            err(&output).contains("2 errors. To learn more, run `fabc explain FAB0001`."),
            form == "human",
            "{}",
            err(&output)
        );
    }
}
