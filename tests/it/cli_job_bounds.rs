//! Lower bounds of jobs, from outside: known answers, what every plan keeps, and what `verify` convicts.

use crate::cli_job::{built, convicted, cube, read};
use crate::support::command::fabc;
use crate::support::spec_text::SpecText;
use serde_json::Value;

#[test]
fn groups_have_few_links_in_every_topology() {
    let jobs = [2, 4, 8, 16, 64].map(|ranks| {
        let gather = format!("collective in = all_gather {{ over = group; size = {ranks} MiB; }}");
        format!(
            "job of_{ranks} {{ axes {{ group = {ranks}; rest = {}; }} phase all {{ {gather} }} }}",
            64 / ranks
        )
    });
    let place = built(&jobs.iter().fold(cube(), |spec, job| spec.with(job)));
    for ranks in [2u32, 4, 8, 16, 64] {
        let phase =
            read(place.path(), &format!("pod/jobs/of_{ranks}.json"))["scenarios"][0]["phases"][0].clone();
        // n chips have at most (n / 2) log2 n links among them. Others take in what they pass on to five.
        let lanes = 5.0 + f64::from(ranks).log2() / 6.0;
        let least = f64::from(ranks - 1) * 1_048_576.0 * 0.02 / lanes + 20.0;
        let universal = phase["universal_ns"].as_f64().unwrap();
        assert!((universal - least).abs() < 0.01, "{ranks}: {universal} for {least}");
        assert!(phase["bound_ns"].as_f64().unwrap() >= universal - 0.01, "{ranks}: {phase}");
    }
    fabc(place.path(), &["verify", "out/pod"], 0);
}

/// Jobs of 24 chips: every group size, one or several operations at once, neighbours first or last. Jobs
/// whose neighbours are first are planned under every fault.
fn jobs_of_all_groups() -> Vec<String> {
    let mut jobs = Vec::new();
    for size in [2, 3, 4, 8, 12] {
        for (place, axes) in
            [format!("a = {size}; b = {};", 24 / size), format!("b = {}; a = {size};", 24 / size)]
                .into_iter()
                .enumerate()
        {
            let gather = "collective in = all_gather { over = a; size = 24 MiB; }";
            let scatter = "collective out = reduce_scatter { over = a; size = 24 MiB; times = 3; }";
            let others = "collective sum = all_reduce { over = a; size = 24 MiB; } \
                          collective exchange = all_to_all { over = b; size = 24 MiB; }";
            let scenarios = if place == 0 { "scenarios = all;" } else { "" };
            jobs.push(format!(
                "job j{size}_{place} {{ axes {{ {axes} }} {scenarios} phase one {{ {gather} }} \
                 phase two {{ {gather} {scatter} }} phase three {{ {others} {scatter} }} \
                 phase four {{ send on {{ along = a; size = 1 MiB; both = yes; }} }} }}"
            ));
        }
    }
    jobs
}

#[test]
fn no_plan_is_below_its_bounds() {
    let topologies = ["torus 2 x 2 x 6;", "synthesize { symmetry = translation; effort = 1; seed = 1; }"];
    let mut witnesses = std::collections::BTreeSet::new();
    for topology in topologies {
        let spec = SpecText::pod([2, 2, 2], 3).with(&format!("topology = {topology}"));
        let place = built(&jobs_of_all_groups().iter().fold(spec, |spec, job| spec.with(job)));
        for entry in std::fs::read_dir(place.path().join("out/pod/jobs")).unwrap() {
            let file = format!("pod/jobs/{}", entry.unwrap().file_name().to_string_lossy());
            let job = read(place.path(), &file);
            // Others are schedules.
            for scenario in job["scenarios"].as_array().into_iter().flatten() {
                for phase in scenario["phases"].as_array().unwrap() {
                    let [universal, bound, time] =
                        ["universal_ns", "bound_ns", "time_ns"].map(|key| phase[key].as_f64().unwrap());
                    assert!(0.0 < universal && universal <= bound + 0.01, "{file}: {phase}");
                    assert!(bound <= time + 0.01, "{file}: {phase}");
                    witnesses.insert(match &phase["witness"] {
                        Value::Object(witness) => witness.keys().next().unwrap().clone(),
                        other => other.as_str().unwrap().to_owned(),
                    });
                }
            }
        }
        fabc(place.path(), &["verify", "out/pod"], 0);
    }
    assert!(witnesses.contains("lengths") && witnesses.contains("relays"), "{witnesses:?}");
}

#[test]
fn groups_along_an_axis_are_bound_by_its_channels() {
    let job = "job rows { axes { x = 4; rest = 16; } \
               phase all { collective KIND { over = x; size = 64 MiB; } } }";
    for kind in ["in = all_gather", "out = reduce_scatter"] {
        let place = built(&cube().with(&job.replace("KIND", kind)));
        let phase = read(place.path(), "pod/jobs/rows.json")["scenarios"][0]["phases"][0].clone();
        // Every part crosses at least three channels along x, of which each chip has two.
        let least = 1.5 * 16.0 * 1_048_576.0 * 0.02;
        assert!((phase["volume_ns"].as_f64().unwrap() - least).abs() < 0.01, "{phase}");
        assert!((phase["bound_ns"].as_f64().unwrap() - least - 20.0).abs() < 0.01, "{phase}");
        let job = "jobs/rows.json";
        let lengths = phase["witness"]["lengths"].as_array().unwrap();
        let crossed = lengths.iter().position(|length| *length == 1).unwrap();
        convicted(place.path(), job, |value| {
            value["scenarios"][0]["phases"][0]["witness"]["lengths"][crossed] = 2.into();
        });
        convicted(place.path(), job, |value| {
            value["scenarios"][0]["phases"][0]["witness"] = "relays".into();
        });
    }
}
