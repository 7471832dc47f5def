//! The places in a built directory for copies of the files that a spec names.

/// The place in a built directory for the matrix of its demand.
pub const DEMAND_INPUT: &str = "inputs/demand.csv";

/// The place in a built directory for the names of its hosts.
pub const HOSTS_INPUT: &str = "inputs/hosts.csv";

/// The place in a built directory for the insertion losses of its switches.
pub const LOSSES_INPUT: &str = "inputs/losses.csv";

/// The places in a built directory for the graph of its topology: GraphML, or an edge list.
pub const GRAPH_INPUTS: [&str; 2] = ["inputs/topology.graphml", "inputs/topology.txt"];

/// The place in a built directory for the cross-connects that a spec names.
pub const OCS_INPUT: &str = "inputs/ocs.json";

/// The beginning of the paths of the messages of collectives.
pub const PAIRS_INPUT: &str = "inputs/pairs-";

/// The place in a built directory for the messages of a collective.
pub fn pairs_input(collective: &str) -> String {
    format!("{PAIRS_INPUT}{collective}.csv")
}

/// The beginning of the paths of the traces of simulations.
pub const TRACE_INPUT: &str = "inputs/trace-";

/// The place in a built directory for the trace of a simulation.
pub fn trace_input(simulation: &str) -> String {
    format!("{TRACE_INPUT}{simulation}.csv")
}

/// The beginning of the paths of the ranks of jobs.
pub const RANKS_INPUT: &str = "inputs/ranks-";

/// The place in a built directory for the ranks of a job.
pub fn ranks_input(job: &str) -> String {
    format!("{RANKS_INPUT}{job}.csv")
}

/// The beginning of the paths of the phases of jobs.
pub const PHASES_INPUT: &str = "inputs/phases-";

/// The place in a built directory for the phases of a job that comes from a file.
pub fn phases_input(job: &str) -> String {
    format!("{PHASES_INPUT}{job}.json")
}

/// The place in a built directory for a graph that a spec names by this path.
pub fn graph_input(path: &str) -> &'static str {
    GRAPH_INPUTS[usize::from(!is_graphml(path))]
}

/// Whether the path of a graph names a GraphML file. Otherwise it is an edge list.
pub fn is_graphml(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("graphml"))
}

/// The beginning of the paths of the files of one kind of slice, in the directory of its pod.
pub fn kind_files(kind: &str) -> String {
    format!("{KINDS}{kind}/")
}

/// The beginning of the paths of the files of all kinds of slices.
pub const KINDS: &str = "slices/";
