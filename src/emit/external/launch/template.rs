//! Templates of host names, such as `node-{cube}-{host:02}`.

use crate::json::push;
use fabc_base::diag::{closest, list};

/// A number or name of a host that a template can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HostField {
    /// The number of the host in its cube. Without cubes, in the fabric.
    Host,
    /// The number of the host in the fabric.
    Index,
    /// The number of its first chip.
    Chip,
    /// The name of its first chip, with `-` for brackets, commas, dots and blanks.
    Name,
    /// The number of its cube.
    Cube,
    /// A coordinate of its first chip, by axis.
    Coordinate(usize),
    /// The number of its box.
    Box,
}

/// The fields of every fabric, then those of pods, then that of boxes.
const FIELDS: [(&str, HostField); 9] = [
    ("host", HostField::Host),
    ("index", HostField::Index),
    ("chip", HostField::Chip),
    ("name", HostField::Name),
    ("cube", HostField::Cube),
    ("x", HostField::Coordinate(0)),
    ("y", HostField::Coordinate(1)),
    ("z", HostField::Coordinate(2)),
    ("box", HostField::Box),
];

impl HostField {
    fn is_known(self, plant: HostPlant) -> bool {
        match self {
            HostField::Host | HostField::Index | HostField::Chip | HostField::Name => true,
            HostField::Cube | HostField::Coordinate(_) => plant == HostPlant::Cubes,
            HostField::Box => plant == HostPlant::Boxes,
        }
    }
}

/// What the chips of a fabric are grouped in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HostPlant {
    Cubes,
    Boxes,
    Routers,
}

/// A part of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
enum TemplatePart {
    Text(String),
    /// A field, with zeros before it up to so many characters.
    Field(HostField, usize),
}

/// A template that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct HostTemplate(Vec<TemplatePart>);

/// The reason why a template is none, and how to mend it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TemplateProblem {
    pub(super) problem: String,
    pub(super) hint: String,
}

impl HostTemplate {
    /// Reads a template for a fabric.
    ///
    /// # Errors
    /// A brace without its partner, a field that the fabric does not have, and a width of more than nine.
    pub(super) fn parse(text: &str, plant: HostPlant) -> Result<Self, TemplateProblem> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(brace) = rest.find(['{', '}']) {
            let (before, from_brace) = rest.split_at(brace);
            if !before.is_empty() {
                parts.push(TemplatePart::Text(before.to_owned()));
            }
            let field = from_brace.strip_prefix('{').and_then(|inner| inner.split_once('}'));
            let Some((field, after)) = field else {
                return Err(TemplateProblem {
                    problem: "a brace has no partner".to_owned(),
                    hint: fields_hint(plant),
                });
            };
            parts.push(parse_field(field, plant)?);
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(TemplatePart::Text(rest.to_owned()));
        }
        Ok(Self(parts))
    }

    /// The name of a host with these values.
    pub(super) fn name(&self, value: impl Fn(HostField) -> String) -> String {
        let mut name = String::new();
        for part in &self.0 {
            match part {
                TemplatePart::Text(text) => name.push_str(text),
                TemplatePart::Field(field, width) => {
                    push(&mut name, format_args!("{:0>width$}", value(*field)))
                }
            }
        }
        name
    }
}

/// Reads what stands between two braces: `cube`, or `host:03`.
fn parse_field(text: &str, plant: HostPlant) -> Result<TemplatePart, TemplateProblem> {
    let (name, width) = text.split_once(':').map_or((text, None), |(name, width)| (name, Some(width)));
    let known = || FIELDS.into_iter().filter(|(_, field)| field.is_known(plant));
    let Some((_, field)) = known().find(|(word, _)| *word == name) else {
        let near = closest(name, known().map(|(word, _)| word));
        let near = near.map_or_else(String::new, |near| format!("did you mean `{{{near}}}`? "));
        return Err(TemplateProblem {
            problem: format!("there is no field `{{{name}}}`"),
            hint: near + &fields_hint(plant),
        });
    };
    let Some(width) = width else { return Ok(TemplatePart::Field(field, 0)) };
    match width.strip_prefix('0').unwrap_or(width).parse::<u8>() {
        Ok(width @ 1..=9) => Ok(TemplatePart::Field(field, width.into())),
        _ => Err(TemplateProblem {
            problem: format!("`{width}` is no width"),
            hint: format!(
                "`{{{name}:03}}` has zeros in front, up to three digits. At most nine are possible"
            ),
        }),
    }
}

fn fields_hint(plant: HostPlant) -> String {
    let fields: Vec<String> = FIELDS
        .iter()
        .filter(|(_, field)| field.is_known(plant))
        .map(|(word, _)| format!("{{{word}}}"))
        .collect();
    format!("the fields of hosts here are {}", list(&fields.iter().map(String::as_str).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(template: &str) -> Result<String, TemplateProblem> {
        let read = HostTemplate::parse(template, HostPlant::Cubes)?;
        Ok(read.name(|field| match field {
            HostField::Cube => "1".to_owned(),
            HostField::Host => "12".to_owned(),
            _ => "7".to_owned(),
        }))
    }

    #[test]
    fn fields_are_filled_in() {
        for (template, filled) in [
            ("node-{cube}-{host}", "node-1-12"),
            ("n{host:04}", "n0012"),
            ("{x}{y}{z}", "777"),
            ("{host:1}.cluster", "12.cluster"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(name(template), Ok(filled.to_owned()), "{template}");
        }
    }

    #[test]
    fn wrong_templates_are_refused() {
        let fields = "the fields of hosts here are `{host}`, `{index}`, `{chip}`, `{name}`, `{cube}`, `{x}`, `{y}`, `{z}`";
        for (template, problem, hint) in [
            ("a{cube", "a brace has no partner", fields.to_owned()),
            ("a}b", "a brace has no partner", fields.to_owned()),
            ("{cub}", "there is no field `{cub}`", format!("did you mean `{{cube}}`? {fields}")),
            ("{box}", "there is no field `{box}`", fields.to_owned()),
            (
                "{host:x}",
                "`x` is no width",
                "`{host:03}` has zeros in front, up to three digits. At most nine are possible".to_owned(),
            ),
        ] {
            assert_eq!(
                name(template),
                Err(TemplateProblem { problem: problem.to_owned(), hint }),
                "{template}"
            );
        }
        assert!(HostTemplate::parse("{box}", HostPlant::Boxes).is_ok());
        assert!(HostTemplate::parse("{x}", HostPlant::Routers).is_err());
    }
}
