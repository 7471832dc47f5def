//! Lists the parts of a directory that nothing in the directory can prove.

use super::Remake;
use fabc_check::{CERTIFICATES, MANIFEST, ProvedDirectory, REPORT, SPEC};
use fabc_model::{
    DEFAULT_CLOCK_HZ, Fabric, LOSSES_INPUT, Pod, RoutingChoice, SynthesisMethod, TopologyChoice,
};

/// A part of a directory that cannot be proved from the directory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unproved {
    /// The file, or the folder with `/`.
    pub file: &'static str,
    /// The JSON place within the file, without indices, or the first word of a line. Empty for the whole
    /// file.
    pub place: &'static str,
    /// What is taken on trust there.
    pub what: &'static str,
}

/// The list in the making.
#[derive(Default)]
struct Claims(Vec<Unproved>);

impl Claims {
    /// Adds a part if it occurs in the directory.
    fn add(&mut self, occurs: bool, file: &'static str, place: &'static str, what: &'static str) {
        self.0.extend(occurs.then_some(Unproved { file, place, what }));
    }
}

/// The parts of a proved directory that are taken on trust, file by file.
pub(super) fn unproved(fabric: &Fabric, proved: &ProvedDirectory, remake: Remake) -> Vec<Unproved> {
    let mut claims = Claims::default();
    add_spec(&mut claims, fabric, proved);
    add_manifest(&mut claims, proved);
    add_collectives(&mut claims, fabric, proved);
    add_jobs(&mut claims, fabric, proved);
    add_results(&mut claims, fabric, proved, remake);
    claims.0
}

/// Parts of the spec, and of the files that it reads.
fn add_spec(claims: &mut Claims, fabric: &Fabric, proved: &ProvedDirectory) {
    let routed = proved.scenarios[0].certified.has_tables();
    let simulated = routed && !fabric.simulations.is_empty();
    let search = match fabric.pod().map(|pod| &pod.topology) {
        Some(TopologyChoice::Synthesize(search)) => Some(search),
        Some(TopologyChoice::SynthesizeNear(near)) => Some(&near.search),
        _ => None,
    };
    claims.add(
        fabric.clock_hz == DEFAULT_CLOCK_HZ,
        SPEC,
        "clock",
        "whether it is written: its default has the same effect",
    );
    claims.add(
        fabric.routing == RoutingChoice::Minimal,
        SPEC,
        "routing",
        "whether `minimal` is written: a network without a routing has it",
    );
    claims.add(
        !routed,
        SPEC,
        "clock",
        "changes no other file without routes, unless latencies are in seconds",
    );
    let router = fabric.plant.router_word();
    claims.add(routed && !simulated, SPEC, router, "flit and buffer change no other file");
    claims.add(simulated, SPEC, router, "radix, where ports stay free");
    claims.add(!routed, SPEC, router, "flit, buffer and latency change no other file without routes");
    claims.add(
        fabric.pod().is_some_and(some_ports_are_free),
        SPEC,
        "ocs",
        "ports, where others have no more and others no fewer",
    );
    let searched = |floor: &fabc_model::Floor| {
        floor.placement.name() == "annealed" || floor.clustering.name() == "walktrap"
    };
    let searched = fabric.floor.as_ref().is_some_and(searched);
    claims.add(searched, SPEC, "floor", "steps, effort and seed: which search has found the places");
    claims.add(searched, "floor.json", "", "which cabinets and places, of all that are allowed");
    let used = |link_type| proved.topology.links().iter().any(|link| link.link_type == link_type);
    claims.add(
        fabric.link_types.ids().any(|link_type| !used(link_type)),
        SPEC,
        "link",
        "those that no link is made of",
    );
    claims.add(
        search.is_some_and(|search| search.method != SynthesisMethod::Search),
        SPEC,
        "topology",
        "what the program may take",
    );
    let read = fabric.plant.input().map(|(path, _)| path);
    claims.add(
        read.is_some(),
        read.unwrap_or_default(),
        "",
        "that this is the file that was read; what the spec asks of it is proved",
    );
    claims.add(
        fabric.losses.is_some(),
        LOSSES_INPUT,
        "",
        "that this is the table that was read; losses of ports that are not joined change no other file",
    );
}

/// Adds the parts of the manifest that nothing proves.
fn add_manifest(claims: &mut Claims, proved: &ProvedDirectory) {
    claims.add(true, MANIFEST, "tool", "the version");
    claims.add(
        proved.options.iter().any(|(name, _)| name == "stop_after"),
        MANIFEST,
        "options.stop_after",
        "which stage, of those on this side of routing",
    );
    let set = proved.options.iter().any(|(name, _)| name.starts_with("param.") || name.starts_with("use."));
    claims.add(set, MANIFEST, "options", "which parameters and changes the values in the spec came from");
}

