//! Which boxes, leaves and lanes there are. Knows names, types and nesting, no phases.

use unwind_engine::plan::Role;
use unwind_layout::measure;
use unwind_layout::{Direction, ItemIndex, ItemRequest, Lane, LaneContent, LayoutRequest, Shape};
use unwind_model::spec::Container;
use unwind_model::{NodeType, Template, Workflow};

use super::Folding;
use crate::glyph::Glyph;
use crate::roster::{Member, MemberIndex, Roster};
use crate::text_width::{self, Face};

/// Room kept at the right of a leaf's second line for a duration.
const CLOCK_ROOM: f64 = 44.0;
/// Room kept at the right of a pill for a duration or a word.
const PILL_RIGHT_ROOM: f64 = 64.0;
/// A condition is cut to this many characters.
const CONDITION_CHARS: usize = 28;
/// A command is shown when it is no longer than this.
const COMMAND_CHARS: usize = 20;

/// What an item is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// An open box.
    Box,
    /// A leaf.
    Leaf,
    /// A closed box or loop.
    Folded,
}

/// One item of the layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The member it shows.
    pub member: MemberIndex,
    /// What it is drawn as.
    pub kind: ItemKind,
    /// Its name, cut to the card of a leaf or folded box.
    pub title: String,
    /// Its type in words: `DAG · main`, `pod · sleep 600`.
    pub type_text: String,
    /// Its type as a glyph.
    pub type_glyph: Glyph,
    /// Its hooks, the exit hook last.
    pub lanes: Vec<LaneItem>,
}

/// One lane of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneItem {
    /// The hook.
    pub member: MemberIndex,
    /// The item that stands in the lane, when the hook is a box.
    pub item: Option<ItemIndex>,
    /// Its name; to be cut to what a word at the right leaves.
    pub title: String,
    /// Arrow for an exit hook, arrow with bar for the handler, flag for a named one.
    pub glyph: Glyph,
    /// `if Failed`, `on Running`: when a named hook runs.
    pub condition: Option<String>,
}

/// Where a member is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The item: the member's own, or the folded one that hides it.
    pub item: ItemIndex,
    /// The lane of that item, for a hook that is drawn as a pill.
    pub lane: Option<usize>,
}

/// The graph without phases.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// What is to be laid out.
    pub request: LayoutRequest,
    /// `items[i]` is what item `i` of the request shows.
    pub items: Vec<Item>,
    /// `places[m]`: where member `m` is shown; none for step groups.
    places: Vec<Option<Place>>,
    /// `is_hidden[m]`: a folded item stands for member `m`.
    is_hidden: Vec<bool>,
}

impl Structure {
    /// Where a member is shown.
    pub fn place(&self, member: MemberIndex) -> Option<Place> {
        self.places.get(member.place()).copied().flatten()
    }

    /// True for a member that a folded item stands for.
    pub fn is_hidden(&self, member: MemberIndex) -> bool {
        self.is_hidden.get(member.place()).copied().unwrap_or(false)
    }
}

/// Builds the request and what its items show. Linear in members and dependencies.
pub fn structure(roster: &Roster, workflow: &Workflow, folding: &Folding, direction: Direction) -> Structure {
    let mut structure = Structure {
        places: vec![None; roster.members.len()],
        is_hidden: vec![false; roster.members.len()],
        ..Structure::default()
    };
    structure.request.direction = direction;
    let parents = place_members(roster, folding, &mut structure);
    for (place, parent) in parents.into_iter().enumerate() {
        let item = item(roster, workflow, folding, &structure, structure.items[place].member);
        let request = ItemRequest {
            parent,
            shape: shape(roster, &item),
            row: roster.member(item.member).row,
            lanes: item.lanes.iter().map(lane_request).collect(),
        };
        structure.items[place] = item;
        structure.request.items.push(request);
    }
    connect(roster, &mut structure);
    structure
}

