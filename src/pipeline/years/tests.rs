//! Known answers: the closed form of availability, and cases by hand.

use super::account::{Accounting, RunAccount};
use super::failures::{History, PartEvent};
use super::outcome::{Outcome, OutcomeStep};
use super::play::play;
use super::testing::{WHOLE, played, pod_of, policy, request, with_years_pod};
use fabc_base::progress::Silent;
use fabc_emit::{
    CableResponse, DAY_MS, LossCause, MONTH_MS, OperatePolicy, OperatedYears, PerPart, SwapTime, YearsRequest,
};
use fabc_estimate::availability::{FailureRates, FailureResponse, PodCounts, availability};
use fabc_passes::slices::Placing;
use std::convert::Infallible;

/// The number of milliseconds of an hour.
const HOUR: u64 = 3_600_000;

/// The rates of the documentation.
const PER_DAY: PerPart<f64> = PerPart { host: 0.0008, cable: 0.00005, ocs: 0.0004 };

/// Plays policies on a pod whose tables repair everything.
fn years(slices: &str, request: YearsRequest) -> OperatedYears {
    let fabric = pod_of(64, slices);
    with_years_pod(&fabric, |pod| {
        pod.operate::<Infallible>(request, String::new(), &Silent, &|_, _, _| Ok(WHOLE))
            .unwrap_or_else(|never| match never {})
    })
}

/// Half the width of a 95 % interval of so many seeds, in standard errors: quantiles of Student's t.
fn standard_errors(seeds: u32) -> f64 {
    match seeds {
        8 => 2.365,
        _ => panic!("no quantile for {seeds} seeds"),
    }
}

/// Jobs of 62, 60 and 56 of 64 cubes, with 0 to 2 tolerated dark switches, with swaps, around cables, and
/// without swaps: the cells of the known table of `availability`.
#[test]
fn ten_years_agree_with_the_closed_form() {
    let seeds = 8;
    let swapped = |spare| [0, 1, 2].map(|faults| policy(spare, faults, SwapTime::AtOnce));
    let around =
        |spare| OperatePolicy { cables: CableResponse::Around, ..policy(spare, 1, SwapTime::AtOnce) };
    let mut deviations = Vec::new();
    for job in [62u32, 60, 56] {
        let spare = 64 - job;
        let slices =
            format!("spare = {spare}; slice job {{ cubes = {job}; topology = torus 4 x 4 x {}; }}", 4 * job);
        let run = |policies: Vec<OperatePolicy>, restart_ms: u64| {
            let request =
                YearsRequest { months: 120, seeds, per_day: PER_DAY, policies, restart_ms, ..request(1) };
            years(&slices, request).policies
        };
        // The known table leaves the restarts of jobs that wait out.
        let mut results = run([&swapped(spare)[..], &[around(spare)]].concat(), DAY_MS / 96);
        results.extend(run(vec![policy(spare, 1, SwapTime::Never)], 0));
        for (index, result) in results.into_iter().enumerate() {
            let (response, restart) = match index {
                3 => (FailureResponse::RoutedAround, 1.0 / 96.0),
                4 => (FailureResponse::Waiting, 0.0),
                _ => (FailureResponse::Swapped, 1.0 / 96.0),
            };
            let plant = PodCounts { cubes: 64, job, others: 0, hosts: 16, cables: 192.0, ocses: 48 };
            let failures = FailureRates { host: 0.0008, cable: 0.00005, ocs: 0.0004, repair: 1.0, restart };
            let flow = vec![1.0; result.policy.faults as usize + 1];
            let first_order = availability(&plant, &failures, response, &flow);
            let exact = result.closed_form.expect("the form holds");
            let error = result.capacity.half.expect("several seeds") / standard_errors(seeds);
            let deviation = (result.capacity.mean - exact) / error;
            assert!(deviation.abs() < 3.0, "{job} {}: {result:?}", result.policy);
            deviations.push(deviation);
            // One part per cube instead of many moves the form by less than half a point.
            assert!((exact - first_order).abs() < 0.005, "{job} {}: {exact} {first_order}", result.policy);
            // `availability` is within a point of the play, in every cell.
            let from_first_order = (result.capacity.mean - first_order).abs();
            assert!(from_first_order < 0.01, "{job} {}: {first_order} {result:?}", result.policy);
            let all = result.capacity.mean + result.lost.iter().map(|lost| lost.mean).sum::<f64>();
            assert!((all - 1.0).abs() < 1e-9, "{all}");
        }
    }
    // No deviation that they share: cells of one job meet the same failures, so there are few of them.
    let mean = deviations.iter().sum::<f64>() / deviations.len() as f64;
    assert!(mean.abs() < 1.5, "{deviations:?}");
}

