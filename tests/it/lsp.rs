//! `fabc lsp` as an editor has it: a script over standard input and output. `random` edits specs, `fixes`
//! applies fixes, `specs` compares with the compiler, `editors` judges files, `builds` has measured values.

mod builds;
mod client;
mod editors;
mod fixes;
mod random;
mod server;
mod specs;

use client::Editor;
use fabc::lsp::Server;
use serde_json::{Value, json};
use server::{Disk, findings, open_document};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// The place of a text, moved by a number of letters.
fn position_of(path: &Path, text_at: &str, letters: u32) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    let offset = text.find(text_at).unwrap_or_else(|| panic!("no `{text_at}`"));
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let character = before.chars().rev().take_while(|letter| *letter != '\n').count() as u32 + letters;
    json!({"textDocument": {"uri": uri(path)}, "position": {"line": line, "character": character}})
}

const PARTS: &str = "\
param lanes = 2 in 1..=8;
link copper { bandwidth = 128 GB/s; latency = 50 cycles; }
link fiber { bandwidth = 128 GB/s; latency = 25 cycles; }
chip { radix = 6; vcs = 2 * lanes; flit = 128 B; buffer = 200 flits; latency = 25 cycles; }
cube { mesh 4 x 4 x 4 over copper; }
ocs X[u in 0..4, v in 0..4] { couple +x[u, v] with -x[u, v] over fiber; ports = 136; }
ocs Y[u in 0..4, v in 0..4] { couple +y[u, v] with -y[u, v] over fiber; ports = 136; }
ocs Z[u in 0..4, v in 0..4] { couple +z[u, v] with -z[u, v] over fiber; ports = 136; }
";

const POD: &str = "\
// Four cubes.
fabric pod {
    use \"parts.fab\" { lanes = 2; link fiber { latency = 20 m; } }
    let side = 2;
    cubes = side * side;
    budget { vcs = 2; faults = 1 ocs; }
    topology = synthesize { effort = side; }
    routing = allowed_turns;
    collective gradients = all_reduce { size = 1 MiB; }
    require concurrent_flow >= 0.006;
    require gradients.time <= 1 ms;
}
";

fn place() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    std::fs::write(root.join("parts.fab"), PARTS).unwrap();
    std::fs::write(root.join("pod.fab"), POD).unwrap();
    let (parts, pod) = (root.join("parts.fab"), root.join("pod.fab"));
    (place, parts, pod)
}

fn markdown(hover: &Value) -> &str {
    hover["contents"]["value"].as_str().unwrap_or_default()
}

#[test]
fn words_are_explained() {
    let (_place, parts, pod) = place();
    let mut editor = Editor::start();
    editor.open(&pod);
    editor.listen();
    assert_eq!(editor.findings[&uri(&pod)], json!([]));
    let mut results = Vec::new();
    for (word, letters) in [
        ("fabric", 1),
        ("pod {", 1),
        ("side * side", 0),
        ("cubes =", 0),
        ("faults", 2),
        ("synthesize", 0),
        ("concurrent_flow", 4),
        ("gradients.time", 0),
        ("time <=", 0),
        ("ms;", 0),
        ("latency = 20", 0),
        ("fiber {", 0),
        ("lanes", 0),
    ] {
        let hover = editor.ask("textDocument/hover", position_of(&pod, word, letters));
        results.push(format!(
            "{word}\n{}",
            markdown(&hover).replace(&format!("{}/", pod.parent().unwrap().display()), "")
        ));
    }
    editor.open(&parts);
    for word in ["X[u", "u in", "ports"] {
        let hover = editor.ask("textDocument/hover", position_of(&parts, word, 0));
        results.push(format!("{word}\n{}", markdown(&hover)));
    }
    insta::with_settings!({snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"), prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("lsp_hover", results.join("\n\n----\n"));
    });
    // Blanks mean nothing.
    assert_eq!(editor.ask("textDocument/hover", position_of(&pod, "// Four", 4)), Value::Null);
    editor.stop();
}

