//! Traces that are written here, message by message.

use crate::errors::TraceError;
use crate::messages::{Attribute, AttributeValue, GlobalMetadata, InputValues, Node, node_kind};
use crate::step::{TracedStep, read_step};
use fabc_base::diag::Span;
use fabc_model::{JobOperation, JobOperationKind, RankGroups};
use prost::Message;

/// Bytes of a trace with these nodes.
fn trace(nodes: &[Node]) -> Vec<u8> {
    let mut bytes = GlobalMetadata { version: "0.0.4".to_owned() }.encode_length_delimited_to_vec();
    nodes.iter().for_each(|node| bytes.extend(node.encode_length_delimited_to_vec()));
    bytes
}

fn node(id: u64, kind: i32, after: &[u64], attributes: &[(&str, AttributeValue)]) -> Node {
    let attribute = |(name, value): &(&str, AttributeValue)| Attribute {
        name: (*name).to_owned(),
        value: Some(value.clone()),
    };
    let attributes = attributes.iter().map(attribute).collect();
    Node { id, kind, data_deps: after.to_vec(), attributes, ..Node::default() }
}

const ALL_REDUCE: i64 = 0;
const ALL_GATHER: i64 = 2;

fn collective(id: u64, after: &[u64], comm_type: i64, size: u64, group: &str) -> Node {
    node(
        id,
        node_kind::COLLECTIVE,
        after,
        &[
            ("comm_type", AttributeValue::Int64(comm_type)),
            ("comm_size", AttributeValue::Uint64(size)),
            ("pg_name", AttributeValue::Text(group.to_owned())),
        ],
    )
}

fn send(id: u64, after: &[u64], to: u32) -> Node {
    let size = ("comm_size", AttributeValue::Text("4096".to_owned()));
    node(id, node_kind::SEND, after, &[size, ("comm_dst", AttributeValue::Fixed32(to))])
}

fn receive(id: u64, after: &[u64], from: u32) -> Node {
    let size = ("comm_size", AttributeValue::Sint64(4096));
    node(id, node_kind::RECV, after, &[size, ("comm_src", AttributeValue::Int32(from as i32))])
}

fn read(traces: &[Vec<u8>], groups: Option<&str>, chips: Option<u64>) -> Result<TracedStep, TraceError> {
    let load = |rank: u32| traces.get(rank as usize).cloned().ok_or_else(|| "no such file".to_owned());
    read_step(&load, groups, chips, Span::default())
}

fn problem(traces: &[Vec<u8>], groups: Option<&str>, chips: Option<u64>) -> String {
    read(traces, groups, chips).expect_err("it is refused").to_string()
}

/// Name, bytes, times and groups of an operation.
fn figures(operation: &JobOperation) -> (String, u64, u64, Vec<Vec<u32>>) {
    let RankGroups::Listed(lists) = &operation.groups else { panic!("{operation:?}") };
    (operation.name.clone(), operation.bytes, operation.times, lists.clone())
}

const FOUR: &str = r#"{"1":[0,1],"2":[2,3],"3":[0,2],"4":[1,3]}"#;

/// Layers with two gathers of the first axis, each after the other, and a sum over the second axis.
fn layers(rank: u32) -> Vec<u8> {
    let [first, second] = [["1", "1", "2", "2"], ["3", "4", "3", "4"]].map(|names| names[rank as usize]);
    let compute = Node { duration_micros: 5 + u64::from(rank), ..node(1, node_kind::COMP, &[0], &[]) };
    trace(&[
        collective(0, &[], ALL_GATHER, 1000, first),
        compute,
        collective(2, &[1], ALL_REDUCE, 500, first),
        collective(3, &[2], ALL_GATHER, 1000, first),
        collective(4, &[3], ALL_REDUCE, 9000, second),
    ])
}

#[test]
fn operations_and_phases_follow_from_dependencies() {
    let traces: Vec<Vec<u8>> = (0..4).map(layers).collect();
    let step = read(&traces, Some(FOUR), None).unwrap();
    assert_eq!((step.ranks, step.compute_ps), (4, 8_000_000));
    let [layers, gradients] = &step.phases[..] else { panic!("{:?}", step.phases) };
    // The gather waits for the sum and the sum for the gather: one phase. Nothing waits for the last sum.
    let pairs = vec![vec![0, 1], vec![2, 3]];
    let mut found: Vec<_> = layers.operations.iter().map(figures).collect();
    found.sort();
    let wanted =
        [("all_gather".to_owned(), 2000, 2, pairs.clone()), ("all_reduce".to_owned(), 500, 1, pairs)];
    assert_eq!(found, wanted);
    let across = vec![vec![0, 2], vec![1, 3]];
    assert_eq!(figures(&gradients.operations[0]), ("all_reduce".to_owned(), 9000, 1, across));
    assert_eq!((&layers.after[..], &gradients.after[..]), (&[][..], &[0][..]));
}

