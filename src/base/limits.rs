//! How large things may be: every fixed limit, in one place. `docs/language.md` tells them to users, and
//! `tests/tidy/main.rs` compares.
//!
//! The memory of a build is estimated from the fabric before the work begins, in `compile::size` and
//! `passes::synth`.

/// Bytes of a spec together with all files that it uses. Also the limit of its normal form.
pub const SPEC_BYTES: usize = 4 << 20;

/// Words, numbers, texts and signs of a spec together with all files that it uses: each takes some 300 bytes
/// while it is read.
pub const SPEC_TOKENS: usize = 1 << 18;

/// Files of a spec: itself, and those that it uses.
pub const SPEC_FILES: usize = 256;

/// How deep brackets may nest. The parser of expressions is recursive.
pub const BRACKETS: usize = 64;

/// Letters of the name of a fabric or of an OCS group: files are named after them.
pub const NAME_LETTERS: usize = 128;

/// Indices of an OCS group.
pub const INDICES: usize = 16;

/// The most chips of a pod.
pub const CHIPS: u64 = 1 << 20;

/// Cubes of a pod: the symmetry of a pod takes memory per pair of cubes.
pub const CUBES: u64 = 1 << 15;

/// Routers of a network that is built.
pub const ROUTERS: u64 = 1 << 16;

/// Routers of a network that formulas describe. Beyond [`ROUTERS`] only a sample of it is examined, and it is
/// never built.
pub const DESCRIBED_ROUTERS: u64 = 1 << 20;

/// Routers of a network whose spectrum proves a lower bound of the bisection. The factorization takes the
/// cube of their number.
pub const SPECTRUM_ROUTERS: usize = 4608;

/// Routers that `walktrap` puts into cabinets: their walks take memory for every two of them.
pub const WALKTRAP_ROUTERS: u64 = 1 << 14;

/// Visits of channels that a search from every router may take. A network that needs more is refused. The
/// edge connectivity and the curve of failures have the same limit, beyond which they are not measured.
pub const GRAPH_STEPS: u64 = 1 << 34;

/// Integers (sources x channels) of a flow that the certificates of a network may list. Beyond it, what the
/// tables carry is the lower bound of the flow.
pub const FLOW_ENTRIES: u64 = 1 << 27;
/// The same limit for a network whose vectors are scheduled and whose spec asks for no flow.
pub const SCHEDULED_FLOW_ENTRIES: u64 = 1 << 22;

/// Random orders in which links fail.
pub const FAILURE_SEEDS: u32 = 10_000;

/// Flows of a next-hop group whose collisions are counted. The exact count takes the square of their number.
pub const COLLISION_FLOWS: u64 = 512;

/// Bytes of a file that lists a graph.
pub const GRAPH_BYTES: u64 = 256 << 20;

/// The most OCSes of a pod.
pub const OCSES: u64 = 1 << 16;

/// Chips of a pod whose demand is a matrix.
pub const MATRIX_CHIPS: usize = 4096;

/// The largest weight of a pair in a demand.
pub const WEIGHT: u32 = 1_000_000;

/// The largest least common multiple of the link capacities. Loads are counted in that many parts of a unit.
pub const CAPACITY_PARTS: u64 = 1 << 16;

/// Bytes that one build may take, as estimated before it begins.
pub const BUILD_BYTES: u64 = 16 << 30;

/// Bytes of one file of a built directory, or of foreign tables.
pub const ARTIFACT_BYTES: u64 = 4 << 30;

/// Bytes of all files of a built directory together.
pub const DIRECTORY_BYTES: u64 = 16 << 30;

/// Bytes of a demand matrix: every number with all its digits, a comma and some blanks.
pub fn matrix_bytes(chips: usize) -> u64 {
    (1 << 16) + (chips as u64).pow(2) * 12
}

/// Bytes of a file that sets switches with so many face ports: far more than fabc writes, for files that
/// others laid out.
pub fn cross_connects_bytes(face_ports: usize) -> u64 {
    (16 << 20) + face_ports as u64 * 512
}

/// Cycles of a simulation, warm-up and measured cycles together. They are counted in 32 bits, and as many may
/// follow until the last packets arrive.
pub const SIMULATED_CYCLES: u64 = 1_000_000_000;

/// Chips of a fabric whose collectives are estimated: formulas count messages in integers.
pub const ESTIMATED_CHIPS: u64 = 1 << 30;

/// Axes of a torus or mesh that is estimated.
pub const ESTIMATED_AXES: usize = 32;

