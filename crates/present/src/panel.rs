//! The panel of one node as data: what it is, since when, why, and what belongs to it.

use unwind_engine::plan::Role;
use unwind_engine::verdict::Holds;
use unwind_model::params::Outputs;
use unwind_model::{NodeId, NodeName, NodeType, Timestamp};

use crate::estimate::Estimates;
use crate::format::{self, Zone};
use crate::glyph::Glyph;
use crate::graph::{LaneFacts, condition_text, hook_glyph};
use crate::hook_state::Chip;
use crate::phase::{Look, finding_verdict};
use crate::preview::{Callout, CalloutTone};
use crate::rich::Rich;
use crate::roster::MemberIndex;
use crate::study::Study;
use crate::timeline::Sentences;
use crate::words;

/// What the panel of a node shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Full name.
    pub node: NodeName,
    /// Id, once the node is there.
    pub id: Option<NodeId>,
    /// How it looks.
    pub look: Look,
    /// Its name.
    pub title: String,
    /// Where it is: what is around it, outermost first, each with its name.
    pub path: Vec<(NodeName, String)>,
    /// The last part of the path, which leads nowhere: its own name, or `exit hook`.
    pub path_end: String,
    /// What is wrong with it, worst first.
    pub callout: Option<Callout>,
    /// Facts, in the order they are shown.
    pub facts: Vec<Fact>,
    /// Its hooks, the exit hook last.
    pub hooks: Vec<HookFact>,
    /// A sentence below the hooks: what they wait for.
    pub hooks_note: String,
    /// Why it runs now or what it waits for; empty when there is nothing to say.
    pub why: String,
    /// Its tries, first to last, when there were several.
    pub tries: Vec<TryFact>,
    /// What it was given.
    pub inputs: Vec<Parameter>,
    /// What it gave.
    pub outputs: Vec<Parameter>,
    /// Id of the node whose log is to be shown: of the last try where there are several.
    pub log_node: Option<NodeId>,
}

/// One key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The key.
    pub key: &'static str,
    /// The value.
    pub value: FactValue,
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    /// Text, with an addition in quieter ink.
    Text {
        /// What it says.
        text: String,
        /// The addition; may be empty.
        more: String,
    },
    /// A phase.
    Phase(Look),
    /// A node with its phase.
    Node {
        /// Which.
        node: NodeName,
        /// Its name.
        label: String,
        /// How it looks.
        look: Look,
    },
    /// Expected and actual number, with the verdict.
    Turn {
        /// The expected number.
        expected: Option<Chip>,
        /// The actual one.
        actual: Option<Chip>,
        /// The highest turn.
        of: u32,
        /// What it came to.
        verdict: Option<Holds>,
    },
}

/// One hook of the node.
#[derive(Clone, Debug, PartialEq)]
pub struct HookFact {
    /// Which.
    pub node: NodeName,
    /// Its number.
    pub chip: Option<Chip>,
    /// Its glyph.
    pub glyph: Glyph,
    /// Its name.
    pub title: String,
    /// When it runs, for a named hook; else `exit`.
    pub when: String,
    /// How it looks.
    pub look: Look,
}

/// One try of a retried leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TryFact {
    /// Its node.
    pub id: NodeId,
    /// Its number, from 0.
    pub number: usize,
    /// How it looks.
    pub look: Look,
    /// How long it took.
    pub duration: String,
    /// Its message.
    pub message: String,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value as text.
    pub value: String,
}

/// The panel of a member at `now`.
pub fn panel(study: &Study, index: MemberIndex, now: Timestamp, zone: Zone, estimates: &Estimates) -> Panel {
    let facts = LaneFacts::new(study, None);
    let sentences = Sentences::new(study, now, zone, estimates);
    let roster = &study.roster;
    let member = roster.member(index);
    let node = study.node(index);
    let path: Vec<(NodeName, String)> = roster
        .path(index)
        .into_iter()
        .map(|around| (roster.member(around).name.clone(), roster.member(around).label.clone()))
        .collect();
    let path_end = match member.role {
        Role::ExitHook => "exit hook".to_owned(),
        Role::Handler => "workflow handler".to_owned(),
        Role::NamedHook => "hook".to_owned(),
        Role::Root => "workflow".to_owned(),
        Role::Work => member.label.clone(),
    };
    Panel {
        node: member.name.clone(),
        id: member.id.clone(),
        look: if member.is_hook() { facts.look(index) } else { study.look(index) },
        title: member.label.clone(),
        path,
        path_end,
        callout: callout(study, &member.name, &sentences),
        facts: key_values(study, index, &facts, &sentences, now, zone),
        hooks: hook_facts(&facts, index),
        hooks_note: hooks_note(&facts, index),
        why: why(study, index, &sentences),
        tries: tries(study, index, now),
        inputs: node.map_or_else(Vec::new, |node| parameters(&node.inputs.parameters)),
        outputs: node.map_or_else(Vec::new, |node| outputs(&node.outputs)),
        log_node: log_node(study, index),
    }
}

