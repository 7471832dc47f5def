//! Execution plans of MSCCL++ of fabc: judged on their fabrics, and convicted where they were changed.

use crate::collective::graphs::{boxes, complete, graph, grid, leaf_spine, random, star};
use crate::collective::programs::schedules;
use crate::collective::programs_through_switches::{fabrics, pipelined};
use fabc::check::{JudgedExecutionPlan, NamedFile, Rejected, execution_plan_on};
use fabc::emit::{MscclppFile, collective_mscclpp};
use fabc::ir::{Scene, Schedule};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{ScheduleRequest, by_slots, forest, trees};
use fabc::random::Stream;
use serde_json::{Value, json};

pub(crate) fn judged_plan(scene: &Scene<'_>, text: &str) -> Result<JudgedExecutionPlan, Rejected> {
    execution_plan_on(scene, NamedFile { name: "plan.json", bytes: text.as_bytes() })
}

pub(crate) fn violation(result: Result<JudgedExecutionPlan, Rejected>) -> String {
    match result {
        Ok(plan) => panic!("judged as right: {plan:?}"),
        Err(Rejected::Convicted(errors)) => errors[0].to_string(),
        Err(Rejected::Unreadable(error)) => panic!("{error}"),
    }
}

fn written_plan(scene: &Scene<'_>, schedule: &Schedule) -> MscclppFile {
    collective_mscclpp("net", scene, schedule).unwrap_or_else(|error| panic!("{error}"))
}

/// Written and judged, also with the limits of the runtime.
fn works(name: &str, scene: &Scene<'_>, schedule: &Schedule) -> JudgedExecutionPlan {
    let file = written_plan(scene, schedule);
    let plan = judged_plan(scene, &file.text).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    assert_eq!(plan.result, Some(schedule.collective), "{name}");
    assert_eq!(plan.operations as usize, file.operations, "{name}");
    assert!(plan.operations <= 64 && plan.blocks <= 104, "{name}: {plan:?}");
    assert_eq!(plan.in_place, schedule.collective == Collective::AllReduce, "{name}");
    assert_eq!(plan.root, schedule.root.map(|root| scene.topology.name(root)), "{name}");
    plan
}

#[test]
fn six_fabrics_have_plans_of_all_collectives() {
    let mut kinds = std::collections::BTreeSet::new();
    for (name, topology) in fabrics() {
        let scene = Scene::healthy(&topology);
        for (kind, schedule) in pipelined(&scene, None) {
            works(&format!("{kind} on {name}"), &scene, &schedule);
            kinds.insert(schedule.collective.name());
        }
    }
    assert_eq!(kinds.len(), 6, "{kinds:?}");
}

#[test]
fn plans_of_rounds_and_of_shared_trees_are_right() {
    let mut stream = Stream::new(41, 1);
    for topology in [grid([3, 3], true), graph(4, &complete(4)), random(&mut stream, 9)] {
        let scene = Scene::healthy(&topology);
        for (kind, schedule) in schedules(&scene, 2) {
            if schedule.algorithm != CollectiveAlgorithm::Local {
                works(kind, &scene, &schedule);
            }
        }
        if let Ok(schedule) = trees(&scene, ScheduleRequest::default()) {
            works("trees", &scene, &schedule);
        }
    }
}

/// By hand: of 8 chips around a switch each gets 7 shards, over one channel.
#[test]
fn loads_of_channels_are_those_of_the_schedule() {
    let topology = star(8);
    let scene = Scene::healthy(&topology);
    let gather = forest(&scene, None, Some(1), ScheduleRequest::default()).unwrap();
    let plan = works("star", &scene, &gather);
    assert_eq!((plan.pairs, plan.channels, plan.sharing), (56, 8, 7));
    assert_eq!((plan.moved, plan.busiest, plan.chunks), (56_000, 7_000, 8));
}

