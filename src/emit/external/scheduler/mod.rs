//! Files for schedulers: which hosts are near each other, and which slices they belong to.
//!
//! Input: a compiled fabric or a placement of slices, and the names of hosts. Output: chunks of files. All
//! files are made from one [`Cluster`], so that they agree.

mod cluster;
mod hostlist;
mod kueue;
mod labels;
mod levels;
mod scheduled;
mod slices_json;
mod slurm;
mod tiered;
mod topograph;
mod torus;

use super::chunks::{EmitError, Take};
use super::launch::HostNaming;
use cluster::Cluster;
use fabc_model::Fabric;
pub use scheduled::Scheduled;

/// A file that tells a scheduler which hosts are near each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SchedulerFile {
    /// `topology.conf` and `topology.yaml` of Slurm.
    Slurm,
    /// Objects of Kueue, and the lines of `kubectl` that label the nodes.
    Kueue,
    /// Nodes of Kubernetes with the labels that topograph gives them.
    Topograph,
    /// Hosts, chips, slices and their state, as JSON.
    SlicesJson,
}

impl SchedulerFile {
    /// The word of the format.
    fn format(self) -> &'static str {
        match self {
            SchedulerFile::Slurm => "slurm_topology",
            SchedulerFile::Kueue => "kueue",
            SchedulerFile::Topograph => "topograph",
            SchedulerFile::SlicesJson => "slices_json",
        }
    }

    /// Refuses a fabric whose hosts or switches have no names for this scheduler.
    ///
    /// # Errors
    /// The [`EmitError`] for the first name or property that does not fit.
    pub(crate) fn check_fabric(self, fabric: &Fabric, naming: &HostNaming) -> Result<(), EmitError> {
        let hosts = cluster::check_fabric(self.format(), fabric, naming)?;
        match self {
            SchedulerFile::Kueue | SchedulerFile::Topograph => {
                labels::check_node_names(hosts.iter().map(String::as_str))
            }
            SchedulerFile::Slurm | SchedulerFile::SlicesJson => Ok(()),
        }
    }

    /// Writes the files of the format.
    pub(crate) fn write<E: From<EmitError>>(
        self,
        scheduled: Scheduled<'_>,
        naming: &HostNaming,
        take: &mut Take<'_, E>,
    ) -> Result<(), E> {
        self.check_fabric(scheduled.fabric(), naming)?;
        let cluster = Cluster::new(self.format(), scheduled, naming)?;
        match self {
            SchedulerFile::Slurm => slurm::write_topology(&cluster, take),
            SchedulerFile::Kueue => kueue::write_objects(&cluster, take),
            SchedulerFile::Topograph => topograph::write_nodes(&cluster, take),
            SchedulerFile::SlicesJson => slices_json::write_cluster(&cluster, take),
        }
    }
}
