//! Judges the names, the shape and the prose of the code, as far as a test can judge them.
//!
//! The numbers are floors. The aim is that a stranger understands each file at the first reading.

use super::{complain, files, read};
use proc_macro2::Span;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Words that name nothing. A binding or a function is called by a noun or a verb of the field.
const PRONOUNS: [&str; 29] = [
    "of", "own", "one", "all", "found", "whole", "at", "here", "there", "said", "told", "laid", "asked",
    "wrong", "most", "least", "what", "each", "other", "both", "left", "these", "those", "that", "this",
    "ends", "which", "such", "it",
];

/// Names and shape of the code below some folders, without unit tests.
#[derive(Default)]
struct Form {
    file: String,
    lines: usize,
    /// Name, file and line of every type, and whether it is public.
    types: Vec<(String, String, bool)>,
    /// Bindings and functions that are named by a pronoun.
    pronouns: Vec<String>,
    tuple_parameters: Vec<String>,
    pair_fields: Vec<String>,
    long_functions: Vec<String>,
}

/// The sources. Every test here reads the same ones.
static FORM: LazyLock<Form> = LazyLock::new(|| Form::read(&["src"]));
/// The code of tests and benchmarks.
static TEST_FORM: LazyLock<Form> = LazyLock::new(|| Form::read(&["tests", "benches"]));

/// The most lines of a function.
const FUNCTION_LINES: usize = 80;

impl Form {
    fn read(folders: &[&str]) -> Self {
        let mut form = Self::default();
        let paths = folders.iter().flat_map(|folder| files(folder));
        for path in paths.filter(|path| path.ends_with(".rs") && !path.ends_with("tests.rs")) {
            let text = read(&path);
            let code = text.find("\n#[cfg(test)]\nmod ").map_or(&*text, |end| &text[..end]);
            form.lines += code.lines().count();
            form.file = path;
            form.visit_file(&syn::parse_file(code).unwrap_or_else(|error| panic!("{}: {error}", form.file)));
        }
        form
    }

    fn place(&self, span: Span) -> String {
        format!("{}:{}", self.file, span.start().line)
    }

    fn add_type(&mut self, name: &syn::Ident, visibility: &syn::Visibility) {
        let place = self.place(name.span());
        self.types.push((name.to_string(), place, matches!(visibility, syn::Visibility::Public(_))));
    }

    fn add_name(&mut self, name: &syn::Ident) {
        if PRONOUNS.iter().any(|pronoun| name == pronoun) {
            self.pronouns.push(format!("{}: `{name}`", self.place(name.span())));
        }
    }

    fn add_function(&mut self, signature: &syn::Signature, whole: Span) {
        self.add_name(&signature.ident);
        let lines = whole.end().line + 1 - signature.fn_token.span.start().line;
        if lines > FUNCTION_LINES {
            let place = self.place(signature.span());
            self.long_functions.push(format!("{place}: `{}` has {lines} lines", signature.ident));
        }
        for input in &signature.inputs {
            if let syn::FnArg::Typed(input) = input
                && matches!(*input.pat, syn::Pat::Tuple(_) | syn::Pat::Slice(_))
            {
                let place = self.place(input.span());
                self.tuple_parameters.push(format!("{place}: a parameter of `{}`", signature.ident));
            }
        }
    }
}

