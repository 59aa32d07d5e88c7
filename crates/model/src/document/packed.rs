//! Nodes that a controller has packed because the object would have been too large.
//!
//! Source: Argo `util/file/fileutil.go` (`CompressEncodeString`, `DecodeDecompressString`),
//! `workflow/packer/packer.go`. The text is base64 of the packed JSON map; what packed it is not named, so
//! gzip and zstd are told by their first bytes and the rest is tried as brotli.

use std::io::Read;

use thiserror::Error;

use crate::workflow::Workflow;

/// More than this is not unpacked: no object of Kubernetes holds as much.
const MOST: usize = 256 << 20;

/// Why nodes cannot be unpacked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackedError {
    /// Not base64.
    #[error("the packed nodes are no base64: a character that does not belong there after {good} good ones")]
    Text {
        /// How many characters can be read.
        good: usize,
    },
    /// Neither gzip nor zstd nor brotli, or damaged.
    #[error("the packed nodes cannot be unpacked: {source_text}")]
    Damaged {
        /// What did not fit.
        source_text: String,
    },
    /// Unpacked it is no map of nodes.
    #[error("what was packed is no map of nodes: {source_text}")]
    Misfit {
        /// What did not fit.
        source_text: String,
    },
}

/// Puts packed nodes where they belong. False where none are packed.
pub fn unpack(workflow: &mut Workflow) -> Result<bool, PackedError> {
    let status = &mut workflow.status;
    if status.compressed_nodes.is_empty() {
        return Ok(false);
    }
    let json = unpacked(&from_base64(&status.compressed_nodes)?)?;
    status.nodes = serde_json::from_slice(&json)
        .map_err(|error| PackedError::Misfit { source_text: error.to_string() })?;
    status.compressed_nodes.clear();
    Ok(true)
}

fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, PackedError> {
    match bytes {
        [0x1f, 0x8b, ..] => gzip(bytes),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(bytes).map_err(|error| damaged(&error))?;
            all(decoder)
        }
        _ => all(brotli_decompressor::Decompressor::new(bytes, 1 << 14)),
    }
}

fn damaged(error: &dyn std::fmt::Display) -> PackedError {
    PackedError::Damaged { source_text: error.to_string() }
}

fn all(reader: impl Read) -> Result<Vec<u8>, PackedError> {
    let mut bytes = Vec::new();
    let read = reader.take(MOST as u64 + 1).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
    if read > MOST { Err(damaged(&"more than 256 MiB")) } else { Ok(bytes) }
}

/// The first member of a gzip file. Source: RFC 1952.
fn gzip(bytes: &[u8]) -> Result<Vec<u8>, PackedError> {
    const HAS_EXTRA: u8 = 4;
    const HAS_NAME: u8 = 8;
    const HAS_COMMENT: u8 = 16;
    const HAS_CHECK: u8 = 2;
    let short = || damaged(&"it ends within its head");
    let flags = *bytes.get(3).ok_or_else(short)?;
    let mut rest = bytes.get(10..).ok_or_else(short)?;
    if flags & HAS_EXTRA != 0 {
        let [low, high, ..] = *rest else { return Err(short()) };
        rest = rest.get(2 + usize::from(u16::from_le_bytes([low, high]))..).ok_or_else(short)?;
    }
    for flag in [HAS_NAME, HAS_COMMENT] {
        if flags & flag != 0 {
            let end = rest.iter().position(|byte| *byte == 0).ok_or_else(short)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & HAS_CHECK != 0 {
        rest = rest.get(2..).ok_or_else(short)?;
    }
    miniz_oxide::inflate::decompress_to_vec_with_limit(rest, MOST).map_err(|error| damaged(&error))
}

/// Standard base64, white space aside.
fn from_base64(text: &str) -> Result<Vec<u8>, PackedError> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for (good, letter) in text.bytes().enumerate() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            _ => return Err(PackedError::Text { good }),
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `{"a":{"id":"a","name":"a","type":"Pod","phase":"Running"}}`, packed three ways.
    const PACKED: [&str; 3] = [
        "H4sIAAAAAAACA6tWSlSyqlbKTFGyArJ0lPISc1OhzJLKAhAzID8FyCnISCwG8YJK8/Iy89KVamsBC8liLjoAAAA=",
        "KLUv/QRY0QEAeyJhIjp7ImlkIjoiYSIsIm5hbWUiOiJhIiwidHlwZSI6IlBvZCIsInBoYXNlIjoiUnVubmluZyJ9fW/EDvk=",
        "ixyAeyJhIjp7ImlkIjoiYSIsIm5hbWUiOiJhIiwidHlwZSI6IlBvZCIsInBoYXNlIjoiUnVubmluZyJ9fQM=",
    ];

    fn phases(packed: &str) -> String {
        let status = json!({"status": {"compressedNodes": packed}});
        let mut workflow: Workflow = serde_json::from_value(status).expect("a workflow");
        match unpack(&mut workflow) {
            Ok(_) => workflow.status.nodes.values().map(|node| node.phase.as_str()).collect(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn nodes_are_unpacked_whatever_packed_them() {
        assert_eq!(PACKED.map(phases), ["Running", "Running", "Running"]);
    }

    #[test]
    fn what_is_damaged_is_said_to_be() {
        assert_eq!(
            phases("H4%sI"),
            "the packed nodes are no base64: a character that does not belong there after 2 good ones"
        );
        assert_eq!(phases("H4sIAA=="), "the packed nodes cannot be unpacked: it ends within its head");
        assert!(phases("e30=").starts_with("the packed nodes cannot be unpacked"), "{}", phases("e30="));
    }
}
