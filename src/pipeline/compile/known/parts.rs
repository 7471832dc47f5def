//! The parts of a fabric that searches read, as values and as the texts of their keys.
//!
//! Every search gets one of these values and nothing else of the fabric. So a key over the text of the part
//! covers everything that the search can read of the spec.

use fabc_lang::syntax::ast::{ItemKind, Spec};
use fabc_lang::syntax::print_items;
use fabc_model::{
    Budget, DeclaredCollective, Fabric, Faults, HOSTS_INPUT, Job, LOSSES_INPUT, Metric, Plant, Require,
    Scenarios, Simulation,
};

/// The texts that the keys of a fabric are made of. Each begins with the version.
pub(super) struct PartTexts {
    /// What the search for a topology reads: [`searched_part`].
    pub(super) topology: String,
    /// What the flow and the tables read beside the topology: [`routed_part`].
    pub(super) tables: String,
    /// Everything but the lines of the contract that steer no search, addresses, and names of hosts.
    pub(super) without_contract: String,
    /// `[simulation]`: what it reads beside the tables.
    pub(super) simulations: Vec<String>,
    /// `[collective]`: what it reads beside the tables.
    pub(super) collectives: Vec<String>,
    /// `[job]`: what it reads beside the tables.
    pub(super) jobs: Vec<String>,
}

impl PartTexts {
    /// The texts of a fabric. `normal` is the normal form of its spec, and `version` names the code.
    pub(super) fn new(fabric: &Fabric, normal: &Spec, version: &str) -> Self {
        let copies = fabc_emit::input_copies(fabric);
        let inputs_without = |left_out: &[&str]| -> String {
            let kept = copies.iter().filter(|(path, _)| !left_out.contains(&path.as_str()));
            kept.map(|(path, text)| format!("{path}\n{text}\n")).collect()
        };
        let (all_inputs, inputs) =
            (inputs_without(&[HOSTS_INPUT]), inputs_without(&[HOSTS_INPUT, LOSSES_INPUT]));
        let text_with = |inputs: &str, keeps: &dyn Fn(&ItemKind) -> bool| {
            format!("{version}\n{}\n{inputs}", print_items(normal, keeps))
        };
        let text = |keeps: &dyn Fn(&ItemKind) -> bool| text_with(&inputs, keeps);
        let has_jobs = !fabric.searched_for.is_empty();
        // Every field is named, so that another one must be judged here.
        let Budget { vcs, table_entries, faults: _, vcs_span: _, faults_span: _, entries_span: _ } =
            &fabric.budget;
        let budget = format!("vcs {vcs}, entries {table_entries:?}");
        let of_collective = |name: &str| {
            text(&|kind| matches!(kind, ItemKind::Collective(setting) if *setting.name.value == *name))
        };
        let of_job = |name: &str| text(&|kind| matches!(kind, ItemKind::Job(job, ..) if *job.value == *name));
        let of_simulation = |simulation: &Simulation| text(&|kind| is_of_simulation(kind, &simulation.name));
        Self {
            topology: text(&|kind| is_searched(kind) && kind.keyword() != "routing"),
            tables: text(&|kind| is_routed(kind, has_jobs)) + &budget,
            // The losses of light choose the cubes that play the roles of a topology.
            without_contract: text_with(&all_inputs, &|kind| match kind {
                ItemKind::Require(_) => is_searched(kind),
                kind => !is_only_emitted(kind),
            }),
            simulations: fabric.simulations.iter().map(of_simulation).collect(),
            collectives: fabric.collectives.iter().map(|declared| of_collective(&declared.name)).collect(),
            jobs: fabric.jobs.iter().map(|job| of_job(&job.name)).collect(),
        }
    }
}

/// Whether the search for a topology may read an item.
fn is_searched(kind: &ItemKind) -> bool {
    match kind {
        ItemKind::Require(require) => &*require.metric.value == "fault.concurrent_flow",
        ItemKind::Simulate(..) | ItemKind::Collective(_) | ItemKind::Job(..) => false,
        kind => !is_only_emitted(kind) && kind.keyword() != "losses",
    }
}

/// Whether only formats of other programs read an item: addresses, and names of hosts.
fn is_only_emitted(kind: &ItemKind) -> bool {
    matches!(kind, ItemKind::Addresses(_)) || kind.keyword() == "hosts"
}

/// Whether flow and routes may read an item. The budget is another part of their key, without its faults.
fn is_routed(kind: &ItemKind, has_jobs: bool) -> bool {
    match kind {
        ItemKind::Job(..) => has_jobs,
        ItemKind::Require(_) | ItemKind::Budget(_) => false,
        _ => is_searched(kind),
    }
}

/// Whether a simulation depends on an item, beside its tables: on itself, and on lines of the contract about
/// it.
fn is_of_simulation(kind: &ItemKind, simulation: &str) -> bool {
    match kind {
        ItemKind::Simulate(name, _) => &*name.value == simulation,
        ItemKind::Require(require) => require.metric.value.contains(&format!("{simulation}.")),
        _ => false,
    }
}

/// The part of a fabric that the search for a topology reads. It has no simulations, collectives, jobs,
/// addresses, names of hosts and losses of light, and only those `require` lines that steer the search. The
/// search for jobs reads all of them.
pub(in crate::compile) fn searched_part(fabric: &Fabric) -> Fabric {
    let mut part = fabric.clone();
    part.requires.retain(|require| require.fault && require.metric == Metric::ConcurrentFlow);
    part.simulations.clear();
    part.collectives.clear();
    part.jobs.clear();
    part.addresses = None;
    part.hosts = None;
    part.losses = None;
    if let Plant::Pod(pod) = &mut part.plant {
        for id in pod.ocses.ids() {
            pod.ocses[id].loss = None;
        }
    }
    part
}

/// The part of a fabric that flow and routes read beside the topology: neither its contract nor its faults.
/// The jobs that its routes are balanced for stay.
pub(in crate::compile) fn routed_part(fabric: &Fabric) -> Fabric {
    let mut part = searched_part(fabric);
    part.requires.clear();
    part.budget.faults = Faults::Ocses(0);
    if !fabric.searched_for.is_empty() {
        part.jobs.clone_from(&fabric.jobs);
    }
    part
}

/// The part of a fabric that one of its simulations reads beside the tables.
pub(in crate::compile) fn simulated_part(fabric: &Fabric, simulation: &Simulation) -> Fabric {
    let is_about =
        |require: &Require| require.simulation().is_some_and(|about| about.name == simulation.name);
    let requires = fabric.requires.iter().filter(|require| is_about(require)).cloned().collect();
    Fabric { requires, simulations: vec![simulation.clone()], ..routed_part(fabric) }
}

/// The part of a fabric that plans of some collectives read beside the tables.
pub(in crate::compile) fn collectives_part(
    fabric: &Fabric,
    collectives: &[DeclaredCollective],
    scenarios: Scenarios,
) -> Fabric {
    Fabric { collectives: collectives.to_vec(), ..planned_part(fabric, scenarios) }
}

/// The part of a fabric that the plan of a job reads beside the tables.
pub(in crate::compile) fn job_part(fabric: &Fabric, job: &Job) -> Fabric {
    Fabric { jobs: vec![job.clone()], ..planned_part(fabric, job.scenarios) }
}

/// The part of a fabric that plans in some scenarios read. All scenarios are those of the budget.
fn planned_part(fabric: &Fabric, scenarios: Scenarios) -> Fabric {
    let mut part = routed_part(fabric);
    if scenarios == Scenarios::All {
        part.budget.faults = fabric.budget.faults;
    }
    part
}
