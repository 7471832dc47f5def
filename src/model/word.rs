//! Settings whose values are words, each with its name.

/// A setting whose values a spec writes as words.
pub trait Word: Copy + 'static {
    /// All values, in the order in which errors list them.
    const WORDS: &'static [Self];

    /// The word of the value, as a spec writes it.
    fn word(self) -> &'static str;
}

/// Defines the words of an enumeration: `ALL`, `name()`, and [`Word`].
macro_rules! words {
    ($type:ident { $($value:expr => $pattern:pat => $name:literal),* $(,)? }) => {
        impl $type {
            /// All of them, with the defaults of their settings.
            pub const ALL: [Self; [$($name),*].len()] = [$($value),*];

            /// The name of the value in specs.
            pub fn name(self) -> &'static str {
                match self {
                    $($pattern => $name),*
                }
            }
        }

        impl crate::word::Word for $type {
            const WORDS: &'static [Self] = &Self::ALL;

            fn word(self) -> &'static str {
                self.name()
            }
        }
    };
    ($type:ident { $($variant:ident = $name:literal),* $(,)? }) => {
        words!($type { $(Self::$variant => Self::$variant => $name),* });
    };
}

pub(crate) use words;