impl<'a> Visit<'a> for Form {
    fn visit_item_struct(&mut self, item: &'a syn::ItemStruct) {
        self.add_type(&item.ident, &item.vis);
        for field in &item.fields {
            if let (Some(name), syn::Type::Array(array)) = (&field.ident, &field.ty)
                && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) = &array.len
                && length.base10_digits() == "2"
                && !matches!(field.vis, syn::Visibility::Inherited)
            {
                self.pair_fields.push(format!("{}: `{name}` of `{}`", self.place(name.span()), item.ident));
            }
        }
        visit::visit_item_struct(self, item);
    }
    fn visit_item_enum(&mut self, item: &'a syn::ItemEnum) {
        self.add_type(&item.ident, &item.vis);
        visit::visit_item_enum(self, item);
    }
    fn visit_item_trait(&mut self, item: &'a syn::ItemTrait) {
        self.add_type(&item.ident, &item.vis);
        visit::visit_item_trait(self, item);
    }
    fn visit_item_type(&mut self, item: &'a syn::ItemType) {
        self.add_type(&item.ident, &item.vis);
        visit::visit_item_type(self, item);
    }
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.add_function(&item.sig, item.span());
        visit::visit_item_fn(self, item);
    }
    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.add_function(&item.sig, item.span());
        visit::visit_impl_item_fn(self, item);
    }
    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        self.add_function(&item.sig, item.span());
        visit::visit_trait_item_fn(self, item);
    }
    fn visit_local(&mut self, local: &'a syn::Local) {
        let pattern = match &local.pat {
            syn::Pat::Type(typed) => &*typed.pat,
            pattern => pattern,
        };
        if let syn::Pat::Ident(binding) = pattern {
            self.add_name(&binding.ident);
        }
        visit::visit_local(self, local);
    }
}

/// Comments of a file: for each its first line, its kind (`///`, `//!` or `//`) and its text.
fn comments(code: &str) -> Vec<(usize, &str, String)> {
    let mut comments: Vec<(usize, &str, String)> = Vec::new();
    let mut last = 0;
    for (number, line) in code.lines().enumerate() {
        let line = line.trim_start();
        let Some(kind) = ["///", "//!", "//"].into_iter().find(|kind| line.starts_with(kind)) else {
            continue;
        };
        let text = line[kind.len()..].trim();
        match comments.last_mut() {
            Some(comment) if last + 1 == number && comment.1 == kind => {
                comment.2 += if text.is_empty() { "\n" } else { " " };
                comment.2 += text;
            }
            _ => comments.push((number + 1, kind, text.to_owned())),
        }
        last = number;
    }
    comments
}

/// Prose of pages and comments.
#[derive(Default)]
struct Prose {
    /// The number of words of each sentence.
    sentences: Vec<usize>,
    semicolons: usize,
}

impl Prose {
    fn add(&mut self, text: &str) {
        // Code in backticks is a word.
        let text = text.split('`').enumerate().map(|(part, text)| if part % 2 == 0 { text } else { "x" });
        let text = text.collect::<String>();
        for paragraph in text.lines() {
            self.semicolons += paragraph.matches(';').count();
            let mut words = 0;
            let mut closed = false;
            for word in paragraph.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)) {
                if closed && word.starts_with(|letter: char| letter.is_uppercase() || "x([".contains(letter))
                {
                    self.end(words);
                    words = 0;
                }
                words += 1;
                closed = word.trim_end_matches([')', '"']).ends_with(['.', '!', '?', ':']);
            }
            self.end(words);
        }
    }

    fn end(&mut self, words: usize) {
        if words >= 3 {
            self.sentences.push(words);
        }
    }

    /// The median of the words of a sentence, the words with which the longest tenth begins, and semicolons
    /// per hundred sentences.
    fn figures(mut self) -> (usize, usize, usize) {
        self.sentences.sort_unstable();
        let count = self.sentences.len();
        (self.sentences[count / 2], self.sentences[count * 9 / 10], 100 * self.semicolons / count)
    }
}

#[test]
fn types_have_names_of_their_own() {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, place, _) in &FORM.types {
        places.entry(name).or_default().push(place);
    }
    places.retain(|_, places| places.len() > 1);
    let shared: usize = places.values().map(Vec::len).sum();
    let (count, percent) = (FORM.types.len(), 100 * shared / FORM.types.len());
    let list =
        places.iter().map(|(name, places)| format!("{name}: {}", places.join(", "))).collect::<Vec<_>>();
    assert!(
        percent <= SHARED_TYPES,
        "{shared} of {count} types share their name ({percent} %):\n{}",
        list.join("\n")
    );
}

#[test]
fn names_are_nouns_and_verbs() {
    for form in [&*FORM, &*TEST_FORM] {
        let per_thousand = 1000 * form.pronouns.len() / form.lines;
        let list = form.pronouns.join("\n");
        assert!(per_thousand <= PRONOUNS_PER_1000_LINES, "{per_thousand} per 1000 lines:\n{list}");
    }
}

