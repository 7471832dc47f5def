//! Forwarding tables in about one byte per entry. A compiled pod keeps them in this form, which is also the
//! body of `fabc.tables.bin/1`.
//!
//! In: tables with sorted entries. Out: the same tables. An entry says little that is new: the destinations
//! ascend, and the rest of an entry, its input and its output, is one of a few hundred *actions*. So the
//! actions are listed once, the most frequent first, and an entry is the number of its action. Invariant:
//! `pack` and `unpack` are inverse for every sorted table.

use super::{ForwardingTables, Symmetry, TableEntry, TableKey};
use fabc_base::ids::NodeId;
use std::collections::BTreeSet;

/// (in port, in VC, out port, out VC): an entry without its destination.
pub type PackedAction = (i16, i8, u16, u8);

/// The tables of one scenario, packed.
///
/// All integers of the body are LEB128: seven bits a byte, the lowest first, the top bit set on all bytes but
/// the last. The body has, for every listed router, its node id. Then it has, for every destination 0, 1, ..,
/// the number of its entries and the number of the action of each entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackedTables {
    /// The name of the scenario: `nominal`, or what is dark.
    pub scenario: String,
    /// Number of virtual channels of the budget.
    pub vcs: u8,
    /// What routers look packets up by.
    pub key: TableKey,
    /// The symmetry that carries the tables. Trivial where every router is listed.
    pub symmetry: Symmetry,
    /// Every action that occurs, the most frequent first.
    pub actions: Vec<PackedAction>,
    /// The listed routers, back to back.
    pub body: Vec<u8>,
}

impl PackedTables {
    /// Packs tables whose entries are sorted.
    pub fn pack(tables: &ForwardingTables) -> Self {
        // Tables have many entries and few actions, so a look-up by index pays.
        let slots = ActionSlots::covering(tables.routers.iter().flatten());
        let mut seen: Vec<Option<(PackedAction, u64)>> = vec![None; slots.count()];
        for entry in tables.routers.iter().flatten() {
            seen[slots.slot(entry)].get_or_insert((action(entry), 0)).1 += 1;
        }
        let mut actions: Vec<(PackedAction, u64)> = seen.into_iter().flatten().collect();
        actions.sort_by_key(|&(action, count)| (std::cmp::Reverse(count), action));
        let actions: Vec<PackedAction> = actions.into_iter().map(|(action, _)| action).collect();
        let mut number = vec![0; slots.count()];
        for (action, number_of_action) in actions.iter().zip(0u32..) {
            number[slots.of_action(*action)] = number_of_action;
        }
        let mut body = Vec::new();
        for (node, entries) in tables.symmetry.canonical_nodes().zip(&tables.routers) {
            push_leb128(&mut body, node.0);
            let mut rest = &entries[..];
            for dst in 0..tables.symmetry.node_count() as u32 {
                let (to_destination, later) =
                    rest.split_at(rest.iter().take_while(|entry| entry.dst.0 == dst).count());
                push_leb128(&mut body, to_destination.len() as u32);
                to_destination.iter().for_each(|entry| push_leb128(&mut body, number[slots.slot(entry)]));
                rest = later;
            }
        }
        body.shrink_to_fit();
        Self {
            scenario: tables.scenario.clone(),
            vcs: tables.vcs,
            key: tables.key,
            symmetry: tables.symmetry.clone(),
            actions,
            body,
        }
    }

