//! The separable allocator: which packets get a virtual channel of their output, and which flits pass the
//! switch.
//!
//! In: the requests of the inputs of one router, and the turn at each port. Out: grants. Both steps work
//! input first. Every requester picks one of the resources that it could have. Then every picked resource
//! takes one of its requesters. Both choices go round, beginning one after the last grant. A turn passes on
//! with a grant only, so that nobody is passed over forever (the pointers of iSLIP: McKeown, 1999).
//! Alternatively, the oldest packet goes first in both choices.
//!
//! Invariant: grants are a function of the inputs. No input and no output has two grants in a round. Another
//! allocator would be another file with these two functions.
//!
//! Ports and lanes (virtual channels of an input) are numbered within the router, lane = port << shift | VC.

/// The number that stands for no lane.
const NOBODY: u32 = u32::MAX;

/// The turn at a port of a router when flits pass the switch.
#[derive(Clone, Copy, Default)]
pub(super) struct Turn {
    /// For an input: the virtual channel that is considered first for a flit.
    offer: u32,
    /// For an output: the input port that is considered first for a flit.
    flit: u32,
}

/// The turn at a lane when packets get virtual channels.
#[derive(Clone, Copy, Default)]
pub(super) struct ChannelTurn {
    /// For an input: the virtual channel that its packet considers first.
    first: u8,
    /// For an output: the input port, and its virtual channel, that is considered first for a packet.
    port: u32,
    vc: u8,
}

/// The rule by which requesters of the same resource are served.
#[derive(Clone, Copy)]
pub(super) enum Priority<'a> {
    /// The one after the one served last, round and round.
    Next,
    /// `[lane]`: the one whose first packet has the lowest number.
    Oldest(&'a [u64]),
}

impl<'a> Priority<'a> {
    /// The rule for the router that has these lanes. Without `ages`, requesters go round.
    pub(super) fn by_age(ages: &'a [u64], lanes: std::ops::Range<usize>) -> Self {
        if ages.is_empty() { Priority::Next } else { Priority::Oldest(&ages[lanes]) }
    }
}

/// A packet that requests a virtual channel.
#[derive(Clone, Copy)]
pub(super) struct Wish {
    /// The lane in which it waits.
    pub(super) lane: u32,
    /// The port by which it has to leave.
    pub(super) output: u32,
    /// Bit per virtual channel of that port: free, and allowed for the packet. At least one is set.
    pub(super) free: u64,
}

/// A packet that has got a virtual channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grant {
    pub(super) lane: u32,
    pub(super) output: u32,
    pub(super) vc: u32,
}

/// The flits that could pass the switch.
#[derive(Clone, Copy)]
pub(super) struct Offers<'a> {
    /// Bit per lane: it has a flit, a virtual channel at its output, and room in the next queue.
    pub(super) ready: &'a [u64],
    /// Bit per lane: it got its virtual channel in this cycle. It is served after the others.
    pub(super) fresh: &'a [u64],
    /// `[lane]`: the port by which its first packet has to leave.
    pub(super) output: &'a [u32],
}

/// Working space for one router at a time.
pub(super) struct Separable {
    /// A port has `1 << shift` lanes.
    shift: u32,
    /// `[resource]`: the requester so far whose turn comes first.
    best: Vec<Asker>,
    /// The resources that were requested in this round.
    requested: Vec<u32>,
    /// `[port]`: whether its input and its output were granted in this round.
    taken: Vec<[bool; 2]>,
}

#[derive(Clone, Copy)]
struct Asker {
    lane: u32,
    /// The number of others that come first, or the age of its packet.
    distance: u64,
}

impl Separable {
    /// An allocator for routers of at most `ports` ports.
    pub(super) fn new(ports: usize, shift: u32) -> Self {
        let nobody = Asker { lane: NOBODY, distance: u64::MAX };
        Self {
            shift,
            best: vec![nobody; ports << shift],
            requested: Vec::new(),
            taken: vec![[false; 2]; ports],
        }
    }

