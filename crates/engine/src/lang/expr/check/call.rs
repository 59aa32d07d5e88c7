//! Which arguments fit a function. Source: expr-lang `checker/checker.go`, `callNode`, `builtinNode`,
//! `checkFunction`; `builtin/builtin.go` and `builtin/validation.go`.

use super::{Checker, Fault, Kind, Loop, Nature, Node, Type};
use crate::lang::expr::builtins;
use crate::lang::expr::nature::{GROUPS, KEYED, NAMED, Signature};

impl<'a> Checker<'a> {
    pub(super) fn call(
        &mut self,
        node: &Node,
        callee: &'a Node,
        arguments: &'a [Node],
    ) -> Result<Nature, Fault> {
        let name = match &callee.kind {
            Kind::Name(name) if name == "$env" => {
                return Err(Fault::new(node.at, format!("{NAMED} is not callable")));
            }
            Kind::Name(name) => name.as_str(),
            Kind::Member { property, .. } => match &property.kind {
                Kind::Text(name) => name,
                _ => "function",
            },
            _ => "function",
        };
        match self.visit(callee)? {
            Nature::Unknown | Nature::Any => Ok(Nature::Unknown),
            Nature::Nil => Err(Fault::new(node.at, format!("{name} is nil; cannot call nil as function"))),
            Nature::Function(signature) => {
                let natures = self.visit_all(arguments)?;
                accepts(name, signature, &natures, arguments, node.at)
            }
            other => Err(Fault::new(node.at, format!("{} is not callable", other.name()))),
        }
    }

    fn visit_all(&mut self, nodes: &'a [Node]) -> Result<Vec<Nature>, Fault> {
        nodes.iter().map(|node| self.visit(node)).collect()
    }

    pub(super) fn builtin(
        &mut self,
        node: &Node,
        name: &'static str,
        arguments: &'a [Node],
    ) -> Result<Nature, Fault> {
        if name == "get" && arguments.len() != 2 {
            let text = format!("invalid number of arguments (expected 2, got {})", arguments.len());
            return Err(Fault::new(node.at, text));
        }
        let natures = self.visit_all(arguments)?;
        if name == "get" {
            return get(arguments, &natures, self.root);
        }
        let signatures = builtins::signatures(name);
        if signatures.is_empty() {
            return validated(name, &natures).map_err(|text| Fault::new(node.at, text));
        }
        let mut last = Err(Fault::new(node.at, format!("no matching overload for {name}")));
        for signature in signatures {
            last = accepts(name, signature, &natures, arguments, node.at);
            if last.is_ok() {
                break;
            }
        }
        last
    }

    pub(super) fn walk(&mut self, kind: Loop, arguments: &'a [Node]) -> Result<Nature, Fault> {
        let [list, rest @ ..] = arguments else {
            return Ok(Nature::Unknown);
        };
        let nature = self.visit(list)?;
        if !nature.is_list() && !nature.is_unknown() {
            let text = format!("builtin {} takes only array (got {})", kind.text(), nature.name());
            return Err(Fault::new(list.at, text));
        }
        let item = if nature.is_unknown() { Nature::Unknown } else { nature.item() };
        let Some(predicate) = rest.first() else {
            return Ok(if kind == Loop::Count { Nature::Int } else { item });
        };
        let known: &[&str] = match kind {
            Loop::Map => &["index"],
            Loop::Reduce => &["index", "acc"],
            _ => &[],
        };
        self.predicates.push((nature.clone(), known));
        let result = self.visit(predicate);
        self.predicates.pop();
        let result = result?;
        if let Some(extra) = rest.get(1) {
            let order = self.visit(extra)?;
            if kind == Loop::SortBy && order != Nature::Text && !order.is_unknown() {
                let text = format!("sortBy order argument must be a string (got {})", order.name());
                return Err(Fault::new(extra.at, text));
            }
        }
        if result == Nature::Nil {
            let inputs = if kind == Loop::Reduce { "two" } else { "one" };
            let text = format!("predicate should has {inputs} input and one output param");
            return Err(Fault::new(predicate.at, text));
        }
        walked(kind, &nature, item, &result).map_err(|text| Fault::new(predicate.at, text))
    }
}

