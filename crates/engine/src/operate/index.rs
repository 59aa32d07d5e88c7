//! Places in a table, found by a text that each of them holds.
//!
//! The texts stay in the table: names of nodes are long and begin alike, so that an ordered map would keep each
//! twice and compare many. Nothing is ever taken out, and there is no order to be seen.

use super::by_name::Mixer;
use super::table::At;

/// Where the entries of a table are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// As many as a power of two, at least a quarter of them empty.
    slots: Vec<Slot>,
    used: usize,
}

/// The hash of a text and where it is.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    at: u32,
}

const EMPTY: Slot = Slot { hash: 0, at: u32::MAX };

impl Index {
    /// The place whose text this is; `text_at` tells the text of a place.
    pub(crate) fn find<'a>(&self, text: &str, text_at: &dyn Fn(At) -> &'a str) -> Option<At> {
        let mask = self.slots.len().checked_sub(1)?;
        let hash = Mixer::hash_of(text);
        let mut next = hash as usize & mask;
        loop {
            let slot = self.slots[next];
            if slot.at == EMPTY.at {
                return None;
            }
            if slot.hash == hash && text_at(At(slot.at)) == text {
                return Some(At(slot.at));
            }
            next = (next + 1) & mask;
        }
    }

    /// Adds a place whose text is not there yet.
    pub(crate) fn insert(&mut self, text: &str, at: At) {
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            let larger = vec![EMPTY; (self.slots.len() * 2).max(16)];
            for slot in std::mem::replace(&mut self.slots, larger) {
                if slot.at != EMPTY.at {
                    self.put(slot);
                }
            }
        }
        self.put(Slot { hash: Mixer::hash_of(text), at: at.0 });
        self.used += 1;
    }

    fn put(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut next = slot.hash as usize & mask;
        while self.slots[next].at != EMPTY.at {
            next = (next + 1) & mask;
        }
        self.slots[next] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::{At, Index};

    #[test]
    fn every_text_is_found_and_no_other() {
        let texts: Vec<String> = (0..5_000).map(|number| format!("orchard.press-{number}.onExit")).collect();
        let text_at = |at: At| texts[at.0 as usize].as_str();
        let mut index = Index::default();
        assert_eq!(index.find("orchard", &text_at), None);
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(index.find(text, &text_at), None);
            index.insert(text, At(number as u32));
        }
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(index.find(text, &text_at), Some(At(number as u32)));
        }
        assert_eq!(index.find("orchard.press-5000.onExit", &text_at), None);
    }
}
