//! Writes runs of finite traffic as text, JSON and CSV.

use super::super::json::{push, push_lines, push_numbers, quote};
use super::super::number::{fixed, grouped, ratio};
use super::model::setting_in_words;
use super::parts::{push_delays, push_digests, push_vcs};
use super::ratios::{csv_cell, share_text};
use super::wrapped::wrap_text;
use fabc_base::ids::ChannelId;
use fabc_ir::{Fraction, Topology, gigabytes, nanoseconds};
use fabc_model::Fabric;
use fabc_sim::{Completion, Limit, SimReport, Volume};

/// Columns of the table for people, with their widths.
const COLUMNS: [(&str, usize); 10] = [
    ("cycles", 11),
    ("us", 10),
    ("of bound", 8),
    ("GB/s", 10),
    ("each", 8),
    ("mean", 8),
    ("p99", 7),
    ("max", 8),
    ("busiest", 8),
    ("", 0),
];

/// The results of a run of finite traffic.
pub(super) struct FiniteResult {
    /// Throughput of all senders together, and of a sender on average, both in GB/s.
    pub(super) gbs: Fraction,
    gbs_per_sender: Fraction,
    pub(super) microseconds: Fraction,
    /// The lower bound on cycles, divided by the cycles of the run.
    pub(super) share: Fraction,
}

impl FiniteResult {
    pub(super) fn new(fabric: &Fabric, report: &SimReport, volume: &Volume, run: &Completion) -> Self {
        // The fastest channels move one flit per cycle, which is the bandwidth of their link.
        let gbs =
            volume.per_cycle(run, fabric.router.flit_bytes.into()).times(gigabytes(report.setting.flit_bps));
        Self {
            gbs,
            gbs_per_sender: gbs.over(Fraction::integer(report.load.senders.max(1))),
            microseconds: nanoseconds(Fraction::integer(run.cycles), fabric.clock_hz)
                .over(Fraction::integer(1000u32)),
            share: volume.share(run),
        }
    }
}

/// The amount of traffic and its lower bound, in a sentence.
pub(super) fn volume_sentence(report: &SimReport, volume: &Volume) -> String {
    let load = &report.load;
    format!(
        "{} messages, {} bytes in {} packets; at least {} cycles{}; {} hops and {} cycles of a packet on average with nothing in the way, \
         {} at most",
        grouped(volume.messages),
        grouped(volume.bytes),
        grouped(volume.packets),
        grouped(volume.least_cycles),
        match load.limit {
            Limit::Loads => ", by the busiest channel, port or source",
            Limit::Hops => ", of any routing, by the hops of shortest ways",
        },
        fixed(load.hops, 4),
        fixed(load.mean_cycles, 1),
        grouped(load.most_cycles),
    )
}

/// The table of one scenario for people.
pub(super) fn completion_table(
    fabric: &Fabric,
    topology: &Topology,
    report: &SimReport,
    volume: &Volume,
) -> String {
    let line = |cells: Vec<String>| {
        let cells: Vec<String> =
            cells.into_iter().zip(COLUMNS).map(|(cell, (_, width))| format!("{cell:>width$}")).collect();
        format!("  {}\n", cells.join("  ").trim_end())
    };
    let mut out = line(COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect());
    for run in &report.completions {
        let result = FiniteResult::new(fabric, report, volume, run);
        let [mean, p99, most] = match &run.delays {
            Some(delays) => [fixed(delays.mean(), 1), grouped(delays.p99), grouped(delays.most)],
            None => [(); 3].map(|()| "-".to_owned()),
        };
        let (_, busy) = run.busiest;
        let percent = |value: Fraction| format!("{} %", fixed(value.times(Fraction::integer(100u8)), 1));
        let seed = if report.completions.len() > 1 { format!("seed {}", run.seed) } else { String::new() };
        out += &line(vec![
            grouped(run.cycles.into()),
            fixed(result.microseconds, 3),
            percent(result.share),
            fixed(result.gbs, 2),
            fixed(result.gbs_per_sender, 3),
            mean,
            p99,
            most,
            percent(Fraction::new(busy, run.cycles.max(1))),
            seed,
        ]);
    }
    if let Some(run) = report.completions.first().filter(|run| run.hops > 0) {
        out += &wrap_text(&format!(
            "the busiest channel is {}",
            topology.channel_name(ChannelId(run.busiest.0))
        ));
    }
    out
}

