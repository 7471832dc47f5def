//! `fabc.schedule/1`: when every chip sends which vector. What it receives follows from that, and is not
//! read.

use super::collective::BoundLine;
use super::json::{formats, tagged};
use super::schedule_bin;
use crate::{ResultRule, Schedule, SumRule, Timed, TimedMessage, TimedSend, Transfers};
use fabc_base::ids::{NodeId, PortId};
use fabc_model::{Collective, CollectiveAlgorithm, SlotPace};
use serde::Deserialize;
use serde::de::IgnoredAny;

formats! { ScheduleFile = "fabc.schedule/1"; }

/// The whole file, in either form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleFile {
    format: String,
    pub fabric: String,
    pub clock_hz: u64,
    vector_bytes: u32,
    slot: u32,
    hop: u32,
    reduce: u32,
    /// 0 where channels never rest.
    #[serde(default)]
    deskew: u32,
    nodes: u32,
    /// Present where a spare block may take the place of any other.
    pub failover: Option<FailoverLine>,
    /// It is written again from what was proved, and compared then.
    #[serde(rename = "makespan")]
    _makespan: IgnoredAny,
    jobs: Vec<JobLine>,
    /// Empty in the binary form.
    #[serde(default)]
    chips: Vec<ChipLine>,
    /// `[job]`: the sends of the binary form.
    #[serde(skip)]
    packed: Option<Vec<Vec<TimedSend>>>,
}

/// The number of routers of a block, and the number of blocks.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailoverLine {
    pub routers: u32,
    pub blocks: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JobLine {
    name: String,
    collective: String,
    algorithm: String,
    seed: u64,
    vectors: u32,
    root: Option<u32>,
    /// Number of groups. Without it, all chips are one group.
    groups: Option<u32>,
    canonical: bool,
    start: u32,
    end: u32,
    sums: Vec<SumLine>,
    result: ResultLine,
    /// (from, to, vectors, earliest cycle).
    #[serde(default)]
    messages: Vec<(u32, u32, u32, u32)>,
    bounds: Vec<BoundLine>,
}

/// (from, below, own): levels, with -1 for no own level.
#[derive(Clone, Copy, Deserialize)]
struct SumLine(u32, u32, i64);

#[derive(Deserialize)]
#[serde(untagged)]
enum ResultLine {
    Word(String),
    Sum(SumLine),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChipLine {
    chip: u32,
    sends: Vec<(u32, u16, u32, u64)>,
    #[serde(rename = "receives")]
    _receives: IgnoredAny,
}

impl ScheduleFile {
    /// Reads either form.
    ///
    /// # Errors
    /// A text that violates the format: the error of the JSON reader, another format, or the first byte that
    /// does not fit.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        if !bytes.starts_with(schedule_bin::BEGINNING) {
            return tagged(bytes);
        }
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or("its first line does not end")?;
        let head: Self = serde_json::from_slice(&bytes[..end]).map_err(|error| error.to_string())?;
        if head.format != schedule_bin::FORMAT {
            return Err(format!(
                "its format is `{}`, but this fabc reads `{}`",
                head.format,
                schedule_bin::FORMAT
            ));
        }
        let starts: Vec<u32> = head.jobs.iter().map(|job| job.start).collect();
        let packed = Some(schedule_bin::sends(&bytes[end + 1..], &starts)?);
        Ok(Self { packed, ..head })
    }

    /// The pace of vectors, the same on every channel.
    pub fn pace(&self) -> SlotPace {
        let Self { vector_bytes, slot, hop, reduce, deskew, .. } = *self;
        SlotPace { vector_bytes, slot, hop, reduce, deskew }
    }

    /// (name, schedule) of the plans that it lists, whether or not they are true.
    ///
    /// # Errors
    /// An unknown word or level, or a send of a job that does not exist.
    pub fn plans(self) -> Result<Vec<(String, Schedule)>, String> {
        let pace = self.pace();
        let mut sends = self.packed.unwrap_or_else(|| vec![Vec::new(); self.jobs.len()]);
        for ChipLine { chip, sends: of_chip, .. } in self.chips {
            for (cycle, port, job, vector) in of_chip {
                let list = sends
                    .get_mut(job as usize)
                    .ok_or_else(|| format!("chip {chip} sends for job {job}, which does not exist"))?;
                list.push(TimedSend { cycle, chip: NodeId(chip), port: PortId(port), vector });
            }
        }
        let clock_hz = self.clock_hz;
        let plan = |(job, mut sends): (JobLine, Vec<TimedSend>)| {
            let collective = Collective::ALL.into_iter().find(|known| known.name() == job.collective);
            let collective =
                collective.ok_or_else(|| format!("there is no collective `{}`", job.collective))?;
            let algorithm =
                CollectiveAlgorithm::for_slots(collective).iter().find(|known| known.name() == job.algorithm);
            let algorithm = *algorithm
                .ok_or_else(|| format!("`{}` is not scheduled by `{}`", job.collective, job.algorithm))?;
            let result = match job.result {
                ResultLine::Word(word) if word == "told" => ResultRule::Told,
                ResultLine::Word(word) => return Err(format!("a result is a sum or `told`, not `{word}`")),
                ResultLine::Sum(line) => ResultRule::Summed(line.sum()?),
            };
            sends.sort_unstable();
            let sums = job.sums.into_iter().map(SumLine::sum).collect::<Result<_, _>>()?;
            let JobLine { canonical, start, end, .. } = job;
            let groups = job.groups.unwrap_or(1);
            let message = |(from, to, vectors, earliest)| TimedMessage {
                from: NodeId(from),
                to: NodeId(to),
                earliest,
                vectors,
                first: 0,
            };
            let messages = TimedMessage::numbered(job.messages.into_iter().map(message).collect());
            let timed =
                Timed { canonical, groups, pace, clock_hz, start, end, sums, result, messages, sends };
            let schedule = Schedule {
                collective,
                algorithm,
                seed: job.seed,
                nodes: self.nodes,
                chunks: job.vectors,
                root: job.root.map(NodeId),
                groups: None,
                transfers: Transfers::Timed(timed),
                bounds: job.bounds.into_iter().map(BoundLine::bound).collect(),
            };
            Ok((job.name, schedule))
        };
        self.jobs.into_iter().zip(sends).map(plan).collect()
    }
}

impl SumLine {
    fn sum(self) -> Result<SumRule, String> {
        let SumLine(from, below, own) = self;
        let level = u32::try_from(own).ok();
        if own == -1 || level.is_some() {
            Ok(SumRule { from, below, own_level: level })
        } else {
            Err(format!("there is no level {own}"))
        }
    }
}
