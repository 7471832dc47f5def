//! The language: specs that resolve, specs that are refused and their messages. Nothing makes the front end
//! panic. `parameters` has parameters, `shipped` the specs of `specs`.

mod box_links;
mod parameters;
mod shipped;

use crate::support::files::{Files, read};
use fabc::diag::{SourceMap, codes};
use fabc::ids::LinkTypeId;
use fabc::lang::{resolve, warnings};
use fabc::model::{Fabric, Family, Network, Plant};
use fabc::syntax::{ParseError, normalize, parse, parse_file, print, print_spec, words};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

type Diagnostics = Vec<Box<dyn Diagnostic + Send + Sync>>;

fn front_end(path: &str) -> (Result<Fabric, Diagnostics>, SourceMap) {
    let (parsed, sources) = parse(path, &Files);
    let pod = match parsed {
        Err(errors) => Err(errors.into_iter().map(|error| Box::new(error) as _).collect()),
        Ok(spec) => resolve(&spec, &Files)
            .map_err(|errors| errors.into_iter().map(|error| Box::new(error) as _).collect()),
    };
    (pod, sources)
}

/// All errors as the terminal shows them, without colors.
fn rendered(errors: Diagnostics, sources: &SourceMap) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    let mut text = String::new();
    for error in errors {
        let report = miette::Report::new_boxed(error).with_source_code(sources.clone());
        handler.render_report(&mut text, report.as_ref()).expect("rendering into a string");
    }
    text
}

fn settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

/// The path of a test file as a user would write it.
fn relative(path: &Path) -> &str {
    path.strip_prefix(env!("CARGO_MANIFEST_DIR"))
        .unwrap_or(path)
        .to_str()
        .expect("test files have plain names")
}

fn fab_files(directory: &str) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut open = vec![PathBuf::from(directory)];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "fab") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths
}

