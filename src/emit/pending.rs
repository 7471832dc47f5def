//! The files of every format, from the list of their paths to their contents.

use crate::collective::{collective_json, collective_path};
use crate::compiled::{CompiledFabric, CompiledPod, CompiledScenario, RoutedScenario, WiredLinks};
use crate::config_db::config_db_path;
use crate::formats::{FORMATS, FormatKind};
use crate::job::{job_json, job_path, operation_path};
use crate::lines::Look;
use crate::report_txt::terminal_report;
use crate::simulation::{simulation_csv, simulation_json, simulation_path};
use crate::tables::{group_tables_json, tables_json, tables_path};
use crate::{
    certificates, config_db, dot, floor, formula, graphml, light, network, ocs, report_html, report_json,
};
use crate::{schedule, schedule_bin, tables_bin, topology};
use fabc_base::ids::OcsId;
use fabc_ir::Schedule;
use fabc_model::{
    DEMAND_INPUT, DemandShape, Fabric, HOSTS_INPUT, Job, LOSSES_INPUT, Plant, pairs_input, phases_input,
    ranks_input, trace_input,
};
use std::borrow::Cow;

/// A file that is still to be written.
pub(crate) struct PendingFile<'c> {
    kind: FormatKind,
    /// Index of the switch, scenario, simulation or collective outcome that the file holds.
    index: usize,
    /// Contents of a file that the spec names.
    input: Cow<'c, str>,
}

/// The files of a format with their paths. There are none if the build did not get far enough.
pub(crate) fn pending_files(compiled: &CompiledFabric, kind: FormatKind) -> Vec<(String, PendingFile<'_>)> {
    let file = |index| PendingFile { kind, index, input: "".into() };
    match (kind, &compiled.fabric.plant) {
        (FormatKind::Ocs | FormatKind::ConfigDb, Plant::Network(_)) | (FormatKind::External(_), _) => {
            Vec::new()
        }
        (FormatKind::ConfigDb, Plant::Pod(pod)) => {
            let configured =
                pod.ocses.iter().enumerate().filter(|(_, ocs)| ocs.config_db.state_key().is_some());
            configured.map(|(index, ocs)| (config_db_path(&ocs.name), file(index))).collect()
        }
        (FormatKind::Tables | FormatKind::TablesBin, _) => {
            let ending = if kind == FormatKind::Tables { "json" } else { "bin" };
            // Group tables have no binary form.
            let has_form = |scenario: &CompiledScenario| match kind {
                FormatKind::Tables => scenario.has_tables(),
                _ => scenario.routed.is_some(),
            };
            let routed = compiled.scenarios.iter().enumerate().filter(|(_, scenario)| has_form(scenario));
            routed
                .map(|(index, scenario)| {
                    (format!("{}.{ending}", tables_path(&scenario.scenario.name)), file(index))
                })
                .collect()
        }
        (FormatKind::Inputs, plant) => copied_files(compiled, plant),
        (FormatKind::Formula, _) if !formula::exists(compiled) => Vec::new(),
        (FormatKind::Floor | FormatKind::Cables, _) if compiled.placement.is_none() => Vec::new(),
        (FormatKind::Light, _) if compiled.light.is_none() => Vec::new(),
        (FormatKind::Schedule | FormatKind::ScheduleBin, _) if !schedule::exists(compiled) => Vec::new(),
        // All scheduled collectives stand in `schedule.json`.
        (FormatKind::Collectives, _) if schedule::exists(compiled) => Vec::new(),
        (FormatKind::Simulations | FormatKind::SimulationsCsv, _) => {
            let ending = if kind == FormatKind::Simulations { "json" } else { "csv" };
            let run = compiled.fabric.simulations.iter().zip(&compiled.simulations).enumerate();
            let run = run.filter(|(_, (_, reports))| !reports.is_empty());
            run.map(|(index, (simulation, _))| {
                (format!("{}.{ending}", simulation_path(&simulation.name)), file(index))
            })
            .collect()
        }
        (FormatKind::Collectives, _) => {
            let results = compiled.fabric.collectives.iter().zip(&compiled.collectives);
            let outcomes = results.flat_map(|(declared, result)| {
                result.scenarios.iter().map(move |outcome| (declared, outcome))
            });
            outcomes
                .enumerate()
                .map(|(index, (declared, outcome))| {
                    (collective_path(&declared.name, &outcome.row.scenario), file(index))
                })
                .collect()
        }
        (FormatKind::Jobs, _) => {
            let planned = compiled.fabric.jobs.iter().zip(&compiled.jobs).enumerate();
            let planned = planned.filter(|(_, (_, result))| result.nominal().is_some());
            planned.map(|(index, (job, _))| (job_path(&job.name), file(index))).collect()
        }
        (FormatKind::JobSchedules, _) => job_schedules(compiled)
            .enumerate()
            .map(|(index, JobSchedule { job, phase, operation, scenario, .. })| {
                (operation_path(&job.name, phase, operation, scenario), file(index))
            })
            .collect(),
        _ => FORMATS
            .iter()
            .filter(|format| format.kind == kind)
            .map(|format| (format.path.to_owned(), file(0)))
            .collect(),
    }
}

