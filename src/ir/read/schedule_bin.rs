//! The sends of `fabc.schedule.bin/1`, after its line of JSON. The decoder follows the words of
//! docs/artifacts.md.

use crate::TimedSend;
use fabc_base::ids::{NodeId, PortId};

/// The format of the first line.
pub(super) const FORMAT: &str = "fabc.schedule.bin/1";

/// The first bytes of a file of this format.
pub(super) const BEGINNING: &[u8] = b"{\"format\":\"fabc.schedule.bin/";

/// `[job]`: its sends, by channel. `starts` are the cycles in which the jobs start.
///
/// # Errors
/// The first byte that does not fit.
pub(super) fn sends(body: &[u8], starts: &[u32]) -> Result<Vec<Vec<TimedSend>>, String> {
    let mut numbers = SendIntegers { body, position: 0 };
    let mut jobs = Vec::with_capacity(starts.len());
    for &start in starts {
        let mut sends = Vec::new();
        for _ in 0..numbers.next()? {
            let (chip, port) = (NodeId(numbers.small()?), PortId(numbers.small()?));
            let mut cycle = start;
            for _ in 0..numbers.next()? {
                let since: u32 = numbers.small()?;
                cycle = cycle.checked_add(since).ok_or_else(|| numbers.error_here("a cycle past 32 bits"))?;
                sends.push(TimedSend { cycle, chip, port, vector: numbers.next()? });
            }
        }
        jobs.push(sends);
    }
    if numbers.position < body.len() {
        Err(numbers.error_here("nothing should follow the last job"))
    } else {
        Ok(jobs)
    }
}

/// Reads integers: groups of seven bits, the lowest first, the top bit set on all bytes but the last.
struct SendIntegers<'a> {
    body: &'a [u8],
    position: usize,
}

impl SendIntegers<'_> {
    fn next(&mut self) -> Result<u64, String> {
        let mut number = 0u64;
        for place in 0.. {
            let Some(&byte) = self.body.get(self.position) else {
                return Err(self.error_here("it ends too early"));
            };
            self.position += 1;
            let part = u64::from(byte & 0x7f);
            if place > 9 || place == 9 && part > 1 || place > 0 && byte == 0 {
                return Err(self.error_here("an integer of more bytes than it needs or than there can be"));
            }
            number |= part << (7 * place);
            if byte & 0x80 == 0 {
                break;
            }
        }
        Ok(number)
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Result<T, String> {
        let number = self.next()?;
        T::try_from(number).map_err(|_| self.error_here(&format!("{number} is more than there can be")))
    }

    /// An error message with the position after the last byte that was read.
    fn error_here(&self, message: &str) -> String {
        format!("byte {} of the body: {message}", self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_page_is_read() {
        let send = |cycle, chip, vector| TimedSend { cycle, chip: NodeId(chip), port: PortId(6), vector };
        let read = sends(&[2, 0, 6, 2, 0, 1, 24, 0xac, 2, 3, 6, 1, 5, 7, 0], &[650, 0]);
        assert_eq!(read, Ok(vec![vec![send(650, 0, 1), send(674, 0, 300), send(655, 3, 7)], vec![]]));
        for (body, what) in [
            (&[1, 0, 6, 1, 0][..], "byte 5 of the body: it ends too early"),
            (&[0, 0], "byte 1 of the body: nothing should follow the last job"),
            (
                &[1, 0x80, 0, 6, 0],
                "byte 3 of the body: an integer of more bytes than it needs or than there can be",
            ),
            (&[1, 0, 0xff, 0xff, 7, 0], "byte 5 of the body: 131071 is more than there can be"),
        ] {
            assert_eq!(sends(body, &[0]), Err(what.to_owned()));
        }
    }
}
