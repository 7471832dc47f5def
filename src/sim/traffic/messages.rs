//! Traffic that ends: messages, in the order in which their sources send them.

use super::super::endpoints::Endpoints;
use super::super::errors::SimError;
use super::super::load::StaticLoad;
use super::super::setting::Setting;
use super::expected::{Expected, Pairs};
use super::named::named;
use fabc_base::random::Stream;
use fabc_ir::{Fraction, Names, Scene};
use fabc_model::{Order, Trace, TraceLine, Traffic};

/// Most messages of a run: all pairs of 4096 endpoints.
const MESSAGES: u64 = 1 << 24;

/// The stream of random numbers that orders of destinations are drawn from.
const ORDERS: u64 = 4;

/// The source and the destination of a line of a trace.
///
/// # Errors
/// [`SimError::TraceLine`] where a name is that of no endpoint, or of several, or both are the same one.
pub(in super::super) fn ends_of_line(
    trace: &Trace,
    line: &TraceLine,
    routers: &Names,
    endpoints: &Endpoints,
) -> Result<[u32; 2], SimError> {
    let wrong = |what: String, help: &str| SimError::TraceLine {
        file: trace.path.clone(),
        line: line.line,
        what,
        help: help.to_owned(),
    };
    let end = |name: &str| match named(name, routers, endpoints).as_deref() {
        Some(&[endpoint]) => Ok(endpoint),
        Some(several) => {
            let help =
                format!("give the number of one of them: {} to {}", several[0], several[several.len() - 1]);
            Err(wrong(format!("`{name}` has {} endpoints", several.len()), &help))
        }
        None => {
            let help = format!(
                "write the name of a router that has an endpoint, or a number below {}",
                endpoints.count()
            );
            Err(wrong(format!("no endpoint is called `{name}`"), &help))
        }
    };
    let [from, to] = [end(&line.ends[0])?, end(&line.ends[1])?];
    if from == to {
        return Err(wrong(
            format!("`{}` sends to itself", line.ends[0]),
            "leave the line out: what stays takes no network",
        ));
    }
    Ok([from, to])
}

/// Packets that go from one endpoint to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Message {
    /// Endpoints.
    pub(in super::super) from: u32,
    pub(in super::super) to: u32,
    pub(in super::super) packets: u32,
    /// The cycle in which it is there; between barriers the number of its phase.
    pub(in super::super) when: u32,
}

/// What is sent in one run.
pub(in super::super) struct Messages {
    /// By `when`, ascending.
    pub(in super::super) list: Vec<Message>,
    /// In which order they leave; of a trace one after the other.
    pub(in super::super) order: Order,
    /// Whether packets are told from the cycle of their message on; else from when they can leave.
    pub(in super::super) timed: bool,
    /// Bytes that were asked to be sent, without what fills packets up.
    pub(in super::super) bytes: u64,
}

impl Messages {
    /// Those of a traffic that ends.
    ///
    /// # Errors
    /// Nothing says what is sent, or it is not of this fabric, or too much.
    pub(in super::super) fn of(
        setting: &Setting,
        scene: &Scene<'_>,
        endpoints: &Endpoints,
        flit_bytes: u64,
    ) -> Result<Self, SimError> {
        match (&setting.details.trace, setting.details.bytes) {
            (Some(trace), _) => Self::traced(setting, trace, scene, endpoints, flit_bytes),
            (None, Some(bytes)) => Self::all_to_all(setting, bytes, endpoints, flit_bytes),
            (None, None) => {
                let file = setting.traffic == Traffic::Trace;
                let why = if file {
                    "nobody says in which file it stands (`traffic = trace \"FILE\"`)"
                } else {
                    "nobody says how many bytes a pair sends (`bytes`)"
                };
                Err(SimError::NoTraffic { traffic: setting.traffic.name(), why: why.to_owned() })
            }
        }
    }

    /// Phase k: from s to s + k, round and round; in turns, in another order.
    fn all_to_all(
        setting: &Setting,
        bytes: u64,
        endpoints: &Endpoints,
        flit_bytes: u64,
    ) -> Result<Self, SimError> {
        let count = endpoints.count();
        if count < 2 {
            let why = format!("it takes two endpoints, and there are {count}");
            return Err(SimError::NoTraffic { traffic: setting.traffic.name(), why });
        }
        let pairs = u64::from(count) * u64::from(count - 1);
        few(pairs)?;
        let packets = packets(bytes.div_ceil(flit_bytes), setting.packet)?;
        let order = setting.details.order.unwrap_or(Order::Shift);
        // In turns every source has an order of its own: else all would send to their next ones together.
        let mut ahead: Vec<Vec<u32>> =
            vec![(1..count).collect(); if order == Order::Turns { count as usize } else { 1 }];
        if order == Order::Turns {
            let mut stream = Stream::new(setting.seed, ORDERS);
            ahead.iter_mut().for_each(|ahead| stream.shuffle(ahead));
        }
        let ahead = &ahead;
        let phase = |k: u32| {
            let when = if order == Order::Barrier { k } else { 0 };
            (0..count).map(move |from| {
                let by = ahead[from as usize % ahead.len()][k as usize];
                Message { from, to: (from + by) % count, packets, when }
            })
        };
        Ok(Self {
            list: (0..count - 1).flat_map(phase).collect(),
            order,
            timed: false,
            bytes: bytes.saturating_mul(pairs),
        })
    }