#[test]
fn parts_have_names() {
    complain([&*FORM.tuple_parameters, &*FORM.pair_fields, &*TEST_FORM.tuple_parameters].concat());
}

/// A `match` with a line for every rule of the grammar, which no cut would make clearer.
const TABLE: &str = "`rule_name`";

#[test]
fn functions_are_short() {
    let long_functions = [&*FORM.long_functions, &*TEST_FORM.long_functions].concat();
    complain(long_functions.into_iter().filter(|function| !function.contains(TABLE)).collect());
}

/// Here doc comments are the help texts of the command line, which are as short as they can be.
const HELP_TEXTS: [&str; 3] = ["src/cli/args/", "src/cli/verify/foreign.rs", "src/pipeline/show/mod.rs"];

#[test]
fn docs_say_more_than_the_name() {
    let mut short = Vec::new();
    let is_help = |path: &str| HELP_TEXTS.iter().any(|help| path.starts_with(help));
    for path in files("src").into_iter().filter(|path| path.ends_with(".rs") && !is_help(path)) {
        for (line, kind, text) in comments(&read(&path)) {
            let words = text.split_whitespace().count();
            if kind == "///" && words <= 4 {
                short.push(format!("{path}:{line}: {text}"));
            }
        }
    }
    complain(short);
}

#[test]
fn sentences_are_short() {
    let mut code = Prose::default();
    for path in files("src").into_iter().filter(|path| path.ends_with(".rs")) {
        for (_, _, text) in comments(&read(&path)) {
            code.add(&text);
        }
    }
    let mut pages = Prose::default();
    for path in files("docs").into_iter().filter(|path| path.ends_with(".md")) {
        let text = read(&path);
        let prose = text.split("```").step_by(2).collect::<String>();
        // A line break ends a sentence only between paragraphs, in lists and in tables.
        let mut paragraph = String::new();
        for line in prose.lines() {
            if line.is_empty() || line.starts_with(['-', '*', '|', '#', '>']) {
                pages.add(&std::mem::take(&mut paragraph));
            }
            line.split('|').for_each(|cell| paragraph += &format!(" {}", cell.trim_matches(['-', '#', ' '])));
            if line.starts_with('|') {
                paragraph += "\n";
            }
        }
        pages.add(&paragraph);
    }
    for (subject, prose) in [("comments", code), ("pages", pages)] {
        let (median, longest, semicolons) = prose.figures();
        assert!(
            median <= 16 && longest <= 28 && semicolons <= SEMICOLONS,
            "{subject}: sentences of {median} words in the middle (16), the longest tenth from {longest} (28), \
             {semicolons} semicolons per 100 sentences ({SEMICOLONS})"
        );
    }
}

/// The largest part of all types, in percent, that share their name with another type.
const SHARED_TYPES: usize = 12;
/// The most bindings and functions named by a pronoun.
const PRONOUNS_PER_1000_LINES: usize = 2;
/// The most semicolons per 100 sentences.
const SEMICOLONS: usize = 8;

/// Words that the glossary replaces, and what it says instead.
const REPLACED: [(&str, &str); 5] = [
    ("fibre", "fiber"),
    (" for ever ", " forever "),
    ("round for ever", "loop"),
    ("falls apart", "is disconnected"),
    ("packets fly", "packets are in flight"),
];

#[test]
fn one_word_stands_for_one_thing() {
    let mut complaints = Vec::new();
    let pages = files("docs").into_iter().filter(|path| path.ends_with(".md") && path != "docs/glossary.md");
    for path in pages.chain(files("src").into_iter().filter(|path| path.ends_with(".rs"))) {
        for (number, line) in read(&path).lines().enumerate() {
            for (word, better) in REPLACED.iter().filter(|(word, _)| line.contains(word)) {
                complaints.push(format!("{path}:{}: `{word}`; the glossary says `{better}`", number + 1));
            }
        }
    }
    complain(complaints);
}
