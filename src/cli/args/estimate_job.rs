//! The options of `fabc estimate job`, as clap reads them.

use clap::Args;

/// `fabc estimate job`.
#[derive(Clone, Debug, Args)]
pub struct EstimateJobArgs {
    /// The model: gpt-3, llama-3.1-8b, llama-3.1-70b, llama-3.1-405b, mixtral-8x7b, qwen3-30b-a3b,
    /// qwen3-235b-a22b, or its settings as a spec has them: layers=80,hidden=8192,..
    #[arg(long, value_name = "MODEL")]
    pub model: String,

    /// The axes of the ranks, neighbouring ranks first: tensor=8,pipeline=4,data=16
    #[arg(long, value_name = "SIZES")]
    pub axes: String,

    /// What a step trains on: sequences=256,length=8192, and micro=1 of a micro-batch
    #[arg(long, value_name = "SETTINGS")]
    pub batch: String,

    /// How fast a chip computes: rate=275TFLOP/s,share=40%. Without it, only communication is estimated
    #[arg(long, value_name = "SETTINGS")]
    pub compute: Option<String>,

    /// Another setting of the job, such as `zero=1`, `recompute=full` or `batch.micro=2`. May be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// The fabric, as for a collective: torus:8x8x8, mesh:8x8, star:64, fat_tree:4096, ..
    #[arg(long, value_name = "SHAPE")]
    pub on: String,

    /// Bandwidth of a channel, each way: 128GB/s, 400Gb/s
    #[arg(long, default_value = "900GB/s", value_name = "BANDWIDTH")]
    pub bandwidth: String,

    /// Latency of a hop
    #[arg(long, default_value = "0.5us", value_name = "TIME")]
    pub alpha: String,

    /// Print fabc.job_estimate/1 instead of text
    #[arg(long)]
    pub json: bool,
}
