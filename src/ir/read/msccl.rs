//! MSCCL XML: a collective as a program for the thread blocks of GPUs. Other tags and attributes are skipped,
//! as the runtimes do.

use fabc_base::limits::{XML_ATTRIBUTES, crowded_element};
use roxmltree::{Document, Node};

/// A program: the `algo` element.
pub struct MscclProgram<'a> {
    pub name: String,
    pub collective: String,
    /// Number of channels that connections may use.
    pub chans: u32,
    /// Number of chunks of a loop.
    pub chunks: u32,
    /// Number of GPUs, as the file says.
    pub ranks: u32,
    pub in_place: bool,
    pub out_of_place: bool,
    /// The smallest and the largest size in bytes for which it is meant, where the file says so.
    pub bytes: SizeRange,
    pub gpus: Vec<MscclGpu>,
    text: &'a str,
}

/// The smallest and the largest size in bytes, where they are given.
pub type SizeRange = [Option<u64>; 2];

/// A GPU: a `gpu` element.
pub struct MscclGpu {
    pub place: u32,
    pub id: u32,
    /// Number of chunks of input, output and scratch.
    pub sizes: [u32; 3],
    pub blocks: Vec<MscclBlock>,
}

/// A thread block: a `tb` element.
pub struct MscclBlock {
    pub place: u32,
    pub id: u32,
    pub send: Option<u32>,
    pub receive: Option<u32>,
    /// Its channel, negative where it has none.
    pub chan: i64,
    pub steps: Vec<MscclStep>,
}

/// A step: a `step` element.
pub struct MscclStep {
    pub place: u32,
    pub number: u32,
    pub kind: MscclKind,
    /// (buffer, offset): input, output and scratch are 0 to 2.
    pub from: (u8, i64),
    pub to: (u8, i64),
    pub count: u32,
    /// (thread block, step) that it waits for.
    pub after: Option<(u32, u32)>,
    /// Whether others may wait for it.
    pub awaited: bool,
}

/// The operation of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MscclKind {
    Send,
    Receive,
    ReceiveCopySend,
    ReceiveReduceSend,
    ReceiveReduceCopy,
    ReceiveReduceCopySend,
    Copy,
    Reduce,
    Nothing,
}

impl MscclKind {
    const ALL: [(&str, MscclKind); 9] = [
        ("s", MscclKind::Send),
        ("r", MscclKind::Receive),
        ("rcs", MscclKind::ReceiveCopySend),
        ("rrs", MscclKind::ReceiveReduceSend),
        ("rrc", MscclKind::ReceiveReduceCopy),
        ("rrcs", MscclKind::ReceiveReduceCopySend),
        ("cpy", MscclKind::Copy),
        ("re", MscclKind::Reduce),
        ("nop", MscclKind::Nothing),
    ];

    /// The word of the kind, as it is written.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
    /// Whether the step sends to another GPU.
    pub fn sends(self) -> bool {
        use MscclKind::{ReceiveCopySend, ReceiveReduceCopySend, ReceiveReduceSend, Send};
        matches!(self, Send | ReceiveCopySend | ReceiveReduceSend | ReceiveReduceCopySend)
    }
    /// Whether the step receives from another GPU.
    pub fn receives(self) -> bool {
        use MscclKind::{
            Receive, ReceiveCopySend, ReceiveReduceCopy, ReceiveReduceCopySend, ReceiveReduceSend,
        };
        matches!(
            self,
            Receive | ReceiveCopySend | ReceiveReduceSend | ReceiveReduceCopy | ReceiveReduceCopySend
        )
    }
}

/// (byte, message): where and how a file violates its format.
type ProgramFault = (u32, String);

impl<'a> MscclProgram<'a> {
    /// Reads a file.
    ///
    /// # Errors
    /// (line, message) of the first violation of the format, lines from 1.
    pub fn read(text: &'a str) -> Result<Self, (usize, String)> {
        if let Some(at) = crowded_element(text) {
            return Err((
                line(text, at as u32),
                format!("this element has more than {XML_ATTRIBUTES} attributes"),
            ));
        }
        let document =
            Document::parse(text).map_err(|error| (error.pos().row as usize, error.to_string()))?;
        Self::program(document.root_element(), text).map_err(|(place, what)| (line(text, place), what))
    }

    /// The line of a byte, from 1.
    pub fn line(&self, place: u32) -> usize {
        line(self.text, place)
    }

