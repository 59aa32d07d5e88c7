//! `{{name}}` and `{{=expression}}` in texts and JSON values.