    /// As a file lists them.
    fn traced(
        setting: &Setting,
        trace: &Trace,
        scene: &Scene<'_>,
        endpoints: &Endpoints,
        flit_bytes: u64,
    ) -> Result<Self, SimError> {
        few(trace.lines.len() as u64)?;
        let message = |line: &TraceLine| {
            let [from, to] = ends_of_line(trace, line, scene.topology.names(), endpoints)?;
            Ok(Message { from, to, packets: packets(line.flits.into(), setting.packet)?, when: line.cycle })
        };
        let list = trace.lines.iter().map(message).collect::<Result<Vec<_>, _>>()?;
        let flits: u64 = trace.lines.iter().map(|line| u64::from(line.flits)).sum();
        Ok(Self { list, order: Order::Shift, timed: true, bytes: flits.saturating_mul(flit_bytes) })
    }

    /// No run takes fewer cycles: what the busiest channel has to move, or, by ports of hosts, the endpoint
    /// that sends or hears most; nor is it over before the last message is there.
    pub(in super::super) fn least_cycles(&self, setting: &Setting, load: &StaticLoad) -> u64 {
        let moved = load.bound.numerator().max(1);
        let busiest = u64::try_from(load.bound.denominator().div_ceil(moved)).unwrap_or(u64::MAX);
        let last = self.list.last().filter(|_| self.timed).map_or(0, |message| u64::from(message.when));
        let alone = last + u64::from(setting.injection + setting.packet) - 1;
        busiest.max(alone).max(1)
    }

    /// Packets of all messages.
    pub(in super::super) fn packets(&self) -> u64 {
        self.list.iter().map(|message| u64::from(message.packets)).sum()
    }

    /// What the messages come to: everything that is sent in one run, in flits.
    pub(in super::super) fn expected(&self, setting: &Setting, endpoints: &Endpoints) -> Expected {
        let (packet, ports) = (setting.packet, u64::from(setting.ports().unwrap_or(1)));
        let (routers, count) = (endpoints.first.len() - 1, endpoints.count() as usize);
        let (mut sent, mut heard) = (vec![0u64; count], vec![0u64; count]);
        let mut rows = vec![Vec::new(); routers];
        for message in &self.list {
            let flits = u64::from(message.packets) * u64::from(packet);
            sent[message.from as usize] += flits;
            heard[message.to as usize] += flits;
            if self.timed {
                rows[endpoints.router[message.from as usize] as usize]
                    .push((endpoints.router[message.to as usize], flits));
            }
        }
        // All pairs alike: looked at once for all routers that the symmetry of the tables joins.
        let (pairs, each) = match self.list.first() {
            Some(message) if !self.timed => (Pairs::Uniform, u64::from(message.packets) * u64::from(packet)),
            _ => (Pairs::gathered(rows), 1),
        };
        // A port is done one cycle sooner than it has flits after the first one.
        let most = |of: &[u64]| Fraction::whole(of.iter().copied().max().unwrap_or(0).saturating_sub(ports));
        Expected {
            pairs,
            unit: 1,
            each,
            total: sent.iter().map(|&flits| u128::from(flits / each)).sum(),
            most_sending: most(&sent),
            most_arriving: most(&heard),
            senders: sent.iter().filter(|flits| **flits > 0).count() as u32,
            share: Fraction::whole(1u8),
        }
    }
}

/// Whether so many messages fit in memory.
fn few(messages: u64) -> Result<(), SimError> {
    if messages <= MESSAGES { Ok(()) } else { Err(SimError::TooManyMessages { messages, most: MESSAGES }) }
}

/// Packets of so many flits each: the last one is filled up.
fn packets(flits: u64, packet: u32) -> Result<u32, SimError> {
    let packets = flits.div_ceil(packet.into());
    u32::try_from(packets)
        .map_err(|_| SimError::Endless { cycles: flits, most: fabc_base::limits::SIMULATED_CYCLES })
}
