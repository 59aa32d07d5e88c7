//! Running a workflow again: manual retry and resubmit.
