//! How large things may be: every limit that is fixed, in one place. `docs/language.md` tells them to users,
//! and `tests/tidy/main.rs` compares.
//!
//! What a build may take of memory is estimated from the pod before the work begins, in `compile::size` and
//! `passes::synth`.

/// Bytes of a spec together with all files that it uses; and of the normal form that is written of it.
pub const SPEC_BYTES: usize = 4 << 20;

/// Words, numbers, texts and signs of a spec together with all files that it uses: each takes some 300 bytes
/// while it is read.
pub const SPEC_TOKENS: usize = 1 << 18;

/// Files of a spec: itself, and those that it uses.
pub const SPEC_FILES: usize = 256;

/// How deep brackets may nest: the parser behind them is recursive.
pub const BRACKETS: usize = 64;

/// Letters of the name of a fabric or of an OCS group: files are named after them.
pub const NAME_LETTERS: usize = 128;

/// Indices of an OCS group.
pub const INDICES: usize = 16;

/// Chips of a pod.
pub const CHIPS: u64 = 1 << 20;

/// Cubes of a pod: the symmetry of a pod takes memory per pair of cubes.
pub const CUBES: u64 = 1 << 15;

/// Routers of a network that is built.
pub const ROUTERS: u64 = 1 << 16;

/// Routers of a network that formulas describe: beyond [`ROUTERS`] it is looked at in a sample, never built.
pub const DESCRIBED_ROUTERS: u64 = 1 << 20;

/// Routers of a network whose spectrum proves a lower end of the bisection: by a factorization that takes the
/// cube of their number.
pub const SPECTRUM_ROUTERS: usize = 4608;

/// Routers that `walktrap` puts into cabinets: their walks take memory for every two of them.
pub const WALKTRAP_ROUTERS: u64 = 1 << 14;

/// Looks at a channel that one search from every router may take: beyond them a network is refused. As many
/// are allowed for the edge connectivity and for the curve of failures, which else are not measured.
pub const GRAPH_STEPS: u64 = 1 << 34;

/// Integers of a flow that the certificates of a network may list, by sources and channels: of a larger one
/// the lower end of the flow is what its tables carry.
pub const FLOW_ENTRIES: u64 = 1 << 27;
/// The same of a network whose vectors are scheduled and whose spec asks for no flow.
pub const SCHEDULED_FLOW_ENTRIES: u64 = 1 << 22;

/// Random orders in which links fail.
pub const FAILURE_SEEDS: u32 = 10_000;

/// Bytes of a file that lists a graph.
pub const GRAPH_BYTES: u64 = 256 << 20;

/// OCSes of a pod.
pub const OCSES: u64 = 1 << 16;

/// Chips of a pod whose demand is a matrix.
pub const MATRIX_CHIPS: usize = 4096;

/// The largest weight of a pair in a demand.
pub const WEIGHT: u32 = 1_000_000;

/// The least common multiple of the capacities of links, at most: loads are counted in so many parts of a
/// unit.
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

/// Cycles of a simulation that warm up and that are measured, together: they are counted in 32 bits, and as
/// many may follow until the last packets arrive.
pub const SIMULATED_CYCLES: u64 = 1_000_000_000;

/// Chips of a fabric whose collectives are estimated: formulas count messages in integers.
pub const ESTIMATED_CHIPS: u64 = 1 << 30;

/// Axes of a torus or mesh that is estimated.
pub const ESTIMATED_AXES: usize = 32;

/// Sizes of a curve that is estimated.
pub const ESTIMATED_SIZES: usize = 1000;

/// Bytes of the vector of a chip in a collective that is scheduled: times are counted in attoseconds.
pub const COLLECTIVE_BYTES: u64 = 1 << 50;

/// Bytes of a file of messages.
pub const PAIRS_BYTES: u64 = 16 << 20;

/// Bytes of a file of messages that a simulation sends.
pub const TRACE_BYTES: u64 = 64 << 20;

/// Cycles before which a message is not there, at most.
pub const EARLIEST_CYCLES: u32 = 1 << 30;

/// Parts of a shard that can be asked for.
pub const COLLECTIVE_CHUNKS: u32 = 1 << 16;

/// Runs of a sweep.
pub const SWEEP_RUNS: usize = 100_000;

/// The longest overhead of a message, a second: more is none.
pub const COLLECTIVE_OVERHEAD_PS: u64 = 1_000_000_000_000;

/// Bytes of a message of an editor: a spec of the largest size, with every letter escaped, has fewer.
pub const LSP_BYTES: u64 = 64 << 20;

/// Attributes of an XML element: its reader compares each of them with all others.
pub const XML_ATTRIBUTES: usize = 256;

/// The first byte of an element with more attributes than [`XML_ATTRIBUTES`], found in one pass before the
/// text is read as XML.
pub fn crowded_element(xml: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(open) = xml[at..].find('<').map(|found| at + found) {
        let rest = &xml[open..];
        let closed = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
            .into_iter()
            .find(|(begin, _)| rest.starts_with(begin));
        if let Some((begin, end)) = closed {
            at = open + begin.len() + rest[begin.len()..].find(end)? + end.len();
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
        at = open + end;
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
