//! Samples that are part of the page, so that they are there from disk too.

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its name in addresses.
    pub id: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// What kind of document it is.
    pub kind: &'static str,
    /// Why to look at it.
    pub about: &'static str,
    /// Name of its file.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
    /// True for a saved run, false for a manifest.
    pub is_run: bool,
}

/// All samples in the order in which they are shown.
pub const SAMPLES: &[Sample] = &[
    Sample {
        id: "seed-dag",
        title: "Three nested DAGs, stopped",
        kind: "manifest",
        about: "the order to see first",
        file: "seed-dag.yaml",
        text: include_str!("../../public/samples/seed-dag.yaml"),
        is_run: false,
    },
    Sample {
        id: "seed-steps",
        title: "The same in steps",
        kind: "manifest",
        about: "same hooks, same order",
        file: "seed-steps.yaml",
        text: include_str!("../../public/samples/seed-steps.yaml"),
        is_run: false,
    },
    Sample {
        id: "argo-ended",
        title: "Stopped by Argo, order broken",
        kind: "saved run",
        about: "2 hooks together, 1 never",
        file: "recorded-ended.json",
        text: include_str!("../../public/samples/recorded-ended.json"),
        is_run: true,
    },
    Sample {
        id: "argo-killed",
        title: "Stopped by Argo, hooks lost",
        kind: "saved run",
        about: "1 hook too early, 2 never",
        file: "recorded-killed.json",
        text: include_str!("../../public/samples/recorded-killed.json"),
        is_run: true,
    },
];

/// The sample of this id.
pub fn sample(id: &str) -> Option<&'static Sample> {
    SAMPLES.iter().find(|sample| sample.id == id)
}
