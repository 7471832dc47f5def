//! Known answers: weights and volumes of published models.

use super::*;
use fabc_base::diag::Span;
use fabc_model::{Collective, JobAxis, JobOperation, JobOperationKind, JobPhase, RankGroups};

fn known(name: &str) -> Transformer {
    KNOWN_MODELS.iter().find(|known| known.name == name).expect("it is known").model
}

fn dense_model() -> Transformer {
    known("llama-3.1-70b")
}

fn expert_model() -> Transformer {
    known("qwen3-235b-a22b")
}

fn settings() -> ParallelSettings {
    ParallelSettings {
        sequence_parallel: true,
        recompute: Recompute::None,
        gather_again: false,
        context: ContextExchange::Ring,
        virtual_stages: 1,
        zero: 1,
        keep_weights: false,
        dedup: false,
    }
}

const BITS: ElementBits = ElementBits { weight: 16, gradient: 16, activation: 16 };
const ONE: ParallelSizes = ParallelSizes { tensor: 1, context: 1, expert: 1, data: 1, pipeline: 1 };

/// The dense job of `chips` chips: tensor 8, pipeline 4.
fn dense(chips: u32) -> TrainingJob {
    TrainingJob {
        model: dense_model(),
        batch: Batch { sequences: 256, length: 8192, micro: 1 },
        bits: BITS,
        sizes: ParallelSizes { tensor: 8, data: chips / 32, pipeline: 4, ..ONE },
        settings: settings(),
    }
}

/// The job with experts over 64 ranks.
fn moe(chips: u32) -> TrainingJob {
    TrainingJob {
        model: expert_model(),
        batch: Batch { sequences: 1024, length: 4096, micro: 1 },
        bits: BITS,
        sizes: ParallelSizes { expert: 64, data: chips / 64, ..ONE },
        settings: settings(),
    }
}

fn phases_of(job: &TrainingJob) -> Vec<JobPhase> {
    let axes: Vec<JobAxis> = AXES
        .iter()
        .map(|axis| JobAxis { name: axis.name().to_owned(), size: job.sizes.along(*axis) })
        .collect();
    job.phases(&axes, &Overlap::default(), Span::default()).unwrap_or_else(|misfit| panic!("{misfit:?}"))
}

fn operations(job: &TrainingJob, phase: &str) -> Vec<JobOperation> {
    phases_of(job).into_iter().find(|known| known.name == phase).map_or(Vec::new(), |phase| phase.operations)
}

/// Gigabytes of all operations of a phase, rounded to this many digits.
fn gigabytes(job: &TrainingJob, phase: &str, digits: usize) -> String {
    let bytes: u128 =
        operations(job, phase).iter().map(|known| u128::from(known.bytes) * u128::from(known.times)).sum();
    format!("{:.digits$}", bytes as f64 / 1e9)
}

fn names(job: &TrainingJob) -> Vec<String> {
    phases_of(job).into_iter().map(|phase| phase.name).collect()
}

#[test]
fn published_models_have_their_weights() {
    assert_eq!(dense_model().weights(), 70_553_706_496);
    assert_eq!(dense_model().active_weights(), 70_553_706_496);
    assert_eq!(expert_model().weights(), 235_093_634_560);
    assert_eq!(expert_model().active_weights(), 22_190_763_520);
    // GPT-3 by the formula of Megatron, which also counts biases and positions: 12 L h^2 and vocabulary.
    let gpt = Transformer {
        layers: 96,
        hidden: 12288,
        heads: 96,
        kv_heads: 96,
        feed_forward: 4 * 12288,
        gated: false,
        vocabulary: 51200,
        tied: true,
        ..dense_model()
    };
    let (layers, hidden, vocabulary) = (96u128, 12288u128, 51200u128);
    let norms = layers * 2 * hidden + hidden;
    assert_eq!(gpt.weights(), 12 * layers * hidden * hidden + vocabulary * hidden + norms);
}

#[test]
fn the_dense_job_moves_what_is_known() {
    for (chips, tensor, pipeline) in
        [(128, "1374.390", "1.0737"), (256, "687.195", "0.5369"), (512, "343.597", "0.2684")]
    {
        let job = dense(chips);
        assert_eq!(names(&job), ["tensor", "pipeline", "gradients"]);
        assert_eq!(gigabytes(&job, "tensor", 3), tensor, "{chips}");
        assert_eq!(gigabytes(&job, "pipeline", 4), pipeline, "{chips}");
        assert_eq!(gigabytes(&job, "gradients", 3), "8.819", "{chips}");
    }
    let [gathers, scatters] = &operations(&dense(128), "tensor")[..] else { panic!("two operations") };
    assert_eq!((gathers.bytes, gathers.times), (128 << 20, 5120));
    assert_eq!(scatters.kind, JobOperationKind::Collective(Collective::ReduceScatter));
    let [stages] = &operations(&dense(128), "pipeline")[..] else { panic!("one operation") };
    assert_eq!(stages.kind, JobOperationKind::Send { both: true, wrap: false });
    assert_eq!((stages.bytes, stages.times), (16 << 20, 64));
}

