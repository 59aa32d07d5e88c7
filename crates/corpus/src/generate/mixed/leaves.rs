//! Leaves: programs, waits, HTTP and plug-in tasks, with what keeps or repeats them.

use serde_json::{Value, json};

use super::{Maker, Place};

/// A leaf.
pub(super) struct Leaf {
    pub(super) body: Value,
    pub(super) nodes: usize,
    pub(super) gives_list: bool,
    pub(super) gives_p: bool,
}

impl Maker {
    pub(super) fn leaf(&mut self, place: Place) -> Leaf {
        let mut leaf = Leaf { body: json!({}), nodes: 1, gives_list: false, gives_p: false };
        let mut words = Vec::new();
        if self.one_in(9) {
            words.push(format!("exit={}", self.pick(&["1", "1", "2", "64"])));
        }
        let is_data = self.rarely(20);
        let kind = if is_data { 4 } else { self.numbers.below(20) };
        // Only programs give outputs.
        if kind >= 5 && self.one_in(6) {
            self.outputs(&mut leaf, &mut words);
        }
        match kind {
            0 => {
                leaf.body["suspend"] = json!({});
                // Whoever resumes it alone gives nothing, so that nobody may ask for it.
                if self.rarely(3) {
                    let from = json!({"supplied": {}, "default": "as ever"});
                    leaf.body["outputs"] = json!({"parameters": [{"name": "answer", "valueFrom": from}]});
                }
            }
            1 => leaf.body["suspend"] = json!({"duration": self.pick(&["15", "2m"])}),
            2 => leaf.body["http"] = json!({"url": "http://localhost/ok"}),
            3 => leaf.body["plugin"] = json!({"greet": {}}),
            4 if is_data => {
                let source = json!({"artifactPaths": {"name": "files", "s3": {"bucket": "b"}}});
                leaf.body["data"] = json!({"source": source, "transformation": [{"expression": "data"}]});
            }
            4 => {
                let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\n";
                leaf.body["resource"] = json!({"action": "create", "manifest": manifest});
            }
            5 => {
                leaf.nodes = 3;
                leaf.body["containerSet"] = json!({"containers": [
                    {"name": "main", "image": "busybox", "command": ["work"], "args": words_of_set(words.clone())},
                    {"name": "side", "image": "busybox", "command": ["work"], "dependencies": ["main"]},
                ]});
            }
            6..9 => {
                if self.one_in(2) {
                    leaf.gives_list = true;
                    words.push(format!("result={}", self.pick(&[r#"["a","b"]"#, r#"["a"]"#, "[]", "oops"])));
                }
                leaf.body["script"] =
                    json!({"image": "busybox", "command": ["sh"], "source": words.join("\n")});
            }
            _ => {
                leaf.body["container"] = json!({"image": "busybox", "command": ["work"], "args": words});
            }
        }
        self.extras(&mut leaf, place);
        leaf
    }

    /// A daemon. It holds no lock: nobody could ever get it.
    pub(super) fn daemon(&mut self) -> Value {
        let mut words = vec!["daemon"];
        if self.one_in(6) {
            words.push("exit=1");
        }
        let mut body =
            json!({"daemon": true, "container": {"image": "busybox", "command": ["serve"], "args": words}});
        if self.one_in(4) {
            body["retryStrategy"] = json!({"limit": "1"});
        }
        body
    }

    /// An output parameter `p`, which one in six does not give.
    fn outputs(&mut self, leaf: &mut Leaf, words: &mut Vec<String>) {
        leaf.gives_p = true;
        let mut parameter = json!({"name": "p", "valueFrom": {"path": "/p"}});
        if self.one_in(3) {
            parameter["valueFrom"]["default"] = json!("none");
        }
        leaf.body["outputs"] = json!({"parameters": [parameter]});
        if !self.one_in(6) {
            words.push(format!("out.p={}", self.pick(&["1", "blue", "7"])));
        }
    }

    fn extras(&mut self, leaf: &mut Leaf, place: Place) {
        let is_wait = !leaf.body["suspend"].is_null();
        if self.one_in(6) && !is_wait {
            leaf.body["retryStrategy"] = self.retry();
            leaf.nodes += 2;
            let words = leaf.body.pointer_mut("/container/args").and_then(Value::as_array_mut);
            if let Some(words) = words {
                words.push(json!(format!("fails={}", self.numbers.below(4))));
            }
        }
        if self.rarely(16) && !is_wait {
            leaf.body["pendingTimeout"] = json!("25s");
        }
        match self.numbers.below(12) {
            0 if !is_wait => leaf.body["timeout"] = json!(self.pick(&["25s", "2m"])),
            1 if !is_wait => leaf.body["activeDeadlineSeconds"] = json!(30),
            _ => {}
        }
        if self.one_in(8) {
            leaf.body["synchronization"] = self.locks("leaf");
        }
        if self.one_in(12) && !is_wait && !place.is_hook {
            leaf.body["memoize"] = self.memoize();
        }
    }

    pub(super) fn memoize(&mut self) -> Value {
        let key = format!("key-{}", self.numbers.below(3));
        json!({"key": key, "cache": {"configMap": {"name": "memory"}}})
    }

    pub(super) fn retry(&mut self) -> Value {
        let mut strategy = json!({"limit": self.pick(&["1", "2", "3"])});
        if self.one_in(2) {
            strategy["retryPolicy"] =
                json!(self.pick(&["Always", "OnFailure", "OnError", "OnTransientError"]));
        }
        if self.one_in(3) {
            strategy["backoff"] = json!({"duration": "5", "factor": 2, "maxDuration": "1m"});
        }
        if self.one_in(6) {
            strategy["expression"] = json!("asInt(lastRetry.exitCode) > 1");
        }
        strategy
    }
}

/// Arguments of the main container of a set.
fn words_of_set(mut words: Vec<String>) -> Vec<String> {
    words.push("set".to_owned());
    words
}
