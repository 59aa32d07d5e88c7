//! DAGs and steps with their tasks: dependencies, conditions, loops.

use serde_json::{Value, json};

use super::{Maker, Place};

/// A task made so far.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Made {
    name: String,
    gives_list: bool,
    gives_p: bool,
    is_daemon: bool,
    is_loop: bool,
}

/// Which language a DAG has for its edges; no DAG may have both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edges {
    Dependencies,
    Depends,
}

impl Maker {
    /// A box of about `nodes` nodes, and how many it will be.
    pub(super) fn boxed(&mut self, nodes: usize, place: Place) -> (Value, usize) {
        let is_dag = !self.one_in(3);
        let (mut body, made, known) = if is_dag { self.dag(nodes, place) } else { self.steps(nodes, place) };
        let has_daemon = known.iter().any(|task| task.is_daemon);
        if self.one_in(8) && !has_daemon {
            body["parallelism"] = json!(1 + self.numbers.below(3));
        }
        if self.one_in(10) {
            body["failFast"] = json!(true);
        }
        if self.one_in(12) && place.depth > 0 && made < 20 {
            body["retryStrategy"] = if self.rarely(2) { self.retry() } else { json!({"limit": "1"}) };
        }
        if self.one_in(10) && place.depth > 0 {
            // Boxes take their locks from the outside in, so that nobody waits in a circle.
            body["synchronization"] = json!({"mutexes": [{"name": format!("box-{}", place.depth)}]});
        }
        let word = if is_dag { "tasks" } else { "steps" };
        let has_all = body.pointer("/dag/target").is_none();
        if let Some(giver) = known.iter().find(|task| task.gives_p && !task.is_loop && has_all)
            && self.one_in(3)
        {
            let giver = &giver.name;
            let mut from = if self.rarely(3) {
                json!({"expression": format!("{word}['{giver}'].outputs.parameters.p")})
            } else {
                json!({"parameter": format!("{{{{{word}.{giver}.outputs.parameters.p}}}}")})
            };
            if self.rarely(3) {
                from["default"] = json!("none");
            }
            body["outputs"] = json!({"parameters": [{"name": "p", "valueFrom": from}]});
            if self.rarely(4) {
                body["outputs"]["parameters"][0]["globalName"] = json!("shown");
            }
        }
        if self.one_in(24) && !place.is_hook && place.depth > 0 {
            body["memoize"] = self.memoize();
        }
        (body, made + 1)
    }

    fn dag(&mut self, nodes: usize, place: Place) -> (Value, usize, Vec<Made>) {
        let edges = if self.one_in(2) { Edges::Depends } else { Edges::Dependencies };
        let mut known: Vec<Made> = Vec::new();
        let mut tasks = Vec::new();
        let mut made = 0;
        while made + 1 < nodes {
            let (mut task, cost, mut facts) = self.task("tasks", nodes - made - 1, place, &known);
            self.edges(&mut task, edges, &known);
            if edges == Edges::Dependencies {
                self.continue_on(&mut task);
            }
            // A list is only there once its giver is over.
            if let Some(giver) = loops_over(&task) {
                need(&mut task, edges, &giver);
            }
            facts.is_loop = is_loop(&task);
            tasks.push(task);
            known.push(facts);
            made += cost;
        }
        let mut body = json!({"dag": {"tasks": tasks}});
        if self.one_in(4) {
            body["dag"]["failFast"] = json!(false);
        }
        if self.one_in(12)
            && let Some(last) = known.last()
        {
            body["dag"]["target"] = json!(last.name);
        }
        (body, made, known)
    }

    fn steps(&mut self, nodes: usize, place: Place) -> (Value, usize, Vec<Made>) {
        let mut known: Vec<Made> = Vec::new();
        let mut groups: Vec<Vec<Value>> = Vec::new();
        let mut made = 0;
        while made + 2 < nodes {
            made += 1;
            let mut group = Vec::new();
            let mut facts = Vec::new();
            for _ in 0..=self.numbers.below(3) {
                if made + 1 >= nodes {
                    break;
                }
                let (mut step, cost, fact) = self.task("steps", nodes - made - 1, place, &known);
                self.continue_on(&mut step);
                group.push(step);
                facts.push(fact);
                made += cost;
            }
            known.extend(facts);
            groups.push(group);
        }
        if groups.is_empty() {
            let (step, cost, fact) = self.task("steps", 1, place, &known);
            groups.push(vec![step]);
            known.push(fact);
            made += cost;
        }
        groups.retain(|group| !group.is_empty());
        (json!({"steps": groups}), made, known)
    }