/// What a walk over `list` gives, whose predicate gives `result`.
fn walked(kind: Loop, list: &Nature, item: Nature, result: &Nature) -> Result<Nature, String> {
    let tests = match kind {
        Loop::All
        | Loop::None
        | Loop::Any
        | Loop::One
        | Loop::Filter
        | Loop::Count
        | Loop::Find
        | Loop::FindIndex
        | Loop::FindLast
        | Loop::FindLastIndex => true,
        Loop::Map | Loop::Sum | Loop::GroupBy | Loop::SortBy | Loop::Reduce => false,
    };
    if tests && *result != Nature::Bool && !result.is_unknown() {
        return Err(format!("predicate should return boolean (got {})", result.name()));
    }
    Ok(match kind {
        Loop::All | Loop::None | Loop::Any | Loop::One => Nature::Bool,
        Loop::Filter if list.is_unknown() => Type::Anys.nature(),
        Loop::Filter => item.list(),
        Loop::Map => result.clone().list(),
        Loop::Count | Loop::FindIndex | Loop::FindLastIndex => Nature::Int,
        Loop::Sum => {
            if result.is_unknown() {
                Nature::Any
            } else {
                result.clone()
            }
        }
        Loop::Find | Loop::FindLast => item,
        Loop::GroupBy => Nature::Map(GROUPS, Box::new(item.list())),
        Loop::SortBy => list.clone(),
        Loop::Reduce => result.clone(),
    })
}

fn accepts(
    name: &str,
    signature: &Signature,
    natures: &[Nature],
    arguments: &[Node],
    at: usize,
) -> Result<Nature, Fault> {
    if natures.len() != signature.takes.len() {
        let many = if natures.len() > signature.takes.len() { "too many" } else { "not enough" };
        return Err(Fault::new(at, format!("{many} arguments to call {name}")));
    }
    for ((takes, nature), argument) in signature.takes.iter().zip(natures).zip(arguments) {
        let (to, shown) = (takes.nature(), takes.name());
        if to == Nature::Float && *nature == Nature::Int {
            continue;
        }
        if *nature == Nature::Nil {
            if to == Nature::Any {
                continue;
            }
            let text = format!("cannot use nil as argument (type {shown}) to call {name}");
            return Err(Fault::new(argument.at, text));
        }
        if !nature.fits(&to) && !nature.is_unknown() {
            let text = format!("cannot use {} as argument (type {shown}) to call {name} ", nature.name());
            return Err(Fault::new(argument.at, text));
        }
    }
    Ok(signature.gives.nature())
}

fn get(arguments: &[Node], natures: &[Nature], root: &super::Map) -> Result<Nature, Fault> {
    let ([base, key], [of, property]) = (natures, arguments) else {
        return Ok(Nature::Unknown);
    };
    if let (Kind::Name(name), Kind::Text(key)) = (&of.kind, &property.kind)
        && name == "$env"
    {
        return Ok(root.get(key).map_or(Nature::Unknown, Nature::of));
    }
    match base {
        Nature::Unknown | Nature::Any => Ok(Nature::Unknown),
        Nature::List(_, item) if *key == Nature::Int || key.is_unknown() => Ok((**item).clone()),
        Nature::List(..) => Err(Fault::new(property.at, format!("non-integer slice index {}", key.name()))),
        Nature::Map(kind, item) => {
            let keys = if *kind == NAMED { Nature::Text } else { Nature::Any };
            if key.fits(&keys) || key.is_unknown() {
                return Ok((**item).clone());
            }
            let text = format!("cannot use {} to get an element from {kind}", key.name());
            Err(Fault::new(property.at, text))
        }
        other => Err(Fault::new(of.at, format!("type {} does not support indexing", other.name()))),
    }
}

