//! Traffic that ends: messages, in the order in which their sources send them.

use super::super::dependencies::Dependencies;
use super::super::endpoints::EndpointMap;
use super::super::errors::SimError;
use super::super::load::StaticLoad;
use super::super::routing::PathSelection;
use super::super::setting::Setting;
use super::expected::{ExpectedTraffic, RouterPairs};
use super::named::find_endpoints;
use fabc_base::ids::{ChannelId, NodeId, PortId};
use fabc_base::random::Stream;
use fabc_ir::{Fraction, RouterNames, Scene};
use fabc_model::{MessageOrder, Trace, TraceLine, Traffic};

/// The most messages of a run: all pairs of 4096 endpoints.
const MESSAGES: u64 = 1 << 24;

/// The stream of random numbers that orders of destinations are drawn from.
const ORDERS: u64 = 4;

/// The source and the destination of a line of a trace.
///
/// # Errors
/// [`SimError::TraceLine`] where a name stands for no endpoint or for several, or where both are the same.
pub(in super::super) fn ends_of_line(
    trace: &Trace,
    line: &TraceLine,
    routers: &RouterNames,
    endpoints: &EndpointMap,
) -> Result<[u32; 2], SimError> {
    let line_error = |what: String, help: &str| SimError::TraceLine {
        file: trace.path.clone(),
        line: line.line,
        what,
        help: help.to_owned(),
    };
    let end = |name: &str| match find_endpoints(name, routers, endpoints).as_deref() {
        Some(&[endpoint]) => Ok(endpoint),
        Some(several) => {
            let help =
                format!("give the number of one of them: {} to {}", several[0], several[several.len() - 1]);
            Err(line_error(format!("`{name}` has {} endpoints", several.len()), &help))
        }
        None => {
            let help = format!(
                "write the name of a router that has an endpoint, or a number below {}",
                endpoints.count()
            );
            Err(line_error(format!("no endpoint is called `{name}`"), &help))
        }
    };
    let [from, to] = [end(&line.ends[0])?, end(&line.ends[1])?];
    if from == to && line.flits > 0 {
        return Err(line_error(
            format!("`{}` sends to itself", line.ends[0]),
            "remove the line, since such a message needs no network. A wait has 0 flits",
        ));
    }
    Ok([from, to])
}

/// Packets from one endpoint to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct EndpointMessage {
    /// The source endpoint, then the destination endpoint.
    pub(in super::super) from: u32,
    pub(in super::super) to: u32,
    pub(in super::super) packets: u32,
    /// The cycle from which it is there. Between barriers, the number of its phase.
    pub(in super::super) when: u32,
    /// The channel by which it leaves, for the router at its other end. `None`: as packets find their routes.
    pub(in super::super) exit: Option<MessageExit>,
}

/// The channel by which a message leaves its router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct MessageExit {
    /// The output port of the router.
    pub(in super::super) port: u16,
    /// The channel behind that port.
    pub(in super::super) channel: u32,
}

/// Everything that is sent in one run.
pub(in super::super) struct MessageList {
    /// The messages by `when`, ascending.
    pub(in super::super) list: Vec<EndpointMessage>,
    /// The order in which they leave. Those of a trace leave one after the other.
    pub(in super::super) order: MessageOrder,
    /// Whether delays of packets count from the cycle of their message. Otherwise they count from when a
    /// packet can leave.
    pub(in super::super) timed: bool,
    /// The bytes of the messages, without the padding of packets.
    pub(in super::super) bytes: u64,
    /// Who waits for whom, if any message waits for others. `when` then counts from the last arrival that a
    /// message waits for.
    pub(in super::super) dependencies: Option<Dependencies>,
}

impl MessageList {
    /// The messages of a traffic that ends.
    ///
    /// # Errors
    /// [`SimError`] where nothing says what is sent, where it does not fit this fabric, or where it is too
    /// much.
    pub(in super::super) fn new(
        setting: &Setting,
        scene: &Scene<'_>,
        endpoints: &EndpointMap,
        flit_bytes: u64,
    ) -> Result<Self, SimError> {
        match (&setting.details.trace, setting.details.bytes) {
            (Some(trace), _) => Self::traced(setting, trace, scene, endpoints, flit_bytes),
            (None, Some(bytes)) => Self::all_to_all(setting, bytes, endpoints, flit_bytes),
            (None, None) => {
                let file = setting.traffic == Traffic::Trace;
                let why = if file {
                    "its file is missing (`traffic = trace \"FILE\"`)"
                } else {
                    "the bytes per pair are missing (`bytes`)"
                };
                Err(SimError::NoTraffic { traffic: setting.traffic.name(), why: why.to_owned() })
            }
        }
    }