/// Parts of the jobs and their schedules.
fn add_jobs(claims: &mut Claims, fabric: &Fabric, proved: &ProvedDirectory) {
    let planned = proved.scenarios[0].certified.has_tables() && !fabric.jobs.is_empty();
    let compared = planned && fabric.jobs.iter().any(|job| job.place.is_chosen());
    claims.add(
        planned && !fabric.searched_for.is_empty(),
        "jobs/",
        "topologies",
        "which topologies were compared, and their estimates",
    );
    let reconfigures = |job: &fabc_ir::JobResult| job.reconfiguration.is_some();
    claims.add(
        proved.jobs.iter().any(reconfigures),
        "jobs/",
        "reconfigure",
        "the times of phases on other topologies",
    );
    claims.add(
        compared,
        "jobs/",
        "candidates",
        "which placements were compared, and the times of those that were not taken",
    );
    claims.add(planned, "jobs/", "witness", "which witnesses, of all that prove a bound");
    claims.add(planned, "jobs/", "schedule", "which schedule, of all that do the same in the same time");
}

/// Parts of the collectives and their schedules.
fn add_collectives(claims: &mut Claims, fabric: &Fabric, proved: &ProvedDirectory) {
    let routed = proved.scenarios[0].certified.routed.is_some();
    let planned = routed && !fabric.collectives.is_empty();
    claims.add(
        planned,
        REPORT,
        "collectives.scenarios.others",
        "chunks and times of slower algorithms; that none is faster is proved",
    );
    claims.add(planned, REPORT, "collectives.scenarios.left_out", "which algorithms were not tried unasked");
    claims.add(
        planned,
        REPORT,
        "collectives.curve.times_ns",
        "times at other sizes; that none is below the bound is proved",
    );
    claims.add(planned, REPORT, "collectives.crossovers", "where the fastest algorithm changes");
    claims.add(
        planned,
        "collectives/",
        "bounds",
        "which witnesses, of all that prove the same bound, and in which order",
    );
    for place in ["steps", "trees", "sends", "rooted", "latency", "canonical"] {
        claims.add(
            planned,
            "collectives/",
            place,
            "which schedule and how it is listed, of all that do the same in the same time",
        );
    }
}

/// Parts of the report, the certificates, the simulations and the tables.
fn add_results(claims: &mut Claims, fabric: &Fabric, proved: &ProvedDirectory, remake: Remake) {
    let routed = proved.scenarios[0].certified.routed.is_some();
    let simulated = routed && !fabric.simulations.is_empty();
    claims.add(true, REPORT, "passes", "how the searches went: counters, stopped_by, notes");
    let weighed = !proved.stated.trade_off.is_empty();
    claims.add(weighed, REPORT, "network.trade_off", "what other weights of cables give");
    claims.add(
        proved.stated.uniform.is_some(),
        REPORT,
        "gain",
        "what the topology for uniform demand carries; the ratio follows from it",
    );
    let bounds = proved.stated.tree_bounds.as_ref();
    claims.add(
        bounds.is_some_and(|bounds| !bounds.witness.is_empty()),
        REPORT,
        "bounds.trees.witness",
        "which switches prove the bound, of all that do",
    );
    claims.add(
        proved.stated.limit.is_some(),
        REPORT,
        "bounds.universal.argument",
        "which argument, of all with the same sums",
    );
    claims.add(!proved.trees.is_empty(), CERTIFICATES, "trees", "which trees, of as many");
    let halves = proved.network.as_ref().is_some_and(|network| network.bisection.is_some());
    claims.add(halves, CERTIFICATES, "bisection", "which halves and which lower end, of all that are proved");
    let sides = proved.network.as_ref().is_some_and(|network| network.host_bisection.is_some());
    claims.add(sides, CERTIFICATES, "host_bisection", "which side, of all with the same capacity across");
    claims.add(true, CERTIFICATES, "lengths", "which lengths, of all that prove the same bound");
    let shortest = proved.scenarios[0].certified.shortest.is_some();
    claims.add(shortest, CERTIFICATES, "shortest", "which lengths, of all that prove the same bound");
    let sprayed = proved.scenarios[0].certified.sprayed.is_some();
    claims.add(
        sprayed,
        CERTIFICATES,
        "permutation",
        "which flows and prices, of all that prove the same load; where none is listed, that it takes long",
    );
    claims.add(routed, CERTIFICATES, "ranks", "which ranks, of all that rise along every route");
    let counts =
        "counts of runs that were not made again, of all that are possible; `--remake all` makes all of them";
    claims.add(simulated && remake.runs.is_some(), "simulations/", "scenarios", counts);
    let brackets =
        "which bracket, of all that a search can end with: rates that it ran on the way are not run again";
    claims.add(simulated, "simulations/", "saturation", brackets);
    claims.add(routed, "tables/", "", "which routes, of all that arrive and have the same numbers");
}

/// Whether the switches of a pod have more than two groups, and unequal numbers of ports.
fn some_ports_are_free(pod: &Pod) -> bool {
    let ports = || pod.ocses.iter().map(|ocs| ocs.ports);
    pod.ocs_groups.len() > 2 && ports().min() < ports().max()
}
