//! What may come of a manifest under a release of Argo.

use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use unwind_engine::analysis::{Foresaid, Foresight, foresee};
use unwind_engine::behaviour::Release;
use unwind_engine::forecast::Way;
use unwind_model::NodeName;
use unwind_present::{outcomes, remarks};

use super::{Arguments, Wanted};
use crate::document::Among;
use crate::paint;

/// Prints the outcomes, each with what decides for it.
pub(super) fn print(
    arguments: &Arguments,
    among: &Among,
    wanted: Wanted,
    release: &Release,
) -> Result<ExitCode> {
    let asked = Foresight { at: wanted.at, way: wanted.way, exits: wanted.exits };
    let never = || {
        anyhow!("{} never runs on Argo {}", asked.at.as_ref().map_or("it", NodeName::as_str), release.taken)
    };
    let foresaid =
        foresee(&among.workflow, &among.library, &release.behaviour, &asked).with_context(never)?;
    if arguments.json {
        let data = serde_json::json!({"release": release, "at": asked.at, "asked": foresaid.asked,
            "ways": foresaid.ways});
        paint::print_plain(&(serde_json::to_string_pretty(&data)? + "\n"));
    } else {
        paint::print(&text_of(release, &asked, &foresaid));
    }
    Ok(ExitCode::SUCCESS)
}

fn text_of(release: &Release, asked: &Foresight, foresaid: &Foresaid) -> String {
    let way = remarks::way_name(&asked.way);
    let what = match (&asked.way, &asked.at) {
        (Way::GoOn, _) | (_, None) => "To its end".to_owned(),
        (_, Some(node)) => format!("{way} when {node} runs"),
    };
    let mut text = format!("{}: {what}\n", remarks::release(release));
    text.push_str(&outcomes::text(&foresaid.asked));
    if let Some(ranking) = &foresaid.ways {
        text.push_str("\nWays to end it there, the best first\n");
        for (line, command) in remarks::ranked(ranking) {
            text.extend(["  ", line.as_str(), "\n    ", command.as_str(), "\n"]);
        }
    }
    text
}
