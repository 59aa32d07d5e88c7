//! On which tasks a task of a DAG depends, as Argo reads it off the text of `depends`.
//! Source: Argo `workflow/common/ancestry.go`, `GetTaskDependencies`, `ValidateTaskResults`,
//! `GetTaskAncestry`; `util/sorting/topological_sorting.go`, `TopologicalSorting`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use unwind_model::spec::Task;

/// Results that a `depends` may ask for.
const RESULTS: [&str; 8] =
    ["Succeeded", "Failed", "Skipped", "Omitted", "Errored", "Daemoned", "AnySucceeded", "AllFailed"];

/// A task that another depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// It is asked for `AnySucceeded` or `AllFailed`, which only loops have.
    pub(super) of_items: bool,
}

/// What a task depends on, in the order of its text, each task once.
pub(super) fn of(task: &Task) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for operand in operands(&text(task)) {
        let of_items = matches!(operand.result.as_deref(), Some("AnySucceeded" | "AllFailed"));
        if let Some(place) = places.get(&operand.name) {
            // A bare name counts last, a result only for the worse.
            let known = &mut found[*place];
            known.of_items = of_items || (known.of_items && operand.result.is_some());
        } else {
            places.insert(operand.name.clone(), found.len());
            found.push(Dependency { name: operand.name, of_items });
        }
    }
    found
}

/// The first result of a `depends` that no task can have.
pub(super) fn check_results(task: &Task) -> Result<(), String> {
    let wrong = operands(&task.depends).into_iter().find_map(|Operand { name, result }| {
        result.filter(|result| !RESULTS.contains(&result.as_str())).map(|result| (name, result))
    });
    match wrong {
        Some((name, result)) => Err(format!("task result '{result}' for task '{name}' is invalid")),
        None => Ok(()),
    }
}

/// The `depends`, or the one that `dependencies` stand for as far as their names go.
fn text(task: &Task) -> String {
    if !task.depends.is_empty() {
        return task.depends.clone();
    }
    task.dependencies.iter().map(|name| format!("({name}.Succeeded)")).collect::<Vec<_>>().join(" && ")
}

/// `name` or `name.Result` in a `depends`.
struct Operand {
    name: String,
    result: Option<String>,
}

/// All that looks like a name, whatever stands around it.
fn operands(text: &str) -> Vec<Operand> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        rest = &rest[start..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        let result = rest
            .strip_prefix('.')
            .map(|after| &after[..after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len())]);
        let result = result
            .filter(|word| word.len() > 1 && word.starts_with(|c: char| c.is_ascii_uppercase()))
            .map(str::to_owned);
        rest = &rest[result.as_ref().map_or(0, |word| word.len() + 1)..];
        found.push(Operand { name, result });
    }
    found
}

/// Indices of the tasks so that each comes after all that it depends on, the others in the order of the
/// document (Argo's own order is random there).
pub(super) fn sorted(tasks: &[Task], dependencies: &[Vec<Dependency>]) -> Result<Vec<usize>, String> {
    let mut indices = BTreeMap::new();
    for (index, task) in tasks.iter().enumerate() {
        if indices.insert(task.name.as_str(), index).is_some() {
            return Err(format!("duplicated nodeName {}", task.name));
        }
    }
    let mut dependants: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    for (index, list) in dependencies.iter().enumerate() {
        for dependency in list {
            let Some(prior) = indices.get(dependency.name.as_str()) else {
                return Err(format!("invalid dependency {}", dependency.name));
            };
            dependants[*prior].push(index);
        }
    }
    let mut open: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut queue: Vec<usize> = (0..tasks.len()).filter(|index| open[*index] == 0).collect();
    let mut head = 0;
    while let Some(index) = queue.get(head).copied() {
        for next in &dependants[index] {
            open[*next] -= 1;
            if open[*next] == 0 {
                queue.push(*next);
            }
        }
        head += 1;
    }
    if queue.len() < tasks.len() { Err("graph with cycle".to_owned()) } else { Ok(queue) }
}

/// Whether `other` must be over before `task` begins. Costs the walk from `task` back to `other`.
pub(super) fn is_after(task: &str, other: &str, dependencies: &BTreeMap<&str, &[Dependency]>) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = VecDeque::from([task]);
    while let Some(name) = open.pop_front() {
        for dependency in dependencies.get(name).copied().unwrap_or_default() {
            if dependency.name == other {
                return true;
            }
            if seen.insert(dependency.name.as_str()) {
                open.push_back(&dependency.name);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use unwind_model::spec::Task;

    use super::{check_results, of, sorted};

    fn task(name: &str, depends: &str) -> Task {
        Task { name: name.to_owned(), depends: depends.to_owned(), ..Task::default() }
    }

    fn names(depends: &str) -> String {
        let mark = |of_items| if of_items { "*" } else { "" };
        let found = of(&task("z", depends));
        let names: Vec<String> =
            found.iter().map(|found| format!("{}{}", found.name, mark(found.of_items))).collect();
        names.join(" ")
    }

    #[test]
    fn names_are_read_off_the_text() {
        for (depends, expected) in [
            ("a && (b.Succeeded || !c-1.Failed) && a.Skipped", "a b c-1"),
            ("a.AnySucceeded && a.Failed", "a*"),
            ("a.AnySucceeded && a", "a"),
            ("a &&", "a"),
            ("a.succeeded", "a succeeded"),
            ("", ""),
        ] {
            assert_eq!(names(depends), expected, "{depends}");
        }
        let listed = Task { dependencies: vec!["a".to_owned(), "b.c".to_owned()], ..Task::default() };
        let listed: Vec<String> = of(&listed).into_iter().map(|found| found.name).collect();
        assert_eq!(listed, ["a", "b", "c"]);
    }

    #[test]
    fn unknown_results_are_told() {
        assert_eq!(check_results(&task("z", "a.Succeeded || b.Errored")), Ok(()));
        assert_eq!(
            check_results(&task("z", "a && b.Completed")),
            Err("task result 'Completed' for task 'b' is invalid".to_owned())
        );
    }

    #[test]
    fn tasks_are_sorted_or_it_is_told_why_not() {
        let sort = |tasks: &[Task]| {
            let dependencies: Vec<_> = tasks.iter().map(of).collect();
            sorted(tasks, &dependencies)
        };
        assert_eq!(
            sort(&[task("c", "b"), task("a", ""), task("b", "a"), task("d", "")]),
            Ok(vec![1, 3, 2, 0])
        );
        assert_eq!(sort(&[task("a", "b")]), Err("invalid dependency b".to_owned()));
        assert_eq!(sort(&[task("a", "b"), task("b", "a")]), Err("graph with cycle".to_owned()));
        assert_eq!(sort(&[task("a", ""), task("a", "")]), Err("duplicated nodeName a".to_owned()));
    }
}
