//! `fabc job --set PATH=VALUE`: a spec in which settings of its jobs have other values.
//!
//! A path leads from the block of the job through inner blocks and operations to a setting: `axes.data`,
//! `layers.in.size`. The text of the value is replaced, or the setting is added, and the spec is read again.
//! So every mistake in a value gets the error that it would have in the spec.

use crate::refusal::Refusal;
use fabc_base::diag::{Span, list};
use fabc_lang::syntax::ast::{Block, FileEntry, Item, ItemKind, Setting, StatementKind, ValueKind};
use fabc_lang::syntax::parse_file;

/// Where the text of a value goes.
enum Target {
    /// In place of another value.
    Value(Span),
    /// In place of `;`, as a block of settings has it.
    End(u32),
}

/// The text of a spec with the settings in one job, or in the only one.
///
/// # Errors
/// A word without `=`, a path that leads nowhere, and several jobs without a name.
pub fn with_settings(text: String, job: Option<&str>, sets: &[String]) -> Result<String, Refusal> {
    let mut text = text;
    for set in sets {
        let unknown =
            |hint: String| Refusal::UnknownWord { kind: "setting".to_owned(), name: set.clone(), hint };
        let (path, value) = set
            .split_once('=')
            .map(|(path, value)| (path.trim(), value.trim()))
            .filter(|(path, value)| !path.is_empty() && !value.is_empty())
            .ok_or_else(|| unknown("write a path and a value: `--set axes.data=8`".to_owned()))?;
        // A spec that cannot be parsed is reported by those who read it.
        let Ok(file) = parse_file("spec.fab", &text).0 else { return Ok(text) };
        let block = job_block(&file.entries, job).map_err(unknown)?;
        let segments: Vec<&str> = path.split('.').map(str::trim).collect();
        let name = segments[segments.len() - 1];
        match target(block, &segments).map_err(unknown)? {
            Target::Value(span) => text.replace_range(span.start as usize..span.end as usize, value),
            Target::End(at) => text.insert_str(at as usize, &format!(" {name} = {value}; ")),
        }
    }
    Ok(text)
}

/// The block of the job with a name, or of the only one.
fn job_block<'a>(entries: &'a [FileEntry], wanted: Option<&str>) -> Result<&'a Block, String> {
    let items = entries.iter().flat_map(|entry| match entry {
        FileEntry::Fabric(fabric) => &fabric.items[..],
        FileEntry::Item(item) => std::slice::from_ref(item),
    });
    let job = |item: &'a Item| match &item.kind {
        ItemKind::Job(name, _, block) => Some((&*name.value, block)),
        _ => None,
    };
    let jobs: Vec<(&str, &Block)> = items.filter_map(job).collect();
    let names: Vec<&str> = jobs.iter().map(|(name, _)| *name).collect();
    match (wanted, &jobs[..]) {
        (None, [(_, block)]) => Ok(block),
        (None, []) => Err("the spec declares no job".to_owned()),
        (None, _) => Err(format!("say of which job: `--job {}`, for example", names[0])),
        (Some(wanted), _) => match jobs.iter().find(|(name, _)| *name == wanted) {
            Some((_, block)) => Ok(block),
            None => Err(format!("there is no job `{wanted}`. Known here: {}", list(&names))),
        },
    }
}

/// Where the value of a path goes: in a block, through the blocks that all but its last name lead to.
fn target(block: &Block, segments: &[&str]) -> Result<Target, String> {
    let [inner @ .., name] = segments else { return Err("the path is empty".to_owned()) };
    let mut block = block;
    for segment in inner {
        let known: Vec<&str> = blocks_of(block).map(|(name, _)| name).collect();
        block =
            blocks_of(block).find(|(name, _)| name == segment).map(|(_, block)| block).ok_or_else(|| {
                match known.is_empty() {
                    true => format!("there is nothing in braces before `{segment}`"),
                    false => format!("there is no `{segment}`. Known here: {}", list(&known)),
                }
            })?;
    }
    let found = block.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Setting(setting) if &*setting.name.value == *name => Some(setting.value.span),
        _ => None,
    });
    // The span of a block ends after its `}`.
    Ok(found.map_or(Target::End(block.span.end - 1), Target::Value))
}

/// The blocks in a block, each with the name that leads to it: that of the phase or operation, or its word.
fn blocks_of(block: &Block) -> impl Iterator<Item = (&str, &Block)> {
    block.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Inner(inner) => {
            let name = inner.name.as_ref().unwrap_or(&inner.word);
            Some((&*name.value, &inner.block))
        }
        StatementKind::Operation(Setting { name, value }) => match &value.kind {
            ValueKind::Block(_, block) => Some((&*name.value, block)),
            _ => None,
        },
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "fabric f { job a { axes { data = 8; tensor = 4; } phase one { \
        collective sum = all_reduce { over = data; size = 1 GiB; } } zero = 1; } }";

    fn set(sets: &[&str]) -> Result<String, String> {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        with_settings(SPEC.to_owned(), None, &sets).map_err(|error| match error {
            Refusal::UnknownWord { hint, .. } => hint,
            other => other.to_string(),
        })
    }

    #[test]
    fn values_are_replaced_through_blocks_and_operations() {
        let text = set(&["axes.data=16", "axes.tensor = 2", "one.sum.size=4 MiB", "zero=3"]).unwrap();
        let wanted = SPEC
            .replace("data = 8", "data = 16")
            .replace("tensor = 4", "tensor = 2")
            .replace("1 GiB", "4 MiB")
            .replace("zero = 1", "zero = 3");
        assert_eq!(text, wanted);
    }

    #[test]
    fn settings_that_are_not_written_are_added() {
        let text = set(&["one.sum.times=3", "compute=1 s"]).unwrap();
        let wanted = SPEC
            .replace("1 GiB; }", "1 GiB;  times = 3; }")
            .replace("zero = 1; }", "zero = 1;  compute = 1 s; }");
        assert_eq!(text, wanted);
    }

    #[test]
    fn paths_that_lead_nowhere_have_a_hint() {
        assert_eq!(set(&["axes.data"]).unwrap_err(), "write a path and a value: `--set axes.data=8`");
        assert_eq!(set(&["axis.data=8"]).unwrap_err(), "there is no `axis`. Known here: `axes`, `one`");
        assert_eq!(set(&["axes.x.y=8"]).unwrap_err(), "there is nothing in braces before `x`");
    }
}