    /// In phase k, endpoint s sends to s + k, round and round. In turns, the order is another one.
    fn all_to_all(
        setting: &Setting,
        bytes: u64,
        endpoints: &EndpointMap,
        flit_bytes: u64,
    ) -> Result<Self, SimError> {
        let count = endpoints.count();
        if count < 2 {
            let why = format!("it needs two endpoints, but there are {count}");
            return Err(SimError::NoTraffic { traffic: setting.traffic.name(), why });
        }
        let pairs = u64::from(count) * u64::from(count - 1);
        check_count(pairs)?;
        let packets = packets_of_flits(bytes.div_ceil(flit_bytes), setting.packet)?;
        let order = setting.details.order.unwrap_or(MessageOrder::Shift);
        // In turns, every source has an order of its own. Otherwise all would send to their next neighbors
        // together.
        let mut ahead: Vec<Vec<u32>> =
            vec![(1..count).collect(); if order == MessageOrder::Turns { count as usize } else { 1 }];
        if order == MessageOrder::Turns {
            let mut stream = Stream::new(setting.seed, ORDERS);
            ahead.iter_mut().for_each(|ahead| stream.shuffle(ahead));
        }
        let ahead = &ahead;
        let phase = |k: u32| {
            let when = if order == MessageOrder::Barrier { k } else { 0 };
            (0..count).map(move |from| {
                let by = ahead[from as usize % ahead.len()][k as usize];
                EndpointMessage { from, to: (from + by) % count, packets, when, exit: None }
            })
        };
        Ok(Self {
            list: (0..count - 1).flat_map(phase).collect(),
            order,
            timed: false,
            bytes: bytes.saturating_mul(pairs),
            dependencies: None,
        })
    }

    /// The messages that a file lists.
    fn traced(
        setting: &Setting,
        trace: &Trace,
        scene: &Scene<'_>,
        endpoints: &EndpointMap,
        flit_bytes: u64,
    ) -> Result<Self, SimError> {
        check_count(trace.lines.len() as u64)?;
        let exit = |line: &TraceLine, ends: [u32; 2], port: u16| {
            let routers = ends.map(|end| NodeId(endpoints.router[end as usize]));
            exit_of_line(setting, scene, routers, port).map_err(|(what, help)| SimError::TraceLine {
                file: trace.path.clone(),
                line: line.line,
                what,
                help,
            })
        };
        let message = |line: &TraceLine| {
            let [from, to] = ends_of_line(trace, line, scene.topology.names(), endpoints)?;
            Ok(EndpointMessage {
                from,
                to,
                packets: packets_of_flits(line.flits.into(), setting.packet)?,
                when: line.cycle,
                exit: line.port.map(|port| exit(line, [from, to], port)).transpose()?,
            })
        };
        let list = trace.lines.iter().map(message).collect::<Result<Vec<_>, _>>()?;
        let flits: u64 = trace.lines.iter().map(|line| u64::from(line.flits)).sum();
        let after = || trace.lines.iter().map(|line| &*line.after);
        let dependencies = trace.is_closed.then(|| Dependencies::new(after()));
        Ok(Self {
            list,
            order: MessageOrder::Shift,
            timed: true,
            bytes: flits.saturating_mul(flit_bytes),
            dependencies,
        })
    }

    /// A lower bound on the cycles of any run. It follows from the flits of the busiest channel or, with
    /// ports of hosts, of the endpoint that sends or receives most. Nor is a run over before the last message
    /// is there. A chain of messages that wait for each other takes at least the time of all of them alone.
    /// `route_cycles` are those of the head of a message.
    pub(in super::super) fn least_cycles(
        &self,
        setting: &Setting,
        load: &StaticLoad,
        route_cycles: impl Fn(&EndpointMessage) -> u32,
    ) -> u64 {
        let moved = load.bound.numerator().max(1);
        let busiest = u64::try_from(load.bound.denominator().div_ceil(moved)).unwrap_or(u64::MAX);
        let alone = |message: &EndpointMessage| {
            let flits = u64::from(message.packets) * u64::from(setting.packet);
            let way = || u64::from(route_cycles(message) + setting.injection) + flits - 1;
            u64::from(message.when) + if flits > 0 { way() } else { 0 }
        };
        let chain = match &self.dependencies {
            Some(dependencies) => dependencies.longest_chain(self.list.iter().map(alone)),
            None => {
                let last = self.list.last().filter(|_| self.timed).map_or(0, |message| message.when);
                u64::from(last + setting.injection + setting.packet) - 1
            }
        };
        busiest.max(chain).max(1)
    }

