//! Words of values: what a setting may be, each with its name.

/// A choice that a spec makes by a word.
pub trait Word: Copy + 'static {
    /// All of them, in the order in which errors list them.
    const WORDS: &'static [Self];

    /// As written in a spec.
    fn word(self) -> &'static str;
}

/// The words of an enumeration: `ALL`, `name()`, and [`Word`].
macro_rules! words {
    ($type:ident { $($value:expr => $pattern:pat => $name:literal),* $(,)? }) => {
        impl $type {
            /// All of them, with the defaults of their settings.
            pub const ALL: [Self; [$($name),*].len()] = [$($value),*];

            /// The name in specs.
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