/// Many jobs of two kinds that share spare cubes.
#[test]
fn kinds_share_spare_cubes_as_in_the_closed_form() {
    let slices = "spare = 2;
        slice train { cubes = 4; count = 15; topology = torus 4 x 8 x 8; }
        slice serve { cubes = 1; count = 2; topology = torus 4 x 4 x 4; }";
    let policies = vec![policy(2, 1, SwapTime::AtOnce), policy(1, 0, SwapTime::AtOnce)];
    let request = YearsRequest { seeds: 8, per_day: PER_DAY, policies, ..request(120) };
    for result in years(slices, request).policies {
        let error = result.capacity.half.expect("several seeds") / standard_errors(8);
        let exact = result.closed_form.expect("the form holds");
        assert!((result.capacity.mean - exact).abs() < 3.0 * error, "{exact}: {result:?}");
    }
}

/// Plays events by hand on four slices of a cube, with two spare cubes, for a month.
fn account(events: &[(u64, u32, bool)], policy: OperatePolicy, outcome: Outcome) -> RunAccount {
    let fabric = pod_of(6, "spare = 2; slice one { cubes = 1; count = 4; topology = torus 4 x 4 x 4; }");
    let played = played(&fabric, 16);
    let events = events.iter().map(|&(hour, part, down)| PartEvent { at: hour * HOUR, part, down });
    let history = History { events: events.collect(), repairs: PerPart::default() };
    let placing = Placing::new(&fabric, fabric.pod().expect("it is a pod"));
    let timeline = play(&played, placing, &history, policy, request(1).night);
    let accounting = Accounting {
        pod: &played,
        kinds: 1,
        policy,
        months: 1,
        restart_ms: HOUR,
        flow: &[vec![1.0]],
        outcome: &|_, _| outcome,
    };
    accounting.account(&timeline)
}

/// The share of the time of four slices that some hours of one are.
fn hours(hours: f64) -> f64 {
    hours * HOUR as f64 / (4 * MONTH_MS) as f64
}

