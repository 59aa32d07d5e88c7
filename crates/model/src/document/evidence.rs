//! What a file tells of workflows: documents, messages of a watch, lines of a controller's log, rows of the
//! archive.

use super::log::Log;
use super::rows::Rows;
use super::stream::Stream;
use super::{Document, ParseError, Parsed, parse};

/// What one file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// Documents.
    Documents(Vec<Parsed>),
    /// Messages of a watch.
    Stream(Stream),
    /// Lines of a controller's log.
    Log(Log),
    /// Rows of the archive.
    Rows(Rows),
}

/// Reads a file, whatever it is. Packed nodes are unpacked where this program can (feature `packed`).
pub fn read(bytes: &[u8]) -> Result<Evidence, ParseError> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    if let Some(stream) = Stream::read(text) {
        return Ok(Evidence::Stream(stream));
    }
    if let Some(rows) = Rows::read(text).filter(|rows| !rows.workflows.is_empty()) {
        return Ok(Evidence::Rows(rows));
    }
    match parse(bytes) {
        Ok(mut documents) if documents.iter().any(is_workflow) => {
            documents.iter_mut().for_each(unpack);
            Ok(Evidence::Documents(documents))
        }
        // Lines of a log are often a text in YAML too.
        other => match Log::read(text) {
            Some(log) => Ok(Evidence::Log(log)),
            None => other.map(Evidence::Documents),
        },
    }
}

fn is_workflow(parsed: &Parsed) -> bool {
    match parsed.document {
        Document::Workflow(_) => true,
        Document::Unknown { .. } => false,
    }
}

fn unpack(parsed: &mut Parsed) {
    if let Document::Workflow(workflow) = &mut parsed.document
        && !workflow.status.compressed_nodes.is_empty()
    {
        **workflow = super::whole(std::mem::take(workflow));
    }
}
