//! Specs of small fabrics as text: a test writes what it is about, everything else is as it stands here.

/// A spec. Items are in the order in which they were first named.
#[derive(Clone)]
pub(crate) struct SpecText {
    name: String,
    items: Vec<String>,
}

impl SpecText {
    /// Cubes of so many chips, a switch per position and axis, every single dark switch, the shortest search.
    pub(crate) fn pod(sides: [u32; 3], cubes: u32) -> Self {
        let [x, y, z] = sides;
        let switches = [("X", y, z), ("Y", x, z), ("Z", x, y)].map(|(name, u, v)| {
            let port = name.to_lowercase();
            format!("ocs {name}[u in 0..{u}, v in 0..{v}] {{ couple +{port}[u, v] with -{port}[u, v] over fiber; ports = 16; }}")
        });
        Self { name: "pod".to_owned(), items: Vec::new() }
            .with("clock = 1 GHz;")
            .with("link copper { bandwidth = 50 GB/s; latency = 10 cycles; }")
            .with("link fiber { bandwidth = 50 GB/s; latency = 10 cycles; }")
            .with("chip { radix = 6; vcs = 4; flit = 64 B; buffer = 100 flits; latency = 10 cycles; }")
            .with(&format!("cube {{ mesh {x} x {y} x {z} over copper; }} cubes = {cubes};"))
            .with(&switches.concat())
            .with("budget { vcs = 2; faults = 1 ocs; }")
            .with("topology = synthesize { symmetry = translation; effort = 1; seed = 1; }")
            .with("routing = allowed_turns;")
    }

    /// Four cubes. One group of each kind of switches that can be configured: sides and circulators, sides
    /// and pairs of fibers, no sides and pairs.
    pub(crate) fn configurable(topology: &str) -> Self {
        Self::pod([2, 1, 2], 4)
            .without("ocs")
            .without("budget")
            .with("ocs W { couple any of +x[0, 0], -x[0, 0] over fiber; ports = 16; duplex = pair; }")
            .with("ocs X { couple +x[0, 1] with -x[0, 1] over fiber; ports = 16; duplex = pair; }")
            .with(
                "ocs Y[u in 0..2] { couple +y[u, 1] with -y[u, 1] over fiber; ports = 16; config_db = hld; }",
            )
            .with("ocs Z[u in 0..2] { couple +z[u, 0] with -z[u, 0] over fiber; ports = 16; }")
            .with(&format!("topology = {topology}"))
            .with("routing = up_down;")
    }

    /// Routers that are joined by one type of links, without faults.
    pub(crate) fn network(topology: &str) -> Self {
        Self { name: "net".to_owned(), items: Vec::new() }
            .with("clock = 1 GHz;")
            .with("link wire { bandwidth = 100 Gbps; latency = 10 ns; }")
            .with("router { radix = 12; vcs = 8; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }")
            .with("budget { vcs = 4; faults = 0; }")
            .with(&format!("topology = {topology}"))
            .with("routing = minimal;")
    }

    /// Gives the fabric another name.
    pub(crate) fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// With these items: each takes the place of the one that says the same, `link fiber` that of
    /// `link fiber`, and of `require`, `let` and `use` there may be many.
    pub(crate) fn with(mut self, items: &str) -> Self {
        for item in split(items) {
            let head = head(item);
            let many = ["require", "let", "use"].contains(&head.as_str());
            match self.items.iter_mut().find(|other| !many && self::head(other) == head) {
                Some(other) => item.clone_into(other),
                None => self.items.push(item.to_owned()),
            }
        }
        self
    }

    /// Without the items that begin with these words: `ocs Z`, or all `ocs`.
    pub(crate) fn without(mut self, head: &str) -> Self {
        self.items.retain(|item| self::head(item) != head && item.split_whitespace().next() != Some(head));
        self
    }

    /// The text of the whole spec.
    pub(crate) fn text(&self) -> String {
        format!("fabric {} {{\n    {}\n}}\n", self.name, self.items.join("\n    "))
    }
}

/// The items of a text: each ends with a semicolon or a block.
fn split(text: &str) -> Vec<&str> {
    let (mut items, mut start, mut depth) = (Vec::new(), 0, 0);
    for (index, letter) in text.char_indices() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        if depth == 0 && matches!(letter, ';' | '}') {
            items.push(text[start..=index].trim());
            start = index + 1;
        }
    }
    assert!(text[start..].trim().is_empty(), "`{}` has no end", &text[start..]);
    items
}

/// The subject of an item: `clock`, `link fiber`, `ocs X`.
fn head(item: &str) -> String {
    let mut words =
        item.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    let word = words.next().unwrap_or_default();
    match (word, words.next()) {
        ("link" | "ocs" | "simulate" | "collective" | "job", Some(name)) => format!("{word} {name}"),
        _ => word.to_owned(),
    }
}
