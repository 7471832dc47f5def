//! The attributes of nodes: integers of any width, and strings of numbers.

use crate::errors::TraceError;
use crate::messages::{AttributeValue, Node};

impl Node {
    fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes.iter().find(|attribute| attribute.name == name)?.value.as_ref()
    }

    /// The text of an attribute. Numbers are written out.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        match self.attribute(name)? {
            AttributeValue::Text(text) => Some(text.trim().to_owned()),
            value => value.integer().map(|number| number.to_string()),
        }
    }

    /// Whether an attribute is there and not zero.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.attribute(name).and_then(AttributeValue::integer).is_some_and(|number| number != 0)
    }

    /// An attribute that counts something. `None` if it is absent.
    ///
    /// # Errors
    /// A value that is no whole number, or negative.
    pub(crate) fn count(&self, rank: u32, name: &'static str) -> Result<Option<u64>, TraceError> {
        let Some(value) = self.attribute(name) else { return Ok(None) };
        let number = value.integer().and_then(|number| u64::try_from(number).ok());
        number.map(Some).ok_or(TraceError::NoNumber { rank, node: self.id, attribute: name })
    }

    /// An attribute that must be there.
    ///
    /// # Errors
    /// The attribute is absent, or no whole number.
    pub(crate) fn needed(&self, rank: u32, name: &'static str) -> Result<u64, TraceError> {
        let absent = TraceError::NoAttribute { rank, node: self.id, attribute: name };
        self.count(rank, name)?.ok_or(absent)
    }
}

impl AttributeValue {
    /// The value as a whole number. `None` if it is none.
    fn integer(&self) -> Option<i128> {
        let whole = |number: f64| (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i128);
        match self {
            AttributeValue::Double(number) => whole(*number),
            AttributeValue::Float(number) => whole(f64::from(*number)),
            AttributeValue::Int32(number)
            | AttributeValue::Sint32(number)
            | AttributeValue::Sfixed32(number) => Some((*number).into()),
            AttributeValue::Int64(number)
            | AttributeValue::Sint64(number)
            | AttributeValue::Sfixed64(number) => Some((*number).into()),
            AttributeValue::Uint32(number) | AttributeValue::Fixed32(number) => Some((*number).into()),
            AttributeValue::Uint64(number) | AttributeValue::Fixed64(number) => Some((*number).into()),
            AttributeValue::Bool(is_true) => Some((*is_true).into()),
            AttributeValue::Text(text) => text.trim().parse().ok(),
        }
    }
}
