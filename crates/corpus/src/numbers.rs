//! Numbers that look random: the same seed gives the same numbers, on every machine.

/// `splitmix64`.
/// Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators" (2014).
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers of one of many works that share a seed, each with its own.
    pub fn of(seed: u64, index: u64) -> Self {
        let mut numbers = Self(seed);
        let mixed = numbers.next() ^ index.wrapping_mul(0xd6e8_feb8_6659_fd93);
        Self(mixed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 when that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of some; a list that is empty is a mistake of the caller.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// A length: mostly short, rarely up to `longest`.
    pub fn length(&mut self, longest: usize) -> usize {
        let bits = usize::BITS - longest.leading_zeros();
        let most = 1usize << self.below(bits as usize + 1);
        self.below(most).min(longest)
    }

    /// All 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.next()
    }
}