#[test]
fn what_a_plan_cannot_hold_is_refused_with_its_numbers() {
    let star = graph(40, &(1..40).map(|leaf| [0, leaf]).collect::<Vec<_>>());
    let scene = Scene::healthy(&star);
    let request = ScheduleRequest { chunks: Some(1), ..ScheduleRequest::default() };
    let gather = by_slots(&scene, request).unwrap();
    let error = collective_mscclpp("net", &scene, &gather).unwrap_err().to_string();
    assert!(error.contains("39 channels of one type, and 16 are the most"), "{error}");
    let ring = grid([2, 2], true);
    let scene = Scene::healthy(&ring);
    let local = schedules(&scene, 1).into_iter().find(|(kind, _)| *kind == "local").unwrap().1;
    let error = collective_mscclpp("net", &scene, &local).unwrap_err().to_string();
    assert!(error.contains("`mscclpp` cannot hold this schedule"), "{error}");
}

/// The operations of all thread blocks that `select` takes: GPU, thread block, operation.
fn operations(plan: &Value, select: &dyn Fn(&Value) -> bool) -> Vec<[usize; 3]> {
    let list = |value: &Value| value.as_array().unwrap().clone();
    let mut found = Vec::new();
    for (gpu, gpu_value) in list(&plan["gpus"]).iter().enumerate() {
        for (block, block_value) in list(&gpu_value["threadblocks"]).iter().enumerate() {
            for (at, operation) in list(&block_value["ops"]).iter().enumerate() {
                if select(operation) {
                    found.push([gpu, block, at]);
                }
            }
        }
    }
    found
}

fn named(name: &'static str) -> impl Fn(&Value) -> bool {
    move |operation| operation["name"] == name
}

/// A change of an operation: its thread block's operations, and its position.
type PlanChange = fn(&mut Vec<Value>, usize);

/// Changes that are always wrong, with the operations to which they apply.
const PLAN_CHANGES: [(&str, &str, PlanChange); 11] = [
    ("a signal dropped", "signal", |operations, at| drop(operations.remove(at))),
    ("a signal twice", "signal", |operations, at| operations.insert(at, operations[at].clone())),
    ("a wait dropped", "wait", |operations, at| drop(operations.remove(at))),
    ("a wait twice", "wait", |operations, at| operations.insert(at, operations[at].clone())),
    ("a write dropped", "put", |operations, at| drop(operations.remove(at))),
    ("an addition dropped", "re", |operations, at| drop(operations.remove(at))),
    ("an addend twice", "re", |operations, at| {
        let sources = operations[at]["src_buff"].as_array_mut().unwrap();
        sources.extend(sources.last().cloned());
    }),
    ("a copy dropped", "copy", |operations, at| drop(operations.remove(at))),
    ("a signal before its write", "signal", |operations, at| {
        // A later signal would make up for it, and one that says that all has come stands after no write.
        let is_named = |at: usize, name: &str| operations[at]["name"] == name;
        let is_last = operations[at + 1..].iter().all(|operation| operation["name"] != "signal");
        if at > 1 && is_named(at - 2, "put") && is_named(at - 1, "nop") && is_last {
            let signal = operations.remove(at);
            operations.insert(at - 2, signal);
        }
    }),
    ("a write to another place", "put", |operations, at| {
        let index = &mut operations[at]["dst_buff"][0]["index"];
        *index = json!(index.as_u64().unwrap() ^ 1);
    }),
    ("a write of another chunk", "put", |operations, at| {
        let index = &mut operations[at]["src_buff"][0]["index"];
        *index = json!(index.as_u64().unwrap() ^ 1);
    }),
];