    /// The packets of all messages.
    pub(in super::super) fn packets(&self) -> u64 {
        self.list.iter().map(|message| u64::from(message.packets)).sum()
    }

    /// The expected traffic: everything that is sent in one run, in flits.
    pub(in super::super) fn expected(&self, setting: &Setting, endpoints: &EndpointMap) -> ExpectedTraffic {
        let (packet, ports) = (setting.packet, u64::from(setting.ports().unwrap_or(1)));
        let (routers, count) = (endpoints.first.len() - 1, endpoints.count() as usize);
        let (mut sent, mut heard) = (vec![0u64; count], vec![0u64; count]);
        let (mut rows, mut direct) = (vec![Vec::new(); routers], Vec::new());
        for message in self.list.iter().filter(|message| message.packets > 0) {
            let flits = u64::from(message.packets) * u64::from(packet);
            sent[message.from as usize] += flits;
            heard[message.to as usize] += flits;
            if let Some(MessageExit { channel, .. }) = message.exit {
                direct.push((channel, flits));
            } else if self.timed {
                rows[endpoints.router[message.from as usize] as usize]
                    .push((endpoints.router[message.to as usize], flits));
            }
        }
        // All pairs are alike: count once for all routers that the symmetry of the tables joins.
        let (pairs, each) = match self.list.first() {
            Some(message) if !self.timed => {
                (RouterPairs::Uniform, u64::from(message.packets) * u64::from(packet))
            }
            _ => (RouterPairs::gathered(rows), 1),
        };
        // A port finishes one cycle earlier than its flits after the first one say.
        let busiest =
            |flits: &[u64]| Fraction::integer(flits.iter().copied().max().unwrap_or(0).saturating_sub(ports));
        ExpectedTraffic {
            pairs,
            direct,
            unit: 1,
            each,
            total: sent.iter().map(|&flits| u128::from(flits / each)).sum(),
            most_sending: busiest(&sent),
            most_arriving: busiest(&heard),
            senders: sent.iter().filter(|flits| **flits > 0).count() as u32,
            share: Fraction::integer(1u8),
        }
    }
}

/// The channel by which a message leaves by a port. Otherwise what is wrong with it, and a hint.
fn exit_of_line(
    setting: &Setting,
    scene: &Scene<'_>,
    ends: [NodeId; 2],
    port: u16,
) -> Result<MessageExit, (String, String)> {
    let (topology, [from, to]) = (scene.topology, ends);
    if setting.selection != PathSelection::Tables {
        let what = format!("it leaves by port {port}, and packets choose their ways");
        return Err((what, "leave the port out, or let packets follow the tables".to_owned()));
    }
    let leads_there =
        |channel: ChannelId| scene.is_channel_lit(channel) && topology.target(channel).node == to;
    let leaving = |port: u16| {
        let exists = usize::from(port) < topology.ports();
        exists
            .then(|| topology.outgoing(from, PortId(port)))
            .flatten()
            .filter(|&channel| leads_there(channel))
    };
    let channel = leaving(port);
    channel.map(|channel| MessageExit { port, channel: channel.0 }).ok_or_else(|| {
        let ports: Vec<String> = (0..topology.ports() as u16)
            .filter(|&port| leaving(port).is_some())
            .map(|port| port.to_string())
            .collect();
        let [from, to] = [from, to].map(|node| topology.name(node));
        let what = format!("port {port} of {from} does not lead to {to}");
        let hint = match &ports[..] {
            [] => format!("leave the port out: no lit link leads from {from} to {to}"),
            ports => format!("its ports that do: {}", ports.join(", ")),
        };
        (what, hint)
    })
}

/// Refuses more messages than fit into memory.
fn check_count(messages: u64) -> Result<(), SimError> {
    if messages <= MESSAGES { Ok(()) } else { Err(SimError::TooManyMessages { messages, most: MESSAGES }) }
}

/// The packets that hold so many flits. The last one is padded.
fn packets_of_flits(flits: u64, packet: u32) -> Result<u32, SimError> {
    let packets = flits.div_ceil(packet.into());
    u32::try_from(packets)
        .map_err(|_| SimError::Endless { cycles: flits, most: fabc_base::limits::SIMULATED_CYCLES })
}