/// Functions that look at the types of their arguments themselves.
fn validated(name: &str, natures: &[Nature]) -> Result<Nature, String> {
    let shown = |nature: &Nature| if *nature == Nature::Nil { "%!s(<nil>)" } else { nature.name() };
    let number = |nature: &Nature| nature.is_number() || *nature == Nature::Duration;
    let list = |nature: &Nature| nature.is_list() || nature.is_unknown();
    let wrong = |nature: &Nature| Err(format!("invalid argument for {name} (type {})", shown(nature)));
    let count = |expected: usize| {
        let text = format!("invalid number of arguments (expected {expected}, got {})", natures.len());
        if natures.len() == expected { Ok(()) } else { Err(text) }
    };
    match name {
        "max" | "min" | "mean" | "median" => return aggregated(name, natures, shown),
        "now" => return count(0).map(|()| Nature::Time),
        "date" => {
            return match natures.len() {
                0 => Err("invalid number of arguments (expected at least 1, got 0)".to_owned()),
                1..=3 => Ok(Nature::Time),
                many => Err(format!("invalid number of arguments (expected at most 3, got {many})")),
            };
        }
        "concat" if natures.is_empty() => {
            return Err("invalid number of arguments (expected at least 1, got 0)".to_owned());
        }
        "concat" => {}
        "take" => count(2)?,
        _ => count(1)?,
    }
    let first = &natures[0];
    let map = matches!(first, Nature::Map(..)) || first.is_unknown();
    match name {
        "len" if list(first) || map || *first == Nature::Text => Ok(Nature::Int),
        "abs" | "first" | "last" if first.is_unknown() => Ok(Nature::Any),
        "abs" if number(first) => Ok(first.clone()),
        "ceil" | "floor" | "round" if number(first) || first.is_unknown() => Ok(Nature::Float),
        "int" if number(first) || first.is_unknown() || *first == Nature::Text => Ok(Nature::Int),
        "float" if number(first) || first.is_unknown() || *first == Nature::Text => Ok(Nature::Float),
        "len" | "abs" | "ceil" | "floor" | "round" | "int" | "float" => wrong(first),
        "first" | "last" => match first {
            Nature::List(Type::Anys, _) => Ok(Nature::Any),
            Nature::List(..) => Ok(first.item()),
            _ => Err(format!("cannot get {name} element from {}", shown(first))),
        },
        "take" if !list(first) => Err(format!("cannot take from {}", shown(first))),
        "take" if natures[1] != Nature::Int && !natures[1].is_unknown() => {
            Err(format!("cannot take {} elements", shown(&natures[1])))
        }
        "take" if first.is_unknown() => Ok(Nature::Any),
        "take" => Ok(first.clone()),
        "keys" | "values" | "toPairs" if map => Ok(Type::Anys.nature()),
        "keys" | "values" => Err(format!("cannot get {name} from {}", shown(first))),
        "toPairs" => Err(format!("cannot transform {} to pairs", shown(first))),
        "fromPairs" if list(first) => Ok(Nature::Map(KEYED, Box::new(Nature::Any))),
        "fromPairs" => Err(format!("cannot transform {} from pairs", shown(first))),
        _ => match natures.iter().find(|nature| !list(nature)) {
            Some(wrong) => Err(format!("cannot {name} {}", shown(wrong))),
            None => Ok(Type::Anys.nature()),
        },
    }
}

fn aggregated(name: &str, natures: &[Nature], shown: fn(&Nature) -> &'static str) -> Result<Nature, String> {
    let Some(first) = natures.first() else {
        return Err(format!("not enough arguments to call {name}"));
    };
    for nature in natures {
        if nature.is_list() || nature.is_unknown() {
            return Ok(Nature::Any);
        }
        if !nature.is_number() && *nature != Nature::Duration {
            return Err(format!("invalid argument for {name} (type {})", shown(nature)));
        }
    }
    Ok(first.clone())
}
