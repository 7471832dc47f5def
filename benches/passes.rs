//! How long the passes take on shipped specs. Counters in the report are steadier. The times here show where
//! time goes.

#![expect(missing_docs, reason = "the macros of criterion make undocumented functions")]
#![expect(
    clippy::disallowed_types,
    reason = "a benchmark looks at the clock; nothing that fabc writes depends on it"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use fabc::compile::{Stage, compile};
use fabc::model::Fabric;
use fabc::passes::{flow, synth};
use fabc::progress::Silent;
use std::time::Instant;

fn fabric(name: &str) -> Fabric {
    let read = |path: &str| std::fs::read_to_string(path).map_err(|error| error.to_string());
    fabc::lang::read_normal(&format!("specs/{name}.fab"), &read)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}"))
        .0
}

fn front_end(criterion: &mut Criterion) {
    criterion.bench_function("resolve/pod_1024", |bencher| bencher.iter(|| fabric("pod_1024")));
}

fn passes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("passes");
    group.sample_size(10);
    for name in ["pod_128", "pod_1024"] {
        let fabric = fabric(name);
        let pod = fabric.pod().expect("a pod");
        group.bench_function(format!("synthesize/{name}"), |bencher| {
            bencher.iter(|| synth::synthesize(&fabric, pod, &Silent).unwrap())
        });
        let topology = synth::synthesize(&fabric, pod, &Silent).unwrap().finalists.remove(0);
        let scene = fabc::ir::Scene::healthy(&topology);
        let settings = flow::FlowSettings { rounds: 50, gap_ppm: 0, sweeps: 0, primal: true };
        group.bench_function(format!("flow_50_rounds/{name}"), |bencher| {
            bencher.iter(|| {
                let seeds = synth::start_lengths(&topology, &fabric.demand);
                flow::concurrent(&scene, &fabric.demand, flow::StartLengths::Seeds(&seeds), settings, &Silent)
            })
        });
    }
    let small = fabric("small_cubes");
    group.bench_function("compile/small_cubes", |bencher| {
        bencher.iter(|| compile(small.clone(), Stage::Emit, &Silent).unwrap())
    });
    group.finish();
}

/// What an evaluation of the search costs: searches by the plain search and by parity, with all sources and
/// with half of them.
fn evaluations(_: &mut Criterion) {
    for name in ["pod_128", "pod_1024", "scale/cubes_64", "scale/cubes_128"] {
        let fabric = fabric(name);
        let pod = fabric.pod().expect("a pod");
        let begun = Instant::now();
        let record = synth::synthesize(&fabric, pod, &Silent).unwrap().record;
        let seconds = begun.elapsed().as_secs_f64();
        let (_, count) =
            record.counters.iter().find(|(counter, _)| counter == "evaluations").expect("a search counts");
        println!(
            "evaluations/{name}: {count} in {seconds:.2} s, {:.1} us each",
            seconds * 1e6 / *count as f64
        );
    }
}

criterion_group!(benches, front_end, passes, evaluations);
criterion_main!(benches);
