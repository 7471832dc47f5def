//! Where a built directory keeps its copies of the files that a spec names.

/// Where a built directory keeps the matrix of its demand.
pub const DEMAND_INPUT: &str = "inputs/demand.csv";

/// Where a built directory keeps the graph of its topology: GraphML, or else an edge list.
pub const GRAPH_INPUTS: [&str; 2] = ["inputs/topology.graphml", "inputs/topology.txt"];

/// The place in a built directory for the cross-connects that a spec names.
pub const OCS_INPUT: &str = "inputs/ocs.json";

/// How the places of the messages of collectives begin.
pub const PAIRS_INPUT: &str = "inputs/pairs-";

/// The place in a built directory for the messages of a collective.
pub fn pairs_input(collective: &str) -> String {
    format!("{PAIRS_INPUT}{collective}.csv")
}

/// How the places of the traces of simulations begin.
pub const TRACE_INPUT: &str = "inputs/trace-";

/// The place in a built directory for the trace of a simulation.
pub fn trace_input(simulation: &str) -> String {
    format!("{TRACE_INPUT}{simulation}.csv")
}

/// The place in a built directory for a graph that a spec names by this path.
pub fn graph_input(path: &str) -> &'static str {
    GRAPH_INPUTS[usize::from(!is_graphml(path))]
}

/// Whether the file of a graph is GraphML; otherwise it is an edge list.
pub fn is_graphml(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("graphml"))
}

/// How the paths of the files of a kind of slice begin, in the directory of its pod.
pub fn kind_files(kind: &str) -> String {
    format!("{KINDS}{kind}/")
}

/// How the paths of the files of all kinds begin.
pub const KINDS: &str = "slices/";