/// Sizes of a curve that is estimated.
pub const ESTIMATED_SIZES: usize = 1000;

/// Bytes of the vector of a chip in a collective that is scheduled: times are counted in attoseconds.
pub const COLLECTIVE_BYTES: u64 = 1 << 50;

/// Bytes per chip of all runs of an operation of a job.
pub const JOB_BYTES: u64 = 1 << 60;

/// Runs of an operation of a job in a step.
pub const JOB_TIMES: u64 = 1 << 40;

/// The longest time that a step of a job computes, in picoseconds: a million seconds.
pub const JOB_COMPUTE_PS: u64 = 1_000_000_000_000_000_000;

/// Bytes of a file that names hosts.
pub const HOSTS_BYTES: u64 = 64 << 20;

/// Bytes of a table of insertion losses, or of the dump of a switch that has one.
pub const LOSSES_BYTES: u64 = 256 << 20;

/// Bytes of a file that says which chip is which rank.
pub const RANKS_BYTES: u64 = 64 << 20;

/// Ranks of an execution trace.
pub const CHAKRA_RANKS: u32 = 4096;

/// Nodes of the execution traces of all ranks together.
pub const CHAKRA_NODES: u64 = 1 << 28;

/// Bytes of the execution trace of one rank.
pub const CHAKRA_BYTES: u64 = 1 << 30;

/// Kinds of collectives and messages of an execution trace that differ by kind, size or groups.
pub const CHAKRA_CLASSES: usize = 4096;

/// Bytes of a file of phases, or of communicator groups.
pub const PHASES_BYTES: u64 = 256 << 20;

/// Bytes of a file of messages.
pub const PAIRS_BYTES: u64 = 16 << 20;

/// Bytes of a file of messages that a simulation sends.
pub const TRACE_BYTES: u64 = 64 << 20;

/// The largest earliest cycle of a message.
pub const EARLIEST_CYCLES: u32 = 1 << 30;

/// Parts of a shard that a user can ask for.
pub const COLLECTIVE_CHUNKS: u32 = 1 << 16;

/// The most runs of a sweep.
pub const SWEEP_RUNS: usize = 100_000;

/// The longest overhead of a message, in picoseconds: a second.
pub const COLLECTIVE_OVERHEAD_PS: u64 = 1_000_000_000_000;

/// Bytes of a message of an editor: a spec of the largest size, with every letter escaped, has fewer.
pub const LSP_BYTES: u64 = 64 << 20;

/// Attributes of an XML element. Its reader compares each of them with all others.
pub const XML_ATTRIBUTES: usize = 256;

/// The position of the first element with more attributes than [`XML_ATTRIBUTES`]. One pass finds it, before
/// the text is parsed as XML.
pub fn crowded_element(xml: &str) -> Option<usize> {
    let mut position = 0;
    while let Some(open) = xml[position..].find('<').map(|offset| position + offset) {
        let rest = &xml[open..];
        let closed = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
            .into_iter()
            .find(|(begin, _)| rest.starts_with(begin));
        if let Some((begin, end)) = closed {
            position = open + begin.len() + rest[begin.len()..].find(end)? + end.len();
            continue;
        }
        let (mut quote, mut attributes, mut end) = (None, 0, rest.len());
        for (offset, byte) in rest.bytes().enumerate().skip(1) {
            match (byte, quote) {
                (b'"' | b'\'', None) => quote = Some(byte),
                (_, Some(open)) if byte == open => quote = None,
                (b'=', None) => attributes += 1,
                (b'>', None) => {
                    end = offset + 1;
                    break;
                }
                _ => {}
            }
        }
        if attributes > XML_ATTRIBUTES {
            return Some(open);
        }
        position = open + end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_with_too_many_attributes_are_found() {
        let attributes = |count: usize| (0..count).map(|k| format!(" a{k}='>= &lt;'")).collect::<String>();
        let xml = |count: usize| {
            format!("<?xml a='<'?><!-- {} --><g><n{}/></g>", attributes(500), attributes(count))
        };
        assert_eq!(crowded_element(&xml(XML_ATTRIBUTES)), None);
        assert_eq!(crowded_element(&xml(XML_ATTRIBUTES + 1)), xml(0).find("<n"));
        for odd in ["", "<", "<a b='", "<!-- ", "<![CDATA[ a=b ]]", "a < b > c = d", "<?"] {
            assert_eq!(crowded_element(odd), None, "{odd}");
        }
    }
}
