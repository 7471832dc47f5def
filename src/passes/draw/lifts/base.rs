//! Base graphs with voltages, and their lifts.
//!
//! A base graph has a few vertices with `degree` darts each. A dart leads to its partner's vertex and has a
//! voltage, an element of a group; its partner has the inverse. The *lift* has a router (j, g) for every
//! vertex j and element g, and the dart x of j joins (j, g) to (vertex of the partner, g voltage). A dart
//! that is its own partner has an involution for its voltage. Multiplying all elements from the left by one
//! of them keeps links, so the group acts on the lift without fixed routers. Source: Gross and Tucker 1987.

use super::group::{Element, Group};
use crate::draw::links::LinkPairs;
use fabc_base::random::Stream;

/// Starts of a random base graph before it is given up.
const STARTS: usize = 200;
/// Partners that a dart tries before the start is given up.
const PARTNERS: usize = 200;
/// The partner of a dart that has none yet.
const NONE: u32 = u32::MAX;

/// A dart of a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dart {
    partner: u32,
    voltage: Element,
}

/// A base graph. Dart x belongs to vertex x / degree.
#[derive(Clone, Debug)]
pub(super) struct BaseGraph {
    pub(super) group: Group,
    pub(super) degree: usize,
    pub(super) darts: Vec<Dart>,
    involutions: Vec<Element>,
}

/// The darts that a move changed, as they were before.
pub(super) struct Change {
    before: [ChangedDart; 4],
    count: usize,
}

/// A dart, and what it was before.
type ChangedDart = (usize, Dart);

/// What a dart leads to: the vertex, and the voltage.
pub(super) type DartTarget = (usize, Element);

impl BaseGraph {
    /// A random base graph whose lift has no loops and no parallel links. `None` if none is found.
    pub(super) fn random(group: &Group, vertices: usize, degree: usize, stream: &mut Stream) -> Option<Self> {
        let involutions = group.involutions();
        (0..STARTS).find_map(|_| {
            let none = Dart { partner: NONE, voltage: Element::IDENTITY };
            let (group, darts) = (group.clone(), vec![none; vertices * degree]);
            let mut graph = Self { group, degree, darts, involutions: involutions.clone() };
            graph.join_all(stream).then_some(graph)
        })
    }

    /// Joins all darts at random. Returns whether every dart found a partner.
    fn join_all(&mut self, stream: &mut Stream) -> bool {
        let mut free: Vec<usize> = (0..self.darts.len()).collect();
        stream.shuffle(&mut free);
        if free.len() % 2 == 1 {
            let Some(dart) = free.pop().filter(|_| !self.involutions.is_empty()) else { return false };
            self.close(dart, stream);
        }
        while let Some(dart) = free.pop() {
            let found = (0..PARTNERS).any(|_| {
                let place = stream.below(free.len());
                let partner = free[place];
                self.join(dart, partner, stream);
                let fits = self.is_simple_at(dart) && self.is_simple_at(partner);
                if fits {
                    free.swap_remove(place);
                } else {
                    [dart, partner].into_iter().for_each(|dart| self.darts[dart].partner = NONE);
                }
                fits
            });
            if !found {
                return false;
            }
        }
        true
    }

    /// Number of vertices of the base graph.
    pub(super) fn vertices(&self) -> usize {
        self.darts.len() / self.degree
    }

    /// The vertex and the voltage that a dart leads to.
    pub(super) fn target(&self, dart: usize) -> DartTarget {
        let Dart { partner, voltage } = self.darts[dart];
        (partner as usize / self.degree, voltage)
    }

    /// Makes two darts partners, with a random voltage.
    fn join(&mut self, first: usize, second: usize, stream: &mut Stream) {
        let voltage = self.group.element(stream.below(self.group.order() as usize) as u32);
        self.darts[first] = Dart { partner: second as u32, voltage };
        self.darts[second] = Dart { partner: first as u32, voltage: self.group.inverse(voltage) };
    }

    /// Makes a dart its own partner, with a random involution. There must be one.
    fn close(&mut self, dart: usize, stream: &mut Stream) {
        let voltage = self.involutions[stream.below(self.involutions.len())];
        self.darts[dart] = Dart { partner: dart as u32, voltage };
    }

