//! Jobs of a pod of 128 chips: how they resolve, and the messages of bad ones.

use crate::syntax::{parse, print_spec};
use crate::{ResolveError, normal_form, resolve};
use fabc_model::{Collective, Fabric, Job, JobOperation, JobOperationKind, JobPlace, RankGroups, Scenarios};
use miette::Diagnostic;

/// A pod of 128 chips with this text in its fabric.
fn pod(inside: &str) -> String {
    format!(
        "fabric pod_128 {{
            clock = 1 GHz;
            link copper {{ bandwidth = 128 GB/s; latency = 50 cycles; }}
            chip {{ radix = 6; vcs = 4; flit = 128 B; buffer = 200 flits; latency = 25 cycles; }}
            cube {{ mesh 4 x 4 x 4 over copper; }}
            cubes = 2;
            ocs X[u in 0..4, v in 0..4] {{ couple +x[u, v] with -x[u, v] over copper; ports = 8; }}
            ocs Y[u in 0..4, v in 0..4] {{ couple +y[u, v] with -y[u, v] over copper; ports = 8; }}
            ocs Z[u in 0..4, v in 0..4] {{ couple +z[u, v] with -z[u, v] over copper; ports = 8; }}
            budget {{ vcs = 4; faults = 1 ocs; }}
            topology = torus 4 x 4 x 8;
            routing = allowed_turns;
            {inside}
        }}"
    )
}

/// The file of ranks beside the spec: rank r on chip 127 - r.
fn ranks() -> String {
    (0..128).map(|rank| format!("{rank},{}\n", 127 - rank)).collect()
}

/// Resolves a spec. Returns the normal form as well.
fn resolved(text: &str, ranks: &str) -> Result<(Fabric, String), Vec<ResolveError>> {
    let loader = |path: &str| match path {
        "pod.fab" => Ok(text.to_owned()),
        "ranks.csv" => Ok(ranks.to_owned()),
        _ => Err("no such file".to_owned()),
    };
    let spec = parse("pod.fab", &loader).0.unwrap_or_else(|errors| panic!("{errors:#?}"));
    let fabric = resolve(&spec, &loader)?;
    let normal = print_spec(&normal_form(&fabric, &spec));
    Ok((fabric, normal))
}

fn job(inside: &str) -> Job {
    let (fabric, _) = resolved(&pod(inside), &ranks()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    fabric.jobs.into_iter().next().expect("the spec has a job")
}

/// The messages of all errors, each with its help.
fn messages(inside: &str) -> Vec<String> {
    messages_with(inside, &ranks())
}

fn messages_with(inside: &str, ranks: &str) -> Vec<String> {
    let errors = resolved(&pod(inside), ranks).map(|_| ()).expect_err("the spec is wrong");
    errors
        .iter()
        .map(|error| {
            let code = error.code().map_or(String::new(), |code| code.to_string());
            let help = error.help().map_or("no help".to_owned(), |help| help.to_string());
            format!("{code} {error}. {help}")
        })
        .collect()
}

const MINE: &str = "job mine {
    axes { tensor = 8; data = 4; pipeline = 4; }
    phase layers {
        collective in = all_gather { over = tensor; size = 128 MiB; times = 5120; }
        send stage { along = pipeline; size = 16 MiB; times = 128; both = yes; wrap = no; }
        compute = 6 s;
        overlap = 50 %;
    }
    phase gradients { after = layers; collective sum = all_reduce { over = [data]; size = 4.41 GB; } }
}";

/// The axes of the groups of an operation.
fn axes_of(operation: &JobOperation) -> &[usize] {
    match &operation.groups {
        RankGroups::Along(over) => over,
        RankGroups::Listed(_) => &[],
    }
}

