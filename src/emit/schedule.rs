//! `schedule.json` (`fabc.schedule/1`): when every chip sends and receives which vector, as docs/artifacts.md
//! describes it.

use super::collective::push_bound;
use super::json::{push, push_int, push_lines, push_numbers, quote};
use crate::compiled::Compiled;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{Schedule, Sum, Timed, TimedMessage, Topology, Total};
use fabc_model::SlotPace;
use rayon::prelude::*;

/// Whether there is such a file: vectors are scheduled, and the build got so far.
pub(super) fn exists(compiled: &Compiled) -> bool {
    compiled
        .collectives
        .iter()
        .filter_map(|result| result.nominal())
        .any(|nominal| nominal.schedule.timed().is_some())
}

/// What a chip does: cycle, port, collective, vector.
type Line = (u32, u16, u32, u64);

/// The file's text.
pub(super) fn json(compiled: &Compiled) -> String {
    let timed = jobs_of(compiled);
    let mut out = head_of(compiled, "fabc.schedule/1");
    out.push_str(",\n\"chips\":");
    let chip = |of: (NodeId, [Vec<Line>; 2])| {
        let mut out = String::new();
        push_chip(&mut out, of);
        out
    };
    let chips: Vec<String> = chips(&compiled.topology, &timed).into_par_iter().map(chip).collect();
    out.reserve(chips.iter().map(|chip| chip.len() + 4).sum());
    push_lines(&mut out, chips, |out, chip| out.push_str(&chip));
    out.push_str("}\n");
    out
}

/// Everything before the chips, in such a format; the object stays open.
pub(super) fn head_of(compiled: &Compiled, format: &str) -> String {
    let fabric = (format, &*compiled.fabric.name, compiled.fabric.failover());
    head(fabric, &compiled.topology, &jobs_of(compiled), |timed| timed.canonical)
}

fn jobs_of(compiled: &Compiled) -> Vec<Job<'_>> {
    let plans =
        compiled.collectives.iter().filter_map(|result| result.nominal()).map(|nominal| &nominal.schedule);
    let names = compiled.fabric.collectives.iter().map(|declared| &*declared.name);
    names.zip(plans).filter_map(|(name, plan)| Some((name, plan, plan.timed()?))).collect()
}

/// A plan by its name.
type Job<'a> = (&'a str, &'a Schedule, &'a Timed);

/// Format and fabric, by name; routers of a block that a spare one may replace, and how many there are.
type Fabric<'a> = (&'a str, &'a str, Option<(u32, u32)>);

/// Everything before the list of chips.
fn head(
    (format, fabric, failover): Fabric<'_>,
    topology: &Topology,
    jobs: &[Job<'_>],
    canonical: impl Fn(&Timed) -> bool,
) -> String {
    let mut out = format!("{{\"format\":\"{format}\",\"fabric\":{},", quote(fabric));
    if let Some((.., Timed { pace: SlotPace { vector_bytes, slot, hop, reduce, deskew }, clock_hz, .. })) =
        jobs.first()
    {
        push(&mut out, format_args!("\"clock_hz\":{clock_hz},\"vector_bytes\":{vector_bytes},"));
        push(&mut out, format_args!("\"slot\":{slot},\"hop\":{hop},\"reduce\":{reduce},"));
        if *deskew > 0 {
            push(&mut out, format_args!("\"deskew\":{deskew},"));
        }
    }
    let makespan = jobs.iter().map(|(.., timed)| timed.end).max().unwrap_or(0);
    push(&mut out, format_args!("\"nodes\":{},", topology.node_count()));
    if let Some((routers, blocks)) = failover {
        push(&mut out, format_args!("\"failover\":{{\"routers\":{routers},\"blocks\":{blocks}}},"));
    }
    push(&mut out, format_args!("\"makespan\":{makespan},\n\"jobs\":"));
    push_lines(&mut out, jobs, |out, (name, schedule, timed)| {
        job(out, name, schedule, (timed, canonical(timed)))
    });
    out
}

fn push_chip(out: &mut String, (chip, [sends, receives]): (NodeId, [Vec<Line>; 2])) {
    push(out, format_args!("{{\"chip\":{chip},\n \"sends\":["));
    lines(out, sends);
    out.push_str("],\n \"receives\":[");
    lines(out, receives);
    out.push_str("]}");
}

/// Plans as a directory has them, of which single chips are shown, whatever symmetry they keep.
pub struct ChipPlans<'a> {
    /// Who is wired to whom.
    pub topology: &'a Topology,
    /// By name, in the order of the file.
    pub plans: &'a [(String, Schedule)],
}

