//! The part of `report.html` about training jobs: ranks on chips, loads of channels, and sentences.

use crate::emit::{between, compiled_text, page};
use crate::support::spec_text::SpecText;
use fabc::compiled::CompiledFabric;
use fabc::ids::{Id, NodeId};

/// Sixteen chips with a job of three axes and one of many values on an axis, under every dark switch.
pub(crate) fn pod_with_jobs() -> CompiledFabric {
    let jobs = "job mine { axes { tensor = 4; data = 2; stage = 2; } \
                phase layers { collective in = all_gather { over = tensor; size = 1 MiB; times = 10; } } \
                phase sums { collective sum = all_reduce { over = data; size = 4 MiB; } overlap = 50 %; } \
                phase shift { send next { along = stage; size = 64 KiB; times = 8; both = yes; } } \
                compute = 1 ms; place = aligned; scenarios = all; } \
                job wide { axes { expert = 16; } \
                phase all { collective dispatch = all_to_all { over = expert; size = 1 MiB; } } }";
    let spec = SpecText::pod([2, 2, 2], 2).with("topology = torus 2 x 2 x 4;").with("routing = up_down;");
    compiled_text(spec.with(jobs).text())
}

#[test]
fn html_shows_the_ranks_and_loads_of_a_job() {
    let compiled = pod_with_jobs();
    let text = page(&compiled);
    let part = between(&text, "<section id=\"jobs\"", "</section>");
    let ranks: Vec<usize> =
        between(part, "data-ranks=\"", "\"").split(' ').map(|rank| rank.parse().unwrap()).collect();
    let (job, result) = (&compiled.fabric.jobs[0], &compiled.jobs[0]);
    for (chip, &rank) in ranks.iter().enumerate() {
        assert_eq!(result.ranks[rank], NodeId::new(chip));
    }
    // Every axis has every chip once, and its coordinates in their cells.
    for (index, axis) in job.axes.iter().enumerate() {
        let drawn = between(part, &format!("<g class=\"by by-{index}\">"), "</g>");
        assert_eq!(drawn.matches("h19").count(), 16, "{drawn}");
        let numbers = drawn.matches("<text").count();
        assert_eq!((numbers, drawn.matches(">0</text>").count()), (16, 16 / axis.size as usize));
    }
    // All channels are in the histograms, and the busiest one carries what the phase takes time for.
    let nominal = result.nominal().unwrap();
    for (phase, planned) in job.phases.iter().zip(&nominal.phases) {
        let rows =
            between(part, &format!("aria-label=\"Channels by load in phase {}\"", phase.name), "</table>");
        let counts = rows.split("<td class=\"number\">").skip(1);
        let channels: usize =
            counts.map(|cell| cell[..cell.find('<').unwrap()].parse::<usize>().unwrap()).sum();
        assert_eq!(channels, compiled.topology.channel_count(), "{}", phase.name);
        let most = planned.loads.iter().max().unwrap();
        let busiest = planned.busiest.iter().map(|&channel| planned.loads[channel.index()]);
        assert!(busiest.clone().count() > 0 && busiest.clone().all(|load| load == *most), "{}", phase.name);
    }
    // Backticks of sentences are code, and nothing is left of them.
    assert!(part.contains("placement <code>") && !part.contains('`'), "{part}");
    assert!(part.contains("<b class=\"good\">taken</b>") && part.contains("worst fault, "), "{part}");
}
