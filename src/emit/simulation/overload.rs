//! Writes the runs in overload: what is sustained at multiples of the saturation, and how sources fare.

use super::super::json::{push, quote};
use super::super::number::{fixed, ratio};
use super::ratios::SHARE;
use fabc_ir::{Fraction, Topology};
use fabc_model::MarkLaw;
use fabc_sim::{
    Ack, Elsewhere, Overload, Saturation, Setting, SimReport, SourceControl, SourceCount, SourceMarks,
};

/// Decimals of a share that is not in percent.
const PLACES: u32 = 4;

/// Where a run accepts less than this part of the saturation, the fabric falls in overload.
const FALLS: u8 = 95;

/// Writes the runs in overload of one seed as members of its object. Nothing without such runs.
pub(super) fn push_overloads(out: &mut String, topology: &Topology, report: &SimReport, search: &Saturation) {
    if search.overloads.is_empty() {
        return;
    }
    out.push_str(",\"overload\":[");
    for (k, run) in search.overloads.iter().enumerate() {
        let (setting, senders) = (&report.setting, report.load.senders);
        let (sustained, fairness) = (report.sustained(search, run), run.fairness());
        let Overload { multiple, rate, born, delivered, hops, worst, best, moved, moved_acks, elsewhere } =
            run;
        let accepted = ratio(run.accepted(setting, senders));
        let comma = if k > 0 { "," } else { "" };
        push(out, format_args!("{comma}{{\"multiple\":{multiple},\"rate\":{rate},\"born\":{born}"));
        push(out, format_args!(",\"delivered\":{delivered},\"accepted\":{accepted}"));
        push_share(out, "sustained", sustained);
        push_share(out, "fairness", fairness);
        if let Some(counted) = elsewhere {
            let Elsewhere { born, delivered } = counted;
            let share = fixed(counted.share(), SHARE);
            push(out, format_args!(",\"elsewhere\":{share},\"elsewhere_packets\":[{delivered},{born}]"));
        }
        let mean = run.mean_hops().map_or_else(|| "null".to_owned(), ratio);
        push(out, format_args!(",\"hops\":{hops},\"mean_hops\":{mean}"));
        for (word, source) in [("worst", worst), ("best", best)] {
            let SourceCount { endpoint, packets, .. } = *source;
            let name = quote(&topology.name(report.sources[endpoint as usize]));
            let accepted = ratio(run.accepted_of(setting, *source));
            push(out, format_args!(",\"{word}_source\":{{\"router\":{name},\"endpoint\":{endpoint}"));
            push(out, format_args!(",\"packets\":{packets},\"accepted\":{accepted}}}"));
        }
        push(out, format_args!(",\"moved_flits\":{moved},\"ack_flits\":{moved_acks}}}"));
    }
    out.push(']');
}

/// Writes a share with its numerator and denominator.
fn push_share(out: &mut String, name: &str, share: Fraction) {
    let (over, under) = (share.numerator(), share.denominator());
    push(out, format_args!(",\"{name}\":{},\"{name}_ratio\":[{over},{under}]", fixed(share, SHARE)));
}

/// A sentence about every run in overload of one seed, and one about where the fabric falls.
pub(super) fn overload_sentences(
    topology: &Topology,
    report: &SimReport,
    search: &Saturation,
) -> Vec<String> {
    let cycles = report.setting.overload_cycles;
    let mut sentences: Vec<String> =
        search.overloads.iter().map(|run| overload_sentence(topology, report, search, run)).collect();
    let threshold = Fraction::new(FALLS, 100u8);
    let falls = |run: &&Overload| report.sustained(search, run) < threshold;
    let Some(first) = search.overloads.first() else { return sentences };
    let end = cycles.end();
    sentences.push(match search.overloads.iter().find(falls) {
        Some(run) if run == first => {
            format!(
                "it falls below {FALLS} % of the saturation at {} x or less, within {end} cycles",
                run.multiple
            )
        }
        Some(run) => {
            format!("it falls below {FALLS} % of the saturation at {} x, within {end} cycles", run.multiple)
        }
        None => format!("it keeps {FALLS} % of the saturation at all of these, over {end} cycles"),
    });
    sentences
}

fn overload_sentence(topology: &Topology, report: &SimReport, search: &Saturation, run: &Overload) -> String {
    let setting = &report.setting;
    let source = |source: SourceCount| {
        let name = topology.name(report.sources[source.endpoint as usize]);
        format!("{} of {name}", fixed(run.accepted_of(setting, source), PLACES))
    };
    let acks = match run.moved_acks {
        0 => String::new(),
        _ => {
            let share = run.ack_share().times(Fraction::integer(100u8));
            format!("; acknowledgements take {} % of what channels move", fixed(share, 1))
        }
    };
    let elsewhere = run.elsewhere.map_or_else(String::new, |elsewhere| {
        format!("; of the traffic elsewhere {} arrives", fixed(elsewhere.share(), PLACES))
    });
    format!(
        "overload {} x: at {} it sustains {}, {} of the saturation; sources from {} to {}, fairness {}; {} hops on average{elsewhere}{acks}",
        run.multiple,
        run.rate,
        fixed(run.accepted(setting, report.load.senders), PLACES),
        fixed(report.sustained(search, run), PLACES),
        source(run.worst),
        source(run.best),
        fixed(run.fairness(), PLACES),
        run.mean_hops().map_or_else(|| "-".to_owned(), |hops| fixed(hops, PLACES)),
    )
}

