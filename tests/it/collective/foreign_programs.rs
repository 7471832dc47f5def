//! Programs of others, by hand: with fused steps, with buffers that must hold something, with what fabc does
//! not write.

use crate::collective::graphs::{complete, graph, path, ring};
use crate::collective::interpreter::{Program, run};
use crate::collective::programs::judged;
use fabc::ir::{Scene, Topology};
use fabc::random::Stream;

/// A step: type, source, destination, what it waits for, whether it is waited for.
fn step(
    at: usize,
    kind: &str,
    from: (&str, i64),
    to: (&str, i64),
    after: Option<(usize, usize)>,
    awaited: bool,
) -> String {
    let (block, number) = after.map_or((-1, -1), |(block, number)| (block as i64, number as i64));
    let count = u8::from(kind != "nop");
    format!(
        "<step s=\"{at}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{count}\" depid=\"{block}\" deps=\"{number}\" hasdep=\"{}\"/>\n",
        from.0,
        from.1,
        to.0,
        to.1,
        u8::from(awaited)
    )
}

fn algo(coll: &str, calls: &str, chunks: usize, gpus: &[(String, [usize; 3])]) -> String {
    let mut text = format!(
        "<algo name=\"by hand\" proto=\"LL\" nchannels=\"2\" nchunksperloop=\"{chunks}\" ngpus=\"{}\" coll=\"{coll}\" {calls}>\n",
        gpus.len()
    );
    for (id, (blocks, [i, o, s])) in gpus.iter().enumerate() {
        text += &format!(
            "<gpu id=\"{id}\" i_chunks=\"{i}\" o_chunks=\"{o}\" s_chunks=\"{s}\">\n{blocks}</gpu>\n"
        );
    }
    text + "</algo>\n"
}

fn block(id: usize, send: i64, receive: i64, chan: usize, steps: &[String]) -> String {
    format!("<tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"{chan}\">\n{}</tb>\n", steps.concat())
}

/// The ring of four: one thread block per chip, which adds on the first way round and copies on the second.
fn ring_sum() -> String {
    let gpus: Vec<_> = (0..4i64)
        .map(|r| {
            let (next, last) = ((r + 1) % 4, (r + 3) % 4);
            let chunk = |back: i64| ("i", (r + 4 - back) % 4);
            let kinds = ["s", "rrs", "rrs", "rrcs", "rcs", "rcs", "r"];
            let steps: Vec<String> = kinds
                .iter()
                .enumerate()
                .map(|(index, kind)| {
                    step(index, kind, chunk(index as i64 % 4), chunk(index as i64 % 4), None, false)
                })
                .collect();
            (block(0, next, last, 0, &steps), [4, 4, 0])
        })
        .collect();
    algo("allreduce", "inplace=\"1\"", 4, &gpus)
}

fn runs(text: &str, in_place: bool, held: usize, root: Option<usize>) -> Result<(), String> {
    let program = Program::read(text);
    (0..8).try_for_each(|seed| run(&program, in_place, held, root, &mut Stream::new(seed, 3)))
}

#[test]
fn a_ring_with_fused_steps_needs_buffers() {
    let topology = ring(4);
    let scene = Scene::healthy(&topology);
    let text = ring_sum();
    let judged_program = judged(&scene, &text).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(
        (
            judged_program.steps,
            judged_program.blocks,
            judged_program.connections,
            judged_program.channels,
            judged_program.held
        ),
        (7, 1, 4, 4, 1)
    );
    assert_eq!(
        (judged_program.in_place, judged_program.out_of_place, &*judged_program.collective),
        (true, false, "allreduce")
    );
    assert_eq!((runs(&text, true, 1, None), runs(&text, true, 2, None)), (Ok(()), Ok(())));
    assert!(runs(&text, true, 0, None).unwrap_err().contains("for ever"));
    // Out of place nothing comes to the output.
    let error = format!("{:?}", judged(&scene, &text.replace("inplace=\"1\"", "inplace=\"0\"")).unwrap_err());
    assert!(
        error.contains("out of place") && error.contains("ends as") || error.contains("nothing"),
        "{error}"
    );
    // One sum less, one fused step that does not send.
    for (from, to) in [("rrcs", "rcs"), ("type=\"rrs\"", "type=\"rrc\""), ("type=\"rcs\"", "type=\"r\"")] {
        assert!(judged(&scene, &text.replacen(from, to, 1)).is_err(), "{from} {to}");
    }
    // On a line the last chip has no link to the first.
    let line = path(4);
    let error = format!("{:?}", judged(&Scene::healthy(&line), &text).unwrap_err());
    assert!(error.contains("no lit link leads from"), "{error}");
}

