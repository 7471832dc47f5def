//! Verifies the schedules of a software-scheduled fabric by replaying all of `schedule.json`.

use super::collectives::{CollectiveChecks, ProvedSchedule};
use super::files::{SCHEDULE, SCHEDULE_BIN, schedule_path};
use super::read::{bytes, contradiction, unreadable};
use crate::CheckError;
use crate::schedule::{vectors_together, verify_replaceable};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::read::ScheduleFile;
use fabc_ir::{Scene, Schedule, Timed, schedulable_scene};
use fabc_model::{Collective, DeclaredCollective, DeclaredMessage, DeclaredMessages, MessageWays, SlotPace};

impl CollectiveChecks<'_> {
    /// Replays the schedule of every collective. Returns them in the order of the spec.
    pub(super) fn verify_schedules(&self, pace: SlotPace) -> Result<Vec<Vec<ProvedSchedule>>, CheckError> {
        let scene = schedulable_scene(&self.fabric.plant, self.topology);
        let path = schedule_path(self.files).unwrap_or(SCHEDULE);
        if path != SCHEDULE_BIN && self.files.contains_key(SCHEDULE_BIN) {
            return Err(contradiction(SCHEDULE_BIN, "", format!("must not exist beside `{SCHEDULE}`")));
        }
        let file =
            ScheduleFile::read(bytes(self.files, path)?).map_err(|violation| unreadable(path, violation))?;
        if file.fabric != self.fabric.name || file.pace() != pace || file.clock_hz != self.fabric.clock_hz {
            return Err(contradiction(
                path,
                "",
                "it belongs to another fabric, or to one with other slots, hops or clock",
            ));
        }
        let failover = file.failover.map(|line| (line.routers, line.blocks));
        if failover != self.fabric.failover() {
            return Err(contradiction(
                path,
                "failover",
                "disagrees with the spec about the blocks that may be replaced",
            ));
        }
        if let Some(blocks) = failover {
            verify_replaceable(self.topology, blocks)?;
        }
        let schedules_by_name = file.plans().map_err(|violation| contradiction(path, "", violation))?;
        let declared_collectives = &self.fabric.collectives;
        if schedules_by_name.len() != declared_collectives.len() {
            return Err(contradiction(path, "jobs", "they are not the collectives of the spec"));
        }
        let mut proved = Vec::new();
        for (index, (declared, (name, schedule))) in
            declared_collectives.iter().zip(&schedules_by_name).enumerate()
        {
            let place = format!("jobs[{index}]");
            let contradict = |violation: String| CheckError::Contradiction {
                file: path.to_owned(),
                place: place.clone(),
                violation,
                span: Some(declared.span),
            };
            let timed = schedule.timed().ok_or_else(|| contradict("has no cycles".to_owned()))?;
            let before = declared
                .after
                .and_then(|before| schedules_by_name[before].1.timed())
                .map_or(0, |before| before.end);
            self.verify_declared(&scene, declared, name, schedule, pace).map_err(&contradict)?;
            if timed.start < before {
                return Err(contradict(format!(
                    "starts in cycle {}, but the collective that it waits for ends in cycle {before}",
                    timed.start
                )));
            }
            let measured = self
                .measure_schedule("nominal", &scene, None, declared, schedule.clone())
                .map_err(|error| contradict(error.to_string()))?;
            let no_bounds = || contradict(contradiction(path, "bounds", "there are none").to_string());
            proved.push(vec![measured.ok_or_else(no_bounds)?]);
        }
        let schedules: Vec<&Timed> =
            schedules_by_name.iter().filter_map(|(_, schedule)| schedule.timed()).collect();
        vectors_together(&scene, &schedules)
            .map_err(|error| contradiction(path, "chips", error.to_string()))?;
        Ok(proved)
    }

    /// Verifies that a schedule is of the collective that the spec declares.
    fn verify_declared(
        &self,
        scene: &Scene<'_>,
        declared: &DeclaredCollective,
        name: &str,
        plan: &Schedule,
        pace: SlotPace,
    ) -> Result<(), String> {
        let root = declared.root.as_deref().and_then(|root| self.topology.find(root));
        if name != declared.name
            || plan.collective != declared.collective
            || plan.root != root
            || plan.seed != declared.seed
        {
            return Err(
                "it is not the collective of the spec: its name, kind, root or seed differs".to_owned()
            );
        }
        if declared.algorithm.is_some_and(|required| required != plan.algorithm) {
            return Err(format!("this is `{}`, which the spec does not ask for", plan.algorithm.name()));
        }
        if let Some(messages) = &declared.messages {
            return self.verify_messages(scene, messages, plan, pace);
        }
        // A vector holds `vector_bytes`. Every chip has one shard, or one message for every other chip.
        let chip_count = scene.endpoints().count() as u64;
        let chips = declared.groups.map_or(chip_count, u64::from);
        let groups = plan.timed().map_or(0, |timed| u64::from(timed.groups));
        if groups * chips != chip_count {
            return Err(format!("{chip_count} chips in groups of {chips} do not form {groups} groups"));
        }
        let shards = match declared.collective {
            Collective::AllToAll | Collective::AllGather | Collective::ReduceScatter => chips,
            _ => 1,
        };
        let vectors = declared.size.div_ceil(shards * u64::from(pace.vector_bytes)).max(1);
        if u64::from(plan.chunks) != vectors {
            return Err(format!("its size needs {vectors} vectors, but it has {}", plan.chunks));
        }
        Ok(())
    }

    /// Verifies that the messages of a schedule are those that the spec declares, and that their paths are
    /// as short as it demands.
    fn verify_messages(
        &self,
        scene: &Scene<'_>,
        declared: &DeclaredMessages,
        plan: &Schedule,
        pace: SlotPace,
    ) -> Result<(), String> {
        let mut wanted = Vec::new();
        for DeclaredMessage { from, to, bytes, earliest } in &declared.all {
            let find =
                |name: &str| self.topology.find(name).ok_or_else(|| format!("there is no router `{name}`"));
            wanted.push((find(from)?, find(to)?, *earliest, bytes.div_ceil(u64::from(pace.vector_bytes))));
        }
        wanted.sort_unstable();
        let messages = plan.timed().map_or(&[][..], |timed| &timed.messages);
        let listed = messages
            .iter()
            .map(|message| (message.from, message.to, message.earliest, u64::from(message.vectors)));
        if !listed.eq(wanted) {
            return Err("its messages are not those of the spec".to_owned());
        }
        let (MessageWays::Minimal, Some(timed)) = (declared.ways, plan.timed()) else { return Ok(()) };
        // No vector can be sent fewer times than its distance. If the total is the sum of distances, every
        // path is minimal.
        let images = if timed.canonical { self.topology.symmetry().order() as u64 } else { 1 };
        let mut minimum_hops = 0;
        for from_one_source in timed.messages.chunk_by(|first, second| first.from == second.from) {
            let hops = hops_from(scene, from_one_source[0].from);
            minimum_hops += from_one_source
                .iter()
                .map(|message| u64::from(message.vectors) * hops[message.to.index()])
                .sum::<u64>();
        }
        match timed.sends.len() as u64 * images == minimum_hops {
            true => Ok(()),
            false => {
                Err("some of its vectors take more hops than the minimum, but the spec demands `minimal`"
                    .to_owned())
            }
        }
    }
}

/// `[router]`: hops from `node` along lit channels. Unreachable routers have `u64::MAX`.
fn hops_from(scene: &Scene<'_>, node: NodeId) -> Vec<u64> {
    let mut hops = vec![u64::MAX; scene.topology.node_count()];
    hops[node.index()] = 0;
    let mut reached = vec![node];
    let mut next = 0;
    while let Some(&router) = reached.get(next) {
        next += 1;
        for channel in scene.channels_from(router) {
            let to = scene.topology.target(channel).node;
            if hops[to.index()] == u64::MAX {
                hops[to.index()] = hops[router.index()] + 1;
                reached.push(to);
            }
        }
    }
    hops
}