    /// A task or step with everything but its edges, and about how many nodes it makes.
    fn task(&mut self, word: &str, most: usize, place: Place, known: &[Made]) -> (Value, usize, Made) {
        let exit = self.exit();
        let name = format!("t{}{}", self.made, exit.suffix());
        self.made += 1;
        let is_daemon = !place.is_hook && self.one_in(14);
        let share = 1 + self.numbers.below(most.max(1));
        let times = if most >= 6 && self.one_in(6) && !is_daemon { 1 + self.numbers.below(3) } else { 0 };
        let (fields, mut cost, gives_list, gives_p) = if is_daemon {
            let body = self.daemon();
            let fields = super::object(json!({"template": self.keep("daemon", body)}));
            (fields, 1, false, false)
        } else {
            let called = self.called(share / times.max(1), place.inner());
            (called.fields, called.nodes, called.gives_list, called.gives_p)
        };
        let mut task = json!({"name": name});
        if let Some(task) = task.as_object_mut() {
            task.extend(fields);
        }
        if times > 0 {
            cost = cost * times + 1;
            self.make_loop(&mut task, word, times, known);
        }
        let has_maps = task.pointer("/withItems/0").is_some_and(Value::is_object);
        if has_maps && self.rarely(3) {
            task["when"] = json!("{{item.key}} != i1");
        } else if self.rarely(12) {
            task["when"] = json!("{{=workflow.parameters.go == 'yes'}}");
        } else if self.one_in(8) {
            task["when"] = json!(self.pick(&[
                "1 == 1",
                "1 == 2",
                "{{workflow.parameters.go}} == yes",
                "'{{workflow.status}}' != Failed",
            ]));
        }
        let hooked = self.hooks(&mut task, exit, word, place);
        cost += hooked * times.max(1);
        let is_loop = times > 0;
        let made = Made {
            name,
            gives_list: gives_list && !is_loop,
            gives_p: gives_p && !is_loop,
            is_daemon,
            is_loop,
        };
        (task, cost, made)
    }

    fn make_loop(&mut self, task: &mut Value, word: &str, times: usize, known: &[Made]) {
        let items: Vec<String> = (0..times).map(|item| format!("i{item}")).collect();
        let giver = known.iter().rev().find(|task| task.gives_list);
        match (self.numbers.below(4), giver) {
            (0, Some(giver)) => {
                task["withParam"] = json!(format!("{{{{{word}.{}.outputs.result}}}}", giver.name));
            }
            (0 | 1, _) => task["withParam"] = json!(json!(items).to_string()),
            (2, _) if self.rarely(2) => {
                task["withSequence"] = json!({"start": times.to_string(), "end": "1", "format": "n%02d"});
            }
            (2, _) => task["withSequence"] = json!({"count": times.to_string()}),
            _ if self.rarely(3) => {
                let maps: Vec<Value> = items.iter().map(|item| json!({"key": item})).collect();
                task["withItems"] = json!(maps);
            }
            _ => task["withItems"] = json!(items),
        }
    }

    fn continue_on(&mut self, task: &mut Value) {
        if self.one_in(6) {
            task["continueOn"] = json!({"failed": true, "error": self.one_in(2)});
        }
    }

    fn edges(&mut self, task: &mut Value, edges: Edges, known: &[Made]) {
        let mut needs: Vec<&Made> = Vec::new();
        for _ in 0..self.numbers.below(3) {
            // Mostly near ones, so that there are chains.
            let back = 1 + self.numbers.below(known.len().clamp(1, 4));
            if let Some(need) = known.len().checked_sub(back).map(|at| &known[at])
                && !needs.iter().any(|other| other.name == need.name)
            {
                needs.push(need);
            }
        }
        if needs.is_empty() {
            return;
        }
        match edges {
            Edges::Dependencies => {
                task["dependencies"] = json!(needs.iter().map(|need| &need.name).collect::<Vec<_>>());
            }
            Edges::Depends => {
                let mut text = String::new();
                for need in needs {
                    if !text.is_empty() {
                        text.push_str(self.pick(&[" && ", " && ", " || "]));
                    }
                    text.push_str(&self.term(need));
                }
                task["depends"] = json!(text);
            }
        }
    }

    fn term(&mut self, need: &Made) -> String {
        let name = &need.name;
        if need.is_loop && self.one_in(4) {
            return format!("({name}.AnySucceeded || {name}.AllFailed)");
        }
        match self.numbers.below(8) {
            0 => format!("{name}.Failed"),
            1 => format!(
                "({name}.Succeeded || {name}.Failed || {name}.Errored || {name}.Skipped || {name}.Omitted)"
            ),
            2 => format!("!{name}.Errored"),
            3 => format!("({name} || {name}.Failed)"),
            4 if need.is_daemon => format!("{name}.Daemoned"),
            _ => name.clone(),
        }
    }
}

fn is_loop(task: &Value) -> bool {
    ["withItems", "withParam", "withSequence"].iter().any(|key| !task[*key].is_null())
}

/// The task whose result a task loops over.
fn loops_over(task: &Value) -> Option<String> {
    let name = task["withParam"].as_str()?.strip_prefix("{{tasks.")?.split('.').next()?;
    Some(name.to_owned())
}

/// Makes a task wait for another.
fn need(task: &mut Value, edges: Edges, name: &str) {
    match edges {
        Edges::Depends => {
            let before = task["depends"].as_str().map(|text| format!("({text}) && ")).unwrap_or_default();
            task["depends"] = json!(format!("{before}{name}"));
        }
        Edges::Dependencies => {
            let mut needs = task["dependencies"].as_array().cloned().unwrap_or_default();
            if !needs.iter().any(|need| *need == name) {
                needs.push(json!(name));
            }
            task["dependencies"] = json!(needs);
        }
    }
}