#[test]
fn one_rank_stands_for_all() {
    let traces: Vec<Vec<u8>> = (0..4).map(layers).collect();
    let all = read(&traces, Some(FOUR), None).unwrap();
    let one = read(&traces[..1], Some(FOUR), Some(4)).unwrap();
    assert_eq!((one.ranks, &one.phases), (4, &all.phases));
    assert_eq!(one.compute_ps, 5_000_000);
    let shared = r#"{"1":[0,1],"2":[2,3],"3":[0,2],"4":[1,3],"5":[1,2]}"#;
    assert_eq!(
        problem(&traces[..1], Some(shared), Some(4)),
        "there is the trace of rank 0 alone, and the groups 1 and 5 that are like its own share ranks"
    );
    assert_eq!(
        problem(&traces[..1], None, Some(4)),
        "node 0 of rank 0 is a collective of the group `1`, which is not listed"
    );
}

#[test]
fn groups_come_from_metadata() {
    let values = r#"['[{"pg_name": "0", "ranks": []}, {"pg_name": 7, "ranks": [1, 0], "group_size": 2}]']"#;
    let metadata = Node {
        inputs: Some(InputValues { values: values.to_owned() }),
        ..node(9, node_kind::METADATA, &[], &[])
    };
    let nodes = [collective(0, &[], ALL_REDUCE, 64, "7"), collective(1, &[], ALL_REDUCE, 128, "0"), metadata];
    let idle = [collective(1, &[], ALL_REDUCE, 128, "")];
    let step = read(&[trace(&nodes), trace(&nodes), trace(&idle)], None, None).unwrap();
    let found: Vec<_> = step.phases.iter().flat_map(|phase| &phase.operations).map(figures).collect();
    // The third rank is idle in the first operation. Nothing waits for anything: two phases at once.
    assert_eq!(found[0], ("all_reduce".to_owned(), 64, 1, vec![vec![0, 1]]));
    assert_eq!(found[1], ("all_reduce".to_owned(), 128, 1, vec![vec![0, 1, 2]]));
    assert!(step.phases.iter().all(|phase| phase.after.is_empty()));
}

#[test]
fn messages_are_chains_and_rings() {
    // Forward through three ranks.
    let forward = |rank: u32| {
        let mut nodes = vec![];
        if rank > 0 {
            nodes.push(receive(0, &[], rank - 1));
        }
        if rank < 2 {
            nodes.push(send(1, if rank > 0 { &[0] } else { &[] }, rank + 1));
        }
        trace(&nodes)
    };
    let step = read(&[forward(0), forward(1), forward(2)], None, None).unwrap();
    let operation = &step.phases[0].operations[0];
    assert_eq!(figures(operation), ("send".to_owned(), 4096, 1, vec![vec![0, 1, 2]]));
    assert_eq!(operation.kind, JobOperationKind::Send { both: false, wrap: false });
    let ring = |rank: u32| {
        trace(&[
            send(0, &[], (rank + 1) % 4),
            receive(1, &[0], (rank + 3) % 4),
            send(2, &[1], (rank + 1) % 4),
            receive(3, &[2], (rank + 3) % 4),
        ])
    };
    let step = read(&[0, 1, 2, 3].map(ring), None, None).unwrap();
    let operation = &step.phases[0].operations[0];
    assert_eq!(figures(operation), ("send".to_owned(), 4096, 2, vec![vec![0, 1, 2, 3]]));
    assert_eq!(operation.kind, JobOperationKind::Send { both: false, wrap: true });
    let pair = |rank: u32| {
        trace(&[
            send(0, &[], 1 - rank),
            receive(1, &[0], 1 - rank),
            send(2, &[1], 1 - rank),
            receive(3, &[2], 1 - rank),
        ])
    };
    let step = read(&[0, 1].map(pair), None, None).unwrap();
    let operation = &step.phases[0].operations[0];
    assert_eq!(figures(operation), ("send".to_owned(), 4096, 2, vec![vec![0, 1]]));
    assert_eq!(operation.kind, JobOperationKind::Send { both: true, wrap: false });
}

#[test]
fn broken_files_are_told_with_their_offset() {
    let whole = trace(&[collective(1, &[], ALL_REDUCE, 64, ""), collective(2, &[], ALL_REDUCE, 64, "")]);
    let start = GlobalMetadata { version: "0.0.4".to_owned() }.encode_length_delimited_to_vec().len();
    let second = start + (whole.len() - start) / 2;
    let cut = whole[..whole.len() - 3].to_vec();
    let left = whole.len() - second - 1;
    assert_eq!(
        problem(&[cut], None, None),
        format!(
            "the trace of rank 0 is cut off at byte {second}: a message of {left} bytes starts, and {} are left",
            left - 3
        )
    );
    let mut long = whole.clone();
    long.push(0x80);
    assert_eq!(
        problem(&[long], None, None),
        format!(
            "the trace of rank 0 is cut off at byte {}: the length of a message starts, and 1 bytes are left",
            whole.len()
        )
    );
    let garbled = [&whole[..start], &[2, 0xff, 0xff]].concat();
    assert!(
        problem(&[garbled], None, None)
            .starts_with(&format!("the trace of rank 0 has no Chakra message at byte {start}: "))
    );
    assert_eq!(
        problem(&[Vec::new()], None, None),
        "the trace of rank 0 is empty: a trace starts with its `GlobalMetadata`"
    );
    assert_eq!(problem(&[], None, None), "the trace of rank 0 cannot be read: no such file");
    assert_eq!(
        problem(&[whole.clone(), whole], None, Some(4)),
        "the trace of rank 2 cannot be read: no such file"
    );
}