impl ChipPlans<'_> {
    /// What one chip sends and receives, in the place of another or its own, in the form of
    /// `fabc.schedule/1`.
    pub fn json(&self, fabric: &str, (chip, node): (NodeId, NodeId)) -> String {
        let mut out = head(("fabc.schedule/1", fabric, None), self.topology, &self.jobs(), |_| false);
        out.push_str(",\n\"chips\":");
        push_lines(&mut out, [(chip, self.of(node))], push_chip);
        out.push_str("}\n");
        out
    }

    /// The same for people, in the order of time.
    pub fn text(&self, (chip, node): (NodeId, NodeId)) -> String {
        let jobs = self.jobs();
        let [sends, receives] = self.of(node);
        let names = self.topology.names();
        let place = if chip == node {
            String::new()
        } else {
            format!(" in the place of {}", self.topology.name(node))
        };
        let mut out = format!(
            "chip {} (node {chip}){place}, {} sends, {} receives, {} jobs\n",
            self.topology.name(chip),
            sends.len(),
            receives.len(),
            jobs.len()
        );
        let port = |port: u16| names.port(PortId(port));
        let wide = sends
            .iter()
            .chain(&receives)
            .map(|line| port(line.1).chars().count())
            .max()
            .unwrap_or(0)
            .max("port".len());
        let longest = jobs.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max("job".len());
        push(
            &mut out,
            format_args!("{:>10}  {:<8}  {:>wide$}  {:<longest$}  vector\n", "cycle", "", "port", "job"),
        );
        let all = receives
            .into_iter()
            .map(|line| (line, "receives"))
            .chain(sends.into_iter().map(|line| (line, "sends")));
        let mut all: Vec<(Line, &str)> = all.collect();
        all.sort_unstable_by_key(|((cycle, port, ..), what)| (*cycle, *what, *port));
        for ((cycle, by, job, vector), what) in all {
            let (name, schedule, timed) = jobs[job as usize];
            let (port, vector) = (port(by), schedule.vector_text(timed, self.topology, vector));
            push(
                &mut out,
                format_args!("{cycle:>10}  {what:<8}  {port:>wide$}  {name:<longest$}  {vector}\n"),
            );
        }
        out
    }

    fn jobs(&self) -> Vec<Job<'_>> {
        self.plans.iter().filter_map(|(name, plan)| Some((&**name, plan, plan.timed()?))).collect()
    }

    /// The lines of one chip: its sends, and those of its neighbors to it.
    fn of(&self, node: NodeId) -> [Vec<Line>; 2] {
        let topology = self.topology;
        let symmetry = topology.symmetry();
        let mut lists = [Vec::new(), Vec::new()];
        for (number, (_, schedule, timed)) in (0..).zip(self.jobs()) {
            for send in &timed.sends {
                let images = if timed.canonical { symmetry.order() } else { 1 };
                let element = if timed.canonical { symmetry.element_to(node) } else { 0 };
                if symmetry.image(element, send.chip) == node {
                    lists[0].push((
                        send.cycle,
                        send.port.0,
                        number,
                        schedule.vector_image(timed, symmetry, element, send.vector),
                    ));
                }
                for element in 0..images {
                    let Some(channel) = topology.outgoing(symmetry.image(element, send.chip), send.port)
                    else {
                        continue;
                    };
                    let end = topology.target(channel);
                    if end.node == node {
                        let vector = schedule.vector_image(timed, symmetry, element, send.vector);
                        lists[1].push((send.cycle + timed.pace.hop, end.port.0, number, vector));
                    }
                }
            }
        }
        lists.iter_mut().for_each(|lines| lines.sort_unstable());
        lists
    }
}

