//! Reads edge lists: a line `u v` or `u v link` for every link, and `#` before comments. Routers are in the
//! order in which they are first named.

use super::parsed::{GraphProblem, ParsedEdge, ParsedGraph};
use fabc_model::ListedRouter;
use std::collections::BTreeMap;

/// Reads the text of an edge list.
pub(super) fn read(text: &str) -> Result<ParsedGraph, GraphProblem> {
    let mut graph = ParsedGraph { routers: Vec::new(), edges: Vec::new(), directed: None };
    let mut ids: BTreeMap<&str, u32> = BTreeMap::new();
    let mut next = 0;
    for line in text.split_inclusive('\n') {
        let offset = next;
        next += line.len();
        let line = if offset == 0 { line.trim_start_matches('\u{feff}') } else { line };
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().take(4).collect();
        let (ends, link) = match words[..] {
            [] => continue,
            [from, to] => ([from, to], None),
            [from, to, link] => ([from, to], Some(link.to_owned())),
            _ => {
                let help =
                    Some("a line is `u v` or `u v link`: two routers, and which link joins them".to_owned());
                let problem = if words.len() == 1 {
                    format!("`{}` stands alone", words[0])
                } else {
                    "this line has too many words".to_owned()
                };
                return Err(GraphProblem::At { offset: Some(offset), problem, help });
            }
        };
        let ends = ends.map(|name| {
            *ids.entry(name).or_insert_with(|| {
                graph.routers.push(ListedRouter { name: name.to_owned(), hosts: None });
                graph.routers.len() as u32 - 1
            })
        });
        if let Some(name) = words[..2].iter().find(|name| name.chars().any(char::is_control)) {
            return Err(GraphProblem::at_offset(
                offset,
                format!("the name `{}` has a control character in it", name.escape_debug()),
            ));
        }
        graph.edges.push(ParsedEdge { ends, link, ports: [None, None], offset });
    }
    Ok(graph)
}
