//! Fills in the templates of the page.

use minijinja::{Environment, Value};

/// Fills in a template that is compiled in. Values are escaped.
pub(super) fn render(template: &'static str, values: Value) -> String {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    // The extension of the name turns on HTML escaping.
    environment.add_template("report.html", template).expect("the template parses: it is compiled in");
    let template = environment.get_template("report.html").expect("added above");
    template.render(values).expect("the template uses what its values give it")
}
