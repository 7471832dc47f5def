//! Execution plans that the project of MSCCL++ has written for its own tests, and plans by hand.

use crate::collective::execution_plans::{judged_plan, violation};
use crate::collective::graphs::{complete, graph};
use fabc::check::Rejected;
use fabc::ir::{Scene, Topology};
use fabc::model::Collective;
use serde_json::{Value, json};

fn read_plan(name: &str) -> String {
    std::fs::read_to_string(format!("tests/data/mscclpp/{name}.json")).unwrap()
}

fn pair() -> Topology {
    graph(2, &complete(2))
}

/// Seven of eight are right. In the other one thread blocks share copies and reads, and a read takes what
/// another thread block has copied than the one that signals.
#[test]
fn plans_of_the_project_are_judged() {
    let topology = pair();
    let scene = Scene::healthy(&topology);
    for (name, collective, operations) in [
        ("reduce", Collective::AllReduce, 16),
        ("reduce_nvls", Collective::AllReduce, 11),
        ("reduce_nvls_pipeline", Collective::AllReduce, 12),
        ("reduce_pack", Collective::AllReduce, 1),
        ("reduce_pack_tbg", Collective::AllReduce, 1),
        ("transfer_pack", Collective::AllGather, 1),
        ("transfer_pack_tbg", Collective::AllGather, 1),
    ] {
        let plan = judged_plan(&scene, &read_plan(name)).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!((plan.result, plan.operations), (Some(collective), operations), "{name}");
        assert!(plan.in_place && plan.pairs == 2, "{name}: {plan:?}");
    }
    let told = violation(judged_plan(&scene, &read_plan("reduce_tbg")));
    assert_eq!(
        told,
        "the program is wrong: gpu 0, thread block 0, operation 7 reads s[1] of gpu 1, but does not wait for gpu 1, thread block 1, operation 0, which writes it"
    );
}