    /// Allocates virtual channels. Every packet requests the first one that it may take. Every requested one
    /// takes the lane whose turn is next. Each virtual channel has a turn of its own. With one turn per
    /// output, packets with few choices would lose to those that can take all.
    pub(super) fn packets(
        &mut self,
        wishes: &[Wish],
        first: Priority<'_>,
        turns: &mut [ChannelTurn],
        granted: &mut Vec<Grant>,
    ) {
        granted.clear();
        for wish in wishes {
            let place =
                wish.output << self.shift | next_in(wish.free, turns[wish.lane as usize].first.into());
            let distance = match first {
                Priority::Next => self.distance(wish.lane, turns[place as usize]).into(),
                Priority::Oldest(ages) => ages[wish.lane as usize],
            };
            self.ask(place, wish.lane, distance);
        }
        let mut requested = std::mem::take(&mut self.requested);
        for place in requested.drain(..) {
            let lane = self.winner(place);
            let (output, vc) = (place >> self.shift, place & ((1 << self.shift) - 1));
            turns[lane as usize].first = after(vc) as u8;
            turns[place as usize].port = (lane >> self.shift) + 1;
            turns[place as usize].vc = after(lane & ((1 << self.shift) - 1)) as u8;
            granted.push(Grant { lane, output, vc });
        }
        self.requested = requested;
    }

    /// Runs one round of the switch. Every input offers one flit, and every output takes one of the offers.
    /// Lanes that are not fresh are served first. The fresh ones get the ports that are left. Collects the
    /// granted lanes.
    pub(super) fn flits(
        &mut self,
        offers: Offers<'_>,
        first: Priority<'_>,
        turns: &mut [Turn],
        granted: &mut Vec<u32>,
    ) {
        granted.clear();
        for (word, (ready, fresh)) in offers.ready.iter().zip(offers.fresh).enumerate() {
            self.offer(word, ready & !fresh, offers.output, first, turns);
        }
        self.take(offers.output, turns, granted);
        if offers.fresh.iter().all(|fresh| *fresh == 0) {
            return;
        }
        for &lane in granted.iter() {
            self.taken[(lane >> self.shift) as usize][0] = true;
            self.taken[offers.output[lane as usize] as usize][1] = true;
        }
        let before = granted.len();
        for (word, (ready, fresh)) in offers.ready.iter().zip(offers.fresh).enumerate() {
            let remaining = self.left_over(word, ready & fresh, offers.output);
            self.offer(word, remaining, offers.output, first, turns);
        }
        for &lane in &granted[..before] {
            self.taken[(lane >> self.shift) as usize][0] = false;
            self.taken[offers.output[lane as usize] as usize][1] = false;
        }
        self.take(offers.output, turns, granted);
    }

    /// The lanes of a word whose input and output are not taken.
    fn left_over(&self, word: usize, mut lanes: u64, output: &[u32]) -> u64 {
        let mut remaining = 0;
        while lanes != 0 {
            let lane = (word * 64) as u32 + lanes.trailing_zeros();
            if !self.taken[(lane >> self.shift) as usize][0] && !self.taken[output[lane as usize] as usize][1]
            {
                remaining |= lanes & lanes.wrapping_neg();
            }
            lanes &= lanes - 1;
        }
        remaining
    }

    /// Lets every input with lanes in a word offer one of them to its output.
    fn offer(&mut self, word: usize, mut lanes: u64, output: &[u32], first: Priority<'_>, turns: &[Turn]) {
        let port_mask = u64::MAX >> (64 - (1 << self.shift));
        while lanes != 0 {
            let place = lanes.trailing_zeros() >> self.shift << self.shift;
            let (port_lanes, base) = (lanes >> place & port_mask, (word * 64) as u32 + place);
            lanes &= !(port_mask << place);
            let lane = base
                + match first {
                    Priority::Next => next_in(port_lanes, turns[(base >> self.shift) as usize].offer),
                    Priority::Oldest(ages) => oldest_in(port_lanes, &ages[base as usize..]),
                };
            let output_port = output[lane as usize];
            let distance = match first {
                // Numbers below the turn wrap around, and come after all others, in their order.
                Priority::Next => (lane >> self.shift).wrapping_sub(turns[output_port as usize].flit).into(),
                Priority::Oldest(ages) => ages[lane as usize],
            };
            self.ask(output_port, lane, distance);
        }
    }

    /// Lets every output with offers take one of them.
    fn take(&mut self, output: &[u32], turns: &mut [Turn], granted: &mut Vec<u32>) {
        let mut requested = std::mem::take(&mut self.requested);
        for output_port in requested.drain(..) {
            let lane = self.winner(output_port);
            let port = lane >> self.shift;
            debug_assert_eq!(output[lane as usize], output_port);
            turns[port as usize].offer = after(lane & ((1 << self.shift) - 1));
            turns[output_port as usize].flit = port + 1;
            granted.push(lane);
        }
        self.requested = requested;
    }