#[test]
fn thread_blocks_in_a_cycle_are_shown() {
    // Everybody receives before sending.
    let topology = ring(4);
    let gpus: Vec<_> = (0..4i64)
        .map(|r| {
            let (next, last) = ((r + 1) % 4, (r + 3) % 4);
            let steps = [
                step(0, "r", ("o", last), ("o", last), None, false),
                step(1, "s", ("i", 0), ("o", r), None, false),
            ];
            (block(0, next, last, 0, &steps), [1, 4, 0])
        })
        .collect();
    let text = algo("allgather", "inplace=\"0\" outofplace=\"1\"", 4, &gpus);
    let Err(fabc::check::Rejected::Convicted(errors)) = judged(&Scene::healthy(&topology), &text) else {
        panic!("it passes")
    };
    let shown = errors[0].to_string();
    assert!(shown.contains("4 thread blocks wait for each other in a cycle"), "{shown}");
    assert!(shown.contains("gpu 0, thread block 0, step 0 waits to receive from gpu 3"), "{shown}");
    assert!(runs(&text, false, 8, None).is_err());
}

/// Four chips that are all joined. Each sends to all others, with a thread block for each peer.
fn direct(chunk: impl Fn(i64, i64) -> [(&'static str, i64); 2]) -> Vec<(String, [usize; 3])> {
    (0..4i64)
        .map(|r| {
            let mut blocks = String::new();
            for (id, peer) in (0..4).filter(|&peer| peer != r).enumerate() {
                let ([mine, far], [_, near]) = (chunk(r, peer), chunk(peer, r));
                blocks += &block(
                    id,
                    peer,
                    peer,
                    0,
                    &[step(0, "s", mine, far, None, false), step(1, "r", near, near, None, false)],
                );
            }
            let [own_place, place] = chunk(r, r);
            blocks += &block(3, -1, -1, 0, &[step(0, "cpy", own_place, place, None, false)]);
            (blocks, [4, 4, 0])
        })
        .collect()
}

#[test]
fn an_all_to_all_and_a_custom_collective() {
    let topology = graph(4, &complete(4));
    let scene = Scene::healthy(&topology);
    let text = algo("alltoall", "inplace=\"0\"", 4, &direct(|from, to| [("i", to), ("o", from)]));
    let program_result = judged(&scene, &text).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!((program_result.held, program_result.out_of_place, program_result.transfers), (1, true, 12));
    assert_eq!(runs(&text, false, 1, None), Ok(()));
    // In place every chunk has left before another one comes in its place.
    let both_places = text.replace("inplace=\"0\"", "inplace=\"1\" outofplace=\"1\"");
    assert!(judged(&scene, &both_places).is_ok());
    assert_eq!(runs(&both_places, true, 1, None), Ok(()));
    // The wrong chunk. In a custom collective it is no error.
    let tampered =
        algo("alltoall", "inplace=\"0\"", 4, &direct(|from, to| [("i", (to + 1) % 4), ("o", from)]));
    assert!(
        format!("{:?}", judged(&scene, &tampered).unwrap_err()).contains("expected: \"chunk"),
        "{tampered}"
    );
    let judged_program = judged(&scene, &tampered.replace("alltoall", "custom")).unwrap();
    assert_eq!((judged_program.result, &*judged_program.collective), (None, "custom"));
    assert!(judged(&scene, &tampered.replace("alltoall", "gather")).is_err());
    // Ring links only: the far chip is not wired.
    let square = ring(4);
    assert!(judged(&Scene::healthy(&square), &text).is_err());
}

/// The middle of three gathers both vectors beside its own and adds them: scratch, `re`, `nop`.
fn sum_in_the_middle(waits: bool) -> String {
    let end = || (block(0, 1, -1, 0, &[step(0, "s", ("i", 0), ("s", 0), None, false)]), [1, 1, 2]);
    let receive = |id: usize, from: i64| {
        block(id, -1, from, 0, &[step(0, "r", ("i", 0), ("s", id as i64), None, true)])
    };
    let add = block(
        2,
        -1,
        -1,
        0,
        &[
            step(0, "cpy", ("i", 0), ("o", 0), None, false),
            step(1, "nop", ("i", -1), ("o", -1), Some((0, 0)), false),
            step(2, "re", ("s", 0), ("o", 0), Some((1, 0)).filter(|_| waits), false),
            step(3, "re", ("s", 1), ("o", 0), None, false),
        ],
    );
    let other_block = (block(0, 1, -1, 0, &[step(0, "s", ("i", 0), ("s", 1), None, false)]), [1, 1, 2]);
    let middle = (receive(0, 0) + &receive(1, 2) + &add, [1, 1, 2]);
    algo(
        "reduce",
        "inplace=\"1\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"0\"",
        1,
        &[end(), middle, other_block],
    )
}

#[test]
fn scratch_and_nops() {
    let topology: Topology = path(3);
    let scene = Scene::healthy(&topology);
    let text = sum_in_the_middle(true);
    let judged_program = judged(&scene, &text).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(
        (judged_program.root.as_deref(), judged_program.held),
        (Some(&*topology.name(fabc::ids::NodeId(1))), 0)
    );
    assert_eq!((runs(&text, true, 0, Some(1)), runs(&text, false, 0, Some(1))), (Ok(()), Ok(())));
    // A nop alone does not wait.
    let error = format!("{:?}", judged(&scene, &sum_in_the_middle(false)).unwrap_err());
    assert!(error.contains("nop"), "{error}");
    // Without the wait of the nop the sum may be too early.
    let early = text.replace("depid=\"0\" deps=\"0\"", "depid=\"1\" deps=\"0\"");
    let error = format!("{:?}", judged(&scene, &early).unwrap_err());
    assert!(error.contains("Race") || error.contains("nothing is"), "{error}");
    // The same vector twice.
    let twice = text.replace("srcbuf=\"s\" srcoff=\"1\"", "srcbuf=\"s\" srcoff=\"0\"");
    assert!(format!("{:?}", judged(&scene, &twice).unwrap_err()).contains("a second time"), "{twice}");
}

#[test]
fn connections_may_share_a_channel() {
    // Two chips and one link, two connections each way.
    let topology = path(2);
    let gpus: Vec<_> = (0..2i64)
        .map(|r| {
            let (peer, mut blocks) = (1 - r, String::new());
            for part in 0..2 {
                let place = |gpu: i64| ("o", gpu * 2 + part as i64);
                let steps = [
                    step(0, "s", place(r), place(r), None, false),
                    step(1, "r", place(peer), place(peer), None, false),
                ];
                blocks += &block(part, peer, peer, part, &steps);
            }
            (blocks, [2, 4, 0])
        })
        .collect();
    let text = algo("allgather", "inplace=\"1\" outofplace=\"0\"", 4, &gpus);
    let judged_program =
        judged(&Scene::healthy(&topology), &text).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!((judged_program.connections, judged_program.channels, judged_program.sharing), (4, 2, 2));
    assert_eq!(runs(&text, true, 1, None), Ok(()));
    // One connection has one thread block at each end.
    let error = format!(
        "{:?}",
        judged(&Scene::healthy(&topology), &text.replace("chan=\"1\"", "chan=\"0\"")).unwrap_err()
    );
    assert!(error.contains("both send"), "{error}");
}

#[test]
fn a_broadcast_down_a_line() {
    let topology = path(3);
    let scene = Scene::healthy(&topology);
    let gpus = |copies: bool| {
        let root = block(0, 1, -1, 0, &[step(0, "s", ("i", 0), ("o", 0), None, false)]);
        let own_block = block(1, -1, -1, 0, &[step(0, "cpy", ("i", 0), ("o", 0), None, false)]);
        let middle = block(0, 2, 0, 0, &[step(0, "rcs", ("o", 0), ("o", 0), None, false)]);
        let last = block(0, -1, 1, 0, &[step(0, "r", ("o", 0), ("o", 0), None, false)]);
        [
            (if copies { root.clone() + &own_block } else { root }, [1, 1, 0]),
            (middle, [1, 1, 0]),
            (last, [1, 1, 0]),
        ]
    };
    let whole_program = algo("broadcast", "inplace=\"1\" outofplace=\"1\"", 1, &gpus(true));
    let judged_program = judged(&scene, &whole_program).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(
        (judged_program.root.as_deref(), judged_program.held),
        (Some(&*topology.name(fabc::ids::NodeId(0))), 0)
    );
    assert_eq!(runs(&whole_program, false, 0, Some(0)), Ok(()));
    // Without the copy the root has nothing in its own output, unless that is its input.
    assert!(judged(&scene, &algo("broadcast", "inplace=\"1\" outofplace=\"0\"", 1, &gpus(false))).is_ok());
    assert!(judged(&scene, &algo("broadcast", "inplace=\"0\" outofplace=\"1\"", 1, &gpus(false))).is_err());
}
