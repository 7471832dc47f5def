//! Models by name, for questions without a spec. The shapes are those of the published configurations.

use crate::transformer::{Experts, Transformer};

/// A model with a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownModel {
    /// Its name on the command line.
    pub name: &'static str,
    /// The numbers of the published configuration.
    pub model: Transformer,
}

/// A dense model with gated feed-forward parts and heads of 128 numbers, as the Llama family has them.
const fn llama(layers: u64, hidden: u64, feed_forward: u64, heads: u64) -> Transformer {
    Transformer {
        layers,
        hidden,
        heads,
        kv_heads: 8,
        head: 128,
        feed_forward,
        gated: true,
        vocabulary: 128_256,
        tied: false,
        qk_norm: false,
        causal: true,
        experts: None,
    }
}

/// A mixture of 128 experts of which a token chooses 8, as the Qwen 3 family has them.
const fn qwen(layers: u64, hidden: u64, heads: u64, feed_forward: u64) -> Transformer {
    Transformer {
        layers,
        hidden,
        heads,
        kv_heads: 4,
        head: 128,
        feed_forward: 0,
        gated: true,
        vocabulary: 151_936,
        tied: false,
        qk_norm: true,
        causal: true,
        experts: Some(Experts { count: 128, top: 8, feed_forward, shared: 0 }),
    }
}

/// The models that have names, in the order of their names.
pub const KNOWN_MODELS: [KnownModel; 7] = [
    KnownModel {
        name: "gpt-3",
        model: Transformer {
            layers: 96,
            hidden: 12_288,
            heads: 96,
            kv_heads: 96,
            head: 128,
            feed_forward: 49_152,
            gated: false,
            vocabulary: 50_257,
            tied: true,
            qk_norm: false,
            causal: true,
            experts: None,
        },
    },
    KnownModel { name: "llama-3.1-405b", model: llama(126, 16_384, 53_248, 128) },
    KnownModel { name: "llama-3.1-70b", model: llama(80, 8_192, 28_672, 64) },
    KnownModel { name: "llama-3.1-8b", model: llama(32, 4_096, 14_336, 32) },
    KnownModel {
        name: "mixtral-8x7b",
        model: Transformer {
            kv_heads: 8,
            vocabulary: 32_000,
            qk_norm: false,
            experts: Some(Experts { count: 8, top: 2, feed_forward: 14_336, shared: 0 }),
            ..qwen(32, 4_096, 32, 0)
        },
    },
    KnownModel { name: "qwen3-235b-a22b", model: qwen(94, 4_096, 64, 1_536) },
    KnownModel { name: "qwen3-30b-a3b", model: qwen(48, 2_048, 32, 768) },
];

impl KnownModel {
    /// The settings of its `model` block in a spec, each with its `;`.
    pub fn settings(&self) -> String {
        let Transformer { layers, hidden, heads, kv_heads, head, vocabulary, .. } = self.model;
        let yes_or_no = |is: bool| if is { "yes" } else { "no" };
        let inner = match self.model.experts {
            Some(Experts { count, top, feed_forward, shared }) => {
                format!("experts = {count}; top = {top}; expert_ffn = {feed_forward}; shared = {shared};")
            }
            None => format!("ffn = {}; gated = {};", self.model.feed_forward, yes_or_no(self.model.gated)),
        };
        format!(
            "layers = {layers}; hidden = {hidden}; heads = {heads}; kv_heads = {kv_heads}; head = {head}; \
             vocab = {vocabulary}; tied = {}; qk_norm = {}; causal = {}; {inner}",
            yes_or_no(self.model.tied),
            yes_or_no(self.model.qk_norm),
            yes_or_no(self.model.causal)
        )
    }
}