/// The pod without the places of its declarations.
fn without_spans(pod: &Fabric) -> String {
    let text = format!("{pod:#?}");
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.ends_with("Span {") {
            lines.by_ref().take(3).for_each(drop);
        } else {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn summary(fabric: &Fabric) -> String {
    let pod = match &fabric.plant {
        Plant::Pod(pod) => pod,
        Plant::Network(network) => return network_summary(fabric, network),
    };
    let links: Vec<String> = fabric
        .link_types
        .iter()
        .map(|link| format!("{} {} bit/s {} cycles", link.name, link.bandwidth_bps, link.latency_cycles))
        .collect();
    let ocs = |ocs: &fabc::model::Ocs| {
        let ports = |side: &[fabc::model::FacePort]| {
            let names: Vec<String> = side.iter().take(2).map(|face| pod.face_port_name(*face)).collect();
            format!("{} ports [{}, ..]", side.len(), names.join(", "))
        };
        format!("{} a: {} b: {}", ocs.name, ports(&ocs.a), ports(&ocs.b))
    };
    let first = pod.ocses.as_slice().first().map_or(String::new(), ocs);
    let last = pod.ocses.as_slice().last().map_or(String::new(), ocs);
    let requires: Vec<String> = fabric
        .requires
        .iter()
        .map(|require| {
            format!(
                "{} {} {} ({})",
                require.metric_text(),
                require.comparison.symbol(),
                require.value_text,
                require.value
            )
        })
        .collect();
    format!(
        "{}: {} nodes, {} cubes of {:?}, {} Hz\nlinks: {}\nchip: {} ports, {} VCs, {} bytes/flit, {} flits, {} cycles\n{} OCSes in {} groups\n\
         first: {first}\nlast:  {last}\nbudget: {} VCs, {:?}\ntopology: {:?}\nrouting: {:?}\nrequires: {}\n",
        fabric.name,
        pod.node_count(),
        pod.cubes,
        pod.cube.dims,
        fabric.clock_hz,
        links.join("; "),
        fabric.router.radix,
        fabric.router.vcs,
        fabric.router.flit_bytes,
        fabric.router.buffer_flits,
        fabric.router.latency_cycles,
        pod.ocses.len(),
        pod.ocs_groups.len(),
        fabric.budget.vcs,
        fabric.budget.faults,
        pod.topology,
        fabric.routing,
        requires.join("; "),
    )
}

fn network_summary(fabric: &Fabric, network: &Network) -> String {
    let router = &fabric.router;
    let types = |link: LinkTypeId| &fabric.link_types[link].name;
    let mut text = format!(
        "{}: {} routers, {} of them endpoints\nlinks in use: {:?}; local {}, global {}\nrouter: {} ports, {} hosts, {} VCs, {} flits\n\
         budget: {} VCs, {:?}\ndemand: {:?}, {} in all\nrouting: {:?}\n",
        fabric.name,
        network.router_count(),
        fabric.demand.endpoint_count(),
        network.links_in_use().into_iter().map(types).collect::<Vec<_>>(),
        types(network.local),
        types(network.global),
        router.radix,
        router.hosts,
        router.vcs,
        router.buffer_flits,
        fabric.budget.vcs,
        fabric.budget.faults,
        fabric.demand.shape(),
        fabric.demand.total(),
        fabric.routing,
    );
    let Family::Listed(listed) = &network.family else {
        return text + &format!("topology: {}\n", network.family.written());
    };
    let port = |port: Option<u16>| port.map_or("?".to_owned(), |port| port.to_string());
    text += &format!("graph of {:?} arcs\n", listed.arcs);
    for (router, hosts) in listed.routers.iter().zip(network.hosts(router.hosts)) {
        text += &format!("{} with {hosts} hosts\n", router.name);
    }
    for link in &listed.links {
        let [from, to] = link.ends.map(|end| &listed.routers[end as usize].name);
        text +=
            &format!("{from}.{} - {to}.{} {}\n", port(link.ports[0]), port(link.ports[1]), types(link.link));
    }
    text
}

#[test]
fn good_specs() {
    insta::glob!("..", "ok/**/*.fab", |path| {
        let path = relative(path);
        let (parsed, sources) = parse(path, &read);
        let spec = parsed.unwrap_or_else(|errors| {
            panic!("{}", rendered(errors.into_iter().map(|error| Box::new(error) as _).collect(), &sources))
        });
        let pod = resolve(&spec, &read);
        let pod = pod.unwrap_or_else(|errors| {
            panic!("{}", rendered(errors.into_iter().map(|error| Box::new(error) as _).collect(), &sources))
        });
        let normal = print_spec(&normalize(&spec));
        let formatted = print(&spec.files[0]);
        settings().bind(|| {
            insta::assert_snapshot!(format!(
                "{}\n-- formatted --------\n{formatted}\n-- normalised -------\n{normal}\n-- pod --------------\n{}",
                read(path).unwrap(),
                summary(&pod)
            ));
        });
    });
}

#[test]
fn bad_specs() {
    insta::glob!("..", "err/**/*.fab", |path| {
        let path = relative(path);
        let (pod, sources) = front_end(path);
        let errors = pod.err().unwrap_or_else(|| panic!("{path} has no error"));
        settings().bind(|| insta::assert_snapshot!(rendered(errors, &sources)));
    });
}

/// A slip of `tests/slips/*.txt`: a mistake of users who do not know the language yet.
struct Slip {
    title: String,
    /// The base with the changes.
    text: String,
}

/// The slips of a file. A line `base PATH` names the spec that the slips after it change. A line without
/// indentation is the title of a slip. An indented line `OLD ==> NEW` replaces the first OLD in the base,
/// `OLD ==>* NEW` every one. `\n`, `\r`, `\t` and `\u{..}` stand for letters that cannot be seen.
fn slips(path: &str) -> Vec<Slip> {
    let unseen = |text: &str| {
        let mut text = text.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t");
        while let Some((before, (code, after))) =
            text.split_once("\\u{").and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            let letter = u32::from_str_radix(code, 16).ok().and_then(char::from_u32).expect("a letter");
            text = format!("{before}{letter}{after}");
        }
        text
    };
    let mut slips: Vec<Slip> = Vec::new();
    let mut base = String::new();
    for line in read(path).unwrap().lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        if let Some(path) = line.strip_prefix("base ") {
            base = read(path).unwrap();
        } else if let Some(change) = line.strip_prefix("    ") {
            let (old, new) = change.split_once(" ==>").expect("OLD ==> NEW");
            let (old, new, every) = (
                unseen(old),
                unseen(new.trim_start_matches('*').trim_start_matches(' ')),
                new.starts_with('*'),
            );
            let text = &mut slips.last_mut().expect("a title").text;
            assert!(text.contains(&old), "{path}: the base has no {old:?}");
            *text = if every { text.replace(&old, &new) } else { text.replacen(&old, &new, 1) };
        } else {
            slips.push(Slip { title: line.to_owned(), text: base.clone() });
        }
    }
    slips
}

