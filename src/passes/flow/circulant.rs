//! Channels as steps around a ring of nodes: a large topology in a few lines that fit the nearest cache.
//!
//! Input: the channels at every node. Output: the same by position, if the symmetry turns the ring. Then
//! node v looks like node v modulo the period, and a channel leads to v + step modulo the number of nodes.
//! This holds if all cubes of a pod are interchangeable by number.
//!
//! A search examines every channel of a topology, node after node. For 65,536 chips the channels take 8 MB
//! as a list, and 6 kB as steps.

/// The channels out of the nodes or into them, as steps.
#[derive(Debug)]
pub(super) struct Circulant {
    nodes: u32,
    period: u32,
    /// `steps[starts[p]..starts[p + 1]]`: the step and class of each channel of position p, in the order of
    /// the list.
    starts: Vec<u32>,
    steps: Vec<(u32, u32)>,
}

impl Circulant {
    /// The steps, or `None` if the channels are not the same all around the ring. `list` yields the node and
    /// class at the other end of every channel, those of node v at `starts[v]..starts[v + 1]`.
    pub(super) fn new(
        starts: &[u32],
        period: usize,
        list: impl ExactSizeIterator<Item = (u32, u32)>,
    ) -> Option<Self> {
        let nodes = starts.len() - 1;
        if period == 0 || period == nodes {
            return None;
        }
        let mut steps: Vec<(u32, u32)> = Vec::with_capacity(starts[period] as usize);
        let (mut list, count) = (list, nodes as u32);
        for node in 0..nodes {
            let range = |node: usize| starts[node] as usize..starts[node + 1] as usize;
            let (channels, pattern) = (range(node), range(node % period));
            if channels.len() != pattern.len() {
                return None;
            }
            for index in pattern {
                let (far_node, class) = list.next()?;
                let step = ((far_node + count - node as u32) % count, class);
                if node < period {
                    steps.push(step);
                } else if steps[index] != step {
                    return None;
                }
            }
        }
        Some(Self { nodes: count, period: period as u32, starts: starts[..=period].to_vec(), steps })
    }

    /// The nodes at the other ends of the channels of a node, and the classes of the channels.
    pub(super) fn neighbors_of(&self, node: u32) -> impl Iterator<Item = (u32, u32)> {
        let position = (node % self.period) as usize;
        let steps = &self.steps[self.starts[position] as usize..self.starts[position + 1] as usize];
        steps.iter().map(move |&(step, class)| {
            let neighbor = node + step;
            (if neighbor < self.nodes { neighbor } else { neighbor - self.nodes }, class)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six nodes in two positions. Nodes 0, 2 and 4 lead one and three ahead, the others one back.
    fn list() -> (Vec<u32>, Vec<(u32, u32)>) {
        let channels_of = |node: u32| {
            if node.is_multiple_of(2) {
                vec![((node + 1) % 6, 7), ((node + 3) % 6, 8)]
            } else {
                vec![(node - 1, 9)]
            }
        };
        let starts = (0..=6)
            .scan(0, |at, node| Some(std::mem::replace(at, *at + channels_of(node).len() as u32)))
            .collect();
        (starts, (0..6).flat_map(channels_of).collect())
    }

    #[test]
    fn a_circle_tells_what_the_list_told() {
        let (starts, list) = list();
        let circulant = Circulant::new(&starts, 2, list.iter().copied()).unwrap();
        let neighbors: Vec<(u32, u32)> = (0..6).flat_map(|node| circulant.neighbors_of(node)).collect();
        assert_eq!(neighbors, list);
        assert_eq!(circulant.steps.len(), 3);
    }

    #[test]
    fn what_is_no_circle_stays_a_list() {
        let (starts, list) = list();
        for at in 0..list.len() {
            for other in [((list[at].0 + 1) % 6, list[at].1), (list[at].0, 5)] {
                let mut list = list.clone();
                list[at] = other;
                assert!(Circulant::new(&starts, 2, list.into_iter()).is_none(), "{at}");
            }
        }
        assert!(Circulant::new(&starts, 6, list.iter().copied()).is_none());
        assert!(Circulant::new(&starts, 3, list.into_iter()).is_none());
    }
}