#[test]
fn words_are_offered_where_they_fit() {
    let (_place, _, pod) = place();
    let mut editor = Editor::start();
    let uri = editor.open(&pod);
    editor.listen();
    // Each line takes the place of line 4, and is asked at its end.
    let mut ask = |line: &str| -> Vec<String> {
        editor.change(&uri, (4, 0), (4, 999), line);
        let place = json!({"textDocument": {"uri": uri}, "position": {"line": 4, "character": line.len()}});
        let offers = editor.ask("textDocument/completion", place);
        offers.as_array().unwrap().iter().map(|offer| offer["label"].as_str().unwrap().to_owned()).collect()
    };
    let has =
        |offers: &[String], all: &[&str]| all.iter().all(|word| offers.iter().any(|offer| offer == word));
    let items = ask("    ");
    assert!(
        has(&items, &["cubes", "topology", "require", "slice"]) && !has(&items, &["bandwidth"]),
        "{items:?}"
    );
    assert_eq!(ask("    top"), items);
    assert_eq!(
        ask("    topology = "),
        ["synthesize", "torus", "twisted_torus", "cross_connects", "side", "lanes"]
    );
    let settings = ask("    topology = synthesize { eff");
    assert!(
        has(&settings, &["effort", "seed", "symmetry"]) && !has(&settings, &["cubes", "degree"]),
        "{settings:?}"
    );
    assert_eq!(
        ask("    topology = synthesize { symmetry = "),
        ["translation", "none", "auto", "side", "lanes"]
    );
    // Units that fit, and no others.
    assert_eq!(ask("    clock = 1 "), ["GHz", "MHz", "kHz", "Hz"]);
    assert_eq!(ask("    link wire { bandwidth = 100 "), ["GB/s", "MB/s", "TB/s", "Gbps", "Mbps", "Tbps"]);
    assert_eq!(ask("    link wire { latency <= 1 "), ["ns", "us", "ps", "ms", "cycles", "m"]);
    assert_eq!(ask("    budget { faults = 1 "), ["ocs", "link", "chip", "router"]);
    assert_eq!(
        ask("    collective g = all_reduce { size = 64 "),
        ["B", "KiB", "MiB", "GiB", "kB", "MB", "GB"]
    );
    assert_eq!(ask("    require latency <= 1 "), ["ns", "us", "ps", "ms", "cycles"]);
    assert_eq!(ask("    require gradients.bandwidth >= 1 ")[..2], ["GB/s", "MB/s"]);
    assert_eq!(ask("    floor { copper <= 10 "), ["m"]);
    assert!(ask("    require diameter <= 6 ").is_empty() && ask("    budget { vcs = 2 ").is_empty());
    assert!(has(&ask("    let rate = 1 "), &["GHz", "cycles", "GB/s"]));
    let metrics = ask("    require ");
    assert!(has(&metrics, &["diameter", "concurrent_flow", "gradients", "fault"]), "{metrics:?}");
    assert!(has(&ask("    require gradients."), &["time", "share"]));
    assert_eq!(ask("    require diameter <= 98 % of "), ["universal", "bound", "nominal"]);
    assert_eq!(ask("    cube { mesh 4 x 4 x 4 over "), ["groups of", "copper", "fiber"]);
    assert_eq!(ask("    cubes = 2 * "), ["side", "lanes"]);
    // Comments and texts get no completions, and neither does a new name.
    assert!(ask("    // topo").is_empty() && ask("    use \"pa").is_empty() && ask("    let ").is_empty());
    // A completion replaces the word that was begun.
    editor.change(&uri, (4, 0), (4, 999), "    topo");
    let place = json!({"textDocument": {"uri": uri}, "position": {"line": 4, "character": 8}});
    let offers = editor.ask("textDocument/completion", place);
    let offer = offers.as_array().unwrap().iter().find(|offer| offer["label"] == "topology").unwrap();
    assert_eq!(
        offer["textEdit"],
        json!({"newText": "topology = ", "range": {"start": {"line": 4, "character": 4}, "end": {"line": 4, "character": 8}}})
    );
    editor.stop();
}