fn callout(study: &Study, name: &NodeName, sentences: &Sentences) -> Option<Callout> {
    let finding = sentences.deciding(name)?;
    let verdict = finding_verdict(finding.kind);
    let (tone, glyph) = match verdict {
        Some(Holds::Broken) => (CalloutTone::Broken, Glyph::Broken),
        Some(Holds::CannotTell | Holds::Kept) => (CalloutTone::Unsure, Glyph::Unknown),
        None => (CalloutTone::Unsure, Glyph::Warning),
    };
    let title = words::verdict::finding_title(finding.kind);
    let mut text = Rich::new().strong(format!("{title}.")).and(format!(" {}.", sentences.finding(finding)));
    if verdict == Some(Holds::CannotTell) {
        text = text.and(format!(" {}", words::verdict::ORDER_UNKNOWN_NEXT));
    }
    let others: Vec<&NodeName> =
        finding.witnesses.iter().map(|witness| &witness.node).filter(|node| *node != name).collect();
    for (place, node) in others.iter().enumerate() {
        text = text.and(if place == 0 { " See " } else { ", " });
        text = text.node(node, study.roster.label(node));
    }
    Some(Callout { tone, glyph, text: if others.is_empty() { text } else { text.and(".") } })
}

fn key_values(
    study: &Study,
    index: MemberIndex,
    facts: &LaneFacts,
    sentences: &Sentences,
    now: Timestamp,
    zone: Zone,
) -> Vec<Fact> {
    let roster = &study.roster;
    let member = roster.member(index);
    let node = study.node(index);
    let look = if member.is_hook() { facts.look(index) } else { study.look(index) };
    let mut list = vec![Fact { key: "Phase", value: FactValue::Phase(look) }];
    let text = |key, text: String, more: String| Fact { key, value: FactValue::Text { text, more } };
    if member.is_exit_hook() {
        let state = facts.state(index);
        let expected = facts.turns.get(&index).map(|turn| Chip::expected(*turn));
        let actual = if look == Look::Planned { None } else { facts.chip(index, state) };
        let verdict = study.judged(&member.name).and_then(|row| row.holds);
        let verdict = verdict.filter(|holds| *holds != Holds::Kept || !look.is_open());
        let of = facts.turns.values().copied().max().unwrap_or(0);
        if expected.is_some() || actual.is_some() {
            let value = FactValue::Turn { expected, actual, of, verdict };
            list.push(Fact { key: "Turn", value });
        }
    }
    let judged = study.judged(&member.name).and_then(|row| row.holds);
    if judged.is_some_and(|holds| holds != Holds::Kept)
        && let Some(rule) = sentences.rule(index)
    {
        list.push(text("Rule", words::verdict::rule(rule).to_owned(), String::new()));
    }
    if let Some(owner) = member.around.filter(|_| member.is_hook()) {
        let owner_member = roster.member(owner);
        list.push(Fact {
            key: "Owner",
            value: FactValue::Node {
                node: owner_member.name.clone(),
                label: owner_member.label.clone(),
                look: study.look(owner),
            },
        });
    }
    if let Some(node) = node.filter(|_| !look.is_absent())
        && let Some(begun) = node.started_at
    {
        list.push(match node.finished_at {
            Some(ended) => text(
                "Times",
                format!("{} to {}", zone.time(begun), zone.time(ended)),
                format::duration(ended - begun),
            ),
            None => text("Since", zone.time(begun), format::duration(now - begun)),
        });
    }
    if let Some(message) = node.map(|node| &node.message).filter(|message| !message.is_empty()) {
        list.push(text("Message", roster.message(message), String::new()));
    }
    if !member.template.is_empty() {
        let word = type_word(member.node_type).to_owned();
        list.push(text("Template", member.template.clone(), word));
    }
    if let Some(condition) = member.condition.as_deref() {
        list.push(text("When", condition.to_owned(), String::new()));
    }
    if look == Look::Planned && !member.after.is_empty() {
        let names: Vec<&str> =
            member.after.iter().map(|before| roster.member(*before).label.as_str()).collect();
        list.push(text("Waits for", format::list(&names), String::new()));
    }
    if let Some(code) = node.and_then(|node| node.outputs.exit_code.clone()) {
        list.push(text("Exit code", code, String::new()));
    }
    list
}

