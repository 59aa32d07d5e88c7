//! One interpreter of workflows with a table of behaviours: prediction, trace, verdict.
