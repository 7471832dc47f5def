//! Addresses of a network whose switches route by IP: prefixes, and how they are cut.
//!
//! A spec declares three prefixes and the first number of an autonomous system (AS). [`AddressPlan`] cuts the
//! prefixes: a /32 for every switch, a /31 for every link, and one prefix for the hosts of every leaf. A leaf
//! is a switch with hosts.

use fabc_base::diag::Span;
use std::fmt;
use thiserror::Error;

/// Addresses of a leaf prefix that no host has: the network itself, the gateway and broadcast.
pub const LEAF_OVERHEAD: u64 = 3;

/// The first private AS number of two octets, and the last one.
pub const TWO_OCTET_AS: [u32; 2] = [64_512, 65_534];

/// The first private AS number of four octets, and the last one.
pub const FOUR_OCTET_AS: [u32; 2] = [4_200_000_000, 4_294_967_294];

/// A block of IPv4 addresses, such as `10.0.0.0/8`. No bit after the first `length` ones is set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Prefix {
    /// The first address, as a number of 32 bits.
    pub first: u32,
    /// Number of leading bits that all addresses share, 0..=32.
    pub length: u8,
}

/// The reason why a text is no prefix.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PrefixError {
    /// The text before the `/` is no IPv4 address.
    #[error("an IPv4 address has four numbers from 0 to 255")]
    Address,
    /// The text has no `/` and no length behind it.
    #[error("the length is missing")]
    NoLength,
    /// The length is no number up to 32.
    #[error("the length of a prefix is at most 32")]
    Length,
    /// Bits after the length are set. The prefix is the one without them.
    #[error("an address bit after the first {} is set", .0.length)]
    HostBits(Prefix),
    /// Some of its addresses can be those of no switch or host.
    #[error("it has addresses of {0}, which no switch or host can have")]
    NotUnicast(Prefix),
}

/// Prefixes whose addresses no interface can have: this network, loopback, multicast and reserved ones.
const NOT_UNICAST: [Prefix; 3] = [
    Prefix { first: 0, length: 8 },
    Prefix { first: 0x7f00_0000, length: 8 },
    Prefix { first: 0xe000_0000, length: 3 },
];

impl Prefix {
    /// Reads a prefix such as `10.0.0.0/8`.
    ///
    /// # Errors
    /// The first thing that is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, PrefixError> {
        let (address, length) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let address: std::net::Ipv4Addr = address.parse().map_err(|_| PrefixError::Address)?;
        let length: u8 = length.ok_or(PrefixError::NoLength)?.parse().map_err(|_| PrefixError::Length)?;
        if length > 32 {
            return Err(PrefixError::Length);
        }
        let first = u32::from(address);
        let prefix = Self::containing(first, length);
        if prefix.first != first {
            return Err(PrefixError::HostBits(prefix));
        }
        match NOT_UNICAST.into_iter().find(|reserved| reserved.shares_addresses(prefix)) {
            Some(reserved) => Err(PrefixError::NotUnicast(reserved)),
            None => Ok(prefix),
        }
    }

    /// Whether two prefixes have an address in common.
    fn shares_addresses(self, other: Self) -> bool {
        let length = self.length.min(other.length);
        Self::containing(self.first, length) == Self::containing(other.first, length)
    }

    /// The prefix of this length that an address lies in.
    pub fn containing(address: u32, length: u8) -> Self {
        let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
        Self { first: address & mask, length }
    }

    /// Number of addresses, a power of two.
    pub fn size(self) -> u64 {
        1 << (32 - u32::from(self.length))
    }

    /// The address at a position, counted from 0.
    ///
    /// # Panics
    /// If the prefix has fewer addresses.
    pub fn address(self, position: u64) -> u32 {
        assert!(position < self.size(), "{self} has no address {position}");
        self.first + position as u32
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", address_text(self.first), self.length)
    }
}

/// The dotted form of an address.
pub fn address_text(address: u32) -> String {
    std::net::Ipv4Addr::from(address).to_string()
}

/// The addresses that a spec declares: `addresses { .. }`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// The prefix of the addresses of the switches themselves.
    pub loopbacks: Prefix,
    /// The prefix of the ends of links. `None` where links are unnumbered.
    pub links: Option<Prefix>,
    /// The prefix of the hosts.
    pub hosts: Prefix,
    /// The first AS number where those of two octets do not suffice.
    pub first_as: u32,
    /// The place of the item in the spec, or of the fabric without one.
    pub span: Span,
}

impl Addresses {
    /// The addresses of a spec that declares none.
    pub fn default_at(span: Span) -> Self {
        Self {
            loopbacks: Prefix::containing(0x0aff_0000, 16),
            links: Some(Prefix::containing(0xac10_0000, 12)),
            hosts: Prefix::containing(0x0a00_0000, 8),
            first_as: FOUR_OCTET_AS[0],
            span,
        }
    }
}