fn type_word(node_type: NodeType) -> &'static str {
    match node_type {
        NodeType::DAG => "DAG",
        NodeType::Steps => "Steps",
        NodeType::StepGroup => "step group",
        NodeType::TaskGroup => "items",
        NodeType::Retry => "with tries",
        NodeType::Suspend => "suspend",
        NodeType::HTTP => "http",
        NodeType::Plugin => "plugin",
        NodeType::Pod | NodeType::Container | NodeType::Skipped => "pod",
    }
}

fn hook_facts(facts: &LaneFacts, index: MemberIndex) -> Vec<HookFact> {
    let roster = &facts.study.roster;
    let fact = |&hook: &MemberIndex| {
        let member = roster.member(hook);
        HookFact {
            node: member.name.clone(),
            chip: facts.chip(hook, facts.state(hook)),
            glyph: hook_glyph(member.role),
            title: member.label.clone(),
            when: match member.role {
                Role::NamedHook => member.condition.as_deref().map(condition_text).unwrap_or_default(),
                Role::Root | Role::Work | Role::ExitHook | Role::Handler => "exit".to_owned(),
            },
            look: facts.look(hook),
        }
    };
    roster.hooks(index).iter().map(fact).collect()
}

fn hooks_note(facts: &LaneFacts, index: MemberIndex) -> String {
    let roster = &facts.study.roster;
    let exit = roster.hooks(index).iter().find(|hook| roster.member(**hook).is_exit_hook());
    let is_planned = exit.is_some_and(|hook| facts.look(*hook) == Look::Planned);
    let member = roster.member(index);
    match member.around {
        _ if !is_planned => String::new(),
        Some(around) if member.role == Role::Work => {
            format!("Runs once when {} is over. {} waits for it.", member.label, roster.member(around).label)
        }
        Some(_) | None => format!("Runs once when {} is over.", member.label),
    }
}

/// Why a hook runs now, or what a node waits for.
fn why(study: &Study, index: MemberIndex, sentences: &Sentences) -> String {
    let member = study.roster.member(index);
    let has_finding = sentences.deciding(&member.name).is_some();
    match study.look(index) {
        _ if has_finding => String::new(),
        // What a stop or the end left out will not come any more.
        Look::Planned if study.is_over() => String::new(),
        Look::Running | Look::Pending | Look::Suspended | Look::Planned => {
            let sentence = sentences.of(index);
            if sentence.is_empty() { sentence } else { format!("{sentence}.") }
        }
        Look::Succeeded | Look::Failed | Look::Error | Look::Skipped | Look::Omitted => String::new(),
    }
}

fn tries(study: &Study, index: MemberIndex, now: Timestamp) -> Vec<TryFact> {
    let tries = &study.roster.member(index).tries;
    if tries.len() < 2 {
        return Vec::new();
    }
    let nodes = tries.iter().filter_map(|id| study.workflow.status.nodes.get(id));
    nodes
        .enumerate()
        .map(|(number, node)| TryFact {
            id: node.id.clone(),
            number,
            look: Look::of_node(node),
            duration: node
                .started_at
                .map_or_else(String::new, |begun| format::duration(node.finished_at.unwrap_or(now) - begun)),
            message: study.roster.message(&node.message),
        })
        .collect()
}

fn parameters(parameters: &[unwind_model::params::Parameter]) -> Vec<Parameter> {
    let parameter = |parameter: &unwind_model::params::Parameter| Parameter {
        name: parameter.name.clone(),
        value: parameter.value.clone().or(parameter.default.clone()).unwrap_or_default(),
    };
    parameters.iter().map(parameter).collect()
}

fn outputs(outputs: &Outputs) -> Vec<Parameter> {
    let mut list = parameters(&outputs.parameters);
    let result = outputs.result.clone();
    list.extend(result.map(|value| Parameter { name: "result".to_owned(), value }));
    list
}

/// The node whose program writes: a leaf, or the last try of one.
fn log_node(study: &Study, index: MemberIndex) -> Option<NodeId> {
    let member = study.roster.member(index);
    if study.roster.is_box(index) {
        return None;
    }
    member.tries.last().or(member.id.as_ref()).cloned()
}