    /// The distance of a lane from its turn at a virtual channel: ports first, then lanes. Hence passing
    /// traffic gets as much as new traffic, however few of its lanes request.
    fn distance(&self, lane: u32, turn: ChannelTurn) -> u32 {
        let (port, vc) = (lane >> self.shift, lane & ((1 << self.shift) - 1));
        (port.wrapping_sub(turn.port) << 6) | (vc.wrapping_sub(turn.vc.into()) & 63)
    }

    /// Requests a resource for a lane. The requester that is nearest to its turn goes first.
    fn ask(&mut self, thing: u32, lane: u32, distance: u64) {
        let best = &mut self.best[thing as usize];
        if best.lane == NOBODY {
            self.requested.push(thing);
        } else if best.distance <= distance {
            return;
        }
        *best = Asker { lane, distance };
    }

    /// The winner of a resource that was requested.
    fn winner(&mut self, thing: u32) -> u32 {
        std::mem::replace(&mut self.best[thing as usize].lane, NOBODY)
    }
}

/// The first of a set of virtual channels from `start` on, round and round.
fn next_in(set: u64, start: u32) -> u32 {
    let ahead = set & u64::MAX << start;
    (if ahead == 0 { set } else { ahead }).trailing_zeros()
}

/// The one of a set of virtual channels with the lowest number.
fn oldest_in(mut set: u64, ages: &[u64]) -> u32 {
    let mut oldest = set.trailing_zeros();
    while set != 0 {
        let vc = set.trailing_zeros();
        set &= set - 1;
        if ages[vc as usize] < ages[oldest as usize] {
            oldest = vc;
        }
    }
    oldest
}

