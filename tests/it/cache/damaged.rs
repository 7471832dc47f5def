//! Damaged and forged entries: never another byte.

use super::{Workshop, pod};
use crate::support::spec_text::SpecText;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The fewest damaged entries, unless `FABC_DAMAGED_ENTRIES` says another number.
const DAMAGED: usize = 100;

/// What is done to an entry.
#[derive(Clone, Copy, Debug)]
enum Damage {
    CutOff,
    Flipped,
    Emptied,
    /// It has the content of the next entry.
    Swapped,
    /// The content says that it is of another version, and has a proper hash.
    OtherVersion,
    /// A directory stands in its place.
    Directory,
    Unreadable,
    /// Its own content twice.
    Doubled,
}

const DAMAGES: [Damage; 8] = [
    Damage::CutOff,
    Damage::Flipped,
    Damage::Emptied,
    Damage::Swapped,
    Damage::OtherVersion,
    Damage::Directory,
    Damage::Unreadable,
    Damage::Doubled,
];

impl Damage {
    /// Damages the entry at a path, whose content and whose neighbor's content are known. `round` says where.
    fn apply(self, path: &Path, content: &[u8], next: &[u8], round: usize) {
        let place = (round * 104_729 + content.len() / 3) % content.len();
        let bytes = match self {
            Damage::CutOff => content[..place].to_vec(),
            Damage::Flipped => {
                let mut flipped = content.to_vec();
                flipped[place] ^= 1 << (round % 8);
                flipped
            }
            Damage::Emptied => Vec::new(),
            Damage::Swapped => next.to_vec(),
            Damage::OtherVersion => sealed(&other_version(content)),
            Damage::Doubled => content.repeat(2),
            Damage::Directory => {
                std::fs::remove_file(path).unwrap();
                return std::fs::create_dir(path).unwrap();
            }
            Damage::Unreadable => {
                return std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
            }
        };
        std::fs::write(path, bytes).unwrap();
    }
}

/// The content of an entry, as another version would write it.
fn other_version(entry: &[u8]) -> Vec<u8> {
    let content = &entry[..entry.len() - 32];
    let tag = content.windows(3).position(|part| part == b"/1\"").expect("an entry has a format");
    let mut other = content.to_vec();
    other[tag + 1] = b'2';
    other
}

/// An entry with a proper hash.
pub(super) fn sealed(content: &[u8]) -> Vec<u8> {
    [content, blake3::hash(content).as_bytes()].concat()
}

/// A pod with an entry of every kind.
fn spec() -> SpecText {
    pod()
        .with("simulate light { traffic = uniform; rates = 0.1; warmup = 100 cycles; measure = 200 cycles; }")
        .with("collective sum = all_reduce { size = 1 MiB; }")
        .with("job train { axes { data = 32; } phase sum { collective sum = all_reduce { over = data; size = 1 MiB; } } }")
}

/// `FABC_DAMAGED_ENTRIES=1000 cargo test --test it cache::damaged` damages as many.
#[test]
fn damaged_entries_never_change_a_byte() {
    let wanted = std::env::var("FABC_DAMAGED_ENTRIES");
    let wanted = wanted.map_or(DAMAGED, |count| count.parse().expect("FABC_DAMAGED_ENTRIES is a number"));
    let workshop = Workshop::new();
    let spec = spec().text();
    let plain = workshop.build(&spec, &["--no-cache"]);
    workshop.build(&spec, &[]);
    let whole: Vec<(PathBuf, Vec<u8>)> =
        workshop.entries().into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
    assert!(whole.len() > 10, "{} entries", whole.len());
    let mut damaged = 0;
    for round in 0.. {
        if damaged >= wanted {
            break;
        }
        // All entries are damaged at once, each in another way.
        for (number, (path, content)) in whole.iter().enumerate() {
            let damage = DAMAGES[(round + number) % DAMAGES.len()];
            damage.apply(path, content, &whole[(number + 1) % whole.len()].1, round);
            damaged += 1;
        }
        let built = workshop.build(&spec, &[]);
        assert!(built.files == plain.files, "round {round}: other bytes");
        assert_eq!(built.summary, plain.summary, "round {round}");
        assert!(built.messages.contains("dropped an entry of the cache: "), "{}", built.messages);
        for (path, content) in &whole {
            restore(path, content);
        }
    }
    println!("{damaged} damaged entries, no other byte");
}

/// Puts a whole entry back, whatever stands in its place.
fn restore(path: &Path, content: &[u8]) {
    let _ = std::fs::remove_dir(path);
    let _ = std::fs::remove_file(path);
    std::fs::write(path, content).unwrap();
}

/// An entry with a proper hash whose content is of something else is convicted.
#[test]
fn entries_that_lie_are_convicted() {
    let workshop = Workshop::new();
    let spec = spec().text();
    let plain = workshop.build(&spec, &[]);
    let mut convicted = 0;
    for path in workshop.entries() {
        let bytes = std::fs::read(&path).unwrap();
        for lie in lies(&bytes) {
            std::fs::write(&path, sealed(&lie)).unwrap();
            let built = workshop.build(&spec, &[]);
            assert!(built.files == plain.files, "{}", path.display());
            assert!(built.messages.contains("dropped an entry of the cache: "), "{}", built.messages);
            convicted += 1;
        }
    }
    assert!(convicted > 20, "{convicted} lies");
}

/// Contents that say something else than an entry: another key, and a body in which one byte is another.
fn lies(bytes: &[u8]) -> Vec<Vec<u8>> {
    let content = &bytes[..bytes.len() - 32];
    let key = content.windows(7).position(|part| part == b"\"key\":\"").expect("an entry has a key") + 7;
    let changed = |place: usize, byte: u8| {
        let mut lie = content.to_vec();
        lie[place] = byte;
        lie
    };
    let mut lies = vec![changed(key, if content[key] == b'0' { b'1' } else { b'0' })];
    let head = content.iter().position(|&byte| byte == b'\n').expect("a head") + 1;
    if head + 8 < content.len() {
        lies.push(changed(head + 7, content[head + 7] ^ 1));
    }
    lies
}