    /// The header of tables without their entries, for output about tables that a file holds already. It
    /// unpacks to an error.
    pub fn without_entries(tables: &ForwardingTables) -> Self {
        let ForwardingTables { scenario, vcs, key, symmetry, routers: _ } = tables;
        Self {
            scenario: scenario.clone(),
            vcs: *vcs,
            key: *key,
            symmetry: symmetry.clone(),
            actions: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Unpacks the tables.
    ///
    /// # Errors
    /// The first fault of the body, and its byte. Bodies from [`PackedTables::pack`] have no faults.
    pub fn unpack(&self) -> Result<ForwardingTables, String> {
        let mut position = 0;
        let mut routers = Vec::with_capacity(self.symmetry.class_count());
        for node in self.symmetry.canonical_nodes() {
            let listed_router = self.next(&mut position)?;
            if listed_router != node.0 {
                return Err(format!(
                    "byte {position} of the body: router {listed_router} stands where router {node} should"
                ));
            }
            let mut entries = Vec::new();
            for dst in (0..self.symmetry.node_count() as u32).map(NodeId) {
                for _ in 0..self.next(&mut position)? {
                    let number = self.next(&mut position)? as usize;
                    let Some(&(in_port, in_vc, out_port, out_vc)) = self.actions.get(number) else {
                        return Err(format!(
                            "byte {position} of the body: there is no action {number}, only {}",
                            self.actions.len()
                        ));
                    };
                    entries.push(TableEntry { dst, in_port, in_vc, out_port, out_vc });
                }
            }
            entries.shrink_to_fit();
            routers.push(entries);
        }
        if position != self.body.len() {
            return Err(format!("byte {position} of the body: nothing should follow the last router"));
        }
        Ok(ForwardingTables {
            scenario: self.scenario.clone(),
            vcs: self.vcs,
            key: self.key,
            symmetry: self.symmetry.clone(),
            routers,
        })
    }

    /// Unpacks tables that [`PackedTables::pack`] packed.
    ///
    /// # Panics
    /// The body is not from [`PackedTables::pack`].
    pub fn unpacked(&self) -> ForwardingTables {
        self.unpack().expect("tables that were packed can be unpacked")
    }

    /// Number of entries of all listed routers.
    pub fn listed_entries(&self) -> u64 {
        // Every byte that ends an integer ends a router id, a count or an entry.
        let integers = self.body.iter().filter(|byte| **byte < 0x80).count();
        let others = self.symmetry.class_count() * (1 + self.symmetry.node_count());
        integers.saturating_sub(others) as u64
    }

    fn next(&self, position: &mut usize) -> Result<u32, String> {
        let mut value = 0u32;
        for shift in (0..u32::BITS).step_by(7) {
            let Some(&byte) = self.body.get(*position) else {
                return Err(format!("byte {position} of the body: it ends too early"));
            };
            *position += 1;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(format!("byte {position} of the body: an integer of more than five bytes"))
    }
}

/// The most slots of a dense list. A pod needs some thousands. Wide routers keep a sorted list of their
/// actions instead.
const DENSE: usize = 1 << 20;

/// A number for every action of some tables: its index within the ranges of ports and virtual channels in
/// use, or in a sorted list.
struct ActionSlots {
    lowest: [i32; 4],
    /// Number of values that each part of an action may have.
    extent: [usize; 4],
    /// All actions, ascending, where the ranges are too wide for a slot each.
    listed: Option<Vec<PackedAction>>,
}

impl ActionSlots {
    fn covering<'e>(entries: impl Iterator<Item = &'e TableEntry> + Clone) -> Self {
        let (mut lowest, mut highest) = ([i32::MAX; 4], [i32::MIN; 4]);
        for entry in entries.clone() {
            for (part, value) in action_parts(action(entry)).into_iter().enumerate() {
                lowest[part] = lowest[part].min(value);
                highest[part] = highest[part].max(value);
            }
        }
        let extent: [usize; 4] = std::array::from_fn(|part| {
            usize::try_from(highest[part].saturating_sub(lowest[part]) + 1).unwrap_or(0)
        });
        let wide = extent.iter().fold(1, |slots: usize, &values| slots.saturating_mul(values)) > DENSE;
        let listed = wide.then(|| entries.map(action).collect::<BTreeSet<_>>().into_iter().collect());
        Self { lowest, extent, listed }
    }

    fn count(&self) -> usize {
        self.listed.as_ref().map_or_else(|| self.extent.iter().product(), Vec::len)
    }

    fn slot(&self, entry: &TableEntry) -> usize {
        self.of_action(action(entry))
    }

    fn of_action(&self, action: PackedAction) -> usize {
        if let Some(listed) = &self.listed {
            return listed.binary_search(&action).expect("all actions are listed");
        }
        let parts = action_parts(action);
        (0..4).fold(0, |slot, part| slot * self.extent[part] + (parts[part] - self.lowest[part]) as usize)
    }
}

fn action_parts(action: PackedAction) -> [i32; 4] {
    let (in_port, in_vc, out_port, out_vc) = action;
    [in_port.into(), in_vc.into(), out_port.into(), out_vc.into()]
}

fn action(entry: &TableEntry) -> PackedAction {
    (entry.in_port, entry.in_vc, entry.out_port, entry.out_vc)
}

fn push_leb128(body: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        body.push(value as u8 | 0x80);
        value >>= 7;
    }
    body.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tables(routers: Vec<Vec<(u32, PackedAction)>>) -> ForwardingTables {
        let entry = |(dst, (in_port, in_vc, out_port, out_vc))| TableEntry {
            dst: NodeId(dst),
            in_port,
            in_vc,
            out_port,
            out_vc,
        };
        let symmetry = Symmetry::trivial(routers.len() as u32, 1);
        let routers = routers.into_iter().map(|entries| entries.into_iter().map(entry).collect()).collect();
        ForwardingTables { scenario: "X[0,0]".to_owned(), vcs: 2, key: TableKey::DstInput, symmetry, routers }
    }

    #[test]
    fn two_routers_by_hand() {
        let inject = (-1, -1, 0, 0);
        let pass = (1, 0, 0, 1);
        let packed = PackedTables::pack(&tables(vec![vec![(1, inject), (1, pass)], vec![(0, inject)]]));
        assert_eq!(packed.actions, [inject, pass], "the most frequent first");
        assert_eq!(packed.body, [0, 0, 2, 0, 1, 1, 1, 0, 0]);
        assert_eq!(packed.listed_entries(), 3);
    }

    #[test]
    fn no_entries_have_no_actions() {
        let packed = PackedTables::pack(&tables(vec![Vec::new(), Vec::new()]));
        assert_eq!(
            (packed.actions.len(), &packed.body[..], packed.listed_entries()),
            (0, &[0, 0, 0, 1, 0, 0][..], 0)
        );
    }

    #[test]
    fn damage_is_named_by_its_byte() {
        let good = PackedTables::pack(&tables(vec![vec![(1, (-1, -1, 0, 0))], vec![]]));
        let damaged =
            |body: &[u8]| PackedTables { body: body.to_vec(), ..good.clone() }.unpack().unwrap_err();
        assert!(good.unpack().is_ok());
        assert_eq!(
            PackedTables::without_entries(&good.unpack().unwrap()),
            PackedTables { actions: vec![], body: vec![], ..good.clone() }
        );
        assert_eq!(damaged(&good.body[..3]), "byte 3 of the body: it ends too early");
        assert_eq!(damaged(&[0, 0, 1, 7, 1, 0, 0]), "byte 4 of the body: there is no action 7, only 1");
        assert_eq!(damaged(&[1]), "byte 1 of the body: router 1 stands where router 0 should");
        assert_eq!(
            damaged(&[&good.body[..], &[0]].concat()),
            "byte 7 of the body: nothing should follow the last router"
        );
        assert_eq!(damaged(&[0x80; 6]), "byte 5 of the body: an integer of more than five bytes");
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_out_again(
            // The ports of a pod, and of wide routers.
            routers in prop_oneof![Just(6u16), Just(600)].prop_flat_map(|ports| {
                let action = (-1..ports as i16, -1i8..40, 0..ports, 0u8..40);
                prop::collection::vec(prop::collection::btree_set((0u32..3, action), 0..300), 3..4)
            })
        ) {
            let tables = tables(routers.into_iter().map(|entries| entries.into_iter().collect()).collect());
            let packed = PackedTables::pack(&tables);
            prop_assert_eq!(packed.listed_entries() as usize, tables.routers.iter().map(Vec::len).sum::<usize>());
            prop_assert_eq!(packed.unpack().unwrap().routers, tables.routers);
        }
    }
}
