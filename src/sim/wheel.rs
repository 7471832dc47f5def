//! Events in coming cycles, as a ring of lists with one list per cycle.

/// The ring. Events further ahead than its length wait aside until their turn comes.
pub(super) struct Wheel<E> {
    slots: Vec<Vec<E>>,
    mask: u32,
    /// Lists that were emptied. The next slots that are needed take them while they are in the cache.
    spare: Vec<Vec<E>>,
    /// Events beyond the ring, with their cycles.
    far: Vec<(u32, E)>,
}

impl<E: Copy> Wheel<E> {
    /// A ring for events that are seldom more than `reach` cycles ahead.
    pub(super) fn new(reach: u32) -> Self {
        let slots = (reach + 1).next_power_of_two();
        Self {
            slots: (0..slots).map(|_| Vec::new()).collect(),
            mask: slots - 1,
            spare: Vec::new(),
            far: Vec::new(),
        }
    }

    /// Adds an event `ahead` cycles after `now`, at least one.
    pub(super) fn put(&mut self, now: u32, ahead: u32, event: E) {
        debug_assert!(ahead > 0, "an event in the cycle that makes it");
        if ahead > self.mask {
            return self.far.push((now + ahead, event));
        }
        let slot = &mut self.slots[((now + ahead) & self.mask) as usize];
        if slot.capacity() == 0 {
            *slot = self.spare.pop().unwrap_or_default();
        }
        slot.push(event);
    }

    /// Takes the events of this cycle. It must be called once per cycle, in order.
    pub(super) fn take(&mut self, now: u32) -> Vec<E> {
        if now & self.mask == 0 && !self.far.is_empty() {
            self.bring_near(now);
        }
        std::mem::take(&mut self.slots[(now & self.mask) as usize])
    }

    /// Takes back a list whose events have happened.
    pub(super) fn happened(&mut self, mut list: Vec<E>) {
        if list.capacity() > 0 {
            list.clear();
            self.spare.push(list);
        }
    }

    /// Moves events of this turn of the ring into their slots. It is called once per turn.
    fn bring_near(&mut self, now: u32) {
        let far = std::mem::take(&mut self.far);
        for (cycle, event) in far {
            match cycle - now <= self.mask {
                true => self.slots[(cycle & self.mask) as usize].push(event),
                false => self.far.push((cycle, event)),
            }
        }
    }

    /// The events that have not happened yet, in no order.
    pub(super) fn pending(&self) -> impl Iterator<Item = E> {
        self.slots.iter().flatten().copied().chain(self.far.iter().map(|(_, event)| *event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_their_cycle_and_once() {
        let mut wheel = Wheel::new(5);
        let happened = |wheel: &mut Wheel<u8>, cycles: std::ops::Range<u32>| {
            let mut all: Vec<_> =
                cycles.flat_map(|now| wheel.take(now).into_iter().map(move |event| (now, event))).collect();
            all.sort_unstable();
            all
        };
        wheel.put(0, 5, 1);
        wheel.put(0, 40, 4);
        assert_eq!(happened(&mut wheel, 0..4), []);
        wheel.put(3, 2, 2);
        wheel.put(3, 8, 3);
        assert_eq!(wheel.pending().count(), 4);
        assert_eq!(happened(&mut wheel, 4..40), [(5, 1), (5, 2), (11, 3)]);
        wheel.put(39, 1, 5);
        assert_eq!(happened(&mut wheel, 40..60), [(40, 4), (40, 5)]);
        assert_eq!(wheel.pending().count(), 0);
    }
}
