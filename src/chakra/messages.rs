//! The messages of a trace: the parts of the schema `et_def.proto` of MLCommons Chakra 1.0 that are read.
//! Fields that are not listed are skipped.

use prost::{Message, Oneof};

/// The first message of a trace. Its attributes are not used.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct GlobalMetadata {
    #[prost(string, tag = "1")]
    pub(crate) version: String,
}

/// A node of a trace.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Node {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(int32, tag = "3")]
    pub(crate) kind: i32,
    #[prost(uint64, repeated, tag = "4")]
    pub(crate) ctrl_deps: Vec<u64>,
    #[prost(uint64, repeated, tag = "5")]
    pub(crate) data_deps: Vec<u64>,
    #[prost(uint64, tag = "7")]
    pub(crate) duration_micros: u64,
    #[prost(message, optional, tag = "8")]
    pub(crate) inputs: Option<InputValues>,
    #[prost(message, repeated, tag = "10")]
    pub(crate) attributes: Vec<Attribute>,
}

/// The inputs of a node.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct InputValues {
    #[prost(string, tag = "1")]
    pub(crate) values: String,
}

/// A named value of a node.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Attribute {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(oneof = "AttributeValue", tags = "3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29")]
    pub(crate) value: Option<AttributeValue>,
}

/// The value of an attribute. Lists are skipped.
#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum AttributeValue {
    #[prost(double, tag = "3")]
    Double(f64),
    #[prost(float, tag = "5")]
    Float(f32),
    #[prost(int32, tag = "7")]
    Int32(i32),
    #[prost(int64, tag = "9")]
    Int64(i64),
    #[prost(uint32, tag = "11")]
    Uint32(u32),
    #[prost(uint64, tag = "13")]
    Uint64(u64),
    #[prost(sint32, tag = "15")]
    Sint32(i32),
    #[prost(sint64, tag = "17")]
    Sint64(i64),
    #[prost(fixed32, tag = "19")]
    Fixed32(u32),
    #[prost(fixed64, tag = "21")]
    Fixed64(u64),
    #[prost(sfixed32, tag = "23")]
    Sfixed32(i32),
    #[prost(sfixed64, tag = "25")]
    Sfixed64(i64),
    #[prost(bool, tag = "27")]
    Bool(bool),
    #[prost(string, tag = "29")]
    Text(String),
}

/// The numbers of the types of nodes that are read.
pub(crate) mod node_kind {
    pub(crate) const METADATA: i32 = 1;
    pub(crate) const COMP: i32 = 4;
    pub(crate) const SEND: i32 = 5;
    pub(crate) const RECV: i32 = 6;
    pub(crate) const COLLECTIVE: i32 = 7;
    /// The largest number of a type.
    pub(crate) const LAST: i32 = COLLECTIVE;
}
