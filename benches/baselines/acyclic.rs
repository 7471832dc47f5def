//! A channel dependency graph that stays free of cycles: dependencies are added one by one, and refused where
//! they would close one.

use crate::graph::Graph;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Unknown,
    Used,
    Refused,
}

/// Dependencies between the channels of one layer.
pub(crate) struct Acyclic {
    ports: usize,
    /// `[channel * ports + output port of its head]`
    turns: Vec<Turn>,
    seen: Vec<u32>,
    stamp: u32,
}

impl Acyclic {
    pub(crate) fn new(graph: &Graph) -> Self {
        let turns = vec![Turn::Unknown; graph.channels() * graph.ports];
        Self { ports: graph.ports, turns, seen: vec![0; graph.channels()], stamp: 0 }
    }

    fn turn(&self, from: u32, to: u32) -> usize {
        from as usize * self.ports + to as usize % self.ports
    }

    /// Adds all dependencies of a path, or none.
    pub(crate) fn add_path(&mut self, graph: &Graph, path: &[u32]) -> bool {
        let mut added: Vec<usize> = Vec::new();
        for pair in path.windows(2) {
            let turn = self.turn(pair[0], pair[1]);
            let fits = match self.turns[turn] {
                Turn::Used => continue,
                Turn::Refused => false,
                Turn::Unknown => !self.reaches(graph, pair[1], pair[0]),
            };
            if fits {
                self.turns[turn] = Turn::Used;
                added.push(turn);
                continue;
            }
            // A turn that closes a cycle without the help of this path closes one forever.
            if added.is_empty() {
                self.turns[turn] = Turn::Refused;
            }
            added.into_iter().for_each(|turn| self.turns[turn] = Turn::Unknown);
            return false;
        }
        true
    }

    /// Adds one dependency if it closes no cycle.
    pub(crate) fn add(&mut self, graph: &Graph, from: u32, to: u32) -> bool {
        self.add_path(graph, &[from, to])
    }

    /// Whether one dependency is used already, or at least not known to close a cycle.
    pub(crate) fn refused(&self, from: u32, to: u32) -> bool {
        self.turns[self.turn(from, to)] == Turn::Refused
    }

    fn reaches(&mut self, graph: &Graph, from: u32, to: u32) -> bool {
        self.stamp += 1;
        let mut open = vec![from];
        self.seen[from as usize] = self.stamp;
        while let Some(channel) = open.pop() {
            if channel == to {
                return true;
            }
            let node = graph.head[channel as usize] as usize;
            for port in 0..self.ports {
                let next = node * self.ports + port;
                if self.turns[channel as usize * self.ports + port] == Turn::Used
                    && self.seen[next] != self.stamp
                {
                    self.seen[next] = self.stamp;
                    open.push(next as u32);
                }
            }
        }
        false
    }
}
