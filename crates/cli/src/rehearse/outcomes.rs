//! What may come of a manifest under a release of Argo, or of programs that end as they are told to.

use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use unwind_engine::analysis::{Foresight, foresee};
use unwind_engine::forecast::{Forecast, Way};
use unwind_engine::library::Library;
use unwind_engine::{Behaviour, lower};
use unwind_model::NodeName;
use unwind_present::remarks;
use unwind_present::report::find_node;
use unwind_present::roster::Roster;

use super::Arguments;
use crate::document;

/// Prints the outcomes, each with what decides for it.
pub(super) fn print(arguments: &Arguments) -> Result<ExitCode> {
    let (workflow, _, values) = document::workflow_among(&arguments.file)?;
    let mut library = Library::default();
    for value in &values {
        library.add(value).context("a template or config map does not fit")?;
    }
    let (plan, _) = lower(&workflow);
    let roster = Roster::new(&plan.outline(), &workflow);
    let (text, way) = match (&arguments.stop_at, &arguments.terminate_at, &arguments.in_order_at) {
        (Some(node), _, _) => (Some(node), Way::Stop),
        (None, Some(node), _) => (Some(node), Way::Terminate),
        (None, None, Some(node)) => (Some(node), Way::StopInOrder),
        (None, None, None) => (None, Way::GoOn),
    };
    let at = text.map(|text| find_node(&roster, text).context("no such node")).transpose()?;
    let exits = arguments.leaves.iter().map(|text| exit(&roster, text)).collect::<Result<Vec<_>>>()?;
    let unwind = Behaviour::UNWIND;
    let behaviour = arguments.release.as_ref().map_or(&unwind, |release| &release.behaviour);
    let asked = Foresight { at, way, exits };
    let forecast = foresee(&workflow, &library, behaviour, &asked);
    let never = || anyhow!("{} never runs", asked.at.as_ref().map_or("it", NodeName::as_str));
    let forecast = forecast.with_context(never)?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&forecast)?);
    } else {
        print!("{}", text_of(arguments, &asked, &forecast));
    }
    Ok(ExitCode::SUCCESS)
}

fn text_of(arguments: &Arguments, asked: &Foresight, forecast: &Forecast) -> String {
    let who = match &arguments.release {
        Some(release) => remarks::release(release),
        None => "This machine's engine".to_owned(),
    };
    let what = match (&asked.way, &asked.at) {
        (Way::Stop, Some(node)) => format!("Stop when {node} runs"),
        (Way::Terminate, Some(node)) => format!("Terminate when {node} runs"),
        (Way::StopInOrder, Some(node)) => format!("Stop in order when {node} runs"),
        (Way::Stop | Way::Terminate | Way::StopInOrder | Way::GoOn | Way::Patch(_), _) => {
            "To its end".to_owned()
        }
    };
    let mut text = format!("{who}: {what}\n");
    let count = forecast.outcomes.len();
    for (place, outcome) in forecast.outcomes.iter().enumerate() {
        let head = match (count, remarks::decided_by(outcome)) {
            (1, _) => "The only outcome".to_owned(),
            (_, None) => format!("Outcome {} of {count}", place + 1),
            (_, Some(why)) => format!("Outcome {} of {count}, {why}", place + 1),
        };
        text.extend(["\n", head.as_str(), "\n"]);
        for line in remarks::outcome(outcome) {
            text.extend(["  ", line.as_str(), "\n"]);
        }
    }
    text
}

/// A node and its exit code, from `NODE=fail:3` or `NODE=ok`.
fn exit(roster: &Roster, text: &str) -> Result<(NodeName, i32)> {
    let wrong = || anyhow!("`--leaf {text}`: write NODE=fail:3 or NODE=ok");
    let (node, end) = text.rsplit_once('=').with_context(wrong)?;
    let code = match end.split_once(':') {
        None if end == "ok" => 0,
        None if end == "fail" => 1,
        Some(("fail", code)) => code.parse().ok().with_context(wrong)?,
        None | Some(_) => return Err(wrong()),
    };
    Ok((find_node(roster, node).context("`--leaf` names no node")?, code))
}
