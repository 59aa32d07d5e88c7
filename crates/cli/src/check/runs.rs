//! What several files tell of one run, put together: where it is told, and what was read for it.

use unwind_engine::trace::{Gathered, Piece, gather};
use unwind_model::Workflow;
use unwind_model::document::evidence::Evidence;

/// The runs and manifests of all files.
pub(super) struct Runs<'a> {
    pieces: Vec<(usize, Piece<'a>)>,
    gathered: Vec<Gathered>,
}

/// What is to be said where a workflow stands in a file.
pub(super) enum Place<'r> {
    /// Everything about this run is said here.
    Home(&'r Gathered),
    /// It is said where another state of the run stands.
    Elsewhere,
}

impl<'a> Runs<'a> {
    /// Of files in the order in which they were named; `None` for one that cannot be read.
    pub(super) fn of(files: impl Iterator<Item = Option<&'a Evidence>>) -> Self {
        let mut pieces = Vec::new();
        for (file, evidence) in files.enumerate() {
            pieces.extend(evidence.map(Piece::of).unwrap_or_default().into_iter().map(|piece| (file, piece)));
        }
        let told: Vec<Piece<'_>> = pieces.iter().map(|(_, piece)| *piece).collect();
        Self { gathered: gather(&told), pieces }
    }

    /// A workflow that stands in a document.
    pub(super) fn place(&self, workflow: &Workflow) -> Place<'_> {
        let is_it = |piece: &Piece<'_>| match piece {
            Piece::Object(other) => std::ptr::eq(*other, workflow),
            Piece::Stream(_) | Piece::Log(_) => false,
        };
        let place = self.pieces.iter().position(|(_, piece)| is_it(piece));
        let home = place.and_then(|place| self.gathered.iter().find(|run| self.home(run) == Some(place)));
        home.map_or(Place::Elsewhere, Place::Home)
    }

    /// Runs that are said with this file, which holds no documents; and how many others it tells of.
    pub(super) fn of_file(&self, file: usize) -> (Vec<&Gathered>, usize) {
        let is_here = |place: usize| self.pieces.get(place).is_some_and(|(of, _)| *of == file);
        let told = self.gathered.iter().filter(|run| run.told_by.iter().any(|place| is_here(*place)));
        // The log of a controller tells of all workflows: those that nothing else tells of are not meant.
        let has_others = self.pieces.iter().any(|(_, piece)| !matches!(piece, Piece::Log(_)));
        let is_meant = |run: &Gathered| {
            let of_log = |place: &usize| matches!(self.pieces.get(*place), Some((_, Piece::Log(_))));
            !has_others || !run.told_by.iter().all(of_log) || !run.workflow.spec.templates.is_empty()
        };
        let mut here = Vec::new();
        let mut others = 0;
        for run in told {
            if !is_meant(run) {
                others += 1;
            } else if self.home(run).is_some_and(is_here) {
                here.push(run);
            }
        }
        (here, others)
    }

    /// The piece with which a run is said: the first document, else what told of it first.
    fn home(&self, run: &Gathered) -> Option<usize> {
        let is_object = |place: &&usize| matches!(self.pieces.get(**place), Some((_, Piece::Object(_))));
        run.told_by.iter().find(is_object).or_else(|| run.told_by.first()).copied()
    }
}
