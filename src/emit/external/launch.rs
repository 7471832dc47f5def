//! Which rank of a training job runs where, as launchers read it: one file for every job.
//!
//! A host is a box of GPUs, and a slot is a GPU of it. Without boxes every chip is a host of its own, with
//! the name of its router. Lists of chips have the numbers of routers, and the axis of neighbouring ranks is
//! innermost, as `jax.sharding.Mesh` and `DeviceMesh` of torch take them.

use super::chunks::{EmitError, Take};
use crate::compiled::CompiledFabric;
use crate::json::{push, push_numbers, quote};
use fabc_base::ids::NodeId;
use fabc_ir::JobResult;
use fabc_model::{BoxPart, Fabric, Job, RankGroups};

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
        }
    }

    fn ending(self) -> &'static str {
        match self {
            LaunchFile::Ranks => "ranks.csv",
            LaunchFile::Hostfile => "hostfile",
            LaunchFile::Rankfile => "rankfile",
            LaunchFile::Mesh => "mesh.json",
            LaunchFile::Groups => "groups.json",
        }
    }

    /// Refuses a fabric without jobs.
    pub(super) fn check_fabric(self, fabric: &Fabric) -> Result<(), EmitError> {
        match fabric.jobs.is_empty() {
            true => Err(EmitError::NoJob { format: self.format(), fabric: fabric.name.clone() }),
            false => Ok(()),
        }
    }

    /// Writes one file for every job.
    pub(super) fn write<E: From<EmitError>>(
        self,
        compiled: &CompiledFabric,
        take: &mut Take<'_, E>,
    ) -> Result<(), E> {
        for (job, result) in compiled.fabric.jobs.iter().zip(&compiled.jobs) {
            if result.ranks.is_empty() {
                continue;
            }
            take(&format!("{}.{}", job.name, self.ending()), self.text(compiled, job, result).as_bytes())?;
        }
        Ok(())
    }

    fn text(self, compiled: &CompiledFabric, job: &Job, result: &JobResult) -> String {
        match self {
            LaunchFile::Ranks => ranks_csv(compiled, job, &result.ranks),
            LaunchFile::Hostfile => hostfile(compiled, &result.ranks),
            LaunchFile::Rankfile => rankfile(compiled, &result.ranks),
            LaunchFile::Mesh => mesh_json(job, &result.ranks),
            LaunchFile::Groups => groups_json(job),
        }
    }
}

fn ranks_csv(compiled: &CompiledFabric, job: &Job, ranks: &[NodeId]) -> String {
    let pod = compiled.fabric.pod();
    let mut out = String::from("rank,chip,name");
    if pod.is_some() {
        out.push_str(",cube,x,y,z");
    }
    job.axes.iter().for_each(|axis| push(&mut out, format_args!(",{}", axis.name)));
    out.push('\n');
    // Chips are counted among those that send and receive, as `place = file` reads them.
    let chips: Vec<NodeId> = compiled.topology.endpoints().collect();
    for (rank, &chip) in ranks.iter().enumerate() {
        let number = chips.binary_search(&chip).unwrap_or(chip.0 as usize);
        push(&mut out, format_args!("{rank},{number},{}", csv_field(&compiled.topology.name(chip))));
        if let Some(pod) = pod {
            let [x, y, z] = pod.coordinates(chip);
            push(&mut out, format_args!(",{},{x},{y},{z}", chip.0 / pod.chips_per_cube()));
        }
        for axis in 0..job.axes.len() {
            push(&mut out, format_args!(",{}", job.coordinate(rank as u32, axis)));
        }
        out.push('\n');
    }
    out
}

/// A name as a field of CSV. Names of chips have commas.
fn csv_field(name: &str) -> String {
    if name.contains(',') { format!("\"{name}\"") } else { name.to_owned() }
}

/// The host of a chip, and the slot in it.
fn host_of(compiled: &CompiledFabric, chip: NodeId) -> (String, u32) {
    let part = compiled.fabric.boxes().map(|boxes| boxes.part(chip.0).0);
    match part {
        Some(BoxPart::Gpu { place, gpu }) => (format!("box{place}"), gpu),
        _ => (compiled.topology.name(chip), 0),
    }
}

fn hostfile(compiled: &CompiledFabric, ranks: &[NodeId]) -> String {
    ranks.iter().map(|&chip| host_of(compiled, chip).0 + "\n").collect()
}

fn rankfile(compiled: &CompiledFabric, ranks: &[NodeId]) -> String {
    let mut out = String::new();
    for (rank, &chip) in ranks.iter().enumerate() {
        let (host, slot) = host_of(compiled, chip);
        push(&mut out, format_args!("rank {rank}={host} slot={slot}\n"));
    }
    out
}

/// The chips, the last axis outermost.
fn mesh_json(job: &Job, ranks: &[NodeId]) -> String {
    let mut out = String::new();
    push_mesh(&mut out, job, job.axes.len(), ranks);
    out.push('\n');
    out
}

/// Appends the chips of ranks that differ along the first `axes` axes.
fn push_mesh(out: &mut String, job: &Job, axes: usize, ranks: &[NodeId]) {
    if axes <= 1 {
        return push_numbers(out, ranks.iter().map(|chip| chip.0));
    }
    let size = job.axes[axes - 1].size.max(1) as usize;
    out.push('[');
    for (index, part) in ranks.chunks((ranks.len() / size).max(1)).enumerate() {
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