/// The errors of a spec, or else its warnings.
fn complaints(text: &str) -> (Diagnostics, SourceMap) {
    let reader = |path: &str| if path == "slip.fab" { Ok(text.to_owned()) } else { read(path) };
    match fabc::lang::read("slip.fab", &reader) {
        Ok((fabric, spec, sources)) => {
            (warnings(&spec, &fabric).into_iter().map(|warning| Box::new(warning) as _).collect(), sources)
        }
        Err((failure, sources)) => (failure.diagnostics(), sources),
    }
}

/// Place, code, message, labels and help of a diagnostic, on two lines.
fn printed_diagnostic(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> String {
    let labels: Vec<_> = diagnostic.labels().into_iter().flatten().collect();
    let (_, line, column) = sources.position(labels[0].offset() as u32).expect("a place");
    let kind = if diagnostic.severity() == Some(miette::Severity::Warning) { "warning" } else { "error" };
    let code = diagnostic.code().expect("a code");
    let labels: Vec<&str> = labels.iter().filter_map(|label| label.label()).collect();
    let help = diagnostic.help().map_or(String::new(), |help| format!("; {help}"));
    format!("  {line}:{column} {kind}[{code}]: {diagnostic}\n    {}{help}\n", labels.join(" / "))
}

#[test]
fn slips_are_told_with_place_cause_and_mend() {
    insta::glob!("..", "slips/*.txt", |path| {
        let mut text = String::new();
        for Slip { title, text: spec } in slips(relative(path)) {
            let (complaints, sources) = complaints(&spec);
            let messages: String =
                complaints.iter().map(|complaint| printed_diagnostic(&**complaint, &sources)).collect();
            text += &format!("{title}\n{}", if messages.is_empty() { "  nothing\n" } else { &messages });
        }
        settings().bind(|| insta::assert_snapshot!(text));
    });
}

#[test]
fn a_semicolon_after_a_block_is_taken_away() {
    let text =
        "fabric pod {\n    chip { vcs = 4; }; // four\n    topology = synthesize { seed = 1; } ;\n};\n";
    let file = parse_file("pod.fab", text).0.unwrap();
    assert_eq!(
        print(&file),
        "fabric pod {\n    chip { vcs = 4; } // four\n    topology = synthesize { seed = 1; }\n}\n"
    );
}

#[test]
fn words_of_choices_are_no_constants() {
    let base = read("tests/slips/pod.fab").unwrap();
    let text = base.replacen("effort = 1;", "method = relax; fix = 2;", 1).replacen(
        "cubes = 2",
        "let relax = 2; let flow = relax; cubes = flow",
        1,
    );
    let reader = |_: &str| Ok(text.clone());
    let spec = parse("pod.fab", &reader).0.unwrap();
    let normal = print_spec(&normalize(&spec));
    assert!(normal.contains("method = relax; fix = 2;"), "{normal}");
}

/// Found by the 50,379th of a million mutants: without its quotes such a name began a comment.
#[test]
fn names_of_routers_keep_the_quotes_that_they_need() {
    for name in
        ["a[0,0]", "cube0[1,1,/*0]", "a[//]", "a[1,(,0]", "a[{]", "a[x y]", "a[é]", "a/*[0]", "a[", "a]", "-"]
    {
        let text = format!("fabric f {{ simulate s {{ traffic = hotspot {{ at = [\"{name}\", 7]; }} }} }}\n");
        let spec = parse("names.fab", &|_: &str| Ok(text.clone()))
            .0
            .unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let normal = print_spec(&normalize(&spec));
        let again = parse("names.fab", &|_: &str| Ok(normal.clone()))
            .0
            .unwrap_or_else(|errors| panic!("{errors:?}\n{normal}"));
        assert_eq!(print_spec(&normalize(&again)), normal);
        assert_eq!(normal.contains(&format!("\"{name}\"")), name != "a[0,0]", "{normal}");
    }
}

#[test]
fn the_keywords_of_the_grammar_are_those_of_the_words() {
    let grammar = read("src/lang/fab.pest").unwrap();
    let items = words::ITEMS
        .iter()
        .filter(|item| !matches!(item.form, words::ItemForm::Setting | words::ItemForm::Choice))
        .map(|item| item.name);
    for word in items.chain(words::STATEMENTS.iter().map(|(name, _)| *name)) {
        assert!(
            grammar.contains(&format!("@{{ \"{word}\" ~ !word_char }}")),
            "the grammar has no keyword `{word}`"
        );
    }
    for item in words::ITEMS {
        let (file, sources) = parse_file("word.fab", item.example);
        let file = file.unwrap_or_else(|errors| {
            panic!("{}", rendered(errors.into_iter().map(|error| Box::new(error) as _).collect(), &sources))
        });
        let fabc::syntax::ast::FileEntry::Item(entry) = &file.entries[0] else {
            panic!("{} is no item", item.example)
        };
        assert_eq!(entry.kind.keyword(), item.name);
    }
}

#[test]
fn every_code_has_a_file_that_triggers_it() {
    let mut triggered = BTreeSet::new();
    for file in ["spelling", "pods", "parted", "networks", "warnings"] {
        for slip in slips(&format!("tests/slips/{file}.txt")) {
            triggered.extend(
                complaints(&slip.text)
                    .0
                    .iter()
                    .map(|error| error.code().expect("every error has a code").to_string()),
            );
        }
    }
    for path in fab_files("tests/err") {
        let errors = front_end(path.to_str().unwrap()).0.err().unwrap_or_default();
        triggered
            .extend(errors.iter().map(|error| error.code().expect("every error has a code").to_string()));
    }
    // Those of the command line: tests/it/language/parameters.rs.
    triggered.extend(["FAB0018", "FAB0142"].map(str::to_owned));
    // FAB0203 stands among the codes of topologies, but `resolve` reads the file.
    // Those of jobs stand behind those of simulations.
    let of_jobs =
        |code: &str| ("FAB0640".."FAB0650").contains(&code) || ("FAB0655".."FAB0662").contains(&code);
    let of_language = |code: &String| code.as_str() < "FAB0200" || code == "FAB0203" || of_jobs(code);
    let documented: BTreeSet<String> = codes().map(|doc| doc.code.to_owned()).filter(of_language).collect();
    assert_eq!(triggered, documented);
}

#[test]
fn errors_stand_in_source_order() {
    for path in fab_files("tests/err") {
        let errors = front_end(path.to_str().unwrap()).0.err().unwrap_or_default();
        let places: Vec<usize> =
            errors.iter().filter_map(|error| Some(error.labels()?.next()?.offset())).collect();
        assert!(places.is_sorted(), "{path:?}: {places:?}");
    }
}

#[test]
fn large_pods_resolve_fast() {
    let text = read("specs/pod_1024.fab").unwrap().replace("cubes = 16", "cubes = 1024");
    let parts = read("specs/parts/tpu_v4.fab").unwrap().replace("ports = 136", "ports = 1024");
    let reader = |path: &str| Ok(if path.contains("parts") { parts.clone() } else { text.clone() });
    let spec = parse("specs/pod.fab", &reader).0.unwrap();
    let pod = resolve(&spec, &reader).unwrap();
    assert_eq!(
        pod.pod().unwrap().ocses.iter().map(|ocs| ocs.a.len() + ocs.b.len()).sum::<usize>(),
        2 * 48 * 1024
    );
}

#[test]
fn thousands_of_groups_at_one_port_are_counted_after_the_first_hundred() {
    let template = read("tests/err/meaning/port_taken.fab").unwrap();
    let group = |k: u32| {
        format!(
            "ocs G{k:05}[u in 0..2, v in 0..2] {{ couple +x[u, v] with -x[u, v] over fiber; ports = 16; }}\n"
        )
    };
    let (head, rest) = template.split_once("    ocs X").unwrap();
    let text = format!(
        "{head}{}{}",
        (0..5_000).map(group).collect::<String>(),
        &rest[rest.find("    budget").unwrap()..]
    );
    let reader = |_: &str| Ok(text.clone());
    let spec = parse("pod.fab", &reader).0.unwrap();
    let errors: Vec<String> = resolve(&spec, &reader).unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 101);
    assert_eq!(errors[0], "face port cube0.+x[0,0] is served twice: by G00000[0,0] and by G00001[0,0]");
    assert_eq!(errors[100], "4899 more groups serve face ports that are served already");
}