#[test]
fn phases_resolve_as_written() {
    let job = job(&format!("{MINE} require fault.mine.communication <= 1.85 s; require mine.share >= 0.7;"));
    assert_eq!(job.rank_count(), Some(128));
    let axes: Vec<(&str, u32)> = job.axes.iter().map(|axis| (&*axis.name, axis.size)).collect();
    assert_eq!(axes, [("tensor", 8), ("data", 4), ("pipeline", 4)]);
    assert_eq!((job.compute_ps, job.idle_ps, job.overhead_ps), (0, 0, 0));
    // A line on faults needs all scenarios.
    assert_eq!(job.scenarios, Scenarios::All);
    assert_eq!(job.place, JobPlace::Order);
    let [layers, gradients] = &job.phases[..] else { panic!("{:?}", job.phases) };
    assert_eq!((&*layers.name, &layers.after[..]), ("layers", &[][..]));
    assert_eq!((layers.compute_ps, layers.overlap_millionths), (6_000_000_000_000, 500_000));
    assert_eq!((&*gradients.name, &gradients.after[..]), ("gradients", &[0][..]));
    let [gather, stage] = &layers.operations[..] else { panic!("{:?}", layers.operations) };
    assert_eq!(gather.kind, JobOperationKind::Collective(Collective::AllGather));
    assert_eq!((axes_of(gather), gather.bytes, gather.times), (&[0][..], 128 << 20, 5120));
    assert_eq!(stage.kind, JobOperationKind::Send { both: true, wrap: false });
    assert_eq!((axes_of(stage), stage.bytes, stage.times), (&[2][..], 16 << 20, 128));
    assert_eq!((axes_of(&gradients.operations[0]), gradients.operations[0].bytes), (&[1][..], 4_410_000_000));
}

#[test]
fn the_normal_form_is_its_own() {
    let spec =
        pod(&format!("let t = 8; {}", MINE.replace("tensor = 8", "tensor = t").replace("6 s", "6000 ms")));
    let (first, normal) = resolved(&spec, "").unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert!(normal.contains("axes { tensor = 8; data = 4; pipeline = 4; }"), "{normal}");
    assert!(normal.contains("send stage { along = pipeline; size = 16777216 B; times = 128;"), "{normal}");
    let (second, again) = resolved(&normal, "").unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(normal, again);
    assert_eq!(first.jobs[0].phases.len(), second.jobs[0].phases.len());
    assert_eq!(first.jobs[0].phases[0].operations[0].name, second.jobs[0].phases[0].operations[0].name);
}

#[test]
fn a_file_places_the_ranks() {
    let job = job("job a { axes { data = 128; } place = file \"ranks.csv\";
        phase sum { collective all = all_reduce { over = data; size = 1 GiB; } } }");
    let JobPlace::File { path, chips } = &job.place else { panic!("{:?}", job.place) };
    assert_eq!((&**path, chips.len(), chips[0], chips[127]), ("ranks.csv", 128, 127, 0));
    assert!(job.place.csv().is_some_and(|text| text.starts_with("rank,chip\n0,127\n1,126\n")));
}

#[test]
fn bad_files_of_ranks_have_a_sentence() {
    let of = |text: &str| {
        messages_with(
            "job a { axes { data = 128; } place = file \"ranks.csv\";
            phase sum { collective all = all_reduce { over = data; size = 1 GiB; } } }",
            text,
        )
    };
    let help = "a line per rank: `rank,chip`. Every rank and every chip has exactly one line";
    let expect = |problem: &str| {
        [format!("FAB0643 ranks.csv does not say which chip is which rank: {problem}. {help}")]
    };
    assert_eq!(of("rank,chip\n0,0\n0,1\n"), expect("line 3: rank 0 comes twice"));
    assert_eq!(of("0,5\n1,5\n"), expect("line 2: chip 5 comes twice, for rank 0 and rank 1"));
    assert_eq!(of("0,128\n"), expect("line 1: `128` is no chip from 0 to 127"));
    assert_eq!(of("0\n"), expect("line 1: it has 1 value, not 2"));
    assert_eq!(of("0,0\n2,1\n"), expect("it lists 2 of 128 ranks, and rank 1 is not among them"));
    assert_eq!(of(""), expect("it lists 0 of 128 ranks, and rank 0 is not among them"));
}

#[test]
fn axes_that_do_not_fill_the_pod_are_refused() {
    let sum = "phase sum { collective all = all_reduce { over = data; size = 1 GiB; } }";
    assert_eq!(
        messages(&format!("job a {{ axes {{ tensor = 8; data = 4; pipeline = 2; }} {sum} }}")),
        [
            "FAB0640 job `a` has 64 ranks, and the pod has 128 chips. 8 x 4 x 2 = 64 ranks, 128 chips: data = 8 fills them"
        ]
    );
    assert_eq!(
        messages(&format!("job a {{ axes {{ tensor = 3; data = 5; }} {sum} }}")),
        [
            "FAB0640 job `a` has 15 ranks, and the pod has 128 chips. 3 x 5 = 15 ranks, 128 chips: no size of a single axis fills them"
        ]
    );
    assert_eq!(
        messages(&format!("job a {{ axes {{ tensor = 0; data = 128; }} {sum} }}")),
        ["FAB0107 the axis `tensor` must be between 1 and 1048576. no help"]
    );
}

