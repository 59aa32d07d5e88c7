//! Base64 and base32 as Go writes and reads them. Source: Go `encoding/base64`, `encoding/base32`.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text of bytes.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut group = 0u32;
        for at in 0..3 {
            group = group << 8 | u32::from(chunk.get(at).copied().unwrap_or(0));
        }
        for at in 0..4 {
            let index = (group >> (18 - 6 * at) & 63) as usize;
            out.push(if at <= chunk.len() { char::from(ALPHABET[index]) } else { '=' });
        }
    }
    out
}

/// The bytes of a text; the error is Go's, with the position of the first wrong byte.
/// Source: Go `encoding/base64`, `decodeQuantum`.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, String> {
    let source = text.as_bytes();
    let wrong = |at: usize| Err(format!("illegal base64 data at input byte {at}"));
    let line_end = |at: usize| matches!(source.get(at), Some(b'\r' | b'\n'));
    let mut out = Vec::with_capacity(source.len() / 4 * 3);
    let mut at = 0;
    loop {
        let mut group = 0u32;
        let mut digits = 0;
        while digits < 4 {
            let Some(byte) = source.get(at) else {
                return if digits == 0 { Ok(out) } else { wrong(at - digits) };
            };
            at += 1;
            if let Some(index) = ALPHABET.iter().position(|own| own == byte) {
                group = group << 6 | index as u32;
                digits += 1;
            } else if !matches!(byte, b'\r' | b'\n') {
                break;
            }
        }
        if digits == 4 {
            out.extend_from_slice(&group.to_be_bytes()[1..]);
            continue;
        }
        if source[at - 1] != b'=' || digits < 2 {
            return wrong(at - 1);
        }
        if digits == 2 {
            while line_end(at) {
                at += 1;
            }
            match source.get(at) {
                None => return wrong(source.len()),
                Some(b'=') => at += 1,
                Some(_) => return wrong(at - 1),
            }
        }
        while line_end(at) {
            at += 1;
        }
        if at < source.len() {
            return wrong(at);
        }
        group <<= 6 * (4 - digits);
        out.extend_from_slice(&group.to_be_bytes()[1..digits]);
        return Ok(out);
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn base64_goes_there_and_back() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(encode(plain.as_bytes()), coded);
            assert_eq!(decode(coded).as_deref(), Ok(plain.as_bytes()));
        }
        assert_eq!(decode("Zg="), Err("illegal base64 data at input byte 3".to_owned()));
        assert_eq!(decode("Z*=="), Err("illegal base64 data at input byte 1".to_owned()));
    }
}