#[test]
fn brackets_nest_up_to_the_limit() {
    let number = format!("fabric pod {{ cubes = {}2{}; }}", "(".repeat(60), ")".repeat(60));
    let blocks = format!("fabric pod {{ {}{} }}", "x = a { ".repeat(60), "}".repeat(60));
    for text in [number, blocks] {
        let file = parse_file("pod.fab", &text).0.unwrap();
        assert_eq!(print(&parse_file("pod.fab", &print(&file)).0.unwrap()), print(&file));
    }
}

#[test]
fn an_unreadable_spec_is_an_error_without_a_place() {
    let (parsed, _) = parse("nowhere.fab", &read);
    assert!(matches!(parsed.unwrap_err()[..], [ParseError::Unreadable { span: None, .. }]));
}

/// Run `UPDATE_DOCS=1 cargo test --test it language` to write the page.
#[test]
fn the_page_of_errors_is_up_to_date() {
    let wanted = fabc::diag::errors_markdown();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write("docs/errors.md", &wanted).unwrap();
    }
    assert_eq!(read("docs/errors.md").unwrap(), wanted, "run UPDATE_DOCS=1 cargo test --test language");
}

#[test]
fn a_spec_has_limits_with_all_its_files() {
    let error_of = |files: &dyn Fn(&str) -> String| {
        let loader = |path: &str| Ok(files(path));
        parse("pod.fab", &loader).0.expect_err("too much")
    };
    let large = format!("//{}", "x".repeat(3 << 20));
    let two = |path: &str| {
        if path == "pod.fab" { "use \"a\"; use \"b\"; fabric pod { }".to_owned() } else { large.clone() }
    };
    assert!(matches!(error_of(&two)[..], [ParseError::TooLarge { .. }]));
    let dense = "let a = 1; ".repeat(40_000);
    let two = |path: &str| {
        if path == "pod.fab" { "use \"a\"; use \"b\"; fabric pod { }".to_owned() } else { dense.clone() }
    };
    assert!(matches!(error_of(&two)[..], [ParseError::TooManyTokens { .. }]));
    let denser = |_: &str| "x = 1; ".repeat(200_000);
    assert!(matches!(error_of(&denser)[..], [ParseError::TooManyTokens { .. }]));
    // Each file uses the next one: as many as there are numbers.
    let chain = |path: &str| {
        let number: usize = path.parse().unwrap_or(0);
        format!("use \"{}\";{}", number + 1, if path == "pod.fab" { " fabric pod { }" } else { "" })
    };
    assert!(matches!(error_of(&chain)[..], [ParseError::TooManyFiles { limit: 256, .. }]));
}
