//! What editors and the book draw words by, without a language server: written from the words of the
//! language.

use fabc::lsp::words_by_kind;
use std::collections::BTreeSet;
use std::path::Path;

/// A kind of words: as Vim, TextMate, tree-sitter and highlight.js call it.
struct WordKind {
    vim: &'static str,
    text_mate: &'static str,
    tree_sitter: &'static str,
    highlight_js: &'static str,
}

/// In the order of [`words_by_kind`].
const KINDS: [WordKind; 4] = [
    WordKind {
        vim: "Keyword",
        text_mate: "keyword.control.fab",
        tree_sitter: "keyword",
        highlight_js: "keyword",
    },
    WordKind {
        vim: "Setting",
        text_mate: "variable.other.property.fab",
        tree_sitter: "property",
        highlight_js: "built_in",
    },
    WordKind {
        vim: "Value",
        text_mate: "constant.language.fab",
        tree_sitter: "constant.builtin",
        highlight_js: "literal",
    },
    WordKind {
        vim: "Unit",
        text_mate: "keyword.other.unit.fab",
        tree_sitter: "type.builtin",
        highlight_js: "type",
    },
];

/// The words of a kind that consist of letters, digits and `_`, and the others. `GB/s` is no word to editors.
fn plain_and_others<'a>(words: &BTreeSet<&'a str>) -> (Vec<&'a str>, Vec<&'a str>) {
    words
        .iter()
        .copied()
        .partition(|word| word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'))
}

/// Words one after the other in lines of at most 108 columns, each of which begins alike.
fn lines<'a>(start: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    let mut line = start.to_owned();
    for word in words {
        if line.len() + word.len() > 108 {
            text += &format!("{line}\n");
            line = start.to_owned();
        }
        line += &format!(" {word}");
    }
    text + &line + "\n"
}

fn vim() -> String {
    let mut vim = String::from(
        "\" Words of fab specs; written by `UPDATE_DOCS=1 cargo test --test it lsp`, do not edit.\nif exists(\"b:current_syntax\")\n  finish\nendif\n\n",
    );
    for (WordKind { vim: kind, .. }, words) in KINDS.iter().zip(words_by_kind()) {
        let (plain, others) = plain_and_others(&words);
        vim += &lines(&format!("syntax keyword fab{kind}"), plain);
        if !others.is_empty() {
            vim += &format!(
                "syntax match fab{kind} \"\\v<({})\"\n",
                others.join("|").replace('/', "\\/").replace('%', "\\%")
            );
        }
    }
    vim += "syntax match fabNumber \"\\v<\\d[0-9_]*(\\.\\d[0-9_]*|(x\\d[0-9_]*)+)?\"\n";
    vim += "syntax region fabString start=+\"+ end=+\"\\|$+ oneline\n";
    vim += "syntax match fabComment \"//.*$\" contains=@Spell\nsyntax region fabComment start=\"/\\*\" end=\"\\*/\" contains=@Spell\n\n";
    for (kind, group) in [
        ("Keyword", "Keyword"),
        ("Setting", "Identifier"),
        ("Value", "Constant"),
        ("Unit", "Type"),
        ("Number", "Number"),
        ("String", "String"),
        ("Comment", "Comment"),
    ] {
        vim += &format!("highlight default link fab{kind} {group}\n");
    }
    vim + "\nlet b:current_syntax = \"fab\"\n"
}