fn job(out: &mut String, name: &str, schedule: &Schedule, (timed, canonical): (&Timed, bool)) {
    let Schedule { collective, algorithm, seed, chunks, root, bounds, .. } = schedule;
    let Timed { start, end, sums, result, .. } = timed;
    let root = root.map_or("null".to_owned(), |root| root.0.to_string());
    push(out, format_args!("{{\"name\":{},\"collective\":\"{}\",", quote(name), collective.name()));
    push(
        out,
        format_args!(
            "\"algorithm\":\"{}\",\"seed\":{seed},\"vectors\":{chunks},\"root\":{root},",
            algorithm.name()
        ),
    );
    if timed.groups > 1 {
        push(out, format_args!("\"groups\":{},", timed.groups));
    }
    push(out, format_args!("\"canonical\":{canonical},\"start\":{start},\"end\":{end},\n \"sums\":"));
    push_numbers(out, sums.iter().map(sum));
    let result = match result {
        Total::Told => "\"told\"".to_owned(),
        Total::Summed(of) => sum(of),
    };
    push(out, format_args!(",\"result\":{result},"));
    if !timed.messages.is_empty() {
        out.push_str("\"messages\":");
        push_lines(out, &timed.messages, |out, TimedMessage { from, to, earliest, vectors, .. }| {
            push(out, format_args!("[{from},{to},{vectors},{earliest}]"));
        });
        out.push_str(",\n ");
    }
    out.push_str("\"bounds\":");
    push_lines(out, bounds, push_bound);
    out.push('}');
}

/// `[0,1,0]`: levels from, below, own (-1: none).
fn sum(Sum { from, below, own }: &Sum) -> String {
    format!("[{from},{below},{}]", own.map_or(-1, i64::from))
}

/// The chips that send or receive, with what they do; of canonical plans only canonical chips.
fn chips(topology: &Topology, jobs: &[Job<'_>]) -> Vec<(NodeId, [Vec<Line>; 2])> {
    let mut chips: Vec<[Vec<Line>; 2]> = vec![[Vec::new(), Vec::new()]; topology.node_count()];
    let symmetry = topology.symmetry();
    for (job, (_, schedule, timed)) in (0..).zip(jobs) {
        for send in &timed.sends {
            chips[send.chip.index()][0].push((send.cycle, send.port.0, job, send.vector));
            let Some(channel) = topology.outgoing(send.chip, send.port) else { continue };
            let end = topology.target(channel);
            let (mut node, mut vector) = (end.node, send.vector);
            if timed.canonical {
                let home = symmetry.inverse(symmetry.element_to(node));
                (node, vector) =
                    (symmetry.image(home, node), schedule.vector_image(timed, symmetry, home, vector));
            }
            chips[node.index()][1].push((send.cycle + timed.pace.hop, end.port.0, job, vector));
        }
    }
    let mut chips: Vec<(NodeId, [Vec<Line>; 2])> = topology
        .nodes()
        .zip(chips)
        .filter(|(_, lists)| lists.iter().any(|lines| !lines.is_empty()))
        .collect();
    chips.par_iter_mut().for_each(|(_, lists)| lists.iter_mut().for_each(|lines| lines.sort_unstable()));
    chips
}

fn lines(out: &mut String, lines: Vec<Line>) {
    for (at, (cycle, port, job, vector)) in lines.into_iter().enumerate() {
        out.push_str(if at > 0 { ",[" } else { "[" });
        push_int(out, cycle.into());
        out.push(',');
        push_int(out, port.into());
        out.push(',');
        push_int(out, job.into());
        out.push(',');
        // Below 2^63: a plan of so many vectors is none.
        push_int(out, vector as i64);
        out.push(']');
    }
}
