//! What is to happen in a coming cycle: a ring of lists, one per cycle.

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// The first packet of this queue may compete.
    Eligible(u32),
    /// The tail of a packet has left this queue.
    Left(u32),
    /// Room for a packet in this queue is known again where it is booked.
    Credit(u32),
    /// The tail of this packet has arrived.
    Delivered(u32),
    /// An output of this router is free again.
    Wake(u32),
}

/// The ring; nothing lies further ahead than it is long.
pub(super) struct Wheel {
    slots: Vec<Vec<Event>>,
    mask: u32,
}

impl Wheel {
    /// A ring for events at most `reach` cycles ahead.
    pub(super) fn new(reach: u32) -> Self {
        let slots = (reach + 1).next_power_of_two();
        Self { slots: vec![Vec::new(); slots as usize], mask: slots - 1 }
    }

    /// Puts an event `ahead` of cycle `now`, by at least one cycle.
    pub(super) fn put(&mut self, now: u32, ahead: u32, event: Event) {
        debug_assert!(ahead > 0 && ahead <= self.mask, "{ahead} cycles ahead on a wheel of {}", self.mask + 1);
        self.slots[(now.wrapping_add(ahead) & self.mask) as usize].push(event);
    }

    /// What happens now, in place of an empty list that is put there.
    pub(super) fn take(&mut self, now: u32, empty: Vec<Event>) -> Vec<Event> {
        std::mem::replace(&mut self.slots[(now & self.mask) as usize], empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_their_cycle_and_once() {
        let mut wheel = Wheel::new(5);
        wheel.put(0, 5, Event::Wake(1));
        wheel.put(3, 2, Event::Wake(2));
        wheel.put(6, 5, Event::Wake(3));
        assert_eq!(wheel.take(4, Vec::new()), []);
        assert_eq!(wheel.take(5, Vec::new()), [Event::Wake(1), Event::Wake(2)]);
        assert_eq!(wheel.take(5, Vec::new()), []);
        assert_eq!(wheel.take(11, Vec::new()), [Event::Wake(3)]);
    }
}
