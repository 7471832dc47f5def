//! What a training job moves and takes at least, without a spec.
//!
//! The options are written as a spec with that job, which is read like any other. So a mistake in a value has
//! the error that it would have there. Of a torus, the hops between ranks bound the phases, too.

use super::words::{UnreadWords, WrittenLine};
use crate::compile::jobs::{JobPlanError, JobPlanner, check_ranks, times_by_ports, universal_limits};
use crate::compile::wire;
use crate::operate::with_settings;
use crate::refusal::Refusal;
use fabc_base::diag::{Failure, SourceMap, list};
use fabc_base::ids::NodeId;
use fabc_base::progress::Silent;
use fabc_emit::{JobEstimate, LeastTime};
use fabc_estimate::{FabricShape, parse_shape};
use fabc_ir::Scene;
use fabc_job::KNOWN_MODELS;
use fabc_model::{Fabric, Job};
use std::cell::Cell;

/// The name of the spec that stands for the options.
const OPTIONS: &str = "options as a spec";
/// The most chips whose hops are counted.
const MOST_CHIPS: u64 = 1024;

/// The options of the estimate of a job, as words.
pub struct JobOptions {
    /// The name of a known model, or its settings.
    pub model: String,
    /// The axes of the ranks.
    pub axes: String,
    /// What a step trains on.
    pub batch: String,
    /// How fast a chip computes.
    pub compute: Option<String>,
    /// Other settings of the job.
    pub set: Vec<String>,
    /// The shape of the fabric.
    pub on: String,
    /// The bandwidth of a channel.
    pub bandwidth: String,
    /// The latency of a hop.
    pub alpha: String,
}

/// Why a job cannot be estimated.
#[derive(Debug)]
pub enum UnfitJob {
    /// An option names nothing that is known.
    Refused(Refusal),
    /// The shape of the fabric cannot be read.
    Shape(UnreadWords),
    /// The options make no spec.
    Spec(Failure, SourceMap),
    /// The ranks do not fit the fabric.
    Ranks(Box<JobPlanError>, SourceMap),
}

impl From<Refusal> for UnfitJob {
    fn from(refusal: Refusal) -> Self {
        UnfitJob::Refused(refusal)
    }
}

/// Estimates volumes and bounds of a job.
///
/// # Errors
/// The errors of the options, and those of the spec that they stand for.
pub fn estimate_job(options: &JobOptions) -> Result<JobEstimate, UnfitJob> {
    let shape = asked_shape(&options.on)?;
    let text = with_settings(spec_text(options, &shape)?, None, &options.set)?;
    let first = Cell::new(Some(text));
    let loader = |_: &str| first.take().ok_or_else(|| "it has no files".to_owned());
    let (fabric, _, sources) =
        fabc_lang::read(OPTIONS, &loader).map_err(|(failure, sources)| UnfitJob::Spec(failure, sources))?;
    let job = &fabric.jobs[0];
    check_ranks(job, shape.chips()).map_err(|error| UnfitJob::Ranks(Box::new(error), sources.clone()))?;
    let hops = match &shape {
        FabricShape::Torus { .. } if shape.chips() <= MOST_CHIPS => Some(times_by_hops(&fabric, &sources)?),
        _ => None,
    };
    let channels = channels_of_chip(&shape);
    let ports = times_by_ports(&fabric, job, shape.chips(), channels);
    let least =
        |(index, ports): (usize, u128)| LeastTime { ports, hops: hops.as_ref().map(|hops| hops[index]) };
    Ok(JobEstimate {
        least: ports.into_iter().enumerate().map(least).collect(),
        job: job.clone(),
        model: options.model.clone(),
        shape: options.on.clone(),
        chips: shape.chips(),
        channels,
        bandwidth: options.bandwidth.clone(),
    })
}

/// The shape of the options.
fn asked_shape(text: &str) -> Result<FabricShape, UnfitJob> {
    let mut line = WrittenLine::new("fabc estimate job");
    let word = line.given_word(" --on", text);
    parse_shape(&word, false).map_err(|error| UnfitJob::Shape(line.unread(vec![error])))
}

