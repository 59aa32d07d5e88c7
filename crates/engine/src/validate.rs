//! Validation of a workflow in the words of the controller, with the place in the document.
