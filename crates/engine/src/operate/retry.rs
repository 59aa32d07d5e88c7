//! Retry nodes: whether there is another attempt, and how the node ends.
//! Source: Argo `workflow/controller/operator.go`, `processNodeRetries`.

use unwind_model::features::{Backoff, RetryStrategy};
use unwind_model::{NodePhase, NodeType, Timestamp};

use crate::behaviour::{DaemonEnd, RetriedHooks};
use crate::lang::go;

use super::fill;
use super::pass::Pass;
use super::table::At;
use super::templates::Prepared;

/// What a Retry node does next.
pub(crate) enum Attempt {
    /// It is over; the last attempt, if there was one.
    Over(Option<At>),
    /// The attempt under way goes on.
    Goes(At),
    /// A new attempt with this number.
    Next(usize),
}

impl Pass<'_> {
    /// The strategy of a template, or that of the workflow.
    /// Source: Argo `operator.go`, `retryStrategy`.
    pub(crate) fn retry_strategy(&self, template: &Prepared) -> Result<Option<RetryStrategy>, String> {
        match template.retry()? {
            Some(strategy) => Ok(Some(strategy)),
            None => self.spec.retry_strategy().map_err(|error| error.to_string()),
        }
    }

    /// Attempts of a Retry node, in order.
    /// Source: Argo `operator.go`, `getChildNodeIdsRetried`: a retried hook bears the same mark.
    pub(crate) fn attempts(&self, parent: At) -> Vec<At> {
        let hooks_count = match self.run.behaviour.retried_hooks {
            RetriedHooks::AreNoAttempts => false,
            RetriedHooks::CountAsAttempts => true,
        };
        let children = &self.node(parent).children;
        children
            .iter()
            .copied()
            .filter(|child| {
                self.node(*child).is_retried() && (hooks_count || !self.is_hook_of(*child, parent))
            })
            .collect()
    }

    /// The child of a Retry node whose outputs are its own to others: the last one that is no hook.
    /// Source: Argo `operator.go`, `possiblyGetRetryChildNode`.
    pub(crate) fn shown_attempt(&self, parent: At) -> Option<At> {
        let node = self.node(parent);
        if node.kind != NodeType::Retry || node.rare().memo.as_ref().is_some_and(|memo| memo["hit"] == true) {
            return None;
        }
        node.children
            .iter()
            .rev()
            .copied()
            .find(|child| self.node(*child).exists && !self.node(*child).is_hooked())
    }

    /// Hooks of a retried hook carry both marks; their names tell them from attempts.
    fn is_hook_of(&self, child: At, parent: At) -> bool {
        let rest = self.node(child).name.as_str().strip_prefix(self.node(parent).name.as_str());
        self.node(child).is_hooked() && rest.is_none_or(|rest| !rest.starts_with('('))
    }

    pub(crate) fn next_attempt(&self, parent: At) -> Attempt {
        let attempts = self.attempts(parent);
        let last = attempts.last().copied();
        let node = self.node(parent);
        let daemon_failed = node.daemoned && node.is_failed();
        let is_over = self.moves_only_forward() || self.children_fulfilled(parent) || daemon_failed;
        if node.is_fulfilled() && is_over {
            return Attempt::Over(last);
        }
        match last {
            Some(last) if !self.node(last).is_fulfilled() => Attempt::Goes(last),
            Some(_) | None => Attempt::Next(attempts.len()),
        }
    }

    /// Moves a Retry node by its last attempt. `false`: it waits.
    pub(crate) fn decide_retry(&mut self, parent: At, strategy: &RetryStrategy) -> Result<bool, String> {
        if self.node(parent).is_fulfilled() {
            return Ok(true);
        }
        let attempts = self.attempts(parent);
        let Some(last) = attempts.last().copied() else { return Ok(true) };
        if self.node(last).daemoned {
            self.run.table.get_mut(parent).daemoned = true;
            match self.run.behaviour.daemon_end {
                DaemonEnd::AfterItsBox => self.mark(parent, self.node(last).phase),
                // It is over when its daemon is.
                DaemonEnd::BeforeItsBox => {}
            }
            return Ok(true);
        }
        let (phase, message) = (self.node(last).phase, self.node(last).message.clone());
        if !self.node(last).is_fulfilled() {
            return Ok(true);
        }
        if !self.node(last).is_failed() {
            let outputs = self.node(last).outputs.clone();
            self.run.table.get_mut(parent).outputs = outputs;
            self.mark(parent, NodePhase::Succeeded);
            return Ok(true);
        }
        if let Some(message) = self.no_retries_any_more() {
            if attempts.iter().all(|attempt| self.node(*attempt).never_began) {
                self.run.table.get_mut(parent).never_began = true;
                let refused = self.node(last).message.clone();
                self.mark_message(parent, phase, &refused);
                return Ok(true);
            }
            self.mark_message(parent, phase, &message);
            return Ok(true);
        }
        if let Some(backoff) = &strategy.backoff {
            match self.back_off(parent, &attempts, backoff, strategy)? {
                Wait::Over => self.mark_message(parent, self.node(parent).phase, ""),
                Wait::For(text, until) => {
                    self.look_again_at(until, parent);
                    self.mark_message(parent, self.node(parent).phase, &text);
                    return Ok(false);
                }
                Wait::Never(text) => {
                    self.mark_message(parent, phase, text);
                    return Ok(true);
                }
            }
        }
        let (on_failed, on_error) = policy(strategy, phase, &message)?;
        if phase == NodePhase::Failed && !on_failed || phase == NodePhase::Error && !on_error {
            self.mark_message(parent, phase, &message);
            return Ok(true);
        }
        if let Some(limit) = limit(strategy)?
            && count(&attempts) > limit
        {
            self.mark_message(parent, phase, "No more retries left");
            return Ok(true);
        }
        if !strategy.expression.is_empty() {
            let holds = self.retry_expression(parent, last, attempts.len(), &strategy.expression)?;
            if !holds {
                self.mark_message(parent, phase, "retryStrategy.expression evaluated to false");
            }
        }
        Ok(true)
    }

    /// After a shutdown or the deadline there is no further attempt.
    fn no_retries_any_more(&self) -> Option<String> {
        if let Some(shutdown) = self.shutdown() {
            return Some(format!("Stopped with strategy '{}'", shutdown.as_str()));
        }
        let deadline = self.deadline.filter(|_| self.is_past_deadline())?;
        Some(format!("retry exceeded workflow deadline {}", super::times::go_time(deadline)))
    }

    fn back_off(
        &self,
        parent: At,
        attempts: &[At],
        backoff: &Backoff,
        strategy: &RetryStrategy,
    ) -> Result<Wait, String> {
        let mut latest = None;
        if !backoff.max_duration.is_empty() {
            let most = duration_ms(&backoff.max_duration)?;
            let first = attempts.first().and_then(|first| self.node(*first).started_at).unwrap_or(self.now);
            let end = first + most;
            if self.now > end {
                return Ok(Wait::Never("Max duration limit exceeded"));
            }
            latest = Some(end);
        }
        if backoff.duration.is_empty() {
            return Err("no base duration specified for retryStrategy".to_owned());
        }
        let mut wait = duration_ms(&backoff.duration)?;
        let factor = backoff.factor.as_deref().filter(|factor| !factor.is_empty());
        let factor = factor.map(go::atoi).transpose().map_err(|error| error.to_string())?;
        if let Some(factor) = factor.filter(|factor| *factor > 0) {
            let power = (factor as f64).powi(i32::try_from(attempts.len() - 1).unwrap_or(i32::MAX));
            wait = wait.saturating_mul(power as i64);
        }
        if !backoff.cap.is_empty() {
            wait = wait.min(duration_ms(&backoff.cap)?);
        }
        let last = attempts.last().map_or(parent, |last| *last);
        let until = self.node(last).finished_at.unwrap_or(Timestamp(0)) + wait;
        if latest.is_some_and(|latest| until > latest) {
            return Ok(Wait::Never("Backoff would exceed max duration limit"));
        }
        // A limit that is no number counts as none at all here, and is an error later.
        let most = strategy.limit.as_deref().map(|limit| go::atoi(limit).unwrap_or_default());
        let may_go_on = most.is_some_and(|most| count(attempts) <= most);
        if self.now < until && may_go_on {
            return Ok(Wait::For(format!("Backoff for {}", go::humanize(wait * 1_000_000)), until));
        }
        Ok(Wait::Over)
    }

    /// Source: Argo `operator.go`, `buildRetryStrategyLocalScope`.
    fn retry_expression(&self, parent: At, last: At, retries: usize, text: &str) -> Result<bool, String> {
        let mut names = self.last_retry_names(Some(last));
        let code = self.node(last).outputs.as_ref().and_then(|outputs| outputs.exit_code.clone());
        names.insert("lastRetry.exitCode".to_owned(), code.unwrap_or_else(|| "-1".to_owned()));
        names.insert("retries".to_owned(), retries.saturating_sub(1).to_string());
        for input in self.node(parent).inputs.iter().flat_map(|inputs| &inputs.parameters) {
            if let Some(value) = &input.value {
                names.insert(format!("inputs.parameters.{}", input.name), value.clone());
            }
        }
        fill::holds(text, &names)
    }

    /// Whether everything that a node shows as inside it is over.
    /// Source: Argo `operator.go`, `childrenFulfilled`: only what has no children counts.
    pub(crate) fn children_fulfilled(&self, at: At) -> bool {
        let mut open = vec![at];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            let node = self.node(at);
            if node.children.is_empty() {
                if !node.is_fulfilled() {
                    return false;
                }
            } else {
                open.extend(&node.children);
            }
        }
        true
    }
}

