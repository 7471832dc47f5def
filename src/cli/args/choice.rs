//! Options that take one of a few words, where the type belongs to another crate.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::TablesForm;
use fabc_pipeline::show::MessageFormat;

/// A value that the command line gives by its word.
pub(crate) trait Choice: Copy + Send + Sync + 'static {
    /// All of them, in the order in which help lists them.
    const CHOICES: &'static [Self];

    /// The word.
    fn word(self) -> &'static str;

    /// A line of help.
    fn help(self) -> &'static str;

    /// The value of a word.
    fn of_word(word: &str) -> Option<Self> {
        Self::CHOICES.iter().copied().find(|choice| choice.word() == word)
    }
}

/// Parses the word of a choice, and lists all words in help and errors.
pub(crate) fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let words = T::CHOICES.iter().map(|choice| PossibleValue::new(choice.word()).help(choice.help()));
    PossibleValuesParser::new(words).try_map(|word| T::of_word(&word).ok_or("no such word"))
}

impl Choice for MessageFormat {
    const CHOICES: &'static [Self] = &[Self::Human, Self::Short, Self::Json, Self::Sarif, Self::Github];

    fn word(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Short => "short",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Github => "github",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Human => "With the lines they are about",
            Self::Short => "One line each",
            Self::Json => "One JSON object per line, fabc.message/1",
            Self::Sarif => "One SARIF 2.1.0 log, when all is done",
            Self::Github => "Commands of a GitHub workflow, which mark lines of the change",
        }
    }
}

impl Choice for TablesForm {
    const CHOICES: &'static [Self] = &[Self::Auto, Self::Json, Self::Binary];

    fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Json => "json",
            Self::Binary => "binary",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Auto => "Whichever fits their size",
            Self::Json => "fabc.tables/1",
            Self::Binary => "fabc.tables.bin/1, about a byte per entry",
        }
    }
}

impl Choice for Stage {
    const CHOICES: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        self.name()
    }

    fn help(self) -> &'static str {
        match self {
            Stage::Parse => "Syntax",
            Stage::Resolve => "Names, units, defaults",
            Stage::Synthesize => "Topology and cross-connects",
            Stage::Analyze => "Distances and flow",
            Stage::Route => "Routes and tables of every scenario",
            Stage::Check => "Proofs",
            Stage::Emit => "Artifacts",
        }
    }
}
