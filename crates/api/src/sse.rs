//! Server-sent events: bytes to items, incrementally, and items to bytes.
//!
//! In: pieces of a body as they come, cut anywhere. Out: whole events and comments; what was begun
//! and never finished is dropped. Source: WHATWG HTML, 9.2.6 (interpreting an event stream). The
//! bytes we write are those recorded from a real Argo Server (`argo-api.md`, section 10).

/// One thing in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A message.
    Event(Event),
    /// A comment; servers send them to keep a connection open.
    Comment,
}

/// One message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its id, when it has one.
    pub id: Option<String>,
    /// Its kind, when it has one.
    pub kind: Option<String>,
    /// Its lines of data, joined by line feeds.
    pub data: String,
}

/// What keeps a quiet stream open; the `argo` command skips lines of up to 6 bytes.
pub const KEEP_ALIVE: &str = ":\n";

/// A message as a real Argo Server writes it: a space before the line ends, and a third line feed
/// that is the gateway's delimiter. `json` must be one line.
pub fn argo_frame(json: &str) -> String {
    format!("data: {json} \n\n\n")
}

/// The last message of a stream that failed: without the delimiter.
pub fn argo_last_frame(json: &str) -> String {
    format!("data: {json} \n\n")
}

/// A message of our own stream, with the id to go on from. `json` must be one line.
pub fn event_frame(id: Option<u64>, json: &str) -> String {
    match id {
        Some(id) => format!("id: {id}\ndata: {json}\n\n"),
        None => format!("data: {json}\n\n"),
    }
}

/// Reads a stream piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    /// Bytes of a line that has not ended yet.
    line: Vec<u8>,
    /// A carriage return came last: a line feed right after it belongs to it.
    after_return: bool,
    /// The first line is still to come: a byte order mark is taken off it.
    begun: bool,
    event: Event,
    has_data: bool,
}

impl Decoder {
    /// Takes the next piece; gives what it completes, in order.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Item> {
        let mut items = Vec::new();
        for &byte in bytes {
            let line_feed_of_return = self.after_return && byte == b'\n';
            self.after_return = byte == b'\r';
            if line_feed_of_return {
                continue;
            }
            if byte == b'\n' || byte == b'\r' {
                let line = std::mem::take(&mut self.line);
                items.extend(self.end_line(&line));
            } else {
                self.line.push(byte);
            }
        }
        items
    }

    fn end_line(&mut self, line: &[u8]) -> Option<Item> {
        let mut line = line;
        if !self.begun {
            self.begun = true;
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(Item::Event(event));
        }
        let text = String::from_utf8_lossy(line);
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => return Some(Item::Comment),
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "event" => self.event.kind = Some(value.to_owned()),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(items: &[Item]) -> Vec<&str> {
        items
            .iter()
            .map(|item| match item {
                Item::Event(event) => event.data.as_str(),
                Item::Comment => ":",
            })
            .collect()
    }

    #[test]
    fn what_is_written_is_read_back_however_it_is_cut() {
        let stream = format!(
            "{}{}{}{}",
            argo_frame(r#"{"result":1}"#),
            KEEP_ALIVE,
            event_frame(Some(7), r#"{"type":"synced"}"#),
            argo_last_frame(r#"{"error":{}}"#)
        );
        let expected = ["{\"result\":1} ", ":", "{\"type\":\"synced\"}", "{\"error\":{}} "];
        for cut in 1..stream.len() {
            let mut decoder = Decoder::default();
            let mut items = Vec::new();
            for piece in stream.as_bytes().chunks(cut) {
                items.extend(decoder.push(piece));
            }
            assert_eq!(data(&items), expected, "in pieces of {cut}");
        }
    }

    #[test]
    fn half_a_message_is_dropped() {
        let mut decoder = Decoder::default();
        let items = decoder.push(b"data: whole\n\ndata: {\"half\":");
        assert_eq!(data(&items), ["whole"]);
        assert_eq!(data(&decoder.push(b"\n")), Vec::<&str>::new());
    }

    #[test]
    fn all_line_ends_and_fields_are_known() {
        let mut decoder = Decoder::default();
        let items =
            decoder.push(b"\xEF\xBB\xBFid: 1\r\nevent: moved\r\ndata:a\r\ndata: b\r\rretry: 5\n\ndata\n\n");
        assert_eq!(
            items,
            [
                Item::Event(Event {
                    id: Some("1".to_owned()),
                    kind: Some("moved".to_owned()),
                    data: "a\nb".to_owned(),
                }),
                Item::Event(Event::default()),
            ]
        );
    }
}
