//! How long the parts take on the shipped specs. Counters in the report are steadier; these are for finding out where time goes.

#![expect(missing_docs, reason = "the macros of criterion make undocumented functions")]

use criterion::{Criterion, criterion_group, criterion_main};

fn registry(criterion: &mut Criterion) {
    // The passes join here as they land; this keeps the harness compiling.
    criterion.bench_function("explain/all", |bencher| bencher.iter(|| fabc::diag::codes().map(|doc| doc.text.len()).sum::<usize>()));
}

criterion_group!(benches, registry);
criterion_main!(benches);
