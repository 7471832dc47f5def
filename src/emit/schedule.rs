//! Writes `schedule.json` (`fabc.schedule/1`): when every chip sends and receives which vector.
//! `docs/artifacts.md` defines the format.

use super::collective::push_bound;
use super::json::{push, push_int, push_lines, push_numbers, quote};
use crate::compiled::CompiledFabric;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{ResultRule, Schedule, SumRule, Timed, TimedMessage, Topology};
use fabc_model::SlotPace;
use rayon::prelude::*;

/// Whether the file exists: the collectives are scheduled in cycles, and the build got as far as scheduling.
pub(super) fn exists(compiled: &CompiledFabric) -> bool {
    compiled
        .collectives
        .iter()
        .filter_map(|result| result.nominal())
        .any(|nominal| nominal.schedule.timed().is_some())
}

/// A send or receive of a chip: cycle, port, index of the job, vector.
type ChipAction = (u32, u16, u32, u64);

pub(super) fn json(compiled: &CompiledFabric) -> String {
    let timed = named_plans(compiled);
    let mut out = compiled_head(compiled, "fabc.schedule/1");
    out.push_str(",\n\"chips\":");
    let chip_text = |(chip, actions): (NodeId, ChipActions)| {
        let mut out = String::new();
        push_chip(&mut out, chip, actions);
        out
    };
    let chips: Vec<String> =
        all_chip_actions(&compiled.topology, &timed).into_par_iter().map(chip_text).collect();
    out.reserve(chips.iter().map(|chip| chip.len() + 4).sum());
    push_lines(&mut out, chips, |out, chip| out.push_str(&chip));
    out.push_str("}\n");
    out
}

/// The text before the chips, for the JSON or the binary format. The object stays open.
pub(super) fn compiled_head(compiled: &CompiledFabric, format: &str) -> String {
    let head = ScheduleHead { format, fabric: &compiled.fabric.name, failover: compiled.fabric.failover() };
    head_text(head, &compiled.topology, &named_plans(compiled), |timed| timed.canonical)
}

fn named_plans(compiled: &CompiledFabric) -> Vec<NamedPlan<'_>> {
    let plans =
        compiled.collectives.iter().filter_map(|result| result.nominal()).map(|nominal| &nominal.schedule);
    let names = compiled.fabric.collectives.iter().map(|declared| &*declared.name);
    names.zip(plans).filter_map(|(name, plan)| Some((name, plan, plan.timed()?))).collect()
}

/// A scheduled plan with its name.
type NamedPlan<'a> = (&'a str, &'a Schedule, &'a Timed);

/// The first members of a schedule.
struct ScheduleHead<'a> {
    format: &'a str,
    fabric: &'a str,
    /// Routers of a block that a spare block may replace, and number of blocks.
    failover: Option<(u32, u32)>,
}

/// The sends and receives of a chip, each ascending.
#[derive(Clone, Default)]
struct ChipActions {
    sends: Vec<ChipAction>,
    receives: Vec<ChipAction>,
}

impl ChipActions {
    fn sort(&mut self) {
        self.sends.sort_unstable();
        self.receives.sort_unstable();
    }
}

/// The text before the list of chips. `canonical` says whether a plan lists only canonical chips.
fn head_text(
    head: ScheduleHead<'_>,
    topology: &Topology,
    jobs: &[NamedPlan<'_>],
    canonical: impl Fn(&Timed) -> bool,
) -> String {
    let ScheduleHead { format, fabric, failover } = head;
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
        push_job(out, name, schedule, timed, canonical(timed))
    });
    out
}

fn push_chip(out: &mut String, chip: NodeId, actions: ChipActions) {
    let ChipActions { sends, receives } = actions;
    push(out, format_args!("{{\"chip\":{chip},\n \"sends\":["));
    push_actions(out, sends);
    out.push_str("],\n \"receives\":[");
    push_actions(out, receives);
    out.push_str("]}");
}

/// The plans of a built directory, to show single chips of them. The plans may be canonical.
pub struct ChipPlans<'a> {
    /// Its routers, links and symmetry.
    pub topology: &'a Topology,
    /// Plans with their names, in the order of the file.
    pub plans: &'a [(String, Schedule)],
}