/// The copies of the files that the spec names.
fn copied_files<'c>(compiled: &'c CompiledFabric, plant: &'c Plant) -> Vec<(String, PendingFile<'c>)> {
    let kind = FormatKind::Inputs;
    let matrix = matches!(compiled.fabric.demand.shape(), DemandShape::Matrix(_));
    let demand = matrix.then(|| {
        (DEMAND_INPUT.to_owned(), PendingFile { kind: FormatKind::Demand, index: 0, input: "".into() })
    });
    let input = plant
        .input()
        .map(|(path, text)| (path.to_owned(), PendingFile { kind, index: 0, input: text.into() }));
    let pairs = compiled.fabric.collectives.iter().filter_map(|declared| {
        let text = declared.messages.as_ref()?.text.as_deref()?;
        Some((pairs_input(&declared.name), PendingFile { kind, index: 0, input: text.into() }))
    });
    let traces = compiled.fabric.simulations.iter().filter_map(|declared| {
        let trace = declared.parameters.details.trace.as_ref()?;
        Some((trace_input(&declared.name), PendingFile { kind, index: 0, input: (&*trace.text).into() }))
    });
    let ranks = compiled.fabric.jobs.iter().filter_map(|job| {
        Some((ranks_input(&job.name), PendingFile { kind, index: 0, input: job.place.csv()?.into() }))
    });
    let phases = compiled.fabric.jobs.iter().filter_map(|job| {
        Some((phases_input(&job.name), PendingFile { kind, index: 0, input: job.phases_json()?.into() }))
    });
    let hosts =
        compiled.fabric.hosts.iter().map(|map| {
            (HOSTS_INPUT.to_owned(), PendingFile { kind, index: 0, input: map.text.as_str().into() })
        });
    let losses = compiled.fabric.losses.iter().map(|table| {
        (LOSSES_INPUT.to_owned(), PendingFile { kind, index: 0, input: table.text.as_str().into() })
    });
    let of_fabric = demand.into_iter().chain(input).chain(hosts).chain(losses);
    of_fabric.chain(pairs).chain(traces).chain(ranks).chain(phases).collect()
}

impl PendingFile<'_> {
    pub(crate) fn bytes(&self, compiled: &CompiledFabric, spec_text: &str) -> Vec<u8> {
        let scenario = compiled.scenarios.get(self.index);
        match (self.kind, scenario.and_then(|scenario| Some((scenario, scenario.routed.as_ref()?)))) {
            (FormatKind::TablesBin, Some((scenario, routed))) => {
                tables_bin::bytes(&routed.tables, &scenario.scenario.images, compiled.topology.symmetry())
            }
            _ if self.kind == FormatKind::ScheduleBin => schedule_bin::bytes(compiled),
            _ => self.text(compiled, spec_text).into_bytes(),
        }
    }

    fn text(&self, compiled: &CompiledFabric, spec_text: &str) -> String {
        match self.kind {
            FormatKind::Spec => spec_text.to_owned(),
            FormatKind::Inputs => self.input.to_string(),
            FormatKind::Demand => compiled.fabric.demand.csv(),
            FormatKind::Topology | FormatKind::Graphml | FormatKind::Dot | FormatKind::Csv => {
                links_text(self.kind, compiled.wiring())
            }
            FormatKind::Ocs => {
                let (pod, CompiledPod { cross_connects, .. }) = compiled.expect_pod();
                ocs::json(pod, &cross_connects.mirrors())
            }
            FormatKind::ConfigDb => {
                let (pod, CompiledPod { cross_connects, .. }) = compiled.expect_pod();
                config_db::json(
                    pod,
                    OcsId(self.index as u32),
                    &cross_connects.mirror(OcsId(self.index as u32)),
                )
            }
            FormatKind::Tables => {
                let scenario = &compiled.scenarios[self.index];
                let text = |routed: &RoutedScenario| {
                    tables_json(
                        &routed.tables.unpacked(),
                        &scenario.scenario.images,
                        compiled.topology.symmetry(),
                    )
                };
                let images = &scenario.scenario.images;
                let groups = || {
                    let spreading = compiled.fabric.routing.spreading()?;
                    Some(group_tables_json(&scenario.sprayed.as_ref()?.tables, spreading, images))
                };
                scenario.routed.as_ref().map(text).or_else(groups).unwrap_or_default()
            }
            FormatKind::TablesBin | FormatKind::ScheduleBin | FormatKind::External(_) => String::new(),
            FormatKind::Formula => formula::json(compiled),
            FormatKind::Floor => floor::json(compiled),
            FormatKind::Cables => floor::cables(compiled),
            FormatKind::Light => light::compiled_csv(compiled),
            FormatKind::Schedule => schedule::json(compiled),
            FormatKind::Certificates => certificates::json(compiled),
            FormatKind::ReportJson => report_json::json(compiled),
            FormatKind::ReportTxt => terminal_report(compiled, Look::FILE),
            FormatKind::ReportHtml => report_html::report_page(compiled),
            FormatKind::Simulations => {
                let name = &compiled.fabric.simulations[self.index].name;
                simulation_json(
                    &compiled.fabric,
                    &compiled.topology,
                    Some(name),
                    &compiled.simulations[self.index],
                )
            }
            FormatKind::Collectives => {
                let outcome =
                    compiled.collectives.iter().flat_map(|result| &result.scenarios).nth(self.index);
                outcome.map_or_else(String::new, |outcome| {
                    collective_json(&compiled.fabric.name, &outcome.row.scenario, &outcome.schedule)
                })
            }
            FormatKind::Jobs => {
                let fabric = &compiled.fabric;
                job_json(&fabric.name, &fabric.jobs[self.index], &compiled.jobs[self.index])
            }
            FormatKind::JobSchedules => {
                job_schedules(compiled).nth(self.index).map_or_else(String::new, |planned| {
                    collective_json(&compiled.fabric.name, planned.scenario, planned.schedule)
                })
            }
            FormatKind::SimulationsCsv => {
                simulation_csv(&compiled.fabric, &compiled.topology, &compiled.simulations[self.index])
            }
        }
    }
}

