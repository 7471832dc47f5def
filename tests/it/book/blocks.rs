//! The blocks of code of a page.

/// A block of code in a page of the book.
pub(super) struct Block {
    /// Page and line, for messages.
    pub(super) place: String,
    /// The last line of text before it.
    pub(super) before: String,
    /// All that stands behind the opening fence.
    pub(super) info: String,
    pub(super) language: String,
    /// The options behind the language: `name=value`, or a word.
    options: Vec<(String, String)>,
    pub(super) text: String,
}

impl Block {
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn options_are(&self, known: &[&str]) -> bool {
        self.options.iter().all(|(name, _)| known.contains(&name.as_str()))
    }
}

/// All blocks of a page, in their order.
pub(super) fn code_blocks(page: &str, text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    let mut before = "";
    for (number, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(info) if !inside => {
                inside = true;
                let mut words = info.split(',');
                let language = words.next().unwrap_or_default().to_owned();
                let options = words
                    .map(|word| word.split_once('=').unwrap_or((word, "")))
                    .map(|(a, b)| (a.to_owned(), b.to_owned()));
                blocks.push(Block {
                    place: format!("{page}:{}", number + 1),
                    before: before.to_owned(),
                    info: info.to_owned(),
                    language,
                    options: options.collect(),
                    text: String::new(),
                });
            }
            Some(end) => {
                assert!(end.is_empty(), "{page}:{}: a block within a block", number + 1);
                inside = false;
            }
            None if inside => {
                let text = &mut blocks.last_mut().unwrap().text;
                text.push_str(line);
                text.push('\n');
            }
            None => {
                assert!(
                    !line.trim_start().starts_with("```"),
                    "{page}:{}: blocks are not indented",
                    number + 1
                );
                if !line.trim().is_empty() {
                    before = line;
                }
            }
        }
    }
    assert!(!inside, "{page}: a block has no end");
    blocks
}
