//! Options that take one of a few words, for types of other crates.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::TablesForm;
use fabc_pipeline::show::MessageFormat;

/// A value that the command line gives by its word.
pub(crate) trait NamedChoice: Copy + Send + Sync + 'static {
    /// All values, in the order in which help lists them.
    const CHOICES: &'static [Self];

    /// The word on the command line.
    fn word(self) -> &'static str;

    /// The line of help for this value.
    fn help(self) -> &'static str;

    /// The value with this word.
    fn of_word(word: &str) -> Option<Self> {
        Self::CHOICES.iter().copied().find(|choice| choice.word() == word)
    }
}

/// A parser for the word of a choice. Help and errors list all words.
pub(crate) fn choice_parser<T: NamedChoice>() -> impl TypedValueParser<Value = T> {
    let words = T::CHOICES.iter().map(|choice| PossibleValue::new(choice.word()).help(choice.help()));
    PossibleValuesParser::new(words).try_map(|word| T::of_word(&word).ok_or("no such word"))
}

impl NamedChoice for MessageFormat {
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

impl NamedChoice for TablesForm {
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

impl NamedChoice for Stage {
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
