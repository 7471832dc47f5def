//! Runs of traffic that ends, as text, JSON and CSV.

use super::super::json::{push, push_lines, push_numbers, quote};
use super::super::number::{fixed, grouped, ratio};
use super::model::setting_in_words;
use super::parts::{push_delays, push_digests, push_vcs};
use super::ratios::{cell_of, share};
use super::wrapped::wrapped;
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

/// What a run comes to.
pub(super) struct Reached {
    /// Bytes of the messages over its time, all senders together, GB/s; and on average of a sender.
    pub(super) gbs: Fraction,
    each: Fraction,
    pub(super) microseconds: Fraction,
    /// The lower bound over its cycles.
    pub(super) share: Fraction,
}

impl Reached {
    pub(super) fn of(fabric: &Fabric, report: &SimReport, volume: &Volume, run: &Completion) -> Self {
        // A channel moves a flit per cycle, and carries what its link has.
        let gbs = volume
            .per_cycle(run, fabric.router.flit_bytes.into())
            .times(gigabytes(fabric.capacities.unit_bps()));
        Self {
            gbs,
            each: gbs.over(Fraction::whole(report.load.senders.max(1))),
            microseconds: nanoseconds(Fraction::whole(run.cycles), fabric.clock_hz)
                .over(Fraction::whole(1000u32)),
            share: volume.share(run),
        }
    }
}

/// What is sent, and what bounds it.
pub(super) fn sends(report: &SimReport, volume: &Volume) -> String {
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
pub(super) fn table(fabric: &Fabric, topology: &Topology, report: &SimReport, volume: &Volume) -> String {
    let line = |cells: Vec<String>| {
        let cells: Vec<String> =
            cells.into_iter().zip(COLUMNS).map(|(cell, (_, width))| format!("{cell:>width$}")).collect();
        format!("  {}\n", cells.join("  ").trim_end())
    };
    let mut out = line(COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect());
    for run in &report.completions {
        let reached = Reached::of(fabric, report, volume, run);
        let [mean, p99, most] = match &run.delays {
            Some(of) => [fixed(of.mean(), 1), grouped(of.p99), grouped(of.most)],
            None => [(); 3].map(|()| "-".to_owned()),
        };
        let (_, busy) = run.busiest;
        let percent = |value: Fraction| format!("{} %", fixed(value.times(Fraction::whole(100u8)), 1));
        let seed = if report.completions.len() > 1 { format!("seed {}", run.seed) } else { String::new() };
        out += &line(vec![
            grouped(run.cycles.into()),
            fixed(reached.microseconds, 3),
            percent(reached.share),
            fixed(reached.gbs, 2),
            fixed(reached.each, 3),
            mean,
            p99,
            most,
            percent(Fraction::new(busy, run.cycles.max(1))),
            seed,
        ]);
    }
    if let Some(run) = report.completions.first().filter(|run| run.hops > 0) {
        out +=
            &wrapped(&format!("the busiest channel is {}", topology.channel_name(ChannelId(run.busiest.0))));
    }
    out
}

/// `"volume":{..},"completions":[..]`, of traffic that ends.
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
        let reached = Reached::of(fabric, report, volume, run);
        let Completion { seed, cycles, packets, hops, general_hops, .. } = run;
        push(
            out,
            format_args!("{{\"seed\":{seed},\"cycles\":{cycles},\"us\":{}", ratio(reached.microseconds)),
        );
        push(out, format_args!(",\"share\":{},\"gbs\":{}", ratio(reached.share), ratio(reached.gbs)));
        push(
            out,
            format_args!(",\"gbs_per_sender\":{},\"delivered\":{packets},\"latency\":", ratio(reached.each)),
        );
        match &run.delays {
            Some(delays) => push_delays(out, delays),
            None => out.push_str("null"),
        }
        let (channel, busy) = run.busiest;
        let name = quote(&topology.channel_name(ChannelId(channel)));
        push(out, format_args!(",\"busiest\":{{\"channel\":{name},\"id\":{channel},\"cycles\":{busy}"));
        push(out, format_args!(",\"utilization\":{}}}", share(busy.into(), run.cycles.max(1).into())));
        push(out, format_args!(",\"hops\":{hops},\"general_hops\":{general_hops}"));
        push(out, format_args!(",\"general_share\":{},\"vcs\":", share(*general_hops, *hops)));
        push_vcs(out, &report.setting, *hops, &run.vcs);
        out.push_str(",\"busy_cycles\":");
        push_numbers(out, run.busy_by_class.iter().map(u64::to_string));
        push_digests(out, &run.digests, run.last_digest());
        out.push('}');
    });
}

/// A row per run.
pub(super) fn completions_csv(fabric: &Fabric, topology: &Topology, reports: &[SimReport]) -> String {
    let mut out = String::from(
        "scenario,seed,cycles,least_cycles,share,us,gbs,gbs_per_sender,messages,packets,bytes,mean,median,p99,max,mean_source_wait,\
         mean_hops,busiest,utilization,general_share,traffic,routing,model\n",
    );
    for (report, volume) in reports.iter().filter_map(|report| Some((report, report.volume.as_ref()?))) {
        for run in &report.completions {
            let reached = Reached::of(fabric, report, volume, run);
            let mut cells = vec![report.scenario.clone()];
            cells.extend([run.seed, run.cycles.into(), volume.least_cycles].map(|count| count.to_string()));
            cells.extend([reached.share, reached.microseconds, reached.gbs, reached.each].map(ratio));
            cells.extend([volume.messages, volume.packets, volume.bytes].map(|count| count.to_string()));
            match &run.delays {
                Some(of) => {
                    let mean = |sum: u64| ratio(Fraction::new(sum, of.packets));
                    let counts = [of.median, of.p99, of.most].map(|cycles| cycles.to_string());
                    cells.push(mean(of.sum));
                    cells.extend(counts);
                    cells.extend([mean(of.waited), mean(of.hops)]);
                }
                None => cells.extend([""; 6].map(str::to_owned)),
            }
            let (channel, busy) = run.busiest;
            cells.push(topology.channel_name(ChannelId(channel)));
            cells.extend([share(busy.into(), run.cycles.max(1).into()), share(run.general_hops, run.hops)]);
            cells.extend(setting_in_words(&report.setting));
            cells.push(report.setting.model.name().to_owned());
            let cells: Vec<String> = cells.iter().map(|cell| cell_of(cell)).collect();
            push(&mut out, format_args!("{}\n", cells.join(",")));
        }
    }
    out
}
