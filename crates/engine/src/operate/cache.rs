//! Memoized templates: their outputs found and kept.
//! Source: Argo `workflow/controller/operator.go`, `executeTemplate`, `initializeCacheHitNode`, `podReconciliation`.

use std::sync::Arc;

use serde::Deserialize;
use unwind_model::NodePhase;

use crate::memo::{MemoError, MemoStatus};

use super::pass::{Halt, Pass, Walk};
use super::table::At;
use super::template::Call;
use super::templates::Prepared;

impl Pass<'_> {
    /// Looks for the outputs of a memoized template that is about to begin, or has just got its lock.
    /// Its node is there afterwards: over when they were found, else Pending.
    pub(crate) fn look_into_cache(
        &mut self,
        call: &Call<'_>,
        node: Option<At>,
        unlocked: bool,
        template: &Arc<Prepared>,
    ) -> Walk<Option<At>> {
        let memo = template.template.memoize().map_err(|error| Halt::Error(error.to_string()))?;
        let Some(memo) = memo.filter(|_| node.is_none() || unlocked) else { return Ok(node) };
        let run = &mut *self.run;
        let found = match run.memo.find(&memo, &run.library, self.now) {
            Ok(found) => found,
            Err(error) => return Err(self.refuse_node(call, error.to_string())),
        };
        let node = if let Some(node) = node {
            node
        } else {
            let kind = self.kind_to_be(template)?;
            self.add_executable(call, kind, NodePhase::Pending, template, "")
        };
        let state = self.run.table.get_mut(node);
        state.rare_mut().memo = serde_json::to_value(&found.status).ok();
        if found.status.hit {
            state.outputs = found.outputs.map(Arc::new);
            self.mark(node, NodePhase::Succeeded);
        } else {
            self.run_locked_box(node, template);
        }
        self.updated = true;
        Ok(Some(node))
    }

    /// Keeps the outputs of a node that ended well, if it is memoized and they were not found.
    pub(crate) fn save_to_cache(&mut self, node: At) -> Result<(), MemoError> {
        let run = &mut *self.run;
        let state = run.table.get(node);
        let Some(status) = state.rare().memo.as_ref().and_then(|memo| MemoStatus::deserialize(memo).ok())
        else {
            return Ok(());
        };
        if status.hit {
            return Ok(());
        }
        run.memo.keep(&status, &state.id, state.outputs.as_deref(), &run.library, self.now)
    }
}