#[test]
fn bad_operations_have_a_sentence() {
    let of =
        |phase: &str| messages(&format!("job a {{ axes {{ one = 1; data = 128; }} phase p {{ {phase} }} }}"));
    assert_eq!(
        of("collective x = all_reduce { over = tensor; size = 1 GiB; }"),
        ["FAB0641 this job has no axis `tensor`. known here: `one`, `data`"]
    );
    assert_eq!(
        of("collective x = all_reduce { over = [data, data]; size = 1 GiB; }"),
        [
            "FAB0641 the collective `x` names the axis `data` twice. remove one of the two: a group has each of its ranks once"
        ]
    );
    assert_eq!(
        of("collective x = all_reduce { over = one; size = 1 GiB; }"),
        [
            "FAB0641 the collective `x` is among a single rank, so it moves nothing. remove it, or take an axis with at least two ranks"
        ]
    );
    assert_eq!(
        of("collective x = all_reduce { over = data; size = 64 B; }"),
        [
            "FAB0645 collective `x` is too small: the part of a rank is less than a flit. write `size = 16384 B;` or more"
        ]
    );
    assert_eq!(
        of("collective x = all_reduce { over = data; size = 1 GiB; times = 1099511627776; }"),
        [
            "FAB0649 collective `x` moves 1073741824 B x 1099511627776 = 1180591620717411303424 B in a step. an operation moves at most 1152921504606846976 B per chip: fewer `times` or a smaller `size`"
        ]
    );
    assert_eq!(
        of("collective x = broadcast { over = data; size = 1 GiB; }"),
        [
            "FAB0126 the collective of a phase cannot be `broadcast`. one of `all_gather`, `reduce_scatter`, `all_reduce`, `all_to_all`"
        ]
    );
    assert_eq!(
        of("compute = 1 s;"),
        [
            "FAB0104 phase `p` lacks an operation. add `collective sum = all_reduce { over = data; size = 1 GiB; }`"
        ]
    );
}

#[test]
fn phases_in_a_circle_are_named() {
    let phase = |name: &str, after: &str| {
        format!("phase {name} {{ {after} collective x = all_reduce {{ over = data; size = 1 GiB; }} }}")
    };
    let job = format!(
        "job a {{ axes {{ data = 128; }} {} {} {} }}",
        phase("one", "after = three;"),
        phase("two", ""),
        phase("three", "after = [two];")
    );
    assert_eq!(
        messages(&job),
        [
            "FAB0642 the phases of job `a` wait for each other: `one`, `three`, `two`, `one`. each phase in this list waits for the next one: let `one` start earlier, for example by `after = none;`"
        ]
    );
}

#[test]
fn words_that_are_no_place_are_refused() {
    let sum = "phase sum { collective all = all_reduce { over = data; size = 1 GiB; } }";
    for place in ["nearest", "nearest { effort = 1; }"] {
        let end = if place.ends_with('}') { "" } else { ";" };
        assert_eq!(
            messages(&format!("job a {{ axes {{ data = 128; }} place = {place}{end} {sum} }}")),
            ["FAB0126 `place` cannot be `nearest`. one of `aligned`, `file`, `order`, `search`"]
        );
    }
}

#[test]
fn requires_on_jobs_name_jobs_and_their_metrics() {
    assert_eq!(
        messages(&format!("{MINE} require mine.time <= 1 s;")),
        [
            "FAB0121 unknown metric `mine.time`. a job has `mine.communication`, `mine.step`, `mine.exposed`, `mine.share`"
        ]
    );
    assert_eq!(
        messages(&format!("{MINE} require fault.mein.step <= 1 s;")),
        [
            "FAB0103 `fault.mein.step` does not belong in a fabric without a job `mein`. did you mean `fault.mine.step`?"
        ]
    );
    assert_eq!(
        messages(&format!("{MINE} require mine.share >= 1.5;")),
        [
            "FAB0122 this can never decide anything: no step beats the bound. require `share >= 0.7`, for example"
        ]
    );
    assert_eq!(messages(&format!("{MINE} simulate Mine {{ traffic = uniform; }}")).len(), 1);
    let without = pod(&format!("{MINE} require fault.mine.step <= 1 s;")).replace("1 ocs", "0");
    let errors = resolved(&without, "").map(|_| ()).expect_err("the budget has no faults");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].to_string(), "`fault.mine.step` is about faults, but the budget tolerates none");
}

