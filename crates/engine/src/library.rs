//! Documents a workflow may refer to: templates by name, config maps.
