//! What is open from files, samples and the clipboard, and what could not be opened.
//!
//! A document that cannot be read changes nothing but the notice: what was open stays open.

use std::sync::Arc;

use leptos::prelude::*;
use unwind_model::Workflow;
use unwind_model::document::{Document, ParseError, Parsed, parse};

use crate::data::files::{self, Dropped};
use crate::data::samples::sample;
pub use crate::data::samples::{SAMPLES, Sample};
use crate::routes::{Address, Route, Router};

/// One document that is open.
#[derive(Debug)]
pub struct Opened {
    /// Name of its file.
    pub file: String,
    /// Id of the sample, when it is one.
    pub sample: Option<&'static str>,
    /// The whole text of the file.
    pub text: String,
    /// The workflow.
    pub workflow: Workflow,
    /// Where its values stand in the text.
    pub parsed: Parsed,
}

impl Opened {
    /// True when the workflow has run, or at least begun.
    pub fn is_run(&self) -> bool {
        let status = &self.workflow.status;
        status.started_at.is_some() || !status.nodes.is_empty()
    }
}

/// Why a document could not be opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Name of the file.
    pub file: String,
    /// What is wrong.
    pub why: RefusalReason,
}

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq)]
pub enum RefusalReason {
    /// It is not what it should be, at one place of its text.
    Unreadable {
        /// Place, expectation and finding.
        error: ParseError,
        /// The lines around the place, numbered.
        excerpt: Vec<(u32, String)>,
    },
    /// It can be read but is nothing that Unwind knows.
    NotKnown {
        /// What it looks like.
        found: String,
    },
    /// The browser did not give its bytes.
    NoBytes {
        /// Why.
        message: String,
    },
}

/// The open document and the refusals.
#[derive(Clone, Copy)]
pub struct Documents {
    /// The one that is open.
    pub open: RwSignal<Option<Arc<Opened>>>,
    /// What could not be opened, newest last.
    pub refusals: RwSignal<Vec<Refusal>>,
    router: Router,
}

impl Documents {
    /// Nothing is open yet.
    pub fn new(router: Router) -> Self {
        Self { open: RwSignal::new(None), refusals: RwSignal::new(Vec::new()), router }
    }

    /// Opens what was dropped: the first workflow wins, what cannot be read is told.
    fn open_dropped(self, dropped: Vec<Dropped>) {
        let mut refusals = Vec::new();
        let mut opened = None;
        for file in dropped {
            match read(&file, None) {
                Ok(document) if opened.is_none() => opened = Some(document),
                Ok(_) => {}
                Err(why) => refusals.push(Refusal { file: file.name, why }),
            }
        }
        self.refusals.set(refusals);
        if let Some(document) = opened {
            self.show(document);
        }
    }

    /// Lets the reader pick files and opens them.
    pub fn pick(self) {
        files::pick(move |picked| self.open_files(picked));
    }

    /// Opens the files of a drop or paste; false when there are none.
    pub fn open_transfer(self, transfer: Option<web_sys::DataTransfer>) -> bool {
        let Some(list) = files::files_of(transfer) else {
            return false;
        };
        self.open_files(list);
        true
    }

    fn open_files(self, list: web_sys::FileList) {
        leptos::task::spawn_local(async move {
            self.open_dropped(files::read_all(list).await);
        });
    }

    /// Opens a pasted text.
    pub fn open_pasted(self, text: String) {
        self.open_dropped(vec![Dropped { name: "pasted text".to_owned(), bytes: Ok(text.into_bytes()) }]);
    }

    /// Makes the sample of the address the open document, unless it is already.
    pub fn open_sample(self, id: &str) {
        let is_open =
            self.open.with_untracked(|open| open.as_ref().is_some_and(|open| open.sample == Some(id)));
        let Some(sample) = sample(id).filter(|_| !is_open) else {
            return;
        };
        match read(&dropped_sample(sample), Some(sample.id)) {
            Ok(document) => self.open.set(Some(Arc::new(document))),
            Err(why) => self.refusals.set(vec![Refusal { file: sample.file.to_owned(), why }]),
        }
    }

    /// Replaces the manifest by an edited text; a text that cannot be read changes nothing.
    pub fn replace_text(self, text: String) -> Result<(), RefusalReason> {
        let file = self.open.with_untracked(|open| open.as_ref().map(|open| open.file.clone()));
        let name = file.unwrap_or_else(|| "workflow.yaml".to_owned());
        let document = read(&Dropped { name, bytes: Ok(text.into_bytes()) }, None)?;
        self.open.set(Some(Arc::new(document)));
        Ok(())
    }

    fn show(self, document: Opened) {
        let route = if document.is_run() { Route::File } else { Route::Rehearse };
        self.open.set(Some(Arc::new(document)));
        self.router.go(Address::new(route));
    }
}

/// The address of a sample.
pub fn sample_address(sample: &Sample) -> Address {
    let route = if sample.is_run { Route::File } else { Route::Rehearse };
    Address::new(route).with("sample", sample.id)
}

fn dropped_sample(sample: &Sample) -> Dropped {
    Dropped { name: sample.file.to_owned(), bytes: Ok(sample.text.as_bytes().to_vec()) }
}

fn read(file: &Dropped, sample: Option<&'static str>) -> Result<Opened, RefusalReason> {
    let bytes = file.bytes.as_ref().map_err(|message| RefusalReason::NoBytes { message: message.clone() })?;
    let text = String::from_utf8_lossy(bytes).into_owned();
    let documents = parse(bytes)
        .map_err(|error| RefusalReason::Unreadable { excerpt: excerpt(&text, error.at.line), error })?;
    let mut found = String::new();
    for parsed in documents {
        match &parsed.document {
            Document::Workflow(workflow) => {
                let workflow = Workflow::clone(workflow);
                return Ok(Opened { file: file.name.clone(), sample, text, workflow, parsed });
            }
            Document::Unknown { found: other } => found.clone_from(other),
        }
    }
    Err(RefusalReason::NotKnown { found })
}

/// The lines around `line` (counted from 1), cut to a width that can be shown.
fn excerpt(text: &str, line: u32) -> Vec<(u32, String)> {
    let first = line.saturating_sub(1).max(1);
    text.lines()
        .zip(1_u32..)
        .skip(first as usize - 1)
        .take_while(|(_, number)| *number <= line + 1)
        .map(|(text, number)| (number, text.chars().take(200).collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excerpt_holds_the_line_and_its_neighbours() {
        let lines = |line| {
            excerpt("a\nb\nc\nd", line).into_iter().map(|(n, t)| format!("{n}{t}")).collect::<Vec<_>>()
        };
        assert_eq!(lines(1), ["1a", "2b"]);
        assert_eq!(lines(3), ["2b", "3c", "4d"]);
        assert_eq!(lines(9), Vec::<String>::new());
    }
}