/// What a network needs addresses for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressCounts {
    /// Number of switches, each of which has a loopback.
    pub switches: u64,
    /// Number of links between switches.
    pub links: u64,
    /// Number of leaves, which are the switches with hosts.
    pub leaves: u64,
    /// Hosts of the leaf that has most of them.
    pub most_hosts: u64,
}

impl AddressCounts {
    /// Counts the leaves. `hosts` has the hosts of every switch.
    pub fn new(hosts: &[u16], links: u64) -> Self {
        Self {
            switches: hosts.len() as u64,
            links,
            leaves: hosts.iter().filter(|&&hosts| hosts > 0).count() as u64,
            most_hosts: hosts.iter().copied().max().unwrap_or(0).into(),
        }
    }
}

/// The reason why declared addresses do not serve a network.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum AddressShortage {
    /// A prefix is too small.
    #[error("`{pool}` has {size} addresses, but {arithmetic} = {needed}")]
    TooFew {
        /// The setting with the prefix.
        pool: &'static str,
        /// Number of addresses in the prefix.
        size: u64,
        /// Number of addresses that the network needs.
        needed: u64,
        /// What they are needed for.
        arithmetic: String,
    },
    /// There are not enough AS numbers.
    #[error("`as` leaves {numbers} numbers up to {}, but {switches} switches may need as many", FOUR_OCTET_AS[1])]
    TooFewNumbers {
        /// Number of AS numbers from the first one on.
        numbers: u64,
        /// Number of switches, each of which may need one.
        switches: u64,
    },
    /// Two prefixes would both give out some address.
    #[error("`{}` uses {}, and `{}` uses {}", .0.pool, .0, .1.pool, .1)]
    Overlap(UsedRange, UsedRange),
}

/// The addresses of a prefix that are in use. They are the first ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UsedRange {
    /// The setting with the prefix.
    pub pool: &'static str,
    /// The first address in use.
    pub first: u32,
    /// The last address in use.
    pub last: u32,
}

impl fmt::Display for UsedRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} to {}", address_text(self.first), address_text(self.last))
    }
}

/// The addresses of every switch, link and leaf of one network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressPlan {
    addresses: Addresses,
    /// Length of the prefix of every leaf.
    leaf_length: u8,
}

impl AddressPlan {
    /// Cuts the prefixes for a network.
    ///
    /// # Errors
    /// The first prefix that is too small, too few AS numbers, or two prefixes whose used parts overlap.
    pub fn new(addresses: Addresses, counts: AddressCounts) -> Result<Self, AddressShortage> {
        let AddressCounts { switches, links, leaves, most_hosts } = counts;
        let leaf_size = (most_hosts + LEAF_OVERHEAD).next_power_of_two();
        let leaf_length = 32 - leaf_size.trailing_zeros() as u8;
        let counted = |count: u64, word: &str, words: &str| match count {
            1 => format!("1 {word}"),
            _ => format!("{count} {words}"),
        };
        let of_leaves = format!(
            "{} x {leaf_size} (a power of two of at least {} + {LEAF_OVERHEAD}: gateway, network, broadcast)",
            counted(leaves, "leaf", "leaves"),
            counted(most_hosts, "host", "hosts"),
        );
        let of_links = addresses.links.map(|links_prefix| {
            ("links", links_prefix, 2 * links, format!("{} x 2", counted(links, "link", "links")))
        });
        let pools = [
            Some(("loopbacks", addresses.loopbacks, switches, counted(switches, "switch", "switches"))),
            of_links,
            Some(("hosts", addresses.hosts, leaves * leaf_size, of_leaves)),
        ];
        let mut used: Vec<UsedRange> = Vec::new();
        for (pool, prefix, needed, arithmetic) in pools.into_iter().flatten() {
            let size = prefix.size();
            if needed > size {
                return Err(AddressShortage::TooFew { pool, size, needed, arithmetic });
            }
            let Some(last) = needed.checked_sub(1).map(|last| prefix.address(last)) else { continue };
            let range = UsedRange { pool, first: prefix.first, last };
            let overlaps = |other: &&UsedRange| other.first <= range.last && range.first <= other.last;
            if let Some(other) = used.iter().find(overlaps) {
                return Err(AddressShortage::Overlap(*other, range));
            }
            used.push(range);
        }
        let numbers = u64::from(FOUR_OCTET_AS[1] - addresses.first_as) + 1;
        if numbers < switches {
            return Err(AddressShortage::TooFewNumbers { numbers, switches });
        }
        Ok(Self { addresses, leaf_length })
    }

