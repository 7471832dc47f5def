//! MSCCL XML: a collective as a program for the thread blocks of GPUs. Whatever other tags and attributes
//! there are is skipped, as the runtimes do.

use fabc_base::limits::{XML_ATTRIBUTES, crowded_element};
use roxmltree::{Document, Node};

/// The file.
pub struct MscclProgram<'a> {
    pub name: String,
    pub collective: String,
    /// Numbers that connections may have.
    pub chans: u32,
    /// Chunks of a loop.
    pub chunks: u32,
    /// GPUs, as the file says.
    pub ranks: u32,
    pub in_place: bool,
    pub out_of_place: bool,
    /// Sizes for which it is, where the file says so.
    pub bytes: [Option<u64>; 2],
    pub gpus: Vec<MscclGpu>,
    text: &'a str,
}

/// A GPU.
pub struct MscclGpu {
    pub place: u32,
    pub id: u32,
    /// Chunks of input, output and scratch.
    pub sizes: [u32; 3],
    pub blocks: Vec<MscclBlock>,
}

/// A thread block.
pub struct MscclBlock {
    pub place: u32,
    pub id: u32,
    pub send: Option<u32>,
    pub receive: Option<u32>,
    /// Negative where it has none.
    pub chan: i64,
    pub steps: Vec<MscclStep>,
}

/// A step.
pub struct MscclStep {
    pub place: u32,
    pub number: u32,
    pub kind: MscclKind,
    /// Buffer (input, output, scratch: 0 to 2) and offset.
    pub from: (u8, i64),
    pub to: (u8, i64),
    pub count: u32,
    /// Thread block and step that it waits for.
    pub after: Option<(u32, u32)>,
    /// Whether others may wait for it.
    pub awaited: bool,
}

/// What a step does.
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

    /// As it is written.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
    /// Whether it sends.
    pub fn sends(self) -> bool {
        use MscclKind::{ReceiveCopySend, ReceiveReduceCopySend, ReceiveReduceSend, Send};
        matches!(self, Send | ReceiveCopySend | ReceiveReduceSend | ReceiveReduceCopySend)
    }
    /// Whether it receives.
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

/// Where a file is not what its format says: byte, and what is wrong.
type Fault = (u32, String);

impl<'a> MscclProgram<'a> {
    /// Reads a file.
    ///
    /// # Errors
    /// The line, from 1, and what is wrong there.
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

    /// The line of a place, from 1.
    pub fn line(&self, place: u32) -> usize {
        line(self.text, place)
    }

    fn program(node: Node<'_, '_>, text: &'a str) -> Result<Self, Fault> {
        if !node.has_tag_name("algo") {
            return Err((
                place(node),
                format!("expected `<algo>`, and `<{}>` stands there", node.tag_name().name()),
            ));
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
            // Without a word a program is for one of the two.
            out_of_place: if node.has_attribute("outofplace") {
                flag(node, "outofplace")?
            } else {
                !in_place
            },
            bytes: [bytes("minBytes")?, bytes("maxBytes")?],
            gpus: children(node, "gpu").map(gpu).collect::<Result<_, Fault>>()?,
            text,
        })
    }
}

fn gpu(node: Node<'_, '_>) -> Result<MscclGpu, Fault> {
    let sizes = [number(node, "i_chunks")?, number(node, "o_chunks")?, number(node, "s_chunks")?];
    let blocks = children(node, "tb").map(block).collect::<Result<_, Fault>>()?;
    Ok(MscclGpu { place: place(node), id: number(node, "id")?, sizes, blocks })
}

fn block(node: Node<'_, '_>) -> Result<MscclBlock, Fault> {
    let steps = children(node, "step").map(step).collect::<Result<_, Fault>>()?;
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

fn step(node: Node<'_, '_>) -> Result<MscclStep, Fault> {
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
                format!("`depid` is thread block {block}, but `deps` is no step of it"),
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

fn word<'n>(node: Node<'n, '_>, name: &str) -> Result<&'n str, Fault> {
    node.attribute(name)
        .ok_or_else(|| (place(node), format!("`<{}>` lacks `{name}`", node.tag_name().name())))
}

fn number<T: std::str::FromStr>(node: Node<'_, '_>, name: &str) -> Result<T, Fault> {
    let text = word(node, name)?;
    text.trim().parse().map_err(|_| {
        (
            place(node),
            format!("`{name}` of `<{}>` is `{text}`, which is no number that fits", node.tag_name().name()),
        )
    })
}

/// A number, or -1 for none.
fn optional(node: Node<'_, '_>, name: &str) -> Result<Option<u32>, Fault> {
    if word(node, name)?.trim() == "-1" { Ok(None) } else { number(node, name).map(Some) }
}

fn flag(node: Node<'_, '_>, name: &str) -> Result<bool, Fault> {
    match word(node, name)?.trim() {
        "0" => Ok(false),
        "1" => Ok(true),
        other => Err((place(node), format!("`{name}` is 0 or 1, not `{other}`"))),
    }
}

fn line(text: &str, place: u32) -> usize {
    1 + text.bytes().take(place as usize).filter(|byte| *byte == b'\n').count()
}