#[test]
fn the_job_with_experts_moves_what_is_known() {
    for (chips, exchange) in [(128, "807.454"), (256, "403.727"), (512, "201.863")] {
        let job = moe(chips);
        assert_eq!(names(&job), ["experts", "expert_gradients", "gradients"]);
        assert_eq!(gigabytes(&job, "experts", 3), exchange, "{chips}");
        assert_eq!(gigabytes(&job, "expert_gradients", 3), "14.194", "{chips}");
        // Without the norms of layers it would be 31.986.
        assert_eq!(gigabytes(&job, "gradients", 3), "31.989", "{chips}");
    }
    let phases = phases_of(&moe(128));
    let over: Vec<&RankGroups> = phases.iter().map(|phase| &phase.operations[0].groups).collect();
    // Experts are split over `expert`, and everything else is copied.
    let wanted = [vec![2], vec![3], vec![2, 3]].map(RankGroups::Along);
    assert_eq!(over, wanted.iter().collect::<Vec<_>>());
    let after: Vec<&[usize]> = phases.iter().map(|phase| &phase.after[..]).collect();
    assert_eq!(after, [&[][..], &[0], &[1]]);
}

#[test]
fn the_time_of_computing_follows_from_the_rate() {
    let rate = 275_000_000_000_000;
    // Weights alone take 19.8 s on 256 chips. With the attention of 4096 tokens it is 22.65 s.
    let job = moe(256);
    assert_eq!(job.compute_ps(rate, 400_000).map(|time| time / 1_000_000_000), Some(22_650));
    let tokens_of_a_rank = 1024 * 4096 / 256u128;
    let weights = 6 * 22_190_763_520 * tokens_of_a_rank;
    let attention = 12 / 2 * 94 * 64 * 128 * 4096 * tokens_of_a_rank;
    assert_eq!(job.flops(), weights + attention);
    assert_eq!(weights * 1000 / 110_000_000_000_000, 19_831);
    assert_eq!(job.compute_ps(0, 400_000), None);
    assert_eq!(job.compute_ps(rate, 0), None);
    assert_eq!(job.compute_ps(1, 1), None);
    let again = TrainingJob {
        settings: ParallelSettings { recompute: Recompute::Full, ..settings() },
        ..job.clone()
    };
    assert_eq!(3 * again.flops(), 4 * job.flops());
}

#[test]
fn a_pipeline_waits_while_it_fills_and_drains() {
    // 64 micro-batches over 4 stages: 3 of 64 more.
    assert_eq!(dense(128).idle_ps(64_000), 3_000);
    assert_eq!(dense(128).idle_ps(64_001), 3_001);
    let mut job = dense(128);
    job.settings.virtual_stages = 5;
    assert_eq!(job.idle_ps(320_000), 3_000);
    assert_eq!(moe(128).idle_ps(64_000), 0);
    // The ring closes for all but one of the virtual stages.
    let times: Vec<(JobOperationKind, u64)> =
        operations(&job, "pipeline").iter().map(|known| (known.kind, known.times)).collect();
    assert_eq!(
        times,
        [
            (JobOperationKind::Send { both: true, wrap: false }, 64),
            (JobOperationKind::Send { both: true, wrap: true }, 256)
        ]
    );
}

#[test]
fn settings_change_volumes() {
    let times = |job: &TrainingJob, phase: &str| -> Vec<(String, u64)> {
        operations(job, phase).into_iter().map(|known| (known.name, known.times)).collect()
    };
    let named = |list: &[(&str, u64)]| -> Vec<(String, u64)> {
        list.iter().map(|(name, times)| ((*name).to_owned(), *times)).collect()
    };
    let mut job = dense(128);
    job.settings.recompute = Recompute::Full;
    assert_eq!(times(&job, "tensor"), named(&[("gathers", 7680), ("scatters", 7680)]));
    job.settings.recompute = Recompute::Selective;
    job.settings.gather_again = true;
    assert_eq!(times(&job, "tensor"), named(&[("gathers", 7680), ("scatters", 5120)]));
    job.settings.sequence_parallel = false;
    assert_eq!(times(&job, "tensor"), named(&[("sums", 5120)]));
    for (zero, keep, expected) in [
        (0, false, named(&[("sum", 1)])),
        (2, false, named(&[("scatter", 1), ("gather", 1)])),
        (3, false, named(&[("scatter", 64), ("gather", 128)])),
        (3, true, named(&[("scatter", 1), ("gather", 1)])),
    ] {
        (job.settings.zero, job.settings.keep_weights) = (zero, keep);
        assert_eq!(times(&job, "gradients"), expected, "{zero} {keep}");
    }
}