    /// The address of a switch itself.
    pub fn loopback(&self, switch: u64) -> u32 {
        self.addresses.loopbacks.address(switch)
    }

    /// The addresses of the lower and of the upper end of a link. `None` where links are unnumbered.
    pub fn link_ends(&self, link: u64) -> Option<[u32; 2]> {
        self.addresses.links.map(|prefix| [prefix.address(2 * link), prefix.address(2 * link + 1)])
    }

    /// The prefix of the hosts of a leaf. Leaves are counted from 0, in the order of their ids.
    pub fn leaf_prefix(&self, leaf: u64) -> Prefix {
        let size = 1u64 << (32 - u32::from(self.leaf_length));
        Prefix { first: self.addresses.hosts.address(leaf * size), length: self.leaf_length }
    }

    /// The first number of the AS numbers of a network that needs so many.
    pub fn first_as(&self, count: u64) -> u32 {
        let [first, last] = TWO_OCTET_AS;
        if count <= u64::from(last - first) + 1 { first } else { self.addresses.first_as }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(change: impl FnOnce(&mut Addresses), counts: AddressCounts) -> Result<AddressPlan, String> {
        let mut addresses = Addresses::default_at(Span::default());
        change(&mut addresses);
        AddressPlan::new(addresses, counts).map_err(|shortage| shortage.to_string())
    }

    /// A fat tree of 8 ports.
    const FAT_TREE_8: AddressCounts = AddressCounts { switches: 80, links: 256, leaves: 32, most_hosts: 4 };

    #[test]
    fn prefixes_are_cut_in_order() {
        let plan = plan(|_| (), FAT_TREE_8).expect("the defaults suffice");
        assert_eq!(address_text(plan.loopback(79)), "10.255.0.79");
        assert_eq!(
            plan.link_ends(255).map(|ends| ends.map(address_text)),
            Some(["172.16.1.254", "172.16.1.255"].map(str::to_owned))
        );
        // 4 hosts and 3 more addresses fit into 8.
        assert_eq!(plan.leaf_prefix(31).to_string(), "10.0.0.248/29");
        assert_eq!((plan.first_as(1023), plan.first_as(1024)), (64_512, 4_200_000_000));
    }

    #[test]
    fn shortages_come_with_arithmetic() {
        let small = |text: &str| Prefix::parse(text).expect("a prefix");
        assert_eq!(
            plan(|addresses| addresses.hosts = small("10.0.0.0/25"), FAT_TREE_8),
            Err("`hosts` has 128 addresses, but 32 leaves x 8 (a power of two of at least 4 hosts + 3: gateway, network, broadcast) = 256".to_owned())
        );
        assert_eq!(
            plan(|addresses| addresses.links = Some(small("10.0.0.192/26")), FAT_TREE_8),
            Err("`links` has 64 addresses, but 256 links x 2 = 512".to_owned())
        );
        assert_eq!(
            plan(|addresses| addresses.loopbacks = small("10.0.0.128/25"), FAT_TREE_8),
            Err("`loopbacks` uses 10.0.0.128 to 10.0.0.207, and `hosts` uses 10.0.0.0 to 10.0.0.255"
                .to_owned())
        );
        assert_eq!(
            plan(|addresses| addresses.first_as = FOUR_OCTET_AS[1] - 3, FAT_TREE_8),
            Err("`as` leaves 4 numbers up to 4294967294, but 80 switches may need as many".to_owned())
        );
        // A prefix of which the other one uses nothing may lie inside it.
        assert!(plan(|addresses| addresses.loopbacks = small("10.0.1.0/24"), FAT_TREE_8).is_ok());
    }

    #[test]
    fn what_is_no_prefix_says_why() {
        assert_eq!(
            Prefix::parse("10.255.0.0/16").map(|prefix| prefix.to_string()),
            Ok("10.255.0.0/16".to_owned())
        );
        assert_eq!(Prefix::parse("10.255.0.0"), Err(PrefixError::NoLength));
        assert_eq!(Prefix::parse("10.255.0/16"), Err(PrefixError::Address));
        assert_eq!(Prefix::parse("10.0.0.0/33"), Err(PrefixError::Length));
        assert_eq!(Prefix::containing(0, 0).size(), 1 << 32);
        for (text, reserved) in [("0.0.0.0/0", 0), ("127.1.0.0/16", 1), ("192.0.0.0/2", 2)] {
            assert_eq!(Prefix::parse(text), Err(PrefixError::NotUnicast(NOT_UNICAST[reserved])));
        }
        assert!(Prefix::parse("128.0.0.0/2").is_ok());
        assert_eq!(
            Prefix::parse("172.16.0.1/12"),
            Err(PrefixError::HostBits(Prefix { first: 0xac10_0000, length: 12 }))
        );
    }
}
