// The seed: three nested DAGs (or the same in steps) with an exit hook on every level and a workflow handler.
// Each process writes when it began and when it ended, so that order is judged by the processes themselves.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

/** Exit hooks of the seed, innermost first, by owner; the last is the workflow's own. */
export const OWNERS = ["leaf", "level2", "level1", "workflow"];

/**
 * The manifest as an object. `form` is `dag` or `steps`; with `journal`, a file, every process appends
 * `begin|end NAME NANOSECONDS` to it.
 */
export function seed({ name = "seed", form = "dag", journal = "/dev/null" } = {}) {
  const box = form === "dag" ? dagTemplate : stepsTemplate;
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Workflow",
    metadata: { name },
    spec: {
      entrypoint: "main",
      hooks: { exit: sweep("workflow") },
      templates: [
        box("main", "level1", "level1"),
        box("level1", "level2", "level2"),
        box("level2", "leaf", "work"),
        { name: "work", container: bash([write("begin work", journal), "echo working", "sleep 600"]) },
        {
          name: "sweep",
          inputs: { parameters: [{ name: "what" }] },
          container: bash([
            write("begin {{inputs.parameters.what}}", journal),
            'echo "sweeping {{inputs.parameters.what}}"',
            "sleep 0.7",
            write("end {{inputs.parameters.what}}", journal),
          ]),
        },
      ],
    },
  };
}

/**
 * A loop whose three items each have an exit hook, and a handler. Items write as the seed's do, `work-ITEM`; their
 * hooks, which are not told of items, write the id of their node.
 */
export function loop({ name = "loop", journal }) {
  const { spec } = seed({ name, journal });
  const each = { name: "each", template: "work", withItems: ["a", "b", "c"], hooks: { exit: sweep("$UNWIND_NODE") } };
  each.arguments = { parameters: [{ name: "what", value: "{{item}}" }] };
  const work = {
    name: "work",
    inputs: { parameters: [{ name: "what" }] },
    container: bash([write("begin work-{{inputs.parameters.what}}", journal), "sleep 600"]),
  };
  const sweeping = spec.templates.find((template) => template.name === "sweep");
  const templates = [{ name: "main", dag: { tasks: [each] } }, work, sweeping];
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Workflow", metadata: { name }, spec: { ...spec, templates } };
}

const sweep = (what) => ({ template: "sweep", arguments: { parameters: [{ name: "what", value: what }] } });
const write = (words, journal) => `echo "${words} $(date +%s%N)" >> '${journal}'`;
const bash = (lines) => ({ image: "bash:5", command: ["bash", "-c"], args: [lines.join("\n")] });

function dagTemplate(name, task, template) {
  return { name, dag: { tasks: [{ name: task, template, hooks: { exit: sweep(task) } }] } };
}

function stepsTemplate(name, step, template) {
  return { name, steps: [[{ name: step, template, hooks: { exit: sweep(step) } }]] };
}

/** What the processes wrote: name to `{ begin, end }` as BigInt nanoseconds; a name twice is an error. */
export async function readJournal(file) {
  const text = await readFile(file, "utf8").catch(() => "");
  const seen = new Map();
  for (const line of text.trim().split("\n").filter(Boolean)) {
    const [what, name, at] = line.split(" ");
    const entry = seen.get(name) ?? {};
    assert.equal(entry[what], undefined, `${what} of ${name} was written twice: it ran twice`);
    entry[what] = BigInt(at);
    seen.set(name, entry);
  }
  return seen;
}

/** Fails unless every exit hook ran once, innermost first, each begun after the one before had ended. */
export function assertUnwound(journal) {
  assert.deepEqual([...journal.keys()], ["work", ...OWNERS], "processes in the order in which they began");
  let before = journal.get("work").begin;
  for (const owner of OWNERS) {
    const { begin, end } = journal.get(owner);
    assert.ok(end !== undefined, `the exit hook of ${owner} did not reach its end`);
    assert.ok(begin >= before, `the exit hook of ${owner} began before the one inside it had ended`);
    before = end;
  }
}