fn assert_lost(account: &RunAccount, expected: &[(LossCause, f64)]) {
    for cause in LossCause::ALL {
        let lost = account.lost[cause as usize];
        let known = expected.iter().find(|(known, _)| *known == cause).map_or(0.0, |(_, lost)| hours(*lost));
        assert!((lost - known).abs() < 1e-12, "{cause:?}: {lost}, expected {known}");
    }
    assert!((account.capacity + account.lost.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

/// The number of the first switch: after 256 parts of each of six cubes.
const SWITCH: u32 = 6 * 256;

#[test]
fn one_failed_host_by_hand() {
    // A host of cube 0 fails at 10:00 and works again a day later.
    let events = [(10, 3, true), (34, 3, false)];
    // A spare cube takes its place: an hour to restart.
    let at_once = account(&events, policy(2, 1, SwapTime::AtOnce), WHOLE);
    assert_lost(&at_once, &[(LossCause::Restart, 1.0)]);
    assert_eq!((at_once.counts.interruptions, at_once.counts.swaps, at_once.counts.plans), (1, 1, 1));
    // At night: from 10:00 to 22:00, and the restart.
    let at_night = account(&events, policy(2, 1, SwapTime::AtNight), WHOLE);
    assert_lost(&at_night, &[(LossCause::Window, 12.0), (LossCause::Restart, 1.0)]);
    // Without a swap, or without spare cubes: until the host works again.
    for policy in [policy(2, 1, SwapTime::Never), policy(0, 1, SwapTime::AtOnce)] {
        let waits = account(&events, policy, WHOLE);
        assert_lost(&waits, &[(LossCause::Spare, 24.0), (LossCause::Restart, 1.0)]);
        assert_eq!(waits.counts.swaps, 0);
    }
}

#[test]
fn the_first_to_fail_gets_the_first_spare_cube() {
    // Cubes 0, 1 and 2 fail an hour after each other. Two are replaced. The third waits until cube 0 is back,
    // at 34:00, and takes that.
    let events = [(10, 0, true), (11, 256, true), (12, 512, true), (34, 0, false), (35, 256, false)];
    let run = account(&events, policy(2, 1, SwapTime::AtOnce), WHOLE);
    assert_lost(&run, &[(LossCause::Spare, 22.0), (LossCause::Restart, 3.0)]);
    assert_eq!(run.counts.swaps, 3);
    // A spare cube that fails replaces nobody, and stops nobody.
    let events = [(9, 5 * 256, true), (10, 4 * 256, true), (11, 0, true), (20, 4 * 256, false)];
    let run = account(&events, policy(2, 1, SwapTime::AtOnce), WHOLE);
    assert_lost(&run, &[(LossCause::Spare, 9.0), (LossCause::Restart, 1.0)]);
}

#[test]
fn dark_switches_by_hand() {
    // All four slices use the switch. Within the budget they restart, beyond it they stand still.
    let events = [(10, SWITCH, true), (34, SWITCH, false)];
    let within = account(&events, policy(2, 1, SwapTime::AtOnce), WHOLE);
    assert_lost(&within, &[(LossCause::Restart, 4.0)]);
    assert_eq!((within.counts.tables.local, within.counts.tables.back), (4, 4));
    let beyond = account(&events, policy(2, 0, SwapTime::AtOnce), WHOLE);
    assert_lost(&beyond, &[(LossCause::Dark, 96.0), (LossCause::Restart, 4.0)]);
    // Without tables they stand still as well.
    let none = account(&events, policy(2, 1, SwapTime::AtOnce), Outcome::NONE);
    assert_lost(&none, &[(LossCause::Unrepaired, 96.0), (LossCause::Restart, 4.0)]);
    // Half of the throughput, after the restart.
    let half = Outcome { throughput: 0.5, ..WHOLE };
    let slower = account(&events, policy(2, 1, SwapTime::AtOnce), half);
    assert_lost(&slower, &[(LossCause::Flow, 46.0), (LossCause::Restart, 4.0)]);
}

#[test]
fn tables_that_are_not_live_stop_a_running_slice() {
    // After the failure the slices stand still anyway. The way back costs a restart of its own.
    let cold = Outcome { step: OutcomeStep::NewOrder, live: false, throughput: 1.0 };
    let events = [(10, SWITCH, true), (34, SWITCH, false)];
    let run = account(&events, policy(2, 1, SwapTime::AtOnce), cold);
    assert_lost(&run, &[(LossCause::Restart, 4.0), (LossCause::NotLive, 4.0)]);
    assert_eq!((run.counts.tables.new_order, run.counts.tables.not_live), (4, 8));
}

#[test]
fn routes_avoid_broken_cables_or_cubes_are_swapped() {
    // The first cable of cube 1, and a fiber of cube 2.
    let events = [(10, 256 + 16, true), (20, 512 + 16 + 144, true), (34, 256 + 16, false)];
    let swapped = account(&events, policy(2, 1, SwapTime::AtOnce), WHOLE);
    assert_lost(&swapped, &[(LossCause::Restart, 2.0)]);
    assert_eq!((swapped.counts.swaps, swapped.counts.tables.local), (2, 0));
    let around = OperatePolicy { cables: CableResponse::Around, ..policy(2, 1, SwapTime::AtOnce) };
    let run = account(&events, around, Outcome { throughput: 0.75, ..WHOLE });
    // The first cable is broken for 24 hours, one of them lost to the restart. The fiber stays broken.
    let rest = MONTH_MS as f64 / HOUR as f64 - 20.0;
    assert_lost(&run, &[(LossCause::Restart, 2.0), (LossCause::Flow, (23.0 + rest - 1.0) / 4.0)]);
    assert_eq!((run.counts.swaps, run.counts.tables.local, run.counts.tables.back), (0, 2, 1));
}
