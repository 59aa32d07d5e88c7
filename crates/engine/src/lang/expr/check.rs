//! Finds what is wrong with an expression before it runs: unknown names and types that do not fit.
//!
//! In: the tree and the values at the top. Out: what is known of the result, or the first fault.
//! Source: expr-lang `checker/checker.go`.

mod call;
mod operator;

use super::nature::{NAMED, Nature, Type};
use super::place::Fault;
use super::tree::{Binary, Kind, Loop, Node, Unary};
use super::value::Map;
use super::{builtins, time};

/// Checks an expression against the values it will run with.
pub(super) fn check(node: &Node, source: &str, root: &Map) -> Result<Nature, Fault> {
    Checker { source, root, predicates: Vec::new(), variables: Vec::new() }.visit(node)
}

struct Checker<'a> {
    source: &'a str,
    root: &'a Map,
    /// The list that each enclosing predicate walks, and whether `#index` and `#acc` are known.
    predicates: Vec<(Nature, &'static [&'static str])>,
    variables: Vec<(&'a str, Nature)>,
}

impl<'a> Checker<'a> {
    fn visit(&mut self, node: &'a Node) -> Result<Nature, Fault> {
        match &node.kind {
            Kind::Nil => Ok(Nature::Nil),
            Kind::Bool(_) => Ok(Nature::Bool),
            Kind::Int(_) => Ok(Nature::Int),
            Kind::Float(_) => Ok(Nature::Float),
            Kind::Text(_) => Ok(Nature::Text),
            Kind::Name(name) => self.name(node, name),
            Kind::Unary(operator, operand) => self.unary(node, *operator, operand),
            Kind::Binary(operator, left, right) => self.binary(node, *operator, left, right),
            Kind::Chain(inner) | Kind::Predicate(inner) => self.visit(inner),
            Kind::Member { of, property, optional, method } => {
                if matches!(&of.kind, Kind::Name(name) if name == "$env") {
                    return self.member_of_root(node, property, *optional);
                }
                self.member(node, of, property, *method)
            }
            Kind::Slice { of, from, to } => self.slice(node, of, from.as_deref(), to.as_deref()),
            Kind::Call { callee, arguments } => self.call(node, callee, arguments),
            Kind::Builtin(name, arguments) => self.builtin(node, name, arguments),
            Kind::Loop(kind, arguments) => self.walk(*kind, arguments),
            Kind::Pointer(name) => self.pointer(node, name),
            Kind::Let { name, value, body } => self.declaration(node, name, value, body),
            Kind::Sequence(nodes) => {
                let mut last = Nature::Unknown;
                for node in nodes {
                    last = self.visit(node)?;
                }
                Ok(last)
            }
            Kind::Conditional(condition, yes, no) => self.conditional(condition, yes, no),
            Kind::List(nodes) => self.list(nodes),
            Kind::Map(pairs) => {
                for (key, value) in pairs {
                    self.visit(key)?;
                    self.visit(value)?;
                }
                Ok(Nature::map())
            }
            // Made after the check.
            Kind::InTexts(..) | Kind::OneOfFilter { .. } => Ok(Nature::Unknown),
        }
    }

    fn name(&self, node: &Node, name: &str) -> Result<Nature, Fault> {
        if let Some((_, nature)) = self.variables.iter().rev().find(|(own, _)| *own == name) {
            return Ok(nature.clone());
        }
        if name == "$env" || builtins::name_of(name).is_some() || Loop::of(name).is_some() {
            return Ok(self.root.get(name).map_or(Nature::Unknown, Nature::of));
        }
        self.top(node, name, true)
    }

    fn top(&self, node: &Node, name: &str, strict: bool) -> Result<Nature, Fault> {
        match self.root.get(name) {
            Some(value) => Ok(Nature::of(value)),
            None if strict => Err(Fault::new(node.at, format!("unknown name {name}"))),
            None => Ok(Nature::Unknown),
        }
    }

    fn member_of_root(&mut self, node: &Node, property: &Node, optional: bool) -> Result<Nature, Fault> {
        match &property.kind {
            Kind::Text(name) => self.top(node, name, !optional),
            _ => Ok(Nature::Unknown),
        }
    }