/// Input that is no message, or comes at the wrong time, gets an error. The next request gets its answer.
#[test]
fn what_is_no_message_ends_nothing() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fabc"));
    let mut child = command
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let framed = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let request = |id: u32, method: &str| {
        framed(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"capabilities":{{}}}}}}"#
        ))
    };
    // The input, the id of the answer, and the code of its error.
    let script = [
        ("hello\r\n\r\n".to_owned(), Value::Null, -32700),
        (request(1, "textDocument/hover"), json!(1), -32002),
        (request(2, "initialize"), json!(2), 0),
        (request(3, "initialize"), json!(3), -32600),
        ("Content-Length: 99999999999\r\n\r\n{}".to_owned(), Value::Null, -32600),
        (framed("{\"id\":"), Value::Null, -32700),
        (framed("[1, 2]"), Value::Null, -32600),
        (framed(r#"{"jsonrpc":"2.0","id":"x"}"#), json!("x"), -32600),
        (request(4, "nothing/known"), json!(4), -32601),
        (request(5, "shutdown"), json!(5), 0),
        (request(6, "shutdown"), json!(6), -32600),
        (request(7, "textDocument/hover"), json!(7), -32600),
    ];
    for (sent, id, code) in script {
        // The next header ends the message that claimed to be too long.
        let next = if sent.contains("99999999999") { framed("{}") } else { String::new() };
        std::io::Write::write_all(&mut to, format!("{sent}{next}").as_bytes()).unwrap();
        let mut answers = vec![(id, code)];
        if !next.is_empty() {
            answers.push((Value::Null, -32600));
        }
        for (id, code) in answers {
            let mut length = String::new();
            std::io::BufRead::read_line(&mut from, &mut length).unwrap();
            let bytes: usize = length.trim_start_matches("Content-Length: ").trim().parse().unwrap();
            let mut body = vec![0; bytes + 2];
            std::io::Read::read_exact(&mut from, &mut body).unwrap();
            let answer: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(
                (&answer["id"], answer["error"]["code"].as_i64().unwrap_or(0)),
                (&id, code),
                "{sent}: {answer}"
            );
        }
    }
    std::io::Write::write_all(&mut to, framed(r#"{"jsonrpc":"2.0","method":"exit"}"#).as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    // Without `shutdown` it is an error.
    let mut command = Command::new(env!("CARGO_BIN_EXE_fabc"));
    let mut child = command.arg("lsp").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut to, framed(r#"{"jsonrpc":"2.0","method":"exit"}"#).as_bytes()).unwrap();
    drop(to);
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!output.status.success() && message.contains("it said `exit` without `shutdown`"), "{message}");
}

/// A text after the edits of an answer.
fn edited(text: &str, edits: &Value) -> String {
    let offset = |place: &Value| {
        let line = place["line"].as_u64().unwrap() as usize;
        let begin: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        begin + place["character"].as_u64().unwrap() as usize
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            (
                offset(&edit["range"]["start"]),
                offset(&edit["range"]["end"]),
                edit["newText"].as_str().unwrap(),
            )
        })
        .collect();
    edits.sort_unstable();
    let mut out = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

#[test]
fn names_are_found_and_changed_across_files() {
    let (_place, parts, pod) = place();
    let mut editor = Editor::start();
    editor.open(&pod);
    editor.listen();
    // A definition is in the same file, in another one, or is the file itself.
    let lines = |answer: &Value| -> Vec<(bool, u64)> {
        let places = answer.as_array().unwrap().iter();
        places
            .map(|place| {
                (place["uri"] == json!(uri(&pod)), place["range"]["start"]["line"].as_u64().unwrap())
            })
            .collect()
    };
    assert_eq!(
        lines(&editor.ask("textDocument/definition", position_of(&pod, "side * side", 8))),
        [(true, 3)]
    );
    assert_eq!(lines(&editor.ask("textDocument/definition", position_of(&pod, "fiber", 0))), [(false, 2)]);
    assert_eq!(
        lines(&editor.ask("textDocument/definition", position_of(&pod, "parts.fab", 2))),
        [(false, 0)]
    );
    assert_eq!(
        lines(&editor.ask("textDocument/definition", position_of(&pod, "gradients.time", 0))),
        [(true, 8)]
    );
    let with = |mut place: Value, more: Value| {
        place.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        place
    };
    let places = editor.ask(
        "textDocument/references",
        with(position_of(&pod, "fiber", 0), json!({"context": {"includeDeclaration": true}})),
    );
    assert_eq!(lines(&places).len(), 5);
    let marked = editor.ask("textDocument/documentHighlight", position_of(&pod, "side =", 0));
    assert_eq!(marked.as_array().unwrap().len(), 4);
    // A new name goes to every file that knows the old one, and both still mean the same.
    let before = fabc_normal(&pod);
    for (word, name) in [("fiber", "glass"), ("lanes", "rails"), ("side", "edge")] {
        let answer =
            editor.ask("textDocument/rename", with(position_of(&pod, word, 0), json!({"newName": name})));
        for path in [&parts, &pod] {
            if let Some(edits) = answer["changes"].get(uri(path)) {
                let text = edited(&std::fs::read_to_string(path).unwrap(), edits);
                std::fs::write(path, &text).unwrap();
                assert!(!text.contains(word) || word == "side", "{text}");
            }
        }
        editor.tell("textDocument/didClose", json!({"textDocument": {"uri": uri(&pod)}}));
        editor.open(&pod);
    }
    assert_eq!(fabc_normal(&pod).replace("glass", "fiber"), before);
    // Names that cannot be, and words that have none.
    for (word, name, why) in [
        ("edge", "copper", "there is a `copper` already"),
        ("edge", "2x", "is no name"),
        ("cubes", "boxes", "nothing here has a name of its own"),
    ] {
        let refused =
            editor.ask_for("textDocument/rename", with(position_of(&pod, word, 0), json!({"newName": name})));
        assert!(refused.as_ref().is_err_and(|error| error.contains(why)), "{refused:?}");
    }
    editor.stop();
}

/// The normal form, as `fabc check` dumps it.
fn fabc_normal(path: &Path) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_fabc"))
        .args(["check", "--dump", "resolve"])
        .arg(path)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn a_network_that_is_too_large_to_be_built_is_held_against_its_formulas() {
    let text = "fabric huge {
    link cable { bandwidth = 100 Gbps; latency = 20 ns; }
    router { radix = 5; vcs = 4; }
    topology = torus 1000 x 1000;
    require diameter <= 1000;
    require diameter <= 999;
}
";
    let mut server = Server::new(&Disk);
    open_document(&mut server, "file:///huge.fab", text);
    let diagnostics = findings(&mut server, "file:///huge.fab");
    assert_eq!(diagnostics.as_array().map(Vec::len), Some(1), "{diagnostics}");
    assert_eq!(
        (&diagnostics[0]["code"], &diagnostics[0]["range"]["start"]["line"]),
        (&json!("FAB0401"), &json!(5)),
        "{diagnostics}"
    );
    let checked = fabc::check(text, &fabc::Options::default()).unwrap_err();
    assert_eq!(
        checked.list().iter().map(|error| error.code.as_str()).collect::<Vec<_>>(),
        ["FAB0401"],
        "as `fabc check` says"
    );
}

#[test]
fn what_is_wrong_is_told_while_it_is_typed() {
    let (_place, parts, pod) = place();
    let mut editor = Editor::start();
    let pod_uri = editor.open(&pod);
    editor.listen();
    // A slip, and what mends it.
    editor.change(&pod_uri, (7, 14), (7, 27), "alowed_turns");
    editor.listen();
    let finding = editor.findings[&pod_uri][0].clone();
    assert_eq!(
        (&finding["code"], &finding["range"]["start"]),
        (&json!("FAB0126"), &json!({"line": 7, "character": 14}))
    );
    let request =
        json!({"textDocument": {"uri": pod_uri}, "range": finding["range"], "context": {"diagnostics": []}});
    let actions = editor.ask("textDocument/codeAction", request);
    assert_eq!(actions[0]["title"], "write `allowed_turns`");
    assert_eq!(actions[0]["edit"]["changes"][&pod_uri][0]["newText"], "allowed_turns");
    editor.change(&pod_uri, (7, 14), (7, 26), "allowed_turns");
    editor.listen();
    assert_eq!(editor.findings[&pod_uri], json!([]));
    // A require that cannot hold, with its bound.
    editor.change(&pod_uri, (9, 31), (9, 36), "0.01");
    editor.listen();
    let finding = editor.findings[&pod_uri][0].clone();
    assert_eq!(finding["code"], "FAB0330");
    assert!(finding["message"].as_str().unwrap().contains("universal bound"), "{finding}");
    editor.change(&pod_uri, (9, 31), (9, 35), "0.006");
    // A part that is open counts as it is there, not as it is on the disk. Its errors stand in it.
    let parts_uri = editor.open(&parts);
    editor.change(&parts_uri, (4, 7), (4, 11), "mseh");
    while editor.findings.get(&parts_uri).is_none_or(|all| *all == json!([])) {
        editor.listen();
    }
    assert_eq!(editor.findings[&parts_uri][0]["range"]["start"]["line"], 4);
    editor.tell("textDocument/didClose", json!({"textDocument": {"uri": parts_uri}}));
    while editor.findings[&parts_uri] != json!([]) {
        editor.listen();
    }
    editor.stop();
}

#[test]
fn a_file_is_drawn_laid_out_and_outlined() {
    let (_place, parts, pod) = place();
    let mut editor = Editor::start();
    let uri = editor.open(&pod);
    editor.open(&parts);
    editor.listen();
    let document = json!({"textDocument": {"uri": uri}});
    let with_range = json!({"textDocument": {"uri": uri}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}});
    let hints = editor.ask("textDocument/inlayHint", with_range);
    let labels: Vec<&str> =
        hints.as_array().unwrap().iter().map(|hint| hint["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["= 4", "256 chips"]);
    let tokens = editor.ask("textDocument/semanticTokens/full", document.clone());
    let outline = editor.ask("textDocument/documentSymbol", document.clone());
    let text = std::fs::read_to_string(&pod).unwrap();
    let shown = format!("{}\n{}", drawn(&text, &tokens["data"]), outlined(&outline, 0));
    insta::with_settings!({snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"), prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("lsp_drawn", shown);
    });
    // Laid out as `fabc fmt` does it.
    editor.change(&uri, (3, 0), (3, 17), "let   side=2;");
    let format = json!({"textDocument": {"uri": uri}, "options": {"tabSize": 4, "insertSpaces": true}});
    let edits = editor.ask("textDocument/formatting", format.clone());
    assert!(edits[0]["newText"].as_str().unwrap().contains("    let side = 2;\n"), "{edits}");
    editor.change(&uri, (3, 0), (3, 99), "let side = ;");
    assert_eq!(editor.ask("textDocument/formatting", format), Value::Null);
    // An unknown request is refused, and the next one is answered.
    assert!(
        editor
            .ask_for("textDocument/foldingRange", document)
            .is_err_and(|error| error.contains("foldingRange"))
    );
    assert!(
        editor
            .ask_for(
                "textDocument/hover",
                json!({"textDocument": {"uri": "file:///none.fab"}, "position": {"line": 0, "character": 0}})
            )
            .is_err()
    );
    assert!(editor.ask_for("textDocument/hover", json!(7)).is_err());
    editor.stop();
}

/// The words of a text, with the first letters of their kinds.
fn drawn(text: &str, data: &Value) -> String {
    const KINDS: [&str; 10] = ["kw", "set", "word", "num", "str", "//", "var", "type", "par", "unit"];
    let numbers: Vec<u64> = data.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
    let lines: Vec<&str> = text.lines().collect();
    let (mut line, mut column, mut out) = (0usize, 0usize, String::new());
    for token in numbers.chunks(5) {
        if token[0] > 0 {
            out.push('\n');
            column = 0;
        }
        (line, column) = (line + token[0] as usize, column + token[1] as usize);
        out += &format!("{}:{} ", KINDS[token[3] as usize], &lines[line][column..column + token[2] as usize]);
    }
    out
}

fn outlined(symbols: &Value, depth: usize) -> String {
    let symbol_text = |symbol: &Value| {
        let detail = symbol["detail"].as_str().map(|detail| format!(" | {detail}")).unwrap_or_default();
        format!(
            "{}{}{detail}\n{}",
            "  ".repeat(depth),
            symbol["name"].as_str().unwrap(),
            outlined(&symbol["children"], depth + 1)
        )
    };
    symbols.as_array().map(|all| all.iter().map(symbol_text).collect()).unwrap_or_default()
}
