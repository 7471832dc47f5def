//! The plans of a fabric whose vectors are scheduled: all of `schedule.json` is replayed.

use super::collectives::{CollectiveChecks, ProvedSchedule};
use super::files::{SCHEDULE, SCHEDULE_BIN, schedule_of};
use super::read::{bytes, contradiction, unreadable};
use crate::CheckError;
use crate::schedule::{replaced, vectors_together};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::read::ScheduleFile;
use fabc_ir::{Scene, Schedule, Timed, schedulable_scene};
use fabc_model::{Collective, DeclaredCollective, DeclaredMessage, DeclaredMessages, MessageWays, SlotPace};

impl CollectiveChecks<'_> {
    /// Replays the plan of every collective. Returns them in the order of the spec.
    pub(super) fn check_plans(&self, pace: SlotPace) -> Result<Vec<Vec<ProvedSchedule>>, CheckError> {
        let scene = schedulable_scene(&self.fabric.plant, self.topology);
        let path = schedule_of(self.files).unwrap_or(SCHEDULE);
        if path != SCHEDULE_BIN && self.files.contains_key(SCHEDULE_BIN) {
            return Err(contradiction(SCHEDULE_BIN, "", format!("stands beside `{SCHEDULE}`")));
        }
        let file = ScheduleFile::read(bytes(self.files, path)?).map_err(|what| unreadable(path, what))?;
        if file.fabric != self.fabric.name || file.pace() != pace || file.clock_hz != self.fabric.clock_hz {
            return Err(contradiction(
                path,
                "",
                "this is of another fabric, or vectors are as fast in another one",
            ));
        }
        let failover = file.failover.map(|line| (line.routers, line.blocks));
        if failover != self.fabric.failover() {
            return Err(contradiction(
                path,
                "failover",
                "the spec says otherwise which blocks may be replaced",
            ));
        }
        if let Some(blocks) = failover {
            replaced(self.topology, blocks)?;
        }
        let plans = file.plans().map_err(|what| contradiction(path, "", what))?;
        let declared = &self.fabric.collectives;
        if plans.len() != declared.len() {
            return Err(contradiction(path, "jobs", "these are not the collectives of the spec"));
        }
        let mut proved = Vec::new();
        for (at, (of, (name, schedule))) in declared.iter().zip(&plans).enumerate() {
            let place = format!("jobs[{at}]");
            let wrong = |what: String| CheckError::Contradiction {
                file: path.to_owned(),
                place: place.clone(),
                what,
                span: Some(of.span),
            };
            let timed = schedule.timed().ok_or_else(|| wrong("has no cycles".to_owned()))?;
            let before = of.after.and_then(|before| plans[before].1.timed()).map_or(0, |before| before.end);
            self.is_declared(&scene, of, (name, schedule), pace).map_err(&wrong)?;
            if timed.start < before {
                return Err(wrong(format!(
                    "starts in cycle {}, but what it waits for ends in cycle {before}",
                    timed.start
                )));
            }
            let found = self
                .measure_schedule("nominal", (&scene, None), of, schedule.clone())
                .map_err(|error| wrong(error.to_string()))?;
            let nothing = || wrong(contradiction(path, "bounds", "there are none").to_string());
            proved.push(vec![found.ok_or_else(nothing)?]);
        }
        let all: Vec<&Timed> = plans.iter().filter_map(|(_, schedule)| schedule.timed()).collect();
        vectors_together(&scene, &all).map_err(|error| contradiction(path, "chips", error.to_string()))?;
        Ok(proved)
    }

    /// Whether a plan is of the collective that the spec declares.
    fn is_declared(
        &self,
        scene: &Scene<'_>,
        of: &DeclaredCollective,
        (name, plan): (&str, &Schedule),
        pace: SlotPace,
    ) -> Result<(), String> {
        let root = of.root.as_deref().and_then(|root| self.topology.find(root));
        if name != of.name || plan.collective != of.collective || plan.root != root || plan.seed != of.seed {
            return Err("this is not the collective of the spec: another name, kind, root or seed".to_owned());
        }
        if of.algorithm.is_some_and(|only| only != plan.algorithm) {
            return Err(format!("this is `{}`, which the spec does not ask for", plan.algorithm.name()));
        }
        if let Some(declared) = &of.messages {
            return self.are_declared(scene, declared, plan, pace);
        }
        // A vector holds so many bytes; everybody has a shard, or a message for each.
        let everybody = scene.endpoints().count() as u64;
        let chips = of.groups.map_or(everybody, u64::from);
        let groups = plan.timed().map_or(0, |timed| u64::from(timed.groups));
        if groups * chips != everybody {
            return Err(format!("{everybody} chips in groups of {chips} are not {groups} groups"));
        }
        let shards = match of.collective {
            Collective::AllToAll | Collective::AllGather | Collective::ReduceScatter => chips,
            _ => 1,
        };
        let vectors = of.size.div_ceil(shards * u64::from(pace.vector_bytes)).max(1);
        if u64::from(plan.chunks) != vectors {
            return Err(format!("its size takes {vectors} vectors, but it has {}", plan.chunks));
        }
        Ok(())
    }

    /// Whether the messages of a plan are those that the spec declares, and take no longer ways than it
    /// allows.
    fn are_declared(
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
        // No vector is sent less often than it is far: if all together are not sent more often, none is.
        let images = if timed.canonical { self.topology.symmetry().order() as u64 } else { 1 };
        let mut far = 0;
        for of in timed.messages.chunk_by(|one, other| one.from == other.from) {
            let hops = hops_from(scene, of[0].from);
            far +=
                of.iter().map(|message| u64::from(message.vectors) * hops[message.to.index()]).sum::<u64>();
        }
        match timed.sends.len() as u64 * images == far {
            true => Ok(()),
            false => {
                Err("some of its vectors take more hops than they must, which the spec rules out".to_owned())
            }
        }
    }
}

/// `[router]`: hops from one along lit channels.
fn hops_from(scene: &Scene<'_>, node: NodeId) -> Vec<u64> {
    let mut hops = vec![u64::MAX; scene.topology.node_count()];
    hops[node.index()] = 0;
    let mut seen = vec![node];
    let mut next = 0;
    while let Some(&at) = seen.get(next) {
        next += 1;
        for channel in scene.channels_from(at) {
            let to = scene.topology.target(channel).node;
            if hops[to.index()] == u64::MAX {
                hops[to.index()] = hops[at.index()] + 1;
                seen.push(to);
            }
        }
    }
    hops
}