/// The least sustained share and the least fairness of all runs in overload of a scenario. `None` without
/// such runs.
pub(super) fn worst_overload(report: &SimReport) -> Option<WorstOverload> {
    worst_of(report, report.saturations.iter())
}

/// The same of one seed.
pub(super) fn worst_overload_of(report: &SimReport, search: &Saturation) -> Option<WorstOverload> {
    worst_of(report, std::iter::once(search))
}

/// The scenario that sustains least in overload. `None` without such runs.
pub(super) fn least_sustained(reports: &[SimReport]) -> Option<&SimReport> {
    let least =
        |report: &SimReport| report.overload_runs().map(|(search, run)| report.sustained(search, run)).min();
    reports
        .iter()
        .filter_map(|report| Some((least(report)?, report)))
        .min_by_key(|(least, _)| *least)
        .map(|(_, report)| report)
}

fn worst_of<'a>(
    report: &SimReport,
    searches: impl Iterator<Item = &'a Saturation> + Clone,
) -> Option<WorstOverload> {
    let runs = || searches.clone().flat_map(|search| search.overloads.iter().map(move |run| (search, run)));
    let sustained = runs().map(|(search, run)| report.sustained(search, run)).min()?;
    let fairness = runs().map(|(_, run)| run.fairness()).min()?;
    Some(WorstOverload { sustained: fixed(sustained, PLACES), fairness: fixed(fairness, PLACES) })
}

/// The least shares of the runs in overload, as text.
pub(crate) struct WorstOverload {
    pub(crate) sustained: String,
    pub(crate) fairness: String,
}

/// The window of a control with its rule, and its acknowledgements, in words.
pub(super) fn control_in_words(control: &SourceControl) -> String {
    let SourceControl { marks, window, per_pair, is_derived, pipe, room, ack, wait } = control;
    let rule = match is_derived {
        true if ack.has_flits() => {
            format!(" by the rule: {pipe} on their way and a quarter of the room for {room}")
        }
        true => format!(" by the rule: {pipe} on their way and three eighths of the room for {room}"),
        false => format!(" of which {pipe} are on their way, with room for {room}"),
    };
    let news = match ack {
        Ack::Free => "news of arrivals takes the way back and no channel".to_owned(),
        Ack::Flit => "acknowledgements of one flit".to_owned(),
        Ack::Piggyback => {
            format!("acknowledgements on packets, or of one flit after {wait} cycles")
        }
    };
    let pairs = per_pair.map_or_else(String::new, |packets| format!("; {packets} per pair at most"));
    if let Some(SourceMarks { law, mark, gain, timer, .. }) = marks {
        let sources = match law {
            MarkLaw::Dctcp => {
                format!("a window of {window} packets at most,{rule}, shrinks with marks (DCTCP)")
            }
            MarkLaw::Dcqcn => {
                format!("the rate of a source shrinks with marks and grows every {timer} cycles (DCQCN)")
            }
        };
        return format!(
            "; {sources}; marks from {mark} flits in a queue on, with a gain of {gain}{pairs}; {news}"
        );
    }
    format!("; window of {window} packets per source,{rule}{pairs}; {news}")
}

/// Writes the control and the runs in overload among the parameters of the model.
pub(super) fn push_control(out: &mut String, setting: &Setting) {
    if let Some(SourceControl { marks, window, per_pair, is_derived, pipe, room, ack, wait }) =
        &setting.control
    {
        let name = marks.map_or("window", |marks| marks.law.name());
        if !marks.is_some_and(|marks| marks.law == MarkLaw::Dcqcn && *is_derived) {
            push(out, format_args!(",\"window_packets\":{window}"));
        }
        if let Some(SourceMarks { law, mark, gain, timer, line_rate }) = marks {
            push(out, format_args!(",\"mark_flits\":{mark},\"gain\":{gain}"));
            if *law == MarkLaw::Dcqcn {
                push(out, format_args!(",\"timer_cycles\":{timer},\"line_rate\":{line_rate}"));
            }
        }
        if let Some(packets) = per_pair {
            push(out, format_args!(",\"pair_packets\":{packets}"));
        }
        push(
            out,
            format_args!(",\"control\":\"{name}\",\"window_derived\":{is_derived},\"pipe_packets\":{pipe}"),
        );
        push(out, format_args!(",\"room_packets\":{room},\"ack\":\"{}\"", ack.name()));
        if *ack == Ack::Piggyback {
            push(out, format_args!(",\"ack_wait_cycles\":{wait}"));
        }
    }
}

/// Writes the multiples and the cycles of the runs in overload. Nothing without such runs.
pub(super) fn push_overload_setting(out: &mut String, setting: &Setting) {
    if setting.overload.is_empty() {
        return;
    }
    let multiples: Vec<String> = setting.overload.iter().map(ToString::to_string).collect();
    let cycles = setting.overload_cycles;
    push(out, format_args!(",\"overload\":[{}]", multiples.join(",")));
    push(out, format_args!(",\"overload_cycles\":[{},{}]", cycles.warmup, cycles.measure));
}

/// The multiples of the saturation in words, such as `1.20 and 2.00`. Empty without runs in overload.
pub(crate) fn overload_multiples(setting: &Setting) -> String {
    let multiples: Vec<String> = setting.overload.iter().map(ToString::to_string).collect();
    match multiples.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
    }
}