/// The virtual channel to consider first after this one. After the last of all there is none, and the search
/// begins anew.
fn after(vc: u32) -> u32 {
    (vc + 1) % 64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two virtual channels per port.
    const SHIFT: u32 = 1;

    fn granted(wishes: &[(u32, u32, u64)], turns: &mut [ChannelTurn; 8]) -> Vec<(u32, u32, u32)> {
        let (mut separable, mut granted) = (Separable::new(4, SHIFT), Vec::new());
        let wishes: Vec<Wish> =
            wishes.iter().map(|&(lane, output, free)| Wish { lane, output, free }).collect();
        separable.packets(&wishes, Priority::Next, turns, &mut granted);
        granted.iter().map(|grant| (grant.lane, grant.output, grant.vc)).collect()
    }

    #[test]
    fn the_choice_goes_round() {
        assert_eq!([0, 1, 2, 3, 5].map(|start| next_in(0b1010, start)), [1, 1, 3, 3, 1]);
        assert_eq!(next_in(1 << 63, after(63)), 63);
        assert_eq!(next_in(0b1, after(0)), 0);
    }

    #[test]
    fn every_virtual_channel_goes_to_one_packet() {
        let mut turns = [ChannelTurn::default(); 8];
        // Lanes 0, 3 and 4 want port 3; both its channels are free. All pick the first one.
        let wishes = [(0, 3, 0b11), (3, 3, 0b11), (4, 3, 0b11)];
        assert_eq!(granted(&wishes, &mut turns), [(0, 3, 0)]);
        // The one that was served looks at the other channel first now, and has the last turn at the first.
        assert_eq!((turns[0].first, turns[3 << SHIFT].port), (1, 1));
        assert_eq!(granted(&wishes, &mut turns), [(0, 3, 1), (3, 3, 0)]);
        // Who may take one channel only does not pick another one.
        assert_eq!(granted(&[(4, 3, 0b10), (5, 3, 0b10)], &mut turns), [(5, 3, 1)]);
        assert_eq!(granted(&[(4, 3, 0b10), (5, 3, 0b10)], &mut turns), [(4, 3, 1)]);
        // Ports do not see each other.
        assert_eq!(granted(&[(1, 0, 0b01), (6, 2, 0b01)], &mut turns), [(1, 0, 0), (6, 2, 0)]);
    }

    /// A packet that can take the last channel only gets it in every other turn, whoever takes the others
    /// meanwhile, and however many packets wait at the other port.
    #[test]
    fn few_choices_are_no_disadvantage() {
        let mut turns = [ChannelTurn::default(); 8];
        let mut alone = 0;
        for _ in 0..12 {
            // Lane 0 may take one of them, lanes 4 and 5 both; first the one is free, then the other.
            granted(&[(4, 3, 0b01), (5, 3, 0b01)], &mut turns);
            alone += granted(&[(0, 3, 0b10), (4, 3, 0b10), (5, 3, 0b10)], &mut turns)
                .iter()
                .filter(|grant| grant.0 == 0)
                .count();
        }
        assert_eq!(alone, 6);
    }

    #[test]
    fn the_oldest_goes_first_whoever_was_served() {
        let (mut separable, mut turns) = (Separable::new(4, SHIFT), [ChannelTurn::default(); 8]);
        // By lane; lanes 0, 3 and 4 want port 3.
        let ages = [30, 5, 40, 20, 10, 50, 60, 70];
        let mut channels = Vec::new();
        let wishes = [0, 3, 4].map(|lane| Wish { lane, output: 3, free: 0b01 });
        for _ in 0..2 {
            separable.packets(&wishes, Priority::Oldest(&ages), &mut turns, &mut channels);
            assert_eq!(channels, [Grant { lane: 4, output: 3, vc: 0 }]);
        }
        // Port 0 offers the older of its lanes, 1, and port 1 lane 3; both to port 2.
        let mut passes = Vec::new();
        let offers = Offers { ready: &[0b1111], fresh: &[0], output: &[2; 8] };
        for _ in 0..2 {
            separable.flits(offers, Priority::Oldest(&ages), &mut [Turn::default(); 4], &mut passes);
            assert_eq!(passes, [1]);
        }
        let last = Offers { ready: &[0b1101], ..offers };
        separable.flits(last, Priority::Oldest(&ages), &mut [Turn::default(); 4], &mut passes);
        assert_eq!(passes, [3]);
    }

    struct Switch {
        separable: Separable,
        turns: [Turn; 4],
        output: [u32; 8],
    }

    impl Switch {
        fn new(output: [u32; 8]) -> Self {
            Self { separable: Separable::new(4, SHIFT), turns: [Turn::default(); 4], output }
        }
        fn round(&mut self, ready: u64, fresh: u64) -> Vec<u32> {
            let mut granted = Vec::new();
            let offers = Offers { ready: &[ready], fresh: &[fresh], output: &self.output };
            self.separable.flits(offers, Priority::Next, &mut self.turns, &mut granted);
            granted
        }
    }

    #[test]
    fn ports_take_turns() {
        // Lanes 0 and 1 (port 0) go to port 2 and 3, lanes 2 and 3 (port 1) both to port 2.
        let mut switch = Switch::new([2, 3, 2, 2, 0, 0, 0, 0]);
        // Port 0 offers lane 0 and port 1 lane 2, both to port 2: port 0 goes first.
        assert_eq!(switch.round(0b1111, 0), [0]);
        // Port 0 goes on with lane 1; port 1 still has its turn.
        assert_eq!(switch.round(0b1111, 0), [1, 2]);
        assert_eq!(switch.round(0b1111, 0), [0]);
        assert_eq!(switch.round(0b1111, 0), [1, 3]);
        // An input that was not granted offers the same again.
        let mut stubborn = Switch::new([2, 3, 2, 2, 0, 0, 0, 0]);
        stubborn.turns[2].flit = 1;
        assert_eq!(stubborn.round(0b0101, 0), [2]);
        assert_eq!(stubborn.round(0b0111, 0), [0]);
    }

    #[test]
    fn packets_that_hold_their_channel_go_before_those_that_just_got_it() {
        let mut switch = Switch::new([2, 3, 2, 3, 3, 2, 0, 0]);
        // Lane 0 holds its channel; lanes 1 (same input), 2 (same output) and 3 (neither) are fresh.
        assert_eq!(switch.round(0b1111, 0b1110), [0, 3]);
        // Without it the fresh ones are served as others are.
        assert_eq!(switch.round(0b0110, 0b0110), [1, 2]);
        // Nothing is left taken by an earlier round.
        assert_eq!(switch.round(0b11_0000, 0b10_0000), [4]);
        assert_eq!(switch.round(0b10_0000, 0b10_0000), [5]);
    }

    #[test]
    fn routers_of_many_lanes_take_several_words() {
        let mut separable = Separable::new(40, 2);
        let (mut turns, mut granted) = (vec![Turn::default(); 40], Vec::new());
        let mut output = vec![7; 160];
        output[150] = 39;
        let offers = Offers { ready: &[1 << 5, 1 << 2, 1 << (150 - 128)], fresh: &[0; 3], output: &output };
        separable.flits(offers, Priority::Next, &mut turns, &mut granted);
        assert_eq!(granted, [5, 150]);
        separable.flits(offers, Priority::Next, &mut turns, &mut granted);
        assert_eq!(granted, [66, 150]);
    }
}