    fn member(
        &mut self,
        node: &Node,
        of: &'a Node,
        property: &'a Node,
        method: bool,
    ) -> Result<Nature, Fault> {
        let base = self.visit(of)?;
        let key = self.visit(property)?;
        if base.is_unknown() {
            return Ok(Nature::Unknown);
        }
        let name = match &property.kind {
            Kind::Text(name) => Some(&**name),
            _ => None,
        };
        match (&base, name) {
            (Nature::Nil, Some(name)) => {
                return Err(Fault::new(node.at, format!("type nil has no field {name}")));
            }
            (Nature::Time | Nature::Duration, Some(name)) => {
                if let Some(signature) = time::method(base == Nature::Time, name) {
                    return Ok(Nature::Function(signature));
                }
            }
            (Nature::Map(kind, item), _) => {
                let keys = if *kind == NAMED { Nature::Text } else { Nature::Any };
                if !key.fits(&keys) && !key.is_unknown() {
                    let text = format!("cannot use {} to get an element from {}", key.name(), base.name());
                    return Err(Fault::new(property.at, text));
                }
                return Ok((**item).clone());
            }
            (Nature::List(_, item), _) => {
                if key != Nature::Int && !key.is_unknown() {
                    let text =
                        format!("array elements can only be selected using an integer (got {})", key.name());
                    return Err(Fault::new(property.at, text));
                }
                return Ok((**item).clone());
            }
            _ => {}
        }
        Err(Fault::new(
            node.at,
            match name {
                Some(name) if method => format!("type {} has no method {name}", base.name()),
                Some(name) => format!("type {} has no field {name}", base.name()),
                None => format!("type {}[{}] is undefined", base.name(), key.name()),
            },
        ))
    }

    fn slice(
        &mut self,
        node: &Node,
        of: &'a Node,
        from: Option<&'a Node>,
        to: Option<&'a Node>,
    ) -> Result<Nature, Fault> {
        let base = self.visit(of)?;
        if base.is_unknown() {
            return Ok(Nature::Unknown);
        }
        if base != Nature::Text && !base.is_list() {
            return Err(Fault::new(node.at, format!("cannot slice {}", base.name())));
        }
        for edge in from.into_iter().chain(to) {
            let nature = self.visit(edge)?;
            if nature != Nature::Int && !nature.is_unknown() {
                return Err(Fault::new(edge.at, format!("non-integer slice index {}", nature.name())));
            }
        }
        Ok(base)
    }

    fn pointer(&self, node: &Node, name: &str) -> Result<Nature, Fault> {
        let Some((list, known)) = self.predicates.last() else {
            return Err(Fault::new(node.at, "cannot use pointer accessor outside predicate"));
        };
        match name {
            "" => Ok(list.item()),
            _ if !known.contains(&name) => Err(Fault::new(node.at, format!("unknown pointer #{name}"))),
            "index" => Ok(Nature::Int),
            _ => Ok(Nature::Unknown),
        }
    }

    fn declaration(
        &mut self,
        node: &Node,
        name: &'a str,
        value: &'a Node,
        body: &'a Node,
    ) -> Result<Nature, Fault> {
        let taken = if self.root.get(name).is_some() {
            ""
        } else if builtins::name_of(name).is_some() || Loop::of(name).is_some() {
            "builtin "
        } else if self.variables.iter().any(|(own, _)| *own == name) {
            "variable "
        } else {
            let nature = self.visit(value)?;
            self.variables.push((name, nature));
            let result = self.visit(body);
            self.variables.pop();
            return result;
        };
        Err(Fault::new(node.at, format!("cannot redeclare {taken}{name}")))
    }

    fn conditional(&mut self, condition: &'a Node, yes: &'a Node, no: &'a Node) -> Result<Nature, Fault> {
        let nature = self.visit(condition)?;
        if nature != Nature::Bool && !nature.is_unknown() {
            let text = format!("non-bool expression (type {}) used as condition", nature.name());
            return Err(Fault::new(condition.at, text));
        }
        let (yes, no) = (self.visit(yes)?, self.visit(no)?);
        Ok(match (&yes, &no) {
            (Nature::Nil, _) => no,
            (_, Nature::Nil) => yes,
            (Nature::List(_, left), Nature::List(_, right)) if yes.fits(&no) => {
                if left.fits(right) && right.fits(left) { yes } else { Type::Anys.nature() }
            }
            _ if yes.fits(&no) => yes,
            _ => Nature::Unknown,
        })
    }

    fn list(&mut self, nodes: &'a [Node]) -> Result<Nature, Fault> {
        let mut natures = Vec::new();
        for node in nodes {
            natures.push(self.visit(node)?);
        }
        let same = natures.windows(2).all(|pair| same_kind(&pair[0], &pair[1]));
        let item = if same { natures.pop().unwrap_or(Nature::Unknown) } else { Nature::Any };
        Ok(item.list())
    }
}

/// Whether two natures have one kind in Go.
fn same_kind(left: &Nature, right: &Nature) -> bool {
    let plain = |nature: &Nature| match nature {
        Nature::List(..) => "list",
        Nature::Map(..) => "map",
        Nature::Nil | Nature::Unknown => "",
        other => other.name(),
    };
    plain(left) == plain(right)
}

/// What an operand that does not fit is told.
fn unfit(at: usize, operator: Unary, nature: &Nature) -> Fault {
    Fault::new(at, format!("invalid operation: {} (mismatched type {})", operator.text(), nature.name()))
}