/// Writes `"volume":{..},"completions":[..]` for finite traffic.
pub(super) fn push_completions(
    out: &mut String,
    fabric: &Fabric,
    topology: &Topology,
    report: &SimReport,
    volume: &Volume,
) {
    let Volume { messages, packets, bytes, least_cycles } = volume;
    push(
        out,
        format_args!(
            ",\n\"messages\":{messages},\"packets\":{packets},\"bytes\":{bytes},\"least_cycles\":{least_cycles}"
        ),
    );
    out.push_str(",\n\"completions\":");
    push_lines(out, &report.completions, |out, run| {
        let result = FiniteResult::new(fabric, report, volume, run);
        let Completion { seed, cycles, packets, hops, general_hops, .. } = run;
        push(
            out,
            format_args!("{{\"seed\":{seed},\"cycles\":{cycles},\"us\":{}", ratio(result.microseconds)),
        );
        push(out, format_args!(",\"share\":{},\"gbs\":{}", ratio(result.share), ratio(result.gbs)));
        push(
            out,
            format_args!(
                ",\"gbs_per_sender\":{},\"delivered\":{packets},\"latency\":",
                ratio(result.gbs_per_sender)
            ),
        );
        match &run.delays {
            Some(delays) => push_delays(out, delays),
            None => out.push_str("null"),
        }
        let (channel, busy) = run.busiest;
        let name = quote(&topology.channel_name(ChannelId(channel)));
        push(out, format_args!(",\"busiest\":{{\"channel\":{name},\"id\":{channel},\"cycles\":{busy}"));
        push(out, format_args!(",\"utilization\":{}}}", share_text(busy.into(), run.cycles.max(1).into())));
        push(out, format_args!(",\"hops\":{hops},\"general_hops\":{general_hops}"));
        push(out, format_args!(",\"general_share\":{},\"vcs\":", share_text(*general_hops, *hops)));
        push_vcs(out, &report.setting, *hops, &run.vcs);
        out.push_str(",\"busy_cycles\":");
        push_numbers(out, run.busy_by_class.iter().map(u64::to_string));
        push_digests(out, &run.digests, run.last_digest());
        out.push('}');
    });
}

/// The results as CSV, with a row per run.
pub(super) fn completions_csv(fabric: &Fabric, topology: &Topology, reports: &[SimReport]) -> String {
    let mut out = String::from(
        "scenario,seed,cycles,least_cycles,share,us,gbs,gbs_per_sender,messages,packets,bytes,mean,median,p99,max,mean_source_wait,\
         mean_hops,busiest,utilization,general_share,traffic,routing,model\n",
    );
    for (report, volume) in reports.iter().filter_map(|report| Some((report, report.volume.as_ref()?))) {
        for run in &report.completions {
            let result = FiniteResult::new(fabric, report, volume, run);
            let mut cells = vec![report.scenario.clone()];
            cells.extend([run.seed, run.cycles.into(), volume.least_cycles].map(|count| count.to_string()));
            cells.extend([result.share, result.microseconds, result.gbs, result.gbs_per_sender].map(ratio));
            cells.extend([volume.messages, volume.packets, volume.bytes].map(|count| count.to_string()));
            match &run.delays {
                Some(delays) => {
                    let mean = |sum: u64| ratio(Fraction::new(sum, delays.packets));
                    let counts = [delays.median, delays.p99, delays.most].map(|cycles| cycles.to_string());
                    cells.push(mean(delays.sum));
                    cells.extend(counts);
                    cells.extend([mean(delays.waited), mean(delays.hops)]);
                }
                None => cells.extend([""; 6].map(str::to_owned)),
            }
            let (channel, busy) = run.busiest;
            cells.push(topology.channel_name(ChannelId(channel)));
            cells.extend([
                share_text(busy.into(), run.cycles.max(1).into()),
                share_text(run.general_hops, run.hops),
            ]);
            cells.extend(setting_in_words(&report.setting));
            cells.push(report.setting.model.name().to_owned());
            let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
            push(&mut out, format_args!("{}\n", cells.join(",")));
        }
    }
    out
}
