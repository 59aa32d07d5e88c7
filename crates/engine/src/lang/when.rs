//! `when` conditions as govaluate reads them.
