//! Proves scenarios whose results were stored, by an earlier build or by another process.

use super::Stage;
use super::context::ScenarioContext;
use super::routing::tiers_of_groups;
use super::scenario::{FoundScenario, FoundTables, RankedTables};
use fabc_base::diag::Failure;
use fabc_check::CheckError;
use fabc_emit::compiled::CompiledScenario;
use fabc_ir::{KeptScenario, KeptTables, Scenario};

impl ScenarioContext<'_> {
    /// Measures and proves a stored scenario like a new one.
    pub(super) fn prove_kept_scenario(
        &self,
        fault: &Scenario,
        kept: KeptScenario,
        last: Stage,
    ) -> Result<CompiledScenario, Failure> {
        let KeptScenario { lengths, shortest, flow, routed, .. } = kept;
        let network = self.surviving_network(fault)?;
        if let Some(flow) = &flow {
            fabc_check::verify_flow(&network.scene, &self.fabric.demand, flow).map_err(Failure::internal)?;
        }
        let found_tables = routed.map(|KeptTables { tables, ranks }| {
            let unpacked = tables
                .unpack()
                .map_err(|violation| CheckError::Shape { scenario: fault.name.clone(), violation })?;
            let packed = Some(tables);
            Ok(FoundTables::SinglePath(Box::new(RankedTables {
                tables: unpacked,
                packed,
                ranks,
                expected_walk: None,
            })))
        });
        // Groups are not stored: it takes less time to find them again than to read them.
        let found_tables = match tiers_of_groups(self.fabric, self.topology, last) {
            Some(tiers) => Some(Ok(FoundTables::Groups(self.groups(&network.scene, &tiers, fault)?))),
            None => found_tables,
        };
        let tables = found_tables.transpose().map_err(|error: CheckError| Failure::internal(error))?;
        self.prove_scenario(fault, &network, FoundScenario { lengths, shortest, flow, tables })
    }
}
