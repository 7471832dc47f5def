//! The formats that `--emit` can name.

use crate::external::{External, LaunchFile, SchedulerFile};

/// A format that `--emit` can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Name on the command line.
    pub name: &'static str,
    /// One line about the format.
    pub description: &'static str,
    /// Path of its file, with `*` for several files.
    pub path: &'static str,
    pub(crate) kind: FormatKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FormatKind {
    Spec,
    Topology,
    Ocs,
    ConfigDb,
    Tables,
    TablesBin,
    Formula,
    Floor,
    Cables,
    Light,
    Certificates,
    ReportJson,
    ReportTxt,
    ReportHtml,
    Graphml,
    Dot,
    Csv,
    Simulations,
    SimulationsCsv,
    Collectives,
    Jobs,
    JobSchedules,
    Schedule,
    ScheduleBin,
    Inputs,
    Demand,
    /// Written only if `--emit` names it.
    External(External),
}

const fn format(
    kind: FormatKind,
    name: &'static str,
    path: &'static str,
    description: &'static str,
) -> Format {
    Format { name, description, path, kind }
}

/// Every format, in the order of `--emit list`.
pub const FORMATS: &[Format] = &[
    format(FormatKind::Topology, "topology", "topology.json", "nodes, links and symmetry (fabc.topology/1)"),
    format(FormatKind::Ocs, "ocs", "ocs.json", "cross-connects of every OCS (fabc.ocs/1)"),
    format(FormatKind::ConfigDb, "config_db", "ocs/*.config_db.json", "one SONiC OCS CONFIG_DB per switch"),
    format(
        FormatKind::Tables,
        "tables",
        "tables/*.json",
        "forwarding tables per scenario (fabc.tables/1, or /2 of `spray` and `ecmp`)",
    ),
    format(
        FormatKind::TablesBin,
        "tables_bin",
        "tables/*.bin",
        "the same in a byte per entry (fabc.tables.bin/1)",
    ),
    format(
        FormatKind::Formula,
        "formula",
        "formula.json",
        "what routers need to work out next hops, of `algebraic` (fabc.formula/1)",
    ),
    format(
        FormatKind::Floor,
        "floor",
        "floor.json",
        "which router stands in which cabinet, and where (fabc.floor/1)",
    ),
    format(FormatKind::Cables, "cables", "cables.csv", "the cables to be cut and laid, one per line"),
    format(FormatKind::Light, "light", "light.csv", "the light budget of every link, one per line"),
    format(
        FormatKind::Certificates,
        "certificates",
        "certificates.json",
        "flow, trees, channel lengths and ranks (fabc.certificates/1)",
    ),
    format(
        FormatKind::ReportJson,
        "report_json",
        "report.json",
        "metrics, bounds, scenarios, requires, passes (fabc.report/1)",
    ),
    format(FormatKind::ReportTxt, "report_txt", "report.txt", "the report as the terminal shows it"),
    format(
        FormatKind::ReportHtml,
        "report_html",
        "report.html",
        "the report with drawings, one self-contained page",
    ),
    format(FormatKind::Graphml, "graphml", "topology.graphml", "the topology as GraphML"),
    format(FormatKind::Dot, "dot", "topology.dot", "the topology for Graphviz"),
    format(FormatKind::Csv, "csv", "topology.csv", "the links as CSV"),
    format(
        FormatKind::Simulations,
        "simulations",
        "simulations/*.json",
        "what the simulations of the spec found (fabc.simulation/1)",
    ),
    format(FormatKind::SimulationsCsv, "simulations_csv", "simulations/*.csv", "the same, a row per run"),
    format(
        FormatKind::Collectives,
        "collectives",
        "collectives/*.json",
        "the schedules of the spec's collectives (fabc.collective/1)",
    ),
    format(FormatKind::Jobs, "jobs", "jobs/*.json", "the times of the spec's training jobs (fabc.job/1)"),
    format(
        FormatKind::JobSchedules,
        "job_schedules",
        "jobs/*.*.*.json",
        "the schedules of their operations (fabc.collective/1)",
    ),
    format(
        FormatKind::Schedule,
        "schedule",
        "schedule.json",
        "when every chip sends which vector, of `scheduled` (fabc.schedule/1)",
    ),
    format(
        FormatKind::ScheduleBin,
        "schedule_bin",
        "schedule.bin",
        "the same in a few bytes per vector (fabc.schedule.bin/1)",
    ),
    format(FormatKind::Spec, "spec", "spec.fab", "the normalized spec, every `use` inlined"),
    format(
        FormatKind::External(External::TablesCsv),
        "tables_csv",
        "*/router_*.csv",
        "one CSV per router and scenario; only by --emit",
    ),
    format(
        FormatKind::External(External::OpensmLft),
        "opensm_lft",
        "nominal.lft",
        "forwarding tables for `opensm -R file -U`; only by --emit",
    ),
    format(
        FormatKind::External(External::OpensmSl2vl),
        "opensm_sl2vl",
        "nominal.sl2vl",
        "SL2VL tables as OpenSM dumps them, one lane per virtual channel; only by --emit",
    ),
    format(
        FormatKind::External(External::OpensmPathSl),
        "opensm_path_sl",
        "nominal.psl",
        "the service level of every path, for those tables; only by --emit",
    ),
    format(
        FormatKind::External(External::Ibnetdiscover),
        "ibnetdiscover",
        "topology.ibnetdiscover",
        "the pod as an InfiniBand subnet; only by --emit",
    ),
    format(
        FormatKind::External(External::OcsPorts),
        "ocs_ports",
        "ocs_ports.csv",
        "which face port is which port of a switch; only by --emit",
    ),
    format(
        FormatKind::External(External::Scheduler(SchedulerFile::Slurm)),
        "slurm_topology",
        "topology.*",
        "which hosts are near each other, as Slurm reads it; only by --emit",
    ),
    format(
        FormatKind::External(External::Scheduler(SchedulerFile::Kueue)),
        "kueue",
        "topology.yaml, labels.sh",
        "the same as objects of Kueue and labels of nodes; only by --emit",
    ),
    format(
        FormatKind::External(External::Scheduler(SchedulerFile::Topograph)),
        "topograph",
        "nodes.yaml",
        "the same as nodes of Kubernetes with the labels of topograph; only by --emit",
    ),
    format(
        FormatKind::External(External::Scheduler(SchedulerFile::SlicesJson)),
        "slices_json",
        "scheduler.json",
        "hosts, chips, slices and their state (fabc.scheduler/1); only by --emit",
    ),
    format(
        FormatKind::External(External::NcclTopo),
        "nccl_topo",
        "*.xml",
        "the inside of every kind of box for `NCCL_TOPO_FILE`; only by --emit",
    ),
    format(
        FormatKind::External(External::Launch(LaunchFile::Ranks)),
        "ranks",
        "*.ranks.csv",
        "which chip is which rank of every job; only by --emit",
    ),
    format(
        FormatKind::External(External::Launch(LaunchFile::Hostfile)),
        "hostfile",
        "*.hostfile",
        "the hosts of every job in the order of ranks, for Slurm; only by --emit",
    ),
    format(
        FormatKind::External(External::Launch(LaunchFile::Rankfile)),
        "rankfile",
        "*.rankfile",
        "the hosts and slots of every job, for mpirun; only by --emit",
    ),
    format(
        FormatKind::External(External::Launch(LaunchFile::Mesh)),
        "mesh",
        "*.mesh.json",
        "the chips of every job as a nested list, for JAX and torch; only by --emit",
    ),
    format(
        FormatKind::External(External::Launch(LaunchFile::Groups)),
        "groups",
        "*.groups.json",
        "the groups of every job as ASTRA-sim reads them; only by --emit",
    ),
    format(
        FormatKind::External(External::Launch(LaunchFile::Msccl)),
        "msccl",
        "*.*.*.*.xml",
        "a program for each group of an operation of a job, as MSCCL and RCCL run it; only by --emit",
    ),
    format(
        FormatKind::External(External::Frr),
        "frr",
        "*/frr.conf",
        "BGP for every switch, which finds the groups of `spray`; only by --emit",
    ),
    format(
        FormatKind::External(External::Routes),
        "routes",
        "*/routes.batch",
        "the groups of `spray` as static routes for `ip -batch`; only by --emit",
    ),
    format(
        FormatKind::External(External::Sonic),
        "sonic",
        "*/config_db.json",
        "the same sessions as `frr` in the CONFIG_DB of SONiC; only by --emit",
    ),
    format(
        FormatKind::External(External::Perfetto),
        "perfetto",
        "schedule.perfetto.json",
        "a timeline of all vectors of `scheduled` for Perfetto; only by --emit",
    ),
    format(
        FormatKind::External(External::TonsBundle),
        "tons_bundle",
        "<fabric>.*",
        "map, paths, nrl2, vcmat2 as TONS has them; only by --emit",
    ),
];