/// A schedule of an operation of a job in a scenario.
struct JobSchedule<'c> {
    job: &'c Job,
    phase: &'c str,
    operation: &'c str,
    scenario: &'c str,
    schedule: &'c Schedule,
}

/// All schedules of the operations of jobs.
fn job_schedules(compiled: &CompiledFabric) -> impl Iterator<Item = JobSchedule<'_>> {
    let planned = compiled.fabric.jobs.iter().zip(&compiled.jobs);
    planned.flat_map(|(job, result)| result.scenarios.iter().map(move |outcome| (job, outcome))).flat_map(
        |(job, outcome)| {
            let phases = job.phases.iter().zip(&outcome.phases);
            phases.flat_map(move |(phase, planned)| {
                let operations = phase.operations.iter().zip(&planned.operations);
                operations.filter_map(move |(operation, planned)| {
                    Some(JobSchedule {
                        job,
                        phase: &phase.name,
                        operation: &operation.name,
                        scenario: &outcome.scenario,
                        schedule: planned.schedule.as_ref()?,
                    })
                })
            })
        },
    )
}

/// The text of a file that holds only links. Empty for other formats.
pub(crate) fn links_text(kind: FormatKind, wiring: WiredLinks<'_>) -> String {
    match (kind, wiring.pod()) {
        (FormatKind::Topology, None) => network::json(wiring),
        (FormatKind::Topology, Some((pod, cross_connects))) => topology::json(wiring, pod, cross_connects),
        (FormatKind::Graphml, None) => network::graphml(wiring),
        (FormatKind::Graphml, Some((pod, cross_connects))) => graphml::xml(wiring, pod, cross_connects),
        (FormatKind::Dot, None) => network::dot(wiring),
        (FormatKind::Dot, Some((pod, cross_connects))) => dot::dot(wiring, pod, cross_connects),
        (FormatKind::Csv, None) => network::csv(wiring),
        (FormatKind::Csv, Some((pod, cross_connects))) => topology::csv(wiring, pod, cross_connects),
        _ => String::new(),
    }
}

/// Paths and texts of the files that a spec names, as a built directory has their copies.
pub fn input_copies(fabric: &Fabric) -> Vec<(String, String)> {
    let matrix = matches!(fabric.demand.shape(), DemandShape::Matrix(_))
        .then(|| (DEMAND_INPUT.to_owned(), fabric.demand.csv()));
    let input = fabric.plant.input().map(|(path, text)| (path.to_owned(), text.to_owned()));
    let pairs = fabric.collectives.iter().filter_map(|declared| {
        Some((pairs_input(&declared.name), declared.messages.as_ref()?.text.as_deref()?.to_owned()))
    });
    let traces = fabric.simulations.iter().filter_map(|declared| {
        let trace = declared.parameters.details.trace.as_ref()?;
        Some((trace_input(&declared.name), trace.text.to_string()))
    });
    let ranks = fabric.jobs.iter().filter_map(|job| Some((ranks_input(&job.name), job.place.csv()?)));
    let phases = fabric.jobs.iter().filter_map(|job| Some((phases_input(&job.name), job.phases_json()?)));
    let hosts = fabric.hosts.iter().map(|map| (HOSTS_INPUT.to_owned(), map.text.clone()));
    let losses = fabric.losses.iter().map(|table| (LOSSES_INPUT.to_owned(), table.text.clone()));
    let of_fabric = matrix.into_iter().chain(input).chain(hosts).chain(losses);
    of_fabric.chain(pairs).chain(traces).chain(ranks).chain(phases).collect()
}
