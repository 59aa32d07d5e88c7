//! Makes wasm-bindgen's glue smaller: what only other JavaScript could use is left out.
//!
//! Crates bring classes for other scripts (`wasm-streams` three of them), which keep functions of the program
//! alive. No script imports from the page, so a class that nothing else in the glue names is never used.

use std::collections::BTreeSet;

/// The glue that is needed, and the program's exports that only the rest has used.
pub struct Slim {
    pub glue: String,
    pub unused_exports: Vec<String>,
}

/// Drops unused classes, comments and indentation.
pub fn slim(glue: &str) -> Slim {
    let mut kept = without_comments(glue);
    let mut dropped = String::new();
    for name in class_names(&kept) {
        if let Some((without, class)) = without_class(&kept, &name) {
            kept = without;
            dropped.push_str(&class);
        }
    }
    let used = exports_in(&kept);
    let unused_exports = exports_in(&dropped).difference(&used).map(|name| (*name).to_owned()).collect();
    Slim { glue: kept, unused_exports }
}

/// wasm-bindgen writes comments on lines of their own.
fn without_comments(glue: &str) -> String {
    let mut out = String::with_capacity(glue.len());
    let mut is_inside = false;
    for line in glue.lines().map(str::trim) {
        let begins = line.starts_with("/*");
        if begins || is_inside {
            is_inside = !line.ends_with("*/");
        } else if !line.is_empty() && !line.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

fn class_names(glue: &str) -> Vec<String> {
    let heads = glue.lines().filter_map(|line| line.strip_prefix("export class ")?.strip_suffix(" {"));
    heads.map(str::to_owned).collect()
}

/// The glue without a class and its registry, and these two; none when something else names the class.
fn without_class(glue: &str, name: &str) -> Option<(String, String)> {
    let (without, class) =
        cut(glue, &format!("export class {name} {{\n"), &format!("{name}.prototype.free;\n"))?;
    let (without, registry) = cut(&without, &format!("const {name}Finalization = "), ";\n")?;
    (!without.contains(name)).then_some((without, class + &registry))
}

/// Cuts out what lies from `begin` to `end`, both included.
fn cut(text: &str, begin: &str, end: &str) -> Option<(String, String)> {
    let from = text.find(begin)?;
    let to = from + text[from..].find(end)? + end.len();
    Some((format!("{}{}", &text[..from], &text[to..]), text[from..to].to_owned()))
}

/// The names after `wasm.`.
fn exports_in(glue: &str) -> BTreeSet<&str> {
    let after = glue.split("wasm.").skip(1);
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '$');
    after.map(|rest| &rest[..rest.find(|character| !is_part(character)).unwrap_or(rest.len())]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLUE: &str = "
export class Used {
    free() { wasm.used_free(this.ptr); }
}
if (Symbol.dispose) Used.prototype[Symbol.dispose] = Used.prototype.free;
export class Unused {
    /**
     * @returns {number}
     */
    size() { return wasm.unused_size(this.ptr) + wasm.shared(); }
    free() { UnusedFinalization.unregister(this); wasm.unused_free(this.ptr); }
}
if (Symbol.dispose) Unused.prototype[Symbol.dispose] = Unused.prototype.free;

// A comment.
const UsedFinalization = new FinalizationRegistry(ptr => wasm.used_free(ptr));
const UnusedFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {} }
    : new FinalizationRegistry(ptr => wasm.unused_free(ptr));
    function start() { return Used.wrap(wasm.shared()) }
";

    #[test]
    fn a_class_that_nothing_names_goes_with_its_exports() {
        let slim = slim(GLUE);
        assert_eq!(slim.unused_exports, ["unused_free", "unused_size"]);
        let kept = "\
export class Used {
free() { wasm.used_free(this.ptr); }
}
if (Symbol.dispose) Used.prototype[Symbol.dispose] = Used.prototype.free;
const UsedFinalization = new FinalizationRegistry(ptr => wasm.used_free(ptr));
function start() { return Used.wrap(wasm.shared()) }
";
        assert_eq!(slim.glue, kept);
    }
}
