//! Specs of `specs/`: they resolve, they are formatted, and the normal form means the same.

use super::{fab_files, front_end, read, rendered, without_spans};
use fabc::lang::resolve;
use fabc::syntax::{normalize, parse, parse_file, print, print_spec};

#[test]
fn shipped_specs_resolve() {
    for path in fab_files("specs") {
        if path.starts_with("specs/parts") {
            continue;
        }
        let (pod, sources) = front_end(path.to_str().unwrap());
        if let Err(errors) = pod {
            panic!("{}", rendered(errors, &sources));
        }
    }
}

#[test]
fn shipped_specs_are_formatted() {
    for path in fab_files("specs") {
        let text = read(path.to_str().unwrap()).unwrap();
        let file = parse_file("spec.fab", &text).0.unwrap();
        assert_eq!(print(&file), text, "{path:?}");
    }
}

#[test]
fn formatting_is_idempotent_and_keeps_comments() {
    for path in fab_files("specs").into_iter().chain(fab_files("tests/ok")) {
        let text = read(path.to_str().unwrap()).unwrap();
        let file = parse_file("spec.fab", &text).0.unwrap();
        let once = print(&file);
        let again = parse_file("spec.fab", &once).0.unwrap();
        assert_eq!(print(&again), once, "{path:?}");
        let texts = |file: &fabc::syntax::ast::SpecFile| {
            file.comments.iter().map(|comment| comment.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(texts(&again), texts(&file), "{path:?}");
    }
}

#[test]
fn the_normal_form_means_the_same_and_is_its_own_normal_form() {
    for path in fab_files("specs")
        .into_iter()
        .chain(fab_files("tests/ok"))
        .filter(|path| !path.starts_with("specs/parts"))
    {
        let path = path.to_str().unwrap();
        let spec = parse(path, &read).0.unwrap();
        let normal = print_spec(&normalize(&spec));
        let reader =
            |path_asked: &str| if path_asked == path { Ok(normal.clone()) } else { read(path_asked) };
        let reparsed = parse(path, &reader).0.unwrap_or_else(|errors| panic!("{errors:?}\n{normal}"));
        assert_eq!(print_spec(&normalize(&reparsed)), normal, "{path}");
        let (pod, same) = (resolve(&spec, &read).unwrap(), resolve(&reparsed, &read).unwrap());
        assert_eq!(without_spans(&pod), without_spans(&same), "{path}");
        let mut lines = same.requires.clone();
        lines.sort_by_key(|require| require.position);
        assert!(lines.is_sorted_by_key(|require| require.span), "{path}: requires out of order");
    }
}