fn text_mate() -> String {
    let mut patterns = vec![
        serde_json::json!({"name": "comment.line.double-slash.fab", "match": "//.*$"}),
        serde_json::json!({"name": "comment.block.fab", "begin": "/\\*", "end": "\\*/"}),
        serde_json::json!({"name": "string.quoted.double.fab", "match": "\"[^\"\\n]*\"?"}),
        // `+x[u, v]`: a face, not what joins numbers.
        serde_json::json!({"name": "variable.other.face.fab", "match": "[+-][A-Za-z_][A-Za-z0-9_]*(?=\\s*\\[)"}),
        // `4x4x8`: numbers and what joins them, without a blank.
        serde_json::json!({
            "match": "(?<![A-Za-z0-9_])\\d[\\d_]*(?:x\\d[\\d_]*)+(?![A-Za-z0-9_])",
            "captures": {"0": {"patterns": [
                {"name": KINDS[0].text_mate, "match": "x"},
                {"name": "constant.numeric.fab", "match": "\\d[\\d_]*"},
            ]}},
        }),
        serde_json::json!({"name": "constant.numeric.fab", "match": "\\b\\d[\\d_]*(\\.\\d[\\d_]*)?(?=x\\d|\\b|[A-Za-z])"}),
    ];
    for (WordKind { text_mate: scope, .. }, words) in KINDS.iter().zip(words_by_kind()) {
        let (plain, others) = plain_and_others(&words);
        let escaped: Vec<String> = others.iter().map(|word| word.replace('/', "\\/")).collect();
        if !escaped.is_empty() {
            patterns.push(serde_json::json!({"name": scope, "match": format!("(?<![A-Za-z_])({})(?![A-Za-z0-9_])", escaped.join("|"))}));
        }
        patterns.push(serde_json::json!({"name": scope, "match": format!("(?<![A-Za-z0-9_])({})(?![A-Za-z0-9_])", plain.join("|"))}));
    }
    let grammar = serde_json::json!({
        "information_for_contributors": ["Written by `UPDATE_DOCS=1 cargo test --test it lsp` from the words of the language; do not edit."],
        "name": "fab",
        "scopeName": "source.fab",
        "patterns": patterns,
    });
    serde_json::to_string_pretty(&grammar).unwrap() + "\n"
}

/// The words themselves, for tests of editors.
fn list() -> String {
    let kinds = KINDS
        .iter()
        .zip(words_by_kind())
        .map(|(kind, words)| (kind.vim.to_lowercase(), serde_json::json!(words)));
    serde_json::to_string(&serde_json::Value::Object(kinds.collect())).unwrap() + "\n"
}

/// Keywords are of the grammar (`structure.scm`). What it takes for names are words if the language has them.
fn tree_sitter() -> String {
    let mut query = String::from(
        "; Written by `UPDATE_DOCS=1 cargo test --test it lsp` from the words of the language; do not edit.\n\n",
    );
    query += include_str!("../../../editors/tree-sitter-fab/queries/structure.scm");
    let nodes = ["(name)", "[(name) (item_name)]", "[(name) (item_name)]", "(named_file (name)"];
    for ((kind, words), nodes) in KINDS.iter().zip(words_by_kind()).zip(nodes) {
        let capture = kind.tree_sitter;
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        // `n flits`, where `n` is a constant, reads as `graph lab` does.
        let close = if nodes.starts_with("(named") { ")" } else { "" };
        query += &format!("\n({nodes} @{capture}{close}\n  (#any-of? @{capture}\n");
        query += &lines("   ", quoted.iter().map(String::as_str));
        query += "  ))\n";
    }
    query
}

fn highlight_js() -> String {
    let mut page = String::from(
        "// How the book draws ```fab blocks; written by `UPDATE_DOCS=1 cargo test --test it lsp` from the words of the\n// language, do not edit.\nhljs.registerLanguage(\"fab\", (hljs) => ({\n  keywords: {\n    $pattern: /[A-Za-z_][A-Za-z0-9_]*/,\n",
    );
    for (kind, words) in KINDS.iter().zip(words_by_kind()) {
        let (plain, _) = plain_and_others(&words);
        page += &format!("    {}:\n", kind.highlight_js);
        let all_lines: Vec<String> =
            lines("", plain).lines().map(|line| format!("      \"{}\"", line.trim_start())).collect();
        page += &format!("{},\n", all_lines.join(" +\n").replace("\" +", " \" +"));
    }
    let (_, slashed) = plain_and_others(&words_by_kind()[3]);
    page += "  },\n  contains: [\n    hljs.C_LINE_COMMENT_MODE,\n    hljs.C_BLOCK_COMMENT_MODE,\n    { className: \"string\", begin: /\"/, end: /\"|$/ },\n    { begin: /[+-][A-Za-z_][A-Za-z0-9_]*(?=\\s*\\[)/ },\n";
    page += &format!(
        "    {{ className: \"type\", begin: /\\b({})(?![A-Za-z0-9_])/ }},\n",
        slashed.join("|").replace('/', "\\/")
    );
    page + "    { className: \"number\", begin: /\\b\\d[\\d_]*(\\.\\d[\\d_]*)?/ },\n  ],\n}));\n"
}

