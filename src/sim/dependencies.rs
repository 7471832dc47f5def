//! Messages that wait for others: which ones they are, and when each may start.
//!
//! A message comes to its source so many cycles after the last one of those that it waits for has arrived.
//! A message without packets is a wait: it arrives when it comes. Messages wait for earlier ones of their
//! list only, so that no circle of them exists.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// For every message of a list, those that wait for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Dependencies {
    /// `[message]`: the number of messages that it waits for.
    counts: Vec<u32>,
    /// `[message]`: the end of its part of `followers`, which begins where that of the message before ends.
    ends: Vec<u32>,
    /// The messages that wait for a message, for one message after the other, each part ascending.
    followers: Vec<u32>,
}

impl Dependencies {
    /// The dependencies of messages, of which each lists the earlier ones that it waits for, each once.
    pub(super) fn new<'a>(after: impl Iterator<Item = &'a [u32]> + Clone) -> Self {
        let counts: Vec<u32> = after.clone().map(|before| before.len() as u32).collect();
        let mut ends = vec![0; counts.len()];
        after.clone().flatten().for_each(|&before| ends[before as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // For now, where the part begins.
            (*end, sum) = (sum, sum + *end);
        }
        let mut followers = vec![0; sum as usize];
        for (message, before) in (0..).zip(after) {
            for &before in before {
                followers[ends[before as usize] as usize] = message;
                ends[before as usize] += 1;
            }
        }
        Self { counts, ends, followers }
    }

    /// The messages that wait for a message.
    fn followers(&self, message: u32) -> &[u32] {
        let index = message as usize;
        let first = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.followers[first as usize..self.ends[index] as usize]
    }

    /// The longest chain of messages, in cycles. `cycles` has for every message its delay and its time on the
    /// way.
    pub(super) fn longest_chain(&self, cycles: impl Iterator<Item = u64>) -> u64 {
        let (mut starts, mut longest) = (vec![0; self.counts.len()], 0);
        for (message, cycles) in (0..).zip(cycles) {
            let end = starts[message as usize] + cycles;
            longest = longest.max(end);
            for &next in self.followers(message) {
                starts[next as usize] = end.max(starts[next as usize]);
            }
        }
        longest
    }
}

/// The progress of messages that wait for others, in one run.
pub(super) struct WaitingMessages<'a> {
    dependencies: &'a Dependencies,
    /// `[message]`: messages that it still waits for.
    missing: Vec<u32>,
    /// `[message]`: its packets that have not arrived.
    undelivered: Vec<u32>,
    /// `[message]`: cycles from the last arrival that it waits for.
    delays: Vec<u32>,
    /// Messages that wait for their cycle only, the earliest first.
    due: BinaryHeap<Reverse<(u32, u32)>>,
    /// The number of messages that have arrived.
    arrived: usize,
}

impl<'a> WaitingMessages<'a> {
    /// The state before the first cycle. `delays` and `packets` are of every message.
    pub(super) fn new(dependencies: &'a Dependencies, delays: Vec<u32>, packets: Vec<u32>) -> Self {
        let starts = (0..).zip(&dependencies.counts).filter(|(_, missing)| **missing == 0);
        let due = starts.map(|(message, _)| Reverse((delays[message as usize], message))).collect();
        let missing = dependencies.counts.clone();
        Self { dependencies, missing, undelivered: packets, delays, due, arrived: 0 }
    }

    /// The next message that comes to its source by this cycle. Of several, the one that was due first, and
    /// then the first one of the list.
    pub(super) fn next_due(&mut self, now: u32) -> Option<u32> {
        let &Reverse((_, message)) = self.due.peek().filter(|Reverse((cycle, _))| *cycle <= now)?;
        self.due.pop();
        Some(message)
    }

    /// Counts a packet of a message that has arrived. With the last one, the message has.
    pub(super) fn packet_arrived(&mut self, message: u32, now: u32) {
        self.undelivered[message as usize] -= 1;
        if self.undelivered[message as usize] == 0 {
            self.message_arrived(message, now);
        }
    }

    /// Counts a message that has arrived. Those that waited for nothing else have a cycle now.
    pub(super) fn message_arrived(&mut self, message: u32, now: u32) {
        self.arrived += 1;
        for &next in self.dependencies.followers(message) {
            self.missing[next as usize] -= 1;
            if self.missing[next as usize] == 0 {
                self.due.push(Reverse((now + self.delays[next as usize], next)));
            }
        }
    }

    /// Whether every message has arrived.
    pub(super) fn is_over(&self) -> bool {
        self.arrived == self.missing.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 and 1 start, 2 waits for both, 3 for 0, and 4 for 2 and 3.
    fn diamond() -> Dependencies {
        let after: [&[u32]; 5] = [&[], &[], &[0, 1], &[0], &[2, 3]];
        Dependencies::new(after.into_iter())
    }

    #[test]
    fn followers_are_those_that_wait() {
        let found = diamond();
        let followers: Vec<&[u32]> = (0..5).map(|message| found.followers(message)).collect();
        assert_eq!(followers, [&[2, 3][..], &[2], &[4], &[4], &[]]);
        assert_eq!(found.longest_chain([5, 7, 1, 10, 2].into_iter()), 17, "0, 3, 4");
        assert_eq!(found.longest_chain([5, 20, 1, 10, 2].into_iter()), 23, "1, 2, 4");
    }

    #[test]
    fn a_message_comes_after_the_last_arrival_and_its_delay() {
        let dependencies = diamond();
        let mut waiting = WaitingMessages::new(&dependencies, vec![0, 3, 10, 0, 1], vec![1, 2, 0, 1, 1]);
        assert_eq!([waiting.next_due(0), waiting.next_due(2), waiting.next_due(3)], [Some(0), None, Some(1)]);
        waiting.packet_arrived(0, 8);
        assert_eq!([waiting.next_due(8), waiting.next_due(8)], [Some(3), None]);
        waiting.packet_arrived(1, 9);
        waiting.packet_arrived(1, 11);
        waiting.packet_arrived(3, 15);
        assert_eq!([waiting.next_due(20), waiting.next_due(21)], [None, Some(2)]);
        waiting.message_arrived(2, 21);
        assert_eq!([waiting.next_due(21), waiting.next_due(22)], [None, Some(4)]);
        assert!(!waiting.is_over());
        waiting.packet_arrived(4, 30);
        assert!(waiting.is_over());
    }
}
