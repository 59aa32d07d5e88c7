//! Checksums and base32. Source: FIPS 180-4, RFC 1950, RFC 4648.

use std::fmt::Write;

const K: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// The message with its padding, in blocks of sixteen words.
fn blocks(bytes: &[u8]) -> Vec<[u32; 16]> {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
    padded
        .chunks(64)
        .map(|block| {
            let mut words = [0; 16];
            for (word, bytes) in words.iter_mut().zip(block.chunks(4)) {
                *word = bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
            }
            words
        })
        .collect()
}

fn hex(words: &[u32]) -> String {
    words.iter().fold(String::new(), |mut out, word| {
        let _ = write!(out, "{word:08x}");
        out
    })
}

/// SHA-256 in hex.
pub(super) fn sha256(bytes: &[u8]) -> String {
    let mut state: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    for block in blocks(bytes) {
        let mut words = [0u32; 64];
        words[..16].copy_from_slice(&block);
        for at in 16..64 {
            let (near, far) = (words[at - 2], words[at - 15]);
            let small = far.rotate_right(7) ^ far.rotate_right(18) ^ far >> 3;
            let large = near.rotate_right(17) ^ near.rotate_right(19) ^ near >> 10;
            words[at] = words[at - 16].wrapping_add(small).wrapping_add(words[at - 7]).wrapping_add(large);
        }
        let mut s = state;
        for (word, round) in words.iter().zip(K) {
            let large = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
            let choice = s[4] & s[5] ^ !s[4] & s[6];
            let first = s[7].wrapping_add(large).wrapping_add(choice).wrapping_add(round).wrapping_add(*word);
            let small = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
            let second = small.wrapping_add(s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]);
            s.rotate_right(1);
            s[4] = s[4].wrapping_add(first);
            s[0] = first.wrapping_add(second);
        }
        for (own, new) in state.iter_mut().zip(s) {
            *own = own.wrapping_add(new);
        }
    }
    hex(&state)
}

/// SHA-1 in hex.
pub(super) fn sha1(bytes: &[u8]) -> String {
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in blocks(bytes) {
        let mut words = [0u32; 80];
        words[..16].copy_from_slice(&block);
        for at in 16..80 {
            words[at] = (words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16]).rotate_left(1);
        }
        let mut s = state;
        for (at, word) in words.iter().enumerate() {
            let (mixed, round) = match at {
                0..20 => (s[1] & s[2] | !s[1] & s[3], 0x5a82_7999),
                20..40 => (s[1] ^ s[2] ^ s[3], 0x6ed9_eba1),
                40..60 => (s[1] & s[2] | s[1] & s[3] | s[2] & s[3], 0x8f1b_bcdc),
                _ => (s[1] ^ s[2] ^ s[3], 0xca62_c1d6_u32),
            };
            let sum = s[0].rotate_left(5).wrapping_add(mixed).wrapping_add(s[4]);
            s.rotate_right(1);
            s[2] = s[2].rotate_left(30);
            s[0] = sum.wrapping_add(round).wrapping_add(*word);
        }
        for (own, new) in state.iter_mut().zip(s) {
            *own = own.wrapping_add(new);
        }
    }
    hex(&state)
}

/// Adler-32.
pub(super) fn adler32(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    b << 16 | a
}

/// Base32 with padding.
pub(super) fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut out = String::new();
    for chunk in bytes.chunks(5) {
        let group = (0..5).fold(0u64, |sum, at| sum << 8 | u64::from(chunk.get(at).copied().unwrap_or(0)));
        let used = (chunk.len() * 8).div_ceil(5);
        for at in 0..8 {
            let index = (group >> (35 - 5 * at) & 31) as usize;
            out.push(if at < used { char::from(ALPHABET[index]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{adler32, base32, sha1, sha256};

    #[test]
    fn checksums_are_those_of_the_standards() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(sha1(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(base32(b"foobar"), "MZXW6YTBOI======");
    }
}