#[test]
fn changed_plans_are_convicted() {
    let mut stream = Stream::new(17, 1);
    let mut convicted = std::collections::BTreeMap::new();
    for topology in [boxes(2, 4, 2, [12, 1]), leaf_spine(2, 2, 2), grid([3, 3], true)] {
        let scene = Scene::healthy(&topology);
        for (kind, schedule) in pipelined(&scene, None) {
            let plan: Value = serde_json::from_str(&written_plan(&scene, &schedule).text).unwrap();
            for (change, name, apply) in PLAN_CHANGES {
                let places = operations(&plan, &named(name));
                for _ in 0..4 {
                    if places.is_empty() {
                        continue;
                    }
                    let [gpu, block, at] = places[stream.below(places.len())];
                    let mut changed = plan.clone();
                    let list = &mut changed["gpus"][gpu]["threadblocks"][block]["ops"];
                    apply(list.as_array_mut().unwrap(), at);
                    if changed == plan {
                        continue;
                    }
                    let verdict = judged_plan(&scene, &changed.to_string());
                    assert!(verdict.is_err(), "{kind}, {change}: gpu {gpu}, block {block}, operation {at}");
                    *convicted.entry(change).or_insert(0) += 1;
                }
            }
        }
    }
    assert_eq!(convicted.len(), PLAN_CHANGES.len(), "{convicted:?}");
    assert!(convicted.values().sum::<i32>() > 300, "{convicted:?}");
}

/// Each violation has words of its own.
#[test]
fn violations_are_named() {
    let topology = star(4);
    let scene = Scene::healthy(&topology);
    let (_, sum) =
        pipelined(&scene, Some(1)).into_iter().find(|(kind, _)| kind.ends_with("all_reduce")).unwrap();
    let plan: Value = serde_json::from_str(&written_plan(&scene, &sum).text).unwrap();
    let convict = |change: &dyn Fn(&mut Value), words: &str| {
        let mut changed = plan.clone();
        change(&mut changed);
        let told = violation(judged_plan(&scene, &changed.to_string()));
        assert!(told.contains(words), "{words}: {told}");
    };
    let first = |name: &'static str| operations(&plan, &named(name))[0];
    let change_first = |name: &'static str, change: PlanChange| {
        let [gpu, block, at] = first(name);
        move |plan: &mut Value| {
            let list = &mut plan["gpus"][gpu]["threadblocks"][block]["ops"];
            change(list.as_array_mut().unwrap(), at);
        }
    };
    convict(&change_first("signal", |list, at| drop(list.remove(at))), "waits for a signal of gpu");
    convict(&change_first("signal", |list, at| list.insert(at, list[at].clone())), "signals are sent, and");
    convict(&change_first("put", |list, at| drop(list.remove(at))), "but ends as chunk 0 of gpu 1");
    convict(
        &change_first("put", |list, at| {
            list.insert(at + 1, json!({"name": "barrier", "barrier_id": 0, "num_threadblocks": 2}));
        }),
        "waits at barrier 0 for another thread block, which never comes",
    );
    convict(&change_first("re", |list, at| list.insert(at + 1, list[at].clone())), "a second time");
    convict(
        &change_first("rlxwait", |list, at| drop(list.remove(at))),
        "does not wait for gpu 1, thread block 0",
    );
    convict(&change_first("put", |list, at| drop(list.remove(at + 1))), "which may end before that is done");
    convict(
        &change_first("put", |list, at| list[at]["src_buff"][0]["index"] = json!(99)),
        "uses 1 chunks from",
    );
    convict(
        &change_first("put", |list, at| list[at]["dst_buff"][0]["buffer_id"] = json!(9)),
        "which its thread block lacks",
    );
    convict(
        &change_first("put", |list, at| list[at]["name"] = json!("pws")),
        "which signals on port channels alone",
    );
    convict(&change_first("put", |list, at| list[at]["name"] = json!("throw")), "there is no such operation");
    convict(
        &change_first("put", |list, at| list[at]["name"] = json!("get")),
        "is `get`, and its source 0 is not a buffer of another gpu",
    );
    convict(
        &change_first("nop", |list, at| (0..64).for_each(|_| list.insert(at, list[at].clone()))),
        "operations, and 64 are the most",
    );
    convict(&|plan| plan["gpus"][0]["channels"][0]["connected_to"][0] = json!(0), "which is no other gpu");
    convict(&|plan| plan["gpus"][0]["input_chunks"] = json!(3), "cannot have");
    convict(&|plan| drop(plan["gpus"].as_array_mut().unwrap().pop()), "but the network has 4 chips");
}