enum Wait {
    /// No more waiting.
    Over,
    /// Not yet; the message, and until when.
    For(String, Timestamp),
    /// No further attempt; the message.
    Never(&'static str),
}

/// The most retries; `None`: no limit.
fn limit(strategy: &RetryStrategy) -> Result<Option<i64>, String> {
    let Some(text) = strategy.limit.as_deref().filter(|text| !text.is_empty()) else { return Ok(None) };
    go::atoi(text).map(Some).map_err(|error| error.to_string())
}

/// Whether Failed and Error attempts are tried again.
fn policy(strategy: &RetryStrategy, phase: NodePhase, message: &str) -> Result<(bool, bool), String> {
    let actual = match strategy.retry_policy.as_str() {
        "" if strategy.expression.is_empty() => "OnFailure",
        "" => "Always",
        other => other,
    };
    match actual {
        "Always" => Ok((true, true)),
        "OnError" => Ok((false, true)),
        "OnFailure" => Ok((true, false)),
        "OnTransientError" => {
            let transient = phase.is_completed() && is_transient(message);
            Ok((transient, transient))
        }
        other => Err(format!("{other} is not a valid RetryPolicy")),
    }
}

/// Messages that Argo takes for errors that pass by themselves.
/// Source: Argo `util/errors/errors.go`, `isTransientErr`; of a message only its text is known.
fn is_transient(message: &str) -> bool {
    const SIGNS: [&str; 13] = [
        "Connection closed by foreign host",
        "net/http: TLS handshake timeout",
        "i/o timeout",
        "connection timed out",
        "connection reset by peer",
        "http2: client connection lost",
        "http2: server sent GOAWAY and closed the connection",
        "connect: connection refused",
        "invalid connection",
        "etcdserver: leader changed",
        "etcdserver: request timed out",
        "etcdserver: too many requests",
        "upper: no more rows in",
    ];
    SIGNS.iter().any(|sign| message.contains(sign))
}

/// Seconds or a Go duration, in milliseconds.
fn duration_ms(text: &str) -> Result<i64, String> {
    Ok(go::parse_string_to_duration(text)? / 1_000_000)
}

fn count(attempts: &[At]) -> i64 {
    i64::try_from(attempts.len()).unwrap_or(i64::MAX)
}