    fn program(node: Node<'_, '_>, text: &'a str) -> Result<Self, ProgramFault> {
        if !node.has_tag_name("algo") {
            return Err((place(node), format!("expected `<algo>`, found `<{}>`", node.tag_name().name())));
        }
        let in_place = flag(node, "inplace")?;
        let bytes = |name: &str| node.attribute(name).map(|_| number(node, name)).transpose();
        Ok(Self {
            name: node.attribute("name").unwrap_or_default().to_owned(),
            collective: word(node, "coll")?.to_owned(),
            chans: number(node, "nchannels")?,
            chunks: number(node, "nchunksperloop")?,
            ranks: number(node, "ngpus")?,
            in_place,
            // Without this attribute, a program is for one of the two.
            out_of_place: if node.has_attribute("outofplace") {
                flag(node, "outofplace")?
            } else {
                !in_place
            },
            bytes: [bytes("minBytes")?, bytes("maxBytes")?],
            gpus: children(node, "gpu").map(gpu).collect::<Result<_, ProgramFault>>()?,
            text,
        })
    }
}

fn gpu(node: Node<'_, '_>) -> Result<MscclGpu, ProgramFault> {
    let sizes = [number(node, "i_chunks")?, number(node, "o_chunks")?, number(node, "s_chunks")?];
    let blocks = children(node, "tb").map(block).collect::<Result<_, ProgramFault>>()?;
    Ok(MscclGpu { place: place(node), id: number(node, "id")?, sizes, blocks })
}

fn block(node: Node<'_, '_>) -> Result<MscclBlock, ProgramFault> {
    let steps = children(node, "step").map(step).collect::<Result<_, ProgramFault>>()?;
    let [send, receive] = [optional(node, "send")?, optional(node, "recv")?];
    Ok(MscclBlock {
        place: place(node),
        id: number(node, "id")?,
        send,
        receive,
        chan: number(node, "chan")?,
        steps,
    })
}

fn step(node: Node<'_, '_>) -> Result<MscclStep, ProgramFault> {
    let name = word(node, "type")?;
    let kind = MscclKind::ALL.iter().find(|(known, _)| *known == name);
    let kind = kind
        .map(|(_, kind)| *kind)
        .ok_or_else(|| (place(node), format!("there is no step of type `{name}`")))?;
    let buffer = |name: &str| match word(node, name)? {
        "i" => Ok(0),
        "o" => Ok(1),
        "s" => Ok(2),
        other => Err((place(node), format!("`{name}` is `i`, `o` or `s`, not `{other}`"))),
    };
    let after = match (optional(node, "depid")?, optional(node, "deps")?) {
        (Some(block), Some(step)) => Some((block, step)),
        (None, _) => None,
        (Some(block), None) => {
            return Err((
                place(node),
                format!("`depid` is thread block {block}, but `deps` is not a step of it"),
            ));
        }
    };
    Ok(MscclStep {
        place: place(node),
        number: number(node, "s")?,
        kind,
        from: (buffer("srcbuf")?, number(node, "srcoff")?),
        to: (buffer("dstbuf")?, number(node, "dstoff")?),
        count: number(node, "cnt")?,
        after,
        awaited: flag(node, "hasdep")?,
    })
}

fn children<'n>(node: Node<'n, 'n>, name: &'static str) -> impl Iterator<Item = Node<'n, 'n>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn place(node: Node<'_, '_>) -> u32 {
    u32::try_from(node.range().start).unwrap_or(u32::MAX)
}

fn word<'n>(node: Node<'n, '_>, name: &str) -> Result<&'n str, ProgramFault> {
    node.attribute(name)
        .ok_or_else(|| (place(node), format!("`<{}>` lacks `{name}`", node.tag_name().name())))
}

fn number<T: std::str::FromStr>(node: Node<'_, '_>, name: &str) -> Result<T, ProgramFault> {
    let text = word(node, name)?;
    text.trim().parse().map_err(|_| {
        (
            place(node),
            format!("`{name}` of `<{}>` is `{text}`, which is not a number in range", node.tag_name().name()),
        )
    })
}

/// A number, or -1 for none.
fn optional(node: Node<'_, '_>, name: &str) -> Result<Option<u32>, ProgramFault> {
    if word(node, name)?.trim() == "-1" { Ok(None) } else { number(node, name).map(Some) }
}

fn flag(node: Node<'_, '_>, name: &str) -> Result<bool, ProgramFault> {
    match word(node, name)?.trim() {
        "0" => Ok(false),
        "1" => Ok(true),
        other => Err((place(node), format!("`{name}` is 0 or 1, not `{other}`"))),
    }
}

fn line(text: &str, place: u32) -> usize {
    1 + text.bytes().take(place as usize).filter(|byte| *byte == b'\n').count()
}
