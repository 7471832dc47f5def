//! Forged searches for saturation and forged runs in overload.

use crate::kept_simulations::{ALL, Forgery, NONE, compiled_spec, verify};
use crate::support::spec_text::SpecText;
use fabc::compiled::CompiledFabric;
use fabc::sim::{Rate, Saturation};
use fabc::syntax::ast;

/// Convicts forgeries of the only search, one at a time, without any other run than those that decide.
fn convict(compiled: &mut CompiledFabric, spec: &ast::Spec, forgeries: &[Forgery<Saturation>]) {
    let before = compiled.simulations[0][0].saturations[0].clone();
    for (name, forge) in forgeries {
        forge(&mut compiled.simulations[0][0].saturations[0]);
        assert!(verify(compiled, spec, NONE).is_err(), "{name} passes");
        compiled.simulations[0][0].saturations[0] = before.clone();
    }
}

/// One run in overload decides, so that whoever forges it is convicted without any other run.
#[test]
fn runs_in_overload_are_made_again() {
    let text = SpecText::network("kautz { degree = 2; length = 2; link = wire; }")
        .named("kept_overload")
        .with("router { radix = 8; hosts = 2; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }")
        .with("budget { vcs = 2; }")
        .with("simulate peak { rates = 0.1; control = window { ack = flit; } overload = 2; packet = 2 flits; warmup = 600 cycles; measure = 1600 cycles; }")
        .with("require peak.sustained >= 0.5; require peak.fairness >= 0.2;")
        .text();
    let (mut compiled, spec) = compiled_spec(&text);
    verify(&compiled, &spec, ALL).unwrap();
    let forgeries: &[Forgery<Saturation>] = &[
        ("another multiple", |search| search.overloads[0].multiple = Rate::millionths(3_000_000)),
        ("another rate", |search| search.overloads[0].rate = Rate::millionths(1)),
        ("no run", |search| search.overloads.clear()),
        ("two runs", |search| search.overloads.push(search.overloads[0])),
        ("a packet more", |search| search.overloads[0].born += 1),
        ("a packet more that is delivered", |search| search.overloads[0].delivered += 1),
        ("more delivered than ever born", |search| search.overloads[0].delivered *= 100),
        ("a better worst source", |search| search.overloads[0].worst = search.overloads[0].best),
        ("a packet of the best source less", |search| search.overloads[0].best.packets -= 1),
        ("another source", |search| search.overloads[0].worst.endpoint ^= 1),
        ("a hop more", |search| search.overloads[0].hops += 1),
        ("a flit more", |search| search.overloads[0].moved += 1),
        ("an acknowledgement less", |search| search.overloads[0].moved_acks -= 1),
    ];
    convict(&mut compiled, &spec, forgeries);
}

/// Hotspot traffic, with runs as long as they are by default: a coarse search comes first.
#[test]
fn forged_coarse_searches_and_hot_spots_are_convicted() {
    let text = SpecText::network("kautz { degree = 2; length = 1; link = wire; }")
        .named("kept_hot")
        .with("router { radix = 6; hosts = 1; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }")
        .with("budget { vcs = 2; }")
        .with("simulate peak { traffic = hotspot { at = [1]; share = 0.5; } control = window { packets = 12; per_pair = 3; } overload = 1.5; rates = 0.1; packet = 1 flits; replications = 2; }")
        .with("require peak.elsewhere >= 0.9;")
        .text();
    let (mut compiled, spec) = compiled_spec(&text);
    verify(&compiled, &spec, NONE).unwrap();
    let forgeries: &[Forgery<Saturation>] = &[
        ("a run more of the coarse search", |search| search.coarse.as_mut().unwrap().runs += 1),
        ("another coarse bracket", |search| {
            let coarse = search.coarse.as_mut().unwrap();
            coarse.stable = Some(Rate::millionths(coarse.stable.unwrap().in_millionths() - 1));
        }),
        ("a coarse search of another seed", |search| search.coarse.as_mut().unwrap().seed += 1),
        ("no coarse search", |search| search.coarse = None),
        ("nothing elsewhere", |search| search.overloads[0].elsewhere = None),
        ("a packet less born for elsewhere", |search| {
            search.overloads[0].elsewhere.as_mut().unwrap().born -= 1;
        }),
        ("more that arrives elsewhere than at all", |search| {
            search.overloads[0].elsewhere.as_mut().unwrap().delivered = search.overloads[0].delivered + 1;
        }),
        ("a packet more that arrives elsewhere", |search| {
            search.overloads[0].elsewhere.as_mut().unwrap().delivered += 1;
        }),
    ];
    convict(&mut compiled, &spec, forgeries);
}