/// Gives every member its item and lane, owners first; tells the parent of each item.
fn place_members(roster: &Roster, folding: &Folding, structure: &mut Structure) -> Vec<Option<ItemIndex>> {
    let mut parents = Vec::new();
    let mut stack: Vec<MemberIndex> = roster.tops().collect();
    stack.reverse();
    while let Some(index) = stack.pop() {
        let item = ItemIndex(u32::try_from(structure.items.len()).expect("fewer than 4 billion items"));
        let around = roster.member(index).around;
        parents.push(around.and_then(|around| structure.place(around)).map(|place| place.item));
        structure.items.push(Item {
            member: index,
            kind: ItemKind::Leaf,
            title: String::new(),
            type_text: String::new(),
            type_glyph: Glyph::Pod,
            lanes: Vec::new(),
        });
        structure.places[index.place()] = Some(Place { item, lane: None });
        let mut next = Vec::new();
        if folding.is_folded(roster, index) {
            hide_inside(roster, index, item, structure);
        } else {
            next.extend(roster.inside(index));
        }
        for (lane, &hook) in roster.hooks(index).iter().enumerate() {
            if roster.is_box(hook) {
                next.push(hook);
            } else {
                structure.places[hook.place()] = Some(Place { item, lane: Some(lane) });
            }
        }
        stack.extend(next.into_iter().rev());
    }
    parents
}

/// Everything inside a folded member is shown by its item.
fn hide_inside(roster: &Roster, outer: MemberIndex, item: ItemIndex, structure: &mut Structure) {
    let mut stack: Vec<MemberIndex> = roster.inside(outer).to_vec();
    while let Some(index) = stack.pop() {
        structure.places[index.place()] = Some(Place { item, lane: None });
        structure.is_hidden[index.place()] = true;
        stack.extend(roster.inside(index));
        stack.extend(roster.hooks(index));
    }
}

fn item(
    roster: &Roster,
    workflow: &Workflow,
    folding: &Folding,
    structure: &Structure,
    index: MemberIndex,
) -> Item {
    let member = roster.member(index);
    let kind = if !roster.is_box(index) {
        ItemKind::Leaf
    } else if folding.is_folded(roster, index) {
        ItemKind::Folded
    } else {
        ItemKind::Box
    };
    let template = workflow.spec.templates.iter().find(|template| template.name == member.template);
    let (type_glyph, type_text) = type_of(member, template);
    let name = match member.node_type {
        NodeType::TaskGroup if kind == ItemKind::Folded => {
            format!("{} × {}", member.label, roster.inside(index).len())
        }
        _ => member.label.clone(),
    };
    let title = match kind {
        ItemKind::Box => name,
        ItemKind::Leaf => {
            let room = measure::LEAF_WIDTH_MAX - measure::LEAF_BESIDE_TEXT;
            text_width::cut_name(&name, Face::NAME, room)
        }
        ItemKind::Folded => text_width::cut_name(&name, Face::BOX_NAME, 130.0),
    };
    let lanes = roster.hooks(index).iter().map(|&hook| {
        let hook_member = roster.member(hook);
        LaneItem {
            member: hook,
            item: structure.place(hook).filter(|place| place.lane.is_none()).map(|place| place.item),
            title: hook_member.label.clone(),
            glyph: hook_glyph(hook_member.role),
            condition: hook_member.condition.as_deref().map(condition_text),
        }
    });
    Item { member: index, kind, title, type_text, type_glyph, lanes: lanes.collect() }
}

/// The glyph of a hook; of anything else none is asked.
pub(crate) fn hook_glyph(role: Role) -> Glyph {
    match role {
        Role::Handler => Glyph::Handler,
        Role::NamedHook => Glyph::Named,
        Role::ExitHook | Role::Root | Role::Work => Glyph::Exit,
    }
}

fn shape(roster: &Roster, item: &Item) -> Shape {
    match item.kind {
        ItemKind::Folded => Shape::folded(),
        ItemKind::Leaf => {
            let name = text_width::width(&item.title, Face::NAME);
            let second = text_width::width(&item.type_text, Face::META) + CLOCK_ROOM;
            let width = measure::LEAF_BESIDE_TEXT + name.max(second);
            Shape::leaf(width.clamp(measure::LEAF_WIDTH_MIN, measure::LEAF_WIDTH_MAX).ceil())
        }
        ItemKind::Box => {
            let label = &roster.member(item.member).label;
            let name = text_width::width(label, Face::BOX_NAME);
            let second = text_width::width(&item.type_text, Face::META);
            // Fold arrow and glyph on the left, gaps, and "left Running" on the right.
            Shape::Box { header_width_px: (54.0 + name + 10.0 + second + 84.0).ceil() }
        }
    }
}