impl ChipPlans<'_> {
    /// The plan of one chip as JSON (`fabc.schedule/1`). `node` is the node whose place `chip` takes, which
    /// is the chip itself without failover.
    pub fn json(&self, fabric: &str, chip: NodeId, node: NodeId) -> String {
        let head = ScheduleHead { format: "fabc.schedule/1", fabric, failover: None };
        let mut out = head_text(head, self.topology, &self.jobs(), |_| false);
        out.push_str(",\n\"chips\":");
        push_lines(&mut out, [self.chip_actions(node)], |out, actions| push_chip(out, chip, actions));
        out.push_str("}\n");
        out
    }

    /// The plan of one chip for people, ordered by time. `node` is the node whose place `chip` takes.
    pub fn text(&self, chip: NodeId, node: NodeId) -> String {
        let jobs = self.jobs();
        let ChipActions { sends, receives } = self.chip_actions(node);
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
        let port_width = sends
            .iter()
            .chain(&receives)
            .map(|action| port(action.1).chars().count())
            .max()
            .unwrap_or(0)
            .max("port".len());
        let longest = jobs.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max("job".len());
        push(
            &mut out,
            format_args!(
                "{:>10}  {:<8}  {:>port_width$}  {:<longest$}  vector\n",
                "cycle", "", "port", "job"
            ),
        );
        let mut actions: Vec<(ChipAction, &str)> = receives
            .into_iter()
            .map(|action| (action, "receives"))
            .chain(sends.into_iter().map(|action| (action, "sends")))
            .collect();
        actions.sort_unstable_by_key(|((cycle, port, ..), verb)| (*cycle, *verb, *port));
        for ((cycle, port_id, job, vector), verb) in actions {
            let (name, schedule, timed) = jobs[job as usize];
            let (port, vector) = (port(port_id), schedule.vector_text(timed, self.topology, vector));
            push(
                &mut out,
                format_args!("{cycle:>10}  {verb:<8}  {port:>port_width$}  {name:<longest$}  {vector}\n"),
            );
        }
        out
    }

    fn jobs(&self) -> Vec<NamedPlan<'_>> {
        self.plans.iter().filter_map(|(name, plan)| Some((&**name, plan, plan.timed()?))).collect()
    }

    /// The sends of one chip, and the sends of its neighbors to it.
    fn chip_actions(&self, node: NodeId) -> ChipActions {
        let topology = self.topology;
        let symmetry = topology.symmetry();
        let mut actions = ChipActions::default();
        for (number, (_, schedule, timed)) in (0..).zip(self.jobs()) {
            for send in &timed.sends {
                let images = if timed.canonical { symmetry.order() } else { 1 };
                let element = if timed.canonical { symmetry.element_to(node) } else { 0 };
                if symmetry.image(element, send.chip) == node {
                    actions.sends.push((
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
                        actions.receives.push((send.cycle + timed.pace.hop, end.port.0, number, vector));
                    }
                }
            }
        }
        actions.sort();
        actions
    }
}

fn push_job(out: &mut String, name: &str, schedule: &Schedule, timed: &Timed, canonical: bool) {
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
    push_numbers(out, sums.iter().map(sum_numbers));
    let result = match result {
        ResultRule::Told => "\"told\"".to_owned(),
        ResultRule::Summed(sum) => sum_numbers(sum),
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

/// `[0,1,0]`: the levels `from`, `below` and `own` of a sum, with -1 for no own level.
fn sum_numbers(sum: &SumRule) -> String {
    let SumRule { from, below, own_level: own } = sum;
    format!("[{from},{below},{}]", own.map_or(-1, i64::from))
}

/// The chips that send or receive, with their actions. A canonical plan lists only canonical chips.
fn all_chip_actions(topology: &Topology, jobs: &[NamedPlan<'_>]) -> Vec<(NodeId, ChipActions)> {
    let mut chips = vec![ChipActions::default(); topology.node_count()];
    let symmetry = topology.symmetry();
    for (job, (_, schedule, timed)) in (0..).zip(jobs) {
        for send in &timed.sends {
            chips[send.chip.index()].sends.push((send.cycle, send.port.0, job, send.vector));
            let Some(channel) = topology.outgoing(send.chip, send.port) else { continue };
            let end = topology.target(channel);
            let (mut node, mut vector) = (end.node, send.vector);
            if timed.canonical {
                let home = symmetry.inverse(symmetry.element_to(node));
                (node, vector) =
                    (symmetry.image(home, node), schedule.vector_image(timed, symmetry, home, vector));
            }
            chips[node.index()].receives.push((send.cycle + timed.pace.hop, end.port.0, job, vector));
        }
    }
    let mut chips: Vec<(NodeId, ChipActions)> = topology
        .nodes()
        .zip(chips)
        .filter(|(_, actions)| !actions.sends.is_empty() || !actions.receives.is_empty())
        .collect();
    chips.par_iter_mut().for_each(|(_, actions)| actions.sort());
    chips
}

fn push_actions(out: &mut String, actions: Vec<ChipAction>) {
    for (index, (cycle, port, job, vector)) in actions.into_iter().enumerate() {
        out.push_str(if index > 0 { ",[" } else { "[" });
        push_int(out, cycle.into());
        out.push(',');
        push_int(out, port.into());
        out.push(',');
        push_int(out, job.into());
        out.push(',');
        // The number is below 2^63, because no plan has so many vectors.
        push_int(out, vector as i64);
        out.push(']');
    }
}
