//! Expressions as expr-lang reads them, with the functions Argo adds.