impl Format {
    /// Whether [`crate::each_chunk`] writes this format. Such a format never goes to the output directory.
    pub fn is_external(&self) -> bool {
        matches!(self.kind, FormatKind::External(_))
    }
    /// Whether the format is about the jobs of a fabric, so that [`crate::each_launch_chunk`] writes it.
    pub fn is_about_jobs(&self) -> bool {
        matches!(self.kind, FormatKind::External(External::Launch(_)))
    }
    /// Whether the format is for schedulers, so that [`crate::each_scheduler_chunk`] writes it.
    pub fn is_for_schedulers(&self) -> bool {
        matches!(self.kind, FormatKind::External(External::Scheduler(_)))
    }
    /// Whether the format holds only links, so that [`crate::wiring_artifact`] can write it.
    pub fn holds_only_links(&self) -> bool {
        matches!(self.kind, FormatKind::Topology | FormatKind::Graphml | FormatKind::Dot | FormatKind::Csv)
    }
    /// Whether the format needs tables, or results that are computed from tables.
    pub fn needs_tables(&self) -> bool {
        let holds_routes = matches!(
            self.kind,
            FormatKind::Tables
                | FormatKind::TablesBin
                | FormatKind::Formula
                | FormatKind::Schedule
                | FormatKind::ScheduleBin
        );
        let holds_results = matches!(
            self.kind,
            FormatKind::Simulations
                | FormatKind::SimulationsCsv
                | FormatKind::Collectives
                | FormatKind::Jobs
                | FormatKind::JobSchedules
        );
        holds_routes
            || holds_results
            || matches!(self.kind, FormatKind::External(external) if external.needs_tables())
    }
    /// Whether the format may have several files.
    pub fn has_several_files(&self) -> bool {
        self.path.contains(['*', ','])
    }
}