/// The options as a spec: a torus with the job. A shape that is no torus stands for its chips alone.
fn spec_text(options: &JobOptions, shape: &FabricShape) -> Result<String, Refusal> {
    let known = KNOWN_MODELS.iter().find(|known| known.name == options.model);
    let model = match known {
        Some(known) => known.settings(),
        None if options.model.contains('=') => settings("--model", &options.model)?,
        None => {
            let names = KNOWN_MODELS.map(|known| known.name);
            let hint =
                format!("known here: {}. Or write its settings: layers=80,hidden=8192,..", list(&names));
            return Err(unknown("model", &options.model, hint));
        }
    };
    let compute = match &options.compute {
        Some(compute) => format!("        compute {{ {} }}\n", settings("--compute", compute)?),
        None => String::new(),
    };
    let sides: Vec<String> = match shape {
        FabricShape::Torus { sides, .. } => sides.iter().map(u64::to_string).collect(),
        other => vec![other.chips().to_string()],
    };
    let radix = 2 * sides.len() + 1;
    Ok(format!(
        "fabric options {{\n    link channel {{ bandwidth = {}; latency = {}; }}\n    \
         router {{ radix = {radix}; vcs = 2; flit = 16 B; buffer = 64 flits; latency = 0 cycles; }}\n    \
         topology = torus {};\n    routing = minimal;\n    job estimate {{\n        \
         axes {{ {} }}\n        model {{ {model} }}\n        batch {{ {} }}\n{compute}    }}\n}}\n",
        plain("--bandwidth", &options.bandwidth)?,
        plain("--alpha", &options.alpha)?,
        sides.join(" x "),
        settings("--axes", &options.axes)?,
        settings("--batch", &options.batch)?,
    ))
}

/// `a=1,b=2` as settings of a spec: `a = 1; b = 2;`.
fn settings(option: &str, text: &str) -> Result<String, Refusal> {
    let setting = |part: &str| match part.split_once('=') {
        Some((name, value)) => Ok(format!("{} = {};", plain(option, name)?, plain(option, value)?)),
        None => Err(unknown("setting", part, format!("`{option}` has names and values: `data=8,tensor=4`"))),
    };
    Ok(text.split(',').map(setting).collect::<Result<Vec<_>, _>>()?.join(" "))
}

/// A value that does not end its setting.
fn plain<'a>(option: &str, text: &'a str) -> Result<&'a str, Refusal> {
    let text = text.trim();
    let ends = text.contains([';', '{', '}', '"', '\n']) || text.contains("//") || text.contains("/*");
    match !text.is_empty() && !ends {
        true => Ok(text),
        false => Err(unknown("value", text, format!("`{option}` takes names, numbers and their units"))),
    }
}

fn unknown(kind: &str, name: &str, hint: String) -> Refusal {
    Refusal::UnknownWord { kind: kind.to_owned(), name: name.to_owned(), hint }
}

/// Channels of a chip, one way: the most that a chip has. Rings of two have one link.
fn channels_of_chip(shape: &FabricShape) -> u64 {
    match shape {
        FabricShape::Torus { sides, .. } | FabricShape::Mesh { sides } => {
            sides.iter().map(|&side| if side > 2 { 2 } else { side - 1 }).sum()
        }
        FabricShape::FullMesh { chips } => chips - 1,
        FabricShape::Dragonfly { group, globals } => group - 1 + globals,
        FabricShape::Star { .. } | FabricShape::LeafSpine { .. } | FabricShape::FatTree { .. } => 1,
    }
}

/// `[phase]`: the least times by hops on the torus of the spec, with ranks in order.
fn times_by_hops(fabric: &Fabric, sources: &SourceMap) -> Result<Vec<u128>, UnfitJob> {
    let wired = wire(fabric.clone(), &Silent).map_err(|failure| UnfitJob::Spec(failure, sources.clone()))?;
    let scene = Scene::healthy(&wired.topology);
    let limits = universal_limits(fabric, &wired.topology);
    let job: &Job = &fabric.jobs[0];
    let planner = JobPlanner::new(fabric, &scene, None, &limits, job);
    let ranks: Vec<NodeId> = wired.topology.endpoints().collect();
    Ok(job.phases.iter().map(|phase| planner.hop_time(phase, &ranks)).collect())
}
