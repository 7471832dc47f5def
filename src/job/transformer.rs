//! The weights of a transformer model.

/// The shape of a transformer whose layers are all alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transformer {
    /// Number of layers, all alike.
    pub layers: u64,
    /// Numbers of an activation of a token.
    pub hidden: u64,
    /// Attention heads of a layer.
    pub heads: u64,
    /// Heads of keys and values.
    pub kv_heads: u64,
    /// Numbers of a single head.
    pub head: u64,
    /// Width of the feed-forward part. Not used with experts.
    pub feed_forward: u64,
    /// Whether the feed-forward part has a third matrix, its gate. Experts always have one.
    pub gated: bool,
    /// Different tokens of the vocabulary.
    pub vocabulary: u64,
    /// Whether the output shares the matrix of the embedding.
    pub tied: bool,
    /// Whether queries and keys have norms of their own.
    pub qk_norm: bool,
    /// Whether a token attends to earlier tokens only.
    pub causal: bool,
    /// The experts of every layer, in place of its feed-forward part.
    pub experts: Option<Experts>,
}

/// The experts of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Experts {
    /// Number of experts that tokens choose from.
    pub count: u64,
    /// Experts that a token chooses.
    pub top: u64,
    /// Width of a single expert.
    pub feed_forward: u64,
    /// Experts that every token passes.
    pub shared: u64,
}

impl Transformer {
    /// The number of all weights.
    pub fn weights(&self) -> u128 {
        self.copied_weights() + self.expert_weights()
    }

    /// The weights that a token passes: of the experts, those that it chooses.
    pub fn active_weights(&self) -> u128 {
        let chosen = self.experts.map_or(0, |experts| self.expert_size(&experts) * u128::from(experts.top));
        self.copied_weights() + u128::from(self.layers) * chosen
    }

    /// The weights of the experts that tokens choose from.
    pub(crate) fn expert_weights(&self) -> u128 {
        let of_layer =
            self.experts.map_or(0, |experts| self.expert_size(&experts) * u128::from(experts.count));
        u128::from(self.layers) * of_layer
    }

    /// The weights of a single expert.
    fn expert_size(&self, experts: &Experts) -> u128 {
        3 * u128::from(self.hidden) * u128::from(experts.feed_forward)
    }

    /// All weights but those of the experts that tokens choose from.
    pub(crate) fn copied_weights(&self) -> u128 {
        let [hidden, heads, kv_heads, head] =
            [self.hidden, self.heads, self.kv_heads, self.head].map(u128::from);
        let attention = 2 * hidden * heads * head + 2 * hidden * kv_heads * head;
        let forward = match &self.experts {
            Some(experts) => {
                hidden * u128::from(experts.count) + self.expert_size(experts) * u128::from(experts.shared)
            }
            None => (if self.gated { 3 } else { 2 }) * hidden * u128::from(self.feed_forward),
        };
        let norms = 2 * hidden + if self.qk_norm { 2 * head } else { 0 };
        let matrices = if self.tied { 1 } else { 2 };
        let outside = matrices * u128::from(self.vocabulary) * hidden + hidden;
        u128::from(self.layers) * (attention + forward + norms) + outside
    }
}
