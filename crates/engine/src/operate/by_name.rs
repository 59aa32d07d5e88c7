//! What is kept for nodes by their full names, some of which may not be in the table.
//!
//! Names are long and begin alike, so they are found by hash; whoever goes through all gets them sorted.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use unwind_model::NodeName;

/// A value for each of some names.
#[derive(Clone, Debug)]
pub(crate) struct ByName<V>(HashMap<NodeName, V, BuildHasherDefault<Mixer>>);

impl<V> Default for ByName<V> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<V: PartialEq> PartialEq for ByName<V> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<V> ByName<V> {
    pub(crate) fn get(&self, name: &NodeName) -> Option<&V> {
        self.0.get(name)
    }

    pub(crate) fn get_mut(&mut self, name: &NodeName) -> Option<&mut V> {
        self.0.get_mut(name)
    }

    pub(crate) fn has(&self, name: &NodeName) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn insert(&mut self, name: NodeName, value: V) {
        self.0.insert(name, value);
    }

    pub(crate) fn remove(&mut self, name: &NodeName) -> Option<V> {
        const MANY: usize = 64;
        let removed = self.0.remove(name);
        if self.0.capacity() > MANY.max(self.0.len() * 8) {
            self.0.shrink_to(self.0.len() * 2);
        }
        removed
    }

    /// The value of a name, made by `make` if there is none.
    pub(crate) fn get_or_insert(&mut self, name: NodeName, make: fn() -> V) -> &mut V {
        self.0.entry(name).or_insert_with(make)
    }

    /// All of them, in no order: whatever comes of them has to be sorted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&NodeName, &V)> {
        self.0.iter()
    }

    /// All of them, by name.
    pub(crate) fn sorted(&self) -> Vec<(&NodeName, &V)> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_unstable_by_key(|(name, _)| *name);
        all
    }

    /// All names, sorted.
    pub(crate) fn names(&self) -> Vec<NodeName> {
        self.sorted().into_iter().map(|(name, _)| name.clone()).collect()
    }
}

/// Mixes eight bytes at a time; the same everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// The hash of a text.
    pub(crate) fn hash_of(text: &str) -> u32 {
        let mut mixer = Self(text.len() as u64);
        mixer.write(text.as_bytes());
        mixer.finish() as u32
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        self.mix(rest.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
    }

    fn write_u8(&mut self, byte: u8) {
        self.mix(u64::from(byte));
    }

    fn finish(&self) -> u64 {
        // The high bits are the well mixed ones; a table looks at the low and the highest.
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ByName, Mixer, NodeName};

    #[test]
    fn names_come_sorted() {
        let mut values = ByName::default();
        for name in ["b", "c", "a"] {
            values.insert(NodeName::from(name), name.len());
        }
        assert_eq!(values.remove(&NodeName::from("c")), Some(1));
        assert_eq!(values.names(), ["a", "b"].map(NodeName::from));
    }

    #[test]
    fn names_that_differ_little_rarely_share_a_hash() {
        let hashes: BTreeSet<u32> =
            (0..10_000).map(|number| Mixer::hash_of(&format!("orchard.press({number}).onExit"))).collect();
        assert!(hashes.len() > 9_990, "{}", hashes.len());
    }
}