#[test]
fn nodes_without_sense_are_told() {
    let wrong = |node: Node| problem(&[trace(std::slice::from_ref(&node)), trace(&[node])], None, None);
    assert_eq!(
        wrong(collective(3, &[], 12, 64, "")),
        "node 3 of rank 0 has the comm_type 12, which Chakra does not define"
    );
    assert_eq!(
        wrong(collective(3, &[], 5, 64, "")),
        "node 3 of rank 0 is a BROADCAST, which has a root: operations of jobs have none"
    );
    assert_eq!(
        wrong(node(3, 12, &[], &[])),
        "node 3 of rank 0 has the type 12, which Chakra does not define"
    );
    assert_eq!(
        wrong(node(3, node_kind::COLLECTIVE, &[], &[("comm_type", AttributeValue::Int32(0))])),
        "node 3 of rank 0 has no attribute `comm_size`"
    );
    assert_eq!(
        wrong(node(3, node_kind::COLLECTIVE, &[], &[("comm_type", AttributeValue::Double(0.5))])),
        "the attribute `comm_type` of node 3 of rank 0 is no whole number from 0 on"
    );
    assert_eq!(
        wrong(collective(3, &[8], 0, 64, "")),
        "node 3 of rank 0 waits for node 8, which the trace does not have"
    );
    assert_eq!(
        wrong(collective(3, &[3], 0, 64, "")),
        "node 3 of rank 0 waits for itself, through other nodes"
    );
    let mut foreign = send(3, &[], 1);
    foreign.attributes.push(Attribute { name: "comm_src".to_owned(), value: Some(AttributeValue::Int32(7)) });
    assert_eq!(wrong(foreign), "node 3 of rank 0 is the end of a message that rank 7 sends or receives");
    assert_eq!(wrong(send(3, &[], 0)), "node 3 of rank 0 sends to itself");
    assert_eq!(
        wrong(collective(3, &[], 0, 0, "")),
        "the step sends nothing: no rank has a collective or a message among two ranks or more"
    );
}

#[test]
fn ranks_that_do_not_agree_are_named() {
    let once = trace(&[collective(0, &[], ALL_REDUCE, 64, "")]);
    let twice = trace(&[collective(0, &[], ALL_REDUCE, 64, ""), collective(1, &[], ALL_REDUCE, 64, "")]);
    assert_eq!(
        problem(&[once.clone(), once, twice], None, None),
        "all_reduce of 64 B in all ranks runs once on rank 0 and 2 times on rank 2"
    );
    let none = trace(&[]);
    assert_eq!(
        problem(&[none.clone(), trace(&[send(0, &[], 0)]), none], None, None),
        "the message of 4096 B from rank 1 to 0 runs 0 times on rank 0 and once on rank 1"
    );
}

#[test]
fn a_gap_is_no_end() {
    let trace = trace(&[collective(0, &[], ALL_REDUCE, 64, "")]);
    let load = |gap: u32| {
        let trace = trace.clone();
        move |rank: u32| match rank {
            rank if rank == gap || rank > 4 => Err("no such file".to_owned()),
            _ => Ok(trace.clone()),
        }
    };
    for gap in 1..4 {
        let problem = read_step(&load(gap), None, None, Span::default()).expect_err("it is refused");
        assert_eq!(problem.to_string(), format!("the trace of rank {gap} cannot be read: no such file"));
    }
    assert_eq!(read_step(&load(5), None, None, Span::default()).map(|step| step.ranks), Ok(5));
    let problem = read_step(&load(1), Some(r#"{"1":[0,1,2,3,4]}"#), Some(5), Span::default());
    assert_eq!(problem.map_err(|problem| problem.kind()), Err(crate::errors::TraceErrorKind::File));
}

#[test]
fn sizes_are_refused_with_their_arithmetic() {
    let trace = trace(&[collective(0, &[], ALL_REDUCE, 64, "")]);
    assert_eq!(
        problem(std::slice::from_ref(&trace), Some(r#"{"1":[0,4096]}"#), None),
        "there are 4097 ranks or more, and a trace has at most 4096"
    );
    let many = TraceError::TooManyNodes { rank: 3, before: 268_435_450, nodes: 7 };
    assert_eq!(
        many.to_string(),
        "the ranks to 3 have 268435450 + 7 = 268435457 nodes, and traces have at most 2^28 = 268435456 together"
    );
}
