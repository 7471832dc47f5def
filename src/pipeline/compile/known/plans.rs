//! The known plans of a fabric: the schedules of its collectives, and its jobs.
//!
//! A kept plan is the files that a directory has of it. The checker of directories proves it from these
//! files, on the topology and the tables that were proved before.

use super::keys::key_of;
use super::parts::PartTexts;
use super::tables::KnownTables;
use crate::verify::collective_results;
use fabc_check::{CheckError, Files};
use fabc_emit::Artifact;
use fabc_emit::compiled::{CompiledFabric, CompiledScenario};
use fabc_ir::read::KeptPlan;
use fabc_ir::{CollectiveResult, CrossConnects, JobResult, Topology};
use fabc_model::{Fabric, Scenarios};

/// The plans of a build that were searched for, each by its number in the spec.
#[derive(Default)]
pub(in crate::compile) struct NewPlans {
    /// The collectives. Where vectors are scheduled, all of them or none.
    pub(in crate::compile) collectives: Vec<usize>,
    pub(in crate::compile) jobs: Vec<usize>,
}

/// The fabric that plans are made on, in all of its scenarios.
#[derive(Clone, Copy)]
pub(in crate::compile) struct PlanScenarios<'a> {
    pub(in crate::compile) fabric: &'a Fabric,
    /// The nominal scenario first, then the faults.
    pub(in crate::compile) scenarios: &'a [CompiledScenario],
    pub(in crate::compile) topology: &'a Topology,
    /// Present for a pod only.
    pub(in crate::compile) cross_connects: Option<&'a CrossConnects>,
}

impl PlanScenarios<'_> {
    /// The scenarios that a plan is made in.
    fn wanted(&self, scenarios: Scenarios) -> &[CompiledScenario] {
        match scenarios {
            Scenarios::All => self.scenarios,
            Scenarios::Nominal => &self.scenarios[..1],
        }
    }

    /// The file of the proved tables of a scenario. Groups are no tables that messages follow.
    fn tables_file(&self, compiled: &CompiledScenario) -> Option<Artifact> {
        let tables = compiled.routed.as_ref()?.tables.unpacked();
        Some(fabc_emit::tables_artifact(&compiled.scenario, &tables, self.topology.symmetry(), true))
    }
}

impl KnownTables<'_> {
    /// The key of a plan in some scenarios. `text` is what it depends on beside their tables.
    fn plan_key(
        &self,
        kind: &str,
        text: impl FnOnce(&PartTexts) -> String,
        on: &[CompiledScenario],
    ) -> String {
        let tables: Vec<String> = on.iter().map(|scenario| self.key(&scenario.scenario.name)).collect();
        self.results.key(|texts| key_of(&[kind, &text(texts), &tables.concat()]))
    }

    fn collective_key(&self, on: PlanScenarios<'_>, number: usize) -> String {
        let wanted = on.wanted(on.fabric.collectives[number].scenarios);
        self.plan_key("collective", |texts| texts.collectives[number].clone(), wanted)
    }

    fn job_key(&self, on: PlanScenarios<'_>, number: usize) -> String {
        let wanted = on.wanted(on.fabric.jobs[number].scenarios);
        self.plan_key("job", |texts| texts.jobs[number].clone(), wanted)
    }

    fn schedules_key(&self, on: PlanScenarios<'_>) -> String {
        self.plan_key("schedules", |texts| texts.collectives.concat(), &on.scenarios[..1])
    }

    /// A known plan, as `prove` proves it from its files.
    fn plan<T>(
        &self,
        on: PlanScenarios<'_>,
        key: &str,
        wanted: &[CompiledScenario],
        prove: impl FnOnce(&Files) -> Result<T, Vec<CheckError>>,
    ) -> Option<T> {
        self.results.load(key, |bytes| {
            let KeptPlan { needs_tables, mut files } = KeptPlan::read(bytes, key)?;
            if needs_tables {
                let tables = wanted.iter().filter_map(|scenario| on.tables_file(scenario));
                files.extend(tables.map(|file| (file.path, file.bytes)));
            }
            let first =
                |errors: Vec<CheckError>| errors.first().map_or_else(String::new, CheckError::to_string);
            prove(&files).map_err(first)
        })
    }

    /// The known schedules of one collective, proved. `part` is the part of the fabric that they are about.
    pub(in crate::compile) fn collective(
        &self,
        on: PlanScenarios<'_>,
        number: usize,
        part: &Fabric,
    ) -> Option<CollectiveResult> {
        let wanted = on.wanted(on.fabric.collectives[number].scenarios);
        let key = self.collective_key(on, number);
        self.plan(on, &key, wanted, |files| proved_schedules(files, part, on))?.pop()
    }

    /// The known schedules of vectors of all collectives, proved. `part` is the part of the fabric that they
    /// are about.
    pub(in crate::compile) fn schedules(
        &self,
        on: PlanScenarios<'_>,
        part: &Fabric,
    ) -> Option<Vec<CollectiveResult>> {
        self.plan(on, &self.schedules_key(on), &[], |files| proved_schedules(files, part, on))
    }

    /// The known plan of a job, proved. `part` is the part of the fabric that it is about.
    pub(in crate::compile) fn job(
        &self,
        on: PlanScenarios<'_>,
        number: usize,
        part: &Fabric,
    ) -> Option<JobResult> {
        let (key, wanted) = (self.job_key(on, number), on.wanted(on.fabric.jobs[number].scenarios));
        let prove = |files: &Files| fabc_check::prove_job_files(files, part, on.topology, on.cross_connects);
        self.plan(on, &key, wanted, prove)?.pop()
    }

    /// Stores plans that were searched for.
    pub(in crate::compile) fn store_plans(&self, compiled: &CompiledFabric, new: &NewPlans) {
        let CompiledFabric { fabric, topology, scenarios, .. } = compiled;
        let cross_connects = compiled.pod.as_ref().map(|pod| &pod.cross_connects);
        let on = PlanScenarios { fabric, scenarios, topology, cross_connects };
        if fabric.routing.is_scheduled() {
            if !new.collectives.is_empty() {
                let key = self.schedules_key(on);
                let files = || fabc_emit::schedule_files(compiled);
                self.results.store(&key, || fabc_emit::kept_plan(&key, false, &files()));
            }
        } else {
            new.collectives.iter().for_each(|&number| self.store_collective(on, compiled, number));
        }
        for &number in &new.jobs {
            let key = self.job_key(on, number);
            let files = || fabc_emit::job_files(compiled, &fabric.jobs[number]);
            self.results.store(&key, || fabc_emit::kept_plan(&key, true, &files()));
        }
    }

    fn store_collective(&self, on: PlanScenarios<'_>, compiled: &CompiledFabric, number: usize) {
        let key = self.collective_key(on, number);
        let outcomes = &compiled.collectives[number].scenarios;
        let needs_tables = outcomes.iter().any(|outcome| outcome.schedule.follows_tables());
        let files = || fabc_emit::collective_files(compiled, &on.fabric.collectives[number]);
        self.results.store(&key, || fabc_emit::kept_plan(&key, needs_tables, &files()));
    }
}

fn proved_schedules(
    files: &Files,
    part: &Fabric,
    on: PlanScenarios<'_>,
) -> Result<Vec<CollectiveResult>, Vec<CheckError>> {
    let proved = fabc_check::prove_schedules(files, part, on.topology, on.cross_connects)?;
    collective_results(files, part, proved).map_err(|error| vec![error])
}