#[test]
fn context_exchanges_keys_and_values() {
    let mut job = dense(128);
    job.sizes = ParallelSizes { tensor: 8, context: 4, pipeline: 4, ..ONE };
    let [ring] = &operations(&job, "context")[..] else { panic!("one operation") };
    // 2048 tokens, keys and values of one of eight heads of 128 numbers.
    assert_eq!((ring.bytes, ring.times), (2 * 2048 * 128 * 2, 3 * 3 * 20 * 256));
    assert_eq!(ring.kind, JobOperationKind::Send { both: false, wrap: true });
    job.settings.context = ContextExchange::Gather;
    let [gathers, scatters] = &operations(&job, "context")[..] else { panic!("two operations") };
    assert_eq!((gathers.bytes, gathers.times), (2 * 8192 * 128 * 2, 2 * 20 * 256));
    assert_eq!((scatters.bytes, scatters.times), (2 * 8192 * 128 * 2, 20 * 256));
    // Ranks of `context` have copies of the weights.
    assert_eq!(operations(&job, "gradients")[0].groups, RankGroups::Along(vec![1]));
}

#[test]
fn tokens_of_one_rank_are_sent_once() {
    let full = operations(&moe(128), "experts")[0].bytes;
    let mut job = moe(128);
    job.settings.dedup = true;
    let once = operations(&job, "experts")[0].bytes;
    // 64 (1 - (63/64)^8) / 8 = 0.94691..
    let missed = (0..8).fold(1.0, |missed, _| missed * 63.0 / 64.0);
    let factor = 64.0 * (1.0 - missed) / 8.0;
    assert!((once as f64 - full as f64 * factor).abs() < 1.0, "{once} of {full}");
    // Over two ranks, a token that chooses two experts meets 1.5 ranks.
    job.sizes.expert = 2;
    job.sizes.data = 64;
    if let Some(experts) = &mut job.model.experts {
        experts.top = 2;
    }
    assert_eq!(operations(&job, "experts")[0].bytes, 4096 * 2 * 4096 * 2 * 3 / 4);
}

#[test]
fn parts_that_leave_a_rest_are_named() {
    let misfit = |change: &dyn Fn(&mut TrainingJob)| {
        let mut job = moe(128);
        change(&mut job);
        let misfit = job.phases(&[], &Overlap::default(), Span::default()).expect_err("it does not fit");
        format!("{}: {} ({}). {}", misfit.setting, misfit.problem, misfit.arithmetic, misfit.help)
    };
    assert_eq!(
        misfit(&|job| job.sizes.tensor = 24),
        "heads: 64 heads do not divide over tensor = 24 (64 over 24 leaves 16). `tensor = 16` or `32` fits"
    );
    assert_eq!(
        misfit(&|job| (job.sizes.pipeline, job.settings.virtual_stages) = (4, 3)),
        "layers: 94 layers do not divide over pipeline x virtual = 4 x 3 = 12 (94 over 12 leaves 10). a product of 2 or 47 fits"
    );
    assert_eq!(
        misfit(&|job| job.sizes.expert = 96),
        "experts: 128 experts do not divide over expert = 96 (128 over 96 leaves 32). `expert = 64` or `128` fits"
    );
    assert_eq!(
        misfit(&|job| job.sizes.data = 3),
        "sequences: 1024 sequences do not divide over data x expert = 3 x 64 = 192 (1024 over 192 leaves 64). `sequences = 960` or `1152` fits"
    );
    assert_eq!(
        misfit(&|job| (job.sizes.context, job.sizes.tensor) = (3, 8)),
        "length: 4096 tokens of a sequence do not divide over context x tensor = 3 x 8 = 24 (4096 over 24 leaves 16). `length = 4080` or `4104` fits"
    );
}

#[test]
fn known_models_have_their_published_weights() {
    let weights: Vec<(&str, u128)> =
        KNOWN_MODELS.iter().map(|known| (known.name, known.model.weights())).collect();
    // Counted from the published configurations. GPT-3 has position embeddings and biases besides.
    let published = [
        ("gpt-3", 174_566_105_088),
        ("llama-3.1-405b", 405_853_388_800),
        ("llama-3.1-70b", 70_553_706_496),
        ("llama-3.1-8b", 8_030_261_248),
        ("mixtral-8x7b", 46_702_792_704),
        ("qwen3-235b-a22b", 235_093_634_560),
        ("qwen3-30b-a3b", 30_532_122_624),
    ];
    assert_eq!(weights, published);
}