#[test]
fn editors_know_every_word() {
    let files = [
        ("editors/vim/syntax/fab.vim", vim()),
        ("editors/vscode/syntaxes/fab.tmLanguage.json", text_mate()),
        ("editors/words.json", list()),
        ("editors/tree-sitter-fab/queries/highlights.scm", tree_sitter()),
        ("editors/book/words.js", highlight_js()),
    ];
    for (path, text) in files {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(known, text, "UPDATE_DOCS=1 cargo test --test it lsp writes {}", path.display());
    }
}

/// Rules of src/lang/fab.pest that the tree-sitter grammar has otherwise: signs and words that it has where
/// they stand, and what is read after `--set`.
const OTHERWISE: [&str; 34] = [
    "WHITESPACE",
    "add_op",
    "assign",
    "by",
    "close",
    "comma",
    "dashed",
    "dims_name",
    "dots",
    "given",
    "good_comparison",
    "groups_word",
    "item",
    "metric_at",
    "mul_op",
    "negate",
    "open",
    "path_name",
    "plain_file",
    "quoted",
    "root_word",
    "semi",
    "settings",
    "sign",
    "signed",
    "stage_word",
    "statement",
    "statement_start",
    "step_dots",
    "through",
    "unit_text",
    "value",
    "word",
    "word_char",
];

#[test]
fn the_grammar_of_editors_is_in_step_with_the_compilers() {
    let read =
        |path: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let (pest, ours) = (read("src/lang/fab.pest"), read("editors/tree-sitter-fab/grammar.js"));
    let (rules, _slips) = pest.split_once("// ---- error productions").expect("slips stand last");
    let named = |line: &'_ str, sign: &str| -> Option<String> {
        let name: String =
            line.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
        (!name.is_empty() && line[name.len()..].trim_start().starts_with(sign)).then_some(name)
    };
    let wanted: BTreeSet<String> = rules.lines().filter_map(|line| named(line, "=")).collect();
    let keywords: BTreeSet<&str> = rules
        .lines()
        .filter(|line| line.starts_with("kw_"))
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    let query = read("editors/tree-sitter-fab/queries/structure.scm");
    // `all` is a value that the grammar has a rule for.
    for (file, text, elsewhere) in [("grammar.js", &ours, ""), ("structure.scm", &query, "all")] {
        let lacks = |word: &&&str| **word != elsewhere && !text.contains(&format!("\"{word}\""));
        let missing: Vec<&&str> = keywords.iter().filter(lacks).collect();
        assert!(missing.is_empty(), "keywords that {file} does not have: {missing:?}");
    }
    let has: BTreeSet<String> =
        ours.lines().filter_map(|line| line.strip_prefix("    ").and_then(|line| named(line, ":"))).collect();
    let (lacks, more): (Vec<_>, Vec<_>) =
        (wanted.difference(&has).collect(), has.difference(&wanted).collect());
    let lacks: Vec<&&String> =
        lacks.iter().filter(|rule| !rule.starts_with("kw_") && !OTHERWISE.contains(&rule.as_str())).collect();
    let more: Vec<&&String> = more
        .iter()
        .filter(|rule| !rule.starts_with('_') && !["comment", "compact"].contains(&rule.as_str()))
        .collect();
    assert!(lacks.is_empty() && more.is_empty(), "grammar.js lacks {lacks:?}, and has more: {more:?}");
    let gone: Vec<&&str> =
        OTHERWISE.iter().filter(|rule| !wanted.contains(**rule) || has.contains(**rule)).collect();
    assert!(gone.is_empty(), "not otherwise: {gone:?}");
}