const MOE: &str = "job moe {
    axes { expert = 64; data = 2; }
    model { layers = 94; hidden = 4096; heads = 64; kv_heads = 4; head = 128; experts = 128; top = 8;
        expert_ffn = 1536; vocab = 151936; qk_norm = yes; }
    batch { sequences = 1024; length = 4096; micro = 1; }
    bytes { weight = 2 B; gradient = 2 B; activation = 2 B; }
    zero = 1;
    compute = 19.8 s;
    overlap { data = 80 %; }
    place = aligned; scenarios = all; overhead = 400 ns;
}";

#[test]
fn phases_follow_from_a_model() {
    let job = job(MOE);
    assert_eq!((job.compute_ps, job.idle_ps, job.overhead_ps), (19_800_000_000_000, 0, 400_000));
    assert_eq!((&job.place, job.scenarios), (&JobPlace::Aligned, Scenarios::All));
    let phases: Vec<(&str, u32)> =
        job.phases.iter().map(|phase| (&*phase.name, phase.overlap_millionths)).collect();
    assert_eq!(phases, [("experts", 0), ("expert_gradients", 800_000), ("gradients", 800_000)]);
    let exchange = &job.phases[0].operations[0];
    assert_eq!((exchange.bytes, exchange.times, axes_of(exchange)), (268_435_456, 3008, &[0][..]));
    assert_eq!(job.phases[1].operations.iter().map(axes_of).collect::<Vec<_>>(), [[1], [1]]);
    assert_eq!(axes_of(&job.phases[2].operations[0]), [0, 1]);
}

#[test]
fn the_skew_of_a_model_is_that_of_its_experts() {
    let skews = |text: &str| -> Vec<u64> {
        let phases = job(text).phases;
        phases.iter().flat_map(|phase| &phase.operations).map(|one| one.skew_millionths).collect()
    };
    assert_eq!(skews(MOE), [1_000_000; 5]);
    let skewed = skews(&MOE.replace("zero = 1;", "zero = 1; skew = 1.300001;"));
    assert_eq!(skewed, [1_300_001, 1_000_000, 1_000_000, 1_000_000, 1_000_000]);
    assert_eq!(
        messages(&MOE.replace("zero = 1;", "zero = 1; skew = 64.5;")),
        [
            "FAB0107 `skew` must be from 1 to 64, with at most six digits behind the point. it is what the busiest pair of ranks sends over the mean of all pairs, so at least 1. A rank of 64 that sends everything to one other sends 64 times the mean"
        ]
    );
}

#[test]
fn a_rate_gives_the_time_of_computing() {
    let rated = MOE.replace("compute = 19.8 s;", "compute { rate = 275 TFLOP/s; share = 40 %; }");
    let faster = MOE.replace("compute = 19.8 s;", "compute { rate = 0.55 PFLOP/s; share = 40 %; }");
    let (rated, faster) = (job(&rated).compute_ps, job(&faster).compute_ps);
    // 45.3 s on 128 chips.
    assert_eq!(rated / 10_000_000_000, 4530);
    assert_eq!(rated.div_ceil(2), faster);
}

#[test]
fn a_model_that_does_not_divide_has_the_arithmetic() {
    assert_eq!(
        messages(&MOE.replace("sequences = 1024", "sequences = 1000")),
        [
            "FAB0644 1000 sequences do not divide over data x expert = 2 x 64 = 128. `sequences = 896` or `1024` fits"
        ]
    );
    assert_eq!(
        messages(&MOE.replace("top = 8", "top = 129")),
        ["FAB0648 a token cannot choose 129 of 128 experts. `top` is at most the number of `experts`"]
    );
    let unknown = messages(&MOE.replace("zero = 1", "slack = 1.3"));
    assert!(unknown[0].starts_with("FAB0103 `slack` does not belong in job `moe`."), "{unknown:?}");
    assert_eq!(
        messages(
            &MOE.replace("compute = 19.8 s;", "compute = 1 s; compute { rate = 1 TFLOP/s; share = 1 %; }")
        ),
        [
            "FAB0646 job `moe` has both `compute = ..;` and `compute { .. }`. a step computes for a time, or at a rate: remove one of the two"
        ]
    );
}