    /// Whether the links of a dart are no loops, and parallel to none of another dart.
    fn is_simple_at(&self, dart: usize) -> bool {
        let (vertex, target) = (dart / self.degree, self.target(dart));
        let siblings = vertex * self.degree..(vertex + 1) * self.degree;
        let is_parallel =
            |other: usize| other != dart && self.darts[other].partner != NONE && self.target(other) == target;
        target != (vertex, Element::IDENTITY) && !siblings.into_iter().any(is_parallel)
    }

    /// Changes the graph at random: a new voltage for a dart, or other partners for two darts. Returns what
    /// was there before. `None` if the change is not possible, and nothing changed.
    pub(super) fn change(&mut self, stream: &mut Stream) -> Option<Change> {
        let dart = stream.below(self.darts.len());
        let partner = self.darts[dart].partner as usize;
        let (before, is_possible) = if stream.below(10) < 3 {
            let before = self.darts_before(&[dart, partner]);
            self.renew(dart, partner, stream);
            (before, true)
        } else {
            let other = stream.below(self.darts.len());
            if other == dart || other == partner {
                return None;
            }
            let before = self.darts_before(&[dart, other, partner, self.darts[other].partner as usize]);
            let is_possible = self.exchange(dart, other, stream);
            (before, is_possible)
        };
        let changed = before.before[..before.count].iter().map(|&(dart, _)| dart);
        if is_possible && changed.into_iter().all(|dart| self.is_simple_at(dart)) {
            return Some(before);
        }
        self.undo(&before);
        None
    }

    fn darts_before(&self, darts: &[usize]) -> Change {
        let mut before = [(darts[0], self.darts[darts[0]]); 4];
        darts.iter().zip(&mut before).for_each(|(&dart, place)| *place = (dart, self.darts[dart]));
        Change { before, count: darts.len() }
    }

    /// Takes a change back, so that all darts are as before.
    pub(super) fn undo(&mut self, change: &Change) {
        for &(dart, before) in &change.before[..change.count] {
            self.darts[dart] = before;
        }
    }

    /// Gives a dart and its partner a new voltage, or makes each its own partner.
    fn renew(&mut self, dart: usize, partner: usize, stream: &mut Stream) {
        if dart == partner {
            self.close(dart, stream);
        } else if !self.involutions.is_empty() && stream.below(8) == 0 {
            self.close(dart, stream);
            self.close(partner, stream);
        } else {
            self.join(dart, partner, stream);
        }
    }

    /// Makes two darts partners, and their partners of before. Returns whether that is possible.
    fn exchange(&mut self, first: usize, second: usize, stream: &mut Stream) -> bool {
        let [first_partner, second_partner] = [first, second].map(|dart| self.darts[dart].partner as usize);
        self.join(first, second, stream);
        match (first_partner == first, second_partner == second) {
            (true, true) => {}
            (false, false) => self.join(first_partner, second_partner, stream),
            (is_closed, _) => {
                if self.involutions.is_empty() {
                    return false;
                }
                self.close(if is_closed { second_partner } else { first_partner }, stream);
            }
        }
        true
    }

    /// The links of the lift, sorted, each with its lower router first. Router (j, g) has the id g m + j for
    /// m vertices.
    pub(super) fn links(&self) -> LinkPairs {
        let (vertices, group) = (self.vertices() as u32, &self.group);
        let mut links = Vec::with_capacity(self.darts.len() * group.order() as usize / 2);
        for (dart, &Dart { partner, .. }) in self.darts.iter().enumerate() {
            let (vertex, voltage) = self.target(dart);
            for number in 0..group.order() {
                let image = group.number(group.product(group.element(number), voltage));
                let ends =
                    [number * vertices + (dart / self.degree) as u32, image * vertices + vertex as u32];
                // Each link once: from the lower dart, or from the lower router of a dart with itself.
                if dart < partner as usize || dart == partner as usize && ends[0] < ends[1] {
                    links.push([ends[0].min(ends[1]), ends[0].max(ends[1])]);
                }
            }
        }
        links.sort_unstable();
        links
    }

    /// `[element][router]`: the image of the router when all elements are multiplied by this one from the
    /// left.
    pub(super) fn images(&self) -> Vec<Vec<u32>> {
        let (vertices, group) = (self.vertices() as u32, &self.group);
        let image = |by: u32| {
            let moved =
                move |number: u32| group.number(group.product(group.element(by), group.element(number)));
            (0..group.order())
                .flat_map(|number| (0..vertices).map(move |vertex| moved(number) * vertices + vertex))
                .collect()
        };
        (0..group.order()).map(image).collect()
    }
}
