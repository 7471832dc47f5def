//! Edge lists: a line `u v` or `u v link` for every link, `#` before comments; routers in the order in which
//! they are first named.

use super::parsed::{Edge, Graph, Slip};
use fabc_model::ListedRouter;
use std::collections::BTreeMap;

/// Reads an edge list.
pub(super) fn read(text: &str) -> Result<Graph, Slip> {
    let mut graph = Graph { routers: Vec::new(), edges: Vec::new(), directed: None };
    let mut ids: BTreeMap<&str, u32> = BTreeMap::new();
    let mut next = 0;
    for line in text.split_inclusive('\n') {
        let at = next;
        next += line.len();
        let line = if at == 0 { line.trim_start_matches('\u{feff}') } else { line };
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
                return Err(Slip::At { at: Some(at), problem, help });
            }
        };
        let ends = ends.map(|name| {
            *ids.entry(name).or_insert_with(|| {
                graph.routers.push(ListedRouter { name: name.to_owned(), hosts: None });
                graph.routers.len() as u32 - 1
            })
        });
        if let Some(name) = words[..2].iter().find(|name| name.chars().any(char::is_control)) {
            return Err(Slip::at(
                at,
                format!("the name `{}` has a control character in it", name.escape_debug()),
            ));
        }
        graph.edges.push(Edge { ends, link, ports: [None, None], at });
    }
    Ok(graph)
}
