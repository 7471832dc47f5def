//! Verifies configurations of switches against the group tables of a built directory.

use fabc_check::{BgpNetwork, CheckError, Files, SPEC, StaticRoutes, VisitedTables, prove_directory};
use fabc_ir::{GroupTables, Scene, Topology};
use fabc_model::Fabric;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The files to be verified, by their paths below the folders that `--emit` wrote.
#[derive(Clone, Copy, Debug)]
pub struct SwitchFiles<'a> {
    /// The configurations of FRR. `None` if they are not to be verified.
    pub frr: Option<&'a BTreeMap<String, Vec<u8>>>,
    /// The configurations of SONiC. `None` if they are not to be verified.
    pub sonic: Option<&'a BTreeMap<String, Vec<u8>>>,
    /// The static routes. `None` if they are not to be verified.
    pub routes: Option<&'a BTreeMap<String, Vec<u8>>>,
}

/// How much of the files was compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct VerifiedSwitches {
    /// Number of switches of the network.
    pub switches: u64,
    /// Number of scenarios in which BGP was followed.
    pub scenarios: u64,
    /// Number of pairs of a switch and a leaf, over all these scenarios, whose next hops are the group.
    pub bgp_routes: u64,
    /// The same number for the configurations of SONiC.
    pub sonic_routes: u64,
    /// Number of static routes that are the group.
    pub static_routes: u64,
}

/// What is read and counted while the scenarios of a directory are proved.
struct Comparison<'a> {
    fabric: &'a Fabric,
    files: SwitchFiles<'a>,
    bgp: OnceLock<Result<BgpNetwork, CheckError>>,
    sonic: OnceLock<Result<BgpNetwork, CheckError>>,
    scenarios: AtomicU64,
    bgp_routes: AtomicU64,
    sonic_routes: AtomicU64,
    static_routes: AtomicU64,
}

/// Proves the tables of a directory, and compares the files with them: BGP in every scenario, static routes
/// in the healthy fabric.
///
/// # Errors
/// Every contradiction of the directory, or the first file that does not give the groups.
pub fn switch_files(
    directory: &Files,
    fabric: &Fabric,
    files: SwitchFiles<'_>,
) -> Result<VerifiedSwitches, Vec<CheckError>> {
    let refused = |violation: String| Err(vec![CheckError::SwitchFile { path: SPEC.to_owned(), violation }]);
    if !fabric.routing.has_many_paths() {
        return refused(format!("`routing = {}` has no next-hop groups", fabric.routing.name()));
    }
    let comparison = Comparison {
        fabric,
        files,
        bgp: OnceLock::new(),
        sonic: OnceLock::new(),
        scenarios: AtomicU64::new(0),
        bgp_routes: AtomicU64::new(0),
        sonic_routes: AtomicU64::new(0),
        static_routes: AtomicU64::new(0),
    };
    prove_directory(directory, fabric, &|_, tables, topology| match tables {
        VisitedTables::Groups(tables, scene, _) => comparison.compare(tables, scene, topology),
        VisitedTables::SinglePath(_) => Ok(()),
    })?;
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let verified = VerifiedSwitches {
        switches: switch_count(fabric) as u64,
        scenarios: read(&comparison.scenarios),
        bgp_routes: read(&comparison.bgp_routes),
        sonic_routes: read(&comparison.sonic_routes),
        static_routes: read(&comparison.static_routes),
    };
    if verified.scenarios == 0 {
        return refused("the build stopped before routing, so there are no tables".to_owned());
    }
    Ok(verified)
}

/// Number of switches that route by IP: all routers, or those outside of boxes.
fn switch_count(fabric: &Fabric) -> usize {
    fabric.boxes().map_or_else(|| fabric.node_count(), |boxes| boxes.outer_count() as usize)
}

impl Comparison<'_> {
    /// Compares the files with the tables of one scenario.
    fn compare(
        &self,
        tables: &GroupTables,
        scene: &Scene<'_>,
        topology: &Topology,
    ) -> Result<(), CheckError> {
        self.scenarios.fetch_add(1, Ordering::Relaxed);
        if let Some(files) = self.files.frr {
            let bgp = self.bgp.get_or_init(|| BgpNetwork::read_frr(self.fabric, topology, files));
            let routes = bgp.as_ref().map_err(CheckError::clone)?.check_groups(scene, tables)?;
            self.bgp_routes.fetch_add(routes, Ordering::Relaxed);
        }
        if let Some(files) = self.files.sonic {
            let sonic = self.sonic.get_or_init(|| BgpNetwork::read_sonic(self.fabric, topology, files));
            let routes = sonic.as_ref().map_err(CheckError::clone)?.check_groups(scene, tables)?;
            self.sonic_routes.fetch_add(routes, Ordering::Relaxed);
        }
        if let Some(files) = self.files.routes.filter(|_| tables.scenario == "nominal") {
            let routes = StaticRoutes::read(self.fabric, topology, files)?;
            self.static_routes.fetch_add(routes.check_groups(topology, tables)?, Ordering::Relaxed);
        }
        Ok(())
    }
}