fn lane_request(lane: &LaneItem) -> Lane {
    let condition = lane.condition.as_deref().map_or(0.0, |text| text_width::width(text, Face::META) + 10.0);
    let text = text_width::width(&lane.title, Face::NAME) + PILL_RIGHT_ROOM.max(condition);
    let width =
        (measure::PILL_BESIDE_TEXT + text).clamp(measure::PILL_WIDTH_MIN, measure::PILL_WIDTH_MAX).ceil();
    let mut request = match lane.glyph {
        Glyph::Named => Lane::named(width),
        _ => Lane::exit(width),
    };
    if let Some(item) = lane.item {
        request.content = LaneContent::Item(item);
    }
    request
}

fn connect(roster: &Roster, structure: &mut Structure) {
    for index in roster.indices() {
        let Some(to) = structure.place(index) else { continue };
        for &before in &roster.member(index).after {
            let Some(from) = structure.place(before) else { continue };
            let is_pill = from.lane.is_some() || to.lane.is_some();
            if from.item != to.item && !is_pill {
                structure.request.connect(from.item, to.item);
            }
        }
    }
}

/// The type of a node as glyph and words, with what its template adds.
fn type_of(member: &Member, template: Option<&Template>) -> (Glyph, String) {
    let with_template = |word: &str| match member.role {
        Role::Root if !member.template.is_empty() => format!("{word} · {}", member.template),
        Role::Root | Role::Work | Role::ExitHook | Role::NamedHook | Role::Handler => word.to_owned(),
    };
    match member.node_type {
        NodeType::DAG => (Glyph::Dag, with_template("DAG")),
        NodeType::Steps => (Glyph::Steps, with_template("Steps")),
        NodeType::StepGroup => (Glyph::StepGroup, "Step group".to_owned()),
        NodeType::TaskGroup => (Glyph::Items, "items".to_owned()),
        NodeType::Retry => (Glyph::Retry, leaf_type(template)),
        NodeType::Suspend => (Glyph::Suspend, "suspend".to_owned()),
        NodeType::HTTP => (Glyph::Http, "http".to_owned()),
        NodeType::Plugin => (Glyph::Pod, "plugin".to_owned()),
        NodeType::Container => (Glyph::Pod, "container".to_owned()),
        NodeType::Pod | NodeType::Skipped => {
            let is_script = template.is_some_and(|template| template.script.is_some());
            let glyph = if is_script { Glyph::Script } else { Glyph::Pod };
            (glyph, leaf_type(template))
        }
    }
}

fn leaf_type(template: Option<&Template>) -> String {
    let Some(template) = template else { return "pod".to_owned() };
    if template.script.is_some() {
        return "script".to_owned();
    }
    if template.suspend.is_some() {
        return "suspend".to_owned();
    }
    let command = template.container.as_ref().and_then(short_command);
    match command {
        Some(command) => format!("pod · {command}"),
        None => "pod".to_owned(),
    }
}

/// A command that is short enough to say what a leaf does: `sleep 600`.
fn short_command(container: &Container) -> Option<String> {
    let mut words: Vec<&str> = container.command.iter().chain(&container.args).map(String::as_str).collect();
    if let [shell, "-c", script] = words[..]
        && matches!(shell.rsplit('/').next(), Some("sh" | "bash" | "ash"))
    {
        words = vec![script];
    }
    let command = words.join(" ");
    let fits = !command.is_empty() && command.chars().count() <= COMMAND_CHARS;
    (fits && !command.contains(['\n', '{'])).then_some(command)
}

/// When a named hook runs, short: `workflow.status == "Failed"` becomes `if Failed`.
pub(crate) fn condition_text(expression: &str) -> String {
    let expression = expression.trim();
    if let Some((left, right)) = expression.split_once("==") {
        let phase = right.trim().trim_matches(['"', '\'']);
        let is_word = !phase.is_empty() && phase.bytes().all(|byte| byte.is_ascii_alphabetic());
        if left.trim().ends_with(".status") && is_word {
            return match phase {
                "Running" | "Pending" => format!("on {phase}"),
                _ => format!("if {phase}"),
            };
        }
    }
    let mut text: String = expression.chars().take(CONDITION_CHARS).collect();
    if text.len() < expression.len() {
        text.push(text_width::ELLIPSIS);
    }
    format!("if {text}")
}
