//! The messages of a file, each after its length as a varint.

use crate::errors::TraceError;
use prost::Message;
use prost::encoding::decode_varint;

/// The messages of a file, one after the other.
pub(crate) struct MessageReader<'a> {
    /// The rank of the file, for errors.
    rank: u32,
    bytes: &'a [u8],
    /// The offset of the next message.
    offset: usize,
}

impl<'a> MessageReader<'a> {
    pub(crate) fn new(rank: u32, bytes: &'a [u8]) -> Self {
        Self { rank, bytes, offset: 0 }
    }

    /// Decodes the next message. `None` at the end of the file.
    ///
    /// # Errors
    /// A message that is cut off, or is not of this type, with the offset of its length.
    pub(crate) fn next<M: Message + Default>(&mut self) -> Result<Option<M>, TraceError> {
        let rest = &self.bytes[self.offset..];
        if rest.is_empty() {
            return Ok(None);
        }
        let (rank, offset) = (self.rank, self.offset as u64);
        let mut body = rest;
        let length = decode_varint(&mut body).map_err(|_| TraceError::Truncated {
            rank,
            offset,
            wanted: None,
            left: rest.len() as u64,
        })?;
        let left = body.len() as u64;
        if length > left {
            return Err(TraceError::Truncated { rank, offset, wanted: Some(length), left });
        }
        let (message, after) = body.split_at(length as usize);
        self.offset = self.bytes.len() - after.len();
        let decoded = M::decode(message);
        decoded.map(Some).map_err(|reason| TraceError::Garbled { rank, offset, reason: reason.to_string() })
    }
}
