//! Dense typed ids and the vectors they index.
//!
//! In: nothing. Out: one newtype per kind of thing, so that a node can never be used where a link is meant.
//! Invariant: ids of one kind are `0..len` of the [`IdVec`] that owns the things.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense index of one kind of thing.
pub trait Id: Copy + Ord + fmt::Debug {
    /// The id with this index.
    fn new(index: usize) -> Self;
    /// The index of this id.
    fn index(self) -> usize;
}

macro_rules! define_id {
    ($($(#[$doc:meta])* $name:ident($int:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize))]
        pub struct $name(pub $int);

        impl Id for $name {
            #[inline]
            fn new(index: usize) -> Self {
                debug_assert!(<$int>::try_from(index).is_ok(), concat!(stringify!($name), " out of range"));
                Self(index as $int)
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

define_id! {
    /// A router, with its hosts. In a pod its number is `cube * chips_per_cube + x + ax*y + ax*ay*z`.
    NodeId(u32);
    /// A port of a router. In a pod it is the same at every router: `+x -x +y -y +z -z` are 0..6.
    PortId(u16);
    /// A cable or fiber pair: two channels, or one if it is simplex.
    LinkId(u32);
    /// One direction of a link. Channels are numbered link by link: first from its end `a` to its end `b`,
    /// then back. A simplex link has the first alone. [`Topology`](crate::Topology) maps channels to links.
    ChannelId(u32);
    /// A class of channels under a symmetry. Without symmetry every channel is its own class.
    ChannelClass(u32);
    /// A virtual channel of a channel, 0..vcs.
    Vc(u8);
    /// A block of routers that symmetries move as a whole: a cube of a pod, a group of a dragonfly.
    BlockId(u32);
    /// An optical circuit switch of a pod.
    OcsId(u32);
    /// A declared group of OCSes (one `ocs` item of the spec).
    OcsGroupId(u32);
    /// A declared kind of link (one `link` item of the spec).
    LinkTypeId(u32);
}

/// A vector indexed by one kind of id.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    kind: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// A vector without any item.
    pub fn new() -> Self {
        Self::from(Vec::new())
    }
    /// A vector with `len` copies of `item`.
    pub fn filled(item: T, len: usize) -> Self
    where
        T: Clone,
    {
        Self::from(vec![item; len])
    }
    /// Appends an item and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }
    /// The number of items in it.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The item, or `None` where the id is out of range.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// The items in id order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// All ids, in ascending order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }
    /// Ids and items in order.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, item)| (I::new(index), item))
    }
    /// The items as a plain slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, kind: PhantomData }
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        Self::from(iter.into_iter().collect::<Vec<_>>())
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}