/// Every operation of the right plans matters, and each is missed. Only a meeting may be one too many, and a
/// copy of `reduce`, whose target nobody reads.
#[test]
fn plans_of_the_project_without_an_operation_are_convicted() {
    let topology = pair();
    let scene = Scene::healthy(&topology);
    let mut count = 0;
    for name in
        ["reduce", "reduce_nvls", "reduce_pack", "reduce_pack_tbg", "transfer_pack", "transfer_pack_tbg"]
    {
        let plan: Value = serde_json::from_str(&read_plan(name)).unwrap();
        for gpu in 0..2 {
            let blocks = plan["gpus"][gpu]["threadblocks"].as_array().unwrap().len();
            for block in 0..blocks {
                let list = plan["gpus"][gpu]["threadblocks"][block]["ops"].as_array().unwrap();
                for (at, operation) in list.iter().enumerate() {
                    let is_unread = name == "reduce" && gpu == 0 && operation["name"] == "copy";
                    if operation["name"] == "nop" || is_unread {
                        continue;
                    }
                    let mut changed = plan.clone();
                    let list = &mut changed["gpus"][gpu]["threadblocks"][block]["ops"];
                    list.as_array_mut().unwrap().remove(at);
                    let verdict = judged_plan(&scene, &changed.to_string());
                    assert!(verdict.is_err(), "{name}, gpu {gpu}, block {block}: without {operation}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 40, "{count}");
}

/// A GPU that copies its input to its peer through a port channel.
fn sent_through_a_port(after: &[Value]) -> String {
    let wires = json!([{"channel_type": "port", "channel_ids": [0]}]);
    let gpu = |id: u32| {
        let peer = 1 - id;
        let shared = |name: &str| json!({"name": name, "channel_ids": [0], "channel_type": "port"});
        let mut operations = vec![shared("signal"), shared("wait"), json!({"name": "nop"})];
        operations.push(json!({"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}],
            "dst_buff": [{"type": "o", "index": id, "size": 1}]}));
        operations.push(json!({"name": "pws", "src_buff": [{"type": "i", "index": 0, "size": 1}],
            "dst_buff": [{"buffer_id": 0, "index": id, "size": 1}], "channel_ids": [0], "channel_type": "port"}));
        operations.push(shared("wait"));
        operations.extend_from_slice(after);
        json!({"id": id, "input_chunks": 1, "output_chunks": 2, "scratch_chunks": 0,
            "channels": [{"channel_type": "port", "connected_to": [peer]}],
            "remote_buffers": [{"rank": peer, "type": "o", "access_channel_types": ["port"]}],
            "threadblocks": [{"id": 0, "ops": operations, "channels": wires,
                "remote_buffer_refs": [{"access_channel_type": "port", "remote_buffer_ids": [0]}]}]})
    };
    json!({"name": "by hand", "collective": "allgather", "protocol": "Simple", "inplace": false,
        "gpus": [gpu(0), gpu(1)]})
    .to_string()
}

/// A proxy reads later than it is told to. Who ends before that, or writes what it reads, is convicted.
#[test]
fn proxies_read_until_they_are_flushed() {
    let topology = pair();
    let scene = Scene::healthy(&topology);
    let flush = json!({"name": "flush", "channel_ids": [0], "channel_type": "port"});
    let plan = judged_plan(&scene, &sent_through_a_port(std::slice::from_ref(&flush))).unwrap();
    assert_eq!((plan.port_channels, plan.memory_channels, plan.moved), (2, 0, 2000));
    let told = violation(judged_plan(&scene, &sent_through_a_port(&[])));
    assert!(told.contains("reads from gpu 0, which may end before that is done"), "{told}");
    let overwrites = json!({"name": "copy", "src_buff": [{"type": "o", "index": 0, "size": 1}],
        "dst_buff": [{"type": "i", "index": 0, "size": 1}]});
    let meets = json!({"name": "nop"});
    let told = violation(judged_plan(
        &scene,
        &sent_through_a_port(&[meets.clone(), overwrites.clone(), flush.clone()]),
    ));
    assert!(told.contains("writes i[0] of gpu 0, but does not wait for"), "{told}");
    judged_plan(&scene, &sent_through_a_port(&[flush, meets, overwrites])).unwrap();
}

#[test]
fn thread_blocks_meet_at_barriers_and_semaphores() {
    let topology = pair();
    let scene = Scene::healthy(&topology);
    let own = |buffer: &str, at: u32| json!([{"type": buffer, "index": at, "size": 1}]);
    let copy = |from: (&str, u32), to: (&str, u32)| json!({"name": "copy", "src_buff": own(from.0, from.1), "dst_buff": own(to.0, to.1)});
    let plan = |first: Vec<Value>, second: Vec<Value>| {
        let gpu = |id: u32| {
            json!({"id": id, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 1, "channels": [],
            "semaphores": [{"init_value": 0}],
            "threadblocks": [{"id": 0, "ops": first}, {"id": 1, "ops": second}]})
        };
        json!({"name": "by hand", "collective": "custom", "protocol": "Simple", "inplace": false,
            "gpus": [gpu(0), gpu(1)]})
        .to_string()
    };
    let (meets, barrier) =
        (json!({"name": "nop"}), json!({"name": "barrier", "barrier_id": 0, "num_threadblocks": 2}));
    let semaphore = |name: &str| json!({"name": name, "semaphore_ids": [0]});
    let (to_scratch, from_scratch) = (copy(("i", 0), ("s", 0)), copy(("s", 0), ("o", 0)));
    let orders = [
        (vec![barrier.clone()], vec![barrier.clone()]),
        (vec![meets.clone(), semaphore("sem_release")], vec![semaphore("sem_acquire"), meets.clone()]),
    ];
    for (after, before) in orders {
        let first = [vec![to_scratch.clone()], after].concat();
        let second = [before, vec![from_scratch.clone()]].concat();
        judged_plan(&scene, &plan(first.clone(), second.clone())).unwrap();
        // Without the meeting, or without the barrier on one side.
        assert!(judged_plan(&scene, &plan(first[..1].to_vec(), second.clone())).is_err());
        assert!(judged_plan(&scene, &plan(first, second[1..].to_vec())).is_err());
    }
    let told = violation(judged_plan(
        &scene,
        &plan(vec![to_scratch, semaphore("sem_release")], vec![semaphore("sem_acquire"), from_scratch]),
    ));
    assert!(told.contains("reads s[0] of gpu 0, but does not wait for"), "{told}");
}

#[test]
fn what_is_no_plan_is_unreadable() {
    let topology = pair();
    let scene = Scene::healthy(&topology);
    for (from, to, words) in [
        ("\"input_chunks\"", "\"inputs\"", "missing field `input_chunks`"),
        ("\"inplace\": true", "\"inplace\": 1", "expected a boolean"),
        ("]", "", ""),
    ] {
        let changed = read_plan("reduce").replacen(from, to, 1);
        let Err(Rejected::Unreadable(error)) = judged_plan(&scene, &changed) else {
            panic!("{from} to {to}")
        };
        assert!(error.to_string().contains(words), "{error}");
    }
}
