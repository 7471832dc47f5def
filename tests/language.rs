//! The language: what resolves, what is refused and how that reads, and that nothing makes the front end panic.

use fabc::diag::SourceMap;
use fabc::model::{Pod, resolve};
use fabc::syntax::parse;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

type Diagnostics = Vec<Box<dyn Diagnostic + Send + Sync>>;

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| error.kind().to_string())
}

fn front_end(path: &str) -> (Result<Pod, Diagnostics>, SourceMap) {
    let (parsed, sources) = parse(path, &read);
    let pod = match parsed {
        Err(errors) => Err(errors.into_iter().map(|error| Box::new(error) as _).collect()),
        Ok(spec) => resolve(&spec, &read).map_err(|errors| errors.into_iter().map(|error| Box::new(error) as _).collect()),
    };
    (pod, sources)
}

/// All errors as the terminal shows them, without colours.
fn rendered(errors: Diagnostics, sources: &SourceMap) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    let mut text = String::new();
    for error in errors {
        let report = miette::Report::new_boxed(error).with_source_code(sources.clone());
        handler.render_report(&mut text, report.as_ref()).expect("rendering into a string");
    }
    text
}

#[test]
fn shipped_specs_resolve() {
    for entry in std::fs::read_dir("specs").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "fab") {
            let (pod, sources) = front_end(path.to_str().unwrap());
            if let Err(errors) = pod {
                panic!("{}", rendered(errors, &sources));
            }
        }
    }
}
