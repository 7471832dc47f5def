//! Which rank of a training job runs where, as launchers read it: files for every job.
//!
//! Lists of chips have their numbers among the chips that send and receive. The axis of neighbouring ranks is
//! innermost, as `jax.sharding.Mesh` and `DeviceMesh` of torch take them.

mod group_schedule;
mod hosts;
mod launched;
mod programs;
mod template;

pub use hosts::{HostChips, HostNaming};
pub use launched::{LaunchedJob, LaunchedJobs};

use super::chunks::{EmitError, Take};
use crate::json::{push, push_numbers, quote};
use fabc_base::csv;
use fabc_base::ids::NodeId;
use fabc_model::{Fabric, Job, RankGroups};
pub(super) use hosts::Hosts;

/// A file about the ranks of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LaunchFile {
    /// Rank, chip, name, place in the pod, and the coordinate on every axis, as CSV.
    Ranks,
    /// One host a line, in the order of ranks, for `srun --distribution=arbitrary`.
    Hostfile,
    /// Host and slot of every rank, for `mpirun --rankfile`.
    Rankfile,
    /// The chips as a nested list in the shape of the axes, as JSON.
    Mesh,
    /// The groups of all operations, as ASTRA-sim reads communicator groups.
    Groups,
    /// One program for every group of every operation, as MSCCL and RCCL run it.
    Msccl,
}

impl LaunchFile {
    /// The word of the format.
    fn format(self) -> &'static str {
        match self {
            LaunchFile::Ranks => "ranks",
            LaunchFile::Hostfile => "hostfile",
            LaunchFile::Rankfile => "rankfile",
            LaunchFile::Mesh => "mesh",
            LaunchFile::Groups => "groups",
            LaunchFile::Msccl => "msccl",
        }
    }

    /// Refuses a fabric without jobs, and hosts that the options or the names of chips do not give.
    pub(crate) fn check_fabric(self, fabric: &Fabric, naming: &HostNaming) -> Result<(), EmitError> {
        if fabric.jobs.is_empty() {
            return Err(EmitError::NoJob { format: self.format(), fabric: fabric.name.clone() });
        }
        if !naming.is_default() || matches!(self, LaunchFile::Hostfile | LaunchFile::Rankfile) {
            Hosts::new(fabric, naming)?.check_names(fabric)?;
        }
        Ok(())
    }

    /// Writes the files of every job. Returns a note about every operation that has no program.
    pub(crate) fn write<E: From<EmitError>>(
        self,
        launched: &LaunchedJobs<'_>,
        take: &mut Take<'_, E>,
    ) -> Result<Vec<String>, E> {
        self.check_fabric(launched.fabric, launched.naming)?;
        let hosts = Hosts::new(launched.fabric, launched.naming)?;
        let placed = launched.jobs.iter().filter(|launched| !launched.result.ranks.is_empty());
        let mut write_texts = |ending: &str, text: &dyn Fn(&Job, &[NodeId]) -> String| {
            for LaunchedJob { job, result } in placed.clone() {
                take(&format!("{}.{ending}", job.name), text(job, &result.ranks).as_bytes())?;
            }
            Ok(Vec::new())
        };
        match self {
            LaunchFile::Ranks => {
                write_texts("ranks.csv", &|job, ranks| ranks_csv(launched, &hosts, job, ranks))
            }
            LaunchFile::Hostfile => write_texts("hostfile", &|_, ranks| hostfile(&hosts, ranks)),
            LaunchFile::Rankfile => write_texts("rankfile", &|_, ranks| rankfile(&hosts, ranks)),
            LaunchFile::Mesh => write_texts("mesh.json", &|job, ranks| mesh_json(&hosts, job, ranks)),
            LaunchFile::Groups => write_texts("groups.json", &|job, _| groups_json(job)),
            LaunchFile::Msccl => programs::write_programs(launched, take),
        }
    }
}

fn ranks_csv(launched: &LaunchedJobs<'_>, hosts: &Hosts, job: &Job, ranks: &[NodeId]) -> String {
    let pod = launched.fabric.pod();
    let mut out = String::from("rank,chip,name");
    if pod.is_some() {
        out.push_str(",cube,x,y,z");
    }
    job.axes.iter().for_each(|axis| push(&mut out, format_args!(",{}", axis.name)));
    out.push_str(",host,slot\n");
    for (rank, &node) in ranks.iter().enumerate() {
        // Chips are counted among those that send and receive, as `place = file` reads them.
        let chip = hosts.chip(node);
        push(&mut out, format_args!("{rank},{chip},{}", csv::cell(&launched.topology.name(node))));
        if let Some(pod) = pod {
            let [x, y, z] = pod.coordinates(node);
            push(&mut out, format_args!(",{},{x},{y},{z}", node.0 / pod.chips_per_cube()));
        }
        for axis in 0..job.axes.len() {
            push(&mut out, format_args!(",{}", job.coordinate(rank as u32, axis)));
        }
        push(&mut out, format_args!(",{},{}\n", hosts.name(chip), hosts.slot(chip)));
    }
    out
}

fn hostfile(hosts: &Hosts, ranks: &[NodeId]) -> String {
    ranks.iter().map(|&node| format!("{}\n", hosts.name(hosts.chip(node)))).collect()
}

fn rankfile(hosts: &Hosts, ranks: &[NodeId]) -> String {
    let mut out = String::new();
    for (rank, &node) in ranks.iter().enumerate() {
        let chip = hosts.chip(node);
        push(&mut out, format_args!("rank {rank}={} slot={}\n", hosts.name(chip), hosts.slot(chip)));
    }
    out
}

/// The numbers of the chips, the last axis outermost.
fn mesh_json(hosts: &Hosts, job: &Job, ranks: &[NodeId]) -> String {
    let chips: Vec<usize> = ranks.iter().map(|&node| hosts.chip(node)).collect();
    let mut out = String::new();
    push_mesh(&mut out, job, job.axes.len(), &chips);
    out.push('\n');
    out
}

/// Appends the chips of ranks that differ along the first `axes` axes.
fn push_mesh(out: &mut String, job: &Job, axes: usize, chips: &[usize]) {
    if axes <= 1 {
        return push_numbers(out, chips);
    }
    let size = job.axes[axes - 1].size.max(1) as usize;
    out.push('[');
    for (index, part) in chips.chunks((chips.len() / size).max(1)).enumerate() {
        if index > 0 {
            out.push_str(if axes == 2 { ",\n" } else { "," });
        }
        push_mesh(out, job, axes - 1, part);
    }
    out.push(']');
}

/// The groups of the ranks of every operation, numbered from 1. Groups of several operations come once.
fn groups_json(job: &Job) -> String {
    let mut all: Vec<&RankGroups> = Vec::new();
    for operation in job.phases.iter().flat_map(|phase| &phase.operations) {
        if !all.contains(&&operation.groups) {
            all.push(&operation.groups);
        }
    }
    let groups = all.into_iter().flat_map(|groups| job.rank_groups(groups));
    let mut out = String::from("{");
    for (index, group) in groups.enumerate() {
        out.push_str(if index > 0 { ",\n" } else { "\n" });
        push(&mut out, format_args!(" {}:", quote(&(index + 1).to_string())));
        push_numbers(&mut out, group);
    }
    out.push_str("\n}\n");
    out
}
